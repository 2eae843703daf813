//! `codelens ask`: a question answered with cited excerpts, and in prose where the user configured a model.
//!
//! For people alone: an agent is a model itself, and asks `cl_explore`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::{Value, json};

use super::render;
use super::run::{ask, with_tools};
use super::screen::Screen;
use crate::error::Result;
use crate::tools::Call;

const ABOUT: &str = "\
Prints the excerpts that a question leads to, numbered, with a few sentences of facts about them. With a model of yours, set as [answer] in codelens.toml, it also prints an answer in prose; \
every sentence of it cites an excerpt, and sentences that cite none, or one that is not there, are left out and counted. Without a model nothing is sent anywhere.";

/// Returns the command.
pub(super) fn command() -> Command {
    Command::new("ask")
        .about("Answer a question with cited excerpts, in prose where a model is configured")
        .long_about(ABOUT)
        .arg(
            Arg::new("question")
                .value_name("QUESTION")
                .required(true)
                .allow_hyphen_values(true)
                .help("The question, in words"),
        )
        .arg(
            Arg::new("budget")
                .long("budget")
                .value_name("TOKENS")
                .default_value("4000")
                .value_parser(value_parser!(u32).range(300..=12_000))
                .help("Tokens of the excerpts"),
        )
        .arg(
            Arg::new("path")
                .long("path")
                .value_name("PATH")
                .action(clap::ArgAction::Append)
                .help("Only these directories, files, globs; `!glob` leaves out"),
        )
        .after_help("Examples:\n  codelens ask \"how is a job queued\"\n  codelens ask \"where are sessions validated\" --path src")
}

/// Runs the command.
pub(super) fn run(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    with_tools(matches, cwd, |call| {
        let value = answer(matches, call)?;
        let text = render::answer(&value, &Screen::of_stdout());
        Ok((value, text))
    })
}

fn answer(matches: &ArgMatches, call: &Call<'_>) -> Result<Value> {
    let question = matches
        .get_one::<String>("question")
        .expect("the argument is required");
    let paths = matches.get_many::<String>("path").into_iter().flatten();
    let pack = ask(
        "cl_explore",
        json!({
            "query": question,
            "include": ["source"],
            "budget": matches.get_one::<u32>("budget"),
            "path": paths.collect::<Vec<_>>(),
        }),
        call,
    )?;
    let parts = pack["parts"].as_array().into_iter().flatten();
    let with_text = parts.filter(|part| part["text"].is_string());
    let excerpts: Vec<Value> = with_text
        .enumerate()
        .map(|(at, part)| {
            let mut excerpt = json!({"number": at + 1});
            for field in ["path", "lines", "symbol", "handle", "text"] {
                if !part[field].is_null() {
                    excerpt[field] = part[field].clone();
                }
            }
            excerpt
        })
        .collect();
    let texts: Vec<String> = excerpts
        .iter()
        .map(|it| {
            let word = |field: &str| it[field].as_str().unwrap_or_default().to_owned();
            format!("{}:{}\n{}", word("path"), word("lines"), word("text"))
        })
        .collect();
    let mut value = json!({"question": question, "excerpts": excerpts});
    for field in [
        "brief",
        "confidence",
        "missing",
        "ranking",
        "freshness",
        "note",
    ] {
        if !pack[field].is_null() {
            value[field] = pack[field].clone();
        }
    }
    let written = call
        .workspaces
        .write_answer(question, &texts, &call.interrupt);
    match written {
        None => value["model"] = "none".into(),
        Some(Ok(prose)) => {
            value["answer"] = json!({"sentences": prose.sentences, "dropped": prose.n_dropped});
        }
        Some(Err(why)) => value["fault"] = why.into(),
    }
    Ok(value)
}
