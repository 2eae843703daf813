//! What is shown of a hit: its signature, its best lines, or all of it, with the matches marked.
//!
//! Text is data: what could steer a terminal or hide from a reader is escaped. Refuses to read files.

use std::fmt::Write as _;

use super::query::{Query, is_stop};
use crate::model::visible::one_line;
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

/// Returns the preview of a chunk from the text of its file; empty without the text.
pub fn preview(chunk: &ChunkRow, source: Option<&str>, query: &Query, mode: Snippet) -> String {
    let Some(source) = source else {
        return String::new();
    };
    let (from, to) = (chunk.span.start_byte as usize, chunk.span.end_byte as usize);
    let Some(text) = source.get(from..to) else {
        return String::new();
    };
    let lines: Vec<&str> = text.lines().collect();
    match mode {
        Snippet::None => String::new(),
        Snippet::Headline => match &chunk.symbol {
            Some(symbol) if chunk.part == 0 => marked(&symbol.signature, query),
            _ => marked(best_line(&lines, query).trim(), query),
        },
        Snippet::Compact => {
            let begin = window(&lines, query, COMPACT_LINES, first_line(chunk));
            shown(
                &lines[begin..lines.len().min(begin + COMPACT_LINES)],
                query,
                usize::MAX,
            )
        }
        Snippet::Full => shown(&lines[..lines.len().min(FULL_LINES)], query, FULL_BYTES),
    }
}

/// Where the definition itself begins within its chunk, behind its comment.
fn first_line(chunk: &ChunkRow) -> usize {
    let start = chunk.symbol.as_ref().map_or(0, |symbol| symbol.start_line);
    start.saturating_sub(chunk.span.start_line) as usize
}

fn shown(lines: &[&str], query: &Query, max_bytes: usize) -> String {
    let indent = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches([' ', '\t']).len())
        .min()
        .unwrap_or(0);
    let mut out = String::new();
    for line in lines {
        let line = line.get(indent..).unwrap_or_default().trim_end();
        if out.len() + line.len() > max_bytes {
            out.push('…');
            break;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&marked(line, query));
    }
    out.trim_end().to_owned()
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
            (seen.len(), holds, n_all, std::cmp::Reverse(*begin))
        })
        .unwrap_or(0)
}

fn best_line<'a>(lines: &[&'a str], query: &Query) -> &'a str {
    lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .max_by_key(|(at, line)| (terms_in(line, query).len(), std::cmp::Reverse(*at)))
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

/// Returns one line, cut, escaped, with the words that match between `**`.
fn marked(line: &str, query: &Query) -> String {
    let mut out = String::new();
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
        out.push_str(&one_line(&rest[..at]));
        let _ = write!(out, "**{}**", word.text);
        rest = &rest[at + word.text.len()..];
    }
    out.push_str(&one_line(rest));
    if is_cut {
        out.push('…');
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
    use super::{marked, shown, window};
    use crate::search::parse;

    #[test]
    fn matches_are_marked_as_whole_words() {
        let query = parse("queue job flushing").unwrap();
        assert_eq!(
            marked("export function queueJob(job: Job): void // flush", &query),
            "export function **queueJob**(**job**: **Job**): void // **flush**"
        );
        assert_eq!(marked("jobless", &query), "jobless");
    }

    #[test]
    fn what_hides_or_steers_is_escaped() {
        let query = parse("x").unwrap();
        assert_eq!(
            marked("a\u{1b}[31m\u{202e}b\u{200b}\u{9b}\tc", &query),
            "a\\u{1b}[31m\\u{202e}b\\u{200b}\\u{9b}\tc"
        );
    }

    #[test]
    fn long_lines_are_cut() {
        let query = parse("x").unwrap();
        let cut = marked(&"é".repeat(500), &query);
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
        assert_eq!(
            shown(&lines[20..23], &query, 4_096),
            "**alpha**\nfiller\n  **beta**"
        );
    }
}
