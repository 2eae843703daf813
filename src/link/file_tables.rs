//! The tables of one file's facts that look-ups need: its definitions, bindings and imports, and the expressions that type
//! arguments and type parameters are in. See `file` for the look-ups and what they record.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use super::rules::LanguageRules;
use crate::ir::{
    Expr, ExprArena, FileFacts, ImportKind, ImportedName, PathId, Slot, SymbolIdx, all_projects,
    generic_name, visible_projects,
};
use crate::model::hash::{HashMap, HashSet};
use crate::model::{ModuleId, Symbol, SymbolKind};

/// An owner (a definition, or the file) and the path from there.
type OwnedPath = (Option<SymbolIdx>, PathId);

/// The definitions of a file, as they are looked up.
pub(super) struct DefinitionTable {
    /// By their owner and the path from there; those of the top level also by their names alone.
    by_path: HashMap<OwnedPath, Indexes>,
    /// The path to each symbol from the one around it.
    paths: Vec<PathId>,
    /// Definitions in objects inside a definition, by their names alone.
    nested: HashMap<(SymbolIdx, PathId), Indexes>,
    /// Symbols that have members, functions among them.
    with_members: HashSet<SymbolIdx>,
    /// The number of type parameters of each type and method that has some, where they are told apart by it.
    arities: HashMap<SymbolIdx, usize>,
}

impl DefinitionTable {
    /// Adds the names and paths of the definitions to the arena of `facts`, and to `objects` the paths that they are below.
    pub(super) fn of(
        facts: &mut FileFacts,
        rules: &LanguageRules,
        objects: &mut ObjectPaths,
    ) -> Self {
        let arities = if rules.counts_type_params {
            facts.arities()
        } else {
            HashMap::default()
        };
        let owned = facts.symbols.iter().filter(|it| is_member(it.kind));
        let mut table = Self {
            by_path: HashMap::default(),
            paths: Vec::with_capacity(facts.symbols.len()),
            nested: HashMap::default(),
            with_members: owned.filter_map(|it| it.parent).collect(),
            arities,
        };
        table.by_path.reserve(facts.symbols.len());
        for at in 0..facts.symbols.len() {
            if let Some(name) = facts.unit_member_name(at) {
                let name = facts.exprs.name(&name);
                let path = facts.exprs.path(PathId::EMPTY, Slot::Member(name));
                table.paths.push(path);
                Indexes::add(&mut table.by_path, (None, path), index_u32(at));
                continue;
            }
            let parent = facts.symbols[at].parent;
            let at = index_u32(at);
            let (own, path) = table.paths_to(facts, at, rules);
            table.paths.push(path);
            objects.add(&facts.exprs, parent, path);
            Indexes::add(&mut table.by_path, (parent, path), at);
            if let Some(of) = facts.seen_around(at as usize) {
                let around = facts.symbols[of as usize].parent;
                Indexes::add(&mut table.by_path, (around, own), at);
            }
            if path != own {
                match parent {
                    None => Indexes::add(&mut table.by_path, (None, own), at),
                    Some(parent) => Indexes::add(&mut table.nested, (parent, own), at),
                }
            }
        }
        table
    }

    /// Returns the path of a symbol's name alone, and that from its parent, which is longer inside an object: `c` and `b.c`.
    fn paths_to(
        &self,
        facts: &mut FileFacts,
        at: SymbolIdx,
        rules: &LanguageRules,
    ) -> (PathId, PathId) {
        let symbol = &facts.symbols[at as usize];
        let names = path_of(&facts.symbols, symbol);
        let plain = lookup_name(symbol, rules.has_overloads);
        let own = match self.arities.get(&at) {
            Some(n_params) if is_generic(symbol.kind) => {
                facts.exprs.name(&generic_name(&plain, *n_params))
            }
            _ if rules.has_partial_types && is_explicit(symbol, names) => facts.exprs.name(names),
            _ => facts.exprs.name(&plain),
        };
        let own = facts.exprs.path(PathId::EMPTY, Slot::Member(own));
        if rules.has_overloads || rules.has_includes || names == symbol.name {
            return (own, own);
        }
        let mut path = PathId::EMPTY;
        for name in names.split('.') {
            let name = facts.exprs.name(name);
            path = facts.exprs.path(path, Slot::Member(name));
        }
        (own, path)
    }

    pub(super) fn at(&self, owner: Option<SymbolIdx>, path: PathId) -> &[SymbolIdx] {
        self.by_path.get(&(owner, path)).map_or(&[], Indexes::all)
    }

    pub(super) fn path(&self, at: SymbolIdx) -> PathId {
        self.paths[at as usize]
    }

    /// The paths at which an owner has definitions. Costs a look at all of the file.
    pub(super) fn paths_of(&self, owner: SymbolIdx) -> impl Iterator<Item = PathId> {
        paths_of(&self.by_path, owner)
    }

    /// The only definition of a name in the objects inside a definition.
    pub(super) fn only_nested(&self, of: SymbolIdx, name: PathId) -> Option<SymbolIdx> {
        match self.nested.get(&(of, name))?.all() {
            [at] => Some(*at),
            _ => None,
        }
    }

    pub(super) fn has_members(&self, at: SymbolIdx) -> bool {
        self.with_members.contains(&at)
    }

    /// The number of type parameters of a type or method that has some, where they are told apart by it.
    pub(super) fn arity(&self, at: SymbolIdx) -> Option<usize> {
        self.arities.get(&at).copied()
    }
}

/// Bindings by their owner and path; assignments apart.
pub(super) struct BindingTable(HashMap<OwnedPath, Indexes>);

impl BindingTable {
    /// Adds to `objects` the paths that the bindings are below.
    pub(super) fn of(facts: &FileFacts, objects: &mut ObjectPaths) -> Self {
        let mut table = HashMap::default();
        table.reserve(facts.bindings.len());
        for (at, binding) in facts.bindings.iter().enumerate() {
            if binding.assignment(&facts.exprs).is_some() {
                continue;
            }
            let key = (binding.owner, binding.path);
            Indexes::add(&mut table, key, index_u32(at));
            objects.add(&facts.exprs, binding.owner, binding.path);
        }
        Self(table)
    }

    pub(super) fn at(&self, owner: Option<SymbolIdx>, path: PathId) -> &[u32] {
        self.0.get(&(owner, path)).map_or(&[], Indexes::all)
    }

    /// The paths at which an owner has bindings, as [`DefinitionTable::paths_of`].
    pub(super) fn paths_of(&self, owner: SymbolIdx) -> impl Iterator<Item = PathId> {
        paths_of(&self.0, owner)
    }
}

fn paths_of(table: &HashMap<OwnedPath, Indexes>, owner: SymbolIdx) -> impl Iterator<Item = PathId> {
    let own = table.keys().filter(move |key| key.0 == Some(owner));
    own.map(|key| key.1)
}

/// Paths to objects and types that are no definitions: `a` and `a.b` where `a.b.c` is known.
#[derive(Default)]
pub(super) struct ObjectPaths(HashSet<OwnedPath>);

impl ObjectPaths {
    /// Adds the paths that `path` is below.
    fn add(&mut self, exprs: &ExprArena, owner: Option<SymbolIdx>, path: PathId) {
        let mut at = path;
        while let Some((parent, _)) = exprs.last(at) {
            // With one all that are shorter are known.
            if parent == PathId::EMPTY || !self.0.insert((owner, parent)) {
                break;
            }
            at = parent;
        }
    }

    pub(super) fn contains(&self, owner: Option<SymbolIdx>, path: PathId) -> bool {
        self.0.contains(&(owner, path))
    }
}

/// The names that the imports of a file bind.
#[derive(Default)]
pub(super) struct ImportTable {
    /// The import that binds a name: its index among the imports of the file, and that of the name in it.
    bound: HashMap<String, (u32, u32)>,
    /// The modules that names may stand for which an import takes from a package, by their import.
    submodules: HashMap<String, u32>,
    /// The imports of static members, by their indexes.
    pub(super) static_members: Vec<u32>,
    /// The units all of whose names are names of this file, where nothing nearer has them: `import a.b.*`.
    pub(super) wildcards: Vec<ModuleId>,
    /// Whether one of those, or a static one (`import static a.B.*`), is out of the repository.
    pub(super) has_external_wildcard: bool,
    /// The project of the file and those that it references, the nearest first, by their project files.
    pub(super) projects: Vec<ModuleId>,
    /// Whether the file may see further projects.
    pub(super) sees_all_projects: bool,
}

impl ImportTable {
    /// `targets` are those of the imports of `facts`, in their order.
    pub(super) fn of(
        facts: &FileFacts,
        targets: &[Option<ModuleId>],
        rules: &LanguageRules,
    ) -> Self {
        let mut table = Self::default();
        let resolves = |at: u32| targets.get(at as usize).copied().flatten().is_some();
        for (at, import) in facts.imports.iter().enumerate() {
            let target = targets.get(at).copied().flatten();
            let at = index_u32(at);
            if rules.has_partial_types && import.specifier.starts_with(visible_projects()) {
                if import.specifier == all_projects() {
                    table.sees_all_projects = target.is_some();
                } else {
                    table.projects.extend(target);
                }
                continue;
            }
            if import.kind == ImportKind::StaticMember {
                table.static_members.push(at);
                let takes_all = import.names.iter().any(|it| it.local == "*");
                table.has_external_wildcard |= takes_all && target.is_none();
            }
            // A type in a type that `using static` may name; see the lowering of C#.
            let is_nested = |name: &ImportedName| name.imported != "*" && name.local == "*";
            if import.kind == ImportKind::Scope && import.names.iter().any(is_nested) {
                table.static_members.push(at);
                continue;
            }
            let is_all = |name: &ImportedName| name.imported == "*" && name.local == "*";
            if import.names.iter().any(is_all) {
                table.wildcards.extend(target);
                table.has_external_wildcard |= target.is_none();
                continue;
            }
            if matches!(import.kind, ImportKind::ReExport | ImportKind::StaticMember) {
                continue;
            }
            for (n, name) in import.names.iter().enumerate() {
                let here = (at, index_u32(n));
                let is_resolved = |table: &Self| {
                    let known = table.binding(&name.local);
                    known.is_some_and(|(import, _)| resolves(import))
                };
                if name.local.is_empty() {
                    continue;
                }
                if import.kind == ImportKind::Submodule {
                    table.submodules.insert(name.local.clone(), at);
                } else if import.kind == ImportKind::TypeQuery {
                    // A type that a comment imports does not hide a name that a statement imports.
                    table.bound.entry(name.local.clone()).or_insert(here);
                } else if !(rules.first_resolved_import_binds && is_resolved(&table)) {
                    table.bound.insert(name.local.clone(), here);
                }
            }
        }
        table
    }

    pub(super) fn binding(&self, name: &str) -> Option<(u32, u32)> {
        self.bound.get(name).copied()
    }

    /// The import of the module that `name` means where the package has no such name.
    pub(super) fn submodule(&self, name: &str) -> Option<u32> {
        self.submodules.get(name).copied()
    }
}

/// Indexes into a table of the facts, of which there is nearly always one.
enum Indexes {
    One(u32),
    Several(Vec<u32>),
}

impl Indexes {
    fn add<K: Hash + Eq>(table: &mut HashMap<K, Self>, key: K, at: u32) {
        match table.entry(key) {
            Entry::Vacant(new) => drop(new.insert(Self::One(at))),
            Entry::Occupied(mut known) => match known.get_mut() {
                Self::One(first) => {
                    let all = vec![*first, at];
                    known.insert(Self::Several(all));
                }
                Self::Several(all) => all.push(at),
            },
        }
    }

    fn all(&self) -> &[u32] {
        match self {
            Self::One(at) => std::slice::from_ref(at),
            Self::Several(all) => all,
        }
    }
}

/// Whether generic types are used in an expression or a part of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Genericity {
    /// Type arguments: `List<Row>`.
    pub(super) has_args: bool,
    /// A type parameter of a class.
    pub(super) has_class_param: bool,
}

/// Returns the genericity of each expression.
pub(super) fn genericities(facts: &FileFacts) -> Vec<Genericity> {
    let exprs = facts.exprs.exprs();
    let mut all: Vec<Genericity> = Vec::with_capacity(exprs.len());
    for expr in exprs {
        let mut found = Genericity::default();
        match expr {
            Expr::Specialized { .. } => found.has_args = true,
            Expr::Call { types, .. } => found.has_args = !types.is_empty(),
            Expr::TypeParam { owner, .. } => {
                found.has_class_param = is_generic(facts.symbols[*owner as usize].kind);
            }
            _ => {}
        }
        expr.each_part(|part| {
            let part = all[part.0 as usize];
            found.has_args |= part.has_args;
            found.has_class_param |= part.has_class_param;
        });
        all.push(found);
    }
    all
}

/// Whether it may have type parameters that are those of all its members.
pub(super) fn is_generic(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Interface, Type};
    matches!(kind, Class | Interface | Type)
}

/// Returns the names that lead from the parent of a symbol to it: `b.c`.
pub(super) fn path_of<'s>(symbols: &'s [Symbol], symbol: &'s Symbol) -> &'s str {
    let whole = symbol.qualified_name.as_str();
    let path = match symbol.parent {
        None => Some(whole),
        Some(parent) => {
            let around = symbols.get(parent as usize);
            let rest = around.and_then(|around| whole.strip_prefix(&around.qualified_name));
            rest.and_then(|rest| rest.strip_prefix('.'))
        }
    };
    let path = path.filter(|path| path.ends_with(&symbol.name));
    // Names that are too deep are cut off.
    path.unwrap_or(&symbol.name)
}

/// Whether a member has the name of an interface before its own, so that no look-up by its own name finds it: `IStore.Open`.
pub(super) fn is_explicit(symbol: &Symbol, names: &str) -> bool {
    names.len() > symbol.name.len()
        && matches!(symbol.kind, SymbolKind::Method | SymbolKind::Property)
        && names.starts_with(char::is_uppercase)
        && symbol.parent.is_some()
}

/// Returns the name by which a symbol is looked up in its owner.
pub(super) fn lookup_name(symbol: &Symbol, has_overloads: bool) -> Cow<'_, str> {
    match symbol.kind {
        SymbolKind::Method if has_overloads => Cow::Owned(format!("{}()", symbol.name)),
        SymbolKind::Constructor if has_overloads => Cow::Borrowed("<init>()"),
        _ => Cow::Borrowed(&symbol.name),
    }
}

/// Whether a definition of this kind inside another is a member of it.
pub(super) fn is_member(kind: SymbolKind) -> bool {
    use SymbolKind::{Constructor, Field, Method, Property};
    matches!(kind, Method | Property | Field | Constructor)
}

/// Returns an index as the facts hold it.
pub(super) fn index_u32(at: usize) -> u32 {
    u32::try_from(at).expect("a file has fewer facts than u32 can count")
}
