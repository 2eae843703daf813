//! Which names a file binds, and where: enough to tell a local name from one that another file may mean.
//!
//! Blocks, functions and hoisting count; a type and a value of one name are one name here.

use crate::model::hash::HashMap;

/// The kind of a scope, for hoisting and for definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    /// The file, or a namespace: its names are definitions.
    Top,
    /// A function: `var` stops here.
    Function,
    /// A block, a class, a type with parameters.
    Block,
}

/// The result of a lexical look-up: who binds a name at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    /// Nobody in this file.
    Unresolved,
    /// The file or a namespace.
    FileScope,
    /// A function inside another one, which is this symbol.
    NestedSymbol(u32),
    /// A parameter, a local variable, a type parameter: of this scope.
    Local(u32),
}

struct Scope {
    parent: u32,
    /// One past the last scope inside this one.
    end: u32,
    kind: ScopeKind,
}

#[derive(Clone, Copy)]
struct ScopeBinding {
    name: u32,
    scope: u32,
    is_symbol: bool,
    /// Which symbol, where that was told.
    symbol: u32,
    /// Nearest binding of the same name in a scope around this one; an index, or `NONE`.
    up: u32,
}

const NONE: u32 = u32::MAX;

/// The scopes of a file in the order in which they open, so that a scope and all inside it are one run
/// of numbers.
pub(super) struct Scopes<'a> {
    all: Vec<Scope>,
    names: HashMap<&'a str, u32>,
    bindings: Vec<ScopeBinding>,
    /// First binding of each name after [`Scopes::close`].
    first: Vec<u32>,
    /// Whether a name that nobody binds is one of the file.
    pub(super) is_open: bool,
}

impl<'a> Scopes<'a> {
    /// Returns scopes with the file's own, number 0.
    pub(super) fn new() -> Self {
        let top = Scope {
            parent: 0,
            end: NONE,
            kind: ScopeKind::Top,
        };
        Self {
            all: vec![top],
            names: HashMap::default(),
            bindings: Vec::new(),
            first: Vec::new(),
            is_open: false,
        }
    }

    /// Opens a scope and returns its number.
    pub(super) fn open(&mut self, parent: u32, kind: ScopeKind) -> u32 {
        let end = NONE;
        self.all.push(Scope { parent, end, kind });
        self.n_scopes() - 1
    }

    /// Ends a scope: later ones are not inside.
    pub(super) fn leave(&mut self, scope: u32) {
        self.all[scope as usize].end = self.n_scopes();
    }

    /// Returns the kind of a scope.
    pub(super) fn kind(&self, scope: u32) -> ScopeKind {
        self.all[scope as usize].kind
    }

    /// Returns the scope that a `var` in `scope` belongs to.
    pub(super) fn hoisted(&self, mut scope: u32) -> u32 {
        while self.kind(scope) == ScopeKind::Block {
            scope = self.all[scope as usize].parent;
        }
        scope
    }

    /// Binds a name.
    pub(super) fn bind(&mut self, name: &'a str, scope: u32, is_symbol: bool) {
        let next = u32::try_from(self.names.len()).unwrap_or(NONE);
        let name = *self.names.entry(name).or_insert(next);
        self.bindings.push(ScopeBinding {
            name,
            scope,
            is_symbol,
            symbol: NONE,
            up: NONE,
        });
    }

    /// Says which symbol the name is that was bound last.
    pub(super) fn bound_symbol(&mut self, symbol: u32) {
        if let Some(last) = self.bindings.last_mut() {
            last.symbol = symbol;
        }
    }

    /// Returns how many names were bound so far.
    pub(super) fn n_bound(&self) -> usize {
        self.bindings.len()
    }

    /// Gives the names that were bound to symbols from `symbol` on to it, those of the first `n_before` left out.
    pub(super) fn take_over(&mut self, n_before: usize, symbol: u32) {
        for binding in self.bindings.iter_mut().skip(n_before) {
            if binding.symbol != NONE {
                binding.symbol = binding.symbol.min(symbol);
            }
        }
    }

    /// Ends the collection; from now on [`Scopes::lookup`] can be asked. Costs a sort of all bindings.
    pub(super) fn close(&mut self) {
        self.bindings
            .sort_unstable_by_key(|b| (b.name, b.scope, !b.is_symbol, b.symbol));
        self.bindings.dedup_by_key(|b| (b.name, b.scope));
        self.first = vec![NONE; self.names.len() + 1];
        let mut open: Vec<u32> = Vec::new();
        for at in 0..self.bindings.len() {
            let ScopeBinding { name, scope, .. } = self.bindings[at];
            let index = u32::try_from(at).unwrap_or(NONE);
            if self.first[name as usize] == NONE {
                self.first[name as usize] = index;
                open.clear();
            }
            while open.last().is_some_and(|&o| !self.holds(o, scope)) {
                open.pop();
            }
            self.bindings[at].up = open.last().copied().unwrap_or(NONE);
            open.push(index);
        }
        let n_bindings = u32::try_from(self.bindings.len()).unwrap_or(NONE);
        if let Some(last) = self.first.last_mut() {
            *last = n_bindings;
        }
    }

    /// Returns who binds `name` for a use in `scope`. Costs a binary search over the bindings of that
    /// name and at most one step for each scope around it.
    pub(super) fn lookup(&self, name: &str, scope: u32) -> Lookup {
        let Some(found) = self.find(name, scope) else {
            let is_word = matches!(name, "this" | "super");
            return if self.is_open && !is_word {
                Lookup::FileScope
            } else {
                Lookup::Unresolved
            };
        };
        match self.kind(found.scope) {
            ScopeKind::Top => Lookup::FileScope,
            _ if found.is_symbol && found.symbol != NONE => Lookup::NestedSymbol(found.symbol),
            _ => Lookup::Local(found.scope),
        }
    }

    /// Returns the number of a name that the file binds somewhere.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }

    /// Returns the scope that binds `name` for a use in `scope`.
    pub(super) fn binding_scope(&self, name: &str, scope: u32) -> Option<u32> {
        self.find(name, scope).map(|found| found.scope)
    }

    /// Returns the names that the file itself binds, sorted.
    pub(super) fn names_of_file(&self) -> Vec<String> {
        let is_of_file = |id: u32| {
            let first = self.bindings.get(self.first[id as usize] as usize);
            first.is_some_and(|first| first.name == id && first.scope == 0)
        };
        let names = self.names.iter().filter(|(_, id)| is_of_file(**id));
        let mut names: Vec<String> = names.map(|(name, _)| (*name).to_owned()).collect();
        names.sort();
        names
    }

    /// Returns the names that the file itself binds to no symbol, in no order.
    pub(super) fn variables_of_file(&self) -> Vec<&'a str> {
        let is_variable = |id: u32| {
            let first = self.bindings.get(self.first[id as usize] as usize);
            first.is_some_and(|it| it.name == id && it.scope == 0 && !it.is_symbol)
        };
        let names = self.names.iter().filter(|(_, id)| is_variable(**id));
        names.map(|(name, _)| *name).collect()
    }

    fn find(&self, name: &str, scope: u32) -> Option<ScopeBinding> {
        let &id = self.names.get(name)?;
        let (from, to) = (self.first[id as usize], self.first[id as usize + 1]);
        let run = &self.bindings[from as usize..to as usize];
        let before = u32::try_from(run.partition_point(|b| b.scope <= scope)).unwrap_or(0);
        let mut at = if before == 0 { NONE } else { from + before - 1 };
        while at != NONE && !self.holds(at, scope) {
            at = self.bindings[at as usize].up;
        }
        (at != NONE).then(|| self.bindings[at as usize])
    }

    fn holds(&self, binding: u32, scope: u32) -> bool {
        let around = self.bindings[binding as usize].scope;
        around <= scope && scope < self.all[around as usize].end
    }

    fn n_scopes(&self) -> u32 {
        u32::try_from(self.all.len()).unwrap_or(NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::{Lookup, ScopeKind, Scopes};

    #[test]
    fn the_innermost_binding_around_a_use_decides() {
        let mut scopes = Scopes::new();
        let outer = scopes.open(0, ScopeKind::Function);
        let block = scopes.open(outer, ScopeKind::Block);
        scopes.leave(block);
        let sibling = scopes.open(outer, ScopeKind::Function);
        scopes.leave(sibling);
        scopes.leave(outer);
        let after = scopes.open(0, ScopeKind::Function);
        scopes.leave(after);
        scopes.bind("a", 0, true);
        scopes.bind("a", block, false);
        scopes.bind("f", outer, true);
        scopes.bound_symbol(7);
        scopes.bind("a", sibling, false);
        assert_eq!(scopes.hoisted(block), outer);
        scopes.leave(0);
        scopes.close();
        assert_eq!(scopes.lookup("a", block), Lookup::Local(block));
        assert_eq!(scopes.lookup("a", outer), Lookup::FileScope);
        assert_eq!(scopes.lookup("a", after), Lookup::FileScope);
        assert_eq!(scopes.lookup("f", sibling), Lookup::NestedSymbol(7));
        assert_eq!(scopes.lookup("f", after), Lookup::Unresolved);
        assert_eq!(scopes.lookup("b", block), Lookup::Unresolved);
    }
}
