//! An open directory: its entries and their stat, by as few calls of the system as that takes.
//!
//! A look at the work tree is mostly this. Refuses to know which entries matter.

use std::io;

use crate::model::FileStat;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Directory,
    Link,
    /// A FIFO, a socket, a device.
    Special,
}

/// An entry that was there when it was listed.
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    pub(super) kind: Kind,
}

#[cfg(unix)]
pub(super) use unix::Opened;

#[cfg(not(unix))]
pub(super) use other::Opened;

#[cfg(unix)]
mod unix {
    use rustix::fs::{AtFlags, Dir, FileType, Stat, statat};

    use super::{Entry, FileStat, Kind, io};
    use crate::git::content::{is_gone, nanos};

    /// A directory that is read once.
    pub(in crate::git) struct Opened {
        dir: Dir,
        // The library would ask the system again.
        is_read: bool,
    }

    impl Opened {
        /// Takes what was opened. That it is no directory is said here or when it is read.
        pub(in crate::git) fn new(file: cap_std::fs::File) -> io::Result<Self> {
            Ok(Self {
                dir: Dir::new(file.into_std())?,
                is_read: false,
            })
        }

        /// Returns the next entry that is still there, in the file system's order.
        pub(in crate::git) fn next(&mut self) -> Option<io::Result<Entry>> {
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
                return Some(Ok(Entry { name, kind }));
            }
            None
        }

        /// Returns the stat of the entry of that name, following no link; `None` where it is no regular file.
        pub(in crate::git) fn stat(&self, name: &[u8]) -> io::Result<Option<FileStat>> {
            let stat = self.look(name)?;
            Ok((kind_of(&stat) == Kind::File).then(|| stat_of(&stat)))
        }

        fn look(&self, name: &[u8]) -> io::Result<Stat> {
            Ok(statat(self.dir.fd()?, name, AtFlags::SYMLINK_NOFOLLOW)?)
        }
    }

    fn kind_of(stat: &Stat) -> Kind {
        kind(FileType::from_raw_mode(stat.st_mode))
    }

    fn kind(of: FileType) -> Kind {
        match of {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Directory,
            FileType::Symlink => Kind::Link,
            _ => Kind::Special,
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

    use super::{Entry, FileStat, Kind, io};
    use crate::git::content::{is_gone, stat_of};

    pub(in crate::git) struct Opened {
        dir: Dir,
        names: ReadDir,
    }

    impl Opened {
        pub(in crate::git) fn new(file: File) -> io::Result<Self> {
            let dir = Dir::from_std_file(file.into_std());
            let names = dir.entries()?;
            Ok(Self { dir, names })
        }

        pub(in crate::git) fn next(&mut self) -> Option<io::Result<Entry>> {
            loop {
                let entry = match self.names.next()? {
                    Ok(entry) => entry,
                    Err(e) => return Some(Err(e)),
                };
                let kind = match entry.file_type() {
                    Ok(kind) if kind.is_file() => Kind::File,
                    Ok(kind) if kind.is_dir() => Kind::Directory,
                    Ok(kind) if kind.is_symlink() => Kind::Link,
                    Ok(_) => Kind::Special,
                    Err(e) if is_gone(&e) => continue,
                    Err(e) => return Some(Err(e)),
                };
                let name = entry.file_name().into_encoded_bytes();
                return Some(Ok(Entry { name, kind }));
            }
        }

        pub(in crate::git) fn stat(&self, name: &[u8]) -> io::Result<Option<FileStat>> {
            let name = std::str::from_utf8(name).map_err(io::Error::other)?;
            let meta = self.dir.symlink_metadata(name)?;
            Ok(meta.is_file().then(|| stat_of(&meta)))
        }
    }
}
