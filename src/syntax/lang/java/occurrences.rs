//! Classifies the occurrences of a name in Java: a use, an import, a definition, a comment, …
//!
//! Reads the syntax tree at single bytes. Which definition a use means is not decided here; see `link`.

use tree_sitter::Node;

use super::grammar::{Grammar, Kind, grammar};
use crate::ir::FileFacts;
use crate::syntax::lang::frontend::{SourceWord, imported};
use crate::syntax::occurrences::OccurrenceRole;

/// Ancestors that are looked at to find the declaration around a name.
const MAX_ANCESTORS: usize = 6;

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
            Kind::LineComment | Kind::BlockComment => OccurrenceRole::Comment,
            Kind::Identifier | Kind::TypeIdentifier if !word.is_whole => OccurrenceRole::OtherName,
            Kind::Identifier | Kind::TypeIdentifier => self.identifier_role(node, word.text),
            _ if self.is_text(node) => OccurrenceRole::Text,
            _ => OccurrenceRole::Unknown,
        }
    }
    fn is_text(&self, node: Node<'_>) -> bool {
        let kind = |node: Node<'_>| self.grammar.kind(node);
        matches!(kind(node), Kind::Str | Kind::Character)
            || node.parent().is_some_and(|it| kind(it) == Kind::Str)
    }

    /// Classifies an identifier that is no use which the facts hold.
    fn identifier_role(&self, node: Node<'_>, word: &str) -> OccurrenceRole {
        let mut at = node;
        for _ in 0..MAX_ANCESTORS {
            let Some(parent) = at.parent() else {
                break;
            };
            match self.grammar.kind(parent) {
                Kind::Import => {
                    return imported(self.facts, parent, |name| name.local == word);
                }
                Kind::Package => return OccurrenceRole::Text,
                Kind::ElementValuePair => return OccurrenceRole::Key,
                Kind::ScopedIdentifier => at = parent,
                Kind::VariableDeclarator => {
                    let is_field = parent.parent().is_some_and(|it| {
                        matches!(
                            self.grammar.kind(it),
                            Kind::FieldDeclaration | Kind::ConstantDeclaration
                        )
                    });
                    if is_field && self.is_name_of(parent, node) {
                        return OccurrenceRole::Definition;
                    }
                    break;
                }
                Kind::FormalParameter => {
                    let list = parent.parent();
                    let owner = list.and_then(|it| it.parent());
                    let is_component =
                        owner.is_some_and(|it| self.grammar.kind(it) == Kind::RecordDeclaration);
                    if is_component && self.is_name_of(parent, node) {
                        return OccurrenceRole::Definition;
                    }
                    break;
                }
                Kind::MethodDeclaration
                | Kind::AnnotationElement
                | Kind::Constructor
                | Kind::CompactConstructor
                | Kind::EnumConstant => {
                    if self.is_name_of(parent, node) {
                        return OccurrenceRole::Definition;
                    }
                    break;
                }
                kind if kind.is_type_declaration() => {
                    if self.is_name_of(parent, node) {
                        return OccurrenceRole::Definition;
                    }
                    break;
                }
                _ => break,
            }
        }
        OccurrenceRole::Local
    }

    fn is_name_of(&self, declaration: Node<'_>, node: Node<'_>) -> bool {
        declaration.child_by_field_id(self.grammar.fields.name) == Some(node)
    }
}
