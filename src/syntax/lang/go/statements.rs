//! The walk through the bodies of functions and through initializers: blocks, the names that they bind, and the uses of
//! names.
//!
//! A variable keeps the type of its declaration, so that each name is lowered once, where it is declared.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::{Local, Lowering, MAX_DEPTH};
use crate::ir::{Expr, ExprId, ReferenceKind, Slot, Target};

impl<'t> Lowering<'t> {
    /// Walks through the children of a node.
    pub(super) fn walk_children(&mut self, node: Node<'t>) {
        for child in self.children(node) {
            self.walk(child);
        }
    }

    /// Walks through a node: binds the names that it declares and records the uses in it.
    pub(super) fn walk(&mut self, node: Node<'t>) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        self.walk_node(node);
        self.depth -= 1;
    }

    fn walk_node(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Block
            | Kind::IfStatement
            | Kind::ForStatement
            | Kind::ExpressionSwitch
            | Kind::ExpressionCase
            | Kind::DefaultCase
            | Kind::CommunicationCase => self.in_block(|it| it.walk_children(node)),
            Kind::TypeSwitch => self.in_block(|it| it.type_switch(node)),
            Kind::FuncLiteral => self.in_block(|it| {
                it.use_signature(node);
                it.bind_parameters(node);
                if let Some(body) = node.child_by_field_id(fields.body) {
                    it.walk(body);
                }
            }),
            Kind::ShortVarDeclaration | Kind::ReceiveStatement => self.short_declaration(node),
            Kind::RangeClause => self.range(node),
            Kind::VarDeclaration | Kind::ConstDeclaration => {
                for spec in self.specs(node) {
                    self.local_spec(spec);
                }
            }
            Kind::TypeDeclaration => {
                for spec in self.children(node) {
                    self.local_type(spec);
                }
            }
            Kind::AssignmentStatement => {
                self.walk_children(node);
                self.assignment(node);
            }
            Kind::Identifier => self.use_name(node, ReferenceKind::Value),
            Kind::SelectorExpression => self.use_selector(node, ReferenceKind::Value),
            Kind::CallExpression => self.use_call(node),
            Kind::CompositeLiteral => self.use_literal(node),
            Kind::TypeConversion | Kind::TypeAssertion => {
                let instantiated = self.instantiated(node);
                let is_call = self.kind(node) == Kind::TypeConversion;
                for child in self.children(node) {
                    if is_call && instantiated == Some(child) {
                        self.use_type(child, ReferenceKind::Call);
                    } else if self.kind(child).is_type() {
                        self.use_type(child, ReferenceKind::Type);
                    } else {
                        self.walk(child);
                    }
                }
            }
            Kind::TypeInstantiation => {
                for child in self.children(node) {
                    self.use_type(child, ReferenceKind::Value);
                }
            }
            Kind::KeyedElement => {
                if let Some(value) = node.child_by_field_id(fields.value) {
                    self.walk(value);
                }
            }
            Kind::LabelName | Kind::InterpretedString | Kind::RawString | Kind::Comment => {}
            kind if kind.is_type() => self.use_type(node, ReferenceKind::Type),
            _ => self.walk_children(node),
        }
    }

    /// Returns the specifications of a declaration of variables or constants.
    pub(super) fn specs(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let all = self.children(node).into_iter();
        all.flat_map(|child| match self.kind(child) {
            Kind::VarSpec | Kind::ConstSpec => vec![child],
            _ => self.children(child),
        })
        .filter(|child| matches!(self.kind(*child), Kind::VarSpec | Kind::ConstSpec))
        .collect()
    }

    /// Returns the values of several names: one each, or the results of one call.
    pub(super) fn values(&mut self, list: Node<'t>, n_names: usize) -> Vec<ExprId> {
        let all = if self.kind(list) == Kind::ExpressionList {
            self.children(list)
        } else {
            vec![list]
        };
        if let ([one], true) = (all.as_slice(), n_names > 1) {
            let value = self.lower(*one);
            let is_conversion = self.kind(*one) == Kind::TypeConversion;
            let is_call = is_conversion && self.instantiated(*one).is_some();
            if is_call || self.kind(*one) == Kind::CallExpression {
                return (0..n_names.min(64))
                    .map(|at| self.item(value, at))
                    .collect();
            }
            // `value, ok := m[k]`
            return vec![value, self.predeclared];
        }
        all.into_iter()
            .take(n_names)
            .map(|it| self.lower(it))
            .collect()
    }

    /// `a, b := f()`, and what a `select` receives.
    fn short_declaration(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let left = node.child_by_field_id(fields.left);
        let Some(right) = node.child_by_field_id(fields.right) else {
            return;
        };
        self.walk(right);
        let Some(left) = left else {
            return;
        };
        let is_declaration = self.kind(node) == Kind::ShortVarDeclaration || declares(node);
        if !is_declaration {
            self.walk(left);
            return;
        }
        let names = self.children(left);
        let values = self.values(right, names.len());
        for (at, name) in names.iter().enumerate() {
            if self.kind(*name) != Kind::Identifier {
                continue;
            }
            let value = values.get(at).copied().unwrap_or(self.unknown);
            let text = self.text(*name);
            // Of several names at least one is new; one of the same block keeps its type.
            let is_known =
                names.len() > 1 && self.scopes.last().is_some_and(|it| it.contains_key(text));
            if !is_known {
                self.bind_local(text, Local::Value(value));
            }
        }
    }

    fn range(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(right) = node.child_by_field_id(fields.right) else {
            return;
        };
        self.walk(right);
        let Some(left) = node.child_by_field_id(fields.left) else {
            return;
        };
        if !declares(node) {
            self.walk(left);
            return;
        }
        let object = self.lower(right);
        let names = self.children(left);
        for (at, name) in names.into_iter().enumerate() {
            let value = match at {
                0 => self.key(object),
                _ => self.element(object),
            };
            if self.kind(name) == Kind::Identifier {
                self.bind_local(self.text(name), Local::Value(value));
            }
        }
    }

    fn local_spec(&mut self, spec: Node<'t>) {
        let fields = self.grammar.fields;
        let type_ = spec.child_by_field_id(fields.type_);
        let value = spec.child_by_field_id(fields.value);
        if let Some(type_) = type_ {
            self.use_type(type_, ReferenceKind::Type);
        }
        if let Some(value) = value {
            self.walk(value);
        }
        let names = self.in_field(spec, fields.name);
        let values = match (type_, value) {
            (Some(type_), _) => {
                let value = self.value_of(type_);
                vec![value; names.len()]
            }
            (None, Some(value)) => self.values(value, names.len()),
            (None, None) => vec![self.predeclared; names.len()],
        };
        for (at, name) in names.into_iter().enumerate() {
            let value = values.get(at).copied().unwrap_or(self.unknown);
            self.bind_local(self.text(name), Local::Value(value));
        }
    }

    /// A type inside a function is no definition: its values are those of the type that is written.
    fn local_type(&mut self, spec: Node<'t>) {
        let fields = self.grammar.fields;
        let (Some(name), Some(type_)) = (
            spec.child_by_field_id(fields.name),
            spec.child_by_field_id(fields.type_),
        ) else {
            return;
        };
        let name = self.text(name);
        // A type that names itself is unknown there.
        self.bind_local(name, Local::Type(self.unknown));
        self.use_type(type_, ReferenceKind::Type);
        let value = self.value_of(type_);
        self.bind_local(name, Local::Type(value));
    }

    fn type_switch(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        if let Some(initializer) = node.child_by_field_id(fields.initializer) {
            self.walk(initializer);
        }
        let value = node.child_by_field_id(fields.value);
        let mut whole = self.unknown;
        if let Some(value) = value {
            self.walk(value);
            whole = self.lower(value);
        }
        let alias = node.child_by_field_id(fields.alias);
        let alias = alias.and_then(|list| self.children(list).first().copied());
        let alias = alias.map(|it| self.text(it));
        for case in self.children(node) {
            if !matches!(self.kind(case), Kind::TypeCase | Kind::DefaultCase) {
                continue;
            }
            let types = self.in_field(case, fields.type_);
            for type_ in &types {
                self.use_type(*type_, ReferenceKind::Type);
            }
            let narrowed = match types.as_slice() {
                [one] => self.value_of(*one),
                _ => whole,
            };
            self.in_block(|it| {
                if let Some(alias) = alias {
                    it.bind_local(alias, Local::Value(narrowed));
                }
                for child in it.children(case) {
                    if !types.contains(&child) {
                        it.walk(child);
                    }
                }
            });
        }
    }

    /// Binds the parameters and named results of a function in the innermost block.
    pub(super) fn bind_parameters(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        for field in [fields.parameters, fields.result] {
            let Some(list) = node.child_by_field_id(field) else {
                continue;
            };
            if self.kind(list) != Kind::ParameterList {
                continue;
            }
            for parameter in self.children(list) {
                self.bind_parameter(parameter);
            }
        }
    }

    fn bind_parameter(&mut self, parameter: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(type_) = parameter.child_by_field_id(fields.type_) else {
            return;
        };
        let names = self.in_field(parameter, fields.name);
        if names.is_empty() {
            return;
        }
        let value = self.parameter_value(parameter, type_);
        for name in names {
            self.bind_local(self.text(name), Local::Value(value));
        }
    }

    /// Returns the value of a parameter: of a variadic one a sequence.
    pub(super) fn parameter_value(&mut self, parameter: Node<'t>, type_: Node<'t>) -> ExprId {
        let value = self.value_of(type_);
        if self.kind(parameter) != Kind::VariadicParameter || value == self.unknown {
            return value;
        }
        self.add(Expr::Container {
            kind: crate::ir::ContainerKind::Sequence,
            element: value,
        })
    }

    fn use_name(&mut self, node: Node<'t>, kind: ReferenceKind) {
        let name = self.text(node);
        let is_fixed = matches!(name, "_" | "iota");
        if !is_fixed && self.local(name).is_none() {
            self.push_use(name, Target::Lexical, kind, node.start_byte());
        }
    }

    fn use_selector(&mut self, node: Node<'t>, kind: ReferenceKind) {
        let fields = self.grammar.fields;
        let operand = node.child_by_field_id(fields.operand);
        let field = node.child_by_field_id(fields.field);
        let (Some(operand), Some(field)) = (operand, field) else {
            return;
        };
        self.walk(operand);
        let receiver = self.lower(operand);
        if receiver == self.unknown && self.root_is_local(operand) && kind == ReferenceKind::Value {
            return;
        }
        let is_inferred = !self.is_path(operand);
        let target = Target::Member {
            receiver,
            is_inferred,
        };
        self.push_use(self.text(field), target, kind, field.start_byte());
    }

    /// Returns whether an expression is a chain of names that begins with one of the package: `pkg.Default.Store`.
    pub(super) fn is_path(&self, node: Node<'t>) -> bool {
        let mut at = node;
        while self.kind(at) == Kind::SelectorExpression {
            match at.child_by_field_id(self.grammar.fields.operand) {
                Some(operand) => at = operand,
                None => return false,
            }
        }
        self.kind(at) == Kind::Identifier && self.local(self.text(at)).is_none()
    }

    fn root_is_local(&self, node: Node<'t>) -> bool {
        self.kind(node) == Kind::Identifier && self.local(self.text(node)).is_some()
    }

    fn use_call(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(function) = node.child_by_field_id(fields.function) else {
            return;
        };
        let is_new = self.text(function) == "new" && !self.defines("new");
        self.use_callee(function);
        if let Some(types) = node.child_by_field_id(fields.type_arguments) {
            for one in self.children(types) {
                self.use_type(one, ReferenceKind::Type);
            }
        }
        let Some(arguments) = node.child_by_field_id(fields.arguments) else {
            return;
        };
        for argument in self.children(arguments) {
            match self.kind(argument) {
                Kind::Identifier if is_new => self.use_name(argument, ReferenceKind::New),
                Kind::QualifiedType if is_new => match self.field_in_type(argument) {
                    Some((receiver, name)) => {
                        let target = Target::Member {
                            receiver,
                            is_inferred: true,
                        };
                        let at = name.start_byte();
                        self.push_use(self.text(name), target, ReferenceKind::Value, at);
                    }
                    None => self.use_type(argument, ReferenceKind::New),
                },
                kind if kind.is_type() && is_new => self.use_type(argument, ReferenceKind::New),
                _ => self.walk(argument),
            }
        }
    }

    fn use_callee(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Identifier => self.use_name(node, ReferenceKind::Call),
            Kind::SelectorExpression => self.use_selector(node, ReferenceKind::Call),
            Kind::ParenthesizedExpression => match self.children(node).as_slice() {
                [inner] if self.depth < MAX_DEPTH => {
                    self.depth += 1;
                    self.use_callee(*inner);
                    self.depth -= 1;
                }
                _ => self.walk(node),
            },
            // `F[int](x)`
            Kind::IndexExpression => {
                let operand = node.child_by_field_id(fields.operand);
                match operand.filter(|it| self.is_path(*it)) {
                    Some(operand) => {
                        self.use_callee(operand);
                        if let Some(index) = node.child_by_field_id(fields.index) {
                            self.walk(index);
                        }
                    }
                    None => self.walk(node),
                }
            }
            Kind::TypeInstantiation => {
                for (at, child) in self.children(node).into_iter().enumerate() {
                    let kind = if at == 0 {
                        ReferenceKind::Call
                    } else {
                        ReferenceKind::Type
                    };
                    self.use_type(child, kind);
                }
            }
            _ => self.walk(node),
        }
    }

    /// `T{…}` makes a `T`; its keys are fields where the type is not that of a map or a sequence.
    fn use_literal(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        if let Some(type_) = node.child_by_field_id(fields.type_) {
            let kind = self.kind(type_);
            let is_named = matches!(
                kind,
                Kind::TypeIdentifier | Kind::QualifiedType | Kind::GenericType
            );
            let kind = if is_named {
                ReferenceKind::New
            } else {
                ReferenceKind::Type
            };
            self.use_type(type_, kind);
        }
        let type_ = node.child_by_field_id(fields.type_);
        if let Some(body) = node.child_by_field_id(fields.body) {
            self.use_elements(body, type_);
        }
    }

    /// Records the uses in the body of a literal of a written type; its keys are fields where that is a struct.
    fn use_elements(&mut self, body: Node<'t>, type_: Option<Node<'t>>) {
        let fields = self.grammar.fields;
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        // Of elements that leave out their type.
        let inner = type_.and_then(|it| match self.kind(it) {
            Kind::MapType => it.child_by_field_id(fields.value),
            Kind::SliceType | Kind::ArrayType | Kind::ImplicitLengthArrayType => {
                it.child_by_field_id(fields.element)
            }
            _ => None,
        });
        let inner = inner.map(|it| match self.kind(it) {
            Kind::PointerType => self.children(it).first().copied().unwrap_or(it),
            _ => it,
        });
        for element in self.children(body) {
            let mut value = element;
            if self.kind(element) == Kind::KeyedElement {
                let key = element.child_by_field_id(fields.key);
                match (key, type_) {
                    (Some(key), Some(type_)) if inner.is_none() => {
                        self.use_key(key, type_);
                        self.keyed_assignment(element, key, type_);
                    }
                    (Some(key), Some(_)) => self.walk(key),
                    _ => {}
                }
                match element.child_by_field_id(fields.value) {
                    Some(written) => value = written,
                    None => continue,
                }
            }
            let literal = self.children(value).first().copied().filter(|it| {
                self.kind(value) == Kind::LiteralElement && self.kind(*it) == Kind::LiteralValue
            });
            match literal {
                Some(literal) => self.use_elements(literal, inner),
                None => self.walk(value),
            }
        }
        self.depth -= 1;
    }

    /// Records the use of a field as a key: `Server{addr: ":80"}`. A named type may be a map, whose keys are values.
    fn use_key(&mut self, key: Node<'t>, type_: Node<'t>) {
        let names = self.children(key);
        let ([name], Kind::LiteralElement) = (names.as_slice(), self.kind(key)) else {
            self.walk(key);
            return;
        };
        if self.kind(*name) != Kind::Identifier {
            self.walk(key);
            return;
        }
        let text = self.text(*name);
        let object = self.value_of(type_);
        let first = self.member(object, text);
        if first == self.unknown {
            return;
        }
        let other = match self.local(text) {
            Some(_) => self.predeclared,
            None => self.top_name(text),
        };
        let variable = self.unknown;
        let value = self.add(Expr::Fallback {
            variable,
            first,
            other,
        });
        self.push_use(
            text,
            Target::Value(value),
            ReferenceKind::Value,
            name.start_byte(),
        );
    }

    /// Binds what a package-level variable or constant holds.
    pub(super) fn bind_top(&mut self, name: &str, value: ExprId) {
        let name = self.facts.exprs.name(name);
        self.bind_slots(None, &[Slot::Member(name)], value);
    }
}

/// Returns whether a clause declares the names on its left: `:=`.
fn declares(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == ":=")
}
