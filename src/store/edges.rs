//! Edges between definitions: written for one file at a time, read by frontier.

use std::collections::HashMap;

use rusqlite::OptionalExtension as _;

use super::packed_edges::{EdgeList, block_of};
use super::{ErrorContext, Read, StoreResult, UnboundRow, Writer};
use crate::model::{EdgeKind, FileId, ModuleId, Provenance, SymbolId, SymbolKind};

/// State and target of imports, by specifier and kind.
pub(super) type PreviousTargets = HashMap<(String, u8), (u8, Option<ModuleId>)>;

/// An edge by row ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeRow {
    /// The file that the use is in.
    pub src_file: FileId,
    /// The definition around the use; `None` for the module's top level.
    pub src: Option<SymbolId>,
    /// The definition that is used.
    pub dst: SymbolId,
    /// The kind of use.
    pub kind: EdgeKind,
    /// How it is known.
    pub provenance: Provenance,
    /// How many uses it stands for.
    pub count: u32,
    /// Line of the first one.
    pub line: u32,
}

/// When a caller's code runs: a function's body when it is called, a variable's initializer once at module load, a
/// field's for each instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationSite {
    /// A variable or a constant keeps it; it runs nothing when it is used.
    Variable,
    /// A field keeps it, which is made with each instance of this class.
    FieldOf(SymbolId),
    /// It runs when the definition does.
    Itself,
}

impl Writer<'_> {
    /// Replaces the edges and unbound names of a file, and takes the file from the list of those to link. `dependencies` are
    /// modules, the rows of files and below 0 those of units, with the buckets that were looked at; `import_files` the files
    /// behind imports of units, each with the place of its import.
    pub fn set_links(
        &mut self,
        file: FileId,
        edges: &[EdgeRow],
        unbound: &[UnboundRow],
        dependencies: &[(ModuleId, u64)],
        import_files: &[(u32, FileId)],
    ) -> StoreResult<()> {
        self.links(file, edges, unbound, dependencies, import_files)
            .context("writing edges")
    }

    /// Returns where the imports of a file led, by specifier and kind.
    pub(super) fn previous_targets(
        &mut self,
        file: FileId,
        is_known: bool,
    ) -> rusqlite::Result<PreviousTargets> {
        if !is_known {
            return Ok(PreviousTargets::default());
        }
        self.tx()
            .prepare_cached("SELECT specifier, kind, state, target FROM import WHERE file = ?1")?
            .query_map([file], |row| {
                Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, row.get(3)?)))
            })?
            .collect()
    }

    /// A file that is linked again has mostly the same edges as before: only differences are written.
    fn links(
        &mut self,
        file: FileId,
        edges: &[EdgeRow],
        unbound: &[UnboundRow],
        dependencies: &[(ModuleId, u64)],
        import_files: &[(u32, FileId)],
    ) -> rusqlite::Result<()> {
        self.write_edges(file, edges)?;
        self.write_unbound(file, unbound)?;
        let dependencies = dependencies
            .iter()
            .map(|(target, looked)| [target.row(), looked.cast_signed()]);
        self.rows(&DEPENDENCIES, file, dependencies.collect())?;
        let import_files = import_files
            .iter()
            .map(|(ordinal, target)| [i64::from(*ordinal), target.row()]);
        self.rows(&IMPORT_FILES, file, import_files.collect())?;
        self.dequeue(file)
    }

    /// Makes the rows of a file in one table equal `wanted`. An edit moves most lines and changes few keys: a row with
    /// the same key stays, and so does its entry in an index.
    fn rows<const N: usize>(
        &mut self,
        table: &FileRows,
        file: FileId,
        mut wanted: Vec<[i64; N]>,
    ) -> rusqlite::Result<()> {
        wanted.sort_unstable();
        wanted.dedup_by(|a, b| a[..table.n_key] == b[..table.n_key]);
        let known: Vec<[i64; N]> = self
            .tx()
            .prepare_cached(table.select)?
            .query_map([file], |row| {
                let mut values = [0; N];
                for (at, value) in values.iter_mut().enumerate() {
                    *value = row.get(at)?;
                }
                Ok(values)
            })?
            .collect::<Result<_, _>>()?;
        if known == wanted {
            return Ok(());
        }
        let mut delete = self.tx().prepare_cached(table.delete)?;
        let mut upsert = self.tx().prepare_cached(table.upsert)?;
        let mut known = known.iter().peekable();
        for row in &wanted {
            let key = &row[..table.n_key];
            while let Some(gone) = known.next_if(|known| known[..table.n_key] < *key) {
                delete.execute(with_file(file, &gone[..table.n_key]))?;
            }
            if known.next_if(|known| known[..table.n_key] == *key) != Some(row) {
                upsert.execute(with_file(file, row))?;
            }
        }
        for gone in known {
            delete.execute(with_file(file, &gone[..table.n_key]))?;
        }
        Ok(())
    }
}

fn with_file(file: FileId, row: &[i64]) -> impl rusqlite::Params {
    rusqlite::params_from_iter(std::iter::once(file.row()).chain(row.iter().copied()))
}

/// The statements over the rows that a file has in one table; the first column is the file, `select` leaves
/// it out and sorts by all others, of which the first `n_key` tell the rows apart.
struct FileRows {
    n_key: usize,
    select: &'static str,
    delete: &'static str,
    upsert: &'static str,
}

const DEPENDENCIES: FileRows = FileRows {
    n_key: 1,
    select: "SELECT target, name_mask FROM dependency WHERE file = ?1 ORDER BY 1, 2",
    delete: "DELETE FROM dependency WHERE file = ?1 AND target = ?2",
    upsert: "INSERT INTO dependency(file, target, name_mask) VALUES(?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET name_mask = excluded.name_mask",
};

const IMPORT_FILES: FileRows = FileRows {
    n_key: 2,
    select: "SELECT ordinal, target FROM import_file WHERE file = ?1 ORDER BY 1, 2",
    delete: "DELETE FROM import_file WHERE file = ?1 AND ordinal = ?2 AND target = ?3",
    upsert: "INSERT INTO import_file(file, ordinal, target) VALUES(?1, ?2, ?3) ON CONFLICT DO NOTHING",
};

impl Read<'_> {
    /// Returns the rows of a file's symbols, by their place in the file.
    pub fn symbol_ids(&self, file: FileId) -> StoreResult<Vec<SymbolId>> {
        self.tx
            .prepare_cached("SELECT id FROM symbol WHERE file = ?1 ORDER BY ordinal")
            .and_then(|mut statement| statement.query_map([file], |row| row.get(0))?.collect())
            .context("reading the rows of symbols")
    }

    /// Returns the file of a method and its place among the symbols there; `None` for other symbols.
    pub fn method_row(&self, symbol: SymbolId) -> StoreResult<Option<(FileId, u32)>> {
        self.tx
            .prepare_cached("SELECT file, ordinal FROM symbol WHERE id = ?1 AND kind = ?2")
            .and_then(|mut statement| {
                statement
                    .query_row((symbol, SymbolKind::Method.code()), |row| {
                        Ok((row.get(0)?, row.get(1)?))
                    })
                    .optional()
            })
            .context("reading the place of a method")
    }

    /// Returns the edges that lead to a definition, by file and line of the first use. Costs as much as the edges into the 64
    /// definitions of its block; those are kept for the next question.
    pub fn edges_into(&self, dst: SymbolId) -> StoreResult<Vec<EdgeRow>> {
        let mut found = self.edges(EdgeList::Into(block_of(dst)), |edge| edge.dst == dst)?;
        let mut files = Vec::new();
        for edges in found.chunk_by_mut(|a, b| a.src_file == b.src_file) {
            edges.sort_unstable_by_key(place);
            files.push((self.path_of(edges[0].src_file)?, &*edges));
        }
        files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let files: Vec<&[EdgeRow]> = files.into_iter().map(|(_, edges)| edges).collect();
        Ok(files.concat())
    }

    /// Returns the edges that lead out of a definition. Costs as much as the edges of its file; those are kept for the next question.
    pub fn edges_out_of(&self, src: SymbolId) -> StoreResult<Vec<EdgeRow>> {
        let Some(file) = self.file_of(src)? else {
            return Ok(Vec::new());
        };
        let mut found = self.edges(EdgeList::OutOf(file), |edge| edge.src == Some(src))?;
        found.sort_unstable_by_key(place);
        Ok(found)
    }

    /// Returns the edges of the uses in a file, those of its top level among them.
    pub fn edges_from(&self, file: FileId) -> StoreResult<Vec<EdgeRow>> {
        let mut found = self.edges(EdgeList::OutOf(file), |_| true)?;
        found.sort_unstable_by_key(place);
        Ok(found)
    }

    /// Returns the file of a definition; `None` for the row of none.
    pub(super) fn file_of(&self, definition: SymbolId) -> StoreResult<Option<FileId>> {
        self.tx
            .prepare_cached("SELECT file FROM symbol WHERE id = ?1")
            .and_then(|mut statement| {
                statement
                    .query_row([definition], |row| row.get(0))
                    .optional()
            })
            .context("reading the file of a definition")
    }

    /// The innermost function or method whose text holds a definition: not `View` for `View.prototype.open = …` below it.
    pub fn enclosing_function(&self, symbol: SymbolId) -> StoreResult<Option<SymbolId>> {
        let found = self.enclosing(symbol, |kind, is_around| kind.is_function() && is_around, 1)?;
        Ok(found.first().copied())
    }

    /// The enclosing definitions of a definition, the innermost first.
    pub fn enclosing_definitions(&self, symbol: SymbolId) -> StoreResult<Vec<SymbolId>> {
        self.enclosing(symbol, |_, _| true, usize::MAX)
    }

    fn enclosing(
        &self,
        symbol: SymbolId,
        is_wanted: impl Fn(SymbolKind, bool) -> bool,
        n_wanted: usize,
    ) -> StoreResult<Vec<SymbolId>> {
        let walk = || {
            let mut statement = self.tx.prepare_cached(
                "SELECT p.id, p.kind, p.start_byte <= of.start_byte AND of.end_byte <= p.end_byte FROM symbol s \
                 JOIN symbol p ON p.file = s.file AND p.ordinal = s.parent JOIN symbol of ON of.id = ?2 WHERE s.id = ?1",
            )?;
            let mut found = Vec::new();
            let mut at = symbol;
            while let Some((outer, kind, is_around)) = statement
                .query_row([at, symbol], |row| {
                    Ok((row.get(0)?, row.get::<_, u8>(1)?, row.get(2)?))
                })
                .optional()?
            {
                if SymbolKind::from_code(kind).is_some_and(|kind| is_wanted(kind, is_around)) {
                    found.push(outer);
                    if found.len() == n_wanted {
                        break;
                    }
                }
                at = outer;
            }
            Ok(found)
        };
        walk().context("reading the enclosing definitions")
    }

    /// Returns when the code of a definition runs.
    pub fn evaluation_site(&self, symbol: SymbolId) -> StoreResult<EvaluationSite> {
        let row: Option<(u8, Option<SymbolId>, Option<u8>, bool)> = self
            .tx
            .prepare_cached(
                "SELECT s.kind, p.id, p.kind, f.language = 'rust' FROM symbol s JOIN file f ON f.id = s.file \
                 LEFT JOIN symbol p ON p.file = s.file AND p.ordinal = s.parent WHERE s.id = ?1",
            )
            .and_then(|mut statement| {
                statement
                    .query_row([symbol], |row| {
                        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                    })
                    .optional()
            })
            .context("reading what a definition is")?;
        let Some((kind, outer, outer_kind, is_rust)) = row else {
            return Ok(EvaluationSite::Itself);
        };
        let outer_kind = outer_kind.and_then(SymbolKind::from_code);
        Ok(match (SymbolKind::from_code(kind), outer, outer_kind) {
            // A constant of Rust is its value wherever it is named.
            (Some(SymbolKind::Variable | SymbolKind::Constant), _, _) if is_rust => {
                EvaluationSite::Itself
            }
            (Some(SymbolKind::Variable | SymbolKind::Constant), _, _) => EvaluationSite::Variable,
            (Some(SymbolKind::Field), Some(class), Some(SymbolKind::Class)) => {
                EvaluationSite::FieldOf(class)
            }
            _ => EvaluationSite::Itself,
        })
    }

    /// Returns the path of a file, by its row.
    pub fn path_of(&self, file: FileId) -> StoreResult<Option<crate::model::RepoPath>> {
        self.tx
            .prepare_cached("SELECT path FROM file WHERE id = ?1")
            .and_then(|mut statement| {
                statement
                    .query_row([file], |row| super::files::path(row, 0))
                    .optional()
            })
            .context("reading a path")
    }
}

/// The order of the edges of one file in answers.
fn place(edge: &EdgeRow) -> impl Ord + use<> {
    let use_ = (edge.line, edge.dst, edge.kind);
    (use_, edge.src, edge.provenance)
}
