//! Classifies the occurrences of a name in Go: a use, an import, a definition, a comment, …
//!
//! Reads the syntax tree at single bytes. Which definition a use means is not decided here; see `link`.

use tree_sitter::Node;

use super::grammar::{Grammar, Kind, grammar};
use crate::ir::FileFacts;
use crate::syntax::lang::frontend::SourceWord;
use crate::syntax::occurrences::OccurrenceRole;

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
            Kind::LabelName => OccurrenceRole::OtherName,
            _ if node.kind().contains("string_literal") => self.in_string(node, word.text),
            _ if !node.kind().ends_with("identifier") => OccurrenceRole::Unknown,
            _ if !word.is_whole => OccurrenceRole::OtherName,
            _ => self.identifier_role(node),
        }
    }
    /// Classifies a word in a string: the path of an import names a package.
    fn in_string(&self, node: Node<'_>, word: &str) -> OccurrenceRole {
        let spec = std::iter::successors(Some(node), Node::parent)
            .take(3)
            .find(|it| self.grammar.kind(*it) == Kind::ImportSpec);
        let Some(spec) = spec else {
            return OccurrenceRole::Text;
        };
        self.import_at(spec, word).unwrap_or(OccurrenceRole::Text)
    }

    fn import_at(&self, spec: Node<'_>, word: &str) -> Option<OccurrenceRole> {
        let line = u32::try_from(spec.end_position().row + 1).ok()?;
        let imports = &self.facts.imports;
        let import = imports.iter().position(|it| it.line == line)?;
        let names = &imports[import].names;
        let name = names.iter().position(|name| name.local == word)?;
        Some(OccurrenceRole::Import {
            import: u32::try_from(import).ok()?,
            name: u32::try_from(name).ok()?,
        })
    }

    /// Classifies an identifier that is no use which the facts hold.
    #[expect(clippy::match_same_arms, reason = "each arm is a case of its own")]
    fn identifier_role(&self, node: Node<'_>) -> OccurrenceRole {
        let fields = self.grammar.fields;
        let Some(parent) = node.parent() else {
            return OccurrenceRole::Unknown;
        };
        match self.grammar.kind(parent) {
            Kind::ImportSpec => OccurrenceRole::Local,
            Kind::PackageClause => OccurrenceRole::OtherName,
            Kind::FunctionDeclaration
            | Kind::MethodDeclaration
            | Kind::MethodElem
            | Kind::TypeSpec
            | Kind::TypeAlias
            | Kind::FieldDeclaration
            | Kind::ConstSpec
            | Kind::VarSpec
            | Kind::ParameterDeclaration
            | Kind::VariadicParameter
            | Kind::TypeParameterDeclaration => OccurrenceRole::Definition,
            Kind::SelectorExpression if parent.child_by_field_id(fields.field) == Some(node) => {
                OccurrenceRole::Unknown
            }
            Kind::LiteralElement => {
                let element = parent.parent();
                let is_key =
                    element.is_some_and(|it| it.child_by_field_id(fields.key) == Some(parent));
                if is_key {
                    OccurrenceRole::Key
                } else {
                    OccurrenceRole::Local
                }
            }
            Kind::ExpressionList => {
                let around = parent.parent();
                let declares = around.is_some_and(|it| {
                    it.child_by_field_id(fields.left) == Some(parent)
                        && self.grammar.kind(it) == Kind::ShortVarDeclaration
                });
                if declares {
                    OccurrenceRole::Definition
                } else {
                    OccurrenceRole::Local
                }
            }
            _ => OccurrenceRole::Local,
        }
    }
}
