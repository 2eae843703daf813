//! Runs: every build of an index and everything that was taken in, with its outcome.
//!
//! ```text
//! <home>/library.db        the runs of all repositories
//! <home>/runs/<id>.lock    held by the process that a run goes on in
//! ```
//!
//! A run whose process is gone reads as interrupted: the lock goes with its holder, so no process identifier is believed. A damaged
//! file is moved aside and begun anew.

use std::path::PathBuf;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior, params};

use super::home::create_private;
use super::side_file::SideFile;
use super::{ErrorContext, Home, StoreResult, WriteLock};

/// The most runs that are kept.
const MAX_RUNS: i64 = 1_000;

/// How long they are kept, in milliseconds.
const MAX_AGE_MS: i64 = 90 * 24 * 3_600_000;

/// How long the end of a run waits for other processes that write.
const PATIENCE: Duration = Duration::from_secs(2);

/// The version of the table.
const VERSION: i64 = 1;

const TABLE: &str = "
CREATE TABLE IF NOT EXISTS run(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  repo TEXT NOT NULL,
  branch TEXT,
  head TEXT,
  index_id TEXT,
  started_from TEXT,
  continues INTEGER,
  status TEXT NOT NULL,
  code TEXT,
  message TEXT,
  hint TEXT,
  next_step TEXT,
  files INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  cpu_ms INTEGER,
  started_ms INTEGER NOT NULL,
  finished_ms INTEGER,
  pid INTEGER NOT NULL
) STRICT;
";

const COLUMNS: &str = "SELECT id, kind, source, repo, branch, head, index_id, started_from, continues, status, code, message, hint, \
    next_step, files, pending, bytes, cpu_ms, started_ms, finished_ms, EXISTS(SELECT 1 FROM run later WHERE later.id > run.id
      AND later.repo = run.repo AND (run.index_id IS NULL OR later.index_id = run.index_id)
      AND later.status = 'done' AND later.next_step IS NULL) FROM run";

/// A run that begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewRun {
    /// `build`, `seed`, `pull`, `bundle`, `archive` or `embed`.
    pub kind: &'static str,
    /// Its cause: `refresh`, `question`, `background`, the name of a remote, a file or a model.
    pub source: String,
    /// The work tree.
    pub repo: String,
    /// The branch.
    pub branch: Option<String>,
    /// The commit.
    pub head: Option<String>,
    /// The index.
    pub index_id: Option<String>,
    /// The index that it started from.
    pub started_from: Option<String>,
    /// The command that does what is left if it ends before its time.
    pub next_step: String,
}

/// The end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FinishedRecord {
    /// `done`, `failed` or `cancelled`.
    pub status: &'static str,
    /// The code of its error.
    pub code: Option<&'static str>,
    /// The error's message, or the work that is left.
    pub message: Option<String>,
    /// The error's next step, in words.
    pub hint: Option<String>,
    /// The command to run next; `None` where nothing is left to do.
    pub next_step: Option<String>,
    /// Files that were read or taken in.
    pub files: u64,
    /// Files that are left.
    pub pending: u64,
    /// Bytes that were carried.
    pub bytes: u64,
    /// The CPU time of the process meanwhile, in milliseconds.
    pub cpu_ms: Option<u64>,
}

/// A run as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredRun {
    /// Its number.
    pub id: i64,
    /// See [`NewRun::kind`].
    pub kind: String,
    /// See [`NewRun::source`].
    pub source: String,
    /// The work tree.
    pub repo: String,
    /// The branch.
    pub branch: Option<String>,
    /// The commit.
    pub head: Option<String>,
    /// The index.
    pub index_id: Option<String>,
    /// The index that it started from.
    pub started_from: Option<String>,
    /// The run of the same index that ended before its time and that this one goes on with.
    pub continues: Option<i64>,
    /// `running`, `interrupted`, or as [`FinishedRecord::status`].
    pub status: String,
    /// The code of its error.
    pub code: Option<String>,
    /// The error's message, or the work that is left.
    pub message: Option<String>,
    /// The error's next step, in words; `None` also where a later run did what was left.
    pub hint: Option<String>,
    /// The command to run next; `None` also where a later run did what was left.
    pub next_step: Option<String>,
    /// Files that were read or taken in.
    pub files: u64,
    /// Files that were left.
    pub pending: u64,
    /// Bytes that were carried.
    pub bytes: u64,
    /// The CPU time of its process, in milliseconds.
    pub cpu_ms: Option<u64>,
    /// When it began, in milliseconds since the Unix epoch.
    pub started_ms: i64,
    /// When it ended.
    pub finished_ms: Option<i64>,
}

/// A run of this process that goes on.
#[derive(Debug)]
pub struct OpenRun {
    home: Home,
    id: i64,
    _lock: Option<WriteLock>,
}

fn file(home: &Home) -> SideFile {
    SideFile {
        path: home.root().join("library.db"),
        tables: TABLE,
        version: VERSION,
        patience: PATIENCE,
    }
}

fn lock_path(home: &Home, id: i64) -> PathBuf {
    home.root().join("runs").join(format!("{id}.lock"))
}

/// Notes that a run begins. The data directory has to be there.
///
/// # Errors
/// Where the file can't be written.
pub fn begin(home: &Home, run: &NewRun, now_ms: i64) -> StoreResult<OpenRun> {
    create_private(&home.root().join("runs"))?;
    let doing = "noting a run";
    file(home).write(doing, |connection| {
        insert(connection, home, run, now_ms, doing)
    })
}

fn insert(
    connection: &mut Connection,
    home: &Home,
    run: &NewRun,
    now_ms: i64,
    doing: &'static str,
) -> StoreResult<OpenRun> {
    let tx = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .context(doing)?;
    // Of the same index the last run before: one that was stopped is gone on with.
    let last: Option<(i64, String)> = tx
        .query_row(
            "SELECT id, status FROM run WHERE index_id = ?1 AND repo = ?2 ORDER BY id DESC LIMIT 1",
            params![run.index_id, run.repo],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()
        .context(doing)?;
    let continues = last.and_then(|(id, status)| {
        let is_stopped = status == "running" && !WriteLock::is_held(&lock_path(home, id));
        (is_stopped || matches!(status.as_str(), "cancelled" | "interrupted")).then_some(id)
    });
    tx.execute(
        "INSERT INTO run(kind, source, repo, branch, head, index_id, started_from, continues, status, next_step, files, pending, bytes,
           started_ms, pid) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'running', ?9, 0, 0, 0, ?10, ?11)",
        params![
            run.kind,
            run.source,
            run.repo,
            run.branch,
            run.head,
            run.index_id,
            run.started_from,
            continues,
            run.next_step,
            now_ms,
            std::process::id()
        ],
    )
    .context(doing)?;
    let id = tx.last_insert_rowid();
    let lock = WriteLock::take(&lock_path(home, id), Duration::ZERO)?;
    let mut old = Vec::new();
    {
        let mut statement = tx
            .prepare("SELECT id FROM run WHERE id <= ?1 - ?2 OR started_ms < ?3")
            .context(doing)?;
        let rows = statement
            .query_map(params![id, MAX_RUNS, now_ms - MAX_AGE_MS], |row| row.get(0))
            .context(doing)?;
        for row in rows {
            old.push(row.context(doing)?);
        }
    }
    for old in old {
        tx.execute("DELETE FROM run WHERE id = ?1", [old])
            .context(doing)?;
        remove_lock(home, old);
    }
    tx.commit().context(doing)?;
    Ok(OpenRun {
        home: home.clone(),
        id,
        _lock: lock,
    })
}

fn remove_lock(home: &Home, id: i64) {
    let path = lock_path(home, id);
    if !WriteLock::is_held(&path) {
        drop(std::fs::remove_file(path));
    }
}

impl OpenRun {
    /// Returns its number.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Notes its end.
    ///
    /// # Errors
    /// Where the file can't be written: it reads as interrupted then.
    pub fn finish(self, end: &FinishedRecord, now_ms: i64) -> StoreResult<()> {
        let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        let doing = "noting the end of a run";
        file(&self.home).write(doing, |connection| {
            let update = connection.execute(
                "UPDATE run SET status = ?2, code = ?3, message = ?4, hint = ?5, next_step = ?6, files = ?7, pending = ?8, bytes = ?9,
                   cpu_ms = ?10, finished_ms = ?11 WHERE id = ?1",
                params![
                    self.id,
                    end.status,
                    end.code,
                    end.message,
                    end.hint,
                    end.next_step,
                    number(end.files),
                    number(end.pending),
                    number(end.bytes),
                    end.cpu_ms.map(number),
                    now_ms
                ],
            );
            update.map(drop).context(doing)
        })?;
        let (home, id) = (self.home.clone(), self.id);
        drop(self);
        remove_lock(&home, id);
        Ok(())
    }
}

/// Returns runs, the newest first: that of a number, those of one work tree, or all; at most `limit`. None where nothing was noted.
///
/// # Errors
/// Where the file can't be read.
pub fn list(
    home: &Home,
    id: Option<i64>,
    repo: Option<&str>,
    limit: usize,
) -> StoreResult<Vec<StoredRun>> {
    let doing = "reading the runs";
    let read = |connection: &Connection| {
        let mut statement = connection
            .prepare(&format!(
                "{COLUMNS} WHERE (?1 IS NULL OR id = ?1) AND (?2 IS NULL OR repo = ?2) ORDER BY id DESC LIMIT ?3"
            ))
            .context(doing)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = statement
            .query_map(params![id, repo, limit], stored)
            .context(doing)?;
        let runs: rusqlite::Result<Vec<StoredRun>> = rows.collect();
        runs.context(doing)
    };
    let mut runs = file(home).read(doing, read)?.unwrap_or_default();
    for run in &mut runs {
        if run.status == "running" && !WriteLock::is_held(&lock_path(home, run.id)) {
            "interrupted".clone_into(&mut run.status);
        }
    }
    Ok(runs)
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredRun> {
    let count = |at| -> rusqlite::Result<u64> {
        let n: i64 = row.get(at)?;
        Ok(u64::try_from(n).unwrap_or(0))
    };
    let cpu_ms: Option<i64> = row.get(17)?;
    let (hint, next_step): (Option<String>, Option<String>) = (row.get(12)?, row.get(13)?);
    let is_made_up_for: bool = row.get(20)?;
    Ok(StoredRun {
        id: row.get(0)?,
        kind: row.get(1)?,
        source: row.get(2)?,
        repo: row.get(3)?,
        branch: row.get(4)?,
        head: row.get(5)?,
        index_id: row.get(6)?,
        started_from: row.get(7)?,
        continues: row.get(8)?,
        status: row.get(9)?,
        code: row.get(10)?,
        message: row.get(11)?,
        hint: hint.filter(|_| !is_made_up_for),
        next_step: next_step.filter(|_| !is_made_up_for),
        files: count(14)?,
        pending: count(15)?,
        bytes: count(16)?,
        cpu_ms: cpu_ms.and_then(|n| u64::try_from(n).ok()),
        started_ms: row.get(18)?,
        finished_ms: row.get(19)?,
    })
}

#[cfg(test)]
mod tests {
    use super::{FinishedRecord, MAX_AGE_MS, NewRun, StoredRun, begin, file};
    use crate::store::Home;

    fn run(index: &str) -> NewRun {
        NewRun {
            kind: "build",
            source: "refresh".to_owned(),
            repo: "/x".to_owned(),
            index_id: Some(index.to_owned()),
            next_step: "codelens refresh --repo /x".to_owned(),
            ..NewRun::default()
        }
    }

    fn list(home: &Home, id: Option<i64>, repo: Option<&str>, limit: usize) -> Vec<StoredRun> {
        super::list(home, id, repo, limit).unwrap()
    }

    #[test]
    fn a_run_is_running_done_or_interrupted() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path(), &[]).unwrap();
        assert!(list(&home, None, None, 10).is_empty());
        let first = begin(&home, &run("idx_1"), 1).unwrap();
        let status = || list(&home, None, None, 10)[0].status.clone();
        assert_eq!(status(), "running");
        drop(first);
        assert_eq!(status(), "interrupted");
        assert!(list(&home, None, None, 10)[0].next_step.is_some());
        let other = begin(&home, &run("idx_2"), 1).unwrap();
        let second = begin(&home, &run("idx_1"), 2).unwrap();
        let id = second.id();
        let end = FinishedRecord {
            status: "done",
            files: 7,
            ..FinishedRecord::default()
        };
        second.finish(&end, 3).unwrap();
        drop(other);
        let runs = list(&home, None, Some("/x"), 10);
        assert_eq!(runs.len(), 3);
        assert_eq!(
            (runs[0].status.as_str(), runs[0].files, runs[0].continues),
            ("done", 7, Some(runs[2].id))
        );
        assert_eq!(runs[0].next_step, None);
        assert!(runs[1].next_step.is_some(), "of another index");
        assert_eq!(runs[2].next_step, None, "the second one did it");
        assert_eq!(list(&home, Some(id), None, 10).len(), 1);
        assert!(list(&home, None, Some("/y"), 10).is_empty());
        let third = begin(&home, &run("idx_1"), 4).unwrap();
        assert_eq!(list(&home, Some(third.id()), None, 1)[0].continues, None);
        // Old ones go, and damage costs the list alone.
        drop(begin(&home, &run("idx_2"), 5 + MAX_AGE_MS).unwrap());
        assert_eq!(list(&home, None, None, 10).len(), 1);
        std::fs::write(file(&home).path, "x".repeat(5_000)).unwrap();
        assert!(super::list(&home, None, None, 10).is_err());
        drop(begin(&home, &run("idx_3"), 9).unwrap());
        assert_eq!(list(&home, None, None, 10).len(), 1);
    }
}
