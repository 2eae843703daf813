//! From what files say by themselves to what they mean to each other: which file an import leads to, which
//! definition a name means.
//!
//! Works off a list that is written together with the rows that make it necessary, so that neither a
//! crash nor a spent budget loses an edge. Refuses to read the disk: files and their configuration are
//! what the index holds.

mod auto_imports;
pub mod base;
mod cache;
mod calls;
mod dependencies;
mod describe;
mod directives;
mod edges;
mod enclosing;
pub mod entries;
mod exports;
mod extensions;
mod external;
mod file;
mod generics;
mod implementations;
mod includes;
mod infer;
mod linker;
mod lookup;
mod members;
mod method_sets;
mod overloads;
pub mod overrides;
mod parallel;
mod parameters;
mod path_names;
mod pointers;
mod queue;
mod rules;
mod standard;
mod tree;
mod types;
mod unit_imports;
pub mod use_targets;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use edges::Links;
use parallel::Slices;

use crate::ir::ImportKind;
use crate::model::hash::{HashMap, HashSet};
use crate::model::path::{parent, upwards};
use crate::model::{Budget, RepoPath};
use crate::resolve::{AutoImports, PathChanges, Resolution, Resolver, SourceFiles};
use crate::store::facts::unpack;
use crate::store::{ImportTarget, Index, Read, StoreError};

/// Version of the rules of linking. Raised when the same facts lead to other edges: then all files are linked again,
/// and nothing is extracted.
pub const VERSION: u32 = 2;

/// Files whose names are bound in one transaction.
const BATCH_FILES: u32 = 1024;

/// The same where no question waits; what they add to the index may end a batch earlier.
const LARGE_BATCH_FILES: u32 = 8192;

/// Files whose imports are resolved in one transaction.
const BATCH_IMPORTERS: u32 = 1024;

/// Files that a thread takes at a time to resolve their imports.
const SLICE_IMPORTERS: usize = 32;

/// Notes what `changes` affect, and links every file on the list, until it is empty or the budget is spent: first
/// where its imports lead, for all of them, then what its names mean. The caller holds the write lock and has
/// applied every file before.
pub fn link(index: &mut Index, changes: &PathChanges, budget: &Budget) -> Result<(), StoreError> {
    let manifest = note(index, changes)?;
    if index.read()?.n_unlinked()? == 0 {
        return Ok(());
    }
    // Binding names puts no import on the list.
    if imports(index, manifest, budget)? {
        while !budget.is_spent() && names(index, budget)? {}
    }
    Ok(())
}

/// Puts the files whose imports may lead elsewhere on the list of those to link. Returns the files of the index if it
/// had to go through them. The caller holds the write lock.
pub fn note(index: &mut Index, changes: &PathChanges) -> Result<Option<IndexedFiles>, StoreError> {
    if changes.is_empty() {
        return Ok(None);
    }
    let is_known = !changes.may_affect_any_import();
    let known = is_known.then(|| affected(index, changes)).transpose()?;
    let mut writer = index.writer()?;
    let mut is_any_name = changes.may_affect_any_name();
    let manifest = if let Some((touched, manifest)) = known {
        is_any_name |= changes.affect(&manifest.auto_imports());
        for file in touched {
            writer.queue_imports(file)?;
        }
        Some(manifest)
    } else {
        writer.queue_all_imports()?;
        None
    };
    if is_any_name {
        // A name that no file binds may mean another definition now, in any of them.
        writer.queue_all()?;
    }
    writer.set_meta("owes_links", "0")?;
    writer.set_meta("link_version", &VERSION.to_string())?;
    writer.commit(false)?;
    Ok(manifest)
}

/// Returns the files that `changes` affect. All imports are read for it, meanwhile all files.
fn affected(
    index: &Index,
    changes: &PathChanges,
) -> Result<(BTreeSet<i64>, IndexedFiles), StoreError> {
    let read = index.read()?;
    let (specifiers, manifest) = std::thread::scope(|scope| {
        // Only this connection writes: another one sees the same rows.
        let beside = index.reader().ok().and_then(|reader| {
            let specifiers = move || reader.read()?.specifiers();
            let builder = std::thread::Builder::new();
            builder.spawn_scoped(scope, specifiers).ok()
        });
        let manifest = IndexedFiles::of(&read)?;
        let specifiers = match beside {
            Some(beside) => beside
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
            None => read.specifiers()?,
        };
        Ok::<_, StoreError>((specifiers, manifest))
    })?;
    let files = queue::affected_files(changes, &manifest, specifiers);
    Ok((files, manifest))
}

/// Resolves the imports of the files on the list. Returns whether all are resolved.
fn imports(
    index: &mut Index,
    manifest: Option<IndexedFiles>,
    budget: &Budget,
) -> Result<bool, StoreError> {
    if index.read()?.unresolved_batch(0, 1)?.is_empty() {
        return Ok(true);
    }
    let files = Arc::new(match manifest {
        Some(manifest) => manifest,
        None => IndexedFiles::of(&index.read()?)?,
    });
    let resolver = Resolver::new(Arc::clone(&files) as Arc<dyn SourceFiles>);
    // A file stays on the list until its names are bound; the list is gone through once.
    let mut done = 0;
    while !budget.is_spent() {
        let batch = index.read()?.unresolved_batch(done, BATCH_IMPORTERS)?;
        let Some(&(last, _)) = batch.last() else {
            return Ok(true);
        };
        done = last;
        let worked = resolved(index, &batch, &files, &resolver, budget)?;
        let mut writer = index.writer()?;
        for (file, changed) in worked {
            let leads_elsewhere = !changed.is_empty();
            if leads_elsewhere {
                // Whoever was linked through this file may be led elsewhere now.
                writer.queue_dependents(file)?;
            }
            for (ordinal, kind, target) in changed {
                let is_template = kind == ImportKind::Template;
                if is_template {
                    writer.queue_import_target(file, ordinal)?;
                }
                writer.set_import(file, ordinal, target)?;
                if is_template {
                    writer.queue_import_target(file, ordinal)?;
                }
            }
            writer.imports_resolved(file, leads_elsewhere)?;
        }
        writer.commit(true)?;
    }
    Ok(false)
}

/// Imports by their place, with where they lead now, of one file.
type Changed = (i64, Vec<(u32, ImportKind, ImportTarget)>);

/// Returns of each file of a batch which of its imports lead elsewhere than noted, as far as the budget goes, and of
/// the first ones in any case.
fn resolved(
    index: &Index,
    batch: &[(i64, RepoPath)],
    files: &IndexedFiles,
    resolver: &Resolver,
    budget: &Budget,
) -> Result<Vec<Changed>, StoreError> {
    let slices = Slices::of(batch, SLICE_IMPORTERS);
    let worked = Mutex::new(Vec::with_capacity(batch.len()));
    parallel::on_threads(index, slices.n_threads(), |thread, read| {
        while let Some(slice) = slices.next(thread, || budget.is_spent()) {
            let mut found = Vec::with_capacity(slice.len());
            for (file, path) in slice {
                let mut changed = Vec::new();
                for import in read.imports(*file)? {
                    let to = resolver.resolve(path, &import.specifier, import.kind);
                    let to = files.target(&to);
                    if import.target != Some(to) {
                        changed.push((import.ordinal, import.kind, to));
                    }
                }
                found.push((*file, changed));
            }
            worked
                .lock()
                .expect("no thread panicked")
                .append(&mut found);
        }
        Ok(())
    })?;
    let mut worked = worked.into_inner().expect("no thread panicked");
    worked.sort_unstable_by_key(|(file, _)| *file);
    Ok(worked)
}

/// Binds the names of a batch of files. Returns whether there was any.
fn names(index: &mut Index, budget: &Budget) -> Result<bool, StoreError> {
    let is_unlimited = budget.remaining().is_none();
    let n_files = if is_unlimited {
        LARGE_BATCH_FILES
    } else {
        BATCH_FILES
    };
    let batch = index.read()?.link_queue(n_files)?;
    let files: Vec<i64> = batch.into_iter().map(|(file, _)| file).collect();
    if files.is_empty() {
        return Ok(false);
    }
    let found = parallel::bind(index, &files, budget)?;
    tracing::debug!(n_files = found.len(), "bound");
    let mut writer = index.writer()?;
    for (file, links) in found {
        let Links {
            edges,
            unbound,
            dependencies,
            import_files,
        } = links;
        writer.set_links(file, &edges, &unbound, &dependencies, &import_files)?;
    }
    writer.commit(true)?;
    Ok(true)
}

/// The files of the index as the resolver sees them.
pub struct IndexedFiles {
    files: HashMap<String, i64>,
    directories: HashSet<String>,
    configs: HashMap<String, Vec<u8>>,
    /// Units of several files, by their keys.
    units: BTreeMap<String, i64>,
    /// Whether there is a configuration that could not be unpacked.
    lacks_configs: bool,
}

impl IndexedFiles {
    fn of(read: &Read<'_>) -> Result<Self, StoreError> {
        let mut directories = HashSet::default();
        let mut files = HashMap::default();
        read.each_path(|file, path| {
            for directory in upwards(parent(path)) {
                if directories.contains(directory) {
                    break;
                }
                directories.insert(directory.to_owned());
            }
            files.insert(path.to_owned(), file);
        })?;
        let packed = read.packed_configs()?;
        let n_configs = packed.len();
        let configs: HashMap<String, Vec<u8>> = packed
            .into_iter()
            .filter_map(|(path, packed)| Some((path.as_str().to_owned(), unpack(&packed)?)))
            .collect();
        Ok(Self {
            files,
            directories,
            lacks_configs: configs.len() < n_configs,
            configs,
            units: read.units()?.into_iter().collect(),
        })
    }

    /// Returns the names that are imported by themselves.
    fn auto_imports(&self) -> AutoImports {
        let configs = self.configs.iter();
        let configs = configs.map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
        AutoImports::of(configs, &mut self.files.keys().map(String::as_str))
    }

    fn empty() -> Self {
        Self {
            files: HashMap::default(),
            directories: HashSet::default(),
            configs: HashMap::default(),
            units: BTreeMap::new(),
            lacks_configs: false,
        }
    }

    /// Adds a file, under the number of its row or one of its own.
    fn add(&mut self, path: &str, file: i64) {
        for directory in upwards(parent(path)) {
            self.directories.insert(directory.to_owned());
        }
        self.files.insert(path.to_owned(), file);
    }

    fn target(&self, to: &Resolution) -> ImportTarget {
        match to {
            Resolution::File(path) => self
                .files
                .get(path.as_str())
                .map_or(ImportTarget::Missing, |id| ImportTarget::File(*id)),
            Resolution::Unit(key) => self
                .units
                .get(key)
                .map_or(ImportTarget::Missing, |id| ImportTarget::Unit(*id)),
            Resolution::External => ImportTarget::External,
            Resolution::Missing => ImportTarget::Missing,
        }
    }
}

impl SourceFiles for IndexedFiles {
    fn is_file(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    fn is_dir(&self, path: &str) -> bool {
        path.is_empty() || self.directories.contains(path)
    }

    fn files_in(&self, directory: &str) -> Vec<String> {
        let all = self.files.keys();
        let mut own: Vec<String> = all
            .filter(|path| parent(path) == directory)
            .cloned()
            .collect();
        own.sort();
        own
    }

    fn paths(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    fn units(&self, prefix: &str) -> Vec<String> {
        let from = self.units.range(prefix.to_owned()..);
        let units = from.map(|(key, _)| key);
        units
            .take_while(|key| key.starts_with(prefix))
            .cloned()
            .collect()
    }

    fn has_unit(&self, key: &str) -> bool {
        self.units.contains_key(key)
    }

    fn read_config(&self, path: &str) -> Option<Vec<u8>> {
        self.configs.get(path).cloned()
    }

    fn configs(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.configs.keys().cloned().collect();
        paths.sort();
        paths
    }
}
