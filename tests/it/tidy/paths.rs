//! Tokens → the paths they name: inside the crate with `crate`, `self` and `super` resolved, and those
//! that begin with a foreign crate.
//!
//! `rules` decides which of them are allowed.

use super::lexer::{Placed, Token};

/// A path and where it is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// 1-based.
    pub(crate) line: usize,
    /// Segments from the root of the crate, or from the name of the foreign crate.
    pub(crate) segments: Vec<String>,
}

/// Every path of one file.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    /// Paths inside the crate, from its root.
    pub(crate) inside: Vec<Named>,
    /// Paths that begin with another name: foreign crates, and names in scope.
    pub(crate) outside: Vec<Named>,
}

/// Returns the paths that a file names. `module` is the file's module path from the crate's root.
pub(crate) fn of(tokens: &[Placed], module: &[String]) -> Paths {
    let mut paths = Paths::default();
    // One entry for each open brace: the name of the module it opens, if it opens one.
    let mut braces: Vec<Option<String>> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at].1 {
            Token::Sign('{') => braces.push(module_opened(tokens, at)),
            Token::Sign('}') => {
                braces.pop();
            }
            Token::Word(word) if !continues(tokens, at) => {
                let scope = || -> Vec<String> {
                    module
                        .iter()
                        .cloned()
                        .chain(braces.iter().flatten().cloned())
                        .collect()
                };
                let base = match word.as_str() {
                    // The binary names the library by the crate's own name.
                    "crate" | "codelens" => Some(Vec::new()),
                    "self" => Some(scope()),
                    "super" => {
                        let mut scope = scope();
                        scope.pop();
                        Some(scope)
                    }
                    _ => None,
                };
                let leads = sign(tokens, at + 1) == Some(&Token::Path);
                let group = match base {
                    Some(base) if leads => tree(tokens, at + 2, base, &mut paths.inside),
                    None if leads => tree(tokens, at + 2, vec![word.clone()], &mut paths.outside),
                    None if after_use(tokens, at) => {
                        let segments = vec![word.clone()];
                        paths.outside.push(Named {
                            line: tokens[at].0,
                            segments,
                        });
                        None
                    }
                    _ => None,
                };
                at = group.unwrap_or(at);
            }
            _ => {}
        }
        at += 1;
    }
    paths
}

/// Whether the word at `at` goes on a path or a member access that began before it.
fn continues(tokens: &[Placed], at: usize) -> bool {
    match at.checked_sub(1).map(|before| &tokens[before].1) {
        Some(Token::Sign('.')) => true,
        // A leading `::` begins a path from outside the crate, and so does not continue one.
        Some(Token::Path) => {
            matches!(
                at.checked_sub(2).map(|before| &tokens[before].1),
                Some(Token::Word(word)) if word != "use"
            ) || matches!(
                at.checked_sub(2).map(|before| &tokens[before].1),
                Some(Token::Sign('>'))
            )
        }
        _ => false,
    }
}

fn after_use(tokens: &[Placed], at: usize) -> bool {
    let before = |n: usize| at.checked_sub(n).map(|before| &tokens[before].1);
    matches!(before(1), Some(Token::Word(word)) if word == "use")
        || matches!((before(2), before(1)), (Some(Token::Word(a)), Some(Token::Word(b))) if a == "extern" && b == "crate")
}

fn module_opened(tokens: &[Placed], brace: usize) -> Option<String> {
    match (sign(tokens, brace.checked_sub(2)?), sign(tokens, brace - 1)) {
        (Some(Token::Word(keyword)), Some(Token::Word(name))) if keyword == "mod" => {
            Some(name.clone())
        }
        _ => None,
    }
}

fn sign(tokens: &[Placed], at: usize) -> Option<&Token> {
    tokens.get(at).map(|(_, token)| token)
}

/// Follows a path, with the groups of a `use`, and records each of its ends. Returns where the group
/// closes, if the path ends in one.
fn tree(
    tokens: &[Placed],
    start: usize,
    mut segments: Vec<String>,
    out: &mut Vec<Named>,
) -> Option<usize> {
    let mut at = start;
    loop {
        let (line, token) = tokens.get(at)?;
        match token {
            Token::Word(word) => {
                match word.as_str() {
                    "self" => {}
                    "super" => {
                        segments.pop();
                    }
                    _ => segments.push(word.clone()),
                }
                if sign(tokens, at + 1) == Some(&Token::Path) {
                    at += 2;
                    continue;
                }
                out.push(Named {
                    line: *line,
                    segments,
                });
            }
            Token::Sign('{') => return Some(group(tokens, at + 1, &segments, out)),
            // `::*` and `::<T>` name what was reached.
            _ => out.push(Named {
                line: *line,
                segments,
            }),
        }
        return None;
    }
}

/// Follows each item of a group; returns where it closes.
fn group(tokens: &[Placed], start: usize, segments: &[String], out: &mut Vec<Named>) -> usize {
    let mut at = start;
    // Only the word that opens an item begins a path; `as name` and what a path goes on with do not.
    let mut opens = true;
    while let Some((_, token)) = tokens.get(at) {
        match token {
            Token::Sign('}') => return at,
            Token::Sign(',') => opens = true,
            Token::Word(_) if opens => {
                opens = false;
                at = tree(tokens, at, segments.to_vec(), out).unwrap_or(at);
            }
            _ => opens = false,
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::super::lexer::tokens;
    use super::*;

    fn inside(source: &str) -> Vec<String> {
        let module = ["store".to_owned(), "write".to_owned()];
        let paths = of(&tokens(source), &module);
        paths
            .inside
            .iter()
            .map(|named| named.segments.join("/"))
            .collect()
    }

    fn outside(source: &str) -> Vec<String> {
        let paths = of(&tokens(source), &[]);
        paths
            .outside
            .iter()
            .map(|named| named.segments.join("/"))
            .collect()
    }

    #[test]
    fn groups_are_followed_to_their_ends() {
        assert_eq!(
            inside("use crate::{git::{self, Repo}, model::*, error};"),
            ["git", "git/Repo", "model", "error"]
        );
    }

    #[test]
    fn super_climbs_out_of_the_file_and_of_inline_modules() {
        assert_eq!(inside("fn f() { super::row() }"), ["store/row"]);
        assert_eq!(inside("use super::super::git::Repo;"), ["git/Repo"]);
        assert_eq!(
            inside("mod tests { use super::*; } use self::x::y;"),
            ["store/write", "store/write/x/y"]
        );
    }

    #[test]
    fn paths_in_expressions_types_and_macros_count() {
        assert_eq!(
            inside("fn f(a: &crate::git::Repo) -> X { m!(crate::syntax::parse::<T>(a)) }"),
            ["git/Repo", "syntax/parse"]
        );
    }

    #[test]
    fn foreign_crates_are_seen_wherever_a_path_begins() {
        assert_eq!(
            outside(
                "use gix; use gix::{Repo, head::Kind}; type A = ::gix::B; #[derive(clap::Args)] struct C;"
            ),
            ["gix", "gix/Repo", "gix/head/Kind", "gix/B", "clap/Args"]
        );
        assert_eq!(
            outside("a.gix(); crate::x::gix::b();"),
            Vec::<String>::new()
        );
    }
}
