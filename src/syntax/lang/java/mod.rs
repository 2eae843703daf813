//! Facts of Java.
//!
//! One pass over the syntax tree: `declarations` adds symbols and their bindings, `code` records the uses of names
//! in statements and expressions, `expressions` and `types` lower what stands before a dot or after a colon.
//! Members are not looked up here: a name that no local scope binds may be inherited.

mod code;
mod declarations;
mod endpoints;
mod expressions;
mod grammar;
mod locals;
mod lombok;
mod lowering;
mod modules;
mod names;
mod occurrences;
mod symbols;
mod synthetic;
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
        "CheckReturnValue",
        "Deprecated",
        "FunctionalInterface",
        "Generated",
        "NonNull",
        "Nonnull",
        "NotNull",
        "Nullable",
        "Override",
        "SafeVarargs",
        "SuppressWarnings",
        "VisibleForTesting",
    ]),
    by_name: |symbol| match (symbol.kind, symbol.name.as_str()) {
        (SymbolKind::Method, "main") if symbol.is_static() => Some(ENTRY_POINT),
        (
            SymbolKind::Method,
            "compareTo" | "equals" | "finalize" | "hashCode" | "readObject" | "toString"
            | "writeObject",
        ) => Some("a method that the language and its library call"),
        _ => None,
    },
};

/// The front end of Java.
pub(super) const FRONTEND: Frontend = Frontend {
    family: Family::Java,
    has_inline_tests: false,
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
    let mut lowering = lowering::Lowering::new(source, options.keeps_positions);
    lowering.lower_file(root, budget)?;
    Some(lowering.finish(root.has_error()))
}
