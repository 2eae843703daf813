//! `cl_related`: the neighbours of a file or a definition.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysed::{AnalysedOutput, is_outlined};
use super::answer::{Cursor, FreshnessFields, MAX_LIST_BYTES, truncate_to_bytes};
use super::external_packages::{self, ExternalPackageOutput};
use super::named_object::{NamedObject, by_handle, by_path, definitions_named};
use super::number::{Number, clamp};
use super::places::{EdgeConfidence, TargetOutput, uses};
use super::related_paths::{self, ChainsOutput};
use super::{Call, Tool, related_symbol, unresolved_includes};
use crate::error::{Code, Error, Result};
use crate::graph::related::{self, Neighbour, Relation, TestBasis};
use crate::model::path::upwards;
use crate::model::sanitize::one_line;
use crate::model::{Direction, Handle, Provenance, RepoPath};
use crate::workspace::{SymbolRow, View, family_of};

/// Results of a call that names no limit: more files than that import one even in repositories of middle
/// size, and a list of importers that ends before its end misleads.
const DEFAULT_LIMIT: usize = 200;

/// Bytes of the list of a caller who names no limit: about 2,500 tokens.
const DEFAULT_LIST_BYTES: usize = 8_400;

/// `cl_related`.
pub struct Related;

/// A kind of edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum EdgeType {
    /// Files that it imports.
    Imports,
    /// Files that import it.
    ImportedBy,
    /// Tests that import or use it, else those named after it; of a test, what it tests.
    Tests,
    /// Files whose definitions it calls, or that call its own.
    Calls,
    /// Files whose definitions it names, or that name its own.
    References,
    /// Its definitions.
    Defines,
    /// Names that it exports.
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
pub enum DirectionInput {
    /// From the file.
    Out,
    /// To the file.
    In,
    /// Both ways.
    #[default]
    Both,
}

impl DirectionInput {
    /// Returns the ways that are walked.
    pub(super) fn ways(self) -> &'static [Direction] {
        use Direction::{In, Out};
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
    /// File or handle; with `to` also the name of a definition. A definition's handle asks about it, not about its file.
    pub path: String,
    /// Shortest chains of uses from `path` to this file, handle or name.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Kinds of edges (default: imports, `imported_by`, tests, calls, references; of a definition the last three).
    #[arg(long, value_delimiter = ',')]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<EdgeType>,
    /// Edges from the file at most (default 2).
    #[arg(long, allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<Number<1, 5>>,
    /// Which way (default both); `imported_by` leads one way only.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<DirectionInput>,
    /// Results at most (default 200; without it, `depth` and `types` about 2,500 tokens).
    #[arg(long, short = 'n', allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Number<1, 500>>,
    /// `nextCursor` of the page before.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Path of the repository, where it is not the working directory's.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// The files around a file, the nearest first.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelatedOutput {
    pub(crate) index_id: String,
    /// The definition that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbol: Option<String>,
    /// Values of the fields that an entry leaves out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) defaults: Option<EdgeDefaultsOutput>,
    pub(crate) results: Vec<NeighbourOutput>,
    #[serde(flatten)]
    pub(crate) chains: Option<ChainsOutput>,
    /// The definitions that `path` or `to` may mean, as in `cl_impact`.
    #[schemars(with = "Vec<serde_json::Value>")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) candidates: Vec<TargetOutput>,
    pub(crate) total: u64,
    /// All results by edge type.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) totals: BTreeMap<&'static str, u64>,
    /// Packages that it imports and other repositories of the group offer.
    #[schemars(with = "Vec<serde_json::Value>")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) external: Vec<ExternalPackageOutput>,
    #[schemars(with = "Option<serde_json::Value>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) analysed: Option<AnalysedOutput>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_cursor: Option<String>,
    #[serde(flatten)]
    pub(crate) freshness_fields: FreshnessFields,
}

/// The commonest edge type of a page, and what is true of most of its entries.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EdgeDefaultsOutput {
    pub(crate) edge_type: &'static str,
    pub(crate) direction: &'static str,
    pub(crate) confidence: EdgeConfidence,
    pub(crate) provenance: &'static str,
}

/// A neighbour as it is found; see [`NeighbourOutput`] for how it is shown.
#[derive(Clone, Debug)]
#[allow(clippy::struct_field_names, reason = "the word on the wire")]
pub(super) struct RelatedEdge {
    pub(super) path: String,
    /// The definition, where the neighbour is one.
    pub(super) symbol: Option<String>,
    /// Line of its use of what is asked about; its own where that uses it.
    pub(super) line: Option<u32>,
    pub(super) edge_type: &'static str,
    pub(super) direction: &'static str,
    pub(super) hops: u32,
    pub(super) provenance: Provenance,
    /// Of a test, how it is known.
    pub(super) basis: TestBasis,
    /// The file or definition before it on the way.
    pub(super) via: Option<String>,
    pub(super) stale: bool,
}

/// A neighbour; a field that equals the default is left out.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NeighbourOutput {
    pub(crate) path: String,
    /// The definition, where the neighbour is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbol: Option<String>,
    /// The titles of the tests around the use, where no definition is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) test: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edge_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) direction: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hops: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<EdgeConfidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provenance: Option<&'static str>,
    /// Of a test: path (named after the file), barrel (imports a file that passes many on) or mention (names the definition, no use is bound).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) basis: Option<&'static str>,
    /// `test support`: helps tests and is none; `example`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<&'static str>,
    /// The file, or `path#symbol`, before it on the way; where `depth` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) via: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stale: bool,
}

impl NeighbourOutput {
    fn of(
        view: &View<'_>,
        edge: RelatedEdge,
        defaults: &EdgeDefaultsOutput,
        with_way: bool,
    ) -> Result<Self> {
        let differs = edge.provenance.as_str() != defaults.provenance;
        let family = family_of(&edge.path);
        let known = if edge.edge_type == EdgeType::Tests.as_str() {
            EdgeConfidence::of_test(family, edge.basis)
        } else {
            EdgeConfidence::of_edge(family, edge.provenance)
        };
        let path = RepoPath::new(&edge.path);
        let test = match (&path, edge.line, &edge.symbol) {
            (Some(path), Some(line), None) if view.roles.of(path).is_of_tests() => {
                uses(view).test_around(path, line, None)?
            }
            _ => None,
        };
        let test = test.map(|test| one_line(&test).into_owned());
        let role = path.and_then(|path| view.roles.of(&path).word());
        Ok(Self {
            path: edge.path,
            symbol: edge.symbol,
            test,
            line: edge.line,
            edge_type: (edge.edge_type != defaults.edge_type).then_some(edge.edge_type),
            direction: (edge.direction != defaults.direction).then_some(edge.direction),
            hops: (edge.hops > 1).then_some(edge.hops),
            confidence: (known != defaults.confidence).then_some(known),
            provenance: differs.then(|| edge.provenance.as_str()),
            basis: (edge.basis != TestBasis::Graph).then(|| edge.basis.as_str()),
            role,
            via: edge.via.filter(|_| with_way),
            stale: edge.stale,
        })
    }
}

impl EdgeDefaultsOutput {
    /// Returns the commonest edge type with its direction, of direct edges of the strongest class.
    fn of(edges: &[RelatedEdge]) -> Option<Self> {
        let mut counts: BTreeMap<(&'static str, &'static str), usize> = BTreeMap::new();
        for edge in edges {
            *counts.entry((edge.edge_type, edge.direction)).or_default() += 1;
        }
        let ((edge_type, direction), _) = counts.into_iter().max_by_key(|(_, n)| *n)?;
        let provenance = Provenance::Resolved;
        let family = edges.first().and_then(|edge| family_of(&edge.path));
        let is_of_tests = edge_type == EdgeType::Tests.as_str();
        Some(Self {
            edge_type,
            direction,
            confidence: if is_of_tests {
                EdgeConfidence::of_test(family, TestBasis::Graph)
            } else {
                EdgeConfidence::of_edge(family, provenance)
            },
            provenance: provenance.as_str(),
        })
    }
}

/// Some neighbours, and whether a bound ended the search for more.
pub(super) type BoundedEdges = (Vec<RelatedEdge>, bool);

impl Tool for Related {
    const NAME: &'static str = "cl_related";
    const TITLE: &'static str = "List related code";
    const ABOUT: &'static str = "The files that a file imports, calls or names, those that do so to it, and its tests, the nearest first; with a \
        definition's handle, its own callers, callees and tests.";
    const EXAMPLES: &'static str = "codelens related src/store.ts\ncodelens related src/store.ts --types imported_by,tests --depth 1\n\
        codelens related src/cli.ts --to src/store.ts\ncodelens related main --to Store.open";
    const TAKES_REF: bool = true;
    type Input = RelatedInput;
    type Output = RelatedOutput;

    fn run(input: RelatedInput, call: &Call<'_>) -> Result<RelatedOutput> {
        if let Some(to) = &input.to {
            related_paths::check(&input, to)?;
        }
        let workspace = call.workspaces.open(input.repo.as_deref(), call.places)?;
        let words = &input.path;
        call.query(&workspace, words, |view| {
            if let Some(to) = &input.to {
                return related_paths::answer(view, &input, to);
            }
            let mut output = answer(view, &input)?;
            if let NamedObject::File(path) = asked(view, &input.path)? {
                output.external = external_packages::of_file(view, &path, call, &workspace)?;
            }
            Ok(output)
        })
    }
}

fn answer(view: &View<'_>, input: &RelatedInput) -> Result<RelatedOutput> {
    let depth = u32::try_from(clamp(input.depth, 2, 1..=5)).unwrap_or(2);
    let asked = asked(view, &input.path)?;
    let start = match &asked {
        NamedObject::File(path) => path,
        NamedObject::Symbol(symbol) => &symbol.path,
    };
    view.note_chain_start(start.as_str());
    let direction = input.direction.unwrap_or_default();
    let mut types = input.types.clone();
    if types.is_empty() {
        types = default_types(&asked, direction);
    }
    types.sort_unstable_by_key(|edge_type| edge_type.as_str());
    types.dedup();
    let includes = includes_of_several(view, &asked, &types, direction)?;
    let mut results = Vec::new();
    let mut is_cut = false;
    for edge_type in types {
        let (found, cut) = match &asked {
            NamedObject::Symbol(symbol) if is_of_symbols(edge_type) => {
                related_symbol::of_type(view, symbol, edge_type, direction, depth)?
            }
            NamedObject::Symbol(symbol) => {
                of_type(view, &symbol.path, edge_type, direction, depth)?
            }
            NamedObject::File(path) => of_type(view, path, edge_type, direction, depth)?,
        };
        results.extend(found);
        is_cut |= cut;
    }
    results.retain(|result| RepoPath::new(&result.path).is_none_or(|path| !view.is_gone(&path)));
    results.sort_by_cached_key(|it| {
        // A list that is cut ends in tests, of which there are many, those last of which little is known.
        let is_loose = matches!(it.basis, TestBasis::Barrel | TestBasis::NameOccurrence);
        let role = RepoPath::new(&it.path).map(|path| view.roles.of(&path));
        let kind = (
            is_loose.then_some(it.basis),
            it.hops,
            role,
            it.edge_type,
            it.direction,
        );
        (kind, it.path.clone(), it.line, it.symbol.clone())
    });
    let total = results.len() as u64;
    let mut totals = BTreeMap::new();
    for edge in &results {
        *totals.entry(edge.edge_type).or_default() += 1;
    }
    let question = format!("{:?}", (&input.path, &input.types, depth, direction));
    let after = match &input.cursor {
        Some(text) => Some(Cursor::decode(text, &question, view.index_id)?),
        None => None,
    };
    // A cursor holds the position in the list: in another generation it may be off by entries that came or went before
    // it.
    let start_at = after.map_or(0, |last| last.score as usize);
    let rest = results.get(start_at..).unwrap_or_default();
    let (defaults, shown) = page(view, input, rest)?;
    let end = (start_at + shown.len()) as u64;
    let next_cursor = shown.last().filter(|_| end < total).map(|last| {
        let cursor = Cursor {
            score: u32::try_from(end).unwrap_or(u32::MAX),
            path: last.path.clone(),
            line: 0,
        };
        cursor.encode(&question, view.index_id)
    });
    let mut freshness_fields = FreshnessFields::of(view);
    let mut analysed = None;
    if total == 0 || is_outlined(start) {
        analysed = AnalysedOutput::of(view, start.as_str())?;
        if analysed.is_none() && total == 0 && includes.is_empty() {
            freshness_fields.say_nothing_found(
                "No imports, calls, references or tests of these types were found for it",
                view.read.files_under("")?.iter().count() as u64,
            );
        }
    }
    for sentence in includes {
        freshness_fields.say(&sentence);
    }
    Ok(RelatedOutput {
        index_id: view.index_id.to_owned(),
        symbol: match &asked {
            NamedObject::Symbol(symbol) => Some(symbol.qualified_name.clone()),
            NamedObject::File(_) => None,
        },
        defaults,
        truncated: is_cut || next_cursor.is_some(),
        results: shown,
        chains: None,
        candidates: Vec::new(),
        total,
        totals: if total > 0 { totals } else { BTreeMap::new() },
        external: Vec::new(),
        analysed,
        next_cursor,
        freshness_fields,
    })
}

/// Returns sentences on the includes that may be among the imports that are asked for and lead to none of several files.
fn includes_of_several(
    view: &View<'_>,
    asked: &NamedObject,
    types: &[EdgeType],
    direction: DirectionInput,
) -> Result<Vec<String>> {
    let NamedObject::File(path) = asked else {
        return Ok(Vec::new());
    };
    let mut said = Vec::new();
    if types.contains(&EdgeType::ImportedBy) {
        said.push(unresolved_includes::into(view, path)?);
    }
    if types.contains(&EdgeType::Imports) && direction != DirectionInput::In {
        said.push(unresolved_includes::from(view, path)?);
    }
    said.retain(|it| !it.is_empty());
    Ok(said)
}

/// Returns a page of edges, within the limits of the call, and the values that most of them have.
fn page(
    view: &View<'_>,
    input: &RelatedInput,
    edges: &[RelatedEdge],
) -> Result<(Option<EdgeDefaultsOutput>, Vec<NeighbourOutput>)> {
    let Some(of_all) = EdgeDefaultsOutput::of(edges) else {
        return Ok((None, Vec::new()));
    };
    let shown = page_within_bytes(view, input, edges, &of_all)?;
    // A value that is common in the whole list may be rare in the part that fits.
    let of_shown = EdgeDefaultsOutput::of(&edges[..shown.len()]);
    match of_shown.filter(|it| *it != of_all) {
        None => Ok((Some(of_all), shown)),
        Some(defaults) => {
            let shown = page_within_bytes(view, input, edges, &defaults)?;
            Ok((Some(defaults), shown))
        }
    }
}

fn page_within_bytes(
    view: &View<'_>,
    input: &RelatedInput,
    edges: &[RelatedEdge],
    defaults: &EdgeDefaultsOutput,
) -> Result<Vec<NeighbourOutput>> {
    let limit = clamp(input.limit, DEFAULT_LIMIT, 1..=500);
    // Whoever says how far, how much or of which kind gets it.
    let is_narrowed = input.depth.is_some() || !input.types.is_empty();
    let max_bytes = match input.limit {
        None if !is_narrowed => DEFAULT_LIST_BYTES,
        _ => MAX_LIST_BYTES,
    };
    let mut shown = Vec::new();
    let mut n_bytes = 0;
    for edge in edges.iter().take(limit) {
        let edge = NeighbourOutput::of(view, edge.clone(), defaults, input.depth.is_some())?;
        n_bytes += serde_json::to_vec(&edge).map_or(0, |text| text.len());
        shown.push(edge);
        if n_bytes > max_bytes {
            break;
        }
    }
    truncate_to_bytes(&mut shown, max_bytes);
    Ok(shown)
}

/// Returns the kinds that have something to say in a direction, none twice by its two names.
fn default_types(asked: &NamedObject, direction: DirectionInput) -> Vec<EdgeType> {
    use EdgeType::{Calls, ImportedBy, Imports, References, Tests};
    match (asked, direction) {
        (NamedObject::Symbol(_), DirectionInput::Out) => vec![Calls, References],
        (NamedObject::Symbol(_), _) => vec![Calls, References, Tests],
        (NamedObject::File(_), DirectionInput::Out) => vec![Imports, Calls, References, Tests],
        (NamedObject::File(_), DirectionInput::In) => vec![ImportedBy, Calls, References, Tests],
        (NamedObject::File(_), DirectionInput::Both) => {
            vec![Imports, ImportedBy, Calls, References, Tests]
        }
    }
}

/// Whether a definition has edges of this kind of its own; the others are those of its file.
fn is_of_symbols(edge_type: EdgeType) -> bool {
    !matches!(
        edge_type,
        EdgeType::Imports | EdgeType::ImportedBy | EdgeType::Exports
    )
}

impl RelatedOutput {
    /// Returns an answer that lists no neighbours.
    pub(super) fn of_chains(
        view: &View<'_>,
        symbol: Option<String>,
        chains: ChainsOutput,
        total: u64,
        is_cut: bool,
        freshness_fields: FreshnessFields,
    ) -> Self {
        Self {
            index_id: view.index_id.to_owned(),
            symbol,
            defaults: None,
            results: Vec::new(),
            chains: Some(chains),
            candidates: Vec::new(),
            total,
            totals: BTreeMap::new(),
            external: Vec::new(),
            analysed: None,
            truncated: is_cut,
            next_cursor: None,
            freshness_fields,
        }
    }
}

impl RelatedOutput {
    /// Returns the answer to a question whose end may be one of several definitions.
    pub(super) fn of_candidates(
        view: &View<'_>,
        candidates: Vec<TargetOutput>,
        is_cut: bool,
        freshness_fields: FreshnessFields,
    ) -> Self {
        Self {
            index_id: view.index_id.to_owned(),
            symbol: None,
            defaults: None,
            results: Vec::new(),
            chains: None,
            candidates,
            total: 0,
            totals: BTreeMap::new(),
            external: Vec::new(),
            analysed: None,
            truncated: is_cut,
            next_cursor: None,
            freshness_fields,
        }
    }
}

fn asked(view: &View<'_>, text: &str) -> Result<NamedObject> {
    if Handle::parse(text).is_some() {
        return by_handle(view, text);
    }
    let path = text.strip_prefix("rel:").unwrap_or(text);
    let found = by_path(view, path).map(NamedObject::File);
    match found {
        Err(error) if error.code == Code::PathNotFound => Err(with_definition(view, text, error)),
        found => found,
    }
}

/// Says in the hint of `error`, the path not being there, that it is the name of a definition.
fn with_definition(view: &View<'_>, name: &str, mut error: Error) -> Error {
    let Ok(Some(found)) = definitions_named(view, name, None) else {
        return error;
    };
    if let Some(first) = found.first() {
        let others = match found.len() - 1 {
            0 => String::new(),
            n => format!(", the first of {}", n + 1),
        };
        error.hint = format!(
            "a definition has this name: pass its handle, `{}` ({}:{}{others}); files are named by their paths",
            first.handle, first.path, first.name_line
        );
    }
    error
}

fn of_type(
    view: &View<'_>,
    path: &RepoPath,
    edge_type: EdgeType,
    direction: DirectionInput,
    depth: u32,
) -> Result<BoundedEdges> {
    use Direction::{In, Out};
    let both = direction.ways();
    let (relation, ways): (Relation, &[Direction]) = match edge_type {
        // Its other way has a name of its own.
        EdgeType::Imports if direction == DirectionInput::Both => (Relation::Imports, &[Out]),
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
        let near = related::neighbours(
            view.read,
            &view.roles,
            path,
            relation,
            *way,
            depth,
            view.budget,
        )?;
        found.extend(near.found.iter().map(|near| output(view, near, edge_type)));
        is_cut |= near.is_cut;
    }
    if edge_type == EdgeType::Tests && direction != DirectionInput::Out {
        found.extend(related_symbol::inline_tests(view, path)?);
    }
    if edge_type == EdgeType::Tests && found.is_empty() && direction != DirectionInput::Out {
        found = related_symbol::tests_naming_exports(view, path)?;
    }
    Ok((found, is_cut))
}

fn definitions(view: &View<'_>, path: &RepoPath, edge_type: EdgeType) -> Result<Vec<RelatedEdge>> {
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

fn package(view: &View<'_>, path: &RepoPath) -> Result<Vec<RelatedEdge>> {
    for directory in upwards(path.directory()) {
        let name = if directory.is_empty() {
            "package.json".to_owned()
        } else {
            format!("{directory}/package.json")
        };
        if name != path.as_str()
            && let Some(file) = view.read.file(&name)?
        {
            return Ok(vec![direct(view, &file.path, EdgeType::BelongsTo)]);
        }
    }
    Ok(Vec::new())
}

/// Returns a definition as the neighbour of its owner.
pub(super) fn definition(view: &View<'_>, symbol: &SymbolRow, edge_type: EdgeType) -> RelatedEdge {
    RelatedEdge {
        symbol: Some(symbol.qualified_name.clone()),
        line: Some(symbol.name_line),
        ..direct(view, &symbol.path, edge_type)
    }
}

/// Returns a neighbour that the text of one file says.
pub(super) fn direct(view: &View<'_>, path: &RepoPath, edge_type: EdgeType) -> RelatedEdge {
    RelatedEdge {
        path: path.to_string(),
        symbol: None,
        line: None,
        edge_type: edge_type.as_str(),
        direction: Direction::Out.as_str(),
        hops: 1,
        provenance: Provenance::Resolved,
        basis: TestBasis::Graph,
        via: None,
        stale: view.has_stale_edges(path.as_str()),
    }
}

fn output(view: &View<'_>, near: &Neighbour, edge_type: EdgeType) -> RelatedEdge {
    RelatedEdge {
        direction: near.direction.as_str(),
        hops: near.hops,
        provenance: near.provenance,
        basis: near.basis,
        via: near.via.as_ref().map(ToString::to_string),
        stale: view.is_chain_stale(near.path.as_str(), near.hops),
        ..direct(view, &near.path, edge_type)
    }
}
