//! Reads of symbols and chunks: by file, by name, by handle, by row.

use rusqlite::{OptionalExtension as _, Row};

use super::files::{content, damaged, path};
use super::{ErrorContext, Read, StoreResult};
use crate::model::hash::{HashMap, HashSet};
use crate::model::{
    ChunkId, ChunkKind, ContentId, FileId, Handle, HandleKind, RepoPath, Span, SymbolId, SymbolKind,
};

/// A symbol as answers show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolRow {
    /// The row.
    pub id: SymbolId,
    /// Where it is.
    pub path: RepoPath,
    /// Its place among the symbols of its file, from 0.
    pub ordinal: u32,
    /// Its handle.
    pub handle: Handle,
    /// Its own name.
    pub name: String,
    /// Its name with those around it.
    pub qualified_name: String,
    /// The kind.
    pub kind: SymbolKind,
    /// Whether another module can use it.
    pub exported: bool,
    /// The place of the symbol around it.
    pub parent: Option<u32>,
    /// The definition.
    pub span: Span,
    /// Line of its name.
    pub name_line: u32,
    /// The definition without its body.
    pub signature: String,
}

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

const SYMBOL: &str =
    "SELECT f.path, s.ordinal, s.handle, s.name, s.qualified, s.kind, s.exported, s.parent,
    s.start_byte, s.end_byte, s.start_line, s.end_line, s.name_line, s.signature, s.id
    FROM symbol s JOIN file f ON f.id = s.file ";

const CHUNK: &str = "SELECT c.id, c.handle, f.path, f.content, f.language, f.skip, c.kind,
    c.start_byte, c.end_byte, c.start_line, c.end_line, c.part,
    s.qualified, s.kind, s.exported, s.start_line, s.signature
    FROM chunk c JOIN file f ON f.id = c.file LEFT JOIN symbol s ON s.file = c.file AND s.ordinal = c.symbol ";

impl Read<'_> {
    /// Returns the symbols of a file, in source order.
    pub fn symbols_of(&self, file: FileId) -> StoreResult<Vec<SymbolRow>> {
        self.symbols("WHERE s.file = ?1 ORDER BY s.ordinal", [file])
    }

    /// Returns the rows of the symbols that pass a test of their file, name and kind, each with its file and its place
    /// there. One pass over the symbols.
    pub fn symbols_that(
        &self,
        fits: impl Fn(FileId, &str, SymbolKind) -> bool,
    ) -> StoreResult<Vec<(FileId, u32, SymbolId)>> {
        let found = (|| {
            let mut statement = self
                .tx
                .prepare_cached("SELECT file, ordinal, id, name, kind FROM symbol")?;
            let mut rows = statement.query([])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let Some(kind) = SymbolKind::from_code(row.get(4)?) else {
                    continue;
                };
                let file: FileId = row.get(0)?;
                if fits(file, row.get_ref(3)?.as_str()?, kind) {
                    found.push((file, row.get(1)?, row.get(2)?));
                }
            }
            Ok(found)
        })();
        found.context("reading symbols")
    }

    /// Returns the symbols whose normal form (see [`super::token::normal_form`]) is `norm`, by path
    /// and line.
    pub fn symbols_named(&self, norm: &str) -> StoreResult<Vec<SymbolRow>> {
        self.symbols("WHERE s.norm = ?1 ORDER BY f.path, s.ordinal", [norm])
    }

    /// Returns the first `at_most` of [`Self::symbols_named`] in the case of `name`, then the first in another case.
    /// Where thousands have the name it costs half of reading them all.
    pub fn first_named(
        &self,
        norm: &str,
        name: &str,
        at_most: usize,
    ) -> StoreResult<[Vec<SymbolRow>; 2]> {
        let files = self.file_rows()?;
        let ranks: HashMap<FileId, usize> = files
            .iter()
            .enumerate()
            .map(|(rank, row)| (row.id, rank))
            .collect();
        let mut found: [Vec<(usize, u32, SymbolId)>; 2] = Default::default();
        self.tx
            .prepare_cached("SELECT id, file, ordinal, name FROM symbol WHERE norm = ?1")
            .and_then(|mut statement| {
                let mut rows = statement.query([norm])?;
                while let Some(row) = rows.next()? {
                    let Some(rank) = ranks.get(&row.get(1)?) else {
                        continue;
                    };
                    let is_other = row.get_ref(3)?.as_str()? != name;
                    found[usize::from(is_other)].push((*rank, row.get(2)?, row.get(0)?));
                }
                Ok(())
            })
            .context("reading names")?;
        let [same, other] = found.map(|mut places| {
            places.sort_unstable();
            let first = places.into_iter().take(at_most);
            let rows = first.map(|(_, _, id)| self.symbol_by_id(id));
            rows.filter_map(Result::transpose)
                .collect::<StoreResult<Vec<SymbolRow>>>()
        });
        Ok([same?, other?])
    }

    /// Returns those of [`Self::symbols_named`] whose qualified name is wanted. Where few are it costs less than a third.
    pub fn symbols_qualified(
        &self,
        norm: &str,
        is_wanted: impl Fn(&str) -> bool,
    ) -> StoreResult<Vec<SymbolRow>> {
        let mut rows: Vec<SymbolId> = Vec::new();
        self.tx
            .prepare_cached("SELECT id, qualified FROM symbol WHERE norm = ?1")
            .and_then(|mut statement| {
                let mut named = statement.query([norm])?;
                while let Some(row) = named.next()? {
                    if is_wanted(row.get_ref(1)?.as_str()?) {
                        rows.push(row.get(0)?);
                    }
                }
                Ok(())
            })
            .context("reading names")?;
        let found: StoreResult<Vec<_>> = rows.into_iter().map(|id| self.symbol_by_id(id)).collect();
        let mut found: Vec<SymbolRow> = found?.into_iter().flatten().collect();
        found.sort_by(|a, b| (&a.path, a.ordinal).cmp(&(&b.path, b.ordinal)));
        Ok(found)
    }

    /// Returns how many symbols have this normal form, counting no further than `at_most`.
    pub fn n_named(&self, norm: &str, at_most: usize) -> StoreResult<u32> {
        self.tx
            .prepare_cached("SELECT count(*) FROM (SELECT 1 FROM symbol WHERE norm = ?1 LIMIT ?2)")
            .and_then(|mut statement| {
                statement.query_row((norm, super::text::limit(at_most)), |row| row.get(0))
            })
            .context("counting symbols")
    }

    /// Returns the symbol of a handle; `None` if no symbol of this index has it. Goes through the symbols of the
    /// file that the handle is of.
    pub fn symbol_by_handle(&self, handle: Handle) -> StoreResult<Option<SymbolRow>> {
        for file in self.files_of(handle)? {
            let found = self.symbols_of(file)?;
            if let Some(symbol) = found.into_iter().find(|symbol| symbol.handle == handle) {
                return Ok(Some(symbol));
            }
        }
        Ok(None)
    }

    /// Returns a symbol and the file it is in, by its row.
    pub fn symbol_by_id(&self, id: SymbolId) -> StoreResult<Option<SymbolRow>> {
        Ok(self.symbols("WHERE s.id = ?1", [id])?.into_iter().next())
    }

    /// Returns the kind of a symbol, by its row.
    pub fn kind_of(&self, id: SymbolId) -> StoreResult<Option<SymbolKind>> {
        let kind: Option<u8> = self
            .tx
            .prepare_cached("SELECT kind FROM symbol WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([id], |row| row.get(0)).optional())
            .context("reading what a definition is")?;
        Ok(kind.and_then(SymbolKind::from_code))
    }

    /// Returns the signature of a symbol, by its row.
    pub fn signature_of(&self, id: SymbolId) -> StoreResult<Option<String>> {
        self.tx
            .prepare_cached("SELECT signature FROM symbol WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([id], |row| row.get(0)).optional())
            .context("reading a signature")
    }

    /// Returns the chunk of a handle; `None` if no chunk of this index has it. Goes through the chunks of the file
    /// that the handle is of.
    pub fn chunk_by_handle(&self, handle: Handle) -> StoreResult<Option<ChunkRow>> {
        for file in self.files_of(handle)? {
            let found = self
                .tx
                .prepare_cached(&format!(
                    "{CHUNK} WHERE c.file = ?1 AND c.handle = ?2 ORDER BY c.ordinal LIMIT 1"
                ))
                .and_then(|mut statement| {
                    let key = (file, handle.hash.cast_signed());
                    statement.query_row(key, chunk).optional()
                })
                .context("reading a chunk by its handle")?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Returns the rows of the files that a handle may be of, by path: one, and seldom one more.
    fn files_of(&self, handle: Handle) -> StoreResult<Vec<FileId>> {
        let rows = self.file_rows()?;
        let files = rows
            .iter()
            .filter(|row| Handle::file_bits_of(&row.path) == handle.file_bits());
        Ok(files.map(|row| row.id).collect())
    }

    /// Returns the chunk of a row; `None` if there is none.
    pub fn chunk(&self, id: ChunkId) -> StoreResult<Option<ChunkRow>> {
        self.tx
            .prepare_cached(&format!("{CHUNK} WHERE c.id = ?1"))
            .and_then(|mut statement| statement.query_row([id], chunk).optional())
            .context("reading a chunk")
    }

    /// Returns the fields of a chunk that ranking needs; `None` if there is no such row. Costs a third of
    /// [`Read::chunk`].
    pub fn chunk_brief(&self, id: ChunkId) -> StoreResult<Option<ChunkBrief>> {
        self.tx
            .prepare_cached(
                "SELECT f.id, f.path, f.language, f.skip, c.kind, c.start_line, s.kind, s.exported,
                   c.symbol, s.end_line - s.start_line + 1, c.digest, f.lines
                 FROM chunk c JOIN file f ON f.id = c.file LEFT JOIN symbol s ON s.file = c.file AND s.ordinal = c.symbol
                 WHERE c.id = ?1",
            )
            .and_then(|mut statement| statement.query_row([id], chunk_brief).optional())
            .context("reading a chunk")
    }

    /// Returns the name of the symbol that a chunk belongs to.
    pub fn symbol_of_chunk(&self, id: ChunkId) -> StoreResult<Option<String>> {
        self.tx
            .prepare_cached(
                "SELECT s.name FROM chunk c JOIN symbol s ON s.file = c.file AND s.ordinal = c.symbol WHERE c.id = ?1",
            )
            .and_then(|mut statement| statement.query_row([id], |row| row.get(0)).optional())
            .context("reading the symbol of a chunk")
    }

    /// Returns the row of the chunk of a file that holds a line; `None` beyond its end.
    pub fn chunk_at(&self, path: &str, line: u32) -> StoreResult<Option<ChunkId>> {
        self.tx
            .prepare_cached(
                "SELECT c.id FROM chunk c JOIN file f ON f.id = c.file
                 WHERE f.path = ?1 AND c.start_line <= ?2 AND c.end_line >= ?2 ORDER BY c.ordinal LIMIT 1",
            )
            .and_then(|mut statement| statement.query_row((path, line), |row| row.get(0)).optional())
            .context("finding the chunk of a line")
    }

    /// Returns the rows of the chunks of some files.
    pub fn chunks_of(&self, files: &[FileId]) -> StoreResult<HashSet<ChunkId>> {
        let mut found = HashSet::default();
        let mut statement = self
            .tx
            .prepare_cached("SELECT id FROM chunk WHERE file = ?1")
            .context("reading the chunks of a file")?;
        for file in files {
            let rows = statement
                .query_map([file], |row| row.get(0))
                .context("reading the chunks of a file")?;
            for row in rows {
                found.insert(row.context("reading the chunks of a file")?);
            }
        }
        Ok(found)
    }

    fn symbols(&self, clause: &str, values: impl rusqlite::Params) -> StoreResult<Vec<SymbolRow>> {
        self.tx
            .prepare_cached(&format!("{SYMBOL}{clause}"))
            .and_then(|mut statement| statement.query_map(values, symbol)?.collect())
            .context("reading symbols")
    }
}

fn symbol(row: &Row<'_>) -> rusqlite::Result<SymbolRow> {
    Ok(SymbolRow {
        id: row.get(14)?,
        path: path(row, 0)?,
        ordinal: row.get(1)?,
        handle: handle(row, 2, HandleKind::Symbol)?,
        name: row.get(3)?,
        qualified_name: row.get(4)?,
        kind: kind(row, 5)?,
        exported: row.get(6)?,
        parent: row.get(7)?,
        span: span(row, 8)?,
        name_line: row.get(12)?,
        signature: row.get(13)?,
    })
}

fn chunk(row: &Row<'_>) -> rusqlite::Result<ChunkRow> {
    let symbol = match row.get::<_, Option<String>>(12)? {
        None => None,
        Some(qualified_name) => Some(ChunkSymbol {
            qualified_name,
            kind: kind(row, 13)?,
            exported: row.get(14)?,
            start_line: row.get(15)?,
            signature: row.get(16)?,
        }),
    };
    Ok(ChunkRow {
        id: row.get(0)?,
        handle: handle(row, 1, HandleKind::Chunk)?,
        path: path(row, 2)?,
        content: content(row, 3)?,
        language: row.get(4)?,
        is_generated: row.get::<_, Option<u8>>(5)?.is_some(),
        kind: ChunkKind::from_code(row.get(6)?).ok_or_else(|| damaged(6, "an unknown kind"))?,
        span: span(row, 7)?,
        part: row.get(11)?,
        symbol,
    })
}

fn chunk_brief(row: &Row<'_>) -> rusqlite::Result<ChunkBrief> {
    let symbol = match row.get::<_, Option<u8>>(6)? {
        None => None,
        Some(_) => Some((kind(row, 6)?, row.get(7)?)),
    };
    Ok(ChunkBrief {
        file: row.get(0)?,
        path: row.get(1)?,
        language: row.get(2)?,
        is_generated: row.get::<_, Option<u8>>(3)?.is_some(),
        is_bulky: row.get::<_, u32>(11)? > BULKY_LINES,
        kind: ChunkKind::from_code(row.get(4)?).ok_or_else(|| damaged(4, "an unknown kind"))?,
        start_line: row.get(5)?,
        extent: match symbol {
            None => None,
            Some(_) => Some((row.get(8)?, row.get(9)?)),
        },
        digest: row.get(10)?,
        symbol,
    })
}

fn handle(row: &Row<'_>, at: usize, kind: HandleKind) -> rusqlite::Result<Handle> {
    Ok(Handle {
        kind,
        hash: row.get::<_, i64>(at)?.cast_unsigned(),
    })
}

fn kind(row: &Row<'_>, at: usize) -> rusqlite::Result<SymbolKind> {
    SymbolKind::from_code(row.get(at)?).ok_or_else(|| damaged(at, "an unknown kind of symbol"))
}

fn span(row: &Row<'_>, at: usize) -> rusqlite::Result<Span> {
    Ok(Span {
        start_byte: row.get(at)?,
        end_byte: row.get(at + 1)?,
        start_line: row.get(at + 2)?,
        end_line: row.get(at + 3)?,
    })
}
