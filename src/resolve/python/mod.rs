//! Modules of Python: relative imports from the package of a file, absolute ones from the roots of the repository.
//!
//! `a.b` is `a/b/__init__.py` or `a/b.py` in the first root that has one, e.g. `src/a/b.py`. The order of the roots is
//! that of `ty`, with the nearest project first; see [`roots`]. Names inside a module are not looked at.

mod affected;
mod config;
mod roots;
mod stdlib;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

pub(super) use affected::AffectedImports;

use super::paths::{join, parent};
use super::{Ecosystem, ModuleResolver, PathChanges, Resolution, SourceFiles};
use crate::ir::ImportKind;
use crate::model::RepoPath;
use crate::model::path::{file_name, upwards};
use roots::ImportRoots;

/// Bytes of a specifier beyond which there is nothing to find.
const MAX_SPECIFIER_BYTES: usize = 1024;

/// Parts of a specifier beyond which there is nothing to find.
const MAX_PARTS: usize = 64;

/// The endings of the file of a module, the preferred first: a package, a module, their declarations.
const ENDINGS: [&str; 4] = ["/__init__.py", ".py", "/__init__.pyi", ".pyi"];

/// The endings of the file of a package.
const PACKAGE_ENDINGS: [&str; 2] = ["/__init__.py", "/__init__.pyi"];

/// Returns whether the file at `path` is written in Python: `.py`, `.pyi` and `.pyw`.
pub(super) fn is_source(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    matches!(extension, Some("py" | "pyi" | "pyw"))
}

/// Resolves the specifiers of Python files: `a.b`, `.a`, `..`.
pub(super) struct PythonResolver {
    roots: ImportRoots,
    files: Arc<dyn SourceFiles>,
}

impl PythonResolver {
    /// Reads the configuration files of Python.
    pub(super) fn new(files: Arc<dyn SourceFiles>) -> Self {
        Self {
            roots: ImportRoots::read(files.as_ref()),
            files,
        }
    }

    /// Resolves `.a` and `..`: `n_dots` is 1 for the package of the file.
    fn relative(&self, from: &RepoPath, n_dots: usize, rest: &str, kind: ImportKind) -> Resolution {
        let mut package = from.directory();
        for _ in 1..n_dots {
            if package.is_empty() {
                return Resolution::Missing;
            }
            package = parent(package);
        }
        let found = match rest {
            "" => self.package(package),
            _ => join(package, &rest.replace('.', "/")).and_then(|path| find(&*self.files, &path)),
        };
        if let Some(found) = found {
            return Resolution::File(found);
        }
        // A directory is a package without a file.
        let is_directory = rest.is_empty()
            || join(package, &rest.replace('.', "/")).is_some_and(|path| self.files.is_dir(&path));
        if is_directory || is_guess(kind) {
            Resolution::External
        } else {
            Resolution::Missing
        }
    }

    /// Returns the `conftest.py` number `n` upwards from a file, from 1 for the nearest.
    fn conftest(&self, from: &RepoPath, n: usize) -> Resolution {
        let directories = upwards(from.directory());
        let mut found = directories
            .filter_map(|directory| exact(&*self.files, &format!("{directory}/conftest.py")))
            .filter(|path| path != from);
        let found = n.checked_sub(1).and_then(|n| found.nth(n));
        found.map_or(Resolution::External, Resolution::File)
    }

    fn package(&self, directory: &str) -> Option<RepoPath> {
        let mut endings = PACKAGE_ENDINGS.iter();
        endings.find_map(|ending| exact(&*self.files, &format!("{directory}{ending}")))
    }

    fn absolute(&self, from: &RepoPath, name: &str, kind: ImportKind) -> Resolution {
        let first = name.split('.').next().unwrap_or(name);
        let is_stdlib = stdlib::has(first);
        let is_submodule = is_guess(kind);
        let files = &*self.files;
        if is_stdlib && !self.roots.declare(files, first) {
            return Resolution::External;
        }
        let mut is_ours = false;
        let mut stub = None;
        for root in self.roots.with(files, from.as_str(), first) {
            let is_package = root.has_package(files, first);
            if is_stdlib && !(root.is_declared && is_package) {
                continue;
            }
            let find = |name: &str| {
                let found = root.find(files, name);
                found.filter(|found| !is_shadowed(from, found, name))
            };
            if let Some(found) = find(name) {
                // Type checkers are told of directories of stubs; the code may lie in a root behind.
                if !(root.is_declared && found.extension() == Some("pyi")) {
                    return Resolution::File(found);
                }
                stub.get_or_insert(found);
            }
            // A directory that is no package may share its name with a package elsewhere.
            let package = find(first);
            is_ours |= is_package || package.is_some();
            // A package hides those of its name in the roots behind; a wrong guess costs more for a name that may be
            // no module at all.
            let is_stub = package.is_some_and(|file| file.extension() == Some("pyi"));
            if is_submodule && is_package && !is_stub {
                return Resolution::External;
            }
        }
        if let Some(stub) = stub {
            Resolution::File(stub)
        } else if is_ours && !is_submodule {
            Resolution::Missing
        } else {
            Resolution::External
        }
    }
}

impl ModuleResolver for PythonResolver {
    fn is_config(path: &RepoPath) -> bool {
        config::is_config(path.file_name())
    }

    fn relevant_bytes<'a>(path: &RepoPath, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        Cow::Owned(config::kept(path, bytes))
    }

    fn resolve(&self, from: &RepoPath, specifier: &str, kind: ImportKind) -> Resolution {
        let name = specifier.trim_start_matches('.');
        let n_dots = specifier.len() - name.len();
        let is_broken = specifier.len() > MAX_SPECIFIER_BYTES
            || specifier.is_empty()
            || name.contains(['/', '\\', '\0'])
            || !name.is_empty() && name.split('.').any(str::is_empty)
            || name.split('.').count() > MAX_PARTS;
        if is_broken {
            Resolution::External
        } else if let (ImportKind::Scope, Some(n)) = (kind, conftest_number(specifier)) {
            self.conftest(from, n)
        } else if n_dots > 0 {
            self.relative(from, n_dots, name, kind)
        } else {
            self.absolute(from, name, kind)
        }
    }
}

/// Returns 2 for `conftest.2`, the second file of fixtures upwards from a test.
fn conftest_number(specifier: &str) -> Option<usize> {
    specifier.strip_prefix("conftest.")?.parse().ok()
}

/// Returns whether an import names what may be no module at all.
fn is_guess(kind: ImportKind) -> bool {
    matches!(kind, ImportKind::Submodule | ImportKind::Implied)
}

/// Returns whether a module that is found cannot be meant: `redis.py` that imports `redis` does not mean itself.
fn is_shadowed(from: &RepoPath, found: &RepoPath, name: &str) -> bool {
    from == found && !name.contains('.') && !file_name(from.as_str()).starts_with("__init__.")
}

/// Returns the file of the module at `path`: for `src/a` perhaps `src/a/__init__.py` or `src/a.py`.
fn find(files: &dyn SourceFiles, path: &str) -> Option<RepoPath> {
    if path.is_empty() {
        return None;
    }
    let mut endings = ENDINGS.iter();
    endings.find_map(|ending| exact(files, &format!("{path}{ending}")))
}

fn exact(files: &dyn SourceFiles, path: &str) -> Option<RepoPath> {
    let path = path.trim_start_matches('/');
    files.is_file(path).then(|| RepoPath::new(path))?
}
