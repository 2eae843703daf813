//! How the names of symbols, files and contexts go on that somebody began to type.
//!
//! No tool: people choose from these, agents never see them.

use std::collections::BTreeSet;

use super::Call;
use crate::error::Result;
use crate::workspace::{Patience, Question, RecordKind, normal_form};

/// How many symbols are looked at: the same name may be there often.
const MAX_ROWS: u32 = 2_000;

/// Returns a question that waits for no first build: somebody is typing.
fn in_haste<'a>(call: &'a Call<'_>) -> Question<'a> {
    let usual = call.workspaces.config().budget();
    Question {
        patience: Patience::Within(usual),
        ..Question::from(&call.interrupt)
    }
}

/// Returns names of symbols that begin with `value`, the shortest first; with a dot in it, qualified names.
/// Case and word separators do not matter.
pub fn symbols(value: &str, call: &Call<'_>) -> Result<Vec<String>> {
    let is_qualified = value.contains('.');
    let last = value.rsplit('.').next().unwrap_or(value);
    let wanted = value.to_lowercase();
    let workspace = call.workspaces.open(None, call.places)?;
    let rows = workspace.query(in_haste(call), |view| {
        Ok(view.read.names_beginning(&normal_form(last), MAX_ROWS)?)
    })?;
    let names = rows.into_iter().filter_map(|(name, qualified)| {
        if is_qualified {
            let fits = qualified.to_lowercase().starts_with(&wanted);
            fits.then_some(qualified)
        } else {
            Some(name)
        }
    });
    let mut names: Vec<_> = names.collect::<BTreeSet<_>>().into_iter().collect();
    names.sort_by_key(String::len);
    Ok(names)
}

/// Returns the possible continuations of a path that begins with `value`: files, and directories with a slash at the
/// end. Where there are none, files whose own names begin with it.
pub fn paths(value: &str, call: &Call<'_>) -> Result<Vec<String>> {
    let workspace = call.workspaces.open(None, call.places)?;
    let directory = value
        .rsplit_once('/')
        .map_or("", |(directory, _)| directory);
    workspace.query(in_haste(call), |view| {
        let below = view.read.files_under(directory)?;
        let steps: BTreeSet<String> = below
            .iter()
            .filter_map(|file| step(file.path.as_str(), value))
            .collect();
        if !steps.is_empty() || directory == value || value.contains('/') {
            return Ok(steps.into_iter().collect());
        }
        let wanted = value.to_lowercase();
        let named = below.iter().map(|file| file.path.as_str()).filter(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            name.to_lowercase().starts_with(&wanted)
        });
        Ok(named.map(str::to_owned).collect())
    })
}

/// Returns the names of saved contexts that begin with `value`; of imported ones those that a person approved.
pub fn contexts(value: &str, call: &Call<'_>) -> Result<Vec<String>> {
    let workspace = call.workspaces.open(None, call.places)?;
    let names = workspace
        .saved_records(Some(RecordKind::Context))?
        .into_iter()
        .filter(|saved| saved.approved)
        .filter_map(|saved| saved.name);
    Ok(names.filter(|name| name.starts_with(value)).collect())
}

/// Returns the identifiers of saved records that begin with `value`; of imported ones those that a person approved.
pub fn records(value: &str, call: &Call<'_>) -> Result<Vec<String>> {
    let workspace = call.workspaces.open(None, call.places)?;
    let records = workspace.saved_records(None)?.into_iter();
    let ids = records
        .filter(|saved| saved.approved)
        .map(|saved| saved.uid);
    Ok(ids.filter(|id| id.starts_with(value)).collect())
}

/// Returns `path` up to the end of the part in which `value` ends.
fn step(path: &str, value: &str) -> Option<String> {
    let rest = path.strip_prefix(value)?;
    let end = rest.find('/').map_or(path.len(), |at| value.len() + at + 1);
    Some(path[..end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::step;

    #[test]
    fn a_path_goes_on_to_the_end_of_its_part() {
        let path = "src/mcp/http/mod.rs";
        assert_eq!(step(path, "").as_deref(), Some("src/"));
        assert_eq!(step(path, "src").as_deref(), Some("src/"));
        assert_eq!(step(path, "src/m").as_deref(), Some("src/mcp/"));
        assert_eq!(step(path, "src/mcp/http/").as_deref(), Some(path));
        assert_eq!(step(path, path).as_deref(), Some(path));
        assert_eq!(step(path, "src/x"), None);
    }
}
