//! Uncommitted changes, and those since a branch was left.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Workspace;
use crate::error::Result;
use crate::git::differing_lines;
use crate::model::indexing_rules::MAX_FILE_BYTES;
use crate::model::{Analysis, Budget, CommitId, RepoPath};
use crate::reconcile::prepare::decode;
use crate::syntax;

/// A file that differs from `HEAD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file.
    pub path: RepoPath,
    /// Its lines that differ, as (first, last), from 1; where lines were only removed, the last one before
    /// and the first one behind them, which is the greater. `None`: all of them.
    pub lines: Option<Vec<(u32, u32)>>,
}

/// The files that differ from an earlier commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangesSince {
    /// The commit, in words.
    pub base: String,
    /// The commit; `None` before the first one.
    pub commit: Option<CommitId>,
    /// The files.
    pub changes: Vec<FileChange>,
    /// The text that each analysed one had.
    pub earlier: Vec<(RepoPath, Option<Arc<str>>)>,
}

impl Workspace {
    /// Returns the files that differ from `HEAD`, sorted, with their changed lines. Costs a pass over the
    /// work tree and a comparison of each file that differs.
    pub fn changes(&self, interrupt: &Arc<AtomicBool>) -> Result<Vec<FileChange>> {
        let budget = Budget::unlimited(Arc::clone(interrupt));
        let repo = self.repo()?;
        let paths = repo.dirty(&budget)?.paths;
        let changed = |path: RepoPath| {
            let lines = if budget.is_cancelled() {
                None
            } else {
                repo.changed_lines(&path, MAX_FILE_BYTES)
            };
            FileChange { path, lines }
        };
        Ok(paths.into_iter().map(changed).collect())
    }

    /// Returns the files that differ from where the work tree (in a bare repository `HEAD`) left `base`, sorted, with their changed lines and the text that the analysed
    /// ones had there; `None` for a file that was not there. Costs a comparison of two trees, a pass over the work tree, and the reading of the files that differ.
    ///
    /// # Errors
    /// `invalid_argument` for a name that nothing has, and where there is no common commit.
    pub fn changes_since(&self, base: &str, interrupt: &Arc<AtomicBool>) -> Result<ChangesSince> {
        let base = base.trim().trim_end_matches("...");
        let (base, head) = self.states(Some(&format!("{base}...")), None)?;
        let comparison = self.compare(base, head, interrupt)?;
        let mut since = ChangesSince {
            base: comparison.base.name,
            commit: comparison.base.commit,
            changes: Vec::new(),
            earlier: Vec::new(),
        };
        for file in comparison.files {
            let text = |side: &Option<super::FileVersion>| side.as_ref()?.text.clone();
            let (old, new) = (text(&file.old), text(&file.new));
            let lines = old.as_deref().zip(new.as_deref());
            let lines = lines.map(|(old, new)| differing_lines(old, new));
            if syntax::by_path(&file.path).analysis() == Analysis::Full {
                since.earlier.push((file.path.clone(), old));
            }
            since.changes.push(FileChange {
                path: file.path,
                lines,
            });
        }
        Ok(since)
    }

    /// Returns the text in `HEAD` of each changed file that is analysed, as it would be indexed, beside its path; `None` for
    /// a file that is not there.
    pub fn earlier_texts(&self, changes: &[FileChange]) -> Result<Vec<(RepoPath, Option<String>)>> {
        // Opening the repository is a third of the system calls of a question.
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let repo = self.repo()?;
        let analysed = changes
            .iter()
            .filter(|change| syntax::by_path(&change.path).analysis() == Analysis::Full);
        let text = |change: &FileChange| {
            let bytes = repo.committed(&change.path, MAX_FILE_BYTES);
            (change.path.clone(), bytes.map(|bytes| decode(&bytes)))
        };
        Ok(analysed.map(text).collect())
    }
}
