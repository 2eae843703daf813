//! Definitions that the uncommitted changes removed, renamed or moved, and the uses that still name them.
//!
//! The old side is extracted from the blobs of `HEAD`, of changed files alone; `graph::changes` compares, and the uses
//! are bound twice: as the old files have it, and as it is now. A use dangles where only the old files bind it.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Uses;
use super::mentions::line_at;
use crate::error::{Error, Result};
use crate::graph::changes::{ChangeKind, Version, compare};
use crate::ir::FileFacts;
use crate::link::base::{EarlierFile, overlay};
use crate::link::use_targets::{Definition, FileTargets, Meaning, Overlay, UseTargets};
use crate::model::{RepoPath, SymbolKind};
use crate::store::{FileSummary, token};
use crate::syntax::{self, Role, UseKind};

/// Changed files whose definitions are compared.
const MAX_FILES: usize = 2_000;

/// A definition that is gone from where it was.
#[derive(Clone, Debug)]
pub struct Removed {
    /// Its file.
    pub path: RepoPath,
    /// Its own name.
    pub name: String,
    /// Its name with those around it.
    pub qualified_name: String,
    /// The kind.
    pub kind: SymbolKind,
    /// Line of its name in `HEAD`.
    pub line: u32,
    /// The change.
    pub change: ChangeKind,
    /// Where it is now: its file, qualified name and line.
    pub now: Option<(RepoPath, String, u32)>,
    /// The uses that still name it, by path and line.
    pub uses: Vec<DanglingUse>,
}

/// A use of a definition that is not there any more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DanglingUse {
    /// The file.
    pub path: RepoPath,
    /// Line, from 1.
    pub line: u32,
    /// The line, without its indentation.
    pub text: String,
    /// How it is used; `None` for an import or an export.
    pub kind: Option<UseKind>,
}

/// A changed file in both states.
struct Changed {
    path: RepoPath,
    old: Side,
    new: Side,
}

/// One state of a file; empty where it is not there.
#[derive(Default)]
struct Side {
    text: String,
    facts: FileFacts,
    is_there: bool,
}

/// A changed file that can be analysed, as it is in `HEAD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierText {
    /// The file.
    pub path: RepoPath,
    /// Its text as it would be indexed; `None` where it was not there.
    pub text: Option<String>,
}

impl Uses<'_> {
    /// Returns the definitions that are gone, by path and line, each with the uses that still name it.
    /// `is_wanted` chooses among their qualified names before the uses are looked for.
    pub fn removed(
        &self,
        earlier: &[EarlierText],
        is_wanted: impl Fn(&RepoPath, &str) -> bool,
    ) -> Result<Vec<Removed>> {
        let mut changed = Vec::with_capacity(earlier.len());
        for EarlierText { path, text } in earlier.iter().take(MAX_FILES) {
            let old = match text {
                Some(text) => self.side(path, text)?,
                None => Side::default(),
            };
            let new = match self.read.file(path.as_str())? {
                Some(file) => match self.sources.read(path, file.content) {
                    Some(text) => self.side(path, &text)?,
                    None => continue,
                },
                None => Side::default(),
            };
            changed.push(Changed {
                path: path.clone(),
                old,
                new,
            });
        }
        let mut removed = gone(&changed);
        removed.retain(|(one, _)| is_wanted(&one.path, &one.qualified_name));
        if removed.is_empty() {
            return Ok(Vec::new());
        }
        self.find_uses(&changed, &mut removed)?;
        Ok(removed.into_iter().map(|(one, _)| one).collect())
    }

    fn side(&self, path: &RepoPath, text: &str) -> Result<Side> {
        let extracted = syntax::extract(syntax::by_path(path), text, true, &self.budget);
        Ok(Side {
            text: text.to_owned(),
            facts: extracted.ok_or_else(Error::cancelled)?.facts,
            is_there: true,
        })
    }

    /// Adds to each definition the uses that the old files bind to it and the present ones to nothing.
    fn find_uses(
        &self,
        changed: &[Changed],
        removed: &mut [(Removed, Vec<(usize, u32)>)],
    ) -> Result<()> {
        let earlier = changed.iter().map(|file| EarlierFile {
            path: file.path.clone(),
            facts: file.old.is_there.then(|| file.old.facts.clone()),
        });
        let (overlay, ids) = overlay(self.read, earlier.collect())?;
        let before = UseTargets::new(self.read, overlay);
        let now = UseTargets::new(self.read, Overlay::default());
        // Of each place that is gone, which definition of the list it belongs to.
        let mut places: HashMap<Definition, usize> = HashMap::new();
        for (at, (_, symbols)) in removed.iter().enumerate() {
            for (file, ordinal) in symbols {
                places.insert((ids[*file], *ordinal), at);
            }
        }
        let old_ids: HashSet<i64> = ids.iter().copied().collect();
        for (path, id) in self.files_to_bind(changed, removed)? {
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            let Some(file) = self.read.file(path.as_str())? else {
                continue;
            };
            let is_changed = old_ids.contains(&id);
            let bound = before.of_file(id)?;
            let facts = if is_changed {
                let at = ids.iter().position(|other| *other == id);
                at.map(|at| changed[at].old.facts.clone())
            } else {
                self.read.facts(id)?
            };
            let Some(facts) = facts else { continue };
            // The words that stand for each definition in this file.
            let mut words: BTreeMap<usize, HashSet<String>> = BTreeMap::new();
            let mut references: HashMap<u32, usize> = HashMap::new();
            for (n, (used, meaning)) in facts.references.iter().zip(&bound.references).enumerate() {
                if let Some(at) = meaning.definition().and_then(|it| places.get(&it)) {
                    let name = facts.name(used).to_owned();
                    words.entry(*at).or_default().insert(name);
                    references.insert(u32::try_from(n).unwrap_or(u32::MAX), *at);
                }
            }
            for (import, meanings) in facts.imports.iter().zip(&bound.imports) {
                for (name, meaning) in import.names.iter().zip(meanings) {
                    if let Some(at) = meaning.definition().and_then(|it| places.get(&it)) {
                        let both = [name.imported.clone(), name.local.clone()];
                        words.entry(*at).or_default().extend(both);
                    }
                }
            }
            for (export, meaning) in facts.exports.iter().zip(&bound.exports) {
                if let Some(at) = meaning.definition().and_then(|it| places.get(&it)) {
                    words.entry(*at).or_default().insert(export.local.clone());
                    words.entry(*at).or_default().insert(export.name.clone());
                }
            }
            if words.is_empty() {
                continue;
            }
            let Some(text) = self.sources.read(&path, file.content) else {
                continue;
            };
            let bound_now = now.of_file(file.id)?;
            for (at, words) in words {
                let mut words: Vec<String> = words.into_iter().collect();
                words.retain(|word| !word.is_empty() && word != "default" && word != "*");
                words.sort_unstable();
                for word in &words {
                    let known = (!is_changed).then_some((&references, at));
                    let found = self.dangling(&file, &text, word, &bound_now, known)?;
                    removed[at].0.uses.extend(found);
                }
            }
        }
        for (one, _) in removed {
            one.uses.sort();
            one.uses.dedup();
        }
        Ok(())
    }

    /// Returns the files whose names have to be bound: the changed ones, those that hold the name of a definition that is
    /// gone, and those that import its file.
    fn files_to_bind(
        &self,
        changed: &[Changed],
        removed: &[(Removed, Vec<(usize, u32)>)],
    ) -> Result<BTreeMap<RepoPath, i64>> {
        let mut all = BTreeMap::new();
        for (one, _) in removed {
            let norm = token::normal_form(&one.name);
            for file in self.read.files_with_word(&norm)? {
                all.insert(file.path, file.id);
            }
            for path in self.read.importers_of(one.path.as_str())? {
                if let Some(file) = self.read.file(path.as_str())? {
                    all.insert(path, file.id);
                }
            }
        }
        for file in changed {
            if let Some(row) = self.read.file(file.path.as_str())? {
                all.insert(file.path.clone(), row.id);
            }
        }
        Ok(all)
    }

    /// Returns the places of `word` that mean nothing now. `known` are the references that the old files bind, and the
    /// definition that is wanted, where the file itself is as it was.
    fn dangling(
        &self,
        file: &FileSummary,
        text: &str,
        word: &str,
        bound: &FileTargets,
        known: Option<(&HashMap<u32, usize>, usize)>,
    ) -> Result<Vec<DanglingUse>> {
        let Some(language) = syntax::by_id(&file.language) else {
            return Ok(Vec::new());
        };
        let found = syntax::occurrences(language, text, word, &self.budget);
        let found = found.ok_or_else(Error::cancelled)?;
        let is_unbound = |meaning: Option<&Meaning>| {
            matches!(meaning, Some(Meaning::Unresolved | Meaning::Dangling(_)))
        };
        let mut all = Vec::new();
        for place in found.places {
            let kind = match place.role {
                Role::Use { reference, kind } => {
                    let was_it = known.is_none_or(|(references, at)| {
                        references.get(&reference).is_some_and(|found| *found == at)
                    });
                    if !was_it || !is_unbound(bound.references.get(reference as usize)) {
                        continue;
                    }
                    Some(kind)
                }
                Role::Import { import, name } => {
                    let names = bound.imports.get(import as usize);
                    if !is_unbound(names.and_then(|names| names.get(name as usize))) {
                        continue;
                    }
                    None
                }
                Role::Export { export } => {
                    if !is_unbound(bound.exports.get(export as usize)) {
                        continue;
                    }
                    None
                }
                // `gone.set(…)` in the file that defined it: no scope binds the name any more.
                Role::Global(kind) if known.is_none() => Some(kind),
                _ => continue,
            };
            all.push(DanglingUse {
                path: file.path.clone(),
                line: place.line,
                text: line_at(text, place.start_byte as usize),
                kind,
            });
        }
        Ok(all)
    }
}

/// Compares the two states. Each definition comes with its places: the changed file, and the symbols of it (several where
/// it is overloaded).
fn gone(changed: &[Changed]) -> Vec<(Removed, Vec<(usize, u32)>)> {
    let (mut old, mut old_at) = (Vec::new(), Vec::new());
    let (mut new, mut new_at) = (Vec::new(), Vec::new());
    for (at, file) in changed.iter().enumerate() {
        versions(&file.path, &file.old, at, &mut old, &mut old_at);
        versions(&file.path, &file.new, at, &mut new, &mut new_at);
    }
    let mut all = Vec::new();
    for change in compare(&old, &new) {
        let is_gone = matches!(
            change.kind,
            ChangeKind::Removed | ChangeKind::Moved | ChangeKind::Renamed | ChangeKind::Unexported
        );
        let (true, Some(at)) = (is_gone, change.old) else {
            continue;
        };
        let (file, _) = old_at[at];
        let symbols = &changed[file].old.facts.symbols;
        let version: &Version<'_> = &old[at];
        let all_of_it = old_at.iter().zip(&old).filter(|(_, other)| {
            (other.path, other.qualified_name) == (version.path, version.qualified_name)
        });
        let now = change.new.map(|new_place| {
            let (file, ordinal) = new_at[new_place];
            let symbol = &changed[file].new.facts.symbols[ordinal as usize];
            let path = changed[file].path.clone();
            (path, symbol.qualified_name.clone(), symbol.name_line)
        });
        let symbol = &symbols[old_at[at].1 as usize];
        let one = Removed {
            path: version.path.clone(),
            name: symbol.name.clone(),
            qualified_name: symbol.qualified_name.clone(),
            kind: symbol.kind,
            line: symbol.name_line,
            change: change.kind,
            now,
            uses: Vec::new(),
        };
        all.push((one, all_of_it.map(|(place, _)| *place).collect()));
    }
    all.sort_by(|(a, _), (b, _)| (&a.path, a.line).cmp(&(&b.path, b.line)));
    all
}

fn versions<'a>(
    path: &'a RepoPath,
    side: &'a Side,
    file: usize,
    all: &mut Vec<Version<'a>>,
    places: &mut Vec<(usize, u32)>,
) {
    for (ordinal, symbol) in side.facts.symbols.iter().enumerate() {
        let (from, to) = (
            symbol.span.start_byte as usize,
            symbol.span.end_byte as usize,
        );
        all.push(Version {
            path,
            name: &symbol.name,
            qualified_name: &symbol.qualified_name,
            kind: symbol.kind,
            exported: symbol.exported,
            signature: &symbol.signature,
            text: side.text.get(from..to).unwrap_or_default(),
        });
        places.push((file, u32::try_from(ordinal).unwrap_or(u32::MAX)));
    }
}
