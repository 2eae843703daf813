//! Is `index.lock` held by a running process, or left behind by one that was killed?
//!
//! Removes no lock: that is for the user, see `git::head` for what a lock means.

use std::path::Path;
use std::time::{Duration, SystemTime};

/// The age below which a lock is taken to be held.
const MIN_AGE: Duration = Duration::from_secs(10);

/// The age from which on a lock is taken to be left behind where the system does not tell which processes run.
#[cfg(not(target_os = "linux"))]
const UNKNOWN_AGE: Duration = Duration::from_secs(600);

/// Whether a lock was left behind: it is older than [`MIN_AGE`], no process has it open and no `git` runs in `work_dir`.
///
/// `git commit -a` closes its lock while the editor is open, hence the second look. Costs a walk over `/proc` for an old
/// lock, nothing for a young one.
pub(super) fn is_stale(lock: &Path, work_dir: &Path) -> bool {
    let changed = lock.symlink_metadata().and_then(|meta| meta.modified());
    // A time in the future says nothing of the age.
    let age = changed
        .ok()
        .and_then(|at| SystemTime::now().duration_since(at).ok());
    age.is_some_and(|age| age >= MIN_AGE && !may_be_held(lock, work_dir, age))
}

#[cfg(not(target_os = "linux"))]
fn may_be_held(_: &Path, _: &Path, age: Duration) -> bool {
    age < UNKNOWN_AGE
}

#[cfg(target_os = "linux")]
fn may_be_held(lock: &Path, work_dir: &Path, _: Duration) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return true;
    };
    let is_number = |entry: &std::fs::DirEntry| {
        let name = entry.file_name();
        name.as_encoded_bytes().iter().all(u8::is_ascii_digit)
    };
    processes
        .flatten()
        .filter(is_number)
        .any(|process| holds(&process.path(), lock, work_dir))
}

#[cfg(target_os = "linux")]
fn holds(process: &Path, lock: &Path, work_dir: &Path) -> bool {
    let name = std::fs::read(process.join("comm")).unwrap_or_default();
    let is_git = name.starts_with(b"git");
    if is_git {
        // Of another user's process the directory is not told: it may be this one.
        let is_here = |dir: std::path::PathBuf| dir.starts_with(work_dir);
        if std::fs::read_link(process.join("cwd")).map_or_else(is_refused, is_here) {
            return true;
        }
    }
    let Ok(open) = std::fs::read_dir(process.join("fd")) else {
        return is_git && process.join("comm").exists();
    };
    open.flatten()
        .any(|file| std::fs::read_link(file.path()).is_ok_and(|path| path == lock))
}

#[cfg(target_os = "linux")]
#[expect(clippy::needless_pass_by_value, reason = "as `map_or_else` calls it")]
fn is_refused(error: std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::PermissionDenied
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::{Duration, SystemTime};

    use super::is_stale;

    #[test]
    fn an_old_lock_is_stale_unless_a_process_has_it_open() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let lock = root.join("index.lock");
        assert!(!is_stale(&lock, &root), "there is none");
        let file = File::create(&lock).unwrap();
        assert!(!is_stale(&lock, &root), "it is young");
        let at = |secs: u64| SystemTime::now() - Duration::from_secs(secs);
        file.set_modified(at(3600)).unwrap();
        #[cfg(target_os = "linux")]
        assert!(!is_stale(&lock, &root), "it is open here");
        drop(file);
        // A process that another test is starting has it open until it runs its own program.
        let is_free = (0..100).any(|_| {
            let is_free = is_stale(&lock, &root);
            if !is_free {
                std::thread::sleep(Duration::from_millis(20));
            }
            is_free
        });
        assert!(is_free);
        let file = File::create(&lock).unwrap();
        file.set_modified(SystemTime::now() + Duration::from_hours(1))
            .unwrap();
        drop(file);
        assert!(!is_stale(&lock, &root), "its time is in the future");
    }
}
