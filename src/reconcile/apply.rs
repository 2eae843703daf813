//! The work of a plan: many threads read and extract, one writes, until all is done or the budget is
//! spent.
//!
//! The queue between them is bounded, so that memory does not grow with the repository.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use super::permits::Permits;
use super::plan::Detection;
use super::prepare::{Prepared, prepare};
use super::{OnProgress, ReconcileError};
use crate::git::Repo;
use crate::model::indexing_rules::MAX_FILE_BYTES;
use crate::model::{Budget, RepoPath, SkipReason};
use crate::resolve::{self, PathChanges};
use crate::store::{Index, Writer};

/// Files in one transaction, at least.
const BATCH_FILES: u64 = 128;

/// How long a transaction stays open for further files where no question waits: each one ends with a segment of the text
/// index, to be merged later.
const BATCH_TIME: Duration = Duration::from_secs(2);

/// Bytes of files in one transaction, at most by one file more.
const BATCH_BYTES: u64 = 16 << 20;

/// Files that may wait for the writer.
const QUEUE_FILES: usize = 32;

/// Bytes of files that may be between reading and the database at once; rows of a byte's facts take up to some
/// hundred. One of the largest files makes the others wait.
const IN_WORK_BYTES: u64 = MAX_FILE_BYTES;

/// The result of applying a plan.
#[derive(Debug, Default)]
pub struct Applied {
    /// Paths of the plan that are still to be done.
    pub pending: Vec<RepoPath>,
    /// Files read and written.
    pub n_indexed: u64,
    /// Files removed.
    pub n_deleted: u64,
    /// Paths that came and went: [`crate::link`] derives the files to link again.
    pub changes: PathChanges,
}

/// Does the work of a plan, removals first. Each batch leaves a valid index.
pub fn apply(
    repo: &Repo,
    index: &mut Index,
    detection: &Detection,
    budget: &Budget,
    on_progress: OnProgress<'_>,
) -> Result<Applied, ReconcileError> {
    let mut applied = Applied::default();
    if detection.new_attributes.is_some() && !detection.plan.is_empty() {
        // Until all is done the rows rest on two digests: a stop in between must not look like either.
        let mut writer = index.writer()?;
        writer.set_meta("attributes", "")?;
        writer.commit(false)?;
    }
    if detection.link_queue_is_stale {
        // A call before this one was killed between its rows and their effect, or another linker bound the names.
        applied.changes.add_lost();
    }
    remove(index, detection, &mut applied)?;
    replace(repo, index, detection, budget, on_progress, &mut applied)?;
    if detection.is_complete && applied.pending.is_empty() {
        let is_whole = index
            .read()?
            .skipped_for(SkipReason::MissingBlob)?
            .is_empty();
        finish(index, detection, is_whole)?;
    }
    Ok(applied)
}

fn remove(
    index: &mut Index,
    detection: &Detection,
    applied: &mut Applied,
) -> Result<(), ReconcileError> {
    let gone = &detection.plan.remove;
    if gone.is_empty() {
        return Ok(());
    }
    let mut writer = index.writer()?;
    for path in gone {
        applied.changes.add(path);
        writer.remove_file(path)?;
    }
    for key in writer.take_changed_units() {
        applied.changes.add_unit(key);
    }
    writer.set_meta("link_queue_is_stale", "1")?;
    writer.commit(true)?;
    applied.n_deleted = gone.len() as u64;
    Ok(())
}

fn replace(
    repo: &Repo,
    index: &mut Index,
    detection: &Detection,
    budget: &Budget,
    on_progress: OnProgress<'_>,
    applied: &mut Applied,
) -> Result<(), ReconcileError> {
    let candidates = &detection.plan.replace;
    if candidates.is_empty() {
        return Ok(());
    }
    let source = repo.source();
    let max_file_bytes = repo.indexing_rules().max_file_bytes;
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let n_workers = cores.clamp(1, 8).min(candidates.len().div_ceil(2));
    let next = AtomicUsize::new(0);
    let total = candidates.len() as u64;
    let permits = Permits::new(IN_WORK_BYTES);
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(QUEUE_FILES);
        for n in 0..n_workers {
            let sender = sender.clone();
            let (next, permits) = (&next, &permits);
            let work = move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(candidate) = candidates.get(at) else {
                        break;
                    };
                    let permit = permits.take(candidate.stat.size_bytes.min(MAX_FILE_BYTES));
                    let prepared = if budget.is_spent() {
                        Prepared::Left
                    } else {
                        prepare(source, candidate, max_file_bytes, budget)
                    };
                    if sender.send((at, prepared, permit)).is_err() {
                        break;
                    }
                }
            };
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, work) {
                // As where memory ends: the work that is committed stands. A panic here would want memory for its report.
                if n == 0 {
                    tracing::error!("no thread can be started: {error}");
                    std::process::abort();
                }
                break;
            }
        }
        drop(sender);
        // Dropping the receiver, also on an error below, lets the workers end.
        let mut results = receiver.into_iter();
        let mut done: u64 = 0;
        let is_unlimited = budget.remaining().is_none();
        while let Some((at, prepared, permit)) = results.next() {
            if matches!(prepared, Prepared::Left) {
                done += 1;
                applied.pending.push(candidates[at].path.clone());
                continue;
            }
            let mut batch = Batch {
                writer: index.writer()?,
                detection,
                answerable: false,
            };
            let begun = Instant::now();
            let size = |at: usize| candidates[at].stat.size_bytes.min(MAX_FILE_BYTES);
            let mut n_bytes = size(at);
            batch.write(at, prepared, applied)?;
            drop(permit);
            let mut n_files: u64 = 1;
            while n_files < BATCH_FILES
                || is_unlimited && n_bytes < BATCH_BYTES && begun.elapsed() < BATCH_TIME
            {
                let Some((at, prepared, _permit)) = results.next() else {
                    break;
                };
                n_files += 1;
                n_bytes += size(at);
                batch.write(at, prepared, applied)?;
                if n_files.is_multiple_of(BATCH_FILES) {
                    on_progress(done + n_files, total);
                }
            }
            done += n_files;
            batch.commit(&applied.changes)?;
            on_progress(done, total);
        }
        Ok(())
    })
}

/// The files of one transaction, each written while others are read.
struct Batch<'a> {
    writer: Writer<'a>,
    detection: &'a Detection,
    answerable: bool,
}

impl Batch<'_> {
    fn write(
        &mut self,
        at: usize,
        prepared: Prepared,
        applied: &mut Applied,
    ) -> Result<(), ReconcileError> {
        let candidate = &self.detection.plan.replace[at];
        let path = &candidate.path;
        match prepared {
            Prepared::Left => applied.pending.push(path.clone()),
            Prepared::Same(row, seen) => {
                self.writer.set_seen(row, seen.stat.as_ref(), seen.blob)?;
            }
            Prepared::Gone => {
                if candidate.known.is_some() {
                    applied.changes.add(path);
                    self.writer.remove_file(path)?;
                    self.note_units(applied);
                    applied.n_deleted += 1;
                    self.answerable = true;
                }
            }
            Prepared::File(file) => {
                let is_config = resolve::is_config(path) && !self.writer.has_config(&file)?;
                // In a first build every file with imports is on the list of those to link anyway.
                let is_moved = candidate.known.is_none() || !self.writer.has_units(&file)?;
                if self.detection.was_complete && is_moved {
                    applied.changes.add(path);
                } else if self.detection.was_complete && is_config {
                    applied.changes.add_edited(path);
                }
                self.writer.replace_file(&file)?;
                self.note_units(applied);
                applied.n_indexed += 1;
                self.answerable = true;
            }
        }
        Ok(())
    }

    /// Notes the units that came into being or went with the last file.
    fn note_units(&mut self, applied: &mut Applied) {
        for key in self.writer.take_changed_units() {
            if self.detection.was_complete {
                applied.changes.add_unit(key);
            }
        }
    }

    fn commit(mut self, changes: &PathChanges) -> Result<(), ReconcileError> {
        if !changes.is_empty() {
            self.writer.set_meta("link_queue_is_stale", "1")?;
        }
        self.writer.commit(self.answerable)?;
        Ok(())
    }
}

/// Notes what the rows now rest on, where that changed.
/// `is_whole` tells whether the bytes of every file could be had.
fn finish(index: &mut Index, detection: &Detection, is_whole: bool) -> Result<(), ReconcileError> {
    if detection.was_complete && !detection.has_news() {
        return Ok(());
    }
    let mut writer = index.writer()?;
    writer.set_meta("complete", "1")?;
    if let Some(left_out) = &detection.new_left_out {
        writer.set_meta("left_out", left_out)?;
    }
    if let Some(digest) = &detection.new_attributes {
        writer.set_meta("attributes", digest)?;
    }
    if let Some(manifest) = detection.new_manifest.as_ref().filter(|_| is_whole) {
        writer.set_meta("manifest", manifest)?;
    }
    writer.commit(false)?;
    Ok(())
}
