//! Lowering of annotations: `Instance` of a named type, containers, unions and type parameters.

use tree_sitter::Node;

use super::annotations::{Annotation, ChainPart, parse};
use super::builders::{BuilderId, Param};
use super::builtins::{TypeForm, is_typing_module, passes_typing_on, type_form};
use super::grammar::Kind;
use super::lowering::Lowering;
use super::scopes::{BindingScope, BoundValue, PythonScopeKind, ScopeIdx};
use crate::ir::{ContainerKind, Expr, ExprId};
use crate::model::SymbolFlags;

/// The surroundings of an annotation.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeContext {
    pub(super) scope: ScopeIdx,
    /// The function whose result the annotation is: its type variables are those of the arguments.
    pub(super) result_of: Option<BuilderId>,
}

impl<'t> Lowering<'t> {
    /// Lowers an annotation to an expression for a value of the type.
    pub(super) fn lower_type(&mut self, node: Node<'t>, scope: ScopeIdx) -> ExprId {
        let is_annotation = self.kind(node) == Kind::Type;
        if is_annotation && let Some(known) = self.lowered.get(&node.id()) {
            return known.unwrap_or(self.unknown);
        }
        let annotation = parse(self.source, node.byte_range());
        let context = TypeContext {
            scope,
            result_of: None,
        };
        let value = self.type_value(&annotation, context, 0);
        if is_annotation {
            self.lowered.insert(node.id(), Some(value));
        }
        value
    }

    /// Lowers an annotation to a value of the type.
    pub(super) fn type_value(
        &mut self,
        annotation: &Annotation<'t>,
        context: TypeContext,
        depth: usize,
    ) -> ExprId {
        if depth > 30 {
            return self.unknown;
        }
        let depth = depth + 1;
        let (parts, arguments) = match annotation {
            Annotation::Name(parts, arguments) => (parts, arguments),
            Annotation::Union(all) => {
                let all = all
                    .iter()
                    .map(|one| self.type_value(one, context, depth))
                    .collect();
                return self.union(all);
            }
            Annotation::List(_) | Annotation::Ellipsis | Annotation::Other => return self.unknown,
        };
        if let Some(form) = self.standard_form(parts, context.scope) {
            return self.standard_type(form, arguments, context, depth);
        }
        if let [(name, _)] = parts.as_slice()
            && let Some(param) = self.type_variable(name, context, depth)
        {
            return param;
        }
        let path = self.applied(parts, arguments, context, depth);
        if path == self.unknown {
            return path;
        }
        self.add(Expr::Instance { of: path })
    }

    /// Lowers an annotation to the type itself: the path of a base class, or of an alias.
    pub(super) fn type_path(
        &mut self,
        annotation: &Annotation<'t>,
        context: TypeContext,
        depth: usize,
    ) -> ExprId {
        if depth > 30 {
            return self.unknown;
        }
        match annotation {
            Annotation::Name(parts, arguments) => match self.standard_form(parts, context.scope) {
                Some(TypeForm::First) => match arguments.first() {
                    Some(first) => self.type_path(first, context, depth + 1),
                    None => self.unknown,
                },
                Some(TypeForm::Union) => {
                    let all = arguments
                        .iter()
                        .map(|one| self.type_path(one, context, depth + 1))
                        .collect();
                    self.union(all)
                }
                Some(_) => self.type_value(annotation, context, depth),
                None => self.applied(parts, arguments, context, depth + 1),
            },
            Annotation::Union(all) => {
                let all = all
                    .iter()
                    .map(|one| self.type_path(one, context, depth + 1))
                    .collect();
                self.union(all)
            }
            _ => self.unknown,
        }
    }

    fn applied(
        &mut self,
        parts: &[ChainPart<'t>],
        arguments: &[Annotation<'t>],
        context: TypeContext,
        depth: usize,
    ) -> ExprId {
        let base = self.type_name(parts, context.scope);
        if base == self.unknown || arguments.is_empty() {
            return base;
        }
        let args = arguments
            .iter()
            .take(16)
            .map(|one| self.type_value(one, context, depth))
            .collect();
        self.add(Expr::Specialized { base, args })
    }

    fn standard_type(
        &mut self,
        form: TypeForm,
        arguments: &[Annotation<'t>],
        context: TypeContext,
        depth: usize,
    ) -> ExprId {
        let unknown = self.unknown;
        let argument = |this: &mut Self, at: usize| match arguments.get(at) {
            Some(one) => this.type_value(one, context, depth),
            None => unknown,
        };
        match form {
            TypeForm::Opaque => unknown,
            TypeForm::First => argument(self, 0),
            TypeForm::Argument(at) => argument(self, at),
            TypeForm::Union => {
                let all = (0..arguments.len()).map(|at| argument(self, at)).collect();
                self.union(all)
            }
            TypeForm::Container(at) => {
                let element = argument(self, at);
                self.sequence(element)
            }
            TypeForm::Tuple => match arguments {
                [] => unknown,
                [_, Annotation::Ellipsis] => {
                    let element = argument(self, 0);
                    self.sequence(element)
                }
                all => {
                    let items: Vec<_> = (0..all.len().min(64))
                        .map(|at| argument(self, at))
                        .collect();
                    self.tuple(items)
                }
            },
            TypeForm::Class => match arguments.first() {
                Some(first) => self.class_of(first, context, depth),
                None => unknown,
            },
            TypeForm::Callable => {
                let result = argument(self, 1);
                if result == unknown {
                    return unknown;
                }
                self.add(Expr::Callable { result })
            }
            TypeForm::Receiver => self.receiver_instance(context.scope),
        }
    }

    /// `type[A]`: the class `A`.
    fn class_of(
        &mut self,
        annotation: &Annotation<'t>,
        context: TypeContext,
        depth: usize,
    ) -> ExprId {
        if let Annotation::Name(parts, _) = annotation
            && let [(name, _)] = parts.as_slice()
            && self.type_vars.contains_key(name)
        {
            // The bound's class; the variable itself stands for instances.
            let Some(Some(bound)) = self.type_vars.get(name).copied() else {
                return self.unknown;
            };
            let bound = parse(self.source, bound.byte_range());
            return self.type_path(&bound, context, depth + 10);
        }
        self.type_path(annotation, context, depth)
    }

    /// The instance that `Self` stands for.
    fn receiver_instance(&mut self, scope: ScopeIdx) -> ExprId {
        let builder = self.scopes.get(scope).symbol;
        let receiver = self.add_receiver(builder);
        let is_class = builder.is_some_and(|it| {
            let flags = self.builders[it as usize].symbol.flags;
            flags.intersects(SymbolFlags::CLASS_RECEIVER | SymbolFlags::STATIC)
        });
        if is_class {
            return self.add(Expr::Construct { class: receiver });
        }
        receiver
    }

    /// Adds the receiver of a method.
    pub(super) fn add_receiver(&mut self, method: Option<BuilderId>) -> ExprId {
        let scope = method.map(|it| self.symbol(it));
        self.add(Expr::Receiver { scope })
    }

    /// Adds a sequence; unknown where its elements are.
    pub(super) fn sequence(&mut self, element: ExprId) -> ExprId {
        if element == self.unknown {
            return element;
        }
        self.add(Expr::Container {
            kind: ContainerKind::Sequence,
            element,
        })
    }

    /// Adds a tuple; unknown where all of its items are.
    pub(super) fn tuple(&mut self, items: Vec<ExprId>) -> ExprId {
        if items.iter().all(|it| *it == self.unknown) {
            return self.unknown;
        }
        self.add(Expr::Tuple(items.into()))
    }

    /// Returns the meaning of a type of the standard library.
    fn standard_form(&self, parts: &[ChainPart<'t>], scope: ScopeIdx) -> Option<TypeForm> {
        let (last, _) = *parts.last()?;
        let form = type_form(last)?;
        let (root, _) = *parts.first()?;
        let is_standard = match self.type_site(root, scope) {
            Some(BoundValue::Import(row, _)) => {
                let specifier = &self.facts.imports[row as usize].specifier;
                is_typing_module(specifier) || passes_typing_on(specifier, last)
            }
            Some(_) => false,
            None => parts.len() == 1 && self.scopes.look_up(root, 0) == BindingScope::Unresolved,
        };
        is_standard.then_some(form)
    }

    /// Returns the definition, import or type parameter that a name of an annotation means: values of that name, such
    /// as the parameter in `def f(date: date)`, are stepped over.
    fn type_site(&self, name: &str, scope: ScopeIdx) -> Option<BoundValue<'t>> {
        let mut at = scope;
        loop {
            let here = self.scopes.get(at);
            let is_seen =
                here.kind != PythonScopeKind::Class || at == scope || self.is_header(scope, at);
            if let Some(sites) = here.names.get(name).filter(|_| is_seen) {
                let found = sites.iter().rev().find(|site| {
                    matches!(
                        site.held,
                        BoundValue::Symbol(_) | BoundValue::Import(..) | BoundValue::TypeParam
                    )
                });
                if let Some(site) = found {
                    return Some(site.held);
                }
                if at == 0 && !sites.is_empty() {
                    return Some(BoundValue::Unknown);
                }
            }
            if at == 0 {
                return None;
            }
            at = here.parent;
        }
    }

    /// Returns whether `class` is the scope right around the function `scope`, whose annotations see its names.
    fn is_header(&self, scope: ScopeIdx, class: ScopeIdx) -> bool {
        self.scopes.get(scope).parent == class
    }

    /// Lowers the dotted name of a type.
    pub(super) fn type_name(&mut self, parts: &[ChainPart<'t>], scope: ScopeIdx) -> ExprId {
        let Some(((root, _), rest)) = parts.split_first() else {
            return self.unknown;
        };
        let names: Vec<&str> = parts.iter().map(|it| it.0).collect();
        if let Some((row, n)) = self.dotted_import(&names, scope) {
            let module = self.imported(row, "*");
            return names[n..]
                .iter()
                .fold(module, |object, name| self.member(object, name));
        }
        let base = match self.type_site(root, scope) {
            Some(BoundValue::Symbol(builder)) => self.symbol_expr(builder, root),
            Some(BoundValue::Import(row, name)) => {
                if self.scopes.look_up(root, scope) == BindingScope::FileScope {
                    self.top_name(root)
                } else {
                    self.imported(row, name)
                }
            }
            Some(BoundValue::Unknown) => self.top_name(root),
            None if self.has_star => self.top_name(root),
            Some(_) | None => self.unknown,
        };
        if let [(name, _), _, ..] = rest
            && let Some(package) = self.imported_package(root, scope)
            && let Some(row) = self.imply(package, name)
        {
            let (own, module) = (self.member(base, name), self.imported(row, "*"));
            let base = self.fallback(own, module);
            return rest[1..]
                .iter()
                .fold(base, |object, (name, _)| self.member(object, name));
        }
        rest.iter()
            .fold(base, |object, (name, _)| self.member(object, name))
    }

    /// Lowers a type variable: a type parameter of a class or function around.
    fn type_variable(
        &mut self,
        name: &'t str,
        context: TypeContext,
        depth: usize,
    ) -> Option<ExprId> {
        if !self.type_vars.contains_key(name) {
            return self.imported_variable(name, context);
        }
        let mut at = context.scope;
        let mut of_function = None;
        loop {
            let scope = self.scopes.get(at);
            if let Some(builder) = scope.symbol {
                let owner = &self.builders[builder as usize];
                if let Some(index) = owner.type_params.iter().position(|it| *it == name) {
                    let index = u8::try_from(index).unwrap_or(u8::MAX);
                    if owner.class.is_some() {
                        let owner = self.symbol(builder);
                        return Some(self.add(Expr::TypeParam {
                            owner,
                            index,
                            has_bound: true,
                        }));
                    }
                    of_function.get_or_insert((builder, index));
                }
            }
            if at == 0 {
                break;
            }
            at = scope.parent;
        }
        if let Some(builder) = context.result_of
            && let Some(argument) = self.argument_of(name, builder)
        {
            let bound = self.bound_of(name, context, depth);
            return Some(self.fallback(argument, bound));
        }
        if let Some((builder, index)) = of_function {
            let owner = self.symbol(builder);
            return Some(self.add(Expr::TypeParam {
                owner,
                index,
                has_bound: true,
            }));
        }
        Some(self.bound_of(name, context, depth))
    }

    /// Lowers an instance of the bound of a type variable; that of an imported one is known where it is defined.
    pub(super) fn bound_of(&mut self, name: &'t str, context: TypeContext, depth: usize) -> ExprId {
        match self.type_vars.get(name).copied().flatten() {
            Some(bound) => {
                let bound = parse(self.source, bound.byte_range());
                self.type_value(&bound, context, depth + 10)
            }
            None => match self.type_site(name, context.scope) {
                Some(BoundValue::Import(..)) => {
                    let of = self.type_name(&[(name, 0)], context.scope);
                    self.add(Expr::Instance { of })
                }
                _ => self.unknown,
            },
        }
    }

    /// Lowers an imported name of a result that a parameter has as well: it may be a type variable.
    fn imported_variable(&mut self, name: &'t str, context: TypeContext) -> Option<ExprId> {
        let builder = context.result_of?;
        if !matches!(
            self.type_site(name, context.scope),
            Some(BoundValue::Import(..))
        ) {
            return None;
        }
        let argument = self.argument_of(name, builder)?;
        let variable = self.type_name(&[(name, 0)], context.scope);
        let other = self.add(Expr::Instance { of: variable });
        Some(self.add(Expr::Fallback {
            variable,
            first: argument,
            other,
        }))
    }

    /// Returns the part of a function's arguments that gives a type variable its type: for `def f(a: type[T]) -> T` an
    /// instance of the first argument.
    fn argument_of(&mut self, name: &str, builder: BuilderId) -> Option<ExprId> {
        let function = self.builders[builder as usize].function.as_ref()?;
        // Where there are overloads, these say it; the implementation often does not.
        let mut heads: Vec<Vec<Param<'t>>> = vec![function.params.clone()];
        let overloads = function.overloads.clone();
        let scope = function.inner;
        let skipped = usize::from(function.has_receiver);
        heads.extend(overloads.into_iter().map(|head| self.params(head)));
        let mut all = Vec::new();
        for params in heads {
            if let Some(receiver) = params.first().filter(|_| skipped > 0)
                && let Some(annotation) = receiver.annotation
            {
                // `def __enter__(self: T) -> T`
                let annotation = parse(self.source, annotation.byte_range());
                let value = self.add_receiver(Some(builder));
                all.extend(self.part_of(&annotation, name, value, scope, 0));
            }
            for (index, param) in params.iter().skip(skipped).enumerate() {
                let (Some(annotation), 0) = (param.annotation, param.n_stars) else {
                    continue;
                };
                let Ok(index) = u8::try_from(index) else {
                    break;
                };
                let annotation = parse(self.source, annotation.byte_range());
                let argument = self.add(Expr::Argument { index });
                all.extend(self.part_of(&annotation, name, argument, scope, 0));
            }
        }
        (!all.is_empty()).then(|| self.union(all))
    }

    /// Returns the part of a value with this annotation that is of the type `name`.
    fn part_of(
        &mut self,
        annotation: &Annotation<'t>,
        name: &str,
        value: ExprId,
        scope: ScopeIdx,
        depth: usize,
    ) -> Option<ExprId> {
        if depth > 8 {
            return None;
        }
        match annotation {
            Annotation::Name(parts, arguments) => {
                if arguments.is_empty() {
                    return (parts.len() == 1 && parts[0].0 == name).then_some(value);
                }
                let form = self.standard_form(parts, scope)?;
                match form {
                    TypeForm::Class => {
                        let inner =
                            self.part_of(arguments.first()?, name, value, scope, depth + 1)?;
                        Some(self.add(Expr::Construct { class: inner }))
                    }
                    TypeForm::First | TypeForm::Union => arguments
                        .iter()
                        .find_map(|one| self.part_of(one, name, value, scope, depth + 1)),
                    TypeForm::Container(at) => {
                        let element = self.add(Expr::Element { object: value });
                        self.part_of(arguments.get(at)?, name, element, scope, depth + 1)
                    }
                    TypeForm::Callable => {
                        let result = self.add(Expr::Call {
                            callee: value,
                            types: Box::default(),
                            args: Box::default(),
                        });
                        self.part_of(arguments.get(1)?, name, result, scope, depth + 1)
                    }
                    TypeForm::Argument(at) => {
                        self.part_of(arguments.get(at)?, name, value, scope, depth + 1)
                    }
                    _ => None,
                }
            }
            Annotation::Union(all) => all
                .iter()
                .find_map(|one| self.part_of(one, name, value, scope, depth + 1)),
            _ => None,
        }
    }

    /// Records the imported type variables of `class A(Generic[T])`.
    fn find_imported_variables(&mut self) {
        for at in 0..self.builders.len() {
            let Some(class) = &self.builders[at].class else {
                continue;
            };
            let bases = self.field(class.node, self.grammar.fields.superclasses);
            for base in bases.map_or_else(Vec::new, |it| self.children(it)) {
                if self.kind(base) != Kind::Subscript {
                    continue;
                }
                let Annotation::Name(parts, arguments) = parse(self.source, base.byte_range())
                else {
                    continue;
                };
                if !matches!(parts.last(), Some(("Generic" | "Protocol", _))) {
                    continue;
                }
                for argument in arguments.iter().take(32) {
                    if let Annotation::Name(parts, _) = argument
                        && let [(name, _)] = parts.as_slice()
                    {
                        self.type_vars.entry(name).or_insert(None);
                    }
                }
            }
        }
    }

    /// Finds the type parameters of classes and functions that use type variables of the module.
    pub(super) fn find_type_params(&mut self) {
        self.find_imported_variables();
        if self.type_vars.is_empty() {
            return;
        }
        for at in 0..self.builders.len() {
            let builder = &self.builders[at];
            if !builder.type_params.is_empty() {
                continue;
            }
            let mut found = Vec::new();
            if let Some(class) = &builder.class {
                let bases = self.field(class.node, self.grammar.fields.superclasses);
                let mut of_generic = Vec::new();
                for base in bases.map_or_else(Vec::new, |it| self.children(it)) {
                    let annotation = parse(self.source, base.byte_range());
                    let is_generic = matches!(&annotation, Annotation::Name(parts, arguments)
                        if !arguments.is_empty()
                            && matches!(parts.last(), Some(("Generic" | "Protocol", _))));
                    let names = if is_generic {
                        &mut of_generic
                    } else {
                        &mut found
                    };
                    self.variables_in(&annotation, names, 0);
                }
                if !of_generic.is_empty() {
                    found = of_generic;
                }
            } else if let Some(function) = &builder.function {
                for param in &function.params {
                    if let Some(annotation) = param.annotation {
                        let annotation = parse(self.source, annotation.byte_range());
                        self.variables_in(&annotation, &mut found, 0);
                    }
                }
            }
            self.builders[at].type_params = found;
        }
    }

    fn variables_in(&self, annotation: &Annotation<'t>, found: &mut Vec<&'t str>, depth: usize) {
        if depth > 20 || found.len() > 32 {
            return;
        }
        match annotation {
            Annotation::Name(parts, arguments) => {
                if let [(name, _)] = parts.as_slice()
                    && self.type_vars.contains_key(name)
                    && !found.contains(name)
                {
                    found.push(name);
                }
                for one in arguments {
                    self.variables_in(one, found, depth + 1);
                }
            }
            Annotation::Union(all) | Annotation::List(all) => {
                for one in all {
                    self.variables_in(one, found, depth + 1);
                }
            }
            _ => {}
        }
    }
}
