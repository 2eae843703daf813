//! Memory: records that people and agents saved, one database a repository, apart from every index.
//!
//! No rebuild, drop or prune touches it, and an index that is damaged takes nothing of it along. Holds no source text:
//! an item is known again by the hashes of its lines.

mod open;
mod record;
mod rows;
mod salvage;
#[cfg(test)]
mod tests;
mod words;

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

pub use open::{DAMAGED, MEMORY_VERSION, path};
pub use record::{
    DocumentLink, DocumentLocation, NamedTest, RecordKind, SavedItem, SavedRecord, SeenTestRun,
    WrittenBy,
};
pub use salvage::readable;

use super::{ErrorContext, StoreError, StoreResult};
use crate::model::RecordId;
use rows::RECORD;

/// The most records of a repository.
pub const MAX_RECORDS: u64 = 10_000;

/// The saved records of one repository.
#[derive(Debug)]
pub struct RecordStore {
    connection: Connection,
}

/// The places by which records about them are looked up.
#[derive(Clone, Debug, Default)]
pub struct RecordSubjects {
    /// Paths of files.
    pub paths: Vec<String>,
    /// Qualified names of symbols.
    pub symbols: Vec<String>,
    /// Digests of whole files, in hexadecimal digits.
    pub contents: Vec<String>,
}

impl RecordStore {
    /// Saves a record, all of it or nothing. One of the same kind and name is replaced and keeps its number, its `uid` and
    /// its first date. Where the memory is full, superseded records make room, the oldest first; `None` where there are none.
    pub fn save(
        &mut self,
        new: &SavedRecord,
        items: &[SavedItem],
    ) -> StoreResult<Option<SavedRecord>> {
        let doing = "saving a record";
        let tx = begin(&mut self.connection, doing)?;
        let id = save_one(&tx, new, items).context(doing)?;
        let Some(id) = id else {
            return Ok(None);
        };
        tx.commit().context(doing)?;
        self.with_id(id)
    }

    /// Saves imported records, all of them or none: each with its items and the `uid` of the failure that it repairs.
    /// A record of this machine that has the same `uid`, or the same kind and name, stays as it is unless it is a context of the
    /// same name, which is replaced. Returns the numbers of the records that were saved; `None` where there is no room.
    pub fn save_imported(
        &mut self,
        records: &[(SavedRecord, Vec<SavedItem>, Option<String>)],
    ) -> StoreResult<Option<Vec<RecordId>>> {
        let doing = "importing records";
        let tx = begin(&mut self.connection, doing)?;
        let mut saved = Vec::new();
        let mut fixed: Vec<(RecordId, &String)> = Vec::new();
        for (new, items, fixes) in records {
            if !may_import(&tx, new).context(doing)? {
                continue;
            }
            let Some(id) = save_one(&tx, new, items).context(doing)? else {
                return Ok(None);
            };
            saved.push(id);
            fixed.extend(fixes.iter().map(|fixes| (id, fixes)));
        }
        for (id, fixes) in fixed {
            tx.execute(
                "UPDATE record SET fixes = (SELECT id FROM record WHERE uid = ?2) WHERE id = ?1",
                params![id, fixes],
            )
            .context(doing)?;
        }
        tx.commit().context(doing)?;
        Ok(Some(saved))
    }

    /// Returns a record by its number; `None` if there is none.
    pub fn with_id(&self, id: RecordId) -> StoreResult<Option<SavedRecord>> {
        self.connection
            .query_row(&format!("{RECORD} WHERE id = ?1"), [id], rows::record)
            .optional()
            .context("reading a saved record")
    }

    /// Returns the records of a name or `uid`, by kind.
    pub fn by_name(&self, name: &str) -> StoreResult<Vec<SavedRecord>> {
        self.connection
            .prepare(&format!(
                "{RECORD} WHERE name = ?1 OR uid = ?1 ORDER BY kind"
            ))
            .and_then(|mut statement| statement.query_map([name], rows::record)?.collect())
            .context("reading a saved record")
    }

    /// Returns every record, or those of a kind: the named ones by name, then by number.
    pub fn all(&self, kind: Option<RecordKind>) -> StoreResult<Vec<SavedRecord>> {
        let kind = kind.map(RecordKind::number);
        self.connection
            .prepare(&format!(
                "{RECORD} WHERE ?1 IS NULL OR kind = ?1 ORDER BY name IS NULL, name, id"
            ))
            .and_then(|mut statement| statement.query_map([kind], rows::record)?.collect())
            .context("reading the saved records")
    }

    /// Returns how many records there are, or of a kind.
    pub fn count(&self, kind: Option<RecordKind>) -> StoreResult<u64> {
        self.connection
            .query_row(
                "SELECT count(*) FROM record WHERE ?1 IS NULL OR kind = ?1",
                [kind.map(RecordKind::number)],
                |row| row.get::<_, i64>(0),
            )
            .map(i64::cast_unsigned)
            .context("counting the saved records")
    }

    /// Returns the items of a record, in their order.
    pub fn items(&self, id: RecordId) -> StoreResult<Vec<SavedItem>> {
        self.connection
            .prepare_cached(
                "SELECT handle, path, symbol, kind, start_line, end_line, content, lines, exact
                 FROM item WHERE record = ?1 ORDER BY ordinal",
            )
            .and_then(|mut statement| statement.query_map([id], rows::item)?.collect())
            .context("reading the items of a record")
    }

    /// Returns the numbers of records that have an item of one of these files, symbols or file contents, or were saved of
    /// a file that was so; at most `limit`, the newest first.
    pub fn about(&self, places: &RecordSubjects, limit: usize) -> StoreResult<Vec<RecordId>> {
        let list = |values: &[String]| {
            let quoted = values.iter().map(|value| {
                let mut text = String::from('"');
                for c in value.chars() {
                    match c {
                        '"' | '\\' => text.extend(['\\', c]),
                        c if c < ' ' => text.extend(format!("\\u{:04x}", u32::from(c)).chars()),
                        c => text.push(c),
                    }
                }
                text + "\""
            });
            format!("[{}]", quoted.collect::<Vec<_>>().join(","))
        };
        self.connection
            .prepare_cached(
                "SELECT record FROM item WHERE path IN (SELECT value FROM json_each(?1))
                 UNION SELECT record FROM item WHERE symbol IN (SELECT value FROM json_each(?2))
                 UNION SELECT record FROM item WHERE content IN (SELECT unhex(value) FROM json_each(?3))
                 ORDER BY 1 DESC LIMIT ?4",
            )
            .and_then(|mut statement| {
                let limit = i64::try_from(limit).unwrap_or(i64::MAX);
                let values = params![
                    list(&places.paths),
                    list(&places.symbols),
                    list(&places.contents),
                    limit
                ];
                statement.query_map(values, |row| row.get(0))?.collect()
            })
            .context("looking up saved records")
    }

    /// Returns the numbers of records that have an item below a directory, at most `limit`, the newest first.
    pub fn below(&self, directory: &str, limit: usize) -> StoreResult<Vec<RecordId>> {
        let from = format!("{directory}/");
        // `0` is the character behind `/`.
        let to = format!("{directory}0");
        self.connection
            .prepare_cached(
                "SELECT DISTINCT record FROM item WHERE path >= ?1 AND path < ?2 ORDER BY 1 DESC LIMIT ?3",
            )
            .and_then(|mut statement| {
                let limit = i64::try_from(limit).unwrap_or(i64::MAX);
                statement
                    .query_map(params![from, to, limit], |row| row.get(0))?
                    .collect()
            })
            .context("looking up saved records")
    }

    /// Returns the fixes of a failure: the approved ones, each the newest first.
    pub fn fixes_of(&self, failure: RecordId) -> StoreResult<Vec<SavedRecord>> {
        self.connection
            .prepare_cached(&format!(
                "{RECORD} WHERE fixes = ?1 ORDER BY approved DESC, updated_ms DESC, id DESC"
            ))
            .and_then(|mut statement| statement.query_map([failure], rows::record)?.collect())
            .context("reading the fixes of a failure")
    }

    /// Gives a record another name. Returns `false` if the name is taken.
    pub fn rename(&mut self, id: RecordId, to: &str) -> StoreResult<bool> {
        let n = self.change(
            "renaming a record",
            "UPDATE OR IGNORE record SET name = ?2, title = iif(kind = 0, ?2, title) WHERE id = ?1",
            params![id, to],
        )?;
        Ok(n == 1)
    }

    /// Removes a record. Returns `false` if there is none.
    pub fn remove(&mut self, id: RecordId) -> StoreResult<bool> {
        let doing = "removing a record";
        let n = self.change(doing, "DELETE FROM record WHERE id = ?1", params![id])?;
        Ok(n == 1)
    }

    /// Notes that a person here answers for a record.
    pub fn approve(&mut self, id: RecordId) -> StoreResult<bool> {
        let doing = "approving a record";
        let set = "UPDATE record SET approved = 1 WHERE id = ?1";
        Ok(self.change(doing, set, params![id])? == 1)
    }

    /// Notes that a record came in the place of another.
    pub fn supersede(&mut self, old: RecordId, new: RecordId) -> StoreResult<bool> {
        let doing = "superseding a record";
        let set = "UPDATE record SET superseded_by = ?2 WHERE id = ?1 AND id <> ?2";
        Ok(self.change(doing, set, params![old, new])? == 1)
    }

    /// Notes a test run that was seen.
    pub fn note_test_run(&mut self, id: RecordId, run: &SeenTestRun) -> StoreResult<bool> {
        let n = self.change(
            "noting a test run",
            "UPDATE record SET verified_head = ?2, verified_tree = ?3, verified_dirty = ?4, verified_exit = ?5, verified_ms = ?6,
               verified_anchored = ?7 WHERE id = ?1",
            params![
                id,
                run.head_sha,
                run.tree,
                run.dirty.map(|dirty| dirty.as_bytes().to_vec()),
                run.exit_code,
                run.took_ms,
                run.anchored
            ],
        )?;
        Ok(n == 1)
    }

    /// Returns the number that rises with every change.
    pub fn revision(&self) -> StoreResult<i64> {
        self.connection
            .query_row("SELECT revision FROM meta", [], |row| row.get(0))
            .context("reading the revision of the saved records")
    }

    /// Returns the digests of the copies of documents that records need, in hexadecimal digits.
    pub fn copies(&self) -> StoreResult<Vec<String>> {
        self.connection
            .prepare(
                "SELECT DISTINCT lower(hex(doc_digest)) FROM record WHERE doc_kind = 2 ORDER BY 1",
            )
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .context("reading the saved documents")
    }

    /// Returns the indexes that pinned records were saved on.
    pub fn pinned_indexes(&self) -> StoreResult<Vec<String>> {
        self.connection
            .prepare("SELECT DISTINCT index_id FROM record WHERE pinned ORDER BY index_id")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .context("reading the pinned indexes")
    }

    /// Runs SQLite's own check. Returns the damage; `None` when there is none.
    pub fn damage(&self) -> StoreResult<Option<String>> {
        let found: String = self
            .connection
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .context("checking the saved records")?;
        Ok((found != "ok").then_some(found))
    }

    /// Checks the pages of the file: some milliseconds a megabyte.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] for a damaged one.
    pub fn check(&self) -> StoreResult<()> {
        let found: String = self
            .connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
            .context("checking the saved records")?;
        if found == "ok" {
            return Ok(());
        }
        Err(StoreError::Corrupt {
            path: self
                .connection
                .path()
                .map(PathBuf::from)
                .unwrap_or_default(),
            what: found,
        })
    }

    fn change(
        &mut self,
        doing: &'static str,
        statement: &str,
        values: &[&dyn rusqlite::ToSql],
    ) -> StoreResult<usize> {
        let tx = begin(&mut self.connection, doing)?;
        let n = tx.execute(statement, values).context(doing)?;
        // Words of removed records go, and those of renamed ones change.
        if let Some(id) = values.first().filter(|_| n > 0) {
            let id: RecordId = tx
                .query_row("SELECT ?1", [id], |row| row.get(0))
                .context(doing)?;
            words::index(&tx, id).context(doing)?;
            rise(&tx).context(doing)?;
        }
        tx.commit().context(doing)?;
        Ok(n)
    }
}

fn begin<'c>(connection: &'c mut Connection, doing: &'static str) -> StoreResult<Transaction<'c>> {
    connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .context(doing)
}

fn rise(tx: &Connection) -> rusqlite::Result<()> {
    tx.execute("UPDATE meta SET revision = revision + 1", [])?;
    Ok(())
}

/// Writes a record with its words; `None` where there is no room for it.
fn save_one(
    tx: &Connection,
    new: &SavedRecord,
    items: &[SavedItem],
) -> rusqlite::Result<Option<RecordId>> {
    let n_records: i64 = tx.query_row(
        "SELECT count(*) FROM record WHERE NOT (kind = ?1 AND name IS ?2 AND ?2 IS NOT NULL)",
        params![new.kind.number(), new.name],
        |row| row.get(0),
    )?;
    let n_over = (n_records + 1) - i64::try_from(MAX_RECORDS).unwrap_or(i64::MAX);
    if n_over > 0 {
        let oldest: Vec<RecordId> = tx
            .prepare(
                "SELECT id FROM record WHERE superseded_by IS NOT NULL ORDER BY updated_ms, id LIMIT ?1",
            )?
            .query_map([n_over], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        if oldest.len() < usize::try_from(n_over).unwrap_or(usize::MAX) {
            return Ok(None);
        }
        for id in oldest {
            words::remove(tx, id)?;
            tx.execute("DELETE FROM record WHERE id = ?1", [id])?;
        }
    }
    let id = rows::write(tx, new, items)?;
    words::index(tx, id)?;
    rise(tx)?;
    Ok(Some(id))
}

/// Whether an imported record may be written; one that was imported before goes first.
fn may_import(tx: &Connection, new: &SavedRecord) -> rusqlite::Result<bool> {
    let known: Vec<(RecordId, i64)> = tx
        .prepare("SELECT id, by FROM record WHERE uid = ?1 OR (kind = ?2 AND name = ?3)")?
        .query_map(params![new.uid, new.kind.number(), new.name], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    for (id, by) in known {
        if by == WrittenBy::Import.number() || new.kind == RecordKind::Context {
            words::remove(tx, id)?;
            tx.execute("DELETE FROM record WHERE id = ?1", [id])?;
        } else {
            return Ok(false);
        }
    }
    Ok(true)
}
