//! Identifier splitting, shared by the rows and the queries so that both mean the same words.
//!
//! A word is a run of letters, digits, `_` and `$`. It is indexed as its normal form and, where it has several parts,
//! as each part: `getUserName` is `getusername get user name`. Scripts written without spaces are cut into single
//! characters; single ASCII letters and digits are left out.

mod ascii;

/// The longest word that is indexed, in bytes of its normal form; longer ones are encoded data.
pub const MAX_WORD_BYTES: usize = 64;

/// One word of a text and the parts it is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The word as written.
    pub text: &'a str,
    /// Its normal form: lower case, separators dropped.
    pub norm: String,
    /// Its parts in lower case; empty where the word is one part.
    pub parts: Vec<String>,
}

impl Word<'_> {
    /// Returns its parts; itself where it is one part.
    pub fn smallest(&self) -> impl Iterator<Item = &str> {
        let whole = self.parts.is_empty().then_some(&self.norm);
        self.parts.iter().chain(whole).map(String::as_str)
    }
}

/// Appends the words of `text` and their parts to `out`, separated by spaces, as they are indexed.
/// Costs one pass, about 40 instructions a byte of ASCII and 100 of other text.
pub fn index_text(text: &str, out: &mut String) {
    if text.is_ascii() {
        ascii::index_text(text, out);
    } else {
        index_any_text(text, out);
    }
}

fn index_any_text(text: &str, out: &mut String) {
    let mut parts = Vec::new();
    for word in raw_words(text) {
        push_word(word, &mut parts, out);
    }
}

/// Returns the words of `text` in order, with their parts.
pub fn words(text: &str) -> Vec<Word<'_>> {
    raw_words(text)
        .filter_map(|word| {
            let norm = normal_form(word);
            if norm.is_empty() || norm.len() > MAX_WORD_BYTES {
                return None;
            }
            let mut ranges = Vec::new();
            split(word, &mut ranges);
            let parts = if ranges.len() > 1 {
                ranges
                    .iter()
                    .map(|&(from, to)| word[from..to].to_lowercase())
                    .collect()
            } else {
                Vec::new()
            };
            Some(Word {
                text: word,
                norm,
                parts,
            })
        })
        .collect()
}

/// Returns the lower case of `name` without anything but letters and digits: `valid_session`,
/// `validSession` and `Valid-Session` are one.
pub fn normal_form(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !c.is_ascii() && c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        }
    }
    out
}

/// Returns a word without the endings of a plural and of verbs, roughly as SQLite folds them: good enough to
/// compare two words, not to look one up.
pub fn stem(word: &str) -> &str {
    ["ing", "ed", "es", "s", "e"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|rest| rest.len() > 2))
        .unwrap_or(word)
}

fn push_word(word: &str, parts: &mut Vec<(usize, usize)>, out: &mut String) {
    let start = out.len();
    for c in word.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !c.is_ascii() {
            out.extend(c.to_lowercase());
        }
    }
    let length = out.len() - start;
    // A single letter says nothing of a text and is everywhere in code; as a name it is found as such.
    if length <= 1 || length > MAX_WORD_BYTES {
        out.truncate(start);
        return;
    }
    out.push(' ');
    parts.clear();
    split(word, parts);
    if parts.len() > 1 {
        for &(from, to) in parts.iter().filter(|(from, to)| to - from > 1) {
            for c in word[from..to].chars() {
                if c.is_ascii() {
                    out.push(c.to_ascii_lowercase());
                } else {
                    out.extend(c.to_lowercase());
                }
            }
            out.push(' ');
        }
    }
}

/// Finds the parts of a word: at `_` and `$`, where lower case meets upper, and before the last capital
/// of a run that a lower-case letter follows (`HTTPServer`). Digits stay with what precedes them.
fn split(word: &str, parts: &mut Vec<(usize, usize)>) {
    let mut start = None;
    let mut before: Option<char> = None;
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '_' || c == '$' {
            if let Some(from) = start.take() {
                parts.push((from, at));
            }
            before = None;
            continue;
        }
        let next_is_lower = chars.peek().is_some_and(|(_, n)| n.is_lowercase());
        let cut = before.is_some_and(|b| {
            c.is_uppercase() && (b.is_lowercase() || b.is_numeric() || next_is_lower)
        });
        if cut && let Some(from) = start.replace(at) {
            parts.push((from, at));
        }
        start.get_or_insert(at);
        before = Some(c);
    }
    if let Some(from) = start {
        parts.push((from, word.len()));
    }
}

/// Cuts a text into runs of word characters; characters of scripts without spaces stand alone.
fn raw_words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let begin = rest.char_indices().find(|&(_, c)| is_word(c))?.0;
        rest = &rest[begin..];
        let mut chars = rest.char_indices();
        let (_, first) = chars.next()?;
        let end = if is_spaceless(first) {
            first.len_utf8()
        } else {
            chars
                .find(|&(_, c)| !is_word(c) || is_spaceless(c))
                .map_or(rest.len(), |(at, _)| at)
        };
        let (word, tail) = rest.split_at(end);
        rest = tail;
        Some(word)
    })
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$' || (!c.is_ascii() && c.is_alphanumeric())
}

fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

#[cfg(test)]
mod tests {
    use super::{index_text, normal_form, words};

    fn indexed(text: &str) -> String {
        let mut out = String::new();
        index_text(text, &mut out);
        out.trim_end().to_owned()
    }

    #[test]
    fn identifiers_are_indexed_whole_and_in_parts() {
        for (text, wanted) in [
            ("getUserName", "getusername get user name"),
            ("HTTPServer", "httpserver http server"),
            ("valid_session", "validsession valid session"),
            ("MAX_SIZE", "maxsize max size"),
            ("utf8Decoder", "utf8decoder utf8 decoder"),
            ("$el", "el"),
            ("__private", "private"),
            ("ab.cd-ef", "ab cd ef"),
            ("(x: T) => aB", "ab"),
            ("Ünïcode", "ünïcode"),
            ("日本go", "日 本 go"),
            ("_", ""),
            ("", ""),
        ] {
            assert_eq!(indexed(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_query_word_has_the_parts_that_the_row_has() {
        let found = words("where is getUserName?");
        assert_eq!(found.len(), 3);
        assert_eq!(found[2].norm, "getusername");
        assert_eq!(found[2].parts, ["get", "user", "name"]);
        assert!(found[0].parts.is_empty());
    }

    #[test]
    fn encoded_data_is_no_word() {
        assert_eq!(indexed(&"a1B2".repeat(40)), "");
        assert!(words(&"x".repeat(65)).is_empty());
    }

    #[test]
    fn the_normal_form_forgets_case_and_separators() {
        for same in [
            "validSession",
            "valid_session",
            "Valid-Session",
            "VALID.SESSION",
        ] {
            assert_eq!(normal_form(same), "validsession");
        }
    }
}
