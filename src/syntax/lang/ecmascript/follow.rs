//! What an expression is where its hint stands: local names in it are followed to what they hold.
//!
//! Refuses to know which of several hints counts.

use super::exprs::Start;
use super::generics::type_around;
use super::hints::{Owner, Raw};
use super::settle::Hints;
use crate::ir::{Expr, ExprId, NameId};
use crate::syntax::scope::Binder;

/// The place of a raw hint, where its names are looked up.
pub(super) struct Site<'s, 'w, 'a> {
    hints: &'s mut Hints<'w, 'a>,
    raw: u32,
    depth: usize,
    /// Whether it is what a function is given that another is given.
    is_inner: bool,
}

impl<'s, 'w, 'a> Site<'s, 'w, 'a> {
    pub(super) fn new(
        hints: &'s mut Hints<'w, 'a>,
        raw: u32,
        depth: usize,
        is_inner: bool,
    ) -> Self {
        Self {
            hints,
            raw,
            depth,
            is_inner,
        }
    }

    fn raw(&self) -> &'w Raw<'w> {
        &self.hints.raws[self.raw as usize]
    }

    fn written(&self, id: ExprId) -> &'w Expr {
        self.hints.walk.exprs.get(id)
    }

    /// Returns what is held, local names followed.
    pub(super) fn value(&mut self, id: ExprId) -> Option<ExprId> {
        self.any(id, false)
    }

    /// Returns what something is built on.
    pub(super) fn base(&mut self, id: ExprId) -> Option<ExprId> {
        self.any(id, true)
    }

    /// Returns each of several things that something may be. A type that is nobody's name says nothing; a value of which
    /// nothing is known may be anything.
    fn any(&mut self, id: ExprId, is_base: bool) -> Option<ExprId> {
        let exprs = &self.hints.walk.exprs;
        let mut found = Vec::new();
        for part in exprs.apart(id) {
            let is_chain = is_base && exprs.is_chain(exprs.generic(part).0);
            let known = if is_chain {
                self.base_name(part)
            } else {
                self.one(part)
            };
            match known {
                Some(part) => found.push(part),
                None if is_chain || exprs.start(part) == Start::Type => {}
                None => return None,
            }
        }
        (!found.is_empty()).then(|| self.hints.exprs.either(found))
    }

    /// A base that has a name, which may be one of a type that is declared for all files.
    fn base_name(&mut self, of: ExprId) -> Option<ExprId> {
        self.named(of, |site, local| {
            let is_chain = site.hints.exprs.is_chain(local);
            is_chain.then_some(local)
        })
    }

    fn one(&mut self, id: ExprId) -> Option<ExprId> {
        Some(match *self.written(id) {
            Expr::Unknown
            | Expr::Tuple(_)
            | Expr::Item { .. }
            | Expr::Entered { .. }
            | Expr::Callee { .. } => return None,
            Expr::Union(_) => self.value(id)?,
            Expr::Name { name, .. } => {
                let name = self.hints.text(name);
                self.first(name, false)?
            }
            Expr::Receiver { .. } => self.first("this", false)?,
            Expr::Super { .. } => self.first("super", false)?,
            Expr::Symbol(at) => self.hints.exprs.add(Expr::Symbol(at)),
            Expr::Argument { index } => self.hints.exprs.add(Expr::Argument { index }),
            Expr::TypeParam { index, .. } => self.type_parameter(index)?,
            Expr::Imported { import, name } => self.imported(import, name)?,
            Expr::Member { object, name } => {
                let object = self.one(object)?;
                let name = self.hints.named(name);
                self.hints.exprs.member_by(object, name)
            }
            Expr::Element { object } => {
                let object = self.one(object)?;
                self.hints.exprs.element(object)
            }
            Expr::Keyed { object, key } => {
                let object = self.one(object)?;
                let raw = self.raw();
                if self.hints.is_constant(key, raw) {
                    let key = self.hints.named(key);
                    self.hints.exprs.keyed(object, key)
                } else {
                    self.hints.exprs.element(object)
                }
            }
            Expr::Call {
                callee,
                ref types,
                ref args,
            } => {
                let callee = self.one(callee)?;
                let (types, args) = (self.given_to_call(types), self.given_to_call(args));
                self.hints.exprs.call(callee, &types, &args)
            }
            Expr::Construct { class } => {
                let (class, given) = self.hints.walk.exprs.generic(class);
                let class = self.one(class)?;
                let given = self.given(given);
                let class = self.hints.exprs.specialized(class, &given);
                self.hints.exprs.construct(class)
            }
            Expr::Param { callee, index } => {
                let callee = self.one(callee)?;
                self.hints.exprs.parameter(callee, index)
            }
            Expr::Instance { of } => self.instance(of)?,
            Expr::Container { kind, element } => {
                let element = self.one(element)?;
                self.hints.exprs.container(kind, element)?
            }
            Expr::Callable { result } => {
                let result = self.one(result)?;
                self.hints.exprs.callable(result)?
            }
            Expr::Specialized { base, .. } => self.one(base)?,
        })
    }

    /// An instance of a type. What a name of the type's is locally is an instance already, as what bounds a type parameter.
    fn instance(&mut self, of: ExprId) -> Option<ExprId> {
        if let Expr::TypeParam { index, .. } = *self.written(of) {
            let of = self.type_parameter(index)?;
            return Some(self.hints.exprs.instance(of));
        }
        let (chain, _) = self.hints.walk.exprs.generic(of);
        let is_name = matches!(self.written(chain), Expr::Name { .. });
        if let (true, Some((name, scope))) = (is_name, self.local_root(chain)) {
            return self.local(name, scope);
        }
        let of = self.named(of, |_, _| None)?;
        Some(self.hints.exprs.instance(of))
    }

    /// A chain of names with what it is given, in the place of a type; a local one becomes what `local` makes of it.
    fn named(
        &mut self,
        of: ExprId,
        local: impl Fn(&mut Self, ExprId) -> Option<ExprId>,
    ) -> Option<ExprId> {
        let (chain, given) = self.hints.walk.exprs.generic(of);
        if let Some((name, scope)) = self.local_root(chain) {
            let found = self.local(name, scope)?;
            let found = self.members_of(chain, found);
            return local(self, found);
        }
        let root = self.root(chain);
        let found = match *self.written(root) {
            Expr::Name { name, .. } => {
                let name = self.hints.text(name);
                self.first(name, true)?
            }
            _ => self.one(root)?,
        };
        let found = self.members_of(chain, found);
        let given = self.given(given);
        Some(self.hints.exprs.specialized(found, &given))
    }

    fn root(&self, chain: ExprId) -> ExprId {
        self.hints.walk.exprs.arena.root(chain)
    }

    /// Returns the members that a chain takes of its root, of another one.
    fn members_of(&mut self, chain: ExprId, root: ExprId) -> ExprId {
        match *self.written(chain) {
            Expr::Member { object, name } => {
                let object = self.members_of(object, root);
                let name = self.hints.named(name);
                self.hints.exprs.member_by(object, name)
            }
            _ => root,
        }
    }

    /// Returns the local name that a chain begins with, and its scope.
    fn local_root(&self, chain: ExprId) -> Option<(&'w str, u32)> {
        let name = match *self.written(self.root(chain)) {
            Expr::Name { name, .. } => self.hints.text(name),
            Expr::Receiver { .. } => "this",
            Expr::Super { .. } => "super",
            _ => return None,
        };
        match self.hints.scopes.binder(name, self.raw().scope) {
            Binder::Local(scope) => Some((name, scope)),
            _ => None,
        }
    }

    /// Returns what a name is that stands at the beginning.
    fn first(&mut self, name: &str, is_type: bool) -> Option<ExprId> {
        let scope = self.raw().symbol;
        match self.hints.scopes.binder(name, self.raw().scope) {
            Binder::Local(scope) => self.local(name, scope),
            Binder::Inner(symbol) => Some(self.hints.exprs.add(Expr::Symbol(symbol))),
            // A value of the run time's; a type may be declared for all files.
            Binder::Nobody if !is_type && !matches!(name, "this" | "super") => None,
            Binder::Top | Binder::Nobody => Some(self.hints.name(name, scope)),
        }
    }

    fn local(&mut self, name: &str, scope: u32) -> Option<ExprId> {
        if let Some(own) = self.own_type_parameter(name, scope) {
            return Some(own);
        }
        let found = self.hints.local(name, scope, self.depth + 1)?;
        let all = self.hints.exprs.apart(found).into_iter();
        let all: Vec<ExprId> = all.filter_map(|one| self.within(one)).collect();
        (!all.is_empty()).then(|| self.hints.exprs.either(all))
    }

    /// Returns what a local name is where the hint stands: a type parameter has no bound in what a function is given that is
    /// given to another, and no other local name is known there.
    fn within(&mut self, found: ExprId) -> Option<ExprId> {
        let of = match *self.hints.exprs.get(found) {
            Expr::Instance { of } => of,
            _ => found,
        };
        match *self.hints.exprs.get(of) {
            Expr::TypeParam { owner, index, .. } => {
                // Types inside types have their own.
                let around = type_around(self.hints.drafts, self.raw().symbol);
                let own = self.hints.exprs.add(Expr::TypeParam {
                    owner,
                    index,
                    has_bound: !self.is_inner,
                });
                (around == Some(owner)).then(|| self.hints.exprs.instance(own))
            }
            _ => (!self.is_inner).then_some(found),
        }
    }

    /// Returns the type parameter of a function that a name is in what the function returns: there a call may say what
    /// it stands for.
    fn own_type_parameter(&mut self, name: &str, scope: u32) -> Option<ExprId> {
        let index = *self.hints.own.get(&self.hints.key(name, scope))?;
        let Owner::Member(Some(owner), _) = self.raw().owner else {
            return None;
        };
        self.hints.is_returned(self.raw).then(|| {
            let of = self.hints.exprs.add(Expr::TypeParam {
                owner,
                index,
                has_bound: true,
            });
            self.hints.exprs.instance(of)
        })
    }

    /// A type parameter of the type around.
    fn type_parameter(&mut self, index: u8) -> Option<ExprId> {
        let owner = type_around(self.hints.drafts, self.raw().symbol)?;
        Some(self.hints.exprs.add(Expr::TypeParam {
            owner,
            index,
            has_bound: true,
        }))
    }

    /// Returns what a module offers, by its first import.
    fn imported(&mut self, module: u32, name: NameId) -> Option<ExprId> {
        let module = self.hints.walk.modules.get(module as usize)?;
        let mut imports = self.hints.walk.imports.iter();
        let import = imports.position(|it| it.specifier == *module)?;
        let import = u32::try_from(import).ok()?;
        let name = self.hints.named(name);
        Some(self.hints.exprs.add(Expr::Imported { import, name }))
    }

    /// What a type is given.
    fn given(&mut self, all: &[ExprId]) -> Vec<ExprId> {
        let all = all.iter().map(|one| match self.value(*one) {
            Some(one) => one,
            None => self.hints.exprs.unknown(),
        });
        all.collect()
    }

    /// What a call is given: of what is local nothing is known to who reads it.
    fn given_to_call(&mut self, all: &[ExprId]) -> Vec<ExprId> {
        let mut all: Vec<ExprId> = all
            .iter()
            .map(|one| {
                let is_known = self.begins_in_file(*one);
                let found = is_known.then(|| self.value(*one)).flatten();
                found.unwrap_or_else(|| self.hints.exprs.unknown())
            })
            .collect();
        while all
            .last()
            .is_some_and(|it| self.hints.exprs.is_unknown(*it))
        {
            all.pop();
        }
        all
    }

    /// Whether a chain, an instance of one or a new one begins with a name of the file.
    fn begins_in_file(&self, id: ExprId) -> bool {
        let of = match *self.written(id) {
            Expr::Construct { class: of } | Expr::Instance { of } => of,
            _ => id,
        };
        let (chain, _) = self.hints.walk.exprs.generic(of);
        match *self.written(self.root(chain)) {
            Expr::Name { name, .. } => self.hints.is_constant(name, self.raw()),
            _ => false,
        }
    }
}
