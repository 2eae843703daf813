//! A query tool's view: one generation of one index, and how current it is.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Revision, Workspace};
use crate::config::Unasked;
use crate::error::{Code, Error, Result};
use crate::git::{ReadError, Repo, TreeEntry};
use crate::model::indexing_rules::MAX_FILE_BYTES;
use crate::model::sanitize;
use crate::model::{
    Budget, ContentId, Family, FileMark, Freshness, FreshnessState, KeptWords, LruCache, RepoPath,
    SkipReason, Sources, WordSet, WordSets,
};
use crate::reconcile::commit;
use crate::reconcile::prepare::decode;
use crate::roles::Roles;
use crate::store::{Read, RepoHome};
use crate::syntax;

/// The largest file that is looked through for a word without being indexed.
const MAX_SEARCHED_BYTES: u64 = 16 * MAX_FILE_BYTES;

/// A state of a work tree: the build of its index and the generation.
type StateKey = (String, u64);

/// The words of files that are left out of the index, which each question about a definition asks for: 4 MiB.
static LEFT_OUT_WORDS: WordSets<(StateKey, RepoPath)> = WordSets::new(1 << 20);

/// The files that a sparse checkout leaves out, for the states that were asked about last.
static NOT_CHECKED_OUT: LruCache<StateKey, Arc<[RepoPath]>> = LruCache::new(2);

/// Bytes of the texts that one question keeps: of a file with many callers each asks for the test around it.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// One generation of one index, and how current it is.
pub struct View<'a> {
    /// The rows.
    pub read: &'a Read<'a>,
    /// How they compare with the work tree.
    pub freshness: &'a Freshness,
    /// The identity of the index that the rows are of.
    pub index_id: &'a str,
    /// The build of that index: of one build and generation the rows are always the same.
    pub build: &'a str,
    /// When and by whom the call is ended.
    pub budget: &'a Budget,
    /// The roles of its files.
    pub roles: Roles<'a>,
    /// The commit that was asked for; `None` for the work tree.
    pub revision: Option<&'a Revision>,
    pub(super) workspace: &'a Workspace,
    pub(super) repo: &'a Repo,
    pub(super) home: RepoHome,
    /// Words that a person gave to files.
    pub marks: &'a [FileMark],
    pub(super) unasked: Unasked,
    /// A sentence about remotes that failed to give the index a start.
    pub pull_note: Option<&'a str>,
    pub(super) looked_at: LookedAt,
}

/// Findings about single files, where no proof covers them all.
#[derive(Debug, Default)]
pub(super) struct LookedAt {
    stale: RefCell<HashMap<String, bool>>,
    unlinked: RefCell<Option<HashSet<RepoPath>>>,
    stale_from: Cell<Option<u32>>,
    texts: RefCell<KeptTexts>,
}

/// Texts that were read for this question, up to [`MAX_KEPT_BYTES`].
#[derive(Debug, Default)]
struct KeptTexts {
    by_path: HashMap<(RepoPath, ContentId), Arc<str>>,
    n_bytes: usize,
}

impl KeptTexts {
    /// Keeps a text; the ones before it go where they would be too many together.
    fn keep(&mut self, key: (RepoPath, ContentId), text: &Arc<str>) {
        if self.n_bytes + text.len() > MAX_KEPT_BYTES {
            *self = Self::default();
        }
        self.n_bytes += text.len();
        self.by_path.insert(key, Arc::clone(text));
    }
}

impl LookedAt {
    /// Returns the files whose rows an answer showed although they may differ from the disk.
    pub(super) fn stale_paths(&self) -> impl Iterator<Item = RepoPath> {
        let known = self.stale.take().into_iter();
        known.filter_map(|(path, is_stale)| RepoPath::new(&path).filter(|_| is_stale))
    }
}

impl View<'_> {
    /// Whether answers count saved records (`memory.unasked`).
    pub fn says_notes(&self) -> bool {
        self.unasked != Unasked::Off
    }

    /// Whether answers name saved records unasked.
    pub fn says_titles(&self) -> bool {
        self.unasked == Unasked::Titles
    }

    /// Returns whether the rows of `path` may differ from the file. Where the detection did not get to
    /// see every file, or is not of these rows, the file itself is compared: costs its reading, once.
    pub fn is_stale(&self, path: &str) -> bool {
        if self.freshness.state == FreshnessState::Fresh {
            return false;
        }
        let mut known = self.looked_at.stale.borrow_mut();
        if let Some(known) = known.get(path) {
            return *known;
        }
        let found = self.freshness.is_stale(path)
            || (self.freshness.state != FreshnessState::Partial && !self.is_as_indexed(path));
        known.insert(path.to_owned(), found);
        found
    }

    /// Notes the start of the chains whose ends [`Self::is_chain_stale`] is asked about next.
    pub fn note_chain_start(&self, path: &str) {
        self.is_chain_stale(path, 0);
    }

    /// Returns whether a chain of so many edges that ends at `path` may not hold any more: a file on its
    /// way may differ from its rows, or its names wait to be bound again. Asked about the nearest ends
    /// first, beginning with the start (0 edges): all that is farther away than a stale end is stale.
    pub fn is_chain_stale(&self, path: &str, hops: u32) -> bool {
        if self.freshness.state == FreshnessState::Fresh {
            return false;
        }
        let from = self.looked_at.stale_from.get();
        if from.is_some_and(|from| hops > from) {
            return true;
        }
        let is_stale = self.has_stale_edges(path);
        if is_stale {
            let nearest = from.map_or(hops, |from| from.min(hops));
            self.looked_at.stale_from.set(Some(nearest));
        }
        is_stale
    }

    /// Returns whether edges out of `path` may be out of date.
    pub fn has_stale_edges(&self, path: &str) -> bool {
        if self.freshness.state == FreshnessState::Fresh {
            return false;
        }
        // Until the effect of files that came or went is noted, any file may be affected.
        if self.is_stale(path) || self.read.meta().link_queue_is_stale {
            return true;
        }
        let mut unlinked = self.looked_at.unlinked.borrow_mut();
        if unlinked.is_none() {
            let Ok(files) = self.read.link_queue(u32::MAX) else {
                return true;
            };
            *unlinked = Some(files.into_iter().map(|(_, path)| path).collect());
        }
        unlinked.as_ref().is_some_and(|files| files.contains(path))
    }

    /// Returns the key of the state of a proved work tree, which is always the same for one build and generation.
    fn state_key(&self) -> StateKey {
        (self.build.to_owned(), self.read.meta().generation)
    }

    fn is_as_indexed(&self, path: &str) -> bool {
        let (Some(path), Ok(Some(row))) = (RepoPath::new(path), self.read.file(path)) else {
            return false;
        };
        match row.skip.filter(|skip| !skip.keeps_text()) {
            None => self.read(&path, row.content).is_some(),
            // Nothing of its text is indexed.
            Some(_) => matches!(self.repo.source().stat(&path), Ok(Some(_))),
        }
    }

    /// Returns how many files may hold uses of names that the index does not have.
    pub fn n_reduced(&self) -> Result<u64> {
        let skipped = self.read.skipped()?.into_iter();
        let reduced = skipped.filter(|(reason, _)| *reason != SkipReason::Masked);
        Ok(reduced.map(|(_, n)| n).sum::<u64>() + self.n_unreadable_names())
    }

    /// Returns how many files are not read because their names are not UTF-8: they have no row.
    pub fn n_unreadable_names(&self) -> u64 {
        let reason = SkipReason::NonUtf8Name.as_str();
        self.read.meta().n_left_out(reason)
    }

    /// Returns how many files hold text that a search for a word did not see, or of which it saw the beginning alone.
    pub fn n_without_text(&self) -> Result<u64> {
        let hides_text = |reason: &SkipReason| match reason {
            SkipReason::TooLarge
            | SkipReason::Unreadable
            | SkipReason::Secret
            | SkipReason::Minified
            | SkipReason::Generated
            | SkipReason::LockFile
            | SkipReason::MissingBlob
            | SkipReason::NonUtf8Name => true,
            SkipReason::Binary
            | SkipReason::Symlink
            | SkipReason::NestedRepository
            | SkipReason::Special
            | SkipReason::Masked => false,
        };
        let skipped = self.read.skipped()?.into_iter();
        Ok(skipped
            .filter(|(reason, _)| hides_text(reason))
            .map(|(_, n)| n)
            .sum::<u64>()
            + self.n_unreadable_names())
    }

    /// Returns how many files of the commit are shown as git stores them, where a checkout would run a filter over them
    /// (Git LFS); 0 for the work tree.
    pub fn n_filtered(&self) -> u64 {
        match self.revision {
            Some(_) => self.read.meta().n_left_out(commit::FILTERED),
            None => 0,
        }
    }

    /// Returns the error for a file whose text is left out of the index.
    pub fn left_out(&self, path: &RepoPath, reason: SkipReason) -> Error {
        not_indexed(path, reason.as_str())
    }

    /// Returns whether a file that the index holds is known to be gone: looked at only where the
    /// detection did not get to see every file.
    pub fn is_gone(&self, path: &RepoPath) -> bool {
        !matches!(
            self.freshness.state,
            FreshnessState::Fresh | FreshnessState::Partial
        ) && matches!(self.repo.source().stat(path), Ok(None))
    }

    /// Returns why `path` is not in the index: the error for a path that a caller named.
    pub fn why_absent(&self, path: &RepoPath) -> Error {
        let below = self.read.files_under(path.as_str());
        if below.is_ok_and(|below| below.iter().any(|row| row.path != *path)) {
            let shown = cut_argument(path.as_str());
            return Error::invalid(
                format!("`{shown}` is a directory"),
                format!("name one of its files: `codelens map {shown}` (cl_map) lists them"),
            );
        }
        why_absent(self.repo, path)
    }
}

impl Sources for View<'_> {
    /// Reads a file of the work tree or of the commit whose bytes are still those that were indexed, once for this question.
    fn read(&self, path: &RepoPath, content: ContentId) -> Option<Arc<str>> {
        let key = (path.clone(), content);
        if let Some(text) = self.looked_at.texts.borrow().by_path.get(&key) {
            return Some(Arc::clone(text));
        }
        let source = self.repo.source();
        let is_indexed = |bytes: &Vec<u8>| ContentId::of(bytes) == content;
        // Of a file that is proved to be as it was indexed its kind is known, too.
        let again = self
            .is_proved()
            .then(|| source.read_again(path, MAX_FILE_BYTES));
        let bytes = match again.flatten().filter(is_indexed) {
            Some(bytes) => bytes,
            None => Some(source.read(path, MAX_FILE_BYTES).ok()?.bytes).filter(is_indexed)?,
        };
        let text = decode(&bytes).into();
        self.looked_at.texts.borrow_mut().keep(key, &text);
        Some(text)
    }

    fn is_proved(&self) -> bool {
        self.freshness.state == FreshnessState::Fresh
    }

    fn holds(&self, path: &RepoPath, word: &str) -> Option<bool> {
        let is_plain = word.bytes().all(is_part);
        let is_kept = is_plain && self.is_proved();
        let key = is_kept.then(|| (self.state_key(), path.clone()));
        let known = key.as_ref().and_then(|key| LEFT_OUT_WORDS.get(key));
        if let Some(KeptWords::All(words)) = &known {
            return Some(words.has(word));
        }
        let bytes = match self.repo.source().read(path, MAX_SEARCHED_BYTES) {
            Ok(file) => file.bytes,
            // A sparse checkout leaves it out.
            Err(ReadError::Missing) => self.repo.read_at_head(path, MAX_SEARCHED_BYTES)?,
            Err(_) => return None,
        };
        // Of UTF-16 the words are not kept.
        if let Some(key) = key.filter(|_| known.is_none() && !bytes.contains(&0)) {
            let words = bytes.split(|byte| !is_part(*byte));
            LEFT_OUT_WORDS.keep(key, WordSet::of(words));
        }
        Some(holds_word(&bytes, word))
    }

    fn not_checked_out(&self) -> Arc<[RepoPath]> {
        let find = || self.repo.files_not_checked_out().unwrap_or_default().into();
        if !self.is_proved() {
            return find();
        }
        let key = self.state_key();
        NOT_CHECKED_OUT.get(&key).unwrap_or_else(|| {
            let found: Arc<[RepoPath]> = find();
            NOT_CHECKED_OUT.insert(key, Arc::clone(&found));
            found
        })
    }

    fn is_there(&self, path: &RepoPath) -> bool {
        matches!(self.repo.source().stat(path), Ok(Some(_)))
    }
}

/// Whether a byte may be part of a word, as [`holds_word`] takes it.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// Whether bytes hold a word in UTF-8, or its letters in UTF-16 of either order.
fn holds_word(bytes: &[u8], word: &str) -> bool {
    let is_alone = |from: usize, to: usize| {
        let before = from.checked_sub(1).and_then(|at| bytes.get(at));
        let behind = bytes.get(to);
        !before.is_some_and(|it| is_part(*it)) && !behind.is_some_and(|it| is_part(*it))
    };
    let mut from = 0;
    while let Some(at) = find(&bytes[from..], word.as_bytes()) {
        if is_alone(from + at, from + at + word.len()) {
            return true;
        }
        from += at + 1;
    }
    // No text in UTF-8 has such bytes.
    if !bytes.contains(&0) {
        return false;
    }
    let units: Vec<u16> = word.encode_utf16().collect();
    let little: Vec<u8> = units.iter().flat_map(|it| it.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|it| it.to_be_bytes()).collect();
    find(bytes, &little).is_some() || find(bytes, &big).is_some()
}

/// Returns the first place of some bytes in others. Goes from one place of the first byte to the next, which is far quicker than comparing
/// at each place.
fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = wanted.first()?;
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|byte| byte == first) {
        if bytes[from + at..].starts_with(wanted) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

/// Returns the error for a path that is not in the index: it is not there, or it is left out.
pub(super) fn why_absent(repo: &Repo, path: &RepoPath) -> Error {
    let not_indexed = |reason: &str| not_indexed(path, reason);
    if crate::model::indexing_rules::is_secret_name(path) {
        return not_indexed(SkipReason::Secret.as_str());
    }
    match repo.source().entry(path) {
        Some(TreeEntry::Link) => return not_indexed(SkipReason::Symlink.as_str()),
        Some(TreeEntry::Submodule) => return not_indexed(SkipReason::NestedRepository.as_str()),
        Some(TreeEntry::File | TreeEntry::Directory) | None => {}
    }
    let is_file = matches!(repo.source().stat(path), Ok(Some(_)));
    match repo.source().resolve(path) {
        Err(ReadError::Outside) => outside(path),
        Err(_) => missing(path),
        Ok(_) if matches!(repo.ignored_by(path, !is_file), Ok(Some(_))) => not_indexed("ignored"),
        Ok(found) if found != *path => not_indexed(SkipReason::Symlink.as_str()),
        Ok(_) if is_file => not_indexed("not brought up yet, or excluded"),
        Ok(_) if repo.is_submodule(path) => Error::new(
            Code::NotIndexed,
            format!(
                "`{}` is a submodule: a repository of its own",
                cut_argument(path.as_str())
            ),
            "ask there; one that is not checked out is brought by `git submodule update --init`",
        ),
        Ok(_) => Error::new(
            Code::NotIndexed,
            format!("no file below `{}` is indexed", cut_argument(path.as_str())),
            "`codelens list-files` (cl_map with `view: files`) lists the files that are",
        ),
    }
}

fn not_indexed(path: &RepoPath, reason: &str) -> Error {
    Error::new(
        Code::NotIndexed,
        format!(
            "`{}` is not indexed: {}",
            cut_argument(path.as_str()),
            reason_in_words(reason)
        ),
        why_unread(reason).unwrap_or("`codelens expand` (cl_expand) reads a file from the disk"),
    )
}

/// Returns why no tool reads a path that was left out for a reason, and what helps; `None` where `cl_expand` may read it.
pub(super) fn why_unread(reason: &str) -> Option<&'static str> {
    let is = |other: SkipReason| reason == other.as_str();
    if is(SkipReason::Binary) {
        Some("binary files are indexed by their names alone; no tool here reads them")
    } else if is(SkipReason::Secret) {
        Some("files whose names or bytes look like secrets are read by no tool here")
    } else if is(SkipReason::MissingBlob) {
        Some("its bytes are not in this clone: `git fetch --refetch` or a checkout brings them")
    } else if is(SkipReason::Symlink) {
        Some("ask about the file to which the link leads, if that is in the repository")
    } else if is(SkipReason::NestedRepository) {
        Some("it is a repository of its own: ask there")
    } else {
        None
    }
}

/// Returns the name of a reason as words: `tooLarge` as `too large`.
pub fn reason_in_words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 2);
    for character in name.chars() {
        if character.is_uppercase() {
            words.push(' ');
            words.extend(character.to_lowercase());
        } else {
            words.push(character);
        }
    }
    words
}

/// Returns the language of a file, as far as its names are resolved.
pub fn family_of(path: &str) -> Option<Family> {
    syntax::by_path(&RepoPath::new(path)?).family()
}

/// Returns a caller's text, cut and escaped so that a message stays one line.
pub fn cut_argument(text: &str) -> String {
    sanitize::escaped_start(text, 200)
}

/// Returns the error for a path that is not there.
pub fn missing(path: &RepoPath) -> Error {
    Error::new(
        Code::PathNotFound,
        format!(
            "there is no file or directory `{}`",
            cut_argument(path.as_str())
        ),
        "paths are relative to the root of the repository; `codelens list-files` (cl_map with `view: files`) lists the files",
    )
}

/// Returns the error for a path that leads out of the work tree.
pub fn outside(path: impl std::fmt::Display) -> Error {
    Error::new(
        Code::OutsideRepo,
        match cut_argument(&path.to_string()) {
            path if path.is_empty() => "the path is empty".to_owned(),
            path => format!("`{path}` is not a path inside the repository"),
        },
        "pass a path below the root of the repository (`src/store.ts`), relative to it or absolute; `.git` is closed",
    )
}

#[cfg(test)]
mod tests {
    use super::holds_word;

    #[test]
    fn a_word_is_found_in_bytes_of_any_encoding() {
        let wide = |text: &str| -> Vec<u8> {
            let units = text.encode_utf16();
            units.flat_map(u16::to_le_bytes).collect()
        };
        assert!(holds_word(b"a\0 open()", "open"));
        assert!(!holds_word(b"a\0 reopen() open_all", "open"));
        assert!(holds_word(&wide("store.open()"), "open"));
        assert!(!holds_word(&wide("store.shut()"), "open"));
        assert!(!holds_word(b"", "open"));
    }
}
