//! A new build as a copy of another index.
//!
//! Refuses to know which index is near: the caller chooses.

use rusqlite::backup::{Backup, StepResult};

use super::{Doing, Index, OpenMark, Pointer, RepoHome, StoreError, StoreResult};

impl Index {
    /// Copies `source` into a new build for `pointer`, which nobody finds before it is published. The
    /// stats go with it only within one work tree. Uses SQLite's backup, so that a process writing
    /// `source` meanwhile does no harm. Costs about 2 ms a megabyte.
    pub fn seeded(home: &RepoHome, pointer: Pointer, source: &Index) -> StoreResult<Self> {
        let path = home.database(&pointer.index_id, &pointer.build);
        let mut target = rusqlite::Connection::open(&path).doing("creating the copy")?;
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
/// does the sign of use that tells so.
pub fn retire(home: &RepoHome, pointer: &Pointer) {
    let mark = home.open_mark(&pointer.index_id, &pointer.build);
    if let Ok(Some(_alone)) = OpenMark::alone(&mark) {
        discard(home, pointer);
    }
}

/// Removes what a failed creation left; nobody else knows the build yet.
pub fn discard(home: &RepoHome, pointer: &Pointer) {
    let database = home.database(&pointer.index_id, &pointer.build);
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut name = database.clone().into_os_string();
        name.push(suffix);
        drop(std::fs::remove_file(name));
    }
    drop(std::fs::remove_file(
        home.open_mark(&pointer.index_id, &pointer.build),
    ));
}
