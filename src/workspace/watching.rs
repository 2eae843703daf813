//! A server's watch over a work tree: changes are brought up before a question comes.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, MutexGuard, PoisonError};

use super::catch_up::BackgroundJob;
use super::{Workspace, close, key_of};
use crate::error::{Error, Result};
use crate::model::path::{parent, upwards};
use crate::store::Index;
use crate::watch::Watch;

/// How far the watch over a work tree is.
#[derive(Default)]
pub(super) enum Watching {
    /// Nobody asked anything yet, or this process makes one call and ends.
    #[default]
    NotYet,
    /// Its directories are being put on it.
    Starting,
    /// It is on, over the directories of this generation of this index.
    On(Watch, (String, u64)),
    /// It can't work here.
    Off(String),
}

impl Workspace {
    /// Sees to it that the directories of the index and git's own are watched. Only a server does this, in a thread
    /// of its own: thousands of directories take longer than a question does.
    pub(super) fn watch(self: &Arc<Self>, index: &Index) {
        if !self.is_server {
            return;
        }
        let mut watching = self.watching_now();
        if matches!(*watching, Watching::Off(_) | Watching::Starting) {
            return;
        }
        let Ok(read) = index.read() else {
            return;
        };
        let rows = (index.pointer().index_id.clone(), read.meta().generation);
        if matches!(&*watching, Watching::On(_, covered) if *covered == rows) {
            return;
        }
        let before = std::mem::replace(&mut *watching, Watching::Starting);
        let (home, pointer) = (index.home().clone(), index.pointer().clone());
        let workspace = Arc::clone(self);
        let begin = move || {
            // Another connection may see a later generation, whose directories are watched as well.
            let found = Index::open(&home, pointer).map_err(Error::from);
            let found = found.and_then(|index| {
                let found = workspace.directories(&index);
                close(&home, index);
                found
            });
            let now = match found {
                Ok(directories) => workspace.covered(before, directories, rows),
                Err(error) => {
                    tracing::info!(%error, "what to watch can't be read now");
                    before
                }
            };
            *workspace.watching_now() = now;
        };
        let builder = std::thread::Builder::new().name("watching".to_owned());
        if let Err(error) = builder.spawn(begin) {
            *watching = Watching::Off(error.to_string());
        }
    }

    /// Watches the directories that an earlier server of this work tree watched, if the checked-out commit has an
    /// index. Nothing is looked at: the next question finds the changes in between.
    ///
    /// # Errors
    /// `git` and `io` where the repository or its index can't be read.
    pub(super) fn watch_again(self: &Arc<Self>) -> Result<()> {
        let repo = self.repo()?;
        let key = key_of(&repo, repo.snapshot()?);
        let home = self.home.repo(&key.repo_id);
        if let Some(pointer) = home.pointer(&key.index_id()) {
            self.watch(&Index::open(&home, pointer)?);
        }
        Ok(())
    }

    /// Returns the directories that hold indexed files, the root among them, and those where git notes the checked-out
    /// commit.
    fn directories(&self, index: &Index) -> Result<BTreeSet<PathBuf>> {
        let repo = self.repo()?;
        let root = repo.work_dir();
        let mut found = BTreeSet::from([root.to_owned(), repo.git_dir().to_owned()]);
        index.read()?.each_path(|_, path| {
            for directory in upwards(parent(path)) {
                if !found.insert(root.join(directory)) {
                    break;
                }
            }
        })?;
        Ok(found)
    }

    fn covered(
        self: &Arc<Self>,
        before: Watching,
        directories: BTreeSet<PathBuf>,
        rows: (String, u64),
    ) -> Watching {
        let watched = if let Watching::On(watch, _) = before {
            watch.cover(directories).map(|()| watch)
        } else {
            let workspace = Arc::downgrade(self);
            let on_change = move || {
                let workspace = workspace.upgrade();
                if let Some(workspace) = &workspace {
                    workspace.catch_up(BackgroundJob::Refresh);
                }
                workspace.is_some()
            };
            Watch::start(&self.work_dir, directories, self.debounce, on_change)
        };
        match watched {
            Ok(watch) => Watching::On(watch, rows),
            Err(error) => {
                tracing::info!(%error, "the work tree is not watched");
                Watching::Off(error.to_string())
            }
        }
    }

    pub(super) fn watching_now(&self) -> MutexGuard<'_, Watching> {
        self.watching.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how many changes the watch saw so far: when it differs, it is worth looking. `None` where there is no watch.
    pub fn n_changes(&self) -> Option<u64> {
        match &*self.watching_now() {
            Watching::On(watch, _) => Some(watch.n_changes()),
            _ => None,
        }
    }

    /// Returns the state of the watch, in words.
    pub(super) fn watching(&self) -> String {
        match &*self.watching_now() {
            Watching::NotYet if self.is_server => "off until the first question".to_owned(),
            Watching::NotYet => "off: only a server watches".to_owned(),
            Watching::Starting => "starting".to_owned(),
            Watching::On(watch, _) => format!("on: {} directories", watch.n_directories()),
            Watching::Off(why) => format!("off: {why}; every call looks at each file, as always"),
        }
    }
}
