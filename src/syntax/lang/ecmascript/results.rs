//! What functions return, and what calls hand to the functions they are given.
//!
//! Refuses to know what happens between the first line and the `return`.

use tree_sitter::Node;

use super::expected::Expected;
use super::hints::{Owner, Rank};
use super::kinds::Kind;
use super::walk::{Frame, Walk};
use crate::ir::{PathId, Slot};
use crate::model::SymbolKind;

/// Calls that hand each element of what stands before them to the function they are given.
const EACH: &[&str] = &[
    "forEach",
    "map",
    "filter",
    "some",
    "every",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "flatMap",
];
/// Calls that hand two elements at a time.
const PAIRS: &[&str] = &["sort", "toSorted"];
/// Calls that hand what they came to so far, then an element.
const FOLDS: &[&str] = &["reduce", "reduceRight"];

/// What is known of what a function returns.
#[derive(Clone, Debug, Default)]
pub(super) struct Returns<'a> {
    /// Who is told.
    owner: Option<Owner<'a>>,
    /// What is expected of it, as it is written.
    promised: Option<Expected>,
}

impl<'a> Walk<'a> {
    /// Enters a function that is `symbol`, or nobody's: `frame` is already that of its inside.
    pub(super) fn enter_function(
        &mut self,
        node: Node<'_>,
        symbol: Option<u32>,
        frame: &mut Frame,
    ) {
        let owner = symbol.map(|at| {
            let draft = &self.drafts[at as usize].symbol;
            let arena = &mut self.exprs.arena;
            let (owner, slot) = if draft.kind == SymbolKind::Property {
                (draft.parent, Slot::Member(arena.name(&draft.name)))
            } else {
                (Some(at), Slot::Return)
            };
            Owner::Member(owner, arena.path(PathId::EMPTY, slot))
        });
        let mut owner = owner.filter(|_| !self.is_setter(node, symbol));
        if self.grammar.untyped {
            let start = symbol.map_or(node.start_byte(), |at| {
                self.drafts[at as usize].symbol.span.start_byte as usize
            });
            self.jsdoc_function(node, start, &mut owner, frame);
        }
        let takes = |kind| {
            use SymbolKind::{Constructor, Function, Method};
            matches!(kind, Constructor | Function | Method)
        };
        if let Some(symbol) = symbol
            && takes(self.drafts[symbol as usize].symbol.kind)
        {
            self.signature_hints(node, symbol, frame);
            self.own_type_parameters(node, symbol, frame);
        }
        let written = node.child_by_field_id(self.grammar.fields.return_type);
        let promised = written.and_then(|written| self.expectation(written));
        if let Some(written) = written
            && let Some(owner) = owner.take()
        {
            let origin = self.of_type(written);
            self.hint(owner, origin, Rank::Written, frame);
        }
        if frame.kind == Kind::ArrowFunction
            && let Some(body) = node.child_by_field_id(self.grammar.fields.body)
            && self.grammar.kind(body) != Kind::StatementBlock
        {
            if let Some(promised) = &promised {
                self.expect(body, promised);
            }
            if let Some(owner) = &owner {
                self.result(body, owner.clone(), frame);
            }
        }
        let generates = match frame.kind {
            Kind::GeneratorFunction | Kind::GeneratorDeclaration => true,
            Kind::MethodDefinition => {
                let name = node.child_by_field_id(self.grammar.fields.name);
                name.is_some_and(|name| self.head(node, name.start_byte()).contains('*'))
            }
            _ => false,
        };
        self.results.push(if generates {
            Returns::default()
        } else {
            Returns { owner, promised }
        });
        frame.function = u32::try_from(self.results.len() - 1).unwrap_or(0);
    }

    fn is_setter(&self, node: Node<'_>, symbol: Option<u32>) -> bool {
        symbol.is_some_and(|at| {
            self.drafts[at as usize].symbol.kind == SymbolKind::Property
                && self
                    .head(node, node.end_byte())
                    .split(|c: char| c.is_whitespace() || c == '(')
                    .take_while(|word| !matches!(*word, "get"))
                    .take(4)
                    .any(|word| word == "set")
        })
    }

    /// A function without a body: what it returns is written or unknown.
    pub(super) fn declared_result(&mut self, node: Node<'_>, symbol: Option<u32>, frame: &Frame) {
        let written = node.child_by_field_id(self.grammar.fields.return_type);
        if let Some(symbol) = symbol {
            self.signature_hints(node, symbol, frame);
            self.own_type_parameters(node, symbol, frame);
        }
        if let (Some(written), Some(symbol)) = (written, symbol) {
            let path = self.exprs.arena.path(PathId::EMPTY, Slot::Return);
            let owner = Owner::Member(Some(symbol), path);
            let origin = self.of_type(written);
            self.hint(owner, origin, Rank::Written, frame);
        }
    }

    /// `return a`
    pub(super) fn returned(&mut self, node: Node<'_>, frame: &Frame) {
        let Some(returns) = self.results.get(frame.function as usize).cloned() else {
            return;
        };
        if let (Some(promised), Some(value)) = (returns.promised, node.named_child(0)) {
            self.expect(value, &promised);
        }
        let Some(owner) = returns.owner else {
            return;
        };
        let Some(value) = node.named_child(0).filter(|value| !self.is_nothing(*value)) else {
            return;
        };
        self.result(value, owner, frame);
    }

    /// What a function returns.
    fn result(&mut self, value: Node<'_>, owner: Owner<'a>, frame: &Frame) {
        if let (Some(object), Owner::Member(Some(symbol), path)) = (self.bare_object(value), &owner)
        {
            self.returned_literal(object, *symbol, *path, frame);
        } else {
            let origin = self.origin(value);
            self.hint(owner, origin, Rank::Initial, frame);
        }
    }

    /// `xs.forEach(x => …)`, `p.then(x => …)`: what the function is given.
    pub(super) fn handed(&mut self, call: Node<'_>) {
        let fields = &self.grammar.fields;
        let Some(callee) = call.child(0) else { return };
        if self.grammar.kind(callee) != Kind::MemberExpression {
            return;
        }
        let text = self.text(callee);
        let name = text.rsplit(['.', ' ', '\n']).next().unwrap_or_default();
        let Some(arguments) = call.child_by_field_id(fields.arguments) else {
            return;
        };
        let given = arguments
            .named_child(0)
            .filter(|given| self.grammar.kind(*given).is_function_value());
        let Some(given) = given else { return };
        let Some(origin) = callee.child(0).and_then(|object| self.origin(object)) else {
            return;
        };
        let element = Some(self.exprs.element(origin));
        let parameters = match name {
            "then" => vec![Some(origin)],
            _ if EACH.contains(&name) => vec![element],
            _ if PAIRS.contains(&name) => vec![element; 2],
            _ if FOLDS.contains(&name) => {
                let first = match arguments.named_child(1) {
                    Some(first) => self.origin(first),
                    None => element,
                };
                vec![first, element]
            }
            _ => return,
        };
        self.expected
            .insert(given.id(), Expected::Function(parameters));
    }
}
