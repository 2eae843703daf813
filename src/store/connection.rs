//! Opens database files: the rights of a connection, and how long it waits.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::trace::{TraceEvent, TraceEventCodes};
use rusqlite::{Connection, OpenFlags, StatementStatus, config::DbConfig};

use super::durable::Durability;
use super::{ErrorContext, StoreResult, WriteLock};

/// How long SQLite waits for another connection. Writers exclude each other by [`super::WriteLock`], so
/// that only a checkpoint can be in the way.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Opens a file for reading. Where SQLite can't keep its side files beside it (no right to write, a full disk), the
/// file is read all the same; then the lock comes too that keeps it unchanged, and later writes are not seen.
pub(super) fn connect_reader(
    path: &Path,
    lock: &Path,
) -> StoreResult<(Connection, Option<WriteLock>)> {
    let (mut connection, still) = match open_to_read(path, "") {
        Ok(connection) => (connection, None),
        Err(error) if is_damage(&error) || is_busy(&error) => {
            return Err(error).context("opening the index for reading");
        }
        Err(error) => {
            let Some(still) = WriteLock::to_read(lock) else {
                return Err(error).context("opening the index for reading");
            };
            // Without a log the file alone is the truth; a log is read into memory, without SQLite's locks.
            let how = if is_quiet(path) {
                "immutable=1"
            } else {
                WITHOUT_LOCKS
            };
            let opened = open_to_read(path, how).map_err(|_| error);
            (
                opened.context("opening the index for reading")?,
                Some(still),
            )
        }
    };
    prepare_to_read(&mut connection)?;
    Ok((connection, still))
}

/// Opens one more connection for reading to a file that is open already.
pub(super) fn connect_beside(path: &Path) -> StoreResult<Connection> {
    let mut connection = open_to_read(path, "").context("opening the index for reading")?;
    prepare_to_read(&mut connection)?;
    Ok(connection)
}

fn prepare_to_read(connection: &mut Connection) -> StoreResult<()> {
    harden(connection)?;
    trace_statements(connection)?;
    connection
        .execute_batch(
            "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192; PRAGMA query_only = ON;",
        )
        .context("configuring the connection")
}

/// Logs each statement when it ends, without the values in it, where a log of that is wanted.
fn trace_statements(connection: &mut Connection) -> StoreResult<()> {
    if !tracing::enabled!(target: "codelens::sql", tracing::Level::TRACE) {
        return Ok(());
    }
    let log = |event: TraceEvent<'_>| {
        if let TraceEvent::Profile(statement, took) = event {
            let n_scanned = statement.get_status(StatementStatus::FullscanStep);
            let sql = statement.sql();
            let sql: Vec<&str> = sql.split_whitespace().collect();
            tracing::trace!(target: "codelens::sql", n_scanned, ?took, "{}", sql.join(" "));
        }
    };
    connection
        .trace_v2(TraceEventCodes::SQLITE_TRACE_PROFILE, Some(log))
        .context("configuring the connection")
}

/// SQLite's own access to files, but for its locks.
const WITHOUT_LOCKS: &str = if cfg!(unix) {
    "vfs=unix-none"
} else {
    "vfs=win32-none"
};

/// Opens a file and looks into it.
fn open_to_read(path: &Path, how: &str) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = if how.is_empty() {
        Connection::open_with_flags(path, flags)?
    } else {
        let uri = format!("file:{}?{how}", percent(path));
        Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?
    };
    if how == WITHOUT_LOCKS {
        // SQLite keeps its index of the log in memory then.
        connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?;
    }
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

pub(super) fn connect_writer(path: &Path, durability: Durability) -> StoreResult<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .context("opening the index for writing")?;
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
        .context("configuring the connection")?;
    Ok(connection)
}

/// Gives the pages of a file that nothing uses back to the file system.
pub(super) fn free_pages(connection: &Connection) -> rusqlite::Result<()> {
    // The statement yields once for each page that it moves.
    let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

/// Disables features that a hostile file could use: functions in views and triggers, writes to the schema.
pub(super) fn harden(connection: &Connection) -> StoreResult<()> {
    connection
        .busy_timeout(PATIENCE)
        .context("configuring the connection")?;
    connection.set_prepared_statement_cache_capacity(64);
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)
        // Plans that depend on bound values would be made anew for each value: three times the cost of a look-up.
        .and_then(|_| connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true))
        .and_then(|_| connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false))
        .map(drop)
        .context("configuring the connection")
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
    )
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
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
