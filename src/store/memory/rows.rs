//! Records and items as rows.

use rusqlite::{Connection, Row, params};

use super::record::{
    DocumentLink, DocumentLocation, NamedTest, RecordKind, SavedItem, SavedRecord, SeenTestRun,
    WrittenBy,
};
use crate::model::{ContentId, RecordId};

/// The columns that [`record`] reads.
pub(super) const RECORD: &str = "SELECT id, uid, kind, name, title, body, by, client, approved, branch, head, tree, index_id, fixes,
    superseded_by, test_command, test_claim, verified_head, verified_tree, verified_dirty, verified_exit, verified_ms, verified_anchored, doc_kind,
    doc_target, doc_digest, relation, locator, pinned, created_ms, updated_ms,
    (SELECT count(*) FROM item WHERE item.record = record.id) FROM record";

/// The last column of [`RECORD`], which alone is not of the record's own row.
pub(super) const N_ITEMS: &str = "(SELECT count(*) FROM item WHERE item.record = record.id)";

/// Writes a record and its items. One of the same kind and name is replaced and keeps its number, its `uid` and its first date.
/// Returns its number.
pub(super) fn write(
    tx: &Connection,
    new: &SavedRecord,
    items: &[SavedItem],
) -> rusqlite::Result<RecordId> {
    let test = new.test.as_ref();
    let document = new.document.as_ref();
    let (doc_kind, doc_target, doc_digest) = match document.map(|document| &document.place) {
        None => (None, None, None),
        Some(DocumentLocation::Path(path)) => (Some(0), Some(path), None),
        Some(DocumentLocation::Address(address)) => (Some(1), Some(address), None),
        Some(DocumentLocation::Copy(digest, name)) => {
            (Some(2), Some(name), Some(digest.as_bytes().to_vec()))
        }
    };
    let id: RecordId = tx.query_row(
        "INSERT INTO record(uid, kind, name, title, body, by, client, approved, branch, head, tree, index_id, fixes, test_command,
           test_claim, doc_kind, doc_target, doc_digest, relation, locator, pinned, created_ms, updated_ms)
         VALUES(iif(?1 = '', 'mem_' || lower(hex(randomblob(8))), ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,
           ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)
         ON CONFLICT(kind, name) WHERE name IS NOT NULL DO UPDATE SET title = excluded.title, body = excluded.body,
           by = excluded.by, client = excluded.client, approved = excluded.approved, branch = excluded.branch,
           head = excluded.head, tree = excluded.tree, index_id = excluded.index_id, fixes = excluded.fixes,
           superseded_by = NULL, test_command = excluded.test_command, test_claim = excluded.test_claim,
           verified_head = NULL, verified_tree = NULL, verified_dirty = NULL, verified_exit = NULL, verified_ms = NULL, verified_anchored = NULL,
           doc_kind = excluded.doc_kind, doc_target = excluded.doc_target, doc_digest = excluded.doc_digest,
           relation = excluded.relation, locator = excluded.locator, pinned = excluded.pinned,
           updated_ms = excluded.updated_ms
         RETURNING id",
        params![
            new.uid,
            new.kind.number(),
            new.name,
            new.title,
            new.text,
            new.by.number(),
            new.client,
            new.approved,
            new.branch,
            new.head_sha,
            new.tree,
            new.index_id,
            new.fixes,
            test.map(|test| &test.command),
            test.and_then(|test| test.passed),
            doc_kind,
            doc_target,
            doc_digest,
            document.and_then(|document| document.relation.as_ref()),
            document.and_then(|document| document.locator.as_ref()),
            new.pinned,
            new.created_ms,
            new.updated_ms,
        ],
        |row| row.get(0),
    )?;
    tx.execute("DELETE FROM item WHERE record = ?1", [id])?;
    let mut insert =
        tx.prepare_cached("INSERT INTO item VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")?;
    for (item, ordinal) in items.iter().zip(0_i64..) {
        let digests: Vec<u8> = item
            .digests
            .iter()
            .flat_map(|hash| hash.to_le_bytes())
            .collect();
        insert.execute(params![
            id,
            ordinal,
            item.handle,
            item.path,
            item.symbol.as_ref().map(|(name, _)| name),
            item.symbol.as_ref().map(|(_, kind)| kind),
            item.lines.map(|(from, _)| from),
            item.lines.map(|(_, to)| to),
            item.content.as_bytes().as_slice(),
            digests,
            item.exact.map(|exact| exact.as_bytes().to_vec()),
        ])?;
    }
    Ok(id)
}

/// Reads a record.
pub(super) fn record(row: &Row<'_>) -> rusqlite::Result<SavedRecord> {
    let command: Option<String> = row.get(15)?;
    let claim: Option<bool> = row.get(16)?;
    let seen = row.get::<_, Option<i64>>(20)?.map(|exit_code| {
        Ok::<_, rusqlite::Error>(SeenTestRun {
            head_sha: row.get(17)?,
            tree: row.get(18)?,
            dirty: digest(row, 19)?,
            exit_code,
            took_ms: row.get::<_, Option<i64>>(21)?.unwrap_or_default(),
            anchored: row.get::<_, Option<bool>>(22)?.unwrap_or_default(),
        })
    });
    let target: Option<String> = row.get(24)?;
    let place = match (row.get::<_, Option<i64>>(23)?, target, digest(row, 25)?) {
        (Some(0), Some(path), _) => Some(DocumentLocation::Path(path)),
        (Some(1), Some(address), _) => Some(DocumentLocation::Address(address)),
        (Some(2), Some(name), Some(digest)) => Some(DocumentLocation::Copy(digest, name)),
        _ => None,
    };
    let (relation, locator) = (row.get(26)?, row.get(27)?);
    Ok(SavedRecord {
        id: row.get(0)?,
        uid: row.get(1)?,
        kind: RecordKind::of_number(row.get(2)?),
        name: row.get(3)?,
        title: row.get(4)?,
        text: row.get(5)?,
        by: WrittenBy::of_number(row.get(6)?),
        client: row.get(7)?,
        approved: row.get(8)?,
        branch: row.get(9)?,
        head_sha: row.get(10)?,
        tree: row.get(11)?,
        index_id: row.get(12)?,
        fixes: row.get(13)?,
        superseded_by: row.get(14)?,
        test: command.map(|command| NamedTest {
            command,
            passed: claim,
        }),
        seen: seen.transpose()?,
        document: place.map(|place| DocumentLink {
            place,
            relation,
            locator,
        }),
        pinned: row.get(28)?,
        created_ms: row.get(29)?,
        updated_ms: row.get(30)?,
        n_items: row.get::<_, i64>(31)?.cast_unsigned(),
    })
}

/// Reads an item.
pub(super) fn item(row: &Row<'_>) -> rusqlite::Result<SavedItem> {
    let (symbol, kind): (Option<String>, Option<String>) = (row.get(2)?, row.get(3)?);
    let (from, to): (Option<u32>, Option<u32>) = (row.get(4)?, row.get(5)?);
    let digests: Vec<u8> = row.get(7)?;
    Ok(SavedItem {
        handle: row.get(0)?,
        path: row.get(1)?,
        symbol: symbol.zip(kind),
        lines: from.zip(to),
        content: crate::store::files::content(row, 6)?,
        digests: digests
            .as_chunks::<8>()
            .0
            .iter()
            .map(|bytes| u64::from_le_bytes(*bytes))
            .collect(),
        exact: digest(row, 8)?,
    })
}

fn digest(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<ContentId>> {
    let bytes: Option<Vec<u8>> = row.get(at)?;
    Ok(bytes.and_then(|bytes| ContentId::from_bytes(&bytes)))
}
