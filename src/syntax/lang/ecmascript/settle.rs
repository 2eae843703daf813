//! What the hints of a file amount to when all of it was seen.
//!
//! Knows how to follow local names to where they come from, and that hints which differ say nothing. Refuses
//! to look at the syntax tree.

use std::borrow::Cow;

use super::calls::given_to_calls;
use super::expected::is_inner_parameter;
use super::generics::type_around;
use super::hints::{Owner, Rank, Raw};
use super::lower::Lowering;
use super::origin::{HintKind, ORIGIN_BYTES, Origin, key_of};
use super::settled::{Settled, join};
use super::walk::Draft;
use crate::ir::{BaseKind, Binding, ExprArena, ExprId, Import, Slot};
use crate::model::table::{HashMap, HashSet};
use crate::syntax::scope::{Binder, ScopeKind, Scopes};

/// Local names from one to the next that are followed.
const FOLLOWED: usize = 16;

enum Known<'a> {
    Not(Vec<u32>),
    Now,
    Yes(Option<Settled<'a>>),
}

/// The hints of a file while its references are settled.
pub(super) struct Hints<'w, 'a> {
    scopes: &'w Scopes<'a>,
    raws: &'w [Raw<'a>],
    drafts: &'w [Draft],
    /// Local bindings by the number of the name and the scope.
    bindings: HashMap<(u32, u32), Known<'a>>,
    /// Type parameters of functions, by the same.
    own: HashMap<(u32, u32), Origin<'a>>,
    /// The expressions of the file.
    pub(super) lowering: Lowering<'w>,
    bound: HashSet<Binding>,
    out: Vec<Binding>,
}

impl<'w, 'a> Hints<'w, 'a> {
    /// Returns the hints with those that the file and its symbols own.
    pub(super) fn new(
        scopes: &'w Scopes<'a>,
        raws: &'w [Raw<'a>],
        drafts: &'w [Draft],
        imports: &'w [Import],
    ) -> Self {
        let mut hints = Self {
            scopes,
            raws,
            drafts,
            bindings: HashMap::default(),
            own: HashMap::default(),
            lowering: Lowering::new(imports, drafts),
            bound: HashSet::default(),
            out: Vec::new(),
        };
        // What the file or a symbol owns, in source order: whose it is, and all that was met.
        let mut owned: Vec<(Option<u32>, &str, Vec<u32>)> = Vec::new();
        let mut places: HashMap<(Option<u32>, &str), usize> = HashMap::default();
        for (at, raw) in raws.iter().enumerate() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            let bound = |name: &'w str, scope: u32| Some((name, Some(scope), None));
            let found = match &raw.owner {
                Owner::Binding(name, scope) => bound(name, *scope),
                Owner::Assigned(name, scope) => scopes
                    .binding_scope(name, *scope)
                    .and_then(|scope| bound(name, scope)),
                Owner::Member(symbol, name) => Some((&**name, None, *symbol)),
                Owner::This(symbol, name) => {
                    let is_own = scopes.binder("this", raw.scope) == Binder::Nobody;
                    let is_member = key_of(name).is_none_or(|key| is_constant(scopes, key, raw));
                    (is_own && is_member).then_some((*name, None, Some(*symbol)))
                }
                Owner::Own(name, scope) => {
                    let key = (scopes.number(name).unwrap_or(u32::MAX), *scope);
                    hints.own.extend(raw.origin.clone().map(|own| (key, own)));
                    None
                }
                Owner::Expression => None,
            };
            let Some((name, scope, owner)) = found else {
                continue;
            };
            let local = scope.filter(|&scope| scopes.kind(scope) != ScopeKind::Top);
            if let Some(scope) = local {
                let key = (scopes.number(name).unwrap_or(u32::MAX), scope);
                let known = hints.bindings.entry(key);
                if let Known::Not(all) = known.or_insert_with(|| Known::Not(Vec::new())) {
                    all.push(at);
                }
                continue;
            }
            let owner = match scope {
                Some(0) => None,
                Some(_) => raw.symbol,
                None => owner,
            };
            let place = *places.entry((owner, name)).or_insert(owned.len());
            if place == owned.len() {
                owned.push((owner, name, Vec::new()));
            }
            owned[place].2.push(at);
        }
        for (symbol, name, all) in owned {
            hints.own(symbol, name, &all);
        }
        hints
    }

    /// Returns what the file and its symbols hold, and the expressions of the file.
    pub(super) fn finish(self) -> (Vec<Binding>, ExprArena) {
        (self.out, self.lowering.arena)
    }

    /// Returns what a local name is, if that is known, and how its origin reads.
    pub(super) fn of_local(&mut self, name: &str, scope: u32) -> Option<(ExprId, HintKind)> {
        let settled = self.binding(name, scope, 0)?;
        self.local(&settled, name)
    }

    /// Returns what an expression is, if that is known.
    pub(super) fn of_expression(&mut self, raw: u32) -> Option<ExprId> {
        let settled = self.settle(raw, 0)?;
        self.local(&settled, "").map(|it| it.0)
    }

    fn local(&mut self, settled: &Settled<'a>, name: &str) -> Option<(ExprId, HintKind)> {
        if settled.origin.text().len() > ORIGIN_BYTES {
            return None;
        }
        let expr = self.lowering.settled(settled, settled.symbol, name);
        Some((expr, settled.origin.kind))
    }

    fn own(&mut self, symbol: Option<u32>, name: &str, all: &[u32]) {
        let settled: Vec<Settled<'a>> = if matches!(name, "extends" | "implements") {
            // Each is true beside the others.
            all.iter().filter_map(|&raw| self.settle(raw, 0)).collect()
        } else {
            self.agreed(all, 0).into_iter().collect()
        };
        for one in settled {
            // `this` is that of a member: an instance of what owns the name, or of what is around that.
            let around = |at: u32| self.drafts[at as usize].symbol.parent;
            let is_own = |at: u32| {
                let own = symbol == Some(at) || symbol == around(at);
                symbol.is_some_and(|owner| own || around(owner) == Some(at))
            };
            if one.symbol.is_none_or(is_own) {
                self.keep(name, symbol, &one);
            }
        }
    }

    fn keep(&mut self, name: &str, symbol: Option<u32>, settled: &Settled<'a>) {
        if settled.origin.text().len() > ORIGIN_BYTES {
            return;
        }
        let mut path = self.lowering.path(name);
        let is_base = matches!(name, "extends" | "implements");
        if settled.origin.kind == HintKind::Base && !is_base {
            path = self
                .lowering
                .arena
                .path(path, Slot::Base(BaseKind::Extends));
        }
        let value = self.lowering.settled(settled, symbol, name);
        let binding = Binding {
            owner: symbol,
            path,
            value,
        };
        if self.bound.insert(binding) {
            self.out.push(binding);
        }
    }

    /// Returns what a local name is.
    fn binding(&mut self, name: &str, scope: u32, depth: usize) -> Option<Settled<'a>> {
        let key = (self.scopes.number(name)?, scope);
        let known = self.bindings.get_mut(&key)?;
        let all = match std::mem::replace(known, Known::Now) {
            Known::Yes(settled) => {
                *known = Known::Yes(settled.clone());
                return settled;
            }
            Known::Now => return None,
            Known::Not(all) => all,
        };
        let settled = self.agreed(&all, depth);
        self.bindings.insert(key, Known::Yes(settled.clone()));
        settled
    }

    /// Returns what the weightiest of several hints say, where they agree.
    fn agreed(&mut self, all: &[u32], depth: usize) -> Option<Settled<'a>> {
        let rank = all.iter().map(|&at| self.raws[at as usize].rank).min()?;
        let mut found = None;
        for &at in all {
            let raw = &self.raws[at as usize];
            // Among the heads of an overloaded function some say nothing.
            if raw.rank != rank || (rank == Rank::Written && raw.origin.is_none()) {
                continue;
            }
            let settled = self.settle(at, depth)?;
            match &found {
                None => found = Some(settled),
                Some(other) if *other == settled => {}
                // What is written differs by overload: it may be any of what is returned, but nobody says what is given.
                Some(_) if rank == Rank::Written && !self.is_returned(at) => return None,
                Some(other) => found = Some(other.clone().or(settled)),
            }
        }
        found
    }

    fn is_returned(&self, at: u32) -> bool {
        self.raws[at as usize].is_returned()
    }

    /// Returns the type parameter of a function that a name is in what the function returns: there a call may say what
    /// it stands for.
    fn own_type_parameter(&self, raw: &Raw<'a>, name: &str, scope: u32) -> Option<Settled<'a>> {
        let own = || self.own.get(&(self.scopes.number(name)?, scope)).cloned();
        let origin = raw.is_returned().then(own)??;
        Some(Settled {
            origin,
            root: None,
            symbol: None,
        })
    }

    /// Returns where a raw hint leads when local names are followed.
    fn settle(&mut self, at: u32, depth: usize) -> Option<Settled<'a>> {
        if depth > FOLLOWED {
            return None;
        }
        let origin = self.raws[at as usize].origin.clone()?;
        self.settle_any(at, origin, depth)
    }

    /// As `settle`, of an origin that was met where the raw hint was.
    fn settle_any(&mut self, at: u32, origin: Origin<'a>, depth: usize) -> Option<Settled<'a>> {
        let mut found: Option<Settled<'a>> = None;
        for one in origin.apart() {
            // A type that is nobody's name says nothing; a value of which nothing is known may be anything.
            let is_type = matches!(
                one.kind,
                HintKind::Type
                    | HintKind::Element
                    | HintKind::Keyed
                    | HintKind::Gives
                    | HintKind::Base
            );
            match (self.settle_one(at, &one, depth), found.take()) {
                (Some(settled), Some(known)) => found = Some(known.or(settled)),
                (Some(settled), None) => found = Some(settled),
                (None, known) if is_type => found = known,
                (None, _) => return None,
            }
        }
        found
    }

    /// As `settle`, of one thing that it may be.
    fn settle_one(&mut self, at: u32, origin: &Origin<'a>, depth: usize) -> Option<Settled<'a>> {
        let raw = &self.raws[at as usize];
        let origin = origin.with_keys(|key| is_constant(self.scopes, key, raw));
        let origin = given_to_calls(origin, |name| {
            self.scopes.binder(name, raw.scope) == Binder::Top
        });
        let mut inside = None;
        let origin = match origin.given.as_slice() {
            [] => origin,
            given => {
                let mut settled = Vec::with_capacity(given.len());
                for one in given {
                    let one = one.clone();
                    let one = one.and_then(|one| self.settle_any(at, one, depth + 1));
                    // What is given is looked up from the file or from the type around.
                    let one = one.filter(|one| one.root.is_none());
                    inside = inside.or(one.as_ref().and_then(|one| one.symbol));
                    settled.push(one.map(|one| one.origin));
                }
                Cow::Owned(origin.into_owned().given(settled.into_iter()))
            }
        };
        let origin = origin.as_ref();
        if origin.of.len() > ORIGIN_BYTES {
            return None;
        }
        let settled = |root, symbol: Option<u32>| {
            Some(Settled {
                origin: origin.clone(),
                root,
                symbol: symbol.or(inside),
            })
        };
        if origin.is_type_parameter() {
            return settled(None, raw.symbol);
        }
        if origin.is_of_call() {
            return settled(None, None);
        }
        if origin.module.is_some() {
            return settled(None, None);
        }
        if origin.inside.is_some() {
            return settled(origin.inside, None);
        }
        let root = origin.of.split(['.', ':']).next().unwrap_or_default();
        match self.scopes.binder(root, raw.scope) {
            Binder::Top => settled(None, None),
            Binder::Inner(symbol) => settled(Some(symbol), None),
            Binder::Nobody if matches!(root, "this" | "super") => settled(None, raw.symbol),
            // A value of the run time's; a type may be declared for all files.
            Binder::Nobody => match origin.kind {
                HintKind::Type
                | HintKind::Element
                | HintKind::Keyed
                | HintKind::Gives
                | HintKind::Base => settled(None, None),
                _ => None,
            },
            Binder::Local(scope) => {
                let base = match self.own_type_parameter(raw, root, scope) {
                    Some(own) => own,
                    None => self.binding(root, scope, depth + 1)?,
                };
                let Settled {
                    origin: found,
                    root,
                    mut symbol,
                } = base;
                if found.is_type_parameter() {
                    // Types inside types have their own.
                    if type_around(self.drafts, raw.symbol) != type_around(self.drafts, symbol) {
                        return None;
                    }
                    symbol = raw.symbol;
                } else if matches!(&raw.owner, Owner::Member(_, name) if is_inner_parameter(name)) {
                    // What a function is given that is given to another depends on who calls.
                    return None;
                }
                let parts = found.apart().filter_map(|found| {
                    join(
                        Settled {
                            origin: found,
                            root,
                            symbol,
                        },
                        origin,
                    )
                });
                parts.reduce(Settled::or)
            }
        }
    }
}

/// Whether a key is one of the file's names, which is the same wherever it is used.
fn is_constant(scopes: &Scopes<'_>, key: &str, raw: &Raw<'_>) -> bool {
    scopes.binder(key, raw.scope) == Binder::Top
}
