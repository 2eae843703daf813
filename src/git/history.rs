//! Messages and authors of past commits, and the files they touched.
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
use super::fixes::is_fix;
use super::similarity::{Fingerprint, MAX_BLOB_BYTES};
use crate::machine;
use crate::model::{CommitId, CommitLinks, RepoPath};

/// Changed entries of one commit that are looked at; beyond that it is an import or a move of everything.
const MAX_CHANGES: usize = 2_000;

/// Bytes of a message that are read.
const MAX_MESSAGE_BYTES: usize = 2_048;

/// Bytes of a subject and of a name that are kept.
const MAX_SUBJECT_BYTES: usize = 160;
const MAX_NAME_BYTES: usize = 100;

/// A larger `.mailmap` is not read.
const MAX_MAILMAP_BYTES: usize = 1 << 20;

/// Pairs of files that came and went in one commit whose texts are compared; beyond that only files of one name are.
const MAX_PAIRS: usize = 1_000;

/// Trees of neighbouring commits are mostly the same.
const OBJECT_CACHE_BYTES: usize = 8 << 20;

/// A commit's message and author, and its effect on files. Empty for a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitRecord {
    /// Its message without trailers.
    pub message: String,
    /// The first line of its message, cut to 160 bytes.
    pub subject: String,
    /// The name of its author as the mailmap of the repository has it, cut to 100 bytes; never an address.
    pub author: String,
    /// Whether its message says that it repairs a fault.
    pub is_fix: bool,
    /// Files that it changed, those that it removed among them; `None` where that is not known: the clone is cut off there, or more than
    /// 2,000 differ.
    pub n_changed: Option<u32>,
    /// Files that are there after it and were changed by it, by path.
    pub touched: Vec<RepoPath>,
    /// Files that it moved: from, to; by path.
    pub renamed: Vec<(RepoPath, RepoPath)>,
}

/// Bytes of files that may come into memory before a reader of history opens the packs anew, which gives them back, and the commits after
/// which it looks. Random access to a large index of a pack makes all of it resident, and each object 64 KiB of the pack.
const MAX_RESIDENT_BYTES: u64 = 16 << 20;
const COMMITS_PER_LOOK: u32 = 16;

/// The same where the system does not tell, in commits.
const COMMITS_PER_MAP: u32 = 128;

/// A reader of history.
pub struct History {
    repo: gix::Repository,
    /// How its object files are opened again; `None` where they are those of another reader.
    reopening: Option<gix::open::Options>,
    /// Commits that were read.
    n_read: u32,
    /// Bytes of files that were in memory when its object files were opened; `None` where the system does not tell.
    resident: Option<u64>,
    /// Commits whose parents this clone does not have; sorted.
    border: Vec<ObjectId>,
    mailmap: gix::mailmap::Snapshot,
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
            reopening: None,
            n_read: 0,
            resident: None,
            border,
            mailmap: gix::mailmap::Snapshot::default(),
            state: gix::diff::tree::State::default(),
        }
    }

    /// As [`Self::history`], with object files of its own: their memory is freed with it, and now and then before. Costs
    /// reading the configuration once more, each time.
    pub fn open_history(&self) -> History {
        let mut history = self.history();
        let options = self.inner.open_options().clone();
        history.reopen(&options);
        history.reopening = Some(options);
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

    /// Takes the names of people from the `.mailmap` in the tree of `head` from now on. Returns a digest of it; `none` where there is none.
    pub fn use_mailmap_of(&mut self, head: Option<&CommitId>) -> String {
        let text = head.and_then(object_id).and_then(|id| {
            let tree = self.repo.find_commit(id).ok()?.tree().ok()?;
            let entry = tree.lookup_entry_by_path(".mailmap").ok()??;
            let blob = entry.mode().is_blob().then(|| entry.object().ok())??;
            Some(blob.detach().data)
        });
        self.mailmap = gix::mailmap::Snapshot::default();
        let Some(text) = text.filter(|it| it.len() <= MAX_MAILMAP_BYTES) else {
            return "none".to_owned();
        };
        self.mailmap = gix::mailmap::Snapshot::from_bytes(&text);
        blake3::hash(&text).to_hex()[..16].to_owned()
    }

    /// Returns the name of a commit's author as the mailmap in use has it; empty for a merge, and where the clone is cut off. Costs about 10 µs.
    pub fn author(&self, id: &CommitId) -> String {
        let Some(id) = object_id(id) else {
            return String::new();
        };
        let commit = self.repo.find_commit(id).ok();
        let name = commit.as_ref().and_then(|commit| {
            let commit = commit.decode().ok()?;
            let is_read = commit.parents.len() < 2 && !self.is_cut_off(id);
            is_read.then(|| self.author_of(&commit))
        });
        name.unwrap_or_default()
    }

    /// Returns a commit's message, author and touched files. A merge has none of them; where the clone is cut off, or lacks a tree,
    /// no file is known to be touched. Costs about 50 µs in a repository of 700 files, more where directories are large, and where files may have
    /// been moved the reading of those.
    pub fn record(&mut self, id: &CommitId) -> CommitRecord {
        if self.is_grown()
            && let Some(options) = self.reopening.take()
        {
            self.reopen(&options);
            self.reopening = Some(options);
        }
        self.n_read += 1;
        object_id(id)
            .and_then(|id| self.read(id))
            .unwrap_or_default()
    }

    /// Whether so much of the packs is in memory that opening them anew pays.
    fn is_grown(&self) -> bool {
        if self.reopening.is_none() || !self.n_read.is_multiple_of(COMMITS_PER_LOOK) {
            return false;
        }
        match (self.resident, resident_files()) {
            (Some(before), Some(now)) => now > before + MAX_RESIDENT_BYTES,
            _ => self.n_read.is_multiple_of(COMMITS_PER_MAP),
        }
    }

    /// Opens the object files anew. A repository that can't be opened twice is read where it is open.
    fn reopen(&mut self, options: &gix::open::Options) {
        if let Ok(apart) = options.clone().open(self.repo.git_dir()) {
            self.repo.objects = apart.to_thread_local().objects;
            self.repo.objects.ignore_replacements = true;
            self.repo.object_cache_size(OBJECT_CACHE_BYTES);
        }
        self.resident = resident_files();
    }

    fn author_of(&self, commit: &gix::objs::CommitRef<'_>) -> String {
        let Ok(author) = commit.author() else {
            return String::new();
        };
        let author = author.trim();
        let known = self.mailmap.try_resolve_ref(author);
        let name = known.and_then(|it| it.name).unwrap_or(author.name);
        let name = name.to_str_lossy();
        cut(without_host(name.trim()), MAX_NAME_BYTES).to_owned()
    }

    fn is_cut_off(&self, id: ObjectId) -> bool {
        self.border.binary_search(&id).is_ok()
    }

    fn read(&mut self, id: ObjectId) -> Option<CommitRecord> {
        let commit = self.repo.find_commit(id).ok()?;
        let commit = commit.decode().ok()?;
        if commit.parents.len() > 1 {
            return Some(CommitRecord {
                n_changed: Some(0),
                ..CommitRecord::default()
            });
        }
        if self.is_cut_off(id) {
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
        let subject = message.lines().next().unwrap_or_default();
        let mut record = CommitRecord {
            subject: cut(subject, MAX_SUBJECT_BYTES).to_owned(),
            author: self.author_of(&commit),
            is_fix: is_fix(&message),
            message,
            ..CommitRecord::default()
        };
        if walked.is_ok() {
            self.sort_out(changes.0.records, &mut record);
        }
        Some(record)
    }

    fn tree_of(&self, commit: ObjectId) -> Option<ObjectId> {
        let commit = self.repo.find_commit(commit).ok()?;
        Some(commit.tree_id().ok()?.detach())
    }

    /// Tells moved files from those that came and went.
    fn sort_out(&self, changes: Vec<Change>, record: &mut CommitRecord) {
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
        added.sort_by(|one, other| one.1.cmp(&other.1));
        gone.sort_by(|one, other| one.1.cmp(&other.1));
        let moves = self.moves(&gone, &added);
        for (from, to) in &moves {
            let ends = (repo_path(&gone[*from].1), repo_path(&added[*to].1));
            if let (Some(from), Some(to)) = ends {
                record.renamed.push((from, to));
            }
        }
        record.renamed.sort_unstable();
        let n_changed = touched.len() + added.len() + gone.len() - moves.len();
        record.n_changed = u32::try_from(n_changed).ok();
        touched.extend(added.into_iter().map(|(_, path)| path));
        record.touched = touched.iter().filter_map(repo_path).collect();
        record.touched.sort_unstable();
        record.touched.dedup();
    }

    /// Pairs files that went with files that came: first those with the same bytes, one of the same name before others; then those of which
    /// at least half is the same, the likest first.
    fn moves(&self, gone: &[File], added: &[File]) -> Vec<(usize, usize)> {
        let (mut is_moved, mut has_come) = (vec![false; gone.len()], vec![false; added.len()]);
        let mut moves = Vec::new();
        if gone.is_empty() || added.is_empty() {
            return moves;
        }
        let mut by_bytes: HashMap<ObjectId, Vec<usize>> = HashMap::new();
        for (from, (oid, _)) in gone.iter().enumerate() {
            by_bytes.entry(*oid).or_default().push(from);
        }
        for (to, (oid, path)) in added.iter().enumerate() {
            let same = by_bytes.get(oid).into_iter().flatten().copied();
            let free: Vec<usize> = same.filter(|from| !is_moved[*from]).collect();
            let named = free.iter().find(|from| name(&gone[**from].1) == name(path));
            if let Some(from) = named.or(free.first()) {
                moves.push((*from, to));
                (is_moved[*from], has_come[to]) = (true, true);
            }
        }
        let left =
            |done: &[bool]| -> Vec<usize> { (0..done.len()).filter(|at| !done[*at]).collect() };
        let (sources, targets) = (left(&is_moved), left(&has_come));
        let by_name = sources.len() * targets.len() > MAX_PAIRS;
        let mut texts: HashMap<ObjectId, Option<Fingerprint>> = HashMap::new();
        let mut alike = Vec::new();
        for from in &sources {
            for to in &targets {
                let (one, other) = (&gone[*from], &added[*to]);
                let is_named = name(&one.1) == name(&other.1);
                if by_name && !is_named {
                    continue;
                }
                for id in [one.0, other.0] {
                    texts.entry(id).or_insert_with(|| self.fingerprint(id));
                }
                if let (Some(one), Some(other)) = (&texts[&one.0], &texts[&other.0])
                    && let Some(score) = one.similarity(other)
                {
                    alike.push((std::cmp::Reverse((score, is_named)), *from, *to));
                }
            }
        }
        alike.sort_unstable();
        for (_, from, to) in alike {
            if !is_moved[from] && !has_come[to] {
                moves.push((from, to));
                (is_moved[from], has_come[to]) = (true, true);
            }
        }
        moves
    }

    fn fingerprint(&self, id: ObjectId) -> Option<Fingerprint> {
        let size = self.repo.find_header(id).ok()?.size();
        let is_read = size > 0 && size <= MAX_BLOB_BYTES;
        let blob = is_read.then(|| self.repo.find_object(id).ok())??;
        Some(Fingerprint::of(&blob.data))
    }
}

/// Returns the bytes of files that are in memory; `None` where the system does not tell.
fn resident_files() -> Option<u64> {
    machine::memory().map(|it| it.resident.saturating_sub(it.anonymous))
}

/// A file of a tree: the name of its bytes, and its path.
type File = (ObjectId, BString);

fn name(path: &BString) -> &[u8] {
    path.rsplitn_str(2, "/").next().unwrap_or_default()
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

/// Returns subject and body without trailers.
fn message(raw: &BStr) -> String {
    let message = gix::objs::commit::MessageRef::from_bytes(raw);
    let mut text = message.title.to_str_lossy().into_owned();
    if let Some(body) = message.body() {
        text.push('\n');
        text.push_str(&body.without_trailer().to_str_lossy());
    }
    text.truncate(cut(&text, MAX_MESSAGE_BYTES).len());
    text
}

/// Returns the beginning of a text, at most so many bytes of it.
fn cut(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

/// Returns a name without the host of an address, which some commits have for a name: `ann` of `ann@example.com`. A handle, `@ann`, is
/// a name as it stands.
fn without_host(name: &str) -> &str {
    match name.split_once('@') {
        Some((before, _)) if !before.trim().is_empty() => before.trim_end(),
        _ => name,
    }
}

fn object_id(id: &CommitId) -> Option<ObjectId> {
    ObjectId::from_hex(id.as_str().as_bytes()).ok()
}

fn repo_path(path: &BString) -> Option<RepoPath> {
    RepoPath::new(path.to_str().ok()?)
}
