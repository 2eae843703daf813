//! Branches of conditions before preprocessing: all that hold whole statements or declarations are kept, of others the first.
//!
//! `#if A` / `return 1;` / `#else` / `return 2;` / `#endif` → both statements, without the directives.
//! `#if A` / `if (a) {` / `#else` / `if (b) {` / `#endif` → the first alone: one brace closes either.

use super::cleaning::blank;
use super::tokens::{Token, TokenKind, tokens};

/// A branch of a condition: its bytes, without the directives around it.
#[derive(Clone, Copy, Debug)]
struct ConditionBranch {
    start: usize,
    end: usize,
    /// Whether no compiler of the language sees it: that of `#if 0`, and in C that of `#ifdef __cplusplus`.
    is_left_out: bool,
}

/// Blanks the directives of conditions and the branches that are not kept. Returns the number of bytes of code that were lost.
pub(super) fn blank_branches(source: &str, bytes: &mut [u8], is_cpp: bool) -> usize {
    let all = tokens(bytes);
    let mut n_lost = 0;
    // The conditions around a line, each with its branches.
    let mut open: Vec<Vec<ConditionBranch>> = Vec::new();
    let mut start = 0;
    let mut in_comment = false;
    let mut lines = source.split_inclusive('\n');
    while let Some(line) = lines.next() {
        let begin = start;
        start += line.len();
        let text = line.trim();
        let directive = text.strip_prefix('#').filter(|_| !in_comment);
        in_comment = ends_in_comment(text, in_comment);
        let Some(directive) = directive.map(str::trim_start) else {
            continue;
        };
        let word_end = directive
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(directive.len());
        let (word, condition) = (&directive[..word_end], directive[word_end..].trim());
        let is_condition = matches!(
            word,
            "if" | "ifdef" | "ifndef" | "else" | "elif" | "elifdef" | "elifndef" | "endif"
        );
        // A directive goes on behind a backslash.
        let mut last = line;
        while last.trim_end().ends_with('\\') {
            let Some(next) = lines.next() else { break };
            start += next.len();
            last = next;
        }
        if !is_condition {
            continue;
        }
        blank(bytes, begin, start);
        if let Some(branch) = open.last_mut().and_then(|it| it.last_mut())
            && !word.starts_with("if")
        {
            branch.end = begin;
        }
        let is_left_out = match word {
            "if" => {
                condition == "0"
                    || condition.starts_with("0 ")
                    || !is_cpp && condition.starts_with("defined(__cplusplus)")
            }
            "ifdef" => !is_cpp && condition == "__cplusplus",
            "ifndef" => is_cpp && condition == "__cplusplus",
            _ => false,
        };
        let branch = ConditionBranch {
            start,
            end: source.len(),
            is_left_out,
        };
        match word {
            "endif" => {
                if let Some(branches) = open.pop() {
                    n_lost += close(&all, bytes, &branches);
                }
            }
            "if" | "ifdef" | "ifndef" => open.push(vec![branch]),
            _ => {
                if let Some(branches) = open.last_mut() {
                    branches.push(branch);
                }
            }
        }
    }
    while let Some(branches) = open.pop() {
        n_lost += close(&all, bytes, &branches);
    }
    n_lost
}

/// Blanks the branches of a condition that are not kept, those of the conditions in it being done. Returns the bytes of code in them.
fn close(all: &[Token], bytes: &mut [u8], branches: &[ConditionBranch]) -> usize {
    for branch in branches.iter().filter(|it| it.is_left_out) {
        blank(bytes, branch.start, branch.end);
    }
    let mut live = branches.iter().filter(|it| !it.is_left_out);
    let Some(first) = live.next() else { return 0 };
    let rest: Vec<&ConditionBranch> = live.collect();
    let is_kept = rest.is_empty()
        || begins_statement(all, bytes, branches[0].start)
            && is_whole(all, bytes, first)
            && rest.iter().all(|it| is_whole(all, bytes, it));
    if is_kept {
        return 0;
    }
    let mut n_lost = 0;
    for branch in rest {
        let code = bytes[branch.start..branch.end].iter();
        n_lost += code.filter(|it| !it.is_ascii_whitespace()).count();
        blank(bytes, branch.start, branch.end);
    }
    n_lost
}

/// Whether a token was not blanked.
fn is_left(bytes: &[u8], token: &Token) -> bool {
    bytes[token.start] != b' '
}

/// Whether a statement or a declaration may begin at a byte: another one ends before it.
fn begins_statement(all: &[Token], bytes: &[u8], at: usize) -> bool {
    let before = all.partition_point(|it| it.start < at);
    let before = all[..before].iter().rev().find(|it| is_left(bytes, it));
    before.is_none_or(|it| matches!(it.kind, TokenKind::Sign(b';' | b'}' | b'{' | b':' | b')')))
}

/// Whether a branch holds whole statements or declarations: it closes each brace that it opens, and ends where one of them does.
fn is_whole(all: &[Token], bytes: &[u8], branch: &ConditionBranch) -> bool {
    let first = all.partition_point(|it| it.start < branch.start);
    let behind = all.partition_point(|it| it.start < branch.end);
    let mut depth = 0_usize;
    let mut last = None;
    for token in all[first..behind].iter().filter(|it| is_left(bytes, it)) {
        last = Some(token.kind);
        match token.kind {
            TokenKind::Sign(b'(' | b'[' | b'{') => depth += 1,
            TokenKind::Sign(b')' | b']' | b'}') => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            _ => {}
        }
    }
    depth == 0 && last.is_none_or(|it| matches!(it, TokenKind::Sign(b';' | b'}')))
}

fn ends_in_comment(line: &str, mut is_inside: bool) -> bool {
    let mut rest = line;
    loop {
        if is_inside {
            let Some(at) = rest.find("*/") else {
                return true;
            };
            rest = &rest[at + 2..];
            is_inside = false;
        } else {
            let Some(at) = rest.find("/*") else {
                return false;
            };
            if rest[..at].contains("//") || rest[..at].matches('"').count() % 2 == 1 {
                return false;
            }
            rest = &rest[at + 2..];
            is_inside = true;
        }
    }
}
