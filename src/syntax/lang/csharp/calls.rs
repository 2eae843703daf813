//! Calls: callees, arguments, and the types that functions among the arguments become instances of.

use std::ops::ControlFlow;

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use super::members::MAX_PARAMS;
use crate::ir::{Expr, ExprId, ReferenceKind, Target};
use crate::syntax::lang::tree_walk::each_node;

/// The most arguments of a call that are kept: as many as parameters, so that a longer call fits its method.
const MAX_ARGS: usize = MAX_PARAMS;

impl<'t> Lowering<'t> {
    /// Splits what stands before the arguments of a call into a receiver and a name.
    fn split_callee(&self, node: Node<'t>) -> Option<(Option<Node<'t>>, Node<'t>)> {
        let function = self.field(node, self.grammar.fields.function)?;
        match self.kind(function) {
            Kind::Identifier | Kind::GenericName => Some((None, function)),
            Kind::MemberAccess | Kind::ConditionalAccess => {
                let (object, name) = self.split_access(function)?;
                Some((Some(object), name))
            }
            _ => None,
        }
    }

    /// Lowers the callee of a call; unknown where the receiver is.
    fn callee(&mut self, node: Node<'t>) -> ExprId {
        let Some((object, name)) = self.split_callee(node) else {
            // A function that is a value: `handlers[0](x)`.
            let function = self.field(node, self.grammar.fields.function);
            return function.map_or(self.unknown, |it| self.lower_expr(it));
        };
        let method = self.method_name(name);
        let Some(object) = object else {
            if let Some(value) = self.locals.get(self.name_text(self.bare_name(name))) {
                return value;
            }
            return self.name(&method);
        };
        let receiver = self.lower_expr(object);
        let receiver = self.class_of(receiver);
        self.member_of(receiver, &method)
    }

    /// Lowers a call as far as it tells which of several methods is called: without the bodies of lambdas.
    pub(super) fn call_head(&mut self, node: Node<'t>) -> ExprId {
        if let Some(known) = self.call_heads.get(&node.id()) {
            return *known;
        }
        let callee = self.callee(node);
        let list = self.field(node, self.grammar.fields.arguments);
        let args = self.arguments(list);
        let mut lowered = self.shapes_of_arguments(&args);
        self.name_arguments(list, &mut lowered);
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
        if call != self.unknown {
            let callee = self.add(Expr::Callee { call });
            self.expect_of(callee, &args);
        }
        call
    }

    /// Lowers a lambda to the type `lambda` with an argument for each parameter and one for the result: a tuple of no items for a
    /// block that returns nothing, of one for a block that returns a value, of two for an asynchronous function. An anonymous
    /// method without a list of parameters has no arguments.
    fn lambda_shape(&mut self, node: Node<'t>) -> ExprId {
        let list = self.field(node, self.grammar.fields.parameters);
        let list = list.or_else(|| self.child_of(node, Kind::ParameterList));
        let Some(list) = list else {
            return self.primitive("lambda");
        };
        let mut args: Vec<ExprId> = match self.kind(list) {
            Kind::ImplicitParameter => vec![self.unknown],
            _ => vec![self.unknown; self.params(list).len()],
        };
        let body = self.field(node, self.grammar.fields.body);
        let block = body
            .or_else(|| self.child_of(node, Kind::Block))
            .filter(|it| self.kind(*it) == Kind::Block);
        let is_async = self.has_word(node, "async") || self.is_async(node);
        args.push(match block {
            _ if is_async => self.add(Expr::Tuple([self.unknown; 2].into())),
            Some(block) if self.returns_value(block) => {
                self.add(Expr::Tuple([self.unknown].into()))
            }
            Some(block) if !self.only_throws(block) => self.add(Expr::Tuple(Box::default())),
            _ => self.unknown,
        });
        let name = self.facts.exprs.name("lambda");
        let base = self.add(Expr::Name { name, scope: None });
        let of = self.add(Expr::Specialized {
            base,
            args: args.into(),
        });
        self.add(Expr::Instance { of })
    }

    fn is_async(&self, node: Node<'t>) -> bool {
        let children = self.children(node);
        let mut modifiers = children
            .iter()
            .take_while(|it| self.kind(**it) == Kind::Modifier);
        modifiers.any(|it| self.text(*it) == "async")
    }

    /// Whether a statement of a block, but of functions in it, returns a value.
    fn returns_value(&self, block: Node<'t>) -> bool {
        let found = each_node(block, |node| match self.kind(node) {
            Kind::Return if !self.children(node).is_empty() => ControlFlow::Break(()),
            Kind::LocalFunction => ControlFlow::Continue(false),
            kind => ControlFlow::Continue(!kind.is_lambda()),
        });
        found.is_some()
    }

    /// Whether a block ends in a `throw`: it may stand for a function with any result.
    fn only_throws(&self, block: Node<'t>) -> bool {
        let last = self.children(block).into_iter().next_back();
        last.is_some_and(|it| it.kind() == "throw_statement")
    }

    /// Notes the type that each function, `new()` or declared variable among the arguments becomes an instance of.
    pub(super) fn expect_of(&mut self, callee: ExprId, args: &[Node<'t>]) {
        for (index, arg) in args.iter().enumerate() {
            let kind = self.kind(*arg);
            let is_asked =
                kind.is_lambda() || matches!(kind, Kind::DeclarationExpression | Kind::ImplicitNew);
            if is_asked && let Ok(index) = u8::try_from(index) {
                let param = self.add(Expr::Param { callee, index });
                self.expected.insert(arg.id(), param);
            }
        }
    }

    /// Lowers the values of arguments; of functions, whose parameters the callee may decide, their shapes.
    fn shapes_of_arguments(&mut self, values: &[Node<'t>]) -> Vec<ExprId> {
        let mut lowered = Vec::with_capacity(values.len());
        for value in values {
            lowered.push(if self.kind(*value).is_lambda() {
                self.lambda_shape(*value)
            } else {
                self.lower_expr(*value)
            });
        }
        lowered
    }

    /// Returns the value of an argument, without its name.
    pub(super) fn value_of(&self, argument: Node<'t>) -> Option<Node<'t>> {
        if self.kind(argument) != Kind::Argument {
            return Some(argument);
        }
        let name = self.field(argument, self.grammar.fields.name);
        self.children(argument)
            .into_iter()
            .rfind(|it| Some(*it) != name)
            .or_else(|| self.own_object(argument))
    }

    /// Gives the arguments that are written with the name of their parameter that name: `open(size: 3)`.
    fn name_arguments(&mut self, list: Option<Node<'t>>, lowered: &mut [ExprId]) {
        let Some(list) = list.filter(|it| self.text(*it).contains(':')) else {
            return;
        };
        let children = self.children(list).into_iter();
        let arguments = children.filter(|it| self.kind(*it) == Kind::Argument);
        let arguments: Vec<Node<'t>> = arguments
            .filter(|it| self.value_of(*it).is_some())
            .collect();
        for (argument, value) in arguments.into_iter().zip(lowered) {
            let Some(name) = self.field(argument, self.grammar.fields.name) else {
                continue;
            };
            let name = self.facts.exprs.name(self.name_text(name));
            *value = self.add(Expr::Named {
                name,
                value: *value,
            });
        }
    }

    /// Returns the arguments in a list, without parentheses around them.
    pub(super) fn arguments(&self, list: Option<Node<'t>>) -> Vec<Node<'t>> {
        list.map_or_else(Vec::new, |list| self.children(list))
            .into_iter()
            .filter(|it| self.kind(*it) == Kind::Argument)
            .take(MAX_ARGS)
            .filter_map(|it| self.value_of(it))
            .map(|it| self.unwrapped(it))
            .collect()
    }

    fn written_types(&mut self, node: Node<'t>) -> Vec<ExprId> {
        match self.split_callee(node) {
            Some((_, name)) => self.lower_type_args(name),
            None => Vec::new(),
        }
    }

    /// Lowers a call to its result.
    pub(super) fn lower_invocation(&mut self, node: Node<'t>) -> ExprId {
        if self.is_nameof(node) {
            return self.primitive("string");
        }
        let head = self.call_head(node);
        let args = self.arguments(self.field(node, self.grammar.fields.arguments));
        let has_function = args.iter().any(|it| self.kind(*it).is_lambda());
        if !has_function || head == self.unknown {
            return head;
        }
        let mut lowered: Vec<ExprId> = args.iter().map(|it| self.lower_expr(*it)).collect();
        self.name_arguments(
            self.field(node, self.grammar.fields.arguments),
            &mut lowered,
        );
        let types = self.written_types(node);
        let callee = self.add(Expr::Callee { call: head });
        self.add(Expr::Call {
            callee,
            types: types.into(),
            args: lowered.into(),
        })
    }

    pub(super) fn is_nameof(&self, node: Node<'t>) -> bool {
        let function = self.field(node, self.grammar.fields.function);
        function.is_some_and(|it| self.kind(it) == Kind::Identifier && self.text(it) == "nameof")
    }

    /// Records the uses in a call.
    pub(super) fn use_invocation(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let arguments = self.field(node, fields.arguments);
        if self.is_nameof(node) {
            if let Some(arguments) = arguments {
                self.walk_children(arguments);
            }
            return;
        }
        if let Some((object, name)) = self.split_callee(node) {
            if let Some(object) = object {
                let function = self.field(node, fields.function);
                let before = function.and_then(|it| self.field(it, fields.condition));
                self.use_object(before.unwrap_or(object));
            }
            self.use_type_args(name);
            let call = self.call_head(node);
            let bare = self.bare_name(name);
            let is_local = object.is_none() && self.locals.get(self.name_text(bare)).is_some();
            if !is_local {
                let target = if call == self.unknown {
                    Target::Member {
                        receiver: self.unknown,
                        is_inferred: true,
                    }
                } else {
                    Target::Value(self.add(Expr::Callee { call }))
                };
                self.push_use(bare, target, ReferenceKind::Call);
            }
        } else {
            if let Some(function) = self.field(node, fields.function) {
                self.walk(function);
            }
            self.call_head(node);
        }
        if let Some(arguments) = arguments {
            self.walk_children(arguments);
        }
    }

    /// `new A(…) { … }`
    pub(super) fn use_new(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let mut made = self.unknown;
        if let Some(type_) = self.field(node, fields.type_) {
            self.use_type(type_, ReferenceKind::New);
            let class = self.type_path(type_);
            made = if self.is_type_param(type_) {
                self.lower_type(type_)
            } else {
                self.instance(class)
            };
            let args = self.arguments(self.field(node, fields.arguments));
            let class = self.class_of(class);
            if class != self.unknown {
                self.expect_of(class, &args);
            }
        }
        if let Some(arguments) = self.field(node, fields.arguments) {
            self.walk_children(arguments);
        }
        if let Some(initializer) = self.field(node, fields.initializer) {
            self.use_initializer(initializer, made);
        }
    }

    /// `new(…) { … }`, whose type is that of the variable it is assigned to.
    pub(super) fn use_implicit_new(&mut self, node: Node<'t>) {
        let expected = self.expected.get(&node.id()).copied();
        let made = expected.unwrap_or(self.unknown);
        let class = match *self.facts.exprs.get(made) {
            Expr::Instance { of } => self.class_of(of),
            _ => self.unknown,
        };
        if let Some(name) = self.last_name(class) {
            self.push_named_use(&name, node, Target::Value(class), ReferenceKind::New);
        }
        if let Some(arguments) = self.child_of(node, Kind::ArgumentList) {
            if class != self.unknown {
                let args = self.arguments(Some(arguments));
                self.expect_of(class, &args);
            }
            self.walk_children(arguments);
        }
        if let Some(initializer) = self.child_of(node, Kind::Initializer) {
            self.use_initializer(initializer, made);
        }
    }

    /// Returns the name of a class that an expression names.
    fn last_name(&self, class: ExprId) -> Option<String> {
        let name = match self.facts.exprs.get(class) {
            Expr::Name { name, .. } | Expr::Member { name, .. } | Expr::Imported { name, .. } => {
                self.facts.exprs.name_of(*name)
            }
            Expr::Fallback { first, .. } => return self.last_name(*first),
            _ => return None,
        };
        Some(name.split('`').next().unwrap_or(name).to_owned())
    }

    /// Records the uses in an element of `{ element, … }` behind an object that is made, whose method `Add` takes it; `{ "a", x => x.Name }`
    /// gives the method several arguments.
    fn walk_added(&mut self, node: Node<'t>, object: ExprId) {
        let arguments = match self.kind(node) {
            Kind::Initializer => self.children(node),
            _ => vec![node],
        };
        let values: Vec<Node<'t>> = arguments.iter().map(|it| self.unwrapped(*it)).collect();
        let is_asked = |this: &Self, it: Node<'t>| {
            this.kind(it).is_lambda() || this.kind(it) == Kind::ImplicitNew
        };
        let asks = values.iter().any(|it| is_asked(self, *it));
        let add = if asks && values.len() <= MAX_ARGS {
            self.member_of(object, "Add()")
        } else {
            self.unknown
        };
        if add == self.unknown {
            self.walk(node);
            return;
        }
        let lowered = self.shapes_of_arguments(&values);
        let call = self.add(Expr::Call {
            callee: add,
            types: Box::default(),
            args: lowered.into(),
        });
        let callee = self.add(Expr::Callee { call });
        self.expect_of(callee, &values);
        for argument in arguments {
            self.walk(argument);
        }
    }

    /// Records the uses in `{ Name = value, … }` behind an object that is made: the names are members of it.
    pub(super) fn use_initializer(&mut self, node: Node<'t>, object: ExprId) {
        let fields = self.grammar.fields;
        for child in self.children(node) {
            let left = match self.kind(child) {
                Kind::Assignment => self.field(child, fields.left),
                _ => None,
            };
            let Some(left) = left.filter(|it| self.kind(*it) == Kind::Identifier) else {
                // `new Rules { x => x.Name }` adds the element by a method of the object.
                self.walk_added(child, object);
                continue;
            };
            let target = Target::Member {
                receiver: object,
                is_inferred: true,
            };
            if object != self.unknown {
                self.push_use(left, target, ReferenceKind::Value);
            }
            let Some(right) = self.field(child, fields.right) else {
                continue;
            };
            let value = self.member_of(object, self.name_text(left));
            if self.kind(right) == Kind::Initializer {
                self.use_initializer(right, value);
            } else {
                self.walk_as(right, value);
            }
        }
    }
}
