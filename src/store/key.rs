//! The key of an index, and the pointer to its current build.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::{Branch, COMMIT_SOURCE, CommitId, Snapshot};

/// Which index: a work tree of a repository and what is checked out in it, or a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexKey {
    /// The repository.
    pub repo_id: String,
    /// The work tree within it; [`COMMIT_SOURCE`] for a commit.
    pub worktree_id: String,
    /// The checked-out branch and commit.
    pub snapshot: Snapshot,
}

impl IndexKey {
    /// Returns `idx_` and 32 hexadecimal digits of a BLAKE3 hash over the key.
    pub fn index_id(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let branch = match &self.snapshot.branch {
            Branch::Named(name) => format!("branch {name}"),
            Branch::Detached => "detached".to_owned(),
        };
        let head = self.snapshot.head.as_ref().map_or("", CommitId::as_str);
        for part in [&self.repo_id, &self.worktree_id, &branch, head] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        format!("idx_{}", &hasher.finalize().to_hex()[..32])
    }
}

/// Which build of an index is current, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pointer {
    /// The index.
    pub index_id: String,
    /// The build: part of the file name, never used twice.
    pub build: String,
    /// The repository.
    pub repo_id: String,
    /// The work tree.
    pub worktree_id: String,
    /// Where that work tree was.
    pub work_dir: PathBuf,
    /// The branch's short name; `None` when detached.
    pub branch: Option<String>,
    /// The commit; `None` when unborn.
    pub head_sha: Option<String>,
    /// The layout of the file.
    pub schema_version: i64,
}

impl Pointer {
    /// Returns whether it is of a commit, whatever is checked out.
    pub fn is_of_commit(&self) -> bool {
        self.worktree_id == COMMIT_SOURCE
    }

    /// Returns the commit.
    pub fn head(&self) -> Option<CommitId> {
        self.head_sha.as_deref().and_then(CommitId::new)
    }
}

/// Returns a name for a build that no other build has: time, process and a counter, hashed.
pub fn new_build() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let time = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&time.as_nanos().to_le_bytes());
    hasher.update(&std::process::id().to_le_bytes());
    hasher.update(&COUNT.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    // A container may give two processes on a shared disk the same number and clock.
    hasher.update(
        &std::hash::BuildHasher::hash_one(&std::collections::hash_map::RandomState::new(), 0_u8)
            .to_le_bytes(),
    );
    hasher.finalize().to_hex()[..12].to_owned()
}

#[cfg(test)]
mod tests {
    use super::{IndexKey, new_build};
    use crate::model::{Branch, COMMIT_SOURCE, CommitId, Snapshot};

    fn key(branch: Branch, head: Option<&str>) -> IndexKey {
        IndexKey {
            repo_id: "r".into(),
            worktree_id: "main".into(),
            snapshot: Snapshot {
                branch,
                head: head.and_then(CommitId::new),
            },
        }
    }

    #[test]
    fn an_index_is_named_by_all_that_it_belongs_to() {
        let sha = "a".repeat(40);
        let named = key(Branch::Named("detached".into()), Some(&sha));
        assert_eq!(named.index_id(), named.clone().index_id());
        assert_eq!(named.index_id().len(), 36);
        let others = [
            key(Branch::Detached, Some(&sha)),
            key(Branch::Named("detached".into()), None),
            key(Branch::Named("main".into()), Some(&sha)),
            IndexKey {
                worktree_id: "worktrees/x".into(),
                ..named.clone()
            },
            IndexKey {
                worktree_id: COMMIT_SOURCE.into(),
                ..key(Branch::Detached, Some(&sha))
            },
        ];
        for other in others {
            assert_ne!(other.index_id(), named.index_id(), "{other:?}");
        }
    }

    #[test]
    fn builds_never_share_a_name() {
        let names: std::collections::BTreeSet<String> = (0..1000).map(|_| new_build()).collect();
        assert_eq!(names.len(), 1000);
    }
}
