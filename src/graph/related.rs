//! What stands around a file: what it imports, calls and names, who does so to it, and its tests.
//!
//! Each neighbour is found once for each relation and way, by its shortest chain. Refuses to rank.

use std::collections::{HashMap, HashSet};

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
    let file = read.file(of.as_str())?;
    let mut frontier: Vec<(i64, RepoPath, Provenance)> = file
        .map(|file| (file.id, of.clone(), Provenance::Resolved))
        .into_iter()
        .collect();
    let mut seen: HashSet<i64> = frontier.iter().map(|(file, ..)| *file).collect();
    for hops in 1..=depth {
        // Of each file the strongest step to it, and the place in the frontier where that comes from.
        let mut next: HashMap<i64, (Provenance, usize)> = HashMap::new();
        for (place, (at, _, before)) in frontier.iter().enumerate() {
            if budget.is_cancelled() || seen.len() > MAX_FILES {
                all.is_cut = true;
                break;
            }
            for (file, provenance) in step(read, *at, relation, direction)? {
                let weakest = provenance.max(*before);
                if !seen.contains(&file) {
                    let known = next.entry(file).or_insert((weakest, place));
                    if weakest < known.0 {
                        *known = (weakest, place);
                    }
                }
            }
        }
        let mut reached = Vec::with_capacity(next.len());
        for (file, (provenance, via)) in next {
            seen.insert(file);
            if let Some(path) = read.path_of(file)? {
                reached.push((path, file, provenance, via));
            }
        }
        reached.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let before = std::mem::take(&mut frontier);
        for (path, file, provenance, via) in reached {
            frontier.push((file, path.clone(), provenance));
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
                    via: (hops > 1).then(|| before[via].1.clone()),
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

/// Returns the rows of the files next to one, with how that is known; some of them twice.
fn step(
    read: &Read<'_>,
    at: i64,
    relation: Relation,
    direction: Direction,
) -> StoreResult<Vec<(i64, Provenance)>> {
    let out = direction == Direction::Out;
    let mut found = Vec::new();
    if matches!(relation, Relation::Imports | Relation::Tests) {
        let imports = read.imported_by_row(at, out)?;
        found.extend(imports.into_iter().map(|file| (file, Provenance::Resolved)));
    }
    let kinds = match relation {
        Relation::Imports => None,
        Relation::Calls => Some([EdgeKind::Calls; 2]),
        Relation::References => Some([EdgeKind::References; 2]),
        // What a test imports through another file it uses by name.
        Relation::Tests => Some([EdgeKind::Calls, EdgeKind::References]),
    };
    if let Some(kinds) = kinds {
        found.extend(read.bound_to(at, kinds, out)?);
    }
    Ok(found)
}
