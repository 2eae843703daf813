//! Imports: `import … from`, `import a = N.b`, `import('m').T`, `/// <reference path>`.

use tree_sitter::Node;

use super::bindings;
use super::builder::{DefinitionForm, FileBuilder};
use super::frame::{Frame, byte, line_of};
use super::kinds::Kind;
use super::names::is_chain;
use super::nodes::{self, is_type_only, is_type_specifier};
use super::pending::BindingSource;
use crate::ir::{ImportKind, ImportedName};

/// `import … from 'm'`. Never looks inside.
pub(super) fn import_statement(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &Frame) -> bool {
    let type_only = is_type_only(node);
    let mut names = Vec::new();
    let mut cursor = node.walk();
    let mut kind = ImportKind::Static;
    let mut source = node.child_by_field_id(b.grammar.fields.source);
    for child in node.named_children(&mut cursor) {
        match b.grammar.kind(child) {
            Kind::ImportClause => import_clause(b, child, frame, &mut names),
            Kind::ImportRequire => {
                kind = ImportKind::Require;
                source = child.child_by_field_id(b.grammar.fields.source);
                if let Some(local) = child.named_child(0) {
                    bind_import(b, "*", local, false, frame, &mut names);
                }
            }
            _ => {}
        }
    }
    if let Some(source) = source {
        let specifier = nodes::string_literal(b, source).unwrap_or_default();
        b.add_import(specifier, kind, line_of(source), names);
        if let Some(import) = b.imports.last_mut() {
            import.type_only = type_only;
        }
    }
    false
}

fn import_clause(
    b: &mut FileBuilder<'_>,
    clause: Node<'_>,
    frame: &Frame,
    names: &mut Vec<ImportedName>,
) {
    let fields = b.grammar.fields;
    let mut cursor = clause.walk();
    for child in clause.named_children(&mut cursor) {
        match b.grammar.kind(child) {
            Kind::Identifier => bind_import(b, "default", child, false, frame, names),
            Kind::NamespaceImport => {
                if let Some(local) = child.named_child(0) {
                    bind_import(b, "*", local, false, frame, names);
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
                    let imported = nodes::unquoted(b, name);
                    bind_import(b, imported, local, type_only, frame, names);
                }
            }
            _ => {}
        }
    }
}

fn bind_import(
    b: &mut FileBuilder<'_>,
    imported: &str,
    local: Node<'_>,
    type_only: bool,
    frame: &Frame,
    names: &mut Vec<ImportedName>,
) {
    let local = b.text(local);
    b.scopes.bind(local, frame.scope, false);
    names.push(ImportedName {
        imported: imported.to_owned(),
        local: local.to_owned(),
        type_only,
    });
}

/// `import a = N.b`: a name of its own, for something that is used.
pub(super) fn import_alias(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    frame: &mut Frame,
    parent: &Frame,
) {
    let Some(name) = node.named_child(0) else {
        return;
    };
    let text = b.text(name);
    b.scopes.bind(text, frame.scope, true);
    let context = b.context_of(node, parent);
    let kind = crate::model::SymbolKind::Constant;
    let mut definition = DefinitionForm::new(text, kind, line_of(name), frame.enclosing);
    definition.signature = nodes::signature_of(b, node);
    let scope = frame.scope;
    let value = node.named_child(1).map(|value| {
        let path = b.text(value);
        let found = is_chain(path).then(|| b.exprs.chain(path));
        (found, BindingSource::Initializer)
    });
    bindings::bind_target(b, name, value, scope, frame);
    if let Some(symbol) = b.define(definition, &context, frame) {
        b.scopes.bound_symbol(symbol);
        b.export_definition(&context, scope, text, false);
    }
}

/// `/// <reference path="…" />`
pub(super) fn triple_slash(b: &mut FileBuilder<'_>, comment: Node<'_>) {
    let text = b.text(comment);
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
        b.add_import(
            specifier,
            ImportKind::TripleSlash,
            line_of(comment),
            Vec::new(),
        );
    }
}

/// `import('m').T` as a type, perhaps with more names behind. Returns whether it is one.
pub(super) fn import_type(
    b: &mut FileBuilder<'_>,
    text: &str,
    node: Node<'_>,
    frame: &Frame,
) -> bool {
    if !text.starts_with("import") || !is_in_type(b, node, frame) {
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
        b.add_import(specifier, ImportKind::TypeQuery, line, names);
    }
    true
}

/// Returns whether an `import(…)` is a type. A cast's type has no node of its own.
pub(super) fn is_in_type(b: &FileBuilder<'_>, node: Node<'_>, frame: &Frame) -> bool {
    let end = node.start_byte();
    let from = (end.saturating_sub(16)..=end).find(|&at| b.source.is_char_boundary(at));
    let before = b.between(from.unwrap_or(end), end).trim_end();
    frame.in_type || before.ends_with(" as") || before.ends_with(" satisfies")
}
