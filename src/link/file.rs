//! A file while it is linked: its facts, the tables that look-ups need, and the record of the names that were looked up.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use super::file_tables::{
    BindingTable, DefinitionTable, Genericity, ImportTable, ObjectPaths, genericities, index_u32,
    is_explicit, is_generic, is_member, lookup_name, path_of,
};
use super::own_members::OwnMembers;
use super::rules;
use crate::ir::{
    BaseKind, Directive, Export, ExportKind, Expr, ExprId, FileFacts, INJECTED, Import, ImportKind,
    PathId, Slot, SymbolIdx, generic_name,
};
use crate::model::hash::{HashMap, HashSet};
use crate::model::{FileId, ModuleId, Symbol, SymbolFlags, SymbolId, SymbolKind, UnitId};
use crate::store::ImportTarget;
use crate::store::interface::{RESIDUAL, UNIT_FILES, bucket, symbol_buckets};

/// How many definitions of one name in one place are told apart.
const MAX_OVERLOADS: usize = 64;

/// The buckets of the names that were looked up in a loaded file by the search that is running. Its file and the recorder share it, so
/// that the cache may drop the file meanwhile.
#[derive(Default)]
pub(super) struct NameMask {
    /// The search that the buckets are of, by its number; no other one's look-ups count.
    search: Cell<u64>,
    buckets: Cell<u64>,
    /// The number of the search that is running; none before the file was asked for.
    running: OnceCell<Rc<Cell<u64>>>,
}

impl NameMask {
    /// Records look-ups from now on for the search that is running. Returns the record of the one before, for [`Self::restore`]; `None` where
    /// it is the same search.
    pub(super) fn begin(&self, running: &Rc<Cell<u64>>) -> Option<(u64, u64)> {
        let before = (self.search.get(), self.buckets.get());
        let is_new = before.0 != running.get();
        is_new.then(|| {
            self.running.get_or_init(|| Rc::clone(running));
            self.restore((running.get(), 0));
            before
        })
    }

    /// Goes on with the record of the search before.
    pub(super) fn restore(&self, (search, buckets): (u64, u64)) {
        self.search.set(search);
        self.buckets.set(buckets);
    }

    /// Returns the buckets that were recorded.
    pub(super) fn buckets(&self) -> u64 {
        self.buckets.get()
    }

    fn add(&self, buckets: u64) {
        let running = self.running.get();
        if running.is_some_and(|it| it.get() == self.search.get()) {
            self.buckets.set(self.buckets.get() | buckets);
        }
    }
}

/// One file's facts, with the tables that look-ups need.
pub(super) struct LinkedFile {
    pub(super) file: ModuleId,
    pub(super) facts: FileFacts,
    /// Symbol rows by their place.
    pub(super) ids: Vec<SymbolId>,
    /// Where each import leads, by its place.
    pub(super) targets: Vec<Option<ModuleId>>,
    /// Whether each import leads out of the repository, by its place.
    leads_to_external: Vec<bool>,
    /// The units that its names belong to.
    pub(super) units: Vec<ModuleId>,
    definitions: DefinitionTable,
    bindings: BindingTable,
    objects: ObjectPaths,
    /// By expression.
    genericity: Vec<Genericity>,
    pub(super) imports: ImportTable,
    /// The files whose names it offers by `export * from`.
    pub(super) stars: Vec<ModuleId>,
    /// The ranks of the files of a unit.
    ranks: HashMap<ModuleId, u8>,
    /// The same as a set, once asked.
    star_set: OnceCell<HashSet<ModuleId>>,
    /// The names that each of them exports, as buckets, once asked.
    pub(super) star_exports: OnceCell<Vec<u64>>,
    /// The bucket of the outermost definition around each symbol.
    buckets: Vec<u64>,
    pub(super) name_mask: Rc<NameMask>,
}

impl LinkedFile {
    pub(super) fn of(
        file: ModuleId,
        mut facts: FileFacts,
        ids: Vec<SymbolId>,
        imports: Vec<Option<ImportTarget>>,
        units: Vec<ModuleId>,
    ) -> Self {
        let leads_to_external = imports.iter().map(|it| *it == Some(ImportTarget::External));
        let leads_to_external = leads_to_external.collect();
        let modules = imports.into_iter().map(|it| it?.module());
        let targets: Vec<Option<ModuleId>> = modules.collect();
        let rules = rules::of_family(facts.family);
        facts.exprs.rebuild_index();
        let mut objects = ObjectPaths::default();
        let definitions = DefinitionTable::of(&mut facts, rules, &mut objects);
        Self {
            file,
            ids,
            units,
            definitions,
            bindings: BindingTable::of(&facts, &mut objects),
            objects,
            genericity: genericities(&facts),
            imports: ImportTable::of(&facts, &targets, rules),
            stars: stars(&facts, &targets),
            ranks: HashMap::default(),
            star_set: OnceCell::new(),
            star_exports: OnceCell::new(),
            buckets: symbol_buckets(&facts),
            name_mask: Rc::default(),
            facts,
            targets,
            leads_to_external,
        }
    }

    /// A unit as a module: it re-exports each of its files.
    pub(super) fn of_unit(unit: UnitId, files: &[(FileId, u8)]) -> Self {
        let mut facts = FileFacts::default();
        for at in 0..files.len() {
            let specifier = at.to_string();
            facts.imports.push(Import {
                specifier: specifier.clone(),
                kind: ImportKind::ReExport,
                type_only: false,
                line: 1,
                names: Vec::new(),
            });
            facts.exports.push(Export {
                kind: ExportKind::Star,
                name: "*".to_owned(),
                local: String::new(),
                specifier,
                type_only: false,
                line: 1,
            });
        }
        let targets = files.iter();
        let targets = targets.map(|it| Some(ImportTarget::File(it.0))).collect();
        let mut made = Self::of(unit.into(), facts, Vec::new(), targets, Vec::new());
        made.ranks = files
            .iter()
            .map(|(file, rank)| ((*file).into(), *rank))
            .collect();
        made
    }

    /// A definition of this file, by its place.
    pub(super) fn definition(&self, at: SymbolIdx) -> (FileId, SymbolIdx) {
        (self.file.file(), at)
    }

    /// The files of a unit.
    pub(super) fn files_of_unit(&self) -> &[ModuleId] {
        self.record(bucket(UNIT_FILES));
        &self.stars
    }

    /// The rank of a file among those of a unit.
    pub(super) fn rank(&self, file: ModuleId) -> Option<u8> {
        self.ranks.get(&file).copied()
    }

    /// The files that it includes.
    pub(super) fn included_files(&self) -> &[ModuleId] {
        self.record(RESIDUAL);
        &self.stars
    }

    /// The unit of a key that the file belongs to.
    pub(super) fn unit(&self, key: &str) -> Option<ModuleId> {
        // Its units are in the order of their keys, as those of the facts are.
        let key = key.rsplit(':').next()?;
        let at = self
            .facts
            .units
            .binary_search_by(|unit| unit.as_str().cmp(key));
        self.units.get(at.ok()?).copied()
    }

    /// The members of types that are defined outside of them, by a name.
    pub(super) fn owned_members(&self, name: &str) -> Vec<SymbolIdx> {
        let all = self.facts.owners.iter().map(|it| it.symbol);
        let named = all.filter(|at| self.facts.symbols[*at as usize].name == name);
        named.collect()
    }

    /// Whether it offers the names of a file by `export * from`.
    pub(super) fn reexports_all_of(&self, file: ModuleId) -> bool {
        let stars = || self.stars.iter().copied().collect();
        self.star_set.get_or_init(stars).contains(&file)
    }

    pub(super) fn n_facts(&self) -> usize {
        let facts = &self.facts;
        facts.symbols.len()
            + facts.references.len()
            + facts.bindings.len()
            + facts.exprs.exprs().len()
            + facts.exports.len()
            + facts.imports.len()
    }

    fn record(&self, buckets: u64) {
        self.name_mask.add(buckets);
    }

    /// The name by which the file declares another one as a module of it: `tests.util`.
    pub(super) fn declares(&self, module: ModuleId) -> Option<&str> {
        let all = self.facts.imports.iter().zip(&self.targets);
        let mut declared = all.filter(|(import, target)| {
            **target == Some(module) && import.specifier.starts_with("mod ")
        });
        let name = declared.next()?.0.names.first()?;
        Some(name.local.as_str())
    }

    /// The interfaces of the file's top level.
    pub(super) fn interfaces(&self) -> Vec<SymbolIdx> {
        let all = self.facts.symbols.iter().enumerate();
        let own = all.filter(|(_, it)| it.kind == SymbolKind::Interface && it.parent.is_none());
        own.map(|(at, _)| index_u32(at)).collect()
    }

    /// The inline module with a qualified name.
    pub(super) fn namespace(&self, qualified: &str) -> Option<SymbolIdx> {
        let all = self.facts.symbols.iter();
        let at = all
            .into_iter()
            .position(|it| it.kind == SymbolKind::Namespace && it.qualified_name == qualified)?;
        self.record_symbol(index_u32(at));
        Some(index_u32(at))
    }

    /// Records a look-up of a name that the file does not have.
    pub(super) fn record_name(&self, name: &str) {
        self.record(bucket(name));
    }

    /// Records a look-up of everything that the file offers.
    pub(super) fn record_all_names(&self) {
        self.record(RESIDUAL | (RESIDUAL - 1));
    }

    fn record_symbol(&self, symbol: u32) {
        self.record(
            self.buckets
                .get(symbol as usize)
                .copied()
                .unwrap_or(RESIDUAL),
        );
    }

    /// Records a look-up of a name of a definition, or of the file (`a` for `a.b`).
    fn record_path(&self, owner: Option<SymbolIdx>, path: PathId) {
        match owner {
            Some(symbol) => self.record_symbol(symbol),
            None => self.record(bucket(self.first_name(path))),
        }
    }

    fn first_name(&self, mut path: PathId) -> &str {
        let mut name = "";
        while let Some((parent, slot)) = self.facts.exprs.last(path) {
            if let Slot::Member(id) | Slot::Key(id) = slot {
                name = self.facts.exprs.name_of(id);
            }
            path = parent;
        }
        name
    }

    pub(super) fn symbol(&self, at: u32) -> &Symbol {
        self.record_symbol(at);
        &self.facts.symbols[at as usize]
    }

    /// Exports of a name.
    pub(super) fn exports<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Export> {
        self.record(bucket(name));
        let all = self.facts.exports.iter();
        all.filter(move |export| export.name == name)
    }

    /// The names that it exports, where these are all: nothing is re-exported or assigned whole.
    pub(super) fn listed_exports(&self) -> Option<impl Iterator<Item = &str>> {
        let FileFacts {
            exports, imports, ..
        } = &self.facts;
        let is_open = |it: &Export| matches!(it.kind, ExportKind::Assignment | ExportKind::Star);
        let has_others = exports.iter().any(is_open)
            || imports.iter().any(|it| it.kind == ImportKind::TypeQuery);
        (!has_others).then(|| exports.iter().map(|it| it.name.as_str()))
    }

    /// Exports without a name of their own: `export *` and `module.exports =`.
    pub(super) fn other_exports(&self) -> impl Iterator<Item = &Export> {
        self.record(RESIDUAL);
        let all = self.facts.exports.iter();
        all.filter(|export| matches!(export.kind, ExportKind::Assignment | ExportKind::Star))
    }

    /// The classes that templates use by other names.
    pub(super) fn directives(&self) -> &[Directive] {
        self.record(RESIDUAL);
        &self.facts.directives
    }

    /// Whether it offers names by assigning them, and takes no module by a statement.
    pub(super) fn is_common_js(&self) -> bool {
        self.record(RESIDUAL);
        self.facts.is_common_js()
    }

    /// The path that leads to a definition from the one around it: `b.c` for a function in the object literal `b` of
    /// another.
    pub(super) fn path(&self, at: SymbolIdx) -> PathId {
        self.record_symbol(at);
        self.definitions.path(at)
    }

    /// Whether a definition is in an object that is no definition itself: the path to that.
    pub(super) fn object_around(&self, at: SymbolIdx) -> Option<PathId> {
        let (parent, _) = self.facts.exprs.last(self.path(at))?;
        (parent != PathId::EMPTY).then_some(parent)
    }

    /// The path below another; `None` where nothing is known of one.
    pub(super) fn below(&self, path: PathId, slot: Slot) -> Option<PathId> {
        self.facts.exprs.find_path(path, slot)
    }

    /// The path of a member below another; `None` where nothing is known of one.
    pub(super) fn member_path(&self, path: PathId, access: Access<'_>) -> Option<PathId> {
        let slot = match access {
            Access::Name(name) => Slot::Member(self.facts.exprs.find_name(name)?),
            Access::Key(key) => Slot::Key(self.facts.exprs.find_name(key)?),
        };
        self.below(path, slot)
    }

    /// Definitions of a name at the top level.
    pub(super) fn top_level(&self, name: &str) -> &[SymbolIdx] {
        self.record(bucket(name));
        let path = self.member_path(PathId::EMPTY, Access::Name(name));
        path.map_or(&[], |path| self.found(None, path))
    }

    /// Definitions within a definition, or the file, by the path that leads to them.
    pub(super) fn defined(&self, owner: Option<SymbolIdx>, path: PathId) -> &[SymbolIdx] {
        self.record_path(owner, path);
        self.found(owner, path)
    }

    fn found(&self, owner: Option<SymbolIdx>, path: PathId) -> &[SymbolIdx] {
        self.definitions.at(owner, path)
    }

    /// Definitions within a definition by a name.
    pub(super) fn members(&self, of: SymbolIdx, name: &str) -> &[SymbolIdx] {
        self.record_symbol(of);
        let path = self.member_path(PathId::EMPTY, Access::Name(name));
        path.map_or(&[], |path| self.found(Some(of), path))
    }

    /// The only definition of a name in the objects inside a definition.
    pub(super) fn nested(&self, of: SymbolIdx, name: &str) -> Option<SymbolIdx> {
        self.record_symbol(of);
        let path = self.member_path(PathId::EMPTY, Access::Name(name))?;
        self.definitions.only_nested(of, path)
    }

    /// Values of an owner at a path.
    pub(super) fn values(
        &self,
        owner: Option<SymbolIdx>,
        path: Option<PathId>,
    ) -> impl Iterator<Item = ExprId> + use<'_> {
        if let Some(path) = path {
            self.record_path(owner, path);
        } else if let Some(owner) = owner {
            self.record_symbol(owner);
        }
        let found = path.map_or(&[][..], |path| self.bindings.at(owner, path));
        let all = found.iter();
        all.map(|at| self.facts.bindings[*at as usize].value)
    }

    /// The value in a slot of a symbol: its return value, its base.
    pub(super) fn value(&self, owner: SymbolIdx, slot: Slot) -> Option<ExprId> {
        let path = self.below(PathId::EMPTY, slot);
        self.values(Some(owner), path).next()
    }

    /// The value of a member of a symbol.
    pub(super) fn value_named(&self, owner: SymbolIdx, access: Access<'_>) -> Option<ExprId> {
        let path = self.member_path(PathId::EMPTY, access);
        self.values(Some(owner), path).next()
    }

    /// The value of a top-level name.
    pub(super) fn top_value(&self, name: &str) -> Option<ExprId> {
        self.record(bucket(name));
        let path = self.member_path(PathId::EMPTY, Access::Name(name))?;
        self.values(None, Some(path)).next()
    }

    /// The definition that the file offers by a name for injection: the fixture behind `@client`.
    pub(super) fn injectable(&self, name: &str) -> Option<SymbolIdx> {
        match self.expr(self.top_value(name)?) {
            Expr::Symbol(at) => Some(*at),
            _ => None,
        }
    }

    /// The modules that offer definitions for injection to the file, the nearest first.
    pub(super) fn providers(&self) -> Vec<ModuleId> {
        self.record(bucket(INJECTED) | RESIDUAL);
        let of_file = self.member_path(PathId::EMPTY, Access::Name(INJECTED));
        let path = of_file.and_then(|path| self.below(path, Slot::All));
        let modules = path.into_iter().flat_map(|it| self.values(None, Some(it)));
        let targets = modules.filter_map(|it| match self.expr(it) {
            Expr::Imported { import, .. } => self.target(*import),
            _ => None,
        });
        targets.collect()
    }

    /// The names of the members that a definition has in this file. No look-up is recorded.
    pub(super) fn own_members(&self, of: SymbolIdx) -> OwnMembers {
        let exprs = &self.facts.exprs;
        let paths = self.definitions.paths_of(of);
        let paths = paths.chain(self.bindings.paths_of(of));
        let first = paths.filter_map(|path| exprs.slots(path).first().copied());
        let first: Vec<Slot> = first.collect();
        let has_bases = first.iter().any(|slot| matches!(slot, Slot::Base(_)));
        let names = first.iter().filter_map(|slot| match slot {
            Slot::Member(name) => Some(exprs.name_of(*name)),
            _ => None,
        });
        let bucket = self.buckets.get(of as usize).copied();
        OwnMembers::of(names, has_bases, bucket.unwrap_or(RESIDUAL))
    }

    /// The bases of a definition.
    pub(super) fn bases(&self, of: SymbolIdx) -> impl Iterator<Item = ExprId> + use<'_> {
        self.bases_by(of, |_| true)
    }

    /// The bases whose members a definition has.
    pub(super) fn member_bases(&self, of: SymbolIdx) -> impl Iterator<Item = ExprId> + use<'_> {
        let (family, kind) = (self.facts.family, self.symbol(of).kind);
        self.bases_by(of, move |base| base.gives_members(family, kind))
    }

    fn bases_by<F: Fn(BaseKind) -> bool>(
        &self,
        of: SymbolIdx,
        is_asked: F,
    ) -> impl Iterator<Item = ExprId> + use<'_, F> {
        let kinds = [BaseKind::Extends, BaseKind::Implements].into_iter();
        let asked = kinds.filter(move |kind| is_asked(*kind));
        asked.flat_map(move |kind| {
            self.values(Some(of), self.below(PathId::EMPTY, Slot::Base(kind)))
        })
    }

    /// The first class that a class extends.
    pub(super) fn extended(&self, of: SymbolIdx) -> Option<ExprId> {
        self.value(of, Slot::Base(BaseKind::Extends))
    }

    pub(super) fn expr(&self, at: ExprId) -> &Expr {
        self.facts.exprs.get(at)
    }

    pub(super) fn genericity_of(&self, at: ExprId) -> Genericity {
        self.genericity[at.0 as usize]
    }

    /// The name by which a symbol is looked up in its owner: that of a method that shares it with no field ends in
    /// parentheses.
    pub(super) fn lookup_name(&self, at: SymbolIdx) -> Cow<'_, str> {
        let rules = rules::of_family(self.facts.family);
        let symbol = &self.facts.symbols[at as usize];
        let name = lookup_name(symbol, rules.has_overloads);
        match self.definitions.arity(at) {
            Some(n_params) if is_generic(symbol.kind) => Cow::Owned(generic_name(&name, n_params)),
            _ => name,
        }
    }

    /// The interface whose member a member implements, as its declaration names it: `IStore` for `void IStore.Open()`. Without
    /// namespaces and type arguments.
    pub(super) fn explicit_interface(&self, at: SymbolIdx) -> Option<&str> {
        let symbol = self.symbol(at);
        if !rules::of_family(self.facts.family).has_partial_types {
            return None;
        }
        let names = path_of(&self.facts.symbols, symbol);
        let before = names.strip_suffix(&symbol.name)?.strip_suffix('.')?;
        is_explicit(symbol, names).then_some(before)
    }

    /// The number of type parameters of a method, where methods are told apart by it.
    pub(super) fn arity(&self, at: SymbolIdx) -> usize {
        self.record_symbol(at);
        self.definitions.arity(at).unwrap_or_default()
    }

    /// Whether a type or method has parts that stand elsewhere.
    pub(super) fn is_partial(&self, at: SymbolIdx) -> bool {
        self.symbol(at).flags.contains(SymbolFlags::PARTIAL)
    }

    /// The namespace by which a unit of the file is known to it; `None` where the unit is none of its namespaces.
    pub(super) fn namespace_of(&self, unit: ModuleId) -> Option<&str> {
        let at = self.units.iter().position(|it| *it == unit)?;
        // Its namespaces are behind other units, in the order of their names.
        let n_others = self.units.len().checked_sub(self.facts.units.len())?;
        Some(&self.facts.units[at.checked_sub(n_others)?])
    }

    /// The definitions of the same name in the same place: overloads, merged interfaces. The first of them, where
    /// there are more than anyone writes: each use of the name looks through all.
    pub(super) fn overloads(&self, at: u32) -> &[u32] {
        let all = self.defined(self.symbol(at).parent, self.path(at));
        &all[..all.len().min(MAX_OVERLOADS)]
    }

    /// Returns the functions that the file has in place of a macro in another branch of a condition.
    pub(super) fn functions_beside(&self, at: u32) -> impl Iterator<Item = u32> {
        let own = self.symbol(at);
        let is_paired = own.flags.contains(SymbolFlags::FUNCTION_IN_OTHER_BRANCH);
        let named = if is_paired {
            self.top_level(&own.name)
        } else {
            &[]
        };
        let is_function = |it: &u32| self.symbol(*it).kind == SymbolKind::Function;
        named.iter().copied().filter(is_function)
    }

    /// Whether members were given to an external function (`F.prototype.m = …`).
    pub(super) fn has_methods(&self, at: u32) -> bool {
        self.record_symbol(at);
        self.definitions.has_members(at)
    }

    /// Whether a definition names something that may be an object literal.
    pub(super) fn names_object(&self, at: u32) -> bool {
        use SymbolKind::{Constant, Module, Variable};
        matches!(self.symbol(at).kind, Constant | Variable | Module)
    }

    /// Whether a definition inside a function is a member of it, not a name of its own scope.
    pub(super) fn is_member_of_function(&self, at: u32) -> bool {
        is_member(self.symbol(at).kind)
    }

    /// Whether members are known at a path that is no definition: an object literal, an object type.
    pub(super) fn is_object(&self, owner: Option<SymbolIdx>, path: PathId) -> bool {
        self.record_path(owner, path);
        self.objects.contains(owner, path)
    }

    /// The import that binds a name: the file it leads to and the name there. `None` where no import
    /// binds it; no file where one does and leads out of the repository.
    pub(super) fn import(&self, name: &str) -> Option<(Option<ModuleId>, &str)> {
        self.record(bucket(name));
        let (import, n) = self.imports.binding(name)?;
        let imported = &self.facts.imports[import as usize].names[n as usize].imported;
        Some((self.target(import), imported.as_str()))
    }

    /// Returns the name in an external package that an import of it binds to `name`; `*` is the package itself.
    pub(super) fn external_import(&self, name: &str) -> Option<&str> {
        self.record(bucket(name));
        let (import, n) = self.imports.binding(name)?;
        let imported = &self.facts.imports[import as usize]
            .names
            .get(n as usize)?
            .imported;
        self.leads_to_external(import).then_some(imported.as_str())
    }

    /// Whether an import leads out of the repository.
    pub(super) fn leads_to_external(&self, import: u32) -> bool {
        self.leads_to_external.get(import as usize) == Some(&true)
    }

    /// Returns the module of the import that binds a name, as written: `net/http` of `http`.
    pub(super) fn import_specifier(&self, name: &str) -> Option<&str> {
        self.record(bucket(name));
        let (import, _) = self.imports.binding(name)?;
        Some(&self.facts.imports[import as usize].specifier)
    }

    /// The module that a name means where the package has no such name: `store` of `from app import store`.
    pub(super) fn submodule(&self, name: &str) -> Option<ModuleId> {
        self.record(bucket(name));
        self.target(self.imports.submodule(name)?)
    }

    /// As [`Self::submodule`], of a name that an import inside a function takes: the imports of the modules that its names
    /// may be stand right behind it.
    pub(super) fn submodule_of(&self, import: u32, name: &str) -> Option<ModuleId> {
        let package = &self.facts.imports.get(import as usize)?.specifier;
        let behind = self
            .facts
            .imports
            .iter()
            .enumerate()
            .skip(import as usize + 1);
        let mut modules = behind.take_while(|(_, it)| it.kind == ImportKind::Submodule);
        let (at, _) = modules.find(|(_, it)| {
            let rest = it.specifier.strip_prefix(package.as_str());
            rest.is_some_and(|rest| rest.strip_prefix('.').unwrap_or(rest) == name)
        })?;
        self.target(index_u32(at))
    }

    /// Whether `from module import *` takes a name: one of its list, else one that is not for the module alone.
    pub(super) fn is_starred(&self, name: &str) -> bool {
        self.record(RESIDUAL);
        match &self.facts.all {
            Some(all) => all.iter().any(|it| self.facts.exprs.name_of(*it) == name),
            None => !name.starts_with('_'),
        }
    }

    /// Whether the file binds a name at its top level, by an import, a definition or a variable of any kind.
    pub(super) fn binds(&self, name: &str) -> bool {
        let is_variable = || self.facts.variables.iter().any(|it| it == name);
        let path = self.member_path(PathId::EMPTY, Access::Name(name));
        let is_defined = path.is_some_and(|path| !self.definitions.at(None, path).is_empty());
        let is_imported = self.import_at(name).is_some();
        is_imported || is_defined || is_variable()
    }

    /// The import that binds a name: its place among the imports of the file, and that of the name in it.
    pub(super) fn import_at(&self, name: &str) -> Option<(u32, u32)> {
        let module = || Some((self.imports.submodule(name)?, 0));
        self.imports.binding(name).or_else(module)
    }

    /// As [`Self::import`], of a type that a comment imports: that is offered to other files too.
    pub(super) fn commented_import(&self, name: &str) -> Option<(ModuleId, &str)> {
        self.record(bucket(name));
        let (import, _) = self.imports.binding(name)?;
        if self.facts.imports[import as usize].kind != ImportKind::TypeQuery {
            return None;
        }
        let (target, imported) = self.import(name)?;
        Some((target?, imported))
    }

    /// Where a specifier leads, by any import that has it.
    pub(super) fn target_of(&self, specifier: &str) -> Option<ModuleId> {
        let at = self
            .facts
            .imports
            .iter()
            .position(|import| import.specifier == specifier)?;
        self.target(index_u32(at))
    }

    /// Whether a static import takes a member of the name of a class here: `import static a.Store.SIZE`.
    pub(super) fn takes_statically(&self, name: &str) -> bool {
        let mut all = self.imports.static_members.iter();
        all.any(|at| {
            let mut names = self.facts.imports[*at as usize].names.iter();
            names.any(|it| it.local == name) && self.target(*at).is_some()
        })
    }

    /// Where an import leads.
    pub(super) fn target(&self, import: u32) -> Option<ModuleId> {
        self.targets.get(import as usize).copied().flatten()
    }
}

/// Returns where the `export * from` of a file lead, each by an import row of its own kind: by those rows the store finds
/// who looked through the file.
fn stars(facts: &FileFacts, targets: &[Option<ModuleId>]) -> Vec<ModuleId> {
    let stars = facts
        .exports
        .iter()
        .filter(|it| it.kind == ExportKind::Star);
    let specifiers: HashSet<&str> = stars.map(|it| it.specifier.as_str()).collect();
    let imports = facts.imports.iter().zip(targets);
    imports
        .filter(|(import, _)| {
            import.kind == ImportKind::ReExport && specifiers.contains(import.specifier.as_str())
        })
        .filter_map(|(_, target)| *target)
        .collect()
}

/// How a member is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Access<'a> {
    /// `object.name`
    Name(&'a str),
    /// `object[KEY]`
    Key(&'a str),
}

impl<'a> Access<'a> {
    /// The name, where it is asked for by one.
    pub(super) fn name(self) -> Option<&'a str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Key(_) => None,
        }
    }
}
