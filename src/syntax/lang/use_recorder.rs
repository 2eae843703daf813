//! The uses of names in one file, each recorded once for all places where it is the same.
//!
//! `a.open(); a.open()` in one function is one reference with a count of 2. Does not decide which definition a use means.

use tree_sitter::Node;

use crate::ir::{NameId, Reference, ReferenceKind, SymbolIdx, Target};
use crate::model::hash::HashMap;
use crate::model::{LineStarts, Span};

/// A use of a name: equal ones are one reference.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RecordedUse {
    pub(super) name: NameId,
    pub(super) target: Target,
    pub(super) kind: ReferenceKind,
    /// The innermost symbol around.
    pub(super) symbol: Option<SymbolIdx>,
}

/// Where names are used in a file; empty unless it was asked for.
#[derive(Debug, Default)]
pub(in crate::syntax) struct UsePositions {
    /// Each use by the first byte of its name, in source order, with its reference.
    pub(in crate::syntax) uses: Vec<(u32, u32)>,
    /// Bare names that nothing in the file binds, by their first bytes, in source order. Of languages in which no other file
    /// can bind them: these are no references.
    pub(in crate::syntax) unbound: Vec<(u32, ReferenceKind)>,
}

/// Collects the references of a file.
pub(super) struct UseRecorder {
    known: HashMap<RecordedUse, usize>,
    keeps_positions: bool,
    positions: UsePositions,
    lines: LineStarts,
}

impl UseRecorder {
    /// Begins a file. `keeps_positions` keeps the place of each use beside its reference.
    pub(super) fn new(source: &str, keeps_positions: bool) -> Self {
        Self {
            known: HashMap::default(),
            keeps_positions,
            positions: UsePositions::default(),
            lines: LineStarts::of(source),
        }
    }

    /// Returns the line of a byte, from 1.
    pub(super) fn line_at(&self, byte: usize) -> u32 {
        self.lines.number_at(byte)
    }

    /// Adds the use at byte `at` to the references.
    pub(super) fn record(&mut self, references: &mut Vec<Reference>, used: RecordedUse, at: usize) {
        let line = self.line_at(at);
        let known = self.known.get(&used).copied();
        if self.keeps_positions {
            let reference = known.unwrap_or(references.len());
            self.positions.uses.push((offset(at), offset(reference)));
        }
        if let Some(known) = known {
            let reference = &mut references[known];
            reference.count += 1;
            reference.line = reference.line.min(line);
            return;
        }
        self.known.insert(used, references.len());
        references.push(Reference {
            name: used.name,
            target: used.target,
            kind: used.kind,
            symbol: used.symbol,
            line,
            count: 1,
        });
    }

    /// Puts the references in the order of their lines. Nothing can be recorded afterwards.
    pub(super) fn sort(&mut self, references: &mut Vec<Reference>) {
        let mut numbered: Vec<(usize, Reference)> =
            std::mem::take(references).into_iter().enumerate().collect();
        numbered.sort_by_key(|(_, it)| it.line);
        let mut places = vec![0; numbered.len()];
        for (new, (old, reference)) in numbered.into_iter().enumerate() {
            places[old] = offset(new);
            references.push(reference);
        }
        for (_, reference) in &mut self.positions.uses {
            *reference = places[*reference as usize];
        }
        let UsePositions { uses, unbound } = &mut self.positions;
        uses.sort_unstable();
        uses.dedup_by_key(|position| position.0);
        unbound.sort_unstable_by_key(|position| position.0);
    }

    /// Notes the bare name at byte `at` that nothing binds.
    pub(super) fn note_unbound(&mut self, kind: ReferenceKind, at: usize) {
        if self.keeps_positions {
            self.positions.unbound.push((offset(at), kind));
        }
    }

    /// Returns the positions of all uses, if they are kept.
    pub(super) fn into_positions(self) -> UsePositions {
        self.positions
    }
}

/// Returns the span of a node.
pub(super) fn span_of(node: Node<'_>) -> Span {
    let end = node.end_position();
    let last = end.row + usize::from(end.column > 0 || end.row == node.start_position().row);
    Span {
        start_byte: offset(node.start_byte()),
        end_byte: offset(node.end_byte()),
        start_line: offset(node.start_position().row + 1),
        end_line: offset(last),
    }
}

/// Returns an offset as the facts keep it.
pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
