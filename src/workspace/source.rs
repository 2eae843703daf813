//! Text from the disk: a file as it is now, and the place where a handle's code is now.
//!
//! Nothing here comes from the index but the path behind a handle.

use std::sync::Arc;

use super::view::{missing, outside, reason_in_words, why_absent, why_unread};
use super::{Question, Revision, View, Workspace};
use crate::error::{Code, Error, Result};
use crate::git::{ReadError, Repo};
use crate::model::indexing_rules::{MAX_FILE_BYTES, is_secret_name};
use crate::model::{
    Budget, Chunk, ChunkKind, ContentId, Handle, HandleKind, RepoPath, SkipReason, handles,
    indexing_rules,
};
use crate::reconcile::prepare;

/// The largest file that is read for a person or an agent, in bytes.
const MAX_READ_BYTES: u64 = 64 << 20;

/// A file, or some lines of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRange {
    /// The file.
    pub path: RepoPath,
    /// First and last line, from 1; `None` for the whole file.
    pub lines: Option<(u32, u32)>,
}

/// A file's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileText {
    /// The text; bytes that are not UTF-8 are U+FFFD.
    pub text: String,
    /// How many bytes those were.
    pub n_invalid: u64,
}

/// A piece of a file as an index has it: a definition or a part of one, or lines between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkPlace {
    /// Names it as long as its code stays.
    pub handle: Handle,
    /// The kind of its content.
    pub kind: ChunkKind,
    /// First and last line, from 1.
    pub lines: (u32, u32),
    /// The definition that it is, or a part of.
    pub symbol: Option<String>,
}

impl FileRange {
    /// Returns a whole file by the path that a caller gives.
    ///
    /// # Errors
    /// `outside_repo` for an absolute path or one with `..`.
    pub fn whole(path: &str) -> Result<Self> {
        let path = RepoPath::normalise(path).ok_or_else(|| outside(path))?;
        Ok(Self { path, lines: None })
    }
}

fn not_a_file(path: &RepoPath) -> Error {
    Error::new(
        Code::PathNotFound,
        format!("`{path}` is a directory or a special file, not a file with text"),
        "`codelens map` (cl_map) outlines what is in a directory",
    )
}

impl Workspace {
    /// Reads a file as [`Self::bytes`] does, as text.
    pub fn text(&self, path: &RepoPath, revision: Option<&Revision>) -> Result<FileText> {
        let bytes = self.bytes(path, revision)?;
        let n_invalid = bytes
            .utf8_chunks()
            .map(|piece| piece.invalid().len() as u64)
            .sum();
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(broken) => String::from_utf8_lossy(broken.as_bytes()).into_owned(),
        };
        Ok(FileText { text, n_invalid })
    }

    /// Reads a file of the work tree as it is now, ignored ones included, secrets not. A file that is missing, or was
    /// written a moment ago, while git changes the work tree may be half of a checkout: it is read again when git is
    /// done, or when half of the call's budget has gone by.
    pub fn bytes(&self, path: &RepoPath, revision: Option<&Revision>) -> Result<Vec<u8>> {
        let repo = self.repo_at(revision)?;
        if repo.source().is_commit() {
            return bytes_now(&repo, path).map(|(bytes, _)| bytes);
        }
        // A repository in an unknown state can be read all the same.
        let before = repo.repo_state().ok();
        let read = bytes_now(&repo, path);
        let is_doubtful = match &read {
            Ok((_, proves_content)) => !proves_content,
            Err(error) => error.code == Code::PathNotFound,
        };
        let is_still = || {
            let is_locked = before.as_ref().is_some_and(|now| now.locked);
            !is_locked && repo.repo_state().ok() == before
        };
        if !is_doubtful || is_still() {
            return read.map(|(bytes, _)| bytes);
        }
        let budget = Budget::within(self.budget, Arc::default());
        self.when_git_is_done(&repo, true, &budget)?;
        bytes_now(&repo, path).map(|(bytes, _)| bytes)
    }

    /// Returns the pieces that an index of these bytes has, in order: they cover each line once.
    ///
    /// # Errors
    /// `cancelled`.
    pub fn pieces(
        &self,
        path: &RepoPath,
        bytes: &[u8],
        budget: &Budget,
    ) -> Result<Vec<ChunkPlace>> {
        let Some((text, extraction, _)) = prepare::extract(path, bytes, false, budget) else {
            return Err(Error::cancelled());
        };
        let symbols = &extraction.facts.symbols;
        let of_symbols = handles::symbol_handles(path, symbols);
        let hashes = handles::chunk_handles(path, &of_symbols, &extraction.chunks, &text);
        let piece = |(chunk, hash): (&Chunk, u64)| ChunkPlace {
            handle: Handle {
                kind: HandleKind::Chunk,
                hash,
            },
            kind: chunk.kind,
            lines: (chunk.span.start_line, chunk.span.end_line),
            symbol: chunk
                .symbol
                .and_then(|at| Some(symbols.get(at as usize)?.qualified_name.clone())),
        };
        Ok(extraction.chunks.iter().zip(hashes).map(piece).collect())
    }

    /// Returns whether a file of that name is in the work tree.
    pub fn has_file(&self, path: &RepoPath, revision: Option<&Revision>) -> Result<bool> {
        Ok(self.repo_at(revision)?.source().resolve(path).is_ok())
    }

    /// Returns where the code of a handle is now; `None` if it is in no file of the index. Reads the
    /// file again if it changed since it was indexed.
    pub fn locate<'q>(
        self: &Arc<Self>,
        handle: Handle,
        question: impl Into<Question<'q>>,
    ) -> Result<Option<FileRange>> {
        self.query(question, |view| match locate(view, handle)? {
            None if view.freshness.as_str() != "fresh" => Err(Error::new(
                Code::IndexBusy,
                "the index is not complete yet: the handle may be of a file that is still to come",
                "run cl_refresh (`codelens refresh`), then call again",
            )),
            found => Ok(found),
        })
    }
}

/// Returns the bytes of a file, and whether it was written longer ago than the tick of any clock.
fn bytes_now(repo: &Repo, path: &RepoPath) -> Result<(Vec<u8>, bool)> {
    let refused = |reason: SkipReason| {
        Error::new(
            Code::NotIndexed,
            format!(
                "`{path}` is not shown: {}",
                reason_in_words(reason.as_str())
            ),
            why_unread(reason.as_str()).unwrap_or("read it by other means if you must"),
        )
    };
    let source = repo.source();
    let real = match source.resolve(path) {
        Ok(real) => real,
        Err(ReadError::Outside) => return Err(outside(path)),
        Err(ReadError::NotAFile) => return Err(not_a_file(path)),
        Err(_) => return Err(missing(path)),
    };
    if is_secret_name(path) || is_secret_name(&real) {
        return Err(refused(SkipReason::Secret));
    }
    let read = || {
        source
            .read(&real, MAX_READ_BYTES)
            .map_err(|error| match error {
                ReadError::Outside => outside(path),
                ReadError::TooLarge { .. } => refused(SkipReason::TooLarge),
                ReadError::Io(_) => refused(SkipReason::Unreadable),
                ReadError::NoBlob => refused(SkipReason::MissingBlob),
                ReadError::NotAFile => not_a_file(path),
                ReadError::Missing => missing(path),
            })
    };
    let mut file = read()?;
    if !file.stable {
        // Somebody wrote while it was read.
        file = read()?;
    }
    let proves_content = file.stat.proves_content(file.read_at_ns);
    if let Some(reason @ (SkipReason::Binary | SkipReason::Secret)) =
        indexing_rules::skip_reason(&real, &file.bytes, false, true)
    {
        return Err(refused(reason));
    }
    Ok((file.bytes, proves_content))
}

fn locate(view: &View<'_>, handle: Handle) -> Result<Option<FileRange>> {
    let known = match handle.kind {
        HandleKind::Symbol => view.read.symbol_by_handle(handle)?.map(|symbol| {
            let lines = (symbol.span.start_line, symbol.span.end_line);
            (symbol.path, lines)
        }),
        HandleKind::Chunk => view
            .read
            .chunk_by_handle(handle)?
            .map(|chunk| (chunk.path, (chunk.span.start_line, chunk.span.end_line))),
    };
    let Some((path, lines)) = known else {
        return Ok(None);
    };
    let Some(row) = view.read.file(path.as_str())? else {
        return Ok(None);
    };
    let Ok(file) = view.repo.source().read(&path, MAX_FILE_BYTES) else {
        return Err(why_absent(view.repo, &path));
    };
    if ContentId::of(&file.bytes) == row.content {
        return Ok(Some(FileRange {
            path,
            lines: Some(lines),
        }));
    }
    let budget = Budget::unlimited(view.budget.interrupt());
    let Some((text, extraction, _)) = prepare::extract(&path, &file.bytes, false, &budget) else {
        return Err(Error::cancelled());
    };
    let symbols = handles::symbol_handles(&path, &extraction.facts.symbols);
    let span = match handle.kind {
        HandleKind::Symbol => symbols
            .iter()
            .position(|hash| *hash == handle.hash)
            .map(|at| extraction.facts.symbols[at].span),
        HandleKind::Chunk => handles::chunk_handles(&path, &symbols, &extraction.chunks, &text)
            .iter()
            .position(|hash| *hash == handle.hash)
            .map(|at| extraction.chunks[at].span),
    };
    Ok(span.map(|span| FileRange {
        path,
        lines: Some((span.start_line, span.end_line)),
    }))
}
