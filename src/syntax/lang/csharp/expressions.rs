//! Lowering of expressions: the part of a value that name resolution can use.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::{Lowering, MAX_DEPTH};
use crate::ir::{ANONYMOUS, Expr, ExprId};

/// The most items of a tuple, and members of an anonymous object, that are kept.
pub(super) const MAX_ITEMS: usize = 16;

impl<'t> Lowering<'t> {
    /// Lowers an expression. Each node is lowered once; one that needs its own value is unknown.
    pub(super) fn lower_expr(&mut self, node: Node<'t>) -> ExprId {
        if let Some(known) = self.lowered.get(&node.id()) {
            return *known;
        }
        if self.depth > MAX_DEPTH {
            return self.unknown;
        }
        self.lowered.insert(node.id(), self.unknown);
        self.depth += 1;
        let expr = self.lower_new(node);
        self.depth -= 1;
        self.lowered.insert(node.id(), expr);
        expr
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each form of expression")]
    fn lower_new(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Identifier => self.lower_name(node),
            Kind::GenericName => {
                // A generic type before a dot, `Cache<Item>.Load()`, or a method: `Run(Handle<Item>)`.
                let class = self.type_path(node);
                if !self.is_method_group(node) {
                    return class;
                }
                let method = self.name(&self.method_name(node));
                self.facts.exprs.fallback_of_known(method, class)
            }
            Kind::This => self.add(Expr::Receiver { scope: self.around }),
            Kind::Base => self.add(Expr::Super { scope: self.around }),
            Kind::Parenthesized | Kind::Checked | Kind::Ref | Kind::PostfixUnary | Kind::With => {
                self.lower_first(node)
            }
            Kind::PrefixUnary | Kind::Unary => {
                if self.text(node).starts_with('!') {
                    return self.primitive("bool");
                }
                self.lower_first(node)
            }
            Kind::MemberAccess | Kind::ConditionalAccess | Kind::Invocation => {
                let value = if self.kind(node) == Kind::Invocation {
                    self.lower_invocation(node)
                } else {
                    self.lower_member(node)
                };
                if value != self.unknown && !is_followed(node) && self.is_awaited_inside(node) {
                    return self.element(value);
                }
                value
            }
            Kind::New => match self.field(node, fields.type_) {
                // `new T()` is one of the bound of `T`.
                Some(type_) if self.is_type_param(type_) => self.lower_type(type_),
                Some(type_) => {
                    let class = self.type_path(type_);
                    self.constructed(class)
                }
                None => self.unknown,
            },
            Kind::ImplicitNew => {
                let expected = self.expected.get(&node.id()).copied();
                expected.unwrap_or(self.unknown)
            }
            Kind::ElementAccess => match self.field(node, fields.expression) {
                Some(object) => {
                    let object = self.lower_expr(object);
                    self.element(object)
                }
                None => self.unknown,
            },
            Kind::ArrayCreation | Kind::Cast | Kind::Default => {
                match self.field(node, fields.type_) {
                    Some(type_) => self.lower_type(type_),
                    None => self.unknown,
                }
            }
            Kind::As => match self.field(node, fields.right) {
                Some(type_) => self.lower_type(type_),
                None => self.unknown,
            },
            Kind::ImplicitArray => {
                let first = self
                    .child_of(node, Kind::Initializer)
                    .and_then(|it| self.children(it).into_iter().next());
                let element = first.map_or(self.unknown, |it| self.lower_expr(it));
                self.array(element)
            }
            Kind::Conditional => {
                let one = self.field(node, fields.consequence);
                let other = self.field(node, fields.alternative);
                self.lower_all(one.into_iter().chain(other).collect())
            }
            Kind::Assignment => match self.field(node, fields.left) {
                Some(left) => self.lower_expr(left),
                None => self.unknown,
            },
            Kind::Await => {
                let task = self.lower_first(node);
                self.element(task)
            }
            Kind::SwitchExpression => {
                let arms = self.children(node).into_iter().skip(1);
                let values = arms.filter_map(|arm| self.children(arm).into_iter().next_back());
                let values: Vec<Node<'t>> =
                    values.filter(|it| self.kind(*it) != Kind::Throw).collect();
                self.lower_all(values)
            }
            Kind::Lambda | Kind::AnonymousMethod => self.lower_lambda(node),
            Kind::Query => self.lower_query(node),
            Kind::TupleExpression => {
                let mut items = Vec::new();
                let mut names = Vec::new();
                for item in self.children(node).into_iter().take(MAX_ITEMS) {
                    items.push(match self.value_of(item) {
                        Some(value) => self.lower_expr(value),
                        None => self.unknown,
                    });
                    names.push(self.field(item, self.grammar.fields.name));
                }
                self.tuple(&names, items)
            }
            Kind::AnonymousObject => self.anonymous_object(node),
            Kind::DeclarationExpression => match self.field(node, fields.type_) {
                Some(type_) if self.kind(type_) != Kind::ImplicitType => self.lower_type(type_),
                _ => self.unknown,
            },
            Kind::Binary => self.lower_binary(node),
            Kind::Is | Kind::IsPattern | Kind::Boolean => self.primitive("bool"),
            Kind::Str | Kind::VerbatimString | Kind::RawString | Kind::InterpolatedString => {
                self.primitive("string")
            }
            Kind::TypeOf => self.primitive("Type"),
            Kind::SizeOf => self.primitive("int"),
            Kind::Character => self.primitive("char"),
            Kind::Null => self.primitive("null"),
            Kind::Integer => {
                let text = self.text(node).to_ascii_lowercase();
                let is_hex = text.starts_with("0x");
                let name = match (
                    text.ends_with("ul"),
                    text.ends_with('l'),
                    text.ends_with('u'),
                ) {
                    (true, ..) => "ulong",
                    (_, true, _) => "long",
                    (_, _, true) if !is_hex => "uint",
                    _ => "int",
                };
                self.primitive(name)
            }
            Kind::Real => {
                let name = match self.text(node).as_bytes().last() {
                    Some(b'f' | b'F') => "float",
                    Some(b'm' | b'M') => "decimal",
                    _ => "double",
                };
                self.primitive(name)
            }
            kind if kind.is_type_only() => self.type_path(node),
            _ => self.unknown,
        }
    }

    fn lower_first(&mut self, node: Node<'t>) -> ExprId {
        match self.children(node).first() {
            Some(inner) => self.lower_expr(*inner),
            None => self.unknown,
        }
    }

    fn lower_all(&mut self, nodes: Vec<Node<'t>>) -> ExprId {
        let all = nodes.into_iter().map(|it| self.lower_expr(it)).collect();
        self.union(all)
    }

    /// Whether a generic name is a value: a method with its type arguments, not the type before a dot.
    #[expect(clippy::unused_self, reason = "reads as `kind` does")]
    pub(super) fn is_method_group(&self, node: Node<'t>) -> bool {
        let around = node.parent();
        around.is_some_and(|it| {
            matches!(
                it.kind(),
                "argument"
                    | "assignment_expression"
                    | "return_statement"
                    | "equals_value_clause"
                    | "variable_declarator"
                    | "arrow_expression_clause"
            )
        })
    }

    /// Adds a new instance of a class; unknown where the class is.
    pub(super) fn constructed(&mut self, class: ExprId) -> ExprId {
        if class == self.unknown {
            return class;
        }
        self.add(Expr::Construct { class })
    }

    fn lower_name(&mut self, node: Node<'t>) -> ExprId {
        let name = self.name_text(node);
        match self.locals.get(name) {
            Some(value) => value,
            None => self.name(name),
        }
    }

    /// Splits `object.name` and `object?.name`.
    pub(super) fn split_access(&self, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::MemberAccess => {
                let mut object = self.field(node, fields.expression)?;
                if self.kind(object) == Kind::IsPattern {
                    object = self.last_operand(object);
                }
                Some((object, self.field(node, fields.name)?))
            }
            Kind::ConditionalAccess => {
                let object = self.field(node, fields.condition)?;
                let binding = self.child_of(node, Kind::MemberBinding)?;
                Some((self.last_operand(object), self.field(binding, fields.name)?))
            }
            _ => None,
        }
    }

    /// Whether `await` stands inside of a chain that it is for: in the tree of `await store?.Load()` it is a part of the object.
    fn is_awaited_inside(&self, node: Node<'t>) -> bool {
        let fields = self.grammar.fields;
        let mut at = Some(node);
        while let Some(here) = at {
            at = match self.kind(here) {
                Kind::Invocation => self.field(here, fields.function),
                Kind::MemberAccess | Kind::ElementAccess => self.field(here, fields.expression),
                Kind::ConditionalAccess => {
                    let object = self.field(here, fields.condition);
                    if object.is_some_and(|it| self.kind(it) == Kind::Await) {
                        return true;
                    }
                    object
                }
                _ => None,
            };
        }
        false
    }

    /// Returns the operand that stands right before a dot: `store` of `is_open && store?.Close()`, whose tree has the whole of
    /// `is_open && store` there, and `Mode` of `it is not null && mode is Mode.Open`.
    pub(super) fn last_operand(&self, node: Node<'t>) -> Node<'t> {
        let mut at = node;
        loop {
            let operand = match self.kind(at) {
                Kind::Binary => self.field(at, self.grammar.fields.right),
                Kind::Await | Kind::Cast | Kind::PrefixUnary | Kind::Unary => {
                    self.children(at).last().copied()
                }
                Kind::IsPattern => self.field(at, self.grammar.fields.pattern),
                _ if is_open_at_its_end(at) => self.children(at).last().copied(),
                _ => None,
            };
            match operand {
                Some(operand) => at = operand,
                None => return at,
            }
        }
    }

    fn lower_member(&mut self, node: Node<'t>) -> ExprId {
        let Some((object, name)) = self.split_access(node) else {
            // `items?[0]`
            let object = self.field(node, self.grammar.fields.condition);
            let object = object.map_or(self.unknown, |it| {
                let object = self.last_operand(it);
                self.lower_expr(object)
            });
            return self.element(object);
        };
        let receiver = self.lower_expr(object);
        let bare = self.bare_name(name);
        let own = self.lookup_name_of(name, self.name_text(bare));
        let member = self.member_of(receiver, &own);
        if !self.may_be_type(node) {
            return member;
        }
        let in_namespace = self.in_qualifier(object, &own);
        self.facts.exprs.fallback_of_known(in_namespace, member)
    }

    /// Whether `A.B` may name a type by its namespace: before another dot, or in `nameof(A.B)`.
    pub(super) fn may_be_type(&self, node: Node<'t>) -> bool {
        let is_named = || {
            let call = node.parent().and_then(|it| it.parent()?.parent());
            call.is_some_and(|it| self.kind(it) == Kind::Invocation && self.is_nameof(it))
        };
        let object = self.split_access(node).map(|it| it.0);
        object.is_some_and(|it| self.may_be_namespace(it))
            && (has_member_behind(node) || is_named())
    }

    /// Whether names before a dot may be those of a namespace: written large, and none a variable.
    fn may_be_namespace(&self, node: Node<'t>) -> bool {
        let mut at = node;
        for _ in 0..16 {
            match self.kind(at) {
                Kind::Identifier => {
                    let name = self.name_text(at);
                    return name.starts_with(char::is_uppercase) && self.locals.get(name).is_none();
                }
                Kind::AliasQualifiedName => return true,
                Kind::MemberAccess => match self.split_access(at) {
                    Some((object, name))
                        if self.kind(name) == Kind::Identifier
                            && self.name_text(name).starts_with(char::is_uppercase) =>
                    {
                        at = object;
                    }
                    _ => return false,
                },
                _ => return false,
            }
        }
        false
    }

    /// Lowers a lambda to a function that returns the value of its body.
    fn lower_lambda(&mut self, node: Node<'t>) -> ExprId {
        let body = self
            .field(node, self.grammar.fields.body)
            .or_else(|| self.child_of(node, Kind::Block));
        let Some(body) = body else {
            return self.unknown;
        };
        let n_outer = self.locals.enter();
        self.enter_lambda(node);
        let result = if self.kind(body) == Kind::Block {
            self.returned_by(body)
        } else {
            self.lower_expr(body)
        };
        self.locals.leave(n_outer);
        if result == self.unknown {
            return result;
        }
        self.add(Expr::Callable { result })
    }

    /// Lowers the values that the statements of a block return, as far as its own declarations tell.
    fn returned_by(&mut self, block: Node<'t>) -> ExprId {
        let mut all = Vec::new();
        for child in self.children(block) {
            if let Some(declaration) = self.child_of(child, Kind::VariableDeclaration) {
                self.bind_variables(declaration);
            }
            if self.kind(child) == Kind::Return
                && let Some(value) = self.children(child).first()
            {
                all.push(self.lower_expr(*value));
            }
        }
        self.union(all)
    }

    /// Binds the parameters of a lambda.
    pub(super) fn enter_lambda(&mut self, node: Node<'t>) {
        let expected = self.expected.get(&node.id()).copied();
        let list = self
            .field(node, self.grammar.fields.parameters)
            .or_else(|| self.child_of(node, Kind::ParameterList));
        let Some(list) = list else {
            return;
        };
        if self.kind(list) == Kind::ImplicitParameter {
            let value = self.given_to_lambda(expected, 0);
            self.locals.bind(self.name_text(list), value);
            return;
        }
        for (index, (param, _)) in self.params(list).into_iter().enumerate() {
            let is_written = param
                .type_
                .is_some_and(|it| self.kind(it) != Kind::ImplicitType);
            let value = if is_written {
                self.param_type(&param)
            } else {
                self.given_to_lambda(expected, index)
            };
            self.locals.bind(param.name, value);
        }
    }

    fn given_to_lambda(&mut self, expected: Option<ExprId>, index: usize) -> ExprId {
        let callee = expected.unwrap_or(self.unknown);
        self.facts.exprs.param_of_known(callee, index)
    }

    /// Lowers `from a in all … select b` to a sequence of the values that it selects.
    fn lower_query(&mut self, node: Node<'t>) -> ExprId {
        let n_outer = self.locals.enter();
        let mut element = self.unknown;
        for clause in self.children(node) {
            self.bind_clause(clause, element);
            if let Some(found) = self.clause_element(clause) {
                element = found;
            }
        }
        self.locals.leave(n_outer);
        if element == self.unknown {
            element
        } else {
            self.array(element)
        }
    }

    /// Lowers the value that `select a` or `group a by b` gives.
    pub(super) fn clause_element(&mut self, clause: Node<'t>) -> Option<ExprId> {
        let children = self.children(clause);
        match (self.kind(clause), children.as_slice()) {
            (Kind::SelectClause, [value, ..]) => Some(self.lower_expr(*value)),
            (Kind::GroupClause, [value, key]) => {
                let args = [self.lower_expr(*key), self.lower_expr(*value)];
                Some(self.outer_instance("IGrouping", &args))
            }
            _ => None,
        }
    }

    /// A value of a type from outside with type arguments.
    fn outer_instance(&mut self, name: &str, args: &[ExprId]) -> ExprId {
        let name = self.facts.exprs.name(name);
        let base = self.add(Expr::Name { name, scope: None });
        let of = self.add(Expr::Specialized {
            base,
            args: args.into(),
        });
        self.add(Expr::Instance { of })
    }

    /// A tuple; one whose items have names is an anonymous object with them.
    pub(super) fn tuple(&mut self, names: &[Option<Node<'t>>], items: Vec<ExprId>) -> ExprId {
        if names.iter().all(Option::is_none) {
            return self.add(Expr::Tuple(items.into()));
        }
        let names = names
            .iter()
            .map(|it| it.map_or("", |it| self.name_text(it)));
        let names: Vec<&str> = names.collect();
        self.outer_instance(&format!("{ANONYMOUS}{}", names.join(" ")), &items)
    }

    /// Lowers `new { Name = value, job.Size }` to a value with these members.
    fn anonymous_object(&mut self, node: Node<'t>) -> ExprId {
        let children = self.children(node);
        let mut names: Vec<&str> = Vec::new();
        let mut values = Vec::new();
        let mut written = None;
        for child in children.into_iter().take(2 * MAX_ITEMS) {
            let is_name = self.kind(child) == Kind::Identifier
                && child.next_sibling().is_some_and(|it| it.kind() == "=");
            if is_name && written.is_none() {
                written = Some(self.name_text(child));
                continue;
            }
            // That of a member goes by its last name.
            let text = self.text(child);
            let last = text.rsplit(['.', '?']).next().unwrap_or(text).trim();
            names.push(written.take().unwrap_or(last));
            values.push(self.lower_expr(child));
        }
        let is_plain = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if names.is_empty() || !names.iter().all(is_plain) {
            return self.unknown;
        }
        self.outer_instance(&format!("{ANONYMOUS}{}", names.join(" ")), &values)
    }

    /// Binds the name that a clause of a query brings; `element` is the value that the clause before gives.
    pub(super) fn bind_clause(&mut self, clause: Node<'t>, element: ExprId) {
        let fields = self.grammar.fields;
        let children = self.children(clause);
        match self.kind(clause) {
            Kind::FromClause => {
                let Some(name) = self.field(clause, fields.name) else {
                    return;
                };
                let value = match (self.field(clause, fields.type_), children.last()) {
                    (Some(type_), _) => self.lower_type(type_),
                    (None, Some(all)) if *all != name => {
                        let all = self.lower_expr(*all);
                        self.looped(all)
                    }
                    _ => self.unknown,
                };
                self.locals.bind(self.name_text(name), value);
            }
            Kind::JoinClause => {
                let type_ = self.field(clause, fields.type_);
                let mut rest = children.into_iter().filter(|it| Some(*it) != type_);
                let (Some(name), Some(all)) = (rest.next(), rest.next()) else {
                    return;
                };
                let all = self.lower_expr(all);
                let value = match type_ {
                    Some(type_) => self.lower_type(type_),
                    None => self.looped(all),
                };
                self.locals.bind(self.name_text(name), value);
                if let Some(into) = self.child_of(clause, Kind::JoinInto)
                    && let Some(name) = self.children(into).first()
                {
                    self.locals.bind(self.name_text(*name), all);
                }
            }
            Kind::LetClause => {
                if let [name, value, ..] = children.as_slice() {
                    let value = self.lower_expr(*value);
                    self.locals.bind(self.name_text(*name), value);
                }
            }
            // `group a by b into c`, `select a into c`
            Kind::Identifier => self.locals.bind(self.name_text(clause), element),
            _ => {}
        }
    }

    fn lower_binary(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        let operator = self.field(node, fields.operator).map_or("", |it| it.kind());
        let (Some(left), Some(right)) = (
            self.field(node, fields.left),
            self.field(node, fields.right),
        ) else {
            return self.unknown;
        };
        match operator {
            "&&" | "||" | "==" | "!=" | "<" | ">" | "<=" | ">=" => self.primitive("bool"),
            "??" => self.lower_all(vec![left, right]),
            _ => {
                let text = self.primitive("string");
                let (left, right) = (self.lower_expr(left), self.lower_expr(right));
                if operator == "+" && (left == text || right == text) {
                    return text;
                }
                if left == right { left } else { self.unknown }
            }
        }
    }

    /// Lowers the name of a method that is called: `Open()`. A generic one has its own name alone.
    pub(super) fn method_name(&self, name: Node<'t>) -> String {
        format!("{}()", self.name_text(self.bare_name(name)))
    }
}

/// Whether the node is the object before another dot, or is called.
fn is_followed(node: Node<'_>) -> bool {
    let is_called = |parent: Node<'_>| {
        matches!(
            parent.kind(),
            "invocation_expression" | "element_access_expression"
        ) && parent.named_child(0) == Some(node)
    };
    has_member_behind(node) || node.parent().is_some_and(is_called)
}

/// Whether the node is the object before another dot.
fn has_member_behind(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        matches!(
            parent.kind(),
            "member_access_expression" | "conditional_access_expression"
        ) && parent.named_child(0) == Some(node)
    })
}

/// Whether a pattern ends in another one, without a parenthesis or brace behind it.
fn is_open_at_its_end(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "and_pattern" | "constant_pattern" | "negated_pattern" | "or_pattern"
    )
}
