//! Templates of Angular: blocks, bindings, structural directives and interpolations as a program, and the names in the
//! markup itself.
//!
//! <https://angular.dev/guide/templates>. Does not know what a name means.

use std::ops::Range;

use super::code::{closing, find, name_end, split, trimmed, words};
use super::markup::{MarkupAttribute, Tag, is_void, tag};
use super::markup_ranges::MarkupRanges;
use super::pipes::without_pipes;
use super::program::Program;
use crate::ir::ReferenceKind;
use crate::syntax::lang::ecmascript::HostBinding;
use crate::syntax::language::Framework;

/// Scopes inside scopes that are read; deeper ones can't be read.
const MAX_SCOPES: usize = 100;
/// Open elements and blocks among which the one of a closing tag or bracket is looked for.
const MAX_LOOKED_AT: usize = 200;
/// Names in the markup of one template that are kept.
const MAX_NAMES: usize = 100_000;

/// Blocks with parameters or without: `@if (a) {`, `@else {`.
const BLOCKS: &[&str] = &[
    "if",
    "else",
    "for",
    "empty",
    "switch",
    "case",
    "default",
    "defer",
    "placeholder",
    "loading",
    "error",
];

/// A name in the markup: of an element, an attribute or a pipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MarkupName {
    pub(super) range: Range<usize>,
    pub(super) place: MarkupNameKind,
    pub(super) kind: ReferenceKind,
}

/// The kind of thing that a name in the markup names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum MarkupNameKind {
    /// An element.
    Element,
    /// An attribute of an element, which is named where it may be a component's.
    Attribute(Option<String>),
    /// A pipe.
    Pipe,
}

/// Something whose end was not met.
struct Open {
    /// The name of the element; `None` for a block or a bracket.
    name: Option<Range<usize>>,
    scopes: Vec<TemplateScope>,
    /// Whether what is inside is not compiled: `ngNonBindable`.
    is_raw: bool,
    /// Whether brackets in the text are alternatives: `{n, plural, =1 {one}}`.
    is_plural: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TemplateScope {
    Each,
    Plain,
}

/// Reads a template into a program, and the names in its markup.
pub(super) fn template(
    source: &str,
    range: Range<usize>,
    program: &mut Program<'_>,
    ranges: &mut MarkupRanges,
) -> Vec<MarkupName> {
    program.declare("$event,$any,$index,$count,$first,$last,$even,$odd");
    let mut reader = AngularReader::new(source, range.end, program, ranges);
    reader.read(range.start);
    while let Some(open) = reader.open.pop() {
        reader.close(&open);
    }
    reader.names
}

/// Reads the bindings of a host element into a program, and the names of their pipes.
pub(super) fn host(
    source: &str,
    bindings: &[HostBinding],
    program: &mut Program<'_>,
    ranges: &mut MarkupRanges,
) -> Vec<MarkupName> {
    program.declare("$event,$any");
    let mut reader = AngularReader::new(source, source.len(), program, ranges);
    for binding in bindings {
        if binding.is_event {
            reader.program.statements(binding.value.clone());
        } else {
            reader.expression(binding.value.clone());
        }
    }
    reader.names
}

struct AngularReader<'s, 'p> {
    source: &'s str,
    limit: usize,
    program: &'s mut Program<'p>,
    ranges: &'s mut MarkupRanges,
    names: Vec<MarkupName>,
    open: Vec<Open>,
    n_scopes: usize,
}

impl<'s, 'p> AngularReader<'s, 'p> {
    fn new(
        source: &'s str,
        limit: usize,
        program: &'s mut Program<'p>,
        ranges: &'s mut MarkupRanges,
    ) -> Self {
        Self {
            source,
            limit,
            program,
            ranges,
            names: Vec::new(),
            open: Vec::new(),
            n_scopes: 0,
        }
    }

    fn text(&self, range: Range<usize>) -> &str {
        self.source.get(range).unwrap_or_default()
    }

    fn read(&mut self, from: usize) {
        let mut at = from;
        let mut has_interpolations = true;
        while let Some(next) = self.next(at) {
            let bytes = self.source.as_bytes();
            let is_raw = self.open.last().is_some_and(|it| it.is_raw);
            at = match bytes[next] {
                b'{' if bytes.get(next + 1) == Some(&b'{') => {
                    let inside = next + 2;
                    let end = has_interpolations.then(|| self.text(inside..self.limit).find("}}"));
                    if let Some(end) = end.flatten() {
                        if !is_raw {
                            self.expression(inside..inside + end);
                        }
                        inside + end + 2
                    } else {
                        has_interpolations = false;
                        inside
                    }
                }
                b'{' if !is_raw => self.bracket(next),
                b'}' if !is_raw => {
                    self.end_block();
                    next + 1
                }
                b'@' if !is_raw => self.block(next).unwrap_or(next + 1),
                b'<' => match tag(Framework::Vue, self.source, next, self.limit) {
                    Ok(None) => next + 1,
                    Ok(Some((tag, end))) => self.take(tag, next..end),
                    Err(_) => {
                        self.ranges.unreadable.push(next..self.limit);
                        return;
                    }
                },
                _ => next + 1,
            };
            if self.n_scopes > MAX_SCOPES {
                self.ranges.unreadable.push(at..self.limit);
                return;
            }
        }
    }

    fn next(&self, at: usize) -> Option<usize> {
        let bytes = &self.source.as_bytes()[..self.limit];
        (at..self.limit).find(|at| matches!(bytes[*at], b'<' | b'{' | b'}' | b'@'))
    }

    /// Adds an expression and the names of its pipes.
    fn expression(&mut self, range: Range<usize>) {
        let range = trimmed(self.source, range);
        let text = self.without_pipes(range.clone());
        self.program.rewritten(range, &text);
    }

    fn without_pipes(&mut self, range: Range<usize>) -> String {
        let (text, pipes) = without_pipes(self.source, range);
        for pipe in pipes {
            self.name(pipe, MarkupNameKind::Pipe, ReferenceKind::Call);
        }
        text
    }

    /// Adds a variable of the scope around that holds a value.
    fn holding(&mut self, name: Range<usize>, value: Range<usize>) {
        let value = trimmed(self.source, value);
        let text = self.without_pipes(value.clone());
        self.program.holding(name, value, &text);
    }

    fn name(&mut self, range: Range<usize>, place: MarkupNameKind, kind: ReferenceKind) {
        if self.names.len() < MAX_NAMES && !range.is_empty() {
            self.names.push(MarkupName { range, place, kind });
        }
    }

    /// Takes a bracket of the text: of a plural, or one of its alternatives. Returns the byte to read on at.
    fn bracket(&mut self, at: usize) -> usize {
        let is_inside = self.open.last().is_some_and(|it| it.is_plural);
        let rest = self.text(at + 1..self.limit);
        let end = rest.find(['{', '}', '<']).unwrap_or(rest.len());
        let comma = rest[..end].find(',');
        let kind = comma.and_then(|comma| rest[comma + 1..end].split(',').next());
        let begins =
            kind.is_some_and(|kind| matches!(kind.trim(), "plural" | "select" | "selectordinal"));
        if !is_inside && !begins {
            return at + 1;
        }
        if let Some(comma) = comma.filter(|_| begins) {
            self.expression(at + 1..at + 1 + comma);
        }
        self.open.push(Open {
            name: None,
            scopes: Vec::new(),
            is_raw: false,
            is_plural: begins,
        });
        at + 1
    }

    /// Ends the innermost block with all that is open inside it.
    fn end_block(&mut self) {
        let mut open = self.open.iter().rev().take(MAX_LOOKED_AT);
        if let Some(depth) = open.position(|it| it.name.is_none()) {
            self.end(depth);
        }
    }

    fn end(&mut self, depth: usize) {
        for _ in 0..=depth {
            if let Some(open) = self.open.pop() {
                self.close(&open);
            }
        }
    }

    fn close(&mut self, open: &Open) {
        for scope in open.scopes.iter().rev() {
            self.n_scopes -= 1;
            match scope {
                TemplateScope::Each => self.program.close_each(),
                TemplateScope::Plain => self.program.close_scope(),
            }
        }
    }

    fn blanks(&self, at: usize) -> usize {
        let rest = self.text(at..self.limit);
        at + (rest.len() - rest.trim_start().len())
    }

    /// Takes `@if (a) {` and the like, where one begins. Returns the byte to read on at.
    fn block(&mut self, at: usize) -> Option<usize> {
        let before = self.source[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            return None;
        }
        let end = name_end(&self.source[..self.limit], at + 1);
        let keyword = self.text(at + 1..end).to_owned();
        if keyword == "let" {
            return self.variable(end);
        }
        if !BLOCKS.contains(&keyword.as_str()) {
            return None;
        }
        let mut here = self.blanks(end);
        let is_else_if = keyword == "else" && self.text(here..self.limit).starts_with("if");
        if is_else_if {
            here = self.blanks(here + 2);
        }
        let mut parameters = None;
        if self.source.as_bytes()[..self.limit].get(here) == Some(&b'(') {
            let close = closing(&self.source[..self.limit], here)?;
            parameters = Some(here + 1..close);
            here = self.blanks(close + 1);
        }
        if self.source.as_bytes()[..self.limit].get(here) != Some(&b'{') {
            return None;
        }
        let mut scope = TemplateScope::Plain;
        match (keyword.as_str(), parameters) {
            ("for", Some(parameters)) => scope = self.each(parameters),
            ("if" | "else" | "switch" | "case", Some(parameters)) => self.condition(parameters),
            ("defer" | "placeholder" | "loading", Some(parameters)) => {
                self.program.open_scope(&[]);
                for part in split(self.source, parameters, b";") {
                    let text = self.text(part.clone());
                    let when = ["prefetch when ", "hydrate when ", "when "];
                    let when = when.iter().find(|it| text.starts_with(**it));
                    if let Some(when) = when {
                        self.expression(part.start + when.len()..part.end);
                    }
                }
            }
            _ => self.program.open_scope(&[]),
        }
        self.n_scopes += 1;
        self.open.push(Open {
            name: None,
            scopes: vec![scope],
            is_raw: false,
            is_plural: false,
        });
        Some(here + 1)
    }

    /// `@let a = b;`
    fn variable(&mut self, from: usize) -> Option<usize> {
        let end = find(self.source, from..self.limit, b';')?;
        let start = self.blanks(from);
        let name = start..name_end(&self.source[..end], start);
        let equals = self.blanks(name.end);
        if name.is_empty() || self.source.as_bytes()[equals] != b'=' {
            return None;
        }
        self.holding(name, equals + 1..end);
        Some(end + 1)
    }

    /// `a; as b`
    fn condition(&mut self, parameters: Range<usize>) {
        self.program.open_scope(&[]);
        let parts = split(self.source, parameters, b";");
        let Some(value) = parts.first().cloned() else {
            return;
        };
        let alias = parts
            .get(1)
            .filter(|it| self.text((*it).clone()).starts_with("as "));
        match alias {
            Some(alias) => {
                let alias = trimmed(self.source, alias.start + 2..alias.end);
                self.holding(alias, value);
            }
            None => self.expression(value),
        }
    }

    /// `a of b; track a.c; let i = $index`
    fn each(&mut self, parameters: Range<usize>) -> TemplateScope {
        let parts = split(self.source, parameters, b";");
        let Some(first) = parts.first().cloned() else {
            self.program.open_scope(&[]);
            return TemplateScope::Plain;
        };
        let Some(of) = words(self.source, first.clone(), "of").first().copied() else {
            self.program.open_scope(&[]);
            return TemplateScope::Plain;
        };
        let mut others = Vec::new();
        for part in parts.iter().skip(1) {
            if self.text(part.clone()).starts_with("let ") {
                for one in split(self.source, part.start + 4..part.end, b",") {
                    others.push(one.start..name_end(&self.source[..one.end], one.start));
                }
            }
        }
        let item = trimmed(self.source, first.start..of);
        let value = trimmed(self.source, of + 2..first.end);
        let text = self.without_pipes(value.clone());
        self.program
            .open_each_of((value, &text), Some(item), &others);
        for part in parts.iter().skip(1) {
            if self.text(part.clone()).starts_with("track ") {
                self.expression(part.start + 6..part.end);
            }
        }
        TemplateScope::Each
    }

    /// Takes a tag. Returns the byte to read on at.
    fn take(&mut self, tag: Tag, range: Range<usize>) -> usize {
        match tag {
            Tag::Comment => self.ranges.comments.push(range.clone()),
            Tag::Close { name } => self.end_element(&name),
            Tag::Open {
                name,
                attributes,
                is_empty,
            } => {
                let text = self.text(name.clone()).to_owned();
                let element = self.begin(name, &attributes);
                if !is_empty && matches!(text.as_str(), "script" | "style") {
                    self.close(&element);
                    let rest = self.text(range.end..self.limit);
                    let end = rest.find(&format!("</{text}"));
                    return end.map_or(self.limit, |end| range.end + end);
                }
                if is_empty || is_void(&text) {
                    self.close(&element);
                } else {
                    self.open.push(element);
                }
            }
        }
        range.end
    }

    /// Ends an element with all that is open inside it, but no block around it.
    fn end_element(&mut self, name: &Range<usize>) {
        let text = self.text(name.clone());
        let open = self.open.iter().rev().take(MAX_LOOKED_AT);
        let mut open = open.take_while(|it| it.name.is_some());
        let found = open.position(|it| it.name.clone().is_some_and(|own| self.text(own) == text));
        let Some(depth) = found else {
            return;
        };
        if let Some(own) = self.open[self.open.len() - 1 - depth].name.clone() {
            self.ranges.closings.push((name.clone(), own.start));
        }
        self.end(depth);
    }

    fn begin(&mut self, name: Range<usize>, attributes: &[MarkupAttribute]) -> Open {
        let has = |what: &str| {
            attributes
                .iter()
                .any(|it| self.text(it.name.clone()) == what)
        };
        let is_raw = self.open.last().is_some_and(|it| it.is_raw) || has("ngNonBindable");
        let mut element = Open {
            name: Some(name.clone()),
            scopes: Vec::new(),
            is_raw,
            is_plural: false,
        };
        if is_raw {
            return element;
        }
        let structural = attributes
            .iter()
            .find(|it| self.text(it.name.clone()).starts_with('*'));
        if let Some(attribute) = structural {
            let key = attribute.name.start + 1..attribute.name.end;
            if !self.text(key.clone()).starts_with("ng") {
                self.name(key, MarkupNameKind::Attribute(None), ReferenceKind::Jsx);
            }
            let value = attribute.value.clone().unwrap_or(name.start..name.start);
            element.scopes.push(self.structure(value));
            self.n_scopes += 1;
        }
        let text = self.text(name.clone()).to_owned();
        let is_component = text.contains('-') && !text.starts_with("ng-");
        if is_component {
            self.name(name, MarkupNameKind::Element, ReferenceKind::Jsx);
        }
        // Its reference is known beside the element, too.
        for attribute in attributes {
            let name = attribute.name.clone();
            if self.text(name.clone()).starts_with('#') {
                self.program.constant(name.start + 1..name.end);
            }
        }
        let bound: Vec<Range<usize>> = attributes
            .iter()
            .map(|it| it.name.clone())
            .filter(|it| self.text(it.clone()).starts_with("let-"))
            .map(|it| it.start + "let-".len()..it.end)
            .collect();
        if !bound.is_empty() {
            self.program.open_scope(&bound);
            element.scopes.push(TemplateScope::Plain);
            self.n_scopes += 1;
        }
        let component = is_component.then(|| text.clone());
        for attribute in attributes {
            self.attribute(attribute, component.as_deref());
        }
        element
    }

    /// `let a of b; index as i; trackBy: c`, `a as b; else c`: opens a scope.
    fn structure(&mut self, value: Range<usize>) -> TemplateScope {
        let mut names: Vec<Range<usize>> = Vec::new();
        let mut values: Vec<Range<usize>> = Vec::new();
        let mut held: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        let mut each = None;
        for (n, part) in split(self.source, value, b";,").into_iter().enumerate() {
            let mut rest = part.clone();
            let mut is_first = n == 0;
            if self.text(rest.clone()).starts_with("let ") {
                let start = self.blanks(rest.start + 4);
                let name = start..name_end(&self.source[..rest.end], start);
                rest = trimmed(self.source, name.end..rest.end);
                names.push(name);
                // `let a = b` names what the directive offers.
                if self.text(rest.clone()).starts_with('=') {
                    continue;
                }
                is_first = false;
            }
            if rest.is_empty() {
                continue;
            }
            let alias = words(self.source, rest.clone(), "as").last().copied();
            let name = alias.map(|at| trimmed(self.source, at + 2..rest.end));
            let mut of = rest.start..alias.unwrap_or(rest.end);
            if !is_first {
                let key = of.start..name_end(&self.source[..of.end], of.start);
                let after = trimmed(self.source, key.end..of.end);
                if after.is_empty() {
                    // `index as i`
                    names.extend(name);
                    continue;
                }
                let is_each = self.text(key) == "of";
                let colon = usize::from(self.text(after.clone()).starts_with(':'));
                of = trimmed(self.source, after.start + colon..after.end);
                if is_each && each.is_none() {
                    each = Some(of.clone());
                    names.extend(name);
                    continue;
                }
            }
            match name {
                Some(name) => held.push((name, trimmed(self.source, of))),
                None => values.push(of),
            }
        }
        let scope = match (each, names.split_first()) {
            (Some(items), Some((first, others))) => {
                let text = self.without_pipes(items.clone());
                self.program
                    .open_each_of((items, &text), Some(first.clone()), others);
                TemplateScope::Each
            }
            (each, _) => {
                self.program.open_scope(&names);
                values.extend(each);
                TemplateScope::Plain
            }
        };
        for (name, value) in held {
            self.holding(name, value);
        }
        for value in values {
            self.expression(value);
        }
        scope
    }

    fn attribute(&mut self, attribute: &MarkupAttribute, component: Option<&str>) {
        let name = attribute.name.clone();
        let text = self.text(name.clone()).to_owned();
        let value = attribute.value.clone();
        let inner = |open: usize, close: usize| {
            let to = name.end.saturating_sub(close);
            name.start + open..to.max(name.start + open)
        };
        if text.starts_with(['*', '#']) || text.starts_with("let-") {
            return;
        }
        let (key, is_event) = if text.starts_with("[(") && text.ends_with(")]") {
            (inner(2, 2), false)
        } else if text.starts_with('[') && text.ends_with(']') {
            (inner(1, 1), false)
        } else if text.starts_with('(') && text.ends_with(')') {
            (inner(1, 1), true)
        } else {
            self.key(name, component);
            if let Some(value) = value {
                self.interpolated(value);
            }
            return;
        };
        self.key(key, component);
        if let Some(value) = value {
            if is_event {
                self.program.statements(value);
            } else {
                self.expression(value);
            }
        }
    }

    /// Adds the name of an attribute where it may be that of an input or a directive.
    fn key(&mut self, key: Range<usize>, component: Option<&str>) {
        let text = self.text(key.clone());
        let is_name = name_end(text, 0) == text.len();
        let is_own = matches!(text, "class" | "id" | "style" | "slot" | "role" | "i18n");
        // A directive of an element of HTML has a name in two parts: `myTip`.
        let may_be = component.is_some() || text.contains(|c: char| c.is_ascii_uppercase());
        if is_name && !is_own && may_be {
            let kind = if component.is_some() {
                ReferenceKind::Value
            } else {
                ReferenceKind::Jsx
            };
            let place = MarkupNameKind::Attribute(component.map(str::to_owned));
            self.name(key, place, kind);
        }
    }

    /// Adds the expressions in the value of an attribute.
    fn interpolated(&mut self, value: Range<usize>) {
        let mut at = value.start;
        while let Some(open) = self.text(at..value.end).find("{{") {
            let inside = at + open + 2;
            let Some(end) = self.text(inside..value.end).find("}}") else {
                return;
            };
            self.expression(inside..inside + end);
            at = inside + end + 2;
        }
    }
}
