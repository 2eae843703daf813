//! Frozen indexes: the database of a build that nobody asks any more, kept as its difference to a file that the frozen indexes of
//! a repository share (their base). Forty branches of a repository are much the same.
//!
//! ```text
//! <indexId>.<build>.frozen   header (see `frozen_file`), then one zstd frame: database XOR base, byte by byte
//! base-<digest>.db           a base; never written again, removed when no frozen build names it
//! ```
//!
//! Copies that were made one from the other hold most pages at the same place, so that the difference is mostly zeros. It is
//! made and read in blocks: the memory does not grow with the index. Who opens a frozen build wakes it first. One that can't be
//! woken counts as damaged: the index is made anew from the nearest other one.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::connection::{connect_writer, side_file};
use super::durable::{self, Durability};
use super::frozen_file::{
    FrozenHeader, base_digest, base_name, base_of, bytes_awake, is_base, read_full,
};
use super::inventory::allocated;
use super::remove::unlink;
use super::{
    ErrorContext as _, Pointer, ReaderLock, RepoHome, SCHEMA_VERSION, StoreError, StoreResult,
    WriteLock, io_error, key,
};

/// How much is compared at a time.
const BLOCK_BYTES: usize = 256 << 10;

/// The page of a database.
const PAGE_BYTES: usize = 4096;

/// How many pages are compared to see how like each other two databases are.
const SAMPLED_PAGES: u64 = 256;

/// How many of those have to be equal for a base to serve: the difference is a twentieth then, else up to a half.
const MIN_EQUAL_PAGES: u64 = 205;

/// How many of those have to be equal at least: of fewer not even the half is saved.
const MIN_LIKE_PAGES: u64 = 64;

/// From which part of its database on (one in so many bytes) a difference is large.
const LARGE_PART: u64 = 10;

/// How many bases a repository has at most: each takes the bytes of an index.
const MAX_BASES: usize = 4;

/// Smaller databases stay as they are.
const MIN_BYTES: u64 = 1 << 20;

/// The level of zstd. Zeros take next to no time at any.
const LEVEL: i32 = 3;

/// How long a base without a frozen build is left alone.
const BASE_AGE: Duration = Duration::from_mins(10);

/// The result of freezing an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freezing {
    /// It is frozen; its own files take so many bytes less.
    Done(u64),
    /// A process has it open or writes it: it stays.
    InUse,
    /// It is another build by now, frozen already, or it would save nothing.
    Needless,
    /// It became needed since it was decided that it freezes.
    Needed,
}

/// A file that goes with the value, and those that SQLite made beside it, unless it was put in place.
#[derive(Debug)]
pub(super) struct DraftFile {
    path: PathBuf,
    /// A directory that was made for it alone.
    own_directory: Option<PathBuf>,
}

impl Drop for DraftFile {
    fn drop(&mut self) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            unlink(&side_file(&self.path, suffix));
        }
        if let Some(directory) = &self.own_directory {
            drop(std::fs::remove_dir(directory));
        }
    }
}

impl DraftFile {
    fn new(home: &RepoHome) -> Self {
        Self {
            path: home.draft_path(),
            own_directory: None,
        }
    }

    /// Returns a file in a directory that this user alone may enter, among those of the system for what passes.
    fn elsewhere() -> StoreResult<Self> {
        let directory = std::env::temp_dir().join(format!("codelens-{}", key::new_build()));
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(&directory)
            .map_err(io_error("create the directory", &directory))?;
        Ok(Self {
            path: directory.join("index"),
            own_directory: Some(directory),
        })
    }

    /// Returns where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Returns whether the current build of an index is frozen.
pub fn is_frozen(home: &RepoHome, pointer: &Pointer) -> bool {
    !home.database(&pointer.index_id, &pointer.build).is_file()
        && frozen_path(home, pointer).is_file()
}

/// Returns whether the file is there that a frozen build is the difference to.
pub fn has_base(home: &RepoHome, pointer: &Pointer) -> bool {
    base_of(&frozen_path(home, pointer)).is_some_and(|name| home.dir().join(name).is_file())
}

/// Returns the bytes that the bases of a repository take on the disk.
pub fn base_bytes(home: &RepoHome) -> u64 {
    bases(home).iter().map(|path| allocated(path)).sum()
}

/// Freezes an index unless a process uses it. `is_needed` is asked at the start, and at the end, when nobody can open it any more:
/// most of the time others may read it. Costs about 8 ms of CPU a megabyte, and some hundred KiB of memory.
///
/// # Errors
/// [`StoreError::Io`] where a file can't be written; the index is as it was then.
pub fn freeze(
    home: &RepoHome,
    pointer: &Pointer,
    is_needed: impl Fn() -> bool,
) -> StoreResult<Freezing> {
    let database = home.database(&pointer.index_id, &pointer.build);
    let bytes = |suffix| {
        side_file(&database, suffix)
            .metadata()
            .map_or(0, |it| it.len())
    };
    let is_large = database.is_file() && bytes("") + bytes("-wal") >= MIN_BYTES;
    if pointer.schema_version != SCHEMA_VERSION || !is_large {
        return Ok(Freezing::Needless);
    }
    let lock = home.write_lock(&pointer.index_id);
    let Some(_writing) = WriteLock::take(&lock, Duration::ZERO)? else {
        return Ok(Freezing::InUse);
    };
    let reader_lock_path = home.reader_lock_path(&pointer.index_id, &pointer.build);
    if ReaderLock::is_held(&reader_lock_path) {
        return Ok(Freezing::InUse);
    }
    // From here on nobody removes it or puts another build in its place.
    let Some(reading) = ReaderLock::peek(&reader_lock_path)? else {
        return Ok(Freezing::InUse);
    };
    if is_needed() {
        return Ok(Freezing::Needed);
    }
    let durability = durable::of(&reader_lock_path);
    let is_current = home.pointer(&pointer.index_id).as_ref() == Some(pointer);
    if !is_current || durability == Durability::Unknown {
        return Ok(Freezing::Needless);
    }
    if !is_log_emptied(&database, durability)? {
        return Ok(Freezing::InUse);
    }
    let before = allocated(&database);
    let Some(draft) = encoded(home, &database)? else {
        return Ok(Freezing::Needless);
    };
    let last_use = reader_lock_path.metadata().and_then(|it| it.modified());
    drop(reading);
    let Some(_alone) = ReaderLock::try_exclusive(&reader_lock_path)? else {
        return Ok(Freezing::InUse);
    };
    // Whoever opened it meanwhile has written nothing: the write lock is held.
    if is_needed() {
        return Ok(Freezing::Needed);
    }
    let after = allocated(draft.path());
    let frozen = frozen_path(home, pointer);
    std::fs::rename(draft.path(), &frozen).map_err(io_error("write", &frozen))?;
    sync_directory(home.dir());
    for suffix in ["", "-wal", "-shm"] {
        unlink(&side_file(&database, suffix));
    }
    // This was no use of it.
    if let (Ok(time), Ok(file)) = (
        last_use,
        File::options().write(true).open(&reader_lock_path),
    ) {
        drop(file.set_modified(time));
    }
    Ok(Freezing::Done(before.saturating_sub(after)))
}

/// Wakes the build that `pointer` names, if it is frozen; the caller has its reader lock, so that nobody freezes it meanwhile.
/// Costs about 2 ms a megabyte.
///
/// # Errors
/// [`StoreError::Corrupt`] where the frozen file or its base is damaged or gone.
pub(super) fn wake(home: &RepoHome, pointer: &Pointer) -> StoreResult<()> {
    let database = home.database(&pointer.index_id, &pointer.build);
    let frozen = frozen_path(home, pointer);
    if database.is_file() {
        if frozen.is_file() {
            // Left by a process that was killed when it had woken it.
            unlink(&frozen);
        }
        return Ok(());
    }
    if !frozen.is_file() {
        return Ok(());
    }
    match awake_draft(home, pointer) {
        Ok(draft) => put_in_place(&draft, &database, &frozen),
        // Another process woke it meanwhile.
        Err(_) if database.is_file() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns a frozen build as a file that may be put in place.
fn awake_draft(home: &RepoHome, pointer: &Pointer) -> StoreResult<DraftFile> {
    let draft = unpacked(home, pointer)?;
    // Its bytes were not waited for: should the machine stop, they are not trusted.
    let reader_lock_path = home.reader_lock_path(&pointer.index_id, &pointer.build);
    if durable::note_this_boot(&reader_lock_path)? == Durability::OnDisk {
        sync(draft.path())?;
    }
    Ok(draft)
}

fn put_in_place(draft: &DraftFile, database: &Path, frozen: &Path) -> StoreResult<()> {
    match std::fs::hard_link(draft.path(), database) {
        Ok(()) => {
            tracing::info!(index = %database.display(), "woke a frozen index");
            unlink(frozen);
            Ok(())
        }
        // Another process woke it, too.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(io_error("write", database)(error)),
    }
}

/// Unpacks a frozen build into a file of its own in the directory of the repository.
///
/// # Errors
/// Those of [`wake`].
pub(super) fn unpacked(home: &RepoHome, pointer: &Pointer) -> StoreResult<DraftFile> {
    let draft = DraftFile::new(home);
    unpack(home, pointer, draft.path())?;
    Ok(draft)
}

/// Does [`unpacked`] where nothing can be written in the directory of the repository.
///
/// # Errors
/// Those of [`wake`].
pub(super) fn unpacked_elsewhere(home: &RepoHome, pointer: &Pointer) -> StoreResult<DraftFile> {
    let draft = DraftFile::elsewhere()?;
    unpack(home, pointer, draft.path())?;
    Ok(draft)
}

/// Unpacks a frozen build into the file at `to`, which is made.
///
/// # Errors
/// Those of [`wake`].
pub(super) fn unpack(home: &RepoHome, pointer: &Pointer, to: &Path) -> StoreResult<()> {
    let frozen = frozen_path(home, pointer);
    let damaged = |what: &str| StoreError::Corrupt {
        path: frozen.clone(),
        what: what.to_owned(),
    };
    let mut file = File::open(&frozen).map_err(io_error("open", &frozen))?;
    let header = FrozenHeader::read(&mut file).map_err(io_error("read", &frozen))?;
    let header = header.ok_or_else(|| damaged("it is no frozen index"))?;
    let base = home.dir().join(base_name(&header.base));
    let base =
        File::open(&base).map_err(|_| damaged("the file that it is the difference to is gone"))?;
    let mut target = create(to)?;
    let frame = zstd::stream::read::Decoder::new(file).map_err(io_error("read", &frozen))?;
    // Whatever the file says, no more is written than it stands for.
    let frame = frame.take(header.n_bytes.saturating_add(1));
    let (mut n_bytes, mut hasher) = (0, blake3::Hasher::new());
    let unpacked = xor_blocks(frame, base, |_, bytes| {
        n_bytes += bytes.len() as u64;
        hasher.update(bytes);
        target.write_all(bytes)
    });
    match unpacked {
        Ok(()) if n_bytes == header.n_bytes && *hasher.finalize().as_bytes() == header.database => {
            Ok(())
        }
        Ok(()) | Err(Stopped::Reading(_)) => {
            Err(damaged("its bytes are not those that were frozen"))
        }
        Err(Stopped::Writing(error)) => Err(io_error("write", to)(error)),
    }
}

/// Removes bases that no frozen build names. Returns the bytes that the file system got back. The caller has the lock under
/// which indexes are frozen.
pub fn sweep_bases(home: &RepoHome) -> u64 {
    let named: Vec<String> = frozen_files(home)
        .iter()
        .filter_map(|path| base_of(path))
        .collect();
    let is_old = |path: &PathBuf| {
        let time = path.metadata().and_then(|meta| meta.modified());
        time.is_ok_and(|time| time.elapsed().is_ok_and(|age| age >= BASE_AGE))
    };
    let is_unnamed = |path: &PathBuf| named.iter().all(|name| !path.ends_with(name));
    let unnamed = bases(home).into_iter().filter(is_unnamed).filter(is_old);
    unnamed.map(|path| unlink(&path)).sum()
}

/// Returns the difference of a database to a base, as a file that is not in place yet; `None` where it saves less than half and no
/// further base may be made.
fn encoded(home: &RepoHome, database: &Path) -> StoreResult<Option<DraftFile>> {
    let saves_half = |draft: &DraftFile| allocated(draft.path()) <= allocated(database) / 2;
    if let Some(base) = base_for(home, database) {
        let draft = DraftFile::new(home);
        encode(database, &base, draft.path())?;
        if saves_half(&draft) {
            return Ok(Some(draft));
        }
    }
    if bases(home).len() >= MAX_BASES {
        return Ok(None);
    }
    let base = new_base(home, database)?;
    let draft = DraftFile::new(home);
    encode(database, &base, draft.path())?;
    Ok(Some(draft))
}

/// Writes the difference of a database to a base.
fn encode(database: &Path, base: &Path, to: &Path) -> StoreResult<()> {
    let (first, second) = (
        File::open(database).map_err(io_error("open", database))?,
        File::open(base).map_err(io_error("open", base))?,
    );
    let digest = base_digest(base).ok_or_else(|| StoreError::Corrupt {
        path: base.to_owned(),
        what: "its name holds no digest".to_owned(),
    })?;
    let mut header = FrozenHeader {
        base: digest,
        database: [0; 32],
        n_bytes: 0,
    };
    let write = |file: &mut File, header: &mut FrozenHeader| -> io::Result<()> {
        file.write_all(&header.to_bytes())?;
        let mut frame = zstd::stream::write::Encoder::new(&mut *file, LEVEL)?;
        let mut hasher = blake3::Hasher::new();
        xor_blocks(first, second, |bytes, xored| {
            header.n_bytes += bytes.len() as u64;
            hasher.update(bytes);
            frame.write_all(xored)
        })
        .map_err(Stopped::into_io)?;
        frame.finish()?;
        header.database = *hasher.finalize().as_bytes();
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&header.to_bytes())?;
        file.sync_all()
    };
    write(&mut create(to)?, &mut header).map_err(io_error("write", to))
}

/// Returns the base that is most like a database; `None` where one is to be made of it. The first index that is like none takes a
/// large difference all the same: a base pays from the second on.
fn base_for(home: &RepoHome, database: &Path) -> Option<PathBuf> {
    let bases = bases(home);
    let may_be_unlike = bases.len() >= MAX_BASES || !has_large_difference(home);
    let alike = |base: PathBuf| Some((equal_pages(database, &base).ok()?, base));
    let (n_equal, base) = bases.into_iter().filter_map(alike).max()?;
    (n_equal >= MIN_EQUAL_PAGES || may_be_unlike && n_equal >= MIN_LIKE_PAGES).then_some(base)
}

fn has_large_difference(home: &RepoHome) -> bool {
    let is_large = |path: &PathBuf| {
        let n_bytes = path.metadata().map_or(0, |it| it.len());
        bytes_awake(path).is_some_and(|awake| n_bytes > awake / LARGE_PART)
    };
    frozen_files(home).iter().any(is_large)
}

fn new_base(home: &RepoHome, database: &Path) -> StoreResult<PathBuf> {
    let draft = DraftFile::new(home);
    std::fs::copy(database, draft.path()).map_err(io_error("copy the index to", draft.path()))?;
    let mut hasher = blake3::Hasher::new();
    let read = File::open(draft.path()).and_then(|file| hasher.update_reader(file).map(drop));
    read.map_err(io_error("read", draft.path()))?;
    sync(draft.path())?;
    let base = home.dir().join(base_name(hasher.finalize().as_bytes()));
    std::fs::rename(draft.path(), &base).map_err(io_error("write", &base))?;
    Ok(base)
}

/// Returns how many of some pages two databases have at the same place.
fn equal_pages(one: &Path, other: &Path) -> io::Result<u64> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let page_bytes = PAGE_BYTES as u64;
    let n_pages = one.metadata()?.len() / page_bytes;
    let step = (n_pages / SAMPLED_PAGES).max(1);
    let mut pages = [[0; PAGE_BYTES]; 2];
    let mut n_equal = 0;
    for page in (0..n_pages).step_by(usize::try_from(step).unwrap_or(1)) {
        for (file, bytes) in [&mut one, &mut other].into_iter().zip(&mut pages) {
            file.seek(SeekFrom::Start(page * page_bytes))?;
            bytes.fill(0);
            read_full(file, bytes)?;
        }
        n_equal += u64::from(pages[0] == pages[1]);
    }
    // Small ones have fewer pages to compare.
    Ok(n_equal * SAMPLED_PAGES / n_pages.clamp(1, SAMPLED_PAGES))
}

/// Empties the log of a database that nobody has open. Returns whether all of it is in the file.
fn is_log_emptied(database: &Path, durability: Durability) -> StoreResult<bool> {
    let log = side_file(database, "-wal");
    if log.metadata().map_or(0, |it| it.len()) == 0 {
        return Ok(true);
    }
    let connection = connect_writer(database, durability)?;
    let empty = "PRAGMA wal_checkpoint(TRUNCATE)";
    let is_busy: bool = connection
        .query_row(empty, [], |row| row.get(0))
        .context("emptying the log")?;
    Ok(!is_busy)
}

/// Why two files could not be gone through to the end.
enum Stopped {
    Reading(io::Error),
    Writing(io::Error),
}

impl Stopped {
    fn into_io(self) -> io::Error {
        let (Self::Reading(error) | Self::Writing(error)) = self;
        error
    }
}

/// Goes through a stream block by block, and hands over each with its difference to the same bytes of `base`. Where that
/// has no more, the difference is to zeros.
fn xor_blocks(
    mut first: impl Read,
    mut base: impl Read,
    mut take: impl FnMut(&[u8], &[u8]) -> io::Result<()>,
) -> Result<(), Stopped> {
    let (mut read, mut xored) = (vec![0; BLOCK_BYTES], vec![0; BLOCK_BYTES]);
    loop {
        let n = read_full(&mut first, &mut read).map_err(Stopped::Reading)?;
        if n == 0 {
            return Ok(());
        }
        let (read, xored) = (&read[..n], &mut xored[..n]);
        let n_base = read_full(&mut base, xored).map_err(Stopped::Reading)?;
        xored[n_base..].fill(0);
        xored.iter_mut().zip(read).for_each(|(x, byte)| *x ^= byte);
        take(read, xored).map_err(Stopped::Writing)?;
    }
}

fn frozen_path(home: &RepoHome, pointer: &Pointer) -> PathBuf {
    let database = home.database(&pointer.index_id, &pointer.build);
    database.with_extension("frozen")
}

fn frozen_files(home: &RepoHome) -> Vec<PathBuf> {
    files(home, |name| name.ends_with(".frozen"))
}

fn bases(home: &RepoHome) -> Vec<PathBuf> {
    files(home, is_base)
}

fn files(home: &RepoHome, is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home.dir()).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_wanted = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(&is_wanted)
    };
    paths.filter(is_wanted).collect()
}

/// Creates a file for this user alone.
fn create(path: &Path) -> StoreResult<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(io_error("create", path))
}

fn sync(path: &Path) -> StoreResult<()> {
    let file = File::options().write(true).open(path);
    let synced = file.and_then(|file| file.sync_all());
    synced.map_err(io_error("write", path))
}

/// Makes the names in a directory outlive a power failure. Not every system can.
fn sync_directory(path: &Path) {
    drop(File::open(path).and_then(|directory| directory.sync_all()));
}

#[cfg(test)]
mod tests;
