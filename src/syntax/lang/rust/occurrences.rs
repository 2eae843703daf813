//! Classifies the occurrences of a name in Rust: a use, an import, a definition, a comment, …
//!
//! Reads the syntax tree at single bytes. Which definition a use means is not decided here; see `link`.

use tree_sitter::Node;

use super::grammar::{Grammar, Kind, grammar};
use crate::ir::FileFacts;
use crate::syntax::lang::frontend::{SourceWord, imported};
use crate::syntax::occurrences::OccurrenceRole;

/// Ancestors that are looked at to find the `use` around a name.
const MAX_ANCESTORS: usize = 32;

/// Classifies a word that is no recorded use.
pub(super) fn role_of(facts: &FileFacts, node: Node<'_>, word: SourceWord<'_>) -> OccurrenceRole {
    let grammar = grammar();
    Classifier { grammar, facts }.role(node, word)
}

struct Classifier<'a> {
    grammar: &'static Grammar,
    facts: &'a FileFacts,
}

impl Classifier<'_> {
    fn role(&self, node: Node<'_>, word: SourceWord<'_>) -> OccurrenceRole {
        match self.grammar.kind(node) {
            kind if kind.is_comment() || node.kind() == "doc_comment" => OccurrenceRole::Comment,
            Kind::StringLiteral | Kind::StringContent | Kind::RawString | Kind::CharLiteral => {
                OccurrenceRole::Text
            }
            _ if !node.kind().ends_with("identifier") => OccurrenceRole::Unknown,
            _ if !word.is_whole => OccurrenceRole::OtherName,
            _ => self.identifier_role(node, word),
        }
    }

    /// Classifies an identifier that is no use which the facts hold.
    fn identifier_role(&self, node: Node<'_>, word: SourceWord<'_>) -> OccurrenceRole {
        let SourceWord {
            text: word, source, ..
        } = word;
        let fields = self.grammar.fields;
        let Some(parent) = node.parent() else {
            return OccurrenceRole::Unknown;
        };
        let around = std::iter::successors(Some(parent), Node::parent).take(MAX_ANCESTORS);
        let statement = around
            .take_while(|it| self.grammar.kind(*it) != Kind::Block)
            .find(|it| self.grammar.kind(*it) == Kind::UseDeclaration);
        if let Some(statement) = statement {
            // Several names of one statement may be imported by other names: `use {a::open as x, b::open as y}`.
            let clause = (self.grammar.kind(parent) == Kind::UseAs)
                .then_some(parent)
                .or_else(|| parent.parent())
                .filter(|it| self.grammar.kind(*it) == Kind::UseAs);
            let alias = clause.and_then(|it| it.child_by_field_id(fields.alias));
            let local = alias.and_then(|it| source.get(it.byte_range()));
            let local = local.unwrap_or(word);
            return imported(self.facts, statement, |name| {
                name.local == local && (local == word || name.imported == word)
            });
        }
        let is_name = parent.child_by_field_id(fields.name) == Some(node);
        match self.grammar.kind(parent) {
            Kind::Function
            | Kind::FunctionSignature
            | Kind::StructItem
            | Kind::UnionItem
            | Kind::EnumItem
            | Kind::EnumVariant
            | Kind::Trait
            | Kind::TypeItem
            | Kind::AssociatedType
            | Kind::ConstItem
            | Kind::StaticItem
            | Kind::Mod
            | Kind::MacroDefinition
            | Kind::FieldDeclaration
                if is_name =>
            {
                OccurrenceRole::Definition
            }
            Kind::FieldInitializer if parent.child_by_field_id(fields.field) == Some(node) => {
                OccurrenceRole::Key
            }
            Kind::FieldExpression if parent.child_by_field_id(fields.field) == Some(node) => {
                OccurrenceRole::Unknown
            }
            Kind::TokenTree => OccurrenceRole::Unknown,
            _ => OccurrenceRole::Local,
        }
    }
}
