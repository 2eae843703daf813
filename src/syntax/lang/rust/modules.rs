//! The module tree: `mod`, `use` and the first names of paths.
//!
//! A `use` is a name of its module for a path (`Store` for `crate::db::Store`) and a request of the file that the path leads
//! through: one import a leaf. Names are resolved by following the paths; see `link::rust_paths`.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::grammar::Kind;
use super::locals::Local;
use super::lowering::Lowering;
use super::records::{Item, Leaf};
use super::types::is_type_name;
use crate::ir::{
    Export, ExportKind, Expr, ExprId, Import, ImportKind, ImportedName, ReferenceKind, Slot, Target,
};
use crate::model::SymbolKind;
use crate::model::hash::HashMap;

/// Names of one path that are read.
const MAX_SEGMENTS: usize = 64;

/// Leaves of `use` declarations of one file that are read.
const MAX_LEAVES: usize = 20_000;

/// How often the beginning of a path may be another name for a path.
const MAX_ALIASES: usize = 8;

impl<'t> Lowering<'t> {
    /// Returns a name with those of the inline modules around: `tests.util`.
    pub(super) fn in_module_path(&self, name: &str) -> String {
        let names = self.modules.iter().map(|it| it.1);
        key(&names.collect::<Vec<_>>(), name)
    }

    /// Notes the names of the inline modules in a file or a module.
    pub(super) fn find_inline_modules(&mut self, node: Node<'_>) {
        let fields = self.grammar.fields;
        for child in self.children(node) {
            if self.kind(child) == Kind::Mod
                && let (Some(name), Some(body)) = (
                    self.field(child, fields.name),
                    self.field(child, fields.body),
                )
            {
                self.inline_modules.insert(self.text(name));
                self.deeper(|this| this.find_inline_modules(body));
            }
        }
    }

    /// Records the inline modules that a path leads through as uses, those of this file: `limits` of `limits::MAX`.
    pub(super) fn use_modules(&mut self, path: Node<'_>) {
        let mut at = Some(path);
        for _ in 0..MAX_SEGMENTS {
            let Some(node) = at else { break };
            let (name, around) = match self.kind(node) {
                Kind::ScopedIdentifier => {
                    let fields = self.grammar.fields;
                    (self.field(node, fields.name), self.field(node, fields.path))
                }
                Kind::Identifier => (Some(node), None),
                _ => break,
            };
            if let Some(name) = name.filter(|it| self.inline_modules.contains(self.text(*it))) {
                let module = self.qualifier(node);
                self.push_use(name, Target::Value(module), ReferenceKind::Value);
            }
            at = around;
        }
    }

    /// Adds a module that another file holds: `mod store;`.
    pub(super) fn outer_module(&mut self, item: &Item<'_>, name: &'t str) {
        let written = self.attribute_texts(item).into_iter().find_map(|text| {
            let (key, value) = text.split_once('=')?;
            (key.trim() == "path").then(|| value.trim().trim_matches('"'))
        });
        let mut specifier = "mod ".to_owned();
        for (_, around) in &self.modules {
            specifier.push_str(around);
            specifier.push_str("::");
        }
        specifier.push_str(name);
        if let Some(path) = written {
            specifier.push(' ');
            specifier.push_str(path);
        }
        let local = self.in_module_path(name);
        let line = self.line_at(item.node.start_byte());
        let is_public = self.child_of(item.node, Kind::VisibilityModifier).is_some();
        if is_public && self.modules.is_empty() {
            self.pass_on(ExportKind::Namespace, name, "", &specifier, line);
        }
        self.facts.imports.push(Import {
            specifier,
            kind: ImportKind::Static,
            type_only: false,
            line,
            names: vec![ImportedName {
                imported: "*".to_owned(),
                local: local.clone(),
                type_only: false,
            }],
        });
        self.outer_modules.insert(local);
    }

    fn pass_on(&mut self, kind: ExportKind, name: &str, local: &str, specifier: &str, line: u32) {
        self.facts.exports.push(Export {
            kind,
            name: name.to_owned(),
            local: local.to_owned(),
            specifier: specifier.to_owned(),
            type_only: false,
            line,
        });
    }

    /// Lowers `extern crate name as alias;`.
    pub(super) fn extern_crate(&mut self, node: Node<'_>) {
        let fields = self.grammar.fields;
        let Some(name) = self.field(node, fields.name) else {
            return;
        };
        let name = self.text(name);
        let alias = self.field(node, fields.alias).map(|it| self.text(it));
        if name == "self" {
            return;
        }
        self.crates.insert(name);
        if let Some(alias) = alias {
            let value = self.name(&format!("{name}::"));
            let module = self.module();
            self.bind_member(module, alias, value);
        }
    }

    /// Lowers a `use` declaration.
    pub(super) fn use_declaration(&mut self, node: Node<'_>) {
        let Some(tree) = self.field(node, self.grammar.fields.argument) else {
            return;
        };
        let is_public = self.child_of(node, Kind::VisibilityModifier).is_some();
        let mut path = Vec::new();
        self.use_tree(tree, &mut path, is_public);
    }

    fn use_tree(&mut self, node: Node<'_>, path: &mut Vec<&'t str>, is_public: bool) {
        self.deeper(|this| this.use_tree_form(node, path, is_public));
    }

    fn use_tree_form(&mut self, node: Node<'_>, path: &mut Vec<&'t str>, is_public: bool) {
        let fields = self.grammar.fields;
        let n_before = path.len();
        match self.kind(node) {
            Kind::UseList => {
                for child in self.children(node) {
                    self.use_tree(child, path, is_public);
                }
            }
            Kind::ScopedUseList => {
                if let Some(prefix) = self.field(node, fields.path) {
                    self.segments(prefix, path);
                    self.use_types_of_path(prefix, path);
                }
                if let Some(list) = self.field(node, fields.list) {
                    self.use_tree(list, path, is_public);
                }
            }
            Kind::UseAs => {
                let alias = self.field(node, fields.alias).map(|it| self.text(it));
                if let Some(inner) = self.field(node, fields.path) {
                    self.segments(inner, path);
                    // Nothing is bound to the name of a trait whose methods alone are wanted.
                    if alias == Some("_") {
                        self.use_types_of_path(inner, path);
                    } else {
                        self.use_types_before(inner, path);
                    }
                }
                self.leaf(node, path, alias, false, is_public);
            }
            Kind::UseWildcard => {
                if let Some(inner) = self.children(node).first() {
                    self.segments(*inner, path);
                    self.use_types_of_path(*inner, path);
                }
                self.leaf(node, path, None, true, is_public);
            }
            _ => {
                self.segments(node, path);
                self.use_types_before(node, path);
                self.leaf(node, path, None, false, is_public);
            }
        }
        path.truncate(n_before);
    }

    /// Adds the names of a path.
    fn segments(&self, node: Node<'_>, path: &mut Vec<&'t str>) {
        let fields = self.grammar.fields;
        let n_before = path.len();
        let mut at = Some(node);
        let mut names = Vec::new();
        while let Some(node) = at {
            if names.len() > MAX_SEGMENTS {
                break;
            }
            match self.kind(node) {
                Kind::ScopedIdentifier => {
                    let name = self.field(node, fields.name);
                    names.push(name.map_or("", |it| self.text(it)));
                    at = self.field(node, fields.path);
                }
                Kind::Metavariable => {
                    names.push("crate");
                    at = None;
                }
                _ => {
                    names.push(self.text(node));
                    at = None;
                }
            }
        }
        names.reverse();
        // `a::{self}` is `a`.
        if n_before > 0 && names == ["self"] {
            return;
        }
        path.extend(names);
    }

    /// Records the types and inline modules that the path of a `use` leads through as uses, the last one too: `Kind` of `use Kind::*`. `path` ends with
    /// the names of the node.
    fn use_types_of_path(&mut self, node: Node<'_>, path: &[&'t str]) {
        let mut at = Some(node);
        for n_names in (1..=path.len()).rev() {
            let Some(node) = at else { break };
            let is_scoped = self.kind(node) == Kind::ScopedIdentifier;
            let name = if is_scoped {
                self.field(node, self.grammar.fields.name)
            } else {
                Some(node)
            };
            if let Some(name) = name.filter(|it| self.text(*it) == path[n_names - 1]) {
                let text = self.text(name);
                if is_type_name(text) {
                    let type_ = self.path(&path[..n_names], false);
                    self.push_use(name, Target::Value(type_), ReferenceKind::Type);
                } else if self.inline_modules.contains(text) {
                    let module = self.path(&path[..n_names], true);
                    self.push_use(name, Target::Value(module), ReferenceKind::Value);
                }
            }
            at = is_scoped
                .then(|| self.field(node, self.grammar.fields.path))
                .flatten();
        }
    }

    /// As [`Self::use_types_of_path`], without the last name, which is imported.
    fn use_types_before(&mut self, node: Node<'_>, path: &[&'t str]) {
        if self.kind(node) == Kind::ScopedIdentifier
            && let Some(before) = self.field(node, self.grammar.fields.path)
            && let Some((_, path)) = path.split_last()
        {
            self.use_types_of_path(before, path);
        }
    }

    fn leaf(
        &mut self,
        node: Node<'_>,
        path: &[&'t str],
        alias: Option<&'t str>,
        is_glob: bool,
        is_public: bool,
    ) {
        let Some(last) = path.last().copied() else {
            return;
        };
        let local = alias.unwrap_or(last);
        let value = self.path(path, is_glob);
        if is_glob && self.in_function {
            self.locals.open(value);
        } else if is_glob {
            let module = self.module();
            self.bind(module, &[Slot::All], value);
        } else if local != "_" && self.in_function {
            self.locals.bind(local, Local::Used(value));
        } else if local != "_" {
            let module = self.module();
            self.bind_member(module, local, value);
        }
        if self.leaves.len() < MAX_LEAVES {
            self.leaves.push(Leaf {
                modules: self.modules.iter().map(|it| it.1).collect(),
                segments: path.to_vec(),
                local: if local == "_" { "" } else { local },
                is_glob,
                is_public,
                in_function: self.in_function,
                line: self.line_at(node.start_byte()),
            });
        }
    }

    /// Lowers a path; one that goes on has names below it.
    fn path(&mut self, path: &[&'t str], goes_on: bool) -> ExprId {
        let mut found = self.unknown;
        for (at, name) in path.iter().enumerate() {
            let is_last = at + 1 == path.len() && !goes_on;
            let own = if is_last {
                (*name).to_owned()
            } else {
                format!("{name}::")
            };
            found = match (at, *name) {
                (0, "crate" | "super" | "self") => self.name(&format!("{name}::")),
                (0, _) => {
                    self.crates.insert(name);
                    match self.locals.item(name) {
                        Some(Local::Item(symbol)) => self.add(Expr::Symbol(symbol)),
                        Some(Local::Used(expr)) => expr,
                        _ => self.name(&own),
                    }
                }
                (_, "super") => self.member_of(found, "super::"),
                _ => self.member_of(found, &own),
            };
        }
        found
    }

    /// Adds the imports of `use` declarations, and those that paths and types need without a statement.
    pub(super) fn implied_imports(&mut self) {
        let leaves = std::mem::take(&mut self.leaves);
        let mut aliases: HashMap<String, &Leaf<'t>> = HashMap::default();
        for leaf in leaves.iter().filter(|it| !it.is_glob && !it.in_function) {
            aliases.insert(key(&leaf.modules, leaf.local), leaf);
        }
        let mut imports = Vec::new();
        for leaf in &leaves {
            let Some((specifier, stays)) = self.specifier(leaf, &aliases) else {
                continue;
            };
            let is_export = leaf.is_public && !leaf.in_function && !stays;
            if is_export && leaf.modules.is_empty() {
                let last = leaf.segments.last().copied().unwrap_or_default();
                let (kind, name, local) = if leaf.is_glob {
                    (ExportKind::Star, "*", "")
                } else {
                    (ExportKind::From, leaf.local, last)
                };
                self.pass_on(kind, name, local, &specifier, leaf.line);
            }
            let last = if leaf.is_glob {
                "*"
            } else {
                leaf.segments.last().copied().unwrap_or_default()
            };
            let local = if leaf.is_glob { "" } else { leaf.local };
            imports.push(Import {
                specifier,
                kind: if is_export {
                    ImportKind::ReExport
                } else {
                    ImportKind::Static
                },
                type_only: false,
                line: leaf.line,
                names: vec![ImportedName {
                    imported: last.to_owned(),
                    local: local.to_owned(),
                    type_only: false,
                }],
            });
        }
        self.facts.imports.extend(imports);
        self.facts.imports.sort_by_key(|it| it.line);
        for word in ["crate", "crate of a program", "super"] {
            self.imply(word.to_owned());
        }
        for name in std::mem::take(&mut self.crates) {
            let is_own = self.outer_modules.contains(name) || self.own_modules.contains(name);
            if !is_own && !name.is_empty() {
                self.imply(format!("::{name}"));
            }
        }
        let imported: Vec<&str> = leaves
            .iter()
            .filter_map(|leaf| self.imported_macro(leaf))
            .collect();
        let mut macros = std::mem::take(&mut self.macros);
        macros.retain(|name| !self.own_macros.contains(name));
        macros.extend(imported);
        for name in &macros {
            self.imply(format!("macro {name}"));
        }
        let own_types = std::mem::take(&mut self.own_types);
        for name in &own_types {
            self.imply(format!("impl {name}"));
        }
        let symbols = self.facts.symbols.iter();
        let own_traits: BTreeSet<String> = symbols
            .filter(|it| it.kind == SymbolKind::Interface && own_types.contains(&it.name))
            .map(|it| it.name.clone())
            .collect();
        for name in &own_traits {
            self.imply(format!("impls {name}"));
        }
        let mut implemented: BTreeSet<String> = BTreeSet::new();
        for (name, of) in std::mem::take(&mut self.other_traits) {
            if !own_types.contains(&of) && !own_traits.contains(&name) {
                implemented.insert(format!("impls {name}"));
            }
        }
        let others = std::mem::take(&mut self.other_types);
        let mut units = std::mem::take(&mut self.qualified_types);
        units.extend(others.into_iter().filter(|it| !own_types.contains(it)));
        let units = units.into_iter().map(|name| format!("impl {name}"));
        let macros = std::mem::take(&mut self.own_macros);
        let macros = macros.into_iter().map(|name| format!("macro {name}"));
        self.facts.units = units.chain(implemented).chain(macros).collect();
    }

    /// Returns the last name of a `use` that may be a macro: it is called by its local name, `use crate::__log as log; log!()`, or
    /// passed on to files that may call it.
    fn imported_macro(&self, leaf: &Leaf<'t>) -> Option<&'t str> {
        let last = leaf.segments.last().copied()?;
        let is_called = self.macros.contains(leaf.local);
        let is_macro = !last.contains(char::is_uppercase) && (is_called || leaf.is_public);
        (is_macro && !leaf.is_glob && leaf.segments.len() > 1).then_some(last)
    }

    /// Adds an import that no statement writes: of the root of the crate, of another crate, of the files with members of a
    /// type, of those with a macro.
    fn imply(&mut self, specifier: String) {
        self.facts.imports.push(Import {
            specifier: specifier.clone(),
            kind: ImportKind::Scope,
            type_only: false,
            line: 1,
            names: vec![ImportedName {
                imported: "*".to_owned(),
                local: specifier,
                type_only: false,
            }],
        });
    }

    /// Returns the path of a leaf as seen from the file, `self::util::Store` in `mod tests { use super::util::Store; }`, and whether it
    /// stays in the file. `None` where it is a module there.
    fn specifier(
        &self,
        leaf: &Leaf<'t>,
        aliases: &HashMap<String, &Leaf<'t>>,
    ) -> Option<(String, bool)> {
        let leading = |path: String| Some((path, false));
        let mut modules = leaf.modules.clone();
        let mut segments = leaf.segments.clone();
        for _ in 0..MAX_ALIASES {
            let mut is_relative = false;
            let mut n_outer = 0;
            while let Some(first) = segments.first().copied() {
                match first {
                    "self" => is_relative = true,
                    "super" => {
                        is_relative = true;
                        if modules.pop().is_none() {
                            n_outer += 1;
                        }
                    }
                    _ => break,
                }
                segments.remove(0);
            }
            if n_outer > 0 {
                let outer = "super::".repeat(n_outer);
                let path = format!("{outer}{}", segments.join("::"));
                return leading(path.trim_end_matches("::").to_owned());
            }
            let first = segments.first().copied()?;
            if first == "crate" {
                return leading(segments.join("::"));
            }
            let named = key(&modules, first);
            let in_file = || {
                let around = modules.iter().chain(&segments).copied();
                let path: Vec<&str> = std::iter::once("self").chain(around).collect();
                path.join("::")
            };
            if self.outer_modules.contains(&named) {
                return leading(in_file());
            }
            if self.own_modules.contains(&named) {
                modules.push(first);
                segments.remove(0);
                if segments.is_empty() {
                    return None;
                }
                segments.insert(0, "self");
                continue;
            }
            let alias = aliases
                .get(&named)
                .filter(|it| segments.len() > 1 && it.segments.first() != Some(&first));
            if let Some(alias) = alias {
                modules.clone_from(&alias.modules);
                let rest = segments.split_off(1);
                segments.clone_from(&alias.segments);
                segments.extend(rest);
                continue;
            }
            if is_relative || self.own_types.contains(first) {
                return Some((in_file(), true));
            }
            return leading(segments.join("::"));
        }
        None
    }
}

fn key(modules: &[&str], name: &str) -> String {
    let mut key = String::new();
    for module in modules {
        key.push_str(module);
        key.push('.');
    }
    key.push_str(name);
    key
}
