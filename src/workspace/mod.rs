//! The composition root: the repository of a call, the index that answers it, and how current that index is; and all else that is
//! done to a repository's data: comparisons of two states, remotes, vectors, saved records, housekeeping, checks, archives.
//!
//! Knows every room below and hands plain values down. Does not know the tools: a tool brings a function over a
//! [`View`].

mod active_query;
mod archives;
mod bundle;
mod cache;
mod catch_up;
mod changes;
mod comparison;
mod comparison_cache;
mod disk;
mod disk_search;
pub mod doctor;
mod errors;
mod idle;
mod meaning;
mod memory;
mod names;
mod paths;
mod proof;
mod prose_answer;
mod prune;
mod query;
mod refresh;
mod remote_candidates;
mod remote_differences;
mod remote_gc;
mod remotes;
mod rerank;
mod revision;
mod run_history;
mod served;
mod similar_refs;
mod source;
mod state;
mod survey;
mod unused_vectors;
mod usage;
mod vectors;
mod verify_import;
mod view;
mod watching;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use crate::archive::{Strip, name_of as archive_name_of};
pub use crate::embed::CitedProse;
pub use crate::remote::{NewKeys, new_keys};
pub use active_query::{FirstBuild, Patience, Question};
pub use archives::{AddedArchive, ArchiveToAdd, StoredArchive, name_in as archive_name_in};
pub use bundle::{Exported, Imported, OnBundle};
pub use cache::{CacheKey, RepositoryEntry};
pub use changes::FileChange;
pub use comparison::{Comparison, ComparisonSide, DifferingFile, FileVersion, Other, StateIndex};
pub use errors::with_place;
pub use meaning::{AskedMeaning, MeaningState};
pub use memory::{
    AttachedText, Author, BoundRecord, BoundRecords, DocumentToSave, FinishedTest, ItemToSave,
    JudgedRecord, Loaded, Quarantined, RecallRequest, Recollections, RecordTestRun, RecordToSave,
    SavedOutcome, wanted,
};
pub use names::{dotted, is_named, last_name};
pub use prune::{DropTarget, PruneOptions};
pub use refresh::Refreshed;
pub use remote_candidates::PassedOver;
pub use remote_gc::RemoteCollected;
pub use remotes::{OnTransfer, PullState, Pulled, Pushed, checked_address};
pub use rerank::RerankOutcome;
pub use revision::Revision;
pub use served::Served;
pub use source::{ChunkPlace, FileRange, FileText};
pub use state::{CurrentState, IndexCounts, IndexStatus, ListedIndex};
pub use usage::{CountedCall, Usage};
pub use vectors::{StoredVectors, VectorStatus, VectorsBuilt};
pub use view::{View, cut_argument, family_of, missing, outside, reason_in_words};

pub use crate::git::{added_lines, merged_lines, n_changed_lines};
pub use crate::model::Analysis;
pub use crate::store::memory::{DocumentLink, DocumentLocation, NamedTest, SeenTestRun, WrittenBy};
pub use crate::store::runs::StoredRun;
pub use crate::store::token::normal_form;
/// Rows that a [`View`] hands out.
pub use crate::store::{
    ChunkRow, EdgeRow, FileRow, FileSummary, ImportTarget, Read, RecordKind, SavedItem,
    SavedRecord, SymbolRow,
};
pub use crate::syntax::{by_id as language, by_path as language_of};

use crate::config::repository::{self, RepositorySettings};
use crate::config::{Config, RemoteEntry, Unasked};
use crate::error::{Code, Error, Result};
use crate::git::{Directories, KeptRepo, ReadError, Repo};
use crate::lifecycle::policy::RetentionRules;
use crate::machine;
use crate::model::{CommitId, FileMark, FileStat, LruCache, RepoPath};
use crate::store::{Home, Index, IndexKey, Pointer, RepoHome, VectorTable, directory_file};
use crate::syntax;

/// How many open indexes a repository keeps for the next calls.
const MAX_IDLE_INDEXES: usize = 4;

/// Called when work in the background ended.
type OnRest = Arc<dyn Fn() + Send + Sync>;

/// The repositories that this process has open.
pub struct Workspaces {
    config: Config,
    is_server: bool,
    directories_settle_after: Option<Duration>,
    served: Option<Served>,
    /// Repositories that the user said belong together.
    groups: Vec<Served>,
    on_rest: OnRest,
    models: Arc<vectors::Models>,
    usage: Arc<usage::UsageCounters>,
    open: Mutex<HashMap<PathBuf, Arc<Workspace>>>,
}

/// One work tree, or bare repository, with the indexes that were opened for it.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact or a setting of its own"
)]
pub struct Workspace {
    work_dir: PathBuf,
    is_bare: bool,
    home: Home,
    budget: Duration,
    first_build: Duration,
    /// How long the work tree is quiet before the watch follows a change.
    debounce: Duration,
    /// How much of saved records answers say unasked.
    unasked: Unasked,
    /// Words that a person gave to files of this repository.
    marks: Vec<FileMark>,
    /// Stores that the user configured.
    remotes: Vec<RemoteEntry>,
    /// Whether a missing index is seeded from them without being asked for.
    pulls: bool,
    /// Public keys that indexes of stores must be signed with, as they are set.
    trusted_keys: String,
    remote_timeout: Duration,
    /// Models that the user configured, shared by all work trees of the process.
    models: Arc<vectors::Models>,
    /// Chunks that answers found to lack a vector.
    embed_queue: Mutex<vectors::EmbedQueue>,
    /// The vectors of the index that was asked last.
    vector_tables: LruCache<meaning::TableKey, Arc<VectorTable>>,
    /// Held while an index is taken from a store.
    pulling: Mutex<()>,
    is_server: bool,
    directories: Arc<Directories>,
    kept_repo: KeptRepo,
    rules: RetentionRules,
    housekeeping: bool,
    reads_repository_file: bool,
    on_rest: OnRest,
    idle: Mutex<Vec<Index>>,
    is_catching_up: Arc<AtomicBool>,
    make_room: Arc<AtomicBool>,
    n_active_queries: AtomicUsize,
    shown_stale: Mutex<HashSet<RepoPath>>,
    watching: Mutex<watching::Watching>,
    proof: Mutex<proof::ProofRecord>,
    is_housekeeping: AtomicBool,
    owes_housekeeping: AtomicBool,
    owes_checkpoint: AtomicBool,
    /// Commits whose indexes answers left incomplete.
    unfinished: Mutex<BTreeSet<CommitId>>,
}

impl Workspaces {
    /// Returns a set without repositories, for a process that makes one call and ends.
    pub fn new(config: Config) -> Self {
        syntax::limit_symbols_to(&config.symbols);
        let groups = config.groups.iter();
        let groups = groups.map(|group| Served::unchecked(&group.repos));
        Self {
            models: Arc::new(vectors::Models::new(config.models.clone())),
            groups: groups.collect(),
            config,
            is_server: false,
            directories_settle_after: None,
            served: None,
            on_rest: Arc::new(|| ()),
            usage: Arc::default(),
            open: Mutex::default(),
        }
    }

    /// Makes it the set of a server: work that an answer leaves is done after it.
    #[must_use]
    pub fn for_server(mut self) -> Self {
        self.is_server = true;
        self.remembering_directories(FileStat::TICK)
    }

    /// Makes it list a directory again only when it may have changed since the call before. A directory that changed
    /// less than `settled_after` before it was listed may have: [`FileStat::TICK`], where the file system's clock is
    /// not known.
    #[must_use]
    pub fn remembering_directories(mut self, settled_after: Duration) -> Self {
        self.directories_settle_after = Some(settled_after);
        self
    }

    /// Makes it call `on_rest` whenever work in the background ended.
    #[must_use]
    pub fn telling(mut self, on_rest: OnRest) -> Self {
        self.on_rest = on_rest;
        self
    }

    /// Makes it refuse every repository but these.
    #[must_use]
    pub fn limited_to(mut self, served: Served) -> Self {
        self.served = Some(served);
        self
    }

    /// Returns the only repositories that may be asked about, if it is not all.
    pub fn served(&self) -> Option<&Served> {
        self.served.as_ref()
    }

    /// Returns the repositories that a call may name and that `all` stands for: those that are served, else those that the user
    /// said belong together with the first of `places` that is in such a group; `None` where there is no group.
    pub fn together(&self, places: &[PathBuf]) -> Option<&Served> {
        self.served.as_ref().or_else(|| {
            let is_grouped = !self.groups.is_empty();
            let mut places = places.iter().filter(|_| is_grouped);
            let place = places.find(|place| place.exists())?;
            self.groups.iter().find(|group| group.holds(place))
        })
    }

    /// Returns the settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the work tree that a call is about: `named` if the call names one (`archive:NAME`, or a path: a relative one is
    /// below the first of `places`), else the first of `places` that lies in one.
    ///
    /// # Errors
    /// `not_a_repo` where there is none; `path_not_found` where nothing is at any of the places; `git` where there is one that can't be read; `outside_repo` for one
    /// that is not served.
    pub fn open(&self, named: Option<&str>, places: &[PathBuf]) -> Result<Arc<Workspace>> {
        if let Some(served) = &self.served {
            return self.at(served.select(named, places)?);
        }
        if let (Some(named), Some(group)) = (named, self.together(places))
            && let Some(place) = group.by_name(named)
        {
            return self.open_one_of(&[place.to_owned()]);
        }
        if let Some(named) = named.filter(|it| archives::name_in(Path::new(it)).is_some()) {
            return self.open_one_of(&[PathBuf::from(named)]);
        }
        let Some(named) = named else {
            return self.open_one_of(places);
        };
        let place = match places.first() {
            Some(place) => place.join(named),
            None => PathBuf::from(named),
        };
        self.open_one_of(&[place])
            .map_err(|error| with_place(error, named))
    }

    /// Returns the work tree that the first of some places lies in.
    fn open_one_of(&self, tried: &[PathBuf]) -> Result<Arc<Workspace>> {
        let mut failure = None;
        for place in tried {
            match self.at(place) {
                Ok(workspace) => return Ok(workspace),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        let is_there = |place: &PathBuf| place.exists() || archives::name_in(place).is_some();
        if !tried.is_empty() && !tried.iter().any(is_there) {
            return Err(Error::new(
                Code::PathNotFound,
                match tried[0].file_name() {
                    Some(name) => format!(
                        "there is no file or directory `{}` where the repository should be",
                        view::cut_argument(&name.to_string_lossy())
                    ),
                    None => "there is nothing where the repository should be".to_owned(),
                },
                "pass `repo`: a path inside a git work tree that is there",
            ));
        }
        Err(failure.unwrap_or_else(|| {
            Error::new(
                Code::NotARepo,
                "no place to look for a repository is known",
                "pass `repo`: the path of a git work tree",
            )
        }))
    }

    /// Does the work that calls put off until their answers are given. For a process that makes one call and ends.
    pub fn finish(&self) {
        let open = self.opened();
        let open: Vec<_> = open.values().map(Arc::clone).collect();
        for workspace in open {
            workspace.do_owed_housekeeping();
            workspace.keep_directories();
            if workspace.owes_checkpoint.swap(false, Ordering::AcqRel) {
                workspace.checkpoint_idle();
            }
        }
    }

    fn opened(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<Workspace>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the work tree with the root at `place`, if it was opened before. The repository itself is opened by
    /// whoever asks it.
    fn known_root(&self, place: &Path) -> Option<Arc<Workspace>> {
        let root = place.canonicalize().ok()?;
        root.join(".git").symlink_metadata().ok()?;
        let open = self.opened();
        let known = open.get(&root).filter(|known| !known.is_bare)?;
        Some(Arc::clone(known))
    }

    fn at(&self, place: &Path) -> Result<Arc<Workspace>> {
        let archive = archives::name_in(place).map(|name| self.archive_dir(name));
        let archive = archive.transpose()?;
        let place = archive.as_deref().unwrap_or(place);
        if let Some(known) = self.known_root(place) {
            return Ok(known);
        }
        let repo = Repo::discover(place)?;
        let work_dir = repo.work_dir().to_owned();
        let mut open = self.opened();
        if let Some(known) = open.get(&work_dir) {
            return Ok(Arc::clone(known));
        }
        let home = Home::at(&self.config.home, &repo.directories())?;
        quarantine_foreign_files(&home.repo(&repo.repo_id()));
        let directories = match self.directories_settle_after {
            Some(after) => Directories::new(after),
            None => remembered_directories(&home, &repo),
        };
        let workspace = Arc::new(Workspace {
            is_bare: repo.is_bare(),
            home,
            budget: self.config.budget(),
            first_build: self.config.first_build(),
            debounce: Duration::from_millis(self.config.watch_debounce_ms),
            unasked: self.config.unasked,
            marks: marks_of(&self.config.marks, &repo),
            remotes: self.config.remotes.clone(),
            pulls: self.config.pulls,
            trusted_keys: self.config.trusted_keys.clone(),
            remote_timeout: Duration::from_millis(self.config.remote_timeout_ms),
            models: Arc::clone(&self.models),
            embed_queue: Mutex::default(),
            vector_tables: LruCache::new(1),
            pulling: Mutex::default(),
            is_server: self.is_server,
            directories: Arc::new(directories),
            rules: rules_of(&self.config),
            housekeeping: self.config.housekeeping,
            reads_repository_file: self.config.repository_file,
            on_rest: Arc::clone(&self.on_rest),
            idle: Mutex::default(),
            is_catching_up: Arc::default(),
            make_room: Arc::default(),
            n_active_queries: AtomicUsize::default(),
            shown_stale: Mutex::default(),
            watching: Mutex::default(),
            proof: Mutex::default(),
            is_housekeeping: AtomicBool::default(),
            owes_housekeeping: AtomicBool::default(),
            owes_checkpoint: AtomicBool::default(),
            unfinished: Mutex::default(),
            work_dir: work_dir.clone(),
            kept_repo: KeptRepo::default(),
        });
        open.insert(work_dir, Arc::clone(&workspace));
        Ok(workspace)
    }
}

/// Returns the directories of a work tree that an earlier command remembered.
fn remembered_directories(home: &Home, repo: &Repo) -> Directories {
    let bytes = directory_file::read(&home.repo(&repo.repo_id()), repo.work_dir());
    Directories::of_bytes(FileStat::TICK, &bytes.unwrap_or_default())
}

/// Returns the marks of a repository; `repo` of a mark may be written through links.
fn marks_of(marks: &[FileMark], repo: &Repo) -> Vec<FileMark> {
    let place = main_dir(repo.common_dir());
    let is_own = |mark: &&FileMark| {
        mark.repo == place || mark.repo.canonicalize().is_ok_and(|repo| repo == place)
    };
    marks.iter().filter(is_own).cloned().collect()
}

/// Returns the main work tree of a repository with that common directory, or that directory where it is bare.
fn main_dir(common_dir: &Path) -> &Path {
    match common_dir.parent() {
        Some(parent) if common_dir.ends_with(".git") => parent,
        _ => common_dir,
    }
}

impl Workspace {
    /// Returns where the repository is: its main work tree, or its directory where it is bare.
    pub fn main_dir(&self) -> Result<PathBuf> {
        Ok(main_dir(self.repo()?.common_dir()).to_owned())
    }

    /// Returns where the work tree is.
    pub fn work_dir(&self) -> &Path {
        &self.work_dir
    }

    /// Returns where the indexes are.
    pub fn home_dir(&self) -> &Path {
        self.home.root()
    }

    /// Remembers the listed directories for the next command, where that pays.
    fn keep_directories(&self) {
        let bytes = self.directories.to_bytes().filter(|_| !self.is_server);
        if let (Some(bytes), Ok(repo)) = (bytes.as_ref(), self.repo()) {
            let home = self.home.repo(&repo.repo_id());
            if home.is_known() {
                directory_file::write(&home, &self.work_dir, bytes);
            }
        }
    }

    /// Opens the repository, or takes the one of an earlier call where it is the same: its state is never older than the call.
    pub fn repo(&self) -> Result<Repo> {
        let repo = self.kept_repo.open(&self.work_dir)?;
        let indexing_rules = self.repository_settings(&repo).indexing_rules;
        let repo = repo.with_indexing_rules(indexing_rules);
        Ok(repo.with_directories(Arc::clone(&self.directories)))
    }

    /// Returns the repository's own settings, as they are on the disk now.
    pub fn repository_settings(&self, repo: &Repo) -> RepositorySettings {
        let path = RepoPath::new(repository::FILE).expect("it is a path");
        if !self.reads_repository_file {
            return RepositorySettings::default();
        }
        match repo.source().read(&path, repository::MAX_BYTES) {
            Ok(file) => repository::parse(&file.bytes),
            Err(ReadError::Missing) => RepositorySettings::default(),
            Err(error) => RepositorySettings {
                warnings: vec![format!("{path} is passed over: {error}")],
                ..RepositorySettings::default()
            },
        }
    }

    /// Returns an index that was opened before and is still the current build of `key`.
    fn idle_index(&self, key: &IndexKey) -> Option<Index> {
        let home = self.home.repo(&key.repo_id);
        let pointer = home.pointer(&key.index_id())?;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let is_replaced = |index: &mut Index| {
            index.pointer().index_id == pointer.index_id && *index.pointer() != pointer
        };
        let replaced: Vec<Index> = idle.extract_if(.., is_replaced).collect();
        drop(idle);
        for index in replaced {
            close(&home, index);
        }
        self.idle_build(&pointer)
    }

    /// Returns a build of an index that was opened before.
    fn idle_build(&self, pointer: &Pointer) -> Option<Index> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().position(|index| index.pointer() == pointer);
        at.map(|at| idle.remove(at))
    }

    fn idle_pointers(&self) -> Vec<Pointer> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.iter().map(|index| index.pointer().clone()).collect()
    }

    /// Closes idle connections to an index.
    fn close_idle(&self, index_id: &str) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|index| index.pointer().index_id != index_id);
    }

    fn close_all_idle(&self) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let all = std::mem::take(&mut *idle);
        drop(idle);
        for index in all {
            let home = self.home.repo(&index.pointer().repo_id);
            close(&home, index);
        }
    }

    /// Keeps an index for the next call; the one that waited longest is closed.
    fn keep(&self, mut index: Index) {
        if index.is_immutable() {
            return;
        }
        index.close_writer();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(index);
        let evicted = (idle.len() > MAX_IDLE_INDEXES).then(|| idle.remove(0));
        drop(idle);
        if let Some(index) = evicted {
            let home = self.home.repo(&index.pointer().repo_id);
            close(&home, index);
        }
    }
}

/// Quarantines files of another user in our directory that we may not write: a cache that was restored, a command that
/// ran as root. Where nothing may be written at all, all is read as it is.
fn quarantine_foreign_files(home: &RepoHome) {
    if !machine::is_writable(home.dir()) {
        return;
    }
    let n = home.quarantine_unless(machine::is_writable);
    if n > 0 {
        tracing::warn!(n, "files of another user were set aside");
    }
}

/// Returns the time, in milliseconds since the Unix epoch.
pub fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}

fn rules_of(config: &Config) -> RetentionRules {
    RetentionRules {
        unused_days: config.unused_days,
        unused_commit_days: config.unused_commit_days,
        n_superseded: config.superseded_indexes,
        freeze_after_hours: config.freeze_after_hours,
        repo_bytes: config.max_repo_bytes,
        total_bytes: config.max_total_bytes,
    }
}

/// Closes an index, and deletes a build that was still open here when another one took its place.
fn close(home: &RepoHome, index: Index) {
    let pointer = index.pointer().clone();
    drop(index);
    if home
        .pointer(&pointer.index_id)
        .is_some_and(|now| now != pointer)
    {
        crate::store::remove::retire(home, &pointer);
    }
}

fn key_of(repo: &Repo, snapshot: crate::model::Snapshot) -> IndexKey {
    IndexKey {
        repo_id: repo.repo_id(),
        worktree_id: repo.worktree_id(),
        snapshot,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::config::SYMBOL_LANGUAGES;
    use crate::model::Analysis;
    use crate::syntax;

    #[test]
    fn the_setting_names_each_language_with_definitions() {
        let rows = syntax::languages().iter();
        let read: BTreeSet<&str> = rows
            .filter(|row| row.analysis() != Analysis::Text)
            .map(|row| row.id)
            .collect();
        let named: BTreeSet<&str> = SYMBOL_LANGUAGES.iter().copied().collect();
        assert_eq!(read, named);
    }
}
