//! Whether git's own files are files: a pipe, a device or a link to one in their place would be waited for, or read
//! without end.
//!
//! Looks at what the library reads when a repository is opened.

use std::path::{Path, PathBuf};

use super::GitError;
use super::content::read_outside;

/// The longest file that leads to another one, in bytes.
const MAX_LINK_BYTES: u64 = 16 << 10;

/// The longest configuration that is read, in bytes.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// Files that opening a repository reads, relative to the git directory.
const READ: &[&str] = &[
    "HEAD",
    "commondir",
    "config",
    "config.worktree",
    "gitdir",
    "index",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "info/sparse-checkout",
    "objects/info/alternates",
    "objects/info/commit-graph",
    "packed-refs",
    "shallow",
];

/// A git directory, with the files that were checked.
pub(super) struct GitDir {
    /// Whether its configuration takes in other files, which may be anything.
    pub(super) has_includes: bool,
}

/// Looks at the git directory that `dot_git`, a directory or a file that names one, leads to.
///
/// # Errors
/// [`GitError::Unsupported`] where a file is something else, or a configuration is too large.
pub(super) fn validate_git_dir(dot_git: &Path) -> Result<GitDir, GitError> {
    let own = match link_target(dot_git, "gitdir: ") {
        Some(target) => dot_git.parent().unwrap_or(dot_git).join(target),
        None => dot_git.to_owned(),
    };
    let common =
        link_target(&own.join("commondir"), "").map_or_else(|| own.clone(), |to| own.join(to));
    let mut found = GitDir {
        has_includes: false,
    };
    // Of a linked work tree two directories, else one.
    let both = [&own, &common];
    let dirs = &both[..if own == common { 1 } else { 2 }];
    for dir in dirs {
        for name in READ {
            refuse_special_file(&dir.join(name), name)?;
        }
        for name in ["config", "config.worktree"] {
            let Ok(Some(text)) = read_outside(&dir.join(name), MAX_CONFIG_BYTES + 1) else {
                continue;
            };
            if text.len() as u64 > MAX_CONFIG_BYTES {
                return Err(unsupported(format!("a `{name}` of more than 1 MiB")));
            }
            let text = text.to_ascii_lowercase();
            found.has_includes |= text.windows(8).any(|part| part == b"[include");
        }
    }
    refuse_special_branch(&own, &common)?;
    Ok(found)
}

/// Looks at the branch that is checked out, if it is a file of its own.
///
/// # Errors
/// [`GitError::Unsupported`] where it is something else.
pub(super) fn refuse_special_branch(own: &Path, common: &Path) -> Result<(), GitError> {
    let Some(branch) = link_target(&own.join("HEAD"), "ref: ") else {
        return Ok(());
    };
    refuse_special_file(&own.join(&branch), "HEAD")?;
    refuse_special_file(&common.join(&branch), "HEAD")
}

/// Returns the path behind `prefix` in a small file; `None` where there is no such file or prefix.
pub(super) fn link_target(file: &Path, prefix: &str) -> Option<PathBuf> {
    let text = read_outside(file, MAX_LINK_BYTES).ok()??;
    let text = std::str::from_utf8(&text).ok()?;
    let named = text.strip_prefix(prefix)?.trim_end_matches(['\n', '\r']);
    (!named.is_empty() && !named.contains('\0')).then(|| PathBuf::from(named))
}

fn refuse_special_file(path: &Path, name: &str) -> Result<(), GitError> {
    match path.metadata() {
        Ok(meta) if !meta.is_file() && !meta.is_dir() => Err(special_file(name)),
        _ => Ok(()),
    }
}

/// Returns the error for something else in the place of a file.
pub(super) fn special_file(name: &str) -> GitError {
    unsupported(format!(
        "`{name}` in the git directory is a pipe or a device"
    ))
}

fn unsupported(what: String) -> GitError {
    GitError::Unsupported {
        what,
        hint: "git fsck".into(),
    }
}
