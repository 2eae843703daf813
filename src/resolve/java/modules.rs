//! The modules of the builds in a repository: which source directory belongs to which, and which modules each depends on.

use std::collections::BTreeMap;

use super::build_files::{BuildFile, BuildFileKind};
use super::source_set;
use crate::model::hash::{HashMap, HashSet};
use crate::model::path::parent;
use crate::resolve::SourceFiles;
use crate::resolve::paths::{join, upwards};

/// Modules that are known; files of the others belong to the one around.
const MAX_MODULES: usize = 20_000;

/// Modules that one depends on, at any distance, that are looked through.
const MAX_VISIBLE: usize = 2_000;

/// A module, with the paths by which others name it.
#[derive(Debug, Default)]
struct BuildModule {
    /// The names of the modules that it depends on, as its build files write them.
    dependencies: Vec<String>,
    /// The directory of the Maven parent, whose dependencies it has as well.
    parent: Option<String>,
    artifact: Option<String>,
}

/// The modules of a repository by their directories.
#[derive(Debug, Default)]
pub(super) struct Modules {
    by_directory: BTreeMap<String, BuildModule>,
    /// Directories of sources that are written out, with their module and whether they are of tests.
    sources: HashMap<String, (String, bool)>,
    /// Directories by the names in dependencies; `None` where two modules share one.
    by_name: HashMap<String, Option<String>>,
}

/// The place of a file in a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BuildPlace {
    /// The directory of its module.
    pub(super) module: String,
    /// Whether it is of its tests, or of another set of sources than the one that is delivered.
    pub(super) is_of_tests: bool,
}

impl Modules {
    /// Reads all build files.
    pub(super) fn of(files: &dyn SourceFiles) -> Self {
        let mut all = Self::default();
        for path in files.configs() {
            let Some(kind) = BuildFileKind::of(&path) else {
                continue;
            };
            if let Some(bytes) = files.read_config(&path) {
                all.add(&path, kind, BuildFile::of_bytes(&bytes));
            }
        }
        let artifacts = all.by_directory.iter();
        let artifacts: Vec<(String, String)> = artifacts
            .filter_map(|(directory, it)| Some((it.artifact.clone()?, directory.clone())))
            .collect();
        for (artifact, directory) in artifacts {
            all.name(artifact, &directory);
        }
        all
    }

    fn add(&mut self, path: &str, kind: BuildFileKind, read: BuildFile) {
        let directory = parent(path);
        for included in read.included {
            let Some(at) = join(directory, &included.directory) else {
                continue;
            };
            if self.by_directory.len() < MAX_MODULES {
                self.by_directory.entry(at.clone()).or_default();
            }
            self.name(accessor(&included.path), &at);
            self.name(included.path, &at);
        }
        if kind == BuildFileKind::GradleSettings || self.by_directory.len() >= MAX_MODULES {
            return;
        }
        for (sources, is_of_tests) in [(read.sources, false), (read.test_sources, true)] {
            for source in sources {
                if let Some(at) = join(directory, &source) {
                    self.sources.insert(at, (directory.to_owned(), is_of_tests));
                }
            }
        }
        let module = self.by_directory.entry(directory.to_owned()).or_default();
        module.dependencies.extend(read.dependencies);
        if kind == BuildFileKind::Maven {
            module.artifact = read.artifact;
            let parent = read.parent.and_then(|it| join(directory, &it));
            module.parent = parent.map(|it| {
                let file = it.strip_suffix("pom.xml");
                file.map_or(it.clone(), |it| it.trim_end_matches('/').to_owned())
            });
        }
    }

    fn name(&mut self, name: String, directory: &str) {
        let known = self
            .by_name
            .entry(name)
            .or_insert_with(|| Some(directory.to_owned()));
        if known.as_deref() != Some(directory) {
            *known = None;
        }
    }

    /// Returns the place of a file whose package begins below the directory `root`.
    pub(super) fn place(&self, root: &str) -> BuildPlace {
        let written = upwards(root).find_map(|it| self.sources.get(it));
        if let Some((module, is_of_tests)) = written {
            return BuildPlace {
                module: module.clone(),
                is_of_tests: *is_of_tests,
            };
        }
        let set = source_set(root);
        let built = upwards(root).find(|it| self.by_directory.contains_key(*it));
        BuildPlace {
            module: built.unwrap_or(set.module).to_owned(),
            is_of_tests: set.rank > 0,
        }
    }

    /// Returns the module in a directory and those that it depends on, by distance: itself, then its dependencies, then
    /// theirs.
    pub(super) fn visible_from(&self, module: &str) -> Vec<Vec<String>> {
        let mut levels = vec![vec![module.to_owned()]];
        let mut seen: HashSet<String> = HashSet::default();
        seen.insert(module.to_owned());
        while let Some(last) = levels.last()
            && seen.len() < MAX_VISIBLE
        {
            let mut next = Vec::new();
            for directory in last {
                for found in self.dependencies_of(directory) {
                    if seen.insert(found.clone()) {
                        next.push(found);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            levels.push(next);
        }
        levels
    }

    /// The directories of the modules that one names as its dependencies, or that its parents name for it.
    fn dependencies_of(&self, directory: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut seen = vec![directory.to_owned()];
        let mut next = self.by_directory.get(directory);
        while let Some(module) = next {
            for name in &module.dependencies {
                found.extend(self.by_name.get(name).cloned().flatten());
            }
            next = match &module.parent {
                Some(parent) if !seen.contains(parent) && seen.len() < 64 => {
                    seen.push(parent.clone());
                    self.by_directory.get(parent)
                }
                _ => None,
            };
        }
        found
    }
}

/// Returns the name of a project in scripts that do not write its path: `projects.coreDb.text` for `:core-db:text`.
fn accessor(path: &str) -> String {
    let mut name = "projects".to_owned();
    let mut is_start = false;
    for c in path.chars() {
        match c {
            ':' => {
                name.push('.');
                is_start = false;
            }
            '-' | '_' | '.' => is_start = true,
            c if is_start => {
                name.extend(c.to_uppercase());
                is_start = false;
            }
            c => name.push(c),
        }
    }
    name
}
