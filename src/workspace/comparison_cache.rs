//! The commits that were compared last: another question about them reads no objects.

use super::comparison::{Comparison, ComparisonSide, DifferingFile, FileVersion, UncomparedFile};
use crate::git::Repo;
use crate::model::{CommitId, LruCache, MAX_COMPARISON_BYTES};

/// Comparisons that are kept.
const MAX_VALUES: usize = 4;

/// Two commits of a repository; `None` for the empty tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ComparisonKey {
    repo_id: String,
    base: Option<CommitId>,
    head: Option<CommitId>,
}

/// The lists of a comparison.
type ComparedFiles = (Vec<DifferingFile>, Vec<UncomparedFile>);

static CACHE: LruCache<ComparisonKey, ComparedFiles> = LruCache::new(MAX_VALUES);

impl Comparison {
    /// Whether its texts are few enough for what is made from them to be kept.
    pub fn is_small(&self) -> bool {
        let texts = self.versions().filter_map(|it| it.text.as_deref());
        texts.map(str::len).sum::<usize>() <= MAX_COMPARISON_BYTES
    }

    /// Returns the files of both sides that could be compared.
    pub fn versions(&self) -> impl Iterator<Item = &FileVersion> {
        let sides = self.files.iter().flat_map(|file| [&file.old, &file.new]);
        sides.flatten()
    }
}

/// Returns the key of a comparison; `None` where a work tree is compared.
pub(super) fn key_of(
    repo: &Repo,
    base: &ComparisonSide,
    head: &ComparisonSide,
) -> Option<ComparisonKey> {
    let is_fixed = !base.is_work_tree && !head.is_work_tree;
    is_fixed.then(|| ComparisonKey {
        repo_id: repo.repo_id(),
        base: base.commit.clone(),
        head: head.commit.clone(),
    })
}

/// Returns the files that differ, where the commits were compared before.
pub(super) fn kept(key: &ComparisonKey) -> Option<ComparedFiles> {
    CACHE.get(key)
}

/// Keeps a comparison all of whose bytes could be read: those that are not in this clone may come.
pub(super) fn keep(key: ComparisonKey, compared: &Comparison) {
    let is_read = compared.versions().all(|it| it.content.is_some());
    if !compared.is_complete || !is_read || !compared.is_small() {
        return;
    }
    CACHE.insert(key, (compared.files.clone(), compared.listed.clone()));
}
