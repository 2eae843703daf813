//! Saved contexts: one database a repository, apart from every index.
//!
//! No rebuild, drop or prune touches it, and an index that is damaged takes nothing of it along. Holds no source text:
//! an item is known again by the hashes of its lines.

mod open;

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

pub use open::{CONTEXTS_VERSION, path};

use super::{ErrorContext, StoreResult};
use crate::model::ContentId;

/// One item as it was when it was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedItem {
    /// The handle that it had.
    pub handle: String,
    /// The file that it was in.
    pub path: String,
    /// The qualified name and the kind of the symbol that it is, or is a part of.
    pub symbol: Option<(String, String)>,
    /// First and last line, from 1; `None` for a whole file.
    pub lines: Option<(u32, u32)>,
    /// The bytes of the whole file.
    pub content: ContentId,
    /// The hashes of its lines, white space at both ends left out; of a whole file none.
    pub digests: Vec<u64>,
}

/// A named list of items, with the branch and commit that were checked out when it was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedContext {
    /// Its number in this repository; kept when it is replaced.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// The notes.
    pub notes: Option<String>,
    /// Whether the index that it was saved on is kept.
    pub pinned: bool,
    /// The index that it was saved on.
    pub index_id: String,
    /// The branch; `None` when detached.
    pub branch: Option<String>,
    /// The commit; `None` when unborn.
    pub head_sha: Option<String>,
    /// When it was saved first, in milliseconds since the Unix epoch.
    pub created_ms: i64,
    /// When it was saved last.
    pub updated_ms: i64,
    /// How many items it has.
    pub n_items: u64,
}

/// A context to be saved under a name.
#[derive(Clone, Debug)]
pub struct NewContext {
    /// The name; one that is there is replaced.
    pub name: String,
    /// The notes.
    pub notes: Option<String>,
    /// Whether the index is kept.
    pub pinned: bool,
    /// The index.
    pub index_id: String,
    /// The branch; `None` when detached.
    pub branch: Option<String>,
    /// The commit; `None` when unborn.
    pub head_sha: Option<String>,
    /// The items, in their order.
    pub items: Vec<SavedItem>,
    /// The time of the call, in milliseconds since the Unix epoch.
    pub now_ms: i64,
}

/// The saved contexts of one repository.
#[derive(Debug)]
pub struct Contexts {
    connection: Connection,
}

impl Contexts {
    /// Saves a context, all of it or nothing. One of the same name is replaced and keeps its number and
    /// its first date.
    pub fn save(&mut self, new: &NewContext) -> StoreResult<SavedContext> {
        let doing = "saving a context";
        let tx = self
            .connection
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .context(doing)?;
        write(&tx, new, new.now_ms).context(doing)?;
        tx.commit().context(doing)?;
        Ok(self
            .find(&new.name)?
            .expect("what was committed can be read"))
    }

    /// Returns a context by its name; `None` if there is none.
    pub fn find(&self, name: &str) -> StoreResult<Option<SavedContext>> {
        self.connection
            .query_row(&format!("{CONTEXT} WHERE name = ?1"), [name], context)
            .optional()
            .context("reading a saved context")
    }

    /// Returns every context, by name.
    pub fn all(&self) -> StoreResult<Vec<SavedContext>> {
        self.connection
            .prepare(&format!("{CONTEXT} ORDER BY name"))
            .and_then(|mut statement| statement.query_map([], context)?.collect())
            .context("reading the saved contexts")
    }

    /// Returns the items of a context, in their order.
    pub fn items(&self, id: i64) -> StoreResult<Vec<SavedItem>> {
        self.connection
            .prepare(
                "SELECT handle, path, symbol, kind, start_line, end_line, content, lines
                 FROM item WHERE context = ?1 ORDER BY ordinal",
            )
            .and_then(|mut statement| statement.query_map([id], item)?.collect())
            .context("reading the items of a context")
    }

    /// Gives a context another name. Returns `false` if there is none, or the name is taken.
    pub fn rename(&mut self, from: &str, to: &str) -> StoreResult<bool> {
        self.connection
            .execute(
                "UPDATE OR IGNORE context SET name = ?2 WHERE name = ?1",
                [from, to],
            )
            .map(|n| n == 1)
            .context("renaming a context")
    }

    /// Removes a context. Returns `false` if there is none.
    pub fn remove(&mut self, name: &str) -> StoreResult<bool> {
        self.connection
            .execute("DELETE FROM context WHERE name = ?1", [name])
            .map(|n| n == 1)
            .context("removing a context")
    }

    /// Takes in contexts with the dates that they had, all of them or none; those of the same name are
    /// replaced.
    pub fn take_in(&mut self, contexts: &[(NewContext, i64)]) -> StoreResult<()> {
        let doing = "taking in saved contexts";
        let tx = self
            .connection
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .context(doing)?;
        for (new, created_ms) in contexts {
            write(&tx, new, *created_ms).context(doing)?;
        }
        tx.commit().context(doing)
    }

    /// Returns the indexes that pinned contexts were saved on.
    pub fn pinned_indexes(&self) -> StoreResult<Vec<String>> {
        self.connection
            .prepare("SELECT DISTINCT index_id FROM context WHERE pinned ORDER BY index_id")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .context("reading the pinned indexes")
    }

    /// Runs SQLite's own check. Returns the damage; `None` when there is none.
    pub fn damage(&self) -> StoreResult<Option<String>> {
        let found: String = self
            .connection
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .context("checking the saved contexts")?;
        Ok((found != "ok").then_some(found))
    }
}

const CONTEXT: &str =
    "SELECT id, name, notes, pinned, index_id, branch, head_sha, created_ms, updated_ms,
    (SELECT count(*) FROM item WHERE item.context = context.id) FROM context";

fn write(tx: &Transaction<'_>, new: &NewContext, created_ms: i64) -> rusqlite::Result<()> {
    let id: i64 = tx.query_row(
        "INSERT INTO context(name, notes, pinned, index_id, branch, head_sha, created_ms, updated_ms)
         VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT(name) DO UPDATE SET notes = excluded.notes, pinned = excluded.pinned, index_id = excluded.index_id,
           branch = excluded.branch, head_sha = excluded.head_sha, updated_ms = excluded.updated_ms
         RETURNING id",
        params![
            new.name,
            new.notes,
            new.pinned,
            new.index_id,
            new.branch,
            new.head_sha,
            created_ms,
            new.now_ms
        ],
        |row| row.get(0),
    )?;
    tx.execute("DELETE FROM item WHERE context = ?1", [id])?;
    let mut insert =
        tx.prepare("INSERT INTO item VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?;
    for (ordinal, item) in new.items.iter().enumerate() {
        let digests: Vec<u8> = item
            .digests
            .iter()
            .flat_map(|hash| hash.to_le_bytes())
            .collect();
        insert.execute(params![
            id,
            i64::try_from(ordinal).unwrap_or(i64::MAX),
            item.handle,
            item.path,
            item.symbol.as_ref().map(|(name, _)| name),
            item.symbol.as_ref().map(|(_, kind)| kind),
            item.lines.map(|(from, _)| from),
            item.lines.map(|(_, to)| to),
            item.content.as_bytes().as_slice(),
            digests
        ])?;
    }
    Ok(())
}

fn context(row: &Row<'_>) -> rusqlite::Result<SavedContext> {
    Ok(SavedContext {
        id: row.get(0)?,
        name: row.get(1)?,
        notes: row.get(2)?,
        pinned: row.get(3)?,
        index_id: row.get(4)?,
        branch: row.get(5)?,
        head_sha: row.get(6)?,
        created_ms: row.get(7)?,
        updated_ms: row.get(8)?,
        n_items: row.get::<_, i64>(9)?.cast_unsigned(),
    })
}

fn item(row: &Row<'_>) -> rusqlite::Result<SavedItem> {
    let (symbol, kind): (Option<String>, Option<String>) = (row.get(2)?, row.get(3)?);
    let (from, to): (Option<u32>, Option<u32>) = (row.get(4)?, row.get(5)?);
    let digests: Vec<u8> = row.get(7)?;
    Ok(SavedItem {
        handle: row.get(0)?,
        path: row.get(1)?,
        symbol: symbol.zip(kind),
        lines: from.zip(to),
        content: super::files::content(row, 6)?,
        digests: digests
            .as_chunks::<8>()
            .0
            .iter()
            .map(|bytes| u64::from_le_bytes(*bytes))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::{CONTEXTS_VERSION, Contexts, NewContext, SavedItem, path};
    use crate::model::ContentId;
    use crate::store::{Home, RepoHome, StoreError};

    fn home(dir: &std::path::Path) -> RepoHome {
        let repo = Home::at(dir, &[]).unwrap().repo("r");
        repo.create(std::path::Path::new("/x/.git"), None).unwrap();
        repo
    }

    fn new(name: &str, now_ms: i64) -> NewContext {
        NewContext {
            name: name.to_owned(),
            notes: Some("why".to_owned()),
            pinned: now_ms > 1,
            index_id: format!("idx_{now_ms}"),
            branch: Some("main".to_owned()),
            head_sha: None,
            items: vec![SavedItem {
                handle: "sym_0000000000000001".to_owned(),
                path: "a.ts".to_owned(),
                symbol: Some(("Store.open".to_owned(), "method".to_owned())),
                lines: Some((3, 9)),
                content: ContentId::of(b"x"),
                digests: vec![1, u64::MAX],
            }],
            now_ms,
        }
    }

    #[test]
    fn what_is_saved_is_read_back_and_replaced_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let home = home(dir.path());
        assert!(Contexts::open_existing(&home).unwrap().is_none());
        let mut contexts = Contexts::open(&home).unwrap();
        let first = contexts.save(&new("a", 1)).unwrap();
        let again = contexts.save(&new("a", 2)).unwrap();
        assert_eq!((first.id, first.created_ms), (again.id, again.created_ms));
        assert_eq!((again.updated_ms, again.n_items), (2, 1));
        drop(contexts);
        let contexts = Contexts::open_existing(&home).unwrap().unwrap();
        assert_eq!(contexts.items(again.id).unwrap(), new("a", 2).items);
        assert_eq!(contexts.pinned_indexes().unwrap(), ["idx_2"]);
        assert_eq!(contexts.damage().unwrap(), None);
    }

    #[test]
    fn names_are_taken_once() {
        let dir = tempfile::tempdir().unwrap();
        let mut contexts = Contexts::open(&home(dir.path())).unwrap();
        contexts.save(&new("a", 1)).unwrap();
        contexts.save(&new("b", 1)).unwrap();
        assert!(!contexts.rename("a", "b").unwrap());
        assert!(!contexts.rename("z", "c").unwrap());
        assert!(contexts.rename("a", "c").unwrap());
        assert!(contexts.remove("b").unwrap() && !contexts.remove("b").unwrap());
        let names: Vec<_> = contexts
            .all()
            .unwrap()
            .into_iter()
            .map(|c| c.name)
            .collect();
        assert_eq!(names, ["c"]);
    }

    #[test]
    fn a_newer_or_damaged_file_is_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let home = home(dir.path());
        let contexts = Contexts::open(&home).unwrap();
        contexts
            .connection
            .pragma_update(None, "user_version", CONTEXTS_VERSION + 1)
            .unwrap();
        drop(contexts);
        let refused = Contexts::open(&home).unwrap_err();
        assert!(matches!(refused, StoreError::Version { .. }), "{refused}");
        let noise = vec![7_u8; 8_192];
        std::fs::write(path(&home), &noise).unwrap();
        let refused = Contexts::open(&home).unwrap_err();
        assert!(refused.is_corrupt(), "{refused}");
        assert_eq!(std::fs::read(path(&home)).unwrap(), noise);
    }
}
