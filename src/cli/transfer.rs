//! `codelens push` and `codelens pull`: an index to a store and back.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};

use super::progress::ProgressLine;
use super::run::{in_workspace, listen_for_interrupts};
use super::{flags, render};
use crate::tools::Progress;
use crate::workspace::{OnBundle, OnTransfer, PullState, Pulled, Pushed};

const PUSH: &str = "\
Uploads the index of a commit, of HEAD where none is named, unless the store has it already; nothing there is overwritten, but an index that has lost parts is replaced. \
The index is brought up first. It is of what git stores: nothing uncommitted is in it. Whoever can read the store can read names, signatures, words and edges of the code, and the messages of \
its newest commits.";

const PULL: &str = "\
Takes in the index of the store whose commit differs least from HEAD, or from the commit that is named. New indexes start from it, and only what \
differs is read. It is never answered from, and it is checked like a bundle: what fails is refused whole, and the index is built here. \
Nearer indexes that can't be used (not signed by a trusted key, unreadable, without all of their parts) are passed over and named.

With --verify every file is extracted again and compared with it; that takes as long as a build.";

/// Returns the commands `push` and `pull`.
pub(super) fn commands() -> [Command; 2] {
    let remote = || {
        Arg::new("remote")
            .long("remote")
            .value_name("NAME")
            .help("The remote, where there are several")
    };
    let commit = |help: &'static str| {
        Arg::new("ref")
            .long("ref")
            .value_name("REF")
            .default_value("HEAD")
            .help(help)
    };
    [
        Command::new("push")
            .about("Upload the index of a commit to a remote")
            .long_about(PUSH)
            .arg(remote())
            .arg(commit("The branch, tag or commit"))
            .after_help("Examples:\n  codelens push\n  codelens push --remote team --ref main --json"),
        Command::new("pull")
            .about("Take in the nearest index of a remote, for new ones to start from")
            .long_about(PULL)
            .arg(remote())
            .arg(commit("The commit that the index is wanted for"))
            .arg(
                Arg::new("verify")
                    .long("verify")
                    .action(ArgAction::SetTrue)
                    .help("Extract every file again and compare"),
            )
            .after_help("Examples:\n  codelens pull && codelens refresh\n  codelens pull --remote team --verify"),
    ]
}

/// Runs `push` or `pull`.
pub(super) fn run(is_push: bool, matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let text = |id: &str| matches.get_one::<String>(id).map(String::as_str);
    let (remote, commit) = (text("remote"), text("ref").unwrap_or("HEAD"));
    let interrupt = Arc::new(AtomicBool::new(false));
    listen_for_interrupts(&interrupt);
    let is_quiet = flags::verbosity(matches) > 0;
    let words = if is_push {
        ["indexing", "packing", "uploading"]
    } else {
        ["verifying", "unpacking", "downloading"]
    };
    let lines = words.map(|doing| {
        let unit = if matches!(doing, "indexing" | "verifying") {
            "files"
        } else {
            "KiB"
        };
        ProgressLine::new(doing, unit, Duration::ZERO, is_quiet)
    });
    let [files, packed, carried] = &lines;
    let on = OnTransfer {
        bundle: OnBundle {
            files: &|done, total| files.show(Progress { done, total }),
            bytes: &|done, total| {
                files.clear();
                carried.clear();
                packed.show_bytes(done, total);
            },
        },
        carried: &|done, total| {
            files.clear();
            packed.clear();
            carried.show_bytes(done, total);
        },
    };
    in_workspace(matches, cwd.cloned(), |place| {
        let told = if is_push {
            let done = place.push(remote, commit, &interrupt, &on)?;
            (pushed(&done), render::pushed(&done))
        } else {
            let is_verified = matches.get_flag("verify");
            let done = place.pull(remote, commit, is_verified, &interrupt, &on)?;
            (pulled(&done), render::pulled(&done))
        };
        lines.iter().for_each(ProgressLine::clear);
        Ok(told)
    })
}

fn pushed(done: &Pushed) -> Value {
    json!({
        "remote": done.remote,
        "commit": done.commit,
        "status": if done.is_new { "uploaded" } else { "present" },
        "files": done.n_files,
        "bytes": done.bytes,
        "uploadedBytes": done.uploaded_bytes,
        "base": done.base,
        "mended": done.is_mended,
    })
}

fn pulled(done: &Pulled) -> Value {
    json!({
        "remote": done.remote,
        "commit": done.commit,
        "status": match done.state {
            PullState::Taken => "taken",
            PullState::Present => "present",
            PullState::Nothing => "nothing",
        },
        "differingFiles": done.n_differing,
        "indexId": done.index_id,
        "files": done.n_files,
        "bytes": done.bytes,
        "verifiedFiles": done.n_verified,
        "passedOver": done.passed_over.iter().map(|it| json!({"commit": it.commit, "reason": it.reason})).collect::<Vec<_>>(),
    })
}
