//! The chunks of a file and their words.
//!
//! An edit leaves most chunks of a file as they were: those keep their row in the text index, which costs more to write
//! than all else.

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
            self.forget_chunk(id)?;
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
            write.execute(rusqlite::params![
                kept,
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
                let id = self.tx().last_insert_rowid();
                text.execute((id, symbol, signature, doc, body, path))?;
            }
        }
        Ok(())
    }

    /// Removes the chunks of a file. The text index has no foreign keys: its rows go by hand.
    pub(super) fn forget_chunks(&mut self, file: FileId) -> rusqlite::Result<()> {
        self.tx()
            .prepare_cached(
                "DELETE FROM text WHERE rowid IN (SELECT id FROM chunk WHERE file = ?1)",
            )?
            .execute([file])?;
        let n_gone = self
            .tx()
            .prepare_cached("DELETE FROM chunk WHERE file = ?1")?
            .execute([file])?;
        self.n_dead_chunks += n_gone as u64;
        Ok(())
    }

    fn forget_chunk(&mut self, id: ChunkId) -> rusqlite::Result<()> {
        for statement in [
            "DELETE FROM text WHERE rowid = ?1",
            "DELETE FROM chunk WHERE id = ?1",
        ] {
            self.tx().prepare_cached(statement)?.execute([id])?;
        }
        self.n_dead_chunks += 1;
        Ok(())
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
