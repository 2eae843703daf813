//! Lowering of types, and the uses of names in them.

use tree_sitter::Node;

use super::grammar::Kind;
use super::locals::Local;
use super::lowering::{Lowering, MAX_DEPTH, TypeParam};
use super::names::method_name;
use crate::ir::{Expr, ExprId, ReferenceKind, Slot, SymbolIdx, Target};
use crate::model::BuiltinSet;
use crate::syntax::lang::use_recorder::RecordedUse;

/// The most type parameters of one declaration.
const MAX_TYPE_PARAMS: usize = 32;

/// The most type arguments of one type.
const MAX_TYPE_ARGUMENTS: usize = 16;

/// A parameter of a method.
#[derive(Clone, Copy, Debug)]
pub(super) struct Param<'t> {
    pub(super) name: &'t str,
    pub(super) type_: Option<Node<'t>>,
    /// Dimensions behind the name: `int a[]`.
    pub(super) dimensions: Option<Node<'t>>,
    /// `Item... items`
    pub(super) is_variadic: bool,
}

/// Functional interfaces of the standard library whose last type argument is the type of the result.
static GIVES_LAST: BuiltinSet = BuiltinSet::new(
    "Java: functional interfaces by their last argument",
    "Supplier Callable Function BiFunction UnaryOperator BinaryOperator ThrowingSupplier Provider",
);

/// Generic types of the standard library whose elements have the type of their last type argument.
static HOLDS_LAST: BuiltinSet = BuiltinSet::new(
    "Java: containers",
    "Class Iterable Collection List Set Queue Deque SortedSet Stream Iterator ArrayList LinkedList HashSet \
     TreeSet LinkedHashSet",
);

impl<'t> Lowering<'t> {
    /// Lowers a type to a value of it.
    pub(super) fn lower_type(&mut self, node: Node<'t>) -> ExprId {
        if self.depth > MAX_DEPTH {
            return self.unknown;
        }
        self.depth += 1;
        let found = self.lower_type_at(node);
        self.depth -= 1;
        found
    }

    fn lower_type_at(&mut self, node: Node<'t>) -> ExprId {
        match self.kind(node) {
            Kind::AnnotatedType => match self.plain_type(node) {
                Some(inner) => self.lower_type(inner),
                None => self.unknown,
            },
            Kind::ArrayType => {
                let fields = self.grammar.fields;
                let Some(element) = self.field(node, fields.element) else {
                    return self.unknown;
                };
                let element = self.lower_type(element);
                let dimensions = self.field(node, fields.dimensions);
                self.with_dimensions(element, dimensions)
            }
            Kind::Wildcard => {
                let bound = self.children(node).into_iter().rfind(|child| {
                    !matches!(
                        self.kind(*child),
                        Kind::Annotation | Kind::MarkerAnnotation | Kind::Super
                    )
                });
                match bound {
                    Some(bound) => self.lower_type(bound),
                    None => self.unknown,
                }
            }
            Kind::TypeIdentifier | Kind::Identifier => {
                let name = self.text(node);
                if let Some(param) = self.type_param(name) {
                    self.type_param_value(param)
                } else {
                    let path = self.type_name(name);
                    self.instance(path)
                }
            }
            Kind::VoidType => self.unknown,
            _ => {
                let path = self.type_path(node);
                self.instance(path)
            }
        }
    }

    /// Lowers a type to the class itself, with its type arguments.
    pub(super) fn type_path(&mut self, node: Node<'t>) -> ExprId {
        match self.kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => self.type_name(self.text(node)),
            Kind::IntegralType | Kind::FloatingPointType | Kind::BooleanType => {
                let name = self.facts.exprs.name(self.text(node));
                self.add(Expr::Name { name, scope: None })
            }
            Kind::AnnotatedType => match self.plain_type(node) {
                Some(inner) => self.type_path(inner),
                None => self.unknown,
            },
            Kind::ScopedType => {
                if let Some(found) = self.qualified_type(node) {
                    return found;
                }
                let parts = self.children(node);
                let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
                    return self.unknown;
                };
                if first == last || self.depth > MAX_DEPTH {
                    return self.unknown;
                }
                self.depth += 1;
                let around = self.type_path(*first);
                self.depth -= 1;
                let base = match *self.facts.exprs.get(around) {
                    Expr::Specialized { base, .. } => base,
                    _ => around,
                };
                self.member_of(base, self.text(*last))
            }
            Kind::GenericType => {
                let parts = self.children(node);
                let Some(first) = parts.first() else {
                    return self.unknown;
                };
                let base = self.type_path(*first);
                let list = parts
                    .iter()
                    .find(|it| self.kind(**it) == Kind::TypeArguments);
                let args: Vec<ExprId> = list
                    .map_or_else(Vec::new, |list| self.children(*list))
                    .into_iter()
                    .take(MAX_TYPE_ARGUMENTS)
                    .map(|it| self.lower_type(it))
                    .collect();
                if base == self.unknown || args.is_empty() {
                    return base;
                }
                self.add(Expr::Specialized {
                    base,
                    args: args.into(),
                })
            }
            _ => self.unknown,
        }
    }

    /// Returns the type that annotations stand before.
    fn plain_type(&self, node: Node<'t>) -> Option<Node<'t>> {
        let is_type = |it: &Node<'t>| self.kind(*it).is_type();
        self.children(node).into_iter().find(is_type)
    }

    /// Lowers the name of a class that is no type parameter.
    fn type_name(&mut self, name: &str) -> ExprId {
        match self.locals.value_or_class(name) {
            Some(Local::Class(symbol)) => self.add(Expr::Symbol(symbol)),
            _ => self.name(name),
        }
    }

    /// Adds an array around an element for each pair of brackets.
    pub(super) fn with_dimensions(
        &mut self,
        element: ExprId,
        dimensions: Option<Node<'t>>,
    ) -> ExprId {
        let n = dimensions.map_or(0, |it| self.text(it).matches('[').count());
        (0..n.min(16)).fold(element, |element, _| self.array(element))
    }

    /// Lowers the type of a parameter.
    pub(super) fn param_type(&mut self, param: &Param<'t>) -> ExprId {
        let Some(type_) = param.type_ else {
            return self.unknown;
        };
        let mut found = self.lower_type(type_);
        found = self.with_dimensions(found, param.dimensions);
        if param.is_variadic {
            found = self.array(found);
        }
        found
    }

    /// Returns the type parameter that a name means.
    pub(super) fn type_param(&self, name: &str) -> Option<TypeParam<'t>> {
        self.type_params.iter().rfind(|it| it.name == name).copied()
    }

    fn type_param_value(&mut self, param: TypeParam<'t>) -> ExprId {
        let TypeParam { owner, index, .. } = param;
        if self.result_of == Some(owner) {
            let params = self.params_of_result.clone();
            if let Some(argument) = self.argument_of(param.name, &params) {
                return argument;
            }
        }
        self.add(Expr::TypeParam {
            owner,
            index,
            has_bound: true,
        })
    }

    /// Returns the part of a method's arguments that gives a type parameter its type: for `T make(Class<T> type)` an
    /// instance of the first argument.
    fn argument_of(&mut self, name: &str, params: &[Param<'t>]) -> Option<ExprId> {
        let mut all = Vec::new();
        for (index, param) in params.iter().enumerate() {
            let (Some(type_), Ok(index)) = (param.type_, u8::try_from(index)) else {
                continue;
            };
            let argument = self.add(Expr::Argument { index });
            all.extend(self.part_of(type_, name, argument, 0));
        }
        (!all.is_empty()).then(|| self.union(all))
    }

    /// Returns the part of a value of a type that is of the type `name`.
    fn part_of(
        &mut self,
        type_: Node<'t>,
        name: &str,
        value: ExprId,
        depth: usize,
    ) -> Option<ExprId> {
        if depth > 8 {
            return None;
        }
        match self.kind(type_) {
            Kind::TypeIdentifier => (self.text(type_) == name).then_some(value),
            Kind::AnnotatedType => {
                let inner = self.plain_type(type_)?;
                self.part_of(inner, name, value, depth + 1)
            }
            Kind::Wildcard => {
                let inner = self.children(type_).into_iter().next_back()?;
                self.part_of(inner, name, value, depth + 1)
            }
            Kind::ArrayType => {
                let element = self.add(Expr::Element { object: value });
                let inner = self.field(type_, self.grammar.fields.element)?;
                self.part_of(inner, name, element, depth + 1)
            }
            Kind::GenericType => {
                let parts = self.children(type_);
                let base = self.text(*parts.first()?);
                let base = base.rsplit('.').next()?;
                let list = parts
                    .iter()
                    .find(|it| self.kind(**it) == Kind::TypeArguments)?;
                let args = self.children(*list);
                let last = *args.last()?;
                if GIVES_LAST.has(base) {
                    let result = self.add(Expr::Call {
                        callee: value,
                        types: Box::default(),
                        args: Box::default(),
                    });
                    return self.part_of(last, name, result, depth + 1);
                }
                if HOLDS_LAST.has(base) {
                    let element = self.add(Expr::Element { object: value });
                    return self.part_of(last, name, element, depth + 1);
                }
                None
            }
            _ => None,
        }
    }

    /// Brings the type parameters of a declaration into scope, with their bounds. Returns how many there were before.
    pub(super) fn enter_type_params(&mut self, node: Node<'t>, owner: SymbolIdx) -> usize {
        let n_outer = self.type_params.len();
        let Some(list) = self.field(node, self.grammar.fields.type_parameters) else {
            return n_outer;
        };
        let params: Vec<Node<'t>> = self
            .children(list)
            .into_iter()
            .filter(|it| self.kind(*it) == Kind::TypeParameter)
            .take(MAX_TYPE_PARAMS)
            .collect();
        for (index, param) in params.iter().enumerate() {
            let name = self
                .children(*param)
                .into_iter()
                .find(|it| matches!(self.kind(*it), Kind::TypeIdentifier | Kind::Identifier));
            self.type_params.push(TypeParam {
                name: name.map_or("", |it| self.text(it)),
                owner,
                index: u8::try_from(index).unwrap_or(u8::MAX),
            });
        }
        for (index, param) in params.into_iter().enumerate() {
            let Some(bound) = self.child_of(param, Kind::TypeBound) else {
                continue;
            };
            let bounds = self.children(bound);
            for one in &bounds {
                self.use_type(*one, ReferenceKind::Type);
            }
            if let Some(first) = bounds.first() {
                let value = self.lower_type(*first);
                let index = u8::try_from(index).unwrap_or(u8::MAX);
                if value != self.unknown {
                    self.bind(owner, Slot::TypeParamBound(index), value);
                }
            }
        }
        n_outer
    }

    /// Takes type parameters out of scope.
    pub(super) fn leave_type_params(&mut self, n_outer: usize) {
        self.type_params.truncate(n_outer);
    }

    /// Records the names that a type uses; the type itself is used as `kind` says.
    pub(super) fn use_type(&mut self, node: Node<'t>, kind: ReferenceKind) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match self.kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => self.use_type_name(node, kind),
            Kind::ScopedType | Kind::ScopedIdentifier => {
                let parts = self.children(node);
                if let (Some(first), Some(last)) = (parts.first(), parts.last())
                    && first != last
                {
                    let target = if let Some(found) = self.qualified_type(node) {
                        Target::Value(found)
                    } else {
                        self.use_qualifier(*first);
                        let receiver = self.qualifier(*first);
                        Target::Member {
                            receiver,
                            is_inferred: false,
                        }
                    };
                    self.push_use(*last, target, kind);
                }
            }
            Kind::GenericType => {
                for child in self.children(node) {
                    if self.kind(child) == Kind::TypeArguments {
                        for argument in self.children(child) {
                            self.use_type(argument, ReferenceKind::Type);
                        }
                    } else {
                        self.use_type(child, kind);
                    }
                }
            }
            Kind::ArrayType => {
                if let Some(element) = self.field(node, self.grammar.fields.element) {
                    self.use_type(element, kind);
                }
            }
            Kind::Annotation | Kind::MarkerAnnotation => self.use_annotation(node),
            _ => {
                for child in self.children(node) {
                    self.use_type(child, ReferenceKind::Type);
                }
            }
        }
        self.depth -= 1;
    }

    /// Lowers a name up to its last dot: a type, or a package.
    pub(super) fn qualifier(&mut self, node: Node<'t>) -> ExprId {
        if self.kind(node) != Kind::ScopedIdentifier {
            return self.type_path(node);
        }
        if let Some(found) = self.qualified_type(node) {
            return found;
        }
        let parts = self.children(node);
        match (parts.first(), parts.last()) {
            (Some(first), Some(last)) if first != last && self.depth < MAX_DEPTH => {
                self.depth += 1;
                let around = self.qualifier(*first);
                self.depth -= 1;
                self.member_of(around, self.text(*last))
            }
            _ => self.unknown,
        }
    }

    /// Records the use of a type as a qualifier; of a package nothing is recorded.
    fn use_qualifier(&mut self, node: Node<'t>) {
        let text = self.text(node);
        let first = text.split('.').next().unwrap_or(text);
        // By custom packages are written small.
        if first.starts_with(|c: char| c.is_uppercase()) || self.qualified_type(node).is_some() {
            self.use_type(node, ReferenceKind::Type);
        }
    }

    fn use_type_name(&mut self, node: Node<'t>, kind: ReferenceKind) {
        let name = self.text(node);
        if self.type_param(name).is_some() || name == "var" {
            return;
        }
        let target = match self.locals.value_or_class(name) {
            Some(Local::Class(symbol)) => Target::Symbol(symbol),
            _ => Target::Lexical,
        };
        self.push_use(node, target, kind);
    }

    /// Records the use of an element of an annotation: `path` in `@Route(path = "/")`.
    fn use_element(&mut self, annotation: Node<'t>, pair: Node<'t>) {
        let Some(type_) = self.field(annotation, self.grammar.fields.name) else {
            return;
        };
        let Some(key) = self.children(pair).first().copied() else {
            return;
        };
        let receiver = self.qualifier(type_);
        if self.kind(key) == Kind::Identifier {
            let name = method_name(self.text(key));
            let element = self.member_of(receiver, &name);
            self.push_use(key, Target::Value(element), ReferenceKind::Value);
        }
    }

    /// Records the use of the element that takes an argument without a name: `value` by the bracket of `@Route("/")`. No
    /// definition calls it so.
    fn use_only_element(&mut self, annotation: Node<'t>, arguments: Node<'t>) {
        let Some(type_) = self.field(annotation, self.grammar.fields.name) else {
            return;
        };
        let receiver = self.qualifier(type_);
        let element = self.member_of(receiver, &method_name("value"));
        let used = RecordedUse {
            name: self.facts.exprs.name("value"),
            target: Target::Value(element),
            kind: ReferenceKind::Listed,
            symbol: self.around,
        };
        self.uses
            .record(&mut self.facts.references, used, arguments.start_byte());
    }

    /// Records the uses in an annotation.
    pub(super) fn use_annotation(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        if let Some(name) = self.field(node, fields.name) {
            self.use_type(name, ReferenceKind::Type);
        }
        if let Some(arguments) = self.field(node, fields.arguments) {
            for argument in self.children(arguments) {
                let value = match self.kind(argument) {
                    Kind::ElementValuePair => {
                        self.use_element(node, argument);
                        self.field(argument, fields.value)
                    }
                    kind => {
                        let is_value = !matches!(kind, Kind::LineComment | Kind::BlockComment);
                        if is_value {
                            self.use_only_element(node, arguments);
                        }
                        Some(argument)
                    }
                };
                if let Some(value) = value {
                    self.walk(value);
                }
            }
        }
    }
}
