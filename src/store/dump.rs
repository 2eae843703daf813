//! Every row of an index as text, by natural keys: two indexes are equal if and only if their dumps are.
//!
//! Row ids, stats, times and the generation are left out: they depend on how a row came into being.

use std::fmt::Write as _;

use super::packed_chunks::{ChunkOwner, runs};
use super::unbound::{StoredUnbound, UnboundList};
use super::{ErrorContext, Read, StoreResult};
use crate::model::hash::HashMap;
use crate::model::{ChunkId, FileId, SymbolId};

const QUERIES: [(&str, &str); 11] = [
    (
        "file",
        "SELECT path, hex(content), size, lines, language, facts_version, marked, skip FROM file ORDER BY path",
    ),
    (
        "symbol",
        "SELECT f.path, ordinal, printf('%016x', handle), name, norm, qualified, kind, exported, parent, start_line, end_line,
           name_line, start_byte, end_byte, signature FROM symbol s JOIN file f ON f.id = s.file ORDER BY f.path, ordinal",
    ),
    (
        "facts",
        "SELECT f.path, exported_names, hex(declared), hex(uses) FROM facts x JOIN file f ON f.id = x.file ORDER BY 1",
    ),
    (
        "config",
        "SELECT f.path, hex(packed) FROM config x JOIN file f ON f.id = x.file ORDER BY 1",
    ),
    (
        "runner",
        "SELECT f.path, suites FROM runner x JOIN file f ON f.id = x.file ORDER BY 1",
    ),
    (
        "import",
        "SELECT f.path, ordinal, specifier, kind, type_only, line, state, t.path, u.key FROM import i JOIN file f ON f.id = i.file
           LEFT JOIN file t ON t.id = i.target LEFT JOIN unit u ON u.id = -i.target ORDER BY 1, 2",
    ),
    (
        "import_file",
        "SELECT f.path, ordinal, t.path FROM import_file i JOIN file f ON f.id = i.file JOIN file t ON t.id = i.target ORDER BY 1, 2, 3",
    ),
    (
        "unit_file",
        "SELECT u.key, f.path, rank FROM unit u LEFT JOIN unit_file m ON m.unit = u.id LEFT JOIN file f ON f.id = m.file ORDER BY 1, 2",
    ),
    (
        "commit",
        "SELECT hex(hash), time, hex(parents), author, subject, fix, files FROM \"commit\" ORDER BY 1",
    ),
    (
        "touch",
        "SELECT hex(c.hash), p.path, t.counts, f.path FROM touch t JOIN \"commit\" c ON c.id = t.\"commit\" JOIN past_path p ON p.id = t.path
           LEFT JOIN past_path f ON f.id = t.moved_from ORDER BY 1, 2",
    ),
    (
        "message",
        "SELECT hex(c.hash), p.term, p.offset FROM message_posting p JOIN \"commit\" c ON c.id = p.doc ORDER BY 1, 3, 2",
    ),
];

impl Read<'_> {
    /// Returns the dump: one line a row, the table's name first. Meant for tests and for
    /// comparing; its size is several times that of the source.
    pub fn dump(&self) -> StoreResult<String> {
        let mut out = String::new();
        for (table, query) in QUERIES {
            if table == "commit" {
                self.dump_edges(&mut out)?;
                self.dump_unbound(&mut out)?;
            }
            let mut statement = self.tx.prepare(query).context("dumping")?;
            let n = statement.column_count();
            let mut rows = statement.query([]).context("dumping")?;
            while let Some(row) = rows.next().context("dumping")? {
                out.push_str(table);
                for at in 0..n {
                    let value = row.get_ref(at).context("dumping")?;
                    match value {
                        rusqlite::types::ValueRef::Null => out.push_str("\t-"),
                        rusqlite::types::ValueRef::Integer(n) => {
                            let _ = write!(out, "\t{n}");
                        }
                        rusqlite::types::ValueRef::Text(text) => {
                            let _ = write!(out, "\t{:?}", String::from_utf8_lossy(text));
                        }
                        other => drop(write!(out, "\t{other:?}")),
                    }
                }
                out.push('\n');
            }
        }
        let n_runs = self.dump_chunks(&mut out)?;
        // Rows that nothing owns would be invisible above.
        for (what, query) in [
            (
                "text rows without a chunk",
                "SELECT count(DISTINCT doc) FROM posting
                 WHERE (SELECT doc < first + n FROM chunk_run WHERE first <= doc ORDER BY first DESC LIMIT 1) IS NOT 1",
            ),
            (
            "messages, touched files and past paths without a commit",
            "SELECT (SELECT count(DISTINCT doc) FROM message_posting WHERE doc NOT IN (SELECT id FROM \"commit\"))
               + (SELECT count(*) FROM touch WHERE \"commit\" NOT IN (SELECT id FROM \"commit\"))
               + (SELECT count(*) FROM past_path WHERE id NOT IN (SELECT path FROM touch)
                  AND id NOT IN (SELECT moved_from FROM touch WHERE moved_from IS NOT NULL))",
        ),
        ("files left to link", "SELECT count(*) FROM link_queue"),
        ] {
            let n: i64 = self
                .tx
                .query_row(query, [], |row| row.get(0))
                .context("dumping")?;
            let _ = writeln!(out, "{what}\t{n}");
        }
        let all: i64 = self
            .tx
            .query_row("SELECT count(*) FROM chunk_run", [], |row| row.get(0))
            .context("dumping")?;
        let _ = writeln!(out, "runs of chunks that no file has\t{}", all - n_runs);
        Ok(out)
    }

    /// Appends the chunks and their words. Returns how many of the runs of their ids are in the table of runs.
    fn dump_chunks(&self, out: &mut String) -> StoreResult<i64> {
        let mut n_runs = 0;
        let mut places: HashMap<ChunkId, (String, usize)> = HashMap::default();
        let mut has_run = self
            .tx
            .prepare("SELECT 1 FROM chunk_run WHERE first = ?1 AND n = ?2 AND file = ?3")
            .context("dumping")?;
        self.each_chunk_file(|file, handles| {
            let path = file.path.as_str();
            for (first, n) in runs(&file.chunks) {
                let is_there = has_run.exists((first, n, file.id));
                n_runs += i64::from(is_there.is_ok_and(|it| it));
            }
            for (ordinal, (chunk, handle)) in file.chunks.iter().zip(handles).enumerate() {
                let symbol = match chunk.owner {
                    ChunkOwner::Symbol(at) => at.to_string(),
                    ChunkOwner::Nobody(_) => "-".to_owned(),
                };
                let _ = writeln!(
                    out,
                    "chunk\t{path:?}\t{ordinal}\t\"{:016x}\"\t{}\t{symbol}\t{}\t{}\t{}\t{}\t{}\t{}",
                    handle.hash,
                    chunk.kind.code(),
                    chunk.part,
                    chunk.span.start_line,
                    chunk.span.end_line,
                    chunk.span.start_byte,
                    chunk.span.end_byte,
                    chunk.digest
                );
                places.insert(chunk.id, (path.to_owned(), ordinal));
            }
        })?;
        let mut statement = self
            .tx
            .prepare("SELECT doc, col, offset, term FROM posting")
            .context("dumping")?;
        let words: rusqlite::Result<Vec<(ChunkId, String, i64, String)>> = statement
            .query_map([], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .and_then(Iterator::collect);
        let mut words = words.context("dumping")?;
        words.sort_unstable_by(|a, b| {
            (places.get(&a.0), &a.1, a.2, &a.3).cmp(&(places.get(&b.0), &b.1, b.2, &b.3))
        });
        for (doc, column, offset, term) in words {
            if let Some((path, ordinal)) = places.get(&doc) {
                let _ = writeln!(
                    out,
                    "text\t{path:?}\t{ordinal}\t{column:?}\t{term:?}\t{offset}"
                );
            }
        }
        Ok(n_runs)
    }

    /// Adds the edges: `-` stands for a definition that is none.
    fn dump_edges(&self, out: &mut String) -> StoreResult<()> {
        let symbols: HashMap<SymbolId, (String, String)> = self
            .tx
            .prepare("SELECT s.id, f.path, printf('%016x', handle) FROM symbol s JOIN file f ON f.id = s.file")
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?
                    .collect()
            })
            .context("dumping")?;
        let named = |symbol| {
            let (path, handle) = symbols.get(&symbol)?;
            Some((path.as_str(), handle.as_str()))
        };
        for file in self.all_files()? {
            let mut rows = Vec::new();
            for edge in self.edges_from(file.id)? {
                let src = match edge.src {
                    None => "0000000000000000",
                    Some(src) => named(src).map_or("-", |(_, handle)| handle),
                };
                let dst = named(edge.dst).unwrap_or(("-", "-"));
                let known = (edge.kind.code(), edge.provenance.code());
                rows.push((src, dst, known, edge.count, edge.line));
            }
            rows.sort_unstable();
            for (src, (path, dst), (kind, provenance), count, line) in rows {
                let from = file.path.as_str();
                let _ = writeln!(
                    out,
                    "edge\t{from:?}\t{src:?}\t{path:?}\t{dst:?}\t{kind}\t{provenance}\t{count}\t{line}"
                );
            }
        }
        Ok(())
    }

    fn dump_unbound(&self, out: &mut String) -> StoreResult<()> {
        let mut by_file: HashMap<FileId, Vec<StoredUnbound>> = HashMap::default();
        for it in self.unbound(UnboundList::All, |_| true)? {
            by_file.entry(it.file).or_default().push(it);
        }
        for file in self.all_files()? {
            let mut rows = by_file.remove(&file.id).unwrap_or_default();
            rows.sort_unstable();
            for it in rows {
                let (path, form) = (file.path.as_str(), it.form.bits());
                let _ = writeln!(
                    out,
                    "unbound\t{path:?}\t{}\t{form}\t{}\t{}",
                    it.name, it.count, it.line
                );
            }
        }
        let _ = writeln!(out, "unbound names of no file\t{}", by_file.len());
        Ok(())
    }
}
