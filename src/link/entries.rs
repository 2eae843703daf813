//! The public entry points of packages: the files that the manifests of published packages name.
//!
//! `{"name": "shop", "exports": {".": "./dist/index.js", "./cart": …}}` has the entries `shop` and `shop/cart`, each with
//! the source that it is built from; see `resolve` for how that is found.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::indexed_files::IndexedFiles;
use crate::model::path::{parent, upwards};
use crate::model::{FileId, RepoPath};
use crate::resolve::{Resolver, SourceFiles};
use crate::store::{Read, StoreError};

const MANIFEST: &str = "package.json";

/// Files of a package that are looked at; of a larger one no entry is told.
const MAX_FILES: usize = 20_000;

/// Returns the entry points of the packages that hold some files: the specifier by which each is imported, and its file.
/// Costs a pass over the files of these packages.
pub fn entries(read: &Read<'_>, files: &[RepoPath]) -> Result<Vec<(String, FileId)>, StoreError> {
    let mut directories: BTreeMap<String, RepoPath> = BTreeMap::new();
    for file in files {
        for directory in upwards(parent(file.as_str())) {
            let path = match directory {
                "" => MANIFEST.to_owned(),
                _ => format!("{directory}/{MANIFEST}"),
            };
            if directories.contains_key(directory) {
                break;
            }
            if let Some(manifest) = read.file(&path)? {
                directories.insert(directory.to_owned(), manifest.path);
                break;
            }
        }
    }
    let mut found = Vec::new();
    for (directory, path) in directories {
        let Some(packed) = read.packed_config(path.as_str())? else {
            continue;
        };
        let under = read.files_under(&directory)?;
        if under.iter().take(MAX_FILES + 1).count() > MAX_FILES {
            continue;
        }
        let mut manifest = IndexedFiles::empty();
        for row in under.iter() {
            manifest.add(row.path.as_str(), row.id);
        }
        let Some(bytes) = crate::store::facts::unpack(&packed) else {
            continue;
        };
        let specifiers = specifiers(&bytes);
        manifest.configs.insert(path.as_str().to_owned(), bytes);
        let manifest = Arc::new(manifest);
        let resolver = Resolver::new(Arc::clone(&manifest) as Arc<dyn SourceFiles>);
        for specifier in specifiers {
            for entry in resolver.entries(&specifier) {
                let file = manifest.files.get(entry.as_str());
                found.extend(file.map(|file| (specifier.clone(), *file)));
            }
        }
    }
    Ok(found)
}

/// Returns the specifiers that a manifest offers: its name, and its name with each subpath that is written out. None where
/// it is private: nobody else can install the package.
fn specifiers(manifest: &[u8]) -> Vec<String> {
    let Ok(manifest) = serde_json::from_slice::<serde_json::Value>(manifest) else {
        return Vec::new();
    };
    let Some(name) = manifest["name"]
        .as_str()
        .filter(|_| manifest["private"] != true)
    else {
        return Vec::new();
    };
    let mut all = vec![name.to_owned()];
    let exports = manifest["exports"].as_object().into_iter().flatten();
    for (key, _) in exports {
        if let Some(subpath) = key.strip_prefix("./")
            && !subpath.contains('*')
            && subpath != MANIFEST
        {
            all.push(format!("{name}/{subpath}"));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::specifiers;

    #[test]
    fn subpaths_that_are_written_out_are_entries() {
        let manifest = br#"{"name": "a", "exports": {".": "./i.js", "./b": "./b.js", "./c/*": "./c/*.js", "./package.json": "./package.json"}}"#;
        assert_eq!(specifiers(manifest), ["a", "a/b"]);
        assert_eq!(specifiers(br#"{"name": "a", "exports": "./i.js"}"#), ["a"]);
        assert!(specifiers(br#"{"name": "a", "private": true}"#).is_empty());
        assert!(specifiers(b"{}").is_empty());
        assert!(specifiers(b"[").is_empty());
    }
}
