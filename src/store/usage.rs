//! Counters of the calls that servers answered, in a file of their own beside all indexes: a reader never writes to an index.
//!
//! ```text
//! <home>/usage.db
//! ```
//!
//! Holds numbers by the names of tools and codes, no text of any call. A damaged file is moved aside and begun anew.

use std::collections::BTreeMap;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::side_file::SideFile;
use super::{ErrorContext, Home, StoreResult};

/// How long a server waits for another one that writes; then it tries again when it is idle the next time.
const PATIENCE: Duration = Duration::from_millis(500);

/// The version of the tables.
const VERSION: i64 = 1;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS counter(kind TEXT NOT NULL, name TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY(kind, name)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS since(ms INTEGER NOT NULL) STRICT;
";

/// Counters by kind and name, e.g. `("call", "cl_search")` → 12.
pub type UsageCounts = BTreeMap<(&'static str, String), u64>;

/// The counters of a data directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredUsage {
    /// Since when calls are counted, in milliseconds since the Unix epoch.
    pub since_ms: i64,
    /// The counters, by kind and name.
    pub counts: BTreeMap<(String, String), u64>,
}

fn file(home: &Home) -> SideFile {
    SideFile {
        path: home.root().join("usage.db"),
        tables: TABLES,
        version: VERSION,
        patience: PATIENCE,
    }
}

/// Adds to the counters of a data directory, which is there.
///
/// # Errors
/// Where the file can't be written, or another process writes for longer than half a second.
pub fn add(home: &Home, counts: &UsageCounts, now_ms: i64) -> StoreResult<()> {
    let doing = "counting calls";
    file(home).write(doing, |connection| {
        let tx = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .context(doing)?;
        tx.execute(
            "INSERT INTO since SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM since)",
            [now_ms],
        )
        .context(doing)?;
        for ((kind, name), n) in counts {
            let n = i64::try_from(*n).unwrap_or(i64::MAX);
            tx.execute(
                "INSERT INTO counter VALUES(?1, ?2, ?3) ON CONFLICT DO UPDATE SET n = min(n + ?3, 1 << 53)",
                params![kind, name, n],
            )
            .context(doing)?;
        }
        tx.commit().context(doing)
    })
}

/// Returns the counters of a data directory; `None` where no server counted any call, or they can't be read.
pub fn stored(home: &Home) -> Option<StoredUsage> {
    let doing = "reading the counters of calls";
    let read = |connection: &Connection| {
        let since_ms = connection
            .query_row("SELECT ms FROM since", [], |row| row.get(0))
            .optional()
            .context(doing)?;
        let Some(since_ms) = since_ms else {
            return Ok(None);
        };
        let mut counts = BTreeMap::new();
        let mut statement = connection
            .prepare("SELECT kind, name, n FROM counter LIMIT 10000")
            .context(doing)?;
        let rows = statement
            .query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))
            .context(doing)?;
        for row in rows {
            let (key, n): ((String, String), i64) = row.context(doing)?;
            counts.insert(key, u64::try_from(n).unwrap_or(0));
        }
        Ok(Some(StoredUsage { since_ms, counts }))
    };
    file(home)
        .read(doing, read)
        .inspect_err(|error| tracing::info!(%error, "the counters can't be read"))
        .ok()
        .flatten()
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::{UsageCounts, add, file, stored};
    use crate::store::Home;

    #[test]
    fn counters_add_up_over_processes_and_damage() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path(), &[]).unwrap();
        assert_eq!(stored(&home), None);
        let counts = UsageCounts::from([
            (("call", "cl_search".to_owned()), 2),
            (("error", "io".to_owned()), u64::MAX),
        ]);
        add(&home, &counts, 7).unwrap();
        add(&home, &counts, 9).unwrap();
        let found = stored(&home).unwrap();
        let of = |kind: &str, name: &str| found.counts[&(kind.to_owned(), name.to_owned())];
        assert_eq!((found.since_ms, of("call", "cl_search")), (7, 4));
        assert_eq!(of("error", "io"), 1 << 53);
        std::fs::write(
            file(&home).path,
            "no database at all, but long enough to be read",
        )
        .unwrap();
        assert_eq!(stored(&home), None);
        add(&home, &counts, 11).unwrap();
        assert_eq!(stored(&home).unwrap().since_ms, 11);
    }
}
