//! Definitions that no test reaches, as far as the graph tells.

use std::collections::HashSet;

use serde::Serialize;

use crate::error::Result;
use crate::graph::impact::walk;
use crate::graph::related::TestBasis;
use crate::model::{Direction, RepoPath, SymbolKind};
use crate::tools::affected::Affected;
use crate::tools::analysed::is_outlined;
use crate::tools::impact::is_one;
use crate::tools::places::{LocatedSymbol, places, uses};
use crate::uses::Uses;
use crate::workspace::{SymbolRow, View};

/// Definitions that are looked at.
const MAX_LOOKED_AT: usize = 30;

/// Edges from a test to a definition at most.
const DEPTH: u32 = 64;

/// Names of users whose unbound uses are looked at; with more nothing is known.
const MAX_NAMES: usize = 300;

/// A definition that no test is known to reach.
#[derive(Debug, Serialize)]
pub(crate) struct TestGapOutput {
    pub(crate) symbol: String,
    pub(crate) path: String,
    pub(crate) line: u32,
    /// untested: no use that is not known can lead to a test; unknown: one may.
    pub(crate) state: &'static str,
}

/// Finds the functions, methods and classes among some definitions that no test reaches, and returns how many were not looked at.
pub(super) fn test_gaps(
    view: &View<'_>,
    targets: &[SymbolRow],
) -> Result<(Vec<TestGapOutput>, usize)> {
    let is_sought = |symbol: &&SymbolRow| {
        let has_member = || {
            let mut others = targets.iter().filter(|other| other.path == symbol.path);
            others.any(|other| other.parent == Some(symbol.ordinal))
        };
        let is_code = match symbol.kind {
            SymbolKind::Function | SymbolKind::Method => true,
            SymbolKind::Class => !has_member(),
            _ => false,
        };
        is_code
            && view
                .roles
                .of_definition(&symbol.path, Some(symbol.ordinal))
                .is_code()
    };
    let mut groups: Vec<Vec<SymbolRow>> = Vec::new();
    for symbol in targets.iter().filter(is_sought) {
        match groups.last_mut() {
            // Overloads are one.
            Some(group) if is_same(group, symbol) => group.push(symbol.clone()),
            _ => groups.push(vec![symbol.clone()]),
        }
    }
    let n_unchecked = groups.len().saturating_sub(MAX_LOOKED_AT);
    groups.truncate(MAX_LOOKED_AT);
    let uses = uses(view);
    let mut unread = None;
    let mut gaps = Vec::new();
    for group in &groups {
        if let Some(mut state) = state(view, &uses, group)? {
            if state == "untested" && *unread.get_or_insert(has_unread_tests(view)?) {
                state = "unknown";
            }
            let symbol = &group[0];
            gaps.push(TestGapOutput {
                symbol: symbol.qualified_name.clone(),
                path: symbol.path.to_string(),
                line: symbol.name_line,
                state,
            });
        }
    }
    Ok((gaps, n_unchecked))
}

fn is_same(group: &[SymbolRow], symbol: &SymbolRow) -> bool {
    is_one(&[group[0].clone(), symbol.clone()])
}

/// Returns `None` for a definition that a test reaches.
fn state(view: &View<'_>, uses: &Uses<'_>, group: &[SymbolRow]) -> Result<Option<&'static str>> {
    let (starts, is_cut) = uses.walk_starts(group)?;
    let mut on_the_way = uses.dispatch_on_the_way();
    let mut dispatch = |definition| on_the_way.of(definition);
    let budget = view.budget;
    let reached = walk(
        view.read,
        &starts,
        Direction::In,
        DEPTH,
        budget,
        &mut dispatch,
    )?;
    let placed = places(view, &reached.places)?;
    let mut affected = Affected::of(view, &placed);
    if affected.n_tests(TestBasis::Graph) > 0 {
        return Ok(None);
    }
    affected.add_unbound_tests(view, group)?;
    let is_open = is_cut
        || reached.is_cut
        || on_the_way.is_cut()
        || budget.is_cancelled()
        || view.freshness.as_str() != "fresh"
        || !affected.tests.is_empty()
        || !affected.support.is_empty()
        || is_outlined(&group[0].path)
        || placed.iter().any(|place| place.reached.hops >= DEPTH)
        || !placed.iter().all(is_run_by_callers)
        || !is_used_by_name(view, &group[0])?
        || !uses.implicit_callers(&group[0], false)?.is_empty();
    if is_open {
        return Ok(Some("unknown"));
    }
    let users = placed.iter().filter_map(|place| place.symbol.as_ref());
    let names: HashSet<&str> = users.chain(group).map(|it| it.name.as_str()).collect();
    if names.len() > MAX_NAMES {
        return Ok(Some("unknown"));
    }
    for name in names {
        // Wherever such a use is, a test may lead to it; a page or a script of the tests may name it without a bound use.
        let is_of_tests = |path: &RepoPath| !view.roles.is_code(path);
        let naming = uses.files_naming(name)?;
        if !view.read.unbound_places(name)?.is_empty()
            || naming.is_none_or(|paths| paths.iter().any(is_of_tests))
        {
            return Ok(Some("unknown"));
        }
    }
    Ok(Some("untested"))
}

/// Whether the code of a place runs only where its function is called: a module and the initializer of a variable or a field run when a test loads the
/// file.
fn is_run_by_callers(place: &LocatedSymbol) -> bool {
    let symbol = place.symbol.as_ref();
    symbol.is_some_and(|symbol| symbol.kind.is_function())
}

/// Whether a definition stands at the top of its file or in a class there: functions in others, and members of objects, are handed on as values.
fn is_used_by_name(view: &View<'_>, symbol: &SymbolRow) -> Result<bool> {
    let Some(parent) = symbol.parent else {
        return Ok(true);
    };
    let Some(file) = view.read.file(symbol.path.as_str())? else {
        return Ok(false);
    };
    let symbols = view.read.symbols_of(file.id)?;
    let around = symbols.iter().find(|other| other.ordinal == parent);
    Ok(around.is_some_and(|around| around.kind == SymbolKind::Class && around.parent.is_none()))
}

/// Whether there are tests whose uses of names are not known: left out of the index, or of a language that is outlined.
fn has_unread_tests(view: &View<'_>) -> Result<bool> {
    let rows = view.read.file_rows()?;
    let mut unread = rows
        .iter()
        .filter(|row| row.skip.is_some() || is_outlined(&row.path));
    Ok(unread.any(|row| view.roles.is_test(&row.path)))
}
