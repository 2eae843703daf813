//! Classifies the occurrences of a name in Python: a use, an import, a definition, a comment, …
//!
//! Reads the syntax tree at single bytes. Which definition a use means is not decided here; see `link`.

use tree_sitter::Node;

use super::grammar::{Grammar, Kind, grammar};
use crate::ir::FileFacts;
use crate::syntax::lang::frontend::{SourceWord, imported};
use crate::syntax::occurrences::OccurrenceRole;

/// Ancestors that are looked at to find the statement around a name.
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
            Kind::Comment => OccurrenceRole::Comment,
            Kind::Identifier if !word.is_whole => OccurrenceRole::OtherName,
            Kind::Identifier => self.identifier_role(node, word.text),
            _ if self.is_text(node) => OccurrenceRole::Text,
            _ => OccurrenceRole::Unknown,
        }
    }
    fn is_text(&self, node: Node<'_>) -> bool {
        let mut at = Some(node);
        for _ in 0..MAX_ANCESTORS {
            let Some(node) = at else {
                return false;
            };
            match self.grammar.kind(node) {
                Kind::Str => return true,
                Kind::Interpolation => return false,
                _ => at = node.parent(),
            }
        }
        false
    }

    /// Classifies an identifier that is no use which the facts hold.
    fn identifier_role(&self, node: Node<'_>, word: &str) -> OccurrenceRole {
        let mut at = node;
        for _ in 0..MAX_ANCESTORS {
            let Some(parent) = at.parent() else {
                break;
            };
            match self.grammar.kind(parent) {
                // The name that an import inside of a function binds.
                Kind::AliasedImport
                    if parent.child_by_field_id(self.grammar.fields.alias) == Some(node)
                        && !self.binds(word) =>
                {
                    return OccurrenceRole::Definition;
                }
                Kind::ImportStatement | Kind::ImportFrom => {
                    return imported(self.facts, parent, |name| {
                        name.imported == word || name.local == word
                    });
                }
                Kind::FunctionDefinition | Kind::ClassDefinition => {
                    let name = parent.child_by_field_id(self.grammar.fields.name);
                    if name == Some(node) {
                        return OccurrenceRole::Definition;
                    }
                    break;
                }
                Kind::KeywordArgument => {
                    let name = parent.child_by_field_id(self.grammar.fields.name);
                    if name == Some(node) {
                        return OccurrenceRole::Key;
                    }
                    break;
                }
                Kind::Assignment => {
                    let left = parent.child_by_field_id(self.grammar.fields.left);
                    if left == Some(at) {
                        return OccurrenceRole::Definition;
                    }
                    break;
                }
                Kind::Attribute if self.is_object(parent, at) => break,
                Kind::Attribute | Kind::DottedName | Kind::AliasedImport => at = parent,
                _ => break,
            }
        }
        OccurrenceRole::Local
    }

    /// Whether an import of the file binds a name.
    fn binds(&self, word: &str) -> bool {
        let mut names = self.facts.imports.iter().flat_map(|it| &it.names);
        names.any(|name| name.local == word)
    }

    fn is_object(&self, attribute: Node<'_>, node: Node<'_>) -> bool {
        attribute.child_by_field_id(self.grammar.fields.object) == Some(node)
    }
}
