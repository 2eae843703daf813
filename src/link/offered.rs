//! The files that a repository offers to others under the names of packages.

use std::sync::Arc;

use super::indexed_files::IndexedFiles;
use crate::ir::ImportKind;
use crate::model::RepoPath;
use crate::resolve::{Resolution, Resolver, SourceFiles};
use crate::store::{Read, StoreError};

/// Returns the specifiers, by their place, that lead into the repository of an index where a file like `from`, of another one, writes them,
/// each with its file, where that is one. Costs a pass over all paths.
pub fn offered(
    read: &Read<'_>,
    from: &RepoPath,
    specifiers: &[String],
) -> Result<Vec<(usize, Option<RepoPath>)>, StoreError> {
    let files = Arc::new(IndexedFiles::of(read)?);
    let resolver = Resolver::new(files as Arc<dyn SourceFiles>);
    // At the top of that repository, since it is in none of its packages.
    let Some(from) = RepoPath::new(from.file_name()) else {
        return Ok(Vec::new());
    };
    let lead = |specifier: &String| {
        if let Some(entry) = resolver.entries(specifier).into_iter().next() {
            return Some(Some(entry));
        }
        match resolver.resolve(&from, specifier, ImportKind::Static) {
            Resolution::File(path) => Some(Some(path)),
            Resolution::Unit(_) => Some(None),
            Resolution::External | Resolution::Missing => None,
        }
    };
    let all = specifiers.iter().enumerate();
    Ok(all.filter_map(|(at, it)| Some((at, lead(it)?))).collect())
}
