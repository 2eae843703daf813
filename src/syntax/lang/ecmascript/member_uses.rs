//! Uses of members of an expression that is no chain of names: `a` in `const { a } = f()`, in `T['a']`.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::frame::Frame;
use super::kinds::Kind;
use super::lower_type;
use super::names::is_chain;
use super::pending::{BindingSource, NamePlace, ValueOwner};
use crate::ir::{ExprId, ReferenceKind};

/// Adds the use of a member of an expression: `a` in `const { a } = f()`, in `T['a']`.
pub(super) fn member_of<'a>(
    b: &mut FileBuilder<'a>,
    object: ExprId,
    (name, place): (&'a str, NamePlace),
    kind: ReferenceKind,
    frame: &Frame,
) {
    let before = b.references.len();
    b.add_reference(name, "?", kind, frame, place);
    if b.references.len() > before {
        set_receiver(b, object, frame);
    }
}

/// Notes the receiver of the last use.
pub(super) fn set_receiver(b: &mut FileBuilder<'_>, receiver: ExprId, frame: &Frame) {
    let source = BindingSource::Initializer;
    let binding = b.add_binding(ValueOwner::Expression, Some(receiver), source, frame);
    if let Some(used) = b.references.last_mut() {
        used.receiver_binding = Some(binding);
    }
}

/// `T['a']`
pub(super) fn indexed_type(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &Frame) {
    let (Some(object), Some(index)) = (node.named_child(0), node.named_child(1)) else {
        return;
    };
    let Some(literal) = index
        .named_child(0)
        .filter(|it| b.grammar.kind(*it) == Kind::Str)
    else {
        return;
    };
    let Some(fragment) = literal.named_child(0) else {
        return;
    };
    let name = b.text(fragment);
    if is_chain(name)
        && !name.contains('.')
        && let Some(expr) = lower_type::lower_type(b, object)
    {
        let named = (name, NamePlace::at_start(fragment));
        member_of(b, expr, named, ReferenceKind::Type, frame);
    }
}
