//! The repository that an earlier call opened, for the calls after it: opening it takes two hundred system calls, to find
//! that it would be opened as it was takes thirty.
//!
//! Settings are compared by their bytes, not by their times (see `opened_from`). Where anything differs, or can't be told,
//! the repository is opened anew. Knows no index.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::head::KnownCommit;
use super::opened_from::{OpenedFrom, included_files};
use super::{GitError, OBJECT_CACHE_BYTES, Repo, Source};
use crate::model::indexing_rules::IndexingRules;
use crate::model::visited::Doubts;

/// How long a repository serves. One that did so for ever would keep packs on the disk that git has replaced.
const MAX_AGE: Duration = Duration::from_mins(1);

/// A place for the open repository of one work tree.
#[derive(Default)]
pub struct KeptRepo {
    slot: Mutex<Option<Kept>>,
}

/// A repository as it was opened, before a call gave it settings of its own.
struct Kept {
    shared: gix::ThreadSafeRepository,
    work_dir: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    source: Source,
    drivers: Vec<gix::bstr::BString>,
    known_commit: KnownCommit,
    opened_from: OpenedFrom,
    since: Instant,
}

impl KeptRepo {
    /// Returns the repository whose work tree has its root at `root`: the one that is kept, where it would be opened as it
    /// was, else one that is opened now, as by [`Repo::discover`].
    pub fn open(&self, root: &Path) -> Result<Repo, GitError> {
        if let Some(kept) = self.take_valid(root) {
            let repo = kept.repo();
            *self.slot() = Some(kept);
            return Ok(repo);
        }
        // Read before the repository is opened, so that a change between the two shows as a difference later on.
        let mut before = OpenedFrom::read(root, &[]);
        let mut repo = Repo::discover(root)?;
        let included = included_files(&repo);
        if let Some(files) = included.as_deref().filter(|files| !files.is_empty()) {
            before = OpenedFrom::read(root, files);
            repo = Repo::discover(root)?;
        }
        let is_known = included.is_some() && included_files(&repo) == included;
        let is_kept = is_known && repo.work_dir == root && !repo.source.is_commit();
        if let Some(opened_from) = before.filter(|_| is_kept) {
            *self.slot() = Some(Kept::new(&repo, opened_from));
        }
        Ok(repo)
    }

    /// Closes the repository that is kept.
    pub fn forget(&self) {
        self.slot().take();
    }

    /// Takes the repository out, if it would be opened as it was. Others that ask meanwhile open their own.
    fn take_valid(&self, root: &Path) -> Option<Kept> {
        let kept = self.slot().take()?;
        let is_young = kept.work_dir == root && kept.since.elapsed() < MAX_AGE;
        let is_same = is_young && kept.opened_from.read_again().as_ref() == Some(&kept.opened_from);
        is_same.then_some(kept)
    }

    /// Returns when the repository that is kept was opened.
    #[cfg(test)]
    pub(super) fn opened_at(&self) -> Option<Instant> {
        self.slot().as_ref().map(|kept| kept.since)
    }

    fn slot(&self) -> MutexGuard<'_, Option<Kept>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn new(repo: &Repo, opened_from: OpenedFrom) -> Self {
        Self {
            shared: repo.inner.clone().into_sync(),
            work_dir: repo.work_dir.clone(),
            git_dir: repo.git_dir.clone(),
            common_dir: repo.common_dir.clone(),
            source: repo.source.clone(),
            drivers: repo.drivers.clone(),
            known_commit: repo.known_commit.clone(),
            opened_from,
            since: Instant::now(),
        }
    }

    fn repo(&self) -> Repo {
        let mut inner = self.shared.to_thread_local();
        inner.object_cache_size_if_unset(OBJECT_CACHE_BYTES);
        Repo {
            inner,
            work_dir: self.work_dir.clone(),
            git_dir: self.git_dir.clone(),
            common_dir: self.common_dir.clone(),
            source: self.source.clone(),
            drivers: self.drivers.clone(),
            known_commit: self.known_commit.clone(),
            indexing_rules: IndexingRules::default(),
            directories: None,
            doubts: Doubts::default(),
        }
    }
}
