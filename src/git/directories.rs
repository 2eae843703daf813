//! Remembers the entries of directories, for as long as their stat proves that they are unchanged.
//!
//! A look at an unchanged work tree lists no directory again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::content::now_ns;
use super::directories_bytes;
use super::listing::Special;
use super::open_directory::{EntryKind, Identity, OpenDirectory};
use crate::model::visited::Visited;

/// Bytes of names that are kept of one work tree: about a million files.
const MAX_BYTES: usize = 32 << 20;
/// Length of a path up to which a directory is remembered: with any name below it, it is one that the system takes
/// in one piece (`PATH_MAX`, 4,096 bytes on Linux).
const MAX_PATH_BYTES: usize = 3_500;

/// From how many directories on a command remembers them for the next one.
const MANY: usize = 256;

/// The remembered directories of one work tree. A server keeps them from call to call, commands in a file.
///
/// Invariant: the entries were read between two looks at the directory that found the same stat, later than
/// `settled_after` its last change. An entry that comes, goes or is renamed afterwards changes that stat, since the
/// clock has left the tick of the last change; this holds on local file systems, and those alone are remembered.
#[derive(Debug)]
pub struct Directories {
    settled_after: Duration,
    max_bytes: usize,
    state: Mutex<Cache>,
}

#[derive(Debug, Default)]
struct Cache {
    /// By the path, empty for the root, else with a slash at its end.
    kept: HashMap<Box<[u8]>, CachedDirectory>,
    n_bytes: usize,
    n_walks: u64,
    /// How many directories were listed and remembered.
    n_listed: usize,
    /// The last complete walk for members, by its number.
    last: Option<(u64, Arc<Visited>)>,
}

#[derive(Debug)]
struct CachedDirectory {
    identity: Identity,
    contents: DirectoryEntries,
    /// The number of the last walk that came by.
    walk: u64,
}

/// The entries of a directory. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct DirectoryEntries {
    pub(super) special: Special,
    pub(super) names: Arc<EntryNames>,
}

/// Names with their kinds, in the file system's order.
#[derive(Debug, Default)]
pub(super) struct EntryNames {
    /// Each as a byte for the kind, the name and a zero byte, which is in no name.
    packed: Vec<u8>,
}

/// One walk, which forgets the directories that it does not visit.
pub(super) struct Pass<'a> {
    directories: &'a Directories,
    number: u64,
}

/// The right to remember the entries of one directory, once they were read.
pub(super) struct Claim {
    before: Identity,
}

impl Directories {
    /// Returns the empty set of a work tree. A directory that changed less than `settled_after` before it is read is
    /// read again: the coarsest tick of the clocks of file systems, 2 s (FAT), where nothing else is known.
    pub fn new(settled_after: Duration) -> Self {
        Self {
            settled_after,
            max_bytes: MAX_BYTES,
            state: Mutex::default(),
        }
    }

    /// Returns the directories that another process of this machine remembered, by [`Self::to_bytes`]; none where the bytes are not
    /// whole.
    pub fn of_bytes(settled_after: Duration, mut bytes: &[u8]) -> Self {
        let known = Self::new(settled_after);
        let mut state = known.state();
        while let Some((path, identity, contents)) = directories_bytes::take(&mut bytes) {
            let kept = CachedDirectory {
                identity,
                contents,
                walk: 0,
            };
            state.n_bytes += kept.n_bytes();
            state.kept.insert(path, kept);
        }
        if !bytes.is_empty() || state.n_bytes > known.max_bytes {
            *state = Cache::default();
        }
        drop(state);
        known
    }

    /// Returns the remembered directories as bytes, if that pays for the next process: there are many, and many were listed in this one.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let state = self.state();
        let n_kept = state.kept.len();
        if n_kept < MANY || state.n_listed < (n_kept / 16).max(MANY / 4) {
            return None;
        }
        let mut paths: Vec<_> = state.kept.iter().collect();
        paths.sort_unstable_by_key(|(path, _)| *path);
        let mut bytes = Vec::new();
        for (path, kept) in paths {
            directories_bytes::put(&mut bytes, path, &kept.identity, &kept.contents.names);
        }
        Some(bytes)
    }

    /// Begins a walk over the work tree.
    pub(super) fn begin(&self) -> Pass<'_> {
        let mut state = self.state();
        state.n_walks += 1;
        Pass {
            directories: self,
            number: state.n_walks,
        }
    }

    /// Returns how many walks have begun.
    pub fn n_walks(&self) -> u64 {
        self.state().n_walks
    }

    /// Returns the directories and linked files of the last complete walk over the members, if it began after the first `n_walks`.
    pub fn visited_after(&self, n_walks: u64) -> Option<Arc<Visited>> {
        let state = self.state();
        let last = state.last.as_ref().filter(|(number, _)| *number > n_walks);
        last.map(|(_, visited)| Arc::clone(visited))
    }

    #[cfg(test)]
    pub(super) fn of_at_most(self, max_bytes: usize) -> Self {
        Self { max_bytes, ..self }
    }

    #[cfg(test)]
    pub(super) fn n_kept(&self) -> usize {
        self.state().kept.len()
    }

    fn state(&self) -> MutexGuard<'_, Cache> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pass<'_> {
    /// Returns which directory is at `path` and its remembered entries, if `now` proves that it is unchanged.
    pub(super) fn look_up(
        &self,
        path: &[u8],
        now: impl FnOnce() -> Option<Identity>,
    ) -> Option<(Identity, DirectoryEntries)> {
        let (identity, contents) = {
            let mut state = self.directories.state();
            let kept = state.kept.get_mut(path)?;
            kept.walk = kept.walk.max(self.number);
            (kept.identity, kept.contents.clone())
        };
        (now() == Some(identity)).then_some((identity, contents))
    }

    /// Returns the right to remember the entries of an open directory, which was `before` just now and is read after this,
    /// where their state can be proved.
    pub(super) fn claim(&self, dir: &OpenDirectory, before: Identity) -> Option<Claim> {
        let now_ns = now_ns();
        let is_settled = before.stat.is_older(self.directories.settled_after, now_ns);
        (is_settled && dir.notes_changes()).then_some(Claim { before })
    }

    /// Remembers the entries that were read from the directory at `path` since its claim was given.
    pub(super) fn keep(
        &self,
        path: &[u8],
        dir: &OpenDirectory,
        claim: &Claim,
        contents: &DirectoryEntries,
    ) {
        if path.len() > MAX_PATH_BYTES || dir.identity() != Some(claim.before) {
            return;
        }
        let kept = CachedDirectory {
            identity: claim.before,
            contents: contents.clone(),
            walk: self.number,
        };
        let n_bytes = kept.n_bytes();
        let mut state = self.directories.state();
        if let Some(old) = state.kept.remove(path) {
            state.n_bytes -= old.n_bytes();
        }
        if state.n_bytes + n_bytes <= self.directories.max_bytes {
            state.n_bytes += n_bytes;
            state.n_listed += 1;
            state.kept.insert(path.into(), kept);
        }
    }

    /// Ends the walk, which visited every directory: directories that it did not visit are forgotten. `visited` is of a
    /// walk over the members.
    pub(super) fn end(self, visited: Option<Visited>) {
        let mut state = self.directories.state();
        let is_newer = state
            .last
            .as_ref()
            .is_none_or(|(number, _)| *number < self.number);
        if let Some(visited) = visited.filter(|_| is_newer) {
            state.last = Some((self.number, Arc::new(visited)));
        }
        state.kept.retain(|_, kept| kept.walk >= self.number);
        state.n_bytes = state.kept.values().map(CachedDirectory::n_bytes).sum();
    }
}

impl CachedDirectory {
    fn n_bytes(&self) -> usize {
        // About the size of an entry of the table.
        self.contents.names.packed.len() + 200
    }
}

impl EntryNames {
    /// Returns the names in the form of [`Self::packed`].
    pub(super) fn of_packed(packed: &[u8]) -> Self {
        Self {
            packed: packed.to_vec(),
        }
    }

    /// Returns all names as they are held.
    pub(super) fn packed(&self) -> &[u8] {
        &self.packed
    }

    pub(super) fn push(&mut self, name: &[u8], kind: EntryKind) {
        self.packed.push(kind as u8);
        self.packed.extend_from_slice(name);
        self.packed.push(0);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], EntryKind)> {
        let entries = self.packed.split(|byte| *byte == 0);
        entries.filter_map(|entry| {
            let (kind, name) = entry.split_first()?;
            let kinds = [
                EntryKind::File,
                EntryKind::Directory,
                EntryKind::Link,
                EntryKind::Special,
            ];
            let kind = kinds.into_iter().find(|known| *known as u8 == *kind)?;
            Some((name, kind))
        })
    }
}
