//! What a change of some definitions reaches, level by level.
//!
//! Each definition is reached once, by its shortest chain, and among those by the best known one; a chain is
//! as strong as its weakest edge. Refuses to guess: uses that are bound to nothing are counted, not followed.

use std::collections::{BTreeMap, HashMap};

use crate::model::{Budget, EdgeKind, Provenance, RepoPath};
use crate::store::{EdgeRow, Read, StoreResult};

/// Definitions that one walk visits.
const MAX_NODES: usize = 20_000;

/// A place that uses a definition, directly or through others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The file.
    pub file: i64,
    /// The definition around the use; `None` for a module's top level.
    pub symbol: Option<i64>,
    /// Line of the first use.
    pub line: u32,
    /// How many edges lead there.
    pub hops: u32,
    /// The weakest edge on the way.
    pub provenance: Provenance,
}

/// What a walk found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Places, the nearest first, then by file and line.
    pub places: Vec<Reached>,
    /// How many uses lead to the definitions themselves.
    pub n_sites: u64,
    /// Whether a bound ended the walk.
    pub is_cut: bool,
}

/// Which way edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To who uses.
    Callers,
    /// To what is used.
    Callees,
}

/// Walks from some definitions. `depth` is the number of edges at most.
pub fn walk(
    read: &Read<'_>,
    seeds: &[i64],
    way: Way,
    depth: u32,
    budget: &Budget,
) -> StoreResult<Reach> {
    let mut reach = Reach::default();
    let mut seen: HashMap<i64, u32> = seeds.iter().map(|seed| (*seed, 0)).collect();
    let mut places: BTreeMap<(i64, Option<i64>), Reached> = BTreeMap::new();
    let mut frontier: Vec<(i64, Provenance)> = seeds
        .iter()
        .map(|seed| (*seed, Provenance::Resolved))
        .collect();
    for hops in 1..=depth {
        let mut next: BTreeMap<i64, Provenance> = BTreeMap::new();
        for (at, before) in frontier {
            if budget.is_cancelled() || seen.len() > MAX_NODES {
                reach.is_cut = true;
                break;
            }
            let edges = match way {
                Way::Callers => read.edges_into(at)?,
                Way::Callees => read.edges_out_of(at)?,
            };
            for edge in edges {
                if hops == 1 {
                    reach.n_sites += u64::from(edge.count);
                }
                let provenance = before.max(edge.provenance);
                visit(way, &edge, hops, provenance, &mut places);
                let beyond = match way {
                    Way::Callers => edge.src,
                    Way::Callees => Some(edge.dst),
                };
                // What calls while a module is loaded is called by nobody who uses the outcome.
                if way == Way::Callers
                    && edge.kind == EdgeKind::Calls
                    && let Some(caller) = beyond
                    && read.is_variable(caller)?
                {
                    continue;
                }
                if let Some(beyond) = beyond
                    && seen.get(&beyond).is_none_or(|at| *at == hops)
                {
                    seen.insert(beyond, hops);
                    let known = next.entry(beyond).or_insert(provenance);
                    *known = (*known).min(provenance);
                }
            }
        }
        if way == Way::Callers && hops < depth {
            outwards(read, hops, &mut next, &mut seen)?;
        }
        frontier = next.into_iter().collect();
    }
    for seed in seeds {
        places.retain(|(_, symbol), _| *symbol != Some(*seed));
    }
    reach.places = places.into_values().collect();
    Ok(reach)
}

/// Adds the functions around those that were reached: what changes in a function inside another changes
/// for who calls the outer one.
fn outwards(
    read: &Read<'_>,
    hops: u32,
    next: &mut BTreeMap<i64, Provenance>,
    seen: &mut HashMap<i64, u32>,
) -> StoreResult<()> {
    for (at, provenance) in next.clone() {
        for outer in read.functions_around(at)? {
            if seen.get(&outer).is_none_or(|at| *at == hops) {
                seen.insert(outer, hops);
                let known = next.entry(outer).or_insert(provenance);
                *known = (*known).min(provenance);
            }
        }
    }
    Ok(())
}

fn visit(
    way: Way,
    edge: &EdgeRow,
    hops: u32,
    provenance: Provenance,
    places: &mut BTreeMap<(i64, Option<i64>), Reached>,
) {
    let symbol = match way {
        Way::Callers => edge.src,
        Way::Callees => Some(edge.dst),
    };
    let found = Reached {
        file: edge.src_file,
        symbol,
        line: edge.line,
        hops,
        provenance,
    };
    // A definition's file is its own: the edge's is that of the use.
    let file = if way == Way::Callers {
        edge.src_file
    } else {
        0
    };
    places
        .entry((file, symbol))
        .and_modify(|known| {
            if (hops, provenance, edge.line) < (known.hops, known.provenance, known.line) {
                *known = found.clone();
            }
        })
        .or_insert(found);
}

/// The files of some places, each with its nearest and best known chain, by path.
pub fn files_of(places: &[(RepoPath, u32, Provenance)]) -> Vec<(RepoPath, u32, Provenance)> {
    let mut best: BTreeMap<&RepoPath, (u32, Provenance)> = BTreeMap::new();
    for (path, hops, provenance) in places {
        let found = (*hops, *provenance);
        best.entry(path)
            .and_modify(|known| *known = (*known).min(found))
            .or_insert(found);
    }
    let mut files: Vec<(RepoPath, u32, Provenance)> = best
        .into_iter()
        .map(|(path, (hops, provenance))| (path.clone(), hops, provenance))
        .collect();
    files.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    files
}

#[cfg(test)]
mod tests {
    use super::files_of;
    use crate::model::{Provenance, RepoPath};

    #[test]
    fn a_file_has_its_nearest_chain() {
        let path = |text| RepoPath::new(text).unwrap();
        let found = files_of(&[
            (path("b"), 2, Provenance::Resolved),
            (path("a"), 2, Provenance::Member),
            (path("b"), 1, Provenance::Name),
        ]);
        assert_eq!(
            found,
            [
                (path("b"), 1, Provenance::Name),
                (path("a"), 2, Provenance::Member)
            ]
        );
    }
}
