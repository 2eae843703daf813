//! The files of the index as the resolver sees them: its [`SourceFiles`], without the disk.

use std::collections::BTreeMap;

use crate::model::hash::{HashMap, HashSet};
use crate::model::path::{parent, upwards};
use crate::model::{FileId, UnitId};
use crate::resolve::{AutoImports, Resolution, SourceFiles};
use crate::store::facts::unpack;
use crate::store::{ImportTarget, Read, StoreError};

/// Paths, configuration files and units of the index.
pub struct IndexedFiles {
    pub(super) files: HashMap<String, FileId>,
    directories: HashSet<String>,
    pub(super) configs: HashMap<String, Vec<u8>>,
    /// Units of several files, by their keys.
    pub(super) units: BTreeMap<String, UnitId>,
    /// Whether there is a configuration that could not be unpacked.
    pub(super) lacks_configs: bool,
}

impl IndexedFiles {
    pub(super) fn of(read: &Read<'_>) -> Result<Self, StoreError> {
        let mut directories = HashSet::default();
        let mut files = HashMap::default();
        read.each_path(|file, path| {
            for directory in upwards(parent(path)) {
                if directories.contains(directory) {
                    break;
                }
                directories.insert(directory.to_owned());
            }
            files.insert(path.to_owned(), file);
        })?;
        let packed = read.packed_configs()?;
        let n_configs = packed.len();
        let configs: HashMap<String, Vec<u8>> = packed
            .into_iter()
            .filter_map(|(path, packed)| Some((path.as_str().to_owned(), unpack(&packed)?)))
            .collect();
        Ok(Self {
            files,
            directories,
            lacks_configs: configs.len() < n_configs,
            configs,
            units: read.units()?.into_iter().collect(),
        })
    }

    /// Returns the names that a framework auto-imports.
    pub(super) fn auto_imports(&self) -> AutoImports {
        let configs = self.configs.iter();
        let configs = configs.map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
        AutoImports::of(configs, &mut self.files.keys().map(String::as_str))
    }

    pub(super) fn empty() -> Self {
        Self {
            files: HashMap::default(),
            directories: HashSet::default(),
            configs: HashMap::default(),
            units: BTreeMap::new(),
            lacks_configs: false,
        }
    }

    /// Adds a file under the id of its row, or an id that no row has.
    pub(super) fn add(&mut self, path: &str, file: FileId) {
        for directory in upwards(parent(path)) {
            self.directories.insert(directory.to_owned());
        }
        self.files.insert(path.to_owned(), file);
    }

    pub(super) fn target(&self, to: &Resolution) -> ImportTarget {
        match to {
            Resolution::File(path) => self
                .files
                .get(path.as_str())
                .map_or(ImportTarget::Missing, |id| ImportTarget::File(*id)),
            Resolution::Unit(key) => self
                .units
                .get(key)
                .map_or(ImportTarget::Missing, |id| ImportTarget::Unit(*id)),
            Resolution::External => ImportTarget::External,
            Resolution::Missing => ImportTarget::Missing,
        }
    }
}

impl SourceFiles for IndexedFiles {
    fn is_file(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    fn is_dir(&self, path: &str) -> bool {
        path.is_empty() || self.directories.contains(path)
    }

    fn files_in(&self, directory: &str) -> Vec<String> {
        let all = self.files.keys();
        let mut own: Vec<String> = all
            .filter(|path| parent(path) == directory)
            .cloned()
            .collect();
        own.sort();
        own
    }

    fn paths(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    fn units(&self, prefix: &str) -> Vec<String> {
        let from = self.units.range(prefix.to_owned()..);
        let units = from.map(|(key, _)| key);
        units
            .take_while(|key| key.starts_with(prefix))
            .cloned()
            .collect()
    }

    fn has_unit(&self, key: &str) -> bool {
        self.units.contains_key(key)
    }

    fn read_config(&self, path: &str) -> Option<Vec<u8>> {
        self.configs.get(path).cloned()
    }

    fn configs(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.configs.keys().cloned().collect();
        paths.sort();
        paths
    }
}
