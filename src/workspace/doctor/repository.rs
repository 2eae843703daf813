//! Checks of the foundations of answers, each with its repair.

use std::path::Path;

use crate::config::{self, Config, repository};
use crate::machine;
use crate::model::size::size;
use crate::store;
use crate::workspace::Workspace;

/// One check and its finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The subject of the check.
    pub name: &'static str,
    /// The finding.
    pub detail: String,
    /// How to mend it; `None` when it is in order.
    pub fix: Option<String>,
}

/// The checks of one repository.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// Whether the checked-out commit's index passed SQLite's check, or there is none.
    pub integrity_ok: bool,
    /// Whether it uses a write-ahead log, or there is none.
    pub wal_mode: bool,
    /// The checks.
    pub checks: Vec<Check>,
}

impl Check {
    /// Returns a check that found nothing wrong.
    pub fn passed(name: &'static str, detail: impl Into<String>) -> Self {
        Self {
            name,
            detail: detail.into(),
            fix: None,
        }
    }

    /// Returns a check that found something, with the repair.
    pub fn failed(name: &'static str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            name,
            detail: detail.into(),
            fix: Some(fix.into()),
        }
    }
}

/// Checks that the data directory can be written, or can be made.
pub fn data_directory(config: &Config) -> Check {
    let name = "data directory";
    let place = config.home.display();
    if !config.home.exists() {
        let above = config.home.ancestors().find(|it| it.exists());
        let is_of_use = |it: &Path| it.is_dir() && machine::is_writable(it);
        if let Some(above) = above.filter(|it| !is_of_use(it)) {
            let (above, is_dir) = (above.display(), above.is_dir());
            return Check::failed(
                name,
                format!("{place} does not exist and cannot be made"),
                if is_dir {
                    format!("make {above} writable, or set CODELENS_HOME")
                } else {
                    format!("{above} is no directory: set CODELENS_HOME to another place")
                },
            );
        }
        return Check::passed(
            name,
            format!("{place} does not exist yet; the first index makes it"),
        );
    }
    let probe = config.home.join(format!(
        "{}{}",
        store::inventory::PROBE,
        store::key::new_build()
    ));
    match std::fs::File::create_new(&probe) {
        Ok(file) => {
            drop(file);
            drop(std::fs::remove_file(&probe));
            Check::passed(name, format!("{place} can be written"))
        }
        Err(error) => Check::failed(
            name,
            format!("{place} cannot be written: {error}"),
            "make it writable, or set CODELENS_HOME; until then indexes are only read and may be stale",
        ),
    }
}

/// Returns the settings of the user's file that were passed over; `None` where all of it counts.
pub fn settings_file() -> Option<Check> {
    let warnings = config::file_warnings();
    (!warnings.is_empty()).then(|| {
        Check::failed(
            "settings",
            warnings.join("; "),
            "correct codelens.toml: `codelens config show` tells where it is and which settings there are",
        )
    })
}

/// Checks a repository, its indexes and the checked-out commit's index.
pub fn of_repository(workspace: &Workspace) -> Diagnosis {
    let mut found = Diagnosis {
        integrity_ok: true,
        wal_mode: true,
        checks: Vec::new(),
    };
    let again =
        "call cl_refresh with `force: true` (`codelens refresh --force`) to build the index anew";
    match workspace.repo().and_then(|repo| Ok(repo.repo_state()?)) {
        Ok(motion) if motion.locked => found.checks.push(Check::failed(
            "repository",
            "git holds `index.lock`: indexes are not brought up meanwhile",
            "wait until the git command ends; if none runs, remove `index.lock` from the git directory",
        )),
        Ok(motion) => {
            let mut detail = if workspace.is_bare() {
                "bare: answers are about the commit of HEAD".to_owned()
            } else {
                let branch = motion.snapshot.branch.name();
                branch.map_or_else(|| "detached HEAD".to_owned(), |it| format!("branch {it}"))
            };
            if workspace.repo().is_ok_and(|repo| repo.has_stale_lock()) {
                detail += "; `index.lock` is there but no process holds it: ignored here, git itself refuses to work until you remove it";
            }
            found.checks.push(Check::passed("repository", detail));
        }
        Err(error) => {
            found.checks.push(Check::failed("repository", error.message, error.hint));
            return found;
        }
    }
    found
        .checks
        .push(Check::passed("watch", workspace.watching()));
    if let Ok(repo) = workspace.repo() {
        let said = workspace.repository_settings(&repo);
        if !said.set.is_empty() || !said.warnings.is_empty() {
            let set = match said.set.as_slice() {
                [] => "nothing set".to_owned(),
                set => format!("sets {}", set.join(", ")),
            };
            let warnings = said.warnings.iter().map(|warning| format!("; {warning}"));
            let detail = set + &warnings.collect::<String>();
            found.checks.push(if said.warnings.is_empty() {
                Check::passed(repository::FILE, detail)
            } else {
                let keys = repository::KEYS.map(|key| format!("`{}` ({})", key.name, key.bounds));
                let fix = format!(
                    "correct `{}` at the root of the repository, which takes {}",
                    repository::FILE,
                    keys.join(" and ")
                );
                Check::failed(repository::FILE, detail, fix)
            });
        }
    }
    match workspace.health() {
        Ok(None) if !can_build(workspace.home.root()) => found.checks.push(Check::failed(
            "index",
            "none yet, and none can be built: the data directory can't be written",
            "make the data directory writable, or set CODELENS_HOME to another one",
        )),
        Ok(None) => found.checks.push(Check::passed(
            "index",
            "none yet for what is checked out; the first query or cl_refresh builds it",
        )),
        Ok(Some(health)) => {
            found.wal_mode = health.journal_mode == "wal";
            found.checks.push(match health.damage {
                None => Check::passed("index", "passes SQLite's integrity check"),
                Some(damage) => {
                    found.integrity_ok = false;
                    Check::failed("index", format!("damaged: {damage}"), again)
                }
            });
        }
        Err(error) => {
            found.integrity_ok = false;
            found
                .checks
                .push(Check::failed("index", error.message, again));
        }
    }
    if let Ok(entries) = workspace.indexes() {
        let bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
        found.checks.push(Check::passed(
            "indexes",
            format!("{} of this repository, {}", entries.len(), size(bytes)),
        ));
    }
    found
}

/// Whether this user may write in a data directory, or may make it.
fn can_build(home: &Path) -> bool {
    let nearest = home.ancestors().find(|it| it.exists());
    nearest.is_none_or(machine::is_writable)
}

/// Returns the layout of index files that this version reads and writes.
pub fn schema_version() -> i64 {
    store::SCHEMA_VERSION
}

/// Returns the version of the SQLite library in use.
pub fn sqlite_version() -> &'static str {
    store::sqlite_version()
}

/// Returns whether a `git` program is on the search path. It is not needed: repositories are read in
/// process.
pub fn has_git_program() -> bool {
    let name = if cfg!(windows) { "git.exe" } else { "git" };
    std::env::var_os("PATH")
        .is_some_and(|paths| std::env::split_paths(&paths).any(|dir| dir.join(name).is_file()))
}
