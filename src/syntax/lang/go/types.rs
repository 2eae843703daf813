//! Lowering of types: a written type becomes an expression for a value of it, e.g. `[]*Item` a sequence of `Item`.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::{Local, Lowering, MAX_DEPTH};
use crate::ir::{ContainerKind, Expr, ExprId, NameId, ReferenceKind, Slot, SymbolIdx, Target};
use crate::model::SymbolKind;
use crate::model::hash::HashMap;

/// The place of a type parameter, and its bound.
type TypeParameterBound<'t> = (u8, Option<Node<'t>>);

impl<'t> Lowering<'t> {
    /// Returns a value of a written type.
    pub(super) fn value_of(&mut self, node: Node<'t>) -> ExprId {
        if self.depth > MAX_DEPTH {
            return self.unknown;
        }
        self.depth += 1;
        let value = self.value_of_type(node);
        self.depth -= 1;
        value
    }

    fn value_of_type(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => {
                let name = self.text(node);
                match self.local(name) {
                    Some(Local::Type(value)) => value,
                    Some(Local::Value(_)) => self.unknown,
                    None => {
                        let of = self.top_name(name);
                        self.add(Expr::Instance { of })
                    }
                }
            }
            Kind::QualifiedType | Kind::SelectorExpression => {
                let of = self.type_name(node);
                self.instance(of)
            }
            Kind::GenericType => {
                let base = node.child_by_field_id(fields.type_);
                let base = base.map_or(self.unknown, |base| self.type_name(base));
                let arguments = node.child_by_field_id(fields.type_arguments);
                let args: Vec<ExprId> = arguments
                    .map(|list| self.children(list))
                    .unwrap_or_default()
                    .into_iter()
                    .take(16)
                    .map(|it| self.value_of(it))
                    .collect();
                self.specialized(base, args)
            }
            Kind::PointerType
            | Kind::ParenthesizedType
            | Kind::TypeElem
            | Kind::TypeConstraint
            | Kind::NegatedType => match self.children(node).as_slice() {
                [one] => self.value_of(*one),
                _ => self.unknown,
            },
            Kind::SliceType | Kind::ArrayType | Kind::ImplicitLengthArrayType => {
                let element = node.child_by_field_id(fields.element);
                let element = element.map_or(self.unknown, |it| self.value_of(it));
                self.container(ContainerKind::Sequence, element)
            }
            Kind::ChannelType => {
                let element = node.child_by_field_id(fields.value);
                let element = element.map_or(self.unknown, |it| self.value_of(it));
                self.container(ContainerKind::Stream, element)
            }
            Kind::MapType => {
                let key = node.child_by_field_id(fields.key);
                let key = key.map_or(self.unknown, |it| self.value_of(it));
                let value = node.child_by_field_id(fields.value);
                let value = value.map_or(self.unknown, |it| self.value_of(it));
                let pair = self.add(Expr::Tuple([key, value].into()));
                self.container(ContainerKind::Map, pair)
            }
            Kind::FunctionType => {
                if let Some(sequence) = self.iterator(node) {
                    return sequence;
                }
                let result = self.result_of(node);
                self.add(Expr::Callable { result })
            }
            Kind::StructType => self.anonymous_struct(node),
            // Any type of the repository may have the methods of an interface without a name.
            Kind::InterfaceType if self.children(node).is_empty() => self.predeclared,
            _ => self.unknown,
        }
    }

    fn instance(&mut self, of: ExprId) -> ExprId {
        if of == self.unknown {
            return of;
        }
        self.add(Expr::Instance { of })
    }

    /// Returns a value of a generic type with its arguments. Iterators of the standard library are what they go through.
    fn specialized(&mut self, base: ExprId, args: Vec<ExprId>) -> ExprId {
        if base == self.unknown {
            return base;
        }
        if let Expr::Member { object, name } = *self.facts.exprs.get(base)
            && let Expr::Name { name: package, .. } = *self.facts.exprs.get(object)
            && self.facts.exprs.name_of(package) == "iter"
        {
            match (self.facts.exprs.name_of(name), args.as_slice()) {
                ("Seq", [element]) => return self.container(ContainerKind::Stream, *element),
                ("Seq2", [key, value]) => {
                    let pair = self.add(Expr::Tuple([*key, *value].into()));
                    return self.container(ContainerKind::Map, pair);
                }
                _ => {}
            }
        }
        let of = self.add(Expr::Specialized {
            base,
            args: args.into(),
        });
        self.add(Expr::Instance { of })
    }

    /// Returns the sequence that a loop over a function goes through: `func(yield func(int, *Item) bool)`.
    fn iterator(&mut self, node: Node<'t>) -> Option<ExprId> {
        let fields = self.grammar.fields;
        if node.child_by_field_id(fields.result).is_some() {
            return None;
        }
        let parameters = node.child_by_field_id(fields.parameters)?;
        let parameters = self.children(parameters);
        let [parameter] = parameters.as_slice() else {
            return None;
        };
        let yielding = parameter.child_by_field_id(fields.type_)?;
        let result = yielding.child_by_field_id(fields.result);
        if self.kind(yielding) != Kind::FunctionType
            || result.is_none_or(|it| self.text(it) != "bool")
        {
            return None;
        }
        let list = yielding.child_by_field_id(fields.parameters)?;
        let mut yielded = Vec::new();
        for parameter in self.children(list) {
            let n_names = self.in_field(parameter, fields.name).len().max(1);
            let type_ = parameter.child_by_field_id(fields.type_)?;
            let value = self.value_of(type_);
            yielded.extend(std::iter::repeat_n(value, n_names.min(3)));
        }
        match yielded.as_slice() {
            [element] => Some(self.container(ContainerKind::Stream, *element)),
            [key, value] => {
                let pair = self.add(Expr::Tuple([*key, *value].into()));
                Some(self.container(ContainerKind::Map, pair))
            }
            _ => None,
        }
    }

    fn container(&mut self, kind: ContainerKind, element: ExprId) -> ExprId {
        if element == self.unknown {
            return element;
        }
        self.add(Expr::Container { kind, element })
    }

    /// Returns the expression that names a type: `Store`, `pkg.Store`; unknown for a type of a function.
    pub(super) fn type_name(&mut self, node: Node<'t>) -> ExprId {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => {
                let name = self.text(node);
                match self.local(name) {
                    Some(_) => self.unknown,
                    None => self.top_name(name),
                }
            }
            Kind::QualifiedType => {
                let package = node.child_by_field_id(fields.package);
                let name = node.child_by_field_id(fields.name);
                let (Some(package), Some(name)) = (package, name) else {
                    return self.unknown;
                };
                let package = self.text(package);
                let object = self.top_name(package);
                self.member(object, self.text(name))
            }
            Kind::GenericType | Kind::PointerType | Kind::ParenthesizedType => {
                let inner = node
                    .child_by_field_id(fields.type_)
                    .or_else(|| self.children(node).first().copied());
                match inner {
                    Some(inner) => self.type_name(inner),
                    None => self.unknown,
                }
            }
            _ => self.unknown,
        }
    }

    /// Returns the result of calling a function of this signature: a tuple of several.
    pub(super) fn result_of(&mut self, signature: Node<'t>) -> ExprId {
        let Some(result) = signature.child_by_field_id(self.grammar.fields.result) else {
            return self.add(Expr::Tuple(Box::default()));
        };
        if self.kind(result) != Kind::ParameterList {
            return self.value_of(result);
        }
        let mut all = Vec::new();
        for parameter in self.children(result).into_iter().take(64) {
            let value = parameter.child_by_field_id(self.grammar.fields.type_);
            let value = value.map_or(self.unknown, |it| self.value_of(it));
            let n_names = self.in_field(parameter, self.grammar.fields.name).len();
            all.extend(std::iter::repeat_n(value, n_names.clamp(1, 64)));
        }
        match all.as_slice() {
            [one] => *one,
            _ => self.add(Expr::Tuple(all.into())),
        }
    }

    /// Returns a value of a struct that has no name: its fields are bound below the symbol around.
    fn anonymous_struct(&mut self, node: Node<'t>) -> ExprId {
        if let Some(field) = self.struct_of_field {
            return self.add(Expr::Symbol(field));
        }
        let Some(owner) = self.symbol else {
            return self.unknown;
        };
        self.n_anonymous += 1;
        // No name of the language has such a letter.
        let name = format!("struct@{}", self.n_anonymous);
        let id = self.facts.exprs.name(&name);
        self.bind_fields(node, owner, &[Slot::Member(id)]);
        let object = self.add(Expr::Symbol(owner));
        self.member(object, &name)
    }

    /// Binds the fields of a struct below a path of its owner, and what it embeds.
    pub(super) fn bind_fields(&mut self, node: Node<'t>, owner: u32, path: &[Slot]) {
        let fields = self.grammar.fields;
        if self.depth > MAX_DEPTH || path.len() > 16 {
            return;
        }
        let lists = self.children(node);
        let all: Vec<Node<'t>> = lists
            .into_iter()
            .flat_map(|list| self.children(list))
            .collect();
        for field in all {
            if self.kind(field) != Kind::FieldDeclaration {
                continue;
            }
            let Some(type_) = field.child_by_field_id(fields.type_) else {
                continue;
            };
            let names = self.in_field(field, fields.name);
            for name in &names {
                let text = self.text(*name);
                let name = self.facts.exprs.name(text);
                let inner = self.struct_inside(type_);
                if let (Some(inner), true) = (inner, path.is_empty())
                    && let Some(field) = self.field_symbol(owner, text)
                {
                    self.bind_struct_of_field(inner, type_, field, (owner, name));
                    continue;
                }
                let path = [path, &[Slot::Member(name)]].concat();
                if self.kind(type_) == Kind::StructType {
                    self.depth += 1;
                    self.bind_fields(type_, owner, &path);
                    self.depth -= 1;
                } else {
                    let value = self.value_of(type_);
                    self.bind_slots(Some(owner), &path, value);
                }
            }
            if names.is_empty() {
                let value = self.value_of(type_);
                let extends = Slot::Base(crate::ir::BaseKind::Extends);
                self.bind_slots(Some(owner), &[path, &[extends]].concat(), value);
                if let Some(name) = self.embedded_name(type_) {
                    let name = self.facts.exprs.name(name);
                    self.bind_slots(Some(owner), &[path, &[Slot::Member(name)]].concat(), value);
                }
            }
        }
    }

    /// Binds the fields of a struct without a name as members of the field that holds it: `TLS *struct { Cert string }`.
    fn bind_struct_of_field(
        &mut self,
        inner: Node<'t>,
        type_: Node<'t>,
        field: SymbolIdx,
        (owner, name): (SymbolIdx, NameId),
    ) {
        self.depth += 1;
        self.bind_fields(inner, field, &[]);
        let outer = self.struct_of_field.replace(field);
        let value = self.value_of(type_);
        self.struct_of_field = outer;
        self.depth -= 1;
        // The field itself has those members, an element of it is known by its type.
        if !matches!(self.facts.exprs.get(value), Expr::Symbol(_)) {
            self.bind_slots(Some(owner), &[Slot::Member(name)], value);
        }
    }

    /// Returns the struct without a name that a value, an element or a pointer of a written type is.
    pub(super) fn struct_inside(&self, type_: Node<'t>) -> Option<Node<'t>> {
        let fields = self.grammar.fields;
        let mut at = type_;
        for _ in 0..8 {
            at = match self.kind(at) {
                Kind::StructType => return Some(at),
                Kind::PointerType | Kind::ParenthesizedType => *self.children(at).first()?,
                Kind::SliceType | Kind::ArrayType => at.child_by_field_id(fields.element)?,
                Kind::MapType | Kind::ChannelType => at.child_by_field_id(fields.value)?,
                _ => return None,
            };
        }
        None
    }

    /// Returns the symbol of a field of a type or of another field.
    fn field_symbol(&self, owner: SymbolIdx, name: &str) -> Option<SymbolIdx> {
        let mut all = self.facts.symbols.iter();
        let at = all.position(|it| {
            it.parent == Some(owner) && it.kind == SymbolKind::Field && it.name == name
        });
        u32::try_from(at?).ok()
    }

    /// Returns the name of an embedded field: `Other` for `*pkg.Other[K]`.
    fn embedded_name(&self, node: Node<'t>) -> Option<&'t str> {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::TypeIdentifier => Some(self.text(node)),
            Kind::QualifiedType => node.child_by_field_id(fields.name).map(|it| self.text(it)),
            Kind::GenericType => self.embedded_name(node.child_by_field_id(fields.type_)?),
            Kind::PointerType => self.embedded_name(self.children(node).first().copied()?),
            _ => None,
        }
    }

    /// Binds type parameters as types of the innermost block, those of `owner`; also their bounds.
    pub(super) fn bind_type_parameters(&mut self, list: Node<'t>, owner: u32) -> Vec<&'t str> {
        let (names, bounds) = self.name_type_parameters(list, owner);
        for (index, bound) in bounds {
            if let Some(bound) = bound {
                let value = self.value_of(bound);
                self.bind_slots(Some(owner), &[Slot::TypeParamBound(index)], value);
            }
        }
        names
    }

    /// As [`Self::bind_type_parameters`] without the bounds, which it returns beside the names.
    pub(super) fn name_type_parameters(
        &mut self,
        list: Node<'t>,
        owner: u32,
    ) -> (Vec<&'t str>, Vec<TypeParameterBound<'t>>) {
        let fields = self.grammar.fields;
        let mut names = Vec::new();
        let mut bounds = Vec::new();
        for declaration in self.children(list) {
            let bound = declaration.child_by_field_id(fields.type_);
            for name in self.in_field(declaration, fields.name) {
                let Ok(index) = u8::try_from(names.len()) else {
                    return (names, bounds);
                };
                let name = self.text(name);
                let value = self.add(Expr::TypeParam {
                    owner,
                    index,
                    has_bound: true,
                });
                self.bind_local(name, Local::Type(value));
                names.push(name);
                bounds.push((index, bound));
            }
        }
        (names, bounds)
    }

    /// Returns for each type parameter of a function that an argument tells the type which the result has for it: the type argument
    /// that a call writes, else that of the argument.
    pub(super) fn inferred_results(
        &mut self,
        owner: SymbolIdx,
        names: &[&'t str],
        parameters: Node<'t>,
    ) -> Vec<(&'t str, ExprId)> {
        let by_arguments = self.inferred(names, parameters);
        let mut all = Vec::new();
        for (name, index) in names.iter().zip(0_u8..) {
            let Some(other) = by_arguments.get(name).copied() else {
                continue;
            };
            let first = self.add(Expr::TypeParam {
                owner,
                index,
                has_bound: false,
            });
            let variable = self.unknown;
            let value = self.add(Expr::Fallback {
                variable,
                first,
                other,
            });
            all.push((*name, value));
        }
        all
    }

    /// Returns for each type parameter of a function the argument that says what it is: `f(one T, all []T)`.
    fn inferred(&mut self, names: &[&'t str], parameters: Node<'t>) -> HashMap<&'t str, ExprId> {
        let fields = self.grammar.fields;
        let mut found = HashMap::default();
        let mut index = 0_u8;
        for parameter in self.children(parameters) {
            let n_names = self.in_field(parameter, fields.name).len().max(1);
            if let Some(type_) = parameter.child_by_field_id(fields.type_) {
                let argument = self.add(Expr::Argument { index });
                self.match_argument(type_, argument, names, &mut found, 0);
            }
            index = index.saturating_add(u8::try_from(n_names).unwrap_or(u8::MAX));
        }
        found
    }

    fn match_argument(
        &mut self,
        type_: Node<'t>,
        argument: ExprId,
        names: &[&'t str],
        found: &mut HashMap<&'t str, ExprId>,
        depth: usize,
    ) {
        let fields = self.grammar.fields;
        if depth > 8 {
            return;
        }
        match self.kind(type_) {
            Kind::TypeIdentifier => {
                let name = self.text(type_);
                if names.contains(&name) {
                    found.entry(name).or_insert(argument);
                }
            }
            Kind::PointerType | Kind::ParenthesizedType => {
                if let Some(inner) = self.children(type_).first() {
                    self.match_argument(*inner, argument, names, found, depth + 1);
                }
            }
            Kind::SliceType | Kind::ArrayType | Kind::ChannelType => {
                let inner = type_
                    .child_by_field_id(fields.element)
                    .or_else(|| type_.child_by_field_id(fields.value));
                if let Some(inner) = inner {
                    let argument = self.add(Expr::Element { object: argument });
                    self.match_argument(inner, argument, names, found, depth + 1);
                }
            }
            Kind::MapType => {
                if let Some(value) = type_.child_by_field_id(fields.value) {
                    let argument = self.add(Expr::Element { object: argument });
                    self.match_argument(value, argument, names, found, depth + 1);
                }
                if let Some(key) = type_.child_by_field_id(fields.key) {
                    let argument = self.add(Expr::LoopVariable { object: argument });
                    self.match_argument(key, argument, names, found, depth + 1);
                }
            }
            Kind::FunctionType => {
                let Some(result) = type_.child_by_field_id(fields.result) else {
                    return;
                };
                let called = self.add(Expr::Call {
                    callee: argument,
                    types: Box::default(),
                    args: Box::default(),
                });
                if self.kind(result) == Kind::ParameterList {
                    for (at, one) in self.children(result).into_iter().enumerate().take(8) {
                        let index = u8::try_from(at).unwrap_or(u8::MAX);
                        let item = self.add(Expr::Item {
                            object: called,
                            index,
                        });
                        if let Some(inner) = one.child_by_field_id(fields.type_) {
                            self.match_argument(inner, item, names, found, depth + 1);
                        }
                    }
                } else {
                    self.match_argument(result, called, names, found, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// Records the uses of the names in a written type.
    pub(super) fn use_type(&mut self, node: Node<'t>, kind: ReferenceKind) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::TypeIdentifier => {
                let name = self.text(node);
                if self.local(name).is_none() {
                    self.push_use(name, Target::Lexical, kind, node.start_byte());
                }
            }
            Kind::QualifiedType => {
                let package = node.child_by_field_id(fields.package);
                let name = node.child_by_field_id(fields.name);
                if let (Some(package), Some(name)) = (package, name) {
                    let receiver = self.top_name(self.text(package));
                    let target = Target::Member {
                        receiver,
                        is_inferred: false,
                    };
                    self.push_use(self.text(name), target, kind, name.start_byte());
                    self.push_use(
                        self.text(package),
                        Target::Lexical,
                        ReferenceKind::Value,
                        package.start_byte(),
                    );
                }
            }
            Kind::GenericType => {
                if let Some(base) = node.child_by_field_id(fields.type_) {
                    self.use_type(base, kind);
                }
                if let Some(list) = node.child_by_field_id(fields.type_arguments) {
                    for one in self.children(list) {
                        self.use_type(one, ReferenceKind::Type);
                    }
                }
            }
            Kind::ArrayType => {
                for child in self.children(node) {
                    if self.kind(child).is_type() {
                        self.use_type(child, ReferenceKind::Type);
                    } else {
                        self.walk(child);
                    }
                }
            }
            Kind::StructType => {
                let lists = self.children(node);
                let all: Vec<Node<'t>> = lists
                    .into_iter()
                    .flat_map(|list| self.children(list))
                    .collect();
                for field in all {
                    let is_embedded = field.child_by_field_id(fields.name).is_none();
                    if let Some(type_) = field.child_by_field_id(fields.type_) {
                        let kind = if is_embedded {
                            ReferenceKind::Heritage
                        } else {
                            ReferenceKind::Type
                        };
                        self.use_type(type_, kind);
                    }
                }
            }
            Kind::InterfaceType => {
                for element in self.children(node) {
                    if self.kind(element) == Kind::TypeElem {
                        for one in self.children(element) {
                            self.use_type(one, ReferenceKind::Heritage);
                        }
                    } else {
                        self.use_signature(element);
                    }
                }
            }
            Kind::FunctionType => self.use_signature(node),
            Kind::PointerType
            | Kind::ParenthesizedType
            | Kind::TypeElem
            | Kind::TypeConstraint
            | Kind::NegatedType => {
                for child in self.children(node) {
                    self.use_type(child, kind);
                }
            }
            Kind::SliceType | Kind::ImplicitLengthArrayType | Kind::MapType | Kind::ChannelType => {
                for child in self.children(node) {
                    self.use_type(child, ReferenceKind::Type);
                }
            }
            _ => {}
        }
        self.depth -= 1;
    }

    /// Records the uses of types in the parameters and results of a function.
    pub(super) fn use_signature(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        for field in [fields.parameters, fields.result] {
            let Some(part) = node.child_by_field_id(field) else {
                continue;
            };
            if self.kind(part) != Kind::ParameterList {
                self.use_type(part, ReferenceKind::Type);
                continue;
            }
            for parameter in self.children(part) {
                if let Some(type_) = parameter.child_by_field_id(fields.type_) {
                    self.use_type(type_, ReferenceKind::Type);
                }
            }
        }
    }
}
