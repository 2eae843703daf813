//! An answer of `cl_impact`, as a graph to draw.

use std::collections::HashMap;

use serde_json::Value;

use super::graph::{away, targets};
use super::text::{Fields, entries, key, plural};
use crate::error::{Error, Result};
use crate::view::{ViewEdge, ViewNode};

/// Returns the places and their edges: definitions that the targets use at distance 0, the targets at 1, their callers
/// behind them.
///
/// # Errors
/// `invalid_argument` where the name means several definitions.
pub(in crate::cli) fn impact_graph(value: &Value) -> Result<(Vec<ViewNode>, Vec<ViewEdge>)> {
    let candidates = value.items("candidates");
    if !candidates.is_empty() {
        let places = candidates
            .iter()
            .map(|found| format!("{}:{}", found.text("path"), found.number("line")));
        return Err(Error::invalid(
            value.text("summary"),
            format!(
                "name the file as well: one of {}",
                places.collect::<Vec<_>>().join(", ")
            ),
        ));
    }
    let affected = entries(value, "affectedTests");
    let tests: Vec<&str> = affected.iter().map(|test| test.text("path")).collect();
    let node = |found: &Value, group: String, hops: u64| ViewNode {
        path: found.text("path").to_owned(),
        name: found.text("symbol").to_owned(),
        kind: found.text("kind").to_owned(),
        line: found.number("line"),
        test: tests.contains(&found.text("path")),
        hops,
        group,
        ..ViewNode::default()
    };
    let edge = |from: usize, to: usize, found: &Value, kind: &str| {
        ViewEdge(
            from,
            to,
            kind.to_owned(),
            found.text("provenance").to_owned(),
            1,
            0,
        )
    };
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let targets = targets(value);
    // Which of several a caller uses is not told: one node stands for all of them.
    if let [target] = targets.as_slice() {
        places.insert(key(target), 0);
        nodes.push(node(target, "changed".to_owned(), 1));
    } else {
        nodes.push(ViewNode {
            name: plural(targets.len() as u64, "changed definition"),
            hops: 1,
            group: "changed".to_owned(),
            symbols: Vec::new(),
            ..ViewNode::default()
        });
    }
    let callers = entries(value, "callers");
    for caller in &callers {
        let at = nodes.len();
        let hops = caller.number("hops");
        let group = if tests.contains(&caller.text("path")) {
            "tests".to_owned()
        } else {
            away(hops)
        };
        places.entry(key(caller)).or_insert(at);
        nodes.push(node(caller, group, hops + 1));
    }
    for (n, caller) in callers.iter().enumerate() {
        let way = places.get(caller.text("via")).copied().unwrap_or(0);
        if way != n + 1 {
            edges.push(edge(n + 1, way, caller, "calls"));
        }
    }
    for test in &affected {
        if !callers
            .iter()
            .any(|caller| caller.text("path") == test.text("path"))
        {
            edges.push(edge(nodes.len(), 0, test, "tests"));
            nodes.push(node(
                test,
                "tests".to_owned(),
                test.number("hops").max(1) + 1,
            ));
        }
    }
    for callee in entries(value, "callees") {
        edges.push(edge(0, nodes.len(), &callee, "calls"));
        nodes.push(node(&callee, "uses".to_owned(), 0));
    }
    Ok((nodes, edges))
}
