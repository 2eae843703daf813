//! Which compiler options are in force for a file.

use std::collections::HashMap;

use super::config_files::is_compiler_config;
use super::files::SourceFiles;
use super::package::Packages;
use super::paths::{below, parent, upwards};
use super::tsconfig::{TsConfig, TsConfigReader};

/// Every `tsconfig*.json` and `jsconfig*.json` that can be read.
pub(super) struct Configs {
    all: Vec<TsConfig>,
    /// By the directory they stand in, in the order they are asked.
    in_dir: HashMap<String, Vec<usize>>,
    /// For each, those it refers to that include files elsewhere.
    referred: Vec<Vec<usize>>,
}

impl Configs {
    /// Reads the configurations among the sorted `paths`.
    pub(super) fn read(files: &dyn SourceFiles, packages: &Packages, paths: &[String]) -> Self {
        let mut reader = TsConfigReader::new(files, packages);
        let mut all: Vec<TsConfig> = paths
            .iter()
            .filter(|path| is_compiler_config(path.rsplit('/').next().unwrap_or(path)))
            .filter_map(|path| reader.config(path))
            .collect();
        // The plain names first: a compiler takes them without being told.
        all.sort_by_cached_key(|config| {
            let plain = config.path.ends_with("tsconfig.json");
            let script = config.path.ends_with("jsconfig.json");
            (!plain, !script, config.path.clone())
        });
        let mut in_dir: HashMap<String, Vec<usize>> = HashMap::new();
        let mut by_path: HashMap<&str, usize> = HashMap::new();
        for (at, config) in all.iter().enumerate() {
            in_dir.entry(config.dir().to_owned()).or_default().push(at);
            by_path.insert(&config.path, at);
        }
        let referred = all
            .iter()
            .map(|config| {
                let others = config.references.iter();
                let others = others.filter_map(|path| by_path.get(path.as_str()).copied());
                others.filter(|&at| all[at].reaches_out()).collect()
            })
            .collect();
        Self {
            all,
            in_dir,
            referred,
        }
    }

    /// Returns the configurations for the file at `path`: of its directory and those around it, the
    /// nearest first, each followed by those it refers to that stand elsewhere and include the file.
    pub(super) fn for_file<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a TsConfig> {
        self.around(parent(path)).flat_map(move |at| {
            let others = self.referred[at].iter().map(|&other| &self.all[other]);
            let others = others.filter(move |other| {
                let around = below(path, other.dir()).is_some();
                !around && other.includes(path)
            });
            std::iter::once(&self.all[at]).chain(others)
        })
    }

    /// Returns the configurations of the directory `dir` and those around it, the nearest first.
    pub(super) fn for_dir<'a>(&'a self, dir: &'a str) -> impl Iterator<Item = &'a TsConfig> {
        self.around(dir).map(|at| &self.all[at])
    }

    fn around<'a>(&'a self, dir: &'a str) -> impl Iterator<Item = usize> {
        upwards(dir)
            .filter_map(|dir| self.in_dir.get(dir))
            .flatten()
            .copied()
    }
}
