//! Types: classes with their bases and members, enumerations, and names for types.

use tree_sitter::Node;

use super::declarations::DeclarationPlace;
use super::grammar::Kind;
use super::lowering::{Local, Lowering};
use crate::ir::{BaseKind, ExprId, ReferenceKind, Slot, SymbolIdx};
use crate::model::{SymbolFlags, SymbolKind};
use crate::syntax::signature;

impl<'t> Lowering<'t> {
    /// Adds the type that `struct`, `class`, `union` or `enum` defines; `None` where it only names one. `given` is the
    /// name that a `typedef` gives to one without a name.
    pub(super) fn specifier(
        &mut self,
        node: Node<'t>,
        context: DeclarationPlace<'t>,
        whole: Node<'t>,
        given: Option<Node<'t>>,
    ) -> Option<SymbolIdx> {
        let fields = self.grammar.fields;
        let body = self.field(node, fields.body)?;
        let own = self.field(node, fields.name);
        let name = own.or(given);
        if self.kind(node) == Kind::EnumSpecifier {
            return self.enumeration(node, body, name, context, whole);
        }
        let Some(name) = name else {
            // Members of a type without a name are those of the type around.
            if context.parent.is_some() {
                self.items(body, context);
            }
            return None;
        };
        let last = self.last_name(name);
        let head = self.uncommented(whole.start_byte(), body.start_byte());
        let head = signature::of_head(&head);
        let text = self.text(last).to_owned();
        let symbol = self.add_symbol(text.clone(), last, SymbolKind::Class, whole, &context, head);
        if self.kind(name) == Kind::QualifiedIdentifier
            && let Some(path) = self.path_text(name)
        {
            let made = &mut self.facts.symbols[symbol as usize];
            if let Some(around) = made.qualified_name.strip_suffix(&text) {
                made.qualified_name = format!("{around}{path}");
            }
        }
        self.offer_type(symbol, &text, last, context);
        let outer = self.symbol.replace(symbol);
        let outer_owner = self.owner.take();
        if let Some(clause) = self.child_of(node, Kind::BaseClassClause) {
            for base in self.children(clause) {
                if !matches!(
                    self.kind(base),
                    Kind::TypeIdentifier | Kind::QualifiedIdentifier | Kind::TemplateType
                ) {
                    continue;
                }
                self.use_type(base, ReferenceKind::Heritage);
                let value = self.value_of(base);
                self.bind_slots(Some(symbol), &[Slot::Base(BaseKind::Extends)], value);
            }
        }
        self.symbol = outer;
        let inner = DeclarationPlace {
            parent: Some(symbol),
            is_private: self.kind(node) == Kind::ClassSpecifier,
            is_internal: context.is_internal,
            ..DeclarationPlace::default()
        };
        self.in_block(|it| it.items(body, inner));
        self.owner = outer_owner;
        Some(symbol)
    }

    /// Offers a type to the files that include this one. In C a type in another one has no scope of its own.
    fn offer_type(
        &mut self,
        symbol: SymbolIdx,
        name: &str,
        at: Node<'t>,
        context: DeclarationPlace<'t>,
    ) {
        let is_nested = context.parent.is_some();
        if is_nested && !self.is_cpp {
            self.facts.symbols[symbol as usize].flags |= SymbolFlags::IN_SCOPE_AROUND;
        }
        if !is_nested || !self.is_cpp {
            self.export(name, self.line_at(at.start_byte()));
        }
    }

    fn enumeration(
        &mut self,
        node: Node<'t>,
        body: Node<'t>,
        name: Option<Node<'t>>,
        context: DeclarationPlace<'t>,
        whole: Node<'t>,
    ) -> Option<SymbolIdx> {
        let head = self.uncommented(whole.start_byte(), body.start_byte());
        let symbol = name.map(|name| {
            let last = self.last_name(name);
            let text = self.text(last).to_owned();
            let head = signature::of_head(&head);
            let symbol =
                self.add_symbol(text.clone(), last, SymbolKind::Enum, whole, &context, head);
            self.offer_type(symbol, &text, last, context);
            symbol
        });
        let start = self
            .source
            .get(node.start_byte()..body.start_byte())
            .unwrap_or_default();
        let is_scoped = start.contains(" class ") || start.contains(" struct ");
        for child in self.children(body) {
            if self.kind(child) != Kind::Enumerator {
                continue;
            }
            let Some(member) = self.field(child, self.grammar.fields.name) else {
                continue;
            };
            let text = self.text(member);
            let line = self.line_at(member.start_byte());
            let inner = DeclarationPlace {
                parent: symbol.or(context.parent),
                ..context
            };
            let signature = signature::fold(self.text(child), 120);
            let enumerator = self.add_symbol(
                text.to_owned(),
                member,
                SymbolKind::EnumMember,
                child,
                &inner,
                signature,
            );
            let is_of_file = context.parent.is_none() || !self.is_cpp;
            if !is_scoped && (symbol.is_some() || inner.parent.is_some() && is_of_file) {
                let made = &mut self.facts.symbols[enumerator as usize];
                made.flags |= SymbolFlags::IN_SCOPE_AROUND;
            }
            if !is_scoped && is_of_file {
                self.export(text, line);
            }
            if let Some(value) = self.field(child, self.grammar.fields.value) {
                let outer = self.symbol.replace(enumerator);
                self.walk(value);
                self.symbol = outer;
            }
        }
        symbol
    }

    /// `typedef struct { … } Store;`, `typedef int (*open_fn)(int);`
    pub(super) fn type_definition(&mut self, node: Node<'t>, context: DeclarationPlace<'t>) {
        let fields = self.grammar.fields;
        let Some(type_) = self.field(node, fields.type_) else {
            return;
        };
        let declarators = self.in_field(node, fields.declarator);
        let is_definition =
            self.kind(type_).is_specifier() && self.field(type_, fields.body).is_some();
        let plain = declarators
            .iter()
            .copied()
            .find(|it| self.kind(*it) == Kind::TypeIdentifier);
        let mut defined = None;
        if is_definition {
            defined = self.specifier(type_, context, node, plain);
        }
        let own_name = self.field(type_, fields.name).map(|it| self.text(it));
        for declarator in declarators {
            let taken = self.declarator(declarator);
            let Some(name) = taken.name else { continue };
            let text = self.text(name);
            let is_same = own_name == Some(text) && self.kind(declarator) == Kind::TypeIdentifier;
            let is_given = own_name.is_none() && defined.is_some() && Some(declarator) == plain;
            if is_same || is_given {
                continue;
            }
            self.alias_symbol(node, name, context, |it| {
                it.use_type(type_, ReferenceKind::Type);
                let base = match defined {
                    Some(symbol) => {
                        let of = it.add(crate::ir::Expr::Symbol(symbol));
                        it.add(crate::ir::Expr::Instance { of })
                    }
                    None => it.value_of(type_),
                };
                let mut value = it.declared_value(&taken, base);
                if let Some(function) = taken.function {
                    it.in_block(|it| it.bind_parameters(function, None));
                    value = it.add(crate::ir::Expr::Callable { result: value });
                }
                value
            });
        }
    }

    /// `using Store = ns::Store;`
    pub(super) fn alias(&mut self, node: Node<'t>, context: DeclarationPlace<'t>) {
        let fields = self.grammar.fields;
        let (Some(name), Some(type_)) = (
            self.field(node, fields.name),
            self.field(node, fields.type_),
        ) else {
            return;
        };
        self.alias_symbol(node, name, context, |it| {
            it.use_type(type_, ReferenceKind::Type);
            it.value_of(type_)
        });
    }

    fn alias_symbol(
        &mut self,
        node: Node<'t>,
        name: Node<'t>,
        context: DeclarationPlace<'t>,
        value: impl FnOnce(&mut Self) -> ExprId,
    ) {
        let whole = context.whole.unwrap_or(node);
        let text = self.text(name);
        let signature = self.uncommented(whole.start_byte(), whole.end_byte());
        let signature = signature::of_value(&signature, None);
        let symbol = self.add_symbol(
            text.to_owned(),
            name,
            SymbolKind::Type,
            whole,
            &context,
            signature,
        );
        if context.parent.is_none() {
            self.export(text, self.line_at(name.start_byte()));
        }
        let outer = self.symbol.replace(symbol);
        let value = value(self);
        self.bind_slots(Some(symbol), &[Slot::Base(BaseKind::Extends)], value);
        self.symbol = outer;
    }

    /// A name for a type inside a function.
    pub(super) fn local_alias(&mut self, name: Node<'t>, type_: Node<'t>) {
        self.use_type(type_, ReferenceKind::Type);
        let value = self.value_of(type_);
        self.bind_local(self.text(name), Local::Type(value));
    }
}
