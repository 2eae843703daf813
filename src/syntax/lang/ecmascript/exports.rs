//! What a file offers to other modules by `export`.
//!
//! Knows the forms of the language's own modules. Refuses to know CommonJS.

use tree_sitter::Node;

use super::declare::Definition;
use super::imports::{is_type_only, is_type_specifier};
use super::kinds::Kind;
use super::role::Place;
use super::walk::{Frame, Outer, Walk, line_of, span_of};
use super::worth::Worth;
use crate::ir::{Export, ExportKind, ImportKind, ImportedName};
use crate::model::SymbolKind;
use crate::syntax::signature;

impl<'a> Walk<'a> {
    /// `export …`. Returns whether to look inside.
    pub(super) fn export(&mut self, node: Node<'_>, frame: &mut Frame) -> bool {
        let fields = self.grammar.fields;
        if let Some(source) = node.child_by_field_id(fields.source) {
            self.export_from(node, source);
            return false;
        }
        let default = has_word(node, "default");
        let outer = Outer {
            span: span_of(node),
            exported: true,
            default,
            mark: self.uses.len(),
            ..Outer::default()
        };
        if node.child_by_field_id(fields.declaration).is_some() {
            frame.outer = self.push_outer(outer);
            return true;
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        let clause = children
            .iter()
            .find(|c| self.grammar.kind(**c) == Kind::ExportClause);
        if let Some(clause) = clause {
            self.export_clause(node, *clause, frame);
            return false;
        }
        let value = node.child_by_field_id(fields.value).or_else(|| {
            children
                .iter()
                .rev()
                .find(|c| !matches!(self.grammar.kind(**c), Kind::Comment | Kind::Decorator))
                .copied()
        });
        match value {
            Some(value) if default => self.export_default(node, value, &outer, frame),
            Some(value) if has_word(node, "=") => {
                self.export_assignment(node, value, &outer, frame)
            }
            // `export as namespace N` and what could not be read.
            Some(value) => self.grammar.kind(value) != Kind::Identifier,
            None => true,
        }
    }

    fn export_from(&mut self, node: Node<'_>, source: Node<'_>) {
        let specifier = self.literal(source).unwrap_or_default().to_owned();
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
            match self.grammar.kind(child) {
                Kind::ExportClause => {
                    star = false;
                    for (name, local, one, line) in self.specifiers(child) {
                        offer(ExportKind::From, name, local, type_only || one, line);
                    }
                }
                Kind::NamespaceExport => {
                    star = false;
                    let name = child.named_child(0).map_or("", |name| self.unquoted(name));
                    offer(ExportKind::Namespace, name, "*", type_only, line_of(child));
                }
                _ => {}
            }
        }
        if star {
            offer(ExportKind::Star, "*", "*", type_only, line_of(node));
        }
        let (exports, imported): (Vec<_>, Vec<_>) = names.into_iter().unzip();
        self.exports.extend(exports);
        self.push_import(&specifier, ImportKind::ReExport, line_of(source), imported);
        if let Some(import) = self.imports.last_mut() {
            import.type_only = type_only;
        }
    }

    /// Returns the names of a list: what each is offered by, what it is here, whether it is marked `type`,
    /// and its line.
    fn specifiers(&self, clause: Node<'_>) -> Vec<(&'a str, &'a str, bool, u32)> {
        let fields = &self.grammar.fields;
        let mut cursor = clause.walk();
        clause
            .named_children(&mut cursor)
            .filter_map(|specifier| {
                let name = specifier.child_by_field_id(fields.name)?;
                let alias = specifier.child_by_field_id(fields.alias).unwrap_or(name);
                let type_only = is_type_specifier(specifier);
                let line = line_of(specifier);
                Some((self.unquoted(alias), self.unquoted(name), type_only, line))
            })
            .collect()
    }

    fn export_clause(&mut self, node: Node<'_>, clause: Node<'_>, frame: &Frame) {
        if frame.scope != 0 {
            return;
        }
        let type_only = is_type_only(node);
        for (name, local, one, line) in self.specifiers(clause) {
            self.offered.insert(local.to_owned());
            self.exports.push(Export {
                kind: ExportKind::Local,
                name: name.to_owned(),
                local: local.to_owned(),
                specifier: String::new(),
                type_only: type_only || one,
                line,
            });
        }
    }

    fn export_default(
        &mut self,
        node: Node<'_>,
        value: Node<'_>,
        outer: &Outer,
        frame: &mut Frame,
    ) -> bool {
        let worth = self.worth(value);
        if let Worth::Name(name) = worth {
            let local = self.text(name);
            self.offered.insert(local.to_owned());
            self.export_local(outer, frame.scope, local, false);
            // A cast holds types that are used.
            return self.grammar.kind(value) != Kind::Identifier;
        }
        self.define_default(node, value, worth, outer, frame);
        true
    }

    /// `export = value`
    fn export_assignment(
        &mut self,
        node: Node<'_>,
        value: Node<'_>,
        outer: &Outer,
        frame: &mut Frame,
    ) -> bool {
        let worth = self.worth(value);
        if let Worth::Name(name) = worth {
            let local = self.text(name);
            self.push_assignment(local, "", line_of(node));
            return false;
        }
        let quiet = Outer {
            default: false,
            ..*outer
        };
        self.define_default(node, value, worth, &quiet, frame);
        if let Some(export) = self.exports.last_mut() {
            export.kind = ExportKind::Assignment;
            "export=".clone_into(&mut export.name);
        }
        true
    }

    /// Gives a symbol to what is exported without a name. `frame` is that of the statement.
    pub(super) fn define_default(
        &mut self,
        node: Node<'_>,
        value: Node<'_>,
        worth: Worth<'_>,
        outer: &Outer,
        frame: &mut Frame,
    ) {
        let (kind, body) = match worth {
            Worth::Function(body) | Worth::Wrapped(body) => (SymbolKind::Function, Some(body)),
            Worth::Class(body) => (SymbolKind::Class, Some(body)),
            Worth::Object(body) => (SymbolKind::Module, Some(body)),
            _ => (SymbolKind::Module, None),
        };
        let own = match worth {
            Worth::Function(body) | Worth::Class(body) => {
                body.child_by_field_id(self.grammar.fields.name)
            }
            _ => None,
        };
        let name = own.map_or("default", |own| self.text(own));
        let line = line_of(own.unwrap_or(value));
        let end = match body {
            Some(body) if kind == SymbolKind::Module => body.start_byte(),
            Some(body) => self.body_start(body),
            None => value.end_byte(),
        };
        let scope = frame.scope;
        let mut definition = Definition::new(name, kind, line, frame.naming);
        definition.signature = signature::of_head(self.head(node, end));
        self.scopes.bind(name, scope, true);
        if matches!(worth, Worth::Other | Worth::Module(_)) {
            let found = self.written(None, Some(value), outer.span.start_byte as usize);
            self.member_hint(frame.naming, name, found, frame);
        }
        if let Some(symbol) = self.define(definition, outer, frame) {
            self.own_body(worth, symbol);
            if kind == SymbolKind::Class {
                self.namings[frame.naming as usize].members = true;
            }
            frame.place = Place::Value(frame.naming);
            self.export_local(outer, scope, name, false);
        }
    }

    /// Records that the module itself is `local`, of this file or of the module `specifier`.
    pub(super) fn push_assignment(&mut self, local: &str, specifier: &str, line: u32) {
        if specifier.is_empty() && !local.is_empty() {
            self.offered.insert(local.to_owned());
        }
        self.exports.push(Export {
            kind: ExportKind::Assignment,
            name: "export=".to_owned(),
            local: local.to_owned(),
            specifier: specifier.to_owned(),
            type_only: false,
            line,
        });
    }
}

/// Returns whether a keyword or mark stands directly in a node.
fn has_word(node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .take(8)
        .any(|child| !child.is_named() && child.kind() == word)
}
