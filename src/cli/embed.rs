//! `codelens embed …`: vectors for search by meaning, where the user configured a model.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use super::progress::ProgressLine;
use super::run::{in_workspace, listen_for_interrupts, revision};
use super::{flags, render};
use crate::config::EmbedProvider;
use crate::error::Result;
use crate::tools::Progress;
use crate::workspace::{Revision, VectorStatus, Workspace};

const ABOUT: &str = "\
Search uses words, names, paths and past commits. With a model of yours, set as [embed] in codelens.toml, it can also use meaning: `embed build` turns each chunk of \
code into a vector, once for all branches and clones of a repository. Nothing is sent anywhere until you set an address, and keys are named by a variable \
of the environment.";

/// How long a build runs before it shows how far it is.
const PATIENCE: Duration = Duration::from_millis(300);

/// Returns the command.
pub(super) fn command() -> Command {
    Command::new("embed")
        .about("Vectors for search by meaning: their state, build them, remove them")
        .long_about(ABOUT)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("status")
                .about("Tell the model, where text goes, and how many chunks have a vector")
                .arg(flags::reference_flag())
                .after_help(
                    "Examples:\n  codelens embed status\n  codelens embed status --ref v1.2 --json",
                ),
        )
        .subcommand(
            Command::new("build")
                .about(
                    "Make the vectors that the index of what is checked out, or of a commit, lacks",
                )
                .arg(flags::reference_flag())
                .after_help("Examples:\n  codelens embed build\n  codelens embed build --ref v1.2"),
        )
        .subcommand(
            Command::new("clear")
                .about("Remove all vectors of this repository and its clones")
                .after_help("Examples:\n  codelens embed clear"),
        )
        .after_help("Examples:\n  codelens embed status\n  codelens embed build")
}

/// Runs the command.
pub(super) fn run(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let (verb, matches) = matches
        .subcommand()
        .expect("the command line is refused without one");
    let interrupt = Arc::new(AtomicBool::new(false));
    listen_for_interrupts(&interrupt);
    in_workspace(matches, cwd.cloned(), |place| {
        Ok(match verb {
            "build" => build(matches, place, &interrupt)?,
            "clear" => {
                let (n_gone, bytes) = place.clear_vectors()?;
                (
                    json!({"removedVectors": n_gone, "removedBytes": bytes}),
                    render::vectors_removed(n_gone, bytes),
                )
            }
            _ => {
                let revision = revision(matches, place)?;
                let found = place.vector_status(revision.as_ref(), &interrupt)?;
                let name = flags::reference(matches);
                let text = render::vector_status(&found, name.map(String::as_str));
                (with_reference(status(&found), revision.as_ref()), text)
            }
        })
    })
}

fn build(
    matches: &ArgMatches,
    place: &Arc<Workspace>,
    interrupt: &Arc<AtomicBool>,
) -> Result<(Value, String)> {
    let meter = ProgressLine::new(
        "embedding",
        "chunks",
        PATIENCE,
        flags::verbosity(matches) > 0,
    );
    let revision = revision(matches, place)?;
    let built = place.build_vectors(revision.as_ref(), interrupt, &|done, total| {
        meter.show(Progress { done, total });
    });
    meter.clear();
    let built = built?;
    let (have, of) = built.counts;
    let value =
        json!({"embedded": built.n_embedded, "have": have, "of": of, "state": state(have, of)});
    let name = flags::reference(matches);
    Ok((
        with_reference(value, revision.as_ref()),
        render::vectors_built(built.n_embedded, built.counts, name.map(String::as_str)),
    ))
}

/// Adds the commit that was asked about.
fn with_reference(mut value: Value, revision: Option<&Revision>) -> Value {
    if let Some(revision) = revision {
        value["ref"] = revision.name.clone().into();
        value["headSha"] = revision.commit.to_string().into();
    }
    value
}

fn status(status: &VectorStatus) -> Value {
    let stored = status.stored.iter().map(|(name, n_vectors, is_current)| {
        json!({"model": name, "vectors": n_vectors, "current": is_current})
    });
    let mut value = json!({
        "provider": match status.provider {
            EmbedProvider::Off => "off",
            EmbedProvider::Local => "local",
            EmbedProvider::Http => "http",
        },
        "weight": f64::from(status.weight) / 1_000.0,
        "state": status.counts.map_or("off", |(have, of)| state(have, of)),
        "stored": stored.collect::<Vec<_>>(),
        "bytes": status.bytes,
    });
    if status.provider != EmbedProvider::Off {
        value["model"] = status.model.clone().into();
    }
    if let Some(address) = &status.address {
        value["address"] = address.clone().into();
    }
    if let Some((have, of)) = status.counts {
        value["have"] = have.into();
        value["of"] = of.into();
    }
    if let Some(n_unused) = status.n_unused {
        value["unused"] = n_unused.into();
    }
    if let Some(fault) = &status.fault {
        value["fault"] = fault.clone().into();
    }
    value
}

fn state(have: u64, of: u64) -> &'static str {
    if have == of { "whole" } else { "partial" }
}
