//! The chunks of a file and their words.
//!
//! An edit leaves most chunks of a file as they were: those keep their row in the text index, which costs more to write
//! than all else.
//!
//! The text index writes a segment, to be merged later, at each row whose id is below the one before. So the ids of a transaction rise:
//! new rows have the highest ids, and rows that go are deleted at its end, in order.
//! See `sqlite3Fts5IndexBeginWrite` in SQLite's `fts5_index.c`.

use std::collections::HashMap;

use super::{Writer, write::index};
use crate::model::{ChunkId, ChunkKind, FileId, Span};

/// A chunk ready to be written.
#[derive(Clone, Debug)]
pub struct PreparedChunk {
    /// The hash of its handle.
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

impl Writer<'_> {
    /// Writes the chunks of a file in the place of those that are known of it.
    pub(super) fn write_chunks(
        &mut self,
        file: FileId,
        chunks: &[PreparedChunk],
        is_known: bool,
    ) -> rusqlite::Result<()> {
        let mut next = self.next_chunk()?;
        let mut known: HashMap<i64, Vec<ChunkId>> = HashMap::new();
        if is_known {
            let mut statement = self
                .tx()
                .prepare_cached("SELECT digest, id FROM chunk WHERE file = ?1 ORDER BY id DESC")?;
            let mut rows = statement.query([file])?;
            while let Some(row) = rows.next()? {
                known.entry(row.get(0)?).or_default().push(row.get(1)?);
            }
        }
        let kept: Vec<Option<ChunkId>> = chunks
            .iter()
            .map(|chunk| known.get_mut(&chunk.digest).and_then(Vec::pop))
            .collect();
        for id in known.into_values().flatten() {
            self.tx()
                .prepare_cached("DELETE FROM chunk WHERE id = ?1")?
                .execute([id])?;
            self.dead_chunks.push(id);
        }
        let mut write = self.tx().prepare_cached(
            "INSERT INTO chunk(id, file, ordinal, handle, kind, symbol, part, start_line, end_line, start_byte, end_byte, digest)
             VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
             ON CONFLICT(id) DO UPDATE SET ordinal = excluded.ordinal, handle = excluded.handle, kind = excluded.kind,
               symbol = excluded.symbol, part = excluded.part, start_line = excluded.start_line, end_line = excluded.end_line,
               start_byte = excluded.start_byte, end_byte = excluded.end_byte",
        )?;
        let mut text = self.tx().prepare_cached(
            "INSERT INTO text(rowid, symbol, signature, doc, body, path) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for (ordinal, (chunk, kept)) in chunks.iter().zip(kept).enumerate() {
            let id = kept.unwrap_or_else(|| ChunkId::new(next));
            write.execute(rusqlite::params![
                id,
                file,
                index(ordinal),
                chunk.handle.cast_signed(),
                chunk.kind.code(),
                chunk.symbol,
                chunk.part,
                chunk.span.start_line,
                chunk.span.end_line,
                chunk.span.start_byte,
                chunk.span.end_byte,
                chunk.digest,
            ])?;
            if kept.is_none() {
                let [symbol, signature, doc, body, path] = &chunk.columns;
                text.execute((id, symbol, signature, doc, body, path))?;
                next += 1;
            }
        }
        drop((write, text));
        self.next_chunk = Some(next);
        Ok(())
    }

    /// Returns the first id above those of all chunks that were there when the transaction began or came since.
    fn next_chunk(&mut self) -> rusqlite::Result<i64> {
        if let Some(known) = self.next_chunk {
            return Ok(known);
        }
        let next = self
            .tx()
            .prepare_cached("SELECT ifnull(max(id), 0) + 1 FROM chunk")?
            .query_row([], |row| row.get(0))?;
        self.next_chunk = Some(next);
        Ok(next)
    }

    /// Removes the chunks of a file.
    pub(super) fn forget_chunks(&mut self, file: FileId) -> rusqlite::Result<()> {
        // Before they go: their ids must not be given again while their words stand.
        self.next_chunk()?;
        let gone: Vec<ChunkId> = self
            .tx()
            .prepare_cached("SELECT id FROM chunk WHERE file = ?1")?
            .query_map([file], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        self.tx()
            .prepare_cached("DELETE FROM chunk WHERE file = ?1")?
            .execute([file])?;
        self.dead_chunks.extend(gone);
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
