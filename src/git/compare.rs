//! Compares the tree of `HEAD`, the staging area and the work tree of a repository with references in tables.
//!
//! The library's comparison in `dirty.rs` reads `HEAD` in search of submodules, which fails there. Its parts do not.

use std::sync::atomic::{AtomicBool, Ordering};

use gix::bstr::BStr;
use gix::index::Entry as IndexEntry;
use gix::status::plumbing::index_as_worktree::traits::{FastEq, SubmoduleStatus};
use gix::status::plumbing::index_as_worktree_with_renames::{Entry, Recorder};
use gix::status::tree_index::TrackRenames;

use crate::model::RepoPath;

use super::dirty::{staged, unstaged};

/// Takes every submodule as unchanged: they are repositories of their own.
#[derive(Clone)]
struct NoSubmodules;

impl SubmoduleStatus for NoSubmodules {
    type Output = ();

    fn status(&mut self, _: &IndexEntry, _: &BStr) -> gix::Result<Option<()>> {
        Ok(None)
    }
}

/// Adds the tracked paths that differ between `tree` (`None` where the staging area is known to equal it), the staging
/// area and the work tree; returns false when it was stopped.
pub(super) fn compare(
    repo: &gix::Repository,
    index: &gix::index::State,
    tree: Option<gix::ObjectId>,
    stop: &AtomicBool,
    paths: &mut Vec<RepoPath>,
) -> gix::Result<bool> {
    if let Some(tree) = tree {
        repo.tree_index_status(
            &tree,
            index,
            None,
            TrackRenames::Disabled,
            |change, _, _| {
                paths.extend(staged(&change));
                Ok(if stop.load(Ordering::Relaxed) {
                    std::ops::ControlFlow::Break(())
                } else {
                    std::ops::ControlFlow::Continue(())
                })
            },
        )?;
    }
    let mut recorder = Recorder::default();
    let compared = repo.index_worktree_status(
        index,
        None::<&BStr>,
        &mut recorder,
        FastEq,
        NoSubmodules,
        &mut gix::progress::Discard,
        stop,
        gix::status::index_worktree::Options::default(),
    );
    let was_stopped = stop.load(Ordering::Relaxed);
    if !was_stopped {
        compared?;
    }
    for entry in recorder.records {
        if let Entry::Modification {
            entry,
            rela_path,
            status,
            ..
        } = entry
        {
            paths.extend(unstaged(entry, rela_path, &status));
        }
    }
    Ok(!was_stopped)
}
