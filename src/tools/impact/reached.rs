//! The lists of `cl_impact`: the users of the targets as far as the walk goes, the definitions that the targets use, and the files and
//! tests that are reached.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::by_dispatch::ByDispatch;
use super::summary::ImpactFigures;
use super::{
    DEFAULT_LIST_BYTES, ImpactInput, ImpactOutput, MAX_CASES, MAX_FILES_WITH_CASES, MAX_MENTIONING,
    MAX_NAMES_ON_THE_WAY, MAX_SOURCE_LINES, MAX_TEXTS, implementors, is_one,
};
use crate::error::Result;
use crate::graph::impact::{WalkStart, no_dispatch, walk};
use crate::graph::related::TestBasis;
use crate::model::{Direction, Family, Provenance, RepoPath, SymbolKind};
use crate::tools::affected::Affected;
use crate::tools::answer::{MAX_LIST_BYTES, truncate_to_bytes};
use crate::tools::number::clamp;
use crate::tools::places::{
    CalleeOutput, CallerOutput, CaseOutput, Defaults, FilePlacesOutput, LocatedSymbol,
    add_test_titles, callee_output, caller_output, file_output, places, support_output,
    test_output,
};
use crate::uses::{Uses, has_overloads};
use crate::workspace::{SymbolRow, View, family_of};

/// The callers' percentage of the bytes of all lists.
const CALLERS_PERCENT: usize = 40;

/// The same where the call names a `limit`: a request for many callers.
const MANY_CALLERS_PERCENT: usize = 60;

/// The callees' part of the bytes of all lists: one in so many.
const CALLEES_DIVISOR: usize = 8;

/// The part of the bytes of all lists for each list of files, for the tests, and for the implementations: one in so many.
const FILES_DIVISOR: usize = 5;

/// The users of the targets, and the definitions that the targets use.
struct ReachedDefinitions {
    /// Where the walk to the users began.
    starts: Vec<WalkStart>,
    /// Whether there may be more starts.
    are_starts_cut: bool,
    callers: Vec<LocatedSymbol>,
    callees: Vec<LocatedSymbol>,
    affected: Affected,
    by_dispatch: ByDispatch,
    /// Uses that lead to the targets themselves.
    n_sites: u64,
    /// Whether a bound ended the walk to the users.
    is_cut: bool,
    /// Whether there are users behind the last step.
    is_deeper: bool,
}

impl ReachedDefinitions {
    fn walk(
        view: &View<'_>,
        uses: &Uses<'_>,
        targets: &[SymbolRow],
        depth: u32,
        with_tests: bool,
    ) -> Result<Self> {
        let (starts, are_starts_cut) = uses.walk_starts(targets)?;
        let (inwards, outwards) = (Direction::In, Direction::Out);
        let (read, budget) = (view.read, view.budget);
        let users = walk(read, &starts, inwards, depth, budget, &mut no_dispatch)?;
        let own = WalkStart::of(targets.iter().map(|symbol| symbol.id));
        let used = walk(read, &own, outwards, 1, budget, &mut no_dispatch)?;
        let mut callers = places(view, &users.places)?;
        callers.retain(|place| {
            (with_tests || !place.role(view).is_of_tests()) && !view.is_gone(&place.path)
        });
        for target in targets {
            view.note_chain_start(target.path.as_str());
        }
        let mut affected = Affected::of(view, &callers);
        if with_tests {
            affected.add_unbound_tests(view, targets)?;
        }
        let mut by_dispatch = ByDispatch::find(view, uses, &starts, depth, &affected)?;
        if !with_tests {
            by_dispatch.leave_out_tests();
        }
        Ok(Self {
            starts,
            are_starts_cut,
            callers,
            callees: places(view, &used.places)?,
            affected,
            n_sites: users.n_sites,
            is_deeper: users.is_deeper,
            is_cut: are_starts_cut || users.is_cut || by_dispatch.is_cut,
            by_dispatch,
        })
    }

    fn direct(&self) -> impl Iterator<Item = &LocatedSymbol> {
        self.callers.iter().filter(|it| it.reached.hops == 1)
    }

    /// The number of test files that are bound, or support those.
    fn n_bound_tests(&self) -> usize {
        let affected = &self.affected;
        affected.tests.len() + affected.support.len() - affected.n_tests(TestBasis::NameOccurrence)
    }

    fn defaults(&self, targets: &[SymbolRow]) -> Defaults {
        let known = self.callers.iter().chain(&self.callees);
        let defaults = Defaults::of_edges(
            targets.first().map_or("", |it| it.path.as_str()),
            known.map(|place| place.reached.provenance),
        );
        if self.affected.tests.is_empty() && self.affected.support.is_empty() {
            defaults
        } else {
            defaults.with_tests()
        }
    }
}

/// The call, and the bytes and entries that its lists may have.
struct Lists<'a, 'u> {
    view: &'a View<'a>,
    uses: &'a Uses<'u>,
    input: &'a ImpactInput,
    targets: &'a [SymbolRow],
    defaults: Defaults,
    limit: usize,
    n_bytes: usize,
}

impl Lists<'_, '_> {
    /// Lists the first `n` callers.
    fn callers(&self, reached: &ReachedDefinitions, n: usize) -> Result<Vec<CallerOutput>> {
        let mut list = Vec::new();
        let with_text = clamp(self.input.source_lines, 1, 0..=MAX_SOURCE_LINES) > 0;
        for (at, place) in reached.callers.iter().take(n.min(self.limit)).enumerate() {
            let mut caller = caller_output(self.view, place, self.targets, &self.defaults)?;
            // With `sites` every line is there.
            if with_text && !self.input.sites && at < MAX_TEXTS && place.reached.hops == 1 {
                let text = self.uses.line(&place.path, place.reached.line)?;
                caller.text = (!text.is_empty()).then_some(text);
            }
            list.push(caller);
        }
        let percent = match self.input.limit {
            Some(_) => MANY_CALLERS_PERCENT,
            None => CALLERS_PERCENT,
        };
        let n_bytes = self.n_bytes * percent / 100;
        truncate_to_bytes(&mut list, n_bytes);
        let name = self.targets.first().map(|target| target.name.as_str());
        add_test_titles(self.view, &reached.callers, &mut list, name, n_bytes)?;
        Ok(list)
    }

    fn callees(&self, callees: &[LocatedSymbol]) -> Vec<CalleeOutput> {
        let shown = callees.iter().take(self.limit);
        let mut list = shown
            .map(|place| callee_output(self.view, place, &self.defaults))
            .collect();
        truncate_to_bytes(&mut list, self.n_bytes / CALLEES_DIVISOR);
        list
    }

    fn files(&self, files: &[(RepoPath, u32, Provenance)]) -> Vec<FilePlacesOutput> {
        let shown = files.iter().take(self.limit);
        let mut list = shown
            .map(|file| file_output(self.view, file, &self.defaults))
            .collect();
        truncate_to_bytes(&mut list, self.n_bytes / FILES_DIVISOR);
        list
    }

    fn tests(&self, reached: &ReachedDefinitions) -> Result<Vec<FilePlacesOutput>> {
        let mut tests = list_tests(self.view, self.input, &reached.affected, &self.defaults);
        let n_bytes = self.n_bytes / FILES_DIVISOR;
        truncate_to_bytes(&mut tests, n_bytes);
        add_cases(
            self.view,
            self.uses,
            &reached.callers,
            self.targets,
            &mut tests,
            n_bytes,
        )?;
        Ok(tests)
    }
}

/// Walks from the targets and lists their users, the definitions they use, and the files that are reached.
pub(super) fn list_reached(
    view: &View<'_>,
    uses: &Uses<'_>,
    input: &ImpactInput,
    targets: &[SymbolRow],
    output: &mut ImpactOutput,
) -> Result<(ImpactFigures, Affected)> {
    let depth = output.depth;
    let with_tests = input.include_tests.unwrap_or(true);
    let reached = ReachedDefinitions::walk(view, uses, targets, depth, with_tests)?;
    output.by_dispatch = reached.by_dispatch.output();
    output.completeness.resolved_sites = reached.n_sites;
    output.completeness.is_deeper = reached.is_deeper;
    output.completeness.unresolved_via =
        unbound_on_the_way(uses, &reached.callers, targets, depth)?;
    output.total_callers = reached.callers.len() as u64;
    let lists = Lists {
        view,
        uses,
        input,
        targets,
        defaults: reached.defaults(targets),
        limit: clamp(input.limit, 200, 1..=500),
        // A caller that sets `limit` or `depth` gets the larger budget.
        n_bytes: match (input.limit, input.depth) {
            (None, None) => DEFAULT_LIST_BYTES,
            _ => MAX_LIST_BYTES,
        },
    };
    let n_direct = reached.direct().count();
    let n_listed = match input.depth {
        None => n_direct,
        Some(_) => reached.callers.len(),
    };
    output.indirect = (reached.callers.len() - n_listed) as u64;
    output.callers = lists.callers(&reached, n_listed)?;
    output.callees = lists.callees(&reached.callees);
    let affected = &reached.affected;
    // With a depth every file is listed, by its role.
    let files = match input.depth {
        None => Cow::Borrowed(&affected.files),
        Some(_) => Cow::Owned([&affected.files[..], &affected.examples].concat()),
    };
    output.affected_files = lists.files(&files);
    output.affected_examples = lists.files(&affected.examples);
    output.affected_tests = lists.tests(&reached)?;
    let n_mentioning = affected.n_tests(TestBasis::NameOccurrence);
    output.mentioning_tests = n_mentioning as u64;
    let n_bound = reached.n_bound_tests();
    output.n_unlisted_tests = n_bound.saturating_sub(output.affected_tests.len()) as u64;
    output.are_sites_cut = reached.is_cut;
    output.truncated = reached.is_cut
        || output.callers.len() < n_listed
        || output.callees.len() < reached.callees.len()
        || output.affected_files.len() < files.len()
        || output.affected_examples.len() < affected.examples.len()
        || output.n_unlisted_tests > 0;
    let (n_implementing, may_implement_more) = match targets {
        [target, ..] if is_one(targets) => {
            let n_bytes = lists.n_bytes / FILES_DIVISOR;
            let starts = (&reached.starts[..], reached.are_starts_cut);
            implementors::add(view, uses, target, starts, n_bytes, output)?
        }
        _ => (0, false),
    };
    if !reached.callers.is_empty() || !reached.callees.is_empty() || n_bound + n_mentioning > 0 {
        output.defaults = Some(lists.defaults);
    }
    let is_dispatched = |it: &&LocatedSymbol| it.reached.provenance == Provenance::Dispatch;
    let figures = ImpactFigures {
        n_targets: targets.len(),
        is_overloaded: targets.len() > 1 && is_one(targets) && are_overloads(targets),
        n_implementing,
        may_implement_more,
        n_direct,
        n_dispatched: reached.direct().filter(is_dispatched).count(),
        n_files: affected.files.len(),
        n_tests: affected.n_tests(TestBasis::Graph),
        n_support: affected.support.len(),
        n_named_tests: affected.n_tests(TestBasis::Path),
        n_mentioning_tests: n_mentioning,
        is_without_naming_tests: with_tests && input.path.is_some() && targets.len() > 1,
        n_examples: affected.examples.len(),
        n_by_dispatch: reached.by_dispatch.counts(),
        depth,
        is_partial: view.freshness.as_str() != "fresh",
        ..ImpactFigures::default()
    };
    Ok((figures, reached.affected))
}

/// Whether several definitions of one name are told apart by their arguments; in other languages their heads are of one function.
fn are_overloads(targets: &[SymbolRow]) -> bool {
    targets.iter().all(|it| {
        has_overloads(&it.path) && matches!(it.kind, SymbolKind::Method | SymbolKind::Function)
    })
}

/// Returns how many uses of the names of those callers could not be bound from which the walk went on.
fn unbound_on_the_way(
    uses: &Uses<'_>,
    placed: &[LocatedSymbol],
    targets: &[SymbolRow],
    depth: u32,
) -> Result<u64> {
    let on_the_way = placed.iter().filter(|place| place.reached.hops < depth);
    let symbols = on_the_way.filter_map(|place| place.symbol.as_ref());
    // The definitions of each name in a family of languages.
    let mut named: BTreeMap<(&str, Option<&str>), Vec<&SymbolRow>> = BTreeMap::new();
    for symbol in symbols {
        let is_of_target = targets.iter().any(|target| target.name == symbol.name);
        if !is_of_target {
            let family = family_of(symbol.path.as_str()).map(Family::as_str);
            named
                .entry((&symbol.name, family))
                .or_default()
                .push(symbol);
        }
    }
    let mut n = 0;
    for symbols in named.into_values().take(MAX_NAMES_ON_THE_WAY) {
        let places = uses.unbound_places(&symbols)?;
        n += places.iter().map(|it| u64::from(it.count)).sum::<u64>();
    }
    Ok(n)
}

/// Adds the tests that use the target themselves to their files, as far as the list stays within `max_bytes`.
fn add_cases(
    view: &View<'_>,
    uses: &Uses<'_>,
    placed: &[LocatedSymbol],
    targets: &[SymbolRow],
    tests: &mut [FilePlacesOutput],
    max_bytes: usize,
) -> Result<()> {
    let size = |text: Option<String>| text.map_or(0, |text| text.len() + 1);
    let mut n_bytes = size(serde_json::to_string(&*tests).ok());
    let direct = |test: &&mut FilePlacesOutput| {
        let mut direct = placed.iter().filter(|place| place.reached.hops == 1);
        let place = direct.find(|place| {
            place.path.as_str() == test.path
                && (place.role(view).is_of_tests() || !view.roles.may_hold_tests(&place.path))
        })?;
        Some(&place.path)
    };
    let (mut paths, mut direct_tests, mut indirect_tests) = (Vec::new(), Vec::new(), Vec::new());
    for test in tests {
        if let Some(path) = direct(&test) {
            paths.push(path);
            direct_tests.push(test);
        } else if !test.is_support() {
            indirect_tests.push(test);
        }
    }
    paths.truncate(MAX_FILES_WITH_CASES);
    uses.test_cases(&paths, targets, |at, cases| {
        let all = cases.iter().map(|it| (it.line, it.title.as_str()));
        let run = view.roles.command(paths[at], &all.collect::<Vec<_>>());
        let mut cases: Vec<CaseOutput> = cases.into_iter().map(CaseOutput::from).collect();
        cases.truncate(MAX_CASES);
        let n_run = run.as_ref().map_or(0, |run| run.len() + 9);
        let more = size(serde_json::to_string(&cases).ok()) + 10 + n_run;
        let fits = n_bytes + more <= max_bytes;
        if fits {
            n_bytes += more;
            direct_tests[at].cases = cases;
            direct_tests[at].run = run;
        }
        fits
    })?;
    // Those that use the target through others are run as a whole.
    for test in indirect_tests {
        let path = RepoPath::new(&test.path);
        let Some(run) = path.and_then(|path| view.roles.command(&path, &[])) else {
            continue;
        };
        n_bytes += run.len() + 9;
        if n_bytes > max_bytes {
            break;
        }
        test.run = Some(run);
    }
    Ok(())
}

/// Converts the tests to their output form: all that are bound, some of those that only name a definition.
fn list_tests(
    view: &View<'_>,
    input: &ImpactInput,
    affected: &Affected,
    defaults: &Defaults,
) -> Vec<FilePlacesOutput> {
    let limit = clamp(input.limit, 200, 1..=500);
    let n_mentioning = affected.n_tests(TestBasis::NameOccurrence);
    let n_bound = affected.tests.len() + affected.support.len() - n_mentioning;
    let max_mentioning = match (input.limit, n_bound) {
        (Some(_), _) => limit,
        (None, 0) => MAX_MENTIONING,
        // Beside bound tests they say little: of 56 that were measured one was right.
        (None, _) => 0,
    };
    let n_shown = limit.min(n_bound + n_mentioning.min(max_mentioning));
    let (reached, others) = affected.tests.split_at(affected.n_tests(TestBasis::Graph));
    let test = |(file, basis): &(_, TestBasis)| test_output(view, file, *basis, defaults);
    let support = affected.support.iter();
    let support = support.map(|file| support_output(view, file, defaults));
    let all = reached.iter().map(test).chain(support);
    all.chain(others.iter().map(test)).take(n_shown).collect()
}
