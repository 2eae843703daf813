//! `codelens cache key`: the name of the data directory in a build server's cache.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use serde_json::json;

use super::run::in_workspace;

/// Returns the command `cache`.
pub(super) fn command() -> Command {
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

/// Prints the name of this job's cache.
pub(super) fn run(matches: &ArgMatches, cwd: Option<PathBuf>) -> ExitCode {
    let (_, matches) = matches
        .subcommand()
        .expect("the command line is refused without one");
    let text = |id: &str| {
        matches
            .get_one::<String>(id)
            .map(String::as_str)
            .filter(|text| !text.is_empty())
    };
    in_workspace(matches, cwd, |place| {
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
