//! The relations of a file or a definition to others, with the strength of each, and files by name.

use std::collections::BTreeMap;

use super::files::{damaged, path};
use super::import_kinds::{IS_LEADING, IS_STATED};
use super::{ErrorContext, Read, StoreResult};
use crate::model::{Direction, EdgeKind, FileId, Provenance, RepoPath};

/// A relation of one file to another: imports, or edges of one kind and provenance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRelation {
    /// The file that uses the other.
    pub from: FileId,
    /// The file that is used.
    pub to: FileId,
    /// The kind of its edges.
    pub kind: EdgeKind,
    /// How they are known.
    pub provenance: Provenance,
    /// How many there are.
    pub n_uses: u64,
    /// Line of the first one in the file that uses.
    pub line: u32,
}

/// A file that another one uses, or that uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedFile {
    /// The file.
    pub path: RepoPath,
    /// The best known edge between them.
    pub provenance: Provenance,
    /// How many uses there are.
    pub n_uses: u64,
}

impl Read<'_> {
    /// Returns the relations between files: imports, and edges between their definitions by kind and provenance. One
    /// pass over all edges.
    pub fn file_relations(&self) -> StoreResult<Vec<FileRelation>> {
        let imports = (EdgeKind::Imports.code(), Provenance::Resolved.code());
        self.tx
            .prepare_cached(
                &format!("SELECT file, target, ?1, ?2, count(*), min(line) FROM (
                   SELECT file, target, line FROM import WHERE target > 0 AND {IS_LEADING}
                   UNION ALL SELECT n.file, n.target, i.line FROM import_file n JOIN import i ON i.file = n.file AND i.ordinal = n.ordinal
                 ) WHERE target <> file GROUP BY 1, 2
                 UNION ALL
                 SELECT e.src_file, d.file, e.kind, e.provenance, sum(e.count), min(e.line) FROM edge e JOIN symbol d ON d.id = e.dst
                 WHERE d.file <> e.src_file GROUP BY 1, 2, 3, 4
                 ORDER BY 1, 2, 3, 4"),
            )
            .and_then(|mut statement| {
                statement
                    .query_map(imports, |row| {
                        Ok(FileRelation {
                            from: row.get(0)?,
                            to: row.get(1)?,
                            kind: EdgeKind::from_code(row.get(2)?)
                                .ok_or_else(|| damaged(2, "an unknown kind of edge"))?,
                            provenance: Provenance::from_code(row.get(3)?)
                                .ok_or_else(|| damaged(3, "an unknown provenance"))?,
                            n_uses: super::files::unsigned(row, 4)?,
                            line: row.get(5)?,
                        })
                    })?
                    .collect()
            })
            .context("reading what binds files")
    }

    /// Returns how many [`Self::file_relations`] there are.
    pub fn n_file_relations(&self) -> StoreResult<u64> {
        self.tx
            .prepare_cached(
                &format!("SELECT (SELECT count(*) FROM (SELECT file, target FROM import WHERE target > 0 AND target <> file AND {IS_LEADING}
                      UNION SELECT file, target FROM import_file WHERE target <> file))
                 + (SELECT count(*) FROM (SELECT DISTINCT e.src_file, d.file, e.kind, e.provenance FROM edge e
                    JOIN symbol d ON d.id = e.dst WHERE d.file <> e.src_file))"),
            )
            .and_then(|mut statement| statement.query_row([], |row| row.get::<_, i64>(0)))
            .map(i64::cast_unsigned)
            .context("counting what binds files")
    }

    /// Returns the files whose definitions a file uses (`out`), or that use its own, by path.
    pub fn related_files(
        &self,
        of: &str,
        kind: EdgeKind,
        out: bool,
    ) -> StoreResult<Vec<RelatedFile>> {
        let query = if out {
            "SELECT t.path, min(e.provenance), sum(e.count) FROM file f
             CROSS JOIN edge e ON e.src_file = f.id CROSS JOIN symbol d ON d.id = e.dst CROSS JOIN file t ON t.id = d.file
             WHERE f.path = ?1 AND e.kind = ?2 AND t.id <> f.id GROUP BY t.path ORDER BY t.path"
        } else {
            "SELECT s.path, min(e.provenance), sum(e.count) FROM file f
             CROSS JOIN symbol d ON d.file = f.id CROSS JOIN edge e ON e.dst = d.id CROSS JOIN file s ON s.id = e.src_file
             WHERE f.path = ?1 AND e.kind = ?2 AND s.id <> f.id GROUP BY s.path ORDER BY s.path"
        };
        self.tx
            .prepare_cached(query)
            .and_then(|mut statement| {
                statement
                    .query_map((of, kind.code()), |row| {
                        Ok(RelatedFile {
                            path: path(row, 0)?,
                            provenance: Provenance::from_code(row.get(1)?)
                                .ok_or_else(|| damaged(1, "an unknown provenance"))?,
                            n_uses: super::files::unsigned(row, 2)?,
                        })
                    })?
                    .collect()
            })
            .context("reading edges between files")
    }

    /// The files whose definitions a file uses by one of two kinds of edge ([`Direction::Out`]), or that use its own,
    /// each with the best provenance. Costs as much as there are uses.
    pub fn edge_neighbors(
        &self,
        file: FileId,
        kinds: [EdgeKind; 2],
        direction: Direction,
    ) -> StoreResult<BTreeMap<FileId, Provenance>> {
        // Neither counts nor paths, so that the index of edges by their target suffices.
        let query = if direction == Direction::Out {
            "SELECT d.file, e.provenance FROM edge e CROSS JOIN symbol d ON d.id = e.dst
             WHERE e.src_file = ?1 AND e.kind IN (?2, ?3) AND d.file <> ?1"
        } else {
            "SELECT e.src_file, e.provenance FROM symbol d CROSS JOIN edge e ON e.dst = d.id
             WHERE d.file = ?1 AND e.kind IN (?2, ?3) AND e.src_file <> ?1"
        };
        let mut found = BTreeMap::new();
        self.tx
            .prepare_cached(query)
            .and_then(|mut statement| {
                let mut rows = statement.query((file, kinds[0].code(), kinds[1].code()))?;
                while let Some(row) = rows.next()? {
                    let provenance = Provenance::from_code(row.get(1)?)
                        .ok_or_else(|| damaged(1, "an unknown provenance"))?;
                    let best = found.entry(row.get(0)?).or_insert(provenance);
                    *best = provenance.min(*best);
                }
                Ok(found)
            })
            .context("reading edges between files")
    }

    /// Returns the files that a file imports by a statement ([`Direction::Out`]), or that import it so, each once.
    pub fn stated_imports(&self, file: FileId, direction: Direction) -> StoreResult<Vec<FileId>> {
        self.imports_of_kinds(file, direction, IS_STATED)
    }

    /// Does [`Self::stated_imports`], with the modules that code reaches without a statement: `app.db` of `app.db.open()` after
    /// `import app`.
    pub fn import_neighbors(&self, file: FileId, direction: Direction) -> StoreResult<Vec<FileId>> {
        self.imports_of_kinds(file, direction, IS_LEADING)
    }

    fn imports_of_kinds(
        &self,
        file: FileId,
        direction: Direction,
        kinds: &str,
    ) -> StoreResult<Vec<FileId>> {
        let query = if direction == Direction::Out {
            format!(
                "SELECT target FROM import WHERE file = ?1 AND target > 0 AND target <> ?1 AND {kinds}
             UNION SELECT target FROM import_file WHERE file = ?1 AND target <> ?1"
            )
        } else {
            format!(
                "SELECT file FROM import WHERE target = ?1 AND file <> ?1 AND {kinds}
             UNION SELECT file FROM import_file WHERE target = ?1 AND file <> ?1"
            )
        };
        self.tx
            .prepare_cached(&query)
            .and_then(|mut statement| statement.query_map([file], |row| row.get(0))?.collect())
            .context("reading imports")
    }

    /// Returns how many other files use a definition of a file. Costs as much as it has uses.
    pub fn n_users(&self, of: &str) -> StoreResult<u64> {
        self.tx
            .prepare_cached(
                "SELECT count(DISTINCT e.src_file) FROM file f CROSS JOIN symbol d ON d.file = f.id CROSS JOIN edge e ON e.dst = d.id
                 WHERE f.path = ?1 AND e.src_file <> f.id",
            )
            .and_then(|mut statement| {
                statement.query_row([of], |row| super::files::unsigned(row, 0))
            })
            .context("counting the users of a file")
    }

    /// Returns the files whose own name begins with `stem` (ASCII case ignored), by path. One pass over
    /// the paths, in memory.
    pub fn files_named(&self, stem: &str) -> StoreResult<Vec<RepoPath>> {
        let begins = |name: &str| {
            name.get(..stem.len())
                .is_some_and(|begin| begin.eq_ignore_ascii_case(stem))
        };
        let rows = self.file_rows()?;
        let found = rows.iter().filter(|row| begins(row.path.file_name()));
        Ok(found.map(|row| row.path.clone()).collect())
    }
}
