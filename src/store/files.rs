//! File rows: which files are indexed, from which bytes, and which were left out.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::import_kinds::IS_LEADING;
use super::{ErrorContext, Read, StoreResult};
use crate::model::hash::HashSet;
use crate::model::{BlobId, ContentId, FileId, FileStat, RepoPath, SkipReason};

/// The part of a file row that detection compares with the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// The row.
    pub id: FileId,
    /// Where the file is.
    pub path: RepoPath,
    /// The bytes that were indexed.
    pub content: ContentId,
    /// The version of the extractor that read it.
    pub facts_version: u32,
    /// Whether an attribute marks it as generated: `linguist-generated`.
    pub has_generated_attribute: bool,
    /// The reason why the file was left out or reduced.
    pub skip: Option<SkipReason>,
    /// The result of `lstat`; `None` where the row came from another work tree or from a commit.
    pub stat: Option<StatRow>,
    /// How many bytes it has.
    pub size_bytes: u64,
    /// Git's name of the bytes; `None` where they were not read.
    pub blob: Option<BlobId>,
}

/// The result of `lstat` when the file was last read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatRow {
    /// The stat.
    pub stat: FileStat,
    /// Whether an equal stat proves equal bytes (see [`FileStat::proves_content`]).
    pub proves_content: bool,
}

/// The part of a file row that answers show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSummary {
    /// The row.
    pub id: FileId,
    /// Where the file is.
    pub path: RepoPath,
    /// The bytes that were indexed.
    pub content: ContentId,
    /// The language's identifier.
    pub language: String,
    /// The reason why the file was left out or reduced.
    pub skip: Option<SkipReason>,
    /// How many lines it has.
    pub n_lines: u32,
    /// The version of the extractor and of the policy that it was read by.
    pub facts_version: u32,
}

/// How many rows there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCounts {
    /// Files, those left out included.
    pub files: u64,
    /// Chunks.
    pub chunks: u64,
    /// Symbols.
    pub symbols: u64,
    /// Edges: imports that lead to a file of the repository.
    pub edges: u64,
    /// Imports that should lead to a file of the repository and do not.
    pub unresolved: u64,
    /// Files whose imports have to be looked at again.
    pub queued: u64,
}

impl Read<'_> {
    /// Returns whether a file is indexed at `path`.
    pub fn has_file(&self, path: &str) -> StoreResult<bool> {
        self.tx
            .prepare_cached("SELECT 1 FROM file WHERE path = ?1")
            .and_then(|mut statement| statement.exists([path]))
            .context("looking a file up")
    }

    /// Returns whether a directory itself has a file whose name ends so. One pass over the paths below it.
    pub fn has_file_in(&self, directory: &str, ending: &str) -> StoreResult<bool> {
        let (from, to) = if directory.is_empty() {
            (String::new(), "\u{10ffff}".to_owned())
        } else {
            (format!("{directory}/"), format!("{directory}0"))
        };
        (|| {
            let mut statement = self
                .tx
                .prepare_cached("SELECT path FROM file WHERE path > ?1 AND path < ?2")?;
            let mut rows = statement.query((&from, &to))?;
            while let Some(row) = rows.next()? {
                let path = row.get_ref(0)?.as_str()?;
                let name = path.get(from.len()..).unwrap_or_default();
                if name.ends_with(ending) && !name.contains('/') {
                    return Ok(true);
                }
            }
            Ok(false)
        })()
        .context("looking files up")
    }

    /// Returns the file at `path`; `None` if none is indexed there.
    pub fn file(&self, path: &str) -> StoreResult<Option<FileSummary>> {
        self.tx
            .prepare_cached(
                "SELECT id, path, content, language, skip, lines, facts_version FROM file WHERE path = ?1",
            )
            .and_then(|mut statement| statement.query_row([path], summary).optional())
            .context("reading a file row")
    }

    /// Returns every file, by path. One pass over the files.
    pub fn all_summaries(&self) -> StoreResult<Vec<FileSummary>> {
        self.tx
            .prepare_cached(
                "SELECT id, path, content, language, skip, lines, facts_version FROM file ORDER BY path",
            )
            .and_then(|mut statement| statement.query_map([], summary)?.collect())
            .context("reading files")
    }

    /// Returns the files whose language passes a test. One pass over the files.
    pub fn files_in(&self, fits: impl Fn(&str) -> bool) -> StoreResult<HashSet<FileId>> {
        let found = (|| {
            let mut statement = self.tx.prepare_cached("SELECT id, language FROM file")?;
            let mut rows = statement.query([])?;
            let mut found = HashSet::default();
            while let Some(row) = rows.next()? {
                if fits(row.get_ref(1)?.as_str()?) {
                    found.insert(row.get(0)?);
                }
            }
            Ok(found)
        })();
        found.context("reading languages")
    }

    /// Returns every file row, by path.
    pub fn all_files(&self) -> StoreResult<Vec<FileRow>> {
        rows(&self.tx)
    }

    /// Calls `on_file` with each file and its path, sorted by path. Costs a fifth of [`Read::file_rows`], and keeps
    /// nothing in memory.
    pub fn each_path(&self, mut on_file: impl FnMut(FileId, &str)) -> StoreResult<()> {
        let mut each = || {
            let mut statement = self
                .tx
                .prepare_cached("SELECT id, path FROM file ORDER BY path")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                on_file(row.get(0)?, row.get_ref(1)?.as_str()?);
            }
            Ok(())
        };
        each().context("reading paths")
    }

    /// Returns the files of exactly these bytes, by path.
    pub fn files_holding(&self, content: ContentId) -> StoreResult<Vec<RepoPath>> {
        self.tx
            .prepare_cached("SELECT path FROM file WHERE content = ?1 ORDER BY path")
            .and_then(|mut statement| {
                statement
                    .query_map([content.as_bytes().as_slice()], |row| path(row, 0))?
                    .collect()
            })
            .context("reading the files of a content")
    }

    /// Returns the rows of the files that define a symbol.
    pub(super) fn files_with_symbols(&self) -> StoreResult<Vec<FileId>> {
        self.tx
            .prepare_cached("SELECT DISTINCT file FROM symbol")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .context("reading the files with symbols")
    }

    /// Returns how many files each language has at or below a path; everywhere for an empty one.
    pub fn languages_under(&self, path: &str) -> StoreResult<BTreeMap<String, u64>> {
        if path.is_empty() {
            return self.languages();
        }
        // `0` follows `/`: between them are exactly the paths below the directory.
        let (from, to) = (format!("{path}/"), format!("{path}0"));
        self.tx
            .prepare_cached(
                "SELECT language, count(*) FROM file WHERE path = ?1 OR path > ?2 AND path < ?3 GROUP BY language",
            )
            .and_then(|mut statement| {
                statement
                    .query_map((path, from, to), |row| Ok((row.get(0)?, unsigned(row, 1)?)))?
                    .collect()
            })
            .context("counting languages")
    }

    /// Returns how many files each language has, those left out not counted.
    pub fn languages(&self) -> StoreResult<BTreeMap<String, u64>> {
        self.tx
            .prepare_cached("SELECT language, count(*) FROM file WHERE skip IS NULL OR skip IN (4, 5) GROUP BY 1")
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| Ok((row.get(0)?, unsigned(row, 1)?)))?
                    .collect()
            })
            .context("counting languages")
    }

    /// Returns the files that were left out or reduced for a reason, sorted by path.
    pub fn skipped_for(&self, reason: SkipReason) -> StoreResult<Vec<RepoPath>> {
        self.tx
            .prepare_cached("SELECT path FROM file WHERE skip = ?1 ORDER BY path")
            .and_then(|mut statement| {
                statement
                    .query_map([reason.code()], |row| path(row, 0))?
                    .collect()
            })
            .context("reading what was left out")
    }

    /// Returns how many files were left out or reduced, by reason.
    pub fn skipped(&self) -> StoreResult<BTreeMap<SkipReason, u64>> {
        let rows: Vec<(u8, u64)> = self
            .tx
            .prepare_cached("SELECT skip, count(*) FROM file WHERE skip IS NOT NULL GROUP BY 1")
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| Ok((row.get(0)?, unsigned(row, 1)?)))?
                    .collect()
            })
            .context("counting what was left out")?;
        Ok(rows
            .into_iter()
            .filter_map(|(code, n)| Some((SkipReason::from_code(code)?, n)))
            .collect())
    }
}

/// Returns how many rows there are of each kind.
pub(super) fn counts(connection: &Connection) -> StoreResult<RowCounts> {
    connection
        .prepare_cached(
            &format!("SELECT (SELECT count(*) FROM file), (SELECT ifnull(sum(n), 0) FROM chunk_run), (SELECT count(*) FROM symbol),
                    (SELECT count(*) FROM (SELECT file, target FROM import WHERE target > 0 AND {IS_LEADING} UNION SELECT file, target FROM import_file)),
                    (SELECT count(*) FROM import WHERE state = 3 AND {IS_LEADING}), (SELECT count(*) FROM link_queue)"),
        )
        .and_then(|mut statement| {
            statement.query_row([], |row| {
                Ok(RowCounts {
                    files: unsigned(row, 0)?,
                    chunks: unsigned(row, 1)?,
                    symbols: unsigned(row, 2)?,
                    edges: unsigned(row, 3)?,
                    unresolved: unsigned(row, 4)?,
                    queued: unsigned(row, 5)?,
                })
            })
        })
        .context("counting rows")
}

/// The columns that [`file_row`] reads, of every file.
const FILE_ROWS: &str = "SELECT id, path, content, facts_version, marked, skip, s.size, mtime_ns, ctime_ns, inode, proves_content, file.size, blob
 FROM file LEFT JOIN stat s ON s.file = id";

/// Returns every file row, sorted by path.
pub(super) fn rows(connection: &Connection) -> StoreResult<Vec<FileRow>> {
    connection
        .prepare_cached(FILE_ROWS)
        .and_then(|mut statement| {
            statement
                .query_map([], file_row)?
                .collect::<Result<Vec<_>, _>>()
        })
        .map(|mut rows| {
            // In the order of the tables, then sorted: a look-up by path for each row takes three times as long.
            rows.sort_unstable_by(|a, b| a.path.cmp(&b.path));
            rows
        })
        .context("reading file rows")
}

/// Returns the rows of the files directly in a directory (empty: the root; else with a slash at its end), in no order.
pub(super) fn rows_in(connection: &Connection, directory: &str) -> StoreResult<Vec<FileRow>> {
    // `0` follows `/`: between them are exactly the paths below the directory.
    let end = directory.strip_suffix('/').map(|path| format!("{path}0"));
    connection
        .prepare_cached(&format!(
            "{FILE_ROWS} WHERE path > ?1 AND (?2 IS NULL OR path < ?2) AND instr(substr(path, length(?1) + 1), '/') = 0"
        ))
        .and_then(|mut statement| statement.query_map((directory, end), file_row)?.collect())
        .context("reading the file rows of a directory")
}

/// Returns the row of a file, if there is one.
pub(super) fn row_of(connection: &Connection, file: FileId) -> StoreResult<Option<FileRow>> {
    connection
        .prepare_cached(&format!("{FILE_ROWS} WHERE id = ?1"))
        .and_then(|mut statement| statement.query_row([file], file_row).optional())
        .context("reading a file row")
}

fn file_row(row: &Row<'_>) -> rusqlite::Result<FileRow> {
    let stat = row
        .get::<_, Option<i64>>(6)?
        .map(|size| {
            Ok::<_, rusqlite::Error>(StatRow {
                stat: FileStat {
                    size_bytes: size.cast_unsigned(),
                    mtime_ns: row.get(7)?,
                    ctime_ns: row.get(8)?,
                    inode: row.get::<_, i64>(9)?.cast_unsigned(),
                },
                proves_content: row.get(10)?,
            })
        })
        .transpose()?;
    Ok(FileRow {
        id: row.get(0)?,
        path: path(row, 1)?,
        content: content(row, 2)?,
        facts_version: row.get(3)?,
        has_generated_attribute: row.get(4)?,
        skip: skip(row, 5)?,
        stat,
        size_bytes: unsigned(row, 11)?,
        blob: row
            .get_ref(12)?
            .as_blob_or_null()?
            .and_then(BlobId::from_bytes),
    })
}

pub(super) fn summary(row: &Row<'_>) -> rusqlite::Result<FileSummary> {
    Ok(FileSummary {
        id: row.get(0)?,
        path: path(row, 1)?,
        content: content(row, 2)?,
        language: row.get(3)?,
        skip: skip(row, 4)?,
        n_lines: row.get(5)?,
        facts_version: row.get(6)?,
    })
}

/// Reads a path; one that breaks the invariant is a damaged file, whoever wrote it.
pub(super) fn path(row: &Row<'_>, at: usize) -> rusqlite::Result<RepoPath> {
    let text = row.get_ref(at)?.as_str()?;
    RepoPath::new(text).ok_or_else(|| damaged(at, "a path that leaves the repository"))
}

pub(super) fn content(row: &Row<'_>, at: usize) -> rusqlite::Result<ContentId> {
    ContentId::from_bytes(row.get_ref(at)?.as_blob()?)
        .ok_or_else(|| damaged(at, "a content identifier of another length"))
}

fn skip(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<SkipReason>> {
    Ok(row
        .get::<_, Option<u8>>(at)?
        .and_then(SkipReason::from_code))
}

pub(super) fn unsigned(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(at)?.cast_unsigned())
}

pub(super) fn damaged(at: usize, what: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Null, what.into())
}
