//! Object types that are written where they stand, `{ a: A }`, and the parts of an intersection.
//!
//! `type T = A & { b: B }` has `b` as if it stood in a body of its own.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::builtins::Builtin;
use super::frame::{AssignmentTarget, Frame};
use super::kinds::Kind;
use super::lower_type::lower_type;

/// Parts of a type that are looked at; more is generated.
const MAX_PARTS: usize = 64;

/// The target of a type inside another, where that hands its own on. The type of a cast or of an argument is not that
/// of the name before it.
pub(super) fn target_in_type(
    b: &FileBuilder<'_>,
    node: Node<'_>,
    frame: &Frame,
    parent: &Frame,
) -> AssignmentTarget {
    match (parent.kind, frame.kind) {
        (Kind::TypeArguments, _) if !is_first(b, node) => AssignmentTarget::None,
        (_, Kind::GenericType) if first_argument(b, node).is_none() => AssignmentTarget::None,
        (Kind::UnionType, _) | (Kind::VariableDeclarator, Kind::TypeAnnotation) => {
            match frame.target {
                // A member of a union may be missing, and a value defines its own: both have types, but are no symbols.
                AssignmentTarget::Value(enclosing) => AssignmentTarget::Within(enclosing),
                place => place,
            }
        }
        (
            Kind::TypeAlias
            | Kind::IntersectionType
            | Kind::ParenthesizedType
            | Kind::TypeArguments
            | Kind::TypeAnnotation,
            _,
        )
        | (Kind::ExtendsTypeClause, Kind::GenericType)
        | (Kind::GenericType, Kind::TypeArguments)
        | (
            Kind::PropertySignature
            | Kind::PublicField
            | Kind::FieldDefinition
            | Kind::RequiredParameter
            | Kind::OptionalParameter,
            Kind::TypeAnnotation,
        )
        | (Kind::Interface, Kind::ExtendsTypeClause) => frame.target,
        _ => AssignmentTarget::None,
    }
}

/// Whether an annotation is or includes an object type: `: { c: C }`.
pub(super) fn has_object_type(b: &FileBuilder<'_>, written: Option<Node<'_>>) -> bool {
    let inside = written.and_then(|written| written.named_child(0));
    inside.is_some_and(|inside| {
        let mut parts = intersection_parts(b, inside).into_iter();
        parts.any(|part| b.grammar.kind(part) == Kind::ObjectType)
    })
}

/// Returns whether it is only that: nothing else is known of it by a name.
pub(super) fn is_only_object_type(b: &mut FileBuilder<'_>, written: Option<Node<'_>>) -> bool {
    has_object_type(b, written) && written.is_some_and(|written| lower_type(b, written).is_none())
}

/// The parts of an intersection, through parentheses and types like `Readonly<A>`.
pub(super) fn intersection_parts<'n>(b: &FileBuilder<'_>, node: Node<'n>) -> Vec<Node<'n>> {
    let (mut parts, mut open) = (Vec::new(), vec![node]);
    while let Some(node) = open.pop().filter(|_| parts.len() < MAX_PARTS) {
        match b.grammar.kind(node) {
            Kind::IntersectionType | Kind::ParenthesizedType => {
                let mut cursor = node.walk();
                let inside: Vec<_> = node.named_children(&mut cursor).collect();
                open.extend(inside.into_iter().rev());
            }
            Kind::GenericType => match first_argument(b, node) {
                Some(inside) => open.push(inside),
                None => parts.push(node),
            },
            Kind::UnionType => match only_one(b, node) {
                Some(inside) => open.push(inside),
                None => parts.push(node),
            },
            Kind::Comment => {}
            _ => parts.push(node),
        }
    }
    parts
}

/// The only part of a union that has members: `A` of `A | undefined`.
fn only_one<'n>(b: &FileBuilder<'_>, union: Node<'n>) -> Option<Node<'n>> {
    let mut cursor = union.walk();
    let mut parts = union.named_children(&mut cursor).filter(|part| {
        !matches!(b.text(*part), "null" | "undefined" | "void")
            && b.grammar.kind(*part) != Kind::Comment
    });
    let (one, None) = (parts.next()?, parts.next()) else {
        return None;
    };
    Some(one)
}

/// Returns the type that a generic one stands for to a reader: `A` of `Readonly<A>`.
fn first_argument<'n>(b: &FileBuilder<'_>, node: Node<'n>) -> Option<Node<'n>> {
    let fields = &b.grammar.fields;
    let name = node.child_by_field_id(fields.name)?;
    let arguments = node.child_by_field_id(fields.type_arguments)?;
    let first = || {
        let mut cursor = arguments.walk();
        let mut inside = arguments.named_children(&mut cursor);
        inside.find(|argument| b.grammar.kind(*argument) != Kind::Comment)
    };
    Builtin::FirstArgument.has(b.text(name)).then(first)?
}

fn is_first(b: &FileBuilder<'_>, argument: Node<'_>) -> bool {
    let mut before = argument.prev_named_sibling();
    while let Some(node) = before.filter(|node| b.grammar.kind(*node) == Kind::Comment) {
        before = node.prev_named_sibling();
    }
    before.is_none()
}
