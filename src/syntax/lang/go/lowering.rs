//! The state of lowering one file: its facts, the scopes around the node that is walked, and access to its syntax tree.

use tree_sitter::Node;

use super::grammar::{Grammar, Kind, grammar};
use crate::ir::{Binding, Expr, ExprId, FileFacts, PathId, ReferenceKind, Slot, SymbolIdx, Target};
use crate::model::Family;
use crate::model::hash::{HashMap, HashSet};
use crate::syntax::lang::frontend::LoweredFile;
use crate::syntax::lang::use_recorder::{RecordedUse, UseRecorder};
use crate::syntax::signature::Comment;

/// The deepest nesting of syntax that is read; deeper syntax says nothing.
pub(super) const MAX_DEPTH: usize = 200;

/// Names of one block that are kept, and blocks around each other.
const MAX_NAMES: usize = 10_000;

/// The meaning of a name in a function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Local {
    /// A variable, a constant or a parameter: its value.
    Value(ExprId),
    /// A type of the function, or a type parameter: a value of it.
    Type(ExprId),
}

/// Everything known of a file while it is lowered.
pub(super) struct Lowering<'t> {
    pub(super) source: &'t str,
    pub(super) grammar: &'static Grammar,
    pub(super) facts: FileFacts,
    /// For each symbol the byte at which the comments above it begin.
    pub(super) leads: Vec<u32>,
    pub(super) comments: Vec<Comment>,
    /// The names of the blocks around, the innermost last.
    pub(super) scopes: Vec<HashMap<&'t str, Local>>,
    /// The names of functions, types, variables and constants.
    pub(super) top_names: HashSet<&'t str>,
    /// The innermost symbol around.
    pub(super) symbol: Option<SymbolIdx>,
    /// Structs without a name that were given one.
    pub(super) n_anonymous: u32,
    /// The field whose struct without a name is lowered.
    pub(super) struct_of_field: Option<SymbolIdx>,
    pub(super) depth: usize,
    pub(super) uses: UseRecorder,
    pub(super) unknown: ExprId,
    /// A value of a type that the language defines.
    pub(super) predeclared: ExprId,
}

impl<'t> Lowering<'t> {
    /// Begins a file.
    pub(super) fn new(source: &'t str, keeps_positions: bool) -> Self {
        let mut facts = FileFacts {
            family: Family::Go,
            ..FileFacts::default()
        };
        let unknown = facts.exprs.add(Expr::Unknown);
        let name = facts.exprs.name("string");
        let of = facts.exprs.add(Expr::Name { name, scope: None });
        let predeclared = facts.exprs.add(Expr::Instance { of });
        Self {
            source,
            grammar: grammar(),
            facts,
            leads: Vec::new(),
            comments: Vec::new(),
            scopes: Vec::new(),
            top_names: HashSet::default(),
            symbol: None,
            n_anonymous: 0,
            struct_of_field: None,
            depth: 0,
            uses: UseRecorder::new(source, keeps_positions),
            unknown,
            predeclared,
        }
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

    /// Returns the named children in one field.
    #[expect(clippy::unused_self, reason = "reads as `children` does")]
    pub(super) fn in_field(&self, node: Node<'t>, field: u16) -> Vec<Node<'t>> {
        let mut cursor = node.walk();
        node.children_by_field_id(
            std::num::NonZeroU16::new(field).unwrap_or(std::num::NonZeroU16::MAX),
            &mut cursor,
        )
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

    /// Adds a name of the package.
    pub(super) fn top_name(&mut self, name: &str) -> ExprId {
        let name = self.facts.exprs.name(name);
        self.add(Expr::Name { name, scope: None })
    }

    /// Adds `object.name`; unknown where the object is.
    pub(super) fn member(&mut self, object: ExprId, name: &str) -> ExprId {
        self.facts.exprs.member_of_known(object, name)
    }

    /// Adds a value that an owner holds at a path.
    pub(super) fn bind_slots(&mut self, owner: Option<SymbolIdx>, slots: &[Slot], value: ExprId) {
        if value != self.unknown {
            let path = self.facts.exprs.path_of(slots.iter().copied());
            self.bind_path(owner, path, value);
        }
    }

    /// As [`Self::bind_slots`].
    pub(super) fn bind_path(&mut self, owner: Option<SymbolIdx>, path: PathId, value: ExprId) {
        self.facts.bindings.push(Binding { owner, path, value });
    }

    /// Opens a block, does `part` in it and closes it.
    pub(super) fn in_block(&mut self, part: impl FnOnce(&mut Self)) {
        self.scopes.push(HashMap::default());
        part(self);
        self.scopes.pop();
    }

    /// Binds a name in the innermost block.
    pub(super) fn bind_local(&mut self, name: &'t str, local: Local) {
        if name == "_" {
            return;
        }
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

    /// Records a use of the name at byte `at`.
    pub(super) fn push_use(&mut self, name: &str, target: Target, kind: ReferenceKind, at: usize) {
        let name = self.facts.exprs.name(name);
        let used = RecordedUse {
            name,
            target,
            kind,
            symbol: self.symbol,
        };
        self.uses.record(&mut self.facts.references, used, at);
    }

    /// Ends the file.
    pub(super) fn finish(mut self) -> LoweredFile {
        self.uses.sort(&mut self.facts.references);
        LoweredFile {
            facts: self.facts,
            leads: self.leads,
            positions: self.uses.into_positions(),
        }
    }
}
