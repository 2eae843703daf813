//! Templates of Svelte 3 to 5: blocks, tags and directives as a program.
//!
//! <https://svelte.dev/docs/svelte/basic-markup>. Does not know what a name means.

use std::ops::Range;

use super::blocks::Blocks;
use super::code::{closing, is_path, name_end, split_commas, trimmed, words};
use super::markup::{MarkupAttribute, Tag, is_void, tag};
use super::markup_ranges::MarkupRanges;
use super::program::Program;
use crate::syntax::language::Framework;

/// Scopes inside scopes that are read; deeper ones can't be read.
const MAX_SCOPES: usize = 100;
/// Open elements and blocks among which the one of an end is looked for.
const MAX_LOOKED_AT: usize = 200;

/// A block or an element whose end was not met.
struct Open {
    kind: BlockKind,
    /// Whether its scope binds an element of a list.
    is_each: bool,
    has_scope: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum BlockKind {
    /// By the place of its name, and whether it is a component.
    Element(Range<usize>, bool),
    /// By its keyword: `if`.
    Block(&'static str),
}

/// Reads the markup of a file, all that lies outside scripts and styles, into a program.
pub(super) fn template(
    source: &str,
    blocks: &Blocks,
    program: &mut Program<'_>,
    ranges: &mut MarkupRanges,
) {
    let scripts = blocks.scripts.iter().map(|it| it.open..it.close);
    let styles = blocks.styles.iter().map(|it| it.open..it.close);
    let mut others: Vec<Range<usize>> = scripts.chain(styles).collect();
    others.sort_by_key(|range| range.start);
    let mut reader = SvelteReader {
        source,
        limit: 0,
        program,
        ranges,
        open: Vec::new(),
        n_scopes: 0,
    };
    let mut at = 0;
    let end = source.len()..source.len();
    for other in others.into_iter().chain([end]) {
        if at < other.start {
            reader.limit = other.start;
            reader.ranges.markup.push(at..other.start);
            if reader.read(at).is_none() {
                reader.ranges.unreadable.push(at..source.len());
                break;
            }
        }
        at = at.max(other.end);
    }
    while let Some(open) = reader.open.pop() {
        reader.close(&open);
    }
}

struct SvelteReader<'s, 'p> {
    source: &'s str,
    limit: usize,
    program: &'s mut Program<'p>,
    ranges: &'s mut MarkupRanges,
    open: Vec<Open>,
    n_scopes: usize,
}

impl<'s> SvelteReader<'s, '_> {
    /// Reads up to the limit; `None` where something has no end or lies too deep.
    fn read(&mut self, mut at: usize) -> Option<()> {
        let bytes = self.source.as_bytes();
        while let Some(next) = (at..self.limit).find(|at| matches!(bytes[*at], b'<' | b'{')) {
            if bytes[next] == b'{' {
                let end = closing(&self.source[..self.limit], next)?;
                self.hole(next + 1..end);
                at = end + 1;
            } else {
                at = match tag(Framework::Svelte, self.source, next, self.limit).ok()? {
                    None => next + 1,
                    Some((tag, end)) => self.take(tag, next..end),
                };
            }
            if self.n_scopes > MAX_SCOPES {
                return None;
            }
        }
        Some(())
    }

    fn text(&self, range: Range<usize>) -> &'s str {
        self.source.get(range).unwrap_or_default()
    }

    /// The text in `{ }` between tags.
    fn hole(&mut self, range: Range<usize>) {
        let range = trimmed(self.source, range);
        let text = self.text(range.clone());
        let mark = text.bytes().next();
        let is_comment = text.starts_with("/*") || text.starts_with("//");
        if is_comment || !matches!(mark, Some(b'#' | b':' | b'/' | b'@')) {
            return self.value(range);
        }
        let word_end = name_end(self.source, range.start + 1).min(range.end);
        let word = self.text(range.start + 1..word_end);
        let rest = trimmed(self.source, word_end..range.end);
        match (mark, word) {
            (Some(b'#'), _) => self.begin_block(word, rest),
            (Some(b':'), "else") => {
                if let Some(condition) = self.text(rest.clone()).strip_prefix("if") {
                    self.next_scope(&[]);
                    let from = rest.end - condition.len();
                    self.program.expression(from..rest.end);
                } else {
                    self.next_scope(&[]);
                }
            }
            (Some(b':'), "then" | "catch") => self.next_scope(&[rest]),
            (Some(b'/'), _) => {
                self.end(|kind, _| matches!(kind, BlockKind::Block(it) if *it == word));
            }
            (Some(b'@'), "const") => self.program.constant(rest),
            (Some(b'@'), _) => self.program.expression(rest),
            _ => self.value(range),
        }
    }

    /// An expression that may be a comment alone.
    fn value(&mut self, range: Range<usize>) {
        let text = self.text(range.clone()).trim_start();
        let is_comment = text.starts_with("/*")
            && text.trim_end().ends_with("*/")
            && text.matches("*/").count() == 1
            || text.starts_with("//") && !text.contains('\n');
        if is_comment {
            self.ranges.comments.push(range);
        } else {
            self.program.expression(range);
        }
    }

    fn begin_block(&mut self, word: &str, rest: Range<usize>) {
        let (kind, is_each) = match word {
            "if" | "key" => {
                self.program.expression(rest);
                self.program.open_scope(&[]);
                (if word == "if" { "if" } else { "key" }, false)
            }
            "each" => {
                self.each(rest);
                ("each", true)
            }
            "await" => {
                let then = words(self.source, rest.clone(), "then").into_iter();
                let then = then.map(|at| (at, at + "then".len()));
                let catch = words(self.source, rest.clone(), "catch").into_iter();
                let word = then.chain(catch.map(|at| (at, at + "catch".len()))).min();
                let (end, from) = word.unwrap_or((rest.end, rest.end));
                self.program.expression(rest.start..end);
                let bound = trimmed(self.source, from..rest.end);
                self.program.open_scope(&[bound]);
                ("await", false)
            }
            "snippet" => {
                let name = rest.start..name_end(self.source, rest.start).min(rest.end);
                let open = self.text(rest.clone()).find('(').map(|at| rest.start + at);
                let close = open.and_then(|open| closing(&self.source[..rest.end], open));
                let params = open
                    .zip(close)
                    .map_or(rest.end..rest.end, |(open, close)| open + 1..close);
                self.program.constant(name);
                let params = split_commas(self.source, params);
                self.program.open_scope(&params);
                ("snippet", false)
            }
            _ => return,
        };
        self.n_scopes += 1;
        self.open.push(Open {
            kind: BlockKind::Block(kind),
            is_each,
            has_scope: true,
        });
    }

    /// `items as item, index (key)`
    fn each(&mut self, range: Range<usize>) {
        // `as` before it is a cast.
        let word = words(self.source, range.clone(), "as").pop();
        let Some(word) = word else {
            let parts = split_commas(self.source, range.clone());
            let items = parts.first().cloned().unwrap_or(range);
            self.program
                .open_each(items, None, parts.get(1..).unwrap_or_default());
            return;
        };
        let rest = trimmed(self.source, word + "as".len()..range.end);
        let text = self.text(rest.clone());
        let pattern_end = if text.starts_with(['{', '[']) {
            closing(&self.source[..rest.end], rest.start).map_or(rest.end, |end| end + 1)
        } else {
            name_end(self.source, rest.start).min(rest.end)
        };
        let mut behind = trimmed(self.source, pattern_end..rest.end);
        let mut index = None;
        if self.text(behind.clone()).starts_with(',') {
            let name = trimmed(self.source, behind.start + 1..behind.end);
            let end = name_end(self.source, name.start).min(name.end);
            index = Some(name.start..end);
            behind = trimmed(self.source, end..behind.end);
        }
        let index: Vec<Range<usize>> = index.into_iter().collect();
        self.program
            .open_each(range.start..word, Some(rest.start..pattern_end), &index);
        self.program.expression(behind);
    }

    /// Ends the part of a block before `{:else}` or the like, and begins the next.
    fn next_scope(&mut self, patterns: &[Range<usize>]) {
        while self
            .open
            .last()
            .is_some_and(|open| matches!(open.kind, BlockKind::Element(..)))
            && self
                .open
                .iter()
                .any(|open| matches!(open.kind, BlockKind::Block(_)))
        {
            // The element was not closed before the block went on.
            if let Some(open) = self.open.pop() {
                self.close(&open);
            }
        }
        let Some(mut open) = self.open.pop() else {
            return;
        };
        self.close(&open);
        self.program.open_scope(patterns);
        self.n_scopes += 1;
        open.is_each = false;
        open.has_scope = true;
        self.open.push(open);
    }

    /// Ends the innermost block or element that is meant, with all that is open inside it. Returns its name.
    fn end(&mut self, is_it: impl Fn(&BlockKind, &str) -> bool) {
        let source = self.source;
        let open = self.open.iter().rev().take(MAX_LOOKED_AT);
        let Some(depth) = open.map(|it| &it.kind).position(|it| is_it(it, source)) else {
            return;
        };
        for _ in 0..=depth {
            if let Some(open) = self.open.pop() {
                self.close(&open);
            }
        }
    }

    fn close(&mut self, open: &Open) {
        if !open.has_scope {
            return;
        }
        self.n_scopes -= 1;
        if open.is_each {
            self.program.close_each();
        } else {
            self.program.close_scope();
        }
    }

    /// Takes a tag. Returns the byte to read on at.
    fn take(&mut self, tag: Tag, range: Range<usize>) -> usize {
        match tag {
            Tag::Comment => self.ranges.comments.push(range.clone()),
            Tag::Close { name } => {
                let text = self.text(name.clone());
                let is_it = |kind: &BlockKind, source: &str| match kind {
                    BlockKind::Element(own, _) => &source[own.clone()] == text,
                    BlockKind::Block(_) => false,
                };
                let open = self.open.iter().rev().take(MAX_LOOKED_AT);
                let element = open.map(|it| &it.kind).find(|it| is_it(it, self.source));
                if let Some(BlockKind::Element(own, true)) = element {
                    self.ranges.closings.push((name.clone(), own.start));
                }
                self.end(is_it);
            }
            Tag::Open {
                name,
                attributes,
                is_empty,
            } => {
                let text = self.text(name.clone());
                let open = self.begin(name, &attributes);
                if !is_empty && matches!(text, "script" | "style") {
                    let end = format!("</{text}");
                    let rest = self.text(range.end..self.limit);
                    self.close(&open);
                    return rest.find(&end).map_or(self.limit, |end| range.end + end);
                }
                if is_empty || is_void(text) {
                    self.close(&open);
                } else {
                    self.open.push(open);
                }
            }
        }
        range.end
    }

    fn begin(&mut self, name: Range<usize>, attributes: &[MarkupAttribute]) -> Open {
        let text = self.text(name.clone());
        let is_upper = text.starts_with(|c: char| c.is_ascii_uppercase());
        let is_component = is_path(text) && (is_upper || text.contains('.'));
        if is_component {
            self.program.element(name.clone(), text);
        }
        let mut bound = Vec::new();
        for attribute in attributes {
            self.attribute(attribute, &mut bound);
        }
        // Snippets inside a component are bound there.
        let has_scope = is_component || !bound.is_empty();
        if has_scope {
            self.program.open_scope(&bound);
            self.n_scopes += 1;
        }
        Open {
            kind: BlockKind::Element(name, is_component),
            is_each: false,
            has_scope,
        }
    }

    fn attribute(&mut self, attribute: &MarkupAttribute, bound: &mut Vec<Range<usize>>) {
        let name = self.text(attribute.name.clone());
        let value = attribute.value.clone();
        if name.is_empty() {
            // `{name}`, `{...props}`, `{@attach f}`
            let Some(value) = value else { return };
            let inner = trimmed(self.source, value.start + 1..value.end - 1);
            let text = self.text(inner.clone());
            let skipped = ["...", "@attach", "@html"]
                .iter()
                .find(|it| text.starts_with(**it));
            let skipped = skipped.map_or(0, |it| it.len());
            return self.value(inner.start + skipped..inner.end);
        }
        let Some((directive, argument)) = name.split_once(':') else {
            self.ranges.keys.push(attribute.name.clone());
            let is_event = name.starts_with("on");
            return self.parts(value, is_event);
        };
        let from = attribute.name.start + directive.len() + 1;
        let length = argument.find('|').unwrap_or(argument.len());
        let argument = from..from + length;
        match directive {
            "use" | "transition" | "in" | "out" | "animate" => {
                if is_path(self.text(argument.clone())) {
                    self.program.called(argument);
                }
                self.parts(value, false);
            }
            "let" => bound.push(match value {
                Some(value) if self.text(value.clone()).starts_with('{') => {
                    trimmed(self.source, value.start + 1..value.end - 1)
                }
                _ => argument,
            }),
            "bind" | "class" | "style" if value.is_none() => {
                if is_path(self.text(argument.clone())) {
                    self.program.expression(argument);
                }
            }
            _ => {
                self.ranges.keys.push(argument);
                self.parts(value, directive == "on");
            }
        }
    }

    /// The expressions in the value of an attribute: `{a}`, `b {c} d`.
    fn parts(&mut self, value: Option<Range<usize>>, is_event: bool) {
        let Some(value) = value else { return };
        let bytes = self.source.as_bytes();
        let mut at = value.start;
        while let Some(open) = (at..value.end).find(|at| bytes[*at] == b'{') {
            let Some(end) = closing(&self.source[..value.end], open) else {
                return;
            };
            let inner = trimmed(self.source, open + 1..end);
            if is_event && is_path(self.text(inner.clone())) {
                self.program.called(inner);
            } else {
                self.value(inner);
            }
            at = end + 1;
        }
    }
}
