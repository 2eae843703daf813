//! The changes in an answer: which files differ, which definitions are gone, and who still names them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::ImpactQuestion;
use super::sites::word;
use crate::error::Result;
use crate::model::RepoPath;
use crate::model::path::is_at_or_below;
use crate::model::sanitize::one_line;
use crate::tools::answer::{is_zero, truncate_to_bytes};
use crate::tools::places::uses;
use crate::uses::{ChangeKind, RemovedDefinition, UnfollowedFiles};
use crate::workspace::{FileChange, View};

/// Files that are listed.
const MAX_FILES: usize = 100;

/// The changes.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangeSetOutput {
    /// The commit that the work tree is compared with.
    pub(crate) from: String,
    pub(crate) to: &'static str,
    pub(crate) files: Vec<ChangedFileOutput>,
    pub(crate) files_total: u64,
    /// The shape is in TOOLS.md.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub(crate) removed: Vec<RemovedDefinitionOutput>,
    pub(crate) removed_total: u64,
}

/// A file that differs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangedFileOutput {
    pub(crate) path: String,
    /// modified, added or deleted.
    pub(crate) status: &'static str,
}

/// A definition that is gone from where it was.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RemovedDefinitionOutput {
    pub(crate) symbol: String,
    pub(crate) path: String,
    pub(crate) kind: &'static str,
    /// Its line in the commit.
    pub(crate) line: u32,
    /// removed, renamed, moved, or unexported: other files can't import it any more.
    pub(crate) change: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) now: Option<NowOutput>,
    /// Uses that name it and mean nothing now, or may.
    pub(crate) still_named_at: Vec<DanglingOutput>,
    pub(crate) total: u64,
    /// Those of them whose meaning is not known.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) doubtful: u64,
    /// Further uses of the name whose meaning is not known.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) unresolved: u64,
    /// Files whose uses of code are not known and that hold the word, where no use is known.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) unfollowed: u64,
    /// The first of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unfollowed_file: Option<String>,
}

/// Where a definition is now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NowOutput {
    pub(crate) symbol: String,
    pub(crate) path: String,
    pub(crate) line: u32,
}

/// A use that means nothing any more.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DanglingOutput {
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) text: String,
    /// import where it is an import or an export.
    #[serde(rename = "use")]
    pub(crate) used: &'static str,
    /// Whether a base from outside the repository may have a member of that name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) doubtful: bool,
}

/// Finds the definitions that the changes took away: of a name where one is asked about, below a path where one is given.
pub(super) fn removed_definitions(
    view: &View<'_>,
    asked: &ImpactQuestion<'_>,
) -> Result<Vec<RemovedDefinition>> {
    let is_wanted = |path: &RepoPath, qualified: &str| {
        let is_here = asked
            .path
            .is_none_or(|asked| is_at_or_below(path.as_str(), asked.as_str()));
        let is_named = asked.input.symbol.as_deref().is_none_or(|name| {
            let name = name.trim();
            qualified == name || qualified.ends_with(&format!(".{name}"))
        });
        is_here && is_named
    };
    uses(view).removed(asked.earlier, asked.input.symbol.is_some(), is_wanted)
}

/// Returns how many uses of the names of removed definitions are unresolved, those of each name once.
pub(super) fn n_unresolved(removed: &[RemovedDefinition]) -> u64 {
    let by_name: BTreeMap<(&str, bool), u64> = removed
        .iter()
        .map(|one| {
            let (owner, name) = one.qualified_name.rsplit_once('.').unwrap_or_default();
            let name = if name.is_empty() {
                &one.qualified_name
            } else {
                name
            };
            ((name, owner.is_empty()), one.n_unresolved)
        })
        .collect();
    by_name.values().sum()
}

/// Returns the files whose uses of code are not known and that hold the names of removed definitions without a known use: those of the
/// one with the most.
pub(super) fn unfollowed(removed: &[RemovedDefinition]) -> UnfollowedFiles {
    let all = removed.iter().map(|one| &one.unfollowed);
    let most = all.max_by_key(|it| it.n_files);
    most.cloned().unwrap_or_default()
}

/// Converts the changes to their output form, the lists of uses within `max_bytes` together.
pub(super) fn output(
    view: &View<'_>,
    (from, changes): (&str, &[FileChange]),
    removed: &[RemovedDefinition],
    max_bytes: usize,
) -> Result<ChangeSetOutput> {
    let mut files = Vec::new();
    for change in changes.iter().take(MAX_FILES) {
        let status = match (&change.lines, view.read.has_file(change.path.as_str())?) {
            (_, false) => "deleted",
            (Some(_), true) => "modified",
            (None, true) => "added",
        };
        files.push(ChangedFileOutput {
            path: change.path.to_string(),
            status,
        });
    }
    Ok(ChangeSetOutput {
        from: from.to_owned(),
        to: "worktree",
        files,
        files_total: changes.len() as u64,
        removed: list(removed, max_bytes),
        removed_total: removed.len() as u64,
    })
}

/// Converts removed definitions to their output form.
pub(super) fn list(
    removed: &[RemovedDefinition],
    max_bytes: usize,
) -> Vec<RemovedDefinitionOutput> {
    let each = max_bytes / removed.len().max(1);
    let mut all: Vec<RemovedDefinitionOutput> = removed
        .iter()
        .map(|one| removed_output(one, each))
        .collect();
    truncate_to_bytes(&mut all, max_bytes.max(each));
    all
}

fn removed_output(one: &RemovedDefinition, max_bytes: usize) -> RemovedDefinitionOutput {
    let mut uses: Vec<DanglingOutput> = one
        .uses
        .iter()
        .map(|it| DanglingOutput {
            path: it.path.to_string(),
            line: it.line,
            text: one_line(&it.text).into_owned(),
            used: it.kind.map_or("import", word),
            doubtful: it.is_doubtful,
        })
        .collect();
    if !uses.is_empty() {
        truncate_to_bytes(&mut uses, max_bytes);
    }
    RemovedDefinitionOutput {
        symbol: one.qualified_name.clone(),
        path: one.path.to_string(),
        kind: one.kind.as_str(),
        line: one.line,
        change: match one.change {
            ChangeKind::Renamed => "renamed",
            ChangeKind::Moved => "moved",
            ChangeKind::Unexported => "unexported",
            _ => "removed",
        },
        now: one.now.as_ref().map(|(path, symbol, line)| NowOutput {
            symbol: symbol.clone(),
            path: path.to_string(),
            line: *line,
        }),
        total: one.uses.len() as u64,
        doubtful: one.n_doubtful(),
        unresolved: one.n_unresolved,
        unfollowed: one.unfollowed.n_files,
        unfollowed_file: one.unfollowed.first.as_ref().map(ToString::to_string),
        still_named_at: uses,
    }
}
