//! The test files that the changes reach.

use crate::graph::related::TestBasis;
use crate::model::{Provenance, RepoPath};

/// The tests of a difference.
#[derive(Clone, Debug, Default)]
pub(super) struct ReachedTests {
    /// The nearest first.
    pub(super) all: Vec<Test>,
    /// Whether there are users behind the last step to the tests.
    pub(super) is_deeper: bool,
    /// Further test files that hold a changed name, in languages whose uses are not followed.
    pub(super) n_unfollowed: u64,
}

impl ReachedTests {
    /// Returns how many of the tests are reached through no use of a changed definition, but from its file.
    pub(super) fn n_possible(&self) -> u64 {
        let is_possible = |test: &&Test| test.provenance == Provenance::PathHeuristic;
        self.all.iter().filter(is_possible).count() as u64
    }
}

/// A test file with how it is known.
#[derive(Clone, Debug)]
pub(super) struct Test {
    pub(super) path: RepoPath,
    pub(super) hops: u32,
    pub(super) provenance: Provenance,
    pub(super) basis: TestBasis,
}
