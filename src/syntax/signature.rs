//! The signature and the doc comment of a definition, cleaned of white space and the signs of comments.

/// Longest signature in bytes.
pub(super) const SIGNATURE_BYTES: usize = 240;
/// Longest doc comment in bytes.
pub(super) const DOC_BYTES: usize = 2_000;
/// A constant that is no longer than this, with its value, is its own signature.
const SHORT_VALUE_BYTES: usize = 120;

/// Where a comment is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comment {
    /// First byte.
    pub(super) start: u32,
    /// One past the last byte.
    pub(super) end: u32,
}

impl Comment {
    /// The comment at some bytes of a file.
    pub(super) fn at(bytes: std::ops::Range<usize>) -> Self {
        let [start, end] = [bytes.start, bytes.end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        Self { start, end }
    }
}

/// Returns `text` with every run of white space as one blank, trimmed, at most `limit` bytes; what is cut
/// ends in `…`.
pub(super) fn fold(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len().min(limit));
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        if out.len() > limit {
            break;
        }
    }
    cut(&mut out, limit);
    out
}

/// Shortens `text` to at most `limit` bytes at a character boundary, with a closing `…` where it was cut.
pub(super) fn cut(text: &mut String, limit: usize) {
    if text.len() > limit {
        let at = text.floor_char_boundary(limit - '…'.len_utf8());
        text.truncate(at);
        text.push('…');
    }
}

/// Returns the signature of a definition whose text before its body is `head`.
pub(super) fn of_head(head: &str) -> String {
    let head = head.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '{' | ';' | ','));
    fold(head, SIGNATURE_BYTES)
}

/// Returns the signature of a name bound to a value: all of it where that is short, else the part up to
/// the end of the written type, else the beginning. `type_end` is an offset into `whole`.
pub(super) fn of_value(whole: &str, type_end: Option<usize>) -> String {
    let whole = whole.trim_end_matches([';', ',']);
    // Folding a long initialiser to the end would be work for nothing.
    let near = &whole[..whole.floor_char_boundary(2 * SHORT_VALUE_BYTES)];
    let folded = fold(near, SIGNATURE_BYTES);
    if near.len() == whole.len() && folded.len() <= SHORT_VALUE_BYTES {
        return folded;
    }
    if let Some(typed) = type_end.and_then(|at| whole.get(..at)) {
        return fold(typed, SIGNATURE_BYTES);
    }
    let mut text = folded;
    cut(&mut text, SHORT_VALUE_BYTES);
    if !text.ends_with('…') {
        text.push('…');
    }
    text
}

/// Returns the doc comment of what begins at byte `start`, and the byte at which the comments above it
/// begin (`start` where there is none). `comments` are those of the file up to `start` or further.
///
/// Line comments count as one comment where they follow line on line. A `/** … */` may be one blank line
/// above. Remarks to tools (`eslint-disable`, `@ts-ignore`, `#__PURE__`) are stepped over.
pub(super) fn doc_above(source: &str, comments: &[Comment], start: u32) -> (String, u32) {
    doc_above_with(source, comments, start, &["//"])
}

/// Returns the same as [`doc_above`] where line comments begin with one of `line_comments`: `#`, `--`.
pub(super) fn doc_above_with(
    source: &str,
    comments: &[Comment],
    start: u32,
    line_comments: &[&str],
) -> (String, u32) {
    let n_before = comments.partition_point(|c| c.start < start);
    let (mut lead, mut lines, mut doc) = (start, Vec::new(), String::new());
    for comment in comments[..n_before].iter().rev() {
        let text = slice(source, comment.start, comment.end);
        let between = slice(source, comment.end, lead);
        // Code in between is the usual case: it ends the search before anything of it is counted.
        if comment.end > lead || !is_blank(between) {
            break;
        }
        let n_breaks = between.bytes().filter(|&b| b == b'\n').count();
        let is_doc = text.starts_with("/**");
        let near = n_breaks <= 1 || (n_breaks == 2 && is_doc && lines.is_empty());
        if !near || !begins_its_line(source, comment.start) {
            break;
        }
        let is_line =
            line_comments.iter().any(|sign| text.starts_with(sign)) && !text.starts_with("--[[");
        if !is_line && !lines.is_empty() {
            break;
        }
        if n_breaks == 2 && is_about_the_file(text) {
            break;
        }
        lead = comment.start;
        if is_remark(text) {
            continue;
        }
        if is_line {
            let mark = text.chars().next().unwrap_or_default();
            let all = text.lines().rev();
            lines.extend(all.map(|line| line.trim().trim_start_matches(mark).trim()));
        } else {
            doc = block_text(text);
            break;
        }
    }
    if !lines.is_empty() {
        lines.reverse();
        lines.join("\n").trim().clone_into(&mut doc);
    }
    cut(&mut doc, DOC_BYTES);
    (doc, lead)
}

fn slice(source: &str, from: u32, to: u32) -> &str {
    source.get(from as usize..to as usize).unwrap_or_default()
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_whitespace())
}

fn begins_its_line(source: &str, at: u32) -> bool {
    let before = slice(source, 0, at);
    let line = before.rfind('\n').map_or(0, |n| n + 1);
    is_blank(&before[line..])
}

fn is_remark(text: &str) -> bool {
    let inner = text.trim_start_matches(['/', '*', '!', ' ', '\t']);
    [
        "@__",
        "#__",
        "eslint-",
        "@ts-",
        "prettier-",
        "istanbul ",
        "c8 ",
        "v8 ",
        "biome-",
        "#region",
        "#endregion",
        "tslint:",
        "jshint",
        "global ",
        "go:",
        "nolint",
        "+build",
        "#!",
        "# -*-",
        "# encoding",
        "# frozen_string_literal",
        "# rubocop:",
        "# shellcheck ",
        "# typed:",
        "-luacheck",
        "ignore_for_file",
        "swiftlint:",
        "swiftformat:",
        "ktlint-",
    ]
    .iter()
    .any(|mark| inner.starts_with(mark))
}

fn is_about_the_file(text: &str) -> bool {
    [
        "@license",
        "@fileoverview",
        "@file",
        "@module",
        "@preserve",
        "Copyright",
    ]
    .iter()
    .any(|mark| text.contains(mark))
}

fn block_text(text: &str) -> String {
    let inner = text.trim_start_matches('/').trim_start_matches(['*', '!']);
    let inner = inner.strip_suffix("*/").unwrap_or(inner);
    // Lua, Ruby.
    let inner = inner.strip_prefix("--[[").unwrap_or(inner);
    let inner = inner.strip_suffix("]]").unwrap_or(inner);
    let inner = inner.strip_prefix("=begin").unwrap_or(inner);
    let inner = inner.strip_suffix("=end").unwrap_or(inner);
    let mut out = String::new();
    for line in inner.lines() {
        let line = line.trim();
        let line = line.strip_prefix('*').unwrap_or(line);
        let line = line.strip_prefix(' ').unwrap_or(line);
        out.push_str(line.trim_end());
        out.push('\n');
        if out.len() > DOC_BYTES + 1 {
            break;
        }
    }
    out.trim_matches(|c: char| c.is_whitespace() || c == '*')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Comment, doc_above, fold, of_value};

    fn doc(source: &str) -> String {
        let mut comments = Vec::new();
        let mut from = 0;
        while let Some(at) = source[from..].find("/*").map(|n| n + from) {
            let end = source[at..].find("*/").unwrap() + at + 2;
            comments.push((at, end));
            from = end;
        }
        let comments: Vec<Comment> = comments
            .iter()
            .map(|&(start, end)| Comment {
                start: u32::try_from(start).unwrap(),
                end: u32::try_from(end).unwrap(),
            })
            .collect();
        let start = u32::try_from(source.find("export").unwrap()).unwrap();
        doc_above(source, &comments, start).0
    }

    #[test]
    fn a_block_comment_loses_its_marks() {
        assert_eq!(
            doc("/**\n * One.\n *\n *   two\n */\nexport x"),
            "One.\n\n  two"
        );
        assert_eq!(doc("/** One. */ export x"), "One.");
        assert_eq!(doc("/** One. */\n\nexport x"), "One.");
    }

    #[test]
    fn far_trailing_and_foreign_comments_are_no_docs() {
        assert_eq!(doc("/* One. */\n\nexport x"), "");
        assert_eq!(doc("/** @license X */\n\nexport x"), "");
        assert_eq!(doc("let a /* One. */\nexport x"), "");
        assert_eq!(
            doc("/** One. */\n/*@__NO_SIDE_EFFECTS__*/\nexport x"),
            "One."
        );
    }

    #[test]
    fn what_is_cut_ends_at_a_character() {
        assert_eq!(fold("a \n\t b", 240), "a b");
        let long = fold(&"ü".repeat(300), 240);
        assert!(long.len() <= 240 && long.ends_with('…'));
    }

    #[test]
    fn a_long_value_gives_way_to_its_type() {
        let long = format!("const a: A = [{}]", "1, ".repeat(100));
        assert_eq!(of_value(&long, Some(10)), "const a: A");
        assert_eq!(of_value("const a = 1;", None), "const a = 1");
        assert!(of_value(&long, None).ends_with('…'));
    }
}
