//! `cl_impact`: what breaks when a definition changes.
//!
//! Refuses to guess: an ambiguous name gives candidates, and uses that are bound to nothing are said.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{Currency, MAX_LIST_BYTES, fitting};
use super::places::{
    FileOutput, PlaceOutput, Placed, TargetOutput, file_output, is_test, named, place_output,
    places, target,
};
use super::schema::{clamp, number};
use super::{Call, Tool};
use crate::error::{Error, Result};
use crate::graph::impact::{Way, files_of, walk};
use crate::model::{Handle, HandleKind, Provenance, RepoPath};
use crate::workspace::{SymbolRow, View, outside};

/// Candidates that are shown of an ambiguous name.
const MAX_CANDIDATES: usize = 30;

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
    /// A sym_ handle, in place of `symbol`.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// The definitions in files that are changed and not committed.
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
            workspace.changed_files(&call.interrupt)?
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
    changed: &[RepoPath],
) -> Result<ImpactOutput> {
    let depth = u32::try_from(clamp(input.depth, 2, 1..=5)).unwrap_or(2);
    let limit = clamp(input.limit, 200, 1..=500);
    let targets = targets(view, input, path, changed)?;
    let mut output = ImpactOutput {
        index_id: view.index_id.to_owned(),
        target: None,
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
            skipped_files: view.read.skipped()?.values().sum(),
        },
        total_callers: 0,
        truncated: false,
        currency: Currency::of(view),
    };
    if input.symbol.is_some() && targets.len() > 1 {
        output.summary = format!(
            "{} definitions have this name: pass `path` or a `handle` of one of the candidates",
            targets.len()
        );
        output.truncated = targets.len() > MAX_CANDIDATES;
        output.candidates = Some(targets.iter().take(MAX_CANDIDATES).map(target).collect());
        return Ok(output);
    }
    if let [only] = targets.as_slice() {
        output.target = Some(target(only));
    }
    let seeds: Vec<i64> = targets.iter().map(|symbol| symbol.id).collect();
    let callers = walk(view.read, &seeds, Way::Callers, depth, view.budget)?;
    let callees = walk(view.read, &seeds, Way::Callees, 1, view.budget)?;
    let with_tests = input.include_tests.unwrap_or(true);
    let mut places = places(view, &callers.places)?;
    places.retain(|place| with_tests || !is_test(&place.path));
    let reached: Vec<(RepoPath, u32, Provenance)> = places
        .iter()
        .map(|place| {
            (
                place.path.clone(),
                place.reached.hops,
                place.reached.provenance,
            )
        })
        .collect();
    let (tests, files): (Vec<_>, Vec<_>) = files_of(&reached)
        .into_iter()
        .partition(|(path, _, _)| is_test(path));
    let mut names: Vec<&str> = targets.iter().map(|symbol| symbol.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        for (_, unbound) in view.read.unbound_named(name)? {
            output.completeness.unresolved_sites += u64::from(unbound.count);
        }
    }
    output.completeness.resolved_sites = callers.n_sites;
    output.total_callers = places.len() as u64;
    output.truncated = callers.is_cut
        || places.len() > limit
        || files.len() > limit
        || tests.len() > limit
        || callees.places.len() > limit;
    let n_direct = places
        .iter()
        .filter(|place| place.reached.hops == 1)
        .count();
    (output.summary, output.confidence_note) =
        words(n_direct, files.len(), tests.len(), &output.completeness);
    let share = MAX_LIST_BYTES / 4;
    let shown = |places: &[Placed]| {
        let mut list: Vec<PlaceOutput> = places
            .iter()
            .take(limit)
            .map(|place| place_output(view, place))
            .collect();
        list.truncate(fitting(&list, share));
        list
    };
    output.callers = shown(&places);
    output.callees = shown(&self::places(view, &callees.places)?);
    let listed = |files: &[(RepoPath, u32, Provenance)]| {
        let mut list: Vec<FileOutput> = files
            .iter()
            .take(limit)
            .map(|file| file_output(view, file))
            .collect();
        list.truncate(fitting(&list, share));
        list
    };
    output.affected_files = listed(&files);
    output.affected_tests = listed(&tests);
    output.truncated |= output.callers.len() < places.len().min(limit);
    Ok(output)
}

/// Says what was found, never that a change is safe.
fn words(
    n_direct: usize,
    n_files: usize,
    n_tests: usize,
    found: &CompletenessOutput,
) -> (String, String) {
    let unresolved = found.unresolved_sites;
    let summary = match (n_direct, unresolved) {
        (0, 0) => {
            "no use is bound to it, and no unbound use has its name; dynamic uses can't be seen"
                .to_owned()
        }
        (0, n) => {
            format!("unknown: no use is bound to it, but {n} with its name could not be bound")
        }
        (n, _) => {
            format!("{n} direct callers; {n_files} files and {n_tests} test files are reached")
        }
    };
    let note = if unresolved > 0 {
        format!(
            "{unresolved} uses of this name could not be bound (their receiver's type is not evident): search for the name before you rely on this list"
        )
    } else {
        "confidence is the measured precision of the weakest kind of edge on the way; uses by computed names or from outside the repository can't be seen".to_owned()
    };
    (summary, note)
}

fn targets(
    view: &View<'_>,
    input: &ImpactInput,
    path: Option<&RepoPath>,
    changed: &[RepoPath],
) -> Result<Vec<SymbolRow>> {
    if let Some(text) = &input.handle {
        let handle = Handle::parse(text).filter(|handle| handle.kind == HandleKind::Symbol);
        let found = match handle {
            Some(handle) => view.read.symbol_by_handle(handle.hash)?,
            None => None,
        };
        return found
            .map(|symbol| vec![symbol])
            .ok_or_else(|| super::unknown_handle(text));
    }
    if let Some(name) = &input.symbol {
        return named(view, name.trim(), path);
    }
    let mut found = Vec::new();
    for path in path.into_iter().chain(changed) {
        match view.read.file(path.as_str())? {
            Some(file) => found.extend(view.read.symbols_of(file.id)?),
            None if input.path.is_some() => return Err(view.why_absent(path)),
            None => {}
        }
    }
    Ok(found)
}
