//! Compares two indexes by the rows of the files that both have. Rows that follow from other files are left out: edges
//! and past commits.

use std::collections::HashMap;

use rusqlite::types::{Value, ValueRef};

use crate::model::{ChunkId, Handle};
use crate::store::packed_chunks::StoredChunk;
use crate::store::{ErrorContext, Read, StoreResult, facts};

/// The rows of a file that follow from its own bytes; the path comes first.
const QUERIES: [&str; 4] = [
    "SELECT path, content, size, lines, language, facts_version, marked, skip FROM file ORDER BY path",
    "SELECT f.path, ordinal, handle, name, norm, qualified, kind, exported, parent, start_line, end_line, name_line,
       start_byte, end_byte, signature FROM symbol s JOIN file f ON f.id = s.file ORDER BY f.path, ordinal",
    "SELECT f.path, ordinal, specifier, i.kind, type_only, line FROM import i JOIN file f ON f.id = i.file
       ORDER BY f.path, ordinal",
    "SELECT f.path, u.key, m.rank FROM unit_file m JOIN unit u ON u.id = m.unit JOIN file f ON f.id = m.file ORDER BY f.path, u.key",
];

/// Packed columns of these rows: equal facts may be packed in several ways.
const PACKED: [&str; 2] = [
    "SELECT f.path, declared, uses FROM facts x JOIN file f ON f.id = x.file ORDER BY f.path",
    "SELECT f.path, packed FROM config x JOIN file f ON f.id = x.file ORDER BY f.path",
];

/// Returns the first file of which `theirs` says something else than `ours`; files for which `is_left_out` are
/// passed over. Reads all of both.
pub fn first_difference(
    theirs: &Read<'_>,
    ours: &Read<'_>,
    is_left_out: &dyn Fn(&str) -> bool,
) -> StoreResult<Option<String>> {
    for query in QUERIES {
        let rows = |of: &Read<'_>| rows_of(of, query, is_left_out);
        if let Some(path) = differ(rows(theirs)?, rows(ours)?) {
            return Ok(Some(path));
        }
    }
    for query in PACKED {
        let rows = |of: &Read<'_>| -> StoreResult<Vec<(String, Vec<Value>)>> {
            let mut rows = rows_of(of, query, is_left_out)?;
            for (_, values) in &mut rows {
                for value in values {
                    if let Value::Blob(packed) = value {
                        *value = facts::unpack(packed).map_or(Value::Null, Value::Blob);
                    }
                }
            }
            Ok(rows)
        };
        if let Some(path) = differ(rows(theirs)?, rows(ours)?) {
            return Ok(Some(path));
        }
    }
    let chunks = |of: &Read<'_>| chunks_of(of, is_left_out);
    Ok(differ(chunks(theirs)?, chunks(ours)?))
}

/// A path and something of that file.
type Row<T> = (String, T);

/// A chunk without its row, its handle, and a hash over its words.
type ChunkAndWords = (StoredChunk, Handle, [u8; 32]);

fn differ<T: PartialEq>(theirs: Vec<Row<T>>, ours: Vec<Row<T>>) -> Option<String> {
    let (n_theirs, n_ours) = (theirs.len(), ours.len());
    let at = theirs.iter().zip(&ours).position(|(one, two)| one != two);
    let at = at.or_else(|| (n_theirs != n_ours).then_some(n_theirs.min(n_ours)))?;
    let path = |rows: Vec<Row<T>>| rows.into_iter().nth(at).map(|(path, _)| path);
    // Of two rows the one of the lesser path is the one that the other side does not have.
    match (path(theirs), path(ours)) {
        (Some(one), Some(two)) => Some(one.min(two)),
        (one, two) => one.or(two),
    }
}

fn rows_of(
    read: &Read<'_>,
    query: &str,
    is_left_out: &dyn Fn(&str) -> bool,
) -> StoreResult<Vec<Row<Vec<Value>>>> {
    let mut statement = read.tx.prepare(query).context("comparing")?;
    let n = statement.column_count();
    let mut rows = statement.query([]).context("comparing")?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().context("comparing")? {
        let path: String = row.get(0).context("comparing")?;
        if is_left_out(&path) {
            continue;
        }
        let values: Result<Vec<Value>, _> = (1..n).map(|at| row.get(at)).collect();
        found.push((path, values.context("comparing")?));
    }
    Ok(found)
}

/// Returns each chunk with a hash over its words and their positions. Words of a chunk come in the same order,
/// whichever row it has.
fn chunks_of(
    read: &Read<'_>,
    is_left_out: &dyn Fn(&str) -> bool,
) -> StoreResult<Vec<Row<ChunkAndWords>>> {
    let mut hashes: HashMap<ChunkId, [u8; 32]> = HashMap::new();
    {
        let mut statement = read
            .tx
            .prepare("SELECT doc, term, col, offset FROM posting")
            .context("comparing")?;
        let mut rows = statement.query([]).context("comparing")?;
        while let Some(row) = rows.next().context("comparing")? {
            let hash = hashes.entry(row.get(0).context("comparing")?).or_default();
            let mut hasher = blake3::Hasher::new();
            hasher.update(hash);
            for at in 1..4 {
                match row.get_ref(at).context("comparing")? {
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => hasher.update(bytes),
                    ValueRef::Integer(n) => hasher.update(&n.to_le_bytes()),
                    ValueRef::Null | ValueRef::Real(_) => hasher.update(&[0]),
                };
                hasher.update(&[0xff]);
            }
            *hash = *hasher.finalize().as_bytes();
        }
    }
    let mut found = Vec::new();
    read.each_chunk_file(|file, handles| {
        let path = file.path.as_str();
        if is_left_out(path) {
            return;
        }
        for (chunk, handle) in file.chunks.iter().zip(handles) {
            let words = hashes.get(&chunk.id).copied().unwrap_or_default();
            let chunk = StoredChunk {
                id: ChunkId::NONE,
                ..*chunk
            };
            found.push((path.to_owned(), (chunk, *handle, words)));
        }
    })?;
    Ok(found)
}
