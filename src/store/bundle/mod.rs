//! One index of a clean commit as one file that can be carried elsewhere, and the way back.
//!
//! A bundle comes from somebody else: sizes are declared and kept to, the digest covers every byte, and nothing is
//! believed that `check` has not looked at. It can't check whether the facts of a file are those of its bytes: that
//! takes extracting the file again.

mod check;
mod compare;
mod difference;
mod format;
mod seal;

use std::fs::File;
use std::path::Path;

pub use compare::first_difference;
pub use difference::{apply_difference, write_difference};
pub use format::{Header, MAX_DATABASE_BYTES, MAX_PREFIX_BYTES, header};

use super::{Index, Pointer, ReaderLock, RepoHome, StoreError, StoreResult, io_error};
use crate::model::{ContentId, RepoPath};

/// The files of a bundle with their contents, by path.
pub type BundleManifest = Vec<(RepoPath, ContentId)>;

/// Told after each piece how many bytes are done; an error stops the work.
pub type OnBytes<'a> = &'a dyn Fn(u64) -> std::io::Result<()>;

/// The header's fields that can't be seen from the index.
#[derive(Clone, Debug)]
pub struct BundleOrigin {
    /// The version that decides whether this program can use it; see [`Header::layout`].
    pub layout: String,
    /// The commit.
    pub commit: String,
    /// The clone family: see `Repo::clone_family` in `git`.
    pub clone_family: Option<String>,
}

/// A bundle that was written.
#[derive(Clone, Debug)]
pub struct Written {
    /// The bundle's header.
    pub header: Header,
    /// The BLAKE3 digest at its end, in hexadecimal.
    pub digest: String,
    /// Its size.
    pub bytes: u64,
}

/// Writes the build of `pointer`, which this process made and no other process knows, to a file, and deletes the
/// build. Rows that only their maker needs (stats, deleted rows, words of deleted rows) are taken out first.
pub fn write(
    home: &RepoHome,
    pointer: &Pointer,
    origin: BundleOrigin,
    target: &Path,
    on_bytes: OnBytes<'_>,
) -> StoreResult<Written> {
    let database = home.database(&pointer.index_id, &pointer.build);
    let written = seal::seal(&database).and_then(|manifest| {
        let failed = || io_error("write the bundle", target);
        let mut source = File::open(&database).map_err(io_error("read", &database))?;
        let database_bytes = source.metadata().map_err(io_error("read", &database))?.len();
        if database_bytes > MAX_DATABASE_BYTES {
            return Err(refused(format!(
                "an index of {database_bytes} bytes is more than a bundle may hold ({MAX_DATABASE_BYTES})"
            )));
        }
        let listed = format::listed(&manifest);
        let header = Header {
            layout: origin.layout,
            schema_version: super::SCHEMA_VERSION,
            commit: origin.commit,
            clone_family: origin.clone_family,
            n_files: manifest.len() as u64,
            manifest_bytes: listed.len() as u64,
            database_bytes,
            base: None,
        };
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.part", pointer.build));
        let draft = target.with_file_name(name);
        let done = File::create_new(&draft).and_then(|out| {
            let (digest, bytes) = {
                let frame = (listed.as_slice(), &mut source as &mut dyn std::io::Read);
                format::write(&out, &header, frame, format::LEVEL, on_bytes)?
            };
            out.sync_data()?;
            std::fs::rename(&draft, target)?;
            Ok((digest, bytes))
        });
        if done.is_err() {
            drop(std::fs::remove_file(&draft));
        }
        let (digest, bytes) = done.map_err(failed())?;
        Ok(Written {
            header,
            digest,
            bytes,
        })
    });
    super::remove::discard(home, pointer);
    written
}

/// Reads the bundle at `source` into a new build for `pointer`, which nobody finds before it is published. `accept` is
/// asked as soon as the header is known; it returns the reason for refusing the bundle.
///
/// # Errors
/// [`StoreError::Bundle`] for any file that [`write()`] could not have made. Nothing of it is left then.
pub fn read(
    home: &RepoHome,
    pointer: &Pointer,
    source: &Path,
    accept: &dyn Fn(&Header) -> Result<(), String>,
    on_bytes: OnBytes<'_>,
) -> StoreResult<(Index, Header, BundleManifest)> {
    let (file, length) = format::open(source)?;
    let database = home.database(&pointer.index_id, &pointer.build);
    // Set before there is anything to sweep away.
    let reader_lock_path = home.reader_lock_path(&pointer.index_id, &pointer.build);
    let reader_lock = ReaderLock::acquire_shared(&reader_lock_path)?;
    let taken = (|| {
        super::durable::begin(&reader_lock_path)?;
        let target = create_private(&database).map_err(io_error("create", &database))?;
        let (header, manifest) =
            format::read(file, length, (&target, &database), accept, on_bytes)?;
        drop(target);
        check::check(&database, &manifest)?;
        let mut index = Index::open_new(home, pointer.clone())?;
        let id = pointer.index_id.clone();
        let mut writer = index.writer()?;
        writer.set_meta("index_id", &id)?;
        writer.commit(true)?;
        index.checkpoint(false);
        Ok((index, header, manifest))
    })();
    if taken.is_err() {
        super::remove::discard(home, pointer);
    }
    drop(reader_lock);
    taken
}

/// Creates a file for this user alone; one that is there is an error.
fn create_private(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn refused(what: impl Into<String>) -> StoreError {
    StoreError::Bundle { what: what.into() }
}
