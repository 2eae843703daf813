//! `cl_current`, `cl_refresh`, `cl_stats`: the state of the checked-out commit's index.

use std::collections::BTreeMap;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::time;
use super::runs::RunOutput;
use super::{Call, Federation, Progress, Tool};
use crate::error::{Code, Result};
use crate::workspace::{StoredVectors, Usage, cut_argument};

/// Input of a tool that takes nothing of its own.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NoInput {
    /// Path of the repository, where it is not the working directory's.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// `cl_current`.
pub struct Current;

/// The branch or commit that is checked out, and the state of its index.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CurrentOutput {
    pub(crate) repo: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) head_sha: Option<String>,
    pub(crate) index_id: Option<String>,
    pub(crate) status: Option<&'static str>,
    pub(crate) dirty_files: Option<u64>,
    pub(crate) last_indexed_at: Option<String>,
    pub(crate) in_git_repo: bool,
    pub(crate) worktree: Option<String>,
    pub(crate) detached: bool,
    /// Whether the repository has no work tree.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) bare: bool,
    /// The name of the archive that it is a copy of.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub(crate) archive: Option<String>,
    /// The commit that was asked for, as it was named.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub(crate) reference: Option<String>,
    pub(crate) pending_files: u64,
    pub(crate) seed_from: Option<String>,
}

impl Tool for Current {
    const NAME: &'static str = "cl_current";
    const TITLE: &'static str = "Show branch and index state";
    const ABOUT: &'static str = "Says which repository, branch and commit is checked out, and whether its index is \
        missing, building, partial or ready. Builds nothing; no other tool needs it first.";
    const EXAMPLES: &'static str = "codelens current\ncodelens current --repo ../other --json";
    const TAKES_REF: bool = true;
    const FEDERATION: Federation = Federation::Entries;
    type Input = NoInput;
    type Output = CurrentOutput;

    fn run(input: NoInput, call: &Call<'_>) -> Result<CurrentOutput> {
        let workspace = match call.workspaces.open(input.repo.as_deref(), call.places) {
            Err(error) if error.code == Code::NotARepo => {
                return Ok(CurrentOutput {
                    dirty_files: Some(0),
                    ..CurrentOutput::default()
                });
            }
            other => other?,
        };
        let current = workspace.current(call.revision, &call.interrupt)?;
        Ok(CurrentOutput {
            repo: Some(current.work_dir.display().to_string()),
            branch: current.branch.name().map(str::to_owned),
            head_sha: current.snapshot.head.as_ref().map(ToString::to_string),
            index_id: Some(current.index_id),
            status: Some(current.status.as_str()),
            dirty_files: current.n_dirty,
            last_indexed_at: current.last_indexed_ms.and_then(time),
            in_git_repo: true,
            worktree: call.revision.is_none().then_some(current.worktree_id),
            detached: call.revision.is_none() && current.branch.name().is_none(),
            bare: current.is_bare,
            archive: workspace.archive().map(str::to_owned),
            reference: call.revision.map(|revision| cut_argument(&revision.name)),
            pending_files: current.n_pending,
            seed_from: current.seed_from,
        })
    }
}

/// `cl_refresh`.
pub struct Refresh;

/// Input of `cl_refresh`.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RefreshInput {
    /// Build from nothing, whatever is there.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
    /// Path of the repository, where it is not the working directory's.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// Files that a refresh read, and those that it left.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefreshOutput {
    pub(crate) index_id: String,
    pub(crate) branch: Option<String>,
    pub(crate) head_sha: Option<String>,
    /// The commit that was asked for, as it was named.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub(crate) reference: Option<String>,
    pub(crate) status: &'static str,
    pub(crate) indexed_files: u64,
    pub(crate) deleted_files: u64,
    pub(crate) total_files: u64,
    pub(crate) total_chunks: u64,
    pub(crate) skipped: u64,
    pub(crate) skipped_by_reason: BTreeMap<&'static str, u64>,
    pub(crate) seeded_from: Option<String>,
    /// Why no remote gave the index a start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub(crate) note: Option<String>,
    pub(crate) elapsed_ms: u64,
    pub(crate) cpu_ms: Option<u64>,
}

impl Tool for Refresh {
    const NAME: &'static str = "cl_refresh";
    const TITLE: &'static str = "Build or update the index";
    const ABOUT: &'static str = "Builds or updates the index of the checked-out commit and its uncommitted edits, with no time limit, starting from the nearest \
        index there is. Rarely needed: the query tools update it themselves.";
    const EXAMPLES: &'static str = "codelens refresh\ncodelens refresh --force --json";
    const READ_ONLY: bool = false;
    const TAKES_REF: bool = true;
    type Input = RefreshInput;
    type Output = RefreshOutput;

    fn run(input: RefreshInput, call: &Call<'_>) -> Result<RefreshOutput> {
        let workspace = call.workspaces.open(input.repo.as_deref(), call.places)?;
        let tell = |done, total| (call.progress)(Progress { done, total });
        let done = workspace.refresh(call.revision, input.force, &call.interrupt, &tell)?;
        Ok(RefreshOutput {
            index_id: done.index_id,
            branch: done.snapshot.branch.name().map(str::to_owned),
            head_sha: done.snapshot.head.as_ref().map(ToString::to_string),
            reference: call.revision.map(|revision| cut_argument(&revision.name)),
            status: done.status.as_str(),
            indexed_files: done.n_indexed,
            deleted_files: done.n_deleted,
            total_files: done.n_files,
            total_chunks: done.n_chunks,
            skipped: done.skipped.values().sum(),
            skipped_by_reason: done.skipped,
            seeded_from: done.seeded_from,
            note: done.pull_note,
            elapsed_ms: done.elapsed_ms,
            cpu_ms: done.cpu_ms,
        })
    }
}

/// `cl_stats`.
pub struct Stats;

/// Input of `cl_stats`.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatsInput {
    /// Calls of servers, the last run.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub usage: bool,
    /// Path of the repository, where it is not the working directory's.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// Counts of the index, and the indexes of the repository.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatsOutput {
    pub(crate) active: bool,
    pub(crate) index_id: String,
    pub(crate) branch: Option<String>,
    pub(crate) counts: CountsOutput,
    pub(crate) backlog: u64,
    pub(crate) last_indexed_at: Option<String>,
    pub(crate) total_indexes: u64,
    pub(crate) languages: BTreeMap<String, u64>,
    pub(crate) skipped_by_reason: BTreeMap<&'static str, u64>,
    pub(crate) bytes: u64,
    /// `records` by kind, where any are saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub(crate) memory: Option<MemoryCountsOutput>,
    /// With a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub(crate) vectors: Option<VectorCountsOutput>,
    /// With `usage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub(crate) usage: Option<UsageOutput>,
    /// With `usage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub(crate) last_run: Option<RunOutput>,
    pub(crate) indexes: Vec<IndexOutput>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) truncated: bool,
}

/// Saved records of each kind.
#[derive(Debug, Serialize)]
pub struct MemoryCountsOutput {
    pub(crate) records: BTreeMap<&'static str, u64>,
}

/// Pieces of code that have a vector of a model, of those that should, and the bytes of all vectors of the repository and its clones.
#[derive(Debug, Serialize)]
pub struct VectorCountsOutput {
    pub(crate) model: String,
    pub(crate) have: u64,
    pub(crate) of: u64,
    pub(crate) bytes: u64,
}

impl From<StoredVectors> for VectorCountsOutput {
    fn from(stored: StoredVectors) -> Self {
        let (have, of) = stored.counts;
        Self {
            model: stored.model,
            have,
            of,
            bytes: stored.bytes,
        }
    }
}

/// Calls that servers of this data directory answered, whatever the repository.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageOutput {
    pub(crate) since: Option<String>,
    pub(crate) calls: BTreeMap<String, u64>,
    pub(crate) p50_ms: Option<u64>,
    pub(crate) p95_ms: Option<u64>,
    pub(crate) freshness: BTreeMap<String, u64>,
    pub(crate) cache_hits: u64,
    pub(crate) cache_misses: u64,
    pub(crate) tokens_out: u64,
    pub(crate) errors: BTreeMap<String, u64>,
}

impl From<Usage> for UsageOutput {
    fn from(usage: Usage) -> Self {
        Self {
            since: time(usage.since_ms),
            calls: usage.calls,
            p50_ms: usage.p50_ms,
            p95_ms: usage.p95_ms,
            freshness: usage.freshness,
            cache_hits: usage.n_cache_hits,
            cache_misses: usage.n_cache_misses,
            tokens_out: usage.n_tokens,
            errors: usage.errors,
        }
    }
}

/// Rows of each kind.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CountsOutput {
    pub(crate) files: u64,
    pub(crate) chunks: u64,
    pub(crate) symbols: u64,
    /// Relations between two files, by kind and provenance: the lines of `codelens view`.
    pub(crate) edges: u64,
    /// Imports that lead to no indexed file (not uses of definitions); those of packages do not count.
    pub(crate) unresolved: u64,
}

/// One index of the repository.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IndexOutput {
    pub(crate) index_id: String,
    pub(crate) branch: Option<String>,
    pub(crate) head_sha: Option<String>,
    pub(crate) worktree: String,
    pub(crate) bytes: u64,
    pub(crate) last_used_at: Option<String>,
    pub(crate) pinned: bool,
    pub(crate) active: bool,
    /// Kept as its difference to a file that frozen indexes share; the first question wakes it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) frozen: bool,
}

/// How many indexes are listed one by one.
const MAX_INDEXES: usize = 100;

impl Tool for Stats {
    const NAME: &'static str = "cl_stats";
    const TITLE: &'static str = "Count files, definitions and relations; list the indexes";
    const ABOUT: &'static str = "Counts of the checked-out index (files, chunks, definitions, relations, files left out by reason), \
        and every index of this repository with its size.";
    const EXAMPLES: &'static str = "codelens stats\ncodelens stats --usage\ncodelens stats --json";
    type Input = StatsInput;
    type Output = StatsOutput;

    fn run(input: StatsInput, call: &Call<'_>) -> Result<StatsOutput> {
        let workspace = call.workspaces.open(input.repo.as_deref(), call.places)?;
        let (index_id, snapshot) = workspace.identity()?;
        let contents = workspace.contents(&call.interrupt)?;
        let entries = workspace.indexes()?;
        let n_indexes = entries.len();
        let bytes = entries.iter().map(|entry| entry.bytes).sum();
        let indexes = entries
            .into_iter()
            .take(MAX_INDEXES)
            .map(|entry| IndexOutput {
                index_id: entry.pointer.index_id,
                branch: entry.pointer.branch,
                head_sha: entry.pointer.head_sha,
                worktree: entry.pointer.worktree_id,
                bytes: entry.bytes,
                last_used_at: entry.last_used_ms.and_then(time),
                pinned: entry.is_pinned,
                active: entry.is_active,
                frozen: entry.is_frozen,
            })
            .collect();
        let active = contents.is_some();
        let contents = contents.unwrap_or_default();
        Ok(StatsOutput {
            active,
            index_id,
            branch: snapshot.branch.name().map(str::to_owned),
            counts: CountsOutput {
                files: contents.counts.files,
                chunks: contents.counts.chunks,
                symbols: contents.counts.symbols,
                edges: contents.n_file_relations,
                unresolved: contents.counts.unresolved,
            },
            backlog: contents.n_pending,
            last_indexed_at: contents.last_indexed_ms.and_then(time),
            total_indexes: n_indexes as u64,
            languages: contents.languages,
            skipped_by_reason: contents.skipped,
            bytes,
            memory: Some(MemoryCountsOutput {
                records: workspace.record_counts(),
            })
            .filter(|memory| !memory.records.is_empty()),
            vectors: workspace.stored_vectors()?.map(VectorCountsOutput::from),
            usage: input.usage.then(|| {
                let usage = call.workspaces.usage();
                usage.map(UsageOutput::from).unwrap_or_default()
            }),
            last_run: workspace
                .last_run()
                .filter(|_| input.usage)
                .map(RunOutput::from),
            indexes,
            truncated: n_indexes > MAX_INDEXES,
        })
    }
}
