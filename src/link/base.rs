//! The files of an earlier state, laid over the rows of the index: facts as they were, and imports that lead where
//! they led.
//!
//! For questions about a definition that is gone: its uses bind as they did. Nothing is written.

use std::sync::Arc;

use super::use_targets::Overlay;
use super::{Causes, Manifest};
use crate::ir::FileFacts;
use crate::model::RepoPath;
use crate::resolve::{Resolver, SourceFiles};
use crate::store::{ImportTarget, Read, StoreError};

/// A file of the earlier state that differs now.
#[derive(Debug)]
pub struct EarlierFile {
    /// Its path.
    pub path: RepoPath,
    /// Its facts then; `None` where it was not there.
    pub facts: Option<FileFacts>,
}

/// Lays the earlier files over the index. Returns the overlay and the number of each file in it: the row of one that the
/// index has, a number below 0 for one that is gone.
///
/// Costs a pass over all paths and imports where files came or went, else the resolution of the imports of `files`.
pub fn overlay(
    read: &Read<'_>,
    files: Vec<EarlierFile>,
) -> Result<(Overlay, Vec<i64>), StoreError> {
    let mut manifest = Manifest::of(read)?;
    let mut causes = Causes::default();
    let mut ids = Vec::with_capacity(files.len());
    for (at, file) in files.iter().enumerate() {
        let path = file.path.as_str();
        let known = manifest.files.get(path).copied();
        if known.is_none() || file.facts.is_none() {
            causes.add_path(&file.path);
        }
        let own = -1 - i64::try_from(at).unwrap_or(i64::MAX - 1);
        ids.push(known.unwrap_or(own));
        match (known, &file.facts) {
            (None, Some(_)) => manifest.add(path, own),
            (Some(_), None) => drop(manifest.files.remove(path)),
            _ => {}
        }
    }
    let mut overlay = Overlay::default();
    let manifest = Arc::new(manifest);
    let resolver = Resolver::new(Arc::clone(&manifest) as Arc<dyn SourceFiles>);
    for (file, id) in files.into_iter().zip(&ids) {
        let facts = file.facts.unwrap_or_default();
        let imports = facts.imports.iter();
        let targets: Vec<ImportTarget> = imports
            .map(|import| {
                manifest.target(&resolver.resolve(&file.path, &import.specifier, import.kind))
            })
            .collect();
        overlay.files.insert(*id, (facts, targets));
    }
    if causes.is_empty() {
        return Ok((overlay, ids));
    }
    for file in causes.touched(&manifest, read.specifiers()?) {
        if overlay.files.contains_key(&file) {
            continue;
        }
        if let Some(path) = read.path_of(file)? {
            let rows = read.imports(file)?;
            let target = |row: &crate::store::ImportRow| {
                manifest.target(&resolver.resolve(&path, &row.specifier, row.kind))
            };
            overlay
                .targets
                .insert(file, rows.iter().map(target).collect());
        }
    }
    Ok((overlay, ids))
}
