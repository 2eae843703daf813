//! Brings an index fully up, with no budget.
//!
//! A build that is stopped keeps its rows and goes on from there.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::prune::HousekeepingTrigger;
use super::run_history::RunRecorder;
use super::{IndexStatus, Revision, Workspace, key_of, state};
use crate::error::{Code, Error, Result};
use crate::git::{Repo, RepoState};
use crate::machine;
use crate::model::{Budget, FreshnessState, Snapshot};
use crate::reconcile::{self, seed};
use crate::store::{Index, IndexKey, WriteLock};

/// How often the work tree may change under a refresh before it reports what is pending.
const MAX_ROUNDS: usize = 3;

/// How long to wait until git has finished.
const GIT_PATIENCE: Duration = Duration::from_secs(3);

/// The result of a refresh.
#[derive(Clone, Debug)]
pub struct Refreshed {
    /// The index.
    pub index_id: String,
    /// The checked-out branch and commit.
    pub snapshot: Snapshot,
    /// `ready`, or `partial` if the work tree changed faster than it could be read.
    pub status: IndexStatus,
    /// Files read and written by this call.
    pub n_indexed: u64,
    /// Files removed by this call.
    pub n_deleted: u64,
    /// Files in the index.
    pub n_files: u64,
    /// Chunks in the index.
    pub n_chunks: u64,
    /// Files that were left out or reduced, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// The index that a new one was started from.
    pub seeded_from: Option<String>,
    /// A sentence about remotes that failed to give a new index a start.
    pub pull_note: Option<String>,
    /// How long it took.
    pub elapsed_ms: u64,
    /// The CPU time that the whole process took meanwhile; `None` where the system does not tell.
    pub cpu_ms: Option<u64>,
}

impl Workspace {
    /// Brings the index of the work tree, or of a commit, fully up; `force` builds it from nothing. Waits for
    /// another process that is building it.
    ///
    /// # Errors
    /// `cancelled` when interrupted; `git` while git itself holds its lock.
    pub fn refresh(
        self: &Arc<Self>,
        revision: Option<&Revision>,
        force: bool,
        interrupt: &Arc<AtomicBool>,
        on_progress: reconcile::OnProgress<'_>,
    ) -> Result<Refreshed> {
        let begun = Instant::now();
        let cpu_before = machine::cpu_time();
        let budget = Budget::unlimited(Arc::clone(interrupt));
        let repo = self.repo_at(revision)?;
        let motion = wait_for_git(&repo, &budget)?;
        let key = key_of(&repo, motion.snapshot.clone());
        let repo_home = self.home.repo(&key.repo_id);
        seed::prepare(&repo, &repo_home)?;
        let lock = wait_for_lock(&repo_home.write_lock(&key.index_id()), &budget)?;
        let name = revision.map(|revision| revision.name.as_str());
        let mut recorder = RunRecorder::of_index(self, &key, "build", "refresh", name);
        if let Some(current) = repo_home.pointer(&key.index_id()) {
            // First of all: one rebuild after the other that is killed must not fill the disk.
            seed::retire_others(&repo_home, &current);
        }
        let mut seeded_from = None;
        let mut pull_note = None;
        let mut is_new = force;
        // Declared first, dropped after the index: an open file can't be deleted.
        let mut unpublished = None;
        let index = if force {
            seed::create_empty(&repo, &self.home, &key)?
        } else {
            // Opened anew: a file that could not be written when it was opened before may be writable by now.
            self.close_idle(&key.index_id());
            if self.has_to_be_made(&key) {
                pull_note = self.seed_from_remotes(&repo, &key, &budget);
            }
            let (index, origin) = seed::open_or_create(&repo, &self.home, &key)?;
            is_new = origin != seed::IndexOrigin::Existing;
            if let seed::IndexOrigin::Seeded(from) = origin {
                recorder.starts_from(&from);
                seeded_from = Some(from);
            }
            index
        };
        if force {
            unpublished = Some(seed::Unpublished::of(&index));
        }
        if is_new {
            recorder.begin();
        }
        let on_progress: reconcile::OnProgress<'_> = &|done, total| {
            if total > done {
                recorder.begin();
            }
            on_progress(done, total);
        };
        let brought = self.in_rounds(&repo, &key, index, &budget, on_progress);
        let (index, done) = match brought {
            Ok(brought) => brought,
            Err(error) => {
                recorder.finish_failed(&error);
                return Err(error);
            }
        };
        let mut status = done.status;
        if force {
            self.close_idle(&key.index_id());
            seed::publish(&self.home, &index)?;
            if let Some(unpublished) = unpublished {
                unpublished.keep();
            }
        }
        seed::retire_others(&repo_home, index.pointer());
        drop(lock);
        if repo.snapshot()? != key.snapshot {
            status = IndexStatus::Partial;
        }
        let refreshed = {
            let read = index.read()?;
            let counts = read.counts()?;
            Refreshed {
                index_id: key.index_id(),
                snapshot: key.snapshot,
                status,
                n_indexed: done.n_indexed,
                n_deleted: done.n_deleted,
                n_files: counts.files,
                n_chunks: counts.chunks,
                skipped: state::skipped(&read)?,
                seeded_from,
                pull_note,
                elapsed_ms: whole_ms(begun.elapsed()),
                cpu_ms: machine::cpu_time()
                    .zip(cpu_before)
                    .map(|(now, before)| whole_ms(now.saturating_sub(before))),
            }
        };
        recorder.finish_done(done.n_indexed, done.n_left, 0);
        self.keep(index);
        self.embed_refreshed(revision, interrupt);
        self.start_housekeeping(HousekeepingTrigger::Refresh { is_new });
        Ok(refreshed)
    }

    /// Brings an index up, and once more where the work tree changed meanwhile; a damaged one is replaced first.
    fn in_rounds(
        &self,
        repo: &Repo,
        key: &IndexKey,
        mut index: Index,
        budget: &Budget,
        on_progress: reconcile::OnProgress<'_>,
    ) -> Result<(Index, Rounds)> {
        let mut done = Rounds {
            status: IndexStatus::Partial,
            n_indexed: 0,
            n_deleted: 0,
            n_left: 0,
        };
        for round in 0..MAX_ROUNDS {
            let outcome = match reconcile::reconcile(repo, &mut index, budget, on_progress) {
                Err(reconcile::ReconcileError::Store(error))
                    if error.is_corrupt() && round == 0 =>
                {
                    self.replace_damaged(repo, key, index, &error)?;
                    index = self.index_for(repo, key)?.0;
                    continue;
                }
                outcome => outcome?,
            };
            done.n_indexed += outcome.n_indexed;
            done.n_deleted += outcome.n_deleted;
            done.n_left = outcome.freshness.n_pending();
            if budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            if outcome.freshness.state == FreshnessState::Fresh {
                done.status = IndexStatus::Ready;
                break;
            }
        }
        Ok((index, done))
    }
}

/// The work of some rounds.
struct Rounds {
    status: IndexStatus,
    n_indexed: u64,
    n_deleted: u64,
    n_left: u64,
}

fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn wait_for_lock(path: &std::path::Path, budget: &Budget) -> Result<WriteLock> {
    loop {
        if let Some(lock) = WriteLock::take(path, Duration::from_millis(100))? {
            return Ok(lock);
        }
        if budget.is_cancelled() {
            return Err(Error::cancelled());
        }
    }
}

fn wait_for_git(repo: &Repo, budget: &Budget) -> Result<RepoState> {
    let until = Instant::now() + GIT_PATIENCE;
    loop {
        let motion = repo.repo_state()?;
        if !motion.locked {
            return Ok(motion);
        }
        if budget.is_cancelled() {
            return Err(Error::cancelled());
        }
        if Instant::now() >= until {
            return Err(Error::new(
                Code::Git,
                "git is changing the repository (`index.lock` is there)",
                "wait until the git command ends; if none runs, remove `index.lock` from the git directory",
            ));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
