//! The top level of a file: package clause, imports, and the symbols of functions, methods, types, variables and constants.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use crate::ir::{
    BaseKind, DOCUMENTED, Export, ExportKind, Expr, ExprId, Import, ImportKind, ImportedName,
    NamedOwner, ReferenceKind, Slot, SymbolIdx, member_name,
};
use crate::model::{Symbol, SymbolFlags, SymbolKind};
use crate::syntax::lang::use_recorder::{offset, span_of};
use crate::syntax::signature::{self, Comment, doc_above};

/// The most fields around a field, each of a struct without a name.
const MAX_FIELD_DEPTH: usize = 8;

/// A function, type, variable or constant to be lowered once all names of the top level are known.
pub(super) struct PendingDeclaration<'t> {
    pub(super) node: Node<'t>,
    pub(super) symbol: Option<SymbolIdx>,
    /// For a constant without a value the specification that it repeats.
    pub(super) repeats: Option<Node<'t>>,
}

impl<'t> Lowering<'t> {
    /// Declares all names of the top level, in source order.
    pub(super) fn declare(&mut self, root: Node<'t>) -> Vec<PendingDeclaration<'t>> {
        self.comments = comments(root, self.grammar);
        let mut all = Vec::new();
        for node in self.children(root) {
            match self.kind(node) {
                Kind::PackageClause => {
                    if let Some(name) = self.children(node).first() {
                        let name = self.text(*name).to_owned();
                        self.facts.units = vec![name];
                        let (doc, _) =
                            doc_above(self.source, &self.comments, offset(node.start_byte()));
                        if !doc.is_empty() && !is_notice(&doc) {
                            self.export(DOCUMENTED, "", self.line_at(node.start_byte()));
                        }
                    }
                }
                Kind::ImportDeclaration => {
                    for spec in self.import_specs(node) {
                        self.import(spec);
                    }
                }
                Kind::FunctionDeclaration => self.function(node, &mut all),
                Kind::MethodDeclaration => self.method(node, &mut all),
                Kind::TypeDeclaration => {
                    let specs = self.children(node);
                    for spec in &specs {
                        let whole = if specs.len() == 1 { node } else { *spec };
                        self.type_spec(*spec, whole, &mut all);
                    }
                }
                Kind::VarDeclaration | Kind::ConstDeclaration => self.variables(node, &mut all),
                _ => {}
            }
        }
        all
    }

    fn import_specs(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let all = self.children(node).into_iter();
        all.flat_map(|child| match self.kind(child) {
            Kind::ImportSpec => vec![child],
            _ => self.children(child),
        })
        .filter(|child| self.kind(*child) == Kind::ImportSpec)
        .collect()
    }

    fn import(&mut self, spec: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(path) = spec.child_by_field_id(fields.path) else {
            return;
        };
        let line = self.line_at(path.start_byte());
        let specifier = self.text(path).trim_matches(['"', '`']).to_owned();
        let name = spec.child_by_field_id(fields.name);
        let kind = if name.is_none() {
            ImportKind::Package
        } else {
            ImportKind::Static
        };
        let is_dot = name.is_some_and(|it| self.kind(it) == Kind::Dot);
        let local = match name.map(|it| self.text(it)) {
            Some("_" | ".") => None,
            Some(name) => Some(name.to_owned()),
            None => Some(default_name(&specifier)),
        };
        let names = local.map(|local| ImportedName {
            imported: "*".to_owned(),
            local,
            type_only: false,
        });
        self.facts.imports.push(Import {
            specifier: specifier.clone(),
            kind: if is_dot { ImportKind::ReExport } else { kind },
            type_only: false,
            line,
            names: names.into_iter().collect(),
        });
        if is_dot {
            self.facts.exports.push(Export {
                kind: ExportKind::Star,
                name: "*".to_owned(),
                local: String::new(),
                specifier,
                type_only: false,
                line,
            });
        }
    }

    /// Adds a symbol with the comment above it.
    fn add_symbol(
        &mut self,
        name: Node<'t>,
        kind: SymbolKind,
        span: Node<'t>,
        parent: Option<SymbolIdx>,
        signature: String,
    ) -> SymbolIdx {
        let text = self.text(name);
        let (doc, lead) = doc_above(self.source, &self.comments, offset(span.start_byte()));
        let outer = parent.map(|at| &self.facts.symbols[at as usize]);
        let is_public = is_capital(text);
        let symbol = Symbol {
            name: text.to_owned(),
            qualified_name: match outer {
                Some(outer) => format!("{}.{text}", outer.qualified_name),
                None => text.to_owned(),
            },
            kind,
            span: span_of(span),
            name_line: self.line_at(name.start_byte()),
            exported: is_public && outer.is_none_or(|outer| outer.exported),
            flags: SymbolFlags::empty(),
            signature,
            doc,
            parent,
        };
        self.facts.symbols.push(symbol);
        self.leads.push(lead);
        if parent.is_none() {
            self.top_names.insert(text);
        }
        offset(self.facts.symbols.len() - 1)
    }

    fn export(&mut self, name: &str, local: &str, line: u32) {
        self.facts.exports.push(Export {
            kind: ExportKind::Local,
            name: name.to_owned(),
            local: local.to_owned(),
            specifier: String::new(),
            type_only: false,
            line,
        });
    }

    /// Returns the text of a function up to its body, without the result's trailing blank.
    fn head(&self, node: Node<'t>) -> String {
        let body = node.child_by_field_id(self.grammar.fields.body);
        let end = body.map_or(node.end_byte(), |it| it.start_byte());
        signature::of_head(self.source.get(node.start_byte()..end).unwrap_or_default())
    }

    fn function(&mut self, node: Node<'t>, all: &mut Vec<PendingDeclaration<'t>>) {
        let Some(name) = node.child_by_field_id(self.grammar.fields.name) else {
            return;
        };
        let head = self.head(node);
        let symbol = self.add_symbol(name, SymbolKind::Function, node, None, head);
        let text = self.text(name);
        if is_test(text) {
            self.facts.symbols[symbol as usize].flags |= SymbolFlags::TEST;
        }
        // Of these there may be several, and nobody can name them.
        if !matches!(text, "init" | "_") {
            self.export(text, text, self.line_at(name.start_byte()));
        }
        all.push(PendingDeclaration {
            node,
            symbol: Some(symbol),
            repeats: None,
        });
    }

    fn method(&mut self, node: Node<'t>, all: &mut Vec<PendingDeclaration<'t>>) {
        let fields = self.grammar.fields;
        let name = node.child_by_field_id(fields.name);
        let receiver = node.child_by_field_id(fields.receiver);
        let receiver = receiver.and_then(|list| self.children(list).first().copied());
        let owner = receiver.and_then(|it| it.child_by_field_id(fields.type_));
        let (Some(name), Some(owner)) = (name, owner) else {
            return;
        };
        let owner = self.type_name(owner);
        let Expr::Name {
            name: owner_name, ..
        } = *self.facts.exprs.get(owner)
        else {
            return;
        };
        let owner_name = self.facts.exprs.name_of(owner_name).to_owned();
        let head = self.head(node);
        let text = self.text(name);
        let is_known = self.top_names.contains(text);
        let symbol = self.add_symbol(name, SymbolKind::Method, node, None, head);
        if !is_known {
            self.top_names.remove(text);
        }
        let known = &mut self.facts.symbols[symbol as usize];
        known.qualified_name = member_name(&owner_name, text);
        known.exported = is_capital(text) && is_capital(&owner_name);
        self.facts.owners.push(NamedOwner { symbol, owner });
        let line = self.line_at(name.start_byte());
        self.export(&member_name(&owner_name, text), "", line);
        all.push(PendingDeclaration {
            node,
            symbol: Some(symbol),
            repeats: None,
        });
    }

    fn type_spec(
        &mut self,
        spec: Node<'t>,
        whole: Node<'t>,
        all: &mut Vec<PendingDeclaration<'t>>,
    ) {
        let fields = self.grammar.fields;
        let (Some(name), Some(type_)) = (
            spec.child_by_field_id(fields.name),
            spec.child_by_field_id(fields.type_),
        ) else {
            return;
        };
        let kind = match (self.kind(spec), self.kind(type_)) {
            (Kind::TypeAlias, _) => SymbolKind::Type,
            (_, Kind::InterfaceType) => SymbolKind::Interface,
            _ => SymbolKind::Class,
        };
        let text = self
            .source
            .get(spec.start_byte()..spec.end_byte())
            .unwrap_or_default();
        let text = format!("type {text}");
        let signature = match self.kind(type_) {
            Kind::StructType | Kind::InterfaceType => {
                let end = type_.start_byte() - spec.start_byte() + "type ".len();
                let keyword = if kind == SymbolKind::Interface {
                    "interface"
                } else {
                    "struct"
                };
                signature::of_head(&format!("{}{keyword}", &text[..end]))
            }
            _ => signature::of_value(&text, None),
        };
        let symbol = self.add_symbol(name, kind, whole, None, signature);
        let own = self.text(name);
        if own != "_" {
            self.export(own, own, self.line_at(name.start_byte()));
        }
        all.push(PendingDeclaration {
            node: spec,
            symbol: Some(symbol),
            repeats: None,
        });
        if self.kind(type_) == Kind::StructType {
            self.fields(type_, symbol);
        }
        if self.kind(type_) == Kind::InterfaceType {
            for element in self.children(type_) {
                let name = element.child_by_field_id(fields.name);
                if let (Kind::MethodElem, Some(name)) = (self.kind(element), name) {
                    let head = signature::of_head(self.text(element));
                    let method =
                        self.add_symbol(name, SymbolKind::Method, element, Some(symbol), head);
                    all.push(PendingDeclaration {
                        node: element,
                        symbol: Some(method),
                        repeats: None,
                    });
                }
            }
        }
    }

    /// Adds the fields of a struct that have a name of their own, and those of structs without a name in them.
    fn fields(&mut self, type_: Node<'t>, owner: SymbolIdx) {
        let fields = self.grammar.fields;
        let lists = self.children(type_).into_iter();
        let all: Vec<Node<'t>> = lists.flat_map(|list| self.children(list)).collect();
        for field in all {
            if self.kind(field) != Kind::FieldDeclaration {
                continue;
            }
            let Some(written) = field.child_by_field_id(fields.type_) else {
                continue;
            };
            let text = self
                .source
                .get(field.start_byte()..written.end_byte())
                .unwrap_or_default();
            let head = signature::of_value(text, None);
            for name in self.in_field(field, fields.name) {
                if self.text(name) == "_" {
                    continue;
                }
                let symbol =
                    self.add_symbol(name, SymbolKind::Field, field, Some(owner), head.clone());
                if let Some(inner) = self.struct_inside(written)
                    && self.depth < MAX_FIELD_DEPTH
                {
                    self.depth += 1;
                    self.fields(inner, symbol);
                    self.depth -= 1;
                }
            }
        }
    }

    fn variables(&mut self, node: Node<'t>, all: &mut Vec<PendingDeclaration<'t>>) {
        let fields = self.grammar.fields;
        let specs = self.specs(node);
        let is_const = self.kind(node) == Kind::ConstDeclaration;
        let mut repeated = None;
        for spec in &specs {
            let is_written = spec.child_by_field_id(fields.value).is_some();
            if is_written {
                repeated = Some(*spec);
            }
            let whole = if specs.len() == 1 { node } else { *spec };
            let keyword = if is_const { "const" } else { "var" };
            let text = format!("{keyword} {}", self.text(*spec));
            let type_end = spec.child_by_field_id(fields.type_);
            let type_end = type_end.map(|it| it.end_byte() - spec.start_byte() + keyword.len() + 1);
            let signature = signature::of_value(&text, type_end);
            let mut first = None;
            for name in self.in_field(*spec, fields.name) {
                let text = self.text(name);
                if text == "_" {
                    continue;
                }
                let kind = if is_const {
                    SymbolKind::Constant
                } else {
                    SymbolKind::Variable
                };
                let symbol = self.add_symbol(name, kind, whole, None, signature.clone());
                first.get_or_insert(symbol);
                self.export(text, text, self.line_at(name.start_byte()));
            }
            all.push(PendingDeclaration {
                node: *spec,
                symbol: first,
                repeats: repeated.filter(|_| is_const && !is_written),
            });
        }
    }

    /// Lowers what was declared: the values that it holds, and the uses in it.
    pub(super) fn lower_declared(&mut self, declared: &PendingDeclaration<'t>) {
        self.symbol = declared.symbol;
        self.n_anonymous = 0;
        let node = declared.node;
        match (self.kind(node), declared.symbol) {
            (Kind::FunctionDeclaration | Kind::MethodDeclaration, Some(symbol)) => {
                self.in_block(|it| it.lower_function(node, symbol));
            }
            (Kind::MethodElem, Some(symbol)) => {
                self.in_block(|it| it.lower_interface_method(node, symbol));
            }
            (Kind::TypeSpec | Kind::TypeAlias, Some(symbol)) => {
                self.in_block(|it| it.lower_type(node, symbol));
            }
            (Kind::VarSpec | Kind::ConstSpec, _) => {
                self.in_block(|it| it.lower_variables(node, declared.repeats));
            }
            _ => {}
        }
        self.symbol = None;
    }

    /// Binds the result of a method of an interface, whose type parameters are those of the method.
    fn lower_interface_method(&mut self, node: Node<'t>, symbol: SymbolIdx) {
        let around = node.parent().and_then(|it| it.parent());
        let list = around.and_then(|it| it.child_by_field_id(self.grammar.fields.type_parameters));
        let owner = self.facts.symbols[symbol as usize].parent;
        if let (Some(list), Some(owner)) = (list, owner) {
            self.name_type_parameters(list, owner);
        }
        let result = self.result_of(node);
        self.bind_slots(Some(symbol), &[Slot::Return], result);
    }

    fn lower_function(&mut self, node: Node<'t>, symbol: SymbolIdx) {
        let fields = self.grammar.fields;
        let mut inferred: Vec<(&'t str, ExprId)> = Vec::new();
        if let Some(list) = node.child_by_field_id(fields.type_parameters) {
            let names = self.bind_type_parameters(list, symbol);
            self.use_constraints(list);
            if let Some(parameters) = node.child_by_field_id(fields.parameters) {
                inferred = self.inferred_results(symbol, &names, parameters);
            }
        }
        if let Some(receiver) = node.child_by_field_id(fields.receiver) {
            self.bind_receiver(receiver, symbol);
        }
        self.use_signature(node);
        self.in_block(|it| {
            for (name, value) in inferred {
                it.bind_local(name, super::lowering::Local::Type(value));
            }
            let result = it.result_of(node);
            it.bind_slots(Some(symbol), &[Slot::Return], result);
        });
        self.bind_parameters(node);
        if let Some(body) = node.child_by_field_id(fields.body) {
            self.walk(body);
        }
    }

    /// Binds the receiver, and the type parameters of its type by the names that it gives them.
    fn bind_receiver(&mut self, list: Node<'t>, symbol: SymbolIdx) {
        let fields = self.grammar.fields;
        let Some(receiver) = self.children(list).first().copied() else {
            return;
        };
        let Some(type_) = receiver.child_by_field_id(fields.type_) else {
            return;
        };
        self.use_type(type_, ReferenceKind::Type);
        let mut at = type_;
        while matches!(self.kind(at), Kind::PointerType | Kind::ParenthesizedType) {
            match self.children(at).first() {
                Some(inner) => at = *inner,
                None => return,
            }
        }
        if let Some(arguments) = at.child_by_field_id(fields.type_arguments) {
            for (index, argument) in self.children(arguments).into_iter().enumerate().take(64) {
                let index = u8::try_from(index).unwrap_or(u8::MAX);
                let value = self.add(Expr::TypeParam {
                    owner: symbol,
                    index,
                    has_bound: true,
                });
                let name = self.text(argument);
                self.bind_local(name, super::lowering::Local::Type(value));
            }
        }
        let value = self.value_of(type_);
        for name in self.in_field(receiver, fields.name) {
            self.bind_local(self.text(name), super::lowering::Local::Value(value));
        }
    }

    /// Records the uses in the constraints of type parameters: of `Number` in `func Sum[T Number](all []T)`.
    fn use_constraints(&mut self, list: Node<'t>) {
        let type_ = self.grammar.fields.type_;
        for declaration in self.children(list) {
            if let Some(bound) = declaration.child_by_field_id(type_) {
                self.use_type(bound, ReferenceKind::Type);
            }
        }
    }

    fn lower_type(&mut self, spec: Node<'t>, symbol: SymbolIdx) {
        let fields = self.grammar.fields;
        let Some(type_) = spec.child_by_field_id(fields.type_) else {
            return;
        };
        if let Some(list) = spec.child_by_field_id(fields.type_parameters) {
            self.bind_type_parameters(list, symbol);
            self.use_constraints(list);
        }
        let is_alias = self.kind(spec) == Kind::TypeAlias;
        let extends = [Slot::Base(BaseKind::Extends)];
        match self.kind(type_) {
            Kind::StructType => {
                self.use_type(type_, ReferenceKind::Type);
                self.bind_fields(type_, symbol, &[]);
            }
            Kind::InterfaceType => {
                self.use_type(type_, ReferenceKind::Type);
                for element in self.children(type_) {
                    if self.kind(element) != Kind::TypeElem {
                        continue;
                    }
                    if let [one] = self.children(element).as_slice() {
                        let value = self.value_of(*one);
                        self.bind_slots(Some(symbol), &extends, value);
                    }
                }
            }
            _ => {
                let kind = if is_alias {
                    ReferenceKind::Heritage
                } else {
                    ReferenceKind::Type
                };
                self.use_type(type_, kind);
                let value = self.value_of(type_);
                self.bind_slots(Some(symbol), &extends, value);
            }
        }
    }

    fn lower_variables(&mut self, spec: Node<'t>, repeats: Option<Node<'t>>) {
        let fields = self.grammar.fields;
        let source = repeats.unwrap_or(spec);
        let type_ = source.child_by_field_id(fields.type_);
        let value = source.child_by_field_id(fields.value);
        if repeats.is_none() {
            if let Some(type_) = type_ {
                self.use_type(type_, ReferenceKind::Type);
            }
            if let Some(value) = value {
                self.walk(value);
            }
        }
        if self.kind(spec) == Kind::VarSpec {
            self.initial_assignment(spec);
        }
        let names = self.in_field(spec, fields.name);
        let values = match (type_, value) {
            (Some(type_), _) => {
                let value = self.value_of(type_);
                vec![value; names.len()]
            }
            (None, Some(value)) => self.values(value, names.len()),
            (None, None) => Vec::new(),
        };
        for (name, value) in names.into_iter().zip(values) {
            self.bind_top(self.text(name), value);
        }
    }
}

/// Returns the name by which an import without one is known as long as the package is not: the last part of the path
/// without a version, `yaml` for `gopkg.in/yaml.v3`.
fn default_name(path: &str) -> String {
    let is_version = |part: &str| {
        let digits = part.strip_prefix('v');
        digits.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut parts = path.rsplit('/');
    let mut last = parts.next().unwrap_or_default();
    if is_version(last) {
        last = parts.next().unwrap_or(last);
    }
    if let Some((name, version)) = last.rsplit_once('.')
        && is_version(version)
    {
        last = name;
    }
    let last = last.strip_prefix("go-").unwrap_or(last);
    last.strip_suffix("-go").unwrap_or(last).to_owned()
}

/// Whether a comment is no documentation: that of a generator, a licence.
fn is_notice(doc: &str) -> bool {
    doc.starts_with("Code generated") || doc.starts_with("Copyright")
}

fn is_capital(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

/// Functions that `go test` runs; a word follows the prefix that begins with no small letter.
fn is_test(name: &str) -> bool {
    ["Test", "Benchmark", "Fuzz", "Example"]
        .iter()
        .any(|prefix| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase))
        })
}

/// Returns the comments of a file, in source order.
fn comments(root: Node<'_>, grammar: &super::grammar::Grammar) -> Vec<Comment> {
    let mut found = Vec::new();
    let mut cursor = root.walk();
    let mut stack: Vec<Node<'_>> = vec![root];
    // Above a definition of the top level, or of one level below it in a group.
    for depth in 0..4 {
        let mut below = Vec::new();
        for node in stack {
            for child in node.children(&mut cursor) {
                match grammar.kind(child) {
                    Kind::Comment => found.push(Comment {
                        start: offset(child.start_byte()),
                        end: offset(child.end_byte()),
                    }),
                    Kind::FunctionDeclaration | Kind::MethodDeclaration if depth == 0 => {}
                    _ => below.push(child),
                }
            }
        }
        stack = below;
    }
    found.sort_by_key(|comment| comment.start);
    found
}
