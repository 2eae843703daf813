//! Facts and configuration files as they are kept: packed, so that linking never parses a file again
//! and resolving never reads the disk.
//!
//! Packing is postcard, then zstd. Refuses to know what the facts mean.

use std::cell::RefCell;

use rusqlite::OptionalExtension as _;
use zstd::bulk::Decompressor;

use super::{Doing, Read, StoreResult};
use crate::model::{ContentId, FileFacts, RepoPath, Span, Symbol, SymbolKind};

/// The most that one packed value may unpack to, in bytes: four times the largest file that is indexed,
/// so that a hostile index cannot fill the memory.
const MAX_UNPACKED_BYTES: usize = 8 << 20;

/// How hard zstd tries: 9 takes an eighth off 1's size for some milliseconds a megabyte of source.
const LEVEL: i32 = 9;

/// Returns the facts without what the symbol rows hold anyway (signature, doc and places), packed.
pub fn pack_facts(facts: &FileFacts) -> Vec<u8> {
    let mut slim = facts.clone();
    for symbol in &mut slim.symbols {
        symbol.signature.clear();
        symbol.doc.clear();
        symbol.span = Span::default();
        symbol.name_line = 0;
    }
    let plain = postcard::to_stdvec(&slim).expect("facts hold only what postcard can write");
    pack(&plain)
}

/// Returns the hash of what other files can see of a file: its definitions without their places, what it
/// takes and offers, what is written about its names. An edit of a function's body keeps it.
pub fn surface(facts: &FileFacts) -> [u8; 32] {
    let name_of = |at: Option<u32>| at.map(|at| facts.symbols[at as usize].qualified_name.as_str());
    let symbols: Vec<_> = facts
        .symbols
        .iter()
        .filter(|symbol| !is_within_function(facts, symbol))
        .map(|symbol| (&symbol.qualified_name, symbol.kind, symbol.exported))
        .collect();
    let imports: Vec<_> = facts
        .imports
        .iter()
        .map(|import| {
            (
                &import.specifier,
                import.kind,
                import.type_only,
                &import.names,
            )
        })
        .collect();
    let exports: Vec<_> = facts
        .exports
        .iter()
        .map(|it| (it.kind, &it.name, &it.local, &it.specifier, it.type_only))
        .collect();
    // What is written about the own names of a function is seen by nobody else.
    let hints: Vec<_> = facts
        .hints
        .iter()
        .filter(|hint| !hint.local)
        .filter(|hint| {
            hint.symbol
                .is_none_or(|at| !is_within_function(facts, &facts.symbols[at as usize]))
        })
        .map(|hint| {
            (
                name_of(hint.symbol),
                &hint.name,
                hint.kind,
                &hint.of,
                name_of(hint.root),
            )
        })
        .collect();
    let plain = postcard::to_stdvec(&(symbols, imports, exports, hints))
        .expect("facts hold only what postcard can write");
    *ContentId::of(&plain).as_bytes()
}

/// Returns whether a definition stands in the body of a function: members that are assigned to one from
/// outside do not.
fn is_within_function(facts: &FileFacts, symbol: &Symbol) -> bool {
    let mut inner = symbol;
    while let Some(parent) = inner.parent.map(|at| &facts.symbols[at as usize]) {
        let is_function = matches!(
            parent.kind,
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor
        );
        if is_function && parent.span.contains(&inner.span) {
            return true;
        }
        inner = parent;
    }
    false
}

/// Returns `bytes` packed.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, LEVEL).expect("compressing into memory cannot fail")
}

/// Returns what was packed; `None` for damaged data or more than the bound.
pub fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    thread_local! {
        static UNPACKER: RefCell<Option<Decompressor<'static>>> = RefCell::new(Decompressor::new().ok());
    }
    // The frame says how much it holds: no more room than that is made, and never more than the bound.
    let n_bytes = zstd::zstd_safe::get_frame_content_size(packed).ok()??;
    let n_bytes = usize::try_from(n_bytes)
        .ok()
        .filter(|n| *n <= MAX_UNPACKED_BYTES)?;
    UNPACKER.with_borrow_mut(|unpacker| unpacker.as_mut()?.decompress(packed, n_bytes).ok())
}

impl Read<'_> {
    /// Returns the facts of a file, with empty signatures, docs and places; `None` if it has none.
    pub fn facts(&self, file: i64) -> StoreResult<Option<FileFacts>> {
        let packed: Option<Vec<u8>> = self
            .tx
            .prepare_cached("SELECT packed FROM facts WHERE file = ?1")
            .and_then(|mut statement| statement.query_row([file], |row| row.get(0)).optional())
            .doing("reading facts")?;
        Ok(packed
            .and_then(|packed| unpack(&packed))
            .and_then(|plain| postcard::from_bytes(&plain).ok()))
    }

    /// Returns every configuration file of the repository with its bytes, sorted by path.
    pub fn configs(&self) -> StoreResult<Vec<(RepoPath, Vec<u8>)>> {
        let rows: Vec<(RepoPath, Vec<u8>)> = self
            .tx
            .prepare_cached("SELECT f.path, c.packed FROM config c JOIN file f ON f.id = c.file ORDER BY f.path")
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| Ok((super::files::path(row, 0)?, row.get(1)?)))?
                    .collect()
            })
            .doing("reading configuration files")?;
        Ok(rows
            .into_iter()
            .filter_map(|(path, packed)| Some((path, unpack(&packed)?)))
            .collect())
    }
}
