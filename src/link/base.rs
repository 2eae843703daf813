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
    /// Its facts now, if its present uses are to be bound as if all other files were as they were.
    pub now: Option<FileFacts>,
}

/// The numbers of a file in an overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Of the file as it was: the row of one that the index has, a number below 0 for one that is gone.
    pub earlier: i64,
    /// Of the file as it is, among the others as they were.
    pub now: i64,
}

/// Lays the earlier files over the index. Returns the overlay and the numbers of each file in it.
///
/// Costs a pass over all paths and imports where files came or went, else the resolution of the imports of `files`.
pub fn overlay(
    read: &Read<'_>,
    files: Vec<EarlierFile>,
) -> Result<(Overlay, Vec<Numbers>), StoreError> {
    let mut manifest = Manifest::of(read)?;
    let mut causes = Causes::default();
    let n_files = i64::try_from(files.len()).unwrap_or(i64::MAX / 4);
    let mut ids = Vec::with_capacity(files.len());
    for (at, file) in files.iter().enumerate() {
        let path = file.path.as_str();
        let known = manifest.files.get(path).copied();
        if known.is_none() || file.facts.is_none() {
            causes.add_path(&file.path);
        }
        let own = -1 - i64::try_from(at).unwrap_or(i64::MAX - 1);
        ids.push(Numbers {
            earlier: known.unwrap_or(own),
            now: own - n_files,
        });
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
        let mut lay = |id: i64, facts: FileFacts| {
            let imports = facts.imports.iter();
            let targets: Vec<ImportTarget> = imports
                .map(|import| {
                    manifest.target(&resolver.resolve(&file.path, &import.specifier, import.kind))
                })
                .collect();
            overlay.files.insert(id, (facts, targets));
        };
        if let Some(now) = file.now {
            lay(id.now, now);
        }
        lay(id.earlier, file.facts.unwrap_or_default());
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
