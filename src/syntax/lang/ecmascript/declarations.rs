//! Interfaces, aliases, enums and namespaces.

use tree_sitter::Node;

use super::builder::{DeclarationContext, DefinitionForm, FileBuilder};
use super::frame::{AssignmentTarget, Frame, line_of};
use super::kinds::Kind;
use super::{classes, nodes, signatures};
use crate::model::SymbolKind;
use crate::syntax::scope::ScopeKind;
use crate::syntax::signature;

/// `interface I {}`, `type T = …`, `enum E {}`
pub(super) fn type_definition(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    frame: &mut Frame,
    parent: &Frame,
) {
    let Some((name, line)) = nodes::name_of(b, node) else {
        return;
    };
    let context = b.context_of(node, parent);
    let scope = frame.scope;
    frame.in_type = frame.kind != Kind::EnumDeclaration;
    b.scopes.bind(name, scope, true);
    let kind = match frame.kind {
        Kind::Interface => SymbolKind::Interface,
        Kind::TypeAlias => SymbolKind::Type,
        _ => SymbolKind::Enum,
    };
    let mut definition = DefinitionForm::new(name, kind, line, frame.enclosing);
    definition.signature = nodes::signature_of(b, node);
    let defined = b.define(definition, &context, frame);
    if let Some(symbol) = defined {
        b.scopes.bound_symbol(symbol);
        b.enclosing[frame.enclosing as usize].members = true;
        b.export_definition(&context, scope, name, kind != SymbolKind::Enum);
        frame.target = AssignmentTarget::Value(frame.enclosing);
    }
    b.open_scope(frame, ScopeKind::Block);
    let fields = &b.grammar.fields;
    match (frame.kind, defined) {
        (Kind::Interface, Some(symbol)) => {
            classes::class_bases(b, node, symbol, frame);
            signatures::bind_callable_type(b, node.child_by_field_id(fields.body), symbol, frame);
        }
        (Kind::TypeAlias, Some(symbol)) => {
            classes::alias_bases(b, node, symbol, frame);
            signatures::bind_callable_type(b, node.child_by_field_id(fields.value), symbol, frame);
        }
        _ => {}
    }
}

/// `namespace N {}`, `declare module 'm' {}`
pub(super) fn namespace(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    frame: &mut Frame,
    parent: &Frame,
) {
    let Some((text, line)) = nodes::name_of(b, node) else {
        return;
    };
    let name = text.trim_matches(['"', '\'', '`']);
    let context = b.context_of(node, parent);
    let scope = frame.scope;
    if name == text {
        b.scopes
            .bind(name.split('.').next().unwrap_or(name), scope, true);
    }
    enter_namespace(b, (name, line), node, &context, frame);
    b.export_definition(&context, scope, name, false);
}

fn enter_namespace(
    b: &mut FileBuilder<'_>,
    (name, line): (&str, u32),
    node: Node<'_>,
    context: &DeclarationContext,
    frame: &mut Frame,
) {
    let mut definition = DefinitionForm::new(name, SymbolKind::Namespace, line, frame.enclosing);
    definition.signature = nodes::signature_of(b, node);
    let ambient = context.ambient;
    if b.define(definition, context, frame).is_some() {
        b.enclosing[frame.enclosing as usize].ambient = ambient;
    }
    b.open_scope(frame, ScopeKind::Top);
}

/// `declare …`, `declare global {}`
pub(super) fn ambient(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
    let mut context = b.context_of(node, parent);
    context.ambient = true;
    let global = node.child(1).filter(|word| b.text(*word) == "global");
    if let Some(word) = global {
        let end = word.end_byte();
        enter_namespace(b, ("global", line_of(word)), node, &context, frame);
        b.enclosing[frame.enclosing as usize].is_global = true;
        if let Some(draft) = b.symbols.last_mut() {
            draft.symbol.signature =
                signature::of_head(b.source.get(node.start_byte()..end).unwrap_or_default());
        }
        return;
    }
    frame.context = b.push_context(context);
}
