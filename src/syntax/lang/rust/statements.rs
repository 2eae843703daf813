//! Blocks, `let`, conditions and branches: names are bound where they are declared, and hide those before.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use crate::ir::ExprId;

impl Lowering<'_> {
    /// Lowers a block to the value of its last expression.
    pub(super) fn block(&mut self, node: Node<'_>) -> ExprId {
        self.in_block(|this| {
            let was_in_function = std::mem::replace(&mut this.in_function, true);
            let items = this.items_of(node);
            // Items are known in the whole block.
            for item in &items {
                if is_item(this.kind(item.node)) {
                    this.item(item);
                }
            }
            let mut last = this.unknown;
            for item in &items {
                let kind = this.kind(item.node);
                if is_item(kind) {
                    continue;
                }
                last = this.unknown;
                match kind {
                    Kind::LetDeclaration => this.let_declaration(item.node),
                    Kind::ExpressionStatement => last = this.statement(item.node),
                    _ => last = this.expr(item.node),
                }
            }
            this.in_function = was_in_function;
            last
        })
    }

    fn statement(&mut self, node: Node<'_>) -> ExprId {
        let mut value = self.unknown;
        for child in self.children(node) {
            value = self.expr(child);
        }
        if self.text(node).ends_with(';') {
            self.unknown
        } else {
            value
        }
    }

    /// Lowers `{ … }`, `unsafe { … }`, `async { … }`.
    pub(super) fn block_value(&mut self, node: Node<'_>) -> ExprId {
        if self.kind(node) == Kind::Block {
            return self.block(node);
        }
        // What an asynchronous block returns is no result of the function.
        let returned = match self.kind(node) {
            Kind::AsyncBlock | Kind::TryBlock => self.unknown,
            _ => self.returned,
        };
        let outer = std::mem::replace(&mut self.returned, returned);
        let inner = self.child_of(node, Kind::Block);
        let value = inner.map_or(self.unknown, |it| self.block(it));
        self.returned = outer;
        value
    }

    fn let_declaration(&mut self, node: Node<'_>) {
        let fields = self.grammar.fields;
        let written = self.field(node, fields.type_).map(|it| self.type_(it));
        if let (Some(written), Some(value)) = (written, self.field(node, fields.value)) {
            self.expect(value, |_| written);
        }
        let mut value = self.expr_in(node, fields.value);
        if let Some(written) = written {
            value = if self.is_complete(written) {
                self.preferred(written, value)
            } else {
                self.preferred(value, written)
            };
        }
        if let Some(alternative) = self.field(node, fields.alternative) {
            self.block(alternative);
        }
        if let Some(pattern) = self.field(node, fields.pattern) {
            self.pattern(pattern, value);
        }
    }

    /// Whether a type leaves nothing out: `Vec<_>` does.
    fn is_complete(&self, type_: ExprId) -> bool {
        let mut is_complete = type_ != self.unknown;
        self.facts
            .exprs
            .get(type_)
            .each_part(|part| is_complete &= self.is_complete(part));
        is_complete
    }

    /// Lowers a condition; names that `let` binds in it are known from here on.
    pub(super) fn condition(&mut self, node: Node<'_>) {
        let fields = self.grammar.fields;
        match self.kind(node) {
            Kind::LetCondition => {
                let value = self.expr_in(node, fields.value);
                if let Some(pattern) = self.field(node, fields.pattern) {
                    self.pattern(pattern, value);
                }
            }
            Kind::LetChain => {
                for child in self.children(node) {
                    self.condition(child);
                }
            }
            _ => {
                self.expr(node);
            }
        }
    }

    pub(super) fn if_expression(&mut self, node: Node<'_>) -> ExprId {
        let fields = self.grammar.fields;
        let first = self.in_block(|this| {
            if let Some(condition) = this.field(node, fields.condition) {
                this.condition(condition);
            }
            this.expr_in(node, fields.consequence)
        });
        let mut all = vec![first];
        if let Some(other) = self.field(node, fields.alternative) {
            for child in self.children(other) {
                all.push(self.expr(child));
            }
        }
        self.union(all)
    }

    pub(super) fn match_expression(&mut self, node: Node<'_>) -> ExprId {
        let fields = self.grammar.fields;
        let subject = self.expr_in(node, fields.value);
        let Some(body) = self.field(node, fields.body) else {
            return self.unknown;
        };
        let mut all = Vec::new();
        for arm in self.children(body) {
            let value = self.in_block(|this| {
                if let Some(pattern) = this.field(arm, fields.pattern) {
                    this.pattern(pattern, subject);
                    if let Some(condition) = this.field(pattern, fields.condition) {
                        this.condition(condition);
                    }
                }
                this.expr_in(arm, fields.value)
            });
            all.push(value);
        }
        self.union(all)
    }

    /// Adds a value of a type of the standard library that holds elements.
    pub(super) fn sequence(&mut self, name: &str, items: Vec<ExprId>) -> ExprId {
        let element = self.union(items);
        self.standard(name, &[element])
    }

    /// Adds the value of a text.
    pub(super) fn string(&mut self) -> ExprId {
        self.standard("String", &[])
    }
}

/// Whether a node is an item, which is known before it is written.
fn is_item(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Function
            | Kind::StructItem
            | Kind::UnionItem
            | Kind::EnumItem
            | Kind::Trait
            | Kind::Impl
            | Kind::TypeItem
            | Kind::ConstItem
            | Kind::StaticItem
            | Kind::Mod
            | Kind::UseDeclaration
            | Kind::ExternCrate
            | Kind::MacroDefinition
            | Kind::ForeignMod
    )
}
