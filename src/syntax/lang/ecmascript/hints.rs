//! What is written about the types and values of names.
//!
//! Knows every place where that is written. Refuses to know what it amounts to: that is in `settle`.

use tree_sitter::Node;

use super::exprs::Start;
use super::kinds::Kind;
use super::role::Place;
use super::walk::{Frame, Walk};
use crate::ir::{BaseKind, ExprId, PathId, Slot};
use crate::model::SymbolKind;

/// Whose type or value it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Owner<'a> {
    /// A name that this scope binds.
    Binding(&'a str, u32),
    /// A name that is assigned in this scope and bound there or around.
    Assigned(&'a str, u32),
    /// A member of a symbol, or of the file.
    Member(Option<u32>, PathId),
    /// A type parameter of a function by its place, which this scope binds: what it is in what that returns.
    Own(&'a str, u32, u8),
    /// A member of `this`, which is this symbol where no function around has its own.
    This(u32, Slot),
    /// Nobody's: an expression before a dot.
    Expression,
}

/// How much a hint weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// A type that is written.
    Written,
    /// The value that a name begins with, or that a function returns.
    Initial,
    /// A value that is assigned later.
    Assigned,
}

/// One hint as it was met.
#[derive(Clone, Debug)]
pub(super) struct Raw<'a> {
    pub(super) owner: Owner<'a>,
    /// `None` for a type or value that says nothing.
    pub(super) origin: Option<ExprId>,
    pub(super) rank: Rank,
    pub(super) scope: u32,
    pub(super) symbol: Option<u32>,
}

impl<'a> Walk<'a> {
    /// Records a hint that was met in `frame`. Returns its number.
    pub(super) fn hint(
        &mut self,
        owner: Owner<'a>,
        origin: Option<ExprId>,
        rank: Rank,
        frame: &Frame,
    ) -> u32 {
        self.hints.push(Raw {
            owner,
            origin,
            rank,
            scope: frame.scope,
            symbol: frame.symbol,
        });
        u32::try_from(self.hints.len() - 1).unwrap_or(u32::MAX)
    }

    /// Returns what is written about a name: its type, else its value.
    pub(super) fn written(
        &mut self,
        written: Option<Node<'_>>,
        value: Option<Node<'_>>,
        start: usize,
    ) -> Option<(Option<ExprId>, Rank)> {
        if let Some(written) = written {
            return Some((self.of_type(written), Rank::Written));
        }
        if self.grammar.untyped
            && let Some(written) = self.jsdoc_tag(start, "@type")
        {
            return Some((self.doc_type(written), Rank::Written));
        }
        let value = value.filter(|value| {
            !self.is_nothing(*value) && !self.grammar.kind(*value).is_function_value()
        })?;
        Some((self.origin(value), Rank::Initial))
    }

    /// A name or a pattern in `scope` that is bound to what has an origin.
    pub(super) fn bound(
        &mut self,
        target: Node<'_>,
        found: Option<(Option<ExprId>, Rank)>,
        scope: u32,
        frame: &Frame,
    ) {
        let Some((origin, rank)) = found else { return };
        if self.grammar.kind(target) == Kind::Identifier {
            let owner = Owner::Binding(self.text(target), scope);
            self.hint(owner, origin, rank, frame);
        } else if let Some(origin) = origin {
            let owner = |name| Owner::Binding(name, scope);
            self.pattern_hints(target, origin, rank, owner, frame);
        }
    }

    /// `a: A`, `{ b }: B = new B()` in a parameter list.
    pub(super) fn parameter(&mut self, node: Node<'_>, own: &mut Frame, frame: &Frame) {
        let fields = self.grammar.fields;
        let Some(pattern) = node.child_by_field_id(fields.pattern) else {
            return;
        };
        let written = node.child_by_field_id(fields.type_);
        let value = node.child_by_field_id(fields.value);
        if written.is_none() && value.is_none() || frame.in_type {
            return;
        }
        let found = self.written(written, value, node.start_byte());
        if self.grammar.kind(pattern) == Kind::This {
            self.scopes.bind("this", frame.scope, false);
            let origin = found.and_then(|(origin, _)| origin);
            let owner = Owner::Binding("this", frame.scope);
            self.hint(owner, origin, Rank::Written, frame);
        } else if let Some(written) = written
            && self.grammar.kind(pattern) == Kind::ObjectPattern
            && let Some(literal) = written.named_child(0)
            && self.grammar.kind(literal) == Kind::ObjectType
        {
            self.literal_parameter(pattern, literal, frame);
        } else if self.is_only_literal_type(written)
            && self.grammar.kind(pattern) == Kind::Identifier
        {
            let place = self.local_literal(self.text(pattern), frame.scope, frame);
            own.place = place.map_or(Place::None, Place::Within);
        } else {
            self.bound(pattern, found, frame.scope, frame);
        }
    }

    /// `{ a }: { a: A }`
    fn literal_parameter(&mut self, pattern: Node<'_>, literal: Node<'_>, frame: &Frame) {
        let fields = self.grammar.fields;
        let mut cursor = literal.walk();
        for member in literal.named_children(&mut cursor) {
            let key = member.child_by_field_id(fields.name);
            let written = member.child_by_field_id(fields.type_);
            if let (Some(key), Some(written)) = (key, written) {
                let found = self.of_type(written);
                self.taken_apart(pattern, self.text(key), found, frame);
            }
        }
    }

    /// `a = new A()` in the parameter list of an untyped language, or with its type before it.
    pub(super) fn untyped_parameter(&mut self, node: Node<'_>, frame: &Frame) {
        let fields = &self.grammar.fields;
        let (target, value) = match self.grammar.kind(node) {
            Kind::AssignmentPattern => (
                node.child_by_field_id(fields.left),
                node.child_by_field_id(fields.right),
            ),
            _ => (Some(node), None),
        };
        if let Some(target) = target {
            let found = self.written(None, value, node.start_byte());
            self.bound(target, found, frame.scope, frame);
        }
    }

    /// `for (const a of b)`; `scope` is that of the names.
    pub(super) fn element(&mut self, node: Node<'_>, scope: u32, frame: &Frame) {
        let fields = &self.grammar.fields;
        let of = node.child_by_field_id(fields.operator);
        if of.is_some_and(|of| self.text(of) == "of")
            && let Some((left, right)) = self.sides(node)
            && let Some(origin) = self.origin(right)
        {
            let found = Some((Some(self.exprs.element(origin)), Rank::Initial));
            self.bound(left, found, scope, frame);
        }
    }

    /// `extends A implements B`, `interface I extends A`
    pub(super) fn bases(&mut self, node: Node<'_>, symbol: u32, frame: &Frame) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match self.grammar.kind(child) {
                Kind::ClassHeritage | Kind::ExtendsTypeClause => {
                    self.heritage(child, symbol, frame);
                }
                _ => {}
            }
        }
    }

    fn heritage(&mut self, node: Node<'_>, symbol: u32, frame: &Frame) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match self.grammar.kind(child) {
                Kind::ExtendsClause => {
                    let fields = self.grammar.fields;
                    let value = child.child_by_field_id(fields.value).unwrap_or(child);
                    let given = child.child_by_field_id(fields.type_arguments);
                    self.base(value, given, BaseKind::Extends, symbol, frame);
                }
                Kind::ImplementsClause => {
                    let mut inner = child.walk();
                    for one in child.named_children(&mut inner) {
                        self.base(one, None, BaseKind::Implements, symbol, frame);
                    }
                }
                Kind::Comment | Kind::TypeArguments => {}
                _ => self.base(child, None, BaseKind::Extends, symbol, frame),
            }
        }
    }

    fn base(
        &mut self,
        node: Node<'_>,
        given: Option<Node<'_>>,
        kind: BaseKind,
        symbol: u32,
        frame: &Frame,
    ) {
        for part in self.parts_of(node) {
            let found = match self.origin(part) {
                Some(found) if self.exprs.start(found) == Start::Value => {
                    let given = given.map_or_else(Vec::new, |given| self.types().given(given, 0));
                    let given = if self.exprs.is_chain(found) {
                        given
                    } else {
                        Vec::new()
                    };
                    Some(self.exprs.specialized(found, &given))
                }
                _ => self.of_type(part),
            };
            self.built_on(found, kind, Some(symbol), frame);
        }
    }

    /// Records what a symbol is built on, where that has a name.
    pub(super) fn built_on(
        &mut self,
        found: Option<ExprId>,
        kind: BaseKind,
        symbol: Option<u32>,
        frame: &Frame,
    ) {
        let Some(found) = found else { return };
        let found = self.exprs.bases(found);
        let path = self.exprs.arena.path(PathId::EMPTY, Slot::Base(kind));
        let owner = Owner::Member(symbol, path);
        self.hint(owner, Some(found), Rank::Written, frame);
    }

    /// Records what is known of a member of what a naming stands for.
    pub(super) fn member_hint(
        &mut self,
        naming: u32,
        name: &str,
        found: Option<(Option<ExprId>, Rank)>,
        frame: &Frame,
    ) {
        if let Some((origin, rank)) = found {
            let owner = self.member_of(naming, name);
            self.hint(owner, origin, rank, frame);
        }
    }

    /// Returns whose member a name under a naming is, from the nearest symbol on.
    pub(super) fn member_of(&mut self, naming: u32, name: &str) -> Owner<'a> {
        let name = self.slot(name);
        let (symbol, path) = self.place_of(naming);
        Owner::Member(symbol, self.exprs.arena.path(path, name))
    }

    /// Returns the nearest symbol around a naming, and the path from there to it.
    pub(super) fn place_of(&mut self, naming: u32) -> (Option<u32>, PathId) {
        let around = &self.namings[naming as usize];
        let known = around
            .parent
            .map_or("", |at| &self.drafts[at as usize].symbol.qualified_name);
        let rest = around.prefix.strip_prefix(known).unwrap_or_default();
        let names = rest.split('.').filter(|name| !name.is_empty());
        let parent = around.parent;
        let arena = &mut self.exprs.arena;
        let path = names.fold(PathId::EMPTY, |path, name| {
            let slot = Slot::Member(arena.name(name));
            arena.path(path, slot)
        });
        (parent, path)
    }

    /// Returns the place of a member: of one under a constant for `[KEY]`.
    pub(super) fn slot(&mut self, name: &str) -> Slot {
        let key = name.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
        let id = self.exprs.arena.name(key.unwrap_or(name));
        key.map_or(Slot::Member(id), |_| Slot::Key(id))
    }

    /// Returns the path of some members.
    pub(super) fn path(&mut self, names: &[&str]) -> PathId {
        let arena = &mut self.exprs.arena;
        names.iter().fold(PathId::EMPTY, |path, name| {
            let slot = Slot::Member(arena.name(name));
            arena.path(path, slot)
        })
    }

    /// Returns the class, or the function that makes objects, that `this` is an instance of in a symbol.
    pub(super) fn instance(&self, symbol: Option<u32>) -> Option<u32> {
        let at = symbol?;
        let symbol = &self.drafts[at as usize].symbol;
        match symbol.kind {
            SymbolKind::Method
            | SymbolKind::Constructor
            | SymbolKind::Property
            | SymbolKind::Field => symbol.parent,
            _ => Some(at),
        }
    }
}
