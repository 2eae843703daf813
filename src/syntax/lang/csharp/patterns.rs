//! Patterns, and the variables that they bind.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use crate::ir::{Expr, ExprId, ReferenceKind, Target};

impl<'t> Lowering<'t> {
    /// Records the uses in a pattern that `subject` is compared with.
    pub(super) fn walk_pattern(&mut self, node: Node<'t>, subject: ExprId) {
        let fields = self.grammar.fields;
        let type_ = self.field(node, fields.type_);
        let name = self.field(node, fields.name);
        match self.kind(node) {
            Kind::DeclarationPattern | Kind::TypePattern | Kind::RecursivePattern => {
                let mut value = subject;
                if let Some(type_) = type_ {
                    self.use_type(type_, ReferenceKind::Type);
                    if self.kind(type_) != Kind::ImplicitType {
                        value = self.lower_type(type_);
                    }
                }
                if let Some(name) = name {
                    self.locals.bind(self.name_text(name), value);
                }
                for child in self.children(node) {
                    match self.kind(child) {
                        Kind::PropertyPattern => self.walk_subpatterns(child, value),
                        Kind::PositionalPattern => {
                            for inner in self.children(child) {
                                self.walk_subpattern(inner, self.unknown, false);
                            }
                        }
                        Kind::ParenthesizedDesignation => self.bind_designation(child, value),
                        _ => {}
                    }
                }
            }
            Kind::VarPattern => {
                if let Some(name) = name {
                    self.locals.bind(self.name_text(name), subject);
                }
                if let Some(names) = self.child_of(node, Kind::ParenthesizedDesignation) {
                    self.bind_designation(names, subject);
                }
            }
            Kind::ConstantPattern => {
                for child in self.children(node) {
                    self.walk_constant(child);
                }
            }
            Kind::ListPattern => {
                let element = self.element(subject);
                for child in self.children(node) {
                    if Some(child) != name {
                        self.walk_pattern(child, element);
                    }
                }
                if let Some(name) = name {
                    self.locals.bind(self.name_text(name), subject);
                }
            }
            Kind::Discard => {}
            Kind::Subpattern => self.walk_subpattern(node, subject, true),
            _ if is_pattern(node) => {
                for child in self.children(node) {
                    self.walk_pattern(child, subject);
                }
            }
            _ => self.walk(node),
        }
    }

    /// `case Kind.Open:`; a type without a name for the value looks like a constant.
    fn walk_constant(&mut self, node: Node<'t>) {
        if self.kind(node) != Kind::Identifier || self.locals.get(self.name_text(node)).is_some() {
            self.walk(node);
            return;
        }
        let constant = self.name(self.name_text(node));
        self.push_use(node, Target::Value(constant), ReferenceKind::Value);
    }

    /// `{ Name: pattern, … }`
    fn walk_subpatterns(&mut self, node: Node<'t>, object: ExprId) {
        for child in self.children(node) {
            self.walk_subpattern(child, object, true);
        }
    }

    /// One of them. The name is that of a member, where the pattern is one of properties.
    fn walk_subpattern(&mut self, node: Node<'t>, object: ExprId, has_members: bool) {
        if self.kind(node) != Kind::Subpattern {
            self.walk_pattern(node, self.unknown);
            return;
        }
        let children = self.children(node);
        let (named, pattern) = match children.as_slice() {
            [named, pattern] => (Some(*named), *pattern),
            [pattern] => (None, *pattern),
            _ => return,
        };
        let mut value = self.unknown;
        if let Some(named) = named.filter(|_| has_members && object != self.unknown) {
            value = self.use_path(named, object);
        }
        self.walk_pattern(pattern, value);
    }

    /// Records the uses in `Owner.Name`, a path from an object on; returns its value.
    fn use_path(&mut self, node: Node<'t>, object: ExprId) -> ExprId {
        let (receiver, name) = match self.split_access(node) {
            Some((before, name)) => (self.use_path(before, object), name),
            None => (object, node),
        };
        if self.kind(name) != Kind::Identifier || receiver == self.unknown {
            return self.unknown;
        }
        let target = Target::Member {
            receiver,
            is_inferred: true,
        };
        self.push_use(name, target, ReferenceKind::Value);
        self.member_of(receiver, self.name_text(name))
    }

    /// Binds the names of `(a, b)` to the items of a value.
    pub(super) fn bind_designation(&mut self, node: Node<'t>, value: ExprId) {
        let mut index: u8 = 0;
        for child in self.children(node) {
            let item = if value == self.unknown {
                value
            } else {
                self.add(Expr::Item {
                    object: value,
                    index,
                })
            };
            match self.kind(child) {
                Kind::Identifier => self.locals.bind(self.name_text(child), item),
                Kind::ParenthesizedDesignation | Kind::TuplePattern => {
                    self.bind_designation(child, item);
                }
                _ => {}
            }
            index = index.saturating_add(1);
        }
    }
}

fn is_pattern(node: Node<'_>) -> bool {
    node.kind().ends_with("_pattern")
}
