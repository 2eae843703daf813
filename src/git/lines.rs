//! Which lines of a file differ from `HEAD`.
//!
//! No filter is run: where a filter driver converts a file, all of it differs.

use std::ops::Range;

use gix::diff::blob::{Algorithm, InternedInput, diff_with_slider_heuristics};

use crate::model::RepoPath;

use super::Repo;

impl Repo {
    /// Returns the lines of a file of the work tree that differ from `HEAD`, as (first, last), from 1, in
    /// order. Where lines were only removed, last is the line before them and first the line behind.
    /// Line ends do not count.
    ///
    /// `None` where `HEAD` has no such file or one of the two can't be read or is larger than `limit`
    /// bytes. Costs about a millisecond for a file of thousand lines.
    pub fn changed_lines(&self, path: &RepoPath, limit: u64) -> Option<Vec<(u32, u32)>> {
        let before = self.committed(path, limit)?;
        let after = self.source.read(path, limit).ok()?.bytes;
        let (before, after) = (unix_lines(before), unix_lines(after));
        let input = InternedInput::new(before.as_slice(), after.as_slice());
        let diff = diff_with_slider_heuristics(Algorithm::Histogram, &input);
        Some(
            diff.hunks()
                .map(|hunk| (hunk.after.start + 1, hunk.after.end))
                .collect(),
        )
    }

    /// Returns the bytes of a regular file in `HEAD` as they are stored there; `None` where there is none, or it is larger
    /// than `limit`.
    pub fn committed(&self, path: &RepoPath, limit: u64) -> Option<Vec<u8>> {
        let tree = self.head_commit().ok()??.tree().ok()?;
        let entry = tree.lookup_entry_by_path(path.as_str()).ok()??;
        let size = self.inner.find_header(entry.oid()).ok()?.size();
        let is_file = entry.mode().is_blob();
        let mut object = (is_file && size <= limit).then(|| entry.object().ok())??;
        Some(std::mem::take(&mut object.data))
    }
}

/// Returns how many lines of `after` are new, and how many of `before` are gone. Line ends do not count.
pub fn n_changed_lines(before: &str, after: &str) -> (u32, u32) {
    let (before, after) = (
        unix_lines(before.as_bytes().to_vec()),
        unix_lines(after.as_bytes().to_vec()),
    );
    let input = InternedInput::new(before.as_slice(), after.as_slice());
    let diff = diff_with_slider_heuristics(Algorithm::Histogram, &input);
    (diff.count_additions(), diff.count_removals())
}

/// Returns the lines of `after` that differ from `before`, as (first, last), from 1. Where lines were only removed, last is the line before them
/// and first the line behind. Line ends do not count.
pub fn differing_lines(before: &str, after: &str) -> Vec<(u32, u32)> {
    let hunks = hunks(before, after).into_iter();
    hunks
        .map(|(_, after)| (after.start + 1, after.end))
        .collect()
}

/// Returns the lines of `after` that `before` does not have, as ranges from 1. Line ends do not count.
pub fn added_lines(before: &str, after: &str) -> Vec<Range<u32>> {
    let hunks = hunks(before, after).into_iter();
    let added = hunks.map(|(_, after)| after.start + 1..after.end + 1);
    added.filter(|lines| !lines.is_empty()).collect()
}

/// Merges two texts that were one, line by line as git does; `None` where they conflict: both changed the same lines, or such as
/// stand beside one another. Line ends become `\n`.
pub fn merged_lines(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let sides = [ours, theirs];
    let mut changes = Vec::new();
    for (side, text) in sides.iter().enumerate() {
        let hunks = hunks(base, text).into_iter();
        changes.extend(hunks.map(|(before, after)| (before.start, before.end, side, after)));
    }
    changes.sort_by_key(|(start, end, side, _)| (*start, *end, *side));
    let lines = |text: &str| -> Vec<String> {
        let text = String::from_utf8_lossy(&unix_lines(text.as_bytes().to_vec())).into_owned();
        text.split_inclusive('\n').map(str::to_owned).collect()
    };
    let (base, sides) = (lines(base), sides.map(lines));
    let text = |side: usize, lines: &Range<u32>| -> String {
        let lines = sides[side].get(lines.start as usize..lines.end as usize);
        lines.unwrap_or_default().concat()
    };
    let (mut merged, mut at) = (String::new(), 0_u32);
    let mut last: Option<(u32, u32, usize, Range<u32>)> = None;
    for change in changes {
        let (start, end, side, after) = change.clone();
        if let Some((last_start, last_end, last_side, last_after)) = &last
            && *last_side != side
        {
            let is_same = (*last_start, *last_end) == (start, end)
                && text(*last_side, last_after) == text(side, &after);
            if is_same {
                continue;
            }
            if start <= *last_end {
                return None;
            }
        }
        merged.push_str(&base.get(at as usize..start as usize)?.concat());
        merged.push_str(&text(side, &after));
        at = end;
        last = Some(change);
    }
    merged.push_str(&base.get(at as usize..)?.concat());
    Some(merged)
}

/// Returns the places that differ: lines before and lines after, from 0.
fn hunks(before: &str, after: &str) -> Vec<(Range<u32>, Range<u32>)> {
    let (before, after) = (
        unix_lines(before.as_bytes().to_vec()),
        unix_lines(after.as_bytes().to_vec()),
    );
    let input = InternedInput::new(before.as_slice(), after.as_slice());
    let diff = diff_with_slider_heuristics(Algorithm::Histogram, &input);
    let hunks = diff.hunks();
    hunks.map(|hunk| (hunk.before, hunk.after)).collect()
}

fn unix_lines(bytes: Vec<u8>) -> Vec<u8> {
    if !bytes.windows(2).any(|pair| pair == b"\r\n") {
        return bytes;
    }
    let mut out = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{added_lines, merged_lines};

    #[test]
    fn merges_as_git_does() {
        let base = "a\nb\nc\nd\ne\n";
        let ours = "a\nB\nc\nd\ne\n";
        assert_eq!(
            merged_lines(base, ours, "a\nb\nc\nd\ne\nf\n").as_deref(),
            Some("a\nB\nc\nd\ne\nf\n")
        );
        assert_eq!(merged_lines(base, ours, ours).as_deref(), Some(ours));
        assert_eq!(
            merged_lines(base, base, "b\nc\r\n").as_deref(),
            Some("b\nc\n")
        );
        // The same line, and the one beside it.
        assert_eq!(merged_lines(base, ours, "a\nX\nc\nd\ne\n"), None);
        assert_eq!(merged_lines(base, ours, "a\nb\nX\nd\ne\n"), None);
        assert_eq!(merged_lines("", "a\n", "b\n"), None);
        assert_eq!(merged_lines("a", "a\nb", "a").as_deref(), Some("a\nb"));
    }

    #[test]
    fn a_line_that_is_repeated_is_added() {
        assert_eq!(added_lines("a\nb\n", "a\nb\na\n"), vec![3..4]);
        assert_eq!(
            added_lines("a\nb\n", "b\n"),
            Vec::<std::ops::Range<u32>>::new()
        );
        assert_eq!(added_lines("", "a\nb"), vec![1..3]);
    }
}
