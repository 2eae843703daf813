//! The difference between the trees of two commits: how many files, and which.

use std::ops::ControlFlow;

use gix::bstr::ByteSlice as _;

use crate::model::{CommitId, RepoPath};

use super::error::boxed;
use super::{GitError, Repo};

impl Repo {
    /// Returns how many files differ between the trees of two commits, at most `at_most`; both ends of a
    /// rename count. `None` where an object is missing. Costs a fraction of a millisecond for each
    /// directory that differs, and ends as soon as `at_most` is reached.
    pub fn tree_distance(&self, from: &CommitId, to: &CommitId, at_most: usize) -> Option<usize> {
        let tree = |id: &CommitId| {
            let id = gix::ObjectId::from_hex(id.as_str().as_bytes()).ok()?;
            self.inner.find_commit(id).ok()?.tree().ok()
        };
        let (from, to) = (tree(from)?, tree(to)?);
        if from.id == to.id || at_most == 0 {
            return Some(0);
        }
        let mut n_files = 0;
        let mut changes = from.changes().ok()?;
        changes.options(|options| {
            options.track_rewrites(None);
        });
        let walked = changes.for_each_to_obtain_tree(&to, |change| {
            if !change.entry_mode().is_tree() {
                n_files += 1;
            }
            Ok(if n_files >= at_most {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        });
        // Ending early may be reported as an error; a count that is full is an answer all the same.
        (walked.is_ok() || n_files >= at_most).then_some(n_files)
    }

    /// Returns the paths of files and submodules, sorted, that one of two commits has and the other has not, or has with other bytes,
    /// another commit or as a link; both ends of a rename. `None` stands for the empty tree. Costs a fraction of a millisecond for each
    /// directory that differs.
    pub fn differing_paths(
        &self,
        from: Option<&CommitId>,
        to: Option<&CommitId>,
    ) -> Result<Vec<RepoPath>, GitError> {
        let failed = |source| GitError::Compare {
            source: boxed(source),
        };
        let tree = |commit: Option<&CommitId>| -> gix::Result<gix::Tree<'_>> {
            let Some(commit) = commit else {
                return Ok(self.inner.empty_tree());
            };
            let id = gix::ObjectId::from_hex(commit.as_str().as_bytes());
            let id = id.expect("a commit's name is hexadecimal");
            self.inner.find_commit(id)?.tree()
        };
        let (from, to) = (tree(from).map_err(failed)?, tree(to).map_err(failed)?);
        let mut paths = Vec::new();
        if from.id == to.id {
            return Ok(paths);
        }
        let mut changes = from.changes().map_err(failed)?;
        changes.options(|options| {
            options.track_rewrites(None).track_path();
        });
        let walked = changes.for_each_to_obtain_tree(&to, |change| {
            use gix::object::tree::diff::Change;
            let is_listed = |mode: gix::objs::tree::EntryMode| !mode.is_tree();
            let is_file = match &change {
                Change::Modification {
                    entry_mode,
                    previous_entry_mode,
                    ..
                } => is_listed(*entry_mode) || is_listed(*previous_entry_mode),
                other => is_listed(other.entry_mode()),
            };
            if is_file && let Ok(path) = change.location().to_str() {
                paths.extend(RepoPath::new(path));
            }
            Ok(ControlFlow::Continue(()))
        });
        walked.map_err(failed)?;
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }
}
