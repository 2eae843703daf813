//! Types: to expressions, and the uses of names in them.
//!
//! A name where a type is meant is looked up as `` Store`0 ``, with the number of its type arguments, so that a property of that name
//! is no answer.

use tree_sitter::Node;

use super::expressions::MAX_ITEMS;
use super::grammar::Kind;
use super::lowering::{Lowering, MAX_DEPTH, TypeParam};
use crate::ir::{Expr, ExprId, ReferenceKind, Slot, SymbolIdx, Target, generic_name};
use crate::model::{BuiltinSet, BuiltinTable};

/// The most type parameters and arguments that are told apart.
const MAX_TYPE_PARAMS: usize = 60;

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Param<'t> {
    pub(super) name: &'t str,
    pub(super) type_: Option<Node<'t>>,
    /// Whether it is optional: it has a default.
    pub(super) is_optional: bool,
    /// Whether it takes any number of arguments: `params`.
    pub(super) is_variadic: bool,
    /// Whether it is the receiver of an extension method.
    pub(super) is_this: bool,
}

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
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::NullableType => match self.field(node, fields.type_) {
                Some(inner) if self.kind(inner) == Kind::PredefinedType => {
                    let name = self.text(inner);
                    let name = BOXED.get(name).copied().unwrap_or(name);
                    self.primitive(name)
                }
                Some(inner) => self.lower_type(inner),
                None => self.unknown,
            },
            Kind::RefType | Kind::ScopedType => match self.field(node, fields.type_) {
                Some(inner) => self.lower_type(inner),
                None => self.unknown,
            },
            Kind::ArrayType => {
                let element = self.field(node, fields.type_);
                let element = element.map_or(self.unknown, |it| self.lower_type(it));
                self.array(element)
            }
            Kind::TupleType => {
                let mut items = Vec::new();
                let mut names = Vec::new();
                for item in self.children(node).into_iter().take(MAX_ITEMS) {
                    let type_ = self.field(item, fields.type_);
                    items.push(type_.map_or(self.unknown, |it| self.lower_type(it)));
                    names.push(self.field(item, fields.name));
                }
                self.tuple(&names, items)
            }
            Kind::PredefinedType => {
                if self.text(node) == "void" {
                    return self.unknown;
                }
                self.primitive(self.text(node))
            }
            Kind::ImplicitType | Kind::PointerType | Kind::FunctionPointerType => self.unknown,
            Kind::Identifier if self.text(node) == "dynamic" => self.unknown,
            _ => {
                if self.is_type_param(node)
                    && let Some(param) = self.type_param(self.name_text(node))
                {
                    return self.type_param_value(param);
                }
                let path = self.type_path(node);
                self.instance(path)
            }
        }
    }

    /// Lowers a type to the class itself, with its type arguments.
    pub(super) fn type_path(&mut self, node: Node<'t>) -> ExprId {
        if self.depth > MAX_DEPTH {
            return self.unknown;
        }
        self.depth += 1;
        let found = self.type_path_at(node);
        self.depth -= 1;
        found
    }

    fn type_path_at(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Identifier => self.name(&generic_name(self.name_text(node), 0)),
            Kind::PredefinedType => {
                let name = self.facts.exprs.name(self.text(node));
                self.add(Expr::Name { name, scope: None })
            }
            Kind::GenericName => {
                let bare = self.bare_name(node);
                let base = self.name(&generic_name(self.name_text(bare), self.n_args(node)));
                self.with_args(base, node)
            }
            Kind::QualifiedName => {
                let (Some(qualifier), Some(name)) = (
                    self.field(node, fields.qualifier),
                    self.field(node, fields.name),
                ) else {
                    return self.unknown;
                };
                let bare = self.bare_name(name);
                let own = self.lookup_name_of(name, self.name_text(bare));
                let around = self.type_path(qualifier);
                let around = self.class_of(around);
                let nested = self.member_of(around, &own);
                let in_namespace = self.in_qualifier(qualifier, &own);
                let base = self.facts.exprs.fallback_of_known(in_namespace, nested);
                self.with_args(base, name)
            }
            Kind::AliasQualifiedName => {
                let Some(name) = self.field(node, fields.name) else {
                    return self.unknown;
                };
                let own = self.lookup_name_of(name, self.name_text(self.bare_name(name)));
                match self.behind_alias(node, &own) {
                    Some(base) => self.with_args(base, name),
                    None => self.type_path(name),
                }
            }
            Kind::NullableType | Kind::RefType | Kind::ScopedType => {
                match self.field(node, fields.type_) {
                    Some(inner) => self.type_path(inner),
                    None => self.unknown,
                }
            }
            _ => self.unknown,
        }
    }

    /// The class of a type with type arguments.
    pub(super) fn class_of(&self, path: ExprId) -> ExprId {
        match *self.facts.exprs.get(path) {
            Expr::Specialized { base, .. } => base,
            _ => path,
        }
    }

    fn with_args(&mut self, base: ExprId, name: Node<'t>) -> ExprId {
        let args = self.lower_type_args(name);
        if base == self.unknown || args.is_empty() {
            return base;
        }
        self.add(Expr::Specialized {
            base,
            args: args.into(),
        })
    }

    /// Lowers the type arguments of a name.
    pub(super) fn lower_type_args(&mut self, name: Node<'t>) -> Vec<ExprId> {
        if self.kind(name) != Kind::GenericName {
            return Vec::new();
        }
        let Some(list) = self.child_of(name, Kind::TypeArguments) else {
            return Vec::new();
        };
        let args = self.children(list).into_iter().take(MAX_TYPE_PARAMS);
        args.map(|it| self.lower_type(it)).collect()
    }

    /// Returns the number of type arguments of a name; that of `Map<,>` is 2.
    fn n_args(&self, name: Node<'t>) -> usize {
        let list = match self.kind(name) {
            Kind::GenericName => self.child_of(name, Kind::TypeArguments),
            _ => None,
        };
        let Some(list) = list else {
            return 0;
        };
        match self.children(list).len() {
            0 => 1 + self.text(list).matches(',').count(),
            n => n,
        }
    }

    /// The name by which a type is looked up in a namespace or in a type around it: ``Map`2`` for `Map<K, V>`.
    pub(super) fn lookup_name_of(&self, node: Node<'t>, name: &str) -> String {
        let name_node = match self.kind(node) {
            Kind::QualifiedName => self.field(node, self.grammar.fields.name).unwrap_or(node),
            _ => node,
        };
        match self.n_args(name_node) {
            0 => name.to_owned(),
            n => generic_name(name, n),
        }
    }

    /// Lowers the type of a parameter.
    pub(super) fn param_type(&mut self, param: &Param<'t>) -> ExprId {
        param.type_.map_or(self.unknown, |it| self.lower_type(it))
    }

    /// Returns the type parameter that a name means.
    pub(super) fn type_param(&self, name: &str) -> Option<TypeParam<'t>> {
        self.type_params.iter().rfind(|it| it.name == name).copied()
    }

    /// Whether a node is the name of a type parameter.
    pub(super) fn is_type_param(&self, node: Node<'t>) -> bool {
        self.kind(node) == Kind::Identifier && self.type_param(self.name_text(node)).is_some()
    }

    fn type_param_value(&mut self, param: TypeParam<'t>) -> ExprId {
        let TypeParam { owner, index, .. } = param;
        let written = self.add(Expr::TypeParam {
            owner,
            index,
            has_bound: true,
        });
        if self.result_of == Some(owner) {
            let params = self.params_of_result.clone();
            if let Some(argument) = self.argument_of(param.name, &params) {
                return self.facts.exprs.fallback_of_known(argument, written);
            }
        }
        written
    }

    /// Returns the part of a method's arguments that gives a type parameter its type: for `T First<T>(List<T> all)` an
    /// element of the first argument.
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
            Kind::Identifier => (self.text(type_) == name).then_some(value),
            Kind::NullableType | Kind::RefType => {
                let inner = self.field(type_, self.grammar.fields.type_)?;
                self.part_of(inner, name, value, depth + 1)
            }
            Kind::ArrayType => {
                let element = self.add(Expr::Element { object: value });
                let inner = self.field(type_, self.grammar.fields.type_)?;
                self.part_of(inner, name, element, depth + 1)
            }
            Kind::GenericName => {
                let base = self.text(self.bare_name(type_));
                let list = self.child_of(type_, Kind::TypeArguments)?;
                let args = self.children(list);
                let last = *args.last()?;
                if matches!(base, "Func" | "Converter") {
                    let result = self.add(Expr::Call {
                        callee: value,
                        types: Box::default(),
                        args: Box::default(),
                    });
                    return self.part_of(last, name, result, depth + 1);
                }
                if base == "Expression" {
                    return self.part_of(last, name, value, depth + 1);
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
        let params = self.type_param_nodes(node);
        for (index, param) in params.iter().enumerate() {
            self.use_attribute_lists(*param);
            let name = self.field(*param, self.grammar.fields.name);
            self.type_params.push(TypeParam {
                name: name.map_or("", |it| self.name_text(it)),
                owner,
                index: u8::try_from(index).unwrap_or(u8::MAX),
            });
        }
        for clause in self.children(node) {
            if self.kind(clause) == Kind::TypeConstraints {
                self.constraints(clause, owner, n_outer);
            }
        }
        n_outer
    }

    /// Returns the type parameters of a declaration.
    pub(super) fn type_param_nodes(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let Some(list) = self.child_of(node, Kind::TypeParameters) else {
            return Vec::new();
        };
        let mut params = self.children(list);
        params.retain(|it| self.kind(*it) == Kind::TypeParameter);
        params.truncate(MAX_TYPE_PARAMS);
        params
    }

    /// `where T : IStore, new()`
    fn constraints(&mut self, clause: Node<'t>, owner: SymbolIdx, n_outer: usize) {
        let parts = self.children(clause);
        let Some(name) = parts.first().map(|it| self.name_text(*it)) else {
            return;
        };
        let index = self.type_params[n_outer..]
            .iter()
            .position(|it| it.name == name);
        let mut bounds = Vec::new();
        for part in &parts[1..] {
            let Some(type_) = self.field(*part, self.grammar.fields.type_) else {
                continue;
            };
            self.use_type(type_, ReferenceKind::Type);
            bounds.push(self.lower_type(type_));
        }
        let bound = self.union(bounds);
        if let Some(index) = index.and_then(|it| u8::try_from(it).ok())
            && bound != self.unknown
        {
            self.bind(owner, Slot::TypeParamBound(index), bound);
        }
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
            Kind::Identifier | Kind::GenericName => self.use_type_name(node, kind),
            Kind::QualifiedName => {
                let value = self.type_path(node);
                let class = self.class_of(value);
                if let Some(name) = self.field(node, self.grammar.fields.name) {
                    if class != self.unknown {
                        self.push_use(self.bare_name(name), Target::Value(class), kind);
                    }
                    self.use_type_args(name);
                }
                if let Some(qualifier) = self.field(node, self.grammar.fields.qualifier) {
                    self.use_qualifier(qualifier);
                }
            }
            Kind::AliasQualifiedName => {
                let value = self.type_path(node);
                let class = self.class_of(value);
                if let Some(name) = self.field(node, self.grammar.fields.name) {
                    if class != self.unknown {
                        self.push_use(self.bare_name(name), Target::Value(class), kind);
                    }
                    self.use_type_args(name);
                }
            }
            Kind::PredefinedType | Kind::ImplicitType => {}
            Kind::AttributeList => self.use_attributes(node),
            Kind::NullableType | Kind::RefType | Kind::ScopedType => {
                if let Some(inner) = self.field(node, self.grammar.fields.type_) {
                    self.use_type(inner, kind);
                }
            }
            Kind::TupleElement | Kind::ArrayType | Kind::PointerType => {
                if let Some(inner) = self.field(node, self.grammar.fields.type_) {
                    self.use_type(inner, ReferenceKind::Type);
                }
            }
            _ => {
                for child in self.children(node) {
                    if !matches!(self.kind(child), Kind::Integer) {
                        self.use_type(child, ReferenceKind::Type);
                    }
                }
            }
        }
        self.depth -= 1;
    }

    /// Records the uses in the type arguments of a name.
    pub(super) fn use_type_args(&mut self, name: Node<'t>) {
        if self.kind(name) == Kind::GenericName
            && let Some(list) = self.child_of(name, Kind::TypeArguments)
        {
            for argument in self.children(list) {
                self.use_type(argument, ReferenceKind::Type);
            }
        }
    }

    /// Records the use of a type as a qualifier. Which part of it is a namespace is not known: of such nothing is bound.
    fn use_qualifier(&mut self, node: Node<'t>) {
        match self.kind(node) {
            Kind::GenericName | Kind::QualifiedName | Kind::AliasQualifiedName => {
                self.use_type(node, ReferenceKind::Type);
            }
            Kind::Identifier => {
                let class = self.type_path(node);
                self.push_use(node, Target::Value(class), ReferenceKind::Type);
            }
            _ => {}
        }
    }

    fn use_type_name(&mut self, node: Node<'t>, kind: ReferenceKind) {
        let bare = self.bare_name(node);
        let name = self.name_text(bare);
        self.use_type_args(node);
        if self.type_param(name).is_some() || matches!(name, "var" | "dynamic" | "nint" | "nuint") {
            return;
        }
        let path = self.type_path(node);
        let class = self.class_of(path);
        if class != self.unknown {
            self.push_use(bare, Target::Value(class), kind);
        }
    }

    /// Records the uses in lists of attributes.
    pub(super) fn use_attributes(&mut self, list: Node<'t>) {
        for attribute in self.children(list) {
            if self.kind(attribute) != Kind::Attribute {
                continue;
            }
            if let Some(name) = self.field(attribute, self.grammar.fields.name) {
                self.use_attribute_name(name);
            }
            if let Some(arguments) = self.child_of(attribute, Kind::AttributeArguments) {
                for argument in self.children(arguments) {
                    let name = self.field(argument, self.grammar.fields.name);
                    for child in self.children(argument) {
                        if Some(child) != name {
                            self.walk(child);
                        }
                    }
                }
            }
        }
    }

    /// `[Key]` means the class `KeyAttribute`.
    fn use_attribute_name(&mut self, node: Node<'t>) {
        let bare = match self.kind(node) {
            Kind::QualifiedName => {
                let name = self.field(node, self.grammar.fields.name);
                name.map_or(node, |it| self.bare_name(it))
            }
            _ => self.bare_name(node),
        };
        self.use_type_args(node);
        let name = self.name_text(bare);
        let is_whole = name.ends_with("Attribute");
        let whole = if is_whole {
            name.to_owned()
        } else {
            format!("{name}Attribute")
        };
        let class = if self.kind(node) == Kind::QualifiedName {
            match self.field(node, self.grammar.fields.qualifier) {
                Some(qualifier) => self.in_qualifier(qualifier, &whole),
                None => self.unknown,
            }
        } else {
            self.name(&generic_name(&whole, self.n_args(node)))
        };
        if class != self.unknown {
            self.push_use(bare, Target::Value(class), ReferenceKind::Type);
        }
    }
}

/// Whether a generic type of the standard library holds values of its last type argument.
static HOLDS_LAST: BuiltinSet = BuiltinSet::new(
    "C#: containers",
    "IEnumerable IAsyncEnumerable ICollection IList List IReadOnlyList IReadOnlyCollection ISet HashSet \
     IQueryable Queue Stack Task ValueTask Lazy Nullable IDictionary Dictionary IReadOnlyDictionary",
);

/// The struct behind the word for a primitive type, where the value may be missing: `int?`.
static BOXED: BuiltinTable<&str> = BuiltinTable::new(
    "C#: structs of primitive types",
    &[
        ("Boolean", "bool"),
        ("Byte", "byte"),
        ("SByte", "sbyte"),
        ("Int16", "short"),
        ("UInt16", "ushort"),
        ("Int32", "int"),
        ("UInt32", "uint"),
        ("Int64", "long"),
        ("UInt64", "ulong"),
        ("Single", "float"),
        ("Double", "double"),
        ("Decimal", "decimal"),
        ("Char", "char"),
    ],
);
