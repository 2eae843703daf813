//! Paths of the work tree that differ from `HEAD`, as `git status` lists them, for comparisons, bundles and saved records.
//!
//! Not asked before a query: the files to index again are those that differ from the index; see `scan` and `reconcile::plan`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gix::bstr::{BStr, ByteSlice};
use gix::index::entry::{Flags, Mode};
use gix::status::index_worktree::Item as WorkTreeItem;
use gix::status::plumbing::index_as_worktree::{Change, EntryStatus};

use crate::model::{Budget, RepoPath};

use super::compare::compare;
use super::error::boxed;
use super::staging::Staging;
use super::walk::{WalkMode, walk};
use super::{GitError, Repo, reftable};

const POLL: Duration = Duration::from_millis(2);

/// The result of [`Repo::dirty`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dirty {
    /// Paths that were changed, added (staged, or untracked and not ignored), deleted, replaced by
    /// another kind of file, or are in conflict; both ends of a rename. Sorted, each once.
    pub paths: Vec<RepoPath>,
    /// Whether all was compared.
    pub complete: bool,
}

/// Whether files are compared whose differences bits of the staging area hide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HiddenFiles {
    Compared,
    Hidden,
}

impl Repo {
    /// Lists the files that differ from `HEAD`, as `git status --porcelain -uall --no-renames
    /// --ignore-submodules=all` does, repositories inside this one and names that are not UTF-8 left out; besides those whose difference bits
    /// of the staging area hide (`assume-unchanged`, `skip-worktree`).
    ///
    /// Costs about 10 µs a tracked file when nothing changed; changed files are read. A budget that ends
    /// gives `complete: false`. In a commit nothing differs.
    pub fn dirty(&self, budget: &Budget) -> Result<Dirty, GitError> {
        self.dirty_with(HiddenFiles::Compared, budget)
    }

    /// Lists the files that differ from `HEAD` as [`Self::dirty`] does, without those whose difference is hidden: a `git commit -a` would
    /// store the others.
    pub fn dirty_to_git(&self, budget: &Budget) -> Result<Dirty, GitError> {
        self.dirty_with(HiddenFiles::Hidden, budget)
    }

    fn dirty_with(&self, hidden: HiddenFiles, budget: &Budget) -> Result<Dirty, GitError> {
        if self.source.is_commit() {
            let paths = Vec::new();
            return Ok(Dirty {
                paths,
                complete: true,
            });
        }
        let staging = self.staging()?;
        let found = walk(self, &staging, &self.rules()?, WalkMode::UNTRACKED, budget);
        self.dirty_of(staging, hidden, (found.untracked, found.complete), budget)
    }

    /// Adds to `paths`, the untracked ones, those tracked ones that differ; nothing where they are not `complete`.
    pub(super) fn dirty_of(
        &self,
        staging: Staging,
        hidden: HiddenFiles,
        (mut paths, mut complete): (Vec<RepoPath>, bool),
        budget: &Budget,
    ) -> Result<Dirty, GitError> {
        if complete {
            let stop = Arc::new(AtomicBool::new(false));
            let alive = Arc::new(());
            let comparing = Arc::downgrade(&alive);
            complete = std::thread::scope(|scope| {
                // The library watches a flag, and sets it itself when it ends; the budget's stays ours.
                let watcher = scope.spawn(|| {
                    while comparing.strong_count() > 0 {
                        if budget.is_spent() {
                            stop.store(true, Ordering::Relaxed);
                            return;
                        }
                        std::thread::park_timeout(POLL);
                    }
                });
                let compared = self.compare(staging, hidden, &stop, &mut paths);
                drop(alive);
                watcher.thread().unpark();
                compared
            })?;
        }
        paths.sort_unstable();
        paths.dedup();
        Ok(Dirty { paths, complete })
    }

    /// Adds the tracked paths that differ; returns false when it was stopped.
    fn compare(
        &self,
        staging: Staging,
        hidden: HiddenFiles,
        stop: &Arc<AtomicBool>,
        paths: &mut Vec<RepoPath>,
    ) -> Result<bool, GitError> {
        let failed = |source| GitError::Status {
            source: boxed(source),
        };
        let mut file = staging.into_file();
        self.show_hidden_files(&mut file, hidden);
        paths.extend(self.filtered(&mut file).map_err(failed)?);
        let head = self.head_tree()?;
        let is_as_head = is_as_tree(&file, head);
        if reftable::is_used_by(&self.inner) {
            let tree = (!is_as_head).then_some(head);
            return compare(&self.inner, &file, tree, stop, paths).map_err(failed);
        }
        let index = gix::worktree::IndexPersistedOrInMemory::InMemory(file);
        let status = self
            .inner
            .status(gix::progress::Discard)
            .map_err(failed)?
            .head_tree(head)
            .index(index)
            .untracked_files(gix::status::UntrackedFiles::None)
            .index_worktree_rewrites(None)
            .index_worktree_submodules(None)
            .tree_index_track_renames(gix::status::tree_index::TrackRenames::Disabled)
            .should_interrupt_owned(Arc::clone(stop));
        if is_as_head {
            let mut items = status.into_index_worktree_iter(None).map_err(failed)?;
            let is_whole = gather(items.by_ref(), |item| unstaged_item(&item), stop, paths)?;
            return Ok(items.into_outcome().is_some() && is_whole);
        }
        let mut items = status.into_iter(None).map_err(failed)?;
        let path_of = |item| match item {
            gix::status::Item::TreeIndex(change) => staged(&change),
            gix::status::Item::IndexWorktree(item) => unstaged_item(&item),
        };
        let is_whole = gather(items.by_ref(), path_of, stop, paths)?;
        Ok(items.into_outcome().is_some() && is_whole)
    }

    /// Returns the tree of `HEAD`, an empty one before the first commit.
    fn head_tree(&self) -> Result<gix::ObjectId, GitError> {
        let Some(commit) = self.head_commit()? else {
            return Ok(gix::ObjectId::empty_tree(self.inner.object_hash()));
        };
        let tree = commit.tree_id().map_err(|source| GitError::Status {
            source: boxed(source),
        })?;
        Ok(tree.detach())
    }

    /// Lets the comparison see files that bits of the staging area hide: of those that are to be left out the ones that are there, as git
    /// does it in a sparse checkout, and where hidden files are compared those that are to be taken as unchanged.
    fn show_hidden_files(&self, file: &mut gix::index::File, hidden: HiddenFiles) {
        let is_all = hidden == HiddenFiles::Compared;
        let config = self.inner.config_snapshot();
        let is_set = |key| config.boolean(key).unwrap_or(false);
        let is_sparse =
            is_set("core.sparseCheckout") && !is_set("sparse.expectFilesOutsideOfPatterns");
        if !is_all && !is_sparse {
            return;
        }
        let mut absent: Option<Vec<u8>> = None;
        for (entry, path) in file.entries_mut_with_paths() {
            if is_all {
                entry.flags.remove(Flags::ASSUME_VALID);
            }
            let is_below = |dir: &Vec<u8>| path.starts_with(dir);
            if !entry.flags.contains(Flags::SKIP_WORKTREE) || absent.as_ref().is_some_and(is_below)
            {
                continue;
            }
            let Ok(relative) = gix::path::from_bstr(path) else {
                continue;
            };
            let full = self.work_dir.join(relative);
            if full.symlink_metadata().is_ok() {
                entry.flags.remove(Flags::SKIP_WORKTREE);
            } else if full.parent().is_some_and(|dir| !dir.exists()) {
                let end = path.rfind_byte(b'/').map_or(0, |at| at + 1);
                absent = Some(path[..end].to_vec());
            }
        }
    }

    /// Returns whether the files of a clean work tree hold the bytes that git stores: none of them is hidden from git by a bit of
    /// the staging area (`assume-unchanged`, `skip-worktree`), and none is changed by a filter driver when it is checked out
    /// (Git LFS, git-crypt). Costs a scan.
    ///
    /// # Errors
    /// Those of [`Repo::scan`].
    pub fn holds_what_git_stores(&self, budget: &Budget) -> Result<bool, GitError> {
        let staging = self.staging()?.into_file();
        let hidden = Flags::SKIP_WORKTREE | Flags::ASSUME_VALID;
        let is_hidden_file = |entry: &gix::index::Entry| {
            let is_there = |path: &std::path::Path| path.symlink_metadata().is_ok();
            entry.flags.intersects(hidden)
                && gix::path::from_bstr(entry.path(&staging))
                    .map_or(true, |path| is_there(&self.work_dir.join(path)))
        };
        if staging.entries().iter().any(is_hidden_file) {
            return Ok(false);
        }
        let scan = self.scan(budget)?;
        let mut attributes = self.attributes(&scan)?;
        let mut files = scan.files.iter();
        Ok(scan.complete && !files.any(|file| attributes.has_filter(&file.path)))
    }

    /// Decides by stat alone over the paths that have a filter driver, returns those that differ, and
    /// takes all of them out of the comparison.
    fn filtered(&self, file: &mut gix::index::File) -> gix::Result<Vec<RepoPath>> {
        let mut dirty = Vec::new();
        if self.drivers.is_empty() {
            return Ok(dirty);
        }
        let source = gix::worktree::stack::state::attributes::Source::WorktreeThenIdMapping;
        let mut stack = self.inner.attributes_only(file, source)?;
        let mut outcome = stack.selected_attribute_matches(["filter"]);
        let timestamp = file.timestamp();
        let options = self.inner.stat_options()?;
        for (entry, path) in file.entries_mut_with_paths() {
            let is_file = matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE);
            if !is_file || entry.stage_raw() != 0 || entry.flags.contains(Flags::INTENT_TO_ADD) {
                continue;
            }
            let platform = stack.at_entry(path, Some(entry.mode))?;
            outcome.reset();
            platform.matching_attributes(&mut outcome);
            let is_filtered = outcome.iter_selected().next().is_some_and(|found| {
                let name = found.assignment.state.as_bstr();
                self.drivers
                    .iter()
                    .any(|driver| Some(driver.as_bstr()) == name)
            });
            if !is_filtered {
                continue;
            }
            let hidden = Flags::SKIP_WORKTREE | Flags::ASSUME_VALID;
            if !entry.flags.intersects(hidden) {
                let mut options = options;
                options.use_nsec |= entry.stat.mtime.nsecs != 0;
                let is_same = self.stat_now(path).is_some_and(|stat| {
                    stat.matches(&entry.stat, options) && !stat.is_racy(timestamp, options)
                });
                if !is_same {
                    dirty.extend(repo_path(path));
                }
            }
            entry.flags.insert(Flags::ASSUME_VALID);
        }
        Ok(dirty)
    }

    /// Returns the stat of the regular file at `path`, in the form git compares.
    fn stat_now(&self, path: &BStr) -> Option<gix::index::entry::Stat> {
        self.source.stat(&repo_path(path)?).ok()??;
        let full = self.work_dir.join(gix::path::from_bstr(path).ok()?);
        let meta = gix::index::fs::Metadata::from_path_no_follow(&full).ok()?;
        gix::index::entry::Stat::from_fs(&meta).ok()
    }
}

/// Returns whether git wrote into the staging area that it is `tree`, for as many entries as there are: then the trees
/// need not be read. Git takes the note back with the first path that is staged, also one that is only intended to be
/// (`cache-tree.c`).
fn is_as_tree(file: &gix::index::File, tree: gix::ObjectId) -> bool {
    file.tree().is_some_and(|noted| {
        let n_entries = noted.num_entries.map(|n| n as usize);
        n_entries == Some(file.entries().len()) && noted.id == tree
    })
}

/// Adds the paths that a comparison yields; returns false when it was stopped.
fn gather<T>(
    items: impl Iterator<Item = gix::Result<T>>,
    path_of: impl Fn(T) -> Option<RepoPath>,
    stop: &AtomicBool,
    paths: &mut Vec<RepoPath>,
) -> Result<bool, GitError> {
    let was_stopped = || stop.load(Ordering::Relaxed);
    for item in items {
        match item {
            Ok(item) => paths.extend(path_of(item)),
            Err(_) if was_stopped() => return Ok(false),
            Err(source) => {
                let source = boxed(source);
                return Err(GitError::Status { source });
            }
        }
    }
    // The library may end as if it were done where it was stopped.
    Ok(!was_stopped())
}

/// Returns the path of a difference between `HEAD` and the staging area.
pub(super) fn staged(change: &gix::diff::index::ChangeRef<'_, '_>) -> Option<RepoPath> {
    use gix::diff::index::ChangeRef;
    let (path, is_submodule) = match change {
        ChangeRef::Addition {
            location,
            entry_mode,
            ..
        }
        | ChangeRef::Deletion {
            location,
            entry_mode,
            ..
        } => (location, *entry_mode == Mode::COMMIT),
        ChangeRef::Modification {
            location,
            previous_entry_mode,
            entry_mode,
            ..
        } => {
            let both = *entry_mode == Mode::COMMIT && *previous_entry_mode == Mode::COMMIT;
            (location, both)
        }
        ChangeRef::Rewrite { location, .. } => (location, false),
    };
    if is_submodule {
        return None;
    }
    repo_path(path)
}

/// Returns the path of a difference between the staging area and the work tree.
pub(super) fn unstaged<T, U>(
    entry: &gix::index::Entry,
    rela_path: &BStr,
    status: &EntryStatus<T, U>,
) -> Option<RepoPath> {
    let is_clean = match status {
        EntryStatus::NeedsUpdate(_) | EntryStatus::Change(Change::SubmoduleModification(_)) => true,
        EntryStatus::Change(Change::Removed) => entry.mode == Mode::COMMIT,
        EntryStatus::Change(_) | EntryStatus::Conflict { .. } | EntryStatus::IntentToAdd => false,
    };
    if is_clean {
        return None;
    }
    repo_path(rela_path)
}

/// Returns the path of a difference that the library's iterator found between the staging area and the work tree.
fn unstaged_item(item: &WorkTreeItem) -> Option<RepoPath> {
    match item {
        WorkTreeItem::Modification {
            entry,
            rela_path,
            status,
            ..
        } => unstaged(entry, rela_path.as_bstr(), status),
        _ => None,
    }
}

fn repo_path(path: &BStr) -> Option<RepoPath> {
    RepoPath::new(path.to_str().ok()?)
}
