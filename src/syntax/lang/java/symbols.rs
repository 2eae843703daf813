//! Symbols with their signatures and docs.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use crate::ir::SymbolIdx;
use crate::model::{Symbol, SymbolFlags, SymbolKind};
use crate::syntax::lang::use_recorder::{offset, span_of};
use crate::syntax::signature::{doc_above, of_head, of_value};

/// Annotations of tests, and of methods that a test framework runs before or after them: `JUnit` 4 and 5, `TestNG`.
const TEST_ANNOTATIONS: &[&str] = &[
    "Test",
    "ParameterizedTest",
    "RepeatedTest",
    "TestFactory",
    "TestTemplate",
    "Theory",
    "Property",
    "ArchTest",
    "Before",
    "After",
    "BeforeClass",
    "AfterClass",
    "BeforeEach",
    "AfterEach",
    "BeforeAll",
    "AfterAll",
    "BeforeMethod",
    "AfterMethod",
    "BeforeSuite",
    "AfterSuite",
    "BeforeTest",
    "AfterTest",
    "DataProvider",
];

/// Those among them that have no arguments, and are annotations of `AspectJ` where they have some.
const ADVICE_ANNOTATIONS: &[&str] = &["Before", "After"];

/// The modifiers of a declaration.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent marks")]
pub(super) struct Modifiers<'t> {
    pub(super) is_public: bool,
    pub(super) is_protected: bool,
    pub(super) is_private: bool,
    pub(super) is_static: bool,
    pub(super) is_abstract: bool,
    pub(super) is_final: bool,
    pub(super) is_default: bool,
    /// The annotations, each with the last name of its type.
    pub(super) annotations: Vec<(&'t str, Node<'t>)>,
    /// Whether one of them says which calls of other methods the method runs at, as `@Before("execution(…)")` of `AspectJ`.
    is_advice: bool,
    /// Where the declaration goes on behind its annotations.
    pub(super) head: Option<usize>,
}

impl Modifiers<'_> {
    /// Returns whether a test framework runs the method.
    pub(super) fn is_test(&self) -> bool {
        let mut names = self.annotations.iter().map(|it| it.0);
        names.any(|it| {
            TEST_ANNOTATIONS.contains(&it) && !(self.is_advice && ADVICE_ANNOTATIONS.contains(&it))
        })
    }
}

/// A new symbol.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewSymbol<'n, 't> {
    pub(super) name: &'n str,
    pub(super) kind: SymbolKind,
    /// The definition.
    pub(super) node: Node<'t>,
    /// Its name.
    pub(super) name_node: Node<'t>,
    /// One past the last byte of its head.
    pub(super) head_end: usize,
    /// The first byte of its head.
    pub(super) head_start: usize,
    /// Whether its owner's name is left out of its qualified name: a member of a class without a name.
    pub(super) skips_owner: bool,
}

impl<'t> Lowering<'t> {
    /// Reads the modifiers of a declaration.
    pub(super) fn modifiers(&self, node: Node<'t>) -> Modifiers<'t> {
        let mut found = Modifiers::default();
        let Some(list) = self.child_of(node, Kind::Modifiers) else {
            return found;
        };
        let mut cursor = list.walk();
        for child in list.children(&mut cursor) {
            match self.kind(child) {
                Kind::Annotation | Kind::MarkerAnnotation => {
                    let name = self.field(child, self.grammar.fields.name);
                    let text = name.map_or("", |it| self.text(it));
                    let last = text.rsplit('.').next().unwrap_or(text).trim();
                    found.annotations.push((last, child));
                    let arguments = self.field(child, self.grammar.fields.arguments);
                    let has_some = arguments.is_some_and(|it| it.named_child_count() > 0);
                    found.is_advice |= has_some && ADVICE_ANNOTATIONS.contains(&last);
                    found.head = None;
                }
                Kind::LineComment | Kind::BlockComment => {}
                _ => {
                    found.head.get_or_insert(child.start_byte());
                    match child.kind() {
                        "public" => found.is_public = true,
                        "protected" => found.is_protected = true,
                        "private" => found.is_private = true,
                        "static" => found.is_static = true,
                        "abstract" => found.is_abstract = true,
                        "final" => found.is_final = true,
                        "default" => found.is_default = true,
                        _ => {}
                    }
                }
            }
        }
        if found.head.is_none() {
            // Behind the last annotation the type or the name stands.
            found.head = list
                .next_named_sibling()
                .map(|it| it.start_byte())
                .filter(|_| !found.annotations.is_empty());
        }
        found
    }

    /// Adds a symbol inside the one around.
    pub(super) fn add_symbol(&mut self, new: NewSymbol<'_, 't>) -> SymbolIdx {
        let parent = self.around;
        let mut owner = parent;
        if new.skips_owner
            && let Some(at) = parent
        {
            owner = self.facts.symbols[at as usize].parent;
        }
        let qualified_name = match owner {
            Some(owner) => {
                let owner = &self.facts.symbols[owner as usize].qualified_name;
                format!("{owner}.{}", new.name)
            }
            None => new.name.to_owned(),
        };
        let start = offset(new.node.start_byte());
        let (doc, lead) = doc_above(self.source, &self.comments, start);
        let head = self
            .source
            .get(new.head_start..new.head_end)
            .unwrap_or_default();
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
            doc,
            parent,
        });
        self.leads.push(lead);
        at
    }

    /// Gives a symbol flags.
    pub(super) fn flag(&mut self, symbol: SymbolIdx, flags: SymbolFlags) {
        self.facts.symbols[symbol as usize].flags |= flags;
    }

    /// Returns whether the symbol around is visible outside of its package.
    pub(super) fn is_exported(&self, symbol: Option<SymbolIdx>) -> bool {
        symbol.is_none_or(|at| self.facts.symbols[at as usize].exported)
    }
}
