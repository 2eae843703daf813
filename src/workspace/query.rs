//! The road to an answer: find out what differs, bring the index up within the budget, answer from one
//! generation, and make sure that neither `HEAD` nor the staging area moved meanwhile.
//!
//! `fresh` is the outcome of a proof that this call made; nothing here assumes it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::asking::Asking;
use super::upkeep::Occasion;
use super::view::LookedAt;
use super::{View, Workspace, key_of};
use crate::error::{Error, Result};
use crate::git::{Motion, Repo};
use crate::model::{Budget, Freshness, FreshnessState, RepoPath, UnknownReason};
use crate::reconcile::{self, Outcome, ReconcileError, seed};
use crate::store::{Index, IndexKey, StoreError, WriteLock};

/// How long a try may be when work is done after an answer: the lock is free in between.
const CATCH_UP_STEP: Duration = Duration::from_secs(2);

/// How long bringing an index up may take before the work tree is looked at once more, where nobody watches it.
/// Whatever it takes, each row was compared with its file within the call.
const MAX_UNWATCHED: Duration = Duration::from_secs(1);

/// How long work in the background waits for questions to end.
const MAX_POLITENESS: Duration = Duration::from_secs(1);

impl Workspace {
    /// Answers from an index that was brought as far as the budget allows.
    ///
    /// The answer is made again if git moved while it was made; if it moved once more, the answer is
    /// said to be `unknown`, never more.
    pub fn query<T>(
        self: &Arc<Self>,
        interrupt: &Arc<AtomicBool>,
        answer: impl Fn(&View<'_>) -> Result<T>,
    ) -> Result<T> {
        let _asking = Asking::begin(self);
        let budget = Budget::within(self.budget, Arc::clone(interrupt));
        for is_last in [false, true] {
            let repo = self.repo()?;
            let (before, key, is_missing) = self.when_git_is_done(&repo, &budget)?;
            // What is declared last is closed first: the stand-in's files go after their index.
            let (_stand_in, (mut index, is_new)) = if is_missing {
                let (index, stand_in) = seed::stand_in(&repo, &self.home, &key)?;
                (Some(stand_in), (index, false))
            } else {
                (None, self.index_for(&repo, &key)?)
            };
            let mut is_sound = !is_missing;
            let outcome = match self.bring_up(&repo, &mut index, &key, &before, &budget) {
                Ok(outcome) => outcome,
                Err(ReconcileError::Store(error)) if error.is_corrupt() && !is_last => {
                    self.replace_damaged(&repo, &key, index, &error)?;
                    continue;
                }
                // What SQLite learned when its files could not be opened to write stays with connections that were
                // open then: without them the next try finds out anew.
                Err(ReconcileError::Store(error))
                    if self.is_server && !is_last && !error.is_busy() =>
                {
                    tracing::info!(%error, "closing the index, to open it anew");
                    drop(index);
                    self.close_idle(&key.index_id());
                    continue;
                }
                Err(error) => {
                    is_sound &= matches!(error, ReconcileError::Git(_));
                    unproved(&index, &error)?
                }
            };
            if budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            let made = || -> Result<Option<T>> {
                let read = index.read()?;
                let is_same = read.meta().generation == outcome.generation;
                let mut freshness = outcome.freshness.clone();
                if !is_same {
                    if !is_last {
                        return Ok(None);
                    }
                    freshness = Freshness::unknown(UnknownReason::Busy, freshness.pending);
                }
                let ask = |freshness: &Freshness| {
                    let view = View {
                        read: &read,
                        freshness,
                        index_id: &index.pointer().index_id,
                        budget: &budget,
                        repo: &repo,
                        looked_at: LookedAt::default(),
                    };
                    let made = answer(&view);
                    self.shown_stale().extend(view.looked_at.stale_paths());
                    made
                };
                let made = ask(&freshness)?;
                let has_moved = before.locked || repo.motion()? != before;
                Ok(if has_moved && !is_last {
                    None
                } else if has_moved {
                    Some(ask(&Freshness::unknown(
                        UnknownReason::Moved,
                        freshness.pending,
                    ))?)
                } else {
                    let is_done = freshness.as_str() == "fresh" && outcome.has_history;
                    if !is_done {
                        self.catch_up(Left::Work);
                    } else if !index.is_settled() {
                        if self.is_server {
                            self.catch_up(Left::ToSettle);
                        } else if !outcome.has_written() {
                            // A call that had work to do itself leaves it to the next one.
                            self.owes_settling.store(true, Ordering::Release);
                        }
                    }
                    Some(made)
                })
            };
            let made = match made() {
                Err(error) if !is_last && is_damage(&error) => {
                    self.replace_damaged(&repo, &key, index, &error)?;
                    continue;
                }
                made => made?,
            };
            if is_sound {
                if made.is_some() {
                    self.watch(&repo, &index);
                }
                self.keep(index);
            }
            if let Some(made) = made {
                self.keep_house(Occasion::Question { is_new });
                return Ok(made);
            }
        }
        unreachable!("the last try always returns")
    }

    /// Returns the index of what is checked out, made from the nearest one if there is none, and
    /// whether it was made.
    pub(super) fn index_for(&self, repo: &Repo, key: &IndexKey) -> Result<(Index, bool)> {
        if let Some(index) = self.idle_index(key) {
            return Ok((index, false));
        }
        let (index, origin) = seed::open_or_create(repo, &self.home, key)?;
        if origin != seed::Origin::Existing {
            tracing::info!(index_id = index.pointer().index_id, ?origin, "new index");
        }
        Ok((index, origin != seed::Origin::Existing))
    }

    /// Returns what is checked out. Where there is no index of it and git holds its lock, waits until the
    /// lock is gone, for half of what the call may take; the last value tells whether that was not enough.
    fn when_git_is_done(&self, repo: &Repo, budget: &Budget) -> Result<(Motion, IndexKey, bool)> {
        let rest = self.budget / 2;
        loop {
            let now = repo.motion()?;
            let key = key_of(repo, now.snapshot.clone());
            let home = self.home.repo(&key.repo_id);
            let is_missing = now.locked && home.pointer(&key.index_id()).is_none();
            let may_wait =
                budget.remaining().is_some_and(|left| left > rest) && !budget.is_cancelled();
            if !is_missing || !may_wait {
                return Ok((now, key, is_missing));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn bring_up(
        &self,
        repo: &Repo,
        index: &mut Index,
        key: &IndexKey,
        before: &Motion,
        budget: &Budget,
    ) -> std::result::Result<Outcome, ReconcileError> {
        let begun = Instant::now();
        let seen = self.n_changes();
        let detection = reconcile::detect(repo, index, budget)?;
        // Where git is about to change what is there, nothing is written until it is done.
        if detection.is_current() || before.locked {
            return Ok(reconcile::inspect(
                repo,
                detection,
                budget,
                UnknownReason::Moved,
            ));
        }
        let path = self.home.repo(&key.repo_id).write_lock(&key.index_id());
        let patience = budget.remaining().unwrap_or_default() / 4;
        let lock = (!index.is_still()).then(|| WriteLock::take(&path, patience));
        match lock.transpose() {
            Ok(Some(Some(_lock))) => {
                let may_have_changed = || match seen {
                    Some(_) => self.n_changes() != seen,
                    None => begun.elapsed() > MAX_UNWATCHED,
                };
                reconcile::repair(
                    repo,
                    index,
                    detection,
                    budget,
                    &|_, _| (),
                    &may_have_changed,
                )
            }
            Ok(Some(None)) => {
                // Whoever holds the lock has gone on meanwhile.
                let now = reconcile::detect(repo, index, budget)?;
                Ok(reconcile::inspect(repo, now, budget, UnknownReason::Busy))
            }
            cannot => {
                tracing::warn!(error = ?cannot.err(), "the index can't be written");
                let reason = UnknownReason::Io;
                Ok(reconcile::inspect(repo, detection, budget, reason))
            }
        }
    }

    /// Puts a new, empty build in the place of a damaged one, unless another process did so already.
    pub(super) fn replace_damaged(
        &self,
        repo: &Repo,
        key: &IndexKey,
        damaged: Index,
        error: &(dyn std::error::Error + 'static),
    ) -> Result<()> {
        let pointer = damaged.pointer().clone();
        // Closed first: what is open can't be deleted.
        drop(damaged);
        let home = self.home.repo(&pointer.repo_id);
        self.close_idle(&pointer.index_id);
        if home.pointer(&pointer.index_id) != Some(pointer) {
            return Ok(());
        }
        tracing::warn!(%error, "the index is damaged: set aside, building a new one");
        let index = seed::create_empty(repo, &self.home, key)?;
        seed::publish(&self.home, &index)?;
        Ok(())
    }

    /// Works off what an answer left undone, so that the next call finds it done. Only a server does
    /// this, one thread a work tree; the thread ends when nothing is left or nothing gets done. Unless an answer
    /// asked for it, no index is made while git is in the middle of a rebase, merge or bisect.
    pub(super) fn catch_up(self: &Arc<Self>, what: Left) {
        if !self.is_server || self.is_catching_up.swap(true, Ordering::AcqRel) {
            return;
        }
        let workspace = Arc::clone(self);
        let spawned = std::thread::Builder::new()
            .name("catch-up".to_owned())
            .spawn(move || {
                let mut left = usize::MAX;
                workspace.let_questions_go_first();
                while what != Left::ToSettle
                    && let Ok(Some(now)) = workspace.catch_up_once(what == Left::Work)
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
                workspace.settle();
                workspace.is_catching_up.store(false, Ordering::Release);
            });
        if let Err(error) = spawned {
            tracing::warn!(%error, "no thread to catch up with");
            self.is_catching_up.store(false, Ordering::Release);
        }
    }

    /// Waits until nobody asks, for a while: questions that follow one another without a pause don't keep
    /// the work behind them from being done. Whoever waits for the lock gets it here.
    fn let_questions_go_first(&self) {
        let until = Instant::now() + MAX_POLITENESS;
        loop {
            std::thread::sleep(Duration::from_millis(10));
            if self.n_asking.load(Ordering::Acquire) == 0 || Instant::now() >= until {
                return;
            }
        }
    }

    /// Returns the files that answers showed although they may differ from their rows: what an agent asked
    /// about once it asks about again.
    fn shown_stale(&self) -> MutexGuard<'_, HashSet<RepoPath>> {
        self.shown_stale
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what no question waits for: moves a log into its file, and waits for the disk.
    pub(super) fn settle(&self) {
        let settled = || -> Result<()> {
            let repo = self.repo()?;
            let key = key_of(&repo, repo.snapshot()?);
            let path = self.home.repo(&key.repo_id).write_lock(&key.index_id());
            let Some(_lock) = WriteLock::take(&path, Duration::ZERO)? else {
                return Ok(());
            };
            if let Some(mut index) = self.idle_index(&key) {
                if !index.is_settled() {
                    index.settle(false);
                }
                self.keep(index);
            }
            Ok(())
        };
        if let Err(error) = settled() {
            tracing::info!(%error, "the index could not be settled");
        }
    }

    /// Returns how many files are still to be done; `None` where nothing could be done now.
    fn catch_up_once(self: &Arc<Self>, is_asked: bool) -> Result<Option<usize>> {
        self.make_room.store(false, Ordering::Release);
        let budget = Budget::within(CATCH_UP_STEP, Arc::clone(&self.make_room));
        let repo = self.repo()?;
        let before = repo.motion()?;
        if before.locked {
            return Ok(None);
        }
        let key = key_of(&repo, before.snapshot.clone());
        let repo_home = self.home.repo(&key.repo_id);
        if !is_asked && repo.in_progress() && repo_home.pointer(&key.index_id()).is_none() {
            return Ok(None);
        }
        let (mut index, is_new) = self.index_for(&repo, &key)?;
        let path = repo_home.write_lock(&key.index_id());
        let Some(_lock) = WriteLock::take(&path, Duration::ZERO)? else {
            return Ok(None);
        };
        let mut detection = reconcile::detect(&repo, &index, &budget)?;
        let wanted = std::mem::take(&mut *self.shown_stale());
        detection.plan.put_first(&wanted);
        let outcome =
            reconcile::repair(&repo, &mut index, detection, &budget, &|_, _| (), &|| true)?;
        self.keep(index);
        self.keep_house(Occasion::Question { is_new });
        let left = outcome.freshness;
        Ok(Some(match left.state {
            FreshnessState::Fresh => usize::from(!outcome.has_history),
            FreshnessState::Partial => 2 * left.pending.len() + usize::from(left.n_unlinked > 0),
            // What could not be looked at is more than anything that was.
            FreshnessState::Unknown(_) => usize::MAX - 1,
        }))
    }
}

/// What is left to be done in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// What the budget of an answer did not suffice for.
    Work,
    /// Perhaps nothing: files changed.
    Changes,
    /// Nothing but to settle what was written.
    ToSettle,
}

/// Returns whether an answer failed because the index is damaged.
fn is_damage(error: &Error) -> bool {
    std::error::Error::source(error)
        .and_then(|source| source.downcast_ref::<StoreError>())
        .is_some_and(StoreError::is_corrupt)
}

/// Returns what is known where the proof failed: nothing but the rows.
fn unproved(index: &Index, error: &ReconcileError) -> Result<Outcome> {
    let reason = match error {
        ReconcileError::Git(_) => UnknownReason::Git,
        ReconcileError::Store(error) if error.is_busy() => UnknownReason::Busy,
        ReconcileError::Store(_) => UnknownReason::Io,
    };
    tracing::warn!(%error, "freshness could not be proved");
    Ok(Outcome {
        freshness: Freshness::unknown(reason, Vec::new()),
        generation: index.read()?.meta().generation,
        n_indexed: 0,
        n_deleted: 0,
        has_history: false,
    })
}
