//! Import statements, exports and `__all__`.

use tree_sitter::Node;

use super::builtins::is_typing_module;
use super::context::DeclarationContext;
use super::grammar::Kind;
use super::lowering::Lowering;
use super::scopes::{BoundValue, PythonScopeKind};
use super::symbols::line_of;
use crate::ir::{Export, ExportKind, Import, ImportIdx, ImportKind, ImportedName};
use crate::syntax::lang::use_recorder::offset;

/// The most modules of packages that a file reaches without importing them.
const MAX_IMPLIED: usize = 200;

/// The most names of a literal `__all__` that are kept.
const MAX_ALL: usize = 10_000;

impl<'t> Lowering<'t> {
    /// `import a.b.c`, `import a.b as x`
    pub(super) fn import(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        for child in self.children(node) {
            match self.kind(child) {
                Kind::DottedName => self.import_dotted(child, context),
                Kind::AliasedImport => {
                    let name = self.field(child, self.grammar.fields.name);
                    let alias = self.field(child, self.grammar.fields.alias);
                    if let (Some(name), Some(alias)) = (name, alias) {
                        let specifier = self.dotted(name);
                        let local = self.text(alias);
                        let names = vec![whole(local)];
                        let row =
                            self.import_row(&specifier, ImportKind::Static, node, context, names);
                        self.bind_import(alias, local, row, "*", context);
                        self.export(local, alias, context);
                    }
                }
                _ => {}
            }
        }
    }

    /// `import a.b.c` imports `a`, `a.b` and `a.b.c`, and binds `a`.
    fn import_dotted(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        let specifier = self.dotted(node);
        let Some(root) = node.named_child(0) else {
            return;
        };
        let local = self.text(root);
        let mut end = 0;
        let mut first = None;
        for part in specifier.split('.') {
            end += part.len() + usize::from(end > 0);
            let prefix = &specifier[..end];
            let (kind, names) = (
                if end == specifier.len() {
                    ImportKind::Static
                } else {
                    ImportKind::Submodule
                },
                if first.is_none() {
                    vec![whole(local)]
                } else {
                    Vec::new()
                },
            );
            let row = self.import_row(prefix, kind, node, context, names);
            first.get_or_insert(row);
            self.dotted_imports.insert(prefix.to_owned(), row);
        }
        if let Some(row) = first {
            self.bind_import(root, local, row, "*", context);
            self.export(local, root, context);
        }
    }

    /// `from p import n as m`, `from p import *`
    pub(super) fn import_from(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        let Some(module) = self.field(node, self.grammar.fields.module_name) else {
            return;
        };
        let specifier = self.dotted(module);
        let mut names = Vec::new();
        for child in self.children(node) {
            if child == module {
                continue;
            }
            match self.kind(child) {
                Kind::DottedName => names.push((child, child)),
                Kind::AliasedImport => {
                    let name = self.field(child, self.grammar.fields.name);
                    let alias = self.field(child, self.grammar.fields.alias);
                    names.extend(name.zip(alias));
                }
                Kind::WildcardImport => {
                    // Its names are names of the file as well: see `LanguageRules::stars_bind`.
                    self.import_row(&specifier, ImportKind::ReExport, node, context, Vec::new());
                    self.has_star = true;
                    if context.scope == 0 {
                        self.facts.exports.push(Export {
                            kind: ExportKind::Star,
                            name: "*".to_owned(),
                            local: String::new(),
                            specifier: specifier.clone(),
                            type_only: context.type_only,
                            line: line_of(node),
                        });
                    }
                    return;
                }
                _ => {}
            }
        }
        let pairs = names
            .iter()
            .map(|(name, alias)| ImportedName::new(self.text(*name), self.text(*alias)))
            .collect();
        let row = self.import_row(&specifier, ImportKind::Static, node, context, pairs);
        for (name, alias) in names {
            let (imported, local) = (self.text(name), self.text(alias));
            if !has_submodules(&specifier) {
                self.bind_import(alias, local, row, imported, context);
                self.export(local, alias, context);
                continue;
            }
            let dot = if specifier.ends_with('.') { "" } else { "." };
            self.import_row(
                &format!("{specifier}{dot}{imported}"),
                ImportKind::Submodule,
                name,
                context,
                vec![whole(local)],
            );
            self.bind_import(alias, local, row, imported, context);
            self.export(local, alias, context);
        }
    }

    /// `importlib.import_module("a.b")`
    pub(super) fn import_call(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        let fields = self.grammar.fields;
        let callee = self.field(node, fields.function).map(|it| self.text(it));
        if !matches!(
            callee,
            Some("importlib.import_module" | "import_module" | "__import__")
        ) {
            return;
        }
        let argument = self
            .field(node, fields.arguments)
            .and_then(|list| list.named_child(0));
        let Some(argument) = argument.filter(|it| self.kind(*it) == Kind::Str) else {
            return;
        };
        let Some(specifier) = self.string_text(argument) else {
            return;
        };
        let is_module = !specifier.is_empty()
            && specifier
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        if is_module {
            let context = DeclarationContext {
                scope: 0,
                ..context
            };
            let row = self.import_row(specifier, ImportKind::Dynamic, node, context, Vec::new());
            self.dynamic_imports.insert(node.id(), row);
        }
    }

    /// Adds the module that `name` of an imported package may be: `a.b` after `import a`.
    pub(super) fn imply(&mut self, package: ImportIdx, name: &'t str) -> Option<ImportIdx> {
        if let Some(known) = self.implied_imports.get(&(package, name)) {
            return Some(*known);
        }
        let import = self.facts.imports.get(package as usize)?;
        if !has_submodules(&import.specifier) || self.implied_imports.len() >= MAX_IMPLIED {
            return None;
        }
        let (specifier, line) = (format!("{}.{name}", import.specifier), import.line);
        self.facts.imports.push(Import {
            specifier,
            kind: ImportKind::Implied,
            type_only: false,
            line,
            names: Vec::new(),
        });
        let row = offset(self.facts.imports.len() - 1);
        self.implied_imports.insert((package, name), row);
        Some(row)
    }

    /// Adds an import. Names that it binds inside of functions and classes are no names of the file.
    pub(super) fn import_row(
        &mut self,
        specifier: &str,
        kind: ImportKind,
        node: Node<'t>,
        context: DeclarationContext<'t>,
        names: Vec<ImportedName>,
    ) -> ImportIdx {
        self.facts.imports.push(Import {
            specifier: specifier.to_owned(),
            kind,
            type_only: context.type_only,
            line: line_of(node),
            names: if context.scope == 0 {
                names
            } else {
                inner_names(names)
            },
        });
        offset(self.facts.imports.len() - 1)
    }

    fn bind_import(
        &mut self,
        node: Node<'t>,
        local: &'t str,
        row: ImportIdx,
        imported: &'t str,
        context: DeclarationContext<'t>,
    ) {
        self.bind(
            local,
            node.start_byte(),
            BoundValue::Import(row, imported),
            context,
        );
    }

    /// Offers a name that is bound at the top level to other modules.
    pub(super) fn export(&mut self, name: &str, node: Node<'t>, context: DeclarationContext<'t>) {
        if context.scope != 0 || !self.exported.insert(name.to_owned()) {
            return;
        }
        self.facts.exports.push(Export {
            kind: ExportKind::Local,
            name: name.to_owned(),
            local: name.to_owned(),
            specifier: String::new(),
            type_only: context.type_only,
            line: line_of(node),
        });
    }

    /// Reads `__all__ = […]`, `__all__ += […]` and `__all__.extend([…])`: adds the literal names.
    pub(super) fn add_all(&mut self, value: Node<'t>) {
        let mut all = self.all.take().unwrap_or_default();
        let mut pending = vec![value];
        while let Some(node) = pending.pop() {
            match self.grammar.kind(node) {
                Kind::Str => {
                    let text = self.string_text(node);
                    if let Some(text) = text.filter(|_| all.len() < MAX_ALL) {
                        all.push(text);
                        self.listed.push(node);
                    }
                }
                Kind::List
                | Kind::Tuple
                | Kind::Set
                | Kind::BinaryOperator
                | Kind::Parenthesized
                | Kind::ExpressionList
                | Kind::ArgumentList => {
                    let mut cursor = node.walk();
                    let children: Vec<_> = node.named_children(&mut cursor).collect();
                    pending.extend(children.into_iter().rev());
                }
                _ => {}
            }
        }
        self.all = Some(all);
    }

    /// Reads a call on `__all__`: `__all__.extend([…])`, `__all__.append("a")`.
    pub(super) fn all_call(&mut self, node: Node<'t>, context: DeclarationContext<'t>) {
        let fields = self.grammar.fields;
        let callee = self.field(node, fields.function).map(|it| self.text(it));
        if context.scope == 0
            && matches!(callee, Some("__all__.extend" | "__all__.append"))
            && let Some(arguments) = self.field(node, fields.arguments)
        {
            self.add_all(arguments);
        }
    }

    /// Returns a dotted name without white space; of a relative import with its dots.
    fn dotted(&self, node: Node<'t>) -> String {
        let text = self.text(node);
        if text.contains(|c: char| c.is_whitespace() || c == '\\') {
            return text
                .chars()
                .filter(|c| !c.is_whitespace() && *c != '\\')
                .collect();
        }
        text.to_owned()
    }

    /// Returns the import that the longest known prefix of `a.b.c` names, and the number of its parts, at least 2.
    pub(super) fn dotted_import(&self, parts: &[&str], scope: u32) -> Option<(ImportIdx, usize)> {
        if self.dotted_imports.is_empty() {
            return None;
        }
        let is_import = match self.scopes.look_up(parts[0], scope) {
            super::scopes::BindingScope::FileScope => self.holds_module(parts[0], 0),
            super::scopes::BindingScope::Local(at) => self.holds_module(parts[0], at),
            _ => false,
        };
        if !is_import {
            return None;
        }
        (2..=parts.len()).rev().find_map(|n| {
            let row = self.dotted_imports.get(&parts[..n].join("."))?;
            Some((*row, n))
        })
    }

    fn holds_module(&self, name: &str, scope: u32) -> bool {
        let sites = self.scopes.get(scope).names.get(name);
        sites.is_some_and(|all| {
            all.iter()
                .any(|site| matches!(site.held, BoundValue::Import(_, "*")))
        })
    }

    /// Returns whether a scope is the body of a class.
    pub(super) fn is_class_scope(&self, scope: u32) -> bool {
        self.scopes.get(scope).kind == PythonScopeKind::Class
    }
}

/// Returns whether a module may be a package: those of the standard library that annotations use are none.
fn has_submodules(specifier: &str) -> bool {
    specifier == "collections" || specifier == "asyncio" || !is_typing_module(specifier)
}

/// Returns the names that an import takes out of a module without those that it binds.
fn inner_names(names: Vec<ImportedName>) -> Vec<ImportedName> {
    let taken = names.into_iter().filter(|name| name.imported != "*");
    let without = taken.map(|name| ImportedName {
        local: String::new(),
        ..name
    });
    without.collect()
}

fn whole(local: &str) -> ImportedName {
    ImportedName::new("*", local)
}
