//! What is written about names by assigning to them.
//!
//! Knows members of `this`, of objects of the file and of prototypes, and names themselves. Refuses to define
//! anything: that is done where the assignment is read for what it defines.

use tree_sitter::Node;

use super::commonjs::is_path;
use super::hints::{Owner, Rank};
use super::kinds::Kind;
use super::walk::{Frame, Outer, Walk, span_of};
use super::worth::Worth;
use crate::ir::{BaseKind, Expr, Slot};

impl<'a> Walk<'a> {
    /// `a = …`, `this.a = …`, `A.prototype.a = …`
    pub(super) fn assigned(
        &mut self,
        node: Node<'_>,
        worth: Worth<'_>,
        outer: &Outer,
        frame: &Frame,
    ) {
        let Some((left, right)) = self.sides(node) else {
            return;
        };
        if matches!(worth, Worth::Function(_) | Worth::Class(_)) {
            return;
        }
        let text = self.text(left);
        if let Some(key) = self.own_key(left)
            && let Some(symbol) = self.instance(frame.symbol)
        {
            return self.assign_hint(Owner::This(symbol, key), right, outer, frame);
        }
        if !is_path(text) {
            return;
        }
        let Some((object, name)) = text.rsplit_once('.') else {
            if self.grammar.kind(left) == Kind::Identifier {
                self.assign_hint(Owner::Assigned(text, frame.scope), right, outer, frame);
            }
            return;
        };
        if name == "prototype" {
            return self.assign_prototype(object, right, frame);
        }
        let (object, name) = match object.strip_suffix(".prototype") {
            Some(class) => (class, name),
            None => (object, name),
        };
        if object == "this" {
            if let Some(symbol) = self.instance(frame.symbol) {
                let name = self.slot(name);
                self.assign_hint(Owner::This(symbol, name), right, outer, frame);
            }
            return;
        }
        let mut names = object.split('.').chain([name]);
        let root = names.next().unwrap_or_default();
        if let Some(&symbol) = self.tops.get(root) {
            let path = self.path(&names.collect::<Vec<_>>());
            self.assign_hint(Owner::Member(Some(symbol), path), right, outer, frame);
        }
    }

    /// Returns the `[key]` of `this[key]`.
    fn own_key(&mut self, left: Node<'_>) -> Option<Slot> {
        let is_own = self.grammar.kind(left) == Kind::Subscript
            && self.grammar.kind(left.child(0)?) == Kind::This
            && self.grammar.kind(left.named_child(1)?) == Kind::Identifier;
        let key = left.named_child(1)?;
        is_own.then(|| Slot::Key(self.exprs.arena.name(self.text(key))))
    }

    /// `({ a, b: c } = …)`; returns whether it is that.
    pub(super) fn assigned_pattern(&mut self, node: Node<'_>, frame: &Frame) -> bool {
        let Some((left, right)) = self.sides(node) else {
            return false;
        };
        if self.grammar.kind(left) != Kind::ObjectPattern {
            return false;
        }
        if let Some(origin) = self.origin(right) {
            let owner = |name| Owner::Assigned(name, frame.scope);
            self.pattern_hints(left, origin, Rank::Assigned, owner, frame);
        }
        true
    }

    /// `a ??= …`, `this.a ||= …`
    pub(super) fn filled_in(&mut self, node: Node<'_>, frame: &Frame) {
        let operator = node.child_by_field_id(self.grammar.fields.operator);
        let right = node.child_by_field_id(self.grammar.fields.right);
        if let (Some(operator), Some(right)) = (operator, right)
            && matches!(self.text(operator), "??=" | "||=" | "&&=")
        {
            let outer = Outer {
                span: span_of(node),
                ..Outer::default()
            };
            self.assigned(node, self.worth(right), &outer, frame);
        }
    }

    /// Returns the left and the right side of an assignment.
    pub(super) fn sides<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        let fields = &self.grammar.fields;
        let left = node.child_by_field_id(fields.left)?;
        Some((left, node.child_by_field_id(fields.right)?))
    }

    fn assign_hint(&mut self, owner: Owner<'a>, right: Node<'_>, outer: &Outer, frame: &Frame) {
        let found = self.written(None, Some(right), outer.span.start_byte as usize);
        if let Some((origin, rank)) = found {
            let rank = rank.max(if rank == Rank::Written {
                Rank::Written
            } else {
                Rank::Assigned
            });
            self.hint(owner, origin, rank, frame);
        }
    }

    /// `A.prototype = Object.create(B.prototype)`, `A.prototype = new B()`
    fn assign_prototype(&mut self, class: &str, right: Node<'_>, frame: &Frame) {
        let Some(&symbol) = self.tops.get(class) else {
            return;
        };
        let text = self.text(right);
        let base = match self.grammar.kind(right) {
            Kind::CallExpression => text
                .strip_prefix("Object.create(")
                .and_then(|rest| rest.split([',', ')']).next())
                .and_then(|base| base.trim().strip_suffix(".prototype")),
            _ => None,
        };
        let found = if let Some(base) = base {
            Some(self.exprs.chain(base))
        } else {
            let made = self.origin(right);
            let made = made.filter(|made| self.exprs.is_new(*made));
            made.and_then(|made| match *self.exprs.get(made) {
                Expr::Construct { class } => Some(class),
                _ => None,
            })
        };
        self.built_on(found, BaseKind::Extends, Some(symbol), frame);
    }

    /// `util.inherits(A, B)`, `Object.setPrototypeOf(A.prototype, B.prototype)`
    pub(super) fn inherited(&mut self, call: Node<'_>, frame: &Frame) {
        let Some(callee) = call.child(0) else { return };
        if !matches!(
            self.text(callee),
            "inherits" | "util.inherits" | "Object.setPrototypeOf"
        ) {
            return;
        }
        let arguments = call.child_by_field_id(self.grammar.fields.arguments);
        let plain = |at: u32| {
            let node = arguments?.named_child(at)?;
            let text = self.text(node);
            let text = text.strip_suffix(".prototype").unwrap_or(text);
            is_path(text).then_some(text)
        };
        if let (Some(class), Some(base)) = (plain(0), plain(1))
            && let Some(&symbol) = self.tops.get(class)
        {
            let found = Some(self.exprs.chain(base));
            self.built_on(found, BaseKind::Extends, Some(symbol), frame);
        }
    }
}
