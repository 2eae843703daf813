//! Items: functions, types, traits, `impl` blocks, constants, inline modules and macros, as symbols.

use tree_sitter::Node;

use super::grammar::Kind;
use super::locals::Local;
use super::lowering::{Lowering, SelfType};
use super::records::Item;
use crate::ir::{
    BaseKind, Export, ExportKind, Expr, ExprId, NamedOwner, ReferenceKind, Slot, SymbolIdx,
};
use crate::model::{Span, Symbol, SymbolFlags, SymbolKind};
use crate::syntax::lang::use_recorder::{offset, span_of};
use crate::syntax::signature::{doc_above, of_head, of_value};

/// Attributes of tests, by their last names: `#[tokio::test]`, `#[rstest]`.
const TEST_ATTRIBUTES: &[&str] = &[
    "test",
    "bench",
    "rstest",
    "test_case",
    "quickcheck",
    "proptest",
    "wasm_bindgen_test",
    "test_log",
];

/// A new symbol.
#[derive(Clone, Copy, Debug)]
struct NewSymbol<'s> {
    name: &'s str,
    kind: SymbolKind,
    is_public: bool,
    /// The definition around it, where it is a member of one.
    parent: Option<SymbolIdx>,
    /// The name of the type that it is a member of, where that is no definition around it.
    owner: Option<&'s str>,
}

impl<'t> Lowering<'t> {
    /// Lowers the items of a file, a module or a block.
    pub(super) fn items(&mut self, node: Node<'_>) {
        for item in self.items_of(node) {
            self.item(&item);
        }
    }

    /// Returns the children of a node, each with the attributes above it.
    pub(super) fn items_of<'n>(&self, node: Node<'n>) -> Vec<Item<'n>> {
        let mut cursor = node.walk();
        let mut items = Vec::new();
        let mut attributes = Vec::new();
        for child in node.named_children(&mut cursor) {
            match self.kind(child) {
                Kind::AttributeItem => attributes.push(child),
                Kind::InnerAttributeItem => {}
                kind if kind.is_comment() => {}
                _ => items.push(Item {
                    node: child,
                    attributes: std::mem::take(&mut attributes),
                }),
            }
        }
        items
    }

    /// Lowers one item. Returns whether it is one.
    pub(super) fn item(&mut self, item: &Item<'_>) -> bool {
        self.deeper(|this| this.item_form(item)).unwrap_or(true)
    }

    fn item_form(&mut self, item: &Item<'_>) -> bool {
        let node = item.node;
        if self.is_in_rule
            && !matches!(
                self.kind(node),
                Kind::MacroInvocation | Kind::UseDeclaration
            )
        {
            // What a macro makes is defined where it is called; its code is read here.
            self.code_in_rule(node);
            return true;
        }
        match self.kind(node) {
            Kind::Function | Kind::FunctionSignature => {
                self.function(item, SymbolKind::Function, None, None);
            }
            Kind::StructItem | Kind::UnionItem => self.structure(item),
            Kind::EnumItem => self.enumeration(item),
            Kind::Trait => self.trait_item(item),
            Kind::Impl => self.impl_block(item),
            Kind::TypeItem => {
                self.alias(item, None, None);
            }
            Kind::ConstItem | Kind::StaticItem => self.constant(item, None, None),
            Kind::Mod => self.module_item(item),
            Kind::UseDeclaration => self.use_declaration(node),
            Kind::ExternCrate => self.extern_crate(node),
            Kind::MacroDefinition => self.macro_definition(item),
            Kind::ForeignMod => {
                if let Some(body) = self.field(node, self.grammar.fields.body) {
                    self.items(body);
                }
            }
            Kind::MacroInvocation => {
                self.expr(node);
            }
            Kind::ExpressionStatement if !self.in_function => {
                for child in self.children(node) {
                    self.expr(child);
                }
            }
            _ => return false,
        }
        true
    }

    /// Returns the texts of the attributes of an item: `cfg(test)`.
    pub(super) fn attribute_texts(&self, item: &Item<'_>) -> Vec<&'t str> {
        let all = item.attributes.iter();
        all.filter_map(|it| Some(self.text(self.child_of(*it, Kind::Attribute)?)))
            .collect()
    }

    fn is_test(&self, item: &Item<'_>) -> bool {
        self.attribute_texts(item).into_iter().any(|text| {
            let path = text.split(['(', '=']).next().unwrap_or(text).trim();
            let last = path.rsplit("::").next().unwrap_or(path);
            TEST_ATTRIBUTES.contains(&last)
        })
    }

    /// Whether an item is built for tests alone: `#[cfg(test)]`, `#[cfg(all(test, unix))]`.
    fn is_for_tests(&self, item: &Item<'_>) -> bool {
        self.attribute_texts(item).into_iter().any(|text| {
            let Some(condition) = text.strip_prefix("cfg") else {
                return false;
            };
            let condition: String = condition.chars().filter(|c| !c.is_whitespace()).collect();
            let condition = condition
                .strip_prefix('(')
                .and_then(|it| it.strip_suffix(')'));
            let condition = condition.unwrap_or_default();
            let all = condition
                .strip_prefix("all(")
                .and_then(|it| it.strip_suffix(')'));
            condition == "test" || all.is_some_and(|all| all.split(',').any(|it| it == "test"))
        })
    }

    fn is_public(&self, node: Node<'_>) -> bool {
        let visibility = self.child_of(node, Kind::VisibilityModifier);
        visibility.is_some_and(|it| self.text(it) == "pub")
    }

    /// Whether what is around can be named from outside.
    fn is_open(&self, parent: Option<SymbolIdx>) -> bool {
        parent.is_none_or(|at| self.facts.symbols[at as usize].exported)
    }

    fn symbol(&mut self, item: &Item<'_>, name: Node<'_>, new: NewSymbol<'_>) -> SymbolIdx {
        let fields = self.grammar.fields;
        let node = item.node;
        let parent = new.parent.or(self.around);
        let outer = parent.map(|at| self.facts.symbols[at as usize].qualified_name.as_str());
        let own = match new.owner {
            Some(owner) => format!("{owner}.{}", new.name),
            None => new.name.to_owned(),
        };
        let qualified_name = match outer {
            Some(outer) => format!("{outer}.{own}"),
            None => own,
        };
        let first = item.attributes.first().copied().unwrap_or(node);
        let (doc, lead) = doc_above(self.source, &self.comments, offset(first.start_byte()));
        let body = self.field(node, fields.body);
        let head_end = body.map_or(node.end_byte(), |it| it.start_byte());
        let head = self
            .source
            .get(node.start_byte()..head_end)
            .unwrap_or_default();
        let signature = match new.kind {
            SymbolKind::Constant | SymbolKind::Variable => {
                let type_ = self.field(node, fields.type_);
                of_value(head, type_.map(|it| it.end_byte() - node.start_byte()))
            }
            SymbolKind::Macro => format!("macro_rules! {}", new.name),
            _ => of_head(head),
        };
        let whole = span_of(node);
        let at = offset(self.facts.symbols.len());
        self.facts.symbols.push(Symbol {
            name: new.name.to_owned(),
            qualified_name,
            kind: new.kind,
            span: Span {
                start_byte: offset(first.start_byte()),
                start_line: offset(first.start_position().row + 1),
                ..whole
            },
            name_line: offset(name.start_position().row + 1),
            exported: new.is_public && self.is_open(parent),
            flags: if self.is_for_tests(item) {
                SymbolFlags::TEST_ONLY
            } else {
                SymbolFlags::empty()
            },
            signature,
            doc,
            parent,
        });
        self.leads.push(lead);
        if self.in_function && new.owner.is_none() && new.parent.is_none() {
            let text = self.text(name);
            self.locals.bind(text, Local::Item(at));
        }
        if self.facts.symbols[at as usize].exported && parent.is_none() && new.owner.is_none() {
            self.export(new.name, offset(name.start_position().row + 1));
        }
        at
    }

    fn export(&mut self, name: &str, line: u32) {
        self.facts.exports.push(Export {
            kind: ExportKind::Local,
            name: name.to_owned(),
            local: name.to_owned(),
            specifier: String::new(),
            type_only: false,
            line,
        });
    }

    /// Does `part` with a symbol around.
    pub(super) fn inside<T>(&mut self, symbol: SymbolIdx, part: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.around.replace(symbol);
        let n_generics = self.generics.len();
        let found = part(self);
        self.generics.truncate(n_generics);
        self.around = outer;
        found
    }

    /// Lowers a function. A method has the definition that it is a member of, or the `impl` block that it stands in.
    fn function(
        &mut self,
        item: &Item<'_>,
        kind: SymbolKind,
        parent: Option<SymbolIdx>,
        block: Option<&ImplBlock<'_>>,
    ) {
        let node = item.node;
        let Some(name) = self.field(node, self.grammar.fields.name) else {
            return;
        };
        let is_public = match (parent, block) {
            (Some(_), _) => true,
            (_, Some(block)) => block.is_of_trait || self.is_public(node),
            _ => self.is_public(node),
        };
        let text = self.text(name);
        let symbol = self.symbol(
            item,
            name,
            NewSymbol {
                name: text,
                kind,
                is_public,
                parent: parent.or_else(|| block.and_then(|it| it.local)),
                owner: block.and_then(|it| it.local.is_none().then_some(it.owner_text.as_str())),
            },
        );
        let mut flags = SymbolFlags::empty();
        flags.set(SymbolFlags::TEST, self.is_test(item));
        let is_for_tests = block.is_some_and(|it| it.is_for_tests);
        flags.set(SymbolFlags::TEST_ONLY, is_for_tests);
        let params = self.field(node, self.grammar.fields.parameters);
        let takes_self = params.is_some_and(|it| self.child_of(it, Kind::SelfParameter).is_some());
        flags.set(
            SymbolFlags::STATIC,
            kind == SymbolKind::Method && !takes_self && !self.has_typed_self(params),
        );
        let is_head = self.kind(node) == Kind::FunctionSignature;
        flags.set(SymbolFlags::ABSTRACT, is_head && parent.is_some());
        self.facts.symbols[symbol as usize].flags |= flags;
        if let Some(block) = block
            && block.local.is_none()
        {
            self.facts.owners.push(NamedOwner {
                symbol,
                owner: block.owner,
            });
        }
        if let Some(base) = block.and_then(|it| it.trait_) {
            self.bind(Some(symbol), &[Slot::Base(BaseKind::Implements)], base);
        }
        let outer_self = self.self_type;
        self.inside(symbol, |this| {
            if let Some(block) = block {
                this.enter_generics_of_impl(block.node, symbol);
                this.self_type = Some(this.self_of(block.node));
            }
            this.enter_generics(node);
            this.function_body(node, symbol);
        });
        self.self_type = outer_self;
    }

    /// Whether the first parameter is `self: …`.
    fn has_typed_self(&self, params: Option<Node<'_>>) -> bool {
        let first = params.and_then(|list| self.children(list).first().copied());
        first.is_some_and(|it| {
            let pattern = self.field(it, self.grammar.fields.pattern);
            pattern.is_some_and(|it| self.text(it) == "self")
        })
    }

    fn function_body(&mut self, node: Node<'_>, symbol: SymbolIdx) {
        let fields = self.grammar.fields;
        self.use_bounds(node);
        self.in_block(|this| {
            let was_in_function = std::mem::replace(&mut this.in_function, true);
            if let Some(params) = this.field(node, fields.parameters) {
                this.parameters(node, params, symbol);
            }
            let mut returned = this.unknown;
            if let Some(result) = this.field(node, fields.return_type) {
                this.use_types(result);
                let value = this.result_type(node, result);
                this.bind(Some(symbol), &[Slot::Return], value);
                returned = this.silent_type(result);
            }
            if let Some(body) = this.field(node, fields.body) {
                this.body_of_function(body, returned);
            }
            this.in_function = was_in_function;
        });
    }

    fn parameters(&mut self, function: Node<'_>, list: Node<'_>, symbol: SymbolIdx) {
        let fields = self.grammar.fields;
        let own = self.self_type.map_or(self.unknown, |it| it.value);
        let mut index = 0_u8;
        for param in self.children(list) {
            match self.kind(param) {
                Kind::SelfParameter => self.bind_local("self", own),
                Kind::Parameter => {
                    let Some(type_) = self.field(param, fields.type_) else {
                        continue;
                    };
                    let value = self.type_(type_);
                    let pattern = self.field(param, fields.pattern);
                    if pattern.is_some_and(|it| self.text(it) == "self") {
                        self.bind_local("self", own);
                        continue;
                    }
                    let given = self.callback_params(function, type_);
                    for (at, given) in (0_u8..).zip(given) {
                        self.bind(Some(symbol), &[Slot::Param(index), Slot::Param(at)], given);
                    }
                    if let Some(pattern) = pattern {
                        self.pattern(pattern, value);
                    }
                    index = index.saturating_add(1);
                }
                _ => {}
            }
        }
    }

    /// Returns the parameters of a parameter that is a function.
    fn callback_params(&mut self, function: Node<'_>, type_: Node<'_>) -> Vec<ExprId> {
        let fields = self.grammar.fields;
        let mut at = type_;
        while matches!(
            self.kind(at),
            Kind::ReferenceType | Kind::AbstractType | Kind::DynamicType
        ) {
            let inner = self
                .field(at, fields.type_)
                .or_else(|| self.field(at, fields.trait_));
            let Some(inner) = inner else { break };
            at = inner;
        }
        match self.kind(at) {
            Kind::FunctionType => self.function_params(&[at]),
            Kind::BoundedType => {
                let all = self.children(at);
                self.function_params(&all)
            }
            Kind::TypeIdentifier => {
                let bounds = self.bounds_of(function, self.text(at));
                self.function_params(&bounds)
            }
            _ => Vec::new(),
        }
    }

    /// Lowers the result of a function: a type parameter is what the argument says that has its type.
    fn result_type(&mut self, function: Node<'_>, result: Node<'_>) -> ExprId {
        let fields = self.grammar.fields;
        let names = self.type_params(function);
        let params = self.field(function, fields.parameters);
        let params: Vec<Node<'_>> = params.map_or_else(Vec::new, |list| self.children(list));
        let typed: Vec<Node<'_>> = params
            .iter()
            .filter(|it| self.kind(**it) == Kind::Parameter)
            .filter_map(|it| self.field(*it, fields.type_))
            .collect();
        for name in names {
            let bound = self.generic(name).unwrap_or(self.unknown);
            let mut value = bound;
            for (index, type_) in (0_u8..).zip(&typed) {
                let text = self.text(*type_).trim_start_matches(['&', ' ']);
                let text = text.strip_prefix("mut ").unwrap_or(text);
                if text == name {
                    let first = self.add(Expr::Argument { index });
                    value = self.preferred(first, bound);
                    break;
                }
                // `f: impl FnOnce(&Store) -> T`
                let bounds = match self.kind(*type_) {
                    Kind::TypeIdentifier => self.bounds_of(function, text),
                    Kind::AbstractType => self.field(*type_, fields.trait_).into_iter().collect(),
                    _ => Vec::new(),
                };
                let returns = bounds.iter().any(|it| {
                    let result = self.field(*it, fields.return_type);
                    result.is_some_and(|it| self.text(it) == name)
                });
                if returns {
                    let callee = self.add(Expr::Argument { index });
                    let called = self.add(Expr::Call {
                        callee,
                        types: Box::default(),
                        args: Box::default(),
                    });
                    value = self.preferred(called, bound);
                    break;
                }
            }
            self.set_generic(name, value);
        }
        self.silent_type(result)
    }

    fn structure(&mut self, item: &Item<'_>) {
        let fields = self.grammar.fields;
        let node = item.node;
        let Some(symbol) = self.type_symbol(item, SymbolKind::Class) else {
            return;
        };
        self.inside(symbol, |this| {
            this.enter_generics_of(node, symbol);
            this.use_bounds(node);
            this.use_attributes(item);
            if let Some(body) = this.field(node, fields.body) {
                this.fields(body, symbol);
            }
        });
    }

    /// Adds the symbol of a type.
    fn type_symbol(&mut self, item: &Item<'_>, kind: SymbolKind) -> Option<SymbolIdx> {
        let name = self.field(item.node, self.grammar.fields.name)?;
        let text = self.text(name);
        if !self.in_function {
            self.own_types.insert(text.to_owned());
        }
        let new = NewSymbol {
            name: text,
            kind,
            is_public: self.is_public(item.node),
            parent: None,
            owner: None,
        };
        Some(self.symbol(item, name, new))
    }

    /// Binds the fields of a struct or a variant, those without names by their places.
    fn fields(&mut self, body: Node<'_>, owner: SymbolIdx) {
        let fields = self.grammar.fields;
        let mut place = 0_u32;
        for child in self.children(body) {
            match self.kind(child) {
                Kind::FieldDeclaration => {
                    let name = self.field(child, fields.name);
                    let type_ = self.field(child, fields.type_);
                    if let (Some(name), Some(type_)) = (name, type_) {
                        let value = self.type_(type_);
                        let name = self.text(name);
                        self.bind_member(Some(owner), name, value);
                    }
                }
                Kind::VisibilityModifier => {}
                _ => {
                    let value = self.type_(child);
                    self.bind_member(Some(owner), &place.to_string(), value);
                    place += 1;
                }
            }
        }
    }

    /// Records the names in the bounds of type parameters as uses.
    fn use_bounds(&mut self, node: Node<'_>) {
        if let Some(list) = self.field(node, self.grammar.fields.type_parameters) {
            for param in self.children(list) {
                if let Some(bounds) = self.field(param, self.grammar.fields.bounds) {
                    self.use_types(bounds);
                }
            }
        }
        if let Some(clause) = self.child_of(node, Kind::WhereClause) {
            self.use_types(clause);
        }
    }

    fn enumeration(&mut self, item: &Item<'_>) {
        let fields = self.grammar.fields;
        let node = item.node;
        let Some(symbol) = self.type_symbol(item, SymbolKind::Enum) else {
            return;
        };
        self.inside(symbol, |this| {
            this.enter_generics_of(node, symbol);
            this.use_bounds(node);
            this.use_attributes(item);
            let Some(body) = this.field(node, fields.body) else {
                return;
            };
            for variant in this.items_of(body) {
                let Some(name) = this.field(variant.node, fields.name) else {
                    continue;
                };
                let text = this.text(name);
                let new = NewSymbol {
                    name: text,
                    kind: SymbolKind::EnumMember,
                    is_public: true,
                    parent: Some(symbol),
                    owner: None,
                };
                let member = this.symbol(&variant, name, new);
                if let Some(body) = this.field(variant.node, fields.body) {
                    this.inside(member, |this| this.fields(body, member));
                }
                if let Some(value) = this.field(variant.node, fields.value) {
                    this.expr(value);
                }
            }
        });
    }

    fn trait_item(&mut self, item: &Item<'_>) {
        let fields = self.grammar.fields;
        let node = item.node;
        let Some(symbol) = self.type_symbol(item, SymbolKind::Interface) else {
            return;
        };
        let outer_self = self.self_type;
        self.inside(symbol, |this| {
            let value = this.add(Expr::Receiver {
                scope: Some(symbol),
            });
            this.self_type = Some(SelfType {
                named: value,
                value,
            });
            this.enter_generics_of(node, symbol);
            this.use_bounds(node);
            if let Some(bounds) = this.field(node, fields.bounds) {
                for bound in this.children(bounds) {
                    let base = this.silent_type(bound);
                    this.bind(Some(symbol), &[Slot::Base(BaseKind::Extends)], base);
                    this.use_type(bound, bound, ReferenceKind::Heritage);
                }
            }
            let Some(body) = this.field(node, fields.body) else {
                return;
            };
            for member in this.items_of(body) {
                match this.kind(member.node) {
                    Kind::Function | Kind::FunctionSignature => {
                        this.function(&member, SymbolKind::Method, Some(symbol), None);
                    }
                    Kind::ConstItem => this.constant(&member, Some(symbol), None),
                    Kind::AssociatedType => this.associated_type(&member, symbol),
                    _ => {
                        this.item(&member);
                    }
                }
            }
        });
        self.self_type = outer_self;
    }

    /// A type that implementations of a trait say: known by its bounds.
    fn associated_type(&mut self, item: &Item<'_>, symbol: SymbolIdx) {
        let fields = self.grammar.fields;
        let name = self.field(item.node, fields.name);
        let bounds = self.field(item.node, fields.bounds);
        if let (Some(name), Some(bounds)) = (name, bounds) {
            self.use_types(bounds);
            let all = self.children(bounds);
            let by = self.bounds(all);
            let value = self.add(Expr::Bounded { by });
            let name = self.text(name);
            self.bind_member(Some(symbol), name, value);
        }
    }

    fn impl_block(&mut self, item: &Item<'_>) {
        let fields = self.grammar.fields;
        let node = item.node;
        let Some(type_) = self.field(node, fields.type_) else {
            return;
        };
        let n_generics = self.generics.len();
        self.enter_generics(node);
        self.use_bounds(node);
        self.use_types(type_);
        let trait_ = self.field(node, fields.trait_);
        let mut base = None;
        if let Some(trait_) = trait_ {
            base = Some(self.silent_type(trait_));
            self.use_type(trait_, trait_, ReferenceKind::Heritage);
            if let Some(args) = self.field(trait_, fields.type_arguments) {
                self.use_types(args);
            }
        }
        let bounds = self.bounds_of_blanket(node, type_);
        let owner = match bounds {
            Some(_) => self.unknown,
            None => self.type_name(type_),
        };
        let local = match *self.facts.exprs.get(owner) {
            Expr::Symbol(at) => Some(at),
            _ => None,
        };
        let owner_text = match *self.facts.exprs.get(owner) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => {
                let name = self.facts.exprs.name_of(name);
                Some(name.trim_start_matches("::").to_owned())
            }
            Expr::Symbol(at) => Some(self.facts.symbols[at as usize].name.clone()),
            _ => None,
        };
        // `impl Locals<'_>` of `type Locals<'t> = Names<'t, Local>`: its methods are those of `Names`.
        let alias = owner_text.as_ref().filter(|_| local.is_none());
        let alias = alias.and_then(|text| self.aliases.get(text).cloned());
        let (owner, owner_text) =
            alias.map_or((owner, owner_text), |(owner, text)| (owner, Some(text)));
        // `impl<T: Read> Extend for T`: a method of every type.
        let owner_text = owner_text.unwrap_or_else(|| {
            let text = self.text(self.without_references(type_));
            text.chars().take(64).collect()
        });
        let value = self.self_of(node);
        if let (Some(base), Some(bounds)) = (base, bounds) {
            self.bind_blanket(bounds, base);
        }
        if let Some(base) = base
            && owner != self.unknown
        {
            let pair = self.add(Expr::Tuple([value.value, base].into()));
            let name = self.facts.exprs.name(&owner_text);
            let path = [Slot::Member(name), Slot::Base(BaseKind::Implements)];
            self.bind(None, &path, pair);
            if let Some(local) = local {
                self.bind(Some(local), &[Slot::Base(BaseKind::Implements)], base);
            }
        }
        self.generics.truncate(n_generics);
        self.note_block(owner, &owner_text, trait_);
        let block = ImplBlock {
            node,
            owner: bounds.unwrap_or(owner),
            owner_text,
            local,
            trait_: base,
            is_of_trait: trait_.is_some(),
            is_for_tests: self.is_for_tests(item),
        };
        let outer_self = self.self_type.replace(value);
        if let Some(body) = self.field(node, fields.body) {
            for member in self.items_of(body) {
                match self.kind(member.node) {
                    Kind::Function | Kind::FunctionSignature => {
                        self.function(&member, SymbolKind::Method, None, Some(&block));
                    }
                    Kind::ConstItem => self.constant(&member, None, Some(&block)),
                    Kind::TypeItem => {
                        self.alias(&member, None, Some(&block));
                    }
                    _ => {
                        self.item(&member);
                    }
                }
            }
        }
        self.self_type = outer_self;
    }

    /// Returns the type that an `impl` block is for.
    fn self_of(&mut self, block: Node<'_>) -> SelfType {
        let type_ = self.field(block, self.grammar.fields.type_);
        let Some(type_) = type_ else {
            return SelfType {
                named: self.unknown,
                value: self.unknown,
            };
        };
        SelfType {
            named: self.type_name(type_),
            value: self.silent_type(type_),
        }
    }

    /// Lowers a name for a type. One of an `impl` block is no symbol: `type Item = Entry;`.
    fn alias(&mut self, item: &Item<'_>, parent: Option<SymbolIdx>, block: Option<&ImplBlock<'_>>) {
        let fields = self.grammar.fields;
        let node = item.node;
        let (Some(name), Some(type_)) = (
            self.field(node, fields.name),
            self.field(node, fields.type_),
        ) else {
            return;
        };
        let text = self.text(name);
        if let Some(block) = block {
            let value = self.type_(type_);
            match block.local {
                Some(local) => self.bind_member(Some(local), text, value),
                None => self.bind_member(None, &format!("{}::{text}", block.owner_text), value),
            }
            return;
        }
        if !self.in_function {
            self.own_types.insert(text.to_owned());
            let base = self.type_name(type_);
            if let Expr::Name { name, .. } = *self.facts.exprs.get(base)
                && self.kind(type_) == Kind::GenericType
            {
                let name = self.facts.exprs.name_of(name).to_owned();
                self.aliases.insert(text.to_owned(), (base, name));
            }
        }
        let new = NewSymbol {
            name: text,
            kind: SymbolKind::Type,
            is_public: self.is_public(node),
            parent,
            owner: None,
        };
        let symbol = self.symbol(item, name, new);
        self.inside(symbol, |this| {
            this.enter_generics_of(node, symbol);
            let value = this.type_(type_);
            this.bind(Some(symbol), &[Slot::Base(BaseKind::Extends)], value);
        });
    }

    fn constant(
        &mut self,
        item: &Item<'_>,
        parent: Option<SymbolIdx>,
        block: Option<&ImplBlock<'_>>,
    ) {
        let fields = self.grammar.fields;
        let node = item.node;
        let Some(name) = self.field(node, fields.name) else {
            return;
        };
        let text = self.text(name);
        if text == "_" {
            if let Some(value) = self.field(node, fields.value) {
                self.in_block(|this| {
                    this.expr(value);
                });
            }
            return;
        }
        let is_variable = self.child_of(node, Kind::MutableSpecifier).is_some();
        let is_public =
            parent.is_some() || block.is_some_and(|it| it.is_of_trait) || self.is_public(node);
        let owner = block.and_then(|it| it.local.is_none().then_some(it.owner_text.as_str()));
        let new = NewSymbol {
            name: text,
            kind: if is_variable {
                SymbolKind::Variable
            } else {
                SymbolKind::Constant
            },
            is_public,
            parent: parent.or_else(|| block.and_then(|it| it.local)),
            owner,
        };
        let symbol = self.symbol(item, name, new);
        if let Some(block) = block
            && block.local.is_none()
        {
            self.facts.owners.push(NamedOwner {
                symbol,
                owner: block.owner,
            });
        }
        let held_by = self.facts.symbols[symbol as usize].parent;
        self.inside(symbol, |this| {
            let mut value = this.unknown;
            if let Some(type_) = this.field(node, fields.type_) {
                value = this.type_(type_);
            }
            let name = match owner {
                Some(owner) => format!("{owner}.{text}"),
                None => text.to_owned(),
            };
            this.bind_member(held_by, &name, value);
            if let Some(value) = this.field(node, fields.value) {
                let was_in_function = std::mem::replace(&mut this.in_function, true);
                this.in_block(|this| {
                    this.expr(value);
                });
                this.in_function = was_in_function;
            }
        });
    }

    fn module_item(&mut self, item: &Item<'_>) {
        let fields = self.grammar.fields;
        let node = item.node;
        let Some(name) = self.field(node, fields.name) else {
            return;
        };
        let text = self.text(name);
        let Some(body) = self.field(node, fields.body) else {
            self.outer_module(item, text);
            return;
        };
        let new = NewSymbol {
            name: text,
            kind: SymbolKind::Namespace,
            is_public: self.is_public(node),
            parent: None,
            owner: None,
        };
        let symbol = self.symbol(item, name, new);
        self.own_modules.insert(self.in_module_path(text));
        let was_in_function = std::mem::replace(&mut self.in_function, false);
        self.modules.push((symbol, text));
        self.inside(symbol, |this| this.items(body));
        self.modules.pop();
        self.in_function = was_in_function;
    }

    fn macro_definition(&mut self, item: &Item<'_>) {
        let Some(name) = self.field(item.node, self.grammar.fields.name) else {
            return;
        };
        let is_public = self
            .attribute_texts(item)
            .iter()
            .any(|text| text.starts_with("macro_export"));
        let text = self.text(name);
        let new = NewSymbol {
            name: text,
            kind: SymbolKind::Macro,
            is_public,
            parent: None,
            owner: None,
        };
        let symbol = self.symbol(item, name, new);
        self.own_macros.insert(text);
        for rule in self.children(item.node) {
            if self.kind(rule) == Kind::MacroRule {
                self.macro_rule(rule, symbol);
            }
        }
    }
}

/// An `impl` block, as its members see it.
#[derive(Debug)]
struct ImplBlock<'n> {
    node: Node<'n>,
    /// The name of the type; of a type parameter its bounds.
    owner: ExprId,
    /// The last name of the type.
    owner_text: String,
    /// The type, where it is one of the function around.
    local: Option<SymbolIdx>,
    /// A value of the trait.
    trait_: Option<ExprId>,
    is_of_trait: bool,
    is_for_tests: bool,
}
