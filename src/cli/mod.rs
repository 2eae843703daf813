//! The command line: every tool as a command, for people and for scripts.

mod affected_tests;
mod aliases;
mod archive;
mod ask;
mod bundle;
mod cache;
mod command_line;
mod command_names;
mod context;
mod embed;
mod export;
mod flags;
mod install;
mod links;
mod list;
mod manual;
mod memory;
mod output;
mod pager;
mod progress;
mod remote;
mod render;
mod report;
mod run;
mod runs;
mod screen;
mod serve;
mod settings;
mod transfer;
mod verify;
mod view;
mod watch;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ArgMatches;

use crate::tools::TOOLS;
use crate::tools::chunks::CHUNKS;

/// Libraries of the network log nothing: their lines could repeat an address with a key, or a header.
const NETWORK_LOGS_OFF: &str =
    ",object_store=off,reqwest=off,hyper=off,hyper_util=off,h2=off,rustls=off";

/// A command line that was understood.
pub struct Invocation {
    name: String,
    matches: ArgMatches,
}

impl Invocation {
    /// Returns the log filter, as directives: by `-v` and its repetitions, else `CODELENS_LOG`, else warnings.
    pub fn log_filter(&self) -> String {
        let filter = match flags::verbosity(&self.matches) {
            0 => std::env::var("CODELENS_LOG")
                .ok()
                .filter(|filter| !filter.trim().is_empty())
                .unwrap_or_else(|| "warn".to_owned()),
            1 => "warn,codelens=info".to_owned(),
            2 => "warn,codelens=debug".to_owned(),
            _ => "warn,codelens=trace".to_owned(),
        };
        filter + NETWORK_LOGS_OFF
    }
}

/// Parses the command line; the first argument is the program's name.
///
/// # Errors
/// The exit code where the answer is given already: help and the version with success, wrong usage with 2 and an
/// explanation on standard error.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Invocation, ExitCode> {
    let read = command_line::command().try_get_matches_from(arguments);
    match read {
        Ok(mut matches) => {
            let (name, matches) = matches
                .remove_subcommand()
                .expect("the command line is refused without a command");
            Ok(Invocation { name, matches })
        }
        Err(refused) => Err(output::usage(&refused)),
    }
}

/// Runs the command and returns its exit code: 0, 1 for an error, 2 for wrong usage, 130 when it was interrupted.
/// `cwd` is the working directory.
pub fn run(command: &Invocation, cwd: Option<PathBuf>) -> ExitCode {
    output::choose_colours(flags::colours(&command.matches));
    command_names::name_arguments_of(command_line::command(), &command.name, &command.matches);
    match command.name.as_str() {
        "serve" => serve::run(&command.matches, cwd),
        "completions" => run::completions(command_line::command(), &command.matches),
        "config" => settings::run(&command.matches, cwd.as_ref()),
        "watch" => watch::run(&command.matches, cwd.as_ref()),
        "man" => manual::run(command_line::command(), &command.matches, cwd.as_ref()),
        "view" => view::run(&command.matches, cwd.as_ref()),
        "list" => list::run(&command.matches),
        "runs" => runs::run(&command.matches),
        "cache" => cache::run(&command.matches, cwd),
        "ask" => ask::run(&command.matches, cwd.as_ref()),
        "embed" => embed::run(&command.matches, cwd.as_ref()),
        "export" => export::run(&command.matches, cwd.as_ref()),
        "archive" => archive::run(&command.matches),
        "remote" => remote::run(&command.matches, cwd.as_ref()),
        "push" => transfer::run(true, &command.matches, cwd.as_ref()),
        "pull" => transfer::run(false, &command.matches, cwd.as_ref()),
        "bundle" => bundle::run(&command.matches, cwd.as_ref()),
        "install" => install::install(&command.matches, cwd.as_ref()),
        "uninstall" => install::uninstall(&command.matches, cwd.as_ref()),
        "tests" => affected_tests::run(&command.matches, cwd.as_ref()),
        "context" => context::run(&command.matches, cwd.as_ref()),
        "note" => memory::run_note(&command.matches, cwd.as_ref()),
        "doc" => memory::run_doc(&command.matches, cwd.as_ref()),
        "mark" => memory::run_mark(&command.matches, cwd.as_ref()),
        "verify" => verify::run(&command.matches, cwd.as_ref()),
        name => {
            let mut tools = TOOLS.iter().chain([&CHUNKS]);
            let matches = &command.matches;
            let tool = tools.find(|tool| tool.command_name() == name);
            let (tool, input, with_place) = if let Some(tool) = tool {
                (tool, (tool.input_of)(matches), false)
            } else {
                let alias = aliases::Alias::by_name(name)
                    .expect("commands are built from the lists of tools and aliases");
                (alias.tool(), alias.input_of(matches), alias.asks_place)
            };
            let asked = run::ToolCommandLine {
                input,
                whole: command_line::command,
                matches,
                cwd: cwd.as_ref(),
                with_place,
            };
            run::ToolCommand::run(tool.name, asked)
        }
    }
}
