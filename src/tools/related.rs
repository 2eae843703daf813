//! `cl_related`: the files around a file.
//!
//! Refuses to know how edges are walked.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{Currency, MAX_LIST_BYTES, fitting};
use super::schema::{clamp, number};
use super::{Call, Tool};
use crate::error::Result;
use crate::graph::confidence;
use crate::graph::related::{self, Neighbour, Relation};
use crate::model::{Handle, RepoPath};
use crate::workspace::{View, outside};

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
    /// Tests that import it.
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
    fn as_str(self) -> &'static str {
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

/// Input of `cl_related`.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RelatedInput {
    /// File, relative to the repository, or a handle.
    pub path: String,
    /// Kinds of edges (default: imports, `imported_by`, tests, calls, references).
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
    /// Which way (default both).
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
    handle: String,
    path: String,
    edge_type: &'static str,
    direction: &'static str,
    hops: u32,
    confidence: f64,
    provenance: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

impl Tool for Related {
    const NAME: &'static str = "cl_related";
    const TITLE: &'static str = "List the files around a file";
    const ABOUT: &'static str = "The files that a file imports, calls or names, those that do so to it, and its tests, the nearest first.";
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
    let limit = clamp(input.limit, 200, 1..=500);
    let path = file_of(view, &input.path)?;
    let mut types = input.types.clone();
    if types.is_empty() {
        types = vec![
            EdgeType::Imports,
            EdgeType::ImportedBy,
            EdgeType::Tests,
            EdgeType::Calls,
            EdgeType::References,
        ];
    }
    let direction = input.direction.unwrap_or_default();
    let mut results = Vec::new();
    for edge_type in types {
        results.extend(of_type(view, &path, edge_type, direction, depth)?);
    }
    results.sort_by(|a: &ResultOutput, b: &ResultOutput| {
        let key = |it: &ResultOutput| {
            (
                it.hops,
                it.edge_type,
                it.direction,
                it.path.clone(),
                it.handle.clone(),
            )
        };
        key(a).cmp(&key(b))
    });
    results.dedup_by(|a, b| {
        (&a.handle, a.edge_type, a.direction) == (&b.handle, b.edge_type, b.direction)
    });
    let total = results.len() as u64;
    results.truncate(limit);
    results.truncate(fitting(&results, MAX_LIST_BYTES));
    Ok(RelatedOutput {
        index_id: view.index_id.to_owned(),
        truncated: (results.len() as u64) < total,
        results,
        total,
        currency: Currency::of(view),
    })
}

fn file_of(view: &View<'_>, text: &str) -> Result<RepoPath> {
    let handle = Handle::parse(text);
    let path = if let Some(handle) = handle {
        let symbol = view
            .read
            .symbol_by_handle(handle.hash)?
            .map(|symbol| symbol.path);
        let chunk = view
            .read
            .chunk_by_handle(handle.hash)?
            .map(|chunk| chunk.path);
        symbol
            .or(chunk)
            .ok_or_else(|| super::unknown_handle(text))?
    } else {
        let text = text.strip_prefix("rel:").unwrap_or(text);
        RepoPath::normalise(text).ok_or_else(|| outside(text))?
    };
    if view.read.file(path.as_str())?.is_none() {
        return Err(view.why_absent(&path));
    }
    Ok(path)
}

fn of_type(
    view: &View<'_>,
    path: &RepoPath,
    edge_type: EdgeType,
    direction: Direction,
    depth: u32,
) -> Result<Vec<ResultOutput>> {
    use related::Direction::{In, Out};
    let both: &[related::Direction] = match direction {
        Direction::Out => &[Out],
        Direction::In => &[In],
        Direction::Both => &[Out, In],
    };
    let (relation, ways): (Relation, &[related::Direction]) = match edge_type {
        // Its other way has a name of its own.
        EdgeType::Imports if direction == Direction::Both => (Relation::Imports, &[Out]),
        EdgeType::Imports => (Relation::Imports, both),
        EdgeType::ImportedBy => (Relation::Imports, &[In]),
        EdgeType::Tests => (Relation::Tests, &[In]),
        EdgeType::Calls => (Relation::Calls, both),
        EdgeType::References => (Relation::References, both),
        EdgeType::Defines | EdgeType::Exports => return definitions(view, path, edge_type),
        EdgeType::BelongsTo => return package(view, path),
    };
    let mut found = Vec::new();
    for way in ways {
        let list = related::neighbours(view.read, path, relation, *way, depth, view.budget)?;
        found.extend(list.iter().map(|near| output(view, near, edge_type)));
    }
    Ok(found)
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
        .map(|symbol| direct(view, symbol.handle.to_string(), path, edge_type))
        .collect())
}

fn package(view: &View<'_>, path: &RepoPath) -> Result<Vec<ResultOutput>> {
    let mut directory = path.directory();
    loop {
        let name = if directory.is_empty() {
            "package.json".to_owned()
        } else {
            format!("{directory}/package.json")
        };
        if name != path.as_str()
            && let Some(file) = view.read.file(&name)?
        {
            return Ok(vec![direct(
                view,
                format!("rel:{name}"),
                &file.path,
                EdgeType::BelongsTo,
            )]);
        }
        if directory.is_empty() {
            return Ok(Vec::new());
        }
        directory = directory.rfind('/').map_or("", |at| &directory[..at]);
    }
}

fn direct(view: &View<'_>, handle: String, path: &RepoPath, edge_type: EdgeType) -> ResultOutput {
    let provenance = crate::model::Provenance::Resolved;
    ResultOutput {
        handle,
        path: path.to_string(),
        edge_type: edge_type.as_str(),
        direction: "out",
        hops: 1,
        confidence: confidence(provenance),
        provenance: provenance.as_str(),
        via: None,
        stale: view.freshness.is_stale(path.as_str()),
    }
}

fn output(view: &View<'_>, near: &Neighbour, edge_type: EdgeType) -> ResultOutput {
    ResultOutput {
        handle: format!("rel:{}", near.path),
        path: near.path.to_string(),
        edge_type: edge_type.as_str(),
        direction: match near.direction {
            related::Direction::Out => "out",
            related::Direction::In => "in",
        },
        hops: near.hops,
        confidence: confidence(near.provenance),
        provenance: near.provenance.as_str(),
        via: near.via.as_ref().map(ToString::to_string),
        stale: view.freshness.is_stale(near.path.as_str()),
    }
}
