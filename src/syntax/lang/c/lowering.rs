//! The state of lowering one file: its facts, the scopes around the node that is walked, and access to its syntax tree.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::grammar::{self, Grammar, Kind};
use super::namespace_braces::BracedNamespaces;
use super::pasting::PastingMacro;
use crate::ir::{
    Binding, ContainerKind, Export, ExportKind, Expr, ExprId, FileFacts, ReferenceKind, Slot,
    SymbolIdx, Target,
};
use crate::model::hash::HashMap;
use crate::model::{Budget, Family};
use crate::syntax::lang::frontend::LoweredFile;
use crate::syntax::lang::use_recorder::{RecordedUse, UseRecorder, offset};
use crate::syntax::signature::Comment;

/// The deepest nesting of syntax that is read; deeper syntax says nothing.
pub(super) const MAX_DEPTH: usize = 200;

/// Names of one block that are kept.
const MAX_NAMES: usize = 10_000;

/// The meaning of a name in a function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Local {
    /// A variable or a parameter: its value.
    Value(ExprId),
    /// A type of the function, or a type parameter: a value of it.
    Type(ExprId),
}

/// Everything known of a file while it is lowered.
pub(super) struct Lowering<'t> {
    pub(super) source: &'t str,
    pub(super) grammar: &'static Grammar,
    pub(super) is_cpp: bool,
    pub(super) facts: FileFacts,
    /// For each symbol the byte at which the comments above it begin.
    pub(super) leads: Vec<u32>,
    pub(super) comments: Vec<Comment>,
    /// The names of the blocks around, the innermost last.
    pub(super) scopes: Vec<HashMap<&'t str, Local>>,
    /// The named namespaces around.
    pub(super) namespaces: Vec<&'t str>,
    /// The innermost symbol around.
    pub(super) symbol: Option<SymbolIdx>,
    /// The type of a member that is defined outside of it, while its body is walked.
    pub(super) owner: Option<ExprId>,
    /// Whether the uses are those of a declaration without code: they count as uses of what is around it.
    pub(super) is_declaring: bool,
    /// Whether the functions at hand are those of C: in `extern "C"`.
    pub(super) in_extern_c: bool,
    /// The macros of the file so far that paste names.
    pub(super) pasting: HashMap<&'t str, PastingMacro<'t>>,
    /// The names that files share when they are linked.
    pub(super) units: BTreeSet<String>,
    /// The ends of the braces of the source by their first bytes, where the tree has errors.
    pub(super) braces: HashMap<usize, usize>,
    /// The namespaces of the source by their braces, where the tree has errors.
    pub(super) braced_namespaces: BracedNamespaces<'t>,
    /// The end of the function around, where the grammar has more code in it.
    pub(super) code_end: Option<usize>,
    pub(super) depth: usize,
    pub(super) uses: UseRecorder,
    pub(super) unknown: ExprId,
    pub(super) budget: &'t Budget,
}

impl<'t> Lowering<'t> {
    /// Begins a file.
    pub(super) fn new(
        source: &'t str,
        root: Node<'t>,
        keeps_positions: bool,
        budget: &'t Budget,
    ) -> Self {
        let mut facts = FileFacts {
            family: Family::C,
            ..FileFacts::default()
        };
        let unknown = facts.exprs.add(Expr::Unknown);
        let grammar = grammar::of(root);
        Self {
            source,
            grammar,
            is_cpp: grammar.language == grammar::cpp().language,
            facts,
            leads: Vec::new(),
            comments: Vec::new(),
            scopes: Vec::new(),
            namespaces: Vec::new(),
            symbol: None,
            owner: None,
            is_declaring: false,
            in_extern_c: false,
            pasting: HashMap::default(),
            units: BTreeSet::new(),
            braces: HashMap::default(),
            braced_namespaces: BracedNamespaces::default(),
            code_end: None,
            depth: 0,
            uses: UseRecorder::new(source, keeps_positions),
            unknown,
            budget,
        }
    }

    /// Finds the comments outside of functions.
    pub(super) fn find_comments(&mut self, root: Node<'t>) {
        let mut open = vec![root];
        let mut cursor = root.walk();
        while let Some(node) = open.pop() {
            for child in node.children(&mut cursor) {
                match self.kind(child) {
                    Kind::Comment => self.comments.push(Comment {
                        start: offset(child.start_byte()),
                        end: offset(child.end_byte()),
                    }),
                    Kind::CompoundStatement | Kind::InitializerList | Kind::PreprocArg => {}
                    _ if child.child_count() > 0 => open.push(child),
                    _ => {}
                }
            }
        }
        self.comments.sort_by_key(|comment| comment.start);
    }

    /// Returns the kind of a node.
    pub(super) fn kind(&self, node: Node<'t>) -> Kind {
        self.grammar.kind(node)
    }

    /// Returns the named children of a node but comments.
    pub(super) fn children(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .filter(|child| self.kind(*child) != Kind::Comment)
            .collect()
    }

    /// Returns the first child of a kind.
    pub(super) fn child_of(&self, node: Node<'t>, kind: Kind) -> Option<Node<'t>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .find(|child| self.kind(*child) == kind)
    }

    /// Returns the child in a field.
    #[expect(clippy::unused_self, reason = "reads as `children` does")]
    pub(super) fn field(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    /// Returns the named children in one field.
    #[expect(clippy::unused_self, reason = "reads as `children` does")]
    pub(super) fn in_field(&self, node: Node<'t>, field: u16) -> Vec<Node<'t>> {
        let Some(field) = std::num::NonZeroU16::new(field) else {
            return Vec::new();
        };
        let mut cursor = node.walk();
        node.children_by_field_id(field, &mut cursor)
            .filter(Node::is_named)
            .collect()
    }

    /// Returns the source of a node.
    pub(super) fn text(&self, node: Node<'t>) -> &'t str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the line of a byte, from 1.
    pub(super) fn line_at(&self, byte: usize) -> u32 {
        self.uses.line_at(byte)
    }

    /// Adds an expression.
    pub(super) fn add(&mut self, expr: Expr) -> ExprId {
        self.facts.exprs.add(expr)
    }

    /// Adds a name, looked up from the innermost symbol around.
    pub(super) fn name(&mut self, name: &str) -> ExprId {
        let name = self.facts.exprs.name(name);
        let scope = self.symbol;
        self.add(Expr::Name { name, scope })
    }

    /// Adds a value of a type that the language defines: `int`.
    pub(super) fn primitive(&mut self, name: &str) -> ExprId {
        let name = self.facts.exprs.name(&format!("type {name}"));
        let of = self.add(Expr::Name { name, scope: None });
        self.add(Expr::Instance { of })
    }

    /// Adds something that a value points to, or an array of such.
    pub(super) fn pointer_to(&mut self, element: ExprId) -> ExprId {
        if element == self.unknown {
            return element;
        }
        self.add(Expr::Container {
            kind: ContainerKind::Sequence,
            element,
        })
    }

    /// Adds a value that an owner holds at a path.
    pub(super) fn bind_slots(&mut self, owner: Option<SymbolIdx>, slots: &[Slot], value: ExprId) {
        if value != self.unknown {
            let path = self.facts.exprs.path_of(slots.iter().copied());
            self.facts.bindings.push(Binding { owner, path, value });
        }
    }

    /// Adds a value that a name of an owner, or of the file, holds.
    pub(super) fn bind_name(&mut self, owner: Option<SymbolIdx>, name: &str, value: ExprId) {
        let name = self.facts.exprs.name(name);
        self.bind_slots(owner, &[Slot::Member(name)], value);
    }

    /// Does `part` one level deeper; nothing where the code is too deep.
    pub(super) fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let found = part(self);
        self.depth -= 1;
        Some(found)
    }

    /// Opens a block, does `part` in it and closes it.
    pub(super) fn in_block(&mut self, part: impl FnOnce(&mut Self)) {
        self.scopes.push(HashMap::default());
        part(self);
        self.scopes.pop();
    }

    /// Binds a name in the innermost block.
    pub(super) fn bind_local(&mut self, name: &'t str, local: Local) {
        if let Some(scope) = self.scopes.last_mut()
            && scope.len() < MAX_NAMES
        {
            scope.insert(name, local);
        }
    }

    /// Returns the binding of a name in the blocks around.
    pub(super) fn local(&self, name: &str) -> Option<Local> {
        let mut around = self.scopes.iter().rev();
        around.find_map(|scope| scope.get(name).copied())
    }

    /// Offers a name to the files that include this one.
    pub(super) fn export(&mut self, name: &str, line: u32) {
        self.facts.exports.push(Export {
            kind: ExportKind::Local,
            name: name.to_owned(),
            local: name.to_owned(),
            specifier: String::new(),
            type_only: false,
            line,
        });
    }

    /// Records a use of the name at byte `at`.
    pub(super) fn push_use(&mut self, name: &str, target: Target, kind: ReferenceKind, at: usize) {
        let name = self.facts.exprs.name(name);
        let symbol = match self.symbol {
            Some(symbol) if self.is_declaring => self.facts.symbols[symbol as usize].parent,
            _ if self.is_behind_code(at) => None,
            symbol => symbol,
        };
        let used = RecordedUse {
            name,
            target,
            kind,
            symbol,
        };
        self.uses.record(&mut self.facts.references, used, at);
    }

    /// Ends the file.
    pub(super) fn finish(mut self) -> LoweredFile {
        self.uses.sort(&mut self.facts.references);
        self.facts.units = self.units.into_iter().collect();
        LoweredFile {
            facts: self.facts,
            leads: self.leads,
            positions: self.uses.into_positions(),
        }
    }
}
