//! The chunks of a file as one value: about 17 bytes a chunk, where a row and its entry in an index took 57.
//!
//! The chunks of a file cover its lines one after the other, so only their lengths are written. Their ids are mostly one run. The
//! handle of a chunk that belongs to a symbol follows from the symbol's; of another one the bits that are not of the file are written.
//!
//! ```text
//! runs of ids    for each: step from the end of the run before, number of chunks
//! each chunk     part << 3 | has a symbol << 2 | kind, lines - 1, bytes, step from the last symbol | 6 bytes of the handle, 8 of the digest
//! ```
//!
//! Numbers are those of `packed_numbers`.

use super::packed_numbers::{put, take};
use crate::model::{ChunkId, ChunkKind, Span};

/// A chunk as it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredChunk {
    /// The row of its text.
    pub(super) id: ChunkId,
    /// The kind.
    pub(super) kind: ChunkKind,
    /// The symbol it belongs to.
    pub(super) owner: ChunkOwner,
    /// Which part of that symbol, or which run of gaps.
    pub(super) part: u32,
    /// Where it is.
    pub(super) span: Span,
    /// The digest of its text.
    pub(super) digest: i64,
}

/// The symbol of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkOwner {
    /// A symbol, by its place in the file.
    Symbol(u32),
    /// None: the [`own_bits`](crate::model::Handle::own_bits) of its handle.
    Nobody(u64),
}

/// Chunks of a file, one after the other, with ids one after the other: the first id and the number of chunks.
pub(super) type ChunkRun = (i64, u32);

const HAS_SYMBOL: u64 = 1 << 2;
const PART_SHIFT: u32 = 3;

/// The fewest bytes of a chunk: four numbers and a digest.
const MIN_CHUNK_BYTES: usize = 12;

/// Returns the runs of ids of the chunks of a file.
pub(super) fn runs(chunks: &[StoredChunk]) -> Vec<ChunkRun> {
    let mut runs: Vec<ChunkRun> = Vec::new();
    for chunk in chunks {
        let id = chunk.id.row();
        match runs.last_mut() {
            Some((first, n)) if *first + i64::from(*n) == id => *n += 1,
            _ => runs.push((id, 1)),
        }
    }
    runs
}

/// Returns the chunks of a file, packed. They have to cover its lines from the first on, in order.
pub(super) fn pack(chunks: &[StoredChunk]) -> Vec<u8> {
    let mut end = 0;
    let runs = runs(chunks).into_iter().map(|(first, n)| {
        let step = first - end;
        end = first + i64::from(n);
        (step, n)
    });
    let mut packed = Vec::new();
    put(&mut packed, runs.collect::<Vec<(i64, u32)>>());
    let (mut line, mut byte, mut symbol) = (1, 0, 0);
    for chunk in chunks {
        let span = chunk.span;
        debug_assert!(
            span.start_line == line && span.start_byte == byte,
            "a gap before {span:?}"
        );
        (line, byte) = (span.end_line + 1, span.end_byte);
        let n_lines = span.end_line - span.start_line;
        let n_bytes = span.end_byte - span.start_byte;
        let shape = u64::from(chunk.part) << PART_SHIFT | u64::from(chunk.kind.code());
        match chunk.owner {
            ChunkOwner::Symbol(at) => {
                let step = i64::from(at) - symbol;
                symbol = i64::from(at);
                put(&mut packed, (shape | HAS_SYMBOL, n_lines, n_bytes, step));
            }
            ChunkOwner::Nobody(bits) => {
                let [handle @ .., _, _] = bits.to_le_bytes();
                put(&mut packed, (shape, n_lines, n_bytes, handle));
            }
        }
        packed.extend(chunk.digest.to_le_bytes());
    }
    packed
}

/// Returns the chunks that [`pack`] packed; `None` for other bytes: no id is below 1 and no number out of its range. Takes no more memory
/// than five times the bytes. Costs about 20 ns a chunk.
pub(super) fn unpack(packed: &[u8]) -> Option<Vec<StoredChunk>> {
    let mut rest = packed;
    let runs = take_runs(&mut rest)?;
    let mut chunks = Vec::with_capacity(rest.len() / MIN_CHUNK_BYTES);
    let (mut line, mut byte, mut symbol) = (1_u32, 0_u32, 0_i64);
    for (first, n) in runs {
        for at in 0..i64::from(n) {
            let (shape, n_lines, n_bytes): (u64, u32, u32) = take(&mut rest)?;
            let owner = if shape & HAS_SYMBOL == 0 {
                let mut bits = [0; 8];
                bits[..6].copy_from_slice(&take::<[u8; 6]>(&mut rest)?);
                ChunkOwner::Nobody(u64::from_le_bytes(bits))
            } else {
                symbol = symbol.checked_add(take(&mut rest)?)?;
                ChunkOwner::Symbol(u32::try_from(symbol).ok()?)
            };
            let span = Span {
                start_byte: byte,
                end_byte: byte.checked_add(n_bytes)?,
                start_line: line,
                end_line: line.checked_add(n_lines)?,
            };
            (line, byte) = (span.end_line.checked_add(1)?, span.end_byte);
            chunks.push(StoredChunk {
                id: ChunkId::new(first + at),
                kind: ChunkKind::from_code(u8::try_from(shape & (HAS_SYMBOL - 1)).ok()?)?,
                owner,
                part: u32::try_from(shape >> PART_SHIFT).ok()?,
                span,
                digest: i64::from_le_bytes(take(&mut rest)?),
            });
        }
    }
    rest.is_empty().then_some(chunks)
}

/// Returns the runs of ids of packed chunks alone; `None` for damaged ones.
pub(super) fn unpack_runs(packed: &[u8]) -> Option<Vec<ChunkRun>> {
    take_runs(&mut &packed[..])
}

fn take_runs(rest: &mut &[u8]) -> Option<Vec<ChunkRun>> {
    let mut end = 0_i64;
    let mut runs: Vec<ChunkRun> = take(rest)?;
    for (first, n) in &mut runs {
        *first = end.checked_add(*first)?;
        end = first.checked_add(i64::from(*n))?;
        if *first < 1 || *n < 1 {
            return None;
        }
    }
    Some(runs)
}

#[cfg(test)]
mod tests {
    use super::{ChunkOwner, StoredChunk, pack, runs, unpack, unpack_runs};
    use crate::model::{ChunkId, ChunkKind, Span};

    /// Returns chunks that differ in all that a chunk can differ in.
    fn chunks() -> Vec<StoredChunk> {
        use ChunkOwner::{Nobody, Symbol};
        let last = (1 << 48) - 1;
        let rows = [
            (7, Nobody(0), 0, 1, i64::MIN),
            (8, Symbol(300), 0, 900, -1),
            (9, Symbol(2), u32::MAX, 0, 0),
            (1 << 40, Symbol(u32::MAX), 16, 40, 1),
            (3, Nobody(last), 1, 7, i64::MAX),
            (4, Nobody(1), 2, 7, 5),
        ];
        let mut chunks: Vec<StoredChunk> = Vec::new();
        for (id, owner, part, n_lines, digest) in rows {
            let (start_byte, start_line) = chunks
                .last()
                .map_or((0, 1), |it| (it.span.end_byte, it.span.end_line + 1));
            chunks.push(StoredChunk {
                id: ChunkId::new(id),
                kind: ChunkKind::ALL[chunks.len() % ChunkKind::ALL.len()],
                owner,
                part,
                span: Span {
                    start_byte,
                    end_byte: start_byte + n_lines * 31,
                    start_line,
                    end_line: start_line + n_lines,
                },
                digest,
            });
        }
        chunks
    }

    #[test]
    fn chunks_read_back_as_themselves() {
        for n in 0..=chunks().len() {
            let chunks = &chunks()[..n];
            let packed = pack(chunks);
            assert_eq!(unpack(&packed).as_deref(), Some(chunks));
            assert_eq!(unpack_runs(&packed), Some(runs(chunks)));
        }
        assert_eq!(runs(&chunks()), [(7, 3), (1 << 40, 1), (3, 2)]);
    }

    #[test]
    fn an_ordinary_chunk_takes_14_bytes() {
        let chunk = StoredChunk {
            id: ChunkId::new(1),
            kind: ChunkKind::Definition,
            owner: ChunkOwner::Symbol(3),
            part: 0,
            span: Span {
                start_byte: 0,
                end_byte: 900,
                start_line: 1,
                end_line: 30,
            },
            digest: 9,
        };
        // Three more are the list of runs.
        assert_eq!(pack(&[chunk]).len(), 14 - 1 + 3);
    }

    #[test]
    fn changed_bytes_are_refused_or_are_other_chunks() {
        let packed = pack(&chunks());
        let mut n_refused = 0;
        for at in 0..packed.len() {
            assert_eq!(unpack(&packed[..at]), None, "{at} bytes of it");
            for byte in 0..=u8::MAX {
                let mut changed = packed.clone();
                changed[at] = byte;
                match unpack(&changed) {
                    None => n_refused += 1,
                    Some(found) => {
                        assert!(found.iter().all(|chunk| chunk.id.row() > 0));
                        assert_eq!(unpack(&pack(&found)), Some(found));
                    }
                }
            }
        }
        assert!(n_refused > packed.len() * 20, "{n_refused}");
        let mut longer = packed;
        longer.push(0);
        assert_eq!(unpack(&longer), None);
    }

    #[test]
    fn what_claims_to_be_much_takes_no_memory() {
        // A run of 2³² - 1 chunks, and as many runs.
        let many = [0xff, 0xff, 0xff, 0xff, 0x0f];
        let run = [&[1, 2][..], &many].concat();
        assert_eq!(unpack(&run), None);
        assert_eq!(unpack(&[&many[..], &[2, 1]].concat()), None);
        for bad in [&[1, 0, 1][..], &[1, 1, 1], &[1, 2, 0], &[]] {
            assert_eq!(unpack(bad), None, "{bad:?}");
        }
    }
}
