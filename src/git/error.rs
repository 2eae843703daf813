//! Failures of reading git's data.

use std::error::Error;
use std::path::PathBuf;

/// Why a question about a repository has no answer. Sources come from the git library as they are.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// No directory from the start upwards is a repository.
    #[error("no git repository holds {}", start.display())]
    NotARepository {
        /// Where the search began.
        start: PathBuf,
    },
    /// A `.git` file or link whose target is not a repository (a removed work tree or submodule).
    #[error("{} points to a directory that is no git repository", link.display())]
    BrokenLink {
        /// The file or link.
        link: PathBuf,
    },
    /// A format that cannot be read.
    #[error("not supported: {what}")]
    Unsupported {
        /// The kind of object.
        what: String,
        /// The git command that turns it into something that can be read.
        hint: String,
    },
    /// The repository is there but could not be opened.
    #[error("the repository {} could not be opened", path.display())]
    Open {
        /// The git directory or the link to it.
        path: PathBuf,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// `HEAD`, or the reference that it names, could not be read.
    #[error("the branch and commit that are checked out could not be read")]
    Head {
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The tree of a commit could not be read.
    #[error("the files of commit {commit} could not be listed")]
    Tree {
        /// The first digits of its name.
        commit: String,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Git's staging area could not be read.
    #[error("the staging area {} could not be read", path.display())]
    Staging {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A file that holds ignore rules or attributes could not be read.
    #[error("the rules in {} could not be read", path.display())]
    Rules {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Two commits could not be compared; an object may be missing.
    #[error("two commits could not be compared: an object is missing in this clone")]
    Compare {
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The comparison with `HEAD` failed; an object may be missing.
    #[error("the work tree could not be compared with the commit that is checked out")]
    Status {
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// An object or the branch of a repository that CodeLens keeps could not be written.
    #[error("a repository in the data directory could not be written")]
    Write {
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl GitError {
    /// Returns a command that gets past the error, where one is known.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Unsupported { hint, .. } => Some(hint),
            Self::NotARepository { .. } => Some("git init"),
            Self::BrokenLink { .. } => Some("git worktree repair"),
            _ => None,
        }
    }
}

/// Hides the library's error type.
pub(super) fn boxed(source: gix::Error) -> Box<dyn Error + Send + Sync> {
    Box::new(source)
}
