//! The reach of a change, level by level.
//!
//! Each definition is reached once, by its shortest chain, and among those by the best known one; a chain is as strong
//! as its weakest edge.

use std::collections::{BTreeMap, HashMap};

use crate::model::{Budget, Direction, EdgeKind, FileId, Provenance, RepoPath, SymbolId};
use crate::store::{EdgeRow, EvaluationSite, Read, StoreResult};

/// Definitions that one walk visits.
const MAX_NODES: usize = 20_000;

/// A place that uses a definition, directly or through others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The file.
    pub file: FileId,
    /// The definition around the use; `None` for a module's top level.
    pub symbol: Option<SymbolId>,
    /// Line of the first use that is known as well as `provenance` says.
    pub line: u32,
    /// How many uses there are, where it is one edge away.
    pub count: u32,
    /// How many edges lead there.
    pub hops: u32,
    /// The weakest edge on the way.
    pub provenance: Provenance,
    /// The definition before it on the way; `None` for one that is one edge away from a definition that was asked about.
    pub via: Option<SymbolId>,
}

/// A definition that a walk begins at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkStart {
    /// Its row.
    pub definition: SymbolId,
    /// The class of its users: [`Provenance::Resolved`] for a definition that is asked about, another for one that
    /// stands for it where code runs.
    pub class: Provenance,
    /// Whether only who calls it is a user: a field or variable that holds a function.
    pub by_calls: bool,
    /// Whether only who uses it through an object is a user, and not who names its class: `Base.save(self)`.
    pub by_objects: bool,
    /// The file in which its uses are its own.
    pub except_in: Option<FileId>,
}

impl WalkStart {
    /// Returns starts of definitions that are asked about.
    pub fn of(rows: impl IntoIterator<Item = SymbolId>) -> Vec<Self> {
        let class = Provenance::Resolved;
        rows.into_iter()
            .map(|definition| Self {
                definition,
                class,
                by_calls: false,
                by_objects: false,
                except_in: None,
            })
            .collect()
    }

    /// Whether an edge of a start leads to users of the definition that is asked about.
    pub(super) fn is_followed_by(&self, edge: &EdgeRow) -> bool {
        ReachStep::of_dispatch_target(self, ReachStep::new(Provenance::Resolved))
            .is_followed_by(edge)
    }

    fn is_asked_about(&self) -> bool {
        self.class == Provenance::Resolved
    }
}

/// The result of a walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Places, the nearest first, then by file and line.
    pub places: Vec<Reached>,
    /// How many uses lead to the definitions themselves.
    pub n_sites: u64,
    /// Whether a bound ended the walk.
    pub is_cut: bool,
    /// Whether users were left out: behind the last step, or those that hand a value on which a function made.
    pub is_deeper: bool,
}

/// Definitions of the last step whose users are looked for.
const MAX_LAST: usize = 200;

/// Walks from some definitions: to their users (`In`), or to the definitions they use. `depth` is the number of edges
/// at most. A definition that is reached stands for others where code runs; their users are reached from it as well:
/// `dispatch` returns them by its row.
pub fn walk(
    read: &Read<'_>,
    starts: &[WalkStart],
    direction: Direction,
    depth: u32,
    budget: &Budget,
    dispatch: &mut dyn FnMut(SymbolId) -> StoreResult<Vec<WalkStart>>,
) -> StoreResult<Reach> {
    let mut reach = Reach::default();
    // Of another overload some users alone are followed; it may be reached as a user itself.
    let whole = starts.iter().filter(|it| it.class != Provenance::Overload);
    let mut seen: HashMap<SymbolId, u32> = whole.map(|start| (start.definition, 0)).collect();
    let mut places: BTreeMap<(Option<FileId>, Option<SymbolId>), Reached> = BTreeMap::new();
    // The definitions around those that were reached come from these.
    let mut inner: HashMap<SymbolId, SymbolId> = HashMap::new();
    let mut frontier: Vec<(SymbolId, ReachStep)> = starts
        .iter()
        .map(|start| {
            let first = ReachStep::new(Provenance::Resolved);
            (
                start.definition,
                ReachStep::of_dispatch_target(start, first),
            )
        })
        .collect();
    for hops in 1..=depth {
        let mut next: BTreeMap<SymbolId, ReachStep> = BTreeMap::new();
        for (at, before) in frontier {
            if budget.is_cancelled() || seen.len() > MAX_NODES {
                reach.is_cut = true;
                break;
            }
            let edges = match direction {
                Direction::In => read.edges_into(at)?,
                Direction::Out => read.edges_out_of(at)?,
            };
            for edge in edges {
                if !before.is_followed_by(&edge) {
                    reach.is_deeper |= direction == Direction::In && before.by_calls;
                    continue;
                }
                let is_of_target = hops == 1 && before.provenance == Provenance::Resolved;
                if is_of_target {
                    reach.n_sites += u64::from(edge.count);
                }
                let provenance = before.provenance.max(edge.provenance);
                let via = (!is_of_target).then(|| inner.get(&at).copied().unwrap_or(at));
                visit(direction, &edge, (hops, provenance, via), &mut places);
                let beyond = match direction {
                    Direction::In => edge.src,
                    Direction::Out => Some(edge.dst),
                };
                let Some(beyond) = beyond else { continue };
                let mut step = ReachStep::new(provenance);
                if direction == Direction::In && edge.kind == EdgeKind::Calls {
                    match read.evaluation_site(beyond)? {
                        // A call in a variable's initializer matters to callers of that value, not to code that hands
                        // it on.
                        EvaluationSite::Variable => step.by_calls = true,
                        // A field's initializer runs in code that makes an instance.
                        EvaluationSite::FieldOf(class) => {
                            let by_calls = true;
                            let step = ReachStep { by_calls, ..step };
                            if reach_on(class, step, hops, &mut next, &mut seen) {
                                inner.insert(class, beyond);
                            }
                        }
                        EvaluationSite::Itself => {}
                    }
                }
                reach_on(beyond, step, hops, &mut next, &mut seen);
            }
        }
        if direction == Direction::In && hops < depth {
            outwards(read, hops, &mut next, &mut seen, &mut inner)?;
            for (at, step) in next.clone() {
                for start in dispatch(at)? {
                    let step = ReachStep::of_dispatch_target(&start, step);
                    if reach_on(start.definition, step, hops, &mut next, &mut seen) {
                        inner.insert(start.definition, at);
                    }
                }
            }
        }
        frontier = next.into_iter().collect();
    }
    if direction == Direction::In {
        for (at, step) in frontier.iter().take(MAX_LAST) {
            let is_new = |edge: &EdgeRow| {
                let is_seen = edge.src.is_some_and(|it| seen.contains_key(&it));
                step.is_followed_by(edge) && !is_seen
            };
            reach.is_deeper = reach.is_deeper || read.edges_into(*at)?.iter().any(is_new);
        }
    }
    for start in starts.iter().filter(|start| start.is_asked_about()) {
        places.retain(|(_, symbol), _| *symbol != Some(start.definition));
    }
    reach.places = places.into_values().collect();
    Ok(reach)
}

/// How a definition was reached.
#[derive(Clone, Copy, Debug)]
struct ReachStep {
    /// The weakest edge on the way.
    provenance: Provenance,
    /// Whether only who calls it is reached through it.
    by_calls: bool,
    /// Whether only who uses it through an object is reached through it.
    by_objects: bool,
    /// The file from which it is not reached.
    except_in: Option<FileId>,
    /// Whether it is another overload, of which only calls that may mean either are followed.
    by_shared_calls: bool,
}

impl ReachStep {
    fn new(provenance: Provenance) -> Self {
        Self {
            provenance,
            by_calls: false,
            by_objects: false,
            except_in: None,
            by_shared_calls: false,
        }
    }

    /// Whether an edge leads on from here.
    fn is_followed_by(self, edge: &EdgeRow) -> bool {
        (!self.by_calls || edge.kind == EdgeKind::Calls)
            && (!self.by_objects || edge.provenance != Provenance::Resolved)
            && self.except_in != Some(edge.src_file)
            && (!self.by_shared_calls || edge.provenance == Provenance::Overload)
    }

    /// A step to a dispatch target of a definition that was reached by `before`.
    fn of_dispatch_target(start: &WalkStart, before: Self) -> Self {
        Self {
            provenance: before.provenance.max(start.class),
            by_calls: before.by_calls || start.by_calls,
            by_objects: start.by_objects,
            except_in: start.except_in,
            by_shared_calls: start.class == Provenance::Overload,
        }
    }
}

/// The definitions related by dispatch, of a walk that goes one edge far, or from users to the definitions they use: none.
pub fn no_dispatch(_: SymbolId) -> StoreResult<Vec<WalkStart>> {
    Ok(Vec::new())
}

/// Goes on from a definition in the next level, unless it was reached in an earlier one. Returns whether it
/// is reached for the first time.
fn reach_on(
    at: SymbolId,
    step: ReachStep,
    hops: u32,
    next: &mut BTreeMap<SymbolId, ReachStep>,
    seen: &mut HashMap<SymbolId, u32>,
) -> bool {
    if seen.get(&at).is_some_and(|at| *at != hops) {
        return false;
    }
    let known = next.entry(at).or_insert(step);
    known.provenance = known.provenance.min(step.provenance);
    known.by_calls &= step.by_calls;
    known.by_shared_calls &= step.by_shared_calls;
    seen.insert(at, hops).is_none()
}

/// Adds the functions around those that were reached: a change inside a nested function is a change for the callers of
/// the outer one.
fn outwards(
    read: &Read<'_>,
    hops: u32,
    next: &mut BTreeMap<SymbolId, ReachStep>,
    seen: &mut HashMap<SymbolId, u32>,
    inner: &mut HashMap<SymbolId, SymbolId>,
) -> StoreResult<()> {
    for (at, step) in next.clone() {
        let mut inside = at;
        while let Some(outer) = read.enclosing_function(inside)? {
            let known = next.get(&outer).map(|it| it.provenance);
            if reach_on(outer, ReachStep::new(step.provenance), hops, next, seen) {
                inner.insert(outer, at);
            } else if seen.get(&outer) != Some(&0)
                && next.get(&outer).map(|it| it.provenance) == known
            {
                // Those around it were reached with it, but for one that was asked about: code that is deep is gone through once.
                break;
            }
            inside = outer;
        }
    }
    Ok(())
}

fn visit(
    direction: Direction,
    edge: &EdgeRow,
    (hops, provenance, via): (u32, Provenance, Option<SymbolId>),
    places: &mut BTreeMap<(Option<FileId>, Option<SymbolId>), Reached>,
) {
    let symbol = match direction {
        Direction::In => edge.src,
        Direction::Out => Some(edge.dst),
    };
    let found = Reached {
        file: edge.src_file,
        symbol,
        line: edge.line,
        count: edge.count,
        hops,
        provenance,
        via,
    };
    // A definition's file is its own: the edge's is that of the use.
    let file = (direction == Direction::In).then_some(edge.src_file);
    places
        .entry((file, symbol))
        .and_modify(|known| {
            let is_of_one = (hops, known.hops) == (1, 1) && known.via == via;
            let count = known.count + if is_of_one { edge.count } else { 0 };
            if (hops, provenance, edge.line) < (known.hops, known.provenance, known.line) {
                *known = found.clone();
            }
            if is_of_one {
                known.count = count;
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
