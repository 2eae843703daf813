//! Exports by statement: `export { f as g }`, `export * from`, `export default`.

use tree_sitter::Node;

use super::bindings;
use super::builder::{DeclarationContext, DefinitionForm, FileBuilder};
use super::frame::{AssignmentTarget, Frame, line_of};
use super::initializers::{self, Initializer};
use super::kinds::Kind;
use super::nodes::{self, is_type_only, is_type_specifier};
use crate::ir::{Export, ExportKind, ImportKind, ImportedName};
use crate::model::SymbolKind;
use crate::syntax::signature;

/// `export …`. Returns whether to look inside.
pub(super) fn export_statement(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &mut Frame) -> bool {
    let fields = b.grammar.fields;
    if let Some(source) = node.child_by_field_id(fields.source) {
        export_from(b, node, source);
        return false;
    }
    let default = has_word(node, "default");
    let context = DeclarationContext {
        exported: true,
        default,
        ..b.own_context(node)
    };
    if node.child_by_field_id(fields.declaration).is_some() {
        frame.context = b.push_context(context);
        return true;
    }
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let clause = children
        .iter()
        .find(|c| b.grammar.kind(**c) == Kind::ExportClause);
    if let Some(clause) = clause {
        export_clause(b, node, *clause, frame);
        return false;
    }
    let value = node.child_by_field_id(fields.value).or_else(|| {
        children
            .iter()
            .rev()
            .find(|c| !matches!(b.grammar.kind(**c), Kind::Comment | Kind::Decorator))
            .copied()
    });
    match value {
        Some(value) if default => export_default(b, node, value, &context, frame),
        Some(value) if has_word(node, "=") => export_assignment(b, node, value, &context, frame),
        // `export as namespace N`, and code with errors.
        Some(value) => b.grammar.kind(value) != Kind::Identifier,
        None => true,
    }
}

fn export_from(b: &mut FileBuilder<'_>, node: Node<'_>, source: Node<'_>) {
    let specifier = nodes::string_literal(b, source)
        .unwrap_or_default()
        .to_owned();
    let type_only = is_type_only(node);
    let mut names = Vec::new();
    let mut offer = |kind: ExportKind, name: &str, local: &str, type_only: bool, line: u32| {
        names.push((
            Export {
                kind,
                name: name.to_owned(),
                local: local.to_owned(),
                specifier: specifier.clone(),
                type_only,
                line,
            },
            ImportedName {
                imported: local.to_owned(),
                local: name.to_owned(),
                type_only,
            },
        ));
    };
    let mut cursor = node.walk();
    let mut star = true;
    for child in node.named_children(&mut cursor) {
        match b.grammar.kind(child) {
            Kind::ExportClause => {
                star = false;
                for (name, local, one, line) in specifiers(b, child) {
                    offer(ExportKind::From, name, local, type_only || one, line);
                }
            }
            Kind::NamespaceExport => {
                star = false;
                let name = child
                    .named_child(0)
                    .map_or("", |name| nodes::unquoted(b, name));
                offer(ExportKind::Namespace, name, "*", type_only, line_of(child));
            }
            _ => {}
        }
    }
    if star {
        offer(ExportKind::Star, "*", "*", type_only, line_of(node));
    }
    let (exports, imported): (Vec<_>, Vec<_>) = names.into_iter().unzip();
    b.exports.extend(exports);
    b.add_import(&specifier, ImportKind::ReExport, line_of(source), imported);
    if let Some(import) = b.imports.last_mut() {
        import.type_only = type_only;
    }
}

/// The names of an export list, `export { f as g, type T }`: exported name, local name, whether it is marked `type`,
/// line.
fn specifiers<'a>(b: &FileBuilder<'a>, clause: Node<'_>) -> Vec<(&'a str, &'a str, bool, u32)> {
    let fields = &b.grammar.fields;
    let mut cursor = clause.walk();
    clause
        .named_children(&mut cursor)
        .filter_map(|specifier| {
            let name = specifier.child_by_field_id(fields.name)?;
            let alias = specifier.child_by_field_id(fields.alias).unwrap_or(name);
            let type_only = is_type_specifier(specifier);
            let line = line_of(specifier);
            Some((
                nodes::unquoted(b, alias),
                nodes::unquoted(b, name),
                type_only,
                line,
            ))
        })
        .collect()
}

fn export_clause(b: &mut FileBuilder<'_>, node: Node<'_>, clause: Node<'_>, frame: &Frame) {
    if frame.scope != 0 {
        return;
    }
    let type_only = is_type_only(node);
    for (name, local, one, line) in specifiers(b, clause) {
        b.exported_names.insert(local.to_owned());
        b.add_export(ExportKind::Local, name, local, "", line)
            .type_only = type_only || one;
    }
}

fn export_default(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    value: Node<'_>,
    context: &DeclarationContext,
    frame: &mut Frame,
) -> bool {
    let initializer = initializers::classify(b, value);
    if let Initializer::Name(name) = initializer {
        let local = b.text(name);
        b.exported_names.insert(local.to_owned());
        b.export_definition(context, frame.scope, local, false);
        // A cast holds types that are used.
        return b.grammar.kind(value) != Kind::Identifier;
    }
    define_default(b, node, value, initializer, context, frame);
    true
}

/// `export = value`
fn export_assignment(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    value: Node<'_>,
    context: &DeclarationContext,
    frame: &mut Frame,
) -> bool {
    let initializer = initializers::classify(b, value);
    if let Initializer::Name(name) = initializer {
        let local = b.text(name);
        add_assignment(b, local, "", line_of(node));
        return false;
    }
    let quiet = DeclarationContext {
        default: false,
        ..*context
    };
    define_default(b, node, value, initializer, &quiet, frame);
    if let Some(export) = b.exports.last_mut() {
        export.kind = ExportKind::Assignment;
        "export=".clone_into(&mut export.name);
    }
    true
}

/// Adds a symbol for a default export without a name. `frame` is that of the statement.
pub(super) fn define_default(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    value: Node<'_>,
    initializer: Initializer<'_>,
    context: &DeclarationContext,
    frame: &mut Frame,
) {
    let (kind, body) = match initializer {
        Initializer::Function(body) | Initializer::Wrapped(body) => {
            (SymbolKind::Function, Some(body))
        }
        Initializer::Class(body) => (SymbolKind::Class, Some(body)),
        Initializer::Object(body) => (SymbolKind::Module, Some(body)),
        _ => (SymbolKind::Module, None),
    };
    let own = match initializer {
        Initializer::Function(body) | Initializer::Class(body) => {
            body.child_by_field_id(b.grammar.fields.name)
        }
        _ => None,
    };
    let name = own.map_or("default", |own| b.text(own));
    let line = line_of(own.unwrap_or(value));
    let end = match body {
        Some(body) if kind == SymbolKind::Module => body.start_byte(),
        Some(body) => nodes::body_start(b, body),
        None => value.end_byte(),
    };
    let scope = frame.scope;
    let mut definition = DefinitionForm::new(name, kind, line, frame.enclosing);
    definition.signature = signature::of_head(nodes::head(b, node, end));
    b.scopes.bind(name, scope, true);
    if matches!(initializer, Initializer::Other | Initializer::Module(_)) {
        let found = bindings::evidence(b, None, Some(value), context.span.start_byte as usize);
        bindings::bind_member(b, frame.enclosing, name, found, frame);
    }
    if let Some(symbol) = b.define(definition, context, frame) {
        initializers::own_body(b, initializer, symbol);
        if kind == SymbolKind::Class {
            b.enclosing[frame.enclosing as usize].members = true;
        }
        frame.target = AssignmentTarget::Value(frame.enclosing);
        b.export_definition(context, scope, name, false);
    }
}

/// Records that the module itself is `local`, of this file or of the module `specifier`.
pub(super) fn add_assignment(b: &mut FileBuilder<'_>, local: &str, specifier: &str, line: u32) {
    if specifier.is_empty() && !local.is_empty() {
        b.exported_names.insert(local.to_owned());
    }
    b.add_export(ExportKind::Assignment, "export=", local, specifier, line);
}

/// Returns whether a keyword or mark stands directly in a node.
fn has_word(node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .take(8)
        .any(|child| !child.is_named() && child.kind() == word)
}
