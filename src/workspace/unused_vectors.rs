//! Vectors of text that no index of their family holds any more: found by a look into each index, and removed.
//!
//! A vector that went too early costs the time to make it again, never a wrong answer.

use crate::error::Result;
use crate::lifecycle::prune::RemovedVectors;
use crate::model::hash::HashSet;
use crate::store::vectors as files;
use crate::store::{Home, Index, Pointer, StoreResult, VectorStore};

/// Returns the digests of texts with a vector that no index holds; `None` where an index cannot be read, which may hold any. Indexes
/// for which `is_going` are passed over.
///
/// The vectors are listed before the indexes are read, and are made after the chunks that they are of: one that is made meanwhile is not on the list.
pub(super) fn digests(
    home: &Home,
    clone_family: &str,
    store: &VectorStore,
    is_going: &dyn Fn(&Pointer) -> bool,
) -> StoreResult<Option<HashSet<i64>>> {
    let mut left = store.all_digests()?;
    for repo in files::repositories_of(home, clone_family) {
        for pointer in repo.pointers() {
            if left.is_empty() {
                return Ok(Some(left));
            }
            if is_going(&pointer) {
                continue;
            }
            let peeked = Index::peek(&repo, pointer).and_then(|index| {
                index
                    .map(|index| index.read()?.take_digests(&mut left))
                    .transpose()
            });
            if let Err(error) = peeked {
                tracing::info!(%error, "vectors stay: an index cannot be read");
                return Ok(None);
            }
        }
    }
    Ok(Some(left))
}

/// Removes the vectors of texts that no index holds, of every family. A dry run counts those that no index held if the ones in `going` were gone.
pub(super) fn sweep(home: &Home, going: &[Pointer], is_dry: bool) -> RemovedVectors {
    let mut done = RemovedVectors::default();
    for clone_family in files::clone_families(home) {
        match of_clone_family(home, &clone_family, going, is_dry) {
            Ok(removed) => {
                done.n_vectors += removed.n_vectors;
                done.bytes += removed.bytes;
            }
            Err(error) => tracing::info!(%error, "vectors could not be swept"),
        }
    }
    done
}

fn of_clone_family(
    home: &Home,
    clone_family: &str,
    going: &[Pointer],
    is_dry: bool,
) -> Result<RemovedVectors> {
    let none = RemovedVectors::default();
    if files::repositories_of(home, clone_family).is_empty() {
        return Ok(none);
    }
    let before = files::bytes(home, clone_family);
    let Some(mut store) = VectorStore::open_existing(home, clone_family) else {
        return Ok(none);
    };
    let Some(unused) = digests(home, clone_family, &store, &|pointer| {
        going.contains(pointer)
    })?
    else {
        return Ok(none);
    };
    if is_dry {
        let n_vectors = store.count_of(&unused)?;
        return Ok(RemovedVectors {
            n_vectors,
            bytes: 0,
        });
    }
    let n_vectors = store.remove(&unused)?;
    let bytes = before.saturating_sub(files::bytes(home, clone_family));
    if n_vectors > 0 {
        tracing::info!(n_vectors, bytes, "removed vectors that no index holds");
    }
    Ok(RemovedVectors { n_vectors, bytes })
}
