//! Patterns: the names that they bind, each with the part of the value that it is.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use super::types::is_type_name;
use crate::ir::{Expr, ExprId, ReferenceKind};

/// Variants of the standard library whose payload the types of the value alone say: `Some(x)` of an `Option<X>`.
const STANDARD_VARIANTS: [&str; 8] = [
    "Some", "Ok", "Err", "Ready", "Break", "Continue", "Borrowed", "Owned",
];

impl Lowering<'_> {
    /// Binds the names of a pattern that is matched with a value.
    pub(super) fn pattern(&mut self, node: Node<'_>, value: ExprId) {
        self.deeper(|this| this.pattern_form(node, value));
    }

    fn pattern_form(&mut self, node: Node<'_>, value: ExprId) {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Identifier => {
                let name = self.text(node);
                if is_type_name(name) {
                    self.path_value(node, ReferenceKind::Value);
                } else {
                    self.bind_local(name, value);
                }
            }
            Kind::SelfWord => self.bind_local("self", value),
            Kind::ShorthandFieldIdentifier => {
                let name = self.text(node);
                self.bind_local(name, value);
            }
            Kind::TuplePattern => {
                for (child, place) in self.places(node) {
                    let item = match place.and_then(|it| u8::try_from(it).ok()) {
                        Some(index) if value != self.unknown => self.add(Expr::Item {
                            object: value,
                            index,
                        }),
                        _ => self.unknown,
                    };
                    self.pattern(child, item);
                }
            }
            Kind::TupleStructPattern => {
                let Some(path) = self.field(node, fields.type_) else {
                    return;
                };
                let of = self.path_value(path, ReferenceKind::Value);
                for (child, place) in self.places(node) {
                    if child == path {
                        continue;
                    }
                    let item = match place {
                        Some(at) => self.payload(path, of, value, &at.to_string()),
                        None => self.unknown,
                    };
                    self.pattern(child, item);
                }
            }
            Kind::StructPattern => {
                let Some(path) = self.field(node, fields.type_) else {
                    return;
                };
                let of = self.path_value(path, ReferenceKind::Value);
                for child in self.children(node) {
                    if self.kind(child) != Kind::FieldPattern {
                        continue;
                    }
                    let Some(name) = self.field(child, fields.name) else {
                        continue;
                    };
                    let item = self.payload(path, of, value, self.text(name));
                    match self.field(child, fields.pattern) {
                        Some(pattern) => self.pattern(pattern, item),
                        None => self.pattern(name, item),
                    }
                }
            }
            Kind::SlicePattern => {
                let element = self.facts.exprs.element_of_known(value);
                for child in self.children(node) {
                    self.pattern(child, element);
                }
            }
            Kind::ScopedIdentifier => {
                self.path_value(node, ReferenceKind::Value);
            }
            Kind::MacroInvocation => {
                self.expr(node);
            }
            Kind::MatchPattern
            | Kind::MutPattern
            | Kind::RefPattern
            | Kind::ReferencePattern
            | Kind::CapturedPattern
            | Kind::OrPattern => {
                let condition = self.field(node, fields.condition);
                for child in self.children(node) {
                    if Some(child) != condition && self.kind(child) != Kind::MutableSpecifier {
                        self.pattern(child, value);
                    }
                }
            }
            _ => {}
        }
    }

    /// The patterns of a tuple or of the parameters of a closure, each with its place: `(_, job)` has one, in place 1. Behind
    /// `..` no place is known.
    pub(super) fn places<'n>(&self, node: Node<'n>) -> Vec<(Node<'n>, Option<u32>)> {
        let mut cursor = node.walk();
        let mut place = Some(0);
        let mut found = Vec::new();
        for child in node.children(&mut cursor) {
            if !child.is_named() {
                // A wildcard is no named node: commas alone tell the places.
                let is_comma = child.kind() == ",";
                place = place.map(|it: u32| it + u32::from(is_comma));
            } else if self.kind(child) == Kind::RemainingFieldPattern {
                place = None;
            } else if !self.kind(child).is_comment() {
                found.push((child, place));
            }
        }
        found
    }

    /// The part of a value that stands at a place of a variant or struct.
    fn payload(&mut self, path: Node<'_>, of: ExprId, value: ExprId, place: &str) -> ExprId {
        let text = self.text(path);
        let last = text.rsplit("::").next().unwrap_or(text);
        if STANDARD_VARIANTS.contains(&last) {
            return self.member_of(value, &format!("{last}({place})"));
        }
        let own = self.member_of(of, place);
        if last == "Self" || value == self.unknown {
            return own;
        }
        // The type arguments of the value say what is in it.
        let by_value = self.member_of(value, &format!("{last}({place})"));
        self.preferred(by_value, own)
    }
}
