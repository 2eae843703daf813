//! Namespaces, using directives, and the types that a file offers.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::{Lowering, MAX_DEPTH};
use crate::ir::{
    Export, ExportKind, Expr, ExprId, Import, ImportIdx, ImportKind, ImportedName,
    N_PROJECT_USINGS, N_VISIBLE_PROJECTS, ReferenceKind, SymbolIdx, Target, all_projects,
    files_of_type, global_usings, in_namespace, split_generic_name, visible_projects,
};

/// Namespaces of one file that are told apart.
const MAX_NAMESPACES: usize = 64;

/// Names of one file that are looked for among the types of the repository.
const MAX_TYPE_NAMES: usize = 300;

/// Bytes of a name beyond which it is none of a type.
const MAX_NAME_BYTES: usize = 128;

/// The alias of the namespace around all others.
const GLOBAL: &str = "global";

/// Namespaces that names may begin with, of one file.
const MAX_QUALIFIERS: usize = 500;

impl<'t> Lowering<'t> {
    /// Reads the namespaces and using directives of a file. Names are looked up in its namespaces, in those around, in the global
    /// one, then in what using directives take.
    pub(super) fn namespaces(&mut self, root: Node<'t>) {
        let mut found = Vec::new();
        let mut usings = Vec::new();
        self.collect(root, String::new(), &mut found, &mut usings);
        let mut outer: Vec<&str> = Vec::new();
        for namespace in &found {
            let mut rest = namespace.as_str();
            while let Some((before, _)) = rest.rsplit_once('.') {
                if !found.iter().any(|it| it == before) && !outer.contains(&before) {
                    outer.push(before);
                }
                rest = before;
            }
        }
        outer.sort_by_key(|it| std::cmp::Reverse(it.len()));
        let is_global = found.iter().any(String::is_empty);
        let imports: Vec<String> = outer
            .iter()
            .map(|it| in_namespace("", it))
            .chain((!is_global).then(|| in_namespace("", "")))
            .collect();
        for specifier in imports {
            self.wildcard(specifier);
        }
        for (node, namespace) in usings {
            self.note_alias(node, &namespace);
            self.using(node, &namespace);
        }
        self.wildcard(global_usings().to_owned());
        for at in 0..N_PROJECT_USINGS {
            self.wildcard(format!("{} {at}", global_usings()));
        }
        let numbered = (0..N_VISIBLE_PROJECTS).map(|at| format!("{}{at}", visible_projects()));
        for specifier in numbered.chain([all_projects().to_owned()]) {
            self.scope(specifier, Vec::new());
        }
        self.facts.units = found;
    }

    /// Finds the namespaces of a file that have declarations, sorted, and its using directives with the namespace around each.
    fn collect(
        &self,
        node: Node<'t>,
        mut namespace: String,
        found: &mut Vec<String>,
        usings: &mut Vec<(Node<'t>, String)>,
    ) {
        for child in self.children(node) {
            match self.kind(child) {
                Kind::FileNamespace => namespace = self.joined(&namespace, child),
                Kind::Namespace => {
                    let inner = self.joined(&namespace, child);
                    if let Some(body) = self.field(child, self.grammar.fields.body)
                        && found.len() < MAX_NAMESPACES
                        && inner.split('.').count() < MAX_DEPTH / 4
                    {
                        self.collect(body, inner, found, usings);
                    }
                }
                Kind::UsingDirective => usings.push((child, namespace.clone())),
                Kind::PreprocIf | Kind::PreprocElse | Kind::PreprocElif
                    if namespace.split('.').count() < MAX_DEPTH / 4 && usings.len() < 1000 =>
                {
                    self.collect(child, namespace.clone(), found, usings);
                }
                kind if kind.is_type_declaration() => {
                    if let Err(at) = found.binary_search(&namespace) {
                        found.insert(at, namespace.clone());
                    }
                }
                _ => {}
            }
        }
    }

    fn joined(&self, outer: &str, node: Node<'t>) -> String {
        let name = self.field(node, self.grammar.fields.name);
        let name = name.map_or_else(String::new, |it| self.dotted(it));
        match (outer.is_empty(), name.is_empty()) {
            (true, _) => name,
            (_, true) => outer.to_owned(),
            _ => format!("{outer}.{name}"),
        }
    }

    /// The whole name of a namespace that stands in the one around.
    pub(super) fn name_of_namespace(&self, node: Node<'t>) -> String {
        self.joined(&self.namespace, node)
    }

    /// Adds, for each name that may be that of a type, the files that declare one: a name that no using directive brings is from
    /// outside only where there are none.
    pub(super) fn names_of_types(&mut self) {
        let mut names: BTreeSet<String> = BTreeSet::new();
        for expr in self.facts.exprs.exprs() {
            let Expr::Name { name, .. } = expr else {
                continue;
            };
            let name = self.facts.exprs.name_of(*name);
            let may_be = name.starts_with(char::is_uppercase)
                && !name.contains([' ', '('])
                && name.len() < MAX_NAME_BYTES;
            if may_be {
                let offered = split_generic_name(name).map_or(name, |it| it.1);
                names.insert(offered.to_owned());
            }
        }
        for name in names.into_iter().take(MAX_TYPE_NAMES) {
            let specifier = files_of_type(&name);
            self.scope(specifier.clone(), vec![ImportedName::new("*", &specifier)]);
        }
    }

    fn scope(&mut self, specifier: String, names: Vec<ImportedName>) {
        self.facts.imports.push(Import {
            specifier,
            kind: ImportKind::Scope,
            type_only: false,
            line: 1,
            names,
        });
    }

    fn wildcard(&mut self, specifier: String) {
        self.facts.imports.push(Import {
            specifier,
            kind: ImportKind::Scope,
            type_only: false,
            line: 1,
            names: vec![ImportedName::new("*", "*")],
        });
    }

    /// Notes the alias that a using directive gives to a namespace or a type.
    fn note_alias(&mut self, node: Node<'t>, namespace: &str) {
        let alias = self.field(node, self.grammar.fields.name);
        let target = self
            .children(node)
            .into_iter()
            .rfind(|it| Some(*it) != alias);
        if let (Some(alias), Some(target)) = (alias, target)
            && matches!(self.kind(target), Kind::Identifier | Kind::QualifiedName)
        {
            let is_global = self.alias_before(target) == Some(GLOBAL);
            let around = if is_global { "" } else { namespace };
            let meant = (around.to_owned(), self.dotted(target));
            self.aliases.insert(self.name_text(alias), meant);
        }
    }

    /// `using A.B;`, `using static A.B.C;`, `using X = A.B.C;`, `global using A.B;`
    fn using(&mut self, node: Node<'t>, namespace: &str) {
        let fields = self.grammar.fields;
        let alias = self.field(node, fields.name);
        let children = self.children(node);
        let Some(target) = children.iter().rfind(|it| Some(**it) != alias) else {
            return;
        };
        let is_named = matches!(
            self.kind(*target),
            Kind::Identifier | Kind::QualifiedName | Kind::AliasQualifiedName | Kind::GenericName
        );
        if !is_named {
            return;
        }
        let line = self.line_at(target.start_byte());
        let path = self.dotted(*target);
        if self.has_word(node, "global") {
            self.facts.exports.push(Export {
                kind: ExportKind::Star,
                name: "*".to_owned(),
                local: String::new(),
                specifier: path.clone(),
                type_only: false,
                line,
            });
            self.namespaces_of_exports.push(path.clone());
            self.facts.imports.push(Import {
                specifier: path.clone(),
                kind: ImportKind::ReExport,
                type_only: false,
                line,
                names: Vec::new(),
            });
        }
        let (before, last) = path.rsplit_once('.').unwrap_or(("", &path));
        let type_name = self.lookup_name_of(*target, last);
        let (kind, names, specifiers) = if self.has_word(node, "static") {
            (
                ImportKind::StaticMember,
                vec![ImportedName::new(&type_name, "*")],
                before,
            )
        } else if let Some(alias) = alias {
            // The name of a namespace, else that of a type.
            let local = self.name_text(alias);
            let specifier = in_namespace(namespace, &path);
            self.facts.imports.push(Import {
                specifier,
                kind: ImportKind::Scope,
                type_only: false,
                line,
                names: vec![ImportedName::new("*", local)],
            });
            (
                ImportKind::Static,
                vec![ImportedName::new(&type_name, local)],
                before,
            )
        } else {
            (
                ImportKind::Static,
                vec![ImportedName::new("*", "*")],
                path.as_str(),
            )
        };
        self.facts.imports.push(Import {
            specifier: specifiers.to_owned(),
            kind,
            type_only: false,
            line,
            names: names.clone(),
        });
        if kind == ImportKind::StaticMember && !before.is_empty() {
            // `N.Outer.Inner` may be a type in a type.
            let (around, outer) = before.rsplit_once('.').unwrap_or(("", before));
            let nested = format!("{outer}.{type_name}");
            self.facts.imports.push(Import {
                specifier: around.to_owned(),
                kind: ImportKind::Scope,
                type_only: false,
                line,
                names: vec![ImportedName::new(&nested, "*")],
            });
        }
        if !namespace.is_empty() && kind != ImportKind::StaticMember {
            self.facts.imports.push(Import {
                specifier: in_namespace(namespace, specifiers),
                kind: ImportKind::Scope,
                type_only: false,
                line,
                names,
            });
        }
    }

    /// Records the use of the type that a using directive names.
    pub(super) fn use_using(&mut self, node: Node<'t>) {
        let alias = self.field(node, self.grammar.fields.name);
        if alias.is_none() && !self.has_word(node, "static") {
            return;
        }
        let children = self.children(node);
        let Some(target) = children.iter().rfind(|it| Some(**it) != alias).copied() else {
            return;
        };
        // Of `N.Outer.Inner` the types around it too.
        let around = self.around;
        let mut path = Some(target);
        while let Some(target) = path.filter(|it| self.kind(*it) == Kind::QualifiedName) {
            let value = self.type_path(target);
            let name = self.field(target, self.grammar.fields.name);
            if let Some(name) = name.map(|it| self.bare_name(it)) {
                let class = self.class_of(value);
                self.push_use(name, Target::Value(class), ReferenceKind::Type);
            }
            self.around = around;
            path = self.field(target, self.grammar.fields.qualifier);
        }
    }

    /// Offers a definition of the file to others, by its name with those of the types around it.
    pub(super) fn export(&mut self, name: String, local: String, at: usize) {
        let line = self.line_at(at);
        self.facts.exports.push(Export {
            kind: ExportKind::Local,
            name,
            local,
            specifier: String::new(),
            type_only: false,
            line,
        });
        self.namespaces_of_exports.push(self.namespace.clone());
    }

    /// The name by which a type is looked up, with those of the types around it: ``Outer.Inner`1``.
    pub(super) fn exported_name(&self, symbol: SymbolIdx) -> String {
        let own = &self.facts.symbols[symbol as usize];
        let name = self.arity_name(symbol);
        match own.parent {
            Some(parent) => format!("{}.{name}", self.exported_name(parent)),
            None => name,
        }
    }

    /// Adds a name of the namespace that names before it may be: `A.B`, `global::A.B`, `X.B` behind `using X = A;`. `*` is the namespace
    /// itself.
    pub(super) fn in_qualifier(&mut self, qualifier: Node<'t>, name: &str) -> ExprId {
        let names = self.dotted(qualifier);
        let alias = self.alias_before(qualifier);
        if alias == Some(GLOBAL) {
            return self.named_in("", &names, name);
        }
        let (root, rest) = match alias {
            Some(alias) => (alias, Some(names.as_str())),
            None => match names.split_once('.') {
                Some((root, rest)) => (root, Some(rest)),
                None => (names.as_str(), None),
            },
        };
        if let Some((around, path)) = self.aliases.get(root).cloned() {
            let whole = rest.map_or_else(|| path.clone(), |rest| format!("{path}.{rest}"));
            return self.named_in(&around, &whole, name);
        }
        let around = self.namespace.clone();
        self.named_in(&around, &names, name)
    }

    /// The alias before `::` that names begin with.
    fn alias_before(&self, node: Node<'t>) -> Option<&'t str> {
        let fields = self.grammar.fields;
        let mut at = node;
        for _ in 0..64 {
            at = match self.kind(at) {
                Kind::AliasQualifiedName => {
                    return self.field(at, fields.alias).map(|it| self.name_text(it));
                }
                Kind::QualifiedName => self.field(at, fields.qualifier)?,
                Kind::MemberAccess => self.field(at, fields.expression)?,
                _ => return None,
            };
        }
        None
    }

    /// Adds the type that `global::Name` or `X::Name` means; `None` behind the alias of an assembly.
    pub(super) fn behind_alias(&mut self, node: Node<'t>, name: &str) -> Option<ExprId> {
        let alias = self.alias_before(node)?;
        if alias == GLOBAL {
            return Some(self.named_in("", "", name));
        }
        let (around, path) = self.aliases.get(alias).cloned()?;
        Some(self.named_in(&around, &path, name))
    }

    /// Adds a name of a namespace that is named inside of another one: the export of it, where the namespace is one of the repository.
    /// Unknown where the file has too many such.
    fn named_in(&mut self, around: &str, namespace: &str, name: &str) -> ExprId {
        let specifier = in_namespace(around, namespace);
        let known = self.qualifiers.get(&specifier).copied();
        let import = if let Some(known) = known {
            known
        } else {
            if self.qualifiers.len() > MAX_QUALIFIERS {
                return self.unknown;
            }
            let at = ImportIdx::try_from(self.facts.imports.len()).unwrap_or(ImportIdx::MAX);
            self.facts.imports.push(Import {
                specifier: specifier.clone(),
                kind: ImportKind::Scope,
                type_only: false,
                line: 1,
                names: Vec::new(),
            });
            self.qualifiers.insert(specifier, at);
            at
        };
        let name = self.facts.exprs.name(name);
        self.add(Expr::Imported { import, name })
    }

    /// Returns the text of a dotted name, without blanks, comments and type arguments.
    pub(super) fn dotted(&self, node: Node<'t>) -> String {
        let fields = self.grammar.fields;
        let mut names = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at.filter(|_| names.len() < 64) {
            at = None;
            match self.kind(node) {
                Kind::QualifiedName => {
                    if let Some(name) = self.field(node, fields.name) {
                        names.push(self.name_text(self.bare_name(name)));
                    }
                    at = self.field(node, fields.qualifier);
                }
                Kind::MemberAccess => {
                    if let Some(name) = self.field(node, fields.name) {
                        names.push(self.name_text(self.bare_name(name)));
                    }
                    at = self.field(node, fields.expression);
                }
                Kind::AliasQualifiedName => at = self.field(node, fields.name),
                _ => names.push(self.name_text(self.bare_name(node))),
            }
        }
        names.reverse();
        names.join(".")
    }

    /// Returns the identifier of a name that may have type arguments.
    pub(super) fn bare_name(&self, node: Node<'t>) -> Node<'t> {
        match self.kind(node) {
            Kind::GenericName => node.named_child(0).unwrap_or(node),
            Kind::AliasQualifiedName => match self.field(node, self.grammar.fields.name) {
                Some(name) if name != node => self.bare_name(name),
                _ => node,
            },
            _ => node,
        }
    }
}
