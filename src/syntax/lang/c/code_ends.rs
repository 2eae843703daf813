//! The ends of the bodies of functions by their braces, where the grammar failed: a statement that it can't read may swallow the functions
//! that follow, which then are code of the function around.

use super::cleaning::{Cleaning, cleaned};
use super::declarations::DeclarationPlace;
use super::grammar::Kind;
use super::lowering::Lowering;
use super::namespace_braces::BracedNamespaces;
use super::tokens::{TokenKind, tokens};
use crate::model::hash::HashMap;
use crate::syntax::lang::use_recorder::offset;
use tree_sitter::Node;

impl<'t> Lowering<'t> {
    /// Reads the braces of a source whose tree has errors.
    pub(super) fn find_code_ends(&mut self) {
        let (text, _) = cleaned(self.source, self.is_cpp, Cleaning::Branches);
        let mut open = Vec::new();
        let mut ends: HashMap<usize, usize> = HashMap::default();
        let mut is_balanced = true;
        let all = tokens(text.as_bytes());
        let mut spaces = BracedNamespaces::default();
        let mut namespace = None;
        for (at, token) in all.iter().enumerate() {
            match token.kind {
                TokenKind::Sign(b'{') => {
                    let opened = spaces.open(self.source, &all[..at], *token, namespace);
                    namespace = opened.or(namespace);
                    open.push((token.start, opened));
                }
                TokenKind::Sign(b'}') => match open.pop() {
                    Some((start, opened)) => {
                        if let Some(opened) = opened {
                            namespace = spaces.close(opened, token.end);
                        }
                        ends.insert(start, token.end);
                    }
                    None => is_balanced = false,
                },
                _ => {}
            }
        }
        // Braces that do not pair up tell nothing.
        if is_balanced && open.is_empty() {
            self.braces = ends;
            self.braced_namespaces = spaces;
        }
    }

    /// Walks through the body of a function. Where its brace is closed before the end of its node, the rest is code of the file.
    pub(super) fn walk_body(&mut self, body: Node<'t>) {
        let end = self.braces.get(&body.start_byte()).copied();
        let end = end.filter(|it| *it < body.end_byte());
        let outer = self.code_end;
        self.code_end = end.or(outer);
        self.walk(body);
        self.code_end = outer;
        if let (Some(end), Some(symbol)) = (end, self.symbol) {
            let line = self.line_at(end - 1);
            let span = &mut self.facts.symbols[symbol as usize].span;
            span.end_byte = offset(end);
            span.end_line = line;
        }
    }

    /// Whether a place lies behind the end of the function that the grammar has around it.
    pub(super) fn is_behind_code(&self, at: usize) -> bool {
        self.code_end.is_some_and(|end| at >= end)
    }

    /// Lowers a definition that the grammar has inside of a function and that stands behind its end. Returns whether it is one.
    pub(super) fn swallowed(&mut self, node: Node<'t>) -> bool {
        let is_definition = matches!(
            self.kind(node),
            Kind::FunctionDefinition
                | Kind::TemplateDeclaration
                | Kind::NamespaceDefinition
                | Kind::LinkageSpecification
                | Kind::Declaration
                | Kind::TypeDefinition
                | Kind::AliasDeclaration
        );
        if !is_definition || !self.is_behind_code(node.start_byte()) {
            return false;
        }
        let outer = (
            self.symbol.take(),
            self.owner.take(),
            self.code_end.take(),
            std::mem::take(&mut self.scopes),
        );
        self.item(node, DeclarationPlace::default());
        (self.symbol, self.owner, self.code_end, self.scopes) = outer;
        true
    }
}
