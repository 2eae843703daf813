//! `codelens tests`: the test files that reach a change, or one definition, as paths or as arguments of a runner.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};

use super::render::{RUNNERS, tests};
use super::run::{ask, with_tools};
use super::{flags, output};
use crate::error::Result;
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
            "Prints the test files that reach what changed since BASE (default: since HEAD left the default branch, uncommitted edits included), or one \
             definition; those found by uses first, the nearest before others. Says on standard error when the list cannot be complete. Starts no test.",
        )
        .arg(Arg::new("base").value_name("BASE").help("Branch, tag or commit to compare with"))
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
            "Examples:\n  codelens tests\n  codelens tests origin/main...\n  codelens tests --symbol queueJob\n  vitest run $(codelens tests --run-format vitest)",
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
    let answer = if let Some(symbol) = text("symbol") {
        input["symbol"] = symbol.into();
        if let Some(path) = text("path") {
            input["path"] = path.into();
        }
        input["depth"] = 5.into();
        of_symbol(ask("cl_impact", input, call)?)?
    } else {
        input["budget"] = BUDGET.into();
        input["include"] = json!(["tests"]);
        if let Some(base) = text("base") {
            input["base"] = base.into();
        }
        if let Some(path) = text("path") {
            input["path"] = json!([path]);
        }
        ask("cl_changes", input, call)?
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

/// Returns the answer about a definition in the form of one about changes.
fn of_symbol(mut answer: Value) -> Result<Value> {
    if answer["candidates"].is_array() || answer["target"].is_null() {
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
