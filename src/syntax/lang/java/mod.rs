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
mod lowering;
mod modules;
mod occurrences;
mod symbols;
mod synthetic;
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

/// The grammar of Java.
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
            file.facts.family = Family::Java;
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
    lowering.lower_file(root, budget)?;
    let file = lowering.finish(root.has_error());
    Some(PositionedFile {
        grammar,
        tree: Some(tree),
        file,
    })
}
