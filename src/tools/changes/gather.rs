//! The difference of two states, with the uses that it breaks, for an index of the later one.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::ChangesQuestion;
use super::reached_tests::ReachedTests;
use crate::error::Result;
use crate::model::{ContentId, RepoPath, SkipReason};
use crate::tools::places::uses;
use crate::uses::{
    BrokenUses, ChangeKind, Difference, FilePair, IndexedStates, UncheckedUses, Uses,
};
use crate::workspace::{Comparison, DifferingFile, View, normal_form};

/// Names that are looked for in files whose uses of code are not known.
const MAX_NAMES: usize = 100;

/// A difference, with its broken uses, tests and collisions.
pub(super) struct Gathered {
    pub(super) difference: Arc<Difference>,
    pub(super) broken: BrokenUses,
    /// Files that the index does not have as they are.
    pub(super) pending: Vec<RepoPath>,
    /// Changed files whose definitions are not compared.
    pub(super) n_not_analysed: u64,
    /// Those of them that may have lost definitions.
    pub(super) n_possible_losses: u64,
    /// Files with changed definitions whose uses are not known: of languages that are outlined.
    pub(super) n_outlined: u64,
    /// Definitions that are gone whose names files hold whose uses of code are not known, and the first of these files.
    pub(super) in_unfollowed: (u64, Option<RepoPath>),
    /// Files whose syntax errors may hide definitions, by path.
    pub(super) with_errors: Vec<RepoPath>,
    /// Definitions in them that are not found and may be there.
    pub(super) n_hidden: u64,
    /// How many of the changes that are asked for are not compared with their uses.
    pub(super) unchecked: UncheckedUses,
    /// The tests that the changes reach, once they were looked for.
    pub(super) tests: OnceLock<ReachedTests>,
}

impl Gathered {
    /// Returns whether every use of what changed was bound and compared with it, but for those of `unchecked`.
    pub(super) fn is_complete(
        &self,
        asked: &ChangesQuestion<'_>,
        unchecked: UncheckedUses,
    ) -> bool {
        self.pending.is_empty()
            && self.broken.n_unresolved == 0
            && unchecked.is_none()
            && !self.has_unknown_loss(asked)
            && self.with_errors.is_empty()
            && self.in_unfollowed.0 == 0
    }

    /// Whether a definition that other code may use is gone or may be, without its uses being known: of a language that is outlined, or in
    /// a file that is not compared.
    pub(super) fn has_unknown_loss(&self, asked: &ChangesQuestion<'_>) -> bool {
        let mut changes = self.difference.changes.iter();
        let is_wanted = |change| {
            let old = self.difference.old(change);
            old.is_some_and(|(file, _)| asked.is_wanted(file.path.as_str()))
        };
        self.n_possible_losses > 0
            || changes.any(|it| {
                self.difference.is_outlined(it)
                    && it.kind != ChangeKind::Added
                    && it.kind != ChangeKind::Exported
                    && it.kind != ChangeKind::Body
                    && is_wanted(it)
            })
    }
}

impl Gathered {
    /// Compares the definitions of the files that differ, and finds the uses that broke; what is counted is of the files asked for.
    pub(super) fn of(view: &View<'_>, asked: &ChangesQuestion<'_>) -> Result<Self> {
        let comparison = asked.comparison;
        let is_wanted = |path: &RepoPath| asked.is_wanted(path.as_str());
        let ComparableFiles {
            files,
            pending,
            n_not_analysed,
            n_possible_losses,
        } = texts(view, comparison, &is_wanted)?;
        let uses = uses(view);
        let indexed = IndexedStates {
            old: asked.base.map(|base| &base.read),
            new: Some(view.read),
            content: &|path, is_old| content(&comparison.files, path, is_old),
        };
        let difference = Difference::kept(files, Some(&indexed), &uses.budget)?;
        let proved = asked.base.filter(|base| base.is_proved);
        let mut broken = uses.broken(&difference, proved.map(|base| &base.read), &is_wanted)?;
        if view.freshness.as_str() == "partial" {
            broken.doubt_all();
        }
        let mut outlined: Vec<&RepoPath> = Vec::new();
        for change in difference
            .changes
            .iter()
            .filter(|it| difference.is_outlined(it))
        {
            let side = difference.old(change).or_else(|| difference.new_of(change));
            outlined.extend(side.map(|(file, _)| &file.path).filter(|it| is_wanted(it)));
        }
        outlined.dedup();
        let n_outlined = outlined.len() as u64;
        let in_unfollowed = in_unfollowed(&uses, &difference, &is_wanted)?;
        let with_errors = difference.with_errors().filter(|it| is_wanted(it));
        Ok(Self {
            with_errors: with_errors.cloned().collect(),
            n_hidden: difference.n_hidden(is_wanted),
            difference: Arc::clone(&difference),
            broken,
            pending,
            n_not_analysed,
            n_possible_losses,
            n_outlined,
            in_unfollowed,
            unchecked: uses.unchecked_uses(&difference, &is_wanted)?,
            tests: OnceLock::new(),
        })
    }
}

/// Returns how many definitions are gone whose names files hold whose uses of code are not known, and the first of these files. A name that
/// another definition has counts in code alone that holds the name of its class, too.
fn in_unfollowed(
    uses: &Uses<'_>,
    difference: &Difference,
    is_wanted: &dyn Fn(&RepoPath) -> bool,
) -> Result<(u64, Option<RepoPath>)> {
    let mut n_names = 0;
    let mut first: Option<RepoPath> = None;
    let mut seen: BTreeSet<(Option<&str>, &str)> = BTreeSet::new();
    for change in difference.gone() {
        let Some((file, symbol)) = difference.old(change) else {
            continue;
        };
        let mut parts = symbol.qualified_name.rsplit('.');
        let (name, owner) = (parts.next().unwrap_or(&symbol.name), parts.next());
        if !is_wanted(&file.path) || seen.len() >= MAX_NAMES || !seen.insert((owner, name)) {
            continue;
        }
        let is_unique = uses.read.symbols_named(&normal_form(name))?.is_empty();
        let of_name = if is_unique {
            uses.unfollowed_naming(name, &file.path)?.first
        } else {
            let in_code = owner.map(|_| uses.unfollowed_code_naming(name, owner, &file.path));
            let in_code = in_code.transpose()?.and_then(|it| it.first);
            let unread = uses.unread_naming(name, &file.path)?;
            in_code.into_iter().chain(unread).min()
        };
        n_names += u64::from(of_name.is_some());
        first = first.into_iter().chain(of_name).min();
    }
    Ok((n_names, first))
}

/// Returns the bytes of a differing file in the old or the new state.
pub(super) fn content(files: &[DifferingFile], path: &RepoPath, is_old: bool) -> Option<ContentId> {
    let at = files.binary_search_by(|file| file.path.cmp(path)).ok()?;
    let version = if is_old {
        &files[at].old
    } else {
        &files[at].new
    };
    version.as_ref()?.content
}

/// The files of a comparison, by what can be done with them.
#[derive(Default)]
pub(super) struct ComparableFiles {
    /// Those whose definitions can be compared, by path.
    pub(super) files: Vec<(RepoPath, FilePair)>,
    /// Those that the index does not have as they are.
    pending: Vec<RepoPath>,
    n_not_analysed: u64,
    n_possible_losses: u64,
}

/// Sorts the files of a comparison; those without texts to compare are counted where they are wanted.
pub(super) fn texts(
    view: &View<'_>,
    comparison: &Comparison,
    is_wanted: &dyn Fn(&RepoPath) -> bool,
) -> Result<ComparableFiles> {
    let mut sorted = ComparableFiles::default();
    for file in &comparison.files {
        let row = view.read.file(file.path.as_str())?;
        let is_reduced = row.as_ref().and_then(|row| row.skip);
        let is_reduced = is_reduced.is_some_and(|skip| skip != SkipReason::Masked);
        let is_as_indexed = match (&file.new, &row) {
            (Some(new), Some(row)) => is_reduced || new.content == Some(row.content),
            // One that no rule lets in has no row.
            (Some(_), None) => view.freshness.as_str() == "fresh",
            (None, Some(_)) => false,
            (None, None) => true,
        };
        if !is_as_indexed {
            sorted.pending.push(file.path.clone());
            continue;
        }
        let is_left_out = is_reduced || file.new.is_some() && row.is_none();
        if let Some(texts) = texts_of(file).filter(|_| !is_left_out) {
            sorted.files.push((file.path.clone(), texts));
        } else if is_wanted(&file.path) {
            sorted.n_not_analysed += 1;
            sorted.n_possible_losses += u64::from(had_definitions(file));
        }
    }
    Ok(sorted)
}

/// Whether a file may have had definitions that others use: it was code, and not minified.
fn had_definitions(file: &DifferingFile) -> bool {
    file.old.as_ref().is_some_and(|old| {
        let old = FilePair {
            old: old.text.clone(),
            new: None,
        };
        old.has_definitions(&file.path)
    })
}

/// Returns both texts of a file whose definitions are known; `None` for any other.
pub(super) fn texts_of(file: &DifferingFile) -> Option<FilePair> {
    let text = |version: &Option<crate::workspace::FileVersion>| match version {
        None => Some(None),
        Some(version) => version.text.clone().map(Some),
    };
    let texts = FilePair {
        old: text(&file.old)?,
        new: text(&file.new)?,
    };
    texts.has_definitions(&file.path).then_some(texts)
}
