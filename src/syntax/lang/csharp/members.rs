//! Members of types: symbols, and the bindings that a declaration makes.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use super::symbols::{Modifiers, NewSymbol};
use super::types::Param;
use crate::ir::{Expr, ExprId, INDEXER, ReferenceKind, Slot, SymbolIdx, Target};
use crate::model::{SymbolFlags, SymbolKind};

/// The most parameters of a method that are kept.
pub(super) const MAX_PARAMS: usize = 100;

impl<'t> Lowering<'t> {
    /// Returns the parameters in a list, with their nodes.
    pub(super) fn params(&self, list: Node<'t>) -> Vec<(Param<'t>, Node<'t>)> {
        let fields = self.grammar.fields;
        let mut all = Vec::new();
        for node in self.children(list) {
            if self.kind(node) != Kind::Parameter {
                continue;
            }
            let Some(name) = self.field(node, fields.name) else {
                continue;
            };
            let modifiers = self.modifiers(node);
            let type_ = self.field(node, fields.type_);
            let has_default = self.children(node).iter().any(|it| {
                *it != name
                    && Some(*it) != type_
                    && !matches!(self.kind(*it), Kind::Modifier | Kind::AttributeList)
            });
            let param = Param {
                name: self.name_text(name),
                type_,
                is_optional: has_default,
                is_variadic: modifiers.is_params,
                is_this: modifiers.is_this,
            };
            all.push((param, node));
        }
        // `params T[] rest` stands in the list itself.
        if let (Some(name), Some(type_)) = (
            self.field(list, fields.name),
            self.field(list, fields.type_),
        ) {
            let param = Param {
                name: self.name_text(name),
                type_: Some(type_),
                is_optional: false,
                is_variadic: true,
                is_this: false,
            };
            all.push((param, list));
        }
        all.truncate(MAX_PARAMS);
        all
    }

    /// Records the uses in a parameter.
    pub(super) fn use_param(&mut self, param: &Param<'t>, node: Node<'t>) {
        if let Some(type_) = param.type_ {
            self.use_type(type_, ReferenceKind::Type);
        }
        if self.kind(node) != Kind::Parameter {
            return;
        }
        let name = self.field(node, self.grammar.fields.name);
        for child in self.children(node) {
            if Some(child) == name || Some(child) == param.type_ {
                continue;
            }
            match self.kind(child) {
                Kind::AttributeList => self.use_attributes(child),
                Kind::Modifier => {}
                _ => self.walk(child),
            }
        }
    }

    /// Binds the parameters of a function, as slots of the symbol and as names in its body.
    pub(super) fn enter_params(
        &mut self,
        list: Option<Node<'t>>,
        owner: SymbolIdx,
    ) -> Vec<Param<'t>> {
        let mut params = list.map_or_else(Vec::new, |list| self.params(list));
        if let Some(extended) = self.extended.take() {
            params.splice(0..0, self.extended_param(extended));
        }
        for (index, (param, node)) in params.iter().enumerate() {
            self.use_param(param, *node);
            let value = self.param_type(param);
            let slot = Slot::Param(u8::try_from(index).unwrap_or(u8::MAX));
            // One of which nothing is known counts as one.
            self.bind(owner, slot, value);
            if param.is_optional {
                self.bind_at(owner, &[slot, Slot::All], self.unknown);
            }
            self.locals.bind(param.name, value);
            let mut flags = SymbolFlags::empty();
            flags.set(SymbolFlags::VARIADIC, param.is_variadic);
            flags.set(SymbolFlags::EXTENSION, param.is_this);
            self.flag(owner, flags);
        }
        let params: Vec<Param<'t>> = params.into_iter().map(|it| it.0).collect();
        if self.facts.symbols[owner as usize].kind == SymbolKind::Method {
            let names = params.iter().map(|it| it.name).collect();
            self.param_names.push((owner, names));
        }
        params
    }

    /// Returns the name of a member behind that of its type: `IStore.Open` for an explicit implementation.
    fn explicit_path(&self, node: Node<'t>, name: &str) -> Option<String> {
        let specifier = self.child_of(node, Kind::ExplicitInterface)?;
        let of = self.children(specifier).into_iter().next()?;
        let of = self.dotted(of);
        let of = of.rsplit('.').next().unwrap_or(&of);
        Some(format!("{of}.{name}"))
    }

    fn use_explicit(&mut self, node: Node<'t>) {
        if let Some(specifier) = self.child_of(node, Kind::ExplicitInterface) {
            for child in self.children(specifier) {
                self.use_type(child, ReferenceKind::Type);
            }
        }
    }

    /// Adds a method of a type.
    pub(super) fn method(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(name_node) = self.field(node, fields.name) else {
            return;
        };
        let modifiers = self.modifiers(node);
        let name = self.name_text(name_node);
        let symbol = self.add_member(node, name, name_node, SymbolKind::Method, &modifiers);
        let mut flags = SymbolFlags::empty();
        flags.set(SymbolFlags::TEST, modifiers.is_test());
        flags.set(SymbolFlags::PARTIAL, modifiers.is_partial);
        self.flag(symbol, flags);
        self.function_body(node, symbol, self.field(node, fields.returns));
    }

    /// Reads the parameters, the result type and the body of a function.
    pub(super) fn function_body(
        &mut self,
        node: Node<'t>,
        symbol: SymbolIdx,
        result: Option<Node<'t>>,
    ) {
        let fields = self.grammar.fields;
        let around = self.around.replace(symbol);
        let n_outer = self.locals.enter();
        self.bind_arity(node, symbol);
        let type_mark = self.enter_type_params(node, symbol);
        self.use_attribute_lists(node);
        self.use_explicit(node);
        if let Some(result) = result {
            self.use_type(result, ReferenceKind::Type);
        }
        let params = self.enter_params(self.field(node, fields.parameters), symbol);
        let mut returned = self.unknown;
        if let Some(result) = result {
            self.result_of = Some(symbol);
            self.params_of_result = params;
            let value = self.lower_type(result);
            self.result_of = None;
            self.params_of_result.clear();
            if value != self.unknown {
                self.bind(symbol, Slot::Return, value);
            }
            // The body sees the type as it is written.
            returned = self.lower_type(result);
            if self.has_modifier(node, "async") {
                returned = self.element(returned);
            }
        }
        let outer = std::mem::replace(&mut self.returned, returned);
        if let Some(initializer) = self.child_of(node, Kind::ConstructorInitializer) {
            self.use_constructor_initializer(initializer);
        }
        if let Some(body) = self.field(node, fields.body) {
            self.walk_body(body);
        }
        self.returned = outer;
        self.leave_type_params(type_mark);
        self.locals.leave(n_outer);
        self.around = around;
    }

    fn has_modifier(&self, node: Node<'t>, word: &str) -> bool {
        let children = self.children(node);
        let mut modifiers = children
            .iter()
            .filter(|it| self.kind(**it) == Kind::Modifier);
        modifiers.any(|it| self.text(*it) == word)
    }

    /// Reads a block, or an expression behind an arrow whose value is returned.
    fn walk_body(&mut self, body: Node<'t>) {
        if self.kind(body) != Kind::Arrow {
            self.walk(body);
            return;
        }
        for value in self.children(body) {
            self.walk_as(value, self.returned);
        }
    }

    fn add_member(
        &mut self,
        node: Node<'t>,
        name: &str,
        name_node: Node<'t>,
        kind: SymbolKind,
        modifiers: &Modifiers<'t>,
    ) -> SymbolIdx {
        let fields = self.grammar.fields;
        let body = self
            .field(node, fields.body)
            .or_else(|| self.field(node, fields.accessors))
            .or_else(|| self.field(node, fields.value));
        let path = self.explicit_path(node, name);
        let in_interface = self.kind_around() == Some(SymbolKind::Interface);
        let symbol = self.add_symbol(NewSymbol {
            name,
            path: path.as_deref(),
            kind,
            node,
            name_node,
            head_start: modifiers.head,
            head_end: body.map_or(node.end_byte(), |it| it.start_byte()),
        });
        self.set_exported(symbol, modifiers);
        if path.is_some() {
            self.facts.symbols[symbol as usize].exported = false;
        }
        let has_body = body.is_some_and(|it| self.kind(it) != Kind::AccessorList);
        let mut flags = SymbolFlags::empty();
        flags.set(SymbolFlags::STATIC, modifiers.is_static);
        let is_open = modifiers.is_abstract || in_interface && !has_body && !modifiers.is_static;
        flags.set(SymbolFlags::ABSTRACT, is_open);
        self.flag(symbol, flags);
        symbol
    }

    /// Returns the parameter of `extension(Store store)`, as the one that each method of the block takes first.
    fn extended_param(&self, list: Node<'t>) -> Option<(Param<'t>, Node<'t>)> {
        let (param, node) = self.params(list).into_iter().next()?;
        let param = Param {
            is_this: true,
            ..param
        };
        Some((param, node))
    }

    /// Reads `extension(Store store) { … }`, whose methods are called as members of the parameter. The grammar takes it for a
    /// constructor with local functions.
    fn extension_block(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let list = self.field(node, fields.parameters);
        let Some(body) = self.field(node, fields.body) else {
            return;
        };
        for child in self.children(body) {
            let name_node = self.field(child, fields.name);
            let Some(name_node) = name_node.filter(|_| self.kind(child) == Kind::LocalFunction)
            else {
                let n_outer = self.locals.enter();
                if let Some((param, _)) = list.and_then(|list| self.extended_param(list)) {
                    let value = self.param_type(&param);
                    self.locals.bind(param.name, value);
                }
                self.walk(child);
                self.locals.leave(n_outer);
                continue;
            };
            let modifiers = self.modifiers(child);
            let name = self.name_text(name_node);
            let symbol = self.add_member(child, name, name_node, SymbolKind::Method, &modifiers);
            self.extended = list.filter(|_| !modifiers.is_static);
            if !modifiers.is_static {
                self.flag(symbol, SymbolFlags::STATIC);
            }
            self.function_body(child, symbol, self.field(child, fields.type_));
        }
    }

    /// Adds a constructor. That of the class itself, `static Store()`, is one as well.
    pub(super) fn constructor(&mut self, node: Node<'t>) {
        if let Some(name_node) = self.field(node, self.grammar.fields.name) {
            let modifiers = self.modifiers(node);
            let name = self.name_text(name_node);
            let class = self.around.map(|at| &self.facts.symbols[at as usize].name);
            if name == "extension" && class.is_some_and(|it| it != name) {
                self.extension_block(node);
                return;
            }
            let kind = SymbolKind::Constructor;
            let symbol = self.add_member(node, name, name_node, kind, &modifiers);
            self.function_body(node, symbol, None);
        }
    }

    /// Adds a finalizer: `~Store()`.
    pub(super) fn destructor(&mut self, node: Node<'t>) {
        if let Some(name_node) = self.field(node, self.grammar.fields.name) {
            let modifiers = self.modifiers(node);
            let name = format!("~{}", self.name_text(name_node));
            let symbol = self.add_member(node, &name, name_node, SymbolKind::Method, &modifiers);
            self.function_body(node, symbol, None);
        }
    }

    /// Adds an operator: `operator +`, `operator int`.
    pub(super) fn operator(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let type_ = self.field(node, fields.type_);
        let Some(named) = self.field(node, fields.operator).or(type_) else {
            return;
        };
        let modifiers = self.modifiers(node);
        let name = format!("operator {}", self.text(named));
        let symbol = self.add_member(node, &name, named, SymbolKind::Method, &modifiers);
        self.function_body(node, symbol, type_);
    }

    /// Adds a property, or an event with accessors.
    pub(super) fn property(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(name_node) = self.field(node, fields.name) else {
            return;
        };
        let modifiers = self.modifiers(node);
        let name = self.name_text(name_node);
        let is_explicit = self.child_of(node, Kind::ExplicitInterface).is_some();
        let symbol = self.add_member(node, name, name_node, SymbolKind::Property, &modifiers);
        let value = self.property_body(node, symbol);
        if let (Some(owner), false) = (self.around, is_explicit) {
            self.bind_member(owner, name, value);
        }
    }

    /// Reads the type and the accessors of a property; returns its value.
    fn property_body(&mut self, node: Node<'t>, symbol: SymbolIdx) -> ExprId {
        let fields = self.grammar.fields;
        let around = self.around.replace(symbol);
        self.use_attribute_lists(node);
        self.use_explicit(node);
        let type_ = self.field(node, fields.type_);
        if let Some(type_) = type_ {
            self.use_type(type_, ReferenceKind::Type);
        }
        let value = type_.map_or(self.unknown, |it| self.lower_type(it));
        let outer = std::mem::replace(&mut self.returned, value);
        if let Some(accessors) = self.field(node, fields.accessors) {
            for accessor in self.children(accessors) {
                let n_outer = self.locals.enter();
                self.locals.bind("value", value);
                self.use_attribute_lists(accessor);
                if let Some(body) = self.field(accessor, fields.body) {
                    self.walk_body(body);
                }
                self.locals.leave(n_outer);
            }
        }
        if let Some(body) = self.field(node, fields.value) {
            if self.kind(body) == Kind::Arrow {
                self.walk_body(body);
            } else {
                self.walk_as(body, value);
            }
        }
        self.returned = outer;
        self.around = around;
        value
    }

    /// Adds an indexer: `this[int at]`.
    pub(super) fn indexer(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let name_node = self.field(node, fields.parameters).unwrap_or(node);
        let modifiers = self.modifiers(node);
        let symbol = self.add_member(node, INDEXER, name_node, SymbolKind::Property, &modifiers);
        let n_outer = self.locals.enter();
        let around = self.around.replace(symbol);
        self.enter_params(self.field(node, fields.parameters), symbol);
        self.around = around;
        let value = self.property_body(node, symbol);
        self.locals.leave(n_outer);
        if let Some(owner) = self.around {
            self.bind_member(owner, INDEXER, value);
        }
    }

    /// Adds the fields, or the events, of a declaration, one for each name.
    pub(super) fn fields(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let modifiers = self.modifiers(node);
        let Some(declaration) = self.child_of(node, Kind::VariableDeclaration) else {
            return;
        };
        let type_ = self.field(declaration, fields.type_);
        let owner = self.around;
        let kind = match self.kind(node) {
            Kind::EventField => SymbolKind::Property,
            _ => SymbolKind::Field,
        };
        let mut is_first = true;
        for declarator in self.children(declaration) {
            let Some(name_node) = self
                .field(declarator, fields.name)
                .filter(|_| self.kind(declarator) == Kind::VariableDeclarator)
            else {
                continue;
            };
            let name = self.name_text(name_node);
            let whole = if is_first { node } else { declarator };
            let symbol = self.add_symbol(NewSymbol {
                name,
                path: None,
                kind,
                node: whole,
                name_node,
                head_start: if is_first {
                    modifiers.head
                } else {
                    declarator.start_byte()
                },
                head_end: declarator.end_byte(),
            });
            self.set_exported(symbol, &modifiers);
            if modifiers.is_static {
                self.flag(symbol, SymbolFlags::STATIC);
            }
            self.around = Some(symbol);
            if is_first {
                self.use_attribute_lists(node);
                if let Some(type_) = type_ {
                    self.use_type(type_, ReferenceKind::Type);
                }
            }
            is_first = false;
            let value = type_.map_or(self.unknown, |it| self.lower_type(it));
            for initializer in self.children(declarator) {
                if initializer != name_node {
                    self.walk_as(initializer, value);
                }
            }
            self.around = owner;
            if let Some(owner) = owner {
                self.bind_member(owner, name, value);
            }
        }
    }

    /// `: base(…)` calls a constructor of the base; `: this(…)` one of the class itself.
    fn use_constructor_initializer(&mut self, node: Node<'t>) {
        let mut cursor = node.walk();
        let base = node
            .children(&mut cursor)
            .find(|child| child.kind() == "base");
        if let Some(base) = base {
            let scope = self.around;
            let class = self.add(Expr::Super { scope });
            self.push_use(base, Target::Value(class), ReferenceKind::New);
        }
        if let Some(arguments) = self.child_of(node, Kind::ArgumentList) {
            self.walk_children(arguments);
        }
    }

    /// Adds a function inside of a member.
    pub(super) fn local_function(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(name_node) = self.field(node, fields.name) else {
            return;
        };
        let modifiers = self.modifiers(node);
        let name = self.name_text(name_node);
        let body = self.field(node, fields.body);
        let symbol = self.add_symbol(NewSymbol {
            name,
            path: None,
            kind: SymbolKind::Function,
            node,
            name_node,
            head_start: modifiers.head,
            head_end: body.map_or(node.end_byte(), |it| it.start_byte()),
        });
        self.flag(symbol, SymbolFlags::LEXICAL_THIS);
        self.function_body(node, symbol, self.field(node, fields.type_));
    }
}
