//! What one file says by itself.
//!
//! Facts are a function of (bytes, language, facts version) alone: no other file, no clock and no
//! setting enters. Refuses to know what a name in another file means.

use serde::{Deserialize, Serialize};

use super::symbol::kinds;
use super::{Span, Symbol};

/// Everything a file says that linking needs, without its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Definitions, in the order of their first byte; a parent stands before its members.
    pub symbols: Vec<Symbol>,
    /// What it takes from other modules, in source order.
    pub imports: Vec<Import>,
    /// What it offers to other modules, in source order.
    pub exports: Vec<Export>,
    /// Names it uses, in source order.
    pub references: Vec<Reference>,
    /// Whether the parser met code that it could not read; the rest was read all the same.
    pub has_errors: bool,
}

kinds! {
    /// How a module is imported.
    ImportKind {
        /// `import … from`, or `import` for its effects.
        Static = 0 "import",
        /// `export … from`.
        ReExport = 1 "re-export",
        /// `import(…)` with a literal.
        Dynamic = 2 "dynamic",
        /// `require(…)` with a literal, `import x = require(…)`.
        Require = 3 "require",
        /// `require.resolve(…)` with a literal.
        RequireResolve = 4 "require-resolve",
        /// `/// <reference path="…" />`.
        TripleSlash = 5 "reference-path",
        /// `import("…").T` in a type.
        TypeQuery = 6 "type-query",
    }
}

/// One import of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module as written.
    pub specifier: String,
    /// How.
    pub kind: ImportKind,
    /// Whether all of it is erased at run time (`import type`).
    pub type_only: bool,
    /// Line of the specifier.
    pub line: u32,
    /// What is bound or passed on; empty for an import for its effects and for a dynamic import whose
    /// result is not destructured.
    pub names: Vec<ImportedName>,
}

/// One name that an import binds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedName {
    /// The name in the other module: `default`, `*` for the whole module, or a name.
    pub imported: String,
    /// The name here (for `export … from`, the name it is exported by).
    pub local: String,
    /// Whether this name alone is marked `type`.
    pub type_only: bool,
}

kinds! {
    /// Which form an export has.
    ExportKind {
        /// A definition or a list in this file (`export function f`, `export { f as g }`, `exports.g = f`).
        Local = 0 "local",
        /// A name passed on from another module (`export { f as g } from`).
        From = 1 "from",
        /// Everything of another module (`export * from`).
        Star = 2 "star",
        /// Another module as one name (`export * as ns from`).
        Namespace = 3 "namespace",
        /// The module itself (`module.exports = f`, `export = f`).
        Assignment = 4 "assignment",
    }
}

/// One name that a module offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// Which form.
    pub kind: ExportKind,
    /// The name it is offered by; `default` for a default export, `*` for [`ExportKind::Star`],
    /// `export=` for [`ExportKind::Assignment`].
    pub name: String,
    /// The name behind it: of this file, or of the other module where there is a specifier; empty for
    /// an expression that has none.
    pub local: String,
    /// The other module, as written; empty for a definition of this file.
    pub specifier: String,
    /// Whether it is a type alone.
    pub type_only: bool,
    /// Line.
    pub line: u32,
}

kinds! {
    /// How a name is used.
    ReferenceKind {
        /// `f(…)`, `a.f(…)`, `` f`…` ``.
        Call = 0 "call",
        /// `new F(…)`.
        New = 1 "new",
        /// `<F …>`.
        Jsx = 2 "jsx",
        /// `@f`.
        Decorator = 3 "decorator",
        /// A name in a type position.
        Type = 4 "type",
        /// `extends` or `implements`.
        Heritage = 5 "heritage",
        /// Any other use of a value.
        Value = 6 "value",
    }
}

/// One use of a name that the file does not bind in a local scope, or binds there to one of its symbols (a
/// function inside a function).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The name that is used: the last one of a chain (`open` in `store.open()`).
    pub name: String,
    /// What stands before it, as written, where that is a chain of names or `this`/`super` (`store` in
    /// `store.open()`, `this.db` in `this.db.open()`); `?` for any other expression, empty for none.
    pub receiver: String,
    /// How it is used.
    pub kind: ReferenceKind,
    /// The innermost symbol around it, an index into the file's symbols.
    pub symbol: Option<u32>,
    /// Line.
    pub line: u32,
}

kinds! {
    /// What a chunk holds.
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
    /// What it holds.
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

/// What extraction yields for one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extraction {
    /// What the file says.
    pub facts: FileFacts,
    /// Its lines, cut into pieces.
    pub chunks: Vec<Chunk>,
}
