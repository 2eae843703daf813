//! Assignments, conditions and patterns of the first pass.

use tree_sitter::Node;

use super::builtins::type_form;
use super::context::DeclarationContext;
use super::grammar::Kind;
use super::lowering::Lowering;
use super::scopes::{BoundValue, Narrowing, ScopeIdx};
use crate::model::SymbolKind;

impl<'t> Lowering<'t> {
    /// `target = value`, `a = b = value`, `target: annotation = value`
    pub(super) fn declare_assignment(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        let fields = self.grammar.fields;
        let Some(left) = self.field(node, fields.left) else {
            return;
        };
        let right = self.field(node, fields.right);
        if let Some(right) = right {
            self.declare(right, context);
        }
        let mut value = right;
        let mut depth = 0;
        while let Some(inner) = value.filter(|it| self.kind(*it) == Kind::Assignment) {
            value = self.field(inner, fields.right);
            depth += 1;
            if depth > 50 {
                return;
            }
        }
        let is_kept = context.scope == 0 || self.is_class_scope(context.scope);
        if is_kept && self.kind(left) == Kind::Identifier {
            let name = self.text(left);
            if let Some(value) = value {
                if context.scope == 0 && name == "__all__" {
                    self.add_all(value);
                }
                if context.scope == 0 && name == "pytest_plugins" {
                    self.plugin_modules(value, context);
                }
                self.declare_type_var(name, value);
            }
        }
        let annotation = self.field(node, fields.type_);
        let end = node.end_byte();
        match (annotation, value) {
            (Some(annotation), _) if !is_bare_marker(self.text(annotation)) => {
                let held = BoundValue::Annotation(annotation);
                self.bind_target(left, end, held, &[], node, context);
            }
            (_, Some(value)) => {
                self.bind_target(left, end, BoundValue::Value(value), &[], node, context);
            }
            _ => self.bind_target(left, end, BoundValue::Unknown, &[], node, context),
        }
    }

    /// `target += value`
    pub(super) fn declare_augmented(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        let fields = self.grammar.fields;
        let (left, right) = (
            self.field(node, fields.left),
            self.field(node, fields.right),
        );
        if let (Some(left), Some(right)) = (left, right) {
            if context.scope == 0 && self.text(left) == "__all__" {
                self.add_all(right);
            }
            // It binds the name without saying more of its value.
            if self.kind(left) == Kind::Identifier && !self.is_class_scope(context.scope) {
                let name = self.text(left);
                let is_bound = self.scopes.get(context.scope).names.contains_key(name);
                if !is_bound && context.scope != 0 {
                    self.bind(name, node.end_byte(), BoundValue::Unknown, context);
                }
            }
            self.declare(right, context);
        }
    }

    /// `T = TypeVar("T", bound=A)`
    fn declare_type_var(&mut self, name: &'t str, value: Node<'t>) {
        let fields = self.grammar.fields;
        if self.kind(value) != Kind::Call {
            return;
        }
        let callee = self.field(value, fields.function).map(|it| self.text(it));
        let is_type_var = callee.is_some_and(|it| {
            matches!(
                it.rsplit('.').next(),
                Some("TypeVar" | "ParamSpec" | "TypeVarTuple")
            )
        });
        if !is_type_var {
            return;
        }
        let arguments = self.field(value, fields.arguments);
        let bound = arguments.and_then(|list| {
            self.children(list).into_iter().find_map(|argument| {
                let key = self.field(argument, fields.name)?;
                let value = self.field(argument, fields.value)?;
                (self.text(key) == "bound").then_some(value)
            })
        });
        self.type_vars.insert(name, bound);
    }

    /// Returns whether an assignment names a type: `A = Union[B, C]`, `A: TypeAlias = B`.
    pub(super) fn is_type_alias(&self, name: &str, statement: Node<'t>) -> bool {
        let fields = self.grammar.fields;
        let annotation = self.field(statement, fields.type_);
        if annotation.is_some_and(|it| self.text(it).ends_with("TypeAlias")) {
            return true;
        }
        let Some(value) = self.field(statement, fields.right) else {
            return false;
        };
        let is_camel = name.trim_start_matches('_').starts_with(char::is_uppercase)
            && name.contains(char::is_lowercase);
        if !is_camel || annotation.is_some() || self.kind(value) != Kind::Subscript {
            return false;
        }
        let base = self.field(value, fields.value).map(|it| self.text(it));
        base.and_then(|it| it.rsplit('.').next())
            .is_some_and(|last| type_form(last).is_some())
    }

    /// `type A = B`
    pub(super) fn declare_type_alias(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        let fields = self.grammar.fields;
        let (Some(left), Some(right)) = (
            self.field(node, fields.left),
            self.field(node, fields.right),
        ) else {
            return;
        };
        let text = self.text(left);
        let name = text.split('[').next().unwrap_or_default().trim();
        self.bind(name, node.end_byte(), BoundValue::Value(right), context);
        if context.scope == 0 {
            self.export(name, left, context);
            let builder = self.add_symbol(name, SymbolKind::Type, node, left, 0, None);
            self.builders[builder as usize].symbol.signature =
                crate::syntax::signature::of_value(self.text(node), None);
            self.top_symbols.insert(name, builder);
        }
    }

    /// `if condition:`, with the tests that it makes.
    pub(super) fn declare_if(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        let fields = self.grammar.fields;
        self.declare_narrowing(node, context);
        let condition = self.field(node, fields.condition);
        let checks_types = condition.is_some_and(|it| {
            matches!(
                self.text(it),
                "TYPE_CHECKING" | "typing.TYPE_CHECKING" | "t.TYPE_CHECKING"
            )
        });
        let consequence = self.field(node, fields.consequence);
        for child in self.children(node) {
            let type_only = context.type_only || (checks_types && Some(child) == consequence);
            self.declare(
                child,
                DeclarationContext {
                    type_only,
                    ..context
                },
            );
        }
    }

    /// Records the classes that a condition narrows names to where it holds.
    pub(super) fn declare_narrowing(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        let fields = self.grammar.fields;
        let scope = self.scopes.statement_scope(context.scope);
        let bytes = |node: Node<'t>| (node.start_byte(), node.end_byte() + 1);
        match self.kind(node) {
            Kind::IfStatement | Kind::ElifClause | Kind::WhileStatement => {
                let condition = self.field(node, fields.condition);
                let consequence = self.field(node, fields.consequence);
                let body = consequence.or_else(|| self.field(node, fields.body));
                let (Some(condition), Some(body)) = (condition, body) else {
                    return;
                };
                self.narrow(condition, bytes(body), scope, 0);
                let inner = self.unwrapped(condition);
                if self.kind(inner) == Kind::NotOperator
                    && self.kind(node) == Kind::IfStatement
                    && self.leaves(body)
                    && let Some(test) = inner.named_child(0)
                {
                    self.narrow(test, (node.end_byte(), context.block.1), scope, 0);
                }
            }
            Kind::AssertStatement => {
                if let Some(condition) = node.named_child(0) {
                    self.narrow(condition, (node.end_byte(), context.block.1), scope, 0);
                }
            }
            Kind::BooleanOperator => {
                let is_and = node.child(1).is_some_and(|it| it.kind() == "and");
                let (left, right) = (
                    self.field(node, fields.left),
                    self.field(node, fields.right),
                );
                if let (true, Some(left), Some(right)) = (is_and, left, right) {
                    self.narrow(left, bytes(right), scope, 0);
                }
            }
            Kind::ConditionalExpression => {
                if let (Some(body), Some(condition)) = (node.named_child(0), node.named_child(1)) {
                    self.narrow(condition, bytes(body), scope, 0);
                }
            }
            Kind::IfClause => {
                if let (Some(condition), Some(whole)) = (node.named_child(0), node.parent()) {
                    self.narrow(condition, bytes(whole), scope, 0);
                }
            }
            _ => {}
        }
    }

    /// Returns whether a block ends by leaving the block around it.
    fn leaves(&self, body: Node<'t>) -> bool {
        self.children(body).last().is_some_and(|last| {
            matches!(
                self.kind(*last),
                Kind::ReturnStatement | Kind::Raise | Kind::Continue | Kind::Break
            )
        })
    }

    fn narrow(
        &mut self,
        condition: Node<'t>,
        range: (usize, usize),
        scope: ScopeIdx,
        depth: usize,
    ) {
        let fields = self.grammar.fields;
        let condition = self.unwrapped(condition);
        match self.kind(condition) {
            Kind::BooleanOperator
                if depth < 20 && condition.child(1).is_some_and(|it| it.kind() == "and") =>
            {
                for child in self.children(condition) {
                    self.narrow(child, range, scope, depth + 1);
                }
            }
            Kind::Call => {
                let callee = self.field(condition, fields.function);
                let arguments = self.field(condition, fields.arguments);
                let (Some(callee), Some(arguments)) = (callee, arguments) else {
                    return;
                };
                if self.text(callee) != "isinstance" {
                    return;
                }
                if let (Some(name), Some(class)) =
                    (arguments.named_child(0), arguments.named_child(1))
                    && self.chain(name).is_some()
                {
                    self.add_narrowing(self.text(name), range, class, scope);
                }
            }
            _ => {}
        }
    }

    fn add_narrowing(
        &mut self,
        name: &'t str,
        range: (usize, usize),
        class: Node<'t>,
        scope: ScopeIdx,
    ) {
        let all = self
            .scopes
            .get_mut(scope)
            .narrowings
            .entry(name)
            .or_default();
        if all.len() < 64 {
            all.push(Narrowing { range, class });
        }
    }

    /// `case pattern if guard:`
    pub(super) fn declare_case(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        let fields = self.grammar.fields;
        let subject = node
            .parent()
            .and_then(|block| block.parent())
            .and_then(|it| self.field(it, fields.subject));
        let consequence = self.field(node, fields.consequence);
        for child in self.children(node) {
            if self.kind(child) == Kind::CasePattern {
                let class = self.pattern_class(child);
                if let (Some(class), Some(subject), Some(body)) = (class, subject, consequence)
                    && self.chain(subject).is_some()
                {
                    let range = (body.start_byte(), body.end_byte() + 1);
                    let scope = self.scopes.statement_scope(context.scope);
                    self.add_narrowing(self.text(subject), range, class, scope);
                }
                let is_whole = child
                    .named_child(0)
                    .is_some_and(|it| matches!(self.kind(it), Kind::AsPattern | Kind::DottedName));
                let whole = subject
                    .filter(|_| is_whole)
                    .map_or(BoundValue::Unknown, BoundValue::Value);
                self.declare_pattern(child, whole, context, 0);
            } else {
                self.declare(child, context);
            }
        }
    }

    /// Returns the class that a pattern tests for: `A` of `A()`, `A() as a`.
    fn pattern_class(&self, pattern: Node<'t>) -> Option<Node<'t>> {
        let mut at = pattern;
        for _ in 0..4 {
            if self.kind(at) == Kind::ClassPattern {
                return at.named_child(0);
            }
            at = at.named_child(0)?;
        }
        None
    }

    fn declare_pattern(
        &mut self,
        node: Node<'t>,
        whole: BoundValue<'t>,
        context: DeclarationContext<'t>,
        depth: usize,
    ) {
        if depth > 40 {
            return;
        }
        let end = node.end_byte();
        match self.kind(node) {
            Kind::AsPattern => {
                let pattern = node.named_child(0);
                let held = pattern
                    .and_then(|it| self.pattern_class(it))
                    .map_or(whole, BoundValue::InstanceOf);
                if let Some(name) = self.children(node).into_iter().last()
                    && self.kind(name) == Kind::Identifier
                {
                    self.bind(self.text(name), end, held, context);
                }
                if let Some(pattern) = pattern {
                    self.declare_pattern(pattern, BoundValue::Unknown, context, depth + 1);
                }
            }
            Kind::DottedName => {
                let is_name = node.named_child_count() == 1 && self.text(node) != "_";
                if is_name {
                    self.bind(self.text(node), end, whole, context);
                }
            }
            Kind::SplatPattern => {
                if let Some(name) = node.named_child(0) {
                    self.bind(self.text(name), end, BoundValue::Unknown, context);
                }
            }
            Kind::ClassPattern | Kind::KeywordPattern => {
                for child in self.children(node).into_iter().skip(1) {
                    self.declare_pattern(child, BoundValue::Unknown, context, depth + 1);
                }
            }
            Kind::Str => {}
            _ => {
                for child in self.children(node) {
                    self.declare_pattern(child, whole, context, depth + 1);
                }
            }
        }
    }
}

/// Returns whether an annotation says nothing of the type: `Final`, `ClassVar`, `TypeAlias`.
fn is_bare_marker(annotation: &str) -> bool {
    matches!(
        annotation.rsplit('.').next(),
        Some("Final" | "ClassVar" | "TypeAlias" | "Any")
    )
}
