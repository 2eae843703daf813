//! Commits of interest: branches, work trees, and the places where `HEAD` was lately.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::model::{CommitId, Snapshot};

use super::error::boxed;
use super::reftable::{RefTarget, Reftable};
use super::{GitError, Repo};

/// How many entries of a log are read, the latest first.
const MAX_LOG: usize = 20_000;

/// The branches of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branches {
    /// Local branches by their short names, with their tips.
    pub local: BTreeMap<String, CommitId>,
    /// Branches of remotes by their names there, with the tips that were fetched last.
    pub remote: BTreeMap<String, BTreeSet<CommitId>>,
    /// The branch that a remote calls its default; `None` where it was never asked.
    pub default: Option<String>,
}

/// A work tree of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// Which one: `main`, or `worktrees/<name>`.
    pub worktree_id: String,
    /// Where it is, as far as known.
    pub work_dir: Option<PathBuf>,
    /// The checked-out branch and commit; `None` where they could not be read.
    pub snapshot: Option<Snapshot>,
    /// The commits that its `HEAD` pointed to since the time asked for; `None` where no log is kept.
    pub recent: Option<BTreeSet<CommitId>>,
}

impl Branches {
    /// Returns the tips of a branch: the local one, else those of remotes; empty where there is none.
    pub fn tips(&self, branch: &str) -> BTreeSet<CommitId> {
        match self.local.get(branch) {
            Some(tip) => BTreeSet::from([tip.clone()]),
            None => self.remote.get(branch).cloned().unwrap_or_default(),
        }
    }

    /// Returns the default branch: the one that a remote calls so, else one with a usual name.
    pub fn default_branch(&self) -> Option<&str> {
        let is_known = |name: &str| self.local.contains_key(name) || self.remote.contains_key(name);
        let named = self.default.as_deref().filter(|name| is_known(name));
        named.or_else(|| {
            ["main", "master", "trunk", "develop"]
                .into_iter()
                .find(|name| is_known(name))
        })
    }
}

impl Repo {
    /// Returns every branch. Costs about a microsecond each.
    ///
    /// # Errors
    /// One that could not be read fails the whole: a branch that is missing in the list is gone.
    pub fn branches(&self) -> Result<Branches, GitError> {
        if let Some(table) = Reftable::of(&self.inner)? {
            return branches_of(&table);
        }
        drop(self.inner.refs.force_refresh_packed_buffer());
        let mut branches = Branches::default();
        let failed = |source| GitError::Head {
            source: boxed(source),
        };
        let platform = self.inner.references().map_err(failed)?;
        for reference in platform.local_branches().map_err(failed)? {
            let reference = reference.map_err(failed)?;
            let name = reference.name().shorten().to_string();
            if let Some(id) = tip(reference) {
                branches.local.insert(name, id);
            }
        }
        for reference in platform.remote_branches().map_err(failed)? {
            let reference = reference.map_err(failed)?;
            let full = reference.name().shorten().to_string();
            let Some((_, name)) = full.split_once('/') else {
                continue;
            };
            if name == "HEAD" {
                let target = reference
                    .target()
                    .try_name()
                    .map(|name| name.shorten().to_string());
                let target = target.and_then(|name| Some(name.split_once('/')?.1.to_owned()));
                branches.default = branches.default.or(target);
            } else if let Some(id) = tip(reference) {
                branches
                    .remote
                    .entry(name.to_owned())
                    .or_default()
                    .insert(id);
            }
        }
        Ok(branches)
    }

    /// Returns the work trees of the repository, with where their `HEAD`s were since `since_s`, in
    /// seconds since the Unix epoch.
    ///
    /// # Errors
    /// One that could not be listed fails the whole: a work tree that is missing in the list is gone.
    pub fn checkouts(&self, since_s: i64) -> Result<Vec<Checkout>, GitError> {
        let failed = |source| GitError::Head {
            source: boxed(source),
        };
        let mut found = Vec::new();
        let main = self.inner.main_repo().map_err(failed)?;
        if main.workdir().is_some() {
            found.push(checkout(
                "main".to_owned(),
                main.workdir().map(ToOwned::to_owned),
                &main,
                since_s,
            ));
        }
        for proxy in self.inner.worktrees().map_err(failed)? {
            let id = format!("worktrees/{}", proxy.id().map_err(failed)?);
            let base = proxy.base().ok();
            match proxy.into_repo_with_possibly_inaccessible_worktree() {
                Ok(repo) => found.push(checkout(id, base, &repo, since_s)),
                Err(_) => found.push(Checkout {
                    worktree_id: id,
                    work_dir: base,
                    snapshot: None,
                    recent: None,
                }),
            }
        }
        Ok(found)
    }

    /// Returns the best common ancestor of two commits; `None` where there is none, or history is cut
    /// off before it.
    pub fn merge_base(&self, one: &CommitId, two: &CommitId) -> Option<CommitId> {
        let id = |commit: &CommitId| gix::ObjectId::from_hex(commit.as_str().as_bytes()).ok();
        let base = self.inner.merge_base(id(one)?, id(two)?).ok()??;
        CommitId::new(&base.to_hex().to_string())
    }
}

impl Repo {
    /// Returns the ancestors of a commit, at most so many, the newest by their dates first; as far as this clone has them.
    pub fn ancestors(&self, commit: &CommitId, at_most: usize) -> Vec<CommitId> {
        let newest_first = gix::revision::walk::Sorting::ByCommitTime(
            gix::traverse::commit::simple::CommitTimeOrder::NewestFirst,
        );
        let id = gix::ObjectId::from_hex(commit.as_str().as_bytes()).ok();
        let walk = id.and_then(|id| self.inner.rev_walk([id]).sorting(newest_first).all().ok());
        let found = walk
            .into_iter()
            .flatten()
            .map_while(std::result::Result::ok);
        found
            .skip(1)
            .take(at_most)
            .filter_map(|info| CommitId::new(&info.id.to_hex().to_string()))
            .collect()
    }

    /// Returns the root tree of a commit, in hexadecimal digits; `None` where this clone does not have it.
    pub fn root_tree(&self, commit: &CommitId) -> Option<String> {
        let id = gix::ObjectId::from_hex(commit.as_str().as_bytes()).ok()?;
        let tree = self.inner.find_commit(id).ok()?.tree_id().ok()?;
        Some(tree.to_hex().to_string())
    }

    /// Returns how many commits `to` has that `from`, an ancestor of it, has not; `None` for more than `at_most`, and where
    /// history is cut off between them.
    pub fn n_commits_between(
        &self,
        from: &CommitId,
        to: &CommitId,
        at_most: usize,
    ) -> Option<usize> {
        let id = |commit: &CommitId| gix::ObjectId::from_hex(commit.as_str().as_bytes()).ok();
        let walk = self.inner.rev_walk([id(to)?]).with_hidden([id(from)?]);
        let mut n_commits = 0;
        for found in walk.all().ok()? {
            found.ok()?;
            n_commits += 1;
            if n_commits > at_most {
                return None;
            }
        }
        Some(n_commits)
    }
}

/// Returns the branches that tables hold.
fn branches_of(table: &Reftable) -> Result<Branches, GitError> {
    let mut branches = Branches::default();
    let id = |id: gix::ObjectId| CommitId::new(&id.to_hex().to_string());
    for (name, target) in table.below("refs/heads/")? {
        let tip = match target {
            RefTarget::Object(tip) => Some(tip),
            RefTarget::Symbolic(target) => table.follow(&target)?.and_then(|followed| followed.id),
        };
        if let Some(tip) = tip.and_then(id) {
            branches.local.insert(name, tip);
        }
    }
    for (full, target) in table.below("refs/remotes/")? {
        let Some((_, name)) = full.split_once('/') else {
            continue;
        };
        match target {
            RefTarget::Object(tip) => {
                let tips = branches.remote.entry(name.to_owned()).or_default();
                tips.extend(id(tip));
            }
            RefTarget::Symbolic(target) if name == "HEAD" => {
                let target = target.strip_prefix("refs/remotes/");
                let target = target.and_then(|target| Some(target.split_once('/')?.1.to_owned()));
                branches.default = branches.default.or(target);
            }
            RefTarget::Symbolic(_) => {}
        }
    }
    Ok(branches)
}

fn checkout(
    worktree_id: String,
    work_dir: Option<PathBuf>,
    repo: &gix::Repository,
    since_s: i64,
) -> Checkout {
    Checkout {
        worktree_id,
        work_dir,
        snapshot: super::head::snapshot_of(repo).ok(),
        recent: recent(repo, since_s),
    }
}

fn recent(repo: &gix::Repository, since_s: i64) -> Option<BTreeSet<CommitId>> {
    // Logs in tables are not read.
    let head = repo.head().ok()?;
    let mut log = head.log_iter();
    let lines = log.rev().ok()??;
    let mut found = BTreeSet::new();
    for line in lines.take(MAX_LOG) {
        let Ok(line) = line else { break };
        found.extend(CommitId::new(&line.new_oid.to_hex().to_string()));
        // The commit that was left then was checked out until then.
        found.extend(CommitId::new(&line.previous_oid.to_hex().to_string()));
        if line.signature.time.seconds < since_s {
            break;
        }
    }
    Some(found)
}

fn tip(mut reference: gix::Reference<'_>) -> Option<CommitId> {
    let id = reference.peel_to_id().ok()?;
    CommitId::new(&id.to_hex().to_string())
}
