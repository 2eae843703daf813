//! Facts of Python.
//!
//! Three passes over one syntax tree: `declarations` finds symbols, scopes and the statements that bind names;
//! `references` records the uses of names; `bindings` lowers the values that the file, its classes and functions hold.
//! Local variables are lowered when a use asks for them, by `expressions` and `types`.

mod annotations;
mod bindings;
mod builtins;
mod declarations;
mod definitions;
mod expressions;
mod finish;
mod grammar;
mod lowering;
mod modules;
mod references;
mod scopes;
mod statements;
mod symbols;
#[cfg(test)]
mod tests;
mod types;

use crate::ir::FileFacts;
use crate::model::Budget;
use crate::syntax::parse::{Parsed, parse};

/// The facts of one file, with the bytes that cutting it into chunks needs beside them.
#[derive(Debug, Default)]
pub(in crate::syntax) struct LoweredFile {
    /// The facts.
    pub(in crate::syntax) facts: FileFacts,
    /// For each symbol the byte at which the comments above it begin.
    pub(in crate::syntax) leads: Vec<u32>,
}

/// Lowers a file; `None` where the budget ended. A file that costs more to parse than one of its length may says
/// nothing but that it has errors.
pub(in crate::syntax) fn read(source: &str, budget: &Budget) -> Option<LoweredFile> {
    let grammar = grammar::Grammar::get();
    let tree = match parse(&grammar.language, source, budget) {
        Parsed::Tree(tree) => tree,
        Parsed::Ended => return None,
        Parsed::TooHard => {
            let mut file = LoweredFile::default();
            file.facts.has_errors = true;
            return Some(file);
        }
    };
    let root = tree.root_node();
    let mut lowering = lowering::Lowering::new(source, grammar);
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
