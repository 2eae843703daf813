//! Brackets, strings and comments of expressions in markup: where an expression ends, and where it can be split.
//!
//! Does not parse; see `ecmascript`.

use std::ops::{ControlFlow, Range};

/// Brackets inside brackets that are followed.
const MAX_DEPTH: usize = 1_000;

/// Returns the closing bracket of the one at `open`: for `{a: '}'}` at 0 it is 7. `None` where it is not closed.
pub(super) fn closing(text: &str, open: usize) -> Option<usize> {
    let mut end = None;
    each_byte(text.as_bytes(), open, |at, depth, _| {
        if depth == 0 {
            end = Some(at);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    end.filter(|end| *end > open)
}

/// Splits code at the commas outside brackets: `{ a, b }, i` gives `{ a, b }` and `i`.
pub(super) fn split_commas(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    split(text, range, b",")
}

/// Splits code at the separators outside brackets.
pub(super) fn split(text: &str, range: Range<usize>, separators: &[u8]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut from = range.start;
    each_byte(
        &text.as_bytes()[..range.end],
        range.start,
        |at, depth, byte| {
            if depth == 0 && separators.contains(&byte) {
                parts.push(from..at);
                from = at + 1;
            }
            ControlFlow::Continue(())
        },
    );
    parts.push(from..range.end);
    parts
        .into_iter()
        .map(|part| trimmed(text, part))
        .filter(|part| !part.is_empty())
        .collect()
}

/// Returns the first place of a separator outside brackets.
pub(super) fn find(text: &str, range: Range<usize>, separator: u8) -> Option<usize> {
    let mut found = None;
    let bytes = &text.as_bytes()[..range.end];
    each_byte(bytes, range.start, |at, depth, byte| {
        if depth == 0 && byte == separator {
            found = Some(at);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    found
}

/// Returns the places of a word outside brackets, with blanks around it: ` as ` in `items as item`.
pub(super) fn words(text: &str, range: Range<usize>, word: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let bytes = &text.as_bytes()[..range.end];
    each_byte(bytes, range.start, |at, depth, byte| {
        let follows = |end: usize| bytes.get(end).is_some_and(u8::is_ascii_whitespace);
        if depth == 0
            && byte == word.as_bytes()[0]
            && bytes[at..].starts_with(word.as_bytes())
            && at > range.start
            && (bytes[at - 1].is_ascii_whitespace() || matches!(bytes[at - 1], b')' | b']' | b'}'))
            && (follows(at + word.len())
                || matches!(bytes.get(at + word.len()), Some(b'{' | b'[' | b'(')))
        {
            found.push(at);
        }
        ControlFlow::Continue(())
    });
    found
}

/// Returns a range without the blanks at its ends.
pub(super) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let from = range.start + (part.len() - part.trim_start().len());
    let to = from + part.trim().len();
    from..to
}

/// Returns the end of the name that begins at `at`.
pub(super) fn name_end(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    at + rest.find(|c| !is_name(c)).unwrap_or(rest.len())
}

/// Whether a text is a name or a chain of names: `a.b.c`.
pub(super) fn is_path(text: &str) -> bool {
    text.split('.').all(|part| {
        let begins = part.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'));
        begins && name_end(part, 0) == part.len()
    })
}

/// Passes over the text of a template string from `at` on, to its end or into its next `${`, which is opened then.
/// Returns the byte after it, and the last byte of code.
fn after_text(bytes: &[u8], at: usize, open: &mut Vec<u8>) -> (usize, u8) {
    let (end, is_hole) = template_end(bytes, at);
    if is_hole {
        open.push(b'`');
    }
    (end, if is_hole { b'(' } else { b'`' })
}

/// Calls `visit` for each byte of code, strings and comments left out, with the number of brackets around it; for a
/// bracket that number without itself.
pub(super) fn each_byte(
    bytes: &[u8],
    from: usize,
    mut visit: impl FnMut(usize, usize, u8) -> ControlFlow<()>,
) {
    let mut open: Vec<u8> = Vec::new();
    let mut at = from;
    // The last byte of code that is no blank, to tell a regular expression from a division.
    let mut last = b'(';
    while at < bytes.len() {
        let byte = bytes[at];
        match byte {
            b'"' | b'\'' => {
                at = string_end(bytes, at + 1, byte);
                last = byte;
                continue;
            }
            b'`' => {
                (at, last) = after_text(bytes, at + 1, &mut open);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += bytes[at..].iter().take_while(|b| **b != b'\n').count();
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let body = &bytes[at + 2..];
                let end = body.windows(2).position(|two| two == b"*/");
                at = end.map_or(bytes.len(), |end| at + end + 4);
                continue;
            }
            b'/' if !(last.is_ascii_alphanumeric() || b"_$)]}'\"`".contains(&last)) => {
                if let Some(end) = regex_end(bytes, at + 1) {
                    at = end;
                    last = b'/';
                    continue;
                }
            }
            b'(' | b'[' | b'{' => {
                // The first bracket is what is looked at from outside.
                let is_inside = !open.is_empty() || at > from;
                if is_inside && visit(at, open.len(), byte).is_break() {
                    return;
                }
                if open.len() >= MAX_DEPTH {
                    return;
                }
                open.push(byte);
                at += 1;
                last = byte;
                continue;
            }
            b')' | b']' | b'}' => {
                let closed = open.pop();
                if closed == Some(b'`') {
                    (at, last) = after_text(bytes, at + 1, &mut open);
                    continue;
                }
            }
            _ => {}
        }
        if visit(at, open.len(), byte).is_break() {
            return;
        }
        if !byte.is_ascii_whitespace() {
            last = byte;
        }
        at += 1;
    }
}

/// Returns the byte after a string that ends with `quote`; a string ends with its line.
fn string_end(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Returns the byte after a template literal, or after the `${` of its next hole.
fn template_end(bytes: &[u8], mut at: usize) -> (usize, bool) {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'`' => return (at + 1, false),
            b'$' if bytes.get(at + 1) == Some(&b'{') => return (at + 2, true),
            _ => {}
        }
        at += 1;
    }
    (bytes.len(), false)
}

/// Returns the byte after a regular expression; `None` where its line ends before.
fn regex_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut in_class = false;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' => return None,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{closing, is_path, split_commas, words};

    #[test]
    fn a_bracket_is_closed_behind_strings_and_comments() {
        for (text, rest) in [
            ("{a}b", "b"),
            ("{a: '}'}b", "b"),
            ("{`}${ {x: `}`} }`}b", "b"),
            ("{/* } */ a // }\n}b", "b"),
            ("{a.replace(/[}]/g, '')}b", "b"),
            ("{a / b} / {c}", " / {c}"),
        ] {
            let end = closing(text, 0).unwrap();
            assert_eq!(&text[end + 1..], rest, "{text}");
        }
        assert_eq!(closing("{a", 0), None);
        assert_eq!(closing("{`${", 0), None);
    }

    #[test]
    fn code_is_split_outside_brackets() {
        let text = "{ a, b }, [c, d], i";
        let parts = split_commas(text, 0..text.len());
        let parts: Vec<&str> = parts.into_iter().map(|part| &text[part]).collect();
        assert_eq!(parts, ["{ a, b }", "[c, d]", "i"]);
        let text = "(xs as X[]) as {as}";
        let found = words(text, 0..text.len(), "as");
        assert_eq!(found, [12]);
    }

    #[test]
    fn a_path_is_names_with_dots() {
        assert!(is_path("a.b_1.$c"));
        assert!(!is_path("a()") && !is_path("") && !is_path("a..b") && !is_path("1"));
    }
}
