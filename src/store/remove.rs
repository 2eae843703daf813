//! Removes an index in two phases: first nobody finds it, then its files go.
//!
//! No file is unlinked while a process has it open: the reader lock is held exclusively meanwhile, so that a process
//! that found the index just before waits, then sees that it is gone and makes a new one. A process that is killed in
//! between leaves files that [`sweep`] removes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::inventory::{Orphan, allocated};
use super::{Home, Pointer, ReaderLock, RepoHome, StoreResult, WriteLock, io_error};

/// The result of removing an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexRemoval {
    /// It is gone; the file system got these bytes back.
    Done(u64),
    /// A process has it open or writes it: it stays.
    InUse,
    /// It is another build by now, or somebody else removed it.
    Changed,
    /// It became needed since it was decided that it goes.
    Needed,
}

/// Returns whether a process has an index open right now, or writes it.
pub fn is_in_use(home: &RepoHome, pointer: &Pointer) -> bool {
    ReaderLock::is_held(&home.reader_lock_path(&pointer.index_id, &pointer.build))
        || WriteLock::is_held(&home.write_lock(&pointer.index_id))
}

/// Removes an index unless a process uses it. `is_needed` is asked when nobody can open it any more: the decision may
/// be seconds old, and a branch may have been switched to in between.
pub fn remove(
    home: &RepoHome,
    pointer: &Pointer,
    is_needed: impl FnOnce() -> bool,
) -> StoreResult<IndexRemoval> {
    if home.pointer(&pointer.index_id).as_ref() != Some(pointer) {
        return Ok(IndexRemoval::Changed);
    }
    let lock = home.write_lock(&pointer.index_id);
    let Some(writing) = WriteLock::take(&lock, Duration::ZERO)? else {
        return Ok(IndexRemoval::InUse);
    };
    let reader_lock_path = home.reader_lock_path(&pointer.index_id, &pointer.build);
    let Some(_alone) = ReaderLock::try_exclusive(&reader_lock_path)? else {
        return Ok(IndexRemoval::InUse);
    };
    if is_needed() {
        return Ok(IndexRemoval::Needed);
    }
    let Some(mut bytes) = withdraw(home, pointer)? else {
        return Ok(IndexRemoval::Changed);
    };
    bytes += discard(home, pointer);
    for left in home.stale_builds(pointer, Duration::ZERO) {
        bytes += retire(home, &left);
    }
    bytes += unlink_lock(&lock, writing);
    Ok(IndexRemoval::Done(bytes))
}

/// Removes files that no index owns any more and that were not touched for `age`, unless a process uses them. Returns
/// the bytes that the file system got back.
pub fn sweep(home: &RepoHome, age: Duration) -> u64 {
    let mut bytes = 0;
    for left in home.orphans(age) {
        bytes += match left {
            Orphan::Build(index_id, build) => {
                let reader_lock_path = home.reader_lock_path(&index_id, &build);
                match ReaderLock::try_exclusive(&reader_lock_path) {
                    // Looked at again behind the lock: it may have been published meanwhile.
                    Ok(Some(_alone))
                        if home.pointer(&index_id).is_none_or(|now| now.build != build) =>
                    {
                        discard_files(home, &index_id, &build)
                    }
                    _ => 0,
                }
            }
            Orphan::Lock(path) => match WriteLock::take(&path, Duration::ZERO) {
                Ok(Some(held)) => unlink_lock(&path, held),
                _ => 0,
            },
            Orphan::Draft(path) => unlink(&path),
            Orphan::Aside(path) => unlink_all(&path),
        };
    }
    bytes
}

/// Removes a build that is not current any more, unless somebody has it open: then it stays, and so
/// does the reader lock that tells so. Returns the bytes that the file system got back.
pub fn retire(home: &RepoHome, pointer: &Pointer) -> u64 {
    let reader_lock_path = home.reader_lock_path(&pointer.index_id, &pointer.build);
    match ReaderLock::try_exclusive(&reader_lock_path) {
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
    // The reader lock goes last: as long as there is a file to protect, there is the lock.
    let files = ["", "-wal", "-shm", "-journal"].map(|suffix| {
        let mut name = database.clone().into_os_string();
        name.push(suffix);
        name.into()
    });
    let frozen = database.with_extension("frozen");
    let reader_lock_path = home.reader_lock_path(index_id, build);
    let files = files.iter().chain([&frozen, &reader_lock_path]);
    files.map(|path: &PathBuf| unlink(path)).sum()
}

/// Removes quarantined files and probes of killed processes beside the repositories' parts. Returns the bytes that the file
/// system got back.
pub fn sweep_root(home: &Home) -> u64 {
    home.left_in_root()
        .iter()
        .map(|path| unlink_all(path))
        .sum()
}

/// Removes a file, or a directory with all that is in it; links are not followed. Returns the bytes that the
/// files took.
fn unlink_all(path: &Path) -> u64 {
    if !path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        return unlink(path);
    }
    let entries = std::fs::read_dir(path).into_iter().flatten();
    let bytes = entries
        .flatten()
        .map(|entry| unlink_all(&entry.path()))
        .sum();
    drop(std::fs::remove_dir(path));
    bytes
}

/// Removes a file. Returns the bytes that it took, or 0 if it stays.
pub(super) fn unlink(path: &Path) -> u64 {
    let bytes = allocated(path);
    if std::fs::remove_file(path).is_ok() {
        bytes
    } else {
        0
    }
}

/// Takes the pointer out of the way, if it still names this build. Returns the bytes of its file.
fn withdraw(home: &RepoHome, pointer: &Pointer) -> StoreResult<Option<u64>> {
    let path = home.pointer_path(&pointer.index_id);
    let gone = home
        .dir()
        .join(format!(".gone-{}", super::key::new_build()));
    match std::fs::rename(&path, &gone) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error("withdraw", &path)(error)),
    }
    let found: Option<Pointer> = super::home::read_json(&gone);
    if found.as_ref() == Some(pointer) {
        return Ok(Some(unlink(&gone)));
    }
    // Somebody published another build in between: back with it, unless there is a third one.
    drop(std::fs::hard_link(&gone, &path));
    drop(std::fs::remove_file(&gone));
    Ok(None)
}

/// Removes the file of a lock that this process has; one that waits for it opens the file again.
fn unlink_lock(path: &Path, held: WriteLock) -> u64 {
    let bytes = if cfg!(unix) { unlink(path) } else { 0 };
    drop(held);
    bytes
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use super::{IndexRemoval, is_in_use, remove, sweep};
    use crate::model::RepoPath;
    use crate::store::{Home, Index, Pointer, PreparedFile, ReaderLock, RepoHome, WriteLock, key};

    pub(in crate::store) fn made(dir: &std::path::Path) -> (RepoHome, Pointer) {
        let home = Home::at(dir, &[]).unwrap().repo(&"a".repeat(32));
        home.create(std::path::Path::new("/x/.git"), None).unwrap();
        let pointer = Pointer {
            index_id: format!("idx_{}", "1".repeat(32)),
            build: key::new_build(),
            repo_id: home.id(),
            worktree_id: "main".into(),
            work_dir: "/x".into(),
            branch: None,
            head_sha: None,
            schema_version: crate::store::SCHEMA_VERSION,
        };
        drop(Index::create(&home, pointer.clone()).unwrap());
        home.publish(&pointer, true).unwrap();
        (home, pointer)
    }

    /// Returns a file of Go with nothing in it.
    pub(in crate::store) fn prepared(path: &str) -> PreparedFile {
        PreparedFile {
            n_lines: 1,
            ..PreparedFile::empty(RepoPath::new(path).unwrap(), "go")
        }
    }

    fn files(home: &RepoHome) -> Vec<String> {
        let entries = std::fs::read_dir(home.dir()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_open_or_written_stays() {
        let dir = tempfile::tempdir().unwrap();
        let (home, pointer) = made(dir.path());
        let index = Index::open(&home, pointer.clone()).unwrap();
        assert!(is_in_use(&home, &pointer));
        assert_eq!(
            remove(&home, &pointer, || false).unwrap(),
            IndexRemoval::InUse
        );
        drop(index);
        let lock = home.write_lock(&pointer.index_id);
        let writing = WriteLock::take(&lock, Duration::ZERO).unwrap().unwrap();
        assert_eq!(
            remove(&home, &pointer, || false).unwrap(),
            IndexRemoval::InUse
        );
        drop(writing);
        let needed = remove(&home, &pointer, || true).unwrap();
        assert_eq!(needed, IndexRemoval::Needed);
        let room = home.disk_usage(&pointer);
        assert!(room > 0 && !is_in_use(&home, &pointer));
        assert_eq!(
            remove(&home, &pointer, || false).unwrap(),
            IndexRemoval::Done(room)
        );
        assert_eq!(files(&home), ["repo.json"]);
        assert_eq!(
            remove(&home, &pointer, || false).unwrap(),
            IndexRemoval::Changed
        );
        assert!(Index::open(&home, pointer).unwrap_err().is_unusable());
        assert_eq!(files(&home), ["repo.json"], "a late comer leaves nothing");
    }

    #[test]
    fn an_index_that_was_built_anew_meanwhile_stays() {
        let dir = tempfile::tempdir().unwrap();
        let (home, old) = made(dir.path());
        let new = Pointer {
            build: key::new_build(),
            ..old.clone()
        };
        drop(Index::create(&home, new.clone()).unwrap());
        home.publish(&new, true).unwrap();
        assert_eq!(
            remove(&home, &old, || false).unwrap(),
            IndexRemoval::Changed
        );
        assert!(Index::open(&home, new).is_ok());
    }

    #[test]
    fn what_a_killed_process_left_is_swept_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let (home, pointer) = made(dir.path());
        let before = files(&home);
        let orphan = Pointer {
            build: key::new_build(),
            ..pointer.clone()
        };
        let busy = Pointer {
            build: key::new_build(),
            ..pointer.clone()
        };
        drop(Index::create(&home, orphan).unwrap());
        let open = Index::create(&home, busy).unwrap();
        std::fs::write(home.dir().join(".draft-1"), "x").unwrap();
        let old = std::time::SystemTime::now() - Duration::from_hours(1);
        let draft = std::fs::File::create(home.dir().join(".draft-2")).unwrap();
        draft.set_modified(old).unwrap();
        std::fs::write(home.dir().join("notes.txt"), "mine").unwrap();
        let lock = home.write_lock(&format!("idx_{}", "2".repeat(32)));
        std::fs::write(&lock, "").unwrap();
        assert_eq!(
            sweep(&home, Duration::from_hours(2)),
            0,
            "all of it is young"
        );
        for (name, age_days) in [("aside-1", 6), ("aside-2", 8)] {
            let aside = home.dir().join(name);
            std::fs::create_dir(&aside).unwrap();
            std::fs::write(aside.join("x"), "x").unwrap();
            let time = std::time::SystemTime::now() - Duration::from_hours(24 * age_days);
            std::fs::File::open(&aside)
                .unwrap()
                .set_modified(time)
                .unwrap();
        }
        assert!(sweep(&home, Duration::ZERO) > 0);
        assert!(Index::open(&home, pointer).is_ok());
        drop(open);
        assert!(sweep(&home, Duration::ZERO) > 0);
        let mut wanted = before;
        wanted.push("notes.txt".into());
        // Somebody may be about to put the young one in place.
        wanted.push(".draft-1".into());
        wanted.push("aside-1".into());
        wanted.sort();
        let mut found = files(&home);
        found.retain(|name| !name.ends_with("-wal") && !name.ends_with("-shm"));
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_mark_that_was_removed_is_set_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.open");
        let alone = ReaderLock::try_exclusive(&path).unwrap().unwrap();
        let waiting = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| ReaderLock::acquire_shared(&path).unwrap());
            std::thread::sleep(Duration::from_millis(30));
            std::fs::remove_file(&path).unwrap();
            drop(alone);
            waiting.join().unwrap()
        });
        assert!(ReaderLock::try_exclusive(&path).unwrap().is_none());
        drop(waiting);
        assert!(ReaderLock::try_exclusive(&path).unwrap().is_some());
    }
}
