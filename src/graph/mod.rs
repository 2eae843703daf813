//! Traversal of the edge graph: who uses a definition, what it uses, and how far a change reaches.
//!
//! Pure over store reads.

pub mod around;
pub mod changes;
pub mod confidence;
pub mod definition;
pub mod impact;
pub mod namesake;
pub mod related;

pub use confidence::confidence;
