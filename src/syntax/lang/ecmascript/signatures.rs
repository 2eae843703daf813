//! Signatures as callers see them: the types of parameters, of the parameters of callbacks, and of the result.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::frame::Frame;
use super::kinds::Kind;
use super::lower_type::lower_type;
use super::names::is_chain;
use super::pending::ValueOwner;
use super::{object_types, type_params};
use crate::ir::{ExprId, PathId, Slot};

/// Functions in the parameters of functions that are looked at.
const FUNCTION_DEPTH: usize = 3;

/// Parameters of one function that are looked at.
pub(super) const PARAMETERS: usize = 16;

/// The lowered type, where no function is part of it.
pub(super) fn non_function_type(b: &mut FileBuilder<'_>, written: Node<'_>) -> Option<ExprId> {
    let has_function = b.text(written).contains("=>");
    (!has_function).then(|| lower_type(b, written)).flatten()
}

/// The only function in a type, `null` and `undefined` apart; none with type parameters.
pub(super) fn function_type<'t>(b: &FileBuilder<'_>, written: Node<'t>) -> Option<Node<'t>> {
    let mut at = written;
    for _ in 0..FUNCTION_DEPTH * 2 {
        if b.grammar.kind(at) == Kind::FunctionType {
            let given = at.child_by_field_id(b.grammar.fields.type_parameters);
            return given.is_none().then_some(at);
        }
        let mut cursor = at.walk();
        let mut parts = at.named_children(&mut cursor).filter(|part| {
            !matches!(b.text(*part), "null" | "undefined" | "void")
                && b.grammar.kind(*part) != Kind::Comment
        });
        let (part, None) = (parts.next()?, parts.next()) else {
            return None;
        };
        if !matches!(
            b.grammar.kind(at),
            Kind::TypeAnnotation | Kind::UnionType | Kind::ParenthesizedType
        ) {
            return None;
        }
        at = part;
    }
    None
}

/// Returns the parameters of a function or its type, without `this`.
pub(super) fn parameters_of<'t>(b: &FileBuilder<'_>, function: Node<'t>) -> Vec<Node<'t>> {
    let fields = &b.grammar.fields;
    if let Some(only) = function.child_by_field_id(fields.parameter) {
        return vec![only];
    }
    let Some(all) = function.child_by_field_id(fields.parameters) else {
        return Vec::new();
    };
    let is_this = |one: &Node<'_>| {
        let pattern = one.child_by_field_id(fields.pattern);
        pattern.is_some_and(|pattern| b.grammar.kind(pattern) == Kind::This)
    };
    let mut cursor = all.walk();
    all.named_children(&mut cursor)
        .filter(|one| b.grammar.kind(*one) != Kind::Comment && !is_this(one))
        .take(PARAMETERS)
        .collect()
}

pub(super) fn is_rest(b: &FileBuilder<'_>, parameter: Node<'_>) -> bool {
    let pattern = parameter.child_by_field_id(b.grammar.fields.pattern);
    b.grammar.kind(pattern.unwrap_or(parameter)) == Kind::RestPattern
}

/// Records the types of a function's parameters, by which those of functions are known that it is given.
pub(super) fn bind_parameters(b: &mut FileBuilder<'_>, node: Node<'_>, symbol: u32, frame: &Frame) {
    // Of several heads the last one is not for callers.
    let is_one = !b.symbols[symbol as usize].overloaded;
    let given = node.child_by_field_id(b.grammar.fields.type_parameters);
    let is_type = b.grammar.kind(node) == Kind::CallSignature && given.is_some();
    if is_one && !is_type && !b.grammar.untyped {
        bind_parameter_list(b, node, Some(symbol), PathId::EMPTY, frame);
    }
}

/// `{ a: (b: B) => void }`: records the parameters of a member of a type that is written out.
pub(super) fn bind_member_parameters(
    b: &mut FileBuilder<'_>,
    member: Node<'_>,
    owner: &ValueOwner<'_>,
    frame: &Frame,
) {
    let ValueOwner::Member(symbol, path) = *owner else {
        return;
    };
    let fields = &b.grammar.fields;
    let written = member.child_by_field_id(fields.type_);
    let is_generic = member.child_by_field_id(fields.type_parameters).is_some();
    let function = match b.grammar.kind(member) {
        Kind::MethodSignature => (!is_generic).then_some(member),
        _ => written.and_then(|written| function_type(b, written)),
    };
    if let Some(function) = function {
        bind_parameter_list(b, function, symbol, path, frame);
    }
}

fn bind_parameter_list(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    symbol: Option<u32>,
    before: PathId,
    frame: &Frame,
) {
    let is_defined = node.child_by_field_id(b.grammar.fields.body).is_some();
    for (at, one) in (0_u8..).zip(parameters_of(b, node)) {
        let written = one.child_by_field_id(b.grammar.fields.type_);
        if let Some(written) = written.filter(|_| !is_rest(b, one)) {
            let path = b.exprs.arena.path(before, Slot::Param(at));
            bind_parameter_type(b, written, symbol, path, is_defined, frame);
        }
    }
}

/// Binds the type of a parameter, or of the members of its object type. The members of a function that `is_defined` are
/// for its own body; the callbacks among them are for callers.
fn bind_parameter_type(
    b: &mut FileBuilder<'_>,
    written: Node<'_>,
    symbol: Option<u32>,
    path: PathId,
    is_defined: bool,
    frame: &Frame,
) {
    let slots = b.exprs.arena.slots(path);
    if let Some(function) = function_type(b, written) {
        let is_parameter = |slot: &&Slot| matches!(slot, Slot::Param(_));
        if slots.iter().filter(is_parameter).count() <= FUNCTION_DEPTH {
            bind_parameter_list(b, function, symbol, path, frame);
        }
    } else if object_types::is_only_object_type(b, Some(written)) {
        if slots.len() > FUNCTION_DEPTH + 1 {
            return;
        }
        for (key, member) in object_type_members(b, written) {
            let key = b.slot(key);
            let path = b.exprs.arena.path(path, key);
            let inside = member.child_by_field_id(b.grammar.fields.type_);
            if b.grammar.kind(member) == Kind::MethodSignature {
                bind_parameter_list(b, member, symbol, path, frame);
            } else if let Some(inside) = inside
                && (!is_defined || non_function_type(b, inside).is_none())
            {
                bind_parameter_type(b, inside, symbol, path, is_defined, frame);
            }
        }
    } else if let Some(found) = non_function_type(b, written)
        && (slots.len() > 1 || !b.exprs.is_sequence(found))
    {
        let owner = ValueOwner::Member(symbol, path);
        b.annotate(owner, Some(found), frame);
    }
}

/// Returns the members of a type that is written out, those with plain names.
fn object_type_members<'a, 't>(b: &FileBuilder<'a>, written: Node<'t>) -> Vec<(&'a str, Node<'t>)> {
    let parts = written
        .named_child(0)
        .map(|inside| object_types::intersection_parts(b, inside));
    let mut members = Vec::new();
    for part in parts.unwrap_or_default() {
        let mut cursor = part.walk();
        members.extend(part.named_children(&mut cursor).filter_map(|member| {
            let key = member.child_by_field_id(b.grammar.fields.name)?;
            let key = b.text(key);
            (is_chain(key) && !key.contains('.')).then_some((key, member))
        }));
    }
    members.truncate(PARAMETERS);
    members
}

/// Binds the parameters of a function type, of an interface with a call signature, or of a member of function type.
pub(super) fn bind_callable_type(
    b: &mut FileBuilder<'_>,
    written: Option<Node<'_>>,
    symbol: u32,
    frame: &Frame,
) {
    let Some(written) = written else { return };
    if let Some(function) = function_type(b, written) {
        return bind_parameters(b, function, symbol, frame);
    }
    let mut cursor = written.walk();
    let mut signatures = written
        .named_children(&mut cursor)
        .filter(|one| b.grammar.kind(*one) == Kind::CallSignature);
    if let (Some(one), None) = (signatures.next(), signatures.next()) {
        declared_return(b, one, Some(symbol), frame);
    }
}

pub(super) fn lacks_annotation(b: &FileBuilder<'_>, parameter: Node<'_>) -> bool {
    let written = parameter.child_by_field_id(b.grammar.fields.type_);
    written.is_none() && !is_rest(b, parameter)
}

/// A function without a body: its result is its annotation or unknown.
pub(super) fn declared_return(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    symbol: Option<u32>,
    frame: &Frame,
) {
    let written = node.child_by_field_id(b.grammar.fields.return_type);
    if let Some(symbol) = symbol {
        bind_parameters(b, node, symbol, frame);
        type_params::infer_from_arguments(b, node, symbol, frame);
    }
    if let (Some(written), Some(symbol)) = (written, symbol) {
        let path = b.exprs.arena.path(PathId::EMPTY, Slot::Return);
        let owner = ValueOwner::Member(Some(symbol), path);
        let expr = lower_type(b, written);
        b.annotate(owner, expr, frame);
    }
}
