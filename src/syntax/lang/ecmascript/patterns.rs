//! Destructuring patterns: in `const { a, b: [c] } = f()`, `c` is an element of the member `b` of the value.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::frame::Frame;
use super::kinds::Kind;
use super::pending::{BindingSource, Owner};
use super::{lower_expr, nodes};
use crate::ir::ExprId;

/// Names of a pattern that are bound.
const PATTERN_NAMES: usize = 200;

/// Patterns inside patterns that are looked at.
const PATTERN_DEPTH: usize = 8;

/// Names that a pattern may bind as definitions.
const DEFINED_NAMES: usize = 500;

/// Patterns inside patterns that are looked at.
const DEFINED_DEPTH: usize = 32;

/// Says of the names that a pattern takes out of a value where they come from.
pub(super) fn bind_pattern<'a>(
    b: &mut FileBuilder<'a>,
    pattern: Node<'_>,
    expr: ExprId,
    source: BindingSource,
    owner: impl Fn(&'a str) -> Owner<'a>,
    frame: &Frame,
) {
    for (name, steps) in steps(b, pattern) {
        let expr = taken(b, expr, &steps);
        b.add_binding(owner(name), Some(expr), source, frame);
    }
}

/// Binds the names that a pattern takes out of the member `key` of a value.
pub(super) fn bind_pattern_member(
    b: &mut FileBuilder<'_>,
    pattern: Node<'_>,
    key: &str,
    found: Option<ExprId>,
    frame: &Frame,
) {
    let Some(expr) = found else { return };
    for (name, steps) in steps(b, pattern) {
        if steps.first() == Some(&Some(key)) {
            let expr = taken(b, expr, &steps[1..]);
            let owner = Owner::Binding(name, frame.scope);
            b.annotate(owner, Some(expr), frame);
        }
    }
}

/// `{ a = new A() }`
pub(super) fn member_default(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &Frame) {
    let Some((left, right)) = nodes::sides(b, node) else {
        return;
    };
    let made = lower_expr::lower_expr(b, right);
    let made = made.filter(|found| b.exprs.is_new(*found));
    if made.is_some() && b.grammar.kind(left) == Kind::ShorthandPattern {
        let owner = Owner::Assigned(b.text(left), frame.scope);
        b.add_binding(owner, made, BindingSource::Assignment, frame);
    }
}

/// The value at the end of some steps.
fn taken(b: &mut FileBuilder<'_>, value: ExprId, steps: &[Option<&str>]) -> ExprId {
    steps.iter().fold(value, |object, step| match step {
        Some(name) => b.exprs.member(object, name),
        None => b.exprs.element(object),
    })
}

/// Returns the names that a pattern binds, each with the steps from the value to it: names of members, `None` for an
/// element.
fn steps<'a>(b: &FileBuilder<'a>, pattern: Node<'_>) -> Vec<(&'a str, Vec<Option<&'a str>>)> {
    let fields = &b.grammar.fields;
    let mut names = Vec::new();
    let mut open = vec![(pattern, Vec::new())];
    while let Some((node, steps)) = open.pop() {
        if names.len() >= PATTERN_NAMES || steps.len() > PATTERN_DEPTH {
            break;
        }
        let kind = b.grammar.kind(node);
        match kind {
            Kind::Identifier => names.push((b.text(node), steps)),
            Kind::ShorthandPattern => {
                let mut steps = steps;
                steps.push(Some(b.text(node)));
                names.push((b.text(node), steps));
            }
            Kind::PairPattern => {
                let key = node.child_by_field_id(fields.key);
                let value = node.child_by_field_id(fields.value);
                if let (Some(key), Some(value)) = (key, value)
                    && b.grammar.kind(key) == Kind::PropertyIdentifier
                {
                    let mut steps = steps;
                    steps.push(Some(b.text(key)));
                    open.push((value, steps));
                }
            }
            Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                open.extend(
                    node.child_by_field_id(fields.left)
                        .map(|left| (left, steps)),
                );
            }
            Kind::ObjectPattern | Kind::ArrayPattern => {
                let mut cursor = node.walk();
                let from = open.len();
                for child in node.named_children(&mut cursor) {
                    let mut steps = steps.clone();
                    if kind == Kind::ArrayPattern {
                        steps.push(None);
                    }
                    open.push((child, steps));
                }
                open[from..].reverse();
            }
            _ => {}
        }
    }
    names
}

/// Returns the names a pattern binds, each with the property it takes (empty where that is no name).
pub(super) fn pattern_names<'a, 't>(
    b: &FileBuilder<'a>,
    pattern: Node<'t>,
) -> Vec<(&'a str, Node<'t>)> {
    let fields = &b.grammar.fields;
    let mut names = Vec::new();
    let mut open = vec![("", pattern, 0_usize)];
    while let Some((key, node, depth)) = open.pop() {
        if names.len() >= DEFINED_NAMES || depth > DEFINED_DEPTH {
            break;
        }
        match b.grammar.kind(node) {
            Kind::Identifier => names.push((key, node)),
            Kind::ShorthandPattern => names.push((b.text(node), node)),
            Kind::PairPattern => {
                let key = node
                    .child_by_field_id(fields.key)
                    .map_or("", |key| b.text(key));
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
