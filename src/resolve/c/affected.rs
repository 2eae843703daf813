//! Which includes may lead elsewhere after files came or went: those with the name of such a file; all after a change of
//! a build file.

use super::is_source;
use crate::model::hash::HashSet;
use crate::model::path::file_name;
use crate::resolve::{Ecosystem, PathChanges};

/// The includes that some changes may affect.
#[derive(Debug, Default)]
pub(in crate::resolve) struct AffectedImports {
    all: bool,
    /// The names of files that came or went.
    names: HashSet<String>,
}

impl AffectedImports {
    /// Prepares the look at includes.
    pub(in crate::resolve) fn of(changes: &PathChanges) -> Self {
        let mut affected = Self {
            all: changes.configs(Ecosystem::C).next().is_some(),
            ..Self::default()
        };
        for path in &changes.paths {
            let name = path.file_name();
            // Any file may be included; a directory of include directories may have come with it.
            affected.names.insert(name.to_owned());
            affected.all |= is_source(path.as_str()) && name.is_empty();
        }
        affected
    }

    /// Returns whether an include may lead elsewhere.
    pub(in crate::resolve) fn contains(&self, specifier: &str) -> bool {
        self.all
            || self
                .names
                .contains(file_name(specifier.trim_end_matches('>')).trim_start_matches('<'))
    }
}
