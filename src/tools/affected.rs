//! The files that a change reaches: code, tests and examples apart.
//!
//! A test that names the definition without a bound use of it is listed too, behind those that the graph reaches.

use std::collections::{BTreeMap, HashSet};

use crate::error::Result;
use crate::graph::impact::files_of;
use crate::graph::related::{self, Relation, TestBasis};
use crate::graph::test_conventions::tests_by_name_alone;
use crate::model::{Direction, FileRole, Provenance, RepoPath};
use crate::tools::places::{LocatedSymbol, uses};
use crate::workspace::{SymbolRow, View, last_name};

/// Import edges within which a test that is known by its name is looked for by better means.
const IMPORT_DEPTH_OF_TESTS: u32 = 3;

/// Files whose tests are looked for by name.
const MAX_FILES_WITH_CONVENTION: usize = 50;

/// A file with the number of steps to it and the weakest of them.
pub(super) type AffectedFile = (RepoPath, u32, Provenance);

/// The files that a change reaches, each list nearest first.
#[derive(Debug, Default)]
pub(super) struct Affected {
    pub(super) files: Vec<AffectedFile>,
    /// The strongest basis first.
    pub(super) tests: Vec<(AffectedFile, TestBasis)>,
    /// Files that help tests and are none: `test/helpers.ts`. Their place in a list is behind the tests that the graph
    /// reaches.
    pub(super) support: Vec<AffectedFile>,
    pub(super) examples: Vec<AffectedFile>,
}

impl Affected {
    /// Sorts the files of places by the roles of these: a file with tests among its code may be in two lists.
    pub(super) fn of(view: &View<'_>, placed: &[LocatedSymbol]) -> Self {
        let mut by_role: BTreeMap<FileRole, Vec<AffectedFile>> = BTreeMap::new();
        for place in placed {
            let file = (
                place.path.clone(),
                place.reached.hops,
                place.reached.provenance,
            );
            by_role.entry(place.role(view)).or_default().push(file);
        }
        let mut affected = Self::default();
        for (role, reached) in by_role {
            let files = files_of(&reached);
            match role {
                FileRole::Code => affected.files = files,
                FileRole::TestSupport => affected.support = files,
                FileRole::Test => {
                    let tests = files.into_iter().map(|file| (file, TestBasis::Graph));
                    affected.tests = tests.collect();
                }
                FileRole::Example => affected.examples = files,
            }
        }
        // Beside a test of the same file its helper says nothing more.
        let tests = &affected.tests;
        let is_told = |path: &RepoPath| tests.iter().any(|test| test.0.0 == *path);
        affected.support.retain(|file| !is_told(&file.0));
        affected
    }

    /// Adds the tests that only their names say are of the targets' files (those that neither use nor import them), then
    /// those that name the targets.
    pub(super) fn add_unbound_tests(
        &mut self,
        view: &View<'_>,
        targets: &[SymbolRow],
    ) -> Result<()> {
        let mut paths: Vec<&RepoPath> = targets.iter().map(|symbol| &symbol.path).collect();
        paths.dedup();
        for path in paths.iter().take(MAX_FILES_WITH_CONVENTION) {
            let is_known = |test: &RepoPath| self.tests.iter().any(|known| known.0.0 == *test);
            let mut tests = tests_by_name_alone(view.read, &view.roles, path, is_known)?;
            leave_out_importers(view, path, &mut tests)?;
            let tests = tests.into_iter();
            let tests = tests.map(|test| ((test, 1, Provenance::PathHeuristic), TestBasis::Path));
            self.tests.extend(tests);
        }
        // Of many definitions at once the names say little.
        let mut names: Vec<String> = targets.iter().map(|it| last_name(&it.name)).collect();
        names.dedup();
        if let ([_], [target, ..]) = (names.as_slice(), targets) {
            let known: HashSet<RepoPath> = self.tests.iter().map(|test| test.0.0.clone()).collect();
            let naming = uses(view).tests_naming(&view.roles, target, &known)?;
            let tests = naming.paths.into_iter().filter(|path| !view.is_gone(path));
            let tests = tests.map(|path| ((path, 1, Provenance::Name), TestBasis::NameOccurrence));
            self.tests.extend(tests);
        }
        Ok(())
    }

    /// Returns how many tests have one basis.
    pub(super) fn n_tests(&self, basis: TestBasis) -> usize {
        self.tests.iter().filter(|test| test.1 == basis).count()
    }
}

/// Leaves out tests that reach a file by imports: their uses of its definitions are bound.
fn leave_out_importers(view: &View<'_>, path: &RepoPath, tests: &mut Vec<RepoPath>) -> Result<()> {
    if tests.is_empty() {
        return Ok(());
    }
    let importing = related::neighbours(
        view.read,
        &view.roles,
        path,
        Relation::Imports,
        Direction::In,
        IMPORT_DEPTH_OF_TESTS,
        view.budget,
    )?;
    tests.retain(|test| !importing.found.iter().any(|near| near.path == *test));
    Ok(())
}
