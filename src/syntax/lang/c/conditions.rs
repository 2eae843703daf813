//! Uses of macros in conditions before preprocessing: `#if defined(HAVE_POLL) && PAGE_SIZE > 4`, `#ifdef HAVE_POLL`.
//!
//! They are read from the text: a tree of cleaned text lacks the directives.

use super::lowering::Lowering;
use super::tokens::{directives, word_of};
use crate::ir::{Expr, ReferenceKind, Target};

/// A name in a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ConditionName<'t> {
    start: usize,
    text: &'t str,
    is_called: bool,
}

impl Lowering<'_> {
    /// Records the macros in the conditions of the file, as uses by the definitions around them.
    pub(super) fn use_conditions(&mut self) {
        let source = self.source;
        let found: Vec<(usize, &str)> = directives(source.as_bytes())
            .into_iter()
            .filter_map(|(start, end)| Some((start, source.get(start..end)?)))
            .collect();
        for (at, (start, text)) in found.iter().enumerate() {
            let Some(names) = names_of_condition(text) else {
                continue;
            };
            let next = found.get(at + 1).map(|it| it.1);
            for name in names {
                // The guard of a header stands for nothing.
                if next.is_some_and(|it| is_empty_definition(it, name.text)) {
                    continue;
                }
                let at = start + name.start;
                let kind = if name.is_called {
                    ReferenceKind::Call
                } else {
                    ReferenceKind::Value
                };
                let wanted = self.facts.exprs.name(&format!("macro {}", name.text));
                let value = self.add(Expr::Name {
                    name: wanted,
                    scope: None,
                });
                let outer = self.symbol;
                self.symbol = self.annotated(at);
                self.push_use(name.text, Target::Value(value), kind, at);
                self.symbol = outer;
            }
        }
    }
}

/// Returns the macros that a directive asks for; `None` where it is no condition.
fn names_of_condition(directive: &str) -> Option<Vec<ConditionName<'_>>> {
    let (word, at) = word_of(directive)?;
    let is_condition = matches!(
        word,
        "if" | "ifdef" | "ifndef" | "elif" | "elifdef" | "elifndef"
    );
    is_condition.then(|| names_behind(directive, at))
}

fn names_behind(directive: &str, mut at: usize) -> Vec<ConditionName<'_>> {
    let bytes = directive.as_bytes();
    let mut found = Vec::new();
    while at < bytes.len() {
        let rest = &directive[at..];
        if rest.starts_with("//") {
            break;
        }
        if let Some(inside) = rest.strip_prefix("/*") {
            at += inside.find("*/").map_or(rest.len(), |it| it + 4);
            continue;
        }
        if rest.starts_with("(<") {
            // A file: `HAS_INCLUDE(<poll.h>)`.
            at += rest.find('>').unwrap_or(rest.len());
            continue;
        }
        let byte = bytes[at];
        if byte == b'\'' || byte == b'"' {
            let end = directive[at + 1..].find(char::from(byte));
            at = end.map_or(bytes.len(), |it| at + it + 2);
            continue;
        }
        let is_word = |it: &u8| it.is_ascii_alphanumeric() || *it == b'_';
        let length = bytes[at..].iter().take_while(|it| is_word(it)).count();
        if length == 0 {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let text = &directive[at..at + length];
        let behind = directive[at + length..].trim_start();
        if text.starts_with("__has_") {
            // `__has_include(<poll.h>)`: files and words of the compiler.
            let arguments = behind.starts_with('(').then(|| behind.find(')')).flatten();
            at = bytes.len() - behind.len() + arguments.map_or(0, |it| it + 1);
            continue;
        }
        if !byte.is_ascii_digit() && !is_of_compiler(text) {
            found.push(ConditionName {
                start: at,
                text,
                is_called: behind.starts_with('('),
            });
        }
        at += length;
    }
    found
}

/// Whether a word in a condition is one of the language, or a macro that the compiler defines.
fn is_of_compiler(word: &str) -> bool {
    matches!(
        word,
        "defined" | "true" | "false" | "and" | "or" | "not" | "xor"
    ) || word.starts_with("__") && word.ends_with("__")
        || word == "__cplusplus"
}

/// Whether a directive defines a name with nothing behind it: `#define STORE_H`.
fn is_empty_definition(directive: &str, name: &str) -> bool {
    let Some(("define", at)) = word_of(directive) else {
        return false;
    };
    let rest = directive[at..].trim_start().strip_prefix(name);
    rest.is_some_and(|rest| {
        let rest = rest.trim();
        rest.is_empty() || rest.starts_with("/*") || rest.starts_with("//")
    })
}

#[cfg(test)]
mod tests {
    use super::{is_empty_definition, names_of_condition};

    fn names(directive: &str) -> Vec<&str> {
        let found = names_of_condition(directive).unwrap_or_default();
        found.iter().map(|it| it.text).collect()
    }

    #[test]
    fn finds_macros_in_conditions() {
        assert_eq!(names("#ifdef HAVE_POLL // or select"), ["HAVE_POLL"]);
        assert_eq!(
            names("# if defined(A) && !defined B \\\n  || SIZE(x) > 0x4L /* C */ && D == 'E'"),
            ["A", "B", "SIZE", "x", "D"]
        );
        assert_eq!(
            names("#elif __has_include(<poll.h>) && HAVE_POLL"),
            ["HAVE_POLL"]
        );
        assert_eq!(names("#if __has_include && (A)"), ["A"]);
        assert!(names("#if __has_include(<poll.h>)").is_empty());
        assert_eq!(names("#if HAS(<sys/poll.h>) && A"), ["HAS", "A"]);
        assert!(names("#if defined(__GNUC__) || __cplusplus > 201103L").is_empty());
        assert!(names_of_condition("#define A B").is_none());
        assert!(names_of_condition("#endif // A").is_none());
    }

    #[test]
    fn tells_guards_from_defaults() {
        assert!(is_empty_definition("#define STORE_H", "STORE_H"));
        assert!(is_empty_definition(
            "#  define STORE_H /* once */",
            "STORE_H"
        ));
        assert!(!is_empty_definition("#define STORE_H 1", "STORE_H"));
        assert!(!is_empty_definition("#define STORE_HH", "STORE_H"));
        assert!(!is_empty_definition("#undef STORE_H", "STORE_H"));
    }
}
