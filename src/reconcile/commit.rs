//! The particulars of a commit's index: its files never change, so that a proof of the rows stays valid.
//!
//! Does not list the files; see [`crate::git::Repo::scan`].

use super::plan::Plan;
use super::{ReconcileError, Rows};
use crate::git::{Repo, Source};
use crate::link;
use crate::model::indexing_rules::POLICY_VERSION;
use crate::model::{CommitId, RepoPath, SkipReason};
use crate::syntax;

/// Returns a digest of all that decides which rows an index of the commit has: the commit, the versions of what reads
/// files, the settings, and the rules that lie outside of its tree. `None` for a work tree. An index that bears it is
/// the commit's without a look at any file.
///
/// # Errors
/// Those of rules that can't be read.
pub(super) fn manifest_digest(repo: &Repo) -> Result<Option<String>, ReconcileError> {
    if !repo.source().is_commit() {
        return Ok(None);
    }
    let indexing_rules = repo.indexing_rules();
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &[u8]| {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    };
    let commit = repo.source().commit().map_or("", CommitId::as_str);
    add(commit.as_bytes());
    add(&POLICY_VERSION.to_le_bytes());
    add(&link::VERSION.to_le_bytes());
    for language in syntax::languages() {
        add(language.id.as_bytes());
        add(&language.facts_version.to_le_bytes());
    }
    add(&indexing_rules.max_file_bytes.to_le_bytes());
    for pattern in &indexing_rules.exclude {
        add(pattern.as_bytes());
    }
    add(repo.outside_attributes()?.as_bytes());
    Ok(Some(hasher.finalize().to_hex()[..32].to_owned()))
}

/// Adds the sizes of files that have to be read, which a commit's tree does not tell. Takes those out of the plan whose
/// rows say already that their bytes are not in this clone, and returns them: they still are not.
pub(super) fn complete_sizes(source: &Source, rows: &Rows, plan: &mut Plan) -> Vec<RepoPath> {
    let mut missing = Vec::new();
    plan.replace.retain_mut(|candidate| {
        let Some(blob) = candidate.blob else {
            return true;
        };
        let size = source.size_of(blob);
        candidate.stat.size_bytes = size.unwrap_or(0);
        let row = rows.binary_search_by(|row| row.path.cmp(&candidate.path));
        let is_noted = row.is_ok_and(|at| {
            rows[at].skip == Some(SkipReason::MissingBlob) && rows[at].blob == candidate.blob
        });
        if size.is_none() && is_noted {
            missing.push(candidate.path.clone());
        }
        size.is_some() || !is_noted
    });
    missing
}

/// The word in the note of an index for files of a commit that a checkout would run a filter over.
pub const FILTERED: &str = "filtered";

/// Adds how many files of a commit a checkout would run a filter over, which are indexed as git stores them.
pub(super) fn note_filtered(left_out: &mut String, n: usize) {
    if n == 0 {
        return;
    }
    if !left_out.is_empty() {
        left_out.push(',');
    }
    left_out.push_str(FILTERED);
    left_out.push('=');
    left_out.push_str(&n.to_string());
}
