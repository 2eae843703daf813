//! The file of a frozen build: a header that names the base by its digest, then one zstd frame.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

const MAGIC: &[u8; 8] = b"CLFROZE1";

/// The beginning of a frozen build: [`MAGIC`], two digests (BLAKE3, 32 bytes), a length (8 bytes, the lowest first).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrozenHeader {
    pub(super) base: [u8; 32],
    pub(super) database: [u8; 32],
    pub(super) n_bytes: u64,
}

/// Returns the bytes that the database of a frozen build has; `None` where the file is none.
pub(super) fn bytes_awake(path: &Path) -> Option<u64> {
    let mut file = File::open(path).ok()?;
    Some(FrozenHeader::read(&mut file).ok()??.n_bytes)
}

/// Returns the name of the base that a frozen build is the difference to; `None` where the file is no frozen build.
pub(super) fn base_of(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let header = FrozenHeader::read(&mut file).ok()??;
    Some(base_name(&header.base))
}

/// Returns whether a name in the directory of a repository is that of a base.
pub(super) fn is_base(name: &str) -> bool {
    base_digest(Path::new(name)).is_some()
}

/// Returns the name of the base with a digest.
pub(super) fn base_name(digest: &[u8; 32]) -> String {
    let hex = blake3::Hash::from_bytes(*digest).to_hex();
    format!("base-{hex}.db")
}

/// Returns the digest in the name of a base; `None` where it is another name.
pub(super) fn base_digest(path: &Path) -> Option<[u8; 32]> {
    let name = path.file_name()?.to_str()?;
    let hex = name.strip_prefix("base-")?.strip_suffix(".db")?;
    Some(*blake3::Hash::from_hex(hex).ok()?.as_bytes())
}

/// Reads until a buffer is full or there is no more. Returns how many bytes there were.
pub(super) fn read_full(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut n = 0;
    while n < buffer.len() {
        match from.read(&mut buffer[n..]) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(n)
}

impl FrozenHeader {
    /// Its length.
    pub(super) const BYTES: usize = 8 + 32 + 32 + 8;

    /// Returns it as it is written.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let n_bytes = self.n_bytes.to_le_bytes();
        [&MAGIC[..], &self.base, &self.database, &n_bytes].concat()
    }

    /// Reads a header; `None` where there is another one, or none.
    pub(super) fn read(file: &mut File) -> io::Result<Option<Self>> {
        let mut bytes = [0; Self::BYTES];
        let n = read_full(file, &mut bytes)?;
        let rest = bytes.strip_prefix(MAGIC).filter(|_| n == Self::BYTES);
        let parts = rest.and_then(|rest| {
            let (base, rest) = rest.split_first_chunk()?;
            let (database, rest) = rest.split_first_chunk()?;
            Some((base, database, rest.first_chunk()?))
        });
        Ok(parts.map(|(base, database, n_bytes)| Self {
            base: *base,
            database: *database,
            n_bytes: u64::from_le_bytes(*n_bytes),
        }))
    }
}
