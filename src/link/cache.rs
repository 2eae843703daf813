//! A cache of the files that were loaded for linking, and a memo of resolved exports.
//!
//! Which of them a linked file depends on is recorded by `dependencies`; `exports` and `lookup` resolve names.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use super::auto_imports::AutoImported;
use super::dependencies::{DependencyRecorder, FileDependency, Lookups, without_implied};
use super::file::LinkedFile;
use super::own_members::{OwnMembers, OwnMembersMemo};
use crate::ir::{FileFacts, ImportKind};
use crate::model::hash::HashMap;
use crate::model::{FileId, ModuleId, UnitId};
use crate::resolve::Platforms;
use crate::store::interface::{RESIDUAL, bucket, name_hash};
use crate::store::{ImportTarget, Read, StoreError};

/// The definition or module that a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Def {
    /// A definition: file and place.
    Symbol(ModuleId, u32),
    /// A whole module: a file, or a unit of several by its row below 0.
    Module(ModuleId),
}

/// The resolution of one exported name, with the look-ups that it depends on.
struct ResolvedExport {
    def: Option<Def>,
    dependencies: Vec<FileDependency>,
}

/// The definitions that a declaration may have, with the look-ups that they depend on.
struct ResolvedDeclaration {
    definitions: Rc<[(ModuleId, u32)]>,
    dependencies: Vec<FileDependency>,
}

/// How many dependencies of declarations one cache keeps. One takes 16 bytes. Few in unit tests, which so see the memo begin anew.
const MAX_DECLARED: usize = if cfg!(test) { 20 } else { 300_000 };

/// The platforms for which a file is built; `None` for a file without a path or facts.
#[derive(Clone, Copy)]
struct FilePlatforms {
    /// Those that its name allows.
    named: Option<Platforms>,
    /// Those that its constraint allows too.
    whole: Option<Platforms>,
    /// Whether its facts were read for that.
    is_read: bool,
}

/// Files and resolved names that were asked for since a point in time.
#[derive(Default)]
struct CacheGeneration {
    files: HashMap<ModuleId, Option<Rc<LinkedFile>>>,
    /// Memo of [`FactsCache::memoized`], by file and name.
    resolved: HashMap<ModuleId, HashMap<String, Rc<ResolvedExport>>>,
}

/// The files that were loaded, and the look-ups of the file that [`FactsCache::link`] links.
pub(super) struct FactsCache<'a> {
    read: &'a Read<'a>,
    /// Upper bound of cached facts over all files: memory grows neither with the repository nor with the size of its
    /// files or packages. Two-generation eviction: at half of it the current generation becomes the previous one, and entries
    /// of that one that were not asked for again are dropped.
    max_kept: usize,
    current: RefCell<CacheGeneration>,
    /// The previous generation; a hit moves its entry to the current one.
    previous: RefCell<CacheGeneration>,
    /// Memo of [`FactsCache::definitions_of`]. Apart from the generations: what one large file includes may be more than these keep.
    declared: RefCell<HashMap<(ModuleId, u32), Rc<ResolvedDeclaration>>>,
    /// Number of dependencies in that memo, which begins anew at [`MAX_DECLARED`].
    n_declared: Cell<usize>,
    /// Memo of [`FactsCache::own_members`].
    own_members: OwnMembersMemo,
    /// The file that is being linked, with its uses, which no other one needs.
    own: RefCell<Option<Rc<LinkedFile>>>,
    /// Number of facts in the current generation.
    n_kept: Cell<usize>,
    recorder: DependencyRecorder,
    /// Whether look-ups are recorded: not for questions, whose answers nobody links again.
    is_recording: bool,
    /// The names that files export, as buckets, of those that were asked.
    exported_names: RefCell<HashMap<ModuleId, u64>>,
    /// The hashes of the names that files of units export, in order, of those that were loaded and export no others: a large
    /// file has names in all buckets, and a package hundreds of such files.
    listed_names: RefCell<HashMap<ModuleId, Box<[u64]>>>,
    failure: RefCell<Option<StoreError>>,
    /// Files that stand in for those of the index.
    replaced: HashMap<ModuleId, Rc<LinkedFile>>,
    /// Targets of imports that stand in for those of the index.
    redirected: HashMap<ModuleId, Vec<Option<ImportTarget>>>,
    /// The names of packages, by their units.
    package_names: RefCell<HashMap<ModuleId, Option<String>>>,
    /// The platforms of files that are not built for all, once asked.
    platforms: RefCell<HashMap<ModuleId, FilePlatforms>>,
    /// The files of units that stand in for those of the index.
    regrouped: HashMap<UnitId, Vec<(FileId, u8)>>,
    /// Names that a framework auto-imports, once one was asked for.
    auto: OnceCell<Rc<AutoImported>>,
}

impl<'a> FactsCache<'a> {
    pub(super) fn new(read: &'a Read<'a>, max_kept: usize) -> Self {
        Self {
            read,
            max_kept,
            is_recording: true,
            current: RefCell::default(),
            previous: RefCell::default(),
            declared: RefCell::default(),
            n_declared: Cell::new(0),
            own_members: OwnMembersMemo::default(),
            own: RefCell::default(),
            n_kept: Cell::new(0),
            recorder: DependencyRecorder::default(),
            exported_names: RefCell::default(),
            listed_names: RefCell::default(),
            failure: RefCell::default(),
            replaced: HashMap::default(),
            redirected: HashMap::default(),
            package_names: RefCell::default(),
            platforms: RefCell::default(),
            regrouped: HashMap::default(),
            auto: OnceCell::new(),
        }
    }

    /// Returns a cache for questions: it records no dependencies.
    pub(super) fn for_questions(read: &'a Read<'a>, max_kept: usize) -> Self {
        Self {
            is_recording: false,
            ..Self::new(read, max_kept)
        }
    }

    /// The names that a framework auto-imports.
    pub(super) fn auto_imported(&self) -> &Rc<AutoImported> {
        self.auto.get_or_init(|| {
            let read = AutoImported::of(self.read);
            Rc::new(read.unwrap_or_else(|error| {
                self.failure.borrow_mut().get_or_insert(error);
                AutoImported::default()
            }))
        })
    }

    /// Lets other facts stand in for those of a file; `exported` are the buckets of the names that it exports.
    pub(super) fn replace(&mut self, file: ModuleId, loaded: LinkedFile, exported: u64) {
        self.replaced.insert(file, Rc::new(loaded));
        self.exported_names.get_mut().insert(file, exported);
    }

    /// Lets the imports of a file lead elsewhere.
    pub(super) fn redirect(&mut self, file: ModuleId, targets: Vec<Option<ImportTarget>>) {
        self.redirected.insert(file, targets);
    }

    /// Lets other files stand in for those of a unit.
    pub(super) fn regroup(&mut self, unit: UnitId, files: Vec<(FileId, u8)>) {
        self.regrouped.insert(unit, files);
    }

    /// Links a file by `bind`, which gets its facts with its uses; `None` if it has none. Returns the result with the file's
    /// dependencies on other files, as buckets of their interfaces, or the first failure to read facts. A file that re-exports
    /// names depends on itself, too: that stands for the files behind it.
    pub(super) fn link<T>(
        &self,
        file: FileId,
        bind: impl FnOnce(Option<Rc<LinkedFile>>) -> T,
    ) -> Result<(T, Vec<FileDependency>), StoreError> {
        let own = ModuleId::from(file);
        self.recorder.take();
        let whole = self.load(own, true).unwrap_or_else(|error| {
            self.failure.borrow_mut().get_or_insert(error);
            None
        });
        self.own.replace(whole);
        let bound = bind(self.get(own));
        self.own.take();
        self.check()?;
        let mut lookups = self.recorder.take();
        if !lookups.barrels.contains_key(&own) {
            lookups.masks.remove(&own);
        }
        Ok((bound, self.without_implied(&lookups)))
    }

    /// Runs a look-up of a cache [`for_questions`](Self::for_questions). An error is the first failure to read facts, or the
    /// look-up's own: facts that cannot be read are to the look-up as facts that are not there.
    pub(super) fn checked<T>(
        &self,
        look_up: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let found = look_up();
        self.check()?;
        found
    }

    /// Takes the first failure to read facts.
    fn check(&self) -> Result<(), StoreError> {
        self.failure.borrow_mut().take().map_or(Ok(()), Err)
    }

    /// Counts facts that are about to be kept in the current generation.
    fn make_room(&self, n_facts: usize) {
        if self.n_kept.get() > self.max_kept / 2 {
            self.previous.replace(self.current.take());
            self.n_kept.set(0);
        }
        self.n_kept.set(self.n_kept.get() + n_facts);
    }

    /// Memoizes the resolution of a name: many files import the same names, and behind a barrel there may be hundreds
    /// of files to go through for each.
    pub(super) fn memoized(
        &self,
        file: ModuleId,
        name: &str,
        resolve: impl FnOnce() -> Option<Def>,
    ) -> Option<Def> {
        if let Some(known) = self.known_export(file, name) {
            self.recorder.record(&known.dependencies);
            return known.def;
        }
        let (def, dependencies) = self.recorded(resolve);
        if self.failure.borrow().is_none() {
            let resolved = ResolvedExport { def, dependencies };
            self.keep_export(file, name.to_owned(), &Rc::new(resolved));
        }
        def
    }

    /// Runs a search and returns what it finds with the look-ups that this depends on; none of these for questions.
    fn recorded<T>(&self, search: impl FnOnce() -> T) -> (T, Vec<FileDependency>) {
        if !self.is_recording {
            return (search(), Vec::new());
        }
        let (found, lookups) = self.recorder.apart(search);
        let dependencies = self.without_implied(&lookups);
        self.recorder.record(&dependencies);
        (found, dependencies)
    }

    /// Memoizes the definitions of a declaration: all files that include a header use the same ones, and the files that define
    /// them include hundreds of others. `search` may use no memo of a linker that records nothing when it is hit.
    pub(super) fn definitions_of(
        &self,
        declaration: (ModuleId, u32),
        search: impl FnOnce() -> Vec<(ModuleId, u32)>,
    ) -> Rc<[(ModuleId, u32)]> {
        let known = self.declared.borrow().get(&declaration).cloned();
        if let Some(known) = known {
            self.recorder.record(&known.dependencies);
            return Rc::clone(&known.definitions);
        }
        let (found, dependencies) = self.recorded(search);
        let definitions: Rc<[(ModuleId, u32)]> = found.into();
        if self.failure.borrow().is_none() {
            let n_more = 1 + dependencies.len();
            let mut declared = self.declared.borrow_mut();
            if self.n_declared.get() + n_more > MAX_DECLARED {
                declared.clear();
                self.n_declared.set(0);
            }
            self.n_declared.set(self.n_declared.get() + n_more);
            let resolved = ResolvedDeclaration {
                definitions: Rc::clone(&definitions),
                dependencies,
            };
            declared.insert(declaration, Rc::new(resolved));
        }
        definitions
    }

    /// Lets other declarations have the definitions of one that was asked for, where that is kept.
    pub(super) fn share_definitions(&self, of: (ModuleId, u32), with: &[(ModuleId, u32)]) {
        let mut declared = self.declared.borrow_mut();
        let Some(resolved) = declared.get(&of).cloned() else {
            return;
        };
        for declaration in with {
            let shared = || Rc::clone(&resolved);
            declared.entry(*declaration).or_insert_with(shared);
        }
        self.n_declared.set(self.n_declared.get() + with.len());
    }

    /// Whether a definition may have a member of a name in its own file. A `false` is certain, is recorded as a look-up, and mostly needs
    /// no facts.
    pub(super) fn may_have_member(&self, of: (ModuleId, u32), name: &str) -> bool {
        self.asked_own(of, |own| own.may_have(name))
    }

    /// Whether a type may have bases in its own file, as [`Self::may_have_member`].
    pub(super) fn may_have_bases(&self, of: (ModuleId, u32)) -> bool {
        self.asked_own(of, |own| own.has_bases)
    }

    fn asked_own(&self, of: (ModuleId, u32), ask: impl FnOnce(&OwnMembers) -> bool) -> bool {
        let Some(own) = self.own_members(of) else {
            return true;
        };
        let may = ask(&own);
        if !may && self.is_recording {
            self.recorder.record(&[(of.0, own.bucket)]);
        }
        may
    }

    fn own_members(&self, of: (ModuleId, u32)) -> Option<Rc<OwnMembers>> {
        self.own_members.get(of).or_else(|| {
            let own = Rc::new(self.load_once(of.0)?.own_members(of.1));
            self.own_members.keep(of, Rc::clone(&own));
            Some(own)
        })
    }

    fn known_export(&self, file: ModuleId, name: &str) -> Option<Rc<ResolvedExport>> {
        let kept = self.current.borrow();
        if let Some(known) = kept.resolved.get(&file).and_then(|it| it.get(name)) {
            return Some(Rc::clone(known));
        }
        drop(kept);
        let mut old = self.previous.borrow_mut();
        let (name, known) = old.resolved.get_mut(&file)?.remove_entry(name)?;
        drop(old);
        self.keep_export(file, name, &known);
        Some(known)
    }

    fn keep_export(&self, file: ModuleId, name: String, resolved: &Rc<ResolvedExport>) {
        self.make_room(1 + resolved.dependencies.len());
        let mut kept = self.current.borrow_mut();
        let names = kept.resolved.entry(file).or_default();
        names.insert(name, Rc::clone(resolved));
    }

    fn without_implied(&self, lookups: &Lookups) -> Vec<FileDependency> {
        let (kept, old) = (self.current.borrow(), self.previous.borrow());
        let cached = |file: ModuleId| {
            let known = kept.files.get(&file).or_else(|| old.files.get(&file));
            known.and_then(Option::as_deref)
        };
        without_implied(lookups, cached)
    }

    /// Returns whether a file may export a name; a `false` is recorded as a look-up. Spares reading the facts of hundreds
    /// of files that a chain of `export *` goes through.
    pub(super) fn may_export(&self, file: ModuleId, name: &str) -> bool {
        if matches!(name, "default" | "*") {
            return true;
        }
        let mask = bucket(name) | RESIDUAL;
        let may = self.exported_names(file) & mask != 0;
        if !may && self.is_recording {
            self.recorder.record(&[(file, mask)]);
        }
        may
    }

    /// The files behind the `export *` of a barrel that may export `name`. The others are no dependencies: the
    /// dependents of `loaded` are queued when they change (see [`without_implied`]).
    pub(super) fn stars_with(&self, loaded: &LinkedFile, name: &str) -> Vec<ModuleId> {
        let mask = bucket(name) | RESIDUAL;
        let exported = |star: &ModuleId| self.exported_names(*star);
        let of_all = || loaded.stars.iter().map(exported).collect();
        let exported = loaded.star_exports.get_or_init(of_all).iter();
        let stars = loaded.stars.iter().zip(exported);
        let may_export = stars.filter(|(_, exported)| **exported & mask != 0);
        let listed = self.listed_names.borrow();
        let hash = name_hash(name);
        let has_it = |star: &ModuleId| {
            let names = listed.get(star);
            names.is_none_or(|names| names.binary_search(&hash).is_ok())
        };
        may_export.map(|(star, _)| *star).filter(has_it).collect()
    }

    /// The names that a file exports, as buckets; all where that is unknown.
    fn exported_names(&self, file: ModuleId) -> u64 {
        let known = self.exported_names.borrow().get(&file).copied();
        known.unwrap_or_else(|| {
            // The failure is reported when its facts are read.
            let exported = self
                .read
                .exported_names(file.file())
                .ok()
                .flatten()
                .unwrap_or(u64::MAX);
            self.exported_names.borrow_mut().insert(file, exported);
            exported
        })
    }

    /// Returns the facts of a file; `None` if it has none.
    pub(super) fn get(&self, file: impl Into<ModuleId>) -> Option<Rc<LinkedFile>> {
        let file = file.into();
        let loaded = self.load_once(file);
        if self.is_recording {
            self.recorder.record_load(file, loaded.as_ref());
        }
        loaded
    }

    /// Records that a file is asked which somebody holds, as [`Self::get`] does.
    pub(super) fn record_held(&self, held: &Rc<LinkedFile>) {
        if self.is_recording {
            self.recorder.record_load(held.file, Some(held));
        }
    }

    fn load_once(&self, file: ModuleId) -> Option<Rc<LinkedFile>> {
        let own = self.own.borrow();
        if let Some(own) = own.as_ref().filter(|own| own.file == file) {
            return Some(Rc::clone(own));
        }
        drop(own);
        let known = self.current.borrow().files.get(&file).cloned();
        known.unwrap_or_else(|| {
            let old = self.previous.borrow_mut().files.remove(&file);
            let loaded = old.unwrap_or_else(|| {
                self.load(file, !self.is_recording).unwrap_or_else(|error| {
                    self.failure.borrow_mut().get_or_insert(error);
                    None
                })
            });
            let n_facts = loaded.as_ref().map_or(0, |loaded| loaded.n_facts());
            self.make_room(1 + n_facts);
            let mut kept = self.current.borrow_mut();
            kept.files.insert(file, loaded.clone());
            loaded
        })
    }

    /// Returns the signature of a symbol, which its facts keep in files of another state alone. For questions about one generation:
    /// nothing that is linked may depend on it.
    pub(super) fn signature_of(&self, file: &LinkedFile, at: u32) -> Option<String> {
        if self.replaced.contains_key(&file.file) {
            let symbol = file.facts.symbols.get(at as usize)?;
            return Some(symbol.signature.clone());
        }
        let row = file.ids.get(at as usize)?;
        self.read.signature_of(*row).unwrap_or_else(|error| {
            self.failure.borrow_mut().get_or_insert(error);
            None
        })
    }

    /// Returns the path of a file.
    pub(super) fn path_of(&self, file: ModuleId) -> Option<crate::model::RepoPath> {
        self.read.path_of(file.file()).unwrap_or_else(|error| {
            self.failure.borrow_mut().get_or_insert(error);
            None
        })
    }

    /// Whether there is a platform for which two files are built. A package for many platforms has hundreds of large files: those
    /// whose names tell are not read for it. No dependency: who asks depends on the names of the unit, which hold its constraints.
    pub(super) fn are_built_together(&self, one: ModuleId, other: ModuleId) -> bool {
        let first = self.platforms_of(one, true).whole;
        let second = self.platforms_of(other, false);
        match (first, second.named) {
            (Some(one), Some(named)) if one.meet(named) => {
                let whole = self.platforms_of(other, true).whole;
                whole.is_none_or(|other| one.meet(other))
            }
            (Some(_), Some(_)) => false,
            _ => true,
        }
    }

    /// The platforms of a file; those that its constraint allows where its facts are to be read.
    fn platforms_of(&self, file: ModuleId, is_whole: bool) -> FilePlatforms {
        let known = self.platforms.borrow().get(&file).copied();
        if let Some(known) = known.filter(|it| it.is_read || !is_whole) {
            return known;
        }
        let path = self.path_of(file);
        let loaded = if is_whole { self.load_once(file) } else { None };
        let whole = path.as_ref().zip(loaded);
        let found = FilePlatforms {
            named: path.as_ref().map(Platforms::of_file_name),
            whole: whole.map(|(path, loaded)| Platforms::of(path, &loaded.facts)),
            is_read: is_whole,
        };
        self.platforms.borrow_mut().insert(file, found);
        found
    }

    /// The files with classes that have a file as their template.
    pub(super) fn template_owners(&self, file: ModuleId) -> Vec<FileId> {
        self.or_none(self.read.template_owners(file.file()))
    }

    /// The files that include a file for its text.
    pub(super) fn fragment_owners(&self, file: ModuleId) -> Vec<FileId> {
        self.or_none(self.read.fragment_owners(file.file()))
    }

    /// Returns the files of a read; none after a failure, which is kept.
    fn or_none(&self, read: Result<Vec<FileId>, StoreError>) -> Vec<FileId> {
        read.unwrap_or_else(|error| {
            self.failure.borrow_mut().get_or_insert(error);
            Vec::new()
        })
    }

    /// Gives imports without a name of their own the names of their packages, the end of a unit's key.
    fn named_by_packages(
        &self,
        mut facts: FileFacts,
        targets: &[Option<ImportTarget>],
    ) -> Result<FileFacts, StoreError> {
        for (import, target) in facts.imports.iter_mut().zip(targets) {
            let (ImportKind::Package, Some(ImportTarget::Unit(unit))) = (import.kind, *target)
            else {
                continue;
            };
            let target = ModuleId::from(unit);
            let known = self.package_names.borrow().get(&target).cloned();
            let name = if let Some(name) = known {
                name
            } else {
                let key = self.read.unit_key(unit)?;
                let name = key.and_then(|key| Some(key.rsplit_once('#')?.1.to_owned()));
                self.package_names.borrow_mut().insert(target, name.clone());
                name
            };
            if let (Some(name), Some(local)) = (name, import.names.first_mut()) {
                local.local = name;
            }
        }
        Ok(facts)
    }

    /// Loads a file, with its uses where `is_whole`.
    fn load(&self, file: ModuleId, is_whole: bool) -> Result<Option<Rc<LinkedFile>>, StoreError> {
        if let Some(replaced) = self.replaced.get(&file) {
            return Ok(Some(Rc::clone(replaced)));
        }
        if let Some(unit) = file.unit() {
            let files = match self.regrouped.get(&unit) {
                Some(files) => files.clone(),
                None => self.read.unit_files(unit)?,
            };
            return Ok((!files.is_empty()).then(|| Rc::new(LinkedFile::of_unit(unit, &files))));
        }
        let own = file.file();
        let facts = if is_whole {
            self.read.facts(own)?
        } else {
            self.read.declared_facts(own)?
        };
        let Some(facts) = facts else {
            return Ok(None);
        };
        let ids = self.read.symbol_ids(own)?;
        let targets = match self.redirected.get(&file) {
            Some(targets) => targets.clone(),
            None => self.read.resolved_imports(own)?,
        };
        let facts = self.named_by_packages(facts, &targets)?;
        let units = self.read.units_of(own)?.into_iter().map(ModuleId::from);
        let units = units.collect();
        let loaded = LinkedFile::of(file, facts, ids, targets, units);
        // The names that it offers are the same each time.
        let is_listed = self.listed_names.borrow().contains_key(&file);
        if !is_listed
            && !loaded.units.is_empty()
            && let Some(names) = loaded.listed_exports()
        {
            let mut hashes: Vec<u64> = names.map(name_hash).collect();
            hashes.sort_unstable();
            hashes.dedup();
            let mut listed = self.listed_names.borrow_mut();
            listed.insert(file, hashes.into());
        }
        Ok(Some(Rc::new(loaded)))
    }
}
