//! Facts and configuration files as they are kept: packed, so that linking never parses a file again
//! and resolving never reads the disk.
//!
//! Packing is postcard, then zstd. Refuses to know what the facts mean.

use rusqlite::OptionalExtension as _;

use super::{Doing, Read, StoreResult};
use crate::model::{FileFacts, RepoPath};

/// The most that one packed value may unpack to, in bytes: four times the largest file that is indexed,
/// so that a hostile index cannot fill the memory.
const MAX_UNPACKED_BYTES: usize = 8 << 20;

/// Returns the facts without the texts that the symbol rows hold anyway (signature and doc), packed.
pub fn pack_facts(facts: &FileFacts) -> Vec<u8> {
    let mut slim = facts.clone();
    for symbol in &mut slim.symbols {
        symbol.signature.clear();
        symbol.doc.clear();
    }
    let plain = postcard::to_stdvec(&slim).expect("facts hold only what postcard can write");
    pack(&plain)
}

/// Returns `bytes` packed.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, 1).expect("compressing into memory cannot fail")
}

/// Returns what was packed; `None` for damaged data or more than the bound.
pub fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    zstd::bulk::decompress(packed, MAX_UNPACKED_BYTES).ok()
}

impl Read<'_> {
    /// Returns the facts of a file, with empty signatures and docs; `None` if it has none.
    pub fn facts(&self, file: i64) -> StoreResult<Option<FileFacts>> {
        let packed: Option<Vec<u8>> = self
            .tx
            .prepare_cached("SELECT packed FROM facts WHERE file = ?1")
            .and_then(|mut statement| statement.query_row([file], |row| row.get(0)).optional())
            .doing("reading facts")?;
        Ok(packed
            .and_then(|packed| unpack(&packed))
            .and_then(|plain| postcard::from_bytes(&plain).ok()))
    }

    /// Returns every configuration file of the repository with its bytes, sorted by path.
    pub fn configs(&self) -> StoreResult<Vec<(RepoPath, Vec<u8>)>> {
        let rows: Vec<(RepoPath, Vec<u8>)> = self
            .tx
            .prepare_cached("SELECT f.path, c.packed FROM config c JOIN file f ON f.id = c.file ORDER BY f.path")
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| Ok((super::files::path(row, 0)?, row.get(1)?)))?
                    .collect()
            })
            .doing("reading configuration files")?;
        Ok(rows
            .into_iter()
            .filter_map(|(path, packed)| Some((path, unpack(&packed)?)))
            .collect())
    }
}
