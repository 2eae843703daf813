//! The state of the repositories that have a part of the data directory.
//!
//! A fact that cannot be found out counts as unknown: nothing follows from it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::{key_of, now_ms};
use crate::git::{GitError, Repo};
use crate::lifecycle::policy::{
    PruneCandidate, PruneReason, RECENT_DAYS, RepositoryIndexes, RepositoryRefs, RepositoryState,
};
use crate::lifecycle::prune::Extra;
use crate::model::CommitId;
use crate::store::{Home, IndexKey, Pointer, RecordStore, RepoHome, SCHEMA_VERSION, freeze};

/// A repository with its part of the data directory.
pub(super) struct SurveyedRepository {
    pub(super) home: RepoHome,
    pub(super) clone_family: Option<String>,
    pub(super) common_dir: Option<PathBuf>,
    pub(super) indexes: RepositoryIndexes,
}

/// Returns every repository of a data directory; `own` is one that is open already.
pub(super) fn of_all(home: &Home, own: Option<&Repo>) -> Vec<SurveyedRepository> {
    home.repos()
        .iter()
        .map(|home| of_repository(home, own))
        .collect()
}

/// Returns the state of a repository and its indexes.
pub(super) fn of_repository(home: &RepoHome, own: Option<&Repo>) -> SurveyedRepository {
    let owner = home.owner();
    let pointers = home.pointers();
    let id = home.id();
    let opened;
    let repo = match own {
        Some(own) if own.repo_id() == id => Some(own),
        _ => {
            opened = open(&id, &pointers);
            opened.as_ref()
        }
    };
    let read = repo.and_then(|repo| match read(repo) {
        Ok(read) => Some(read),
        Err(error) => {
            tracing::info!(%error, "the repository could not be read");
            None
        }
    });
    let is_gone = owner.as_ref().is_some_and(|owner| owner.is_gone);
    // Pins that can't be read may be on any of them.
    let pins = pinned_indexes(home);
    let (active, unread) = match &read {
        Some(read) => (read.active.clone(), read.unread.clone()),
        None => (BTreeSet::new(), BTreeSet::new()),
    };
    let is_frozen: Vec<bool> = pointers
        .iter()
        .map(|pointer| freeze::is_frozen(home, pointer))
        .collect();
    let n_frozen = is_frozen.iter().filter(|is| **is).count().max(1);
    let part = freeze::base_bytes(home) / n_frozen as u64;
    let entries = pointers
        .into_iter()
        .zip(is_frozen)
        .map(|(pointer, is_frozen)| PruneCandidate {
            bytes: home.disk_usage(&pointer),
            shared_bytes: if is_frozen { part } else { 0 },
            last_used_ms: home.last_used_ms(&pointer).unwrap_or_default(),
            is_active: active.contains(&pointer.index_id) || unread.contains(&pointer.worktree_id),
            is_pinned: pins
                .as_ref()
                .is_none_or(|pins| pins.contains(&pointer.index_id)),
            pointer,
        })
        .collect();
    let state = match read {
        Some(read) => RepositoryState::Known(read.known),
        None if is_gone => RepositoryState::Gone,
        None => RepositoryState::Unknown,
    };
    SurveyedRepository {
        home: home.clone(),
        clone_family: owner.as_ref().and_then(|owner| owner.clone_family.clone()),
        common_dir: owner.map(|owner| owner.common_dir),
        indexes: RepositoryIndexes { state, entries },
    }
}

/// Returns whether an index is the checked-out one of its work tree, or pinned, at this moment.
pub(super) fn is_needed(home: &RepoHome, pointer: &Pointer) -> bool {
    let is_pinned = || pinned_indexes(home).is_none_or(|pins| pins.contains(&pointer.index_id));
    is_checked_out(pointer) || is_pinned()
}

/// Returns whether an index is the checked-out one of its work tree at this moment.
pub(super) fn is_checked_out(pointer: &Pointer) -> bool {
    let checked_out = Repo::discover(&pointer.work_dir).ok().and_then(|repo| {
        let snapshot = repo.snapshot().ok()?;
        Some(key_of(&repo, snapshot).index_id())
    });
    checked_out.as_deref() == Some(pointer.index_id.as_str())
}

/// Returns the ids of the indexes that pinned contexts were saved on; `None` where the records can't be read.
pub(super) fn pinned_indexes(home: &RepoHome) -> Option<BTreeSet<String>> {
    let records = RecordStore::open_existing(home).ok()?;
    let pins = records.map(|records| records.pinned_indexes()).transpose();
    Some(pins.ok()?.into_iter().flatten().collect())
}

/// Opens a repository through a work tree that it had.
fn open(id: &str, pointers: &[Pointer]) -> Option<Repo> {
    let places: BTreeSet<&PathBuf> = pointers.iter().map(|pointer| &pointer.work_dir).collect();
    places
        .into_iter()
        .filter_map(|place| Repo::discover(place).ok())
        .find(|repo| repo.repo_id() == id)
}

struct ReadRepo {
    known: RepositoryRefs,
    /// The indexes of commits that some work tree has checked out.
    active: BTreeSet<String>,
    /// Work trees of which that is not known.
    unread: BTreeSet<String>,
}

fn read(repo: &Repo) -> std::result::Result<ReadRepo, GitError> {
    let branches = repo.branches()?;
    let since_s = now_ms() / 1_000 - i64::from(RECENT_DAYS) * 86_400;
    let mut known = RepositoryRefs::default();
    for name in branches.local.keys().chain(branches.remote.keys()) {
        known.tips.insert(name.clone(), branches.tips(name));
    }
    let (mut active, mut unread) = (BTreeSet::new(), BTreeSet::new());
    for checkout in repo.checkouts(since_s)? {
        match checkout.snapshot {
            Some(snapshot) => {
                let key = IndexKey {
                    repo_id: repo.repo_id(),
                    worktree_id: checkout.worktree_id.clone(),
                    snapshot,
                };
                active.insert(key.index_id());
            }
            None => drop(unread.insert(checkout.worktree_id.clone())),
        }
        known
            .worktrees
            .insert(checkout.worktree_id, checkout.recent);
    }
    // The asking work tree exists, even if the list lacks it.
    let own = key_of(repo, repo.snapshot()?);
    known.worktrees.entry(own.worktree_id.clone()).or_default();
    active.insert(own.index_id());
    Ok(ReadRepo {
        known,
        active,
        unread,
    })
}

/// Returns the indexes that the next job does without: of this repository and its clones everything but what is
/// checked out here, and the latest index of the default branch and of each of `names`, which are branches and commits.
pub(super) fn needless(found: &[SurveyedRepository], repo: &Repo, names: &[String]) -> Extra {
    let id = repo.repo_id();
    let own = found.iter().find(|found| found.home.id() == id);
    let clone_family = own.and_then(|own| own.clone_family.clone());
    let is_kin = |other: &SurveyedRepository| {
        other.home.id() == id || (clone_family.is_some() && other.clone_family == clone_family)
    };
    let branches = repo.branches().unwrap_or_default();
    let names: BTreeSet<&str> = branches
        .default_branch()
        .into_iter()
        .chain(names.iter().map(String::as_str))
        .collect();
    let wanted: Vec<(&str, BTreeSet<CommitId>)> = names
        .into_iter()
        .map(|name| {
            let mut commits = branches.tips(name);
            commits.extend(CommitId::new(name));
            (name, commits)
        })
        .collect();
    let mut latest = vec![None; wanted.len()];
    let mut extra: BTreeMap<(usize, usize), PruneReason> = BTreeMap::new();
    for (at, kin) in found.iter().enumerate().filter(|(_, found)| is_kin(found)) {
        for (n, entry) in kin.indexes.entries.iter().enumerate() {
            let is_here = kin.home.id() == id;
            if (entry.is_active && is_here) || entry.is_pinned {
                continue;
            }
            extra.insert((at, n), PruneReason::Unused);
            if entry.pointer.schema_version != SCHEMA_VERSION {
                continue;
            }
            for ((name, commits), latest) in wanted.iter().zip(&mut latest) {
                let head = entry.pointer.head();
                let is_tip = head.is_some_and(|head| commits.contains(&head));
                if is_tip || entry.pointer.branch.as_deref() == Some(*name) {
                    let rank = (is_here, is_tip, entry.last_used_ms);
                    *latest = (*latest).max(Some((rank, at, n)));
                }
            }
        }
    }
    for (_, at, n) in latest.into_iter().flatten() {
        extra.remove(&(at, n));
    }
    extra
}
