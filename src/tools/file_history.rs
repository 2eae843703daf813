//! Histories of files in the form of answers: commits, owners, and files that were changed together.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::time;
use crate::config::Config;
use crate::error::Result;
use crate::graph::change_history::{ChangeHistory, CoChange, PastCommit};
use crate::model::sanitize::one_line;
use crate::model::{RepoPath, Sources as _};
use crate::roles::codeowners::{CodeOwners, PLACES};
use crate::workspace::View;

/// Owners that are listed.
const MAX_OWNERS: usize = 3;

/// Names of one line of `CODEOWNERS` that are listed.
const MAX_NAMED: usize = 10;

/// The commits that figures are of.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HeldCommitsOutput {
    pub(crate) commits: u64,
    /// The day of the oldest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<String>,
    /// Whether they are all there ever were.
    pub(crate) complete: bool,
    /// Whether they are still being read: no figure is given meanwhile.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) pending: bool,
}

/// The history of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileHistoryOutput {
    pub(crate) commits: u64,
    pub(crate) commits90: u64,
    pub(crate) fixes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<LastCommitOutput>,
    #[serde(rename = "coChange", skip_serializing_if = "Vec::is_empty")]
    pub(crate) co_change: Vec<CoChangeOutput>,
}

/// The newest commit that changed a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct LastCommitOutput {
    pub(crate) sha: String,
    pub(crate) date: String,
    pub(crate) subject: String,
}

/// A file that was changed together with another one: in `together` of the `of` commits that changed that.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct CoChangeOutput {
    pub(crate) path: String,
    pub(crate) together: u64,
    pub(crate) of: u64,
}

/// Somebody who knows a file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OwnerOutput {
    pub(crate) name: String,
    /// Of the commits that changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) share: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) commits: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<String>,
    /// codeowners; commits where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<&'static str>,
}

/// The history of an index's files, read once for an answer.
pub(super) struct FileHistories {
    history: Option<ChangeHistory>,
    owners: Option<CodeOwners>,
    shows_names: bool,
}

impl FileHistories {
    /// Reads the history of an index. Costs some milliseconds.
    pub(super) fn of(view: &View<'_>, config: &Config) -> Result<Self> {
        Ok(Self {
            history: ChangeHistory::read(view.read)?,
            owners: if config.shows_owners {
                code_owners(view)?
            } else {
                None
            },
            shows_names: config.shows_owners,
        })
    }

    /// Returns the commits; `None` while they are being read.
    pub(super) fn known(&self) -> Option<&ChangeHistory> {
        self.history.as_ref()
    }

    /// Returns which commits the figures are of.
    pub(super) fn held(&self) -> HeldCommitsOutput {
        let held = self.known().map(ChangeHistory::held);
        HeldCommitsOutput {
            commits: held.map_or(0, |held| held.n_commits as u64),
            from: held.and_then(|held| day(held.from_s?)),
            complete: held.is_some_and(|held| held.is_complete),
            pending: held.is_none(),
        }
    }

    /// Returns the history of a file with the `n_together` files that it was changed with the most often; `None` while
    /// commits are being read.
    pub(super) fn history(&self, path: &str, n_together: usize) -> Option<FileHistoryOutput> {
        let history = self.known()?;
        let commits: Vec<&PastCommit> = history.commits(path).collect();
        let co_changes = history.co_changes(path, None).into_iter().take(n_together);
        Some(FileHistoryOutput {
            commits: commits.len() as u64,
            commits90: commits.iter().filter(|it| history.is_recent(it)).count() as u64,
            fixes: commits.iter().filter(|it| it.is_fix).count() as u64,
            last: commits.first().and_then(|commit| last(commit)),
            co_change: co_changes.map(Into::into).collect(),
        })
    }

    /// Returns who a file's owners are: those of `CODEOWNERS` first, then the authors of the most commits. `None` where names are not to be
    /// shown, or not known yet.
    pub(super) fn owners(&self, path: &RepoPath) -> Option<Vec<OwnerOutput>> {
        let authors = self.authors(&[path])?;
        let named = self.owners.as_ref().map_or(&[][..], |all| all.of(path));
        let mut list: Vec<OwnerOutput> = named
            .iter()
            .take(MAX_NAMED)
            .map(|name| declared_owner(name))
            .collect();
        list.extend(authors);
        Some(list)
    }

    /// Returns the names that `CODEOWNERS` has for some files, each once, in the order of the files.
    pub(super) fn named_owners(&self, paths: &[&RepoPath]) -> Vec<OwnerOutput> {
        let mut names: Vec<&String> = Vec::new();
        for path in paths {
            for name in self.owners.iter().flat_map(|all| all.of(path)) {
                if !names.contains(&name) && names.len() < MAX_NAMED {
                    names.push(name);
                }
            }
        }
        names.into_iter().map(|name| declared_owner(name)).collect()
    }

    /// Returns the authors of the most commits that changed one of some files; `None` as in [`Self::owners`].
    pub(super) fn authors(&self, paths: &[&RepoPath]) -> Option<Vec<OwnerOutput>> {
        let history = self
            .known()
            .filter(|it| self.shows_names && it.has_names())?;
        let authors = history.authors(paths.iter().map(|path| path.as_str()));
        let n_commits: usize = authors.iter().map(|it| it.n_commits).sum();
        let shown = authors.into_iter().take(MAX_OWNERS).map(|it| OwnerOutput {
            share: Some(share(it.n_commits, n_commits)),
            commits: Some(it.n_commits as u64),
            last: day(it.last_s),
            name: one_line(&it.name).into_owned(),
            from: None,
        });
        Some(shown.collect())
    }
}

fn declared_owner(name: &str) -> OwnerOutput {
    OwnerOutput {
        name: one_line(name).into_owned(),
        share: None,
        commits: None,
        last: None,
        from: Some("codeowners"),
    }
}

impl From<CoChange> for CoChangeOutput {
    fn from(found: CoChange) -> Self {
        Self {
            path: found.path,
            together: found.together as u64,
            of: found.of as u64,
        }
    }
}

/// Returns a share with two decimals.
fn share(n: usize, of: usize) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "few commits are held")]
    let share = n as f64 / of.max(1) as f64;
    (share * 100.0).round() / 100.0
}

/// Returns a commit as the newest one of a file.
pub(super) fn last(commit: &PastCommit) -> Option<LastCommitOutput> {
    Some(LastCommitOutput {
        sha: commit.row.commit.as_str().chars().take(12).collect(),
        date: day(commit.row.links.time_s)?,
        subject: one_line(&commit.subject).into_owned(),
    })
}

/// Returns the day of a time, in UTC.
fn day(time_s: i64) -> Option<String> {
    Some(
        time(time_s.checked_mul(1_000)?)?
            .split('T')
            .next()?
            .to_owned(),
    )
}

fn code_owners(view: &View<'_>) -> Result<Option<CodeOwners>> {
    for place in PLACES {
        let row = view.read.file(place)?;
        if let (Some(row), Some(path)) = (row, RepoPath::new(place)) {
            let text = view.read(&path, row.content);
            return Ok(text.map(|text| CodeOwners::parse(&text)));
        }
    }
    Ok(None)
}
