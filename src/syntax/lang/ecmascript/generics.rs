//! Types that are given to others: `Item` in `List<Item>`, and `T` inside `class List<T>`.
//!
//! Refuses to know what a generic type does with what it is given.

use tree_sitter::Node;

use super::hints::{Owner, Rank};
use super::kinds::Kind;
use super::types::GIVEN;
use super::walk::{Draft, Frame, Walk};
use crate::ir::{Expr, PathId, Slot};
use crate::model::SymbolKind;

impl Walk<'_> {
    /// `T extends A = B`: what it stands for is known by what is given to its class, an interface or an alias, or else
    /// by its bound; what that of a function stands for by its bound alone.
    pub(super) fn type_parameter(&mut self, node: Node<'_>, frame: &Frame) {
        let fields = self.grammar.fields;
        let field = |id: u16| node.child_by_field_id(id);
        let Some(name) = field(fields.name) else {
            return;
        };
        let bound = field(fields.constraint).map(|it| self.of_type(it));
        let standard = field(fields.value).map(|it| self.of_type(it));
        let owner = Owner::Binding(self.text(name), frame.scope);
        let Some((symbol, at)) = self.place_of_type_parameter(node, frame) else {
            if let Some(bound) = bound {
                self.hint(owner, bound, Rank::Written, frame);
            }
            return;
        };
        let own = self.exprs.add(Expr::TypeParam {
            owner: symbol,
            index: at,
            has_bound: true,
        });
        let own = self.exprs.instance(own);
        self.hint(owner, Some(own), Rank::Written, frame);
        let bounds = (Slot::TypeParamBound(at), bound.flatten());
        let standards = (Slot::TypeParamDefault(at), standard.flatten());
        for (slot, found) in [bounds, standards] {
            if found.is_some() {
                let path = self.exprs.arena.path(PathId::EMPTY, slot);
                self.hint(
                    Owner::Member(Some(symbol), path),
                    found,
                    Rank::Written,
                    frame,
                );
            }
        }
    }

    /// Returns the type that a type parameter belongs to, and its place there; `None` for that of a function and of a
    /// class without a name.
    fn place_of_type_parameter(&self, node: Node<'_>, frame: &Frame) -> Option<(u32, u8)> {
        let all = node.parent()?;
        let owner = all.parent()?;
        let symbol = frame.symbol?;
        let name = owner.child_by_field_id(self.grammar.fields.name)?;
        let draft = &self.drafts[symbol as usize].symbol;
        if !is_generic(draft.kind) || draft.name != self.text(name) {
            return None;
        }
        let mut cursor = all.walk();
        let mut parameters = all
            .named_children(&mut cursor)
            .filter(|one| self.grammar.kind(*one) == Kind::TypeParameter);
        let at = parameters.position(|one| one.id() == node.id())?;
        let at = u8::try_from(at).ok().filter(|_| at < GIVEN)?;
        Some((symbol, at))
    }
}

/// Returns the type around a definition, or itself where it is one.
pub(super) fn type_around(drafts: &[Draft], symbol: Option<u32>) -> Option<u32> {
    let mut at = symbol;
    while let Some(symbol) = at {
        let found = &drafts[symbol as usize].symbol;
        if is_generic(found.kind) {
            break;
        }
        at = found.parent;
    }
    at
}

/// Whether it may have type parameters that are those of all its members.
fn is_generic(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Interface, Type};
    matches!(kind, Class | Interface | Type)
}
