//! Import rows: which file a file takes something from, as far as it is known.
//!
//! Refuses to know how a specifier is resolved.

use rusqlite::Row;

use super::files::path;
use super::{Doing, Read, StoreResult};
use crate::model::{ImportKind, RepoPath};

/// Where an import leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportTarget {
    /// A file of the repository, by its row.
    File(i64),
    /// Out of the repository: a package or a built-in module.
    External,
    /// A file or package of the repository that is not there.
    Missing,
}

impl ImportTarget {
    /// Returns the columns `state` and `target`.
    pub(super) fn columns(self) -> (u8, Option<i64>) {
        match self {
            Self::File(id) => (1, Some(id)),
            Self::External => (2, None),
            Self::Missing => (3, None),
        }
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
}

impl Read<'_> {
    /// Returns how many other files import each file that any imports, by its row.
    pub fn importers_of_all(&self) -> StoreResult<std::collections::HashMap<i64, u32>> {
        self.tx
            .prepare_cached(
                "SELECT target, count(DISTINCT file) FROM import WHERE target IS NOT NULL AND target <> file GROUP BY target",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect()
            })
            .doing("counting importers")
    }

    /// Returns the files that `path` imports, sorted.
    pub fn imports_of(&self, of: &str) -> StoreResult<Vec<RepoPath>> {
        self.neighbours(
            "SELECT DISTINCT t.path FROM file f JOIN import i ON i.file = f.id JOIN file t ON t.id = i.target
             WHERE f.path = ?1 AND t.id <> f.id ORDER BY 1",
            of,
        )
    }

    /// Returns the files that import `path`, sorted.
    pub fn importers_of(&self, of: &str) -> StoreResult<Vec<RepoPath>> {
        self.neighbours(
            "SELECT DISTINCT f.path FROM file t JOIN import i ON i.target = t.id JOIN file f ON f.id = i.file
             WHERE t.path = ?1 AND t.id <> f.id ORDER BY 1",
            of,
        )
    }

    /// Returns up to `limit` files whose imports have to be looked at again.
    pub fn relink_batch(&self, limit: u32) -> StoreResult<Vec<(i64, RepoPath)>> {
        self.tx
            .prepare_cached("SELECT r.file, f.path FROM relink r JOIN file f ON f.id = r.file ORDER BY f.path LIMIT ?1")
            .and_then(|mut statement| {
                statement
                    .query_map([limit], |row| Ok((row.get(0)?, path(row, 1)?)))?
                    .collect()
            })
            .doing("reading the list of files to link")
    }

    /// Returns how many files wait for their imports to be looked at again.
    pub fn n_unlinked(&self) -> StoreResult<u64> {
        self.tx
            .prepare_cached("SELECT count(*) FROM relink")
            .and_then(|mut statement| statement.query_row([], |row| row.get::<_, i64>(0)))
            .map(i64::cast_unsigned)
            .doing("counting the files to link")
    }

    /// Returns the imports of one file, in source order.
    pub fn imports(&self, file: i64) -> StoreResult<Vec<ImportRow>> {
        self.tx
            .prepare_cached(
                "SELECT ordinal, specifier, kind FROM import WHERE file = ?1 ORDER BY ordinal",
            )
            .and_then(|mut statement| statement.query_map([file], import)?.collect())
            .doing("reading imports")
    }

    fn neighbours(&self, query: &str, of: &str) -> StoreResult<Vec<RepoPath>> {
        self.tx
            .prepare_cached(query)
            .and_then(|mut statement| statement.query_map([of], |row| path(row, 0))?.collect())
            .doing("reading imports")
    }
}

fn import(row: &Row<'_>) -> rusqlite::Result<ImportRow> {
    Ok(ImportRow {
        ordinal: row.get(0)?,
        specifier: row.get(1)?,
        kind: ImportKind::from_code(row.get(2)?).unwrap_or(ImportKind::Static),
    })
}
