//! Where the files of an index are read: the work tree, or the tree of a commit.
//!
//! The port for bytes: its readers do not know which of the two it is.

use std::io;

use crate::model::{BlobId, CommitId, FileStat, RepoPath};

use super::commit_tree::{CommitTree, TreeEntry};
use super::content::enters_dot_git;
use super::{FileRead, ReadError, WorkTree};

/// The files of a work tree or of a commit. Clones share what is open; many threads may read through it at once.
#[derive(Clone)]
pub struct Source {
    files: FileStore,
    hash: gix::hash::Kind,
}

#[derive(Clone)]
enum FileStore {
    WorkTree(WorkTree),
    Commit(CommitTree),
}

impl Source {
    pub(super) fn of_work_tree(tree: WorkTree, hash: gix::hash::Kind) -> Self {
        let files = FileStore::WorkTree(tree);
        Self { files, hash }
    }

    pub(super) fn of_commit(tree: CommitTree, hash: gix::hash::Kind) -> Self {
        let files = FileStore::Commit(tree);
        Self { files, hash }
    }

    /// Returns the work tree; `None` for a commit.
    pub(super) fn work_tree(&self) -> Option<&WorkTree> {
        match &self.files {
            FileStore::WorkTree(tree) => Some(tree),
            FileStore::Commit(_) => None,
        }
    }

    /// Returns the tree of the commit; `None` for a work tree.
    pub(super) fn commit_tree(&self) -> Option<&CommitTree> {
        match &self.files {
            FileStore::WorkTree(_) => None,
            FileStore::Commit(tree) => Some(tree),
        }
    }

    /// Returns whether these are the files of a commit, which never change.
    pub fn is_commit(&self) -> bool {
        self.commit_tree().is_some()
    }

    /// Returns the commit; `None` for a work tree, and for an empty repository without one.
    pub fn commit(&self) -> Option<&CommitId> {
        self.commit_tree()?.commit()
    }

    /// Reads the regular file at `path`, at most `limit` bytes, following no link. From a work tree the bytes are those
    /// on the disk; from a commit those that git stores, which no filter has converted.
    pub fn read(&self, path: &RepoPath, limit: u64) -> Result<FileRead, ReadError> {
        match &self.files {
            FileStore::WorkTree(tree) => tree.read(path, limit),
            FileStore::Commit(tree) => tree.read(path, limit),
        }
    }

    /// Reads the bytes of a file of the work tree that is known to be a regular one, for a caller that compares them with what they were.
    /// `None` where that fails, for whatever reason, and for a commit: [`Self::read`] tells.
    pub fn read_again(&self, path: &RepoPath, limit: u64) -> Option<Vec<u8>> {
        self.work_tree()?.read_again(path, limit)
    }

    /// Returns the stat of the regular file at `path`, following no link; `None` where there is none. A commit tells the
    /// size alone.
    pub fn stat(&self, path: &RepoPath) -> io::Result<Option<FileStat>> {
        match &self.files {
            FileStore::WorkTree(tree) => tree.stat(path),
            FileStore::Commit(tree) => Ok(tree.stat(path)),
        }
    }

    /// Returns where `path`, as a person may write it, leads to. In a work tree links inside it are followed; in a
    /// commit a link leads nowhere.
    pub fn resolve(&self, path: &RepoPath) -> Result<RepoPath, ReadError> {
        match &self.files {
            FileStore::WorkTree(tree) => tree.resolve(path),
            FileStore::Commit(_) if enters_dot_git(path) => Err(ReadError::Outside),
            FileStore::Commit(tree) => match tree.entry(path) {
                Some(TreeEntry::File | TreeEntry::Directory) => Ok(path.clone()),
                Some(TreeEntry::Link | TreeEntry::Submodule) => Err(ReadError::NotAFile),
                None => Err(ReadError::Missing),
            },
        }
    }

    /// Returns whether a file or a symbolic link is at `path`.
    pub fn has_entry(&self, path: &RepoPath) -> bool {
        match &self.files {
            FileStore::WorkTree(tree) => tree.has_entry(path),
            FileStore::Commit(tree) => {
                matches!(tree.entry(path), Some(TreeEntry::File | TreeEntry::Link))
            }
        }
    }

    /// Returns the entry of a commit at `path`; `None` where it has none, and for a work tree.
    pub fn entry(&self, path: &RepoPath) -> Option<TreeEntry> {
        self.commit_tree()?.entry(path)
    }

    /// Returns the size of a blob of the commit; `None` where this clone does not have it.
    pub fn size_of(&self, blob: BlobId) -> Option<u64> {
        self.commit_tree()?.size_of(blob)
    }

    /// Returns git's name of some bytes. Costs about 2 ms a megabyte.
    pub fn blob_id(&self, bytes: &[u8]) -> Option<BlobId> {
        let id = gix::objs::compute_hash(self.hash, gix::objs::Kind::Blob, bytes).ok()?;
        BlobId::from_bytes(id.as_bytes())
    }
}
