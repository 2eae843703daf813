//! Reads of symbols: by file, by name, by handle, by row.

use std::borrow::Cow;

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::files::{damaged, path};
use super::token::normal_form;
use super::{ErrorContext, Read, StoreResult};
use crate::model::hash::HashMap;
use crate::model::{FileId, Handle, HandleKind, RepoPath, Span, SymbolId, SymbolKind};

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

const SYMBOL: &str =
    "SELECT f.path, s.ordinal, s.handle, s.name, s.qualified, s.kind, s.exported, s.parent,
    s.start_byte, s.end_byte, s.start_line, s.end_line, s.name_line, s.signature, s.id
    FROM symbol s JOIN file f ON f.id = s.file ";

/// The byte that stands for the name in a short signature.
const NAME_MARK: &str = "\u{1}";

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

    /// Returns the rows of the files that a handle may be of, by path.
    pub(super) fn files_of(&self, handle: Handle) -> StoreResult<Vec<FileId>> {
        self.files_with_bits(handle.file_bits())
    }

    /// Returns the hashes of the handles of a file's symbols, in source order.
    pub(super) fn symbol_handles(&self, file: FileId) -> StoreResult<Vec<u64>> {
        symbol_handles(&self.tx, file).context("reading the handles of symbols")
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

/// Returns the normal form of a name; `None` where the table makes it itself: see [`super::schema::SCHEMA`].
pub(super) fn other_norm(name: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    (!name.bytes().all(is_plain)).then(|| normal_form(name))
}

/// Returns the value of the column `scope`: `a.B` for the name `c` and the qualified name `a.B.c`, `None` for `c` alone.
pub(super) fn scope<'a>(qualified: &'a str, name: &str) -> Option<Cow<'a, str>> {
    if qualified == name {
        return None;
    }
    let before = qualified
        .strip_suffix(name)
        .and_then(|before| before.strip_suffix('.'))
        .filter(|scope| !scope.starts_with('='));
    Some(before.map_or_else(|| Cow::from(format!("={qualified}")), Cow::from))
}

/// Returns the value of the column `short_signature`: `function \u{1}(job: Job)` for `function open(job: Job)` of the name `open`.
pub(super) fn short_signature<'a>(signature: &'a str, name: &str) -> Cow<'a, str> {
    if signature.starts_with('=') || signature.contains(NAME_MARK) {
        return Cow::from(format!("={signature}"));
    }
    if name.is_empty() || name.contains(NAME_MARK) || !signature.contains(name) {
        return Cow::from(signature);
    }
    Cow::from(signature.replace(name, NAME_MARK))
}

/// Returns the hashes of the handles of a file's symbols, in source order.
pub(super) fn symbol_handles(connection: &Connection, file: FileId) -> rusqlite::Result<Vec<u64>> {
    connection
        .prepare_cached("SELECT handle FROM symbol WHERE file = ?1 ORDER BY ordinal")?
        .query_map([file], |row| row.get::<_, i64>(0).map(i64::cast_unsigned))?
        .collect()
}

fn handle(row: &Row<'_>, at: usize, kind: HandleKind) -> rusqlite::Result<Handle> {
    Ok(Handle {
        kind,
        hash: row.get::<_, i64>(at)?.cast_unsigned(),
    })
}

pub(super) fn kind(row: &Row<'_>, at: usize) -> rusqlite::Result<SymbolKind> {
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

#[cfg(test)]
mod tests {
    use super::{other_norm, scope, short_signature};
    use crate::store::schema::SCHEMA;
    use crate::store::token::normal_form;

    #[test]
    fn the_table_makes_names_and_signatures_from_their_parts() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch(SCHEMA).unwrap();
        let insert = "INSERT INTO symbol(id, file, ordinal, handle, name, other_norm, scope, kind, exported, start_line, extra_lines,
           lines_to_name, start_byte, bytes, short_signature) VALUES(1, 1, 0, 0, ?1, ?2, ?3, 0, 0, 0, 0, 0, 0, 0, ?4)";
        connection
            .pragma_update(None, "foreign_keys", false)
            .unwrap();
        for name in [
            "open",
            "Valid_Session",
            "$el",
            "__",
            "",
            "a-b",
            "[Symbol.iterator]",
            "größe",
            "İx",
            "=",
            "==",
            "a.b",
            "K\u{212a}",
            "nul\0nul",
            "one\u{1}",
            "\u{1}",
        ] {
            for qualified in [
                name.to_owned(),
                format!("Store.{name}"),
                format!("a.B.{name}"),
                format!(".{name}"),
                format!("={name}"),
                format!("=.{name}"),
                format!("Store::{name}"),
                format!("{name}."),
                format!("function {name}(of: {name})"),
                format!("{name}\u{1}{name}"),
                format!("{name}\0{name}"),
                "other".to_owned(),
                String::new(),
            ] {
                // A signature in which the name stands in all these ways, too.
                let signature = &qualified;
                let short = short_signature(signature, name);
                let row = (name, other_norm(name), scope(&qualified, name), short);
                connection.execute(insert, row).unwrap();
                let returning = "DELETE FROM symbol RETURNING norm, qualified, signature";
                let found: [String; 3] = connection
                    .query_row(returning, [], |row| {
                        Ok([row.get(0)?, row.get(1)?, row.get(2)?])
                    })
                    .unwrap();
                let wanted = [normal_form(name), qualified.clone(), qualified];
                assert_eq!(found, wanted, "{name}");
            }
        }
        let short = short_signature("open(open: Opener)", "open");
        assert_eq!(short, "\u{1}(\u{1}: Opener)");
        assert_eq!(other_norm("queueJob_2"), None);
        assert_eq!(scope("Store.open", "open").as_deref(), Some("Store"));
    }
}
