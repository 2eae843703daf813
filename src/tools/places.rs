//! Places and files in the answers about a change, and the definitions that a name may mean.
//!
//! Refuses to know how they are reached.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Code, Error, Result};
use crate::graph::confidence;
use crate::graph::impact::Reached;
use crate::model::class::PathClass;
use crate::model::{Provenance, RepoPath};
use crate::workspace::{SymbolRow, View};

/// A definition.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TargetOutput {
    handle: String,
    path: String,
    symbol: String,
    line: u32,
    kind: &'static str,
    signature: String,
}

/// A place that uses the target, or is used by it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PlaceOutput {
    handle: String,
    path: String,
    symbol: String,
    line: u32,
    hops: u32,
    confidence: f64,
    provenance: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

/// A file with such places.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FileOutput {
    path: String,
    hops: u32,
    confidence: f64,
    provenance: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

/// Returns the definitions of a name: those that are exactly it, else those whose qualified name ends
/// with it.
pub(super) fn named(
    view: &View<'_>,
    name: &str,
    path: Option<&RepoPath>,
) -> Result<Vec<SymbolRow>> {
    let wanted = name
        .replace("::", ".")
        .replace('#', ".")
        .replace(".prototype.", ".");
    let last = wanted.rsplit('.').next().unwrap_or(&wanted);
    let mut found = view
        .read
        .symbols_named(&crate::workspace::normal_form(last))?;
    if let Some(path) = path {
        found.retain(|symbol| symbol.path == *path || is_below(&symbol.path, path));
    }
    let suffix = format!(".{wanted}");
    found.retain(|symbol| {
        symbol.qualified_name == wanted || symbol.qualified_name.ends_with(&suffix)
    });
    if found.iter().any(|symbol| symbol.qualified_name == wanted) {
        found.retain(|symbol| symbol.qualified_name == wanted);
    }
    if found.is_empty() {
        return Err(Error::new(
            Code::InvalidArgument,
            format!("no definition is named `{}`", name.escape_debug()),
            "search for it with cl_search: names are matched exactly here, with or without what they are in (Class.method)",
        ));
    }
    Ok(found)
}

fn is_below(path: &RepoPath, directory: &RepoPath) -> bool {
    path.as_str()
        .strip_prefix(directory.as_str())
        .is_some_and(|rest| rest.starts_with('/'))
}

/// A place with its definition.
pub(super) struct Placed {
    pub(super) path: RepoPath,
    pub(super) symbol: Option<SymbolRow>,
    pub(super) reached: Reached,
}

/// Returns the places with their definitions, the nearest and best known first.
pub(super) fn places(view: &View<'_>, reached: &[Reached]) -> Result<Vec<Placed>> {
    let mut placed = Vec::with_capacity(reached.len());
    for place in reached {
        let symbol = match place.symbol {
            Some(id) => view.read.symbol_by_id(id)?,
            None => None,
        };
        let path = match &symbol {
            Some(symbol) => Some(symbol.path.clone()),
            None => view.read.path_of(place.file)?,
        };
        if let Some(path) = path {
            placed.push(Placed {
                path,
                symbol,
                reached: place.clone(),
            });
        }
    }
    placed.sort_by(|a, b| {
        let key = |place: &Placed| (place.reached.hops, place.reached.provenance);
        key(a)
            .cmp(&key(b))
            .then_with(|| a.path.cmp(&b.path))
            .then_with(|| a.reached.line.cmp(&b.reached.line))
            .then_with(|| {
                let name = |place: &Placed| place.symbol.as_ref().map(|s| s.qualified_name.clone());
                name(a).cmp(&name(b))
            })
    });
    Ok(placed)
}

/// Returns a place as it is shown.
pub(super) fn place_output(view: &View<'_>, place: &Placed) -> PlaceOutput {
    let provenance = place.reached.provenance;
    let (handle, symbol) = match &place.symbol {
        Some(symbol) => (symbol.handle.to_string(), symbol.qualified_name.clone()),
        None => (format!("rel:{}", place.path), "(module)".to_owned()),
    };
    PlaceOutput {
        handle,
        symbol,
        line: place.reached.line,
        hops: place.reached.hops,
        confidence: confidence(provenance),
        provenance: provenance.as_str(),
        stale: view.freshness.is_stale(place.path.as_str()),
        path: place.path.to_string(),
    }
}

/// Returns a file as it is shown.
pub(super) fn file_output(
    view: &View<'_>,
    (path, hops, provenance): &(RepoPath, u32, Provenance),
) -> FileOutput {
    FileOutput {
        path: path.to_string(),
        hops: *hops,
        confidence: confidence(*provenance),
        provenance: provenance.as_str(),
        stale: view.freshness.is_stale(path.as_str()),
    }
}

/// Returns a definition as it is shown.
pub(super) fn target(symbol: &SymbolRow) -> TargetOutput {
    TargetOutput {
        handle: symbol.handle.to_string(),
        path: symbol.path.to_string(),
        symbol: symbol.qualified_name.clone(),
        line: symbol.name_line,
        kind: symbol.kind.as_str(),
        signature: symbol.signature.clone(),
    }
}

/// Whether a file is a test, by its path.
pub(super) fn is_test(path: &RepoPath) -> bool {
    PathClass::of(path.as_str(), false, false).is_test
}
