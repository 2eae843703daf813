//! Facts of Go.
//!
//! `declarations` finds the package clause, the imports and the symbols of the top level; `statements` walks through each of
//! them with the scopes around, binds local names where they are declared and records the uses; `expressions` and `types`
//! lower values. The unit of visibility is the package: names of its other files are not looked at here.

mod constraints;
mod declarations;
mod expressions;
mod grammar;
mod lowering;
mod occurrences;
mod statements;
#[cfg(test)]
mod tests;
mod types;

use super::frontend::{Frontend, LoweredFile};
use crate::model::Budget;
use crate::model::Family;

/// The front end of Go.
pub(super) const FRONTEND: Frontend = Frontend {
    family: Family::Go,
    grammar: || &grammar::grammar().language,
    parse: None,
    lower,
    role_of: occurrences::role_of,
};

fn lower(
    source: &str,
    root: tree_sitter::Node<'_>,
    keeps_positions: bool,
    budget: &Budget,
) -> Option<LoweredFile> {
    let mut lowering = lowering::Lowering::new(source, keeps_positions);
    lowering.facts.is_alternative = constraints::is_left_out(source);
    lowering.facts.has_errors = root.has_error();
    let declared = lowering.declare(root);
    for one in &declared {
        if budget.is_spent() {
            return None;
        }
        lowering.lower_declared(one);
    }
    Some(lowering.finish())
}
