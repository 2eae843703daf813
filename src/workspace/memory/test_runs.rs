//! Runs of tests that `codelens verify` saw: noted only where the work tree was the same before and after.

use std::path::Path;
use std::sync::Arc;

use super::super::{Question, Workspace};
use super::judge::Judge;
use crate::error::Result;
use crate::lifecycle::anchor::AnchorState;
use crate::store::SavedRecord;
use crate::store::memory::SeenTestRun;

/// The end of a test run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinishedTest {
    /// The exit code; `None` where a signal ended it.
    pub exit_code: Option<i64>,
    /// How long it took, in milliseconds.
    pub took_ms: i64,
}

/// The result of [`Workspace::run_test_of_record`].
#[derive(Clone, Debug)]
pub struct RecordTestRun {
    /// The record, as it is after the run.
    pub record: SavedRecord,
    /// The run.
    pub run: FinishedTest,
    /// Why the run was not noted; `None` where it was.
    pub not_noted: Option<&'static str>,
}

/// The state of the work tree when a run began or ended.
#[derive(PartialEq, Eq)]
struct TreeBeside {
    seen: SeenTestRun,
    is_known: bool,
}

impl Workspace {
    /// Lets `run` run a test in the work tree, and notes its exit code with a record. A run that a signal ended, and one beside
    /// which the work tree changed, are not noted.
    ///
    /// # Errors
    /// `invalid_argument` where there is no record of that name; those of `run`.
    pub fn run_test_of_record<'q>(
        self: &Arc<Self>,
        name: &str,
        question: impl Fn() -> Question<'q>,
        run: impl FnOnce(&Path, &SavedRecord) -> Result<FinishedTest>,
    ) -> Result<RecordTestRun> {
        let (record, _) = self.saved_record(name, None)?;
        let before = self.tree_beside(&record, question())?;
        let finished = run(&self.work_dir, &record)?;
        let after = self.tree_beside(&record, question())?;
        let not_noted = if finished.exit_code.is_none() {
            Some("a signal ended the test")
        } else if !before.is_known || !after.is_known {
            Some(
                "the uncommitted changes could not be listed in time; run it again with a greater --budget-ms, e.g. --budget-ms 10000",
            )
        } else if before != after {
            Some("the work tree changed while the test ran")
        } else {
            None
        };
        if let (None, Some(exit_code)) = (not_noted, finished.exit_code) {
            let seen = SeenTestRun {
                exit_code,
                took_ms: finished.took_ms,
                ..after.seen
            };
            self.records()?.note_test_run(record.id, &seen)?;
        }
        let (record, _) = self.saved_record(&record.uid, None)?;
        Ok(RecordTestRun {
            record,
            run: finished,
            not_noted,
        })
    }

    fn tree_beside(
        self: &Arc<Self>,
        record: &SavedRecord,
        question: Question<'_>,
    ) -> Result<TreeBeside> {
        self.query(question, |view| {
            let state = view.tree_state();
            let is_known = state.is_some();
            let (tree, dirty) = state.unwrap_or_default();
            let anchored = match view.existing_records()? {
                Some(store) => {
                    let judge = Judge::new(view, &store);
                    let (_, items) = judge.verdict(record, &store.items(record.id)?);
                    let is_same = |state| matches!(state, AnchorState::Same | AnchorState::Moved);
                    !items.is_empty() && items.iter().all(|item| is_same(item.found.state))
                }
                None => false,
            };
            let head = view.repo.snapshot()?.head;
            Ok(TreeBeside {
                seen: SeenTestRun {
                    head_sha: head.map(|head| head.to_string()),
                    tree,
                    dirty,
                    exit_code: 0,
                    took_ms: 0,
                    anchored,
                },
                is_known,
            })
        })
    }
}
