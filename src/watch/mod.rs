//! The door to file events: which changes the operating system told of, and whether it tells of each.
//!
//! On Linux a [`Watch`] reads the kernel's queue in the call that asks, so that an empty queue proves something (`queue`).
//! Elsewhere events come late and through a thread: a hint that lets work start before a question comes (`hint`).

#[cfg(not(target_os = "linux"))]
mod hint;
mod mounts;
#[cfg(target_os = "linux")]
mod queue;

use std::path::PathBuf;

#[cfg(not(target_os = "linux"))]
pub use hint::HintWatch as Watch;
pub use mounts::network_type;
#[cfg(target_os = "linux")]
pub use queue::QueueWatch as Watch;

/// Why there is no watch, or why it proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    /// There are more directories than are watched.
    #[error("{0} directories are more than are watched ({1})")]
    TooMany(usize, usize),
    /// Changes that others make can't be seen there.
    #[error(
        "the work tree is on a file system of type {0}, which tells no changes that others make"
    )]
    Mount(String),
    /// A directory is on a file system where events prove nothing, or is encrypted.
    #[error("{} is on a file system that need not tell of each change", .0.display())]
    NotTelling(PathBuf),
    /// A single file is mounted from elsewhere: writes at its other place are not told here.
    #[error("{} is a file that is mounted from elsewhere", .0.display())]
    MountedFile(PathBuf),
    /// The operating system tells of changes late.
    #[error("this operating system tells of changes late")]
    Late,
    /// The operating system refused.
    #[error("the operating system refused: {0}")]
    Refused(String),
}

/// A moment of a watch: as long as [`Watch::is_unchanged`] says so, nothing was told since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchMoment {
    /// How many changes had been told.
    n_changes: u64,
    /// How many times a directory had been added to the watch.
    #[cfg_attr(
        not(target_os = "linux"),
        allow(dead_code, reason = "nothing is watched there")
    )]
    n_added: u64,
}

/// How far the directories of a look are watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchCoverage {
    /// Each was watched before the look began: every change since is told.
    Whole,
    /// Each is watched now, some only since the look began: the next look will be covered.
    Late,
    /// Some are not watched: [`Watch::cover`] adds them.
    Missing,
    /// Each is watched, and events prove nothing.
    Useless(WatchError),
}

impl WatchMoment {
    /// Returns whether nothing was told between the two.
    pub fn is_same_moment(&self, other: &Self) -> bool {
        self.n_changes == other.n_changes
    }
}
