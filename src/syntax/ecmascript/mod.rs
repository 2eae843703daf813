//! Facts of TypeScript and JavaScript, with and without JSX.
//!
//! Knows the languages' definitions, modules (their own and CommonJS) and scopes. Refuses to know other
//! files and how a file is cut into chunks.

mod assigned;
mod brackets;
mod calls;
mod commonjs;
mod declare;
mod ended;
mod expected;
mod exports;
mod finish;
mod functions;
mod generics;
mod hints;
mod imports;
mod jsdoc;
pub(super) mod kinds;
mod literal_types;
mod literals;
mod members;
mod occurrences;
mod offers;
mod origin;
mod patterns;
mod results;
mod role;
mod settle;
mod settled;
mod types;
mod uses;
mod values;
mod walk;
mod worth;

pub(super) use finish::Script;
use kinds::{Dialect, Grammar};
pub(super) use occurrences::PositionedScript;
use walk::Walk;

use super::parse::{Parsed, parse};
use crate::model::Budget;

/// Returns what a script says; `None` where the budget ended. A script that costs more to parse than one of
/// its length may says nothing but that it has errors.
pub(super) fn read(dialect: Dialect, source: &str, budget: &Budget) -> Option<Script> {
    let grammar = Grammar::of(dialect);
    let tree = match tree(grammar, source, budget) {
        Parsed::Tree(tree) => tree,
        Parsed::Ended => return None,
        Parsed::TooHard => return Some(Script::unreadable()),
    };
    let mut walk = Walk::new(source, grammar);
    let is_whole = walk.run(tree.root_node(), budget);
    let has_errors = tree.root_node().has_error();
    drop(tree);
    is_whole.then(|| walk.finish(has_errors))
}

/// Reads a script as [`read`] does, with the position of each use, and keeps its tree.
pub(super) fn read_positioned(
    dialect: Dialect,
    source: &str,
    budget: &Budget,
) -> Option<PositionedScript> {
    let grammar = Grammar::of(dialect);
    let tree = match tree(grammar, source, budget) {
        Parsed::Tree(tree) => tree,
        Parsed::Ended => return None,
        Parsed::TooHard => return Some(PositionedScript::unreadable(grammar)),
    };
    let mut walk = Walk::new(source, grammar);
    walk.keeps_positions = true;
    if !walk.run(tree.root_node(), budget) {
        return None;
    }
    let script = walk.finish(tree.root_node().has_error());
    Some(PositionedScript {
        grammar,
        tree: Some(tree),
        script,
    })
}

/// Parses a script, a second time where the grammar could not read it as it is written; see `ended`.
fn tree(grammar: &'static Grammar, source: &str, budget: &Budget) -> Parsed {
    let parsed = parse(grammar, source, budget);
    if let Parsed::Tree(tree) = &parsed
        && tree.root_node().has_error()
        && let Some(again) = ended::reread(grammar, source, budget)
    {
        return Parsed::Tree(again);
    }
    parsed
}
