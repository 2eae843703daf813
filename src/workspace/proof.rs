//! Freshness without a look: the finding of an earlier look, as long as the kernel told of no change since it began.
//!
//! Any doubt leads to a look at every file. Does not watch; see `watching`.

use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Workspace;
use super::catch_up::BackgroundJob;
use super::watching::Watching;
use crate::git::{Repo, RepoState};
use crate::model::visited::{ChangedDirectories, Doubts, Visited};
use crate::model::{ContentId, FreshnessState, Proof};
use crate::reconcile::Outcome;
use crate::reconcile::plan::ChangedPart;
use crate::store::{Index, Pointer};
use crate::watch::{Mark, WatchCoverage};

/// How long an answer may rest on a look at all files.
pub(super) const MAX_AGE: Duration = Duration::from_mins(1);

/// When a look at all files is made in the background while questions come, so that none has to wait for it.
pub(super) const CHECK_AFTER: Duration = Duration::from_secs(30);

/// Files with several names (hard links) that are looked at in each call; with more, every file is.
const MAX_LINKED: usize = 256;

/// How long the event of a write can lag behind its bytes, which other processes may see before the call has returned.
const MAX_LAG: Duration = Duration::from_millis(100);

/// The proof by the watch of one work tree, and its record.
#[derive(Default)]
pub(super) struct ProofRecord {
    held: Option<Held>,
    /// Why the last look can't be held.
    reason: Option<String>,
    /// Looks at all files although the proof was held.
    n_checks: u64,
    /// Such looks that found a change of which nothing was told. After the first one the proof is off.
    n_untold: u64,
}

/// The finding of a look, with everything that it rests on.
#[derive(Clone)]
struct Held {
    pointer: Pointer,
    state: RepoState,
    surroundings: ContentId,
    mark: Mark,
    visited: Arc<Visited>,
    outcome: Outcome,
    since: Instant,
}

/// The beginning of a look, or of an answer without one.
pub(super) struct LookBegun {
    /// `None` where there is no watch.
    mark: Option<Mark>,
    n_walks: u64,
    surroundings: Option<ContentId>,
    /// Whether an earlier finding still held when it began.
    was_held: bool,
    /// The earlier finding, where all but a part of it still held.
    base: Option<Held>,
}

/// The use of an earlier finding in a call.
pub(super) enum EarlierFinding {
    /// Nothing changed since.
    Holds(Outcome),
    /// Nothing changed since but files of some directories.
    But(ChangedPart),
    /// There is none, or it says nothing any more.
    Gone,
}

impl Workspace {
    /// Begins a look, before anything of the repository is read; also returns the files whose equal stat proves nothing.
    pub(super) fn begin_look(&self) -> (LookBegun, Doubts) {
        let marked = match &*self.watching_now() {
            Watching::On(watch) => watch.mark(),
            _ => None,
        };
        let (mark, doubts) = marked.unzip();
        let begun = LookBegun {
            mark,
            n_walks: self.directories.as_ref().map_or(0, |known| known.n_walks()),
            surroundings: None,
            was_held: false,
            base: None,
        };
        (begun, doubts.unwrap_or_default())
    }

    /// Returns the finding of an earlier look of at most `max_age`, if nothing that it rests on changed since, or nothing but
    /// files of some directories. `before` is the state of git in this call.
    pub(super) fn earlier_finding(
        &self,
        begun: &mut LookBegun,
        repo: &Repo,
        index: &Index,
        before: &RepoState,
        max_age: Duration,
    ) -> EarlierFinding {
        let Some(mark) = begun.mark else {
            return EarlierFinding::Gone;
        };
        begun.surroundings = repo.surroundings();
        let Some(held) = self.proof().held.clone() else {
            return EarlierFinding::Gone;
        };
        let rests_on_the_same = held.pointer == *index.pointer()
            && held.state == *before
            && !before.locked
            && Some(held.surroundings) == begun.surroundings
            && repo.has_settled_stats(&held.visited.linked)
            && index
                .read()
                .is_ok_and(|read| read.meta().generation == held.outcome.generation);
        if !rests_on_the_same {
            return EarlierFinding::Gone;
        }
        begun.was_held = held.mark.is_same_moment(&mark);
        if held.since.elapsed() >= max_age {
            return EarlierFinding::Gone;
        }
        if begun.was_held {
            let mut outcome = held.outcome;
            outcome.freshness = outcome.freshness.by_watch();
            return EarlierFinding::Holds(outcome);
        }
        let changed = match &*self.watching_now() {
            Watching::On(watch) => watch.changed_between(&held.mark, &mark),
            _ => None,
        };
        let with_left_out = &held.visited.with_left_out;
        let is_counted = |changed: &ChangedDirectories| {
            changed
                .iter()
                .any(|directory| with_left_out.contains(directory))
        };
        let Some(directories) = changed.filter(|changed| !is_counted(changed)) else {
            return EarlierFinding::Gone;
        };
        let part = ChangedPart {
            directories,
            generation: held.outcome.generation,
            n_files: held.outcome.freshness.n_files,
            attributes: held.visited.attributes.clone(),
        };
        begun.base = Some(held);
        EarlierFinding::But(part)
    }

    /// Returns whether nothing was told since an answer without a look began.
    pub(super) fn is_undisturbed(&self, begun: &LookBegun) -> bool {
        match (&*self.watching_now(), &begun.mark) {
            (Watching::On(watch), Some(mark)) => watch.is_unchanged(mark),
            _ => false,
        }
    }

    /// Returns whether all that the last look listed was watched before it began, and nothing was told since.
    pub(super) fn is_watched_since(&self, begun: &LookBegun) -> bool {
        let (Some(visited), Some(mark)) = (self.visited_since(begun), &begun.mark) else {
            return false;
        };
        // What was written by another name was not told.
        let is_told = visited.linked.is_empty() && self.proof().n_untold == 0;
        match &*self.watching_now() {
            Watching::On(watch) if is_told => {
                watch.coverage(&visited, Some(mark)) == WatchCoverage::Whole
                    && watch.is_unchanged(mark)
            }
            _ => false,
        }
    }

    /// Returns the directories that the look listed, or those of the earlier one that it completes: no directory came or
    /// went since.
    fn visited_since(&self, begun: &LookBegun) -> Option<Arc<Visited>> {
        let of_all = self.directories.as_ref()?.visited_after(begun.n_walks);
        of_all.or_else(|| Some(Arc::clone(&begun.base.as_ref()?.visited)))
    }

    /// Looks at every file in the background when the last look was a while ago.
    pub(super) fn check_in_time(self: &Arc<Self>) {
        let is_due = |held: &Held| held.since.elapsed() > CHECK_AFTER;
        if self.proof().held.as_ref().is_some_and(is_due) {
            self.catch_up(BackgroundJob::Refresh);
        }
    }

    /// Keeps the finding of a look for the calls after it, if all that it rests on is watched. Where directories are not,
    /// they are added.
    pub(super) fn hold(
        self: &Arc<Self>,
        begun: &LookBegun,
        repo: &Repo,
        index: &Index,
        before: &RepoState,
        outcome: &Outcome,
    ) {
        if repo.source().is_commit() || outcome.freshness.state != FreshnessState::Fresh {
            return;
        }
        let Some(visited) = self.visited_since(begun) else {
            return;
        };
        let coverage = match &*self.watching_now() {
            Watching::On(watch) => {
                if let Some(mark) = &begun.mark {
                    watch.settle_doubts(mark);
                }
                watch.coverage(&visited, begun.mark.as_ref())
            }
            _ => return,
        };
        match (coverage, begun.mark) {
            (WatchCoverage::Whole, Some(mark)) => {
                let held = self.finding(mark, begun, repo, index, before, outcome, visited);
                self.record(begun, mark, outcome, held);
            }
            (WatchCoverage::Whole | WatchCoverage::Late, _) => {
                self.catch_up(BackgroundJob::Refresh);
            }
            (WatchCoverage::Missing, _) => self.extend_watch(index),
            (WatchCoverage::Useless(reason), _) => self.proof().reason = Some(reason.to_string()),
        }
    }

    /// Returns the finding, if nothing changed while it was made.
    #[expect(clippy::too_many_arguments, reason = "all that a finding rests on")]
    fn finding(
        &self,
        mark: Mark,
        begun: &LookBegun,
        repo: &Repo,
        index: &Index,
        before: &RepoState,
        outcome: &Outcome,
        visited: Arc<Visited>,
    ) -> Result<Held, &'static str> {
        if visited.linked.len() > MAX_LINKED {
            return Err("too many files have several names (hard links)");
        }
        let surroundings = repo.surroundings();
        let Some(surroundings) = surroundings.filter(|now| begun.surroundings == Some(*now)) else {
            return Err("git's settings or rules changed, or can't be read");
        };
        let is_same = !before.locked && repo.repo_state().is_ok_and(|now| now == *before);
        if !is_same || !repo.has_settled_stats(&visited.linked) || !self.is_undisturbed(begun) {
            return Err("files were changing at the last look");
        }
        if !outcome.has_history {
            return Err("the history is still being read");
        }
        // A look at a part makes the look at all of it no younger.
        let is_part = outcome.freshness.proof == Proof::Watch;
        let base = begun.base.as_ref().filter(|_| is_part);
        let since = base.map_or_else(Instant::now, |base| base.since);
        Ok(Held {
            pointer: index.pointer().clone(),
            state: before.clone(),
            surroundings,
            mark,
            visited,
            outcome: Outcome {
                n_indexed: 0,
                n_deleted: 0,
                ..outcome.clone()
            },
            since,
        })
    }

    /// Keeps a finding, and compares it with the one that was held when its look began.
    fn record(
        &self,
        begun: &LookBegun,
        mark: Mark,
        outcome: &Outcome,
        found: Result<Held, &'static str>,
    ) {
        let is_untold = begun.was_held && outcome.has_written() && found.is_ok() && {
            std::thread::sleep(MAX_LAG);
            self.is_unchanged_since(mark)
        };
        let mut proof = self.proof();
        proof.n_checks += u64::from(begun.was_held);
        if is_untold {
            tracing::warn!(
                "files changed and the kernel told nothing: the watch proves nothing from now on"
            );
            proof.n_untold += 1;
        }
        let is_off = proof.n_untold > 0;
        match found {
            Ok(held) if !is_off => {
                proof.held = Some(held);
                proof.reason = None;
            }
            Ok(_) => proof.held = None,
            Err(reason) => proof.reason = Some(reason.to_owned()),
        }
    }

    fn is_unchanged_since(&self, mark: Mark) -> bool {
        match &*self.watching_now() {
            Watching::On(watch) => watch.is_unchanged(&mark),
            _ => false,
        }
    }

    fn proof(&self) -> MutexGuard<'_, ProofRecord> {
        self.proof.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether answers rest on the watch, in words.
    pub(super) fn proving(&self) -> String {
        let proof = self.proof();
        let looks = "every call looks at each file";
        if proof.n_untold > 0 {
            return format!(
                "a hint alone, since a change was found of which nothing was told: {looks}"
            );
        }
        match (&proof.held, &proof.reason) {
            (_, Some(reason)) => format!("a hint for now: {reason}; {looks}"),
            (None, None) => format!("a hint until the next look at all files; {looks}"),
            (Some(held), None) => format!(
                "answers rest on it (all files were looked at {} s ago; {} checks found no change of which nothing was told)",
                held.since.elapsed().as_secs(),
                proof.n_checks
            ),
        }
    }
}
