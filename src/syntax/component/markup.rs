//! Tags of markup: names and attributes with their places.
//!
//! Reads one tag at a time and keeps no tree. The meaning of attributes is in `vue` and `svelte`.

use std::ops::Range;

use super::code;
use crate::syntax::language::Framework;

/// Attributes of one tag that are looked at.
const MAX_ATTRIBUTES: usize = 1_000;

/// One attribute of an opening tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MarkupAttribute {
    /// Its name; empty for an expression in its place: `{...props}`.
    pub(super) name: Range<usize>,
    /// Its value without quotes; of `{expression}` with the brackets.
    pub(super) value: Option<Range<usize>>,
}

/// A tag or a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// `<a b="c">`
    Open {
        /// The name.
        name: Range<usize>,
        /// In source order.
        attributes: Vec<MarkupAttribute>,
        /// Whether it has no content: `<a/>`.
        is_empty: bool,
    },
    /// `</a>`
    Close {
        /// The name.
        name: Range<usize>,
    },
    /// `<!-- a -->`, `<!doctype html>`
    Comment,
}

/// Reads the tag that begins with the `<` at `open`. Returns it with the byte after it. `Ok(None)` where the `<` begins no
/// tag, an error where the tag has no end before `limit`.
pub(super) fn tag(
    framework: Framework,
    source: &str,
    open: usize,
    limit: usize,
) -> Result<Option<(Tag, usize)>, Unclosed> {
    let text = &source[..limit];
    let bytes = text.as_bytes();
    let rest = &text[open..];
    let find =
        |from: usize, what: &str| text[from..].find(what).map(|at| from + at).ok_or(Unclosed);
    match bytes.get(open + 1) {
        Some(b'!') if rest.starts_with("<!--") => {
            let end = find(open + 4, "-->")? + 3;
            Ok(Some((Tag::Comment, end)))
        }
        Some(b'!' | b'?') => Ok(Some((Tag::Comment, find(open, ">")? + 1))),
        Some(b'/') if bytes.get(open + 2).is_some_and(u8::is_ascii_alphabetic) => {
            let name = open + 2..name_end(bytes, open + 2);
            let end = find(name.end, ">")? + 1;
            Ok(Some((Tag::Close { name }, end)))
        }
        Some(byte) if byte.is_ascii_alphabetic() => {
            let name = open + 1..name_end(bytes, open + 1);
            let (attributes, end, is_empty) = attributes(framework, text, name.end)?;
            let tag = Tag::Open {
                name,
                attributes,
                is_empty,
            };
            Ok(Some((tag, end)))
        }
        _ => Ok(None),
    }
}

/// A tag, a quote or an expression has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unclosed;

fn name_end(bytes: &[u8], from: usize) -> usize {
    let is_name = |byte: &u8| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'>' | b'<');
    let length = bytes[from..].iter().take_while(|byte| is_name(byte));
    from + length.count()
}

fn attributes(
    framework: Framework,
    text: &str,
    mut at: usize,
) -> Result<(Vec<MarkupAttribute>, usize, bool), Unclosed> {
    let bytes = text.as_bytes();
    let has_braces = framework == Framework::Svelte;
    let mut all = Vec::new();
    loop {
        let attribute = match bytes.get(at) {
            None => return Err(Unclosed),
            Some(b'>') => return Ok((all, at + 1, false)),
            Some(b'/') if bytes.get(at + 1) == Some(&b'>') => return Ok((all, at + 2, true)),
            Some(byte) if byte.is_ascii_whitespace() || *byte == b'/' => {
                at += 1;
                continue;
            }
            Some(b'{') if has_braces => {
                let end = code::closing(text, at).ok_or(Unclosed)? + 1;
                let value = Some(at..end);
                at = end;
                MarkupAttribute {
                    name: at..at,
                    value,
                }
            }
            Some(_) => {
                let name = at..attribute_name_end(bytes, at);
                at = name.end;
                let after = at + blanks(bytes, at);
                let mut value = None;
                if bytes.get(after) == Some(&b'=') {
                    let from = after + 1 + blanks(bytes, after + 1);
                    let (found, end) = value_at(has_braces, text, from)?;
                    value = Some(found);
                    at = end;
                }
                MarkupAttribute { name, value }
            }
        };
        if all.len() < MAX_ATTRIBUTES {
            all.push(attribute);
        }
    }
}

fn blanks(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    rest.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

fn attribute_name_end(bytes: &[u8], from: usize) -> usize {
    let is_name = |byte: &u8| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'>' | b'=');
    // A name has one byte at least, so that each attribute moves on.
    let length = bytes[from..]
        .iter()
        .skip(1)
        .take_while(|b| is_name(b))
        .count();
    from + 1 + length
}

/// Returns the value that begins at `from`, and the byte after it.
fn value_at(has_braces: bool, text: &str, from: usize) -> Result<(Range<usize>, usize), Unclosed> {
    let bytes = text.as_bytes();
    let quote = bytes
        .get(from)
        .copied()
        .filter(|b| matches!(b, b'"' | b'\''));
    let mut at = from + usize::from(quote.is_some());
    let start = at;
    while let Some(byte) = bytes.get(at) {
        match (byte, quote) {
            (byte, Some(quote)) if *byte == quote => return Ok((start..at, at + 1)),
            (b'{', _) if has_braces => at = code::closing(text, at).ok_or(Unclosed)?,
            (b'>', None) => return Ok((start..at, at)),
            (b'/', None) if bytes.get(at + 1) == Some(&b'>') => return Ok((start..at, at)),
            (byte, None) if byte.is_ascii_whitespace() => return Ok((start..at, at)),
            _ => {}
        }
        at += 1;
    }
    Err(Unclosed)
}

/// Whether an element has no content in HTML, so that no closing tag follows: `<br>`.
pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Names of the elements of HTML and SVG that a component's name could be taken for, in order.
const ELEMENTS: &[&str] = &[
    "a",
    "abbr",
    "address",
    "animate",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "bdi",
    "bdo",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "circle",
    "cite",
    "code",
    "col",
    "colgroup",
    "data",
    "datalist",
    "dd",
    "defs",
    "del",
    "desc",
    "details",
    "dfn",
    "dialog",
    "div",
    "dl",
    "dt",
    "ellipse",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "filter",
    "footer",
    "form",
    "g",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "i",
    "iframe",
    "image",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "legend",
    "li",
    "line",
    "link",
    "main",
    "map",
    "mark",
    "marker",
    "mask",
    "menu",
    "meta",
    "metadata",
    "meter",
    "nav",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "output",
    "p",
    "param",
    "path",
    "pattern",
    "picture",
    "polygon",
    "polyline",
    "pre",
    "progress",
    "q",
    "rect",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "script",
    "search",
    "section",
    "select",
    "set",
    "slot",
    "small",
    "source",
    "span",
    "stop",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "switch",
    "symbol",
    "table",
    "tbody",
    "td",
    "template",
    "text",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "track",
    "tspan",
    "u",
    "ul",
    "use",
    "var",
    "video",
    "view",
    "wbr",
];

/// Whether a name is an element's of HTML or SVG.
pub(super) fn is_element(name: &str) -> bool {
    ELEMENTS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::{ELEMENTS, Tag, Unclosed, tag};
    use crate::syntax::language::Framework;

    fn tag_text(framework: Framework, source: &str) -> String {
        match tag(framework, source, 0, source.len()) {
            Err(Unclosed) => "unclosed".to_owned(),
            Ok(None) => "text".to_owned(),
            Ok(Some((Tag::Comment, end))) => format!("comment {end}"),
            Ok(Some((Tag::Close { name }, end))) => format!("/{} {end}", &source[name]),
            Ok(Some((
                Tag::Open {
                    name,
                    attributes,
                    is_empty,
                },
                end,
            ))) => {
                let mut out = source[name].to_owned();
                for attribute in attributes {
                    let value = attribute.value.map(|value| &source[value]);
                    let name = &source[attribute.name];
                    write!(out, " {name}={}", value.unwrap_or("-")).unwrap();
                }
                format!("{out} {}{end}", if is_empty { "/" } else { "" })
            }
        }
    }

    #[test]
    fn a_tag_has_a_name_and_attributes() {
        for (source, expected) in [
            ("<a b='c' :d = \"e > 1\" @f>", "a b=c :d=e > 1 @f=- 25"),
            ("<A.B c=d/>", "A.B c=d /10"),
            ("</a-b >", "/a-b 7"),
            ("<!-- <a> --> b", "comment 12"),
            ("< b", "text"),
            ("<a b=\"c>", "unclosed"),
            ("<a b", "unclosed"),
            ("<!-- a", "unclosed"),
        ] {
            assert_eq!(tag_text(Framework::Vue, source), expected, "{source}");
        }
    }

    #[test]
    fn brackets_of_svelte_hold_code() {
        for (source, expected) in [
            ("<A {...b} c={d > 1} />", "A ={...b} c={d > 1} /22"),
            ("<a b=\"c {d ? \"e\" : f}\">", "a b=c {d ? \"e\" : f} 23"),
            ("<a b={`}`}>", "a b={`}`} 11"),
            ("<a {b", "unclosed"),
        ] {
            assert_eq!(tag_text(Framework::Svelte, source), expected, "{source}");
        }
    }

    #[test]
    fn names_of_elements_are_in_order() {
        assert!(ELEMENTS.is_sorted());
    }
}
