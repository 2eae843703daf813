//! Finds the files whose imports have to be resolved again after paths were added, removed or changed.
//!
//! `resolve` decides which imports may be affected; this walks the rows. One of the three causes of the link queue (`store::link_queue`).

use std::collections::BTreeSet;

use super::indexed_files::IndexedFiles;
use crate::model::FileId;
use crate::model::hash::HashMap;
use crate::resolve::{AffectedByEcosystem, KnownTarget, PathChanges};
use crate::store::ImportTarget;

/// Returns the files with an import in `imports` (importing file, specifier, stored target) that may resolve to
/// another file; `manifest` has all present files.
pub(super) fn affected_files(
    changes: &PathChanges,
    manifest: &IndexedFiles,
    imports: Vec<(FileId, String, ImportTarget)>,
) -> BTreeSet<FileId> {
    let paths = manifest.files.keys().map(String::as_str);
    let configs = manifest.configs.iter();
    let configs: Vec<(&str, &[u8])> = configs
        .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
        .collect();
    let affected = AffectedByEcosystem::of(changes, paths, &configs, manifest.lacks_configs);
    let files = manifest.files.iter();
    let path_of: HashMap<FileId, &str> = files.map(|(path, file)| (*file, path.as_str())).collect();
    let affected = imports.into_iter().filter(|(file, specifier, to)| {
        let to = match to {
            ImportTarget::External => KnownTarget::External,
            ImportTarget::Missing => KnownTarget::Missing,
            ImportTarget::Unit(_) => KnownTarget::Unit,
            ImportTarget::File(to) => path_of
                .get(to)
                .map_or(KnownTarget::Missing, |path| KnownTarget::File(path)),
        };
        // The row of a file that is not there any more goes with it.
        let from = path_of.get(file);
        from.is_some_and(|from| affected.contains(from, specifier, to))
    });
    affected.map(|(file, ..)| file).collect()
}
