//! Parsing of C and C++: which of the two a source is, and a second attempt where the first one errs.
//!
//! Code before preprocessing is no text of the language. Where the grammar fails, the text is cleaned byte for byte and
//! the tree with fewer bytes in errors counts; each node keeps its place.

use std::borrow::Cow;

use super::cleaning::{self, Cleaning};
use super::grammar::{self, Grammar};
use super::listed_directives::{alone, listed_directives};
use tree_sitter::Tree;

use crate::model::Budget;
use crate::syntax::lang::frontend::ParsedText;
use crate::syntax::parse::{Parsed, error_bytes, parse};

/// Bytes of a source in which marks of C++ are looked for.
const MAX_SNIFFED_BYTES: usize = 256 << 10;

/// Parses a file that is C unless its content says otherwise: `.c`, `.h`.
pub(super) fn parse_c(source: &str, budget: &Budget) -> ParsedText {
    let is_cpp = is_cpp(source);
    let grammar = if is_cpp { grammar::cpp() } else { grammar::c() };
    best(grammar, source, is_cpp, budget)
}

/// Parses a file of C++.
pub(super) fn parse_cpp(source: &str, budget: &Budget) -> ParsedText {
    best(grammar::cpp(), source, true, budget)
}

/// Returns the tree with the fewest bytes that it does not understand: of the source, of the source without macros that are
/// attributes, or of that without the directives of conditions, where branches that are no whole statements are lost.
fn best(grammar: &Grammar, source: &str, is_cpp: bool, budget: &Budget) -> ParsedText {
    let mut best = parse(&grammar.language, source, budget);
    let mut n_errors = match &best {
        Parsed::Ended => return best.into(),
        Parsed::TooHard => usize::MAX,
        Parsed::Tree(tree) => error_bytes(tree),
    };
    // `struct FOO_EXPORT Options {` reads like a function, what follows a comment in a macro like code, and the type of a pointer to
    // a function behind a macro like its name, without an error.
    let is_misread = is_cpp && cleaning::has_class_macro(source)
        || cleaning::has_macro_comment(source)
        || cleaning::has_macro_declarator(source);
    let is_broken = match &best {
        Parsed::Tree(tree) => tree.root_node().has_error(),
        _ => true,
    };
    if !is_broken && !is_misread {
        return best.into();
    }
    let mut is_cleaned = false;
    let mut before = Cow::Borrowed(source);
    for depth in [Cleaning::Macros, Cleaning::Branches] {
        let (cleaned, n_lost) = cleaning::cleaned(source, is_cpp, depth);
        // The same text has the same tree.
        if *cleaned == *before {
            continue;
        }
        match parse(&grammar.language, &cleaned, budget) {
            Parsed::Ended => return Parsed::Ended.into(),
            Parsed::TooHard => {}
            Parsed::Tree(tree) => {
                let n = error_bytes(&tree) + n_lost;
                let is_better = n < n_errors || n == n_errors && depth == Cleaning::Macros;
                if is_better {
                    let is_clean = n == 0 && !tree.root_node().has_error();
                    n_errors = n;
                    best = Parsed::Tree(tree);
                    is_cleaned = true;
                    if is_clean {
                        break;
                    }
                }
            }
        }
        before = Cow::Owned(cleaned);
    }
    ParsedText {
        parsed: best,
        is_cleaned,
    }
}

/// Parses the directives of a source that stand in lists, which are blank where it was cleaned; `None` where there are none.
pub(super) fn parse_listed_directives(
    grammar: &Grammar,
    source: &str,
    budget: &Budget,
) -> Option<Tree> {
    let found = listed_directives(source.as_bytes());
    if found.is_empty() {
        return None;
    }
    let text = alone(source, &found);
    match parse(&grammar.language, &text, budget) {
        Parsed::Tree(tree) => Some(tree),
        Parsed::TooHard | Parsed::Ended => None,
    }
}

/// Whether a source that may be C is C++: it has a line that only C++ has, outside of `#ifdef __cplusplus`.
pub(super) fn is_cpp(source: &str) -> bool {
    let end = source.floor_char_boundary(MAX_SNIFFED_BYTES.min(source.len()));
    // How deep in conditions a line is that only C++ sees.
    let mut skipped = 0_u32;
    // Of each condition around that is not skipped, whether its other branch is the one of C++.
    let mut negated = Vec::new();
    let mut in_comment = false;
    for line in source[..end].lines() {
        let line = line.trim();
        if in_comment {
            in_comment = !line.contains("*/");
            continue;
        }
        if line.starts_with("/*") {
            in_comment = !line.contains("*/");
            continue;
        }
        if let Some(directive) = line.strip_prefix('#') {
            let directive = directive.trim_start();
            if skipped == 0 && is_standard_include(directive) {
                return true;
            }
            let is_else = directive.starts_with("el");
            if directive.starts_with("if") {
                if skipped > 0 {
                    skipped += 1;
                } else {
                    let is_named = directive.contains("__cplusplus");
                    let is_negated =
                        directive.starts_with("ifndef") || directive.contains("!defined");
                    negated.push(is_named && is_negated);
                    skipped = u32::from(is_named && !is_negated);
                }
            } else if directive.starts_with("endif") {
                if skipped <= 1 {
                    negated.pop();
                }
                skipped = skipped.saturating_sub(1);
            } else if is_else && skipped == 1 {
                skipped = 0;
            } else if is_else && skipped == 0 && negated.last() == Some(&true) {
                skipped = 1;
            }
            continue;
        }
        if skipped == 0 && is_line_of_cpp(line) {
            return true;
        }
    }
    false
}

/// Whether a directive includes a header of the standard library that only C++ has, which has no extension: `include <string>`.
fn is_standard_include(directive: &str) -> bool {
    let path = directive.strip_prefix("include").map(str::trim_start);
    let name = path.and_then(|it| it.strip_prefix('<')?.split_once('>'));
    name.is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|it| it.is_ascii_lowercase() || it == b'_')
    })
}

/// Whether a line has a parameter that is a reference to a constant: `int rank(const Store& s, int n);`.
fn has_const_reference(code: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    code.match_indices("const ").any(|(at, word)| {
        let begins = code[..at].trim_end().ends_with(['(', ',']) || code[..at].trim().is_empty();
        let type_ = code[at + word.len()..].trim_start();
        let behind = type_.trim_start_matches(is_part);
        let name = behind.trim_start().strip_prefix('&').map(str::trim_start);
        let end = name.map(|it| it.trim_start_matches(is_part).trim_start());
        begins
            && behind.len() < type_.len()
            && name.is_some_and(|it| !it.starts_with('&'))
            && end.is_some_and(|it| it.starts_with([',', ')']))
    })
}

fn is_line_of_cpp(line: &str) -> bool {
    let first = line
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .next()
        .unwrap_or_default();
    let rest = line[first.len()..].trim_start();
    let is_named = rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    match first {
        "namespace" => is_named || rest.starts_with('{'),
        "class" => {
            let ends = line.ends_with(['{', ':', ';']) || !line.contains(['=', '(', ',']);
            is_named && ends
        }
        "template" => rest.starts_with('<'),
        "using" | "virtual" | "constexpr" => is_named,
        "public" | "private" | "protected" => rest.starts_with(':') && !rest.starts_with("::"),
        _ => {
            let code = line.split("//").next().unwrap_or_default();
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            !code.contains('"')
                && !code.starts_with('*')
                && (code.split_once("::").is_some_and(|(before, behind)| {
                    (before.ends_with(is_name) || before.ends_with('>'))
                        && behind.starts_with(|c: char| is_name(c) || c == '~')
                }) || has_const_reference(code))
        }
    }
}
