//! Statements and expressions: the uses of names, and the local names that statements bind.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::{Lowering, MAX_DEPTH};
use crate::ir::{ExprId, INDEXER, ReferenceKind, Target};

impl<'t> Lowering<'t> {
    /// Records the uses in a statement or an expression.
    pub(super) fn walk(&mut self, node: Node<'t>) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        self.walk_at(node);
        self.depth -= 1;
    }

    /// As [`Self::walk`], of a value that becomes an instance of a known type: that of the variable it is assigned to.
    pub(super) fn walk_as(&mut self, node: Node<'t>, expected: ExprId) {
        let inner = self.unwrapped(node);
        let kind = self.kind(inner);
        if expected != self.unknown && (kind.is_lambda() || kind == Kind::ImplicitNew) {
            self.expected.insert(inner.id(), expected);
        }
        if kind == Kind::Initializer {
            self.walk_children(inner);
            return;
        }
        self.walk(node);
    }

    /// Records the uses in the children of a node.
    pub(super) fn walk_children(&mut self, node: Node<'t>) {
        for child in self.children(node) {
            self.walk(child);
        }
    }

    /// Reads the children in a scope of their own.
    fn walk_block(&mut self, node: Node<'t>) {
        let n_outer = self.locals.enter();
        self.walk_children(node);
        self.locals.leave(n_outer);
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one pass, whose steps are read in order"
    )]
    fn walk_at(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Identifier => self.use_identifier(node),
            Kind::GenericName if self.is_method_group(node) => {
                let method = self.lower_expr(node);
                self.use_type_args(node);
                self.push_use(
                    self.bare_name(node),
                    Target::Value(method),
                    ReferenceKind::Value,
                );
            }
            Kind::GenericName => self.use_type(node, ReferenceKind::Value),
            Kind::MemberAccess | Kind::ConditionalAccess => self.use_access(node),
            Kind::Invocation => self.use_invocation(node),
            Kind::New => self.use_new(node),
            Kind::ImplicitNew => self.use_implicit_new(node),
            Kind::Lambda | Kind::AnonymousMethod => self.walk_lambda(node),
            Kind::Argument => {
                if let Some(value) = self.value_of(node) {
                    self.walk(value);
                }
            }
            Kind::Assignment => {
                if let Some(left) = self.field(node, fields.left) {
                    self.walk(left);
                    let expected = self.lower_expr(left);
                    if let Some(right) = self.field(node, fields.right) {
                        self.walk_as(right, expected);
                    }
                    self.bind_tuple(node, left);
                }
            }
            Kind::ElementAccess => {
                self.walk_children(node);
                self.use_indexer(node);
            }
            Kind::VariableDeclaration => self.walk_variables(node),
            Kind::DeclarationExpression => self.walk_declared(node),
            Kind::Foreach => self.walk_each(node),
            Kind::Block
            | Kind::For
            | Kind::UsingStatement
            | Kind::Fixed
            | Kind::While
            | Kind::SwitchSection
            | Kind::CatchClause => self.walk_block(node),
            Kind::SwitchStatement => {
                let value = self.field(node, fields.value);
                if let Some(value) = value {
                    self.walk(value);
                }
                let subject = value.map_or(self.unknown, |it| self.lower_expr(it));
                if let Some(body) = self.field(node, fields.body) {
                    for section in self.children(body) {
                        self.walk_section(section, subject);
                    }
                }
            }
            Kind::SwitchExpression => {
                let children = self.children(node);
                let Some((value, arms)) = children.split_first() else {
                    return;
                };
                self.walk(*value);
                let subject = self.lower_expr(*value);
                for arm in arms {
                    self.walk_section(*arm, subject);
                }
            }
            Kind::CatchDeclaration => {
                if let Some(type_) = self.field(node, fields.type_) {
                    self.use_type(type_, ReferenceKind::Type);
                    let value = self.lower_type(type_);
                    if let Some(name) = self.field(node, fields.name) {
                        self.locals.bind(self.name_text(name), value);
                    }
                }
            }
            Kind::Is | Kind::As => {
                if let Some(left) = self.field(node, fields.left) {
                    self.walk(left);
                }
                if let Some(type_) = self.field(node, fields.right) {
                    self.use_type(type_, ReferenceKind::Type);
                }
            }
            Kind::IsPattern => {
                let value = self.field(node, fields.expression);
                if let Some(value) = value {
                    self.walk(value);
                }
                let subject = value.map_or(self.unknown, |it| self.lower_expr(it));
                if let Some(pattern) = self.field(node, fields.pattern) {
                    self.walk_pattern(pattern, subject);
                }
            }
            Kind::Cast => {
                let type_ = self.field(node, fields.type_);
                if let Some(type_) = type_ {
                    self.use_type(type_, ReferenceKind::Type);
                }
                if let Some(value) = self.field(node, fields.value) {
                    let expected = type_.map_or(self.unknown, |it| self.lower_type(it));
                    self.walk_as(value, expected);
                }
            }
            Kind::TypeOf | Kind::SizeOf | Kind::Default => {
                if let Some(type_) = self.field(node, fields.type_) {
                    self.use_type(type_, ReferenceKind::Type);
                }
            }
            Kind::ArrayCreation => {
                if let Some(type_) = self.field(node, fields.type_) {
                    self.use_type(type_, ReferenceKind::Type);
                }
                if let Some(values) = self.child_of(node, Kind::Initializer) {
                    self.walk_children(values);
                }
            }
            Kind::Return | Kind::Yield => {
                for value in self.children(node) {
                    self.walk_as(value, self.returned);
                }
            }
            Kind::With => {
                let object = self.children(node).first().copied();
                let object = object.map_or(self.unknown, |it| self.lower_expr(it));
                for child in self.children(node) {
                    if self.kind(child) == Kind::WithInitializer {
                        self.walk_with(child, object);
                    } else {
                        self.walk(child);
                    }
                }
            }
            Kind::Query => {
                let n_outer = self.locals.enter();
                let mut element = self.unknown;
                for clause in self.children(node) {
                    self.walk_clause(clause);
                    self.bind_clause(clause, element);
                    element = self.clause_element(clause).unwrap_or(element);
                }
                self.locals.leave(n_outer);
            }
            Kind::AnonymousObject => {
                // `new { Name = value }`
                let children = self.children(node);
                for (at, child) in children.iter().enumerate() {
                    let is_name = self.kind(*child) == Kind::Identifier
                        && child.next_sibling().is_some_and(|it| it.kind() == "=")
                        && at + 1 < children.len();
                    if !is_name {
                        self.walk(*child);
                    }
                }
            }
            Kind::LocalFunction => self.local_function(node),
            Kind::Labeled => {
                for child in self.children(node).into_iter().skip(1) {
                    self.walk(child);
                }
            }
            Kind::Break | Kind::Continue | Kind::Goto | Kind::Modifier | Kind::Discard => {}
            Kind::AttributeList => self.use_attributes(node),
            Kind::PreprocIf | Kind::PreprocElse | Kind::PreprocElif => {
                for child in self.branch(node) {
                    self.walk(child);
                }
            }
            kind if kind.is_type_only() => self.use_type(node, ReferenceKind::Type),
            kind if kind.is_type_declaration() => self.member(node),
            Kind::MethodDeclaration
            | Kind::Constructor
            | Kind::FieldDeclaration
            | Kind::PropertyDeclaration => self.member(node),
            _ => self.walk_children(node),
        }
    }

    /// Records the use of the indexer in `store[0]`.
    fn use_indexer(&mut self, node: Node<'t>) {
        let Some(object) = self.field(node, self.grammar.fields.expression) else {
            return;
        };
        let receiver = self.lower_expr(object);
        let mut children = self.children(node).into_iter();
        if receiver != self.unknown
            && let Some(index) = children.find(|it| *it != object)
        {
            let target = Target::Member {
                receiver,
                is_inferred: true,
            };
            self.push_named_use(INDEXER, index, target, ReferenceKind::Value);
        }
    }

    fn walk_lambda(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let n_outer = self.locals.enter();
        let list = self
            .field(node, fields.parameters)
            .or_else(|| self.child_of(node, Kind::ParameterList));
        if let Some(list) = list.filter(|it| self.kind(*it) == Kind::ParameterList) {
            for (param, node) in self.params(list) {
                self.use_param(&param, node);
            }
        }
        self.use_attribute_lists(node);
        self.enter_lambda(node);
        let outer = std::mem::replace(&mut self.returned, self.unknown);
        let body = self
            .field(node, fields.body)
            .or_else(|| self.child_of(node, Kind::Block));
        if let Some(body) = body {
            self.walk(body);
        }
        self.returned = outer;
        self.locals.leave(n_outer);
    }

    /// Reads a case of a `switch`: patterns, a condition, and code.
    fn walk_section(&mut self, node: Node<'t>, subject: ExprId) {
        let n_outer = self.locals.enter();
        for child in self.children(node) {
            if child.kind().ends_with("_pattern") {
                self.walk_pattern(child, subject);
            } else {
                self.walk(child);
            }
        }
        self.locals.leave(n_outer);
    }

    /// `A a = value, b;`
    fn walk_variables(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let type_ = self.field(node, fields.type_);
        if let Some(type_) = type_ {
            self.use_type(type_, ReferenceKind::Type);
        }
        let declared = type_.map_or(self.unknown, |it| self.lower_type(it));
        for declarator in self.children(node) {
            if self.kind(declarator) != Kind::VariableDeclarator {
                continue;
            }
            let name = self.field(declarator, fields.name);
            for child in self.children(declarator) {
                if Some(child) != name && self.kind(child) != Kind::TuplePattern {
                    self.walk_as(child, declared);
                }
            }
            self.bind_variable(type_, declarator);
        }
    }

    /// Binds the names of a declaration of variables, whose uses are recorded elsewhere.
    pub(super) fn bind_variables(&mut self, node: Node<'t>) {
        let type_ = self.field(node, self.grammar.fields.type_);
        for declarator in self.children(node) {
            if self.kind(declarator) == Kind::VariableDeclarator {
                self.bind_variable(type_, declarator);
            }
        }
    }

    fn bind_variable(&mut self, type_: Option<Node<'t>>, declarator: Node<'t>) {
        let name = self.field(declarator, self.grammar.fields.name);
        let names = self.child_of(declarator, Kind::TuplePattern);
        let initializer = self
            .children(declarator)
            .into_iter()
            .rfind(|it| Some(*it) != name && Some(*it) != names);
        let value = match type_ {
            Some(type_) if self.kind(type_) != Kind::ImplicitType => self.lower_type(type_),
            _ => match initializer {
                Some(value) => self.lower_expr(value),
                None => self.unknown,
            },
        };
        if let Some(name) = name {
            self.locals.bind(self.name_text(name), value);
        }
        if let Some(names) = names {
            self.bind_designation(names, value);
        }
    }

    /// `out var a`, `out Store a`
    fn walk_declared(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(type_) = self.field(node, fields.type_) else {
            return;
        };
        self.use_type(type_, ReferenceKind::Type);
        let value = if self.kind(type_) == Kind::ImplicitType {
            let expected = self.expected.get(&node.id()).copied();
            expected.unwrap_or(self.unknown)
        } else {
            self.lower_type(type_)
        };
        if let Some(name) = self.field(node, fields.name) {
            self.locals.bind(self.name_text(name), value);
        }
    }

    /// Binds the names that `(var a, var b) = value` declares.
    fn bind_tuple(&mut self, node: Node<'t>, left: Node<'t>) {
        if self.kind(left) != Kind::TupleExpression {
            return;
        }
        let right = self.field(node, self.grammar.fields.right);
        let value = right.map_or(self.unknown, |it| self.lower_expr(it));
        for (index, item) in self.children(left).into_iter().enumerate() {
            let declared = self
                .value_of(item)
                .filter(|it| self.kind(*it) == Kind::DeclarationExpression);
            let Some(declared) = declared else {
                continue;
            };
            let is_var = self
                .field(declared, self.grammar.fields.type_)
                .is_some_and(|it| self.kind(it) == Kind::ImplicitType);
            let name = self.field(declared, self.grammar.fields.name);
            if let (true, Some(name), Ok(index)) = (is_var, name, u8::try_from(index))
                && value != self.unknown
            {
                let item = self.add(crate::ir::Expr::Item {
                    object: value,
                    index,
                });
                self.locals.bind(self.name_text(name), item);
            }
        }
    }

    /// `foreach (A a in all)`
    fn walk_each(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let type_ = self.field(node, fields.type_);
        if let Some(type_) = type_ {
            self.use_type(type_, ReferenceKind::Type);
        }
        let all = self.field(node, fields.right);
        if let Some(all) = all {
            self.walk(all);
        }
        let n_outer = self.locals.enter();
        let element = match (type_, all) {
            (Some(type_), _) if self.kind(type_) != Kind::ImplicitType => self.lower_type(type_),
            (_, Some(all)) => {
                let object = self.lower_expr(all);
                self.looped(object)
            }
            _ => self.unknown,
        };
        if let Some(left) = self.field(node, fields.left) {
            match self.kind(left) {
                Kind::Identifier => self.locals.bind(self.name_text(left), element),
                Kind::TuplePattern => self.bind_designation(left, element),
                _ => self.walk(left),
            }
        }
        if let Some(body) = self.field(node, fields.body) {
            self.walk(body);
        }
        self.locals.leave(n_outer);
    }

    /// `object with { Name = value }`
    fn walk_with(&mut self, node: Node<'t>, object: ExprId) {
        let children = self.children(node);
        let mut rest = children.as_slice();
        while let [name, value, others @ ..] = rest {
            if self.kind(*name) == Kind::Identifier {
                let target = Target::Member {
                    receiver: object,
                    is_inferred: true,
                };
                if object != self.unknown {
                    self.push_use(*name, target, ReferenceKind::Value);
                }
                self.walk(*value);
            } else {
                self.walk(*name);
                self.walk(*value);
            }
            rest = others;
        }
    }

    /// Records the uses in a clause of a query, but the name that it binds.
    fn walk_clause(&mut self, clause: Node<'t>) {
        let fields = self.grammar.fields;
        let children = self.children(clause);
        let type_ = self.field(clause, fields.type_);
        let bound = match self.kind(clause) {
            Kind::FromClause => self.field(clause, fields.name),
            Kind::JoinClause => children.iter().find(|it| Some(**it) != type_).copied(),
            Kind::LetClause => children.first().copied(),
            Kind::Identifier => return,
            _ => None,
        };
        for child in children {
            if Some(child) == bound || self.kind(child) == Kind::JoinInto {
                continue;
            }
            if Some(child) == type_ {
                self.use_type(child, ReferenceKind::Type);
                continue;
            }
            // The key of the joined sequence names its element.
            let is_key = self.kind(clause) == Kind::JoinClause
                && child.prev_sibling().is_some_and(|it| it.kind() == "equals");
            if is_key {
                let n_outer = self.locals.enter();
                self.bind_clause(clause, self.unknown);
                self.walk(child);
                self.locals.leave(n_outer);
            } else {
                self.walk(child);
            }
        }
    }

    fn use_identifier(&mut self, node: Node<'t>) {
        let name = self.name_text(node);
        if self.locals.get(name).is_some() || name == "_" {
            return;
        }
        self.push_use(node, Target::Lexical, ReferenceKind::Value);
    }

    /// Records the uses in a receiver.
    pub(super) fn use_object(&mut self, node: Node<'t>) {
        match self.kind(node) {
            Kind::Base | Kind::This => {}
            _ => self.walk(node),
        }
    }

    /// Whether a name before a dot is known without the type of a value: a chain of names that the file shows.
    fn is_plain(&self, node: Node<'t>) -> bool {
        match self.kind(node) {
            Kind::Identifier => self.locals.get(self.name_text(node)).is_none(),
            Kind::This | Kind::Base | Kind::GenericName => true,
            kind if kind.is_type_only() => true,
            Kind::MemberAccess => self
                .split_access(node)
                .is_some_and(|(object, _)| self.is_plain(object)),
            _ => false,
        }
    }

    /// `object.Name`, `object?.Name`, `object?[0]`
    fn use_access(&mut self, node: Node<'t>) {
        let Some((object, name)) = self.split_access(node) else {
            self.walk_children(node);
            return;
        };
        let fields = self.grammar.fields;
        let before = self.field(node, fields.condition);
        let before = before.or_else(|| self.field(node, fields.expression));
        self.use_object(before.unwrap_or(object));
        self.use_type_args(name);
        let receiver = self.lower_expr(object);
        let mut receiver = self.class_of(receiver);
        if self.may_be_type(node) {
            let namespace = self.in_qualifier(object, "*");
            receiver = self.facts.exprs.fallback_of_known(namespace, receiver);
        }
        let target = Target::Member {
            receiver,
            is_inferred: !self.is_plain(object),
        };
        self.push_use(self.bare_name(name), target, ReferenceKind::Value);
    }
}
