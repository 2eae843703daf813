//! A regular expression or a literal text, compiled for searching line by line.
//!
//! The door to the regex engine. Its time is linear in the text: there are no back-references and no look-around.

use std::ops::Range;

use regex_automata::{Input, meta};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
    Repetition,
};

/// The longest pattern, in characters.
pub const MAX_CHARACTERS: usize = 1_000;

/// The largest compiled pattern, in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// How the text of a pattern is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// As it stands.
    Literal,
    /// As a regular expression.
    Regex,
}

/// Why a pattern was not compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is empty.
    #[error("the pattern is empty")]
    Empty,
    /// It is longer than [`MAX_CHARACTERS`].
    #[error("the pattern has {n} characters; at most {MAX_CHARACTERS} are taken")]
    TooLong {
        /// Its characters.
        n: usize,
    },
    /// It is no regular expression: what is wrong, and at which character from 1.
    #[error("the pattern is no regular expression: {what} at character {at}")]
    Syntax {
        /// The fault.
        what: String,
        /// Where.
        at: usize,
    },
    /// It takes more than 1 MiB once it is compiled: `(\w{500}){500}`.
    #[error("the pattern is too large once it is compiled")]
    TooLarge,
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct LinePattern {
    regex: meta::Regex,
    /// Whether a match may go over the end of a line.
    is_multiline: bool,
}

impl LinePattern {
    /// Compiles a pattern. A match stays within a line, where `\s` and `[^a]` match no line end, unless the pattern
    /// names one (`\n`) or takes any character (`(?s).`, `[\s\S]`). `^` and `$` match at the ends of each line.
    pub fn new(text: &str, syntax: Syntax) -> Result<Self, PatternError> {
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        let n = text.chars().count();
        if n > MAX_CHARACTERS {
            return Err(PatternError::TooLong { n });
        }
        let hir = match syntax {
            Syntax::Literal => Hir::literal(text.as_bytes()),
            Syntax::Regex => parsed(text)?,
        };
        let is_multiline = asks_for_line_ends(&hir);
        let hir = if is_multiline {
            hir
        } else {
            without_line_ends(hir)
        };
        let config = meta::Config::new()
            .utf8_empty(false)
            .nfa_size_limit(Some(MAX_COMPILED_BYTES));
        let built = meta::Builder::new().configure(config).build_from_hir(&hir);
        Ok(Self {
            regex: built.map_err(|_| PatternError::TooLarge)?,
            is_multiline,
        })
    }

    /// Returns whether a match may go over the end of a line.
    pub(super) fn is_multiline(&self) -> bool {
        self.is_multiline
    }

    /// Returns the first match in a range of bytes, of which the bytes around it are seen: `\b`, `^`.
    pub(super) fn find(&self, text: &[u8], range: Range<usize>) -> Option<Range<usize>> {
        let found = self.regex.find(Input::new(text).range(range))?;
        Some(found.range())
    }
}

fn parsed(text: &str) -> Result<Hir, PatternError> {
    let mut parser = ParserBuilder::new()
        .utf8(false)
        .multi_line(true)
        .crlf(true)
        .build();
    parser.parse(text).map_err(|error| {
        let (what, offset) = match &error {
            regex_syntax::Error::Parse(error) => {
                (error.kind().to_string(), error.span().start.offset)
            }
            regex_syntax::Error::Translate(error) => {
                (error.kind().to_string(), error.span().start.offset)
            }
            other => (other.to_string(), 0),
        };
        let before = text.get(..offset).unwrap_or_default();
        PatternError::Syntax {
            what: what.split_whitespace().collect::<Vec<_>>().join(" "),
            at: before.chars().count() + 1,
        }
    })
}

/// Returns whether a pattern has a line end as a literal, or a class of all characters.
fn asks_for_line_ends(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Class(Class::Unicode(class)) => {
            matches!(class.ranges(), [only] if (only.start(), only.end()) == ('\0', char::MAX))
        }
        HirKind::Class(Class::Bytes(class)) => {
            matches!(class.ranges(), [only] if (only.start(), only.end()) == (0, 255))
        }
        HirKind::Repetition(repetition) => asks_for_line_ends(&repetition.sub),
        HirKind::Capture(capture) => asks_for_line_ends(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().any(asks_for_line_ends)
        }
    }
}

/// Takes the line end out of every class, so that no match goes over one.
fn without_line_ends(hir: Hir) -> Hir {
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(Class::Unicode(mut class)) => {
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(mut class)) => {
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(without_line_ends(*repetition.sub)),
            ..repetition
        }),
        HirKind::Capture(capture) => Hir::capture(Capture {
            sub: Box::new(without_line_ends(*capture.sub)),
            ..capture
        }),
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(without_line_ends).collect()),
        HirKind::Alternation(parts) => {
            Hir::alternation(parts.into_iter().map(without_line_ends).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LinePattern, MAX_CHARACTERS, PatternError, Syntax};

    fn found(pattern: &str, text: &str) -> Option<String> {
        let pattern = LinePattern::new(pattern, Syntax::Regex).unwrap();
        let range = pattern.find(text.as_bytes(), 0..text.len())?;
        Some(text[range].to_owned())
    }

    #[test]
    fn a_match_stays_within_a_line_unless_the_pattern_asks_for_more() {
        for (pattern, text, wanted) in [
            ("a\\s+b", "a\nb a  b", Some("a  b")),
            ("a[^x]+", "a\nbc", None),
            ("a.*c", "a\nc", None),
            ("a\\nb", "a\nb", Some("a\nb")),
            ("a(?s:.*)c", "a\nbc", Some("a\nbc")),
            ("a[\\s\\S]+?c", "a\nbc", Some("a\nbc")),
            ("^b$", "a\nb\nc", Some("b")),
            ("b$", "ab\r\nc", Some("b")),
            ("(?i)A", "xa", Some("a")),
            ("\\bjob\\b", "aJob job", Some("job")),
            ("é+", "aéé", Some("éé")),
            ("(?-u)\\w+", "é1", Some("1")),
        ] {
            assert_eq!(found(pattern, text).as_deref(), wanted, "{pattern}");
        }
    }

    #[test]
    fn a_literal_is_taken_as_it_stands() {
        let pattern = LinePattern::new("a.b(", Syntax::Literal).unwrap();
        assert_eq!(pattern.find(b"axb( a.b(", 0..9), Some(5..9));
        assert!(!pattern.is_multiline());
        let lines = LinePattern::new("a\nb", Syntax::Literal).unwrap();
        assert!(lines.is_multiline());
        assert_eq!(lines.find(b"xa\nb", 0..4), Some(1..4));
    }

    #[test]
    fn what_is_no_pattern_says_why() {
        let error = |text: &str| LinePattern::new(text, Syntax::Regex).unwrap_err();
        assert_eq!(error(""), PatternError::Empty);
        assert_eq!(
            error(&"é".repeat(1_001)),
            PatternError::TooLong { n: 1_001 }
        );
        assert!(LinePattern::new(&"é".repeat(MAX_CHARACTERS), Syntax::Regex).is_ok());
        assert_eq!(error("(\\w{500}){500}"), PatternError::TooLarge);
        for (text, part, place) in [
            ("a(b", "unclosed group", 2),
            ("é[a", "unclosed character class", 2),
            ("a(?=b)", "look-around", 2),
            ("(a)\\1", "backreferences are not supported", 4),
            ("*", "repetition operator missing expression", 1),
            ("\\p{Nope}", "property not found", 1),
        ] {
            let PatternError::Syntax { what, at } = error(text) else {
                panic!("{text}");
            };
            assert!(what.contains(part), "{text}: {what}");
            assert_eq!(at, place, "{text}");
        }
        let deep = "(".repeat(500) + &")".repeat(500);
        assert!(matches!(error(&deep), PatternError::Syntax { .. }));
    }
}
