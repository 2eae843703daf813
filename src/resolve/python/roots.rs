//! The directories in which absolute imports are looked for.
//!
//! Of each project around a file, the nearest first: the directories that its configuration declares, then `src/`, a
//! directory of the project's own name, `python/` and the project itself. Then the directory that Python or pytest puts on
//! `sys.path`: the first one upwards that is no package. Then the projects elsewhere in the repository, and the other
//! directories above the file at last.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, RwLock};

use super::super::paths::{SAMPLE_DIRECTORIES, join, parent, upwards};
use super::config::{self, DeclaredRoots};
use super::{PACKAGE_ENDINGS, exact, find};
use crate::model::RepoPath;
use crate::model::path::file_name;
use crate::resolve::SourceFiles;

/// Roots of one repository; what follows is not looked at.
const MAX_ROOTS: usize = 4096;

/// A directory in which absolute imports are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ImportRoot {
    /// Its path.
    pub(super) dir: String,
    /// The package that it is itself, e.g. `shop` where `package-dir = {"shop" = "lib"}`; empty where it holds packages.
    prefix: String,
    /// Whether a configuration names it.
    pub(super) is_declared: bool,
}

impl ImportRoot {
    /// Returns the file of a module: for `a.b` perhaps `src/a/b.py`.
    pub(super) fn find(&self, files: &dyn SourceFiles, name: &str) -> Option<RepoPath> {
        let rest = self.rest(name)?.replace('.', "/");
        find(files, &join(&self.dir, &rest)?)
    }

    /// Returns whether the package `first` lies here.
    pub(super) fn has_package(&self, files: &dyn SourceFiles, first: &str) -> bool {
        let directory = match self.prefix.split('.').next() {
            Some("") | None => join(&self.dir, first),
            Some(own) if own == first => Some(self.dir.clone()),
            Some(_) => None,
        };
        directory.is_some_and(|directory| is_package(files, &directory))
    }

    /// Returns whether a module or package `first` lies here.
    fn has(&self, files: &dyn SourceFiles, first: &str) -> bool {
        match self.prefix.split('.').next() {
            Some("") | None => join(&self.dir, first)
                .is_some_and(|path| files.is_dir(&path) || find(files, &path).is_some()),
            Some(own) => own == first,
        }
    }

    fn rest<'a>(&self, name: &'a str) -> Option<&'a str> {
        if self.prefix.is_empty() {
            return Some(name);
        }
        match name.strip_prefix(self.prefix.as_str())? {
            "" => Some(""),
            rest => rest.strip_prefix('.'),
        }
    }
}

/// Returns whether a directory is a package.
fn is_package(files: &dyn SourceFiles, directory: &str) -> bool {
    let mut endings = PACKAGE_ENDINGS.iter();
    endings.any(|ending| exact(files, &format!("{directory}{ending}")).is_some())
}

/// A directory with configuration, and its roots.
#[derive(Debug, Default)]
struct Project {
    dir: String,
    roots: Vec<ImportRoot>,
    /// Whether it lies in a directory of samples, so that files elsewhere never mean its modules.
    is_sample: bool,
}

/// Projects and places in them, by number.
type ProjectPlaces = Arc<[(usize, usize)]>;

/// The roots of a repository.
pub(super) struct ImportRoots {
    /// By depth, then by path.
    projects: Vec<Project>,
    by_dir: HashMap<String, usize>,
    /// The roots that have a module or package of a name.
    with: RwLock<HashMap<String, ProjectPlaces>>,
}

impl ImportRoots {
    /// Reads the configuration files of Python.
    pub(super) fn read(files: &dyn SourceFiles) -> Self {
        let mut declared: HashMap<String, DeclaredRoots> = HashMap::new();
        let mut paths = files.configs();
        paths.sort();
        for path in paths {
            if config::is_config(file_name(&path)) {
                let own = files.read_config(&path).unwrap_or_default();
                let of_dir = declared.entry(parent(&path).to_owned()).or_default();
                of_dir.extend(DeclaredRoots::read(&path, &own));
            }
        }
        // The repository is a project in any case.
        declared.entry(String::new()).or_default().is_project = true;
        let mut projects: Vec<Project> = declared
            .into_iter()
            .map(|(dir, declared)| project(files, dir, &declared))
            .filter(|project| !project.roots.is_empty())
            .collect();
        projects.sort_by_cached_key(|project| {
            let depth = project.dir.matches('/').count();
            (!project.dir.is_empty(), depth, project.dir.clone())
        });
        let mut left = MAX_ROOTS;
        for project in &mut projects {
            project.roots.truncate(left);
            left -= project.roots.len();
        }
        let by_dir = projects.iter().enumerate();
        let by_dir = by_dir.map(|(at, project)| (project.dir.clone(), at));
        Self {
            by_dir: by_dir.collect(),
            projects,
            with: RwLock::default(),
        }
    }

    /// Returns the roots for the file at `from` that may have the module or package `first`, in the order they are asked.
    pub(super) fn with<'a>(
        &'a self,
        files: &'a dyn SourceFiles,
        from: &'a str,
        first: &'a str,
    ) -> impl Iterator<Item = Cow<'a, ImportRoot>> {
        let places = self.places(files, first);
        let enclosing: Vec<usize> = upwards(parent(from))
            .filter_map(|dir| self.by_dir.get(dir).copied())
            .collect();
        let mut near = Vec::new();
        for project in &enclosing {
            near.extend(places.iter().filter(|(of, _)| of == project).copied());
        }
        let elsewhere: Vec<(usize, usize)> = places
            .iter()
            .filter(|(of, _)| !enclosing.contains(of) && !self.projects[*of].is_sample)
            .copied()
            .collect();
        let known = |(project, root): (usize, usize)| &self.projects[project].roots[root];
        let beside = move || {
            let plain = upwards(parent(from)).filter(|dir| !is_package(files, dir));
            plain.map(|dir| Cow::Owned(ImportRoot::of(dir)))
        };
        let has = move |root: &Cow<'_, ImportRoot>| root.has(files, first);
        let elsewhere = elsewhere.into_iter().map(known).filter(move |root| {
            // Beside the configuration of another project lie scripts and tests, of which packages alone are meant.
            let is_plain = |dir: &str| !self.by_dir.contains_key(dir) && !is_sample(dir);
            !SAMPLE_DIRECTORIES.contains(&first)
                && (root.has_package(files, first) || is_plain(&root.dir))
        });
        near.into_iter()
            .map(known)
            .map(Cow::Borrowed)
            .chain(beside().take(1).filter(has))
            .chain(elsewhere.map(Cow::Borrowed))
            .chain(beside().skip(1).filter(has))
    }

    /// Returns whether a root that a configuration names has the package `first`.
    pub(super) fn declare(&self, files: &dyn SourceFiles, first: &str) -> bool {
        let places = self.places(files, first);
        let mut roots = places
            .iter()
            .map(|(project, root)| &self.projects[*project].roots[*root]);
        roots.any(|root| root.is_declared && root.has_package(files, first))
    }

    fn places(&self, files: &dyn SourceFiles, first: &str) -> ProjectPlaces {
        let known = self.with.read().expect("no thread panicked");
        if let Some(known) = known.get(first) {
            return Arc::clone(known);
        }
        drop(known);
        let all = self.projects.iter().enumerate();
        let all = all.flat_map(|(of, project)| {
            let roots = project.roots.iter().enumerate();
            let there = roots.filter(|(_, root)| root.has(files, first));
            there.map(move |(at, _)| (of, at))
        });
        let places: ProjectPlaces = all.collect();
        let mut known = self.with.write().expect("no thread panicked");
        known.insert(first.to_owned(), Arc::clone(&places));
        places
    }
}

impl ImportRoot {
    fn of(dir: &str) -> Self {
        Self {
            dir: dir.to_owned(),
            prefix: String::new(),
            is_declared: false,
        }
    }
}

fn project(files: &dyn SourceFiles, dir: String, declared: &DeclaredRoots) -> Project {
    let mut roots: Vec<ImportRoot> = declared
        .roots
        .iter()
        .map(|(prefix, dir)| ImportRoot {
            dir: dir.clone(),
            prefix: prefix.clone(),
            is_declared: true,
        })
        .collect();
    if declared.is_project {
        let inside = |name: &str| join(&dir, name).unwrap_or_default();
        let plain = |name: &str| {
            let place = inside(name);
            (files.is_dir(&place) && !is_package(files, &place)).then_some(place)
        };
        let own = file_name(&dir).to_owned();
        let names = declared.names.iter().chain(std::iter::once(&own));
        let nested = names
            .filter(|name| {
                !name.is_empty() && is_package(files, &inside(&format!("{name}/{name}")))
            })
            .map(|name| inside(name));
        let implied = plain("src").into_iter().chain(nested);
        let implied = implied.chain(plain("python")).chain([dir.clone()]);
        for place in implied.collect::<Vec<_>>() {
            let root = ImportRoot::of(&place);
            if !roots
                .iter()
                .any(|it| it.dir == place && it.prefix.is_empty())
            {
                roots.push(root);
            }
        }
    }
    Project {
        is_sample: is_sample(&dir),
        dir,
        roots,
    }
}

/// Returns whether `path` is below a directory of samples.
pub(super) fn is_sample(path: &str) -> bool {
    path.split('/')
        .any(|part| SAMPLE_DIRECTORIES.contains(&part))
}
