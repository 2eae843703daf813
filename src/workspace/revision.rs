//! The commit that a question is about, where it is not about the work tree.
//!
//! Does not answer the question; see `query`.

use super::{Workspace, similar_refs, view};
use crate::error::{Error, Result};
use crate::git::{NoCommit, Repo};
use crate::model::CommitId;

/// A commit by the name that a caller gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// As it was asked for: `main`, `v3.4.0`, `HEAD~3`.
    pub name: String,
    /// The commit of that name in this call.
    pub commit: CommitId,
}

impl Workspace {
    /// Returns the commit of a name; `None` where nothing has it.
    ///
    /// # Errors
    /// `invalid_argument` for what names several commits, or something else than a commit.
    pub fn revision(&self, name: &str) -> Result<Option<Revision>> {
        let shown = view::cut_argument(name);
        let one =
            "pass the name of one branch, tag or commit, for example `main`, `v1.2` or `HEAD~3`";
        let (what, hint) = match self.repo()?.commit_named(name) {
            Ok(commit) => {
                let name = name.to_owned();
                return Ok(Some(Revision { name, commit }));
            }
            Err(NoCommit::Unknown) => return Ok(None),
            Err(NoCommit::Ambiguous) => (
                format!("`{shown}` begins the names of several objects"),
                "give more digits of the commit",
            ),
            Err(NoCommit::OtherObject) => (format!("`{shown}` is an object, and no commit"), one),
            Err(NoCommit::Range) => {
                let message = format!("`{shown}` names several commits");
                let both = range_hint(name).unwrap_or_default();
                return Err(Error::invalid(message, format!("{one}{both}")));
            }
            Err(NoCommit::Search) => (format!("`{shown}` is a search or a path, and no name"), one),
            Err(NoCommit::NoName) => (
                if name.is_empty() {
                    "the name of the commit is empty".to_owned()
                } else {
                    format!("`{shown}` is no name of a commit")
                },
                one,
            ),
        };
        Err(Error::invalid(what, hint))
    }

    /// Returns the commit of a name that a field of the input gives: `base`, `ref`.
    ///
    /// # Errors
    /// As [`Self::revision`], with the field; and for a name of no commit, with names like it.
    pub fn revision_of(&self, field: &str, name: &str) -> Result<Revision> {
        let found = self.revision(name).map_err(|mut error| {
            error.message = format!("field `{field}`: {}", error.message);
            error
        })?;
        if let Some(found) = found {
            return Ok(found);
        }
        if name == "HEAD" {
            return Err(Error::invalid(
                format!("field `{field}`: nothing is committed yet, so that `HEAD` is no commit"),
                format!("leave `{field}` out to ask about the work tree, or commit first"),
            ));
        }
        let shown = view::cut_argument(name);
        let known = self.repo()?.reference_names().unwrap_or_default();
        Err(Error::invalid(
            format!("field `{field}`: no branch, tag or commit is named `{shown}`"),
            similar_refs::hint(name, known.into_iter().collect()),
        ))
    }

    /// Returns whether the repository has no work tree, so that every question is about a commit.
    pub fn is_bare(&self) -> bool {
        self.is_bare
    }

    /// Opens the repository anew, to ask the files of a commit, or of the work tree where there is none.
    pub(super) fn repo_at(&self, revision: Option<&Revision>) -> Result<Repo> {
        let Some(revision) = revision else {
            return self.repo();
        };
        self.repo_at_commit(&revision.commit)
    }

    /// Opens the repository anew, to ask the files of a commit. The repository's own settings are those that the commit
    /// says.
    pub(super) fn repo_at_commit(&self, commit: &CommitId) -> Result<Repo> {
        let repo = self.kept_repo.open(&self.work_dir)?.at_commit(commit)?;
        let indexing_rules = self.repository_settings(&repo).indexing_rules;
        Ok(repo.with_indexing_rules(indexing_rules))
    }
}

/// Returns how two ends of a range are compared: `codelens changes main --head fix` for `main..fix`.
fn range_hint(range: &str) -> Option<String> {
    let (base, head) = range.split_once("..").filter(|it| !it.1.starts_with('.'))?;
    let is_plain = |name: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || "/._-+@~^".contains(c);
        name.chars().all(fits) && !name.starts_with('-')
    };
    let head = if head.is_empty() { "HEAD" } else { head };
    let base = if base.is_empty() { "HEAD" } else { base };
    (is_plain(base) && is_plain(head))
        .then(|| format!("; cl_changes (`codelens changes {base} --head {head}`) compares two"))
}
