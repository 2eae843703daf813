//! `codelens tests`: the test files that reach a change, or one definition, as paths or as arguments of a runner.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use serde::Serialize;
use serde_json::json;

use super::render::{RUNNERS, tests};
use super::run::with_tools;
use super::{flags, output};
use crate::error::{Code, Error, Result};
use crate::tools::changes::reach::{DEPTH, TestOutput};
use crate::tools::changes::{Changes, ChangesOutput};
use crate::tools::impact::{Impact, ImpactTarget};
use crate::tools::places::FilePlacesOutput;
use crate::tools::{self, Call};

/// Tests that are listed at most.
const MAX_TESTS: u64 = 500;

/// Tokens of the answer that the tests are taken from: as many as one may have.
const BUDGET_TOKENS: u64 = 20_000;

/// Returns the command.
pub(super) fn command() -> Command {
    Command::new("tests")
        .about("List the test files that reach a change")
        .long_about(
            "Prints the test files that reach what changed since BASE (default: since HEAD left the default branch, uncommitted edits included), a file, or \
             one definition; those found by uses first, the nearest before others. Says on standard error when the list cannot be complete. Starts no test.",
        )
        .arg(Arg::new("base").value_name("BASE").help("Branch, tag or commit to compare with; or a file, for the tests of all that it defines"))
        .arg(
            Arg::new("symbol")
                .long("symbol")
                .value_name("NAME")
                .conflicts_with("base")
                .help("Tests of this definition"),
        )
        .arg(
            Arg::new("path")
                .long("path")
                .value_name("PATH")
                .help("With --symbol the file that defines it, else a file or directory whose changes count"),
        )
        .arg(
            Arg::new("run_format")
                .long("run-format")
                .value_name("RUNNER")
                .value_parser(PossibleValuesParser::new(RUNNERS))
                .help("Print arguments for this runner, in one line"),
        )
        .after_help(
            "Examples:\n  codelens tests\n  codelens tests origin/main...\n  codelens tests src/store.ts\n  codelens tests --symbol queueJob\n  vitest run $(codelens tests --run-format vitest)",
        )
}

/// Prints the tests.
pub(super) fn run(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let (mut aside, mut empty_because) = (String::new(), String::new());
    let code = with_tools(matches, cwd, |call| {
        let found = asked(matches, call)?;
        aside = found.note();
        let listed: Vec<(&str, Option<&str>)> = found
            .tests
            .iter()
            .map(|test| (test.path(), test.command()))
            .collect();
        let runner = matches.get_one::<String>("run_format");
        let text = tests(&listed, runner.map(String::as_str));
        empty_because = match runner {
            _ if !text.is_empty() => String::new(),
            Some(runner) if !listed.is_empty() => {
                let found = match listed.len() {
                    1 => "The test found is".to_owned(),
                    n => format!("The {n} tests found are"),
                };
                format!("{found} not for {runner}; without --run-format the paths are printed.\n")
            }
            _ if found.n_changed_files == Some(0) => "No file differs.\n".to_owned(),
            _ => "No test is known to reach it.\n".to_owned(),
        };
        let value = json!({
            "tests": found.tests,
            "testsTotal": found.total,
            "complete": aside.is_empty(),
            "note": aside.trim_end(),
            "freshness": found.freshness,
        });
        Ok((value, text))
    });
    if !flags::is_json(matches) {
        output::eprint_note(&empty_because);
        output::eprint_note(&aside);
    }
    code
}

/// Tests that reach a change or a definition, and how much is not known of them.
struct ReachingTests {
    tests: Vec<ReachingTest>,
    total: u64,
    /// Files that differ, where changes are asked about.
    n_changed_files: Option<u64>,
    /// Unresolved uses, of what is asked about and of its callers.
    unresolved: u64,
    unresolved_via: u64,
    not_analysed: u64,
    outlined: u64,
    /// Definitions that are asked about, or files, in languages whose uses are not followed, and files of such that hold the name.
    unfollowed: u64,
    unfollowed_files: u64,
    /// Whether users were left out.
    is_deeper: bool,
    freshness: &'static str,
}

/// A test, as the tool lists it that was asked.
#[derive(Serialize)]
#[serde(untagged)]
enum ReachingTest {
    OfChange(TestOutput),
    OfDefinition(FilePlacesOutput),
    ByDispatch {
        path: String,
        provenance: &'static str,
    },
}

impl ReachingTest {
    fn path(&self) -> &str {
        match self {
            Self::OfChange(test) => &test.path,
            Self::OfDefinition(test) => &test.path,
            Self::ByDispatch { path, .. } => path,
        }
    }

    /// Returns the command that runs it, where one is known.
    fn command(&self) -> Option<&str> {
        match self {
            Self::OfChange(test) => test.run.as_deref(),
            Self::OfDefinition(test) => test.run.as_deref(),
            Self::ByDispatch { .. } => None,
        }
    }
}

/// Returns the tests that the command line asks for.
fn asked(matches: &ArgMatches, call: &Call<'_>) -> Result<ReachingTests> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let (base, path) = (text("base"), text("path"));
    if let Some(symbol) = text("symbol") {
        if symbol.trim().is_empty() {
            return Err(Error::invalid(
                "`--symbol` is empty",
                "pass the name of a definition, also qualified (Class.method)",
            ));
        }
        return of_definitions(&[("symbol", Some(symbol)), ("path", path)], call);
    }
    let mut input = json!({"limit": MAX_TESTS, "budget": BUDGET_TOKENS, "include": ["tests"]});
    if let Some(base) = base {
        input["base"] = base.into();
    }
    if let Some(path) = path {
        input["path"] = json!([path]);
    }
    match (tools::call_one::<Changes>(input, call), base) {
        (Ok(changes), _) => Ok(of_changes(changes.output)),
        (Err(error), Some(file)) if error.code == Code::InvalidArgument && is_there(file, call) => {
            of_definitions(&[("path", Some(file))], call)
        }
        (Err(mut error), Some(_)) if error.code == Code::InvalidArgument => {
            error.hint += "; tests of a file are listed by its path";
            Err(error)
        }
        (Err(error), _) => Err(error),
    }
}

/// Whether a path is there, relative to the working directory or to the repository that is named.
fn is_there(path: &str, call: &Call<'_>) -> bool {
    let places = call.places.iter().map(PathBuf::as_path);
    let mut places = call.cwd.into_iter().chain(places);
    !path.is_empty() && places.any(|place| place.join(path).exists())
}

fn of_changes(changes: ChangesOutput) -> ReachingTests {
    let tests = changes.tests.into_iter();
    ReachingTests {
        tests: tests.map(ReachingTest::OfChange).collect(),
        total: changes.tests_total,
        n_changed_files: Some(changes.files_total),
        unresolved: changes.unresolved,
        unresolved_via: 0,
        not_analysed: changes.not_analysed,
        outlined: changes.outlined,
        unfollowed: 0,
        unfollowed_files: changes.n_unfollowed_tests,
        is_deeper: changes.is_deeper,
        freshness: changes.freshness_fields.freshness,
    }
}

/// Returns the tests of a definition, or of those of a file.
fn of_definitions(fields: &[(&str, Option<&str>)], call: &Call<'_>) -> Result<ReachingTests> {
    let mut input = json!({"limit": MAX_TESTS, "depth": DEPTH});
    for (field, value) in fields {
        if let Some(value) = value {
            input[*field] = (*value).into();
        }
    }
    let impact = tools::call_one::<Impact>(input, call)?.output;
    let is_found = matches!(impact.target, ImpactTarget::Known(_)) || impact.targets.is_some();
    if impact.candidates.is_some() || !is_found {
        return Err(Error::invalid(
            impact.summary,
            "pass the name of one definition, with --path where several have it",
        ));
    }
    let listed = impact.affected_tests.into_iter();
    let listed = listed.filter(|test| !test.is_support());
    let dispatched = impact.by_dispatch.and_then(|mut by| by.remove("tests"));
    let dispatched = dispatched.into_iter().flatten();
    let dispatched = dispatched.map(|path| ReachingTest::ByDispatch {
        path,
        provenance: "dispatch",
    });
    let tests = listed.map(ReachingTest::OfDefinition).chain(dispatched);
    let tests: Vec<ReachingTest> = tests.collect();
    Ok(ReachingTests {
        n_changed_files: None,
        total: tests.len() as u64 + impact.n_unlisted_tests,
        tests,
        unresolved: impact.completeness.unresolved_sites,
        unresolved_via: impact.completeness.unresolved_via,
        not_analysed: 0,
        outlined: 0,
        unfollowed: impact.completeness.n_unfollowed,
        unfollowed_files: impact.completeness.n_unfollowed_files,
        is_deeper: impact.completeness.is_deeper,
        freshness: impact.freshness_fields.freshness,
    })
}

impl ReachingTests {
    /// Returns why the list cannot be complete; empty where nothing speaks against it.
    fn note(&self) -> String {
        let n_left = self.total.saturating_sub(self.tests.len() as u64);
        let counts = [
            (n_left, "more test does not fit", "more tests do not fit"),
            (self.unresolved, "use is unresolved", "uses are unresolved"),
            (
                self.unresolved_via,
                "use of a caller's name is unresolved",
                "uses of callers' names are unresolved",
            ),
            (
                self.not_analysed,
                "changed file is not analysed",
                "changed files are not analysed",
            ),
            (
                self.outlined,
                "changed file is outlined only",
                "changed files are outlined only",
            ),
            (
                self.unfollowed_files,
                "file whose uses are not followed holds a name of it",
                "files whose uses are not followed hold a name of it",
            ),
        ];
        let counts = counts.into_iter().filter(|(n, ..)| *n > 0);
        let mut reasons: Vec<String> = counts
            .map(|(n, one, many)| format!("{n} {}", if n == 1 { one } else { many }))
            .collect();
        if self.unfollowed > 0 {
            reasons.push("uses are not followed in its language".to_owned());
        }
        if self.is_deeper {
            reasons.push(format!("callers are followed for {DEPTH} steps, and not through a value that a module makes once as it is loaded (`const app = createApp()`)"));
        }
        if self.freshness != "fresh" {
            reasons.push("the index is not known to be complete".to_owned());
        }
        if reasons.is_empty() {
            return String::new();
        }
        format!("The list may lack tests: {}.\n", reasons.join("; "))
    }
}
