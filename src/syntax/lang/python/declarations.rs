//! The first pass: symbols, scopes and the statements that bind names, the attributes of a class among them: `self.a = b`
//! in a method, by the name of its first parameter.

use tree_sitter::Node;

use super::builders::{Attribute, AttributePlace, BuilderId, FunctionSyntax};
use super::context::DeclarationContext;
use super::grammar::Kind;
use super::lowering::{Lowering, MAX_DEPTH};
use super::scopes::{BoundValue, PythonScopeKind, STAR, ScopeIdx, Site};
use crate::model::SymbolKind;

impl<'t> Lowering<'t> {
    /// Declares all names of the file.
    pub(super) fn declare_module(&mut self, root: Node<'t>) {
        self.scopes.open(0, PythonScopeKind::Module, None);
        let context = DeclarationContext {
            scope: 0,
            block: (0, root.end_byte() + 1),
            depth: 0,
            type_only: false,
            receiver: None,
        };
        self.declare_children(root, context);
    }

    pub(super) fn declare_children(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        for child in self.children(node) {
            self.declare(child, context);
        }
    }

    /// Declares the names that a node binds, and those inside.
    pub(super) fn declare(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        if context.depth > MAX_DEPTH {
            return;
        }
        let context = DeclarationContext {
            depth: context.depth + 1,
            ..context
        };
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Block => {
                let block = (
                    node.start_byte(),
                    node.end_byte().max(node.start_byte() + 1),
                );
                self.declare_children(node, DeclarationContext { block, ..context });
            }
            Kind::DecoratedDefinition => {
                for child in self.children(node) {
                    if self.kind(child) == Kind::Decorator {
                        self.declare_children(child, context);
                    }
                }
                if let Some(definition) = self.field(node, fields.definition) {
                    self.declare_definition(definition, Some(node), context);
                }
            }
            Kind::FunctionDefinition | Kind::ClassDefinition => {
                self.declare_definition(node, None, context);
            }
            Kind::ImportStatement => self.import(node, context),
            Kind::ImportFrom => self.import_from(node, context),
            Kind::Identifier | Kind::DottedName | Kind::Type | Kind::FutureImport => {}
            Kind::Assignment => self.declare_assignment(node, context),
            Kind::AugmentedAssignment => self.declare_augmented(node, context),
            Kind::NamedExpression => {
                let scope = self.scopes.statement_scope(context.scope);
                if let (Some(name), Some(value)) = (
                    self.field(node, fields.name),
                    self.field(node, fields.value),
                ) {
                    let text = self.text(name);
                    let held = BoundValue::Value(value);
                    let context = DeclarationContext { scope, ..context };
                    self.bind(text, node.end_byte(), held, context);
                }
                self.declare_children(node, context);
            }
            Kind::ForStatement | Kind::WhileStatement | Kind::WithItem | Kind::ExceptClause => {
                self.declare_compound(node, context);
                self.declare_children(node, context);
            }
            Kind::CaseClause => self.declare_case(node, context),
            Kind::IfStatement | Kind::ElifClause => self.declare_if(node, context),
            Kind::AssertStatement
            | Kind::BooleanOperator
            | Kind::ConditionalExpression
            | Kind::IfClause => {
                self.declare_narrowing(node, context);
                self.declare_children(node, context);
            }
            Kind::GlobalStatement | Kind::NonlocalStatement => {
                let is_global = self.kind(node) == Kind::GlobalStatement;
                for child in self.children(node) {
                    let name = self.text(child);
                    self.scopes.declare_outer(context.scope, name, is_global);
                }
            }
            Kind::ReturnStatement | Kind::Yield => {
                self.declare_result(node, context);
                self.declare_children(node, context);
            }
            Kind::TypeAlias => self.declare_type_alias(node, context),
            Kind::Lambda => self.declare_lambda(node, context),
            kind if kind.is_comprehension() => self.declare_comprehension(node, context),
            Kind::Call => {
                self.import_call(node, context);
                self.all_call(node, context);
                self.declare_children(node, context);
            }
            _ => self.declare_children(node, context),
        }
    }

    /// Declares the names that the head of a loop, a `with` or an `except` binds.
    fn declare_compound(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::ForStatement => {
                let left = self.field(node, fields.left);
                let right = self.field(node, fields.right);
                self.scopes.add_loop(context.scope, node);
                if let (Some(left), Some(right)) = (left, right) {
                    self.bind_target(
                        left,
                        right.end_byte(),
                        BoundValue::Element(right),
                        &[],
                        node,
                        context,
                    );
                }
            }
            Kind::WhileStatement => {
                self.scopes.add_loop(context.scope, node);
                self.declare_narrowing(node, context);
            }
            Kind::WithItem => {
                if let Some(value) = self.field(node, fields.value) {
                    self.declare_as(value, node, context, BoundValue::Entered);
                }
            }
            Kind::ExceptClause => {
                if let Some(value) = self.field(node, fields.value) {
                    match self.field(node, fields.alias) {
                        Some(alias) => {
                            let held = BoundValue::InstanceOf(value);
                            self.bind_target(alias, alias.end_byte(), held, &[], node, context);
                        }
                        None => self.declare_as(value, node, context, BoundValue::InstanceOf),
                    }
                }
            }
            _ => {}
        }
    }

    /// Records a value that the function around returns or yields.
    fn declare_result(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        match self.kind(node) {
            Kind::ReturnStatement => {
                if let Some(value) = node.named_child(0)
                    && let Some(function) = self.function_around(context.scope)
                    && function.returns.len() <= 2 * super::lowering::MAX_UNION
                {
                    function.returns.push(value);
                }
            }
            Kind::Yield => {
                let is_from = node.child(1).is_some_and(|it| it.kind() == "from");
                let value = node.named_child(0).unwrap_or(node);
                if let Some(function) = self.function_around(context.scope)
                    && function.yields.len() <= super::lowering::MAX_UNION
                {
                    function.yields.push((value, is_from));
                }
            }
            _ => {}
        }
    }

    fn function_around(&mut self, scope: ScopeIdx) -> Option<&mut FunctionSyntax<'t>> {
        let at = self.scopes.statement_scope(scope);
        let scope = self.scopes.get(at);
        let builder = scope
            .symbol
            .filter(|_| scope.kind == PythonScopeKind::Function)?;
        let function = self.builders[builder as usize].function.as_mut()?;
        (function.inner == at).then_some(function)
    }

    /// Binds a name.
    pub(super) fn bind(
        &mut self,
        name: &'t str,
        start: usize,
        held: BoundValue<'t>,
        context: DeclarationContext<'t>,
    ) {
        let site = site(start, held, &[], context);
        self.scopes.bind(context.scope, name, site);
    }

    /// Binds the names and attributes of an assignment's target; `statement` is the span of their symbols.
    pub(super) fn bind_target(
        &mut self,
        target: Node<'t>,
        start: usize,
        held: BoundValue<'t>,
        items: &[u8],
        statement: Node<'t>,
        context: DeclarationContext<'t>,
    ) {
        if items.len() > 8 {
            return;
        }
        match self.kind(target) {
            Kind::Identifier => {
                let name = self.text(target);
                let site = site(start, held, items, context);
                self.bind_name(name, target, site, statement, context);
            }
            Kind::Attribute => self.bind_attribute(target, start, held, items, statement, context),
            Kind::ListSplatPattern | Kind::ListSplat => {
                if let Some(inner) = target.named_child(0) {
                    let items = replaced_last(items);
                    self.bind_target(inner, start, held, &items, statement, context);
                }
            }
            Kind::PatternList
            | Kind::TuplePattern
            | Kind::ListPattern
            | Kind::Tuple
            | Kind::List
            | Kind::ExpressionList => {
                for (at, child) in self.children(target).into_iter().enumerate() {
                    let Ok(at) = u8::try_from(at) else { break };
                    if at == STAR {
                        break;
                    }
                    let items = [items, &[at]].concat();
                    self.bind_target(child, start, held, &items, statement, context);
                }
            }
            Kind::AsPatternTarget | Kind::Parenthesized => {
                if let Some(inner) = target.named_child(0) {
                    self.bind_target(inner, start, held, items, statement, context);
                }
            }
            _ => {}
        }
    }

    fn bind_name(
        &mut self,
        name: &'t str,
        node: Node<'t>,
        site: Site<'t>,
        statement: Node<'t>,
        context: DeclarationContext<'t>,
    ) {
        if self.is_class_scope(context.scope) {
            if let Some(class) = self.scopes.get(context.scope).symbol {
                let is_annotation = matches!(site.held, BoundValue::Annotation(_));
                let at = if is_annotation {
                    AttributePlace::ClassAnnotation
                } else {
                    AttributePlace::ClassBody
                };
                self.add_attribute(class, (name, node), statement, at, site.clone());
            }
            self.scopes.bind(context.scope, name, site);
            return;
        }
        let is_assignment = self.kind(statement) == Kind::Assignment;
        let at = self.scopes.bind(context.scope, name, site);
        if context.scope != 0 {
            // `global` binds a name of the module without a symbol of its own.
            if at == 0 {
                self.export(
                    name,
                    node,
                    DeclarationContext {
                        scope: 0,
                        ..context
                    },
                );
            }
            return;
        }
        self.export(name, node, context);
        if is_assignment {
            self.declare_top_name(name, node, statement);
        }
    }

    fn declare_top_name(&mut self, name: &'t str, node: Node<'t>, statement: Node<'t>) {
        let sites = self.scopes.get(0).names.get(name);
        let is_known = sites.is_some_and(|all| {
            all.iter()
                .any(|site| matches!(site.held, BoundValue::Symbol(_) | BoundValue::Import(..)))
        });
        if is_known || name == "__all__" || self.top_symbols.contains_key(name) {
            return;
        }
        let is_alias = self.is_type_alias(name, statement);
        let is_upper =
            name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase);
        let kind = match () {
            () if is_alias => SymbolKind::Type,
            () if is_upper => SymbolKind::Constant,
            () => SymbolKind::Variable,
        };
        let builder = self.add_symbol(name, kind, statement, node, 0, None);
        self.builders[builder as usize].symbol.signature = self.value_signature(statement);
        self.top_symbols.insert(name, builder);
    }

    /// Returns the signature of an assignment.
    pub(super) fn value_signature(&self, statement: Node<'t>) -> String {
        let annotation = self.field(statement, self.grammar.fields.type_);
        let type_end = annotation.map(|it| it.end_byte() - statement.start_byte());
        crate::syntax::signature::of_value(self.text(statement), type_end)
    }

    fn bind_attribute(
        &mut self,
        target: Node<'t>,
        start: usize,
        held: BoundValue<'t>,
        items: &[u8],
        statement: Node<'t>,
        context: DeclarationContext<'t>,
    ) {
        let fields = self.grammar.fields;
        let chain = self.text(target);
        let statement_scope = self.scopes.statement_scope(context.scope);
        let assigned = &mut self.scopes.get_mut(statement_scope).assigned_chains;
        let starts = assigned.entry(chain).or_default();
        if starts.len() < 64 {
            starts.push(start);
        }
        let (Some(receiver), Some(object), Some(name)) = (
            context.receiver,
            self.field(target, fields.object),
            self.field(target, fields.attribute),
        ) else {
            return;
        };
        if self.kind(object) != Kind::Identifier || self.text(object) != receiver.name {
            return;
        }
        let at = match held {
            BoundValue::Annotation(_) => AttributePlace::Annotation,
            _ if receiver.is_constructor => AttributePlace::Constructor,
            _ => AttributePlace::Method,
        };
        let site = site(start, held, items, context);
        let named = (self.text(name), name);
        self.add_attribute(receiver.class, named, statement, at, site);
    }

    fn add_attribute(
        &mut self,
        class: BuilderId,
        (name, name_node): (&'t str, Node<'t>),
        node: Node<'t>,
        place: AttributePlace,
        site: Site<'t>,
    ) {
        if let Some(class) = self.builders[class as usize].class.as_mut() {
            class.attributes.push(Attribute {
                name,
                node,
                named_at: name_node.start_byte(),
                place,
                site,
            });
        }
    }

    /// Declares the name after `as` in `value as name`.
    fn declare_as(
        &mut self,
        value: Node<'t>,
        statement: Node<'t>,
        context: DeclarationContext<'t>,
        held: fn(Node<'t>) -> BoundValue<'t>,
    ) {
        let value = self.unwrapped(value);
        if self.kind(value) == Kind::Tuple {
            // `with (a as b, c as d):`
            for child in self.children(value) {
                self.declare_as(child, statement, context, held);
            }
            return;
        }
        if self.kind(value) != Kind::AsPattern {
            return;
        }
        let target = self.field(value, self.grammar.fields.alias);
        if let (Some(inner), Some(target)) = (value.named_child(0), target) {
            let end = value.end_byte();
            self.bind_target(target, end, held(inner), &[], statement, context);
        }
    }
}

/// Makes the last position that of a starred target.
fn replaced_last(items: &[u8]) -> Vec<u8> {
    let mut items = items.to_vec();
    if let Some(last) = items.last_mut() {
        *last = STAR;
    }
    items
}

fn site<'t>(
    start: usize,
    held: BoundValue<'t>,
    items: &[u8],
    context: DeclarationContext<'t>,
) -> Site<'t> {
    Site {
        start,
        block: context.block,
        scope: context.scope,
        held,
        items: items.into(),
    }
}
