//! Pipes in expressions of Angular: `total | currency: code` as an expression of TypeScript that is as long.
//!
//! A pipe's name becomes `0` and the colons before its arguments become `|`, so that every other byte stays where it
//! is.

use std::ops::{ControlFlow, Range};

use super::code::{each_byte, name_end};

/// Pipes of one expression that are looked at.
const MAX_PIPES: usize = 1_000;

/// Returns an expression without its pipes, and where their names stand.
pub(super) fn without_pipes(text: &str, range: Range<usize>) -> (String, Vec<Range<usize>>) {
    let part = text.get(range.clone()).unwrap_or_default();
    let mut names: Vec<Range<usize>> = Vec::new();
    if !part.contains('|') {
        return (part.to_owned(), names);
    }
    let bytes = &text.as_bytes()[..range.end];
    let mut colons: Vec<usize> = Vec::new();
    // For each bracket that is open the `?` since the last pipe or argument of one; `None` where there was no pipe.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut is_second = false;
    each_byte(bytes, range.start, |at, depth, byte| {
        // An opening bracket is told before what is in it, a closing one after.
        open.resize(depth + 1, None);
        if is_second {
            is_second = false;
            return ControlFlow::Continue(());
        }
        let next = bytes.get(at + 1).copied();
        match (byte, open[depth]) {
            (b'|', _) if next == Some(b'|') => is_second = true,
            (b'|', _) if names.len() < MAX_PIPES => {
                let blanks = bytes[at + 1..]
                    .iter()
                    .take_while(|b| b.is_ascii_whitespace());
                let from = at + 1 + blanks.count();
                let to = name_end(&text[..range.end], from);
                if to > from {
                    names.push(from..to);
                    open[depth] = Some(0);
                }
            }
            (b'?', Some(_)) if matches!(next, Some(b'?' | b'.')) => is_second = true,
            (b'?', Some(n)) => open[depth] = Some(n + 1),
            (b':', Some(0)) => colons.push(at),
            (b':', Some(n)) => open[depth] = Some(n - 1),
            (b',' | b';', _) => open[depth] = None,
            _ => {}
        }
        ControlFlow::Continue(())
    });
    let mut out = part.as_bytes().to_vec();
    for colon in colons {
        out[colon - range.start] = b'|';
    }
    for name in &names {
        for at in name.clone() {
            out[at - range.start] = if at == name.start { b'0' } else { b' ' };
        }
    }
    (String::from_utf8(out).unwrap_or_default(), names)
}

#[cfg(test)]
mod tests {
    use super::without_pipes;

    #[test]
    fn a_pipe_is_a_number_and_its_arguments_are_joined() {
        for (text, expected) in [
            ("a", "a"),
            ("a || b | c", "a || b | 0"),
            ("a | bc: d : e", "a | 0 | d | e"),
            ("f(a | b: 1, c ? d : e)", "f(a | 0| 1, c ? d : e)"),
            ("{ x: a | b, y: c }", "{ x: a | 0, y: c }"),
            (
                "(a | b)?.c | d: (e ? f : g) : h",
                "(a | 0)?.c | 0| (e ? f : g) | h",
            ),
            ("a | b: c ? d : e : f", "a | 0| c ? d : e | f"),
            ("'a | b' | c", "'a | b' | 0"),
            ("a | é: b", "a | 0 | b"),
            ("a |", "a |"),
        ] {
            let (found, _) = without_pipes(text, 0..text.len());
            let plain = |text: &str| text.replace(' ', "");
            assert_eq!(plain(&found), plain(expected), "{text}");
            assert_eq!(found.len(), text.len());
        }
    }
}
