//! The door to file events: tells that some file below watched directories changed.
//!
//! A hint that lets work start before a question comes. Nothing is proved by events, nor by their absence.

mod mounts;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use mounts::network_type;
use notify::{Config, EventKindMask, RecommendedWatcher, RecursiveMode, Watcher as _};

/// Directories that one watch looks at, at most: each takes a kernel object, of which a user has some
/// thousands.
pub const MAX_DIRECTORIES: usize = 4_096;

/// How long a change is held back at most while others follow.
const AT_MOST: u32 = 20;

/// Why there is no watch.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WatchError {
    /// There are more directories than are watched.
    #[error("{0} directories are more than are watched")]
    TooMany(usize),
    /// Changes that others make can't be seen there.
    #[error(
        "the work tree is on a file system of type {0}, which tells no changes that others make"
    )]
    Mount(String),
    /// The operating system refused.
    #[error("the operating system refused: {0}")]
    Refused(String),
}

/// A watch over some directories; it ends when it is dropped.
pub struct Watch {
    watcher: Mutex<RecommendedWatcher>,
    directories: Mutex<BTreeSet<PathBuf>>,
    n_changes: Arc<AtomicU64>,
}

impl Watch {
    /// Watches directories, each by itself; `root` is the work tree that they are of. `on_change` is called from a thread of its own
    /// when something changed and it was `quiet` for so long (a checkout is one change), never twice at once; when it returns false the
    /// thread ends.
    ///
    /// # Errors
    /// Where it can't work; a caller does without.
    pub fn start(
        root: &Path,
        directories: impl IntoIterator<Item = PathBuf>,
        quiet: Duration,
        on_change: impl FnMut() -> bool + Send + 'static,
    ) -> Result<Self, WatchError> {
        if let Some(kind) = network_type(root) {
            return Err(WatchError::Mount(kind));
        }
        let (sender, receiver) = channel();
        let n_changes = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&n_changes);
        let on_event = move |_: notify::Result<notify::Event>| {
            // An error may hide a change.
            seen.fetch_add(1, Ordering::AcqRel);
            // The receiver is gone when its thread ended: then nobody wants to know it.
            let _ = sender.send(());
        };
        // That somebody opens and reads changes nothing, and nobody does so more than we do: asked for, each
        // directory of each look at the work tree would wake the watch.
        let config = Config::default().with_event_kinds(EventKindMask::CORE);
        let watcher = RecommendedWatcher::new(on_event, config)
            .map_err(|error| WatchError::Refused(error.to_string()))?;
        let watch = Self {
            watcher: Mutex::new(watcher),
            directories: Mutex::default(),
            n_changes,
        };
        watch.cover(directories)?;
        std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || tell(&receiver, quiet, on_change))
            .map_err(|error| WatchError::Refused(error.to_string()))?;
        Ok(watch)
    }

    /// Watches exactly these directories. Directories that are watched already stay watched.
    pub fn cover(&self, directories: impl IntoIterator<Item = PathBuf>) -> Result<(), WatchError> {
        let wanted: BTreeSet<PathBuf> = directories.into_iter().collect();
        if wanted.len() > MAX_DIRECTORIES {
            return Err(WatchError::TooMany(wanted.len()));
        }
        let mut known = lock(&self.directories);
        if *known == wanted {
            return Ok(());
        }
        let mut watcher = lock(&self.watcher);
        for gone in known.difference(&wanted) {
            // A directory that was deleted is not watched any more anyway.
            drop(watcher.unwatch(gone));
        }
        for new in wanted.difference(&known) {
            match watcher.watch(new, RecursiveMode::NonRecursive) {
                Ok(()) => {}
                Err(error) if matches!(error.kind, notify::ErrorKind::PathNotFound) => {}
                Err(error) => return Err(WatchError::Refused(error.to_string())),
            }
        }
        *known = wanted;
        Ok(())
    }

    /// Returns how many changes were seen so far. One that was made just now may be missing.
    pub fn n_changes(&self) -> u64 {
        self.n_changes.load(Ordering::Acquire)
    }

    /// Returns how many directories are watched.
    pub fn n_directories(&self) -> usize {
        lock(&self.directories).len()
    }
}

fn tell(receiver: &Receiver<()>, quiet: Duration, mut on_change: impl FnMut() -> bool) {
    while receiver.recv().is_ok() {
        let mut waited = 0;
        loop {
            match receiver.recv_timeout(quiet) {
                Ok(()) if waited < AT_MOST => {
                    // Events of this burst are one change.
                    while receiver.try_recv().is_ok() {}
                    waited += 1;
                }
                Ok(()) | Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        if !on_change() {
            return;
        }
    }
}

fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::Watch;

    #[test]
    fn a_burst_of_changes_is_told_once_and_reading_never() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a"), "1").unwrap();
        let (sender, told) = channel();
        let quiet = Duration::from_millis(60);
        let watch = Watch::start(dir.path(), [dir.path().to_owned()], quiet, move || {
            sender.send(()).is_ok()
        })
        .unwrap();
        assert_eq!(watch.n_directories(), 1);
        let soon = Duration::from_secs(20);
        for n in 0..50 {
            std::fs::write(dir.path().join(format!("f{n}")), "x").unwrap();
        }
        told.recv_timeout(soon).unwrap();
        while told.recv_timeout(Duration::from_millis(300)).is_ok() {}
        let n_changes = watch.n_changes();
        assert_eq!(std::fs::read(dir.path().join("a")).unwrap(), b"1");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 51);
        assert!(told.recv_timeout(Duration::from_millis(300)).is_err());
        assert_eq!(watch.n_changes(), n_changes);
        // A directory that is added later is watched from then on.
        let below = dir.path().join("below");
        std::fs::create_dir(&below).unwrap();
        watch.cover([dir.path().to_owned(), below.clone()]).unwrap();
        told.recv_timeout(soon).unwrap();
        while told.recv_timeout(Duration::from_millis(300)).is_ok() {}
        std::fs::write(below.join("b"), "2").unwrap();
        told.recv_timeout(soon).unwrap();
    }
}
