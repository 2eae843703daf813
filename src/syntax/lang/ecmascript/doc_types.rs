//! Types in doc comments, `@type {Map<string, Job>}`: parsed as `type _ = …` and lowered by `lower_type`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tree_sitter::{Node, Tree};

use super::builder::FileBuilder;
use super::kinds::{Dialect, Grammar, Kind};
use super::lower_type::{self, Types};
use super::names::{import_of, is_chain};
use crate::ir::{ContainerKind, ExprId};
use crate::model::Budget;
use crate::syntax::parse::{Parsed, parse};

/// Makes a type a statement that the grammar parses.
const ALIAS: &str = "type _ = ";

/// Longest comment that is read for types.
pub(super) const COMMENT_BYTES: usize = 16_000;

/// A type with its tree.
struct DocType {
    source: String,
    tree: Tree,
}

impl DocType {
    fn parse(text: &str) -> Option<Self> {
        let mut source = ALIAS.to_owned();
        for (at, line) in text.lines().enumerate() {
            // Lines of a comment begin with a star.
            let line = line.trim();
            let line = line.strip_prefix('*').filter(|_| at > 0).unwrap_or(line);
            source.push_str(line);
            source.push('\n');
        }
        // `Array.<T>`
        let source = source.replace(".<", "<");
        // The budget of the file is looked at between its nodes.
        let budget = Budget::unlimited(Arc::new(AtomicBool::new(false)));
        match parse(&Grammar::of(Dialect::TypeScript).language, &source, &budget) {
            Parsed::Tree(tree) => Some(Self { source, tree }),
            Parsed::TooHard | Parsed::Ended => None,
        }
    }

    fn value(&self) -> Option<Node<'_>> {
        let alias = self.tree.root_node().named_child(0)?;
        alias.child_by_field_id(Grammar::of(Dialect::TypeScript).fields.value)
    }
}

fn read_doc(b: &mut FileBuilder<'_>, doc: &DocType, node: Node<'_>) -> Option<ExprId> {
    let mut types = Types {
        grammar: Grammar::of(Dialect::TypeScript),
        source: &doc.source,
        exprs: &mut b.exprs,
        modules: &mut b.modules,
    };
    (!node.has_error()).then(|| types.read(node, 0))?
}

/// Lowers the text of a type in a comment; `None` where it names no type.
pub(super) fn doc_type(b: &mut FileBuilder<'_>, text: &str) -> Option<ExprId> {
    if let Some(known) = b.doc_types.get(text) {
        return *known;
    }
    let found = new_doc_type(b, text);
    b.doc_types.insert(text.to_owned(), found);
    found
}

fn new_doc_type(b: &mut FileBuilder<'_>, text: &str) -> Option<ExprId> {
    let text = text.trim();
    if let Some(each) = text.strip_prefix("...") {
        let element = doc_type(b, each)?;
        return b.exprs.container(ContainerKind::Sequence, element);
    }
    // `!T`, `?T` and `T=`
    let text = text.trim_start_matches(['!', '?']);
    let text = text.trim_end_matches(['=', '!', '?']);
    if let Some((module, name)) = import_of(text) {
        return Some(lower_type::types(b).imported(name, module));
    }
    let doc = DocType::parse(text)?;
    // A mark that the grammar does not know may have made something else of the rest.
    let root = doc.tree.root_node();
    let is_whole = !root.has_error() && root.named_child_count() == 1;
    let value = doc.value().filter(|_| is_whole)?;
    read_doc(b, &doc, value)
}

/// The members of the object types in an intersection, each with its lowered type.
pub(super) fn doc_members(b: &mut FileBuilder<'_>, text: &str) -> Vec<(String, Option<ExprId>)> {
    let Some(doc) = text.contains('{').then(|| DocType::parse(text)).flatten() else {
        return Vec::new();
    };
    let grammar = Grammar::of(Dialect::TypeScript);
    let (mut members, mut open) = (Vec::new(), Vec::from_iter(doc.value()));
    while let Some(node) = open.pop() {
        let mut cursor = node.walk();
        let inside: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        match grammar.kind(node) {
            Kind::IntersectionType | Kind::ParenthesizedType => {
                open.extend(inside.into_iter().rev());
            }
            Kind::ObjectType => members.extend(inside),
            _ => {}
        }
    }
    let fields = &grammar.fields;
    let members = members.into_iter().filter_map(|member| {
        let key = member.child_by_field_id(fields.name)?;
        let written = member.child_by_field_id(fields.type_)?;
        let key = doc.source[key.byte_range()].trim_matches(['"', '\'']);
        is_chain(key).then(|| (key.to_owned(), read_doc(b, &doc, written)))
    });
    members.collect()
}

/// Returns the doc comment that ends right before a byte.
pub(super) fn doc_before<'a>(b: &FileBuilder<'a>, start: usize) -> Option<&'a str> {
    let before = b.source.get(..start)?.trim_end();
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

/// Returns the type behind `@type` of the doc comment that ends right before a byte.
pub(super) fn type_tag<'a>(b: &FileBuilder<'a>, start: usize) -> Option<&'a str> {
    let text = doc_before(b, start)?;
    let (_, behind) = text.split_once("@type")?;
    typed(behind).map(|(written, _)| written)
}

/// Returns each `{type}` behind a tag with the text after it.
pub(super) fn tags<'t>(text: &'t str, tag: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
    text.match_indices(tag)
        .filter_map(move |(at, _)| typed(&text[at + tag.len()..]))
}

/// Returns the `{type}` that a text begins with, and the text after it.
pub(super) fn typed(text: &str) -> Option<(&str, &str)> {
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
