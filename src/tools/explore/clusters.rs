//! The clusters of the indexes that were asked about last: a generation of a build has the same ones each time.

use std::sync::Arc;

use crate::error::Result;
use crate::graph::clusters::Clusters;
use crate::model::{LruCache, RepoPath};
use crate::workspace::View;

/// Indexes whose clusters are kept.
const MAX_VALUES: usize = 4;

/// By build and generation.
static CACHE: LruCache<(String, u64), Arc<Clusters>> = LruCache::new(MAX_VALUES);

/// Returns the name of a file's cluster; `None` where the call was cancelled.
pub(super) fn cluster(view: &View<'_>, path: &RepoPath) -> Result<Option<String>> {
    let key = (view.build.to_owned(), view.read.meta().generation);
    let clusters = match CACHE.get(&key) {
        Some(kept) => kept,
        None => match Clusters::read(view.read, view.budget)? {
            Some(found) => {
                let found = Arc::new(found);
                CACHE.insert(key, Arc::clone(&found));
                found
            }
            None => return Ok(None),
        },
    };
    Ok(clusters
        .name(path)
        .map(|name| crate::model::sanitize::one_line(name).into_owned()))
}
