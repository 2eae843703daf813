//! Elements of JSX: the names of their attributes are members of the properties that the component takes, those of elements
//! without a component members of `JSX.IntrinsicElements`.
//!
//! The use of the component itself is an identifier like others; see `references`.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::contextual_types::expect;
use super::frame::Frame;
use super::kinds::Kind;
use super::lower_expr::lower_expr;
use super::member_uses::member_of;
use super::names::is_chain;
use super::pending::{ContextualType, NamePlace};
use crate::ir::{ExprId, ReferenceKind};

/// The interface that has a member for each element without a component.
const INTRINSIC: &str = "JSX.IntrinsicElements";

/// `<Comp size={3}>`, `<div class="a" />`
pub(super) fn element(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &Frame) {
    // Without types no member is declared.
    if b.grammar.untyped {
        return;
    }
    let Some(name) = node.child_by_field_id(b.grammar.fields.name) else {
        return;
    };
    let props = properties(b, name, frame);
    let mut cursor = node.walk();
    let attributes: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    for attribute in attributes {
        if b.grammar.kind(attribute) != Kind::JsxAttribute {
            continue;
        }
        let Some(key) = attribute
            .named_child(0)
            .filter(|it| b.grammar.kind(*it) == Kind::PropertyIdentifier)
        else {
            continue;
        };
        let text = b.text(key);
        let named = (text, NamePlace::at_start(key));
        member_of(b, props, named, ReferenceKind::Value, frame);
        let value = attribute.named_child(1).and_then(|it| it.named_child(0));
        if let Some(value) = value {
            let member = b.exprs.member(props, text);
            expect(b, value, &ContextualType::Type(member));
        }
    }
}

/// Returns the properties that an element takes: those of the first parameter of its component. Records the use of the name of an
/// element without one.
fn properties(b: &mut FileBuilder<'_>, name: Node<'_>, frame: &Frame) -> ExprId {
    let text = b.text(name);
    match b.grammar.kind(name) {
        Kind::Identifier if text.starts_with(char::is_lowercase) => {
            let elements = b.exprs.chain(INTRINSIC);
            let elements = b.exprs.instance(elements);
            let named = (text, NamePlace::at_start(name));
            member_of(b, elements, named, ReferenceKind::Value, frame);
            b.exprs.member(elements, text)
        }
        Kind::JsxNamespaceName => b.exprs.unknown(),
        _ => {
            let component = match lower_expr(b, name) {
                None if is_chain(text) => Some(b.exprs.chain(text)),
                found => found,
            };
            match component {
                Some(component) => b.exprs.parameter(component, 0),
                None => b.exprs.unknown(),
            }
        }
    }
}
