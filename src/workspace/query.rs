//! The road to an answer: detect differences, bring the index up within the budget, answer from one generation, and
//! make sure that neither `HEAD` nor the staging area moved meanwhile.
//!
//! `fresh` is the outcome of a proof: a look at every file, in this call or less than a minute before it, with what changed since
//! then. Nothing here assumes it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::active_query::{ActiveQuery, Question};
use super::catch_up::BackgroundJob;
use super::proof::{EarlierFinding, LookBegun};
use super::upkeep::GcTrigger;
use super::view::LookedAt;
use super::{Revision, View, Workspace, key_of, proof};
use crate::error::{Error, Result};
use crate::git::{GitError, Repo, RepoState, Scan};
use crate::model::{Budget, CommitId, Freshness, Proof, UnknownReason};
use crate::reconcile::plan::ChangedPart;
use crate::reconcile::{self, Outcome, ReconcileError, seed};
use crate::roles::Roles;
use crate::store::{Index, IndexKey, Pointer, StoreError, StoreResult, WriteLock};

/// How long a first build waits for the lock before it looks whether it is to be given up.
const LOCK_STEP: Duration = Duration::from_millis(100);

/// The scan of the work tree that ran while the index was copied; `None` where none ran.
type EarlyScan = Option<std::result::Result<Scan, GitError>>;

impl Workspace {
    /// Answers from an index that was brought as far as the budget allows.
    ///
    /// The answer is made again if git moved while it was made; if it moved once more, the answer is
    /// said to be `unknown`, never more. An index that is missing or was never complete has the larger budget of a
    /// first build.
    #[allow(
        clippy::too_many_lines,
        reason = "one try, from the state of git to the answer, in the order of its steps"
    )]
    pub fn query<'q, T>(
        self: &Arc<Self>,
        question: impl Into<Question<'q>>,
        answer: impl Fn(&View<'_>) -> Result<T>,
    ) -> Result<T> {
        let question = question.into();
        let _asking = ActiveQuery::begin(self);
        let mut budget = question.budget(self);
        let first_budget = question.first_budget(self);
        let mut was_refused = false;
        // Once a change was told while an answer was made without a look, there is a look.
        let mut was_disturbed = false;
        let mut pull_note = None;
        for is_last in std::iter::once(false).chain(std::iter::repeat(true)) {
            let (mut begun, doubts) = self.begin_look();
            let repo = self.repo_at(question.revision)?.doubting(doubts);
            let (before, key, is_missing) = self.when_git_is_done(&repo, was_refused, &budget)?;
            let is_made = !is_missing && self.has_to_be_made(&key);
            let lent = match question.revision {
                Some(revision) if is_made => self.of_a_checkout(&repo, &revision.commit, &budget),
                _ => None,
            };
            let is_made = is_made && lent.is_none();
            question.set_building(is_made);
            // Variables that are declared last are dropped first: the stand-in's files go after their index.
            let (proved, lent) = lent.unzip();
            let (_stand_in, (mut index, is_new), scan) = if let Some(index) = lent {
                (None, (index, false), None)
            } else if is_missing {
                let (index, stand_in) = seed::temporary_index(&repo, &self.home, &key)?;
                (Some(stand_in), (index, false), None)
            } else {
                let scanning = if is_made { &first_budget } else { &budget };
                let (found, scan) =
                    self.index_while_looking(&repo, &key, scanning, &mut pull_note)?;
                (None, found, scan)
            };
            let mut is_sound = !is_missing;
            let is_own = proved.is_none();
            // A scan that was made while the index was copied began with no mark.
            let may_hold = is_own && !is_missing && scan.is_none() && !repo.source().is_commit();
            let earlier = if may_hold {
                self.earlier_finding(&mut begun, &repo, &index, &before, proof::MAX_AGE)
            } else {
                EarlierFinding::Gone
            };
            let (held, part) = match earlier {
                EarlierFinding::Holds(outcome) if !was_disturbed => (Some(outcome), None),
                EarlierFinding::But(part) if !was_disturbed => (None, Some(part)),
                _ => (None, None),
            };
            let is_held = held.is_some();
            let proved = proved.or(held);
            let is_first =
                proved.is_none() && !is_missing && (is_made || was_never_complete(&index));
            question.set_building(is_first);
            let building = BringUp {
                repo: &repo,
                key: &key,
                before: &before,
                budget: if is_first { &first_budget } else { &budget },
                question: &question,
                begun: may_hold.then_some(&begun),
                part,
                is_first,
            };
            let outcome = match proved {
                Some(outcome) => Ok(outcome),
                None => self.bring_up(&mut index, scan, &building),
            };
            question.set_building(false);
            if is_first {
                // The answer itself has as long as any other.
                budget = question.budget(self);
            }
            let outcome = match outcome {
                Ok(outcome) => outcome,
                Err(ReconcileError::Store(error)) if error.is_corrupt() && !is_last => {
                    self.replace_damaged(&repo, &key, index, &error)?;
                    continue;
                }
                // Connections remember that their files could not be opened for writing: with new ones the next try
                // finds out anew.
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
            let mut made = || -> Result<Option<T>> {
                let read = index.read()?;
                let is_same = read.meta().generation == outcome.generation;
                let mut freshness = outcome.freshness.clone();
                if !is_same {
                    if !is_last {
                        return Ok(None);
                    }
                    freshness = Freshness::unknown(UnknownReason::Busy, freshness.pending)
                        .among(freshness.n_files);
                }
                let ask = |freshness: &Freshness| {
                    let view = View {
                        read: &read,
                        freshness,
                        index_id: &index.pointer().index_id,
                        build: &index.pointer().build,
                        budget: &budget,
                        roles: Roles::new(&read),
                        revision: question.revision,
                        workspace: self,
                        repo: &repo,
                        home: self.home.repo(&repo.repo_id()),
                        marks: &self.marks,
                        unasked: self.unasked,
                        pull_note: pull_note.as_deref(),
                        looked_at: LookedAt::default(),
                    };
                    let made = answer(&view);
                    if question.revision.is_none() {
                        self.shown_stale().extend(view.looked_at.stale_paths());
                    }
                    made
                };
                let made = match ask(&freshness) {
                    Err(error) if is_damage(&error) || budget.is_cancelled() => return Err(error),
                    made => made,
                };
                let rests_on_watch = outcome.freshness.proof == Proof::Watch;
                let has_moved = before.locked || repo.repo_state()? != before;
                // That a file is not there is an answer too: git takes it away before it writes another version.
                was_refused = made.is_err();
                if has_moved && (!is_last || was_refused && self.may_wait(&budget)) {
                    return Ok(None);
                }
                if rests_on_watch && !self.is_undisturbed(&begun) {
                    was_disturbed = true;
                    return Ok(None);
                }
                let made = made?;
                Ok(if has_moved {
                    let moved = Freshness::unknown(UnknownReason::Moved, freshness.pending);
                    Some(ask(&moved.among(freshness.n_files))?)
                } else {
                    if is_own {
                        self.leave(&index, &freshness, &outcome, question.revision);
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
                if made.is_some() && !repo.source().is_commit() {
                    self.watch(&index);
                    if !is_held && may_hold {
                        self.hold(&begun, &repo, &index, &before, &outcome);
                    }
                    if outcome.freshness.proof == Proof::Watch {
                        self.check_in_time();
                    }
                }
                self.keep(index);
            }
            if let Some(made) = made {
                self.run_gc(GcTrigger::Question { is_new });
                self.embed_behind();
                return Ok(made);
            }
        }
        unreachable!("once its time is up, a try returns")
    }

    /// Leaves work that an answer did not need, or had no time for, to the background.
    fn leave(
        self: &Arc<Self>,
        index: &Index,
        freshness: &Freshness,
        outcome: &Outcome,
        revision: Option<&Revision>,
    ) {
        let is_done = freshness.as_str() == "fresh" && outcome.has_history;
        if !is_done {
            if let Some(revision) = revision {
                self.unfinished().insert(revision.commit.clone());
            }
            self.catch_up(BackgroundJob::Resume);
        } else if !index.is_checkpointed() {
            if self.is_server {
                self.catch_up(BackgroundJob::Checkpoint);
            } else if !outcome.has_written() {
                // A call that had work to do itself leaves it to the next one.
                self.owes_settling.store(true, Ordering::Release);
            }
        }
    }

    /// Returns the index of a checkout that holds the files of a commit and no others, with the proof of that. The disk is
    /// not looked at: the rows say which bytes they are of. It is not written to.
    fn of_a_checkout(
        &self,
        repo: &Repo,
        commit: &CommitId,
        budget: &Budget,
    ) -> Option<(Outcome, Index)> {
        let home = self.home.repo(&repo.repo_id());
        let is_checkout = |pointer: &Pointer| {
            let is_of_tree =
                pointer.worktree_id == "main" || pointer.worktree_id.starts_with("worktrees");
            is_of_tree && pointer.head().as_ref() == Some(commit)
        };
        let mut scan = None;
        home.pointers()
            .into_iter()
            .filter(is_checkout)
            .find_map(|pointer| {
                let index = match self.idle_build(&pointer) {
                    Some(index) => index,
                    None => Index::open(&home, pointer).ok()?,
                };
                if scan.is_none() {
                    scan = Some(repo.scan(budget).ok()?);
                }
                let found = scan.clone()?;
                let proved = reconcile::prove_commit(repo, &index, found, budget).ok()?;
                proved.map(|outcome| (outcome, index))
            })
    }

    /// Returns the checked-out commit's index, made from the nearest one if there is none, and whether it was made.
    pub(super) fn index_for(&self, repo: &Repo, key: &IndexKey) -> Result<(Index, bool)> {
        match self.idle_index(key) {
            Some(index) => Ok((index, false)),
            None => self.open_or_make(repo, key),
        }
    }

    fn open_or_make(&self, repo: &Repo, key: &IndexKey) -> Result<(Index, bool)> {
        if self.has_to_be_made(key) {
            // An index that nobody has open is copied in a third of the time.
            self.close_all_idle();
        }
        let (index, origin) = seed::open_or_create(repo, &self.home, key)?;
        if origin != seed::IndexOrigin::Existing {
            tracing::info!(index_id = index.pointer().index_id, ?origin, "new index");
        }
        Ok((index, origin != seed::IndexOrigin::Existing))
    }

    /// Returns whether the checked-out commit has no index.
    pub(super) fn has_to_be_made(&self, key: &IndexKey) -> bool {
        let home = self.home.repo(&key.repo_id);
        home.pointer(&key.index_id()).is_none()
    }

    /// Does [`Self::index_for`]; where the index has to be made, a remote is asked for a start, and the work tree is scanned meanwhile.
    /// Puts a sentence about remotes that failed into `pull_note`.
    fn index_while_looking(
        &self,
        repo: &Repo,
        key: &IndexKey,
        budget: &Budget,
        pull_note: &mut Option<String>,
    ) -> Result<((Index, bool), EarlyScan)> {
        if let Some(index) = self.idle_index(key) {
            return Ok(((index, false), None));
        }
        if !self.has_to_be_made(key) {
            return Ok((self.open_or_make(repo, key)?, None));
        }
        if repo.source().is_commit() {
            *pull_note = self.seed_from_remotes(repo, key, budget);
            return Ok((self.open_or_make(repo, key)?, None));
        }
        let (found, ahead) = std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().name("scan".to_owned());
            // A repository that can't be opened twice, or by one more thread, is scanned afterwards.
            let scan = || Some(self.repo().ok()?.scan(budget));
            let scanning = builder.spawn_scoped(scope, scan).ok();
            *pull_note = self.seed_from_remotes(repo, key, budget);
            let found = self.open_or_make(repo, key);
            if let Ok((index, _)) = &found {
                // Kept for the comparison with the scan; an error here comes again there.
                drop(index.read().and_then(|read| read.file_rows()));
            }
            let ahead = scanning.and_then(|scanning| {
                let ended = scanning.join();
                ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            (found, ahead)
        });
        Ok((found?, ahead))
    }

    /// Returns the checked-out branch and commit. Where there is no index of them, or the question's subject was not
    /// found there, and git holds its lock, waits until the lock is gone, for half of the call's budget; the last
    /// value tells whether there is no index and that was not enough.
    pub(super) fn when_git_is_done(
        &self,
        repo: &Repo,
        was_refused: bool,
        budget: &Budget,
    ) -> Result<(RepoState, IndexKey, bool)> {
        loop {
            let now = repo.repo_state()?;
            let key = key_of(repo, now.snapshot.clone());
            let is_missing = now.locked && self.has_to_be_made(&key);
            let waits = is_missing || (now.locked && was_refused);
            if !waits || !self.may_wait(budget) {
                return Ok((now, key, is_missing));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Returns whether less than half of the call's budget has gone by.
    fn may_wait(&self, budget: &Budget) -> bool {
        let rest = self.budget / 2;
        budget.remaining().is_some_and(|left| left > rest) && !budget.is_cancelled()
    }

    fn bring_up(
        &self,
        index: &mut Index,
        ahead: EarlyScan,
        how: &BringUp<'_>,
    ) -> std::result::Result<Outcome, ReconcileError> {
        let &BringUp { repo, budget, .. } = how;
        let mut detection = match ahead {
            Some(scan) => reconcile::detect_by(repo, index, || scan)?,
            None => reconcile::detect_within(repo, index, how.part.as_ref(), budget)?,
        };
        // Where git is about to change the work tree, nothing is written until it is done.
        if detection.is_current() || how.before.locked {
            return Ok(reconcile::inspect(
                repo,
                detection,
                budget,
                UnknownReason::Moved,
            ));
        }
        if how.is_first {
            detection.plan.put_likely_first(how.question.words);
        }
        let path = self
            .home
            .repo(&how.key.repo_id)
            .write_lock(&how.key.index_id());
        let lock = (!index.is_immutable()).then(|| how.lock(&path));
        match lock.transpose() {
            Ok(Some(Some(_lock))) => {
                let on_progress = how.question.on_progress;
                let is_undisturbed = || how.begun.is_some_and(|begun| self.is_watched_since(begun));
                reconcile::repair_watched(
                    repo,
                    index,
                    detection,
                    budget,
                    on_progress,
                    &is_undisturbed,
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
        // Closed first: an open file can't be deleted.
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
}

/// How the index is brought up for one question.
struct BringUp<'a> {
    repo: &'a Repo,
    key: &'a IndexKey,
    before: &'a RepoState,
    budget: &'a Budget,
    question: &'a Question<'a>,
    /// The beginning of the look, where it was begun with the question.
    begun: Option<&'a LookBegun>,
    /// The files to look at, where all others are known to be as they were.
    part: Option<ChangedPart>,
    /// Whether the index was never complete before.
    is_first: bool,
}

impl BringUp<'_> {
    /// Takes the write lock. A first build waits for the process that is building already, as long as the question
    /// may wait at all; later ones for a quarter of their time.
    fn lock(&self, path: &Path) -> StoreResult<Option<WriteLock>> {
        if !self.is_first {
            let patience = self.budget.remaining().unwrap_or_default() / 4;
            return WriteLock::take(path, patience);
        }
        loop {
            let left = self.budget.remaining().unwrap_or(LOCK_STEP);
            let lock = WriteLock::take(path, left.min(LOCK_STEP))?;
            if lock.is_some() || self.budget.is_spent() {
                return Ok(lock);
            }
        }
    }
}

/// Returns whether an index has never equalled its work tree: files were not read, or imports not followed, since it
/// was made from nothing. The history comes last of all.
fn was_never_complete(index: &Index) -> bool {
    index.read().is_ok_and(|read| {
        let meta = read.meta();
        !meta.complete || (meta.history.is_empty() && read.n_queued().is_ok_and(|n| n > 0))
    })
}

/// Returns whether an answer failed because the index is damaged.
fn is_damage(error: &Error) -> bool {
    std::error::Error::source(error)
        .and_then(|source| source.downcast_ref::<StoreError>())
        .is_some_and(StoreError::is_corrupt)
}

/// Returns the outcome of a failed proof: the rows alone.
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
