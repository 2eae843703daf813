//! Past commits by the files of today: how often each was changed, by whom, and together with which others.
//!
//! A file that was moved has the commits of its former places, as `git log --follow` gives them. All figures are of the commits that the
//! index holds, and ages count from the index's own commit: the clock is never read.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

use crate::model::{CommitId, PastCommitId, PastPathId};
pub use crate::store::PastCommit;
use crate::store::history::HistoryNote;
use crate::store::{Read, StoreResult, Touch};

/// Seconds of the days within which a commit is recent.
const RECENT_S: i64 = 90 * 86_400;

/// The commits that an index holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldCommits {
    /// How many there are, merges included.
    pub n_commits: usize,
    /// The time of the oldest one; `None` where there is none.
    pub from_s: Option<i64>,
    /// Whether they are the whole history, and the files that each changed are known.
    pub is_complete: bool,
}

/// Past commits by the files of today.
#[derive(Debug)]
pub struct ChangeHistory {
    /// The newest first, in the order of `git log`.
    commits: Vec<PastCommit>,
    /// By path: the places in `commits` of those that changed the file, the newest first.
    of_files: BTreeMap<String, Vec<usize>>,
    /// By the place of a commit that is about its files: those of today.
    files_of: HashMap<usize, Vec<String>>,
    /// How many commits each file of the index has, sorted.
    counts: Vec<usize>,
    held: HeldCommits,
    head_s: i64,
    has_names: bool,
}

/// A file that was changed together with another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoChange {
    /// The other file.
    pub path: String,
    /// Commits that changed both.
    pub together: usize,
    /// Commits that changed the first one.
    pub of: usize,
    /// How many of these, from the newest on, changed both without an exception.
    pub in_a_row: usize,
}

/// An author of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileAuthor {
    /// The name.
    pub name: String,
    /// Commits by them that changed the file.
    pub n_commits: usize,
    /// The time of the newest one.
    pub last_s: i64,
}

impl ChangeHistory {
    /// Reads the commits of an index; `None` while it does not hold all that it is to hold. Costs one pass over all commits and the files
    /// they touched: some milliseconds for two thousand.
    pub fn read(read: &Read<'_>) -> StoreResult<Option<Self>> {
        if !read.has_history() {
            return Ok(None);
        }
        let commits = read.past_commits()?;
        let noted = HistoryNote::of(&read.meta().history);
        let files = read.file_rows()?;
        let files: HashSet<String> = files.iter().map(|file| file.path.to_string()).collect();
        let rows = (read.touches()?, read.past_paths()?);
        Ok(Some(Self::of(commits, &noted, &files, rows)))
    }

    fn of(
        commits: Vec<PastCommit>,
        noted: &HistoryNote,
        files: &HashSet<String>,
        (touches, paths): (Vec<Touch>, Vec<(PastPathId, String)>),
    ) -> Self {
        let known: HashSet<&CommitId> = commits.iter().map(|it| &it.row.commit).collect();
        let has_parents =
            |it: &PastCommit| it.row.links.parents.iter().all(|id| known.contains(id));
        let is_complete = !noted.is_shallow
            && commits
                .iter()
                .all(|it| has_parents(it) && it.n_changed.is_some());
        let held = HeldCommits {
            n_commits: commits.len(),
            from_s: commits.iter().map(|it| it.row.links.time_s).min(),
            is_complete,
        };
        let head = noted.head.as_ref();
        let head_s = commits.iter().find(|it| Some(&it.row.commit) == head);
        let head_s = head_s
            .map(|it| it.row.links.time_s)
            .or_else(|| commits.iter().map(|it| it.row.links.time_s).max());
        let commits = in_log_order(commits, head);
        let mut of_commit: HashMap<PastCommitId, Vec<Touch>> = HashMap::new();
        for touch in touches {
            of_commit.entry(touch.commit).or_default().push(touch);
        }
        // Where a path of that time is today; the files below it where several came from it.
        let mut now: HashMap<PastPathId, Vec<String>> = HashMap::new();
        for (id, path) in paths {
            if files.contains(&path) {
                now.insert(id, vec![path]);
            }
        }
        let mut of_files: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut files_of: HashMap<usize, Vec<String>> = HashMap::new();
        for (at, commit) in commits.iter().enumerate() {
            let touches = of_commit.remove(&commit.row.id).unwrap_or_default();
            let mut seen: HashSet<&String> = HashSet::new();
            for touch in &touches {
                // A file of today that has the name from which another one was moved away came back there later: the move took
                // it away.
                let changed = [Some(touch.path), touch.moved_from].into_iter().flatten();
                for path in changed.filter_map(|id| now.get(&id)).flatten() {
                    if !seen.insert(path) {
                        continue;
                    }
                    of_files.entry(path.clone()).or_default().push(at);
                    if touch.is_weighted {
                        files_of.entry(at).or_default().push(path.clone());
                    }
                }
            }
            // Before this commit the moved files were elsewhere: all of them at once, for two may have changed places.
            let moved: Vec<(PastPathId, Vec<String>)> = touches
                .iter()
                .filter_map(|touch| Some((touch.moved_from?, now.remove(&touch.path)?)))
                .collect();
            for (from, paths) in moved {
                now.entry(from).or_default().extend(paths);
            }
        }
        let mut counts: Vec<usize> = files
            .iter()
            .map(|path| of_files.get(path).map_or(0, Vec::len))
            .collect();
        counts.sort_unstable();
        Self {
            commits,
            of_files,
            files_of,
            counts,
            held,
            head_s: head_s.unwrap_or_default(),
            has_names: noted.has_names,
        }
    }

    /// Returns the range of commits that the figures cover.
    pub fn held(&self) -> HeldCommits {
        self.held
    }

    /// Returns whether the names of authors are known: a bundle has none.
    pub fn has_names(&self) -> bool {
        self.has_names
    }

    /// Returns the commits that changed a file, the newest first.
    pub fn commits(&self, path: &str) -> impl Iterator<Item = &PastCommit> {
        let places = self.of_files.get(path).into_iter().flatten();
        places.map(|at| &self.commits[*at])
    }

    /// Returns whether a commit is at most 90 days older than the index's own.
    pub fn is_recent(&self, commit: &PastCommit) -> bool {
        commit.row.links.time_s >= self.head_s - RECENT_S
    }

    /// Returns the share of the index's files that have fewer commits than a file, in percent.
    pub fn churn(&self, path: &str) -> usize {
        let n = self.of_files.get(path).map_or(0, Vec::len);
        let n_below = self.counts.partition_point(|count| *count < n);
        n_below * 100 / self.counts.len().max(1)
    }

    /// Returns the files of today that were changed together with a file, the most often first, then by path. Commits that changed more than 30
    /// files are no evidence, nor are those that are not `among`, see [`Self::reachable`].
    pub fn co_changes(&self, path: &str, among: Option<&HashSet<usize>>) -> Vec<CoChange> {
        let places = self.of_files.get(path).into_iter().flatten();
        let places = places.filter(|at| among.is_none_or(|among| among.contains(at)));
        let mut n_commits = 0;
        let mut together: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for files in places.filter_map(|at| self.files_of.get(at)) {
            if !files.iter().any(|file| file == path) {
                continue;
            }
            for other in files.iter().filter(|other| *other != path) {
                let (n, in_a_row) = together.entry(other).or_default();
                *in_a_row += usize::from(*n == n_commits);
                *n += 1;
            }
            n_commits += 1;
        }
        let found = together
            .into_iter()
            .map(|(path, (together, in_a_row))| CoChange {
                path: path.to_owned(),
                together,
                of: n_commits,
                in_a_row,
            });
        let mut found: Vec<CoChange> = found.collect();
        found.sort_by_key(|it| Reverse(it.together));
        found
    }

    /// Returns the places of the held commits that can be reached from one; `None` where that is not held.
    pub fn reachable(&self, from: &CommitId) -> Option<HashSet<usize>> {
        let places: HashMap<&CommitId, usize> = self
            .commits
            .iter()
            .enumerate()
            .map(|(at, it)| (&it.row.commit, at))
            .collect();
        let mut open = vec![*places.get(from)?];
        let mut reached = HashSet::new();
        while let Some(at) = open.pop() {
            if reached.insert(at) {
                let parents = self.commits[at].row.links.parents.iter();
                open.extend(parents.filter_map(|id| places.get(id)));
            }
        }
        Some(reached)
    }

    /// Returns the authors of some files, those with the most commits first, then by name. A commit counts once.
    pub fn authors<'a>(&self, paths: impl IntoIterator<Item = &'a str>) -> Vec<FileAuthor> {
        let places: HashSet<usize> = paths
            .into_iter()
            .filter_map(|path| self.of_files.get(path))
            .flatten()
            .copied()
            .collect();
        let mut found: BTreeMap<&str, (usize, i64)> = BTreeMap::new();
        for commit in places.into_iter().map(|at| &self.commits[at]) {
            if !commit.author.is_empty() {
                let (n, last_s) = found.entry(&commit.author).or_insert((0, i64::MIN));
                *n += 1;
                *last_s = (*last_s).max(commit.row.links.time_s);
            }
        }
        let found = found
            .into_iter()
            .map(|(name, (n_commits, last_s))| FileAuthor {
                name: name.to_owned(),
                n_commits,
                last_s,
            });
        let mut found: Vec<FileAuthor> = found.collect();
        found.sort_by_key(|it| Reverse(it.n_commits));
        found
    }
}

/// Returns commits in the order of `git log`: the newest that was reached from `head` comes next, of equal times the one that was reached
/// first. Those that can't be reached come last, by time.
fn in_log_order(commits: Vec<PastCommit>, head: Option<&CommitId>) -> Vec<PastCommit> {
    let places: HashMap<CommitId, usize> = commits
        .iter()
        .enumerate()
        .map(|(at, it)| (it.row.commit.clone(), at))
        .collect();
    let mut order = Vec::with_capacity(commits.len());
    let mut seen = vec![false; commits.len()];
    let mut waiting = BinaryHeap::new();
    let mut n_reached = 0;
    let mut reach = |at: usize, waiting: &mut BinaryHeap<(i64, Reverse<usize>, usize)>| {
        if !std::mem::replace(&mut seen[at], true) {
            n_reached += 1;
            waiting.push((commits[at].row.links.time_s, Reverse(n_reached), at));
        }
    };
    if let Some(at) = head.and_then(|head| places.get(head)) {
        reach(*at, &mut waiting);
    }
    while let Some((_, _, at)) = waiting.pop() {
        order.push(at);
        for parent in &commits[at].row.links.parents {
            if let Some(at) = places.get(parent) {
                reach(*at, &mut waiting);
            }
        }
    }
    let mut rest: Vec<usize> = (0..commits.len()).filter(|at| !seen[*at]).collect();
    rest.sort_by_key(|at| {
        let row = &commits[*at].row;
        (Reverse(row.links.time_s), row.commit.to_bytes())
    });
    order.extend(rest);
    let mut commits: Vec<Option<PastCommit>> = commits.into_iter().map(Some).collect();
    order
        .into_iter()
        .filter_map(|at| commits[at].take())
        .collect()
}
