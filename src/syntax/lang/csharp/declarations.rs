//! Types: symbols, bases, and what they offer to other files.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::{Lowering, MAX_DEPTH};
use super::symbols::{Modifiers, NewSymbol};
use crate::ir::{BaseKind, Expr, ReferenceKind, Slot, SymbolIdx, extension_name, generic_name};
use crate::model::{SymbolFlags, SymbolKind};

impl<'t> Lowering<'t> {
    /// Reads a declaration of the file or of a type; anything else as code.
    pub(super) fn member(&mut self, node: Node<'t>) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match self.kind(node) {
            Kind::DelegateDeclaration => self.delegate(node),
            kind if kind.is_type_declaration() => self.type_declaration(node),
            Kind::MethodDeclaration => self.method(node),
            Kind::Constructor => self.constructor(node),
            Kind::Destructor => self.destructor(node),
            Kind::Operator | Kind::ConversionOperator => self.operator(node),
            Kind::PropertyDeclaration | Kind::EventDeclaration => self.property(node),
            Kind::Indexer => self.indexer(node),
            Kind::FieldDeclaration | Kind::EventField => self.fields(node),
            Kind::EnumMember => self.enum_member(node),
            Kind::PreprocIf | Kind::PreprocElse | Kind::PreprocElif => {
                for child in self.branch(node) {
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

    /// Adds a class, a struct, an interface, a record or an enumeration.
    fn type_declaration(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(name_node) = self.field(node, fields.name) else {
            return;
        };
        let name = self.name_text(name_node);
        let modifiers = self.modifiers(node);
        let kind = match self.kind(node) {
            Kind::InterfaceDeclaration => SymbolKind::Interface,
            Kind::EnumDeclaration => SymbolKind::Enum,
            _ => SymbolKind::Class,
        };
        let body = self.field(node, fields.body);
        let symbol = self.add_symbol(NewSymbol {
            name,
            path: None,
            kind,
            node,
            name_node,
            head_start: modifiers.head,
            head_end: body.map_or(node.end_byte(), |it| it.start_byte()),
        });
        self.set_type_flags(symbol, &modifiers);
        let around = self.around;
        // Names of a function around do not reach into a type.
        let locals = std::mem::take(&mut self.locals);
        self.bind_arity(node, symbol);
        self.export_type(symbol, name_node.start_byte());
        self.around = Some(symbol);
        let n_outer = self.enter_type_params(node, symbol);
        self.use_attribute_lists(node);
        let primary = self.child_of(node, Kind::ParameterList);
        if let Some(list) = primary {
            let is_record = self.kind(node) == Kind::RecordDeclaration;
            self.primary_constructor(list, symbol, is_record);
        }
        self.bases(node, symbol);
        if let Some(body) = body {
            for child in self.children(body) {
                self.member(child);
            }
        }
        self.leave_type_params(n_outer);
        self.around = around;
        self.locals = locals;
        self.export_members(symbol);
    }

    fn set_type_flags(&mut self, symbol: SymbolIdx, modifiers: &Modifiers<'t>) {
        self.set_exported(symbol, modifiers);
        let mut flags = SymbolFlags::STATIC;
        flags.set(SymbolFlags::ABSTRACT, modifiers.is_abstract);
        flags.set(SymbolFlags::PARTIAL, modifiers.is_partial);
        self.flag(symbol, flags);
    }

    /// Offers a type to other files.
    fn export_type(&mut self, symbol: SymbolIdx, at: usize) {
        let name = self.exported_name(symbol);
        self.export(name.clone(), name, at);
    }

    /// Notes the type parameters of a type or a method: their number tells those of one name apart.
    pub(super) fn bind_arity(&mut self, node: Node<'t>, symbol: SymbolIdx) {
        let n_params = self.type_param_nodes(node).len();
        for index in 0..n_params {
            let index = u8::try_from(index).unwrap_or(u8::MAX);
            self.bind(symbol, Slot::TypeParamDefault(index), self.unknown);
        }
        self.arities.insert(symbol, n_params);
    }

    /// The name of a type with the number of its type parameters.
    pub(super) fn arity_name(&self, symbol: SymbolIdx) -> String {
        let own = &self.facts.symbols[symbol as usize];
        match self.arities.get(&symbol) {
            Some(n) if *n > 0 => generic_name(&own.name, *n),
            _ => own.name.clone(),
        }
    }

    /// Offers the extension methods of a static class by names that look-ups for any receiver find.
    fn export_members(&mut self, class: SymbolIdx) {
        let own = self.facts.symbols.iter().enumerate();
        let own = own.skip(class as usize).filter(|(_, symbol)| {
            symbol.parent == Some(class) && symbol.flags.contains(SymbolFlags::EXTENSION)
        });
        let mut names: Vec<String> = own.map(|(_, symbol)| symbol.name.clone()).collect();
        names.sort();
        names.dedup();
        let class_name = self.exported_name(class);
        let at = self.facts.symbols[class as usize].span.start_byte as usize;
        for name in names {
            let local = format!("{class_name}.{name}()");
            self.export(extension_name(&name), local, at);
        }
    }

    /// Binds the classes and interfaces that a type is built on. Which of both a name means is told by its form: `IStore`.
    fn bases(&mut self, node: Node<'t>, symbol: SymbolIdx) {
        let Some(list) = self.child_of(node, Kind::BaseList) else {
            return;
        };
        let kind = self.facts.symbols[symbol as usize].kind;
        let is_class = self.kind(node) != Kind::StructDeclaration && kind == SymbolKind::Class;
        let mut is_first = true;
        for child in self.children(list) {
            let base = match self.kind(child) {
                Kind::ArgumentList => {
                    self.walk_children(child);
                    continue;
                }
                Kind::PrimaryBase => {
                    if let Some(arguments) = self.child_of(child, Kind::ArgumentList) {
                        self.walk_children(arguments);
                    }
                    match self.field(child, self.grammar.fields.type_) {
                        Some(type_) => type_,
                        None => continue,
                    }
                }
                _ => child,
            };
            if kind == SymbolKind::Enum {
                self.use_type(base, ReferenceKind::Type);
                continue;
            }
            // Members of the class are not in scope where it says what it is built on.
            let parent = self.facts.symbols[symbol as usize].parent;
            let around = std::mem::replace(&mut self.around, parent);
            let path = self.type_path(base);
            self.around = around;
            self.use_type(base, ReferenceKind::Heritage);
            let is_base = kind == SymbolKind::Interface
                || is_class && is_first && !is_interface_name(self.text(base));
            is_first = false;
            if path != self.unknown {
                let kind = if is_base {
                    BaseKind::Extends
                } else {
                    BaseKind::Implements
                };
                self.bind(symbol, Slot::Base(kind), path);
            }
        }
    }

    /// Reads the parameters that stand behind the name of a type: names in all of its members, of a record its properties.
    fn primary_constructor(&mut self, list: Node<'t>, owner: SymbolIdx, is_record: bool) {
        for (param, node) in self.params(list) {
            let modifiers = self.modifiers(node);
            let value = self.param_type(&param);
            let name_node = self.field(node, self.grammar.fields.name);
            if let (true, Some(name_node)) = (is_record, name_node) {
                let property = self.add_symbol(NewSymbol {
                    name: param.name,
                    path: None,
                    kind: SymbolKind::Property,
                    node,
                    name_node,
                    head_start: modifiers.head,
                    head_end: node.end_byte(),
                });
                self.facts.symbols[property as usize].exported =
                    self.facts.symbols[owner as usize].exported;
                self.bind_member(owner, param.name, value);
                let around = self.around.replace(property);
                self.use_param(&param, node);
                self.around = around;
            } else {
                self.use_param(&param, node);
                self.locals.bind(param.name, value);
            }
        }
    }

    /// Records the uses in the attributes of a declaration.
    pub(super) fn use_attribute_lists(&mut self, node: Node<'t>) {
        for child in self.children(node) {
            if self.kind(child) == Kind::AttributeList {
                self.use_attributes(child);
            }
        }
    }

    /// Adds a delegate: a type whose values are functions.
    fn delegate(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(name_node) = self.field(node, fields.name) else {
            return;
        };
        let modifiers = self.modifiers(node);
        let symbol = self.add_symbol(NewSymbol {
            name: self.name_text(name_node),
            path: None,
            kind: SymbolKind::Type,
            node,
            name_node,
            head_start: modifiers.head,
            head_end: node.end_byte(),
        });
        self.set_type_flags(symbol, &modifiers);
        self.bind_arity(node, symbol);
        self.export_type(symbol, name_node.start_byte());
        let around = self.around.replace(symbol);
        let n_outer = self.locals.enter();
        let type_mark = self.enter_type_params(node, symbol);
        self.use_attribute_lists(node);
        if let Some(result) = self.field(node, fields.type_) {
            self.use_type(result, ReferenceKind::Type);
            let value = self.lower_type(result);
            if value != self.unknown {
                self.bind(symbol, Slot::Return, value);
            }
        }
        self.enter_params(self.field(node, fields.parameters), symbol);
        self.leave_type_params(type_mark);
        self.locals.leave(n_outer);
        self.around = around;
    }

    /// Adds a member of an enumeration.
    fn enum_member(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(name_node) = self.field(node, fields.name) else {
            return;
        };
        let modifiers = self.modifiers(node);
        let owner = self.around;
        let name = self.name_text(name_node);
        let symbol = self.add_symbol(NewSymbol {
            name,
            path: None,
            kind: SymbolKind::EnumMember,
            node,
            name_node,
            head_start: name_node.start_byte(),
            head_end: node.end_byte(),
        });
        self.flag(symbol, SymbolFlags::STATIC);
        self.set_exported(symbol, &modifiers);
        self.around = Some(symbol);
        self.use_attribute_lists(node);
        if let Some(value) = self.field(node, fields.value) {
            self.walk(value);
        }
        self.around = owner;
        if let Some(owner) = owner {
            let class = self.add(Expr::Symbol(owner));
            let value = self.instance(class);
            self.bind_member(owner, name, value);
        }
    }
}

/// Whether a name has the form that is usual for interfaces: `IStore`, `Acme.IStore<T>`.
fn is_interface_name(text: &str) -> bool {
    let name = text.split('<').next().unwrap_or(text);
    let name = name.rsplit(['.', ':']).next().unwrap_or(name).trim();
    let mut letters = name.chars();
    letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase)
}
