//! Namespaces of C#: a using directive names one, and each file says which ones its types are in.
//!
//! The files of a namespace are a unit, in whatever directories and projects they lie. Project files are read for the namespaces
//! that all files of a project use, as far as these are written out: `<Using Include="Acme.Db" />`.

mod affected;
mod project;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

pub(super) use affected::AffectedImports;

use super::{ModuleResolver, Resolution, SourceFiles};
use crate::ir::{ExportKind, FileFacts, ImportKind, N_PROJECT_USINGS, global_usings};
use crate::model::RepoPath;
use crate::model::hash::HashMap;
use crate::model::path::file_name;

/// Bytes of a specifier beyond which there is nothing to find.
const MAX_SPECIFIER_BYTES: usize = 1024;

/// Returns whether the file at `path` is written in C#.
pub(super) fn is_source(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| matches!(extension, "cs" | "csx"))
}

/// Whether a file is that of a project, or one that counts for the projects below its directory.
fn is_project_file(name: &str) -> bool {
    name.ends_with(".csproj")
        || name == "Directory.Build.props"
        || name == "Directory.Build.targets"
}

/// Returns the units of a file: `cs:Acme.Db` for each of its namespaces. One with `global using` belongs to the directories around
/// it as well: which of them has the project is not known here. Tests come behind the files that they share a namespace with.
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
    all
}

fn key(namespace: &str) -> String {
    format!("cs:{namespace}")
}

fn key_of_directory(directory: &str) -> String {
    format!("cs#{directory}")
}

/// Resolves using directives, and the namespaces that names begin with.
pub(super) struct DotnetResolver {
    /// The directories with a project, each with the namespaces that its files use.
    projects: HashMap<String, Vec<String>>,
    files: Arc<dyn SourceFiles>,
}

impl DotnetResolver {
    /// Reads the project files.
    pub(super) fn new(files: Arc<dyn SourceFiles>) -> Self {
        let mut own: HashMap<String, Vec<String>> = HashMap::default();
        let mut shared: HashMap<String, Vec<String>> = HashMap::default();
        for path in files.configs() {
            let name = file_name(&path);
            if !is_project_file(name) {
                continue;
            }
            let Some(bytes) = files.read_config(&path) else {
                continue;
            };
            let directory = path.strip_suffix(name).unwrap_or_default();
            let directory = directory.trim_end_matches('/').to_owned();
            let usings = project::usings(&String::from_utf8_lossy(&bytes));
            let into = if name.ends_with(".csproj") {
                &mut own
            } else {
                &mut shared
            };
            into.entry(directory).or_default().extend(usings);
        }
        let projects = own.into_iter().map(|(directory, mut usings)| {
            let mut at = directory.as_str();
            loop {
                usings.extend(shared.get(at).into_iter().flatten().cloned());
                match at.rsplit_once('/') {
                    Some((before, _)) => at = before,
                    None if at.is_empty() => break,
                    None => at = "",
                }
            }
            (directory, usings)
        });
        Self {
            projects: projects.collect(),
            files,
        }
    }

    /// The directory of the nearest project around a file, with the namespaces that its files use.
    fn project_of<'a>(&'a self, from: &'a RepoPath) -> Option<(&'a str, &'a [String])> {
        let mut at = from.directory();
        loop {
            if let Some(usings) = self.projects.get(at) {
                return Some((at, usings));
            }
            match at.rsplit_once('/') {
                Some((before, _)) => at = before,
                None if at.is_empty() => return None,
                None => at = "",
            }
        }
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
        let found = if let Some(which) = specifier.strip_prefix(global_usings()) {
            let Some((directory, usings)) = self.project_of(from) else {
                return Resolution::External;
            };
            let is_known = |key: &String| self.files.has_unit(key);
            match which.trim().parse::<usize>() {
                Ok(at) if at < N_PROJECT_USINGS => {
                    usings.iter().map(|it| key(it)).filter(is_known).nth(at)
                }
                Ok(_) => None,
                Err(_) => Some(key_of_directory(directory)).filter(is_known),
            }
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
