//! The state of an idle server's work trees before it ends, and how another server takes them over.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use super::watching::Watching;
use super::{Workspace, Workspaces};
use crate::error::Result;

impl Workspaces {
    /// Returns the work trees that were asked about.
    pub fn work_trees(&self) -> Vec<PathBuf> {
        self.opened().keys().cloned().collect()
    }

    /// Returns whether nobody asks and nothing is worked off in the background.
    pub fn is_at_rest(&self) -> bool {
        let open = self.opened();
        !self.has_pending_usage() && open.values().all(|workspace| workspace.is_at_rest())
    }

    /// Closes what stays open between calls: the next one opens it again, some milliseconds long.
    pub fn close_what_waits(&self) {
        for workspace in self.opened().values() {
            workspace.close_all_idle();
            workspace.kept_repo.forget();
        }
    }

    /// Watches over a work tree as if it had been asked about.
    ///
    /// # Errors
    /// `not_a_repo`, `git` and `io` where it, or its index, can't be read.
    pub fn take_over(&self, work_tree: &Path) -> Result<()> {
        self.at(work_tree)?.watch_again()
    }
}

impl Workspace {
    fn is_at_rest(&self) -> bool {
        self.n_active_queries.load(Ordering::Acquire) == 0
            && !self.is_catching_up.load(Ordering::Acquire)
            && !self.is_housekeeping.load(Ordering::Acquire)
            && !matches!(*self.watching_now(), Watching::Starting)
    }
}
