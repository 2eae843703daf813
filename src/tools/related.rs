//! `cl_related`: what is around a file or a definition.
//!
//! Refuses to know how edges are walked.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{Currency, MAX_LIST_BYTES, fitting};
use super::places::{Named, by_handle, by_path};
use super::schema::{clamp, number};
use super::{Call, Tool, related_symbol};
use crate::error::Result;
use crate::graph::confidence;
use crate::graph::related::{self, Neighbour, Relation};
use crate::model::path::upwards;
use crate::model::{Handle, Provenance, RepoPath};
use crate::workspace::{SymbolRow, View};

/// Results of a call that names no limit: more files than that import one even in repositories of middle
/// size, and a list of importers that ends before its end misleads.
const DEFAULT_LIMIT: usize = 200;

/// `cl_related`.
pub struct Related;

/// A kind of edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum EdgeType {
    /// What it imports.
    Imports,
    /// What imports it.
    ImportedBy,
    /// Tests that import or use it, else those named after it; of a test, what it tests.
    Tests,
    /// Files whose definitions it calls, or that call its own.
    Calls,
    /// Files whose definitions it names, or that name its own.
    References,
    /// Its definitions.
    Defines,
    /// What it exports.
    Exports,
    /// The package it belongs to.
    BelongsTo,
}

impl EdgeType {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Imports => "imports",
            Self::ImportedBy => "imported_by",
            Self::Tests => "tests",
            Self::Calls => "calls",
            Self::References => "references",
            Self::Defines => "defines",
            Self::Exports => "exports",
            Self::BelongsTo => "belongs_to",
        }
    }
}

/// Which way edges are followed.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the file.
    Out,
    /// To the file.
    In,
    /// Both ways.
    #[default]
    Both,
}

impl Direction {
    /// Returns the ways that are walked.
    pub(super) fn ways(self) -> &'static [related::Direction] {
        use related::Direction::{In, Out};
        match self {
            Self::Out => &[Out],
            Self::In => &[In],
            Self::Both => &[Out, In],
        }
    }
}

/// Input of `cl_related`.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RelatedInput {
    /// File, relative to the repository, or a handle; a definition's handle asks about it, not about its file.
    pub path: String,
    /// Kinds of edges (default: imports, `imported_by`, tests, calls, references; of a definition the last three).
    #[arg(long, value_delimiter = ',')]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<EdgeType>,
    /// Edges from the file at most (default 2).
    #[arg(long, allow_negative_numbers = true)]
    #[serde(
        default,
        deserialize_with = "number",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 1, max = 5))]
    pub depth: Option<i64>,
    /// Which way (default both); `imported_by` leads one way only.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Results at most (default 200).
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

/// The files around a file, the nearest first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelatedOutput {
    index_id: String,
    /// What was asked about, where that is a definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    results: Vec<ResultOutput>,
    total: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(flatten)]
    currency: Currency,
}

/// A neighbour.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultOutput {
    pub(super) handle: String,
    pub(super) path: String,
    /// The definition, where the neighbour is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) symbol: Option<String>,
    /// Its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    pub(super) edge_type: &'static str,
    pub(super) direction: &'static str,
    pub(super) hops: u32,
    pub(super) confidence: f64,
    pub(super) provenance: &'static str,
    /// The file or definition before it on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) via: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) stale: bool,
}

/// Some neighbours, and whether a bound ended the search for more.
pub(super) type Found = (Vec<ResultOutput>, bool);

impl Tool for Related {
    const NAME: &'static str = "cl_related";
    const TITLE: &'static str = "List what is around a file or a definition";
    const ABOUT: &'static str = "The files that a file imports, calls or names, those that do so to it, and its tests, the nearest first; with a \
        definition's handle, its own callers, callees and tests.";
    const EXAMPLES: &'static str = "codelens related src/store.ts\ncodelens related src/store.ts --types imported_by,tests --depth 1";
    type Input = RelatedInput;
    type Output = RelatedOutput;

    fn run(input: RelatedInput, call: &Call<'_>) -> Result<RelatedOutput> {
        let workspace = call.workspaces.open(input.repo.as_deref(), call.places)?;
        workspace.query(&call.interrupt, |view| answer(view, &input))
    }
}

fn answer(view: &View<'_>, input: &RelatedInput) -> Result<RelatedOutput> {
    let depth = u32::try_from(clamp(input.depth, 2, 1..=5)).unwrap_or(2);
    let limit = clamp(input.limit, DEFAULT_LIMIT, 1..=500);
    let asked = asked(view, &input.path)?;
    let start = match &asked {
        Named::File(path) => path,
        Named::Symbol(symbol) => &symbol.path,
    };
    view.is_stale_at(start.as_str(), 0);
    let direction = input.direction.unwrap_or_default();
    let mut types = input.types.clone();
    if types.is_empty() {
        types = default_types(&asked, direction);
    }
    types.sort_unstable_by_key(|edge_type| edge_type.as_str());
    types.dedup();
    let mut results = Vec::new();
    let mut is_cut = false;
    for edge_type in types {
        let (found, cut) = match &asked {
            Named::Symbol(symbol) if is_of_symbols(edge_type) => {
                related_symbol::of_type(view, symbol, edge_type, direction, depth)?
            }
            Named::Symbol(symbol) => of_type(view, &symbol.path, edge_type, direction, depth)?,
            Named::File(path) => of_type(view, path, edge_type, direction, depth)?,
        };
        results.extend(found);
        is_cut |= cut;
    }
    results.retain(|result| RepoPath::new(&result.path).is_none_or(|path| !view.is_gone(&path)));
    results.sort_by_cached_key(|it| {
        // A list that is cut ends in tests, of which there are many.
        let is_test = RepoPath::new(&it.path).is_some_and(|path| related::is_test(&path));
        let kind = (it.hops, is_test, it.edge_type, it.direction);
        (kind, it.path.clone(), it.line, it.handle.clone())
    });
    let total = results.len() as u64;
    results.truncate(limit);
    results.truncate(fitting(&results, MAX_LIST_BYTES));
    Ok(RelatedOutput {
        index_id: view.index_id.to_owned(),
        symbol: match asked {
            Named::Symbol(symbol) => Some(symbol.qualified_name),
            Named::File(_) => None,
        },
        truncated: is_cut || (results.len() as u64) < total,
        results,
        total,
        currency: Currency::of(view),
    })
}

/// Returns the kinds that have something to say in a direction, none twice by its two names.
fn default_types(asked: &Named, direction: Direction) -> Vec<EdgeType> {
    use EdgeType::{Calls, ImportedBy, Imports, References, Tests};
    match (asked, direction) {
        (Named::Symbol(_), Direction::Out) => vec![Calls, References],
        (Named::Symbol(_), _) => vec![Calls, References, Tests],
        (Named::File(_), Direction::Out) => vec![Imports, Calls, References, Tests],
        (Named::File(_), Direction::In) => vec![ImportedBy, Calls, References, Tests],
        (Named::File(_), Direction::Both) => vec![Imports, ImportedBy, Calls, References, Tests],
    }
}

/// Whether a definition has edges of this kind of its own; the others are those of its file.
fn is_of_symbols(edge_type: EdgeType) -> bool {
    !matches!(
        edge_type,
        EdgeType::Imports | EdgeType::ImportedBy | EdgeType::Exports
    )
}

fn asked(view: &View<'_>, text: &str) -> Result<Named> {
    if Handle::parse(text).is_some() {
        return by_handle(view, text);
    }
    by_path(view, text.strip_prefix("rel:").unwrap_or(text)).map(Named::File)
}

fn of_type(
    view: &View<'_>,
    path: &RepoPath,
    edge_type: EdgeType,
    direction: Direction,
    depth: u32,
) -> Result<Found> {
    use related::Direction::{In, Out};
    let both = direction.ways();
    let (relation, ways): (Relation, &[related::Direction]) = match edge_type {
        // Its other way has a name of its own.
        EdgeType::Imports if direction == Direction::Both => (Relation::Imports, &[Out]),
        EdgeType::Imports => (Relation::Imports, both),
        EdgeType::ImportedBy => (Relation::Imports, &[In]),
        EdgeType::Tests => (Relation::Tests, both),
        EdgeType::Calls => (Relation::Calls, both),
        EdgeType::References => (Relation::References, both),
        EdgeType::Defines | EdgeType::Exports => {
            return Ok((definitions(view, path, edge_type)?, false));
        }
        EdgeType::BelongsTo => return Ok((package(view, path)?, false)),
    };
    let mut found = Vec::new();
    let mut is_cut = false;
    for way in ways {
        let near = related::neighbours(view.read, path, relation, *way, depth, view.budget)?;
        found.extend(near.found.iter().map(|near| output(view, near, edge_type)));
        is_cut |= near.is_cut;
    }
    Ok((found, is_cut))
}

fn definitions(view: &View<'_>, path: &RepoPath, edge_type: EdgeType) -> Result<Vec<ResultOutput>> {
    let Some(file) = view.read.file(path.as_str())? else {
        return Ok(Vec::new());
    };
    let symbols = view.read.symbols_of(file.id)?;
    Ok(symbols
        .iter()
        .filter(|symbol| symbol.parent.is_none())
        .filter(|symbol| edge_type == EdgeType::Defines || symbol.exported)
        .map(|symbol| definition(view, symbol, edge_type))
        .collect())
}

fn package(view: &View<'_>, path: &RepoPath) -> Result<Vec<ResultOutput>> {
    for directory in upwards(path.directory()) {
        let name = if directory.is_empty() {
            "package.json".to_owned()
        } else {
            format!("{directory}/package.json")
        };
        if name != path.as_str()
            && let Some(file) = view.read.file(&name)?
        {
            let handle = format!("rel:{name}");
            return Ok(vec![direct(view, handle, &file.path, EdgeType::BelongsTo)]);
        }
    }
    Ok(Vec::new())
}

/// Returns a definition as the neighbour of what holds it.
pub(super) fn definition(view: &View<'_>, symbol: &SymbolRow, edge_type: EdgeType) -> ResultOutput {
    ResultOutput {
        symbol: Some(symbol.qualified_name.clone()),
        line: Some(symbol.name_line),
        ..direct(view, symbol.handle.to_string(), &symbol.path, edge_type)
    }
}

/// Returns a neighbour that the text of one file says.
pub(super) fn direct(
    view: &View<'_>,
    handle: String,
    path: &RepoPath,
    edge_type: EdgeType,
) -> ResultOutput {
    let provenance = Provenance::Resolved;
    ResultOutput {
        handle,
        path: path.to_string(),
        symbol: None,
        line: None,
        edge_type: edge_type.as_str(),
        direction: related::Direction::Out.as_str(),
        hops: 1,
        confidence: confidence(provenance),
        provenance: provenance.as_str(),
        via: None,
        stale: view.has_stale_edges(path.as_str()),
    }
}

fn output(view: &View<'_>, near: &Neighbour, edge_type: EdgeType) -> ResultOutput {
    ResultOutput {
        direction: near.direction.as_str(),
        hops: near.hops,
        confidence: confidence(near.provenance),
        provenance: near.provenance.as_str(),
        via: near.via.as_ref().map(ToString::to_string),
        stale: view.is_stale_at(near.path.as_str(), near.hops),
        ..direct(view, format!("rel:{}", near.path), &near.path, edge_type)
    }
}
