//! The walk through the bodies of functions and through initializers: blocks, the names that they bind, and the uses of
//! names.

use tree_sitter::Node;

use super::declarations::DeclarationPlace;
use super::grammar::Kind;
use super::lowering::{Local, Lowering, MAX_DEPTH};
use crate::ir::{Expr, ExprId, ReferenceKind, SymbolIdx, Target};

impl<'t> Lowering<'t> {
    /// Walks through the children of a node.
    pub(super) fn walk_children(&mut self, node: Node<'t>) {
        for child in self.children(node) {
            self.walk(child);
        }
    }

    /// Walks through a node: binds the names that it declares and records the uses in it.
    pub(super) fn walk(&mut self, node: Node<'t>) {
        if self.depth > MAX_DEPTH || self.budget.is_spent() {
            return;
        }
        self.depth += 1;
        if self.code_end.is_none() || !self.swallowed(node) {
            self.walk_node(node);
        }
        self.depth -= 1;
    }

    fn walk_node(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::CompoundStatement
            | Kind::IfStatement
            | Kind::ForStatement
            | Kind::SwitchStatement
            | Kind::WhileStatement => {
                self.in_block(|it| it.walk_children(node));
            }
            Kind::ForRangeLoop => self.in_block(|it| it.range_loop(node)),
            Kind::CatchClause => self.in_block(|it| {
                it.bind_parameters(node, None);
                it.walk_children(node);
            }),
            Kind::LambdaExpression => self.in_block(|it| it.lambda(node)),
            Kind::Declaration => self.local_declaration(node),
            Kind::FunctionDefinition => {
                // A function inside a function is code that the grammar took for one: `LOOP(i) {`.
                self.use_macro_head(node);
                if let Some(body) = self.field(node, fields.body) {
                    self.walk(body);
                }
            }
            Kind::TypeDefinition => {
                if let (Some(type_), Some(declarator)) = (
                    self.field(node, fields.type_),
                    self.field(node, fields.declarator),
                ) && self.kind(declarator) == Kind::TypeIdentifier
                {
                    self.local_alias(declarator, type_);
                }
            }
            Kind::AliasDeclaration => {
                if let (Some(name), Some(type_)) = (
                    self.field(node, fields.name),
                    self.field(node, fields.type_),
                ) {
                    self.local_alias(name, type_);
                }
            }
            Kind::UsingDeclaration => self.using(node),
            Kind::Identifier | Kind::QualifiedIdentifier => self.use_value(node),
            Kind::CallExpression => self.use_call(node),
            Kind::NewExpression => self.use_new(node),
            Kind::FieldExpression => {
                if let Some(object) = self.field(node, fields.argument) {
                    self.walk(object);
                }
            }
            Kind::CompoundLiteral => {
                if let Some(type_) = self.field(node, fields.type_) {
                    self.use_construction(type_);
                }
                if let Some(value) = self.field(node, fields.value) {
                    self.walk(value);
                }
            }
            Kind::FieldInitializer => {
                // `: Base(x), field(y)`: the arguments.
                for child in self.children(node) {
                    if matches!(self.kind(child), Kind::ArgumentList | Kind::InitializerList) {
                        self.walk(child);
                    }
                }
            }
            Kind::PreprocDef | Kind::PreprocFunctionDef => self.define_macro(node),
            Kind::PreprocIf
            | Kind::PreprocIfdef
            | Kind::PreprocElse
            | Kind::PreprocElif
            | Kind::PreprocElifdef => self.walk_branches(node),
            Kind::StringLiteral
            | Kind::NumberLiteral
            | Kind::CharLiteral
            | Kind::Comment
            | Kind::FieldDesignator
            | Kind::FieldIdentifier
            | Kind::TemplateArgumentList => {}
            kind if kind.is_specifier() && self.field(node, fields.body).is_some() => {
                self.local_class(node);
            }
            kind if kind.is_type() => self.use_type(node, ReferenceKind::Type),
            _ => self.walk_children(node),
        }
    }

    /// The branches of a condition before preprocessing, without its head.
    fn walk_branches(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let head = [
            self.field(node, fields.condition),
            self.field(node, fields.name),
        ];
        let is_off = head[0].is_some_and(|it| self.text(it) == "0");
        for child in self.children(node) {
            let is_other = Some(child) == self.field(node, fields.alternative);
            if !head.contains(&Some(child)) && (!is_off || is_other) {
                self.walk(child);
            }
        }
    }

    /// `[row = next()](int n) { row.open(n); }`
    fn lambda(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let captures = self.field(node, fields.captures);
        for capture in captures.map(|it| self.children(it)).unwrap_or_default() {
            let (Some(name), Some(value)) = (
                self.field(capture, fields.left),
                self.field(capture, fields.right),
            ) else {
                continue;
            };
            self.walk(value);
            let value = self.lower(value);
            self.bind_local(self.text(name), Local::Value(value));
        }
        if let Some(head) = self.child_of(node, Kind::AbstractFunctionDeclarator) {
            self.bind_parameters(head, None);
            if let Some(result) = self.child_of(head, Kind::TrailingReturnType)
                && let Some(type_) = self.children(result).first()
            {
                self.use_type(*type_, ReferenceKind::Type);
            }
        }
        if let Some(body) = self.field(node, fields.body) {
            self.walk(body);
        }
    }

    /// A class inside a function: in C++ a definition that the function alone sees. In C it is none, and the code in it is that of the
    /// function. Returns a value of it, where it is a definition.
    fn local_class(&mut self, node: Node<'t>) -> Option<ExprId> {
        let fields = self.grammar.fields;
        let name = self.field(node, fields.name);
        if let Some(name) = name {
            let unknown = self.unknown;
            self.bind_local(self.text(name), Local::Type(unknown));
        }
        if let Some(name) = name.filter(|it| self.kind(*it) == Kind::TypeIdentifier)
            && self.is_cpp
            && self.symbol.is_some()
            && self.kind(node) != Kind::EnumSpecifier
        {
            let place = DeclarationPlace {
                parent: self.symbol,
                is_internal: true,
                ..DeclarationPlace::default()
            };
            let class = self.specifier(node, place, node, None)?;
            let of = self.add(Expr::Symbol(class));
            let value = self.add(Expr::Instance { of });
            self.bind_local(self.text(name), Local::Type(value));
            return Some(value);
        }
        let body = self.field(node, fields.body)?;
        if self.kind(node) == Kind::EnumSpecifier {
            for one in self.children(body) {
                if let Some(name) = self.field(one, fields.name) {
                    let value = self.primitive("int");
                    self.bind_local(self.text(name), Local::Value(value));
                }
            }
            return None;
        }
        self.in_block(|it| {
            for member in it.children(body) {
                if it.kind(member) == Kind::FunctionDefinition
                    && let Some(declarator) = it.field(member, fields.declarator)
                {
                    let taken = it.declarator(declarator);
                    it.in_block(|it| {
                        if let Some(function) = taken.function {
                            it.bind_parameters(function, None);
                        }
                        if let Some(body) = it.field(member, fields.body) {
                            it.walk(body);
                        }
                    });
                }
            }
        });
        None
    }

    /// Returns the class of a function that a name stands for.
    pub(super) fn local_symbol(&self, name: &str) -> Option<SymbolIdx> {
        let Some(Local::Type(value)) = self.local(name) else {
            return None;
        };
        let Expr::Instance { of } = *self.facts.exprs.get(value) else {
            return None;
        };
        match *self.facts.exprs.get(of) {
            Expr::Symbol(class) => Some(class),
            _ => None,
        }
    }

    fn local_declaration(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let type_ = self.field(node, fields.type_);
        let mut base = self.unknown;
        let mut is_auto = false;
        if let Some(type_) = type_ {
            is_auto =
                self.kind(type_) == Kind::PlaceholderType || self.text(type_) == "__auto_type";
            let mut class = None;
            if self.kind(type_).is_specifier() && self.field(type_, fields.body).is_some() {
                class = self.local_class(type_);
            } else {
                self.use_type(type_, ReferenceKind::Type);
            }
            base = class.unwrap_or_else(|| self.value_of(type_));
        }
        // In a condition the value stands beside the declarator: `if (Row* row = next())`.
        let condition_value = self.field(node, fields.value);
        for declarator in self.in_field(node, fields.declarator) {
            let mut taken = self.declarator(declarator);
            taken.value = taken.value.or(condition_value);
            self.use_sizes(&taken);
            if let Some(value) = taken.value {
                self.walk(value);
            }
            let Some(name) = taken.name else { continue };
            if let Some(function) = taken.function {
                let is_prototype = !self.is_cpp || self.has_storage(node, "extern");
                if is_prototype {
                    continue;
                }
                // `Store store(path);` reads like the declaration of a function.
                if let Some(list) = self.field(function, fields.parameters) {
                    self.use_vexing_arguments(list);
                }
                self.bind_local(self.text(name), Local::Value(base));
                continue;
            }
            if self.kind(name) == Kind::StructuredBinding {
                let value = taken.value.map_or(self.unknown, |it| self.lower(it));
                self.bind_structured(name, value);
                continue;
            }
            let value = match taken.value {
                Some(value) if is_auto => self.lower(value),
                _ => self.declared_value(&taken, base),
            };
            self.bind_local(self.text(name), Local::Value(value));
        }
    }

    /// Records the names in what reads like parameters and are arguments: `Store store(path, open());`.
    fn use_vexing_arguments(&mut self, list: Node<'t>) {
        for parameter in self.children(list) {
            self.use_vexing_call(parameter);
            if let Some(type_) = self.field(parameter, self.grammar.fields.type_)
                && self
                    .field(parameter, self.grammar.fields.declarator)
                    .is_none()
                && self.kind(type_) == Kind::TypeIdentifier
                && self.local(self.text(type_)).is_none()
            {
                self.push_use(
                    self.text(type_),
                    Target::Lexical,
                    ReferenceKind::Value,
                    type_.start_byte(),
                );
            }
        }
    }

    /// Records the call in what reads like a function as a parameter: `Env::Default()` in `Store store(Env::Default());`.
    fn use_vexing_call(&mut self, parameter: Node<'t>) {
        let fields = self.grammar.fields;
        let (Some(function), Some(declarator)) = (
            self.field(parameter, fields.type_),
            self.field(parameter, fields.declarator),
        ) else {
            return;
        };
        let is_call = self.kind(declarator) == Kind::AbstractFunctionDeclarator
            && self.field(declarator, fields.declarator).is_none();
        let Some(list) = self
            .field(declarator, fields.parameters)
            .filter(|_| is_call)
        else {
            return;
        };
        let is_named = matches!(
            self.kind(function),
            Kind::TypeIdentifier | Kind::QualifiedIdentifier
        );
        let Some(path) = self.path_text(function).filter(|_| is_named) else {
            return;
        };
        let is_standard = self.is_standard(function);
        if !is_standard && self.local(&path).is_none() {
            if self.kind(function) == Kind::QualifiedIdentifier {
                self.use_scope(function);
            }
            let callee = self.name(&path);
            let args = self.children(list).iter().map(|_| self.unknown).collect();
            let call = self.add(Expr::Call {
                callee,
                types: Box::default(),
                args,
            });
            let callee = self.add(Expr::Callee { call });
            let last = self.last_name(function);
            self.push_use(
                self.text(last),
                Target::Value(callee),
                ReferenceKind::Call,
                last.start_byte(),
            );
        }
        self.deeper(|it| it.use_vexing_arguments(list));
    }

    fn bind_structured(&mut self, names: Node<'t>, value: ExprId) {
        for (index, name) in self.children(names).into_iter().enumerate() {
            let item = match u8::try_from(index) {
                Ok(index) if value != self.unknown => self.add(Expr::Item {
                    object: value,
                    index,
                }),
                _ => self.unknown,
            };
            self.bind_local(self.text(name), Local::Value(item));
        }
    }

    /// `for (const auto& row : rows)`
    fn range_loop(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let mut value = self.unknown;
        // `for (auto rows = all(); auto& row : rows)`
        if let Some(first) = self.field(node, fields.initializer) {
            self.walk(first);
        }
        if let Some(right) = self.field(node, fields.right) {
            self.walk(right);
            let object = self.lower(right);
            if object != self.unknown {
                value = self.add(Expr::LoopVariable { object });
            }
        }
        let type_ = self.field(node, fields.type_);
        if let Some(type_) = type_ {
            self.use_type(type_, ReferenceKind::Type);
        }
        if let Some(declarator) = self.field(node, fields.declarator) {
            let taken = self.declarator(declarator);
            if let Some(name) = taken.name {
                match type_ {
                    Some(type_) if self.kind(type_) != Kind::PlaceholderType => {
                        let base = self.value_of(type_);
                        let value = self.declared_value(&taken, base);
                        self.bind_local(self.text(name), Local::Value(value));
                    }
                    _ if self.kind(name) == Kind::StructuredBinding => {
                        self.bind_structured(name, value);
                    }
                    _ => self.bind_local(self.text(name), Local::Value(value)),
                }
            }
        }
        if let Some(body) = self.field(node, fields.body) {
            self.walk(body);
        }
    }

    /// Records the use of a name as a value.
    fn use_value(&mut self, node: Node<'t>) {
        let Some(text) = self.value_path(node) else {
            return;
        };
        if self.kind(node) == Kind::Identifier {
            if self.local(&text).is_none() && !is_constant(&text) {
                self.push_use(
                    &text,
                    Target::Lexical,
                    ReferenceKind::Value,
                    node.start_byte(),
                );
            }
            return;
        }
        self.use_scope(node);
        let value = self.name(&text);
        let last = self.last_name(node);
        self.push_use(
            self.text(last),
            Target::Value(value),
            ReferenceKind::Value,
            last.start_byte(),
        );
    }

    /// Records the classes before the last name of a path: `Store` in `Store::open`.
    pub(super) fn use_scope(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        // The names before the scope at hand, with dots.
        let mut around = String::new();
        let mut at = node;
        for _ in 0..MAX_DEPTH {
            let Some(scope) = self.field(at, fields.scope) else {
                return;
            };
            self.use_qualifier(scope, &around);
            if let Some(arguments) = self.last_arguments(scope) {
                self.use_type_arguments(arguments);
            }
            let inner = self.field(at, fields.name);
            let inner = inner.filter(|it| self.kind(*it) == Kind::QualifiedIdentifier);
            let (Some(inner), Some(path)) = (inner, self.path_text(scope)) else {
                return;
            };
            around = format!("{around}{path}.");
            at = inner;
        }
    }

    /// Records the name before `::` as a use of a class: `Store` in `Store::open()`. `around` are the names before it.
    fn use_qualifier(&mut self, scope: Node<'t>, around: &str) {
        let Some(path) = self.path_text(scope) else {
            return;
        };
        let is_space =
            around.is_empty() && (path == "std" || self.namespaces.contains(&path.as_str()));
        if is_space || around.starts_with("std.") || self.local(&path).is_some() {
            return;
        }
        let value = self.name(&format!("type {around}{path}"));
        let last = self.last_name(scope);
        self.push_use(
            self.text(last),
            Target::Value(value),
            ReferenceKind::Type,
            last.start_byte(),
        );
    }

    fn use_arguments(&mut self, node: Node<'t>) {
        if let Some(arguments) = self.field(node, self.grammar.fields.arguments) {
            self.walk_children(arguments);
        }
    }

    fn use_call(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(function) = self.field(node, fields.function) else {
            self.walk_children(node);
            return;
        };
        if let Some(arguments) = self.last_arguments(function) {
            self.use_type_arguments(arguments);
        }
        match self.kind(function) {
            Kind::Identifier | Kind::QualifiedIdentifier | Kind::TemplateFunction => {
                self.use_scope(function);
                let last = self.last_name(function);
                let name = self.text(last);
                self.use_pasted(node, name);
                let is_local =
                    self.kind(function) == Kind::Identifier && self.local(name).is_some();
                if !is_local && !is_cast(name) && !self.is_standard(function) {
                    self.record_call(node, function, name, last.start_byte());
                }
                if let Some(class) = self.local_symbol(name).filter(|_| is_local) {
                    let target = Target::Symbol(class);
                    self.push_use(name, target, ReferenceKind::New, last.start_byte());
                }
            }
            Kind::FieldExpression => {
                if let Some(object) = self.field(function, fields.argument) {
                    self.walk(object);
                }
                if let Some(field) = self.field(function, fields.field) {
                    self.use_scope(field);
                    let last = self.last_name(field);
                    let name = self.text(last);
                    self.record_call(node, function, name, last.start_byte());
                }
            }
            Kind::PrimitiveType => {}
            _ => self.walk(function),
        }
        self.use_arguments(node);
    }

    /// Whether a path begins with the namespace of the standard library.
    pub(super) fn is_standard(&self, function: Node<'t>) -> bool {
        let text = self.text(function);
        text.starts_with("std::") || text.starts_with("::std::")
    }

    fn record_call(&mut self, node: Node<'t>, function: Node<'t>, name: &str, at: usize) {
        let call = self.lower_call(node, function);
        let target = if call == self.unknown {
            Target::Unknown
        } else {
            Target::Value(self.add(Expr::Callee { call }))
        };
        if target == Target::Unknown && !matches!(self.kind(function), Kind::FieldExpression) {
            return;
        }
        let target = if target == Target::Unknown {
            // The receiver is not known: the use counts as one of a member.
            Target::Member {
                receiver: self.unknown,
                is_inferred: true,
            }
        } else {
            target
        };
        self.push_use(name, target, ReferenceKind::Call, at);
    }

    fn use_new(&mut self, node: Node<'t>) {
        if let Some(type_) = self.field(node, self.grammar.fields.type_) {
            self.use_construction(type_);
        }
        for child in self.children(node) {
            let is_given = matches!(self.kind(child), Kind::ArgumentList | Kind::InitializerList);
            if is_given || child.kind() == "new_declarator" {
                self.walk_children(child);
            }
        }
    }

    /// Records the class of `new T(…)` and `T{…}`.
    fn use_construction(&mut self, type_: Node<'t>) {
        match self.kind(type_) {
            Kind::TypeIdentifier | Kind::QualifiedIdentifier | Kind::TemplateType => {
                let kind = if self.is_cpp {
                    ReferenceKind::New
                } else {
                    ReferenceKind::Type
                };
                self.use_type(type_, kind);
            }
            _ => self.use_type(type_, ReferenceKind::Type),
        }
    }
}

/// Names that are values of the language.
fn is_constant(name: &str) -> bool {
    matches!(
        name,
        "NULL"
            | "nullptr"
            | "true"
            | "false"
            | "this"
            | "__func__"
            | "__FILE__"
            | "__LINE__"
            | "__FUNCTION__"
    )
}

/// Words of the language that look like functions.
pub(super) fn is_cast(name: &str) -> bool {
    matches!(
        name,
        "static_cast"
            | "dynamic_cast"
            | "reinterpret_cast"
            | "const_cast"
            | "sizeof"
            | "alignof"
            | "typeid"
            | "decltype"
            | "defined"
            | "noexcept"
            | "__builtin_expect"
            | "va_arg"
            | "va_start"
            | "va_end"
    )
}
