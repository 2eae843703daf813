//! Clients of the models that a user configured: requests, and the validation of answers.
//!
//! Knows texts and vectors, nothing of an index; connections are made in `remote`, and a static model on the disk makes none. Nothing here runs unless `[embed]` names a model.

mod chat;
mod embeddings;
mod error;
mod named_model;
mod rerank;
mod static_model;

pub use chat::{AnswerWriter, CitedProse};
use embeddings::MAX_DIMENSIONS;
pub use embeddings::{Embedded, Embedder, ModelIdentity};
pub use error::ModelFault;
pub use rerank::Reranker;
