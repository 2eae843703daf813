//! Where saved code is now: by the identity of its symbol first, by its content second.
//!
//! Pure: files come through a port, as they are on the disk.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::{ContentId, Handle, HandleKind, RepoPath};

/// The most lines of an item that are hashed: a longer item is recognized by its beginning.
pub const MAX_DIGESTS: usize = 2_000;

/// How alike two texts have to be, in hundredths of their lines, where nothing else says that they are
/// the same.
const ALIKE: usize = 60;

/// How many lines that say something a text needs to be known by them alone.
const MIN_TELLING: usize = 3;

/// An item as it was when it was saved.
#[derive(Clone, Debug)]
pub struct Anchor {
    /// Its handle; `None` for a whole file.
    pub handle: Option<Handle>,
    /// The file that it was in.
    pub path: RepoPath,
    /// The qualified name and the kind of the symbol that it is, or is a part of.
    pub symbol: Option<(String, String)>,
    /// First and last line, from 1.
    pub lines: Option<(u32, u32)>,
    /// The bytes of the whole file.
    pub content: ContentId,
    /// The hashes of its lines (see [`digests`]).
    pub digests: Vec<u64>,
    /// The hash of its text (see [`exact`]); `None` where it was not noted.
    pub exact: Option<ContentId>,
}

/// The state of an item, compared with the time when it was saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnchorState {
    /// It is as it was.
    Same,
    /// It is the same text in another place.
    Moved,
    /// It is there with another text.
    Changed,
    /// It is not there.
    Missing,
}

impl AnchorState {
    /// Returns the word used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Moved => "moved",
            Self::Changed => "changed",
            Self::Missing => "missing",
        }
    }
}

/// Where an item is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnchoredItem {
    /// The item's state.
    pub state: AnchorState,
    /// Its handle now; `None` for a whole file.
    pub handle: Option<Handle>,
    /// The file that it is in; for a missing item the file that it was in.
    pub path: RepoPath,
    /// The qualified name of its symbol now.
    pub symbol: Option<String>,
    /// First and last line now, from 1; `None` for a whole file and for a missing item.
    pub lines: Option<(u32, u32)>,
}

/// A symbol or a chunk of a file as it is now.
#[derive(Clone, Debug)]
pub struct FilePiece {
    /// Its handle.
    pub handle: Handle,
    /// Its qualified name and kind, or those of the symbol that it is a part of.
    pub symbol: Option<(String, String)>,
    /// First and last line, from 1.
    pub lines: (u32, u32),
}

/// A file as it is now.
#[derive(Clone, Debug)]
pub struct FileNow {
    /// Its bytes.
    pub content: ContentId,
    /// The hashes of its lines.
    pub digests: Vec<u64>,
    /// Its symbols and chunks.
    pub pieces: Vec<FilePiece>,
    /// Its text.
    pub text: String,
}

/// The files of the work tree.
pub trait AnchorFiles {
    /// Returns a file; `None` if it is not there or has no text.
    fn file(&self, path: &RepoPath) -> Option<Arc<FileNow>>;
    /// Returns the files that define a symbol of this qualified name, by path.
    fn defining(&self, qualified: &str) -> Vec<RepoPath>;
    /// Returns the files of exactly these bytes, by path.
    fn holding(&self, content: ContentId) -> Vec<RepoPath>;
}

/// Returns the hash of each line, white space at both ends left out; 0 for an empty one.
pub fn digests(text: &str) -> Vec<u64> {
    text.lines().map(digest).collect()
}

/// Returns the part of a file's hashes that belongs to some lines, at most [`MAX_DIGESTS`].
pub fn cut(digests: &[u64], lines: (u32, u32)) -> Vec<u64> {
    let mut part = between(digests, lines).to_vec();
    part.truncate(MAX_DIGESTS);
    part
}

/// Returns the hash of some lines, white space at their ends left out. Unlike [`digests`] it tells indentation apart, and
/// covers long items to their end.
pub fn exact(text: &str, (from, to): (u32, u32)) -> ContentId {
    let first = (from as usize).saturating_sub(1);
    let n_lines = (to as usize).saturating_sub(first);
    let mut trimmed = String::new();
    for line in text.lines().skip(first).take(n_lines) {
        trimmed.push_str(line.trim_end());
        trimmed.push('\n');
    }
    ContentId::of(trimmed.as_bytes())
}

/// Finds an item. Reads its file, and others only where it is not found there.
pub fn find(anchor: &Anchor, files: &impl AnchorFiles) -> AnchoredItem {
    let missing = || AnchoredItem {
        state: AnchorState::Missing,
        handle: anchor.handle,
        path: anchor.path.clone(),
        symbol: anchor.symbol.as_ref().map(|(name, _)| name.clone()),
        lines: None,
    };
    let found = match anchor.handle {
        None => whole_file(anchor, files),
        Some(handle) => piece(anchor, handle, files),
    };
    found.unwrap_or_else(missing)
}

fn whole_file(anchor: &Anchor, files: &impl AnchorFiles) -> Option<AnchoredItem> {
    let found = |state, path: &RepoPath| AnchoredItem {
        state,
        handle: None,
        path: path.clone(),
        symbol: None,
        lines: None,
    };
    if let Some(file) = files.file(&anchor.path) {
        let is_same = file.content == anchor.content;
        let state = if is_same {
            AnchorState::Same
        } else {
            AnchorState::Changed
        };
        return Some(found(state, &anchor.path));
    }
    match files.holding(anchor.content).as_slice() {
        [only] => Some(found(AnchorState::Moved, only)),
        _ => None,
    }
}

fn piece(anchor: &Anchor, handle: Handle, files: &impl AnchorFiles) -> Option<AnchoredItem> {
    if let Some(file) = files.file(&anchor.path) {
        let place = AnchorSearch {
            anchor,
            handle,
            file: &file,
            path: &anchor.path,
        };
        let found = place.by_identity().or_else(|| place.by_lines());
        if let Some(found) = found.or_else(|| place.by_content()) {
            return Some(found);
        }
    }
    // Another file: the renamed one, or the one that the code was moved to.
    let mut others = files.holding(anchor.content);
    if let Some((name, _)) = &anchor.symbol {
        others.extend(files.defining(name));
    }
    others.sort();
    others.dedup();
    let mut found: Vec<(usize, AnchoredItem)> = others
        .iter()
        .filter(|path| **path != anchor.path)
        .filter_map(|path| {
            let file = files.file(path)?;
            let place = AnchorSearch {
                anchor,
                handle,
                file: &file,
                path,
            };
            let found = place.by_name().or_else(|| place.by_content())?;
            let lines = found.lines?;
            let score = likeness(&anchor.digests, &cut(&file.digests, lines));
            Some((score, found))
        })
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
    // Two that are equally alike are copies: neither is said to be the one.
    match found.as_slice() {
        [(first, _), (second, _), ..] if first == second => None,
        [(_, best), ..] => Some(best.clone()),
        [] => None,
    }
}

/// A file in which an item is looked for.
struct AnchorSearch<'a> {
    anchor: &'a Anchor,
    handle: Handle,
    file: &'a FileNow,
    path: &'a RepoPath,
}

impl AnchorSearch<'_> {
    /// Finds the item in the file that it was in, by its handle or its name.
    fn by_identity(&self) -> Option<AnchoredItem> {
        let named = self.by_name();
        // A name that repeats is told apart by text first: the handle of a repeated one counts them.
        if named
            .as_ref()
            .is_some_and(|found| found.state != AnchorState::Changed)
        {
            return named;
        }
        let own = self.pieces().find(|piece| piece.handle == self.handle);
        own.map(|piece| self.found(piece)).or(named)
    }

    /// Finds the item by the name of its symbol: the one of the same text, else the most alike.
    fn by_name(&self) -> Option<AnchoredItem> {
        let wanted = self.anchor.symbol.as_ref()?;
        let mut same: Vec<&FilePiece> = self
            .pieces()
            .filter(|piece| piece.symbol.as_ref() == Some(wanted))
            .collect();
        if same.is_empty() && self.handle.kind == HandleKind::Chunk {
            return None;
        }
        let near = self.anchor.lines.map_or(0, |(from, _)| from);
        same.sort_by_key(|piece| {
            let score = likeness(&self.anchor.digests, &cut(&self.file.digests, piece.lines));
            (std::cmp::Reverse(score), piece.lines.0.abs_diff(near))
        });
        same.first().map(|piece| self.found(piece))
    }

    /// Finds the item at its old lines in a file whose bytes are unchanged. Its handle differs where another version
    /// of this program saved it.
    fn by_lines(&self) -> Option<AnchoredItem> {
        let is_it = |piece: &&FilePiece| {
            Some(piece.lines) == self.anchor.lines && piece.symbol == self.anchor.symbol
        };
        let is_same = self.file.content == self.anchor.content;
        let mut pieces = self.pieces().filter(is_it).filter(|_| is_same);
        let (Some(only), None) = (pieces.next(), pieces.next()) else {
            return None;
        };
        Some(self.found(only))
    }

    /// Finds the item by its text alone: the same lines, else a piece of the same kind that is much
    /// alike, as when it was renamed.
    fn by_content(&self) -> Option<AnchoredItem> {
        let wanted = &self.anchor.digests;
        if n_telling(wanted) < MIN_TELLING {
            return None;
        }
        let near = self.anchor.lines.map_or(0, |(from, _)| from);
        let at = self
            .file
            .digests
            .windows(wanted.len())
            .enumerate()
            .filter(|(_, window)| *window == wanted.as_slice())
            .map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX))
            .min_by_key(|line| line.abs_diff(near));
        if let Some(from) = at {
            let n_lines = self.anchor.lines.map_or(1, |(from, to)| to - from + 1);
            let lines = (from, from + n_lines - 1);
            let piece = self.pieces().find(|piece| piece.lines == lines);
            return Some(AnchoredItem {
                state: self.state(lines),
                handle: piece.map_or(Some(self.handle), |piece| Some(piece.handle)),
                path: self.path.clone(),
                symbol: piece.and_then(name).or_else(|| self.name_then()),
                lines: Some(lines),
            });
        }
        let kind = self.anchor.symbol.as_ref().map(|(_, kind)| kind);
        let (score, best) = self
            .pieces()
            .filter(|piece| piece.symbol.as_ref().map(|(_, kind)| kind) == kind)
            .map(|piece| {
                (
                    likeness(wanted, &cut(&self.file.digests, piece.lines)),
                    piece,
                )
            })
            .max_by_key(|(score, piece)| (*score, std::cmp::Reverse(piece.lines.0)))?;
        (score >= ALIKE).then(|| self.found(best))
    }

    fn pieces(&self) -> impl Iterator<Item = &FilePiece> {
        let kind = self.handle.kind;
        self.file
            .pieces
            .iter()
            .filter(move |piece| piece.handle.kind == kind)
    }

    fn found(&self, piece: &FilePiece) -> AnchoredItem {
        AnchoredItem {
            state: self.state(piece.lines),
            handle: Some(piece.handle),
            path: self.path.clone(),
            symbol: name(piece),
            lines: Some(piece.lines),
        }
    }

    fn state(&self, lines: (u32, u32)) -> AnchorState {
        let (from, to) = self.anchor.lines.unwrap_or_default();
        let n_lines = to.saturating_sub(from);
        let is_changed = cut(&self.file.digests, lines) != self.anchor.digests
            || lines.1 - lines.0 != n_lines
            || self
                .anchor
                .exact
                .is_some_and(|then| exact(&self.file.text, lines) != then);
        if is_changed {
            AnchorState::Changed
        } else if lines == (from, to) && *self.path == self.anchor.path {
            AnchorState::Same
        } else {
            AnchorState::Moved
        }
    }

    fn name_then(&self) -> Option<String> {
        self.anchor.symbol.as_ref().map(|(name, _)| name.clone())
    }
}

fn name(piece: &FilePiece) -> Option<String> {
    piece.symbol.as_ref().map(|(name, _)| name.clone())
}

fn between(digests: &[u64], (from, to): (u32, u32)) -> &[u64] {
    let end = (to as usize).min(digests.len());
    let start = (from as usize).saturating_sub(1).min(end);
    &digests[start..end]
}

fn digest(line: &str) -> u64 {
    let line = line.trim();
    if line.is_empty() {
        return 0;
    }
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(line.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// Returns how many different lines are not empty.
fn n_telling(digests: &[u64]) -> usize {
    let mut known: Vec<u64> = digests.iter().copied().filter(|hash| *hash != 0).collect();
    known.sort_unstable();
    known.dedup();
    known.len()
}

/// Returns how much two texts have in common, in hundredths: twice the lines of both, by the lines of
/// each. Empty lines say nothing.
fn likeness(a: &[u64], b: &[u64]) -> usize {
    let telling = |digests: &[u64]| digests.iter().filter(|hash| **hash != 0).count();
    let both = telling(a) + telling(b);
    if both == 0 {
        return 0;
    }
    let mut left: HashMap<u64, usize> = HashMap::new();
    for hash in a.iter().filter(|hash| **hash != 0) {
        *left.entry(*hash).or_default() += 1;
    }
    let common = b
        .iter()
        .filter(|hash| match left.get_mut(hash) {
            Some(n) if *n > 0 => {
                *n -= 1;
                true
            }
            _ => false,
        })
        .count();
    200 * common / both
}
