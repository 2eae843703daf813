//! The facts of one file while files are linked, with the tables that look-ups need, and which were looked at.
//!
//! Refuses to know what a name means.

use std::cell::{Cell, OnceCell};

use crate::model::table::{HashMap, HashSet};
use crate::model::{
    Directive, Export, ExportKind, FileFacts, Hint, ImportKind, Symbol, SymbolKind,
};
use crate::store::surface::{REST, bucket};

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
    /// Definitions in objects inside a definition, by their names alone.
    inner: HashMap<(u32, String), Vec<u32>>,
    /// Symbols that have members, functions among them.
    owners: HashSet<u32>,
    hints: HashMap<(Option<u32>, String), Vec<u32>>,
    literals: HashSet<(Option<u32>, String)>,
    imported: HashMap<String, (u32, u32)>,
    /// The files whose names it offers by `export * from`.
    pub(super) stars: Vec<i64>,
    /// What each of them offers, once that was asked.
    pub(super) star_offers: OnceCell<Vec<u64>>,
    /// The bucket of the outermost definition around each symbol.
    buckets: Vec<u64>,
    /// What was looked up since the library last [began](super::library::Library::begin) a file, by buckets of the
    /// surface; `None` before the first look.
    pub(super) looked: Cell<Option<u64>>,
}

impl Loaded {
    pub(super) fn of(
        file: i64,
        facts: FileFacts,
        ids: Vec<i64>,
        targets: Vec<Option<i64>>,
    ) -> Self {
        let mut tops: HashMap<String, Vec<u32>> = HashMap::default();
        let mut members: HashMap<(u32, String), Vec<u32>> = HashMap::default();
        let mut inner: HashMap<(u32, String), Vec<u32>> = HashMap::default();
        let mut buckets: Vec<u64> = Vec::with_capacity(facts.symbols.len());
        let mut literals = HashSet::default();
        for (at, symbol) in facts.symbols.iter().enumerate() {
            let at = place(at);
            let outer = symbol
                .parent
                .and_then(|parent| buckets.get(parent as usize).copied());
            buckets.push(outer.unwrap_or_else(|| bucket(&symbol.name)));
            let path = path_of(&facts.symbols, symbol);
            add_literals(&mut literals, symbol.parent, path);
            match symbol.parent {
                None => {
                    if path != symbol.name {
                        tops.entry(path.to_owned()).or_default().push(at);
                    }
                    tops.entry(symbol.name.clone()).or_default().push(at);
                }
                Some(parent) => {
                    if path != symbol.name {
                        let named = inner.entry((parent, symbol.name.clone()));
                        named.or_default().push(at);
                    }
                    let named = members.entry((parent, path.to_owned()));
                    named.or_default().push(at);
                }
            }
        }
        let owned = facts.symbols.iter().filter(|it| is_member(it.kind));
        let owners = owned.filter_map(|it| it.parent).collect();
        let mut hints: HashMap<(Option<u32>, String), Vec<u32>> = HashMap::default();
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
            add_literals(&mut literals, hint.symbol, &hint.name);
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
        let stars = stars(&facts, &targets);
        Self {
            file,
            facts,
            ids,
            targets,
            tops,
            members,
            inner,
            owners,
            hints,
            literals,
            imported,
            stars,
            star_offers: OnceCell::new(),
            buckets,
            looked: Cell::new(None),
        }
    }

    pub(super) fn n_facts(&self) -> usize {
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

    /// The classes that templates use by other names.
    pub(super) fn directives(&self) -> &[Directive] {
        self.look(REST);
        &self.facts.directives
    }

    /// Whether it offers names by assigning them, and takes no module by a statement.
    pub(super) fn is_common_js(&self) -> bool {
        self.look(REST);
        crate::store::surface::is_common_js(&self.facts)
    }

    /// The names that lead to a definition from the one around it: `b.c` for a function in the object literal `b` of
    /// another.
    pub(super) fn path(&self, at: u32) -> &str {
        path_of(&self.facts.symbols, self.symbol(at))
    }

    /// Definitions of a name at the top level, or with the names that lead to it.
    pub(super) fn tops(&self, name: &str) -> &[u32] {
        self.look_in(None, name);
        self.tops.get(name).map_or(&[], Vec::as_slice)
    }

    /// Definitions within a definition, by the names that lead to them.
    pub(super) fn members(&self, of: u32, name: &str) -> &[u32] {
        self.look_at(of);
        self.members
            .get(&(of, name.to_owned()))
            .map_or(&[], Vec::as_slice)
    }

    /// The only definition of a name in the objects inside a definition.
    pub(super) fn inner(&self, of: u32, name: &str) -> Option<u32> {
        self.look_at(of);
        match self.inner.get(&(of, name.to_owned()))?.as_slice() {
            [at] => Some(*at),
            _ => None,
        }
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
        let path = self.path(at);
        let all = match self.symbol(at).parent {
            None => self.tops(path),
            Some(parent) => self.members(parent, path),
        };
        &all[..all.len().min(MAX_SAME)]
    }

    /// Whether members were given to a function from outside (`F.prototype.m = …`).
    pub(super) fn has_methods(&self, at: u32) -> bool {
        self.look_at(at);
        self.owners.contains(&at)
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

    /// Whether something is known of members of a name that is no definition.
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

    /// Whether the file binds a name at its top level, by an import, a definition or a variable of any kind.
    pub(super) fn binds(&self, name: &str) -> bool {
        let is_variable = || self.facts.variables.iter().any(|it| it == name);
        self.imported.contains_key(name) || self.tops.contains_key(name) || is_variable()
    }

    /// The import that binds a name: its place among the imports of the file, and that of the name in it.
    pub(super) fn import_at(&self, name: &str) -> Option<(u32, u32)> {
        self.imported.get(name).copied()
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

/// Returns where the `export * from` of a file lead, each by an import row of its own kind: by those rows the store finds
/// who looked through the file.
fn stars(facts: &FileFacts, targets: &[Option<i64>]) -> Vec<i64> {
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

/// Adds the names that must lead to something with members where a path does: `a` and `a.b` for `a.b.c`.
fn add_literals(literals: &mut HashSet<(Option<u32>, String)>, scope: Option<u32>, path: &str) {
    for (end, _) in path.rmatch_indices('.') {
        // With one all that are shorter are known.
        if !literals.insert((scope, path[..end].to_owned())) {
            break;
        }
    }
}

fn path_of<'s>(symbols: &'s [Symbol], symbol: &'s Symbol) -> &'s str {
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

fn is_member(kind: SymbolKind) -> bool {
    use SymbolKind::{Constructor, Field, Method, Property};
    matches!(kind, Method | Property | Field | Constructor)
}

fn place(at: usize) -> u32 {
    u32::try_from(at).expect("a file has fewer facts than u32 can count")
}
