//! Uncommitted changes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Workspace;
use crate::error::Result;
use crate::model::indexing_rules::MAX_FILE_BYTES;
use crate::model::{Analysis, Budget, RepoPath};
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

    /// Returns the text in `HEAD` of each changed file that is analysed, as it would be indexed, beside its path; `None` for
    /// a file that is not there.
    pub fn earlier_texts(&self, changes: &[FileChange]) -> Result<Vec<(RepoPath, Option<String>)>> {
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
