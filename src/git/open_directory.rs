//! An open directory: its entries and their stat, by as few calls of the system as that takes.
//!
//! A look at the work tree is mostly this.

use std::io;

use crate::model::FileStat;
use crate::model::visited::DirectoryId;

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum EntryKind {
    File = b'f',
    Directory = b'd',
    Link = b'l',
    /// A FIFO, a socket, a device.
    Special = b's',
}

/// An entry that was there when it was listed.
pub(super) struct DirEntry {
    pub(super) name: Vec<u8>,
    pub(super) kind: EntryKind,
}

/// A regular file that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SeenFile {
    pub(super) stat: FileStat,
    /// Whether it has other names, inside or outside the work tree; false where the system does not say.
    pub(super) is_linked: bool,
}

/// Which directory this is and when its entries last changed: while that is equal, so are they, if it was settled
/// when they were read and the file system notes such changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) device: u64,
    pub(super) stat: FileStat,
}

impl Identity {
    /// Returns which directory it is, whatever its entries.
    pub(super) fn id(&self) -> DirectoryId {
        DirectoryId {
            device: self.device,
            inode: self.stat.inode,
        }
    }
}

/// Opens the directory at a path below another by one call of the system, following no link in any component. `None` where that has no such
/// call, and where it fails, for whatever reason: going there part by part tells it.
pub(super) fn open_below(dir: &cap_std::fs::Dir, path: &str) -> Option<cap_std::fs::Dir> {
    let opened = below::open(dir, path, below::DIRECTORY)?;
    Some(cap_std::fs::Dir::from_std_file(opened))
}

/// Opens the file at a path below a directory for reading, by one call of the system, as [`open_below`] does; never waits for a FIFO's writer.
pub(super) fn open_file_below(dir: &cap_std::fs::Dir, path: &str) -> Option<std::fs::File> {
    below::open(dir, path, below::FILE)
}

#[cfg(target_os = "linux")]
mod below {
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};

    pub(super) const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
    pub(super) const FILE: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

    pub(super) fn open(dir: &cap_std::fs::Dir, path: &str, flags: OFlags) -> Option<std::fs::File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let stays = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        Some(openat2(dir, path, flags, Mode::empty(), stays).ok()?.into())
    }
}

#[cfg(not(target_os = "linux"))]
mod below {
    pub(super) const DIRECTORY: () = ();
    pub(super) const FILE: () = ();

    pub(super) fn open(_: &cap_std::fs::Dir, _: &str, (): ()) -> Option<std::fs::File> {
        None
    }
}

#[cfg(unix)]
pub(super) use unix::{OpenDirectory, identity_at, stat_at};

#[cfg(not(unix))]
pub(super) use other::{OpenDirectory, identity_at, stat_at};

#[cfg(unix)]
mod unix {
    use cap_std::fs::Dir;
    use rustix::fs::{AtFlags, Dir as Entries, FileType, Stat, fstat, statat};

    use super::{DirEntry, EntryKind, FileStat, Identity, SeenFile, io};
    use crate::git::content::{is_gone, nanos};

    /// A directory that is read once.
    pub(in crate::git) struct OpenDirectory {
        dir: Entries,
        // The library would ask the system again.
        is_read: bool,
    }

    impl OpenDirectory {
        /// Takes an opened file. An error that it is no directory comes here or when it is read.
        pub(in crate::git) fn new(file: cap_std::fs::File) -> io::Result<Self> {
            Ok(Self {
                dir: Entries::new(file.into_std())?,
                is_read: false,
            })
        }

        /// Returns the next entry that is still there, in the file system's order.
        pub(in crate::git) fn next(&mut self) -> Option<io::Result<DirEntry>> {
            while !self.is_read {
                let entry = match self.dir.read() {
                    Some(Ok(entry)) => entry,
                    Some(Err(e)) => return Some(Err(e.into())),
                    None => {
                        self.is_read = true;
                        break;
                    }
                };
                let name = entry.file_name().to_bytes();
                if matches!(name, b"." | b"..") {
                    continue;
                }
                let kind = match entry.file_type() {
                    // There are file systems that list names without their kinds.
                    FileType::Unknown => match self.look(name) {
                        Ok(stat) => kind_of(&stat),
                        Err(e) if is_gone(&e) => continue,
                        Err(e) => return Some(Err(e)),
                    },
                    known => kind(known),
                };
                let name = name.to_vec();
                return Some(Ok(DirEntry { name, kind }));
            }
            None
        }

        /// Returns the stat of the entry of that name, following no link; `None` where it is no regular file.
        pub(in crate::git) fn stat(&self, name: &[u8]) -> io::Result<Option<SeenFile>> {
            Ok(seen(&self.look(name)?))
        }

        /// Returns which directory was opened; `None` where the system can't tell.
        pub(in crate::git) fn identity(&self) -> Option<Identity> {
            Some(identity_of(&fstat(self.dir.fd().ok()?).ok()?))
        }

        /// Whether it lies on a file system of this machine that notes in a directory when an entry came, went or was
        /// renamed. Of others nothing is known. The names in an encrypted one are others once its key is there.
        #[allow(
            clippy::useless_conversion,
            clippy::unused_self,
            reason = "the systems differ"
        )]
        pub(in crate::git) fn notes_changes(&self) -> bool {
            #[cfg(target_os = "linux")]
            {
                use crate::model::visited::TELLING_FILE_SYSTEMS;
                use rustix::fs::{StatxAttributes, StatxFlags, fstatfs, statx};
                let Ok(dir) = self.dir.fd() else {
                    return false;
                };
                let is_known = |kind| {
                    i64::try_from(kind).is_ok_and(|kind| TELLING_FILE_SYSTEMS.contains(&kind))
                };
                let attributes = || statx(dir, "", AtFlags::EMPTY_PATH, StatxFlags::empty());
                fstatfs(dir).is_ok_and(|found| is_known(found.f_type))
                    && attributes().is_ok_and(|found| {
                        !found.stx_attributes.contains(StatxAttributes::ENCRYPTED)
                    })
            }
            #[cfg(not(target_os = "linux"))]
            false
        }

        fn look(&self, name: &[u8]) -> io::Result<Stat> {
            Ok(statat(self.dir.fd()?, name, AtFlags::SYMLINK_NOFOLLOW)?)
        }
    }

    /// Returns which directory is at a path below an open one, with a slash at its end or not; `None` where there is
    /// none. A link at the end of the path is not followed; one that took the place of a
    /// directory before it since the walk came through that is.
    pub(in crate::git) fn identity_at(root: &Dir, path: &[u8]) -> Option<Identity> {
        // With the slash, a link at the end would be followed.
        let path = path.strip_suffix(b"/").unwrap_or(path);
        let path = if path.is_empty() { b"." } else { path };
        let stat = statat(root, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        (kind_of(&stat) == EntryKind::Directory).then(|| identity_of(&stat))
    }

    /// Returns the stat of the regular file at a path below an open directory, as [`identity_at`] finds it.
    pub(in crate::git) fn stat_at(root: &Dir, path: &[u8]) -> io::Result<Option<SeenFile>> {
        Ok(seen(&statat(root, path, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    fn seen(stat: &Stat) -> Option<SeenFile> {
        (kind_of(stat) == EntryKind::File).then(|| SeenFile {
            stat: stat_of(stat),
            is_linked: stat.st_nlink > 1,
        })
    }

    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_sign_loss,
        reason = "the types differ between systems"
    )]
    fn identity_of(stat: &Stat) -> Identity {
        Identity {
            device: stat.st_dev as u64,
            stat: stat_of(stat),
        }
    }

    fn kind_of(stat: &Stat) -> EntryKind {
        kind(FileType::from_raw_mode(stat.st_mode))
    }

    fn kind(of: FileType) -> EntryKind {
        match of {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Directory,
            FileType::Symlink => EntryKind::Link,
            _ => EntryKind::Special,
        }
    }

    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_lossless,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap,
        reason = "the types differ between systems; sizes are never negative"
    )]
    fn stat_of(stat: &Stat) -> FileStat {
        FileStat {
            size_bytes: stat.st_size as u64,
            mtime_ns: nanos(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime_ns: nanos(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            inode: stat.st_ino as u64,
        }
    }
}

#[cfg(not(unix))]
mod other {
    use cap_std::fs::{Dir, File, ReadDir};

    use super::{DirEntry, EntryKind, Identity, SeenFile, io};
    use crate::git::content::{is_gone, stat_of};

    pub(in crate::git) struct OpenDirectory {
        dir: Dir,
        names: ReadDir,
    }

    impl OpenDirectory {
        pub(in crate::git) fn new(file: File) -> io::Result<Self> {
            let dir = Dir::from_std_file(file.into_std());
            let names = dir.entries()?;
            Ok(Self { dir, names })
        }

        pub(in crate::git) fn next(&mut self) -> Option<io::Result<DirEntry>> {
            loop {
                let entry = match self.names.next()? {
                    Ok(entry) => entry,
                    Err(e) => return Some(Err(e)),
                };
                let kind = match entry.file_type() {
                    Ok(kind) if kind.is_file() => EntryKind::File,
                    Ok(kind) if kind.is_dir() => EntryKind::Directory,
                    Ok(kind) if kind.is_symlink() => EntryKind::Link,
                    Ok(_) => EntryKind::Special,
                    Err(e) if is_gone(&e) => continue,
                    Err(e) => return Some(Err(e)),
                };
                let name = entry.file_name().into_encoded_bytes();
                return Some(Ok(DirEntry { name, kind }));
            }
        }

        #[expect(clippy::unused_self, reason = "the other systems' needs it")]
        pub(in crate::git) fn identity(&self) -> Option<Identity> {
            None
        }

        #[expect(clippy::unused_self, reason = "the other systems' needs it")]
        pub(in crate::git) fn notes_changes(&self) -> bool {
            false
        }

        pub(in crate::git) fn stat(&self, name: &[u8]) -> io::Result<Option<SeenFile>> {
            let name = std::str::from_utf8(name).map_err(io::Error::other)?;
            Ok(seen(&self.dir.symlink_metadata(name)?))
        }
    }

    pub(in crate::git) fn identity_at(_: &Dir, _: &[u8]) -> Option<Identity> {
        None
    }

    pub(in crate::git) fn stat_at(root: &Dir, path: &[u8]) -> io::Result<Option<SeenFile>> {
        let path = std::str::from_utf8(path).map_err(io::Error::other)?;
        Ok(seen(&root.symlink_metadata(path)?))
    }

    fn seen(meta: &cap_std::fs::Metadata) -> Option<SeenFile> {
        meta.is_file().then(|| SeenFile {
            stat: stat_of(meta),
            is_linked: false,
        })
    }
}
