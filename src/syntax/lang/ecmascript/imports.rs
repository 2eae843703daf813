//! What a file takes from other modules.
//!
//! Knows every form in which a module is named by a literal. Refuses to know which file that is.

use tree_sitter::Node;

use super::hints::Rank;
use super::kinds::Kind;
use super::role::Place;
use super::uses::is_chain;
use super::walk::{Frame, Walk, byte, line_of};
use crate::ir::{Import, ImportKind, ImportedName};

/// Longest specifier in bytes.
const SPECIFIER_BYTES: usize = 1_000;

impl<'a> Walk<'a> {
    /// Records an import.
    pub(super) fn push_import(
        &mut self,
        specifier: &str,
        kind: ImportKind,
        line: u32,
        names: Vec<ImportedName>,
    ) {
        if specifier.is_empty() || specifier.len() > SPECIFIER_BYTES {
            return;
        }
        self.imports.push(Import {
            specifier: specifier.to_owned(),
            kind,
            type_only: kind == ImportKind::TypeQuery,
            line,
            names,
        });
    }

    /// `import … from 'm'`. Never looks inside.
    pub(super) fn import(&mut self, node: Node<'_>, frame: &Frame) -> bool {
        let type_only = is_type_only(node);
        let mut names = Vec::new();
        let mut cursor = node.walk();
        let mut kind = ImportKind::Static;
        let mut source = node.child_by_field_id(self.grammar.fields.source);
        for child in node.named_children(&mut cursor) {
            match self.grammar.kind(child) {
                Kind::ImportClause => self.import_clause(child, frame, &mut names),
                Kind::ImportRequire => {
                    kind = ImportKind::Require;
                    source = child.child_by_field_id(self.grammar.fields.source);
                    if let Some(local) = child.named_child(0) {
                        self.bind_import("*", local, false, frame, &mut names);
                    }
                }
                _ => {}
            }
        }
        if let Some(source) = source {
            let specifier = self.literal(source).unwrap_or_default();
            self.push_import(specifier, kind, line_of(source), names);
            if let Some(import) = self.imports.last_mut() {
                import.type_only = type_only;
            }
        }
        false
    }

    fn import_clause(&mut self, clause: Node<'_>, frame: &Frame, names: &mut Vec<ImportedName>) {
        let fields = self.grammar.fields;
        let mut cursor = clause.walk();
        for child in clause.named_children(&mut cursor) {
            match self.grammar.kind(child) {
                Kind::Identifier => self.bind_import("default", child, false, frame, names),
                Kind::NamespaceImport => {
                    if let Some(local) = child.named_child(0) {
                        self.bind_import("*", local, false, frame, names);
                    }
                }
                Kind::NamedImports => {
                    let mut inner = child.walk();
                    for specifier in child.named_children(&mut inner) {
                        let Some(name) = specifier.child_by_field_id(fields.name) else {
                            continue;
                        };
                        let local = specifier.child_by_field_id(fields.alias).unwrap_or(name);
                        let type_only = is_type_specifier(specifier);
                        let imported = self.unquoted(name);
                        self.bind_import(imported, local, type_only, frame, names);
                    }
                }
                _ => {}
            }
        }
    }

    fn bind_import(
        &mut self,
        imported: &str,
        local: Node<'_>,
        type_only: bool,
        frame: &Frame,
        names: &mut Vec<ImportedName>,
    ) {
        let local = self.text(local);
        self.scopes.bind(local, frame.scope, false);
        names.push(ImportedName {
            imported: imported.to_owned(),
            local: local.to_owned(),
            type_only,
        });
    }

    /// `import a = N.b`: a name of its own, for something that is used.
    pub(super) fn import_alias(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
        let Some(name) = node.named_child(0) else {
            return;
        };
        let text = self.text(name);
        self.scopes.bind(text, frame.scope, true);
        let outer = self.statement(node, parent);
        let kind = crate::model::SymbolKind::Constant;
        let mut definition =
            super::declare::Definition::new(text, kind, line_of(name), frame.naming);
        definition.signature = self.signature_of(node);
        let scope = frame.scope;
        let value = node.named_child(1).map(|value| {
            let path = self.text(value);
            let found = is_chain(path).then(|| self.exprs.chain(path));
            (found, Rank::Initial)
        });
        self.bound(name, value, scope, frame);
        if let Some(symbol) = self.define(definition, &outer, frame) {
            self.scopes.bound_symbol(symbol);
            self.export_local(&outer, scope, text, false);
        }
    }

    /// Returns the module of `require('m')`, `require.resolve('m')` or `import('m')`, with its line.
    pub(super) fn module_call(&self, call: Node<'_>) -> Option<(ImportKind, &'a str, u32)> {
        if self.grammar.kind(call) != Kind::CallExpression {
            return None;
        }
        let function = call.child(0)?;
        let kind = match self.grammar.kind(function) {
            Kind::ImportKeyword => ImportKind::Dynamic,
            Kind::Identifier if self.text(function) == "require" => ImportKind::Require,
            Kind::MemberExpression if self.text(function) == "require.resolve" => {
                ImportKind::RequireResolve
            }
            _ => return None,
        };
        let arguments = call.child_by_field_id(self.grammar.fields.arguments)?;
        let mut cursor = arguments.walk();
        let first = arguments
            .named_children(&mut cursor)
            .find(|child| self.grammar.kind(*child) != Kind::Comment)?;
        Some((kind, self.literal(first)?, line_of(first)))
    }

    /// A call: perhaps an import, perhaps a definition in CommonJS's manner.
    pub(super) fn call(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
        if self.bound_call == Some(node.id()) {
            self.bound_call = None;
        } else if let Some((mut kind, specifier, line)) = self.module_call(node) {
            if kind == ImportKind::Dynamic && self.is_in_type(node, frame) {
                kind = ImportKind::TypeQuery;
            }
            self.push_import(specifier, kind, line, Vec::new());
        }
        self.handed(node);
        self.expect_arguments(node);
        if parent.kind == Kind::ExpressionStatement {
            self.inherited(node, parent);
            self.defining_call(node, frame, parent);
        } else if frame.place == Place::Exports {
            frame.place = Place::None;
        }
    }

    /// `/// <reference path="…" />`
    pub(super) fn triple_slash(&mut self, comment: Node<'_>) {
        let text = self.text(comment);
        let Some(rest) = text.strip_prefix("///").map(str::trim_start) else {
            return;
        };
        let path = rest
            .strip_prefix("<reference")
            .and_then(|rest| rest.split_once("path="))
            .map(|(_, path)| path.trim_start());
        let quoted = path.and_then(|path| {
            let quote = path.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            path[1..].split_once(quote)
        });
        if let Some((specifier, _)) = quoted {
            self.push_import(
                specifier,
                ImportKind::TripleSlash,
                line_of(comment),
                Vec::new(),
            );
        }
    }

    /// `import('m').T` as a type, perhaps with more names behind. Returns whether it is one.
    pub(super) fn import_type(&mut self, text: &str, node: Node<'_>, frame: &Frame) -> bool {
        if !text.starts_with("import") || !self.is_in_type(node, frame) {
            return false;
        }
        let inner = text
            .split_once('(')
            .and_then(|(_, rest)| rest.split_once(')'));
        if let Some((specifier, rest)) = inner {
            let specifier = specifier.trim().trim_matches(['"', '\'', '`']);
            let rest = rest.trim_start().trim_start_matches('.').trim_start();
            let imported = rest.split('.').next().unwrap_or(rest).trim_end();
            let names = vec![ImportedName {
                imported: imported.to_owned(),
                local: String::new(),
                type_only: true,
            }];
            let line = byte(node.start_position().row) + 1;
            self.push_import(specifier, ImportKind::TypeQuery, line, names);
        }
        true
    }

    /// Returns whether an `import(…)` is a type. A cast's type has no node of its own.
    fn is_in_type(&self, node: Node<'_>, frame: &Frame) -> bool {
        let end = node.start_byte();
        let from = (end.saturating_sub(16)..=end).find(|&at| self.source.is_char_boundary(at));
        let before = self.between(from.unwrap_or(end), end).trim_end();
        frame.in_type || before.ends_with(" as") || before.ends_with(" satisfies")
    }

    /// Returns what a string says; `None` for anything but a string without substitutions.
    pub(super) fn literal(&self, node: Node<'_>) -> Option<&'a str> {
        let text = self.text(node);
        let inner = text.get(1..text.len().checked_sub(1)?)?;
        match self.grammar.kind(node) {
            Kind::Str => Some(inner),
            Kind::TemplateString if !inner.contains("${") => Some(inner),
            _ => None,
        }
    }

    /// Returns a name, without the quotes that it may have in a list.
    pub(super) fn unquoted(&self, node: Node<'_>) -> &'a str {
        self.text(node).trim_matches(['"', '\''])
    }
}

/// Returns whether a character can stand in a name.
pub(super) fn is_import_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Returns whether `type` stands right after the first word of a statement.
pub(super) fn is_type_only(node: Node<'_>) -> bool {
    node.child(1)
        .is_some_and(|word| matches!(word.kind(), "type" | "typeof") && !word.is_named())
}

/// Returns whether a name in a list is marked `type`.
pub(super) fn is_type_specifier(node: Node<'_>) -> bool {
    node.child_count() > 1
        && node
            .child(0)
            .is_some_and(|word| matches!(word.kind(), "type" | "typeof") && !word.is_named())
}

/// Returns the module and the name there of a type that is imported where it stands: `T` of `import('m').T`, `*` of
/// `import('m')`.
pub(super) fn import_of(text: &str) -> Option<(&str, &str)> {
    let (specifier, rest) = text.strip_prefix("import(")?.split_once(')')?;
    let specifier = specifier.trim();
    let module = specifier.trim_matches(['"', '\'', '`']);
    if module.is_empty() || module.len() + 2 != specifier.len() {
        return None;
    }
    let rest = rest.split('<').next().unwrap_or(rest).trim();
    let Some(name) = rest.strip_prefix('.') else {
        return rest.is_empty().then_some((module, "*"));
    };
    let name = name.trim();
    (is_chain(name) && !name.contains('.')).then_some((module, name))
}
