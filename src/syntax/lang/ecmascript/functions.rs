//! Functions and classes, as statements and as values.
//!
//! Knows whose name such a value takes and whose `this` is inside. Refuses to know what a function returns.

use tree_sitter::Node;

use super::declare::Definition;
use super::kinds::Kind;
use super::role::Place;
use super::walk::{Frame, Walk, line_of};
use crate::model::SymbolKind;
use crate::syntax::scope::ScopeKind;

impl Walk<'_> {
    /// `function f() {}`, `function f();`
    pub(super) fn function(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
        let (name, line) = self.name_of(node).unwrap_or(("default", line_of(node)));
        let outer = self.statement(node, parent);
        self.scopes.bind(name, frame.scope, true);
        let overload = frame.kind == Kind::FunctionSignature && !outer.ambient;
        let n_before = self.drafts.len();
        let mut definition = Definition::new(name, SymbolKind::Function, line, frame.naming);
        definition.signature = self.signature_of(node);
        definition.overload = overload;
        let scope = frame.scope;
        let defined = self.define(definition, &outer, frame);
        if let Some(symbol) = defined {
            self.scopes.bound_symbol(symbol);
        }
        // An implementation takes the place of its overloads, and their export is its own.
        if self.drafts.len() > n_before && !self.is_repeated_overload(n_before, overload) {
            self.export_local(&outer, scope, name, false);
        }
        self.open(frame, ScopeKind::Function);
        self.enter_function(node, defined, frame);
    }

    fn is_repeated_overload(&self, index: usize, overload: bool) -> bool {
        overload
            && index > 0
            && self.drafts[index - 1].overload
            && self.drafts[index - 1].symbol.qualified_name
                == self.drafts[index].symbol.qualified_name
    }

    /// A function as a value: its symbol is that of the name it is bound to, if any.
    pub(super) fn function_value(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
        let own = match frame.kind {
            Kind::ArrowFunction => None,
            _ => self.name_of(node),
        };
        let outside = *frame;
        let mut symbol = self.bodies.remove(&node.id());
        self.open(frame, ScopeKind::Function);
        if let Some((name, line)) = own {
            let returned = outside.place == Place::Returned && outside.symbol.is_some();
            if returned {
                let outer = self.statement(
                    node,
                    &Frame {
                        outer: 0,
                        ..*parent
                    },
                );
                let kind = SymbolKind::Function;
                let mut definition = Definition::new(name, kind, line, outside.naming);
                definition.signature = self.signature_of(node);
                symbol = self.define(definition, &outer, frame).or(symbol);
            }
            self.scopes.bind(name, frame.scope, symbol.is_some());
            if let Some(symbol) = symbol {
                self.scopes.bound_symbol(symbol);
            }
        }
        if frame.kind != Kind::ArrowFunction && self.has_own_this(node, symbol, parent) {
            self.scopes.bind("this", frame.scope, false);
        }
        self.take_expected(node, frame.scope, &outside);
        self.enter_function(node, symbol, frame);
    }

    /// Returns whether `this` in a function is something that only who calls it knows.
    fn has_own_this(&self, node: Node<'_>, symbol: Option<u32>, parent: &Frame) -> bool {
        let rest = self.between(
            node.end_byte(),
            (node.end_byte() + 40).min(self.source.len()),
        );
        let given = rest.trim_start_matches([',', ' ', '\n', '\t']);
        let bound = given.starts_with("this") || given.starts_with(".bind(this");
        symbol.is_none()
            && !bound
            && matches!(
                parent.kind,
                Kind::Arguments | Kind::Pair | Kind::ReturnStatement
            )
    }

    /// `class C {}`, as a statement or as a value.
    pub(super) fn class(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
        let own = self.name_of(node);
        let is_value = frame.kind == Kind::ClassExpression;
        if let Place::Value(naming) = frame.place
            && is_value
        {
            // `const C = class {}`: the name's symbol is the class.
            self.namings[naming as usize].members = true;
            frame.naming = naming;
            self.open(frame, ScopeKind::Block);
            if let Some((name, _)) = own {
                self.scopes.bind(name, frame.scope, frame.symbol.is_some());
                self.scopes.bound_symbol(frame.symbol.unwrap_or(u32::MAX));
            }
            if let Some(symbol) = frame.symbol {
                self.bases(node, symbol, frame);
            }
            return;
        }
        let (name, line) = match own {
            Some(own) => own,
            None if !is_value => ("default", line_of(node)),
            None => {
                self.open(frame, ScopeKind::Block);
                self.scopes.bind("this", frame.scope, false);
                return;
            }
        };
        let outer = self.statement(node, if is_value { frame } else { parent });
        let scope = frame.scope;
        if !is_value {
            self.scopes.bind(name, scope, true);
        }
        let mut definition = Definition::new(name, SymbolKind::Class, line, frame.naming);
        definition.signature = self.signature_of(node);
        let defined = self.define(definition, &outer, frame);
        if let Some(symbol) = defined {
            self.namings[frame.naming as usize].members = true;
            if !is_value {
                self.scopes.bound_symbol(symbol);
            }
            self.export_local(&outer, scope, name, false);
        }
        self.open(frame, ScopeKind::Block);
        if is_value {
            self.scopes.bind(name, frame.scope, defined.is_some());
        }
        if let Some(symbol) = defined {
            if is_value {
                self.scopes.bound_symbol(symbol);
            }
            self.bases(node, symbol, frame);
        }
    }
}
