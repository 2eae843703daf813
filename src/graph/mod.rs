//! Traversal of the edge graph: who uses a definition, what it uses, and how far a change reaches. Beside it, without edges:
//! `changes` and `tokens` compare the definitions of two states of a file, `change_history` weighs past commits.

pub mod chains;
pub mod change_history;
pub mod changes;
pub mod clusters;
pub mod definition;
mod definition_text;
pub mod edge_confidence;
pub mod impact;
pub mod indirect_users;
pub mod neighborhood;
pub mod related;
pub mod test_conventions;
pub mod tokens;

pub use edge_confidence::confidence;
