//! Work after an answer, so that the next one finds it done.
//!
//! Only in a server, by one thread for each work tree, which makes room for questions.

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::proof::{self, EarlierProof};
use super::prune::HousekeepingTrigger;
use super::run_history::SteppedRun;
use super::{Workspace, key_of};
use crate::error::Result;
use crate::model::{Budget, CommitId, FreshnessState, RepoPath};
use crate::reconcile::{self, Outcome};
use crate::store::{Index, WriteLock};

/// How long a try may be: the lock is free in between.
const STEP: Duration = Duration::from_secs(2);

/// How long work in the background waits for questions to end.
const MAX_POLITENESS: Duration = Duration::from_secs(1);

/// Work that is left for the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BackgroundJob {
    /// Files that the budget of an answer did not suffice for.
    Resume,
    /// Perhaps nothing: files changed.
    Refresh,
    /// Only a checkpoint of written rows.
    Checkpoint,
}

impl Workspace {
    /// Does the work that an answer left, so that the next call finds it done. Only a server does this, one thread a
    /// work tree; the thread ends when nothing is left or nothing gets done. Unless an answer asked for it, no index
    /// is made while git is in the middle of a rebase, merge or bisect.
    pub(super) fn catch_up(self: &Arc<Self>, job: BackgroundJob) {
        if !self.is_server || self.is_catching_up.swap(true, Ordering::AcqRel) {
            return;
        }
        let workspace = Arc::clone(self);
        let spawned = std::thread::Builder::new()
            .name("catch-up".to_owned())
            .spawn(move || {
                let mut left = usize::MAX;
                let mut run = SteppedRun::default();
                let is_asked = job == BackgroundJob::Resume;
                workspace.let_questions_go_first();
                let next = |run: &mut SteppedRun| {
                    let done = workspace.catch_up_once(is_asked, run);
                    done.inspect_err(|error| run.failed(error))
                };
                while job != BackgroundJob::Checkpoint
                    && let Ok(Some(now)) = next(&mut run)
                {
                    workspace.let_questions_go_first();
                    if workspace.make_room.load(Ordering::Acquire) {
                        continue;
                    }
                    if now == 0 || now >= left {
                        break;
                    }
                    left = now;
                }
                drop(run);
                workspace.checkpoint_idle();
                workspace.is_catching_up.store(false, Ordering::Release);
                (workspace.on_rest)();
            });
        if let Err(error) = spawned {
            tracing::warn!(%error, "no thread to catch up with");
            self.is_catching_up.store(false, Ordering::Release);
        }
    }

    /// Waits until nobody asks, for a while: questions that follow one another without a pause don't keep
    /// the work behind them from being done. A process that waits for the lock gets it here.
    fn let_questions_go_first(&self) {
        let until = Instant::now() + MAX_POLITENESS;
        loop {
            std::thread::sleep(Duration::from_millis(10));
            if self.n_active_queries.load(Ordering::Acquire) == 0 || Instant::now() >= until {
                return;
            }
        }
    }

    /// Returns the files that answers showed although they may differ from their rows: an agent that asked about them
    /// asks again.
    pub(super) fn shown_stale(&self) -> MutexGuard<'_, HashSet<RepoPath>> {
        self.shown_stale
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Checkpoints the log and waits for the disk; no question waits for this.
    pub(super) fn checkpoint_idle(&self) {
        for pointer in self.idle_pointers() {
            let home = self.home.repo(&pointer.repo_id);
            let lock = WriteLock::take(&home.write_lock(&pointer.index_id), Duration::ZERO);
            let Ok(Some(_lock)) = lock
                .inspect_err(|error| tracing::info!(%error, "the index could not be checkpointed"))
            else {
                continue;
            };
            // What another build took the place of is closed when it is looked for.
            if home.pointer(&pointer.index_id).as_ref() == Some(&pointer)
                && let Some(mut index) = self.idle_build(&pointer)
            {
                let has_merged = self.merge_text(&mut index);
                if has_merged || !index.is_checkpointed() {
                    index.checkpoint(false);
                }
                self.keep(index);
            }
        }
    }

    /// Takes words of deleted chunks out of the text index where that is worth it, until somebody asks. Returns whether
    /// anything was written.
    fn merge_text(&self, index: &mut Index) -> bool {
        if !self.is_server || !index.has_dead_text().unwrap_or(false) {
            return false;
        }
        let mut n_steps = 0;
        let merged = index.merge_text(|| {
            let is_free = self.n_active_queries.load(Ordering::Acquire) == 0
                && !self.make_room.load(Ordering::Acquire);
            n_steps += usize::from(is_free);
            is_free
        });
        match merged {
            Ok(is_done) => tracing::info!(n_steps, is_done, "merged the text index"),
            Err(error) => tracing::info!(%error, "the text index could not be merged"),
        }
        n_steps > 0
    }

    /// Returns the commits whose indexes answers left incomplete.
    pub(super) fn unfinished(&self) -> MutexGuard<'_, BTreeSet<CommitId>> {
        self.unfinished
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes on with the commits whose indexes are not complete, one after the other. Returns the amount of work that is left; it falls with each call.
    fn finish_commits(self: &Arc<Self>, run: &mut SteppedRun) -> usize {
        /// More than a commit has files.
        const OF_A_COMMIT: usize = 1 << 24;
        let Some(commit) = self.unfinished().pop_first() else {
            return 0;
        };
        let budget = Budget::within(STEP, Arc::clone(&self.make_room));
        let mut step = || -> Result<Option<usize>> {
            let repo = self.repo_at_commit(&commit)?;
            let key = key_of(&repo, repo.snapshot()?);
            let (mut index, _) = self.index_for(&repo, &key)?;
            let path = self.home.repo(&key.repo_id).write_lock(&key.index_id());
            let Some(_lock) = WriteLock::take(&path, Duration::ZERO)? else {
                return Ok(None);
            };
            let before = index.read()?.meta().generation;
            let recorder = run.step(self, &key, Some(commit.as_str()));
            let on_progress: reconcile::OnProgress<'_> =
                &|done, total| recorder.progressed(done, total);
            let outcome = reconcile::reconcile(&repo, &mut index, &budget, on_progress)?;
            run.stepped(&outcome);
            self.keep(index);
            let is_done = outcome.freshness.state == FreshnessState::Fresh && outcome.has_history;
            let has_gone_on = outcome.generation != before || budget.is_spent();
            Ok((!is_done && has_gone_on).then(|| n_left(&outcome)))
        };
        let mut left = 0;
        match step() {
            Ok(Some(n)) => {
                left = n;
                self.unfinished().insert(commit);
            }
            Ok(None) => {}
            Err(error) => {
                tracing::info!(%error, "the index of a commit could not be gone on with");
                run.failed(&error);
            }
        }
        self.unfinished().len() * OF_A_COMMIT + left.min(OF_A_COMMIT - 1)
    }

    /// Returns how many files are still to be done; `None` where nothing could be done now.
    fn catch_up_once(
        self: &Arc<Self>,
        is_asked: bool,
        run: &mut SteppedRun,
    ) -> Result<Option<usize>> {
        self.make_room.store(false, Ordering::Release);
        let left = self.finish_commits(run);
        let (mut begun, doubts) = self.begin_scan();
        let repo = self.repo()?.doubting(doubts);
        if left > 0 || repo.is_bare() {
            return Ok(Some(left));
        }
        let budget = Budget::within(STEP, Arc::clone(&self.make_room));
        let before = repo.repo_state()?;
        if before.locked {
            return Ok(None);
        }
        let key = key_of(&repo, before.snapshot.clone());
        if !is_asked && repo.in_progress() && self.has_to_be_made(&key) {
            return Ok(None);
        }
        let (mut index, is_new) = self.index_for(&repo, &key)?;
        let earlier = self.earlier_proof(&mut begun, &repo, &index, &before, proof::CHECK_AFTER);
        let part = match earlier {
            EarlierProof::Valid(_) => {
                self.keep(index);
                return Ok(Some(0));
            }
            EarlierProof::ValidExcept(part) => Some(part),
            EarlierProof::Invalid => None,
        };
        let path = self.home.repo(&key.repo_id).write_lock(&key.index_id());
        let Some(_lock) = WriteLock::take(&path, Duration::ZERO)? else {
            return Ok(None);
        };
        let mut detection = reconcile::detect_within(&repo, &index, part.as_ref(), &budget)?;
        let wanted = std::mem::take(&mut *self.shown_stale());
        detection.plan.put_first(&wanted);
        let recorder = run.step(self, &key, None);
        let on_progress: reconcile::OnProgress<'_> =
            &|done, total| recorder.progressed(done, total);
        let is_proved_unchanged = || self.is_proved_unchanged_since(&begun);
        let outcome = reconcile::repair_watched(
            &repo,
            &mut index,
            detection,
            &budget,
            on_progress,
            &is_proved_unchanged,
        )?;
        run.stepped(&outcome);
        self.store_proof(&begun, &repo, &index, &before, &outcome);
        self.keep(index);
        self.start_housekeeping(HousekeepingTrigger::Question { is_new });
        Ok(Some(n_left(&outcome)))
    }
}

/// Returns the amount of work that is left; it falls with each call.
fn n_left(outcome: &Outcome) -> usize {
    let left = &outcome.freshness;
    match left.state {
        FreshnessState::Fresh => usize::from(!outcome.has_history),
        FreshnessState::Partial => 2 * left.pending.len() + usize::from(left.n_queued > 0),
        // What could not be looked at is more than anything that was.
        FreshnessState::Unknown(_) => usize::MAX - 1,
    }
}
