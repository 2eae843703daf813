//! Models that a user configured: what is said to them, and which of their answers are taken.
//!
//! Knows texts and vectors, nothing of an index; connections are made in `remote`. Nothing here runs unless `[embed]` names a model.

mod embeddings;
mod error;

pub use embeddings::{Embedded, Embedder, ModelIdentity};
pub use error::ModelFault;
