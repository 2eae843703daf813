//! The package clause, imports, module declarations, and the types that a file offers.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use super::symbols::NewSymbol;
use crate::ir::{
    DOCUMENTED, Export, ExportKind, Expr, ExprId, Import, ImportKind, ImportedName, ReferenceKind,
    Target, java_module_unit,
};
use crate::model::SymbolKind;

/// Bytes of a name beyond which it is no type with its package.
const MAX_QUALIFIED_BYTES: usize = 256;

/// Imports of a file beyond which types that are written with their package are not followed.
const MAX_QUALIFIED: usize = 500;

impl<'t> Lowering<'t> {
    /// `package a.b;`
    pub(super) fn package(&mut self, node: Node<'t>) {
        let name = self
            .children(node)
            .into_iter()
            .find(|child| matches!(self.kind(*child), Kind::Identifier | Kind::ScopedIdentifier));
        if let Some(name) = name {
            let name = self.dotted(name);
            self.facts.units = vec![name];
        }
    }

    /// A file with a package clause and no type documents the package: `package-info.java`.
    pub(super) fn document_package(&mut self) {
        if self.facts.symbols.is_empty() && !self.facts.units.is_empty() {
            self.facts.exports.push(Export {
                kind: ExportKind::Local,
                name: DOCUMENTED.to_owned(),
                local: String::new(),
                specifier: String::new(),
                type_only: false,
                line: 1,
            });
        }
    }

    /// `module a.b { requires a.c; exports a.b.api to a.d; uses a.b.Codec; provides a.b.Codec with a.b.Fast; }`
    pub(super) fn module(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let (Some(name_node), Some(body)) =
            (self.field(node, fields.name), self.field(node, fields.body))
        else {
            return;
        };
        let name = self.dotted(name_node);
        self.facts.units = vec![java_module_unit(&name)];
        let symbol = self.add_symbol(NewSymbol {
            name: &name,
            kind: SymbolKind::Module,
            node,
            name_node,
            head_start: node.start_byte(),
            head_end: body.start_byte(),
            skips_owner: false,
        });
        self.facts.symbols[symbol as usize].exported = true;
        self.facts.exports.push(Export {
            kind: ExportKind::Local,
            name,
            local: String::new(),
            specifier: String::new(),
            type_only: false,
            line: self.line_at(name_node.start_byte()),
        });
        self.around = Some(symbol);
        for child in self.children(node) {
            if matches!(self.kind(child), Kind::Annotation | Kind::MarkerAnnotation) {
                self.use_annotation(child);
            }
        }
        for directive in self.children(body) {
            let inner = match self.kind(directive) {
                Kind::ModuleDirective => self.children(directive).first().copied(),
                _ => Some(directive),
            };
            if let Some(directive) = inner {
                self.module_directive(directive);
            }
        }
        self.around = None;
    }

    fn module_directive(&mut self, directive: Node<'t>) {
        let mut names = self.children(directive);
        names.retain(|it| matches!(self.kind(*it), Kind::Identifier | Kind::ScopedIdentifier));
        match self.kind(directive) {
            Kind::ModuleRequires => {
                for node in names {
                    let name = self.dotted(node);
                    let named = ImportedName::new(&name, &name);
                    self.import_in_module(node, java_module_unit(&name), Some(named));
                }
            }
            Kind::ModuleExports | Kind::ModuleOpens => {
                // The modules behind `to` need not be there.
                if let Some(node) = names.first() {
                    let package = self.dotted(*node);
                    self.import_in_module(*node, package, None);
                }
            }
            Kind::ModuleUses | Kind::ModuleProvides => {
                for node in names {
                    let path = self.dotted(node);
                    let named = ImportedName::new(type_in(&path), &path);
                    self.import_in_module(node, path, Some(named));
                }
            }
            _ => {}
        }
    }

    /// Adds the import of a package as a whole, or of a type or a module that is used by its whole name.
    fn import_in_module(&mut self, node: Node<'t>, specifier: String, name: Option<ImportedName>) {
        if self.facts.imports.len() >= MAX_QUALIFIED {
            return;
        }
        let local = name.as_ref().map(|it| it.local.clone());
        self.facts.imports.push(Import {
            specifier,
            kind: ImportKind::Static,
            type_only: false,
            line: self.line_at(node.start_byte()),
            names: name.into_iter().collect(),
        });
        if let Some(local) = local {
            let name = self.facts.exprs.name(&local);
            let whole = self.add(Expr::Name { name, scope: None });
            let last = match self.kind(node) {
                Kind::ScopedIdentifier => self.children(node).last().copied(),
                _ => None,
            };
            let is_module = !type_in(&local).starts_with(char::is_uppercase);
            let at = last.filter(|_| !is_module).unwrap_or(node);
            let kind = if is_module {
                ReferenceKind::Value
            } else {
                ReferenceKind::Type
            };
            self.push_use(at, Target::Value(whole), kind);
        }
    }

    /// `import a.b.C;`, `import a.b.*;`, `import static a.b.C.member;`, `import static a.b.C.*;`
    pub(super) fn import(&mut self, node: Node<'t>) {
        let children = self.children(node);
        let Some(name) = children.iter().find(|child| {
            matches!(
                self.kind(**child),
                Kind::Identifier | Kind::ScopedIdentifier
            )
        }) else {
            return;
        };
        let is_all = children
            .iter()
            .any(|child| self.kind(*child) == Kind::Asterisk);
        let mut cursor = node.walk();
        let is_static = node
            .children(&mut cursor)
            .any(|child| child.kind() == "static");
        let name = *name;
        let path = self.dotted(name);
        // `import a.Outer.*` takes the types of a class, as a static import does.
        let is_of_class = is_all && type_in(&path).starts_with(char::is_uppercase);
        let (specifier, kind, names) = if is_static || is_of_class {
            let (class, member) = match (is_all, path.rsplit_once('.')) {
                (true, _) => (path.as_str(), "*"),
                (false, Some((class, member))) => (class, member),
                (false, None) => return,
            };
            let names = vec![ImportedName::new(type_in(class), member)];
            (class.to_owned(), ImportKind::StaticMember, names)
        } else if is_all {
            (path, ImportKind::Static, vec![ImportedName::new("*", "*")])
        } else {
            let local = path.rsplit('.').next().unwrap_or(&path);
            let names = vec![ImportedName::new(type_in(&path), local)];
            (path, ImportKind::Static, names)
        };
        self.facts.imports.push(Import {
            specifier,
            kind,
            type_only: false,
            line: self.line_at(name.start_byte()),
            names,
        });
        self.use_types_before(name, is_all);
    }

    /// Records uses of the types that an import goes through: of `Outer` in `import a.Outer.Inner;` and in
    /// `import static a.Outer.open;`, of the last type too where the import takes all that it has.
    fn use_types_before(&mut self, path: Node<'t>, is_last_used: bool) {
        let mut at = Some(path);
        let mut is_used = is_last_used;
        while let Some(node) = at.filter(|it| self.kind(*it) == Kind::ScopedIdentifier) {
            let written = self.dotted(node);
            // By custom packages are written small: no type stands before them.
            if !type_in(&written).starts_with(char::is_uppercase) {
                break;
            }
            if is_used
                && written.len() <= MAX_QUALIFIED_BYTES
                && self.facts.imports.len() < MAX_QUALIFIED
                && let Some(name) = self.children(node).last().copied()
            {
                let mut names = self.facts.imports.iter().flat_map(|it| &it.names);
                if !names.any(|it| it.local == written) {
                    self.facts.imports.push(Import {
                        specifier: written.clone(),
                        kind: ImportKind::Static,
                        type_only: false,
                        line: self.line_at(node.start_byte()),
                        names: vec![ImportedName::new(type_in(&written), &written)],
                    });
                }
                let value = self.facts.exprs.name(&written);
                let value = self.add(Expr::Name {
                    name: value,
                    scope: None,
                });
                self.push_use(name, Target::Value(value), ReferenceKind::Type);
            }
            is_used = true;
            at = self.children(node).first().copied();
        }
    }

    /// Offers a type of the file to others, by its name with those of the types around it.
    pub(super) fn export(&mut self, qualified_name: &str, at: usize) {
        self.facts.exports.push(Export {
            kind: ExportKind::Local,
            name: qualified_name.to_owned(),
            local: qualified_name.to_owned(),
            specifier: String::new(),
            type_only: false,
            line: self.line_at(at),
        });
    }

    /// Lowers a type that is written with its package, `a.b.Store`, which is an import where it stands; `None` for any other
    /// name. By custom packages are written small and types large.
    ///
    /// In an expression a small word can be a value: there, a package has two at least (`a.b.Store.open()`).
    pub(super) fn qualified_type(&mut self, node: Node<'t>) -> Option<ExprId> {
        let is_value = match self.kind(node) {
            Kind::ScopedType | Kind::ScopedIdentifier => false,
            Kind::FieldAccess => true,
            _ => return None,
        };
        let path = self.text(node);
        let (packages, name) = path.rsplit_once('.')?;
        let is_word = |part: &str| {
            part.bytes()
                .all(|it| it.is_ascii_alphanumeric() || it == b'_')
        };
        let is_package = |part: &str| part.starts_with(|c: char| c.is_lowercase()) && is_word(part);
        // `a.b.MAX` is a constant.
        let is_type = name.starts_with(|c: char| c.is_uppercase())
            && (!is_value || name.contains(|c: char| c.is_lowercase()))
            && is_word(name);
        let first = packages.split('.').next()?;
        if path.len() > MAX_QUALIFIED_BYTES
            || !is_type
            || !packages.split('.').all(is_package)
            || is_value && !packages.contains('.')
            || self.locals.value_or_class(first).is_some()
        {
            return None;
        }
        let imports = &mut self.facts.imports;
        if !imports
            .iter()
            .any(|it| it.names.iter().any(|it| it.local == path))
        {
            if imports.len() >= MAX_QUALIFIED {
                return None;
            }
            let line = self.line_at(node.start_byte());
            self.facts.imports.push(Import {
                specifier: path.to_owned(),
                kind: ImportKind::Static,
                type_only: false,
                line,
                names: vec![ImportedName::new(name, path)],
            });
        }
        let name = self.facts.exprs.name(path);
        Some(self.add(Expr::Name { name, scope: None }))
    }

    /// Returns the text of a dotted name, without blanks and comments.
    fn dotted(&self, node: Node<'t>) -> String {
        let mut names = Vec::new();
        let mut at = node;
        while self.kind(at) == Kind::ScopedIdentifier {
            let children = self.children(at);
            let (Some(first), Some(last)) = (children.first(), children.last()) else {
                break;
            };
            names.push(self.text(*last));
            if first == last || names.len() > 64 {
                break;
            }
            at = *first;
        }
        if self.kind(at) == Kind::Identifier {
            names.push(self.text(at));
        }
        names.reverse();
        names.join(".")
    }
}

/// Returns the part of a name that names a type inside of a package, by the custom that packages are written small:
/// `Outer.Inner` of `a.b.Outer.Inner`.
fn type_in(path: &str) -> &str {
    let is_upper = |part: &str| part.starts_with(|c: char| c.is_uppercase());
    let mut at = 0;
    for part in path.split('.') {
        if is_upper(part) {
            return &path[at..];
        }
        at += part.len() + 1;
    }
    path.rsplit('.').next().unwrap_or(path)
}
