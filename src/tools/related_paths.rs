//! `cl_related` with `to`: the shortest chains of uses from one definition or file to another.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::FreshnessFields;
use super::impact::is_one;
use super::named_object::{NamedObject, by_handle, definitions_named, near_names, path_and_name};
use super::number::clamp;
use super::places::{TargetOutput, target};
use super::related::{DirectionInput, RelatedInput, RelatedOutput};
use crate::error::{Error, Result};
use crate::graph::chains::{self, ChainNode, Link, LinkKind};
use crate::model::{Handle, RepoPath};
use crate::workspace::{SymbolRow, View, cut_argument};

/// Neighbours that two places have in common, where no chain joins them.
const MAX_COMMON: usize = 5;

/// Definitions with names like one that there is not.
const MAX_NAMED: usize = 5;

/// Definitions of one name that are listed.
const MAX_CANDIDATES: usize = 30;

/// Edges of a chain, where the caller names no depth.
const DEFAULT_DEPTH: usize = 5;

/// The chains between two places.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChainsOutput {
    pub(crate) reachable: bool,
    /// `in`: the chains lead from `to` to `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) direction: Option<&'static str>,
    /// The shortest ones, three at most: each place uses the next one.
    pub(crate) paths: Vec<Vec<StepOutput>>,
    /// Without a chain, what both use, the nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) common: Vec<ChainPlaceOutput>,
    /// The end that a name stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) to: Option<ChainPlaceOutput>,
}

/// A place on a chain.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StepOutput {
    pub(crate) handle: String,
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbol: Option<String>,
    /// The line on which it first uses the next place; that of its name on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
    /// How it uses the next place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edge_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provenance: Option<&'static str>,
}

/// A file, or a definition in it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChainPlaceOutput {
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbol: Option<String>,
}

/// Checks that no other field speaks of a list of neighbours.
///
/// # Errors
/// `invalid_argument` where one does, and for an empty `to`.
pub(super) fn check(input: &RelatedInput, to: &str) -> Result<()> {
    if to.trim().is_empty() {
        return Err(Error::invalid(
            "`to` is empty",
            "name the file, handle or definition that the chains lead to",
        ));
    }
    if !input.types.is_empty() || input.cursor.is_some() || input.limit.is_some() {
        return Err(Error::invalid(
            "`types`, `limit` and `cursor` are of a list of neighbours, and `to` asks for chains",
            "leave them out, or leave `to` out",
        ));
    }
    Ok(())
}

/// Answers how one place leads to another: from `path` to `to`, else the other way round, as far as `direction` allows.
pub(super) fn answer(view: &View<'_>, input: &RelatedInput, to: &str) -> Result<RelatedOutput> {
    let depth = u32::try_from(clamp(input.depth, DEFAULT_DEPTH, 1..=5)).unwrap_or(5);
    let start = match end(view, &input.path)? {
        End::One(start) => start,
        End::Several(found) => return Ok(ambiguous(view, "path", &input.path, &found)),
    };
    let goal = match end(view, to)? {
        End::One(goal) => goal,
        End::Several(found) => return Ok(ambiguous(view, "to", to, &found)),
    };
    let by_files = matches!(start, NamedObject::File(_));
    let (from, to) = (
        places(view, &start, by_files)?,
        places(view, &goal, by_files)?,
    );
    if !from.is_disjoint(&to) && from.len() == to.len() {
        return Err(Error::invalid(
            "`path` and `to` are the same place",
            "name two places, or leave `to` out for what is around one",
        ));
    }
    let mut is_cut = false;
    let mut found = Vec::new();
    let mut direction = None;
    let ways = [
        (DirectionInput::Out, &from, &to, None),
        (DirectionInput::In, &to, &from, Some("in")),
    ];
    for (way, from, to, word) in ways {
        let wanted = input.direction.unwrap_or_default();
        if !found.is_empty() || !(wanted == DirectionInput::Both || wanted == way) {
            continue;
        }
        let chains = chains::between(view.read, from, to, depth, view.budget)?;
        is_cut |= chains.is_cut;
        found = chains.chains;
        direction = word;
    }
    let mut freshness_fields = FreshnessFields::of(view);
    let mut common = Vec::new();
    if found.is_empty() {
        direction = None;
        common = in_common(view, &from, &to)?;
        let n_files = view.read.files_under("")?.iter().count() as u64;
        freshness_fields.say_nothing_found(
            &format!("No chain of at most {depth} known uses joins them"),
            n_files,
        );
    }
    let mut to = end_output(&goal);
    if by_files && let Some(symbol) = to.symbol.take() {
        freshness_fields.say(&format!(
            "`path` is a file: chains lead to {}, the file of `{symbol}`, whether or not they use it. For chains to it pass a definition as `path`.",
            to.path
        ));
    }
    let mut paths = Vec::new();
    for chain in &found {
        paths.push(steps(view, chain)?);
    }
    let total = paths.len() as u64;
    let output = ChainsOutput {
        reachable: !paths.is_empty(),
        direction,
        paths,
        common,
        to: Some(to),
    };
    let symbol = end_output(&start).symbol;
    Ok(RelatedOutput::of_chains(
        view,
        symbol,
        output,
        total,
        is_cut,
        freshness_fields,
    ))
}

/// An end of a chain.
enum End {
    One(NamedObject),
    /// Definitions of one name, the likeliest first.
    Several(Vec<SymbolRow>),
}

/// Answers with the definitions that an end may mean: nothing is guessed.
fn ambiguous(view: &View<'_>, field: &str, text: &str, found: &[SymbolRow]) -> RelatedOutput {
    let mut freshness_fields = FreshnessFields::of(view);
    freshness_fields.say(&format!(
        "{} definitions are named `{}`: pass as `{field}` the `handle` of one of the candidates, or `path#name`. No chain was looked for.",
        found.len(),
        cut_argument(text)
    ));
    let candidates: Vec<TargetOutput> = found.iter().take(MAX_CANDIDATES).map(target).collect();
    let is_cut = candidates.len() < found.len();
    RelatedOutput::of_candidates(view, candidates, is_cut, freshness_fields)
}

/// Returns the file or the definition of a path, a handle, a name or `path#name`.
fn end(view: &View<'_>, text: &str) -> Result<End> {
    let text = text.trim();
    if text.starts_with("rel:") || Handle::parse(text).is_some() {
        return by_handle(view, text).map(End::One);
    }
    if let Some(path) = RepoPath::normalise(text)
        && view.read.has_file(path.as_str())?
    {
        return Ok(End::One(NamedObject::File(path)));
    }
    let (path, name) = path_and_name(view, text)?;
    if path.is_none() && text.contains('/') {
        return super::named_object::by_path(view, text)
            .map(|path| End::One(NamedObject::File(path)));
    }
    let name = super::normalize_input::plain_name(name);
    let Some(mut found) = definitions_named(view, name, path.as_ref())? else {
        let near = near_names(view, name, path.as_ref())?;
        let near: Vec<String> = near.iter().take(MAX_NAMED).map(place).collect();
        let hint = if near.is_empty() {
            "use cl_search to find it by words".to_owned()
        } else {
            format!("did you mean {}", near.join(", "))
        };
        return Err(Error::invalid(
            format!(
                "no file and no definition is named `{}`",
                cut_argument(text)
            ),
            hint,
        ));
    };
    if !is_one(&found) {
        return Ok(End::Several(found));
    }
    Ok(End::One(NamedObject::Symbol(Box::new(
        found.swap_remove(0),
    ))))
}

fn place(symbol: &SymbolRow) -> String {
    format!("{}#{}", symbol.path, symbol.qualified_name)
}

/// Returns the places that stand for an end: a file, all its definitions, or a definition with those inside it.
fn places(view: &View<'_>, end: &NamedObject, by_files: bool) -> Result<BTreeSet<ChainNode>> {
    let path = match end {
        NamedObject::Symbol(symbol) => &symbol.path,
        NamedObject::File(path) => path,
    };
    let Some(file) = view.read.file(path.as_str())? else {
        return Ok(BTreeSet::new());
    };
    if by_files {
        return Ok(BTreeSet::from([ChainNode::File(file.id)]));
    }
    let symbols = view.read.symbols_of(file.id)?;
    let is_of = |it: &&SymbolRow| match end {
        NamedObject::Symbol(symbol) => symbol.span.contains(&it.span),
        NamedObject::File(_) => true,
    };
    Ok(symbols
        .iter()
        .filter(is_of)
        .map(|it| ChainNode::Definition(it.id))
        .collect())
}

/// Returns the places of a chain, from its start to its end.
fn steps(view: &View<'_>, chain: &[Link]) -> Result<Vec<StepOutput>> {
    let mut steps = Vec::new();
    for link in chain {
        let Some(step) = step(view, link.from)? else {
            continue;
        };
        steps.push(StepOutput {
            line: (link.line > 0).then_some(link.line),
            edge_type: Some(match link.kind {
                LinkKind::Calls => "calls",
                LinkKind::Imports => "imports",
                LinkKind::References => "references",
            }),
            provenance: Some(link.provenance.as_str()),
            ..step
        });
    }
    if let Some(last) = chain.last() {
        steps.extend(step(view, last.to)?);
    }
    Ok(steps)
}

fn step(view: &View<'_>, place: ChainNode) -> Result<Option<StepOutput>> {
    Ok(match place {
        ChainNode::Definition(definition) => {
            view.read
                .symbol_by_id(definition)?
                .map(|symbol| StepOutput {
                    handle: symbol.handle.to_string(),
                    path: symbol.path.to_string(),
                    symbol: Some(symbol.qualified_name),
                    line: Some(symbol.name_line),
                    edge_type: None,
                    provenance: None,
                })
        }
        ChainNode::File(file) => view.read.path_of(file)?.map(|path| StepOutput {
            handle: format!("rel:{path}"),
            path: path.to_string(),
            symbol: None,
            line: None,
            edge_type: None,
            provenance: None,
        }),
    })
}

/// Returns the places that both ends use, directly or through one other.
fn in_common(
    view: &View<'_>,
    from: &BTreeSet<ChainNode>,
    to: &BTreeSet<ChainNode>,
) -> Result<Vec<ChainPlaceOutput>> {
    let of_start = chains::used_by(view.read, from, view.budget)?;
    let of_goal = chains::used_by(view.read, to, view.budget)?;
    let mut both: Vec<(u32, StepOutput)> = Vec::new();
    for (row, hops) in &of_start {
        if let Some(others) = of_goal.get(row)
            && let Some(step) = step(view, *row)?
        {
            both.push((hops + others, step));
        }
    }
    both.sort_by(|a, b| (a.0, &a.1.path, &a.1.symbol).cmp(&(b.0, &b.1.path, &b.1.symbol)));
    let both = both.into_iter().take(MAX_COMMON);
    Ok(both
        .map(|(_, step)| ChainPlaceOutput {
            path: step.path,
            symbol: step.symbol,
        })
        .collect())
}

fn end_output(end: &NamedObject) -> ChainPlaceOutput {
    match end {
        NamedObject::Symbol(symbol) => ChainPlaceOutput {
            path: symbol.path.to_string(),
            symbol: Some(symbol.qualified_name.clone()),
        },
        NamedObject::File(path) => ChainPlaceOutput {
            path: path.to_string(),
            symbol: None,
        },
    }
}
