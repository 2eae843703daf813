//! `codelens remote …`: the stores that indexes are shared over.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::json;

use super::render;
use super::run::{in_workspace, listen_for_interrupts, show};
use super::screen::visible;
use crate::config::{self, RemoteEntry};
use crate::error::{Code, Error};
use crate::model::sanitize;
use crate::workspace::{checked_address, new_keys};

const ABOUT: &str = "\
A remote is a store that indexes of clean commits are shared over: `codelens push` uploads one, `codelens pull` takes the nearest one in, \
and with remote.pull = \"auto\" a missing index starts from there. It is kept in the user's codelens.toml, never in a repository.

Credentials come from the environment of the provider (AWS_…, GOOGLE_…, AZURE_…) in each call. They are never stored, printed or logged, and \
an address that holds one is refused.";

const KEY: &str = "\
Prints a new pair of keys (ed25519) and keeps neither. With the private one in CODELENS_SIGNING_KEY `codelens push` signs what it uploads; give it to build servers as a secret. With the \
public one in remote.trusted_keys a pull refuses an index that is not signed with it.";

const GC: &str = "\
Removes indexes of this repository that are older than some days, of all versions of codelens, and parts that no index names. The indexes of branches as this \
clone knows them stay. Parts that were uploaded in the last day stay too: a push may be about to name them. An index that has lost parts goes, whatever its age: \
the next push of its commit puts it there again. While a manifest can't be read, no part goes; the answer names it.";

/// Returns the command.
pub(super) fn command() -> Command {
    let name = || {
        Arg::new("name")
            .value_name("NAME")
            .required(true)
            .help("The name of the remote")
    };
    Command::new("remote")
        .about("Share indexes over an object store: S3, Google, Azure, HTTP, or a directory")
        .long_about(ABOUT)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("add")
                .about("Add a store to the user's settings")
                .arg(name())
                .arg(
                    Arg::new("url")
                        .value_name("URL")
                        .required(true)
                        .help("s3://BUCKET/PATH, gs://…, az://CONTAINER/PATH, https://HOST/PATH, file:///DIRECTORY"),
                )
                .after_help("Examples:\n  codelens remote add team s3://company-indexes/codelens\n  codelens remote add disk file:///mnt/share/codelens"),
        )
        .subcommand(
            Command::new("list")
                .about("List the stores")
                .after_help("Examples:\n  codelens remote list"),
        )
        .subcommand(
            Command::new("remove")
                .about("Take a store out of the settings; its objects stay")
                .arg(name())
                .after_help("Examples:\n  codelens remote remove team"),
        )
        .subcommand(
            Command::new("key")
                .about("Make a pair of keys to sign indexes with, and print it")
                .long_about(KEY)
                .after_help("Examples:\n  codelens remote key"),
        )
        .subcommand(
            Command::new("gc")
                .about("Remove old indexes of this repository from a store")
                .long_about(GC)
                .arg(
                    Arg::new("name")
                        .value_name("NAME")
                        .help("The name of the remote, where there are several"),
                )
                .arg(
                    Arg::new("older-than")
                        .long("older-than")
                        .value_name("DAYS")
                        .default_value("30")
                        .value_parser(value_parser!(u32).range(0..=36_500))
                        .help("Indexes that were uploaded so many days ago and more"),
                )
                .arg(
                    Arg::new("dry-run")
                        .long("dry-run")
                        .action(ArgAction::SetTrue)
                        .help("Only count"),
                )
                .after_help("Examples:\n  codelens remote gc --dry-run\n  codelens remote gc team --older-than 14"),
        )
        .after_help("Examples:\n  codelens remote add team s3://company-indexes/codelens\n  codelens push && codelens pull")
}

/// Runs the command.
pub(super) fn run(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let (verb, matches) = matches
        .subcommand()
        .expect("the command line is refused without one");
    if verb == "gc" {
        return collect(matches, cwd);
    }
    let text = |id: &str| {
        let found = matches.get_one::<String>(id);
        found.map_or("", String::as_str)
    };
    show(matches, || {
        Ok(match verb {
            "add" => {
                let (name, url) = (text("name"), checked_address(text("url"))?);
                let is_new = config::add_remote(name, &url)?;
                let value = json!({"name": name, "url": url, "added": is_new});
                (value, render::added(name, &url, is_new))
            }
            "remove" => {
                let name = text("name");
                if !config::remove_remote(name)? {
                    return Err(unknown(name));
                }
                let shown = visible(name);
                (
                    json!({"name": name, "removed": true}),
                    format!("removed {shown}; its objects stay in the store\n"),
                )
            }
            "key" => {
                let keys = new_keys().ok_or_else(|| {
                    let hint = "check /dev/urandom, then run it again";
                    Error::new(Code::Io, "the system gives no random bytes", hint)
                })?;
                (
                    json!({"publicKey": keys.public, "privateKey": keys.private}),
                    format!("public   {}\nprivate  {}\n", keys.public, keys.private),
                )
            }
            _ => {
                let mut remotes = Vec::new();
                let mut lines = String::new();
                for RemoteEntry { name, url } in config::remotes()? {
                    // One that was written by hand may hold a credential.
                    let checked = checked_address(&url).map_err(|error| error.message);
                    lines += &render::remote(&name, checked.as_deref().map_err(String::as_str));
                    remotes.push(match checked {
                        Ok(url) => json!({"name": name, "url": url}),
                        Err(error) => json!({"name": name, "error": error}),
                    });
                }
                if remotes.is_empty() {
                    "no remotes; `codelens remote add NAME URL` adds one\n".clone_into(&mut lines);
                }
                (json!({"remotes": remotes}), lines)
            }
        })
    })
}

fn collect(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    const DAY: Duration = Duration::from_hours(24);
    let interrupt = Arc::new(AtomicBool::new(false));
    listen_for_interrupts(&interrupt);
    let name = matches.get_one::<String>("name").map(String::as_str);
    let days = *matches
        .get_one::<u32>("older-than")
        .expect("it has a default");
    let is_dry_run = matches.get_flag("dry-run");
    in_workspace(matches, cwd.cloned(), |place| {
        let done = place.collect_remote(name, DAY * days, is_dry_run, &interrupt)?;
        let value = json!({
            "remote": done.remote,
            "dryRun": is_dry_run,
            "keptIndexes": done.n_kept,
            "removedIndexes": done.n_removed,
            "incompleteIndexes": done.n_incomplete,
            "unreadableManifests": done.unreadable.iter().map(|(name, reason)| json!({"name": name, "reason": reason})).collect::<Vec<_>>(),
            "removedParts": done.n_parts,
            "removedBytes": done.bytes,
        });
        let text = render::collected(&done, is_dry_run);
        Ok((value, text))
    })
}

fn unknown(name: &str) -> Error {
    let shown = sanitize::escaped_start(name, 60);
    Error::invalid(
        format!("there is no remote `{shown}`"),
        "`codelens remote list` lists them",
    )
}
