//! The files of another state, earlier or merged, laid over the rows of the index: their facts, and imports that resolve
//! among them.
//!
//! For questions about a definition that is gone: its uses bind as they did. Nothing is written.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::affected_importers::affected_files;
use super::indexed_files::IndexedFiles;
use super::name_binder::Overlay;
use crate::ir::{BRIDGE, FileFacts, TYPE_NAME_UNIT};
use crate::model::hash::HashMap;
use crate::model::{FileId, RepoPath, UnitId};
use crate::resolve::{PathChanges, Resolver, SourceFiles, units};
use crate::store::{ImportTarget, Read, StoreError};

/// A file that differs from its row in the index.
#[derive(Debug)]
pub struct OverlayFile {
    /// Its path.
    pub path: RepoPath,
    /// Its facts in the state that is laid over the index; `None` where that has no such file.
    pub base: Option<FileFacts>,
    /// Its present facts, if its present uses are to be bound among the files of that state.
    pub present: Option<FileFacts>,
}

/// The ids of a file in an overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlayFileIds {
    /// The file as it was: its row in the index, a negative id for a file that is gone.
    pub earlier: FileId,
    /// The file as it is now, linked among the others as they were.
    pub current: FileId,
}

/// Numbers of files and units that the index has no row of begin here: no unit of the index has one.
const FIRST_SYNTHETIC_ID: i64 = i64::MIN / 4;

/// The units of the earlier state that differ.
#[derive(Default)]
struct Units {
    of_files: HashMap<FileId, Vec<UnitId>>,
    files: HashMap<UnitId, Vec<(FileId, u8)>>,
    n_new: i64,
    /// The keys of those that the index has no row of.
    new: Vec<String>,
}

impl Units {
    /// Notes the units that a file was in. Returns whether it is in others now.
    fn change(
        &mut self,
        read: &Read<'_>,
        manifest: &mut IndexedFiles,
        file: &OverlayFile,
        file_ids: OverlayFileIds,
    ) -> Result<bool, StoreError> {
        let id = file_ids.earlier;
        let now = if id.row() > 0 {
            read.units_of(id)?
        } else {
            Vec::new()
        };
        let facts = file.base.as_ref();
        let mut wanted = facts.map_or_else(Vec::new, |facts| units(&file.path, facts));
        wanted.retain(|(key, _)| holds_names(key));
        let mut then = Vec::new();
        for (key, rank) in wanted {
            let known = manifest.units.get(&key).copied();
            if known.is_none() {
                self.new.push(key.clone());
            }
            let unit = known.unwrap_or_else(|| {
                self.n_new += 1;
                // A unit is a module by its number below 0.
                UnitId::new(self.n_new - FIRST_SYNTHETIC_ID)
            });
            manifest.units.insert(key, unit);
            then.push((unit, rank));
        }
        for unit in &now {
            let files = self.files_of(read, *unit)?;
            files.retain(|other| other.0 != id);
        }
        for (unit, rank) in &then {
            let files = self.files_of(read, *unit)?;
            // The place among files of one rank is by path; a file that only changed is where it was.
            let at = if *rank == 0 { 0 } else { files.len() };
            files.insert(at, (id, *rank));
        }
        let then: Vec<UnitId> = then.into_iter().map(|(unit, _)| unit).collect();
        let differs = now != then;
        self.of_files.insert(id, then);
        if let Some(facts) = &file.present {
            let known = crate::resolve::units(&file.path, facts).into_iter();
            let known = known.filter(|(key, _)| holds_names(key));
            let known = known.filter_map(|(key, _)| manifest.units.get(&key).copied());
            self.of_files.insert(file_ids.current, known.collect());
        }
        Ok(differs)
    }

    fn files_of(
        &mut self,
        read: &Read<'_>,
        unit: UnitId,
    ) -> Result<&mut Vec<(FileId, u8)>, StoreError> {
        Ok(match self.files.entry(unit) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(if unit.row() < -FIRST_SYNTHETIC_ID {
                read.unit_files(unit)?
            } else {
                Vec::new()
            }),
        })
    }
}

/// Whether names of files are looked up in a unit.
fn holds_names(key: &str) -> bool {
    !key.starts_with(TYPE_NAME_UNIT) && !key.starts_with(BRIDGE)
}

/// Lays files of another state over the index. Returns the overlay and the ids of each file in it.
///
/// Costs a pass over all paths and imports where files came or went, else the resolution of the imports of `files`.
pub fn overlay(
    read: &Read<'_>,
    files: Vec<OverlayFile>,
) -> Result<(Overlay, Vec<OverlayFileIds>), StoreError> {
    let mut manifest = IndexedFiles::of(read)?;
    let mut changes = PathChanges::default();
    let n_files = i64::try_from(files.len()).unwrap_or(i64::MAX / 4);
    let mut units = Units::default();
    let mut ids = Vec::with_capacity(files.len());
    for (at, file) in files.iter().enumerate() {
        let path = file.path.as_str();
        let known = manifest.files.get(path).copied();
        if known.is_none() || file.base.is_none() {
            changes.add_path(&file.path);
        }
        let row = FIRST_SYNTHETIC_ID + i64::try_from(at).unwrap_or(0);
        let own = FileId::new(row);
        let file_ids = OverlayFileIds {
            earlier: known.unwrap_or(own),
            current: FileId::new(row + n_files),
        };
        ids.push(file_ids);
        if units.change(read, &mut manifest, file, file_ids)? {
            changes.add_path(&file.path);
        }
        match (known, &file.base) {
            (None, Some(_)) => manifest.add(path, own),
            (Some(_), None) => drop(manifest.files.remove(path)),
            _ => {}
        }
    }
    for key in std::mem::take(&mut units.new) {
        changes.add_unit(key);
    }
    let mut overlay = Overlay {
        units: units.of_files,
        unit_files: units.files,
        ..Overlay::default()
    };
    let manifest = Arc::new(manifest);
    let resolver = Resolver::new(Arc::clone(&manifest) as Arc<dyn SourceFiles>);
    for (file, id) in files.into_iter().zip(&ids) {
        let mut lay = |id: FileId, facts: FileFacts| {
            let imports = facts.imports.iter();
            let targets: Vec<ImportTarget> = imports
                .map(|import| {
                    manifest.target(&resolver.resolve(&file.path, &import.specifier, import.kind))
                })
                .collect();
            overlay.files.insert(id, (facts, targets));
        };
        if let Some(now) = file.present {
            lay(id.current, now);
        }
        lay(id.earlier, file.base.unwrap_or_default());
    }
    if changes.is_empty() {
        return Ok((overlay, ids));
    }
    for file in affected_files(&changes, &manifest, read.specifiers()?) {
        if overlay.files.contains_key(&file) {
            continue;
        }
        if let Some(path) = read.path_of(file)? {
            let rows = read.imports(file)?;
            let target = |row: &crate::store::ImportRow| {
                manifest.target(&resolver.resolve(&path, &row.specifier, row.kind))
            };
            let targets: Vec<ImportTarget> = rows.iter().map(target).collect();
            let leads = rows.iter().map(|row| row.target);
            // Most of those that may be affected are not.
            if !leads.eq(targets.iter().copied().map(Some)) {
                overlay.targets.insert(file, targets);
            }
        }
    }
    Ok((overlay, ids))
}
