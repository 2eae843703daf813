//! The files of one index, as the resolver asks for them.
//!
//! Knows which files are configuration; refuses to know where their bytes are kept.

use crate::model::RepoPath;

/// The files of one index as the resolver sees them; paths are the text of a [`RepoPath`].
///
/// Invariant: the answers do not change during the life of a resolver that was made with them.
pub trait SourceFiles: Send + Sync {
    /// Returns whether a file of that path is in the index.
    fn is_file(&self, path: &str) -> bool;

    /// Returns whether a file below that directory is in the index.
    fn is_dir(&self, path: &str) -> bool;

    /// Returns the bytes of a configuration file (see [`is_config`]); `None` for any other file and
    /// where there is none.
    fn read_config(&self, path: &str) -> Option<Vec<u8>>;

    /// Returns the paths of all configuration files, sorted.
    fn configs(&self) -> Vec<String>;
}

/// Returns whether resolution depends on the bytes of `path`, so that an index has to keep them:
/// `package.json`, `tsconfig*.json`, `jsconfig*.json`, any JSON file in a directory named after
/// them, as shared configurations are (`packages/typescript-config/base.json`), and `vite.config.*`.
pub fn is_config(path: &RepoPath) -> bool {
    let name = path.file_name();
    if super::vite::is_vite_config(name) {
        return true;
    }
    is_json(name)
        && (name == "package.json" || is_compiler_config(name) || is_shared(path.directory()))
}

/// Returns whether a file of this name sets compiler options for the directory it stands in.
pub(super) fn is_compiler_config(name: &str) -> bool {
    is_json(name) && (name.starts_with("tsconfig") || name.starts_with("jsconfig"))
}

/// Returns whether a name is that of a JSON file; the case counts, as it does for compilers.
pub(super) fn is_json(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, extension)| extension == "json")
}

fn is_shared(directory: &str) -> bool {
    let name = directory.rsplit('/').next().unwrap_or(directory);
    ["tsconfig", "jsconfig", "ts-config", "typescript-config"]
        .iter()
        .any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::is_config;
    use crate::model::RepoPath;

    #[test]
    fn configuration_is_known_by_its_name() {
        let is = |path| is_config(&RepoPath::new(path).unwrap());
        for path in [
            "package.json",
            "a/tsconfig.app.json",
            "jsconfig.json",
            "packages/typescript-config/base.json",
            "web/vite.config.ts",
        ] {
            assert!(is(path), "{path}");
        }
        for path in [
            "a.json",
            "tsconfig.js",
            "package.json5",
            "src/config/data.json",
        ] {
            assert!(!is(path), "{path}");
        }
    }
}
