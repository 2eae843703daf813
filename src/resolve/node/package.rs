//! Package manifests of the repository: which directory a package name means, and which files its
//! manifest offers.
//!
//! Knows `name`, `exports`, `imports` and the entry fields.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::files::SourceFiles;
use super::json;
use super::paths::{SAMPLE_DIRECTORIES, parent, upwards};
use super::pattern::{NamePattern, best};
use super::probe::ENTRY_FIELDS;

/// Conditions of a map that are asked in turn; others follow, for repositories name conditions of
/// their own to reach their sources.
const CONDITIONS: [&str; 9] = [
    "source",
    "development",
    "types",
    "import",
    "module",
    "node",
    "default",
    "require",
    "browser",
];

/// How many targets one name may have.
const MAX_TARGETS: usize = 64;

/// One `package.json`.
#[derive(Debug)]
pub(super) struct Package {
    /// The directory it stands in.
    pub(super) dir: String,
    manifest: Map<String, Value>,
}

impl Package {
    /// Returns the text of a field; `None` where it is missing, empty or anything else.
    pub(super) fn text(&self, field: &str) -> Option<&str> {
        self.manifest
            .get(field)?
            .as_str()
            .filter(|text| !text.is_empty())
    }

    /// Returns the files that its entry fields name, the nearest to the source first.
    pub(super) fn entries(&self) -> impl Iterator<Item = &str> {
        let fields = ENTRY_FIELDS.iter().chain(&["browser"]);
        fields.filter_map(|field| self.text(field))
    }

    /// Returns the targets of `exports` for a path below the package (empty for the package itself),
    /// the preferred first; `None` where the manifest has no `exports`.
    pub(super) fn exported(&self, sub: &str) -> Option<Vec<String>> {
        let exports = self
            .manifest
            .get("exports")
            .filter(|value| !value.is_null())?;
        let name = if sub.is_empty() {
            ".".to_owned()
        } else {
            format!("./{sub}")
        };
        let mut found = Vec::new();
        match exports.as_object() {
            Some(map) if map.keys().any(|key| key.starts_with('.')) => {
                look_up(map, &name, &mut found);
            }
            _ if sub.is_empty() => collect(exports, "", &mut found),
            _ => {}
        }
        Some(found)
    }

    /// Returns the targets of `imports` for a name that begins with `#`, the preferred first.
    pub(super) fn imported(&self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(map) = self.manifest.get("imports").and_then(Value::as_object) {
            look_up(map, name, &mut found);
        }
        found
    }
}

/// All packages of the repository.
#[derive(Debug, Default)]
pub(super) struct Packages {
    all: Vec<Package>,
    by_dir: HashMap<String, usize>,
    by_name: HashMap<String, Vec<usize>>,
}

impl Packages {
    /// Reads every manifest among `configs`; unreadable ones count as empty. Those below
    /// `node_modules` have no name here.
    pub(super) fn read(files: &dyn SourceFiles, configs: &[String]) -> Self {
        let mut packages = Self::default();
        for path in configs {
            if path.rsplit('/').next() != Some("package.json") {
                continue;
            }
            let bytes = files.read_config(path);
            let manifest = bytes
                .and_then(|bytes| json::object(&bytes))
                .unwrap_or_default();
            let dir = parent(path).to_owned();
            packages.by_dir.insert(dir.clone(), packages.all.len());
            packages.all.push(Package { dir, manifest });
        }
        for (at, package) in packages.all.iter().enumerate() {
            let installed = package.dir.split('/').any(|part| part == "node_modules");
            if let Some(name) = package.text("name").filter(|_| !installed) {
                packages
                    .by_name
                    .entry(name.to_owned())
                    .or_default()
                    .push(at);
            }
        }
        let all = &packages.all;
        for same in packages.by_name.values_mut() {
            same.sort_by_key(|&at| rank(&all[at].dir));
        }
        packages
    }

    /// Returns the package whose manifest stands in `dir`.
    pub(super) fn at(&self, dir: &str) -> Option<&Package> {
        self.by_dir.get(dir).map(|&at| &self.all[at])
    }

    /// Returns the packages around `dir`, the nearest first.
    pub(super) fn around<'a>(&'a self, dir: &'a str) -> impl Iterator<Item = &'a Package> {
        upwards(dir).filter_map(|dir| self.at(dir))
    }

    /// Returns the packages that a specifier may name, each with the path below it: samples last, then
    /// by depth, then by path.
    pub(super) fn named_by<'a>(
        &'a self,
        specifier: &'a str,
    ) -> impl Iterator<Item = (&'a Package, &'a str)> {
        let (name, sub) = split(specifier);
        let same = self.by_name.get(name).into_iter().flatten();
        same.map(move |&at| (&self.all[at], sub))
    }
}

/// Splits a specifier into the name of a package (`a`, `@a/b`) and the path below it.
pub(super) fn split(specifier: &str) -> (&str, &str) {
    let scope = if specifier.starts_with('@') {
        specifier.find('/').map_or(specifier.len(), |at| at + 1)
    } else {
        0
    };
    match specifier[scope..].find('/') {
        Some(at) => {
            let at = scope + at;
            (&specifier[..at], specifier[at + 1..].trim_matches('/'))
        }
        None => (specifier, ""),
    }
}

fn rank(dir: &str) -> (bool, usize, String) {
    let mut parts = dir.split('/');
    let sample = parts.any(|part| SAMPLE_DIRECTORIES.contains(&part));
    (sample, dir.split('/').count(), dir.to_owned())
}

/// Adds the targets of the best entry for `name` in a map of names.
fn look_up(map: &Map<String, Value>, name: &str, found: &mut Vec<String>) {
    if let Some(value) = map
        .get(name)
        .filter(|_| !name.contains('*') && !name.ends_with('/'))
    {
        collect(value, "", found);
        return;
    }
    let keys: Vec<(NamePattern, &Value)> = map
        .iter()
        .filter_map(|(key, value)| {
            let pattern = if key.ends_with('/') {
                NamePattern::directory(key)
            } else {
                NamePattern::new(key)?
            };
            Some((pattern, value))
        })
        .collect();
    if let Some((_, value, star)) = best(keys.iter().map(|(key, value)| (key, *value)), name) {
        collect(value, star, found);
    }
}

/// Adds every target below `value`, in the order of the conditions.
fn collect(value: &Value, star: &str, found: &mut Vec<String>) {
    if found.len() >= MAX_TARGETS {
        return;
    }
    match value {
        Value::String(target) if target.ends_with('/') => found.push(format!("{target}{star}")),
        Value::String(target) => found.push(target.replace('*', star)),
        Value::Array(list) => list.iter().for_each(|value| collect(value, star, found)),
        Value::Object(map) => {
            let known = CONDITIONS.iter().filter_map(|name| map.get(*name));
            known.for_each(|value| collect(value, star, found));
            let mut others: Vec<_> = map
                .iter()
                .filter(|(name, _)| !CONDITIONS.contains(&name.as_str()))
                .collect();
            others.sort_by_key(|(name, _)| name.as_str());
            for (_, value) in others {
                collect(value, star, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_scope_belongs_to_the_name() {
        assert_eq!(split("a"), ("a", ""));
        assert_eq!(split("a/b/c"), ("a", "b/c"));
        assert_eq!(split("@a/b"), ("@a/b", ""));
        assert_eq!(split("@a/b/c/"), ("@a/b", "c"));
        assert_eq!(split("@a"), ("@a", ""));
        assert_eq!(split("@/a"), ("@/a", ""));
    }
}
