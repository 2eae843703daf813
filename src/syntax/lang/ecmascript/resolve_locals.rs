//! Resolves local names when the whole file was seen, and chooses among several bindings of one name.
//!
//! In `const s = new Store(); s.open()` the receiver `s` becomes `new Store()`.

use super::builder::{FileBuilder, SymbolBuilder};
use super::expr_builder::ExprBuilder;
use super::pending::{BindingSource, PendingBinding, ValueOwner};
use super::resolve_exprs::BindingSite;
use crate::ir::{Binding, Expr, ExprArena, ExprId, NameId, PathId, Slot, SymbolIdx};
use crate::model::SymbolKind;
use crate::model::hash::{HashMap, HashSet};
use crate::syntax::scope::{Lookup, ScopeKind, Scopes};

/// Local names from one to the next that are followed.
const FOLLOWED: usize = 16;

enum Memo {
    Pending(Vec<u32>),
    InProgress,
    Done(Option<ExprId>),
}

/// Resolves the local names of a file after the walk.
pub(super) struct LocalResolver<'w, 'a> {
    pub(super) builder: &'w FileBuilder<'a>,
    pub(super) scopes: &'w Scopes<'a>,
    pub(super) bindings: &'w [PendingBinding<'a>],
    pub(super) symbols: &'w [SymbolBuilder],
    /// Local bindings by the number of the name and the scope.
    locals: HashMap<(u32, u32), Memo>,
    /// Places of type parameters of functions, by the same.
    pub(super) own: HashMap<(u32, u32), u8>,
    /// The expressions of the file.
    pub(super) exprs: ExprBuilder,
    bound: HashSet<Binding>,
    out: Vec<Binding>,
}

impl<'w, 'a> LocalResolver<'w, 'a> {
    /// Resolves the bindings of the file and its symbols; local ones are resolved when a name asks for them.
    pub(super) fn new(builder: &'w FileBuilder<'a>) -> Self {
        let (scopes, bindings) = (&builder.scopes, &builder.bindings);
        let mut resolver = Self {
            builder,
            scopes,
            bindings,
            symbols: &builder.symbols,
            locals: HashMap::default(),
            own: HashMap::default(),
            exprs: ExprBuilder::default(),
            bound: HashSet::default(),
            out: Vec::new(),
        };
        // Bindings of the file and its symbols, in source order: owner, path, and all evidence.
        let mut owned: Vec<(Option<u32>, PathId, Vec<u32>)> = Vec::new();
        let mut places: HashMap<(Option<u32>, PathId), usize> = HashMap::default();
        for (at, binding) in bindings.iter().enumerate() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            let bound = match &binding.owner {
                ValueOwner::Binding(name, scope) => Some((*name, *scope)),
                ValueOwner::Assigned(name, scope) => scopes
                    .binding_scope(name, *scope)
                    .map(|scope| (*name, scope)),
                ValueOwner::TypeParam(name, scope, place) => {
                    resolver.own.insert(resolver.key(name, *scope), *place);
                    None
                }
                _ => None,
            };
            let local = bound.filter(|(_, scope)| scopes.kind(*scope) != ScopeKind::Top);
            if let Some((name, scope)) = local {
                let known = resolver.locals.entry(resolver.key(name, scope));
                if let Memo::Pending(all) = known.or_insert_with(|| Memo::Pending(Vec::new())) {
                    all.push(at);
                }
                continue;
            }
            let found = match (&binding.owner, bound) {
                (_, Some((name, scope))) => {
                    let name = Slot::Member(resolver.exprs.arena.name(name));
                    let owner = binding.symbol.filter(|_| scope != 0);
                    Some((owner, resolver.exprs.arena.path(PathId::EMPTY, name)))
                }
                (ValueOwner::Member(symbol, path), _) => Some((*symbol, resolver.path(*path))),
                (ValueOwner::This(symbol, slot), _) => {
                    let is_own = scopes.lookup("this", binding.scope) == Lookup::Unresolved;
                    let is_member = match slot {
                        Slot::Key(key) => resolver.is_constant(*key, binding),
                        _ => true,
                    };
                    let slot = resolver.slot(*slot);
                    let path = resolver.exprs.arena.path(PathId::EMPTY, slot);
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
            resolver.own(symbol, path, &all);
        }
        resolver
    }

    /// The bindings and the expressions of the file.
    pub(super) fn finish(self) -> (Vec<Binding>, ExprArena) {
        (self.out, self.exprs.arena)
    }

    /// A name that is not local, used in the symbol `scope`.
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
            let found = &self.symbols[symbol as usize].symbol;
            if found.kind == SymbolKind::Namespace {
                break;
            }
            at = found.parent;
        }
        at
    }

    pub(super) fn key(&self, name: &str, scope: u32) -> (u32, u32) {
        (self.scopes.number(name).unwrap_or(u32::MAX), scope)
    }

    /// Whether a key is one of the file's names, which is the same wherever it is used.
    pub(super) fn is_constant(&self, key: NameId, binding: &PendingBinding<'_>) -> bool {
        self.scopes.lookup(self.text(key), binding.scope) == Lookup::FileScope
    }

    pub(super) fn text(&self, name: NameId) -> &'w str {
        self.builder.exprs.arena.name_of(name)
    }

    fn slot(&mut self, slot: Slot) -> Slot {
        match slot {
            Slot::Member(name) => Slot::Member(self.interned(name)),
            Slot::Key(name) => Slot::Key(self.interned(name)),
            slot => slot,
        }
    }

    fn path(&mut self, path: PathId) -> PathId {
        let slots = self.builder.exprs.arena.slots(path);
        slots.into_iter().fold(PathId::EMPTY, |path, slot| {
            let slot = self.slot(slot);
            self.exprs.arena.path(path, slot)
        })
    }

    pub(super) fn interned(&mut self, name: NameId) -> NameId {
        self.exprs.arena.name(self.text(name))
    }

    fn own(&mut self, owner: Option<u32>, path: PathId, all: &[u32]) {
        let values: Vec<ExprId> = match self.exprs.arena.last(path) {
            // Each is true beside the others.
            Some((_, Slot::Base(_))) => all.iter().filter_map(|&at| self.resolve(at, 0)).collect(),
            _ => self.agreed(all, 0).into_iter().collect(),
        };
        for value in values {
            // `this` is that of a member: an instance of the owner of the binding, or of the symbol around that.
            let around = |at: u32| self.symbols[at as usize].symbol.parent;
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

    /// The value of a local name, memoized.
    pub(super) fn local(&mut self, name: &str, scope: u32, depth: usize) -> Option<ExprId> {
        let key = (self.scopes.number(name)?, scope);
        let known = self.locals.get_mut(&key)?;
        let all = match std::mem::replace(known, Memo::InProgress) {
            Memo::Done(value) => {
                *known = Memo::Done(value);
                return value;
            }
            Memo::InProgress => return None,
            Memo::Pending(all) => all,
        };
        let value = self.agreed(&all, depth);
        self.locals.insert(key, Memo::Done(value));
        value
    }

    /// The value by the strongest evidence; `None` where pieces of the same strength contradict one another.
    fn agreed(&mut self, all: &[u32], depth: usize) -> Option<ExprId> {
        let source = all
            .iter()
            .map(|&at| self.bindings[at as usize].source)
            .min()?;
        let mut found: Option<ExprId> = None;
        for &at in all {
            let binding = &self.bindings[at as usize];
            // Among the heads of an overloaded function some say nothing.
            if binding.source != source
                || (source == BindingSource::Annotation && binding.expr.is_none())
            {
                continue;
            }
            let value = self.resolve(at, depth)?;
            found = match found {
                // Return types differ by overload and form a union; other annotations that differ contradict one
                // another.
                Some(other)
                    if other != value
                        && source == BindingSource::Annotation
                        && !self.is_returned(at) =>
                {
                    return None;
                }
                Some(other) => Some(self.exprs.either([other, value])),
                None => Some(value),
            };
        }
        found
    }

    /// The slots of a binding's path, where its owner is a member.
    fn slots(&self, at: u32) -> Vec<Slot> {
        match self.bindings[at as usize].owner {
            ValueOwner::Member(_, path) => self.builder.exprs.arena.slots(path),
            _ => Vec::new(),
        }
    }

    pub(super) fn is_returned(&self, at: u32) -> bool {
        self.slots(at) == [Slot::Return]
    }

    /// The value of a pending binding with its local names replaced.
    pub(super) fn resolve(&mut self, at: u32, depth: usize) -> Option<ExprId> {
        if depth > FOLLOWED {
            return None;
        }
        let expr = self.bindings[at as usize].expr?;
        let slots = self.slots(at);
        // The parameters of a callback depend on its caller.
        let is_inner = slots.len() > 1 && matches!(slots[0], Slot::Param(_));
        let mut site = BindingSite::new(self, at, depth, is_inner);
        let found = match slots.last() {
            Some(Slot::Base(_)) => site.base(expr),
            _ => site.value(expr),
        }?;
        (!self.exprs.is_unknown(found)).then_some(found)
    }
}
