//! Facts of C#.
//!
//! One pass over the syntax tree: `declarations` and `members` add symbols and their bindings, `code` records the uses of names
//! in statements and expressions, `expressions` and `types` lower what stands before a dot or in front of a name.
//! Members are not looked up here: a name that no local scope binds may be inherited, or stand in another part of the type.

mod calls;
mod code;
mod declarations;
mod docs;
mod endpoints;
mod expressions;
mod grammar;
mod lowering;
mod members;
mod namespaces;
mod occurrences;
mod patterns;
mod preprocessing;
mod symbols;
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
        "CLSCompliant",
        "DebuggerStepThrough",
        "EditorBrowsable",
        "Flags",
        "MethodImpl",
        "Obsolete",
        "Pure",
    ]),
    by_name: |symbol| match (symbol.kind, symbol.name.as_str()) {
        (SymbolKind::Method, "Main") if symbol.is_static() => Some(ENTRY_POINT),
        (SymbolKind::Method, name)
            if name.starts_with("operator ")
                || name.starts_with('~')
                || matches!(
                    name,
                    // `$"{size} rows"` of a type that reads such texts.
                    "AppendFormatted"
                        | "AppendLiteral"
                        | "CompareTo"
                        | "Deconstruct"
                        | "Dispose"
                        | "DisposeAsync"
                        | "Equals"
                        | "GetAsyncEnumerator"
                        | "GetAwaiter"
                        | "GetEnumerator"
                        | "GetHashCode"
                        | "GetResult"
                        | "MoveNext"
                        | "MoveNextAsync"
                        | "ToString"
                ) =>
        {
            Some("a method that the language and its library call")
        }
        // `from row in rows where … select …`
        (
            SymbolKind::Method,
            "Cast" | "GroupBy" | "GroupJoin" | "Join" | "OrderBy" | "OrderByDescending" | "Select"
            | "SelectMany" | "ThenBy" | "ThenByDescending" | "Where",
        ) => Some("a method that a query may call"),
        // `new Rows { first }`
        (SymbolKind::Method, "Add") => {
            Some("a method that the initializer of a collection may call")
        }
        _ => None,
    },
};

/// The front end of C#.
pub(super) const FRONTEND: Frontend = Frontend {
    family: Family::CSharp,
    grammar: || &grammar::grammar().language,
    parse: Some(|source, budget| preprocessing::parse(source, budget).into()),
    lower,
    endpoints: Some(endpoints::add),
    role_of: occurrences::role_of,
    has_inline_tests: false,
    implicit: &IMPLICIT,
};

fn lower(
    source: &str,
    root: tree_sitter::Node<'_>,
    options: LowerOptions,
    budget: &Budget,
) -> Option<LoweredFile> {
    let mut lowering = lowering::Lowering::new(source, options.keeps_positions);
    lowering.lower_file(root, budget)?;
    let has_errors = root.has_error() || preprocessing::lacks_branches(source, root);
    Some(lowering.finish(has_errors))
}
