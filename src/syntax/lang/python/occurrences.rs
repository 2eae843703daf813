//! The part that a name plays at one place of a file: a use, an import, a definition, a comment, …
//!
//! Reads the syntax tree at single bytes. Which definition a use means is not decided here; see `link`.

use tree_sitter::{Node, Tree};

use super::LoweredFile;
use super::grammar::{Grammar, Kind};
use crate::ir::{Import, ReferenceKind};
use crate::syntax::occurrences::{Role, UseKind};

/// Ancestors that are looked at to find the statement around a name.
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
            // Also inside a string: an annotation that names a type.
            return Role::Use {
                reference,
                kind: self.use_kind(reference),
            };
        }
        match self.grammar.kind(node) {
            Kind::Comment => Role::Comment,
            Kind::Identifier if node.byte_range() != (from..to) => Role::OtherName,
            Kind::Identifier => self.named(node, &source[from..to]),
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
    fn named(&self, node: Node<'_>, word: &str) -> Role {
        let mut at = node;
        for _ in 0..MAX_ANCESTORS {
            let Some(parent) = at.parent() else {
                break;
            };
            match self.grammar.kind(parent) {
                Kind::ImportStatement | Kind::ImportFrom => return self.imported(parent, word),
                Kind::FunctionDefinition | Kind::ClassDefinition => {
                    let name = parent.child_by_field_id(self.grammar.fields.name);
                    if name == Some(node) {
                        return Role::Definition;
                    }
                    break;
                }
                Kind::KeywordArgument => {
                    let name = parent.child_by_field_id(self.grammar.fields.name);
                    if name == Some(node) {
                        return Role::Key;
                    }
                    break;
                }
                Kind::Assignment => {
                    let left = parent.child_by_field_id(self.grammar.fields.left);
                    if left == Some(at) {
                        return Role::Definition;
                    }
                    break;
                }
                Kind::Attribute
                    if parent.child_by_field_id(self.grammar.fields.object) == Some(at) =>
                {
                    break;
                }
                Kind::Attribute => at = parent,
                Kind::DottedName | Kind::AliasedImport => at = parent,
                _ => break,
            }
        }
        Role::Local
    }

    /// Returns the name of an import statement that a word in it belongs to.
    fn imported(&self, statement: Node<'_>, word: &str) -> Role {
        let row = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
        let lines = row(statement.start_position().row)..=row(statement.end_position().row);
        let imports = self.file.facts.imports.iter().enumerate();
        let mut here = imports.filter(|(_, import)| lines.contains(&import.line));
        let name_in = |import: &Import| {
            let mut names = import.names.iter();
            names.position(|name| name.imported == word || name.local == word)
        };
        let found = here.find_map(|(at, import)| Some((at, name_in(import)?)));
        match found {
            Some((import, name)) => Role::Import {
                import: u32::try_from(import).unwrap_or(u32::MAX),
                name: u32::try_from(name).unwrap_or(u32::MAX),
            },
            // A part of the module's name.
            None => Role::Text,
        }
    }
}
