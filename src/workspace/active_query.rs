//! A question to an index: its subject, how long it may wait for the index, and who gets progress.
//!
//! Questions that are being answered are counted, so that work in the background makes room for them. Does not answer
//! them; see `query`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{Revision, Workspace};
use crate::model::Budget;
use crate::reconcile::OnProgress;

/// How long a question may bring the index up before it is answered.
#[derive(Clone, Copy, Debug, Default)]
pub enum Patience<'a> {
    /// As configured: `first_build_ms` where the index is missing or was never complete, else `budget_ms`.
    #[default]
    Configured,
    /// At most this long, in any state of the index.
    Within(Duration),
    /// As configured, but a first build goes on to its end unless it is stopped.
    ToTheEnd(&'a FirstBuild),
}

/// The first build of an index that a person waits for.
#[derive(Debug, Default)]
pub struct FirstBuild {
    is_running: AtomicBool,
    stop: Arc<AtomicBool>,
}

impl FirstBuild {
    /// Stops the build, so that the question is answered from the files that were read so far. Returns whether there
    /// was one to stop; it is stopped once.
    pub fn stop(&self) -> bool {
        self.is_running.load(Ordering::Acquire) && !self.stop.swap(true, Ordering::AcqRel)
    }

    pub(super) fn set_running(&self, is_running: bool) {
        self.is_running.store(is_running, Ordering::Release);
    }
}

/// A question to an index.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// Set from outside to give the question up.
    pub interrupt: &'a Arc<AtomicBool>,
    /// How long it may wait for the index.
    pub patience: Patience<'a>,
    /// Told how many files of how many were read.
    pub on_progress: OnProgress<'a>,
    /// The commit that it is about; `None` for the work tree.
    pub revision: Option<&'a Revision>,
    /// Its words: a first build reads the files first that have them in their paths.
    pub words: &'a str,
}

impl<'a> From<&'a Arc<AtomicBool>> for Question<'a> {
    /// A question to the work tree without words, with the configured patience.
    fn from(interrupt: &'a Arc<AtomicBool>) -> Self {
        Self {
            interrupt,
            patience: Patience::Configured,
            on_progress: &|_, _| (),
            revision: None,
            words: "",
        }
    }
}

impl Question<'_> {
    /// Returns the budget of an index that was complete before, from now on.
    pub(super) fn budget(&self, workspace: &Workspace) -> Budget {
        let limit = match self.patience {
            Patience::Within(limit) => limit,
            Patience::Configured | Patience::ToTheEnd(_) => workspace.budget,
        };
        Budget::within(limit, Arc::clone(self.interrupt))
    }

    /// Returns the budget of a first build, from now on.
    pub(super) fn first_budget(&self, workspace: &Workspace) -> Budget {
        match self.patience {
            Patience::Within(limit) => Budget::within(limit, Arc::clone(self.interrupt)),
            Patience::Configured => {
                Budget::within(workspace.first_build, Arc::clone(self.interrupt))
            }
            Patience::ToTheEnd(build) => Budget::unlimited(Arc::clone(&build.stop)),
        }
    }

    /// Notes whether a first build is running for this question.
    pub(super) fn set_building(&self, is_building: bool) {
        if let Patience::ToTheEnd(build) = self.patience {
            build.set_running(is_building);
        }
    }
}

/// A question that is being answered: work in the background makes room for it.
pub(super) struct ActiveQuery<'a>(&'a Workspace);

impl<'a> ActiveQuery<'a> {
    pub(super) fn begin(workspace: &'a Workspace) -> Self {
        workspace.n_active_queries.fetch_add(1, Ordering::AcqRel);
        workspace.make_room.store(true, Ordering::Release);
        Self(workspace)
    }
}

impl Drop for ActiveQuery<'_> {
    fn drop(&mut self) {
        self.0.n_active_queries.fetch_sub(1, Ordering::AcqRel);
    }
}
