//! Members of classes, interfaces, enums and object literals.
//!
//! A member of a type is a symbol; a member of an object is one where it is a function, a class or an object.

use tree_sitter::Node;

use super::builder::{DefinitionForm, FileBuilder};
use super::frame::{AssignmentTarget, Frame, line_of};
use super::initializers::{self, Initializer};
use super::kinds::Kind;
use super::lower_expr::lower_expr;
use super::pending::BindingSource;
use super::{
    bindings, classes, contextual_types, functions, lower_type, nodes, object_exports,
    object_literals, object_types, signatures,
};
use crate::ir::{BaseKind, PathId};
use crate::model::{SymbolFlags, SymbolKind};
use crate::syntax::scope::ScopeKind;
use crate::syntax::signature;

/// A member of whatever stands around it.
pub(super) fn member(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
    frame.target = AssignmentTarget::None;
    let owner = match (parent.kind, parent.target) {
        (Kind::ClassBody, _) => parent.symbol.map(|_| parent.enclosing),
        (Kind::InterfaceBody | Kind::EnumBody, _) => Some(parent.enclosing),
        (Kind::ObjectType, AssignmentTarget::Value(enclosing))
        | (Kind::Object, AssignmentTarget::Members(enclosing)) => Some(enclosing),
        (Kind::ObjectType, AssignmentTarget::Within(enclosing)) => {
            object_type_member(b, node, frame, enclosing);
            None
        }
        (Kind::Object, AssignmentTarget::ReturnedMembers) => {
            object_literals::returned_member(b, node, frame);
            None
        }
        (Kind::Object, AssignmentTarget::ExportMembers) => {
            return object_exports::export_member(b, node, frame);
        }
        _ => None,
    };
    match owner {
        Some(enclosing) if frame.kind == Kind::Pair => object_pair(b, node, frame, enclosing),
        Some(enclosing) if frame.kind == Kind::EnumAssignment => {
            if let Some(name) = node.child_by_field_id(b.grammar.fields.name) {
                let entered = enum_member(
                    b,
                    node,
                    name,
                    &Frame {
                        enclosing,
                        ..*parent
                    },
                );
                frame.symbol = entered.or(frame.symbol);
            }
        }
        Some(enclosing) => typed_member(b, node, frame, parent, enclosing),
        None => {}
    }
    let symbol = frame.symbol.filter(|_| frame.symbol != parent.symbol);
    match frame.kind {
        Kind::MethodDefinition => {
            b.open_scope(frame, ScopeKind::Function);
            if parent.target == AssignmentTarget::ReturnedMembers {
                object_literals::bind_this_of_returned(b, frame, parent);
            } else if symbol.is_none() {
                b.scopes.bind("this", frame.scope, false);
            }
            contextual_types::bind_contextual_parameters(b, node, frame.scope, parent);
            functions::enter_function(b, node, symbol, frame);
        }
        Kind::MethodSignature | Kind::AbstractMethodSignature => {
            b.open_scope(frame, ScopeKind::Block);
            signatures::declared_return(b, node, symbol, frame);
        }
        _ => {}
    }
}

/// A member of a class, an interface or a type, or a method of an object.
fn typed_member(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    frame: &mut Frame,
    parent: &Frame,
    enclosing: u32,
) {
    let fields = b.grammar.fields;
    let name_node = node
        .child_by_field_id(fields.name)
        .or_else(|| node.child_by_field_id(fields.property));
    let Some(name_node) = name_node else { return };
    let Some(name) = nodes::property_key(b, name_node) else {
        return;
    };
    let words = nodes::head(b, node, name_node.start_byte());
    let has = |word: &str| words.split_whitespace().any(|w| w == word);
    let value_node = node.child_by_field_id(fields.value);
    let value = value_node.map(|v| initializers::classify(b, v));
    let in_body = parent.kind == Kind::ClassBody;
    let kind = match frame.kind {
        Kind::PublicField | Kind::FieldDefinition => match value {
            Some(Initializer::Function(_)) => SymbolKind::Method,
            _ => SymbolKind::Field,
        },
        Kind::PropertySignature => SymbolKind::Property,
        _ if has("get") || has("set") => SymbolKind::Property,
        _ if in_body && name == "constructor" => SymbolKind::Constructor,
        _ => SymbolKind::Method,
    };
    let mut context = b.context_of(
        node,
        &Frame {
            context: 0,
            ..*parent
        },
    );
    if in_body && let Some(decorated) = b.decorated.take() {
        context.span.start_byte = decorated.span.start_byte;
        context.span.start_line = decorated.span.start_line;
        context.n_uses_before = decorated.n_uses_before;
    }
    let mut definition = DefinitionForm::new(&name, kind, line_of(name_node), enclosing);
    definition.private = has("private") || name.starts_with('#');
    definition.overload = in_body && frame.kind == Kind::MethodSignature;
    definition.member = true;
    definition.signature = match (kind, value) {
        (SymbolKind::Field, _) => initializers::value_signature(b, node, &name_node, ""),
        (_, Some(Initializer::Function(inner))) => {
            signature::of_head(nodes::head(b, node, nodes::body_start(b, inner)))
        }
        _ => nodes::signature_of(b, node),
    };
    if matches!(kind, SymbolKind::Field | SymbolKind::Property)
        && frame.kind != Kind::MethodDefinition
    {
        let written = node.child_by_field_id(fields.type_);
        let found = bindings::evidence(b, written, value_node, context.span.start_byte as usize);
        bindings::bind_member(b, enclosing, &name, found, parent);
    }
    let defined = b.define(definition, &context, frame);
    let written = node.child_by_field_id(fields.type_);
    contextual_types::expect_annotation(b, written, value_node);
    if let Some(symbol) = defined {
        implemented_type(b, node, symbol, parent);
        signatures::bind_callable_type(b, written, symbol, parent);
        if let Some(Initializer::Function(inner)) = value {
            b.bodies.insert(inner.id(), symbol);
        }
    }
    if matches!(value, Some(Initializer::Object(_))) {
        frame.target = AssignmentTarget::Value(frame.enclosing);
    } else if kind != SymbolKind::Method && object_types::has_object_type(b, written) {
        frame.target = AssignmentTarget::Within(frame.enclosing);
    }
}

/// A member of an object type inside another type, `enclosing`.
fn object_type_member(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &mut Frame, enclosing: u32) {
    let fields = b.grammar.fields;
    let name = node.child_by_field_id(fields.name);
    let Some(name) = name.and_then(|name| nodes::property_key(b, name)) else {
        return;
    };
    let written = node.child_by_field_id(fields.type_);
    if object_types::has_object_type(b, written) {
        frame.target = AssignmentTarget::Within(b.nest_under(enclosing, &name));
        return;
    }
    if frame.kind == Kind::PropertySignature {
        let found = bindings::evidence(b, written, None, node.start_byte());
        bindings::bind_member(b, enclosing, &name, found, frame);
    }
    let owner = b.member_owner(enclosing, &name);
    signatures::bind_member_parameters(b, node, &owner, frame);
}

/// `key: value` in an object that has a name.
fn object_pair(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &mut Frame, enclosing: u32) {
    let fields = b.grammar.fields;
    let (Some(key_node), Some(value)) = (
        node.child_by_field_id(fields.key),
        node.child_by_field_id(fields.value),
    ) else {
        return;
    };
    let kind = match initializers::classify(b, value) {
        Initializer::Function(_) => SymbolKind::Method,
        Initializer::Class(_) => SymbolKind::Class,
        Initializer::Object(_) => {
            if let Some(name) = nodes::property_key(b, key_node) {
                frame.target = AssignmentTarget::Value(b.nest_under(enclosing, &name));
            }
            return;
        }
        _ => {
            if let Some(name) = nodes::property_key(b, key_node) {
                let found = bindings::evidence(b, None, Some(value), node.start_byte());
                bindings::bind_member(b, enclosing, &name, found, frame);
            }
            return;
        }
    };
    let Some(name) = nodes::property_key(b, key_node) else {
        return;
    };
    let context = b.own_context(node);
    let mut definition = DefinitionForm::new(&name, kind, line_of(key_node), enclosing);
    definition.member = true;
    definition.signature = signature::of_head(initializers::value_head(b, node, value));
    let Some(symbol) = b.define(definition, &context, frame) else {
        return;
    };
    implemented_type(b, node, symbol, frame);
    match initializers::classify(b, value) {
        Initializer::Function(body) => {
            b.bodies.insert(body.id(), symbol);
        }
        _ => frame.target = AssignmentTarget::Value(frame.enclosing),
    }
}

/// Binds a method of an object literal to the contextual type of the object, whose member it implements.
fn implemented_type(b: &mut FileBuilder<'_>, node: Node<'_>, symbol: u32, frame: &Frame) {
    let found = b.literal_types.remove(&node.id());
    classes::add_base(b, found, BaseKind::Implements, Some(symbol), frame);
}

/// A name that may be a string: a member where an enum has it. Never looks inside, where the quotes are nodes, too.
pub(super) fn enum_member_name(b: &mut FileBuilder<'_>, node: Node<'_>, parent: &Frame) -> bool {
    if parent.kind == Kind::EnumBody {
        enum_member(b, node, node, parent);
    }
    false
}

/// `{ f }` in an object that has a name.
pub(super) fn shorthand_member<'a>(b: &mut FileBuilder<'a>, name: &'a str, frame: &Frame) {
    if let AssignmentTarget::Members(enclosing) = frame.target {
        let expr = b.exprs.name(name);
        bindings::bind_member(
            b,
            enclosing,
            name,
            Some((Some(expr), BindingSource::Initializer)),
            frame,
        );
    }
}

/// `{ ...a }` in an object that has a name.
pub(super) fn spread_member(b: &mut FileBuilder<'_>, node: Node<'_>, parent: &Frame) {
    let AssignmentTarget::Members(enclosing) = parent.target else {
        return;
    };
    if let (Some(value), (symbol, PathId::EMPTY)) = (node.named_child(0), b.member_path(enclosing))
    {
        let found = lower_expr(b, value);
        classes::add_base(b, found, BaseKind::Extends, symbol, parent);
    }
}

/// `[key: string]: A` in a class, an interface or a type.
pub(super) fn index_signature(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    frame: &Frame,
    parent: &Frame,
) {
    let enclosing = match (parent.kind, parent.target) {
        (Kind::ClassBody, _) if parent.symbol.is_some() => parent.enclosing,
        (Kind::InterfaceBody, _) => parent.enclosing,
        (Kind::ObjectType, AssignmentTarget::Value(enclosing)) => enclosing,
        _ => return,
    };
    let (Some(symbol), PathId::EMPTY) = b.member_path(enclosing) else {
        return;
    };
    b.symbols[symbol as usize].symbol.flags |= SymbolFlags::ANY_MEMBER;
    if let Some(written) = node.child_by_field_id(b.grammar.fields.type_) {
        let found = lower_type::types(b).by_any_name(written, 0);
        classes::add_base(b, found, BaseKind::Extends, Some(symbol), frame);
    }
}

/// `A`, `A = 1` in an enum. Returns the symbol.
fn enum_member(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    name_node: Node<'_>,
    parent: &Frame,
) -> Option<u32> {
    let name = nodes::property_key(b, name_node)?;
    let context = b.own_context(node);
    let kind = SymbolKind::EnumMember;
    let mut definition = DefinitionForm::new(&name, kind, line_of(name_node), parent.enclosing);
    definition.signature = signature::of_value(b.text(node), None);
    let mut frame = *parent;
    b.define(definition, &context, &mut frame)
}

/// `@f` before a member of a class: the member begins with it.
pub(super) fn member_decorator(b: &mut FileBuilder<'_>, node: Node<'_>) {
    let context = b.own_context(node);
    b.decorated.get_or_insert(context);
}
