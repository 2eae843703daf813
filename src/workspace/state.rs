//! The state of a repository's indexes, without building anything.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Revision, Workspace, key_of, survey};
use crate::error::Result;
use crate::git::{Dirty, GitError, Repo, Scan};
use crate::model::{Branch, Budget, SkipReason, Snapshot, UnknownReason};
use crate::reconcile::plan::Detection;
use crate::reconcile::{self, seed};
use crate::store::files::RowCounts;
use crate::store::{Index, IndexKey, Pointer, Read, WriteLock, freeze};

/// How far an index is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexStatus {
    /// There is none.
    Missing,
    /// A process is building it.
    Building,
    /// Files are pending.
    Partial,
    /// It equals the work tree.
    Ready,
}

impl IndexStatus {
    /// Returns the word used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Building => "building",
            Self::Partial => "partial",
            Self::Ready => "ready",
        }
    }
}

/// The checked-out branch and commit, and their index.
#[derive(Clone, Debug)]
pub struct CurrentState {
    /// The work tree.
    pub work_dir: std::path::PathBuf,
    /// Which work tree of the repository it is.
    pub worktree_id: String,
    /// Whether the repository has no work tree.
    pub is_bare: bool,
    /// The branch that is checked out, or that `HEAD` of a bare repository names.
    pub branch: Branch,
    /// The checked-out branch and commit.
    pub snapshot: Snapshot,
    /// The index that belongs to it, whether or not it exists.
    pub index_id: String,
    /// How far it is.
    pub status: IndexStatus,
    /// Files of the work tree that differ from `HEAD`; `None` where that could not be found out.
    pub n_dirty: Option<u64>,
    /// Files that differ from the index; of a missing one, from the index that it would start from.
    pub n_pending: u64,
    /// When its rows last changed, in milliseconds since the Unix epoch.
    pub last_indexed_ms: Option<i64>,
    /// The index that a missing one would start from.
    pub seed_from: Option<String>,
}

/// One index of a repository, as lists show it.
#[derive(Clone, Debug)]
pub struct ListedIndex {
    /// Repository, work tree, branch and commit.
    pub pointer: Pointer,
    /// The bytes of its files.
    pub bytes: u64,
    /// When it was last opened, in milliseconds since the Unix epoch.
    pub last_used_ms: Option<i64>,
    /// Whether it is that of the commit which this work tree has checked out.
    pub is_active: bool,
    /// Whether a pinned context is known to be saved on it.
    pub is_pinned: bool,
    /// Whether it is kept as its difference to a file that frozen indexes share.
    pub is_frozen: bool,
}

/// The counts of an index.
#[derive(Clone, Debug, Default)]
pub struct IndexCounts {
    /// Rows of each kind.
    pub counts: RowCounts,
    /// Relations between two files: imports, and uses of definitions, by kind and provenance.
    pub n_file_relations: u64,
    /// Files by language.
    pub languages: BTreeMap<String, u64>,
    /// Files that were left out or reduced, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// When rows last changed, in milliseconds since the Unix epoch.
    pub last_indexed_ms: Option<i64>,
    /// Files that differ from the index, or wait to be linked.
    pub n_pending: u64,
}

/// The result of checking the index.
#[derive(Clone, Debug)]
pub struct Health {
    /// SQLite's finding; `None` when nothing is wrong.
    pub damage: Option<String>,
    /// The journal mode.
    pub journal_mode: String,
}

impl Workspace {
    /// Returns the checked-out commit, or the one that is asked for, and how complete its index is. Builds nothing.
    pub fn current(
        &self,
        revision: Option<&Revision>,
        interrupt: &Arc<AtomicBool>,
    ) -> Result<CurrentState> {
        let repo = self.repo_at(revision)?;
        let budget = Budget::unlimited(Arc::clone(interrupt));
        let snapshot = repo.snapshot()?;
        let key = key_of(&repo, snapshot.clone());
        let mut current = CurrentState {
            work_dir: repo.work_dir().to_owned(),
            worktree_id: repo.worktree_id(),
            is_bare: repo.is_bare(),
            branch: if repo.is_bare() && revision.is_none_or(|revision| revision.name == "HEAD") {
                repo.checked_out()?.branch
            } else {
                snapshot.branch.clone()
            },
            snapshot,
            index_id: key.index_id(),
            status: IndexStatus::Missing,
            n_dirty: repo.source().is_commit().then_some(0),
            n_pending: 0,
            last_indexed_ms: None,
            seed_from: None,
        };
        let Some(index) = self.existing(&key)? else {
            let (scan, dirty) = repo.scan_and_dirty(&budget)?;
            current.n_pending = scan.files.len() as u64;
            current.n_dirty = n_dirty(dirty);
            if let Some(seed) = seed::nearest(&repo, &self.home, &key) {
                current.seed_from = Some(seed.index_id.clone());
                current.n_pending = self.n_pending_from(&repo, seed, scan, interrupt)?;
            }
            return Ok(current);
        };
        let is_held = WriteLock::is_held(&self.home.repo(&key.repo_id).write_lock(&key.index_id()));
        // One walk for both.
        let detection = reconcile::detect_by(&repo, &index, || {
            let (scan, dirty) = repo.scan_and_dirty(&budget)?;
            current.n_dirty = n_dirty(dirty);
            Ok(scan)
        })?;
        current.n_pending = n_pending(&repo, detection, &budget);
        let meta = index.read()?.meta().clone();
        current.last_indexed_ms = meta.last_indexed_ms;
        current.status = match current.n_pending {
            _ if is_held && !meta.complete => IndexStatus::Building,
            0 if meta.complete => IndexStatus::Ready,
            _ => IndexStatus::Partial,
        };
        self.keep(index);
        Ok(current)
    }

    /// Returns how many files of a scan an index that starts from `seed` would have to read. Files whose stat differs are
    /// compared as long as a question may take; the rest counts.
    fn n_pending_from(
        &self,
        repo: &Repo,
        seed: Pointer,
        scan: Scan,
        interrupt: &Arc<AtomicBool>,
    ) -> Result<u64> {
        let n_files = scan.files.len() as u64;
        let budget = Budget::within(self.budget, Arc::clone(interrupt));
        let Ok(index) = Index::open(&self.home.repo(&seed.repo_id), seed) else {
            return Ok(n_files);
        };
        let detection = reconcile::detect_by(repo, &index, || Ok(scan))?;
        Ok(n_pending(repo, detection, &budget).min(n_files))
    }

    /// Returns the checked-out commit's index id, whether or not the index exists.
    pub fn identity(&self) -> Result<(String, Snapshot)> {
        let repo = self.repo()?;
        let snapshot = repo.snapshot()?;
        Ok((key_of(&repo, snapshot.clone()).index_id(), snapshot))
    }

    /// Returns every index of the repository, the active one first, then the most recently used.
    pub fn indexes(&self) -> Result<Vec<ListedIndex>> {
        let repo = self.repo()?;
        let key = key_of(&repo, repo.snapshot()?);
        let home = self.home.repo(&key.repo_id);
        let active = key.index_id();
        let pins = survey::pinned_indexes(&home).unwrap_or_default();
        let mut found: Vec<ListedIndex> = home
            .pointers()
            .into_iter()
            .map(|pointer| ListedIndex {
                bytes: home.disk_usage(&pointer),
                last_used_ms: home.last_used_ms(&pointer),
                is_active: pointer.index_id == active,
                is_pinned: pins.contains(&pointer.index_id),
                is_frozen: freeze::is_frozen(&home, &pointer),
                pointer,
            })
            .collect();
        found.sort_by_key(|entry| {
            (
                !entry.is_active,
                std::cmp::Reverse(entry.last_used_ms),
                entry.pointer.index_id.clone(),
            )
        });
        Ok(found)
    }

    /// Returns the counts of the checked-out commit's index; `None` if there is none.
    pub fn contents(&self, interrupt: &Arc<AtomicBool>) -> Result<Option<IndexCounts>> {
        let repo = self.repo()?;
        let key = key_of(&repo, repo.snapshot()?);
        let Some(index) = self.existing(&key)? else {
            return Ok(None);
        };
        let budget = Budget::within(self.budget, Arc::clone(interrupt));
        let detection = reconcile::detect(&repo, &index, &budget)?;
        let n_pending = n_pending(&repo, detection, &budget);
        let contents = {
            let read = index.read()?;
            IndexCounts {
                counts: read.counts()?,
                n_file_relations: read.n_file_relations()?,
                languages: read.languages()?,
                skipped: skipped(&read)?,
                last_indexed_ms: read.meta().last_indexed_ms,
                n_pending,
            }
        };
        self.keep(index);
        Ok(Some(contents))
    }

    /// Checks the checked-out commit's index; `None` if there is none.
    pub fn health(&self) -> Result<Option<Health>> {
        let repo = self.repo()?;
        let key = key_of(&repo, repo.snapshot()?);
        let home = self.home.repo(&key.repo_id);
        let broken = |what: String| Health {
            damage: Some(what),
            journal_mode: "wal".to_owned(),
        };
        let index_id = key.index_id();
        let Some(pointer) = home.pointer(&index_id) else {
            let is_broken = home.has_broken_pointer(&index_id);
            return Ok(
                is_broken.then(|| broken("the pointer to its file can't be read".to_owned()))
            );
        };
        let index = match Index::open(&home, pointer) {
            Ok(index) => index,
            Err(error) if error.is_unusable() => {
                return Ok(Some(broken(
                    "its file is damaged, gone or of another version".to_owned(),
                )));
            }
            Err(error) => return Err(error.into()),
        };
        let health = Health {
            damage: index.damage()?,
            journal_mode: index.journal_mode()?,
        };
        Ok(Some(health))
    }

    /// Hands `work` the index of what is checked out as it is, without bringing it up to date; `None` where there is none.
    ///
    /// # Errors
    /// For a repository or an index that can't be read, and those of `work`.
    pub fn with_stored_index<T>(
        &self,
        work: impl FnOnce(&Read<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.with_stored_index_of(&self.repo()?, work)
    }

    /// Does [`Self::with_stored_index`] for a repository that is open.
    pub(super) fn with_stored_index_of<T>(
        &self,
        repo: &Repo,
        work: impl FnOnce(&Read<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let key = key_of(repo, repo.snapshot()?);
        let Some(index) = self.existing(&key)? else {
            return Ok(None);
        };
        let found = work(&index.read()?);
        self.keep(index);
        found.map(Some)
    }

    pub(super) fn existing(&self, key: &IndexKey) -> Result<Option<Index>> {
        if let Some(index) = self.idle_index(key) {
            return Ok(Some(index));
        }
        let home = self.home.repo(&key.repo_id);
        let Some(pointer) = home.pointer(&key.index_id()) else {
            return Ok(None);
        };
        match Index::open(&home, pointer) {
            Ok(index) => Ok(Some(index)),
            // The next query puts a new one in its place.
            Err(error) if error.is_unusable() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

fn n_pending(repo: &Repo, detection: Detection, budget: &Budget) -> u64 {
    let outcome = reconcile::inspect(repo, detection, budget, UnknownReason::Busy);
    outcome.freshness.n_pending()
}

/// An unreadable file can't be compared: the rest is told all the same.
fn n_dirty(dirty: std::result::Result<Dirty, GitError>) -> Option<u64> {
    dirty
        .map(|dirty| dirty.paths.len() as u64)
        .inspect_err(
            |error| tracing::info!(%error, "the work tree could not be compared with HEAD"),
        )
        .ok()
}

/// Returns the files that were left out or reduced, by the words used in answers.
pub(super) fn skipped(read: &Read<'_>) -> Result<BTreeMap<&'static str, u64>> {
    let mut found: BTreeMap<&'static str, u64> = read
        .skipped()?
        .into_iter()
        .map(|(reason, n)| (reason.as_str(), n))
        .collect();
    for (word, n) in read.meta().left_out_counts() {
        let mut reasons = SkipReason::ALL.iter();
        if let Some(reason) = reasons.find(|reason| reason.as_str() == word) {
            *found.entry(reason.as_str()).or_default() += n;
        }
    }
    Ok(found)
}
