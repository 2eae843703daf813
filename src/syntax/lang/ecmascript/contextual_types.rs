//! Contextual types (TypeScript specification, section 4.23): in `run((job) => …)` the parameter of `run` types `job`, and in
//! `run({ retries: 2 })` it has the member `retries`.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::builtins::Builtin;
use super::frame::Frame;
use super::kinds::Kind;
use super::lower_expr::lower_expr;
use super::member_uses::member_of;
use super::names::is_chain;
use super::pending::{BindingSource, ContextualType, NamePlace};
use super::signatures::{self, PARAMETERS};
use super::{bindings, nodes, object_types, patterns};
use crate::ir::{ExprId, ReferenceKind};

/// Expressions inside expressions that are looked at for an object or a function.
const MAX_DEPTH: usize = 4;

/// The contextual type that an annotation gives, an unknown one where it can't be followed; `None` for an object type that is
/// written out, whose members are no definitions.
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
    if let Some(found) = signatures::non_function_type(b, written) {
        return Some(ContextualType::Type(found));
    }
    (!object_types::has_object_type(b, Some(written)))
        .then(|| ContextualType::Type(b.exprs.unknown()))
}

/// The contextual type of an element of a list, or of a value that a generator yields.
pub(super) fn element_of(b: &mut FileBuilder<'_>, list: &ContextualType) -> ContextualType {
    ContextualType::Type(match list {
        ContextualType::Type(list) => b.exprs.element(*list),
        ContextualType::Parameters(_) => b.exprs.unknown(),
    })
}

/// Records the contextual type of a function, an object or a list until the walk enters it.
pub(super) fn expect(b: &mut FileBuilder<'_>, value: Node<'_>, expected: &ContextualType) {
    for value in operands(b, value) {
        if is_context_sensitive(b, value) {
            b.contextual.insert(value.id(), expected.clone());
        }
    }
}

/// Returns the expressions whose value an expression may have: `a` and `b` of `(test ? a : b)`, of `a ?? b`.
fn operands<'t>(b: &FileBuilder<'_>, value: Node<'t>) -> Vec<Node<'t>> {
    let fields = &b.grammar.fields;
    let (mut found, mut open) = (Vec::new(), vec![(value, 0)]);
    while let Some((node, depth)) = open.pop() {
        let inner: Vec<Node<'t>> = match b.grammar.kind(node) {
            Kind::Parenthesized => node.named_child(0).into_iter().collect(),
            Kind::Ternary => [fields.consequence, fields.alternative]
                .into_iter()
                .filter_map(|field| node.child_by_field_id(field))
                .collect(),
            Kind::Binary => {
                let operator = node.child_by_field_id(fields.operator);
                let (left, right) = nodes::sides(b, node).unzip();
                match operator.map(|it| b.text(it)) {
                    Some("||" | "??") => left.into_iter().chain(right).collect(),
                    Some("&&") => right.into_iter().collect(),
                    _ => Vec::new(),
                }
            }
            _ => {
                found.push(node);
                continue;
            }
        };
        if depth < MAX_DEPTH {
            open.extend(inner.into_iter().map(|it| (it, depth + 1)));
        }
    }
    found
}

/// `const a: A = …`
pub(super) fn expect_annotation(
    b: &mut FileBuilder<'_>,
    written: Option<Node<'_>>,
    value: Option<Node<'_>>,
) {
    if let (Some(written), Some(value)) = (written, value)
        && may_be_sensitive(b, value)
        && let Some(expected) = contextual_type(b, written)
    {
        expect(b, value, &expected);
    }
}

/// `(a: A = …)`
pub(super) fn expect_default(b: &mut FileBuilder<'_>, parameter: Node<'_>) {
    let fields = &b.grammar.fields;
    let written = parameter.child_by_field_id(fields.type_);
    let value = parameter.child_by_field_id(fields.value);
    expect_annotation(b, written, value);
}

/// `this.options = { … }`: the contextual type is that of the target.
pub(super) fn expect_assigned(b: &mut FileBuilder<'_>, node: Node<'_>) {
    let Some((left, right)) = nodes::sides(b, node).filter(|_| !b.grammar.untyped) else {
        return;
    };
    let text = b.text(left);
    let is_export = text.starts_with("exports") || text.starts_with("module.exports");
    let is_name = matches!(
        b.grammar.kind(left),
        Kind::Identifier | Kind::MemberExpression
    );
    if is_name
        && !is_export
        && may_be_sensitive(b, right)
        && let Some(target) = lower_expr(b, left)
    {
        expect(b, right, &ContextualType::Type(target));
    }
}

/// `… as A`, `… satisfies A`
pub(super) fn expect_cast(b: &mut FileBuilder<'_>, node: Node<'_>) {
    expect_annotation(b, node.named_child(1), node.named_child(0));
}

fn may_be_sensitive(b: &FileBuilder<'_>, value: Node<'_>) -> bool {
    operands(b, value)
        .into_iter()
        .any(|it| is_context_sensitive(b, it))
}

/// Whether a contextual type tells anything about a value: of a function with a parameter without annotation (TypeScript
/// specification, section 4.15.3), of an object that has members, of a list of objects.
fn is_context_sensitive(b: &FileBuilder<'_>, value: Node<'_>) -> bool {
    match b.grammar.kind(value) {
        Kind::Object if !b.grammar.untyped => {
            let mut cursor = value.walk();
            value
                .named_children(&mut cursor)
                .any(|member| member_key(b, member).is_some() || passed_value(b, member).is_some())
        }
        Kind::Array => {
            let mut cursor = value.walk();
            value
                .named_children(&mut cursor)
                .any(|one| b.grammar.kind(one) == Kind::Object && is_context_sensitive(b, one))
        }
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
        if !may_be_sensitive(b, one) || b.contextual.contains_key(&one.id()) {
            continue;
        }
        // Most calls are given nothing of which anything is expected.
        let callee = *called.get_or_insert_with(|| callee(b, call));
        let index = u8::try_from(at - 1).unwrap_or(u8::MAX);
        let expected = match callee {
            Some(callee) => b.exprs.parameter(callee, index),
            None => b.exprs.unknown(),
        };
        expect(b, one, &ContextualType::Type(expected));
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

/// An object that is expected to be something: its keys are uses of the members, which its values are expected to be.
pub(super) fn expect_members(b: &mut FileBuilder<'_>, object: Node<'_>, frame: &Frame) {
    let Some(ContextualType::Type(expr)) = b.contextual.remove(&object.id()) else {
        return;
    };
    let fields = b.grammar.fields;
    let mut cursor = object.walk();
    let members: Vec<Node<'_>> = object.named_children(&mut cursor).collect();
    for member in members {
        let Some(key) = member_key(b, member) else {
            if let Some(value) = passed_value(b, member) {
                let expected = match b.grammar.kind(member) {
                    Kind::Spread => expr,
                    _ => b.exprs.element(expr),
                };
                expect(b, value, &ContextualType::Type(expected));
            }
            continue;
        };
        let text = b.text(key);
        // Without types no member is declared.
        if !b.grammar.untyped {
            let named = (text, NamePlace::at_start(key));
            member_of(b, expr, named, ReferenceKind::Value, frame);
        }
        let value = match b.grammar.kind(member) {
            Kind::Pair => member.child_by_field_id(fields.value),
            Kind::MethodDefinition => Some(member),
            _ => None,
        };
        if value.is_some_and(|it| it == member || b.grammar.kind(it).is_function_value()) {
            b.literal_types.insert(member.id(), expr);
        }
        if let Some(value) = value.filter(|it| may_be_sensitive(b, *it)) {
            let member = b.exprs.member(expr, text);
            expect(b, value, &ContextualType::Type(member));
        }
    }
}

/// Returns the value of a member without a name that may be an object or a list, in TypeScript: that of a spread, whose keys are those of the
/// object around, `...(test ? { a } : {})`, and that of a computed key, `[name]: { a }`.
fn passed_value<'t>(b: &FileBuilder<'_>, member: Node<'t>) -> Option<Node<'t>> {
    if b.grammar.untyped {
        return None;
    }
    let value = match b.grammar.kind(member) {
        Kind::Spread => member.named_child(0),
        Kind::Pair => member.child_by_field_id(b.grammar.fields.value),
        _ => None,
    }?;
    let is_literal = |it: &Node<'_>| matches!(b.grammar.kind(*it), Kind::Object | Kind::Array);
    operands(b, value).iter().any(is_literal).then_some(value)
}

/// Returns the key of a member of an object, inside its quotes; `None` for one that is no name: `[key]`, `'a-b'`.
fn member_key<'t>(b: &FileBuilder<'_>, member: Node<'t>) -> Option<Node<'t>> {
    let fields = &b.grammar.fields;
    let key = match b.grammar.kind(member) {
        Kind::Pair => member.child_by_field_id(fields.key),
        Kind::MethodDefinition => member.child_by_field_id(fields.name),
        Kind::Shorthand => Some(member),
        _ => None,
    }?;
    let key = match b.grammar.kind(key) {
        Kind::PropertyIdentifier | Kind::Shorthand => key,
        Kind::Str => key.named_child(0)?,
        _ => return None,
    };
    let text = b.text(key);
    (is_chain(text) && !text.contains('.')).then_some(key)
}

/// A list that is expected to be something: its objects are elements of that.
pub(super) fn expect_elements(b: &mut FileBuilder<'_>, list: Node<'_>) {
    let Some(ContextualType::Type(expr)) = b.contextual.remove(&list.id()) else {
        return;
    };
    let element = b.exprs.element(expr);
    let mut cursor = list.walk();
    let objects: Vec<Node<'_>> = list
        .named_children(&mut cursor)
        .filter(|it| b.grammar.kind(*it) == Kind::Object)
        .collect();
    for object in objects {
        expect(b, object, &ContextualType::Type(element));
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
            ContextualType::Type(function) => {
                let parameter = b.exprs.parameter(*function, at);
                (!b.exprs.is_unknown(parameter)).then_some(parameter)
            }
            ContextualType::Parameters(parameters) => {
                parameters.get(usize::from(at)).copied().flatten()
            }
        };
        if let Some(target) = target.filter(|_| signatures::lacks_annotation(b, one))
            && let Some(value) = found
        {
            if b.grammar.kind(target) != Kind::Identifier {
                patterns::use_keys(b, target, value, around);
            }
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
