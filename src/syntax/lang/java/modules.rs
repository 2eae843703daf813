//! The package clause, imports, and the types that a file offers.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use crate::ir::{Export, ExportKind, Expr, ExprId, Import, ImportKind, ImportedName};

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
        let path = self.dotted(*name);
        // `import a.Outer.*` takes the types of a class, as a static import does.
        let is_of_class = is_all && type_in(&path).starts_with(char::is_uppercase);
        let (specifier, kind, names) = if is_static || is_of_class {
            let (class, member) = match (is_all, path.rsplit_once('.')) {
                (true, _) => (path.as_str(), "*"),
                (false, Some((class, member))) => (class, member),
                (false, None) => return,
            };
            let names = vec![imported(type_in(class), member)];
            (class.to_owned(), ImportKind::StaticMember, names)
        } else if is_all {
            (path, ImportKind::Static, vec![imported("*", "*")])
        } else {
            let local = path.rsplit('.').next().unwrap_or(&path);
            let names = vec![imported(type_in(&path), local)];
            (path, ImportKind::Static, names)
        };
        self.facts.imports.push(Import {
            specifier,
            kind,
            type_only: false,
            line: self.line_at(name.start_byte()),
            names,
        });
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
                names: vec![imported(name, path)],
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

fn imported(name: &str, local: &str) -> ImportedName {
    ImportedName {
        imported: name.to_owned(),
        local: local.to_owned(),
        type_only: false,
    }
}
