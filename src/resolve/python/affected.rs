//! Which imports of Python may lead elsewhere after files came or went.
//!
//! `a/b.py` and `a/b/__init__.py` concern absolute imports that begin or end with `b`, and relative ones of that very path.
//! Changed configuration concerns every import of Python, in a directory of samples those below it.

use super::roots::is_sample;
use super::{Ecosystem, PathChanges, is_source};
use crate::model::hash::HashSet;
use crate::model::path::{file_name, is_at_or_below, parent, upwards};
use crate::resolve::KnownTarget;
use crate::resolve::paths::join;

/// The imports that some changes may affect.
#[derive(Debug, Default)]
pub(in crate::resolve) struct AffectedImports {
    /// Whether roots of the whole repository changed.
    all: bool,
    /// Directories below which another root may come first.
    directories: Vec<String>,
    /// The last parts of the modules that came or went.
    names: HashSet<String>,
    /// Those modules, as paths without ending.
    modules: HashSet<String>,
    /// Directories below which a file came or went.
    parents: HashSet<String>,
}

impl AffectedImports {
    /// Prepares the look at imports.
    pub(in crate::resolve) fn of(changes: &PathChanges) -> Self {
        let mut affected = Self::default();
        for config in changes.configs(Ecosystem::Python) {
            let dir = config.directory();
            if is_sample(dir) {
                affected.directories.push(dir.to_owned());
            } else {
                affected.all = true;
            }
        }
        for path in &changes.paths {
            for dir in upwards(path.directory()) {
                if !affected.parents.insert(dir.to_owned()) {
                    break;
                }
            }
            if !is_source(path.as_str()) {
                continue;
            }
            let (module, _) = path.as_str().rsplit_once('.').unwrap_or_default();
            if file_name(module) != "__init__" {
                affected.names.insert(file_name(module).to_owned());
                affected.modules.insert(module.to_owned());
                continue;
            }
            // Whether a directory is a package decides which directory above a file is a root.
            let package = parent(module);
            let name = file_name(package);
            affected.names.insert(name.to_owned());
            affected.modules.insert(package.to_owned());
            affected.directories.push(package.to_owned());
            // `src/` is a root of its project unless it is a package; `shop/` is one where `shop/shop/` is a package.
            affected.all |= matches!(name, "src" | "python") || file_name(parent(package)) == name;
        }
        affected.directories.sort();
        affected
            .directories
            .dedup_by(|dir, above| is_below(dir, above));
        affected
    }

    /// Returns whether an import of the file `from` that led to `target` may lead elsewhere.
    pub(in crate::resolve) fn contains(
        &self,
        from: &str,
        specifier: &str,
        target: KnownTarget<'_>,
    ) -> bool {
        let name = specifier.trim_start_matches('.');
        let n_dots = specifier.len() - name.len();
        if n_dots > 0 {
            // A relative import rests on no root.
            let package = upwards(parent(from)).nth(n_dots - 1);
            let path = package.and_then(|package| join(package, &name.replace('.', "/")));
            return path.is_some_and(|path| {
                let is_directory = !matches!(target, KnownTarget::File(_));
                self.modules.contains(&path) || is_directory && self.parents.contains(&path)
            });
        }
        let mut ends = [name.split('.').next(), name.rsplit('.').next()].into_iter();
        self.all
            || ends.any(|part| part.is_some_and(|part| self.names.contains(part)))
            || self.directories.iter().any(|dir| is_below(from, dir))
    }
}

fn is_below(path: &str, directory: &str) -> bool {
    directory.is_empty() || is_at_or_below(path, directory)
}
