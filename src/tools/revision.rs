//! `ref` of an input: the commit that it names, or an error with names like it.

use serde_json::Value;

use super::Call;
use super::schema::REF;
use crate::error::{Error, Result};
use crate::workspace::{Revision, Workspace, cut_argument};

/// How alike a name has to be.
const MIN_LIKENESS: f64 = 0.6;

/// How many are named.
const MAX_NAMED: usize = 3;

/// The longest name that is compared, in bytes: the cost of a comparison grows with its square.
const MAX_COMPARED_BYTES: usize = 100;

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
    let asked = name.unwrap_or("HEAD");
    let found = workspace.revision(asked).map_err(|mut error| {
        if name.is_some() {
            error.message = format!("field `{REF}`: {}", error.message);
        }
        error
    })?;
    match found {
        // Nothing is committed yet.
        None if name.is_none() => Ok(None),
        None => Err(unknown(asked, &workspace)),
        found => Ok(found),
    }
}

/// Returns the commit of a name that was given as `ref`.
///
/// # Errors
/// `invalid_argument` for a name of no commit, with names like it.
pub fn revision_by_name(name: &str, workspace: &Workspace) -> Result<Revision> {
    let found = workspace.revision(name).map_err(|mut error| {
        error.message = format!("field `{REF}`: {}", error.message);
        error
    })?;
    match found {
        Some(found) => Ok(found),
        None => Err(unknown(name, workspace)),
    }
}

fn unknown(name: &str, workspace: &Workspace) -> Error {
    if name == "HEAD" {
        return Error::invalid(
            format!("field `{REF}`: nothing is committed yet, so that `HEAD` is no commit"),
            "leave `ref` out to ask about the work tree, or commit first",
        );
    }
    let near: Vec<String> = nearest(name, workspace.reference_names().unwrap_or_default())
        .into_iter()
        .map(|name| format!("`{}`", cut_argument(&name)))
        .collect();
    let names = "`git branch -a` and `git tag` list the names; nothing is fetched";
    let hint = if near.is_empty() {
        names.to_owned()
    } else {
        format!("did you mean {}? {names}", near.join(" or "))
    };
    let name = cut_argument(name);
    Error::invalid(
        format!("field `{REF}`: no branch, tag or commit is named `{name}`"),
        hint,
    )
}

/// Returns the names most like one: `feture` → `feature`, `3.4.0` → `v3.4.0`, `login` → `origin/login`.
fn nearest(asked: &str, known: Vec<String>) -> Vec<String> {
    // Steps back are not part of the name.
    let asked = &asked[..asked.find(['~', '^', '@']).unwrap_or(asked.len())];
    if asked.is_empty() || asked.len() > MAX_COMPARED_BYTES {
        return Vec::new();
    }
    let asked = asked.to_lowercase();
    let likeness = |name: &str| {
        let name = name.to_lowercase();
        let last = name.rsplit('/').next().unwrap_or_default();
        let as_last = strsim::normalized_damerau_levenshtein(&asked, last) * 0.98;
        strsim::normalized_damerau_levenshtein(&asked, &name).max(as_last)
    };
    let mut found: Vec<(f64, String)> = known
        .into_iter()
        .filter(|name| name.len() <= MAX_COMPARED_BYTES)
        .map(|name| (likeness(&name), name))
        .filter(|(likeness, _)| *likeness >= MIN_LIKENESS)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.truncate(MAX_NAMED);
    found.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_mistyped_name_finds_those_like_it() {
        let found = |asked: &str| {
            let known = ["main", "feature/login", "origin/main", "v3.4.0", "v3.4.1"];
            nearest(asked, known.map(str::to_owned).to_vec())
        };
        assert_eq!(found("mian"), ["main", "origin/main"]);
        assert_eq!(found("login"), ["feature/login"]);
        assert_eq!(found("feature/logn~2"), ["feature/login"]);
        assert_eq!(found("3.4.0"), ["v3.4.0", "v3.4.1"]);
        assert!(found("zebra").is_empty() && found("~3").is_empty());
        assert!(found(&"x".repeat(4_000)).is_empty());
    }
}
