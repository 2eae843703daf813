//! What outlives an answer: saved contexts, and which indexes are kept.
//!
//! Refuses to know how an index is brought up and how an answer looks.

pub mod anchor;
pub mod policy;
pub mod portable;
pub mod prune;
