//! An answer of `cl_impact`, as a graph to draw.

use std::collections::HashMap;

use super::graph::{Entry, ImpactEntries, ambiguous, away};
use super::text::plural;
use crate::error::Result;
use crate::tools::impact::ImpactOutput;
use crate::view::{ViewEdge, ViewNode};

/// Returns the places and their edges: definitions that the targets use at distance 0, the targets at 1, their callers
/// behind them.
///
/// # Errors
/// `invalid_argument` where the name means several definitions.
pub(in crate::cli) fn impact_graph(
    answer: &ImpactOutput,
) -> Result<(Vec<ViewNode>, Vec<ViewEdge>)> {
    if let Some(candidates) = answer.candidates.as_ref().filter(|it| !it.is_empty()) {
        let next = "name the file as well:";
        return Err(ambiguous(&answer.summary, candidates, next));
    }
    let entries = ImpactEntries::of(answer);
    let is_in = |places: &[Entry<'_>], path: &str| places.iter().any(|it| it.path == path);
    let node = |found: &Entry<'_>, group: String, hops: u32| ViewNode {
        path: found.path.to_owned(),
        name: found.symbol.to_owned(),
        kind: found.kind.to_owned(),
        line: found.line.into(),
        test: is_in(&entries.tests, found.path),
        hops: hops.into(),
        group,
        ..ViewNode::default()
    };
    let edge = |from: usize, to: usize, found: &Entry<'_>, kind: &str| {
        let provenance = found.provenance.to_owned();
        ViewEdge(from, to, kind.to_owned(), provenance, 1, 0)
    };
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    // Which of several a caller uses is not told: one node stands for all of them.
    if let [target] = entries.targets.as_slice() {
        places.insert(target.key(), 0);
        nodes.push(node(target, "changed".to_owned(), 1));
    } else {
        nodes.push(ViewNode {
            name: plural(entries.targets.len() as u64, "changed definition"),
            hops: 1,
            group: "changed".to_owned(),
            symbols: Vec::new(),
            ..ViewNode::default()
        });
    }
    for caller in &entries.callers {
        let group = if is_in(&entries.tests, caller.path) {
            "tests".to_owned()
        } else {
            away(caller.hops)
        };
        places.entry(caller.key()).or_insert(nodes.len());
        nodes.push(node(caller, group, caller.hops + 1));
    }
    for (n, caller) in entries.callers.iter().enumerate() {
        let way = places.get(caller.via).copied().unwrap_or(0);
        if way != n + 1 {
            edges.push(edge(n + 1, way, caller, "calls"));
        }
    }
    for test in &entries.tests {
        if !is_in(&entries.callers, test.path) {
            edges.push(edge(nodes.len(), 0, test, "tests"));
            nodes.push(node(test, "tests".to_owned(), test.hops.max(1) + 1));
        }
    }
    for callee in &entries.callees {
        edges.push(edge(0, nodes.len(), callee, "calls"));
        nodes.push(node(callee, "uses".to_owned(), 0));
    }
    Ok((nodes, edges))
}
