//! Questions that are being answered, counted: what works in the background makes room for them.
//!
//! Refuses to know what is asked.

use std::sync::atomic::Ordering;

use super::Workspace;

/// A question that is being answered: what works in the background makes room for it.
pub(super) struct Asking<'a>(&'a Workspace);

impl<'a> Asking<'a> {
    pub(super) fn begin(workspace: &'a Workspace) -> Self {
        workspace.n_asking.fetch_add(1, Ordering::AcqRel);
        workspace.make_room.store(true, Ordering::Release);
        Self(workspace)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.n_asking.fetch_sub(1, Ordering::AcqRel);
    }
}
