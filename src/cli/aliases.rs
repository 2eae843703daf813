//! Commands that stand for a tool with some of its options set: `grep` for `search --match regex`.

use clap::{ArgMatches, Command};
use serde_json::Value;

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
    /// Values of the fields that the command line does not set.
    defaults: &'static [(&'static str, &'static str)],
}

/// Every such command.
pub(super) const ALIASES: &[Alias] = &[Alias {
    name: "grep",
    tool: "cl_search",
    stands_for: "search --match regex",
    about: "List every line that a regular expression matches, from the disk",
    examples: "codelens grep \"queue(Job|Flush)\" --path packages --path \"!*.spec.ts\"\n\
        codelens grep TODO --scope comments --context-lines 1\n\
        codelens grep \"foo(\" --match literal",
    defaults: &[("match", "\"regex\"")],
}];

impl Alias {
    /// Returns the alias of a name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        ALIASES.iter().find(|alias| alias.name == name)
    }

    /// Returns its tool.
    pub(super) fn tool(&self) -> &'static ToolSpec {
        by_name(self.tool).expect("an alias stands for a tool of the list")
    }

    /// Returns its command: that of the tool, under another name.
    pub(super) fn command(&self) -> Command {
        let examples: Vec<&str> = self.examples.lines().map(str::trim).collect();
        (self.tool().command)()
            .name(self.name)
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
    use super::ALIASES;

    #[test]
    fn an_alias_sets_what_the_command_line_leaves_out() {
        for alias in ALIASES {
            let line = [alias.name, "x"];
            let matches = alias.command().try_get_matches_from(line).unwrap();
            let input = alias.input_of(&matches).unwrap();
            for (field, value) in alias.defaults {
                assert_eq!(input[field].to_string(), *value, "{}", alias.name);
            }
        }
        let grep = &ALIASES[0];
        let line = ["grep", "a(", "--match", "literal"];
        let matches = grep.command().try_get_matches_from(line).unwrap();
        assert_eq!(grep.input_of(&matches).unwrap()["match"], "literal");
    }
}
