//! Repositories that CodeLens keeps itself, in its data directory: each state of a tree that is no repository is a commit on one branch.
//!
//! Bare: there are objects and a branch, and no files beside them.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use gix::ObjectId;
use gix::objs::tree::{Entry, EntryKind};
use gix::objs::{Commit, Kind, Tree, Write as _};
use gix::refs::transaction::PreviousValue;

use super::GitError;
use crate::model::{CommitId, RepoPath};

/// The branch of all commits.
const BRANCH: &str = "refs/heads/archive";

/// A repository that CodeLens keeps, and the files of its next commit.
pub struct ArchiveRepository {
    repo: gix::Repository,
    files: BTreeMap<String, ObjectId>,
}

/// The last commit of such a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveState {
    /// The commit.
    pub commit: CommitId,
    /// Its message.
    pub message: String,
    /// Its time, in seconds since 1970.
    pub seconds: i64,
    /// How many commits there are.
    pub n_commits: usize,
}

impl ArchiveRepository {
    /// Opens the repository at `dir`, which is made if it is not there.
    ///
    /// # Errors
    /// [`GitError::Open`] where that fails.
    pub fn open(dir: &Path) -> Result<Self, GitError> {
        let failed = |source| GitError::Open {
            path: dir.to_owned(),
            source,
        };
        let repo = if dir.join("HEAD").is_file() {
            open(dir)?
        } else {
            std::fs::create_dir_all(dir).map_err(|error| failed(error.into()))?;
            let made = gix::init_bare(dir).map_err(|error| failed(error.into()))?;
            // Whatever the user calls the first branch of new repositories.
            std::fs::write(dir.join("HEAD"), format!("ref: {BRANCH}\n"))
                .map_err(|error| failed(error.into()))?;
            drop(made);
            open(dir)?
        };
        Ok(Self {
            repo,
            files: BTreeMap::new(),
        })
    }

    /// Returns the last commit of the repository at `dir`; `None` where there is none.
    ///
    /// # Errors
    /// [`GitError::Open`], [`GitError::Head`] where it can't be read.
    pub fn state(dir: &Path) -> Result<Option<ArchiveState>, GitError> {
        state_of(&open(dir)?)
    }

    /// Reads every file and directory of the last commit of the repository at `dir`, and returns what is wrong with the first one that
    /// is gone, or whose bytes have another hash than its name; `None` where nothing is. Costs as much as reading them all.
    ///
    /// # Errors
    /// [`GitError::Open`], [`GitError::Head`] where the commit itself can't be read.
    pub fn damage(dir: &Path) -> Result<Option<String>, GitError> {
        let repo = open(dir)?;
        let Some(state) = state_of(&repo)? else {
            return Ok(None);
        };
        let head = |source| GitError::Head { source };
        let commit = ObjectId::from_hex(state.commit.as_str().as_bytes())
            .map_err(|error| head(error.into()))?;
        let tree = repo
            .find_commit(commit)
            .and_then(|commit| Ok(commit.tree_id()?.detach()));
        let mut open_ids = vec![tree.map_err(|error| head(error.into()))?];
        while let Some(id) = open_ids.pop() {
            let Ok(object) = repo.find_object(id) else {
                return Ok(Some(format!("object {id} can't be read")));
            };
            let hash = gix::objs::compute_hash(id.kind(), object.kind, &object.data);
            if !hash.is_ok_and(|hash| hash == id) {
                return Ok(Some(format!("object {id} has other bytes")));
            }
            if object.kind == Kind::Tree {
                let entries = gix::objs::TreeRefIter::from_bytes(&object.data, id.kind());
                let ids = entries.filter_map(Result::ok).map(|it| it.oid.to_owned());
                open_ids.extend(ids);
            }
        }
        Ok(None)
    }

    /// Stores a file of the next commit: `size` bytes.
    ///
    /// # Errors
    /// [`GitError::Write`] where it can't be stored, that of `bytes` among them.
    pub fn add_file(
        &mut self,
        path: &RepoPath,
        size: u64,
        bytes: &mut dyn Read,
    ) -> Result<(), GitError> {
        let id = self
            .repo
            .objects
            .write_stream(Kind::Blob, size, bytes)
            .map_err(|error| GitError::Write {
                source: error.into(),
            })?;
        self.files.insert(path.as_str().to_owned(), id);
        Ok(())
    }

    /// Makes the files that were added the next commit, by nobody in particular, and returns it.
    ///
    /// # Errors
    /// [`GitError::Write`].
    pub fn commit(self, message: &str, seconds: i64) -> Result<CommitId, GitError> {
        let failed = |source| GitError::Write { source };
        let mut root = Directory::default();
        for (path, id) in &self.files {
            root.add(path, *id);
        }
        let tree = root.write(&self.repo)?;
        let parent = self
            .repo
            .try_find_reference(BRANCH)
            .map_err(|error| failed(error.into()))?
            .map(|mut it| it.peel_to_id().map(gix::Id::detach))
            .transpose()
            .map_err(|error| failed(error.into()))?;
        let by = gix::actor::Signature {
            name: "codelens".into(),
            email: "codelens@localhost".into(),
            time: gix::date::Time::new(seconds, 0),
        };
        let commit = Commit {
            tree,
            parents: parent.into_iter().collect(),
            author: by.clone(),
            committer: by,
            encoding: None,
            message: message.into(),
            extra_headers: Vec::new(),
        };
        let id = self
            .repo
            .write_object(&commit)
            .map_err(|error| failed(error.into()))?
            .detach();
        self.repo
            .reference(BRANCH, id, PreviousValue::Any, "archive")
            .map_err(|error| failed(error.into()))?;
        commit_id(id)
    }
}

/// Returns the last commit of a repository.
fn state_of(repo: &gix::Repository) -> Result<Option<ArchiveState>, GitError> {
    let head = |source| GitError::Head { source };
    let Some(mut reference) = repo
        .try_find_reference(BRANCH)
        .map_err(|error| head(error.into()))?
    else {
        return Ok(None);
    };
    let id = reference
        .peel_to_id()
        .map_err(|error| head(error.into()))?
        .detach();
    let mut n_commits = 0;
    let mut last = None;
    let mut next = Some(id);
    while let Some(id) = next {
        let commit = repo.find_commit(id).map_err(|error| head(error.into()))?;
        n_commits += 1;
        if last.is_none() {
            let message = commit.message_raw_sloppy().to_string();
            let seconds = commit.time().map_err(|error| head(error.into()))?.seconds;
            last = Some((message, seconds));
        }
        next = commit.parent_ids().next().map(gix::Id::detach);
    }
    let commit = commit_id(id)?;
    Ok(last.map(|(message, seconds)| ArchiveState {
        commit,
        message,
        seconds,
        n_commits,
    }))
}

fn commit_id(id: ObjectId) -> Result<CommitId, GitError> {
    CommitId::new(&id.to_hex().to_string()).ok_or_else(|| GitError::Head {
        source: format!("{id} is no name of a commit").into(),
    })
}

/// Opens a repository of ours as it is, without the user's configuration.
fn open(dir: &Path) -> Result<gix::Repository, GitError> {
    gix::open_opts(dir, gix::open::Options::isolated()).map_err(|error| GitError::Open {
        path: dir.to_owned(),
        source: error.into(),
    })
}

/// The entries of a directory.
#[derive(Default)]
struct Directory<'p> {
    files: Vec<(&'p str, ObjectId)>,
    directories: BTreeMap<&'p str, Self>,
}

impl<'p> Directory<'p> {
    fn add(&mut self, path: &'p str, id: ObjectId) {
        match path.split_once('/') {
            Some((name, rest)) => self.directories.entry(name).or_default().add(rest, id),
            None => self.files.push((path, id)),
        }
    }

    /// Stores the tree, those below first. Paths have at most 64 parts, which bounds the depth.
    fn write(&self, repo: &gix::Repository) -> Result<ObjectId, GitError> {
        let mut entries = Vec::with_capacity(self.files.len() + self.directories.len());
        for (name, id) in &self.files {
            entries.push(Entry {
                mode: EntryKind::Blob.into(),
                filename: (*name).into(),
                oid: *id,
            });
        }
        for (name, directory) in &self.directories {
            entries.push(Entry {
                mode: EntryKind::Tree.into(),
                filename: (*name).into(),
                oid: directory.write(repo)?,
            });
        }
        entries.sort();
        let written = repo.write_object(Tree { entries });
        let id = written.map_err(|error| GitError::Write {
            source: error.into(),
        })?;
        Ok(id.detach())
    }
}
