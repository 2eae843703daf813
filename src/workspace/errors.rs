//! Errors of the rooms → the error that a client sees.
//!
//! The usual place where a room's error gets its code and its next step; see also `memory` and `run_history`, which name
//! their own data.

use std::path::Path;

use super::view::cut_argument;
use crate::archive::ArchiveError;
use crate::error::{Code, Error};
use crate::git::GitError;
use crate::reconcile::ReconcileError;
use crate::remote::{RemoteError, RemoteFault};
use crate::store::{OsRefusal, StoreError};

impl From<GitError> for Error {
    fn from(error: GitError) -> Self {
        // Messages name no absolute path: those go to the log with the source.
        let status = "`git status` shows whether git can read the repository; cl_doctor tells more";
        let (code, message, hint) = match &error {
            GitError::NotARepository { start } => (
                Code::NotARepo,
                match start.file_name() {
                    Some(name) => {
                        let name = cut_argument(&name.to_string_lossy());
                        format!("`{name}` is not inside a git work tree")
                    }
                    None => "this place is not inside a git work tree".to_owned(),
                },
                "pass `repo`: a path inside a git work tree, or start in one".to_owned(),
            ),
            GitError::Tree { .. } => (
                Code::Git,
                error.to_string(),
                "fetch the commit with all of its directories (`git fetch`), then call again"
                    .to_owned(),
            ),
            GitError::BrokenLink { .. } => (
                Code::Git,
                "the `.git` file points to a directory that is no git repository".to_owned(),
                "run `git worktree repair` in the main work tree, or clone again".to_owned(),
            ),
            GitError::Unsupported { what, hint } => {
                (Code::Git, format!("not supported: {what}"), hint.clone())
            }
            GitError::Open { .. } => (
                Code::Git,
                "the repository could not be opened".to_owned(),
                status.to_owned(),
            ),
            GitError::Staging { .. } => (
                Code::Git,
                "git's staging area could not be read".to_owned(),
                status.to_owned(),
            ),
            GitError::Rules { .. } => (
                Code::Git,
                "a file of ignore rules or attributes could not be read".to_owned(),
                status.to_owned(),
            ),
            _ => (Code::Git, error.to_string(), status.to_owned()),
        };
        Self::new(code, message, hint).because(error)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let (code, message, hint) = if error.is_busy() {
            (
                Code::IndexBusy,
                "another process is writing this index".to_owned(),
                "call again in a moment",
            )
        } else {
            match &error {
                StoreError::Home(what) => (
                    Code::Io,
                    what.clone(),
                    "set CODELENS_HOME to a directory outside the repository",
                ),
                StoreError::Bundle { .. } => (
                    Code::InvalidArgument,
                    error.to_string(),
                    "export it again with this version of codelens, or do without: `codelens refresh` builds the same",
                ),
                StoreError::Io {
                    doing,
                    path,
                    source,
                } if doing.ends_with("the bundle") => (
                    Code::Io,
                    format!("cannot {doing} `{}`: {}", file_name(path), in_words(source)),
                    "check the path, its permissions and the free space on its disk, then run it again",
                ),
                StoreError::Io { doing, .. } => (
                    Code::Io,
                    format!("cannot {doing} in the data directory{}", reason(&error)),
                    next_step(&error),
                ),
                StoreError::Version { found, wanted, .. } if found > wanted => (
                    Code::NewerSchema,
                    format!("the index has schema {found}, this version knows {wanted}"),
                    "update codelens, or call cl_refresh with `force: true` (`codelens refresh --force`)",
                ),
                StoreError::Version { .. } | StoreError::Corrupt { .. } => (
                    Code::Io,
                    "the index is damaged or of another version".to_owned(),
                    "call cl_refresh with `force: true` (`codelens refresh --force`) to build it anew",
                ),
                StoreError::Sqlite { doing, .. } if error.is_corrupt() => (
                    Code::Io,
                    format!("the index is damaged (while {doing})"),
                    "call cl_refresh with `force: true` (`codelens refresh --force`) to build it anew",
                ),
                StoreError::Sqlite { doing, .. } if doing.ends_with(" a record") => (
                    Code::Io,
                    format!(
                        "the record could not be {}{}",
                        done_to_it(doing),
                        reason(&error)
                    ),
                    next_step(&error),
                ),
                StoreError::Sqlite { doing, .. } => (
                    Code::Io,
                    format!(
                        "the index could not be used while {doing}{}",
                        reason(&error)
                    ),
                    next_step(&error),
                ),
            }
        };
        Self::new(code, message, hint).because(error)
    }
}

impl From<ReconcileError> for Error {
    fn from(error: ReconcileError) -> Self {
        match error {
            ReconcileError::Git(error) => error.into(),
            ReconcileError::Store(error) => error.into(),
        }
    }
}

impl From<RemoteError> for Error {
    fn from(error: RemoteError) -> Self {
        let list = "`codelens remote list` shows its address";
        let (code, hint) = match &error.fault {
            RemoteFault::Cancelled => return Self::cancelled(),
            RemoteFault::TimedOut | RemoteFault::Unreachable => (
                Code::Io,
                format!("check the network and the store, then run it again ({list}); `codelens refresh` does without"),
            ),
            RemoteFault::Forbidden => (
                Code::Refused,
                "set the credentials of the provider in the environment (docs/remotes.md names the variables), with permission to read, list and create objects".to_owned(),
            ),
            RemoteFault::Configuration(_) => (
                Code::InvalidArgument,
                "docs/remotes.md names the variables of each provider".to_owned(),
            ),
            RemoteFault::NoStore => (
                Code::InvalidArgument,
                format!("make the bucket, container or directory, or correct the address: {list}"),
            ),
            RemoteFault::Unsupported => (
                Code::Refused,
                "use a store that can list objects, or create and delete them: docs/remotes.md says which step needs what".to_owned(),
            ),
            RemoteFault::Disk | RemoteFault::Local(_) => (
                Code::Io,
                format!("free space or give permission there, then run it again ({list})"),
            ),
            RemoteFault::PartIsGone => (
                Code::Io,
                "`codelens push` of that commit puts its index there again; `codelens refresh` builds the same here".to_owned(),
            ),
            RemoteFault::Redirected => (
                Code::Refused,
                format!("add the remote with the address of the server that has the objects ({list})"),
            ),
            RemoteFault::Object(_) => (
                Code::Io,
                "nothing of it was kept: `codelens refresh` builds the same, and `codelens remote gc` removes what is old".to_owned(),
            ),
            RemoteFault::Failed(_) => (Code::Io, format!("run it again in a moment ({list})")),
        };
        Self::new(code, error.to_string(), hint).because(error)
    }
}

impl From<ArchiveError> for Error {
    fn from(error: ArchiveError) -> Self {
        let (code, hint) = match &error {
            ArchiveError::Read(source) if source.kind() == std::io::ErrorKind::NotFound => (
                Code::PathNotFound,
                "pass the path of a zip, tar, tar.gz or tar.zst file",
            ),
            ArchiveError::Read(_) | ArchiveError::Store(_) => (
                Code::Io,
                "check the rights and the space of the disk, then run it again",
            ),
            ArchiveError::Cancelled => (Code::Cancelled, "run it again"),
            ArchiveError::UnknownFormat => (
                Code::InvalidArgument,
                "pass the path of a zip, tar, tar.gz or tar.zst file",
            ),
            ArchiveError::Damaged(_) | ArchiveError::Empty => {
                (Code::Refused, "fetch the archive again, then run the same")
            }
            ArchiveError::NothingToStrip(_) => (
                Code::Refused,
                "run it without --strip, or with --strip auto",
            ),
            ArchiveError::Entry { .. } | ArchiveError::TooLarge(_) => (
                Code::Refused,
                "pack the sources again without it, or unpack them yourself and run `git init` there",
            ),
        };
        Self::new(code, error.to_string(), hint).because(error)
    }
}

/// Returns why the system refused to read or write a file that the user named.
fn in_words(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file or directory".to_owned(),
        kind => kind.to_string(),
    }
}

/// Returns the error of a place without a repository with the place as its caller wrote it.
pub fn with_place(mut error: Error, place: &str) -> Error {
    let place = cut_argument(place);
    match error.code {
        Code::NotARepo => error.message = format!("`{place}` is not inside a git work tree"),
        Code::PathNotFound => error.message = format!("there is no directory `{place}`"),
        _ => {}
    }
    error
}

/// Returns the participle of an operation on a record: of `saving a record` `saved`.
fn done_to_it(doing: &str) -> &'static str {
    match doing.split(' ').next() {
        Some("saving") => "saved",
        Some("renaming") => "renamed",
        Some("removing") => "removed",
        Some("approving") => "approved",
        Some("superseding") => "superseded",
        _ => "read",
    }
}

/// Returns the last part of a path: an error names no absolute path.
fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Returns the system's reason for refusing, to stand behind the failed operation; empty where it gave none.
fn reason(error: &StoreError) -> &'static str {
    match error.refusal() {
        Some(OsRefusal::Full) => ": no space is left on the disk, or the quota is used up",
        Some(OsRefusal::Forbidden) => ": there is no permission to write",
        Some(OsRefusal::Broken) => ": the disk failed, or its quota is used up",
        None => "",
    }
}

/// Returns the next step after an operation that the system refused.
fn next_step(error: &StoreError) -> &'static str {
    match error.refusal() {
        Some(OsRefusal::Full) => {
            "free some space on the disk of the data directory (cl_doctor names the place, cl_prune with `maxBytes` removes indexes), then call again"
        }
        Some(OsRefusal::Forbidden) => {
            "give this user permission to write in the data directory (cl_doctor names it), or set CODELENS_HOME to another one"
        }
        Some(OsRefusal::Broken) | None => {
            "check the disk of the data directory, its free space and its quota (cl_doctor names the place), then call again"
        }
    }
}
