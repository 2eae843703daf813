//! Edges as an index keeps them: those of one file into one block of definitions in one row, packed to about 5 bytes each.
//!
//! A block is 64 definitions whose ids follow one another, of a few files mostly. The edges into a definition are in the rows of its
//! block, those out of a file are found by an index. SQLite knows no definitions in packed edges: the writer takes the edges of a
//! definition out when it is deleted, since another one may get its id.

use rusqlite::Connection;

use super::edges::EdgeRow;
use super::kept_lists::KeptLists;
use super::packed_numbers::{damage, put, take};
use super::{ErrorContext, Read, StoreResult, Writer};
use crate::model::hash::HashMap;
use crate::model::{EdgeKind, FileId, Provenance, SymbolId};

/// Definitions whose edges lie together. Larger blocks have fewer rows (of 23,665 edges 5,804 by 16, 3,551 by 64, 2,798 by 128), and
/// more edges that a question reads in vain.
const BLOCK: i64 = 64;

/// The first byte of an edge: the kind and the provenance, three bits each, and these.
const IS_SAME_TARGET: u8 = 2;
const HAS_COUNT: u8 = 1;
const _: () = assert!(EdgeKind::ALL.len() <= 8 && Provenance::ALL.len() <= 8);

/// Edges that are read together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum EdgeList {
    /// Those into a block.
    Into(i64),
    /// Those out of a file.
    OutOf(FileId),
    /// Those of the index.
    All,
}

/// Lists that a [`Read`] keeps unpacked.
pub(super) type KeptEdges = KeptLists<EdgeList, EdgeRow>;

/// Returns the block of a definition.
pub(super) fn block_of(definition: SymbolId) -> i64 {
    definition.row().div_euclid(BLOCK)
}

/// The order of packed edges, which tells them apart within a file.
fn order(edge: &EdgeRow) -> (SymbolId, Option<SymbolId>, EdgeKind, Provenance) {
    (edge.dst, edge.src, edge.kind, edge.provenance)
}

/// Packs edges of one file into one block, which are sorted by [`order`]; of none come no bytes.
///
/// First the id of the first definition that has an edge (0: none has). Then for each edge the byte of kind and provenance; the place
/// of the target in its block, unless it is that of the edge before; 0 for the top level, else the distance of `src` from that first
/// one, and 1; the line; the count, unless it is 1. Numbers are those of [`super::packed_numbers`].
fn pack(edges: &[EdgeRow]) -> Vec<u8> {
    let mut packed = Vec::new();
    if edges.is_empty() {
        return packed;
    }
    let first_src = edges.iter().filter_map(|edge| edge.src).min();
    let first_src = first_src.map_or(0, SymbolId::row);
    put(&mut packed, first_src.cast_unsigned());
    let mut before = None;
    for edge in edges {
        let is_same = before.replace(edge.dst) == Some(edge.dst);
        let flags = u8::from(is_same) * IS_SAME_TARGET + u8::from(edge.count != 1) * HAS_COUNT;
        packed.push(edge.kind.code() << 5 | edge.provenance.code() << 2 | flags);
        if !is_same {
            put(
                &mut packed,
                edge.dst.row().rem_euclid(BLOCK).cast_unsigned(),
            );
        }
        let src = edge.src.map_or(0, |src| src.row() - first_src + 1);
        put(&mut packed, src.cast_unsigned());
        put(&mut packed, edge.line);
        if edge.count != 1 {
            put(&mut packed, edge.count);
        }
    }
    packed
}

/// Calls `on_edge` with each of the edges of a row, by [`order`].
///
/// # Errors
/// Damage; edges before it were handed on. The ids may be those of no definition.
pub(super) fn unpack(
    (block, src_file, packed): (i64, FileId, &[u8]),
    mut on_edge: impl FnMut(EdgeRow) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let mut rest = packed;
    let first_src = take(&mut rest).ok_or_else(|| damage("edges that cannot be unpacked"))?;
    let mut before = None;
    loop {
        let place = (block, src_file, first_src);
        let edge = unpack_one(&mut rest, place, before.as_ref())
            .ok_or_else(|| damage("edges that cannot be unpacked"))?;
        on_edge(edge)?;
        if rest.is_empty() {
            return Ok(());
        }
        before = Some(edge);
    }
}

fn unpack_one(
    rest: &mut &[u8],
    (block, src_file, first_src): (i64, FileId, u64),
    before: Option<&EdgeRow>,
) -> Option<EdgeRow> {
    let (first, after) = rest.split_first()?;
    *rest = after;
    let dst = if first & IS_SAME_TARGET != 0 {
        before?.dst
    } else {
        let at = i64::try_from(take::<u64>(rest)?)
            .ok()
            .filter(|at| *at < BLOCK)?;
        SymbolId::new(block.checked_mul(BLOCK)?.checked_add(at)?)
    };
    let src = match take::<u64>(rest)? {
        0 => None,
        n => Some(i64::try_from(first_src.checked_add(n - 1)?).ok()?),
    };
    let edge = EdgeRow {
        src_file,
        src: src.map(SymbolId::new),
        dst,
        kind: EdgeKind::from_code(first >> 5)?,
        provenance: Provenance::from_code(first >> 2 & 7)?,
        line: take(rest)?,
        count: match first & HAS_COUNT {
            0 => 1,
            _ => take(rest)?,
        },
    };
    let is_sound = edge.count > 0
        && edge.src != Some(SymbolId::NONE)
        && before.is_none_or(|before| order(before) < order(&edge));
    is_sound.then_some(edge)
}

/// Calls `on_row` with block, file and packed edges of each row of a list, by these.
fn each_row(
    connection: &Connection,
    list: EdgeList,
    mut on_row: impl FnMut((i64, FileId, &[u8])) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let (query, value) = match list {
        EdgeList::Into(block) => (
            "SELECT dst_block, src_file, packed FROM edge WHERE dst_block = ?1 ORDER BY src_file",
            Some(block),
        ),
        EdgeList::OutOf(file) => (
            "SELECT dst_block, src_file, packed FROM edge WHERE src_file = ?1 ORDER BY dst_block",
            Some(file.row()),
        ),
        EdgeList::All => (
            "SELECT dst_block, src_file, packed FROM edge ORDER BY dst_block, src_file",
            None,
        ),
    };
    let mut statement = connection.prepare_cached(query)?;
    let mut rows = statement.query(rusqlite::params_from_iter(value))?;
    while let Some(row) = rows.next()? {
        on_row((row.get(0)?, row.get(1)?, row.get_ref(2)?.as_blob()?))?;
    }
    Ok(())
}

/// Calls `on_edge` with each edge of a list: by block, then by file, then by target.
pub(super) fn each_edge(
    connection: &Connection,
    list: EdgeList,
    mut on_edge: impl FnMut(EdgeRow) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    each_row(connection, list, |row| unpack(row, &mut on_edge))
}

impl Read<'_> {
    /// Returns the edges of a list that are wanted, in the order of [`each_edge`]. The list is kept unpacked, unless it is long.
    pub(super) fn edges(
        &self,
        list: EdgeList,
        is_wanted: impl Fn(&EdgeRow) -> bool,
    ) -> StoreResult<Vec<EdgeRow>> {
        let each = |list, on_edge: &mut dyn FnMut(EdgeRow)| {
            each_edge(&self.tx, list, |edge| {
                on_edge(edge);
                Ok(())
            })
        };
        let mut kept = self.kept_edges.borrow_mut();
        kept.wanted(list, is_wanted, each).context("reading edges")
    }
}

impl Writer<'_> {
    /// Makes the edges of a file equal `edges`. A file that is linked again has mostly the same as before: a row is written if it
    /// differs.
    pub(super) fn write_edges(&self, file: FileId, edges: &[EdgeRow]) -> rusqlite::Result<()> {
        let mut wanted = edges.to_vec();
        wanted.sort_unstable_by_key(|edge| (order(edge), edge.count, edge.line));
        wanted.dedup_by_key(|edge| order(edge));
        let mut known: HashMap<i64, Vec<u8>> = HashMap::default();
        each_row(self.tx(), EdgeList::OutOf(file), |(block, _, packed)| {
            known.insert(block, packed.to_vec());
            Ok(())
        })?;
        for edges in wanted.chunk_by(|a, b| block_of(a.dst) == block_of(b.dst)) {
            let block = block_of(edges[0].dst);
            let packed = pack(edges);
            if known.remove(&block).as_ref() != Some(&packed) {
                self.write_packed(block, file, &packed)?;
            }
        }
        let mut gone = known.into_keys();
        gone.try_for_each(|block| self.write_packed(block, file, &[]))
    }

    /// Takes out the edges into definitions that are deleted; `gone` is sorted. Reads each of their blocks once.
    pub(super) fn forget_edges_into(&self, gone: &[SymbolId]) -> rusqlite::Result<()> {
        for gone in gone.chunk_by(|a, b| block_of(*a) == block_of(*b)) {
            let stays = |edge: &EdgeRow| gone.binary_search(&edge.dst).is_err();
            self.retain_edges(EdgeList::Into(block_of(gone[0])), stays)?;
        }
        Ok(())
    }

    /// Takes out the edges out of definitions of a file that are deleted; `gone` is sorted.
    pub(super) fn forget_edges_out_of(
        &self,
        file: FileId,
        gone: &[SymbolId],
    ) -> rusqlite::Result<()> {
        let is_gone = |src: SymbolId| gone.binary_search(&src).is_ok();
        self.retain_edges(EdgeList::OutOf(file), |edge| !edge.src.is_some_and(is_gone))
    }

    fn retain_edges(
        &self,
        list: EdgeList,
        stays: impl Fn(&EdgeRow) -> bool,
    ) -> rusqlite::Result<()> {
        let mut changed = Vec::new();
        each_row(self.tx(), list, |row| {
            let (mut edges, mut n) = (Vec::new(), 0);
            unpack(row, |edge| {
                n += 1;
                edges.extend(Some(edge).filter(&stays));
                Ok(())
            })?;
            if edges.len() < n {
                changed.push((row.0, row.1, pack(&edges)));
            }
            Ok(())
        })?;
        let mut changed = changed.iter();
        changed.try_for_each(|(block, file, packed)| self.write_packed(*block, *file, packed))
    }

    /// Replaces a row; without edges there is none.
    fn write_packed(&self, block: i64, file: FileId, packed: &[u8]) -> rusqlite::Result<()> {
        if packed.is_empty() {
            let delete = "DELETE FROM edge WHERE dst_block = ?1 AND src_file = ?2";
            let mut statement = self.tx().prepare_cached(delete)?;
            return statement.execute((block, file)).map(drop);
        }
        self.tx()
            .prepare_cached(
                "INSERT INTO edge(dst_block, src_file, packed) VALUES(?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET packed = excluded.packed",
            )?
            .execute((block, file, packed))
            .map(drop)
    }
}

#[cfg(test)]
mod tests;
