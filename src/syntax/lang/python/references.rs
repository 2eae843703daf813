//! The second pass: the uses of names.

use tree_sitter::Node;

use super::annotations::{Annotation, ChainPart, parse};
use super::builtins::type_form;
use super::grammar::Kind;
use super::lowering::{Lowering, MAX_DEPTH};
use super::scopes::{BindingScope, BoundValue, ScopeIdx};
use crate::ir::{Expr, ExprId, ReferenceKind, Target};
use crate::model::Budget;
use crate::syntax::lang::use_recorder::RecordedUse;

/// The surroundings of a use.
#[derive(Clone, Copy, Debug)]
pub(super) struct UsePlace {
    scope: ScopeIdx,
    depth: usize,
}

impl UsePlace {
    /// Returns the scope that the code stands in.
    pub(super) fn scope(self) -> ScopeIdx {
        self.scope
    }
}

impl<'t> Lowering<'t> {
    /// Records all uses of the file; `None` where the budget ended.
    pub(super) fn record_uses(&mut self, root: Node<'t>, budget: &Budget) -> Option<()> {
        let place = UsePlace { scope: 0, depth: 0 };
        for child in self.children(root) {
            if budget.is_spent() {
                return None;
            }
            self.uses_in(child, place);
        }
        for listed in std::mem::take(&mut self.listed) {
            self.use_listed(listed);
        }
        self.uses.sort(&mut self.facts.references);
        Some(())
    }

    /// Records the name in a string of `__all__`, which offers the definition to `from module import *`.
    fn use_listed(&mut self, string: Node<'t>) {
        let mut cursor = string.walk();
        let mut parts = string.children(&mut cursor);
        let opening = parts.find(|it| it.kind() == "string_start");
        let (Some(opening), Some(name)) = (opening, self.string_text(string)) else {
            return;
        };
        let at = opening.end_byte();
        match self.scopes.look_up(name, 0) {
            BindingScope::Unresolved if !self.has_star => {
                self.uses.note_unbound(ReferenceKind::Listed, at);
            }
            _ => self.push_use(name, Target::Lexical, ReferenceKind::Listed, 0, at),
        }
    }

    fn uses_in_children(&mut self, node: Node<'t>, place: UsePlace) {
        for child in self.children(node) {
            self.uses_in(child, place);
        }
    }

    fn uses_in(&mut self, node: Node<'t>, place: UsePlace) {
        if place.depth > MAX_DEPTH {
            return;
        }
        let place = UsePlace {
            depth: place.depth + 1,
            ..place
        };
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Identifier => self.use_name(node, place, ReferenceKind::Value),
            Kind::Attribute => self.use_attribute(node, place, ReferenceKind::Value),
            Kind::Call => {
                if let Some(callee) = self.field(node, fields.function) {
                    self.use_callee(callee, place, ReferenceKind::Call);
                }
                if let Some(arguments) = self.field(node, fields.arguments) {
                    self.uses_in_call(node, arguments, place);
                }
            }
            Kind::Decorator => {
                if let Some(expression) = node.named_child(0) {
                    self.use_decorator(expression, place);
                }
            }
            Kind::FunctionDefinition => self.uses_in_function(node, place),
            Kind::ClassDefinition => {
                if let Some(bases) = self.field(node, fields.superclasses) {
                    self.uses_in_bases(bases, place);
                }
                self.uses_in_body(node, place);
            }
            Kind::Lambda => {
                for param in self.params(node) {
                    if let Some(default) = param.default {
                        self.uses_in(default, place);
                    }
                }
                self.uses_in_body(node, place);
            }
            kind if kind.is_comprehension() => self.uses_in_comprehension(node, place),
            Kind::Assignment | Kind::AugmentedAssignment => {
                let is_load = self.kind(node) == Kind::AugmentedAssignment;
                if let Some(left) = self.field(node, fields.left) {
                    if is_load {
                        self.uses_in(left, place);
                    } else {
                        self.uses_in_target(left, place);
                    }
                }
                if let Some(annotation) = self.field(node, fields.type_) {
                    self.uses_in_type(annotation, place);
                }
                if let Some(right) = self.field(node, fields.right) {
                    self.uses_in(right, place);
                }
            }
            Kind::ForStatement | Kind::ForInClause => {
                let left = self.field(node, fields.left);
                for child in self.children(node) {
                    if Some(child) == left {
                        self.uses_in_target(child, place);
                    } else {
                        self.uses_in(child, place);
                    }
                }
            }
            Kind::NamedExpression | Kind::KeywordArgument => {
                if let Some(value) = self.field(node, fields.value) {
                    self.uses_in(value, place);
                }
            }
            Kind::Type => self.uses_in_type(node, place),
            Kind::Str => {
                self.use_quoted_path(node, place);
                self.uses_in_children(node, place);
            }
            Kind::AsPatternTarget => self.uses_in_target(node, place),
            Kind::CasePattern => self.uses_in_pattern(node, place),
            Kind::TypeAlias => {
                if let Some(right) = self.field(node, fields.right) {
                    self.uses_in_type(right, place);
                }
            }
            Kind::ImportStatement
            | Kind::ImportFrom
            | Kind::FutureImport
            | Kind::GlobalStatement
            | Kind::NonlocalStatement
            | Kind::StringContent
            | Kind::Comment => {}
            _ => self.uses_in_children(node, place),
        }
    }

    /// Uses of a `cast("T", value)` or `TypeVar(bound="T")` name types in strings.
    fn uses_in_call(&mut self, call: Node<'t>, arguments: Node<'t>, place: UsePlace) {
        self.use_named_fixtures(call, place);
        self.use_named_member(call, arguments, place);
        let fields = self.grammar.fields;
        let callee = self.field(call, fields.function).map(|it| self.text(it));
        let last = callee.and_then(|it| it.rsplit('.').next());
        let mut is_first = true;
        for child in self.arguments(arguments) {
            let is_type = match last {
                Some("cast") => is_first,
                Some("TypeVar") => !is_first,
                _ => false,
            };
            is_first = false;
            let value = self.field(child, fields.value).unwrap_or(child);
            self.use_keyword(call, child, place);
            if is_type && self.kind(value) == Kind::Str {
                self.uses_in_type(value, place);
            } else {
                self.uses_in(child, place);
            }
        }
    }

    /// Records `a` of `Store(a=1)`, which names an attribute where the class takes its arguments as these. By convention the names of
    /// classes begin with a capital letter; a keyword of another call is an unresolved one.
    fn use_keyword(&mut self, call: Node<'t>, argument: Node<'t>, place: UsePlace) {
        let fields = self.grammar.fields;
        if self.kind(argument) != Kind::KeywordArgument {
            return;
        }
        let (Some(callee), Some(key)) = (
            self.field(call, fields.function),
            self.field(argument, fields.name),
        ) else {
            return;
        };
        let class = self.text(callee).rsplit('.').next().unwrap_or_default();
        if !class.starts_with(char::is_uppercase) {
            return;
        }
        let value = self.lower_expr(callee, place.scope);
        if value == self.unknown {
            return;
        }
        let text = self.text(key);
        let name = self.facts.exprs.name(text);
        let target = Target::Member {
            receiver: self.add(Expr::Named { name, value }),
            is_inferred: true,
        };
        self.push_use(
            text,
            target,
            ReferenceKind::Value,
            place.scope,
            key.start_byte(),
        );
    }

    pub(super) fn arguments(&self, node: Node<'t>) -> Vec<Node<'t>> {
        if self.kind(node) == Kind::ArgumentList {
            self.children(node)
        } else {
            vec![node]
        }
    }

    fn uses_in_function(&mut self, node: Node<'t>, place: UsePlace) {
        let fields = self.grammar.fields;
        let inner = self.scopes.of_node.get(&node.id()).copied();
        let params = self.params(node);
        for param in &params {
            if let Some(annotation) = param.annotation {
                self.uses_in_type(annotation, place);
            }
            if let Some(default) = param.default {
                self.uses_in(default, place);
            }
        }
        if let Some(annotation) = self.field(node, fields.return_type) {
            self.uses_in_type(annotation, place);
        }
        if let Some(inner) = inner {
            self.use_param_fixtures(inner);
        }
        self.uses_in_body(node, place);
    }

    fn uses_in_body(&mut self, node: Node<'t>, place: UsePlace) {
        let inner = self.scopes.of_node.get(&node.id()).copied();
        let body = self.field(node, self.grammar.fields.body);
        if let (Some(scope), Some(body)) = (inner, body) {
            self.uses_in(body, UsePlace { scope, ..place });
        }
    }

    fn uses_in_comprehension(&mut self, node: Node<'t>, place: UsePlace) {
        let Some(inner) = self.scopes.of_node.get(&node.id()).copied() else {
            return;
        };
        let within = UsePlace {
            scope: inner,
            ..place
        };
        let mut is_first = true;
        for child in self.children(node) {
            if self.kind(child) == Kind::ForInClause && is_first {
                is_first = false;
                if let Some(right) = self.field(child, self.grammar.fields.right) {
                    self.uses_in(right, place);
                }
            } else {
                self.uses_in(child, within);
            }
        }
    }

    /// Uses in the target of an assignment: objects and indexes, and attributes. The names that
    /// are bound are none, nor is `a` of the `self.a` that defines it.
    fn uses_in_target(&mut self, node: Node<'t>, place: UsePlace) {
        if place.depth > MAX_DEPTH {
            return;
        }
        let place = UsePlace {
            depth: place.depth + 1,
            ..place
        };
        match self.kind(node) {
            Kind::Identifier => {}
            Kind::Attribute => match self.field(node, self.grammar.fields.object) {
                Some(object) if self.defines_attribute(node) => self.use_object(object, place),
                _ => self.use_attribute(node, place, ReferenceKind::Value),
            },
            Kind::Subscript => self.uses_in(node, place),
            _ => {
                for child in self.children(node) {
                    self.uses_in_target(child, place);
                }
            }
        }
    }

    /// Whether a target is the place where its attribute is defined: the first `self.a = b` of the constructor.
    fn defines_attribute(&self, target: Node<'t>) -> bool {
        let name = self.field(target, self.grammar.fields.attribute);
        name.is_some_and(|it| self.defined_attributes.contains(&it.start_byte()))
    }

    fn uses_in_pattern(&mut self, node: Node<'t>, place: UsePlace) {
        if place.depth > MAX_DEPTH {
            return;
        }
        let place = UsePlace {
            depth: place.depth + 1,
            ..place
        };
        let is_class = self.kind(node) == Kind::ClassPattern;
        for (at, child) in self.children(node).into_iter().enumerate() {
            match self.kind(child) {
                Kind::DottedName => {
                    let is_capture = child.named_child_count() == 1 && !(is_class && at == 0);
                    if !is_capture {
                        let annotation = parse(self.source, child.byte_range());
                        self.use_annotation(&annotation, place, ReferenceKind::Value, 0);
                    }
                }
                _ => self.uses_in_pattern(child, place),
            }
        }
    }

    fn uses_in_type(&mut self, node: Node<'t>, place: UsePlace) {
        let annotation = parse(self.source, node.byte_range());
        self.use_annotation(&annotation, place, ReferenceKind::Type, 0);
    }

    fn uses_in_bases(&mut self, list: Node<'t>, place: UsePlace) {
        for child in self.children(list) {
            match self.kind(child) {
                Kind::Identifier | Kind::Attribute => {
                    self.use_callee(child, place, ReferenceKind::Heritage);
                }
                Kind::Subscript => {
                    let annotation = parse(self.source, child.byte_range());
                    if let Annotation::Name(parts, arguments) = &annotation {
                        self.use_parts(parts, place, ReferenceKind::Heritage);
                        for one in arguments {
                            self.use_annotation(one, place, ReferenceKind::Type, 0);
                        }
                    }
                }
                _ => self.uses_in(child, place),
            }
        }
    }

    fn use_annotation(
        &mut self,
        annotation: &Annotation<'t>,
        place: UsePlace,
        kind: ReferenceKind,
        depth: usize,
    ) {
        if depth > 20 {
            return;
        }
        match annotation {
            Annotation::Name(parts, arguments) => {
                self.use_parts(parts, place, kind);
                for one in arguments {
                    self.use_annotation(one, place, kind, depth + 1);
                }
            }
            Annotation::Union(all) | Annotation::List(all) => {
                for one in all {
                    self.use_annotation(one, place, kind, depth + 1);
                }
            }
            Annotation::Ellipsis | Annotation::Other => {}
        }
    }

    /// Records the uses of the names of `a.b.C` in an annotation: `C` by `kind`, `a` as a value.
    fn use_parts(&mut self, parts: &[ChainPart<'t>], place: UsePlace, kind: ReferenceKind) {
        let Some(((name, at), before)) = parts.split_last() else {
            return;
        };
        if before.is_empty() {
            let is_builtin = type_form(name).is_some()
                && self.scopes.look_up(name, place.scope) == BindingScope::Unresolved;
            if !is_builtin {
                let target = match self.scopes.look_up(name, place.scope) {
                    BindingScope::FileScope => Some(Target::Lexical),
                    BindingScope::Unresolved => self.has_star.then_some(Target::Lexical),
                    BindingScope::Local(_) | BindingScope::Class(_) => {
                        let expr = self.type_name(parts, place.scope);
                        let known = self.target_of(expr);
                        known.or_else(|| self.class_attribute(name, place.scope, *at))
                    }
                };
                match target {
                    Some(target) => self.push_use(name, target, kind, place.scope, *at),
                    None if self.scopes.look_up(name, place.scope) == BindingScope::Unresolved => {
                        self.uses.note_unbound(kind, *at);
                    }
                    None => {}
                }
            }
            return;
        }
        let receiver = self.type_name(before, place.scope);
        if receiver != self.unknown {
            let target = Target::Member {
                receiver,
                is_inferred: false,
            };
            self.push_use(name, target, kind, place.scope, *at);
        }
        self.use_parts(&parts[..1], place, ReferenceKind::Value);
    }

    /// Records `@a.b(c)`: `b` as a decorator.
    fn use_decorator(&mut self, node: Node<'t>, place: UsePlace) {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Call => {
                if let Some(callee) = self.field(node, fields.function) {
                    self.use_callee(callee, place, ReferenceKind::Decorator);
                }
                self.use_named_fixtures(node, place);
                if let Some(arguments) = self.field(node, fields.arguments) {
                    self.uses_in(arguments, place);
                }
            }
            // A further part of the property above.
            Kind::Attribute if self.is_accessor_part(node) => {}
            _ => self.use_callee(node, place, ReferenceKind::Decorator),
        }
    }

    /// Returns whether a decorator is `x.setter` and the like.
    fn is_accessor_part(&self, node: Node<'t>) -> bool {
        let name = self.field(node, self.grammar.fields.attribute);
        name.is_some_and(|it| matches!(self.text(it), "setter" | "getter" | "deleter"))
    }

    fn use_callee(&mut self, node: Node<'t>, place: UsePlace, kind: ReferenceKind) {
        match self.kind(node) {
            Kind::Identifier => self.use_name(node, place, kind),
            Kind::Attribute => self.use_attribute(node, place, kind),
            Kind::Parenthesized | Kind::Await => match node.named_child(0) {
                Some(inner) if place.depth < MAX_DEPTH => {
                    let depth = place.depth + 1;
                    self.use_callee(inner, UsePlace { depth, ..place }, kind);
                }
                _ => {}
            },
            Kind::Subscript => {
                // `Stack[int]()`
                if let Some(value) = self.field(node, self.grammar.fields.value) {
                    self.uses_in(value, place);
                }
                for child in self.children(node).into_iter().skip(1) {
                    self.uses_in(child, place);
                }
            }
            _ => self.uses_in(node, place),
        }
    }

    fn use_name(&mut self, node: Node<'t>, place: UsePlace, kind: ReferenceKind) {
        let name = self.text(node);
        let target = match self.scopes.binder_at(name, place.scope, node.start_byte()) {
            BindingScope::FileScope => Target::Lexical,
            BindingScope::Unresolved if self.has_star => Target::Lexical,
            BindingScope::Unresolved => {
                self.uses.note_unbound(kind, node.start_byte());
                return;
            }
            BindingScope::Local(at) | BindingScope::Class(at) => {
                let sites = self.scopes.get(at).names.get(name);
                let own = sites.and_then(|sites| match sites.as_slice() {
                    [one] => match one.held {
                        BoundValue::Symbol(builder) => Some(builder),
                        _ => None,
                    },
                    _ => None,
                });
                let expr = self.lower_name(name, place.scope, node.start_byte());
                let attribute = self.class_attribute(name, place.scope, node.start_byte());
                match (own, attribute) {
                    (Some(builder), _) => Target::Symbol(self.symbol(builder)),
                    // Calling it makes an instance of the class that it holds, where that is known.
                    (None, Some(attribute))
                        if kind == ReferenceKind::Value || expr == self.unknown =>
                    {
                        attribute
                    }
                    (None, _) if expr == self.unknown => {
                        if kind == ReferenceKind::Value {
                            return;
                        }
                        Target::Unknown
                    }
                    (None, _) if kind == ReferenceKind::Value => match self.target_of(expr) {
                        Some(target) => target,
                        None => return,
                    },
                    (None, _) => Target::Value(expr),
                }
            }
        };
        self.push_use(name, target, kind, place.scope, node.start_byte());
    }

    /// Returns the target of a name that the body of the class around binds to an attribute: the last `size` in
    /// `class A: size = 1; other = size`.
    fn class_attribute(&mut self, name: &str, scope: ScopeIdx, at: usize) -> Option<Target> {
        let BindingScope::Class(binder) = self.scopes.binder_at(name, scope, at) else {
            return None;
        };
        let class = self.scopes.get(binder).symbol?;
        let syntax = self.builders[class as usize].class.as_ref()?;
        let is_attribute = syntax.attributes.iter().any(|it| it.name == name);
        let is_other = self
            .scopes
            .get(binder)
            .names
            .get(name)?
            .iter()
            .any(|site| matches!(site.held, BoundValue::Symbol(_) | BoundValue::Import(..)));
        if !is_attribute || is_other {
            return None;
        }
        let class = self.symbol(class);
        let receiver = self.add(Expr::Symbol(class));
        Some(Target::Member {
            receiver,
            is_inferred: false,
        })
    }

    /// Returns the target of a name that stands for a definition; `None` for values that calls make and the like.
    fn target_of(&self, expr: ExprId) -> Option<Target> {
        match self.facts.exprs.get(expr) {
            Expr::Symbol(symbol) => Some(Target::Symbol(*symbol)),
            Expr::Name { .. } | Expr::Imported { .. } | Expr::Member { .. } => {
                Some(Target::Value(expr))
            }
            Expr::Union(all) => {
                let is_path = |it: &ExprId| {
                    matches!(
                        self.facts.exprs.get(*it),
                        Expr::Symbol(_)
                            | Expr::Name { .. }
                            | Expr::Imported { .. }
                            | Expr::Member { .. }
                    )
                };
                all.iter().all(is_path).then_some(Target::Value(expr))
            }
            _ => None,
        }
    }

    fn use_attribute(&mut self, node: Node<'t>, place: UsePlace, kind: ReferenceKind) {
        let fields = self.grammar.fields;
        let (Some(object), Some(name)) = (
            self.field(node, fields.object),
            self.field(node, fields.attribute),
        ) else {
            return;
        };
        self.lower_package_member(object, place.scope);
        self.use_object(object, place);
        let expr = self.lower_expr(node, place.scope);
        if matches!(self.facts.exprs.get(expr), Expr::Imported { .. }) {
            // A module, `a.b` after `import a.b`.
            return;
        }
        let receiver = self.lower_expr(object, place.scope);
        let chain = self.chain(object);
        let root = chain
            .as_ref()
            .map(|chain| self.scopes.look_up(chain[0], place.scope));
        if receiver == self.unknown && root == Some(BindingScope::Unresolved) {
            return;
        }
        let is_plain = match (root, chain) {
            (Some(BindingScope::FileScope | BindingScope::Class(_)), _) => true,
            (Some(_), Some(chain)) => {
                let root = self.lower_name(chain[0], place.scope, object.start_byte());
                matches!(
                    self.facts.exprs.get(root),
                    Expr::Receiver { .. } | Expr::Imported { .. }
                )
            }
            _ => matches!(self.facts.exprs.get(receiver), Expr::Super { .. }),
        };
        let target = Target::Member {
            receiver,
            is_inferred: !is_plain,
        };
        let text = self.text(name);
        self.push_use(text, target, kind, place.scope, name.start_byte());
    }

    /// Uses in the object before a dot.
    fn use_object(&mut self, object: Node<'t>, place: UsePlace) {
        if place.depth > MAX_DEPTH {
            return;
        }
        let depth = place.depth + 1;
        self.uses_in(object, UsePlace { depth, ..place });
    }

    pub(super) fn push_use(
        &mut self,
        name: &str,
        target: Target,
        kind: ReferenceKind,
        scope: ScopeIdx,
        at: usize,
    ) {
        let name = self.facts.exprs.name(name);
        let used = RecordedUse {
            name,
            target,
            kind,
            symbol: self.symbol_around(scope),
        };
        self.uses.record(&mut self.facts.references, used, at);
    }
}
