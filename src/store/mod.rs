//! The door to SQLite: index files, their rows, and the directory they live in.

pub mod bundle;
pub mod chunk_rows;
pub mod chunks;
mod connection;
pub mod directory_file;
pub mod dump;
mod durable;
pub mod edges;
pub mod facts;
pub mod file_relations;
pub mod files;
pub mod freeze;
mod frozen_file;
pub mod history;
pub mod home;
mod import_kinds;
pub mod imports;
pub mod interface;
pub mod inventory;
mod kept_lists;
pub mod key;
mod link_queue;
pub mod lock;
pub mod memory;
pub mod names;
pub mod open;
mod packed_chunks;
mod packed_edges;
mod packed_numbers;
mod read;
pub mod remove;
mod row_sql;
pub mod runs;
pub mod schema;
pub mod seed;
mod side_file;
pub mod symbols;
pub mod text;
mod text_merge;
pub mod token;
mod unbound;
mod units;
pub mod usage;
pub mod vectors;
pub mod write;

use std::path::PathBuf;

pub use chunk_rows::{ChunkBrief, ChunkRow};
pub use chunks::PreparedChunk;
pub use edges::{EdgeRow, EvaluationSite};
pub use file_relations::{FileRelation, RelatedFile};
pub use files::{FileRow, FileSummary, StatRow};
pub use history::{CommitRow, NewCommit, PastCommit, Touch};
pub use home::{Home, RepoHome};
pub use imports::{ImportRow, ImportTarget, MissingImport};
pub use key::{IndexKey, Pointer};
pub use lock::{ReaderLock, WriteLock};
pub use memory::{RecordKind, RecordStore, SavedItem, SavedRecord};
pub use open::{Index, sqlite_version};
pub use read::{FilesUnder, KnownRoles, Meta, Read, Reader};
pub use schema::SCHEMA_VERSION;
pub use symbols::SymbolRow;
pub use text::TextHit;
pub use unbound::{UnboundForm, UnboundNames, UnboundPlace, UnboundRow};
pub use vectors::{NewVector, VectorModel, VectorStore, VectorTable};
pub use write::{PreparedFile, Writer};

/// Failures of an index.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite refused.
    #[error("the index database failed while {doing}")]
    Sqlite {
        /// The operation.
        doing: &'static str,
        /// SQLite's own words.
        #[source]
        source: rusqlite::Error,
    },
    /// A file of the data directory could not be read or written.
    #[error("cannot {doing} {}", .path.display())]
    Io {
        /// The operation.
        doing: &'static str,
        /// Which file.
        path: PathBuf,
        /// The system's own words.
        #[source]
        source: std::io::Error,
    },
    /// The file is no index, or its content contradicts itself.
    #[error("index {} is damaged: {what}", .path.display())]
    Corrupt {
        /// Which file.
        path: PathBuf,
        /// The fault.
        what: String,
    },
    /// The file was written with another layout.
    #[error("index {} has schema {found}, this version needs {wanted}", .path.display())]
    Version {
        /// Which file.
        path: PathBuf,
        /// The layout found.
        found: i64,
        /// The layout of this version.
        wanted: i64,
    },
    /// The file is no bundle that this version can use.
    #[error("the bundle cannot be used: {what}")]
    Bundle {
        /// The fault.
        what: String,
    },
    /// The data directory may not be used.
    #[error("{0}")]
    Home(String),
}

/// The system's reason for refusing an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OsRefusal {
    /// There is no space, or no more for this user.
    Full,
    /// This user may not, or nobody may.
    Forbidden,
    /// The device failed, or something that SQLite does not tell from that.
    Broken,
}

impl StoreError {
    /// Returns whether the file itself is unusable and a new one has to take its place. A busy or
    /// read-only database never is.
    pub fn is_corrupt(&self) -> bool {
        match self {
            Self::Corrupt { .. } => true,
            Self::Sqlite { source, .. } => matches!(
                source.sqlite_error_code(),
                Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
            ),
            _ => false,
        }
    }

    /// Returns whether a new build has to take the file's place: it is damaged, gone, or of an older
    /// layout. One of a newer version is left to that version.
    pub fn is_unusable(&self) -> bool {
        self.is_corrupt() || matches!(self, Self::Version { found, wanted, .. } if found < wanted)
    }

    /// Returns the system's reason; `None` where its error tells none.
    pub fn refusal(&self) -> Option<OsRefusal> {
        use rusqlite::ErrorCode;
        use std::io::ErrorKind;
        match self {
            Self::Io { source, .. } => match source.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some(OsRefusal::Full),
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                    Some(OsRefusal::Forbidden)
                }
                // The number of an input/output error, which has no kind of its own.
                _ => (source.raw_os_error() == Some(5)).then_some(OsRefusal::Broken),
            },
            Self::Sqlite { source, .. } => match source.sqlite_error_code()? {
                ErrorCode::DiskFull => Some(OsRefusal::Full),
                ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Some(OsRefusal::Forbidden),
                // A quota is an input/output error to SQLite.
                ErrorCode::SystemIoFailure => Some(OsRefusal::Broken),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns whether somebody else holds the database right now.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Sqlite { source, .. } if matches!(
            source.sqlite_error_code(),
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
        ))
    }
}

/// The result of everything in this room.
pub type StoreResult<T> = Result<T, StoreError>;

/// Adds the name of the operation to an error of SQLite.
pub(crate) trait ErrorContext<T> {
    fn context(self, what: &'static str) -> StoreResult<T>;
}

impl<T> ErrorContext<T> for rusqlite::Result<T> {
    fn context(self, what: &'static str) -> StoreResult<T> {
        self.map_err(|source| StoreError::Sqlite {
            doing: what,
            source,
        })
    }
}

/// Names the file and the act when the system failed.
pub(crate) fn io_error(
    doing: &'static str,
    path: impl Into<PathBuf>,
) -> impl FnOnce(std::io::Error) -> StoreError {
    let path = path.into();
    move |source| StoreError::Io {
        doing,
        path,
        source,
    }
}
