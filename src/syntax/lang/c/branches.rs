//! Branches of conditions before preprocessing: all that hold whole statements or declarations are kept, of others the first that a build
//! for Linux may see.
//!
//! `#if A` / `return 1;` / `#else` / `return 2;` / `#endif` → both statements, without the directives.
//! `#if A` / `if (a) {` / `#else` / `if (b) {` / `#endif` → the first alone: one brace closes either. From then on `A` is taken as
//! defined: `#ifndef A` / `}` / `#endif` closes a brace of the other branch.

use super::branch_choices::BranchChoices;
use super::cleaning::blank;
use super::tokens::{Token, TokenKind, tokens};

/// Tokens before a condition among which the bracket around it is looked for.
const MAX_TOKENS_TO_LIST: usize = 2_000;

/// A branch of a condition: its bytes, without the directives around it.
#[derive(Clone, Copy, Debug)]
struct ConditionBranch<'t> {
    start: usize,
    end: usize,
    /// The word of its directive and the text behind it: `ifdef` and `HAVE_POLL`.
    directive: (&'t str, &'t str),
    /// Whether no compiler of the language sees it: that of `#if 0`, and in C that of `#ifdef __cplusplus`.
    is_left_out: bool,
}

/// Blanks the directives of conditions and the branches that are not kept. Returns the number of bytes of code that were lost.
pub(super) fn blank_branches(source: &str, bytes: &mut [u8], is_cpp: bool) -> usize {
    let all = tokens(bytes);
    let mut n_lost = 0;
    // The conditions around a line, each with its branches.
    let mut open: Vec<Vec<ConditionBranch<'_>>> = Vec::new();
    let mut choices = BranchChoices::default();
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
            directive: (word, condition),
            is_left_out,
        };
        match word {
            "endif" => {
                if let Some(branches) = open.pop() {
                    n_lost += close(&all, bytes, &branches, &mut choices);
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
        n_lost += close(&all, bytes, &branches, &mut choices);
    }
    n_lost
}

/// Blanks the branches of a condition that are not kept, those of the conditions in it being done. Returns the bytes of code in them.
fn close(
    all: &[Token],
    bytes: &mut [u8],
    branches: &[ConditionBranch<'_>],
    choices: &mut BranchChoices,
) -> usize {
    for branch in branches.iter().filter(|it| it.is_left_out) {
        blank(bytes, branch.start, branch.end);
    }
    let live: Vec<&ConditionBranch<'_>> = branches.iter().filter(|it| !it.is_left_out).collect();
    let directives: Vec<(&str, &str)> = branches.iter().map(|it| it.directive).collect();
    let at = |branch: &ConditionBranch<'_>| branches.iter().position(|it| it.start == branch.start);
    let begins = begins_statement(all, bytes, branches[0].start);
    match live.as_slice() {
        [] => 0,
        [one] => {
            // A branch by itself that opens or closes a brace has its other half elsewhere.
            let at = at(one).unwrap_or_default();
            if !is_open(all, bytes, one) {
                return 0;
            }
            if branches.len() > 1 || !choices.contradicts(&directives, at) {
                choices.note(&directives, at);
                return 0;
            }
            blank_code(bytes, one.start, one.end)
        }
        several => {
            if begins && several.iter().all(|it| is_whole(all, bytes, it))
                || several.iter().all(|it| is_listed(all, bytes, it))
                    && is_in_list(all, bytes, branches[0].start)
            {
                return 0;
            }
            let possible = |it: &&&ConditionBranch<'_>| {
                at(it).is_some_and(|at| !choices.is_impossible(&directives, at))
            };
            let chosen = several.iter().find(possible).unwrap_or(&several[0]);
            if is_open(all, bytes, chosen) {
                choices.note(&directives, at(chosen).unwrap_or_default());
            }
            let mut n_lost = 0;
            for branch in several.iter().filter(|it| it.start != chosen.start) {
                // Whole declarations at the head of a branch before the kept one stay.
                let start = if begins && branch.start < chosen.start {
                    whole_end(all, bytes, branch)
                } else {
                    branch.start
                };
                n_lost += blank_code(bytes, start, branch.end);
            }
            n_lost
        }
    }
}

/// Blanks bytes, and returns how many of them were code.
fn blank_code(bytes: &mut [u8], start: usize, end: usize) -> usize {
    let code = bytes[start..end].iter();
    let n_lost = code.filter(|it| !it.is_ascii_whitespace()).count();
    blank(bytes, start, end);
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

/// Returns the tokens of a branch that are left.
fn left_tokens<'b>(
    all: &'b [Token],
    bytes: &'b [u8],
    branch: &ConditionBranch<'_>,
) -> impl Iterator<Item = &'b Token> {
    let first = all.partition_point(|it| it.start < branch.start);
    let behind = all.partition_point(|it| it.start < branch.end);
    all[first..behind].iter().filter(|it| is_left(bytes, it))
}

/// Returns how a token changes the depth in braces, brackets and parentheses.
fn depth_step(token: &Token) -> i32 {
    match token.kind {
        TokenKind::Sign(b'(' | b'[' | b'{') => 1,
        TokenKind::Sign(b')' | b']' | b'}') => -1,
        _ => 0,
    }
}

/// Whether a branch holds whole statements or declarations: it closes each brace that it opens, and ends where one of them does.
fn is_whole(all: &[Token], bytes: &[u8], branch: &ConditionBranch<'_>) -> bool {
    let last = left_tokens(all, bytes, branch).last();
    !is_open(all, bytes, branch)
        && last.is_none_or(|it| matches!(it.kind, TokenKind::Sign(b';' | b'}')))
}

/// Whether a branch holds whole elements of a list: it ends in a comma.
fn is_listed(all: &[Token], bytes: &[u8], branch: &ConditionBranch<'_>) -> bool {
    let last = left_tokens(all, bytes, branch).last();
    last.is_none_or(|it| it.kind == TokenKind::Sign(b',')) && !is_open(all, bytes, branch)
}

/// Whether an element of a list in braces may begin at a byte.
fn is_in_list(all: &[Token], bytes: &[u8], at: usize) -> bool {
    let before = all.partition_point(|it| it.start < at);
    let mut left = all[..before].iter().rev().filter(|it| is_left(bytes, it));
    let mut last = left.next();
    if last.is_none_or(|it| !matches!(it.kind, TokenKind::Sign(b',' | b'{'))) {
        return false;
    }
    // The arguments of a call are as many as one branch has.
    let mut depth = 0;
    for _ in 0..MAX_TOKENS_TO_LIST {
        let Some(token) = last else { return false };
        match depth_step(token) {
            1 if depth == 0 => return token.kind == TokenKind::Sign(b'{'),
            step => depth -= step,
        }
        last = left.next();
    }
    false
}

/// Whether a branch opens a brace that it does not close, or closes one that it did not open.
fn is_open(all: &[Token], bytes: &[u8], branch: &ConditionBranch<'_>) -> bool {
    let mut depth = 0;
    for token in left_tokens(all, bytes, branch) {
        depth += depth_step(token);
        if depth < 0 {
            return true;
        }
    }
    depth != 0
}

/// Returns the end of the whole statements or declarations that a branch begins with.
fn whole_end(all: &[Token], bytes: &[u8], branch: &ConditionBranch<'_>) -> usize {
    let mut depth = 0;
    let mut end = branch.start;
    for token in left_tokens(all, bytes, branch) {
        depth += depth_step(token);
        if depth < 0 {
            break;
        }
        if depth == 0 && matches!(token.kind, TokenKind::Sign(b';' | b'}')) {
            end = token.end;
        }
    }
    end
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
