//! Ranges as SCIP writes them.

use crate::model::LineStarts;
use crate::uses::ByteRange;

/// Returns a range as lines and columns, both from 0: `[line, from, to]`, or `[line, from, line, to]` where it has several
/// lines. Columns count bytes.
pub(super) fn range(lines: &LineStarts, range: ByteRange) -> Vec<i32> {
    let place = |byte| {
        let (line, column) = lines.place(byte);
        [line, column as usize].map(|n| i32::try_from(n).unwrap_or(i32::MAX))
    };
    let [line, from] = place(range.start);
    let [last, to] = place(range.end);
    if line == last {
        vec![line, from, to]
    } else {
        vec![line, from, last, to]
    }
}

#[cfg(test)]
mod tests {
    use super::range;
    use crate::model::LineStarts;
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
            assert_eq!(range(&lines, ByteRange { start, end }), wanted);
        }
    }
}
