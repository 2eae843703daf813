//! Cutting documents at their headings, and other text at quiet lines.
//!
//! Only headings of Markdown, reStructuredText and AsciiDoc are markup here.

use super::chunk::number;
use super::language::HeadingStyle;
use super::lines::Lines;
use crate::model::{Chunk, ChunkKind};

/// Longest heading in bytes.
const HEADING_BYTES: usize = 200;
/// Deepest heading.
const MAX_LEVEL: usize = 9;

/// Returns the chunks of a text without structure.
pub(super) fn plain(lines: &Lines<'_>) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    of_range(lines, (0, lines.len()), &[], &mut chunks);
    number(&mut chunks);
    chunks
}

/// Appends the chunks of some lines of a text, which stand under the headings `names`.
pub(super) fn of_range(
    lines: &Lines<'_>,
    (from, to): (usize, usize),
    names: &[String],
    chunks: &mut Vec<Chunk>,
) {
    for (from, to) in lines.cut(from, to) {
        chunks.push(Chunk {
            kind: ChunkKind::Text,
            span: lines.span(from, to),
            symbol: None,
            part: 0,
            names: names.to_vec(),
            signature: String::new(),
            doc: String::new(),
        });
    }
}

/// A heading: its first line, its last, its level from 1, its words.
#[derive(Debug, PartialEq, Eq)]
struct Heading {
    from: usize,
    to: usize,
    level: usize,
    title: String,
}

/// Returns the chunks of a document: one for each section, its names being the headings it stands under,
/// the outermost first. A heading with nothing under it stands with the next.
pub(super) fn document(lines: &Lines<'_>, markup: HeadingStyle) -> Vec<Chunk> {
    let headings = match markup {
        HeadingStyle::Markdown => markdown(lines),
        HeadingStyle::Rst => rst(lines),
        HeadingStyle::Asciidoc => asciidoc(lines),
    };
    let mut chunks = Vec::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut from = 0;
    let first = headings.first().map_or(lines.len(), |heading| heading.from);
    let blank = |from: usize, to: usize| (from..to).all(|at| lines.line(at).trim().is_empty());
    if first > 0 && !(blank(0, first) && first < lines.len()) {
        of_range(lines, (0, first), &[], &mut chunks);
        from = first;
    }
    for (at, heading) in headings.iter().enumerate() {
        path.retain(|(level, _)| *level < heading.level);
        path.push((heading.level, heading.title.clone()));
        let next = headings.get(at + 1);
        let end = next.map_or(lines.len(), |next| next.from);
        let deeper = next.is_some_and(|next| next.level > heading.level);
        if deeper && blank(heading.to + 1, end) {
            continue;
        }
        let names: Vec<String> = path.iter().map(|(_, title)| title.clone()).collect();
        of_range(lines, (from, end), &names, &mut chunks);
        from = end;
    }
    number(&mut chunks);
    chunks
}

fn markdown(lines: &Lines<'_>) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut front_matter = lines.len() > 0 && lines.line(0).trim_end() == "---";
    for at in 0..lines.len() {
        let line = lines.line(at).trim_end();
        if front_matter {
            front_matter = at == 0 || !matches!(line, "---" | "...");
            continue;
        }
        let inner = line.trim_start_matches(' ');
        let indent = line.len() - inner.len();
        let mark = inner.chars().next().filter(|c| matches!(c, '`' | '~'));
        let n_marks = mark.map_or(0, |mark| inner.chars().take_while(|&c| c == mark).count());
        match (fence, mark) {
            (Some((open, n_open)), Some(mark)) if open == mark && n_marks >= n_open => {
                if inner[n_marks..].trim().is_empty() {
                    fence = None;
                }
                continue;
            }
            (Some(_), _) => continue,
            (None, Some(mark)) if n_marks >= 3 => {
                fence = Some((mark, n_marks));
                continue;
            }
            _ => {}
        }
        if indent > 3 {
            continue;
        }
        let level = inner.bytes().take_while(|&b| b == b'#').count();
        let rest = &inner[level..];
        if (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t'])) {
            let title = title(rest.trim().trim_end_matches('#'));
            headings.push(Heading {
                from: at,
                to: at,
                level,
                title,
            });
            continue;
        }
        let level = match inner {
            _ if inner.len() < 3 && inner != "==" => 0,
            _ if inner.bytes().all(|b| b == b'=') => 1,
            _ if inner.bytes().all(|b| b == b'-') => 2,
            _ => 0,
        };
        if level > 0 && at > 0 && headings.last().is_none_or(|last| last.to + 1 < at) {
            let above = lines.line(at - 1).trim();
            let opens_text = at < 2 || lines.line(at - 2).trim().is_empty();
            let is_text =
                !above.is_empty() && !above.starts_with(['-', '*', '>', '|', '#', '`', '<', '+']);
            if is_text && opens_text {
                headings.push(Heading {
                    from: at - 1,
                    to: at,
                    level,
                    title: title(above),
                });
            }
        }
    }
    headings
}

fn rst(lines: &Lines<'_>) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::new();
    let mut styles: Vec<(u8, bool)> = Vec::new();
    for at in 1..lines.len() {
        let under = lines.line(at).trim_end();
        let above = lines.line(at - 1).trim_end();
        let Some(mark) = ruler(under) else { continue };
        let enough = under.len() >= above.trim().chars().count();
        let taken = headings.last().is_some_and(|last| last.to + 1 >= at);
        if above.trim().is_empty() || ruler(above).is_some() || !enough || taken {
            continue;
        }
        let over = at >= 2 && lines.line(at - 2).trim_end() == under;
        if !over && (above.starts_with(' ') || (at >= 2 && !lines.line(at - 2).trim().is_empty())) {
            continue;
        }
        let style = (mark, over);
        let known = styles.iter().position(|&known| known == style);
        let level = known.unwrap_or_else(|| {
            styles.push(style);
            styles.len() - 1
        });
        headings.push(Heading {
            from: if over { at - 2 } else { at - 1 },
            to: at,
            level: (level + 1).min(MAX_LEVEL),
            title: title(above.trim()),
        });
    }
    headings
}

fn ruler(line: &str) -> Option<u8> {
    let first = line.bytes().next().filter(u8::is_ascii_punctuation)?;
    (line.len() >= 3 && line.bytes().all(|b| b == first)).then_some(first)
}

fn asciidoc(lines: &Lines<'_>) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut block: Option<&str> = None;
    for at in 0..lines.len() {
        let line = lines.line(at).trim_end();
        let delimits = line.len() >= 4
            && ruler(line)
                .is_some_and(|mark| matches!(mark, b'-' | b'.' | b'+' | b'/' | b'*' | b'_'));
        match block {
            Some(open) if open == line => block = None,
            Some(_) => {}
            None if delimits => block = Some(line),
            None => {
                let level = line.bytes().take_while(|&b| b == b'=').count();
                if (1..=6).contains(&level) && line[level..].starts_with(' ') {
                    headings.push(Heading {
                        from: at,
                        to: at,
                        level,
                        title: title(line[level..].trim()),
                    });
                }
            }
        }
    }
    headings
}

fn title(text: &str) -> String {
    // An anchor (`{#id}`) is no part of a title.
    let text = match text.rfind("{#") {
        Some(at) if text.ends_with('}') => &text[..at],
        _ => text,
    };
    let mut title = text.trim().to_owned();
    super::signature::cut(&mut title, HEADING_BYTES);
    title
}
