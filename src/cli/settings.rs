//! `codelens config show`: each setting with its value, and why it has it.
//!
//! Refuses to set anything.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use super::run::{flags, show};
use super::{render, screen::Screen};
use crate::config::{self, Source};

/// Returns the command.
pub(super) fn command() -> Command {
    Command::new("config")
        .about("Show the settings")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("show")
                .about("Print each setting with its value, unit, source and bounds")
                .after_help("Examples:\n  codelens config show\n  codelens config show --json"),
        )
}

/// Prints the settings.
pub(super) fn run(matches: &ArgMatches) -> ExitCode {
    let (_, matches) = matches
        .subcommand()
        .expect("the command line is refused without one");
    show(matches, || {
        let settings: Vec<Value> = config::values(&flags(matches))?
            .into_iter()
            .map(|value| {
                let source = match value.source {
                    Source::Default => "default".to_owned(),
                    Source::File(_) => "file".to_owned(),
                    Source::Environment(variable) => format!("environment ({variable})"),
                    Source::Flag => "flag".to_owned(),
                };
                json!({
                    "name": value.setting.name,
                    "value": value.text,
                    "unit": value.setting.unit,
                    "source": source,
                    "bounds": value.setting.bounds(),
                    "variable": value.setting.variable,
                    "about": value.setting.about,
                })
            })
            .collect();
        let path = config::file_path();
        let value = json!({
            "file": path.display().to_string(),
            "fileExists": path.is_file(),
            "settings": settings,
        });
        let text = render::settings(&value, &Screen::of_stdout());
        Ok((value, text))
    })
}
