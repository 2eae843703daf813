//! `codelens note`, `doc` and `mark`: saved records as things that people list, add, approve, remove and carry elsewhere.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Args as _, Command, FromArgMatches as _, value_parser};
use serde_json::{Value, json};

use super::context::{file_of, read};
use super::render::{self, AnswerText};
use super::run::{in_workspace, with_tools};
use super::screen::Screen;
use crate::config;
use crate::error::{Code, Error, Result};
use crate::model::{FileMark, MarkWord};
use crate::tools::memory::{Items, KindInput, Load, Save, record_output};
use crate::tools::{Call, Tool, call_one};
use crate::workspace::{DocumentToSave, RecordToSave, WrittenBy};

/// Returns the commands `note`, `doc` and `mark`.
pub(super) fn commands() -> [Command; 3] {
    [note(), doc(), mark()]
}

fn id() -> Arg {
    Arg::new("id")
        .value_name("ID")
        .required(true)
        .help("Its id (mem_…) or name")
}

fn kind() -> Arg {
    Arg::new("kind")
        .long("kind")
        .value_name("KIND")
        .value_parser(value_parser!(KindInput))
}

fn text(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

fn note() -> Command {
    let add = Command::new("add")
        .about("Add a note, or another record")
        .arg(
            Arg::new("notes")
                .value_name("TEXT")
                .required(true)
                .help("Its text; the first line is its title"),
        )
        .arg(kind().default_value("note").help("Its kind"))
        .arg(text("name", "NAME", "A name; one of the same kind and name is replaced"))
        .arg(text("fixes", "ID", "The failure that a fix repairs"))
        .arg(text("test", "COMMAND", "The command that shows a fix"))
        .arg(text("supersedes", "ID", "The record in whose place it comes"))
        .after_help("Examples:\n  codelens note add --path src/login.ts \"the session is made here\"\n  codelens note add --kind failure \"TypeError: x is not a function\"");
    Command::new("note")
        .about("List, show, add, approve, remove, export and import saved records")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("list")
                .about("List the saved records of this repository")
                .arg(kind().help("Only of this kind"))
                .after_help("Examples:\n  codelens note list\n  codelens note list --kind failure --json"),
        )
        .subcommand(
            Command::new("show")
                .about("Show a record, judged on what is checked out")
                .arg(id())
                .after_help("Examples:\n  codelens note show mem_0123456789abcdef"),
        )
        .subcommand(Items::augment_args(add))
        .subcommand(
            Command::new("approve")
                .about("Answer for an imported record: agents see it from now on")
                .arg(id())
                .after_help("Examples:\n  codelens note approve mem_0123456789abcdef"),
        )
        .subcommand(
            Command::new("remove")
                .about("Remove a record")
                .arg(id())
                .after_help("Examples:\n  codelens note remove mem_0123456789abcdef"),
        )
        .subcommand(
            Command::new("export")
                .about("Print records as JSON, for another clone or machine")
                .arg(
                    Arg::new("ids")
                        .value_name("ID")
                        .action(ArgAction::Append)
                        .help("Which ones [default: all]"),
                )
                .arg(kind().help("Only of this kind"))
                .after_help("Examples:\n  codelens note export > records.json\n  codelens note export --kind fix > fixes.json"),
        )
        .subcommand(
            Command::new("import")
                .about("Import what `export` printed; nobody sees it unasked until it is approved")
                .arg(
                    Arg::new("file")
                        .value_name("FILE")
                        .required(true)
                        .value_parser(value_parser!(PathBuf))
                        .help("The file, or - for standard input"),
                )
                .after_help("Examples:\n  codelens note import records.json"),
        )
        .after_help("Examples:\n  codelens note list\n  codelens note add --path src/login.ts \"the session is made here\"\n  codelens note export > records.json")
}

fn doc() -> Command {
    let attach = Command::new("attach")
        .about("Copy a document into the data directory and bind it to code")
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The document, of any kind"),
        )
        .arg(text("relation", "WORD", "What it is to the code, for example `design`"))
        .arg(text("locator", "PLACE", "The place in it: a page, a heading"))
        .arg(text("title", "TITLE", "Its title [default: its name]"))
        .arg(text("name", "NAME", "A name; a document of the same name is replaced"))
        .after_help("Examples:\n  codelens doc attach ~/specs/queue.pdf --path src/queue.ts --relation specification --locator \"page 4\"");
    Command::new("doc")
        .about("Attach documents to code, and detach them")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Items::augment_args(attach))
        .subcommand(
            Command::new("detach")
                .about("Remove a document, and its copy where nothing else needs it")
                .arg(id())
                .after_help("Examples:\n  codelens doc detach mem_0123456789abcdef"),
        )
        .after_help("Examples:\n  codelens doc attach ~/specs/queue.pdf --path src/queue.ts\n  codelens doc detach mem_0123456789abcdef\n  codelens save --kind document --url https://example.org/spec --path src/queue.ts")
}

fn mark() -> Command {
    let command = Command::new("mark")
        .about("Mark code with a word, which labels it only; without a word list the marks")
        .arg(
            Arg::new("word")
                .value_name("WORD")
                .help("The word: test, generated, config, documentation, ignore or any other"),
        )
        .after_help(
            "Examples:\n  codelens mark generated --path src/api/client.ts\n  codelens mark\n  codelens mark apply mem_0123456789abcdef",
        )
        .args_conflicts_with_subcommands(true)
        .subcommand(
            Command::new("apply")
                .about("Let marks of files count in the order of search results: written into your codelens.toml")
                .arg(
                    Arg::new("ids")
                        .value_name("ID")
                        .required(true)
                        .action(ArgAction::Append)
                        .help("Their ids (mem_…) or names"),
                )
                .after_help("Examples:\n  codelens mark apply mem_0123456789abcdef"),
        );
    Items::augment_args(command)
}

/// Runs `codelens note`.
pub(super) fn run_note(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let (verb, matches) = matches
        .subcommand()
        .expect("the command line is refused without one");
    let text = |id: &str| matches.get_one::<String>(id).cloned();
    let kind = || matches.get_one::<KindInput>("kind").copied();
    match verb {
        "add" => with_tools(matches, cwd, |call| {
            let mut input =
                json!({"kind": kind(), "notes": text("notes"), "items": items(matches)});
            for (field, value) in [("name", text("name")), ("fixes", text("fixes"))] {
                if let Some(value) = value {
                    input[field] = value.into();
                }
            }
            if let Some(command) = text("test") {
                input["test"] = json!({"command": command});
            }
            let (saved, rendered) = ask_as_text::<Save>(input, call)?;
            if let Some(old) = text("supersedes") {
                let place = call.workspaces.open(None, call.places)?;
                place.supersede_record(&old, saved["id"].as_str().unwrap_or_default())?;
            }
            Ok((saved, rendered))
        }),
        "show" => with_tools(matches, cwd, |call| {
            ask_as_text::<Load>(json!({"name": text("id")}), call)
        }),
        _ => in_workspace(matches, cwd.cloned(), |place| match verb {
            "list" => {
                let records = place.saved_records(kind().map(KindInput::meaning))?;
                let records: Vec<_> = records.iter().map(record_output).collect();
                let text = render::record_list(&records, &Screen::of_stdout());
                Ok((json!({ "records": records }), text))
            }
            "approve" => {
                let record = place.approve_record(&text("id").unwrap_or_default())?;
                let line = format!("approved {}\n", record.uid);
                Ok((json!({"approved": record.uid}), line))
            }
            "remove" => {
                let record = place.remove_record(&text("id").unwrap_or_default(), None)?;
                let line = format!("removed {}\n", record.uid);
                Ok((json!({"removed": record.uid}), line))
            }
            "export" => {
                let ids = matches.get_many("ids").into_iter().flatten();
                let ids: Vec<String> = ids.cloned().collect();
                let text = place.export_records(&ids, kind().map(KindInput::meaning))?;
                let value = serde_json::from_str(&text).expect("an export is JSON");
                Ok((value, text + "\n"))
            }
            _ => {
                let imported = place.import_records(&read(&file_of(matches, cwd))?)?;
                let ids: Vec<String> = imported.into_iter().map(|record| record.uid).collect();
                let line = format!(
                    "imported {} records; `codelens note approve ID` lets agents see one unasked\n",
                    ids.len()
                );
                Ok((json!({ "imported": ids }), line))
            }
        }),
    }
}

/// Runs `codelens doc`.
pub(super) fn run_doc(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let (verb, matches) = matches
        .subcommand()
        .expect("the command line is refused without one");
    let text = |id: &str| matches.get_one::<String>(id).cloned();
    if verb == "detach" {
        return in_workspace(matches, cwd.cloned(), |place| {
            let record = place.detach_document(&text("id").unwrap_or_default())?;
            let line = format!("detached {}\n", record.uid);
            Ok((json!({"detached": record.uid}), line))
        });
    }
    with_tools(matches, cwd, |call| {
        let place = call.workspaces.open(None, call.places)?;
        let items = items(matches);
        let items = items.meaning(|path| place.relative_path(path, call.cwd, None))?;
        let document = DocumentToSave {
            place: place.copy_document(&file_of(matches, cwd))?,
            title: text("title"),
            relation: text("relation"),
            locator: text("locator"),
        };
        let name = text("name");
        let wanted = RecordToSave {
            kind: crate::workspace::RecordKind::Document,
            name: name.as_deref(),
            notes: None,
            items: &items,
            fixes: None,
            test: None,
            document: Some(document),
            pinned: false,
            author: call.author,
        };
        let saved = call.with_question("", |question| place.save_record(&wanted, question))?;
        let value = json!(record_output(&saved.record));
        let line = format!("attached {}: {}\n", saved.record.uid, saved.record.title);
        Ok((value, line))
    })
}

/// Runs `codelens mark`.
pub(super) fn run_mark(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    if let Some(("apply", matches)) = matches.subcommand() {
        let ids = matches.get_many::<String>("ids").into_iter().flatten();
        return with_tools(matches, cwd, |call| apply(ids, call));
    }
    let word = matches.get_one::<String>("word").cloned();
    with_tools(matches, cwd, |call| match word {
        None => ask_as_text::<Load>(json!({"kind": "mark", "limit": 50}), call),
        Some(word) => {
            let input = json!({"kind": "mark", "notes": word, "items": items(matches)});
            ask_as_text::<Save>(input, call)
        }
    })
}

/// Writes marks of files into the settings of the user, where they count.
fn apply<'i>(ids: impl Iterator<Item = &'i String>, call: &Call<'_>) -> Result<(Value, String)> {
    if call.author.by != WrittenBy::Person {
        return Err(Error::new(
            Code::Refused,
            "only a person at a terminal can apply marks",
            "run it in a terminal, or write a [[mark]] with repo, path and word into codelens.toml",
        ));
    }
    let place = call.workspaces.open(None, call.places)?;
    let mut marks = Vec::new();
    for id in ids {
        let found = call_one::<Load>(json!({"name": id, "kind": "mark"}), call)?.output;
        let record = found.results.into_iter().flatten().next();
        let text = record.as_ref().and_then(|record| record.text.as_deref());
        let text = text.unwrap_or_default();
        let word = MarkWord::parse(text).ok_or_else(|| {
            Error::invalid(
                format!("the word `{}` counts nowhere", text.escape_debug()),
                format!(
                    "words that count are {}",
                    MarkWord::ALL.map(MarkWord::as_str).join(", ")
                ),
            )
        })?;
        let items = record.iter().flat_map(|record| &record.items);
        let files = items
            .filter(|item| item.state != "missing" && item.lines.is_none())
            .map(|item| item.path.as_str());
        let n_before = marks.len();
        let repo = place.main_dir()?;
        marks.extend(files.map(|path| FileMark {
            repo: repo.clone(),
            path: path.to_owned(),
            word,
        }));
        if marks.len() == n_before {
            return Err(Error::invalid(
                format!("`{}` marks no whole file that is there", id.escape_debug()),
                "mark a file with `codelens mark WORD --path FILE`: only files have a place in the order",
            ));
        }
    }
    let added = config::add_marks(&marks)?;
    let shown = |mark: &FileMark| json!({"path": mark.path, "word": mark.word.as_str()});
    let value = json!({
        "file": config::file_path().display().to_string(),
        "added": added.iter().map(shown).collect::<Vec<_>>(),
    });
    let mut text: String = added.iter().fold(String::new(), |text, mark| {
        text + &format!("{} counts as {}\n", mark.path, mark.word.as_str())
    });
    if added.is_empty() {
        "they count already\n".clone_into(&mut text);
    }
    Ok((value, text))
}

fn items(matches: &ArgMatches) -> Items {
    Items::from_arg_matches(matches).expect("the arguments are declared")
}

/// Asks a tool; returns its answer, and the same as text.
fn ask_as_text<T: Tool<Output: AnswerText>>(
    input: Value,
    call: &Call<'_>,
) -> Result<(Value, String)> {
    let answer = call_one::<T>(input, call)?;
    let text = answer.output.render(&Screen::of_stdout()).data;
    Ok((answer.into_value()?, text))
}
