//! Languages that are outlined: their definitions are known, uses of them are not.
//!
//! One engine (`walk`) and one row of data (`rows`) for each language. No language has code of its own, and no edge is ever
//! made from such a file; the tools say so (`analysed`).

mod row;
mod rows;
#[cfg(test)]
mod tests;
mod walk;

use std::ops::Range;
use std::sync::OnceLock;

use tree_sitter::{Language, Node};

use super::frontend::{Frontend, SourceWord};
use super::implicit_calls::ImplicitCalls;
use crate::ir::FileFacts;
use crate::model::Family;
use crate::syntax::occurrences::OccurrenceRole;
use crate::syntax::regions::{SourceRegion, region_of};
use row::OutlineRow;

/// No call is known, so none is told that no source writes.
const NO_IMPLICIT_CALLS: ImplicitCalls = ImplicitCalls {
    plain_annotations: Some(&[]),
    by_name: |_| None,
};

/// Declares the languages with their rows.
macro_rules! languages {
    ($($(#[$doc:meta])* $name:ident $row:ident,)*) => {
        /// A language that is outlined.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate::syntax) enum OutlineLanguage { $($(#[$doc])* $name,)* }

        impl OutlineLanguage {
            #[cfg(test)]
            const ALL: &'static [Self] = &[$(Self::$name,)*];

            fn row(self) -> &'static OutlineRow {
                match self { $(Self::$name => &rows::$row,)* }
            }

            fn tables(self) -> &'static Tables {
                match self {
                    $(Self::$name => {
                        static TABLES: OnceLock<Tables> = OnceLock::new();
                        TABLES.get_or_init(|| Tables::new(&rows::$row))
                    })*
                }
            }

            /// Returns its front end.
            pub(super) fn frontend(self) -> &'static Frontend {
                match self {
                    $(Self::$name => {
                        static FRONTEND: Frontend = Frontend {
                            family: Family::Outline,
                            has_inline_tests: false,
                            implicit: &NO_IMPLICIT_CALLS,
                            grammar: || &OutlineLanguage::$name.tables().grammar,
                            parse: Some(|source, budget| {
                                walk::parse(OutlineLanguage::$name, source, budget).into()
                            }),
                            lower: |source, root, _, budget| {
                                walk::lower(OutlineLanguage::$name, source, root, budget)
                            },
                            endpoints: None,
                            role_of,
                        };
                        &FRONTEND
                    })*
                }
            }
        }
    };
}

languages! {
    /// Shells of the Bourne family.
    Bash BASH,
    Dart DART,
    Elixir ELIXIR,
    GraphQl GRAPHQL,
    /// Terraform and its relatives.
    Hcl HCL,
    Kotlin KOTLIN,
    Lua LUA,
    Php PHP,
    Protobuf PROTOBUF,
    Ruby RUBY,
    Scala SCALA,
    Swift SWIFT,
    Zig ZIG,
}

/// The part that nodes of one kind play.
#[derive(Clone, Debug, Default)]
struct NodeEntry {
    is_comment: bool,
    /// Whether it may document a definition, begin a section or import a file.
    is_marker: bool,
    /// Whether variables inside are local.
    is_local: bool,
    /// The rules among which its own are.
    rules: Range<usize>,
}

/// A grammar with its node kinds by number.
struct Tables {
    grammar: Language,
    nodes: Vec<NodeEntry>,
}

impl Tables {
    fn new(row: &OutlineRow) -> Self {
        let grammar = (row.grammar)();
        let n_kinds = u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
        let nodes = (0..n_kinds)
            .map(|id| match grammar.node_kind_for_id(id) {
                Some(kind) if grammar.node_kind_is_named(id) => NodeEntry::of(row, kind),
                _ => NodeEntry::default(),
            })
            .collect();
        Self { grammar, nodes }
    }
}

impl NodeEntry {
    fn of(row: &OutlineRow, kind: &str) -> Self {
        let rules = || row.rules.iter();
        let first = rules().position(|rule| rule.node == kind);
        let last = rules().rposition(|rule| rule.node == kind);
        let section = row.section.as_ref().is_some_and(|it| it.node == kind);
        let doc = row.doc_node.as_ref().is_some_and(|it| it.node == kind);
        let import = row.imports.iter().any(|it| it.node == kind);
        Self {
            is_comment: row.comments.contains(&kind),
            is_marker: section || doc || import,
            is_local: row.local.contains(&kind),
            rules: first
                .zip(last)
                .map_or(0..0, |(first, last)| first..last + 1),
        }
    }
}

impl OutlineLanguage {
    /// Returns the entry of a kind of node; an empty one for errors.
    fn node_kind(self, id: u16) -> &'static NodeEntry {
        static NONE: NodeEntry = NodeEntry {
            is_comment: false,
            is_marker: false,
            is_local: false,
            rules: 0..0,
        };
        self.tables().nodes.get(usize::from(id)).unwrap_or(&NONE)
    }
}

/// Classifies a word. In code only definitions are known; what any other word means is not.
fn role_of(facts: &FileFacts, node: Node<'_>, word: SourceWord<'_>) -> OccurrenceRole {
    match region_of(node) {
        Some(SourceRegion::Comment) => OccurrenceRole::Comment,
        _ if walk::is_definition(facts, node, word.text) => OccurrenceRole::Definition,
        Some(SourceRegion::String) => OccurrenceRole::Text,
        _ => OccurrenceRole::Prose,
    }
}
