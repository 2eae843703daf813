//! `codelens install` and `codelens uninstall`: this server in the configuration of agents.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};

use super::run::{named_repo, named_settings};
use super::{flags, output, render, screen::Screen};
use crate::clients::{
    self, Act, CLIENTS, Client, ConfigScope, EntryRemoval, FileEffect, Job, Machine,
};
use crate::config::Config;
use crate::error::{Code, Error, Result};
use crate::tools::toolset::select;
use crate::tools::{TOOLS, ToolSpec};
use crate::workspace::Workspaces;

const INSTALL: &str = "\
Adds one entry named `codelens` to the configuration of each client that is found on this machine, or of those named with --client. All else \
in these files keeps its bytes, and what they were before is kept in the data directory. Running it again changes nothing.

With --scope project the entry goes into the files that lie in the repository and are shared with it; otherwise nothing is written there.";

const UNINSTALL: &str = "\
Takes out what `install` put in. A file that nobody edited since is again what it was, byte for byte; from others the entry alone is removed. \
Entries that `install` did not write are left alone.";

/// Returns the command `install`.
pub(super) fn install_command() -> Command {
    let flag = |id: &'static str, help: &'static str| {
        Arg::new(id).long(id).action(ArgAction::SetTrue).help(help)
    };
    Command::new("install")
        .about("Add this server to the agents on this machine")
        .long_about(INSTALL)
        .arg(client_arg("Which client; may be repeated [default: those that are found]"))
        .arg(scope_arg().default_value("user").help("The user's configuration, or the repository's"))
        .arg(guide_arg("Add a short guide for agents to this file of the repository; without --client nothing else is done"))
        .arg(
            Arg::new("command")
                .long("command")
                .value_name("WORD")
                .action(ArgAction::Append)
                .allow_hyphen_values(true)
                .help("The command that starts this program, a word each [default: where it is; `codelens` in a repository]"),
        )
        .arg(super::serve::tools_arg())
        .arg(flag("dry-run", "Say what would be done, and do nothing"))
        .arg(flag("print", "Print the entry for a client that is not known here, or for those named, and do nothing"))
        .arg(flag("force", "Replace an entry of this name that was not written by `install`"))
        .after_help(
            "Examples:\n  codelens install --dry-run\n  codelens install --client claude-code --client cursor\n  codelens install --client claude-desktop --repo ~/src/project\n  codelens install --scope project --client vscode\n  codelens install --guide AGENTS.md\n  codelens install --print",
        )
}

/// Returns the command `uninstall`.
pub(super) fn uninstall_command() -> Command {
    Command::new("uninstall")
        .about("Remove the entries that `install` added")
        .long_about(UNINSTALL)
        .arg(client_arg("Only this client; may be repeated"))
        .arg(guide_arg("Only the guide in this file of the repository; may be repeated"))
        .arg(scope_arg().help("Only the user's configuration, or only that of this repository [default: all]"))
        .arg(
            Arg::new("dry-run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Say what would be done, and do nothing"),
        )
        .after_help("Examples:\n  codelens uninstall --dry-run\n  codelens uninstall --client cursor\n  codelens uninstall --scope project")
}

fn client_arg(help: &'static str) -> Arg {
    let names = CLIENTS.iter().map(|client| client.id);
    Arg::new("client")
        .long("client")
        .value_name("NAME")
        .action(ArgAction::Append)
        .value_parser(PossibleValuesParser::new(names))
        .hide_possible_values(false)
        .help(help)
}

fn guide_arg(help: &'static str) -> Arg {
    Arg::new("guide")
        .long("guide")
        .value_name("FILE")
        .action(ArgAction::Append)
        .value_parser(PossibleValuesParser::new(["AGENTS.md", "CLAUDE.md"]))
        .help(help)
}

fn scope_arg() -> Arg {
    Arg::new("scope")
        .long("scope")
        .value_name("SCOPE")
        .value_parser(PossibleValuesParser::new([
            ConfigScope::User.as_str(),
            ConfigScope::Project.as_str(),
        ]))
}

/// Sets clients up.
pub(super) fn install(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let outcome = (|| {
        let machine = machine()?;
        let scope = if text(matches, "scope") == Some("project") {
            ConfigScope::Project
        } else {
            ConfigScope::User
        };
        if matches.get_flag("print") {
            return example(matches, &machine, scope, cwd)
                .map(|text| (output::data(&text), Vec::new()));
        }
        let (jobs, notes) = jobs(matches, &machine, scope, cwd)?;
        let home = config(matches)?.home;
        let done = clients::install(
            &home,
            &jobs,
            matches.get_flag("dry-run"),
            matches.get_flag("force"),
        );
        Ok((show(matches, &done), notes))
    })();
    finish(matches, outcome)
}

/// Removes the entries that `install` added.
pub(super) fn uninstall(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let outcome = (|| {
        let scope = text(matches, "scope");
        let which = EntryRemoval {
            clients: [values_of(matches, "client"), values_of(matches, "guide")].concat(),
            scope: [ConfigScope::User, ConfigScope::Project]
                .map(ConfigScope::as_str)
                .into_iter()
                .find(|name| Some(*name) == scope),
            project: if scope == Some("project") {
                Some(project(matches, cwd)?)
            } else {
                None
            },
        };
        let done = clients::uninstall(&config(matches)?.home, &which, matches.get_flag("dry-run"));
        let notes = if done.is_empty() {
            vec!["nothing to remove: `codelens install` has changed no files".to_owned()]
        } else {
            Vec::new()
        };
        Ok((show(matches, &done), notes))
    })();
    finish(matches, outcome)
}

fn finish(matches: &ArgMatches, outcome: Result<(ExitCode, Vec<String>)>) -> ExitCode {
    match outcome {
        Ok((code, notes)) => {
            for note in notes {
                output::eprint_note(&format!("{note}\n"));
            }
            code
        }
        Err(error) => output::failure(&error, flags::is_json(matches)),
    }
}

/// Returns the jobs, and notes on clients that are passed over.
fn jobs(
    matches: &ArgMatches,
    machine: &Machine,
    scope: ConfigScope,
    cwd: Option<&PathBuf>,
) -> Result<(Vec<Job>, Vec<String>)> {
    let guides = values_of(matches, "guide");
    let asked = values_of(matches, "client");
    let root = if scope == ConfigScope::Project || !guides.is_empty() {
        Some(project(matches, cwd)?)
    } else {
        None
    };
    let mut notes = Vec::new();
    let chosen: Vec<&'static Client> = if asked.is_empty() && guides.is_empty() {
        let found: Vec<_> = CLIENTS
            .iter()
            .filter(|client| machine.has(client))
            .collect();
        if found.is_empty() {
            let names: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
            return Err(Error::invalid(
                "no supported agent was found on this machine",
                format!(
                    "name one with --client ({}); `codelens install --print` shows the entry for any other",
                    names.join(", ")
                ),
            ));
        }
        found
    } else {
        asked.iter().filter_map(|id| Client::by_id(id)).collect()
    };
    let words = words(matches, machine, scope, cwd)?;
    let mut jobs = Vec::new();
    for client in chosen {
        match Job::of(client, machine, scope, root.as_deref(), &words) {
            Some(job) => jobs.push(job),
            None => notes.push(format!(
                "{} has no configuration in a repository; leave out --scope",
                client.name
            )),
        }
    }
    if let Some(root) = &root {
        let is_asked = |name: &&str| guides.iter().any(|asked| asked == name);
        jobs.extend(
            ["AGENTS.md", "CLAUDE.md"]
                .into_iter()
                .filter(is_asked)
                .map(|name| Job::guide(name, root)),
        );
    }
    Ok((jobs, notes))
}

/// Returns the words that start the server.
fn words(
    matches: &ArgMatches,
    machine: &Machine,
    scope: ConfigScope,
    cwd: Option<&PathBuf>,
) -> Result<Vec<String>> {
    let mut words = values_of(matches, "command");
    if words.is_empty() {
        // A shared file can't name a place on this machine.
        words.push(if scope == ConfigScope::Project {
            clients::ENTRY.to_owned()
        } else {
            own_path(machine)?
        });
    }
    words.push("serve".to_owned());
    if let Some(tools) = text(matches, "tools") {
        // Whoever is at the terminal can still correct the name.
        if let Some(unknown) = select(tools).unknown.first() {
            let names: Vec<&str> = TOOLS.iter().map(ToolSpec::command_name).collect();
            return Err(Error::invalid(
                format!(
                    "`{}` is no tool and no set of tools",
                    unknown.escape_debug()
                ),
                format!(
                    "pass default, lean, find, read, or names of {}",
                    names.join(", ")
                ),
            ));
        }
        words.push(format!("--tools={tools}"));
    }
    if let Some(repo) = named_repo(matches, cwd).filter(|_| scope == ConfigScope::User) {
        let repo = std::path::absolute(&repo).unwrap_or(repo);
        if !repo.is_dir() {
            return Err(Error::new(
                Code::PathNotFound,
                format!("there is no directory `{}`", repo.display()),
                "pass `--repo` as the path of a git work tree",
            ));
        }
        words.extend(["--repo".to_owned(), as_text(&repo)?]);
    }
    Ok(words)
}

/// Returns where this program is. A name that leads here by the shell's path is taken before the place itself: it stays
/// when another version takes its place. Programs with windows know no shell's path, so that it has to be a full one.
fn own_path(machine: &Machine) -> Result<String> {
    let own = std::env::current_exe().map_err(|error| {
        Error::new(
            Code::Io,
            "it is not known where this program is",
            "say what starts it with --command",
        )
        .because(error)
    })?;
    let named = machine.program(clients::ENTRY);
    let is_same = |path: &PathBuf| path.canonicalize().ok() == own.canonicalize().ok();
    as_text(&named.filter(is_same).unwrap_or(own))
}

fn as_text(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Error::invalid(
            "a path that is not UTF-8 can't be written into a configuration",
            "pass --command or --repo with another one",
        )
    })
}

fn example(
    matches: &ArgMatches,
    machine: &Machine,
    scope: ConfigScope,
    cwd: Option<&PathBuf>,
) -> Result<String> {
    let words = words(matches, machine, scope, cwd)?;
    let asked: Vec<&Client> = values_of(matches, "client")
        .iter()
        .filter_map(|id| Client::by_id(id))
        .collect();
    let Some(plain) = Client::by_id("cursor").filter(|_| asked.is_empty()) else {
        let root = cwd.cloned().unwrap_or_default();
        let part = |client: &&Client| {
            let mark = if client.format == clients::FileFormat::Json {
                "//"
            } else {
                "#"
            };
            let file = machine.file(client, scope, Some(&root));
            let file = file
                .map(|file| file.display().to_string())
                .unwrap_or_default();
            format!("{mark} {}: {file}\n{}", client.name, client.example(&words))
        };
        return Ok(asked.iter().map(part).collect::<Vec<_>>().join("\n"));
    };
    Ok(plain.example(&words))
}

fn show(matches: &ArgMatches, done: &[FileEffect]) -> ExitCode {
    let is_dry = matches.get_flag("dry-run");
    let code = if flags::is_json(matches) {
        let files: Vec<Value> = done.iter().map(|done| as_json(done, is_dry)).collect();
        let value = json!({"dryRun": is_dry, "files": files});
        output::value(&value, flags::is_jsonl(matches))
    } else {
        output::data(&render::installed(done, is_dry, &Screen::of_stdout()))
    };
    let is_failed = done.iter().any(|done| matches!(done.act, Act::Failed(_)));
    if is_failed { ExitCode::FAILURE } else { code }
}

fn as_json(done: &FileEffect, is_dry: bool) -> Value {
    let (act, problem) = match &done.act {
        Act::Added => ("added", None),
        Act::Updated => ("updated", None),
        Act::Unchanged => ("unchanged", None),
        Act::Foreign => ("foreign", None),
        Act::Restored => ("restored", None),
        Act::Removed => ("removed", None),
        Act::Gone => ("gone", None),
        Act::Failed(problem) => ("failed", Some(problem.to_string())),
    };
    let is_new = matches!(done.act, Act::Added | Act::Updated);
    json!({
        "client": done.client,
        "name": done.name,
        "scope": done.scope,
        "file": done.file.display().to_string(),
        "act": act,
        "problem": problem,
        "lines": if is_dry { done.lines.as_str() } else { "" },
        "backup": done.backup.as_ref().map(|backup| backup.display().to_string()),
        "next": if is_new { done.hint } else { "" },
    })
}

fn machine() -> Result<Machine> {
    Machine::here().ok_or_else(|| {
        Error::new(
            Code::Io,
            "no home directory is known for this user",
            "set HOME, or see --print",
        )
    })
}

fn project(matches: &ArgMatches, cwd: Option<&PathBuf>) -> Result<PathBuf> {
    let places: Vec<_> = named_repo(matches, cwd)
        .or_else(|| cwd.cloned())
        .into_iter()
        .collect();
    let workspace = Workspaces::new(config(matches)?).open(None, &places)?;
    Ok(workspace.work_dir().to_owned())
}

fn config(matches: &ArgMatches) -> Result<Config> {
    Config::load(&named_settings(matches))
}

fn text<'a>(matches: &'a ArgMatches, id: &str) -> Option<&'a str> {
    matches.get_one::<String>(id).map(String::as_str)
}

fn values_of(matches: &ArgMatches, id: &str) -> Vec<String> {
    matches
        .get_many::<String>(id)
        .into_iter()
        .flatten()
        .cloned()
        .collect()
}
