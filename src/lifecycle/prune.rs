//! Removes indexes that the retention rules do not keep, then further ones, by last use, until the quotas of bytes hold. Indexes in use
//! stay.

use std::collections::BTreeMap;

use super::policy::{self, PruneCandidate, PruneReason, RepositoryIndexes, RetentionRules};
use crate::store::remove::{self, IndexRemoval};
use crate::store::{Home, Pointer};

/// An index that went, or would go.
#[derive(Clone, Debug)]
pub struct RemovedIndex {
    /// The repository, work tree, branch and commit of the index.
    pub pointer: Pointer,
    /// The bytes that the file system got back.
    pub bytes: u64,
    /// Why.
    pub reason: PruneReason,
}

/// The result of pruning, done or planned.
#[derive(Clone, Debug, Default)]
pub struct Pruned {
    /// The indexes that went, or would go.
    pub removed: Vec<RemovedIndex>,
    /// The indexes that should go and stay, since a process uses them.
    pub in_use: Vec<Pointer>,
    /// The vectors that went along.
    pub vectors: RemovedVectors,
}

/// Vectors of text that no index holds any more, which went or would go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemovedVectors {
    /// How many.
    pub n_vectors: u64,
    /// The bytes that the file system got back; not known beforehand.
    pub bytes: u64,
}

impl Pruned {
    /// Returns the bytes that the file system got back, or would.
    pub fn bytes(&self) -> u64 {
        let indexes: u64 = self.removed.iter().map(|removed| removed.bytes).sum();
        indexes + self.vectors.bytes
    }
}

/// Which indexes go for reasons of the caller, beside those of the rules.
pub type Extra = BTreeMap<(usize, usize), PruneReason>;

/// Removes the indexes that the rules and the caller give up, then others by last use until under the quotas. A dry
/// run removes nothing. `is_needed` is asked again of each index right before it goes.
pub fn prune(
    home: &Home,
    repositories: &[RepositoryIndexes],
    rules: &RetentionRules,
    extra: Extra,
    now_ms: i64,
    dry_run: bool,
    is_needed: &dyn Fn(&Pointer) -> bool,
) -> Pruned {
    let mut doomed = extra;
    for (place, reason) in policy::expired(repositories, rules, now_ms) {
        doomed.insert(place, reason);
    }
    let mut run = Run {
        home,
        is_needed,
        is_dry: dry_run,
        done: Pruned::default(),
    };
    let mut room: Vec<u64> = repositories.iter().map(RepositoryIndexes::bytes).collect();
    for (&(at, n), reason) in &doomed {
        room[at] -= run.remove(&repositories[at].entries[n], *reason);
    }
    let order = policy::by_last_use(repositories);
    for &(at, n) in order.iter().filter(|place| !doomed.contains_key(place)) {
        let is_over = room[at] > rules.repo_bytes || room.iter().sum::<u64>() > rules.total_bytes;
        if is_over {
            room[at] -= run.remove(&repositories[at].entries[n], PruneReason::Quota);
        }
    }
    run.done
}

struct Run<'a> {
    home: &'a Home,
    is_needed: &'a dyn Fn(&Pointer) -> bool,
    is_dry: bool,
    done: Pruned,
}

impl Run<'_> {
    /// Returns how much less room the index takes now.
    fn remove(&mut self, entry: &PruneCandidate, reason: PruneReason) -> u64 {
        let pointer = &entry.pointer;
        let repo = self.home.repo(&pointer.repo_id);
        let removal = if !self.is_dry {
            remove::remove(&repo, pointer, || (self.is_needed)(pointer))
        } else if remove::is_in_use(&repo, pointer) {
            Ok(IndexRemoval::InUse)
        } else {
            Ok(IndexRemoval::Done(entry.bytes))
        };
        match removal {
            Ok(IndexRemoval::Done(bytes)) => {
                let (index_id, branch) = (&pointer.index_id, &pointer.branch);
                if !self.is_dry {
                    tracing::info!(
                        index_id,
                        ?branch,
                        bytes,
                        reason = reason.as_str(),
                        "removed"
                    );
                }
                self.done.removed.push(RemovedIndex {
                    pointer: pointer.clone(),
                    bytes,
                    reason,
                });
                entry.room()
            }
            Ok(IndexRemoval::InUse) => {
                self.done.in_use.push(pointer.clone());
                0
            }
            Ok(IndexRemoval::Changed | IndexRemoval::Needed) => 0,
            Err(error) => {
                tracing::warn!(index_id = pointer.index_id, %error, "could not be removed");
                0
            }
        }
    }
}
