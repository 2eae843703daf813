//! Records that can still be read in a damaged file.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::rows::{N_ITEMS, RECORD};
use super::{MEMORY_VERSION, RecordStore, SavedItem, SavedRecord};
use crate::model::RecordId;

/// Returns the records of a damaged file that can be read, with their items as far as these can, by their numbers; none where even its list of tables
/// is damaged, or it is of another version. Nothing is written.
pub fn readable(path: &Path) -> Vec<(SavedRecord, Vec<SavedItem>)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let store = Connection::open_with_flags(path, flags)
        .map_err(|_| ())
        .and_then(|connection| RecordStore::prepared(connection, path).map_err(|_| ()));
    let Ok(store) = store else {
        return Vec::new();
    };
    if !matches!(store.version(path), Ok(MEMORY_VERSION)) {
        return Vec::new();
    }
    // From both ends: a list stops at the first page that is damaged.
    let mut ids = Vec::new();
    for order in ["", "DESC"] {
        ids.extend(store.ids_until_damage(order));
    }
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter()
        .filter_map(|id| {
            let statement = RECORD.replace(N_ITEMS, "0");
            let statement = format!("{statement} WHERE id = ?1");
            let read = store
                .connection
                .query_row(&statement, [id], super::rows::record);
            // A text whose places were lost is worth more than nothing.
            Some((read.ok()?, store.items(id).unwrap_or_default()))
        })
        .collect()
}

impl RecordStore {
    fn ids_until_damage(&self, order: &str) -> Vec<RecordId> {
        let mut ids = Vec::new();
        // Not by the index of a column: the rows of the table itself are what can be read.
        let statement = format!("SELECT id FROM record NOT INDEXED ORDER BY id {order}");
        let Ok(mut statement) = self.connection.prepare(&statement) else {
            return ids;
        };
        let Ok(mut rows) = statement.query([]) else {
            return ids;
        };
        while let Ok(Some(row)) = rows.next() {
            ids.extend(row.get::<_, RecordId>(0));
        }
        ids
    }
}
