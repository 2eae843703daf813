//! Files that a change may reach by more than chains of uses: users of the class of a changed method, of an object that holds a
//! changed function.
//!
//! Wider than [`super::impact`]: for lists of tests, where one too many costs less than one too few.

use std::collections::{BTreeMap, HashSet};

use crate::model::{Budget, FileId, SymbolId};
use crate::store::{Read, StoreResult};

/// Definitions that one walk visits.
const MAX_NODES: usize = 20_000;

/// Returns the files that use one of some definitions, or one around it, directly or through others, with the number of edges to
/// each. Code that a framework calls by its name has no users of its own: those of the object around it stand for them.
pub fn indirect_users(
    read: &Read<'_>,
    definitions: impl IntoIterator<Item = SymbolId>,
    depth: u32,
    budget: &Budget,
) -> StoreResult<BTreeMap<FileId, u32>> {
    let mut files = BTreeMap::new();
    let mut seen: HashSet<SymbolId> = HashSet::new();
    let mut frontier = Vec::new();
    let add =
        |at: SymbolId, next: &mut Vec<SymbolId>, seen: &mut HashSet<SymbolId>| -> StoreResult<()> {
            if seen.insert(at) {
                next.push(at);
                for outer in read.enclosing_definitions(at)? {
                    if seen.insert(outer) {
                        next.push(outer);
                    }
                }
            }
            Ok(())
        };
    for at in definitions {
        add(at, &mut frontier, &mut seen)?;
    }
    for hops in 1..=depth {
        let mut next = Vec::new();
        for at in frontier {
            if budget.is_cancelled() || seen.len() > MAX_NODES {
                return Ok(files);
            }
            for edge in read.edges_into(at)? {
                files.entry(edge.src_file).or_insert(hops);
                if let Some(user) = edge.src {
                    add(user, &mut next, &mut seen)?;
                }
            }
        }
        frontier = next;
    }
    Ok(files)
}
