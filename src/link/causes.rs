//! Paths that came, went or changed since imports were resolved, and the files that they concern.
//!
//! Which imports may lead elsewhere is for `resolve` to say; here lie the rows.

use std::collections::BTreeSet;

use super::Manifest;
use crate::model::RepoPath;
use crate::model::hash::HashMap;
use crate::resolve::{AffectedImports, AutoImports, KnownTarget, PathChanges};
use crate::store::ImportTarget;

/// The changes of one transaction that may lead imports elsewhere.
#[derive(Debug, Default)]
pub struct Causes {
    changes: PathChanges,
    /// Whether the changes of an earlier transaction were lost, so that any import may lead elsewhere.
    all: bool,
    /// Whether the names that a framework imports may differ, so that any name may mean another definition.
    names: bool,
}

impl Causes {
    /// Notes a path that came or went.
    pub fn add(&mut self, path: &RepoPath) {
        self.names |= AutoImports::is_config(path);
        self.changes.add(path);
    }

    /// Notes a unit of several files that came into being or went, by its key.
    pub fn add_unit(&mut self, key: String) {
        self.changes.add_unit(key);
    }

    /// Notes a path that is laid over the index, whose configuration stays as it is.
    pub(super) fn add_path(&mut self, path: &RepoPath) {
        self.changes.add_path(path);
    }

    /// Notes a configuration file whose kept part changed.
    pub fn add_edited(&mut self, path: &RepoPath) {
        self.names |= AutoImports::is_config(path);
        self.changes.add_edited(path);
    }

    /// Returns whether any import may lead elsewhere.
    pub(super) fn may_be_any(&self) -> bool {
        self.all
    }

    /// Returns the files of which one of these imports may lead elsewhere, `manifest` being all files there are now.
    pub(super) fn touched(
        &self,
        manifest: &Manifest,
        specifiers: Vec<(i64, String, ImportTarget)>,
    ) -> BTreeSet<i64> {
        let paths = manifest.files.keys().map(String::as_str);
        let configs = manifest.configs.iter();
        let configs: Vec<(&str, &[u8])> = configs
            .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
            .collect();
        let affected = AffectedImports::of(&self.changes, paths, &configs, manifest.lacks_configs);
        let files = manifest.files.iter();
        let path_of: HashMap<i64, &str> =
            files.map(|(path, file)| (*file, path.as_str())).collect();
        let touched = specifiers.into_iter().filter(|(file, specifier, to)| {
            let to = match to {
                ImportTarget::External => KnownTarget::External,
                ImportTarget::Missing => KnownTarget::Missing,
                ImportTarget::Unit(_) => KnownTarget::Unit,
                ImportTarget::File(to) => path_of
                    .get(to)
                    .map_or(KnownTarget::Missing, |path| KnownTarget::File(path)),
            };
            // The row of a file that is not there any more goes with it.
            let from = path_of.get(file);
            from.is_some_and(|from| affected.contains(from, specifier, to))
        });
        touched.map(|(file, ..)| file).collect()
    }

    /// Returns whether any name may mean something else, as far as that is known without the files.
    pub(super) fn may_be_any_name(&self) -> bool {
        self.names
    }

    /// Returns whether a path came or went that decides what is imported by itself.
    pub(super) fn come_under(&self, imports: &AutoImports) -> bool {
        let mut paths = self.changes.paths().iter();
        paths.any(|path| imports.covers(path.as_str()))
    }

    /// Returns whether nothing came, went or changed.
    pub fn is_empty(&self) -> bool {
        !self.all && self.changes.is_empty()
    }

    /// Notes that earlier changes were lost.
    pub fn add_all(&mut self) {
        self.all = true;
        self.names = true;
    }
}
