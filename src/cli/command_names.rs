//! Sentences of the tools in the words of the command line: `cl_stats` is `codelens stats` there, and the field `base`
//! of an input is the argument `BASE`.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use clap::{Arg, ArgMatches, Command};
use serde_json::Value;

/// The fields of an answer that hold sentences of ours, never text of the repository.
const SENTENCES: [&str; 5] = ["note", "summary", "hint", "message", "detail"];

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
    fn of(command: &Command, matches: &ArgMatches) -> Self {
        let by_field = command.get_arguments().map(|arg| {
            let field = camel_case(arg.get_id().as_str());
            let field = if field == "reference" { "ref" } else { &field };
            (field.to_owned(), shown(arg))
        });
        let mut by_field: HashMap<String, String> = by_field.collect();
        if by_field.contains_key("handle") && by_field.contains_key("path") {
            by_field.insert("items".to_owned(), "--handle` or `--path".to_owned());
        }
        // Groups of arguments have values as well: the names of their arguments.
        let ids = command.get_arguments().map(|arg| arg.get_id().as_str());
        let raw = ids.filter_map(|id| matches.try_get_raw(id).ok().flatten());
        Self {
            by_field,
            given: raw
                .flatten()
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
        }
    }
}

/// Returns an argument as a sentence names it: `--path`, or `FILE` where it stands without an option.
fn shown(arg: &Arg) -> String {
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

/// The words that sentences of one answer are put in.
struct Wording<'a> {
    arguments: &'a CommandArguments,
    /// The names of the answer's own fields: lists that the text shows below the sentence.
    fields: HashSet<String>,
    /// Names that the answer holds, which a sentence may quote.
    names: HashSet<String>,
}

/// Names commands and arguments in place of tools and fields in the sentences of an answer.
pub(super) fn name_commands(value: &mut Value) {
    let nothing = CommandArguments::default();
    name_commands_with(value, ARGUMENTS.get().unwrap_or(&nothing));
}

fn name_commands_with(value: &mut Value, arguments: &CommandArguments) {
    let mut names = HashSet::new();
    collect_names(value, &mut names);
    let fields = value.as_object().into_iter().flat_map(|it| it.keys());
    let wording = Wording {
        arguments,
        fields: fields.cloned().collect(),
        names,
    };
    wording.reword(value);
}

/// Collects the short texts of an answer that are no sentences, and the last part of a qualified name.
fn collect_names(value: &Value, names: &mut HashSet<String>) {
    match value {
        Value::String(text) if text.len() <= 200 => {
            names.extend(text.rsplit_once('.').map(|(_, last)| last.to_owned()));
            names.insert(text.clone());
        }
        Value::Object(fields) => {
            let texts = fields.iter();
            let texts = texts.filter(|(key, _)| !SENTENCES.contains(&key.as_str()));
            texts.for_each(|(_, field)| collect_names(field, names));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        _ => {}
    }
}

/// Returns a sentence of an error in the words of the command line.
pub(super) fn in_words_of_commands(text: &str) -> String {
    let nothing = CommandArguments::default();
    let wording = Wording {
        arguments: ARGUMENTS.get().unwrap_or(&nothing),
        fields: HashSet::new(),
        names: HashSet::new(),
    };
    wording.sentence(text)
}

impl Wording<'_> {
    fn reword(&self, value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for (key, field) in fields.iter_mut() {
                    match field {
                        Value::String(text) if SENTENCES.contains(&key.as_str()) => {
                            *text = self.sentence(text);
                        }
                        field => self.reword(field),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.reword(item)),
            _ => {}
        }
    }

    fn sentence(&self, text: &str) -> String {
        let text = with_commands(text);
        let mut written = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some((before, word, after)) = next_quoted(rest) {
            written += before;
            rest = after;
            if let Some(argument) = self.argument(word) {
                if written.ends_with("field ") {
                    written.truncate(written.len() - "field ".len());
                }
                written += &format!("`{argument}`");
            } else if self.fields.contains(word) && !self.is_quoted_name(word) {
                // The list stands below.
                let is_aside = written.ends_with(" (") && after.starts_with(')');
                if is_aside {
                    written.truncate(written.len() - " (".len());
                    rest = &after[1..];
                } else if written.ends_with("see ") {
                    written += "below";
                } else {
                    written += &format!("`{word}`");
                }
            } else {
                written += &format!("`{word}`");
            }
        }
        written + rest
    }

    /// Returns the argument for a field, alone (`path`) or with a value (`changes: true`, `types: [tests]`).
    fn argument(&self, word: &str) -> Option<String> {
        if self.is_quoted_name(word) {
            return None;
        }
        let by_field = &self.arguments.by_field;
        let Some((field, value)) = word.split_once(": ") else {
            return by_field.get(word).cloned();
        };
        let is_name = !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_alphabetic());
        let argument = by_field.get(field).cloned();
        let argument = argument.or_else(|| is_name.then(|| format!("--{}", kebab_case(field))))?;
        let value = value.trim_matches(['[', ']', '"']);
        Some(if value == "true" {
            argument
        } else {
            format!("{argument} {value}")
        })
    }

    fn is_quoted_name(&self, word: &str) -> bool {
        self.arguments.given.contains(word) || self.names.contains(word)
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
        } else if let Some((command, after)) = after
            .strip_prefix(" (`codelens ")
            .and_then(|it| it.split_once("`)"))
        {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{CommandArguments, Wording, name_commands, name_commands_with, with_commands};

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
        let wording = Wording {
            arguments: &arguments,
            fields: ["didYouMean".to_owned()].into(),
            names: ["path".to_owned()].into(),
        };
        for (said, expected) in [
            ("field `base`: no branch", "`BASE`: no branch"),
            ("pass `changes: true`", "pass `--changes`"),
            (
                "cl_related with `types: [tests]`",
                "`codelens related` with `--types tests`",
            ),
            (
                "no definition is named `limit`",
                "no definition is named `limit`",
            ),
            ("`path` has 3 callers", "`path` has 3 callers"),
            ("more (`didYouMean`).", "more."),
            ("see `didYouMean`.", "see below."),
            ("an odd ` stays", "an odd ` stays"),
            ("`", "`"),
            ("``", "``"),
        ] {
            assert_eq!(wording.sentence(said), expected);
        }
    }

    #[test]
    fn arguments_are_named_only_in_sentences() {
        let mut value =
            json!({"summary": "pass `path`, or `base`", "preview": "`path`", "symbol": "Ref.base"});
        name_commands_with(&mut value, &arguments());
        let named = json!({"summary": "pass `--path`, or `base`", "preview": "`path`", "symbol": "Ref.base"});
        assert_eq!(value, named);
    }

    #[test]
    fn text_of_the_repository_stays() {
        let mut value =
            json!({"note": "cl_search", "results": [{"preview": "cl_search", "hint": "cl_map"}]});
        name_commands(&mut value);
        let named = json!({"note": "`codelens search`", "results": [{"preview": "cl_search", "hint": "`codelens map`"}]});
        assert_eq!(value, named);
    }
}
