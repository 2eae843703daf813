//! `cl_related` for a definition: its own edges, not those of its file.

use std::collections::{BTreeMap, HashSet};

use super::places::uses;
use super::related::{BoundedEdges, DirectionInput, EdgeType, RelatedEdge, definition, direct};
use crate::error::Result;
use crate::graph::definition::{NeighborDefinition, neighbors};
use crate::graph::impact::WalkStart;
use crate::graph::related::TestBasis;
use crate::graph::test_conventions::tests_by_name_alone;
use crate::model::{Direction, EdgeKind, FileRole, Provenance, RepoPath};
use crate::workspace::{SymbolRow, View};

/// Exported definitions of a file whose names are looked for in tests.
const MAX_EXPORTS: usize = 8;

/// Returns the neighbours of a definition by one kind of edge.
pub(super) fn of_type(
    view: &View<'_>,
    symbol: &SymbolRow,
    edge_type: EdgeType,
    direction: DirectionInput,
    depth: u32,
) -> Result<BoundedEdges> {
    let kind = match edge_type {
        EdgeType::Calls => EdgeKind::Calls,
        EdgeType::References => EdgeKind::References,
        EdgeType::Tests if direction == DirectionInput::Out => return Ok((Vec::new(), false)),
        EdgeType::Tests => return tests(view, symbol, depth),
        EdgeType::Defines => return Ok((members(view, symbol)?, false)),
        _ => return Ok((owner(view, symbol)?, false)),
    };
    let mut found = Vec::new();
    let mut is_cut = false;
    for way in direction.ways() {
        let (starts, is_short) = walk_starts(view, symbol, *way)?;
        let (near, cut) = neighbors(view.read, &starts, &[kind], *way, depth, view.budget)?;
        is_cut |= cut | is_short;
        for near in &near {
            found.extend(output(view, near, edge_type, *way)?);
        }
    }
    Ok((found, is_cut))
}

/// Returns the definition, to its users with the definitions that dispatch relates to it, and whether there may be more of those.
fn walk_starts(
    view: &View<'_>,
    symbol: &SymbolRow,
    way: Direction,
) -> Result<(Vec<WalkStart>, bool)> {
    match way {
        Direction::In => uses(view).walk_starts(std::slice::from_ref(symbol)),
        Direction::Out => Ok((WalkStart::of([symbol.id]), false)),
    }
}

/// Returns the test files that use a definition, also through others, and those that are named after its file and do not import
/// it; last those that name it.
fn tests(view: &View<'_>, symbol: &SymbolRow, depth: u32) -> Result<BoundedEdges> {
    let kinds = [EdgeKind::Calls, EdgeKind::References];
    let way = Direction::In;
    let (starts, is_short) = walk_starts(view, symbol, way)?;
    let (near, cut) = neighbors(view.read, &starts, &kinds, way, depth, view.budget)?;
    let is_cut = cut | is_short;
    let mut best: BTreeMap<RepoPath, (u32, Provenance)> = BTreeMap::new();
    for near in &near {
        let Some(place) = output(view, near, EdgeType::Tests, way)? else {
            continue;
        };
        let symbol = near
            .symbol
            .map(|id| view.read.symbol_by_id(id))
            .transpose()?;
        let ordinal = symbol.flatten().map(|symbol| symbol.ordinal);
        let is_test = |path: &RepoPath| view.roles.of_definition(path, ordinal) == FileRole::Test;
        if let Some(path) = RepoPath::new(&place.path).filter(is_test) {
            let found = (near.hops, near.provenance);
            let known = best.entry(path).or_insert(found);
            *known = (*known).min(found);
        }
    }
    let is_known = |test: &RepoPath| best.contains_key(test);
    let named = tests_by_name_alone(view.read, &view.roles, &symbol.path, is_known)?;
    let named = named.into_iter();
    best.extend(named.map(|path| (path, (1, Provenance::PathHeuristic))));
    let known: HashSet<RepoPath> = best.keys().cloned().collect();
    let naming = uses(view).tests_naming(&view.roles, symbol, &known)?;
    let naming = naming.paths.into_iter();
    let naming = naming.map(|path| (path, (1, Provenance::Name)));
    let found = best
        .into_iter()
        .chain(naming)
        .map(|(path, (hops, provenance))| RelatedEdge {
            direction: way.as_str(),
            hops,
            provenance,
            basis: match provenance {
                Provenance::PathHeuristic => TestBasis::Path,
                Provenance::Name if !known.contains(&path) => TestBasis::NameOccurrence,
                _ => TestBasis::Graph,
            },
            ..direct(view, &path, EdgeType::Tests)
        })
        .collect();
    Ok((found, is_cut))
}

/// Returns the tests that name an exported definition of a file: for one that no test is bound to.
pub(super) fn tests_naming_exports(view: &View<'_>, path: &RepoPath) -> Result<Vec<RelatedEdge>> {
    let Some(file) = view.read.file(path.as_str())? else {
        return Ok(Vec::new());
    };
    let mut tests: Vec<RepoPath> = Vec::new();
    if view.roles.is_code(path) {
        let symbols = view.read.symbols_of(file.id)?;
        let exported = symbols
            .iter()
            .filter(|it| it.exported && it.parent.is_none());
        for symbol in exported.take(MAX_EXPORTS) {
            let known: HashSet<RepoPath> = tests.iter().cloned().collect();
            tests.extend(uses(view).tests_naming(&view.roles, symbol, &known)?.paths);
        }
    }
    let edges = tests.iter().map(|test| RelatedEdge {
        direction: Direction::In.as_str(),
        provenance: Provenance::Name,
        basis: TestBasis::NameOccurrence,
        ..direct(view, test, EdgeType::Tests)
    });
    Ok(edges.collect())
}

/// Returns the files whose tests among code use a definition of a file directly, the file itself too.
pub(super) fn inline_tests(view: &View<'_>, path: &RepoPath) -> Result<Vec<RelatedEdge>> {
    let file = view.read.file(path.as_str())?;
    let Some(file) = file.filter(|_| view.roles.may_hold_tests(path)) else {
        return Ok(Vec::new());
    };
    let mut best: BTreeMap<RepoPath, Provenance> = BTreeMap::new();
    for symbol in view.read.symbols_of(file.id)? {
        for edge in view.read.edges_into(symbol.id)? {
            let user = edge.src.map(|id| view.read.symbol_by_id(id)).transpose()?;
            let Some(user) = user.flatten() else { continue };
            let role = view.roles.of_definition(&user.path, Some(user.ordinal));
            if role == FileRole::Test && view.roles.may_hold_tests(&user.path) {
                let known = best.entry(user.path).or_insert(edge.provenance);
                *known = (*known).min(edge.provenance);
            }
        }
    }
    let edges = best.iter().map(|(test, provenance)| RelatedEdge {
        direction: Direction::In.as_str(),
        provenance: *provenance,
        ..direct(view, test, EdgeType::Tests)
    });
    Ok(edges.collect())
}

/// Returns the definitions directly inside a definition.
fn members(view: &View<'_>, symbol: &SymbolRow) -> Result<Vec<RelatedEdge>> {
    let Some(file) = view.read.file(symbol.path.as_str())? else {
        return Ok(Vec::new());
    };
    let all = view.read.symbols_of(file.id)?;
    Ok(all
        .iter()
        .filter(|inner| inner.parent == Some(symbol.ordinal))
        .map(|inner| definition(view, inner, EdgeType::Defines))
        .collect())
}

/// Returns the owner of a definition: another definition, or its file.
fn owner(view: &View<'_>, symbol: &SymbolRow) -> Result<Vec<RelatedEdge>> {
    let Some(file) = view.read.file(symbol.path.as_str())? else {
        return Ok(Vec::new());
    };
    let all = view.read.symbols_of(file.id)?;
    let outer = symbol
        .parent
        .and_then(|place| all.iter().find(|outer| outer.ordinal == place));
    Ok(vec![match outer {
        Some(outer) => definition(view, outer, EdgeType::BelongsTo),
        None => direct(view, &symbol.path, EdgeType::BelongsTo),
    }])
}

fn output(
    view: &View<'_>,
    near: &NeighborDefinition,
    edge_type: EdgeType,
    way: Direction,
) -> Result<Option<RelatedEdge>> {
    let place = match (near.symbol, near.file) {
        (Some(id), _) => view
            .read
            .symbol_by_id(id)?
            .map(|symbol| definition(view, &symbol, edge_type)),
        (None, Some(file)) => view
            .read
            .path_of(file)?
            .map(|path| direct(view, &path, edge_type)),
        (None, None) => None,
    };
    let via = match near.via {
        Some(id) => view.read.symbol_by_id(id)?,
        None => None,
    };
    let line = match way {
        // A caller is shown by the line of its use, as in `cl_impact`.
        Direction::In => Some(near.line),
        Direction::Out => place.as_ref().and_then(|place| place.line),
    };
    Ok(place.map(|place| RelatedEdge {
        line,
        direction: way.as_str(),
        hops: near.hops,
        provenance: near.provenance,
        via: via.map(|symbol| format!("{}#{}", symbol.path, symbol.qualified_name)),
        stale: view.is_chain_stale(&place.path, near.hops),
        ..place
    }))
}
