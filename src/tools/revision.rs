//! `ref` of an input: the commit that it names, or an error with names like it.

use serde_json::Value;

use super::Call;
use super::schema::REF;
use crate::error::{Error, Result};
use crate::workspace::{Revision, Workspace};

/// Returns the commit that a call is about: the one that `name` means, in a bare repository else that of `HEAD`; `None`
/// for the work tree.
///
/// # Errors
/// `invalid_argument` for a name of no commit, and for `ref` together with `changes`.
pub(super) fn of_call(
    name: Option<&str>,
    input: &Value,
    call: &Call<'_>,
) -> Result<Option<Revision>> {
    let repo = input["repo"].as_str();
    let workspace = match call.workspaces.open(repo, call.places) {
        Ok(workspace) => workspace,
        // Without a name the tool itself tells what is wrong.
        Err(_) if name.is_none() => return Ok(None),
        Err(error) => return Err(error),
    };
    if name.is_none() && !workspace.is_bare() {
        return Ok(None);
    }
    if name.is_some() && input["base"].is_string() {
        return Err(Error::invalid(
            "`ref` and `base` exclude one another here: changes are those of what is checked out",
            "pass one of them; cl_changes compares two commits",
        ));
    }
    if input["changes"] == true {
        let (what, hint) = if name.is_some() {
            (
                "`ref` and `changes` exclude one another: a commit has no uncommitted edits",
                "pass one of them",
            )
        } else {
            (
                "a bare repository has no uncommitted edits",
                "pass `symbol` or `path`",
            )
        };
        return Err(Error::invalid(what, hint));
    }
    match name {
        Some(name) => workspace.revision_of(REF, name).map(Some),
        // `None` where nothing is committed yet.
        None => workspace.revision("HEAD"),
    }
}

/// Returns the commit of a name that was given as `ref`.
///
/// # Errors
/// `invalid_argument` for a name of no commit, with names like it.
pub fn revision_by_name(name: &str, workspace: &Workspace) -> Result<Revision> {
    workspace.revision_of(REF, name)
}
