//! Whether a database that somebody else wrote is an index: its tables exactly, and every value one that a
//! reader may follow.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _};

use super::{BundleManifest, refused};
use crate::ir::ImportKind;
use crate::model::hash::HashSet;
use crate::model::{FileId, RepoPath, SkipReason, SymbolId, SymbolKind};
use crate::store::packed_chunks::{self, ChunkOwner, StoredChunk};
use crate::store::packed_edges::{EdgeList, each_edge};
use crate::store::schema::{SCHEMA, SCHEMA_VERSION};
use crate::store::unbound::{UnboundList, each_unbound};
use crate::store::{ErrorContext, FileRow, StoreError, StoreResult, connection, facts, files};

/// Checks a database, read-only and as it lies there.
///
/// # Errors
/// [`StoreError::Bundle`] with the first thing that is wrong.
pub(super) fn check(path: &Path, manifest: &BundleManifest) -> StoreResult<()> {
    let uri = format!("file:{}?immutable=1", connection::percent(path));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let checked = Connection::open_with_flags(uri, flags)
        .context("opening the bundle's index")
        .and_then(|connection| validate(&connection, manifest));
    // Any error of SQLite here is a fault of the bundle.
    checked.map_err(|error| match error {
        StoreError::Sqlite { .. } => refused("its index cannot be read"),
        other => other,
    })
}

fn validate(connection: &Connection, manifest: &BundleManifest) -> StoreResult<()> {
    connection::harden(connection)?;
    connection
        .execute_batch("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY;")
        .context("configuring the connection")?;
    // Before anything is run that a foreign table could have a part in.
    if schema_of(connection)? != wanted_schema()? {
        return Err(refused(
            "its index has other tables than this version makes",
        ));
    }
    let version: i64 = connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .context("reading the schema version")?;
    if version != SCHEMA_VERSION {
        return Err(refused("its index has another schema than declared"));
    }
    // Before anything makes signatures: a name may stand in one often.
    if has_row(connection, LONG_SIGNATURE)? {
        return Err(refused("its index has a signature that is too long"));
    }
    let found: String = connection
        .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .context("checking the index")?;
    if found != "ok" {
        return Err(refused("its index is damaged"));
    }
    if has_row(connection, "PRAGMA foreign_key_check")? {
        return Err(refused("its index has rows that belong to nothing"));
    }
    let rows =
        files::rows(connection).map_err(|_| refused("its index has an invalid path or content"))?;
    let is_listed = rows.len() == manifest.len()
        && rows
            .iter()
            .zip(manifest)
            .all(|(row, (path, content))| row.path == *path && row.content == *content);
    if !is_listed {
        return Err(refused("its index has other files than its manifest"));
    }
    for (what, query) in rules() {
        if has_row(connection, &query)? {
            return Err(refused(format!("its index has {what} that cannot be")));
        }
    }
    packed(connection)?;
    chunks(connection)?;
    edges(connection)?;
    unbound(connection, &rows)?;
    texts(connection)?;
    paths(connection)
}

/// A signature that takes more than a megabyte with the names in it.
const LONG_SIGNATURE: &str = "SELECT 1 FROM symbol WHERE length(CAST(name AS BLOB)) *
   (length(CAST(short_signature AS BLOB)) - length(CAST(replace(short_signature, char(1), '') AS BLOB))) > 1048576";

type Object = (String, String, String, Option<String>);

fn schema_of(connection: &Connection) -> StoreResult<BTreeSet<Object>> {
    connection
        .prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema")
        .and_then(|mut statement| {
            statement
                .query_map([], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                })?
                .collect()
        })
        .context("reading the tables")
}

fn wanted_schema() -> StoreResult<BTreeSet<Object>> {
    let fresh = Connection::open_in_memory().context("making the tables")?;
    fresh.execute_batch(SCHEMA).context("making the tables")?;
    schema_of(&fresh)
}

fn has_row(connection: &Connection, query: &str) -> StoreResult<bool> {
    connection
        .prepare(query)
        .and_then(|mut statement| statement.exists([]))
        .context("checking the index")
}

/// Faults that rows must not have: a name, and the query that would find one.
fn rules() -> Vec<(&'static str, String)> {
    const U32: &str = "BETWEEN 0 AND 4294967295";
    let last = |n: usize| n - 1;
    let span = |table: &str| {
        format!(
            "SELECT 1 FROM {table} t JOIN file f ON f.id = t.file
             WHERE start_line < 1 OR end_line < start_line OR end_line > max(f.lines, 1)
                OR start_byte < 0 OR end_byte < start_byte OR end_byte > min(f.size, 4294967295)"
        )
    };
    let gaps = |table: &str| {
        format!(
            "SELECT 1 FROM {table} GROUP BY file HAVING min(ordinal) <> 0 OR max(ordinal) <> count(*) - 1
               OR count(DISTINCT ordinal) <> count(*)"
        )
    };
    vec![
        (
            "settings",
            "SELECT 1 FROM meta WHERE key NOT IN ('index_id', 'generation', 'complete', 'history') OR length(value) > 256
             UNION ALL SELECT 1 WHERE (SELECT value FROM meta WHERE key = 'complete') IS NOT '1'
             UNION ALL SELECT 1 WHERE (SELECT value FROM meta WHERE key = 'generation') IS NOT '1'"
                .to_owned(),
        ),
        ("stats", "SELECT 1 FROM stat".to_owned()),
        ("files left to link", "SELECT 1 FROM link_queue".to_owned()),
        (
            "files",
            format!(
                "SELECT 1 FROM file WHERE id < 1 OR size < 0 OR NOT lines {U32} OR NOT facts_version {U32} OR marked NOT IN (0, 1)
                   OR blob IS NOT NULL OR (skip IS NOT NULL AND skip NOT BETWEEN 0 AND {})",
                last(SkipReason::ALL.len())
            ),
        ),
        (
            "symbols",
            format!(
                "SELECT 1 FROM symbol WHERE id < 1 OR NOT ordinal {U32} OR kind NOT BETWEEN 0 AND {} OR exported NOT IN (0, 1)
                   OR parent NOT BETWEEN 0 AND ordinal - 1 OR NOT name_line {U32}",
                last(SymbolKind::ALL.len())
            ),
        ),
        ("symbols in places", span("symbol")),
        ("an order of symbols", gaps("symbol")),
        (
            "runs of chunks",
            "SELECT 1 FROM chunk_run r WHERE first < 1 OR n < 1 OR file NOT IN (SELECT file FROM chunk)
               OR EXISTS (SELECT 1 FROM chunk_run later WHERE later.first > r.first AND later.first < r.first + r.n)"
                .to_owned(),
        ),
        (
            "words",
            "SELECT 1 FROM text_docsize t
               WHERE (SELECT t.id < first + n FROM chunk_run WHERE first <= t.id ORDER BY first DESC LIMIT 1) IS NOT 1
             UNION ALL SELECT 1 FROM message_docsize WHERE id NOT IN (SELECT id FROM \"commit\")"
                .to_owned(),
        ),
        (
            "imports",
            format!(
                "SELECT 1 FROM import WHERE NOT ordinal {U32} OR kind NOT BETWEEN 0 AND {} OR type_only NOT IN (0, 1)
                   OR NOT line {U32} OR state NOT BETWEEN 0 AND 3 OR (state = 1) <> (target IS NOT NULL)
                   OR target > 0 AND target NOT IN (SELECT id FROM file) OR target < 1 AND -target NOT IN (SELECT id FROM unit)",
                last(ImportKind::ALL.len())
            ),
        ),
        (
            "units",
            "SELECT 1 FROM unit WHERE id < 1 OR id NOT IN (SELECT unit FROM unit_file) OR length(key) > 4096
             UNION ALL SELECT 1 FROM unit_file WHERE rank NOT BETWEEN 0 AND 255
             UNION ALL SELECT 1 FROM import_file n WHERE NOT EXISTS (SELECT 1 FROM import i WHERE i.file = n.file AND i.ordinal = n.ordinal)"
                .to_owned(),
        ),
        (
            "commits",
            "SELECT 1 FROM \"commit\" WHERE id < 1 OR length(hash) NOT IN (20, 32) OR length(parents) % length(hash) <> 0
               OR fix NOT IN (0, 1) OR files NOT BETWEEN 0 AND 4294967295 OR author <> '' OR length(subject) > 160
             UNION ALL SELECT 1 FROM \"commit\" GROUP BY hash HAVING count(*) > 1
             UNION ALL SELECT 1 FROM touch WHERE counts NOT IN (0, 1) OR \"commit\" NOT IN (SELECT id FROM \"commit\")
               OR path NOT IN (SELECT id FROM past_path) OR moved_from NOT IN (SELECT id FROM past_path)"
                .to_owned(),
        ),
    ]
}

/// Facts are followed index by index when files are linked, and their symbols are those of the rows.
fn packed(connection: &Connection) -> StoreResult<()> {
    let mut statement = connection
        .prepare(
            "SELECT declared, uses, (SELECT count(*) FROM symbol s WHERE s.file = x.file) FROM facts x",
        )
        .context("reading facts")?;
    let mut rows = statement.query([]).context("reading facts")?;
    while let Some(row) = rows.next().context("reading facts")? {
        let packed = facts::PackedFacts {
            declared: row.get(0).context("reading facts")?,
            uses: row.get(1).context("reading facts")?,
        };
        let n_symbols: i64 = row.get(2).context("reading facts")?;
        let unpacked = facts::unpack_facts(&packed);
        let is_whole = unpacked.is_some_and(|it| i64::try_from(it.symbols.len()) == Ok(n_symbols));
        // The first part is read alone, too.
        if !is_whole || facts::unpack_declared(&packed.declared).is_none() {
            return Err(refused("its index has facts that cannot be"));
        }
    }
    let mut statement = connection
        .prepare("SELECT packed FROM config")
        .context("reading configuration files")?;
    let mut rows = statement.query([]).context("reading configuration files")?;
    while let Some(row) = rows.next().context("reading configuration files")? {
        let packed: Vec<u8> = row.get(0).context("reading configuration files")?;
        if facts::unpack(&packed).is_none() {
            return Err(refused(
                "its index has a configuration file that cannot be unpacked",
            ));
        }
    }
    Ok(())
}

/// Chunks are unpacked, and every number in them is followed; the runs of their ids are all rows of runs that there are.
fn chunks(connection: &Connection) -> StoreResult<()> {
    let doing = "reading chunks";
    let mut statement = connection
        .prepare(
            "SELECT c.file, c.packed, f.lines, f.size, (SELECT count(*) FROM symbol s WHERE s.file = c.file) FROM chunk c JOIN file f ON f.id = c.file",
        )
        .context(doing)?;
    let mut has_run = connection
        .prepare("SELECT 1 FROM chunk_run WHERE first = ?1 AND n = ?2 AND file = ?3")
        .context(doing)?;
    let mut n_runs = 0;
    let mut rows = statement.query([]).context(doing)?;
    while let Some(row) = rows.next().context(doing)? {
        let file: FileId = row.get(0).context(doing)?;
        let packed = row.get_ref(1).context(doing)?.as_blob();
        let chunks = packed.ok().and_then(packed_chunks::unpack);
        let limit = |at| row.get::<_, i64>(at).context(doing);
        let (n_lines, n_bytes, n_symbols) = (limit(2)?, limit(3)?, limit(4)?);
        let is_in_place = |chunk: &StoredChunk| {
            let is_owner = match chunk.owner {
                ChunkOwner::Symbol(at) => i64::from(at) < n_symbols,
                ChunkOwner::Nobody(_) => true,
            };
            is_owner
                && i64::from(chunk.span.end_line) <= n_lines.max(1)
                && i64::from(chunk.span.end_byte) <= n_bytes
        };
        let chunks = chunks
            .filter(|chunks| chunks.iter().all(is_in_place))
            .ok_or_else(|| refused("its index has chunks that cannot be"))?;
        for (first, n) in packed_chunks::runs(&chunks) {
            n_runs += 1;
            if !has_run.exists((first, n, file)).context(doing)? {
                return Err(refused("its index has chunks without a run"));
            }
        }
    }
    let all: i64 = connection
        .query_row("SELECT count(*) FROM chunk_run", [], |row| row.get(0))
        .context(doing)?;
    if all != n_runs {
        return Err(refused("its index has runs without chunks"));
    }
    Ok(())
}

/// Edges lead from a definition of their file, or its top level, to a definition that there is.
fn edges(connection: &Connection) -> StoreResult<()> {
    let mut file_of = connection
        .prepare("SELECT file FROM symbol WHERE id = ?1")
        .context("reading edges")?;
    let mut is_sound = true;
    each_edge(connection, EdgeList::All, |edge| {
        let mut file_of = |symbol: SymbolId| {
            let row = file_of.query_row([symbol], |row| row.get::<_, FileId>(0));
            row.optional()
        };
        is_sound &= file_of(edge.dst)?.is_some();
        if let Some(src) = edge.src {
            is_sound &= file_of(src)? == Some(edge.src_file);
        }
        Ok(())
    })
    .map_err(|_| refused("its index has edges that cannot be read"))?;
    is_sound
        .then_some(())
        .ok_or_else(|| refused("its index has edges that cannot be"))
}

/// Unbound names are of files that there are.
fn unbound(connection: &Connection, files: &[FileRow]) -> StoreResult<()> {
    let files: HashSet<FileId> = files.iter().map(|row| row.id).collect();
    let mut is_sound = true;
    each_unbound(connection, UnboundList::All, |it| {
        is_sound &= files.contains(&it.file);
    })
    .map_err(|_| refused("its index has unbound names that cannot be read"))?;
    is_sound
        .then_some(())
        .ok_or_else(|| refused("its index has unbound names that cannot be"))
}

/// SQLite takes any bytes for text; whoever reads them does not.
fn texts(connection: &Connection) -> StoreResult<()> {
    for query in [
        "SELECT key, value FROM meta",
        "SELECT language FROM file",
        "SELECT name, norm, qualified, signature FROM symbol",
        "SELECT specifier FROM import",
        "SELECT key FROM unit",
        "SELECT path FROM past_path",
        "SELECT subject FROM \"commit\"",
    ] {
        let mut statement = connection.prepare(query).context("reading texts")?;
        let n_columns = statement.column_count();
        let mut rows = statement.query([]).context("reading texts")?;
        while let Some(row) = rows.next().context("reading texts")? {
            for at in 0..n_columns {
                let text = row.get_ref(at).context("reading texts")?;
                if text.as_str_or_null().is_err() {
                    return Err(refused("its index has a text that is not UTF-8"));
                }
            }
        }
    }
    Ok(())
}

fn paths(connection: &Connection) -> StoreResult<()> {
    let mut statement = connection
        .prepare("SELECT path FROM past_path")
        .context("reading past commits")?;
    let mut rows = statement.query([]).context("reading past commits")?;
    while let Some(row) = rows.next().context("reading past commits")? {
        let path: String = row.get(0).context("reading past commits")?;
        if RepoPath::new(&path).is_none() {
            return Err(refused("its index has a path that leaves the repository"));
        }
    }
    Ok(())
}
