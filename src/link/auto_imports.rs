//! Names that a framework auto-imports: in Nuxt `useFoo()` without an import.
//!
//! `resolve` says which files a framework imports from; this looks the names up in their exports.

use std::rc::Rc;

use super::cache::{Def, FactsCache};
use super::exports;
use crate::model::hash::HashMap;
use crate::model::{FileId, ModuleId};
use crate::resolve::AutoImports;
use crate::store::facts::unpack;
use crate::store::{Read, StoreError};

/// First id of the memo of auto-imported names; no file has it.
const FIRST_KEY: i64 = i64::MIN / 2;

/// The auto-imported names, over the rows of one generation.
#[derive(Debug, Default)]
pub(super) struct AutoImported {
    imports: AutoImports,
    files: HashMap<String, FileId>,
    paths: HashMap<FileId, String>,
}

impl AutoImported {
    /// Reads the configuration of the index, and its paths where that imports anything.
    pub(super) fn of(read: &Read<'_>) -> Result<Self, StoreError> {
        let packed = read.packed_configs()?;
        let unpacked = packed.into_iter().filter_map(|(path, packed)| {
            let bytes = AutoImports::is_config(&path).then(|| unpack(&packed))??;
            Some((path, bytes))
        });
        let configs: Vec<_> = unpacked.collect();
        let mut found = Self::default();
        if configs.is_empty() {
            return Ok(found);
        }
        read.each_path(|file, path| {
            found.files.insert(path.to_owned(), file);
            found.paths.insert(file, path.to_owned());
        })?;
        let configs = configs
            .iter()
            .map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
        found.imports = AutoImports::of(configs, &mut found.files.keys().map(String::as_str));
        Ok(found)
    }
}

impl FactsCache<'_> {
    /// Returns the component that an element means that the file does not bind: `<NavFooter/>`.
    pub(super) fn auto_component(&self, from: ModuleId, name: &str) -> Option<Def> {
        let imported = self.auto_imported();
        let root = imported
            .imports
            .root_of(imported.paths.get(&from.file())?)?;
        let path = imported.imports.component(root, name)?;
        let file = *imported.files.get(path)?;
        symbol(exports::resolve(self, file.into(), "default"))
    }

    /// Returns the definition that a name means that the file does not bind: `useFoo()`. `None` where several files export
    /// it.
    pub(super) fn auto_value(&self, from: ModuleId, name: &str) -> Option<Def> {
        let imported = Rc::clone(self.auto_imported());
        let root = imported
            .imports
            .root_of(imported.paths.get(&from.file())?)?;
        let key = ModuleId::new(FIRST_KEY + i64::try_from(root).ok()?);
        self.memoized(key, name, || {
            let mut found = None;
            for path in imported.imports.sources(root) {
                let Some(file) = imported.files.get(path) else {
                    continue;
                };
                let stem = path
                    .rsplit('/')
                    .next()
                    .and_then(|name| name.split('.').next());
                let own = exports::resolve(self, (*file).into(), name);
                let named = || exports::resolve(self, (*file).into(), "default");
                let def = own.or_else(|| (stem == Some(name)).then(named)?);
                match (symbol(def), found) {
                    (Some(def), Some(other)) if def != other => return None,
                    (Some(def), _) => found = Some(def),
                    (None, _) => {}
                }
            }
            found
        })
    }
}

fn symbol(def: Option<Def>) -> Option<Def> {
    def.filter(|def| matches!(def, Def::Symbol(..)))
}
