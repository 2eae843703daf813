//! Names that are bound to values: `const`, `let`, `var`.
//!
//! Knows which values make a name worth a symbol. Refuses to know how CommonJS exports one.

use tree_sitter::Node;

use super::declare::Definition;
use super::kinds::Kind;
use super::role::{Mode, Place};
use super::walk::{Frame, Outer, Walk, line_of};
use super::worth::Worth;
use crate::ir::{ImportKind, ImportedName};
use crate::model::SymbolKind;
use crate::syntax::scope::ScopeKind;
use crate::syntax::signature;

/// Names that a pattern may bind as definitions.
const PATTERN_NAMES: usize = 500;
/// Patterns inside patterns that are looked at.
const PATTERN_DEPTH: usize = 32;

impl<'a> Walk<'a> {
    /// `const a = 1, b = 2;`: the statement around its declarators.
    pub(super) fn declaration(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
        let mut outer = self.statement(node, parent);
        let keyword = node.child(0).map(|word| self.text(word));
        outer.constant = keyword == Some("const") || frame.kind == Kind::UsingDeclaration;
        let mut n_declarators = 0;
        for at in 0..node.named_child_count().min(8) {
            let child = u32::try_from(at).ok().and_then(|at| node.named_child(at));
            n_declarators += usize::from(
                child.is_some_and(|c| self.grammar.kind(c) == Kind::VariableDeclarator),
            );
        }
        outer.shared = n_declarators > 1;
        frame.mode = match frame.kind {
            Kind::VariableDeclaration => Mode::BindVar,
            _ => Mode::Bind,
        };
        frame.outer = self.push_outer(outer);
    }

    /// `a = 1` in a declaration.
    pub(super) fn declarator(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
        frame.mode = parent.mode;
        let fields = self.grammar.fields;
        let Some(name_node) = node.child_by_field_id(fields.name) else {
            return;
        };
        let value = node.child_by_field_id(fields.value);
        let worth = value.map_or(Worth::Other, |value| self.worth(value));
        let target = if parent.mode == Mode::BindVar {
            self.scopes.hoisted(frame.scope)
        } else {
            frame.scope
        };
        let top = self.scopes.kind(target) == ScopeKind::Top;
        let outer = self.statement(node, parent);
        let is_name = self.grammar.kind(name_node) == Kind::Identifier;
        let written = node.child_by_field_id(fields.type_);
        let is_local = is_name && !top;
        let is_literal_type = is_local && self.is_only_literal_type(written);
        let is_literal = is_literal_type
            || is_local
                && written.is_none()
                && value.is_some_and(|it| self.bare_object(it).is_some());
        if !(is_literal || top && matches!(worth, Worth::Module(m) if self.is_require(m))) {
            let start = if outer.shared {
                node.start_byte()
            } else {
                outer.span.start_byte as usize
            };
            let found = self.written(written, value, start);
            self.bound(name_node, found, target, parent);
        }
        self.expect_written(written, value);
        if let Worth::Module(module) = worth {
            let is_require = self.bind_module(module, (name_node, is_name), top);
            if is_require || !is_name {
                if is_name {
                    self.scopes.bind(self.text(name_node), target, false);
                }
                if !(outer.exported && top) {
                    return;
                }
            }
        }
        if !is_name {
            if top {
                self.pattern(name_node, &outer, frame);
            }
            return;
        }
        let name = self.text(name_node);
        let (kind, body) = self.kind_of_value(worth, top, outer.constant);
        let is_symbol = top || body.is_some();
        self.scopes.bind(name, target, is_symbol);
        if !is_symbol {
            let own = if is_literal {
                self.local_literal(name, target, frame)
            } else {
                None
            };
            if let Worth::Object(_) = worth {
                let naming = own.unwrap_or_else(|| self.subnaming(frame.naming, name));
                self.namings[naming as usize].members = false;
                frame.place = Place::Value(naming);
            } else if is_literal_type {
                frame.place = own.map_or(Place::None, Place::Within);
            }
            return;
        }
        let keyword = if outer.constant {
            "const "
        } else if parent.mode == Mode::BindVar {
            "var "
        } else {
            "let "
        };
        let mut definition = Definition::new(name, kind, line_of(name_node), frame.naming);
        definition.signature = match (body, value) {
            (Some(body), Some(_)) => {
                let head = self.between(node.start_byte(), self.body_start(body));
                signature::of_head(&format!("{keyword}{head}"))
            }
            _ => self.value_signature(node, &name_node, keyword),
        };
        let scope = frame.scope;
        if let Some(symbol) = self.define(definition, &outer, frame) {
            self.scopes.bound_symbol(symbol);
            self.own_body(worth, symbol);
            self.export_local(&outer, scope, name, false);
            frame.place = Place::Value(frame.naming);
        }
        if let Worth::Assignment(chain) = worth {
            self.declared_chain(chain, name);
        }
    }

    /// Says whose value a function is.
    pub(super) fn own_body(&mut self, worth: Worth<'_>, symbol: u32) {
        if let Worth::Function(body) | Worth::Wrapped(body) = worth {
            self.bodies.insert(body.id(), symbol);
        }
    }

    fn is_require(&self, module: Node<'_>) -> bool {
        let call = match self.grammar.kind(module) {
            Kind::MemberExpression => module.child(0).unwrap_or(module),
            _ => module,
        };
        matches!(self.module_call(call), Some((ImportKind::Require, ..)))
    }

    fn kind_of_value<'t>(
        &self,
        worth: Worth<'t>,
        top: bool,
        constant: bool,
    ) -> (SymbolKind, Option<Node<'t>>) {
        match worth {
            Worth::Function(body) => (SymbolKind::Function, Some(body)),
            Worth::Class(body) => (SymbolKind::Class, Some(body)),
            Worth::Wrapped(body) if top || self.is_known_wrapper(body) => {
                (SymbolKind::Function, Some(body))
            }
            _ if constant => (SymbolKind::Constant, None),
            _ => (SymbolKind::Variable, None),
        }
    }

    /// Returns the signature of a name bound to a value that is no function.
    pub(super) fn value_signature(&self, node: Node<'_>, name: &Node<'_>, keyword: &str) -> String {
        let from = if keyword.is_empty() {
            node.start_byte()
        } else {
            name.start_byte()
        };
        let text = if keyword.is_empty() {
            self.head(node, node.end_byte())
        } else {
            self.between(from, node.end_byte())
        };
        // The text ends where the node ends: what a decorator takes is gone from its front.
        let start = node.end_byte() - text.len();
        let type_node = node.child_by_field_id(self.grammar.fields.type_);
        let type_end = type_node.map(|t| t.end_byte().saturating_sub(start) + keyword.len());
        let near = &text[..text.floor_char_boundary(1_000)];
        let whole = format!("{keyword}{near}");
        signature::of_value(&whole, type_end.filter(|&end| end <= whole.len()))
    }

    /// Returns the text of a definition up to the body of its value, or all where that has none.
    pub(super) fn value_head(&self, node: Node<'_>, value: Node<'_>) -> &'a str {
        let end = match self.worth(value) {
            Worth::Function(body) | Worth::Wrapped(body) | Worth::Class(body) => {
                self.body_start(body)
            }
            _ => node.end_byte().min(node.start_byte() + 200),
        };
        let text = self.source.as_bytes();
        let end = (node.start_byte()..=end.min(text.len()))
            .rev()
            .find(|&at| self.source.is_char_boundary(at))
            .unwrap_or(end);
        self.between(node.start_byte(), end)
    }

    /// Every name that a destructuring at the top binds. What runs in its value belongs to none of them.
    fn pattern(&mut self, pattern: Node<'_>, outer: &Outer, frame: &Frame) {
        let kind = if outer.constant {
            SymbolKind::Constant
        } else {
            SymbolKind::Variable
        };
        let naming = frame.naming;
        let scope = frame.scope;
        for (_, local) in self.pattern_names(pattern) {
            let mut definition = Definition::new(self.text(local), kind, line_of(local), naming);
            let text = self.between(outer.span.start_byte as usize, outer.span.end_byte as usize);
            definition.signature = signature::of_value(text, None);
            let mut inside = *frame;
            self.define(definition, outer, &mut inside);
            self.export_local(outer, scope, self.text(local), false);
        }
    }

    /// Returns the names a pattern binds, each with the property it takes (empty where that is no name).
    pub(super) fn pattern_names<'t>(&self, pattern: Node<'t>) -> Vec<(&'a str, Node<'t>)> {
        let fields = &self.grammar.fields;
        let mut names = Vec::new();
        let mut open = vec![("", pattern, 0_usize)];
        while let Some((key, node, depth)) = open.pop() {
            if names.len() >= PATTERN_NAMES || depth > PATTERN_DEPTH {
                break;
            }
            match self.grammar.kind(node) {
                Kind::Identifier => names.push((key, node)),
                Kind::ShorthandPattern => names.push((self.text(node), node)),
                Kind::PairPattern => {
                    let key = node
                        .child_by_field_id(fields.key)
                        .map_or("", |key| self.text(key));
                    let value = node.child_by_field_id(fields.value);
                    open.extend(value.map(|value| (key, value, depth + 1)));
                }
                Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                    let left = node.child_by_field_id(fields.left);
                    open.extend(left.map(|left| (key, left, depth + 1)));
                }
                Kind::ObjectPattern | Kind::ArrayPattern | Kind::RestPattern => {
                    let mut cursor = node.walk();
                    let children: Vec<_> = node.named_children(&mut cursor).collect();
                    open.extend(
                        children
                            .into_iter()
                            .rev()
                            .map(|child| ("", child, depth + 1)),
                    );
                }
                _ => {}
            }
        }
        names
    }

    /// Records `const … = require('m')` with its names. Returns whether it is a `require`, whose name is
    /// that of the module rather than a definition of this file.
    fn bind_module(
        &mut self,
        module: Node<'_>,
        (name_node, is_name): (Node<'_>, bool),
        top: bool,
    ) -> bool {
        let (call, member) = match self.grammar.kind(module) {
            Kind::MemberExpression => (
                module.child(0).unwrap_or(module),
                module
                    .child_by_field_id(self.grammar.fields.property)
                    .map(|p| self.text(p)),
            ),
            _ => (module, None),
        };
        let Some((kind, specifier, line)) = self.module_call(call) else {
            return false;
        };
        let named = |imported: &str, local: &str| ImportedName {
            imported: imported.to_owned(),
            // What a function names for itself is nobody else's: its uses have it as a hint.
            local: if top { local } else { "" }.to_owned(),
            type_only: false,
        };
        let is_require = kind == ImportKind::Require;
        let names = match (is_name, member) {
            (true, Some(member)) => vec![named(member, self.text(name_node))],
            (true, None) if is_require => vec![named("*", self.text(name_node))],
            (false, None) => self
                .pattern_names(name_node)
                .into_iter()
                .filter(|(key, _)| !key.is_empty())
                .map(|(key, local)| named(key, self.text(local)))
                .collect(),
            _ => Vec::new(),
        };
        self.bound_call = Some(call.id());
        self.push_import(specifier, kind, line, names);
        is_require
    }
}
