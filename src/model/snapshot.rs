//! Which state of which work tree an index belongs to, and the files found in it.

use std::time::Duration;

use super::{BlobId, CommitId, RepoPath};

/// In the place of a work tree's name: an index with it is of a commit, whatever is checked out.
pub const COMMIT_SOURCE: &str = "commit";

/// In the place of a work tree's name: an index with it was imported. Git can have no such work tree, so that no answer is ever given
/// from it; new indexes start from it.
pub const BUNDLE_SOURCE: &str = "bundle";

/// The branch or commit that `HEAD` points to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Branch {
    /// A branch by its short name (`feat/x`).
    Named(String),
    /// A commit, not a branch.
    Detached,
}

impl Branch {
    /// Returns the short name; `None` when detached.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name),
            Self::Detached => None,
        }
    }
}

/// Branch and commit that are checked out. Within one work tree it names exactly one index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Snapshot {
    /// The branch or commit that `HEAD` points to.
    pub branch: Branch,
    /// The commit; `None` where the branch has no commit yet (unborn).
    pub head: Option<CommitId>,
}

/// The part of `lstat` that tells one state of a file from another. Times are nanoseconds since the Unix epoch;
/// `inode` is 0 where the platform has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileStat {
    /// Length in bytes.
    pub size_bytes: u64,
    /// Last change of the content.
    pub mtime_ns: i64,
    /// Last change of the inode, which no ordinary program can set back.
    pub ctime_ns: i64,
    /// The inode number.
    pub inode: u64,
}

impl FileStat {
    /// The coarsest clock that stamps files (FAT's).
    pub const TICK: Duration = Duration::from_secs(2);

    /// Returns whether content read at `read_at_ns`, with this stat before and after, proves that a
    /// later equal stat means equal content: the last change must be older than the clock tick of the
    /// file system, taken as [`Self::TICK`] (git's racy rule, made strict). Times in the future never qualify.
    pub fn proves_content(&self, read_at_ns: i64) -> bool {
        self.is_older(Self::TICK, read_at_ns)
    }

    /// Returns whether the last change is older than `tick` at a time, in nanoseconds since the Unix epoch.
    pub fn is_older(&self, tick: Duration, at_ns: i64) -> bool {
        let tick_ns = i64::try_from(tick.as_nanos()).unwrap_or(i64::MAX);
        self.mtime_ns.max(self.ctime_ns).saturating_add(tick_ns) < at_ns
    }
}

/// A regular file that belongs to the work tree (tracked, or untracked and not ignored) or to a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// Where it is.
    pub path: RepoPath,
    /// The result of `lstat`; all zero for a file of a commit.
    pub stat: FileStat,
    /// Which bytes a commit has there; `None` for a file of the work tree.
    pub blob: Option<BlobId>,
}

/// How a commit hangs together with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitLinks {
    /// When it was committed, in seconds since the Unix epoch.
    pub time_s: i64,
    /// Its parents, as far as the clone has them.
    pub parents: Vec<CommitId>,
}
