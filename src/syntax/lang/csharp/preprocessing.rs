//! Conditional compilation: `#if`.
//!
//! The grammar reads all branches where each of them is a run of whole declarations or statements. A file in which it fails is
//! read once more with the first branch of each condition alone, the other branches being blank; it counts as read in part.

use std::borrow::Cow;
use std::ops::ControlFlow;

use tree_sitter::Node;

use super::grammar::{Kind, grammar};
use crate::model::Budget;
use crate::syntax::lang::tree_walk::{each_node, n_errors};
use crate::syntax::parse::{Parsed, parse as parse_source};

/// Parses a source.
pub(super) fn parse(source: &str, budget: &Budget) -> Parsed {
    let language = &grammar().language;
    let mut whole = parse_source(language, source, budget);
    let has_error =
        |parsed: &Parsed| matches!(parsed, Parsed::Tree(tree) if tree.root_node().has_error());
    if !has_error(&whole) {
        return whole;
    }
    let plain = plain_extensions(source);
    if matches!(plain, Cow::Owned(_)) {
        whole = parse_source(language, &plain, budget);
    }
    let source = &*plain;
    let Parsed::Tree(tree) = &whole else {
        return whole;
    };
    if !tree.root_node().has_error() || !source.contains("#if") {
        return whole;
    }
    match parse_source(language, &first_branches(source), budget) {
        Parsed::Tree(other) if n_errors(&other) < n_errors(tree) => Parsed::Tree(other),
        Parsed::Ended => Parsed::Ended,
        _ => whole,
    }
}

/// Blanks the type parameters of extension blocks, `extension<T>(List<T> all) {`, for which the grammar has no form; every byte keeps
/// its place.
fn plain_extensions(source: &str) -> Cow<'_, str> {
    const HEAD: &str = "extension<";
    if !source.contains(HEAD) {
        return Cow::Borrowed(source);
    }
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some((before, behind)) = rest.split_once(HEAD) {
        out.push_str(before);
        let end = behind.find('>').filter(|end| {
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ',' | ' ');
            behind[..*end].chars().all(is_name) && behind[end + 1..].starts_with('(')
        });
        match end {
            Some(end) if before.ends_with(char::is_whitespace) => {
                out.push_str("extension");
                out.extend(std::iter::repeat_n(' ', end + 2));
                rest = &behind[end + 1..];
            }
            _ => {
                out.push_str(HEAD);
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether a source has branches that its tree does not have.
pub(super) fn lacks_branches(source: &str, root: Node<'_>) -> bool {
    let has_others = source
        .lines()
        .any(|line| matches!(directive(line), Some("else" | "elif")));
    has_others && !has_branch(root)
}

fn has_branch(root: Node<'_>) -> bool {
    let grammar = grammar();
    let found = each_node(root, |node| match grammar.kind(node) {
        Kind::PreprocElse | Kind::PreprocElif => ControlFlow::Break(()),
        _ => ControlFlow::Continue(true),
    });
    found.is_some()
}

/// Returns the name of the directive of a line: `if` for `#if NET`.
fn directive(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    rest.split(|c: char| !c.is_ascii_alphabetic()).next()
}

/// Returns the head of a declaration without directives, `#if NET`, and without the branches behind the first one of each condition.
pub(super) fn without_directives(head: &str) -> Cow<'_, str> {
    let mut lines = head.lines();
    if !head.contains('#') || lines.all(|line| directive(line).is_none()) {
        return Cow::Borrowed(head);
    }
    let text = first_branches(head);
    let lines = text.split_inclusive('\n');
    Cow::Owned(lines.filter(|line| directive(line).is_none()).collect())
}

/// Blanks the branches behind the first one of each condition, and the directives; every byte keeps its place.
fn first_branches(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    // For each condition that is open whether a branch behind the first is read.
    let mut open: Vec<bool> = Vec::new();
    for line in source.split_inclusive('\n') {
        let directive = directive(line);
        match directive {
            Some("if") => open.push(false),
            Some("elif" | "else") => {
                if let Some(is_other) = open.last_mut() {
                    *is_other = true;
                }
            }
            _ => {}
        }
        let is_condition = matches!(directive, Some("if" | "elif" | "else" | "endif"));
        if is_condition || open.contains(&true) {
            for c in line.chars() {
                if c == '\n' {
                    out.push('\n');
                } else {
                    out.extend(std::iter::repeat_n(' ', c.len_utf8()));
                }
            }
        } else {
            out.push_str(line);
        }
        if directive == Some("endif") {
            open.pop();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{first_branches, plain_extensions, without_directives};

    #[test]
    fn type_parameters_of_extension_blocks_become_blank() {
        let source = "  extension<K, V>(Map<K, V> all) { }";
        let wanted = "  extension      (Map<K, V> all) { }";
        assert_eq!(plain_extensions(source), wanted);
        assert_eq!(plain_extensions("myextension<T>(1)"), "myextension<T>(1)");
        assert_eq!(plain_extensions(" extension<T<A>>("), " extension<T<A>>(");
    }

    #[test]
    fn heads_have_no_directives() {
        let head = "public A\n#if NET\n(int a)\n#else\n(int b)\n#endif\n#pragma x\n#nullable disable\n: base";
        let words: Vec<_> = without_directives(head)
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        assert_eq!(words, ["public", "A", "(int", "a)", ":", "base"]);
        assert_eq!(without_directives("char a = '#';"), "char a = '#';");
    }

    #[test]
    fn first_branches_stay_in_their_places() {
        let source = "a\n#if X\nb\n  #if Y\nc\n#else\nd\n#endif\n# elif Z\ne é\n#endif\nf";
        let wanted = "a\n     \nb\n       \nc\n     \n \n      \n        \n    \n      \nf";
        assert_eq!(first_branches(source), wanted);
        assert_eq!(
            first_branches("#else\na\n#endif\n#if"),
            "     \na\n      \n   "
        );
    }
}
