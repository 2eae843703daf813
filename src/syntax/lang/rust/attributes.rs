//! Attributes that name functions: `#[serde(skip_serializing_if = "is_zero")]`, `#[arg(value_parser = parse_level)]`.

use std::ops::ControlFlow;

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use super::records::Item;
use crate::ir::{ReferenceKind, Target};
use crate::syntax::lang::tree_walk::each_node;

/// Keys of attributes whose text is the path of a function, beside those that end in `_with`.
const PATH_KEYS: &[&str] = &["default", "getter", "skip_serializing_if"];

impl Lowering<'_> {
    /// Records the uses of the functions that attributes of a type name: `#[serde(skip_serializing_if = "is_zero")]`.
    pub(super) fn use_attributes(&mut self, item: &Item<'_>) {
        let mut attributes: Vec<Node<'_>> = item
            .attributes
            .iter()
            .filter_map(|it| self.child_of(*it, Kind::Attribute))
            .collect();
        each_node(item.node, |node| {
            let is_attribute = self.kind(node) == Kind::Attribute;
            attributes.extend(is_attribute.then_some(node));
            ControlFlow::<(), bool>::Continue(!is_attribute)
        });
        for attribute in attributes {
            if let Some(arguments) = self.child_of(attribute, Kind::TokenTree) {
                self.attribute_arguments(arguments);
            }
        }
    }

    fn attribute_arguments(&mut self, arguments: Node<'_>) {
        let mut cursor = arguments.walk();
        let tokens: Vec<Node<'_>> = arguments.children(&mut cursor).collect();
        for (at, token) in tokens.iter().enumerate() {
            if self.kind(*token) == Kind::TokenTree {
                self.deeper(|this| this.attribute_arguments(*token));
            }
            let [key, sign, value, ..] = &tokens[at..] else {
                continue;
            };
            if sign.kind() != "=" {
                continue;
            }
            let key = self.text(*key);
            match self.kind(*value) {
                Kind::StringLiteral => self.named_in_text(key, *value),
                Kind::RawString => {}
                _ => {
                    // `value_parser = parse_level`
                    let end = tokens[at + 2..].iter().take_while(|it| it.kind() != ",");
                    let end = end.filter(|it| it.kind() != ")").last();
                    let end = end.map_or(value.end_byte(), Node::end_byte);
                    self.parsed(arguments, value.start_byte()..end);
                }
            }
        }
    }

    /// Records the use of the path in the text of an attribute, where the key says that it is one: a function, or for `with` a module
    /// that has `serialize` and `deserialize`.
    fn named_in_text(&mut self, key: &str, literal: Node<'_>) {
        let is_path = key == "with" || PATH_KEYS.contains(&key) || key.ends_with("_with");
        let Some(content) = self.child_of(literal, Kind::StringContent) else {
            return;
        };
        let text = self.text(content);
        let mut parts = text.split("::");
        let is_name = |part: &str| {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            part.starts_with(|c: char| c.is_alphabetic() || c == '_') && part.chars().all(is_word)
        };
        if !is_path || !parts.all(is_name) {
            return;
        }
        self.parsed(literal, content.byte_range());
        if key != "with" {
            return;
        }
        let mut receiver = self.unknown;
        for (at, part) in text.split("::").enumerate() {
            let part = format!("{part}::");
            receiver = if at == 0 {
                self.module_name(&part)
            } else {
                self.member_of(receiver, &part)
            };
        }
        for name in ["serialize", "deserialize"] {
            let target = Target::Member {
                receiver,
                is_inferred: false,
            };
            self.push_named_use(content.end_byte(), name, target, ReferenceKind::Value);
        }
    }
}
