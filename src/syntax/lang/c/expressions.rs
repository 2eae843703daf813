//! Lowering of expressions: the part of a value that name resolution can use.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::{Local, Lowering};
use crate::ir::{Expr, ExprId};

/// The most arguments of a call that are kept.
const MAX_ARGS: usize = 16;

impl<'t> Lowering<'t> {
    /// Lowers an expression, with the scopes around the walk.
    pub(super) fn lower(&mut self, node: Node<'t>) -> ExprId {
        let value = self.deeper(|it| it.lower_expr(node));
        value.unwrap_or(self.unknown)
    }

    #[expect(clippy::too_many_lines, reason = "one arm a form of expression")]
    fn lower_expr(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Identifier => self.lower_name(self.text(node)),
            Kind::QualifiedIdentifier => match self.value_path(node) {
                Some(path) => self.name(&path),
                None => self.unknown,
            },
            Kind::This => {
                let this = self.this();
                self.pointer_to(this)
            }
            Kind::FieldExpression => self.lower_member(node),
            Kind::CallExpression => match self.field(node, fields.function) {
                Some(function) => self.lower_call(node, function),
                None => self.unknown,
            },
            Kind::SubscriptExpression => match self.field(node, fields.argument) {
                Some(object) => {
                    let object = self.lower(object);
                    self.element(object)
                }
                None => self.unknown,
            },
            Kind::PointerExpression => {
                let Some(argument) = self.field(node, fields.argument) else {
                    return self.unknown;
                };
                let value = self.lower(argument);
                if self
                    .field(node, fields.operator)
                    .is_some_and(|it| it.kind() == "&")
                {
                    self.pointer_to(value)
                } else {
                    self.pointed(value)
                }
            }
            Kind::ParenthesizedExpression => match self.children(node).first() {
                Some(inner) => self.lower(*inner),
                None => self.unknown,
            },
            Kind::CastExpression | Kind::CompoundLiteral => match self.field(node, fields.type_) {
                Some(type_) => self.value_of(type_),
                None => self.unknown,
            },
            Kind::NewExpression => match self.field(node, fields.type_) {
                Some(type_) => {
                    let value = self.value_of(type_);
                    self.pointer_to(value)
                }
                None => self.unknown,
            },
            Kind::ConditionalExpression => {
                let branches = [
                    self.field(node, fields.consequence),
                    self.field(node, fields.alternative),
                ];
                let values: Vec<ExprId> = branches
                    .into_iter()
                    .flatten()
                    .map(|it| self.lower(it))
                    .collect();
                let mut known = values.into_iter().filter(|it| *it != self.unknown);
                known.next().unwrap_or(self.unknown)
            }
            Kind::AssignmentExpression => match self.field(node, fields.left) {
                Some(left) => self.lower(left),
                None => self.unknown,
            },
            Kind::NumberLiteral => {
                let text = self.text(node);
                let is_real = text.contains('.') && !text.starts_with("0x");
                self.primitive(if is_real { "double" } else { "int" })
            }
            Kind::CharLiteral => self.primitive("char"),
            Kind::StringLiteral | Kind::RawString | Kind::ConcatenatedString => {
                let element = self.primitive("char");
                self.pointer_to(element)
            }
            Kind::True | Kind::False => self.primitive("bool"),
            Kind::Null => self.primitive("null"),
            Kind::BinaryExpression => {
                let operator = self.field(node, fields.operator).map_or("", |it| it.kind());
                if matches!(
                    operator,
                    "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" | "and" | "or"
                ) {
                    return self.primitive("bool");
                }
                // Pointers and numbers keep their types; of operators of classes nothing is known.
                let left = self
                    .field(node, fields.left)
                    .map_or(self.unknown, |it| self.lower(it));
                let is_plain = matches!(self.facts.exprs.get(left), Expr::Container { .. });
                if is_plain { left } else { self.unknown }
            }
            Kind::UnaryExpression => {
                let operator = self.field(node, fields.operator).map_or("", |it| it.kind());
                match (operator, self.field(node, fields.argument)) {
                    ("!", _) => self.primitive("bool"),
                    ("-" | "+", Some(argument)) => self.lower(argument),
                    _ => self.primitive("int"),
                }
            }
            _ => self.unknown,
        }
    }

    /// Returns the receiver of the member around.
    fn this(&mut self) -> ExprId {
        if let Some(of) = self.owner {
            return self.add(Expr::Instance { of });
        }
        let scope = self.symbol;
        self.add(Expr::Receiver { scope })
    }

    fn element(&mut self, object: ExprId) -> ExprId {
        self.facts.exprs.element_of_known(object)
    }

    /// Adds what a pointer, a smart one or an iterator points to.
    fn pointed(&mut self, object: ExprId) -> ExprId {
        match *self.facts.exprs.get(object) {
            Expr::Unknown => object,
            Expr::Container { element, .. } => element,
            _ => self.add(Expr::Entered { object }),
        }
    }

    fn lower_name(&mut self, name: &'t str) -> ExprId {
        match self.local(name) {
            Some(Local::Value(value) | Local::Type(value)) => value,
            None if matches!(name, "NULL" | "nullptr") => self.primitive("null"),
            None if matches!(name, "true" | "false") => self.primitive("bool"),
            None => self.name(name),
        }
    }

    /// Lowers `a.b` and `a->b`.
    fn lower_member(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        let (Some(object), Some(field)) = (
            self.field(node, fields.argument),
            self.field(node, fields.field),
        ) else {
            return self.unknown;
        };
        // `disk->Store::Save()` means the method of that class, whatever overrides it.
        if self.kind(field) == Kind::QualifiedIdentifier {
            return self.lower(field);
        }
        let mut object = self.lower(object);
        if self
            .field(node, fields.operator)
            .is_some_and(|it| it.kind() == "->")
        {
            object = self.pointed(object);
        }
        let Some(path) = self.path_text(field) else {
            return self.unknown;
        };
        self.facts.exprs.member_of_known(object, &path)
    }

    /// Lowers a call of `function`.
    pub(super) fn lower_call(&mut self, node: Node<'t>, function: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        let arguments = self
            .field(node, fields.arguments)
            .map(|list| self.children(list))
            .unwrap_or_default();
        if let Some(found) = self.builtin(function, &arguments) {
            return found;
        }
        if let Some(made) = self.standard_value(function) {
            return made;
        }
        let callee = match self.kind(function) {
            Kind::TemplateFunction => match self.path_text(function) {
                Some(path) => self.name(&path),
                None => self.unknown,
            },
            Kind::PrimitiveType => return self.primitive(self.text(function)),
            Kind::Identifier if let Some(class) = self.local_symbol(self.text(function)) => {
                self.add(Expr::Symbol(class))
            }
            _ => self.lower(function),
        };
        if callee == self.unknown {
            return callee;
        }
        let args: Vec<ExprId> = arguments
            .into_iter()
            .take(MAX_ARGS)
            .map(|it| self.lower(it))
            .collect();
        self.add(Expr::Call {
            callee,
            types: Box::default(),
            args: args.into(),
        })
    }

    /// Returns the result of a cast, or of a function of the standard library that makes a pointer; `None` for any other.
    fn builtin(&mut self, function: Node<'t>, arguments: &[Node<'t>]) -> Option<ExprId> {
        let name = match self.kind(function) {
            Kind::TemplateFunction | Kind::QualifiedIdentifier | Kind::Identifier => {
                self.text(self.last_name(function))
            }
            _ => return None,
        };
        let is_std = self.kind(function) != Kind::QualifiedIdentifier
            || self.text(function).starts_with("std::")
            || self.text(function).starts_with("::std::");
        match name {
            "static_cast" | "dynamic_cast" | "reinterpret_cast" | "const_cast" => {
                let first = self.first_argument(function)?;
                Some(self.value_of(first))
            }
            "make_unique" | "make_shared" | "make_optional" if is_std => {
                let first = self.first_argument(function)?;
                let held = self.value_of(first);
                let name = match name {
                    "make_unique" => "type std.unique_ptr",
                    "make_shared" => "type std.shared_ptr",
                    _ => "type std.optional",
                };
                Some(self.standard_pointer(name, held))
            }
            "move" | "forward" | "ref" | "cref" | "as_const" | "exchange"
                if self.text(function).starts_with("std::") =>
            {
                Some(arguments.first().map_or(self.unknown, |it| self.lower(*it)))
            }
            _ => None,
        }
    }

    /// Returns the result of a call of a name of the standard library with type arguments: `std::unique_ptr<Disk>(new Disk)` makes a value of
    /// that type, and the result of a function may be of any of these. `None` for any other call.
    fn standard_value(&mut self, function: Node<'t>) -> Option<ExprId> {
        let arguments = self.last_arguments(function)?;
        let path = self.path_text(function)?;
        let name = match path.strip_prefix("std.") {
            Some(name) => name,
            None if is_standard_alone(&path) => path.as_str(),
            None => return None,
        };
        if is_standard_type(name) {
            return Some(self.value_of(function));
        }
        Some(match name {
            "any_cast" | "bit_cast" | "get" => match self.children(arguments).first() {
                Some(first) if self.kind(*first).is_type() => self.value_of(*first),
                _ => self.unknown,
            },
            "static_pointer_cast"
            | "dynamic_pointer_cast"
            | "const_pointer_cast"
            | "reinterpret_pointer_cast" => {
                let first = self.first_argument(function)?;
                let held = self.value_of(first);
                self.standard_pointer("type std.shared_ptr", held)
            }
            _ => self.unknown,
        })
    }

    /// Adds a value of a pointer of the standard library.
    fn standard_pointer(&mut self, name: &str, held: ExprId) -> ExprId {
        let base = self.name(name);
        let of = self.add(Expr::Specialized {
            base,
            args: [held].into(),
        });
        self.add(Expr::Instance { of })
    }

    fn first_argument(&self, function: Node<'t>) -> Option<Node<'t>> {
        let list = self.last_arguments(function)?;
        self.children(list).first().copied()
    }
}

/// Whether a class template of the standard library has a name: `unique_ptr`, and not `make_pair`.
fn is_standard_type(name: &str) -> bool {
    is_standard_alone(name)
        || matches!(
            name,
            "array"
                | "atomic"
                | "forward_list"
                | "function"
                | "list"
                | "lock_guard"
                | "map"
                | "multimap"
                | "multiset"
                | "optional"
                | "pair"
                | "priority_queue"
                | "queue"
                | "reference_wrapper"
                | "set"
                | "span"
                | "stack"
                | "tuple"
                | "unique_lock"
        )
}

/// Whether a name is that of a class template of the standard library, also where it stands without `std::`.
fn is_standard_alone(name: &str) -> bool {
    matches!(
        name,
        "deque"
            | "shared_ptr"
            | "unique_ptr"
            | "unordered_map"
            | "unordered_multimap"
            | "unordered_multiset"
            | "unordered_set"
            | "vector"
            | "weak_ptr"
    )
}
