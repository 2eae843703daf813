//! Rows of past commits: their parents, their messages, the files they touched.

use std::collections::HashMap;

use rusqlite::OptionalExtension as _;

use super::{ErrorContext, Read, StoreResult, Writer};
use crate::model::{CommitId, CommitLinks, PastCommitId, PastPathId, RepoPath};

/// The meta row that says of which commit the rows are the whole history, where the clone is cut off, and by which mailmap
/// authors are named, with spaces between.
pub(super) const META: &str = "history";

/// Stands in the place of the commit while the rows are of none.
pub const UNFINISHED: &str = "?";

/// Stands behind the rest where names of authors were taken out.
pub const WITHOUT_NAMES: &str = "-";

/// Returns whether the rows, of which `noted` is said in meta, are a whole history.
pub fn is_whole(noted: &str) -> bool {
    !noted.is_empty() && !noted.starts_with(UNFINISHED)
}

/// The words of the meta row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryNote {
    /// The commit that the rows are the history of; `None` before the first one, and while they are not whole.
    pub head: Option<CommitId>,
    /// Whether the clone is cut off.
    pub is_shallow: bool,
    /// Whether the names of authors are there.
    pub has_names: bool,
}

impl HistoryNote {
    /// Reads the meta row.
    pub fn of(noted: &str) -> Self {
        let words: Vec<&str> = noted.split(' ').collect();
        Self {
            head: words.first().and_then(|head| CommitId::new(head)),
            is_shallow: words.get(1).is_some_and(|border| !border.is_empty()),
            has_names: words.last() != Some(&WITHOUT_NAMES),
        }
    }
}

/// A commit that has a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitRow {
    /// The row.
    pub id: PastCommitId,
    /// The commit.
    pub commit: CommitId,
    /// Its time and parents.
    pub links: CommitLinks,
}

/// A commit as questions about files see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastCommit {
    /// The commit with its time and parents.
    pub row: CommitRow,
    /// The name of its author; empty for a merge, and where names were taken out.
    pub author: String,
    /// The first line of its message, cut; empty for a merge.
    pub subject: String,
    /// Whether its message says that it repairs a fault.
    pub is_fix: bool,
    /// Files that it changed; `None` where that is not known.
    pub n_changed: Option<u32>,
}

/// A file that a commit touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The row of the commit.
    pub commit: PastCommitId,
    /// The row of the path, see [`Read::past_paths`].
    pub path: PastPathId,
    /// Whether the commit touched so few files that it is about them.
    pub is_weighted: bool,
    /// The row of the path that the commit moved it from.
    pub moved_from: Option<PastPathId>,
}

/// A commit ready to be written.
#[derive(Clone, Debug)]
pub struct NewCommit<'a> {
    /// The commit.
    pub commit: &'a CommitId,
    /// Its time and parents.
    pub links: &'a CommitLinks,
    /// Its message, split into words; nothing to index where it is empty.
    pub words: &'a str,
    /// The name of its author.
    pub author: &'a str,
    /// The first line of its message.
    pub subject: &'a str,
    /// Whether its message says that it repairs a fault.
    pub is_fix: bool,
    /// Files that it changed; `None` where that is not known.
    pub n_changed: Option<u32>,
    /// The files it touched.
    pub touched: &'a [RepoPath],
    /// Whether these are so few that it is about them.
    pub is_weighted: bool,
    /// The files it moved: from, to.
    pub renamed: &'a [(RepoPath, RepoPath)],
}

impl Read<'_> {
    /// Returns every commit row, in no order.
    pub fn commits(&self) -> StoreResult<Vec<CommitRow>> {
        self.tx
            .prepare_cached("SELECT id, hash, time, parents FROM \"commit\"")
            .and_then(|mut statement| statement.query_map([], commit)?.collect())
            .context("reading past commits")
    }

    /// Returns every commit row as questions about files see it, in no order.
    pub fn past_commits(&self) -> StoreResult<Vec<PastCommit>> {
        self.tx
            .prepare_cached(
                "SELECT id, hash, time, parents, author, subject, fix, files FROM \"commit\"",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        Ok(PastCommit {
                            row: commit(row)?,
                            author: row.get(4)?,
                            subject: row.get(5)?,
                            is_fix: row.get(6)?,
                            n_changed: row.get(7)?,
                        })
                    })?
                    .collect()
            })
            .context("reading past commits")
    }

    /// Returns every touch, by the rows of commits.
    pub fn touches(&self) -> StoreResult<Vec<Touch>> {
        self.tx
            .prepare_cached("SELECT \"commit\", path, counts, moved_from FROM touch ORDER BY 1, 2")
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        Ok(Touch {
                            commit: row.get(0)?,
                            path: row.get(1)?,
                            is_weighted: row.get(2)?,
                            moved_from: row.get(3)?,
                        })
                    })?
                    .collect()
            })
            .context("reading what commits touched")
    }

    /// Returns every path that a commit touched or moved, with its row, in no order.
    pub fn past_paths(&self) -> StoreResult<Vec<(PastPathId, String)>> {
        self.tx
            .prepare_cached("SELECT id, path FROM past_path")
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect()
            })
            .context("reading past paths")
    }

    /// Returns whether the history of this index is whole: only then may an answer rest on it.
    pub fn has_history(&self) -> bool {
        is_whole(&self.meta().history)
    }

    /// Returns the commits whose message matches an FTS5 expression, by their rows, in no order, with
    /// BM25 above 0.
    pub fn message_hits(&self, expression: &str) -> StoreResult<Vec<(PastCommitId, f64)>> {
        self.tx
            .prepare_cached("SELECT rowid, bm25(message) FROM message WHERE message MATCH ?1")
            .and_then(|mut statement| {
                statement
                    .query_map([expression], |row| {
                        Ok((row.get(0)?, -row.get::<_, f64>(1)?))
                    })?
                    .collect()
            })
            .context("searching past messages")
    }

    /// Returns the paths that a commit touched, as they were then, sorted.
    pub fn touched(&self, commit: PastCommitId) -> StoreResult<Vec<String>> {
        self.tx
            .prepare_cached(
                "SELECT p.path FROM touch t JOIN past_path p ON p.id = t.path WHERE t.\"commit\" = ?1 AND t.counts ORDER BY 1",
            )
            .and_then(|mut statement| statement.query_map([commit], |row| row.get(0))?.collect())
            .context("reading what a commit touched")
    }

    /// Returns when each path was changed last, in seconds, by the commits that are held. One pass over all touches.
    pub fn newest_changes(&self) -> StoreResult<HashMap<String, i64>> {
        self.tx
            .prepare_cached(
                "SELECT p.path, max(c.time) FROM touch t JOIN \"commit\" c ON c.id = t.\"commit\" JOIN past_path p ON p.id = t.path
                 GROUP BY t.path",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect()
            })
            .context("reading when files were changed")
    }

    /// Returns the time of the commit that the history is of, in seconds; `None` before it is whole.
    pub fn head_time(&self) -> StoreResult<Option<i64>> {
        let Some(head) = HistoryNote::of(&self.meta().history).head else {
            return Ok(None);
        };
        self.tx
            .prepare_cached("SELECT time FROM \"commit\" WHERE hash = ?1")
            .and_then(|mut statement| {
                statement
                    .query_row([head.to_bytes()], |row| row.get(0))
                    .optional()
            })
            .context("reading the time of the commit")
    }

    /// Returns where the newest commit that moved `path` away moved it; `None` if none did.
    pub fn moved_to(&self, path: &str) -> StoreResult<Option<String>> {
        self.tx
            .prepare_cached(
                "SELECT p.path FROM touch t JOIN \"commit\" c ON c.id = t.\"commit\" JOIN past_path p ON p.id = t.path
                 WHERE t.moved_from = (SELECT id FROM past_path WHERE path = ?1) ORDER BY c.time DESC, c.hash, 1 LIMIT 1",
            )
            .and_then(|mut statement| statement.query_row([path], |row| row.get(0)).optional())
            .context("reading where a file was moved")
    }
}

impl Writer<'_> {
    /// Writes a commit that has no row yet.
    pub fn add_commit(&mut self, new: &NewCommit<'_>) -> StoreResult<()> {
        self.insert_commit(new).context("writing a past commit")
    }

    /// Names the author of a commit.
    pub fn set_author(&mut self, row: PastCommitId, name: &str) -> StoreResult<()> {
        self.run(
            "UPDATE \"commit\" SET author = ?2 WHERE id = ?1",
            (row, name),
        )
    }

    /// Removes a commit with all that belongs to it.
    pub fn remove_commit(&mut self, row: PastCommitId) -> StoreResult<()> {
        self.run("DELETE FROM message WHERE rowid = ?1", [row])?;
        self.run("DELETE FROM touch WHERE \"commit\" = ?1", [row])?;
        self.run("DELETE FROM \"commit\" WHERE id = ?1", [row])
    }

    /// Removes the paths that no commit touched any more. Costs a look at every touch.
    pub fn forget_past_paths(&mut self) -> StoreResult<()> {
        self.run(
            "DELETE FROM past_path WHERE id NOT IN (SELECT path FROM touch UNION SELECT moved_from FROM touch WHERE moved_from IS NOT NULL)",
            [],
        )
    }

    /// Notes of which commit the rows are the whole history, and where the clone is cut off.
    pub fn set_history(&mut self, key: &str) -> StoreResult<()> {
        self.set_meta(META, key)
    }

    fn insert_commit(&mut self, new: &NewCommit<'_>) -> rusqlite::Result<()> {
        let tx = self.tx();
        let parents: Vec<u8> = new
            .links
            .parents
            .iter()
            .flat_map(CommitId::to_bytes)
            .collect();
        let row = tx
            .prepare_cached(
                "INSERT INTO \"commit\"(hash, time, parents, author, subject, fix, files) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .insert((
                new.commit.to_bytes(),
                new.links.time_s,
                parents,
                new.author,
                new.subject,
                new.is_fix,
                new.n_changed,
            ))?;
        if !new.words.is_empty() {
            tx.prepare_cached("INSERT INTO message(rowid, words) VALUES(?1, ?2)")?
                .execute((row, new.words))?;
        }
        let mut touch = tx.prepare_cached(
            "INSERT INTO touch(\"commit\", path, counts, moved_from) VALUES(?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET moved_from = excluded.moved_from",
        )?;
        for path in new.touched {
            touch.execute((
                row,
                self.past_path(path)?,
                new.is_weighted,
                None::<PastPathId>,
            ))?;
        }
        for (from, to) in new.renamed {
            let (from, to) = (self.past_path(from)?, self.past_path(to)?);
            touch.execute((row, to, false, Some(from)))?;
        }
        Ok(())
    }

    /// Returns the row of a path, written if there is none.
    fn past_path(&self, path: &RepoPath) -> rusqlite::Result<PastPathId> {
        let tx = self.tx();
        let known = tx
            .prepare_cached("SELECT id FROM past_path WHERE path = ?1")?
            .query_row([path.as_str()], |row| row.get(0))
            .optional()?;
        match known {
            Some(id) => Ok(id),
            None => tx
                .prepare_cached("INSERT INTO past_path(path) VALUES(?1)")?
                .insert([path.as_str()])
                .map(PastPathId::new),
        }
    }
}

fn commit(row: &rusqlite::Row<'_>) -> rusqlite::Result<CommitRow> {
    let damaged = || super::files::damaged(1, "no object name");
    let hash: Vec<u8> = row.get(1)?;
    let parents: Vec<u8> = row.get(3)?;
    let parents: Option<Vec<CommitId>> = parents
        .chunks(hash.len().max(1))
        .map(CommitId::from_bytes)
        .collect();
    Ok(CommitRow {
        id: row.get(0)?,
        commit: CommitId::from_bytes(&hash).ok_or_else(damaged)?,
        links: CommitLinks {
            time_s: row.get(2)?,
            parents: parents.ok_or_else(damaged)?,
        },
    })
}
