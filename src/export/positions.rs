//! Lines and columns of bytes.

use crate::uses::ByteRange;

/// The beginnings of the lines of a text.
pub(super) struct LineStarts {
    starts: Vec<u32>,
}

impl LineStarts {
    pub(super) fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let after = ends.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX));
        Self {
            starts: std::iter::once(0).chain(after).collect(),
        }
    }

    /// Returns line and column of a byte, both from 0; columns count bytes.
    fn place(&self, byte: u32) -> [i32; 2] {
        let line = self.starts.partition_point(|start| *start <= byte) - 1;
        let column = byte - self.starts[line];
        [line, column as usize].map(|n| i32::try_from(n).unwrap_or(i32::MAX))
    }

    /// Returns a range as SCIP writes it: `[line, from, to]`, or `[line, from, line, to]` where it has several lines.
    pub(super) fn range(&self, range: ByteRange) -> Vec<i32> {
        let [line, from] = self.place(range.start);
        let [last, to] = self.place(range.end);
        if line == last {
            vec![line, from, to]
        } else {
            vec![line, from, last, to]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LineStarts;
    use crate::uses::ByteRange;

    #[test]
    fn a_range_of_one_line_has_three_numbers() {
        let lines = LineStarts::of("ab\nçd\n\nlast");
        for (start, end, wanted) in [
            (0, 2, vec![0, 0, 2]),
            (5, 6, vec![1, 2, 3]),
            (0, 6, vec![0, 0, 1, 3]),
            (7, 7, vec![2, 0, 0]),
            (8, 12, vec![3, 0, 4]),
        ] {
            assert_eq!(lines.range(ByteRange { start, end }), wanted);
        }
    }
}
