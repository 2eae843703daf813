//! `codelens man`: the manual pages, from the same words as the help.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};

use super::{flags, output};
use crate::error::{Code, Error};

/// Returns the command.
pub(super) fn command() -> Command {
    Command::new("man")
        .about("Print the manual page, or write those of all commands")
        .arg(
            Arg::new("dir")
                .long("dir")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("Write a page for each command into this directory, which has to be there"),
        )
        .after_help(
            "Examples:\n  codelens man | man -l -\n  codelens man --dir ~/.local/share/man/man1",
        )
}

/// Prints or writes the pages of `whole`, the command line.
pub(super) fn run(whole: Command, matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let written = match matches.get_one::<PathBuf>("dir") {
        Some(dir) => write(whole, &cwd.map_or_else(|| dir.clone(), |cwd| cwd.join(dir))),
        None => page(whole).map(|page| output::exact(&page)),
    };
    written.unwrap_or_else(|error| {
        let error = Error::new(
            Code::Io,
            format!("the manual can't be written: {error}"),
            "pass a directory that is there and can be written",
        )
        .because(error);
        output::failure(&error, flags::is_json(matches))
    })
}

fn write(whole: Command, dir: &Path) -> std::io::Result<ExitCode> {
    clap_mangen::generate_to(whole.disable_help_subcommand(true), dir)?;
    Ok(output::data(&format!("{}\n", dir.display())))
}

fn page(command: Command) -> std::io::Result<String> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
