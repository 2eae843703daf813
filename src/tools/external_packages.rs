//! Imports of packages that another repository of the same group offers: hints by the name alone, since no edge crosses repositories.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::Call;
use super::places::uses;
use crate::error::Result;
use crate::model::RepoPath;
use crate::uses::offered_packages;
use crate::workspace::{View, Workspace};

/// A package that a file imports and another repository offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExternalPackageOutput {
    /// The import as it is written.
    pub(crate) specifier: String,
    /// The repository, by the name that `repo` takes.
    pub(crate) repo: String,
    /// Its file behind the import, where that is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    pub(crate) provenance: &'static str,
}

/// Returns the packages that a file imports and that other repositories of the group offer, by their indexes as they are: none of these is
/// brought up to date for it.
pub(super) fn of_file(
    view: &View<'_>,
    path: &RepoPath,
    call: &Call<'_>,
    workspace: &Arc<Workspace>,
) -> Result<Vec<ExternalPackageOutput>> {
    let mut found = Vec::new();
    let Some(group) = call.workspaces.together(call.places) else {
        return Ok(found);
    };
    let others = group.names().filter_map(|name| {
        let place = group.by_name(name)?;
        (place != workspace.work_dir()).then_some(name)
    });
    let others: Vec<&str> = others.collect();
    if others.is_empty() {
        return Ok(found);
    }
    let specifiers = uses(view).external_specifiers(path)?;
    if specifiers.is_empty() {
        return Ok(found);
    }
    for name in others {
        // One that is gone, or has no index yet, offers nothing that is known.
        let other = call.workspaces.open(Some(name), call.places);
        let offered = other.and_then(|other| {
            other.with_stored_index(|read| offered_packages(read, path, &specifiers))
        });
        let offered = offered.ok().flatten().unwrap_or_default();
        found.extend(offered.into_iter().map(|(at, path)| ExternalPackageOutput {
            specifier: specifiers[at].clone(),
            repo: name.to_owned(),
            path: path.map(|path| path.to_string()),
            provenance: "name",
        }));
    }
    Ok(found)
}
