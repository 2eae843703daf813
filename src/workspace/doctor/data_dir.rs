//! Checks of the data directory as a whole.

use std::path::{Path, PathBuf};

use super::repository::Check;
use crate::config::Config;
use crate::lifecycle::policy::RepositoryState;
use crate::machine;
use crate::model::size::size;
use crate::store::memory::DAMAGED;
use crate::store::{Home, RecordStore, RepoHome, SCHEMA_VERSION};
use crate::watch::network_type;
use crate::workspace::Workspaces;
use crate::workspace::memory::has_copy;
use crate::workspace::prune::LEFT_AGE;
use crate::workspace::survey::{self, SurveyedRepository};

/// How many names a finding shows.
const MAX_NAMES: usize = 3;

/// Least free space, in bytes: an index of a middling repository, and the room for writing it.
const LEAST_FREE_BYTES: u64 = 200 << 20;

/// Checks the content of the data directory, of all owners. Costs a look at every file's name, and the reading of the last version of
/// each archive.
pub fn of_data_directory(workspaces: &Workspaces) -> Vec<Check> {
    let config = workspaces.config();
    let Ok(home) = Home::at(&config.home, &[]) else {
        return Vec::new();
    };
    if !config.home.exists() {
        return Vec::new();
    }
    let found = survey::of_all(&home, None);
    vec![
        file_system(&config.home),
        free_space(config, &found),
        leftover_files(&found),
        owners(&found),
        versions(&found),
        foreign_entries(&home),
        memory(&found),
        library(workspaces),
    ]
}

fn file_system(home: &Path) -> Check {
    let name = "file system";
    if let Some(kind) = network_type(home) {
        return Check::failed(
            name,
            format!(
                "the data directory is on {kind}, where locks between machines cannot be relied on"
            ),
            "set CODELENS_HOME to a directory on a local disk",
        );
    }
    Check::passed(name, "no network mount, as far as the system tells")
}

/// Compares the free space with the possible growth of the indexes, at least with the largest one: a new one begins as
/// a copy.
fn free_space(config: &Config, found: &[SurveyedRepository]) -> Check {
    let name = "free space";
    let sizes = || {
        let entries = found.iter().flat_map(|found| &found.indexes.entries);
        entries.map(|entry| entry.bytes)
    };
    let may_grow = config.max_total_bytes.saturating_sub(sizes().sum());
    let wanted = LEAST_FREE_BYTES.max(2 * sizes().max().unwrap_or_default());
    match machine::free_bytes(&config.home) {
        None => Check::passed(name, "not known on this system"),
        Some(free) if free < wanted => Check::failed(
            name,
            format!(
                "{} are free where the indexes are; {} are wanted for the next one",
                size(free),
                size(wanted)
            ),
            "free some space, call cl_prune with `maxBytes: N` (`codelens prune --max-bytes N`), or set CODELENS_HOME to a directory on another disk",
        ),
        Some(free) if free < may_grow => Check::passed(
            name,
            format!(
                "{}, less than the {} that the quota (max_total_bytes) still allows",
                size(free),
                size(may_grow)
            ),
        ),
        Some(free) => Check::passed(name, size(free)),
    }
}

fn leftover_files(found: &[SurveyedRepository]) -> Check {
    let n: usize = found
        .iter()
        .map(|found| found.home.orphans(LEFT_AGE).len())
        .sum();
    let name = "leftover files";
    if n == 0 {
        return Check::passed(name, "none");
    }
    Check::failed(
        name,
        format!("{n} files of builds that were not finished, or that no index owns"),
        "call cl_prune",
    )
}

fn owners(found: &[SurveyedRepository]) -> Check {
    let gone = found
        .iter()
        .filter(|found| {
            matches!(found.indexes.state, RepositoryState::Gone)
                && !found.indexes.entries.is_empty()
        })
        .count();
    let unknown = found
        .iter()
        .filter(|found| matches!(found.indexes.state, RepositoryState::Unknown))
        .count();
    let name = "repositories";
    if gone > 0 {
        return Check::failed(
            name,
            format!(
                "{gone} of {} were deleted and still have indexes",
                found.len()
            ),
            "call cl_prune",
        );
    }
    let rest = match unknown {
        0 => String::new(),
        n => format!(", {n} of them cannot be read now"),
    };
    Check::passed(name, format!("{}{rest}", found.len()))
}

fn versions(found: &[SurveyedRepository]) -> Check {
    let of = |is_wrong: fn(i64) -> bool| {
        found
            .iter()
            .flat_map(|found| &found.indexes.entries)
            .filter(|entry| is_wrong(entry.pointer.schema_version))
            .count()
    };
    let (older, newer) = (
        of(|version| version < SCHEMA_VERSION),
        of(|version| version > SCHEMA_VERSION),
    );
    let name = "versions";
    if newer > 0 {
        return Check::failed(
            name,
            format!("{newer} indexes were written by a newer version"),
            "update codelens, or drop them by cl_drop with `indexId: ID` (`codelens drop --index-id ID`)",
        );
    }
    if older > 0 {
        return Check::failed(
            name,
            format!("{older} indexes were written by an older version and cannot be read any more"),
            "call cl_prune; what is checked out is built anew by the next question",
        );
    }
    Check::passed(name, format!("all indexes have schema {SCHEMA_VERSION}"))
}

fn foreign_entries(home: &Home) -> Check {
    let name = "unknown files";
    let foreign = home.foreign();
    if foreign.is_empty() {
        return Check::passed(name, "none in the data directory");
    }
    let mut names: Vec<String> = foreign
        .iter()
        .take(MAX_NAMES)
        .map(|path| {
            path.strip_prefix(home.root())
                .unwrap_or(path)
                .display()
                .to_string()
        })
        .collect();
    if foreign.len() > MAX_NAMES {
        names.push(format!("{} more", foreign.len() - MAX_NAMES));
    }
    Check::failed(
        name,
        format!(
            "not written by CodeLens, and never touched: {}",
            names.join(", ")
        ),
        "move them out of the data directory",
    )
}

fn memory(found: &[SurveyedRepository]) -> Check {
    let name = "memory";
    let (mut n_records, mut n_lost) = (0, 0);
    for found in found {
        let read = RecordStore::open_existing(&found.home).and_then(|store| {
            let Some(store) = store else {
                return Ok((0, None));
            };
            n_lost += lost_copies(&found.home, &store.copies()?);
            Ok((store.count(None)?, store.damage()?))
        });
        let damage = match read {
            Ok((n, None)) => {
                n_records += n;
                continue;
            }
            Ok((_, Some(damage))) => damage,
            Err(error) => error.to_string(),
        };
        let path: PathBuf = crate::store::memory::path(&found.home);
        return Check::failed(
            name,
            format!("{} cannot be used: {damage}", path.display()),
            "put a copy in its place (`codelens note export` makes one), or move it away and begin anew; nothing is pruned in that repository meanwhile",
        );
    }
    if let Some(export) = found
        .iter()
        .find_map(|found| export_of_damaged(&found.home))
    {
        return Check::failed(
            name,
            format!(
                "records were damaged and moved aside; those that could be read are in {}",
                export.display()
            ),
            "take them back with `codelens note import` and that path, in their repository; then remove that file",
        );
    }
    if n_lost > 0 {
        let s = if n_lost == 1 { "" } else { "s" };
        return Check::failed(
            name,
            format!("{n_lost} attached document{s} of {n_records} saved records cannot be found"),
            "attach them again with `codelens doc attach`, or remove them with `codelens doc detach`",
        );
    }
    Check::passed(name, format!("{n_records} saved records, all readable"))
}

fn library(workspaces: &Workspaces) -> Check {
    let name = "archives";
    let (n, damaged) = match workspaces.damaged_archives() {
        Ok(found) => found,
        Err(error) => return Check::failed(name, error.message, error.hint),
    };
    let Some((archive, why)) = damaged.first() else {
        return Check::passed(name, format!("{n}, all readable"));
    };
    Check::failed(
        name,
        format!("archive `{archive}` is damaged: {why}"),
        "run `codelens archive remove` and its name, then add its file again with `codelens archive add`",
    )
}

/// Returns the export of damaged records that were moved aside, where there is one.
fn export_of_damaged(home: &RepoHome) -> Option<PathBuf> {
    let entries = std::fs::read_dir(home.dir()).ok()?.flatten();
    let is_export = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(DAMAGED) && name.ends_with(".json")
    };
    entries.map(|entry| entry.path()).filter(is_export).min()
}

/// Returns how many copies of documents are gone, or have other bytes.
fn lost_copies(home: &RepoHome, digests: &[String]) -> usize {
    let is_there = |digest: &&String| has_copy(home, digest);
    digests.len() - digests.iter().filter(is_there).count()
}
