//! One folder a family of languages: how its syntax becomes facts.
//!
//! Refuses to know other files, and how a file is cut into chunks.

pub(in crate::syntax) mod ecmascript;
mod frontend;
mod go;
mod java;
mod node_table;
mod python;
mod rust;
mod use_recorder;

use super::language::Shape;
use frontend::Frontend;

/// Returns the front end of a family that has one of its own.
pub(in crate::syntax) fn frontend(shape: Shape) -> Option<&'static Frontend> {
    match shape {
        Shape::Python => Some(&python::FRONTEND),
        Shape::Go => Some(&go::FRONTEND),
        Shape::Java => Some(&java::FRONTEND),
        Shape::Rust => Some(&rust::FRONTEND),
        Shape::Script(_)
        | Shape::Component(_)
        | Shape::Page
        | Shape::Document(_)
        | Shape::Plain => None,
    }
}
