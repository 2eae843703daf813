//! Exports of an object's members, `module.exports = { open }`, and calls that define one: `Object.defineProperty(exports, …)`.

use tree_sitter::Node;

use super::builder::{DeclarationContext, DefinitionForm, FileBuilder};
use super::frame::{AssignmentTarget, Frame, line_of};
use super::initializers::{self, Initializer, kind_of};
use super::kinds::Kind;
use super::names::is_path;
use super::pending::NamePlace;
use super::{bindings, commonjs, functions, nodes};
use crate::ir::{ExportKind, ReferenceKind};
use crate::model::SymbolKind;
use crate::syntax::scope::ScopeKind;
use crate::syntax::signature;

/// `key: value`, `m() {}` or `...require('m')` in `module.exports = {…}`.
pub(super) fn export_member(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &mut Frame) {
    let fields = b.grammar.fields;
    let value = node.child_by_field_id(fields.value);
    let key = node
        .child_by_field_id(fields.key)
        .or_else(|| node.child_by_field_id(fields.name));
    let initializer = value.map_or(Initializer::Other, |value| initializers::classify(b, value));
    frame.target = AssignmentTarget::None;
    let mut method = None;
    if let Some(key_node) = key
        && let Some(name) = nodes::property_key(b, key_node)
    {
        if let Initializer::Name(local) = initializer {
            b.export_as(&name, b.text(local), line_of(node));
        } else {
            let context = DeclarationContext {
                exported: true,
                ..b.own_context(node)
            };
            let is_method = frame.kind == Kind::MethodDefinition;
            let kind = if is_method {
                SymbolKind::Function
            } else {
                kind_of(initializer)
            };
            let mut definition = DefinitionForm::new(&name, kind, line_of(key_node), 0);
            definition.signature = match value {
                Some(value) => commonjs::assigned_signature(b, key_node, value, initializer),
                None => nodes::signature_of(b, node),
            };
            if value.is_some() && !initializer.is_function_or_class() {
                let found = bindings::evidence(b, None, value, node.start_byte());
                bindings::bind_member(b, 0, &name, found, frame);
            }
            let defined = b.define(definition, &context, frame);
            if let Some(symbol) = defined {
                frame.target = AssignmentTarget::Value(frame.enclosing);
                initializers::own_body(b, initializer, symbol);
            }
            b.export_as(&name, &name, line_of(node));
            method = defined.filter(|_| is_method);
        }
    }
    if frame.kind == Kind::MethodDefinition {
        frame.target = AssignmentTarget::None;
        b.open_scope(frame, ScopeKind::Function);
        functions::enter_function(b, node, method, frame);
    }
}

/// `...require('m')` in `module.exports = {…}`
pub(super) fn export_spread(b: &mut FileBuilder<'_>, node: Node<'_>) {
    let module = node
        .named_child(0)
        .and_then(|call| nodes::module_call(b, call));
    if let Some((_, specifier, line)) = module {
        b.add_export(ExportKind::Star, "*", "*", specifier, line);
    }
}

/// `Object.assign(exports, {…})`, `Object.defineProperty(a, 'b', …)`, `defineGetter(a, 'b', …)`
pub(super) fn defining_call(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    frame: &mut Frame,
    parent: &Frame,
) {
    let fields = b.grammar.fields;
    let callee = node.child(0).map_or("", |callee| b.text(callee));
    let is_assign = callee == "Object.assign";
    let defines = matches!(
        callee,
        "Object.defineProperty" | "Reflect.defineProperty" | "defineGetter" | "__defineGetter__"
    );
    if !(is_assign || defines) {
        return;
    }
    let Some(arguments) = node.child_by_field_id(fields.arguments) else {
        return;
    };
    let Some(object) = arguments.named_child(0).map(|object| b.text(object)) else {
        return;
    };
    let is_exports = matches!(object, "exports" | "module.exports");
    if is_assign {
        if is_exports {
            frame.target = AssignmentTarget::Exports;
        }
        return;
    }
    let name_node = arguments.named_child(1);
    let Some((name_node, name)) = name_node.and_then(|n| Some((n, nodes::string_literal(b, n)?)))
    else {
        return;
    };
    let is_name = name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    if name == "__esModule" || !is_name || !(is_exports || is_path(object)) {
        return;
    }
    let mut context = b.context_of(node, parent);
    context.exported = is_exports;
    let enclosing = if is_exports {
        0
    } else {
        commonjs::path_owner(b, object, frame)
    };
    let kind = if is_exports {
        SymbolKind::Constant
    } else {
        SymbolKind::Property
    };
    let mut definition = DefinitionForm::new(name, kind, line_of(name_node), enclosing);
    definition.member = !is_exports;
    let near = b.text(node).lines().next().unwrap_or_default();
    definition.signature = signature::of_head(near);
    let defined = b.define(definition, &context, frame);
    if defined.is_some() && is_exports {
        b.export_as(name, name, context.span.start_line);
    }
    if let Some(callee) = node.child(0).filter(|_| defined.is_some()) {
        callee_of_definition(b, callee, parent);
    }
}

/// Adds the use of the callee of a defining call (`defineGetter(a, 'b', …)`): the symbol around calls it, not the
/// symbol it defines.
fn callee_of_definition(b: &mut FileBuilder<'_>, callee: Node<'_>, around: &Frame) {
    if b.grammar.kind(callee) == Kind::Identifier {
        let place = NamePlace::at_start(callee);
        b.add_reference(b.text(callee), "", ReferenceKind::Call, around, place);
        b.definer = callee.start_byte();
    }
}
