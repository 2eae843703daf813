//! `codelens runs`: what built, seeded and took in indexes, and what came of it.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;

use super::render;
use super::run::without_repo;
use crate::tools::runs::{DEFAULT_RUNS, runs};

const ABOUT: &str = "\
Lists builds of indexes, pulls, imports of bundles and archives of this data directory, the newest first, each with what it started from, what came of it, and where something is \
left to do the next command. A run whose process is gone is `interrupted`. A question is among them where it indexed more than 50 files, read more than 178, or was still reading after a second.";

/// Returns the command.
pub(super) fn command() -> Command {
    Command::new("runs")
        .about("List builds, pulls and imports of indexes, and what came of them")
        .long_about(ABOUT)
        .arg(
            Arg::new("id")
                .long("id")
                .value_name("N")
                .value_parser(value_parser!(i64).range(1..))
                .help("The run of that number alone, with all that is known"),
        )
        .arg(
            Arg::new("limit")
                .long("limit")
                .value_name("N")
                .default_value("20")
                .value_parser(value_parser!(u32).range(1..=1_000))
                .help("How many are listed"),
        )
        .after_help(
            "Examples:\n  codelens runs\n  codelens runs --limit 5 --json\n  codelens runs --id 12",
        )
}

/// Runs the command.
pub(super) fn run(matches: &ArgMatches) -> ExitCode {
    let id = matches.get_one::<i64>("id").copied();
    let limit = matches.get_one::<u32>("limit");
    let limit = limit.map_or(DEFAULT_RUNS, |n| {
        usize::try_from(*n).unwrap_or(DEFAULT_RUNS)
    });
    without_repo(matches, |workspaces| {
        let found = runs(workspaces, id, limit)?;
        let text = render::runs(&found, id.is_some());
        Ok((json!({"runs": found}), text))
    })
}
