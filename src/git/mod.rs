//! The door to git: which work tree this is, which files belong to it, and what differs from `HEAD`.
//!
//! Everything is read from disk in the call that asks, in process, but for the entries of directories that are proved to be
//! unchanged (see `directories`). Nothing of it is written: no refreshed staging area, no lock, no object (`archive_repository` writes those that are CodeLens's own). Nothing that a repository
//! configures is run: no hook, no filter, no file system monitor. Parses no file and knows no index.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::CommitId;
use crate::model::indexing_rules::IndexingRules;
use crate::model::visited::Doubts;

mod archive_repository;
mod attributes;
mod commit;
mod commit_tree;
mod compare;
mod content;
mod directories;
mod directories_bytes;
mod dirty;
mod error;
mod fixes;
mod git_dir;
mod head;
mod history;
mod identity;
mod ignore;
mod kept;
mod lines;
mod listing;
mod open_directory;
mod opened_from;
mod queue;
mod refs;
mod reftable;
mod revision;
mod rules_digest;
mod scan;
mod similarity;
mod source;
mod staging;
mod stale_lock;
mod submodules;
#[cfg(test)]
mod tests;
mod tree;
mod walk;

use commit_tree::CommitTree;

pub use archive_repository::{ArchiveRepository, ArchiveState};
pub use attributes::Attributes;
pub use commit::CommitFiles;
pub use commit_tree::TreeEntry;
pub use content::{FileRead, ReadError, WorkTree};
pub use directories::Directories;
pub use dirty::Dirty;
pub use error::GitError;
pub use head::RepoState;
pub use history::{CommitRecord, History};
pub use ignore::IgnoreSource;
pub use kept::KeptRepo;
pub use lines::{added_lines, differing_lines, merged_lines, n_changed_lines};
pub use refs::{Branches, Checkout};
pub use revision::NoCommit;
pub use scan::Scan;
pub use source::Source;

/// How much memory one call keeps of objects that it read.
const OBJECT_CACHE_BYTES: usize = 4 << 20;

/// An open repository, and the source of which files are asked: its work tree, or a commit ([`Repo::at_commit`]; without
/// a work tree `HEAD`).
///
/// Cheap to open (about 1 ms) and meant to be opened for each call, by [`KeptRepo`] where there are many: configuration is
/// read when it is opened, everything else when it is asked for.
pub struct Repo {
    inner: gix::Repository,
    work_dir: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    source: Source,
    /// Names of the filter drivers that were configured, all of them taken out of `inner`.
    drivers: Vec<gix::bstr::BString>,
    known_commit: head::KnownCommit,
    indexing_rules: IndexingRules,
    directories: Option<Arc<Directories>>,
    doubts: Doubts,
}

/// Goes to `place` where the process's own directory was removed since it began: git's library asks for that directory and
/// opens no repository without one, not even a new clone at the same path.
#[expect(
    clippy::disallowed_methods,
    reason = "no path is made of it: whether it is there alone counts"
)]
fn leave_removed_directory(place: &Path) {
    if std::env::current_dir().is_err() {
        let directory = if place.is_dir() {
            place
        } else {
            Path::new("/")
        };
        // Where that fails, opening the repository says so.
        drop(std::env::set_current_dir(directory));
    }
}

impl Repo {
    /// Finds the repository whose work tree holds `start`, a file or directory, by walking up.
    ///
    /// A `.git` file that points nowhere is an error, not a reason to walk further: what is above is
    /// another repository. Repositories of other users are opened with reduced trust: their own
    /// configuration then names no remote, excludes file or attributes file.
    pub fn discover(start: &Path) -> Result<Self, GitError> {
        let not_found = || GitError::NotARepository {
            start: start.to_owned(),
        };
        let real = start.canonicalize().map_err(|_| not_found())?;
        leave_removed_directory(&real);
        for dir in real.ancestors() {
            let dot_git = dir.join(".git");
            if let Ok(meta) = dot_git.symlink_metadata() {
                // Before the library opens anything of it.
                let found = git_dir::validate_git_dir(&dot_git)?;
                if gix::discover::is_git(&dot_git).is_ok() {
                    return Self::open(&dot_git, &found);
                }
                // Git passes by a directory that merely has the name, but never a broken link.
                if !meta.is_dir() {
                    return Err(GitError::BrokenLink { link: dot_git });
                }
            }
            let inside_dot_git = dir.components().any(|part| part.as_os_str() == ".git");
            let may_be_bare = !inside_dot_git && dir.join("objects").is_dir();
            let looked = may_be_bare
                .then(|| git_dir::validate_git_dir(dir))
                .transpose()?;
            if !inside_dot_git && dir.is_dir() && gix::discover::is_git(dir).is_ok() {
                let found = match looked {
                    Some(found) => found,
                    None => git_dir::validate_git_dir(dir)?,
                };
                return Self::open(dir, &found);
            }
        }
        Err(not_found())
    }

    /// Returns the directory in which git keeps this work tree's own files: `HEAD`, the staging area.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Returns the canonical root of the work tree; of a bare repository the git directory.
    pub fn work_dir(&self) -> &Path {
        &self.work_dir
    }

    /// Returns the canonical directory that all work trees of the repository share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Returns the way to read files.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns whether the repository has no work tree.
    pub fn is_bare(&self) -> bool {
        self.inner.workdir().is_none()
    }

    /// Asks the files of a commit in the place of the work tree's.
    ///
    /// # Errors
    /// [`GitError::Tree`] where this clone does not have it.
    pub fn at_commit(mut self, commit: &CommitId) -> Result<Self, GitError> {
        self.source = self.source_at(Some(commit))?;
        Ok(self)
    }

    /// Returns the way to read the files of a commit; those of no commit are none.
    ///
    /// # Errors
    /// [`GitError::Tree`] where this clone does not have it.
    pub fn source_at(&self, commit: Option<&CommitId>) -> Result<Source, GitError> {
        let tree = CommitTree::open(&self.inner, commit.cloned())?;
        Ok(Source::of_commit(tree, self.inner.object_hash()))
    }

    /// Opens the repository of `found`.
    fn open(dot_git: &Path, found: &git_dir::GitDir) -> Result<Self, GitError> {
        let failed = |source| GitError::Open {
            path: dot_git.to_owned(),
            source,
        };
        let mut permissions = gix::open::Permissions::secure();
        // Where it would be led to is not in sight.
        permissions.config.includes &= !found.has_includes;
        if environment_redirects() {
            permissions.env.git_prefix = gix::sec::Permission::Deny;
        }
        let options = gix::open::Options::default()
            .permissions(permissions)
            .open_path_as_is(true);
        let mut inner = options
            .open(dot_git)
            .map_err(|source| failed(error::boxed(source)))?
            .to_thread_local();
        refuse_unsupported(&inner)?;
        let real = |path: &Path| path.canonicalize().map_err(|e| failed(Box::new(e)));
        let git_dir = real(inner.git_dir())?;
        let common_dir = real(inner.common_dir())?;
        let work_dir = real(inner.workdir().unwrap_or(&git_dir))?;
        let is_bare = inner.workdir().is_none();
        if !is_bare && !points_back(&work_dir, &git_dir) {
            return Err(GitError::Unsupported {
                what: "a work tree that its repository only claims (core.worktree)".into(),
                hint: "git config --unset core.worktree".into(),
            });
        }
        let git_dirs = [git_dir.as_path(), common_dir.as_path()];
        let hash = inner.object_hash();
        let source = if is_bare {
            drop(inner.refs.force_refresh_packed_buffer());
            let head = head::snapshot_of(&inner)?.head;
            Source::of_commit(CommitTree::open(&inner, head)?, hash)
        } else {
            let tree = WorkTree::open(&work_dir, &git_dirs).map_err(|e| failed(Box::new(e)))?;
            Source::of_work_tree(tree, hash)
        };
        let drivers = disarm(&mut inner).map_err(|source| failed(error::boxed(source)))?;
        pass_over_devices(&mut inner, &work_dir).map_err(|source| failed(error::boxed(source)))?;
        inner.object_cache_size_if_unset(OBJECT_CACHE_BYTES);
        Ok(Self {
            inner,
            work_dir,
            git_dir,
            common_dir,
            source,
            drivers,
            known_commit: head::KnownCommit::default(),
            indexing_rules: IndexingRules::default(),
            directories: None,
            doubts: Doubts::default(),
        })
    }

    /// Sets which files belong, beside what git and `.codelensignore` say.
    #[must_use]
    pub fn with_indexing_rules(mut self, indexing_rules: IndexingRules) -> Self {
        self.indexing_rules = indexing_rules;
        self
    }

    /// Makes walks over the work tree list only those directories whose entries `known`, kept from earlier walks over
    /// the same work tree, can't prove.
    #[must_use]
    pub fn with_directories(mut self, known: Arc<Directories>) -> Self {
        self.directories = Some(known);
        self
    }

    /// Makes scans say of which files an equal stat proves nothing.
    #[must_use]
    pub fn doubting(mut self, doubts: Doubts) -> Self {
        self.doubts = doubts;
        self
    }

    /// Returns which files belong, beside what git and `.codelensignore` say.
    pub fn indexing_rules(&self) -> &IndexingRules {
        &self.indexing_rules
    }

    /// Returns how patterns compare names: without regard to case where `core.ignoreCase` says so.
    fn case(&self) -> gix::glob::pattern::Case {
        let config = self.inner.config_snapshot();
        if config.boolean("core.ignoreCase").unwrap_or(false) {
            gix::glob::pattern::Case::Fold
        } else {
            gix::glob::pattern::Case::Sensitive
        }
    }

    /// Returns the user-wide file `name` (`ignore`, `attributes`), or the one that `key` configures in a
    /// trusted file.
    fn user_file(&self, key: &str, name: &str) -> Option<PathBuf> {
        let configured = self.inner.config_snapshot().trusted_path(key);
        if let Ok(Some(path)) = configured {
            return Some(self.work_dir.join(path));
        }
        let base = std::env::var_os("XDG_CONFIG_HOME")
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
            .or_else(|| std::env::home_dir().map(|home| home.join(".config")))?;
        Some(base.join("git").join(name))
    }
}

/// Returns whether a work tree says by its `.git` that it is of this repository: a configuration that came with
/// a repository must not make a work tree of any directory.
fn points_back(work_dir: &Path, git_dir: &Path) -> bool {
    let dot_git = work_dir.join(".git");
    let target = match git_dir::link_target(&dot_git, "gitdir: ") {
        Some(named) => work_dir.join(named),
        None => dot_git,
    };
    target.canonicalize().is_ok_and(|target| target == git_dir)
}

/// Whether the environment points git at another repository, as it does in hooks. A repository that is found from a
/// path must not be mixed with that.
fn environment_redirects() -> bool {
    [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_COMMON_DIR",
        "GIT_NAMESPACE",
        "GIT_SHALLOW_FILE",
    ]
    .iter()
    .any(|name| std::env::var_os(name).is_some())
}

fn refuse_unsupported(repo: &gix::Repository) -> Result<(), GitError> {
    let storage = repo.config_snapshot().string("extensions.refStorage");
    match storage {
        Some(format) if format != "files" && !reftable::is_used_by(repo) => {
            Err(GitError::Unsupported {
                what: format!("references stored as {format}"),
                hint: "git refs migrate --ref-format=files".into(),
            })
        }
        _ => Ok(()),
    }
}

/// Takes pattern files that are devices or pipes out of the configuration in memory: they would be read without end.
fn pass_over_devices(repo: &mut gix::Repository, work_dir: &Path) -> gix::Result<()> {
    let is_device = |key: &&str| {
        let config = repo.config_snapshot();
        let named = config.trusted_path(*key).ok().flatten();
        let meta = named.and_then(|path| work_dir.join(path).metadata().ok());
        meta.is_some_and(|meta| !meta.is_file())
    };
    let keys = ["core.excludesFile", "core.attributesFile"];
    let devices: Vec<&str> = keys.into_iter().filter(is_device).collect();
    if devices.is_empty() {
        return Ok(());
    }
    let mut config = repo.config_snapshot_mut();
    for key in devices {
        if config.set_raw_value(key, "/dev/null").is_err() {
            tracing::warn!(key, "a pattern file is no file");
        }
    }
    config.commit().map(drop)
}

/// Takes every filter driver out of the configuration in memory and returns their names. Hooks and file
/// system monitors are never run by the library.
fn disarm(repo: &mut gix::Repository) -> gix::Result<Vec<gix::bstr::BString>> {
    let mut names: Vec<gix::bstr::BString> = repo
        .config_snapshot()
        .plumbing()
        .sections_by_name("filter")
        .into_iter()
        .flatten()
        .filter_map(|section| section.header().subsection_name().map(ToOwned::to_owned))
        .collect();
    names.sort();
    names.dedup();
    if !names.is_empty() {
        let mut config = repo.config_snapshot_mut();
        for name in &names {
            while config
                .remove_section("filter", Some(name.as_ref()))
                .is_some()
            {}
        }
        config.commit()?;
    }
    Ok(names)
}
