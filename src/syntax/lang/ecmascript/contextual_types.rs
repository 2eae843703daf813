//! Contextual types (TypeScript specification, section 4.23): in `run((job) => …)` the parameter of `run` types `job`.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::builtins::Builtin;
use super::frame::Frame;
use super::kinds::Kind;
use super::lower_expr::lower_expr;
use super::names::is_chain;
use super::pending::{BindingSource, ContextualType};
use super::signatures::{self, PARAMETERS};
use super::{bindings, nodes};
use crate::ir::ExprId;

/// The contextual type that an annotation gives; `None` for a union of functions.
pub(super) fn contextual_type(
    b: &mut FileBuilder<'_>,
    written: Node<'_>,
) -> Option<ContextualType> {
    if let Some(function) = signatures::function_type(b, written) {
        let parameters = signatures::parameters_of(b, function)
            .into_iter()
            .map(|one| {
                let written = one.child_by_field_id(b.grammar.fields.type_)?;
                signatures::non_function_type(b, written).filter(|_| !signatures::is_rest(b, one))
            });
        return Some(ContextualType::Parameters(parameters.collect()));
    }
    signatures::non_function_type(b, written).map(ContextualType::Type)
}

/// Records the contextual type of a function or an object until the walk enters it.
pub(super) fn expect(b: &mut FileBuilder<'_>, value: Node<'_>, expected: &ContextualType) {
    let mut value = value;
    while b.grammar.kind(value) == Kind::Parenthesized {
        let Some(inner) = value.named_child(0) else {
            return;
        };
        value = inner;
    }
    if is_context_sensitive(b, value) {
        b.contextual.insert(value.id(), expected.clone());
    }
}

/// `const a: A = …`
pub(super) fn expect_annotation(
    b: &mut FileBuilder<'_>,
    written: Option<Node<'_>>,
    value: Option<Node<'_>>,
) {
    if let (Some(written), Some(value)) = (written, value)
        && is_context_sensitive(b, value)
        && let Some(expected) = contextual_type(b, written)
    {
        expect(b, value, &expected);
    }
}

/// `… as A`, `… satisfies A`
pub(super) fn expect_cast(b: &mut FileBuilder<'_>, node: Node<'_>) {
    expect_annotation(b, node.named_child(1), node.named_child(0));
}

/// Whether a contextual type tells anything about a value: of a function with a parameter without annotation, of an
/// object that has functions (TypeScript specification, section 4.15.3).
fn is_context_sensitive(b: &FileBuilder<'_>, value: Node<'_>) -> bool {
    match b.grammar.kind(value) {
        Kind::Parenthesized => true,
        Kind::Object => {
            let mut cursor = value.walk();
            value.named_children(&mut cursor).any(|member| {
                let inner = member.child_by_field_id(b.grammar.fields.value);
                let kind = b.grammar.kind(inner.unwrap_or(member));
                kind.is_function_value() || matches!(kind, Kind::MethodDefinition | Kind::Object)
            })
        }
        kind if kind.is_function_value() || kind == Kind::MethodDefinition => {
            let parameters = signatures::parameters_of(b, value);
            parameters
                .iter()
                .any(|one| signatures::lacks_annotation(b, *one))
        }
        _ => false,
    }
}

/// `f(a => …)`, `new F({ a() {} })`: the contextual type of an argument is that of the parameter.
pub(super) fn expect_arguments(b: &mut FileBuilder<'_>, call: Node<'_>) {
    let fields = b.grammar.fields;
    let Some(arguments) = call.child_by_field_id(fields.arguments) else {
        return;
    };
    if b.grammar.kind(arguments) != Kind::Arguments {
        return;
    }
    let mut called = None;
    let mut at = 0;
    let mut cursor = arguments.walk();
    for one in arguments.named_children(&mut cursor) {
        match b.grammar.kind(one) {
            Kind::Comment => continue,
            Kind::Spread => return,
            _ if at == PARAMETERS => return,
            _ => at += 1,
        }
        if !is_context_sensitive(b, one) || b.contextual.contains_key(&one.id()) {
            continue;
        }
        // Most calls are given nothing of which anything is expected.
        let Some(callee) = called.get_or_insert_with(|| callee(b, call)) else {
            return;
        };
        let index = u8::try_from(at - 1).unwrap_or(u8::MAX);
        let expected = ContextualType::Type(b.exprs.parameter(*callee, index));
        expect(b, one, &expected);
    }
}

/// The callee of a call; `None` for `f.call(this, …)`, whose arguments are shifted.
fn callee(b: &mut FileBuilder<'_>, call: Node<'_>) -> Option<ExprId> {
    let fields = &b.grammar.fields;
    let function = call.child_by_field_id(fields.function);
    let callee = function.or_else(|| call.child_by_field_id(fields.constructor))?;
    // `f.call(this, a => …)` has its arguments elsewhere.
    let member = callee.child_by_field_id(fields.property);
    let is_moved = member.is_some_and(|it| matches!(b.text(it), "call" | "apply" | "bind"));
    (!is_moved).then(|| lower_expr(b, callee))?
}

/// An object that is expected to be something: so are its members.
pub(super) fn expect_members(b: &mut FileBuilder<'_>, object: Node<'_>) {
    let Some(ContextualType::Type(expr)) = b.contextual.remove(&object.id()) else {
        return;
    };
    let fields = &b.grammar.fields;
    let mut cursor = object.walk();
    let members: Vec<Node<'_>> = object.named_children(&mut cursor).collect();
    for member in members {
        let (key, value) = match b.grammar.kind(member) {
            Kind::Pair => (
                member.child_by_field_id(fields.key),
                member.child_by_field_id(fields.value),
            ),
            Kind::MethodDefinition => (member.child_by_field_id(fields.name), Some(member)),
            _ => continue,
        };
        if let (Some(key), Some(value)) = (key.and_then(|key| nodes::property_key(b, key)), value)
            && is_chain(&key)
            && !key.contains('.')
            && is_context_sensitive(b, value)
        {
            let member = b.exprs.member(expr, &key);
            expect(b, value, &ContextualType::Type(member));
        }
    }
}

/// Binds the parameters without annotation of a function that has a contextual type. `around` is the frame outside of
/// it.
pub(super) fn bind_contextual_parameters(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    scope: u32,
    around: &Frame,
) {
    let Some(expected) = b.contextual.remove(&node.id()) else {
        return;
    };
    for (at, one) in (0_u8..).zip(signatures::parameters_of(b, node)) {
        if signatures::is_rest(b, one) {
            return;
        }
        let fields = &b.grammar.fields;
        let target = match b.grammar.kind(one) {
            Kind::RequiredParameter | Kind::OptionalParameter => {
                one.child_by_field_id(fields.pattern)
            }
            Kind::AssignmentPattern => one.child_by_field_id(fields.left),
            _ => Some(one),
        };
        let found = match &expected {
            ContextualType::Type(function) => Some(b.exprs.parameter(*function, at)),
            ContextualType::Parameters(parameters) => {
                parameters.get(usize::from(at)).copied().flatten()
            }
        };
        if let Some(target) = target.filter(|_| signatures::lacks_annotation(b, one))
            && found.is_some()
        {
            bindings::bind_target(
                b,
                target,
                Some((found, BindingSource::Assignment)),
                scope,
                around,
            );
        }
    }
}

/// `xs.forEach(x => …)`, `p.then(x => …)`: the parameters of the callback by the type of the receiver.
pub(super) fn callback_parameters(b: &mut FileBuilder<'_>, call: Node<'_>) {
    let fields = &b.grammar.fields;
    let Some(callee) = call.child(0) else { return };
    if b.grammar.kind(callee) != Kind::MemberExpression {
        return;
    }
    let text = b.text(callee);
    let name = text.rsplit(['.', ' ', '\n']).next().unwrap_or_default();
    let Some(arguments) = call.child_by_field_id(fields.arguments) else {
        return;
    };
    let given = arguments
        .named_child(0)
        .filter(|given| b.grammar.kind(*given).is_function_value());
    let Some(given) = given else { return };
    let Some(expr) = callee.child(0).and_then(|object| lower_expr(b, object)) else {
        return;
    };
    let element = Some(b.exprs.element(expr));
    let parameters = match name {
        "then" => vec![Some(expr)],
        _ if Builtin::CallbackElement.has(name) => vec![element],
        _ if Builtin::CallbackPair.has(name) => vec![element; 2],
        _ if Builtin::CallbackFold.has(name) => {
            let first = match arguments.named_child(1) {
                Some(first) => lower_expr(b, first),
                None => element,
            };
            vec![first, element]
        }
        _ => return,
    };
    b.contextual
        .insert(given.id(), ContextualType::Parameters(parameters));
}
