//! Objects whose members are exports, and calls that define properties.
//!
//! Knows `module.exports = {…}`, `Object.assign`, `Object.defineProperty`. Refuses to know assignments.

use tree_sitter::Node;

use super::commonjs::{is_path, kind_of};
use super::declare::Definition;
use super::kinds::Kind;
use super::role::Place;
use super::walk::{Frame, Outer, Walk, line_of, span_of};
use super::worth::Worth;
use crate::ir::{Export, ExportKind};
use crate::model::SymbolKind;
use crate::syntax::scope::ScopeKind;
use crate::syntax::signature;

impl<'a> Walk<'a> {
    /// `key: value`, `m() {}` or `...require('m')` in `module.exports = {…}`.
    pub(super) fn export_member(&mut self, node: Node<'_>, frame: &mut Frame) {
        let fields = self.grammar.fields;
        let value = node.child_by_field_id(fields.value);
        let key = node
            .child_by_field_id(fields.key)
            .or_else(|| node.child_by_field_id(fields.name));
        let worth = value.map_or(Worth::Other, |value| self.worth(value));
        frame.place = Place::None;
        let mut method = None;
        if let Some(key_node) = key
            && let Some(name) = self.key(key_node)
        {
            if let Worth::Name(local) = worth {
                self.export_name(&name, self.text(local), node);
            } else {
                let outer = Outer {
                    span: span_of(node),
                    exported: true,
                    mark: self.uses.len(),
                    ..Outer::default()
                };
                let is_method = frame.kind == Kind::MethodDefinition;
                let kind = if is_method {
                    SymbolKind::Function
                } else {
                    kind_of(worth)
                };
                let mut definition = Definition::new(&name, kind, line_of(key_node), 0);
                definition.signature = match value {
                    Some(value) => self.assigned_signature(key_node, value, worth),
                    None => self.signature_of(node),
                };
                if value.is_some() && !matches!(worth, Worth::Function(_) | Worth::Class(_)) {
                    let found = self.written(None, value, node.start_byte());
                    self.member_hint(0, &name, found, frame);
                }
                let defined = self.define(definition, &outer, frame);
                if let Some(symbol) = defined {
                    frame.place = Place::Value(frame.naming);
                    self.own_body(worth, symbol);
                }
                self.export_name(&name, &name, node);
                method = defined.filter(|_| is_method);
            }
        }
        if frame.kind == Kind::MethodDefinition {
            frame.place = Place::None;
            self.open(frame, ScopeKind::Function);
            self.enter_function(node, method, frame);
        }
    }

    /// `...require('m')` in `module.exports = {…}`
    pub(super) fn export_spread(&mut self, node: Node<'_>) {
        let module = node.named_child(0).and_then(|call| self.module_call(call));
        if let Some((_, specifier, line)) = module {
            self.exports.push(Export {
                kind: ExportKind::Star,
                name: "*".to_owned(),
                local: "*".to_owned(),
                specifier: specifier.to_owned(),
                type_only: false,
                line,
            });
        }
    }

    /// Records that `local` is exported as `name`.
    pub(super) fn export_name(&mut self, name: &str, local: &str, node: Node<'_>) {
        self.offer(name, local, line_of(node));
    }

    /// Records that `local` is exported as `name`, at a line.
    pub(super) fn offer(&mut self, name: &str, local: &str, line: u32) {
        self.offered.insert(local.to_owned());
        self.exports.push(Export {
            kind: ExportKind::Local,
            name: name.to_owned(),
            local: local.to_owned(),
            specifier: String::new(),
            type_only: false,
            line,
        });
    }

    /// Returns what `require('m')` or `require('m').a` names, with the module.
    pub(super) fn member_of_module(&self, module: Node<'_>) -> Option<(&'a str, &'a str)> {
        if let Some((_, specifier, _)) = self.module_call(module) {
            return Some(("*", specifier));
        }
        let (_, specifier, _) = self.module_call(module.child(0)?)?;
        let property = module.child_by_field_id(self.grammar.fields.property)?;
        Some((self.text(property), specifier))
    }

    /// `Object.assign(exports, {…})`, `Object.defineProperty(a, 'b', …)`, `defineGetter(a, 'b', …)`
    pub(super) fn defining_call(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
        let fields = self.grammar.fields;
        let callee = node.child(0).map_or("", |callee| self.text(callee));
        let is_assign = callee == "Object.assign";
        let defines = matches!(
            callee,
            "Object.defineProperty"
                | "Reflect.defineProperty"
                | "defineGetter"
                | "__defineGetter__"
        );
        if !(is_assign || defines) {
            return;
        }
        let Some(arguments) = node.child_by_field_id(fields.arguments) else {
            return;
        };
        let Some(object) = arguments.named_child(0).map(|object| self.text(object)) else {
            return;
        };
        let is_exports = matches!(object, "exports" | "module.exports");
        if is_assign {
            if is_exports {
                frame.place = Place::Exports;
            }
            return;
        }
        let name_node = arguments.named_child(1);
        let Some((name_node, name)) = name_node.and_then(|n| Some((n, self.literal(n)?))) else {
            return;
        };
        let is_name = name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
        if name == "__esModule" || !is_name || !(is_exports || is_path(object)) {
            return;
        }
        let mut outer = self.statement(node, parent);
        outer.exported = is_exports;
        let naming = if is_exports {
            0
        } else {
            self.path_naming(object, frame)
        };
        let kind = if is_exports {
            SymbolKind::Constant
        } else {
            SymbolKind::Property
        };
        let mut definition = Definition::new(name, kind, line_of(name_node), naming);
        definition.member = !is_exports;
        let near = self.text(node).lines().next().unwrap_or_default();
        definition.signature = signature::of_head(near);
        let defined = self.define(definition, &outer, frame);
        if defined.is_some() && is_exports {
            self.offer(name, name, outer.span.start_line);
        }
        if let Some(callee) = node.child(0).filter(|_| defined.is_some()) {
            self.callee_of_definition(callee, parent);
        }
    }
}
