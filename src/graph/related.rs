//! What stands around a file: what it imports, calls and names, who does so to it, and its tests.
//!
//! Each neighbour is found once for each relation and way, by its shortest chain. Refuses to rank.

use std::collections::{BTreeMap, BTreeSet};

use super::namesake;
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
    /// A test exercises the file: it imports it or uses a definition of it, or is named after it.
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

impl Direction {
    /// Returns the word for it on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Out => "out",
            Self::In => "in",
        }
    }
}

/// A file in some relation to the one asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The file.
    pub path: RepoPath,
    /// Which way.
    pub direction: Direction,
    /// How many steps away.
    pub hops: u32,
    /// The weakest step.
    pub provenance: Provenance,
    /// The file before it on the way; `None` for direct neighbours.
    pub via: Option<RepoPath>,
}

/// Neighbours, and whether a bound ended the walk to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// The nearest first, then by path.
    pub found: Vec<Neighbour>,
    /// Whether there may be more.
    pub is_cut: bool,
}

/// Returns the neighbours of a file in one relation and direction. Out of a file lead tests only where the
/// file is one: to what it tests.
pub fn neighbours(
    read: &Read<'_>,
    of: &RepoPath,
    relation: Relation,
    direction: Direction,
    depth: u32,
    budget: &Budget,
) -> StoreResult<Neighbours> {
    let mut all = Neighbours::default();
    if (relation, direction) == (Relation::Tests, Direction::Out) && !is_test(of) {
        return Ok(all);
    }
    let mut seen: BTreeSet<RepoPath> = BTreeSet::from([of.clone()]);
    let mut frontier = vec![(of.clone(), Provenance::Resolved)];
    for hops in 1..=depth {
        let mut next: BTreeMap<RepoPath, (Provenance, RepoPath)> = BTreeMap::new();
        for (at, before) in frontier {
            if budget.is_cancelled() || seen.len() > MAX_FILES {
                all.is_cut = true;
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
            let is_wanted = match (relation, direction) {
                (Relation::Tests, Direction::In) => is_test(&path),
                (Relation::Tests, Direction::Out) => !is_test(&path),
                _ => true,
            };
            if is_wanted {
                all.found.push(Neighbour {
                    path,
                    direction,
                    hops,
                    provenance,
                    via: (hops > 1).then_some(via),
                });
            }
        }
    }
    if relation == Relation::Tests {
        add_namesakes(read, of, direction, &mut all.found)?;
    }
    Ok(all)
}

/// Whether a file is a test, by its path.
pub fn is_test(path: &RepoPath) -> bool {
    PathClass::of(path.as_str(), false, false).is_test
}

/// Adds the tests that are known by their names alone.
fn add_namesakes(
    read: &Read<'_>,
    of: &RepoPath,
    direction: Direction,
    found: &mut Vec<Neighbour>,
) -> StoreResult<()> {
    let namesakes = match direction {
        Direction::In => namesake::tests_of(read, of)?,
        Direction::Out => namesake::tested_by(read, of)?,
    };
    for path in namesakes {
        if !found.iter().any(|near| near.path == path) {
            found.push(Neighbour {
                path,
                direction,
                hops: 1,
                provenance: Provenance::PathHeuristic,
                via: None,
            });
        }
    }
    found.sort_by(|a, b| (a.hops, &a.path).cmp(&(b.hops, &b.path)));
    Ok(())
}

fn step(
    read: &Read<'_>,
    at: &RepoPath,
    relation: Relation,
    direction: Direction,
) -> StoreResult<Vec<(RepoPath, Provenance)>> {
    let imports = || -> StoreResult<Vec<(RepoPath, Provenance)>> {
        let paths = match direction {
            Direction::Out => read.imports_of(at.as_str())?,
            Direction::In => read.importers_of(at.as_str())?,
        };
        let resolved = |path| (path, Provenance::Resolved);
        Ok(paths.into_iter().map(resolved).collect())
    };
    let bound = |kind| -> StoreResult<Vec<(RepoPath, Provenance)>> {
        let coupled = read.coupled(at.as_str(), kind, direction == Direction::Out)?;
        Ok(coupled
            .into_iter()
            .map(|near| (near.path, near.provenance))
            .collect())
    };
    Ok(match relation {
        Relation::Imports => imports()?,
        Relation::Calls => bound(EdgeKind::Calls)?,
        Relation::References => bound(EdgeKind::References)?,
        // What a test imports through another file it uses by name.
        Relation::Tests => [
            imports()?,
            bound(EdgeKind::Calls)?,
            bound(EdgeKind::References)?,
        ]
        .concat(),
    })
}
