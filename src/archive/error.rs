//! Why an archive is not taken.

use std::io;

/// Why an archive is not taken. Entries are named as the archive names them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// It is not there, or can't be read.
    #[error("the archive can't be read")]
    Read(#[source] io::Error),
    /// It ends before its time, or its bytes make no sense.
    #[error("the archive is damaged: {0}")]
    Damaged(String),
    /// It is none of zip, tar, tar.gz and tar.zst.
    #[error("the file is no zip, tar, tar.gz or tar.zst")]
    UnknownFormat,
    /// An entry is none that is taken: a link, a device, one that is encrypted, one whose path leads out.
    #[error("the archive holds {what}: {entry}")]
    Entry {
        /// The kind of entry: `a link`.
        what: &'static str,
        /// Its name, shortened.
        entry: String,
    },
    /// More than is taken of an archive: entries, bytes, bytes for each of its own.
    #[error("the archive holds more than {0}")]
    TooLarge(String),
    /// There is no file in it.
    #[error("the archive holds no file")]
    Empty,
    /// `--strip 1`, and a file is not below a directory.
    #[error("not every file of the archive is below a directory: {0}")]
    NothingToStrip(String),
    /// The caller stopped the call.
    #[error("stopped")]
    Cancelled,
    /// Whoever takes the files could not.
    #[error("the files could not be stored")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl ArchiveError {
    /// Returns the error of reading or unpacking: which of the two the library below does not tell.
    pub(super) fn of_io(error: &io::Error) -> Self {
        Self::Damaged(error.to_string())
    }

    pub(super) fn of_entry(what: &'static str, name: &[u8]) -> Self {
        let name = String::from_utf8_lossy(name);
        let entry = name.chars().filter(|it| !it.is_control()).take(80);
        Self::Entry {
            what,
            entry: entry.collect(),
        }
    }
}
