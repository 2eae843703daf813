//! One open index file: its connections, its meta rows, and one consistent view of its rows.
//!
//! Refuses to know who may write: that is the business of whoever holds the [`super::WriteLock`].

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, config::DbConfig};

use super::schema::{SCHEMA, SCHEMA_VERSION};
use super::{Doing, FileRow, OpenMark, Pointer, RepoHome, StoreError, StoreResult, Writer, files};

/// How long SQLite waits for another connection. Writers exclude each other by [`super::WriteLock`], so
/// that only a checkpoint can be in the way.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many unused pages of 4 KiB a file may keep for the next rows.
const MAX_FREE_PAGES: i64 = 64;

/// The rows of `meta`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The index these rows belong to.
    pub index_id: String,
    /// Rises with each transaction that changes what an answer can contain.
    pub generation: u64,
    /// Whether every file was indexed at least once since the build began.
    pub complete: bool,
    /// When rows last changed, in milliseconds since the Unix epoch.
    pub last_indexed_ms: Option<i64>,
    /// The index it was copied from.
    pub seeded_from: Option<String>,
    /// The digest of the attribute files that the `marked` column rests on.
    pub attributes: Option<String>,
    /// Whether files came or went whose effect on imports is not noted yet.
    pub owes_links: bool,
    /// What the work tree held that no row can tell: `reason=count`, joined by commas.
    pub left_out: String,
    /// Of which commit the rows of past commits are the whole history; see [`super::history`].
    pub history: String,
}

/// One build of an index, open.
#[derive(Debug)]
pub struct Index {
    home: RepoHome,
    pointer: Pointer,
    path: PathBuf,
    reader: Connection,
    writer: Option<Connection>,
    rows: RefCell<Option<(i64, Arc<Vec<FileRow>>)>>,
    _mark: OpenMark,
}

impl Index {
    /// Creates an empty build. Nobody finds it before its pointer is published.
    pub fn create(home: &RepoHome, pointer: Pointer) -> StoreResult<Self> {
        let path = home.database(&pointer.index_id, &pointer.build);
        // Set before there is anything to sweep away.
        let _mark = OpenMark::set(&home.open_mark(&pointer.index_id, &pointer.build))?;
        let connection = connect_writer(&path)?;
        connection
            .execute_batch(&format!(
                "BEGIN; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
            ))
            .doing("creating the tables")?;
        drop(connection);
        let mut index = Self::open(home, pointer)?;
        let id = index.pointer.index_id.clone();
        let mut writer = index.writer()?;
        writer.set_meta("index_id", &id)?;
        writer.set_meta("generation", "0")?;
        writer.set_meta("complete", "0")?;
        writer.commit(false)?;
        Ok(index)
    }

    /// Opens the build that `pointer` names, for reading; the connection for writing follows when it
    /// is needed. Costs under a millisecond.
    ///
    /// # Errors
    /// [`StoreError::Version`] for another layout, [`StoreError::Corrupt`] for a file that is no index.
    pub fn open(home: &RepoHome, pointer: Pointer) -> StoreResult<Self> {
        let path = home.database(&pointer.index_id, &pointer.build);
        let mark = OpenMark::set(&home.open_mark(&pointer.index_id, &pointer.build))?;
        // Looked at behind the mark: from here on nobody deletes it.
        if !path.is_file() {
            drop(mark);
            super::seed::retire(home, &pointer);
            return Err(StoreError::Corrupt {
                path,
                what: "the file is gone".to_owned(),
            });
        }
        for suffix in ["-wal", "-shm"] {
            // SQLite can't tell this from a file that may not be opened.
            if side_file(&path, suffix).is_dir() {
                return Err(StoreError::Corrupt {
                    path,
                    what: format!("a directory is in the place of its {suffix} file"),
                });
            }
        }
        let reader = connect_reader(&path, mark.is_read_only())?;
        let found: i64 = reader
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .doing("reading the schema version")?;
        if found != SCHEMA_VERSION {
            return Err(if found == 0 {
                StoreError::Corrupt {
                    path,
                    what: "it holds no index".to_owned(),
                }
            } else {
                StoreError::Version {
                    path,
                    found,
                    wanted: SCHEMA_VERSION,
                }
            });
        }
        Ok(Self {
            home: home.clone(),
            pointer,
            path,
            reader,
            writer: None,
            rows: RefCell::new(None),
            _mark: mark,
        })
    }

    /// Returns the repository's part of the data directory that it lies in.
    pub fn home(&self) -> &RepoHome {
        &self.home
    }

    /// Returns what the index belongs to.
    pub fn pointer(&self) -> &Pointer {
        &self.pointer
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.reader
    }

    /// Begins a view of one generation; everything read through it belongs together.
    pub fn read(&self) -> StoreResult<Read<'_>> {
        let tx = self
            .reader
            .unchecked_transaction()
            .doing("beginning to read")?;
        let meta = read_meta(&tx)?;
        Ok(Read { tx, meta })
    }

    /// Begins a transaction that writes. The caller holds the write lock of the index.
    pub fn writer(&mut self) -> StoreResult<Writer<'_>> {
        if self.writer.is_none() {
            self.writer = Some(connect_writer(&self.path)?);
        }
        let connection = self.writer.as_mut().expect("it was just set");
        Writer::begin(connection)
    }

    /// Returns every file row of a view, sorted by path. Kept in memory until another connection
    /// commits.
    pub fn file_rows(&self, read: &Read<'_>) -> StoreResult<Arc<Vec<FileRow>>> {
        let version: i64 = read
            .tx
            .pragma_query_value(None, "data_version", |row| row.get(0))
            .doing("reading the data version")?;
        if let Some((known, rows)) = &*self.rows.borrow()
            && *known == version
        {
            return Ok(Arc::clone(rows));
        }
        let rows = Arc::new(files::rows(&read.tx)?);
        *self.rows.borrow_mut() = Some((version, Arc::clone(&rows)));
        Ok(rows)
    }

    /// Moves what the write-ahead log holds into the file and empties the log, gives unused pages back,
    /// and after a whole build merges the text index into one segment. Best effort: what is committed
    /// stays so, whatever fails here.
    pub fn settle(&mut self, after_build: bool) {
        let Some(connection) = &self.writer else {
            return;
        };
        if let Err(error) = tidy_up(connection, after_build) {
            tracing::info!(%error, "the index could not be tidied up");
        }
    }

    /// Closes the connection for writing, whose page cache nobody needs between two changes.
    pub fn rest(&mut self) {
        self.writer = None;
    }

    /// Runs SQLite's own check. Returns what it found wrong; `None` when nothing is.
    pub fn damage(&self) -> StoreResult<Option<String>> {
        let found: String = self
            .reader
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .doing("checking the file")?;
        Ok((found != "ok").then_some(found))
    }

    /// Returns the journal mode in use (`wal`).
    pub fn journal_mode(&self) -> StoreResult<String> {
        self.reader
            .pragma_query_value(None, "journal_mode", |row| row.get(0))
            .doing("reading the journal mode")
    }
}

/// A view of one generation of one index.
#[derive(Debug)]
pub struct Read<'a> {
    pub(super) tx: Transaction<'a>,
    meta: Meta,
}

impl Read<'_> {
    /// Returns the meta rows of this generation.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }
}

fn tidy_up(connection: &Connection, after_build: bool) -> rusqlite::Result<()> {
    if after_build {
        // The copy that VACUUM makes is as large as the index: no place for it in memory.
        connection.execute_batch(
            "INSERT INTO text(text) VALUES('optimize'); PRAGMA temp_store = FILE; VACUUM; PRAGMA optimize;",
        )?;
    }
    // Pages that nothing uses any more go back to the file system.
    let free: i64 = connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
    if free > MAX_FREE_PAGES {
        // The statement yields once for each page that it moves.
        let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
    }
    // A reader in the way is not waited for: the next time will do.
    connection.busy_timeout(Duration::ZERO)?;
    let emptied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    connection.busy_timeout(PATIENCE)?;
    emptied
}

/// Returns the version of the SQLite library in use.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

fn read_meta(connection: &Connection) -> StoreResult<Meta> {
    let mut statement = connection
        .prepare_cached("SELECT key, value FROM meta")
        .doing("reading meta")?;
    let mut rows = statement
        .query_map([], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })
        .doing("reading meta")?
        .collect::<Result<std::collections::BTreeMap<_, _>, _>>()
        .doing("reading meta")?;
    Ok(Meta {
        index_id: rows.remove("index_id").unwrap_or_default(),
        generation: rows
            .get("generation")
            .and_then(|text| text.parse().ok())
            .unwrap_or(0),
        complete: rows.get("complete").is_some_and(|text| text == "1"),
        last_indexed_ms: rows
            .get("last_indexed_ms")
            .and_then(|text| text.parse().ok()),
        seeded_from: rows.remove("seeded_from"),
        attributes: rows.remove("attributes"),
        owes_links: rows.get("owes_links").is_some_and(|text| text == "1"),
        left_out: rows.remove("left_out").unwrap_or_default(),
        history: rows.remove(super::history::META).unwrap_or_default(),
    })
}

fn connect_reader(path: &Path, is_read_only: bool) -> StoreResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let probe = |connection: &Connection| {
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
    };
    let plain = Connection::open_with_flags(path, flags)
        .and_then(|connection| probe(&connection).map(|()| connection));
    let connection = match plain {
        Ok(connection) => connection,
        // A log can't be opened where nothing can be written; without one the file alone is the truth.
        Err(error) if is_read_only && !is_damage(&error) && is_quiet(path) => {
            let uri = format!("file:{}?immutable=1", percent(path));
            Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)
                .and_then(|connection| probe(&connection).map(|()| connection))
                .map_err(|_| error)
                .doing("opening the index for reading")?
        }
        Err(error) => return Err(error).doing("opening the index for reading"),
    };
    harden(&connection)?;
    connection
        .execute_batch(
            "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192; PRAGMA mmap_size = 268435456; PRAGMA query_only = ON;",
        )
        .doing("configuring the connection")?;
    Ok(connection)
}

fn connect_writer(path: &Path) -> StoreResult<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .doing("opening the index for writing")?;
    harden(&connection)?;
    connection
        .execute_batch(
            "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
             PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4096; PRAGMA wal_autocheckpoint = 2000;
             PRAGMA journal_size_limit = 16777216;",
        )
        .doing("configuring the connection")?;
    Ok(connection)
}

/// Takes away what a hostile file could use: functions in views and triggers, writes to the schema.
pub(super) fn harden(connection: &Connection) -> StoreResult<()> {
    connection
        .busy_timeout(PATIENCE)
        .doing("configuring the connection")?;
    connection.set_prepared_statement_cache_capacity(64);
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)
        // Plans that depend on bound values would be made anew for each value: three times the cost of a look-up.
        .and_then(|_| connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true))
        .and_then(|_| connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false))
        .map(drop)
        .doing("configuring the connection")
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
    )
}

/// Returns whether the file is there and no log of unmerged writes lies beside it.
fn is_quiet(path: &Path) -> bool {
    let log = side_file(path, "-wal");
    path.is_file() && std::fs::metadata(log).map_or(true, |meta| meta.len() == 0)
}

fn side_file(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

pub(super) fn percent(path: &Path) -> String {
    let mut out = String::new();
    for c in path.to_string_lossy().chars() {
        match c {
            '%' => out.push_str("%25"),
            '?' => out.push_str("%3f"),
            '#' => out.push_str("%23"),
            c => out.push(c),
        }
    }
    out
}
