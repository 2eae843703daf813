//! The projects of a repository: the namespaces that the files of each use, and the projects whose types they see.

use std::collections::BTreeMap;

use super::super::SourceFiles;
use super::super::paths::{join, upwards};
use super::project::{
    IMPLICIT_USINGS, MAUI_USINGS, ProjectSetting, expanded, implicit_usings, settings,
};
use crate::model::hash::HashMap;
use crate::model::path::{file_name, parent};

/// Files that one project takes in.
const MAX_FILES: usize = 100;

/// One project.
#[derive(Debug)]
pub(super) struct Project {
    /// The path of its project file.
    pub(super) path: String,
    pub(super) directory: String,
    /// The namespaces that all of its files use.
    pub(super) usings: Vec<String>,
    /// The paths of its own project file and of those that it references, directly or through others, the nearest first; `None` where
    /// a reference leads to a file that is not known.
    pub(super) visible: Option<Vec<String>>,
}

/// The projects by their directories.
#[derive(Debug, Default)]
pub(super) struct Projects(HashMap<String, Project>);

/// A project file with the files that it takes in, before references are followed.
struct ReadProject {
    path: String,
    usings: Vec<String>,
    /// Paths of projects, or directories of code.
    references: Vec<String>,
    is_open: bool,
}

impl Projects {
    /// Reads the project files.
    pub(super) fn of(files: &dyn SourceFiles) -> Self {
        let mut kept: BTreeMap<String, Vec<ProjectSetting>> = BTreeMap::new();
        for path in files.configs() {
            if super::is_project_file(file_name(&path))
                && let Some(bytes) = files.read_config(&path)
            {
                kept.insert(path, settings(&String::from_utf8_lossy(&bytes)));
            }
        }
        // Of several in one directory the first counts.
        let mut read: BTreeMap<String, ReadProject> = BTreeMap::new();
        for path in kept.keys().filter(|it| it.ends_with(".csproj")) {
            let directory = parent(path).to_owned();
            read.entry(directory)
                .or_insert_with(|| ReadProject::of(path, &kept));
        }
        let by_name: HashMap<&str, &str> = read
            .iter()
            .map(|(directory, it)| (stem(&it.path), directory.as_str()))
            .collect();
        let around = |directory: &str| {
            let found = upwards(directory).find_map(|it| read.get_key_value(it));
            found.map(|(directory, _)| directory.as_str())
        };
        let visible_from = |start: &str| {
            let mut seen = vec![start];
            let mut next = 0;
            while let Some(at) = seen.get(next).copied() {
                next += 1;
                let project = read.get(at)?;
                if project.is_open {
                    return None;
                }
                for reference in &project.references {
                    let found = match reference.rsplit_once('.') {
                        Some((_, "csproj")) => {
                            Some(read.get_key_value(parent(reference))?.0.as_str())
                        }
                        Some((before, "fsproj" | "vbproj")) if before.contains('/') => return None,
                        Some((_, "cs")) => around(parent(reference)),
                        // An assembly or a package: `Acme.Db`.
                        _ => by_name.get(reference.as_str()).copied(),
                    };
                    if let Some(found) = found.filter(|it| !seen.contains(it)) {
                        seen.push(found);
                    }
                }
            }
            let paths = seen.into_iter().filter_map(|it| read.get(it));
            Some(paths.map(|it| it.path.clone()).collect())
        };
        let all = read.iter().map(|(directory, project)| {
            let known = Project {
                path: project.path.clone(),
                directory: directory.clone(),
                usings: project.usings.clone(),
                visible: visible_from(directory),
            };
            (directory.clone(), known)
        });
        Self(all.collect())
    }

    /// The project that the files of a directory belong to.
    pub(super) fn around(&self, directory: &str) -> Option<&Project> {
        upwards(directory).find_map(|it| self.0.get(it))
    }
}

impl ReadProject {
    fn of(path: &str, kept: &BTreeMap<String, Vec<ProjectSetting>>) -> Self {
        let directory = parent(path);
        let shared = |name: &str| {
            let around = upwards(directory).map(|it| joined(it, name));
            let around = around.filter(|it| kept.contains_key(it));
            around.collect::<Vec<String>>()
        };
        let mut order = shared("Directory.Build.props");
        order.push(path.to_owned());
        order.extend(shared("Directory.Build.targets"));
        let own = kept.get(path).into_iter().flatten();
        // Values of the project itself come before those that it takes in.
        let mut properties: HashMap<String, String> = HashMap::default();
        let mut add = |settings: &[ProjectSetting]| {
            for setting in settings {
                if let ProjectSetting::Property(name, value) = setting {
                    let known = properties.entry(name.clone());
                    known.or_insert_with(|| value.clone());
                }
            }
        };
        add(&own.cloned().collect::<Vec<_>>());
        let mut next = 0;
        while let Some(at) = order.get(next).cloned() {
            add(kept.get(&at).map_or(&[], Vec::as_slice));
            next += 1;
        }
        let mut made = Self {
            path: path.to_owned(),
            usings: Vec::new(),
            references: Vec::new(),
            is_open: false,
        };
        let mut removed = Vec::new();
        let mut sdks = Vec::new();
        let mut next = 0;
        while let Some(at) = order.get(next).cloned() {
            next += 1;
            let here = parent(&at);
            for setting in kept.get(&at).into_iter().flatten() {
                match setting {
                    ProjectSetting::Sdk(name) => sdks.push(name.clone()),
                    ProjectSetting::Using(name) => {
                        made.usings.extend(expanded(name, here, &properties));
                    }
                    ProjectSetting::NoUsing(name) => removed.push(name.clone()),
                    ProjectSetting::Import(to) => {
                        let to = expanded(to, here, &properties);
                        let to = to.and_then(|to| from_root(here, &to));
                        if let Some(to) = to
                            && kept.contains_key(&to)
                            && !order.contains(&to)
                            && order.len() < MAX_FILES
                        {
                            order.push(to.clone());
                            for setting in &kept[&to] {
                                if let ProjectSetting::Property(name, value) = setting {
                                    let known = properties.entry(name.clone());
                                    known.or_insert_with(|| value.clone());
                                }
                            }
                        }
                    }
                    ProjectSetting::Reference(to) => match expanded(to, here, &properties) {
                        // Paths of items are seen from the project.
                        Some(to) if to.contains('/') || to.ends_with("proj") => {
                            match from_root(directory, &to) {
                                Some(to) if !to.contains('*') => made.references.push(to),
                                _ => made.is_open = true,
                            }
                        }
                        Some(to) => made.references.push(to),
                        None => made.is_open = true,
                    },
                    ProjectSetting::Property(..) => {}
                }
            }
        }
        let is_on = |name: &str| {
            let value = properties.get(name).map(|it| it.to_ascii_lowercase());
            value.is_some_and(|it| matches!(it.as_str(), "enable" | "true"))
        };
        if is_on("ImplicitUsings") {
            let of_sdks = sdks.iter().flat_map(|it| implicit_usings(it));
            let maui = MAUI_USINGS.iter().filter(|_| is_on("UseMaui"));
            let all = IMPLICIT_USINGS.iter().chain(of_sdks).chain(maui);
            let all = all.map(|it| (*it).to_owned());
            let all: Vec<String> = all.filter(|it| !removed.contains(it)).collect();
            made.usings.extend(all);
        }
        let mut seen = crate::model::hash::HashSet::default();
        made.usings.retain(|it| seen.insert(it.clone()));
        made
    }
}

fn joined(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    }
}

/// Returns a path from the root of the repository: one that begins with a slash is from there.
fn from_root(directory: &str, path: &str) -> Option<String> {
    match path.strip_prefix('/') {
        Some(rest) => join("", rest),
        None => join(directory, path),
    }
}

fn stem(path: &str) -> &str {
    let name = file_name(path);
    name.strip_suffix(".csproj").unwrap_or(name)
}
