//! Uses of names: identifiers and member chains, each with its kind (call, `new`, JSX, type …).
//!
//! Uses of local names are taken out in `finish`.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::frame::{AssignmentTarget, Frame, IdentifierRole, byte, line_of};
use super::kinds::Kind;
use super::lower_expr::lower_expr;
use super::member_uses::set_receiver;
use super::names::split_chain;
use super::pending::NamePlace;
use super::{imports, members};
use crate::ir::ReferenceKind;

/// The role of a callee.
const CALLEE: IdentifierRole = IdentifierRole::Use(ReferenceKind::Call);

/// An identifier. Never looks inside.
pub(super) fn identifier(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &Frame) -> bool {
    let text = b.text(node);
    if frame.role == CALLEE && node.start_byte() == b.definer {
        return false;
    }
    let is_type = frame.kind == Kind::TypeIdentifier;
    let kind = match (frame.kind, frame.role) {
        (_, IdentifierRole::Skip | IdentifierRole::Label) => return false,
        (Kind::Shorthand, _) => {
            if frame.target == AssignmentTarget::ExportMembers {
                b.export_as(text, text, line_of(node));
            } else {
                members::shorthand_member(b, text, frame);
            }
            ReferenceKind::Value
        }
        (_, IdentifierRole::Bind) => {
            b.scopes.bind(text, frame.scope, false);
            return false;
        }
        (_, IdentifierRole::BindVar) => {
            let scope = b.scopes.hoisted(frame.scope);
            b.scopes.bind(text, scope, false);
            return false;
        }
        // `<div>` is no component.
        (_, IdentifierRole::Use(ReferenceKind::Jsx))
            if !is_type && text.starts_with(char::is_lowercase) =>
        {
            return false;
        }
        _ => kind_of_use(b, node, frame, is_type),
    };
    b.add_reference(text, "", kind, frame, NamePlace::at_start(node));
    false
}

/// The kind of a use by the role of its node.
fn kind_of_use(b: &FileBuilder<'_>, node: Node<'_>, frame: &Frame, is_type: bool) -> ReferenceKind {
    match frame.role {
        IdentifierRole::Use(ReferenceKind::Heritage) => ReferenceKind::Heritage,
        _ if is_type => ReferenceKind::Type,
        IdentifierRole::Use(ReferenceKind::Value) if is_element(b, node) => ReferenceKind::Jsx,
        IdentifierRole::Use(kind) => kind,
        _ => ReferenceKind::Value,
    }
}

/// Adds the uses of a member chain: its last name, and its root. Returns whether to look inside.
pub(super) fn member_chain(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &Frame) -> bool {
    let text = b.text(node);
    if imports::import_type(b, text, node, frame) {
        return false;
    }
    let (receiver, name) = split_chain(text);
    let kind = kind_of_use(b, node, frame, frame.kind == Kind::NestedTypeIdentifier);
    let line = byte(node.end_position().row) + 1;
    let start = byte(node.end_byte() - name.len());
    // The root of a chain in a type is no node of its own.
    if frame.kind != Kind::MemberExpression {
        let root = receiver.split('.').next().unwrap_or(receiver);
        b.add_reference(
            root,
            "",
            ReferenceKind::Value,
            &Frame {
                role: IdentifierRole::Root,
                ..*frame
            },
            NamePlace {
                line,
                start: byte(node.start_byte()),
            },
        );
    }
    b.add_reference(name, receiver, kind, frame, NamePlace { line, start });
    if receiver == "?"
        && !kind.is_of_type()
        && let Some(object) = node.child(0)
        && let Some(expr) = lower_expr(b, object)
    {
        set_receiver(b, expr, frame);
    }
    frame.kind == Kind::MemberExpression
}

/// Whether a name is that of an element in a template.
fn is_element(b: &FileBuilder<'_>, node: Node<'_>) -> bool {
    !b.elements.is_empty() && b.elements.binary_search(&node.start_byte()).is_ok()
}
