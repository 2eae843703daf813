//! The part that a name plays at one place of a file: a use, an import, a definition, a comment, …
//!
//! Reads the syntax tree at single bytes. Which definition a use means is not decided here; see `link`.

use tree_sitter::{Node, Tree};

use super::LoweredFile;
use super::grammar::{Grammar, Kind};
use crate::ir::{Import, ReferenceKind};
use crate::syntax::occurrences::{Role, UseKind};

/// Ancestors that are looked at to find the declaration around a name.
const MAX_ANCESTORS: usize = 6;

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
        match self.grammar.kind(node) {
            Kind::LineComment | Kind::BlockComment => Role::Comment,
            Kind::Identifier | Kind::TypeIdentifier if node.byte_range() != (from..to) => {
                Role::OtherName
            }
            Kind::Identifier | Kind::TypeIdentifier => self.named(node, &source[from..to]),
            _ if self.is_text(node) => Role::Text,
            _ => Role::Unknown,
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

    fn is_text(&self, node: Node<'_>) -> bool {
        let kind = |node: Node<'_>| self.grammar.kind(node);
        matches!(kind(node), Kind::Str | Kind::Character)
            || node.parent().is_some_and(|it| kind(it) == Kind::Str)
    }

    /// Classifies an identifier that is no use which the facts hold.
    fn named(&self, node: Node<'_>, word: &str) -> Role {
        let mut at = node;
        for _ in 0..MAX_ANCESTORS {
            let Some(parent) = at.parent() else {
                break;
            };
            match self.grammar.kind(parent) {
                Kind::Import => return self.imported(parent, word),
                Kind::Package => return Role::Text,
                Kind::ElementValuePair => return Role::Key,
                Kind::ScopedIdentifier => at = parent,
                Kind::VariableDeclarator => {
                    let is_field = parent.parent().is_some_and(|it| {
                        matches!(
                            self.grammar.kind(it),
                            Kind::FieldDeclaration | Kind::ConstantDeclaration
                        )
                    });
                    if is_field && self.is_name_of(parent, node) {
                        return Role::Definition;
                    }
                    break;
                }
                Kind::FormalParameter => {
                    let list = parent.parent();
                    let owner = list.and_then(|it| it.parent());
                    let is_component =
                        owner.is_some_and(|it| self.grammar.kind(it) == Kind::RecordDeclaration);
                    if is_component && self.is_name_of(parent, node) {
                        return Role::Definition;
                    }
                    break;
                }
                Kind::MethodDeclaration
                | Kind::AnnotationElement
                | Kind::Constructor
                | Kind::CompactConstructor
                | Kind::EnumConstant => {
                    if self.is_name_of(parent, node) {
                        return Role::Definition;
                    }
                    break;
                }
                kind if kind.is_type_declaration() => {
                    if self.is_name_of(parent, node) {
                        return Role::Definition;
                    }
                    break;
                }
                _ => break,
            }
        }
        Role::Local
    }

    fn is_name_of(&self, declaration: Node<'_>, node: Node<'_>) -> bool {
        declaration.child_by_field_id(self.grammar.fields.name) == Some(node)
    }

    /// Returns the name of an import that a word in it belongs to.
    fn imported(&self, statement: Node<'_>, word: &str) -> Role {
        let row = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
        let lines = row(statement.start_position().row)..=row(statement.end_position().row);
        let imports = self.file.facts.imports.iter().enumerate();
        let mut here = imports.filter(|(_, import)| lines.contains(&import.line));
        let name_in = |import: &Import| {
            let mut names = import.names.iter();
            names.position(|name| name.local == word)
        };
        let found = here.find_map(|(at, import)| Some((at, name_in(import)?)));
        match found {
            Some((import, name)) => Role::Import {
                import: u32::try_from(import).unwrap_or(u32::MAX),
                name: u32::try_from(name).unwrap_or(u32::MAX),
            },
            // A part of the package's name.
            None => Role::Text,
        }
    }
}
