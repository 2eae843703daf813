//! Files that a change reaches by dispatch of its callers: where `Disk.open` calls the definition, code that calls
//! `Store.open` may run it.
//!
//! They are told apart from the others: which method such a call runs is not known.

use std::collections::{BTreeMap, HashSet};

use crate::error::Result;
use crate::graph::impact::{WalkStart, walk};
use crate::model::{Direction, RepoPath};
use crate::tools::affected::Affected;
use crate::tools::places::places;
use crate::uses::Uses;
use crate::workspace::View;

/// Files of a list that are named.
const MAX_NAMED: usize = 50;

/// Files that are reached by dispatch of a caller alone, the nearest first.
#[derive(Debug, Default)]
pub(super) struct ByDispatch {
    files: Vec<RepoPath>,
    tests: Vec<RepoPath>,
    /// Whether a bound ended the search for definitions that dispatch relates to the callers.
    pub(super) is_cut: bool,
}

impl ByDispatch {
    /// Walks from some definitions as far as `depth` edges, with dispatch at each, and keeps the files that are not among
    /// `known`.
    pub(super) fn find(
        view: &View<'_>,
        uses: &Uses<'_>,
        starts: &[WalkStart],
        depth: u32,
        known: &Affected,
    ) -> Result<Self> {
        if depth < 2 {
            return Ok(Self::default());
        }
        let mut on_the_way = uses.dispatch_on_the_way();
        let mut dispatch = |definition| on_the_way.of(definition);
        let reached = walk(
            view.read,
            starts,
            Direction::In,
            depth,
            view.budget,
            &mut dispatch,
        )?;
        let mut placed = places(view, &reached.places)?;
        placed.retain(|place| !view.is_gone(&place.path));
        let all = Affected::of(view, &placed);
        let listed = known.files.iter().chain(&known.examples);
        let listed = listed.chain(&known.support);
        let listed = listed.chain(known.tests.iter().map(|test| &test.0));
        let listed: HashSet<&RepoPath> = listed.map(|file| &file.0).collect();
        let is_new = |path: &RepoPath| !listed.contains(path);
        let files = all.files.into_iter().map(|file| file.0);
        let tests = all.tests.into_iter().map(|test| test.0.0);
        Ok(Self {
            files: files.filter(is_new).collect(),
            tests: tests.filter(is_new).collect(),
            is_cut: on_the_way.is_cut(),
        })
    }

    /// Leaves out the tests.
    pub(super) fn leave_out_tests(&mut self) {
        self.tests.clear();
    }

    /// How many files of code, and how many tests.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.files.len(), self.tests.len())
    }

    /// Returns the lists as they are shown, `files` and `tests`; `None` for empty ones.
    pub(super) fn output(&self) -> Option<BTreeMap<&'static str, Vec<String>>> {
        let named = |paths: &[RepoPath]| -> Vec<String> {
            let named = paths.iter().take(MAX_NAMED);
            named.map(ToString::to_string).collect()
        };
        let lists = [("files", named(&self.files)), ("tests", named(&self.tests))];
        (self.counts() != (0, 0)).then(|| BTreeMap::from(lists))
    }
}
