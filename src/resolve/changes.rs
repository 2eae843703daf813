//! Which imports may lead elsewhere after files came or went, or after configuration changed.
//!
//! Errs on the side of looking again: each ecosystem answers for the imports of its own files.

use super::{
    AutoImports, Ecosystem, bridge_unit, c, dotnet, go, is_config, java, node, python, rust,
};
use crate::model::RepoPath;
use crate::model::hash::HashSet;

/// The paths of one transaction that came or went, and the configuration files that changed: whatever may lead imports
/// elsewhere.
#[derive(Debug, Default)]
pub struct PathChanges {
    /// Whether the changes of an earlier transaction were lost, so that any import may lead elsewhere.
    are_lost: bool,
    /// Whether the configuration of automatic imports changed, so that any name may mean another definition.
    has_auto_imports: bool,
    /// Paths that came or went, configuration or not.
    pub(super) paths: Vec<RepoPath>,
    /// Configuration files that came, went or changed.
    configs: Vec<RepoPath>,
    /// Units of several files that came into being or went, by their keys.
    units: Vec<String>,
}

impl PathChanges {
    /// Adds a path that came or went.
    pub fn add(&mut self, path: &RepoPath) {
        self.has_auto_imports |= AutoImports::is_config(path);
        if is_config(path) {
            self.configs.push(path.clone());
        }
        self.add_path(path);
    }

    /// Adds a path that came or went where configuration stays as it was.
    pub fn add_path(&mut self, path: &RepoPath) {
        self.paths.push(path.clone());
    }

    /// Adds a configuration file whose kept part changed.
    pub fn add_edited(&mut self, path: &RepoPath) {
        self.has_auto_imports |= AutoImports::is_config(path);
        self.configs.push(path.clone());
    }

    /// Notes that earlier changes were lost.
    pub fn add_lost(&mut self) {
        self.are_lost = true;
    }

    /// Returns whether any import may lead elsewhere.
    pub fn may_affect_any_import(&self) -> bool {
        self.are_lost
    }

    /// Returns whether any name may mean another definition, as far as that is known without the files.
    pub fn may_affect_any_name(&self) -> bool {
        self.are_lost || self.has_auto_imports
    }

    /// Returns whether a path came or went whose exports are imported automatically.
    pub fn touches(&self, imports: &AutoImports) -> bool {
        self.paths.iter().any(|path| imports.covers(path.as_str()))
    }

    /// Adds a unit of several files that came into being or went, by its [key](super::units).
    pub fn add_unit(&mut self, key: String) {
        self.units.push(key);
    }

    /// Returns the units that came into being or went.
    pub(super) fn units(&self) -> &[String] {
        &self.units
    }

    /// Returns whether nothing came, went or changed.
    pub fn is_empty(&self) -> bool {
        let is_empty = self.paths.is_empty() && self.configs.is_empty() && self.units.is_empty();
        is_empty && !self.are_lost
    }

    /// Returns the changed configuration files of one ecosystem.
    pub(super) fn configs(&self, ecosystem: Ecosystem) -> impl Iterator<Item = &RepoPath> {
        let configs = self.configs.iter();
        configs.filter(move |path| Ecosystem::of_config(path) == Some(ecosystem))
    }
}

/// Where an import led when it was last resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownTarget<'a> {
    /// To the file at that path.
    File(&'a str),
    /// To a unit of several files.
    Unit,
    /// Out of the repository.
    External,
    /// To no file, or to one that is gone.
    Missing,
}

/// The imports that some changes may affect.
pub struct AffectedByEcosystem<'a> {
    node: node::AffectedImports<'a>,
    python: python::AffectedImports,
    go: go::AffectedImports,
    java: java::AffectedImports,
    rust: rust::AffectedImports,
    c: c::AffectedImports,
    dotnet: dotnet::AffectedImports,
    units: HashSet<&'a str>,
}

impl<'a> AffectedByEcosystem<'a> {
    /// Prepares the look at imports: `paths` are all files there are now, `configs` the kept bytes of the configuration
    /// files among them, `lacks_configs` where some can't be read. Costs a look at each path.
    pub fn of(
        changes: &'a PathChanges,
        paths: impl Iterator<Item = &'a str>,
        configs: &[(&'a str, &'a [u8])],
        lacks_configs: bool,
    ) -> Self {
        Self {
            node: node::AffectedImports::of(changes, paths, configs, lacks_configs),
            python: python::AffectedImports::of(changes),
            go: go::AffectedImports::of(changes, configs),
            java: java::AffectedImports::of(changes),
            rust: rust::AffectedImports::of(changes),
            c: c::AffectedImports::of(changes),
            dotnet: dotnet::AffectedImports::of(changes),
            units: changes.units().iter().map(String::as_str).collect(),
        }
    }

    /// Returns whether an import of the file `from` that led to `target` may lead elsewhere.
    pub fn contains(&self, from: &str, specifier: &str, target: KnownTarget<'_>) -> bool {
        if let Some(unit) = bridge_unit(specifier) {
            return self.units.contains(unit.as_ref());
        }
        match Ecosystem::of_source(from) {
            Ecosystem::Node => self.node.contains(specifier, target),
            Ecosystem::Python => self.python.contains(from, specifier, target),
            Ecosystem::Go => self.go.contains(specifier),
            Ecosystem::Java => self.java.contains(specifier),
            Ecosystem::Rust => self.rust.contains(specifier, target),
            Ecosystem::C => self.c.contains(specifier),
            Ecosystem::Dotnet => self.dotnet.contains(specifier),
        }
    }
}
