//! Opening a repository's memory: the version of its tables and the way from each to the next.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction};

use super::{RecordStore, words};
use crate::store::{ErrorContext, RepoHome, StoreError, StoreResult};

/// The version of the tables; a file of a newer version is left alone.
///
/// History: 1 contexts and their items; 2 records of every kind, and their words.
pub const MEMORY_VERSION: i64 = 2;

/// Migrations from each version to the next, the first from nothing to 1.
pub(super) const MIGRATIONS: [&str; 2] = [
    "
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
",
    "
CREATE TABLE record(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  kind INTEGER NOT NULL,
  name TEXT,
  title TEXT NOT NULL,
  body TEXT,
  by INTEGER NOT NULL,
  client TEXT,
  approved INTEGER NOT NULL,
  branch TEXT,
  head TEXT,
  tree TEXT,
  index_id TEXT NOT NULL,
  fixes INTEGER REFERENCES record(id) ON DELETE SET NULL,
  superseded_by INTEGER REFERENCES record(id) ON DELETE SET NULL,
  test_command TEXT,
  test_claim INTEGER,
  verified_head TEXT,
  verified_tree TEXT,
  verified_dirty BLOB,
  verified_exit INTEGER,
  verified_ms INTEGER,
  verified_anchored INTEGER,
  doc_kind INTEGER,
  doc_target TEXT,
  doc_digest BLOB,
  relation TEXT,
  locator TEXT,
  pinned INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX record_name ON record(kind, name) WHERE name IS NOT NULL;
CREATE INDEX record_fixes ON record(fixes) WHERE fixes IS NOT NULL;
INSERT INTO record(id, uid, kind, name, title, body, by, approved, branch, head, index_id, pinned, created_ms, updated_ms)
  SELECT id, 'mem_' || lower(hex(randomblob(8))), 0, name, name, notes, 0, 1, branch, head_sha, index_id, pinned, created_ms,
    updated_ms FROM context;
ALTER TABLE item RENAME TO context_item;
CREATE TABLE item(
  record INTEGER NOT NULL REFERENCES record(id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  handle TEXT NOT NULL,
  path TEXT NOT NULL,
  symbol TEXT,
  kind TEXT,
  start_line INTEGER,
  end_line INTEGER,
  content BLOB NOT NULL,
  lines BLOB NOT NULL,
  exact BLOB,
  PRIMARY KEY(record, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO item SELECT context, ordinal, handle, path, symbol, kind, start_line, end_line, content, lines, NULL
  FROM context_item;
DROP TABLE context_item;
DROP TABLE context;
CREATE INDEX item_path ON item(path);
CREATE INDEX item_symbol ON item(symbol) WHERE symbol IS NOT NULL;
CREATE INDEX item_content ON item(content);
CREATE VIRTUAL TABLE memory USING fts5(
  words, content='', contentless_delete=1, detail=none, tokenize='porter ascii'
);
CREATE TABLE meta(revision INTEGER NOT NULL) STRICT;
INSERT INTO meta VALUES(0);
",
];

/// The beginning of the names of damaged files that were moved aside.
pub const DAMAGED: &str = "contexts.db.damaged-";

/// How long one process waits for another that writes.
const PATIENCE: Duration = Duration::from_secs(5);

impl RecordStore {
    /// Opens the memory of a repository, which is made if there is none. The repository's part of
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
        .context("opening the saved records")?;
        let mut store = Self::prepared(connection, &path)?;
        store.migrate(&path)?;
        Ok(store)
    }

    /// Opens the memory of a repository for reading; `None` if nothing was ever saved.
    ///
    /// # Errors
    /// As [`RecordStore::open`].
    pub fn open_existing(home: &RepoHome) -> StoreResult<Option<Self>> {
        let path = path(home);
        if !path.is_file() {
            return Ok(None);
        }
        // Not read-only: a write that a killed process left half done is rolled back first. Where nothing can be
        // written SQLite reads all the same.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(&path, flags).context("opening the saved records")?;
        let mut store = Self::prepared(connection, &path)?;
        match store.version(&path)? {
            // The process that made the file has not come further, or died there.
            0 => return Ok(None),
            MEMORY_VERSION => {}
            _ if store.migrate(&path).is_ok() => {}
            _ => store = store.migrated_copy(&path)?,
        }
        Ok(Some(store))
    }

    /// Moves a damaged file away, beside its place, where it is kept. Returns its new name.
    ///
    /// # Errors
    /// Where it can't be renamed.
    pub fn quarantine(home: &RepoHome, now_ms: i64) -> std::io::Result<String> {
        let from = path(home);
        let name = format!("{DAMAGED}{now_ms}");
        std::fs::rename(&from, from.with_file_name(&name))?;
        // The journal of the damaged file must not be played into the new one.
        drop(std::fs::remove_file(
            from.with_file_name("contexts.db-journal"),
        ));
        Ok(name)
    }

    pub(super) fn prepared(connection: Connection, path: &Path) -> StoreResult<Self> {
        crate::store::connection::harden(&connection)?;
        connection
            .busy_timeout(PATIENCE)
            .and_then(|()| connection.execute_batch("PRAGMA foreign_keys = ON;"))
            .context("configuring the connection")
            .map_err(|error| damaged(error, path))?;
        Ok(Self { connection })
    }

    pub(super) fn version(&self, path: &Path) -> StoreResult<i64> {
        let found: i64 = self
            .connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .context("reading the version of the saved records")
            .map_err(|error| damaged(error, path))?;
        if found > MEMORY_VERSION {
            return Err(StoreError::Version {
                path: path.to_owned(),
                found,
                wanted: MEMORY_VERSION,
            });
        }
        Ok(found)
    }

    fn migrate(&mut self, path: &Path) -> StoreResult<()> {
        if self.version(path)? == MEMORY_VERSION {
            return Ok(());
        }
        let doing = "preparing the saved records";
        let tx = self
            .connection
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .context(doing)?;
        // Another process may have been first.
        let found: i64 = tx
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .context(doing)?;
        migrate_from(&tx, found)
            .and_then(|()| tx.pragma_update(None, "user_version", MEMORY_VERSION))
            .and_then(|()| tx.commit())
            .context(doing)
    }

    /// Returns the records of an earlier version's file that can't be written, in memory and in today's tables.
    pub(super) fn migrated_copy(self, path: &Path) -> StoreResult<Self> {
        let doing = "reading the saved records of an earlier version";
        let copy = Connection::open_in_memory().context(doing)?;
        let mut copy = Self::prepared(copy, path)?;
        let tx = copy.connection.transaction().context(doing)?;
        tx.execute_batch(MIGRATIONS[0]).context(doing)?;
        copy_rows(&self.connection, &tx, "context", 9).context(doing)?;
        copy_rows(&self.connection, &tx, "item", 10).context(doing)?;
        migrate_from(&tx, 1).context(doing)?;
        tx.commit().context(doing)?;
        Ok(copy)
    }
}

fn copy_rows(
    from: &Connection,
    to: &Transaction<'_>,
    table: &str,
    n_columns: usize,
) -> rusqlite::Result<()> {
    let marks = vec!["?"; n_columns].join(", ");
    let mut insert = to.prepare(&format!("INSERT INTO {table} VALUES({marks})"))?;
    let mut select = from.prepare(&format!("SELECT * FROM {table}"))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let values: Vec<rusqlite::types::Value> = (0..n_columns)
            .map(|at| row.get(at))
            .collect::<rusqlite::Result<_>>()?;
        insert.execute(rusqlite::params_from_iter(values))?;
    }
    Ok(())
}

fn migrate_from(tx: &Transaction<'_>, found: i64) -> rusqlite::Result<()> {
    let done = usize::try_from(found).unwrap_or(usize::MAX);
    for step in MIGRATIONS.iter().skip(done) {
        tx.execute_batch(step)?;
    }
    if found < 2 {
        words::index_all(tx)?;
    }
    Ok(())
}

/// Returns where the memory of a repository is.
pub fn path(home: &RepoHome) -> PathBuf {
    home.dir().join("contexts.db")
}

/// A file that is no database is said to be damaged, with its path.
fn damaged(error: StoreError, path: &Path) -> StoreError {
    if error.is_corrupt() {
        return StoreError::Corrupt {
            path: path.to_owned(),
            what: "the saved records can't be read".to_owned(),
        };
    }
    error
}
