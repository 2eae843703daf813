//! How alike two files are: the share of bytes in lines that both have, as git counts it for renames.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher as _};

/// Files above this size are not compared.
pub(super) const MAX_BLOB_BYTES: u64 = 1 << 20;

/// A line counts in pieces of so many bytes.
const PIECE_BYTES: usize = 64;

/// The bytes of a file by the lines that they stand in.
#[derive(Debug)]
pub(super) struct Fingerprint {
    pieces: HashMap<u64, u64>,
    n_bytes: u64,
}

impl Fingerprint {
    /// Reads the bytes of a file.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut pieces: HashMap<u64, u64> = HashMap::new();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            for piece in line.chunks(PIECE_BYTES) {
                let piece = match piece {
                    [text @ .., b'\r', b'\n'] => text,
                    piece => piece,
                };
                let mut hasher = DefaultHasher::new();
                hasher.write(piece.strip_suffix(b"\n").unwrap_or(piece));
                *pieces.entry(hasher.finish()).or_default() += piece.len() as u64;
            }
        }
        Self {
            pieces,
            n_bytes: bytes.len() as u64,
        }
    }

    /// Returns the share of the larger file that both have, in thousandths; `None` below a half.
    pub(super) fn similarity(&self, other: &Self) -> Option<u64> {
        let most = self.n_bytes.max(other.n_bytes);
        if most == 0 || self.n_bytes.min(other.n_bytes) * 2 < most {
            return None;
        }
        let common = self.pieces.iter().map(|(piece, n_bytes)| {
            let there = other.pieces.get(piece).copied().unwrap_or_default();
            (*n_bytes).min(there)
        });
        let score = common.sum::<u64>() * 1_000 / most;
        (score >= 500).then_some(score)
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    #[test]
    fn half_of_the_lines_have_to_be_the_same() {
        let score = |one: &str, other: &str| {
            Fingerprint::of(one.as_bytes()).similarity(&Fingerprint::of(other.as_bytes()))
        };
        assert_eq!(score("one\ntwo\n", "two\none\n"), Some(1_000));
        assert_eq!(score("one\ntwo\n", "one\nsix\n"), Some(500));
        assert_eq!(score("one\ntwo\n", "ten\nsix\n"), None);
        assert_eq!(score("one\n", "one\ntwo\nsix\n"), None);
        assert_eq!(score("", ""), None);
    }
}
