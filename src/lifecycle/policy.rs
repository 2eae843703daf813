//! Which indexes are kept: a pure function of the facts about them and their repositories.
//!
//! An unknown fact speaks for keeping.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::model::{BUNDLE_SOURCE, COMMIT_SOURCE, CommitId};
use crate::store::{Pointer, SCHEMA_VERSION};

/// The rules by which indexes are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetentionRules {
    /// How long an index may be unused, in days.
    pub unused_days: u32,
    /// How long the index of a commit that is no branch's tip may be unused, in days.
    pub unused_commit_days: u32,
    /// How many indexes of commits that a branch has left are kept for each branch of a work tree.
    pub n_superseded: usize,
    /// How long an index may be unused before it is frozen, in hours; 0: none is.
    pub freeze_after_hours: u32,
    /// How many bytes the indexes of one repository may take.
    pub repo_bytes: u64,
    /// How many bytes all indexes may take.
    pub total_bytes: u64,
}

/// For how long `HEAD`'s log speaks for a commit that a branch has left, in days.
pub const RECENT_DAYS: u32 = 7;

/// Why an index goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PruneReason {
    /// Its branch, work tree or repository was deleted.
    Gone,
    /// Its branch moved on, or a newer version of this program reads it no more.
    Superseded,
    /// It was not used for long, or the next job starts from another one.
    Unused,
    /// There are more bytes than the quota allows, and others were used later.
    Quota,
}

impl PruneReason {
    /// Returns the word used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Superseded => "superseded",
            Self::Unused => "unused",
            Self::Quota => "quota",
        }
    }
}

/// The known state of a repository.
#[derive(Clone, Debug)]
pub enum RepositoryState {
    /// It was deleted, and there is evidence of that.
    Gone,
    /// It cannot be read now: nothing is concluded from that.
    Unknown,
    /// It was read.
    Known(RepositoryRefs),
}

/// A repository's branches, work trees and logs, as far as they were read.
#[derive(Clone, Debug, Default)]
pub struct RepositoryRefs {
    /// Its branches with their tips.
    pub tips: BTreeMap<String, BTreeSet<CommitId>>,
    /// Its work trees, with where their `HEAD`s were lately; `None` where that is not known.
    pub worktrees: BTreeMap<String, Option<BTreeSet<CommitId>>>,
}

/// An index as the rules of retention see it: one of which it is not known whether it is active or pinned counts as both.
#[derive(Clone, Debug)]
pub struct PruneCandidate {
    /// The repository, work tree, branch and commit of the index.
    pub pointer: Pointer,
    /// The bytes that its files take on the disk.
    pub bytes: u64,
    /// Its part of the files that the frozen indexes of its repository share; 0 where it is awake.
    pub shared_bytes: u64,
    /// When it was last opened, in milliseconds since the Unix epoch; 0 where that is not known.
    pub last_used_ms: i64,
    /// Whether its commit is checked out in any work tree, or may be.
    pub is_active: bool,
    /// Whether a pinned context was saved on it, or may have been.
    pub is_pinned: bool,
}

/// A repository with its indexes.
#[derive(Clone, Debug)]
pub struct RepositoryIndexes {
    /// The repository's state.
    pub state: RepositoryState,
    /// Its indexes.
    pub entries: Vec<PruneCandidate>,
}

impl RepositoryIndexes {
    /// Returns the bytes that all its indexes take on the disk.
    pub fn bytes(&self) -> u64 {
        self.entries.iter().map(PruneCandidate::room).sum()
    }
}

impl PruneCandidate {
    /// Returns the bytes that it takes, with its part of what it shares.
    pub fn room(&self) -> u64 {
        self.bytes + self.shared_bytes
    }
}

/// How many indexes of a work tree are never frozen: those that were used last.
const N_AWAKE: usize = 3;

/// Returns the indexes of a repository that are to be frozen, the one used longest ago first: unused for long, or not among the
/// last of their work tree. A checked-out one stays awake.
///
/// ```text
/// work tree main, used 5 min, 6 min, 7 min, 8 min and 2 h ago   → 2 h, 8 min
/// ```
pub fn cold(repository: &RepositoryIndexes, rules: &RetentionRules, now_ms: i64) -> Vec<usize> {
    if rules.freeze_after_hours == 0 {
        return Vec::new();
    }
    let oldest_ms = now_ms - i64::from(rules.freeze_after_hours) * 3_600_000;
    let entries = &repository.entries;
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|n| Reverse((entries[*n].is_active, entries[*n].last_used_ms)));
    let mut n_later: BTreeMap<&str, usize> = BTreeMap::new();
    order.retain(|n| {
        let entry = &entries[*n];
        let n_later = n_later.entry(&entry.pointer.worktree_id).or_default();
        *n_later += 1;
        !entry.is_active && (*n_later > N_AWAKE || entry.last_used_ms < oldest_ms)
    });
    order.reverse();
    order
}

/// Returns why an index goes for its own sake, for each that does, as (repository, index).
pub fn expired(
    repositories: &[RepositoryIndexes],
    rules: &RetentionRules,
    now_ms: i64,
) -> BTreeMap<(usize, usize), PruneReason> {
    let mut doomed = BTreeMap::new();
    for (at, repository) in repositories.iter().enumerate() {
        let mut groups: BTreeMap<(&str, Option<&str>), Vec<usize>> = BTreeMap::new();
        for (n, entry) in repository.entries.iter().enumerate() {
            if !is_kept(entry)
                && let Some(reason) = own_reason(entry, &repository.state, rules, now_ms)
            {
                doomed.insert((at, n), reason);
                continue;
            }
            if entry.pointer.is_of_commit() {
                // No branch leaves it behind: it was asked for by itself.
                continue;
            }
            let group = (
                entry.pointer.worktree_id.as_str(),
                entry.pointer.branch.as_deref(),
            );
            groups.entry(group).or_default().push(n);
        }
        let RepositoryState::Known(known) = &repository.state else {
            continue;
        };
        for group in groups.into_values() {
            let gone = superseded(&repository.entries, group, known, rules);
            doomed.extend(gone.into_iter().map(|n| ((at, n), PruneReason::Superseded)));
        }
    }
    doomed
}

/// Returns the indexes that a quota may take, the ones used longest ago first.
pub fn by_last_use(repositories: &[RepositoryIndexes]) -> Vec<(usize, usize)> {
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (at, repository) in repositories.iter().enumerate() {
        order.extend((0..repository.entries.len()).map(|n| (at, n)));
    }
    order.retain(|(at, n)| !is_kept(&repositories[*at].entries[*n]));
    order.sort_by_key(|(at, n)| {
        let entry = &repositories[*at].entries[*n];
        (
            entry.last_used_ms,
            Reverse(entry.bytes),
            entry.pointer.index_id.clone(),
        )
    });
    order
}

fn is_kept(entry: &PruneCandidate) -> bool {
    entry.is_active || entry.is_pinned
}

fn own_reason(
    entry: &PruneCandidate,
    state: &RepositoryState,
    rules: &RetentionRules,
    now_ms: i64,
) -> Option<PruneReason> {
    const DAY_MS: i64 = 86_400_000;
    match state {
        RepositoryState::Gone => return Some(PruneReason::Gone),
        RepositoryState::Unknown => {}
        RepositoryState::Known(known) => {
            // Imported indexes and those of commits belong to no work tree and no branch.
            let is_apart =
                [BUNDLE_SOURCE, COMMIT_SOURCE].contains(&entry.pointer.worktree_id.as_str());
            if !is_apart && !known.worktrees.contains_key(&entry.pointer.worktree_id) {
                return Some(PruneReason::Gone);
            }
            if let Some(branch) = &entry.pointer.branch
                && !known.tips.contains_key(branch)
            {
                return Some(PruneReason::Gone);
            }
        }
    }
    if entry.pointer.schema_version < SCHEMA_VERSION {
        return Some(PruneReason::Superseded);
    }
    let is_tip = match state {
        RepositoryState::Known(known) => entry
            .pointer
            .head()
            .is_some_and(|head| known.tips.values().any(|tips| tips.contains(&head))),
        // What is not known speaks for keeping.
        RepositoryState::Unknown | RepositoryState::Gone => true,
    };
    let days = if entry.pointer.is_of_commit() && !is_tip {
        rules.unused_commit_days.min(rules.unused_days)
    } else {
        rules.unused_days
    };
    let unused_ms = now_ms.saturating_sub(entry.last_used_ms);
    (unused_ms > i64::from(days) * DAY_MS).then_some(PruneReason::Unused)
}

/// Returns the superseded indexes of one branch of one work tree: of those whose commit the branch has left only the
/// latest stay, and those only while `HEAD`'s log knows the way back. Where the tip has no index, the latest stays in
/// any case: the tip's index will start from it.
fn superseded(
    entries: &[PruneCandidate],
    group: Vec<usize>,
    known: &RepositoryRefs,
    rules: &RetentionRules,
) -> Vec<usize> {
    let is_tip = |n: &usize| {
        let pointer = &entries[*n].pointer;
        let tips = pointer
            .branch
            .as_ref()
            .and_then(|branch| known.tips.get(branch));
        match (tips, pointer.head()) {
            (Some(tips), Some(head)) => tips.contains(&head),
            _ => false,
        }
    };
    let (tips, mut left): (Vec<usize>, Vec<usize>) = group.into_iter().partition(is_tip);
    left.retain(|n| !is_kept(&entries[*n]));
    left.sort_by_key(|n| {
        (
            Reverse(entries[*n].last_used_ms),
            entries[*n].pointer.index_id.clone(),
        )
    });
    let first = usize::from(tips.is_empty());
    let mut n_kept = 0;
    left.retain(|n| {
        let pointer = &entries[*n].pointer;
        let recent = known
            .worktrees
            .get(&pointer.worktree_id)
            .and_then(Option::as_ref);
        let is_near = match (recent, pointer.head()) {
            (Some(recent), Some(head)) => recent.contains(&head),
            (None, _) => true,
            (Some(_), None) => false,
        };
        let stays = n_kept < rules.n_superseded && (is_near || n_kept < first);
        n_kept += usize::from(stays);
        !stays
    });
    left
}

#[cfg(test)]
mod tests {
    use super::{PruneCandidate, RepositoryIndexes, RepositoryState, RetentionRules, cold};
    use crate::store::Pointer;

    const HOUR_MS: i64 = 3_600_000;

    fn candidate(worktree: &str, hours_ago: i64, is_active: bool) -> PruneCandidate {
        PruneCandidate {
            pointer: Pointer {
                index_id: String::new(),
                build: String::new(),
                repo_id: String::new(),
                worktree_id: worktree.to_owned(),
                work_dir: "/x".into(),
                branch: None,
                head_sha: None,
                schema_version: 1,
            },
            bytes: 1,
            shared_bytes: 0,
            last_used_ms: (100 - hours_ago) * HOUR_MS,
            is_active,
            is_pinned: false,
        }
    }

    fn frozen(entries: Vec<PruneCandidate>, freeze_after_hours: u32) -> Vec<usize> {
        let repository = RepositoryIndexes {
            state: RepositoryState::Unknown,
            entries,
        };
        let rules = RetentionRules {
            unused_days: 14,
            unused_commit_days: 3,
            n_superseded: 2,
            freeze_after_hours,
            repo_bytes: 0,
            total_bytes: 0,
        };
        cold(&repository, &rules, 100 * HOUR_MS)
    }

    #[test]
    fn unused_indexes_freeze_and_those_beyond_the_last_of_a_work_tree() {
        let used = |hours: &[i64]| {
            hours
                .iter()
                .map(|it| candidate("main", *it, false))
                .collect()
        };
        assert_eq!(frozen(used(&[0, 1, 2]), 1), [2]);
        assert_eq!(frozen(used(&[4, 3, 2, 1, 0]), 24), [0, 1]);
        assert_eq!(frozen(used(&[4, 3, 2, 1, 0]), 0), [0_usize; 0]);
        let trees = vec![
            candidate("main", 5, true),
            candidate("worktrees/b", 0, false),
            candidate("main", 3, false),
            candidate("main", 2, false),
            candidate("main", 1, false),
        ];
        assert_eq!(frozen(trees, 24), [2], "the active one counts, and stays");
    }
}
