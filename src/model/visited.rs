//! The directories and files that one look at the work tree rests on.

use std::collections::HashSet;

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
    use super::Doubts;
    use crate::model::RepoPath;

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
