//! The files that a change may reach, and those of their names that may have lost their meaning.
//!
//! Which of them did is found in `broken`, which binds them in both states.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::Uses;
use super::before_after::{BeforeAfter, names_within};
use super::broken::MAX_NAMES;
use super::broken_use::{BrokenUses, accessor_names, attribute_name, last_name};
use super::difference::Difference;
use super::modifiers::is_typescript;
use crate::error::Result;
use crate::ir::{CONVERSIONS, FileFacts, Reference, ReferenceKind, Target};
use crate::link;
use crate::model::{Direction, Family, FileId, RepoPath, Symbol};
use crate::store::{Read, UnboundNames, token};
use crate::syntax::by_path;

/// Files whose names are bound.
const MAX_FILES: usize = 5_000;

/// Files that pass names of a changed file on.
const MAX_PASSING: u32 = 2_000;

/// A file whose names have to be bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileToBind {
    /// Its row.
    pub(super) id: FileId,
    /// Whether its uses may have lost their meaning; `false` where they have unless its import or export lists did.
    pub(super) has_uses: bool,
}

/// The names that the files of a difference no longer have.
#[derive(Default)]
pub(super) struct Gone {
    /// The names of definitions, and of what is passed on.
    names: BTreeSet<String>,
    /// The files that had them.
    lesser: BTreeSet<RepoPath>,
    /// Those among them from which it could be imported: not a method alone.
    importable: BTreeSet<RepoPath>,
}

impl Gone {
    pub(super) fn of(difference: &Difference) -> Self {
        let mut gone = Self::default();
        for change in difference.gone() {
            if let Some((file, symbol)) = difference.old(change) {
                let name = last_name(&symbol.name);
                gone.names.insert(name.to_owned());
                gone.names
                    .extend(attribute_name(&file.path, name).map(str::to_owned));
                gone.names
                    .extend(accessor_names(&file.path, symbol.kind, name));
                if is_only_element(&file.old.facts, symbol) {
                    let owner = symbol.qualified_name.rsplit('.').nth(1);
                    gone.names.extend(owner.map(str::to_owned));
                }
                gone.names.extend(names_within(&file.old.facts, change));
                gone.lesser.insert(file.path.clone());
                if symbol.parent.is_none() {
                    gone.importable.insert(file.path.clone());
                }
            }
        }
        for export in difference.re_exports.iter().filter(|it| !it.is_added) {
            gone.names.insert(export.name.clone());
            let path = &difference.files[export.file].path;
            gone.lesser.insert(path.clone());
            gone.importable.insert(path.clone());
        }
        for file in &difference.files {
            let offered = |facts: &FileFacts| -> BTreeSet<String> {
                facts.exports.iter().map(|it| it.name.clone()).collect()
            };
            let (before, now) = (offered(&file.old.facts), offered(&file.new.facts));
            let mut less = before.difference(&now).cloned().peekable();
            if less.peek().is_some() {
                gone.lesser.insert(file.path.clone());
                gone.importable.insert(file.path.clone());
                gone.names.extend(less);
            }
        }
        gone
    }
}

impl Uses<'_> {
    /// Returns the files whose names have to be bound: the changed ones, those that used a definition that is gone (by the
    /// edges of `earlier`, else by its name), those that import a file that offers less, and those whose imports lead
    /// elsewhere.
    pub(super) fn files_to_bind(
        &self,
        states: &BeforeAfter<'_>,
        gone: &Gone,
        earlier: Option<&Read<'_>>,
        found: &mut BrokenUses,
    ) -> Result<BTreeMap<RepoPath, FileToBind>> {
        found.is_cut |= gone.names.len() > MAX_NAMES;
        let mut all = BTreeMap::new();
        let lesser = if earlier.is_some() {
            &gone.importable
        } else {
            &gone.lesser
        };
        for path in lesser {
            let Some(file) = self.read.file(path.as_str())? else {
                continue;
            };
            let mut passing = self.read.reexporters(file.id, MAX_PASSING)?;
            passing.push(file.id);
            for id in passing {
                for id in self.read.import_neighbors(id, Direction::In)? {
                    if let Some(path) = self.read.path_of(id)? {
                        let has_uses = earlier.is_none();
                        all.insert(path, FileToBind { id, has_uses });
                    }
                }
            }
        }
        let mut add = |path: RepoPath, id: FileId| {
            let has_uses = true;
            all.insert(path, FileToBind { id, has_uses });
        };
        if let Some(earlier) = earlier {
            for path in users(earlier, states.difference)? {
                if let Some(file) = self.read.file(path.as_str())? {
                    add(path, file.id);
                }
            }
            // What a test of Python replaces, `patch('db.open')`, has no edge.
            for name in names_of_python(states.difference).take(MAX_NAMES) {
                for file in self.read.files_with_word(&token::normal_form(name))? {
                    if is_python(&file.path) && file.path.as_str().contains("test") {
                        add(file.path, file.id);
                    }
                }
            }
            // A member of several types of a union has no edge, nor has one behind a type from outside.
            let names: BTreeSet<&str> = states.gone_members().collect();
            for name in names.into_iter().take(MAX_NAMES) {
                let mut places = self.read.unbound_places(name)?;
                places.retain(|it| is_typescript(&it.path));
                let of_rust = earlier.unbound_places(name)?.into_iter();
                places.extend(of_rust.filter(|it| is_rust(&it.path)));
                for place in places {
                    if let Some(file) = self.read.file(place.path.as_str())? {
                        add(place.path, file.id);
                    }
                }
            }
        } else {
            for name in gone.names.iter().take(MAX_NAMES) {
                let norm = token::normal_form(name);
                if !(2..=token::MAX_WORD_BYTES).contains(&norm.len()) {
                    continue;
                }
                for file in self.read.files_with_word(&norm)? {
                    add(file.path, file.id);
                }
            }
        }
        if earlier.is_none() {
            for (path, id) in self.files_that_may_name_short(states.difference)? {
                add(path, id);
            }
        }
        for id in states.targets_before.keys().filter(|id| id.row() > 0) {
            if let Some(path) = self.read.path_of(*id)? {
                add(path, *id);
            }
        }
        for module in states.undeclared.modules() {
            for id in self.read.import_neighbors(module, Direction::In)? {
                if let Some(path) = self.read.path_of(id)? {
                    all.insert(path, FileToBind { id, has_uses: true });
                }
            }
        }
        found.is_cut |= all.len() > MAX_FILES;
        while all.len() > MAX_FILES {
            all.pop_last();
        }
        Ok(all)
    }
}

/// Whether a definition is the element of an annotation of Java for which an argument without a name is: `value` of `@Route("/")`, which files use
/// that have no such word.
pub(super) fn is_only_element(facts: &FileFacts, symbol: &Symbol) -> bool {
    let owner = symbol.parent.and_then(|at| facts.symbols.get(at as usize));
    facts.family == Family::Java
        && last_name(&symbol.name) == "value"
        && owner.is_some_and(|it| it.signature.contains("@interface"))
}

/// Returns the names of definitions of Python that are gone.
fn names_of_python(difference: &Difference) -> impl Iterator<Item = &str> {
    let gone = difference.gone().filter_map(|it| difference.old(it));
    let of_python = gone.filter(|(file, _)| is_python(&file.path));
    of_python.map(|(_, symbol)| last_name(&symbol.name))
}

fn is_python(path: &RepoPath) -> bool {
    by_path(path).family() == Some(Family::Python)
}

fn is_rust(path: &RepoPath) -> bool {
    by_path(path).family() == Some(Family::Rust)
}

impl Uses<'_> {
    /// Returns the files of the languages of definitions that are gone whose names are too short for the index of words: `T` of `class T {}`.
    /// Members are left out, whose uses the index notes where they mean nothing.
    fn files_that_may_name_short(
        &self,
        difference: &Difference,
    ) -> Result<Vec<(RepoPath, FileId)>> {
        let gone = difference.gone().filter_map(|it| difference.old(it));
        let short = gone.filter(|(_, it)| {
            it.parent.is_none() && token::normal_form(last_name(&it.name)).len() < 2
        });
        let families: HashSet<Option<Family>> = short
            .map(|(file, _)| by_path(&file.path).family())
            .collect();
        if families.is_empty() {
            return Ok(Vec::new());
        }
        let files = self.read.files_under("")?;
        let of_family = files
            .iter()
            .filter(|it| families.contains(&by_path(&it.path).family()));
        Ok(of_family.map(|it| (it.path.clone(), it.id)).collect())
    }
}

/// Returns the files that used a definition that is gone, or a member of it, by the edges of an index of the old state.
fn users(earlier: &Read<'_>, difference: &Difference) -> Result<BTreeSet<RepoPath>> {
    let mut ids = BTreeSet::new();
    for change in difference.gone() {
        let (Some((file, _)), Some(place)) = (difference.old(change), &change.old) else {
            continue;
        };
        let Some(row) = earlier.file(file.path.as_str())? else {
            continue;
        };
        let mut gone: HashSet<u32> = place.symbols.iter().copied().collect();
        let of_annotation = place.symbols.iter().filter_map(|at| {
            let symbol = file.old.facts.symbols.get(*at as usize)?;
            symbol
                .parent
                .filter(|_| is_only_element(&file.old.facts, symbol))
        });
        gone.extend(of_annotation.collect::<Vec<_>>());
        // Members stand behind what they are members of.
        for symbol in earlier.symbols_of(row.id)? {
            let is_member = symbol.parent.is_some_and(|at| gone.contains(&at));
            if is_member || gone.contains(&symbol.ordinal) {
                gone.insert(symbol.ordinal);
                let edges = earlier.edges_into(symbol.id)?;
                ids.extend(edges.iter().map(|edge| edge.src_file));
            }
        }
    }
    let mut paths = BTreeSet::new();
    for id in ids {
        paths.extend(earlier.path_of(id)?);
    }
    Ok(paths)
}

/// The names that may have lost their meaning: the index has noted those of calls and members that lead nowhere now.
pub(super) struct DoubtfulNames {
    /// The names of definitions that are gone. An external base may have one of its members, and then the
    /// index has no note.
    gone: BTreeSet<String>,
    /// Whether the notes are of all files.
    is_noted: bool,
}

/// The references of one file whose names may have lost their meaning.
pub(super) struct DoubtfulReferences<'a> {
    facts: &'a FileFacts,
    gone: &'a BTreeSet<String>,
    /// The names that lead nowhere now; `None` where they are not known.
    unbound: Option<UnboundNames>,
}

impl DoubtfulNames {
    pub(super) fn of(read: &Read<'_>, gone: Gone) -> Result<Self> {
        let gone = gone.names;
        // A call by another name: `x()` runs `__call__`, `new A` runs its constructor.
        let is_called_otherwise = |name: &String| {
            name.starts_with("__")
                || name.starts_with("operator")
                || name == "constructor"
                || CONVERSIONS.iter().any(|it| it.function == name)
        };
        let is_noted = is_linked(read)? && !gone.iter().any(is_called_otherwise);
        Ok(Self { gone, is_noted })
    }

    /// Returns those of a file of the new state.
    pub(super) fn in_file<'a>(
        &'a self,
        read: &Read<'_>,
        file: FileId,
        facts: &'a FileFacts,
    ) -> Result<DoubtfulReferences<'a>> {
        // Templates that nothing names are text, of which nothing is noted.
        let is_noted = self.is_noted && !facts.is_template;
        let unbound = is_noted.then(|| read.unbound_in(file)).transpose()?;
        Ok(DoubtfulReferences {
            facts,
            gone: &self.gone,
            unbound,
        })
    }
}

impl DoubtfulReferences<'_> {
    /// Whether a reference, by its place, may have lost its meaning.
    pub(super) fn has(&self, reference: usize) -> bool {
        let (Some(unbound), Some(used)) = (&self.unbound, self.facts.references.get(reference))
        else {
            return true;
        };
        let name = self.facts.name(used);
        !is_noted(used) || unbound.has(name) || self.gone.contains(name)
    }
}

/// Whether linking notes a reference that leads nowhere; see `link::edges`.
fn is_noted(used: &Reference) -> bool {
    let is_call = matches!(
        used.kind,
        ReferenceKind::Call | ReferenceKind::New | ReferenceKind::Jsx | ReferenceKind::Decorator
    );
    is_call || matches!(used.target, Target::Member { .. } | Target::Markup(_))
}

/// Whether the names of all files are bound, by the rules of this version.
fn is_linked(read: &Read<'_>) -> Result<bool> {
    let meta = read.meta();
    let is_bound = !meta.link_queue_is_stale && meta.link_version == link::VERSION;
    Ok(is_bound && read.n_queued()? == 0)
}
