//! Traversal of the edge graph: who uses a definition, what it uses, and how far a change reaches.
//!
//! Pure over store reads. Refuses to know how an edge was bound and how an answer is shown.

pub mod around;
pub mod changes;
pub mod confidence;
pub mod definition;
pub mod impact;
pub mod namesake;
pub mod related;

pub use confidence::confidence;
