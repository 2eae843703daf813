//! The checks of an archive, which is taken whole or not at all.

use std::collections::HashSet;
use std::error::Error;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use super::ArchiveError;
use super::entry::{ArchivedEntry, ArchivedKind};
use super::format::Archive;
use super::names::{EntryName, entry_name};
use crate::model::RepoPath;

/// The most bytes of all files of an archive.
const MAX_UNPACKED: u64 = 2 << 30;

/// The most bytes that one of the archive's stands for. Code packs to a fifth; what exceeds this is made to exhaust.
const MAX_RATIO: u64 = 200;

/// Bytes that a small archive may unpack to, whatever its ratio.
const FREE_BYTES: u64 = 1 << 20;

/// The latest time that is taken from an archive: the year 2100.
const MAX_SECONDS: i64 = 4_102_444_800;

/// Whether the directory around all files is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strip {
    /// Paths are taken as they are.
    #[default]
    Nothing,
    /// The first part of each path is left out.
    First,
    /// The first part is left out where all files have the same.
    Common,
}

/// An archive that was read to its end without a fault.
#[derive(Debug)]
pub struct CheckedArchive<'a> {
    archive: &'a Archive,
    strips: bool,
    /// How many files it has.
    pub n_files: u64,
    /// Their bytes.
    pub n_bytes: u64,
    /// Files that are left out, because their names are not UTF-8.
    pub n_unnamed: u64,
    /// The time of its newest file, in seconds since 1970; 0 where it has none.
    pub newest_s: i64,
}

/// Called with each file: its path, its size and its bytes.
pub type OnFile<'f> =
    &'f mut dyn FnMut(&RepoPath, u64, &mut dyn Read) -> Result<(), Box<dyn Error + Send + Sync>>;

impl Archive {
    /// Reads the archive to its end and checks every entry.
    ///
    /// # Errors
    /// The first fault: see [`ArchiveError`].
    pub fn check(
        &self,
        strip: Strip,
        interrupt: &AtomicBool,
    ) -> Result<CheckedArchive<'_>, ArchiveError> {
        let mut top = CommonTop::default();
        let mut on_file = |path: &RepoPath, _: u64, bytes: &mut dyn Read| {
            top.add(path.as_str());
            io::copy(bytes, &mut io::sink())?;
            Ok(())
        };
        let found = self.read(strip == Strip::First, interrupt, &mut on_file)?;
        if found.n_files == 0 {
            return Err(ArchiveError::Empty);
        }
        Ok(CheckedArchive {
            archive: self,
            strips: strip == Strip::First || strip == Strip::Common && top.is_common(),
            ..found
        })
    }

    /// Reads all files, with every check.
    fn read(
        &self,
        strips: bool,
        interrupt: &AtomicBool,
        on_file: OnFile<'_>,
    ) -> Result<CheckedArchive<'_>, ArchiveError> {
        let max_bytes = MAX_UNPACKED.min(self.bytes.saturating_mul(MAX_RATIO) + FREE_BYTES);
        let mut found = CheckedArchive {
            archive: self,
            strips,
            n_files: 0,
            n_bytes: 0,
            n_unnamed: 0,
            newest_s: 0,
        };
        let mut taken = TakenPaths::default();
        self.each_entry(max_bytes, &mut |entry| {
            if interrupt.load(Ordering::Relaxed) {
                return Err(ArchiveError::Cancelled);
            }
            let Some(path) = path_of(&entry, strips, &mut found.n_unnamed)? else {
                return Ok(());
            };
            if !taken.add(&path, entry.kind) {
                return Err(ArchiveError::of_entry(
                    "two entries of one path",
                    entry.name,
                ));
            }
            if entry.kind == ArchivedKind::Directory {
                return Ok(());
            }
            let left = max_bytes - found.n_bytes;
            if entry.size > left {
                return Err(too_large(max_bytes));
            }
            // One byte more would be a lie of the entry.
            let mut bytes = Counted {
                bytes: entry.bytes.take(entry.size + 1),
                n_read: 0,
                failure: None,
            };
            let outcome = on_file(&path, entry.size, &mut bytes);
            if let Some(failure) = bytes.failure {
                return Err(ArchiveError::Damaged(failure));
            }
            outcome.map_err(ArchiveError::Store)?;
            if bytes.n_read != entry.size {
                let text = format!("{path} is not as long as it says");
                return Err(ArchiveError::Damaged(text));
            }
            found.n_files += 1;
            found.n_bytes += entry.size;
            let time = entry.modified_s.clamp(0, MAX_SECONDS);
            found.newest_s = found.newest_s.max(time);
            Ok(())
        })?;
        Ok(found)
    }
}

impl CheckedArchive<'_> {
    /// Reads the archive once more and hands out its files, in its order. All checks are made again: the file may be another one by now.
    ///
    /// # Errors
    /// Those of [`Archive::check`], and [`ArchiveError::Store`] with the error of `on_file`.
    pub fn read_files(
        &self,
        interrupt: &AtomicBool,
        on_file: OnFile<'_>,
    ) -> Result<(), ArchiveError> {
        let found = self.archive.read(self.strips, interrupt, on_file)?;
        if (found.n_files, found.n_bytes) != (self.n_files, self.n_bytes) {
            return Err(ArchiveError::Damaged(
                "it changes while it is read".to_owned(),
            ));
        }
        Ok(())
    }
}

/// Returns the path that an entry gets; `None` for one that stands for nothing, and for one whose name is not UTF-8, which is counted.
fn path_of(
    entry: &ArchivedEntry<'_>,
    strips: bool,
    n_unnamed: &mut u64,
) -> Result<Option<RepoPath>, ArchiveError> {
    if let ArchivedKind::Other(what) = entry.kind {
        return Err(ArchiveError::of_entry(what, entry.name));
    }
    let path = match entry_name(entry.name)? {
        EntryName::Path(path) => path,
        EntryName::Root => return Ok(None),
        EntryName::NotUtf8 => {
            *n_unnamed += u64::from(entry.kind == ArchivedKind::File);
            return Ok(None);
        }
    };
    if !strips {
        return Ok(Some(path));
    }
    match path.as_str().split_once('/') {
        Some((_, rest)) => Ok(RepoPath::new(rest)),
        None if entry.kind == ArchivedKind::Directory => Ok(None),
        None => Err(ArchiveError::NothingToStrip(path.to_string())),
    }
}

fn too_large(max_bytes: u64) -> ArchiveError {
    ArchiveError::TooLarge(if max_bytes == MAX_UNPACKED {
        "2 GiB of files".to_owned()
    } else {
        format!("{MAX_RATIO} bytes for each of its own")
    })
}

/// The paths that were taken, by digests of their folded names: `README` and `readme` are one file to some disks.
#[derive(Default)]
struct TakenPaths {
    files: HashSet<[u8; 16]>,
    directories: HashSet<[u8; 16]>,
}

impl TakenPaths {
    /// Adds a path with the directories around it. Returns whether it was free.
    fn add(&mut self, path: &RepoPath, kind: ArchivedKind) -> bool {
        let folded = path.as_str().to_lowercase();
        let key = |text: &str| {
            let mut key = [0; 16];
            key.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
            key
        };
        for (at, _) in folded.match_indices('/') {
            let directory = key(&folded[..at]);
            if self.files.contains(&directory) {
                return false;
            }
            self.directories.insert(directory);
        }
        let own = key(&folded);
        if kind == ArchivedKind::Directory {
            self.directories.insert(own);
            return !self.files.contains(&own);
        }
        !self.directories.contains(&own) && self.files.insert(own)
    }
}

/// The first part of all paths, as far as they share one.
#[derive(Default)]
struct CommonTop {
    top: Option<String>,
    differs: bool,
}

impl CommonTop {
    fn add(&mut self, path: &str) {
        match path.split_once('/') {
            Some((top, _)) => {
                let known = self.top.get_or_insert_with(|| top.to_owned());
                self.differs |= known != top;
            }
            None => self.differs = true,
        }
    }

    fn is_common(&self) -> bool {
        !self.differs && self.top.is_some()
    }
}

/// Bytes of an entry, counted. A failure to read them is told apart from one of whoever stores them.
struct Counted<R> {
    bytes: R,
    n_read: u64,
    failure: Option<String>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.bytes.read(buffer).inspect_err(|error| {
            if error.kind() != io::ErrorKind::Interrupted {
                self.failure = Some(error.to_string());
            }
        })?;
        self.n_read += n as u64;
        Ok(n)
    }
}
