//! Packages of Java: an import names a type of a package, and the package clause of each file says which one that is.
//!
//! The files of a package are a unit, in whatever directories they lie: `src/main/java` and `src/test/java` of several
//! modules share one. No build file is read: where two modules define one type, the file with the lower rank, then path, is meant.

mod affected;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

pub(super) use affected::AffectedImports;

use super::{ModuleResolver, Resolution, SourceFiles};
use crate::ir::{FileFacts, ImportKind};
use crate::model::RepoPath;

/// Bytes of a specifier beyond which there is nothing to find.
const MAX_SPECIFIER_BYTES: usize = 1024;

/// Returns whether the file at `path` is written in Java.
pub(super) fn is_source(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| extension == "java")
}

/// Returns the unit of a file: `java:a.b` for `package a.b;`. Files without a clause share one with those of their
/// directory. Tests come behind the files that they are in a package with.
pub(super) fn units(path: &RepoPath, facts: &FileFacts) -> Vec<(String, u8)> {
    let is_test = path
        .directory()
        .split('/')
        .any(|part| part.eq_ignore_ascii_case("test") || part.ends_with("Test"));
    let key = match facts.units.first() {
        Some(clause) => key(clause),
        None => format!("java:#{}", path.directory()),
    };
    vec![(key, u8::from(is_test))]
}

fn key(package: &str) -> String {
    format!("java:{package}")
}

/// Resolves imports of types and packages.
pub(super) struct JavaResolver {
    files: Arc<dyn SourceFiles>,
}

impl JavaResolver {
    /// Makes a resolver; nothing is read.
    pub(super) fn new(files: Arc<dyn SourceFiles>) -> Self {
        Self { files }
    }
}

impl ModuleResolver for JavaResolver {
    fn is_config(_: &RepoPath) -> bool {
        false
    }

    fn relevant_bytes<'a>(_: &RepoPath, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        Cow::Borrowed(bytes)
    }

    /// `a.b.Outer.Inner` leads to the package `a.b`, where only names of types, which are written large, stand behind it.
    fn resolve(&self, _: &RepoPath, specifier: &str, _: ImportKind) -> Resolution {
        if specifier.len() > MAX_SPECIFIER_BYTES {
            return Resolution::External;
        }
        packages(specifier)
            .map(key)
            .find(|key| self.files.has_unit(key))
            .map_or(Resolution::External, Resolution::Unit)
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
