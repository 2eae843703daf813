//! One file from the disk to rows: read, judged, extracted, split into words, packed.
//!
//! Runs on many threads at once and touches no database.

use super::candidate::Candidate;
use crate::git::{FileRead, ReadError, Source};
use crate::ir::Extraction;
use crate::model::indexing_rules::{
    GENERATED_TEXT_BYTES, MINIFIED_TEXT_BYTES, is_secret_name, skip_reason,
};
use crate::model::{
    BlobId, Budget, Chunk, ContentId, FileId, FileStat, RepoPath, SkipReason, handles, secret,
};
use crate::resolve;
use crate::roles;
use crate::store::facts::{pack, pack_facts};
use crate::store::interface::{InterfaceFingerprint, exported_names};
use crate::store::{PreparedChunk, PreparedFile, StatRow, chunks, token};
use crate::syntax;

/// The result of reading a candidate.
#[derive(Debug)]
pub enum Prepared {
    /// Its rows.
    File(Box<PreparedFile>),
    /// The bytes are those indexed: only what was seen of the file is new.
    Same(FileId, SeenContent),
    /// It is not there any more, or is no regular file now.
    Gone,
    /// It changed while it was read, or the budget ended: it stays to be done.
    Left,
}

/// Tells later, without reading, whether a file still has the bytes that were indexed.
#[derive(Clone, Copy, Debug)]
pub struct SeenContent {
    /// The result of `lstat`; `None` for a file of a commit.
    pub stat: Option<StatRow>,
    /// Git's name of the bytes; `None` where they were not read.
    pub blob: Option<BlobId>,
}

impl SeenContent {
    /// Of a file that was not read, or not to its end: `proves_content` tells whether an equal stat proves something.
    fn unread(candidate: &Candidate, proves_content: bool) -> Self {
        let stat = candidate.stat;
        Self {
            stat: candidate.blob.is_none().then_some(StatRow {
                stat,
                proves_content,
            }),
            blob: candidate.blob,
        }
    }
}

/// Reads a file of at most `max_file_bytes` and makes its rows.
pub fn prepare(
    source: &Source,
    candidate: &Candidate,
    max_file_bytes: u64,
    budget: &Budget,
) -> Prepared {
    let path = &candidate.path;
    let left_out = |skip| {
        let seen = SeenContent::unread(candidate, true);
        Prepared::File(Box::new(empty(candidate, seen, skip)))
    };
    if is_secret_name(path) {
        return left_out(SkipReason::Secret);
    }
    let file = match source.read(path, max_file_bytes) {
        Ok(file) => file,
        Err(ReadError::TooLarge { .. }) => return left_out(SkipReason::TooLarge),
        Err(ReadError::NoBlob) => return left_out(SkipReason::MissingBlob),
        Err(ReadError::Missing | ReadError::NotAFile | ReadError::Outside) => {
            return Prepared::Gone;
        }
        Err(ReadError::Io(error)) => {
            tracing::debug!(%path, %error, "unreadable");
            // Whether it can be read does not show in its stat: it is tried again by every call.
            let seen = SeenContent::unread(candidate, false);
            return match &candidate.known {
                Some(known) if known.content == ContentId::of(&[]) && !candidate.is_forced => {
                    Prepared::Same(known.row, seen)
                }
                _ => Prepared::File(Box::new(empty(candidate, seen, SkipReason::Unreadable))),
            };
        }
    };
    if !file.stable {
        return Prepared::Left;
    }
    let seen = match candidate.blob {
        Some(blob) => SeenContent {
            stat: None,
            blob: Some(blob),
        },
        None => SeenContent {
            stat: Some(StatRow {
                stat: file.stat,
                proves_content: file.stat.proves_content(file.read_at_ns),
            }),
            blob: source.blob_id(&file.bytes),
        },
    };
    let content = ContentId::of(&file.bytes);
    if let Some(known) = &candidate.known
        && known.content == content
        && !candidate.is_forced
    {
        return Prepared::Same(known.row, seen);
    }
    match rows(candidate, &file, seen, content, budget) {
        Some(rows) => Prepared::File(Box::new(rows)),
        None => Prepared::Left,
    }
}

/// Makes the rows of a file whose bytes are known without the work tree; `None` where they are too many, which
/// only the work tree can tell. The row proves nothing of what is there.
pub fn of_bytes(
    path: &RepoPath,
    bytes: Vec<u8>,
    has_generated_attribute: bool,
    budget: &Budget,
) -> Option<PreparedFile> {
    let stat = FileStat {
        size_bytes: bytes.len() as u64,
        mtime_ns: 0,
        ctime_ns: 0,
        inode: 0,
    };
    let candidate = Candidate {
        path: path.clone(),
        stat,
        blob: None,
        has_generated_attribute,
        known: None,
        is_forced: true,
    };
    let seen = SeenContent {
        stat: None,
        blob: None,
    };
    if is_secret_name(path) {
        return Some(empty(&candidate, seen, SkipReason::Secret));
    }
    let content = ContentId::of(&bytes);
    let file = FileRead {
        bytes,
        stat,
        read_at_ns: 0,
        stable: true,
    };
    rows(&candidate, &file, seen, content, budget)
}

/// Returns the facts of a text, under the same rules as in an index: for a reader that has to find a place in a file
/// that changed since.
pub fn extract(
    path: &RepoPath,
    bytes: &[u8],
    has_generated_attribute: bool,
    budget: &Budget,
) -> Option<(String, Extraction, Option<SkipReason>)> {
    let language = syntax::by_path(path);
    let skip = skip_reason(path, bytes, has_generated_attribute, language.is_prose);
    if skip.is_some_and(|skip| !skip.keeps_text()) {
        return Some((String::new(), Extraction::default(), skip));
    }
    let (text, n_secrets) = secret::mask(replaced(bytes));
    let skip = skip.or((n_secrets > 0).then_some(SkipReason::Masked));
    let is_structured = skip != Some(SkipReason::Minified);
    let extraction = syntax::extract(language, &text, is_structured, budget)?;
    Some((text, extraction, skip))
}

fn rows(
    candidate: &Candidate,
    file: &FileRead,
    seen: SeenContent,
    content: ContentId,
    budget: &Budget,
) -> Option<PreparedFile> {
    let path = &candidate.path;
    let (text, extraction, skip) =
        extract(path, &file.bytes, candidate.has_generated_attribute, budget)?;
    let Extraction { mut facts, chunks } = extraction;
    let handles = handles::symbol_handles(path, &facts.symbols);
    let chunk_handles = handles::chunk_handles(path, &handles, &chunks, &text);
    let limit = match skip {
        Some(SkipReason::Minified) => MINIFIED_TEXT_BYTES,
        Some(SkipReason::Generated) => GENERATED_TEXT_BYTES,
        _ => usize::MAX,
    };
    let mut words_of_path = String::new();
    token::index_text(path.as_str(), &mut words_of_path);
    let chunks = chunks
        .into_iter()
        .zip(chunk_handles)
        .map(|(chunk, handle)| columns(&chunk, handle, &text, limit, &words_of_path))
        .collect();
    let imports = facts
        .imports
        .iter()
        .map(|import| {
            (
                import.specifier.clone(),
                import.kind,
                import.type_only,
                import.line,
            )
        })
        .collect();
    let has_facts = facts.has_errors
        || !(facts.symbols.is_empty()
            && facts.references.is_empty()
            && facts.imports.is_empty()
            && facts.exports.is_empty());
    let packed = has_facts.then(|| pack_facts(&mut facts));
    let units = resolve::units(path, &facts);
    let is_config = resolve::is_config(path) && skip.is_none_or(|skip| skip == SkipReason::Masked);
    let n_ends = text.bytes().filter(|byte| *byte == b'\n').count();
    let n_lines = n_ends + usize::from(!(text.is_empty() || text.ends_with('\n')));
    Some(PreparedFile {
        content,
        size_bytes: file.bytes.len() as u64,
        n_lines: u32::try_from(n_lines).unwrap_or(u32::MAX),
        chunks,
        imports,
        // Nobody was linked by a file that is new, unless it joins a unit.
        fingerprint: (packed.is_some() && (candidate.known.is_some() || !units.is_empty()))
            .then(|| InterfaceFingerprint::of(&facts, &handles)),
        units,
        facts: packed,
        exported_names: exported_names(&facts),
        symbols: handles.into_iter().zip(facts.symbols).collect(),
        suites: roles::kept(path, &text),
        config: is_config.then(|| pack(&resolve::kept(path, &file.bytes))),
        ..empty_with(candidate, seen, skip)
    })
}

fn empty(candidate: &Candidate, seen: SeenContent, skip: SkipReason) -> PreparedFile {
    empty_with(candidate, seen, Some(skip))
}

fn empty_with(candidate: &Candidate, seen: SeenContent, skip: Option<SkipReason>) -> PreparedFile {
    let language = syntax::by_path(&candidate.path).id;
    PreparedFile {
        size_bytes: candidate.stat.size_bytes,
        facts_version: syntax::row_version(&candidate.path),
        has_generated_attribute: candidate.has_generated_attribute,
        skip,
        stat: seen.stat,
        blob: seen.blob,
        ..PreparedFile::empty(candidate.path.clone(), language)
    }
}

fn columns(chunk: &Chunk, handle: u64, text: &str, limit: usize, path: &str) -> PreparedChunk {
    let (from, to) = (chunk.span.start_byte as usize, chunk.span.end_byte as usize);
    let mut columns: [String; 5] = Default::default();
    for name in &chunk.names {
        token::index_text(name, &mut columns[0]);
    }
    token::index_text(&chunk.signature, &mut columns[1]);
    token::index_text(&chunk.doc, &mut columns[2]);
    let body = text.get(from..to.min(limit).max(from)).unwrap_or_default();
    columns[3].reserve(body.len() + body.len() / 2);
    token::index_text(body, &mut columns[3]);
    path.clone_into(&mut columns[4]);
    PreparedChunk {
        handle,
        kind: chunk.kind,
        span: chunk.span,
        symbol: chunk.symbol,
        part: chunk.part,
        digest: chunks::digest(&columns),
        columns,
    }
}

/// Returns the text of a file as it is indexed and shown: keys and tokens are masked, and each byte that is not
/// UTF-8 becomes one `?`, so that offsets into the text are offsets into the file.
pub fn decode(bytes: &[u8]) -> String {
    secret::mask(replaced(bytes)).0
}

fn replaced(bytes: &[u8]) -> String {
    // Almost every file, at a tenth of the cost.
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(bytes.len());
    for piece in bytes.utf8_chunks() {
        out.push_str(piece.valid());
        out.extend(piece.invalid().iter().map(|_| '?'));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn broken_utf8_keeps_its_length() {
        let bytes = b"a\xff\xc3(b \xe2\x82z";
        let text = decode(bytes);
        assert_eq!(text.len(), bytes.len());
        assert_eq!(text, "a??(b ??z");
        assert_eq!(decode("ünï".as_bytes()), "ünï");
    }
}
