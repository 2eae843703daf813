//! Type parameters: each is a value of the known part of its type.
//!
//! That of a type is what the type is given (`Store<Item>`), that of an `impl` block the one at its place in the type around,
//! that of a function what its bounds say.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use super::records::Generic;
use crate::ir::{BLANKET_IMPLS, BaseKind, Expr, ExprId, Slot, SymbolIdx};
use crate::model::BuiltinSet;

/// Type parameters of one item that are read.
const MAX_PARAMS: usize = 32;

/// The traits that functions implement.
pub(super) static FUNCTION_TRAITS: BuiltinSet = BuiltinSet::new(
    "Rust: function traits",
    "Fn FnMut FnOnce AsyncFn AsyncFnMut AsyncFnOnce",
);

impl<'t> Lowering<'t> {
    /// Returns the names of the type parameters that an item declares.
    pub(super) fn type_params(&self, item: Node<'_>) -> Vec<&'t str> {
        let Some(list) = self.field(item, self.grammar.fields.type_parameters) else {
            return Vec::new();
        };
        let mut names = Vec::new();
        for child in self.children(list) {
            let name = match self.kind(child) {
                Kind::TypeIdentifier => Some(child),
                Kind::TypeParameter => self.field(child, self.grammar.fields.name),
                _ => None,
            };
            if let Some(name) = name
                && names.len() < MAX_PARAMS
            {
                names.push(self.text(name));
            }
        }
        names
    }

    /// Returns the names of the constants among the parameters of an item: `N` of `struct Ring<const N: usize>`.
    fn const_params(&self, item: Node<'_>) -> Vec<&'t str> {
        let fields = self.grammar.fields;
        let list = self.field(item, fields.type_parameters);
        let params = list.map(|it| self.children(it)).unwrap_or_default();
        let constants = params
            .into_iter()
            .filter(|it| self.kind(*it) == Kind::ConstParameter);
        constants
            .filter_map(|it| self.field(it, fields.name))
            .map(|it| self.text(it))
            .take(MAX_PARAMS)
            .collect()
    }

    /// Brings the type parameters of an item into scope, each by its bounds.
    pub(super) fn enter_generics(&mut self, item: Node<'_>) {
        let constants = self.const_params(item);
        for name in self.type_params(item).into_iter().chain(constants) {
            self.generics.push(Generic {
                name,
                value: self.unknown,
            });
        }
        for name in self.type_params(item) {
            let bound = self.bound_of(item, name);
            self.set_generic(name, bound);
        }
    }

    /// Brings the type parameters of a type or trait into scope, which is given them.
    pub(super) fn enter_generics_of(&mut self, item: Node<'_>, owner: SymbolIdx) {
        self.enter_generics(item);
        for (index, name) in (0_u8..).zip(self.type_params(item)) {
            let bound = self.generic(name).unwrap_or(self.unknown);
            self.bind(Some(owner), &[Slot::TypeParamBound(index)], bound);
            let param = self.add(Expr::TypeParam {
                owner,
                index,
                has_bound: true,
            });
            self.set_generic(name, param);
        }
    }

    /// Brings the type parameters of an `impl` block into scope for one of its methods: those that the type is given.
    pub(super) fn enter_generics_of_impl(&mut self, item: Node<'_>, method: SymbolIdx) {
        self.enter_generics(item);
        let names = self.type_params(item);
        if names.is_empty() {
            return;
        }
        let given = self.type_args_of(item);
        for name in names {
            let place = given.iter().position(|it| *it == name);
            let Some(index) = place.and_then(|at| u8::try_from(at).ok()) else {
                continue;
            };
            let bound = self.generic(name).unwrap_or(self.unknown);
            let first = self.add(Expr::TypeParam {
                owner: method,
                index,
                has_bound: false,
            });
            let value = self.preferred(first, bound);
            self.set_generic(name, value);
        }
    }

    /// Adds a value that is `first` where that is known.
    pub(super) fn preferred(&mut self, first: ExprId, other: ExprId) -> ExprId {
        self.facts.exprs.fallback_of_known(first, other)
    }

    /// Returns the texts of the type arguments of the type that an `impl` block is for.
    fn type_args_of(&self, item: Node<'_>) -> Vec<&'t str> {
        let fields = self.grammar.fields;
        let type_ = self.field(item, fields.type_);
        let type_ = type_.map(|it| self.without_references(it));
        let list = type_.and_then(|it| self.field(it, fields.type_arguments));
        let all = list.map_or_else(Vec::new, |list| self.children(list));
        let types = all
            .into_iter()
            .filter(|it| self.kind(*it) != Kind::Lifetime);
        types.map(|it| self.text(it)).collect()
    }

    /// Returns the value of a type parameter that is in scope.
    pub(super) fn generic(&self, name: &str) -> Option<ExprId> {
        let found = self.generics.iter().rev().find(|it| it.name == name)?;
        Some(found.value)
    }

    /// Returns whether a name is that of a type parameter.
    pub(super) fn is_generic(&self, name: &str) -> bool {
        self.generics.iter().any(|it| it.name == name)
    }

    /// Binds a type parameter from here on.
    pub(super) fn set_generic(&mut self, name: &str, value: ExprId) {
        if let Some(known) = self.generics.iter_mut().rev().find(|it| it.name == name) {
            known.value = value;
        }
    }

    /// Returns the bounds of a type parameter: those behind its name and those of the `where` clause.
    pub(super) fn bounds_of<'n>(&self, item: Node<'n>, name: &str) -> Vec<Node<'n>> {
        let fields = self.grammar.fields;
        let mut all = Vec::new();
        if let Some(list) = self.field(item, fields.type_parameters) {
            for child in self.children(list) {
                let is_it = self
                    .field(child, fields.name)
                    .is_some_and(|it| self.text(it) == name);
                if is_it && let Some(bounds) = self.field(child, fields.bounds) {
                    all.extend(self.children(bounds));
                }
            }
        }
        if let Some(clause) = self.child_of(item, Kind::WhereClause) {
            for predicate in self.children(clause) {
                let is_it = self
                    .field(predicate, fields.left)
                    .is_some_and(|it| self.text(it) == name);
                if is_it && let Some(bounds) = self.field(predicate, fields.bounds) {
                    all.extend(self.children(bounds));
                }
            }
        }
        all
    }

    /// Returns the bounds of the type parameter that an `impl` block is for, as alternatives: `Read` of `impl<T: Read> Extend for T`;
    /// `None` where it is for a type.
    pub(super) fn bounds_of_blanket(&mut self, block: Node<'_>, type_: Node<'_>) -> Option<ExprId> {
        let type_ = self.without_references(type_);
        let name = self.text(type_);
        if !self.is_generic(name) {
            return None;
        }
        let mut bounds = Vec::new();
        for bound in self.bounds_of(block, name) {
            let bound = self.bounds(vec![bound]);
            if bound != self.unknown {
                bounds.push(bound);
            }
        }
        Some(self.add(Expr::Union(bounds.into())))
    }

    /// Binds the trait that an `impl` block implements for a type parameter, with the bounds of that.
    pub(super) fn bind_blanket(&mut self, bounds: ExprId, trait_: ExprId) {
        let pair = self.add(Expr::Tuple([bounds, trait_].into()));
        let name = self.facts.exprs.name(BLANKET_IMPLS);
        let path = [Slot::Member(name), Slot::Base(BaseKind::Implements)];
        self.bind(None, &path, pair);
    }

    /// Notes the type that an `impl` block is for, and the trait that it implements, each by its last name.
    pub(super) fn note_block(&mut self, owner: ExprId, of: &str, trait_: Option<Node<'_>>) {
        match self.facts.exprs.get(owner) {
            Expr::Name { .. } => drop(self.other_types.insert(of.to_owned())),
            Expr::Member { .. } => drop(self.qualified_types.insert(of.to_owned())),
            _ => {}
        }
        let Some(trait_) = trait_ else { return };
        let text = self.text(trait_);
        let path = text.split('<').next().unwrap_or(text).trim();
        let last = path.rsplit("::").next().unwrap_or(path);
        self.other_traits.insert((last.to_owned(), of.to_owned()));
    }

    /// Returns the type that a reference is to: `T` of `&'a mut T`.
    pub(super) fn without_references<'n>(&self, type_: Node<'n>) -> Node<'n> {
        let mut type_ = type_;
        while self.kind(type_) == Kind::ReferenceType
            && let Some(inner) = self.field(type_, self.grammar.fields.type_)
        {
            type_ = inner;
        }
        type_
    }

    fn bound_of(&mut self, item: Node<'_>, name: &str) -> ExprId {
        let bounds = self.bounds_of(item, name);
        self.bounds(bounds)
    }

    /// Returns a value of a type that has all of some bounds.
    pub(super) fn bounds(&mut self, bounds: Vec<Node<'_>>) -> ExprId {
        let mut all = Vec::new();
        for bound in bounds {
            all.push(self.bound(bound));
        }
        self.union(all)
    }

    fn bound(&mut self, bound: Node<'_>) -> ExprId {
        match self.kind(bound) {
            Kind::Lifetime => self.unknown,
            Kind::HigherRankedTraitBound => {
                let inner = self.field(bound, self.grammar.fields.type_);
                inner.map_or(self.unknown, |it| self.bound(it))
            }
            _ => self.silent_type(bound),
        }
    }

    /// Returns the parameters of a bound that is a function: `&Store` of `F: Fn(&Store) -> bool`.
    pub(super) fn function_params(&mut self, bounds: &[Node<'_>]) -> Vec<ExprId> {
        let fields = self.grammar.fields;
        for bound in bounds {
            let mut at = *bound;
            if self.kind(at) == Kind::HigherRankedTraitBound
                && let Some(inner) = self.field(at, fields.type_)
            {
                at = inner;
            }
            if self.kind(at) == Kind::FunctionType
                && let Some(list) = self.field(at, fields.parameters)
            {
                let types = self.children(list);
                return types.into_iter().map(|it| self.silent_type(it)).collect();
            }
        }
        Vec::new()
    }
}
