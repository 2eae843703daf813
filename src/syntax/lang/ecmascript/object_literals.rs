//! Object literals inside functions: `return { a, b: c }` gives the function's result the members `a` and `b`.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::frame::Frame;
use super::kinds::Kind;
use super::lower_expr::lower_expr;
use super::nodes;
use super::pending::{BindingSource, ValueOwner};
use crate::ir::{Expr, PathId, Slot};

/// Members of a returned object that are looked at; more is generated.
const MAX_MEMBERS: usize = 200;

/// Objects inside objects that are looked at.
const MAX_DEPTH: usize = 4;

/// Binds a local name to an object literal or object type. Returns the enclosing symbol of its members; `None` where no
/// symbol is around it.
pub(super) fn local_object<'a>(
    b: &mut FileBuilder<'a>,
    name: &'a str,
    scope: u32,
    frame: &Frame,
) -> Option<u32> {
    let (Some(inside), path) = b.member_path(frame.enclosing) else {
        return None;
    };
    let around = b.exprs.add(Expr::Symbol(inside));
    let slots = b.exprs.arena.slots(path);
    let around = slots.into_iter().fold(around, |object, slot| match slot {
        Slot::Member(name) => b.exprs.member_by(object, name),
        _ => object,
    });
    let expr = b.exprs.member(around, name);
    let owner = ValueOwner::Binding(name, scope);
    b.add_binding(owner, Some(expr), BindingSource::Initializer, frame);
    Some(b.nest_under(frame.enclosing, name))
}

/// `return { a, b: c }`: binds the members of the result, which is at `path` under the function.
pub(super) fn returned_object(
    b: &mut FileBuilder<'_>,
    object: Node<'_>,
    symbol: u32,
    path: PathId,
    frame: &Frame,
) {
    let fields = b.grammar.fields;
    let mut open = vec![(object, path, 0)];
    let mut n_members = 0;
    while let Some((object, path, depth)) = open.pop() {
        let mut cursor = object.walk();
        for member in object.named_children(&mut cursor) {
            n_members += 1;
            if n_members > MAX_MEMBERS {
                return;
            }
            let (name, value) = match b.grammar.kind(member) {
                Kind::Shorthand => (b.text(member).into(), member),
                Kind::Pair => {
                    let key = member.child_by_field_id(fields.key);
                    let name = key.and_then(|key| nodes::property_key(b, key));
                    match (name, member.child_by_field_id(fields.value)) {
                        (Some(name), Some(value)) => (name, value),
                        _ => continue,
                    }
                }
                _ => continue,
            };
            let slot = b.slot(&name);
            let path = b.exprs.arena.path(path, slot);
            if let Some(inner) = nodes::object_literal(b, value) {
                if depth < MAX_DEPTH {
                    open.push((inner, path, depth + 1));
                }
                continue;
            }
            let expr = match b.grammar.kind(value) {
                Kind::Shorthand => Some(b.exprs.name(b.text(value))),
                _ => lower_expr(b, value),
            };
            if expr.is_some() {
                let owner = ValueOwner::Member(Some(symbol), path);
                b.add_binding(owner, expr, BindingSource::Initializer, frame);
            }
        }
    }
}
