//! Path patterns as test runners write them: `**/*.{test,spec}.?(c|m)[jt]s?(x)`.
//!
//! Knows `*`, `**`, `?`, classes, braces, the groups `?(…)`, `@(…)`, `+(…)`, `*(…)` and, as picomatch does, bare ones: `(*.)`,
//! `.(ts|tsx)`. A pattern with anything else (`!(…)`) is not read.

use std::cell::Cell;

/// Characters of a pattern.
const MAX_PATTERN: usize = 1_000;

/// Levels of groups in one another.
const MAX_DEPTH: usize = 8;

/// Comparisons that one match may cost. A pattern that needs more does not match.
const MAX_STEPS: u32 = 20_000;

/// A pattern that whole paths are matched with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glob(Vec<GlobNode>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum GlobNode {
    Char(char),
    /// `?`
    One,
    /// `*`: within a component.
    Star,
    /// `**/`: no component, or some.
    Directories,
    /// `**` at the end.
    Rest,
    /// `[a-z]`: whether it is negated, and its ranges.
    Class(bool, Vec<(char, char)>),
    /// `@(a|b)` and `{a,b}`.
    Group(Repeat, Vec<Vec<GlobNode>>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repeat {
    Once,
    AtMostOnce,
    AtLeastOnce,
    Any,
}

impl Glob {
    /// Reads a pattern; `None` where it is too long or holds unknown syntax.
    pub(super) fn new(pattern: &str) -> Option<Self> {
        let chars: Vec<char> = pattern.chars().take(MAX_PATTERN + 1).collect();
        if chars.len() > MAX_PATTERN {
            return None;
        }
        let (nodes, end) = read(&chars, 0, &[], MAX_DEPTH)?;
        (end == chars.len()).then_some(Self(nodes))
    }

    /// Returns whether the pattern matches all of `path`.
    pub(super) fn matches(&self, path: &str) -> bool {
        let steps = Cell::new(MAX_STEPS);
        run(&self.0, path, true, &steps, &|rest, _| rest.is_empty())
    }
}

/// Returns `text` with each sign that has a meaning in a pattern marked as itself.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\*?[]{}()!+@|,".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Returns whether `text` is a pattern and not the path of one file.
pub(super) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '{']) || text.contains("@(") || text.contains("+(")
}

/// Reads nodes up to one of `ends`, which is not taken, or the end. Returns them with the place behind.
fn read(
    chars: &[char],
    start: usize,
    ends: &[char],
    depth: usize,
) -> Option<(Vec<GlobNode>, usize)> {
    let mut nodes = Vec::new();
    let mut at = start;
    while let Some(&c) = chars.get(at) {
        if ends.contains(&c) {
            break;
        }
        let next = chars.get(at + 1).copied();
        let is_start = nodes.is_empty() || nodes.last() == Some(&GlobNode::Char('/'));
        match c {
            '\\' => {
                nodes.push(GlobNode::Char(next?));
                at += 2;
            }
            '?' | '@' | '+' | '*' | '!' if next == Some('(') => {
                let repeat = match c {
                    '@' => Repeat::Once,
                    '?' => Repeat::AtMostOnce,
                    '+' => Repeat::AtLeastOnce,
                    '*' => Repeat::Any,
                    _ => return None,
                };
                let (group, end) = alternatives(chars, at + 2, ('|', ')'), depth)?;
                nodes.push(GlobNode::Group(repeat, group));
                at = end;
            }
            '(' if closes(chars, at) => {
                let (group, end) = alternatives(chars, at + 1, ('|', ')'), depth)?;
                let (repeat, end) = match chars.get(end) {
                    // `(a)+(b)`: the sign belongs to the next group.
                    Some('+') if chars.get(end + 1) != Some(&'(') => (Repeat::AtLeastOnce, end + 1),
                    Some('?') if chars.get(end + 1) != Some(&'(') => (Repeat::AtMostOnce, end + 1),
                    _ => (Repeat::Once, end),
                };
                nodes.push(bare_group(repeat, group));
                at = end;
            }
            '{' => {
                let (group, end) = alternatives(chars, at + 1, (',', '}'), depth)?;
                nodes.push(GlobNode::Group(Repeat::Once, group));
                at = end;
            }
            '*' if next == Some('*') => {
                let behind = chars.get(at + 2).copied();
                match behind {
                    Some('/')
                        if is_start || matches!(nodes.last(), Some(GlobNode::Directories)) =>
                    {
                        nodes.push(GlobNode::Directories);
                        at += 3;
                    }
                    None if is_start => {
                        nodes.push(GlobNode::Rest);
                        at += 2;
                    }
                    // Within a component two stars are one.
                    _ => {
                        nodes.push(GlobNode::Star);
                        at += 2;
                    }
                }
            }
            '*' => {
                nodes.push(GlobNode::Star);
                at += 1;
            }
            '?' => {
                nodes.push(GlobNode::One);
                at += 1;
            }
            '[' => {
                let (class, end) = class(chars, at + 1)?;
                nodes.push(class);
                at = end;
            }
            _ => {
                nodes.push(GlobNode::Char(c));
                at += 1;
            }
        }
    }
    Some((nodes, at))
}

/// Reads the alternatives of a group. Returns them with the place behind its closing sign.
fn alternatives(
    chars: &[char],
    start: usize,
    (between, close): (char, char),
    depth: usize,
) -> Option<(Vec<Vec<GlobNode>>, usize)> {
    let depth = depth.checked_sub(1)?;
    let mut all = Vec::new();
    let mut at = start;
    loop {
        let (nodes, end) = read(chars, at, &[between, close], depth)?;
        all.push(nodes);
        at = end + 1;
        if *chars.get(end)? == close {
            return Some((all, at));
        }
    }
}

/// Returns whether the parenthesis at `open` has its counterpart: else it is a character like others.
fn closes(chars: &[char], open: usize) -> bool {
    let mut depth = 0_usize;
    let mut at = open;
    while let Some(&c) = chars.get(at) {
        match c {
            '\\' => at += 1,
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return true;
                }
            }
            _ => {}
        }
        at += 1;
    }
    false
}

/// Returns the node of `(a|b)`. Some runners read the parentheses as characters: `app/(shop)/*.test.ts` names a directory.
fn bare_group(repeat: Repeat, mut group: Vec<Vec<GlobNode>>) -> GlobNode {
    if repeat == Repeat::Once {
        let mut literal = vec![GlobNode::Char('(')];
        for (at, nodes) in group.iter().enumerate() {
            literal.extend((at > 0).then_some(GlobNode::Char('|')));
            literal.extend(nodes.iter().cloned());
        }
        literal.push(GlobNode::Char(')'));
        group.push(literal);
    }
    GlobNode::Group(repeat, group)
}

fn class(chars: &[char], start: usize) -> Option<(GlobNode, usize)> {
    let is_negated = matches!(chars.get(start), Some('!' | '^'));
    let mut at = start + usize::from(is_negated);
    let mut ranges = Vec::new();
    loop {
        let first = *chars.get(at)?;
        if first == ']' && !ranges.is_empty() {
            return Some((GlobNode::Class(is_negated, ranges), at + 1));
        }
        let is_range = chars.get(at + 1) == Some(&'-') && chars.get(at + 2) != Some(&']');
        let last = if is_range { *chars.get(at + 2)? } else { first };
        ranges.push((first, last));
        at += if is_range { 3 } else { 1 };
    }
}

/// The match of the nodes that follow: given the rest of the path, and whether that begins a component.
type Then<'a> = &'a dyn Fn(&str, bool) -> bool;

/// Matches `nodes` with the beginning of `text`, and `then` with the rest.
fn run(nodes: &[GlobNode], text: &str, is_start: bool, steps: &Cell<u32>, then: Then<'_>) -> bool {
    let Some(left) = steps.get().checked_sub(1) else {
        return false;
    };
    steps.set(left);
    let Some((node, rest)) = nodes.split_first() else {
        return then(text, is_start);
    };
    let first = text.chars().next();
    let behind = |c: char| &text[c.len_utf8()..];
    let one = |c: char| run(rest, behind(c), c == '/', steps, then);
    match node {
        GlobNode::Char(wanted) => first.is_some_and(|c| c == *wanted && one(c)),
        GlobNode::One => first.is_some_and(|c| c != '/' && one(c)),
        GlobNode::Class(is_negated, ranges) => first.is_some_and(|c| {
            let is_in = ranges.iter().any(|(from, to)| (*from..=*to).contains(&c));
            c != '/' && is_in != *is_negated && one(c)
        }),
        GlobNode::Star => {
            let mut at = text;
            let mut begins = is_start;
            loop {
                if run(rest, at, begins, steps, then) {
                    return true;
                }
                match at.chars().next() {
                    Some(c) if c != '/' && steps.get() > 0 => at = &at[c.len_utf8()..],
                    _ => return false,
                }
                begins = false;
            }
        }
        GlobNode::Directories => {
            let mut at = text;
            loop {
                if run(rest, at, true, steps, then) {
                    return true;
                }
                match at.find('/') {
                    Some(slash) if steps.get() > 0 => at = &at[slash + 1..],
                    _ => return false,
                }
            }
        }
        GlobNode::Rest => run(rest, "", false, steps, then),
        GlobNode::Group(repeat, group) => {
            let is_optional = matches!(repeat, Repeat::AtMostOnce | Repeat::Any);
            if is_optional && run(rest, text, is_start, steps, then) {
                return true;
            }
            let again = [GlobNode::Group(Repeat::Any, group.clone())];
            let repeats = matches!(repeat, Repeat::AtLeastOnce | Repeat::Any);
            group.iter().any(|nodes| {
                run(nodes, text, is_start, steps, &|behind, begins| {
                    run(rest, behind, begins, steps, then)
                        // Only where something was taken, so that this ends.
                        || repeats
                            && behind.len() < text.len()
                            && run(&again, behind, begins, steps, &|behind, begins| {
                                run(rest, behind, begins, steps, then)
                            })
                })
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Glob, escaped};

    fn matches(pattern: &str, path: &str) -> bool {
        Glob::new(pattern).is_some_and(|glob| glob.matches(path))
    }

    #[test]
    fn patterns_of_runners_match_their_files() {
        let vitest = "/**/*.{test,spec}.?(c|m)[jt]s?(x)";
        for path in ["/a.test.ts", "/x/y/a.spec.mjs", "/a.b.test.tsx"] {
            assert!(matches(vitest, path), "{path}");
        }
        for path in ["/a.ts", "/a.test-d.ts", "/test/a.ts", "/a.test.ts.snap"] {
            assert!(!matches(vitest, path), "{path}");
        }
        let jest = "/**/?(*.)+(spec|test).[jt]s?(x)";
        assert!(matches(jest, "/a/spec.ts") && matches(jest, "/a/b.spec.js"));
        assert!(matches("/**/__tests__/**/*.[jt]s", "/__tests__/a.js"));
        assert!(matches(
            "/packages/{vue,dom}/**/*.{test,spec}.*",
            "/packages/vue/a/b.spec.ts"
        ));
        assert!(!matches(
            "/packages/{vue,dom}/**",
            "/packages/vue-compat/a.ts"
        ));
        assert!(matches("/test/*.{js,cjs}", "/test/a.js"));
        assert!(!matches("/test/*.{js,cjs}", "/test/b/a.js"));
        assert!(matches("/**/e2e/**", "/a/e2e/b/c.ts"));
        assert!(matches("/**/@(a|b)*.ts", "/x/ab.ts"));
        assert!(!matches("/[!a]*.ts", "/ab.ts"));
    }

    #[test]
    fn groups_without_a_sign_are_alternatives() {
        let pattern = "/src/**/(*.)+(spec|test).+(ts|tsx|js)";
        for path in ["/src/a.test.ts", "/src/x/y/a.b.spec.tsx", "/src/a.test.js"] {
            assert!(matches(pattern, path), "{path}");
        }
        for path in ["/src/a.ts", "/a.test.ts", "/src/test.ts", "/src/a.test.md"] {
            assert!(!matches(pattern, path), "{path}");
        }
        assert!(matches("/**/*.test.(ts|tsx)", "/a/b.test.tsx"));
        assert!(!matches("/**/*.test.(ts|tsx)", "/a/b.test.js"));
        assert!(matches("/**/*.test.ts(x)?", "/b.test.ts"));
        assert!(matches("/**/*.test.ts(x)?", "/b.test.tsx"));
        assert!(matches("/(ab)+.ts", "/ababab.ts"));
        assert!(matches("/(a|(b|c)d).ts", "/cd.ts"));
        assert!(matches("/app/(shop)/*.ts", "/app/(shop)/a.ts"));
        assert!(matches("/a(b.ts", "/a(b.ts") && matches("/a)b.ts", "/a)b.ts"));
    }

    #[test]
    fn a_pattern_that_cannot_be_read_is_none() {
        for pattern in ["!(a)", "{a", "[", "@(a", "\\", &"{".repeat(500)] {
            assert!(Glob::new(pattern).is_none(), "{pattern}");
        }
        assert!(Glob::new(&"*".repeat(2_000)).is_none());
        assert!(matches(&escaped("/a(b)/[c]*"), "/a(b)/[c]*"));
    }

    #[test]
    fn a_hard_pattern_ends() {
        let pattern = format!("/{}x", "*(a|aa)".repeat(30));
        assert!(!matches(&pattern, &format!("/{}", "a".repeat(200))));
        let pattern = format!("/{}x", "*a".repeat(60));
        assert!(!matches(&pattern, &format!("/{}", "a".repeat(200))));
    }
}
