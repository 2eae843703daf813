//! Which imports of Rust may lead elsewhere after files came or went.
//!
//! A file concerns imports that have its name, or that of its directory; the root of a crate, and every changed
//! `Cargo.toml`, concerns all.

use crate::model::hash::HashSet;
use crate::model::path::file_name;
use crate::resolve::{Ecosystem, KnownTarget, PathChanges};

use super::is_source;

/// The imports that some changes may affect.
#[derive(Debug, Default)]
pub(in crate::resolve) struct AffectedImports {
    all: bool,
    /// The names of modules that came or went.
    names: HashSet<String>,
    /// The types that have members in files that came or went, the traits that are implemented there, and macros: `impl Store`.
    units: HashSet<String>,
}

impl AffectedImports {
    /// Prepares the look at imports.
    pub(in crate::resolve) fn of(changes: &PathChanges) -> Self {
        let units = changes.units().iter();
        let units = units.filter_map(|key| key.strip_prefix("rs:"));
        let mut affected = Self {
            all: changes.configs(Ecosystem::Rust).next().is_some(),
            units: units.map(str::to_owned).collect(),
            ..Self::default()
        };
        for path in &changes.paths {
            if !is_source(path.as_str()) {
                continue;
            }
            let name = path.file_name();
            let stem = name.strip_suffix(".rs").unwrap_or(name);
            affected.all |= matches!(stem, "lib" | "main" | "build");
            affected.names.insert(stem.to_owned());
            affected
                .names
                .insert(file_name(path.directory()).to_owned());
        }
        affected
    }

    /// Returns whether an import may lead elsewhere.
    pub(in crate::resolve) fn contains(&self, specifier: &str, target: KnownTarget<'_>) -> bool {
        let is_of_unit = |kind: &str| specifier.starts_with(kind);
        if ["impl ", "impls ", "macro "].into_iter().any(is_of_unit) {
            return self.units.contains(specifier);
        }
        if self.all {
            return true;
        }
        if self.names.is_empty() {
            return false;
        }
        // An import that resolved by a search for its root may now resolve to another root.
        let is_search = matches!(specifier, "crate" | "crate of a program" | "super");
        let names = specifier.split([':', ' ', '/', '.']);
        let mut names = names.filter(|name| !name.is_empty());
        is_search && !matches!(target, KnownTarget::External)
            || names.any(|name| self.names.contains(name))
    }
}
