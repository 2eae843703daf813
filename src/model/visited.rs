//! The directories and files that one look at the work tree rests on.

use std::collections::{BTreeSet, HashSet};

use super::{FileStat, RepoPath};

/// File systems of this machine that tell of each change, in a directory's stat and by an event: ext2 to ext4, btrfs,
/// XFS, F2FS, bcachefs, ZFS, tmpfs, as `f_type` of `statfs(2)`. Not overlayfs: the layers below may have been changed
/// between two mounts, and the stat of a directory tells of the upper one alone.
pub const TELLING_FILE_SYSTEMS: [i64; 7] = [
    0xef53,
    0x9123_683e,
    0x5846_5342,
    0xf2f5_2010,
    0xca45_1a4e,
    0x2fc1_2fc1,
    0x0102_1994,
];

/// Which directory it is, under whatever name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DirectoryId {
    /// The device of its file system.
    pub device: u64,
    /// Its inode number.
    pub inode: u64,
}

/// A directory that a look listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitedDirectory {
    /// Its path below the root: empty for the root, else with a slash at its end, as in `src/store/`.
    pub path: Box<[u8]>,
    /// Which one was there; `None` where the system can't tell.
    pub id: Option<DirectoryId>,
}

/// Everything that one complete look at the work tree listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Visited {
    /// Every directory that was listed, in no order.
    pub directories: Vec<VisitedDirectory>,
    /// Files with more than one name (hard links), with their stat: a write through another name is told elsewhere.
    pub linked: Vec<(RepoPath, FileStat)>,
    /// Every `.gitattributes` that was listed, sorted.
    pub attributes: Vec<RepoPath>,
    /// Directories with entries that are counted and have no row (links, names that are not UTF-8, nested repositories).
    pub with_left_out: HashSet<Box<[u8]>>,
}

/// Directories in which entries may have changed while all others are as they were. Paths as a [`VisitedDirectory`] has
/// them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedDirectories {
    paths: BTreeSet<Box<[u8]>>,
}

impl ChangedDirectories {
    /// Returns a set of directories.
    pub fn new(paths: impl IntoIterator<Item = Box<[u8]>>) -> Self {
        Self {
            paths: paths.into_iter().collect(),
        }
    }

    /// Returns the directories, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.paths.iter().map(AsRef::as_ref)
    }

    /// Returns whether entries directly in a directory may have changed.
    pub fn has(&self, directory: &[u8]) -> bool {
        self.paths.contains(directory)
    }

    /// Returns whether entries in a directory, or anywhere below it, may have changed.
    ///
    /// **Example.** Of `src/store/` that is so of the root, of `src/` and of `src/store/`, not of `src/git/`.
    pub fn is_at_or_below(&self, directory: &[u8]) -> bool {
        let from = (
            std::ops::Bound::Included(directory),
            std::ops::Bound::Unbounded,
        );
        let mut after = self.paths.range::<[u8], _>(from);
        after
            .next()
            .is_some_and(|first| first.starts_with(directory))
    }
}

/// Files that may hold other bytes although their stat is equal: whoever wrote to them closed them since. A store to a
/// page that is mapped and already written to changes no time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doubts {
    paths: HashSet<String>,
}

impl Doubts {
    /// Returns doubts about files (`src/a.ts`) and all files directly in directories (`src/`, empty for the root).
    pub fn new(paths: impl IntoIterator<Item = String>) -> Self {
        Self {
            paths: paths.into_iter().collect(),
        }
    }

    /// Returns whether nothing is doubted.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Returns whether an equal stat of the file at `path` proves nothing.
    pub fn has(&self, path: &RepoPath) -> bool {
        let text = path.as_str();
        let directory = &text[..text.rfind('/').map_or(0, |at| at + 1)];
        !self.is_empty() && (self.paths.contains(text) || self.paths.contains(directory))
    }
}

#[cfg(test)]
mod tests {
    use super::{ChangedDirectories, Doubts};
    use crate::model::RepoPath;

    #[test]
    fn the_way_to_a_changed_directory_is_known() {
        let changed = ["src/store/", "a/"].map(|path| path.as_bytes().into());
        let changed = ChangedDirectories::new(changed);
        for (directory, is_there, is_way) in [
            ("", false, true),
            ("src/", false, true),
            ("src/store/", true, true),
            ("src/store/inner/", false, false),
            ("src/stores/", false, false),
            ("b/", false, false),
        ] {
            let directory = directory.as_bytes();
            assert_eq!(changed.has(directory), is_there);
            assert_eq!(changed.is_at_or_below(directory), is_way);
        }
        let root = ChangedDirectories::new([Box::from(&b""[..])]);
        assert!(root.has(b"") && root.is_at_or_below(b"") && !root.is_at_or_below(b"a/"));
        assert!(!ChangedDirectories::default().is_at_or_below(b""));
    }

    #[test]
    fn a_directory_stands_for_the_files_directly_in_it() {
        let doubts = Doubts::new(["src/a.ts".to_owned(), "lib/".to_owned()]);
        let has = |path| doubts.has(&RepoPath::new(path).unwrap());
        assert!(has("src/a.ts") && has("lib/b.ts"));
        assert!(!has("src/b.ts") && !has("lib/inner/b.ts") && !has("a.ts"));
        let root = Doubts::new([String::new()]);
        assert!(root.has(&RepoPath::new("a.ts").unwrap()));
        assert!(!root.has(&RepoPath::new("src/a.ts").unwrap()));
    }
}
