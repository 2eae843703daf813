//! A git repository in a temporary folder, made by the real `git` with fixed author, dates and
//! configuration: the same steps give the same commit ids everywhere.
//!
//! Files and git alone; see `cli` for the product.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use tempfile::TempDir;

use super::fixture::{Fixture, Step};

/// Where `$0` stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Marker {
    /// Path from the work tree's root.
    pub(crate) path: String,
    /// Byte offset in the file.
    pub(crate) byte: usize,
    /// 1-based.
    pub(crate) line: usize,
    /// 0-based, in bytes.
    pub(crate) column: usize,
}

/// A repository; its folder goes with it.
pub(crate) struct Repo {
    /// Holds the work tree (`repo/`), the home of git's user (`home/`) and linked worktrees.
    pub(crate) dir: TempDir,
    waiting: VecDeque<Step>,
    commits: BTreeMap<String, String>,
    marker: Option<Marker>,
    /// How many dates were given out; each is a minute after the one before.
    n_dates: AtomicU64,
}

/// The start of all dates: 2024-01-01 00:00:00 UTC.
const EPOCH_S: u64 = 1_704_067_200;

/// The commands of git that write a date into an object. Only they move the clock, so that looking
/// at a repository between two steps does not change the ids that follow.
const DATED: &[&str] = &[
    "am",
    "cherry-pick",
    "commit",
    "merge",
    "pull",
    "rebase",
    "revert",
    "stash",
    "tag",
];

impl Repo {
    /// Returns an unborn repository that waits to play these steps.
    pub(crate) fn new(steps: Vec<Step>) -> Self {
        Self::new_below(&std::env::temp_dir(), steps)
    }

    /// Does [`Self::new`] in a directory of this one.
    pub(crate) fn new_below(place: &Path, steps: Vec<Step>) -> Self {
        let dir = tempfile::Builder::new()
            .prefix("codelens-it-")
            .tempdir_in(place)
            .unwrap();
        fs::create_dir(dir.path().join("home")).unwrap();
        fs::create_dir(dir.path().join("repo")).unwrap();
        let repo = Self {
            dir,
            waiting: steps.into(),
            commits: BTreeMap::new(),
            marker: None,
            n_dates: AtomicU64::new(0),
        };
        repo.git(&["init", "--quiet"]);
        repo
    }

    /// Returns the root of the work tree.
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    /// Plays the next `n` steps; returns how many there were.
    pub(crate) fn play(&mut self, n: usize) -> usize {
        let n = n.min(self.waiting.len());
        for step in self.waiting.drain(..n).collect::<Vec<_>>() {
            self.take(step);
        }
        n
    }

    /// Plays a description on top of the present files, at once.
    pub(crate) fn then(&mut self, text: &str) -> &mut Self {
        for step in Fixture::parse(text).steps {
            self.take(step);
        }
        self
    }

    /// Returns the id of a commit that a step named.
    pub(crate) fn commit(&self, name: &str) -> &str {
        let id = self.commits.get(name);
        id.unwrap_or_else(|| panic!("no commit `{name}` among {:?}", self.commits.keys()))
    }

    /// Returns where `$0` stood in the block that was written last.
    pub(crate) fn marker(&self) -> &Marker {
        self.marker
            .as_ref()
            .expect("a block of the fixture has a `$0`")
    }

    /// Writes a file of the work tree, with the folders it needs.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// Returns the text of a file of the work tree.
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap()
    }

    /// Runs git in the work tree and returns its output, without the last line's end. Panics with
    /// git's own words if it fails.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_at(&self.path(), args)
    }

    /// Runs git in the work tree and returns whether it succeeded.
    pub(crate) fn try_git(&self, args: &[&str]) -> bool {
        self.run_git(&self.path(), args).status.success()
    }

    /// Runs git in another folder, for example a linked worktree.
    pub(crate) fn git_at(&self, at: &Path, args: &[&str]) -> String {
        let ran = self.run_git(at, args);
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "git {}: {said}", args.join(" "));
        String::from_utf8_lossy(&ran.stdout)
            .trim_end_matches('\n')
            .to_owned()
    }

    fn run_git(&self, at: &Path, args: &[&str]) -> std::process::Output {
        if args.iter().any(|arg| DATED.contains(arg)) {
            self.n_dates.fetch_add(1, Ordering::Relaxed);
        }
        let date = format!(
            "{} +0000",
            EPOCH_S + 60 * self.n_dates.load(Ordering::Relaxed)
        );
        let path = std::env::var_os("PATH").unwrap_or_default();
        Command::new("git")
            .args(["-c", "init.defaultBranch=main", "-c", "core.autocrlf=false"])
            .args([
                "-c",
                "commit.gpgSign=false",
                "-c",
                "protocol.file.allow=always",
            ])
            .args(["-c", "advice.detachedHead=false"])
            .args(args)
            .current_dir(at)
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.dir.path().join("home"))
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_AUTHOR_NAME", "Ada")
            .env("GIT_AUTHOR_EMAIL", "ada@example.invalid")
            .env("GIT_COMMITTER_NAME", "Ada")
            .env("GIT_COMMITTER_EMAIL", "ada@example.invalid")
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_DATE", &date)
            .output()
            .expect("git is installed")
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Write { path, text, marker } => {
                self.write(&path, &text);
                if let Some(byte) = marker {
                    let before = &text[..byte];
                    let start = before.rfind('\n').map_or(0, |end| end + 1);
                    let line = before.matches('\n').count() + 1;
                    self.marker = Some(Marker {
                        path,
                        byte,
                        line,
                        column: byte - start,
                    });
                }
            }
            Step::Commit(name) => {
                self.git(&["add", "--all"]);
                self.git(&["commit", "--quiet", "--allow-empty", "--message", &name]);
                let id = self.git(&["rev-parse", "HEAD"]);
                self.commits.insert(name, id);
            }
            Step::Branch(name) => {
                self.git(&["switch", "--quiet", "--create", &name]);
            }
            Step::Checkout(name) => {
                let target = self.commits.get(&name).cloned().unwrap_or(name);
                self.git(&["checkout", "--quiet", &target]);
            }
            Step::Remove(path) => {
                let path = self.path().join(path);
                if path.is_dir() {
                    fs::remove_dir_all(path).unwrap();
                } else {
                    fs::remove_file(path).unwrap();
                }
            }
            Step::Rename(from, to) => {
                let to = self.path().join(to);
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::rename(self.path().join(from), to).unwrap();
            }
            Step::Git(args) => {
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                self.git(&args);
            }
        }
    }
}
