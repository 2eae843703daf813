//! Types in doc comments, read by the grammar of TypeScript.
//!
//! Knows the marks that these have beside it. Refuses to know the tags that they stand behind.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tree_sitter::{Node, Tree};

use super::imports::import_of;
use super::kinds::{Dialect, Grammar, Kind};
use super::types::Types;
use super::uses::is_chain;
use super::walk::Walk;
use crate::ir::{ContainerKind, ExprId};
use crate::model::Budget;
use crate::syntax::parse::{Parsed, parse};

/// Longest type that is parsed.
const TYPE_BYTES: usize = 8_000;
/// What stands before a type, so that it is one.
const ALIAS: &str = "type _ = ";

/// A type with its tree.
struct DocType {
    source: String,
    tree: Tree,
}

impl DocType {
    fn parse(text: &str) -> Option<Self> {
        if text.len() > TYPE_BYTES {
            return None;
        }
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
        // What ends is the budget of a file, between its nodes.
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

impl Walk<'_> {
    fn read_doc(&mut self, doc: &DocType, node: Node<'_>) -> Option<ExprId> {
        let mut types = Types {
            grammar: Grammar::of(Dialect::TypeScript),
            source: &doc.source,
            exprs: &mut self.exprs,
            modules: &mut self.modules,
        };
        (!node.has_error()).then(|| types.read(node, 0))?
    }

    /// Returns what a type in a comment says; `None` where that is nothing with a name.
    pub(super) fn doc_type(&mut self, text: &str) -> Option<ExprId> {
        if let Some(known) = self.doc_types.get(text) {
            return *known;
        }
        let found = self.new_doc_type(text);
        self.doc_types.insert(text.to_owned(), found);
        found
    }

    fn new_doc_type(&mut self, text: &str) -> Option<ExprId> {
        let text = text.trim();
        if let Some(each) = text.strip_prefix("...") {
            let element = self.doc_type(each)?;
            return self.exprs.container(ContainerKind::Sequence, element);
        }
        // `!T`, `?T` and `T=`
        let text = text.trim_start_matches(['!', '?']);
        let text = text.trim_end_matches(['=', '!', '?']);
        if let Some((module, name)) = import_of(text) {
            return Some(self.types().imported(name, module));
        }
        let doc = DocType::parse(text)?;
        // A mark that the grammar does not know may have made something else of the rest.
        let root = doc.tree.root_node();
        let is_whole = !root.has_error() && root.named_child_count() == 1;
        let value = doc.value().filter(|_| is_whole)?;
        self.read_doc(&doc, value)
    }

    /// Returns the members of the literal types in an intersection, each with what its type says.
    pub(super) fn doc_members(&mut self, text: &str) -> Vec<(String, Option<ExprId>)> {
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
            is_chain(key).then(|| (key.to_owned(), self.read_doc(&doc, written)))
        });
        members.collect()
    }
}
