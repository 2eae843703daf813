//! A new build as a copy of another index.
//!
//! Refuses to know which index is near: the caller chooses.

use std::path::PathBuf;

use rusqlite::backup::{Backup, StepResult};

use super::durable::{self, Durability};
use super::remove::unlink;
use super::{Doing, Index, OpenMark, Pointer, RepoHome, StoreError, StoreResult};

impl Index {
    /// Copies `source` into a new build for `pointer`, which nobody finds before it is published. The
    /// stats go with it only within one work tree. Uses SQLite's backup, so that a process writing
    /// `source` meanwhile does no harm. Costs about 2 ms a megabyte.
    pub fn seeded(home: &RepoHome, pointer: Pointer, source: &Index) -> StoreResult<Self> {
        let path = home.database(&pointer.index_id, &pointer.build);
        // Set before there is anything to sweep away.
        let mark = home.open_mark(&pointer.index_id, &pointer.build);
        let _mark = OpenMark::set(&mark)?;
        let mut target = rusqlite::Connection::open(&path).doing("creating the copy")?;
        if durable::begin(&mark)? == Durability::SinceBoot {
            // What a killed process leaves of it was never published.
            target
                .execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
                .doing("creating the copy")?;
        }
        {
            let backup =
                Backup::new(source.connection(), &mut target).doing("copying the index")?;
            // All pages in one step: the copy is of one generation, and nobody has to wait for it.
            match backup.step(-1).doing("copying the index")? {
                StepResult::Done => {}
                _ => {
                    return Err(StoreError::Corrupt {
                        path,
                        what: "the copy could not be finished".to_owned(),
                    });
                }
            }
        }
        drop(target);
        let same_tree = source.pointer().repo_id == pointer.repo_id
            && source.pointer().worktree_id == pointer.worktree_id
            && source.pointer().work_dir == pointer.work_dir;
        let from = source.pointer().index_id.clone();
        let mut index = Index::open(home, pointer)?;
        let id = index.pointer().index_id.clone();
        let mut writer = index.writer()?;
        writer.set_meta("index_id", &id)?;
        writer.set_meta("seeded_from", &from)?;
        if !same_tree {
            writer.clear_stats()?;
        }
        writer.commit(true)?;
        Ok(index)
    }
}

/// Removes a build that is not current any more, unless somebody has it open: then it stays, and so
/// does the sign of use that tells so. Returns the bytes that the file system got back.
pub fn retire(home: &RepoHome, pointer: &Pointer) -> u64 {
    let mark = home.open_mark(&pointer.index_id, &pointer.build);
    match OpenMark::alone(&mark) {
        Ok(Some(_alone)) => discard(home, pointer),
        _ => 0,
    }
}

/// Removes the files of a build that nobody else knows, or that is held alone. Returns the bytes that
/// the file system got back.
pub fn discard(home: &RepoHome, pointer: &Pointer) -> u64 {
    discard_files(home, &pointer.index_id, &pointer.build)
}

pub(super) fn discard_files(home: &RepoHome, index_id: &str, build: &str) -> u64 {
    let database = home.database(index_id, build);
    // The sign of use goes last: as long as there is a file to protect, there is the sign.
    let files = ["", "-wal", "-shm", "-journal"].map(|suffix| {
        let mut name = database.clone().into_os_string();
        name.push(suffix);
        name.into()
    });
    let mark = home.open_mark(index_id, build);
    let files = files.iter().chain(std::iter::once(&mark));
    files.map(|path: &PathBuf| unlink(path)).sum()
}
