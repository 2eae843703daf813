//! One folder a family of languages: how its syntax becomes facts.
//!
//! Refuses to know other files, and how a file is cut into chunks.

pub(in crate::syntax) mod ecmascript;
pub(in crate::syntax) mod go;
pub(in crate::syntax) mod java;
pub(in crate::syntax) mod python;
