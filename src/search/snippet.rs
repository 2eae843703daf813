//! The preview of a hit: its signature, its best lines, or all of it, and the places of the query's words.
//!
//! A preview is the text of the file, without the indent that its lines share; only characters that could steer a
//! terminal or hide from a reader are escaped. Does not read files.

use std::cmp::Reverse;
use std::ops::Range;

use super::query::{Query, is_stop};
use crate::model::sanitize::one_line;
use crate::store::{ChunkRow, token};

/// Lines of a compact preview.
const COMPACT_LINES: usize = 8;
/// Lines of a full preview.
const FULL_LINES: usize = 60;
/// Bytes of a full preview.
const FULL_BYTES: usize = 4_096;
/// Characters of one line.
const LINE_CHARS: usize = 160;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Snippet {
    /// Nothing.
    None,
    /// The signature, or the best line.
    Headline,
    /// A window over the best lines.
    Compact,
    /// Everything, within bounds.
    Full,
}

/// Text of a hit, and where the words of the query are in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// The text.
    pub text: String,
    /// The words that match, in bytes of `text` (UTF-8), in order.
    pub matches: Vec<Range<usize>>,
}

impl Preview {
    fn push(&mut self, other: Self) {
        let at = self.text.len();
        let moved = other.matches.into_iter();
        self.matches
            .extend(moved.map(|range| range.start + at..range.end + at));
        self.text += &other.text;
    }
}

/// Returns the preview of a chunk from the text of its file; empty without the text. `signature` is that of the definition
/// that the hit is named by.
pub fn preview(
    chunk: &ChunkRow,
    source: Option<&str>,
    query: &Query,
    mode: Snippet,
    signature: Option<&str>,
) -> Preview {
    let Some(source) = source else {
        return Preview::default();
    };
    let (from, to) = (chunk.span.start_byte as usize, chunk.span.end_byte as usize);
    let Some(text) = source.get(from..to) else {
        return Preview::default();
    };
    let lines: Vec<&str> = text.lines().collect();
    match mode {
        Snippet::None => Preview::default(),
        Snippet::Headline => match signature {
            Some(signature) if chunk.symbol.is_some() && chunk.part == 0 => {
                with_matches(signature, query)
            }
            _ => with_matches(best_line(&lines, query).trim(), query),
        },
        Snippet::Compact => {
            let begin = window(&lines, query, COMPACT_LINES, first_line(chunk));
            lines_preview(
                &lines[begin..lines.len().min(begin + COMPACT_LINES)],
                query,
                usize::MAX,
            )
        }
        Snippet::Full => lines_preview(&lines[..lines.len().min(FULL_LINES)], query, FULL_BYTES),
    }
}

/// Returns the line of the file (from 1) that answers a query best within a chunk: one that holds a text that is meant as
/// it stands, else the one with the most different words; of equals the definition's first line, then the first.
pub fn match_line(chunk: &ChunkRow, source: &str, query: &Query) -> Option<u32> {
    let (from, to) = (chunk.span.start_byte as usize, chunk.span.end_byte as usize);
    let definition = first_line(chunk);
    let (at, line) = source
        .get(from..to)?
        .lines()
        .enumerate()
        .max_by_key(|(at, line)| {
            let holds = query.literals().iter().any(|it| it.count(line) > 0);
            let n_terms = terms_in(line, query).len();
            (holds, n_terms, *at == definition, Reverse(*at))
        })?;
    let is_match = !terms_in(line, query).is_empty();
    is_match.then(|| chunk.span.start_line + u32::try_from(at).unwrap_or(u32::MAX))
}

/// Returns the text of a chunk, cut to `max_chars` characters around the line that answers a query best.
pub fn passage(chunk: &ChunkRow, source: &str, query: &Query, max_chars: usize) -> String {
    let (from, to) = (chunk.span.start_byte as usize, chunk.span.end_byte as usize);
    let text = source.get(from..to).unwrap_or_default();
    let n_chars = text.chars().count();
    if n_chars <= max_chars {
        return text.to_owned();
    }
    let line = match_line(chunk, source, query).unwrap_or(chunk.span.start_line);
    let n_before = line.saturating_sub(chunk.span.start_line) as usize;
    let before: usize = text
        .lines()
        .take(n_before)
        .map(|line| line.chars().count() + 1)
        .sum();
    let begin = before
        .saturating_sub(max_chars / 2)
        .min(n_chars - max_chars);
    text.chars().skip(begin).take(max_chars).collect()
}

/// Returns how often a chunk holds the texts that a query means as they stand.
pub fn n_literal(chunk: &ChunkRow, source: &str, query: &Query) -> usize {
    let (from, to) = (chunk.span.start_byte as usize, chunk.span.end_byte as usize);
    let text = source.get(from..to).unwrap_or_default();
    query.literals().iter().map(|it| it.count(text)).sum()
}

/// Where the definition itself begins within its chunk, behind its comment.
fn first_line(chunk: &ChunkRow) -> usize {
    let start = chunk.symbol.as_ref().map_or(0, |symbol| symbol.start_line);
    start.saturating_sub(chunk.span.start_line) as usize
}

fn lines_preview(lines: &[&str], query: &Query, max_bytes: usize) -> Preview {
    let indent = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches([' ', '\t']).len())
        .min()
        .unwrap_or(0);
    let mut out = Preview::default();
    for line in lines {
        let line = line.get(indent..).unwrap_or_default().trim_end();
        if out.text.len() + line.len() > max_bytes {
            out.text.push('…');
            break;
        }
        if !out.text.is_empty() {
            out.text.push('\n');
        }
        out.push(with_matches(line, query));
    }
    out.text.truncate(out.text.trim_end().len());
    out
}

/// Returns the line where the window with the most different terms begins; among equals the one that
/// holds the definition's first line, then the first.
fn window(lines: &[&str], query: &Query, height: usize, definition: usize) -> usize {
    if lines.len() <= height {
        return 0;
    }
    let per_line: Vec<Vec<usize>> = lines.iter().map(|line| terms_in(line, query)).collect();
    (0..=lines.len() - height)
        .max_by_key(|begin| {
            let mut seen: Vec<usize> = per_line[*begin..begin + height].concat();
            let n_all = seen.len();
            seen.sort_unstable();
            seen.dedup();
            let holds = (*begin..begin + height).contains(&definition);
            (seen.len(), holds, n_all, Reverse(*begin))
        })
        .unwrap_or(0)
}

fn best_line<'a>(lines: &[&'a str], query: &Query) -> &'a str {
    lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .max_by_key(|(at, line)| (terms_in(line, query).len(), Reverse(*at)))
        .map_or("", |(_, line)| line)
}

/// Returns which terms of the query a line holds, by their number.
fn terms_in(line: &str, query: &Query) -> Vec<usize> {
    let mut found: Vec<usize> = token::words(line)
        .iter()
        .flat_map(|word| std::iter::once(&word.norm).chain(&word.parts))
        .filter_map(|part| query.terms().iter().position(|term| is_match(part, term)))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns one line, cut and escaped, with the words that match.
fn with_matches(line: &str, query: &Query) -> Preview {
    let mut out = Preview::default();
    let mut rest = cut(line);
    let is_cut = rest.len() < line.len();
    for word in token::words(rest) {
        let hits = std::iter::once(&word.norm)
            .chain(&word.parts)
            .any(|part| !is_stop(part) && query.terms().iter().any(|term| is_match(part, term)));
        if !hits {
            continue;
        }
        // Words come in order and are slices of the line.
        let at = word.text.as_ptr() as usize - rest.as_ptr() as usize;
        out.text += &one_line(&rest[..at]);
        let start = out.text.len();
        out.text += word.text;
        out.matches.push(start..out.text.len());
        rest = &rest[at + word.text.len()..];
    }
    out.text += &one_line(rest);
    if is_cut {
        out.text.push('…');
    }
    out
}

fn cut(line: &str) -> &str {
    line.char_indices()
        .nth(LINE_CHARS)
        .map_or(line, |(at, _)| &line[..at])
}

/// Returns whether a word of the text is the term, plural and the endings of verbs aside, as the text
/// index folds them.
fn is_match(part: &str, term: &str) -> bool {
    part == term || token::stem(part) == token::stem(term)
}

#[cfg(test)]
mod tests {
    use super::{Preview, lines_preview, window, with_matches};
    use crate::search::parse;

    /// Returns the text with each match between `<` and `>`.
    fn drawn(preview: &Preview) -> String {
        let mut out = String::new();
        let mut from = 0;
        for range in &preview.matches {
            out += &preview.text[from..range.start];
            out.extend(["<", &preview.text[range.clone()], ">"]);
            from = range.end;
        }
        out + &preview.text[from..]
    }

    #[test]
    fn matches_are_whole_words_and_the_text_is_exact() {
        let query = parse("queue job flushing").unwrap();
        let line = "export function queueJob(job: Job): void // flush **all**";
        let found = with_matches(line, &query);
        assert_eq!(found.text, line);
        assert_eq!(
            drawn(&found),
            "export function <queueJob>(<job>: <Job>): void // <flush> **all**"
        );
        assert!(with_matches("jobless", &query).matches.is_empty());
    }

    #[test]
    fn what_hides_or_steers_is_escaped() {
        let query = parse("x").unwrap();
        let found = with_matches("a\u{1b}[31m\u{202e}b\u{200b}\u{9b}\tc x", &query);
        assert_eq!(
            drawn(&found),
            "a\\u{1b}[31m\\u{202e}b\\u{200b}\\u{9b}\tc <x>"
        );
    }

    #[test]
    fn long_lines_are_cut() {
        let query = parse("x").unwrap();
        let cut = with_matches(&"é".repeat(500), &query).text;
        assert_eq!(cut.chars().count(), 161);
        assert!(cut.ends_with('…'));
    }

    #[test]
    fn the_window_holds_the_most_terms_and_loses_its_indent() {
        let query = parse("alpha beta").unwrap();
        let mut lines = vec!["    filler"; 30];
        lines[20] = "    alpha";
        lines[22] = "      beta";
        let begin = window(&lines, &query, 8, 0);
        assert!((15..=20).contains(&begin), "{begin}");
        let found = lines_preview(&lines[20..23], &query, 4_096);
        assert_eq!(found.text, "alpha\nfiller\n  beta");
        assert_eq!(drawn(&found), "<alpha>\nfiller\n  <beta>");
    }
}
