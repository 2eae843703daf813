//! Where the value of an expression comes from.
//!
//! Knows calls, members, elements, casts and the operators that pick one of two values. Refuses to know
//! what a name is bound to: that is settled when the whole file was seen.

use tree_sitter::Node;

use super::kinds::Kind;
use super::types::is_holder;
use super::uses::is_chain;
use super::walk::Walk;
use crate::ir::{ExprId, ImportKind};

/// Steps from an expression to the name it begins with.
const ORIGIN_DEPTH: usize = 64;

/// Calls that return what they are given, or as many of the same.
const HANDS_ON: &[&str] = &[
    "Object.freeze",
    "Object.values",
    "Array.from",
    "Promise.all",
    "Promise.resolve",
];

impl Walk<'_> {
    /// Returns where a value comes from; `None` where that is no name.
    pub(super) fn origin(&mut self, value: Node<'_>) -> Option<ExprId> {
        self.origin_at(value, 0)
    }

    fn origin_at(&mut self, node: Node<'_>, depth: usize) -> Option<ExprId> {
        if depth > ORIGIN_DEPTH {
            return None;
        }
        let depth = depth + 1;
        let fields = self.grammar.fields;
        let field = |id: u16| node.child_by_field_id(id);
        match self.grammar.kind(node) {
            Kind::Identifier | Kind::This => Some(self.exprs.name(self.text(node))),
            Kind::MemberExpression => {
                let text = self.text(node);
                if is_chain(text) {
                    return Some(self.exprs.chain(text));
                }
                let property = field(fields.property)?;
                let object = self.origin_at(node.child(0)?, depth)?;
                Some(self.exprs.member(object, self.text(property)))
            }
            Kind::Subscript => {
                let object = self.origin_at(node.child(0)?, depth)?;
                self.indexed(object, node.named_child(1)?)
            }
            Kind::CallExpression => {
                if let Some((kind, module, _)) = self.module_call(node) {
                    let is_value = matches!(kind, ImportKind::Require | ImportKind::Dynamic);
                    return is_value.then(|| self.types().imported("*", module));
                }
                let callee = node.child(0)?;
                if HANDS_ON.contains(&self.text(callee)) {
                    let arguments = field(fields.arguments)?;
                    return self.origin_at(arguments.named_child(0)?, depth);
                }
                let callee = self.origin_at(callee, depth)?;
                let (types, args) = self.given_to_call(node);
                Some(self.exprs.call(callee, &types, &args))
            }
            Kind::NewExpression => self.made(node, depth),
            Kind::Parenthesized => {
                if self.grammar.untyped
                    && let Some(written) = self.jsdoc_tag(node.start_byte(), "@type")
                {
                    return self.doc_type(written);
                }
                self.origin_at(node.named_child(0)?, depth)
            }
            Kind::AwaitExpression | Kind::NonNull => self.origin_at(node.named_child(0)?, depth),
            Kind::AsExpression => match node.named_child(1) {
                Some(written) => self.of_type(written),
                // `as const`
                None => self.origin_at(node.named_child(0)?, depth),
            },
            Kind::TypeAssertion => self.of_type(node.named_child(0)?.named_child(0)?),
            Kind::Satisfies => match self.origin_at(node.named_child(0)?, depth) {
                None => self.of_type(node.named_child(1)?),
                found => found,
            },
            Kind::Assignment => self.origin_at(field(fields.right)?, depth),
            Kind::Binary => {
                let operator = self.text(field(fields.operator)?);
                let (left, right) = (field(fields.left)?, field(fields.right)?);
                match operator {
                    "||" | "??" => self.one_of_two(left, right, true, depth),
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
                match self.narrowed(node, yes) {
                    None => self.one_of_two(yes, no, false, depth),
                    found => found,
                }
            }
            _ => None,
        }
    }

    /// `object[index]`
    fn indexed(&mut self, object: ExprId, index: Node<'_>) -> Option<ExprId> {
        match self.literal(index) {
            Some(name) if is_chain(name) && !name.contains('.') => {
                Some(self.exprs.member(object, name))
            }
            Some(_) => None,
            // A constant may be the key of one member: that is seen when all names are.
            None if self.grammar.kind(index) == Kind::Identifier => {
                let key = self.exprs.arena.name(self.text(index));
                Some(self.exprs.keyed(object, key))
            }
            None => Some(self.exprs.element(object)),
        }
    }

    /// `new Class<Given>(…)`
    fn made(&mut self, node: Node<'_>, depth: usize) -> Option<ExprId> {
        let fields = self.grammar.fields;
        let class = node.child_by_field_id(fields.constructor)?;
        let given = node.child_by_field_id(fields.type_arguments);
        let text = self.text(class);
        // `new Map<K, V>()` is what the type says, where no class of that name was seen.
        if let Some(given) = given
            && is_holder(text)
            && self.scopes.number(text).is_none()
        {
            return self.types().generic(text, given, 0);
        }
        let of = self.origin_at(class, depth)?;
        let given = given.filter(|_| is_chain(text));
        let given = given.map_or_else(Vec::new, |given| self.types().given(given, 0));
        let of = self.exprs.specialized(of, &given);
        Some(self.exprs.construct(of))
    }

    /// One of two values: what both are, the one beside nothing, or the second where that is `made` when
    /// the first is missing.
    fn one_of_two(
        &mut self,
        left: Node<'_>,
        right: Node<'_>,
        made: bool,
        depth: usize,
    ) -> Option<ExprId> {
        let (one, other) = (self.origin_at(left, depth), self.origin_at(right, depth));
        match (one, other) {
            (_, Some(new)) if made && self.exprs.is_new(new) => Some(new),
            (Some(one), Some(other)) => Some(self.exprs.either([one, other])),
            (Some(one), None) if self.is_stand_in(right) => Some(one),
            (None, Some(other)) if self.is_stand_in(left) => Some(other),
            _ => None,
        }
    }

    /// `a instanceof A ? a : …`: both are an `A`.
    fn narrowed(&mut self, ternary: Node<'_>, yes: Node<'_>) -> Option<ExprId> {
        let test = self.text(ternary.named_child(0)?);
        let (value, class) = test.split_once(" instanceof ")?;
        let class = class.trim();
        (value.trim() == self.text(yes) && is_chain(class)).then(|| {
            let class = self.exprs.chain(class);
            self.exprs.instance(class)
        })
    }

    /// Returns whether a value is none: `null`, `undefined`, `void 0`.
    pub(super) fn is_nothing(&self, node: Node<'_>) -> bool {
        matches!(self.grammar.kind(node), Kind::Null | Kind::Undefined)
            || matches!(self.text(node), "void 0" | "false")
    }

    /// Returns whether a value stands in for one that is missing.
    fn is_stand_in(&self, node: Node<'_>) -> bool {
        self.is_nothing(node) || matches!(self.text(node), "{}" | "[]")
    }
}
