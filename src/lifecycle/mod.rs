//! Data that outlives an answer: saved records, and which indexes are kept.

pub mod anchor;
pub mod policy;
pub mod portable;
pub mod prune;
pub mod verdict;
