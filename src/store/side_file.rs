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

    /// Does `work` with the file; `None` where nothing was noted yet.
    ///
    /// # Errors
    /// Where it can't be read.
    pub(super) fn read<T>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Connection) -> StoreResult<T>,
    ) -> StoreResult<Option<T>> {
        if !self.path.is_file() {
            return Ok(None);
        }
        // Not read-only: a write that a full disk or a kill cut off is taken back by whoever opens the file next.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags).context(doing)?;
        if self.version_of(&connection, doing)? == 0 {
            return Ok(None);
        }
        connection
            .pragma_update(None, "query_only", true)
            .context(doing)?;
        work(&connection).map(Some)
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::SideFile;
    use crate::store::ErrorContext as _;

    fn side_file(dir: &std::path::Path) -> SideFile {
        SideFile {
            path: dir.join("notes.db"),
            tables: "CREATE TABLE note(text TEXT NOT NULL) STRICT;",
            version: 1,
            patience: Duration::from_secs(1),
        }
    }

    #[test]
    fn a_write_that_was_cut_off_is_taken_back_by_a_reader() {
        let (dir, cut_off) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = side_file(dir.path());
        let insert = "INSERT INTO note VALUES('kept')";
        file.write("noting", |it| it.execute_batch(insert).context("noting"))
            .unwrap();
        let half_done = |it: &mut rusqlite::Connection| {
            // With so small a cache, pages reach the file before the end of the transaction.
            it.execute_batch("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN")
                .context("noting")?;
            for _ in 0..2_000 {
                it.execute("INSERT INTO note VALUES(?1)", ["x".repeat(100)])
                    .context("noting")?;
            }
            for name in ["notes.db", "notes.db-journal"] {
                std::fs::copy(dir.path().join(name), cut_off.path().join(name)).unwrap();
            }
            it.execute_batch("ROLLBACK").context("noting")
        };
        file.write("noting", half_done).unwrap();
        let file = side_file(cut_off.path());
        let count = file
            .read("counting", |it| {
                it.query_row("SELECT count(*) FROM note", [], |row| row.get::<_, i64>(0))
                    .context("counting")
            })
            .unwrap();
        assert_eq!(count, Some(1));
        assert!(!cut_off.path().join("notes.db-journal").exists());
    }

    #[test]
    fn a_file_that_cannot_be_read_is_not_an_empty_one() {
        let dir = tempfile::tempdir().unwrap();
        let file = side_file(dir.path());
        assert_eq!(file.read("reading", |_| Ok(())).unwrap(), None);
        std::fs::write(&file.path, "").unwrap();
        assert_eq!(file.read("reading", |_| Ok(())).unwrap(), None);
        std::fs::write(&file.path, "x".repeat(5_000)).unwrap();
        assert!(
            file.read("reading", |_| Ok(()))
                .is_err_and(|error| error.is_corrupt())
        );
    }
}
