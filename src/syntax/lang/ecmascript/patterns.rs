//! Destructuring patterns: in `const { a, b: [c] } = f()`, `c` is an element of the member `b` of the value.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::frame::Frame;
use super::kinds::Kind;
use super::lower_expr::lower_expr;
use super::pending::{BindingSource, NamePlace, ValueOwner};
use super::{member_uses, nodes};
use crate::ir::{Expr, ExprId, ReferenceKind};

/// Names of one pattern that are looked at.
const MAX_NAMES: usize = 500;

/// Patterns inside patterns that are looked at.
const MAX_DEPTH: usize = 32;

/// Names of one pattern that are bound, and the steps to each.
const BOUND_NAMES: usize = 200;
const BOUND_STEPS: usize = 8;

/// A name that a pattern binds.
struct PatternName<'a, 't> {
    node: Node<'t>,
    /// The steps from the value to it, outermost first.
    steps: Vec<PatternStep<'a>>,
}

/// A step from a value to a part of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PatternStep<'a> {
    /// `{ a }`, `{ a: … }`
    Member(&'a str),
    /// `{ 'a': … }`, `{ [a]: … }`: the key as written.
    OtherKey(&'a str),
    /// `[…]`: the place, from 0.
    Item(u8),
    /// `...rest`
    Rest,
}

/// Binds the names of a pattern to parts of a value.
pub(super) fn bind_pattern<'a>(
    b: &mut FileBuilder<'a>,
    pattern: Node<'_>,
    expr: ExprId,
    source: BindingSource,
    owner: impl Fn(&'a str) -> ValueOwner<'a>,
    frame: &Frame,
) {
    for (name, steps) in bound_names(b, pattern) {
        let expr = taken(b, expr, &steps);
        let owner = owner(name);
        if let (Expr::Imported { .. }, ValueOwner::Binding(name, scope)) =
            (b.exprs.get(expr), &owner)
        {
            b.module_names.insert((*name, *scope));
        }
        b.add_binding(owner, Some(expr), source, frame);
    }
    // Names that are taken out of a module are imports, and where a pattern assigns, its names are uses of variables already.
    let is_module = matches!(
        *b.exprs.get(expr),
        Expr::Imported { name, .. } if b.exprs.arena.name_of(name) == "*"
    );
    if source != BindingSource::Assignment && !is_module {
        use_keys(b, pattern, expr, frame);
    }
}

/// Adds the uses of the members that a pattern takes out of a value.
pub(super) fn use_keys(b: &mut FileBuilder<'_>, pattern: Node<'_>, value: ExprId, frame: &Frame) {
    let fields = b.grammar.fields;
    let mut open = vec![(pattern, value, 0)];
    let mut n_names = 0;
    while let Some((node, object, depth)) = open.pop() {
        n_names += 1;
        if n_names > MAX_NAMES || depth > BOUND_STEPS {
            return;
        }
        let field = |id: u16| node.child_by_field_id(id);
        match b.grammar.kind(node) {
            Kind::ShorthandPattern => {
                let named = (b.text(node), NamePlace::at_start(node));
                member_uses::member_of(b, object, named, ReferenceKind::Value, frame);
            }
            Kind::PairPattern => {
                if let (Some(key), Some(part)) = (field(fields.key), field(fields.value))
                    && b.grammar.kind(key) == Kind::PropertyIdentifier
                {
                    let name = b.text(key);
                    let named = (name, NamePlace::at_start(key));
                    member_uses::member_of(b, object, named, ReferenceKind::Value, frame);
                    open.push((part, b.exprs.member(object, name), depth + 1));
                }
            }
            Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                open.extend(field(fields.left).map(|left| (left, object, depth)));
            }
            kind @ (Kind::ObjectPattern | Kind::ArrayPattern) => {
                for (at, child) in parts(node) {
                    let part = match kind {
                        Kind::ArrayPattern => b.exprs.item(object, at),
                        _ => object,
                    };
                    open.push((child, part, depth + 1));
                }
            }
            _ => {}
        }
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
    for (name, steps) in bound_names(b, pattern) {
        if steps.first() == Some(&PatternStep::Member(key)) {
            let expr = taken(b, expr, &steps[1..]);
            let owner = ValueOwner::Binding(name, frame.scope);
            b.annotate(owner, Some(expr), frame);
        }
    }
}

/// `{ a = new A() }`
pub(super) fn member_default(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &Frame) {
    let Some((left, right)) = nodes::sides(b, node) else {
        return;
    };
    let made = lower_expr(b, right);
    let made = made.filter(|found| b.exprs.is_new(*found));
    if made.is_some() && b.grammar.kind(left) == Kind::ShorthandPattern {
        let owner = ValueOwner::Assigned(b.text(left), frame.scope);
        b.add_binding(owner, made, BindingSource::Assignment, frame);
    }
}

/// The value at the end of some steps.
fn taken(b: &mut FileBuilder<'_>, value: ExprId, steps: &[PatternStep<'_>]) -> ExprId {
    steps.iter().fold(value, |object, step| match step {
        PatternStep::Member(name) => b.exprs.member(object, name),
        PatternStep::Item(at) => b.exprs.item(object, *at),
        _ => b.exprs.element(object),
    })
}

/// The names of a pattern whose steps are members and elements alone.
fn bound_names<'a>(b: &FileBuilder<'a>, pattern: Node<'_>) -> Vec<(&'a str, Vec<PatternStep<'a>>)> {
    let is_known =
        |step: &PatternStep<'_>| matches!(step, PatternStep::Member(_) | PatternStep::Item(_));
    let names = names_of(b, pattern).into_iter();
    let names = names.filter(|it| it.steps.len() <= BOUND_STEPS && it.steps.iter().all(is_known));
    let names = names.take(BOUND_NAMES);
    names.map(|it| (b.text(it.node), it.steps)).collect()
}

/// The names of a pattern, each with the key that it takes: `a` in `{ a: b }`, empty for an element.
pub(super) fn pattern_names<'a, 't>(
    b: &FileBuilder<'a>,
    pattern: Node<'t>,
) -> Vec<(&'a str, Node<'t>)> {
    let names = names_of(b, pattern).into_iter();
    names
        .map(|it| match it.steps.last() {
            Some(PatternStep::Member(key) | PatternStep::OtherKey(key)) => (*key, it.node),
            _ => ("", it.node),
        })
        .collect()
}

fn names_of<'a, 't>(b: &FileBuilder<'a>, pattern: Node<'t>) -> Vec<PatternName<'a, 't>> {
    let fields = &b.grammar.fields;
    let (mut names, mut open) = (Vec::new(), vec![(pattern, Vec::new(), 0)]);
    while let Some((node, mut steps, depth)) = open.pop() {
        if names.len() >= MAX_NAMES || depth > MAX_DEPTH {
            break;
        }
        let field = |id: u16| node.child_by_field_id(id);
        match b.grammar.kind(node) {
            Kind::Identifier => names.push(PatternName { node, steps }),
            Kind::ShorthandPattern => {
                steps.push(PatternStep::Member(b.text(node)));
                names.push(PatternName { node, steps });
            }
            Kind::PairPattern => {
                if let (Some(key), Some(value)) = (field(fields.key), field(fields.value)) {
                    steps.push(match b.grammar.kind(key) {
                        Kind::PropertyIdentifier => PatternStep::Member(b.text(key)),
                        _ => PatternStep::OtherKey(b.text(key)),
                    });
                    open.push((value, steps, depth + 1));
                }
            }
            Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                open.extend(field(fields.left).map(|left| (left, steps, depth + 1)));
            }
            kind @ (Kind::ObjectPattern | Kind::ArrayPattern | Kind::RestPattern) => {
                for (at, child) in parts(node).into_iter().rev() {
                    let mut steps = steps.clone();
                    match kind {
                        Kind::ArrayPattern => steps.push(PatternStep::Item(at)),
                        Kind::RestPattern => steps.push(PatternStep::Rest),
                        _ => {}
                    }
                    open.push((child, steps, depth + 1));
                }
            }
            _ => {}
        }
    }
    names
}

/// Returns the parts of a pattern or a list, each with its place: `b` of `[, b]` is at 1.
pub(super) fn parts(node: Node<'_>) -> Vec<(u8, Node<'_>)> {
    let mut cursor = node.walk();
    let mut at = 0_u8;
    let mut found = Vec::new();
    for child in node.children(&mut cursor) {
        if child.is_named() {
            found.push((at, child));
        } else if child.kind() == "," {
            at = at.saturating_add(1);
        }
    }
    found
}
