//! One folder a family of languages: how its syntax becomes facts.
//!
//! Chunks are cut in `chunk`; names of other files are bound by `link`.

mod c;
mod csharp;
pub(in crate::syntax) mod ecmascript;
pub(super) mod endpoints;
mod frontend;
mod go;
mod held_texts;
mod implicit_calls;
mod java;
mod node_table;
mod outline;
mod python;
mod rust;
mod scoped_names;
pub(super) mod tree_walk;
mod use_recorder;

use super::language::FileShape;
use frontend::Frontend;
pub(in crate::syntax) use implicit_calls::ImplicitCalls;
pub(in crate::syntax) use outline::OutlineLanguage;

/// Returns the front end of a family that has one of its own.
pub(in crate::syntax) fn frontend(shape: FileShape) -> Option<&'static Frontend> {
    match shape {
        FileShape::Python => Some(&python::FRONTEND),
        FileShape::Go => Some(&go::FRONTEND),
        FileShape::Java => Some(&java::FRONTEND),
        FileShape::CSharp => Some(&csharp::FRONTEND),
        FileShape::Rust => Some(&rust::FRONTEND),
        FileShape::C => Some(&c::C_FRONTEND),
        FileShape::Cpp => Some(&c::CPP_FRONTEND),
        FileShape::Outline(language) => Some(language.frontend()),
        FileShape::Script(_)
        | FileShape::Component(_)
        | FileShape::Page
        | FileShape::Document(_)
        | FileShape::Plain => None,
    }
}
