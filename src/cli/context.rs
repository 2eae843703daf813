//! `codelens context …`: saved contexts as things to list, rename, remove and carry elsewhere.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};

use super::render::{self, ContextText};
use super::run::in_workspace;
use super::screen::Screen;
use crate::error::{Code, Error, Result};
use crate::tools::memory::{LoadedOutput, context_output};
use crate::workspace::RecordKind;

/// The largest export that is taken in, in bytes.
const MAX_IMPORT: u64 = 256 << 20;

/// Returns the command.
pub(super) fn command() -> Command {
    let name = |id: &'static str, help: &'static str| {
        Arg::new(id).value_name("NAME").required(true).help(help)
    };
    Command::new("context")
        .about("List, show, rename, remove, export and import saved contexts")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("list")
                .about("List the saved contexts of this repository")
                .after_help("Examples:\n  codelens context list\n  codelens context list --json"))
        .subcommand(
            Command::new("show")
                .about("Show a context as it was saved, without looking for its code")
                .arg(name("name", "Its name"))
                .after_help("Examples:\n  codelens context show login"),
        )
        .subcommand(
            Command::new("rename")
                .about("Give a context another name")
                .arg(name("name", "Its name"))
                .arg(name("to", "The new name").value_name("NEW_NAME"))
                .after_help("Examples:\n  codelens context rename login sign-in"),
        )
        .subcommand(
            Command::new("remove")
                .visible_alias("rm")
                .about("Remove a context")
                .arg(name("name", "Its name"))
                .after_help("Examples:\n  codelens context remove login"),
        )
        .subcommand(
            Command::new("export")
                .about("Print contexts as JSON, for another clone or machine")
                .arg(
                    Arg::new("names")
                        .value_name("NAME")
                        .action(ArgAction::Append)
                        .help("Which ones [default: all]"),
                )
                .after_help("Examples:\n  codelens context export > contexts.json\n  codelens context export login > login.json"),
        )
        .subcommand(
            Command::new("import")
                .about("Import what `export` printed; contexts of the same name are replaced")
                .arg(
                    Arg::new("file")
                        .value_name("FILE")
                        .required(true)
                        .value_parser(clap::value_parser!(PathBuf))
                        .help("The file, or - for standard input"),
                )
                .after_help("Examples:\n  codelens context import login.json\n  codelens context import - < login.json"),
        )
        .after_help(
            "Examples:\n  codelens context list\n  codelens context export login > login.json\n  codelens context import login.json --repo ../clone",
        )
}

/// Runs the command.
pub(super) fn run(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let (verb, matches) = matches
        .subcommand()
        .expect("the command line is refused without one");
    in_workspace(matches, cwd.cloned(), |place| {
        let name = |id: &str| matches.get_one::<String>(id).map_or("", String::as_str);
        match verb {
            "list" => {
                let contexts: Vec<_> = place
                    .saved_records(Some(RecordKind::Context))?
                    .into_iter()
                    .map(context_output)
                    .collect();
                let text = render::contexts(&contexts, &Screen::of_stdout());
                Ok((json!({ "contexts": contexts }), text))
            }
            "show" => {
                let (context, items) =
                    place.saved_record(name("name"), Some(RecordKind::Context))?;
                // As they were saved: their state now is not known.
                let items = items.into_iter().map(|item| LoadedOutput {
                    handle: item.handle,
                    path: item.path,
                    symbol: item.symbol.map(|(name, _)| name),
                    lines: item.lines.map(|(from, to)| format!("{from}-{to}")),
                    state: "",
                    preview: None,
                    stale: false,
                });
                let items: Vec<LoadedOutput> = items.collect();
                let shown = items.iter().map(|item| {
                    json!({"handle": item.handle, "path": item.path, "symbol": item.symbol, "lines": item.lines})
                });
                let shown: Vec<Value> = shown.collect();
                let saved = &context_output(context);
                let context = ContextText {
                    saved,
                    record: None,
                    items: &items,
                };
                let text = render::context(&context, &Screen::of_stdout());
                Ok((json!({"context": saved, "items": shown}), text))
            }
            "rename" => {
                place.rename_context(name("name"), name("to"))?;
                Ok((
                    json!({"name": name("to")}),
                    format!("`{}` is now `{}`\n", name("name"), name("to")),
                ))
            }
            "remove" => {
                place.remove_record(name("name"), Some(RecordKind::Context))?;
                Ok((
                    json!({"removed": name("name")}),
                    format!("removed `{}`\n", name("name")),
                ))
            }
            "export" => {
                let names: Vec<String> = matches
                    .get_many("names")
                    .into_iter()
                    .flatten()
                    .cloned()
                    .collect();
                let text = place.export_records(&names, Some(RecordKind::Context))?;
                let value = serde_json::from_str(&text).expect("an export is JSON");
                Ok((value, text + "\n"))
            }
            _ => {
                let taken = place.import_records(&read(&file_of(matches, cwd))?)?;
                let taken: Vec<String> = taken.into_iter().filter_map(|it| it.name).collect();
                let text = format!("imported {}\n", taken.join(", "));
                Ok((json!({ "imported": taken }), text))
            }
        }
    })
}

/// Returns the file that a command line names, from the directory it was given in.
pub(super) fn file_of(matches: &ArgMatches, cwd: Option<&PathBuf>) -> PathBuf {
    let file = matches
        .get_one::<PathBuf>("file")
        .expect("the argument is required");
    cwd.map_or_else(|| file.clone(), |cwd| cwd.join(file))
}

pub(super) fn read(file: &Path) -> Result<String> {
    use std::io::Read as _;
    let failed = |error: std::io::Error| {
        Error::new(
            Code::Io,
            format!("the export `{}` cannot be read: {error}", file.display()),
            "pass the file that `codelens note export` or `codelens context export` wrote, or - for standard input",
        )
        .because(error)
    };
    let mut text = String::new();
    let source: Box<dyn std::io::Read> = if file.file_name().is_some_and(|name| name == "-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(file).map_err(failed)?)
    };
    source
        .take(MAX_IMPORT)
        .read_to_string(&mut text)
        .map_err(failed)?;
    Ok(text)
}
