//! Compares two indexes by the rows of the files that both have. Rows that follow from other files are left out: edges
//! and past commits.

use std::collections::HashMap;

use rusqlite::types::{Value, ValueRef};

use crate::model::ChunkId;
use crate::store::{ErrorContext, Read, StoreResult, facts};

/// The rows of a file that follow from its own bytes; the path comes first.
const QUERIES: [&str; 5] = [
    "SELECT path, content, size, lines, language, facts_version, marked, skip FROM file ORDER BY path",
    "SELECT f.path, ordinal, handle, name, norm, qualified, kind, exported, parent, start_line, end_line, name_line,
       start_byte, end_byte, signature FROM symbol s JOIN file f ON f.id = s.file ORDER BY f.path, ordinal",
    "SELECT f.path, ordinal, handle, kind, symbol, part, start_line, end_line, start_byte, end_byte, digest
       FROM chunk c JOIN file f ON f.id = c.file ORDER BY f.path, ordinal",
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
    let words = |of: &Read<'_>| words_of(of, is_left_out);
    Ok(differ(words(theirs)?, words(ours)?))
}

/// A path and something of that file.
type Row<T> = (String, T);

/// A chunk's place in its file, and a hash over its words.
type ChunkWords = (ChunkId, [u8; 32]);

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

/// Returns for each chunk a hash over its words and their positions. Words of a chunk come in the same order,
/// whichever row it has.
fn words_of(
    read: &Read<'_>,
    is_left_out: &dyn Fn(&str) -> bool,
) -> StoreResult<Vec<Row<ChunkWords>>> {
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
    let mut statement = read
        .tx
        .prepare("SELECT f.path, c.ordinal, c.id FROM chunk c JOIN file f ON f.id = c.file ORDER BY 1, 2")
        .context("comparing")?;
    let mut rows = statement.query([]).context("comparing")?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().context("comparing")? {
        let path: String = row.get(0).context("comparing")?;
        if !is_left_out(&path) {
            let hash = hashes.get(&row.get(2).context("comparing")?);
            let ordinal = row.get(1).context("comparing")?;
            found.push((path, (ordinal, hash.copied().unwrap_or_default())));
        }
    }
    Ok(found)
}
