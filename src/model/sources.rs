//! The text of files, as a port that a room fills which may read them.

use std::sync::Arc;

use super::{ContentId, RepoPath};

/// Reads the text of files.
pub trait Sources {
    /// Returns the text of a file whose bytes still have this identifier; `None` for any other.
    fn read(&self, path: &RepoPath, content: ContentId) -> Option<Arc<str>>;

    /// Whether all files are proved to be as they were indexed.
    fn is_proved(&self) -> bool;

    /// Whether the bytes of a file that is not read as text hold a word, in UTF-8 or UTF-16; `None` where they can't be read, or are too many.
    fn holds(&self, path: &RepoPath, word: &str) -> Option<bool>;

    /// Returns the files of the repository that are not in the work tree, as a sparse checkout leaves them out.
    fn not_checked_out(&self) -> Arc<[RepoPath]>;

    /// Whether there is a file at a path, be it indexed or not.
    fn is_there(&self, path: &RepoPath) -> bool;
}
