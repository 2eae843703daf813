//! An answer of `cl_changes`, with the places that its definitions reach, as a graph to draw.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::impact_graph::impact_graph;
use super::text::{Fields, entries};
use crate::error::Result;
use crate::view::{ViewEdge, ViewNode};

/// The graph while it is put together.
#[derive(Default)]
struct ChangesGraph {
    nodes: Vec<ViewNode>,
    edges: Vec<ViewEdge>,
    places: HashMap<(String, String, u64), usize>,
    known: BTreeSet<(usize, usize, String)>,
}

impl ChangesGraph {
    /// Returns the place of a node. Of one that is there already the nearer distance counts.
    fn node(&mut self, node: ViewNode) -> usize {
        let key = (node.path.clone(), node.name.clone(), node.line);
        if let Some(at) = self.places.get(&key) {
            let known = &mut self.nodes[*at];
            known.hops = known.hops.min(node.hops);
            return *at;
        }
        self.places.insert(key, self.nodes.len());
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn edge(&mut self, edge: ViewEdge) {
        if edge.0 != edge.1 && self.known.insert((edge.0, edge.1, edge.2.clone())) {
            self.edges.push(edge);
        }
    }
}

/// Returns the changed definitions at distance 1, under the kinds of their changes, and behind them the uses that broke and the
/// places that `impacts` found: answers of `cl_impact` by the handle of a changed definition.
pub(in crate::cli) fn changes_graph(
    changes: &Value,
    impacts: &[(String, Value)],
) -> Result<(Vec<ViewNode>, Vec<ViewEdge>)> {
    let mut graph = ChangesGraph::default();
    let mut by_handle: HashMap<String, usize> = HashMap::new();
    let mut by_old_place: HashMap<(String, String), usize> = HashMap::new();
    for change in entries(changes, "changes") {
        let at = graph.node(ViewNode {
            path: change.text("path").to_owned(),
            name: change.text("symbol").to_owned(),
            kind: change.text("kind").to_owned(),
            line: change.number("line"),
            hops: 1,
            group: change.text("change").to_owned(),
            ..ViewNode::default()
        });
        by_handle.insert(change.text("handle").to_owned(), at);
        let from = &change["from"];
        let of_old = |key: &str| {
            let old = from.text(key);
            let text = if old.is_empty() {
                change.text(key)
            } else {
                old
            };
            text.to_owned()
        };
        by_old_place.insert((of_old("path"), of_old("symbol")), at);
    }
    for broken in entries(changes, "broken") {
        let uses = &broken["uses"];
        let used = (uses.text("path").to_owned(), uses.text("symbol").to_owned());
        let at = graph.node(ViewNode {
            path: broken.text("path").to_owned(),
            name: broken.text("symbol").to_owned(),
            line: broken.number("line"),
            hops: 2,
            group: "broken".to_owned(),
            ..ViewNode::default()
        });
        // A module as a whole is no definition that changed.
        if let Some(target) = by_old_place.get(&used) {
            let provenance = broken.text("provenance").to_owned();
            graph.edge(ViewEdge(at, *target, "broken".to_owned(), provenance, 1, 0));
        }
    }
    for (handle, impact) in impacts {
        let Some(target) = by_handle.get(handle) else {
            continue;
        };
        let (nodes, edges) = impact_graph(impact)?;
        let mut own = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.into_iter().enumerate() {
            own.push(match (at, node.hops) {
                (0, _) => Some(*target),
                // Definitions that the changed one uses are not reached by it.
                (_, 0) => None,
                _ => Some(graph.node(node)),
            });
        }
        for ViewEdge(from, to, kind, provenance, n, line) in edges {
            if let (Some(from), Some(to)) = (own[from], own[to]) {
                graph.edge(ViewEdge(from, to, kind, provenance, n, line));
            }
        }
    }
    Ok((graph.nodes, graph.edges))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::changes_graph;

    #[test]
    fn changed_definitions_come_first_and_broken_uses_lead_to_them() {
        let changes = json!({
            "changes": [
                {"handle": "sym_1", "path": "a.ts", "symbol": "open", "kind": "function", "change": "signature", "line": 1},
                {"path": "a.ts", "symbol": "shut", "kind": "function", "change": "renamed", "line": 5,
                 "from": {"symbol": "close"}},
            ],
            "broken": [
                {"path": "b.ts", "line": 3, "symbol": "run", "uses": {"path": "a.ts", "symbol": "close"}, "provenance": "resolved"},
            ],
        });
        let impact = json!({
            "target": {"path": "a.ts", "symbol": "open", "kind": "function", "line": 1},
            "callers": [{"path": "b.ts", "symbol": "run", "kind": "function", "line": 2, "hops": 1, "provenance": "resolved"}],
        });
        let (nodes, edges) = changes_graph(&changes, &[("sym_1".to_owned(), impact)]).unwrap();
        let shown: Vec<_> = nodes
            .iter()
            .map(|node| (node.name.as_str(), node.group.as_str(), node.hops))
            .collect();
        assert_eq!(shown[0], ("open", "signature", 1));
        assert_eq!(shown[1], ("shut", "renamed", 1));
        assert_eq!(shown[2], ("run", "broken", 2));
        let led: Vec<_> = edges
            .iter()
            .map(|edge| (edge.0, edge.1, edge.2.as_str()))
            .collect();
        assert_eq!(led, [(2, 1, "broken"), (3, 0, "calls")]);
    }
}
