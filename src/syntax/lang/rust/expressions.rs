//! Expressions: each is lowered to its value, and its names are recorded as uses.

use tree_sitter::Node;

use super::grammar::Kind;
use super::locals::Local;
use super::lowering::Lowering;
use super::types::{is_type_name, last_of_path};
use crate::ir::{Expr, ExprId, ReferenceKind, Target};

impl Lowering<'_> {
    /// Lowers an expression to its value.
    pub(super) fn expr(&mut self, node: Node<'_>) -> ExprId {
        self.deeper(|this| this.expr_form(node))
            .unwrap_or(self.unknown)
    }

    /// Lowers the expression in a field.
    pub(super) fn expr_in(&mut self, node: Node<'_>, field: u16) -> ExprId {
        let inner = self.field(node, field);
        inner.map_or(self.unknown, |it| self.expr(it))
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each form of expression")]
    fn expr_form(&mut self, node: Node<'_>) -> ExprId {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Identifier | Kind::ScopedIdentifier | Kind::SelfWord => {
                self.path_value(node, ReferenceKind::Value)
            }
            Kind::Call => self.call(node),
            Kind::FieldExpression => {
                let object = self.expr_in(node, fields.value);
                let Some(name) = self.field(node, fields.field) else {
                    return self.unknown;
                };
                self.member_of(object, self.text(name))
            }
            Kind::GenericFunction => {
                let function = self.expr_in(node, fields.function);
                self.use_type_args(node);
                function
            }
            Kind::MacroInvocation => self.macro_invocation(node),
            Kind::Closure => self.closure(node, self.unknown, 0),
            Kind::StructExpression => self.struct_expression(node),
            Kind::Try => {
                let inner = self.first_expr(node);
                self.call_of(inner, "?()")
            }
            Kind::Await => {
                let inner = self.first_expr(node);
                self.call_of(inner, "await()")
            }
            Kind::ReferenceExpression => self.expr_in(node, fields.value),
            Kind::UnaryExpression => {
                let inner = self.first_expr(node);
                let text = self.text(node);
                if text.starts_with('*') {
                    inner
                } else if text.starts_with('!') {
                    self.standard("bool", &[])
                } else {
                    self.unknown
                }
            }
            Kind::Parenthesized => self.first_expr(node),
            Kind::TypeCast => {
                self.expr_in(node, fields.value);
                let type_ = self.field(node, fields.type_);
                type_.map_or(self.unknown, |it| self.type_(it))
            }
            Kind::BinaryExpression => self.binary(node),
            Kind::AssignmentExpression => {
                let left = self.expr_in(node, fields.left);
                if let Some(right) = self.field(node, fields.right) {
                    self.expect(right, |_| left);
                    self.expr(right);
                }
                self.unknown
            }
            Kind::Index => self.index(node),
            Kind::TupleExpression => {
                let mut items = Vec::new();
                for child in self.children(node) {
                    items.push(self.expr(child));
                }
                self.add(Expr::Tuple(items.into()))
            }
            Kind::ArrayExpression => {
                let length = self.field(node, fields.length);
                let mut items = Vec::new();
                for child in self.children(node) {
                    let value = self.expr(child);
                    if Some(child) != length {
                        items.push(value);
                    }
                }
                let element = self.union(items);
                self.standard("[]", &[element])
            }
            Kind::RangeExpression => {
                for child in self.children(node) {
                    self.expr(child);
                }
                let number = self.standard("usize", &[]);
                self.standard("Range", &[number])
            }
            Kind::StringLiteral | Kind::RawString => self.standard("str", &[]),
            Kind::CharLiteral => self.standard("char", &[]),
            Kind::BooleanLiteral => self.standard("bool", &[]),
            Kind::IntegerLiteral | Kind::FloatLiteral | Kind::NegativeLiteral => {
                self.standard("usize", &[])
            }
            Kind::Block
            | Kind::UnsafeBlock
            | Kind::AsyncBlock
            | Kind::ConstBlock
            | Kind::TryBlock => self.block_value(node),
            Kind::If => self.if_expression(node),
            Kind::Match => self.match_expression(node),
            Kind::While => {
                self.in_block(|this| {
                    if let Some(condition) = this.field(node, fields.condition) {
                        this.condition(condition);
                    }
                    this.expr_in(node, fields.body);
                });
                self.unknown
            }
            Kind::For => {
                let object = self.expr_in(node, fields.value);
                let element = self.facts.exprs.element_of_known(object);
                self.in_block(|this| {
                    if let Some(pattern) = this.field(node, fields.pattern) {
                        this.pattern(pattern, element);
                    }
                    this.expr_in(node, fields.body);
                });
                self.unknown
            }
            Kind::LetCondition | Kind::LetChain => {
                self.condition(node);
                self.standard("bool", &[])
            }
            Kind::TokenTree => self.unknown,
            Kind::Metavariable => self.rule_param(node),
            Kind::Return => {
                let returned = self.returned;
                for child in self.children(node) {
                    self.expect(child, |_| returned);
                    self.expr(child);
                }
                self.unknown
            }
            // `break x`, loops, compound assignments, and what broken code leaves.
            _ => {
                for child in self.children(node) {
                    if self.kind(child) != Kind::Lifetime {
                        self.expr(child);
                    }
                }
                self.unknown
            }
        }
    }

    fn first_expr(&mut self, node: Node<'_>) -> ExprId {
        let first = self.children(node).first().copied();
        first.map_or(self.unknown, |it| self.expr(it))
    }

    fn binary(&mut self, node: Node<'_>) -> ExprId {
        let fields = self.grammar.fields;
        let operator = self
            .field(node, fields.operator)
            .map_or("", |it| self.text(it));
        if operator == "&&" {
            // What the left side binds is known on the right one: a chain of `let`.
            self.expr_in(node, fields.left);
            self.expr_in(node, fields.right);
            return self.standard("bool", &[]);
        }
        let left = self.expr_in(node, fields.left);
        self.expr_in(node, fields.right);
        if matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=" | "||") {
            return self.standard("bool", &[]);
        }
        self.call_of(left, "+()")
    }

    fn index(&mut self, node: Node<'_>) -> ExprId {
        let children = self.children(node);
        let (Some(object), index) = (children.first(), children.get(1)) else {
            return self.unknown;
        };
        let object = self.expr(*object);
        let is_range = index.is_some_and(|it| self.kind(*it) == Kind::RangeExpression);
        if let Some(index) = index {
            self.expr(*index);
        }
        if is_range {
            return object;
        }
        self.call_of(object, "[]()")
    }

    /// Lowers a path in the position of a value, and records the use of its last name.
    pub(super) fn path_value(&mut self, node: Node<'_>, kind: ReferenceKind) -> ExprId {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::SelfWord => match self.locals.get("self") {
                Some(Local::Value(value)) => value,
                _ => self.name("self::"),
            },
            Kind::Identifier | Kind::TypeIdentifier => {
                let name = self.text(node);
                if name == "Self"
                    && let Some(own) = self.self_type
                {
                    if kind != ReferenceKind::Value {
                        self.push_use(node, Target::Value(own.named), kind);
                    }
                    return own.named;
                }
                let (value, target) = match self.locals.get(name) {
                    Some(Local::Value(value)) => return value,
                    Some(Local::Item(at)) => (self.add(Expr::Symbol(at)), Target::Symbol(at)),
                    Some(Local::Used(expr)) => (expr, Target::Value(expr)),
                    // The constant that is a parameter: `N` of `fn fill<const N: usize>()`.
                    None if self.is_generic(name) => return self.unknown,
                    None => {
                        if matches!(name, "None" | "Some" | "Ok" | "Err") {
                            return self.name(name);
                        }
                        let value = self.module_name(name);
                        let target = match self.facts.exprs.get(value) {
                            Expr::Name { .. } => Target::Lexical,
                            _ => Target::Value(value),
                        };
                        (value, target)
                    }
                };
                self.push_use(node, target, kind);
                value
            }
            Kind::ScopedIdentifier | Kind::ScopedTypeIdentifier => {
                let path = self.field(node, fields.path);
                let Some(name) = self.field(node, fields.name) else {
                    return self.unknown;
                };
                let receiver = match path {
                    Some(path) => self.qualifier(path),
                    None => self.crate_root("crate"),
                };
                if let Some(path) = path {
                    self.use_qualifier(path);
                    self.use_modules(path);
                }
                let is_of_type = path.is_some_and(|it| self.is_type_path(it));
                if receiver != self.unknown {
                    let target = Target::Member {
                        receiver,
                        is_inferred: false,
                    };
                    self.push_use(name, target, kind);
                }
                let last = last_of_path(self.text(name), is_of_type);
                self.member_of(receiver, &last)
            }
            Kind::GenericFunction | Kind::GenericPattern => {
                let inner = self.field(node, fields.function);
                let inner = inner.or_else(|| self.children(node).first().copied());
                self.use_type_args(node);
                inner.map_or(self.unknown, |it| self.path_value(it, kind))
            }
            Kind::GenericTypeWithTurbofish | Kind::GenericType => {
                self.use_type_args(node);
                let inner = self.field(node, fields.type_);
                inner.map_or(self.unknown, |it| self.path_value(it, kind))
            }
            _ => self.unknown,
        }
    }

    /// Records the use of a type that a path goes through: `Store` of `Store::open()`.
    fn use_qualifier(&mut self, node: Node<'_>) {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Identifier if is_type_name(self.text(node)) => {
                self.use_type(node, node, ReferenceKind::Type);
            }
            Kind::ScopedIdentifier => {
                let name = self.field(node, fields.name);
                if name.is_some_and(|it| is_type_name(self.text(it))) {
                    self.use_type(node, node, ReferenceKind::Type);
                }
            }
            Kind::GenericType | Kind::GenericTypeWithTurbofish | Kind::BracketedType => {
                self.use_types(node);
            }
            _ => {}
        }
    }

    fn use_type_args(&mut self, node: Node<'_>) {
        if let Some(list) = self.field(node, self.grammar.fields.type_arguments) {
            self.use_types(list);
        }
    }

    fn call(&mut self, node: Node<'_>) -> ExprId {
        let fields = self.grammar.fields;
        let Some(function) = self.field(node, fields.function) else {
            return self.unknown;
        };
        let mut types = Vec::new();
        let mut called = function;
        if self.kind(function) == Kind::GenericFunction {
            types = self.type_args(function);
            self.use_type_args(function);
            called = self.field(function, fields.function).unwrap_or(function);
        }
        let callee = match self.kind(called) {
            Kind::FieldExpression => {
                let object = self.expr_in(called, fields.value);
                let Some(name) = self.field(called, fields.field) else {
                    return self.unknown;
                };
                let target = if object == self.unknown {
                    Target::Unknown
                } else {
                    Target::Member {
                        receiver: object,
                        is_inferred: true,
                    }
                };
                self.push_use(name, target, ReferenceKind::Call);
                let name = format!("{}()", self.text(name));
                let callee = self.member_of(object, &name);
                self.use_conversion(node, called, callee, &types);
                callee
            }
            Kind::Identifier | Kind::ScopedIdentifier => {
                self.path_value(called, ReferenceKind::Call)
            }
            _ => self.expr(called),
        };
        let mut args = Vec::new();
        if let Some(list) = self.field(node, fields.arguments) {
            for (index, arg) in self.children(list).into_iter().enumerate() {
                let index = u8::try_from(index).unwrap_or(u8::MAX);
                let value = if self.kind(arg) == Kind::Closure {
                    self.closure(arg, callee, index)
                } else {
                    self.expr(arg)
                };
                args.push(value);
            }
        }
        if let Some(wrapped) = self.wrapped(called, &args) {
            return wrapped;
        }
        if callee == self.unknown {
            return callee;
        }
        self.add(Expr::Call {
            callee,
            types: types.into(),
            args: args.into(),
        })
    }

    /// The value of `Some(x)`, `Ok(x)`, `Err(x)`.
    fn wrapped(&mut self, function: Node<'_>, args: &[ExprId]) -> Option<ExprId> {
        let name = self.text(function);
        if self.kind(function) != Kind::Identifier || self.locals.get(name).is_some() {
            return None;
        }
        let first = args.first().copied()?;
        match name {
            "Some" => Some(self.standard("Option", &[first])),
            "Ok" => Some(self.standard("Result", &[first, self.unknown])),
            "Err" => Some(self.standard("Result", &[self.unknown, first])),
            _ => None,
        }
    }

    /// Lowers a closure that is argument `index` of a callee: its parameters are what that says.
    fn closure(&mut self, node: Node<'_>, callee: ExprId, index: u8) -> ExprId {
        let fields = self.grammar.fields;
        let result = self.in_block(|this| {
            if let Some(list) = this.field(node, fields.parameters) {
                for (param, place) in this.places(list) {
                    let place = place.and_then(|it| u8::try_from(it).ok());
                    let given = place.map_or(this.unknown, |place| {
                        this.closure_param(callee, index, place)
                    });
                    if this.kind(param) == Kind::Parameter {
                        let type_ = this.field(param, fields.type_);
                        let value = type_.map_or(given, |it| this.type_(it));
                        let value = this.preferred(value, given);
                        if let Some(pattern) = this.field(param, fields.pattern) {
                            this.pattern(pattern, value);
                        }
                    } else {
                        this.pattern(param, given);
                    }
                }
            }
            let written = this.field(node, fields.return_type);
            let written = written.map(|it| this.type_(it));
            let returned = written.unwrap_or(this.unknown);
            let outer = std::mem::replace(&mut this.returned, returned);
            let value = this.expr_in(node, fields.body);
            this.returned = outer;
            written.unwrap_or(value)
        });
        self.add(Expr::Callable { result })
    }

    fn closure_param(&mut self, callee: ExprId, index: u8, place: u8) -> ExprId {
        if callee == self.unknown {
            return callee;
        }
        let function = self.add(Expr::Param { callee, index });
        self.add(Expr::Param {
            callee: function,
            index: place,
        })
    }

    fn struct_expression(&mut self, node: Node<'_>) -> ExprId {
        let fields = self.grammar.fields;
        let Some(name) = self.field(node, fields.name) else {
            return self.unknown;
        };
        let is_own = self.text(name) == "Self";
        let of = self.path_value(name, ReferenceKind::New);
        let made = match self.self_type {
            Some(own) if is_own => own.value,
            _ => self.instance(of),
        };
        if let Some(body) = self.field(node, fields.body) {
            for child in self.children(body) {
                match self.kind(child) {
                    Kind::FieldInitializer => {
                        let name = self.field(child, fields.field);
                        if let (Some(name), Some(value)) = (name, self.field(child, fields.value)) {
                            let name = self.text(name);
                            self.expect(value, |this| this.member_of(made, name));
                        }
                        self.expr_in(child, fields.value);
                    }
                    _ => {
                        for inner in self.children(child) {
                            self.expr(inner);
                        }
                    }
                }
            }
        }
        made
    }
}
