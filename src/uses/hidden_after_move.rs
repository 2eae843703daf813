//! Uses in moved code of definitions that its old package has and that the new one may not use: `t.size` of Go behind a move to another
//! package, package-private and protected members of Java.
//!
//! Names that moved code does not find at all are the matter of `unseen_names`.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::Uses;
use super::before_after::{BeforeAfter, BrokenPlace, Loss, LossesByFile, is_bare, is_unbound};
use super::broken_use::BrokenUses;
use super::changed_file::{ChangedFile, FileSide};
use super::modifiers::{DeclaredModifiers, Visibility};
use super::restrictions::{enclosing, is_of_own_object};
use crate::error::{Error, Result};
use crate::ir::{FileFacts, Reference};
use crate::link::name_binder::{DefinitionId, Meaning};
use crate::model::{Family, FileId, Provenance, RepoPath, Symbol, SymbolKind};
use crate::syntax::{self, UseKind};

/// A package that hides names from others: in Go the directory is a part of it.
#[derive(PartialEq, Eq)]
struct HidingPackage<'a> {
    directory: &'a str,
    name: Option<&'a str>,
}

impl<'a> HidingPackage<'a> {
    /// Returns the package of a file; `None` in languages whose packages hide nothing.
    fn of(path: &'a RepoPath, facts: &'a FileFacts) -> Option<Self> {
        let name = facts.units.first().map(String::as_str);
        let directory = match facts.family {
            Family::Go => path.as_str().rsplit_once('/').map_or("", |it| it.0),
            Family::Java => "",
            _ => return None,
        };
        Some(Self { directory, name })
    }
}

/// Whether moved code belongs to another package than before, or namespace of C#.
pub(super) fn is_of_other_package(from: &ChangedFile, to: &ChangedFile) -> bool {
    let (old, new) = (&from.old.facts, &to.new.facts);
    if new.family == Family::CSharp {
        return from.path != to.path && old.units != new.units;
    }
    let packages = (
        HidingPackage::of(&from.path, old),
        HidingPackage::of(&to.path, new),
    );
    matches!(packages, (Some(old), Some(new)) if old != new)
}

/// A definition of the old package that another one does not see.
#[derive(Clone)]
struct HiddenDefinition {
    /// Its place in the old state.
    id: DefinitionId,
    path: RepoPath,
    symbol: Symbol,
    /// Whether types that are built on the one around see it.
    is_protected: bool,
}

/// The definitions of the old package that moved code used there.
#[derive(Default)]
struct OldUses<'f> {
    /// Those that are hidden, by their names.
    hidden: BTreeMap<&'f str, Vec<HiddenDefinition>>,
    /// The single definition that all uses of a name meant; `None` where some meant another or none that is hidden.
    meant: HashMap<&'f str, Option<DefinitionId>>,
}

impl Uses<'_> {
    /// Adds the uses in a file, by its place in the new state, of definitions that it saw in its old package, where it had another place.
    pub(super) fn add_hidden_after_move(
        &self,
        states: &BeforeAfter<'_>,
        (from, to): (usize, usize),
        found: &mut BrokenUses,
    ) -> Result<()> {
        let files = &states.difference.files;
        let file = &files[to];
        let new = &file.new.facts;
        let known = self.old_uses(states, from)?;
        let row = self.read.file(file.path.as_str())?;
        let Some(row) = row.filter(|_| !known.hidden.is_empty()) else {
            return Ok(());
        };
        let meanings = states.now.of_file(row.id)?.references;
        let language = syntax::by_path(&file.path);
        let words: Vec<&str> = known.hidden.keys().copied().collect();
        let read = syntax::occurrences_of(language, &file.new.text, &words, &self.budget);
        let read = read.ok_or_else(Error::cancelled)?;
        let mut places: BTreeMap<(DefinitionId, bool), Vec<BrokenPlace>> = BTreeMap::new();
        for (start, line, reference, kind) in read.uses {
            let (Some(used), Some(meaning)) = (
                new.references.get(reference as usize),
                meanings.get(reference as usize),
            ) else {
                continue;
            };
            let Some(all) = known.hidden.get(new.name(used)) else {
                continue;
            };
            let lost = match *meaning {
                Meaning::Definition(now, provenance) => {
                    let is_sure = provenance <= Provenance::Member;
                    let hidden = self.hidden_use(states, (file, row.id), (now, all), used, kind)?;
                    hidden.map(|(id, is_certain)| (id, is_certain && is_sure))
                }
                meaning if is_bare(new, used) || !may_be_lost(meaning) => None,
                // Of a receiver whose type is not found here, either.
                _ => {
                    let is_private = !all.iter().any(|it| it.is_protected);
                    match known.meant.get(new.name(used)) {
                        Some(Some(id)) => {
                            let is_certain = is_private && !file.old.is_there;
                            Some((*id, is_certain && is_unbound(*meaning)))
                        }
                        _ => Some((all[0].id, false)),
                    }
                }
            };
            if let Some(lost) = lost {
                places.entry(lost).or_default().push(BrokenPlace {
                    kind: Some(kind),
                    provenance: match meaning {
                        Meaning::Definition(_, provenance) => *provenance,
                        _ => Provenance::Member,
                    },
                    ..BrokenPlace::at(start, line)
                });
            }
        }
        let none = LossesByFile::default();
        for ((definition, is_certain), places) in places {
            let text = (&file.path, &*file.new.text);
            let loss = Loss::Definition(definition);
            let entries = self.entries(states, text, &loss, places, &none)?;
            found.list(is_certain).extend(entries);
        }
        Ok(())
    }

    /// Returns the hidden definitions that a file of the old state, by its place, used in its own package.
    fn old_uses<'s>(&self, states: &'s BeforeAfter<'_>, from: usize) -> Result<OldUses<'s>> {
        let file = &states.difference.files[from];
        let old = &file.old.facts;
        let mut known = OldUses::default();
        let mut sides = HashMap::new();
        let mut judged: HashMap<DefinitionId, Option<HiddenDefinition>> = HashMap::new();
        let meanings = states.before.of_file(states.overlay_ids[from].earlier)?;
        for (used, meaning) in old.references.iter().zip(meanings.references) {
            let hidden = match meaning.definition() {
                None => None,
                Some(id) => {
                    if let Entry::Vacant(entry) = judged.entry(id) {
                        entry.insert(self.hidden_definition(states, file, id, &mut sides)?);
                    }
                    judged[&id].clone()
                }
            };
            let meant = hidden.as_ref().map(|it| it.id);
            let of_name = known.meant.entry(old.name(used)).or_insert(meant);
            *of_name = of_name.filter(|it| Some(*it) == meant);
            if let Some(hidden) = hidden {
                let of_name = known.hidden.entry(old.name(used)).or_default();
                if !of_name.iter().any(|it| it.id == hidden.id) {
                    of_name.push(hidden);
                }
            }
        }
        Ok(known)
    }

    /// Returns a definition of the old state where it is of the package of a file and hidden from others.
    fn hidden_definition(
        &self,
        states: &BeforeAfter<'_>,
        file: &ChangedFile,
        id: DefinitionId,
        sides: &mut HashMap<FileId, FileSide>,
    ) -> Result<Option<HiddenDefinition>> {
        let (Some(path), Some(facts)) =
            (self.path_before(states, id.0)?, states.before.facts(id.0))
        else {
            return Ok(None);
        };
        let packages = (
            HidingPackage::of(&path, &facts),
            HidingPackage::of(&file.path, &file.old.facts),
        );
        if packages.0 != packages.1 {
            return Ok(None);
        }
        let side = if let Some((_, changed)) = states.difference.file(&path) {
            &changed.old
        } else {
            match sides.entry(id.0) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(entry) => entry.insert(self.stored_side(&path, id.0, &facts)?),
            }
        };
        let symbol = side.facts.symbols.get(id.1 as usize);
        let Some(symbol) = symbol.filter(|it| it.kind != SymbolKind::Module) else {
            return Ok(None);
        };
        let access = match facts.family {
            Family::Go if symbol.name.starts_with(char::is_uppercase) => Visibility::Public,
            Family::Go => Visibility::Package,
            _ => access_of(&path, side, symbol),
        };
        Ok((access != Visibility::Public).then(|| HiddenDefinition {
            id,
            symbol: symbol.clone(),
            path: path.clone(),
            is_protected: access == Visibility::Protected,
        }))
    }

    /// Returns a file that did not change, with the places of its definitions, which the facts for linking lack.
    fn stored_side(&self, path: &RepoPath, id: FileId, facts: &FileFacts) -> Result<FileSide> {
        let mut symbols = facts.symbols.clone();
        for row in self.read.symbols_of(id)? {
            if let Some(symbol) = symbols.get_mut(row.ordinal as usize) {
                symbol.span = row.span;
            }
        }
        Ok(FileSide {
            text: self.text_of(path)?.unwrap_or_default(),
            facts: FileFacts {
                family: facts.family,
                symbols,
                ..FileFacts::default()
            },
            is_there: true,
            ..FileSide::default()
        })
    }

    /// Returns the hidden definition of the old state that a use means now, `now` in the new one, and whether it is certain that the code may not
    /// use it.
    fn hidden_use(
        &self,
        states: &BeforeAfter<'_>,
        (file, row): (&ChangedFile, FileId),
        (now, all): (DefinitionId, &[HiddenDefinition]),
        used: &Reference,
        kind: UseKind,
    ) -> Result<Option<(DefinitionId, bool)>> {
        let (Some(path), Some(facts)) = (self.read.path_of(now.0)?, states.now.facts(now.0)) else {
            return Ok(None);
        };
        let Some(symbol) = facts.symbols.get(now.1 as usize) else {
            return Ok(None);
        };
        let mut same = all.iter();
        let same = same.find(|it| {
            it.path == path
                && it.symbol.qualified_name == symbol.qualified_name
                && it.symbol.kind == symbol.kind
        });
        let is_there =
            HidingPackage::of(&path, &facts) == HidingPackage::of(&file.path, &file.new.facts);
        let Some(hidden) = same.filter(|_| !is_there) else {
            return Ok(None);
        };
        // A method that nobody writes stands for the field: `row.id()` of a record, `row.getId()`.
        let is_accessor = symbol.kind == SymbolKind::Field
            && facts.family == Family::Java
            && kind == UseKind::Call;
        if is_accessor {
            return Ok(None);
        }
        let Some(owner) = symbol.parent.filter(|_| hidden.is_protected) else {
            return Ok(Some((hidden.id, true)));
        };
        let new = &file.new.facts;
        let (below, is_cut) = self.binder().subclasses((now.0, owner))?;
        let below: HashSet<DefinitionId> = below.into_iter().map(|it| it.0).collect();
        let is_own = is_bare(new, used) || is_of_own_object(new, used);
        if enclosing(new, used.symbol).any(|at| below.contains(&(row, at))) {
            return Ok((!is_own && !symbol.is_static()).then_some((hidden.id, false)));
        }
        // A class without a name may be built on the one around it.
        Ok(Some((hidden.id, !is_own && !is_cut)))
    }
}

/// Whether a meaning is none that a member of the old package may still have.
fn may_be_lost(meaning: Meaning) -> bool {
    is_unbound(meaning) || matches!(meaning, Meaning::Inherited | Meaning::External)
}

/// Returns who may use a definition of Java; everyone where that is not known.
fn access_of(path: &RepoPath, side: &FileSide, symbol: &Symbol) -> Visibility {
    let modifiers = DeclaredModifiers::of(path, side, symbol);
    modifiers
        .and_then(|it| it.access)
        .unwrap_or(Visibility::Public)
}
