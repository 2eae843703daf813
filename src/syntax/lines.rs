//! The lines of a text, and where it can be cut.
//!
//! By indentation, blank lines and the bounds of a chunk, whatever the language; see `chunk` for definitions.

use crate::model::Span;

/// Lines that a chunk may have.
pub(super) const MAX_LINES: usize = 60;
/// Bytes that a chunk of more than one line may have.
pub(super) const MAX_BYTES: usize = 8_192;
/// A chunk that has to be cut has at least this many lines, as far as its bytes allow.
const MIN_CUT_LINES: usize = 25;

/// The lines of a text. Line numbers here begin at 0; a line ends after `\n`, and nothing follows the last.
pub(super) struct Lines<'a> {
    /// The text.
    pub(super) source: &'a str,
    /// First byte of each line, and the end of the text.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Finds the lines of a text.
    pub(super) fn new(source: &'a str) -> Self {
        let mut starts = vec![0];
        starts.extend(source.match_indices('\n').map(|(at, _)| at + 1));
        if starts.last() != Some(&source.len()) {
            starts.push(source.len());
        }
        Self { source, starts }
    }

    /// Returns the number of lines.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns a line with its end.
    pub(super) fn line(&self, at: usize) -> &'a str {
        &self.source[self.starts[at]..self.starts[at + 1]]
    }

    /// Returns the line that holds a byte.
    pub(super) fn line_at(&self, byte: u32) -> usize {
        let line = self.starts.partition_point(|&start| start <= byte as usize);
        line.saturating_sub(1).min(self.len().saturating_sub(1))
    }

    /// Returns the number of bytes of some lines.
    pub(super) fn bytes(&self, from: usize, to: usize) -> usize {
        self.starts[to] - self.starts[from]
    }

    /// Returns where the lines from `from` up to but not including `to` are.
    pub(super) fn span(&self, from: usize, to: usize) -> Span {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span {
            start_byte: number(self.starts[from]),
            end_byte: number(self.starts[to]),
            start_line: number(from + 1),
            end_line: number(to),
        }
    }

    /// Returns whether lines fit into one chunk.
    pub(super) fn fits(&self, from: usize, to: usize) -> bool {
        to - from <= 1 || (to - from <= MAX_LINES && self.bytes(from, to) <= MAX_BYTES)
    }

    /// Cuts lines into runs that fit, where the text is quiet: before a line that is little indented, after
    /// a blank one, never before a closing bracket.
    pub(super) fn cut(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let mut runs = Vec::new();
        let mut at = from;
        while !self.fits(at, to) {
            let mut most = at + 1;
            while most < to && most - at < MAX_LINES && self.bytes(at, most + 1) <= MAX_BYTES {
                most += 1;
            }
            let rest = to - at;
            let wanted = if rest < 2 * MAX_LINES {
                rest / 2
            } else {
                MAX_LINES - 10
            };
            let least = (at + MIN_CUT_LINES.min(wanted)).min(most);
            let end = (least..=most)
                .min_by_key(|&end| (self.unrest(end) + end.abs_diff(at + wanted), end))
                .unwrap_or(most);
            runs.push((at, end));
            at = end;
        }
        if at < to {
            runs.push((at, to));
        }
        runs
    }

    /// Returns how bad it is to cut before a line.
    fn unrest(&self, at: usize) -> usize {
        if at >= self.len() {
            return 0;
        }
        // A very long line says enough in its beginning.
        let line = self.line(at);
        let line = &line.as_bytes()[..line.len().min(400)];
        let n_blank = line
            .iter()
            .take_while(|b| matches!(b, b' ' | b'\t'))
            .count();
        let n_tabs: usize = line[..n_blank]
            .iter()
            .map(|&b| usize::from(b == b'\t'))
            .sum();
        let indent = (n_blank + 3 * n_tabs).min(40);
        let after_blank = at > 0 && self.is_blank(at - 1);
        let closes = matches!(
            line.get(n_blank),
            Some(b'}' | b')' | b']' | b'<' | b'.' | b'*')
        );
        let blank = line.get(n_blank).is_none_or(|b| matches!(b, b'\n' | b'\r'));
        let costs = [(closes, 60), (blank, 8), (!after_blank, 16)];
        indent * 2
            + costs
                .iter()
                .map(|&(is, cost)| usize::from(is) * cost)
                .sum::<usize>()
    }

    /// Returns whether a line is blank.
    pub(super) fn is_blank(&self, at: usize) -> bool {
        self.line(at).bytes().all(|b| b.is_ascii_whitespace())
    }

    /// Returns whether a line says nothing by itself: blank, or a closing bracket.
    fn is_idle(&self, at: usize) -> bool {
        let line = self.line(at).trim();
        line.len() < 40
            && (matches!(line, "</script>" | "export {}" | "export {};")
                || line.chars().all(|c| {
                    c.is_whitespace() || matches!(c, '{' | '}' | '(' | ')' | '[' | ']' | ';' | ',')
                }))
    }

    /// Returns how many lines say something by themselves.
    pub(super) fn n_busy(&self, from: usize, to: usize) -> usize {
        (from..to).filter(|&at| !self.is_idle(at)).count()
    }
}
