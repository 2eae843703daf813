//! Object literals inside functions: `return { a, b: c }` gives the function's result the members `a` and `b`, and
//! `return { open() {} }` defines the function `open` inside the function around.

use tree_sitter::Node;

use super::builder::{DefinitionForm, FileBuilder};
use super::frame::{Frame, line_of};
use super::initializers::{self, Initializer};
use super::kinds::Kind;
use super::lower_expr::lower_expr;
use super::nodes;
use super::pending::{BindingSource, ValueOwner};
use crate::ir::{Expr, PathId, Slot};
use crate::model::SymbolKind;
use crate::syntax::signature;

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
            if depth == 0 && initializers::classify(b, value).is_function_or_class() {
                // `returned_member` binds it to its own symbol.
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

/// `open() {}`, `open: () => {}` in an object that a function returns: defines the function or class inside that
/// function, and binds the member of its result to it. Nothing where no symbol returns it, or its type is declared:
/// then the uses are those of the declared member.
pub(super) fn returned_member(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &mut Frame) {
    let Some((symbol, path)) = returning(b, frame) else {
        return;
    };
    let fields = b.grammar.fields;
    let value = node.child_by_field_id(fields.value);
    let key = node.child_by_field_id(match value {
        Some(_) => fields.key,
        None => fields.name,
    });
    let Some((key, name)) = key.and_then(|key| Some((key, nodes::property_key(b, key)?))) else {
        return;
    };
    let initializer = value.map(|value| initializers::classify(b, value));
    let kind = match initializer {
        Some(Initializer::Class(_)) => SymbolKind::Class,
        Some(Initializer::Function(_)) => SymbolKind::Method,
        None if frame.kind == Kind::MethodDefinition && !is_accessor(b, node, key) => {
            SymbolKind::Method
        }
        _ => return,
    };
    let context = b.own_context(node);
    let mut definition = DefinitionForm::new(&name, kind, line_of(key), frame.enclosing);
    definition.signature = match value {
        Some(value) => signature::of_head(initializers::value_head(b, node, value)),
        None => nodes::signature_of(b, node),
    };
    let Some(defined) = b.define(definition, &context, frame) else {
        return;
    };
    if let Some(initializer) = initializer {
        initializers::own_body(b, initializer, defined);
    }
    let slot = b.slot(&name);
    let owner = ValueOwner::Member(Some(symbol), b.exprs.arena.path(path, slot));
    let expr = b.exprs.add(Expr::Symbol(defined));
    b.add_binding(owner, Some(expr), BindingSource::Initializer, frame);
}

/// Binds `this` in a method of a returned object to the result of the function around, which is that object.
pub(super) fn bind_this_of_returned(b: &mut FileBuilder<'_>, frame: &Frame, around: &Frame) {
    b.scopes.bind("this", frame.scope, false);
    if let Some((symbol, _)) = returning(b, around).filter(|(at, _)| around.symbol == Some(*at)) {
        let function = b.exprs.add(Expr::Symbol(symbol));
        let object = b.exprs.call(function, &[], &[]);
        let owner = ValueOwner::Binding("this", frame.scope);
        b.add_binding(owner, Some(object), BindingSource::Initializer, frame);
    }
}

/// The symbol whose result is bound by the `return` statements at a frame, and the place of that result.
fn returning(b: &FileBuilder<'_>, frame: &Frame) -> Option<(u32, PathId)> {
    match b.returns.get(frame.function as usize)?.owner {
        Some(ValueOwner::Member(Some(symbol), path)) => Some((symbol, path)),
        _ => None,
    }
}

/// `get a() {}`, `set a(b) {}`
fn is_accessor(b: &FileBuilder<'_>, node: Node<'_>, name: Node<'_>) -> bool {
    let words = nodes::head(b, node, name.start_byte());
    words.split_whitespace().any(|w| matches!(w, "get" | "set"))
}
