//! `codelens tests`: the test files that reach a change, or one definition, as paths or as arguments of a runner.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};

use super::render::{RUNNERS, tests};
use super::run::{ask, with_tools};
use super::{flags, output};
use crate::error::{Code, Result};
use crate::tools::Call;

/// Tests that are listed at most.
const MAX_TESTS: u64 = 500;

/// Tokens of the answer that the tests are taken from: as many as one may have.
const BUDGET: u64 = 20_000;

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
    let mut aside = String::new();
    let code = with_tools(matches, cwd, |call| {
        let (value, note) = asked(matches, call)?;
        aside = note;
        let listed: Vec<(&str, Option<&str>)> = value["tests"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|test| Some((test["path"].as_str()?, test["run"].as_str())))
            .collect();
        let runner = matches.get_one::<String>("run_format");
        let text = tests(&listed, runner.map(String::as_str));
        Ok((value, text))
    });
    if !flags::is_json(matches) {
        output::eprint_note(&aside);
    }
    code
}

/// Returns the tests, with why there may be more.
fn asked(matches: &ArgMatches, call: &Call<'_>) -> Result<(Value, String)> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let mut input = json!({"limit": MAX_TESTS});
    let (base, path) = (text("base"), text("path"));
    let of_definitions = |mut input: Value, path: Option<&str>| {
        if let Some(path) = path {
            input["path"] = path.into();
        }
        input["depth"] = 5.into();
        of_symbol(ask("cl_impact", input, call)?)
    };
    let answer = if let Some(symbol) = text("symbol") {
        input["symbol"] = symbol.into();
        of_definitions(input, path.as_deref())?
    } else {
        let mut of_changes = input.clone();
        of_changes["budget"] = BUDGET.into();
        of_changes["include"] = json!(["tests"]);
        if let Some(base) = &base {
            of_changes["base"] = base.as_str().into();
        }
        if let Some(path) = path {
            of_changes["path"] = json!([path]);
        }
        let answer = ask("cl_changes", of_changes, call);
        match (answer, base.as_deref()) {
            (Err(error), Some(file))
                if error.code == Code::InvalidArgument && is_there(file, call) =>
            {
                of_definitions(input, Some(file))?
            }
            (Err(mut error), Some(_)) if error.code == Code::InvalidArgument => {
                error.hint += "; tests of a file are listed by its path";
                return Err(error);
            }
            (answer, _) => answer?,
        }
    };
    let note = note(&answer);
    let value = json!({
        "tests": answer["tests"],
        "testsTotal": answer["testsTotal"],
        "complete": note.is_empty(),
        "note": note.trim_end(),
        "freshness": answer["freshness"],
    });
    Ok((value, note))
}

/// Whether a path is there, relative to the working directory or to the repository that is named.
fn is_there(path: &str, call: &Call<'_>) -> bool {
    let places = call.places.iter().map(PathBuf::as_path);
    let mut places = call.cwd.into_iter().chain(places);
    !path.is_empty() && places.any(|place| place.join(path).exists())
}

/// Returns the answer about a definition in the form of one about changes.
fn of_symbol(mut answer: Value) -> Result<Value> {
    let is_found = !(answer["target"].is_null() && answer["targets"].is_null());
    if answer["candidates"].is_array() || !is_found {
        return Err(crate::error::Error::invalid(
            answer["summary"].as_str().unwrap_or_default(),
            "pass the name of one definition, with --path where several have it",
        ));
    }
    let tests = answer["affectedTests"].take();
    let is_test = |test: &&Value| test["role"].is_null();
    let tests: Vec<Value> = tests
        .as_array()
        .into_iter()
        .flatten()
        .filter(is_test)
        .cloned()
        .collect();
    let named: Vec<Value> = answer["byDispatch"]["tests"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|path| json!({"path": path, "provenance": "dispatch"}))
        .collect();
    let tests = [tests, named].concat();
    answer["testsTotal"] = tests.len().into();
    answer["unresolved"] = answer["completeness"]["unresolvedSites"].take();
    answer["unresolvedVia"] = answer["completeness"]["unresolvedVia"].take();
    answer["tests"] = tests.into();
    Ok(answer)
}

/// Returns why the list cannot be complete; empty where nothing speaks against it.
fn note(answer: &Value) -> String {
    let mut reasons = Vec::new();
    let counted = |n: u64, one: &str, many: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    };
    let n_listed = answer["tests"].as_array().map_or(0, Vec::len) as u64;
    let n_left = answer["testsTotal"]
        .as_u64()
        .unwrap_or(0)
        .saturating_sub(n_listed);
    if n_left > 0 {
        reasons.push(counted(
            n_left,
            "more test does not fit",
            "more tests do not fit",
        ));
    }
    match answer["unresolved"].as_u64().unwrap_or(0) {
        0 => {}
        n => reasons.push(counted(
            n,
            "use has no known meaning",
            "uses have no known meaning",
        )),
    }
    match answer["unresolvedVia"].as_u64().unwrap_or(0) {
        0 => {}
        n => reasons.push(counted(
            n,
            "use of a caller's name has no known meaning",
            "uses of callers' names have no known meaning",
        )),
    }
    match answer["notAnalysed"].as_u64().unwrap_or(0) {
        0 => {}
        n => reasons.push(counted(
            n,
            "changed file is not analysed",
            "changed files are not analysed",
        )),
    }
    match answer["outlined"].as_u64().unwrap_or(0) {
        0 => {}
        n => reasons.push(counted(
            n,
            "changed file is outlined only",
            "changed files are outlined only",
        )),
    }
    if answer["freshness"] != "fresh" {
        reasons.push("the index is not known to be complete".to_owned());
    }
    if reasons.is_empty() {
        return String::new();
    }
    format!("The list may lack tests: {}.\n", reasons.join("; "))
}
