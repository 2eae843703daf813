//! `codelens export`: the index in a format that other tools read.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;

use super::progress::ProgressLine;
use super::render::text::{count, plural};
use super::run::{in_workspace, listen_for_interrupts, revision};
use super::{flags, output};
use crate::error::Error;
use crate::export::{ExportRequest, Format, WrittenExport, export};
use crate::tools::Progress;

const LONG: &str = "\
Writes definitions and uses to one file that other tools read. The index is brought up first, without a limit of time.

`scip` is the format of code-intelligence servers (Sourcegraph; Glean and Kythe import it): each definition and each bound use with its range, \
signatures, doc comments, and which definitions extend, implement or override others. `jsonl` has a JSON object a line for each file, symbol, \
import and edge, for a database.

Uses that are not bound are left out, as in every answer. The same commit gives the same bytes, except for the repository's path in `scip`.";

const EXAMPLES: &str = "\
Examples:
  codelens export --format scip --output index.scip
  codelens export --format scip --ref main --output /tmp/main.scip
  codelens export --format jsonl --output index.jsonl --json";

/// Returns the command.
pub(super) fn command() -> Command {
    Command::new("export")
        .about("Write the index for other tools: SCIP or lines of JSON")
        .long_about(LONG)
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .required(true)
                .value_parser(PossibleValuesParser::new(["scip", "jsonl"]))
                .help("The format"),
        )
        .arg(
            Arg::new("output")
                .long("output")
                .short('o')
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The file to write; one that is there is replaced"),
        )
        .arg(flags::reference_flag())
        .after_help(EXAMPLES)
}

/// Runs the command.
pub(super) fn run(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let format = match matches.get_one::<String>("format").map(String::as_str) {
        Some("scip") => Format::Scip,
        _ => Format::JsonLines,
    };
    let file = matches
        .get_one::<PathBuf>("output")
        .expect("the argument is required");
    if file.as_os_str() == "-" {
        let error = Error::invalid(
            "an index is not written to standard output",
            "pass a file: `--output index.jsonl`",
        );
        return output::failure(&error, flags::is_json(matches));
    }
    let target = cwd.map_or_else(|| file.clone(), |cwd| cwd.join(file));
    let interrupt = Arc::new(AtomicBool::new(false));
    listen_for_interrupts(&interrupt);
    let is_quiet = flags::verbosity(matches) > 0;
    let indexing = ProgressLine::new("indexing", "files", Duration::ZERO, is_quiet);
    let writing = ProgressLine::new("writing", "files", Duration::ZERO, is_quiet);
    in_workspace(matches, cwd.cloned(), |place| {
        let revision = revision(matches, place)?;
        let request = ExportRequest {
            format,
            target: &target,
            revision: revision.as_ref(),
            interrupt: &interrupt,
            on_indexed: &|done, total| indexing.show(Progress { done, total }),
            on_written: &|done, total| {
                indexing.clear();
                writing.show(Progress { done, total });
            },
        };
        let done = export(place, &request);
        indexing.clear();
        writing.clear();
        let done = done?;
        let value = json!({
            "file": target.display().to_string(),
            "indexId": done.index_id,
            "ref": flags::reference(matches),
            "headSha": done.head.as_ref().map(ToString::to_string),
            "files": done.n_files,
            "symbols": done.n_symbols,
            "uses": done.n_uses,
            "leftOut": done.n_left_out,
            "bytes": done.bytes,
        });
        Ok((value, text(format, &done, &target)))
    })
}

fn text(format: Format, done: &WrittenExport, target: &std::path::Path) -> String {
    let left_out = match done.n_left_out {
        0 => String::new(),
        1 => "; 1 file is left out, since it changed or can't be read".to_owned(),
        n => {
            let n = count(n);
            format!("; {n} files are left out, since they changed or can't be read")
        }
    };
    let (files, uses) = (plural(done.n_files, "file"), count(done.n_uses));
    let (of_code, uses) = match format {
        Format::Scip => (" of code", plural(done.n_uses, "use")),
        Format::JsonLines => ("", format!("{uses} lines of edges and imports")),
    };
    format!(
        "{}: {files}{of_code}, {}, {uses} ({} KiB){left_out}\n",
        target.display(),
        plural(done.n_symbols, "definition"),
        done.bytes.div_ceil(1024),
    )
}
