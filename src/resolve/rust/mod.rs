//! Crates and modules of Rust: a path leads to the last module on it that is a file.
//!
//! Crates are found by the `Cargo.toml` files and the usual places of their targets, modules by the usual places of their
//! files: `store.rs` and `store/mod.rs` for `mod store;`. Names inside of a file are not looked at here. The files
//! with members of a type that another one declares are a unit, named by the type: `rs:impl Store`; so are those that implement
//! a trait of another one for a type of another one, `rs:impls Ext`, and those with a macro.

mod affected;
mod manifest;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

pub(super) use affected::AffectedImports;

use super::paths::{below, join, parent, upwards};
use super::{ModuleResolver, Resolution, SourceFiles};
use crate::ir::{FileFacts, ImportKind};
use crate::model::RepoPath;
use crate::model::path::file_name;
use manifest::Manifest;

/// Bytes of a specifier beyond which there is nothing to find.
const MAX_SPECIFIER_BYTES: usize = 2048;

/// Packages of a repository that are known; in the others paths lead nowhere.
const MAX_PACKAGES: usize = 10_000;

/// The crates of the language itself.
const STANDARD: [&str; 5] = ["std", "core", "alloc", "proc_macro", "test"];

/// Returns whether the file at `path` is written in Rust.
pub(super) fn is_source(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| extension == "rs")
}

/// Returns the units of a file: one for each type of another file that it gives members, for each trait that it implements for
/// one, and for each macro.
pub(super) fn units(facts: &FileFacts) -> Vec<(String, u8)> {
    let all: BTreeSet<String> = facts.units.iter().map(|unit| key(unit)).collect();
    all.into_iter().map(|key| (key, 0)).collect()
}

fn key(unit: &str) -> String {
    format!("rs:{unit}")
}

/// A package with its targets.
#[derive(Debug, Default)]
struct Package {
    manifest: Manifest,
    /// The root of the library.
    library: Option<String>,
    /// The roots of targets that are written out.
    targets: BTreeSet<String>,
}

/// Resolves paths.
pub(super) struct RustResolver {
    /// By their directories.
    packages: BTreeMap<String, Package>,
    /// The roots in directories of tests, benchmarks and examples, once asked.
    found: Mutex<BTreeMap<String, Vec<String>>>,
    files: Arc<dyn SourceFiles>,
}

impl RustResolver {
    /// Reads the `Cargo.toml` files.
    pub(super) fn new(files: Arc<dyn SourceFiles>) -> Self {
        let mut packages = BTreeMap::new();
        for path in files.configs() {
            if file_name(&path) != "Cargo.toml" || packages.len() >= MAX_PACKAGES {
                continue;
            }
            let Some(bytes) = files.read_config(&path) else {
                continue;
            };
            let manifest: Manifest = serde_json::from_slice(&bytes).unwrap_or_default();
            let directory = parent(&path).to_owned();
            let place = |relative: &str| join(&directory, relative);
            let library = manifest
                .lib_path
                .as_deref()
                .map_or_else(|| place("src/lib.rs"), place);
            let package = Package {
                library: library.filter(|it| files.is_file(it)),
                targets: manifest.targets.iter().filter_map(|it| place(it)).collect(),
                manifest,
            };
            packages.insert(directory, package);
        }
        Self {
            packages,
            found: Mutex::default(),
            files,
        }
    }

    /// Returns the package around a file, with its directory.
    fn package_of(&self, path: &str) -> Option<(&str, &Package)> {
        upwards(parent(path)).find_map(|directory| {
            let (directory, package) = self.packages.get_key_value(directory)?;
            package.manifest.package.as_ref()?;
            Some((directory.as_str(), package))
        })
    }

    /// Whether a file is the root of a crate.
    fn is_root(&self, path: &str) -> bool {
        let Some((directory, package)) = self.package_of(path) else {
            return matches!(file_name(path), "lib.rs" | "main.rs" | "build.rs");
        };
        if package.library.as_deref() == Some(path) || package.targets.contains(path) {
            return true;
        }
        let rest = below(path, directory).unwrap_or(path);
        let parts: Vec<&str> = rest.split('/').collect();
        let is_found = |kind: &str| !package.manifest.explicit.iter().any(|it| it == kind);
        match parts.as_slice() {
            ["build.rs"] | ["src", "main.rs"] => true,
            ["src", "bin", _] | ["src", "bin", _, "main.rs"] => is_found("bins"),
            [kind @ ("tests" | "benches" | "examples"), _]
            | [kind @ ("tests" | "benches" | "examples"), _, "main.rs"] => is_found(kind),
            _ => false,
        }
    }

    /// The directory in which the modules of a file lie.
    fn directory_of_modules<'p>(&self, path: &'p str) -> Cow<'p, str> {
        if file_name(path) == "mod.rs" || self.is_root(path) {
            return Cow::Borrowed(parent(path));
        }
        Cow::Borrowed(path.strip_suffix(".rs").unwrap_or(path))
    }

    /// The roots of the crates that a file may be in: the library first.
    fn roots_of(&self, path: &str) -> Vec<String> {
        if self.is_root(path) {
            return vec![path.to_owned()];
        }
        let Some((package_directory, package)) = self.package_of(path) else {
            return Vec::new();
        };
        for directory in upwards(parent(path)) {
            let found = self.roots_in(directory, package_directory, package);
            if !found.is_empty() {
                return found;
            }
            if directory == package_directory {
                break;
            }
        }
        Vec::new()
    }

    fn roots_in(&self, directory: &str, package_directory: &str, package: &Package) -> Vec<String> {
        let library = package.library.iter();
        let usual = ["src/main.rs"].iter();
        let usual = usual.filter_map(|it| join(package_directory, it));
        let nested = join(directory, "main.rs").filter(|it| self.is_root(it));
        let all = library.cloned().chain(usual).chain(nested);
        let all = all.chain(package.targets.iter().cloned());
        let mut found = Vec::new();
        for root in all {
            if parent(&root) == directory && self.files.is_file(&root) && !found.contains(&root) {
                found.push(root);
            }
        }
        if found.is_empty() && matches!(file_name(directory), "tests" | "benches" | "examples") {
            let mut known = self.found.lock().expect("no thread panicked");
            let roots = known.entry(directory.to_owned()).or_insert_with(|| {
                let all = self.files.files_in(directory).into_iter();
                all.filter(|it| is_source(it) && self.is_root(it)).collect()
            });
            found.clone_from(roots);
        }
        found
    }

    /// The file of the module around that of a file.
    fn module_around(&self, path: &str) -> Option<String> {
        if self.is_root(path) {
            return None;
        }
        let mut directory = parent(path);
        if file_name(path) == "mod.rs" {
            directory = parent(directory);
        }
        let nested = join(directory, "mod.rs")?;
        if nested != path && self.files.is_file(&nested) {
            return Some(nested);
        }
        let flat = format!("{directory}.rs");
        if self.files.is_file(&flat) {
            return Some(flat);
        }
        let (package_directory, package) = self.package_of(path)?;
        // Directories between are inline modules.
        for directory in upwards(directory) {
            let roots = self.roots_in(directory, package_directory, package);
            if let Some(root) = roots.into_iter().next() {
                return Some(root);
            }
            if directory == package_directory {
                break;
            }
        }
        None
    }

    /// The root of a crate that a file can name.
    fn crate_named(&self, from: &str, name: &str) -> Resolution {
        let Some((directory, package)) = self.package_of(from) else {
            return if STANDARD.contains(&name) {
                Resolution::External
            } else {
                Resolution::Missing
            };
        };
        if let Some(dependency) = package.manifest.dependencies.get(name) {
            let mut found = (directory.to_owned(), dependency);
            if dependency.is_inherited {
                let workspace = upwards(directory).find_map(|at| {
                    let (at, package) = self.packages.get_key_value(at)?;
                    package.manifest.is_workspace.then_some((at, package))
                });
                if let Some((at, workspace)) = workspace
                    && let Some(declared) = workspace.manifest.workspace_dependencies.get(name)
                {
                    found = (at.clone(), declared);
                }
            }
            let (base, dependency) = found;
            let Some(path) = &dependency.path else {
                return Resolution::External;
            };
            let package = join(&base, path).and_then(|at| self.packages.get(&at));
            return match package.and_then(|it| it.library.as_deref()) {
                Some(root) => file(root),
                None => Resolution::Missing,
            };
        }
        if package.manifest.library().as_deref() == Some(name)
            && let Some(root) = &package.library
        {
            return file(root);
        }
        if STANDARD.contains(&name) {
            return Resolution::External;
        }
        // The name of a library that is not that of its package.
        let dependencies = package.manifest.dependencies.values();
        let paths = dependencies.filter_map(|it| join(directory, it.path.as_deref()?));
        let mut packages = paths.filter_map(|at| self.packages.get(&at));
        let named = packages.find(|it| it.manifest.library().as_deref() == Some(name));
        match named.and_then(|it| it.library.as_deref()) {
            Some(root) => file(root),
            None => Resolution::Missing,
        }
    }

    /// The last module on a path that is a file, from one that is, and how many names lead there. An inline module is a
    /// directory alone.
    fn deepest(&self, from: String, names: &[&str]) -> (String, usize) {
        let mut found = (from, 0);
        let mut directory = self.directory_of_modules(&found.0).into_owned();
        for (n, name) in names.iter().enumerate() {
            let flat = join(&directory, &format!("{name}.rs"));
            let nested = join(&directory, &format!("{name}/mod.rs"));
            let mut places = [flat, nested].into_iter().flatten();
            if let Some(place) = places.find(|it| self.files.is_file(it)) {
                directory = self.directory_of_modules(&place).into_owned();
                found = (place, n + 1);
                continue;
            }
            match join(&directory, name).filter(|it| self.files.is_dir(it)) {
                Some(inner) => directory = inner,
                None => break,
            }
        }
        found
    }

    /// Resolves `mod a::b`, with a path where one is written: `mod b other.rs`.
    fn declared(&self, from: &str, rest: &str) -> Resolution {
        let (path, written) = rest.split_once(' ').unwrap_or((rest, ""));
        let names: Vec<&str> = path.split("::").collect();
        let Some((name, around)) = names.split_last() else {
            return Resolution::Missing;
        };
        let base = self.directory_of_modules(from);
        if !written.is_empty() {
            let directory = if around.is_empty() {
                parent(from).to_owned()
            } else {
                format!("{base}/{}", around.join("/"))
            };
            let found = join(&directory, written).filter(|it| self.files.is_file(it));
            return found.map_or(Resolution::Missing, |it| file(&it));
        }
        let directory = if around.is_empty() {
            base.into_owned()
        } else {
            format!("{base}/{}", around.join("/"))
        };
        let places = [format!("{name}.rs"), format!("{name}/mod.rs")];
        let mut places = places.iter().filter_map(|it| join(&directory, it));
        let found = places.find(|it| self.files.is_file(it));
        found.map_or(Resolution::Missing, |it| file(&it))
    }

    fn path(&self, from: &str, specifier: &str) -> Resolution {
        let names: Vec<&str> = specifier.split("::").collect();
        let Some((first, rest)) = names.split_first() else {
            return Resolution::Missing;
        };
        match *first {
            "crate" => {
                let roots = self.roots_of(from).into_iter();
                let found = roots.map(|root| self.deepest(root, rest));
                // Of a library and a program in one directory the one that has more of the path.
                let best = found.reduce(|best, one| if one.1 > best.1 { one } else { best });
                best.map_or(Resolution::Missing, |it| file(&it.0))
            }
            "self" => file(&self.deepest(from.to_owned(), rest).0),
            "super" => {
                let mut at = from.to_owned();
                let mut rest = names.as_slice();
                while let [first, behind @ ..] = rest
                    && *first == "super"
                {
                    let Some(around) = self.module_around(&at) else {
                        return Resolution::Missing;
                    };
                    at = around;
                    rest = behind;
                }
                file(&self.deepest(at, rest).0)
            }
            first => match self.crate_named(from, first) {
                Resolution::File(root) => file(&self.deepest(root.as_str().to_owned(), rest).0),
                Resolution::External => Resolution::External,
                _ => {
                    // As paths began before 2018.
                    let roots = self.roots_of(from).into_iter();
                    let mut found = roots
                        .map(|root| self.deepest(root, &names))
                        .filter(|(_, n)| *n > 0);
                    found.next().map_or(Resolution::Missing, |it| file(&it.0))
                }
            },
        }
    }
}

impl ModuleResolver for RustResolver {
    fn is_config(path: &RepoPath) -> bool {
        path.file_name() == "Cargo.toml"
    }

    fn relevant_bytes<'a>(_: &RepoPath, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let read = Manifest::read(bytes);
        Cow::Owned(serde_json::to_vec(&read).unwrap_or_default())
    }

    fn resolve(&self, from: &RepoPath, specifier: &str, kind: ImportKind) -> Resolution {
        if specifier.len() > MAX_SPECIFIER_BYTES {
            return Resolution::Missing;
        }
        let from = from.as_str();
        if kind != ImportKind::Scope {
            return match specifier.strip_prefix("mod ") {
                Some(rest) => self.declared(from, rest),
                None => self.path(from, specifier),
            };
        }
        match specifier {
            "crate" => self
                .roots_of(from)
                .first()
                .map_or(Resolution::Missing, |it| file(it)),
            "crate of a program" => self
                .roots_of(from)
                .get(1)
                .map_or(Resolution::Missing, |it| file(it)),
            "super" => {
                let around = self.module_around(from);
                around.map_or(Resolution::Missing, |it| file(&it))
            }
            _ => {
                if let Some(name) = specifier.strip_prefix("::") {
                    return self.crate_named(from, name);
                }
                let key = key(specifier);
                if self.files.has_unit(&key) {
                    Resolution::Unit(key)
                } else {
                    Resolution::Missing
                }
            }
        }
    }
}

fn file(path: &str) -> Resolution {
    RepoPath::new(path).map_or(Resolution::Missing, Resolution::File)
}
