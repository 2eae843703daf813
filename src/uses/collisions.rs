//! Where the changes of two branches meet, also where git sees no conflict: one definition changed on both sides, a use added on one
//! side of a definition that the other side took away, two definitions of one name.
//!
//! Both differences begin at the commit where the branches left each other. Nothing is merged.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::Uses;
use super::arguments::{ArityTrees, NarrowerDefinitions, broken_call, is_counted};
use super::before_after::{BeforeAfter, BoundFile, Loss, LossesByFile};
use super::broken_use::BrokenUse;
use super::changed_file::{ChangedFile, FileSide};
use super::difference::{DefinitionPlace, Difference, SymbolChange, side};
use super::undeclared_modules::UndeclaredModules;
use crate::error::{Error, Result};
use crate::graph::changes::ChangeKind;
use crate::ir::FileFacts;
use crate::link::name_binder::{DefinitionId, Meaning, NameBinder, Overlay};
use crate::link::overlay::{OverlayFile, OverlayFileIds, overlay};
use crate::model::{FileId, Provenance, RepoPath};
use crate::store::ImportTarget;
use crate::syntax::{self, Arities, UseKind};

/// How the changes of two sides meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CollisionKind {
    /// One side added a use of a definition that the other side changed or removed.
    UsesChanged,
    /// Both changed one definition.
    SameSymbol,
    /// Both added a definition of one name in one scope.
    BothAdded,
    /// Both changed one file, in different places.
    FileOnly,
}

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchSide {
    /// The state that the answer is about.
    Ours,
    /// The state that it is compared with.
    Theirs,
}

/// A place where the changes of two sides meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    /// The changes that meet.
    pub kind: CollisionKind,
    /// The file of the definition.
    pub path: RepoPath,
    /// Its qualified name; empty for a file.
    pub symbol: String,
    /// The change of our side; `None` where it only uses the definition.
    pub ours: Option<ChangeKind>,
    /// The change of their side.
    pub theirs: Option<ChangeKind>,
    /// Of a use that one side added: which side, and the use.
    pub added: Option<(BranchSide, BrokenUse)>,
}

/// Compares and merges texts line by line.
pub struct LineMerge<'a> {
    /// The lines of the second text that the first does not have, as ranges from 1.
    pub added: &'a dyn Fn(&str, &str) -> Vec<Range<u32>>,
    /// Two texts that were the first one; `None` where they conflict.
    pub merged: &'a dyn Fn(&str, &str, &str) -> Option<String>,
}

/// The files that one side changed, and those that the other side's changes lead to when they are applied to them.
struct MergedFiles<'d> {
    user: &'d Difference,
    merging: &'d Difference,
    /// The paths of both, sorted.
    paths: Vec<&'d RepoPath>,
}

impl<'d> MergedFiles<'d> {
    fn of(user: &'d Difference, merging: &'d Difference) -> Self {
        let files = merging.files.iter().chain(&user.files);
        let paths: BTreeSet<&RepoPath> = files.map(|file| &file.path).collect();
        Self {
            user,
            merging,
            paths: paths.into_iter().collect(),
        }
    }

    fn index(&self, path: &RepoPath) -> Option<usize> {
        self.paths.binary_search(&path).ok()
    }

    /// Returns the files in the state of `user`, or in the merged one; in both the uses are those of the merged one.
    fn layer(&self, is_merged: bool) -> Vec<OverlayFile> {
        let facts = |side: &FileSide| side.is_there.then(|| side.facts.clone());
        let each = self.paths.iter().map(|path| {
            let (before, now) = match (self.merging.file(path), self.user.file(path)) {
                (Some((_, file)), _) => (&file.old, &file.new),
                (None, Some((_, file))) => (&file.new, &file.new),
                (None, None) => unreachable!("each path is of one of them"),
            };
            OverlayFile {
                path: (*path).clone(),
                base: facts(if is_merged { now } else { before }),
                present: facts(now),
            }
        });
        each.collect()
    }
}

impl Uses<'_> {
    /// Finds where two differences from one base meet. The new state of `ours` is that of the index.
    pub fn collisions(
        &self,
        ours: &Difference,
        theirs: &Difference,
        lines: &LineMerge<'_>,
    ) -> Result<Vec<Collision>> {
        let mut found = Vec::new();
        for (side, changer, user) in [
            (BranchSide::Theirs, ours, theirs),
            (BranchSide::Ours, theirs, ours),
        ] {
            for (change, one) in self.added_uses(changer, user, lines)? {
                let kind = Some(change);
                found.push(Collision {
                    kind: CollisionKind::UsesChanged,
                    path: one.home.clone(),
                    symbol: one.symbol.clone(),
                    ours: kind.filter(|_| side == BranchSide::Theirs),
                    theirs: kind.filter(|_| side == BranchSide::Ours),
                    added: Some((side, one)),
                });
            }
        }
        same_symbols(ours, theirs, &mut found);
        Ok(found)
    }

    /// Returns the files of `changer` as it changes the state of `user`: one that both changed from the text of `user` to the
    /// merged one. A file that conflicts is left as `user` has it, for git says so itself.
    fn onto(
        &self,
        changer: &Difference,
        user: &Difference,
        lines: &LineMerge<'_>,
    ) -> Result<Vec<ChangedFile>> {
        let mut files = Vec::with_capacity(changer.files.len());
        for file in &changer.files {
            let Some((_, own)) = user.file(&file.path) else {
                files.push(file.clone());
                continue;
            };
            let is_kept = file.old.is_there && file.new.is_there && own.new.is_there;
            let texts = (&file.old.text, &file.new.text, &own.new.text);
            let merged = is_kept.then(|| (lines.merged)(texts.0, texts.1, texts.2));
            if let Some(merged) = merged.flatten() {
                let merged = side(&file.path, Some(merged.into()), &self.budget)?;
                let (path, old) = (file.path.clone(), own.new.clone());
                files.push(ChangedFile::of(path, old, merged, &self.budget));
            }
        }
        Ok(files)
    }

    /// Returns the uses added by `user` whose definition `changer` removed, or to which it gave other parameters, each with that change.
    /// Looks at the merged state, and at that of `user` alone.
    fn added_uses(
        &self,
        changer: &Difference,
        user: &Difference,
        lines: &LineMerge<'_>,
    ) -> Result<Vec<(ChangeKind, BrokenUse)>> {
        let has_lost = changer
            .changes
            .iter()
            .any(|it| it.is_gone() || it.kind != ChangeKind::Body);
        if !has_lost || user.files.is_empty() {
            return Ok(Vec::new());
        }
        let merging = Difference::between(self.onto(changer, user, lines)?, &self.budget);
        let found = self.losses_in_files(user, &merging)?;
        Ok(retain_added(found, (changer, user, &merging), lines.added))
    }

    /// Returns the uses in the files of `user` that mean nothing, or no longer agree with their definition, once `merging` is
    /// applied to them.
    fn losses_in_files(&self, user: &Difference, merging: &Difference) -> Result<Vec<BrokenUse>> {
        let merged = MergedFiles::of(user, merging);
        let (base, ids) = overlay(self.read, merged.layer(false))?;
        let (changed, changed_ids) = overlay(self.read, merged.layer(true))?;
        let (targets_before, targets_now) = (targets_of(&base), targets_of(&changed));
        let ids_of = |path: &RepoPath| Some(&ids[merged.index(path)?]);
        let before = NameBinder::new(self.read, base);
        let (gone, narrower) = self.gone_and_narrower(merging, &before, ids_of)?;
        let states = BeforeAfter {
            difference: merging,
            overlay_ids: merging
                .files
                .iter()
                .filter_map(|file| Some(ids[merged.index(&file.path)?]))
                .collect(),
            before,
            now: NameBinder::new(self.read, changed),
            gone,
            targets_before,
            undeclared: UndeclaredModules::default(),
        };
        let mut losses = LossesByFile::default();
        let mut found = Vec::new();
        for file in &user.files {
            let in_both = merging.file(&file.path);
            let merged_side = in_both.map_or(&file.new, |(_, it)| &it.new);
            if !merged_side.is_there {
                continue;
            }
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            let Some(at) = merged.index(&file.path) else {
                continue;
            };
            let (before_id, now_id) = (ids[at].current, changed_ids[at].current);
            let bound = BoundFile {
                path: &file.path,
                language: syntax::by_path(&file.path),
                id: now_id,
                text: &merged_side.text,
                facts: &merged_side.facts,
                before: states.before.of_file(before_id)?,
                now: states.now.of_file(now_id)?,
                targets: targets_now
                    .get(&now_id)
                    .into_iter()
                    .flatten()
                    .map(|target| Some(*target))
                    .collect(),
                changed: in_both.map(|it| it.0),
                lost_names: match in_both {
                    Some(_) => lost_names(&states, ids[at].earlier, &file.new.facts, merged_side)?,
                    None => Vec::new(),
                },
            };
            self.collect_losses(&states, &bound, before_id, &mut losses)?;
            self.add_refused_calls(merging, &bound, &narrower, &mut found)?;
        }
        for ((path, loss), places) in std::mem::take(&mut losses.places) {
            if matches!(loss, Loss::Inherited(_) | Loss::Uncertain(_)) {
                continue;
            }
            let file = merging.file(&path).or_else(|| user.file(&path));
            let text = file.map(|it| it.1.new.text.clone()).unwrap_or_default();
            found.extend(self.entries(&states, (&path, &text), &loss, places, &losses)?);
        }
        Ok(found)
    }

    /// Returns the declarations that a difference takes away with their changes, and those that take other numbers of arguments.
    /// `ids_of` are the ids of a file in the state before.
    fn gone_and_narrower<'u>(
        &self,
        merging: &Difference,
        before: &NameBinder<'_>,
        ids_of: impl Fn(&RepoPath) -> Option<&'u OverlayFileIds>,
    ) -> Result<(HashMap<DefinitionId, usize>, NarrowerDefinitions)> {
        let mut gone = HashMap::new();
        let mut narrower = NarrowerDefinitions::new();
        let mut trees = ArityTrees::default();
        for (at, change) in merging.changes.iter().enumerate() {
            let ids_in = |place: &DefinitionPlace| ids_of(&merging.files[place.file].path);
            if change.is_gone()
                && let Some(place) = &change.old
                && let Some(ids) = ids_in(place)
            {
                gone.extend(
                    place
                        .symbols
                        .iter()
                        .map(|symbol| ((ids.earlier, *symbol), at)),
                );
            }
            let Some(one) = self.arity_change(merging, at, &mut trees) else {
                continue;
            };
            // The calls of its own file are bound to the declarations that the merged text has.
            let of_others = ids_in(&one.old).map(|ids| (ids.earlier, &one.old.symbols));
            let of_own = ids_in(&one.new).map(|ids| (ids.current, &one.new.symbols));
            for (id, symbols) in of_others.into_iter().chain(of_own) {
                for symbol in symbols {
                    if one.is_constructor {
                        for heir in self.made_by_constructor_of(before, (id, *symbol))? {
                            narrower.entry(heir).or_insert_with(|| one.clone());
                        }
                    }
                    narrower.insert((id, *symbol), one.clone());
                }
            }
        }
        Ok((gone, narrower))
    }

    /// Adds the calls of one file that pass other numbers of arguments than the other side takes.
    fn add_refused_calls(
        &self,
        changer: &Difference,
        bound: &BoundFile<'_>,
        narrower: &NarrowerDefinitions,
        found: &mut Vec<BrokenUse>,
    ) -> Result<()> {
        let of_narrower = |meaning: &Meaning| narrower.get(&meaning.definition()?);
        let references = &bound.before.references;
        if !is_counted(bound.path) || !references.iter().any(|it| of_narrower(it).is_some()) {
            return Ok(());
        }
        let text = bound.text;
        let Some(arities) = Arities::of(bound.language, text, &self.budget) else {
            return Ok(());
        };
        let uses = syntax::occurrences_of(bound.language, text, &[], &self.budget);
        for (start, line, reference, kind) in uses.ok_or_else(Error::cancelled)?.uses {
            let meaning = references.get(reference as usize);
            let Some(one) = meaning.and_then(of_narrower) else {
                continue;
            };
            let given = arities.arguments(start);
            let is_call = matches!(kind, UseKind::Call | UseKind::New);
            let refusal = given.filter(|_| is_call);
            let refusal = refusal.and_then(|it| one.refusal(&it));
            if let Some(reason) = refusal {
                let place = (bound.path, line, text, start);
                let use_ = (kind, Provenance::Resolved);
                found.extend(broken_call(changer, one, place, use_, reason));
            }
        }
        Ok(())
    }
}

fn targets_of(overlay: &Overlay) -> HashMap<FileId, Vec<ImportTarget>> {
    let of_files = overlay.files.iter();
    of_files
        .map(|(id, (_, targets))| (*id, targets.clone()))
        .collect()
}

/// Returns the uses on lines that `user` added, each with its change: lines that `changer` alone does not have.
fn retain_added(
    found: Vec<BrokenUse>,
    (changer, user, merging): (&Difference, &Difference, &Difference),
    added_lines: &dyn Fn(&str, &str) -> Vec<Range<u32>>,
) -> Vec<(ChangeKind, BrokenUse)> {
    let kept = kept_lines(user);
    let mut added = Vec::new();
    for mut one in found {
        let Some(change) = one.change.map(|at| merging.changes[at].kind) else {
            continue;
        };
        let Some((_, own)) = user.file(&one.path) else {
            continue;
        };
        let (before, now) = match (merging.file(&one.path), changer.file(&one.path)) {
            (Some((_, both)), Some((_, file))) => (&file.new, &both.new),
            _ => (&own.old, &own.new),
        };
        let places = added_lines(&before.text, &now.text);
        let is_added = |line: u32, text: &str| {
            places.iter().any(|lines| lines.contains(&line)) && !kept.contains(text.trim())
        };
        one.also.retain(|(line, text, _)| is_added(*line, text));
        if !is_added(one.line, &one.text) {
            if one.also.is_empty() {
                continue;
            }
            // The import was there, and the use is new.
            (one.line, one.text, one.kind) = one.also.remove(0);
        }
        added.push((change, one));
    }
    added
}

/// Returns the names that the imports of one side's file bind to definitions that are gone, where the merged file imports others in
/// their place: the uses that the side added stand beside the other side's import.
fn lost_names(
    states: &BeforeAfter<'_>,
    before_id: FileId,
    own: &FileFacts,
    merged: &FileSide,
) -> Result<Vec<(String, usize)>> {
    let meanings = states.before.lists_of(before_id)?.imports;
    let is_bound = |local: &str| {
        let mut imports = merged.facts.imports.iter().flat_map(|it| &it.names);
        imports.any(|name| name.local == local)
    };
    let mut lost = Vec::new();
    for (import, meanings) in own.imports.iter().zip(&meanings) {
        for (name, meaning) in import.names.iter().zip(meanings) {
            let gone = meaning.definition().and_then(|it| states.gone.get(&it));
            if let Some(change) = gone
                && !name.local.is_empty()
                && !is_bound(&name.local)
            {
                lost.push((name.local.clone(), *change));
            }
        }
    }
    Ok(lost)
}

/// Returns the lines of files that a side took away: in files that it added they are no new ones.
fn kept_lines(user: &Difference) -> HashSet<&str> {
    let removed = user.files.iter().filter(|file| !file.new.is_there);
    removed.flat_map(|file| lines_of(&file.old.text)).collect()
}

fn lines_of(text: &str) -> HashSet<&str> {
    text.lines().map(str::trim).collect()
}

/// Adds the definitions that both sides changed or added, each other than the other side.
fn same_symbols(ours: &Difference, theirs: &Difference, found: &mut Vec<Collision>) {
    type Key<'a> = (&'a RepoPath, &'a str);
    let by_key = |difference: &'_ Difference, is_old: bool| -> Vec<(RepoPath, String, usize)> {
        let mut all = Vec::new();
        for (at, change) in difference.changes.iter().enumerate() {
            let place = if is_old {
                difference.old(change)
            } else if change.old.is_none() {
                difference.new_of(change)
            } else {
                None
            };
            if let Some((file, symbol)) = place {
                all.push((file.path.clone(), symbol.qualified_name.clone(), at));
            }
        }
        all
    };
    for (is_old, kind) in [
        (true, CollisionKind::SameSymbol),
        (false, CollisionKind::BothAdded),
    ] {
        let (mine, others) = (by_key(ours, is_old), by_key(theirs, is_old));
        let others: BTreeMap<Key<'_>, usize> = others
            .iter()
            .map(|(path, name, at)| ((path, name.as_str()), *at))
            .collect();
        for (path, name, at) in &mine {
            let Some(other) = others.get(&(path, name.as_str())) else {
                continue;
            };
            let (change, other) = (&ours.changes[*at], &theirs.changes[*other]);
            if is_same(ours, change, theirs, other) {
                continue;
            }
            found.push(Collision {
                kind,
                path: path.clone(),
                symbol: name.clone(),
                ours: Some(change.kind),
                theirs: Some(other.kind),
                added: None,
            });
        }
    }
}

/// Whether both sides made the same of a definition.
fn is_same(
    ours: &Difference,
    change: &SymbolChange,
    theirs: &Difference,
    other: &SymbolChange,
) -> bool {
    let text = |difference: &Difference, change: &SymbolChange| -> Option<(RepoPath, String)> {
        let (file, symbol) = difference.new_of(change)?;
        let range = symbol.span.start_byte as usize..symbol.span.end_byte as usize;
        let text = file.new.text.get(range).unwrap_or_default();
        Some((file.path.clone(), text.to_owned()))
    };
    text(ours, change) == text(theirs, other)
}
