//! The top level of a file and of classes: includes, namespaces, functions, variables, and what a declaration without a
//! body says of a definition elsewhere.

use std::borrow::Cow;

use tree_sitter::Node;

use super::cleaning::is_primitive;
use super::declarators::Declarator;
use super::grammar::Kind;
use super::lowering::{Local, Lowering, MAX_DEPTH};
use crate::ir::{
    Binding, Export, ExportKind, Expr, ExprId, Import, ImportKind, NamedOwner, ReferenceKind, Slot,
    SymbolIdx, Target, linkage_unit,
};
use crate::model::{Symbol, SymbolFlags, SymbolKind};
use crate::syntax::lang::use_recorder::{offset, span_of};
use crate::syntax::signature::{self, doc_above};

/// Parameters of a function that are kept.
const MAX_PARAMETERS: usize = 64;

/// The place in which something is declared.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DeclarationPlace<'t> {
    /// The class around.
    pub(super) parent: Option<SymbolIdx>,
    /// Whether only the class sees it.
    pub(super) is_private: bool,
    /// Whether only the file sees it: in a namespace without a name.
    pub(super) is_internal: bool,
    /// Whether it is a macro, which has no namespace.
    pub(super) is_macro: bool,
    /// The template or linkage specification around, with which it begins.
    pub(super) whole: Option<Node<'t>>,
}

impl<'t> Lowering<'t> {
    /// Lowers what is declared in a node, in source order.
    pub(super) fn items(&mut self, node: Node<'t>, mut context: DeclarationPlace<'t>) {
        if self.depth > MAX_DEPTH || self.budget.is_spent() {
            return;
        }
        self.depth += 1;
        let mut children = self.children(node).into_iter().peekable();
        while let Some(child) = children.next() {
            if self.kind(child) == Kind::AccessSpecifier {
                context.is_private = !matches!(
                    self.text(child).trim_end_matches(':'),
                    "public" | "protected"
                );
                continue;
            }
            let made = children
                .peek()
                .filter(|_| context.parent.is_none())
                .and_then(|body| self.code_behind_macro(child, *body));
            if let Some(made) = made {
                self.function_of_macro(&made, context);
                children.next();
                continue;
            }
            self.item(child, context);
        }
        self.depth -= 1;
    }

    pub(super) fn item(&mut self, node: Node<'t>, context: DeclarationPlace<'t>) {
        if context.parent.is_some() || self.braced_namespaces.is_empty() {
            self.item_here(node, context);
            return;
        }
        // An error may have dissolved the namespace around.
        let (names, is_internal) = self.braced_namespaces.around(node.start_byte());
        let outer = std::mem::replace(&mut self.namespaces, names);
        let context = DeclarationPlace {
            is_internal: context.is_internal || is_internal,
            ..context
        };
        self.item_here(node, context);
        self.namespaces = outer;
    }

    fn item_here(&mut self, node: Node<'t>, context: DeclarationPlace<'t>) {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::PreprocInclude => self.include(node),
            Kind::PreprocDef | Kind::PreprocFunctionDef => self.define_macro(node),
            Kind::PreprocIf => {
                let condition = self.field(node, fields.condition);
                if condition.is_some_and(|it| self.text(it) == "0") {
                    if let Some(other) = self.field(node, fields.alternative) {
                        self.items(other, context);
                    }
                } else {
                    self.items(node, context);
                }
            }
            Kind::PreprocIfdef
            | Kind::PreprocElse
            | Kind::PreprocElif
            | Kind::PreprocElifdef
            | Kind::DeclarationList => {
                self.items(node, context);
            }
            Kind::LinkageSpecification => {
                let Some(body) = self.field(node, fields.body) else {
                    return;
                };
                let language = self.field(node, fields.value);
                let is_of_c = language.is_some_and(|it| self.text(it) == "\"C\"");
                let outer = std::mem::replace(&mut self.in_extern_c, is_of_c);
                if self.kind(body) == Kind::DeclarationList {
                    self.items(body, context);
                } else {
                    self.item(
                        body,
                        DeclarationPlace {
                            whole: Some(node),
                            ..context
                        },
                    );
                }
                self.in_extern_c = outer;
            }
            Kind::NamespaceDefinition => self.namespace(node, context),
            Kind::NamespaceAlias => {
                if let (Some(name), Some(of)) =
                    (self.field(node, fields.name), self.children(node).last())
                {
                    let of = self.text(*of).replace("::", ".");
                    let value = self.name(&of);
                    self.bind_name(None, self.text(name), value);
                }
            }
            Kind::UsingDeclaration => {
                self.in_parent(context.parent, |it| it.using(node));
            }
            Kind::TemplateDeclaration => {
                let inner = self.children(node).last().copied();
                let first = offset(self.facts.symbols.len());
                self.in_block(|it| {
                    let list = it.field(node, fields.parameters);
                    if let Some(list) = list {
                        it.bind_type_parameters(list);
                    }
                    if let Some(inner) = inner {
                        it.item(
                            inner,
                            DeclarationPlace {
                                whole: context.whole.or(Some(node)),
                                ..context
                            },
                        );
                    }
                    if let Some(list) = list {
                        it.use_template_parameters(list, first, context.parent);
                    }
                });
            }
            // `conditions` reads these.
            Kind::CallExpression if self.is_condition(node) => {}
            Kind::FunctionDefinition => self.function(node, context),
            Kind::Declaration | Kind::FieldDeclaration => self.declaration(node, context),
            Kind::TypeDefinition => self.type_definition(node, context),
            Kind::AliasDeclaration => self.alias(node, context),
            kind if kind.is_specifier() => {
                self.specifier(node, context, context.whole.unwrap_or(node), None);
            }
            Kind::Other if node.is_error() => self.items(node, context),
            Kind::FriendDeclaration => self.friend(node, context),
            // A macro at the top level, `MODULE_LICENSE("GPL");`, or without a sign behind it, and code behind a head that is none to the
            // grammar.
            Kind::CallExpression | Kind::CompoundStatement => self.walk(node),
            Kind::Other if node.kind() == "expression_statement" => self.walk(node),
            _ => {}
        }
    }

    /// `friend class Store;`, and `friend int rank(Store* s) { return s->rank_; }`: a function of the namespace, whatever its class is.
    fn friend(&mut self, node: Node<'t>, context: DeclarationPlace<'t>) {
        for child in self.children(node) {
            if self.kind(child) == Kind::FunctionDefinition {
                let place = DeclarationPlace {
                    is_internal: context.is_internal,
                    whole: context.whole.or(Some(node)),
                    ..DeclarationPlace::default()
                };
                let outer = self.symbol.take();
                self.function(child, place);
                self.symbol = outer;
            } else {
                self.in_parent(context.parent, |it| it.use_type(child, ReferenceKind::Type));
            }
        }
    }

    fn include(&mut self, node: Node<'t>) {
        let Some(path) = self.field(node, self.grammar.fields.path) else {
            return;
        };
        let text = self.text(path);
        // Quotes go, angles stay: these lead along the include directories alone.
        let specifier = text.trim_matches('"').trim().to_owned();
        let is_path = text.starts_with(['"', '<']) && specifier.len() > 1;
        if !is_path {
            return;
        }
        let line = self.line_at(path.start_byte());
        let kinds = [
            Some(ImportKind::ReExport),
            is_fragment(&specifier).then_some(ImportKind::Fragment),
        ];
        for kind in kinds.into_iter().flatten() {
            self.facts.imports.push(Import {
                specifier: specifier.clone(),
                kind,
                type_only: false,
                line,
                names: Vec::new(),
            });
        }
        self.facts.exports.push(Export {
            kind: ExportKind::Star,
            name: "*".to_owned(),
            local: String::new(),
            specifier,
            type_only: false,
            line,
        });
    }

    fn namespace(&mut self, node: Node<'t>, context: DeclarationPlace<'t>) {
        let fields = self.grammar.fields;
        let Some(body) = self.field(node, fields.body) else {
            return;
        };
        let n_around = self.namespaces.len();
        let name = self.field(node, fields.name).map(|it| self.text(it));
        let names = name.unwrap_or_default().split("::");
        // The names of an inline namespace are those of the one around.
        let is_inline = self.text(node).starts_with("inline");
        let names = names
            .map(str::trim)
            .filter(|it| !it.is_empty() && !is_inline);
        self.namespaces.extend(names);
        let context = DeclarationPlace {
            is_internal: context.is_internal || name.is_none(),
            ..context
        };
        self.items(body, context);
        self.namespaces.truncate(n_around);
    }

    /// `using namespace ns;`, `using ns::f;`
    pub(super) fn using(&mut self, node: Node<'t>) {
        let Some(name) = self.children(node).last().copied() else {
            return;
        };
        let text = self.text(name).trim_start_matches(':').replace("::", ".");
        let last = text.rsplit('.').next().unwrap_or_default().to_owned();
        let head = self
            .source
            .get(node.start_byte()..name.start_byte())
            .unwrap_or_default();
        let value = self.facts.exprs.name(&text);
        let value = self.add(Expr::Name {
            name: value,
            scope: None,
        });
        if head.contains("namespace") {
            self.bind_slots(None, &[Slot::All], value);
        } else if text != last {
            self.bind_name(None, &last, value);
            self.use_used_name(name);
        }
    }

    /// Records the definition that `using ns::name;` takes.
    fn use_used_name(&mut self, name: Node<'t>) {
        let Some(path) = self.path_text(name).filter(|_| !self.is_standard(name)) else {
            return;
        };
        self.use_scope(name);
        let scope = self.symbol.or_else(|| self.neighbor());
        let wanted = self.facts.exprs.name(&path);
        let value = self.add(Expr::Name {
            name: wanted,
            scope,
        });
        let last = self.last_name(name);
        self.push_use(
            self.text(last),
            Target::Value(value),
            ReferenceKind::Value,
            last.start_byte(),
        );
    }

    /// Returns a definition of the namespace at hand, from which names are looked up as from the namespace itself.
    fn neighbor(&self) -> Option<SymbolIdx> {
        let space = self.namespaces.join(".");
        let is_here = |symbol: &Symbol| {
            let around = symbol.qualified_name.strip_suffix(&symbol.name);
            let around = around.and_then(|it| it.strip_suffix('.'));
            symbol.parent.is_none() && around == Some(&space)
        };
        self.facts.symbols.iter().rposition(is_here).map(offset)
    }

    /// Whether a node is the condition of a directive: `HAS(poll)` of `#if HAS(poll)`.
    fn is_condition(&self, node: Node<'t>) -> bool {
        node.parent().is_some_and(|it| {
            matches!(self.kind(it), Kind::PreprocIf | Kind::PreprocElif)
                && self.field(it, self.grammar.fields.condition) == Some(node)
        })
    }

    /// Adds a symbol with the comment above it.
    pub(super) fn add_symbol(
        &mut self,
        text: String,
        name: Node<'t>,
        kind: SymbolKind,
        span: Node<'t>,
        context: &DeclarationPlace<'t>,
        signature: String,
    ) -> SymbolIdx {
        let (doc, lead) = doc_above(self.source, &self.comments, offset(span.start_byte()));
        let outer = context.parent.map(|at| &self.facts.symbols[at as usize]);
        let qualified_name = match outer {
            Some(outer) => format!("{}.{text}", outer.qualified_name),
            None if context.is_macro => text.clone(),
            None => self.in_namespace(&text),
        };
        let exported =
            !context.is_private && !context.is_internal && outer.is_none_or(|outer| outer.exported);
        self.facts.symbols.push(Symbol {
            name: text,
            qualified_name,
            kind,
            span: span_of(span),
            name_line: self.line_at(name.start_byte()),
            exported,
            flags: SymbolFlags::empty(),
            signature,
            doc,
            parent: context.parent,
        });
        self.leads.push(lead);
        offset(self.facts.symbols.len() - 1)
    }

    fn in_namespace(&self, name: &str) -> String {
        if self.namespaces.is_empty() {
            return name.to_owned();
        }
        format!("{}.{name}", self.namespaces.join("."))
    }

    /// Returns whether a declaration has a word of storage: `static`.
    pub(super) fn has_storage(&self, node: Node<'t>, word: &str) -> bool {
        let mut cursor = node.walk();
        node.children(&mut cursor).any(|child| {
            let kind = self.kind(child);
            (kind == Kind::StorageClass || kind == Kind::Other) && self.text(child) == word
        })
    }

    /// Returns the text of a function up to its body.
    fn head(&self, whole: Node<'t>, node: Node<'t>) -> String {
        let end = self
            .field(node, self.grammar.fields.body)
            .or_else(|| self.child_of(node, Kind::FieldInitializerList))
            .map_or(node.end_byte(), |it| it.start_byte());
        let end = self
            .child_of(node, Kind::FieldInitializerList)
            .map_or(end, |it| it.start_byte());
        signature::of_head(&self.uncommented(whole.start_byte(), end))
    }

    /// Returns the text between two bytes outside of bodies without the comments in it.
    pub(super) fn uncommented(&self, start: usize, end: usize) -> Cow<'t, str> {
        let comments = &self.comments;
        let first = comments.partition_point(|it| (it.start as usize) < start);
        let behind = comments.partition_point(|it| (it.start as usize) < end);
        let text = |from: usize, to: usize| self.source.get(from..to).unwrap_or_default();
        if first == behind {
            return Cow::Borrowed(text(start, end));
        }
        let mut left = String::new();
        let mut from = start;
        for comment in &comments[first..behind] {
            left.push_str(text(from, comment.start as usize));
            left.push(' ');
            from = comment.end as usize;
        }
        left.push_str(text(from, end));
        Cow::Owned(left)
    }

    fn function(&mut self, node: Node<'t>, context: DeclarationPlace<'t>) {
        let fields = self.grammar.fields;
        if let Some(type_) = self.field(node, fields.type_)
            && self.kind(type_).is_specifier()
            && self.field(type_, fields.body).is_some()
        {
            self.specifier(type_, context, type_, None);
        }
        let Some(declarator) = self.field(node, fields.declarator) else {
            return;
        };
        let taken = self.declarator(declarator);
        let whole = context.whole.unwrap_or(node);
        if let Some(made) = self.macro_function(node, whole)
            && context.parent.is_none()
        {
            self.function_of_macro(&made, context);
            return;
        }
        if taken.function.is_none() || taken.name.is_none() {
            // Code that only looks like a function: its uses count.
            if let Some(body) = self.field(node, fields.body) {
                self.in_block(|it| it.walk(body));
            }
            return;
        }
        if let Some(symbol) = self.declare_function(node, whole, &taken, &context) {
            self.lower_function(node, &taken, symbol);
        }
    }

    /// Adds the symbol of a function, with or without a body.
    pub(super) fn declare_function(
        &mut self,
        node: Node<'t>,
        whole: Node<'t>,
        taken: &Declarator<'t>,
        context: &DeclarationPlace<'t>,
    ) -> Option<SymbolIdx> {
        let name = taken.name?;
        let last = self.last_name(name);
        let text = self.function_name(last)?;
        if is_primitive(&text) {
            // `API int (*open)(int);` of which the macro is not known: the type is no name.
            return None;
        }
        let owner_path = match self.kind(name) {
            Kind::QualifiedIdentifier => {
                let path = self.path_text(name)?;
                path.strip_suffix(&text)?
                    .strip_suffix('.')
                    .map(str::to_owned)
            }
            _ => None,
        };
        let owner_path = owner_path.filter(|it| !it.is_empty());
        let class = match (&owner_path, context.parent) {
            (Some(path), _) => path.rsplit('.').next().map(str::to_owned),
            (None, Some(parent)) => Some(self.facts.symbols[parent as usize].name.clone()),
            (None, None) => None,
        };
        let is_constructor = class.as_deref() == Some(text.as_str());
        let kind = if is_constructor {
            SymbolKind::Constructor
        } else if class.is_some() {
            SymbolKind::Method
        } else {
            SymbolKind::Function
        };
        let has_body = self.field(node, self.grammar.fields.body).is_some()
            || self.child_of(node, Kind::DefaultMethodClause).is_some()
            || self.child_of(node, Kind::DeleteMethodClause).is_some();
        let is_pure = self.child_of(node, Kind::PureVirtualClause).is_some()
            || self
                .field(node, self.grammar.fields.default_value)
                .is_some_and(|it| self.text(it) == "0");
        let is_static = self.has_storage(node, "static");
        let head = self.head(whole, node);
        let symbol = self.add_symbol(text.clone(), last, kind, whole, context, head);
        let is_internal = context.is_internal || is_static && class.is_none();
        {
            let made = &mut self.facts.symbols[symbol as usize];
            if let Some(path) = &owner_path {
                made.qualified_name = match made.qualified_name.strip_suffix(&text) {
                    Some(around) => format!("{around}{path}.{text}"),
                    None => format!("{path}.{text}"),
                };
            }
            made.exported &= !is_internal;
            made.flags
                .set(SymbolFlags::STATIC, is_static && class.is_some());
            made.flags.set(SymbolFlags::ABSTRACT, is_pure);
            made.flags.set(SymbolFlags::DECLARATION_ONLY, !has_body);
            let is_of_c = class.is_none() && (self.in_extern_c || !self.is_cpp);
            made.flags.set(SymbolFlags::C_LINKAGE, is_of_c);
        }
        if let Some(path) = &owner_path {
            // The path may begin with a namespace: the class counts by what it means here.
            let owner = {
                let name = self.facts.exprs.name(&format!("type {path}"));
                self.add(Expr::Name {
                    name,
                    scope: Some(symbol),
                })
            };
            self.facts.owners.push(NamedOwner { symbol, owner });
        }
        let line = self.line_at(last.start_byte());
        match &class {
            None => {
                self.export(&text, line);
                if !is_internal {
                    self.units.insert(linkage_unit(&text));
                }
            }
            Some(class) if owner_path.is_some() || !has_body => {
                let member = format!("{class}.{text}");
                if owner_path.is_some() {
                    self.export(&member, line);
                }
                self.units.insert(linkage_unit(&member));
            }
            Some(_) => {}
        }
        Some(symbol)
    }

    fn function_name(&self, name: Node<'t>) -> Option<String> {
        let text = self.text(name);
        let text = match self.kind(name) {
            Kind::OperatorCast => {
                let end = text.find('(').unwrap_or(text.len());
                signature::fold(&text[..end], 80)
            }
            Kind::OperatorName => text.split_whitespace().collect::<Vec<_>>().join(""),
            _ => text.to_owned(),
        };
        (!text.is_empty() && text.len() <= 200).then_some(text)
    }

    /// Lowers the values and the body of a function.
    fn lower_function(&mut self, node: Node<'t>, taken: &Declarator<'t>, symbol: SymbolIdx) {
        let fields = self.grammar.fields;
        let outer = self.symbol.replace(symbol);
        let outer_owner = self.owner;
        self.owner = self.facts.owner(symbol as usize);
        if self.owner.is_some()
            && let Some(name) = taken.name
        {
            self.use_scope(name);
        }
        self.in_block(|it| {
            it.is_declaring = it.field(node, fields.body).is_none();
            it.lower_signature(node, taken, symbol);
            it.is_declaring = false;
            if let Some(list) = it.child_of(node, Kind::FieldInitializerList) {
                it.walk(list);
            }
            if let Some(body) = it.field(node, fields.body) {
                it.walk_body(body);
            }
        });
        self.owner = outer_owner;
        self.symbol = outer;
    }

    /// Binds the result and the parameters of a function, and records the uses in its head.
    pub(super) fn lower_signature(
        &mut self,
        node: Node<'t>,
        taken: &Declarator<'t>,
        symbol: SymbolIdx,
    ) {
        let fields = self.grammar.fields;
        let Some(function) = taken.function else {
            return;
        };
        let mut result = self.unknown;
        if let Some(type_) = self.field(node, fields.type_) {
            self.use_type(type_, ReferenceKind::Type);
            result = self.value_of(type_);
        }
        if let Some(trailing) = self.child_of(function, Kind::TrailingReturnType)
            && let Some(type_) = self.children(trailing).first()
        {
            self.use_type(*type_, ReferenceKind::Type);
            result = self.value_of(*type_);
        }
        let result = self.declared_value(taken, result);
        self.bind_slots(Some(symbol), &[Slot::Return], result);
        self.bind_parameters(function, Some(symbol));
    }

    /// Binds the parameters of a function in the innermost block, and as those of its symbol.
    pub(super) fn bind_parameters(&mut self, function: Node<'t>, symbol: Option<SymbolIdx>) {
        let fields = self.grammar.fields;
        let Some(list) = self.field(function, fields.parameters) else {
            return;
        };
        let parameters = self.children(list);
        let is_void = parameters.len() == 1 && self.text(parameters[0]) == "void";
        if is_void {
            return;
        }
        let mut index = 0_u8;
        for parameter in parameters.into_iter().take(MAX_PARAMETERS) {
            match self.kind(parameter) {
                Kind::ParameterDeclaration
                | Kind::OptionalParameter
                | Kind::VariadicParameterDeclaration => {}
                Kind::VariadicParameter => {
                    self.mark_variadic(symbol);
                    continue;
                }
                _ => continue,
            }
            let mut value = self.unknown;
            if let Some(type_) = self.field(parameter, fields.type_) {
                self.use_type(type_, ReferenceKind::Type);
                value = self.value_of(type_);
            }
            if let Some(declarator) = self.field(parameter, fields.declarator) {
                let taken = self.declarator(declarator);
                value = self.declared_value(&taken, value);
                if taken.function.is_some() {
                    value = self.add(Expr::Callable { result: value });
                }
                if let Some(name) = taken.name {
                    self.bind_local(self.text(name), Local::Value(value));
                }
            }
            let is_optional = self.kind(parameter) == Kind::OptionalParameter;
            if let Some(default) = self.field(parameter, fields.default_value) {
                self.walk(default);
            }
            if self.kind(parameter) == Kind::VariadicParameterDeclaration {
                self.mark_variadic(symbol);
            }
            if let Some(symbol) = symbol {
                self.bind_parameter(symbol, index, value, is_optional);
                index += 1;
            }
        }
        if self
            .text(list)
            .trim_end_matches(')')
            .trim_end()
            .ends_with("...")
        {
            self.mark_variadic(symbol);
        }
    }

    fn bind_parameter(&mut self, symbol: SymbolIdx, index: u8, value: ExprId, is_optional: bool) {
        let owner = Some(symbol);
        let path = self.facts.exprs.path_of([Slot::Param(index)]);
        // An unknown one counts, too.
        self.facts.bindings.push(Binding { owner, path, value });
        if is_optional {
            let value = self.primitive("int");
            self.bind_slots(
                owner,
                &[Slot::Param(index), Slot::TypeParamDefault(0)],
                value,
            );
        }
    }

    fn mark_variadic(&mut self, symbol: Option<SymbolIdx>) {
        if let Some(symbol) = symbol {
            self.facts.symbols[symbol as usize].flags |= SymbolFlags::VARIADIC;
        }
    }

    /// A declaration of the top level, of a namespace or of a class.
    pub(super) fn declaration(&mut self, node: Node<'t>, context: DeclarationPlace<'t>) {
        let fields = self.grammar.fields;
        let whole = context.whole.unwrap_or(node);
        let type_ = self.field(node, fields.type_);
        let mut base = self.unknown;
        if let Some(type_) = type_ {
            let is_definition =
                self.kind(type_).is_specifier() && self.field(type_, fields.body).is_some();
            let symbol = if is_definition {
                self.specifier(type_, context, type_, None)
            } else {
                None
            };
            base = match symbol {
                Some(symbol) => {
                    let of = self.add(Expr::Symbol(symbol));
                    self.add(Expr::Instance { of })
                }
                None => self.in_parent(context.parent, |it| it.value_of(type_)),
            };
        }
        let declarators = self.in_field(node, fields.declarator);
        for declarator in declarators {
            let taken = self.declarator(declarator);
            if taken.name.is_none() {
                continue;
            }
            if taken.is_member_pointer {
                continue;
            }
            if taken.function.is_some() {
                if let Some(symbol) = self.declare_function(node, whole, &taken, &context) {
                    let outer = self.symbol.replace(symbol);
                    self.is_declaring = true;
                    self.in_block(|it| it.lower_signature(node, &taken, symbol));
                    self.is_declaring = false;
                    self.symbol = outer;
                }
                continue;
            }
            self.variable(node, whole, &taken, base, &context);
        }
        if let Some(value) = self.field(node, fields.default_value) {
            self.in_parent(context.parent, |it| it.walk(value));
        }
    }

    /// Does `part` with a class as the innermost symbol.
    pub(super) fn in_parent<T>(
        &mut self,
        parent: Option<SymbolIdx>,
        part: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = self.symbol;
        if parent.is_some() {
            self.symbol = parent;
        }
        let found = part(self);
        self.symbol = outer;
        found
    }

    /// Records the names in the sizes of an array: `Level levels[kLevels]`.
    pub(super) fn use_sizes(&mut self, taken: &Declarator<'t>) {
        for size in &taken.sizes {
            self.walk(*size);
        }
    }

    fn variable(
        &mut self,
        node: Node<'t>,
        whole: Node<'t>,
        taken: &Declarator<'t>,
        base: ExprId,
        context: &DeclarationPlace<'t>,
    ) {
        let fields = self.grammar.fields;
        let Some(name) = taken.name else { return };
        let text = self.text(name);
        let type_ = self.field(node, fields.type_);
        if let Some(parent) = context.parent {
            // Fields are values of their class.
            let value = self.in_parent(Some(parent), |it| {
                if let Some(type_) = type_ {
                    it.use_type(type_, ReferenceKind::Type);
                }
                it.use_sizes(taken);
                if let Some(value) = taken.value {
                    it.walk(value);
                }
                it.declared_value(taken, base)
            });
            self.bind_name(Some(parent), text, value);
            return;
        }
        let is_plain = matches!(
            self.kind(name),
            Kind::Identifier | Kind::FieldIdentifier | Kind::TypeIdentifier
        );
        if !is_plain {
            // `int Store::count = 0;` gives a value to a field. Its names are those of the namespace around.
            let outer = self.symbol;
            let was_declaring = self.is_declaring;
            if outer.is_none() {
                self.symbol = self.neighbor();
                self.is_declaring = true;
            }
            if let Some(type_) = type_ {
                self.use_type(type_, ReferenceKind::Type);
            }
            self.use_scope(name);
            if let Some(value) = taken.value {
                self.walk(value);
            }
            self.is_declaring = was_declaring;
            self.symbol = outer;
            return;
        }
        let is_extern = self.has_storage(node, "extern") && taken.value.is_none();
        let is_static = self.has_storage(node, "static");
        let keyword = self
            .source
            .get(node.start_byte()..node.end_byte())
            .unwrap_or_default();
        let type_end = type_.map(|it| self.uncommented(node.start_byte(), it.end_byte()).len());
        let text_without = self.uncommented(node.start_byte(), node.end_byte());
        let signature = signature::of_value(&text_without, type_end);
        let is_const = keyword.starts_with("const ")
            || keyword.contains(" const ")
            || keyword.starts_with("constexpr");
        let kind = if is_const && !is_extern {
            SymbolKind::Constant
        } else {
            SymbolKind::Variable
        };
        let symbol = self.add_symbol(text.to_owned(), name, kind, whole, context, signature);
        let is_internal = context.is_internal || is_static;
        let made = &mut self.facts.symbols[symbol as usize];
        made.exported &= !is_internal;
        made.flags.set(SymbolFlags::DECLARATION_ONLY, is_extern);
        self.export(text, self.line_at(name.start_byte()));
        if !is_internal {
            self.units.insert(linkage_unit(text));
        }
        let outer = self.symbol.replace(symbol);
        if let Some(type_) = type_ {
            self.use_type(type_, ReferenceKind::Type);
        }
        let is_auto = type_.is_some_and(|it| self.kind(it) == Kind::PlaceholderType);
        let value = if let (true, Some(value)) = (is_auto, taken.value) {
            self.lower(value)
        } else {
            let base = match type_ {
                Some(type_) if !self.kind(type_).is_specifier() => self.value_of(type_),
                _ => base,
            };
            self.declared_value(taken, base)
        };
        self.bind_name(None, text, value);
        self.use_sizes(taken);
        if let Some(value) = taken.value {
            self.in_block(|it| it.walk(value));
        }
        self.symbol = outer;
    }
}

/// Whether an included file is none that stands by itself: `commands.def`, `ae_epoll.c`, and not `server.h` or `vector`.
fn is_fragment(specifier: &str) -> bool {
    let name = specifier.rsplit('/').next().unwrap_or(specifier);
    let extension = name.trim_end_matches('>').rsplit_once('.');
    extension.is_some_and(|(_, it)| {
        !matches!(it, "h" | "hh" | "hpp" | "hxx" | "h++" | "H" | "hp" | "cuh")
    })
}
