//! The whole command line: a command for each tool, and those that are no tool.

use clap::{Arg, Command, value_parser};

use super::aliases::{ALIASES, Alias};
use super::command_names::with_own_words;
use super::{
    affected_tests, archive, ask, bundle, cache, context, embed, export, flags, install, list,
    manual, memory, remote, runs, serve, settings, transfer, verify, view, watch,
};
use crate::tools::chunks::CHUNKS;
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

Exit codes: 0 done; 1 an error, or a check of `doctor` or the command of `verify` failed; 2 a command line that is not understood; 3 a use is broken (`changes --exit-code`); 130 interrupted.";

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
        .args(flags::shared())
        .subcommands(TOOLS.iter().map(of_tool))
        .subcommand(affected_tests::command())
        .subcommands(ALIASES.iter().map(Alias::command))
        .subcommand(of_tool(&CHUNKS))
        .subcommand(view::command())
        .subcommand(watch::command())
        .subcommand(context::command())
        .subcommands(memory::commands())
        .subcommand(verify::command())
        .subcommand(list::command())
        .subcommand(runs::command())
        .subcommand(cache::command())
        .subcommand(ask::command())
        .subcommand(embed::command())
        .subcommand(export::command())
        .subcommand(bundle::command())
        .subcommand(archive::command())
        .subcommand(remote::command())
        .subcommands(transfer::commands())
        .subcommand(settings::command())
        .subcommand(serve::command())
        .subcommand(install::install_command())
        .subcommand(install::uninstall_command())
        .subcommand(manual::command())
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

fn of_tool(tool: &ToolSpec) -> Command {
    let mut help = vec!["Examples:"];
    help.extend(tool.examples.lines().map(str::trim));
    help.retain(|line| !line.is_empty());
    let mut command = with_own_words((tool.command)()).after_help(help.join("\n  "));
    if matches!(tool.name, "cl_search" | "cl_explore") {
        command = command.arg(flags::low_confidence_flag());
    }
    if draws(tool) {
        command.args(flags::drawing_flags())
    } else if tool.name == "cl_changes" {
        command.args(flags::change_flags())
    } else if tool.name == "cl_explore" {
        command.arg(flags::markdown_flag())
    } else {
        command
    }
}

/// Whether the answer of a tool is a graph that can be drawn.
fn draws(tool: &ToolSpec) -> bool {
    matches!(tool.name, "cl_impact" | "cl_related")
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
            assert!(crate::cli::flags::is_json(matches));
            assert_eq!(
                crate::cli::flags::repo(matches).unwrap().to_str(),
                Some("/x")
            );
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
