//! Places and files in the answers about a change, and the definitions that a name may mean.
//!
//! Refuses to know how they are reached.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Code, Error, Result};
use crate::graph::confidence;
use crate::graph::impact::Reached;
use crate::graph::related::is_test;
use crate::model::path::is_at_or_below;
use crate::model::visible::one_line;
use crate::model::{Handle, HandleKind, Provenance, RepoPath, SymbolKind};
use crate::workspace::{SymbolRow, View, brief, outside};

/// Names that are offered for one that nothing has.
const MAX_NEAR: usize = 5;

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
    /// The handle of the place before it on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<String>,
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

/// What a caller named.
pub(super) enum Named {
    /// A definition.
    Symbol(Box<SymbolRow>),
    /// A file.
    File(RepoPath),
}

/// Returns the indexed file of a path that a caller named.
pub(super) fn by_path(view: &View<'_>, text: &str) -> Result<RepoPath> {
    let path = RepoPath::normalise(text).ok_or_else(|| outside(text))?;
    match view.read.file(path.as_str())? {
        Some(_) => Ok(path),
        None => Err(view.why_absent(&path)),
    }
}

/// Returns what a handle names: a chunk stands for the definition it belongs to, else for its file.
pub(super) fn by_handle(view: &View<'_>, text: &str) -> Result<Named> {
    let unknown = || super::unknown_handle(text);
    if let Some(path) = text.strip_prefix("rel:") {
        return by_path(view, path).map(Named::File);
    }
    let handle = Handle::parse(text).ok_or_else(unknown)?;
    if handle.kind == HandleKind::Symbol {
        let found = view.read.symbol_by_handle(handle)?;
        return found
            .map(|symbol| Named::Symbol(Box::new(symbol)))
            .ok_or_else(unknown);
    }
    let chunk = view.read.chunk_by_handle(handle)?;
    let chunk = chunk.ok_or_else(unknown)?;
    if let (Some(owner), Some(file)) = (&chunk.symbol, view.read.file(chunk.path.as_str())?) {
        let is_owner = |symbol: &SymbolRow| {
            (&symbol.qualified_name, symbol.kind, symbol.span.start_line)
                == (&owner.qualified_name, owner.kind, owner.start_line)
        };
        let all = view.read.symbols_of(file.id)?;
        if let Some(symbol) = all.into_iter().find(is_owner) {
            return Ok(Named::Symbol(Box::new(symbol)));
        }
    }
    Ok(Named::File(chunk.path))
}

/// Returns the definitions of a name: those that are exactly it, else those whose qualified name ends
/// with it.
///
/// # Errors
/// `invalid_argument` where there is none, with those that are nearly or elsewhere.
pub(super) fn named(
    view: &View<'_>,
    name: &str,
    path: Option<&RepoPath>,
) -> Result<Vec<SymbolRow>> {
    let wanted = dotted(name);
    let last = wanted.rsplit('.').next().unwrap_or(&wanted);
    let norm = crate::workspace::normal_form(last);
    let alike = view.read.symbols_named(&norm)?;
    let suffix = format!(".{wanted}");
    let is_wanted = |symbol: &&SymbolRow| {
        symbol.qualified_name == wanted || symbol.qualified_name.ends_with(&suffix)
    };
    let is_here = |symbol: &&SymbolRow| {
        path.is_none_or(|path| is_at_or_below(symbol.path.as_str(), path.as_str()))
    };
    let mut found: Vec<SymbolRow> = alike
        .iter()
        .filter(is_wanted)
        .filter(is_here)
        .cloned()
        .collect();
    if found.iter().any(|symbol| symbol.qualified_name == wanted) {
        found.retain(|symbol| symbol.qualified_name == wanted);
    }
    if !found.is_empty() {
        // What an agent is likely to mean goes first: code before its tests, what others can use before the rest,
        // and a class before the namespace that is merged with it.
        found.sort_by_key(|symbol| (is_test(&symbol.path), !symbol.exported, merges(symbol.kind)));
        return Ok(found);
    }
    let elsewhere: Vec<SymbolRow> = alike.iter().filter(is_wanted).cloned().collect();
    Err(unknown(view, name, path, &norm, elsewhere, alike)?)
}

/// Whether what is declared like this can be declared beside a value of the same name and means the same name.
pub(super) fn merges(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Interface | SymbolKind::Type | SymbolKind::Namespace
    )
}

/// Returns a name with a dot before each member, whoever's manner it is written in: `A::b`, `A#b`, `A.prototype.b`.
/// In `A.#b` and `#b` the mark is part of the name.
fn dotted(name: &str) -> String {
    let name = name.replace("::", ".").replace(".prototype.", ".");
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        let is_between = c == '#' && !out.is_empty() && !out.ends_with('.');
        out.push(if is_between { '.' } else { c });
    }
    out
}

/// Returns the error for a name that nothing has, with what may be meant.
fn unknown(
    view: &View<'_>,
    name: &str,
    path: Option<&RepoPath>,
    norm: &str,
    elsewhere: Vec<SymbolRow>,
    alike: Vec<SymbolRow>,
) -> Result<Error> {
    if view.freshness.as_str() != "fresh" {
        return Ok(Error::new(
            Code::IndexBusy,
            "the index is not complete yet: the name may be in a file that is still to come",
            "run cl_refresh (`codelens refresh`), then call again",
        ));
    }
    let file = RepoPath::normalise(name);
    let name = brief(name);
    let place = path.map_or(String::new(), |path| format!(" in `{path}`"));
    let message = format!("no definition is named `{name}`{place}");
    let mut near = if elsewhere.is_empty() {
        alike
    } else {
        elsewhere
    };
    if near.is_empty() {
        for other in crate::search::nearest_names(view.read, norm)? {
            near.extend(view.read.symbols_named(&other)?);
        }
    }
    let mut shown: Vec<String> = Vec::new();
    for symbol in &near {
        let one = format!(
            "{} ({}:{})",
            symbol.qualified_name, symbol.path, symbol.name_line
        );
        if shown.len() < MAX_NEAR && !shown.contains(&one) {
            shown.push(one);
        }
    }
    let hint = if let Some(file) = file
        && view.read.has_file(file.as_str())?
    {
        format!("it is a file: pass it as `path` (--path {file})")
    } else if Handle::parse(&name).is_some() {
        format!("it is a handle: pass it as `handle` (--handle {name})")
    } else if shown.is_empty() {
        "search for it with cl_search: names are matched exactly here, with or without what they are in (Class.method)".to_owned()
    } else {
        let more = if near.len() > shown.len() {
            ", …"
        } else {
            ""
        };
        format!("did you mean: {}{more}", shown.join(", "))
    };
    Ok(Error::new(Code::InvalidArgument, message, hint))
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
    placed.sort_by_cached_key(|place| {
        let reached = &place.reached;
        let name = place.symbol.as_ref().map(|it| it.qualified_name.clone());
        // What is to be changed before what checks it.
        let is_test = is_test(&place.path);
        let known = (reached.hops, is_test, reached.provenance);
        (known, place.path.clone(), reached.line, name)
    });
    Ok(placed)
}

/// Returns a place as it is shown: one that uses the target by the line of the use, one that the target
/// uses (`is_callee`) by its own.
pub(super) fn place_output(
    view: &View<'_>,
    place: &Placed,
    is_callee: bool,
) -> Result<PlaceOutput> {
    let via = match place.reached.via {
        Some(id) => view.read.symbol_by_id(id)?,
        None => None,
    };
    let provenance = place.reached.provenance;
    let (handle, symbol) = match &place.symbol {
        Some(symbol) => (symbol.handle.to_string(), symbol.qualified_name.clone()),
        None => (format!("rel:{}", place.path), "(module)".to_owned()),
    };
    Ok(PlaceOutput {
        handle,
        symbol,
        line: match &place.symbol {
            Some(symbol) if is_callee => symbol.name_line,
            _ => place.reached.line,
        },
        hops: place.reached.hops,
        confidence: confidence(provenance),
        provenance: provenance.as_str(),
        via: via.map(|symbol| symbol.handle.to_string()),
        stale: view.is_stale_at(place.path.as_str(), place.reached.hops),
        path: place.path.to_string(),
    })
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
        stale: view.is_stale_at(path.as_str(), *hops),
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
        signature: one_line(&symbol.signature).into_owned(),
    }
}
