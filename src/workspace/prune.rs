//! Removes indexes that the retention rules do not keep, and files without an owner: on request, and by itself.
//!
//! Which ones the rules keep is decided in `lifecycle`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use super::survey::{self, SurveyedRepository};
use super::{Revision, Workspace, now_ms, unused_vectors};
use crate::config::pull_request;
use crate::error::{Code, Error, Result};
use crate::git::Repo;
use crate::lifecycle::policy::{self, PruneCandidate, RepositoryIndexes, RetentionRules};
use crate::lifecycle::prune::{self, Extra, Pruned};
use crate::store::freeze::{self, Freezing};
use crate::store::remove::{self, IndexRemoval};
use crate::store::{Pointer, WriteLock, vectors};

/// How often the whole data directory is looked through, unasked.
const INTERVAL: Duration = Duration::from_hours(1);

/// How long files without an owner are left alone: a build that is being made is young.
pub(super) const LEFT_AGE: Duration = Duration::from_mins(10);

/// How long a call waits for another process that is pruning.
const PATIENCE: Duration = Duration::from_secs(10);

/// The occasion for housekeeping: pruning that nobody asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HousekeepingTrigger {
    /// A refresh.
    Refresh {
        /// Whether it made an index.
        is_new: bool,
    },
    /// A question, or work that one left undone.
    Question {
        /// Whether it made an index.
        is_new: bool,
    },
}

/// A caller's options for pruning, beside the settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PruneOptions {
    /// Whether to look and remove nothing.
    pub dry_run: bool,
    /// Another age from which on an unused index goes, in days.
    pub unused_days: Option<u32>,
    /// Another quota for all indexes together, in bytes.
    pub max_bytes: Option<u64>,
    /// Whether to keep only what the next job on a build server can start from: the checked-out commit, the default
    /// branch, and base and head of the pull request.
    pub ci: bool,
}

/// The indexes that are to be dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DropTarget {
    /// One, by its identity.
    Index(String),
    /// All of a branch of this work tree.
    Branch(String),
    /// An index of a commit that is not checked out, e.g. `--ref v1.2`.
    Commit(Revision),
}

impl Workspace {
    /// Removes indexes that the rules do not keep, and files without an owner, in the whole data directory.
    ///
    /// # Errors
    /// `index_busy` while another process prunes.
    pub fn prune(&self, options: PruneOptions) -> Result<Pruned> {
        let repo = self.repo()?;
        let _lock = match WriteLock::take(&self.stamp(), PATIENCE) {
            Ok(Some(lock)) => Some(lock),
            Ok(None) => {
                return Err(Error::new(
                    Code::IndexBusy,
                    "another process is pruning",
                    "call again in a moment",
                ));
            }
            // There is no data directory, or nothing can be written in it.
            Err(_) if options.dry_run || !self.home.root().exists() => None,
            Err(error) => return Err(error.into()),
        };
        let mut rules = self.rules.clone();
        rules.unused_days = options.unused_days.unwrap_or(rules.unused_days);
        rules.total_bytes = options.max_bytes.unwrap_or(rules.total_bytes);
        let found = survey::of_all(&self.home, Some(&repo));
        Ok(self.prune_all(&found, &repo, &rules, options.ci, options.dry_run))
    }

    /// Removes one index by its identity, all of a branch of this work tree, or that of a commit which is not checked out. Returns
    /// the identity of the one that was used last, and the bytes that became free.
    ///
    /// # Errors
    /// `refused` for one that is checked out, pinned or in use; `index_missing` where there is none.
    pub fn drop_index(&self, target: &DropTarget) -> Result<(String, u64)> {
        let repo = self.repo()?;
        let found = survey::of_repository(&self.home.repo(&repo.repo_id()), Some(&repo));
        let worktree = repo.worktree_id();
        let mut chosen: Vec<&PruneCandidate> = found
            .indexes
            .entries
            .iter()
            .filter(|entry| match target {
                DropTarget::Index(id) => entry.pointer.index_id == *id,
                DropTarget::Branch(branch) => {
                    entry.pointer.branch.as_ref() == Some(branch)
                        && entry.pointer.worktree_id == worktree
                }
                DropTarget::Commit(revision) => {
                    entry.pointer.is_of_commit()
                        && entry.pointer.head().as_ref() == Some(&revision.commit)
                }
            })
            .collect();
        chosen.sort_by_key(|entry| std::cmp::Reverse(entry.last_used_ms));
        let Some(first) = chosen.first() else {
            let what = match target {
                DropTarget::Commit(revision) => format!(
                    "no index was made of `{}` with `ref`",
                    super::view::cut_argument(&revision.name)
                ),
                DropTarget::Index(id) => format!(
                    "there is no index `{}` in this repository",
                    super::view::cut_argument(id)
                ),
                DropTarget::Branch(branch) => format!(
                    "there is no index of the branch `{}` in this work tree",
                    super::view::cut_argument(branch)
                ),
            };
            return Err(Error::new(
                Code::IndexMissing,
                what,
                "cl_stats (`codelens stats`) lists the indexes with their branches and commits; pass the `indexId` of one",
            ));
        };
        for entry in &chosen {
            let refusal = if entry.is_active {
                Some((
                    "is checked out",
                    "switch to another branch first; cl_refresh with `force: true` (`codelens refresh --force`) builds it anew",
                ))
            } else if entry.is_pinned {
                Some((
                    "is pinned by a saved context",
                    "remove that context with `codelens context remove`, or save it again without `pinned`",
                ))
            } else {
                self.close_idle(&entry.pointer.index_id);
                remove::is_in_use(&found.home, &entry.pointer).then_some((
                    "is in use by another process",
                    "call again when that process is done with it",
                ))
            };
            if let Some((what, hint)) = refusal {
                return Err(refused(&entry.pointer, what, hint));
            }
        }
        let mut bytes = 0;
        for entry in &chosen {
            let needed = || survey::is_needed(&found.home, &entry.pointer);
            match remove::remove(&found.home, &entry.pointer, needed)? {
                IndexRemoval::Done(freed) => bytes += freed,
                IndexRemoval::Changed => {}
                IndexRemoval::Needed => {
                    let hint = "it was checked out or pinned just now: leave it";
                    return Err(refused(&entry.pointer, "is needed", hint));
                }
                IndexRemoval::InUse => {
                    let hint = "call again when that process is done with it";
                    return Err(refused(
                        &entry.pointer,
                        "is in use by another process",
                        hint,
                    ));
                }
            }
        }
        Ok((first.pointer.index_id.clone(), bytes))
    }

    /// Removes indexes that the rules do not keep, quietly and seldom: in the whole data directory once an hour, in this
    /// repository's part also when a new index was made. Never fails a call and never waits. A server does it in a thread of
    /// its own; a process that makes one call when its answer is given, and a mere question only where it made an index.
    pub(super) fn start_housekeeping(self: &Arc<Self>, after: HousekeepingTrigger) {
        let is_wanted = match after {
            HousekeepingTrigger::Question { is_new } => is_new || self.is_server && self.is_due(),
            HousekeepingTrigger::Refresh { is_new } => is_new || self.is_due(),
        };
        if !self.housekeeping || !is_wanted {
            return;
        }
        if !self.is_server {
            self.owes_housekeeping.store(true, Ordering::Release);
            return;
        }
        if self.is_housekeeping.swap(true, Ordering::AcqRel) {
            return;
        }
        let workspace = Arc::clone(self);
        let spawned = std::thread::Builder::new()
            .name("housekeeping".to_owned())
            .spawn(move || {
                workspace.do_housekeeping();
                workspace.is_housekeeping.store(false, Ordering::Release);
            });
        if spawned.is_err() {
            self.is_housekeeping.store(false, Ordering::Release);
        }
    }

    /// Does the housekeeping that a call put off until its answer is given.
    pub(super) fn do_owed_housekeeping(&self) {
        if self.owes_housekeeping.swap(false, Ordering::AcqRel) {
            self.do_housekeeping();
        }
    }

    fn do_housekeeping(&self) {
        let is_due = self.is_due();
        let stamp = self.stamp();
        let (Ok(repo), Ok(Some(_lock))) = (self.repo(), WriteLock::take(&stamp, Duration::ZERO))
        else {
            return;
        };
        let (pruned, found) = if is_due {
            let touched = std::fs::File::options().write(true).open(&stamp);
            drop(touched.and_then(|file| file.set_modified(SystemTime::now())));
            let found = survey::of_all(&self.home, Some(&repo));
            let pruned = self.prune_all(&found, &repo, &self.rules, false, false);
            (pruned, found)
        } else {
            let own = [survey::of_repository(
                &self.home.repo(&repo.repo_id()),
                Some(&repo),
            )];
            let pruned = self.prune_entries(&own, &self.rules, Extra::new(), false);
            (pruned, Vec::from(own))
        };
        if !pruned.removed.is_empty() || pruned.vectors.n_vectors > 0 {
            tracing::info!(
                n = pruned.removed.len(),
                n_vectors = pruned.vectors.n_vectors,
                bytes = pruned.bytes(),
                "housekeeping"
            );
        }
        // One that was removed just now is not there to be frozen.
        self.freeze_cold(&found);
    }

    /// Freezes indexes that were not used lately. A process that makes one call freezes one of them at most, so that it ends soon.
    fn freeze_cold(&self, found: &[SurveyedRepository]) {
        let most = if self.is_server { usize::MAX } else { 1 };
        let mut n_frozen = 0;
        for repository in found {
            let entries = &repository.indexes.entries;
            let cold = policy::cold(&repository.indexes, &self.rules, now_ms());
            for pointer in cold.into_iter().map(|n| &entries[n].pointer) {
                if n_frozen == most {
                    return;
                }
                self.wait_for_rest();
                let needed = || survey::is_checked_out(pointer);
                match freeze::freeze(&repository.home, pointer, needed) {
                    Ok(Freezing::Done(bytes)) => {
                        n_frozen += 1;
                        tracing::info!(index_id = pointer.index_id, bytes, "frozen");
                    }
                    Ok(Freezing::InUse | Freezing::Needless | Freezing::Needed) => {}
                    Err(error) => {
                        tracing::warn!(index_id = pointer.index_id, %error, "could not be frozen");
                        break;
                    }
                }
            }
        }
    }

    /// Lets questions go before work that nobody waits for, for some seconds at most.
    fn wait_for_rest(&self) {
        for _ in 0..250 {
            if !self.is_server || self.n_active_queries.load(Ordering::Acquire) == 0 {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Looks through the whole data directory. Files without an owner go, too; on a build server there is no other
    /// process that could own them.
    fn prune_all(
        &self,
        found: &[SurveyedRepository],
        repo: &Repo,
        rules: &RetentionRules,
        ci: bool,
        dry_run: bool,
    ) -> Pruned {
        let extra = if ci {
            survey::needless(found, repo, &pull_request())
        } else {
            Extra::new()
        };
        let mut pruned = self.prune_entries(found, rules, extra, dry_run);
        let going: Vec<Pointer> = pruned.removed.iter().map(|it| it.pointer.clone()).collect();
        pruned.vectors = unused_vectors::sweep(&self.home, &going, dry_run);
        if !dry_run {
            let age = if ci { Duration::ZERO } else { LEFT_AGE };
            for found in found {
                let bytes = remove::sweep(&found.home, age) + freeze::sweep_bases(&found.home);
                if bytes > 0 {
                    tracing::info!(bytes, "swept what no index owned");
                }
            }
            remove::sweep_root(&self.home);
            pruned.vectors.bytes += vectors::sweep(&self.home, age);
        }
        pruned
    }

    fn prune_entries(
        &self,
        found: &[SurveyedRepository],
        rules: &RetentionRules,
        extra: Extra,
        dry_run: bool,
    ) -> Pruned {
        let states: Vec<RepositoryIndexes> =
            found.iter().map(|found| found.indexes.clone()).collect();
        if !dry_run {
            self.close_unneeded();
        }
        prune::prune(
            &self.home,
            &states,
            rules,
            extra,
            now_ms(),
            dry_run,
            &|pointer| survey::is_needed(&self.home.repo(&pointer.repo_id), pointer),
        )
    }

    /// Closes idle connections, but for the checked-out commit's index: an idle connection is no reason to keep an
    /// index.
    fn close_unneeded(&self) {
        let mut idle = self
            .idle
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        // Asked under the lock: an earlier answer may be about another branch.
        if let Ok((index_id, _)) = self.identity() {
            idle.retain(|index| index.pointer().index_id == index_id);
        }
    }

    fn stamp(&self) -> PathBuf {
        self.home.root().join("housekeeping")
    }

    fn is_due(&self) -> bool {
        let time = self.stamp().metadata().and_then(|meta| meta.modified());
        // A time in the future is a clock that was set back.
        time.map_or(true, |time| {
            time.elapsed().map_or(true, |since| since >= INTERVAL)
        })
    }
}

fn refused(pointer: &Pointer, what: &str, hint: &str) -> Error {
    Error::new(
        Code::Refused,
        format!("index {} {what}", pointer.index_id),
        hint,
    )
}
