//! Opening a repository's saved contexts: the version of its tables and the way from each to the next.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::Contexts;
use crate::store::{ErrorContext, RepoHome, StoreError, StoreResult};

/// The version of the tables; a file of a newer version is left alone.
///
/// History: 1 contexts and their items.
pub const CONTEXTS_VERSION: i64 = 1;

/// Migrations from each version to the next, the first from nothing to 1.
const MIGRATIONS: [&str; 1] = ["
CREATE TABLE context(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  notes TEXT,
  pinned INTEGER NOT NULL,
  index_id TEXT NOT NULL,
  branch TEXT,
  head_sha TEXT,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE item(
  context INTEGER NOT NULL REFERENCES context(id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  handle TEXT NOT NULL,
  path TEXT NOT NULL,
  symbol TEXT,
  kind TEXT,
  start_line INTEGER,
  end_line INTEGER,
  content BLOB NOT NULL,
  lines BLOB NOT NULL,
  PRIMARY KEY(context, ordinal)
) STRICT, WITHOUT ROWID;
"];

/// How long one process waits for another that writes.
const PATIENCE: Duration = Duration::from_secs(5);

impl Contexts {
    /// Opens the contexts of a repository, which are made if there are none. The repository's part of
    /// the data directory has to be there.
    ///
    /// # Errors
    /// [`StoreError::Version`] for a file of a newer version, [`StoreError::Corrupt`] for one that is
    /// damaged: neither is touched.
    pub fn open(home: &RepoHome) -> StoreResult<Self> {
        let path = path(home);
        let connection = Connection::open_with_flags(
            &path,
            OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )
        .context("opening the saved contexts")?;
        let mut contexts = Self::prepared(connection, &path)?;
        contexts.migrate(&path)?;
        Ok(contexts)
    }

    /// Opens the contexts of a repository for reading; `None` if nothing was ever saved.
    ///
    /// # Errors
    /// As [`Contexts::open`].
    pub fn open_existing(home: &RepoHome) -> StoreResult<Option<Self>> {
        let path = path(home);
        if !path.is_file() {
            return Ok(None);
        }
        // Not read-only: a write that a killed process left half done is rolled back first. Where nothing can be
        // written SQLite reads all the same.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(&path, flags).context("opening the saved contexts")?;
        let contexts = Self::prepared(connection, &path)?;
        match contexts.version(&path)? {
            // The process that made the file has not come further, or died there.
            0 => Ok(None),
            _ => Ok(Some(contexts)),
        }
    }

    fn prepared(connection: Connection, path: &Path) -> StoreResult<Self> {
        crate::store::connection::harden(&connection)?;
        connection
            .busy_timeout(PATIENCE)
            .and_then(|()| connection.execute_batch("PRAGMA foreign_keys = ON;"))
            .context("configuring the connection")
            .map_err(|error| damaged(error, path))?;
        Ok(Self { connection })
    }

    fn version(&self, path: &Path) -> StoreResult<i64> {
        let found: i64 = self
            .connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .context("reading the version of the saved contexts")
            .map_err(|error| damaged(error, path))?;
        if found > CONTEXTS_VERSION {
            return Err(StoreError::Version {
                path: path.to_owned(),
                found,
                wanted: CONTEXTS_VERSION,
            });
        }
        Ok(found)
    }

    fn migrate(&mut self, path: &Path) -> StoreResult<()> {
        if self.version(path)? == CONTEXTS_VERSION {
            return Ok(());
        }
        let tx = self
            .connection
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .context("preparing the saved contexts")?;
        // Another process may have been first.
        let found: i64 = tx
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .context("reading the version of the saved contexts")?;
        let done = usize::try_from(found).unwrap_or(usize::MAX);
        for step in MIGRATIONS.iter().skip(done) {
            tx.execute_batch(step)
                .context("preparing the saved contexts")?;
        }
        tx.pragma_update(None, "user_version", CONTEXTS_VERSION)
            .and_then(|()| tx.commit())
            .context("preparing the saved contexts")
    }
}

/// Returns where the contexts of a repository are.
pub fn path(home: &RepoHome) -> PathBuf {
    home.dir().join("contexts.db")
}

/// A file that is no database is said to be damaged, with its path.
fn damaged(error: StoreError, path: &Path) -> StoreError {
    if error.is_corrupt() {
        return StoreError::Corrupt {
            path: path.to_owned(),
            what: "the saved contexts can't be read".to_owned(),
        };
    }
    error
}
