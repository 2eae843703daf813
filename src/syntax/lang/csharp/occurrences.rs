//! Classifies the occurrences of a name in C#: a use, an import, a definition, a comment, …
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
        let is_escaped = || {
            let text = word.source.get(node.byte_range());
            text.and_then(|it| it.strip_prefix('@')) == Some(word.text)
        };
        match self.grammar.kind(node) {
            Kind::Comment => OccurrenceRole::Comment,
            Kind::Identifier if !word.is_whole && !is_escaped() => OccurrenceRole::OtherName,
            Kind::Identifier => self.identifier_role(node, word.text),
            _ if self.is_text(node) => OccurrenceRole::Text,
            // `operator +` and `~Store`, which are no identifiers.
            Kind::Operator | Kind::Destructor => OccurrenceRole::Definition,
            _ if is_unread_head(word.source, word.start, word.text) => OccurrenceRole::Definition,
            _ => OccurrenceRole::Unknown,
        }
    }

    fn is_text(&self, node: Node<'_>) -> bool {
        let is_string = |node: Node<'_>| {
            matches!(
                self.grammar.kind(node),
                Kind::Str
                    | Kind::VerbatimString
                    | Kind::RawString
                    | Kind::InterpolatedString
                    | Kind::Character
            )
        };
        is_string(node) || node.parent().is_some_and(is_string)
    }

    /// Classifies an identifier that is no use which the facts hold.
    fn identifier_role(&self, node: Node<'_>, word: &str) -> OccurrenceRole {
        let mut at = node;
        for _ in 0..MAX_ANCESTORS {
            let Some(parent) = at.parent() else {
                break;
            };
            match self.grammar.kind(parent) {
                Kind::UsingDirective => {
                    return imported(self.facts, parent, |name| name.local == word);
                }
                Kind::Namespace | Kind::FileNamespace | Kind::ExternAlias => {
                    return OccurrenceRole::Text;
                }
                Kind::AttributeArgument | Kind::Argument => return OccurrenceRole::Key,
                Kind::QualifiedName | Kind::AliasQualifiedName => at = parent,
                Kind::VariableDeclarator => {
                    let declaration = parent.parent().and_then(|it| it.parent());
                    let is_field = declaration.is_some_and(|it| {
                        matches!(
                            self.grammar.kind(it),
                            Kind::FieldDeclaration | Kind::EventField
                        )
                    });
                    if is_field && self.is_name_of(parent, node) {
                        return OccurrenceRole::Definition;
                    }
                    break;
                }
                Kind::Parameter => {
                    let owner = parent.parent().and_then(|it| it.parent());
                    let is_property =
                        owner.is_some_and(|it| self.grammar.kind(it) == Kind::RecordDeclaration);
                    if is_property && self.is_name_of(parent, node) {
                        return OccurrenceRole::Definition;
                    }
                    break;
                }
                Kind::MethodDeclaration
                | Kind::Constructor
                | Kind::Destructor
                | Kind::PropertyDeclaration
                | Kind::EventDeclaration
                | Kind::EnumMember
                | Kind::LocalFunction => {
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

/// Words behind which a called name is no definition.
const BEFORE_CALLS: &[&str] = &[
    "as", "await", "case", "else", "in", "is", "new", "out", "ref", "return", "throw", "when",
    "yield",
];

/// Whether a word that is in no name of the tree is that of a method in a branch of `#if` that was not read: a type stands before
/// it, parameters behind it.
fn is_unread_head(source: &str, start: usize, word: &str) -> bool {
    let before = source.get(..start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let type_ = line.trim_end();
    let is_type = type_.ends_with(|c: char| c.is_alphanumeric() || "_>]?".contains(c));
    let last = type_.rsplit(|c: char| !c.is_alphanumeric() && c != '_');
    let last = last.into_iter().next().unwrap_or_default();
    let behind = source.get(start + word.len()..).unwrap_or_default();
    is_type
        && type_.len() < line.len()
        && !BEFORE_CALLS.contains(&last)
        && behind.trim_start().starts_with(['(', '<'])
        && before.contains("#if")
}
