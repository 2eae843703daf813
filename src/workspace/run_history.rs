//! Runs as they are noted: which work is one, and the command that goes on where one ended.
//!
//! A question that brings up a few files is no run; nor is anything where there is no data directory yet.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Revision, Workspace, Workspaces, now_ms};
use crate::error::{Code, Error, Result};
use crate::machine;
use crate::model::{FreshnessState, shell_word};
use crate::reconcile::Outcome;
use crate::store::runs::{self, FinishedRecord, NewRun, OpenRun, StoredRun};
use crate::store::{Home, IndexKey, StoreError};

/// From how many files on work that nobody asked for is a run.
const MIN_FILES: u64 = 50;

/// From when on it is one.
const MIN_TIME: Duration = Duration::from_secs(1);

/// Notes a run from when it turns out to be one. A run that is not finished reads as interrupted.
pub(super) struct RunRecorder {
    home: Home,
    run: NewRun,
    begun: Instant,
    cpu_before: Option<Duration>,
    open: Mutex<Option<OpenRun>>,
}

impl RunRecorder {
    /// Returns the recorder of work on an index, e.g. `build` for `refresh`.
    pub(super) fn of_index(
        workspace: &Workspace,
        key: &IndexKey,
        kind: &'static str,
        source: &str,
        reference: Option<&str>,
    ) -> Self {
        let repo = workspace.work_dir.display().to_string();
        let reference =
            reference.map_or_else(String::new, |it| format!(" --ref {}", shell_word(it)));
        Self::new(
            &workspace.home,
            NewRun {
                kind,
                source: source.to_owned(),
                branch: key.snapshot.branch.name().map(str::to_owned),
                head: key.snapshot.head.as_ref().map(ToString::to_string),
                index_id: Some(key.index_id()),
                started_from: None,
                next_step: format!("codelens refresh --repo {}{reference}", shell_word(&repo)),
                repo,
            },
        )
    }

    /// Returns the recorder of an index that is taken in from a remote or a file.
    pub(super) fn of_transfer(workspace: &Workspace, kind: &'static str, source: &str) -> Self {
        let repo = workspace.work_dir.display().to_string();
        Self::new(
            &workspace.home,
            NewRun {
                kind,
                source: source.to_owned(),
                // Without it the same is built here.
                next_step: format!("codelens refresh --repo {}", shell_word(&repo)),
                repo,
                ..NewRun::default()
            },
        )
    }

    /// Returns the recorder of vectors that a model makes.
    pub(super) fn of_vectors(
        workspace: &Workspace,
        model: &str,
        revision: Option<&Revision>,
    ) -> Self {
        let repo = workspace.work_dir.display().to_string();
        let reference = revision.map_or_else(String::new, |it| {
            format!(" --ref {}", shell_word(it.commit.as_str()))
        });
        let next_step = format!(
            "codelens embed build --repo {}{reference}",
            shell_word(&repo)
        );
        let run = NewRun {
            kind: "embed",
            source: model.to_owned(),
            head: revision.map(|it| it.commit.to_string()),
            repo,
            next_step,
            ..NewRun::default()
        };
        Self::new(&workspace.home, run)
    }

    /// Returns the recorder of an archive that is taken in; `next_step` takes it in again.
    pub(super) fn of_archive(home: &Home, source: &str, repo: String, next_step: String) -> Self {
        let run = NewRun {
            kind: "archive",
            source: source.to_owned(),
            repo,
            next_step,
            ..NewRun::default()
        };
        Self::new(home, run)
    }

    fn new(home: &Home, run: NewRun) -> Self {
        Self {
            home: home.clone(),
            run,
            begun: Instant::now(),
            cpu_before: machine::cpu_time(),
            open: Mutex::default(),
        }
    }

    /// Sets the index that the work starts from: a seed is no build.
    pub(super) fn starts_from(&mut self, index_id: &str) {
        self.run.kind = "seed";
        self.run.started_from = Some(index_id.to_owned());
    }

    /// Notes that the work began, once.
    pub(super) fn begin(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_some() || !self.home.root().is_dir() {
            return;
        }
        let since = i64::try_from(self.begun.elapsed().as_millis()).unwrap_or(0);
        match runs::begin(&self.home, &self.run, now_ms() - since) {
            Ok(run) => *open = Some(run),
            Err(error) => tracing::info!(%error, "a run can't be noted"),
        }
    }

    /// Notes that the work began if it is much: told by whoever does it, how many files are done and how many there are.
    pub(super) fn progressed(&self, done: u64, total: u64) {
        let is_known = self.open.try_lock().is_ok_and(|open| open.is_some());
        if !is_known && (total.saturating_sub(done) > MIN_FILES || self.begun.elapsed() > MIN_TIME)
        {
            self.begin();
        }
    }

    /// Notes the end of work on an index, if it was a run.
    pub(super) fn finish_index(self, outcome: &Outcome) {
        self.finish_up_to(outcome.n_indexed, n_left(outcome), 0);
    }

    /// Notes that the work ended well; `n_left` files are still to be done.
    pub(super) fn finish_done(self, n_files: u64, n_left: u64, bytes: u64) {
        self.finish_up_to(n_files, (n_left > 0).then_some(n_left), bytes);
    }

    /// Notes an end at which `n_left` files are to be done, and the index may differ from the work tree; `None` where nothing is.
    fn finish_up_to(self, n_files: u64, n_left: Option<u64>, bytes: u64) {
        if n_files > MIN_FILES {
            // The first progress that was told may have been the end.
            self.begin();
        }
        let end = FinishedRecord {
            status: "done",
            message: n_left.map(|n_left| match n_left {
                0 => "not every file could be compared with the index".to_owned(),
                1 => "1 file is left".to_owned(),
                n => format!("{n} files are left"),
            }),
            next_step: n_left.map(|_| self.run.next_step.clone()),
            files: n_files,
            pending: n_left.unwrap_or_default(),
            bytes,
            ..FinishedRecord::default()
        };
        self.finish(end);
    }

    /// Notes that the work failed or was stopped. An archive that failed has no next command: the same one fails again.
    pub(super) fn finish_failed(self, error: &Error) {
        let is_stopped = error.code == Code::Cancelled;
        let helps = is_stopped || self.run.kind != "archive";
        let end = FinishedRecord {
            status: if is_stopped { "cancelled" } else { "failed" },
            code: Some(error.code.as_str()),
            message: Some(error.message.clone()),
            hint: Some(error.hint.clone()),
            next_step: helps.then(|| self.run.next_step.clone()),
            ..FinishedRecord::default()
        };
        self.finish(end);
    }

    fn finish(self, end: FinishedRecord) {
        if matches!(self.run.kind, "pull" | "bundle") {
            // The first index of a machine made the data directory.
            self.begin();
        }
        let open = self.open.into_inner();
        let Some(run) = open.unwrap_or_else(PoisonError::into_inner) else {
            return;
        };
        let cpu = machine::cpu_time().zip(self.cpu_before);
        let cpu_ms = cpu.map(|(now, before)| now.saturating_sub(before).as_millis());
        let end = FinishedRecord {
            cpu_ms: cpu_ms.and_then(|ms| u64::try_from(ms).ok()),
            ..end
        };
        if let Err(error) = run.finish(&end, now_ms()) {
            tracing::info!(%error, "the end of a run can't be noted");
        }
    }
}

/// Returns how many files are to be done; `None` where nothing is, and the index is as the work tree.
fn n_left(outcome: &Outcome) -> Option<u64> {
    match outcome.freshness.state {
        FreshnessState::Fresh => None,
        _ => Some(outcome.freshness.n_pending()),
    }
}

/// The run of work that is done in steps, between questions: one for each index, however many steps it takes. It ends when the next index
/// begins, or when this goes.
#[derive(Default)]
pub(super) struct SteppedRun {
    open: Option<RunRecorder>,
    /// Whether the step that began last has ended; else its run reads as interrupted.
    has_stepped: bool,
    n_indexed: u64,
    n_left: Option<u64>,
}

impl SteppedRun {
    /// Returns the recorder of the next step, on the index of `key`: of a commit, where `reference` names one.
    pub(super) fn step(
        &mut self,
        workspace: &Workspace,
        key: &IndexKey,
        reference: Option<&str>,
    ) -> &RunRecorder {
        let index_id = key.index_id();
        let is_open = |it: &RunRecorder| it.run.index_id.as_ref() == Some(&index_id);
        if !self.open.as_ref().is_some_and(is_open) {
            self.finish();
        }
        self.has_stepped = false;
        self.open.get_or_insert_with(|| {
            RunRecorder::of_index(workspace, key, "build", "background", reference)
        })
    }

    /// Notes the outcome of the step.
    pub(super) fn stepped(&mut self, outcome: &Outcome) {
        self.has_stepped = true;
        self.n_indexed += outcome.n_indexed;
        self.n_left = n_left(outcome);
    }

    /// Notes that the work failed.
    pub(super) fn failed(&mut self, error: &Error) {
        if let Some(recorder) = self.open.take() {
            recorder.finish_failed(error);
        }
        (self.n_indexed, self.n_left) = (0, None);
    }

    fn finish(&mut self) {
        let (n_indexed, n_left) = (std::mem::take(&mut self.n_indexed), self.n_left.take());
        if let Some(recorder) = self.open.take().filter(|_| self.has_stepped) {
            recorder.finish_up_to(n_indexed, n_left, 0);
        }
    }
}

impl Drop for SteppedRun {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Workspaces {
    /// Returns the runs of this data directory, the newest first: that of a number, or at most `limit`. Of repositories that may not
    /// be asked about there are none.
    ///
    /// # Errors
    /// Where the list can't be read: nothing is said about runs then.
    pub fn runs(&self, id: Option<i64>, limit: usize) -> Result<Vec<StoredRun>> {
        let home = Home::at(&self.config.home, &[])?;
        let Some(served) = &self.served else {
            return runs::list(&home, id, None, limit).map_err(not_readable);
        };
        let mut found = runs::list(&home, id, None, usize::MAX).map_err(not_readable)?;
        found.retain(|run| served.holds(run.repo.as_ref()));
        found.truncate(limit);
        Ok(found)
    }
}

fn not_readable(error: StoreError) -> Error {
    if !error.is_corrupt() {
        return error.into();
    }
    Error::new(
        Code::Io,
        "the list of runs is damaged",
        "indexes are not touched by it; the next build sets `library.db` aside and begins a new list",
    )
    .because(error)
}

impl Workspace {
    /// Returns the last run of this work tree; `None` where there is none, or the runs can't be read.
    pub fn last_run(&self) -> Option<StoredRun> {
        let repo = self.work_dir.display().to_string();
        runs::list(&self.home, None, Some(&repo), 1)
            .inspect_err(|error| tracing::info!(%error, "the runs can't be read"))
            .ok()?
            .pop()
    }
}
