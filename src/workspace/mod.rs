//! The composition root: which repository a call is about, which index answers it, and how current
//! that index is.
//!
//! Knows every room below and hands plain values down. Refuses to know what is asked: a tool brings a
//! function over a [`View`].

pub mod diagnosis;
mod errors;
mod query;
mod refresh;
mod source;
mod state;
mod view;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use refresh::Refreshed;
pub use source::{Place, Text};
pub use state::{Contents, Current, IndexEntry, IndexStatus};
pub use view::{View, missing, outside};

/// Rows that a [`View`] hands out.
pub use crate::store::{FileSummary, SymbolRow};

use crate::config::Config;
use crate::error::{Code, Error, Result};
use crate::git::Repo;
use crate::store::{Home, Index, IndexKey};

/// How many open indexes a repository keeps for the next calls.
const MAX_IDLE_INDEXES: usize = 4;

/// The repositories that this process has open.
pub struct Workspaces {
    config: Config,
    is_server: bool,
    open: Mutex<HashMap<PathBuf, Arc<Workspace>>>,
}

/// One work tree, with the indexes that were opened for it.
pub struct Workspace {
    work_dir: PathBuf,
    home: Home,
    budget: Duration,
    is_server: bool,
    idle: Mutex<Vec<Index>>,
    is_catching_up: Arc<AtomicBool>,
}

impl Workspaces {
    /// Returns a set without repositories, for a process that makes one call and ends.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            is_server: false,
            open: Mutex::default(),
        }
    }

    /// Makes it the set of a server: what an answer leaves undone is worked off after it.
    #[must_use]
    pub fn for_server(mut self) -> Self {
        self.is_server = true;
        self
    }

    /// Returns the settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the work tree that a call is about: `named` if the call names one (a relative path is
    /// one below the first of `places`), else the first of `places` that lies in one.
    ///
    /// # Errors
    /// `not_a_repo` where there is none; `git` where there is one that can't be read.
    pub fn open(&self, named: Option<&str>, places: &[PathBuf]) -> Result<Arc<Workspace>> {
        let named = named.map(|path| match places.first() {
            Some(place) => place.join(path),
            None => PathBuf::from(path),
        });
        let tried: &[PathBuf] = named.as_ref().map_or(places, std::slice::from_ref);
        let mut failure = None;
        for place in tried {
            match self.at(place) {
                Ok(workspace) => return Ok(workspace),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        Err(failure.unwrap_or_else(|| {
            Error::new(
                Code::NotARepo,
                "no place to look for a repository is known",
                "pass `repo`: the path of a git work tree",
            )
        }))
    }

    fn at(&self, place: &Path) -> Result<Arc<Workspace>> {
        let repo = Repo::discover(place)?;
        let work_dir = repo.work_dir().to_owned();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = open.get(&work_dir) {
            return Ok(Arc::clone(known));
        }
        let workspace = Arc::new(Workspace {
            home: Home::at(&self.config.home, &repo.places())?,
            budget: self.config.budget(),
            is_server: self.is_server,
            idle: Mutex::default(),
            is_catching_up: Arc::default(),
            work_dir: work_dir.clone(),
        });
        open.insert(work_dir, Arc::clone(&workspace));
        Ok(workspace)
    }
}

impl Workspace {
    /// Returns where the work tree is.
    pub fn work_dir(&self) -> &Path {
        &self.work_dir
    }

    /// Returns where the indexes are.
    pub fn home_dir(&self) -> &Path {
        self.home.root()
    }

    /// Opens the repository anew: what it says is never older than the call.
    pub fn repo(&self) -> Result<Repo> {
        Ok(Repo::discover(&self.work_dir)?)
    }

    /// Returns an index that was opened before and is still the current build of `key`.
    fn idle_index(&self, key: &IndexKey) -> Option<Index> {
        let pointer = self.home.repo(&key.repo_id).pointer(&key.index_id())?;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().position(|index| *index.pointer() == pointer)?;
        Some(idle.remove(at))
    }

    /// Closes what is open of an index.
    fn close_idle(&self, index_id: &str) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|index| index.pointer().index_id != index_id);
    }

    /// Keeps an index for the next call; the one that waited longest is closed.
    fn keep(&self, index: Index) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(index);
        if idle.len() > MAX_IDLE_INDEXES {
            idle.remove(0);
        }
    }
}

fn key_of(repo: &Repo, snapshot: crate::model::Snapshot) -> IndexKey {
    IndexKey {
        repo_id: repo.repo_id(),
        worktree_id: repo.worktree_id(),
        snapshot,
    }
}
