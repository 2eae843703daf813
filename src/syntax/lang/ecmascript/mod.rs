//! Facts of TypeScript and JavaScript, with and without JSX.
//!
//! Knows the languages' definitions, modules (their own and CommonJS) and scopes. Refuses to know other
//! files and how a file is cut into chunks.

mod angular;
mod assignments;
mod bindings;
mod builder;
mod classes;
mod commonjs;
mod contextual_types;
mod declarations;
mod doc_types;
mod ended;
mod exports;
mod expr_builder;
mod finish;
mod frame;
mod functions;
mod identifier_role;
mod imports;
mod initializers;
mod jsdoc;
pub(in crate::syntax) mod kinds;
mod lower_expr;
mod lower_type;
mod members;
mod names;
mod nodes;
mod object_exports;
mod object_literals;
mod object_types;
mod occurrences;
mod parameters;
mod patterns;
mod pending;
mod references;
mod resolve_exprs;
mod resolve_locals;
mod signatures;
mod type_params;
mod variables;
mod vue_options;
mod walk;

use builder::FileBuilder;
pub(in crate::syntax) use finish::{PositionedUse, Script};
use kinds::{Dialect, Grammar};
pub(in crate::syntax) use occurrences::PositionedScript;
pub(in crate::syntax) use vue_options::{VueMember, VueOptions};

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
    let mut builder = FileBuilder::new(source, grammar);
    let is_whole = walk::walk(&mut builder, tree.root_node(), budget);
    if !is_whole {
        return None;
    }
    let mut script = finish::finish(builder, tree.root_node().has_error());
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
    let mut builder = FileBuilder::new(source, grammar);
    builder.keeps_positions = options.keeps_positions;
    builder.keeps_names = options.keeps_names;
    builder.has_stores = options.has_stores;
    finished(builder, tree, budget)
}

fn finished(mut builder: FileBuilder<'_>, tree: Tree, budget: &Budget) -> Option<PositionedScript> {
    let grammar = builder.grammar;
    if !walk::walk(&mut builder, tree.root_node(), budget) {
        return None;
    }
    let source = builder.source;
    let mut script = finish::finish(builder, tree.root_node().has_error());
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
    let mut builder = FileBuilder::new(request.source, grammar);
    builder.keeps_positions = request.keeps_positions;
    builder.has_stores = request.has_stores;
    builder.scopes.is_open = request.has_instance;
    builder.elements = request.elements;
    for name in request.names {
        builder.scopes.bind(name, 0, true);
    }
    finished(builder, tree, budget)
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
