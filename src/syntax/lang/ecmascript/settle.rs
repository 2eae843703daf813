//! What the hints of a file amount to when all of it was seen.
//!
//! Knows how to follow local names to where they come from, and that hints which differ say nothing. Refuses
//! to look at the syntax tree.

use super::exprs::{Exprs, Start};
use super::generics::type_around;
use super::hints::{Owner, Rank, Raw};
use super::walk::{Draft, Walk};
use crate::ir::{Binding, Expr, ExprArena, ExprId, NameId, PathId, Slot, SymbolIdx};
use crate::model::SymbolKind;
use crate::model::table::{HashMap, HashSet};
use crate::syntax::scope::{Binder, ScopeKind, Scopes};

/// Local names from one to the next that are followed.
const FOLLOWED: usize = 16;

enum Known {
    Not(Vec<u32>),
    Now,
    Yes(Option<ExprId>),
}

/// The hints of a file while its references are settled.
pub(super) struct Hints<'w, 'a> {
    walk: &'w Walk<'a>,
    scopes: &'w Scopes<'a>,
    raws: &'w [Raw<'a>],
    drafts: &'w [Draft],
    /// Local bindings by the number of the name and the scope.
    locals: HashMap<(u32, u32), Known>,
    /// Places of type parameters of functions, by the same.
    own: HashMap<(u32, u32), u8>,
    /// The expressions of the file.
    pub(super) exprs: Exprs,
    bound: HashSet<Binding>,
    out: Vec<Binding>,
}

impl<'w, 'a> Hints<'w, 'a> {
    /// Returns the hints with those that the file and its symbols own.
    pub(super) fn new(walk: &'w Walk<'a>) -> Self {
        let (scopes, raws) = (&walk.scopes, &walk.hints);
        let mut hints = Self {
            walk,
            scopes,
            raws,
            drafts: &walk.drafts,
            locals: HashMap::default(),
            own: HashMap::default(),
            exprs: Exprs::default(),
            bound: HashSet::default(),
            out: Vec::new(),
        };
        // What the file or a symbol owns, in source order: whose it is, and all that was met.
        let mut owned: Vec<(Option<u32>, PathId, Vec<u32>)> = Vec::new();
        let mut places: HashMap<(Option<u32>, PathId), usize> = HashMap::default();
        for (at, raw) in raws.iter().enumerate() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            let bound = match &raw.owner {
                Owner::Binding(name, scope) => Some((*name, *scope)),
                Owner::Assigned(name, scope) => scopes
                    .binding_scope(name, *scope)
                    .map(|scope| (*name, scope)),
                Owner::Own(name, scope, place) => {
                    hints.own.insert(hints.key(name, *scope), *place);
                    None
                }
                _ => None,
            };
            let local = bound.filter(|(_, scope)| scopes.kind(*scope) != ScopeKind::Top);
            if let Some((name, scope)) = local {
                let known = hints.locals.entry(hints.key(name, scope));
                if let Known::Not(all) = known.or_insert_with(|| Known::Not(Vec::new())) {
                    all.push(at);
                }
                continue;
            }
            let found = match (&raw.owner, bound) {
                (_, Some((name, scope))) => {
                    let name = Slot::Member(hints.exprs.arena.name(name));
                    let owner = raw.symbol.filter(|_| scope != 0);
                    Some((owner, hints.exprs.arena.path(PathId::EMPTY, name)))
                }
                (Owner::Member(symbol, path), _) => Some((*symbol, hints.path(*path))),
                (Owner::This(symbol, slot), _) => {
                    let is_own = scopes.binder("this", raw.scope) == Binder::Nobody;
                    let is_member = match slot {
                        Slot::Key(key) => hints.is_constant(*key, raw),
                        _ => true,
                    };
                    let slot = hints.slot(*slot);
                    let path = hints.exprs.arena.path(PathId::EMPTY, slot);
                    (is_own && is_member).then_some((Some(*symbol), path))
                }
                _ => None,
            };
            let Some((owner, path)) = found else {
                continue;
            };
            let place = *places.entry((owner, path)).or_insert(owned.len());
            if place == owned.len() {
                owned.push((owner, path, Vec::new()));
            }
            owned[place].2.push(at);
        }
        for (symbol, path, all) in owned {
            hints.own(symbol, path, &all);
        }
        hints
    }

    /// Returns what the file and its symbols hold, and the expressions of the file.
    pub(super) fn finish(self) -> (Vec<Binding>, ExprArena) {
        (self.out, self.exprs.arena)
    }

    /// Returns what a local name is, if that is known.
    pub(super) fn of_local(&mut self, name: &str, scope: u32) -> Option<ExprId> {
        self.local(name, scope, 0)
    }

    /// Returns what an expression is, if that is known.
    pub(super) fn of_expression(&mut self, raw: u32) -> Option<ExprId> {
        self.settle(raw, 0)
    }

    /// Returns what a chain of names is that begins with no local one, as written in `scope`.
    pub(super) fn name(&mut self, name: &str, scope: Option<SymbolIdx>) -> ExprId {
        let expr = match name {
            "this" => Expr::Receiver { scope },
            "super" => Expr::Super { scope },
            name => Expr::Name {
                name: self.exprs.arena.name(name),
                scope: self.namespace(scope),
            },
        };
        self.exprs.add(expr)
    }

    /// The namespace around a symbol, whose names are in scope without being members.
    fn namespace(&self, scope: Option<SymbolIdx>) -> Option<SymbolIdx> {
        let mut at = scope;
        while let Some(symbol) = at {
            let found = &self.drafts[symbol as usize].symbol;
            if found.kind == SymbolKind::Namespace {
                break;
            }
            at = found.parent;
        }
        at
    }

    fn key(&self, name: &str, scope: u32) -> (u32, u32) {
        (self.scopes.number(name).unwrap_or(u32::MAX), scope)
    }

    /// Whether a key is one of the file's names, which is the same wherever it is used.
    fn is_constant(&self, key: NameId, raw: &Raw<'_>) -> bool {
        self.scopes.binder(self.text(key), raw.scope) == Binder::Top
    }

    fn text(&self, name: NameId) -> &'w str {
        self.walk.exprs.arena.name_of(name)
    }

    fn slot(&mut self, slot: Slot) -> Slot {
        match slot {
            Slot::Member(name) => Slot::Member(self.named(name)),
            Slot::Key(name) => Slot::Key(self.named(name)),
            slot => slot,
        }
    }

    fn path(&mut self, path: PathId) -> PathId {
        let slots = self.walk.exprs.arena.slots(path);
        slots.into_iter().fold(PathId::EMPTY, |path, slot| {
            let slot = self.slot(slot);
            self.exprs.arena.path(path, slot)
        })
    }

    fn named(&mut self, name: NameId) -> NameId {
        self.exprs.arena.name(self.text(name))
    }

    fn own(&mut self, owner: Option<u32>, path: PathId, all: &[u32]) {
        let values: Vec<ExprId> = match self.exprs.arena.last(path) {
            // Each is true beside the others.
            Some((_, Slot::Base(_))) => all.iter().filter_map(|&raw| self.settle(raw, 0)).collect(),
            _ => self.agreed(all, 0).into_iter().collect(),
        };
        for value in values {
            // `this` is that of a member: an instance of what owns the name, or of what is around that.
            let around = |at: u32| self.drafts[at as usize].symbol.parent;
            let is_own = |at: u32| {
                let own = owner == Some(at) || owner == around(at);
                owner.is_some_and(|owner| own || around(owner) == Some(at))
            };
            let binding = Binding { owner, path, value };
            if self.receivers(value).into_iter().all(is_own) && self.bound.insert(binding) {
                self.out.push(binding);
            }
        }
    }

    /// Returns the symbols in which `this` and `super` of an expression are meant.
    fn receivers(&self, value: ExprId) -> Vec<u32> {
        let (mut found, mut open, mut seen) = (Vec::new(), vec![value], HashSet::default());
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.exprs.get(id) {
                Expr::Receiver { scope } | Expr::Super { scope } => found.extend(*scope),
                expr => expr.each_part(|part| open.push(part)),
            }
        }
        found
    }

    /// Returns what a local name is.
    fn local(&mut self, name: &str, scope: u32, depth: usize) -> Option<ExprId> {
        let key = (self.scopes.number(name)?, scope);
        let known = self.locals.get_mut(&key)?;
        let all = match std::mem::replace(known, Known::Now) {
            Known::Yes(value) => {
                *known = Known::Yes(value);
                return value;
            }
            Known::Now => return None,
            Known::Not(all) => all,
        };
        let value = self.agreed(&all, depth);
        self.locals.insert(key, Known::Yes(value));
        value
    }

    /// Returns what the weightiest of several hints say, where they agree.
    fn agreed(&mut self, all: &[u32], depth: usize) -> Option<ExprId> {
        let rank = all.iter().map(|&at| self.raws[at as usize].rank).min()?;
        let mut found: Option<ExprId> = None;
        for &at in all {
            let raw = &self.raws[at as usize];
            // Among the heads of an overloaded function some say nothing.
            if raw.rank != rank || (rank == Rank::Written && raw.origin.is_none()) {
                continue;
            }
            let value = self.settle(at, depth)?;
            found = match found {
                // What is written differs by overload: it may be any of what is returned, but nobody says what is given.
                Some(other) if other != value && rank == Rank::Written && !self.is_returned(at) => {
                    return None;
                }
                Some(other) => Some(self.exprs.either([other, value])),
                None => Some(value),
            };
        }
        found
    }

    /// Returns the slots of what a raw hint speaks of, where that is a member.
    fn slots(&self, raw: u32) -> Vec<Slot> {
        match self.raws[raw as usize].owner {
            Owner::Member(_, path) => self.walk.exprs.arena.slots(path),
            _ => Vec::new(),
        }
    }

    fn is_returned(&self, raw: u32) -> bool {
        self.slots(raw) == [Slot::Return]
    }

    /// Returns where a raw hint leads when local names are followed.
    fn settle(&mut self, raw: u32, depth: usize) -> Option<ExprId> {
        if depth > FOLLOWED {
            return None;
        }
        let origin = self.raws[raw as usize].origin?;
        let slots = self.slots(raw);
        let mut site = Site {
            hints: self,
            raw,
            depth,
            // What a function is given that is given to another depends on who calls.
            is_inner: slots.len() > 1 && matches!(slots[0], Slot::Param(_)),
        };
        let found = match slots.last() {
            Some(Slot::Base(_)) => site.base(origin),
            _ => site.value(origin),
        }?;
        (!self.exprs.is_unknown(found)).then_some(found)
    }
}

/// The place of a raw hint, where its names are looked up.
struct Site<'s, 'w, 'a> {
    hints: &'s mut Hints<'w, 'a>,
    raw: u32,
    depth: usize,
    /// Whether it is what a function is given that another is given.
    is_inner: bool,
}

impl<'w> Site<'_, 'w, '_> {
    fn raw(&self) -> &'w Raw<'w> {
        &self.hints.raws[self.raw as usize]
    }

    fn written(&self, id: ExprId) -> &'w Expr {
        self.hints.walk.exprs.get(id)
    }

    /// Returns what is meant by each of several things that something may be. A type that is nobody's name says nothing; a
    /// value of which nothing is known may be anything.
    fn any(
        &mut self,
        id: ExprId,
        one: impl Fn(&mut Self, ExprId) -> Option<ExprId>,
    ) -> Option<ExprId> {
        let exprs = &self.hints.walk.exprs;
        let mut found = Vec::new();
        for part in exprs.apart(id) {
            match one(self, part) {
                Some(part) => found.push(part),
                None if exprs.start(part) == Start::Type => {}
                None => return None,
            }
        }
        (!found.is_empty()).then(|| self.hints.exprs.either(found))
    }

    fn value(&mut self, id: ExprId) -> Option<ExprId> {
        self.any(id, Self::one)
    }

    /// What something is built on: a chain of names may begin with a type that is declared for all files.
    fn base(&mut self, id: ExprId) -> Option<ExprId> {
        self.any(id, |site, one| {
            let exprs = &site.hints.walk.exprs;
            match exprs.is_chain(exprs.generic(one).0) {
                true => site.named(one, |site, local| {
                    let is_chain = site.hints.exprs.is_chain(local);
                    is_chain.then_some(local)
                }),
                false => site.one(one),
            }
        })
    }

    fn one(&mut self, id: ExprId) -> Option<ExprId> {
        Some(match *self.written(id) {
            Expr::Unknown | Expr::Tuple(_) | Expr::Item { .. } | Expr::Entered { .. } => {
                return None;
            }
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
