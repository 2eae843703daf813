//! The words of a text that is ASCII alone, as nearly all code is: the same words as of any text, byte by byte.

use super::MAX_WORD_BYTES;

/// The class of a byte within a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    /// No part of one.
    Outside,
    Lower,
    Upper,
    Digit,
    /// `_` or `$`.
    Separator,
}

const CLASSES: [ByteClass; 256] = {
    let mut classes = [ByteClass::Outside; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'a'..=b'z' => ByteClass::Lower,
            b'A'..=b'Z' => ByteClass::Upper,
            b'0'..=b'9' => ByteClass::Digit,
            b'_' | b'$' => ByteClass::Separator,
            _ => ByteClass::Outside,
        };
        byte += 1;
    }
    classes
};

/// Appends the words of `text` and their parts to `out`: see [`super::index_text`].
pub(super) fn index_text(text: &str, out: &mut String) {
    let bytes = text.as_bytes();
    out.reserve(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let first = class(bytes[at]);
        if first == ByteClass::Outside {
            at += 1;
            continue;
        }
        let from = at;
        // A word of lower case and digits alone is one part, as written.
        let mut is_plain = matches!(first, ByteClass::Lower | ByteClass::Digit);
        at += 1;
        while let Some(next) = bytes.get(at).map(|byte| class(*byte)) {
            match next {
                ByteClass::Outside => break,
                ByteClass::Upper | ByteClass::Separator => is_plain = false,
                ByteClass::Lower | ByteClass::Digit => {}
            }
            at += 1;
        }
        let word = &text[from..at];
        if is_plain {
            // A single letter says nothing of a text and is everywhere in code.
            if word.len() > 1 && word.len() <= MAX_WORD_BYTES {
                out.push_str(word);
                out.push(' ');
            }
        } else {
            push_word(word, out);
        }
    }
}

fn class(byte: u8) -> ByteClass {
    CLASSES[usize::from(byte)]
}

/// Appends a word without its separators, and its parts where it has several.
fn push_word(word: &str, out: &mut String) {
    let start = out.len();
    for run in word.split(['_', '$']) {
        out.push_str(run);
    }
    let length = out.len() - start;
    if length <= 1 || length > MAX_WORD_BYTES {
        out.truncate(start);
        return;
    }
    out[start..].make_ascii_lowercase();
    out.push(' ');
    let whole = out.len();
    let mut n_parts = 0;
    for run in word.split(['_', '$']).filter(|run| !run.is_empty()) {
        let bytes = run.as_bytes();
        let mut from = 0;
        for at in 1..=bytes.len() {
            if at < bytes.len() && !is_cut(bytes, at) {
                continue;
            }
            n_parts += 1;
            if at - from > 1 {
                out.push_str(&run[from..at]);
                out.push(' ');
            }
            from = at;
        }
    }
    if n_parts > 1 {
        out[whole..].make_ascii_lowercase();
    } else {
        out.truncate(whole);
    }
}

/// Whether a part begins at `at`, which is not the first byte: where lower case or a digit meets upper, and before
/// the last capital of a run that a lower-case letter follows.
fn is_cut(run: &[u8], at: usize) -> bool {
    class(run[at]) == ByteClass::Upper
        && (class(run[at - 1]) != ByteClass::Upper
            || run
                .get(at + 1)
                .is_some_and(|next| class(*next) == ByteClass::Lower))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_words_are_those_of_any_text(text in "[ -~\\n]{0,200}|[a-zA-Z0-9_$. ]{0,200}") {
            let (mut one, mut other) = (String::from("before "), String::from("before "));
            super::index_text(&text, &mut one);
            super::super::index_any_text(&text, &mut other);
            prop_assert_eq!(one, other);
        }
    }
}
