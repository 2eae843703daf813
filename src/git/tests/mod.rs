//! The room against real git: repositories are made by commands, and git is the oracle.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests make their repositories with git itself"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::model::{Budget, RepoPath};

use super::{Repo, Scan};

mod attributes;
mod commit_tree;
mod directories;
mod dirty;
mod formats;
#[cfg(unix)]
mod kept;
mod lines;
mod reading;
mod reftable;
mod safety;
mod scan;
mod snapshot;

/// A directory with a repository in it, gone with the value.
struct Fixture {
    dir: tempfile::TempDir,
    root: PathBuf,
}

impl Fixture {
    /// A repository without a commit, on branch `main`.
    fn new() -> Self {
        Self::with(&["init", "-q", "-b", "main"])
    }

    fn with(init: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("repo");
        std::fs::create_dir(&root).unwrap();
        let fixture = Self { dir, root };
        fixture.git(init);
        fixture
    }

    /// A directory beside the repository.
    fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    fn git(&self, args: &[&str]) -> String {
        let output = command(&self.root).args(args).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {error}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// A git command that may fail, as a merge with conflicts does.
    fn try_git(&self, args: &[&str]) {
        command(&self.root).args(args).output().unwrap();
    }

    fn write(&self, path: &str, text: &str) -> &Self {
        let full = self.root.join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, text).unwrap();
        self
    }

    fn commit_all(&self) -> &Self {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
        self
    }

    fn repo(&self) -> Repo {
        Repo::discover(&self.root).unwrap()
    }

    fn scan(&self) -> Scan {
        let scan = self.repo().scan(&unlimited()).unwrap();
        assert!(scan.complete);
        let (same, dirty) = self.repo().scan_and_dirty(&unlimited()).unwrap();
        assert_eq!(same, scan, "one walk for both");
        // Where that fails, it does so by itself too.
        if let Ok(alone) = self.repo().dirty(&unlimited()) {
            assert_eq!(dirty.unwrap(), alone, "one walk for both");
        }
        scan
    }

    fn found(&self) -> Vec<String> {
        let files = self.scan().files;
        files.iter().map(|file| file.path.to_string()).collect()
    }

    fn dirty(&self) -> Vec<String> {
        let dirty = self.repo().dirty(&unlimited()).unwrap();
        assert!(dirty.complete);
        dirty.paths.iter().map(ToString::to_string).collect()
    }

    /// Checks members and dirty files against git, and that nothing in `.git` changed.
    fn check(&self) {
        let git_dir = self.repo().common_dir().to_owned();
        let before = listing(&git_dir);
        let (found, dirty) = (self.found(), self.dirty());
        assert_eq!(before, listing(&git_dir), "something in .git changed");
        assert_eq!(found, self.members_by_git(), "members");
        assert_eq!(dirty, self.dirty_by_git(), "dirty files");
    }

    fn members_by_git(&self) -> Vec<String> {
        let listed = self.git(&["ls-files", "-z", "-co", "--exclude-standard"]);
        let is_file = |path: &&str| {
            let full = self.root.join(path);
            let is_below_link = Path::new(path)
                .ancestors()
                .skip(1)
                .any(|dir| self.root.join(dir).is_symlink());
            !is_below_link && full.symlink_metadata().is_ok_and(|meta| meta.is_file())
        };
        let mut paths: Vec<String> = listed
            .split('\0')
            .filter(|path| !path.is_empty() && !path.ends_with('/'))
            .filter(is_file)
            .map(str::to_owned)
            .collect();
        paths.sort();
        paths.dedup();
        paths
    }

    fn dirty_by_git(&self) -> Vec<String> {
        let status = self.git(&[
            "--no-optional-locks",
            "status",
            "--porcelain",
            "-z",
            "-uall",
            "--no-renames",
            "--ignore-submodules=all",
        ]);
        let mut paths: Vec<String> = status
            .split('\0')
            .filter(|line| line.len() > 3 && !line.ends_with('/'))
            .map(|line| line[3..].to_owned())
            .collect();
        paths.sort();
        paths.dedup();
        paths
    }
}

fn command(dir: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(dir);
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_NAME", "A")
        .env("GIT_AUTHOR_EMAIL", "a@example.com")
        .env("GIT_AUTHOR_DATE", "2024-01-01T00:00:00Z")
        .env("GIT_COMMITTER_NAME", "A")
        .env("GIT_COMMITTER_EMAIL", "a@example.com")
        .env("GIT_COMMITTER_DATE", "2024-01-01T00:00:00Z")
        .args(["-c", "protocol.file.allow=always"]);
    command
}

fn unlimited() -> Budget {
    Budget::unlimited(Arc::default())
}

fn spent() -> Budget {
    Budget::within(Duration::ZERO, Arc::default())
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

/// Every entry below `dir` with its length and time.
fn listing(dir: &Path) -> BTreeMap<PathBuf, (u64, SystemTime)> {
    let mut found = BTreeMap::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let entry = entry.unwrap();
            let meta = entry.metadata().unwrap();
            if meta.is_dir() {
                todo.push(entry.path());
            }
            found.insert(entry.path(), (meta.len(), meta.modified().unwrap()));
        }
    }
    found
}

fn make_fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}
