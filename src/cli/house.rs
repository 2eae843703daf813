//! `codelens list` and `codelens cache key`: the data directory as a whole, and its name in a build
//! server's cache.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};

use super::render;
use super::run::{own, without_repo};
use super::screen::Screen;
use crate::tools::answer::time;

/// Returns the command `list`.
pub(super) fn list_command() -> Command {
    Command::new("list")
        .about("List the indexed repositories: sizes, last use, what prune would remove")
        .after_help("Examples:\n  codelens list\n  codelens list --json")
}

/// Returns the command `cache`.
pub(super) fn cache_command() -> Command {
    let name = |id: &'static str, help: &'static str| {
        Arg::new(id).long(id).value_name("BRANCH").help(help)
    };
    Command::new("cache")
        .about("Cache keys for CI")
        .after_help("Examples:\n  codelens cache key")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("key")
                .about("Print the cache key of this job and the keys to restore from")
                .arg(name("branch", "The branch, where the head is detached"))
                .arg(name("default-branch", "The branch that others start from"))
                .arg(
                    Arg::new("format")
                        .long("format")
                        .value_name("FORMAT")
                        .value_parser(PossibleValuesParser::new(["lines", "github"]))
                        .default_value("lines")
                        .help("A name a line, or the outputs of a GitHub step"),
                )
                .after_help("Examples:\n  codelens cache key\n  codelens cache key --format github >> \"$GITHUB_OUTPUT\""),
        )
}

/// Lists every repository.
pub(super) fn list(matches: &ArgMatches) -> ExitCode {
    without_repo(matches, |workspaces| {
        let repositories: Vec<Value> = workspaces
            .repositories()?
            .into_iter()
            .map(|entry| {
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
            })
            .collect();
        let home = workspaces.config().home.display().to_string();
        let value = json!({"dataDir": home, "repositories": repositories});
        let text = render::repositories(&value, &Screen::of_stdout());
        Ok((value, text))
    })
}

/// Prints the name of this job's cache.
pub(super) fn cache(matches: &ArgMatches, cwd: Option<PathBuf>) -> ExitCode {
    let (_, matches) = matches
        .subcommand()
        .expect("the command line is refused without one");
    let text = |id: &str| {
        matches
            .get_one::<String>(id)
            .map(String::as_str)
            .filter(|text| !text.is_empty())
    };
    own(matches, cwd, |place| {
        let found = place.cache_key(text("branch"), text("default-branch"))?;
        let restore = found.restore_keys.join("\n");
        let shown = if text("format") == Some("github") {
            format!("key={}\nrestore-keys<<END\n{restore}\nEND\n", found.key)
        } else {
            format!("{}\n{restore}\n", found.key)
        };
        let value = json!({"key": found.key, "restoreKeys": found.restore_keys});
        Ok((value, shown))
    })
}
