//! The facts of files while they are linked: loaded once, and whose were looked at.
//!
//! Refuses to know what a name means.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::model::table::{HashMap, HashSet};
use crate::model::{Export, ExportKind, FileFacts, Hint, ImportKind, Symbol, SymbolKind};
use crate::store::surface::{REST, bucket};
use crate::store::{Read, StoreError};

/// How many definitions of one name in one place are told apart.
const MAX_SAME: usize = 64;

/// One file's facts, with the tables that look-ups need.
pub(super) struct Loaded {
    pub(super) file: i64,
    pub(super) facts: FileFacts,
    /// Symbol rows by their place.
    pub(super) ids: Vec<i64>,
    /// Where each import leads, by its place.
    pub(super) targets: Vec<Option<i64>>,
    tops: HashMap<String, Vec<u32>>,
    members: HashMap<(u32, String), Vec<u32>>,
    /// Symbols that have members, functions among them.
    owners: HashSet<u32>,
    hints: HashMap<(Option<u32>, String), Vec<u32>>,
    literals: HashSet<(Option<u32>, String)>,
    imported: HashMap<String, (u32, u32)>,
    /// The bucket of the outermost definition around each symbol.
    buckets: Vec<u64>,
    /// What was looked up since the last [`Library::begin`], by buckets of the surface; `None` before the
    /// first look.
    looked: Cell<Option<u64>>,
}

impl Loaded {
    fn of(file: i64, facts: FileFacts, ids: Vec<i64>, targets: Vec<Option<i64>>) -> Self {
        let mut tops: HashMap<String, Vec<u32>> = HashMap::default();
        let mut members: HashMap<(u32, String), Vec<u32>> = HashMap::default();
        let mut buckets: Vec<u64> = Vec::with_capacity(facts.symbols.len());
        for (at, symbol) in facts.symbols.iter().enumerate() {
            let at = place(at);
            let outer = symbol
                .parent
                .and_then(|parent| buckets.get(parent as usize).copied());
            buckets.push(outer.unwrap_or_else(|| bucket(&symbol.name)));
            match symbol.parent {
                None => tops.entry(symbol.name.clone()).or_default().push(at),
                Some(parent) => members
                    .entry((parent, symbol.name.clone()))
                    .or_default()
                    .push(at),
            }
        }
        let owned = facts.symbols.iter().filter(|it| is_member(it.kind));
        let owners = owned.filter_map(|it| it.parent).collect();
        let mut hints: HashMap<(Option<u32>, String), Vec<u32>> = HashMap::default();
        let mut literals = HashSet::default();
        for (at, hint) in facts
            .hints
            .iter()
            .enumerate()
            .filter(|(_, hint)| !hint.local)
        {
            hints
                .entry((hint.symbol, hint.name.clone()))
                .or_default()
                .push(place(at));
            for (end, _) in hint.name.match_indices('.') {
                literals.insert((hint.symbol, hint.name[..end].to_owned()));
            }
        }
        let mut imported = HashMap::default();
        for (at, import) in facts.imports.iter().enumerate() {
            if matches!(import.kind, ImportKind::ReExport) {
                continue;
            }
            for (n, name) in import.names.iter().enumerate() {
                if name.local.is_empty() {
                    continue;
                }
                let here = (place(at), place(n));
                if import.kind == ImportKind::TypeQuery {
                    // A type that a comment names does not hide what a statement imports.
                    imported.entry(name.local.clone()).or_insert(here);
                } else {
                    imported.insert(name.local.clone(), here);
                }
            }
        }
        Self {
            file,
            facts,
            ids,
            targets,
            tops,
            members,
            owners,
            hints,
            literals,
            imported,
            buckets,
            looked: Cell::new(None),
        }
    }

    fn n_facts(&self) -> usize {
        let facts = &self.facts;
        facts.symbols.len()
            + facts.references.len()
            + facts.hints.len()
            + facts.exports.len()
            + facts.imports.len()
    }

    fn look(&self, buckets: u64) {
        self.looked.set(self.looked.get().map(|it| it | buckets));
    }

    fn look_at(&self, symbol: u32) {
        self.look(self.buckets.get(symbol as usize).copied().unwrap_or(REST));
    }

    /// Looks at a name of a definition, or of the file (`a` for `a.b`).
    fn look_in(&self, scope: Option<u32>, name: &str) {
        match scope {
            Some(symbol) => self.look_at(symbol),
            None => self.look(bucket(name.split('.').next().unwrap_or(name))),
        }
    }

    pub(super) fn symbol(&self, at: u32) -> &Symbol {
        self.look_at(at);
        &self.facts.symbols[at as usize]
    }

    /// What is offered by a name.
    pub(super) fn exports<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Export> {
        self.look(bucket(name));
        let all = self.facts.exports.iter();
        all.filter(move |export| export.name == name)
    }

    /// What is offered under no name of its own: stars, and what the module assigns.
    pub(super) fn other_exports(&self) -> impl Iterator<Item = &Export> {
        self.look(REST);
        let all = self.facts.exports.iter();
        all.filter(|export| matches!(export.kind, ExportKind::Assignment | ExportKind::Star))
    }

    /// Whether it offers names by assigning them, and takes no module by a statement.
    pub(super) fn is_common_js(&self) -> bool {
        self.look(REST);
        crate::store::surface::is_common_js(&self.facts)
    }

    /// Definitions of a name at the top level.
    pub(super) fn tops(&self, name: &str) -> &[u32] {
        self.look(bucket(name));
        self.tops.get(name).map_or(&[], Vec::as_slice)
    }

    /// Definitions of a name within a definition.
    pub(super) fn members(&self, of: u32, name: &str) -> &[u32] {
        self.look_at(of);
        self.members
            .get(&(of, name.to_owned()))
            .map_or(&[], Vec::as_slice)
    }

    /// What is written about a name in a scope.
    pub(super) fn hints<'a>(
        &'a self,
        scope: Option<u32>,
        name: &str,
    ) -> impl Iterator<Item = &'a Hint> + use<'a> {
        self.look_in(scope, name);
        let found = self.hints.get(&(scope, name.to_owned()));
        found
            .into_iter()
            .flatten()
            .map(|at| &self.facts.hints[*at as usize])
    }

    /// What a definition is built on.
    pub(super) fn bases(&self, of: u32) -> impl Iterator<Item = &Hint> {
        self.hints(Some(of), "extends")
            .chain(self.hints(Some(of), "implements"))
    }

    /// The definitions of the same name in the same place: overloads, merged interfaces. The first of them, where
    /// there are more than anyone writes: each use of the name looks through all.
    pub(super) fn same(&self, at: u32) -> &[u32] {
        let symbol = self.symbol(at);
        let all = match symbol.parent {
            None => self.tops(&symbol.name),
            Some(parent) => self.members(parent, &symbol.name),
        };
        &all[..all.len().min(MAX_SAME)]
    }

    /// Whether members were given to a function from outside (`F.prototype.m = …`).
    pub(super) fn has_methods(&self, at: u32) -> bool {
        self.look_at(at);
        self.owners.contains(&at)
    }

    /// Whether a definition inside a function is a member of it, not a name of its own scope.
    pub(super) fn is_member_of_function(&self, at: u32) -> bool {
        is_member(self.symbol(at).kind)
    }

    /// Whether something is written about members of a name that is no definition.
    pub(super) fn is_literal(&self, owner: Option<u32>, name: &str) -> bool {
        self.look_in(owner, name);
        !self.literals.is_empty() && self.literals.contains(&(owner, name.to_owned()))
    }

    /// The import that binds a name: the file it leads to and the name there. `None` where no import
    /// binds it; no file where one does and leads out of the repository.
    pub(super) fn import(&self, name: &str) -> Option<(Option<i64>, &str)> {
        self.look(bucket(name));
        let (import, n) = *self.imported.get(name)?;
        let imported = &self.facts.imports[import as usize].names[n as usize].imported;
        Some((self.target(import), imported.as_str()))
    }

    /// As [`Self::import`], of a type that a comment imports: that is offered to other files too.
    pub(super) fn commented_import(&self, name: &str) -> Option<(i64, &str)> {
        self.look(bucket(name));
        let (import, _) = *self.imported.get(name)?;
        if self.facts.imports[import as usize].kind != ImportKind::TypeQuery {
            return None;
        }
        let (target, imported) = self.import(name)?;
        Some((target?, imported))
    }

    /// Where a specifier leads, by any import that has it.
    pub(super) fn target_of(&self, specifier: &str) -> Option<i64> {
        let at = self
            .facts
            .imports
            .iter()
            .position(|import| import.specifier == specifier)?;
        self.target(place(at))
    }

    fn target(&self, import: u32) -> Option<i64> {
        self.targets.get(import as usize).copied().flatten()
    }
}

/// The facts that were loaded, and what of them was looked at since the last [`Library::begin`].
pub(super) struct Library<'a> {
    read: &'a Read<'a>,
    /// How many facts are kept, of all files together; then all are forgotten, so that memory grows neither with
    /// the repository nor with the size of its files.
    max_kept: usize,
    kept: RefCell<HashMap<i64, Option<Rc<Loaded>>>>,
    /// How many facts those have.
    n_kept: Cell<usize>,
    /// Files that were asked for; `None` for one without facts.
    consulted: RefCell<BTreeMap<i64, Option<Rc<Loaded>>>>,
    /// What each file offers, of those that were asked for a name.
    offers: RefCell<HashMap<i64, Option<u64>>>,
    /// Files that offer nothing like what they were asked for, with the buckets that were looked at.
    passed: RefCell<BTreeMap<i64, u64>>,
    failure: RefCell<Option<StoreError>>,
}

impl<'a> Library<'a> {
    pub(super) fn new(read: &'a Read<'a>, max_kept: usize) -> Self {
        Self {
            read,
            max_kept,
            kept: RefCell::default(),
            n_kept: Cell::new(0),
            consulted: RefCell::default(),
            offers: RefCell::default(),
            passed: RefCell::default(),
            failure: RefCell::default(),
        }
    }

    /// Begins a file: what is looked at from here on is what it rests on.
    pub(super) fn begin(&self) {
        for loaded in self.consulted.take().into_values().flatten() {
            loaded.looked.set(None);
        }
        self.passed.borrow_mut().clear();
        if self.n_kept.get() > self.max_kept {
            self.kept.borrow_mut().clear();
            self.n_kept.set(0);
        }
    }

    /// Returns what was looked at in other files than its own, as buckets of their surfaces, and the first
    /// failure to read any.
    pub(super) fn end(&self, own: i64) -> Result<Vec<(i64, u64)>, StoreError> {
        if let Some(error) = self.failure.borrow_mut().take() {
            return Err(error);
        }
        let mut looked = self.passed.take();
        for (file, loaded) in &*self.consulted.borrow() {
            let mask = loaded.as_ref().and_then(|loaded| loaded.looked.get());
            *looked.entry(*file).or_default() |= mask.unwrap_or(0);
        }
        looked.remove(&own);
        Ok(looked.into_iter().collect())
    }

    /// Returns whether a file may offer something under a name; where it does not, that counts as looked at. Spares
    /// reading the facts of hundreds of files that a chain of stars goes through.
    pub(super) fn may_offer(&self, file: i64, name: &str) -> bool {
        if matches!(name, "default" | "*") {
            return true;
        }
        let known = self.offers.borrow().get(&file).copied();
        let offers = known.unwrap_or_else(|| {
            // What can't be read is said by whoever reads the facts.
            let offers = self.read.offers(file).ok().flatten();
            self.offers.borrow_mut().insert(file, offers);
            offers
        });
        let looked = bucket(name) | REST;
        let may = offers.is_none_or(|offers| offers & looked != 0);
        if !may {
            *self.passed.borrow_mut().entry(file).or_default() |= looked;
        }
        may
    }

    /// Returns the facts of a file; `None` if it has none.
    pub(super) fn get(&self, file: i64) -> Option<Rc<Loaded>> {
        let known = self.kept.borrow().get(&file).cloned();
        let loaded = known.unwrap_or_else(|| {
            let loaded = match self.load(file) {
                Ok(loaded) => loaded.map(Rc::new),
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
                self.consulted.borrow_mut().insert(file, loaded.clone());
            }
            None => drop(self.consulted.borrow_mut().insert(file, None)),
        }
        loaded
    }

    fn load(&self, file: i64) -> Result<Option<Loaded>, StoreError> {
        let Some(facts) = self.read.facts(file)? else {
            return Ok(None);
        };
        let ids = self.read.symbol_ids(file)?;
        let targets = self.read.import_targets(file)?;
        Ok(Some(Loaded::of(file, facts, ids, targets)))
    }
}

fn is_member(kind: SymbolKind) -> bool {
    use SymbolKind::{Constructor, Field, Method, Property};
    matches!(kind, Method | Property | Field | Constructor)
}

fn place(at: usize) -> u32 {
    u32::try_from(at).expect("a file has fewer facts than u32 can count")
}
