//! Freshness without a scan: the proof of an earlier scan, as long as the kernel reported no change since it began.
//!
//! Any doubt leads to a scan of all files. Does not watch; see `watching`.

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
use crate::watch::{WatchCoverage, WatchMoment};

/// How long an answer may rest on one scan of all files.
pub(super) const MAX_AGE: Duration = Duration::from_mins(1);

/// Age of a scan after which the next one is made in the background while questions come, so that none has to wait for it.
pub(super) const CHECK_AFTER: Duration = Duration::from_secs(30);

/// Files with several names (hard links) that are checked in each call; with more, every file is.
const MAX_LINKED: usize = 256;

/// How long the event of a write can lag behind its bytes, which other processes may see before the call has returned.
const MAX_LAG: Duration = Duration::from_millis(100);

/// The proof by the watch of one work tree, and its record.
#[derive(Default)]
pub(super) struct ProofRecord {
    stored: Option<StoredProof>,
    /// Why the proof of the last scan can't be stored.
    reason: Option<String>,
    /// Scans of all files although a proof was stored.
    n_checks: u64,
    /// Such scans that found a change which the kernel had not reported. After the first one nothing is stored.
    n_untold: u64,
}

/// The outcome of a scan, with everything that it rests on.
#[derive(Clone)]
struct StoredProof {
    pointer: Pointer,
    state: RepoState,
    rules_digest: ContentId,
    moment: WatchMoment,
    visited: Arc<Visited>,
    outcome: Outcome,
    since: Instant,
}

/// The start of a scan, or of an answer without one.
pub(super) struct ScanStart {
    /// `None` where there is no watch.
    moment: Option<WatchMoment>,
    n_walks: u64,
    rules_digest: Option<ContentId>,
    /// Whether a stored proof was valid when it began.
    was_stored: bool,
    /// The stored proof, where it was valid for all but some directories.
    base: Option<StoredProof>,
}

/// The use of a stored proof in a call.
pub(super) enum EarlierProof {
    /// Nothing changed since.
    Valid(Outcome),
    /// Nothing changed since except files of some directories.
    ValidExcept(ChangedPart),
    /// There is none, or it proves nothing any more.
    Invalid,
}

impl Workspace {
    /// Begins a scan, before anything of the repository is read; also returns the files whose equal stat proves nothing.
    pub(super) fn begin_scan(&self) -> (ScanStart, Doubts) {
        let known = match &*self.watching_now() {
            Watching::On(watch) => watch.moment(),
            _ => None,
        };
        let (moment, doubts) = known.unzip();
        let begun = ScanStart {
            moment,
            n_walks: self.directories.n_walks(),
            rules_digest: None,
            was_stored: false,
            base: None,
        };
        (begun, doubts.unwrap_or_default())
    }

    /// Returns the proof of an earlier scan of at most `max_age`, if nothing that it rests on changed since, or nothing but
    /// files of some directories. `before` is the state of git in this call.
    pub(super) fn earlier_proof(
        &self,
        begun: &mut ScanStart,
        repo: &Repo,
        index: &Index,
        before: &RepoState,
        max_age: Duration,
    ) -> EarlierProof {
        let Some(moment) = begun.moment else {
            return EarlierProof::Invalid;
        };
        begun.rules_digest = repo.rules_digest();
        let Some(stored) = self.proof().stored.clone() else {
            return EarlierProof::Invalid;
        };
        let rests_on_the_same = stored.pointer == *index.pointer()
            && stored.state == *before
            && !before.locked
            && Some(stored.rules_digest) == begun.rules_digest
            && repo.has_trustworthy_stats(&stored.visited.linked)
            && index
                .read()
                .is_ok_and(|read| read.meta().generation == stored.outcome.generation);
        if !rests_on_the_same {
            return EarlierProof::Invalid;
        }
        begun.was_stored = stored.moment.is_same_moment(&moment);
        if stored.since.elapsed() >= max_age {
            return EarlierProof::Invalid;
        }
        if begun.was_stored {
            let mut outcome = stored.outcome;
            outcome.freshness = outcome.freshness.by_watch();
            return EarlierProof::Valid(outcome);
        }
        let changed = match &*self.watching_now() {
            Watching::On(watch) => watch.changed_between(&stored.moment, &moment),
            _ => None,
        };
        let with_left_out = &stored.visited.with_left_out;
        let is_counted = |changed: &ChangedDirectories| {
            changed
                .iter()
                .any(|directory| with_left_out.contains(directory))
        };
        let Some(directories) = changed.filter(|changed| !is_counted(changed)) else {
            return EarlierProof::Invalid;
        };
        let part = ChangedPart {
            directories,
            generation: stored.outcome.generation,
            n_files: stored.outcome.freshness.n_files,
            attributes: stored.visited.attributes.clone(),
        };
        begun.base = Some(stored);
        EarlierProof::ValidExcept(part)
    }

    /// Returns whether no change was reported since an answer without a scan began.
    pub(super) fn is_without_report_since(&self, begun: &ScanStart) -> bool {
        begun
            .moment
            .is_some_and(|moment| self.is_unchanged_since(moment))
    }

    /// Returns whether all that the last scan listed was watched before it began, and no change was reported since.
    pub(super) fn is_proved_unchanged_since(&self, begun: &ScanStart) -> bool {
        let (Some(visited), Some(moment)) = (self.visited_since(begun), &begun.moment) else {
            return false;
        };
        // A write by another name of a file is not reported.
        let is_told = visited.linked.is_empty() && self.proof().n_untold == 0;
        match &*self.watching_now() {
            Watching::On(watch) if is_told => {
                watch.coverage(&visited, Some(moment)) == WatchCoverage::Whole
                    && watch.is_unchanged(moment)
            }
            _ => false,
        }
    }

    /// Returns the directories that the scan listed, or those of the earlier one that it completes: no directory came or
    /// went since.
    fn visited_since(&self, begun: &ScanStart) -> Option<Arc<Visited>> {
        let of_all = self.directories.visited_after(begun.n_walks);
        of_all.or_else(|| Some(Arc::clone(&begun.base.as_ref()?.visited)))
    }

    /// Scans all files in the background when the last scan was a while ago.
    pub(super) fn check_in_time(self: &Arc<Self>) {
        let is_due = |stored: &StoredProof| stored.since.elapsed() > CHECK_AFTER;
        if self.proof().stored.as_ref().is_some_and(is_due) {
            self.catch_up(BackgroundJob::Refresh);
        }
    }

    /// Stores the proof of a scan for the calls after it, if all that it rests on is watched. Where directories are not,
    /// they are added.
    pub(super) fn store_proof(
        self: &Arc<Self>,
        begun: &ScanStart,
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
                if let Some(moment) = &begun.moment {
                    watch.clear_doubts(moment);
                }
                watch.coverage(&visited, begun.moment.as_ref())
            }
            _ => return,
        };
        match (coverage, begun.moment) {
            (WatchCoverage::Whole, Some(moment)) => {
                let stored = self.new_proof(moment, begun, repo, index, before, outcome, visited);
                self.record_proof(begun, moment, outcome, stored);
            }
            (WatchCoverage::Whole | WatchCoverage::Late, _) => {
                self.catch_up(BackgroundJob::Refresh);
            }
            (WatchCoverage::Missing, _) => self.extend_watch(index),
            (WatchCoverage::Useless(reason), _) => self.proof().reason = Some(reason.to_string()),
        }
    }

    /// Returns the proof, if nothing changed while it was made.
    #[expect(clippy::too_many_arguments, reason = "all that a proof rests on")]
    fn new_proof(
        &self,
        moment: WatchMoment,
        begun: &ScanStart,
        repo: &Repo,
        index: &Index,
        before: &RepoState,
        outcome: &Outcome,
        visited: Arc<Visited>,
    ) -> Result<StoredProof, &'static str> {
        if visited.linked.len() > MAX_LINKED {
            return Err("too many files have several names (hard links)");
        }
        let rules_digest = repo.rules_digest();
        let Some(rules_digest) = rules_digest.filter(|now| begun.rules_digest == Some(*now)) else {
            return Err("git's settings or rules changed, or can't be read");
        };
        let is_same = !before.locked && repo.repo_state().is_ok_and(|now| now == *before);
        if !is_same
            || !repo.has_trustworthy_stats(&visited.linked)
            || !self.is_without_report_since(begun)
        {
            return Err("files were changing at the last look");
        }
        if !outcome.has_history {
            return Err("the history is still being read");
        }
        // A scan of a part makes that of the whole no younger.
        let is_part = outcome.freshness.proof == Proof::Watch;
        let base = begun.base.as_ref().filter(|_| is_part);
        let since = base.map_or_else(Instant::now, |base| base.since);
        Ok(StoredProof {
            pointer: index.pointer().clone(),
            state: before.clone(),
            rules_digest,
            moment,
            visited,
            outcome: Outcome {
                n_indexed: 0,
                n_deleted: 0,
                ..outcome.clone()
            },
            since,
        })
    }

    /// Stores a proof, and compares it with the one that was stored when its scan began.
    fn record_proof(
        &self,
        begun: &ScanStart,
        moment: WatchMoment,
        outcome: &Outcome,
        found: Result<StoredProof, &'static str>,
    ) {
        let is_untold = begun.was_stored && outcome.has_written() && found.is_ok() && {
            std::thread::sleep(MAX_LAG);
            self.is_unchanged_since(moment)
        };
        let mut proof = self.proof();
        proof.n_checks += u64::from(begun.was_stored);
        if is_untold {
            tracing::warn!(
                "files changed and the kernel told nothing: the watch proves nothing from now on"
            );
            proof.n_untold += 1;
        }
        let is_off = proof.n_untold > 0;
        match found {
            Ok(stored) if !is_off => {
                proof.stored = Some(stored);
                proof.reason = None;
            }
            Ok(_) => proof.stored = None,
            Err(reason) => proof.reason = Some(reason.to_owned()),
        }
    }

    fn is_unchanged_since(&self, moment: WatchMoment) -> bool {
        match &*self.watching_now() {
            Watching::On(watch) => watch.is_unchanged(&moment),
            _ => false,
        }
    }

    fn proof(&self) -> MutexGuard<'_, ProofRecord> {
        self.proof.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether answers rest on the watch, in words.
    pub(super) fn describe_proof(&self) -> String {
        let proof = self.proof();
        let looks = "every call looks at each file";
        if proof.n_untold > 0 {
            return format!(
                "a hint alone, since a change was found of which nothing was told: {looks}"
            );
        }
        match (&proof.stored, &proof.reason) {
            (_, Some(reason)) => format!("a hint for now: {reason}; {looks}"),
            (None, None) => format!("a hint until the next look at all files; {looks}"),
            (Some(stored), None) => format!(
                "answers rest on it (all files were looked at {} s ago; {} checks found no change of which nothing was told)",
                stored.since.elapsed().as_secs(),
                proof.n_checks
            ),
        }
    }
}
