//! Import rows: which file a file takes something from, as far as it is known.

use rusqlite::{OptionalExtension as _, Row};

use super::files::path;
use super::import_kinds::IS_STATED;
use super::{ErrorContext, Read, StoreResult, Writer};
use crate::ir::ImportKind;
use crate::model::hash::HashMap;
use crate::model::{FileId, ModuleId, RepoPath, UnitId};

/// Where an import leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportTarget {
    /// A file of the repository, by its row.
    File(FileId),
    /// A unit of several files, by its row: a package of Go.
    Unit(UnitId),
    /// Out of the repository: a package or a built-in module.
    External,
    /// A file or package of the repository that is not there.
    Missing,
}

impl ImportTarget {
    /// Returns the columns `state` and `target`.
    pub(super) fn columns(self) -> (u8, Option<ModuleId>) {
        match self {
            Self::File(id) => (1, Some(id.into())),
            Self::Unit(id) => (1, Some(id.into())),
            Self::External => (2, None),
            Self::Missing => (3, None),
        }
    }

    /// Returns the target that is stored as a number.
    fn of_row(id: ModuleId) -> Self {
        match id.unit() {
            Some(unit) => Self::Unit(unit),
            None => Self::File(id.file()),
        }
    }

    /// Returns the module that it is to the linker: the row of a file, or that of a unit below 0.
    pub fn module(self) -> Option<ModuleId> {
        self.columns().1
    }
}

/// One import of a file that has to be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportRow {
    /// Its place among the imports of its file.
    pub ordinal: u32,
    /// The module as written.
    pub specifier: String,
    /// How it is imported.
    pub kind: ImportKind,
    /// Where it led when it was last resolved; `None` before.
    pub target: Option<ImportTarget>,
}

impl Writer<'_> {
    /// Writes where an import leads.
    pub fn set_import(&mut self, file: FileId, ordinal: u32, to: ImportTarget) -> StoreResult<()> {
        let (state, target) = to.columns();
        self.run(
            "UPDATE import SET state = ?3, target = ?4 WHERE file = ?1 AND ordinal = ?2",
            (file, ordinal, state, target),
        )
    }
}

impl Read<'_> {
    /// Returns every import as (file row, specifier, where it leads).
    pub fn specifiers(&self) -> StoreResult<Vec<(FileId, String, ImportTarget)>> {
        self.tx
            .prepare_cached(
                "SELECT file, specifier, state, target FROM import ORDER BY file, ordinal",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        let to = match (row.get(2)?, row.get(3)?) {
                            (1, Some(target)) => ImportTarget::of_row(target),
                            (2, _) => ImportTarget::External,
                            // Also where it led was just removed.
                            _ => ImportTarget::Missing,
                        };
                        Ok((row.get(0)?, row.get(1)?, to))
                    })?
                    .collect()
            })
            .context("reading imports")
    }

    /// Returns the modules that a file imports, as it writes them.
    pub fn specifiers_of(&self, file: FileId) -> StoreResult<Vec<String>> {
        self.tx
            .prepare_cached("SELECT specifier FROM import WHERE file = ?1 ORDER BY ordinal")
            .and_then(|mut statement| statement.query_map([file], |row| row.get(0))?.collect())
            .context("reading imports")
    }

    /// The number of files from which a file re-exports names: `export … from`.
    pub fn n_reexported(&self, file: FileId) -> StoreResult<u64> {
        self.tx
            .prepare_cached(
                "SELECT count(DISTINCT target) FROM import WHERE file = ?1 AND kind = ?2 AND target IS NOT NULL",
            )
            .and_then(|mut statement| {
                statement.query_row((file, ImportKind::ReExport.code()), |row| {
                    super::files::unsigned(row, 0)
                })
            })
            .context("counting re-exports")
    }

    /// Returns the configuration files in no order, their bytes still packed.
    pub fn packed_configs(&self) -> StoreResult<Vec<(RepoPath, Vec<u8>)>> {
        self.tx
            .prepare_cached(
                "SELECT f.path, c.packed FROM config c CROSS JOIN file f ON f.id = c.file",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| Ok((path(row, 0)?, row.get(1)?)))?
                    .collect()
            })
            .context("reading configuration files")
    }

    /// Returns the packed text of one configuration file; `None` where it is none.
    pub fn packed_config(&self, path: &str) -> StoreResult<Option<Vec<u8>>> {
        self.tx
            .prepare_cached(
                "SELECT c.packed FROM config c JOIN file f ON f.id = c.file WHERE f.path = ?1",
            )
            .and_then(|mut statement| statement.query_row([path], |row| row.get(0)).optional())
            .context("reading a configuration file")
    }

    /// Returns the files that test runners' configurations declare, by the configuration's path.
    pub fn runners(&self) -> StoreResult<Vec<(RepoPath, String)>> {
        self.tx
            .prepare_cached(
                "SELECT f.path, r.suites FROM runner r CROSS JOIN file f ON f.id = r.file ORDER BY f.path",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| Ok((path(row, 0)?, row.get(1)?)))?
                    .collect()
            })
            .context("reading configurations of tests")
    }

    /// Returns how many other files import each file that any imports, by its row.
    pub(super) fn count_importers(&self) -> StoreResult<HashMap<FileId, u32>> {
        self.tx
            .prepare_cached(
                &format!("SELECT target, count(DISTINCT file) FROM (SELECT target, file FROM import WHERE target > 0 AND {IS_STATED} UNION ALL SELECT target, file FROM import_file)
                 WHERE target <> file GROUP BY target"),
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect()
            })
            .context("counting importers")
    }

    /// Returns the files that `path` imports, sorted.
    pub fn imports_of(&self, of: &str) -> StoreResult<Vec<RepoPath>> {
        self.neighbours(
            &format!("SELECT t.path FROM file f JOIN import i ON i.file = f.id JOIN file t ON t.id = i.target
             WHERE f.path = ?1 AND t.id <> f.id AND i.{IS_STATED}
             UNION SELECT t.path FROM file f JOIN import_file i ON i.file = f.id JOIN file t ON t.id = i.target
             WHERE f.path = ?1 AND t.id <> f.id ORDER BY 1"),
            of,
        )
    }

    /// Returns the files that import `path`, sorted.
    pub fn importers_of(&self, of: &str) -> StoreResult<Vec<RepoPath>> {
        self.neighbours(
            &format!("SELECT f.path FROM file t JOIN import i ON i.target = t.id JOIN file f ON f.id = i.file
             WHERE t.path = ?1 AND t.id <> f.id AND i.{IS_STATED}
             UNION SELECT f.path FROM file t JOIN import_file i ON i.target = t.id JOIN file f ON f.id = i.file
             WHERE t.path = ?1 AND t.id <> f.id ORDER BY 1"),
            of,
        )
    }

    /// Returns the other files that import `path` by statements, each with the module as it writes it, sorted.
    pub fn importers_as(&self, of: &str) -> StoreResult<Vec<(RepoPath, String)>> {
        self.tx
            .prepare_cached(
                &format!("SELECT DISTINCT f.path, i.specifier FROM file t JOIN import i ON i.target = t.id JOIN file f ON f.id = i.file
                 WHERE t.path = ?1 AND t.id <> f.id AND i.{IS_STATED} ORDER BY 1, 2"),
            )
            .and_then(|mut statement| {
                statement
                    .query_map([of], |row| Ok((path(row, 0)?, row.get(1)?)))?
                    .collect()
            })
            .context("reading imports")
    }

    /// Returns the files whose classes have a file as their template, in the order of their paths.
    pub fn template_owners(&self, of: FileId) -> StoreResult<Vec<FileId>> {
        self.importers_by(of, ImportKind::Template)
    }

    /// Returns the files that include a file for its text, in the order of their paths.
    pub fn fragment_owners(&self, of: FileId) -> StoreResult<Vec<FileId>> {
        self.importers_by(of, ImportKind::Fragment)
    }

    fn importers_by(&self, of: FileId, kind: ImportKind) -> StoreResult<Vec<FileId>> {
        self.tx
            .prepare_cached(
                "SELECT DISTINCT f.id FROM import i JOIN file f ON f.id = i.file WHERE i.target = ?1 AND i.kind = ?2 ORDER BY f.path",
            )
            .and_then(|mut statement| {
                let kind = kind.code();
                statement.query_map((of, kind), |row| row.get(0))?.collect()
            })
            .context("reading who imports a file by one kind of import")
    }

    /// Returns where each import of a file leads, by its place: the row of a file, that of a unit below 0; `None` where it
    /// is neither.
    pub fn import_targets(&self, file: FileId) -> StoreResult<Vec<Option<ModuleId>>> {
        self.tx
            .prepare_cached("SELECT target FROM import WHERE file = ?1 ORDER BY ordinal")
            .and_then(|mut statement| statement.query_map([file], |row| row.get(0))?.collect())
            .context("reading imports")
    }

    /// As [`Self::import_targets`], with those that lead to no file; `None` for one that is not resolved yet.
    pub fn resolved_imports(&self, file: FileId) -> StoreResult<Vec<Option<ImportTarget>>> {
        self.tx
            .prepare_cached("SELECT state, target FROM import WHERE file = ?1 ORDER BY ordinal")
            .and_then(|mut statement| {
                let rows =
                    statement.query_map([file], |row| Ok(target_of(row.get(0)?, row.get(1)?)))?;
                rows.collect()
            })
            .context("reading imports")
    }

    /// Returns the imports of one file, in source order.
    pub fn imports(&self, file: FileId) -> StoreResult<Vec<ImportRow>> {
        self.tx
            .prepare_cached(
                "SELECT ordinal, specifier, kind, state, target FROM import WHERE file = ?1 ORDER BY ordinal",
            )
            .and_then(|mut statement| statement.query_map([file], import)?.collect())
            .context("reading imports")
    }

    /// Returns the imports that lead to no file and whose specifiers hold a text, by their places.
    pub fn missing_imports_with(&self, text: &str) -> StoreResult<Vec<MissingImport>> {
        self.tx
            .prepare_cached(
                "SELECT f.path, i.line, i.specifier FROM import i JOIN file f ON f.id = i.file \
                 WHERE i.state = 3 AND instr(i.specifier, ?1) > 0 ORDER BY f.path, i.line",
            )
            .and_then(|mut statement| {
                let found = statement.query_map([text], |row| {
                    Ok(MissingImport {
                        path: path(row, 0)?,
                        line: row.get(1)?,
                        specifier: row.get(2)?,
                    })
                });
                found?.collect()
            })
            .context("reading imports that lead nowhere")
    }

    fn neighbours(&self, query: &str, of: &str) -> StoreResult<Vec<RepoPath>> {
        self.tx
            .prepare_cached(query)
            .and_then(|mut statement| statement.query_map([of], |row| path(row, 0))?.collect())
            .context("reading imports")
    }
}

fn import(row: &Row<'_>) -> rusqlite::Result<ImportRow> {
    Ok(ImportRow {
        ordinal: row.get(0)?,
        specifier: row.get(1)?,
        kind: ImportKind::from_code(row.get(2)?).unwrap_or(ImportKind::Static),
        target: target_of(row.get(3)?, row.get(4)?),
    })
}

/// An import that leads to no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingImport {
    /// The file that has it.
    pub path: RepoPath,
    /// Its line there.
    pub line: u32,
    /// The text that it is written with.
    pub specifier: String,
}

/// Returns where an import leads, of its columns `state` and `target`.
fn target_of(state: u8, target: Option<ModuleId>) -> Option<ImportTarget> {
    match (state, target) {
        (1, Some(id)) => Some(ImportTarget::of_row(id)),
        (2, _) => Some(ImportTarget::External),
        (3, _) => Some(ImportTarget::Missing),
        // Not resolved yet, or the file it led to is gone.
        _ => None,
    }
}
