//! Parameters: `a: A`, `{ b }: B = new B()`, `constructor(private c: C)`.

use tree_sitter::Node;

use super::builder::{DefinitionForm, FileBuilder};
use super::frame::{AssignmentTarget, Frame, line_of};
use super::kinds::Kind;
use super::lower_type::lower_type;
use super::pending::ValueOwner;
use super::{bindings, nodes, object_literals, object_types, patterns};
use crate::model::SymbolKind;
use crate::syntax::signature;

/// `a: A`, `{ b }: B = new B()` in a parameter list.
pub(super) fn parameter(b: &mut FileBuilder<'_>, node: Node<'_>, own: &mut Frame, frame: &Frame) {
    let fields = b.grammar.fields;
    let Some(pattern) = node.child_by_field_id(fields.pattern) else {
        return;
    };
    let written = node.child_by_field_id(fields.type_);
    let value = node.child_by_field_id(fields.value);
    if written.is_none() && value.is_none() || frame.in_type {
        return;
    }
    let found = bindings::evidence(b, written, value, node.start_byte());
    if b.grammar.kind(pattern) == Kind::This {
        b.scopes.bind("this", frame.scope, false);
        let expr = found.and_then(|(expr, _)| expr);
        let owner = ValueOwner::Binding("this", frame.scope);
        b.annotate(owner, expr, frame);
    } else if let Some(written) = written
        && b.grammar.kind(pattern) == Kind::ObjectPattern
        && let Some(literal) = written.named_child(0)
        && b.grammar.kind(literal) == Kind::ObjectType
    {
        destructured_object_type(b, pattern, literal, frame);
    } else if object_types::is_only_object_type(b, written)
        && b.grammar.kind(pattern) == Kind::Identifier
    {
        let place = object_literals::local_object(b, b.text(pattern), frame.scope, frame);
        own.target = place.map_or(AssignmentTarget::None, AssignmentTarget::Within);
    } else {
        bindings::bind_target(b, pattern, found, frame.scope, frame);
    }
}

/// `{ a }: { a: A }`
fn destructured_object_type(
    b: &mut FileBuilder<'_>,
    pattern: Node<'_>,
    literal: Node<'_>,
    frame: &Frame,
) {
    let fields = b.grammar.fields;
    let mut cursor = literal.walk();
    for member in literal.named_children(&mut cursor) {
        let key = member.child_by_field_id(fields.name);
        let written = member.child_by_field_id(fields.type_);
        if let (Some(key), Some(written)) = (key, written) {
            let found = lower_type(b, written);
            patterns::bind_pattern_member(b, pattern, b.text(key), found, frame);
        }
    }
}

/// `a = new A()` in the parameter list of an untyped language, or with its type before it.
pub(super) fn untyped_parameter(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &Frame) {
    let fields = &b.grammar.fields;
    let (target, value) = match b.grammar.kind(node) {
        Kind::AssignmentPattern => (
            node.child_by_field_id(fields.left),
            node.child_by_field_id(fields.right),
        ),
        _ => (Some(node), None),
    };
    if let Some(target) = target {
        let found = bindings::evidence(b, None, value, node.start_byte());
        bindings::bind_target(b, target, found, frame.scope, frame);
    }
}

/// `constructor(private a: A)` is a field too.
pub(super) fn parameter_property(b: &mut FileBuilder<'_>, node: Node<'_>, parent: &Frame) {
    let Some(pattern) = node.child_by_field_id(b.grammar.fields.pattern) else {
        return;
    };
    let marks = nodes::head(b, node, pattern.start_byte());
    let has = |word: &str| marks.split_whitespace().any(|w| w == word);
    let is_field = ["public", "private", "protected", "readonly"]
        .into_iter()
        .any(has);
    if !is_field || b.grammar.kind(pattern) != Kind::Identifier {
        return;
    }
    let class = parent
        .symbol
        .and_then(|constructor| b.symbols[constructor as usize].symbol.parent)
        .map(|class| b.symbols[class as usize].enclosing);
    let Some(enclosing) = class else { return };
    let context = b.own_context(node);
    let name = b.text(pattern);
    let found = bindings::evidence(
        b,
        node.child_by_field_id(b.grammar.fields.type_),
        node.child_by_field_id(b.grammar.fields.value),
        node.start_byte(),
    );
    bindings::bind_member(b, enclosing, name, found, parent);
    let mut definition = DefinitionForm::new(name, SymbolKind::Field, line_of(pattern), enclosing);
    definition.private = has("private");
    definition.member = true;
    definition.signature = signature::of_value(nodes::head(b, node, node.end_byte()), None);
    let mut inside = *parent;
    b.define(definition, &context, &mut inside);
}
