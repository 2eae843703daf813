//! Reads a file's bytes: through an open handle of the work tree, following no link.
//!
//! A file that it reads cannot lie outside the work tree or in a `.git` directory, even if the tree is changed
//! meanwhile.

use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use cap_fs_ext::{
    DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsMaybeDirExt as _,
    OpenOptionsSyncExt as _,
};
use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::open_directory::{OpenDirectory, identity_at, open_below, open_file_below};
use crate::model::path::is_at_or_below;
use crate::model::visited::DirectoryId;
use crate::model::{FileStat, RepoPath};

/// Bytes that hold most files of code.
const BYTES_OF_MOST_FILES: usize = 32 << 10;

/// An open work tree. Clones share one handle; many threads may read through it at once.
#[derive(Clone, Debug)]
pub struct WorkTree {
    root: Arc<Dir>,
    path: Arc<Path>,
    id: Option<DirectoryId>,
    git_dirs: Arc<[RepoPath]>,
}

/// The bytes of a file, with its stat.
#[derive(Clone, Debug)]
pub struct FileRead {
    /// The whole content.
    pub bytes: Vec<u8>,
    /// The stat of the file when it was opened.
    pub stat: FileStat,
    /// When reading began, in nanoseconds since the Unix epoch, by the clock that stamps files.
    pub read_at_ns: i64,
    /// Whether the path led to the same file with the same stat afterwards. Together with
    /// [`FileStat::proves_content`] this proves that an equal stat later on means equal content.
    pub stable: bool,
}

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Nothing is there, or a directory on the way is none (any more).
    #[error("there is no such file")]
    Missing,
    /// A directory, symbolic link, FIFO, socket or device.
    #[error("not a regular file")]
    NotAFile,
    /// A commit has the file, and this clone does not have its bytes.
    #[error("its bytes are not in this clone")]
    NoBlob,
    /// Outside of the work tree, or in a `.git` directory.
    #[error("outside of the work tree")]
    Outside,
    /// Larger than the limit.
    #[error("larger than the limit: {size} bytes")]
    TooLarge {
        /// Its size in bytes.
        size: u64,
    },
    /// The system refused.
    #[error("the file could not be read")]
    Io(#[from] io::Error),
}

impl WorkTree {
    /// Opens the work tree whose root is `root`. Paths in `git_dirs`, canonical paths of git's own directories, count
    /// as outside.
    pub fn open(root: &Path, git_dirs: &[&Path]) -> io::Result<Self> {
        let path = root.canonicalize()?;
        let dir = Dir::open_ambient_dir(&path, cap_std::ambient_authority())?;
        let git_dirs = git_dirs
            .iter()
            .filter_map(|dir| as_repo_path(dir.strip_prefix(&path).ok()?))
            .collect();
        Ok(Self {
            id: identity_at(&dir, b"").map(|identity| identity.id()),
            root: Arc::new(dir),
            path: path.into(),
            git_dirs,
        })
    }

    /// Returns which directory the root is; `None` where the system can't tell.
    pub(super) fn id(&self) -> Option<DirectoryId> {
        self.id
    }

    /// Returns the stat of the regular file at `path`, following no link; `None` where there is none.
    pub fn stat(&self, path: &RepoPath) -> io::Result<Option<FileStat>> {
        let parent = match self.parent(path) {
            Ok(parent) => parent,
            Err(ReadError::Io(e)) => return Err(e),
            Err(_) => return Ok(None),
        };
        match lstat(parent.get(&self.root), path.file_name()) {
            Ok(stat) => Ok(Some(stat)),
            Err(ReadError::Io(e)) => Err(e),
            Err(_) => Ok(None),
        }
    }

    /// Opens a directory (empty: the root) below the root, so that no link in its path leads out.
    ///
    /// # Errors
    /// Those of the system, here or when it is read; [`is_gone`] tells which of them say that there is no such
    /// directory any more.
    pub(super) fn list(&self, dir: &Path) -> io::Result<OpenDirectory> {
        let dir = if dir.as_os_str().is_empty() {
            Path::new(".")
        } else {
            dir
        };
        let mut options = OpenOptions::new();
        // As a file: opening it as a directory takes the library two calls of the system more.
        options
            .read(true)
            .follow(FollowSymlinks::No)
            .nonblock(true)
            .maybe_dir(true);
        let opened = self.root.open_with(dir, &options);
        let opened = opened.map_err(|e| match self.root.symlink_metadata(dir) {
            Ok(meta) if !meta.is_dir() => io::ErrorKind::NotADirectory.into(),
            _ => e,
        });
        OpenDirectory::new(opened?)
    }

    /// Returns whether something that is no directory is at `path`: a file, a symbolic link.
    pub(super) fn has_entry(&self, path: &RepoPath) -> bool {
        let Ok(parent) = self.parent(path) else {
            return false;
        };
        let found = parent.get(&self.root).symlink_metadata(path.file_name());
        found.is_ok_and(|it| !it.is_dir())
    }

    /// Returns the open root, for the functions of [`super::open_directory`] alone.
    pub(super) fn root(&self) -> &Dir {
        &self.root
    }

    /// Reads the regular file at `path`, at most `limit` bytes, following no link in any component. Never
    /// blocks on a FIFO. Costs about 8 µs besides the bytes; where the system
    /// can't open a path of several directories in one call, 3 µs more for each.
    pub fn read(&self, path: &RepoPath, limit: u64) -> Result<FileRead, ReadError> {
        let parent = self.parent(path)?;
        let (dir, name) = (parent.get(&self.root), path.file_name());
        let read_at_ns = now_ns();
        // Looked at before it is opened, since opening a device may do something.
        lstat(dir, name)?;
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let file = match dir.open_with(name, &options) {
            Ok(file) => file,
            // It may have become a link or gone since; if it is still a file, the error stands.
            Err(e) => return Err(lstat(dir, name).err().unwrap_or(ReadError::Io(e))),
        };
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(ReadError::NotAFile);
        }
        let stat = stat_of(&meta);
        if stat.size_bytes > limit {
            return Err(ReadError::TooLarge {
                size: stat.size_bytes,
            });
        }
        let capacity = usize::try_from(stat.size_bytes).unwrap_or(0);
        let mut bytes = Vec::with_capacity(capacity.saturating_add(1));
        let n_read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes)? as u64;
        if n_read > limit {
            return Err(ReadError::TooLarge { size: n_read });
        }
        let stable = n_read == stat.size_bytes && lstat(dir, name).ok() == Some(stat);
        Ok(FileRead {
            bytes,
            stat,
            read_at_ns,
            stable,
        })
    }

    /// Reads the bytes of a file that is known to be a regular one of at most `limit` bytes, for a caller that compares them with what they
    /// were: it is opened without a look at it, before and after, which costs half as many calls of the system as [`Self::read`].
    /// `None` where that fails, for whatever reason, and where the system can't.
    pub(super) fn read_again(&self, path: &RepoPath, limit: u64) -> Option<Vec<u8>> {
        if self.is_git_s(path) {
            return None;
        }
        let mut file = open_file_below(&self.root, path.as_str())?;
        let mut bytes = vec![0; BYTES_OF_MOST_FILES];
        let mut n_bytes = 0;
        loop {
            match file.read(&mut bytes[n_bytes..]).ok()? {
                0 => break,
                n_read => n_bytes += n_read,
            }
            if n_bytes as u64 > limit {
                return None;
            }
            if n_bytes == bytes.len() {
                bytes.resize(2 * n_bytes, 0);
            }
        }
        bytes.truncate(n_bytes);
        Some(bytes)
    }

    /// Returns the path to which `path` leads when links inside the work tree are followed. A path that leaves the
    /// work tree or enters a `.git` directory is an error.
    pub fn resolve(&self, path: &RepoPath) -> Result<RepoPath, ReadError> {
        if self.is_git_s(path) {
            return Err(ReadError::Outside);
        }
        let real = match self.path.join(path.as_str()).canonicalize() {
            Ok(real) => real,
            Err(e) => {
                return Err(match e.kind() {
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::Missing,
                    _ => ReadError::Io(e),
                });
            }
        };
        let inside = real
            .strip_prefix(&self.path)
            .map_err(|_| ReadError::Outside)?;
        let found = as_repo_path(inside).ok_or(ReadError::NotAFile)?;
        if self.is_git_s(&found) {
            return Err(ReadError::Outside);
        }
        Ok(found)
    }

    /// Returns whether a path leads to one of git's own files, by any name.
    fn is_git_s(&self, path: &RepoPath) -> bool {
        enters_dot_git(path)
            || self
                .git_dirs
                .iter()
                .any(|dir| is_at_or_below(path.as_str(), dir.as_str()))
    }

    /// Returns whether git keeps its own in the directory at `path`, which has another name than `.git`.
    pub(super) fn is_git_dir(&self, path: &[u8]) -> bool {
        self.git_dirs
            .iter()
            .any(|dir| dir.as_str().as_bytes() == path)
    }

    /// Opens the directory that holds `path`, no component of whose path is a link.
    fn parent(&self, path: &RepoPath) -> Result<Parent, ReadError> {
        if self.is_git_s(path) {
            return Err(ReadError::Outside);
        }
        let mut at = Parent(None);
        if path.directory().is_empty() {
            return Ok(at);
        }
        if let Some(dir) = open_below(&self.root, path.directory()) {
            return Ok(Parent(Some(dir)));
        }
        for part in path.directory().split('/').filter(|part| !part.is_empty()) {
            let dir = at.get(&self.root);
            let next = match dir.open_dir_nofollow(part) {
                Ok(next) => next,
                Err(e) => {
                    // A link, or a file: then there is nothing at `path` itself.
                    let is_dir = dir.symlink_metadata(part).is_ok_and(|meta| meta.is_dir());
                    return Err(if is_dir {
                        ReadError::Io(e)
                    } else {
                        ReadError::Missing
                    });
                }
            };
            at = Parent(Some(next));
        }
        Ok(at)
    }
}

/// A directory below the root, or (`None`) the root.
struct Parent(Option<Dir>);

impl Parent {
    fn get<'a>(&'a self, root: &'a Dir) -> &'a Dir {
        self.0.as_ref().unwrap_or(root)
    }
}

/// Returns whether `name` is git's own. The case is no matter, since it is none to some file systems.
pub(super) fn is_dot_git(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b".git")
}

/// Reads a file outside of the work tree (git's own, or the user's); `None` where there is no such file.
pub(super) fn read_outside(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let links = if cfg!(unix) {
        FollowSymlinks::No
    } else {
        FollowSymlinks::Yes
    };
    let opened = match open_without_waiting(path, links) {
        // A link may lead to a device, and opening that may do something.
        Err(error) if is_link(&error) => match path.metadata() {
            Ok(meta) if meta.is_file() => open_without_waiting(path, FollowSymlinks::Yes),
            Ok(_) => return Ok(None),
            Err(of_target) => Err(of_target),
        },
        opened => opened,
    };
    let file = match opened {
        Ok(file) => file,
        Err(e) if is_absent(&e) => return Ok(None),
        Err(e) => return Err(e),
    };
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Reads a file outside of the work tree, at most `limit` bytes of it, without asking for its stat; `None` where there is no
/// file. A pipe reads as empty.
///
/// # Errors
/// One for a link, too.
pub(super) fn read_no_link(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let file = open_without_waiting(path, FollowSymlinks::No);
    read_unless_absent(file, limit)
}

/// Does [`read_no_link`], through links.
pub(super) fn read_without_stat(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let file = open_without_waiting(path, FollowSymlinks::Yes);
    read_unless_absent(file, limit)
}

fn read_unless_absent(file: io::Result<std::fs::File>, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::with_capacity(1024);
    match file.and_then(|file| file.take(limit).read_to_end(&mut bytes)) {
        Ok(_) => Ok(Some(bytes)),
        Err(e) if is_absent(&e) || e.kind() == io::ErrorKind::IsADirectory => Ok(None),
        Err(e) => Err(e),
    }
}

/// Opens a file for reading. A pipe is not waited for.
#[cfg(unix)]
fn open_without_waiting(path: &Path, links: FollowSymlinks) -> io::Result<std::fs::File> {
    use rustix::fs::{Mode, OFlags, open};
    let mut flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    flags.set(OFlags::NOFOLLOW, links == FollowSymlinks::No);
    match open(path, flags, Mode::empty()) {
        Ok(file) => Ok(file.into()),
        // A socket.
        Err(rustix::io::Errno::NXIO) => Err(io::ErrorKind::NotFound.into()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(unix)]
fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_link(_: &io::Error) -> bool {
    false
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path, links: FollowSymlinks) -> io::Result<std::fs::File> {
    let meta = match links {
        FollowSymlinks::Yes => path.metadata(),
        FollowSymlinks::No => path.symlink_metadata(),
    };
    if !meta?.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    std::fs::File::open(path)
}

/// Returns whether an error of [`WorkTree::list`] says that there is no directory at the path: nothing, a file, a
/// link, or a way out of the work tree, which has no error number.
pub(super) fn is_gone(e: &io::Error) -> bool {
    let leads_out = e.kind() == io::ErrorKind::PermissionDenied && e.raw_os_error().is_none();
    is_absent(e) || leads_out
}

fn is_absent(e: &io::Error) -> bool {
    matches!(
        e.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn as_repo_path(path: &Path) -> Option<RepoPath> {
    let text = path.to_str()?;
    RepoPath::new(&text.replace(std::path::MAIN_SEPARATOR, "/"))
}

pub(super) fn enters_dot_git(path: &RepoPath) -> bool {
    path.as_str()
        .split('/')
        .any(|part| is_dot_git(part.as_bytes()))
}

fn lstat(dir: &Dir, name: &str) -> Result<FileStat, ReadError> {
    match dir.symlink_metadata(name) {
        Ok(meta) if meta.is_file() => Ok(stat_of(&meta)),
        Ok(_) => Err(ReadError::NotAFile),
        Err(e) if is_absent(&e) => Err(ReadError::Missing),
        Err(e) => Err(ReadError::Io(e)),
    }
}

/// Returns the part of `meta` that tells states of the file apart.
pub(super) fn stat_of(meta: &Metadata) -> FileStat {
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt as _;
        FileStat {
            size_bytes: meta.size(),
            mtime_ns: nanos(meta.mtime(), meta.mtime_nsec()),
            ctime_ns: nanos(meta.ctime(), meta.ctime_nsec()),
            inode: meta.ino(),
        }
    }
    #[cfg(not(unix))]
    {
        FileStat {
            size_bytes: meta.len(),
            mtime_ns: meta
                .modified()
                .map_or(i64::MAX, |time| since_epoch_ns(time.into_std())),
            ctime_ns: 0,
            inode: 0,
        }
    }
}

#[cfg(unix)]
pub(super) fn nanos(seconds: i64, nanoseconds: i64) -> i64 {
    seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(nanoseconds)
}

pub(super) fn now_ns() -> i64 {
    since_epoch_ns(SystemTime::now())
}

fn since_epoch_ns(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
