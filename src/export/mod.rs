//! Indexes for other tools: the definitions and uses of a commit or of the work tree in one file.
//!
//! Formats: SCIP, which code-intelligence servers read (Sourcegraph, and importers of Glean and Kythe), and lines of JSON for
//! a database. Files are written one after another, so that the memory does not grow with the repository.

mod json_lines;
mod positions;
mod scip;
mod symbol_names;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::error::{Code, Error, Result};
use crate::model::{Budget, CommitId, FreshnessState};
use crate::uses::Uses;
use crate::workspace::{Patience, Question, Revision, View, Workspace};

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Protocol buffers by the schema of SCIP.
    Scip,
    /// A JSON object a line: files, symbols, imports, edges.
    JsonLines,
}

/// The subject of an export and where it goes.
pub struct ExportRequest<'a> {
    /// The format.
    pub format: Format,
    /// The file to write; one that is there is replaced when the new one is whole.
    pub target: &'a Path,
    /// The commit; `None` for the work tree.
    pub revision: Option<&'a Revision>,
    /// Set from outside to give it up.
    pub interrupt: &'a Arc<AtomicBool>,
    /// Told how many files of how many were read into the index.
    pub on_indexed: &'a (dyn Fn(u64, u64) + Send + Sync),
    /// Told how many files of how many were written.
    pub on_written: &'a dyn Fn(u64, u64),
}

/// An export that was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenExport {
    /// The index that it was made from.
    pub index_id: String,
    /// The commit that it is of, in the work tree with its edits; `None` before the first one.
    pub head: Option<CommitId>,
    /// Files that it speaks of.
    pub n_files: u64,
    /// Definitions.
    pub n_symbols: u64,
    /// Uses that are bound to a definition or a file: in SCIP each place, in lines of JSON each edge and import.
    pub n_uses: u64,
    /// Code files that are left out, since they changed meanwhile or can't be read.
    pub n_left_out: u64,
    /// Its size.
    pub bytes: u64,
}

/// Brings the index fully up and writes it as another tool reads it. The same commit gives the same bytes, but for the
/// place of the repository, which SCIP asks for.
///
/// # Errors
/// `refused` while files change faster than they can be read; `io` where the file can't be written; `cancelled`.
///
/// # Example
/// ```text
/// codelens export --format scip --ref main --output index.scip
/// ```
pub fn export(workspace: &Arc<Workspace>, request: &ExportRequest<'_>) -> Result<WrittenExport> {
    let draft = draft_of(request.target)?;
    let written = write_draft(workspace, request, &draft).and_then(|written| {
        std::fs::rename(&draft, request.target)
            .map_err(|error| unwritable(request.target, &error))?;
        Ok(written)
    });
    if written.is_err() {
        drop(std::fs::remove_file(&draft));
    }
    written
}

fn write_draft(
    workspace: &Arc<Workspace>,
    request: &ExportRequest<'_>,
    draft: &Path,
) -> Result<WrittenExport> {
    let refreshed = workspace.refresh(
        request.revision,
        false,
        request.interrupt,
        request.on_indexed,
    )?;
    let head = refreshed.snapshot.head;
    let question = Question {
        interrupt: request.interrupt,
        patience: Patience::Configured,
        on_progress: &|_, _| (),
        revision: request.revision,
        words: "",
    };
    workspace.query(question, |view| {
        if view.freshness.state != FreshnessState::Fresh {
            return Err(Error::new(
                Code::Refused,
                "files change while they are read: what is not indexed yet would be missing",
                "wait until they rest and run it again, or export a commit: `codelens export --ref HEAD`",
            ));
        }
        let failed = |error: std::io::Error| unwritable(request.target, &error);
        let mut out = BufWriter::new(File::create(draft).map_err(failed)?);
        let head = head.as_ref();
        let written = write_all(view, workspace.work_dir(), head, request, &mut out)?;
        let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
        file.sync_data().map_err(failed)?;
        Ok(WrittenExport {
            index_id: view.index_id.to_owned(),
            head: head.cloned(),
            bytes: file.metadata().map_err(failed)?.len(),
            ..written
        })
    })
}

/// One file of the repository, in the order of paths, as a format writes it.
trait FileWriter {
    /// Writes a file, and counts what is in it.
    fn file(&mut self, at: usize, counts: &mut WrittenExport) -> Result<()>;
}

fn write_all(
    view: &View<'_>,
    root: &Path,
    head: Option<&CommitId>,
    request: &ExportRequest<'_>,
    out: &mut dyn Write,
) -> Result<WrittenExport> {
    let uses = Uses::new(
        view.read,
        view,
        Budget::unlimited(Arc::clone(request.interrupt)),
    );
    let mut files = view.read.all_summaries()?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut writer: Box<dyn FileWriter + '_> = match request.format {
        Format::Scip => Box::new(scip::ScipWriter::begin(view, &uses, &files, root, out)?),
        Format::JsonLines => Box::new(json_lines::LineWriter::begin(view, head, &files, out)?),
    };
    let mut counts = WrittenExport::default();
    let total = files.len() as u64;
    for at in 0..files.len() {
        if view.budget.is_cancelled() {
            return Err(Error::cancelled());
        }
        writer.file(at, &mut counts)?;
        (request.on_written)(at as u64 + 1, total);
    }
    Ok(counts)
}

/// The error of a format whose output can't be taken.
fn write_failed(reason: &dyn std::fmt::Display) -> Error {
    Error::new(
        Code::Io,
        format!("the index can't be written: {reason}"),
        "make room on the disk, or name a file elsewhere",
    )
}

/// The name under which the file is made, beside its last one: a reader of that one never sees half.
fn draft_of(target: &Path) -> Result<PathBuf> {
    let Some(name) = target.file_name().filter(|_| !target.is_dir()) else {
        return Err(Error::invalid(
            format!("`{}` is a directory", target.display()),
            "name a file: `--output index.scip`",
        ));
    };
    let mut name = name.to_owned();
    name.push(format!(".{}.part", std::process::id()));
    Ok(target.with_file_name(name))
}

fn unwritable(target: &Path, error: &std::io::Error) -> Error {
    Error::new(
        Code::Io,
        format!("`{}` can't be written: {error}", target.display()),
        "name a file in a directory that is there and may be written",
    )
}
