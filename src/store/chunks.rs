//! The chunks of a file and their words.
//!
//! An edit leaves most chunks of a file as they were: those keep their row in the text index, which costs more to write
//! than all else.
//!
//! The text index writes a segment, to be merged later, at each row whose id is below the one before. So the ids of a transaction rise:
//! new rows have the highest ids, and rows that go are deleted at its end, in order.
//! See `sqlite3Fts5IndexBeginWrite` in SQLite's `fts5_index.c`.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::Writer;
use super::chunk_rows::{runs_of, stored_chunks};
use super::packed_chunks::{ChunkOwner, ChunkRun, StoredChunk, pack, runs};
use crate::model::{ChunkId, ChunkKind, FileId, Handle, HandleKind, Span};

/// A chunk ready to be written.
#[derive(Clone, Debug)]
pub struct PreparedChunk {
    /// The hash of its handle: where it has a symbol, that of [`part_handle`](crate::model::handles::part_handle).
    pub handle: u64,
    /// The kind.
    pub kind: ChunkKind,
    /// Where it is.
    pub span: Span,
    /// The place of its symbol in the file.
    pub symbol: Option<u32>,
    /// Which part of it.
    pub part: u32,
    /// The columns of the text index: symbol, signature, doc, body, path.
    pub columns: [String; 5],
    /// The digest of all but the path.
    pub digest: i64,
}

/// Returns the digest of a chunk's text, its path left out: equal ones make equal rows of the text index in one file,
/// and are the same words in two.
pub fn digest([symbol, signature, doc, body, _]: &[String; 5]) -> i64 {
    let mut hasher = blake3::Hasher::new();
    for column in [symbol, signature, doc, body] {
        hasher.update(&(column.len() as u64).to_le_bytes());
        hasher.update(column.as_bytes());
    }
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    i64::from_le_bytes(bytes)
}

impl PreparedChunk {
    fn stored(&self, id: ChunkId) -> StoredChunk {
        let handle = Handle {
            kind: HandleKind::Chunk,
            hash: self.handle,
        };
        let nobody = || ChunkOwner::Nobody(handle.own_bits());
        StoredChunk {
            id,
            kind: self.kind,
            owner: self.symbol.map_or_else(nobody, ChunkOwner::Symbol),
            part: self.part,
            span: self.span,
            digest: self.digest,
        }
    }
}

impl Writer<'_> {
    /// Writes the chunks of a file in the place of those that are known of it.
    pub(super) fn write_chunks(
        &mut self,
        file: FileId,
        chunks: &[PreparedChunk],
        is_known: bool,
    ) -> rusqlite::Result<()> {
        let mut next = self.next_chunk()?;
        let mut before = Vec::new();
        if is_known {
            before = stored_chunks(self.tx(), file)?;
        }
        let runs_before = runs(&before);
        // Of equal ones the lowest id is taken first.
        before.sort_unstable_by_key(|chunk| Reverse(chunk.id));
        let mut known: HashMap<i64, Vec<ChunkId>> = HashMap::new();
        for chunk in before {
            known.entry(chunk.digest).or_default().push(chunk.id);
        }
        let mut stored = Vec::with_capacity(chunks.len());
        let mut text = self.tx().prepare_cached(
            "INSERT INTO text(rowid, symbol, signature, doc, body, path) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for chunk in chunks {
            let kept = known.get_mut(&chunk.digest).and_then(Vec::pop);
            let id = kept.unwrap_or_else(|| ChunkId::new(next));
            if kept.is_none() {
                let [symbol, signature, doc, body, path] = &chunk.columns;
                text.execute((id, symbol, signature, doc, body, path))?;
                next += 1;
            }
            stored.push(chunk.stored(id));
        }
        drop(text);
        self.next_chunk = Some(next);
        self.dead_chunks.extend(known.into_values().flatten());
        let runs = runs(&stored);
        if runs != runs_before {
            self.delete_runs(&runs_before)?;
            let mut insert = self
                .tx()
                .prepare_cached("INSERT INTO chunk_run(first, n, file) VALUES(?1, ?2, ?3)")?;
            for (first, n) in runs {
                insert.execute((first, n, file))?;
            }
        }
        if stored.is_empty() {
            self.tx()
                .prepare_cached("DELETE FROM chunk WHERE file = ?1")?
                .execute([file])?;
        } else {
            self.tx()
                .prepare_cached(
                    "INSERT INTO chunk(file, packed) VALUES(?1, ?2) ON CONFLICT(file) DO UPDATE SET packed = excluded.packed",
                )?
                .execute((file, pack(&stored)))?;
        }
        Ok(())
    }

    fn delete_runs(&self, runs: &[ChunkRun]) -> rusqlite::Result<()> {
        let mut delete = self
            .tx()
            .prepare_cached("DELETE FROM chunk_run WHERE first = ?1")?;
        for (first, _) in runs {
            delete.execute([first])?;
        }
        Ok(())
    }

    /// Returns the first id above those of all chunks that were there when the transaction began or came since.
    fn next_chunk(&mut self) -> rusqlite::Result<i64> {
        if let Some(known) = self.next_chunk {
            return Ok(known);
        }
        let next = self
            .tx()
            .prepare_cached(
                "SELECT ifnull((SELECT first + n FROM chunk_run ORDER BY first DESC LIMIT 1), 1)",
            )?
            .query_row([], |row| row.get(0))?;
        self.next_chunk = Some(next);
        Ok(next)
    }

    /// Removes the words of the chunks of a file that goes, and the runs of their ids.
    pub(super) fn forget_chunks(&mut self, file: FileId) -> rusqlite::Result<()> {
        // Before they go: their ids must not be given again while their words stand.
        self.next_chunk()?;
        let gone = runs_of(self.tx(), file)?;
        self.delete_runs(&gone)?;
        let ids = gone
            .into_iter()
            .flat_map(|(first, n)| first..first + i64::from(n));
        self.dead_chunks.extend(ids.map(ChunkId::new));
        Ok(())
    }

    /// Deletes the words of the chunks that went: the text index has no foreign keys. Returns how many went.
    pub(super) fn delete_dead_texts(&mut self) -> rusqlite::Result<usize> {
        let mut dead = std::mem::take(&mut self.dead_chunks);
        dead.sort_unstable();
        let mut delete = self
            .tx()
            .prepare_cached("DELETE FROM text WHERE rowid = ?1")?;
        for id in &dead {
            delete.execute([id])?;
        }
        Ok(dead.len())
    }
}

#[cfg(test)]
mod tests {
    use super::digest;

    #[test]
    fn what_moves_from_one_column_to_another_is_another_chunk() {
        let of = |columns: [&str; 5]| digest(&columns.map(str::to_owned));
        assert_eq!(of(["a", "", "", "b", ""]), of(["a", "", "", "b", ""]));
        assert_ne!(of(["a", "", "", "b", ""]), of(["", "a", "", "b", ""]));
        assert_ne!(of(["ab", "c", "", "", ""]), of(["a", "bc", "", "", ""]));
        assert_eq!(of(["a", "", "", "b", "c"]), of(["a", "", "", "b", "d"]));
    }
}
