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
mod occurrences;
mod references;
mod scopes;
mod statements;
mod symbols;
#[cfg(test)]
mod tests;
mod types;

pub(in crate::syntax) use occurrences::PositionedFile;

use crate::ir::{Family, FileFacts};
use crate::model::Budget;
use crate::syntax::parse::{Parsed, parse};

/// The facts of one file, with the bytes that cutting it into chunks needs beside them.
#[derive(Debug, Default)]
pub(in crate::syntax) struct LoweredFile {
    /// The facts.
    pub(in crate::syntax) facts: FileFacts,
    /// For each symbol the byte at which the comments above it begin.
    pub(in crate::syntax) leads: Vec<u32>,
    /// Each use by the first byte of its name, in source order, with its reference; empty unless it was asked for.
    pub(in crate::syntax) positions: Vec<(u32, u32)>,
}

/// Returns the grammar of Python.
pub(in crate::syntax) fn grammar() -> &'static tree_sitter::Language {
    &grammar::Grammar::get().language
}

/// Lowers a file; `None` where the budget ended. A file that costs more to parse than one of its length may says
/// nothing but that it has errors.
pub(in crate::syntax) fn read(source: &str, budget: &Budget) -> Option<LoweredFile> {
    Some(lowered(source, false, budget)?.file)
}

/// Lowers a file as [`read`] does, and keeps its tree and the position of each use.
pub(in crate::syntax) fn read_positioned(source: &str, budget: &Budget) -> Option<PositionedFile> {
    lowered(source, true, budget)
}

fn lowered(source: &str, keeps_positions: bool, budget: &Budget) -> Option<PositionedFile> {
    let grammar = grammar::Grammar::get();
    let tree = match parse(&grammar.language, source, budget) {
        Parsed::Tree(tree) => tree,
        Parsed::Ended => return None,
        Parsed::TooHard => {
            let mut file = LoweredFile::default();
            file.facts.family = Family::Python;
            file.facts.has_errors = true;
            return Some(PositionedFile {
                grammar,
                tree: None,
                file,
            });
        }
    };
    let root = tree.root_node();
    let mut lowering = lowering::Lowering::new(source, grammar);
    lowering.keeps_positions = keeps_positions;
    lowering.declare_module(root);
    if budget.is_spent() {
        return None;
    }
    lowering.order_symbols();
    lowering.find_type_params();
    lowering.record_uses(root, budget)?;
    lowering.lower_bindings();
    let file = lowering.finish(root.has_error());
    Some(PositionedFile {
        grammar,
        tree: Some(tree),
        file,
    })
}
