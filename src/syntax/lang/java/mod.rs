//! Facts of Java.
//!
//! One pass over the syntax tree: `declarations` adds symbols and their bindings, `code` records the uses of names
//! in statements and expressions, `expressions` and `types` lower what stands before a dot or after a colon.
//! Members are not looked up here: a name that no local scope binds may be inherited.

mod code;
mod declarations;
mod expressions;
mod grammar;
mod locals;
mod lombok;
mod lowering;
mod modules;
mod occurrences;
mod symbols;
mod synthetic;
#[cfg(test)]
mod tests;
mod types;

use super::frontend::{Frontend, LoweredFile};
use crate::model::Budget;
use crate::model::Family;

/// The front end of Java.
pub(super) const FRONTEND: Frontend = Frontend {
    family: Family::Java,
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
    lowering.lower_file(root, budget)?;
    Some(lowering.finish(root.has_error()))
}
