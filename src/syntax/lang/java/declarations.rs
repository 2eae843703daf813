//! Types and their members: symbols, and the bindings that a declaration makes.

use tree_sitter::Node;

use super::grammar::Kind;
use super::locals::Local;
use super::lowering::{Lowering, MAX_DEPTH};
use super::names::method_name;
use super::symbols::{Modifiers, NewSymbol};
use super::types::Param;
use crate::ir::{BaseKind, Expr, ExprId, ReferenceKind, Slot, SymbolIdx};
use crate::model::{SymbolFlags, SymbolKind};

/// The most parameters of a method that are kept.
const MAX_PARAMS: usize = 60;

/// Methods that every object has: an interface that declares one asks for nothing by it.
const OBJECT_METHODS: &[&str] = &["equals", "hashCode", "toString"];

impl<'t> Lowering<'t> {
    /// Reads a declaration of the file or of a type; anything else as code.
    pub(super) fn member(&mut self, node: Node<'t>) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match self.kind(node) {
            kind if kind.is_type_declaration() => drop(self.type_declaration(node, false)),
            Kind::MethodDeclaration | Kind::AnnotationElement => self.method(node),
            Kind::Constructor | Kind::CompactConstructor => self.constructor(node),
            Kind::FieldDeclaration | Kind::ConstantDeclaration => self.fields(node),
            Kind::EnumConstant => self.enum_constant(node),
            Kind::EnumBodyDeclarations => {
                for child in self.children(node) {
                    self.member(child);
                }
            }
            _ => {
                let n_outer = self.locals.enter();
                self.walk(node);
                self.locals.leave(n_outer);
            }
        }
        self.depth -= 1;
    }

    fn kind_around(&self) -> Option<SymbolKind> {
        self.around.map(|at| self.facts.symbols[at as usize].kind)
    }

    /// Returns whether the symbol around is a class without a name.
    fn in_anonymous(&self) -> bool {
        self.around
            .is_some_and(|at| self.facts.symbols[at as usize].name.starts_with('$'))
    }

    /// Adds a class, an interface, an enumeration, a record or an annotation.
    pub(super) fn type_declaration(&mut self, node: Node<'t>, is_local: bool) -> Option<SymbolIdx> {
        let fields = self.grammar.fields;
        let name_node = self.field(node, fields.name)?;
        let name = self.text(name_node);
        let modifiers = self.modifiers(node);
        let kind = match self.kind(node) {
            Kind::InterfaceDeclaration | Kind::AnnotationDeclaration => SymbolKind::Interface,
            Kind::EnumDeclaration => SymbolKind::Enum,
            _ => SymbolKind::Class,
        };
        let body = self.field(node, fields.body);
        let in_interface = self.kind_around() == Some(SymbolKind::Interface);
        let symbol = self.add_symbol(NewSymbol {
            name,
            kind,
            node,
            name_node,
            head_start: modifiers.head.unwrap_or(node.start_byte()),
            head_end: body.map_or(node.end_byte(), |it| it.start_byte()),
            skips_owner: self.in_anonymous(),
        });
        let around = self.around;
        let is_visible = modifiers.is_public
            || around.is_some() && modifiers.is_protected
            || in_interface && !modifiers.is_private;
        let flags = SymbolFlags::STATIC;
        if modifiers.is_static || in_interface || kind != SymbolKind::Class {
            self.flag(symbol, flags);
        }
        if modifiers.is_abstract {
            self.flag(symbol, SymbolFlags::ABSTRACT);
        }
        if is_local {
            self.locals.bind(name, Local::Class(symbol));
        } else {
            let exported = is_visible && self.is_exported(around);
            self.facts.symbols[symbol as usize].exported = exported;
            let qualified_name = self.facts.symbols[symbol as usize].qualified_name.clone();
            self.export(&qualified_name, name_node.start_byte());
        }
        self.around = Some(symbol);
        let first_binding = self.facts.bindings.len();
        let n_outer = self.enter_type_params(node, symbol);
        for (_, annotation) in &modifiers.annotations {
            self.use_annotation(*annotation);
        }
        self.bases(node, symbol);
        let components = self.field(node, fields.parameters);
        if let Some(components) = components {
            self.record_components(components, symbol);
        }
        if let Some(body) = body {
            self.type_body(body);
        }
        match kind {
            SymbolKind::Enum => self.enum_members(symbol),
            SymbolKind::Interface => self.functional_method(symbol, first_binding),
            _ => {}
        }
        self.lombok_members(symbol, &modifiers, node);
        self.leave_type_params(n_outer);
        self.around = around;
        Some(symbol)
    }

    /// Reads the members of a type. Inside of a method its fields hide variables of their names.
    pub(super) fn type_body(&mut self, body: Node<'t>) {
        let n_outer = self.locals.enter();
        if n_outer > 0 {
            for child in self.children(body) {
                if matches!(self.kind(child), Kind::FieldDeclaration) {
                    for declarator in self.declarators(child) {
                        if let Some(name) = self.field(declarator, self.grammar.fields.name) {
                            self.locals.bind(self.text(name), Local::Field);
                        }
                    }
                }
            }
        }
        for child in self.children(body) {
            self.member(child);
        }
        self.locals.leave(n_outer);
    }

    fn declarators(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut all = self.children(node);
        all.retain(|it| self.kind(*it) == Kind::VariableDeclarator);
        all
    }

    /// Binds the classes and interfaces that a type is built on.
    fn bases(&mut self, node: Node<'t>, symbol: SymbolIdx) {
        for child in self.children(node) {
            let kind = match self.kind(child) {
                Kind::Superclass | Kind::ExtendsInterfaces => BaseKind::Extends,
                Kind::SuperInterfaces => BaseKind::Implements,
                Kind::Permits => {
                    self.use_type(child, ReferenceKind::Type);
                    continue;
                }
                _ => continue,
            };
            let list = self.child_of(child, Kind::TypeList).unwrap_or(child);
            for base in self.children(list) {
                self.use_type(base, ReferenceKind::Heritage);
                // Members of the class are not in scope where it says what it is built on.
                let parent = self.facts.symbols[symbol as usize].parent;
                let around = std::mem::replace(&mut self.around, parent);
                let path = self.type_path(base);
                self.around = around;
                if path != self.unknown {
                    self.bind(symbol, Slot::Base(kind), path);
                }
            }
        }
    }

    /// Adds the fields of a record, and their accessors.
    fn record_components(&mut self, list: Node<'t>, record: SymbolIdx) {
        for (index, node) in self.param_nodes(list).into_iter().enumerate() {
            let Some((param, name_node)) = self.param(node) else {
                continue;
            };
            let modifiers = self.modifiers(node);
            let field = self.add_symbol(NewSymbol {
                name: param.name,
                kind: SymbolKind::Field,
                node,
                name_node,
                head_start: modifiers.head.unwrap_or(node.start_byte()),
                head_end: node.end_byte(),
                skips_owner: false,
            });
            self.facts.symbols[field as usize].exported = self.is_exported(Some(record));
            let around = self.around.replace(field);
            for (_, annotation) in &modifiers.annotations {
                self.use_annotation(*annotation);
            }
            if let Some(type_) = param.type_ {
                self.use_type(type_, ReferenceKind::Type);
            }
            let value = self.param_type(&param);
            self.around = around;
            self.bind_member(record, param.name, value);
            // The components are what `new` and patterns of the record take.
            let index = u8::try_from(index).unwrap_or(u8::MAX);
            self.bind(record, Slot::Param(index), value);
            let accessor = self.getter(record, field, param.name);
            self.bind_member(record, &method_name(param.name), accessor);
        }
    }

    /// Returns a parameter and the node of its name.
    fn param(&self, node: Node<'t>) -> Option<(Param<'t>, Node<'t>)> {
        let fields = self.grammar.fields;
        if self.kind(node) == Kind::SpreadParameter {
            let declarator = self.child_of(node, Kind::VariableDeclarator)?;
            let name = self.field(declarator, fields.name)?;
            let is_type = |it: &Node<'t>| self.kind(*it).is_type();
            let param = Param {
                name: self.text(name),
                type_: self.children(node).into_iter().find(is_type),
                dimensions: None,
                is_variadic: true,
            };
            return Some((param, name));
        }
        let name = self.field(node, fields.name)?;
        let param = Param {
            name: self.text(name),
            type_: self.field(node, fields.type_),
            dimensions: self.field(node, fields.dimensions),
            is_variadic: false,
        };
        Some((param, name))
    }

    /// Returns the parameters of a method or a lambda, with their nodes.
    pub(super) fn params(&self, list: Node<'t>) -> Vec<(Param<'t>, Node<'t>)> {
        self.param_nodes(list)
            .into_iter()
            .filter_map(|it| Some((self.param(it)?.0, it)))
            .collect()
    }

    fn param_nodes(&self, list: Node<'t>) -> Vec<Node<'t>> {
        let mut nodes = self.children(list);
        nodes.retain(|it| {
            matches!(
                self.kind(*it),
                Kind::FormalParameter | Kind::SpreadParameter
            )
        });
        nodes.truncate(MAX_PARAMS);
        nodes
    }

    /// Binds the parameters of a method or constructor, as slots of the symbol and as names in its body.
    fn enter_params(&mut self, list: Option<Node<'t>>, owner: SymbolIdx) -> Vec<Param<'t>> {
        let params = list.map_or_else(Vec::new, |list| self.params(list));
        for (index, (param, node)) in params.iter().enumerate() {
            let modifiers = self.modifiers(*node);
            for (_, annotation) in &modifiers.annotations {
                self.use_annotation(*annotation);
            }
            if let Some(type_) = param.type_ {
                self.use_type(type_, ReferenceKind::Type);
            }
            let value = self.param_type(param);
            // One of which nothing is known counts as one.
            self.bind(
                owner,
                Slot::Param(u8::try_from(index).unwrap_or(u8::MAX)),
                value,
            );
            self.locals.bind(param.name, Local::Value(value));
            if param.is_variadic {
                self.flag(owner, SymbolFlags::VARIADIC);
            }
        }
        params.into_iter().map(|it| it.0).collect()
    }

    /// Adds a method of a type.
    fn method(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(name_node) = self.field(node, fields.name) else {
            return;
        };
        let modifiers = self.modifiers(node);
        let body = self.field(node, fields.body);
        let in_interface = self.kind_around() == Some(SymbolKind::Interface);
        let name = self.text(name_node);
        let symbol = self.add_method(node, name, name_node, SymbolKind::Method, &modifiers);
        let mut flags = SymbolFlags::empty();
        let is_abstract = modifiers.is_abstract || in_interface && body.is_none();
        flags.set(SymbolFlags::ABSTRACT, is_abstract);
        flags.set(SymbolFlags::STATIC, modifiers.is_static);
        let is_old_test = name.starts_with("test") && modifiers.is_public && self.in_test_case();
        flags.set(SymbolFlags::TEST, modifiers.is_test() || is_old_test);
        self.flag(symbol, flags);
        let around = self.around.replace(symbol);
        let n_outer = self.locals.enter();
        let type_mark = self.enter_type_params(node, symbol);
        for (_, annotation) in &modifiers.annotations {
            self.use_annotation(*annotation);
        }
        if let Some(result) = self.field(node, fields.type_) {
            self.use_type(result, ReferenceKind::Type);
        }
        let params = self.enter_params(self.field(node, fields.parameters), symbol);
        if let Some(throws) = self.child_of(node, Kind::Throws) {
            self.use_type(throws, ReferenceKind::Type);
        }
        let result = self.result_type(node, symbol, params);
        if result != self.unknown {
            self.bind(symbol, Slot::Return, result);
        }
        // What is returned is a value of the result type, as its body sees that.
        let returned = match self.field(node, fields.type_) {
            Some(type_) => self.lower_type(type_),
            None => self.unknown,
        };
        let outer = std::mem::replace(&mut self.returned, returned);
        if let Some(body) = body {
            self.walk(body);
        }
        if let Some(value) = self.field(node, fields.value) {
            self.walk(value);
        }
        self.returned = outer;
        self.leave_type_params(type_mark);
        self.locals.leave(n_outer);
        self.around = around;
    }

    fn result_type(&mut self, node: Node<'t>, method: SymbolIdx, params: Vec<Param<'t>>) -> ExprId {
        let fields = self.grammar.fields;
        let Some(type_) = self.field(node, fields.type_) else {
            return self.unknown;
        };
        self.result_of = Some(method);
        self.params_of_result = params;
        let result = self.lower_type(type_);
        self.result_of = None;
        self.params_of_result.clear();
        let dimensions = self.field(node, fields.dimensions);
        if result == self.unknown {
            result
        } else {
            self.with_dimensions(result, dimensions)
        }
    }

    /// Returns whether the class around is a test of `JUnit` 3.
    fn in_test_case(&self) -> bool {
        self.around.is_some_and(|at| {
            let signature = &self.facts.symbols[at as usize].signature;
            signature.contains("extends TestCase") || signature.contains("TestCase {")
        })
    }

    fn add_method(
        &mut self,
        node: Node<'t>,
        name: &str,
        name_node: Node<'t>,
        kind: SymbolKind,
        modifiers: &Modifiers<'t>,
    ) -> SymbolIdx {
        let body = self.field(node, self.grammar.fields.body);
        let in_interface = self.kind_around() == Some(SymbolKind::Interface);
        let in_anonymous = self.in_anonymous();
        let symbol = self.add_symbol(NewSymbol {
            name,
            kind,
            node,
            name_node,
            head_start: modifiers.head.unwrap_or(node.start_byte()),
            head_end: body.map_or(node.end_byte(), |it| it.start_byte()),
            skips_owner: in_anonymous,
        });
        let is_visible =
            modifiers.is_public || modifiers.is_protected || in_interface && !modifiers.is_private;
        let exported = is_visible && !in_anonymous && self.is_exported(self.around);
        self.facts.symbols[symbol as usize].exported = exported;
        symbol
    }

    /// Adds a constructor.
    fn constructor(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(name_node) = self.field(node, fields.name) else {
            return;
        };
        let modifiers = self.modifiers(node);
        let name = self.text(name_node);
        let symbol = self.add_method(node, name, name_node, SymbolKind::Constructor, &modifiers);
        let around = self.around.replace(symbol);
        let n_outer = self.locals.enter();
        let type_mark = self.enter_type_params(node, symbol);
        for (_, annotation) in &modifiers.annotations {
            self.use_annotation(*annotation);
        }
        self.enter_params(self.field(node, fields.parameters), symbol);
        if let Some(throws) = self.child_of(node, Kind::Throws) {
            self.use_type(throws, ReferenceKind::Type);
        }
        if self.kind(node) == Kind::CompactConstructor {
            // The components are its parameters.
            let record = node.parent().and_then(|body| body.parent());
            let list = record.and_then(|it| self.field(it, fields.parameters));
            for (param, _) in list.map_or_else(Vec::new, |list| self.params(list)) {
                let value = self.param_type(&param);
                self.locals.bind(param.name, Local::Value(value));
            }
        }
        if let Some(body) = self.field(node, fields.body) {
            self.walk(body);
        }
        self.leave_type_params(type_mark);
        self.locals.leave(n_outer);
        self.around = around;
    }

    /// Adds the fields of a declaration, one for each name.
    fn fields(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let modifiers = self.modifiers(node);
        let in_interface = self.kind_around() == Some(SymbolKind::Interface);
        let type_ = self.field(node, fields.type_);
        let owner = self.around;
        let is_visible = modifiers.is_public || modifiers.is_protected || in_interface;
        let exported = is_visible && !self.in_anonymous() && self.is_exported(owner);
        for (at, declarator) in self.declarators(node).into_iter().enumerate() {
            let Some(name_node) = self.field(declarator, fields.name) else {
                continue;
            };
            let name = self.text(name_node);
            let whole = if at == 0 { node } else { declarator };
            let symbol = self.add_symbol(NewSymbol {
                name,
                kind: SymbolKind::Field,
                node: whole,
                name_node,
                head_start: modifiers
                    .head
                    .filter(|_| at == 0)
                    .unwrap_or(whole.start_byte()),
                head_end: declarator.end_byte(),
                skips_owner: self.in_anonymous(),
            });
            self.facts.symbols[symbol as usize].exported = exported;
            if modifiers.is_static || in_interface {
                self.flag(symbol, SymbolFlags::STATIC);
            }
            self.around = Some(symbol);
            if at == 0 {
                for (_, annotation) in &modifiers.annotations {
                    self.use_annotation(*annotation);
                }
                if let Some(type_) = type_ {
                    self.use_type(type_, ReferenceKind::Type);
                }
            }
            let mut value = match type_ {
                Some(type_) => self.lower_type(type_),
                None => self.unknown,
            };
            value = self.with_dimensions(value, self.field(declarator, fields.dimensions));
            if let Some(initializer) = self.field(declarator, fields.value) {
                self.walk_as(initializer, value);
            }
            self.around = owner;
            if let Some(owner) = owner {
                self.bind_member(owner, name, value);
            }
        }
    }

    /// Adds a constant of an enumeration.
    fn enum_constant(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(name_node) = self.field(node, fields.name) else {
            return;
        };
        let modifiers = self.modifiers(node);
        let owner = self.around;
        let name = self.text(name_node);
        let body = self.field(node, fields.body);
        let symbol = self.add_symbol(NewSymbol {
            name,
            kind: SymbolKind::EnumMember,
            node,
            name_node,
            head_start: name_node.start_byte(),
            head_end: body.map_or(node.end_byte(), |it| it.start_byte()),
            skips_owner: false,
        });
        self.flag(symbol, SymbolFlags::STATIC);
        self.facts.symbols[symbol as usize].exported = self.is_exported(owner);
        self.around = Some(symbol);
        for (_, annotation) in &modifiers.annotations {
            self.use_annotation(*annotation);
        }
        if let Some(arguments) = self.field(node, fields.arguments) {
            self.walk(arguments);
        }
        if let Some(body) = body {
            if let Some(owner) = owner {
                let base = self.add(Expr::Symbol(owner));
                self.bind(symbol, Slot::Base(BaseKind::Extends), base);
            }
            self.type_body(body);
        }
        self.around = owner;
        if let Some(owner) = owner {
            let class = self.add(Expr::Symbol(owner));
            let value = self.instance(class);
            self.bind_member(owner, name, value);
        }
    }

    /// Gives an interface with one abstract method that method's parameters and result: it is the type of lambdas.
    fn functional_method(&mut self, interface: SymbolIdx, first_binding: usize) {
        let methods = self.facts.symbols.iter().enumerate();
        let mut methods = methods.skip(interface as usize).filter(|(_, symbol)| {
            symbol.parent == Some(interface)
                && symbol.kind == SymbolKind::Method
                && symbol.flags.contains(SymbolFlags::ABSTRACT)
                && !OBJECT_METHODS.contains(&symbol.name.as_str())
        });
        let (Some((method, _)), None) = (methods.next(), methods.next()) else {
            return;
        };
        let method = crate::syntax::lang::use_recorder::offset(method);
        let mut own = Vec::new();
        for binding in self.facts.bindings.iter().skip(first_binding) {
            if binding.owner == Some(method)
                && let Some((_, slot @ (Slot::Param(_) | Slot::Return))) =
                    self.facts.exprs.last(binding.path)
            {
                own.push((slot, binding.value));
            }
        }
        for (slot, value) in own {
            self.bind(interface, slot, value);
        }
    }
}
