//! The files of any commit of the repository, as a checkout would write them.

use std::io::Read as _;

use crate::model::{CommitId, RepoPath};

use super::{GitError, ReadError, Repo, error::boxed};

/// A reader of the files of one commit.
pub struct CommitFiles<'a> {
    repo: &'a gix::Repository,
    tree: gix::Tree<'a>,
    pipeline: gix::filter::Pipeline<'a>,
}

impl Repo {
    /// Returns whether this clone has a commit.
    pub fn has_commit(&self, commit: &CommitId) -> bool {
        let id = gix::ObjectId::from_hex(commit.as_str().as_bytes());
        id.is_ok_and(|id| self.inner.find_commit(id).is_ok())
    }

    /// Returns the reader of a commit's files; `None` where this clone does not have it.
    pub fn files_of(&self, commit: &CommitId) -> Result<Option<CommitFiles<'_>>, GitError> {
        let tree = gix::ObjectId::from_hex(commit.as_str().as_bytes())
            .ok()
            .and_then(|id| self.inner.find_commit(id).ok()?.tree().ok());
        let Some(tree) = tree else {
            return Ok(None);
        };
        let failed = |source| GitError::Status {
            source: boxed(source),
        };
        let (pipeline, _) = self.inner.filter_pipeline(Some(tree.id)).map_err(failed)?;
        Ok(Some(CommitFiles {
            repo: &self.inner,
            tree,
            pipeline,
        }))
    }
}

impl CommitFiles<'_> {
    /// Reads a regular file, at most `limit` bytes, with line ends and encoding as the attributes of the work
    /// tree want them.
    pub fn read(&mut self, path: &RepoPath, limit: u64) -> Result<Vec<u8>, ReadError> {
        let entry = self.tree.lookup_entry_by_path(path.as_str());
        let entry = entry.ok().flatten().ok_or(ReadError::Missing)?;
        if !entry.mode().is_blob() {
            return Err(ReadError::NotAFile);
        }
        let missing = |_| ReadError::Missing;
        let size = self.repo.find_header(entry.oid()).map_err(missing)?.size();
        if size > limit {
            return Err(ReadError::TooLarge { size });
        }
        let object = entry.object().map_err(missing)?;
        let mut converted = self
            .pipeline
            .convert_to_worktree(
                &object.data,
                path.as_str().into(),
                gix::filter::plumbing::pipeline::convert::to_worktree::Options::default(),
            )
            .map_err(|error| ReadError::Io(std::io::Error::other(error.to_string())))?;
        let mut bytes = Vec::new();
        let n_read = converted.by_ref().take(limit + 1).read_to_end(&mut bytes)? as u64;
        if n_read > limit {
            return Err(ReadError::TooLarge { size: n_read });
        }
        Ok(bytes)
    }
}
