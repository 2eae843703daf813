//! The graph around some files: the neighbours that say most about all of them, each once.

use std::collections::{BTreeMap, BTreeSet};

use super::test_conventions;
use crate::model::{Budget, Direction, EdgeKind, Provenance, RepoPath};
use crate::roles::Roles;
use crate::store::{Read, StoreResult};

/// A file next to one of the given files, with the way that leads there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighborFile {
    /// The file that it is a neighbour of.
    pub source: RepoPath,
    /// The neighbour.
    pub path: RepoPath,
    /// The kind of edge: `calls`, `references`, `imports`, `imported_by` or `tests`.
    pub edge_type: &'static str,
    /// Which way the last edge leads, seen from the file.
    pub direction: Direction,
    /// How many edges away.
    pub hops: u32,
    /// The weakest edge on the way.
    pub provenance: Provenance,
}

/// Kinds of edges in the order in which they say something about a file.
const KINDS: [(&str, Direction); 7] = [
    ("calls", Direction::Out),
    ("calls", Direction::In),
    ("tests", Direction::In),
    ("references", Direction::Out),
    ("references", Direction::In),
    ("imports", Direction::Out),
    ("imported_by", Direction::In),
];

/// How many of the most used neighbours of a kind are weighed.
const N_WEIGHED: usize = 6;

/// Smoothing constant for inverse usage frequency: weight = uses × 1000 / (users + 5).
const N_FEW_USERS: u64 = 5;

/// One step from a file.
#[derive(Clone)]
struct FileStep {
    kind: usize,
    path: RepoPath,
    provenance: Provenance,
    n_uses: u64,
    /// Uses between the two, by inverse usage frequency: a neighbour that everyone uses weighs little.
    weight: u64,
    /// Whether it is a test that is named after the file.
    is_own_test: bool,
}

/// A file at the frontier of the walk.
struct FrontierFile {
    source: RepoPath,
    path: RepoPath,
    provenance: Provenance,
}

/// Returns at most `max` neighbours of the files, up to `depth` edges away, the nearest first. The files and their
/// kinds of edges take turns, so that none takes all the room; among neighbours of one kind a test of the file's name
/// goes first, then the best known, then the most used, then those that several of the files lead to.
pub fn neighborhood(
    read: &Read<'_>,
    roles: &Roles<'_>,
    files: &[RepoPath],
    depth: u32,
    max: usize,
    budget: &Budget,
) -> StoreResult<Vec<NeighborFile>> {
    let mut seen: BTreeSet<RepoPath> = files.iter().cloned().collect();
    let mut frontier: Vec<FrontierFile> = files
        .iter()
        .map(|path| FrontierFile {
            source: path.clone(),
            path: path.clone(),
            provenance: Provenance::Resolved,
        })
        .collect();
    let mut all: Vec<NeighborFile> = Vec::new();
    for hops in 1..=depth {
        if all.len() >= max || budget.is_cancelled() {
            break;
        }
        let mut lists = Vec::new();
        for at in &frontier {
            let mut steps = steps(read, roles, &at.path)?;
            steps.retain(|step| !seen.contains(&step.path));
            lists.push(steps);
        }
        let taken = round_robin(lists, max - all.len());
        let first = all.len();
        for (from, step) in taken {
            let (edge_type, direction) = KINDS[step.kind];
            seen.insert(step.path.clone());
            all.push(NeighborFile {
                source: frontier[from].source.clone(),
                path: step.path,
                edge_type,
                direction,
                hops,
                provenance: frontier[from].provenance.max(step.provenance),
            });
        }
        frontier = all[first..]
            .iter()
            .map(|near| FrontierFile {
                source: near.source.clone(),
                path: near.path.clone(),
                provenance: near.provenance,
            })
            .collect();
    }
    Ok(all)
}

/// Takes from the lists in turn, and in each from its kinds in turn; each path once. Returns the number of
/// the list with each step.
fn round_robin(lists: Vec<Vec<FileStep>>, max: usize) -> Vec<(usize, FileStep)> {
    let mut n_lists: BTreeMap<RepoPath, usize> = BTreeMap::new();
    for list in &lists {
        let paths: BTreeSet<&RepoPath> = list.iter().map(|step| &step.path).collect();
        for path in paths {
            *n_lists.entry(path.clone()).or_default() += 1;
        }
    }
    let mut queues: Vec<_> = lists
        .into_iter()
        .map(|list| in_turns(list, &n_lists).into_iter())
        .collect();
    let mut taken: Vec<(usize, FileStep)> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut is_growing = true;
    while is_growing && taken.len() < max {
        is_growing = false;
        for (from, queue) in queues.iter_mut().enumerate() {
            if taken.len() < max
                && let Some(step) = queue.find(|step| !seen.contains(&step.path))
            {
                is_growing = true;
                seen.insert(step.path.clone());
                taken.push((from, step));
            }
        }
    }
    taken
}

/// Puts the steps of one file in order: its kinds take turns.
fn in_turns(mut list: Vec<FileStep>, n_lists: &BTreeMap<RepoPath, usize>) -> Vec<FileStep> {
    list.sort_by(|a, b| {
        let n = |step: &FileStep| n_lists.get(&step.path).copied().unwrap_or(0);
        (a.kind, !a.is_own_test, a.provenance)
            .cmp(&(b.kind, !b.is_own_test, b.provenance))
            .then_with(|| (b.weight, b.n_uses, n(b)).cmp(&(a.weight, a.n_uses, n(a))))
            .then_with(|| a.path.cmp(&b.path))
    });
    let mut ranks = [0_usize; KINDS.len()];
    let mut ranked: Vec<(usize, FileStep)> = list
        .into_iter()
        .map(|step| {
            ranks[step.kind] += 1;
            (ranks[step.kind], step)
        })
        .collect();
    ranked.sort_by_key(|(rank, step)| (*rank, step.kind));
    ranked.into_iter().map(|(_, step)| step).collect()
}

/// Returns the steps from a file, each neighbour by the kind that says most.
fn steps(read: &Read<'_>, roles: &Roles<'_>, of: &RepoPath) -> StoreResult<Vec<FileStep>> {
    let own_tests = test_conventions::tests_of(read, roles, of)?;
    let mut best: BTreeMap<RepoPath, FileStep> = BTreeMap::new();
    let mut add = |step: FileStep| {
        best.entry(step.path.clone()).or_insert(step);
    };
    let kind_of = |name: &str, direction, path: &RepoPath| {
        // A test that uses a file says so first.
        let name = if direction == Direction::In && roles.is_test(path) && !roles.is_test(of) {
            "tests"
        } else {
            name
        };
        let place = KINDS.iter().position(|kind| *kind == (name, direction));
        place.expect("each kind has its place")
    };
    for (name, kind) in [
        ("calls", EdgeKind::Calls),
        ("references", EdgeKind::References),
    ] {
        for direction in [Direction::Out, Direction::In] {
            for near in read.related_files(of.as_str(), kind, direction == Direction::Out)? {
                add(FileStep {
                    kind: kind_of(name, direction, &near.path),
                    is_own_test: own_tests.contains(&near.path),
                    path: near.path,
                    provenance: near.provenance,
                    n_uses: near.n_uses,
                    weight: 0,
                });
            }
        }
    }
    let ways = [
        ("imports", Direction::Out, read.imports_of(of.as_str())?),
        (
            "imported_by",
            Direction::In,
            read.importers_of(of.as_str())?,
        ),
    ];
    for (name, direction, paths) in ways {
        for path in paths {
            add(FileStep {
                kind: kind_of(name, direction, &path),
                is_own_test: own_tests.contains(&path),
                path,
                provenance: Provenance::Resolved,
                n_uses: 1,
                weight: 0,
            });
        }
    }
    for path in &own_tests {
        add(FileStep {
            kind: kind_of("tests", Direction::In, path),
            is_own_test: true,
            path: path.clone(),
            provenance: Provenance::PathHeuristic,
            n_uses: 0,
            weight: 0,
        });
    }
    weigh(read, best.into_values().collect())
}

/// Ranks what a file uses by inverse usage frequency: a file that everybody uses says nothing about its user.
fn weigh(read: &Read<'_>, mut steps: Vec<FileStep>) -> StoreResult<Vec<FileStep>> {
    for (place, (_, direction)) in KINDS.iter().enumerate() {
        if *direction == Direction::In {
            continue;
        }
        let mut of_kind: Vec<&mut FileStep> =
            steps.iter_mut().filter(|step| step.kind == place).collect();
        of_kind.sort_by(|a, b| b.n_uses.cmp(&a.n_uses).then_with(|| a.path.cmp(&b.path)));
        for step in of_kind.into_iter().take(N_WEIGHED) {
            step.weight = step.n_uses * 1_000 / (read.n_users(step.path.as_str())? + N_FEW_USERS);
        }
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::{FileStep, round_robin};
    use crate::model::{Provenance, RepoPath};

    fn step(kind: usize, path: &str, n_uses: u64) -> FileStep {
        FileStep {
            kind,
            path: RepoPath::new(path).unwrap(),
            provenance: Provenance::Resolved,
            n_uses,
            weight: 0,
            is_own_test: false,
        }
    }

    #[test]
    fn files_and_kinds_take_turns() {
        let one = vec![step(0, "a", 1), step(0, "b", 9), step(5, "c", 1)];
        let two = vec![step(1, "d", 1), step(0, "e", 1), step(0, "c", 1)];
        let taken: Vec<(usize, String)> = round_robin(vec![one, two], 4)
            .into_iter()
            .map(|(from, step)| (from, step.path.to_string()))
            .collect();
        let path = |from, name: &str| (from, name.to_owned());
        // `c` is a neighbour of both.
        let wanted = [path(0, "b"), path(1, "c"), path(0, "a"), path(1, "d")];
        assert_eq!(taken, wanted);
    }
}
