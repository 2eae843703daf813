//! Packages of Java: an import names a type of a package, and the package clause of each file says which one that is.
//!
//! The files of a package are a unit, in whatever directories they lie, and those of one module are another: names of the
//! own module come first. Where two modules define one type, build files tell which one an import means: see [`Modules`].

mod affected;
mod build_files;
mod modules;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

pub(super) use affected::AffectedImports;

use super::{ModuleResolver, Resolution, SourceFiles};
use crate::ir::{FileFacts, ImportKind};
use crate::model::RepoPath;
use crate::model::hash::HashMap;
use crate::model::path::{file_name, parent};
use build_files::{BuildFile, BuildFileKind};
use modules::{BuildPlace, Modules};

/// Bytes of a specifier beyond which there is nothing to find.
const MAX_SPECIFIER_BYTES: usize = 1024;

/// Returns whether the file at `path` is written in Java.
pub(super) fn is_source(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| extension == "java")
}

/// Returns the units of a file: `java:a.b` and `java#core#a.b` for `package a.b;` in `core/src/main/java/a/b/C.java`, the
/// package in all modules and in its own. Files without a clause share one with those of their directory. Tests come
/// behind the files that they are in a package with.
pub(super) fn units(path: &RepoPath, facts: &FileFacts) -> Vec<(String, u8)> {
    let Some(package) = facts.units.first() else {
        let rank = source_set(path.directory()).rank;
        return vec![(format!("java:#{}", path.directory()), rank)];
    };
    let set = source_set(source_root(path.directory(), package));
    vec![
        (key_in(set.module, package), set.rank),
        (key(package), set.rank),
    ]
}

fn key(package: &str) -> String {
    format!("java:{package}")
}

fn key_in(module: &str, package: &str) -> String {
    format!("java#{module}#{package}")
}

/// Returns the directory that a package begins in: `src` for `a.b` in `src/a/b`; the directory itself where it has
/// another name.
fn source_root<'a>(directory: &'a str, package: &str) -> &'a str {
    let mut root = directory;
    for part in package.rsplit('.') {
        if file_name(root) != part {
            return directory;
        }
        root = parent(root);
    }
    root
}

/// A set of sources, by the custom that both Maven and Gradle have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SourceSet<'a> {
    /// The directory of the module.
    module: &'a str,
    /// 0 for the sources that are delivered, 1 for tests, samples and sources for one version or flavour.
    rank: u8,
}

/// Returns the set of a directory of sources: module `core` for `core/src/test/java`.
fn source_set(root: &str) -> SourceSet<'_> {
    let is_test = |part: &str| part.eq_ignore_ascii_case("test") || part.ends_with("Test");
    let src = |part: &str| part == "src";
    let parts: Vec<&str> = root.split('/').collect();
    let Some(at) = parts.iter().rposition(|it| src(it)) else {
        return SourceSet {
            module: root,
            rank: u8::from(parts.iter().any(|it| is_test(it))),
        };
    };
    let n_bytes: usize = parts[..at].iter().map(|it| it.len() + 1).sum();
    let is_other = match &parts[at + 1..] {
        // `src/main/java11`, `src/debug/java`
        ["main", language, ..] => language.starts_with("java") && *language != "java",
        [_, "java" | "kotlin" | "groovy" | "scala", ..] => true,
        _ => false,
    };
    SourceSet {
        module: root[..n_bytes].trim_end_matches('/'),
        rank: u8::from(is_other || parts.iter().any(|it| is_test(it))),
    }
}

/// The paths of files by their name, where there are several.
type Namesakes = BTreeMap<String, Vec<String>>;

/// Resolves imports of types and packages.
pub(super) struct JavaResolver {
    files: Arc<dyn SourceFiles>,
    modules: OnceLock<Modules>,
    /// The files that share their name with another one, by the name of their directory, then their own.
    namesakes: OnceLock<HashMap<String, Namesakes>>,
}

impl JavaResolver {
    /// Makes a resolver; nothing is read before two files share a name.
    pub(super) fn new(files: Arc<dyn SourceFiles>) -> Self {
        Self {
            files,
            modules: OnceLock::new(),
            namesakes: OnceLock::new(),
        }
    }

    fn modules(&self) -> &Modules {
        self.modules.get_or_init(|| Modules::of(&*self.files))
    }

    fn namesakes(&self) -> &HashMap<String, Namesakes> {
        self.namesakes.get_or_init(|| {
            let mut all: HashMap<String, Namesakes> = HashMap::default();
            for path in self.files.paths() {
                if is_source(&path) {
                    let directory = file_name(parent(&path)).to_owned();
                    let names = all.entry(directory).or_default();
                    let name = file_name(&path).to_owned();
                    names.entry(name).or_default().push(path);
                }
            }
            all.retain(|_, names| {
                names.retain(|_, paths| paths.len() > 1);
                for paths in names.values_mut() {
                    paths.sort();
                }
                !names.is_empty()
            });
            all
        })
    }

    /// The files that define the type `name` of a package, by their paths, where there are several: each with the directory
    /// that the package begins in.
    fn definitions(&self, package: &str, name: &str) -> Vec<(&str, &str)> {
        let last = package.rsplit('.').next().unwrap_or(package);
        let names = self.namesakes().get(last);
        let Some(paths) = names.and_then(|it| it.get(&format!("{name}.java"))) else {
            return Vec::new();
        };
        let root = |path| {
            let directory = parent(path);
            let root = source_root(directory, package);
            let is_there = || {
                self.files
                    .has_unit(&key_in(source_set(root).module, package))
            };
            (root != directory && is_there()).then_some((path, root))
        };
        paths
            .iter()
            .filter_map(|path| root(path.as_str()))
            .collect()
    }

    /// Of several files that define one type, returns the one that a file means: of its own sources, of its own module, of the
    /// modules that this depends on, those of tests last. `None` where that leaves several.
    fn meant<'a>(&self, from: &RepoPath, all: &[(&'a str, &'a str)]) -> Option<&'a str> {
        let directory = from.directory();
        let is_own_root = |root: &str| {
            let inside = super::paths::below(directory, root);
            !root.is_empty() && inside.is_some_and(|it| it.split('/').all(|part| part != "src"))
        };
        let mut own = all.iter().filter(|it| is_own_root(it.1));
        if let (Some(one), None) = (own.next(), own.next()) {
            return Some(one.0);
        }
        let modules = self.modules();
        let places: Vec<(BuildPlace, &str)> = all
            .iter()
            .map(|(path, root)| (modules.place(root), *path))
            .collect();
        let own = modules.place(directory);
        for level in modules.visible_from(&own.module) {
            let near = places.iter().filter(|it| level.contains(&it.0.module));
            let (tests, delivered): (Vec<_>, Vec<_>) = near.partition(|it| it.0.is_of_tests);
            match (delivered.as_slice(), tests.as_slice()) {
                ([one], _) => return Some(one.1),
                ([], [one]) if own.is_of_tests => return Some(one.1),
                ([], _) => {}
                _ => return None,
            }
        }
        let (tests, delivered): (Vec<_>, Vec<_>) = places.iter().partition(|it| it.0.is_of_tests);
        match (delivered.as_slice(), tests.as_slice()) {
            ([one], _) | ([], [one]) => Some(one.1),
            _ => None,
        }
    }

    /// Where a file takes all names of a package of which several modules define the same: the part of it in the first
    /// module that the file sees and that has one.
    fn nearest_part(&self, from: &RepoPath, package: &str) -> Option<String> {
        let last = package.rsplit('.').next().unwrap_or(package);
        let mut names = self.namesakes().get(last)?.keys();
        names.find(|name| {
            let name = name.trim_end_matches(".java");
            self.definitions(package, name).len() > 1
        })?;
        let modules = self.modules();
        let own = modules.place(from.directory());
        let levels = modules.visible_from(&own.module).into_iter();
        let mut keys = levels.map(|level| {
            let keys = level.into_iter().map(|module| key_in(&module, package));
            keys.filter(|key| self.files.has_unit(key))
                .collect::<Vec<_>>()
        });
        let mut near = keys.find(|keys| !keys.is_empty())?;
        (near.len() == 1).then(|| near.remove(0))
    }
}

impl ModuleResolver for JavaResolver {
    fn is_config(path: &RepoPath) -> bool {
        BuildFileKind::of(path.as_str()).is_some()
    }

    fn relevant_bytes<'a>(path: &RepoPath, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        Cow::Owned(BuildFile::read(path, bytes).to_bytes())
    }

    /// `a.b.Outer.Inner` leads to the package `a.b`, where only names of types, which are written large, stand behind it; to
    /// the file of `Outer` where modules have one each, and it is known which one is meant.
    fn resolve(&self, from: &RepoPath, specifier: &str, _: ImportKind) -> Resolution {
        if specifier.len() > MAX_SPECIFIER_BYTES {
            return Resolution::External;
        }
        let package = packages(specifier).find(|it| self.files.has_unit(&key(it)));
        let Some(package) = package else {
            return Resolution::External;
        };
        let unit = || Resolution::Unit(key(package));
        let types = specifier[package.len()..].trim_start_matches('.');
        let outer = types.split('.').next().unwrap_or_default();
        if outer.is_empty() {
            return self
                .nearest_part(from, package)
                .map_or_else(unit, Resolution::Unit);
        }
        let all = self.definitions(package, outer);
        if all.len() < 2 {
            return unit();
        }
        let meant = self.meant(from, &all).and_then(RepoPath::new);
        meant.map_or_else(unit, Resolution::File)
    }
}

/// Returns the packages that a name may be in, or be, the longest first: `a.b.C` and `a.b` for `a.b.C`.
fn packages(specifier: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(specifier);
    std::iter::from_fn(move || {
        let package = next?;
        next = package.rsplit_once('.').and_then(|(before, last)| {
            let is_type = last.starts_with(|c: char| c.is_uppercase() || c == '_' || c == '$');
            is_type.then_some(before)
        });
        Some(package)
    })
}
