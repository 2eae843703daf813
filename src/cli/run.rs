//! A command from its arguments to its exit code.
//!
//! Ends on an interrupt, and turns a panic into an error.

use std::io::{IsTerminal, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use serde_json::Value;

use super::progress::ProgressLine;
use super::render::AnswerText;
use super::screen::Screen;
use super::{flags, output, pager};
use crate::config::Config;
use crate::error::{Code, Error, Result};
use crate::tools::changes::Changes;
use crate::tools::chunks::Chunks;
use crate::tools::doctor::Doctor;
use crate::tools::expand::Expand;
use crate::tools::explore::Explore;
use crate::tools::impact::Impact;
use crate::tools::index_state::{Current, Refresh, Stats};
use crate::tools::map::Map;
use crate::tools::memory::{Load, Save};
use crate::tools::prune::{Drop, Prune};
use crate::tools::related::Related;
use crate::tools::search::Search;
use crate::tools::{Call, Tool, TypedAnswer, call_one, revision_by_name};
use crate::workspace::{
    Author, FirstBuild, Patience, Revision, Workspace, Workspaces, WrittenBy, archive_name_in,
    with_place,
};

/// Tokens of a list of changes that is printed.
const PERSON_BUDGET_TOKENS: u32 = 20_000;

/// The exit code where changes break a use, with `--exit-code`.
const BROKEN: u8 = 3;

/// Steps that are drawn of a graph whose caller names no depth.
const DRAWN_STEPS: u32 = 2;

/// How long a question may build before it shows how far it is.
const PATIENCE: Duration = Duration::from_millis(300);

/// A command that asks a tool.
pub(super) struct ToolCommand {
    /// The name of the tool on the wire.
    pub(super) tool: &'static str,
    run: fn(ToolCommandLine<'_>) -> ExitCode,
}

/// The command line of a tool.
pub(super) struct ToolCommandLine<'a> {
    /// The input that the arguments mean; wrong usage otherwise.
    pub(super) input: std::result::Result<Value, clap::Error>,
    /// Returns the whole command line, which explains wrong usage.
    pub(super) whole: fn() -> Command,
    pub(super) matches: &'a ArgMatches,
    pub(super) cwd: Option<&'a PathBuf>,
    /// Whether the place stands above source that is else printed as it is.
    pub(super) with_place: bool,
}

/// The commands of all tools.
pub(super) const TOOL_COMMANDS: &[ToolCommand] = &[
    ToolCommand::of::<Explore>(),
    ToolCommand::of::<Search>(),
    ToolCommand::of::<Expand>(),
    ToolCommand::of::<Map>(),
    ToolCommand::of::<Impact>(),
    ToolCommand::of::<Changes>(),
    ToolCommand::of::<Related>(),
    ToolCommand::of::<Load>(),
    ToolCommand::of::<Save>(),
    ToolCommand::of::<Current>(),
    ToolCommand::of::<Refresh>(),
    ToolCommand::of::<Stats>(),
    ToolCommand::of::<Doctor>(),
    ToolCommand::of::<Prune>(),
    ToolCommand::of::<Drop>(),
    ToolCommand::of::<Chunks>(),
];

impl ToolCommand {
    const fn of<T: Tool<Output: AnswerText>>() -> Self {
        Self {
            tool: T::NAME,
            run: tool::<T>,
        }
    }

    /// Runs the command of a tool.
    pub(super) fn run(name: &str, asked: ToolCommandLine<'_>) -> ExitCode {
        let mut commands = TOOL_COMMANDS.iter();
        let command = commands.find(|command| command.tool == name);
        (command.expect("each tool has its command").run)(asked)
    }
}

/// Runs a tool and prints its answer.
fn tool<T: Tool<Output: AnswerText>>(asked: ToolCommandLine<'_>) -> ExitCode {
    let ToolCommandLine { matches, cwd, .. } = asked;
    let is_json = flags::is_json(matches);
    let mut input = match asked.input {
        Ok(input) => input,
        Err(refused) => return output::usage(&refused.format(&mut (asked.whole)())),
    };
    let language = match flags::drawing(matches) {
        Ok(language) => language,
        Err(refused) => return output::usage(&refused.format(&mut (asked.whole)())),
    };
    if language.is_some() && input["depth"].is_null() {
        // A picture shows the ways, which an answer leaves out unless a depth is asked for.
        input["depth"] = DRAWN_STEPS.into();
    }
    let is_searched = matches!(T::NAME, "cl_search" | "cl_explore");
    if is_searched && !is_json && Screen::of_stdout().is_coloured {
        input["highlight"] = true.into();
    }
    let format = flags::format(matches);
    if T::NAME == "cl_changes" && !is_json && input["budget"].is_null() {
        // A person reads on where an agent pays.
        input["budget"] = PERSON_BUDGET_TOKENS.into();
    }
    let is_listed = input["include"].is_null() && input["targets"].is_null();
    if flags::is_markdown(matches) && is_listed {
        input["include"] = serde_json::json!(["source"]);
    }
    let subject = input["path"].as_str().unwrap_or_default().to_owned();
    let interrupt = Arc::new(AtomicBool::new(false));
    let first_build = Arc::new(FirstBuild::default());
    listen_for_interrupts_of(&interrupt, Some(Arc::clone(&first_build)));
    let delay = if T::NAME == "cl_refresh" {
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
            answer::<T>(input, &call).map_err(|error| with_named_place(error, matches, cwd))
        }
        Err(error) => Err(Error::new(error.code, &error.message, &error.hint)),
    };
    meter.clear();
    let mut code = match outcome {
        Err(error) => output::failure(&error, is_json),
        Ok(answer) => {
            let screen = screen(&workspaces, matches, cwd);
            let shown = &answer.output;
            let is_broken = flags::has_exit_code(matches) && shown.is_broken();
            let has_failed = shown.has_failed();
            let wants_markdown = flags::is_markdown(matches);
            let drawn = language.and_then(|language| shown.drawing(&subject, language));
            let formatted = format.and_then(|format| shown.formatted(format, &screen));
            let code = if is_json {
                match answer.into_value() {
                    Ok(value) => output::value(&value, flags::is_jsonl(matches)),
                    Err(error) => output::failure(&error, true),
                }
            } else if let Some(drawn) = drawn {
                match drawn {
                    Ok(drawn) => output::data(&drawn),
                    Err(error) => output::failure(&error, false),
                }
            } else if let Some(formatted) = formatted {
                output::exact(&formatted)
            } else if let Some(text) = wants_markdown.then(|| shown.markdown()).flatten() {
                output::data(&text)
            } else {
                print(shown, asked.with_place, T::READ_ONLY, matches, &screen)
            };
            match code {
                ExitCode::SUCCESS if is_broken => ExitCode::from(BROKEN),
                ExitCode::SUCCESS if has_failed => ExitCode::FAILURE,
                code => code,
            }
        }
    };
    if interrupt.load(Ordering::Relaxed) {
        code = ExitCode::from(output::INTERRUPTED);
    } else if let Ok(workspaces) = workspaces {
        workspaces.finish();
    }
    code
}

/// Prints the text of an answer, or exact source where nobody looks at it.
fn print(
    shown: &impl AnswerText,
    with_place: bool,
    is_read_only: bool,
    matches: &ArgMatches,
    screen: &Screen,
) -> ExitCode {
    let page = shown.render(screen);
    let code = match shown.exact().filter(|_| !stdout().is_terminal()) {
        Some((place, source)) if with_place => output::exact(&format!("{place}\n{source}")),
        Some((_, source)) => output::exact(source),
        None => pager::show(&page.data, is_read_only && flags::is_paged(matches)),
    };
    output::eprint_note(&page.aside);
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

/// Returns the commit that `--ref` names, of a bare repository else that of `HEAD`; `None` for the work tree.
pub(super) fn revision(matches: &ArgMatches, place: &Workspace) -> Result<Option<Revision>> {
    match flags::reference(matches) {
        Some(name) => revision_by_name(name, place).map(Some),
        None if place.is_bare() => revision_by_name("HEAD", place).map(Some),
        None => Ok(None),
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
        let workspace = workspaces.open(None, &places);
        let workspace =
            workspace.map_err(|error| with_named_place(error, matches, places.first()))?;
        act(&workspace)
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
        outcome.map_err(|error| with_named_place(error, matches, cwd))
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

fn answer<T: Tool>(input: Value, call: &Call<'_>) -> Result<TypedAnswer<T>> {
    let _span = tracing::info_span!("call", tool = T::NAME).entered();
    catch_unwind(AssertUnwindSafe(|| call_one::<T>(input, call))).unwrap_or_else(|_| {
        Err(Error::new(
            Code::Internal,
            format!("{} failed by a fault of this program", T::NAME),
            "run it again; if it fails again, run `codelens doctor` and report the lines above",
        ))
    })
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
    // `archive:NAME` is no path.
    if archive_name_in(&repo).is_some() {
        return Some(repo);
    }
    Some(cwd.map_or_else(|| repo.clone(), |cwd| cwd.join(&repo)))
}

/// Returns the error of a place without a repository with the place as it was written, and the argument that named it.
fn with_named_place(mut error: Error, matches: &ArgMatches, cwd: Option<&PathBuf>) -> Error {
    let named = flags::repo(matches).filter(|it| archive_name_in(it).is_none());
    let from = match named.as_ref().and_then(|_| matches.value_source("repo")) {
        Some(ValueSource::EnvVariable) => "CODELENS_REPO",
        _ => "--repo",
    };
    let is_missing = || named_repo(matches, cwd).is_some_and(|place| !place.exists());
    match (error.code, named) {
        (Code::NotARepo, None) => {
            "the working directory is not inside a git work tree".clone_into(&mut error.message);
        }
        (code, Some(place))
            if code == Code::NotARepo || code == Code::PathNotFound && is_missing() =>
        {
            error = with_place(error, &place.to_string_lossy());
            error.message = format!("{} ({from})", error.message);
        }
        _ => {}
    }
    error
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

#[cfg(test)]
mod tests {
    use super::TOOL_COMMANDS;
    use crate::tools::TOOLS;
    use crate::tools::chunks::CHUNKS;

    #[test]
    fn every_tool_has_its_command() {
        let names = |tool: &str| TOOL_COMMANDS.iter().any(|command| command.tool == tool);
        for tool in TOOLS.iter().chain([&CHUNKS]) {
            assert!(names(tool.name), "{}", tool.name);
        }
        assert_eq!(TOOL_COMMANDS.len(), TOOLS.len() + 1);
    }
}
