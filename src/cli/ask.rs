//! `codelens ask`: a question answered with cited excerpts, and in prose where the user configured a model.
//!
//! For people alone: an agent is a model itself, and asks `cl_explore`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;

use super::render::{self, CitedAnswer, ExcerptOutput, ProseOutput};
use super::run::with_tools;
use super::screen::Screen;
use crate::error::Result;
use crate::tools::explore::Explore;
use crate::tools::{Call, call_one};

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
        let cited = answer(matches, call)?;
        let text = render::answer(&cited, &Screen::of_stdout());
        Ok((json!(cited), text))
    })
}

fn answer(matches: &ArgMatches, call: &Call<'_>) -> Result<CitedAnswer> {
    let question = matches
        .get_one::<String>("question")
        .expect("the argument is required");
    let paths = matches.get_many::<String>("path").into_iter().flatten();
    let input = json!({
        "query": question,
        "include": ["source"],
        "budget": matches.get_one::<u32>("budget"),
        "path": paths.collect::<Vec<_>>(),
    });
    let pack = call_one::<Explore>(input, call)?.output;
    let parts = pack.parts.into_iter().flatten();
    let with_text = parts.filter_map(|mut part| Some((part.text.take()?, part)));
    let excerpts: Vec<ExcerptOutput> = with_text
        .enumerate()
        .map(|(at, (text, part))| ExcerptOutput {
            number: at + 1,
            path: part.path,
            lines: part.lines,
            symbol: part.symbol,
            handle: part.handle,
            text,
        })
        .collect();
    let texts: Vec<String> = excerpts
        .iter()
        .map(|it| format!("{}:{}\n{}", it.path, it.lines, it.text))
        .collect();
    let mut cited = CitedAnswer {
        question: question.clone(),
        excerpts,
        brief: pack.brief,
        confidence: pack.confidence,
        missing: pack.missing,
        ranking: pack.ranking,
        freshness: pack.freshness_fields.freshness,
        note: pack.freshness_fields.note,
        model: None,
        answer: None,
        fault: None,
    };
    let written = call
        .workspaces
        .write_answer(question, &texts, &call.interrupt);
    match written {
        None => cited.model = Some("none"),
        Some(Ok(prose)) => {
            cited.answer = Some(ProseOutput {
                sentences: prose.sentences,
                dropped: prose.n_dropped as u64,
            });
        }
        Some(Err(why)) => cited.fault = Some(why),
    }
    Ok(cited)
}
