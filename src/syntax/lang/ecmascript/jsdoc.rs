//! Comments: the types of parameters and results, `@typedef` and `@import` in JavaScript.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::doc_types::{self, COMMENT_BYTES, tags};
use super::expr_builder::Start;
use super::frame::{Frame, byte};
use super::kinds::Kind;
use super::names::{import_of, is_import_name};
use super::pending::{BindingSource, ValueOwner};
use super::{bindings, doc_names, imports, patterns};
use crate::ir::{BaseKind, ExprId, ImportKind, ImportedName, PathId, Slot};
use crate::syntax::signature::Comment;

/// A comment: `/// <reference>`, `@typedef`, `@import`, the names in its types and the modules that these import.
pub(super) fn comment(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &Frame) -> bool {
    b.comments.push(Comment {
        start: byte(node.start_byte()),
        end: byte(node.end_byte()),
    });
    imports::triple_slash(b, node);
    type_definitions(b, node);
    inline_imports(b, node);
    doc_names::doc_uses(b, node, frame);
    false
}

/// Binds the parameters and the result of a function to the types in the comment above it. Takes `owner`, of the
/// result, where the comment has `@returns`.
pub(super) fn function_doc<'a>(
    b: &mut FileBuilder<'a>,
    node: Node<'_>,
    start: usize,
    owner: &mut Option<ValueOwner<'a>>,
    frame: &Frame,
) {
    let Some(text) = doc_types::doc_before(b, start) else {
        return;
    };
    let patterns = parameter_patterns(b, node);
    for tag in ["@param", "@arg", "@argument"] {
        let mut place = 0_usize;
        for (written, rest) in tags(text, tag) {
            let name = rest.trim_start().trim_start_matches('[');
            let end = name.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.')));
            let name = &name[..end.unwrap_or(name.len())];
            if name.is_empty() {
                continue;
            }
            if let Some((_, member)) = name.split_once('.') {
                // A member of the parameter before it, which has a name here where that is taken apart.
                let before = place.checked_sub(1).and_then(|before| patterns.get(before));
                if let Some(Some(pattern)) = before {
                    let found = doc_types::doc_type(b, written);
                    patterns::bind_pattern_member(b, *pattern, member, found, frame);
                }
                continue;
            }
            // A parameter that is taken apart has no name to be told by.
            if let Some(Some(pattern)) = patterns.get(place) {
                typed_pattern(b, *pattern, written, frame);
            } else {
                let owner = ValueOwner::Binding(name, frame.scope);
                let found = doc_types::doc_type(b, written);
                b.annotate(owner, found, frame);
            }
            place += 1;
        }
    }
    if let Some((written, _)) = tags(text, "@this").next() {
        b.scopes.bind("this", frame.scope, false);
        let owner = ValueOwner::Binding("this", frame.scope);
        let found = doc_types::doc_type(b, written);
        b.annotate(owner, found, frame);
    }
    let mut results = tags(text, "@returns").chain(tags(text, "@return"));
    if let Some((written, _)) = results.next()
        && let Some(owner) = owner.take()
    {
        let found = doc_types::doc_type(b, written);
        b.annotate(owner, found, frame);
    }
}

/// Returns for each parameter the pattern that takes it apart, if any.
fn parameter_patterns<'t>(b: &FileBuilder<'_>, node: Node<'t>) -> Vec<Option<Node<'t>>> {
    let Some(all) = node.child_by_field_id(b.grammar.fields.parameters) else {
        return Vec::new();
    };
    let mut cursor = all.walk();
    let patterns = all.named_children(&mut cursor);
    patterns
        .filter(|one| b.grammar.kind(*one) != Kind::Comment)
        .map(|one| match b.grammar.kind(one) {
            Kind::AssignmentPattern => one.child_by_field_id(b.grammar.fields.left),
            _ => Some(one),
        })
        .map(|one| one.filter(|one| b.grammar.kind(*one) == Kind::ObjectPattern))
        .collect()
}

/// Binds the names of a pattern by a type in a comment.
fn typed_pattern(b: &mut FileBuilder<'_>, pattern: Node<'_>, written: &str, frame: &Frame) {
    let members = doc_types::doc_members(b, written);
    if members.is_empty() {
        let found = Some((doc_types::doc_type(b, written), BindingSource::Annotation));
        return bindings::bind_target(b, pattern, found, frame.scope, frame);
    }
    for (key, found) in members {
        patterns::bind_pattern_member(b, pattern, &key, found, frame);
    }
}

/// Records the types that a comment defines: `@typedef`, `@import`.
fn type_definitions(b: &mut FileBuilder<'_>, comment: Node<'_>) {
    let text = b.text(comment);
    let wanted = b.grammar.untyped
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
        b.scopes.bind(name, 0, false);
        if let Some((module, imported)) = import_of(written.trim()) {
            add_doc_import(b, module, &[(imported, name)], line);
            continue;
        }
        let path = b.path(&[name]);
        if let Some(found) = doc_types::doc_type(b, written) {
            define_alias(b, path, found);
        }
        for (key, found) in doc_types::doc_members(b, written) {
            let key = b.slot(&key);
            let path = b.exprs.arena.path(path, key);
            b.annotate(ValueOwner::Member(None, path), found, &top);
        }
        let after = after.split("@typedef").next().unwrap_or(after);
        for tag in ["@property", "@prop"] {
            for (written, rest) in tags(after, tag) {
                let member = rest.trim_start().trim_start_matches('[');
                let end = member
                    .find(|c: char| !is_import_name(c))
                    .unwrap_or(member.len());
                let key = b.slot(&member[..end]);
                let path = b.exprs.arena.path(path, key);
                let found = doc_types::doc_type(b, written);
                b.annotate(ValueOwner::Member(None, path), found, &top);
            }
        }
    }
    for part in text.split("@import ").skip(1) {
        import_tag(b, part, line);
    }
}

/// `@typedef {A} B`: `B` is a name for `A`.
fn define_alias(b: &mut FileBuilder<'_>, path: PathId, found: ExprId) {
    let path = match b.exprs.start(found) {
        // Its members are those of the type.
        Start::Type if b.exprs.is_base(found) => {
            let slot = Slot::Base(BaseKind::Extends);
            b.exprs.arena.path(path, slot)
        }
        _ => path,
    };
    let found = b.exprs.bases(found);
    let owner = ValueOwner::Member(None, path);
    b.annotate(owner, Some(found), &Frame::top());
}

/// Adds imports for the modules that types in a comment name: `@param {import('./a').A} a`.
fn inline_imports(b: &mut FileBuilder<'_>, comment: Node<'_>) {
    let text = b.text(comment);
    let wanted = b.grammar.untyped
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
        let is_known = |module: &str| b.imports.iter().any(|it| it.specifier == module);
        if let Some(module) = module.filter(|it| in_type(&text[..at]) && !is_known(it)) {
            add_doc_import(b, module, &[], line);
        }
    }
}

/// `{ A, B as C } from 'm'`, `* as ns from 'm'`, `D from 'm'`
fn import_tag<'a>(b: &mut FileBuilder<'a>, text: &'a str, line: u32) {
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
            b.scopes.bind(local, 0, false);
            found.push((imported, local));
        }
    }
    add_doc_import(b, module.unwrap_or_default(), &found, line);
}

/// Adds the import of a module by a comment.
pub(super) fn add_doc_import(
    b: &mut FileBuilder<'_>,
    module: &str,
    names: &[(&str, &str)],
    line: u32,
) {
    let names = names
        .iter()
        .map(|&(imported, local)| ImportedName {
            imported: imported.to_owned(),
            local: local.to_owned(),
            type_only: true,
        })
        .collect();
    b.add_import(module, ImportKind::TypeQuery, line, names);
}

/// Whether the text after `before` is inside the `{type}` of a tag.
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
