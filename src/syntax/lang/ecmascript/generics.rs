//! Types that are given to others: `Item` in `List<Item>`, and `T` inside `class List<T>`.
//!
//! Refuses to know what a generic type does with what it is given.

use tree_sitter::Node;

use super::hints::{Owner, Rank};
use super::kinds::Kind;
use super::origin::Origin;
use super::origin::{HintKind, TYPE_PARAMETER};
use super::types::of_type;
use super::walk::{Draft, Frame, Walk};
use crate::model::SymbolKind;

/// Types that are given to one type that are looked at.
const GIVEN: usize = 4;

impl Origin<'_> {
    /// Returns the same with the types that it is given.
    pub(super) fn given(mut self, all: impl Iterator<Item = Option<Self>>) -> Self {
        // What a comment imports is found by its import, not by a name.
        let is_named = |one: &Self| one.module.is_none();
        let all = all.map(|one| one.filter(is_named));
        self.given = all.take(GIVEN).collect();
        self
    }

    /// Returns the same with what the other is given.
    pub(super) fn taking(mut self, other: Option<Self>) -> Self {
        self.given = other.map_or(Vec::new(), |other| other.given);
        self
    }

    /// Returns whether it is, or is a member of, what a type parameter of a class stands for.
    pub(super) fn is_type_parameter(&self) -> bool {
        self.of.starts_with(TYPE_PARAMETER)
    }

    /// Returns the chain and its steps, with the types that the chain is given between them.
    pub(super) fn with_given(&self) -> String {
        if self.given.is_empty() {
            return self.of.clone().into_owned();
        }
        let (chain, steps) = match self.of.find(':') {
            Some(at) => self.of.split_at(at),
            None => (&*self.of, ""),
        };
        let one = |one: &Option<Self>| match one {
            None => String::new(),
            Some(one) if one.kind == HintKind::Type => one.text(),
            Some(one) => format!("{} {}", one.kind.as_str(), one.text()),
        };
        let given: Vec<String> = self.given.iter().map(one).collect();
        format!("{chain}<{}>{steps}", given.join(","))
    }
}

impl<'a> Walk<'a> {
    /// Returns a class with the types that it is given where it is made or built on.
    pub(super) fn given_to(&self, class: Node<'_>, given: Option<Node<'_>>) -> Option<Origin<'a>> {
        of_type(self.between(class.start_byte(), given?.end_byte()))
    }

    /// `T extends A = B`: what it stands for is known by what is given to its class, an interface or an alias, or else
    /// by its bound; what that of a function stands for by its bound alone.
    pub(super) fn type_parameter(&mut self, node: Node<'_>, frame: &Frame) {
        let fields = &self.grammar.fields;
        let field = |id: u16| node.child_by_field_id(id);
        let Some(name) = field(fields.name) else {
            return;
        };
        let of = |written: Node<'_>| {
            let text = self.text(written).trim_start();
            of_type(text.trim_start_matches("extends").trim_start_matches('='))
        };
        let bound = field(fields.constraint).map(of);
        let standard = field(fields.value).map(of);
        let owner = Owner::Binding(self.text(name), frame.scope);
        let Some((symbol, at)) = self.place_of_type_parameter(node, frame) else {
            if let Some(bound) = bound {
                self.hint(owner, bound, Rank::Written, frame);
            }
            return;
        };
        let own = format!("{TYPE_PARAMETER}{at}");
        let found = Origin::new(HintKind::Type, own.clone());
        self.hint(owner, Some(found), Rank::Written, frame);
        let standard = (format!("{own}="), standard.flatten());
        for (name, found) in [(own, bound.flatten()), standard] {
            if found.is_some() {
                let owner = Owner::Member(Some(symbol), name.into());
                self.hint(owner, found, Rank::Written, frame);
            }
        }
    }

    /// Returns the type that a type parameter belongs to, and its place there; `None` for that of a function and of a
    /// class without a name.
    fn place_of_type_parameter(&self, node: Node<'_>, frame: &Frame) -> Option<(u32, usize)> {
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
        (at < GIVEN).then_some((symbol, at))
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
