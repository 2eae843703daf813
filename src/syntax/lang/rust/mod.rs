//! Facts of Rust.
//!
//! `items` finds the symbols and `modules` the module tree and the `use` declarations; `types`, `generics`,
//! `patterns`, `records` and `expressions` lower values with the scopes around, `statements` walks through bodies, and `macros` reads the
//! arguments of macros, `attributes` those of attributes. A name of a path that goes on
//! ends in `::` in the facts, that of a macro in `!`, that of a method which is called on a value in `()`: these are
//! different names to Rust.

mod attributes;
mod conversions;
mod endpoints;
mod expressions;
mod generics;
mod grammar;
mod items;
mod locals;
mod lowering;
mod macros;
mod modules;
mod occurrences;
mod patterns;
mod records;
mod statements;
#[cfg(test)]
mod tests;
mod types;

use super::frontend::{Frontend, LowerOptions, LoweredFile};
use super::implicit_calls::{ENTRY_POINT, ImplicitCalls};
use crate::model::Budget;
use crate::model::Family;
use crate::model::SymbolKind;

/// The calls that no source writes.
const IMPLICIT: ImplicitCalls = ImplicitCalls {
    plain_annotations: Some(&[
        "allow",
        "cfg",
        "cfg_attr",
        "cold",
        "deny",
        "deprecated",
        "derive",
        "doc",
        "expect",
        "forbid",
        "inline",
        "instrument",
        "macro_export",
        "must_use",
        "non_exhaustive",
        "path",
        "repr",
        "rustfmt",
        "serde",
        "skip",
        "target_feature",
        "track_caller",
        "warn",
    ]),
    by_name: |symbol| {
        let is_main = symbol.kind == SymbolKind::Function && symbol.name == "main";
        is_main.then_some(ENTRY_POINT)
    },
};

/// The front end of Rust.
pub(super) const FRONTEND: Frontend = Frontend {
    family: Family::Rust,
    has_inline_tests: true,
    implicit: &IMPLICIT,
    grammar: || &grammar::grammar().language,
    parse: None,
    lower,
    endpoints: Some(endpoints::add),
    role_of: occurrences::role_of,
};

fn lower(
    source: &str,
    root: tree_sitter::Node<'_>,
    options: LowerOptions,
    budget: &Budget,
) -> Option<LoweredFile> {
    let mut lowering = lowering::Lowering::new(source, options.keeps_positions, budget);
    lowering.facts.has_errors = root.has_error();
    lowering.find_comments(root);
    lowering.find_inline_modules(root);
    lowering.items(root);
    if budget.is_spent() {
        return None;
    }
    Some(lowering.finish())
}
