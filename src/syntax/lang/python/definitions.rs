//! Functions and classes of the first pass.

use tree_sitter::Node;

use super::builders::{BuilderId, ClassSyntax, FunctionSyntax, Param};
use super::context::{DeclarationContext, Receiver};
use super::grammar::Kind;
use super::lowering::Lowering;
use super::scopes::{BoundValue, PythonScopeKind, ScopeIdx, Site};
use super::symbols::{MAX_PARAMS, line_of};
use crate::model::{SymbolFlags, SymbolKind};
use crate::syntax::lang::use_recorder::span_of;

impl<'t> Lowering<'t> {
    /// Declares a function or a class; `decorated` is the node with its decorators.
    pub(super) fn declare_definition(
        &mut self,
        node: Node<'t>,
        decorated: Option<Node<'t>>,
        context: DeclarationContext<'t>,
    ) {
        let decorators = decorated.map_or_else(Vec::new, |it| self.decorators(it));
        if self.kind(node) == Kind::ClassDefinition {
            self.declare_class(node, decorated.unwrap_or(node), context);
        } else {
            self.declare_function(node, decorated.unwrap_or(node), &decorators, context);
        }
    }

    /// Returns the dotted names of decorators: `app.task` for `@app.task(bind=True)`.
    fn decorators(&self, node: Node<'t>) -> Vec<&'t str> {
        let mut names = Vec::new();
        for child in self.children(node) {
            if self.kind(child) == Kind::Decorator
                && let Some(mut expression) = child.named_child(0)
            {
                if self.kind(expression) == Kind::Call
                    && let Some(callee) = self.field(expression, self.grammar.fields.function)
                {
                    expression = callee;
                }
                names.push(self.text(expression));
            }
        }
        names
    }

    fn declare_class(&mut self, node: Node<'t>, whole: Node<'t>, context: DeclarationContext<'t>) {
        let fields = self.grammar.fields;
        let Some(name_node) = self.field(node, fields.name) else {
            return;
        };
        let name = self.text(name_node);
        let parent = self.scopes.get(context.scope).symbol;
        let class = self.add_symbol(
            name,
            SymbolKind::Class,
            whole,
            name_node,
            context.scope,
            parent,
        );
        let inner = self
            .scopes
            .open(context.scope, PythonScopeKind::Class, Some(class));
        self.scopes.of_node.insert(node.id(), inner);
        let type_params = self.bracketed_params(node, inner);
        let signature = self.head(node);
        let body = self.field(node, fields.body);
        let docs = body.and_then(|body| self.docstring(body));
        let builder = &mut self.builders[class as usize];
        builder.symbol.signature = signature;
        builder.type_params = type_params;
        if let Some(docs) = docs {
            builder.symbol.doc = docs;
        }
        builder.class = Some(ClassSyntax {
            node,
            inner,
            attributes: Vec::new(),
        });
        self.bind(name, whole.start_byte(), BoundValue::Symbol(class), context);
        self.export(name, name_node, context);
        if let Some(bases) = self.field(node, fields.superclasses) {
            self.declare_children(bases, context);
        }
        if let Some(body) = body {
            let context = DeclarationContext {
                scope: inner,
                receiver: None,
                ..context
            };
            self.declare(body, context);
        }
    }

    fn declare_function(
        &mut self,
        node: Node<'t>,
        whole: Node<'t>,
        decorators: &[&'t str],
        context: DeclarationContext<'t>,
    ) {
        let fields = self.grammar.fields;
        let Some(name_node) = self.field(node, fields.name) else {
            return;
        };
        let name = self.text(name_node);
        let in_class = self.is_class_scope(context.scope);
        let parent = self.scopes.get(context.scope).symbol;
        let is_setter = decorators.iter().any(|it| {
            it.rsplit_once('.').is_some_and(|(of, what)| {
                of == name && matches!(what, "setter" | "deleter" | "getter")
            })
        });
        let flags = self.function_flags(name, decorators, context);
        let is_overload = flags.contains(SymbolFlags::DECLARATION_ONLY);
        let kind = match () {
            () if !in_class => SymbolKind::Function,
            () if flags.contains(SymbolFlags::ACCESSOR) => SymbolKind::Property,
            () if name == "__init__" => SymbolKind::Constructor,
            () => SymbolKind::Method,
        };

        let earlier = self.earlier_part(name, is_setter, context.scope);
        let builder = match earlier {
            Some(builder) => {
                self.join_part(builder, node, whole, flags, is_setter);
                builder
            }
            None => self.add_symbol(name, kind, whole, name_node, context.scope, parent),
        };
        let inner = self
            .scopes
            .open(context.scope, PythonScopeKind::Function, Some(builder));
        self.scopes.of_node.insert(node.id(), inner);
        let type_params = self.bracketed_params(node, inner);
        let params = self.params(node);
        let has_receiver = in_class
            && !flags.contains(SymbolFlags::STATIC)
            && params.first().is_some_and(|it| it.n_stars == 0);
        if !(is_setter && earlier.is_some()) {
            self.describe(builder, node, flags, earlier.is_none() || !is_overload);
            let mut overloads = match self.builders[builder as usize].function.take() {
                Some(function) => function.overloads,
                None => Vec::new(),
            };
            if is_overload && overloads.len() < super::lowering::MAX_UNION {
                overloads.push(node);
            }
            let fixture = self.fixture_name(whole, name);
            self.builders[builder as usize].type_params = type_params;
            self.builders[builder as usize].function = Some(FunctionSyntax {
                node,
                whole,
                inner,
                params: params.clone(),
                returns: Vec::new(),
                yields: Vec::new(),
                overloads,
                is_fixture: fixture.is_some(),
                has_receiver,
            });
            if let Some(fixture) = fixture {
                self.fixtures.insert((context.scope, fixture), builder);
            }
            if earlier.is_none() {
                self.bind(
                    name,
                    whole.start_byte(),
                    BoundValue::Symbol(builder),
                    context,
                );
                self.export(name, name_node, context);
            }
        }
        let receiver = if has_receiver {
            params.first().zip(parent).map(|(param, class)| Receiver {
                name: param.name,
                class,
                is_constructor: name == "__init__" || name == "__new__",
            })
        } else {
            context.receiver
        };
        self.bind_params(
            node,
            inner,
            &params,
            has_receiver.then_some(builder),
            context,
        );
        if let Some(list) = self.field(node, fields.parameters) {
            self.declare_defaults(list, context);
        }
        if let Some(body) = self.field(node, fields.body) {
            let context = DeclarationContext {
                scope: inner,
                receiver,
                ..context
            };
            self.declare(body, context);
        }
    }

    fn function_flags(
        &self,
        name: &str,
        decorators: &[&str],
        context: DeclarationContext<'t>,
    ) -> SymbolFlags {
        let in_class = self.is_class_scope(context.scope);
        let has_class = has_decorator(decorators, "classmethod")
            || matches!(name, "__new__" | "__init_subclass__" | "__class_getitem__");
        let is_accessor = decorators.iter().any(|it| {
            let last = it.rsplit('.').next().unwrap_or_default();
            last.ends_with("property") || matches!(last, "reify" | "memoized_attribute")
        });
        let is_abstract = has_decorator(decorators, "abstractmethod")
            || has_decorator(decorators, "abstractproperty");
        let mut flags = SymbolFlags::empty();
        flags.set(
            SymbolFlags::STATIC,
            has_decorator(decorators, "staticmethod"),
        );
        flags.set(SymbolFlags::CLASS_RECEIVER, in_class && has_class);
        flags.set(SymbolFlags::ABSTRACT, is_abstract);
        flags.set(SymbolFlags::ACCESSOR, in_class && is_accessor);
        flags.set(SymbolFlags::TEST, self.is_test(name, context));
        let is_overload = has_decorator(decorators, "overload");
        flags.set(SymbolFlags::DECLARATION_ONLY, is_overload);
        flags
    }

    /// Finds the symbol that a definition is a further part of: its overloads, or the getter of its setter.
    fn earlier_part(&self, name: &str, is_setter: bool, scope: ScopeIdx) -> Option<BuilderId> {
        let site = self.scopes.get(scope).names.get(name)?.last()?;
        let BoundValue::Symbol(builder) = site.held else {
            return None;
        };
        let symbol = &self.builders[builder as usize].symbol;
        (is_setter || symbol.flags.contains(SymbolFlags::DECLARATION_ONLY)).then_some(builder)
    }

    /// Makes a definition a part of a symbol; the span grows over parts that follow one another.
    fn join_part(
        &mut self,
        builder: BuilderId,
        node: Node<'t>,
        whole: Node<'t>,
        flags: SymbolFlags,
        is_setter: bool,
    ) {
        let name = self.field(node, self.grammar.fields.name).unwrap_or(node);
        let span = span_of(whole);
        let symbol = &mut self.builders[builder as usize].symbol;
        let between = self
            .source
            .get(symbol.span.end_byte as usize..span.start_byte as usize);
        let is_next = between.is_some_and(|text| {
            text.lines()
                .all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
        });
        if is_next {
            symbol.span.end_byte = span.end_byte;
            symbol.span.end_line = span.end_line;
        } else if !is_setter {
            symbol.span = span;
        }
        if !is_setter && !flags.contains(SymbolFlags::DECLARATION_ONLY) {
            symbol.name_line = line_of(name);
            symbol.flags.remove(SymbolFlags::DECLARATION_ONLY);
        }
    }

    fn describe(&mut self, builder: BuilderId, node: Node<'t>, flags: SymbolFlags, is_whole: bool) {
        let body = self.field(node, self.grammar.fields.body);
        let docs = body.and_then(|body| self.docstring(body));
        let signature = self.head(node);
        let symbol = &mut self.builders[builder as usize].symbol;
        symbol.flags |= flags;
        if is_whole {
            symbol.signature = signature;
        }
        if let Some(docs) = docs {
            symbol.doc = docs;
        }
    }

    /// Returns whether a test framework runs the function.
    fn is_test(&self, name: &str, context: DeclarationContext<'t>) -> bool {
        if !name.starts_with("test") {
            return false;
        }
        let scope = self.scopes.get(context.scope);
        match (scope.kind, scope.symbol) {
            (PythonScopeKind::Module, _) => name.starts_with("test_"),
            (PythonScopeKind::Class, Some(class)) => {
                let class = &self.builders[class as usize];
                class.symbol.name.starts_with("Test") || class.symbol.signature.contains("TestCase")
            }
            _ => false,
        }
    }

    /// Declares the type parameters in brackets: `def f[T](…)`. Returns their names.
    fn bracketed_params(&mut self, node: Node<'t>, inner: ScopeIdx) -> Vec<&'t str> {
        let Some(list) = self.field(node, self.grammar.fields.type_parameters) else {
            return Vec::new();
        };
        let mut names = Vec::new();
        for child in self.children(list).into_iter().take(MAX_PARAMS) {
            let text = self.text(child);
            let name = text.split([':', '=']).next().unwrap_or_default();
            let name = name.trim().trim_start_matches('*');
            names.push(name);
            let site = Site {
                start: 0,
                block: (0, usize::MAX),
                scope: inner,
                held: BoundValue::TypeParam,
                items: Box::default(),
            };
            self.scopes.bind(inner, name, site);
            let bound = child
                .named_child(0)
                .filter(|it| it.kind() == "constrained_type")
                .and_then(|it| it.named_child(1));
            self.type_vars.entry(name).or_insert(bound);
        }
        names
    }

    fn bind_params(
        &mut self,
        node: Node<'t>,
        inner: ScopeIdx,
        params: &[Param<'t>],
        method: Option<BuilderId>,
        context: DeclarationContext<'t>,
    ) {
        let builder = self.scopes.get(inner).symbol;
        for (at, param) in params.iter().enumerate() {
            let held = match (param.annotation, param.default, method) {
                (_, _, Some(method)) if at == 0 => BoundValue::Receiver(method),
                (Some(annotation), ..) if param.n_stars > 0 => BoundValue::Annotations(annotation),
                _ if param.n_stars > 0 => BoundValue::Unknown,
                (Some(annotation), ..) => BoundValue::Annotation(annotation),
                (None, Some(default), _) => BoundValue::Value(default),
                _ => builder.map_or(BoundValue::Unknown, BoundValue::Parameter),
            };
            // Annotations and defaults are read around the function.
            let is_outside = matches!(held, BoundValue::Value(_));
            let site = Site {
                start: node.start_byte(),
                block: (node.start_byte(), node.end_byte() + 1),
                scope: if is_outside { context.scope } else { inner },
                held,
                items: Box::default(),
            };
            self.scopes.bind(inner, param.name, site);
        }
    }

    /// Declares names that are bound inside of default values.
    fn declare_defaults(&mut self, list: Node<'t>, context: DeclarationContext<'t>) {
        for child in self.children(list) {
            if let Some(default) = self.field(child, self.grammar.fields.value) {
                self.declare(default, context);
            }
        }
    }

    /// `lambda a, b=c: body`
    pub(super) fn declare_lambda(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        let symbol = self.scopes.get(context.scope).symbol;
        let inner = self
            .scopes
            .open(context.scope, PythonScopeKind::Function, symbol);
        self.scopes.of_node.insert(node.id(), inner);
        for param in self.params(node) {
            let site = Site {
                start: node.start_byte(),
                block: (node.start_byte(), node.end_byte() + 1),
                scope: context.scope,
                held: param.default.map_or(BoundValue::Unknown, BoundValue::Value),
                items: Box::default(),
            };
            self.scopes.bind(inner, param.name, site);
        }
        if let Some(list) = self.field(node, self.grammar.fields.parameters) {
            self.declare_defaults(list, context);
        }
        if let Some(body) = self.field(node, self.grammar.fields.body) {
            let block = (node.start_byte(), node.end_byte() + 1);
            let context = DeclarationContext {
                scope: inner,
                block,
                ..context
            };
            self.declare(body, context);
        }
    }

    /// `[body for a in b if c]`: the first iterable is read outside of the scope.
    pub(super) fn declare_comprehension(
        &mut self,
        node: Node<'t>,
        context: DeclarationContext<'t>,
    ) {
        let fields = self.grammar.fields;
        let symbol = self.scopes.get(context.scope).symbol;
        let inner = self
            .scopes
            .open(context.scope, PythonScopeKind::Comprehension, symbol);
        self.scopes.of_node.insert(node.id(), inner);
        let within = DeclarationContext {
            scope: inner,
            block: (node.start_byte(), node.end_byte() + 1),
            ..context
        };
        let mut is_first = true;
        for child in self.children(node) {
            if self.kind(child) != Kind::ForInClause {
                self.declare(child, within);
                continue;
            }
            let outside = if is_first { context } else { within };
            is_first = false;
            let left = self.field(child, fields.left);
            let right = self.field(child, fields.right);
            if let (Some(left), Some(right)) = (left, right) {
                self.declare(right, outside);
                let start = node.start_byte();
                let from = DeclarationContext {
                    scope: outside.scope,
                    ..within
                };
                self.bind_comprehension(left, start, right, &[], inner, from);
            }
        }
    }

    fn bind_comprehension(
        &mut self,
        target: Node<'t>,
        start: usize,
        value: Node<'t>,
        items: &[u8],
        inner: ScopeIdx,
        from: DeclarationContext<'t>,
    ) {
        if self.kind(target) == Kind::Identifier {
            let site = Site {
                start,
                block: from.block,
                scope: from.scope,
                held: BoundValue::Element(value),
                items: items.into(),
            };
            self.scopes.bind(inner, self.text(target), site);
        } else if items.len() < 8 {
            for (at, child) in self.children(target).into_iter().enumerate().take(200) {
                let items = [items, &[u8::try_from(at).unwrap_or(0)]].concat();
                self.bind_comprehension(child, start, value, &items, inner, from);
            }
        }
    }
}

/// Whether the last name of a decorator is `name`: `abc.abstractmethod` for `abstractmethod`.
fn has_decorator(decorators: &[&str], name: &str) -> bool {
    decorators
        .iter()
        .any(|it| it.rsplit('.').next() == Some(name))
}
