//! The files that differ between two states of a repository, with the text that they had: what the base of a comparison is,
//! and what its other side is.
//!
//! The texts come from git and the disk, not from an index.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Revision, Workspace, comparison_cache, view};
use crate::error::{Error, Result};
use crate::git::{Checkout, Repo, Source, TreeEntry};
use crate::model::indexing_rules::{MAX_FILE_BYTES, is_secret_name};
use crate::model::{Branch, Budget, COMMIT_SOURCE, CommitId, ContentId, RepoPath, Snapshot};
use crate::reconcile::{self, prepare::decode};
use crate::store::{Index, IndexKey, Read};

/// Files that are compared.
const MAX_FILES: usize = 20_000;

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparisonSide {
    /// As it is called: `main`, `worktree`.
    pub name: String,
    /// Its commit, that of `HEAD` for a work tree; `None` before the first one.
    pub commit: Option<CommitId>,
    /// Whether it is a work tree with its uncommitted edits.
    pub is_work_tree: bool,
}

/// A file that differs between two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferingFile {
    /// Where it is.
    pub path: RepoPath,
    /// As it was; `None` where it was not there.
    pub old: Option<FileVersion>,
    /// As it is; `None` where it is not there.
    pub new: Option<FileVersion>,
}

/// A file that git lists as different although no line of it is: its mode, its line ends or the target of a symbolic link differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncomparedFile {
    /// Where it is.
    pub path: RepoPath,
    /// Whether each state has it, the old one first.
    pub is_there: (bool, bool),
}

/// A file in one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileVersion {
    /// Its bytes; `None` where they could not be read: too large, a secret by its name, not in this clone.
    pub content: Option<ContentId>,
    /// Its text as it would be indexed; `None` for binary files too.
    pub text: Option<Arc<str>>,
}

/// Two states and what differs between them.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The earlier state.
    pub base: ComparisonSide,
    /// The later one.
    pub head: ComparisonSide,
    /// The files that differ, by path.
    pub files: Vec<DifferingFile>,
    /// Further files that git lists, by path: no text of them is compared.
    pub listed: Vec<UncomparedFile>,
    /// Whether all files were compared.
    pub is_complete: bool,
}

/// The index of a state.
pub struct StateIndex<'k> {
    /// Its rows, which say which bytes they are of.
    pub read: Read<'k>,
    /// Whether they are proved to be of all files of the state, and linked.
    pub is_proved: bool,
}

/// A state to compare with, by the name that a caller gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Other {
    /// A branch, or any other commit.
    Commit(ComparisonSide),
    /// Another work tree of the repository: its state, and where it is.
    WorkTree(ComparisonSide, std::path::PathBuf),
}

impl ComparisonSide {
    /// Returns the commit as a question is asked about it; `None` for a work tree.
    pub fn revision(&self) -> Option<Revision> {
        let commit = self.commit.clone().filter(|_| !self.is_work_tree)?;
        let name = self.name.clone();
        Some(Revision { name, commit })
    }
}

impl Other {
    /// Returns its state.
    pub fn state(&self) -> &ComparisonSide {
        match self {
            Self::Commit(state) | Self::WorkTree(state, _) => state,
        }
    }
}

impl Workspace {
    /// Returns the base and the head that a caller names. Without a base it is where the head left the default branch;
    /// `main...` is where it left `main`.
    ///
    /// # Errors
    /// `invalid_argument` for a name that nothing has, and where there is no default branch or no common commit.
    pub fn states(
        &self,
        base: Option<&str>,
        head: Option<&str>,
    ) -> Result<(ComparisonSide, ComparisonSide)> {
        let repo = self.repo()?;
        let head = match head {
            None => Self::own_state(&repo)?,
            Some(name) => ComparisonSide {
                commit: Some(self.commit_of("head", name)?),
                name: name.to_owned(),
                is_work_tree: false,
            },
        };
        let Some(own) = &head.commit else {
            let base = base.map(|name| name.strip_suffix("...").unwrap_or(name));
            let name = base.unwrap_or("the empty tree").to_owned();
            let commit = base.map(|name| self.commit_of("base", name)).transpose()?;
            let is_work_tree = false;
            return Ok((
                ComparisonSide {
                    name,
                    commit,
                    is_work_tree,
                },
                head,
            ));
        };
        let (name, from) = match base {
            Some(name) => match name.strip_suffix("...") {
                None => {
                    let commit = Some(self.commit_of("base", name)?);
                    let name = name.to_owned();
                    let is_work_tree = false;
                    return Ok((ComparisonSide { name, commit, is_work_tree }, head));
                }
                Some(name) => (name.to_owned(), self.commit_of("base", name)?),
            },
            None => default_branch(&repo)?.ok_or_else(|| {
                Error::invalid(
                    "there is no default branch to compare with: no remote names one, and there is no `main`, `master`, `trunk` or `develop`",
                    "pass `base`: a branch, a tag or a commit",
                )
            })?,
        };
        let Some(commit) = repo.merge_base(own, &from) else {
            return Err(Error::invalid(
                format!(
                    "`{}` and `{}` have no commit in common in this clone",
                    view::cut_argument(&name),
                    head.name
                ),
                "pass `base`: a branch, a tag or a commit; in a shallow clone fetch more history first",
            ));
        };
        let state = ComparisonSide {
            name: format!("merge base with {name}"),
            commit: Some(commit),
            is_work_tree: false,
        };
        Ok((state, head))
    }

    fn own_state(repo: &Repo) -> Result<ComparisonSide> {
        let commit = repo.snapshot()?.head;
        let is_work_tree = !repo.is_bare();
        let name = if is_work_tree { "worktree" } else { "HEAD" };
        Ok(ComparisonSide {
            name: name.to_owned(),
            commit,
            is_work_tree,
        })
    }

    /// Returns the commit of a name that a field of the input gives.
    fn commit_of(&self, field: &str, name: &str) -> Result<CommitId> {
        Ok(self.revision_of(field, name)?.commit)
    }

    /// Returns the states that a caller names to compare with: branches and other commits, linked work trees by the
    /// names of their directories, or `worktrees` for all of them.
    ///
    /// # Errors
    /// `invalid_argument` for a name that nothing has.
    pub fn others(&self, names: &[String]) -> Result<Vec<Other>> {
        let repo = self.repo()?;
        let mut all = Vec::new();
        for name in names {
            let trees = other_work_trees(&repo)?;
            if name == "worktrees" {
                all.extend(trees);
                continue;
            }
            let tree = trees.into_iter().find(|tree| tree.state().name == *name);
            match tree {
                // A branch that is checked out elsewhere by the name of its directory is asked with its edits.
                Some(tree) => all.push(tree),
                None => all.push(Other::Commit(ComparisonSide {
                    commit: Some(self.commit_of("with", name)?),
                    name: name.clone(),
                    is_work_tree: false,
                })),
            }
        }
        Ok(all)
    }

    /// Returns where two commits left each other; `None` where they have none in common.
    pub fn merge_base(&self, one: &CommitId, two: &CommitId) -> Result<Option<CommitId>> {
        Ok(self.repo()?.merge_base(one, two))
    }

    /// Returns the files that differ between two states, with their texts. Costs a comparison of two trees, a pass over the
    /// work tree where one is asked, and the reading of the files that differ.
    pub fn compare(
        &self,
        base: ComparisonSide,
        head: ComparisonSide,
        interrupt: &Arc<AtomicBool>,
    ) -> Result<Comparison> {
        let repo = self.repo()?;
        let key = comparison_cache::key_of(&repo, &base, &head);
        let known = key.as_ref().and_then(comparison_cache::kept);
        if let Some((files, listed)) = known {
            let is_complete = true;
            return Ok(Comparison {
                base,
                head,
                files,
                listed,
                is_complete,
            });
        }
        let compared = compare(&repo, &repo, base, head, interrupt)?;
        if let Some(key) = key {
            comparison_cache::keep(key, &compared);
        }
        Ok(compared)
    }

    /// Calls `then` with the index of a state, where there is a commit's and it can be read. None is made, and none brought up:
    /// its rows say which bytes they are of.
    pub fn with_index_of<T>(
        &self,
        state: &ComparisonSide,
        then: impl FnOnce(Option<&StateIndex<'_>>) -> T,
    ) -> T {
        let Some(index) = self.index_of(state) else {
            return then(None);
        };
        let made = match index.read() {
            Ok(read) => {
                let is_proved = self.is_proved(state, &read);
                then(Some(&StateIndex { read, is_proved }))
            }
            Err(_) => then(None),
        };
        self.keep(index);
        made
    }

    fn is_proved(&self, state: &ComparisonSide, read: &Read<'_>) -> bool {
        let repo = |commit| self.repo_at_commit(commit).ok();
        let repo = state.commit.as_ref().and_then(repo);
        repo.is_some_and(|repo| reconcile::is_of_commit(&repo, read).unwrap_or(false))
    }

    fn index_of(&self, state: &ComparisonSide) -> Option<Index> {
        let commit = state.commit.as_ref().filter(|_| !state.is_work_tree)?;
        let key = IndexKey {
            repo_id: self.repo().ok()?.repo_id(),
            worktree_id: COMMIT_SOURCE.to_owned(),
            snapshot: Snapshot {
                branch: Branch::Detached,
                head: Some(commit.clone()),
            },
        };
        let home = self.home.repo(&key.repo_id);
        self.idle_index(&key).or_else(|| {
            let pointer = home.pointer(&key.index_id()).or_else(|| {
                // The work tree that has it checked out, or had.
                let mut pointers = home.pointers().into_iter();
                pointers.find(|pointer| pointer.head().as_ref() == Some(commit))
            })?;
            self.idle_build(&pointer)
                .or_else(|| Index::open(&home, pointer).ok())
        })
    }

    /// Returns the files that differ between a commit and another state of the repository.
    pub fn compare_other(
        &self,
        base: ComparisonSide,
        other: &Other,
        interrupt: &Arc<AtomicBool>,
    ) -> Result<Comparison> {
        let repo = self.repo()?;
        match other {
            Other::Commit(state) => compare(&repo, &repo, base, state.clone(), interrupt),
            Other::WorkTree(state, dir) => {
                let there = Repo::discover(dir)?;
                let rules = self.repository_settings(&there).indexing_rules;
                let there = there.with_indexing_rules(rules);
                compare(&repo, &there, base, state.clone(), interrupt)
            }
        }
    }
}

/// Compares a commit of `repo` with a commit, or with the work tree of `there`.
fn compare(
    repo: &Repo,
    there: &Repo,
    base: ComparisonSide,
    head: ComparisonSide,
    interrupt: &Arc<AtomicBool>,
) -> Result<Comparison> {
    let budget = Budget::unlimited(Arc::clone(interrupt));
    let mut paths = repo.differing_paths(base.commit.as_ref(), head.commit.as_ref())?;
    let mut is_complete = true;
    // A file that was committed and is edited may be as it was.
    let mut may_be_same = HashSet::new();
    if head.is_work_tree {
        let dirty = there.dirty(&budget)?;
        is_complete &= dirty.complete;
        let committed: HashSet<&RepoPath> = paths.iter().collect();
        let both = dirty.paths.iter().filter(|it| committed.contains(it));
        may_be_same = both.cloned().collect();
        paths.extend(dirty.paths);
        paths.extend(there.moved_submodules()?);
        paths.sort_unstable();
        paths.dedup();
    }
    is_complete &= paths.len() <= MAX_FILES;
    paths.truncate(MAX_FILES);
    let old_files = repo.source_at(base.commit.as_ref())?;
    // What a sparse checkout leaves out is as it is in `HEAD`.
    let mut left_out = HashSet::new();
    if head.is_work_tree {
        left_out.extend(there.files_not_checked_out()?);
    }
    let of_head = (!left_out.is_empty()).then(|| there.source_at(head.commit.as_ref()));
    let of_head = of_head.transpose()?;
    let of_commit;
    let new_files = if head.is_work_tree {
        there.source()
    } else {
        of_commit = repo.source_at(head.commit.as_ref())?;
        &of_commit
    };
    let mut files = Vec::with_capacity(paths.len());
    let mut listed = Vec::new();
    for path in paths {
        if budget.is_cancelled() {
            return Err(Error::cancelled());
        }
        let read = |source: &Source| version(&path, |limit| Ok(source.read(&path, limit)?.bytes));
        let new_files = match &of_head {
            Some(of_head) if left_out.contains(&path) => of_head,
            _ => new_files,
        };
        let (old, new) = (read(&old_files), read(new_files));
        let is_same = match (&old, &new) {
            (None, None) => true,
            (Some(old), Some(new)) => {
                let is_alike = |one: &str, other: &str| one.lines().eq(other.lines());
                let texts = old.text.as_deref().zip(new.text.as_deref());
                old.content.is_some() && old.content == new.content
                    || texts.is_some_and(|(one, other)| is_alike(one, other))
            }
            _ => false,
        };
        if !is_same {
            files.push(DifferingFile { path, old, new });
        } else if !may_be_same.contains(&path) {
            let has_module = |source: &Source| source.entry(&path) == Some(TreeEntry::Submodule);
            // Of a work tree the staging area says it, which is read where there is no file alone.
            let is_module_there = || head.is_work_tree && there.is_submodule(&path);
            let is_there = (
                old_files.has_entry(&path) || has_module(&old_files),
                new_files.has_entry(&path) || has_module(new_files) || is_module_there(),
            );
            if is_there != (false, false) {
                listed.push(UncomparedFile { path, is_there });
            }
        }
    }
    Ok(Comparison {
        base,
        head,
        files,
        listed,
        is_complete,
    })
}

/// Reads one version of a file; `None` where there is none.
fn version(
    path: &RepoPath,
    read: impl FnOnce(u64) -> std::result::Result<Vec<u8>, crate::git::ReadError>,
) -> Option<FileVersion> {
    use crate::git::ReadError;
    let unread = Some(FileVersion {
        content: None,
        text: None,
    });
    match read(MAX_FILE_BYTES) {
        Ok(bytes) => {
            let is_shown =
                !is_secret_name(path) && !bytes.iter().take(8_000).any(|byte| *byte == 0);
            Some(FileVersion {
                content: Some(ContentId::of(&bytes)),
                text: is_shown.then(|| decode(&bytes).into()),
            })
        }
        Err(ReadError::Missing | ReadError::NotAFile | ReadError::Outside) => None,
        Err(ReadError::TooLarge { .. } | ReadError::Io(_) | ReadError::NoBlob) => unread,
    }
}

/// Returns the default branch with its tip: as `origin` has it where that says which one it is, else the local one.
fn default_branch(repo: &Repo) -> Result<Option<(String, CommitId)>> {
    let branches = repo.branches()?;
    let Some(name) = branches.default_branch() else {
        return Ok(None);
    };
    let mut names = [name.to_owned(), format!("origin/{name}")];
    if repo.commit_named("refs/remotes/origin/HEAD").is_ok() {
        names.reverse();
    }
    let mut found = names
        .into_iter()
        .filter_map(|name| Some((repo.commit_named(&name).ok()?, name)));
    Ok(found.next().map(|(commit, name)| (name, commit)))
}

fn other_work_trees(repo: &Repo) -> Result<Vec<Other>> {
    let own = repo.worktree_id();
    let mut found = Vec::new();
    for checkout in repo.checkouts(i64::MAX)? {
        let Checkout {
            worktree_id,
            work_dir: Some(dir),
            snapshot: Some(snapshot),
            ..
        } = checkout
        else {
            continue;
        };
        if worktree_id == own || !dir.is_dir() {
            continue;
        }
        let name = match worktree_id.strip_prefix("worktrees/") {
            Some(name) => name.to_owned(),
            None => match &snapshot.branch {
                Branch::Named(name) => name.clone(),
                Branch::Detached => worktree_id.clone(),
            },
        };
        let state = ComparisonSide {
            name,
            commit: snapshot.head,
            is_work_tree: true,
        };
        found.push(Other::WorkTree(state, dir));
    }
    Ok(found)
}
