//! The data directory: which index files there are and which build of each is current.
//!
//! A build's file name is never used twice; a small pointer, replaced atomically, says which build is current. Nothing
//! is renamed or deleted while somebody may have it open.
//!
//! ```text
//! <home>/repos/<repoId>/repo.json                 where the repository is, its family
//! <home>/repos/<repoId>/<indexId>.json            the pointer
//! <home>/repos/<repoId>/<indexId>.write           the write lock
//! <home>/repos/<repoId>/<indexId>.<build>.db      one build (and SQLite's -wal, -shm)
//! <home>/repos/<repoId>/<indexId>.<build>.frozen  a build that nobody asked for a while, as its difference to a base
//! <home>/repos/<repoId>/listed-<work tree>.bin    directories that a command remembered for the next one
//! <home>/repos/<repoId>/base-<digest>.db          a base of frozen builds
//! <home>/repos/<repoId>/<indexId>.<build>.open    the reader lock, and whether the build is on the disk
//! <home>/repos/<repoId>/contexts.db               records that agents saved
//! <home>/vectors/<family>.db                      vectors of chunks, where a model is configured
//! <home>/archives/<name>.git                      an archive that is asked like a repository; <name>.lock while it is written
//! <home>/library.db                               runs: builds, pulls, imports
//! <home>/runs/<number>.lock                       held while a run goes on
//! <home>/usage.db                                 counts of calls
//! <home>/housekeeping                             when housekeeping was done last
//! ```

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::durable::{self, Durability, read_small};
use super::frozen_file::bytes_awake;
use super::key::{Pointer, new_build};
use super::{StoreError, StoreResult, io_error};

/// The directory of all files of vectors.
pub(super) const VECTORS: &str = "vectors";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RepoRecord {
    pub(super) common_dir: PathBuf,
    #[serde(rename = "family")]
    pub(super) clone_family: Option<String>,
    /// The device that holds it: tells a deleted repository from a disk that is not mounted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) device: Option<u64>,
}

/// The data directory.
#[derive(Clone, Debug)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// Returns the data directory at `root`, which need not exist yet.
    ///
    /// # Errors
    /// [`StoreError::Home`] if it lies inside one of `places`, the repository's work trees and git
    /// directories: nothing is ever written there.
    pub fn at(root: &Path, places: &[PathBuf]) -> StoreResult<Self> {
        let known = nearest_existing(root);
        if places.iter().any(|place| known.starts_with(place)) {
            return Err(StoreError::Home(
                "the data directory lies inside the repository".to_owned(),
            ));
        }
        Ok(Self {
            root: root.to_owned(),
        })
    }

    /// Returns where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the git directory of the archive of a name, which has no separator; its lock has the ending `lock`.
    pub fn archive(&self, name: &str) -> PathBuf {
        self.archives().join(format!("{name}.git"))
    }

    /// Returns the directory of all archives.
    pub fn archives(&self) -> PathBuf {
        self.root.join("archives")
    }

    /// Creates the directory of all archives, for this user alone.
    ///
    /// # Errors
    /// That of the file system.
    pub fn create_archives(&self) -> StoreResult<()> {
        create_private(&self.archives())
    }

    /// Returns the part for one repository, without creating it.
    pub fn repo(&self, repo_id: &str) -> RepoHome {
        RepoHome {
            dir: self.root.join("repos").join(repo_id),
        }
    }

    /// Returns the repositories of the same family, other than `repo_id`, sorted by their identity.
    pub fn clones_of(&self, repo_id: &str, clone_family: &str) -> Vec<RepoHome> {
        let Ok(entries) = std::fs::read_dir(self.root.join("repos")) else {
            return Vec::new();
        };
        let mut found: Vec<RepoHome> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.file_name() != repo_id)
            .map(|entry| RepoHome { dir: entry.path() })
            .filter(|home| {
                read_json::<RepoRecord>(&home.dir.join("repo.json"))
                    .is_some_and(|record| record.clone_family.as_deref() == Some(clone_family))
            })
            .collect();
        found.sort_by(|a, b| a.dir.cmp(&b.dir));
        found
    }
}

/// The part of the data directory that belongs to one repository.
#[derive(Clone, Debug)]
pub struct RepoHome {
    dir: PathBuf,
}

impl RepoHome {
    /// Returns whether the directory is there and says whose it is.
    pub fn is_known(&self) -> bool {
        read_json::<RepoRecord>(&self.dir.join("repo.json")).is_some()
    }

    /// Creates the directory, for this user alone, and notes whose it is.
    pub fn create(&self, common_dir: &Path, clone_family: Option<&str>) -> StoreResult<()> {
        create_private(&self.dir)?;
        let path = self.dir.join("repo.json");
        if read_json::<RepoRecord>(&path)
            .is_some_and(|known| known.clone_family.as_deref() == clone_family)
        {
            return Ok(());
        }
        let record = RepoRecord {
            common_dir: common_dir.to_owned(),
            clone_family: clone_family.map(str::to_owned),
            device: super::inventory::device(common_dir),
        };
        self.write_json(&path, &record, true, true).map(drop)
    }

    /// Returns where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the other repositories of its family in this data directory, sorted by their identity.
    pub fn clones(&self) -> Vec<Self> {
        let record = read_json::<RepoRecord>(&self.dir.join("repo.json"));
        let clone_family = record.and_then(|record| record.clone_family);
        let root = self.dir.parent().and_then(Path::parent);
        match (clone_family, root) {
            (Some(clone_family), Some(root)) => Home {
                root: root.to_owned(),
            }
            .clones_of(&self.id(), &clone_family),
            _ => Vec::new(),
        }
    }

    /// Returns the common directory of the repository, as it was noted.
    pub fn common_dir(&self) -> Option<PathBuf> {
        read_json::<RepoRecord>(&self.dir.join("repo.json")).map(|record| record.common_dir)
    }

    /// Returns the database file of a build.
    pub fn database(&self, index_id: &str, build: &str) -> PathBuf {
        self.dir.join(format!("{index_id}.{build}.db"))
    }

    /// Returns the reader lock of a build.
    pub fn reader_lock_path(&self, index_id: &str, build: &str) -> PathBuf {
        self.dir.join(format!("{index_id}.{build}.open"))
    }

    /// Returns the write lock of an index.
    pub fn write_lock(&self, index_id: &str) -> PathBuf {
        self.dir.join(format!("{index_id}.write"))
    }

    /// Returns the current build of an index; `None` if there is none.
    pub fn pointer(&self, index_id: &str) -> Option<Pointer> {
        read_json(&self.pointer_path(index_id))
    }

    /// Returns whether the place of an index's pointer holds something that is not a pointer.
    pub fn has_broken_pointer(&self, index_id: &str) -> bool {
        self.pointer(index_id).is_none() && self.pointer_path(index_id).exists()
    }

    /// Returns the current build of every index, sorted by index.
    pub fn pointers(&self) -> Vec<Pointer> {
        let Ok(entries) = std::fs::read_dir(&self.dir) else {
            return Vec::new();
        };
        let mut found: Vec<Pointer> = entries
            .filter_map(Result::ok)
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let index_id = name.strip_suffix(".json")?;
                index_id.starts_with("idx_").then_some(())?;
                self.pointer(index_id)
            })
            .collect();
        found.sort_by(|a, b| a.index_id.cmp(&b.index_id));
        found
    }

    /// Makes `pointer` current. Without `replace` an index that has a build already keeps it.
    ///
    /// Returns whether `pointer` is current now.
    pub fn publish(&self, pointer: &Pointer, replace: bool) -> StoreResult<bool> {
        // A pointer need not outlive a build that would not.
        let reader_lock_path = self.reader_lock_path(&pointer.index_id, &pointer.build);
        let is_forced = durable::of(&reader_lock_path) == Durability::OnDisk;
        let path = self.pointer_path(&pointer.index_id);
        self.write_json(&path, pointer, replace, is_forced)
    }

    /// Returns the builds of an index that are not current and were not touched for `age`: left by a killed process,
    /// or replaced while they were in use.
    pub fn stale_builds(&self, current: &Pointer, age: std::time::Duration) -> Vec<Pointer> {
        let Ok(entries) = std::fs::read_dir(&self.dir) else {
            return Vec::new();
        };
        let prefix = format!("{}.", current.index_id);
        let is_old = |entry: &std::fs::DirEntry| {
            let time = entry.metadata().and_then(|meta| meta.modified());
            time.is_ok_and(|time| time.elapsed().is_ok_and(|since| since >= age))
        };
        entries
            .filter_map(Result::ok)
            .filter(is_old)
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let rest = name.strip_prefix(&prefix)?;
                let build = rest
                    .strip_suffix(".db")
                    .or_else(|| rest.strip_suffix(".frozen"));
                let build = build?.to_owned();
                (build != current.build).then(|| Pointer {
                    build,
                    ..current.clone()
                })
            })
            .collect()
    }

    /// Returns the bytes that the files of a build take when it is awake, SQLite's own side files included.
    pub fn bytes(&self, pointer: &Pointer) -> u64 {
        let database = self.database(&pointer.index_id, &pointer.build);
        if !database.is_file()
            && let Some(bytes) = bytes_awake(&database.with_extension("frozen"))
        {
            return bytes;
        }
        ["", "-wal", "-shm"]
            .iter()
            .map(|suffix| {
                let mut name = database.clone().into_os_string();
                name.push(suffix);
                std::fs::metadata(name).map_or(0, |meta| meta.len())
            })
            .sum()
    }

    /// Quarantines the files of indexes that don't pass; saved contexts stay, whoever can read them. Best
    /// effort. Returns how many were.
    pub fn quarantine_unless(&self, passes: impl Fn(&Path) -> bool) -> usize {
        let Ok(entries) = std::fs::read_dir(&self.dir) else {
            return 0;
        };
        let is_of_index = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let begins = ["idx_", "base-", "listed-"];
            let is_ours = begins.iter().any(|begin| name.starts_with(begin));
            (is_ours || name == "repo.json") && path.is_file()
        };
        entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| is_of_index(path) && !passes(path))
            .filter(|path| super::lock::quarantine(path).is_ok())
            .count()
    }

    /// Returns when a build was last opened, in milliseconds since the Unix epoch.
    pub fn last_used_ms(&self, pointer: &Pointer) -> Option<i64> {
        let reader_lock_path = self.reader_lock_path(&pointer.index_id, &pointer.build);
        let time = std::fs::metadata(reader_lock_path).ok()?.modified().ok()?;
        let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_millis()).ok()
    }

    /// Returns a new path for a file that is written beside its place first; one that a killed process leaves is swept.
    pub(super) fn draft_path(&self) -> PathBuf {
        self.dir.join(format!(".draft-{}", new_build()))
    }

    pub(super) fn pointer_path(&self, index_id: &str) -> PathBuf {
        self.dir.join(format!("{index_id}.json"))
    }

    /// Writes a whole file or nothing: beside it first, then in its place, and waits for the disk if that is
    /// `is_forced`. Returns whether this content is in place.
    fn write_json<T: Serialize>(
        &self,
        path: &Path,
        value: &T,
        replace: bool,
        is_forced: bool,
    ) -> StoreResult<bool> {
        let draft = self.draft_path();
        if replace && path.is_dir() {
            // A directory here is not ours: it is moved aside with its content.
            super::lock::quarantine(path).map_err(io_error("set aside", path))?;
        }
        let done = (|| {
            let mut file = std::fs::File::create(&draft)?;
            file.write_all(&serde_json::to_vec(value).map_err(std::io::Error::other)?)?;
            if is_forced {
                file.sync_data()?;
            }
            if replace {
                return std::fs::rename(&draft, path).map(|()| true);
            }
            let linked = match std::fs::hard_link(&draft, path) {
                Ok(()) => true,
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => false,
                Err(error) => return Err(error),
            };
            std::fs::remove_file(&draft)?;
            Ok(linked)
        })();
        if done.is_err() {
            drop(std::fs::remove_file(&draft));
        }
        done.map_err(io_error("write", path))
    }
}

/// Creates a directory with those above it, for this user alone; one that is there stays as it is.
pub(super) fn create_private(dir: &Path) -> StoreResult<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(dir)
        .map_err(io_error("create the directory", dir))
}

/// Creates an empty file for this user alone; one that is there stays as it is.
pub(super) fn create_private_file(path: &Path) -> StoreResult<()> {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let made = options.open(path).map(drop);
    made.map_err(io_error("create", path))
}

pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&read_small(path).ok()?).ok()
}

fn nearest_existing(path: &Path) -> PathBuf {
    path.ancestors()
        .find_map(|part| {
            let rest = path.strip_prefix(part).ok()?;
            Some(part.canonicalize().ok()?.join(rest))
        })
        .unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Home, Pointer};

    #[test]
    fn publishing_without_replacing_keeps_the_winner() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path(), &[]).unwrap();
        let repo = home.repo("r");
        repo.create(std::path::Path::new("/x/.git"), Some("f"))
            .unwrap();
        let pointer = |build: &str| Pointer {
            index_id: "idx_1".into(),
            build: build.into(),
            repo_id: "r".into(),
            worktree_id: "main".into(),
            work_dir: "/x".into(),
            branch: None,
            head_sha: None,
            schema_version: 1,
        };
        assert!(repo.publish(&pointer("one"), false).unwrap());
        assert!(!repo.publish(&pointer("two"), false).unwrap());
        assert_eq!(repo.pointer("idx_1").unwrap().build, "one");
        assert!(repo.publish(&pointer("three"), true).unwrap());
        assert_eq!(repo.pointers(), vec![pointer("three")]);
        assert_eq!(home.clones_of("other", "f").len(), 1);
        assert!(home.clones_of("r", "f").is_empty());
    }

    #[test]
    fn a_home_inside_the_work_tree_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let work = dir.path().canonicalize().unwrap();
        assert!(Home::at(&work.join("a/b"), std::slice::from_ref(&work)).is_err());
        assert!(Home::at(&work.join("a/b"), &[work.join("c"), work]).is_err());
        assert!(Home::at(&dir.path().join("a/b"), &["/elsewhere".into()]).is_ok());
    }
}
