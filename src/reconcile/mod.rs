//! The only way from a difference to its repair: repairs the difference between the indexed manifest and the one on disk.
//!
//! A new branch, a moved `HEAD`, a dirty file and a new version of the extractor are the same event here.

pub mod apply;
pub mod candidate;
pub mod commit;
mod history;
mod order;
mod permits;
pub mod plan;
pub mod prepare;
pub mod seed;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::git::{GitError, Repo, Scan};
use crate::link;
use crate::model::{Budget, Freshness, FreshnessState, RepoPath, SkipReason, UnknownReason};
use crate::store::{Index, Read, StoreError};
use apply::Applied;
use plan::{ChangedPart, Detection, Plan};

/// Failures while an index is brought up.
#[derive(Debug, thiserror::Error)]
pub enum ReconcileError {
    /// The repository could not be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The index could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The result of one reconcile.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether the index equals the work tree now.
    pub freshness: Freshness,
    /// The generation that this is said of.
    pub generation: u64,
    /// Files read and written.
    pub n_indexed: u64,
    /// Files removed from the index.
    pub n_deleted: u64,
    /// Whether the index has all the past commits that it should have.
    pub has_history: bool,
}

impl Outcome {
    /// Returns whether rows changed.
    pub fn has_written(&self) -> bool {
        self.n_indexed + self.n_deleted > 0
    }
}

/// Rounds of looking again at files that were read, when the work tree changes as fast as it is read.
const MAX_PROOFS: usize = 2;

/// The least time in which a first build is expected to end, so that the history is worth reading beside it.
const BUILD: Duration = Duration::from_secs(2);

/// Tells how many files of how many are done.
pub type OnProgress<'a> = &'a (dyn Fn(u64, u64) + Send + Sync);

/// Detects the differences, without writing. The result is about one generation, which it carries.
pub fn detect(repo: &Repo, index: &Index, budget: &Budget) -> Result<Detection, ReconcileError> {
    detect_by(repo, index, || repo.scan(budget))
}

/// Does [`detect`] by a scan that looks for more than the members of the work tree.
pub fn detect_by(
    repo: &Repo,
    index: &Index,
    scan: impl FnOnce() -> Result<Scan, GitError>,
) -> Result<Detection, ReconcileError> {
    let begun = Instant::now();
    let detection = Detection::by(repo, index, scan)?;
    log_scan(begun, &detection);
    Ok(detection)
}

fn log_scan(begun: Instant, detection: &Detection) {
    let elapsed_us = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    let is_part = detection.rests_on_watch;
    tracing::debug!(elapsed_us, is_part, "looked for changes");
}

/// Does [`detect`] by a look at the changed part of the work tree, where that is enough; else at all of it.
pub fn detect_within(
    repo: &Repo,
    index: &Index,
    part: Option<&ChangedPart>,
    budget: &Budget,
) -> Result<Detection, ReconcileError> {
    let begun = Instant::now();
    if let Some(part) = part
        && let Some(detection) = Detection::of_part(repo, index, part, budget)?
    {
        log_scan(begun, &detection);
        return Ok(detection);
    }
    detect(repo, index, budget)
}

/// Returns the freshness after a detection that left `pending` undone; `complete` makes that of a detection which compared every file.
fn freshness_of(
    detection: &Detection,
    pending: Vec<RepoPath>,
    complete: impl FnOnce(Vec<RepoPath>) -> Freshness,
) -> Freshness {
    if !detection.hidden.is_empty() {
        Freshness::unknown(UnknownReason::Io, pending)
    } else if detection.is_complete {
        complete(pending)
    } else {
        Freshness::unknown(UnknownReason::Budget, pending)
    }
}

/// Returns the outcome of a detection where nothing may be written now: no difference, or differences that stay, for
/// `reason`. Files whose stat alone changed are read, as far as the budget allows.
pub fn inspect(
    repo: &Repo,
    mut detection: Detection,
    budget: &Budget,
    reason: UnknownReason,
) -> Outcome {
    detection.plan.drop_unchanged(repo.source(), budget);
    let mut pending = detection.plan.paths();
    pending.extend(detection.hidden.iter().cloned());
    let n_missing = detection.missing.len() as u64;
    pending.append(&mut detection.missing);
    let freshness = freshness_of(&detection, pending, |pending| {
        if pending.is_empty() && detection.is_linked() && detection.was_complete {
            Freshness::of_complete_scan(pending, 0)
        } else {
            let mut freshness = Freshness::unknown(reason, pending);
            freshness.n_queued = detection.n_queued;
            freshness
        }
    });
    Outcome {
        freshness: detection.complete_finding(freshness, n_missing),
        generation: detection.generation,
        n_indexed: 0,
        n_deleted: 0,
        has_history: detection.has_history,
    }
}

/// Proves that an index which was made for a checkout holds a commit's files and no others; `None` where the two
/// differ. Nothing is written.
pub fn prove_commit(
    repo: &Repo,
    index: &Index,
    scan: Scan,
    budget: &Budget,
) -> Result<Option<Outcome>, ReconcileError> {
    let mut detection = Detection::by(repo, index, || Ok(scan))?;
    // That is noted in the commit's own index alone.
    detection.new_manifest = None;
    Ok(detection
        .is_current()
        .then(|| inspect(repo, detection, budget, UnknownReason::Busy)))
}

/// Whether an index is proved to be of all files of the commit that `repo` is asked about, and linked. Nothing is looked at.
///
/// # Errors
/// Those of rules that can't be read.
pub fn is_of_commit(repo: &Repo, read: &Read<'_>) -> Result<bool, ReconcileError> {
    let meta = read.meta();
    let is_linked = !meta.link_queue_is_stale && meta.link_version == link::VERSION;
    Ok(meta.complete
        && is_linked
        && commit::manifest_digest(repo)?.is_some_and(|manifest| manifest == meta.manifest)
        && read.n_queued()? == 0)
}

/// Brings the index towards the work tree until it is there or the budget is spent. The caller holds
/// the write lock. Finished files are committed, whatever happens.
pub fn reconcile(
    repo: &Repo,
    index: &mut Index,
    budget: &Budget,
    on_progress: OnProgress<'_>,
) -> Result<Outcome, ReconcileError> {
    let detection = detect(repo, index, budget)?;
    repair(repo, index, detection, budget, on_progress)
}

/// Does the second half of [`reconcile`], for a detection that was made already; a detection that another process has
/// overtaken is made again. The index is only called fresh after a look that finds nothing new.
pub fn repair(
    repo: &Repo,
    index: &mut Index,
    detection: Detection,
    budget: &Budget,
    on_progress: OnProgress<'_>,
) -> Result<Outcome, ReconcileError> {
    repair_watched(repo, index, detection, budget, on_progress, &|| false)
}

/// Does [`repair`] with a watch in the place of that last look: `is_proved_unchanged` says whether nothing changed since before
/// the detection was begun.
pub fn repair_watched(
    repo: &Repo,
    index: &mut Index,
    detection: Detection,
    budget: &Budget,
    on_progress: OnProgress<'_>,
    is_proved_unchanged: &dyn Fn() -> bool,
) -> Result<Outcome, ReconcileError> {
    index.keeping_rows(|index| {
        repair_proved(
            repo,
            index,
            detection,
            budget,
            on_progress,
            is_proved_unchanged,
        )
    })
}

fn repair_proved(
    repo: &Repo,
    index: &mut Index,
    mut detection: Detection,
    budget: &Budget,
    on_progress: OnProgress<'_>,
    is_proved_unchanged: &dyn Fn() -> bool,
) -> Result<Outcome, ReconcileError> {
    if index.read()?.meta().generation != detection.generation {
        detection = detect(repo, index, budget)?;
    }
    let mut outcome = finish(repo, index, detection, budget, on_progress)?;
    for _ in 0..MAX_PROOFS {
        if outcome.freshness.state != FreshnessState::Fresh || !outcome.has_written() {
            return Ok(outcome);
        }
        // Directories were listed and files read one after the other: a file that moved from a directory still to be
        // listed into a listed one is in neither, and some may have changed before the last one was read. Only a look
        // that finds nothing new proves that the rows were all true at one time, or that nothing was told meanwhile.
        if is_proved_unchanged() {
            return Ok(outcome);
        }
        let now = detect(repo, index, budget)?;
        let proof = inspect(repo, now.clone(), budget, UnknownReason::Moved);
        if proof.freshness.state == FreshnessState::Fresh {
            outcome.freshness.proof = proof.freshness.proof;
            return Ok(outcome);
        }
        if budget.is_spent() {
            outcome.freshness = proof.freshness;
            return Ok(outcome);
        }
        let more = finish(repo, index, now, budget, on_progress)?;
        outcome = Outcome {
            n_indexed: outcome.n_indexed + more.n_indexed,
            n_deleted: outcome.n_deleted + more.n_deleted,
            ..more
        };
    }
    if outcome.freshness.state == FreshnessState::Fresh {
        let now = detect(repo, index, budget)?;
        outcome.freshness = inspect(repo, now, budget, UnknownReason::Moved).freshness;
    }
    Ok(outcome)
}

fn finish(
    repo: &Repo,
    index: &mut Index,
    mut detection: Detection,
    budget: &Budget,
    on_progress: OnProgress<'_>,
) -> Result<Outcome, ReconcileError> {
    let is_build = !detection.was_complete && budget.remaining().is_none_or(|left| left > BUILD);
    let history = is_build.then(|| (repo.open_history(), index.pointer().head()));
    // One thread reads history, which takes a build no time of its own while others read and link files.
    let is_useless = AtomicBool::new(false);
    let (applied, ahead) = std::thread::scope(|scope| {
        let reading = history.and_then(|(history, head)| {
            let builder = std::thread::Builder::new().name("history".to_owned());
            let is_useless = &is_useless;
            let read = move || history::prefetch(history, head.as_ref(), budget, is_useless);
            builder.spawn_scoped(scope, read).ok()
        });
        let applied = apply_and_link(repo, index, &mut detection, budget, on_progress);
        let is_whole = applied
            .as_ref()
            .is_ok_and(|applied| applied.pending.is_empty());
        is_useless.store(!is_whole, Ordering::Relaxed);
        let ahead = reading.and_then(|reading| {
            let ended = reading.join();
            ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        (applied, ahead)
    });
    let applied = applied?;
    let mut pending = applied.pending;
    let is_done = pending.is_empty() && detection.is_complete && index.read()?.n_queued()? == 0;
    let has_history =
        is_done && (detection.has_history || history::keep(repo, index, ahead, budget)?);
    if budget.remaining().is_none() {
        // Merging the text index and waiting for the disk are worth their time after a build, not within a
        // question's budget.
        let is_written = applied.n_indexed + applied.n_deleted > 0;
        let is_worn = !is_build && pending.is_empty() && index.has_dead_text()?;
        if is_worn {
            index.merge_text(|| !budget.is_cancelled())?;
        }
        if is_written || is_worn || !index.is_checkpointed() {
            index.checkpoint(is_written && is_build && pending.is_empty());
        }
    }
    let read = index.read()?;
    pending.extend(detection.hidden.iter().cloned());
    let missing = if repo.source().is_commit() {
        read.skipped_for(SkipReason::MissingBlob)?
    } else {
        Vec::new()
    };
    let n_missing = missing.len() as u64;
    pending.extend(missing);
    let n_queued = read.n_queued()?;
    let freshness = freshness_of(&detection, pending, |pending| {
        Freshness::of_complete_scan(pending, n_queued)
    });
    Ok(Outcome {
        freshness: detection.complete_finding(freshness, n_missing),
        generation: read.meta().generation,
        n_indexed: applied.n_indexed,
        n_deleted: applied.n_deleted,
        has_history,
    })
}

/// Brings files and links as far as the budget goes, and no further than the rows are valid.
fn apply_and_link(
    repo: &Repo,
    index: &mut Index,
    detection: &mut Detection,
    budget: &Budget,
    on_progress: OnProgress<'_>,
) -> Result<Applied, ReconcileError> {
    let applied = apply::apply(repo, index, detection, budget, on_progress)?;
    // As large as the repository in a first build, and of no more use.
    detection.plan = Plan::default();
    if applied.pending.is_empty() && detection.is_complete {
        link::link(index, &applied.changes, budget)?;
    } else {
        link::queue_affected(index, &applied.changes)?;
    }
    Ok(applied)
}

impl Plan {
    /// Returns every path that the plan is about.
    pub fn paths(&self) -> Vec<RepoPath> {
        let replaced = self.replace.iter().map(|candidate| &candidate.path);
        self.remove.iter().chain(replaced).cloned().collect()
    }
}

/// Rows shared between detection and whoever compares with them.
pub(crate) type Rows = Arc<Vec<crate::store::FileRow>>;
