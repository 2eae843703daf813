//! Lowering of expressions: the part of a value that name resolution can use.

use std::ops::ControlFlow;

use tree_sitter::Node;

use super::grammar::Kind;
use super::locals::Local;
use super::lowering::{Lowering, MAX_DEPTH};
use super::names::{CONSTRUCTOR, method_name};
use crate::ir::{Expr, ExprId};
use crate::model::BuiltinSet;
use crate::syntax::lang::tree_walk::each_node;

/// The most arguments of a call that are kept.
const MAX_ARGS: usize = 24;

/// Methods whose further arguments are about the same elements: `groupingBy(f, filtering(g, …))`.
static PASSES_ON: BuiltinSet = BuiltinSet::new(
    "Java: collectors that pass elements on",
    "groupingBy groupingByConcurrent partitioningBy filtering collectingAndThen minBy maxBy thenComparing",
);

/// Collections that may be made of the elements of another one.
static COPIES: BuiltinSet = BuiltinSet::new(
    "Java: collections made of others",
    "ArrayDeque ArrayList ConcurrentLinkedDeque ConcurrentLinkedQueue CopyOnWriteArrayList HashSet LinkedBlockingDeque \
     LinkedBlockingQueue LinkedHashSet LinkedList PriorityQueue TreeSet Vector",
);

/// Generic types of the standard library whose methods are often referred to without type arguments: `Collection::stream`.
static RAW_TYPES: BuiltinSet = BuiltinSet::new(
    "Java: generic types before two colons",
    "Collection Entry Iterable List Map Map.Entry Optional Set Stream",
);

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

    #[expect(clippy::match_same_arms, reason = "each arm is a case of its own")]
    fn lower_new(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Identifier => self.lower_name(node),
            Kind::This => self.add(Expr::Receiver { scope: self.around }),
            Kind::Parenthesized => match node.named_child(0) {
                Some(inner) => self.lower_expr(inner),
                None => self.unknown,
            },
            Kind::FieldAccess => self.lower_field_access(node),
            Kind::MethodInvocation => self.lower_invocation(node),
            Kind::New => {
                let mut class = self.created(node);
                if class == self.unknown {
                    return class;
                }
                if self.is_diamond(node) {
                    let args = [self.diamond_argument(node)].into();
                    class = self.add(Expr::Specialized { base: class, args });
                }
                self.add(Expr::Construct { class })
            }
            Kind::ArrayAccess => match self.field(node, fields.array) {
                Some(array) => {
                    let object = self.lower_expr(array);
                    self.element(object)
                }
                None => self.unknown,
            },
            Kind::ArrayCreation => {
                let type_ = self.field(node, fields.type_);
                let element = type_.map_or(self.unknown, |it| self.lower_type(it));
                let n = self
                    .text(node)
                    .split('{')
                    .next()
                    .map_or(0, |head| head.matches('[').count());
                (0..n.min(16)).fold(element, |element, _| self.array(element))
            }
            Kind::Cast => match self.field(node, fields.type_) {
                Some(type_) => self.lower_type(type_),
                None => self.unknown,
            },
            Kind::Ternary => {
                let (one, other) = (
                    self.field(node, fields.consequence),
                    self.field(node, fields.alternative),
                );
                let all = one.into_iter().chain(other);
                let all: Vec<ExprId> = all.map(|it| self.lower_expr(it)).collect();
                let null = self.primitive("null");
                let all = all.into_iter().filter(|it| *it != null).collect();
                self.union(all)
            }
            Kind::Assignment => match self.field(node, fields.left) {
                Some(left) => self.lower_expr(left),
                None => self.unknown,
            },
            Kind::SwitchExpression => self.lower_switch(node),
            Kind::Lambda => self.lower_lambda(node),
            Kind::MethodReference => self.lower_method_reference(node),
            Kind::ClassLiteral => {
                let type_ = node.named_child(0);
                let of = type_.map_or(self.unknown, |it| self.lower_type(it));
                let name = self.facts.exprs.name("Class");
                let base = self.add(Expr::Name { name, scope: None });
                let args = vec![of].into();
                let class = self.add(Expr::Specialized { base, args });
                self.instance(class)
            }
            Kind::Binary => self.lower_binary(node),
            Kind::Unary => match (node.child(0).map(|it| it.kind()), node.named_child(0)) {
                (Some("!"), _) => self.primitive("boolean"),
                (_, Some(operand)) => self.lower_expr(operand),
                _ => self.unknown,
            },
            Kind::Update => match node.named_child(0) {
                Some(operand) => self.lower_expr(operand),
                None => self.unknown,
            },
            Kind::InstanceOf | Kind::True | Kind::False => self.primitive("boolean"),
            Kind::Str => self.primitive("String"),
            Kind::Character => self.primitive("char"),
            Kind::Null => self.primitive("null"),
            Kind::DecimalInteger | Kind::HexInteger | Kind::OctalInteger | Kind::BinaryInteger => {
                let is_long = self.text(node).ends_with(['l', 'L']);
                self.primitive(if is_long { "long" } else { "int" })
            }
            Kind::DecimalFloat | Kind::HexFloat => {
                let is_float = self.text(node).ends_with(['f', 'F']);
                self.primitive(if is_float { "float" } else { "double" })
            }
            _ => self.unknown,
        }
    }

    /// Adds a value of a type that needs no import.
    pub(super) fn primitive(&mut self, name: &str) -> ExprId {
        self.facts.exprs.instance_of_name(name)
    }

    /// Adds an element of a container.
    pub(super) fn element(&mut self, object: ExprId) -> ExprId {
        self.facts.exprs.element_of_known(object)
    }

    fn lower_name(&mut self, node: Node<'t>) -> ExprId {
        let name = self.text(node);
        match self.locals.value_or_class(name) {
            Some(Local::Value(value)) => value,
            Some(Local::Class(symbol)) => self.add(Expr::Symbol(symbol)),
            _ => self.name(name),
        }
    }

    fn lower_field_access(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        let (Some(object), Some(name)) = (
            self.field(node, fields.object),
            self.field(node, fields.field),
        ) else {
            return self.unknown;
        };
        if self.kind(name) == Kind::This {
            // `Outer.this`
            let class = self.lower_expr(object);
            return self.instance(class);
        }
        if let Some(found) = self.qualified_type(node) {
            return found;
        }
        let object = self.lower_object(object);
        self.member_of(object, self.text(name))
    }

    /// Lowers a receiver.
    pub(super) fn lower_object(&mut self, node: Node<'t>) -> ExprId {
        if self.kind(node) == Kind::Super {
            return self.add(Expr::Super { scope: self.around });
        }
        self.lower_expr(node)
    }

    /// Lowers the class that `new` makes an instance of.
    pub(super) fn created(&mut self, node: Node<'t>) -> ExprId {
        let Some(type_) = self.field(node, self.grammar.fields.type_) else {
            return self.unknown;
        };
        match self.outer_object(node) {
            // `outer.new Inner()`
            Some(outer) => {
                let object = self.lower_expr(outer);
                let name = self.text(type_);
                let name = name.split(['<', ' ']).next().unwrap_or(name);
                self.member_of(object, name)
            }
            None => self.type_path(type_),
        }
    }

    /// Whether `new` leaves out the type arguments: `new ArrayList<>()`.
    fn is_diamond(&self, node: Node<'t>) -> bool {
        let type_ = self.field(node, self.grammar.fields.type_);
        type_.is_some_and(|it| {
            let list = self.child_of(it, Kind::TypeArguments);
            list.is_some_and(|list| self.children(list).is_empty())
        })
    }

    /// Returns the type argument that a constructor's argument tells: `Item` for `new ArrayList<>(items)`; else it is unknown, and
    /// so are the results of methods that return it.
    fn diamond_argument(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        let name = self.field(node, fields.type_).map(|it| self.text(it));
        let name = name.and_then(|it| it.split('<').next());
        let args = self.arguments(self.field(node, fields.arguments));
        let (true, [one]) = (name.is_some_and(|it| COPIES.has(it.trim())), &args[..]) else {
            return self.unknown;
        };
        if !self.imports_collections() {
            return self.unknown;
        }
        let object = self.lower_expr(*one);
        self.element(object)
    }

    fn imports_collections(&self) -> bool {
        let mut imports = self.facts.imports.iter();
        imports.any(|it| it.specifier.starts_with("java.util"))
    }

    /// Returns the object before `.new`.
    pub(super) fn outer_object(&self, node: Node<'t>) -> Option<Node<'t>> {
        let first = node.child(0)?;
        (first.is_named() && first.kind() != "new")
            .then_some(first)
            .filter(|it| !matches!(self.kind(*it), Kind::LineComment | Kind::BlockComment))
    }

    /// Lowers the callee of `object.name(…)`; unknown where the object is.
    pub(super) fn callee(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        let Some(name) = self.field(node, fields.name) else {
            return self.unknown;
        };
        let name = method_name(self.text(name));
        let Some(object) = self.field(node, fields.object) else {
            return self.name(&name);
        };
        let mut receiver = self.lower_object(object);
        if self.kind(object) != Kind::Super && self.child_of(node, Kind::Super).is_some() {
            // `Shape.super.draw()`
            receiver = self.instance(receiver);
        }
        self.member_of(receiver, &name)
    }

    /// Lowers a call as far as it tells which of several methods is called: without the bodies of lambdas.
    pub(super) fn call_head(&mut self, node: Node<'t>) -> ExprId {
        if let Some(known) = self.call_heads.get(&node.id()) {
            return *known;
        }
        let callee = self.callee(node);
        let list = self.field(node, self.grammar.fields.arguments);
        let args = self.arguments(list);
        self.hand_on(node, callee, &args);
        let mut lowered = Vec::with_capacity(args.len());
        for arg in &args {
            let is_function = matches!(self.kind(*arg), Kind::Lambda | Kind::MethodReference);
            lowered.push(if is_function {
                self.lambda_shape(*arg)
            } else {
                self.lower_expr(*arg)
            });
        }
        let types = self.written_types(node);
        let call = if callee == self.unknown {
            callee
        } else {
            self.add(Expr::Call {
                callee,
                types: types.into(),
                args: lowered.into(),
            })
        };
        self.call_heads.insert(node.id(), call);
        self.expect_of_call(call, &args);
        if let Some(expected) = self.expected.get(&node.id()).copied() {
            let n_functions = match self.called_name(node) {
                "toMap" | "toConcurrentMap" => 2,
                _ => 1,
            };
            for arg in args.iter().take(n_functions) {
                if matches!(self.kind(*arg), Kind::Lambda | Kind::MethodReference) {
                    self.expected.insert(arg.id(), expected);
                }
            }
        }
        call
    }

    fn called_name(&self, node: Node<'t>) -> &'t str {
        let name = self.field(node, self.grammar.fields.name);
        name.map_or("", |it| self.text(it))
    }

    /// Notes for each argument that makes a function or a collector of functions of elements which function is expected of it:
    /// `it` in `jobs.sort(Comparator.comparing(it -> it.name()))` is what `sort` calls its comparator with.
    fn hand_on(&mut self, node: Node<'t>, callee: ExprId, args: &[Node<'t>]) {
        let own = self.expected.get(&node.id()).copied();
        for (arg, index) in args.iter().zip(0_u8..) {
            if !self.makes_function(*arg) {
                continue;
            }
            let expected = match own {
                Some(own) if PASSES_ON.has(self.called_name(node)) => own,
                Some(_) => continue,
                None if callee == self.unknown => continue,
                None => self.add(Expr::Param { callee, index }),
            };
            self.expect_of_maker(*arg, expected);
        }
    }

    /// Notes the function that is expected of `Comparator.comparing(…).thenComparing(…)`, for each call of the chain.
    pub(super) fn expect_of_maker(&mut self, node: Node<'t>, expected: ExprId) {
        let mut at = Some(node);
        while let Some(call) = at.filter(|it| self.kind(*it) == Kind::MethodInvocation) {
            self.expected.insert(call.id(), expected);
            at = self.field(call, self.grammar.fields.object);
        }
    }

    /// Whether a call makes a comparator or a collector: `Comparator.comparing(…)`.
    pub(super) fn makes_function(&self, node: Node<'t>) -> bool {
        if self.kind(node) != Kind::MethodInvocation {
            return false;
        }
        let mut at = node;
        for _ in 0..MAX_ARGS {
            match self.field(at, self.grammar.fields.object) {
                Some(object) => at = object,
                None => break,
            }
        }
        at != node && matches!(self.text(at), "Comparator" | "Collectors")
    }

    /// Lowers the call of another constructor of the class: `this(1)`.
    pub(super) fn own_constructor_call(&mut self, arguments: Option<Node<'t>>) -> ExprId {
        let receiver = self.add(Expr::Receiver { scope: self.around });
        let callee = self.member_of(receiver, CONSTRUCTOR);
        let args = self.arguments(arguments);
        let mut lowered = Vec::with_capacity(args.len());
        for arg in &args {
            let is_function = matches!(self.kind(*arg), Kind::Lambda | Kind::MethodReference);
            lowered.push(if is_function {
                self.lambda_shape(*arg)
            } else {
                self.lower_expr(*arg)
            });
        }
        self.add(Expr::Call {
            callee,
            types: Box::default(),
            args: lowered.into(),
        })
    }

    /// Lowers a lambda to the type `lambda` with an argument for each parameter and one for its result: a tuple of no items for a
    /// block that returns nothing, of one for a value, of two for an expression that may stand alone.
    fn lambda_shape(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        let plain = self.primitive("lambda");
        let (Kind::Lambda, Some(list), Some(body)) = (
            self.kind(node),
            self.field(node, fields.parameters),
            self.field(node, fields.body),
        ) else {
            return plain;
        };
        let n_params = match self.kind(list) {
            Kind::Identifier => 1,
            Kind::InferredParameters => self.children(list).len(),
            _ => self.params(list).len(),
        };
        let n_results = match self.kind(body) {
            Kind::Block if self.returns_value(body) => 1,
            // One that only throws fits both.
            Kind::Block if self.ends_in_throw(body) => 2,
            Kind::Block => 0,
            Kind::MethodInvocation | Kind::Assignment | Kind::New | Kind::Update => 2,
            _ => 1,
        };
        let result = self.add(Expr::Tuple(vec![self.unknown; n_results].into()));
        let mut args = vec![self.unknown; n_params];
        args.push(result);
        let name = self.facts.exprs.name("lambda");
        let base = self.add(Expr::Name { name, scope: None });
        let of = self.add(Expr::Specialized {
            base,
            args: args.into(),
        });
        self.add(Expr::Instance { of })
    }

    /// Whether a statement of a block returns a value, those of lambdas and classes inside left out.
    fn returns_value(&self, block: Node<'t>) -> bool {
        each_node(block, |node| match self.kind(node) {
            Kind::ReturnStatement if node.named_child_count() > 0 => ControlFlow::Break(()),
            Kind::Lambda | Kind::ClassBody => ControlFlow::Continue(false),
            _ => ControlFlow::Continue(true),
        })
        .is_some()
    }

    fn ends_in_throw(&self, block: Node<'t>) -> bool {
        let last = self.children(block).last().copied();
        last.is_some_and(|it| self.kind(it) == Kind::Throw)
    }

    /// Notes the type that each lambda among the arguments of a call becomes an instance of.
    pub(super) fn expect_of_call(&mut self, call: ExprId, args: &[Node<'t>]) {
        for (index, arg) in args.iter().enumerate() {
            let (true, Ok(index)) = (
                matches!(self.kind(*arg), Kind::Lambda | Kind::MethodReference)
                    && call != self.unknown,
                u8::try_from(index),
            ) else {
                continue;
            };
            let callee = self.add(Expr::Callee { call });
            let param = self.add(Expr::Param { callee, index });
            self.expected.insert(arg.id(), param);
        }
    }

    /// Returns the arguments in a list, without parentheses around them.
    pub(super) fn arguments(&self, list: Option<Node<'t>>) -> Vec<Node<'t>> {
        list.map_or_else(Vec::new, |list| self.children(list))
            .into_iter()
            .take(MAX_ARGS)
            .map(|it| self.unwrapped(it))
            .collect()
    }

    fn written_types(&mut self, node: Node<'t>) -> Vec<ExprId> {
        let Some(list) = self.field(node, self.grammar.fields.type_arguments) else {
            return Vec::new();
        };
        self.children(list)
            .into_iter()
            .take(MAX_ARGS)
            .map(|it| self.lower_type(it))
            .collect()
    }

    fn lower_invocation(&mut self, node: Node<'t>) -> ExprId {
        let head = self.call_head(node);
        let args = self.arguments(self.field(node, self.grammar.fields.arguments));
        let has_function = args
            .iter()
            .any(|it| matches!(self.kind(*it), Kind::Lambda | Kind::MethodReference));
        if !has_function || head == self.unknown {
            return head;
        }
        let lowered: Vec<ExprId> = args.iter().map(|it| self.lower_expr(*it)).collect();
        let types = self.written_types(node);
        let callee = self.add(Expr::Callee { call: head });
        self.add(Expr::Call {
            callee,
            types: types.into(),
            args: lowered.into(),
        })
    }

    /// Lowers a lambda to a function that returns the value of its body.
    fn lower_lambda(&mut self, node: Node<'t>) -> ExprId {
        let Some(body) = self.field(node, self.grammar.fields.body) else {
            return self.unknown;
        };
        let n_outer = self.locals.enter();
        self.enter_lambda(node);
        let result = if self.kind(body) == Kind::Block {
            self.handed_out_by(body, Kind::ReturnStatement)
        } else {
            self.lower_expr(body)
        };
        self.locals.leave(n_outer);
        if result == self.unknown {
            return result;
        }
        self.add(Expr::Callable { result })
    }

    /// Lowers a `switch` to what its rules and `yield` statements give.
    fn lower_switch(&mut self, node: Node<'t>) -> ExprId {
        let Some(body) = self.field(node, self.grammar.fields.body) else {
            return self.unknown;
        };
        let mut all = Vec::new();
        for rule in self.children(body) {
            let n_outer = self.locals.enter();
            for part in self.children(rule) {
                match self.kind(part) {
                    Kind::SwitchLabel => self.bind_patterns(part),
                    Kind::Block => all.push(self.handed_out_by(part, Kind::Yield)),
                    Kind::ExpressionStatement | Kind::Yield => {
                        if let Some(value) = part.named_child(0) {
                            all.push(self.lower_expr(value));
                        }
                    }
                    _ => {}
                }
            }
            self.locals.leave(n_outer);
        }
        let null = self.primitive("null");
        all.retain(|it| *it != null);
        self.union(all)
    }

    /// Binds the names of the patterns in a label, whose uses are recorded elsewhere.
    fn bind_patterns(&mut self, node: Node<'t>) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        for child in self.children(node) {
            match self.kind(child) {
                Kind::TypePattern | Kind::RecordPatternComponent => self.bind_pattern(child),
                Kind::Guard => {}
                _ => self.bind_patterns(child),
            }
        }
        self.depth -= 1;
    }

    /// Lowers what the statements of a block hand out, those of one kind, as far as its own declarations tell.
    fn handed_out_by(&mut self, block: Node<'t>, statement: Kind) -> ExprId {
        let mut all = Vec::new();
        for child in self.children(block) {
            match self.kind(child) {
                Kind::LocalVariable => self.bind_variables(child),
                kind if kind == statement => {
                    if let Some(value) = child.named_child(0) {
                        all.push(self.lower_expr(value));
                    }
                }
                _ => {}
            }
        }
        self.union(all)
    }

    /// Binds the parameters of a lambda.
    pub(super) fn enter_lambda(&mut self, node: Node<'t>) {
        let Some(list) = self.field(node, self.grammar.fields.parameters) else {
            return;
        };
        let expected = self.expected.get(&node.id()).copied();
        let names = match self.kind(list) {
            Kind::Identifier => vec![list],
            Kind::InferredParameters => self.children(list),
            _ => {
                for (index, (param, _)) in self.params(list).into_iter().enumerate() {
                    let is_var = param.type_.is_some_and(|it| self.text(it) == "var");
                    let value = if is_var {
                        self.given_to_lambda(expected, index)
                    } else {
                        self.param_type(&param)
                    };
                    self.locals.bind(param.name, Local::Value(value));
                }
                return;
            }
        };
        for (index, name) in names.into_iter().enumerate() {
            let value = self.given_to_lambda(expected, index);
            self.locals.bind(self.text(name), Local::Value(value));
        }
    }

    fn given_to_lambda(&mut self, expected: Option<ExprId>, index: usize) -> ExprId {
        let callee = expected.unwrap_or(self.unknown);
        self.facts.exprs.param_of_known(callee, index)
    }

    /// Lowers `object::name` and `Class::new`.
    fn lower_method_reference(&mut self, node: Node<'t>) -> ExprId {
        let (Some(object), Some(name)) = (node.child(0), self.referenced(node)) else {
            return self.unknown;
        };
        if name.kind() == "new" {
            let class = self.reference_object(object);
            if class == self.unknown {
                return class;
            }
            let result = self.add(Expr::Construct { class });
            return self.add(Expr::Callable { result });
        }
        // The object that the function is called on has the type arguments which `Optional` in `Optional::get` leaves out.
        let is_raw = RAW_TYPES.has(self.text(object));
        let expected = self.expected.get(&node.id()).copied().filter(|_| is_raw);
        let object = match self.given_to_lambda(expected, 0) {
            given if given == self.unknown => self.reference_object(object),
            given => given,
        };
        let callee = self.member_of(object, &method_name(self.text(name)));
        if callee == self.unknown {
            return callee;
        }
        let result = self.add(Expr::Call {
            callee,
            types: Box::default(),
            args: Box::default(),
        });
        self.add(Expr::Callable { result })
    }

    /// Lowers the left side of `::`: an expression, or a type.
    pub(super) fn reference_object(&mut self, node: Node<'t>) -> ExprId {
        if self.kind(node).is_type() {
            return self.type_path(node);
        }
        self.lower_object(node)
    }

    /// Returns the name behind `::`, or the word `new`.
    #[expect(clippy::unused_self, reason = "reads as `callee` does")]
    #[expect(clippy::useless_conversion, reason = "reads best as it is")]
    pub(super) fn referenced(&self, node: Node<'t>) -> Option<Node<'t>> {
        let last = node.child(u32::try_from(node.child_count().checked_sub(1)?).ok()?)?;
        (last.kind() == "identifier" || last.kind() == "new").then_some(last)
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
            "&&" | "||" | "==" | "!=" | "<" | ">" | "<=" | ">=" => self.primitive("boolean"),
            _ => {
                let text = self.primitive("String");
                let (left, right) = (self.lower_expr(left), self.lower_expr(right));
                if operator == "+" && (left == text || right == text) {
                    return text;
                }
                match self.promoted(left, right) {
                    Some(promoted) => self.primitive(promoted),
                    None if left == right => left,
                    None => self.unknown,
                }
            }
        }
    }

    /// Returns the type of a number that is computed of two (The Java Language Specification, 5.6): of an `int` and a `long` a `long`.
    fn promoted(&self, left: ExprId, right: ExprId) -> Option<&'static str> {
        let both = [self.number_type(left)?, self.number_type(right)?];
        let widest = ["double", "float", "long"]
            .into_iter()
            .find(|wide| both.contains(wide));
        Some(widest.unwrap_or("int"))
    }

    /// The primitive type of a number, where that is evident.
    fn number_type(&self, value: ExprId) -> Option<&str> {
        let exprs = &self.facts.exprs;
        let Expr::Instance { of } = exprs.get(value) else {
            return None;
        };
        let Expr::Name { name, scope: None } = exprs.get(*of) else {
            return None;
        };
        let name = exprs.name_of(*name);
        matches!(
            name,
            "byte" | "char" | "short" | "int" | "long" | "float" | "double"
        )
        .then_some(name)
    }
}
