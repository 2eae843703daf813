//! The evidence for a name's value: its annotation, the `@type` of its comment, or its initializer.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::frame::Frame;
use super::kinds::Kind;
use super::lower_expr::lower_expr;
use super::lower_type::lower_type;
use super::pending::{BindingSource, ValueOwner};
use super::{doc_types, nodes, patterns};
use crate::ir::ExprId;

/// The evidence for the value of a name: its annotation, the `@type` of the comment above `start`, else its
/// initializer. `None` where it has none of them.
pub(super) fn evidence(
    b: &mut FileBuilder<'_>,
    written: Option<Node<'_>>,
    value: Option<Node<'_>>,
    start: usize,
) -> Option<(Option<ExprId>, BindingSource)> {
    if let Some(written) = written {
        return Some((lower_type(b, written), BindingSource::Annotation));
    }
    if b.grammar.untyped
        && let Some(written) = doc_types::type_tag(b, start)
    {
        return Some((doc_types::doc_type(b, written), BindingSource::Annotation));
    }
    let value = value.filter(|value| {
        !nodes::is_absent(b, *value) && !b.grammar.kind(*value).is_function_value()
    })?;
    Some((lower_expr(b, value), BindingSource::Initializer))
}

/// Binds a name, or each name of a pattern, in `scope` to its evidence.
pub(super) fn bind_target(
    b: &mut FileBuilder<'_>,
    target: Node<'_>,
    found: Option<(Option<ExprId>, BindingSource)>,
    scope: u32,
    frame: &Frame,
) {
    let Some((expr, source)) = found else { return };
    if b.grammar.kind(target) == Kind::Identifier {
        let owner = ValueOwner::Binding(b.text(target), scope);
        b.add_binding(owner, expr, source, frame);
    } else if let Some(expr) = expr {
        let owner = |name| ValueOwner::Binding(name, scope);
        patterns::bind_pattern(b, target, expr, source, owner, frame);
    }
}

/// `for (const a of b)`; `scope` is that of the names.
pub(super) fn for_of(b: &mut FileBuilder<'_>, node: Node<'_>, scope: u32, frame: &Frame) {
    let fields = &b.grammar.fields;
    let of = node.child_by_field_id(fields.operator);
    if of.is_some_and(|of| b.text(of) == "of")
        && let Some((left, right)) = nodes::sides(b, node)
        && let Some(expr) = lower_expr(b, right)
    {
        let found = Some((Some(b.exprs.element(expr)), BindingSource::Initializer));
        bind_target(b, left, found, scope, frame);
    }
}

/// Binds the member `name` of an enclosing symbol to its evidence.
pub(super) fn bind_member(
    b: &mut FileBuilder<'_>,
    enclosing: u32,
    name: &str,
    found: Option<(Option<ExprId>, BindingSource)>,
    frame: &Frame,
) {
    if let Some((expr, source)) = found {
        let owner = b.member_owner(enclosing, name);
        b.add_binding(owner, expr, source, frame);
    }
}
