//! Facts of TypeScript and JavaScript, with and without JSX.
//!
//! Knows the languages' definitions, modules (their own and CommonJS) and scopes. Refuses to know other
//! files and how a file is cut into chunks.

mod angular;
mod assigned;
mod calls;
mod commonjs;
mod declare;
mod doc_types;
mod ended;
mod expected;
mod exports;
mod exprs;
mod finish;
mod follow;
mod functions;
mod generics;
mod hints;
mod imports;
mod jsdoc;
pub(in crate::syntax) mod kinds;
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
mod types;
mod uses;
mod values;
mod vue_options;
mod walk;
mod worth;

pub(in crate::syntax) use finish::{PositionedUse, Script};
use kinds::{Dialect, Grammar};
pub(in crate::syntax) use occurrences::PositionedScript;
pub(in crate::syntax) use vue_options::{VueMember, VueOptions};
use walk::Walk;

use tree_sitter::Tree;

use crate::model::Budget;
use crate::syntax::parse::{Parsed, parse};

/// Returns what a script says; `None` where the budget ended. A script that costs more to parse than one of
/// its length may says nothing but that it has errors.
pub(in crate::syntax) fn read(dialect: Dialect, source: &str, budget: &Budget) -> Option<Script> {
    let grammar = Grammar::of(dialect);
    let tree = match tree(grammar, source, budget) {
        Parsed::Tree(tree) => tree,
        Parsed::Ended => return None,
        Parsed::TooHard => return Some(Script::unreadable()),
    };
    let mut walk = Walk::new(source, grammar);
    let is_whole = walk.run(tree.root_node(), budget);
    if !is_whole {
        return None;
    }
    let mut script = walk.finish(tree.root_node().has_error());
    angular::directives(grammar, source, tree.root_node(), &mut script);
    Some(script)
}

/// How a script is read beside its facts.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::syntax) struct ReadOptions {
    /// Keep the position of each use.
    pub(in crate::syntax) keeps_positions: bool,
    /// Keep the names that the file binds.
    pub(in crate::syntax) keeps_names: bool,
    /// `$a` is a use of `a`.
    pub(in crate::syntax) has_stores: bool,
}

/// Reads a script as [`read`] does, and keeps its tree.
pub(in crate::syntax) fn read_positioned(
    dialect: Dialect,
    source: &str,
    options: ReadOptions,
    budget: &Budget,
) -> Option<PositionedScript> {
    let grammar = Grammar::of(dialect);
    let tree = match tree(grammar, source, budget) {
        Parsed::Tree(tree) => tree,
        Parsed::Ended => return None,
        Parsed::TooHard => return Some(PositionedScript::unreadable(grammar)),
    };
    let mut walk = Walk::new(source, grammar);
    walk.keeps_positions = options.keeps_positions;
    walk.keeps_names = options.keeps_names;
    walk.has_stores = options.has_stores;
    finished(walk, tree, budget)
}

fn finished(mut walk: Walk<'_>, tree: Tree, budget: &Budget) -> Option<PositionedScript> {
    let grammar = walk.grammar;
    if !walk.run(tree.root_node(), budget) {
        return None;
    }
    let source = walk.source;
    let mut script = walk.finish(tree.root_node().has_error());
    angular::directives(grammar, source, tree.root_node(), &mut script);
    Some(PositionedScript {
        grammar,
        tree: Some(tree),
        script,
    })
}

/// The code of a template.
#[derive(Clone, Copy, Debug)]
pub(in crate::syntax) struct TemplateRequest<'a> {
    /// The code, in TypeScript.
    pub(in crate::syntax) source: &'a str,
    /// The names that the scripts of its file bind.
    pub(in crate::syntax) names: &'a [String],
    /// First bytes of the names that are elements, in order.
    pub(in crate::syntax) elements: &'a [usize],
    /// Keep the position of each use.
    pub(in crate::syntax) keeps_positions: bool,
    /// `$a` is a use of `a`.
    pub(in crate::syntax) has_stores: bool,
    /// Names that nobody binds are members of an instance, also where they begin a chain.
    pub(in crate::syntax) has_instance: bool,
}

/// Reads the code of a template; `None` where the budget ended.
pub(in crate::syntax) fn read_template(
    request: &TemplateRequest<'_>,
    budget: &Budget,
) -> Option<PositionedScript> {
    let grammar = Grammar::of(Dialect::TypeScript);
    let tree = match parse(&grammar.language, request.source, budget) {
        Parsed::Tree(tree) => tree,
        Parsed::Ended => return None,
        Parsed::TooHard => return Some(PositionedScript::unreadable(grammar)),
    };
    let mut walk = Walk::new(request.source, grammar);
    walk.keeps_positions = request.keeps_positions;
    walk.has_stores = request.has_stores;
    walk.scopes.is_open = request.has_instance;
    walk.elements = request.elements;
    for name in request.names {
        walk.scopes.bind(name, 0, true);
    }
    finished(walk, tree, budget)
}

/// Whether code of TypeScript has no error; `None` where the budget ended.
pub(in crate::syntax) fn is_readable(source: &str, budget: &Budget) -> Option<bool> {
    match parse(&Grammar::of(Dialect::TypeScript).language, source, budget) {
        Parsed::Tree(tree) => Some(!tree.root_node().has_error()),
        Parsed::TooHard => Some(false),
        Parsed::Ended => None,
    }
}

/// Parses a script, a second time where the grammar could not read it as it is written; see `ended`.
fn tree(grammar: &'static Grammar, source: &str, budget: &Budget) -> Parsed {
    let parsed = parse(&grammar.language, source, budget);
    if let Parsed::Tree(tree) = &parsed
        && tree.root_node().has_error()
        && let Some(again) = ended::reread(grammar, source, budget)
    {
        return Parsed::Tree(again);
    }
    parsed
}
