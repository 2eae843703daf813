//! `codelens archive …`: zip and tar files that are asked like repositories.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::{Value, json};

use super::render;
use super::run::{listen_for_interrupts, without_repo};
use crate::error::{Error, Result};
use crate::workspace::{
    AddedArchive, ArchiveToAdd, StoredArchive, Strip, Workspaces, archive_name_of,
};

const ABOUT: &str = "\
An archive of sources without a repository, as vendors send them, is asked by `--repo archive:NAME`, in MCP by `repo`. Each version that is added under one name becomes a \
commit of a repository in the data directory, so that `codelens changes HEAD~1 --head HEAD --repo archive:NAME` compares two of them. Nothing is unpacked on the disk.

An archive is checked whole before anything of it is stored. Refused are links, devices, encrypted files, absolute paths and those with `..`, \
two files of one name in any case, more than 100,000 entries or 2 GiB, and more than 200 bytes for each byte of the archive. Rights and owners are not kept.";

/// Returns the command.
pub(super) fn command() -> Command {
    let name = || {
        Arg::new("name")
            .value_name("NAME")
            .required(true)
            .help("The name of the archive")
    };
    Command::new("archive")
        .about("Ask zip and tar files of sources like repositories")
        .long_about(ABOUT)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("add")
                .about("Take an archive in, or a new version of one")
                .arg(
                    Arg::new("file")
                        .value_name("FILE")
                        .required(true)
                        .value_parser(value_parser!(PathBuf))
                        .help("A zip, tar, tar.gz or tar.zst"),
                )
                .arg(
                    Arg::new("name")
                        .long("name")
                        .value_name("NAME")
                        .help("The name that it is asked by [default: that of the file]"),
                )
                .arg(
                    Arg::new("strip")
                        .long("strip")
                        .value_name("WHAT")
                        .value_parser(PossibleValuesParser::new(["1", "auto"]))
                        .help("Leave the first directory of each path out: `1` always, `auto` where all files are in one [default: none is left out]"),
                )
                .after_help("Examples:\n  codelens archive add vendor-2.1.zip --name vendor --strip auto\n  codelens map --repo archive:vendor"),
        )
        .subcommand(
            Command::new("list")
                .about("List the archives")
                .after_help("Examples:\n  codelens archive list --json"),
        )
        .subcommand(
            Command::new("remove")
                .about("Remove an archive with all its versions")
                .arg(name())
                .after_help("Examples:\n  codelens archive remove vendor"),
        )
        .after_help("Examples:\n  codelens archive add vendor-2.1.zip --name vendor\n  codelens search \"retry\" --repo archive:vendor")
}

/// Runs the command.
pub(super) fn run(matches: &ArgMatches) -> ExitCode {
    let (verb, matches) = matches
        .subcommand()
        .expect("the command line is refused without one");
    without_repo(matches, |workspaces| match verb {
        "add" => add(workspaces, matches),
        "remove" => {
            let name = matches.get_one::<String>("name");
            let name = name.map_or("", String::as_str);
            workspaces.remove_archive(name)?;
            let value = json!({"name": name, "removed": true});
            Ok((value, render::removed_archive(name)))
        }
        _ => {
            let found = workspaces.archives()?;
            let values: Vec<Value> = found.iter().map(value_of).collect();
            let text = render::archives(&found);
            Ok((json!({"archives": values}), text))
        }
    })
}

fn add(workspaces: &Workspaces, matches: &ArgMatches) -> Result<(Value, String)> {
    let file = matches.get_one::<PathBuf>("file").cloned();
    let file = file.unwrap_or_default();
    let named = matches.get_one::<String>("name").cloned();
    let name = named.or_else(|| archive_name_of(&file)).ok_or_else(|| {
        Error::invalid(
            "the name of the file gives no name for the archive",
            "pass one with --name",
        )
    })?;
    let strip = match matches.get_one::<String>("strip").map(String::as_str) {
        Some("1") => Strip::First,
        Some(_) => Strip::Common,
        None => Strip::Nothing,
    };
    let interrupt = Arc::new(AtomicBool::new(false));
    listen_for_interrupts(&interrupt);
    let asked = ArchiveToAdd { file, name, strip };
    let added = workspaces.add_archive(&asked, &interrupt)?;
    let text = render::added_archive(&added);
    Ok((value_of_added(&added), text))
}

fn value_of(archive: &StoredArchive) -> Value {
    json!({
        "name": archive.name,
        "repo": archive.repo(),
        "headSha": archive.commit.to_string(),
        "digest": archive.digest,
        "newest": archive.seconds,
        "versions": archive.n_versions,
    })
}

fn value_of_added(added: &AddedArchive) -> Value {
    let mut value = value_of(&added.stored);
    value["cacheStatus"] = if added.was_known { "hit" } else { "miss" }.into();
    if !added.was_known {
        value["files"] = added.n_files.into();
        value["bytes"] = added.n_bytes.into();
        value["skipped"] = added.n_unnamed.into();
    }
    value
}
