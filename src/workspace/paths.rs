//! Paths as people and agents write them → paths relative to the root of the work tree.
//!
//! Opens no file and lists no directory; see `git::content` for what may be read.

use std::path::{Component, Path, PathBuf};

use super::{Revision, Workspace};
use crate::model::RepoPath;

/// The longest path that is looked at, in bytes: that of Linux.
const MAX_PATH_BYTES: usize = 4096;

/// The most components that a path may have before it is compared with the file system.
const MAX_COMPONENTS: usize = 128;

impl Workspace {
    /// Returns `text` relative to the root of the work tree, `.` for the root itself; `None` for a path outside.
    ///
    /// An absolute path may lead through symbolic links to the work tree: `/tmp/repo/a.ts` where `/tmp` is a link to
    /// `/private/tmp`. A relative one is returned as it is without `cwd`. With it, the entry below `cwd` goes before the one
    /// below the root: in `packages/core`, `src/a.ts` is `packages/core/src/a.ts` if that is there, in the commit that is
    /// asked for.
    pub fn relative_path(
        &self,
        text: &str,
        cwd: Option<&Path>,
        revision: Option<&Revision>,
    ) -> Option<String> {
        let path = Path::new(text);
        if text.len() > MAX_PATH_BYTES {
            return (!path.is_absolute()).then(|| text.to_owned());
        }
        if path.is_absolute() {
            return self.inside(path);
        }
        let Some(cwd) = cwd else {
            return Some(text.to_owned());
        };
        let from_cwd = self.inside(&cwd.join(path));
        let repo = revision.and_then(|revision| self.repo_at(Some(revision)).ok());
        let has_entry = |path: &str| match &repo {
            Some(repo) => has_entry(path, |path| {
                let entry = RepoPath::normalise(path).map(|path| repo.source().entry(&path));
                path == "." || entry.flatten().is_some()
            }),
            None => has_entry(path, |path| {
                self.work_dir.join(path).symlink_metadata().is_ok()
            }),
        };
        let is_dotted = matches!(
            path.components().next(),
            Some(Component::CurDir | Component::ParentDir)
        );
        match from_cwd {
            Some(below) if is_dotted || has_entry(&below) => Some(below),
            None if is_dotted && !has_entry(text) => None,
            _ => Some(text.to_owned()),
        }
    }

    /// Returns an absolute path relative to the root.
    fn inside(&self, path: &Path) -> Option<String> {
        let path = without_dots(path)?;
        if let Ok(below) = path.strip_prefix(&self.work_dir) {
            return slashed(below);
        }
        if path.components().count() > MAX_COMPONENTS {
            return None;
        }
        let root = self.work_dir.canonicalize().ok()?;
        let mut ancestors: Vec<&Path> = path.ancestors().collect();
        ancestors.reverse();
        for ancestor in ancestors {
            // Nothing is below a missing directory.
            let real = ancestor.canonicalize().ok()?;
            if let Ok(below) = real.strip_prefix(&root) {
                return slashed(&below.join(path.strip_prefix(ancestor).ok()?));
            }
        }
        None
    }
}

/// Whether there is a file or directory at a path; of a pattern or of `file:line`, at the part before those marks.
fn has_entry(path: &str, exists: impl Fn(&str) -> bool) -> bool {
    if exists(path) {
        return true;
    }
    if let Some(at) = path.find(['*', '?', '[', '{']) {
        return path[..at]
            .rfind('/')
            .is_some_and(|end| exists(&path[..end]));
    }
    let is_lines = |lines: &str| lines.chars().all(|c| c.is_ascii_digit() || c == '-');
    path.rsplit_once(':')
        .is_some_and(|(file, lines)| is_lines(lines) && exists(file))
}

/// Removes `.` and `..` by name: `/a/./b/../c` is `/a/c`. `None` where `..` leads above the root of the file system.
fn without_dots(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            _ => plain.push(component),
        }
    }
    Some(plain)
}

/// Returns the components with `/` between them, `.` where there are none.
fn slashed(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path
        .components()
        .map(|part| part.as_os_str().to_str())
        .collect();
    let parts = parts?;
    Some(if parts.is_empty() {
        ".".to_owned()
    } else {
        parts.join("/")
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{slashed, without_dots};

    #[test]
    fn dots_are_removed_by_name() {
        let plain = |path: &str| without_dots(Path::new(path)).and_then(|it| slashed(&it));
        assert_eq!(plain("a/./b/../c/"), Some("a/c".to_owned()));
        assert_eq!(plain("a/.."), Some(".".to_owned()));
        assert_eq!(plain("../a"), None);
        assert_eq!(plain("/../../.."), None);
    }
}
