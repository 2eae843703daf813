//! Packages of Go: an import path is a directory below a module of the repository, and a package of it.
//!
//! The module is the one with the longest path that the import begins with, among all `go.mod` files; `replace` with a local
//! path and `vendor` directories come first. The files of a package are a unit, named by directory and package clause.
//! Build constraints of file names are read here, those in a file by `syntax`.

mod affected;
mod modfile;
mod platforms;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

pub(super) use affected::AffectedImports;

use super::paths::{below, join, upwards};
use super::{LEFT_OUT_RANK, ModuleResolver, Resolution, SourceFiles};
use crate::ir::{FileFacts, ImportKind};
use crate::model::RepoPath;
use crate::model::path::file_name;
use modfile::ModFile;
pub use platforms::Platforms;
use platforms::{NamedPlatform, of_file_name};

/// Bytes of an import path beyond which there is nothing to find.
const MAX_SPECIFIER_BYTES: usize = 1024;

/// Modules of a repository that are known; in the others imports lead out of it.
const MAX_MODULES: usize = 10_000;

/// Returns whether the file at `path` is written in Go.
pub(super) fn is_source(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| extension == "go")
}

/// Returns the unit of a file: `go:store#store` for `package store` in `store/a.go`. Files that a build for Linux on amd64
/// leaves out come last, tests behind the files that they are in a package with.
pub(super) fn units(path: &RepoPath, facts: &FileFacts) -> Vec<(String, u8)> {
    let Some(clause) = facts.units.first() else {
        return Vec::new();
    };
    let name = path.file_name();
    let is_test = name.ends_with("_test.go");
    let is_left_out = facts.is_alternative || is_for_other_platform(name) || is_ignored(name);
    let rank = LEFT_OUT_RANK * u8::from(is_left_out) + u8::from(is_test);
    vec![(key(path.directory(), clause), rank)]
}

fn key(directory: &str, clause: &str) -> String {
    format!("go:{directory}#{clause}")
}

/// Files that the go command does not see.
fn is_ignored(name: &str) -> bool {
    name.starts_with(['_', '.'])
}

/// Returns whether the name of a file says that it is for another operating system or architecture than Linux on amd64:
/// `lock_windows.go`, `sum_arm64.go`.
fn is_for_other_platform(name: &str) -> bool {
    let NamedPlatform {
        system,
        architecture,
    } = of_file_name(name);
    system.is_some_and(|it| it != "linux") || architecture.is_some_and(|it| it != "amd64")
}

/// A module, a module that another one is replaced by, or a directory of a workspace.
#[derive(Debug)]
struct ModuleRoot {
    /// The module path.
    path: String,
    /// Its directory.
    directory: String,
    /// The directory below which it counts; `None` for a module of the repository, which counts everywhere.
    scope: Option<String>,
}

/// Resolves import paths.
pub(super) struct GoResolver {
    /// The longest paths first.
    roots: Vec<ModuleRoot>,
    /// The directories of `go.mod` files.
    modules: Vec<String>,
    files: Arc<dyn SourceFiles>,
}

impl GoResolver {
    /// Reads the `go.mod` and `go.work` files.
    pub(super) fn new(files: Arc<dyn SourceFiles>) -> Self {
        let mut roots = Vec::new();
        let mut modules = Vec::new();
        for path in files.configs() {
            let name = file_name(&path);
            if !is_mod_file(name) || modules.len() >= MAX_MODULES {
                continue;
            }
            let Some(bytes) = files.read_config(&path) else {
                continue;
            };
            let directory = path.strip_suffix(name).unwrap_or_default();
            let directory = directory.trim_end_matches('/').to_owned();
            let read = ModFile::read(&bytes);
            for (from, to) in read.replaced {
                if let Some(to) = join(&directory, &to) {
                    roots.push(ModuleRoot {
                        path: from,
                        directory: to,
                        scope: Some(directory.clone()),
                    });
                }
            }
            if let Some(path) = read.module {
                // The modules of the standard library are imported without its name.
                let path = if path == "std" { String::new() } else { path };
                roots.push(ModuleRoot {
                    path,
                    directory: directory.clone(),
                    scope: None,
                });
                modules.push(directory);
            }
        }
        // Of equal paths the first are those that count below a directory, then those near the root.
        roots.sort_by(|a, b| {
            let key = |it: &ModuleRoot| {
                (
                    it.path.len(),
                    it.scope.is_some(),
                    it.scope.as_ref().map(String::len),
                )
            };
            let depth = |it: &ModuleRoot| {
                it.directory.matches('/').count() + usize::from(!it.directory.is_empty())
            };
            key(b)
                .cmp(&key(a))
                .then_with(|| a.path.cmp(&b.path))
                .then_with(|| depth(a).cmp(&depth(b)))
                .then_with(|| a.directory.cmp(&b.directory))
        });
        modules.sort();
        Self {
            roots,
            modules,
            files,
        }
    }

    /// Returns the directory of the module around a directory.
    fn module_of<'a>(&self, directory: &'a str) -> Option<&'a str> {
        let is_module = |it: &&str| {
            self.modules
                .binary_search_by(|known| known.as_str().cmp(it))
                .is_ok()
        };
        upwards(directory).find(is_module)
    }

    /// Returns the package in a directory that other packages can import: not the tests of it, and no program where there
    /// is anything else.
    fn package_in(&self, directory: &str, specifier: &str) -> Option<Resolution> {
        let prefix = key(directory, "");
        let all = self.files.units(&prefix);
        let clause = |unit: &str| unit[prefix.len()..].to_owned();
        let rank = |unit: &&String| {
            let clause = clause(unit);
            let is_program = matches!(clause.as_str(), "main" | "documentation" | "ignore");
            (is_program, clause != file_name(specifier))
        };
        let packages = all.iter().filter(|unit| !unit.ends_with("_test"));
        packages
            .min_by_key(rank)
            .map(|unit| Resolution::Unit(unit.clone()))
    }

    /// Returns the directory of an import path below the root of its module, and whether that module is one of the
    /// repository.
    fn in_modules(&self, from: &RepoPath, specifier: &str) -> Option<Resolution> {
        let own = self.module_of(from.directory());
        let mut is_ours = false;
        let counts = |root: &&ModuleRoot| match &root.scope {
            None => true,
            Some(scope) => below(from.as_str(), scope).is_some(),
        };
        let fitting = self
            .roots
            .iter()
            .filter(counts)
            .filter(|root| below(specifier, &root.path).is_some());
        let mut longest = None;
        let mut candidates: Vec<&ModuleRoot> = Vec::new();
        for root in fitting {
            if longest.is_some_and(|length| root.path.len() < length) && !root.path.is_empty() {
                break;
            }
            longest.get_or_insert(root.path.len());
            candidates.push(root);
        }
        // A copy of a module in the same directory as the importer is meant before others of that name.
        candidates.sort_by_key(|root| (root.scope.is_none(), Some(root.directory.as_str()) != own));
        for root in candidates {
            let rest = below(specifier, &root.path)?;
            let Some(directory) = join(&root.directory, rest) else {
                continue;
            };
            is_ours |= !root.path.is_empty();
            // A module inside another one is cut out of it.
            if self
                .module_of(&directory)
                .is_some_and(|module| module.len() > root.directory.len())
            {
                continue;
            }
            if let Some(found) = self.package_in(&directory, specifier) {
                return Some(found);
            }
        }
        is_ours.then_some(Resolution::Missing)
    }

    /// Returns the copy of a package in a `vendor` directory above the importer.
    fn vendored(&self, from: &RepoPath, specifier: &str) -> Option<Resolution> {
        upwards(from.directory()).find_map(|directory| {
            let vendor = join(directory, "vendor")?;
            let is_there = self.files.is_dir(&vendor);
            is_there.then(|| self.package_in(&join(&vendor, specifier)?, specifier))?
        })
    }

    /// Without any module a repository is a directory of a `GOPATH`: what an import path ends with is a directory of it.
    fn by_suffix(&self, specifier: &str) -> Option<Resolution> {
        let (host, _) = specifier.split_once('/')?;
        if !self.modules.is_empty() || !host.contains('.') {
            return None;
        }
        let mut rest = specifier;
        while let Some((_, inner)) = rest.split_once('/') {
            rest = inner;
            if let Some(found) = self.package_in(rest, specifier) {
                return Some(found);
            }
        }
        None
    }
}

fn is_mod_file(name: &str) -> bool {
    matches!(name, "go.mod" | "go.work")
}

impl ModuleResolver for GoResolver {
    fn is_config(path: &RepoPath) -> bool {
        is_mod_file(path.file_name())
    }

    fn relevant_bytes<'a>(_: &RepoPath, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        Cow::Owned(ModFile::read(bytes).to_bytes())
    }

    fn resolve(&self, from: &RepoPath, specifier: &str, _: ImportKind) -> Resolution {
        let is_broken = specifier.is_empty()
            || specifier.len() > MAX_SPECIFIER_BYTES
            || specifier.contains(['\\', '\0', '#'])
            || specifier.starts_with('/')
            || specifier.split('/').any(str::is_empty);
        if is_broken || specifier == "C" {
            return Resolution::External;
        }
        if specifier == "."
            || specifier == ".."
            || specifier.starts_with("./")
            || specifier.starts_with("../")
        {
            let directory = join(from.directory(), specifier);
            let found = directory.and_then(|directory| self.package_in(&directory, specifier));
            return found.unwrap_or(Resolution::Missing);
        }
        let in_modules = self.in_modules(from, specifier);
        match in_modules {
            Some(Resolution::Unit(unit)) => Resolution::Unit(unit),
            _ => self
                .vendored(from, specifier)
                .or(in_modules)
                .or_else(|| self.by_suffix(specifier))
                .unwrap_or(Resolution::External),
        }
    }
}
