//! The neighbours of one definition: which ones it calls and names, and which ones call and name it.
//!
//! Follows edges of the given kinds alone, each definition once by its shortest chain.

use std::collections::{BTreeMap, HashSet};

use super::impact::WalkStart;
use crate::model::{Budget, Direction, EdgeKind, FileId, Provenance, SymbolId};
use crate::store::{Read, StoreResult};

/// Definitions that one walk visits.
const MAX_NODES: usize = 20_000;

/// A neighbour of a definition: another one, or the top level of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighborDefinition {
    /// The row of the file of the use, or of the definition that is used.
    pub file: Option<FileId>,
    /// The row of the definition; `None` for a module's top level.
    pub symbol: Option<SymbolId>,
    /// Line of the first use on the last edge, in the file of that use.
    pub line: u32,
    /// How many edges lead there.
    pub hops: u32,
    /// The weakest edge on the way.
    pub provenance: Provenance,
    /// The row of the definition before it; `None` for direct neighbours.
    pub via: Option<SymbolId>,
}

/// Returns the neighbours of a definition, in no order, and whether a bound ended the walk. `starts` are the definition and its dispatch
/// targets, whose users may use it.
pub fn neighbors(
    read: &Read<'_>,
    starts: &[WalkStart],
    kinds: &[EdgeKind],
    direction: Direction,
    depth: u32,
    budget: &Budget,
) -> StoreResult<(Vec<NeighborDefinition>, bool)> {
    // Another overload may be a user itself.
    let whole = starts.iter().filter(|it| it.class != Provenance::Overload);
    let mut seen: HashSet<(Option<FileId>, Option<SymbolId>)> =
        whole.map(|it| (None, Some(it.definition))).collect();
    let mut frontier: Vec<WalkStart> = starts.to_vec();
    let mut all = Vec::new();
    for hops in 1..=depth {
        let mut next: BTreeMap<(Option<FileId>, Option<SymbolId>), NeighborDefinition> =
            BTreeMap::new();
        for start in frontier {
            let at = start.definition;
            if budget.is_cancelled() || seen.len() > MAX_NODES {
                return Ok((all, true));
            }
            let edges = match direction {
                Direction::In => read.edges_into(at)?,
                Direction::Out => read.edges_out_of(at)?,
            };
            for edge in edges.iter().filter(|edge| kinds.contains(&edge.kind)) {
                if hops == 1 && !start.is_followed_by(edge) {
                    continue;
                }
                let symbol = match direction {
                    Direction::In => edge.src,
                    Direction::Out => Some(edge.dst),
                };
                // A definition is where it is; only a top level has nothing but its file.
                let file = symbol.is_none().then_some(edge.src_file);
                if seen.contains(&(file, symbol)) {
                    continue;
                }
                let near = NeighborDefinition {
                    file,
                    symbol,
                    line: edge.line,
                    hops,
                    provenance: start.class.max(edge.provenance),
                    via: (hops > 1).then_some(at),
                };
                let known = next.entry((file, symbol)).or_insert_with(|| near.clone());
                if near.provenance < known.provenance {
                    *known = near;
                }
            }
        }
        seen.extend(next.keys().copied());
        frontier = next
            .values()
            .filter_map(|near| {
                Some(WalkStart {
                    definition: near.symbol?,
                    class: near.provenance,
                    by_calls: false,
                    by_objects: false,
                    except_in: None,
                })
            })
            .collect();
        all.extend(next.into_values());
    }
    Ok((all, false))
}
