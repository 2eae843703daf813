//! Lowers types: `Promise<Job[]>` → `Container { Sequence, Instance { Job } }`.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::builtins::Builtin;
use super::expr_builder::ExprBuilder;
use super::kinds::{Grammar, Kind};
use super::names::{import_of, is_chain};
use crate::ir::{ContainerKind, Expr, ExprId};

/// Types inside types that are looked at.
const TYPE_DEPTH: usize = 6;

/// Types that are given to one type that are looked at.
pub(super) const GIVEN: usize = 4;

/// Parts of one type that are looked at.
const MAX_PARTS: usize = 64;

/// Reads the types of one tree.
pub(super) struct Types<'t> {
    pub(super) grammar: &'static Grammar,
    pub(super) source: &'t str,
    pub(super) exprs: &'t mut ExprBuilder,
    pub(super) modules: &'t mut Vec<String>,
}

impl<'t> Types<'t> {
    fn text(&self, node: Node<'_>) -> &'t str {
        &self.source[node.byte_range()]
    }

    fn inside<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        let mut cursor = node.walk();
        let all = node.named_children(&mut cursor);
        let all = all.filter(|one| self.grammar.kind(*one) != Kind::Comment);
        all.take(MAX_PARTS).collect()
    }

    pub(super) fn read(&mut self, node: Node<'_>, depth: usize) -> Option<ExprId> {
        if depth > TYPE_DEPTH {
            return None;
        }
        let depth = depth + 1;
        let fields = &self.grammar.fields;
        match self.grammar.kind(node) {
            Kind::TypeAnnotation
            | Kind::OptingTypeAnnotation
            | Kind::OmittingTypeAnnotation
            | Kind::AddingTypeAnnotation
            | Kind::Constraint
            | Kind::DefaultType
            | Kind::ParenthesizedType
            | Kind::ReadonlyType
            | Kind::MaybeType => self.read(*self.inside(node).first()?, depth - 1),
            Kind::ThisType => Some(self.exprs.name("this")),
            Kind::TypeIdentifier
            | Kind::NestedTypeIdentifier
            | Kind::Identifier
            | Kind::NestedIdentifier
            | Kind::MemberExpression
            | Kind::CallExpression => self.name_or_import(self.text(node)),
            Kind::GenericType => {
                let name = self.text(node.child_by_field_id(fields.name)?);
                self.generic(name, node.child_by_field_id(fields.type_arguments)?, depth)
            }
            Kind::UnionType | Kind::IntersectionType => self.one_of(&self.parts(node), depth),
            Kind::ConditionalType => {
                let one = node.child_by_field_id(fields.consequence)?;
                let other = node.child_by_field_id(fields.alternative)?;
                let is_inferred = self.text(node).contains("infer ");
                (!is_inferred).then(|| self.one_of(&[one, other], depth))?
            }
            Kind::ArrayType => {
                let element = self.read(*self.inside(node).first()?, depth)?;
                self.exprs.container(ContainerKind::Sequence, element)
            }
            Kind::LookupType => self.indexed(&self.inside(node), depth),
            Kind::TypeQuery => self.queried(*self.inside(node).first()?),
            Kind::FunctionType => {
                let is_generic = node.child_by_field_id(fields.type_parameters).is_some();
                let result = node.child_by_field_id(fields.return_type);
                let result = self.read(result.filter(|_| !is_generic)?, depth)?;
                self.exprs.callable(result)
            }
            Kind::ObjectType => match self.inside(node).as_slice() {
                [member] if self.grammar.kind(*member) == Kind::IndexSignature => {
                    self.by_any_name(member.child_by_field_id(fields.type_)?, depth)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A name, or a member of an `import('m')`.
    fn name_or_import(&mut self, text: &str) -> Option<ExprId> {
        if text.starts_with("import") {
            let (module, name) = import_of(text)?;
            return Some(self.imported(name, module));
        }
        (is_chain(text) && !Builtin::PlainType.has(text)).then(|| {
            let of = self.exprs.chain(text);
            self.exprs.instance(of)
        })
    }

    /// The export `name` of a module. Modules are numbered as they are met until all imports are known.
    pub(super) fn imported(&mut self, name: &str, module: &str) -> ExprId {
        let known = self.modules.iter().position(|it| it == module);
        let at = known.unwrap_or_else(|| {
            self.modules.push(module.to_owned());
            self.modules.len() - 1
        });
        let import = u32::try_from(at).unwrap_or(u32::MAX);
        let name = self.exprs.arena.name(name);
        self.exprs.add(Expr::Imported { import, name })
    }

    /// Returns the parts of a union or an intersection, those of the same inside it among them.
    fn parts<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        let kind = self.grammar.kind(node);
        let (mut parts, mut open) = (Vec::new(), vec![node]);
        while let Some(one) = open.pop().filter(|_| parts.len() < MAX_PARTS) {
            if self.grammar.kind(one) == kind {
                open.extend(self.inside(one).into_iter().rev());
            } else {
                parts.push(one);
            }
        }
        parts
    }

    /// The union of the parts that name a type; primitive types, literals and functions have no members that anyone
    /// defines. An index signature counts only where no other part may declare members.
    fn one_of(&mut self, parts: &[Node<'_>], depth: usize) -> Option<ExprId> {
        let (mut found, mut is_open) = (Vec::new(), false);
        for part in parts {
            let text = self.text(*part);
            if matches!(text, "null" | "undefined" | "void" | "never" | "false") {
                continue;
            }
            match self.read(*part, depth) {
                Some(one) => found.push(one),
                None => is_open |= text.contains('{'),
            }
        }
        let is_keyed = |exprs: &ExprBuilder, one: ExprId| match exprs.get(one) {
            Expr::Container { kind, .. } => *kind == ContainerKind::IndexSignature,
            _ => false,
        };
        found.retain(|one| !is_open || !is_keyed(self.exprs, *one));
        (!found.is_empty()).then(|| self.exprs.either(found))
    }

    /// A container with values of a type by any name.
    pub(super) fn by_any_name(&mut self, written: Node<'_>, depth: usize) -> Option<ExprId> {
        let element = self.read(written, depth)?;
        self.exprs.container(ContainerKind::IndexSignature, element)
    }

    /// `T['a']`, `T[number]`
    fn indexed(&mut self, inside: &[Node<'_>], depth: usize) -> Option<ExprId> {
        let [object, index] = inside else {
            return None;
        };
        let object = self.read(*object, depth)?;
        let index = self.text(*index);
        if matches!(index, "number" | "string") {
            return Some(self.exprs.element(object));
        }
        let quoted = index.trim_matches(['"', '\'']);
        let is_name = quoted.len() + 2 == index.len() && is_chain(quoted) && !quoted.contains('.');
        is_name.then(|| self.exprs.member(object, quoted))
    }

    /// `typeof a.b`
    fn queried(&mut self, value: Node<'_>) -> Option<ExprId> {
        let function = value.child_by_field_id(self.grammar.fields.function);
        let text = match self.grammar.kind(value) {
            Kind::Instantiation => self.text(function?),
            _ => self.text(value),
        };
        let found = self.name_or_import(text)?;
        match self.exprs.get(found) {
            Expr::Instance { of } => Some(*of),
            _ => Some(found),
        }
    }

    /// `T<U, V>`
    pub(super) fn generic(
        &mut self,
        name: &str,
        arguments: Node<'_>,
        depth: usize,
    ) -> Option<ExprId> {
        let all = self.inside(arguments);
        let mut argument = |at: usize| self.read(*all.get(at)?, depth);
        if Builtin::FirstArgument.has(name) {
            return argument(0);
        }
        if Builtin::ElementsFirst.has(name) {
            let element = argument(0)?;
            return self.exprs.container(ContainerKind::Sequence, element);
        }
        if Builtin::ElementsSecond.has(name) {
            let element = argument(1)?;
            return self.exprs.container(ContainerKind::Sequence, element);
        }
        if Builtin::ValuesSecond.has(name) {
            return self.by_any_name(*all.get(1)?, depth);
        }
        match name {
            "InstanceType" => {
                let class = argument(0)?;
                self.exprs
                    .is_chain(class)
                    .then(|| self.exprs.instance(class))
            }
            "ReturnType" => {
                let function = argument(0)?;
                Some(self.exprs.call(function, &[], &[]))
            }
            _ => (is_chain(name) && !Builtin::PlainType.has(name)).then(|| {
                let base = self.exprs.chain(name);
                let given = self.given(arguments, depth);
                let of = self.exprs.specialized(base, &given);
                self.exprs.instance(of)
            }),
        }
    }

    /// The lowered type arguments.
    pub(super) fn given(&mut self, arguments: Node<'_>, depth: usize) -> Vec<ExprId> {
        let all = self.inside(arguments).into_iter().take(GIVEN);
        all.map(|one| match self.read(one, depth) {
            Some(one) => one,
            None => self.exprs.unknown(),
        })
        .collect()
    }
}

/// Reads the types of the file itself; types in comments have a source of their own, see `doc_types`.
pub(super) fn types<'b>(b: &'b mut FileBuilder<'_>) -> Types<'b> {
    Types {
        grammar: b.grammar,
        source: b.source,
        exprs: &mut b.exprs,
        modules: &mut b.modules,
    }
}

/// Lowers the type of a value; `None` where it names no type.
pub(super) fn lower_type(b: &mut FileBuilder<'_>, written: Node<'_>) -> Option<ExprId> {
    types(b).read(written, 0)
}

/// Whether a class of the language is a container of its type argument, or a promise of it.
pub(super) fn is_holder(class: &str) -> bool {
    class == "Promise"
        || [Builtin::ElementsFirst, Builtin::ElementsSecond]
            .iter()
            .any(|it| it.has(class))
}
