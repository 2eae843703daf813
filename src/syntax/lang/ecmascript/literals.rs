//! Object literals, and types that are written out, of names inside functions, and those that functions return: what
//! their members are.
//!
//! They are no definitions, but their members are known under the function and the way to them. Refuses to know what
//! a member's value is.

use tree_sitter::Node;

use super::hints::{Owner, Rank};
use super::kinds::Kind;
use super::walk::{Frame, Walk};
use crate::ir::{Expr, PathId, Slot};

/// Members of a returned object that are looked at; more is generated.
const MAX_MEMBERS: usize = 200;
/// Objects inside objects that are looked at.
const MAX_DEPTH: usize = 4;

impl<'a> Walk<'a> {
    /// A name in `scope` that is such a literal. Returns the naming for its members; `None` where no definition is around
    /// it.
    pub(super) fn local_literal(
        &mut self,
        name: &'a str,
        scope: u32,
        frame: &Frame,
    ) -> Option<u32> {
        let (Some(inside), path) = self.place_of(frame.naming) else {
            return None;
        };
        let around = self.exprs.add(Expr::Symbol(inside));
        let slots = self.exprs.arena.slots(path);
        let around = slots.into_iter().fold(around, |object, slot| match slot {
            Slot::Member(name) => self.exprs.member_by(object, name),
            _ => object,
        });
        let origin = self.exprs.member(around, name);
        let owner = Owner::Binding(name, scope);
        self.hint(owner, Some(origin), Rank::Initial, frame);
        Some(self.subnaming(frame.naming, name))
    }

    /// Returns the object literal that an expression is, in brackets or not.
    pub(super) fn bare_object<'n>(&self, value: Node<'n>) -> Option<Node<'n>> {
        match self.grammar.kind(value) {
            Kind::Object => Some(value),
            Kind::Parenthesized => self.bare_object(value.named_child(0)?),
            _ => None,
        }
    }

    /// `return { a, b: c }`: `path` is what the result is called, under the function.
    pub(super) fn returned_literal(
        &mut self,
        object: Node<'_>,
        symbol: u32,
        path: PathId,
        frame: &Frame,
    ) {
        let fields = self.grammar.fields;
        let mut open = vec![(object, path, 0)];
        let mut n_members = 0;
        while let Some((object, path, depth)) = open.pop() {
            let mut cursor = object.walk();
            for member in object.named_children(&mut cursor) {
                n_members += 1;
                if n_members > MAX_MEMBERS {
                    return;
                }
                let (name, value) = match self.grammar.kind(member) {
                    Kind::Shorthand => (self.text(member).into(), member),
                    Kind::Pair => {
                        let key = member.child_by_field_id(fields.key);
                        let name = key.and_then(|key| self.key(key));
                        match (name, member.child_by_field_id(fields.value)) {
                            (Some(name), Some(value)) => (name, value),
                            _ => continue,
                        }
                    }
                    _ => continue,
                };
                let slot = self.slot(&name);
                let path = self.exprs.arena.path(path, slot);
                if let Some(inner) = self.bare_object(value) {
                    if depth < MAX_DEPTH {
                        open.push((inner, path, depth + 1));
                    }
                    continue;
                }
                let origin = match self.grammar.kind(value) {
                    Kind::Shorthand => Some(self.exprs.name(self.text(value))),
                    _ => self.origin(value),
                };
                if origin.is_some() {
                    let owner = Owner::Member(Some(symbol), path);
                    self.hint(owner, origin, Rank::Initial, frame);
                }
            }
        }
    }
}
