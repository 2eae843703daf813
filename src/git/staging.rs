//! Git's staging area as it is on disk at this moment, and questions to it.
//!
//! It is read afresh in each call and never written.

use std::collections::HashMap;
use std::ops::Range;

use gix::bstr::{BString, ByteSlice};
use gix::index::entry::{Flags, Mode};

use super::error::boxed;
use super::{GitError, Repo};
use crate::model::RepoPath;

/// The staging area, with the directories of a sparse one expanded. Entries are in the order of their
/// paths' bytes, then of their stage.
pub(super) struct Staging {
    file: gix::index::File,
    /// Ignore files that are tracked but kept out of a sparse work tree; git applies them nevertheless.
    sparse_rules: HashMap<BString, Vec<u8>>,
}

impl Repo {
    /// Reads the staging area; an empty one where there is no file. Costs about 0.3 µs an entry.
    pub(super) fn staging(&self) -> Result<Staging, GitError> {
        let path = self.staging_path();
        let failed = |source: gix::Error| GitError::Staging {
            path: path.clone(),
            source: boxed(source),
        };
        let options = gix::index::decode::Options::default();
        let hash = self.inner.object_hash();
        // As git does, without comparing the checksum over all of it (`verify_index_checksum` in read-cache.c).
        let mut file =
            gix::index::File::at_or_default(&path, hash, true, options).map_err(failed)?;
        if file.is_sparse() {
            file = self.expand(&file).map_err(failed)?;
        }
        // Flags by which another program vouches for a file are no proof here.
        for entry in file.entries_mut() {
            entry.flags.remove(Flags::UPTODATE | Flags::FSMONITOR_VALID);
        }
        let sparse_rules = self.sparse_rules(&file);
        Ok(Staging { file, sparse_rules })
    }

    /// Returns the tracked files that a sparse checkout leaves out of the work tree, by path; none of a commit. Costs reading the staging area
    /// where the repository is sparse, else nothing.
    ///
    /// # Errors
    /// Where the staging area can't be read.
    pub fn files_not_checked_out(&self) -> Result<Vec<RepoPath>, GitError> {
        let is_sparse = self.inner.config_snapshot().boolean("core.sparseCheckout");
        if is_sparse != Some(true) || self.source.is_commit() {
            return Ok(Vec::new());
        }
        let staging = self.staging()?.into_file();
        let mut paths = Vec::new();
        for entry in staging.entries() {
            let is_file = matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE);
            if is_file && entry.flags.contains(Flags::SKIP_WORKTREE) {
                let path = std::str::from_utf8(entry.path(&staging)).ok();
                paths.extend(path.and_then(RepoPath::new));
            }
        }
        paths.retain(|path| !self.source.has_entry(path));
        Ok(paths)
    }

    /// Returns the bytes that `HEAD` has at a path, which no filter has converted; `None` where it has no file there, or one of more than `limit` bytes,
    /// or this clone lacks them. Packs that came since the repository was opened are looked for.
    pub fn read_at_head(&self, path: &RepoPath, limit: u64) -> Option<Vec<u8>> {
        let tree = self.head_commit().ok()??.tree().ok()?;
        let entry = tree.lookup_entry_by_path(path.as_str()).ok()??;
        if !entry.mode().is_blob() {
            return None;
        }
        let size = self.inner.find_header(entry.object_id()).ok()?.size();
        if size > limit {
            return None;
        }
        let object = entry.object().ok()?;
        Some(object.data.clone())
    }

    /// Replaces each directory of a sparse staging area by the files of its tree.
    fn expand(&self, sparse: &gix::index::File) -> gix::Result<gix::index::File> {
        let mut state = gix::index::State::new(sparse.object_hash());
        for entry in sparse.entries() {
            let path = entry.path(sparse);
            if entry.mode != Mode::DIR {
                let (stat, flags) = (entry.stat, entry.flags);
                state.dangerously_push_entry(stat, entry.id, flags, entry.mode, path);
                continue;
            }
            let below = self.inner.index_from_tree(&entry.id)?;
            for inner in below.entries() {
                let mut full = path.to_vec();
                full.extend_from_slice(inner.path(&below));
                let flags = Flags::SKIP_WORKTREE | Flags::EXTENDED;
                let stat = gix::index::entry::Stat::default();
                let path = full.as_bstr();
                state.dangerously_push_entry(stat, inner.id, flags, inner.mode, path);
            }
        }
        state.sort_entries();
        state.set_timestamp(sparse.timestamp());
        Ok(gix::index::File::from_state(state, sparse.path()))
    }

    fn sparse_rules(&self, file: &gix::index::File) -> HashMap<BString, Vec<u8>> {
        let mut found = HashMap::new();
        for entry in file.entries() {
            if !entry.flags.contains(Flags::SKIP_WORKTREE) {
                continue;
            }
            let path = entry.path(file);
            if path.rsplit(|byte| *byte == b'/').next() != Some(b".gitignore") {
                continue;
            }
            if let Ok(object) = self.inner.find_object(entry.id) {
                found.insert(path.to_owned(), object.data.clone());
            }
        }
        found
    }
}

impl Staging {
    /// Returns the range of all entries.
    pub(super) fn all(&self) -> Range<usize> {
        0..self.file.entries().len()
    }

    /// Returns the entries of `within` whose path begins with `prefix`.
    pub(super) fn below(&self, within: Range<usize>, prefix: &[u8]) -> Range<usize> {
        let entries = &self.file.entries()[within.clone()];
        let start = entries.partition_point(|entry| self.path(entry) < prefix);
        let n_below =
            entries[start..].partition_point(|entry| self.path(entry).starts_with(prefix));
        within.start + start..within.start + start + n_below
    }

    /// Returns the mode of the entry at `path`, in any stage; `None` where it is not tracked.
    pub(super) fn mode(&self, within: Range<usize>, path: &[u8]) -> Option<Mode> {
        let entries = &self.file.entries()[within];
        let at = entries.partition_point(|entry| self.path(entry) < path);
        let entry = entries.get(at)?;
        (self.path(entry) == path).then_some(entry.mode)
    }

    /// Returns whether `path`, or anything below it, is tracked.
    pub(super) fn has_below_or_at(&self, path: &[u8]) -> bool {
        let prefix = [path, b"/"].concat();
        self.mode(self.all(), path).is_some() || !self.below(self.all(), &prefix).is_empty()
    }

    /// Returns the ignore rules that git takes from the staging area, since sparse checkout left the
    /// file at `path` out.
    pub(super) fn sparse_rules(&self, path: &[u8]) -> Option<&[u8]> {
        self.sparse_rules.get(path.as_bstr()).map(Vec::as_slice)
    }

    /// Turns it into the library's form.
    pub(super) fn into_file(self) -> gix::index::File {
        self.file
    }

    fn path<'a>(&'a self, entry: &'a gix::index::Entry) -> &'a [u8] {
        entry.path(&self.file)
    }
}
