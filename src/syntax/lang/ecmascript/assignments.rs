//! Bindings by assignment: `this.a = new A()`, `A.prototype.b = …`, `a ??= …`.
//!
//! Assignments that define a symbol are in `commonjs`.

use tree_sitter::Node;

use super::builder::{DeclarationContext, FileBuilder};
use super::frame::Frame;
use super::initializers::{self, Initializer};
use super::kinds::Kind;
use super::lower_expr::lower_expr;
use super::names::is_path;
use super::pending::{BindingSource, ValueOwner};
use super::{bindings, classes, nodes, patterns};
use crate::ir::{BaseKind, Expr, Slot};
use crate::model::SymbolKind;

/// `a = …`, `this.a = …`, `A.prototype.a = …`
pub(super) fn assigned(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    initializer: Initializer<'_>,
    context: &DeclarationContext,
    frame: &Frame,
) {
    let Some((left, right)) = nodes::sides(b, node) else {
        return;
    };
    if initializer.is_function_or_class() {
        return;
    }
    let text = b.text(left);
    if let Some(key) = own_key(b, left)
        && let Some(symbol) = this_owner(b, frame.symbol)
    {
        return bind_assigned(b, ValueOwner::This(symbol, key), right, context, frame);
    }
    if !is_path(text) {
        return;
    }
    let Some((object, name)) = text.rsplit_once('.') else {
        if b.grammar.kind(left) == Kind::Identifier {
            bind_assigned(
                b,
                ValueOwner::Assigned(text, frame.scope),
                right,
                context,
                frame,
            );
        }
        return;
    };
    if name == "prototype" {
        return assign_prototype(b, object, right, frame);
    }
    let (object, name) = match object.strip_suffix(".prototype") {
        Some(class) => (class, name),
        None => (object, name),
    };
    if object == "this" {
        if let Some(symbol) = this_owner(b, frame.symbol) {
            let name = b.slot(name);
            bind_assigned(b, ValueOwner::This(symbol, name), right, context, frame);
        }
        return;
    }
    let mut names = object.split('.').chain([name]);
    let root = names.next().unwrap_or_default();
    if let Some(&symbol) = b.top_level.get(root) {
        let path = b.path(&names.collect::<Vec<_>>());
        bind_assigned(
            b,
            ValueOwner::Member(Some(symbol), path),
            right,
            context,
            frame,
        );
    }
}

/// Returns the `[key]` of `this[key]`.
fn own_key(b: &mut FileBuilder<'_>, left: Node<'_>) -> Option<Slot> {
    let is_own = b.grammar.kind(left) == Kind::Subscript
        && b.grammar.kind(left.child(0)?) == Kind::This
        && b.grammar.kind(left.named_child(1)?) == Kind::Identifier;
    let key = left.named_child(1)?;
    is_own.then(|| Slot::Key(b.exprs.arena.name(b.text(key))))
}

/// `({ a, b: c } = …)`; returns whether it is that.
pub(super) fn assigned_pattern(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &Frame) -> bool {
    let Some((left, right)) = nodes::sides(b, node) else {
        return false;
    };
    if b.grammar.kind(left) != Kind::ObjectPattern {
        return false;
    }
    if let Some(expr) = lower_expr(b, right) {
        let owner = |name| ValueOwner::Assigned(name, frame.scope);
        patterns::bind_pattern(b, left, expr, BindingSource::Assignment, owner, frame);
    }
    true
}

/// `a ??= …`, `this.a ||= …`
pub(super) fn logical_assignment(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &Frame) {
    let operator = node.child_by_field_id(b.grammar.fields.operator);
    let right = node.child_by_field_id(b.grammar.fields.right);
    if let (Some(operator), Some(right)) = (operator, right)
        && matches!(b.text(operator), "??=" | "||=" | "&&=")
    {
        let context = b.own_context(node);
        assigned(b, node, initializers::classify(b, right), &context, frame);
    }
}

fn bind_assigned<'a>(
    b: &mut FileBuilder<'a>,
    owner: ValueOwner<'a>,
    right: Node<'_>,
    context: &DeclarationContext,
    frame: &Frame,
) {
    let found = bindings::evidence(b, None, Some(right), context.span.start_byte as usize);
    if let Some((expr, source)) = found {
        let source = source.max(if source == BindingSource::Annotation {
            BindingSource::Annotation
        } else {
            BindingSource::Assignment
        });
        b.add_binding(owner, expr, source, frame);
    }
}

/// `A.prototype = Object.create(B.prototype)`, `A.prototype = new B()`
fn assign_prototype(b: &mut FileBuilder<'_>, class: &str, right: Node<'_>, frame: &Frame) {
    let Some(&symbol) = b.top_level.get(class) else {
        return;
    };
    let text = b.text(right);
    let base = match b.grammar.kind(right) {
        Kind::CallExpression => text
            .strip_prefix("Object.create(")
            .and_then(|rest| rest.split([',', ')']).next())
            .and_then(|base| base.trim().strip_suffix(".prototype")),
        _ => None,
    };
    let found = if let Some(base) = base {
        Some(b.exprs.chain(base))
    } else {
        let made = lower_expr(b, right);
        let made = made.filter(|made| b.exprs.is_new(*made));
        made.and_then(|made| match *b.exprs.get(made) {
            Expr::Construct { class } => Some(class),
            _ => None,
        })
    };
    classes::add_base(b, found, BaseKind::Extends, Some(symbol), frame);
}

/// `util.inherits(A, B)`, `Object.setPrototypeOf(A.prototype, B.prototype)`
pub(super) fn inherits_call(b: &mut FileBuilder<'_>, call: Node<'_>, frame: &Frame) {
    let Some(callee) = call.child(0) else { return };
    if !matches!(
        b.text(callee),
        "inherits" | "util.inherits" | "Object.setPrototypeOf"
    ) {
        return;
    }
    let arguments = call.child_by_field_id(b.grammar.fields.arguments);
    let plain = |at: u32| {
        let node = arguments?.named_child(at)?;
        let text = b.text(node);
        let text = text.strip_suffix(".prototype").unwrap_or(text);
        is_path(text).then_some(text)
    };
    if let (Some(class), Some(base)) = (plain(0), plain(1))
        && let Some(&symbol) = b.top_level.get(class)
    {
        let found = Some(b.exprs.chain(base));
        classes::add_base(b, found, BaseKind::Extends, Some(symbol), frame);
    }
}

/// Returns the class, or the function that makes objects, that `this` is an instance of in a symbol.
fn this_owner(b: &FileBuilder<'_>, symbol: Option<u32>) -> Option<u32> {
    let at = symbol?;
    let symbol = &b.symbols[at as usize].symbol;
    match symbol.kind {
        SymbolKind::Method | SymbolKind::Constructor | SymbolKind::Property | SymbolKind::Field => {
            symbol.parent
        }
        _ => Some(at),
    }
}
