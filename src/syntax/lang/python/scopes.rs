//! The scopes of a file: which names each binds, where, and to what.
//!
//! Python's rule is LEGB: a name is looked up in the function, the functions around it, the module and the builtins.
//! The scope of a class is seen from its body alone.

use tree_sitter::Node;

use super::builders::BuilderId;
use crate::ir::ImportIdx;
use crate::model::hash::HashMap;

/// A scope, an index into [`PythonScopes::all`]. 0 is the module.
pub(super) type ScopeIdx = u32;

/// The most bindings of one name that are kept in a scope.
const MAX_SITES: usize = 64;

/// The most loops of one scope that are kept.
const MAX_LOOPS: usize = 500;

/// The kind of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PythonScopeKind {
    Module,
    Class,
    /// A function or a lambda.
    Function,
    Comprehension,
}

/// The value that one statement binds a name to.
#[derive(Clone, Copy, Debug)]
pub(super) enum BoundValue<'t> {
    /// `name = value`
    Value(Node<'t>),
    /// `name: annotation`
    Annotation(Node<'t>),
    /// `*name: annotation`
    Annotations(Node<'t>),
    /// `for name in value`
    Element(Node<'t>),
    /// `with value as name`
    Entered(Node<'t>),
    /// `except value as name`, `case value() as name`, `isinstance(name, value)`
    InstanceOf(Node<'t>),
    /// An import inside a function: name of the module; `*` is the module itself.
    Import(ImportIdx, &'t str),
    /// A function or a class.
    Symbol(BuilderId),
    /// The receiver of a method, the parameter `self` or `cls`.
    Receiver(BuilderId),
    /// A parameter of a test or fixture that bears the name of a fixture.
    Parameter(BuilderId),
    /// A type parameter of a class or function in brackets: `class A[T]`.
    TypeParam,
    /// Nothing is known.
    Unknown,
}

/// One binding of a name.
#[derive(Clone, Debug)]
pub(super) struct Site<'t> {
    /// The byte from which on the name holds the value.
    pub(super) start: usize,
    /// The bytes of the block that the statement is in: it runs before all that follows it there.
    pub(super) block: (usize, usize),
    /// The scope that the value is read in.
    pub(super) scope: ScopeIdx,
    pub(super) held: BoundValue<'t>,
    /// The positions by which the value is taken apart: `[1, 0]` for `c` in `a, (c, d) = value`; [`STAR`] for the rest.
    pub(super) items: Box<[u8]>,
}

/// The position of `*rest` in what takes a value apart.
pub(super) const STAR: u8 = u8::MAX;

/// A test that narrows a name in some range of bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Narrowing<'t> {
    pub(super) range: (usize, usize),
    pub(super) class: Node<'t>,
}

/// One scope.
#[derive(Debug)]
pub(super) struct PythonScope<'t> {
    pub(super) parent: ScopeIdx,
    pub(super) kind: PythonScopeKind,
    /// The innermost symbol around.
    pub(super) symbol: Option<BuilderId>,
    pub(super) names: HashMap<&'t str, Vec<Site<'t>>>,
    /// Names of `global` (true) and `nonlocal` (false).
    outer: HashMap<&'t str, bool>,
    /// The bytes of loops.
    loops: Vec<(usize, usize)>,
    /// By the name, or a chain of names as it is written: `self.node`.
    pub(super) narrowings: HashMap<&'t str, Vec<Narrowing<'t>>>,
    /// Bytes from which on chains of names hold other values: `self.node = value`.
    pub(super) assigned_chains: HashMap<&'t str, Vec<usize>>,
}

/// The scope that binds a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BindingScope {
    /// A function, lambda or comprehension.
    Local(ScopeIdx),
    /// The class whose body the name stands in.
    Class(ScopeIdx),
    FileScope,
    /// A builtin, a name of a star import, or nothing.
    Unresolved,
}

/// The scopes of a file.
#[derive(Debug, Default)]
pub(super) struct PythonScopes<'t> {
    pub(super) all: Vec<PythonScope<'t>>,
    /// The scopes of functions, classes, lambdas and comprehensions by the ids of their nodes.
    pub(super) of_node: HashMap<usize, ScopeIdx>,
}

impl<'t> PythonScopes<'t> {
    /// Opens a scope inside `parent`.
    pub(super) fn open(
        &mut self,
        parent: ScopeIdx,
        kind: PythonScopeKind,
        symbol: Option<BuilderId>,
    ) -> ScopeIdx {
        let at = u32::try_from(self.all.len()).unwrap_or(0);
        self.all.push(PythonScope {
            parent,
            kind,
            symbol,
            names: HashMap::default(),
            outer: HashMap::default(),
            loops: Vec::new(),
            narrowings: HashMap::default(),
            assigned_chains: HashMap::default(),
        });
        at
    }

    /// Returns a scope.
    pub(super) fn get(&self, at: ScopeIdx) -> &PythonScope<'t> {
        &self.all[at as usize]
    }

    /// Returns a scope to write to.
    pub(super) fn get_mut(&mut self, at: ScopeIdx) -> &mut PythonScope<'t> {
        &mut self.all[at as usize]
    }

    /// Declares that a name of `scope` is bound outside of it.
    pub(super) fn declare_outer(&mut self, scope: ScopeIdx, name: &'t str, is_global: bool) {
        self.get_mut(scope).outer.insert(name, is_global);
    }

    /// Adds a binding of a name; follows `global` and `nonlocal`. Returns the scope that has the name.
    pub(super) fn bind(&mut self, scope: ScopeIdx, name: &'t str, site: Site<'t>) -> ScopeIdx {
        let mut at = scope;
        match self.get(scope).outer.get(name) {
            Some(true) => at = 0,
            Some(false) => {
                if let BindingScope::Local(outer) = self.look_up(name, self.get(scope).parent) {
                    at = outer;
                }
            }
            None => {}
        }
        let sites = self.get_mut(at).names.entry(name).or_default();
        if sites.len() < MAX_SITES {
            sites.push(site);
        }
        at
    }

    /// Finds the scope that binds a name used in `scope`.
    pub(super) fn look_up(&self, name: &str, scope: ScopeIdx) -> BindingScope {
        let mut at = scope;
        loop {
            let here = self.get(at);
            if at == 0 {
                return if here.names.contains_key(name) {
                    BindingScope::FileScope
                } else {
                    BindingScope::Unresolved
                };
            }
            if here.outer.get(name) == Some(&true) {
                at = 0;
                continue;
            }
            let is_seen = here.kind != PythonScopeKind::Class || at == scope;
            if is_seen && here.names.contains_key(name) {
                return match here.kind {
                    PythonScopeKind::Class => BindingScope::Class(at),
                    _ => BindingScope::Local(at),
                };
            }
            at = here.parent;
        }
    }

    /// Finds the scope that binds a name used at byte `at` of `scope`: the body of a class reads a name that it binds only
    /// later from the scopes around, as in `Parser = Parser`.
    pub(super) fn binder_at(&self, name: &str, scope: ScopeIdx, at: usize) -> BindingScope {
        let found = self.look_up(name, scope);
        let BindingScope::Class(class) = found else {
            return found;
        };
        let sites = self.get(class).names.get(name);
        if sites.is_some_and(|all| all.iter().any(|site| site.start <= at)) {
            return found;
        }
        match self.look_up(name, self.get(class).parent) {
            BindingScope::Unresolved => found,
            around => around,
        }
    }

    /// Records a loop of a scope.
    pub(super) fn add_loop(&mut self, scope: ScopeIdx, node: Node<'t>) {
        let loops = &mut self.get_mut(scope).loops;
        if loops.len() < MAX_LOOPS {
            loops.push((node.start_byte(), node.end_byte()));
        }
    }

    /// Returns the nearest scope from `scope` outwards that is no comprehension.
    pub(super) fn statement_scope(&self, scope: ScopeIdx) -> ScopeIdx {
        let mut at = scope;
        while self.get(at).kind == PythonScopeKind::Comprehension {
            at = self.get(at).parent;
        }
        at
    }

    /// Returns the bindings of a name of `scope` that a use at byte `at` in the scope `from` can see: the last one
    /// that surely ran before it and those that may have run since; all of them for a use in another function.
    pub(super) fn sites(
        &self,
        name: &str,
        scope: ScopeIdx,
        from: ScopeIdx,
        at: usize,
    ) -> Vec<Site<'t>> {
        let here = self.get(scope);
        let Some(all) = here.names.get(name) else {
            return Vec::new();
        };
        let annotated = all
            .iter()
            .find(|site| matches!(site.held, BoundValue::Annotation(_)));
        if self.statement_scope(from) != scope && from != scope {
            return match annotated {
                Some(site) => vec![site.clone()],
                None => all.clone(),
            };
        }
        let within = |range: &(usize, usize), at: usize| range.0 <= at && at < range.1;
        let surely = all
            .iter()
            .filter(|site| site.start <= at && within(&site.block, at))
            .map(|site| site.start)
            .max();
        let first = surely.unwrap_or(0);
        let seen: Vec<_> = all
            .iter()
            .filter(|site| {
                site.start >= first
                    && (site.start <= at
                        || here.loops.iter().any(|it| {
                            within(it, at)
                                && within(it, site.start)
                                && (surely.is_none() || !within(it, first))
                        }))
            })
            .cloned()
            .collect();
        if seen.is_empty() { all.clone() } else { seen }
    }

    /// Returns the binding of a name of `scope` that has an annotation.
    pub(super) fn annotation(&self, name: &str, scope: ScopeIdx) -> Option<Site<'t>> {
        let all = self.get(scope).names.get(name)?;
        let annotated = |site: &&Site<'t>| matches!(site.held, BoundValue::Annotation(_));
        all.iter().find(annotated).cloned()
    }

    /// Returns the class that tests around byte `at` narrow a name to, as long as nothing binds it in between.
    pub(super) fn narrowed(
        &self,
        name: &str,
        scope: ScopeIdx,
        at: usize,
    ) -> Option<(Node<'t>, ScopeIdx)> {
        let scope = self.statement_scope(scope);
        let here = self.get(scope);
        let narrowing = here
            .narrowings
            .get(name)?
            .iter()
            .filter(|it| it.range.0 <= at && at < it.range.1)
            .max_by_key(|it| it.range.0)?;
        let is_between = |start: usize| narrowing.range.0 < start && start <= at;
        let root = name.split('.').next().unwrap_or(name);
        let is_bound = here
            .names
            .get(root)
            .is_some_and(|sites| sites.iter().any(|site| is_between(site.start)))
            || here
                .assigned_chains
                .get(name)
                .is_some_and(|all| all.iter().any(|start| is_between(*start)));
        (!is_bound).then_some((narrowing.class, scope))
    }
}
