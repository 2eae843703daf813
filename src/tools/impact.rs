//! `cl_impact`: what breaks when a definition changes.
//!
//! Refuses to guess: an ambiguous name gives candidates, and uses that are bound to nothing are said.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{Currency, MAX_LIST_BYTES, fitting};
use super::places::{
    FileOutput, Named, PlaceOutput, Placed, TargetOutput, by_handle, file_output, merges, named,
    place_output, places, target,
};
use super::schema::{clamp, number};
use super::words::{self, Found};
use super::{Call, Tool, changed};
use crate::error::{Error, Result};
use crate::graph::impact::{files_of, walk};
use crate::graph::namesake;
use crate::graph::related::{self, Relation, is_test};
use crate::model::path::is_at_or_below;
use crate::model::{Provenance, RepoPath, SymbolKind};
use crate::workspace::{Change, SymbolRow, View, outside};

/// Candidates that are shown of an ambiguous name.
const MAX_CANDIDATES: usize = 30;

/// Import edges within which a test that is known by its name is looked for by better means.
const NAMESAKE_DEPTH: u32 = 3;

/// Files whose tests are looked for by name.
const MAX_NAMESAKES: usize = 50;

/// `cl_impact`.
pub struct Impact;

/// Input of `cl_impact`.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImpactInput {
    /// Name, also qualified (Class.method).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// File that defines it; alone: every definition of that file.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A handle from another tool, in place of `symbol`.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// The definitions whose lines are changed and not committed.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changes: bool,
    /// Edges from the target at most (default 2).
    #[arg(long, allow_negative_numbers = true)]
    #[serde(
        default,
        deserialize_with = "number",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 1, max = 5))]
    pub depth: Option<i64>,
    /// Whether test files are among the callers (default true).
    #[arg(long, num_args = 0..=1, default_missing_value = "true")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_tests: Option<bool>,
    /// Entries of each list at most (default 200).
    #[arg(long, short = 'n', allow_negative_numbers = true)]
    #[serde(
        default,
        deserialize_with = "number",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 1, max = 500))]
    pub limit: Option<i64>,
    /// Path of the repository, where it is not the working directory's.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// What a change reaches.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImpactOutput {
    index_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<TargetOutput>,
    /// What `changes` or `path` stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    targets: Option<Vec<TargetOutput>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<Vec<TargetOutput>>,
    callers: Vec<PlaceOutput>,
    callees: Vec<PlaceOutput>,
    affected_files: Vec<FileOutput>,
    affected_tests: Vec<FileOutput>,
    depth: u32,
    summary: String,
    confidence_note: String,
    completeness: CompletenessOutput,
    total_callers: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(flatten)]
    currency: Currency,
}

/// How much of what there is was bound.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompletenessOutput {
    resolved_sites: u64,
    unresolved_sites: u64,
    skipped_files: u64,
}

impl Tool for Impact {
    const NAME: &'static str = "cl_impact";
    const TITLE: &'static str = "See what breaks when a definition changes";
    const ABOUT: &'static str = "Before you change shared code: who calls or names a definition, directly and through others, which files \
        and tests that reaches, and how each is known. Give `symbol` (with `path` if the name is common), `handle`, `path` alone, or `changes`. \
        `completeness.unresolvedSites` above 0 means that there may be more.";
    const EXAMPLES: &'static str = "codelens impact queueJob\ncodelens impact Store.open --path src/store.ts --depth 3\ncodelens impact --changes";
    type Input = ImpactInput;
    type Output = ImpactOutput;

    fn run(input: ImpactInput, call: &Call<'_>) -> Result<ImpactOutput> {
        let path = match input.path.as_deref() {
            None => None,
            Some(text) => Some(RepoPath::normalise(text).ok_or_else(|| outside(text))?),
        };
        if input.symbol.is_none() && input.handle.is_none() && path.is_none() && !input.changes {
            return Err(Error::invalid(
                "none of `symbol`, `handle`, `path` and `changes` is given",
                "pass the name of a definition, or a handle, a file, or `changes: true`",
            ));
        }
        let workspace = call.workspaces.open(input.repo.as_deref(), call.places)?;
        let changed = if input.changes {
            workspace.changes(&call.interrupt)?
        } else {
            Vec::new()
        };
        workspace.query(&call.interrupt, |view| {
            answer(view, &input, path.as_ref(), &changed)
        })
    }
}

fn answer(
    view: &View<'_>,
    input: &ImpactInput,
    path: Option<&RepoPath>,
    changes: &[Change],
) -> Result<ImpactOutput> {
    let depth = u32::try_from(clamp(input.depth, 2, 1..=5)).unwrap_or(2);
    let limit = clamp(input.limit, 200, 1..=500);
    let targets = targets(view, input, path, changes)?;
    let mut output = ImpactOutput {
        index_id: view.index_id.to_owned(),
        target: None,
        targets: None,
        candidates: None,
        callers: Vec::new(),
        callees: Vec::new(),
        affected_files: Vec::new(),
        affected_tests: Vec::new(),
        depth,
        summary: String::new(),
        confidence_note: String::new(),
        completeness: CompletenessOutput {
            resolved_sites: 0,
            unresolved_sites: 0,
            skipped_files: view.n_reduced()?,
        },
        total_callers: 0,
        truncated: false,
        currency: Currency::of(view),
    };
    let shown = || Some(targets.iter().take(MAX_CANDIDATES).map(target).collect());
    if input.symbol.is_some() && input.handle.is_none() && !is_one(&targets) {
        output.summary = format!(
            "{} definitions have this name: pass `path` or a `handle` of one of the candidates",
            targets.len()
        );
        "no callers were looked for".clone_into(&mut output.confidence_note);
        output.truncated = targets.len() > MAX_CANDIDATES;
        output.candidates = shown();
        return Ok(output);
    }
    match targets.as_slice() {
        [first, ..] if is_one(&targets) => output.target = Some(target(first)),
        _ => output.targets = shown(),
    }
    let seeds: Vec<i64> = targets.iter().map(|symbol| symbol.id).collect();
    let callers = walk(
        view.read,
        &seeds,
        related::Direction::In,
        depth,
        view.budget,
    )?;
    let callees = walk(view.read, &seeds, related::Direction::Out, 1, view.budget)?;
    let with_tests = input.include_tests.unwrap_or(true);
    let mut placed = places(view, &callers.places)?;
    placed.retain(|place| (with_tests || !is_test(&place.path)) && !view.is_gone(&place.path));
    for target in &targets {
        view.is_stale_at(target.path.as_str(), 0);
    }
    let reached: Vec<(RepoPath, u32, Provenance)> = placed
        .iter()
        .map(|Placed { path, reached, .. }| (path.clone(), reached.hops, reached.provenance))
        .collect();
    let (mut tests, files): (Vec<_>, Vec<_>) = files_of(&reached)
        .into_iter()
        .partition(|(path, _, _)| is_test(path));
    if with_tests {
        add_namesakes(view, &targets, &mut tests)?;
    }
    output.completeness.resolved_sites = callers.n_sites;
    output.completeness.unresolved_sites = n_unbound(view, &targets)?;
    output.total_callers = placed.len() as u64;
    let callees_of = places(view, &callees.places)?;
    output.callers = place_list(view, &placed, limit, false)?;
    output.callees = place_list(view, &callees_of, limit, true)?;
    output.affected_files = file_list(view, &files, limit);
    output.affected_tests = file_list(view, &tests, limit);
    output.truncated = callers.is_cut
        || output.callers.len() < placed.len()
        || output.callees.len() < callees_of.len()
        || output.affected_files.len() < files.len()
        || output.affected_tests.len() < tests.len();
    let found = Found {
        n_targets: targets.len(),
        n_direct: placed
            .iter()
            .filter(|place| place.reached.hops == 1)
            .count(),
        n_files: files.len(),
        n_tests: tests
            .iter()
            .filter(|test| test.2 < Provenance::PathHeuristic)
            .count(),
        n_named_tests: tests
            .iter()
            .filter(|test| test.2 == Provenance::PathHeuristic)
            .count(),
        n_unbound: output.completeness.unresolved_sites,
        is_partial: view.freshness.as_str() != "fresh",
    };
    output.summary = words::summary(&found);
    output.confidence_note = words::note(&found);
    Ok(output)
}

/// Whether these are one definition to whoever names it: the getter and the setter of one property, the
/// overloads of one method, a class, function or constant with the types and namespaces of its name.
fn is_one(targets: &[SymbolRow]) -> bool {
    let [first, rest @ ..] = targets else {
        return true;
    };
    let is_member = |symbol: &SymbolRow| {
        matches!(symbol.kind, SymbolKind::Method | SymbolKind::Property) && symbol.parent.is_some()
    };
    let is_same = |other: &SymbolRow| {
        (&first.path, first.parent, &first.qualified_name)
            == (&other.path, other.parent, &other.qualified_name)
    };
    let n_values = targets.iter().filter(|it| !merges(it.kind)).count();
    rest.iter().all(is_same) && (n_values < 2 || targets.iter().all(is_member))
}

/// Adds the tests that only their names say are of the targets' files: those that neither use nor import
/// them.
fn add_namesakes(
    view: &View<'_>,
    targets: &[SymbolRow],
    tests: &mut Vec<(RepoPath, u32, Provenance)>,
) -> Result<()> {
    let mut paths: Vec<&RepoPath> = targets.iter().map(|symbol| &symbol.path).collect();
    paths.dedup();
    for path in paths.into_iter().take(MAX_NAMESAKES) {
        let budget = view.budget;
        let named = namesake::tests_of(view.read, path)?;
        if named.is_empty() {
            continue;
        }
        let importing = related::neighbours(
            view.read,
            path,
            Relation::Imports,
            related::Direction::In,
            NAMESAKE_DEPTH,
            budget,
        )?;
        for test in named {
            let is_known = tests.iter().any(|(known, _, _)| *known == test)
                || importing.found.iter().any(|near| near.path == test);
            if !is_known {
                tests.push((test, 1, Provenance::PathHeuristic));
            }
        }
    }
    Ok(())
}

/// Counts the uses of the targets' names that are bound to nothing.
fn n_unbound(view: &View<'_>, targets: &[SymbolRow]) -> Result<u64> {
    let mut names: Vec<&str> = targets.iter().map(|symbol| symbol.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut n = 0;
    for name in names {
        n += view.read.n_unbound(name)?;
    }
    Ok(n)
}

fn place_list(
    view: &View<'_>,
    places: &[Placed],
    limit: usize,
    are_callees: bool,
) -> Result<Vec<PlaceOutput>> {
    let mut list = places
        .iter()
        .take(limit)
        .map(|place| place_output(view, place, are_callees))
        .collect::<Result<Vec<_>>>()?;
    list.truncate(fitting(&list, MAX_LIST_BYTES / 4));
    Ok(list)
}

fn file_list(
    view: &View<'_>,
    files: &[(RepoPath, u32, Provenance)],
    limit: usize,
) -> Vec<FileOutput> {
    let mut list: Vec<FileOutput> = files
        .iter()
        .take(limit)
        .map(|file| file_output(view, file))
        .collect();
    list.truncate(fitting(&list, MAX_LIST_BYTES / 4));
    list
}

fn targets(
    view: &View<'_>,
    input: &ImpactInput,
    path: Option<&RepoPath>,
    changes: &[Change],
) -> Result<Vec<SymbolRow>> {
    let of_file = |path: &RepoPath| -> Result<Vec<SymbolRow>> {
        match view.read.file(path.as_str())? {
            Some(file) => Ok(view.read.symbols_of(file.id)?),
            None => Err(view.why_absent(path)),
        }
    };
    if let Some(text) = &input.handle {
        return match by_handle(view, text)? {
            Named::Symbol(symbol) => Ok(vec![*symbol]),
            Named::File(path) => of_file(&path),
        };
    }
    if let Some(name) = &input.symbol {
        return named(view, name.trim(), path);
    }
    if let (Some(path), false) = (path, input.changes) {
        return of_file(path);
    }
    let mut found = Vec::new();
    for change in changes {
        let is_asked = path.is_none_or(|path| is_at_or_below(change.path.as_str(), path.as_str()));
        let file = view.read.file(change.path.as_str())?;
        if let (true, Some(file)) = (is_asked, file) {
            let all = view.read.symbols_of(file.id)?;
            found.extend(match &change.lines {
                // Lines are those of the disk, which the index has not seen yet.
                Some(lines) if !view.is_stale(change.path.as_str()) => {
                    changed::definitions(all, lines)
                }
                _ => all,
            });
        }
    }
    Ok(found)
}
