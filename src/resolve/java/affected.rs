//! Which imports of Java may lead elsewhere: those of a package that came into being or went.

use super::super::PathChanges;
use super::packages;
use crate::model::hash::HashSet;

/// The imports that some changes may affect.
#[derive(Debug, Default)]
pub(in crate::resolve) struct AffectedImports {
    /// The packages that came or went.
    packages: HashSet<String>,
}

impl AffectedImports {
    /// Prepares the look at imports.
    pub(in crate::resolve) fn of(changes: &PathChanges) -> Self {
        let packages = changes.units().iter();
        let packages = packages.filter_map(|key| key.strip_prefix("java:"));
        Self {
            packages: packages.map(str::to_owned).collect(),
        }
    }

    /// Returns whether an import may lead elsewhere.
    pub(in crate::resolve) fn contains(&self, specifier: &str) -> bool {
        !self.packages.is_empty() && packages(specifier).any(|it| self.packages.contains(it))
    }
}
