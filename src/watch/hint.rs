//! Changes that the operating system tells of late, on a thread of the library: a hint that lets work start before a
//! question comes. Nothing is proved by events, nor by their absence.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use notify::{Config, EventKindMask, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::{WatchCoverage, WatchError, WatchMoment, network_type};
use crate::model::visited::{ChangedDirectories, Doubts, Visited, VisitedDirectory};

/// Directories that one watch looks at, at most: each takes a kernel object, of which a user has some
/// thousands.
const MAX_DIRECTORIES: usize = 4_096;

/// How long a change is held back at most while others follow.
const AT_MOST: u32 = 20;

/// A watch over the directories of one work tree; it ends when it is dropped.
pub struct HintWatch {
    root: PathBuf,
    watcher: Mutex<RecommendedWatcher>,
    directories: Mutex<BTreeSet<PathBuf>>,
    n_changes: Arc<AtomicU64>,
}

impl HintWatch {
    /// Begins a watch over no directory of the work tree at `root` yet. `on_change` is called from a thread of its own when
    /// something changed and it was `quiet` for so long (a checkout is one change), never twice at once; when it
    /// returns false the thread ends.
    ///
    /// # Errors
    /// Where it can't work; a caller does without.
    pub fn start(
        root: &Path,
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
            root: root.to_owned(),
            watcher: Mutex::new(watcher),
            directories: Mutex::default(),
            n_changes,
        };
        std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || tell(&receiver, quiet, on_change))
            .map_err(|error| WatchError::Refused(error.to_string()))?;
        Ok(watch)
    }

    /// Watches the directories that a look visited, and git's own. Directories that are watched already stay watched.
    ///
    /// # Errors
    /// Where there are too many, or the system refuses.
    pub fn cover(&self, visited: &[VisitedDirectory], git_dir: &Path) -> Result<(), WatchError> {
        let path = |directory: &VisitedDirectory| {
            let path = std::str::from_utf8(&directory.path).ok()?;
            Some(self.root.join(path))
        };
        let mut wanted: BTreeSet<PathBuf> = visited.iter().filter_map(path).collect();
        wanted.insert(git_dir.to_owned());
        if wanted.len() > MAX_DIRECTORIES {
            return Err(WatchError::TooMany(wanted.len(), MAX_DIRECTORIES));
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

    /// Returns nothing: there is no moment at which all changes were told.
    #[allow(clippy::unused_self, reason = "the other systems' needs it")]
    pub fn moment(&self) -> Option<(WatchMoment, Doubts)> {
        None
    }

    /// Always false: without a queue of events, changes go unseen.
    #[allow(clippy::unused_self, reason = "the other systems' needs it")]
    pub fn is_unchanged(&self, _: &WatchMoment) -> bool {
        false
    }

    /// Returns nothing: there is no moment at which all changes were told.
    #[allow(clippy::unused_self, reason = "the other systems' needs it")]
    pub fn changed_between(&self, _: &WatchMoment, _: &WatchMoment) -> Option<ChangedDirectories> {
        None
    }

    /// Returns `Useless` where every directory of a look is watched, else `Missing`; events prove nothing here.
    pub fn coverage(&self, visited: &Visited, _: Option<&WatchMoment>) -> WatchCoverage {
        let known = lock(&self.directories);
        let is_known = |directory: &VisitedDirectory| {
            let path = std::str::from_utf8(&directory.path).ok();
            path.is_none_or(|path| known.contains(&self.root.join(path)))
        };
        if visited.directories.iter().all(is_known) {
            WatchCoverage::Useless(WatchError::Late)
        } else {
            WatchCoverage::Missing
        }
    }

    /// Does nothing: no file is doubted.
    #[allow(clippy::unused_self, reason = "the other systems' needs it")]
    pub fn clear_doubts(&self, _: &WatchMoment) {}

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

    use super::HintWatch;
    use crate::model::visited::VisitedDirectory;

    fn directory(path: &str) -> VisitedDirectory {
        VisitedDirectory {
            path: path.as_bytes().into(),
            id: None,
        }
    }

    #[test]
    fn a_burst_of_changes_is_told_once_and_reading_never() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a"), "1").unwrap();
        let (sender, told) = channel();
        let quiet = Duration::from_millis(60);
        let watch = HintWatch::start(dir.path(), quiet, move || sender.send(()).is_ok()).unwrap();
        let git_dir = tempfile::tempdir().unwrap();
        watch.cover(&[directory("")], git_dir.path()).unwrap();
        assert_eq!(watch.n_directories(), 2);
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
        let both = [directory(""), directory("below/")];
        watch.cover(&both, git_dir.path()).unwrap();
        told.recv_timeout(soon).unwrap();
        while told.recv_timeout(Duration::from_millis(300)).is_ok() {}
        std::fs::write(below.join("b"), "2").unwrap();
        told.recv_timeout(soon).unwrap();
    }
}
