//! The checked-out branch and commit, and whether they move.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use cap_std::fs::Metadata;

use crate::model::{Branch, CommitId, FileStat, Snapshot};

use super::error::boxed;
use super::reftable::{self, Reftable};
use super::{GitError, Repo, content, git_dir, stale_lock};

/// A token of the state of `HEAD` and of git's staging area.
///
/// Two equal tokens, at the start and at the end of a call, with neither `locked`, mean that neither
/// moved between them: git replaces both files by renaming, which gives another inode and time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepoState {
    /// Branch and commit.
    pub snapshot: Snapshot,
    /// The stat of the staging area's file; `None` where there is none yet.
    pub staging: Option<FileStat>,
    /// Whether git (or another program) holds the lock of the staging area. A stale lock is held by nobody.
    pub locked: bool,
}

/// The longest file of a reference that is read without the library, in bytes.
const MAX_REFERENCE_BYTES: u64 = 4096;

/// The object that was found to be a commit last, so that it is not looked up again. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownCommit(Arc<Mutex<Option<gix::ObjectId>>>);

impl KnownCommit {
    fn is(&self, id: gix::ObjectId) -> bool {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) == Some(id)
    }

    fn set(&self, id: gix::ObjectId) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(id);
    }
}

impl Repo {
    /// Returns branch and commit that are checked out, read from disk; for a commit that is asked, that one. Costs about
    /// 0.1 ms.
    pub fn snapshot(&self) -> Result<Snapshot, GitError> {
        if self.source.is_commit() {
            return Ok(Snapshot {
                branch: Branch::Detached,
                head: self.source.commit().cloned(),
            });
        }
        self.checked_out()
    }

    /// Returns the branch or commit that `HEAD` points to, whichever source is asked.
    pub fn checked_out(&self) -> Result<Snapshot, GitError> {
        let plain = self.plain_head();
        if let Some((branch, id)) = &plain
            && self.known_commit.is(*id)
        {
            return Ok(Snapshot {
                branch: branch.clone(),
                head: commit_id(*id),
            });
        }
        git_dir::refuse_special_branch(&self.git_dir, &self.common_dir)?;
        // The library trusts an unchanged time of packed-refs, which two writes within one tick of the
        // clock have. It fails where there is no such file, which the look-up notices by itself.
        drop(self.inner.refs.force_refresh_packed_buffer());
        let found = snapshot_of(&self.inner)?;
        if let Some((_, id)) = plain
            && commit_id(id) == found.head
        {
            self.known_commit.set(id);
        }
        Ok(found)
    }

    /// Reads `HEAD` and its branch where both are plain files, as they are almost always; `None` where the library has to be
    /// asked. The object may be a tag, or missing.
    fn plain_head(&self) -> Option<(Branch, gix::ObjectId)> {
        if reftable::is_used_by(&self.inner) {
            return None;
        }
        let head = plain_file(&self.git_dir.join("HEAD"))?;
        let (branch, id) = match head.strip_prefix("ref: ") {
            None => (Branch::Detached, head),
            Some(name) => {
                let name = name.strip_suffix('\n').unwrap_or(name);
                let short = name.strip_prefix("refs/heads/")?.to_owned();
                gix::refs::FullName::try_from(name).ok()?;
                let id = plain_file(&self.common_dir.join(name))?;
                (Branch::Named(short), id)
            }
        };
        let id = id.strip_suffix('\n').unwrap_or(&id);
        let id = gix::ObjectId::from_hex(id.as_bytes()).ok()?;
        (id.kind() == self.inner.object_hash()).then_some((branch, id))
    }

    /// Returns the token of the present state; see [`RepoState`].
    pub fn repo_state(&self) -> Result<RepoState, GitError> {
        if self.source.is_commit() {
            return Ok(RepoState {
                snapshot: self.snapshot()?,
                staging: None,
                locked: false,
            });
        }
        let path = self.staging_path();
        // The lock is looked at first: one that is taken later shows as another stat at the end.
        let lock = path.with_extension("lock");
        let locked =
            lock.symlink_metadata().is_ok() && !stale_lock::is_stale(&lock, &self.work_dir);
        let staging = match path.metadata() {
            Ok(meta) if !meta.is_file() => return Err(git_dir::special_file("index")),
            Ok(meta) => Some(content::stat_of(&Metadata::from_just_metadata(meta))),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(e) => {
                return Err(GitError::Staging {
                    path,
                    source: Box::new(e),
                });
            }
        };
        Ok(RepoState {
            snapshot: self.snapshot()?,
            staging,
            locked,
        })
    }

    /// Whether there is an `index.lock` that no process holds: git was killed while it wrote the staging area.
    pub fn has_stale_lock(&self) -> bool {
        let lock = self.staging_path().with_extension("lock");
        stale_lock::is_stale(&lock, &self.work_dir)
    }

    /// Returns whether a rebase, merge, cherry-pick, revert, bisect or `git am` is under way.
    pub fn in_progress(&self) -> bool {
        // Git keeps the commits of these two as references, of all others as files.
        let is_picking = || {
            let table = Reftable::of(&self.inner).ok().flatten();
            table.is_some_and(|table| {
                let is_there = |name| matches!(table.follow(name), Ok(Some(_)));
                is_there("CHERRY_PICK_HEAD") || is_there("REVERT_HEAD")
            })
        };
        self.inner.state().is_some() || is_picking()
    }

    /// Returns the commit that is checked out; `None` before the first one.
    pub(super) fn head_commit(&self) -> Result<Option<gix::Commit<'_>>, GitError> {
        let head = self.snapshot()?.head;
        let id = head.and_then(|head| gix::ObjectId::from_hex(head.as_str().as_bytes()).ok());
        let commit = id.map(|id| self.inner.find_commit(id)).transpose();
        commit.map_err(|source| GitError::Status {
            source: boxed(source),
        })
    }

    /// The file of the staging area. An environment that names another one is for the git command that
    /// set it.
    pub(super) fn staging_path(&self) -> std::path::PathBuf {
        self.git_dir.join("index")
    }
}

/// Returns the branch and commit that a work tree of the repository has checked out.
pub(super) fn snapshot_of(repo: &gix::Repository) -> Result<Snapshot, GitError> {
    let failed = |source| GitError::Head {
        source: boxed(source),
    };
    if let Some(table) = Reftable::of(repo)? {
        let head = table.head()?;
        let branch = match head.name.as_str() {
            "HEAD" => Branch::Detached,
            name => Branch::Named(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
        };
        let head = head.id.and_then(commit_id);
        return Ok(Snapshot { branch, head });
    }
    let mut head = repo.head().map_err(failed)?;
    let branch = match &head.kind {
        gix::head::Kind::Symbolic(found) => Branch::Named(found.name.shorten().to_string()),
        gix::head::Kind::Unborn(name) => Branch::Named(name.shorten().to_string()),
        gix::head::Kind::Detached { .. } => Branch::Detached,
    };
    let id = head.try_peel_to_id().map_err(failed)?;
    let head = id.and_then(|id| commit_id(id.detach()));
    Ok(Snapshot { branch, head })
}

fn commit_id(id: gix::ObjectId) -> Option<CommitId> {
    CommitId::new(&id.to_hex().to_string())
}

/// Returns the text of a file with one line; `None` where it is anything else, a link among them.
fn plain_file(path: &Path) -> Option<String> {
    let text = content::read_no_link(path, MAX_REFERENCE_BYTES).ok()??;
    String::from_utf8(text).ok()
}
