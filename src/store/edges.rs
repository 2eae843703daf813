//! Edges between definitions: written for one file at a time, read by frontier.
//!
//! Refuses to know how a use was bound.

use std::collections::HashMap;

use rusqlite::{OptionalExtension as _, Row};

use super::{Doing, Read, StoreResult, Writer};
use crate::model::{EdgeKind, Provenance, SymbolKind};

/// State and target of imports, by specifier and kind.
pub(super) type Led = HashMap<(String, u8), (u8, Option<i64>)>;

/// An edge by row ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeRow {
    /// The file that the use is in.
    pub src_file: i64,
    /// The definition around the use; `None` for the module's top level.
    pub src: Option<i64>,
    /// The definition that is used.
    pub dst: i64,
    /// What the use is.
    pub kind: EdgeKind,
    /// How it is known.
    pub provenance: Provenance,
    /// How many uses it stands for.
    pub count: u32,
    /// Line of the first one.
    pub line: u32,
}

/// The uses of one name in one file that lead to no definition here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnboundRow {
    /// The name.
    pub name: String,
    /// Whether it is called.
    pub is_call: bool,
    /// Whether something stands before it (`x.name`).
    pub is_member: bool,
    /// How many uses there are.
    pub count: u32,
    /// Line of the first one.
    pub line: u32,
}

impl Writer<'_> {
    /// Writes what linking found for a file, in the place of what was known, and takes the file from the
    /// list of those to link.
    pub fn set_links(
        &mut self,
        file: i64,
        edges: &[EdgeRow],
        unbound: &[UnboundRow],
        consulted: &[i64],
    ) -> StoreResult<()> {
        self.links(file, edges, unbound, consulted)
            .doing("writing edges")
    }

    /// Puts the files that were linked by the surface of `file` on the list of those to link.
    pub fn relink_consulters(&mut self, file: i64) -> StoreResult<()> {
        self.run(
            "INSERT OR IGNORE INTO relink(file, imports) SELECT file, 0 FROM consult WHERE target = ?1",
            [file],
        )
    }

    /// Returns where the imports of a file led, by specifier and kind.
    pub(super) fn led(&mut self, file: i64, is_known: bool) -> rusqlite::Result<Led> {
        if !is_known {
            return Ok(Led::default());
        }
        self.tx()
            .prepare_cached("SELECT specifier, kind, state, target FROM import WHERE file = ?1")?
            .query_map([file], |row| {
                Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, row.get(3)?)))
            })?
            .collect()
    }

    /// Writes the hash of what others can see of a file; where it is another, those who were linked by
    /// it are put on the list.
    pub(super) fn write_surface(
        &mut self,
        file: i64,
        hash: Option<&[u8; 32]>,
    ) -> rusqlite::Result<()> {
        let tx = self.tx();
        let known: Option<Vec<u8>> = tx
            .prepare_cached("SELECT hash FROM surface WHERE file = ?1")?
            .query_row([file], |row| row.get(0))
            .optional()?;
        if known.as_deref() == hash.map(<[u8; 32]>::as_slice) {
            return Ok(());
        }
        tx.prepare_cached(
            "INSERT OR IGNORE INTO relink(file, imports) SELECT file, 0 FROM consult WHERE target = ?1",
        )?
        .execute([file])?;
        match hash {
            Some(hash) => tx
                .prepare_cached("INSERT OR REPLACE INTO surface(file, hash) VALUES(?1, ?2)")?
                .execute((file, hash.as_slice())),
            None => tx
                .prepare_cached("DELETE FROM surface WHERE file = ?1")?
                .execute([file]),
        }
        .map(drop)
    }

    fn links(
        &mut self,
        file: i64,
        edges: &[EdgeRow],
        unbound: &[UnboundRow],
        consulted: &[i64],
    ) -> rusqlite::Result<()> {
        let tx = self.tx();
        tx.prepare_cached("DELETE FROM edge WHERE src_file = ?1")?
            .execute([file])?;
        tx.prepare_cached("DELETE FROM unbound WHERE file = ?1")?
            .execute([file])?;
        tx.prepare_cached("DELETE FROM consult WHERE file = ?1")?
            .execute([file])?;
        let mut insert = tx.prepare_cached(
            "INSERT INTO edge(src_file, src, dst, kind, provenance, count, line) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        for edge in edges {
            insert.execute((
                file,
                edge.src.unwrap_or(0),
                edge.dst,
                edge.kind.code(),
                edge.provenance.code(),
                edge.count,
                edge.line,
            ))?;
        }
        let mut insert = tx.prepare_cached(
            "INSERT INTO unbound(file, name, form, count, line) VALUES(?1, ?2, ?3, ?4, ?5)",
        )?;
        for row in unbound {
            let form = u8::from(row.is_call) + 2 * u8::from(row.is_member);
            insert.execute((file, name_key(&row.name), form, row.count, row.line))?;
        }
        let mut insert =
            tx.prepare_cached("INSERT OR IGNORE INTO consult(file, target) VALUES(?1, ?2)")?;
        for target in consulted {
            insert.execute((file, target))?;
        }
        tx.prepare_cached("DELETE FROM relink WHERE file = ?1")?
            .execute([file])?;
        Ok(())
    }
}

impl Read<'_> {
    /// Returns the rows of a file's symbols, by their place in the file.
    pub fn symbol_ids(&self, file: i64) -> StoreResult<Vec<i64>> {
        self.tx
            .prepare_cached("SELECT id FROM symbol WHERE file = ?1 ORDER BY ordinal")
            .and_then(|mut statement| statement.query_map([file], |row| row.get(0))?.collect())
            .doing("reading the rows of symbols")
    }

    /// Returns the edges that lead to a definition, by file and line of the first use.
    pub fn edges_into(&self, dst: i64) -> StoreResult<Vec<EdgeRow>> {
        self.edges("e.dst = ?1", dst)
    }

    /// Returns the edges that lead out of a definition.
    pub fn edges_out_of(&self, src: i64) -> StoreResult<Vec<EdgeRow>> {
        self.edges(
            "e.src = ?1 AND e.src_file = (SELECT file FROM symbol WHERE id = ?1)",
            src,
        )
    }

    /// Returns the edges of a file, those of its top level included.
    pub fn edges_of_file(&self, file: i64) -> StoreResult<Vec<EdgeRow>> {
        self.edges("e.src_file = ?1", file)
    }

    /// Returns the files whose definitions a file uses (`out`), or that use its own, with the best known
    /// edge between them, by path.
    pub fn file_edges(
        &self,
        path: &str,
        kind: EdgeKind,
        out: bool,
    ) -> StoreResult<Vec<(crate::model::RepoPath, Provenance)>> {
        let query = if out {
            "SELECT t.path, min(e.provenance) FROM file f JOIN edge e ON e.src_file = f.id JOIN symbol d ON d.id = e.dst
             JOIN file t ON t.id = d.file WHERE f.path = ?1 AND e.kind = ?2 AND t.id <> f.id GROUP BY t.path ORDER BY t.path"
        } else {
            "SELECT s.path, min(e.provenance) FROM file f JOIN symbol d ON d.file = f.id JOIN edge e ON e.dst = d.id
             JOIN file s ON s.id = e.src_file WHERE f.path = ?1 AND e.kind = ?2 AND s.id <> f.id GROUP BY s.path ORDER BY s.path"
        };
        self.tx
            .prepare_cached(query)
            .and_then(|mut statement| {
                statement
                    .query_map((path, kind.code()), |row| {
                        let provenance = Provenance::from_code(row.get(1)?)
                            .ok_or_else(|| super::files::damaged(1, "an unknown provenance"))?;
                        Ok((super::files::path(row, 0)?, provenance))
                    })?
                    .collect()
            })
            .doing("reading edges between files")
    }

    /// Returns a symbol and the file it is in, by its row.
    pub fn symbol_by_id(&self, id: i64) -> StoreResult<Option<super::SymbolRow>> {
        self.symbol_row(id)
    }

    /// Returns the functions and methods that a definition is inside of, the nearest first.
    pub fn functions_around(&self, symbol: i64) -> StoreResult<Vec<i64>> {
        let is_function = |kind: u8| {
            let kind = SymbolKind::from_code(kind);
            matches!(
                kind,
                Some(SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor)
            )
        };
        let around = || {
            let mut statement = self.tx.prepare_cached(
                "SELECT p.id, p.kind FROM symbol s JOIN symbol p ON p.file = s.file AND p.ordinal = s.parent WHERE s.id = ?1",
            )?;
            let mut found = Vec::new();
            let mut at = symbol;
            while let Some((outer, kind)) = statement
                .query_row([at], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?
            {
                if is_function(kind) {
                    found.push(outer);
                }
                at = outer;
            }
            Ok(found)
        };
        around().doing("reading what is around a definition")
    }

    /// Whether a definition is a variable or a constant, which runs nothing when it is used.
    pub fn is_variable(&self, symbol: i64) -> StoreResult<bool> {
        let kind: Option<u8> = self
            .tx
            .prepare_cached("SELECT kind FROM symbol WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([symbol], |row| row.get(0)).optional())
            .doing("reading a kind")?;
        let kind = kind.and_then(SymbolKind::from_code);
        Ok(matches!(
            kind,
            Some(SymbolKind::Variable | SymbolKind::Constant)
        ))
    }

    /// Returns the path of a file, by its row.
    pub fn path_of(&self, file: i64) -> StoreResult<Option<crate::model::RepoPath>> {
        self.tx
            .prepare_cached("SELECT path FROM file WHERE id = ?1")
            .and_then(|mut statement| {
                statement
                    .query_row([file], |row| super::files::path(row, 0))
                    .optional()
            })
            .doing("reading a path")
    }

    /// Returns the uses of a name that lead to no definition, as (file's path, row), by path.
    pub fn unbound_named(
        &self,
        name: &str,
    ) -> StoreResult<Vec<(crate::model::RepoPath, UnboundRow)>> {
        self.tx
            .prepare_cached(
                "SELECT f.path, u.form & 1, u.form >> 1, u.count, u.line FROM unbound u JOIN file f ON f.id = u.file
                 WHERE u.name = ?1 ORDER BY f.path, u.form",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([name_key(name)], |row| {
                        Ok((
                            super::files::path(row, 0)?,
                            UnboundRow {
                                name: name.to_owned(),
                                is_call: row.get(1)?,
                                is_member: row.get(2)?,
                                count: row.get(3)?,
                                line: row.get(4)?,
                            },
                        ))
                    })?
                    .collect()
            })
            .doing("reading unbound names")
    }

    fn edges(&self, clause: &str, value: i64) -> StoreResult<Vec<EdgeRow>> {
        self.tx
            .prepare_cached(&format!(
                "SELECT e.src_file, e.src, e.dst, e.kind, e.provenance, e.count, e.line FROM edge e JOIN file f ON f.id = e.src_file
                 WHERE {clause} ORDER BY f.path, e.line, e.dst, e.kind"
            ))
            .and_then(|mut statement| statement.query_map([value], edge)?.collect())
            .doing("reading edges")
    }
}

/// Returns the number that an unbound name is kept by: 48 bits of its hash, which SQLite stores in 6 bytes.
fn name_key(name: &str) -> i64 {
    let mut bytes = [0; 8];
    bytes[2..].copy_from_slice(&blake3::hash(name.as_bytes()).as_bytes()[..6]);
    i64::from_be_bytes(bytes)
}

fn edge(row: &Row<'_>) -> rusqlite::Result<EdgeRow> {
    let unknown = |at| super::files::damaged(at, "an unknown kind of edge");
    Ok(EdgeRow {
        src_file: row.get(0)?,
        src: Some(row.get(1)?).filter(|src| *src != 0),
        dst: row.get(2)?,
        kind: EdgeKind::from_code(row.get(3)?).ok_or_else(|| unknown(3))?,
        provenance: Provenance::from_code(row.get(4)?).ok_or_else(|| unknown(4))?,
        count: row.get(5)?,
        line: row.get(6)?,
    })
}
