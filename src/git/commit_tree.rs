//! The files of one commit, read from the object store: no checkout, nothing fetched.
//!
//! Bytes are those that git stores: no filter is run and no line end converted. Does not resolve names to commits;
//! see `revision`.

use std::sync::{Arc, Mutex, PoisonError};

use gix::ObjectId;
use gix::objs::TreeRefIter;
use gix::objs::tree::EntryKind;

use crate::model::{BlobId, Budget, CommitId, FileStat, FoundFile, RepoPath, SkipReason};

use super::content::{FileRead, ReadError, is_dot_git};
use super::error::boxed;
use super::ignore::{IgnoreLevel, IgnoreRules, RuleFiles};
use super::{GitError, Scan, Source};

/// The most files that a commit may have: a tree that names itself again and again grows without end.
const MAX_FILES: usize = 1_000_000;

/// The longest path, in bytes: that of Linux.
const MAX_PATH_BYTES: usize = 4_096;

/// The largest list of entries of one directory, in bytes.
const MAX_TREE_BYTES: u64 = 64 << 20;

/// The tree of a commit. Clones share what they have open; many threads may read at once.
#[derive(Clone)]
pub(super) struct CommitTree {
    commit: Option<CommitId>,
    tree: ObjectId,
    readers: Arc<Readers>,
}

/// Readers of the object store, of which each serves one thread at a time.
struct Readers {
    first: Mutex<gix::Repository>,
    idle: Mutex<Vec<gix::Repository>>,
}

/// The entry at a path of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeEntry {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, which is not followed.
    Link,
    /// A submodule, which is not entered.
    Submodule,
}

impl CommitTree {
    /// Opens the tree of a commit; the empty tree for `None`, before the first commit.
    pub(super) fn open(repo: &gix::Repository, commit: Option<CommitId>) -> Result<Self, GitError> {
        let mut repo = repo.clone();
        // A commit is what its name is the hash of, whatever `refs/replace` says.
        repo.objects.ignore_replacements = true;
        // Each miss would look for packs that came since.
        repo.objects.refresh_never();
        let tree = match &commit {
            None => ObjectId::empty_tree(repo.object_hash()),
            Some(commit) => {
                let failed = |source| GitError::Tree {
                    commit: commit.short().to_owned(),
                    source: boxed(source),
                };
                let id = ObjectId::from_hex(commit.as_str().as_bytes());
                let id = id.expect("a commit's name is hexadecimal");
                let found = repo.find_commit(id).map_err(failed)?;
                found.tree_id().map_err(failed)?.detach()
            }
        };
        Ok(Self {
            commit,
            tree,
            readers: Arc::new(Readers {
                first: Mutex::new(repo),
                idle: Mutex::default(),
            }),
        })
    }

    /// Returns the commit; `None` before the first one.
    pub(super) fn commit(&self) -> Option<&CommitId> {
        self.commit.as_ref()
    }

    /// Returns the entry at a path. Costs about 5 µs for each directory on the way.
    pub(super) fn entry(&self, path: &RepoPath) -> Option<TreeEntry> {
        self.read_with(|repo| self.find(repo, path))
            .map(|(kind, _)| kind)
    }

    /// Reads the regular file at `path`, at most `limit` bytes.
    pub(super) fn read(&self, path: &RepoPath, limit: u64) -> Result<FileRead, ReadError> {
        self.read_with(|repo| {
            let id = match self.find(repo, path) {
                None => return Err(ReadError::Missing),
                Some((TreeEntry::File, id)) => id,
                Some(_) => return Err(ReadError::NotAFile),
            };
            // Looked at before the bytes are: a blob may be larger than memory.
            let header = repo.find_header(id).map_err(|_| ReadError::NoBlob)?;
            if header.kind() != gix::objs::Kind::Blob {
                return Err(ReadError::NotAFile);
            }
            let size = header.size();
            if size > limit {
                return Err(ReadError::TooLarge { size });
            }
            let mut object = repo.find_object(id).map_err(|_| ReadError::NoBlob)?;
            let bytes = std::mem::take(&mut object.data);
            Ok(FileRead {
                stat: stat_of(bytes.len() as u64),
                bytes,
                read_at_ns: 0,
                stable: true,
            })
        })
    }

    /// Returns the size of the regular file at `path`, as a stat; `None` where there is none, or its bytes are not in
    /// this clone.
    pub(super) fn stat(&self, path: &RepoPath) -> Option<FileStat> {
        self.read_with(|repo| match self.find(repo, path)? {
            (TreeEntry::File, id) => Some(stat_of(repo.find_header(id).ok()?.size())),
            _ => None,
        })
    }

    /// Returns the size of a blob; `None` where it is not in this clone. Costs about 3 µs.
    pub(super) fn size_of(&self, blob: BlobId) -> Option<u64> {
        let id = ObjectId::try_from(blob.as_bytes()).ok()?;
        self.read_with(|repo| Some(repo.find_header(id).ok()?.size()))
    }

    fn find(&self, repo: &gix::Repository, path: &RepoPath) -> Option<(TreeEntry, ObjectId)> {
        let mut at = (TreeEntry::Directory, self.tree);
        for part in path.as_str().split('/') {
            if at.0 != TreeEntry::Directory || is_dot_git(part.as_bytes()) {
                return None;
            }
            let tree = self.directory(repo, at.1).ok()?;
            at = TreeRefIter::from_bytes(&tree.data, self.tree.kind())
                .filter_map(Result::ok)
                .find(|entry| entry.filename == part)
                .map(|entry| (kind_of(entry.mode.kind()), entry.oid.to_owned()))?;
        }
        Some(at)
    }

    fn directory<'r>(
        &self,
        repo: &'r gix::Repository,
        id: ObjectId,
    ) -> Result<gix::Object<'r>, GitError> {
        let failed = |source| GitError::Tree {
            commit: self.commit.as_ref().map_or("", CommitId::short).to_owned(),
            source,
        };
        let header = repo.find_header(id).map_err(|it| failed(boxed(it)))?;
        if header.size() > MAX_TREE_BYTES || header.kind() != gix::objs::Kind::Tree {
            return Err(failed("a directory of it is no list of entries".into()));
        }
        repo.find_object(id).map_err(|it| failed(boxed(it)))
    }

    fn read_with<T>(&self, work: impl FnOnce(&gix::Repository) -> T) -> T {
        let lock = |of: &'_ Mutex<Vec<gix::Repository>>| -> Option<gix::Repository> {
            of.lock().unwrap_or_else(PoisonError::into_inner).pop()
        };
        let reader = lock(&self.readers.idle).unwrap_or_else(|| {
            let first = self.readers.first.lock();
            first.unwrap_or_else(PoisonError::into_inner).clone()
        });
        let done = work(&reader);
        let idle = self.readers.idle.lock();
        idle.unwrap_or_else(PoisonError::into_inner).push(reader);
        done
    }

    /// Lists the files that a clean checkout would have, without those that a `.codelensignore` of the tree or `rules`
    /// take away. Costs about 10 µs a directory and 0.3 µs a file.
    ///
    /// # Errors
    /// [`GitError::Tree`] where a directory is not in this clone, or the tree has no end.
    pub(super) fn scan(
        &self,
        source: &Source,
        rules: &IgnoreRules,
        budget: &Budget,
    ) -> Result<Scan, GitError> {
        self.scan_at_most(MAX_FILES, source, rules, budget)
    }

    pub(super) fn scan_at_most(
        &self,
        max_files: usize,
        source: &Source,
        rules: &IgnoreRules,
        budget: &Budget,
    ) -> Result<Scan, GitError> {
        let mut scan = Scan {
            complete: true,
            ..Scan::default()
        };
        let mut left: Vec<(Vec<u8>, ObjectId, Arc<IgnoreLevel>)> =
            vec![(Vec::new(), self.tree, Arc::default())];
        while let Some((dir, id, around)) = left.pop() {
            if budget.is_spent() {
                scan.complete = false;
                break;
            }
            self.read_with(|repo| {
                let tree = self.directory(repo, id)?;
                let entries = || {
                    TreeRefIter::from_bytes(&tree.data, self.tree.kind())
                        .filter_map(Result::ok)
                        .filter(|entry| is_name(entry.filename))
                };
                let has = |name: &str| {
                    entries().any(|entry| entry.filename == name && entry.mode.is_blob())
                };
                let files = RuleFiles {
                    git: false,
                    own: has(".codelensignore"),
                };
                if has(".gitattributes") {
                    let path = [&dir[..], b".gitattributes"].concat();
                    scan.attributes.extend(repo_path(&path));
                }
                let level = IgnoreLevel::enter(&around, &dir, files, source, None);
                for entry in entries() {
                    let mut path = [&dir[..], entry.filename].concat();
                    let kind = kind_of(entry.mode.kind());
                    let is_dir = matches!(kind, TreeEntry::Directory | TreeEntry::Submodule);
                    if path.len() > MAX_PATH_BYTES || rules.own_hides(&level, &path, is_dir) {
                        continue;
                    }
                    let left_out = match kind {
                        TreeEntry::Directory => {
                            path.push(b'/');
                            left.push((path, entry.oid.to_owned(), Arc::clone(&level)));
                            continue;
                        }
                        TreeEntry::Submodule => Some(SkipReason::NestedRepository),
                        TreeEntry::Link => Some(SkipReason::Symlink),
                        TreeEntry::File => None,
                    };
                    let found = repo_path(&path).zip(BlobId::from_bytes(entry.oid.as_bytes()));
                    match (left_out, found) {
                        (Some(reason), _) => *scan.skipped.entry(reason).or_default() += 1,
                        (None, None) => {
                            *scan.skipped.entry(SkipReason::NonUtf8Name).or_default() += 1;
                        }
                        (None, Some((path, blob))) => scan.files.push(FoundFile {
                            path,
                            stat: stat_of(0),
                            blob: Some(blob),
                        }),
                    }
                }
                if scan.files.len() + left.len() > max_files {
                    return Err(GitError::Tree {
                        commit: self.commit.as_ref().map_or("", CommitId::short).to_owned(),
                        source: format!("it has more than {max_files} files").into(),
                    });
                }
                Ok(())
            })?;
        }
        scan.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        // No tree that git wrote names a file twice.
        scan.files.dedup_by(|a, b| a.path == b.path);
        scan.attributes.sort_unstable();
        Ok(scan)
    }
}

/// Whether a checkout would make an entry of that name.
fn is_name(name: &[u8]) -> bool {
    !(is_dot_git(name) || name.contains(&b'/') || matches!(name, b"" | b"." | b".."))
}

fn kind_of(kind: EntryKind) -> TreeEntry {
    match kind {
        EntryKind::Tree => TreeEntry::Directory,
        EntryKind::Blob | EntryKind::BlobExecutable => TreeEntry::File,
        EntryKind::Link => TreeEntry::Link,
        EntryKind::Commit => TreeEntry::Submodule,
    }
}

fn stat_of(size_bytes: u64) -> FileStat {
    FileStat {
        size_bytes,
        mtime_ns: 0,
        ctime_ns: 0,
        inode: 0,
    }
}

fn repo_path(path: &[u8]) -> Option<RepoPath> {
    RepoPath::new(std::str::from_utf8(path).ok()?)
}
