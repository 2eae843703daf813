//! `codelens bundle …`: an index of a clean commit as one file.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Value, json};

use super::progress::ProgressLine;
use super::run::{in_workspace, listen_for_interrupts};
use super::{flags, render};
use crate::tools::Progress;
use crate::workspace::{Exported, Imported, OnBundle};

const EXPORT: &str = "\
Writes the index of the commit that is checked out to one compressed file with a digest. The index is brought up first. \
Files that differ from the commit (also untracked ones that are not ignored) are refused: nothing uncommitted leaves the machine. \
The file holds names, signatures, words and edges of the code and messages of its newest commits, so whoever has it knows much of the code.";

const IMPORT: &str = "\
Takes in what `export` wrote, as an index that new ones can start from. It is never answered from: the index of what is checked out \
is made from it, and only what differs is read.

Digest, sizes, tables, paths and every number are checked, and a file that fails is refused whole. What can't be seen is \
whether the symbols, words, edges and past commits in it are true: for files whose bytes are the same they are believed, as far as you \
trust who made the bundle. With --verify every file is extracted again and compared, and edges and past commits are made anew: then \
nothing is believed, and it takes as long as a build.";

/// Returns the command.
pub(super) fn command() -> Command {
    let file = |help: &'static str| {
        Arg::new("file")
            .value_name("FILE")
            .required(true)
            .value_parser(value_parser!(PathBuf))
            .help(help)
    };
    Command::new("bundle")
        .about("Carry an index to another machine: one file for a clean commit")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("export")
                .about("Write the index of the commit that is checked out to a file")
                .long_about(EXPORT)
                .arg(file("The file to write; one that is there is replaced"))
                .arg(
                    Arg::new("commit")
                        .long("commit")
                        .value_name("COMMIT")
                        .default_value("HEAD")
                        .help("The commit that has to be checked out"),
                )
                .after_help("Examples:\n  codelens bundle export ../main.bundle\n  codelens bundle export /tmp/index.bundle --commit \"$GITHUB_SHA\" --json"),
        )
        .subcommand(
            Command::new("import")
                .about("Import a bundle, for new indexes to start from")
                .long_about(IMPORT)
                .arg(file("The file that `export` wrote"))
                .arg(
                    Arg::new("verify")
                        .long("verify")
                        .action(ArgAction::SetTrue)
                        .help("Extract every file again and compare"),
                )
                .after_help("Examples:\n  codelens bundle import ../main.bundle && codelens refresh\n  codelens bundle import main.bundle --verify"),
        )
        .after_help("Examples:\n  codelens bundle export ../main.bundle\n  codelens bundle import ../main.bundle --repo ../clone")
}

/// Runs the command.
pub(super) fn run(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let (verb, matches) = matches
        .subcommand()
        .expect("the command line is refused without one");
    let file = matches
        .get_one::<PathBuf>("file")
        .expect("the argument is required");
    let file = cwd.map_or_else(|| file.clone(), |cwd| cwd.join(file));
    let interrupt = Arc::new(AtomicBool::new(false));
    listen_for_interrupts(&interrupt);
    let is_quiet = flags::verbosity(matches) > 0;
    let doing = if verb == "export" {
        "indexing"
    } else {
        "verifying"
    };
    let files = ProgressLine::new(doing, "files", Duration::ZERO, is_quiet);
    let doing = if verb == "export" {
        "packing"
    } else {
        "unpacking"
    };
    let bytes = ProgressLine::new(doing, "KiB", Duration::ZERO, is_quiet);
    let on = OnBundle {
        files: &|done, total| files.show(Progress { done, total }),
        bytes: &|done, total| {
            files.clear();
            bytes.show_bytes(done, total);
        },
    };
    in_workspace(matches, cwd.cloned(), |place| {
        let (value, text) = if verb == "export" {
            let commit = matches
                .get_one::<String>("commit")
                .map_or("HEAD", String::as_str);
            let done = place.export_bundle(&file, commit, &interrupt, &on)?;
            let file = file.display().to_string();
            (export(&done, &file), render::exported(&done, &file))
        } else {
            let is_verified = matches.get_flag("verify");
            let done = place.import_bundle(&file, is_verified, &interrupt, &on)?;
            (import(&done), render::imported(&done))
        };
        files.clear();
        bytes.clear();
        Ok((value, text))
    })
}

fn export(done: &Exported, file: &str) -> Value {
    json!({
        "file": file,
        "commit": done.commit,
        "files": done.n_files,
        "bytes": done.bytes,
        "indexBytes": done.database_bytes,
        "digest": done.digest,
    })
}

fn import(done: &Imported) -> Value {
    json!({
        "indexId": done.index_id,
        "commit": done.commit,
        "files": done.n_files,
        "verifiedFiles": done.n_verified,
        "leftOut": done.n_left_out,
    })
}
