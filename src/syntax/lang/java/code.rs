//! Statements and expressions: the uses of names, and the local names that statements bind.

use tree_sitter::Node;

use super::grammar::Kind;
use super::locals::Local;
use super::lowering::{Lowering, MAX_DEPTH};
use super::names::method_name;
use super::symbols::NewSymbol;
use crate::ir::{BaseKind, Expr, ExprId, ReferenceKind, Slot, Target};
use crate::model::SymbolKind;

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
        if matches!(self.kind(inner), Kind::Lambda | Kind::MethodReference) {
            self.expected.insert(inner.id(), expected);
        }
        if self.makes_function(inner) {
            self.expect_of_maker(inner, expected);
        }
        self.walk(node);
    }

    fn walk_children(&mut self, node: Node<'t>) {
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
            Kind::FieldAccess => self.use_field_access(node),
            Kind::MethodInvocation => self.use_invocation(node),
            Kind::New => self.use_new(node),
            Kind::MethodReference => self.use_method_reference(node),
            Kind::Lambda => {
                let n_outer = self.locals.enter();
                if let Some(list) = self.field(node, fields.parameters) {
                    for (param, _) in self.params(list) {
                        if let Some(type_) = param.type_ {
                            self.use_type(type_, ReferenceKind::Type);
                        }
                    }
                }
                self.enter_lambda(node);
                let outer = std::mem::replace(&mut self.returned, self.unknown);
                if let Some(body) = self.field(node, fields.body) {
                    self.walk(body);
                }
                self.returned = outer;
                self.locals.leave(n_outer);
            }
            Kind::Assignment => {
                if let Some(left) = self.field(node, fields.left) {
                    self.walk(left);
                    let expected = self.lower_expr(left);
                    if let Some(right) = self.field(node, fields.right) {
                        self.walk_as(right, expected);
                    }
                }
            }
            Kind::LocalVariable => self.walk_variables(node),
            Kind::EnhancedFor => self.walk_each(node),
            Kind::Block
            | Kind::CatchClause
            | Kind::ConstructorBody
            | Kind::ForStatement
            | Kind::SwitchBlock
            | Kind::SwitchRule
            | Kind::StaticInitializer => self.walk_block(node),
            Kind::IfStatement => {
                let n_outer = self.locals.enter();
                self.walk_children(node);
                if !self.binds_behind(node) {
                    self.locals.leave(n_outer);
                }
            }
            Kind::CatchParameter => {
                let mut values = Vec::new();
                if let Some(types) = self.child_of(node, Kind::CatchType) {
                    for one in self.children(types) {
                        self.use_type(one, ReferenceKind::Type);
                        values.push(self.lower_type(one));
                    }
                }
                let value = self.union(values);
                self.bind_local(self.field(node, fields.name), value);
            }
            Kind::Resource => self.walk_resource(node),
            Kind::InstanceOf => {
                if let Some(left) = self.field(node, fields.left) {
                    self.walk(left);
                }
                if let Some(pattern) = self.field(node, fields.pattern) {
                    self.walk(pattern);
                }
                if let Some(type_) = self.field(node, fields.right) {
                    self.use_type(type_, ReferenceKind::Type);
                    let value = self.lower_type(type_);
                    self.bind_local(self.field(node, fields.name), value);
                }
            }
            Kind::TypePattern | Kind::RecordPatternComponent => self.walk_pattern(node),
            Kind::RecordPattern => {
                for child in self.children(node) {
                    if self.kind(child) == Kind::RecordPatternBody {
                        self.walk_components(node, child);
                    } else if matches!(self.kind(child), Kind::Identifier)
                        || self.kind(child).is_type()
                    {
                        self.use_type(child, ReferenceKind::Type);
                    }
                }
            }
            Kind::SwitchExpression => self.walk_switch(node),
            Kind::SwitchGroup => self.walk_children(node),
            Kind::SwitchLabel => self.walk_label(node),
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
            Kind::ReturnStatement => {
                if let Some(value) = node.named_child(0) {
                    self.walk_as(value, self.returned);
                }
            }
            kind if kind.is_type_declaration() => drop(self.type_declaration(node, true)),
            Kind::Annotation | Kind::MarkerAnnotation => self.use_annotation(node),
            Kind::ClassLiteral => {
                for child in self.children(node) {
                    self.use_type(child, ReferenceKind::Type);
                }
            }
            Kind::ExplicitConstructorCall => self.use_constructor_call(node),
            Kind::Labeled => {
                for child in self.children(node).into_iter().skip(1) {
                    self.walk(child);
                }
            }
            Kind::Break | Kind::Continue | Kind::Package | Kind::Import => {}
            Kind::TypeArguments => self.use_type(node, ReferenceKind::Type),
            kind if kind.is_type() => self.use_type(node, ReferenceKind::Type),
            Kind::MethodDeclaration
            | Kind::Constructor
            | Kind::FieldDeclaration
            | Kind::ConstantDeclaration => self.member(node),
            _ => self.walk_children(node),
        }
    }

    /// Returns whether the patterns in the condition of an `if` bind names behind it: `if (!(o instanceof A a)) return;` binds `a`.
    fn binds_behind(&self, statement: Node<'t>) -> bool {
        let fields = self.grammar.fields;
        self.field(statement, fields.alternative).is_none()
            && self
                .field(statement, fields.condition)
                .is_some_and(|it| self.binds_where(it, false))
            && self
                .field(statement, fields.consequence)
                .is_some_and(|it| self.may_leave(it))
    }

    /// Returns whether a pattern in a condition is matched wherever the condition is `is_true`: for `true` one in
    /// `a && o instanceof A x`, for `false` one in `a || !(o instanceof A x)`.
    fn binds_where(&self, condition: Node<'t>, is_true: bool) -> bool {
        let fields = self.grammar.fields;
        let operator = self.field(condition, fields.operator);
        let operator = operator.map_or("", |it| self.text(it));
        match self.kind(condition) {
            Kind::InstanceOf => is_true,
            Kind::Parenthesized => condition
                .named_child(0)
                .is_some_and(|it| self.binds_where(it, is_true)),
            Kind::Unary if operator == "!" => condition
                .named_child(0)
                .is_some_and(|it| self.binds_where(it, !is_true)),
            Kind::Binary if operator == if is_true { "&&" } else { "||" } => {
                let sides = [fields.left, fields.right];
                let mut sides = sides.into_iter().filter_map(|it| self.field(condition, it));
                sides.any(|it| self.binds_where(it, is_true))
            }
            _ => false,
        }
    }

    /// Returns whether the code behind a statement may be out of its reach, as behind a `return`. Loops, `try` and `switch` are not
    /// read for it: they may be.
    fn may_leave(&self, statement: Node<'t>) -> bool {
        let fields = self.grammar.fields;
        match self.kind(statement) {
            Kind::Block => {
                let last = self.children(statement).last().copied();
                last.is_some_and(|it| self.may_leave(it))
            }
            Kind::IfStatement => [fields.consequence, fields.alternative]
                .into_iter()
                .all(|it| {
                    self.field(statement, it)
                        .is_some_and(|it| self.may_leave(it))
                }),
            Kind::LocalVariable | Kind::ExpressionStatement => false,
            _ => true,
        }
    }

    fn bind_local(&mut self, name: Option<Node<'t>>, value: ExprId) {
        if let Some(name) = name {
            self.locals.bind(self.text(name), Local::Value(value));
        }
    }

    /// `A a = value, b;`
    fn walk_variables(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let type_ = self.field(node, fields.type_);
        if let Some(type_) = type_ {
            self.use_type(type_, ReferenceKind::Type);
        }
        let declared = match type_ {
            Some(type_) if self.text(type_) != "var" => self.lower_type(type_),
            _ => self.unknown,
        };
        for modifiers in self.children(node) {
            if self.kind(modifiers) == Kind::Modifiers {
                self.walk_children(modifiers);
            }
        }
        for declarator in self.children(node) {
            if self.kind(declarator) != Kind::VariableDeclarator {
                continue;
            }
            if let Some(value) = self.field(declarator, fields.value) {
                self.walk_as(value, declared);
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
        let fields = self.grammar.fields;
        let value = match type_ {
            Some(type_) if self.text(type_) != "var" => {
                let value = self.lower_type(type_);
                let dimensions = self.field(declarator, fields.dimensions);
                self.with_dimensions(value, dimensions)
            }
            _ => match self.field(declarator, fields.value) {
                Some(value) => self.lower_expr(value),
                None => self.unknown,
            },
        };
        self.bind_local(self.field(declarator, fields.name), value);
    }

    /// `for (A a : all)`
    fn walk_each(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let type_ = self.field(node, fields.type_);
        if let Some(type_) = type_ {
            self.use_type(type_, ReferenceKind::Type);
        }
        let value = self.field(node, fields.value);
        if let Some(value) = value {
            self.walk(value);
        }
        let n_outer = self.locals.enter();
        let element = match (type_, value) {
            (Some(type_), _) if self.text(type_) != "var" => self.lower_type(type_),
            (_, Some(value)) => {
                let object = self.lower_expr(value);
                self.element(object)
            }
            _ => self.unknown,
        };
        self.bind_local(self.field(node, fields.name), element);
        if let Some(body) = self.field(node, fields.body) {
            self.walk(body);
        }
        self.locals.leave(n_outer);
    }

    /// `try (A a = value)`
    fn walk_resource(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let (type_, value) = (
            self.field(node, fields.type_),
            self.field(node, fields.value),
        );
        let Some(name) = self.field(node, fields.name) else {
            self.walk_children(node);
            return;
        };
        if let Some(type_) = type_ {
            self.use_type(type_, ReferenceKind::Type);
        }
        if let Some(value) = value {
            self.walk(value);
        }
        let held = match (type_, value) {
            (Some(type_), _) if self.text(type_) != "var" => self.lower_type(type_),
            (_, Some(value)) => self.lower_expr(value),
            _ => self.unknown,
        };
        self.bind_local(Some(name), held);
    }

    /// `A a` in a pattern.
    fn walk_pattern(&mut self, node: Node<'t>) {
        let children = self.children(node);
        if let Some(type_) = children.iter().find(|it| self.kind(**it).is_type()) {
            self.use_type(*type_, ReferenceKind::Type);
        }
        self.bind_pattern(node);
        for child in children {
            if self.kind(child) == Kind::RecordPattern {
                self.walk(child);
            }
        }
    }

    /// Binds the name of `A a` in a pattern.
    pub(super) fn bind_pattern(&mut self, node: Node<'t>) {
        let children = self.children(node);
        let type_ = children.iter().find(|it| self.kind(**it).is_type());
        let name = children
            .iter()
            .rfind(|it| self.kind(**it) == Kind::Identifier);
        let value = type_.map_or(self.unknown, |it| self.lower_type(*it));
        self.bind_local(name.copied(), value);
    }

    /// `Circle(Point at, var size)`: a component with `var` has the type that the record says.
    fn walk_components(&mut self, pattern: Node<'t>, body: Node<'t>) {
        let record = self.children(pattern).first().copied();
        for (index, component) in self.children(body).into_iter().enumerate() {
            self.walk(component);
            if let (Some(record), Ok(index)) = (record, u8::try_from(index)) {
                self.bind_component(record, component, index);
            }
        }
    }

    fn bind_component(&mut self, record: Node<'t>, component: Node<'t>, index: u8) {
        let children = self.children(component);
        let is_pattern = |it: &Node<'t>| self.kind(*it) == Kind::RecordPattern;
        let is_var = |it: &&Node<'t>| self.kind(**it).is_type() && self.text(**it) == "var";
        let is_name = |it: &&Node<'t>| self.kind(**it) == Kind::Identifier;
        let names: Vec<&Node<'t>> = children.iter().filter(is_name).collect();
        let is_inferred = children.iter().any(|it| is_var(&it));
        if !is_inferred || children.iter().any(is_pattern) {
            return;
        }
        let Some(name) = names.last().copied().copied() else {
            return;
        };
        let callee = if self.kind(record).is_type() {
            self.type_path(record)
        } else {
            self.qualifier(record)
        };
        if callee != self.unknown {
            let value = self.add(Expr::Param { callee, index });
            self.bind_local(Some(name), value);
        }
    }

    fn walk_switch(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let mut subject = self.unknown;
        if let Some(condition) = self.field(node, fields.condition) {
            self.walk(condition);
            subject = self.lower_expr(condition);
        }
        let outer = std::mem::replace(&mut self.subject, subject);
        if let Some(body) = self.field(node, fields.body) {
            self.walk(body);
        }
        self.subject = outer;
    }

    /// `case A:`, where `A` may be a constant of an enumeration.
    fn walk_label(&mut self, node: Node<'t>) {
        for child in self.children(node) {
            let is_name = self.kind(child) == Kind::Identifier;
            let name = self.text(child);
            if !is_name || self.locals.value_or_class(name).is_some() {
                self.walk(child);
                continue;
            }
            let member = self.member_of(self.subject, name);
            let own = self.name(name);
            let value = self.union(vec![member, own]);
            self.push_use(child, Target::Value(value), ReferenceKind::Value);
        }
    }

    fn use_identifier(&mut self, node: Node<'t>) {
        let name = self.text(node);
        match self.locals.value_or_class(name) {
            Some(Local::Value(_)) => {}
            Some(Local::Class(symbol)) => {
                self.push_use(node, Target::Symbol(symbol), ReferenceKind::Value);
            }
            _ => self.push_use(node, Target::Lexical, ReferenceKind::Value),
        }
    }

    /// Records the uses in a receiver. The first part of the name of a package is no use.
    fn use_object(&mut self, node: Node<'t>) {
        match self.kind(node) {
            Kind::Super | Kind::This => {}
            _ => self.walk(node),
        }
    }

    /// Returns whether a name before a dot is known without the type of a value: a chain of names that the file shows.
    fn is_plain(&self, node: Node<'t>) -> bool {
        match self.kind(node) {
            Kind::Identifier => !matches!(
                self.locals.value_or_class(self.text(node)),
                Some(Local::Value(_))
            ),
            Kind::This | Kind::Super => true,
            kind if kind.is_type() => true,
            Kind::FieldAccess => {
                let object = self.field(node, self.grammar.fields.object);
                object.is_some_and(|it| self.is_plain(it))
            }
            _ => false,
        }
    }

    fn use_field_access(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let (Some(object), Some(name)) = (
            self.field(node, fields.object),
            self.field(node, fields.field),
        ) else {
            return;
        };
        if let Some(found) = self.qualified_type(node) {
            self.push_use(name, Target::Value(found), ReferenceKind::Value);
            return;
        }
        self.use_object(object);
        if self.kind(name) == Kind::This {
            return;
        }
        let receiver = self.lower_object(object);
        let target = Target::Member {
            receiver,
            is_inferred: !self.is_plain(object),
        };
        self.push_use(name, target, ReferenceKind::Value);
    }

    fn use_invocation(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let object = self.field(node, fields.object);
        if let Some(object) = object {
            self.use_object(object);
        }
        if let Some(types) = self.field(node, fields.type_arguments) {
            self.use_type(types, ReferenceKind::Type);
        }
        let call = self.call_head(node);
        if let Some(name) = self.field(node, fields.name) {
            let target = if call == self.unknown {
                Target::Member {
                    receiver: self.unknown,
                    is_inferred: true,
                }
            } else {
                Target::Value(self.add(Expr::Callee { call }))
            };
            self.push_use(name, target, ReferenceKind::Call);
        }
        if let Some(arguments) = self.field(node, fields.arguments) {
            self.walk_children(arguments);
        }
    }

    /// `new A(…)`, `outer.new A(…)`, `new A(…) { … }`
    fn use_new(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let outer = self.outer_object(node);
        let type_ = self.field(node, fields.type_);
        if let Some(outer) = outer {
            self.walk(outer);
        }
        if let Some(type_) = type_ {
            match outer {
                Some(outer) => {
                    let target = Target::Member {
                        receiver: self.lower_expr(outer),
                        is_inferred: true,
                    };
                    let name = match self.kind(type_) {
                        Kind::GenericType => type_.named_child(0).unwrap_or(type_),
                        _ => type_,
                    };
                    self.push_use(name, target, ReferenceKind::New);
                }
                None => self.use_type(type_, ReferenceKind::New),
            }
        }
        if let Some(arguments) = self.field(node, fields.arguments) {
            self.expect_of_new(node, arguments);
            self.walk_children(arguments);
        }
        if let Some(body) = self.child_of(node, Kind::ClassBody) {
            self.anonymous_class(node, type_, body);
        }
    }

    /// Notes the types that lambdas among the arguments of a constructor become instances of.
    fn expect_of_new(&mut self, node: Node<'t>, arguments: Node<'t>) {
        let args = self.arguments(Some(arguments));
        let has_function = args
            .iter()
            .any(|it| matches!(self.kind(*it), Kind::Lambda | Kind::MethodReference));
        if !has_function {
            return;
        }
        let class = self.created(node);
        if class == self.unknown {
            return;
        }
        for (index, arg) in args.iter().enumerate() {
            if let Ok(index) = u8::try_from(index)
                && matches!(self.kind(*arg), Kind::Lambda | Kind::MethodReference)
            {
                let param = self.add(Expr::Param {
                    callee: class,
                    index,
                });
                self.expected.insert(arg.id(), param);
            }
        }
    }

    /// Adds the class of `new A() { … }`, named after `A`: `$A`. It is built on `A`; its members bear the name of what is
    /// around.
    fn anonymous_class(&mut self, node: Node<'t>, type_: Option<Node<'t>>, body: Node<'t>) {
        let Some(type_) = type_ else {
            return;
        };
        let name = self.text(type_);
        let name = name.split('<').next().unwrap_or(name);
        let name = name.rsplit('.').next().unwrap_or(name).trim();
        let n = self.anonymous.entry((self.around, name)).or_default();
        *n += 1;
        let name = match *n {
            1 => format!("${name}"),
            n => format!("${name}${n}"),
        };
        let symbol = self.add_symbol(NewSymbol {
            name: &name,
            kind: SymbolKind::Class,
            node,
            name_node: type_,
            head_start: node.start_byte(),
            head_end: body.start_byte(),
            skips_owner: false,
        });
        let base = self.type_path(type_);
        if base != self.unknown {
            self.bind(symbol, Slot::Base(BaseKind::Extends), base);
        }
        let around = self.around.replace(symbol);
        let outer = std::mem::replace(&mut self.returned, self.unknown);
        self.type_body(body);
        self.returned = outer;
        self.around = around;
    }

    /// `super(…)` calls a constructor of the base; `this(…)` one of the class itself.
    fn use_constructor_call(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        if let Some(callee) = self.field(node, fields.constructor)
            && self.kind(callee) == Kind::Super
            && self.has_superclass(node)
        {
            let scope = self.around;
            let base = self.add(Expr::Super { scope });
            self.push_use(callee, Target::Value(base), ReferenceKind::New);
        }
        if let Some(callee) = self.field(node, fields.constructor)
            && self.kind(callee) == Kind::This
            && !self.in_record()
        {
            let call = self.own_constructor_call(self.field(node, fields.arguments));
            let target = self.add(Expr::Callee { call });
            self.push_use(callee, Target::Value(target), ReferenceKind::Call);
        }
        if let Some(arguments) = self.field(node, fields.arguments) {
            self.walk_children(arguments);
        }
    }

    /// Whether the class around a node says what it is built on; else that is `Object`.
    fn has_superclass(&self, node: Node<'t>) -> bool {
        let mut around = std::iter::successors(Some(node), Node::parent).take(MAX_DEPTH);
        let class = around.find(|it| self.kind(*it).is_type_declaration());
        class.is_none_or(|it| self.child_of(it, Kind::Superclass).is_some())
    }

    /// Whether the symbol around is a constructor of a record, of which the canonical one need not be written.
    fn in_record(&self) -> bool {
        let class = self
            .around
            .and_then(|at| self.facts.symbols[at as usize].parent);
        class.is_some_and(|at| {
            self.facts.symbols[at as usize]
                .signature
                .contains("record ")
        })
    }

    /// `A::b`, `a::b`, `this::b`, `A::new`
    fn use_method_reference(&mut self, node: Node<'t>) {
        let (Some(object), Some(name)) = (node.child(0), self.referenced(node)) else {
            return;
        };
        let is_new = name.kind() == "new";
        if is_new {
            // The class is made an instance of.
            if self.kind(object) == Kind::Identifier || self.kind(object).is_type() {
                // `Item[]::new` makes an array alone.
                let is_array = self.kind(object) == Kind::ArrayType;
                let kind = if is_array {
                    ReferenceKind::Type
                } else {
                    ReferenceKind::New
                };
                self.use_type(object, kind);
            } else {
                self.walk(object);
            }
            return;
        }
        if self.kind(object).is_type() {
            self.use_type(object, ReferenceKind::Type);
        } else {
            self.use_object(object);
        }
        let receiver = self.reference_object(object);
        let callee = self.member_of(receiver, &method_name(self.text(name)));
        let target = if callee == self.unknown {
            Target::Member {
                receiver: self.unknown,
                is_inferred: true,
            }
        } else {
            Target::Value(callee)
        };
        self.push_use(name, target, ReferenceKind::Call);
    }
}
