//! Which imports of Go may lead elsewhere after files came or went.
//!
//! A file concerns imports whose path ends with the name of its directory; one at the root of a module, and every changed
//! `go.mod` and `go.work`, concerns all.

use crate::model::hash::HashSet;
use crate::model::path::file_name;
use crate::resolve::{Ecosystem, PathChanges};

use super::is_source;

/// The imports that some changes may affect.
#[derive(Debug, Default)]
pub(in crate::resolve) struct AffectedImports {
    all: bool,
    /// The names of directories in which files came, went or changed their package.
    names: HashSet<String>,
}

impl AffectedImports {
    /// Prepares the look at imports. `configs` are the configuration files that there are.
    pub(in crate::resolve) fn of(changes: &PathChanges, configs: &[(&str, &[u8])]) -> Self {
        let mut affected = Self {
            all: changes.configs(Ecosystem::Go).next().is_some(),
            ..Self::default()
        };
        for path in &changes.paths {
            if !is_source(path.as_str()) || affected.all {
                continue;
            }
            let directory = path.directory();
            let module = format!("{directory}/go.mod");
            affected.all = directory.is_empty() || configs.iter().any(|it| it.0 == module);
            affected.names.insert(file_name(directory).to_owned());
        }
        affected
    }

    /// Returns whether an import may lead elsewhere.
    pub(in crate::resolve) fn contains(&self, specifier: &str) -> bool {
        let is_relative = || specifier.ends_with('.');
        self.all
            || self.names.contains(file_name(specifier))
            || !self.names.is_empty() && is_relative()
    }
}
