//! The link queue: which files have to be linked again, and which stages of it.
//!
//! A file is queued in the transaction that makes it necessary, so that no crash loses it. There are three causes: a name that it
//! looked up means something else ([`super::interface`]), its imports may lead elsewhere (`link::affected_importers`, by the rules in
//! `resolve`), and the files of a unit that it belongs to or imports are others ([`super::units`]).

use super::edges::PreviousTargets;
use super::files::path;
use super::{ErrorContext, Read, StoreResult, Writer};
use crate::ir::ImportKind;
use crate::model::{FileId, ModuleId, RepoPath};

/// The stage that resolves the imports of a file.
pub(super) const IMPORTS: u8 = 1;

/// The stage that binds the names of a file.
pub(super) const NAMES: u8 = 2;

const _: () = assert!(ImportKind::ReExport as u8 == 1);

/// A table of a file (parameter 1) and those that re-export names of it, directly or through others; `more` adds files to
/// each step.
fn with_reexporters(more: &str, query: &str) -> String {
    let reexport = ImportKind::ReExport.code();
    format!(
        "WITH RECURSIVE reexporter(file) AS (
           VALUES(?1)
           UNION SELECT i.file FROM reexporter p CROSS JOIN import i ON i.target = p.file WHERE i.kind = {reexport}
           {more}
         ) {query}"
    )
}

impl Writer<'_> {
    /// Adds rows (file, stages) to the queue; a queued file gets further stages.
    pub(super) fn queue(&self, rows: &str, values: impl rusqlite::Params) -> rusqlite::Result<()> {
        let statement = format!(
            "INSERT INTO link_queue(file, stages) {rows} ON CONFLICT(file) DO UPDATE SET stages = stages | excluded.stages"
        );
        self.tx()
            .prepare_cached(&statement)?
            .execute(values)
            .map(drop)
    }

    /// Takes a file from the queue.
    pub(super) fn dequeue(&self, file: FileId) -> rusqlite::Result<()> {
        let mut statement = self
            .tx()
            .prepare_cached("DELETE FROM link_queue WHERE file = ?1")?;
        statement.execute([file]).map(drop)
    }

    /// Queues a file: its imports are resolved again.
    pub fn queue_imports(&mut self, file: FileId) -> StoreResult<()> {
        self.queue("VALUES(?1, ?2)", (file, IMPORTS))
            .context("writing a row")
    }

    /// Queues the target of an import: its names are bound again. For a template, whose names are members of the class that imports
    /// it: another importer gives them another meaning.
    pub fn queue_import_target(&mut self, file: FileId, ordinal: u32) -> StoreResult<()> {
        let rows = "SELECT target, ?3 FROM import WHERE file = ?1 AND ordinal = ?2 AND target > 0";
        self.queue(rows, (file, ordinal, NAMES))
            .context("writing a row")
    }

    /// Queues every file with imports: they are resolved again.
    pub fn queue_all_imports(&mut self) -> StoreResult<()> {
        self.queue("SELECT DISTINCT file, ?1 FROM import WHERE true", [IMPORTS])
            .context("writing a row")
    }

    /// Queues every file: its imports are resolved and its names are bound again.
    pub fn queue_all(&mut self) -> StoreResult<()> {
        self.queue("SELECT id, ?1 FROM file WHERE true", [IMPORTS | NAMES])
            .context("writing a row")
    }

    /// Notes that the imports of a queued file are resolved. Where their targets are unchanged, the file's names
    /// are not bound again, unless there is another cause.
    pub fn imports_resolved(&mut self, file: FileId, lead_elsewhere: bool) -> StoreResult<()> {
        if !lead_elsewhere {
            self.run(
                "DELETE FROM link_queue WHERE file = ?1 AND stages = ?2",
                (file, IMPORTS),
            )?;
        }
        self.run(
            "UPDATE link_queue SET stages = ?2 WHERE file = ?1",
            (file, NAMES),
        )
    }

    /// Queues the files that depend on `file`, or on a file that re-exports its names: their names are bound again.
    pub fn queue_dependents(&mut self, file: FileId) -> StoreResult<()> {
        self.queue_dependents_on(file.into(), None)
            .context("writing a row")
    }

    /// As [`Self::queue_dependents`]; with a mask only the dependents that looked one of its buckets up. A unit re-exports
    /// the names in a mask alone: of a file that joins or leaves one, the exported names are known.
    pub(super) fn queue_dependents_on(
        &mut self,
        module: ModuleId,
        mask: Option<u64>,
    ) -> rusqlite::Result<()> {
        let units = "UNION SELECT -m.unit FROM reexporter p CROSS JOIN unit_file m ON m.file = p.file WHERE ?2 IS NOT NULL";
        let query = with_reexporters(
            units,
            "SELECT DISTINCT c.file FROM reexporter p CROSS JOIN dependency c ON c.target = p.file WHERE ?2 IS NULL OR c.name_mask & ?2 <> 0",
        );
        // Read first: an `INSERT … SELECT` is a statement that SQLite can take back, before which FTS5 writes its pending words
        // as a segment; of a build that would be one for each file.
        let dependents: Vec<FileId> = self
            .tx()
            .prepare_cached(&query)?
            .query_map((module, mask.map(u64::cast_signed)), |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        for dependent in dependents {
            self.queue("VALUES(?1, ?2)", (dependent, NAMES))?;
        }
        Ok(())
    }

    /// Queues the templates and fragments that a file imported before and no longer imports.
    pub(super) fn queue_removed_templates(
        &mut self,
        previous: &PreviousTargets,
        imports: &[(String, ImportKind, bool, u32)],
    ) -> rusqlite::Result<()> {
        for ((specifier, kind), (_, target)) in previous {
            let stays = || {
                let mut now = imports.iter();
                now.any(|it| it.1.code() == *kind && it.0 == *specifier)
            };
            let binds_target = [ImportKind::Template, ImportKind::Fragment]
                .iter()
                .any(|it| it.code() == *kind);
            if binds_target && target.is_some() && !stays() {
                self.queue("VALUES(?1, ?2)", (target, NAMES))?;
            }
        }
        Ok(())
    }
}

impl Read<'_> {
    /// Up to `limit` queued files.
    pub fn link_queue(&self, limit: u32) -> StoreResult<Vec<(FileId, RepoPath)>> {
        self.tx
            .prepare_cached("SELECT r.file, f.path FROM link_queue r CROSS JOIN file f ON f.id = r.file ORDER BY r.file LIMIT ?1")
            .and_then(|mut statement| {
                statement
                    .query_map([limit], |row| Ok((row.get(0)?, path(row, 1)?)))?
                    .collect()
            })
            .context("reading the queue of files to link")
    }

    /// Up to `limit` queued files whose imports have to be resolved first, those after the row
    /// `after`, by row.
    pub fn unresolved_batch(
        &self,
        after: FileId,
        limit: u32,
    ) -> StoreResult<Vec<(FileId, RepoPath)>> {
        self.tx
            .prepare_cached(
                "SELECT r.file, f.path FROM link_queue r CROSS JOIN file f ON f.id = r.file WHERE r.file > ?1 AND r.stages & ?3 ORDER BY r.file LIMIT ?2",
            )
            .and_then(|mut statement| {
                statement
                    .query_map((after, limit, IMPORTS), |row| Ok((row.get(0)?, path(row, 1)?)))?
                    .collect()
            })
            .context("reading the queue of files to link")
    }

    /// The number of files in the link queue: imports to resolve or names to bind.
    pub fn n_queued(&self) -> StoreResult<u64> {
        self.tx
            .prepare_cached("SELECT count(*) FROM link_queue")
            .and_then(|mut statement| statement.query_row([], |row| row.get::<_, i64>(0)))
            .map(i64::cast_unsigned)
            .context("counting the files to link")
    }

    /// The files that re-export names of a file, directly or through others, the file itself first. At most `at_most`.
    pub fn reexporters(&self, file: FileId, at_most: u32) -> StoreResult<Vec<FileId>> {
        let query = with_reexporters("", "SELECT file FROM reexporter WHERE file > 0 LIMIT ?2");
        self.tx
            .prepare_cached(&query)
            .and_then(|mut statement| {
                statement
                    .query_map((file, at_most), |row| row.get(0))?
                    .collect()
            })
            .context("reading re-exporting files")
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{ChunkKind, Span};
    use crate::store::remove::tests::{made, prepared};
    use crate::store::{Index, PreparedChunk, PreparedFile};

    fn file_of_unit(n: u64) -> PreparedFile {
        let word = format!("word{n}");
        let chunk = PreparedChunk {
            handle: n,
            kind: ChunkKind::Text,
            span: Span {
                start_line: 1,
                end_line: 1,
                ..Span::default()
            },
            symbol: None,
            part: 0,
            digest: n.cast_signed(),
            columns: [
                String::new(),
                String::new(),
                String::new(),
                word,
                String::new(),
            ],
        };
        PreparedFile {
            chunks: vec![chunk],
            units: vec![("go=p".to_owned(), 0)],
            ..prepared(&format!("p/{n}.go"))
        }
    }

    #[test]
    fn files_of_one_unit_are_one_segment_of_the_text_index() {
        let dir = tempfile::tempdir().unwrap();
        let (home, pointer) = made(dir.path());
        let mut index = Index::open(&home, pointer).unwrap();
        let mut writer = index.writer().unwrap();
        for n in 0..20 {
            writer.replace_file(&file_of_unit(n)).unwrap();
        }
        writer.commit(true).unwrap();
        // Rows below 100 are the structure and the averages; the number of a segment is above the 37 bits of its pages.
        let count = "SELECT count(DISTINCT id >> 37) FROM text_data WHERE id > 100";
        let connection = index.connection();
        let n_segments: i64 = connection.query_row(count, [], |row| row.get(0)).unwrap();
        assert_eq!(n_segments, 1);
    }
}
