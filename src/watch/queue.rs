//! The kernel's queue of file events on Linux (inotify).
//!
//! An event is in the queue before the call that made the change returns. So a queue that is empty when it is read says
//! that nothing was changed in the watched directories since it was last found empty. Directories are known by their
//! inodes and never by their names, which lag behind renames.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::inotify::{self, CreateFlags, Event, ReadFlags, Reader, WatchFlags};
use rustix::fs::{AtFlags, Mode, OFlags, StatxAttributes, StatxFlags, fstat, fstatfs, open, statx};
use rustix::io::Errno;

use super::mounts::{mounted_files, network_type};
use super::{WatchCoverage, WatchError, WatchMoment};
use crate::model::visited::{
    ChangedDirectories, DirectoryId, Doubts, TELLING_FILE_SYSTEMS, Visited, VisitedDirectory,
};

/// How many periods of quiet a change is held back at most while others follow.
const MAX_ROUNDS: u32 = 20;

/// Events that one call reads at most: more are a change in any case.
const MAX_EVENTS: usize = 1 << 16;

/// Files that are doubted at most; of more their stat alone is looked at.
const MAX_DOUBTS: usize = 1 << 14;

/// Directories with changes that are kept apart; of more it is only known that something changed.
const MAX_CHANGED: usize = 256;

/// Files that say something of other files. A change of one may concern everything.
const SPEAKING_NAMES: [&[u8]; 5] = [
    b".git",
    b".gitignore",
    b".gitattributes",
    b".codelensignore",
    b".codelens.toml",
];

/// Where the system does not say how many directories a user may watch: the kernel's old limit.
const USUAL_LIMIT: usize = 8_192;

/// All that can change what is in a directory. That files are opened and read is left out: nobody does so more than we
/// do, and a search by another program would fill the queue.
const CHANGES: WatchFlags = WatchFlags::MODIFY
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// A watch over the directories of one work tree; it ends when it is dropped.
pub struct QueueWatch {
    queue: Arc<EventQueue>,
}

struct EventQueue {
    root: PathBuf,
    limit: usize,
    events: OwnedFd,
    /// Wakes the thread that tells of changes which another one has read.
    wake: OwnedFd,
    is_closed: AtomicBool,
    state: Mutex<State>,
}

struct State {
    /// Readable with priority when a mount came or went.
    mounts: File,
    mounted_files: Vec<PathBuf>,
    watched: HashMap<DirectoryId, WatchedDirectory>,
    by_descriptor: HashMap<i32, DirectoryId>,
    /// Changes that may be seen in an answer.
    n_changes: u64,
    /// All changes, those of git's own files among them.
    n_told: u64,
    n_added: u64,
    /// The number of the last change that may concern more than the files of one directory.
    last_wide: u64,
    /// Directories in which entries changed otherwise, each with the number of its last such change.
    changed: HashMap<Box<[u8]>, u64>,
    /// Files and directories (with a slash at their ends) as [`Doubts`] has them, with the last change of each.
    doubts: BTreeMap<String, u64>,
    broken: Option<WatchError>,
}

struct WatchedDirectory {
    descriptor: i32,
    /// The number of its addition. `None` where the queue overflowed since: the kernel may have ended the watch.
    added: Option<u64>,
    role: Role,
    is_telling: bool,
}

enum Role {
    /// Below the root, with its path as a [`VisitedDirectory`] has it.
    Member(Box<[u8]>),
    /// Where git keeps `HEAD` and the staging area.
    GitDir,
}

impl QueueWatch {
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
        let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok();
        let limit = limit.and_then(|text| text.trim().parse().ok());
        // Other programs of the user want to watch, too.
        let limit = limit.unwrap_or(USUAL_LIMIT) / 4;
        Self::start_limited(root, quiet, limit, on_change)
    }

    fn start_limited(
        root: &Path,
        quiet: Duration,
        limit: usize,
        on_change: impl FnMut() -> bool + Send + 'static,
    ) -> Result<Self, WatchError> {
        let mounts = File::open("/proc/self/mountinfo").map_err(|e| refused(&e))?;
        let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC);
        let wake = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC);
        let queue = Arc::new(EventQueue {
            root: root.to_owned(),
            limit,
            events: events.map_err(|e| refused(&e))?,
            wake: wake.map_err(|e| refused(&e))?,
            is_closed: AtomicBool::new(false),
            state: Mutex::new(State {
                mounts,
                mounted_files: mounted_files(root),
                watched: HashMap::new(),
                by_descriptor: HashMap::new(),
                n_changes: 0,
                n_told: 0,
                n_added: 0,
                last_wide: 0,
                changed: HashMap::new(),
                doubts: BTreeMap::new(),
                broken: None,
            }),
        });
        let told = Arc::clone(&queue);
        std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || told.tell(quiet, on_change))
            .map_err(|e| refused(&e))?;
        Ok(Self { queue })
    }

    /// Watches the directories that a look visited, and git's own. Directories that are watched already stay watched;
    /// others are no longer, if it is known of each which one was visited.
    ///
    /// # Errors
    /// Where there are too many, or the system refuses: then the watch is of no use.
    pub fn cover(&self, visited: &[VisitedDirectory], git_dir: &Path) -> Result<(), WatchError> {
        let limit = self.queue.limit;
        if visited.len() >= limit {
            return Err(WatchError::TooMany(visited.len(), limit));
        }
        let Some(git_dir) = self.queue.add(git_dir, Role::GitDir)? else {
            return Err(refused(&"git's directory can't be opened"));
        };
        let mut wanted = HashSet::from([git_dir]);
        let mut is_all_known = true;
        for directory in visited {
            let is_known = directory
                .id
                .is_some_and(|id| self.queue.lock().is_known(id, &directory.path));
            if is_known {
                wanted.extend(directory.id);
                continue;
            }
            let path = self.queue.root.join(OsStr::from_bytes(&directory.path));
            let added = self
                .queue
                .add(&path, Role::Member(directory.path.clone()))?;
            is_all_known &= directory.id.is_some();
            wanted.extend(added);
        }
        if is_all_known {
            self.queue.keep_only(&wanted);
        }
        Ok(())
    }

    /// Reads the queue and returns this moment, with the files that are doubted at it.
    pub fn moment(&self) -> Option<(WatchMoment, Doubts)> {
        let state = self.queue.read();
        let doubts = Doubts::new(state.doubts.keys().cloned());
        Some((state.moment(), doubts))
    }

    /// Reads the queue and returns whether nothing was told since `moment`.
    pub fn is_unchanged(&self, moment: &WatchMoment) -> bool {
        let state = self.queue.read();
        state.broken.is_none() && state.n_changes == moment.n_changes
    }

    /// Returns the directories whose entries changed between two moments; `None` where more than their files may have
    /// changed: a directory came, went or was moved, a file of rules changed, events were lost.
    pub fn changed_between(
        &self,
        from: &WatchMoment,
        to: &WatchMoment,
    ) -> Option<ChangedDirectories> {
        let state = self.queue.lock();
        let is_narrow = state.broken.is_none() && state.last_wide <= from.n_changes;
        // A change after the second moment may have taken the place of one before it in the list: that is one more directory.
        let changed = state.changed.iter().filter(|(_, n)| **n > from.n_changes);
        let changed = changed.map(|(directory, _)| directory.clone());
        (is_narrow && to.n_changes >= from.n_changes).then(|| ChangedDirectories::new(changed))
    }

    /// Returns how much of the directories of a scan was watched before `moment`, when the scan began. Without a moment the watch
    /// had not begun then, and the coverage is [`WatchCoverage::Late`] at most.
    pub fn coverage(&self, visited: &Visited, moment: Option<&WatchMoment>) -> WatchCoverage {
        let state = self.queue.lock();
        let is_before = |watched: &WatchedDirectory| {
            let since = watched.added.zip(moment);
            since.is_some_and(|(added, moment)| added <= moment.n_added)
        };
        let git_dir = state.watched.values().find(|watched| watched.is_git_dir());
        let Some(git_dir) = git_dir.filter(|watched| watched.added.is_some()) else {
            return WatchCoverage::Missing;
        };
        let mut is_whole = is_before(git_dir);
        let mut not_telling = (!git_dir.is_telling).then(|| Path::new(".git"));
        for directory in &visited.directories {
            let path = Path::new(OsStr::from_bytes(&directory.path));
            let Some(id) = directory.id else {
                not_telling = Some(path);
                continue;
            };
            // Changes in a directory are told by the path that it had when it was added.
            match state.watched.get(&id) {
                Some(watched) if watched.is_at(&directory.path) => {
                    is_whole &= is_before(watched);
                    if !watched.is_telling {
                        not_telling = Some(path);
                    }
                }
                _ => return WatchCoverage::Missing,
            }
        }
        if let Some(broken) = &state.broken {
            WatchCoverage::Useless(broken.clone())
        } else if let Some(path) = not_telling {
            WatchCoverage::Useless(WatchError::NotTelling(self.queue.root.join(path)))
        } else if let Some(file) = state.mounted_files.first() {
            WatchCoverage::Useless(WatchError::MountedFile(file.clone()))
        } else if is_whole {
            WatchCoverage::Whole
        } else {
            WatchCoverage::Late
        }
    }

    /// Forgets the doubts of `moment` and before: a complete look that began then has read those files.
    pub fn clear_doubts(&self, moment: &WatchMoment) {
        let mut state = self.queue.lock();
        state.doubts.retain(|_, change| *change > moment.n_changes);
    }

    /// Returns how many changes were seen so far. One that was made just now may be missing.
    pub fn n_changes(&self) -> u64 {
        let state = self.queue.lock();
        state.n_told
    }

    /// Returns how many directories are watched.
    pub fn n_directories(&self) -> usize {
        self.queue.lock().watched.len()
    }
}

impl Drop for QueueWatch {
    fn drop(&mut self) {
        self.queue.is_closed.store(true, Ordering::Release);
        self.queue.wake_up();
    }
}

impl EventQueue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the queue to its end.
    fn read(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        let n_told = state.n_told;
        self.read_into(&mut state);
        if state.n_told != n_told {
            self.wake_up();
        }
        state
    }

    fn read_into(&self, state: &mut State) {
        if state.is_mount_changed() {
            state.change();
            state.mounted_files = mounted_files(&self.root);
        }
        let mut space = [MaybeUninit::uninit(); 16 << 10];
        let mut reader = Reader::new(&self.events, &mut space);
        for _ in 0..MAX_EVENTS {
            match reader.next() {
                Ok(event) => state.take(&event),
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(error) => {
                    state.change();
                    state.broken = Some(refused(&error));
                    break;
                }
            }
        }
    }

    fn wake_up(&self) {
        // Fails only where the counter is full: then the thread is woken already.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// Watches the directory at a path. Returns which one it is; `None` where there is none.
    fn add(&self, path: &Path, role: Role) -> Result<Option<DirectoryId>, WatchError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = match open(path, flags, Mode::empty()) {
            Ok(directory) => directory,
            // It went or became something else since: its parent tells.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
            Err(error) => return Err(refused(&error)),
        };
        let stat = fstat(&directory).map_err(|e| refused(&e))?;
        let id = DirectoryId {
            device: stat.st_dev,
            inode: stat.st_ino,
        };
        let is_telling = is_telling(&directory);
        // By the open file, so that it is the directory that was just looked at, whatever came in its place.
        let link = format!("/proc/self/fd/{}", directory.as_raw_fd());
        let mut state = self.lock();
        let descriptor = match inotify::add_watch(&self.events, link, CHANGES) {
            Ok(descriptor) => descriptor,
            Err(Errno::NOSPC) => {
                return Err(WatchError::Refused(
                    "the user's limit of watches (fs.inotify.max_user_watches) is used up".into(),
                ));
            }
            Err(error) => return Err(refused(&error)),
        };
        let before = state.watched.remove(&id);
        // Watched all the time since, under another path perhaps.
        let since = before
            .as_ref()
            .filter(|before| before.descriptor == descriptor);
        let since = since.and_then(|before| before.added);
        let added = since.unwrap_or(state.n_added + 1);
        state.n_added = state.n_added.max(added);
        if let Some(before) = before {
            state.by_descriptor.remove(&before.descriptor);
            // What was told of it until now may stand under a path that it had before.
            state.last_wide = state.n_changes;
        }
        state.by_descriptor.insert(descriptor, id);
        let watched = WatchedDirectory {
            descriptor,
            added: Some(added),
            role,
            is_telling,
        };
        state.watched.insert(id, watched);
        Ok(Some(id))
    }

    fn keep_only(&self, wanted: &HashSet<DirectoryId>) {
        let mut state = self.lock();
        let gone: Vec<_> = state
            .watched
            .extract_if(|id, _| !wanted.contains(id))
            .collect();
        for (_, watched) in gone {
            state.by_descriptor.remove(&watched.descriptor);
            // One that the kernel has ended already can't be ended again.
            let _ = inotify::remove_watch(&self.events, watched.descriptor);
        }
    }

    /// Waits for changes and tells of them, until the watch is dropped or nobody wants to know.
    fn tell(&self, quiet: Duration, mut on_change: impl FnMut() -> bool) {
        let mut told = 0;
        while !self.is_closed.load(Ordering::Acquire) {
            let mut waited = [
                PollFd::new(&self.events, PollFlags::IN),
                PollFd::new(&self.wake, PollFlags::IN),
            ];
            if !matches!(poll(&mut waited, None), Ok(_) | Err(Errno::INTR)) {
                return;
            }
            let mut count = [0; 8];
            let _ = rustix::io::read(&self.wake, &mut count);
            let mut now = self.read_here();
            if now == told {
                continue;
            }
            for _ in 0..MAX_ROUNDS {
                std::thread::sleep(quiet);
                // Events of this burst are one change.
                let later = self.read_here();
                let is_over = later == now;
                now = later;
                if is_over {
                    break;
                }
            }
            told = now;
            if self.is_closed.load(Ordering::Acquire) || !on_change() {
                return;
            }
        }
    }

    fn read_here(&self) -> u64 {
        let mut state = self.lock();
        self.read_into(&mut state);
        state.n_told
    }
}

impl State {
    fn moment(&self) -> WatchMoment {
        WatchMoment {
            n_changes: self.n_changes,
            n_added: self.n_added,
        }
    }

    /// Notes a change that may concern everything.
    fn change(&mut self) {
        self.n_changes += 1;
        self.n_told += 1;
        self.last_wide = self.n_changes;
        self.changed.clear();
    }

    /// Notes a change of files directly in a directory.
    fn change_in(&mut self, directory: Box<[u8]>) {
        self.n_changes += 1;
        self.n_told += 1;
        self.changed.insert(directory, self.n_changes);
        if self.changed.len() > MAX_CHANGED {
            self.last_wide = self.n_changes;
            self.changed.clear();
        }
    }

    fn is_mount_changed(&self) -> bool {
        let mut waited = [PollFd::new(&self.mounts, PollFlags::PRI)];
        let at_once = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // An interrupted call said nothing.
        poll(&mut waited, Some(&at_once)).map_or(true, |n| n > 0)
    }

    /// Returns whether a directory is watched under this path. One that was moved is watched anew, under its path of now.
    fn is_known(&self, id: DirectoryId, path: &[u8]) -> bool {
        self.watched
            .get(&id)
            .is_some_and(|watched| watched.is_at(path))
    }

    fn take(&mut self, event: &Event<'_>) {
        let flags = event.events();
        if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
            self.change();
            self.doubts.clear();
            for watched in self.watched.values_mut() {
                watched.added = None;
            }
            return;
        }
        let Some(id) = self.by_descriptor.get(&event.wd()).copied() else {
            // The last event of a directory that is watched no longer.
            if !flags.contains(ReadFlags::IGNORED) {
                self.change();
            }
            return;
        };
        if flags.intersects(ReadFlags::IGNORED | ReadFlags::UNMOUNT) {
            self.change();
            self.by_descriptor.remove(&event.wd());
            self.watched.remove(&id);
            return;
        }
        let name = event.file_name().map(std::ffi::CStr::to_bytes);
        let Some(watched) = self.watched.get(&id) else {
            return self.change();
        };
        match &watched.role {
            Role::GitDir => {
                // Locks and the like come and go without any change.
                match name {
                    None | Some(b"index" | b"HEAD" | b"commondir" | b"gitdir") => self.change(),
                    _ => self.n_told += 1,
                }
            }
            Role::Member(directory) => {
                let closed = flags
                    .contains(ReadFlags::CLOSE_WRITE)
                    .then(|| doubted(directory, name?))
                    .flatten();
                if is_wide(flags, name) {
                    self.change();
                } else {
                    let directory = directory.clone();
                    self.change_in(directory);
                }
                if let Some(path) = closed {
                    self.doubts.insert(path, self.n_changes);
                    if self.doubts.len() > MAX_DOUBTS {
                        self.doubts.clear();
                    }
                }
            }
        }
    }
}

impl WatchedDirectory {
    fn is_git_dir(&self) -> bool {
        matches!(self.role, Role::GitDir)
    }

    /// Returns whether it is watched as the directory at this path.
    fn is_at(&self, path: &[u8]) -> bool {
        let is_same = matches!(&self.role, Role::Member(known) if **known == *path);
        is_same && self.added.is_some()
    }
}

/// Returns whether a change in a watched directory may concern more than files directly in it: the directory itself, one
/// in it, or a file that says something of others.
fn is_wide(flags: ReadFlags, name: Option<&[u8]>) -> bool {
    let itself = ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::ISDIR;
    let is_speaking = |name: &[u8]| {
        let mut speaking = SPEAKING_NAMES.iter();
        speaking.any(|known| known.eq_ignore_ascii_case(name))
    };
    flags.intersects(itself) || name.is_none_or(is_speaking)
}

/// Returns the file of a name in a directory; for a file that was made without a name (`#` and its inode number), all
/// files of the directory. `None` where nothing of that name is indexed.
fn doubted(directory: &[u8], name: &[u8]) -> Option<String> {
    let number = name.strip_prefix(b"#").unwrap_or_default();
    let has_no_name = !number.is_empty() && number.iter().all(u8::is_ascii_digit);
    let path = if has_no_name {
        directory.to_vec()
    } else {
        [directory, name].concat()
    };
    String::from_utf8(path).ok()
}

/// Returns whether events tell of each change in an open directory. The names in an encrypted one are others once its key
/// is there.
#[allow(
    clippy::useless_conversion,
    reason = "the types differ between systems"
)]
fn is_telling(directory: &OwnedFd) -> bool {
    let is_known =
        |kind| i64::try_from(kind).is_ok_and(|kind| TELLING_FILE_SYSTEMS.contains(&kind));
    fstatfs(directory).is_ok_and(|found| is_known(found.f_type))
        && statx(directory, "", AtFlags::EMPTY_PATH, StatxFlags::empty())
            .is_ok_and(|found| !found.stx_attributes.contains(StatxAttributes::ENCRYPTED))
}

fn refused(error: &dyn std::fmt::Display) -> WatchError {
    WatchError::Refused(error.to_string())
}

#[cfg(test)]
mod tests;
