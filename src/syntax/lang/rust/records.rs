//! Pieces of a file that are kept while it is lowered.

use tree_sitter::Node;

use crate::ir::ExprId;

/// A type parameter in scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Generic<'t> {
    pub(super) name: &'t str,
    /// A value of its type.
    pub(super) value: ExprId,
}

/// A leaf of a `use` declaration: `crate::db::Store` of `use crate::{db::Store, log}`.
#[derive(Clone, Debug)]
pub(super) struct Leaf<'t> {
    /// The inline modules around.
    pub(super) modules: Vec<&'t str>,
    pub(super) segments: Vec<&'t str>,
    /// The name here; empty for none.
    pub(super) local: &'t str,
    pub(super) is_glob: bool,
    /// Whether others see it: `pub use`.
    pub(super) is_public: bool,
    pub(super) in_function: bool,
    pub(super) line: u32,
}

/// An item with the attributes above it.
#[derive(Clone, Debug)]
pub(super) struct Item<'n> {
    pub(super) node: Node<'n>,
    pub(super) attributes: Vec<Node<'n>>,
}
