//! Opens the index of a work tree or of a commit, or makes it: a copy of the nearest index (a seed), else an empty one. [`crate::store`]
//! copies the rows.

use crate::git::Repo;
use crate::model::{COMMIT_SOURCE, CommitId};
use crate::store::{
    Home, Index, IndexKey, Pointer, RepoHome, SCHEMA_VERSION, StoreError, freeze, key, remove,
};

/// Indexes that are compared by the difference of their commits; the most recently used first.
const MAX_COMPARED: usize = 8;

/// From how many differing files on an index is no better a start than another.
const MAX_DISTANCE: usize = 20_000;

/// The cost of starting a work tree's index from that of a commit, in files that differ: no file has a stat there, so that each is read to
/// see that it is the same.
const COMMIT_SEED_PENALTY: usize = 200;

/// Where an index came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexOrigin {
    /// It was there.
    Existing,
    /// It was made by this call, from nothing.
    Empty,
    /// It was made by this call, from the index of this identity.
    Seeded(String),
}

/// Returns the index from which a new one for `key` would start; `None` if there is none.
pub fn nearest(repo: &Repo, home: &Home, key: &IndexKey) -> Option<Pointer> {
    choose(repo, home, key).map(|(_, pointer)| pointer)
}

/// Opens the index of `key`, or makes it: from the nearest index, else empty. An index that is damaged
/// or of another layout is left where it is, said in the log, and replaced by a new build.
pub fn open_or_create(
    repo: &Repo,
    home: &Home,
    key: &IndexKey,
) -> Result<(Index, IndexOrigin), StoreError> {
    let repo_home = home.repo(&key.repo_id);
    let index_id = key.index_id();
    let mut replaces = repo_home.has_broken_pointer(&index_id);
    if let Some(pointer) = repo_home.pointer(&index_id) {
        let build = pointer.build.clone();
        match Index::open(&repo_home, pointer) {
            Ok(index) => return Ok((index, IndexOrigin::Existing)),
            Err(_)
                if repo_home
                    .pointer(&index_id)
                    .is_some_and(|now| now.build != build) =>
            {
                // Replaced while it was opened: the new one is not the one that is damaged.
                return open_or_create(repo, home, key);
            }
            Err(error) if error.is_unusable() => {
                tracing::warn!(%index_id, %error, "set aside; building a new index");
                replaces = true;
            }
            Err(error) => return Err(error),
        }
    }
    prepare(repo, &repo_home)?;
    let pointer = new_pointer(repo, key);
    let (index, origin) = create(repo, home, key, &repo_home, &pointer)?;
    let published = repo_home.publish(&pointer, replaces);
    if matches!(published, Ok(true)) {
        retire_others(&repo_home, &pointer);
        return Ok((index, origin));
    }
    // Another process was first, and its build is as good; or nobody will ever find this one.
    drop(index);
    remove::discard(&repo_home, &pointer);
    published?;
    let winner = repo_home
        .pointer(&index_id)
        .ok_or_else(|| StoreError::Corrupt {
            path: repo_home.dir().to_owned(),
            what: "the pointer of an index vanished".to_owned(),
        })?;
    Ok((Index::open(&repo_home, winner)?, IndexOrigin::Existing))
}

/// Deletes a build that was not published, when it goes: one that stood in for an index until the answer was given,
/// one that could not be finished.
#[derive(Debug)]
pub struct Unpublished(RepoHome, Pointer);

impl Unpublished {
    /// Of a build that is open; its [`Index`] has to go first.
    pub fn of(index: &Index) -> Self {
        Self(index.home().clone(), index.pointer().clone())
    }

    /// Lets the build be, since it was published.
    pub fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Unpublished {
    fn drop(&mut self) {
        remove::discard(&self.0, &self.1);
    }
}

/// Makes a build for one answer, from the nearest index, in the place of one that must not be made now
/// since git is writing. Nobody else finds it.
pub fn temporary_index(
    repo: &Repo,
    home: &Home,
    key: &IndexKey,
) -> Result<(Index, Unpublished), StoreError> {
    let repo_home = home.repo(&key.repo_id);
    prepare(repo, &repo_home)?;
    let pointer = new_pointer(repo, key);
    let (index, _) = create(repo, home, key, &repo_home, &pointer)?;
    let stand_in = Unpublished::of(&index);
    Ok((index, stand_in))
}

/// Makes an empty build that nobody finds before [`publish`].
pub fn create_empty(repo: &Repo, home: &Home, key: &IndexKey) -> Result<Index, StoreError> {
    let repo_home = home.repo(&key.repo_id);
    prepare(repo, &repo_home)?;
    empty(&repo_home, &new_pointer(repo, key))
}

/// Makes a build the current one. The earlier one is deleted unless a process has it open.
pub fn publish(home: &Home, index: &Index) -> Result<(), StoreError> {
    let pointer = index.pointer();
    let repo_home = home.repo(&pointer.repo_id);
    let before = repo_home.pointer(&pointer.index_id);
    repo_home.publish(pointer, true)?;
    if let Some(before) = before.filter(|before| before.build != pointer.build) {
        remove::retire(&repo_home, &before);
    }
    Ok(())
}

/// Deletes the builds of an index other than `current` that nobody has open: left by a killed process, or still in use
/// when they were replaced.
pub fn retire_others(repo_home: &RepoHome, current: &Pointer) {
    for pointer in repo_home.stale_builds(current, std::time::Duration::ZERO) {
        remove::retire(repo_home, &pointer);
    }
}

/// Makes the repository's part of the data directory. Its family is looked up once: without a remote
/// that walks through history.
pub fn prepare(repo: &Repo, repo_home: &RepoHome) -> Result<(), StoreError> {
    if repo_home.is_known() {
        return Ok(());
    }
    repo_home.create(repo.common_dir(), repo.clone_family().as_deref())
}

fn create(
    repo: &Repo,
    home: &Home,
    key: &IndexKey,
    repo_home: &RepoHome,
    pointer: &Pointer,
) -> Result<(Index, IndexOrigin), StoreError> {
    if let Some((source_home, source)) = choose(repo, home, key) {
        let from = source.index_id.clone();
        match Index::seeded(repo_home, pointer.clone(), &source_home, source) {
            Ok(index) => return Ok((index, IndexOrigin::Seeded(from))),
            Err(error) => {
                tracing::warn!(%from, %error, "cannot start from this index; starting from nothing");
                remove::discard(repo_home, pointer);
            }
        }
    }
    Ok((empty(repo_home, pointer)?, IndexOrigin::Empty))
}

/// Makes an empty build; nothing is left of one that can't be made.
pub fn empty(repo_home: &RepoHome, pointer: &Pointer) -> Result<Index, StoreError> {
    Index::create(repo_home, pointer.clone()).inspect_err(|_| {
        remove::discard(repo_home, pointer);
    })
}

fn choose(repo: &Repo, home: &Home, key: &IndexKey) -> Option<(RepoHome, Pointer)> {
    let own = home.repo(&key.repo_id);
    let mut found = candidates(&own, key);
    if found.is_empty() {
        let clone_family = repo.clone_family()?;
        found = home
            .clones_of(&key.repo_id, &clone_family)
            .iter()
            .flat_map(|relative| candidates(relative, key))
            .collect();
    }
    // The work tree was just at the state that was used last, so that its stats hold; then the rest.
    found.sort_by_key(|(home, pointer)| {
        let same_tree = pointer.repo_id == key.repo_id && pointer.worktree_id == key.worktree_id;
        (
            !same_tree,
            std::cmp::Reverse(home.last_used_ms(pointer)),
            pointer.index_id.clone(),
        )
    });
    found.truncate(MAX_COMPARED);
    if found.len() < 2 {
        return found.pop();
    }
    let wanted = key.snapshot.head.as_ref();
    found
        .into_iter()
        // Of equals the larger file: it holds more of the wanted files.
        .min_by_key(|(home, pointer)| {
            let mut distance = distance(repo, pointer.head().as_ref(), wanted);
            if pointer.is_of_commit() && key.worktree_id != COMMIT_SOURCE {
                distance += COMMIT_SEED_PENALTY;
            }
            (distance, std::cmp::Reverse(home.bytes(pointer) >> 16))
        })
}

fn candidates(home: &RepoHome, key: &IndexKey) -> Vec<(RepoHome, Pointer)> {
    let own = key.index_id();
    home.pointers()
        .into_iter()
        .filter(|pointer| pointer.schema_version == SCHEMA_VERSION && pointer.index_id != own)
        // One that can't be woken is found out by whoever asks it.
        .filter(|pointer| !freeze::is_frozen(home, pointer) || freeze::has_base(home, pointer))
        .map(|pointer| (home.clone(), pointer))
        .collect()
}

fn distance(repo: &Repo, from: Option<&CommitId>, to: Option<&CommitId>) -> usize {
    match (from, to) {
        (Some(from), Some(to)) if from == to => 0,
        (Some(from), Some(to)) => repo
            .tree_distance(from, to, MAX_DISTANCE)
            .unwrap_or(MAX_DISTANCE),
        _ => MAX_DISTANCE,
    }
}

fn new_pointer(repo: &Repo, key: &IndexKey) -> Pointer {
    Pointer {
        index_id: key.index_id(),
        build: key::new_build(),
        repo_id: key.repo_id.clone(),
        worktree_id: key.worktree_id.clone(),
        work_dir: repo.work_dir().to_owned(),
        branch: key.snapshot.branch.name().map(str::to_owned),
        head_sha: key.snapshot.head.as_ref().map(ToString::to_string),
        schema_version: SCHEMA_VERSION,
    }
}
