//! How a database file is opened: what a connection may do, and what it waits for.
//!
//! Refuses to know what is in it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, config::DbConfig};

use super::durable::Durability;
use super::{Doing, StoreResult};

/// How long SQLite waits for another connection. Writers exclude each other by [`super::WriteLock`], so
/// that only a checkpoint can be in the way.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn connect_reader(path: &Path, is_read_only: bool) -> StoreResult<Connection> {
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

pub(super) fn connect_writer(path: &Path, durability: Durability) -> StoreResult<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .doing("opening the index for writing")?;
    harden(&connection)?;
    let synchronous = match durability {
        Durability::OnDisk => "NORMAL",
        Durability::SinceBoot | Durability::Unknown => "OFF",
    };
    connection
        .execute_batch(&format!(
            "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = {synchronous}; PRAGMA journal_mode = WAL;
             PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4096;
             PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 16777216;"
        ))
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

pub(super) fn side_file(path: &Path, suffix: &str) -> PathBuf {
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
