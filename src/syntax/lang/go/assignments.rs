//! Functions that are assigned to fields and variables, which calls of these may run: `server.handle = open`,
//! `Server{handle: open}`, `var handle = open`.
//!
//! Only a name or a member can be a function that is known by name; whether it is one, `link` finds out when it is asked.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use crate::ir::{Expr, ExprId, Slot};

impl<'t> Lowering<'t> {
    /// `a.b, c.d = e, f`
    pub(super) fn assignment(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let sides = (
            node.child_by_field_id(fields.left),
            node.child_by_field_id(fields.right),
        );
        let (Some(left), Some(right)) = sides else {
            return;
        };
        let (left, right) = (self.children(left), self.children(right));
        if left.len() != right.len() {
            return;
        }
        for (to, value) in left.into_iter().zip(right) {
            let is_slot = match self.kind(to) {
                Kind::SelectorExpression => true,
                Kind::Identifier => self.local(self.text(to)).is_none(),
                _ => false,
            };
            if is_slot && self.may_be_function(value) {
                let to = self.lower(to);
                self.assign(to, value);
            }
        }
    }

    /// `Server{handle: open}`
    pub(super) fn keyed_assignment(&mut self, element: Node<'t>, key: Node<'t>, type_: Node<'t>) {
        let value = element.child_by_field_id(self.grammar.fields.value);
        let value = value.and_then(|it| self.children(it).first().copied());
        let name = self.children(key).first().copied();
        if let (Some(name), Some(value)) = (name, value)
            && self.kind(name) == Kind::Identifier
            && self.may_be_function(value)
        {
            let object = self.value_of(type_);
            let to = self.member(object, self.text(name));
            self.assign(to, value);
        }
    }

    /// `var handle = open`
    pub(super) fn initial_assignment(&mut self, spec: Node<'t>) {
        let fields = self.grammar.fields;
        let names = self.in_field(spec, fields.name);
        let Some(list) = spec.child_by_field_id(fields.value) else {
            return;
        };
        for (name, value) in names.into_iter().zip(self.children(list)) {
            if self.may_be_function(value) {
                let to = self.top_name(self.text(name));
                self.assign(to, value);
            }
        }
    }

    fn may_be_function(&self, value: Node<'t>) -> bool {
        match self.kind(value) {
            Kind::SelectorExpression => true,
            Kind::Identifier => !matches!(self.text(value), "_" | "iota"),
            _ => false,
        }
    }

    fn assign(&mut self, to: ExprId, value: Node<'t>) {
        let value = self.lower(value);
        let is_named = |it| {
            let expr = self.facts.exprs.get(it);
            matches!(expr, Expr::Name { .. } | Expr::Member { .. })
        };
        if to != self.unknown && is_named(to) && is_named(value) {
            let pair = self.add(Expr::Tuple([to, value].into()));
            self.bind_slots(self.symbol, &[Slot::Assigned], pair);
        }
    }
}
