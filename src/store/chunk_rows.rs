//! Reads of chunks: by row, by handle, by file and line. Writing them is [`super::chunks`].
//!
//! The chunks of a file are one packed value. A question asks for many of one file, so those of the last files are kept unpacked as long as
//! a [`Read`] lives.

use std::collections::BTreeMap;
use std::rc::Rc;

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::files::{content, path};
use super::packed_chunks::{ChunkOwner, ChunkRun, StoredChunk, runs, unpack, unpack_runs};
use super::packed_numbers::damage;
use super::symbols::kind;
use super::{ErrorContext, Read, StoreResult};
use crate::model::handles::part_handle;
use crate::model::hash::{HashMap, HashSet};
use crate::model::{
    ChunkId, ChunkKind, ContentId, FileId, Handle, HandleKind, RepoPath, Span, SymbolKind,
};

/// A chunk with the file and the symbol that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkRow {
    /// The row, equal to the rowid of its text.
    pub id: ChunkId,
    /// Its handle.
    pub handle: Handle,
    /// Where it is.
    pub path: RepoPath,
    /// The bytes of that file that were indexed.
    pub content: ContentId,
    /// The language of that file.
    pub language: String,
    /// Whether that file is known as generated or minified.
    pub is_generated: bool,
    /// The kind.
    pub kind: ChunkKind,
    /// Where it is: whole lines.
    pub span: Span,
    /// Which part of its symbol.
    pub part: u32,
    /// The symbol it belongs to.
    pub symbol: Option<ChunkSymbol>,
}

/// Data of more lines was hardly written by a person.
const BULKY_LINES: u32 = 2_000;

/// The fields of a chunk that ranking needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkBrief {
    /// The row of its file.
    pub file: FileId,
    /// Where it is.
    pub path: String,
    /// The language of that file.
    pub language: String,
    /// Whether that file is known as generated or minified.
    pub is_generated: bool,
    /// Whether that file has more lines than a person writes of data.
    pub is_bulky: bool,
    /// The kind.
    pub kind: ChunkKind,
    /// Its first line.
    pub start_line: u32,
    /// The kind of its symbol, and whether another module can use it.
    pub symbol: Option<(SymbolKind, bool)>,
    /// The number of that symbol within its file, and how many lines it has.
    pub extent: Option<(u32, u32)>,
    /// The digest of its text: two files' chunks with one digest have the same words.
    pub digest: i64,
}

/// The symbol of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkSymbol {
    /// Its name with those around it.
    pub qualified_name: String,
    /// The kind.
    pub kind: SymbolKind,
    /// Whether another module can use it.
    pub exported: bool,
    /// Its first line.
    pub start_line: u32,
    /// The definition without its body.
    pub signature: String,
}

/// A file with its chunks, unpacked.
#[derive(Debug)]
pub(super) struct ChunkFile {
    /// The row.
    pub(super) id: FileId,
    /// Where it is.
    pub(super) path: RepoPath,
    /// Its chunks, in order.
    pub(super) chunks: Vec<StoredChunk>,
    content: ContentId,
    language: String,
    is_generated: bool,
    is_bulky: bool,
}

/// The columns that [`ChunkFile::of`] reads.
const CHUNK_FILE: &str = "SELECT f.id, f.path, f.content, f.language, f.skip, f.lines, c.packed FROM chunk c JOIN file f ON f.id = c.file";

impl ChunkFile {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            path: path(row, 1)?,
            content: content(row, 2)?,
            language: row.get(3)?,
            is_generated: row.get::<_, Option<u8>>(4)?.is_some(),
            is_bulky: row.get::<_, u32>(5)? > BULKY_LINES,
            chunks: chunks_in(row, 6)?,
        })
    }

    /// Returns the handle of one of its chunks; `symbol` returns the hash of a symbol's handle. `None` where there is no such symbol.
    pub(super) fn handle(
        &self,
        chunk: &StoredChunk,
        symbol: impl FnOnce(u32) -> Option<u64>,
    ) -> Option<Handle> {
        match chunk.owner {
            ChunkOwner::Symbol(at) => Some(part_handle(&self.path, symbol(at)?, chunk.part)),
            ChunkOwner::Nobody(bits) => {
                let of_file = Handle::file_bits_of(&self.path);
                Some(Handle::of_bits(HandleKind::Chunk, of_file, bits))
            }
        }
    }
}

/// Returns the chunks that a column of a row holds.
pub(super) fn chunks_in(row: &Row<'_>, at: usize) -> rusqlite::Result<Vec<StoredChunk>> {
    unpack(row.get_ref(at)?.as_blob()?).ok_or_else(corrupt)
}

fn corrupt() -> rusqlite::Error {
    damage("chunks that cannot be unpacked")
}

/// Returns the chunks of a file, in order.
pub(super) fn stored_chunks(
    connection: &Connection,
    file: FileId,
) -> rusqlite::Result<Vec<StoredChunk>> {
    let found = connection
        .prepare_cached("SELECT packed FROM chunk WHERE file = ?1")?
        .query_row([file], |row| chunks_in(row, 0))
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// Returns the runs of ids of the chunks of a file.
pub(super) fn runs_of(connection: &Connection, file: FileId) -> rusqlite::Result<Vec<ChunkRun>> {
    let found = connection
        .prepare_cached("SELECT packed FROM chunk WHERE file = ?1")?
        .query_row([file], |row| {
            unpack_runs(row.get_ref(0)?.as_blob()?).ok_or_else(corrupt)
        })
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// Files whose chunks were unpacked.
#[derive(Debug, Default)]
pub(super) struct ChunkFiles {
    files: HashMap<FileId, Rc<ChunkFile>>,
    /// For the first id of each run its file, and the place of that chunk there.
    runs: BTreeMap<i64, (Rc<ChunkFile>, usize)>,
    n_chunks: usize,
}

/// Chunks that are kept: 56 bytes each.
const MAX_KEPT_CHUNKS: usize = 60_000;

impl ChunkFiles {
    fn add(&mut self, file: &Rc<ChunkFile>) {
        if self.n_chunks + file.chunks.len() > MAX_KEPT_CHUNKS {
            *self = Self::default();
        }
        self.n_chunks += file.chunks.len();
        let mut at = 0;
        for (first, n) in runs(&file.chunks) {
            self.runs.insert(first, (Rc::clone(file), at));
            at += n as usize;
        }
        self.files.insert(file.id, Rc::clone(file));
    }

    fn find(&self, id: ChunkId) -> Option<(Rc<ChunkFile>, StoredChunk)> {
        let (first, (file, at)) = self.runs.range(..=id.row()).next_back()?;
        let step = usize::try_from(id.row() - first).ok()?;
        let chunk = file.chunks.get(at.checked_add(step)?)?;
        (chunk.id == id).then(|| (Rc::clone(file), *chunk))
    }
}

impl Read<'_> {
    /// Returns the chunk of a handle; `None` if no chunk of this index has it. Goes through the chunks of the file
    /// that the handle is of.
    pub fn chunk_by_handle(&self, handle: Handle) -> StoreResult<Option<ChunkRow>> {
        for file in self.files_of(handle)? {
            let Some(file) = self.chunk_file(file)? else {
                continue;
            };
            let symbols = self.symbol_handles(file.id)?;
            let has_it = |chunk: &&StoredChunk| {
                let of_symbol = |at: u32| symbols.get(at as usize).copied();
                file.handle(chunk, of_symbol) == Some(handle)
            };
            if let Some(chunk) = file.chunks.iter().find(has_it) {
                return self.chunk_row(&file, chunk).map(Some);
            }
        }
        Ok(None)
    }

    /// Returns the chunk of a row; `None` if there is none.
    pub fn chunk(&self, id: ChunkId) -> StoreResult<Option<ChunkRow>> {
        let found = self.stored_chunk(id)?;
        found
            .map(|(file, chunk)| self.chunk_row(&file, &chunk))
            .transpose()
    }

    fn chunk_row(&self, file: &ChunkFile, chunk: &StoredChunk) -> StoreResult<ChunkRow> {
        let mut of_symbol = None;
        let symbol = self.owner(
            file,
            chunk,
            "SELECT qualified, kind, exported, start_line, signature, handle FROM symbol WHERE file = ?1 AND ordinal = ?2",
            |row| {
                of_symbol = Some(row.get::<_, i64>(5)?.cast_unsigned());
                Ok(ChunkSymbol {
                    qualified_name: row.get(0)?,
                    kind: kind(row, 1)?,
                    exported: row.get(2)?,
                    start_line: row.get(3)?,
                    signature: row.get(4)?,
                })
            },
        )?;
        let handle = file.handle(chunk, |_| of_symbol);
        Ok(ChunkRow {
            id: chunk.id,
            handle: handle.ok_or_else(corrupt).context("reading a chunk")?,
            path: file.path.clone(),
            content: file.content,
            language: file.language.clone(),
            is_generated: file.is_generated,
            kind: chunk.kind,
            span: chunk.span,
            part: chunk.part,
            symbol,
        })
    }

    /// Returns the fields of a chunk that ranking needs; `None` if there is no such row. Costs a third of
    /// [`Read::chunk`].
    pub fn chunk_brief(&self, id: ChunkId) -> StoreResult<Option<ChunkBrief>> {
        let Some((file, chunk)) = self.stored_chunk(id)? else {
            return Ok(None);
        };
        let symbol = self.owner(
            &file,
            &chunk,
            "SELECT ordinal, kind, exported, end_line - start_line + 1 FROM symbol WHERE file = ?1 AND ordinal = ?2",
            |row| {
                let extent = (row.get(0)?, row.get(3)?);
                Ok(((kind(row, 1)?, row.get(2)?), extent))
            },
        )?;
        let (symbol, extent) = symbol.unzip();
        Ok(Some(ChunkBrief {
            file: file.id,
            path: file.path.as_str().to_owned(),
            language: file.language.clone(),
            is_generated: file.is_generated,
            is_bulky: file.is_bulky,
            kind: chunk.kind,
            start_line: chunk.span.start_line,
            symbol,
            extent,
            digest: chunk.digest,
        }))
    }

    /// Returns the name of the symbol that a chunk belongs to.
    pub fn symbol_of_chunk(&self, id: ChunkId) -> StoreResult<Option<String>> {
        let Some((file, chunk)) = self.stored_chunk(id)? else {
            return Ok(None);
        };
        let name = "SELECT name FROM symbol WHERE file = ?1 AND ordinal = ?2";
        self.owner(&file, &chunk, name, |row| row.get(0))
    }

    /// Returns the row of the chunk of a file that holds a line; `None` beyond its end.
    pub fn chunk_at(&self, path: &str, line: u32) -> StoreResult<Option<ChunkId>> {
        let file: Option<FileId> = self
            .tx
            .prepare_cached("SELECT id FROM file WHERE path = ?1")
            .and_then(|mut statement| statement.query_row([path], |row| row.get(0)).optional())
            .context("finding the chunk of a line")?;
        let file = file
            .map(|file| self.chunk_file(file))
            .transpose()?
            .flatten();
        let holds =
            |chunk: &&StoredChunk| (chunk.span.start_line..=chunk.span.end_line).contains(&line);
        Ok(file.and_then(|file| file.chunks.iter().find(holds).map(|chunk| chunk.id)))
    }

    /// Returns the rows of the chunks of some files.
    pub fn chunks_of(&self, files: &[FileId]) -> StoreResult<HashSet<ChunkId>> {
        let mut found = HashSet::default();
        for file in files {
            let runs = runs_of(&self.tx, *file).context("reading the chunks of a file")?;
            let ids = runs
                .into_iter()
                .flat_map(|(first, n)| first..first + i64::from(n));
            found.extend(ids.map(ChunkId::new));
        }
        Ok(found)
    }

    /// Calls `on_file` with each file that has chunks, by path, and with their handles. One pass over the chunks and the symbols.
    pub(super) fn each_chunk_file(
        &self,
        mut on_file: impl FnMut(&ChunkFile, &[Handle]),
    ) -> StoreResult<()> {
        let mut statement = self
            .tx
            .prepare(&format!("{CHUNK_FILE} ORDER BY f.path"))
            .context("reading chunks")?;
        let mut rows = statement.query([]).context("reading chunks")?;
        while let Some(row) = rows.next().context("reading chunks")? {
            let file = ChunkFile::of(row).context("reading chunks")?;
            let symbols = self.symbol_handles(file.id)?;
            let of_symbol = |at: u32| symbols.get(at as usize).copied();
            let handles = file.chunks.iter().map(|it| file.handle(it, of_symbol));
            let handles: Option<Vec<Handle>> = handles.collect();
            let handles = handles.ok_or_else(corrupt).context("reading chunks")?;
            on_file(&file, &handles);
        }
        Ok(())
    }

    /// Returns a row of the symbol of a chunk; `None` where it has none.
    fn owner<T>(
        &self,
        file: &ChunkFile,
        chunk: &StoredChunk,
        query: &str,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> StoreResult<Option<T>> {
        let ChunkOwner::Symbol(ordinal) = chunk.owner else {
            return Ok(None);
        };
        self.tx
            .prepare_cached(query)
            .and_then(|mut statement| statement.query_row((file.id, ordinal), read).optional())
            .context("reading the symbol of a chunk")
    }

    fn stored_chunk(&self, id: ChunkId) -> StoreResult<Option<(Rc<ChunkFile>, StoredChunk)>> {
        let find = || self.chunk_files.borrow().find(id);
        if let Some(found) = find() {
            return Ok(Some(found));
        }
        let file: Option<FileId> = self
            .tx
            .prepare_cached(
                "SELECT file FROM chunk_run WHERE first <= ?1 ORDER BY first DESC LIMIT 1",
            )
            .and_then(|mut statement| statement.query_row([id], |row| row.get(0)).optional())
            .context("finding the file of a chunk")?;
        if let Some(file) = file {
            self.chunk_file(file)?;
        }
        Ok(find())
    }

    /// Returns a file with its chunks; `None` where it has none.
    fn chunk_file(&self, file: FileId) -> StoreResult<Option<Rc<ChunkFile>>> {
        if let Some(known) = self.chunk_files.borrow().files.get(&file) {
            return Ok(Some(Rc::clone(known)));
        }
        let found = self
            .tx
            .prepare_cached(&format!("{CHUNK_FILE} WHERE c.file = ?1"))
            .and_then(|mut statement| statement.query_row([file], ChunkFile::of).optional())
            .context("reading the chunks of a file")?
            .map(Rc::new);
        if let Some(file) = &found {
            self.chunk_files.borrow_mut().add(file);
        }
        Ok(found)
    }
}
