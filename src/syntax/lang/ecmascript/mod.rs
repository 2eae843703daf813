//! The front end of TypeScript and JavaScript, with and without JSX: from a syntax tree to the facts of a file.
//!
//! One file goes through these steps, here with `const s = new Store(); export const n = s.load().size`:
//!
//! 1. `reparse`: code that the grammar cannot read as it is written is parsed a second time with a few words replaced.
//! 2. `traverse`: each node is entered once. `identifier_role` says what it is to its parent (`s` is bound, `Store` is
//!    constructed, `load` is called); then the functions for its form record it in the [`builder::FileBuilder`]:
//!    - symbols: `declarations`, `functions`, `classes`, `members`, `variables`, and by assignment `commonjs` and
//!      `object_exports` (here the constants `s` and `n`);
//!    - imports and exports: `imports`, `exports`;
//!    - evidence for the values of names: `bindings`, `parameters`, `patterns`, `signatures`, `type_params`,
//!      `assignments`, `object_literals`, `object_types`, and `jsdoc` for comments (here `s` is bound to `new Store()`);
//!    - contextual types of functions and objects: `contextual_types`;
//!    - uses: `references` (here `Store`, `load` and `size`, with the expressions before their dots).
//!
//!    Those call `lower_expr`, which calls `doc_types` and `lower_type`, never back. Expressions are put together by
//!    `expr_builder`; `nodes` and `names` read small forms, `builtins` has the names of the language.
//! 3. `finish`: uses of local names are replaced by the values of these, `resolve_locals` choosing among several pieces of
//!    evidence, and what is left is the facts (a local `s` would make `load` a member of `new Store()`).
//! 4. `angular` adds the directives of classes; `vue_options` and `occurrences` read the tree for `component` and for
//!    searches later.

mod angular;
mod assignments;
mod bindings;
mod builder;
mod builtins;
mod classes;
mod commonjs;
mod contextual_types;
mod declarations;
mod doc_names;
mod doc_types;
mod endpoints;
mod exports;
mod expr_builder;
mod finish;
mod frame;
mod functions;
mod identifier_role;
mod imports;
mod initializers;
mod jsdoc;
mod jsx;
pub(in crate::syntax) mod kinds;
mod lower_expr;
mod lower_type;
mod member_uses;
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
mod reparse;
mod resolve_exprs;
mod resolve_locals;
mod signatures;
mod traverse;
mod type_params;
mod variables;
mod vue_options;

pub(in crate::syntax) use angular::{HostBinding, InlineTemplate};
use builder::FileBuilder;
pub(in crate::syntax) use finish::{LoweredScript, PositionedUse};
use kinds::{Dialect, Grammar};
pub(in crate::syntax) use occurrences::PositionedScript;
pub(in crate::syntax) use vue_options::{VueMember, VueOptions};

use super::implicit_calls::ImplicitCalls;
use crate::ir::FileFacts;
use crate::model::{Budget, SymbolKind};
use crate::syntax::parse::{Parsed, parse};

/// The calls that no source writes.
pub(in crate::syntax) const IMPLICIT: ImplicitCalls = ImplicitCalls {
    plain_annotations: Some(&["deprecated", "override", "readonly"]),
    by_name: |symbol| match (symbol.kind, symbol.name.as_str()) {
        (SymbolKind::Method, "toJSON" | "toString" | "valueOf") => {
            Some("a method that the language and its library call")
        }
        (
            SymbolKind::Method,
            "adoptedCallback"
            | "attributeChangedCallback"
            | "connectedCallback"
            | "disconnectedCallback",
        ) => Some("a method that the browser calls"),
        _ => None,
    },
};

/// Adds the endpoints of a script to the facts of its file; `source` is the text that it was parsed from.
pub(in crate::syntax) fn add_endpoints(
    source: &str,
    parsed: &PositionedScript,
    facts: &mut FileFacts,
) {
    if let Some(tree) = &parsed.tree {
        endpoints::add(source, tree.root_node(), facts);
    }
}

/// How a script is read beside its facts.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::syntax) struct ReadOptions {
    /// Keep the position of each use.
    pub(in crate::syntax) keeps_positions: bool,
    /// It is a block of a component: a module, of which the names that it binds are kept.
    pub(in crate::syntax) is_component: bool,
    /// `$a` is a use of `a`.
    pub(in crate::syntax) has_stores: bool,
}

/// Lowers a script; `None` where the budget ended. A script that costs more to parse than one of its length may has no
/// facts but that it has errors.
pub(in crate::syntax) fn read_positioned(
    dialect: Dialect,
    source: &str,
    options: ReadOptions,
    budget: &Budget,
) -> Option<PositionedScript> {
    let grammar = Grammar::of(dialect);
    let mut builder = FileBuilder::new(source, grammar);
    builder.keeps_positions = options.keeps_positions;
    builder.keeps_names = options.is_component;
    builder.has_stores = options.has_stores;
    builder.is_module = options.is_component;
    lower(builder, tree(grammar, source, budget), budget)
}

/// Walks a tree and finishes the facts; `None` where the budget ended.
fn lower(
    mut builder: FileBuilder<'_>,
    parsed: Parsed,
    budget: &Budget,
) -> Option<PositionedScript> {
    let (grammar, source) = (builder.grammar, builder.source);
    let tree = match parsed {
        Parsed::Tree(tree) => tree,
        Parsed::Ended => return None,
        Parsed::TooHard => return Some(PositionedScript::unreadable(grammar)),
    };
    if !traverse::traverse(&mut builder, tree.root_node(), budget) {
        return None;
    }
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
    /// Unresolved names are members of an instance, roots of chains among them.
    pub(in crate::syntax) has_instance: bool,
}

/// Reads the code of a template; `None` where the budget ended.
pub(in crate::syntax) fn read_template(
    request: &TemplateRequest<'_>,
    budget: &Budget,
) -> Option<PositionedScript> {
    let grammar = Grammar::of(Dialect::TypeScript);
    let mut builder = FileBuilder::new(request.source, grammar);
    builder.keeps_positions = request.keeps_positions;
    builder.has_stores = request.has_stores;
    builder.scopes.is_open = request.has_instance;
    builder.elements = request.elements;
    for name in request.names {
        builder.scopes.bind(name, 0, true);
    }
    let parsed = parse(&grammar.language, request.source, budget);
    lower(builder, parsed, budget)
}

/// Whether code of TypeScript has no error; `None` where the budget ended.
pub(in crate::syntax) fn is_readable(source: &str, budget: &Budget) -> Option<bool> {
    match parse(&Grammar::of(Dialect::TypeScript).language, source, budget) {
        Parsed::Tree(tree) => Some(!tree.root_node().has_error()),
        Parsed::TooHard => Some(false),
        Parsed::Ended => None,
    }
}

/// Parses a script, a second time where the grammar could not read it as it is written; see `reparse`.
fn tree(grammar: &'static Grammar, source: &str, budget: &Budget) -> Parsed {
    let parsed = parse(&grammar.language, source, budget);
    if let Parsed::Tree(tree) = &parsed
        && tree.root_node().has_error()
        && let Some(again) = reparse::reread(grammar, source, tree, budget)
    {
        return Parsed::Tree(again);
    }
    parsed
}
