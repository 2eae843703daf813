//! How far the changes reach: the places that use each definition, and the tests.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use super::entries::ListedChanges;
use super::gather::Gathered;
use super::reached_tests::{ReachedTests, Test};
use super::{AnswerPart, ChangesQuestion};
use crate::error::Result;
use crate::graph::impact::{Reach, walk};
use crate::graph::indirect_users::indirect_users;
use crate::graph::related::{self, Relation, TestBasis};
use crate::model::sanitize::one_line;
use crate::model::{Direction, Family, FileRole, Provenance, RepoPath, SymbolId, SymbolKind};
use crate::tools::affected::Affected;
use crate::tools::named_object::innermost_at;
use crate::tools::places::{EdgeConfidence, places, uses};
use crate::uses::{BrokenUse, Difference};
use crate::workspace::{SymbolRow, View, family_of, normal_form};

/// Edges from a changed definition to a test.
pub(crate) const DEPTH: u32 = 5;

/// Edges from a changed file to a test that uses another definition of it.
const INDIRECT_DEPTH: u32 = 8;

/// Imports from a file whose top level changed to a test.
const IMPORT_DEPTH: u32 = 3;

/// Changes whose tests are counted one by one.
const MAX_COUNTED: usize = 100;

/// Tests whose titles are read.
const MAX_TITLED: usize = 20;

/// A test file that reaches the changes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestOutput {
    pub(crate) path: String,
    /// Edges on the way; 0 for a test that changed itself.
    pub(crate) hops: u32,
    pub(crate) confidence: EdgeConfidence,
    pub(crate) provenance: &'static str,
    /// Titles of the tests around its uses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) cases: Vec<String>,
    /// The command that runs the tests of a Rust file, whose path alone does not say how; nothing runs it here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<String>,
}

/// The reach of all changes.
pub(super) struct ChangesReach {
    /// None where they are not asked for.
    pub(super) tests: ReachedTests,
    /// The rows of each changed definition.
    rows: HashMap<usize, Vec<SymbolRow>>,
    callers: HashMap<usize, u64>,
    n_counted: Cell<usize>,
}

impl ChangesReach {
    /// Walks from the changed definitions to their users.
    pub(super) fn of(
        view: &View<'_>,
        asked: &ChangesQuestion<'_>,
        gathered: &Gathered,
        listed: &ListedChanges,
    ) -> Result<Self> {
        let difference = &gathered.difference;
        let mut rows: HashMap<usize, Vec<SymbolRow>> = HashMap::new();
        let mut of_file: HashMap<usize, Vec<SymbolRow>> = HashMap::new();
        for (at, change) in difference.changes.iter().enumerate() {
            let Some(place) = &change.new else { continue };
            let known = match of_file.entry(place.file) {
                std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::hash_map::Entry::Vacant(entry) => {
                    let path = difference.files[place.file].path.as_str();
                    let file = view.read.file(path)?;
                    let rows = file.map(|file| view.read.symbols_of(file.id)).transpose()?;
                    entry.insert(rows.unwrap_or_default())
                }
            };
            let of_it = known
                .iter()
                .filter(|row| place.symbols.contains(&row.ordinal));
            rows.insert(at, of_it.cloned().collect());
        }
        let mut callers = HashMap::new();
        if asked.has(AnswerPart::Callers) {
            for entry in &listed.all {
                let Some(at) = entry.change() else { continue };
                let mut users = BTreeSet::new();
                for row in rows.get(&at).into_iter().flatten() {
                    let edges = view.read.edges_into(row.id)?;
                    users.extend(edges.iter().map(|edge| (edge.src_file, edge.src)));
                }
                callers.insert(at, users.len() as u64);
            }
        }
        for (at, users) in users_of_removed(view, gathered)? {
            *callers.entry(at).or_default() += users.len() as u64;
        }
        let mut reach = Self {
            tests: ReachedTests::default(),
            rows,
            callers,
            n_counted: Cell::new(0),
        };
        if asked.has(AnswerPart::Tests) {
            reach.tests = if let Some(known) = gathered.tests.get() {
                known.clone()
            } else {
                let found = reach.find_tests(view, asked, gathered)?;
                gathered.tests.get_or_init(|| found).clone()
            };
        }
        Ok(reach)
    }

    /// Returns how many definitions use a changed one, and files outside of definitions.
    pub(super) fn callers(&self, change: usize) -> u64 {
        self.callers.get(&change).copied().unwrap_or(0)
    }

    /// Returns how many test files reach a changed definition; of the first hundred that are asked for.
    pub(super) fn tests_of(&self, view: &View<'_>, change: usize) -> Result<u64> {
        self.n_counted.set(self.n_counted.get() + 1);
        let targets = self.rows.get(&change).map_or(&[][..], Vec::as_slice);
        if targets.is_empty() || self.n_counted.get() > MAX_COUNTED {
            return Ok(0);
        }
        let mut targets = targets.to_vec();
        add_constructed(view, &mut targets)?;
        let reached = reached_from(view, &targets)?;
        let placed = places(view, &reached.places)?;
        let tests = placed
            .iter()
            .filter(|place| place.role(view) == FileRole::Test);
        let files: BTreeSet<&RepoPath> = tests.map(|place| &place.path).collect();
        Ok(files.len() as u64)
    }

    fn find_tests(
        &self,
        view: &View<'_>,
        asked: &ChangesQuestion<'_>,
        gathered: &Gathered,
    ) -> Result<ReachedTests> {
        let difference = &gathered.difference;
        let is_wanted = |path: &RepoPath| asked.is_wanted(path.as_str());
        let same_code = with_same_code(difference);
        let mut tests: BTreeMap<RepoPath, Test> = BTreeMap::new();
        let mut add = |path: RepoPath, hops: u32, provenance: Provenance, basis: TestBasis| {
            let key = path.clone();
            let test = Test {
                path,
                hops,
                provenance,
                basis,
            };
            let known = tests.entry(key).or_insert_with(|| test.clone());
            if (basis, hops, provenance) < (known.basis, known.hops, known.provenance) {
                *known = test;
            }
        };
        let is_test = |path: &RepoPath| view.roles.is_test(path);
        for path in changed_tests(view, asked, difference, &same_code) {
            add(path.clone(), 0, Provenance::Resolved, TestBasis::Graph);
        }
        for one in gathered
            .broken
            .all
            .iter()
            .filter(|one| is_wanted(&one.home) && is_test(&one.path))
        {
            add(one.path.clone(), 1, one.provenance, TestBasis::Graph);
        }
        let mut targets: Vec<SymbolRow> = Vec::new();
        let mut changed_in = BTreeSet::new();
        for (at, change) in difference.changes.iter().enumerate() {
            let places = [&change.old, &change.new];
            changed_in.extend(places.into_iter().flatten().map(|place| place.file));
            let of_it = self.rows.get(&at).into_iter().flatten();
            targets.extend(of_it.filter(|row| is_wanted(&row.path)).cloned());
        }
        let n_changed = targets.len();
        let broken = gathered.broken.all.iter();
        let broken_in = add_broken(view, broken.filter(|it| is_wanted(&it.home)), &mut targets)?;
        for (n, row) in targets.iter().enumerate() {
            if view.roles.of_definition(&row.path, Some(row.ordinal)) == FileRole::Test {
                let hops = u32::from(n >= n_changed);
                add(
                    row.path.clone(),
                    hops,
                    Provenance::Resolved,
                    TestBasis::Graph,
                );
            }
        }
        add_constructed(view, &mut targets)?;
        let reached = reached_from(view, &targets)?;
        let placed = places(view, &reached.places)?;
        let mut affected = Affected::of(view, &placed);
        affected.add_unbound_tests(view, &targets)?;
        for ((path, hops, provenance), basis) in affected.tests {
            add(path, hops, provenance, basis);
        }
        // Of a file in which no definition changed, its top level did.
        let of_top_level = difference.files.iter().enumerate();
        let of_top_level = of_top_level
            .filter(|(at, file)| !changed_in.contains(at) && file.new.is_there)
            .filter(|(at, _)| !same_code.contains(at))
            .map(|(_, file)| &file.path)
            .filter(|path| is_wanted(path));
        for path in of_top_level.chain(broken_in) {
            if view.roles.is_test(path) {
                continue;
            }
            let near = related::neighbours(
                view.read,
                &view.roles,
                path,
                Relation::Tests,
                Direction::In,
                IMPORT_DEPTH,
                view.budget,
            )?;
            for test in near.found {
                add(test.path, test.hops, test.provenance, test.basis);
            }
        }
        // Whatever else a changed file offers may go through the change.
        let mut starts: Vec<SymbolId> = targets.iter().map(|row| row.id).collect();
        let changed = difference.files.iter().enumerate();
        let changed = changed.filter(|(at, it)| !same_code.contains(at) && is_wanted(&it.path));
        starts.extend(exported_by(view, changed.map(|it| &it.1.path))?);
        let users = indirect_users(view.read, starts, INDIRECT_DEPTH, view.budget)?;
        for (file, hops) in users {
            if let Some(path) = view.read.path_of(file)?.filter(is_test) {
                add(path, hops, Provenance::PathHeuristic, TestBasis::Barrel);
            }
        }
        let n_unfollowed = n_unfollowed_tests(view, difference, &tests)?;
        let mut tests: Vec<Test> = tests.into_values().collect();
        tests.sort_by(|a, b| (a.basis, a.hops, &a.path).cmp(&(b.basis, b.hops, &b.path)));
        Ok(ReachedTests {
            all: tests,
            is_deeper: reached.is_deeper,
            n_unfollowed,
        })
    }
}

/// Returns how many test files beside `known` hold a changed name, in languages whose uses are not followed.
fn n_unfollowed_tests(
    view: &View<'_>,
    difference: &Difference,
    known: &BTreeMap<RepoPath, Test>,
) -> Result<u64> {
    let files = uses(view).unfollowed_code_of(changed_names(difference))?;
    let tests = files.iter().filter(|it| view.roles.is_test(it));
    Ok(tests.filter(|it| !known.contains_key(*it)).count() as u64)
}

/// Returns the names that changed definitions have or had, each with its file.
fn changed_names(difference: &Difference) -> impl Iterator<Item = (&str, &RepoPath)> {
    let sides = difference.changes.iter().flat_map(|change| {
        let sides = [difference.old(change), difference.new_of(change)];
        sides.into_iter().flatten()
    });
    sides.map(|(file, symbol)| (symbol.name.as_str(), &file.path))
}

/// Returns the test files whose code differs.
fn changed_tests<'a>(
    view: &View<'_>,
    asked: &'a ChangesQuestion<'_>,
    difference: &Difference,
    same_code: &BTreeSet<usize>,
) -> Vec<&'a RepoPath> {
    let has_same_code = |path: &RepoPath| {
        let file = difference.file(path);
        file.is_some_and(|(at, it)| same_code.contains(&at) && it.new.is_there)
    };
    let files = asked.comparison.files.iter();
    let there = files.filter(|file| file.new.is_some());
    there
        .map(|file| &file.path)
        .filter(|path| asked.is_wanted(path.as_str()) && view.roles.is_test(path))
        .filter(|path| !has_same_code(path))
        .collect()
}

/// A user of a definition: its file, and the definition there; none outside of definitions.
type User<'a> = (&'a RepoPath, Option<u32>);

/// Returns the users that removed definitions still have, by change.
fn users_of_removed<'a>(
    view: &View<'_>,
    gathered: &'a Gathered,
) -> Result<BTreeMap<usize, BTreeSet<User<'a>>>> {
    let mut users: BTreeMap<usize, BTreeSet<User<'a>>> = BTreeMap::new();
    let mut last = LastFile::default();
    for broken in &gathered.broken.all {
        let Some(at) = broken.change else { continue };
        if gathered.difference.changes[at].new.is_some() {
            continue;
        }
        let symbols = last.symbols(view, &broken.path)?;
        let lines = broken.lines().into_iter();
        // An import is no use, unless nothing else is there.
        let (imports, uses): (Vec<_>, Vec<_>) = lines.partition(|(.., kind)| kind.is_none());
        let lines = if uses.is_empty() { imports } else { uses };
        let of_it = users.entry(at).or_default();
        for (line, ..) in lines {
            let user = innermost_at(symbols, line).map(|it| it.ordinal);
            of_it.insert((&broken.path, user));
        }
    }
    Ok(users)
}

/// The definitions of the file that was read last: broken uses come by path.
#[derive(Default)]
struct LastFile<'a> {
    read: Option<(&'a RepoPath, Vec<SymbolRow>)>,
}

impl<'a> LastFile<'a> {
    /// Returns the definitions of a file; none where it is not indexed.
    fn symbols(&mut self, view: &View<'_>, path: &'a RepoPath) -> Result<&[SymbolRow]> {
        if self.read.as_ref().is_none_or(|(read, _)| *read != path) {
            let file = view.read.file(path.as_str())?;
            let symbols = file.map(|file| view.read.symbols_of(file.id)).transpose()?;
            self.read = Some((path, symbols.unwrap_or_default()));
        }
        Ok(self.read.as_ref().map_or(&[], |(_, symbols)| symbols))
    }
}

/// Returns the files, as indexes, whose code is as it was: comments, blanks or line breaks differ.
fn with_same_code(difference: &Difference) -> BTreeSet<usize> {
    let changes = difference.changes.iter();
    let changed: BTreeSet<usize> = changes
        .flat_map(|change| [&change.old, &change.new])
        .flatten()
        .map(|place| place.file)
        .collect();
    let files = difference.files.iter().enumerate();
    let unchanged = files.filter(|(at, _)| !changed.contains(at));
    unchanged
        .filter(|(_, file)| file.has_same_code())
        .map(|(at, _)| at)
        .collect()
}

/// Returns the definitions that files other than tests export.
fn exported_by<'p>(
    view: &View<'_>,
    paths: impl Iterator<Item = &'p RepoPath>,
) -> Result<Vec<SymbolId>> {
    let mut exported = Vec::new();
    for path in paths.filter(|path| !view.roles.is_test(path)) {
        if let Some(row) = view.read.file(path.as_str())? {
            let symbols = view.read.symbols_of(row.id)?.into_iter();
            exported.extend(symbols.filter(|it| it.exported).map(|it| it.id));
        }
    }
    Ok(exported)
}

/// Adds the definitions around broken uses, and returns the files that break outside of all definitions.
fn add_broken<'a>(
    view: &View<'_>,
    broken: impl Iterator<Item = &'a BrokenUse>,
    targets: &mut Vec<SymbolRow>,
) -> Result<BTreeSet<&'a RepoPath>> {
    let mut files = BTreeSet::new();
    let mut last = LastFile::default();
    for one in broken {
        let around = around_broken(last.symbols(view, &one.path)?, one);
        if around.is_empty() {
            files.insert(&one.path);
        }
        targets.extend(around);
    }
    Ok(files)
}

/// Returns the definitions of a file around broken uses. No edge leads to them from the definition that is gone.
fn around_broken(symbols: &[SymbolRow], broken: &BrokenUse) -> Vec<SymbolRow> {
    let also = broken.also.iter().map(|(line, ..)| *line);
    let mut around: BTreeMap<u32, SymbolRow> = BTreeMap::new();
    for line in std::iter::once(broken.line).chain(also) {
        if let Some(symbol) = innermost_at(symbols, line) {
            around.insert(symbol.ordinal, symbol.clone());
        }
    }
    around.into_values().collect()
}

/// Converts the tests to their output form; with their titles where the caller asks for tests.
pub(super) fn tests(
    view: &View<'_>,
    asked: &ChangesQuestion<'_>,
    reach: &ChangesReach,
) -> Result<Vec<TestOutput>> {
    let is_titled = asked.input.include.contains(&AnswerPart::Tests);
    let mut all = Vec::with_capacity(reach.tests.all.len());
    for (n, test) in reach.tests.all.iter().enumerate() {
        let mut cases = Vec::new();
        if is_titled && n < MAX_TITLED && test.hops == 1 {
            cases = titles(view, reach, &test.path)?;
        }
        all.push(TestOutput {
            path: test.path.to_string(),
            hops: test.hops,
            confidence: EdgeConfidence::of_test(family_of(test.path.as_str()), test.basis),
            provenance: test.provenance.as_str(),
            cases,
            run: (is_titled && view.roles.is_run_by_target(&test.path))
                .then(|| view.roles.command(&test.path, &[]))
                .flatten(),
        });
    }
    Ok(all)
}

/// Returns the titles of the tests in a file that use changed definitions directly.
fn titles(view: &View<'_>, reach: &ChangesReach, path: &RepoPath) -> Result<Vec<String>> {
    let Some(file) = view.read.file(path.as_str())? else {
        return Ok(Vec::new());
    };
    let mut lines = BTreeSet::new();
    for row in reach.rows.values().flatten() {
        let edges = view.read.edges_into(row.id)?;
        lines.extend(
            edges
                .iter()
                .filter(|edge| edge.src_file == file.id)
                .map(|edge| edge.line),
        );
    }
    let mut titles = BTreeSet::new();
    for line in lines.into_iter().take(MAX_TITLED) {
        let title = uses(view).test_around(path, line, None)?;
        titles.extend(title.map(|title| one_line(&title).into_owned()));
    }
    Ok(titles.into_iter().collect())
}

/// Adds the classes of constructors of C++: code that makes an object names the class.
fn add_constructed(view: &View<'_>, targets: &mut Vec<SymbolRow>) -> Result<()> {
    let is_made = |it: &&SymbolRow| {
        it.kind == SymbolKind::Constructor && family_of(it.path.as_str()) == Some(Family::C)
    };
    let mut classes = Vec::new();
    for constructor in targets.iter().filter(is_made) {
        let Some((class, _)) = constructor.qualified_name.rsplit_once('.') else {
            continue;
        };
        let named = view.read.symbols_named(&normal_form(&constructor.name))?;
        classes.extend(
            named
                .into_iter()
                .filter(|it| it.kind == SymbolKind::Class && it.qualified_name == class),
        );
    }
    targets.extend(classes);
    targets.sort_by(|a, b| (&a.path, a.ordinal).cmp(&(&b.path, b.ordinal)));
    targets.dedup_by(|a, b| a.id == b.id);
    Ok(())
}

/// Walks from changed definitions to their users, with those that stand for them where code runs.
fn reached_from(view: &View<'_>, targets: &[SymbolRow]) -> Result<Reach> {
    let uses = uses(view);
    let (starts, _) = uses.walk_starts(targets)?;
    let mut on_the_way = uses.dispatch_on_the_way();
    let mut dispatch = |definition| on_the_way.of(definition);
    Ok(walk(
        view.read,
        &starts,
        Direction::In,
        DEPTH,
        view.budget,
        &mut dispatch,
    )?)
}
