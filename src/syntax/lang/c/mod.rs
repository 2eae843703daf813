//! Facts of C and C++.
//!
//! `reading` parses, `cleaning` helps where the grammar fails, by the `tokens`, and `annotations` finds the uses of macros that it blanks out, `constructors` those before constructors, `code_macros` those in code, `code_ends` the code behind a function that swallowed it, `namespace_braces` the namespaces that an error dissolved, `namespace_macros` the macros that open one; `branches` reads the code of other conditions, `branch_choices` chooses where they exclude each other,
//! `conditions` the macros in them, `listed_directives` other directives in lists. `declarations` and `records`
//! find the symbols, `declarators` takes declarators apart, `macros` and `pasting` read `#define`, `statements` walks through bodies, `expressions` and
//! `types` lower values, `templates` the parameters of templates, and `same_names` compares the symbols of one name. Names of types begin with
//! `type ` in the facts, and a name that is written with those around it is one name with dots: `std.vector`. Where an
//! included name leads, and which definition a declaration has, is decided by `link`.

mod annotations;
mod branch_choices;
mod branches;
mod cleaning;
mod code_ends;
mod code_macros;
mod conditions;
mod constructors;
mod declarations;
mod declarators;
mod expressions;
mod grammar;
mod listed_directives;
mod lowering;
mod macro_functions;
mod macros;
mod namespace_braces;
mod namespace_macros;
mod occurrences;
mod pasting;
mod reading;
mod records;
mod same_names;
mod statements;
mod templates;
#[cfg(test)]
mod tests;
mod tokens;
mod types;

use super::frontend::{Frontend, LowerOptions, LoweredFile};
use super::implicit_calls::{ENTRY_POINT, ImplicitCalls};
use crate::model::Budget;
use crate::model::Family;
use crate::model::SymbolKind;

/// The calls that no source writes.
const IMPLICIT: ImplicitCalls = ImplicitCalls {
    plain_annotations: None,
    by_name: |symbol| match (symbol.kind, symbol.name.as_str()) {
        (SymbolKind::Function, "main" | "wmain" | "WinMain" | "wWinMain") => Some(ENTRY_POINT),
        (_, name) if is_operator(name) => Some("an operator, which is written as a sign"),
        (SymbolKind::Method, "begin" | "end") => Some("a method that a loop over a range calls"),
        (_, name) if name.starts_with('~') => Some("a destructor, which runs where a value ends"),
        _ => None,
    },
};

/// The front end of C, and of headers that may be C++.
pub(super) const C_FRONTEND: Frontend = Frontend {
    family: Family::C,
    has_inline_tests: false,
    implicit: &IMPLICIT,
    grammar: || &grammar::c().language,
    parse: Some(reading::parse_c),
    lower,
    endpoints: None,
    role_of: occurrences::role_of,
};

/// The front end of C++.
pub(super) const CPP_FRONTEND: Frontend = Frontend {
    family: Family::C,
    has_inline_tests: false,
    implicit: &IMPLICIT,
    grammar: || &grammar::cpp().language,
    parse: Some(reading::parse_cpp),
    lower,
    endpoints: None,
    role_of: occurrences::role_of,
};

fn lower(
    source: &str,
    root: tree_sitter::Node<'_>,
    options: LowerOptions,
    budget: &Budget,
) -> Option<LoweredFile> {
    let listed = if options.is_cleaned {
        reading::parse_listed_directives(grammar::of(root), source, budget)
    } else {
        None
    };
    let mut lowering = lowering::Lowering::new(source, root, options.keeps_positions, budget);
    lowering.facts.has_errors = root.has_error();
    if root.has_error() {
        lowering.find_code_ends();
    }
    lowering.find_comments(root);
    lowering.items(root, declarations::DeclarationPlace::default());
    if let Some(listed) = &listed {
        lowering.items(
            listed.root_node(),
            declarations::DeclarationPlace::default(),
        );
    }
    if options.is_cleaned || root.has_error() {
        // A tree of the plain text without errors has every name.
        lowering.use_annotations(root);
    }
    lowering.use_conditions();
    lowering.mark_same_names();
    lowering.prefer_own_meanings();
    if budget.is_spent() {
        return None;
    }
    Some(lowering.finish())
}

/// Whether a name is that of an operator: `operator==`, `operator bool`, and not `operator_name`.
fn is_operator(name: &str) -> bool {
    let sign = name.strip_prefix("operator").unwrap_or_default();
    sign.starts_with(|c: char| !c.is_alphanumeric() && c != '_')
}
