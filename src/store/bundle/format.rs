//! The bytes of a bundle.
//!
//! ```text
//! "codelens-bundle\n"                     16 bytes
//! version of this format                   4 bytes, little-endian
//! length of the header                     4 bytes, little-endian
//! the header                               JSON
//! one zstd frame: manifest, then database  as long as the header declares
//! BLAKE3 of all that stands before         32 bytes
//! ```
//!
//! The manifest has for each file the hash of its bytes in hexadecimal, a blank, its path and a NUL.
//!
//! Of a difference (`base` in the header) the frame is compressed with the unpacked frame of another bundle as its prefix, as `zstd
//! --patch-from` does it.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{BundleManifest, OnBytes, refused};
use crate::model::{CommitId, ContentId, RepoPath};
use crate::store::{SCHEMA_VERSION, StoreError, StoreResult, io_error};

const MAGIC: &[u8; 16] = b"codelens-bundle\n";

const FORMAT: u32 = 1;

/// How much stands before the header and behind the frame.
const FRAME_BYTES: u64 = 16 + 4 + 4 + 32;

const MAX_HEADER_BYTES: u32 = 64 << 10;
const MAX_MANIFEST_BYTES: u64 = 256 << 20;

/// The largest database that is put in a bundle, or taken out of one.
pub const MAX_DATABASE_BYTES: u64 = 8 << 30;

/// How hard zstd tries.
pub(super) const LEVEL: i32 = 9;

/// The same for a bundle that is read a moment later and deleted.
pub(super) const TRANSIENT_LEVEL: i32 = 1;

/// The most memory that the window of unpacking may take: 16 MiB, four times the window of [`LEVEL`].
const MAX_WINDOW_LOG: u32 = 24;

/// The same for a difference, whose window reaches back over the frame that it is of: 128 MiB.
const MAX_PREFIX_WINDOW_LOG: u32 = 27;

/// The longest frame, unpacked, that differences are made of and against: both are held in memory.
pub const MAX_PREFIX_BYTES: u64 = 64 << 20;

const PIECE_BYTES: usize = 256 << 10;

/// The header of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Header {
    /// A name for the layout of the tables and the meaning of the facts: only a version with the same one can
    /// use the index.
    pub layout: String,
    /// The layout of the tables alone.
    pub schema_version: i64,
    /// The commit that was checked out, with nothing changed.
    pub commit: String,
    /// The clone family (see `Repo::clone_family` in `git`); `None` where it could not be told.
    #[serde(rename = "family")]
    pub clone_family: Option<String>,
    /// How many files are indexed.
    pub n_files: u64,
    /// How long the manifest is, unpacked.
    pub manifest_bytes: u64,
    /// How long the database is, unpacked.
    pub database_bytes: u64,
    /// Of a difference the digest of the bundle that it is against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

impl Header {
    /// Returns how long the frame is, unpacked.
    pub(super) fn frame_bytes(&self) -> u64 {
        self.manifest_bytes.saturating_add(self.database_bytes)
    }
}

/// Returns a manifest as it is written.
pub(super) fn listed(manifest: &BundleManifest) -> Vec<u8> {
    let mut out = Vec::new();
    for (path, content) in manifest {
        let hex = blake3::Hash::from_bytes(*content.as_bytes()).to_hex();
        out.extend_from_slice(hex.as_bytes());
        out.push(b' ');
        out.extend_from_slice(path.as_str().as_bytes());
        out.push(0);
    }
    out
}

/// Writes a bundle. Returns its digest in hexadecimal and its size.
pub(super) fn write(
    out: &File,
    header: &Header,
    (manifest, database): (&[u8], &mut dyn Read),
    level: i32,
    on_bytes: OnBytes<'_>,
) -> io::Result<(String, u64)> {
    write_frame(out, header, |out| {
        let mut frame = zstd::stream::write::Encoder::new(out, level)?;
        frame.include_checksum(false)?;
        frame.write_all(manifest)?;
        let n_bytes = copy(database, &mut frame, header.database_bytes, on_bytes)?;
        if n_bytes != header.database_bytes {
            return Err(io::Error::other("the index changed its size meanwhile"));
        }
        frame.finish().map(drop)
    })
}

/// Writes a bundle whose unpacked frame is `frame`, as the difference to that of another one. Returns its digest in hexadecimal and its size.
pub(super) fn write_difference(
    out: &File,
    header: &Header,
    frame: &[u8],
    prefix: &[u8],
) -> io::Result<(String, u64)> {
    write_frame(out, header, |out| {
        let mut packed = zstd::stream::write::Encoder::with_ref_prefix(out, LEVEL, prefix)?;
        packed.include_checksum(false)?;
        packed.long_distance_matching(true)?;
        packed.window_log(MAX_PREFIX_WINDOW_LOG)?;
        packed.set_pledged_src_size(Some(frame.len() as u64))?;
        packed.write_all(frame)?;
        packed.finish().map(drop)
    })
}

/// Writes what stands around a frame, and the frame by `write`.
fn write_frame(
    out: &File,
    header: &Header,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<(String, u64)> {
    let json = serde_json::to_vec(header).map_err(io::Error::other)?;
    let length = u32::try_from(json.len()).map_err(io::Error::other)?;
    let mut out = Hashed::of(BufWriter::new(out));
    out.write_all(MAGIC)?;
    out.write_all(&FORMAT.to_le_bytes())?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&json)?;
    write(&mut out)?;
    let digest = out.hasher.finalize();
    out.inner.write_all(digest.as_bytes())?;
    out.inner.flush()?;
    Ok((digest.to_hex().to_string(), out.n_bytes + 32))
}

/// Returns the header of a bundle, before anything in it is proved.
pub fn header(path: &Path) -> StoreResult<Header> {
    let (file, length) = open(path)?;
    begin(&mut BufReader::new(file), length).map(|(header, _)| header)
}

/// Opens a bundle. Returns its length too.
pub(super) fn open(path: &Path) -> StoreResult<(File, u64)> {
    let failed = || io_error("read the bundle", path);
    // Looked at before it is opened: a pipe would be waited for.
    let meta = path.metadata().map_err(failed())?;
    if !meta.is_file() {
        return Err(refused("it is no regular file"));
    }
    Ok((File::open(path).map_err(failed())?, meta.len()))
}

/// Reads up to the frame. Returns the header and how long the frame is.
fn begin(source: &mut dyn Read, length: u64) -> StoreResult<(Header, u64)> {
    let mut begin = [0; 24];
    source.read_exact(&mut begin).map_err(cut_off)?;
    let number =
        |at: usize| u32::from_le_bytes([begin[at], begin[at + 1], begin[at + 2], begin[at + 3]]);
    if begin[..16] != *MAGIC {
        return Err(refused("it is no bundle of codelens"));
    }
    if number(16) != FORMAT {
        return Err(refused(format!(
            "its format is {}, this version knows {FORMAT}",
            number(16)
        )));
    }
    let header_bytes = number(20);
    if header_bytes > MAX_HEADER_BYTES || u64::from(header_bytes) + FRAME_BYTES > length {
        return Err(refused("its header is longer than one can be"));
    }
    let mut json = vec![0; header_bytes as usize];
    source.read_exact(&mut json).map_err(cut_off)?;
    let header: Header =
        serde_json::from_slice(&json).map_err(|_| refused("its header says nothing"))?;
    let packed_bytes = length - FRAME_BYTES - u64::from(header_bytes);
    check_header(&header, packed_bytes)?;
    Ok((header, packed_bytes))
}

fn cut_off(_: io::Error) -> StoreError {
    refused("it is cut off")
}

/// Reads a bundle of `length` bytes, its database into `target`. A fault is noticed at the latest when the digest is
/// compared; until then the data is written to `target` and used for nothing else, and never more than was declared.
pub(super) fn read(
    file: File,
    length: u64,
    (target, place): (&File, &Path),
    accept: &dyn Fn(&Header) -> Result<(), String>,
    on_bytes: OnBytes<'_>,
) -> StoreResult<(Header, BundleManifest)> {
    let take = |header: &Header, frame: &mut dyn Read| {
        let mut manifest = Vec::new();
        let n_bytes = (&mut *frame)
            .take(header.manifest_bytes)
            .read_to_end(&mut manifest)
            .map_err(unreadable)?;
        if n_bytes as u64 != header.manifest_bytes {
            return Err(refused("its manifest is shorter than declared"));
        }
        let mut target = BufWriter::new(target);
        // One byte more than declared is enough to know.
        let mut rest = frame.take(header.database_bytes + 1);
        let n_bytes = copy(&mut rest, &mut target, header.database_bytes, on_bytes)
            .and_then(|n_bytes| target.flush().map(|()| n_bytes))
            .map_err(|error| match error.raw_os_error() {
                Some(_) => io_error("unpack the bundle", place)(error),
                None => unreadable(error),
            })?;
        if n_bytes != header.database_bytes {
            return Err(refused("its index is not as long as declared"));
        }
        Ok(manifest)
    };
    let (header, manifest) = read_frame((file, length), None, accept, take)?;
    let manifest = unlisted(&manifest)
        .ok_or_else(|| refused("its manifest has no files, or paths that leave the repository"))?;
    if manifest.len() as u64 != header.n_files {
        return Err(refused(
            "its manifest has another number of files than declared",
        ));
    }
    Ok((header, manifest))
}

/// Returns the header and the unpacked frame of a bundle of at most [`MAX_PREFIX_BYTES`]; with `prefix` of a difference to that frame.
pub(super) fn unpacked(path: &Path, prefix: Option<&[u8]>) -> StoreResult<(Header, Vec<u8>)> {
    let accept = |header: &Header| {
        if header.frame_bytes() > MAX_PREFIX_BYTES {
            return Err("it is too long for a difference".to_owned());
        }
        Ok(())
    };
    let take = |header: &Header, frame: &mut dyn Read| {
        let mut bytes = Vec::new();
        let n_bytes = frame
            .take(header.frame_bytes() + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        if n_bytes as u64 != header.frame_bytes() {
            return Err(refused("it is not as long as declared"));
        }
        Ok(bytes)
    };
    read_frame(open(path)?, prefix, &accept, take)
}

/// Reads a bundle: its header, which `accept` is asked about, its frame by `take`, and what has to stand behind that.
fn read_frame<T>(
    (file, length): (File, u64),
    prefix: Option<&[u8]>,
    accept: &dyn Fn(&Header) -> Result<(), String>,
    take: impl FnOnce(&Header, &mut dyn Read) -> StoreResult<T>,
) -> StoreResult<(Header, T)> {
    let mut source = Hashed::of(BufReader::new(file));
    let (header, packed_bytes) = begin(&mut source, length)?;
    accept(&header).map_err(refused)?;
    if header.base.is_some() != prefix.is_some() {
        return Err(refused(match prefix {
            None => "it holds the difference to another bundle alone",
            Some(_) => "it is whole, and no difference to another bundle",
        }));
    }
    let packed = BufReader::with_capacity(PIECE_BYTES, source.by_ref().take(packed_bytes));
    let (mut frame, window_log) = match prefix {
        None => (
            zstd::stream::read::Decoder::with_buffer(packed).map_err(unreadable)?,
            MAX_WINDOW_LOG,
        ),
        Some(prefix) => (
            zstd::stream::read::Decoder::with_ref_prefix(packed, prefix).map_err(unreadable)?,
            MAX_PREFIX_WINDOW_LOG,
        ),
    };
    frame = frame.single_frame();
    frame.window_log_max(window_log).map_err(unreadable)?;
    let taken = take(&header, &mut frame)?;
    let mut packed = frame.finish();
    if !packed.fill_buf().map_err(cut_off)?.is_empty() {
        return Err(refused("there is more in it than declared"));
    }
    drop(packed);
    let digest = source.hasher.finalize();
    let mut noted = [0; 32];
    source.inner.read_exact(&mut noted).map_err(cut_off)?;
    if digest != blake3::Hash::from_bytes(noted) {
        return Err(refused("it is damaged: its digest is another"));
    }
    Ok((header, taken))
}

fn unreadable(_: io::Error) -> StoreError {
    refused("it is damaged: it cannot be unpacked")
}

/// Refuses a header that this version can't read, or whose declared sizes are impossible.
fn check_header(header: &Header, packed_bytes: u64) -> StoreResult<()> {
    if header.schema_version != SCHEMA_VERSION {
        return Err(refused(format!(
            "its tables have schema {}, this version has {SCHEMA_VERSION}",
            header.schema_version
        )));
    }
    if CommitId::new(&header.commit).is_none() {
        return Err(refused("it names no commit"));
    }
    if header.database_bytes > MAX_DATABASE_BYTES || header.manifest_bytes > MAX_MANIFEST_BYTES {
        return Err(refused(format!(
            "it declares {} bytes, more than one may hold",
            header.database_bytes.saturating_add(header.manifest_bytes)
        )));
    }
    let declared = header.database_bytes + header.manifest_bytes;
    if packed_bytes > declared + declared / 64 + 4_096 {
        return Err(refused("it is longer than what it declares"));
    }
    Ok(())
}

/// Returns the files of a manifest, or `None` unless it is exactly as [`listed`] writes it: valid paths, each once,
/// sorted.
fn unlisted(text: &[u8]) -> Option<BundleManifest> {
    let mut manifest: BundleManifest = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.iter().position(|byte| *byte == 0) {
        let line = std::str::from_utf8(&rest[..end]).ok()?;
        rest = &rest[end + 1..];
        let (hex, path) = line.split_once(' ')?;
        let content = ContentId::from_bytes(blake3::Hash::from_hex(hex).ok()?.as_bytes())?;
        let path = RepoPath::new(path)?;
        if manifest.last().is_some_and(|(last, _)| *last >= path) {
            return None;
        }
        manifest.push((path, content));
    }
    rest.is_empty().then_some(manifest)
}

fn copy(
    from: &mut dyn Read,
    to: &mut dyn Write,
    total: u64,
    on_bytes: OnBytes<'_>,
) -> io::Result<u64> {
    let mut piece = vec![0; PIECE_BYTES];
    let mut done = 0;
    loop {
        let n = from.read(&mut piece)?;
        if n == 0 {
            return Ok(done);
        }
        done += n as u64;
        if done > total {
            return Ok(done);
        }
        to.write_all(&piece[..n])?;
        on_bytes(done)?;
    }
}

/// A reader that hashes and counts the bytes that pass through it.
struct Hashed<T> {
    inner: T,
    hasher: blake3::Hasher,
    n_bytes: u64,
}

impl<T> Hashed<T> {
    fn of(inner: T) -> Self {
        Self {
            inner,
            hasher: blake3::Hasher::new(),
            n_bytes: 0,
        }
    }

    fn pass(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.n_bytes += bytes.len() as u64;
    }
}

impl<T: Write> Write for Hashed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(bytes)?;
        self.pass(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Hashed<T> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(into)?;
        self.pass(&into[..n]);
        Ok(n)
    }
}
