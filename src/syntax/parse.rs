//! Parsing with bounds: one parser for each thread, and a limit of work by the length of the file.

use std::cell::{Cell, RefCell};
use std::ops::{ControlFlow, Range as Bytes};
use std::sync::Once;

use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Point, Range, Tree};

use super::conflict_markers::without_markers;
use crate::model::Budget;

/// Progress steps that any file may cost.
const STEPS_BASE: usize = 2_000;
/// Bytes of a file for each further step. Ordinary code costs a step for 70 to 130 bytes; code that keeps the
/// parser in error recovery costs many times that and is given up.
const BYTES_PER_STEP: usize = 8;

/// Bytes that the lexer is handed at once.
const WINDOW_BYTES: usize = 4 << 10;
/// How often the lexer may go through a file of some length. Ordinary code is read little more than once;
/// code that makes each token run to the end of the file is read once a token.
const READINGS: usize = 40;

/// Bytes behind a part of a file in which the end of its statement is looked for.
const MAX_BYTES_TO_END: usize = 1 << 12;

/// How a parse ended.
pub(super) enum Parsed {
    /// A tree of the whole file, with errors where it was broken.
    Tree(Tree),
    /// The file cost more steps than a file of its length may.
    TooHard,
    /// The budget ended.
    Ended,
}

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new({
        // Before the first parser of the process, whichever thread makes it.
        static ALLOCATOR: Once = Once::new();
        ALLOCATOR.call_once(use_fast_allocator);
        Parser::new()
    });
}

/// Parses `source`. Costs about 0.2 s a megabyte; the parser of this thread is kept for the next file.
pub(super) fn parse(language: &Language, source: &str, budget: &Budget) -> Parsed {
    if budget.is_spent() {
        return Parsed::Ended;
    }
    PARSER.with_borrow_mut(|parser| {
        if parser.set_language(language).is_err() {
            return Parsed::TooHard;
        }
        let limit = STEPS_BASE + source.len() / BYTES_PER_STEP;
        let (mut n_steps, mut ended) = (0_usize, false);
        let max_windows = READINGS * (source.len() / WINDOW_BYTES + 8);
        let n_windows = Cell::new(0_usize);
        let last_end = Cell::new(usize::MAX - 1);
        let mut watch = |_: &ParseState| {
            n_steps += 1;
            ended = budget.is_spent();
            if ended || n_steps > limit || n_windows.get() > max_windows {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let bytes = without_markers(source);
        let tree = parser.parse_with_options(
            &mut |at, _| {
                n_windows.set(n_windows.get() + 1);
                if n_windows.get() > max_windows {
                    // To the lexer the file ends here, with a line's end for scanners that look for one; what it makes of that
                    // is thrown away below.
                    let is_behind_end = at == last_end.get() + 1;
                    last_end.set(at);
                    return if is_behind_end { &bytes[..0] } else { b"\n" };
                }
                &bytes[at.min(bytes.len())..bytes.len().min(at + WINDOW_BYTES)]
            },
            None,
            Some(ParseOptions::new().progress_callback(&mut watch)),
        );
        if let Some(tree) = tree
            && n_windows.get() <= max_windows
        {
            return Parsed::Tree(tree);
        }
        // Otherwise the next parse would resume this one.
        parser.reset();
        if ended {
            Parsed::Ended
        } else {
            Parsed::TooHard
        }
    })
}

/// Returns the number of bytes in a tree that are not understood: those of its outermost errors, and of what ends without the brace
/// or directive that closes it, so that the rest of the file may be taken for a part of it.
pub(in crate::syntax) fn error_bytes(tree: &Tree) -> usize {
    let mut sum = 0;
    // Each node with the length of the one around it: asking a missing node for its parent recurses through the tree.
    let mut open: Vec<(Node<'_>, usize)> = vec![(tree.root_node(), 0)];
    let mut cursor = tree.walk();
    while let Some((node, n_around)) = open.pop() {
        if node.is_error() {
            sum += node.byte_range().len();
        } else if node.is_missing() {
            let is_closing = matches!(node.kind(), "}" | "#endif");
            sum += if is_closing { n_around } else { 1 };
        } else if node.has_error() {
            let length = node.byte_range().len();
            open.extend(node.children(&mut cursor).map(|it| (it, length)));
        }
    }
    sum
}

/// Parses the bytes of a file in a range that begins at `start`, with the first `;` behind them as their end: code that the
/// grammar reads as tokens. Places in the tree are those in the file. `None` where it costs too much.
pub(super) fn parse_range(
    language: &Language,
    source: &str,
    bytes: Bytes<usize>,
    start: Point,
    budget: &Budget,
) -> Option<Tree> {
    if budget.is_spent() {
        return None;
    }
    let text = source.get(bytes.clone())?;
    let end = match text.rfind('\n') {
        Some(last) => Point {
            row: start.row + text.bytes().filter(|it| *it == b'\n').count(),
            column: text.len() - last - 1,
        },
        None => Point {
            row: start.row,
            column: start.column + text.len(),
        },
    };
    let mut ranges = vec![Range {
        start_byte: bytes.start,
        end_byte: bytes.end,
        start_point: start,
        end_point: end,
    }];
    let behind = source.as_bytes()[bytes.end..].iter();
    if let Some(at) = behind.take(MAX_BYTES_TO_END).position(|it| *it == b';') {
        let at = bytes.end + at;
        // Nobody asks for the place of this.
        ranges.push(Range {
            start_byte: at,
            end_byte: at + 1,
            start_point: end,
            end_point: end,
        });
    }
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(language).ok()?;
        parser.set_included_ranges(&ranges).ok()?;
        let limit = STEPS_BASE + text.len() / BYTES_PER_STEP;
        let mut n_steps = 0_usize;
        let mut watch = |_: &ParseState| {
            n_steps += 1;
            if n_steps > limit || budget.is_spent() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let all = source.as_bytes();
        let tree = parser.parse_with_options(
            &mut |at, _| &all[at.min(all.len())..all.len().min(at + WINDOW_BYTES)],
            None,
            Some(ParseOptions::new().progress_callback(&mut watch)),
        );
        if tree.is_none() {
            parser.reset();
        }
        // No range is the whole file again.
        parser.set_included_ranges(&[]).ok()?;
        tree
    })
}

/// Puts the parser's memory on a faster allocator: about a fifth off the time of parsing.
#[allow(
    unsafe_code,
    reason = "the library offers no safe way; the four functions are a matching set"
)]
fn use_fast_allocator() {
    use libmimalloc_sys::{mi_calloc, mi_free, mi_malloc, mi_realloc};
    let allocator = tree_sitter::Allocator {
        malloc: mi_malloc,
        calloc: mi_calloc,
        realloc: mi_realloc,
        free: mi_free,
    };
    // SAFETY: every parser is made after this, so nothing is freed by another allocator than made it.
    unsafe { tree_sitter::set_allocator(Some(allocator)) };
}
