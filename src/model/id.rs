//! Identifiers as types of their own, so that one can't stand where another belongs.

use std::fmt;

use super::RepoPath;

/// A commit's object name in lower-case hexadecimal: 40 digits (SHA-1) or 64 (SHA-256).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitId(String);

impl CommitId {
    /// Returns the identifier, or `None` if `hex` is not 40 or 64 lower-case hexadecimal digits.
    pub fn new(hex: &str) -> Option<Self> {
        let fine = matches!(hex.len(), 40 | 64)
            && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        fine.then(|| Self(hex.to_owned()))
    }

    /// Returns the identifier whose 20 or 32 bytes these are; `None` for another length.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        use std::fmt::Write as _;
        let mut hex = String::with_capacity(2 * bytes.len());
        for byte in bytes {
            let _ = write!(hex, "{byte:02x}");
        }
        Self::new(&hex)
    }

    /// Returns the 20 or 32 bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let digit = |c: u8| if c <= b'9' { c - b'0' } else { c - b'a' + 10 };
        let pairs = self.0.as_bytes().chunks_exact(2);
        pairs
            .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
            .collect()
    }

    /// Returns the hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the first 9 digits, for people.
    pub fn short(&self) -> &str {
        &self.0[..9]
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The BLAKE3 hash of the bytes of a file as they are on disk (before any of git's conversions).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId([u8; 32]);

impl ContentId {
    /// Returns the identifier of `bytes`. Costs about 0.6 ms a megabyte.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Returns the identifier whose 32 bytes these are; `None` for another length.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Returns the 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in &self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in &self.0[..6] {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// Git's name of the bytes of a file: 20 bytes (SHA-1) or 32 (SHA-256).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobId {
    len: u8,
    bytes: [u8; 32],
}

impl BlobId {
    /// Returns the identifier whose 20 or 32 bytes these are; `None` for another length.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if !matches!(bytes.len(), 20 | 32) {
            return None;
        }
        let mut padded = [0; 32];
        padded[..bytes.len()].copy_from_slice(bytes);
        let len = u8::try_from(bytes.len()).ok()?;
        Some(Self { len, bytes: padded })
    }

    /// Returns the 20 or 32 bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in &self.bytes[..6] {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// The kind of object that a [`Handle`] names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandleKind {
    /// `chk_…`: a chunk.
    Chunk,
    /// `sym_…`: a symbol.
    Symbol,
}

/// The 64-bit name of a symbol or a chunk that stays when lines above it move, on another branch and
/// on another machine. On the wire `sym_` or `chk_` and 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle {
    /// The kind of object.
    pub kind: HandleKind,
    /// The hash.
    pub hash: u64,
}

/// Bits of a handle that tell its file. Files share them, of a few hundred two already, so the other bits are of the path, too: two of a
/// million symbols are alike in one repository of thirty million.
const FILE_BITS: u32 = 16;

impl Handle {
    /// Returns the handle of the parts in a file. Parts are hashed with their lengths so that no two lists of
    /// them collide by concatenation. The first bits are the same for all of a file: no index of handles is needed
    /// to find one.
    pub fn of(kind: HandleKind, path: &RepoPath, parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in std::iter::once(&path.as_str().as_bytes()).chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self::of_bits(kind, Self::file_bits_of(path), first(&hasher) >> FILE_BITS)
    }

    /// Returns the bits with which the handles of a file begin. Costs about 0.1 µs.
    pub fn file_bits_of(path: &RepoPath) -> u64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(path.as_str().as_bytes());
        first(&hasher) >> (u64::BITS - FILE_BITS)
    }

    /// Returns [`Self::file_bits_of`] the file that it is of.
    pub fn file_bits(self) -> u64 {
        self.hash >> (u64::BITS - FILE_BITS)
    }

    /// Returns the bits of the handle that do not tell its file.
    pub fn own_bits(self) -> u64 {
        self.hash & (u64::MAX >> FILE_BITS)
    }

    /// Returns the handle with the bits of a file, as [`Self::file_bits_of`] returns them, and with others, as [`Self::own_bits`] does.
    pub fn of_bits(kind: HandleKind, file_bits: u64, own_bits: u64) -> Self {
        Self {
            kind,
            hash: file_bits << (u64::BITS - FILE_BITS) | own_bits,
        }
    }

    /// Returns the handle written as `text`; `None` where it is no `sym_` or `chk_` handle.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, hex) = if let Some(hex) = text.strip_prefix("sym_") {
            (HandleKind::Symbol, hex)
        } else {
            (HandleKind::Chunk, text.strip_prefix("chk_")?)
        };
        let fine = hex.len() == 16 && hex.bytes().all(|b| b.is_ascii_hexdigit());
        let hash = u64::from_str_radix(fine.then_some(hex)?, 16).ok()?;
        Some(Self { kind, hash })
    }
}

fn first(hasher: &blake3::Hasher) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_be_bytes(first)
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = match self.kind {
            HandleKind::Chunk => "chk_",
            HandleKind::Symbol => "sym_",
        };
        write!(f, "{prefix}{:016x}", self.hash)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{CommitId, Handle, HandleKind};
    use crate::model::RepoPath;

    #[test]
    fn a_handle_reads_back_as_itself() {
        let path = RepoPath::new("a.ts").unwrap();
        let of = |parts: &[&[u8]]| Handle::of(HandleKind::Symbol, &path, parts);
        let handle = of(&[b"Store.open"]);
        assert_eq!(Handle::parse(&handle.to_string()), Some(handle));
        assert_ne!(of(&[b"ab", b"c"]), of(&[b"a", b"bc"]));
        for bad in ["", "sym_", "sym_00", "rel:a", "chk_zzzzzzzzzzzzzzzz"] {
            assert_eq!(Handle::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_handle_tells_its_file() {
        let path = |n: u32| RepoPath::new(&format!("src/{n}.ts")).unwrap();
        let handles = |n| [b"f", b"g"].map(|name| Handle::of(HandleKind::Chunk, &path(n), &[name]));
        let mut places = BTreeSet::new();
        let mut all = BTreeSet::new();
        for n in 0..1_000 {
            let [f, g] = handles(n);
            assert_eq!(f.file_bits(), Handle::file_bits_of(&path(n)));
            assert_eq!(f.file_bits(), g.file_bits());
            assert_eq!(Handle::of_bits(f.kind, f.file_bits(), f.own_bits()), f);
            all.extend([f.hash, g.hash]);
            places.insert(f.file_bits());
        }
        // Files whose first bits are alike have other handles all the same.
        assert!((980..1_000).contains(&places.len()), "{}", places.len());
        assert_eq!(all.len(), 2_000);
    }

    #[test]
    fn commit_ids_are_whole_hex() {
        assert!(CommitId::new(&"a".repeat(40)).is_some());
        assert!(CommitId::new(&"a".repeat(64)).is_some());
        assert!(CommitId::new(&"A".repeat(40)).is_none());
        assert!(CommitId::new("abc").is_none());
        let id = CommitId::new(&"0a9f".repeat(10)).unwrap();
        assert_eq!(id.to_bytes()[..2], [0x0a, 0x9f]);
        assert_eq!(CommitId::from_bytes(&id.to_bytes()), Some(id));
        assert!(CommitId::from_bytes(&[1, 2]).is_none());
    }
}
