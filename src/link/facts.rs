//! The facts of files while they are linked: loaded once, and whose were looked at.
//!
//! Refuses to know what a name means.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use crate::model::{FileFacts, Hint, ImportKind, Symbol, SymbolKind};
use crate::store::{Read, StoreError};

/// How many files are kept; then all are forgotten, so that memory does not grow with the repository.
const MAX_KEPT: usize = 1_500;

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
    hints: HashMap<(Option<u32>, String), Vec<u32>>,
    literals: HashSet<(Option<u32>, String)>,
    imported: HashMap<String, (u32, u32)>,
}

impl Loaded {
    fn of(file: i64, facts: FileFacts, ids: Vec<i64>, targets: Vec<Option<i64>>) -> Self {
        let mut tops: HashMap<String, Vec<u32>> = HashMap::new();
        let mut members: HashMap<(u32, String), Vec<u32>> = HashMap::new();
        for (at, symbol) in facts.symbols.iter().enumerate() {
            let at = place(at);
            match symbol.parent {
                None => tops.entry(symbol.name.clone()).or_default().push(at),
                Some(parent) => members
                    .entry((parent, symbol.name.clone()))
                    .or_default()
                    .push(at),
            }
        }
        let mut hints: HashMap<(Option<u32>, String), Vec<u32>> = HashMap::new();
        let mut literals = HashSet::new();
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
        let mut imported = HashMap::new();
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
            hints,
            literals,
            imported,
        }
    }

    pub(super) fn symbol(&self, at: u32) -> &Symbol {
        &self.facts.symbols[at as usize]
    }

    /// Definitions of a name at the top level.
    pub(super) fn tops(&self, name: &str) -> &[u32] {
        self.tops.get(name).map_or(&[], Vec::as_slice)
    }

    /// Definitions of a name within a definition.
    pub(super) fn members(&self, of: u32, name: &str) -> &[u32] {
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

    /// The definitions of the same name in the same place, itself among them: overloads, merged interfaces.
    pub(super) fn same(&self, at: u32) -> &[u32] {
        let symbol = self.symbol(at);
        match symbol.parent {
            None => self.tops(&symbol.name),
            Some(parent) => self.members(parent, &symbol.name),
        }
    }

    /// Whether members were given to a function from outside (`F.prototype.m = …`).
    pub(super) fn has_methods(&self, at: u32) -> bool {
        self.facts
            .symbols
            .iter()
            .any(|it| it.parent == Some(at) && is_member(it.kind))
    }

    /// Whether a definition inside a function is a member of it, not a name of its own scope.
    pub(super) fn is_member_of_function(&self, at: u32) -> bool {
        is_member(self.symbol(at).kind)
    }

    /// Whether something is written about members of a name that is no definition.
    pub(super) fn is_literal(&self, owner: Option<u32>, name: &str) -> bool {
        !self.literals.is_empty() && self.literals.contains(&(owner, name.to_owned()))
    }

    /// The import that binds a name: the file it leads to and the name there. `None` where no import
    /// binds it; no file where one does and leads out of the repository.
    pub(super) fn import(&self, name: &str) -> Option<(Option<i64>, &str)> {
        let (import, n) = *self.imported.get(name)?;
        let imported = &self.facts.imports[import as usize].names[n as usize].imported;
        Some((self.target(import), imported.as_str()))
    }

    /// As [`Self::import`], of a type that a comment imports: that is offered to other files too.
    pub(super) fn commented_import(&self, name: &str) -> Option<(i64, &str)> {
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

/// The facts that were loaded, and whose were asked for since the last [`Library::begin`].
pub(super) struct Library<'a> {
    read: &'a Read<'a>,
    kept: RefCell<HashMap<i64, Option<Rc<Loaded>>>>,
    consulted: RefCell<BTreeSet<i64>>,
    failure: RefCell<Option<StoreError>>,
}

impl<'a> Library<'a> {
    pub(super) fn new(read: &'a Read<'a>) -> Self {
        Self {
            read,
            kept: RefCell::default(),
            consulted: RefCell::default(),
            failure: RefCell::default(),
        }
    }

    /// Begins a file: what is asked for from here on is what it rests on.
    pub(super) fn begin(&self) {
        self.consulted.borrow_mut().clear();
        let mut kept = self.kept.borrow_mut();
        if kept.len() > MAX_KEPT {
            kept.clear();
        }
    }

    /// Returns whose facts were asked for, and the first failure to read any.
    pub(super) fn end(&self, own: i64) -> Result<Vec<i64>, StoreError> {
        if let Some(error) = self.failure.borrow_mut().take() {
            return Err(error);
        }
        Ok(self
            .consulted
            .borrow()
            .iter()
            .copied()
            .filter(|file| *file != own)
            .collect())
    }

    /// Returns the facts of a file; `None` if it has none.
    pub(super) fn get(&self, file: i64) -> Option<Rc<Loaded>> {
        self.consulted.borrow_mut().insert(file);
        if let Some(known) = self.kept.borrow().get(&file) {
            return known.clone();
        }
        let loaded = match self.load(file) {
            Ok(loaded) => loaded.map(Rc::new),
            Err(error) => {
                self.failure.borrow_mut().get_or_insert(error);
                None
            }
        };
        self.kept.borrow_mut().insert(file, loaded.clone());
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
