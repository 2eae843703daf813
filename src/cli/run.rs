//! A command from its arguments to its exit code.
//!
//! Knows interrupts and faults.

use std::io::{IsTerminal, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::{ArgMatches, Command};
use serde_json::Value;

use super::command_names::name_commands;
use super::progress::ProgressLine;
use super::screen::Screen;
use super::{flags, output, pager, render};
use crate::config::Config;
use crate::error::{Code, Error, Result};
use crate::tools::{Call, ToolSpec};
use crate::workspace::{Author, FirstBuild, Patience, Workspace, Workspaces, WrittenBy};

/// Tokens of a list of changes that is printed.
const PERSON_TOKENS: u32 = 20_000;

/// The exit code where changes break a use, with `--exit-code`.
const BROKEN: u8 = 3;

/// Steps that are drawn of a graph whose caller names no depth.
const DRAWN_STEPS: u32 = 2;

/// How long a question may build before it shows how far it is.
const PATIENCE: Duration = Duration::from_millis(300);

/// Runs a tool with the input that `input_of` reads from the command line, and prints its answer. Wrong usage is
/// explained by the whole command line. `with_place` puts the place above source that is else printed as it is.
#[expect(
    clippy::too_many_lines,
    reason = "one pass, whose steps are read in order"
)]
pub(super) fn tool(
    tool: &ToolSpec,
    input_of: impl Fn(&ArgMatches) -> std::result::Result<Value, clap::Error>,
    whole: fn() -> Command,
    matches: &ArgMatches,
    cwd: Option<&PathBuf>,
    with_place: bool,
) -> ExitCode {
    let is_json = flags::is_json(matches);
    let mut input = match input_of(matches) {
        Ok(input) => input,
        Err(refused) => return output::usage(&refused.format(&mut whole())),
    };
    let language = match flags::drawing(matches) {
        Ok(language) => language,
        Err(refused) => return output::usage(&refused.format(&mut whole())),
    };
    if language.is_some() && input["depth"].is_null() {
        // A picture shows the ways, which an answer leaves out unless a depth is asked for.
        input["depth"] = DRAWN_STEPS.into();
    }
    let is_searched = matches!(tool.name, "cl_search" | "cl_explore");
    if is_searched && !is_json && Screen::of_stdout().is_coloured {
        input["highlight"] = true.into();
    }
    let format = flags::format(matches);
    if tool.name == "cl_changes" && !is_json && input["budget"].is_null() {
        // A person reads on where an agent pays.
        input["budget"] = PERSON_TOKENS.into();
    }
    let is_listed = input["include"].is_null() && input["targets"].is_null();
    if flags::is_markdown(matches) && is_listed {
        input["include"] = serde_json::json!(["source"]);
    }
    let asked = input["path"].as_str().unwrap_or_default().to_owned();
    let interrupt = Arc::new(AtomicBool::new(false));
    let first_build = Arc::new(FirstBuild::default());
    listen_for_interrupts_of(&interrupt, Some(Arc::clone(&first_build)));
    let delay = if tool.name == "cl_refresh" {
        Duration::ZERO
    } else {
        PATIENCE
    };
    let meter = ProgressLine::new("indexing", "files", delay, flags::verbosity(matches) > 0);
    let workspaces = config(matches).map(Workspaces::new);
    let outcome = match &workspaces {
        Ok(workspaces) => {
            // Whoever sees the bar can wait for it to fill, or stop it.
            let patience = if meter.is_shown() && flags::budget_ms(matches).is_none() {
                Patience::ToTheEnd(&first_build)
            } else {
                Patience::Configured
            };
            let places = places(matches, cwd);
            let call = Call {
                workspaces,
                places: &places,
                cwd: cwd.map(PathBuf::as_path),
                interrupt: Arc::clone(&interrupt),
                progress: &|progress| meter.show(progress),
                patience,
                author: author(),
                revision: None,
            };
            answer(tool, input, &call)
        }
        Err(error) => Err(Error::new(error.code, &error.message, &error.hint)),
    };
    meter.clear();
    let screen = match &outcome {
        Ok(_) => screen(&workspaces, matches, cwd),
        Err(_) => Screen::of_stdout(),
    };
    let is_broken = flags::has_exit_code(matches)
        && outcome
            .as_ref()
            .is_ok_and(|value| value["brokenTotal"].as_u64() > Some(0));
    let code = match outcome {
        Ok(value) if is_json => output::value(&value, flags::is_jsonl(matches)),
        Ok(value) if value["candidates"].is_array() && language.is_some() => {
            output::failure(&ambiguous(&value), false)
        }
        Ok(value) if let Some(language) = language => {
            output::data(&render::drawing(tool.name, &value, &asked, language))
        }
        Ok(value) if let Some(format) = format.filter(|it| *it != render::ChangesFormat::Text) => {
            output::exact(&render::formatted(&value, format, &screen))
        }
        Ok(value) if flags::is_markdown(matches) && value["parts"].is_array() => {
            output::data(&render::markdown(&value))
        }
        Ok(mut value) => {
            name_commands(&mut value);
            let page = render::page(tool.name, &value, &screen);
            let is_exact = tool.name == "cl_expand" && !stdout().is_terminal();
            let code = match value["content"].as_str() {
                Some(content) if is_exact && with_place => {
                    output::exact(&format!("{}\n{content}", render::place(&value)))
                }
                Some(content) if is_exact => output::exact(content),
                _ => pager::show(&page.data, tool.read_only && flags::is_paged(matches)),
            };
            let failed = value["checks"]
                .as_array()
                .is_some_and(|checks| checks.iter().any(|check| check["ok"] == false));
            output::eprint_note(&page.aside);
            if failed { ExitCode::FAILURE } else { code }
        }
        Err(error) => output::failure(&error, is_json),
    };
    if interrupt.load(Ordering::Relaxed) {
        return ExitCode::from(output::INTERRUPTED);
    }
    if let Ok(workspaces) = workspaces {
        workspaces.finish();
    }
    if is_broken && code == ExitCode::SUCCESS {
        return ExitCode::from(BROKEN);
    }
    code
}

/// Returns who gives the commands: a person where a terminal is read, else a program.
pub(super) fn author() -> Author<'static> {
    let by = if std::io::stdin().is_terminal() {
        WrittenBy::Person
    } else {
        WrittenBy::Agent
    };
    Author { by, client: None }
}

/// Returns where data goes, with the work tree that places lead into.
fn screen(workspaces: &Result<Workspaces>, matches: &ArgMatches, cwd: Option<&PathBuf>) -> Screen {
    let screen = Screen::of_stdout();
    let places: Vec<_> = named_repo(matches, cwd)
        .or_else(|| cwd.cloned())
        .into_iter()
        .collect();
    let workspace = workspaces.as_ref().ok().filter(|_| screen.is_coloured);
    match workspace.and_then(|workspaces| workspaces.open(None, &places).ok()) {
        Some(workspace) => screen.linked_to(workspace.work_dir()),
        None => screen,
    }
}

/// Runs a command that is no tool, about one repository: `act` returns its value and the same as text.
pub(super) fn in_workspace(
    matches: &ArgMatches,
    cwd: Option<PathBuf>,
    act: impl FnOnce(&Arc<Workspace>) -> Result<(Value, String)>,
) -> ExitCode {
    without_repo(matches, |workspaces| {
        let places: Vec<_> = named_repo(matches, cwd.as_ref())
            .or(cwd)
            .into_iter()
            .collect();
        act(&workspaces.open(None, &places)?)
    })
}

/// Runs a command that asks tools about one repository: `act` returns its value and the same as text.
pub(super) fn with_tools(
    matches: &ArgMatches,
    cwd: Option<&PathBuf>,
    act: impl FnOnce(&Call<'_>) -> Result<(Value, String)>,
) -> ExitCode {
    without_repo(matches, |workspaces| {
        let interrupt = Arc::new(AtomicBool::new(false));
        listen_for_interrupts(&interrupt);
        let meter = ProgressLine::new("indexing", "files", PATIENCE, flags::verbosity(matches) > 0);
        let call = Call {
            workspaces,
            places: &places(matches, cwd),
            cwd: cwd.map(PathBuf::as_path),
            interrupt,
            progress: &|progress| meter.show(progress),
            patience: Patience::Configured,
            author: author(),
            revision: None,
        };
        let outcome = act(&call);
        meter.clear();
        outcome
    })
}

/// Runs a command that is no tool, about no repository in particular.
pub(super) fn without_repo(
    matches: &ArgMatches,
    act: impl FnOnce(&Workspaces) -> Result<(Value, String)>,
) -> ExitCode {
    match config(matches).map(Workspaces::new) {
        Ok(workspaces) => {
            let code = show(matches, || act(&workspaces));
            workspaces.finish();
            code
        }
        Err(error) => output::failure(&error, flags::is_json(matches)),
    }
}

/// Prints the result of `act`: a value, and the same as text.
pub(super) fn show(
    matches: &ArgMatches,
    act: impl FnOnce() -> Result<(Value, String)>,
) -> ExitCode {
    let is_json = flags::is_json(matches);
    match act() {
        Ok((value, _)) if is_json => output::value(&value, flags::is_jsonl(matches)),
        Ok((_, text)) => pager::show(&text, flags::is_paged(matches)),
        Err(error) => output::failure(&error, is_json),
    }
}

/// Asks a tool and returns its answer.
pub(super) fn ask(name: &str, input: Value, call: &Call<'_>) -> Result<Value> {
    let tool = crate::tools::by_name(name).expect("the tool is in the list");
    (tool.call)(input, call)
}

/// Prints the completion script of a shell for `whole`, the command line.
pub(super) fn completions(mut whole: Command, matches: &ArgMatches) -> ExitCode {
    let shell = *matches
        .get_one::<clap_complete::Shell>("shell")
        .expect("the argument is required");
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut whole, "codelens", &mut script);
    output::data(&String::from_utf8_lossy(&script))
}

/// Returns where to look for the repository. A named place stands alone: a mistyped one must not be answered from
/// another repository.
fn places(matches: &ArgMatches, cwd: Option<&PathBuf>) -> Vec<PathBuf> {
    let named = named_repo(matches, cwd);
    named.or_else(|| cwd.cloned()).into_iter().collect()
}

fn answer(tool: &ToolSpec, input: Value, call: &Call<'_>) -> Result<Value> {
    let _span = tracing::info_span!("call", tool = tool.name).entered();
    catch_unwind(AssertUnwindSafe(|| (tool.call)(input, call))).unwrap_or_else(|_| {
        Err(Error::new(
            Code::Internal,
            format!("{} failed by a fault of this program", tool.name),
            "run it again; if it fails again, run `codelens doctor` and report the lines above",
        ))
    })
}

/// Returns the error for a name that means several definitions, of which none can be drawn.
fn ambiguous(value: &Value) -> Error {
    let places: Vec<String> = value["candidates"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|found| {
            let line = found["line"].as_u64()?;
            Some(format!("{}:{line}", found["path"].as_str()?))
        })
        .collect();
    Error::invalid(
        value["summary"].as_str().unwrap_or_default(),
        format!("pass --path with one of {}", places.join(", ")),
    )
}

fn config(matches: &ArgMatches) -> Result<Config> {
    Config::load(&named_settings(matches))
}

/// Returns the settings that the command line names. A budget that is named holds for first builds as well.
pub(super) fn named_settings(matches: &ArgMatches) -> Vec<(&'static str, String)> {
    let budget_ms = flags::budget_ms(matches).map(|budget_ms| budget_ms.to_string());
    let low_confidence = flags::low_confidence(matches).cloned();
    ["budget_ms", "first_build_ms"]
        .into_iter()
        .filter_map(|name| Some((name, budget_ms.clone()?)))
        .chain(low_confidence.map(|value| ("search.low_confidence", value)))
        .collect()
}

/// Returns the repository that the command line names, as a path.
pub(super) fn named_repo(matches: &ArgMatches, cwd: Option<&PathBuf>) -> Option<PathBuf> {
    let repo = flags::repo(matches)?;
    Some(cwd.map_or_else(|| repo.clone(), |cwd| cwd.join(&repo)))
}

/// Makes the first interrupt a wish to stop and the second an order.
pub(super) fn listen_for_interrupts(interrupt: &Arc<AtomicBool>) {
    listen_for_interrupts_of(interrupt, None);
}

/// Does [`listen_for_interrupts`]; an interrupt during a first build ends the build alone, and the question is
/// answered from the files read so far.
fn listen_for_interrupts_of(interrupt: &Arc<AtomicBool>, first_build: Option<Arc<FirstBuild>>) {
    let interrupt = Arc::clone(interrupt);
    let listening = ctrlc::set_handler(move || {
        if first_build.as_ref().is_some_and(|build| build.stop()) {
            return;
        }
        if interrupt.swap(true, Ordering::Relaxed) {
            #[expect(clippy::exit, reason = "whoever asks twice does not want to wait")]
            std::process::exit(i32::from(output::INTERRUPTED));
        }
    });
    if let Err(error) = listening {
        tracing::debug!(%error, "interrupts end the process at once");
    }
}
