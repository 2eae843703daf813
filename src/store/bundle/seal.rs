//! Making a copy of an index fit to leave the machine.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::BundleManifest;
use crate::store::history::WITHOUT_NAMES;
use crate::store::{ErrorContext, StoreResult, connection, files};

/// Keys of `meta` that describe the rows and not their owner.
const KEPT: &str = "'complete', 'history'";

/// Removes from a database, which nobody else has open, everything that does not belong to the commit: stats and git's names
/// of the bytes, which others could not rely on, names of
/// people, meta of the work tree, and remains of deleted rows and their words in its pages. Returns the manifest.
pub(super) fn seal(path: &Path) -> StoreResult<BundleManifest> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .context("opening the copy")?;
    connection::harden(&connection)?;
    connection
        .execute_batch(&format!(
            "PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;
             BEGIN IMMEDIATE;
             DELETE FROM stat;
             UPDATE file SET blob = NULL;
             DELETE FROM meta WHERE key NOT IN ({KEPT});
             UPDATE \"commit\" SET author = '';
             UPDATE meta SET value = value || ' {WITHOUT_NAMES}' WHERE key = 'history' AND value <> '';
             INSERT INTO meta(key, value) VALUES('index_id', ''), ('generation', '1');
             INSERT INTO text(text) VALUES('optimize');
             INSERT INTO message(message) VALUES('optimize');
             DROP TABLE IF EXISTS sqlite_stat1;
             DROP TABLE IF EXISTS sqlite_stat4;
             COMMIT;"
        ))
        .context("preparing the copy")?;
    // Without a log beside it: the file alone is the index.
    connection
        .execute_batch("PRAGMA journal_mode = DELETE; VACUUM;")
        .context("preparing the copy")?;
    let rows = files::rows(&connection)?;
    Ok(rows
        .into_iter()
        .map(|row| (row.path, row.content))
        .collect())
}
