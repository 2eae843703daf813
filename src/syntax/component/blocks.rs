//! Blocks at the top of a component file: scripts, templates and styles.
//!
//! Does not read what is in them.

use std::ops::Range;

use super::super::language::Framework;
use crate::syntax::lang::ecmascript::kinds::Dialect;

/// Script blocks that are read; the others are text.
const MAX_BLOCKS: usize = 8;

/// A script block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// First byte of the tag.
    pub(super) open: usize,
    /// The script itself.
    pub(super) from: usize,
    pub(super) to: usize,
    /// One past the closing tag.
    pub(super) close: usize,
    pub(super) dialect: Dialect,
    /// Whether its names belong to each instance of the component and can't be imported.
    pub(super) instance: bool,
}

/// A block of markup or of styles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MarkupBlock {
    /// First byte of the tag.
    pub(super) open: usize,
    /// Its content.
    pub(super) content: Range<usize>,
    /// One past the closing tag.
    pub(super) close: usize,
    /// Whether it is written in the language that it is for: no `lang="pug"`.
    pub(super) is_plain: bool,
}

/// The blocks of a file, each kind in source order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Blocks {
    pub(super) scripts: Vec<Block>,
    /// Of Vue alone: in Svelte the markup is what lies between the other blocks.
    pub(super) templates: Vec<MarkupBlock>,
    pub(super) styles: Vec<MarkupBlock>,
    /// Comments between the others.
    pub(super) comments: Vec<Range<usize>>,
}

/// Finds the blocks at the top of a file.
pub(super) fn blocks(framework: Framework, source: &str) -> Blocks {
    let mut blocks = Blocks::default();
    let mut at = 0;
    while let Some(open) = source[at..].find('<').map(|n| n + at) {
        let rest = &source[open..];
        at = if rest.starts_with("<!--") {
            let end = rest.find("-->").map_or(source.len(), |n| open + n + 3);
            blocks.comments.push(open..end);
            end
        } else if is_tag(rest, "<script") {
            let Some(block) = block(framework, source, open) else {
                break;
            };
            let close = block.close;
            if blocks.scripts.len() < MAX_BLOCKS {
                blocks.scripts.push(block);
            }
            close
        } else if is_tag(rest, "<style") {
            let end = find_tag(source, open, "</style");
            let (to, close) = end.unwrap_or((source.len(), source.len()));
            add_markup(source, (open, to, close), &mut blocks.styles);
            close
        } else if framework == Framework::Vue && is_tag(rest, "<template") {
            let (to, close) = template_end(source, open);
            add_markup(source, (open, to, close), &mut blocks.templates);
            close
        } else {
            open + 1
        };
    }
    blocks
}

fn add_markup(source: &str, (open, to, close): (usize, usize, usize), all: &mut Vec<MarkupBlock>) {
    let (from, _) = tag_end(source, open);
    let tag = source[open..from].to_ascii_lowercase();
    let language = attribute(&tag, "lang");
    if all.len() < MAX_BLOCKS && from <= to {
        all.push(MarkupBlock {
            open,
            content: from..to,
            close,
            is_plain: language.is_none_or(|it| matches!(it, "html" | "css")),
        });
    }
}

/// Returns whether a text begins with a tag, whatever its case.
fn is_tag(text: &str, tag: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > tag.len()
        && bytes[..tag.len()].eq_ignore_ascii_case(tag.as_bytes())
        && matches!(bytes[tag.len()], b'>' | b'/' | b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns where a tag begins and where it ends, from a place on.
fn find_tag(source: &str, from: usize, tag: &str) -> Option<(usize, usize)> {
    let mut at = from;
    while let Some(open) = source[at..].find('<').map(|n| n + at) {
        if is_tag(&source[open..], tag) {
            return Some((open, tag_end(source, open).0));
        }
        at = open + 1;
    }
    None
}

/// Returns the byte after a tag's `>`, quotes respected, and whether it closes itself.
fn tag_end(source: &str, open: usize) -> (usize, bool) {
    let bytes = source.as_bytes();
    let mut quote = None;
    for at in open + 1..bytes.len() {
        match (quote, bytes[at]) {
            (None, b'>') => return (at + 1, bytes[at - 1] == b'/'),
            (None, b @ (b'"' | b'\'')) => quote = Some(b),
            (Some(q), b) if q == b => quote = None,
            _ => {}
        }
    }
    (source.len(), false)
}

/// Returns where a template with the templates inside ends: its closing tag, and the byte after that.
fn template_end(source: &str, open: usize) -> (usize, usize) {
    let (mut at, closed) = tag_end(source, open);
    let mut depth = usize::from(!closed);
    let mut to = at;
    while depth > 0 {
        let Some(next) = source[at..].find('<').map(|n| n + at) else {
            return (source.len(), source.len());
        };
        let rest = &source[next..];
        at = if rest.starts_with("<!--") {
            rest.find("-->").map_or(source.len(), |n| next + n + 3)
        } else if is_tag(rest, "<template") {
            let (end, closed) = tag_end(source, next);
            depth += usize::from(!closed);
            end
        } else if is_tag(rest, "</template") {
            depth -= 1;
            to = next;
            tag_end(source, next).0
        } else {
            next + 1
        };
    }
    (to, at)
}

fn block(framework: Framework, source: &str, open: usize) -> Option<Block> {
    let (from, closed) = tag_end(source, open);
    let tag = source[open..from].to_ascii_lowercase();
    let (to, close) = if closed {
        (from, from)
    } else {
        find_tag(source, from, "</script")?
    };
    let lang = attribute(&tag, "lang")
        .or_else(|| attribute(&tag, "type"))
        .unwrap_or("");
    let dialect = match lang.rsplit('/').next().unwrap_or(lang) {
        "ts" | "typescript" => Dialect::TypeScript,
        "tsx" => Dialect::Tsx,
        _ => Dialect::JavaScript,
    };
    let word = |name: &str| {
        tag.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))
            .any(|word| word == name)
    };
    let instance = match framework {
        Framework::Vue => word("setup") || attribute(&tag, "setup").is_some(),
        Framework::Svelte => !(word("module") || attribute(&tag, "context") == Some("module")),
    };
    Some(Block {
        open,
        from,
        to,
        close,
        dialect,
        instance,
    })
}

fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    tag.split_whitespace().find_map(|word| {
        let value = word.strip_prefix(name)?.strip_prefix('=')?;
        Some(value.trim_end_matches(['>', '/']).trim_matches(['"', '\'']))
    })
}
