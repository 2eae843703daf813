//! The clusters of the indexes that were asked about last: a generation of a build has the same ones each time.

use std::sync::Arc;

use crate::error::Result;
use crate::graph::clusters::Clusters;
use crate::model::{Latest, RepoPath};
use crate::workspace::View;

/// Indexes whose clusters are kept.
const MAX_KEPT: usize = 4;

/// By build and generation.
static KEPT: Latest<(String, u64), Arc<Clusters>> = Latest::new(MAX_KEPT);

/// Returns the name of a file's cluster; `None` where the call was cancelled.
pub(super) fn cluster(view: &View<'_>, path: &RepoPath) -> Result<Option<String>> {
    let key = (view.build.to_owned(), view.read.meta().generation);
    let clusters = match KEPT.get(&key) {
        Some(kept) => kept,
        None => match Clusters::read(view.read, view.budget)? {
            Some(found) => {
                let found = Arc::new(found);
                KEPT.keep(key, Arc::clone(&found));
                found
            }
            None => return Ok(None),
        },
    };
    Ok(clusters
        .name(path)
        .map(|name| crate::model::sanitize::one_line(name).into_owned()))
}
