//! The files that belong to the work tree at this moment.
//!
//! Git decides which files are members; bits of the staging area that hide a file from git (`skip-worktree`, `assume-unchanged`)
//! hide nothing here.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use crate::model::visited::{ChangedDirectories, Doubts};
use crate::model::{Budget, FileStat, FoundFile, RepoPath, SkipReason};

use super::content::now_ns;
use super::dirty::HiddenFiles;
use super::walk::{WalkMode, Walked, walk, walk_within};
use super::{Dirty, GitError, Repo};

/// The result of [`Repo::scan`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// Regular files on disk that are tracked, or untracked and not ignored, and that no
    /// `.codelensignore` takes away; sorted by path, each once.
    pub files: Vec<FoundFile>,
    /// How many entries were left out that would belong otherwise: links, names that are not UTF-8,
    /// repositories inside this one, special files, files whose stat could not be had, and directories
    /// that could not be listed (each counted once).
    pub skipped: BTreeMap<SkipReason, u64>,
    /// Directories that could not be listed; their content is unknown. Sorted.
    pub unreadable: Vec<PathBuf>,
    /// Every `.gitattributes` in a directory that may hold files, ignored ones included; sorted.
    pub attributes: Vec<RepoPath>,
    /// Files of `files` whose equal stat proves nothing; see [`Repo::doubting`].
    pub doubted: HashSet<RepoPath>,
    /// Whether every directory was visited. If not, a path that is missing from `files` may exist.
    pub complete: bool,
}

impl Repo {
    /// Lists the files that belong to the work tree, with their stat, or those of the commit; see [`Scan`].
    ///
    /// Directories with a `.git` entry, and no file below that this repository tracks, and submodules are repositories of their own: nothing
    /// below them is listed. Costs about 4 µs a file and 15 µs a directory of one core, less where directories
    /// are remembered; several cores share the work in larger repositories. A budget that ends gives `complete: false`.
    pub fn scan(&self, budget: &Budget) -> Result<Scan, GitError> {
        if let Some(tree) = self.source.commit_tree() {
            return tree.scan(&self.source, &self.rules()?, budget);
        }
        let found = walk(
            self,
            &self.staging()?,
            &self.rules()?,
            WalkMode::MEMBERS,
            budget,
        );
        Ok(Scan::of(found, &self.doubts))
    }

    /// Does [`Self::scan`] for the files directly in `changed` alone; `None` where more than those files may have changed: an
    /// entry has no row, a file has several names, a directory can't be listed, the budget ended. Costs the reading of
    /// the staging area, and some µs for each of these files and each directory on the way to them.
    ///
    /// # Errors
    /// Those of [`Self::scan`].
    pub fn scan_within(
        &self,
        changed: &ChangedDirectories,
        budget: &Budget,
    ) -> Result<Option<Scan>, GitError> {
        let (staging, rules) = (self.staging()?, self.rules()?);
        let found = walk_within(
            self,
            &staging,
            &rules,
            WalkMode::MEMBERS,
            Some(changed),
            budget,
        );
        let is_plain = found.complete
            && found.skipped.is_empty()
            && found.unreadable.is_empty()
            && found.visited.linked.is_empty();
        Ok(is_plain.then(|| Scan::of(found, &self.doubts)))
    }

    /// Does [`Self::scan`] and [`Self::dirty`] in one walk.
    pub fn scan_and_dirty(
        &self,
        budget: &Budget,
    ) -> Result<(Scan, Result<Dirty, GitError>), GitError> {
        if self.source.is_commit() {
            let scan = self.scan(budget)?;
            let complete = scan.complete;
            return Ok((
                scan,
                Ok(Dirty {
                    paths: Vec::new(),
                    complete,
                }),
            ));
        }
        let staging = self.staging()?;
        let mut found = walk(self, &staging, &self.rules()?, WalkMode::BOTH, budget);
        let untracked = std::mem::take(&mut found.untracked);
        let walked = (untracked, found.complete);
        let dirty = self.dirty_of(staging, HiddenFiles::Compared, walked, budget);
        Ok((Scan::of(found, &self.doubts), dirty))
    }

    /// Returns whether files of the work tree have these very stats, and have had them long enough to prove something.
    pub fn has_trustworthy_stats(&self, files: &[(RepoPath, FileStat)]) -> bool {
        let Some(tree) = self.source.work_tree() else {
            return false;
        };
        let now_ns = now_ns();
        files.iter().all(|(path, known)| {
            known.proves_content(now_ns)
                && matches!(tree.stat(path), Ok(Some(stat)) if stat == *known)
        })
    }
}

impl Scan {
    fn of(mut found: Walked, doubts: &Doubts) -> Self {
        let mut doubted = HashSet::new();
        if !doubts.is_empty() {
            let paths = found.files.iter().map(|file| &file.path);
            doubted.extend(paths.filter(|path| doubts.has(path)).cloned());
            // Written to by another of their names, perhaps.
            doubted.extend(found.visited.linked.iter().map(|(path, _)| path.clone()));
        }
        found.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        found.attributes.sort_unstable();
        found.unreadable.sort_unstable();
        if !found.unreadable.is_empty() {
            *found.skipped.entry(SkipReason::Unreadable).or_default() +=
                found.unreadable.len() as u64;
        }
        Self {
            files: found.files,
            skipped: found.skipped,
            unreadable: found.unreadable,
            attributes: found.attributes,
            doubted,
            complete: found.complete,
        }
    }
}
