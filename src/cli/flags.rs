//! Options that several commands share: their definitions, and how their values are read.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, value_parser};

use super::render::{ChangesFormat, GraphLanguage};

const SHARED: &str = "Shared options";

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

/// Returns the options of `codelens changes` beside those of its tool.
pub(super) fn change_flags() -> [Arg; 2] {
    [
        Arg::new("format")
            .long("format")
            .value_name("FORMAT")
            .conflicts_with_all(["json", "jsonl"])
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
pub(super) fn format(matches: &ArgMatches) -> Option<ChangesFormat> {
    let named = matches.try_get_one::<String>("format").ok().flatten();
    match named.map(String::as_str) {
        Some("text") => Some(ChangesFormat::Text),
        Some("markdown") => Some(ChangesFormat::Markdown),
        Some("github") => Some(ChangesFormat::Github),
        Some("sarif") => Some(ChangesFormat::Sarif),
        _ => None,
    }
}

/// Returns whether the exit code says that something is broken.
pub(super) fn has_exit_code(matches: &ArgMatches) -> bool {
    matches.try_get_one::<bool>("exit_code").ok().flatten() == Some(&true)
}

/// The flag that sets `search.low_confidence`.
const LOW_CONFIDENCE: &str = "low_confidence";

/// Returns that flag.
pub(super) fn low_confidence_flag() -> Arg {
    Arg::new(LOW_CONFIDENCE)
        .long("low-confidence")
        .value_name("WHICH")
        .value_parser(PossibleValuesParser::new(["keep", "top1", "empty"]))
        .help("Results to show where the confidence is low: all, the first, or none [default: keep] [env: CODELENS_LOW_CONFIDENCE]")
}

/// Returns the value of `search.low_confidence` that is asked for.
pub(super) fn low_confidence(matches: &ArgMatches) -> Option<&String> {
    matches.try_get_one(LOW_CONFIDENCE).ok().flatten()
}

/// The flag of `codelens explore` for Markdown.
const MARKDOWN: &str = "markdown";

/// Returns that flag.
pub(super) fn markdown_flag() -> Arg {
    Arg::new(MARKDOWN)
        .long(MARKDOWN)
        .action(ArgAction::SetTrue)
        .conflicts_with_all(["json", "jsonl"])
        .help("Print the pack as Markdown, to be pasted (with --include or --targets)")
}

/// Returns whether Markdown is asked for.
pub(super) fn is_markdown(matches: &ArgMatches) -> bool {
    matches.try_get_one::<bool>(MARKDOWN).ok().flatten() == Some(&true)
}

/// Returns the options of commands whose answer is a graph.
pub(super) fn drawing_flags() -> [Arg; 2] {
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

/// The flag of a commit in place of the work tree.
const REFERENCE: &str = "ref";

/// Returns that flag, of a command that is no tool.
pub(super) fn reference_flag() -> Arg {
    Arg::new(REFERENCE)
        .long(REFERENCE)
        .value_name("REF")
        .help("A branch, tag or commit, in place of the work tree")
}

/// Returns the name of the commit that is asked for.
pub(super) fn reference(matches: &ArgMatches) -> Option<&String> {
    matches.get_one(REFERENCE)
}

/// Returns the language in which the graph is asked for.
///
/// # Errors
/// Wrong usage where the bare value is asked for as well.
pub(super) fn drawing(matches: &ArgMatches) -> Result<Option<GraphLanguage>, clap::Error> {
    let is_set = |name| matches.try_get_one::<bool>(name).ok().flatten() == Some(&true);
    let language = match (is_set("dot"), is_set("mermaid")) {
        (true, _) => GraphLanguage::Dot,
        (_, true) => GraphLanguage::Mermaid,
        _ => return Ok(None),
    };
    if is_json(matches) {
        return Err(clap::Error::raw(
            clap::error::ErrorKind::ArgumentConflict,
            "`--json` can't be used with `--dot` or `--mermaid`",
        ));
    }
    Ok(Some(language))
}

/// Returns the options of every command.
pub(super) fn shared() -> [Arg; 7] {
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
            .help("Print JSON (of a tool's command: the value that MCP returns)"),
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
