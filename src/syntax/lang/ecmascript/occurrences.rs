//! Classifies the occurrences of a name in JavaScript and TypeScript: a use, an import, a definition, a comment, …
//!
//! Reads the syntax tree at single bytes. Which definition a use means is not decided here; see `link`.

use tree_sitter::{Node, Tree};

use super::doc_names::role_in_comment;
use super::finish::{LoweredScript, PositionedUse};
use super::kinds::{Grammar, Kind};
use crate::ir::{Export, Import, ReferenceKind};
use crate::syntax::lang::tree_walk::is_keyword;
use crate::syntax::occurrences::{OccurrenceRole, UseKind};

/// Ancestors that are looked at to tell `extends` from `implements`, an import from an export.
const MAX_ANCESTORS: usize = 6;

/// A script with its tree, to classify places in it.
pub(in crate::syntax) struct PositionedScript {
    pub(super) grammar: &'static Grammar,
    /// `None` where the script costs too much to parse: then nothing is known of any place.
    pub(super) tree: Option<Tree>,
    /// The facts, with the position of each use.
    pub(in crate::syntax) script: LoweredScript,
}

impl PositionedScript {
    pub(super) fn unreadable(grammar: &'static Grammar) -> Self {
        Self {
            grammar,
            tree: None,
            script: LoweredScript::unreadable(),
        }
    }

    /// Classifies the word at `start..end` of `source`, the text that the tree was parsed from.
    pub(in crate::syntax) fn role(&self, source: &str, start: u32, end: u32) -> OccurrenceRole {
        let (from, to) = (start as usize, end as usize);
        let Some(node) = self.node(from, to) else {
            return OccurrenceRole::Unknown;
        };
        let kind = self.grammar.kind(node);
        if kind == Kind::Comment || node.kind() == "html_comment" || node.kind() == "hash_bang_line"
        {
            return self
                .use_at(node, start)
                .or_else(|| self.in_doc(node, source, from))
                .unwrap_or(OccurrenceRole::Comment);
        }
        if is_text(node) {
            // The name in a type may be in quotes: `T['a']`.
            return self.use_at(node, start).unwrap_or(OccurrenceRole::Text);
        }
        if is_keyword(node) {
            return OccurrenceRole::OtherName;
        }
        if !is_name(kind) {
            return OccurrenceRole::Unknown;
        }
        if node.start_byte() != from || node.end_byte() != to {
            // `job` in `$job` and `#job`: part of another identifier, but for the value of a store in Svelte.
            return self
                .use_at(node, start)
                .unwrap_or(OccurrenceRole::OtherName);
        }
        self.use_at(node, start)
            .or_else(|| self.closed(node, start))
            .or_else(|| self.passed_on(node, &source[from..to]))
            .unwrap_or_else(|| self.declared(node, kind))
    }

    /// Returns every use of the script, by the first byte of its name.
    pub(in crate::syntax) fn uses(&self) -> impl Iterator<Item = (u32, u32, UseKind)> {
        self.script.positions.iter().filter_map(|position| {
            let PositionedUse::Of(reference) = position.used else {
                return None;
            };
            let at = position.start as usize;
            let kind = self.use_kind(reference, self.node(at, at + 1));
            Some((position.start, reference, kind))
        })
    }

    fn node(&self, from: usize, to: usize) -> Option<Node<'_>> {
        let root = self.tree.as_ref()?.root_node();
        root.descendant_for_byte_range(from, to)
    }

    fn use_at(&self, node: Node<'_>, start: u32) -> Option<OccurrenceRole> {
        let positions = &self.script.positions;
        let at = positions.binary_search_by_key(&start, |position| position.start);
        Some(match positions[at.ok()?].used {
            PositionedUse::Of(reference) => OccurrenceRole::Use {
                reference,
                kind: self.use_kind(reference, Some(node)),
            },
            PositionedUse::Local => OccurrenceRole::Local,
            PositionedUse::Global => OccurrenceRole::Global(UseKind::Reference),
        })
    }

    fn use_kind(&self, reference: u32, node: Option<Node<'_>>) -> UseKind {
        let facts = &self.script.facts;
        match facts.references[reference as usize].kind {
            ReferenceKind::Call | ReferenceKind::Jsx => UseKind::Call,
            ReferenceKind::New => UseKind::New,
            ReferenceKind::Decorator => UseKind::Decorator,
            ReferenceKind::Type | ReferenceKind::TypeQuery => UseKind::Type,
            ReferenceKind::Value | ReferenceKind::Listed | ReferenceKind::Quoted => {
                UseKind::Reference
            }
            ReferenceKind::Heritage => {
                let implements = |node| self.ancestor(node, &[Kind::ImplementsClause]).is_some();
                if node.is_some_and(implements) {
                    UseKind::Implements
                } else {
                    UseKind::Extends
                }
            }
        }
    }

    /// Returns the role of a word in a type of a doc comment.
    fn in_doc(&self, comment: Node<'_>, source: &str, at: usize) -> Option<OccurrenceRole> {
        let text = source.get(comment.byte_range())?;
        let is_read = self.grammar.untyped && self.grammar.kind(comment) == Kind::Comment;
        is_read.then(|| role_in_comment(text, at - comment.start_byte()))?
    }

    /// Returns the use of the opening tag for a name in its closing tag.
    fn closed(&self, node: Node<'_>, start: u32) -> Option<OccurrenceRole> {
        let mut closing = node.parent()?;
        for _ in 0..MAX_ANCESTORS {
            if self.grammar.kind(closing) == Kind::JsxClosing {
                break;
            }
            closing = closing.parent()?;
        }
        let opening = closing.parent()?.child(0)?;
        let is_pair = self.grammar.kind(closing) == Kind::JsxClosing
            && self.grammar.kind(opening) == Kind::JsxOpening;
        let fields = &self.grammar.fields;
        let names = is_pair.then(|| {
            let closing = closing.child_by_field_id(fields.name)?;
            Some((closing, opening.child_by_field_id(fields.name)?))
        });
        let (closing, opening) = names??;
        let within = start as usize - closing.start_byte();
        let at = u32::try_from(opening.start_byte() + within).ok()?;
        let node = self.node(at as usize, at as usize + node.byte_range().len())?;
        self.use_at(node, at).or(Some(OccurrenceRole::OtherName))
    }

    /// Returns the import or export that a name in its list belongs to: `a` in `import { a as b } from 'm'`.
    fn passed_on(&self, node: Node<'_>, word: &str) -> Option<OccurrenceRole> {
        let statements = [
            Kind::ImportStatement,
            Kind::ExportStatement,
            Kind::VariableDeclarator,
        ];
        let statement = self.ancestor(node, &statements)?;
        let lines = |node: Node<'_>| {
            let row = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
            row(node.start_position().row)..=row(node.end_position().row)
        };
        let facts = &self.script.facts;
        let lines = lines(statement);
        if self.grammar.kind(statement) == Kind::ExportStatement {
            let is_value = node.parent().is_some_and(|it| it.id() == statement.id());
            if is_value {
                // `export default store`, `export = store`
                let is_it = |export: &Export| {
                    let is_whole = matches!(export.name.as_str(), "default" | "export=");
                    is_whole && export.specifier.is_empty() && export.local == word
                };
                return at(&facts.exports, is_it).map(|export| OccurrenceRole::Export { export });
            }
            self.ancestor(node, &[Kind::ExportClause, Kind::NamespaceExport])?;
            let is_it = |export: &Export| {
                lines.contains(&export.line) && (export.name == word || export.local == word)
            };
            return at(&facts.exports, is_it).map(|export| OccurrenceRole::Export { export });
        }
        let has_word = |import: &Import| {
            let mut names = import.names.iter();
            names.position(|name| name.imported == word || name.local == word)
        };
        let import = at(&facts.imports, |import| {
            lines.contains(&import.line) && has_word(import).is_some()
        })?;
        let name = has_word(&facts.imports[import as usize])?;
        Some(OccurrenceRole::Import {
            import,
            name: u32::try_from(name).unwrap_or(u32::MAX),
        })
    }

    /// Classifies a name that is neither used nor imported.
    fn declared(&self, node: Node<'_>, kind: Kind) -> OccurrenceRole {
        let Some(parent) = node.parent() else {
            return OccurrenceRole::Unknown;
        };
        if node.is_error() || parent.is_error() {
            return OccurrenceRole::Unknown;
        }
        match self.grammar.kind(parent) {
            Kind::JsxAttribute
            | Kind::JsxOpening
            | Kind::JsxSelfClosing
            | Kind::JsxNamespaceName => OccurrenceRole::Key,
            Kind::ObjectPattern | Kind::PairPattern | Kind::ObjectAssignmentPattern
                if matches!(kind, Kind::PropertyIdentifier | Kind::ShorthandPattern) =>
            {
                OccurrenceRole::Key
            }
            Kind::MemberExpression | Kind::Subscript => OccurrenceRole::Unknown,
            _ => OccurrenceRole::Definition,
        }
    }

    /// Returns the nearest node around `node` of one of some kinds, within [`MAX_ANCESTORS`].
    fn ancestor<'t>(&self, node: Node<'t>, kinds: &[Kind]) -> Option<Node<'t>> {
        let mut at = node.parent();
        for _ in 0..MAX_ANCESTORS {
            let here = at?;
            if kinds.contains(&self.grammar.kind(here)) {
                return Some(here);
            }
            at = here.parent();
        }
        None
    }
}

fn at<T>(all: &[T], is_it: impl Fn(&T) -> bool) -> Option<u32> {
    let at = all.iter().position(is_it)?;
    u32::try_from(at).ok()
}

/// Whether a node holds text and no code: a string's content, a regular expression, text between tags.
fn is_text(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "string"
            | "string_fragment"
            | "template_string"
            | "regex"
            | "regex_pattern"
            | "regex_flags"
            | "jsx_text"
            | "escape_sequence"
            | "html_character_reference"
            | "template_literal_type"
    )
}

fn is_name(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Identifier
            | Kind::TypeIdentifier
            | Kind::PropertyIdentifier
            | Kind::PrivateIdentifier
            | Kind::Shorthand
            | Kind::ShorthandPattern
    )
}
