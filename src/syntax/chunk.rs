//! Cuts code into chunks, by lines and the spans of symbols: a definition with its comments is a chunk, a long one is cut
//! by members and at blank lines, and the code between definitions is chunks of its own.

use super::lines::{Lines, MAX_BYTES, MAX_LINES};
use crate::model::{Chunk, ChunkKind, Symbol, SymbolKind};

/// A member with fewer lines has no chunk of its own.
const MEMBER_LINES: usize = 4;
/// A function inside a long function with fewer lines has no chunk of its own.
const NESTED_LINES: usize = 10;
/// Neighbouring definitions of at most this many lines, comments included, share a chunk …
const SMALL_LINES: usize = 3;
/// … up to this many lines.
const GROUP_LINES: usize = 30;
/// By how many lines a chunk may exceed its limit to take in a short remainder.
const SLACK_LINES: usize = 10;
/// Definitions inside definitions that are cut separately; further in, lines decide.
const MAX_LEVELS: usize = 24;

/// The symbols of a file, as far as cutting needs them.
#[derive(Clone, Copy, Debug)]
pub(super) struct SymbolOutline<'a> {
    /// In the order of their first byte.
    pub(super) symbols: &'a [Symbol],
    /// For each symbol the byte at which the comments above it begin.
    pub(super) leads: &'a [u32],
}

/// A run of lines with its owner, before it is a chunk.
#[derive(Clone, Copy, Debug)]
struct LineRun {
    from: usize,
    to: usize,
    owner: Option<usize>,
    /// Whether its owner begins in it.
    head: bool,
}

struct Cutter<'a> {
    lines: &'a Lines<'a>,
    symbols: &'a [Symbol],
    /// First line of each symbol's comments, and one past its last line.
    ranges: Vec<(usize, usize)>,
    /// Symbols directly inside each symbol, by place; the last entry holds those at the top.
    inside: Vec<Vec<usize>>,
    pieces: Vec<LineRun>,
}

/// Returns the chunks of a file of code.
pub(super) fn of_code(lines: &Lines<'_>, outline: SymbolOutline<'_>) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    of_range(lines, (0, lines.len()), outline, None, &mut chunks);
    number(&mut chunks);
    chunks
}

/// Appends the chunks of a range of lines. `skip` is a symbol that stands for the whole file and owns
/// no lines.
pub(super) fn of_range(
    lines: &Lines<'_>,
    (from, to): (usize, usize),
    outline: SymbolOutline<'_>,
    skip: Option<usize>,
    chunks: &mut Vec<Chunk>,
) {
    if from >= to {
        return;
    }
    let symbols = outline.symbols;
    let ranges: Vec<_> = symbols
        .iter()
        .zip(outline.leads)
        .map(|(symbol, &lead)| {
            let last = lines.line_at(symbol.span.end_byte.saturating_sub(1)) + 1;
            (lines.line_at(lead), last)
        })
        .collect();
    let mut cutter = Cutter {
        lines,
        symbols,
        inside: nesting(symbols, skip),
        ranges,
        pieces: Vec::new(),
    };
    let top = cutter.inside.pop().unwrap_or_default();
    cutter.level(None, (from, to), &top, 0);
    let pieces = cutter.flush_group();
    let mut next = symbols.partition_point(|s| lines.line_at(s.span.start_byte) < from);
    for piece in pieces {
        let mut names: Vec<String> = Vec::new();
        while let Some(symbol) = symbols.get(next)
            && lines.line_at(symbol.span.start_byte) < piece.to
        {
            let own = Some(next) == piece.owner;
            next += 1;
            if Some(next - 1) == skip || names.contains(&symbol.qualified_name) {
                continue;
            }
            names.insert(
                if own { 0 } else { names.len() },
                symbol.qualified_name.clone(),
            );
        }
        let owner = piece.owner.map(|owner| &symbols[owner]);
        chunks.push(Chunk {
            kind: if owner.is_some() {
                ChunkKind::Definition
            } else {
                ChunkKind::Gap
            },
            span: lines.span(piece.from, piece.to),
            symbol: piece.owner.and_then(|owner| u32::try_from(owner).ok()),
            part: 0,
            names,
            signature: owner.map_or_else(String::new, |owner| owner.signature.clone()),
            doc: owner.map_or_else(String::new, |owner| owner.doc.clone()),
        });
    }
}

/// Numbers the parts of each symbol and the runs of gaps and text; a doc comment stays with part 0.
pub(super) fn number(chunks: &mut [Chunk]) {
    let mut parts = std::collections::HashMap::new();
    for chunk in chunks {
        let key = (chunk.symbol, chunk.symbol.map_or(chunk.kind.code(), |_| 0));
        let next = parts.entry(key).or_insert(0_u32);
        chunk.part = *next;
        *next += 1;
        if chunk.part > 0 {
            chunk.doc = String::new();
        }
    }
}

/// Returns for each symbol, by bytes, the symbols directly inside; one more entry holds the top.
fn nesting(symbols: &[Symbol], skip: Option<usize>) -> Vec<Vec<usize>> {
    let mut inside = vec![Vec::new(); symbols.len() + 1];
    let mut open: Vec<usize> = Vec::new();
    for (at, symbol) in symbols.iter().enumerate() {
        if Some(at) == skip {
            continue;
        }
        while open
            .last()
            .is_some_and(|&o| !symbols[o].span.contains(&symbol.span))
        {
            open.pop();
        }
        inside[open.last().copied().unwrap_or(symbols.len())].push(at);
        open.push(at);
    }
    inside
}

impl Cutter<'_> {
    /// Cuts lines that belong to `owner` around the definitions inside.
    fn level(
        &mut self,
        owner: Option<usize>,
        (from, to): (usize, usize),
        inside: &[usize],
        depth: usize,
    ) {
        let mut at = from;
        let mut head = owner.is_some();
        for &child in inside {
            let (start, end) = self.ranges[child];
            let (start, end) = (start.max(at), end.min(to));
            if start >= end || !self.has_own_chunk(owner, child, end - start) {
                continue;
            }
            // A definition that begins in the line of its owner is cut with it.
            let covers = owner.is_some_and(|o| self.ranges[o].1 == end && start == from);
            if covers && depth < MAX_LEVELS {
                let deeper = std::mem::take(&mut self.inside[child]);
                return self.level(owner, (from, to), &deeper, depth + 1);
            }
            if at < start {
                self.pieces.push(LineRun {
                    from: at,
                    to: start,
                    owner,
                    head,
                });
                head = false;
            }
            if self.lines.fits(start, end) || depth >= MAX_LEVELS {
                self.pieces.push(LineRun {
                    from: start,
                    to: end,
                    owner: Some(child),
                    head: true,
                });
            } else {
                let deeper = std::mem::take(&mut self.inside[child]);
                self.level(Some(child), (start, end), &deeper, depth + 1);
            }
            at = end;
        }
        if at < to {
            self.pieces.push(LineRun {
                from: at,
                to,
                owner,
                head,
            });
        }
    }

    fn has_own_chunk(&self, owner: Option<usize>, child: usize, n_lines: usize) -> bool {
        let Some(owner) = owner else { return true };
        let [owner, child] = [owner, child].map(|at| self.symbols[at].kind);
        let nested = owner.is_function() && child.is_function();
        n_lines >= if nested { NESTED_LINES } else { MEMBER_LINES }
    }

    /// Joins small pieces and cuts large ones.
    fn flush_group(&mut self) -> Vec<LineRun> {
        let mut joined: Vec<LineRun> = Vec::with_capacity(self.pieces.len());
        let mut idle: Option<usize> = None;
        for mut piece in std::mem::take(&mut self.pieces) {
            if let Some(from) = idle.take() {
                piece.from = from;
            }
            if let Some(last) = joined.last_mut()
                && !piece.head
            {
                // Blank lines belong to what stands above them.
                while piece.from + 1 < piece.to && self.lines.is_blank(piece.from) {
                    piece.from += 1;
                    last.to += 1;
                }
            }
            match joined.last_mut() {
                Some(last) if self.joins(last, &piece) => last.to = piece.to,
                None if !piece.head && self.lines.n_busy(piece.from, piece.to) == 0 => {
                    idle = Some(piece.from);
                }
                _ => joined.push(piece),
            }
        }
        if let Some(from) = idle {
            joined.push(LineRun {
                from,
                to: self.lines.len(),
                owner: None,
                head: false,
            });
        }
        let mut cut = Vec::with_capacity(joined.len());
        for piece in joined {
            let near = piece.to - piece.from <= MAX_LINES + SLACK_LINES
                && self.lines.bytes(piece.from, piece.to) <= MAX_BYTES;
            let runs = if near {
                vec![(piece.from, piece.to)]
            } else {
                self.lines.cut(piece.from, piece.to)
            };
            for (index, (from, to)) in runs.into_iter().enumerate() {
                let head = piece.head && index == 0;
                cut.push(LineRun {
                    from,
                    to,
                    head,
                    ..piece
                });
            }
        }
        cut
    }

    fn joins(&self, last: &LineRun, piece: &LineRun) -> bool {
        let n_lines = piece.to - piece.from;
        let both = piece.to - last.from;
        let n_busy = |piece: &LineRun| self.lines.n_busy(piece.from, piece.to);
        if !piece.head && n_lines <= SLACK_LINES / 2 && n_busy(piece) == 0 {
            return true;
        }
        if self.lines.bytes(last.from, piece.to) > MAX_BYTES {
            return false;
        }
        if !piece.head {
            let n_busy = n_busy(piece);
            let idle = n_busy == 0 && both <= 2 * MAX_LINES;
            let small = piece.owner.is_some() && n_busy < MEMBER_LINES;
            return idle || (small && both <= MAX_LINES + SLACK_LINES);
        }
        last.head
            && both <= GROUP_LINES
            && n_lines <= SMALL_LINES
            && self.is_plain(piece)
            && self.is_plain(last)
    }

    /// Returns whether a piece is a definition that is small by nature.
    fn is_plain(&self, piece: &LineRun) -> bool {
        let Some(owner) = piece.owner else {
            return false;
        };
        let (from, to) = self.ranges[owner];
        to - from <= SMALL_LINES
            && matches!(
                self.symbols[owner].kind,
                SymbolKind::Constant
                    | SymbolKind::Variable
                    | SymbolKind::Type
                    | SymbolKind::Field
                    | SymbolKind::Property
                    | SymbolKind::EnumMember
            )
    }
}
