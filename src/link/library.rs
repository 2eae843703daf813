//! A cache of the facts of files while they are linked, and the record of the names that were looked up in each.
//!
//! Refuses to know what is in them, and how it is found out what a name stands for.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::auto_imports::AutoImported;
use super::file::Loaded;
use crate::ir::{FileFacts, ImportKind};
use crate::model::hash::{HashMap, HashSet};
use crate::store::surface::{REST, bucket};
use crate::store::{Read, StoreError};

/// The definition or module that a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Def {
    /// A definition: file and place.
    Symbol(i64, u32),
    /// A whole module: a file, or a unit of several by its row below 0.
    Module(i64),
}

/// The resolution of one exported name, with the look-ups that it depends on.
struct Found {
    def: Option<Def>,
    looked: Vec<(i64, u64)>,
}

/// The facts that were loaded, and the look-ups since the last [`Library::begin`].
pub(super) struct Library<'a> {
    read: &'a Read<'a>,
    /// How many facts are kept, of all files together; then all are forgotten, so that memory grows neither with
    /// the repository nor with the size of its files.
    max_kept: usize,
    kept: RefCell<HashMap<i64, Option<Rc<Loaded>>>>,
    /// Memo of [`Self::once`], by file and name.
    found: RefCell<HashMap<i64, HashMap<String, Found>>>,
    /// How many facts all those have.
    n_kept: Cell<usize>,
    /// Files that were asked for; `None` for one without facts.
    dependencies: RefCell<BTreeMap<i64, Option<Rc<Loaded>>>>,
    /// The names that files export, as buckets, of those that were asked.
    offers: RefCell<HashMap<i64, u64>>,
    /// Files that export no name like the wanted one, with the buckets that were asked.
    passed: RefCell<BTreeMap<i64, u64>>,
    failure: RefCell<Option<StoreError>>,
    /// Files that stand in for those of the index.
    replaced: HashMap<i64, Rc<Loaded>>,
    /// Targets of imports that stand in for those of the index.
    redirected: HashMap<i64, Vec<Option<i64>>>,
    /// The names of packages, by their units.
    package_names: RefCell<HashMap<i64, Option<String>>>,
    /// The files of units that stand in for those of the index.
    regrouped: HashMap<i64, Vec<i64>>,
    /// Names that no file binds, once one was asked for.
    auto: OnceCell<Rc<AutoImported>>,
}

impl<'a> Library<'a> {
    pub(super) fn new(read: &'a Read<'a>, max_kept: usize) -> Self {
        Self {
            read,
            max_kept,
            kept: RefCell::default(),
            found: RefCell::default(),
            n_kept: Cell::new(0),
            dependencies: RefCell::default(),
            offers: RefCell::default(),
            passed: RefCell::default(),
            failure: RefCell::default(),
            replaced: HashMap::default(),
            redirected: HashMap::default(),
            package_names: RefCell::default(),
            regrouped: HashMap::default(),
            auto: OnceCell::new(),
        }
    }

    /// Returns the names that are imported by themselves.
    pub(super) fn auto_imported(&self) -> &Rc<AutoImported> {
        self.auto.get_or_init(|| {
            let read = AutoImported::of(self.read);
            Rc::new(read.unwrap_or_else(|error| {
                self.failure.borrow_mut().get_or_insert(error);
                AutoImported::default()
            }))
        })
    }

    /// Lets other facts stand in for those of a file; `offers` are the buckets of the names that it exports.
    pub(super) fn replace(&mut self, file: i64, loaded: Loaded, offers: u64) {
        self.replaced.insert(file, Rc::new(loaded));
        self.offers.get_mut().insert(file, offers);
    }

    /// Lets the imports of a file lead elsewhere.
    pub(super) fn redirect(&mut self, file: i64, targets: Vec<Option<i64>>) {
        self.redirected.insert(file, targets);
    }

    /// Lets other files stand in for those of a unit.
    pub(super) fn regroup(&mut self, unit: i64, files: Vec<i64>) {
        self.regrouped.insert(unit, files);
    }

    /// Begins a file: what is looked at from here on is what it rests on.
    pub(super) fn begin(&self) {
        self.take_looked();
        if self.n_kept.get() > self.max_kept {
            self.kept.borrow_mut().clear();
            self.found.borrow_mut().clear();
            self.n_kept.set(0);
        }
    }

    /// Ends a file. Returns its dependencies on other files, as buckets of their interfaces, or the first failure to
    /// read facts. A file that re-exports names depends on itself, too: that stands for the files behind it.
    pub(super) fn end(&self, own: i64) -> Result<Vec<(i64, u64)>, StoreError> {
        if let Some(error) = self.failure.borrow_mut().take() {
            return Err(error);
        }
        let mut looked = self.take_looked();
        let kept = self.kept.borrow().get(&own).cloned().flatten();
        if kept.is_none_or(|loaded| loaded.stars.is_empty()) {
            looked.remove(&own);
        }
        Ok(self.not_implied(&looked))
    }

    /// Memoizes the resolution of a name: many files import the same names, and behind a barrel there may be hundreds
    /// of files to go through for each.
    pub(super) fn once(
        &self,
        file: i64,
        name: &str,
        search: impl FnOnce() -> Option<Def>,
    ) -> Option<Def> {
        if let Some(found) = self.found.borrow().get(&file).and_then(|it| it.get(name)) {
            self.rest_on(&found.looked);
            return found.def;
        }
        let dependencies = self.dependencies.take();
        let cells = || dependencies.values().flatten().map(|loaded| &loaded.looked);
        let masks: Vec<Option<u64>> = cells().map(Cell::take).collect();
        let passed = self.passed.take();
        let def = search();
        let looked = self.not_implied(&self.take_looked());
        // The look-ups of the caller go on.
        for (cell, mask) in cells().zip(masks) {
            cell.set(mask);
        }
        self.dependencies.replace(dependencies);
        self.passed.replace(passed);
        self.rest_on(&looked);
        if self.failure.borrow().is_none() {
            self.n_kept.set(self.n_kept.get() + 1 + looked.len());
            let mut found = self.found.borrow_mut();
            let names = found.entry(file).or_default();
            names.insert(name.to_owned(), Found { def, looked });
        }
        def
    }

    fn rest_on(&self, looked: &[(i64, u64)]) {
        let mut passed = self.passed.borrow_mut();
        for (file, mask) in looked {
            *passed.entry(*file).or_default() |= mask;
        }
    }

    /// Takes the look-ups so far, by file.
    fn take_looked(&self) -> BTreeMap<i64, u64> {
        let mut looked = self.passed.take();
        for (file, loaded) in self.dependencies.take() {
            let mask = loaded.and_then(|loaded| loaded.looked.take());
            *looked.entry(file).or_default() |= mask.unwrap_or(0);
        }
        looked
    }

    /// Drops dependencies that are implied by a barrel: a file that barrel `b` re-exports with `export *` need not be
    /// recorded when it was read for a subset of `b`'s buckets. A change of such a file queues the dependents of `b` as
    /// well (`Writer::queue_dependents`), and a barrel that stops to re-export it changes in a bucket that was read.
    /// Behind the barrels of a large repository there are hundreds of files for each that imports from them.
    fn not_implied(&self, looked: &BTreeMap<i64, u64>) -> Vec<(i64, u64)> {
        // What was looked at is there, whoever looked.
        let kept = self.kept.borrow();
        let implied_by = |file: i64| {
            let mask = looked.get(&file).copied().filter(|mask| mask & REST != 0);
            let stars = kept.get(&file).and_then(Option::as_deref);
            let passed_on = stars.map_or(&[][..], |loaded| &loaded.stars).iter();
            passed_on.copied().filter(move |star| {
                let inner = looked.get(star);
                *star != file && inner.is_some_and(|it| mask.is_some_and(|mask| it & !mask == 0))
            })
        };
        let inner: HashSet<i64> = looked.keys().flat_map(|file| implied_by(*file)).collect();
        let (inside, outside): (Vec<i64>, Vec<i64>) =
            looked.keys().partition(|file| inner.contains(file));
        let mut reached: HashSet<i64> = HashSet::default();
        let mut noted = Vec::new();
        // Of files that only pass each other on, the first one stands for all.
        for file in outside.into_iter().chain(inside) {
            if !reached.insert(file) {
                continue;
            }
            noted.push((file, looked[&file]));
            let mut open = vec![file];
            while let Some(file) = open.pop() {
                open.extend(implied_by(file).filter(|star| reached.insert(*star)));
            }
        }
        noted
    }

    /// Returns whether a file may offer something under a name; where it does not, that counts as looked at. Spares
    /// reading the facts of hundreds of files that a chain of stars goes through.
    pub(super) fn may_offer(&self, file: i64, name: &str) -> bool {
        if matches!(name, "default" | "*") {
            return true;
        }
        let looked = bucket(name) | REST;
        let may = self.offers(file) & looked != 0;
        if !may {
            *self.passed.borrow_mut().entry(file).or_default() |= looked;
        }
        may
    }

    /// The files behind the `export *` of a barrel that may export `name`. The others are no dependencies: the
    /// dependents of `loaded` are queued when they change (see [`Self::not_implied`]).
    pub(super) fn stars_with(&self, loaded: &Loaded, name: &str) -> Vec<i64> {
        let looked = bucket(name) | REST;
        let of_all = || loaded.stars.iter().map(|star| self.offers(*star)).collect();
        let offers = loaded.star_offers.get_or_init(of_all).iter();
        let stars = loaded.stars.iter().zip(offers);
        stars
            .filter(|(_, offers)| **offers & looked != 0)
            .map(|(star, _)| *star)
            .collect()
    }

    /// The names that a file exports, as buckets; all where that is unknown.
    fn offers(&self, file: i64) -> u64 {
        let known = self.offers.borrow().get(&file).copied();
        known.unwrap_or_else(|| {
            // The failure is reported when its facts are read.
            let offers = self.read.offers(file).ok().flatten().unwrap_or(u64::MAX);
            self.offers.borrow_mut().insert(file, offers);
            offers
        })
    }

    /// Returns the facts of a file; `None` if it has none.
    pub(super) fn get(&self, file: i64) -> Option<Rc<Loaded>> {
        let known = self.kept.borrow().get(&file).cloned();
        let loaded = known.unwrap_or_else(|| {
            let loaded = match self.load(file) {
                Ok(loaded) => loaded,
                Err(error) => {
                    self.failure.borrow_mut().get_or_insert(error);
                    None
                }
            };
            self.kept.borrow_mut().insert(file, loaded.clone());
            let n_facts = loaded.as_ref().map_or(0, |loaded| loaded.n_facts());
            self.n_kept.set(self.n_kept.get() + 1 + n_facts);
            loaded
        });
        match &loaded {
            Some(loaded) if loaded.looked.get().is_some() => {}
            Some(it) => {
                it.looked.set(Some(0));
                self.dependencies.borrow_mut().insert(file, loaded.clone());
            }
            None => drop(self.dependencies.borrow_mut().insert(file, None)),
        }
        loaded
    }

    /// Returns the signature of a symbol, which its facts do not keep. For questions about one generation: nothing that is
    /// linked may depend on it.
    pub(super) fn signature_of(&self, file: &Loaded, at: u32) -> Option<String> {
        let row = file.ids.get(at as usize)?;
        self.read.signature_of(*row).unwrap_or_else(|error| {
            self.failure.borrow_mut().get_or_insert(error);
            None
        })
    }

    /// The files with classes that have a file as their template.
    pub(super) fn template_owners(&self, file: i64) -> Vec<i64> {
        self.read.template_owners(file).unwrap_or_else(|error| {
            self.failure.borrow_mut().get_or_insert(error);
            Vec::new()
        })
    }

    /// Gives imports without a name of their own the names of their packages, the end of a unit's key.
    fn named_by_packages(
        &self,
        mut facts: FileFacts,
        targets: &[Option<i64>],
    ) -> Result<FileFacts, StoreError> {
        for (import, target) in facts.imports.iter_mut().zip(targets) {
            let (ImportKind::Package, Some(target @ ..0)) = (import.kind, *target) else {
                continue;
            };
            let known = self.package_names.borrow().get(&target).cloned();
            let name = if let Some(name) = known {
                name
            } else {
                let key = self.read.unit_key(-target)?;
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

    fn load(&self, file: i64) -> Result<Option<Rc<Loaded>>, StoreError> {
        if let Some(replaced) = self.replaced.get(&file) {
            return Ok(Some(Rc::clone(replaced)));
        }
        if file < 0 {
            let files = match self.regrouped.get(&file) {
                Some(files) => files.clone(),
                None => self.read.unit_files(-file)?,
            };
            return Ok((!files.is_empty()).then(|| Rc::new(Loaded::of_unit(file, &files))));
        }
        let Some(facts) = self.read.facts(file)? else {
            return Ok(None);
        };
        let ids = self.read.symbol_ids(file)?;
        let targets = match self.redirected.get(&file) {
            Some(targets) => targets.clone(),
            None => self.read.import_targets(file)?,
        };
        let facts = self.named_by_packages(facts, &targets)?;
        let units = self.read.units_of(file)?.into_iter().map(|unit| -unit);
        let units = units.collect();
        Ok(Some(Rc::new(Loaded::of(file, facts, ids, targets, units))))
    }
}
