//! `codelens list`: the repositories of the data directory.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::json;

use super::render;
use super::run::without_repo;
use super::screen::Screen;
use crate::tools::answer::time;

/// Returns the command `list`.
pub(super) fn command() -> Command {
    Command::new("list")
        .about("List the indexed repositories: sizes, last use, what prune would remove")
        .after_help("Examples:\n  codelens list\n  codelens list --json")
}

/// Lists every repository.
pub(super) fn run(matches: &ArgMatches) -> ExitCode {
    without_repo(matches, |workspaces| {
        let repositories = workspaces.repositories()?;
        let entries = repositories.iter().map(|entry| {
            json!({
                "path": entry.path,
                "state": entry.state,
                "indexes": entry.n_indexes,
                "commitIndexes": entry.n_commit_indexes,
                "bytes": entry.bytes,
                "lastUsedAt": entry.last_used_ms.and_then(time),
                "contexts": entry.n_contexts,
                "prunable": entry.n_prunable,
                "prunableBytes": entry.prunable_bytes,
            })
        });
        let home = workspaces.config().home.display().to_string();
        let value = json!({"dataDir": home, "repositories": entries.collect::<Vec<_>>()});
        let text = render::repositories(&home, &repositories, &Screen::of_stdout());
        Ok((value, text))
    })
}
