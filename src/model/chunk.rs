//! The pieces that a file is cut into, which are found and shown as one.

use serde::{Deserialize, Serialize};

use super::Span;
use super::symbol::kinds;

kinds! {
    /// The content of a chunk.
    ChunkKind {
        /// A definition, or a part of one.
        Definition = 0 "definition",
        /// Code between definitions.
        Gap = 1 "gap",
        /// A section of a document, or a run of lines of a file without structure.
        Text = 2 "text",
    }
}

/// A run of whole lines of a file that is found and shown as one.
///
/// Invariant: the chunks of a file, in order, cover each of its lines exactly once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The kind of content.
    pub kind: ChunkKind,
    /// Where it is: whole lines, the last line's end included.
    pub span: Span,
    /// The symbol it belongs to, an index into the file's symbols.
    pub symbol: Option<u32>,
    /// Which part of that symbol, or which run of gaps, from 0.
    pub part: u32,
    /// Qualified names of the symbols that begin in it, its own first; for text its headings.
    pub names: Vec<String>,
    /// Signature of its symbol; empty where it has none.
    pub signature: String,
    /// Doc comment of its symbol, in the first part alone.
    pub doc: String,
}
