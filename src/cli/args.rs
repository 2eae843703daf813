//! The command line: a command for each tool, and the options that all share.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::aliases::{ALIASES, Alias};
use super::render::{Format, Language};
use crate::tools::{TOOLS, ToolSpec};

const ABOUT: &str = "Search and structure of a git repository, always for the branch and the edits that are on disk";

const FIRST_STEPS: &str = "\
Run it anywhere inside a git repository; the first question builds the index, with a progress bar.
Ctrl-C stops the build and answers from the files read so far; `codelens refresh` builds it beforehand.

Examples:
  codelens current                          what is checked out, and how its index is
  codelens search \"retry with backoff\"      find code by words, names or intent
  codelens map src                          the outline of a file or directory

  codelens install --dry-run                what it would add to the agents on this machine

`codelens help COMMAND` explains a command. `codelens serve` is what an agent starts.

Exit codes: 0 done; 1 an error, or a check of `doctor` failed; 2 wrong usage; 3 a use is broken (`changes --exit-code`); 130 interrupted.";

const SHARED: &str = "Shared options";

/// Returns the whole command line.
pub(super) fn command() -> Command {
    // With the commit, if the build script found one.
    let version = option_env!("CODELENS_VERSION").unwrap_or(env!("CARGO_PKG_VERSION"));
    Command::new("codelens")
        .version(version)
        .about(ABOUT)
        .after_help(FIRST_STEPS)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(shared())
        .subcommands(TOOLS.iter().map(of_tool))
        .subcommand(super::reaching_tests::command())
        .subcommands(ALIASES.iter().map(Alias::command))
        .subcommand(super::view::command())
        .subcommand(super::watch::command())
        .subcommand(super::context::command())
        .subcommand(super::list::command())
        .subcommand(super::cache::command())
        .subcommand(super::bundle::command())
        .subcommand(super::settings::command())
        .subcommand(super::serve::command())
        .subcommand(super::install::install_command())
        .subcommand(super::install::uninstall_command())
        .subcommand(super::manual::command())
        .subcommand(
            Command::new("completions")
                .about("Print the completion script of a shell")
                .arg(
                    Arg::new("shell")
                        .value_name("SHELL")
                        .required(true)
                        .value_parser(value_parser!(clap_complete::Shell))
                        .help("The shell"),
                )
                .after_help(
                    "Examples:\n  codelens completions bash > ~/.local/share/bash-completion/completions/codelens\n  codelens completions zsh > \"${fpath[1]}/_codelens\"",
                ),
        )
}

/// Returns the repository that the command line or the environment names.
pub(super) fn repo(matches: &ArgMatches) -> Option<PathBuf> {
    matches
        .try_get_one::<PathBuf>("repo")
        .ok()
        .flatten()
        .cloned()
}

/// Returns whether the bare value is asked for, in one piece or in lines.
pub(super) fn is_json(matches: &ArgMatches) -> bool {
    let format = matches.try_get_one::<String>("format").ok().flatten();
    matches.get_flag("json") || is_jsonl(matches) || format.is_some_and(|it| it == "json")
}

/// Returns whether the value is asked for in lines.
pub(super) fn is_jsonl(matches: &ArgMatches) -> bool {
    matches.get_flag("jsonl")
}

/// Returns whether long output may go through a pager.
pub(super) fn is_paged(matches: &ArgMatches) -> bool {
    !matches.get_flag("no_pager")
}

/// Returns the budget in milliseconds, if one is given.
pub(super) fn budget_ms(matches: &ArgMatches) -> Option<u64> {
    matches.get_one("budget_ms").copied()
}

/// Returns how often `-v` was given.
pub(super) fn verbosity(matches: &ArgMatches) -> u8 {
    matches.get_count("verbose")
}

/// Returns `auto`, `always` or `never`.
pub(super) fn colours(matches: &ArgMatches) -> &str {
    matches
        .get_one::<String>("color")
        .map_or("auto", String::as_str)
}

fn of_tool(tool: &ToolSpec) -> Command {
    let mut help = vec!["Examples:"];
    help.extend(tool.examples.lines().map(str::trim));
    help.retain(|line| !line.is_empty());
    let command = (tool.command)().after_help(help.join("\n  "));
    if draws(tool) {
        command.args(drawing_flags())
    } else if tool.name == "cl_changes" {
        command.args(change_flags())
    } else if tool.name == "cl_explore" {
        command.arg(
            Arg::new(MARKDOWN)
                .long(MARKDOWN)
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["json", "jsonl"])
                .help("Print the pack as Markdown, to be pasted (with --include or --targets)"),
        )
    } else {
        command
    }
}

fn change_flags() -> [Arg; 2] {
    [
        Arg::new("format")
            .long("format")
            .value_name("FORMAT")
            .value_parser(PossibleValuesParser::new([
                "text", "json", "markdown", "github", "sarif",
            ]))
            .help("Print it as text, JSON, a comment for a pull request, workflow annotations or SARIF"),
        Arg::new("exit_code")
            .long("exit-code")
            .action(ArgAction::SetTrue)
            .help("End with exit code 3 if a use is broken"),
    ]
}

/// Returns the form in which changes are asked for; `None` for JSON, and for other commands.
pub(super) fn format(matches: &ArgMatches) -> Option<Format> {
    let named = matches.try_get_one::<String>("format").ok().flatten();
    match named.map(String::as_str) {
        Some("text") => Some(Format::Text),
        Some("markdown") => Some(Format::Markdown),
        Some("github") => Some(Format::Github),
        Some("sarif") => Some(Format::Sarif),
        _ => None,
    }
}

/// Returns whether the exit code says that something is broken.
pub(super) fn has_exit_code(matches: &ArgMatches) -> bool {
    matches.try_get_one::<bool>("exit_code").ok().flatten() == Some(&true)
}

/// The flag of `codelens explore` for Markdown.
const MARKDOWN: &str = "markdown";

/// Returns whether Markdown is asked for.
pub(super) fn is_markdown(matches: &ArgMatches) -> bool {
    matches.try_get_one::<bool>(MARKDOWN).ok().flatten() == Some(&true)
}

/// Whether the answer of a tool is a graph that can be drawn.
fn draws(tool: &ToolSpec) -> bool {
    matches!(tool.name, "cl_impact" | "cl_related")
}

fn drawing_flags() -> [Arg; 2] {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .action(ArgAction::SetTrue)
            .help(help)
    };
    [
        flag("dot", "Print the graph for Graphviz").conflicts_with("mermaid"),
        flag("mermaid", "Print the graph as a Mermaid flowchart"),
    ]
}

/// Returns the language in which the graph is asked for.
///
/// # Errors
/// Wrong usage where the bare value is asked for as well.
pub(super) fn drawing(matches: &ArgMatches) -> Result<Option<Language>, clap::Error> {
    let is_set = |name| matches.try_get_one::<bool>(name).ok().flatten() == Some(&true);
    let language = match (is_set("dot"), is_set("mermaid")) {
        (true, _) => Language::Dot,
        (_, true) => Language::Mermaid,
        _ => return Ok(None),
    };
    if is_json(matches) {
        return Err(command().error(
            clap::error::ErrorKind::ArgumentConflict,
            "`--json` can't be used with `--dot` or `--mermaid`",
        ));
    }
    Ok(Some(language))
}

fn shared() -> [Arg; 7] {
    let shared = |name: &'static str| Arg::new(name).global(true).help_heading(SHARED);
    [
        shared("repo")
            .long("repo")
            .value_name("PATH")
            .env("CODELENS_REPO")
            .hide_env_values(true)
            .value_parser(value_parser!(PathBuf))
            .help("The repository: any path inside it [default: the working directory]"),
        shared("json")
            .long("json")
            .action(ArgAction::SetTrue)
            .help("Print JSON (the same value MCP returns)"),
        shared("jsonl")
            .long("jsonl")
            .action(ArgAction::SetTrue)
            .overrides_with("json")
            .help("Print JSON Lines: each entry of a list, then the other fields"),
        shared("no_pager")
            .long("no-pager")
            .action(ArgAction::SetTrue)
            .help("Do not use a pager [env: CODELENS_PAGER, PAGER: which one]"),
        shared("budget_ms")
            .long("budget-ms")
            .value_name("N")
            .value_parser(value_parser!(u64))
            .help(
                "Time limit of a question for finding and indexing changes, in milliseconds [default: 500, a first question 10000] [env: CODELENS_BUDGET_MS, CODELENS_FIRST_BUILD_MS]",
            ),
        shared("color")
            .long("color")
            .value_name("WHEN")
            .value_parser(PossibleValuesParser::new(["auto", "always", "never"]))
            .default_value("auto")
            .hide_possible_values(false)
            .help("When to use colours"),
        shared("verbose")
            .short('v')
            .long("verbose")
            .action(ArgAction::Count)
            .help("Log to standard error; repeat for more (or set CODELENS_LOG)"),
    ]
}

#[cfg(test)]
mod tests {
    use super::{TOOLS, command};

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_tool_is_a_command_with_examples() {
        let mut command = command();
        command.build();
        for tool in TOOLS {
            let found = command.find_subcommand(tool.command_name());
            let help = found
                .expect("each tool has its command")
                .clone()
                .render_help();
            assert!(help.to_string().contains("Examples:"), "{}", tool.name);
        }
    }

    #[test]
    fn every_command_has_examples() {
        let mut command = command();
        command.build();
        let mut waiting: Vec<_> = command.get_subcommands().cloned().collect();
        while let Some(mut command) = waiting.pop() {
            waiting.extend(command.get_subcommands().cloned());
            let help = command.render_help().to_string();
            let name = command.get_bin_name().unwrap_or_default().to_owned();
            assert!(
                help.contains("Examples:") || name.contains("help"),
                "{name}"
            );
        }
    }

    #[test]
    fn shared_options_stand_before_and_behind_the_command() {
        for line in [
            ["codelens", "--json", "--repo=/x", "completions", "bash"],
            ["codelens", "completions", "bash", "--repo=/x", "--json"],
        ] {
            let matches = command().try_get_matches_from(line).unwrap();
            let (_, matches) = matches.subcommand().unwrap();
            assert!(super::is_json(matches));
            assert_eq!(super::repo(matches).unwrap().to_str(), Some("/x"));
        }
    }

    #[test]
    fn a_mistyped_command_is_answered_with_the_right_one() {
        let refused = command()
            .try_get_matches_from(["codelens", "completion"])
            .unwrap_err();
        assert!(refused.to_string().contains("completions"), "{refused}");
        assert_eq!(refused.exit_code(), 2);
    }
}
