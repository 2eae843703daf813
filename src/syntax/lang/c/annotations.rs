//! Uses of macros that stand where the grammar has no place for a name: `class LOCKABLE Mutex {`, `void f() REQUIRES(mu_);`.
//!
//! `cleaning` takes them out of the text before it is parsed, so that the tree does not have their names. They are found again by their
//! bytes; everything else of a file is recorded by the walk through its tree.

use tree_sitter::Node;

use super::cleaning::{blanked_macros, is_primitive};
use super::lowering::Lowering;
use super::tokens::{TokenKind, closed};
use crate::ir::{ReferenceKind, SymbolIdx, Target};
use crate::model::SymbolFlags;

impl<'t> Lowering<'t> {
    /// Records the macros of a file that its tree lacks, and the names in their arguments.
    pub(super) fn use_annotations(&mut self, root: Node<'t>) {
        let blanked = blanked_macros(self.source);
        let mut at = 0;
        while let Some(token) = blanked.tokens.get(at) {
            let is_name = match token.kind {
                // `__attribute__((unused))`: words of the compiler.
                TokenKind::Attribute => {
                    at = closed(&blanked.tokens, at + 1).max(at + 1);
                    continue;
                }
                TokenKind::Name | TokenKind::Capitals => blanked.is_gone(token),
                TokenKind::Keyword | TokenKind::Sign(_) => false,
            };
            let is_lost = || {
                let node = root.descendant_for_byte_range(token.start, token.end);
                node.is_some_and(|it| it.child_count() > 0)
            };
            if is_name && is_lost() {
                let behind = blanked.tokens.get(at + 1).map(|it| it.kind);
                let kind = if behind == Some(TokenKind::Sign(b'(')) {
                    ReferenceKind::Call
                } else {
                    ReferenceKind::Value
                };
                let name = self.source.get(token.start..token.end).unwrap_or_default();
                if is_primitive(name) {
                    at += 1;
                    continue;
                }
                self.open_namespace_of_macro(name);
                let outer = self.symbol;
                self.symbol = self.annotated(token.start);
                self.push_use(name, Target::Lexical, kind, token.start);
                self.symbol = outer;
            }
            at += 1;
        }
    }

    /// Returns the innermost definition around a byte; of a declaration without code what is around it.
    pub(super) fn annotated(&self, at: usize) -> Option<SymbolIdx> {
        let symbols = self.facts.symbols.iter().zip(0..);
        let around = symbols.filter(|(it, _)| {
            (it.span.start_byte as usize..it.span.end_byte as usize).contains(&at)
        });
        let (symbol, index) = around.min_by_key(|(it, _)| it.span.end_byte - it.span.start_byte)?;
        if symbol.flags.contains(SymbolFlags::DECLARATION_ONLY) {
            return symbol.parent;
        }
        Some(index)
    }
}
