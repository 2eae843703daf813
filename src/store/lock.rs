//! Locks that the operating system holds and lets go of when their process dies.
//!
//! A lock is always on a file beside the database, never on the database itself: closing any other descriptor of a
//! database would drop SQLite's own locks.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use super::{StoreResult, io_error};

/// The right to write one index. Let go on drop and on death.
#[derive(Debug)]
pub struct WriteLock {
    _file: Option<File>,
}

impl WriteLock {
    /// Takes the lock, waiting at most `patience`. `None` if somebody else still has it.
    pub fn take(path: &Path, patience: Duration) -> StoreResult<Option<Self>> {
        let mut file = open(path).map_err(io_error("open the lock", path))?;
        let until = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) if is_at(&file, path) => return Ok(Some(Self { _file: Some(file) })),
                // Its last owner removed the file with its index: no other process sees this lock.
                Ok(()) => file = open(path).map_err(io_error("open the lock", path))?,
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(io_error("lock", path)(error)),
            }
        }
    }

    /// Takes the lock for somebody who only reads, with others who do, and wants nothing to change meanwhile; perhaps
    /// where nothing can be written: makes no file, since where there is none nobody writes. `None` if somebody writes.
    pub(super) fn to_read(path: &Path) -> Option<Self> {
        match File::open(path) {
            Ok(file) => file
                .try_lock_shared()
                .is_ok()
                .then_some(Self { _file: Some(file) }),
            Err(_) => Some(Self { _file: None }),
        }
    }

    /// Returns whether somebody holds the lock right now.
    pub fn is_held(path: &Path) -> bool {
        File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }
}

/// The lock of a process that has a build of an index open. Shared: many may hold it at once.
#[derive(Debug)]
pub struct ReaderLock {
    _file: Option<File>,
}

impl ReaderLock {
    /// Takes the lock, shared, and touches its file, whose time tells the last use. In a directory that may only be
    /// read it locks a file that exists, if that can be locked at all.
    pub fn acquire_shared(path: &Path) -> StoreResult<Self> {
        let file = loop {
            let file = match open(path) {
                Ok(file) => file,
                Err(error) if is_read_only(&error) => {
                    let file = File::open(path).ok();
                    let file = file.filter(|file| file.lock_shared().is_ok());
                    return Ok(Self { _file: file });
                }
                Err(error) => open_read_only(path, error)?,
            };
            file.lock_shared().map_err(io_error("lock", path))?;
            // Removed while this process waited: nobody else sees this lock.
            if is_at(&file, path) {
                break file;
            }
        };
        // Best effort: the time only orders candidates for pruning.
        drop(file.set_modified(std::time::SystemTime::now()));
        Ok(Self { _file: Some(file) })
    }

    /// Takes the lock, shared, for a look that is no use of the build: its file is not touched. `None` where the build has no such file, or somebody
    /// is about to remove it.
    pub(super) fn peek(path: &Path) -> StoreResult<Option<Self>> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_error("open the reader lock", path)(error)),
        };
        match file.try_lock_shared() {
            Ok(()) if is_at(&file, path) => Ok(Some(Self { _file: Some(file) })),
            Ok(()) | Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(io_error("lock", path)(error)),
        }
    }

    /// Takes the lock for this process alone; `None` if any process has the build open.
    pub fn try_exclusive(path: &Path) -> StoreResult<Option<Self>> {
        let file = open(path).or_else(|error| open_read_only(path, error))?;
        match file.try_lock() {
            Ok(()) if is_at(&file, path) => Ok(Some(Self { _file: Some(file) })),
            Ok(()) | Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(io_error("lock", path)(error)),
        }
    }

    /// Returns whether any process has the build open right now. Makes no file.
    pub fn is_held(path: &Path) -> bool {
        File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }
}

/// Opens a lock file where nothing can be written: an existing one can be locked all the same.
fn open_read_only(path: &Path, error: std::io::Error) -> StoreResult<File> {
    File::open(path).map_err(|_| io_error("open the reader lock", path)(error))
}

/// Returns whether the file that is open is still the one at `path`.
fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let id = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
        match (file.metadata(), path.metadata()) {
            (Ok(open), Ok(there)) => id(open) == id(there),
            _ => false,
        }
    }
    // Elsewhere no file goes while it is open.
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        true
    }
}

/// Returns whether the error says that nothing can be written there, as opposed to a fault.
pub fn is_read_only(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem
    )
}

/// Quarantines any file or directory that stands in the place of one of our files, by renaming it. Its time says from
/// then on since when it lies there; housekeeping removes it after some days.
pub(super) fn quarantine(path: &Path) -> std::io::Result<()> {
    let aside = path.with_file_name(format!("aside-{}", super::key::new_build()));
    std::fs::rename(path, &aside)?;
    let touched = File::open(&aside);
    // Best effort: a file that can't be touched keeps an older time and goes earlier.
    drop(touched.and_then(|file| file.set_modified(std::time::SystemTime::now())));
    Ok(())
}

fn open(path: &Path) -> std::io::Result<File> {
    let open = || {
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
    };
    open().or_else(|error| {
        if !path.is_dir() {
            return Err(error);
        }
        // A directory here is not ours: it is moved aside with its content.
        quarantine(path)?;
        open()
    })
}

#[cfg(test)]
mod tests {
    use super::{ReaderLock, WriteLock};
    use std::time::Duration;

    #[test]
    fn a_build_that_is_open_belongs_to_nobody_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.open");
        let (one, two) = (
            ReaderLock::acquire_shared(&path).unwrap(),
            ReaderLock::acquire_shared(&path).unwrap(),
        );
        assert!(ReaderLock::try_exclusive(&path).unwrap().is_none());
        drop((one, two));
        assert!(ReaderLock::try_exclusive(&path).unwrap().is_some());
    }

    #[test]
    fn a_directory_in_the_place_of_a_lock_is_set_aside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.write");
        std::fs::create_dir_all(path.join("y")).unwrap();
        assert!(WriteLock::take(&path, Duration::ZERO).unwrap().is_some());
        assert!(path.is_file() && std::fs::read_dir(dir.path()).unwrap().count() == 2);
    }

    #[test]
    fn only_one_holds_the_write_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.write");
        let first = WriteLock::take(&path, Duration::ZERO).unwrap();
        assert!(first.is_some() && WriteLock::is_held(&path));
        assert!(
            WriteLock::take(&path, Duration::from_millis(12))
                .unwrap()
                .is_none()
        );
        drop(first);
        assert!(!WriteLock::is_held(&path));
        assert!(WriteLock::take(&path, Duration::ZERO).unwrap().is_some());
    }
}
