//! Lowering of types: a value of each, and the uses of the names in it.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::{Local, Lowering, MAX_DEPTH};
use crate::ir::{Expr, ExprId, ReferenceKind, Target};

/// The most type arguments that are kept.
const MAX_ARGUMENTS: usize = 8;

impl<'t> Lowering<'t> {
    /// Returns a value of a type, `const` and references being the same.
    pub(super) fn value_of(&mut self, node: Node<'t>) -> ExprId {
        let value = self.deeper(|it| it.value_of_type(node));
        value.unwrap_or(self.unknown)
    }

    fn value_of_type(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::PrimitiveType => self.primitive(self.text(node)),
            Kind::SizedType => self.primitive("int"),
            Kind::TypeIdentifier | Kind::Identifier | Kind::NamespaceIdentifier => {
                match self.local(self.text(node)) {
                    Some(Local::Type(value)) => value,
                    _ => self.instance_of(node),
                }
            }
            Kind::QualifiedIdentifier | Kind::TemplateType | Kind::TemplateFunction => {
                self.instance_of(node)
            }
            Kind::StructSpecifier
            | Kind::ClassSpecifier
            | Kind::UnionSpecifier
            | Kind::EnumSpecifier => match self.field(node, fields.name) {
                Some(name) => self.instance_of(name),
                None => self.unknown,
            },
            Kind::TypeDescriptor => {
                let value = self
                    .field(node, fields.type_)
                    .map_or(self.unknown, |it| self.value_of(it));
                match self.field(node, fields.declarator) {
                    Some(declarator) => {
                        let mut declarator = self.declarator(declarator);
                        declarator.function = None;
                        self.declared_value(&declarator, value)
                    }
                    None => value,
                }
            }
            Kind::DependentType => match self.children(node).first() {
                Some(inner) => self.value_of(*inner),
                None => self.unknown,
            },
            _ => self.unknown,
        }
    }

    /// Returns an instance of the type that a name stands for, with type arguments.
    fn instance_of(&mut self, name: Node<'t>) -> ExprId {
        let Some(text) = self.path_text(name) else {
            return self.unknown;
        };
        let base = self.name(&format!("type {text}"));
        let arguments = self.last_arguments(name);
        let Some(arguments) = arguments else {
            return self.add(Expr::Instance { of: base });
        };
        let args: Vec<ExprId> = self
            .children(arguments)
            .into_iter()
            .take(MAX_ARGUMENTS)
            .map(|it| self.value_of(it))
            .collect();
        let of = self.add(Expr::Specialized {
            base,
            args: args.into(),
        });
        self.add(Expr::Instance { of })
    }

    /// Returns the type arguments of the last name of a path.
    pub(super) fn last_arguments(&self, node: Node<'t>) -> Option<Node<'t>> {
        let fields = self.grammar.fields;
        let mut at = node;
        for _ in 0..MAX_DEPTH {
            match self.kind(at) {
                Kind::QualifiedIdentifier => at = self.field(at, fields.name)?,
                Kind::TemplateType | Kind::TemplateFunction | Kind::TemplateMethod => {
                    return self.field(at, fields.arguments);
                }
                Kind::DependentName => at = self.children(at).first().copied()?,
                _ => return None,
            }
        }
        None
    }

    /// Returns the names of a path with dots between them, without type arguments: `ns.Store` for `ns::Store<Row>`. `None`
    /// where a part is a type parameter or no name.
    pub(super) fn path_text(&self, node: Node<'t>) -> Option<String> {
        let mut parts = Vec::new();
        self.path_parts(node, &mut parts)?;
        Some(parts.join("."))
    }

    /// Returns the path of a function or variable, as [`Self::path_text`]; a name of the whole program begins with a dot:
    /// `.open` for `::open`, which is no member of a class around.
    pub(super) fn value_path(&self, node: Node<'t>) -> Option<String> {
        let fields = self.grammar.fields;
        let path = self.path_text(node)?;
        let is_global = self.kind(node) == Kind::QualifiedIdentifier
            && self.field(node, fields.scope).is_none()
            && !path.contains('.');
        Some(if is_global { format!(".{path}") } else { path })
    }

    fn path_parts(&self, node: Node<'t>, parts: &mut Vec<&'t str>) -> Option<()> {
        let fields = self.grammar.fields;
        if parts.len() > MAX_ARGUMENTS {
            return None;
        }
        match self.kind(node) {
            Kind::QualifiedIdentifier => {
                if let Some(scope) = self.field(node, fields.scope) {
                    self.path_parts(scope, parts)?;
                }
                self.path_parts(self.field(node, fields.name)?, parts)
            }
            Kind::TemplateType | Kind::TemplateFunction | Kind::TemplateMethod => {
                self.path_parts(self.field(node, fields.name)?, parts)
            }
            Kind::DependentName => self.path_parts(self.children(node).first().copied()?, parts),
            Kind::Identifier
            | Kind::TypeIdentifier
            | Kind::FieldIdentifier
            | Kind::NamespaceIdentifier => {
                let text = self.text(node);
                if parts.is_empty() && matches!(self.local(text), Some(Local::Type(_))) {
                    return None;
                }
                parts.push(text);
                Some(())
            }
            Kind::DestructorName | Kind::OperatorName => {
                parts.push(self.text(node));
                Some(())
            }
            _ => None,
        }
    }

    /// Records the uses of the names in a type.
    #[expect(clippy::match_same_arms, reason = "each form of type stands by itself")]
    pub(super) fn use_type(&mut self, node: Node<'t>, kind: ReferenceKind) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::PrimitiveType | Kind::SizedType | Kind::PlaceholderType => {}
            Kind::TypeIdentifier | Kind::QualifiedIdentifier | Kind::TemplateType => {
                self.use_type_name(node, kind);
                if let Some(arguments) = self.last_arguments(node) {
                    self.use_type_arguments(arguments);
                }
            }
            Kind::StructSpecifier
            | Kind::ClassSpecifier
            | Kind::UnionSpecifier
            | Kind::EnumSpecifier => {
                if let Some(name) = self.field(node, fields.name)
                    && self.field(node, fields.body).is_none()
                {
                    self.use_type(name, kind);
                }
            }
            Kind::TypeDescriptor | Kind::DependentType => {
                for child in self.children(node) {
                    self.use_type(child, kind);
                }
            }
            Kind::MacroType => self.use_macro_type(node),
            // An argument that the grammar has no place for.
            Kind::Identifier => self.use_type_name(node, kind),
            Kind::AbstractArrayDeclarator => {
                for child in self.children(node) {
                    if Some(child) == self.field(node, fields.size) {
                        self.walk(child);
                    } else {
                        self.use_type(child, kind);
                    }
                }
            }
            Kind::ParameterList
            | Kind::AbstractFunctionDeclarator
            | Kind::AbstractPointerDeclarator
            | Kind::ParameterDeclaration
            | Kind::OptionalParameter
            | Kind::FunctionDeclarator
            | Kind::PointerDeclarator
            | Kind::ReferenceDeclarator
            | Kind::ParenthesizedDeclarator => {
                for child in self.children(node) {
                    self.use_type(child, kind);
                }
            }
            _ => {}
        }
        self.depth -= 1;
    }

    /// Records a macro that makes a type, and the types that it is given: `TAILQ_ENTRY(item) entry;`, `RB_HEAD(tree, node) root;`.
    fn use_macro_type(&mut self, node: Node<'t>) {
        if let Some(name) = self.field(node, self.grammar.fields.name) {
            self.push_use(
                self.text(name),
                Target::Lexical,
                ReferenceKind::Call,
                name.start_byte(),
            );
        }
        let arguments = self.children(node).into_iter().skip(1);
        for argument in arguments {
            if argument.is_error() {
                for inner in self.children(argument) {
                    self.use_type(inner, ReferenceKind::Type);
                }
            } else {
                self.use_type(argument, ReferenceKind::Type);
            }
        }
    }

    /// Records the names in the arguments of a template: types, and values of which the grammar tells that they are none.
    pub(super) fn use_type_arguments(&mut self, arguments: Node<'t>) {
        for argument in self.children(arguments) {
            let kind = self.kind(argument);
            if kind.is_type() || kind == Kind::QualifiedIdentifier {
                self.use_type(argument, ReferenceKind::Type);
            } else {
                self.walk(argument);
            }
        }
    }

    fn use_type_name(&mut self, node: Node<'t>, kind: ReferenceKind) {
        if let Some(class) = self.local_symbol(self.text(node)) {
            let target = Target::Symbol(class);
            self.push_use(self.text(node), target, kind, node.start_byte());
            return;
        }
        let Some(text) = self.path_text(node) else {
            return;
        };
        if matches!(self.local(&text), Some(Local::Type(_))) {
            return;
        }
        let value = self.name(&format!("type {text}"));
        let last = self.last_name(node);
        self.push_use(
            self.text(last),
            Target::Value(value),
            kind,
            last.start_byte(),
        );
    }

    /// Returns the node of the last name of a path.
    pub(super) fn last_name(&self, node: Node<'t>) -> Node<'t> {
        let fields = self.grammar.fields;
        let mut at = node;
        for _ in 0..MAX_DEPTH {
            let inner = match self.kind(at) {
                Kind::QualifiedIdentifier
                | Kind::TemplateType
                | Kind::TemplateFunction
                | Kind::TemplateMethod => self.field(at, fields.name),
                Kind::DependentName => self.children(at).first().copied(),
                _ => None,
            };
            match inner {
                Some(inner) => at = inner,
                None => break,
            }
        }
        at
    }
}
