//! Types: what is written behind a name, as a value of it.
//!
//! `&T` and `*const T` are `T`; `dyn Trait` and `impl Trait` are values of the trait.

use tree_sitter::Node;

use super::generics::FUNCTION_TRAITS;
use super::grammar::Kind;
use super::locals::Local;
use super::lowering::Lowering;
use crate::ir::{Expr, ExprId, ReferenceKind, Target};
use crate::model::BuiltinSet;

/// Whether a name is written as those of types are.
pub(super) fn is_type_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// Returns the name by which a path looks for its last part: a function of a type is a method.
pub(super) fn last_of_path(name: &str, is_of_type: bool) -> String {
    if is_of_type && name.starts_with(|c: char| c.is_lowercase() || c == '_') {
        format!("{name}()")
    } else {
        name.to_owned()
    }
}

impl Lowering<'_> {
    /// Lowers a type to a value of it, and records its names as uses.
    pub(super) fn type_(&mut self, node: Node<'_>) -> ExprId {
        let found = self.silent_type(node);
        self.use_types(node);
        found
    }

    /// Lowers a type to a value of it.
    pub(super) fn silent_type(&mut self, node: Node<'_>) -> ExprId {
        self.deeper(|this| this.type_form(node))
            .unwrap_or(self.unknown)
    }

    fn type_form(&mut self, node: Node<'_>) -> ExprId {
        let fields = self.grammar.fields;
        let inner = |field: u16| node.child_by_field_id(field);
        match self.kind(node) {
            Kind::ReferenceType | Kind::PointerType => {
                inner(fields.type_).map_or(self.unknown, |it| self.silent_type(it))
            }
            Kind::DynamicType | Kind::AbstractType => {
                inner(fields.trait_).map_or(self.unknown, |it| self.silent_type(it))
            }
            Kind::BoundedType => {
                let all = self.children(node);
                self.bounds(all)
            }
            Kind::HigherRankedTraitBound => {
                inner(fields.type_).map_or(self.unknown, |it| self.silent_type(it))
            }
            Kind::FunctionType => {
                let result =
                    inner(fields.return_type).map_or(self.unknown, |it| self.silent_type(it));
                if result == self.unknown {
                    return self.unknown;
                }
                self.add(Expr::Callable { result })
            }
            Kind::ArrayType => {
                let element = inner(fields.element).map_or(self.unknown, |it| self.silent_type(it));
                self.standard("[]", &[element])
            }
            Kind::TupleType => {
                let mut items = Vec::new();
                for child in self.children(node) {
                    items.push(self.silent_type(child));
                }
                self.add(Expr::Tuple(items.into()))
            }
            Kind::PrimitiveType => {
                let name = self.text(node);
                self.standard(name, &[])
            }
            Kind::QualifiedType | Kind::BracketedType => self.qualified(node),
            Kind::TypeIdentifier | Kind::Identifier => {
                let name = self.text(node);
                if name == "Self"
                    && let Some(own) = self.self_type
                {
                    return own.value;
                }
                if let Some(known) = self.generic(name) {
                    return known;
                }
                let of = self.type_name(node);
                self.instance(of)
            }
            Kind::ScopedTypeIdentifier | Kind::ScopedIdentifier => {
                let of = self.type_name(node);
                self.instance(of)
            }
            Kind::GenericType | Kind::GenericTypeWithTurbofish => self.generic_type(node),
            _ => self.unknown,
        }
    }

    /// Lowers `Store<Item>`; `Item = X` counts as an argument: `Iterator<Item = X>`.
    fn generic_type(&mut self, node: Node<'_>) -> ExprId {
        let fields = self.grammar.fields;
        let Some(base) = self.field(node, fields.type_) else {
            return self.unknown;
        };
        let base = self.type_name(base);
        if base == self.unknown {
            return base;
        }
        let args = self.type_args(node);
        let of = if args.is_empty() {
            base
        } else {
            self.add(Expr::Specialized {
                base,
                args: args.into(),
            })
        };
        self.instance(of)
    }

    /// Lowers the type arguments of a type or a call.
    pub(super) fn type_args(&mut self, node: Node<'_>) -> Vec<ExprId> {
        let fields = self.grammar.fields;
        let Some(list) = self.field(node, fields.type_arguments) else {
            return Vec::new();
        };
        let mut args = Vec::new();
        for child in self.children(list) {
            match self.kind(child) {
                Kind::Lifetime => {}
                Kind::TypeBinding => {
                    if let Some(type_) = self.field(child, fields.type_) {
                        args.push(self.silent_type(type_));
                    }
                }
                Kind::TraitBounds => {
                    let all = self.children(child);
                    args.push(self.bounds(all));
                }
                _ => args.push(self.silent_type(child)),
            }
        }
        args
    }

    /// Lowers `<T as Trait>`: a `T` where that is known, else a value of the trait.
    fn qualified(&mut self, node: Node<'_>) -> ExprId {
        let fields = self.grammar.fields;
        let inner = match self.kind(node) {
            Kind::BracketedType => self.children(node).first().copied(),
            _ => Some(node),
        };
        let Some(inner) = inner else {
            return self.unknown;
        };
        if self.kind(inner) != Kind::QualifiedType {
            return self.silent_type(inner);
        }
        let own = self.field(inner, fields.type_);
        let own = own.map_or(self.unknown, |it| self.silent_type(it));
        let of = self.field(inner, fields.alias);
        let of = of.map_or(self.unknown, |it| self.silent_type(it));
        self.preferred(own, of)
    }

    /// Lowers the name of a type: the definition itself.
    pub(super) fn type_name(&mut self, node: Node<'_>) -> ExprId {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => {
                let name = self.text(node);
                if name == "Self"
                    && let Some(own) = self.self_type
                {
                    return own.named;
                }
                match self.locals.item(name) {
                    Some(Local::Item(at)) => self.add(Expr::Symbol(at)),
                    Some(Local::Used(expr)) => expr,
                    _ => self.module_name(name),
                }
            }
            Kind::ScopedTypeIdentifier | Kind::ScopedIdentifier => {
                let path = self.field(node, fields.path);
                let object = match path {
                    Some(path) => self.qualifier(path),
                    None => self.crate_root("crate"),
                };
                let name = self.field(node, fields.name).map_or("", |it| self.text(it));
                self.member_of(object, name)
            }
            Kind::GenericType | Kind::GenericTypeWithTurbofish => {
                let base = self.field(node, fields.type_);
                base.map_or(self.unknown, |it| self.type_name(it))
            }
            Kind::ReferenceType | Kind::PointerType => {
                let base = self.field(node, fields.type_);
                base.map_or(self.unknown, |it| self.type_name(it))
            }
            Kind::DynamicType | Kind::AbstractType => {
                let base = self.field(node, fields.trait_);
                base.map_or(self.unknown, |it| self.type_name(it))
            }
            Kind::PrimitiveType => {
                let name = self.facts.exprs.name(&format!("::{}", self.text(node)));
                self.add(Expr::Name { name, scope: None })
            }
            Kind::ArrayType => {
                let name = self.facts.exprs.name("::[]");
                self.add(Expr::Name { name, scope: None })
            }
            _ => self.unknown,
        }
    }

    /// Adds a name of the module around, or of what a `use` of the function brings into scope as a whole.
    pub(super) fn module_name(&mut self, name: &str) -> ExprId {
        let mut found = self.name(name);
        let globs: Vec<ExprId> = self.locals.globs().collect();
        for glob in globs {
            let first = self.member_of(glob, name);
            found = self.preferred(first, found);
        }
        found
    }

    /// Lowers a part of a path that goes on: a module, a crate or a type.
    pub(super) fn qualifier(&mut self, node: Node<'_>) -> ExprId {
        self.deeper(|this| this.qualifier_form(node))
            .unwrap_or(self.unknown)
    }

    fn qualifier_form(&mut self, node: Node<'_>) -> ExprId {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::Crate => self.crate_root("crate"),
            Kind::Super => self.crate_root("super"),
            Kind::SelfWord => self.name("self::"),
            Kind::Metavariable if self.text(node) == "$crate" => self.crate_root("crate"),
            Kind::Identifier | Kind::TypeIdentifier => {
                let name = self.text(node);
                if name == "Self"
                    && let Some(own) = self.self_type
                {
                    return own.value;
                }
                if let Some(known) = self.generic(name) {
                    return known;
                }
                match self.locals.item(name) {
                    Some(Local::Item(at)) => return self.add(Expr::Symbol(at)),
                    Some(Local::Used(expr)) => return self.as_qualifier(expr),
                    _ => {}
                }
                if !is_type_name(name) && !PRIMITIVES.has(name) {
                    self.crates.insert(name);
                }
                self.module_name(&format!("{name}::"))
            }
            Kind::ScopedIdentifier | Kind::ScopedTypeIdentifier => {
                let path = self.field(node, fields.path);
                let object = match path {
                    Some(path) => self.qualifier(path),
                    None => self.crate_root("crate"),
                };
                let name = self.field(node, fields.name);
                let name = name.map_or("", |it| self.text(it));
                if name == "super" {
                    return self.member_of(object, "super::");
                }
                self.member_of(object, &format!("{name}::"))
            }
            Kind::GenericType | Kind::GenericTypeWithTurbofish => self.silent_type(node),
            Kind::BracketedType => self.qualified(node),
            _ => self.unknown,
        }
    }

    /// The same path, which goes on.
    fn as_qualifier(&mut self, expr: ExprId) -> ExprId {
        match *self.facts.exprs.get(expr) {
            Expr::Member { object, name } => {
                let name = self.facts.exprs.name_of(name).to_owned();
                if name.ends_with("::") {
                    return expr;
                }
                self.member_of(object, &format!("{name}::"))
            }
            Expr::Name { name, scope } => {
                let name = self.facts.exprs.name_of(name).to_owned();
                if name.ends_with("::") {
                    return expr;
                }
                let name = self.facts.exprs.name(&format!("{name}::"));
                self.add(Expr::Name { name, scope })
            }
            _ => expr,
        }
    }

    /// Adds the root of the crate (`crate`), or the module around (`super`).
    pub(super) fn crate_root(&mut self, word: &str) -> ExprId {
        self.name(&format!("{word}::"))
    }

    /// Returns whether a part of a path is a type: its functions are methods.
    pub(super) fn is_type_path(&self, node: Node<'_>) -> bool {
        match self.kind(node) {
            Kind::GenericType
            | Kind::GenericTypeWithTurbofish
            | Kind::BracketedType
            | Kind::PrimitiveType => true,
            Kind::Identifier | Kind::TypeIdentifier => {
                let name = self.text(node);
                is_type_name(name) || self.is_generic(name) || PRIMITIVES.has(name)
            }
            Kind::ScopedIdentifier | Kind::ScopedTypeIdentifier => {
                let name = self.field(node, self.grammar.fields.name);
                name.is_some_and(|it| is_type_name(self.text(it)))
            }
            _ => false,
        }
    }

    /// Records the names inside a type as uses.
    pub(super) fn use_types(&mut self, node: Node<'_>) {
        self.deeper(|this| this.use_types_in(node));
    }

    fn use_types_in(&mut self, node: Node<'_>) {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::TypeIdentifier => {
                self.use_type(node, node, ReferenceKind::Type);
            }
            Kind::ScopedTypeIdentifier => {
                self.use_type(node, node, ReferenceKind::Type);
                if let Some(path) = self.field(node, fields.path)
                    && matches!(self.kind(path), Kind::GenericType | Kind::BracketedType)
                {
                    self.use_types(path);
                }
            }
            Kind::TypeBinding => {
                if let Some(type_) = self.field(node, fields.type_) {
                    self.use_types(type_);
                }
            }
            Kind::PrimitiveType | Kind::Lifetime => {}
            // The length of an array and an argument in braces are expressions: `[u8; LIMIT]`, `Ring<{ LIMIT + 1 }>`.
            Kind::ArrayType => {
                if let Some(element) = self.field(node, fields.element) {
                    self.use_types(element);
                }
                self.expr_in(node, fields.length);
            }
            Kind::Block => {
                self.expr(node);
            }
            _ => {
                for child in self.children(node) {
                    self.use_types(child);
                }
            }
        }
    }

    /// Records the use of a type whose path stands at `path`; its last name counts.
    pub(super) fn use_type(&mut self, node: Node<'_>, path: Node<'_>, kind: ReferenceKind) {
        let fields = self.grammar.fields;
        match self.kind(path) {
            Kind::TypeIdentifier | Kind::Identifier => {
                let name = self.text(path);
                if name == "Self" || self.is_generic(name) || FUNCTION_TRAITS.has(name) {
                    return;
                }
                let target = match self.locals.item(name) {
                    Some(Local::Item(at)) => Target::Symbol(at),
                    Some(Local::Used(expr)) => Target::Value(expr),
                    _ => {
                        let named = self.module_name(name);
                        Target::Value(named)
                    }
                };
                self.push_use(node, target, kind);
            }
            Kind::ScopedTypeIdentifier | Kind::ScopedIdentifier => {
                let object = self.field(path, fields.path);
                let receiver = object.map_or(self.unknown, |it| self.qualifier(it));
                let Some(name) = self.field(path, fields.name) else {
                    return;
                };
                if let Some(object) = object {
                    self.use_modules(object);
                }
                self.push_use(
                    name,
                    Target::Member {
                        receiver,
                        is_inferred: false,
                    },
                    kind,
                );
            }
            Kind::GenericType | Kind::GenericTypeWithTurbofish => {
                if let Some(inner) = self.field(path, fields.type_) {
                    self.use_type(inner, inner, kind);
                }
            }
            _ => {}
        }
    }
}

/// Types that the language defines.
pub(super) static PRIMITIVES: BuiltinSet = BuiltinSet::new(
    "Rust: primitive types",
    "bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64",
);
