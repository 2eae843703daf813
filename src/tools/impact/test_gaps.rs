//! Definitions that no test reaches, as far as the graph tells.

use std::collections::HashSet;

use serde::Serialize;

use crate::error::Result;
use crate::graph::impact::walk;
use crate::graph::related::TestBasis;
use crate::model::{Direction, SymbolKind};
use crate::tools::affected::Affected;
use crate::tools::analysed::is_outlined;
use crate::tools::impact::is_one;
use crate::tools::places::{places, uses};
use crate::uses::Uses;
use crate::workspace::{SymbolRow, View};

/// Definitions that are looked at.
const MAX_LOOKED_AT: usize = 30;

/// Edges from a test to a definition at most.
const DEPTH: u32 = 5;

/// Names of users whose unbound uses are looked at; with more nothing is known.
const MAX_NAMES: usize = 300;

/// A definition that no test is known to reach.
#[derive(Debug, Serialize)]
pub(super) struct TestGapOutput {
    symbol: String,
    path: String,
    line: u32,
    /// untested: nothing in a test can be a use of it, or of what uses it; unknown: something may.
    state: &'static str,
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
    let (seeds, is_cut) = uses.seeds(group)?;
    let mut on_the_way = uses.dispatch_on_the_way();
    let mut dispatch = |definition| on_the_way.of(definition);
    let budget = view.budget;
    let reached = walk(
        view.read,
        &seeds,
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
        // A module runs whenever a test imports it.
        || placed.iter().any(|place| place.symbol.is_none())
        || !uses.implicit_callers(&group[0])?.is_empty();
    if is_open {
        return Ok(Some("unknown"));
    }
    let users = placed.iter().filter_map(|place| place.symbol.as_ref());
    let names: HashSet<&str> = users.chain(group).map(|it| it.name.as_str()).collect();
    if names.len() > MAX_NAMES {
        return Ok(Some("unknown"));
    }
    for name in names {
        let unbound = view.read.unbound_places(name)?;
        let may_test = |path| view.roles.of(path).is_of_tests() || view.roles.may_hold_tests(path);
        if unbound.iter().any(|place| may_test(&place.path)) {
            return Ok(Some("unknown"));
        }
    }
    Ok(Some("untested"))
}

/// Whether there are tests whose uses of names are not known: left out of the index, or of a language that is outlined.
fn has_unread_tests(view: &View<'_>) -> Result<bool> {
    let rows = view.read.file_rows()?;
    let mut unread = rows
        .iter()
        .filter(|row| row.skip.is_some() || is_outlined(&row.path));
    Ok(unread.any(|row| view.roles.is_test(&row.path)))
}
