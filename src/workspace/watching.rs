//! A server's watch over a work tree: what changes is brought up before it is asked for.
//!
//! Refuses to let an answer rest on it: each call proves its own freshness.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use super::Workspace;
use crate::git::Repo;
use crate::store::{Index, Read};
use crate::watch::Watch;

/// How far the watch over a work tree is.
#[derive(Default)]
pub(super) enum Watching {
    /// Nobody asked anything yet, or this process makes one call and ends.
    #[default]
    NotYet,
    /// It is on, over the directories of this generation of this index.
    On(Watch, (String, u64)),
    /// It can't work here.
    Off(String),
}

impl Workspace {
    /// Sees to it that the directories of the index and git's own are watched. Only a server does this.
    pub(super) fn watch(self: &Arc<Self>, repo: &Repo, index: &Index) {
        if !self.is_server {
            return;
        }
        let mut watching = self.watching.lock().unwrap_or_else(PoisonError::into_inner);
        if let Watching::Off(_) = *watching {
            return;
        }
        let Ok(read) = index.read() else {
            return;
        };
        let rows = (index.pointer().index_id.clone(), read.meta().generation);
        if matches!(&*watching, Watching::On(_, covered) if *covered == rows) {
            return;
        }
        let Ok(directories) = directories(repo, index, &read) else {
            return;
        };
        let watched = if let Watching::On(watch, _) = std::mem::take(&mut *watching) {
            watch.cover(directories).map(|()| watch)
        } else {
            let workspace = Arc::downgrade(self);
            let on_change = move || {
                let workspace = workspace.upgrade();
                if let Some(workspace) = &workspace {
                    workspace.catch_up(false);
                }
                workspace.is_some()
            };
            Watch::start(repo.work_dir(), directories, on_change)
        };
        *watching = match watched {
            Ok(watch) => Watching::On(watch, rows),
            Err(error) => {
                tracing::info!(%error, "the work tree is not watched");
                Watching::Off(error.to_string())
            }
        };
    }

    /// Returns what there is to say of the watch.
    pub(super) fn watching(&self) -> String {
        match &*self.watching.lock().unwrap_or_else(PoisonError::into_inner) {
            Watching::NotYet if self.is_server => "off until the first question".to_owned(),
            Watching::NotYet => "off: only a server watches".to_owned(),
            Watching::On(watch, _) => format!("on: {} directories", watch.n_directories()),
            Watching::Off(why) => format!("off: {why}; every call looks at each file, as always"),
        }
    }
}

/// The directories that hold indexed files, the root among them, and those where git notes what is checked
/// out.
fn directories(
    repo: &Repo,
    index: &Index,
    read: &Read<'_>,
) -> crate::error::Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::from([repo.work_dir().to_owned()]);
    for row in index.file_rows(read)?.iter() {
        let mut directory = row.path.directory();
        while !directory.is_empty() && found.insert(repo.work_dir().join(directory)) {
            directory = directory.rfind('/').map_or("", |at| &directory[..at]);
        }
    }
    found.insert(repo.git_dir().to_owned());
    Ok(found)
}
