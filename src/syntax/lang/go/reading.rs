//! Reading of `new` with a value, `new(f(x))`: the grammar takes the argument for a type, as it was before Go 1.26.
//!
//! A file in which it fails is read once more with another word of the same length in these places.

use std::borrow::Cow;

use super::grammar::grammar;
use crate::model::Budget;
use crate::syntax::lang::tree_walk::n_errors;
use crate::syntax::parse::{Parsed, parse as parse_source};

const CALL: &str = "new(";

/// An ordinary name in place of `new`, for the grammar alone.
const STAND_IN: &str = "nEw(";

/// Bytes of an argument that are looked at.
const MAX_ARGUMENT: usize = 1 << 12;

/// Parses a source.
pub(super) fn parse(source: &str, budget: &Budget) -> Parsed {
    let language = &grammar().language;
    let whole = parse_source(language, source, budget);
    let Parsed::Tree(tree) = &whole else {
        return whole;
    };
    if !tree.root_node().has_error() {
        return whole;
    }
    let Cow::Owned(other) = with_values(source) else {
        return whole;
    };
    match parse_source(language, &other, budget) {
        Parsed::Tree(other) if n_errors(&other) < n_errors(tree) => Parsed::Tree(other),
        Parsed::Ended => Parsed::Ended,
        _ => whole,
    }
}

/// Writes another name for each `new` whose argument is a value; every byte keeps its place.
fn with_values(source: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in source.match_indices(CALL) {
        let before = source[..at].chars().next_back();
        let is_whole = !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        let behind = at + CALL.len();
        if is_whole && argument(&source[behind..]).is_some_and(is_value) {
            out.push_str(&source[done..at]);
            out.push_str(STAND_IN);
            done = behind;
        }
    }
    if done == 0 {
        return Cow::Borrowed(source);
    }
    out.push_str(&source[done..]);
    Cow::Owned(out)
}

/// Returns the text up to the parenthesis that ends a call.
fn argument(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut is_escaped = false;
    for (at, c) in text.char_indices().take(MAX_ARGUMENT) {
        if let Some(mark) = quote {
            if is_escaped {
                is_escaped = false;
            } else if c == '\\' && mark != '`' {
                is_escaped = true;
            } else if c == mark {
                quote = None;
            }
            continue;
        }
        match c {
            '"' | '`' | '\'' => quote = Some(c),
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return Some(&text[..at]),
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// Whether the argument of `new` can be no type: `f(x)`, `T{}`, `1`, `a + b`.
fn is_value(argument: &str) -> bool {
    let argument = argument.trim();
    let first = argument.split(|c: char| !c.is_alphanumeric() && c != '_');
    let first = first.into_iter().next().unwrap_or_default();
    match first {
        "struct" | "interface" | "chan" => false,
        // A literal of such a type.
        "map" | "func" => argument.contains('{'),
        "" if argument.starts_with('[') => argument.contains('{'),
        "" if argument.starts_with(['*', '<']) => false,
        _ => {
            let is_number = first.starts_with(|c: char| c.is_ascii_digit());
            let has_sign = argument.contains(|c: char| "({\"`'+-/%&|^!<>=".contains(c));
            is_number || has_sign || argument.matches('.').count() > 1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{argument, with_values};

    #[test]
    fn new_of_a_value_is_told_from_that_of_a_type() {
        for value in [
            "f()",
            "a.b.Get(1)",
            "T{1}",
            "1",
            "\")\"",
            "x+1",
            "&v",
            "a.b.c",
            "[]int{1}",
            "!ok",
        ] {
            let source = format!("x := new({value})");
            assert_eq!(with_values(&source), format!("x := nEw({value})"));
        }
        for type_ in [
            "T",
            "pkg.T",
            "[]int",
            "[2]T",
            "*T",
            "map[string]T",
            "struct{ A int }",
            "chan int",
            "func(a int) T",
            "G[int]",
            "interface{ Get() }",
            "",
        ] {
            let source = format!("x := new({type_})");
            assert_eq!(with_values(&source), source);
        }
        assert_eq!(
            with_values("renew(f()) + a.new(f())"),
            "renew(f()) + a.new(f())"
        );
    }

    #[test]
    fn an_argument_ends_at_its_parenthesis() {
        assert_eq!(
            argument("f(')', \"\\\")\")) + g()"),
            Some("f(')', \"\\\")\")")
        );
        assert_eq!(argument("f("), None);
    }
}
