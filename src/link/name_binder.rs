//! The definition that each use, import and export of a file means, found in memory.
//!
//! The index stores edges, one row for all uses of one definition in another. A caller that needs the single uses asks
//! here, file by file. The same rules as for edges; nothing is written.

use std::cell::RefCell;
use std::rc::Rc;

use super::cache::{Def, FactsCache};
use super::exports;
use super::file::LinkedFile;
use super::linker::Linker;
use super::lookup::UseMeaning;
use super::path_names::{NameLookup, Wanted};
use super::rules;
use super::rust_paths::Module;
use super::types::Type;
use crate::ir::{
    ExportKind, Expr, ExprId, FileFacts, Import, ImportKind, ImportedName, Reference,
    ReferenceKind, Target,
};
use crate::model::hash::{HashMap, HashSet};
use crate::model::{Family, FileId, ModuleId, Provenance, RepoPath, SymbolId, UnitId};
use crate::store::interface;
use crate::store::{ImportTarget, Read, StoreError};

/// Facts that are kept at a time, as in a thread that links.
const MAX_KEPT: usize = 100_000;

/// A definition in one state of an index: the row id of its file, and its place among the symbols of that file.
pub type DefinitionId = (FileId, u32);

/// A use of a definition by a bridge: a request of the handler of its route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BridgeSite {
    /// The line of the use.
    pub line: u32,
    /// The definition around it, by its qualified name.
    pub within: Option<String>,
    /// The definition that is used.
    pub target: DefinitionId,
}

/// The meaning of a name at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A definition of the repository.
    Definition(DefinitionId, Provenance),
    /// A module as a whole.
    Module(ModuleId),
    /// Something outside the repository, by an import that leads there.
    External,
    /// A member of a definition of the repository that only an external base of it can have: not known to be there.
    Inherited,
    /// A name of this file that it does not have: `import { gone } from './store'`.
    Dangling(ModuleId),
    /// The name of an argument, which may be that of an attribute, and is no other definition: `a` in `make(a=1)`.
    KeywordArgument,
    /// A name that is no definition: that of an argument which is a parameter of what is called, `a` in `make(a=1)` of `def make(a)`, or
    /// that of a field of a struct without a name.
    NoDefinition,
    /// A word of a string that is the path of no definition: `'django.request'`.
    Text,
    /// Unknown: the type of the receiver is not evident, or no scope binds the name.
    Unbound,
}

impl Meaning {
    /// Returns the definition, where it is one.
    pub fn definition(self) -> Option<DefinitionId> {
        match self {
            Self::Definition(definition, _) => Some(definition),
            _ => None,
        }
    }
}

/// The meanings of all names of one file, in the order of its facts.
#[derive(Clone, Debug, Default)]
pub struct FileMeanings {
    /// Of each of [`FileFacts::references`].
    pub references: Vec<Meaning>,
    /// Of each name of each of [`FileFacts::imports`].
    pub imports: Vec<Vec<Meaning>>,
    /// Of each of [`FileFacts::exports`]; `Unbound` for `export *`.
    pub exports: Vec<Meaning>,
    /// The members of the types of a union that a reference means, by its place; its meaning is `Unbound`.
    pub of_union: HashMap<u32, Vec<DefinitionId>>,
    /// The meaning of the wanted name, if a framework auto-imports it; see [`NameBinder::auto_imported`].
    pub auto_imported: Option<Meaning>,
    /// Whether it could be a template, but no class names it: its references are text.
    pub is_text: bool,
}

/// Facts that stand in for those of the index: files as they were in another commit.
#[derive(Debug, Default)]
pub struct Overlay {
    /// Facts and the target of each import, by file. A file that the index has no row of has a number of its own,
    /// below 0.
    pub files: HashMap<FileId, (FileFacts, Vec<ImportTarget>)>,
    /// Targets of the imports of further files, which lead elsewhere there.
    pub targets: HashMap<FileId, Vec<ImportTarget>>,
    /// The units of the files above, by their rows; a unit that the index has no row of has a number of its own.
    pub units: HashMap<FileId, Vec<UnitId>>,
    /// The files of the units that have others there, with their ranks.
    pub unit_files: HashMap<UnitId, Vec<(FileId, u8)>>,
}

/// The facts of a file that was loaded to bind its names.
pub struct FactsOf(Rc<LinkedFile>);

impl std::ops::Deref for FactsOf {
    type Target = FileFacts;

    fn deref(&self) -> &FileFacts {
        &self.0.facts
    }
}

/// Binds names in memory, over the rows of one generation.
pub struct NameBinder<'a> {
    pub(super) read: &'a Read<'a>,
    pub(super) cache: FactsCache<'a>,
    overlay: Overlay,
    /// The meanings of names that modules lack: importers of one module ask for the same ones.
    lacking: RefCell<HashMap<(ModuleId, String), Meaning>>,
}

impl<'a> NameBinder<'a> {
    /// Returns a binder over the index, with the files of `overlay` in the place of its own.
    pub fn new(read: &'a Read<'a>, overlay: Overlay) -> Self {
        let mut cache = FactsCache::for_questions(read, MAX_KEPT);
        for (file, (facts, targets)) in &overlay.files {
            let n_symbols = i64::try_from(facts.symbols.len()).unwrap_or(i64::MAX);
            // No row is theirs; places alone are asked for.
            let ids = (0..n_symbols).map(SymbolId::new).collect();
            let units = overlay.units.get(file).into_iter().flatten();
            let units = units.map(|unit| ModuleId::from(*unit)).collect();
            let loaded = LinkedFile::of((*file).into(), facts.clone(), ids, files(targets), units);
            cache.replace((*file).into(), loaded, interface::exported_names(facts));
        }
        for (file, targets) in &overlay.targets {
            cache.redirect((*file).into(), files(targets));
        }
        for (unit, files) in &overlay.unit_files {
            cache.regroup(*unit, files.clone());
        }
        Self {
            read,
            cache,
            overlay,
            lacking: RefCell::default(),
        }
    }

    /// Binds every name of a file; empty where it has no facts.
    pub fn of_file(&self, file: FileId) -> Result<FileMeanings, StoreError> {
        self.of_names(file, |_| true)
    }

    /// Binds the import and export lists of a file, and those of its references whose places `is_wanted` chooses: the others
    /// are `Unbound`.
    pub fn of_names(
        &self,
        file: FileId,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<FileMeanings, StoreError> {
        let mut meanings = self.lists_of(file)?;
        self.cache.checked(|| {
            if let Some(own) = self.cache.get(file) {
                let targets = self.targets(file)?;
                let linker = Linker::new(&self.cache, Rc::clone(&own));
                let of_union = &mut meanings.of_union;
                let mean = |(at, used): (u32, _)| {
                    if !is_wanted(at as usize) {
                        return Meaning::Unbound;
                    }
                    let bound = linker.bind(used);
                    if let UseMeaning::OfUnion(all) = &bound {
                        let members = all.iter().map(|it| (it.to.0.file(), it.to.1));
                        of_union.insert(at, members.collect());
                    }
                    self.reference(&linker, &own, &targets, (used, bound))
                };
                let references = (0..).zip(&own.facts.references);
                meanings.references = references.map(mean).collect();
                let owners = || self.cache.template_owners(file.into());
                meanings.is_text = own.facts.is_template && owners().is_empty();
            }
            Ok(meanings)
        })
    }

    /// Returns for each of [`FileFacts::references`] the type of its receiver, in words (`Store`, `Job[]`,
    /// `typeof Store` for the class itself); `None` where it is no member, or that is not evident.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the lifetimes of a path are those of one linker"
    )]
    pub fn receivers_of(&self, file: FileId) -> Result<Vec<Option<String>>, StoreError> {
        self.each_receiver(file, |linker, receiver| linker.described(receiver))
    }

    /// Returns for each of [`FileFacts::references`] the type of the value of its receiver, in words: `Store` of `app.store.open`, where
    /// [`Self::receivers_of`] has the field `store`; `None` where it is no member, or that is not evident.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the lifetimes of a path are those of one linker"
    )]
    pub fn value_types_of_receivers(
        &self,
        file: FileId,
    ) -> Result<Vec<Option<String>>, StoreError> {
        self.each_receiver(file, |linker, receiver| linker.described_value(receiver))
    }

    fn each_receiver<T: Default>(
        &self,
        file: FileId,
        of: impl Fn(&Linker<'_, '_>, ExprId) -> T,
    ) -> Result<Vec<T>, StoreError> {
        self.cache.checked(|| {
            let mut receivers = Vec::new();
            if let Some(own) = self.cache.get(file) {
                let linker = Linker::new(&self.cache, Rc::clone(&own));
                let references = own.facts.references.iter();
                let each = references.map(|used| {
                    let receiver = match used.target {
                        Target::Member { receiver, .. } => Some(receiver),
                        Target::Value(value) => receiver_of(&own.facts, value),
                        _ => None,
                    };
                    receiver.map_or_else(T::default, |it| of(&linker, it))
                });
                receivers = each.collect();
            }
            Ok(receivers)
        })
    }

    /// Returns for each of [`FileFacts::references`] the qualified names of the classes whose member it may be, through the pointers of
    /// Rust (`Arc<Store>`), and by a path of C++ (`Mode::fast`); none where it is no member, or they are not evident.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the lifetimes of a path are those of one linker"
    )]
    pub fn classes_of_receivers(&self, file: FileId) -> Result<Vec<Vec<String>>, StoreError> {
        let classes = self.each_receiver(file, |linker, receiver| linker.classes_of(receiver))?;
        self.cache.checked(|| {
            let mut classes = classes;
            let Some(own) = self.cache.get(file) else {
                return Ok(classes);
            };
            let linker = Linker::new(&self.cache, Rc::clone(&own));
            if linker.rules().has_includes {
                for (classes, used) in classes.iter_mut().zip(&own.facts.references) {
                    if let Target::Value(value) = used.target {
                        classes.extend(linker.class_of_path(value));
                    }
                }
            }
            Ok(classes)
        })
    }

    /// Returns the module that a reference of a file, by its place, takes a name of: of `store.open`, where `store` is one.
    pub fn module_of_receiver(&self, file: FileId, reference: usize) -> Option<ModuleId> {
        let own = self.cache.get(file)?;
        let Target::Member { receiver, .. } = own.facts.references.get(reference)?.target else {
            return None;
        };
        Linker::new(&self.cache, own).module_of(receiver)
    }

    /// Returns the module that a path takes its last name of, by the place of its reference: `super` of `super::open`; `None` for other uses, and
    /// where it is a type.
    pub fn module_of_path(&self, file: FileId, reference: usize) -> Option<ModuleId> {
        let own = self.cache.get(file)?;
        let Target::Value(mut value) = own.facts.references.get(reference)?.target else {
            return None;
        };
        loop {
            match *own.facts.exprs.get(value) {
                Expr::Callee { call: inner }
                | Expr::Call { callee: inner, .. }
                | Expr::Construct { class: inner }
                | Expr::Specialized { base: inner, .. } => value = inner,
                Expr::Member { object, .. } => {
                    return Linker::new(&self.cache, own).module_of(object);
                }
                _ => return None,
            }
        }
    }

    /// Returns the uses in a file of what other languages define, or what answers its requests.
    pub fn bridges_of(&self, file: FileId) -> Result<Vec<BridgeSite>, StoreError> {
        self.cache.checked(|| {
            let mut places = Vec::new();
            if let Some(own) = self.cache.get(file) {
                let bridges = Linker::new(&self.cache, Rc::clone(&own)).bridges();
                places.extend(bridges.into_iter().map(|it| BridgeSite {
                    line: it.line,
                    within: it.from.map(|at| own.symbol(at).qualified_name.clone()),
                    target: (it.to.0.file(), it.to.1),
                }));
            }
            Ok(places)
        })
    }

    /// Binds the names in the import and export lists of a file, not its uses.
    pub fn lists_of(&self, file: FileId) -> Result<FileMeanings, StoreError> {
        self.lists_naming(file, |_| true)
    }

    /// Binds those names in the import and export lists of a file that are asked for, by the name that is taken or the one that it gets there;
    /// the others are unbound. Behind barrels a name costs as much as all names of a small file.
    pub fn lists_naming(
        &self,
        file: FileId,
        is_asked: impl Fn(&str) -> bool,
    ) -> Result<FileMeanings, StoreError> {
        self.cache.checked(|| {
            let mut meanings = FileMeanings::default();
            if let Some(own) = self.cache.get(file) {
                let targets = self.targets(file)?;
                meanings.imports = self.imports(&own, &targets, &is_asked);
                meanings.exports = self.exports(&own, &is_asked);
            }
            Ok(meanings)
        })
    }

    /// Returns the facts of a file; `None` where it has none.
    pub fn facts(&self, file: FileId) -> Option<FactsOf> {
        self.cache.get(file).map(FactsOf)
    }

    /// The meaning of a value whose name the file does not bind and a framework auto-imports, `useFoo` in a project of Nuxt, or a declaration gives to
    /// all files, `declare const VERSION: string`.
    pub fn auto_imported(&self, file: FileId, name: &str) -> Option<Meaning> {
        let own = self.cache.get(file)?;
        let found = (!own.binds(name)).then(|| {
            let of_framework = self.cache.auto_value(file.into(), name);
            of_framework.or_else(|| self.cache.ambient(&own, name))
        });
        let is_value = |def: &Def| !self.cache.is_type_alone(*def);
        found.flatten().filter(is_value).map(meaning)
    }

    /// The targets of `export * from` statements.
    pub fn star_reexports(&self, module: ModuleId) -> Vec<ModuleId> {
        let loaded = self.cache.get(module);
        loaded.map(|it| it.stars.clone()).unwrap_or_default()
    }

    /// The target of one `export * from` statement, where it is a file.
    pub fn star_target(&self, file: FileId, specifier: &str) -> Option<FileId> {
        let target = self.cache.get(file)?.target_of(specifier)?;
        Some(target.file())
    }

    /// Returns the meaning of a name that a file exports.
    pub fn exported(&self, file: FileId, name: &str) -> Option<DefinitionId> {
        let found = exports::resolve(&self.cache, file.into(), name);
        found.and_then(|def| meaning(def).definition())
    }

    pub(super) fn targets(&self, file: FileId) -> Result<Vec<Option<ImportTarget>>, StoreError> {
        let replaced = self.overlay.files.get(&file).map(|(_, targets)| targets);
        if let Some(targets) = replaced.or_else(|| self.overlay.targets.get(&file)) {
            return Ok(targets.iter().copied().map(Some).collect());
        }
        let rows = self.read.imports(file)?;
        Ok(rows.into_iter().map(|row| row.target).collect())
    }

    fn reference(
        &self,
        linker: &Linker<'_, '_>,
        own: &LinkedFile,
        targets: &[Option<ImportTarget>],
        (used, bound): (&Reference, UseMeaning),
    ) -> Meaning {
        match bound {
            UseMeaning::Bound(bound) => {
                let (module, at) = bound.to;
                return Meaning::Definition((module.file(), at), bound.provenance);
            }
            UseMeaning::External | UseMeaning::Unknown if is_in_string(used) => {
                return Meaning::Text;
            }
            UseMeaning::External if linker.by_external_base.get() => return Meaning::Inherited,
            UseMeaning::External => return Meaning::External,
            UseMeaning::FieldOfUnnamedStruct => return Meaning::NoDefinition,
            UseMeaning::KeywordArgument => {
                let callee = match used.target {
                    Target::Member { receiver, .. } => match own.expr(receiver) {
                        Expr::Named { value, .. } => Some(*value),
                        _ => None,
                    },
                    _ => None,
                };
                let is_parameter = callee.is_some_and(|it| linker.is_parameter(used, it));
                return if is_parameter {
                    Meaning::NoDefinition
                } else {
                    Meaning::KeywordArgument
                };
            }
            // Which of them the code means it may tell itself: see `union_parts`.
            UseMeaning::OfUnion(_) | UseMeaning::Unknown => {}
        }
        let name = own.facts.name(used);
        if let Target::Member { receiver, .. } = used.target {
            // A module alone, by its own name: to infer each receiver once more would cost half of the whole.
            let is_imported = match own.expr(receiver) {
                Expr::Name { name, .. } => own.import_at(own.facts.exprs.name_of(*name)).is_some(),
                _ => false,
            };
            let module = is_imported.then(|| linker.module_of(receiver)).flatten();
            let is_external = module.is_some_and(|it| self.passes_on_external(it, name));
            return if is_external {
                Meaning::External
            } else {
                Meaning::Unbound
            };
        }
        if used.target != Target::Lexical {
            return Meaning::Unbound;
        }
        let import = own.import_at(name);
        match import.and_then(|(import, _)| targets.get(import as usize).copied().flatten()) {
            Some(ImportTarget::External) => Meaning::External,
            Some(target @ (ImportTarget::File(_) | ImportTarget::Unit(_))) => {
                let target = target.module();
                target.map_or(Meaning::Unbound, |it| self.gone(own, name, it))
            }
            _ => Meaning::Unbound,
        }
    }

    fn imports(
        &self,
        own: &LinkedFile,
        targets: &[Option<ImportTarget>],
        is_asked: &dyn Fn(&str) -> bool,
    ) -> Vec<Vec<Meaning>> {
        let imports = own.facts.imports.iter().enumerate();
        imports
            .map(|(at, import)| {
                let target = targets.get(at).copied().flatten();
                let names = import.names.iter();
                names
                    .map(|name| match target {
                        _ if rules::of(own).has_module_tree => {
                            self.by_path(own, target, &import.specifier, &name.local)
                        }
                        _ if !is_asked(&name.imported) && !is_asked(&name.local) => {
                            Meaning::Unbound
                        }
                        Some(ImportTarget::External) => Meaning::External,
                        Some(target) => match target.module() {
                            Some(_) if let Some(member) = self.static_member(own, import, name) => {
                                member
                            }
                            Some(target) => {
                                match exports::imported(&self.cache, target, &name.imported) {
                                    Some(found) => meaning(found),
                                    None => self.missing(target, &name.imported),
                                }
                            }
                            None => Meaning::Unbound,
                        },
                        None => Meaning::Unbound,
                    })
                    .collect()
            })
            .collect()
    }

    /// Returns the meaning of a member that is imported by its name, `open` of `import static a.Store.open;`, of overloads the first;
    /// `None` of any other import.
    fn static_member(
        &self,
        own: &LinkedFile,
        import: &Import,
        name: &ImportedName,
    ) -> Option<Meaning> {
        if import.kind != ImportKind::StaticMember || name.local == "*" {
            return None;
        }
        let loaded = self.cache.get(own.file)?;
        let linker = Linker::new(&self.cache, Rc::clone(&loaded));
        let called = format!("{}()", name.local);
        let mut names = [name.local.as_str(), &called].into_iter();
        let found = names.find_map(|it| linker.statically_imported(&loaded, it));
        Some(match found {
            Some((Type::Definition(found), _)) => meaning(found),
            Some(_) => Meaning::External,
            None => Meaning::Unbound,
        })
    }

    /// Returns the meaning of a name that a path takes, which need not stand in the file that the path leads through.
    fn by_path(
        &self,
        own: &LinkedFile,
        target: Option<ImportTarget>,
        path: &str,
        local: &str,
    ) -> Meaning {
        if target == Some(ImportTarget::External) {
            return Meaning::External;
        }
        let Some(loaded) = self.cache.get(own.file) else {
            return Meaning::Unbound;
        };
        let linker = Linker::new(&self.cache, Rc::clone(&loaded));
        let module = Module {
            file: Rc::clone(&loaded),
            inline: None,
        };
        let of_file = [Wanted::Last, Wanted::Macro].into_iter();
        let mut of_file = of_file.map(|wanted| linker.in_module(&module, local, wanted));
        let found = of_file.find_map(NameLookup::known);
        let found = found.or_else(|| linker.at_written_path(&loaded, path));
        match found.or_else(|| self.in_own_path(&linker, target, path)) {
            Some(Type::Definition(found)) => meaning(found),
            Some(found) if found.is_external() => Meaning::External,
            _ => Meaning::Unbound,
        }
    }

    /// Returns the meaning of a path that stays in its file, `self::Store`, in that file as the binding knows it: the text that is bound may be
    /// a later one.
    fn in_own_path(
        &self,
        linker: &Linker<'_, '_>,
        target: Option<ImportTarget>,
        path: &str,
    ) -> Option<Type> {
        let target = target?.module().filter(|_| path.starts_with("self::"))?;
        linker.at_written_path(&self.cache.get(target)?, path)
    }

    fn exports(&self, own: &LinkedFile, is_asked: &dyn Fn(&str) -> bool) -> Vec<Meaning> {
        if rules::of(own).has_module_tree {
            let none = ImportTarget::Missing;
            let all = own.facts.exports.iter().map(|export| match export.kind {
                ExportKind::Star => Meaning::Unbound,
                _ => self.by_path(own, Some(none), &export.specifier, &export.name),
            });
            return all.collect();
        }
        let all = own.facts.exports.iter();
        all.map(|export| {
            if export.kind == ExportKind::Star
                || !is_asked(&export.name) && !is_asked(&export.local)
            {
                return Meaning::Unbound;
            }
            let found = exports::resolve(&self.cache, own.file, &export.name);
            match (found, own.target_of(&export.specifier)) {
                (Some(found), _) => meaning(found),
                (None, Some(target)) => self.missing(target, &export.local),
                (None, None) if self.passes_on_external(own.file, &export.name) => {
                    Meaning::External
                }
                (None, None) => Meaning::Unbound,
            }
        })
        .collect()
    }

    /// Returns the meaning of a bare use of `local`, which an import binds and that was not found in `target`.
    fn gone(&self, own: &LinkedFile, local: &str, target: ModuleId) -> Meaning {
        match own.import(local) {
            Some((_, imported)) => self.missing(target, imported),
            None => Meaning::Unbound,
        }
    }

    /// Returns [`Meaning::Dangling`] for a name that a module provably lacks: its facts are known, it exports by statements
    /// alone, and everything behind its `export *` is in the repository. [`Meaning::External`] for one that it passes on.
    fn missing(&self, target: ModuleId, name: &str) -> Meaning {
        let key = (target, name.to_owned());
        if let Some(known) = self.lacking.borrow().get(&key) {
            return *known;
        }
        let meaning = self.find_missing(target, name);
        self.lacking.borrow_mut().insert(key, meaning);
        meaning
    }

    fn find_missing(&self, target: ModuleId, name: &str) -> Meaning {
        if self.passes_on_external(target, name) {
            return Meaning::External;
        }
        let mut open = vec![target];
        let mut seen = HashSet::default();
        while let Some(file) = open.pop() {
            if !seen.insert(file) {
                continue;
            }
            let Some(loaded) = self.cache.get(file) else {
                return Meaning::Unbound;
            };
            let facts = &loaded.facts;
            let n_stars = facts
                .exports
                .iter()
                .filter(|it| it.kind == ExportKind::Star)
                .count();
            let is_known = loaded.stars.len() == n_stars
                && !facts.has_errors
                && self.exports_by_statements(&loaded)
                && !facts.exports.is_empty()
                && !facts
                    .exports
                    .iter()
                    .any(|it| it.kind == ExportKind::Assignment);
            if !is_known || name == "*" {
                return Meaning::Unbound;
            }
            open.extend(&loaded.stars);
        }
        Meaning::Dangling(target)
    }
}

impl NameBinder<'_> {
    /// Whether a module can export nothing by assigning it (`exports.a = …`): it is TypeScript, or has a statement that no
    /// CommonJS module has.
    fn exports_by_statements(&self, loaded: &LinkedFile) -> bool {
        let is_typed = || {
            let path = self.read.path_of(loaded.file.file()).ok().flatten();
            path.is_some_and(|path| {
                let ends = [".ts", ".tsx", ".mts", ".vue", ".svelte"];
                ends.iter().any(|end| path.as_str().ends_with(end))
            })
        };
        !loaded.is_common_js() || is_typed()
    }
}

/// Whether a file exports a name on purpose: in Python every top-level name can be imported, but only the imports of
/// `__init__.py` and the names in `__all__` are meant to be.
pub fn is_meant_to_export(path: &RepoPath, facts: &FileFacts, name: &str) -> bool {
    let Some(package_file) = rules::of_family(facts.family).package_file else {
        return true;
    };
    let mut listed = facts.all.iter().flatten();
    path.file_name() == package_file || listed.any(|it| facts.exprs.name_of(*it) == name)
}

/// Whether a use is a name of a path that a string holds.
fn is_in_string(used: &Reference) -> bool {
    let is_listed = used.kind == ReferenceKind::Listed;
    used.kind == ReferenceKind::Quoted || is_listed && used.target != Target::Lexical
}

/// The receiver of a member, or of one that is called; the type of a literal for its key in Go: `Box` of `size` in `Box{size: 1}`.
fn receiver_of(facts: &FileFacts, value: ExprId) -> Option<ExprId> {
    match facts.exprs.get(value) {
        Expr::Member { object, .. } => Some(*object),
        Expr::Callee { call } => match facts.exprs.get(*call) {
            Expr::Call { callee, .. } => receiver_of(facts, *callee),
            _ => None,
        },
        Expr::Fallback { first, .. } if facts.family == Family::Go => match facts.exprs.get(*first)
        {
            Expr::Member { object, .. } => Some(*object),
            _ => None,
        },
        _ => None,
    }
}

fn meaning(def: Def) -> Meaning {
    match def {
        Def::Symbol(file, at) => Meaning::Definition((file.file(), at), Provenance::Resolved),
        Def::Module(file) => Meaning::Module(file),
    }
}

fn files(targets: &[ImportTarget]) -> Vec<Option<ImportTarget>> {
    targets.iter().copied().map(Some).collect()
}
