//! Which imports of C# may lead elsewhere: those of a namespace that came into being or went, and those that a project file says.

use super::super::{Ecosystem, PathChanges};
use super::candidates;
use crate::ir::{TYPE_NAME_UNIT, global_usings, visible_projects};
use crate::model::hash::HashSet;

/// The imports that some changes may affect.
#[derive(Debug, Default)]
pub(in crate::resolve) struct AffectedImports {
    /// The namespaces that came or went.
    namespaces: HashSet<String>,
    /// The names of types that came or went.
    types: HashSet<String>,
    /// Whether the namespaces that a project uses may be others.
    has_projects: bool,
}

impl AffectedImports {
    /// Prepares the look at imports.
    pub(in crate::resolve) fn of(changes: &PathChanges) -> Self {
        let units = changes.units().iter();
        let namespaces: HashSet<String> = units
            .filter_map(|key| key.strip_prefix("cs:"))
            .map(str::to_owned)
            .collect();
        let units = changes.units().iter();
        let types = units.filter_map(|key| key.strip_prefix(TYPE_NAME_UNIT));
        let types = types.map(str::to_owned).collect();
        let of_directories = changes.units().iter().any(|key| key.starts_with("cs#"));
        let has_configs = changes.configs(Ecosystem::Dotnet).next().is_some();
        Self {
            has_projects: has_configs || of_directories || !namespaces.is_empty(),
            namespaces,
            types,
        }
    }

    /// Returns whether an import may lead elsewhere.
    pub(in crate::resolve) fn contains(&self, specifier: &str) -> bool {
        if specifier.starts_with(global_usings()) || specifier.starts_with(visible_projects()) {
            return self.has_projects;
        }
        if let Some(name) = specifier.strip_prefix('=') {
            return self.types.contains(name);
        }
        !self.namespaces.is_empty() && candidates(specifier).any(|it| self.namespaces.contains(&it))
    }
}
