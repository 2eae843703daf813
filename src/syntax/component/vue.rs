//! Templates of Vue: directives, interpolations and slots as a program.
//!
//! <https://vuejs.org/api/built-in-directives>. Does not know what a name means.

use std::ops::Range;

use super::blocks::MarkupBlock;
use super::code::{closing, is_path, name_end, split_commas, trimmed};
use super::markup::{MarkupAttribute, Tag, is_element, is_void, tag};
use super::markup_ranges::MarkupRanges;
use super::names::{camel, pascal};
use super::program::Program;
use crate::syntax::language::Framework;

/// Scopes inside scopes that are read; deeper ones can't be read.
const MAX_SCOPES: usize = 100;
/// Open elements among which the one of a closing tag is looked for.
const MAX_LOOKED_AT: usize = 200;

/// A scope that an element opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TemplateScope {
    Each,
    Slot,
}

/// An element whose closing tag was not met.
struct Open {
    name: Range<usize>,
    scopes: Vec<TemplateScope>,
    is_component: bool,
    is_raw: bool,
}

/// The names that a template can be about.
pub(super) struct TemplateNames<'a> {
    /// Names of the file, sorted.
    pub(super) all: &'a [String],
    /// Those that are imported.
    pub(super) imported: &'a [String],
    /// Components that the options of the component name: `components: { FooBar }`.
    pub(super) components: &'a [String],
}

impl TemplateNames<'_> {
    fn has(&self, name: &str) -> bool {
        self.all
            .binary_search_by(|it| it.as_str().cmp(name))
            .is_ok()
    }

    fn has_component(&self, name: &str) -> bool {
        self.has(name) || self.components.iter().any(|it| it == name)
    }
}

/// Reads the template of a component into a program.
pub(super) fn template(
    source: &str,
    block: &MarkupBlock,
    names: &TemplateNames<'_>,
    program: &mut Program<'_>,
    ranges: &mut MarkupRanges,
) {
    ranges.markup.push(block.content.clone());
    if !block.is_plain {
        ranges.unreadable.push(block.content.clone());
        return;
    }
    let mut reader = VueReader {
        source,
        limit: block.content.end,
        names,
        program,
        ranges,
        open: Vec::new(),
        n_scopes: 0,
    };
    reader.read(block.content.start);
    while let Some(element) = reader.open.pop() {
        reader.close(&element);
    }
}

/// Reads the uses of script variables in styles: `color: v-bind(color)`.
pub(super) fn styles(source: &str, block: &MarkupBlock, program: &mut Program<'_>) {
    let mut at = block.content.start;
    while let Some(found) = source[at..block.content.end].find("v-bind(") {
        let open = at + found + "v-bind".len();
        let Some(end) = closing(&source[..block.content.end], open) else {
            return;
        };
        let mut range = trimmed(source, open + 1..end);
        let text = &source[range.clone()];
        if text.len() >= 2 && text.starts_with(['"', '\'']) && text.ends_with(['"', '\'']) {
            range = range.start + 1..range.end - 1;
        }
        program.expression(range);
        at = end;
    }
}

struct VueReader<'s, 'p> {
    source: &'s str,
    limit: usize,
    names: &'s TemplateNames<'s>,
    program: &'s mut Program<'p>,
    ranges: &'s mut MarkupRanges,
    open: Vec<Open>,
    n_scopes: usize,
}

impl VueReader<'_, '_> {
    fn read(&mut self, from: usize) {
        let mut at = from;
        let mut has_interpolations = true;
        while let Some(next) = self.next(at) {
            if self.source.as_bytes()[next] == b'{' {
                let inside = next + 2;
                let end = has_interpolations
                    .then(|| self.source[inside..self.limit].find("}}"))
                    .flatten();
                let Some(end) = end else {
                    has_interpolations = false;
                    at = inside;
                    continue;
                };
                if !self.is_raw() {
                    self.program.expression(inside..inside + end);
                }
                at = inside + end + 2;
                continue;
            }
            match tag(Framework::Vue, self.source, next, self.limit) {
                Ok(None) => at = next + 1,
                Ok(Some((tag, end))) => {
                    at = self.take(tag, next..end);
                }
                Err(_) => {
                    self.ranges.unreadable.push(next..self.limit);
                    return;
                }
            }
            if self.n_scopes > MAX_SCOPES {
                self.ranges.unreadable.push(at..self.limit);
                return;
            }
        }
    }

    /// Returns the next place where a tag or an interpolation may begin.
    fn next(&self, at: usize) -> Option<usize> {
        let bytes = &self.source.as_bytes()[..self.limit];
        let is_begin = |at: &usize| {
            bytes[*at] == b'<' || bytes[*at] == b'{' && bytes.get(*at + 1) == Some(&b'{')
        };
        (at..self.limit).find(is_begin)
    }

    /// Whether what is here is not compiled: `v-pre`.
    fn is_raw(&self) -> bool {
        self.open.last().is_some_and(|element| element.is_raw)
    }

    /// Takes a tag. Returns the byte to read on at.
    fn take(&mut self, tag: Tag, range: Range<usize>) -> usize {
        match tag {
            Tag::Comment => self.ranges.comments.push(range.clone()),
            Tag::Close { name } => self.end(name),
            Tag::Open {
                name,
                attributes,
                is_empty,
            } => {
                let text = &self.source[name.clone()];
                let is_raw_text = !is_empty && matches!(text, "script" | "style");
                let element = self.begin(name.clone(), &attributes);
                if is_raw_text {
                    let end = format!("</{text}");
                    let rest = &self.source[range.end..self.limit];
                    let end = rest.find(&end).map_or(self.limit, |end| range.end + end);
                    self.close(&element);
                    return end;
                }
                if is_empty || is_void(text) {
                    self.close(&element);
                } else {
                    self.open.push(element);
                }
            }
        }
        range.end
    }

    fn begin(&mut self, name: Range<usize>, attributes: &[MarkupAttribute]) -> Open {
        let named = |it: &&MarkupAttribute, name: &str| self.source[it.name.clone()] == *name;
        let is_raw = self.is_raw() || attributes.iter().any(|it| named(&it, "v-pre"));
        let mut element = Open {
            name: name.clone(),
            scopes: Vec::new(),
            is_component: false,
            is_raw,
        };
        if is_raw {
            return element;
        }
        let each = attributes.iter().find(|it| named(it, "v-for"));
        if let Some(value) = each.and_then(|each| each.value.clone()) {
            self.each(value);
            element.scopes.push(TemplateScope::Each);
            self.n_scopes += 1;
        }
        if let Some(component) = self.component(&self.source[name.clone()]) {
            self.program.element(name, &component);
            element.is_component = true;
        }
        let mut slot = None;
        for attribute in attributes {
            self.attribute(attribute, &mut slot);
        }
        if let Some(slot) = slot {
            self.program.open_scope(&[slot]);
            element.scopes.push(TemplateScope::Slot);
            self.n_scopes += 1;
        }
        element
    }

    /// Ends the element of a closing tag with all that is open inside it.
    fn end(&mut self, name: Range<usize>) {
        let text = &self.source[name.clone()];
        let open = self.open.iter().rev().take(MAX_LOOKED_AT);
        let Some(depth) = open
            .map(|it| &self.source[it.name.clone()])
            .position(|it| it == text)
        else {
            return;
        };
        for _ in 0..=depth {
            if let Some(element) = self.open.pop() {
                if element.is_component && self.source[element.name.clone()] == *text {
                    let closing = (name.clone(), element.name.start);
                    self.ranges.closings.push(closing);
                }
                self.close(&element);
            }
        }
    }

    fn close(&mut self, element: &Open) {
        for scope in element.scopes.iter().rev() {
            self.n_scopes -= 1;
            match scope {
                TemplateScope::Each => self.program.close_each(),
                TemplateScope::Slot => self.program.close_scope(),
            }
        }
    }

    /// `(item, index) in items`
    fn each(&mut self, value: Range<usize>) {
        let text = &self.source[value.clone()];
        let is_blank = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_whitespace);
        let words = text.match_indices("in").chain(text.match_indices("of"));
        let word = words
            .map(|(at, _)| at)
            .filter(|at| *at > 0 && is_blank(at - 1) && is_blank(at + 2))
            .min();
        let Some(word) = word else {
            self.program.open_each(value, None, &[]);
            return;
        };
        let mut names = trimmed(self.source, value.start..value.start + word);
        let is_list = self.source[names.clone()].starts_with('(');
        if is_list && closing(&self.source[..names.end], names.start) == Some(names.end - 1) {
            names = names.start + 1..names.end - 1;
        }
        let names = split_commas(self.source, names);
        let (first, others) = names
            .split_first()
            .map_or((None, &[][..]), |(first, others)| {
                (Some(first.clone()), others)
            });
        let items = value.start + word + 2..value.end;
        self.program.open_each(items, first, others);
    }

    /// Returns the name that a tag has in scripts, where it is a component.
    fn component(&self, tag: &str) -> Option<String> {
        if tag.contains('.') {
            return is_path(tag).then(|| tag.to_owned());
        }
        if tag.starts_with(|c: char| c.is_ascii_uppercase()) {
            return is_path(tag).then(|| tag.to_owned());
        }
        let (camel, pascal) = (camel(tag), pascal(tag));
        if !is_path(&pascal) || matches!(tag, "component" | "slot" | "template") {
            return None;
        }
        if self.names.has_component(&pascal) && !is_element(tag) {
            return Some(pascal);
        }
        if self.names.has(&camel) && !is_element(tag) {
            return Some(camel);
        }
        tag.contains('-').then_some(pascal)
    }

    fn attribute(&mut self, attribute: &MarkupAttribute, slot: &mut Option<Range<usize>>) {
        let name = &self.source[attribute.name.clone()];
        let start = attribute.name.start;
        let value = attribute.value.clone();
        // The directive and what it is about: `v-on:click.stop` is `on` and `click`.
        let (directive, argument) = match name.as_bytes() {
            [b'@', ..] => ("on", Some(start + 1)),
            [b':', ..] | [b'.', _, ..] => ("bind", Some(start + 1)),
            [b'#', ..] => ("slot", Some(start + 1)),
            [b'v', b'-', ..] => {
                let rest = &name[2..];
                let end = rest.find([':', '.']).unwrap_or(rest.len());
                let has_argument = rest[end..].starts_with(':');
                (&rest[..end], has_argument.then_some(start + 2 + end + 1))
            }
            _ => {
                self.ranges.keys.push(attribute.name.clone());
                match (name, value) {
                    ("ref", Some(value)) => self.template_ref(value),
                    ("slot-scope", Some(value)) => *slot = Some(value),
                    _ => {}
                }
                return;
            }
        };
        let argument = argument.map(|from| self.argument(from, attribute.name.end));
        match (directive, value) {
            ("for" | "pre" | "cloak" | "once" | "else", _) => {}
            ("slot", value) => *slot = value.or(slot.take()),
            ("on", Some(value)) => self.handler(value, argument.is_some()),
            ("bind", None) => {
                if let Some(argument) = argument.flatten() {
                    self.same_name(argument);
                }
            }
            (_, value) => {
                let variable = format!("v{}", pascal(directive));
                if !is_built_in(directive) && self.names.has(&variable) {
                    let name = start + 2..start + 2 + directive.len();
                    self.program.rewritten_value(name, &variable);
                }
                if let Some(value) = value {
                    self.program.expression(value);
                }
            }
        }
    }

    /// Reads the argument of a directive; `None` for a dynamic one: `[name]`.
    fn argument(&mut self, from: usize, end: usize) -> Option<Range<usize>> {
        let text = &self.source[from..end];
        if text.starts_with('[') {
            if let Some(close) = text.find(']') {
                self.program.expression(from + 1..from + close);
            }
            return None;
        }
        let argument = from..from + text.find('.').unwrap_or(text.len());
        self.ranges.keys.push(argument.clone());
        Some(argument)
    }

    /// `:foo` for `:foo="foo"`
    fn same_name(&mut self, argument: Range<usize>) {
        let name = &self.source[argument.clone()];
        if name.contains('-') {
            let name = camel(name);
            if is_path(&name) {
                self.program.rewritten_value(argument, &name);
            }
        } else if is_path(name) {
            self.program.expression(argument);
        }
    }

    fn handler(&mut self, value: Range<usize>, is_one: bool) {
        let value = trimmed(self.source, value);
        let text = &self.source[value.clone()];
        let is_function = text.starts_with("function") || text.starts_with("async function");
        if !is_one || is_function {
            self.program.expression(value);
        } else if is_path(text) {
            self.program.called(value);
        } else {
            self.program.statements(value);
        }
    }

    /// `ref="box"` fills the variable `box` of a setup script.
    fn template_ref(&mut self, value: Range<usize>) {
        let name = &self.source[value.clone()];
        let is_variable = self.names.has(name) && !self.names.imported.iter().any(|it| it == name);
        if is_variable && name_end(name, 0) == name.len() {
            self.program.expression(value);
        }
    }
}

fn is_built_in(directive: &str) -> bool {
    matches!(
        directive,
        "text" | "html" | "show" | "if" | "else-if" | "bind" | "model" | "memo" | "is" | "on"
    )
}
