//! Namespaces of C#: a using directive names one, and each file says which ones its types are in.
//!
//! The files of a namespace are a unit, in whatever directories and projects they lie. Project files are read for the namespaces
//! that all files of a project use, `<Using Include="Acme.Db" />` and those of its SDK, and for the projects that it references.

mod affected;
mod project;
mod projects;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

pub(super) use affected::AffectedImports;

use super::{ModuleResolver, Resolution, SourceFiles};
use crate::ir::{
    ExportKind, FileFacts, ImportKind, N_PROJECT_USINGS, N_VISIBLE_PROJECTS, TYPE_NAME_UNIT,
    global_usings, is_type_export, visible_projects,
};
use crate::model::RepoPath;
use crate::model::path::file_name;
use projects::Projects;

/// Bytes of a specifier beyond which there is nothing to find.
const MAX_SPECIFIER_BYTES: usize = 1024;

/// Returns whether the file at `path` is written in C#.
pub(super) fn is_source(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| matches!(extension, "cs" | "csx"))
}

/// Whether a file is that of a project, or one that project files take in.
fn is_project_file(name: &str) -> bool {
    [".csproj", ".props", ".targets"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Returns the units of a file: `cs:Acme.Db` for each of its namespaces. One with `global using` belongs to the directories around
/// it as well: which of them has the project is not known here. One that declares a type belongs to the files of that name. Tests come
/// behind the files that they share a namespace with.
pub(super) fn units(path: &RepoPath, facts: &FileFacts) -> Vec<(String, u8)> {
    let directory = path.directory();
    let is_test = directory.split('/').any(|part| {
        let part = part.to_ascii_lowercase();
        part.contains("test") || part.contains("sample") || part.contains("benchmark")
    });
    let rank = u8::from(is_test);
    let mut all = Vec::new();
    if facts.exports.iter().any(|it| it.kind == ExportKind::Star) {
        let mut at = directory;
        loop {
            all.push((key_of_directory(at), rank));
            match at.rsplit_once('/') {
                Some((before, _)) => at = before,
                None if at.is_empty() => break,
                None => at = "",
            }
        }
        all.sort();
    }
    all.extend(facts.units.iter().map(|it| (key(it), rank)));
    let types = facts.exports.iter().filter(|it| is_type_export(it));
    let mut types: Vec<String> = types.map(|it| key_of_type(&it.name)).collect();
    types.sort();
    types.dedup();
    all.extend(types.into_iter().map(|it| (it, rank)));
    all
}

fn key_of_type(name: &str) -> String {
    format!("{TYPE_NAME_UNIT}{name}")
}

fn key(namespace: &str) -> String {
    format!("cs:{namespace}")
}

fn key_of_directory(directory: &str) -> String {
    format!("cs#{directory}")
}

/// Resolves using directives, the namespaces that names begin with, and the projects that a file sees.
pub(super) struct DotnetResolver {
    projects: Projects,
    files: Arc<dyn SourceFiles>,
}

impl DotnetResolver {
    /// Reads the project files.
    pub(super) fn new(files: Arc<dyn SourceFiles>) -> Self {
        Self {
            projects: Projects::of(&*files),
            files,
        }
    }

    /// Resolves a specifier of [`global_usings`]: the files with `global using` directives of the project, or a namespace
    /// that the project file names.
    fn global_using(&self, from: &RepoPath, which: &str) -> Option<Resolution> {
        let project = self.projects.around(from.directory())?;
        let is_known = |key: &String| self.files.has_unit(key);
        let found = match which.trim().parse::<usize>() {
            Ok(at) if at < N_PROJECT_USINGS => {
                let usings = project.usings.iter().map(|it| key(it));
                usings.filter(is_known).nth(at)
            }
            Ok(_) => None,
            Err(_) => Some(key_of_directory(&project.directory)).filter(is_known),
        };
        found.map(Resolution::Unit)
    }

    /// Returns a project that a file sees, its own at 0. Where not all are known, or they are too many, that is all there is, also under
    /// the specifier of a project that sees all.
    fn visible_project(&self, from: &RepoPath, which: &str) -> Option<Resolution> {
        let project = self.projects.around(from.directory())?;
        let all = project.visible.as_ref();
        let all = all.filter(|it| it.len() <= N_VISIBLE_PROJECTS);
        let path = match (which.trim().parse::<usize>(), all) {
            (Ok(0), _) | (Err(_), None) => &project.path,
            (Ok(at), Some(all)) => all.get(at)?,
            _ => return None,
        };
        RepoPath::new(path).map(Resolution::File)
    }
}

impl ModuleResolver for DotnetResolver {
    fn is_config(path: &RepoPath) -> bool {
        is_project_file(file_name(path.as_str()))
    }

    fn relevant_bytes<'a>(_: &RepoPath, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        Cow::Owned(project::relevant(&String::from_utf8_lossy(bytes)).into_bytes())
    }

    /// A name inside of a namespace is looked for in that, then in those around: `Acme.App|Db` is `Acme.App.Db`, `Acme.Db` or `Db`.
    fn resolve(&self, from: &RepoPath, specifier: &str, _: ImportKind) -> Resolution {
        if specifier.len() > MAX_SPECIFIER_BYTES {
            return Resolution::External;
        }
        if let Some(which) = specifier.strip_prefix(global_usings()) {
            return self
                .global_using(from, which)
                .unwrap_or(Resolution::External);
        }
        if let Some(which) = specifier.strip_prefix(visible_projects()) {
            return self
                .visible_project(from, which)
                .unwrap_or(Resolution::External);
        }
        let found = if let Some(name) = specifier.strip_prefix('=') {
            Some(key_of_type(name)).filter(|key| self.files.has_unit(key))
        } else {
            candidates(specifier)
                .map(|it| key(&it))
                .find(|key| self.files.has_unit(key))
        };
        found.map_or(Resolution::External, Resolution::Unit)
    }
}

/// Returns the whole names that a namespace may have, the innermost first.
fn candidates(specifier: &str) -> impl Iterator<Item = String> {
    let (mut around, name) = match specifier.split_once('|') {
        Some((around, name)) => (Some(around), name),
        None => (Some(""), specifier),
    };
    std::iter::from_fn(move || {
        let here = around?;
        around = match here.rsplit_once('.') {
            Some((before, _)) => Some(before),
            None if here.is_empty() => None,
            None => Some(""),
        };
        Some(match (here.is_empty(), name.is_empty()) {
            (true, _) => name.to_owned(),
            (_, true) => here.to_owned(),
            _ => format!("{here}.{name}"),
        })
    })
}
