//! The part that a name plays at one place of a file: a use, an import, a definition, a comment, …
//!
//! Reads the syntax tree at single bytes. Which definition a use means is not decided here; see `link`.

use tree_sitter::{Node, Tree};

use super::LoweredFile;
use super::grammar::{Grammar, Kind};
use crate::ir::ReferenceKind;
use crate::syntax::occurrences::{Role, UseKind};

/// A file with its tree, to classify places in it.
pub(in crate::syntax) struct PositionedFile {
    pub(super) grammar: &'static Grammar,
    /// `None` where the file costs too much to parse: then nothing is known of any place.
    pub(super) tree: Option<Tree>,
    pub(in crate::syntax) file: LoweredFile,
}

impl PositionedFile {
    /// Classifies the word at `start..end`.
    pub(in crate::syntax) fn role(&self, source: &str, start: u32, end: u32) -> Role {
        let (from, to) = (start as usize, end as usize);
        let root = self.tree.as_ref().map(Tree::root_node);
        let Some(node) = root.and_then(|root| root.descendant_for_byte_range(from, to)) else {
            return Role::Unknown;
        };
        if let Some(reference) = self.use_at(start) {
            return Role::Use {
                reference,
                kind: self.use_kind(reference),
            };
        }
        let is_whole = node.byte_range() == (from..to);
        match self.grammar.kind(node) {
            Kind::Comment => Role::Comment,
            _ if node.kind().contains("string_literal") => self.in_string(node, &source[from..to]),
            _ if !node.kind().ends_with("identifier") => Role::Unknown,
            _ if !is_whole => Role::OtherName,
            _ => self.named(node),
        }
    }

    /// Returns every use of the file, by the first byte of its name.
    pub(in crate::syntax) fn uses(&self) -> impl Iterator<Item = (u32, u32, UseKind)> {
        let all = self.file.positions.iter();
        all.map(|(start, reference)| (*start, *reference, self.use_kind(*reference)))
    }

    fn use_at(&self, start: u32) -> Option<u32> {
        let positions = &self.file.positions;
        let at = positions.binary_search_by_key(&start, |position| position.0);
        Some(positions[at.ok()?].1)
    }

    fn use_kind(&self, reference: u32) -> UseKind {
        match self.file.facts.references[reference as usize].kind {
            ReferenceKind::Call | ReferenceKind::Jsx => UseKind::Call,
            ReferenceKind::New => UseKind::New,
            ReferenceKind::Decorator => UseKind::Decorator,
            ReferenceKind::Type => UseKind::Type,
            ReferenceKind::Heritage => UseKind::Extends,
            ReferenceKind::Value => UseKind::Reference,
        }
    }

    /// Classifies a word in a string: the path of an import names a package.
    fn in_string(&self, node: Node<'_>, word: &str) -> Role {
        let spec = std::iter::successors(Some(node), Node::parent)
            .take(3)
            .find(|it| self.grammar.kind(*it) == Kind::ImportSpec);
        let Some(spec) = spec else {
            return Role::Text;
        };
        self.import_at(spec, word).unwrap_or(Role::Text)
    }

    fn import_at(&self, spec: Node<'_>, word: &str) -> Option<Role> {
        let line = u32::try_from(spec.end_position().row + 1).ok()?;
        let imports = &self.file.facts.imports;
        let import = imports.iter().position(|it| it.line == line)?;
        let names = &imports[import].names;
        let name = names.iter().position(|name| name.local == word)?;
        Some(Role::Import {
            import: u32::try_from(import).ok()?,
            name: u32::try_from(name).ok()?,
        })
    }

    /// Classifies an identifier that is no use which the facts hold.
    #[expect(clippy::match_same_arms, reason = "each arm is a case of its own")]
    fn named(&self, node: Node<'_>) -> Role {
        let fields = self.grammar.fields;
        let Some(parent) = node.parent() else {
            return Role::Unknown;
        };
        match self.grammar.kind(parent) {
            Kind::ImportSpec => Role::Local,
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
            | Kind::TypeParameterDeclaration => Role::Definition,
            Kind::SelectorExpression if parent.child_by_field_id(fields.field) == Some(node) => {
                Role::Unknown
            }
            Kind::LiteralElement => {
                let element = parent.parent();
                let is_key =
                    element.is_some_and(|it| it.child_by_field_id(fields.key) == Some(parent));
                if is_key { Role::Key } else { Role::Local }
            }
            Kind::ExpressionList => {
                let around = parent.parent();
                let declares = around.is_some_and(|it| {
                    it.child_by_field_id(fields.left) == Some(parent)
                        && self.grammar.kind(it) == Kind::ShortVarDeclaration
                });
                if declares {
                    Role::Definition
                } else {
                    Role::Local
                }
            }
            _ => Role::Local,
        }
    }
}
