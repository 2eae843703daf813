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
use super::proof::{EarlierProof, ScanStart};
use super::prune::HousekeepingTrigger;
use super::run_history::RunRecorder;
use super::view::LookedAt;
use super::{Revision, View, Workspace, key_of, proof};
use crate::error::{Code, Error, Result};
use crate::git::{GitError, Repo, RepoState, Scan};
use crate::model::{Budget, CommitId, Freshness, Proof, UnknownReason};
use crate::reconcile::plan::ChangedPart;
use crate::reconcile::seed::Unpublished;
use crate::reconcile::{self, Outcome, ReconcileError, seed};
use crate::roles::Roles;
use crate::store::{Index, IndexKey, Pointer, Read, StoreError, StoreResult, WriteLock};

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
    pub fn query<'q, T>(
        self: &Arc<Self>,
        question: impl Into<Question<'q>>,
        answer: impl Fn(&View<'_>) -> Result<T>,
    ) -> Result<T> {
        let question = question.into();
        let _active = ActiveQuery::begin(self);
        let mut attempts = Attempts {
            workspace: self,
            budget: question.budget(self),
            first_budget: question.first_budget(self),
            question,
            answer,
            is_retry: false,
            was_refused: false,
            was_disturbed: false,
            pull_note: None,
        };
        loop {
            if let Some(made) = attempts.next()? {
                return Ok(made);
            }
            attempts.is_retry = true;
        }
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
                self.owes_checkpoint.store(true, Ordering::Release);
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
    fn index_while_scanning(
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
    /// found there, and git holds its lock, waits until the lock is gone, for half of the call's budget. The last
    /// value is whether a temporary index is needed: there is none, and the lock is still held.
    pub(super) fn when_git_is_done(
        &self,
        repo: &Repo,
        was_refused: bool,
        budget: &Budget,
    ) -> Result<(RepoState, IndexKey, bool)> {
        loop {
            let now = repo.repo_state()?;
            let key = key_of(repo, now.snapshot.clone());
            let needs_temporary = now.locked && self.has_to_be_made(&key);
            let waits = needs_temporary || (now.locked && was_refused);
            if !waits || !self.may_wait(budget) {
                return Ok((now, key, needs_temporary));
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
                let name = how.question.revision.map(|revision| revision.name.as_str());
                let recorder = RunRecorder::of_index(self, how.key, "build", "question", name);
                let on_progress: reconcile::OnProgress<'_> = &|done, total| {
                    recorder.progressed(done, total);
                    (how.question.on_progress)(done, total);
                };
                let is_proved_unchanged = || {
                    how.begun
                        .is_some_and(|begun| self.is_proved_unchanged_since(begun))
                };
                let outcome = reconcile::repair_watched(
                    repo,
                    index,
                    detection,
                    budget,
                    on_progress,
                    &is_proved_unchanged,
                );
                match &outcome {
                    Ok(_) if budget.is_cancelled() => recorder.finish_failed(&Error::cancelled()),
                    Ok(outcome) => recorder.finish_index(outcome),
                    Err(_) => recorder.finish_failed(&Error::new(
                        Code::Io,
                        "the index could not be brought up",
                        "run the next step; if it fails too, cl_doctor says why",
                    )),
                }
                outcome
            }
            Ok(Some(None)) => {
                // The process that has the lock has gone on meanwhile.
                let now = reconcile::detect(repo, index, budget)?;
                Ok(reconcile::inspect(repo, now, budget, UnknownReason::Busy))
            }
            cannot => {
                // The answer and `doctor` say so, too.
                tracing::info!(error = ?cannot.err(), "the index can't be written");
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

/// The attempts to answer one question.
struct Attempts<'q, F> {
    workspace: &'q Arc<Workspace>,
    question: Question<'q>,
    answer: F,
    budget: Budget,
    /// The budget of a first build.
    first_budget: Budget,
    /// Whether an attempt was made before: a retry answers from an index that changed meanwhile, and calls the answer `unknown`.
    is_retry: bool,
    /// Whether the last attempt answered with an error.
    was_refused: bool,
    /// Whether a change was told while an answer rested on a stored proof: from then on there is a scan.
    was_disturbed: bool,
    pull_note: Option<String>,
}

/// The owner of the index that a question is answered from.
enum IndexOwner {
    /// The commit or checkout that is asked about.
    Own,
    /// A checkout of the commit that is asked about, with the proof that its index has the files of the commit and no others.
    Checkout(Option<Outcome>),
    /// This question alone: git is changing the work tree, and there is no index yet.
    Temporary(#[expect(dead_code, reason = "dropped behind the index")] Unpublished),
}

/// The index of an attempt.
struct OpenedIndex {
    index: Index,
    // Dropped behind the index, whose files it may have.
    owner: IndexOwner,
    is_new: bool,
    /// Whether it has to be built from nothing.
    must_build: bool,
    scan: EarlyScan,
}

/// An index as far as an attempt brought it.
struct Attempt<'a> {
    repo: &'a Repo,
    /// The state of git when the attempt began.
    before: &'a RepoState,
    begun: &'a ScanStart,
    index: &'a Index,
    outcome: &'a Outcome,
    /// Whether work that is left is left to the background: in the index of another checkout there is none.
    may_leave: bool,
}

impl<F> Attempts<'_, F> {
    /// Makes an attempt; `None` where it has to be made again.
    fn next<T>(&mut self) -> Result<Option<T>>
    where
        F: Fn(&View<'_>) -> Result<T>,
    {
        let workspace = self.workspace;
        let (mut begun, doubts) = workspace.begin_scan();
        let repo = workspace.repo_at(self.question.revision)?.doubting(doubts);
        let (before, key, needs_temporary) =
            workspace.when_git_is_done(&repo, self.was_refused, &self.budget)?;
        let OpenedIndex {
            mut owner,
            mut index,
            is_new,
            must_build,
            scan,
        } = self.open(&repo, &key, needs_temporary)?;
        let is_own = matches!(owner, IndexOwner::Own);
        // A scan that was made while the index was copied began with no moment of the watch.
        let may_store = is_own && scan.is_none() && !repo.source().is_commit();
        let (stored, part) = if may_store {
            self.stored_proof(&mut begun, &repo, &index, &before)
        } else {
            (None, None)
        };
        let is_stored = stored.is_some();
        let proved = match &mut owner {
            IndexOwner::Checkout(proved) => proved.take(),
            _ => stored,
        };
        let is_first =
            proved.is_none() && !needs_temporary && (must_build || was_never_complete(&index));
        self.question.set_building(is_first);
        let how = BringUp {
            repo: &repo,
            key: &key,
            before: &before,
            budget: if is_first {
                &self.first_budget
            } else {
                &self.budget
            },
            question: &self.question,
            begun: may_store.then_some(&begun),
            part,
            is_first,
        };
        let outcome = match proved {
            Some(outcome) => Ok(outcome),
            None => workspace.bring_up(&mut index, scan, &how),
        };
        self.question.set_building(false);
        if is_first {
            // The answer itself has as long as any other.
            self.budget = self.question.budget(workspace);
        }
        let mut is_sound = !needs_temporary;
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(ReconcileError::Store(error)) if error.is_corrupt() && !self.is_retry => {
                workspace.replace_damaged(&repo, &key, index, &error)?;
                return Ok(None);
            }
            // Connections remember that their files could not be opened for writing: with new ones the next attempt
            // finds out anew.
            Err(ReconcileError::Store(error))
                if workspace.is_server && !self.is_retry && !error.is_busy() =>
            {
                tracing::info!(%error, "closing the index, to open it anew");
                drop(index);
                workspace.close_idle(&key.index_id());
                return Ok(None);
            }
            Err(error) => {
                is_sound &= matches!(error, ReconcileError::Git(_));
                unproved(&index, &error)?
            }
        };
        if self.budget.is_cancelled() {
            return Err(Error::cancelled());
        }
        let attempt = Attempt {
            repo: &repo,
            before: &before,
            begun: &begun,
            index: &index,
            outcome: &outcome,
            may_leave: !matches!(owner, IndexOwner::Checkout(_)),
        };
        let made = match self.attempt_answer(&attempt) {
            Err(error) if !self.is_retry && is_damage(&error) => {
                workspace.replace_damaged(&repo, &key, index, &error)?;
                return Ok(None);
            }
            made => made?,
        };
        if is_sound {
            if made.is_some() && !repo.source().is_commit() {
                self.watch(&attempt, may_store && !is_stored);
            }
            workspace.keep(index);
        }
        if made.is_some() {
            workspace.start_housekeeping(HousekeepingTrigger::Question { is_new });
            workspace.embed_behind();
        }
        Ok(made)
    }

    /// Returns the stored proof that is valid now, or the directories that changed since one.
    fn stored_proof(
        &self,
        begun: &mut ScanStart,
        repo: &Repo,
        index: &Index,
        before: &RepoState,
    ) -> (Option<Outcome>, Option<ChangedPart>) {
        let workspace = self.workspace;
        match workspace.earlier_proof(begun, repo, index, before, proof::MAX_AGE) {
            EarlierProof::Valid(outcome) if !self.was_disturbed => (Some(outcome), None),
            EarlierProof::ValidExcept(part) if !self.was_disturbed => (None, Some(part)),
            _ => (None, None),
        }
    }

    /// Watches the work tree for the calls after this one, and stores the proof of its scan if `may_store`.
    fn watch(&self, attempt: &Attempt<'_>, may_store: bool) {
        let workspace = self.workspace;
        workspace.watch(attempt.index);
        if may_store {
            workspace.store_proof(
                attempt.begun,
                attempt.repo,
                attempt.index,
                attempt.before,
                attempt.outcome,
            );
        }
        if attempt.outcome.freshness.proof == Proof::Watch {
            workspace.check_in_time();
        }
    }

    /// Opens the index to answer from: that of a checkout where it has the commit's files, a temporary one where there is none and
    /// git is changing the work tree, else the own one, made where there is none.
    fn open(&mut self, repo: &Repo, key: &IndexKey, needs_temporary: bool) -> Result<OpenedIndex> {
        let workspace = self.workspace;
        let must_build = !needs_temporary && workspace.has_to_be_made(key);
        let lent = match self.question.revision {
            Some(revision) if must_build => {
                workspace.of_a_checkout(repo, &revision.commit, &self.budget)
            }
            _ => None,
        };
        let must_build = must_build && lent.is_none();
        self.question.set_building(must_build);
        let (owner, (index, is_new), scan) = if let Some((proved, index)) = lent {
            (IndexOwner::Checkout(Some(proved)), (index, false), None)
        } else if needs_temporary {
            let (index, files) = seed::temporary_index(repo, &workspace.home, key)?;
            (IndexOwner::Temporary(files), (index, false), None)
        } else {
            let budget = if must_build {
                &self.first_budget
            } else {
                &self.budget
            };
            let (found, scan) =
                workspace.index_while_scanning(repo, key, budget, &mut self.pull_note)?;
            (IndexOwner::Own, found, scan)
        };
        Ok(OpenedIndex {
            index,
            owner,
            is_new,
            must_build,
            scan,
        })
    }

    /// Answers from an index; `None` where the index, git or the work tree changed meanwhile, so that another attempt is made.
    fn attempt_answer<T>(&mut self, attempt: &Attempt<'_>) -> Result<Option<T>>
    where
        F: Fn(&View<'_>) -> Result<T>,
    {
        let workspace = self.workspace;
        let &Attempt {
            repo,
            before,
            begun,
            index,
            outcome,
            may_leave,
        } = attempt;
        let read = index.read()?;
        let is_same = read.meta().generation == outcome.generation;
        let mut freshness = outcome.freshness.clone();
        if !is_same {
            if !self.is_retry {
                return Ok(None);
            }
            freshness =
                Freshness::unknown(UnknownReason::Busy, freshness.pending).among(freshness.n_files);
        }
        let made = match self.make_answer(attempt, &read, &freshness) {
            Err(error) if is_damage(&error) || self.budget.is_cancelled() => return Err(error),
            made => made,
        };
        let rests_on_watch = outcome.freshness.proof == Proof::Watch;
        let has_moved = before.locked || repo.repo_state()? != *before;
        // That a file is not there is an answer too: git takes it away before it writes another version.
        self.was_refused = made.is_err();
        let may_retry = !self.is_retry || self.was_refused && workspace.may_wait(&self.budget);
        if has_moved && may_retry {
            return Ok(None);
        }
        if rests_on_watch && !workspace.is_without_report_since(begun) {
            self.was_disturbed = true;
            return Ok(None);
        }
        let made = made?;
        if has_moved {
            let moved = Freshness::unknown(UnknownReason::Moved, freshness.pending);
            let moved = moved.among(freshness.n_files);
            return self.make_answer(attempt, &read, &moved).map(Some);
        }
        if may_leave {
            workspace.leave(index, &freshness, outcome, self.question.revision);
        }
        Ok(Some(made))
    }

    /// Returns the answer over one view.
    fn make_answer<T>(
        &self,
        attempt: &Attempt<'_>,
        read: &Read<'_>,
        freshness: &Freshness,
    ) -> Result<T>
    where
        F: Fn(&View<'_>) -> Result<T>,
    {
        let &Attempt { repo, index, .. } = attempt;
        let workspace = self.workspace;
        let view = View {
            read,
            freshness,
            index_id: &index.pointer().index_id,
            build: &index.pointer().build,
            budget: &self.budget,
            roles: Roles::new(read),
            revision: self.question.revision,
            workspace,
            repo,
            home: workspace.home.repo(&repo.repo_id()),
            marks: &workspace.marks,
            unasked: workspace.unasked,
            pull_note: self.pull_note.as_deref(),
            looked_at: LookedAt::default(),
        };
        let made = (self.answer)(&view);
        if self.question.revision.is_none() {
            workspace.shown_stale().extend(view.looked_at.stale_paths());
        }
        made
    }
}

/// How the index is brought up for one question.
struct BringUp<'a> {
    repo: &'a Repo,
    key: &'a IndexKey,
    before: &'a RepoState,
    budget: &'a Budget,
    question: &'a Question<'a>,
    /// The start of the scan, where it began with the question.
    begun: Option<&'a ScanStart>,
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
