//! Places, files and tests in the answers about a change.
//!
//! The definitions that a name may mean are found by `named_object`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{is_zero, length};
use crate::error::Result;
use crate::graph::edge_confidence::{confidence, test_confidence};
use crate::graph::impact::Reached;
use crate::graph::related::TestBasis;
use crate::model::sanitize::one_line;
use crate::model::{Budget, Family, FileRole, Provenance, RepoPath, Sources as _};
use crate::uses::{TestCase, Uses};
use crate::workspace::{SymbolRow, View, family_of};

/// Bytes of the first lines of a definition.
const MAX_TEXT_BYTES: usize = 4_000;

/// Returns the search for uses over a query's view.
pub(super) fn uses<'v>(view: &'v View<'v>) -> Uses<'v> {
    Uses::new(view.read, view, Budget::unlimited(view.budget.interrupt()))
}

/// A definition.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct TargetOutput {
    pub(crate) handle: String,
    pub(crate) path: String,
    pub(crate) symbol: String,
    pub(crate) line: u32,
    pub(crate) kind: &'static str,
    /// Left out of the definitions of a file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) signature: String,
    /// Its first lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// Saved records about it (`cl_load`), of the target of `cl_impact`.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) notes: u64,
}

/// The measured precision of a class of edges or tests in a language; `null` where none was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct EdgeConfidence(Option<f64>);

impl EdgeConfidence {
    pub(super) fn of_edge(family: Option<Family>, provenance: Provenance) -> Self {
        Self(confidence(family, provenance))
    }

    pub(super) fn of_test(family: Option<Family>, basis: TestBasis) -> Self {
        Self(test_confidence(family, basis))
    }
}

/// Values of the fields that the entries of an answer leave out.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Defaults {
    pub(crate) confidence: EdgeConfidence,
    pub(crate) provenance: &'static str,
    /// Of the entries of `affectedTests` with the basis `graph`, which they leave out too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) test_confidence: Option<EdgeConfidence>,
    /// The language of the entries.
    #[serde(skip)]
    pub(crate) family: Option<Family>,
}

impl Defaults {
    /// Returns those of the edges of a file's language of which `known` has most: resolved ones, or those by a member's type.
    /// Less certain classes are named with each entry.
    pub(super) fn of_edges(path: &str, known: impl IntoIterator<Item = Provenance>) -> Self {
        let family = family_of(path);
        let is_certain = |it: &Provenance| matches!(it, Provenance::Resolved | Provenance::Member);
        let known = known.into_iter().filter(is_certain);
        let provenance = commonest(known).unwrap_or(Provenance::Resolved);
        Self {
            confidence: EdgeConfidence::of_edge(family, provenance),
            provenance: provenance.as_str(),
            test_confidence: None,
            family,
        }
    }

    /// Returns how an entry of a class is known, on the wire; `None` where it is as the defaults say.
    pub(super) fn provenance_besides(&self, provenance: Provenance) -> Option<&'static str> {
        Some(provenance.as_str()).filter(|own| *own != self.provenance)
    }

    /// Adds those of tests.
    pub(super) fn with_tests(self) -> Self {
        Self {
            test_confidence: Some(EdgeConfidence::of_test(self.family, TestBasis::Graph)),
            ..self
        }
    }

    pub(super) fn known_by(&self, provenance: Provenance) -> KnownBy {
        let own = self.provenance_besides(provenance);
        KnownBy {
            confidence: own.map(|_| EdgeConfidence::of_edge(self.family, provenance)),
            provenance: own,
        }
    }
}

/// Returns the value that is there most often, of several the least.
fn commonest<T: Ord>(values: impl IntoIterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, u64> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map(|(value, _)| value)
}

/// The number of steps of an entry; `None` for 1, the default of the output.
pub(super) fn omit_default_hops(hops: u32) -> Option<u32> {
    (hops > 1).then_some(hops)
}

/// How an entry is known, where that is not the default.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct KnownBy {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<EdgeConfidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provenance: Option<&'static str>,
}

impl KnownBy {
    /// Returns all that is known of an edge of a file.
    pub(super) fn of(path: &str, provenance: Provenance) -> Self {
        Self {
            confidence: Some(EdgeConfidence::of_edge(family_of(path), provenance)),
            provenance: Some(provenance.as_str()),
        }
    }

    /// Leaves out default values.
    pub(super) fn leave_out(&mut self, defaults: &Defaults) {
        self.provenance = self.provenance.filter(|own| *own != defaults.provenance);
        let is_usual = self.provenance.is_none() && self.confidence == Some(defaults.confidence);
        self.confidence = self.confidence.filter(|_| !is_usual);
    }
}

/// A place that uses the target.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct CallerOutput {
    pub(crate) path: String,
    /// The definition around the use; `(module)` outside of all, unless that is in a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbol: Option<String>,
    /// The titles of the tests around the first use, where no definition is, or one among code that is a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) test: Option<String>,
    /// Line of the first use.
    pub(crate) line: u32,
    /// That line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// Lines of its further uses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also: Vec<u32>,
    /// How many uses there are, where their lines are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) count: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hops: Option<u32>,
    /// The definition before it on the way: `path#symbol`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) via: Option<String>,
    #[serde(flatten)]
    pub(crate) known_by: KnownBy,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stale: bool,
}

/// A definition that the target uses.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct CalleeOutput {
    pub(crate) path: String,
    pub(crate) symbol: String,
    /// Line of its name.
    pub(crate) line: u32,
    #[serde(flatten)]
    pub(crate) known_by: KnownBy,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stale: bool,
}

/// A test.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CaseOutput {
    pub(crate) title: String,
    pub(crate) line: u32,
}

impl From<TestCase> for CaseOutput {
    fn from(case: TestCase) -> Self {
        Self {
            title: one_line(&case.title).into_owned(),
            line: case.line,
        }
    }
}

/// An affected file or test.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct FilePlacesOutput {
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hops: Option<u32>,
    /// How a test is known: graph, path (named after the file) or mention (names the definition, no use is bound).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) basis: Option<&'static str>,
    /// The tests in it that use the target themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) cases: Vec<CaseOutput>,
    /// The command that runs it, where a runner's configuration tells; nothing runs it here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<String>,
    /// `test support`: helps tests and is none; `example`: of an example, a playground, a benchmark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<&'static str>,
    #[serde(flatten)]
    pub(crate) known_by: KnownBy,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stale: bool,
}

impl FilePlacesOutput {
    /// Whether the file helps tests and is none, or belongs to an example.
    pub(crate) fn is_support(&self) -> bool {
        self.role.is_some()
    }
}

/// A place with its definition.
pub(super) struct LocatedSymbol {
    pub(super) path: RepoPath,
    pub(super) symbol: Option<SymbolRow>,
    pub(super) reached: Reached,
}

impl LocatedSymbol {
    /// Returns the role of the code that it is in.
    pub(super) fn role(&self, view: &View<'_>) -> FileRole {
        let ordinal = self.symbol.as_ref().map(|symbol| symbol.ordinal);
        view.roles.of_definition(&self.path, ordinal)
    }

    /// Whether it is in a test that stands among code.
    pub(super) fn is_in_inline_test(&self, view: &View<'_>) -> bool {
        self.role(view) == FileRole::Test && view.roles.is_code(&self.path)
    }
}

/// Returns the places with their definitions, the nearest and best known first.
pub(super) fn places(view: &View<'_>, reached: &[Reached]) -> Result<Vec<LocatedSymbol>> {
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
            placed.push(LocatedSymbol {
                path,
                symbol,
                reached: place.clone(),
            });
        }
    }
    placed.sort_by_cached_key(|place| {
        let reached = &place.reached;
        let name = place.symbol.as_ref().map(|it| it.qualified_name.clone());
        // Code comes before its tests.
        let role = place.role(view);
        let known = (reached.hops, role, reached.provenance);
        (known, place.path.clone(), reached.line, name)
    });
    Ok(placed)
}

/// Converts a place that uses one of `targets` to its output form.
pub(super) fn caller_output(
    view: &View<'_>,
    place: &LocatedSymbol,
    targets: &[SymbolRow],
    defaults: &Defaults,
) -> Result<CallerOutput> {
    let reached = &place.reached;
    let via = match reached.via {
        Some(id) => view.read.symbol_by_id(id)?,
        None => None,
    };
    let lines = match targets {
        [target, ..] if reached.hops == 1 && reached.count > 1 => uses(view).lines_of_uses(
            &place.path,
            place.symbol.as_ref(),
            &target.name,
            reached.count,
        )?,
        _ => Vec::new(),
    };
    let symbol = place
        .symbol
        .as_ref()
        .map(|symbol| symbol.qualified_name.clone());
    Ok(CallerOutput {
        path: place.path.to_string(),
        symbol: Some(symbol.unwrap_or_else(|| "(module)".to_owned())),
        test: if place.is_in_inline_test(view) {
            let title = uses(view).test_around(&place.path, reached.line, None)?;
            title.map(|title| one_line(&title).into_owned())
        } else {
            None
        },
        line: reached.line,
        text: None,
        count: (reached.hops == 1 && reached.count > 1 && lines.is_empty())
            .then_some(reached.count),
        also: lines
            .into_iter()
            .filter(|line| *line != reached.line)
            .collect(),
        hops: omit_default_hops(reached.hops),
        via: via.map(|symbol| format!("{}#{}", symbol.path, symbol.qualified_name)),
        known_by: defaults.known_by(reached.provenance),
        stale: view.is_chain_stale(place.path.as_str(), reached.hops),
    })
}

/// Puts the titles of the tests around them in the place of `(module)` in callers, the first of `placed`, as far as all of them stay
/// within `max_bytes`: that none is left out comes first.
pub(super) fn add_test_titles(
    view: &View<'_>,
    placed: &[LocatedSymbol],
    callers: &mut [CallerOutput],
    name: Option<&str>,
    max_bytes: usize,
) -> Result<()> {
    let size = |caller: &CallerOutput| length(caller) + 1;
    let mut n_bytes: usize = callers.iter().map(size).sum();
    for (place, caller) in placed.iter().zip(callers) {
        if place.symbol.is_some() || !view.roles.of(&place.path).is_of_tests() {
            continue;
        }
        // Of several uses the first one's test would speak for the others.
        let is_several = caller.count.is_some() || !caller.also.is_empty();
        let name = name.filter(|_| is_several);
        let Some(title) = uses(view).test_around(&place.path, place.reached.line, name)? else {
            continue;
        };
        let title = one_line(&title).into_owned();
        // `"symbol":"(module)"` becomes `"test":"…"`.
        let more = title.len().saturating_sub("(module)".len() + 2);
        if n_bytes + more > max_bytes {
            break;
        }
        n_bytes += more;
        caller.symbol = None;
        caller.test = Some(title);
    }
    Ok(())
}

/// Converts a definition that the target uses to its output form.
pub(super) fn callee_output(
    view: &View<'_>,
    place: &LocatedSymbol,
    defaults: &Defaults,
) -> CalleeOutput {
    let reached = &place.reached;
    CalleeOutput {
        path: place.path.to_string(),
        symbol: match &place.symbol {
            Some(symbol) => symbol.qualified_name.clone(),
            None => "(module)".to_owned(),
        },
        line: place
            .symbol
            .as_ref()
            .map_or(reached.line, |symbol| symbol.name_line),
        known_by: defaults.known_by(reached.provenance),
        stale: view.is_chain_stale(place.path.as_str(), reached.hops),
    }
}

/// Converts a file to its output form.
pub(super) fn file_output(
    view: &View<'_>,
    (path, hops, provenance): &(RepoPath, u32, Provenance),
    defaults: &Defaults,
) -> FilePlacesOutput {
    FilePlacesOutput {
        path: path.to_string(),
        hops: omit_default_hops(*hops),
        basis: None,
        cases: Vec::new(),
        run: None,
        role: view.roles.of(path).word(),
        known_by: defaults.known_by(*provenance),
        stale: view.is_chain_stale(path.as_str(), *hops),
    }
}

/// Converts a test to its output form.
pub(super) fn test_output(
    view: &View<'_>,
    (path, hops, provenance): &(RepoPath, u32, Provenance),
    basis: TestBasis,
    defaults: &Defaults,
) -> FilePlacesOutput {
    let is_usual = basis == TestBasis::Graph;
    FilePlacesOutput {
        basis: (!is_usual).then(|| basis.as_str()),
        known_by: KnownBy {
            confidence: (!is_usual).then(|| EdgeConfidence::of_test(defaults.family, basis)),
            ..defaults.known_by(*provenance)
        },
        ..file_output(view, &(path.clone(), *hops, *provenance), defaults)
    }
}

/// Converts a file that helps tests to its output form.
pub(super) fn support_output(
    view: &View<'_>,
    file: &(RepoPath, u32, Provenance),
    defaults: &Defaults,
) -> FilePlacesOutput {
    FilePlacesOutput {
        role: FileRole::TestSupport.word(),
        ..test_output(view, file, TestBasis::Graph, defaults)
    }
}

/// Converts a definition to its output form.
pub(super) fn target(symbol: &SymbolRow) -> TargetOutput {
    TargetOutput {
        handle: symbol.handle.to_string(),
        path: symbol.path.to_string(),
        symbol: symbol.qualified_name.clone(),
        line: symbol.name_line,
        kind: symbol.kind.as_str(),
        signature: one_line(&symbol.signature).into_owned(),
        text: None,
        notes: 0,
    }
}

/// Returns the first lines of a definition, at most `max_lines`; `None` where the file is not as it was indexed.
pub(super) fn first_lines(
    view: &View<'_>,
    symbol: &SymbolRow,
    max_lines: usize,
) -> Result<Option<String>> {
    let Some(file) = view.read.file(symbol.path.as_str())? else {
        return Ok(None);
    };
    let Some(text) = view.read(&symbol.path, file.content) else {
        return Ok(None);
    };
    let (from, to) = (symbol.span.start_line, symbol.span.end_line);
    let n_lines = (to + 1).saturating_sub(from) as usize;
    let lines = text
        .split_inclusive('\n')
        .skip(from.saturating_sub(1) as usize);
    let lines: String = lines.take(n_lines.min(max_lines)).collect();
    let end = lines.floor_char_boundary(MAX_TEXT_BYTES);
    Ok(Some(lines[..end].trim_end_matches('\n').to_owned()))
}
