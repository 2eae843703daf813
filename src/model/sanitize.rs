//! Text of a repository as it may be shown: data that neither steers a terminal nor hides from a reader.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns whether a character steers a terminal, changes the direction of the text around it, or cannot be seen:
/// controls (line ends and tabs among them), marks of direction, and characters without width. Selectors that turn a
/// sign into an emoji are not among them.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{fe00}'..='\u{fe0d}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Returns the text with every hidden character but those that `is_kept` names written as `\u{…}`; a line feed and
/// a carriage return as `\n` and `\r`.
pub fn visible(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_escaped = |c: char| is_hidden(c) && !is_kept(c);
    let Some(first) = text.find(is_escaped) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    for c in text[first..].chars() {
        match c {
            _ if !is_escaped(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            _ => drop(write!(out, "{}", c.escape_unicode())),
        }
    }
    Cow::Owned(out)
}

/// Returns the text on one line, everything hidden but tabs escaped.
pub fn one_line(text: &str) -> Cow<'_, str> {
    visible(text, |c| c == '\t')
}

/// Returns the first so many characters of a caller's text, escaped so that a message stays one line.
pub fn escaped_start(text: &str, max_chars: usize) -> String {
    let first = text.chars().take(max_chars);
    first.flat_map(char::escape_debug).collect()
}

/// Returns how many characters of a text are hidden, besides line ends and tabs.
pub fn n_hidden(text: &str) -> usize {
    let is_usual = |c: char| matches!(c, '\n' | '\r' | '\t');
    text.chars()
        .filter(|c| is_hidden(*c) && !is_usual(*c))
        .count()
}

#[cfg(test)]
mod tests {
    use super::{n_hidden, one_line, visible};

    #[test]
    fn what_steers_or_hides_is_written_out() {
        assert_eq!(one_line("a\u{1b}[2Jb\nc\u{9b}"), "a\\u{1b}[2Jb\\nc\\u{9b}");
        assert_eq!(
            one_line("x\u{202e}y\u{200b}\u{e0041}"),
            "x\\u{202e}y\\u{200b}\\u{e0041}"
        );
        assert_eq!(one_line("tab\tand é stay"), "tab\tand é stay");
        assert_eq!(visible("a\nb\r", |c| c == '\n'), "a\nb\\r");
    }

    #[test]
    fn hidden_characters_are_counted() {
        assert_eq!(n_hidden("a\tb\r\nc ☺\u{fe0f}"), 0);
        assert_eq!(n_hidden("a\u{202e}b\u{1b}[m"), 2);
    }
}
