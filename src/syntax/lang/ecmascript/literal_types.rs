//! Types that are written out where they stand: whose their members are, and what a type is made of.
//!
//! `type T = A & { b: B }` and `interface I extends Readonly<A & { b: B }>` have `b` as if it stood in their own body.
//! Refuses to know what a single type says; that is read from its text.

use tree_sitter::Node;

use super::kinds::Kind;
use super::role::Place;
use super::types::is_transparent;
use super::walk::{Frame, Walk};
use crate::ir::BaseKind;

/// Parts of a type that are looked at; more is generated.
const MAX_PARTS: usize = 64;

impl Walk<'_> {
    /// Returns whose the members of a type are that stands inside another, where the one around says it. The type of a
    /// cast or of an argument is not that of the name before it.
    pub(super) fn place_in_type(&self, node: Node<'_>, frame: &Frame, parent: &Frame) -> Place {
        match (parent.kind, frame.kind) {
            (Kind::TypeArguments, _) if !self.is_first(node) => Place::None,
            (_, Kind::GenericType) if self.first_argument(node).is_none() => Place::None,
            (Kind::UnionType, _) | (Kind::VariableDeclarator, Kind::TypeAnnotation) => {
                match frame.place {
                    // A member is there or not, or the value defines it: no definition, but what it is.
                    Place::Value(naming) => Place::Within(naming),
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
            | (Kind::Interface, Kind::ExtendsTypeClause) => frame.place,
            _ => Place::None,
        }
    }

    /// Returns whether what is written about a name is a type with members, `: { c: C }`.
    pub(super) fn is_literal_type(&self, written: Option<Node<'_>>) -> bool {
        let inside = written.and_then(|written| written.named_child(0));
        inside.is_some_and(|inside| {
            let mut parts = self.parts_of(inside).into_iter();
            parts.any(|part| self.grammar.kind(part) == Kind::ObjectType)
        })
    }

    /// Returns whether it is only that: nothing else is known of it by a name.
    pub(super) fn is_only_literal_type(&mut self, written: Option<Node<'_>>) -> bool {
        self.is_literal_type(written)
            && written.is_some_and(|written| self.of_type(written).is_none())
    }

    /// `type T = A & B`
    pub(super) fn alias(&mut self, node: Node<'_>, symbol: u32, frame: &Frame) {
        let Some(value) = node.child_by_field_id(self.grammar.fields.value) else {
            return;
        };
        for part in self.parts_of(value) {
            let found = self.of_type(part);
            self.built_on(found, BaseKind::Extends, Some(symbol), frame);
        }
    }

    /// Returns the parts of an intersection, of what is in brackets, and of what only says how a type is used
    /// (`Readonly<A>`); the type itself where it is none of them.
    pub(super) fn parts_of<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        let (mut parts, mut open) = (Vec::new(), vec![node]);
        while let Some(node) = open.pop().filter(|_| parts.len() < MAX_PARTS) {
            match self.grammar.kind(node) {
                Kind::IntersectionType | Kind::ParenthesizedType => {
                    let mut cursor = node.walk();
                    let inside: Vec<_> = node.named_children(&mut cursor).collect();
                    open.extend(inside.into_iter().rev());
                }
                Kind::GenericType => match self.first_argument(node) {
                    Some(inside) => open.push(inside),
                    None => parts.push(node),
                },
                Kind::UnionType => match self.only_one(node) {
                    Some(inside) => open.push(inside),
                    None => parts.push(node),
                },
                Kind::Comment => {}
                _ => parts.push(node),
            }
        }
        parts
    }

    /// Returns the one part of a union that is anything: `A` of `A | undefined`.
    fn only_one<'n>(&self, union: Node<'n>) -> Option<Node<'n>> {
        let mut cursor = union.walk();
        let mut parts = union.named_children(&mut cursor).filter(|part| {
            !matches!(self.text(*part), "null" | "undefined" | "void")
                && self.grammar.kind(*part) != Kind::Comment
        });
        let (one, None) = (parts.next()?, parts.next()) else {
            return None;
        };
        Some(one)
    }

    /// Returns the type that a generic one stands for to a reader: `A` of `Readonly<A>`.
    fn first_argument<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        let fields = &self.grammar.fields;
        let name = node.child_by_field_id(fields.name)?;
        let arguments = node.child_by_field_id(fields.type_arguments)?;
        let first = || {
            let mut cursor = arguments.walk();
            let mut inside = arguments.named_children(&mut cursor);
            inside.find(|argument| self.grammar.kind(*argument) != Kind::Comment)
        };
        is_transparent(self.text(name)).then(first)?
    }

    fn is_first(&self, argument: Node<'_>) -> bool {
        let mut before = argument.prev_named_sibling();
        while let Some(node) = before.filter(|node| self.grammar.kind(*node) == Kind::Comment) {
            before = node.prev_named_sibling();
        }
        before.is_none()
    }
}
