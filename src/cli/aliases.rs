//! Commands that stand for a tool with some of its options set: `grep` for `search --match regex`.

use clap::{ArgMatches, Command};
use serde_json::Value;

use super::command_names::with_own_words;
use crate::tools::{ToolSpec, by_name};

/// A command that stands for a tool.
pub(super) struct Alias {
    /// The name of the command.
    pub(super) name: &'static str,
    /// The tool.
    tool: &'static str,
    /// The command line that it stands for.
    stands_for: &'static str,
    about: &'static str,
    examples: &'static str,
    /// The option whose value stands alone in this command, in place of the tool's own: `NAME` for `--symbol NAME`.
    argument: Option<&'static str>,
    /// Arguments of the tool that mean something else here, with their help; without one they are left out of the help.
    helps: &'static [(&'static str, &'static str)],
    /// Values of the fields that the command line does not set.
    defaults: &'static [(&'static str, &'static str)],
    /// Whether the place of the source belongs to the answer, also in a pipe.
    pub(super) asks_place: bool,
}

/// Every such command.
pub(super) const ALIASES: &[Alias] = &[
    Alias {
        name: "grep",
        tool: "cl_search",
        stands_for: "search --match regex",
        about: "List every line that a regular expression matches, from the disk",
        examples: "codelens grep \"queue(Job|Flush)\" --path packages --path \"!*.spec.ts\"\n\
            codelens grep TODO --scope comments --context-lines 1\n\
            codelens grep \"foo(\" --match literal",
        argument: None,
        helps: &[
            (
                "query",
                "A regular expression, in the syntax of Rust's crate regex; with `--match literal` the text itself",
            ),
            ("limit", "Lines at most [default: 50]"),
            ("related", ""),
            ("explain", ""),
            ("snippet", ""),
        ],
        defaults: &[("match", "\"regex\"")],
        asks_place: false,
    },
    Alias {
        name: "references",
        tool: "cl_impact",
        stands_for: "impact NAME --sites",
        about: "List every line that uses a definition, and count the other mentions of its name",
        examples: "codelens references queueJob\ncodelens references Store.open --path src/store.ts",
        argument: None,
        helps: &[("sites", "")],
        defaults: &[("sites", "true")],
        asks_place: false,
    },
    Alias {
        name: "trace",
        tool: "cl_impact",
        stands_for: "impact NAME --depth 1 --source-lines 3",
        about: "Show who calls a definition and what it calls, with source",
        examples: "codelens trace queueJob\ncodelens trace Store.open --source-lines 10",
        argument: None,
        helps: &[
            ("depth", "Steps at most [default: 1]"),
            ("source_lines", "Lines of source [default: 3]"),
        ],
        defaults: &[("depth", "1"), ("sourceLines", "3")],
        asks_place: false,
    },
    Alias {
        name: "definition",
        tool: "cl_expand",
        stands_for: "expand --symbol NAME",
        about: "Read the definition of a name, with its place and comment",
        examples: "codelens definition queueJob\ncodelens definition Store.open --path src/store.ts",
        argument: Some("symbol"),
        helps: &[
            (
                "symbol",
                "The name of the definition, also qualified (Class.method)",
            ),
            ("path", "The file that defines it, if several do"),
            ("start_line", ""),
            ("end_line", ""),
        ],
        defaults: &[],
        asks_place: true,
    },
    Alias {
        name: "symbols",
        tool: "cl_map",
        stands_for: "map --name NAME",
        about: "List definitions by their name and kind",
        examples: "codelens symbols queue\ncodelens symbols --kind class --path src --path \"!*.spec.ts\"",
        argument: Some("name"),
        helps: &[
            (
                "path",
                "Only these files, directories, globs; `!glob` leaves out",
            ),
            ("limit", "Definitions at most [default: 100]"),
            ("view", ""),
            ("depth", ""),
            ("budget", ""),
            ("all", ""),
        ],
        defaults: &[("name", "\"\"")],
        asks_place: false,
    },
    Alias {
        name: "list-files",
        tool: "cl_map",
        stands_for: "map --view files",
        about: "List files with their language and size",
        examples: "codelens list-files src\ncodelens list-files \"*.vue\" --limit 500",
        argument: None,
        helps: &[
            (
                "path",
                "Only these files, directories, globs; `!glob` leaves out",
            ),
            ("limit", "Files at most [default: 100]"),
            ("view", ""),
            ("kind", ""),
            ("name", ""),
            ("depth", ""),
            ("budget", ""),
            ("all", ""),
        ],
        defaults: &[("view", "\"files\"")],
        asks_place: false,
    },
    Alias {
        name: "tree",
        tool: "cl_map",
        stands_for: "map --view tree",
        about: "Draw the directories with their files and lines",
        examples: "codelens tree\ncodelens tree packages --depth 3",
        argument: None,
        helps: &[
            (
                "path",
                "Only these files, directories, globs; `!glob` leaves out",
            ),
            ("limit", ""),
            ("cursor", ""),
            ("view", ""),
            ("kind", ""),
            ("name", ""),
            ("budget", ""),
            ("all", ""),
        ],
        defaults: &[("view", "\"tree\"")],
        asks_place: false,
    },
];

impl Alias {
    /// Returns the alias of a name.
    pub(super) fn by_name(name: &str) -> Option<&'static Self> {
        ALIASES.iter().find(|alias| alias.name == name)
    }

    /// Returns its tool.
    pub(super) fn tool(&self) -> &'static ToolSpec {
        by_name(self.tool).expect("an alias stands for a tool of the list")
    }

    /// Returns its command: that of the tool, under another name.
    pub(super) fn command(&self) -> Command {
        let examples: Vec<&str> = self.examples.lines().map(str::trim).collect();
        let mut command = (self.tool().command)().name(self.name);
        if let Some(argument) = self.argument {
            // The path that the tool's own command takes becomes an option.
            command = command.mut_arg("path", |arg| arg.index(None).long("path"));
            command = command.mut_arg(argument, |arg| arg.long(None).index(1));
        }
        for (argument, help) in self.helps {
            command = command.mut_arg(argument, |arg| {
                if help.is_empty() {
                    arg.hide(true)
                } else {
                    arg.help(*help).long_help(*help)
                }
            });
        }
        with_own_words(command)
            .about(self.about)
            .long_about(format!(
                "{}. Stands for `codelens {}`.",
                self.about, self.stands_for
            ))
            .after_help(format!("Examples:\n  {}", examples.join("\n  ")))
    }

    /// Returns the input of the tool that the command line means.
    pub(super) fn input_of(&self, matches: &ArgMatches) -> Result<Value, clap::Error> {
        let mut input = (self.tool().input_of)(matches)?;
        for (field, value) in self.defaults {
            if input[field].is_null() {
                input[field] = serde_json::from_str(value).expect("a default is JSON");
            }
        }
        Ok(input)
    }
}

#[cfg(test)]
mod tests {
    use super::{ALIASES, Alias};

    #[test]
    #[expect(clippy::cmp_owned, reason = "reads best as it is")]
    fn an_alias_sets_what_the_command_line_leaves_out() {
        for alias in ALIASES {
            let line = [alias.name, "x"];
            let matches = alias.command().try_get_matches_from(line).unwrap();
            let input = alias.input_of(&matches).unwrap();
            for (field, value) in alias.defaults {
                let is_given = Some(*field) == alias.argument;
                assert!(
                    is_given || input[field].to_string() == *value,
                    "{}",
                    alias.name
                );
            }
            if let Some(argument) = alias.argument {
                assert_eq!(input[argument], "x", "{}", alias.name);
            }
        }
        let input = |line: &[&str]| {
            let alias = Alias::by_name(line[0]).unwrap();
            let matches = alias.command().try_get_matches_from(line).unwrap();
            alias.input_of(&matches).unwrap()
        };
        assert_eq!(
            input(&["grep", "a(", "--match", "literal"])["match"],
            "literal"
        );
        assert_eq!(
            input(&["symbols", "x", "--path", "a", "--path", "b"])["path"][1],
            "b"
        );
        assert_eq!(input(&["symbols"])["name"], "");
        assert_eq!(input(&["definition", "x", "--path", "a"])["path"], "a");
        assert_eq!(input(&["list-files", "a", "b"])["path"][1], "b");
    }
}
