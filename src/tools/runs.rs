//! Runs of the data directory: builds of indexes, and what was taken in, with what came of them and the next command.
//!
//! No tool: `codelens runs`, plain HTTP and a resource show them.

use serde::Serialize;
use serde_json::{Value, json};

use super::answer::is_zero;
use crate::error::{Code, Error, Result};
use crate::workspace::{StoredRun, Workspaces};

/// Runs that are listed where nobody says how many.
pub const DEFAULT_RUNS: usize = 20;

/// The most runs of an answer.
pub const MAX_RUNS: usize = 1_000;

/// A run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunOutput {
    pub(crate) id: i64,
    pub(crate) kind: String,
    pub(crate) source: String,
    pub(crate) status: String,
    pub(crate) repo: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) head_sha: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index_id: Option<String>,
    /// The index that it started from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) started_from: Option<String>,
    /// The run that ended before its time and that this one goes on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) continued: Option<i64>,
    pub(crate) files: u64,
    pub(crate) pending_files: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cpu_ms: Option<u64>,
    pub(crate) started_ms: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) finished_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// The command to run next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_step: Option<String>,
}

impl From<StoredRun> for RunOutput {
    fn from(run: StoredRun) -> Self {
        let is_running = run.status == "running";
        Self {
            id: run.id,
            kind: run.kind,
            source: run.source,
            repo: run.repo,
            branch: run.branch,
            head_sha: run.head,
            index_id: run.index_id,
            started_from: run.started_from,
            continued: run.continues,
            files: run.files,
            pending_files: run.pending,
            bytes: run.bytes,
            cpu_ms: run.cpu_ms,
            started_ms: run.started_ms,
            finished_ms: run.finished_ms,
            code: run.code,
            message: run.message,
            hint: run.hint,
            next_step: run.next_step.filter(|_| !is_running),
            status: run.status,
        }
    }
}

/// Returns the newest runs, or that of a number.
///
/// # Errors
/// `invalid_argument` for a number that no run has.
pub fn runs(workspaces: &Workspaces, id: Option<i64>, limit: usize) -> Result<Vec<RunOutput>> {
    let found = workspaces.runs(id, limit.clamp(1, MAX_RUNS))?;
    if let (Some(id), true) = (id, found.is_empty()) {
        return Err(Error::new(
            Code::InvalidArgument,
            format!("there is no run {id}"),
            "`codelens runs` lists those that there are; the newest 1,000 of 90 days are kept",
        ));
    }
    Ok(found.into_iter().map(RunOutput::from).collect())
}

/// Returns runs as all faces give them: `{"runs": […]}`.
///
/// # Errors
/// As [`runs`].
pub fn value(workspaces: &Workspaces, id: Option<i64>, limit: usize) -> Result<Value> {
    Ok(json!({"runs": runs(workspaces, id, limit)?}))
}
