//! The files of one index, as the resolvers ask for them.
//!
//! Where the bytes of a configuration file are kept is the index's matter.

/// The files of one index as the resolvers see them; paths are the text of a
/// [`RepoPath`](crate::model::RepoPath).
///
/// Invariant: the answers do not change during the life of a resolver that was made with them.
pub trait SourceFiles: Send + Sync {
    /// Returns whether a file of that path is in the index.
    fn is_file(&self, path: &str) -> bool;

    /// Returns whether a file below that directory is in the index.
    fn is_dir(&self, path: &str) -> bool;

    /// Returns the files that lie in a directory itself, sorted. Costs a look at each path.
    fn files_in(&self, directory: &str) -> Vec<String>;

    /// Returns the paths of all files, in no order.
    fn paths(&self) -> Vec<String>;

    /// Returns the keys of the [units](super::units) that begin with `prefix`, sorted: units that have a file.
    fn units(&self, prefix: &str) -> Vec<String>;

    /// Returns whether there is a unit of this key, which has a file.
    fn has_unit(&self, key: &str) -> bool;

    /// Returns the bytes of a configuration file (see [`is_config`](super::is_config)), as [`kept`](super::kept) left it; `None` for any other file and
    /// where there is none.
    fn read_config(&self, path: &str) -> Option<Vec<u8>>;

    /// Returns the paths of all configuration files, sorted.
    fn configs(&self) -> Vec<String>;
}
