//! Submodules whose checked-out commit is not the one that `HEAD` names.

use gix::bstr::ByteSlice as _;
use gix::index::entry::{Flags, Mode};

use super::{GitError, Repo};
use crate::model::RepoPath;

impl Repo {
    /// Returns the submodules that differ from `HEAD` by the commit that is checked out in them, or by the one that is staged, as
    /// `git status --ignore-submodules=dirty` lists them, sorted. One that is not checked out is taken as unchanged. None in a commit.
    ///
    /// Costs reading the staging area, and opening each submodule that is checked out.
    ///
    /// # Errors
    /// Where the staging area or `HEAD` can't be read.
    pub fn moved_submodules(&self) -> Result<Vec<RepoPath>, GitError> {
        if self.source.is_commit() {
            return Ok(Vec::new());
        }
        let staging = self.staging()?.into_file();
        let is_module = |entry: &&gix::index::Entry| {
            entry.mode == Mode::COMMIT && !entry.flags.contains(Flags::SKIP_WORKTREE)
        };
        let mut modules = staging.entries().iter().filter(is_module).peekable();
        if modules.peek().is_none() {
            return Ok(Vec::new());
        }
        let head = self.head_commit()?;
        let tree = head.and_then(|head| head.tree().ok());
        let mut moved = Vec::new();
        for entry in modules {
            let path = entry.path(&staging);
            let Some(path) = path.to_str().ok().and_then(RepoPath::new) else {
                continue;
            };
            let committed = tree
                .as_ref()
                .and_then(|tree| tree.lookup_entry_by_path(path.as_str()).ok().flatten())
                .map(|entry| entry.object_id());
            let now = self.checked_out_in(&path).unwrap_or(entry.id);
            if committed != Some(entry.id) || now != entry.id {
                moved.push(path);
            }
        }
        Ok(moved)
    }

    /// Returns the commit that is checked out in a submodule; `None` where there is no repository, or it has no commit.
    fn checked_out_in(&self, path: &RepoPath) -> Option<gix::ObjectId> {
        let place = self.work_dir.join(path.as_str());
        // A directory without a repository of its own lies in this one.
        place.join(".git").symlink_metadata().ok()?;
        let module = Self::discover(&place).ok()?;
        if module.work_dir != place {
            return None;
        }
        let head = module.snapshot().ok()?.head?;
        gix::ObjectId::from_hex(head.as_str().as_bytes()).ok()
    }
}
