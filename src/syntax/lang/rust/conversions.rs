//! Calls of conversions, which name the type that they make and not its function: `text.parse::<Level>()` runs `Level::from_str`, and
//! `row.into()` where a `Store` is expected runs `Store::from`.
//!
//! The type is written in the call, or told by an annotation, a field, a place that is assigned to, or the result of the function
//! around. Which function the type has is found in `link::rust_conversions`.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use crate::ir::{CONVERSIONS, Expr, ExprId, ReferenceKind, Target};

/// Expressions inside of each other in which a conversion is looked for.
const MAX_STEPS: u32 = 16;

/// Methods that give what a `Result` or an `Option` holds.
const UNWRAPPING: [&str; 5] = [
    "expect",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
];

/// Methods whose result holds the same value.
const KEEPING: [&str; 8] = [
    "context",
    "inspect_err",
    "map_err",
    "ok",
    "ok_or",
    "ok_or_else",
    "or_else",
    "with_context",
];

/// A conversion in an expression of a known type: its node, and how often the type is to be unwrapped to be the one that it makes.
type ConversionCall = (usize, u32);

impl Lowering<'_> {
    /// Lowers the body of a function that returns a value of a type.
    pub(super) fn body_of_function(&mut self, body: Node<'_>, returned: ExprId) {
        let outer = std::mem::replace(&mut self.returned, returned);
        self.expect(body, |_| returned);
        self.block(body);
        self.returned = outer;
    }

    /// Notes the type that the conversions in an expression make, where `type_of` is that of the whole.
    pub(super) fn expect(&mut self, node: Node<'_>, type_of: impl FnOnce(&mut Self) -> ExprId) {
        let mut found = Vec::new();
        self.add_conversions(node, 0, 0, &mut found);
        if found.is_empty() {
            return;
        }
        let type_ = type_of(self);
        for (call, n_wrapped) in found {
            let mut made = type_;
            for _ in 0..n_wrapped {
                made = self.call_of(made, "?()");
            }
            if made != self.unknown {
                self.expected.insert(call, made);
            }
        }
    }

    /// Adds the conversions that an expression ends in. `level` is how often the type of the whole is to be unwrapped to be its own; below
    /// 0 where its own is to be.
    fn add_conversions(
        &self,
        node: Node<'_>,
        level: i32,
        depth: u32,
        found: &mut Vec<ConversionCall>,
    ) {
        if depth > MAX_STEPS {
            return;
        }
        let fields = self.grammar.fields;
        let mut go = |inner: Option<Node<'_>>, level: i32| {
            if let Some(inner) = inner {
                self.add_conversions(inner, level, depth + 1, found);
            }
        };
        match self.kind(node) {
            Kind::Try => go(self.children(node).first().copied(), level - 1),
            Kind::Parenthesized => go(self.children(node).first().copied(), level),
            Kind::Block => go(self.tail(node), level),
            Kind::If => {
                go(self.field(node, fields.consequence), level);
                let other = self.field(node, fields.alternative);
                go(
                    other.and_then(|it| self.children(it).last().copied()),
                    level,
                );
            }
            Kind::Match => {
                let body = self.field(node, fields.body);
                for arm in body.map_or_else(Vec::new, |it| self.children(it)) {
                    go(self.field(arm, fields.value), level);
                }
            }
            Kind::Call => {
                let Some(function) = self.field(node, fields.function) else {
                    return;
                };
                let function = match self.kind(function) {
                    Kind::GenericFunction => self.field(function, fields.function),
                    _ => Some(function),
                };
                let Some(function) = function else { return };
                if self.kind(function) == Kind::Identifier {
                    let list = self.field(node, fields.arguments);
                    let args = list.map_or_else(Vec::new, |it| self.children(it));
                    if matches!(self.text(function), "Ok" | "Some") && args.len() == 1 {
                        go(args.first().copied(), level + 1);
                    }
                    return;
                }
                let Some(method) = self.method_of(function) else {
                    return;
                };
                let object = self.field(function, fields.value);
                if UNWRAPPING.contains(&method) {
                    go(object, level - 1);
                } else if KEEPING.contains(&method) {
                    go(object, level);
                } else if let Some(conversion) = CONVERSIONS.iter().find(|it| it.method == method)
                    && let Ok(n_wrapped) = u32::try_from(level + i32::from(conversion.is_fallible))
                {
                    found.push((node.id(), n_wrapped));
                }
            }
            _ => {}
        }
    }

    /// The expression at the end of a block.
    fn tail<'n>(&self, block: Node<'n>) -> Option<Node<'n>> {
        let last = self.children(block).last().copied()?;
        match self.kind(last) {
            Kind::ExpressionStatement if self.text(last).ends_with(';') => None,
            Kind::ExpressionStatement => self.children(last).first().copied(),
            _ => Some(last),
        }
    }

    /// The name of the method that `object.name` calls.
    fn method_of(&self, function: Node<'_>) -> Option<&str> {
        let is_member = self.kind(function) == Kind::FieldExpression;
        let name = is_member.then(|| self.field(function, self.grammar.fields.field))??;
        Some(self.text(name))
    }

    /// Records the use of the function that a call of a conversion runs.
    pub(super) fn use_conversion(
        &mut self,
        node: Node<'_>,
        function: Node<'_>,
        callee: ExprId,
        types: &[ExprId],
    ) {
        let method = self.method_of(function);
        let Some(conversion) = CONVERSIONS.iter().find(|it| Some(it.method) == method) else {
            return;
        };
        let made = match types {
            [] => self.expected.get(&node.id()).copied(),
            types => types.first().copied(),
        };
        let (Some(made), Some(list)) = (made, self.field(node, self.grammar.fields.arguments))
        else {
            return;
        };
        if made == self.unknown {
            return;
        }
        let receiver = if callee == self.unknown {
            callee
        } else {
            self.add(Expr::Call {
                callee,
                types: [made].into(),
                args: Box::default(),
            })
        };
        let target = Target::Member {
            receiver,
            is_inferred: true,
        };
        self.push_named_use(
            list.start_byte(),
            conversion.function,
            target,
            ReferenceKind::Call,
        );
    }
}
