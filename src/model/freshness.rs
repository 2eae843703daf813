//! How current an answer is, and which files were left out.
//!
//! Nothing here is current by default.

use super::symbol::kinds;
use serde::{Deserialize, Serialize};

kinds! {
    /// Why the proof of freshness could not be finished.
    UnknownReason {
        /// The time was up before every file was looked at.
        Budget = 0 "budget",
        /// Another process is writing this index.
        Busy = 1 "busy",
        /// `HEAD` or git's staging area changed while the answer was made.
        Moved = 2 "moved",
        /// Git's data could not be read.
        Git = 3 "git",
        /// A file or directory, or the data directory, could not be read or written.
        Io = 4 "io",
    }
}

impl UnknownReason {
    /// Returns the reason in words.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Budget => "the time was up before every file was looked at",
            Self::Busy => "another process is writing this index",
            Self::Moved => "HEAD or the work tree changed meanwhile",
            Self::Git => "git's data could not be read",
            Self::Io => "a file could not be read, or the data directory cannot be written",
        }
    }
}

/// Whether the index equals the work tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreshnessState {
    /// Proved: each file was looked at in this call, or less than a minute before it, with every change since then looked at in it.
    Fresh,
    /// Differences to the disk are known and counted.
    Partial,
    /// This call could not find out.
    Unknown(UnknownReason),
}

/// The basis of a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proof {
    /// Each file was looked at in this call.
    #[default]
    Stat,
    /// Each file was looked at less than a minute ago, and those of which the kernel told a change since in this call.
    Watch,
}

/// The currency of an index, as one call found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freshness {
    /// The finding.
    pub state: FreshnessState,
    /// Paths that differ from the index and were not brought up, sorted.
    pub pending: Vec<super::RepoPath>,
    /// Files that are read but not yet linked: their imports or names are still to be resolved.
    pub n_queued: u64,
    /// Files of the work tree in all; 0 where they were not all seen.
    pub n_files: u64,
    /// How many of the pending ones are files of a commit whose bytes are not in this clone.
    pub n_missing: u64,
    /// Its basis.
    pub proof: Proof,
}

impl Freshness {
    /// Returns the finding for a complete detection that left `pending` (in any order) undone, and so many
    /// files not linked.
    pub fn of_complete_scan(mut pending: Vec<super::RepoPath>, n_queued: u64) -> Self {
        pending.sort();
        pending.dedup();
        let state = if pending.is_empty() && n_queued == 0 {
            FreshnessState::Fresh
        } else {
            FreshnessState::Partial
        };
        Self {
            state,
            pending,
            n_queued,
            n_files: 0,
            n_missing: 0,
            proof: Proof::Stat,
        }
    }

    /// Returns the finding for a detection that ended early, with the differences it met.
    pub fn unknown(reason: UnknownReason, mut pending: Vec<super::RepoPath>) -> Self {
        pending.sort();
        pending.dedup();
        Self {
            state: FreshnessState::Unknown(reason),
            pending,
            n_queued: 0,
            n_files: 0,
            n_missing: 0,
            proof: Proof::Stat,
        }
    }

    /// Adds how many files the work tree has; 0 where they were not all seen.
    #[must_use]
    pub fn among(mut self, n_files: u64) -> Self {
        self.n_files = n_files;
        self
    }

    /// Whether nothing is left to do: the index has everything but files of a commit whose bytes are not in this clone.
    pub fn is_settled(&self) -> bool {
        match self.state {
            FreshnessState::Fresh => true,
            FreshnessState::Partial => {
                self.n_queued == 0 && self.n_missing == self.pending.len() as u64
            }
            FreshnessState::Unknown(_) => false,
        }
    }

    /// Adds how many of the pending files have no bytes in this clone.
    #[must_use]
    pub fn without_bytes_of(mut self, n_missing: u64) -> Self {
        self.n_missing = n_missing;
        self
    }

    /// Makes it rest on a watch that was told of nothing since an earlier call found it.
    #[must_use]
    pub fn by_watch(mut self) -> Self {
        self.proof = Proof::Watch;
        self
    }

    /// Returns the word used in answers.
    pub fn as_str(&self) -> &'static str {
        match self.state {
            FreshnessState::Fresh => "fresh",
            FreshnessState::Partial => "partial",
            FreshnessState::Unknown(_) => "unknown",
        }
    }

    /// Returns how many files are still to be done: those that differ, and when none does those that wait
    /// for their imports. Falls as work is done.
    pub fn n_pending(&self) -> u64 {
        match self.pending.len() as u64 {
            0 => self.n_queued,
            n => n,
        }
    }

    /// Returns whether `path` differs from the index and was not brought up.
    pub fn is_stale(&self, path: &str) -> bool {
        self.pending
            .binary_search_by(|known| known.as_str().cmp(path))
            .is_ok()
    }
}

kinds! {
    /// Why a file's text or symbols are left out or reduced. Each such file is counted.
    SkipReason {
        /// Larger than the limit (2 MiB): neither text nor symbols.
        TooLarge = 0 "tooLarge",
        /// A NUL byte in the first 8 KiB: neither text nor symbols.
        Binary = 1 "binary",
        /// A file or a whole directory that could not be read: neither text nor symbols.
        Unreadable = 2 "unreadable",
        /// Probably a secret (`.env`, private keys): neither text nor symbols.
        Secret = 3 "secret",
        /// Very long lines: a little of its text, no symbols.
        Minified = 4 "minified",
        /// Marked or known as generated: symbols, and text up to a limit.
        Generated = 5 "generated",
        /// A lock file of a package manager: neither text nor symbols.
        LockFile = 6 "lockFile",
        /// A symbolic link: its target is indexed at its own path, if it is in the repository.
        Symlink = 7 "symlink",
        /// A name that is not UTF-8.
        NonUtf8Name = 8 "nonUtf8Name",
        /// A submodule or nested repository: a repository of its own.
        NestedRepository = 9 "nestedRepository",
        /// A FIFO, socket or device.
        Special = 10 "special",
        /// Keys or tokens within it: all but those, which are masked.
        Masked = 11 "masked",
        /// A file of a commit whose bytes are not in this clone (a partial clone): neither text nor symbols.
        MissingBlob = 12 "missingBlob",
    }
}

impl SkipReason {
    /// Returns whether some of the file's text is indexed all the same.
    pub fn keeps_text(self) -> bool {
        matches!(self, Self::Minified | Self::Generated | Self::Masked)
    }
}

#[cfg(test)]
mod tests {
    use super::super::RepoPath;
    use super::{Freshness, FreshnessState, UnknownReason};

    #[test]
    fn an_index_is_settled_where_only_missing_bytes_are_left() {
        let pending = || vec![RepoPath::new("a.ts").unwrap()];
        let of = |pending, n_queued, n_missing| {
            let found = Freshness::of_complete_scan(pending, n_queued);
            found.without_bytes_of(n_missing).is_settled()
        };
        assert!(of(Vec::new(), 0, 0));
        assert!(of(pending(), 0, 1));
        assert!(!of(pending(), 0, 0));
        assert!(!of(pending(), 1, 1));
        assert!(!Freshness::unknown(UnknownReason::Moved, Vec::new()).is_settled());
    }

    #[test]
    fn fresh_needs_an_empty_list() {
        let path = RepoPath::new("b").unwrap();
        let found =
            Freshness::of_complete_scan(vec![path.clone(), RepoPath::new("a").unwrap(), path], 0);
        assert_eq!(found.state, FreshnessState::Partial);
        assert_eq!(found.pending.len(), 2);
        assert!(found.is_stale("b") && !found.is_stale("c"));
        assert_eq!(Freshness::of_complete_scan(vec![], 0).as_str(), "fresh");
        let unlinked = Freshness::of_complete_scan(vec![], 3);
        assert_eq!((unlinked.as_str(), unlinked.n_pending()), ("partial", 3));
    }
}
