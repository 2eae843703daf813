//! `codelens verify`: runs the test of a saved record and notes that it passed or failed.
//!
//! Starts a program that a person, or a build server, names; the pager of `pager` is the other one that codelens starts.

use std::cell::Cell;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Instant;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::json;

use super::report::{ReportCounts, counts_of};
use super::run::with_tools;
use super::{flags, output};
use crate::error::{Code, Error, Result};
use crate::workspace::{FinishedTest, Question};

/// The largest report that is read, in bytes.
const MAX_REPORT: u64 = 64 << 20;

/// Returns the command.
pub(super) fn command() -> Command {
    Command::new("verify")
        .about("Run the test of a saved record, and note whether it passed")
        .long_about(
            "Runs COMMAND in the work tree, with its output on this terminal, and notes the exit code with the record: it is `verified` as \
             long as the tree, or the code of the record, stays the same. Nothing is noted where the work tree changes meanwhile. With --report no \
             command is run: the file says whether every test passed.",
        )
        .arg(
            Arg::new("id")
                .value_name("ID")
                .required(true)
                .help("The record: its id (mem_…) or name"),
        )
        .arg(
            Arg::new("report")
                .long("report")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .conflicts_with_all(["command", "recorded"])
                .help("Read a report of tests, JUnit XML or TAP, and run nothing"),
        )
        .arg(
            Arg::new("recorded")
                .long("recorded")
                .action(ArgAction::SetTrue)
                .conflicts_with("command")
                .help("Run the command that the record names, in a shell"),
        )
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .action(ArgAction::Append)
                .last(true)
                .help("The command and its arguments"),
        )
        .after_help("Examples:\n  codelens verify mem_0123456789abcdef -- npm test -- login\n  codelens verify mem_0123456789abcdef --report junit.xml\n\nExit codes: 0 passed and noted; 1 failed, or not noted.")
}

/// Runs the command.
pub(super) fn run(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let passed = Cell::new(false);
    let code = with_tools(matches, cwd, |call| {
        let place = call.workspaces.open(None, call.places)?;
        let id = matches.get_one::<String>("id").map_or("", String::as_str);
        let question = || Question::from(&call.interrupt);
        let is_json = flags::is_json(matches);
        let outcome = place.run_test_of_record(id, question, |work_dir, record| {
            let started = Instant::now();
            let exit_code = if let Some(report) = matches.get_one::<PathBuf>("report") {
                let report = cwd.map_or_else(|| report.clone(), |cwd| cwd.join(report));
                Some(i64::from(!read_report(&report)?.has_passed()))
            } else {
                let words = match matches.get_many::<String>("command") {
                    Some(words) => words.cloned().collect(),
                    None => recorded(matches, record)?,
                };
                start(&words, work_dir, is_json)?
            };
            let took_ms = i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX);
            Ok(FinishedTest { exit_code, took_ms })
        })?;
        let run = outcome.run;
        let has_passed = run.exit_code == Some(0) && outcome.not_noted.is_none();
        passed.set(has_passed);
        let verification = match (outcome.not_noted, run.exit_code) {
            (Some(_), _) => "none",
            (None, Some(0)) => "verified",
            (None, _) => "failed",
        };
        let mut value = json!({
            "id": outcome.record.uid,
            "verification": verification,
            "exitCode": run.exit_code,
            "ms": run.took_ms,
            "noted": outcome.not_noted.is_none(),
        });
        let mut line = format!("{verification}: {}\n", outcome.record.uid);
        if let Some(reason) = outcome.not_noted {
            value["reason"] = reason.into();
            line = format!("not noted: {reason}\n");
        }
        Ok((value, line))
    });
    if code == ExitCode::SUCCESS && !passed.get() {
        return ExitCode::FAILURE;
    }
    code
}

/// Returns the command that a record names, for a shell.
fn recorded(matches: &ArgMatches, record: &crate::workspace::SavedRecord) -> Result<Vec<String>> {
    let named = record.test.as_ref().map(|test| test.command.clone());
    let Some(named) = named else {
        return Err(Error::invalid(
            "no command is given, and the record names none",
            "pass it behind --, for example `codelens verify ID -- npm test`",
        ));
    };
    if !matches.get_flag("recorded") {
        return Err(Error::invalid(
            format!(
                "no command is given; the record names `{}`",
                named.escape_debug()
            ),
            "read it, then pass --recorded to run it, or another command behind --",
        ));
    }
    if !record.approved {
        return Err(Error::new(
            Code::Refused,
            "the record was imported and is not approved: its command is not run",
            "read it with `codelens note show ID`, then `codelens note approve ID`, or pass a command behind --",
        ));
    }
    output::eprint_note(&format!("running {}\n", named.escape_debug()));
    let shell = if cfg!(windows) {
        ["cmd", "/C"]
    } else {
        ["sh", "-c"]
    };
    Ok(shell
        .into_iter()
        .map(str::to_owned)
        .chain([named])
        .collect())
}

/// Runs a command to its end. Returns its exit code; `None` where a signal ended it.
#[expect(
    clippy::disallowed_methods,
    reason = "a person names the command that this runs"
)]
fn start(words: &[String], work_dir: &Path, is_json: bool) -> Result<Option<i64>> {
    let (program, arguments) = words.split_first().expect("one word at least");
    let mut command = std::process::Command::new(program);
    command.args(arguments).current_dir(work_dir);
    if is_json {
        // Standard output is the answer's.
        command.stdout(Stdio::from(std::io::stderr()));
    }
    let status = command.status().map_err(|error| {
        Error::new(
            Code::Io,
            format!("`{}` could not be started: {error}", program.escape_debug()),
            "name a program that is installed; a line for a shell goes behind `sh -c`",
        )
        .because(error)
    })?;
    Ok(status.code().map(i64::from))
}

fn read_report(file: &Path) -> Result<ReportCounts> {
    let failed = |error: std::io::Error| {
        Error::new(
            Code::Io,
            format!("the report `{}` cannot be read: {error}", file.display()),
            "pass the file that the test runner wrote",
        )
        .because(error)
    };
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).map_err(failed)?;
    opened
        .take(MAX_REPORT)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    counts_of(&String::from_utf8_lossy(&bytes)).ok_or_else(|| {
        Error::invalid(
            "this is no report of tests: neither JUnit XML nor TAP, or it holds no test",
            "let the runner write one, for example `vitest --reporter=junit --outputFile=junit.xml`",
        )
    })
}
