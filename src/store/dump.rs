//! Every row of an index as text, by natural keys: two indexes are equal if and only if their dumps are.
//!
//! Row ids, stats, times and the generation are left out: they depend on how a row came into being.

use std::fmt::Write as _;

use super::{ErrorContext, Read, StoreResult};

const QUERIES: [(&str, &str); 15] = [
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
        "chunk",
        "SELECT f.path, ordinal, printf('%016x', handle), kind, symbol, part, start_line, end_line, start_byte, end_byte, digest
           FROM chunk c JOIN file f ON f.id = c.file ORDER BY f.path, ordinal",
    ),
    (
        "text",
        "SELECT f.path, c.ordinal, p.col, p.term, p.offset FROM posting p JOIN chunk c ON c.id = p.doc JOIN file f ON f.id = c.file
           ORDER BY 1, 2, 3, 5, 4",
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
        "edge",
        "SELECT f.path, printf('%016x', s.handle), t.path, printf('%016x', d.handle), e.kind, e.provenance, e.count, e.line
           FROM edge e JOIN file f ON f.id = e.src_file LEFT JOIN symbol s ON s.id = e.src JOIN symbol d ON d.id = e.dst
           JOIN file t ON t.id = d.file ORDER BY 1, 2, 3, 4, 5, 6",
    ),
    (
        "unbound",
        "SELECT f.path, name, form, count, line FROM unbound u JOIN file f ON f.id = u.file ORDER BY 1, 2, 3",
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
        // Rows that nothing owns would be invisible above.
        for (what, query) in [
            (
                "text rows without a chunk",
                "SELECT count(DISTINCT doc) FROM posting WHERE doc NOT IN (SELECT id FROM chunk)",
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
        Ok(out)
    }
}
