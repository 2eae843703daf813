//! Types that stand in doc comments.
//!
//! Knows the tags that tell the type of a name. Refuses to read them where the language has types of its
//! own.

use tree_sitter::Node;

use super::exprs::Start;
use super::hints::{Owner, Rank};
use super::imports::{import_of, is_import_name};
use super::kinds::Kind;
use super::walk::{Frame, Walk, byte};
use crate::ir::{BaseKind, ExprId, ImportKind, ImportedName, PathId, Slot};
use crate::syntax::signature::Comment;

/// Longest comment that is read for types.
const COMMENT_BYTES: usize = 16_000;

impl<'a> Walk<'a> {
    /// A comment, and what it says. Never looks inside.
    pub(super) fn comment(&mut self, node: Node<'_>) -> bool {
        self.comments.push(Comment {
            start: byte(node.start_byte()),
            end: byte(node.end_byte()),
        });
        self.triple_slash(node);
        self.jsdoc_definitions(node);
        self.inline_imports(node);
        false
    }

    /// Returns the doc comment that ends right before a byte.
    pub(super) fn jsdoc_before(&self, start: usize) -> Option<&'a str> {
        let before = self.source.get(..start)?.trim_end();
        if !before.ends_with("*/") {
            return None;
        }
        let mut from = before.len().saturating_sub(COMMENT_BYTES);
        while !before.is_char_boundary(from) {
            from += 1;
        }
        let text = &before[from + before[from..].rfind("/*")?..];
        text.starts_with("/**").then_some(text)
    }

    /// Returns the type behind a tag of the doc comment that ends right before a byte.
    pub(super) fn jsdoc_tag(&self, start: usize, tag: &str) -> Option<&'a str> {
        let text = self.jsdoc_before(start)?;
        let at = text.find(tag)?;
        typed(&text[at + tag.len()..]).map(|(written, _)| written)
    }

    /// Records what the doc comment above a function says about its parameters and to whom it says what it
    /// returns; takes the owner where it does.
    pub(super) fn jsdoc_function(
        &mut self,
        node: Node<'_>,
        start: usize,
        owner: &mut Option<Owner<'a>>,
        frame: &Frame,
    ) {
        let Some(text) = self.jsdoc_before(start) else {
            return;
        };
        let patterns = self.parameter_patterns(node);
        for tag in ["@param", "@arg", "@argument"] {
            let mut place = 0_usize;
            for (written, rest) in tags(text, tag) {
                let name = rest.trim_start().trim_start_matches('[');
                let end =
                    name.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.')));
                let name = &name[..end.unwrap_or(name.len())];
                if name.is_empty() {
                    continue;
                }
                if let Some((_, member)) = name.split_once('.') {
                    // A member of the parameter before it, which has a name here where that is taken apart.
                    let before = place.checked_sub(1).and_then(|before| patterns.get(before));
                    if let Some(Some(pattern)) = before {
                        let found = self.doc_type(written);
                        self.taken_apart(*pattern, member, found, frame);
                    }
                    continue;
                }
                // A parameter that is taken apart has no name to be told by.
                if let Some(Some(pattern)) = patterns.get(place) {
                    self.written_pattern(*pattern, written, frame);
                } else {
                    let owner = Owner::Binding(name, frame.scope);
                    let found = self.doc_type(written);
                    self.hint(owner, found, Rank::Written, frame);
                }
                place += 1;
            }
        }
        if let Some((written, _)) = tags(text, "@this").next() {
            self.scopes.bind("this", frame.scope, false);
            let owner = Owner::Binding("this", frame.scope);
            let found = self.doc_type(written);
            self.hint(owner, found, Rank::Written, frame);
        }
        let mut results = tags(text, "@returns").chain(tags(text, "@return"));
        if let Some((written, _)) = results.next()
            && let Some(owner) = owner.take()
        {
            let found = self.doc_type(written);
            self.hint(owner, found, Rank::Written, frame);
        }
    }

    /// Returns for each parameter the pattern that takes it apart, if any.
    fn parameter_patterns<'t>(&self, node: Node<'t>) -> Vec<Option<Node<'t>>> {
        let Some(all) = node.child_by_field_id(self.grammar.fields.parameters) else {
            return Vec::new();
        };
        let mut cursor = all.walk();
        let patterns = all.named_children(&mut cursor);
        patterns
            .filter(|one| self.grammar.kind(*one) != Kind::Comment)
            .map(|one| match self.grammar.kind(one) {
                Kind::AssignmentPattern => one.child_by_field_id(self.grammar.fields.left),
                _ => Some(one),
            })
            .map(|one| one.filter(|one| self.grammar.kind(*one) == Kind::ObjectPattern))
            .collect()
    }

    /// The names that a pattern takes out of what has a written type.
    fn written_pattern(&mut self, pattern: Node<'_>, written: &str, frame: &Frame) {
        let members = self.doc_members(written);
        if members.is_empty() {
            let found = Some((self.doc_type(written), Rank::Written));
            return self.bound(pattern, found, frame.scope, frame);
        }
        for (key, found) in members {
            self.taken_apart(pattern, &key, found, frame);
        }
    }

    /// Records the types that a comment defines: `@typedef`, `@import`.
    pub(super) fn jsdoc_definitions(&mut self, comment: Node<'_>) {
        let text = self.text(comment);
        let wanted = self.grammar.untyped
            && text.starts_with("/**")
            && text.len() <= COMMENT_BYTES
            && (text.contains("@typedef") || text.contains("@import"));
        if !wanted {
            return;
        }
        let line = byte(comment.start_position().row) + 1;
        let top = Frame::top();
        for (written, rest) in tags(text, "@typedef") {
            let rest = rest.trim_start();
            let end = rest
                .find(|c: char| !is_import_name(c))
                .unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if name.is_empty() {
                continue;
            }
            self.scopes.bind(name, 0, false);
            if let Some((module, imported)) = import_of(written.trim()) {
                self.jsdoc_import(module, &[(imported, name)], line);
                continue;
            }
            let path = self.path(&[name]);
            if let Some(found) = self.doc_type(written) {
                self.defined_by_comment(path, found);
            }
            for (key, found) in self.doc_members(written) {
                let key = self.slot(&key);
                let path = self.exprs.arena.path(path, key);
                self.hint(Owner::Member(None, path), found, Rank::Written, &top);
            }
            let after = after.split("@typedef").next().unwrap_or(after);
            for tag in ["@property", "@prop"] {
                for (written, rest) in tags(after, tag) {
                    let member = rest.trim_start().trim_start_matches('[');
                    let end = member
                        .find(|c: char| !is_import_name(c))
                        .unwrap_or(member.len());
                    let key = self.slot(&member[..end]);
                    let path = self.exprs.arena.path(path, key);
                    let found = self.doc_type(written);
                    self.hint(Owner::Member(None, path), found, Rank::Written, &top);
                }
            }
        }
        for part in text.split("@import ").skip(1) {
            self.import_tag(part, line);
        }
    }

    /// Records that a name of a comment is another for what is `found`.
    fn defined_by_comment(&mut self, path: PathId, found: ExprId) {
        let path = match self.exprs.start(found) {
            // Its members are those of the type.
            Start::Type if self.exprs.is_base(found) => {
                let slot = Slot::Base(BaseKind::Extends);
                self.exprs.arena.path(path, slot)
            }
            _ => path,
        };
        let found = self.exprs.bases(found);
        let owner = Owner::Member(None, path);
        self.hint(owner, Some(found), Rank::Written, &Frame::top());
    }

    /// Records the modules whose types a comment names where they are used: `@param {import('./a').A} a`.
    fn inline_imports(&mut self, comment: Node<'_>) {
        let text = self.text(comment);
        let wanted = self.grammar.untyped
            && text.starts_with("/**")
            && text.len() <= COMMENT_BYTES
            && text.contains("import(");
        if !wanted {
            return;
        }
        let line = byte(comment.start_position().row) + 1;
        for (at, _) in text.match_indices("import(") {
            let whole = text[at..].find(')').map(|end| &text[at..=at + end]);
            let module = whole.and_then(import_of).map(|it| it.0);
            let is_known = |module: &str| self.imports.iter().any(|it| it.specifier == module);
            if let Some(module) = module.filter(|it| in_type(&text[..at]) && !is_known(it)) {
                self.jsdoc_import(module, &[], line);
            }
        }
    }

    /// `{ A, B as C } from 'm'`, `* as ns from 'm'`, `D from 'm'`
    fn import_tag(&mut self, text: &'a str, line: u32) {
        let Some((names, rest)) = text.split_once(" from ") else {
            return;
        };
        let quote = rest.trim_start().chars().next();
        let Some(quote) = quote.filter(|c| matches!(c, '"' | '\'')) else {
            return;
        };
        let module = rest.trim_start()[1..].split(quote).next();
        let mut found: Vec<(&'a str, &'a str)> = Vec::new();
        for name in names.split(['{', '}', ',']) {
            let name = name.trim().trim_start_matches('*').trim();
            let (imported, local) = match name.split_once(" as ") {
                Some(pair) => pair,
                None if names.trim_start().starts_with('{') => (name, name),
                None => ("default", name),
            };
            let imported = match name.strip_prefix("as ") {
                Some(_) => "*",
                None => imported.trim(),
            };
            let local = local.trim().trim_start_matches("as ").trim();
            if !local.is_empty() && local.chars().all(is_import_name) {
                self.scopes.bind(local, 0, false);
                found.push((imported, local));
            }
        }
        self.jsdoc_import(module.unwrap_or_default(), &found, line);
    }

    fn jsdoc_import(&mut self, module: &str, names: &[(&str, &str)], line: u32) {
        let names = names
            .iter()
            .map(|&(imported, local)| ImportedName {
                imported: imported.to_owned(),
                local: local.to_owned(),
                type_only: true,
            })
            .collect();
        self.push_import(module, ImportKind::TypeQuery, line, names);
    }
}

/// Returns whether what stands behind a text is inside the `{type}` of a tag.
fn in_type(before: &str) -> bool {
    let tag = before.rfind(" @").or_else(|| before.rfind("*@"));
    let Some(tail) = tag.map(|at| &before[at + 2..]) else {
        return false;
    };
    let word = tail
        .find(|c: char| !c.is_alphabetic())
        .unwrap_or(tail.len());
    let inside = tail[word..].trim_start();
    let depth = inside.bytes().fold(0_i32, |depth, byte| match byte {
        b'{' => depth + 1,
        b'}' => depth - 1,
        _ => depth,
    });
    inside.starts_with('{') && depth > 0
}

/// Returns each `{type}` behind a tag with the text after it.
fn tags<'t>(text: &'t str, tag: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
    text.match_indices(tag)
        .filter_map(move |(at, _)| typed(&text[at + tag.len()..]))
}

/// Returns the `{type}` that a text begins with, and the text after it.
fn typed(text: &str) -> Option<(&str, &str)> {
    // `@returns` is no `@return`: the brace comes next.
    let inner = text.trim_start().strip_prefix('{')?;
    let mut depth = 1_usize;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&inner[..at], &inner[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::tags;

    #[test]
    fn a_tag_gives_its_type_and_what_stands_behind() {
        let text = "/** @param {Foo} a one\n * @param {{ b: C }} d @returns {E} */";
        let found: Vec<_> = tags(text, "@param").map(|(written, _)| written).collect();
        assert_eq!(found, ["Foo", "{ b: C }"]);
        assert_eq!(tags(text, "@return").count(), 0);
        assert_eq!(tags(text, "@returns").count(), 1);
    }
}
