//! The keys of a build server's cache, and every repository that has indexes here.

use super::survey::{self, SurveyedRepository};
use super::{Workspace, Workspaces, now_ms, rules_of};
use crate::error::Result;
use crate::lifecycle::policy::RepositoryState;
use crate::lifecycle::prune::{self, Extra};
use crate::model::indexing_rules::POLICY_VERSION;
use crate::store::{Home, RecordKind, RecordStore, SCHEMA_VERSION};
use crate::syntax;

/// The name of a cache, and the beginnings of names that are the next best, best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheKey {
    /// The key under which this job saves its cache.
    pub key: String,
    /// Keys to restore from where that one is missing.
    pub restore_keys: Vec<String>,
}

/// A repository that has a part of the data directory.
#[derive(Clone, Debug)]
pub struct RepositoryEntry {
    /// Where it is, or was: its main work tree; of a bare repository the git directory.
    pub path: String,
    /// `here`, `gone` (it was deleted), or `unknown` (it cannot be read now).
    pub state: &'static str,
    /// How many indexes it has.
    pub n_indexes: u64,
    /// How many of them are of commits, whatever is checked out.
    pub n_commit_indexes: u64,
    /// The bytes that they take on the disk.
    pub bytes: u64,
    /// When one of them was last opened, in milliseconds since the Unix epoch.
    pub last_used_ms: Option<i64>,
    /// How many contexts are saved.
    pub n_contexts: u64,
    /// How many indexes pruning would remove.
    pub n_prunable: u64,
    /// The bytes that it would free.
    pub prunable_bytes: u64,
}

impl Workspace {
    /// Returns the cache keys of this job. `branch` and `default` are names that the server knows and git does not: a
    /// job often has a detached head and no remote branches.
    pub fn cache_key(&self, branch: Option<&str>, default: Option<&str>) -> Result<CacheKey> {
        let repo = self.repo()?;
        let snapshot = repo.snapshot()?;
        let branches = repo.branches()?;
        let project = repo.clone_family().unwrap_or_else(|| repo.repo_id());
        let prefix = format!("codelens-{}-{}-", layout(), &project[..12]);
        let branch = branch
            .or_else(|| snapshot.branch.name())
            .unwrap_or("detached");
        let default = default.or_else(|| branches.default_branch());
        let head = snapshot.head.as_ref().map_or("none", |head| head.as_str());
        let key = format!("{prefix}{}-{head}", plain(branch));
        let mut restore_keys = vec![format!("{prefix}{}-", plain(branch))];
        if let Some(default) = default.filter(|default| *default != branch) {
            let tips = branches.remote.get(default).into_iter().flatten();
            let base = tips
                .chain(branches.local.get(default))
                .find_map(|tip| repo.merge_base(snapshot.head.as_ref()?, tip));
            if let Some(base) = base {
                restore_keys.push(format!("{prefix}{}-{base}", plain(default)));
            }
            restore_keys.push(format!("{prefix}{}-", plain(default)));
        }
        restore_keys.push(prefix);
        Ok(CacheKey { key, restore_keys })
    }
}

impl Workspaces {
    /// Returns every repository that has a part of the data directory, the one with most bytes first.
    pub fn repositories(&self) -> Result<Vec<RepositoryEntry>> {
        let home = Home::at(&self.config.home, &[])?;
        let found = survey::of_all(&home, None);
        let states: Vec<_> = found.iter().map(|found| found.indexes.clone()).collect();
        let rules = rules_of(&self.config);
        let pruned = prune::prune(
            &home,
            &states,
            &rules,
            Extra::new(),
            now_ms(),
            true,
            &|_| false,
        );
        let mut entries: Vec<RepositoryEntry> = found
            .iter()
            .map(|found| {
                let id = found.home.id();
                let gone: Vec<u64> = pruned
                    .removed
                    .iter()
                    .filter(|removed| removed.pointer.repo_id == id)
                    .map(|removed| removed.bytes)
                    .collect();
                RepositoryEntry {
                    n_prunable: gone.len() as u64,
                    prunable_bytes: gone.iter().sum(),
                    ..entry(found)
                }
            })
            .collect();
        entries.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.path.cmp(&b.path)));
        Ok(entries)
    }
}

fn entry(found: &SurveyedRepository) -> RepositoryEntry {
    let entries = &found.indexes.entries;
    let contexts = RecordStore::open_existing(&found.home).ok().flatten();
    let contexts = contexts.and_then(|contexts| contexts.count(Some(RecordKind::Context)).ok());
    let used = entries.iter().map(|entry| entry.last_used_ms).max();
    RepositoryEntry {
        path: match &found.common_dir {
            Some(dir) => super::main_dir(dir).display().to_string(),
            None => found.home.id(),
        },
        state: match found.indexes.state {
            RepositoryState::Known(_) => "here",
            RepositoryState::Gone => "gone",
            RepositoryState::Unknown => "unknown",
        },
        n_indexes: entries.len() as u64,
        n_commit_indexes: entries
            .iter()
            .filter(|entry| entry.pointer.is_of_commit())
            .count() as u64,
        bytes: found.indexes.bytes(),
        last_used_ms: used.filter(|ms| *ms > 0),
        n_contexts: contexts.unwrap_or_default(),
        n_prunable: 0,
        prunable_bytes: 0,
    }
}

/// Returns the versions that decide whether an index can be used again: of its tables, of the indexing rules, and of
/// each language's facts.
pub(super) fn layout() -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&POLICY_VERSION.to_le_bytes());
    for language in syntax::languages() {
        hasher.update(language.id.as_bytes());
        hasher.update(&language.facts_version.to_le_bytes());
    }
    format!("s{SCHEMA_VERSION}f{}", &hasher.finalize().to_hex()[..8])
}

/// Returns a branch's name as a part of a cache's name: letters, digits, `.` and `_` as they are, and
/// where anything else was taken out a few digits of its hash, so that two branches never share one.
fn plain(branch: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._".contains(c);
    let mut text: String = branch
        .chars()
        .take(80)
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect();
    if text != branch {
        text.push('.');
        text.push_str(&blake3::hash(branch.as_bytes()).to_hex()[..8]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_of_branches_stay_apart() {
        assert_eq!(plain("main"), "main");
        assert_ne!(plain("a/b"), plain("a_b"));
        assert_ne!(plain("a/b"), plain("a-b"));
        assert!(plain("ü/ß").is_ascii());
        assert!(!plain("fix-1").contains('-'), "a hyphen ends the name");
    }
}
