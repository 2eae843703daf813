//! Clusters of files that use one another more than the rest: communities of the graph of files, by the method of Louvain.
//!
//! Deterministic: files come in the order of their paths, counts are whole numbers, and of equal gains the first counts.

use std::collections::{BTreeMap, HashMap};

use crate::model::{Budget, FileId, RepoPath};
use crate::store::{Read, StoreResult};

/// Rounds over all nodes in which one is moved at a time; each gains, so that most graphs take fewer.
const MAX_ROUNDS: usize = 30;

/// The clusters of an index's files.
#[derive(Debug)]
pub struct Clusters {
    of_files: BTreeMap<RepoPath, usize>,
    names: Vec<String>,
}

impl Clusters {
    /// Finds the clusters; `None` where the call was cancelled. Costs a pass over all edges, and some more in memory.
    pub fn read(read: &Read<'_>, budget: &Budget) -> StoreResult<Option<Self>> {
        let rows = read.file_rows()?;
        let mut files: Vec<(&RepoPath, FileId)> =
            rows.iter().map(|row| (&row.path, row.id)).collect();
        files.sort();
        let places: HashMap<FileId, usize> = files
            .iter()
            .enumerate()
            .map(|(at, (_, id))| (*id, at))
            .collect();
        let mut weights: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for relation in read.file_relations()? {
            let ends = (places.get(&relation.from), places.get(&relation.to));
            if let (Some(&a), Some(&b)) = ends {
                // Many uses bind more than one, and not as many times.
                let weight = 1 + u64::from(relation.n_uses.max(1).ilog2());
                *weights.entry((a.min(b), a.max(b))).or_default() += weight;
            }
        }
        let graph = FileGraph::of(files.len(), &weights);
        let Some(of_nodes) = graph.communities(budget) else {
            return Ok(None);
        };
        let paths: Vec<&RepoPath> = files.into_iter().map(|(path, _)| path).collect();
        let names = names(&paths, &graph, &of_nodes);
        let of_files = paths.into_iter().cloned().zip(of_nodes).collect();
        Ok(Some(Self { of_files, names }))
    }

    /// Returns the name of a file's cluster: the directory of the file that is bound the most within it, or that file itself
    /// where a larger cluster has the name of the directory.
    pub fn name(&self, path: &RepoPath) -> Option<&str> {
        let at = self.of_files.get(path)?;
        self.names.get(*at).map(String::as_str)
    }
}

/// Returns the names of communities, by their numbers; `paths` are those of the nodes.
fn names(paths: &[&RepoPath], graph: &FileGraph, of_nodes: &[usize]) -> Vec<String> {
    let n = of_nodes.iter().map(|it| it + 1).max().unwrap_or_default();
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (node, community) in of_nodes.iter().enumerate() {
        members[*community].push(node);
    }
    let within = |node: &usize| -> u64 {
        let edges = graph.edges[*node].iter();
        let own = edges.filter(|(other, _)| of_nodes[*other] == of_nodes[*node]);
        own.map(|(_, weight)| weight).sum()
    };
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(members[*at].len()), members[*at].first()));
    let mut names = vec![String::new(); n];
    let mut taken = std::collections::HashSet::new();
    for at in order {
        // The last one of equals is the first one by path.
        let Some(central) = members[at].iter().rev().max_by_key(|node| within(node)) else {
            continue;
        };
        let path = paths[*central].as_str();
        let directory = path
            .rsplit_once('/')
            .map_or(".", |(directory, _)| directory);
        let name = if taken.insert(directory) {
            directory
        } else {
            path
        };
        name.clone_into(&mut names[at]);
    }
    names
}

/// An undirected graph with weights.
struct FileGraph {
    /// By node: the others that it is bound to, by their numbers.
    edges: Vec<Vec<(usize, u64)>>,
    /// By node: twice the weight within it, where it stands for several.
    inner: Vec<u64>,
}

impl FileGraph {
    fn of(n_nodes: usize, weights: &BTreeMap<(usize, usize), u64>) -> Self {
        let mut graph = Self {
            edges: vec![Vec::new(); n_nodes],
            inner: vec![0; n_nodes],
        };
        for ((a, b), weight) in weights {
            if a == b {
                graph.inner[*a] += 2 * weight;
            } else {
                graph.edges[*a].push((*b, *weight));
                graph.edges[*b].push((*a, *weight));
            }
        }
        graph
    }

    /// Returns the community of each node, numbered in the order of their first nodes.
    fn communities(&self, budget: &Budget) -> Option<Vec<usize>> {
        let mut of_nodes = self.local_moving(budget)?;
        loop {
            let smaller = self.aggregate(&of_nodes);
            let next = smaller.local_moving(budget)?;
            if next
                .iter()
                .enumerate()
                .all(|(at, community)| at == *community)
            {
                return Some(of_nodes);
            }
            for community in &mut of_nodes {
                *community = next[*community];
            }
        }
    }

    /// Moves nodes into the communities of their neighbours as long as modularity rises.
    fn local_moving(&self, budget: &Budget) -> Option<Vec<usize>> {
        let degree = |node: usize| -> u64 {
            let edges = self.edges[node].iter();
            self.inner[node] + edges.map(|(_, weight)| weight).sum::<u64>()
        };
        let degrees: Vec<u64> = (0..self.edges.len()).map(degree).collect();
        let all: u64 = degrees.iter().sum();
        let mut of_nodes: Vec<usize> = (0..self.edges.len()).collect();
        let mut totals = degrees.clone();
        for _ in 0..MAX_ROUNDS {
            if budget.is_cancelled() {
                return None;
            }
            let mut has_moved = false;
            for node in 0..self.edges.len() {
                let own = of_nodes[node];
                let mut bound: BTreeMap<usize, u64> = BTreeMap::from([(own, 0)]);
                for (other, weight) in &self.edges[node] {
                    *bound.entry(of_nodes[*other]).or_default() += weight;
                }
                totals[own] -= degrees[node];
                let gain = |community: usize, weight: u64| {
                    i128::from(weight) * i128::from(all)
                        - i128::from(degrees[node]) * i128::from(totals[community])
                };
                let mut best = (gain(own, bound[&own]), own);
                for (community, weight) in bound {
                    let gain = gain(community, weight);
                    if gain > best.0 {
                        best = (gain, community);
                    }
                }
                has_moved |= best.1 != own;
                of_nodes[node] = best.1;
                totals[best.1] += degrees[node];
            }
            if !has_moved {
                break;
            }
        }
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        for community in &mut of_nodes {
            let next = numbers.len();
            *community = *numbers.entry(*community).or_insert(next);
        }
        Some(of_nodes)
    }

    /// Returns the graph of communities.
    fn aggregate(&self, of_nodes: &[usize]) -> Self {
        let n = of_nodes.iter().map(|it| it + 1).max().unwrap_or_default();
        let mut weights: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        let mut inner = vec![0; n];
        for (node, edges) in self.edges.iter().enumerate() {
            let a = of_nodes[node];
            inner[a] += self.inner[node];
            for (other, weight) in edges.iter().filter(|(other, _)| *other > node) {
                let b = of_nodes[*other];
                *weights.entry((a.min(b), a.max(b))).or_default() += weight;
            }
        }
        let mut merged = Self::of(n, &weights);
        for (own, more) in merged.inner.iter_mut().zip(inner) {
            *own += more;
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::{FileGraph, names};
    use crate::model::{Budget, RepoPath};

    fn communities(graph: &FileGraph) -> Vec<usize> {
        let budget = Budget::unlimited(Arc::default());
        graph.communities(&budget).unwrap()
    }

    /// Rings of five nodes each, each bound to the next by one edge.
    fn rings(n: usize) -> BTreeMap<(usize, usize), u64> {
        let mut weights = BTreeMap::new();
        for ring in 0..n {
            let first = ring * 5;
            for a in first..first + 5 {
                for b in a + 1..first + 5 {
                    weights.insert((a, b), 1);
                }
            }
            if ring > 0 {
                weights.insert((first - 5, first), 1);
            }
        }
        weights
    }

    #[test]
    fn files_that_use_one_another_are_a_cluster() {
        let graph = FileGraph::of(16, &rings(3));
        let found = communities(&graph);
        let wanted: Vec<usize> = (0..16).map(|at| at / 5).collect();
        assert_eq!(found, wanted, "the last one is bound to nothing");
        let paths: Vec<RepoPath> = (0..16)
            .map(|at| {
                RepoPath::new(&format!("src/{}/f{at:02}.ts", ["a", "b", "a"][at / 5 % 3])).unwrap()
            })
            .collect();
        let paths: Vec<&RepoPath> = paths.iter().collect();
        let named = names(&paths, &graph, &found);
        // The middle ring and the outer ones are bound the most at their first files.
        assert_eq!(named, ["src/a", "src/b", "src/a/f10.ts", "src/a/f15.ts"]);
    }

    #[test]
    fn a_chain_of_clusters_is_not_cut_into_single_files() {
        let graph = FileGraph::of(500, &rings(100));
        let found = communities(&graph);
        assert!((0..500).all(|at| found[at] == found[at / 5 * 5]));
        assert!(*found.iter().max().unwrap() < 100);
        assert!(communities(&FileGraph::of(0, &BTreeMap::new())).is_empty());
        assert_eq!(communities(&FileGraph::of(2, &BTreeMap::new())), [0, 1]);
    }
}
