//! Where the value of an expression comes from.
//!
//! Knows calls, members, elements, casts and the operators that pick one of two values. Refuses to know
//! what a name is bound to: that is settled when the whole file was seen.

use std::borrow::Cow;

use tree_sitter::Node;

use super::kinds::Kind;
use super::types::{Origin, of_type};
use super::uses::{is_chain, plain_receiver};
use super::walk::Walk;
use crate::model::{HintKind, ImportKind};

/// Steps from an expression to the name it begins with.
const ORIGIN_DEPTH: usize = 8;

/// Calls that return what they are given, or as many of the same.
const HANDS_ON: &[&str] = &[
    "Object.freeze",
    "Object.values",
    "Array.from",
    "Promise.all",
    "Promise.resolve",
];

impl<'a> Walk<'a> {
    /// Returns where a value comes from; `None` where that is no name.
    pub(super) fn origin(&self, value: Node<'_>) -> Option<Origin<'a>> {
        self.origin_at(value, 0)
    }

    fn origin_at(&self, node: Node<'_>, depth: usize) -> Option<Origin<'a>> {
        if depth > ORIGIN_DEPTH {
            return None;
        }
        let depth = depth + 1;
        let fields = &self.grammar.fields;
        let field = |id: u16| node.child_by_field_id(id);
        match self.grammar.kind(node) {
            Kind::Identifier | Kind::This => Some(Origin::new(HintKind::Value, self.text(node))),
            Kind::MemberExpression => {
                let text = self.text(node);
                if is_chain(text) {
                    return Some(Origin::new(HintKind::Value, plain(text)));
                }
                let property = field(fields.property)?;
                let object = self.origin_at(node.child(0)?, depth)?;
                Some(object.then(self.text(property)))
            }
            Kind::Subscript => {
                let object = self.origin_at(node.child(0)?, depth)?;
                let index = node.named_child(1)?;
                match self.literal(index) {
                    Some(name) if is_chain(name) && !name.contains('.') => Some(object.then(name)),
                    Some(_) => None,
                    None => Some(object.then("[]")),
                }
            }
            Kind::CallExpression => {
                if let Some((kind, module, _)) = self.module_call(node) {
                    let is_value = matches!(kind, ImportKind::Require | ImportKind::Dynamic);
                    return is_value.then(|| Origin::import("*", module));
                }
                let callee = node.child(0)?;
                if HANDS_ON.contains(&self.text(callee)) {
                    let arguments = field(fields.arguments)?;
                    return self.origin_at(arguments.named_child(0)?, depth);
                }
                Some(self.origin_at(callee, depth)?.then("()"))
            }
            Kind::NewExpression => {
                let class = self.text(field(fields.constructor)?);
                is_chain(class).then(|| Origin::new(HintKind::New, plain(class)))
            }
            Kind::Parenthesized => {
                if self.grammar.untyped
                    && let Some(written) = self.jsdoc_tag(node.start_byte(), "@type")
                {
                    return of_type(written);
                }
                self.origin_at(node.named_child(0)?, depth)
            }
            Kind::AwaitExpression | Kind::NonNull => self.origin_at(node.named_child(0)?, depth),
            Kind::AsExpression => match node.named_child(1) {
                Some(written) => of_type(self.text(written)),
                // `as const`
                None => self.origin_at(node.named_child(0)?, depth),
            },
            Kind::Satisfies => self
                .origin_at(node.named_child(0)?, depth)
                .or_else(|| of_type(self.text(node.named_child(1)?))),
            Kind::Assignment => self.origin_at(field(fields.right)?, depth),
            Kind::Binary => {
                let operator = self.text(field(fields.operator)?);
                let (left, right) = (field(fields.left)?, field(fields.right)?);
                match operator {
                    "||" | "??" => self.either(left, right, true, depth),
                    "&&" => self.origin_at(right, depth),
                    _ => None,
                }
            }
            Kind::Ternary => {
                let count = u32::try_from(node.named_child_count()).ok()?;
                let (yes, no) = (
                    node.named_child(count.checked_sub(2)?)?,
                    node.named_child(count.checked_sub(1)?)?,
                );
                self.either(yes, no, false, depth)
            }
            _ => None,
        }
    }

    /// One of two values: what both are, the one beside nothing, or the second where that is `made` when
    /// the first is missing.
    fn either(
        &self,
        left: Node<'_>,
        right: Node<'_>,
        made: bool,
        depth: usize,
    ) -> Option<Origin<'a>> {
        let (one, other) = (self.origin_at(left, depth), self.origin_at(right, depth));
        match (one, other) {
            (Some(one), Some(other)) if one == other => Some(one),
            (_, Some(new)) if made && new.kind == HintKind::New && !new.has_steps() => Some(new),
            (Some(one), None) if self.is_nothing(right) => Some(one),
            (None, Some(other)) if self.is_nothing(left) => Some(other),
            _ => None,
        }
    }

    /// Returns whether a value is none: `null`, `undefined`, `void 0`.
    pub(super) fn is_nothing(&self, node: Node<'_>) -> bool {
        matches!(self.grammar.kind(node), Kind::Null | Kind::Undefined)
            || matches!(self.text(node), "void 0" | "false")
    }
}

fn plain(text: &str) -> Cow<'_, str> {
    if text.contains(['?', '!']) {
        plain_receiver(text).into()
    } else {
        text.into()
    }
}
