//! Facts of Python.
//!
//! Three passes over one syntax tree: `declarations` finds symbols, scopes and the statements that bind names;
//! `references` records the uses of names; `bindings` lowers the values that the file, its classes and functions hold.
//! Local variables are lowered when a use asks for them, by `expressions` and `types`.

mod annotations;
mod bindings;
mod builders;
mod builtins;
mod context;
mod declarations;
mod definitions;
mod endpoints;
mod expressions;
mod finish;
mod fixtures;
mod grammar;
mod lowering;
mod modules;
mod native_calls;
mod occurrences;
mod quoted_paths;
mod references;
mod scopes;
mod statements;
mod symbols;
#[cfg(test)]
mod tests;
mod types;

use super::frontend::{Frontend, LowerOptions, LoweredFile};
use super::implicit_calls::ImplicitCalls;
use crate::model::Budget;
use crate::model::Family;
use crate::model::SymbolKind;

/// The calls that no source writes.
const IMPLICIT: ImplicitCalls = ImplicitCalls {
    plain_annotations: Some(&[
        "abstractmethod",
        "asynccontextmanager",
        "cache",
        "cached_property",
        "classmethod",
        "contextmanager",
        "dataclass",
        "deleter",
        "deprecated",
        "final",
        "getter",
        "lru_cache",
        "overload",
        "override",
        "property",
        "setter",
        "staticmethod",
        "total_ordering",
        "wraps",
    ]),
    by_name: |symbol| {
        let is_special = symbol.name.starts_with("__") && symbol.name.ends_with("__");
        let is_function = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method);
        (is_special && is_function).then_some(
            "a special method, which Python calls for operators, built-ins and protocols",
        )
    },
};

/// The front end of Python.
pub(super) const FRONTEND: Frontend = Frontend {
    family: Family::Python,
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
    lowering.declare_module(root);
    if budget.is_spent() {
        return None;
    }
    lowering.order_symbols();
    lowering.find_type_params();
    lowering.record_uses(root, budget)?;
    lowering.lower_bindings();
    Some(lowering.finish(root.has_error()))
}
