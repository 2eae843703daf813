//! One file: its matches → its lines.

use std::ops::Range;

use super::{LinePattern, LineQuery, LineSource, Searched, Unsearched};
use crate::model::{ContentId, RepoPath, SkipReason};
use crate::syntax::{self, SourceRegion, SourceRegions};

/// Bytes of a line that are shown; of a longer one the part around its first match.
pub const MAX_PREVIEW_BYTES: usize = 400;

/// Matches of one line that are told apart.
const MAX_MATCHES: usize = 64;

/// How many matches are looked at between two looks at the clock.
const STEP: usize = 1_024;

/// Stands for the part of a line that is cut off.
const CUT: char = '…';

/// A line that matches, or the lines of a match that goes over several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchedLine {
    /// The file.
    pub path: RepoPath,
    /// First and last line, from 1.
    pub lines: (u32, u32),
    /// The first byte of its first match.
    pub start_byte: u32,
    /// The text without its line end, at most [`MAX_PREVIEW_BYTES`] of it.
    pub text: String,
    /// The matches in `text`, in bytes.
    pub matches: Vec<[usize; 2]>,
    /// The lines before it that no earlier result shows.
    pub before: Vec<String>,
    /// The lines behind it, up to the next result.
    pub behind: Vec<String>,
    /// The bytes of the file.
    pub content: ContentId,
}

/// The matches of one file.
#[derive(Debug, Default)]
pub(super) struct FileMatches {
    /// Lines that are shown, the first behind the cursor first.
    pub(super) lines: Vec<MatchedLine>,
    /// How many lines match, and how many of them behind the cursor.
    pub(super) n_lines: u64,
    pub(super) n_behind: u64,
    /// Whether all of it was searched.
    pub(super) is_searched: bool,
    pub(super) unsearched: Option<Unsearched>,
}

/// Searches one file; of the lines behind the cursor at most `limit` are kept to be shown.
pub(super) fn search(
    file: &Searched,
    source: &dyn LineSource,
    search: &LineQuery<'_>,
    limit: usize,
) -> FileMatches {
    let left_out = |reason| FileMatches {
        unsearched: Some(Unsearched::Skipped(reason)),
        ..FileMatches::default()
    };
    let whole = FileMatches {
        is_searched: true,
        ..FileMatches::default()
    };
    if let Some(Some(reason)) = file.skip
        && !is_searched(reason, file.is_named)
    {
        return left_out(reason);
    }
    let read = match source.read(file) {
        Ok(read) => read,
        Err(Some(reason)) => return left_out(reason),
        Err(None) => return FileMatches::default(),
    };
    if let Some(reason) = read.skip
        && !is_searched(reason, file.is_named)
    {
        return left_out(reason);
    }
    if !is_found_in(&read.bytes, search.pattern) {
        return whole;
    }
    let text = source.decode(&read.bytes);
    let scopes = match search.scope {
        None => None,
        Some(scope) => {
            let language = syntax::by_path(&file.path);
            match syntax::source_regions(language, &text, search.budget) {
                Some(scopes) => Some((scope, scopes)),
                None => return without_scopes(&text, search),
            }
        }
    };
    let mut scan = TextScan {
        file,
        text: &text,
        search,
        limit,
        scopes,
        content: ContentId::of(&read.bytes),
        n_bytes: 0,
        reading: whole,
    };
    scan.run();
    scan.reading
}

fn is_found_in(bytes: &[u8], pattern: &LinePattern) -> bool {
    pattern.find(bytes, 0..bytes.len()).is_some()
}

/// Whether the text of a file that an index has no or less text of is searched.
fn is_searched(reason: SkipReason, is_named: bool) -> bool {
    match reason {
        SkipReason::Generated | SkipReason::Masked | SkipReason::Unreadable => true,
        SkipReason::Minified | SkipReason::LockFile => is_named,
        _ => false,
    }
}

/// Returns the finding for a file that holds a match and has no scopes; the match may be of a secret, which the text does
/// not show.
fn without_scopes(text: &str, search: &LineQuery<'_>) -> FileMatches {
    let is_found = is_found_in(text.as_bytes(), search.pattern);
    let reason = if search.budget.is_spent() {
        Unsearched::Budget
    } else {
        Unsearched::NoGrammar
    };
    FileMatches {
        is_searched: !is_found,
        unsearched: is_found.then_some(reason),
        ..FileMatches::default()
    }
}

/// The scan of one text.
struct TextScan<'a> {
    file: &'a Searched,
    text: &'a str,
    search: &'a LineQuery<'a>,
    limit: usize,
    scopes: Option<(SourceRegion, SourceRegions)>,
    content: ContentId,
    /// Bytes of text that are shown so far.
    n_bytes: usize,
    reading: FileMatches,
}

impl TextScan<'_> {
    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        let (mut at, mut n_seen) = (0, 0_usize);
        let (mut line, mut counted) = (1_u32, 0);
        while let Some(first) = self.next(at..bytes.len()) {
            n_seen += 1;
            if n_seen.is_multiple_of(STEP) && self.search.budget.is_spent() {
                self.reading.is_searched = false;
                self.reading.unsearched = Some(Unsearched::Budget);
                return;
            }
            if !self.is_in_scope(first.start) {
                at = behind(&first);
                continue;
            }
            let start = line_start(bytes, first.start);
            line += count_lines(&bytes[counted..start]);
            counted = start;
            let is_behind = self
                .search
                .after
                .is_none_or(|after| (self.file.path.as_str(), line) > after);
            let is_shown = is_behind
                && self.reading.lines.len() < self.limit
                && (self.n_bytes < self.search.max_bytes || self.reading.lines.is_empty())
                // Nothing stands behind a line that was left out.
                && self.reading.lines.len() as u64 == self.reading.n_behind;
            let (matches, end) = self.rest_of(first, is_shown);
            self.reading.n_lines += 1;
            self.reading.n_behind += u64::from(is_behind);
            if is_shown {
                let last = line + count_lines(&bytes[start..end]);
                self.show(start..end, (line, last), &matches);
            }
            at = end + 1;
        }
    }

    /// Returns the next match, if it is on a line: nothing stands behind the last line end.
    fn next(&self, range: Range<usize>) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        if range.start > range.end {
            return None;
        }
        let found = self.search.pattern.find(bytes, range)?;
        let is_on_line = found.start < bytes.len() || !(bytes.is_empty() || bytes.ends_with(b"\n"));
        is_on_line.then_some(found)
    }

    fn is_in_scope(&mut self, byte: usize) -> bool {
        let Some((wanted, scopes)) = &self.scopes else {
            return true;
        };
        let found = scopes.at(byte);
        if found.is_none() {
            self.reading.is_searched = false;
            self.reading.unsearched = Some(Unsearched::NoGrammar);
        }
        found == Some(*wanted)
    }

    /// Returns the matches on the lines of the first one, and where the last of these lines ends. Where neither is asked
    /// for, the first match is enough.
    fn rest_of(&mut self, first: Range<usize>, is_shown: bool) -> (Vec<Range<usize>>, usize) {
        let bytes = self.text.as_bytes();
        let is_multiline = self.search.pattern.is_multiline();
        let mut end = line_end(bytes, &first);
        let mut at = behind(&first);
        let mut matches = vec![first];
        while is_multiline || is_shown && matches.len() < MAX_MATCHES {
            let range = if is_multiline {
                at..bytes.len()
            } else {
                at..end
            };
            let Some(found) = self.next(range).filter(|found| found.start <= end) else {
                break;
            };
            at = behind(&found);
            if self.is_in_scope(found.start) {
                end = end.max(line_end(bytes, &found));
                matches.push(found);
            }
        }
        (matches, end)
    }

    /// Adds the lines of a range of bytes to those that are shown.
    fn show(&mut self, range: Range<usize>, lines: (u32, u32), matches: &[Range<usize>]) {
        let n_context = self.search.n_context;
        let shown_until = self.reading.lines.last_mut().map(|last| {
            let n_free = lines.0.saturating_sub(last.lines.1 + 1) as usize;
            last.behind.truncate(n_free);
            last.lines.1 + u32::try_from(last.behind.len()).unwrap_or(0)
        });
        let n_free = lines.0 - 1 - shown_until.unwrap_or(0);
        let n_before = n_context.min(n_free as usize);
        let before = self.text[..range.start].strip_suffix('\n').unwrap_or("");
        let mut before: Vec<String> = before
            .rsplit('\n')
            .take(n_before)
            .map(|line| cut(line, 0..0).0)
            .collect();
        before.reverse();
        let rest = self.text.get(range.end + 1..).unwrap_or_default();
        let behind = rest.split_inclusive('\n').take(n_context);
        let behind: Vec<String> = behind
            .map(|line| cut(line.strip_suffix('\n').unwrap_or(line), 0..0).0)
            .collect();
        let (text, shift) = cut(
            &self.text[range.clone()],
            matches[0].start - range.start..matches[0].end - range.start,
        );
        let start_byte = u32::try_from(matches[0].start).unwrap_or(u32::MAX);
        let matches = matches.iter().filter_map(|found| {
            let place = |at: usize| (at - range.start).checked_add_signed(shift);
            let (from, to) = (place(found.start)?, place(found.end.max(range.start))?);
            let whole = text.get(from..to.min(text.len()))?;
            (!whole.is_empty()).then_some([from, from + whole.len()])
        });
        let matches = matches.collect();
        let context = before.iter().chain(&behind);
        self.n_bytes += text.len() + context.map(String::len).sum::<usize>();
        self.reading.lines.push(MatchedLine {
            path: self.file.path.clone(),
            lines,
            start_byte,
            text,
            matches,
            before,
            behind,
            content: self.content,
        });
    }
}

/// Returns the first byte from which the next match is looked for.
fn behind(found: &Range<usize>) -> usize {
    found.end.max(found.start + 1)
}

/// Returns where the line around a byte begins.
fn line_start(bytes: &[u8], at: usize) -> usize {
    let newline = bytes[..at].iter().rposition(|byte| *byte == b'\n');
    newline.map_or(0, |newline| newline + 1)
}

/// Returns where the last line of a match ends: its line end, or the end of the text.
fn line_end(bytes: &[u8], found: &Range<usize>) -> usize {
    let last = if found.is_empty() {
        found.start
    } else {
        found.end - 1
    };
    let newline = bytes[last..].iter().position(|byte| *byte == b'\n');
    newline.map_or(bytes.len(), |newline| last + newline)
}

fn count_lines(bytes: &[u8]) -> u32 {
    bytes.iter().map(|byte| u32::from(*byte == b'\n')).sum()
}

/// Cuts a line to the part around a range of bytes of it. Returns how far the bytes of that part moved as well.
fn cut(line: &str, around: Range<usize>) -> (String, isize) {
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.len() <= MAX_PREVIEW_BYTES {
        return (line.to_owned(), 0);
    }
    let n_shown = MAX_PREVIEW_BYTES - 2 * CUT.len_utf8();
    let n_around = around.len().min(n_shown);
    let latest = line.len() - n_shown;
    let from = around.start.saturating_sub((n_shown - n_around) / 2);
    let from = line.ceil_char_boundary(from.min(latest));
    let to = line.floor_char_boundary(from + n_shown);
    let mut text = String::with_capacity(MAX_PREVIEW_BYTES);
    if from > 0 {
        text.push(CUT);
    }
    let moved = text.len().cast_signed() - from.cast_signed();
    text += &line[from..to];
    if to < line.len() {
        text.push(CUT);
    }
    (text, moved)
}
