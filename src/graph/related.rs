//! What stands around a file: what it imports, calls and names, and who does so to it.
//!
//! Each neighbour is found once for each kind and way, by its shortest chain. Refuses to rank.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::class::PathClass;
use crate::model::{Budget, EdgeKind, Provenance, RepoPath};
use crate::store::{Read, StoreResult};

/// Files that one walk visits.
const MAX_FILES: usize = 20_000;

/// A relation between files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// One imports the other.
    Imports,
    /// One calls a definition of the other.
    Calls,
    /// One names a definition of the other.
    References,
    /// A test exercises the file.
    Tests,
}

/// Which way a relation is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// From the file.
    Out,
    /// To the file.
    In,
}

/// A file in some relation to the one asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The file.
    pub path: RepoPath,
    /// How it is related.
    pub relation: Relation,
    /// Which way.
    pub direction: Direction,
    /// How many steps away.
    pub hops: u32,
    /// The weakest step.
    pub provenance: Provenance,
    /// The file before it on the way; `None` for direct neighbours.
    pub via: Option<RepoPath>,
}

/// Returns the neighbours of a file in one relation and direction, the nearest first, then by path.
pub fn neighbours(
    read: &Read<'_>,
    of: &RepoPath,
    relation: Relation,
    direction: Direction,
    depth: u32,
    budget: &Budget,
) -> StoreResult<Vec<Neighbour>> {
    let mut seen: BTreeSet<RepoPath> = BTreeSet::from([of.clone()]);
    let mut frontier = vec![(of.clone(), Provenance::Resolved)];
    let mut found = Vec::new();
    for hops in 1..=depth {
        let mut next: BTreeMap<RepoPath, (Provenance, RepoPath)> = BTreeMap::new();
        for (at, before) in frontier {
            if budget.is_cancelled() || seen.len() > MAX_FILES {
                break;
            }
            for (path, provenance) in step(read, &at, relation, direction)? {
                let weakest = before.max(provenance);
                if !seen.contains(&path) {
                    let known = next.entry(path).or_insert((weakest, at.clone()));
                    if weakest < known.0 {
                        *known = (weakest, at.clone());
                    }
                }
            }
        }
        frontier = Vec::new();
        for (path, (provenance, via)) in next {
            seen.insert(path.clone());
            frontier.push((path.clone(), provenance));
            let is_test = PathClass::of(path.as_str(), false, false).is_test;
            if relation != Relation::Tests || is_test {
                found.push(Neighbour {
                    path,
                    relation,
                    direction,
                    hops,
                    provenance,
                    via: (hops > 1).then_some(via),
                });
            }
        }
    }
    Ok(found)
}

fn step(
    read: &Read<'_>,
    at: &RepoPath,
    relation: Relation,
    direction: Direction,
) -> StoreResult<Vec<(RepoPath, Provenance)>> {
    let resolved = |paths: Vec<RepoPath>| {
        paths
            .into_iter()
            .map(|path| (path, Provenance::Resolved))
            .collect()
    };
    Ok(match (relation, direction) {
        (Relation::Imports, Direction::Out) => resolved(read.imports_of(at.as_str())?),
        (Relation::Imports, Direction::In) | (Relation::Tests, _) => {
            resolved(read.importers_of(at.as_str())?)
        }
        (Relation::Calls, direction) => {
            read.file_edges(at.as_str(), EdgeKind::Calls, direction == Direction::Out)?
        }
        (Relation::References, direction) => read.file_edges(
            at.as_str(),
            EdgeKind::References,
            direction == Direction::Out,
        )?,
    })
}
