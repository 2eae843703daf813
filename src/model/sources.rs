//! The text of files, as a port that a room fills which may read them.

use std::sync::Arc;

use super::{ContentId, RepoPath};

/// Reads the text of files.
pub trait Sources {
    /// Returns the text of a file whose bytes still have this identifier; `None` for any other.
    fn read(&self, path: &RepoPath, content: ContentId) -> Option<Arc<str>>;

    /// Whether there is a file at a path, be it indexed or not.
    fn is_there(&self, path: &RepoPath) -> bool;
}
