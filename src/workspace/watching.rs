//! A server's watch over a work tree: changes are brought up before a question comes.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, MutexGuard, PoisonError};

use super::catch_up::BackgroundJob;
use super::{Workspace, close, key_of};
use crate::error::{Error, Result};
use crate::model::path::{parent, upwards};
use crate::model::visited::{Visited, VisitedDirectory};
use crate::store::Index;
use crate::watch::Watch;

/// How far the watch over a work tree is.
#[derive(Default)]
pub(super) enum Watching {
    /// Nobody asked anything yet, or this process makes one call and ends.
    #[default]
    NotYet,
    /// Directories are being put on it.
    Starting,
    /// It is on.
    On(Watch),
    /// It can't work here.
    Off(String),
}

impl Workspace {
    /// Sees to it that the work tree is watched. Only a server does this, in a thread of its own: thousands of
    /// directories take longer than a question does.
    pub(super) fn watch(self: &Arc<Self>, index: &Index) {
        if matches!(*self.watching_now(), Watching::NotYet) {
            self.extend_watch(index);
        }
    }

    /// Puts the directories of the last look on the watch, or those of the index where there was none, and git's own. Then
    /// there is another look, in the background: one that may rest on the watch.
    pub(super) fn extend_watch(self: &Arc<Self>, index: &Index) {
        if !self.is_server {
            return;
        }
        let mut watching = self.watching_now();
        if matches!(*watching, Watching::Off(_) | Watching::Starting) {
            return;
        }
        let before = std::mem::replace(&mut *watching, Watching::Starting);
        let (home, pointer) = (index.home().clone(), index.pointer().clone());
        let workspace = Arc::clone(self);
        let begin = move || {
            let found = match workspace.last_visited() {
                Some(visited) => Ok(visited),
                None => {
                    // Another connection may see a later generation, whose directories are watched as well.
                    Index::open(&home, pointer)
                        .map_err(Error::from)
                        .and_then(|index| {
                            let found = directories_of(&index);
                            close(&home, index);
                            found
                        })
                }
            };
            let found = found.and_then(|visited| Ok((visited, workspace.repo()?)));
            let now = match found {
                Ok((visited, repo)) => workspace.covered(before, &visited, repo.git_dir()),
                Err(error) => {
                    tracing::info!(%error, "the directories to watch can't be read now");
                    before
                }
            };
            let is_on = matches!(now, Watching::On(_));
            *workspace.watching_now() = now;
            if is_on && workspace.last_visited().is_some() {
                workspace.catch_up(BackgroundJob::Refresh);
            }
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

    fn last_visited(&self) -> Option<Arc<Visited>> {
        self.directories.visited_after(0)
    }

    fn covered(self: &Arc<Self>, before: Watching, visited: &Visited, git_dir: &Path) -> Watching {
        let started = if let Watching::On(watch) = before {
            Ok(watch)
        } else {
            let workspace = Arc::downgrade(self);
            let on_change = move || {
                let workspace = workspace.upgrade();
                if let Some(workspace) = &workspace {
                    workspace.catch_up(BackgroundJob::Refresh);
                }
                workspace.is_some()
            };
            Watch::start(&self.work_dir, self.debounce, on_change)
        };
        let watched = started.and_then(|watch| {
            watch.cover(&visited.directories, git_dir)?;
            Ok(watch)
        });
        match watched {
            Ok(watch) => Watching::On(watch),
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
            Watching::On(watch) => Some(watch.n_changes()),
            _ => None,
        }
    }

    /// Returns the state of the watch, in words.
    pub(super) fn watching(&self) -> String {
        match &*self.watching_now() {
            Watching::NotYet if self.is_server => "off until the first question".to_owned(),
            Watching::NotYet => "off: only a server watches".to_owned(),
            Watching::Starting => "starting".to_owned(),
            Watching::On(watch) => {
                let n = watch.n_directories();
                format!("on: {n} directories; {}", self.describe_proof())
            }
            Watching::Off(why) => format!("off: {why}; every call looks at each file, as always"),
        }
    }
}

/// Returns the directories that hold indexed files, the root among them.
fn directories_of(index: &Index) -> Result<Arc<Visited>> {
    let mut found = BTreeSet::from([String::new()]);
    index.read()?.each_path(|_, path| {
        for directory in upwards(parent(path)).filter(|directory| !directory.is_empty()) {
            if !found.insert(format!("{directory}/")) {
                break;
            }
        }
    })?;
    let directories = found.into_iter().map(|path| VisitedDirectory {
        path: path.into_bytes().into(),
        id: None,
    });
    Ok(Arc::new(Visited {
        directories: directories.collect(),
        ..Visited::default()
    }))
}
