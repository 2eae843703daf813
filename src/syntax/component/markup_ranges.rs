//! Ranges that markup itself classifies: comments, names of attributes, closing tags.

use std::ops::Range;

/// The ranges in the markup of one file, by what a word in them is.
#[derive(Debug, Default)]
pub(super) struct MarkupRanges {
    /// Comments.
    pub(super) comments: Vec<Range<usize>>,
    /// Names of attributes and of the members of slots.
    pub(super) keys: Vec<Range<usize>>,
    /// Names in closing tags, with the first byte of the name in the opening tag.
    pub(super) closings: Vec<(Range<usize>, usize)>,
    /// Parts that can't be read.
    pub(super) unreadable: Vec<Range<usize>>,
    /// The markup.
    pub(super) markup: Vec<Range<usize>>,
}

/// Whether one of several ranges holds a byte.
pub(super) fn holds(ranges: &[Range<usize>], at: usize) -> bool {
    ranges.iter().any(|range| range.contains(&at))
}
