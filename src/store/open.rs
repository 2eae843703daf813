//! One open index file and its connections.
//!
//! Does not know who may write: that is up to the owner of the [`super::WriteLock`].

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use super::connection::{
    PATIENCE, connect_beside, connect_reader, connect_writer, free_pages, side_file,
};
use super::durable::{self, Durability};
use super::freeze::{self, DraftFile};
use super::lock::is_read_only;
use super::read::{ChangedFiles, Read, ReadCache, Reader};
use super::schema::{SCHEMA, SCHEMA_VERSION};
use super::text_merge::DEAD_CHUNKS;
use super::{
    ErrorContext, Pointer, ReaderLock, RepoHome, StoreError, StoreResult, WriteLock, Writer,
    io_error,
};

/// How many unused pages of 4 KiB a file may keep for the next rows.
const MAX_FREE_PAGES: i64 = 64;

/// One build of an index, open.
#[derive(Debug)]
pub struct Index {
    home: RepoHome,
    pointer: Pointer,
    path: PathBuf,
    reader: Connection,
    write_bar: Option<WriteLock>,
    writer: Option<Connection>,
    kept: RefCell<ReadCache>,
    changed_files: ChangedFiles,
    reader_lock_path: PathBuf,
    // Behind the connections, which have it open.
    draft: Option<DraftFile>,
    _reader_lock: ReaderLock,
}

impl Index {
    /// Creates an empty build. Nobody finds it before its pointer is published.
    pub fn create(home: &RepoHome, pointer: Pointer) -> StoreResult<Self> {
        let path = home.database(&pointer.index_id, &pointer.build);
        // Set before there is anything to sweep away.
        let reader_lock_path = home.reader_lock_path(&pointer.index_id, &pointer.build);
        let _reader_lock = ReaderLock::acquire_shared(&reader_lock_path)?;
        let connection = connect_writer(&path, durable::begin(&reader_lock_path)?)?;
        connection
            .execute_batch(&format!(
                "BEGIN; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
            ))
            .context("creating the tables")?;
        drop(connection);
        let mut index = Self::open_new(home, pointer)?;
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
        let reader_lock_path = home.reader_lock_path(&pointer.index_id, &pointer.build);
        let reader_lock = ReaderLock::acquire_shared(&reader_lock_path)?;
        match freeze::wake(home, &pointer) {
            Ok(()) => Self::open_by(home, pointer, reader_lock, connect_reader),
            Err(StoreError::Io { source, .. }) if is_read_only(&source) => {
                let lock = home.write_lock(&pointer.index_id);
                // As long as this is held nobody writes it.
                let Some(bar) = WriteLock::to_read(&lock) else {
                    return Err(io_error("wake the index in", home.dir())(source));
                };
                let draft = freeze::unpacked_elsewhere(home, &pointer)?;
                Self::open_unpacked(home, pointer, reader_lock, draft, Some(bar))
            }
            Err(error) => Err(error),
        }
    }

    /// Does [`Self::open`] for a look that does not count as a use of the index; `None` for a build that is gone, or about to go.
    /// A frozen build stays frozen; it is unpacked beside.
    ///
    /// # Errors
    /// Those of [`Self::open`].
    pub fn peek(home: &RepoHome, pointer: Pointer) -> StoreResult<Option<Self>> {
        let reader_lock_path = home.reader_lock_path(&pointer.index_id, &pointer.build);
        let Some(reader_lock) = ReaderLock::peek(&reader_lock_path)? else {
            return Ok(None);
        };
        if freeze::is_frozen(home, &pointer) {
            let database = home.database(&pointer.index_id, &pointer.build);
            match freeze::unpacked(home, &pointer) {
                Ok(draft) => {
                    let index = Self::open_unpacked(home, pointer, reader_lock, draft, None);
                    return index.map(Some);
                }
                // Another process woke it meanwhile.
                Err(_) if database.is_file() => {}
                Err(error) => return Err(error),
            }
        }
        Self::open_by(home, pointer, reader_lock, connect_reader).map(Some)
    }

    /// Opens a frozen build without waking it, as a file that goes with the value.
    fn open_unpacked(
        home: &RepoHome,
        pointer: Pointer,
        reader_lock: ReaderLock,
        draft: DraftFile,
        write_bar: Option<WriteLock>,
    ) -> StoreResult<Self> {
        let reader = connect_beside(draft.path())?;
        let connected = (reader, write_bar);
        let mut index = Self::of(home, pointer, draft.path(), reader_lock, connected)?;
        index.draft = Some(draft);
        Ok(index)
    }

    /// Opens a build that is being made; the connection has to see its own writes.
    pub(super) fn open_new(home: &RepoHome, pointer: Pointer) -> StoreResult<Self> {
        let reader_lock_path = home.reader_lock_path(&pointer.index_id, &pointer.build);
        let reader_lock = ReaderLock::acquire_shared(&reader_lock_path)?;
        Self::open_by(home, pointer, reader_lock, |path, _| {
            Ok((connect_beside(path)?, None))
        })
    }

    fn open_by(
        home: &RepoHome,
        pointer: Pointer,
        reader_lock: ReaderLock,
        connect: impl FnOnce(&Path, &Path) -> StoreResult<(Connection, Option<WriteLock>)>,
    ) -> StoreResult<Self> {
        let path = home.database(&pointer.index_id, &pointer.build);
        let reader_lock_path = home.reader_lock_path(&pointer.index_id, &pointer.build);
        // Looked at under the lock: from here on nobody deletes it.
        if !path.is_file() {
            drop(reader_lock);
            super::remove::retire(home, &pointer);
            return Err(StoreError::Corrupt {
                path,
                what: "the file is gone".to_owned(),
            });
        }
        if durable::of(&reader_lock_path) == Durability::Unknown {
            return Err(StoreError::Corrupt {
                path,
                what: "the machine stopped before all of it was on the disk".to_owned(),
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
        let lock = home.write_lock(&pointer.index_id);
        let connected = connect(&path, &lock)?;
        Self::of(home, pointer, &path, reader_lock, connected)
    }

    fn of(
        home: &RepoHome,
        pointer: Pointer,
        path: &Path,
        reader_lock: ReaderLock,
        (reader, write_bar): (Connection, Option<WriteLock>),
    ) -> StoreResult<Self> {
        let path = path.to_owned();
        let reader_lock_path = home.reader_lock_path(&pointer.index_id, &pointer.build);
        let found: i64 = reader
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .context("reading the schema version")?;
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
            write_bar,
            writer: None,
            kept: RefCell::default(),
            changed_files: ChangedFiles::default(),
            reader_lock_path,
            draft: None,
            _reader_lock: reader_lock,
        })
    }

    /// Returns the repository's part of the data directory that it lies in.
    pub fn home(&self) -> &RepoHome {
        &self.home
    }

    /// Returns the pointer: repository, work tree, branch, commit and build.
    pub fn pointer(&self) -> &Pointer {
        &self.pointer
    }

    /// Whether it was opened on a read-only file system: it stays as it was then, nobody else can write it meanwhile,
    /// and it must not be kept for later.
    pub fn is_immutable(&self) -> bool {
        self.write_bar.is_some()
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.reader
    }

    /// Begins a view of one generation; everything read through it belongs together.
    pub fn read(&self) -> StoreResult<Read<'_>> {
        Read::begin(&self.reader, &self.kept)
    }

    /// Opens one more connection, for a thread of its own. Costs under a millisecond.
    pub fn reader(&self) -> StoreResult<Reader> {
        connect_beside(&self.path).map(Reader::of)
    }

    /// Begins a transaction that writes. The caller holds the write lock of the index.
    pub fn writer(&mut self) -> StoreResult<Writer<'_>> {
        if self.writer.is_none() {
            // Asked each time: another process may have forced it to the disk meanwhile.
            self.writer = Some(connect_writer(
                &self.path,
                durable::of(&self.reader_lock_path),
            )?);
        }
        let connection = self.writer.as_mut().expect("it was just set");
        Writer::begin(connection, &mut self.changed_files)
    }

    /// Does work that writes, after which the file rows that [`Read::file_rows`] keeps are brought up instead of read anew. The
    /// caller holds the write lock of the index all the time, so nobody else writes rows meanwhile.
    pub fn keeping_rows<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let has_rows = self.read().is_ok_and(|read| read.has_kept_rows());
        self.changed_files = if has_rows {
            ChangedFiles::none()
        } else {
            ChangedFiles::default()
        };
        let done = work(self);
        if let Some(changed) = std::mem::take(&mut self.changed_files).into_list() {
            let brought_up = self.read().and_then(|read| read.bring_rows_up(&changed));
            if let Err(error) = brought_up {
                // They are read anew when somebody asks.
                tracing::debug!(%error, "kept file rows could not be brought up");
            }
        }
        done
    }

    /// Checkpoints the write-ahead log and empties it, gives unused pages back, and after a whole build merges the
    /// text index into one segment. Best effort: committed data stays committed.
    pub fn checkpoint(&mut self, after_build: bool) {
        let done = (|| {
            if !self.is_on_disk() {
                // Only pages in a log make a checkpoint wait for the disk.
                let id = self.pointer.index_id.clone();
                let mut writer = self.writer()?;
                writer.set_meta("index_id", &id)?;
                writer.commit(false)?;
            }
            let Some(connection) = &self.writer else {
                return Ok(());
            };
            if tidy_up(connection, after_build).context("tidying up")? && !self.is_on_disk() {
                durable::reached_disk(&self.reader_lock_path)?;
            }
            Ok::<_, StoreError>(())
        })();
        if let Err(error) = done {
            tracing::info!(%error, "the index could not be tidied up");
        }
    }

    /// Returns whether there is nothing for [`Self::checkpoint`] to do.
    pub fn is_checkpointed(&self) -> bool {
        let log = std::fs::metadata(side_file(&self.path, "-wal")).map_or(0, |meta| meta.len());
        log == 0 && self.is_on_disk()
    }

    fn is_on_disk(&self) -> bool {
        durable::of(&self.reader_lock_path) == Durability::OnDisk
    }

    /// Closes the connection for writing, whose page cache is not needed between two changes.
    pub fn close_writer(&mut self) {
        self.writer = None;
    }

    /// Runs SQLite's own check. Returns the damage; `None` when there is none.
    pub fn damage(&self) -> StoreResult<Option<String>> {
        let found: String = self
            .reader
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .context("checking the file")?;
        Ok((found != "ok").then_some(found))
    }

    /// Returns the journal mode in use (`wal`).
    pub fn journal_mode(&self) -> StoreResult<String> {
        self.reader
            .pragma_query_value(None, "journal_mode", |row| row.get(0))
            .context("reading the journal mode")
    }
}

/// Returns whether all of the log is in the file, and the file on the disk.
fn tidy_up(connection: &Connection, after_build: bool) -> rusqlite::Result<bool> {
    connection.execute_batch("PRAGMA synchronous = NORMAL")?;
    if after_build {
        // The copy that VACUUM makes is as large as the index: no place for it in memory.
        connection.execute_batch(&format!(
            "INSERT INTO text(text) VALUES('optimize'); UPDATE meta SET value = '0' WHERE key = '{DEAD_CHUNKS}'; PRAGMA temp_store = FILE; VACUUM; PRAGMA optimize;"
        ))?;
    }
    // Pages that nothing uses any more go back to the file system.
    let free: i64 = connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
    if free > MAX_FREE_PAGES {
        free_pages(connection)?;
    }
    // A reader in the way is not waited for: the next time will do.
    connection.busy_timeout(Duration::ZERO)?;
    let emptied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
        row.get(0).map(|is_busy: bool| !is_busy)
    });
    connection.busy_timeout(PATIENCE)?;
    emptied
}

/// Returns the version of the SQLite library in use.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}
