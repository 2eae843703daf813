//! Which paths git ignores, and which ones `.codelensignore` takes away.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::bstr::ByteSlice;
use gix::glob::pattern::Case;
use gix::ignore::search::{Ignore, pattern_matching_relative_path};
use gix::index::entry::Mode;

use crate::model::RepoPath;

use super::content::read_outside;
use super::staging::Staging;
use super::{GitError, ReadError, Repo, Source};

/// Git reads no larger file of patterns either.
const MAX_RULES_BYTES: u64 = 100 << 20;
const PARSER: Ignore = Ignore {
    support_precious: false,
};

type IgnorePatterns = gix::glob::search::pattern::List<Ignore>;

/// The origin of a rule that hides a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoreSource {
    /// `.gitignore`, `.git/info/exclude` or the user's excludes file.
    Git,
    /// `.codelensignore`, or `exclude` of `.codelens.toml`.
    CodeLens,
}

/// The rules that hold everywhere in the work tree, strongest last.
pub(super) struct IgnoreRules {
    global: Vec<IgnorePatterns>,
    /// Patterns of the repository's settings, weaker than any `.codelensignore`.
    own: Option<IgnorePatterns>,
    case: Case,
}

/// The rules of one directory and of those above it.
#[derive(Default)]
pub(super) struct IgnoreLevel {
    parent: Option<Arc<IgnoreLevel>>,
    git: Option<IgnorePatterns>,
    own: Option<IgnorePatterns>,
}

/// Which files of rules a directory holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RuleFiles {
    pub(super) git: bool,
    pub(super) own: bool,
}

impl Repo {
    /// Whether git tracks a path as a repository of its own. Costs a read of the staging area.
    pub fn is_submodule(&self, path: &RepoPath) -> bool {
        let staging = self.staging().ok();
        let mode = staging.and_then(|it| it.mode(it.all(), path.as_str().as_bytes()));
        mode == Some(Mode::COMMIT)
    }

    /// Returns the origin of the rule that hides `path`, if any does; a directory that is hidden hides its content.
    /// Tracked files are not hidden by git's rules. Costs a read of the staging area.
    pub fn ignored_by(
        &self,
        path: &RepoPath,
        is_dir: bool,
    ) -> Result<Option<IgnoreSource>, GitError> {
        let is_commit = self.source.is_commit();
        let staging = (!is_commit).then(|| self.staging()).transpose()?;
        let rules = self.rules()?;
        let is_tracked = |staging: &Staging| staging.has_below_or_at(path.as_str().as_bytes());
        let tracked = staging.as_ref().is_none_or(is_tracked);
        let mut level = Arc::new(IgnoreLevel::default());
        let mut by_git = false;
        let ends = path.as_str().match_indices('/').map(|(at, _)| at);
        let starts = std::iter::once(0).chain(ends.clone().map(|at| at + 1));
        let prefixes = ends.map(Some).chain(std::iter::once(None));
        for (start, end) in starts.zip(prefixes) {
            let dir = &path.as_str()[..start];
            let both = RuleFiles {
                git: true,
                own: true,
            };
            level =
                IgnoreLevel::enter(&level, dir.as_bytes(), both, &self.source, staging.as_ref());
            let part = &path.as_str().as_bytes()[..end.unwrap_or(path.as_str().len())];
            let part_is_dir = is_dir || end.is_some();
            if rules.own_hides(&level, part, part_is_dir) {
                return Ok(Some(IgnoreSource::CodeLens));
            }
            by_git |= rules.git_hides(&level, part, part_is_dir);
        }
        Ok((by_git && !tracked).then_some(IgnoreSource::Git))
    }

    /// Reads the rules that no directory holds.
    pub(super) fn rules(&self) -> Result<IgnoreRules, GitError> {
        let exclude = self.common_dir.join("info").join("exclude");
        let mut global = Vec::new();
        for path in self
            .user_file("core.excludesFile", "ignore")
            .into_iter()
            .chain([exclude])
        {
            let read = read_outside(&path, MAX_RULES_BYTES);
            match read {
                Ok(None) => {}
                Ok(Some(bytes)) => global.extend(parse(&bytes, path, None)),
                Err(source) => return Err(GitError::Rules { path, source }),
            }
        }
        let excluded = self.indexing_rules.exclude.join("\n");
        Ok(IgnoreRules {
            global,
            own: parse(excluded.as_bytes(), PathBuf::new(), None),
            case: self.case(),
        })
    }
}

impl IgnoreRules {
    /// Returns whether git's rules hide `path`, if they do not hide a directory above it.
    pub(super) fn git_hides(&self, level: &IgnoreLevel, path: &[u8], is_dir: bool) -> bool {
        level
            .verdict(path, is_dir, self.case, |level| level.git.as_ref())
            .or_else(|| {
                let mut lists = self.global.iter().rev();
                lists.find_map(|list| hides(list, path, is_dir, self.case))
            })
            .unwrap_or(false)
    }

    /// Returns whether `.codelensignore` files or the repository's settings hide `path`, if they do not hide a
    /// directory above it.
    pub(super) fn own_hides(&self, level: &IgnoreLevel, path: &[u8], is_dir: bool) -> bool {
        level
            .verdict(path, is_dir, self.case, |level| level.own.as_ref())
            .or_else(|| hides(self.own.as_ref()?, path, is_dir, self.case))
            .unwrap_or(false)
    }
}

impl IgnoreLevel {
    /// Returns the rules inside of `dir` (empty, or with a slash at its end), which holds `files`.
    pub(super) fn enter(
        parent: &Arc<Self>,
        dir: &[u8],
        files: RuleFiles,
        source: &Source,
        staging: Option<&Staging>,
    ) -> Arc<Self> {
        let read = |name: &str| {
            let path = [dir, name.as_bytes()].concat();
            let path = RepoPath::new(std::str::from_utf8(&path).ok()?)?;
            match source.read(&path, MAX_RULES_BYTES) {
                Ok(read) => parse(&read.bytes, path.as_str().into(), Some(Path::new(""))),
                Err(ReadError::Missing | ReadError::NotAFile) => None,
                // Git warns and goes on, too.
                Err(error) => {
                    tracing::warn!(%path, %error, "ignore rules could not be read");
                    None
                }
            }
        };
        let from_staging = || {
            let path = [dir, b".gitignore".as_slice()].concat();
            let bytes = staging?.sparse_rules(&path)?;
            let source = PathBuf::from(path.to_str().ok()?);
            parse(bytes, source, Some(Path::new("")))
        };
        let git = files.git.then(|| read(".gitignore")).flatten();
        let git = git.or_else(from_staging);
        let own = files.own.then(|| read(".codelensignore")).flatten();
        if git.is_none() && own.is_none() {
            return Arc::clone(parent);
        }
        Arc::new(Self {
            parent: Some(Arc::clone(parent)),
            git,
            own,
        })
    }

    fn verdict(
        &self,
        path: &[u8],
        is_dir: bool,
        case: Case,
        list: impl Fn(&Self) -> Option<&IgnorePatterns>,
    ) -> Option<bool> {
        let mut level = Some(self);
        while let Some(here) = level {
            if let Some(verdict) = list(here).and_then(|list| hides(list, path, is_dir, case)) {
                return Some(verdict);
            }
            level = here.parent.as_deref();
        }
        None
    }
}

/// Returns whether the last matching pattern hides the path; `None` where none matches.
fn hides(list: &IgnorePatterns, path: &[u8], is_dir: bool, case: Case) -> Option<bool> {
    let name_at = path.rfind_byte(b'/').map(|at| at + 1);
    let found = pattern_matching_relative_path(list, path.as_bstr(), name_at, Some(is_dir), case)?;
    Some(!found.pattern.is_negative())
}

fn parse(bytes: &[u8], source: PathBuf, root: Option<&Path>) -> Option<IgnorePatterns> {
    IgnorePatterns::from_bytes(bytes, source, root, PARSER)
        .ok()
        .filter(|list| !list.patterns.is_empty())
}
