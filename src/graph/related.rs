//! The neighbours of a file: imports, calls and names in both directions, and its tests.
//!
//! Each neighbour is found once for each relation and direction, by its shortest chain.

use std::collections::{HashMap, HashSet};

use super::test_conventions;
use crate::model::{Budget, Direction, EdgeKind, FileId, Provenance, RepoPath};
use crate::roles::Roles;
use crate::store::{Read, StoreResult};

/// Files that one walk visits.
const MAX_FILES: usize = 20_000;

/// Number of files that a wide barrel re-exports: a test of such a barrel is hardly a test of each of them.
const MIN_WIDE: u64 = 8;

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

/// How it is known that a test exercises something, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestBasis {
    /// It uses or imports it, directly or through other files.
    Graph,
    /// It is named after the file.
    Path,
    /// It reaches the file, though not the definition itself: through a barrel that re-exports many files, by something else
    /// of a changed file, or by the class of a changed member.
    Barrel,
    /// It names it, and no use is bound.
    NameOccurrence,
}

impl TestBasis {
    /// Every basis.
    pub const ALL: [Self; 4] = [Self::Graph, Self::Path, Self::Barrel, Self::NameOccurrence];

    /// Returns the word for it on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Path => "path",
            Self::Barrel => "barrel",
            Self::NameOccurrence => "mention",
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
    /// Of a test, how it is known.
    pub basis: TestBasis,
}

/// Neighbours, and whether a bound ended the walk to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// The nearest first, then by path.
    pub found: Vec<Neighbour>,
    /// Whether the walk stopped at `MAX_FILES` or was cancelled.
    pub is_cut: bool,
}

/// Returns the neighbours of a file in one relation and direction. Test edges lead out of a file only where it is a
/// test: to the tested file.
pub fn neighbours(
    read: &Read<'_>,
    roles: &Roles<'_>,
    of: &RepoPath,
    relation: Relation,
    direction: Direction,
    depth: u32,
    budget: &Budget,
) -> StoreResult<Neighbours> {
    let mut all = Neighbours::default();
    if (relation, direction) == (Relation::Tests, Direction::Out) && !roles.is_test(of) {
        return Ok(all);
    }
    let file = read.file(of.as_str())?;
    let mut frontier: Vec<WalkStep> = file
        .map(|file| WalkStep {
            file: file.id,
            path: of.clone(),
            provenance: Provenance::Resolved,
            basis: TestBasis::Graph,
        })
        .into_iter()
        .collect();
    let mut seen: HashSet<FileId> = frontier.iter().map(|step| step.file).collect();
    for hops in 1..=depth {
        // Of each file the strongest step to it, and the place in the frontier where that comes from.
        let mut next: HashMap<FileId, (TestBasis, Provenance, usize)> = HashMap::new();
        for (place, before) in frontier.iter().enumerate() {
            if budget.is_cancelled() || seen.len() > MAX_FILES {
                all.is_cut = true;
                break;
            }
            let mut basis = before.basis;
            let is_followed = (relation, direction) == (Relation::Tests, Direction::In) && hops > 1;
            if is_followed && read.n_reexported(before.file)? >= MIN_WIDE {
                basis = TestBasis::Barrel;
            }
            for (file, provenance) in step(read, before.file, relation, direction)? {
                if !seen.contains(&file) {
                    let found = (basis, provenance.max(before.provenance), place);
                    let known = next.entry(file).or_insert(found);
                    if (found.0, found.1) < (known.0, known.1) {
                        *known = found;
                    }
                }
            }
        }
        let mut reached = Vec::with_capacity(next.len());
        for (file, (basis, provenance, via)) in next {
            seen.insert(file);
            if let Some(path) = read.path_of(file)? {
                let step = WalkStep {
                    file,
                    path,
                    provenance,
                    basis,
                };
                reached.push((step, via));
            }
        }
        reached.sort_unstable_by(|a, b| a.0.path.cmp(&b.0.path));
        let before = std::mem::take(&mut frontier);
        for (step, via) in reached {
            let (path, provenance, basis) = (step.path.clone(), step.provenance, step.basis);
            frontier.push(step);
            let is_wanted = match (relation, direction) {
                (Relation::Tests, Direction::In) => roles.is_test(&path),
                (Relation::Tests, Direction::Out) => roles.is_code(&path),
                _ => true,
            };
            if is_wanted {
                all.found.push(Neighbour {
                    path,
                    direction,
                    hops,
                    provenance,
                    via: (hops > 1).then(|| before[via].path.clone()),
                    basis,
                });
            }
        }
    }
    if relation == Relation::Tests {
        add_tests_by_convention(read, roles, of, direction, &mut all.found)?;
    }
    Ok(all)
}

/// A file on a walk.
struct WalkStep {
    file: FileId,
    path: RepoPath,
    provenance: Provenance,
    basis: TestBasis,
}

/// Adds the tests that are known by their names alone.
fn add_tests_by_convention(
    read: &Read<'_>,
    roles: &Roles<'_>,
    of: &RepoPath,
    direction: Direction,
    found: &mut Vec<Neighbour>,
) -> StoreResult<()> {
    let is_known = |path: &RepoPath| found.iter().any(|near| near.path == *path);
    let mut found_by_name = match direction {
        Direction::In => test_conventions::tests_by_name_alone(read, roles, of, is_known)?,
        Direction::Out => test_conventions::sources_of_test(read, roles, of)?,
    };
    found_by_name.retain(|path| !is_known(path));
    found.extend(found_by_name.into_iter().map(|path| Neighbour {
        path,
        direction,
        hops: 1,
        provenance: Provenance::PathHeuristic,
        via: None,
        basis: TestBasis::Path,
    }));
    found.sort_by(|a, b| (a.hops, &a.path).cmp(&(b.hops, &b.path)));
    Ok(())
}

/// Returns the rows of the files next to one, with how that is known; some of them twice.
fn step(
    read: &Read<'_>,
    at: FileId,
    relation: Relation,
    direction: Direction,
) -> StoreResult<Vec<(FileId, Provenance)>> {
    let mut found = Vec::new();
    let imports = match relation {
        Relation::Imports => read.stated_imports(at, direction)?,
        Relation::Tests => read.import_neighbors(at, direction)?,
        _ => Vec::new(),
    };
    found.extend(imports.into_iter().map(|file| (file, Provenance::Resolved)));
    let kinds = match relation {
        Relation::Imports => None,
        Relation::Calls => Some([EdgeKind::Calls; 2]),
        Relation::References => Some([EdgeKind::References; 2]),
        // A name that a test imports through another file is used by name.
        Relation::Tests => Some([EdgeKind::Calls, EdgeKind::References]),
    };
    if let Some(kinds) = kinds {
        found.extend(read.edge_neighbors(at, kinds, direction)?);
    }
    Ok(found)
}
