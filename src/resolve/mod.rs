//! Module resolution: from a specifier and the file that writes it to a file of the index.
//!
//! Each ecosystem has its rules in a module of its own; the language of the importing file tells which is asked. Neither
//! the disk nor a name inside a module is looked at. Broken or missing configuration is a result, never an error.

mod c;
mod changes;
mod dotnet;
mod files;
#[cfg(test)]
mod fixture;
mod go;
mod java;
mod json;
mod node;
mod paths;
mod python;
mod rust;

use std::borrow::Cow;
use std::sync::Arc;

pub use changes::{AffectedByEcosystem, KnownTarget, PathChanges};
pub use files::SourceFiles;
pub use go::Platforms;
pub use node::AutoImports;

use crate::ir::{
    AMBIENT_UNIT, BRIDGE, FileFacts, ImportKind, JAVA_PACKAGE, LINKAGE, PROTOBUF_FILE, linkage_unit,
};
use crate::model::RepoPath;
use c::CResolver;
use dotnet::DotnetResolver;
use go::GoResolver;
use java::JavaResolver;
use node::NodeResolver;
use python::PythonResolver;
use rust::RustResolver;

/// The file that a specifier stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// A file of the index.
    File(RepoPath),
    /// A unit of several files, by its key: see [`units`].
    Unit(String),
    /// A package, a built-in module or an address outside the repository; also a directory that is a package without
    /// a file of its own.
    External,
    /// A name that belongs to the repository (relative, an alias, a package of the workspace) with no
    /// file behind it.
    Missing,
}

/// The rules by which the files of one ecosystem find modules.
///
/// Invariant: an answer is a function of the files, the kept bytes of the configuration files and the arguments alone.
pub trait ModuleResolver: Send + Sync {
    /// Returns whether resolution depends on the bytes of `path`, so that an index has to keep them.
    fn is_config(path: &RepoPath) -> bool
    where
        Self: Sized;

    /// Returns the part of a configuration file that decides where imports lead: equal parts, equal answers.
    fn relevant_bytes<'a>(path: &RepoPath, bytes: &'a [u8]) -> Cow<'a, [u8]>
    where
        Self: Sized;

    /// Returns the file that `specifier`, written in the file `from`, stands for.
    fn resolve(&self, from: &RepoPath, specifier: &str, kind: ImportKind) -> Resolution;
}

/// A family of languages that find modules by the same rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ecosystem {
    /// JavaScript, TypeScript, and every language without rules of its own.
    Node,
    Python,
    Go,
    Java,
    Rust,
    C,
    /// C#.
    Dotnet,
}

impl Ecosystem {
    /// Returns the ecosystem of the file at `path`, by its extension.
    fn of_source(path: &str) -> Self {
        if python::is_source(path) {
            Self::Python
        } else if go::is_source(path) {
            Self::Go
        } else if java::is_source(path) {
            Self::Java
        } else if rust::is_source(path) {
            Self::Rust
        } else if c::is_source(path) {
            Self::C
        } else if dotnet::is_source(path) {
            Self::Dotnet
        } else {
            Self::Node
        }
    }

    /// Returns the ecosystem that `path` configures: `Python` for `pyproject.toml`; `None` for any other file.
    fn of_config(path: &RepoPath) -> Option<Self> {
        if NodeResolver::is_config(path) {
            Some(Self::Node)
        } else if PythonResolver::is_config(path) {
            Some(Self::Python)
        } else if GoResolver::is_config(path) {
            Some(Self::Go)
        } else if RustResolver::is_config(path) {
            Some(Self::Rust)
        } else if DotnetResolver::is_config(path) {
            Some(Self::Dotnet)
        } else if JavaResolver::is_config(path) {
            Some(Self::Java)
        } else {
            CResolver::is_config(path).then_some(Self::C)
        }
    }
}

/// Returns whether resolution depends on the bytes of `path`, so that an index has to keep them: `package.json`,
/// `tsconfig.json`, `pyproject.toml`.
pub fn is_config(path: &RepoPath) -> bool {
    Ecosystem::of_config(path).is_some()
}

/// Returns the part of a configuration file that an index keeps, the only part that resolution ever sees. An edit that
/// leaves it as it was makes no import be looked at again.
pub fn kept<'a>(path: &RepoPath, bytes: &'a [u8]) -> Cow<'a, [u8]> {
    match Ecosystem::of_config(path) {
        Some(Ecosystem::Python) => PythonResolver::relevant_bytes(path, bytes),
        Some(Ecosystem::Go) => GoResolver::relevant_bytes(path, bytes),
        Some(Ecosystem::Rust) => RustResolver::relevant_bytes(path, bytes),
        Some(Ecosystem::Java) => JavaResolver::relevant_bytes(path, bytes),
        Some(Ecosystem::C) => CResolver::relevant_bytes(path, bytes),
        Some(Ecosystem::Dotnet) => DotnetResolver::relevant_bytes(path, bytes),
        _ => NodeResolver::relevant_bytes(path, bytes),
    }
}

/// The lowest rank of a file in a unit that usual builds leave out: `lock_windows.go`. Code that they build has rank 0, tests 1
/// (and tests that are left out 3).
pub const LEFT_OUT_RANK: u8 = 2;

/// Returns the keys of the units that the names of a file belong to, sorted, each with the rank of the file among those of
/// the unit ([`LEFT_OUT_RANK`]): names of a file with a low rank hide those of others. `go:store#store` for `package store` in `store/a.go`.
///
/// A function of the path and the file's own facts; empty in languages whose unit of visibility is a file.
pub fn units(path: &RepoPath, facts: &FileFacts) -> Vec<(String, u8)> {
    let mut all = units_of_names(path, facts);
    let offered = facts.offered_bridges().into_iter();
    let of_file =
        (path.extension() == Some("proto")).then(|| format!("{PROTOBUF_FILE}{}", path.file_name()));
    let ambient = facts.offers_ambient_names();
    let ambient = ambient.then(|| AMBIENT_UNIT.to_owned());
    let others: Vec<String> = offered.chain(of_file).chain(ambient).collect();
    if !others.is_empty() {
        all.extend(others.into_iter().map(|key| (key, 0)));
        all.sort();
    }
    all
}

/// Returns the unit that a specifier of a bridge, or of the names that all files see, stands for; `None` for any other specifier.
fn bridge_unit(specifier: &str) -> Option<Cow<'_, str>> {
    if let Some(name) = specifier.strip_prefix(LINKAGE) {
        return Some(format!("c:{}", linkage_unit(name)).into());
    }
    if let Some(package) = specifier.strip_prefix(JAVA_PACKAGE) {
        return Some(format!("java:{package}").into());
    }
    let is_unit = specifier.starts_with(BRIDGE) || specifier == AMBIENT_UNIT;
    is_unit.then_some(specifier.into())
}

fn units_of_names(path: &RepoPath, facts: &FileFacts) -> Vec<(String, u8)> {
    match Ecosystem::of_source(path.as_str()) {
        Ecosystem::Go => go::units(path, facts),
        Ecosystem::Java => java::units(path, facts),
        Ecosystem::Rust => rust::units(facts),
        Ecosystem::C => c::units(facts),
        Ecosystem::Dotnet => dotnet::units(path, facts),
        Ecosystem::Node | Ecosystem::Python => Vec::new(),
    }
}

/// Resolves the specifiers of one index: the registry of ecosystems.
///
/// Invariant: an answer is a function of the files, the configuration files and the arguments alone;
/// neither the order of questions nor the state of a cache has a part in it. It may be asked from many
/// threads. Its caches grow with the paths that were tried, for as long as it lives.
pub struct Resolver {
    files: Arc<dyn SourceFiles>,
    node: NodeResolver,
    python: PythonResolver,
    go: GoResolver,
    java: JavaResolver,
    rust: RustResolver,
    c: CResolver,
    dotnet: DotnetResolver,
}

impl Resolver {
    /// Reads every configuration file and makes a resolver for these files: less than
    /// 0.1 ms for each. When a file is added or removed, or a configuration file changes, a new one has
    /// to be made.
    pub fn new(files: Arc<dyn SourceFiles>) -> Self {
        Self {
            files: Arc::clone(&files),
            node: NodeResolver::new(Arc::clone(&files)),
            python: PythonResolver::new(Arc::clone(&files)),
            go: GoResolver::new(Arc::clone(&files)),
            java: JavaResolver::new(Arc::clone(&files)),
            rust: RustResolver::new(Arc::clone(&files)),
            c: CResolver::new(Arc::clone(&files)),
            dotnet: DotnetResolver::new(files),
        }
    }

    /// Returns the file that `specifier`, written in the file `from`, stands for: for `./a` in `src/b.ts` perhaps
    /// `src/a.ts`, for `.a` in `src/b.py` perhaps `src/a.py`. Costs 1 to 3 µs.
    pub fn resolve(&self, from: &RepoPath, specifier: &str, kind: ImportKind) -> Resolution {
        if let Some(unit) = bridge_unit(specifier) {
            let is_there = self.files.has_unit(&unit);
            return if is_there {
                Resolution::Unit(unit.into_owned())
            } else {
                Resolution::Missing
            };
        }
        self.of(from).resolve(from, specifier, kind)
    }

    fn of(&self, from: &RepoPath) -> &dyn ModuleResolver {
        match Ecosystem::of_source(from.as_str()) {
            Ecosystem::Node => &self.node,
            Ecosystem::Python => &self.python,
            Ecosystem::Go => &self.go,
            Ecosystem::Java => &self.java,
            Ecosystem::Rust => &self.rust,
            Ecosystem::C => &self.c,
            Ecosystem::Dotnet => &self.dotnet,
        }
    }

    /// Returns every file that a package of the repository offers under a specifier: that of each condition, and its
    /// usual source: `dist/a.js` and `src/index.ts` for `a`.
    pub fn entries(&self, specifier: &str) -> Vec<RepoPath> {
        self.node.entries(specifier)
    }
}
