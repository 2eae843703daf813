//! One walk over the work tree: the files on disk, seen with git's rules.
//!
//! It enters no `.git`, no repository inside this one without files that this one tracks, and follows no link.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use gix::index::entry::Mode;

use crate::model::visited::{ChangedDirectories, Visited, VisitedDirectory};
use crate::model::{Budget, FoundFile, RepoPath, SkipReason};

use super::directories::Pass;
use super::ignore::{IgnoreLevel, IgnoreRules, RuleFiles};
use super::listing::{Listing, os_str};
use super::open_directory::{DirEntry, EntryKind, SeenFile};
use super::queue::Queue;
use super::staging::Staging;
use super::{Repo, content};

/// Below this many tracked files one thread is as quick as several.
const FEW: usize = 1_000;
const MAX_THREADS: usize = 8;

/// The entries that a walk looks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct WalkMode {
    /// Regular files that belong to the work tree, with their stat; `.codelensignore` applies.
    pub(super) members: bool,
    /// Files and links that git calls untracked, without their stat; `.codelensignore` does not apply.
    pub(super) untracked: bool,
}

impl WalkMode {
    pub(super) const MEMBERS: Self = Self {
        members: true,
        untracked: false,
    };
    pub(super) const UNTRACKED: Self = Self {
        members: false,
        untracked: true,
    };
    pub(super) const BOTH: Self = Self {
        members: true,
        untracked: true,
    };
}

/// The entries that a walk found, in no order. All but `untracked` is of the members alone.
#[derive(Default)]
pub(super) struct Walked {
    pub(super) files: Vec<FoundFile>,
    pub(super) untracked: Vec<RepoPath>,
    /// Every `.gitattributes` in a directory that was entered.
    pub(super) attributes: Vec<RepoPath>,
    pub(super) skipped: BTreeMap<SkipReason, u64>,
    pub(super) unreadable: Vec<PathBuf>,
    /// The directories that were listed, where the walk remembers directories, and the files that have other names.
    pub(super) visited: Visited,
    pub(super) complete: bool,
}

struct Walk<'a> {
    repo_root: &'a Path,
    source: &'a super::Source,
    tree: &'a super::WorkTree,
    staging: &'a Staging,
    rules: &'a IgnoreRules,
    pass: Option<Pass<'a>>,
    /// Where entries are looked at; everywhere for `None`.
    within: Option<&'a ChangedDirectories>,
    budget: &'a Budget,
    stop: AtomicBool,
}

/// A directory to look at.
struct Task {
    /// The entries that may be in it: below a path that `.codelensignore` hides there are no members.
    want: WalkMode,
    /// Empty for the root, else with a slash at its end.
    dir: Vec<u8>,
    level: Arc<IgnoreLevel>,
    /// The tracked files below it.
    tracked: Range<usize>,
    hidden: Arc<Hidden>,
}

/// Whether git's rules hide a directory, so that only tracked files below it belong. Walked out when something
/// that is not tracked asks: in most directories nothing does.
#[derive(Default)]
struct Hidden {
    parent: Option<Arc<Hidden>>,
    /// Without a slash at its end.
    path: Vec<u8>,
    /// The rules around it.
    level: Arc<IgnoreLevel>,
    known: OnceLock<bool>,
}

impl Hidden {
    fn root() -> Arc<Self> {
        Arc::new(Self {
            known: OnceLock::from(false),
            ..Self::default()
        })
    }

    fn is(&self, rules: &IgnoreRules) -> bool {
        *self.known.get_or_init(|| {
            let parent = self.parent.as_ref();
            parent.is_some_and(|parent| parent.is(rules))
                || rules.git_hides(&self.level, &self.path, true)
        })
    }
}

/// Walks the work tree of `repo`; finds nothing where a commit is asked. Ends early when the budget does; then `complete` is false.
pub(super) fn walk(
    repo: &Repo,
    staging: &Staging,
    rules: &IgnoreRules,
    want: WalkMode,
    budget: &Budget,
) -> Walked {
    walk_within(repo, staging, rules, want, None, budget)
}

/// Does [`walk`] for the entries of those directories alone. Memories of the others stay.
pub(super) fn walk_within(
    repo: &Repo,
    staging: &Staging,
    rules: &IgnoreRules,
    want: WalkMode,
    within: Option<&ChangedDirectories>,
    budget: &Budget,
) -> Walked {
    let Some(tree) = repo.source.work_tree() else {
        return Walked::default();
    };
    let walk = Walk {
        repo_root: &repo.work_dir,
        source: &repo.source,
        tree,
        staging,
        rules,
        pass: repo.directories.as_ref().map(|known| known.begin()),
        within,
        budget,
        stop: AtomicBool::new(false),
    };
    let queue = Queue::new(Task {
        want,
        dir: Vec::new(),
        level: Arc::default(),
        tracked: staging.all(),
        hidden: Hidden::root(),
    });
    let run = || {
        let mut found = Walked::default();
        queue.run(|task, next| walk.visit(&task, &mut found, next));
        found
    };
    let n_threads = if staging.all().len() < FEW || within.is_some() {
        1
    } else {
        std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS))
    };
    let mut found = std::thread::scope(|scope| {
        let others: Vec<_> = (1..n_threads).map(|_| scope.spawn(run)).collect();
        let mut found = run();
        for other in others {
            match other.join() {
                Ok(more) => found.add(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        found
    });
    found.complete = !walk.stop.load(Ordering::Relaxed);
    if let Some(pass) = walk.pass.filter(|_| found.complete && within.is_none()) {
        let mut visited = std::mem::take(&mut found.visited);
        found.visited.linked.clone_from(&visited.linked);
        visited.attributes.clone_from(&found.attributes);
        pass.end(want.members.then_some(visited));
    }
    found
}

impl Walked {
    fn add(&mut self, more: Self) {
        self.files.extend(more.files);
        self.untracked.extend(more.untracked);
        self.attributes.extend(more.attributes);
        self.unreadable.extend(more.unreadable);
        self.visited.directories.extend(more.visited.directories);
        self.visited.linked.extend(more.visited.linked);
        self.visited
            .with_left_out
            .extend(more.visited.with_left_out);
        for (reason, n) in more.skipped {
            *self.skipped.entry(reason).or_default() += n;
        }
    }

    /// Notes a directory that was listed, and its files of rules that have other names: they need not be members.
    fn visit(&mut self, task: &Task, listing: &Listing<'_>) {
        let id = listing.identity().map(|identity| identity.id());
        self.visited.directories.push(VisitedDirectory {
            path: task.dir.clone().into(),
            id,
        });
        let special = listing.special();
        let rules = [
            (special.rules.git, ".gitignore"),
            (special.rules.own, ".codelensignore"),
            (special.gitattributes, ".gitattributes"),
        ];
        for (_, name) in rules.into_iter().filter(|(is_there, _)| *is_there) {
            let path = [&task.dir[..], name.as_bytes()].concat();
            let seen = listing.stat(name.as_bytes(), &path);
            if let (Ok(Some(seen)), Some(path)) = (seen, repo_path(&path))
                && seen.is_linked
            {
                self.visited.linked.push((path, seen.stat));
            }
        }
    }

    fn skip(&mut self, task: &Task, reason: SkipReason) {
        *self.skipped.entry(reason).or_default() += 1;
        if !self.visited.with_left_out.contains(&task.dir[..]) {
            self.visited.with_left_out.insert(task.dir.clone().into());
        }
    }
}

impl Walk<'_> {
    fn visit(&self, task: &Task, found: &mut Walked, next: &mut Vec<Task>) {
        if self.is_over() {
            return;
        }
        let mut listing = match Listing::open(self.tree, &task.dir, self.pass.as_ref()) {
            Ok(listing) => listing,
            // It went away, or became a file or a link, since it was listed.
            Err(e) if content::is_gone(&e) => return,
            Err(error) => return self.unreadable(task, &error, found),
        };
        let special = listing.special();
        if self.pass.is_some() {
            found.visit(task, &listing);
        }
        // Files that git tracked before there was a repository around them still belong to the outer one.
        if !task.dir.is_empty() && special.dot_git && task.tracked.is_empty() {
            if task.want.members {
                found.skip(task, SkipReason::NestedRepository);
            }
            return;
        }
        let rule_files = RuleFiles {
            own: task.want.members && special.rules.own,
            ..special.rules
        };
        if task.want.members && special.gitattributes {
            let path = [&task.dir[..], b".gitattributes"].concat();
            found.attributes.extend(repo_path(&path));
        }
        let (source, staging) = (self.source, Some(self.staging));
        let level = IgnoreLevel::enter(&task.level, &task.dir, rule_files, source, staging);
        let here = Here {
            walk: self,
            task,
            level,
        };
        let held = listing.names();
        for (n, (name, kind)) in held.iter().enumerate() {
            if n % 256 == 255 && self.is_over() {
                return;
            }
            here.entry(name, kind, &listing, found, next);
        }
        let mut n = 0_usize;
        while let Some(entry) = listing.next() {
            n += 1;
            if n.is_multiple_of(256) && self.is_over() {
                return;
            }
            match entry {
                Ok(DirEntry { name, kind }) => here.entry(&name, kind, &listing, found, next),
                Err(error) => return self.unreadable(task, &error, found),
            }
        }
    }

    /// Notes a directory of which not all is known.
    fn unreadable(&self, task: &Task, error: &io::Error, found: &mut Walked) {
        let dir = self.repo_root.join(os_str(&task.dir));
        tracing::debug!(dir = %dir.display(), %error, "directory could not be read");
        if task.want.members && found.unreadable.last() != Some(&dir) {
            found.unreadable.push(dir);
        }
    }

    fn is_over(&self) -> bool {
        let over = self.stop.load(Ordering::Relaxed) || self.budget.is_spent();
        if over {
            self.stop.store(true, Ordering::Relaxed);
        }
        over
    }
}

/// A directory that is being looked at.
struct Here<'a> {
    walk: &'a Walk<'a>,
    task: &'a Task,
    /// The rules in it.
    level: Arc<IgnoreLevel>,
}

impl Here<'_> {
    fn entry(
        &self,
        name: &[u8],
        kind: EntryKind,
        listing: &Listing<'_>,
        found: &mut Walked,
        next: &mut Vec<Task>,
    ) {
        if content::is_dot_git(name) {
            return;
        }
        let path = [&self.task.dir[..], name].concat();
        if !self.is_asked(&path, kind) {
            return;
        }
        if kind == EntryKind::Directory {
            next.extend(self.enter(path, found));
            return;
        }
        if self.task.want.untracked && self.is_untracked(&path, kind) {
            found.untracked.extend(repo_path(&path));
        }
        if self.task.want.members {
            self.member(&path, kind, || listing.stat(name, &path), found);
        }
    }

    /// Returns whether the walk asks for an entry: a file in one of its directories, a directory on the way to one.
    fn is_asked(&self, path: &[u8], kind: EntryKind) -> bool {
        self.walk.within.is_none_or(|within| match kind {
            EntryKind::Directory => within.is_at_or_below(&[path, b"/"].concat()),
            _ => within.has(&self.task.dir),
        })
    }

    /// Returns the task for the directory `path`, unless nothing below it can belong.
    fn enter(&self, mut path: Vec<u8>, found: &mut Walked) -> Option<Task> {
        let (walk, task) = (self.walk, self.task);
        let mut want = task.want;
        want.members &= !walk.rules.own_hides(&self.level, &path, true);
        if !want.members && !want.untracked {
            return None;
        }
        if walk.staging.mode(task.tracked.clone(), &path) == Some(Mode::COMMIT) {
            if want.members {
                found.skip(task, SkipReason::NestedRepository);
            }
            return None;
        }
        if walk.tree.is_git_dir(&path) {
            return None;
        }
        let hidden = Arc::new(Hidden {
            parent: Some(Arc::clone(&task.hidden)),
            path: path.clone(),
            level: Arc::clone(&self.level),
            known: OnceLock::new(),
        });
        path.push(b'/');
        let tracked = walk.staging.below(task.tracked.clone(), &path);
        if tracked.is_empty() && hidden.is(walk.rules) {
            return None;
        }
        Some(Task {
            want,
            dir: path,
            level: Arc::clone(&self.level),
            tracked,
            hidden,
        })
    }

    fn member(
        &self,
        path: &[u8],
        kind: EntryKind,
        stat: impl FnOnce() -> io::Result<Option<SeenFile>>,
        found: &mut Walked,
    ) {
        if !self.is_tracked(path) && self.git_hides(path) {
            return;
        }
        if self.walk.rules.own_hides(&self.level, path, false) {
            return;
        }
        if kind == EntryKind::Link {
            return found.skip(self.task, SkipReason::Symlink);
        }
        if kind != EntryKind::File {
            return found.skip(self.task, SkipReason::Special);
        }
        let Some(path) = repo_path(path) else {
            return found.skip(self.task, SkipReason::NonUtf8Name);
        };
        match stat() {
            Ok(Some(SeenFile { stat, is_linked })) => {
                if is_linked {
                    found.visited.linked.push((path.clone(), stat));
                }
                found.files.push(FoundFile {
                    path,
                    stat,
                    blob: None,
                });
            }
            // It was replaced since it was listed; the next walk finds its new state.
            Ok(None) => {}
            Err(e) if content::is_gone(&e) => {}
            // As where names may be listed and no more: that a file is gone can't be told.
            Err(error) => self.walk.unreadable(self.task, &error, found),
        }
    }

    fn is_untracked(&self, path: &[u8], kind: EntryKind) -> bool {
        matches!(kind, EntryKind::File | EntryKind::Link)
            && !self.is_tracked(path)
            && !self.git_hides(path)
    }

    fn is_tracked(&self, path: &[u8]) -> bool {
        let tracked = self.task.tracked.clone();
        self.walk.staging.mode(tracked, path).is_some()
    }

    /// Whether git's rules hide a file that is not tracked.
    fn git_hides(&self, path: &[u8]) -> bool {
        let rules = self.walk.rules;
        self.task.hidden.is(rules) || rules.git_hides(&self.level, path, false)
    }
}

fn repo_path(path: &[u8]) -> Option<RepoPath> {
    RepoPath::new(std::str::from_utf8(path).ok()?)
}
