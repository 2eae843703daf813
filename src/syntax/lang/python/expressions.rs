//! Lowering of expressions: the part of a value that name resolution can use.

use tree_sitter::Node;

use super::annotations::Annotation;
use super::builders::BuilderId;
use super::builtins::{BuiltinResult, function, is_typing_module, operator_method};
use super::grammar::Kind;
use super::lowering::{Lowering, MAX_DEPTH, MAX_UNION};
use super::scopes::{BindingScope, BoundValue, STAR, ScopeIdx, Site};
use super::types::TypeContext;
use crate::ir::{Expr, ExprId, ImportIdx};

/// The most arguments of a call that are kept.
const MAX_ARGS: usize = 12;

impl<'t> Lowering<'t> {
    /// Lowers an expression that is read in `scope`. Each node is lowered once; one that needs its own value is unknown.
    pub(super) fn lower_expr(&mut self, node: Node<'t>, scope: ScopeIdx) -> ExprId {
        if let Some(known) = self.lowered.get(&node.id()) {
            return known.unwrap_or(self.unknown);
        }
        if self.depth > MAX_DEPTH {
            return self.unknown;
        }
        self.lowered.insert(node.id(), None);
        self.depth += 1;
        let expr = self.lower_new(node, scope);
        self.depth -= 1;
        self.lowered.insert(node.id(), Some(expr));
        expr
    }

    fn lower_new(&mut self, node: Node<'t>, scope: ScopeIdx) -> ExprId {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Identifier => self.lower_name(self.text(node), scope, node.start_byte()),
            Kind::Attribute => self.lower_attribute(node, scope),
            Kind::Call => self.lower_call(node, scope),
            Kind::Subscript => self.lower_subscript(node, scope),
            Kind::Await
            | Kind::Parenthesized
            | Kind::ExpressionStatement
            | Kind::Type
            | Kind::AsPattern
            | Kind::ListSplat => match node.named_child(0) {
                Some(inner) => self.lower_expr(inner, scope),
                None => self.unknown,
            },
            Kind::NamedExpression => match self.field(node, fields.value) {
                Some(value) => self.lower_expr(value, scope),
                None => self.unknown,
            },
            Kind::Yield => self.lower_sent(scope),
            Kind::Assignment => match self.field(node, fields.right) {
                Some(value) => self.lower_expr(value, scope),
                None => self.unknown,
            },
            Kind::ConditionalExpression => {
                let (body, other) = (node.named_child(0), node.named_child(2));
                let all = body
                    .into_iter()
                    .chain(other)
                    .map(|it| self.lower_expr(it, scope))
                    .collect();
                self.union(all)
            }
            Kind::BooleanOperator => {
                let all = self
                    .children(node)
                    .into_iter()
                    .map(|it| self.lower_expr(it, scope))
                    .collect();
                self.union(all)
            }
            Kind::BinaryOperator => self.lower_operator(node, scope),
            Kind::Lambda => self.lower_lambda(node),
            Kind::List | Kind::Set => {
                let all = self
                    .children(node)
                    .into_iter()
                    .take(MAX_UNION)
                    .map(|it| self.lower_item(it, scope))
                    .collect();
                let element = self.union(all);
                self.sequence(element)
            }
            Kind::Tuple | Kind::ExpressionList | Kind::PatternList => {
                let items = self
                    .children(node)
                    .into_iter()
                    .take(64)
                    .map(|it| self.lower_expr(it, scope))
                    .collect();
                self.tuple(items)
            }
            Kind::Dictionary => {
                let mut all = Vec::new();
                for child in self.children(node).into_iter().take(MAX_UNION) {
                    if let Some(value) = self.field(child, fields.value) {
                        all.push(self.lower_expr(value, scope));
                    }
                }
                let element = self.union(all);
                self.sequence(element)
            }
            kind if kind.is_comprehension() => {
                let inner = self.scopes.of_node.get(&node.id()).copied();
                let body = self.field(node, fields.body);
                let (Some(inner), Some(mut body)) = (inner, body) else {
                    return self.unknown;
                };
                if self.kind(body) == Kind::Pair
                    && let Some(value) = self.field(body, fields.value)
                {
                    body = value;
                }
                let element = self.lower_expr(body, inner);
                self.sequence(element)
            }
            _ => self.unknown,
        }
    }

    /// `value = yield`: the second argument of `Generator[Y, Sent, R]`.
    fn lower_sent(&mut self, scope: ScopeIdx) -> ExprId {
        let around = self.scopes.statement_scope(scope);
        let function = self.scopes.get(around).symbol;
        let function = function.and_then(|it| self.builders[it as usize].function.as_ref());
        let Some(function) = function.filter(|it| it.inner == around) else {
            return self.unknown;
        };
        let Some(result) = self.field(function.node, self.grammar.fields.return_type) else {
            return self.unknown;
        };
        match super::annotations::parse(self.source, result.byte_range()) {
            Annotation::Name(parts, arguments)
                if matches!(parts.last(), Some(("Generator" | "AsyncGenerator", _))) =>
            {
                let context = TypeContext {
                    scope: around,
                    result_of: None,
                };
                match arguments.get(1) {
                    Some(sent) => self.type_value(sent, context, 0),
                    None => self.unknown,
                }
            }
            _ => self.unknown,
        }
    }

    /// Lowers an element of a list; `*more` stands for the elements of `more`.
    fn lower_item(&mut self, node: Node<'t>, scope: ScopeIdx) -> ExprId {
        let expr = self.lower_expr(node, scope);
        if self.kind(node) == Kind::ListSplat {
            return self.element(expr);
        }
        expr
    }

    /// Adds an element of a container.
    pub(super) fn element(&mut self, object: ExprId) -> ExprId {
        self.facts.exprs.element_of_known(object)
    }

    /// `[A()] * 2`, `[A()] + more`: the sequence of the left side; `a + b`: the result of `a.__add__(b)`.
    fn lower_operator(&mut self, node: Node<'t>, scope: ScopeIdx) -> ExprId {
        let fields = self.grammar.fields;
        let (Some(left), Some(right)) = (
            self.field(node, fields.left),
            self.field(node, fields.right),
        ) else {
            return self.unknown;
        };
        if node.child(1).is_some_and(|it| it.kind() == "|") {
            let all = vec![self.lower_expr(left, scope), self.lower_expr(right, scope)];
            return self.union(all);
        }
        let operator = node.child(1).and_then(|it| operator_method(it.kind()));
        let left = self.lower_expr(left, scope);
        if matches!(self.facts.exprs.get(left), Expr::Container { .. }) {
            return left;
        }
        let (Some(operator), true) = (operator, left != self.unknown) else {
            return self.unknown;
        };
        let args = match self.lower_expr(right, scope) {
            right if right == self.unknown => Box::default(),
            right => [right].into(),
        };
        let callee = self.member(left, operator);
        self.add(Expr::Call {
            callee,
            types: Box::default(),
            args,
        })
    }

    fn lower_lambda(&mut self, node: Node<'t>) -> ExprId {
        let inner = self.scopes.of_node.get(&node.id()).copied();
        let body = self.field(node, self.grammar.fields.body);
        let (Some(inner), Some(body)) = (inner, body) else {
            return self.unknown;
        };
        let result = self.lower_expr(body, inner);
        if result == self.unknown {
            return result;
        }
        self.add(Expr::Callable { result })
    }

    /// Lowers a name that is used at byte `at` in `scope`.
    pub(super) fn lower_name(&mut self, name: &'t str, scope: ScopeIdx, at: usize) -> ExprId {
        if let Some((class, class_scope)) = self.scopes.narrowed(name, scope, at) {
            let narrowed = self.instance_of(class, class_scope);
            if narrowed != self.unknown {
                return narrowed;
            }
        }
        match self.scopes.binder_at(name, scope, at) {
            BindingScope::FileScope => self.top_name(name),
            BindingScope::Unresolved if self.has_star => self.top_name(name),
            BindingScope::Unresolved => self.unknown,
            BindingScope::Local(binder) | BindingScope::Class(binder) => {
                let sites = self.scopes.sites(name, binder, scope, at);
                let all: Vec<_> = sites.iter().map(|site| self.held(site, name)).collect();
                let Some(annotation) = self.scopes.annotation(name, binder) else {
                    return self.union(all);
                };
                // A value says more than the annotation of its name where it is known.
                let declared = self.held(&annotation, name);
                if all.contains(&self.unknown) || all.contains(&declared) {
                    return declared;
                }
                let value = self.union(all);
                self.fallback(value, declared)
            }
        }
    }

    /// Adds a name of the module.
    pub(super) fn top_name(&mut self, name: &str) -> ExprId {
        let name = self.facts.exprs.name(name);
        self.add(Expr::Name { name, scope: None })
    }

    /// Adds a name of a module, or the module itself for `*`.
    pub(super) fn imported(&mut self, import: ImportIdx, name: &str) -> ExprId {
        let name = self.facts.exprs.name(name);
        self.add(Expr::Imported { import, name })
    }

    /// Adds a symbol: by its name where it is at the top level.
    pub(super) fn symbol_expr(&mut self, builder: BuilderId, name: &str) -> ExprId {
        if self.builders[builder as usize].parent.is_none() {
            return self.top_name(name);
        }
        let symbol = self.symbol(builder);
        self.add(Expr::Symbol(symbol))
    }

    /// Lowers the value that one binding gives a name.
    pub(super) fn held(&mut self, site: &Site<'t>, name: &'t str) -> ExprId {
        let value = match site.held {
            BoundValue::Value(node) => {
                // `a = b`: the rest of the tuple `b, c` is taken apart item by item where it can be seen.
                if let Some(item) = self.visible_item(node, &site.items) {
                    return self.lower_expr(item, site.scope);
                }
                self.lower_expr(node, site.scope)
            }
            BoundValue::Annotation(node) => self.lower_type(node, site.scope),
            BoundValue::Annotations(node) => {
                let element = self.lower_type(node, site.scope);
                self.sequence(element)
            }
            BoundValue::Element(node) => {
                let object = self.lower_expr(node, site.scope);
                self.element(object)
            }
            BoundValue::Entered(node) => {
                let object = self.lower_expr(node, site.scope);
                if object == self.unknown {
                    return object;
                }
                self.add(Expr::Entered { object })
            }
            BoundValue::InstanceOf(node) => self.instance_of(node, site.scope),
            BoundValue::Import(row, imported) => self.imported(row, imported),
            BoundValue::Symbol(builder) => self.symbol_expr(builder, name),
            BoundValue::Receiver(method) => self.add_receiver(Some(method)),
            BoundValue::Parameter(function) => self.fixture_result(function, name),
            BoundValue::TypeParam | BoundValue::Unknown => self.unknown,
        };
        self.taken_apart(value, &site.items)
    }

    /// Returns the item of a written tuple or list that positions lead to.
    fn visible_item(&self, node: Node<'t>, items: &[u8]) -> Option<Node<'t>> {
        if items.is_empty() {
            return None;
        }
        let mut at = node;
        for item in items {
            at = self.unwrapped(at);
            if !matches!(
                self.kind(at),
                Kind::Tuple | Kind::List | Kind::ExpressionList
            ) {
                return None;
            }
            let all = self.children(at);
            if *item == STAR || all.iter().any(|it| self.kind(*it) == Kind::ListSplat) {
                return None;
            }
            at = *all.get(usize::from(*item))?;
        }
        Some(at)
    }

    fn taken_apart(&mut self, value: ExprId, items: &[u8]) -> ExprId {
        let mut value = value;
        for item in items {
            if value == self.unknown {
                return value;
            }
            if *item == STAR {
                let element = self.element(value);
                value = self.sequence(element);
                continue;
            }
            value = match self.facts.exprs.get(value) {
                Expr::Tuple(all) => all.get(usize::from(*item)).copied().unwrap_or(self.unknown),
                Expr::Container { element, .. } => *element,
                _ => self.add(Expr::Item {
                    object: value,
                    index: *item,
                }),
            };
        }
        value
    }

    /// Lowers an instance of a class, or of one of the classes of a tuple: `except (A, B) as e`.
    pub(super) fn instance_of(&mut self, node: Node<'t>, scope: ScopeIdx) -> ExprId {
        let node = self.unwrapped(node);
        match self.kind(node) {
            Kind::Tuple => {
                let all = self
                    .children(node)
                    .into_iter()
                    .take(MAX_UNION)
                    .map(|it| self.instance_of(it, scope))
                    .collect();
                self.union(all)
            }
            // Patterns name classes so.
            Kind::DottedName => {
                let annotation = super::annotations::parse(self.source, node.byte_range());
                let context = TypeContext {
                    scope,
                    result_of: None,
                };
                self.type_value(&annotation, context, 0)
            }
            _ => {
                let class = self.lower_expr(node, scope);
                if class == self.unknown {
                    return class;
                }
                self.add(Expr::Instance { of: class })
            }
        }
    }

    /// Lowers `a.b` of `a.b.c` where `import a` binds `a`: a name of the package, else a module of it.
    pub(super) fn lower_package_member(&mut self, node: Node<'t>, scope: ScopeIdx) {
        let fields = self.grammar.fields;
        if self.kind(node) != Kind::Attribute || self.lowered.contains_key(&node.id()) {
            return;
        }
        let (Some(object), Some(name)) = (
            self.field(node, fields.object),
            self.field(node, fields.attribute),
        ) else {
            return;
        };
        if self.kind(object) != Kind::Identifier {
            return;
        }
        let Some(package) = self.imported_package(self.text(object), scope) else {
            return;
        };
        let name = self.text(name);
        let own = self.lower_expr(node, scope);
        if matches!(self.facts.exprs.get(own), Expr::Member { .. })
            && let Some(row) = self.imply(package, name)
        {
            let module = self.imported(row, "*");
            let found = self.fallback(own, module);
            self.lowered.insert(node.id(), Some(found));
        }
    }

    /// Returns the import that binds a name to a package, where nothing else binds it.
    pub(super) fn imported_package(&self, name: &str, scope: ScopeIdx) -> Option<ImportIdx> {
        let at = match self.scopes.look_up(name, scope) {
            BindingScope::FileScope => 0,
            BindingScope::Local(at) => at,
            _ => return None,
        };
        let sites = self.scopes.get(at).names.get(name)?;
        let package = |site: &Site<'t>| match site.held {
            BoundValue::Import(row, "*") => Some(row),
            _ => None,
        };
        let first = sites.first().and_then(package)?;
        sites
            .iter()
            .all(|it| package(it).is_some())
            .then_some(first)
    }

    fn lower_attribute(&mut self, node: Node<'t>, scope: ScopeIdx) -> ExprId {
        let fields = self.grammar.fields;
        let (Some(object), Some(name)) = (
            self.field(node, fields.object),
            self.field(node, fields.attribute),
        ) else {
            return self.unknown;
        };
        if !self.dotted_imports.is_empty()
            && let Some(chain) = self.chain(node)
            && let Some((row, n)) = self.dotted_import(&chain, scope)
            && n == chain.len()
        {
            return self.imported(row, "*");
        }
        let name = self.text(name);
        let around = self.scopes.statement_scope(scope);
        if !self.scopes.get(around).narrowings.is_empty()
            && let Some((class, class_scope)) =
                self.scopes
                    .narrowed(self.text(node), scope, node.start_byte())
        {
            let narrowed = self.instance_of(class, class_scope);
            if narrowed != self.unknown {
                return narrowed;
            }
        }
        self.lower_package_member(object, scope);
        let object = self.lower_expr(object, scope);
        if name == "__class__" {
            // What is read from the class of an instance is read as from the instance.
            return object;
        }
        self.member(object, name)
    }

    fn lower_subscript(&mut self, node: Node<'t>, scope: ScopeIdx) -> ExprId {
        let fields = self.grammar.fields;
        let Some(value) = self.field(node, fields.value) else {
            return self.unknown;
        };
        let object = self.lower_expr(value, scope);
        if object == self.unknown {
            return object;
        }
        let index = self.field(node, fields.subscript);
        if index.is_some_and(|it| it.kind() == "slice") {
            return object;
        }
        let place = index
            .filter(|it| it.kind() == "integer")
            .and_then(|it| self.text(it).parse::<u8>().ok());
        match (place, self.facts.exprs.get(object)) {
            (Some(place), Expr::Tuple(all)) => {
                all.get(usize::from(place)).copied().unwrap_or(self.unknown)
            }
            (Some(index), Expr::Call { .. }) if index < STAR => {
                self.add(Expr::Item { object, index })
            }
            _ => self.element(object),
        }
    }

    /// Returns the meaning of a callee of the standard library.
    fn standard_function(&self, callee: Node<'t>, scope: ScopeIdx) -> Option<BuiltinResult> {
        let chain = self.chain(callee)?;
        let meaning = function(chain.last()?)?;
        let of_import = |at: ScopeIdx| {
            let sites = self.scopes.get(at).names.get(chain[0])?;
            sites.iter().find_map(|site| match site.held {
                BoundValue::Import(row, _) => Some(row),
                _ => None,
            })
        };
        let row = match self.scopes.look_up(chain[0], scope) {
            BindingScope::Unresolved => return (chain.len() == 1).then_some(meaning),
            BindingScope::FileScope => of_import(0),
            BindingScope::Local(at) | BindingScope::Class(at) => of_import(at),
        }?;
        let specifier = &self.facts.imports[row as usize].specifier;
        is_typing_module(specifier).then_some(meaning)
    }

    fn lower_call(&mut self, node: Node<'t>, scope: ScopeIdx) -> ExprId {
        let fields = self.grammar.fields;
        let (Some(callee), Some(list)) = (
            self.field(node, fields.function),
            self.field(node, fields.arguments),
        ) else {
            return self.unknown;
        };
        if let Some(row) = self.dynamic_imports.get(&node.id()) {
            return self.imported(*row, "*");
        }
        let positional: Vec<_> = if self.kind(list) == Kind::ArgumentList {
            self.children(list)
                .into_iter()
                .take(MAX_ARGS)
                .take_while(|it| {
                    !matches!(
                        self.kind(*it),
                        Kind::KeywordArgument | Kind::ListSplat | Kind::DictionarySplat
                    )
                })
                .collect()
        } else {
            vec![list]
        };
        if let Some(meaning) = self.standard_function(callee, scope) {
            return self.standard_call(meaning, &positional, scope);
        }
        if let Some(instance) = self.instance_whose_class(callee, scope) {
            return self.lower_expr(instance, scope);
        }
        let callee = self.lower_expr(callee, scope);
        if callee == self.unknown {
            return callee;
        }
        let args = positional
            .into_iter()
            .map(|it| self.lower_expr(it, scope))
            .collect::<Vec<_>>();
        // Trailing arguments of which nothing is known say nothing.
        let n_known = args
            .iter()
            .rposition(|it| *it != self.unknown)
            .map_or(0, |at| at + 1);
        self.add(Expr::Call {
            callee,
            types: Box::default(),
            args: args[..n_known].into(),
        })
    }

    /// Returns the instance whose class an expression is: `self` of `type(self)` and `self.__class__`.
    fn instance_whose_class(&self, class: Node<'t>, scope: ScopeIdx) -> Option<Node<'t>> {
        let fields = self.grammar.fields;
        let class = self.unwrapped(class);
        match self.kind(class) {
            Kind::Call => {
                let callee = self.field(class, fields.function)?;
                let arguments = self.field(class, fields.arguments)?;
                let is_type = self.standard_function(callee, scope) == Some(BuiltinResult::ClassOf)
                    && arguments.named_child_count() == 1;
                is_type.then(|| arguments.named_child(0)).flatten()
            }
            Kind::Attribute => {
                let name = self.field(class, fields.attribute)?;
                let object = self.field(class, fields.object);
                object.filter(|_| self.text(name) == "__class__")
            }
            _ => None,
        }
    }

    fn standard_call(
        &mut self,
        meaning: BuiltinResult,
        arguments: &[Node<'t>],
        scope: ScopeIdx,
    ) -> ExprId {
        if meaning == BuiltinResult::Super {
            let scope = self.symbol_around(scope);
            return self.add(Expr::Super { scope });
        }
        let Some(first) = arguments.first().copied() else {
            return self.unknown;
        };
        match meaning {
            BuiltinResult::Cast => self.lower_type(first, scope),
            BuiltinResult::Same => self.lower_expr(first, scope),
            BuiltinResult::Elements => {
                let object = self.lower_expr(first, scope);
                let element = self.element(object);
                self.sequence(element)
            }
            BuiltinResult::Element => {
                if arguments.len() > 1 && self.kind(arguments[1]) != Kind::KeywordArgument {
                    let second = self.lower_expr(arguments[1], scope);
                    let object = self.lower_expr(first, scope);
                    let element = self.element(object);
                    return self.union(vec![element, second]);
                }
                let object = self.lower_expr(first, scope);
                self.element(object)
            }
            BuiltinResult::Enumerate => {
                let object = self.lower_expr(first, scope);
                let element = self.element(object);
                let item = self.tuple(vec![self.unknown, element]);
                self.sequence(item)
            }
            BuiltinResult::Zip => {
                let mut items = Vec::new();
                for argument in arguments {
                    let object = self.lower_expr(*argument, scope);
                    items.push(self.element(object));
                }
                let item = self.tuple(items);
                self.sequence(item)
            }
            BuiltinResult::GetAttribute => {
                let name = arguments
                    .get(1)
                    .filter(|it| self.kind(**it) == Kind::Str)
                    .and_then(|it| self.string_text(*it));
                match name {
                    Some(name) => {
                        let object = self.lower_expr(first, scope);
                        self.member(object, name)
                    }
                    None => self.unknown,
                }
            }
            BuiltinResult::Second => match arguments.get(1) {
                Some(second) => self.lower_expr(*second, scope),
                None => self.unknown,
            },
            BuiltinResult::ClassOf if arguments.len() == 1 => self.lower_expr(first, scope),
            BuiltinResult::Super | BuiltinResult::ClassOf => self.unknown,
        }
    }
}
