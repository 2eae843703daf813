//! The node kinds and fields of a grammar as numbers, so that a walk compares bytes and not names.
//!
//! A family lists the kinds and fields that it acts on with [`node_kinds!`] and [`fields!`], e.g.
//! `node_kinds! { Comment "comment", }`; every other node is `Kind::Other`.

use tree_sitter::{Language, Node};

/// The kinds of nodes that a family acts on.
pub(super) trait NodeKind: Copy + 'static {
    /// A node whose children alone matter.
    const OTHER: Self;

    /// Returns the kind of a name of the grammar: `comment`.
    fn of(name: &str) -> Self;
}

/// The fields of nodes that a family reads.
pub(super) trait FieldIds {
    /// Finds the numbers of the fields.
    fn of(language: &Language) -> Self;
}

/// A grammar with the numbers of its kinds and fields.
pub(super) struct NumberedGrammar<K, F> {
    /// The library's own handle.
    pub(super) language: Language,
    /// The fields.
    pub(super) fields: F,
    table: Box<[K]>,
}

impl<K: NodeKind, F: FieldIds> NumberedGrammar<K, F> {
    /// Numbers the kinds and fields of a grammar.
    pub(super) fn new(language: Language) -> Self {
        let n_kinds = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let table = (0..n_kinds)
            .map(|id| match language.node_kind_for_id(id) {
                Some(name) if language.node_kind_is_named(id) => K::of(name),
                _ => K::OTHER,
            })
            .collect();
        Self {
            fields: F::of(&language),
            language,
            table,
        }
    }

    /// Returns the kind of a node; `Kind::Other` for an error.
    pub(super) fn kind(&self, node: Node<'_>) -> K {
        self.table
            .get(usize::from(node.kind_id()))
            .copied()
            .unwrap_or(K::OTHER)
    }
}

/// Declares `Kind`, the kinds of nodes that a family acts on.
macro_rules! node_kinds {
    ($($variant:ident $text:literal,)*) => {
        /// The kind of a node.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Kind {
            /// A node whose children alone matter.
            Other,
            $(#[doc = concat!("`", $text, "`")] $variant,)*
        }

        impl $crate::syntax::lang::node_table::NodeKind for Kind {
            const OTHER: Self = Kind::Other;

            fn of(name: &str) -> Self {
                match name { $($text => Kind::$variant,)* _ => Kind::Other }
            }
        }
    };
}

/// Declares `Fields`, the fields of nodes that a family reads.
macro_rules! fields {
    ($($name:ident $text:literal,)*) => {
        /// The numbers of the fields that lowering reads; 0 for a field that the grammar lacks.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct Fields { $(#[doc = concat!("`", $text, "`")] pub(super) $name: u16,)* }

        impl $crate::syntax::lang::node_table::FieldIds for Fields {
            fn of(language: &tree_sitter::Language) -> Self {
                let id = |name: &str| language.field_id_for_name(name).map_or(0, u16::from);
                Self { $($name: id($text),)* }
            }
        }
    };
}

pub(super) use {fields, node_kinds};
