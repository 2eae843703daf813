//! An answer of `cl_changes`, with the places that its definitions reach, as a graph to draw.

use std::collections::{BTreeSet, HashMap};

use super::impact_graph::impact_graph;
use crate::error::Result;
use crate::tools::changes::ChangesOutput;
use crate::tools::impact::ImpactOutput;
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
    changes: &ChangesOutput,
    impacts: &[(String, ImpactOutput)],
) -> Result<(Vec<ViewNode>, Vec<ViewEdge>)> {
    let mut graph = ChangesGraph::default();
    let mut by_handle: HashMap<&str, usize> = HashMap::new();
    let mut by_old_place: HashMap<(&str, &str), usize> = HashMap::new();
    for change in &changes.changes {
        let at = graph.node(ViewNode {
            path: change.path.clone(),
            name: change.symbol.clone(),
            kind: change.kind.to_owned(),
            line: change.line.into(),
            hops: 1,
            group: change.change.to_owned(),
            ..ViewNode::default()
        });
        if let Some(handle) = &change.handle {
            by_handle.insert(handle, at);
        }
        let from = change.from.as_ref();
        let path = from.and_then(|from| from.path.as_deref());
        let symbol = from.and_then(|from| from.symbol.as_deref());
        let old = (
            path.unwrap_or(&change.path),
            symbol.unwrap_or(&change.symbol),
        );
        by_old_place.insert(old, at);
    }
    for broken in &changes.broken {
        let at = graph.node(ViewNode {
            path: broken.path.clone(),
            name: broken.symbol.clone().unwrap_or_default(),
            line: broken.line.into(),
            hops: 2,
            group: "broken".to_owned(),
            ..ViewNode::default()
        });
        let used = (broken.uses.path.as_str(), broken.uses.symbol.as_str());
        // A module as a whole is no definition that changed.
        if let Some(target) = by_old_place.get(&used) {
            let provenance = broken.provenance.to_owned();
            graph.edge(ViewEdge(at, *target, "broken".to_owned(), provenance, 1, 0));
        }
    }
    for (handle, impact) in impacts {
        let Some(target) = by_handle.get(handle.as_str()) else {
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
