//! Sentences of the tools in the words of the command line: `cl_stats` is `codelens stats` there, and the field `base`
//! of an input is the argument `BASE`.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use clap::builder::StyledStr;
use clap::{Arg, ArgMatches, Command};

/// The arguments of the command that this process runs.
static ARGUMENTS: OnceLock<CommandArguments> = OnceLock::new();

/// The arguments of a command, as sentences name them.
#[derive(Default)]
struct CommandArguments {
    /// By the field of the tool's input: `--path` for `path`, `SYMBOL` for the first argument of `impact`.
    by_field: HashMap<String, String>,
    /// The values that were given, which a sentence may quote.
    given: HashSet<String>,
}

impl CommandArguments {
    /// Returns the arguments of a command, without any that were given.
    fn of_command(command: &Command) -> Self {
        let by_field = command.get_arguments().map(|arg| {
            let field = camel_case(arg.get_id().as_str());
            let field = if field == "reference" { "ref" } else { &field };
            (field.to_owned(), arg_label(arg))
        });
        let mut by_field: HashMap<String, String> = by_field.collect();
        if by_field.contains_key("handle") && by_field.contains_key("path") {
            by_field.insert("items".to_owned(), "--handle` or `--path".to_owned());
        }
        if let Some(question) = by_field.get("question").cloned() {
            by_field.insert("query".to_owned(), question);
        }
        Self {
            by_field,
            given: HashSet::new(),
        }
    }

    fn of(command: &Command, matches: &ArgMatches) -> Self {
        // Groups of arguments have values as well: the names of their arguments.
        let ids = command.get_arguments().map(|arg| arg.get_id().as_str());
        let raw = ids.filter_map(|id| matches.try_get_raw(id).ok().flatten());
        let given = raw
            .flatten()
            .map(|word| word.to_string_lossy().into_owned());
        Self {
            given: given.collect(),
            ..Self::of_command(command)
        }
    }
}

/// Returns an argument as a sentence names it: `--path`, or `FILE` where it stands without an option.
fn arg_label(arg: &Arg) -> String {
    match (arg.get_long(), arg.get_value_names()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some([name, ..])) => name.to_string(),
        (None, _) => arg.get_id().as_str().to_uppercase(),
    }
}

fn camel_case(id: &str) -> String {
    let mut words = id.split('_');
    let mut name = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(word.len().min(1));
        name += &first.to_uppercase();
        name += rest;
    }
    name
}

/// Makes sentences name the arguments of the command `name` of the command line `whole`, down to its last sub-command.
pub(super) fn name_arguments_of(mut whole: Command, name: &str, matches: &ArgMatches) {
    whole.build();
    let (mut command, mut matches) = (whole.find_subcommand(name), matches);
    while let (Some(outer), Some((name, inner))) = (command, matches.subcommand()) {
        (command, matches) = (outer.find_subcommand(name), inner);
    }
    if let Some(command) = command {
        // Each process runs one command.
        drop(ARGUMENTS.set(CommandArguments::of(command, matches)));
    }
}

/// Returns the message and the hint of an error in the words of the command line. One of a file of settings names the keys of
/// that file.
pub(super) fn in_error(message: &str, hint: &str) -> [String; 2] {
    let is_of_settings = message.contains(".toml");
    [message, hint].map(|text| {
        worded(text, |arguments, text| {
            if is_of_settings {
                text.to_owned()
            } else {
                arguments.sentence(text, false)
            }
        })
    })
}

/// Returns a sentence of an answer in the words of the command line. It may quote names of the repository: a field is one
/// where something is said to be done with it ("pass `path`"), or in parentheses, which name a list that is shown below.
pub(super) fn in_answer(text: &str) -> String {
    worded(text, |arguments, text| arguments.sentence(text, true))
}

/// Returns a tool's command whose help is in the words of the command line: "pass `path` to `cl_map`" is "pass `PATH` to
/// `codelens map`".
pub(super) fn with_own_words(command: Command) -> Command {
    let arguments = CommandArguments::of_command(&command);
    let words = |text: &StyledStr| arguments.sentence(&with_commands(&text.to_string()), false);
    let long_about = command.get_long_about().map(words);
    let command = command.mut_args(|arg| match arg.get_help().map(words) {
        Some(help) => arg.help(help),
        None => arg,
    });
    match long_about {
        Some(about) => command.long_about(about),
        None => command,
    }
}

fn worded(text: &str, by: impl Fn(&CommandArguments, &str) -> String) -> String {
    let nothing = CommandArguments::default();
    by(ARGUMENTS.get().unwrap_or(&nothing), &with_commands(text))
}

/// The words before a field of the input, in a sentence of an answer.
const BEFORE_FIELDS: [&str; 8] = [
    "pass ", "as ", "or ", "the ", "with ", "without ", "narrow ", "larger ",
];

impl CommandArguments {
    fn sentence(&self, text: &str, is_of_answer: bool) -> String {
        let mut written = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, word, after)) = next_quoted(rest) {
            written += before;
            rest = after;
            let is_field = !is_of_answer
                || word.contains(": ")
                || BEFORE_FIELDS.iter().any(|it| written.ends_with(it));
            let is_list = is_of_answer && written.ends_with(" (") && after.starts_with(')');
            if is_list
                && word
                    .bytes()
                    .all(|it| it.is_ascii_alphabetic() || it == b'.')
            {
                written.truncate(written.len() - " (".len());
                rest = &after[1..];
            } else if let Some(argument) = self.argument(word).filter(|_| is_field) {
                if written.ends_with("field ") {
                    written.truncate(written.len() - "field ".len());
                }
                written.extend(["`", &argument, "`"]);
            } else {
                written.extend(["`", word, "`"]);
            }
        }
        written + rest
    }

    /// Returns the argument for a field, alone (`path`) or with a value (`changes: true`, `types: [tests]`).
    fn argument(&self, word: &str) -> Option<String> {
        if self.given.contains(word) {
            return None;
        }
        let Some((field, value)) = word.split_once(": ") else {
            return self.by_field.get(word).cloned();
        };
        let is_name = !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_alphabetic());
        let argument = self.by_field.get(field).cloned();
        let argument = argument.or_else(|| is_name.then(|| format!("--{}", kebab_case(field))))?;
        let value = only_value(value).trim_matches(['[', ']', '"']);
        Some(if value == "true" {
            argument
        } else {
            format!("{argument} {value}")
        })
    }
}

/// Returns the value of an object of one field (`{"path": "docs/spec.md"}` → `"docs/spec.md"`); any other text as it is.
fn only_value(text: &str) -> &str {
    let inner = text.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
    match inner.and_then(|it| it.split_once(": ")) {
        Some((_, value)) if !value.contains(':') => value,
        _ => text,
    }
}

/// Splits a text around its first part in back quotes.
fn next_quoted(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (word, after) = rest.split_once('`')?;
    Some((before, word, after))
}

fn kebab_case(field: &str) -> String {
    let mut name = String::with_capacity(field.len() + 2);
    for c in field.chars() {
        if c.is_ascii_uppercase() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// Returns a sentence with commands in place of tools: "see `cl_stats`" is "see `codelens stats`", and of
/// "`cl_stats` (`codelens stats`)" and "`codelens map src` (`cl_map`)" the command is left.
fn with_commands(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("cl_") {
        let (before, found) = rest.split_at(at);
        let name = &found["cl_".len()..];
        let n_bytes = name
            .find(|c: char| !c.is_ascii_lowercase())
            .unwrap_or(name.len());
        let (name, after) = name.split_at(n_bytes);
        rest = after;
        written.push_str(before);
        let is_inside_word = written.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if is_inside_word || name.is_empty() || after.starts_with('_') {
            written.push_str("cl_");
            written.push_str(name);
        } else if written.ends_with("` (") && after.starts_with(')') {
            written.truncate(written.len() - " (".len());
            rest = &after[1..];
        } else if let Some((command, after)) = whole_command(after) {
            written.push_str("`codelens ");
            written.push_str(command);
            written.push('`');
            rest = after;
        } else if written.ends_with('`') && after.starts_with('`') {
            written.push_str("codelens ");
            written.push_str(name);
        } else {
            written.push_str("`codelens ");
            written.push_str(name);
            written.push('`');
        }
    }
    written.push_str(rest);
    written
}

/// Splits the text behind the name of a tool around the command that stands for it: of
/// "` with `force: true` (`codelens refresh --force`), then …`" the command is `refresh --force`.
fn whole_command(after_tool: &str) -> Option<(&str, &str)> {
    let after_input = match after_tool.strip_prefix(" with `") {
        Some(input) => input.split_once('`')?.1,
        None => after_tool,
    };
    let command = after_input.strip_prefix(" (`codelens ")?;
    command.split_once("`)")
}

#[cfg(test)]
mod tests {
    use super::{CommandArguments, with_commands};

    #[test]
    fn commands_stand_for_tools() {
        for (said, expected) in [
            ("see `cl_stats`.", "see `codelens stats`."),
            (
                "use cl_search to find it",
                "use `codelens search` to find it",
            ),
            (
                "cl_stats (`codelens stats`) lists them",
                "`codelens stats` lists them",
            ),
            (
                "call cl_refresh with `force: true` (`codelens refresh --force`), then ask",
                "call `codelens refresh --force`, then ask",
            ),
            (
                "cl_refresh with `force: true` builds it",
                "`codelens refresh` with `force: true` builds it",
            ),
            (
                "`codelens map a` (cl_map) lists them",
                "`codelens map a` lists them",
            ),
            ("the function `my_cl_stats`", "the function `my_cl_stats`"),
            ("cl_", "cl_"),
            ("cl_init_all()", "cl_init_all()"),
        ] {
            assert_eq!(with_commands(said), expected);
        }
    }

    fn arguments() -> CommandArguments {
        let by_field = [
            ("base", "BASE"),
            ("path", "--path"),
            ("changes", "--changes"),
            ("limit", "--limit"),
        ];
        CommandArguments {
            by_field: by_field
                .map(|(field, shown)| (field.to_owned(), shown.to_owned()))
                .into(),
            given: ["limit".to_owned()].into(),
        }
    }

    #[test]
    fn arguments_stand_for_fields() {
        let arguments = arguments();
        for (said, of_error, of_answer) in [
            (
                "field `base`: no branch",
                "`BASE`: no branch",
                "field `base`: no branch",
            ),
            (
                "pass `changes: true`",
                "pass `--changes`",
                "pass `--changes`",
            ),
            (
                "pass `path`, or the `base`",
                "pass `--path`, or the `BASE`",
                "pass `--path`, or the `BASE`",
            ),
            (
                "cl_related with `types: [tests]`",
                "cl_related with `--types tests`",
                "cl_related with `--types tests`",
            ),
            (
                "a file: `document: {\"path\": \"docs/spec.md\"}`",
                "a file: `--document docs/spec.md`",
                "a file: `--document docs/spec.md`",
            ),
            ("pass `limit`", "pass `limit`", "pass `limit`"),
            (
                "`path` has 3 callers",
                "`--path` has 3 callers",
                "`path` has 3 callers",
            ),
            ("more (`byDispatch`).", "more (`byDispatch`).", "more."),
            ("`old` (`a b`)", "`old` (`a b`)", "`old` (`a b`)"),
            ("an odd ` stays", "an odd ` stays", "an odd ` stays"),
            ("``", "``", "``"),
        ] {
            assert_eq!(arguments.sentence(said, false), of_error);
            assert_eq!(arguments.sentence(said, true), of_answer);
        }
    }
}
