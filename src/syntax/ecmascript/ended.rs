//! Signatures that end with their line: what the grammar reads as one with the next.
//!
//! Refuses to judge a tree beyond whether it has errors.

use tree_sitter::Tree;

use super::kinds::Grammar;
use crate::model::Budget;
use crate::syntax::parse::{Parsed, parse};

/// Returns the tree of a script in which call signatures stand below each other without a `;`, where that is what
/// keeps it from being read: `(a: A): [A]` and `<B>(b: B): [B]` in the next line are to the parser one type with an
/// index. Places are those of the script itself.
pub(super) fn reread(grammar: &Grammar, source: &str, budget: &Budget) -> Option<Tree> {
    let ended = with_ends(source)?;
    match parse(grammar, &ended, budget) {
        Parsed::Tree(tree) if !tree.root_node().has_error() => Some(tree),
        _ => None,
    }
}

/// Returns the source with a `;` in the place of the blank that begins a line, where that line goes on with `<` and
/// the one before ends with `]`; `None` where there is no such line.
fn with_ends(source: &str) -> Option<String> {
    let mut out = String::with_capacity(source.len());
    let mut ends_with_bracket = false;
    let mut found = false;
    for line in source.split_inclusive('\n') {
        let inner = line.trim_start_matches([' ', '\t']);
        if ends_with_bracket && inner.len() < line.len() && inner.starts_with('<') {
            out.push(';');
            out.push_str(&line[1..]);
            found = true;
        } else {
            out.push_str(line);
        }
        if !inner.trim_end().is_empty() {
            ends_with_bracket = line.trim_end().ends_with(']');
        }
    }
    found.then_some(out)
}
