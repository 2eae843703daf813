//! The content of the data directory: the owner of each part, its size, and files without an owner.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::home::{RepoRecord, VECTORS, read_json};
use super::{Home, Pointer, RepoHome, directory_file, frozen_file, key};

/// How long a draft is left alone: it is written and put in place at once.
const DRAFT_AGE: Duration = Duration::from_mins(10);

/// How long quarantined files are kept for whoever misses them.
const ASIDE_AGE: Duration = Duration::from_hours(7 * 24);

/// How long remembered directories are kept; those of a work tree in use are written anew now and then.
const LISTED_AGE: Duration = Duration::from_hours(30 * 24);

/// How the names of files begin that show whether the data directory can be written.
pub const PROBE: &str = ".codelens-probe-";

/// How the names of bundles begin that are on their way to a store, or from one.
const TRANSFER: &str = "transfer-";

/// How long a bundle on its way is left alone.
const TRANSFER_AGE: Duration = Duration::from_hours(24);

/// How the names of files begin that hold the token of the HTTP server: no concern of any index.
const HTTP_TOKEN: &str = "http-token";

/// The owner of a part of the data directory, as noted when it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryOwner {
    /// The directory that all work trees of the repository share.
    pub common_dir: PathBuf,
    /// The clone family: see `Repo::clone_family` in `git`.
    pub clone_family: Option<String>,
    /// Whether the repository was deleted: its directory is gone, and the one around it is still that of
    /// the file system which held it. A disk that is not mounted is no evidence.
    pub is_gone: bool,
}

/// A file of ours that no index owns any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Orphan {
    /// A build that no pointer names: a killed process left it, or it was replaced while in use.
    Build(String, String),
    /// A reader lock, or a write lock, of an index that is gone.
    Lock(PathBuf),
    /// A draft of a pointer, or a pointer that was withdrawn.
    Draft(PathBuf),
    /// Something that stood in the place of one of our files and was set aside days ago.
    Aside(PathBuf),
}

/// Entries of the data directory beside those with a prefix of their own: indexes, the time of the last housekeeping, pages
/// of `codelens view`, the journal of `codelens install`, vectors, locks of runs.
const OWN: [&str; 7] = [
    "repos",
    "housekeeping",
    "views",
    "clients",
    VECTORS,
    "runs",
    "archives",
];

/// How the names of the counters of calls and of the list of runs begin; SQLite has side files beside them.
const LIBRARY: [&str; 2] = ["usage.db", "library.db"];

impl Home {
    /// Returns every repository that has a part of the data directory, by its identity.
    pub fn repos(&self) -> Vec<RepoHome> {
        let mut names = names(&self.root().join("repos"));
        names.retain(|name| is_hex(name, 32));
        names.into_iter().map(|name| self.repo(&name)).collect()
    }

    /// Returns removable files beside the repositories' parts: quarantined days ago, and probes of processes that were
    /// killed.
    pub(super) fn left_in_root(&self) -> Vec<PathBuf> {
        let is_old = |name: &String| {
            let age = match name.as_str() {
                name if name.starts_with("aside-") => ASIDE_AGE,
                name if name.starts_with(PROBE) => DRAFT_AGE,
                name if name.starts_with(TRANSFER) => TRANSFER_AGE,
                _ => return false,
            };
            is_older(&self.root().join(name), age)
        };
        let found = names(self.root()).into_iter().filter(is_old);
        found.map(|name| self.root().join(name)).collect()
    }

    /// Returns a new path for a bundle on its way to a store, or from one.
    pub fn transfer_path(&self) -> PathBuf {
        self.root().join(format!("{TRANSFER}{}", key::new_build()))
    }

    /// Returns files in the data directory that are not ours.
    pub fn foreign(&self) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = names(self.root())
            .into_iter()
            .filter(|name| {
                !OWN.contains(&name.as_str())
                    && !name.starts_with(HTTP_TOKEN)
                    && !name.starts_with(PROBE)
                    && !name.starts_with(TRANSFER)
                    && !name.starts_with("aside-")
                    && !LIBRARY.iter().any(|it| name.starts_with(it))
            })
            .map(|name| self.root().join(name))
            .collect();
        let repos = self.root().join("repos");
        let strange = names(&repos).into_iter().filter(|name| !is_hex(name, 32));
        found.extend(strange.map(|name| repos.join(name)));
        for repo in self.repos() {
            let strange = names(repo.dir())
                .into_iter()
                .filter(|name| kind(name) == PartKind::Foreign);
            found.extend(strange.map(|name| repo.dir().join(name)));
        }
        found
    }
}

impl RepoHome {
    /// Returns the identity of the repository.
    pub fn id(&self) -> String {
        let name = self.dir().file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Returns whose it is; `None` where that is not noted.
    pub fn owner(&self) -> Option<DirectoryOwner> {
        let record: RepoRecord = read_json(&self.dir().join("repo.json"))?;
        let is_gone = is_gone(&record.common_dir, record.device);
        Some(DirectoryOwner {
            common_dir: record.common_dir,
            clone_family: record.clone_family,
            is_gone,
        })
    }

    /// Returns the bytes that the files of an index take on the disk: its current build and older ones, pointer and
    /// locks included. Blocks that a file system shares between files count for each.
    pub fn disk_usage(&self, pointer: &Pointer) -> u64 {
        let prefix = format!("{}.", pointer.index_id);
        names(self.dir())
            .into_iter()
            .filter(|name| name.starts_with(&prefix))
            .map(|name| allocated(&self.dir().join(name)))
            .sum()
    }

    /// Returns files that no index owns any more and that were not touched for `age`.
    pub fn orphans(&self, age: Duration) -> Vec<Orphan> {
        let names = names(self.dir());
        let pointers = self.pointers();
        let current: BTreeSet<(&str, &str)> = pointers
            .iter()
            .map(|pointer| (pointer.index_id.as_str(), pointer.build.as_str()))
            .collect();
        // A pointer that can't be read is mended by the next use of its index, not swept away.
        let has_pointer = |index: &str| self.pointer_path(index).exists();
        let builds: BTreeSet<(String, String)> = names
            .iter()
            .filter_map(|name| match kind(name) {
                PartKind::Database(index, build) => Some((index, build)),
                _ => None,
            })
            .collect();
        names
            .iter()
            .filter(|name| is_older(&self.dir().join(name), age))
            .filter_map(|name| {
                let path = || self.dir().join(name);
                match kind(name) {
                    PartKind::Database(index, build) => {
                        let is_owned = current.contains(&(index.as_str(), build.as_str()));
                        (!is_owned).then_some(Orphan::Build(index, build))
                    }
                    PartKind::Side(index, build) | PartKind::Mark(index, build) => {
                        let is_owned = builds.contains(&(index.clone(), build.clone()));
                        (!is_owned).then_some(Orphan::Build(index, build))
                    }
                    PartKind::Write(index) => (!has_pointer(&index)).then(|| Orphan::Lock(path())),
                    // No lock tells whether somebody is about to put it in place: only its age does.
                    PartKind::Draft => {
                        is_older(&path(), age.max(DRAFT_AGE)).then(|| Orphan::Draft(path()))
                    }
                    PartKind::Aside => {
                        is_older(&path(), age.max(ASIDE_AGE)).then(|| Orphan::Aside(path()))
                    }
                    PartKind::Listed => {
                        is_older(&path(), age.max(LISTED_AGE)).then(|| Orphan::Draft(path()))
                    }
                    PartKind::Pointer | PartKind::Own | PartKind::Foreign => None,
                }
            })
            .collect()
    }
}

/// Returns the bytes that a file takes on the disk; 0 where it is not there.
pub fn allocated(path: &Path) -> u64 {
    let Ok(meta) = path.symlink_metadata() else {
        return 0;
    };
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::blocks(&meta) * 512;
    #[cfg(not(unix))]
    return meta.len();
}

/// Returns the device of a directory; `None` where it is not there, or the platform has none.
pub(super) fn device(path: &Path) -> Option<u64> {
    #[cfg(unix)]
    return path
        .metadata()
        .ok()
        .map(|meta| std::os::unix::fs::MetadataExt::dev(&meta));
    #[cfg(not(unix))]
    return {
        let _ = path;
        None
    };
}

fn is_gone(common_dir: &Path, noted: Option<u64>) -> bool {
    match common_dir.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        // It is there, or something else is in the way of looking.
        _ => return false,
    }
    let around = common_dir.ancestors().skip(1).find(|dir| dir.is_dir());
    noted.is_some() && around.and_then(device) == noted
}

fn is_older(path: &Path, age: Duration) -> bool {
    let time = path.symlink_metadata().and_then(|meta| meta.modified());
    age.is_zero() || time.is_ok_and(|time| time.elapsed().is_ok_and(|since| since >= age))
}

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
}

#[derive(PartialEq, Eq)]
enum PartKind {
    Pointer,
    Database(String, String),
    /// A file that SQLite keeps beside a database.
    Side(String, String),
    Mark(String, String),
    Write(String),
    Draft,
    Aside,
    /// Directories that a command remembered.
    Listed,
    /// The record of the repository, saved records and documents, bases of frozen builds.
    Own,
    Foreign,
}

fn kind(name: &str) -> PartKind {
    if name.starts_with(".draft-") || name.starts_with(".gone-") {
        return PartKind::Draft;
    }
    if name.starts_with("aside-") {
        return PartKind::Aside;
    }
    let is_saved = matches!(name, "repo.json" | "documents") || name.starts_with("contexts.db");
    if name.starts_with(directory_file::PREFIX) {
        return PartKind::Listed;
    }
    if is_saved || frozen_file::is_base(name) {
        return PartKind::Own;
    }
    let parts: Vec<&str> = name.split('.').collect();
    let is_index = |text: &str| text.strip_prefix("idx_").is_some_and(|hex| is_hex(hex, 32));
    match parts.as_slice() {
        [index, "json"] if is_index(index) => PartKind::Pointer,
        [index, "write"] if is_index(index) => PartKind::Write((*index).to_owned()),
        [index, build, end] if is_index(index) && is_hex(build, 12) => {
            let both = ((*index).to_owned(), (*build).to_owned());
            match *end {
                "db" | "frozen" => PartKind::Database(both.0, both.1),
                "db-wal" | "db-shm" | "db-journal" => PartKind::Side(both.0, both.1),
                "open" => PartKind::Mark(both.0, both.1),
                _ => PartKind::Foreign,
            }
        }
        _ => PartKind::Foreign,
    }
}

fn is_hex(text: &str, len: usize) -> bool {
    text.len() == len && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
