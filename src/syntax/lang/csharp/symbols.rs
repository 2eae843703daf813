//! Symbols with their signatures and docs.

use tree_sitter::Node;

use super::docs;
use super::grammar::Kind;
use super::lowering::Lowering;
use super::preprocessing::without_directives;
use crate::ir::SymbolIdx;
use crate::model::{Symbol, SymbolFlags, SymbolKind};
use crate::syntax::lang::use_recorder::{offset, span_of};
use crate::syntax::signature::{doc_above, of_head, of_value};

/// Attributes of tests, and of methods that a test framework runs before or after them: xUnit, `NUnit`, `MSTest`.
const TEST_ATTRIBUTES: &[&str] = &[
    "Fact",
    "Theory",
    "Test",
    "TestCase",
    "TestCaseSource",
    "SetUp",
    "TearDown",
    "OneTimeSetUp",
    "OneTimeTearDown",
    "TestMethod",
    "DataTestMethod",
    "TestInitialize",
    "TestCleanup",
    "ClassInitialize",
    "ClassCleanup",
    "AssemblyInitialize",
    "AssemblyCleanup",
];

/// The modifiers of a declaration.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent marks")]
pub(super) struct Modifiers<'t> {
    pub(super) is_public: bool,
    pub(super) is_protected: bool,
    pub(super) is_private: bool,
    pub(super) is_internal: bool,
    pub(super) is_static: bool,
    pub(super) is_abstract: bool,
    pub(super) is_partial: bool,
    pub(super) is_this: bool,
    pub(super) is_params: bool,
    /// The names of the attributes, without `Attribute`.
    pub(super) attributes: Vec<&'t str>,
    /// Where the declaration goes on behind its attributes.
    pub(super) head: usize,
}

impl Modifiers<'_> {
    /// Whether a test framework runs the method. Attributes are often derived from those of a framework: `WindowsFact`.
    pub(super) fn is_test(&self) -> bool {
        let is_known = |name: &&str| {
            TEST_ATTRIBUTES.contains(name) || name.ends_with("Fact") || name.ends_with("Theory")
        };
        self.attributes.iter().any(is_known)
    }

    /// Whether the declaration says who may see it.
    pub(super) fn has_access(&self) -> bool {
        self.is_public || self.is_protected || self.is_private || self.is_internal
    }
}

/// A new symbol.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewSymbol<'n, 't> {
    pub(super) name: &'n str,
    /// The name behind that of the owner, where it is another one: `IStore.Open` for an explicit implementation.
    pub(super) path: Option<&'n str>,
    pub(super) kind: SymbolKind,
    /// The definition.
    pub(super) node: Node<'t>,
    /// Its name.
    pub(super) name_node: Node<'t>,
    /// The first byte of its head.
    pub(super) head_start: usize,
    /// One past the last byte of its head.
    pub(super) head_end: usize,
}

impl<'t> Lowering<'t> {
    /// Reads the modifiers of a declaration.
    pub(super) fn modifiers(&self, node: Node<'t>) -> Modifiers<'t> {
        let mut found = Modifiers::default();
        let mut head = None;
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match self.kind(child) {
                Kind::AttributeList => {
                    for attribute in self.children(child) {
                        let Some(name) = self.field(attribute, self.grammar.fields.name) else {
                            continue;
                        };
                        let text = self.text(name);
                        let last = text.rsplit('.').next().unwrap_or(text);
                        let last = last.split('<').next().unwrap_or(last);
                        let last = last.strip_suffix("Attribute").unwrap_or(last);
                        found.attributes.push(last);
                    }
                }
                Kind::Comment => {}
                Kind::Modifier => {
                    head.get_or_insert(child.start_byte());
                    match self.text(child) {
                        "public" => found.is_public = true,
                        "protected" => found.is_protected = true,
                        "private" => found.is_private = true,
                        "internal" | "file" => found.is_internal = true,
                        "static" | "const" => found.is_static = true,
                        "abstract" => found.is_abstract = true,
                        "partial" => found.is_partial = true,
                        "this" => found.is_this = true,
                        "params" => found.is_params = true,
                        _ => {}
                    }
                }
                _ => {
                    head.get_or_insert(child.start_byte());
                }
            }
        }
        found.head = head.unwrap_or(node.start_byte());
        found
    }

    /// Adds a symbol inside the one around.
    pub(super) fn add_symbol(&mut self, new: NewSymbol<'_, 't>) -> SymbolIdx {
        let parent = self.around;
        let path = new.path.unwrap_or(new.name);
        let qualified_name = match parent {
            Some(owner) => {
                let owner = &self.facts.symbols[owner as usize].qualified_name;
                format!("{owner}.{path}")
            }
            None => path.to_owned(),
        };
        let start = offset(new.node.start_byte());
        let (doc, lead) = doc_above(self.source, &self.comments, start);
        let head = self
            .source
            .get(new.head_start..new.head_end)
            .unwrap_or_default();
        let head = &without_directives(head);
        let signature = if new.kind == SymbolKind::Field {
            of_value(head, None)
        } else {
            of_head(head)
        };
        let at = offset(self.facts.symbols.len());
        self.facts.symbols.push(Symbol {
            name: new.name.to_owned(),
            qualified_name,
            kind: new.kind,
            span: span_of(new.node),
            name_line: offset(new.name_node.start_position().row + 1),
            exported: false,
            flags: SymbolFlags::empty(),
            signature,
            doc: docs::plain(&doc),
            parent,
        });
        self.leads.push(lead);
        at
    }

    /// Gives a symbol flags.
    pub(super) fn flag(&mut self, symbol: SymbolIdx, flags: SymbolFlags) {
        self.facts.symbols[symbol as usize].flags |= flags;
    }

    /// The kind of the symbol around.
    pub(super) fn kind_around(&self) -> Option<SymbolKind> {
        self.around.map(|at| self.facts.symbols[at as usize].kind)
    }

    /// Sets whether a declaration is visible outside of its assembly: a public or protected member of such a type.
    pub(super) fn set_exported(&mut self, symbol: SymbolIdx, modifiers: &Modifiers<'t>) {
        let around = self.facts.symbols[symbol as usize].parent;
        let in_open = around.is_some_and(|at| {
            let kind = self.facts.symbols[at as usize].kind;
            matches!(kind, SymbolKind::Interface | SymbolKind::Enum)
        });
        let is_visible = modifiers.is_public
            || around.is_some() && modifiers.is_protected && !modifiers.is_private
            || in_open && !modifiers.has_access();
        let in_visible = around.is_none_or(|at| self.facts.symbols[at as usize].exported);
        self.facts.symbols[symbol as usize].exported = is_visible && in_visible;
    }
}
