//! Lowering of expressions: the part of a value that name resolution can use.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::{Local, Lowering, MAX_DEPTH};
use crate::ir::{Expr, ExprId};

/// The most arguments of a call that are kept.
const MAX_ARGS: usize = 12;

impl<'t> Lowering<'t> {
    /// Lowers an expression, with the scopes around the walk.
    pub(super) fn lower(&mut self, node: Node<'t>) -> ExprId {
        if self.depth > MAX_DEPTH {
            return self.unknown;
        }
        self.depth += 1;
        let value = self.lower_expr(node);
        self.depth -= 1;
        value
    }

    fn lower_expr(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Identifier | Kind::TypeIdentifier => self.lower_name(self.text(node)),
            Kind::SelectorExpression => {
                let operand = node.child_by_field_id(fields.operand);
                let field = node.child_by_field_id(fields.field);
                let (Some(operand), Some(field)) = (operand, field) else {
                    return self.unknown;
                };
                let object = self.lower(operand);
                self.member(object, self.text(field))
            }
            Kind::CallExpression => self.lower_call(node),
            Kind::IndexExpression => match node.child_by_field_id(fields.operand) {
                Some(operand) => self.element_of(operand),
                None => self.unknown,
            },
            Kind::SliceExpression => match node.child_by_field_id(fields.operand) {
                Some(operand) => self.lower(operand),
                None => self.unknown,
            },
            Kind::ParenthesizedExpression | Kind::LiteralElement => {
                match self.children(node).first() {
                    Some(inner) => self.lower(*inner),
                    None => self.unknown,
                }
            }
            // `all...` hands over each element.
            Kind::VariadicArgument => match self.children(node).first() {
                Some(inner) => self.element_of(*inner),
                None => self.unknown,
            },
            Kind::TypeInstantiation => match node.child_by_field_id(fields.type_) {
                Some(inner) => self.type_name(inner),
                None => self.unknown,
            },
            Kind::TypeConversion if self.instantiated(node).is_some() => {
                self.instantiated_conversion(node)
            }
            Kind::CompositeLiteral | Kind::TypeAssertion | Kind::TypeConversion => {
                match node.child_by_field_id(fields.type_) {
                    Some(type_) => self.value_of(type_),
                    None => self.unknown,
                }
            }
            Kind::UnaryExpression => {
                let Some(operand) = node.child_by_field_id(fields.operand) else {
                    return self.unknown;
                };
                let operator = node.child(0).map_or("", |it| it.kind());
                match operator {
                    "<-" => self.element_of(operand),
                    "!" => self.predeclared,
                    _ => self.lower(operand),
                }
            }
            Kind::BinaryExpression => {
                let operator = node.child(1).map_or("", |it| it.kind());
                let is_number = matches!(
                    operator,
                    "+" | "-" | "*" | "/" | "%" | "|" | "&" | "^" | "<<" | ">>" | "&^"
                );
                match node.child_by_field_id(fields.left) {
                    Some(left) if is_number => self.lower(left),
                    _ => self.predeclared,
                }
            }
            Kind::FuncLiteral => {
                let result = self.result_of(node);
                self.add(Expr::Callable { result })
            }
            Kind::InterpretedString | Kind::RawString => self.predeclared,
            kind if kind.is_type() => self.value_of(node),
            Kind::Other if node.kind().ends_with("_literal") => self.predeclared,
            _ => self.unknown,
        }
    }

    fn element_of(&mut self, operand: Node<'t>) -> ExprId {
        let object = self.lower(operand);
        self.element(object)
    }

    /// Adds an element of a container, a channel or a loop's operand.
    pub(super) fn element(&mut self, object: ExprId) -> ExprId {
        if object == self.unknown {
            return object;
        }
        self.add(Expr::Element { object })
    }

    /// Adds the first thing that a loop over something gives: a key, an index, what a channel sends.
    pub(super) fn key(&mut self, object: ExprId) -> ExprId {
        if object == self.unknown {
            return object;
        }
        self.add(Expr::LoopVariable { object })
    }

    /// Adds result `index` of a call that gives several.
    pub(super) fn item(&mut self, object: ExprId, index: usize) -> ExprId {
        match u8::try_from(index) {
            Ok(index) if object != self.unknown => self.add(Expr::Item { object, index }),
            _ => self.unknown,
        }
    }

    fn lower_name(&mut self, name: &'t str) -> ExprId {
        match self.local(name) {
            Some(Local::Value(value) | Local::Type(value)) => value,
            None if matches!(name, "_" | "nil") => self.unknown,
            None if matches!(name, "true" | "false" | "iota") => self.predeclared,
            None => self.top_name(name),
        }
    }

    fn lower_call(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        let Some(function) = node.child_by_field_id(fields.function) else {
            return self.unknown;
        };
        let arguments = node.child_by_field_id(fields.arguments);
        let arguments = arguments
            .map(|list| self.children(list))
            .unwrap_or_default();
        if let Some(found) = self.builtin(function, &arguments) {
            return found;
        }
        if let Some(found) = self.instantiated_call(function, &arguments) {
            return found;
        }
        let callee = self.lower(function);
        if callee == self.unknown {
            return callee;
        }
        let types = match node.child_by_field_id(fields.type_arguments) {
            Some(list) => self.children(list),
            // `NewPair[A, B](a, b)`
            None if self.kind(function) == Kind::TypeInstantiation => {
                self.children(function).split_off(1)
            }
            None => Vec::new(),
        };
        let types: Vec<ExprId> = types
            .into_iter()
            .take(MAX_ARGS)
            .map(|it| self.value_of(it))
            .collect();
        let args: Vec<ExprId> = arguments
            .into_iter()
            .take(MAX_ARGS)
            .map(|it| self.lower(it))
            .collect();
        self.add(Expr::Call {
            callee,
            types: types.into(),
            args: args.into(),
        })
    }

    /// Returns the generic type of `New[Item](3)`, which reads like a conversion and may be the call of a function.
    pub(super) fn instantiated(&self, node: Node<'t>) -> Option<Node<'t>> {
        let type_ = node.child_by_field_id(self.grammar.fields.type_)?;
        (self.kind(type_) == Kind::GenericType).then_some(type_)
    }

    /// `New[Item](3)`: a call, of a type for a conversion.
    fn instantiated_conversion(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        let Some(generic) = self.instantiated(node) else {
            return self.unknown;
        };
        let callee = self.type_name(generic);
        if callee == self.unknown {
            return self.value_of(generic);
        }
        let types = generic.child_by_field_id(fields.type_arguments);
        let types: Vec<Node<'t>> = types.map(|it| self.children(it)).unwrap_or_default();
        let types: Vec<ExprId> = types
            .into_iter()
            .take(MAX_ARGS)
            .map(|it| self.value_of(it))
            .collect();
        let operand = node.child_by_field_id(fields.operand);
        let operand = operand.map_or(self.unknown, |it| self.lower(it));
        self.add(Expr::Call {
            callee,
            types: types.into(),
            args: [operand].into(),
        })
    }

    /// `Make[*Item]()`, which reads like the call of an element: the first of both that there is.
    fn instantiated_call(&mut self, function: Node<'t>, arguments: &[Node<'t>]) -> Option<ExprId> {
        let fields = self.grammar.fields;
        if self.kind(function) != Kind::IndexExpression {
            return None;
        }
        let operand = function.child_by_field_id(fields.operand)?;
        let index = function.child_by_field_id(fields.index)?;
        let is_local = self.kind(index) == Kind::Identifier
            && matches!(self.local(self.text(index)), Some(Local::Value(_)));
        if !self.is_path(operand) || is_local {
            return None;
        }
        let type_ = match self.kind(index) {
            Kind::UnaryExpression => index.child_by_field_id(fields.operand)?,
            _ => index,
        };
        let is_type = matches!(
            self.kind(type_),
            Kind::Identifier | Kind::SelectorExpression
        ) || self.kind(type_).is_type();
        if !is_type {
            return None;
        }
        let type_ = self.value_of(type_);
        let generic = self.lower(operand);
        let args: Vec<ExprId> = arguments
            .iter()
            .take(MAX_ARGS)
            .map(|it| self.lower(*it))
            .collect();
        let first = self.add(Expr::Call {
            callee: generic,
            types: [type_].into(),
            args: args.clone().into(),
        });
        let element = self.element(generic);
        let other = self.add(Expr::Call {
            callee: element,
            types: Box::default(),
            args: args.into(),
        });
        Some(self.add(Expr::Fallback {
            variable: self.unknown,
            first,
            other,
        }))
    }

    /// Returns the result of a function of the language (`make`, `new`, `append`); `None` for any other, also one of
    /// the file with such a name.
    fn builtin(&mut self, function: Node<'t>, arguments: &[Node<'t>]) -> Option<ExprId> {
        let name = self.text(function);
        if self.kind(function) != Kind::Identifier
            || self.local(name).is_some()
            || self.defines(name)
        {
            return None;
        }
        let first = arguments.first().copied();
        Some(match name {
            "new" => first.map_or(self.unknown, |it| self.value_of_new(it)),
            "make" => first.map_or(self.unknown, |it| self.value_of(it)),
            "append" | "min" | "max" => first.map_or(self.unknown, |it| self.lower(it)),
            "len" | "cap" | "copy" | "recover" | "real" | "imag" | "complex" => self.predeclared,
            _ => return None,
        })
    }

    /// Returns the value that `new` makes a pointer to: one of a type, or a copy of a value: `new(Item)`, `new(f())`.
    fn value_of_new(&mut self, argument: Node<'t>) -> ExprId {
        let kind = self.kind(argument);
        if matches!(kind, Kind::Identifier | Kind::TypeIdentifier)
            && let Some(Local::Value(value)) = self.local(self.text(argument))
        {
            return value;
        }
        if let Some((receiver, name)) = self.field_in_type(argument) {
            return self.member(receiver, self.text(name));
        }
        if kind == Kind::Identifier || kind.is_type() {
            self.value_of(argument)
        } else {
            self.lower(argument)
        }
    }

    /// Returns the object and the name of a field that the grammar takes for a type, where a local variable stands before the dot:
    /// `row.id` of `new(row.id)`.
    pub(super) fn field_in_type(&mut self, node: Node<'t>) -> Option<(ExprId, Node<'t>)> {
        if self.kind(node) != Kind::QualifiedType {
            return None;
        }
        let fields = self.grammar.fields;
        let object = node.child_by_field_id(fields.package)?;
        let name = node.child_by_field_id(fields.name)?;
        match self.local(self.text(object)) {
            Some(Local::Value(value)) => Some((value, name)),
            _ => None,
        }
    }

    /// Returns whether the file defines a name at its top level.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.top_names.contains(name)
    }
}
