//! Files in conflict: git has written both sides of a merge between markers, which no grammar reads.
//!
//! The markers are blanked before parsing, so that the definitions of both sides are seen; each byte keeps its place. The format is
//! that of `git merge-file`, with the common ancestor of `diff3` left out.

use std::borrow::Cow;

const OURS: &str = "<<<<<<< ";
const BASE: &str = "||||||| ";
const BETWEEN: &str = "=======";
const THEIRS: &str = ">>>>>>> ";

/// Returns a text without the markers of its conflicts: `<<<<<<< HEAD`, `=======`, `>>>>>>> feature`. The text itself where it has none.
pub(super) fn without_markers(source: &str) -> Cow<'_, [u8]> {
    let bytes = Cow::Borrowed(source.as_bytes());
    if !source.contains(OURS) || !source.contains(THEIRS) {
        return bytes;
    }
    let mut text = bytes.into_owned();
    let (mut at, mut is_inside, mut is_base) = (0, false, false);
    for line in source.split_inclusive('\n') {
        let range = at..at + line.trim_end().len();
        at += line.len();
        let is_marker = if is_inside {
            is_base |= line.starts_with(BASE);
            is_inside = !line.starts_with(THEIRS);
            is_base || !is_inside || line.trim_end() == BETWEEN
        } else {
            is_inside = line.starts_with(OURS);
            is_inside
        };
        if is_marker {
            text[range].fill(b' ');
        }
        is_base &= line.trim_end() != BETWEEN;
    }
    if is_inside {
        // It is not closed, and means something else.
        return Cow::Borrowed(source.as_bytes());
    }
    Cow::Owned(text)
}

/// Returns whether a text has a conflict, between markers that [`without_markers`] blanks.
pub(super) fn has_conflict(source: &str) -> bool {
    matches!(without_markers(source), Cow::Owned(_))
}

#[cfg(test)]
mod tests {
    use super::{has_conflict, without_markers};

    #[test]
    fn both_sides_are_left() {
        let blanked = |text: &str| {
            let found = without_markers(text);
            assert_eq!(found.len(), text.len());
            assert_eq!(has_conflict(text), found != text.as_bytes());
            let lines = String::from_utf8(found.into_owned()).unwrap();
            let lines: Vec<&str> = lines.lines().map(str::trim).collect();
            lines.join("|")
        };
        assert_eq!(
            blanked("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\r\nd\n======="),
            "a||b||c||d|======="
        );
        assert_eq!(
            blanked("<<<<<<< HEAD\nb\n||||||| 1\nold\n=======\nc\n>>>>>>> x"),
            "|b||||c|"
        );
        for plain in [
            "a\n<<<<<<< HEAD\nb\n",
            "let a = \"<<<<<<< \" + \">>>>>>> \"\n",
            "=======\n",
        ] {
            assert_eq!(without_markers(plain), plain.as_bytes());
        }
    }
}
