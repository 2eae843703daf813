//! Links files: resolves imports to files and references to definitions, and writes edges.
//!
//! Works off the link queue, whose rows are written in the transaction that makes them necessary: neither a crash nor a
//! spent budget loses an edge. Reads files and their configuration from the index, never from the disk.

mod affected_importers;
mod alternatives;
mod ambient_names;
mod angular_names;
mod assigned_functions;
mod auto_imports;
mod bridges;
mod cache;
mod calls;
mod classes_above;
mod csharp_delegates;
mod declarations;
mod dependencies;
mod describe;
pub mod dispatch;
mod dotnet_bases;
mod dotnet_members;
mod dotnet_std;
pub mod go_assertions;
mod rust_conversions;

mod c_names;
mod cpp_overloads;
mod cpp_std;
mod csharp_extensions;
mod csharp_parts;
mod edges;
mod enclosing;
pub mod entries;
mod exports;
mod external;
mod external_reexports;
mod file;
mod file_tables;
mod fits;
mod generics;
mod go_generics;
mod go_std;
mod indexed_files;
mod infer;
pub mod interfaces;
mod java_fits;
mod java_lambdas;
mod java_std;
mod keyword_args;
mod linker;
mod literal_members;
mod lookup;
mod macro_namespaces;
mod members;
mod method_sets;
pub mod name_binder;
pub mod offered;
pub mod overlay;
mod overloads;
mod own_members;
mod parallel;
mod path_names;
mod rules;
mod rust_extension_traits;
mod rust_impls;
mod rust_paths;
mod rust_pointers;
mod rust_std;
mod simple_names;
pub mod subclasses;
mod twin_modules;
mod types;
pub mod union_parts;
mod unit_imports;
mod wrapped_components;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use edges::Links;
use indexed_files::IndexedFiles;
use parallel::Slices;

use crate::ir::ImportKind;
use crate::model::{Budget, FileId, RepoPath};
use crate::resolve::{PathChanges, Resolver, SourceFiles};
use crate::store::{ImportTarget, Index, StoreError};

/// Version of the rules of linking. Raised when the same facts lead to other edges: then all files are linked again,
/// and nothing is extracted.
pub const VERSION: u32 = 25;

/// Files whose names are bound in one transaction.
const BATCH_FILES: u32 = 1024;

/// The same where no question waits; what they add to the index may end a batch earlier.
const LARGE_BATCH_FILES: u32 = 8192;

/// Files whose imports are resolved in one transaction.
const BATCH_IMPORTERS: u32 = 1024;

/// Files that a thread takes at a time to resolve their imports.
const SLICE_IMPORTERS: usize = 32;

/// Whether Rust's standard library has a method of this name.
pub(crate) fn is_standard_method(name: &str) -> bool {
    rust_std::is_known(name)
}

/// Whether types of .NET, or its own extension methods, have a method of this name.
pub(crate) fn is_usual_dotnet_method(name: &str) -> bool {
    types::ExternalType::is_usual_method(name)
}

/// Queues the files that `changes` affect, then links every queued file until the queue is empty or the budget is
/// spent: first the imports of all of them, then their names. The caller holds the write lock and has applied every
/// file before.
pub fn link(index: &mut Index, changes: &PathChanges, budget: &Budget) -> Result<(), StoreError> {
    let manifest = queue_affected(index, changes)?;
    if index.read()?.n_queued()? == 0 {
        return Ok(());
    }
    // Binding names puts no import into the queue.
    if resolve_imports(index, manifest, budget)? {
        while !budget.is_spent() && bind_names(index, budget)? {}
    }
    Ok(())
}

/// Queues the files whose imports may resolve to other files after `changes`: `import './db'` of each importer once `db.ts` is new. Every
/// file is queued where the changes may affect any import or a name that no file binds. Without changes the queue stays as it
/// is. Returns the files of the index if they had to be read to choose the importers. The caller holds the write lock. Writes in
/// one transaction; reads all imports and all paths.
pub fn queue_affected(
    index: &mut Index,
    changes: &PathChanges,
) -> Result<Option<IndexedFiles>, StoreError> {
    if changes.is_empty() {
        note_version(index)?;
        return Ok(None);
    }
    let is_known = !changes.may_affect_any_import();
    let known = is_known.then(|| affected(index, changes)).transpose()?;
    let mut writer = index.writer()?;
    let mut is_any_name = changes.may_affect_any_name();
    let manifest = if let Some((touched, manifest)) = known {
        is_any_name |= changes.touches(&manifest.auto_imports());
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
    writer.set_meta("link_queue_is_stale", "0")?;
    writer.set_meta("link_version", &VERSION.to_string())?;
    writer.commit(false)?;
    Ok(manifest)
}

/// Notes in an index of a first build which linker binds its names: every file is on the list already, and none has to be
/// bound again by another linker. Of an index with rows another version is a change, see [`PathChanges::add_lost`].
fn note_version(index: &mut Index) -> Result<(), StoreError> {
    if index.read()?.meta().link_version == VERSION {
        return Ok(());
    }
    let mut writer = index.writer()?;
    writer.set_meta("link_version", &VERSION.to_string())?;
    writer.commit(false)
}

/// Returns the files whose imports `changes` affect; reads all imports and all files.
fn affected(
    index: &Index,
    changes: &PathChanges,
) -> Result<(BTreeSet<FileId>, IndexedFiles), StoreError> {
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
    let files = affected_importers::affected_files(changes, &manifest, specifiers);
    Ok((files, manifest))
}

/// Resolves the imports of the queued files. Returns whether all are resolved.
fn resolve_imports(
    index: &mut Index,
    manifest: Option<IndexedFiles>,
    budget: &Budget,
) -> Result<bool, StoreError> {
    if index.read()?.unresolved_batch(FileId::NONE, 1)?.is_empty() {
        return Ok(true);
    }
    let files = Arc::new(match manifest {
        Some(manifest) => manifest,
        None => IndexedFiles::of(&index.read()?)?,
    });
    let resolver = Resolver::new(Arc::clone(&files) as Arc<dyn SourceFiles>);
    // A file stays on the list until its names are bound; the list is gone through once.
    let mut done = FileId::NONE;
    while !budget.is_spent() {
        let batch = index.read()?.unresolved_batch(done, BATCH_IMPORTERS)?;
        let Some(&(last, _)) = batch.last() else {
            return Ok(true);
        };
        done = last;
        let worked = changed_targets(index, &batch, &files, &resolver, budget)?;
        let mut writer = index.writer()?;
        for (file, changed) in worked {
            let leads_elsewhere = !changed.is_empty();
            if leads_elsewhere {
                // Uses that were bound through this file may bind to other definitions now.
                writer.queue_dependents(file)?;
            }
            for (ordinal, kind, target) in changed {
                // The names of the imported file are those of its importer.
                let binds_target = matches!(kind, ImportKind::Template | ImportKind::Fragment);
                if binds_target {
                    writer.queue_import_target(file, ordinal)?;
                }
                writer.set_import(file, ordinal, target)?;
                if binds_target {
                    writer.queue_import_target(file, ordinal)?;
                }
            }
            writer.imports_resolved(file, leads_elsewhere)?;
        }
        writer.commit(true)?;
    }
    Ok(false)
}

/// A file with its imports whose target changed: ordinal, kind, new target.
type Changed = (FileId, Vec<(u32, ImportKind, ImportTarget)>);

/// Resolves the imports of a batch of files. Returns those whose target changed, of as many files as the budget
/// allows, of one slice for each thread in any case.
fn changed_targets(
    index: &Index,
    batch: &[(FileId, RepoPath)],
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
fn bind_names(index: &mut Index, budget: &Budget) -> Result<bool, StoreError> {
    let is_unlimited = budget.remaining().is_none();
    let n_files = if is_unlimited {
        LARGE_BATCH_FILES
    } else {
        BATCH_FILES
    };
    let batch = index.read()?.link_queue(n_files)?;
    let files: Vec<FileId> = batch.into_iter().map(|(file, _)| file).collect();
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
