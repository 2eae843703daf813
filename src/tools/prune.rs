//! `cl_prune`, `cl_drop`: removing indexes that nobody needs.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{MAX_LIST_BYTES, is_zero, n_within_bytes};
use super::number::Number;
use super::{Call, Tool, revision};
use crate::error::{Code, Error, Result};
use crate::lifecycle::prune::RemovedIndex;
use crate::workspace::{DropTarget, PruneOptions};

/// `cl_prune`.
pub struct Prune;

/// Input of `cl_prune`.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PruneInput {
    /// Say what would go, remove nothing.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Unused for more days than this goes.
    #[arg(long, value_name = "DAYS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older_than_days: Option<Number<0, 3650>>,
    /// Bytes that all indexes together may take.
    #[arg(long, value_name = "BYTES")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<Number<0>>,
    /// Keep only what the next CI job can start from.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ci: bool,
    /// Path of the repository, where it is not the working directory's.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// Indexes that went, or would go.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PruneOutput {
    pub(crate) deleted_indexes: Vec<RemovedIndexOutput>,
    pub(crate) total: u64,
    pub(crate) skipped: u64,
    /// Vectors of text that no index holds any more.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) deleted_vectors: u64,
    pub(crate) bytes_freed: u64,
    pub(crate) dry_run: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) truncated: bool,
}

/// An index that went, or would go.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemovedIndexOutput {
    pub(crate) index_id: String,
    pub(crate) branch: Option<String>,
    pub(crate) head_sha: Option<String>,
    pub(crate) worktree: String,
    pub(crate) repo: String,
    pub(crate) bytes: u64,
    pub(crate) reason: &'static str,
}

impl Tool for Prune {
    const NAME: &'static str = "cl_prune";
    const TITLE: &'static str = "Remove unused indexes";
    const ABOUT: &'static str = "Removes indexes of branches, work trees and repositories that are gone, of old commits, unused ones, \
        and what is over the quota; never what is checked out, pinned or in use. Happens automatically: call it to free space now.";
    const EXAMPLES: &'static str = "codelens prune --dry-run\ncodelens prune --older-than-days 3\ncodelens prune --ci --max-bytes 500000000";
    const READ_ONLY: bool = false;
    const DESTRUCTIVE: bool = true;
    type Input = PruneInput;
    type Output = PruneOutput;

    fn run(input: PruneInput, call: &Call<'_>) -> Result<PruneOutput> {
        // Taken as 0 it would remove everything that is not in use.
        let bounds = [
            ("olderThanDays", input.older_than_days.map(i64::from)),
            ("maxBytes", input.max_bytes.map(i64::from)),
        ];
        for (field, value) in bounds {
            if let Some(n) = value.filter(|n| *n < 0) {
                return Err(Error::invalid(
                    format!("`{field}` is {n}: it is at least 0"),
                    "pass a number from 0 on, or leave it out",
                ));
            }
        }
        let workspace = call
            .workspaces
            .open(input.repo.as_deref(), call.places)
            .map_err(start_of_pruning)?;
        let pruned = workspace.prune(PruneOptions {
            dry_run: input.dry_run,
            unused_days: input.older_than_days.map(|days| {
                u32::try_from(days.get().clamp(0, 3_650)).expect("it was just clamped")
            }),
            max_bytes: input
                .max_bytes
                .map(|bytes| bytes.get().max(0).unsigned_abs()),
            ci: input.ci,
        })?;
        let bytes_freed = pruned.bytes();
        let skipped = pruned.in_use.len() as u64;
        let deleted_vectors = pruned.vectors.n_vectors;
        let mut deleted: Vec<RemovedIndexOutput> =
            pruned.removed.into_iter().map(removed).collect();
        let total = deleted.len() as u64;
        let shown = n_within_bytes(&deleted, MAX_LIST_BYTES);
        let truncated = shown < deleted.len();
        deleted.truncate(shown);
        Ok(PruneOutput {
            deleted_indexes: deleted,
            total,
            skipped,
            deleted_vectors,
            bytes_freed,
            dry_run: input.dry_run,
            truncated,
        })
    }
}

/// Returns the error of a call outside a repository with the next step for pruning, which any repository will do for.
fn start_of_pruning(mut error: Error) -> Error {
    if error.code == Code::NotARepo {
        "pass `repo`: any repository, for example one that `codelens list` shows; the whole data directory is pruned"
            .clone_into(&mut error.hint);
    }
    error
}

fn removed(removed: RemovedIndex) -> RemovedIndexOutput {
    RemovedIndexOutput {
        index_id: removed.pointer.index_id,
        branch: removed.pointer.branch,
        head_sha: removed.pointer.head_sha,
        worktree: removed.pointer.worktree_id,
        repo: removed.pointer.work_dir.display().to_string(),
        bytes: removed.bytes,
        reason: removed.reason.as_str(),
    }
}

/// `cl_drop`.
pub struct Drop;

/// Input of `cl_drop`.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DropInput {
    /// Which index.
    #[arg(long, value_name = "ID", conflicts_with_all = ["branch", "reference"])]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_id: Option<String>,
    /// A branch of this work tree.
    #[arg(
        long,
        conflicts_with = "reference",
        help = "Delete the indexes of this branch of this work tree"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// A commit.
    #[arg(
        long = "ref",
        value_name = "REF",
        allow_hyphen_values = true,
        help = "Delete the index of this commit"
    )]
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Path of the repository, where it is not the working directory's.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// The index that was dropped.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DropOutput {
    pub(crate) deleted: bool,
    pub(crate) index_id: String,
    pub(crate) bytes_freed: u64,
}

impl Tool for Drop {
    const NAME: &'static str = "cl_drop";
    const TITLE: &'static str = "Delete an index";
    const ABOUT: &'static str = "Deletes an index that is not checked out, pinned or in use.";
    const EXAMPLES: &'static str = "codelens drop --branch feature/old\ncodelens drop --ref v1.2\ncodelens drop --index-id idx_0123456789abcdef0123456789abcdef";
    const READ_ONLY: bool = false;
    const DESTRUCTIVE: bool = true;
    type Input = DropInput;
    type Output = DropOutput;

    fn run(input: DropInput, call: &Call<'_>) -> Result<DropOutput> {
        let given = [&input.index_id, &input.branch, &input.reference];
        if given.into_iter().flatten().count() != 1 {
            return Err(Error::invalid(
                "exactly one of `indexId`, `branch` and `ref` is needed",
                "cl_stats (`codelens stats`) lists the indexes with their branches and commits",
            ));
        }
        let workspace = call.workspaces.open(input.repo.as_deref(), call.places)?;
        let chosen = match (input.index_id, input.branch, input.reference) {
            (Some(id), ..) => DropTarget::Index(id),
            (None, Some(branch), _) => DropTarget::Branch(branch),
            (None, None, name) => {
                let name = name.unwrap_or_default();
                DropTarget::Commit(revision::revision_by_name(&name, &workspace)?)
            }
        };
        let (index_id, bytes_freed) = workspace.drop_index(&chosen)?;
        Ok(DropOutput {
            deleted: true,
            index_id,
            bytes_freed,
        })
    }
}
