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
use walk::Walk;

use super::parse::{Parsed, parse};
use crate::model::Budget;

/// Returns what a script says; `None` where the budget ended. A script that costs more to parse than one of
/// its length may says nothing but that it has errors.
pub(super) fn read(dialect: Dialect, source: &str, budget: &Budget) -> Option<Script> {
    let grammar = Grammar::of(dialect);
    let tree = match parse(grammar, source, budget) {
        Parsed::Tree(tree) => tree,
        Parsed::Ended => return None,
        Parsed::TooHard => {
            let mut script = Script::default();
            script.facts.has_errors = true;
            return Some(script);
        }
    };
    let tree = if tree.root_node().has_error() {
        ended::reread(grammar, source, budget).unwrap_or(tree)
    } else {
        tree
    };
    let mut walk = Walk::new(source, grammar);
    let root = tree.root_node();
    let complete = walk.run(root, budget);
    let has_errors = root.has_error();
    drop(tree);
    complete.then(|| walk.finish(has_errors))
}
