//! Small databases of the data directory beside all repositories. Notes alone stand in them: no index depends on one, and a damaged
//! one is set aside and begun anew.

use std::path::PathBuf;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::connection::harden;
use super::home::create_private_file;
use super::lock::quarantine;
use super::{ErrorContext, StoreError, StoreResult, io_error};

/// A file with notes.
pub(super) struct SideFile {
    pub(super) path: PathBuf,
    /// The statements that make its tables where they are not there.
    pub(super) tables: &'static str,
    /// The version of the tables, above 0.
    pub(super) version: i64,
    /// How long to wait for other processes that write.
    pub(super) patience: Duration,
}

impl SideFile {
    /// Does `work` with the file, which is made for this user alone where it is not there. `doing` stands in errors.
    ///
    /// # Errors
    /// Where it can't be written, or a newer program made it.
    pub(super) fn write<T>(
        &self,
        doing: &'static str,
        work: impl Fn(&mut Connection) -> StoreResult<T>,
    ) -> StoreResult<T> {
        let done = self.open_to_write(doing).and_then(|mut it| work(&mut it));
        match done {
            Err(error) if error.is_corrupt() => {
                quarantine(&self.path).map_err(io_error("set aside", &self.path))?;
                work(&mut self.open_to_write(doing)?)
            }
            done => done,
        }
    }

    /// Does `work` with the file; `None` where it is not there or can't be read.
    pub(super) fn read<T>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Connection) -> StoreResult<T>,
    ) -> Option<T> {
        if !self.path.is_file() {
            return None;
        }
        let read = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(&self.path, flags).context(doing)?;
            self.version_of(&connection, doing)?;
            work(&connection)
        };
        read()
            .inspect_err(
                |error| tracing::info!(%error, path = %self.path.display(), "notes can't be read"),
            )
            .ok()
    }

    fn open_to_write(&self, doing: &'static str) -> StoreResult<Connection> {
        create_private_file(&self.path)?;
        let connection = Connection::open(&self.path).context(doing)?;
        if self.version_of(&connection, doing)? < self.version {
            connection
                .execute_batch(self.tables)
                .and_then(|()| connection.pragma_update(None, "user_version", self.version))
                .context(doing)?;
        }
        Ok(connection)
    }

    /// Configures a connection. Returns the version of its tables, 0 where it has none.
    fn version_of(&self, connection: &Connection, doing: &'static str) -> StoreResult<i64> {
        harden(connection)?;
        connection.busy_timeout(self.patience).context(doing)?;
        let found = connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .context(doing)?;
        if found > self.version {
            return Err(StoreError::Version {
                path: self.path.clone(),
                found,
                wanted: self.version,
            });
        }
        Ok(found)
    }
}
