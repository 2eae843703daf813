//! Messages of past commits, and the files they touched.
//!
//! Only the object store is read: nothing is fetched, replacement objects are passed over, and commits that a shallow
//! clone cut off are absent.

use std::collections::HashMap;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice as _};
use gix::diff::tree::recorder::Change;
use gix::diff::tree::{Recorder, Visit, visit};
use gix::objs::TreeRefIter;

use super::Repo;
use crate::model::{CommitId, CommitLinks, RepoPath};

/// Changed entries of one commit that are looked at; beyond that it is an import or a move of everything.
const MAX_CHANGES: usize = 2_000;

/// Bytes of a message that are read.
const MAX_MESSAGE_BYTES: usize = 2_048;

/// Trees of neighbouring commits are mostly the same.
const OBJECT_CACHE_BYTES: usize = 16 << 20;

/// A commit's message, and its effect on files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitRecord {
    /// Its message without trailers; empty for a merge.
    pub message: String,
    /// Files that are there after it and were changed by it, by path.
    pub touched: Vec<RepoPath>,
    /// Files that it moved: from, to; by path.
    pub renamed: Vec<(RepoPath, RepoPath)>,
}

/// A reader of history.
pub struct History {
    repo: gix::Repository,
    /// Commits whose parents this clone does not have; sorted.
    border: Vec<ObjectId>,
    state: gix::diff::tree::State,
}

impl Repo {
    /// Returns the reader of history. Costs one look at the list of cut-off commits.
    pub fn history(&self) -> History {
        let mut repo = self.inner.clone();
        repo.objects.ignore_replacements = true;
        repo.object_cache_size(OBJECT_CACHE_BYTES);
        let border = self.inner.shallow_commits().ok().flatten();
        let mut border: Vec<ObjectId> = border
            .iter()
            .flat_map(|commits| commits.iter())
            .copied()
            .collect();
        border.sort_unstable();
        History {
            repo,
            border,
            state: gix::diff::tree::State::default(),
        }
    }

    /// As [`Self::history`], with object files of its own: their memory, some 70 MB for two thousand commits of a
    /// large repository, is freed with it. Costs reading the configuration once more.
    pub fn open_history(&self) -> History {
        let mut history = self.history();
        let options = self.inner.open_options().clone();
        // A repository that can't be opened twice is read where it is open.
        if let Ok(apart) = options.open(self.inner.git_dir()) {
            history.repo.objects = apart.to_thread_local().objects;
            history.repo.objects.ignore_replacements = true;
            history.repo.object_cache_size(OBJECT_CACHE_BYTES);
        }
        history
    }
}

impl History {
    /// Returns a digest of where the clone is cut off; empty for a whole one.
    pub fn shallow_boundary(&self) -> String {
        if self.border.is_empty() {
            return String::new();
        }
        let mut hasher = blake3::Hasher::new();
        for id in &self.border {
            hasher.update(id.as_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// Returns time and parents of a commit; `None` where this clone does not have it. Costs about
    /// 10 µs.
    pub fn links(&self, id: &CommitId) -> Option<CommitLinks> {
        let id = object_id(id)?;
        let commit = self.repo.find_commit(id).ok()?;
        let time_s = commit.time().ok()?.seconds;
        let parents = if self.is_cut_off(id) {
            Vec::new()
        } else {
            let parents = commit.parent_ids();
            parents
                .filter_map(|id| CommitId::new(&id.to_hex().to_string()))
                .collect()
        };
        Some(CommitLinks { time_s, parents })
    }

    /// Returns a commit's message and touched files. A merge has neither; where the clone is cut off, or lacks a tree,
    /// no file is known to be touched; of a commit that touched more than `max_files`, only moved files are kept.
    /// Costs about 50 µs in a repository of 700 files, more where directories are large.
    pub fn record(&mut self, id: &CommitId, max_files: usize) -> CommitRecord {
        object_id(id)
            .and_then(|id| self.read(id, max_files))
            .unwrap_or_default()
    }

    fn is_cut_off(&self, id: ObjectId) -> bool {
        self.border.binary_search(&id).is_ok()
    }

    fn read(&mut self, id: ObjectId, max_files: usize) -> Option<CommitRecord> {
        let commit = self.repo.find_commit(id).ok()?;
        let commit = commit.decode().ok()?;
        if commit.parents.len() > 1 || self.is_cut_off(id) {
            return Some(CommitRecord::default());
        }
        let message = message(commit.message);
        let parent = commit.parents().next();
        let (tree, parent) = (commit.tree(), parent.map(|id| self.tree_of(id)));
        let before = match parent {
            Some(Some(tree)) => self.repo.find_object(tree).ok()?.detach().data,
            // A parent that is not there can't be compared with.
            Some(None) => return Some(CommitRecord::default()),
            None => Vec::new(),
        };
        let after = self.repo.find_object(tree).ok()?.detach().data;
        let mut changes = Bounded(Recorder::default());
        let kind = self.repo.object_hash();
        let walked = gix::diff::tree(
            TreeRefIter::from_bytes(&before, kind),
            TreeRefIter::from_bytes(&after, kind),
            &mut self.state,
            &self.repo.objects,
            &mut changes,
        );
        let mut record = CommitRecord {
            message,
            ..CommitRecord::default()
        };
        if walked.is_ok() {
            sort_out(changes.0.records, max_files, &mut record);
        }
        Some(record)
    }

    fn tree_of(&self, commit: ObjectId) -> Option<ObjectId> {
        let commit = self.repo.find_commit(commit).ok()?;
        Some(commit.tree_id().ok()?.detach())
    }
}

/// Records changes of files, not of directories, up to a bound.
struct Bounded(Recorder);

impl Visit for Bounded {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.0.pop_front_tracked_path_and_set_current();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.0.push_back_tracked_path_component(component);
    }

    fn push_path_component(&mut self, component: &BStr) {
        self.0.push_path_component(component);
    }

    fn pop_path_component(&mut self) {
        self.0.pop_path_component();
    }

    fn visit(&mut self, change: visit::Change) -> visit::Action {
        if !change.entry_mode().is_blob() {
            return visit::Action::Continue(());
        }
        if self.0.records.len() >= MAX_CHANGES {
            return visit::Action::Break(());
        }
        self.0.visit(change)
    }
}

/// Tells moved files from those that came and went: one with the same bytes, else the only one of its
/// name.
fn sort_out(changes: Vec<Change>, max_files: usize, record: &mut CommitRecord) {
    let mut touched: Vec<BString> = Vec::new();
    let mut added: Vec<(ObjectId, BString)> = Vec::new();
    let mut gone: Vec<(ObjectId, BString)> = Vec::new();
    for change in changes {
        match change {
            Change::Modification { path, .. } => touched.push(path),
            Change::Addition { oid, path, .. } => added.push((oid, path)),
            Change::Deletion { oid, path, .. } => gone.push((oid, path)),
        }
    }
    for by_bytes in [true, false] {
        let key = |(oid, path): &(ObjectId, BString)| {
            let name = path.rsplitn_str(2, "/").next().unwrap_or_default();
            if by_bytes {
                oid.as_bytes().to_owned()
            } else {
                name.to_owned()
            }
        };
        let (sources, targets) = (unique(&gone, key), unique(&added, key));
        let mut pairs: Vec<(usize, usize)> = sources
            .iter()
            .filter_map(|(key, from)| Some(((*from)?, (*targets.get(key)?)?)))
            .collect();
        pairs.sort_unstable();
        let (mut moved, mut arrived) = (vec![false; gone.len()], vec![false; added.len()]);
        for (from, to) in pairs {
            let ends = (repo_path(&gone[from].1), repo_path(&added[to].1));
            if let (Some(from), Some(to)) = ends {
                record.renamed.push((from, to));
            }
            touched.push(added[to].1.clone());
            (moved[from], arrived[to]) = (true, true);
        }
        retain(&mut gone, &moved);
        retain(&mut added, &arrived);
    }
    record.renamed.sort_unstable();
    touched.extend(added.into_iter().map(|(_, path)| path));
    if touched.len() + gone.len() <= max_files {
        record.touched = touched.iter().filter_map(repo_path).collect();
        record.touched.sort_unstable();
        record.touched.dedup();
    }
}

/// Returns the place of each key that only one entry has, `None` for the others.
fn unique(
    of: &[(ObjectId, BString)],
    key: impl Fn(&(ObjectId, BString)) -> Vec<u8>,
) -> HashMap<Vec<u8>, Option<usize>> {
    let mut found = HashMap::new();
    for (at, entry) in of.iter().enumerate() {
        found
            .entry(key(entry))
            .and_modify(|place| *place = None)
            .or_insert(Some(at));
    }
    found
}

fn retain<T>(entries: &mut Vec<T>, done: &[bool]) {
    let mut done = done.iter();
    entries.retain(|_| done.next().is_some_and(|done| !done));
}

/// Returns subject and body without trailers.
fn message(raw: &BStr) -> String {
    let message = gix::objs::commit::MessageRef::from_bytes(raw);
    let mut text = message.title.to_str_lossy().into_owned();
    if let Some(body) = message.body() {
        text.push('\n');
        text.push_str(&body.without_trailer().to_str_lossy());
    }
    let mut end = text.len().min(MAX_MESSAGE_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

fn object_id(id: &CommitId) -> Option<ObjectId> {
    ObjectId::from_hex(id.as_str().as_bytes()).ok()
}

fn repo_path(path: &BString) -> Option<RepoPath> {
    RepoPath::new(path.to_str().ok()?)
}
