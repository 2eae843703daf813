//! The words of records, by which they are found again: those of the name, the text, the test, and the code.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::RecordStore;
use crate::model::RecordId;
use crate::store::token::index_text;
use crate::store::{ErrorContext, StoreResult};

impl RecordStore {
    /// Returns the records that hold a word, in its normal form, by number.
    pub fn holding(&self, word: &str) -> StoreResult<Vec<RecordId>> {
        let quoted = format!("\"{}\"", word.replace('"', ""));
        self.connection
            .prepare_cached("SELECT rowid FROM memory WHERE memory MATCH ?1 ORDER BY rowid")
            .and_then(|mut statement| statement.query_map([quoted], |row| row.get(0))?.collect())
            .context("searching the saved records")
    }
}

/// Writes the words of a record anew.
pub(super) fn index(tx: &Connection, id: RecordId) -> rusqlite::Result<()> {
    remove(tx, id)?;
    let found: Option<[Option<String>; 4]> = tx
        .query_row(
            "SELECT name, title, body, test_command FROM record WHERE id = ?1",
            [id],
            |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]),
        )
        .optional()?;
    let Some(texts) = found else {
        return Ok(());
    };
    let mut words = String::new();
    for text in texts.iter().flatten() {
        index_text(text, &mut words);
        words.push(' ');
    }
    let mut places = tx.prepare_cached("SELECT path, symbol FROM item WHERE record = ?1")?;
    let mut rows = places.query([id])?;
    while let Some(row) = rows.next()? {
        let (path, symbol): (String, Option<String>) = (row.get(0)?, row.get(1)?);
        index_text(path.rsplit('/').next().unwrap_or(&path), &mut words);
        words.push(' ');
        index_text(symbol.as_deref().unwrap_or_default(), &mut words);
        words.push(' ');
    }
    tx.execute(
        "INSERT INTO memory(rowid, words) VALUES(?1, ?2)",
        params![id, words],
    )?;
    Ok(())
}

/// Removes the words of a record.
pub(super) fn remove(tx: &Connection, id: RecordId) -> rusqlite::Result<()> {
    tx.execute("DELETE FROM memory WHERE rowid = ?1", [id])?;
    Ok(())
}

/// Writes the words of every record.
pub(super) fn index_all(tx: &Connection) -> rusqlite::Result<()> {
    let ids: Vec<RecordId> = tx
        .prepare("SELECT id FROM record")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    ids.into_iter().try_for_each(|id| index(tx, id))
}
