//! The transaction that writes rows ([`Writer`]); each table's writes stand in the file of the table.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};

use super::facts::PackedFacts;
use super::interface::InterfaceFingerprint;
use super::link_queue::{IMPORTS, NAMES};
use super::read::ChangedFiles;
use super::text_merge::DEAD_CHUNKS;
use super::unbound::UnboundGroup;
use super::{ErrorContext, PreparedChunk, StatRow, StoreResult, symbols};
use crate::ir::ImportKind;
use crate::model::{BlobId, ChunkId, ContentId, FileId, RepoPath, SkipReason, Symbol, SymbolId};

/// A file ready to be written.
#[derive(Clone, Debug)]
pub struct PreparedFile {
    /// Where it is.
    pub path: RepoPath,
    /// The bytes that were read.
    pub content: ContentId,
    /// Their number.
    pub size_bytes: u64,
    /// The number of lines.
    pub n_lines: u32,
    /// The language's identifier.
    pub language: &'static str,
    /// The extractor's version.
    pub facts_version: u32,
    /// Whether an attribute marks it as generated.
    pub has_generated_attribute: bool,
    /// The reason why the file was left out or reduced.
    pub skip: Option<SkipReason>,
    /// The result of `lstat`, and whether that proves anything later; `None` for a file of a commit.
    pub stat: Option<StatRow>,
    /// Git's name of the bytes; `None` where they were not read.
    pub blob: Option<BlobId>,
    /// Its symbols with their handles' hashes.
    pub symbols: Vec<(u64, Symbol)>,
    /// Its chunks, in order.
    pub chunks: Vec<PreparedChunk>,
    /// Its imports: specifier, kind, whether of types alone, line.
    pub imports: Vec<(String, ImportKind, bool, u32)>,
    /// Its facts, packed.
    pub facts: Option<PackedFacts>,
    /// The buckets of the names that it exports: see [`super::interface::exported_names`].
    pub exported_names: u64,
    /// The interface fingerprint; `None` where it has no facts, and of a new file whose names no unit shares.
    pub fingerprint: Option<InterfaceFingerprint>,
    /// The units that its names belong to, by key, sorted, each with its place among the files there: those of a low
    /// rank first.
    pub units: Vec<(String, u8)>,
    /// Its bytes, packed, if it configures module resolution.
    pub config: Option<Vec<u8>>,
    /// The suites that it declares, if it configures a test runner.
    pub suites: Option<String>,
}

impl PreparedFile {
    /// Returns a file with nothing in it, of no bytes and no lines.
    pub fn empty(path: RepoPath, language: &'static str) -> Self {
        Self {
            path,
            content: ContentId::of(&[]),
            size_bytes: 0,
            n_lines: 0,
            language,
            facts_version: 0,
            has_generated_attribute: false,
            skip: None,
            stat: None,
            blob: None,
            symbols: Vec::new(),
            chunks: Vec::new(),
            imports: Vec::new(),
            facts: None,
            exported_names: 0,
            fingerprint: None,
            units: Vec::new(),
            config: None,
            suites: None,
        }
    }
}

/// One transaction that writes.
#[derive(Debug)]
pub struct Writer<'a> {
    tx: Transaction<'a>,
    /// Where files whose rows change are noted, if somebody follows them.
    changed_files: &'a mut ChangedFiles,
    /// Units that came into being or went, by their keys, until they are asked for.
    pub(super) changed_units: Vec<String>,
    /// Chunks that were deleted in this transaction, whose words go at its end.
    pub(super) dead_chunks: Vec<ChunkId>,
    /// The id of the next new chunk, once one was written or deleted.
    pub(super) next_chunk: Option<i64>,
    /// The unbound names of the files that were linked last, until they are written.
    pub(super) unbound: Option<UnboundGroup>,
}

impl<'a> Writer<'a> {
    pub(super) fn begin(
        connection: &'a mut Connection,
        changed_files: &'a mut ChangedFiles,
    ) -> StoreResult<Self> {
        connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map(|tx| Self {
                tx,
                changed_files,
                changed_units: Vec::new(),
                dead_chunks: Vec::new(),
                next_chunk: None,
                unbound: None,
            })
            .context("beginning to write")
    }

    /// Replaces the rows of a path. Symbols that stay keep their rows, so that an edit does not loosen the edges to
    /// them.
    pub fn replace_file(&mut self, file: &PreparedFile) -> StoreResult<()> {
        self.replace(file).context("writing a file")
    }

    /// Whether the stored configuration of the path equals this one.
    pub fn has_config(&mut self, file: &PreparedFile) -> StoreResult<bool> {
        let known: Option<Vec<u8>> = self
            .tx
            .prepare_cached(
                "SELECT c.packed FROM config c JOIN file f ON f.id = c.file WHERE f.path = ?1",
            )
            .and_then(|mut statement| {
                statement
                    .query_row([file.path.as_str()], |row| row.get(0))
                    .optional()
            })
            .context("reading a configuration file")?;
        Ok(known == file.config)
    }

    /// Whether a file belongs to the units that its path is known to belong to.
    pub fn has_units(&mut self, file: &PreparedFile) -> StoreResult<bool> {
        let known: Vec<(String, u8)> = self
            .tx
            .prepare_cached(
                "SELECT u.key, m.rank FROM file f JOIN unit_file m ON m.file = f.id JOIN unit u ON u.id = m.unit WHERE f.path = ?1 ORDER BY 1",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([file.path.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect()
            })
            .context("reading units")?;
        Ok(known == file.units)
    }

    /// Removes a file with all that belongs to it.
    pub fn remove_file(&mut self, path: &RepoPath) -> StoreResult<()> {
        self.remove(path).context("removing a file")
    }

    /// Writes what `lstat` and git say of a file whose bytes are those indexed; `blob` of `None` leaves what is known.
    pub fn set_seen(
        &mut self,
        file: FileId,
        stat: Option<&StatRow>,
        blob: Option<BlobId>,
    ) -> StoreResult<()> {
        self.changed_files.add(file);
        if let Some(blob) = blob {
            self.run(
                "UPDATE file SET blob = ?2 WHERE id = ?1 AND blob IS NOT ?2",
                (file, blob.as_bytes()),
            )?;
        }
        self.stat(file, stat).context("writing a stat")
    }

    /// Forgets every stat: the rows came from another work tree.
    pub fn clear_stats(&mut self) -> StoreResult<()> {
        self.changed_files.add_all();
        self.run("DELETE FROM stat", [])
    }

    /// Writes a meta row.
    pub fn set_meta(&mut self, key: &str, value: &str) -> StoreResult<()> {
        self.run(
            "INSERT INTO meta(key, value) VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
            (key, value),
        )
    }

    /// Commits. With `answerable` the generation rises: possible answers have changed.
    pub fn commit(mut self, answerable: bool) -> StoreResult<()> {
        if answerable {
            self.run(
                "UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE key = 'generation'",
                [],
            )?;
            let now = std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .unwrap_or_default();
            self.set_meta("last_indexed_ms", &now.as_millis().to_string())?;
        }
        self.flush_unbound().context("writing unbound names")?;
        let n_dead = self.delete_dead_texts().context("writing words")?;
        if n_dead > 0 {
            self.run(
                "INSERT INTO meta(key, value) VALUES(?1, ?2)
                 ON CONFLICT(key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + CAST(excluded.value AS INTEGER) AS TEXT)",
                (DEAD_CHUNKS, n_dead.to_string()),
            )?;
        }
        self.tx.commit().context("committing")
    }

    pub(super) fn tx(&self) -> &Transaction<'a> {
        &self.tx
    }

    pub(super) fn run<P: rusqlite::Params>(
        &mut self,
        statement: &str,
        values: P,
    ) -> StoreResult<()> {
        self.tx
            .prepare_cached(statement)
            .and_then(|mut prepared| prepared.execute(values))
            .map(drop)
            .context("writing a row")
    }

    fn replace(&mut self, file: &PreparedFile) -> rusqlite::Result<()> {
        let known: Option<FileId> = self
            .tx
            .prepare_cached("SELECT id FROM file WHERE path = ?1")?
            .query_row([file.path.as_str()], |row| row.get(0))
            .optional()?;
        let id = self.file_row(known, file)?;
        self.changed_files.add(id);
        let previous = self.previous_targets(id, known.is_some())?;
        let mut had_facts = false;
        if known.is_some() {
            let before = self.stored_fingerprint(id)?;
            had_facts = before.is_some();
            self.queue_dependents_of_change(id, before.as_ref(), file.fingerprint.as_ref())?;
            self.leave_units(id, before.as_ref(), &file.units)?;
            self.queue_removed_templates(&previous, &file.imports)?;
            for table in ["facts", "config", "runner", "import"] {
                self.tx
                    .prepare_cached(&format!("DELETE FROM {table} WHERE file = ?1"))?
                    .execute([id])?;
            }
        }
        self.join_units(id, file.fingerprint.as_ref(), &file.units)?;
        self.stat(id, file.stat.as_ref())?;
        self.write_symbols(id, &file.symbols, known.is_some())?;
        self.write_chunks(id, &file.chunks, known.is_some())?;
        let tx = &self.tx;
        if let Some(packed) = &file.facts {
            tx.prepare_cached(
                "INSERT INTO facts(file, exported_names, declared, uses) VALUES(?1, ?2, ?3, ?4)",
            )?
            .execute((
                id,
                file.exported_names.cast_signed(),
                &packed.declared,
                &packed.uses,
            ))?;
        }
        if let Some(packed) = &file.config {
            tx.prepare_cached("INSERT INTO config(file, packed) VALUES(?1, ?2)")?
                .execute((id, packed))?;
        }
        if let Some(suites) = &file.suites {
            tx.prepare_cached("INSERT INTO runner(file, suites) VALUES(?1, ?2)")?
                .execute((id, suites))?;
        }
        let mut is_resolved = true;
        for (ordinal, (specifier, kind, type_only, line)) in file.imports.iter().enumerate() {
            // Where the same import led before: if it still does, nobody else has to be linked again.
            let (state, target) = previous
                .get(&(specifier.clone(), kind.code()))
                .copied()
                .unwrap_or((0, None));
            is_resolved &= state != 0;
            tx.prepare_cached(
                "INSERT INTO import(file, ordinal, specifier, kind, type_only, line, state, target) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute((id, index(ordinal), specifier, kind.code(), type_only, line, state, target))?;
        }
        // A file that has no facts any more still has its earlier names to withdraw.
        if file.facts.is_some() || had_facts || !previous.is_empty() {
            // An import that was there leads where it led, as long as no file comes or goes: that queues it by itself.
            let stages = if is_resolved { NAMES } else { IMPORTS | NAMES };
            self.queue("VALUES(?1, ?2)", (id, stages))?;
        }
        Ok(())
    }

    /// Writes the row of a file and returns it. `RETURNING` and `OR REPLACE` would open a statement of its own in the
    /// transaction, at each of which FTS5 writes its pending words as a segment, to be merged later.
    fn file_row(&mut self, known: Option<FileId>, file: &PreparedFile) -> rusqlite::Result<FileId> {
        self.tx
            .prepare_cached(
                "INSERT INTO file(id, path, content, size, lines, language, facts_version, marked, skip, blob)
                 VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                 ON CONFLICT(id) DO UPDATE SET content = excluded.content, size = excluded.size, lines = excluded.lines,
                   language = excluded.language, facts_version = excluded.facts_version, marked = excluded.marked, skip = excluded.skip,
                   blob = excluded.blob",
            )?
            .execute((
                known,
                file.path.as_str(),
                file.content.as_bytes().as_slice(),
                file.size_bytes.cast_signed(),
                file.n_lines,
                file.language,
                file.facts_version,
                file.has_generated_attribute,
                file.skip.map(SkipReason::code),
                file.blob.as_ref().map(BlobId::as_bytes),
            ))?;
        Ok(known.unwrap_or_else(|| FileId::new(self.tx.last_insert_rowid())))
    }

    fn remove(&mut self, path: &RepoPath) -> rusqlite::Result<()> {
        let known: Option<FileId> = self
            .tx
            .prepare_cached("SELECT id FROM file WHERE path = ?1")?
            .query_row([path.as_str()], |row| row.get(0))
            .optional()?;
        if let Some(id) = known {
            self.changed_files.add(id);
            self.forget_chunks(id)?;
            self.write_unbound(id, &[])?;
            let is_in_unit = self
                .tx
                .prepare_cached("SELECT 1 FROM unit_file WHERE file = ?1")?
                .exists([id])?;
            if is_in_unit {
                let before = self.stored_fingerprint(id)?;
                self.leave_units(id, before.as_ref(), &[])?;
            }
            self.queue_dependents_of_change(id, Some(&InterfaceFingerprint::default()), None)?;
            let symbols: Vec<SymbolId> = self
                .tx
                .prepare_cached("SELECT id FROM symbol WHERE file = ?1 ORDER BY id")?
                .query_map([id], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            for statement in [
                "DELETE FROM dependency WHERE target = ?1",
                "UPDATE import SET target = NULL WHERE target = ?1",
                "DELETE FROM file WHERE id = ?1",
            ] {
                self.tx.prepare_cached(statement)?.execute([id])?;
            }
            // Its own edges are gone with its row.
            self.forget_edges_into(&symbols)?;
        }
        Ok(())
    }

    fn stat(&mut self, file: FileId, row: Option<&StatRow>) -> rusqlite::Result<()> {
        let Some(row) = row else {
            return self
                .tx
                .prepare_cached("DELETE FROM stat WHERE file = ?1")?
                .execute([file])
                .map(drop);
        };
        self.tx
            .prepare_cached(
                "INSERT INTO stat(file, size, mtime_ns, ctime_ns, inode, proves_content) VALUES(?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT(file) DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns,
                   ctime_ns = excluded.ctime_ns, inode = excluded.inode, proves_content = excluded.proves_content",
            )?
            .execute((
                file,
                row.stat.size_bytes.cast_signed(),
                row.stat.mtime_ns,
                row.stat.ctime_ns,
                row.stat.inode.cast_signed(),
                row.proves_content,
            ))
            .map(drop)
    }

    fn write_symbols(
        &mut self,
        file: FileId,
        symbols: &[(u64, Symbol)],
        is_known: bool,
    ) -> rusqlite::Result<()> {
        let mut rows: HashMap<i64, (SymbolId, String)> = HashMap::new();
        if is_known {
            let mut statement = self
                .tx
                .prepare_cached("SELECT handle, id, name FROM symbol WHERE file = ?1")?;
            rows = statement
                .query_map([file], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?
                .collect::<Result<_, _>>()?;
        }
        let mut insert = self.tx.prepare_cached(
            "INSERT INTO symbol(id, file, ordinal, handle, name, other_norm, scope, kind, exported, parent,
               start_line, extra_lines, lines_to_name, start_byte, bytes, short_signature)
             VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 - ?11, ?13 - ?11, ?14, ?15 - ?14, ?16)
             ON CONFLICT(id) DO UPDATE SET ordinal = excluded.ordinal, exported = excluded.exported, parent = excluded.parent,
               start_line = excluded.start_line, extra_lines = excluded.extra_lines, lines_to_name = excluded.lines_to_name,
               start_byte = excluded.start_byte, bytes = excluded.bytes, short_signature = excluded.short_signature",
        )?;
        for (ordinal, (handle, symbol)) in symbols.iter().enumerate() {
            let known = rows.remove(&handle.cast_signed());
            // A row keeps its name, which may be `b` in `a` where a new one of that handle is `a.b`.
            let name = known.as_ref().map_or(&symbol.name, |(_, name)| name);
            insert.execute(rusqlite::params![
                known.as_ref().map(|(id, _)| id),
                file,
                index(ordinal),
                handle.cast_signed(),
                symbol.name,
                symbols::other_norm(&symbol.name),
                symbols::scope(&symbol.qualified_name, &symbol.name),
                symbol.kind.code(),
                symbol.exported,
                symbol.parent,
                symbol.span.start_line,
                symbol.span.end_line,
                symbol.name_line,
                symbol.span.start_byte,
                symbol.span.end_byte,
                symbols::short_signature(&symbol.signature, name),
            ])?;
        }
        if rows.is_empty() {
            return Ok(());
        }
        let mut delete = self.tx.prepare_cached("DELETE FROM symbol WHERE id = ?1")?;
        let mut gone: Vec<SymbolId> = rows.into_values().map(|(id, _)| id).collect();
        gone.sort_unstable();
        for symbol in &gone {
            delete.execute([symbol])?;
        }
        self.forget_edges_into(&gone)?;
        // The file is linked again anyway.
        self.forget_edges_out_of(file, &gone)
    }
}

/// Returns a place in a list as SQLite keeps it.
pub(super) fn index(ordinal: usize) -> i64 {
    i64::try_from(ordinal).expect("a file has fewer rows than i64 can count")
}
