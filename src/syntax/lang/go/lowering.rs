//! The state of lowering one file: its facts, the scopes around the node that is walked, and access to its syntax tree.

use tree_sitter::Node;

use super::grammar::{Grammar, Kind};
use crate::ir::{
    Binding, Expr, ExprId, Family, FileFacts, NameId, PathId, Reference, ReferenceKind, Slot,
    SymbolIdx, Target,
};
use crate::model::Span;
use crate::model::hash::{HashMap, HashSet};
use crate::syntax::signature::Comment;

/// The deepest nesting of syntax that is read; deeper syntax says nothing.
pub(super) const MAX_DEPTH: usize = 200;

/// Names of one block that are kept, and blocks around each other.
const MAX_NAMES: usize = 10_000;

/// What a name stands for in a function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Local {
    /// A variable, a constant or a parameter: its value.
    Value(ExprId),
    /// A type of the function, or a type parameter: a value of it.
    Type(ExprId),
}

/// A use of a name, equal to others but for its line.
type UseKey = (NameId, Target, ReferenceKind, Option<SymbolIdx>);

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
    pub(super) depth: usize,
    uses: HashMap<UseKey, usize>,
    pub(super) keeps_positions: bool,
    /// First byte of each use and its reference, where they are kept.
    pub(super) positions: Vec<(u32, u32)>,
    line_starts: Vec<usize>,
    pub(super) unknown: ExprId,
    /// A value of a type that the language defines.
    pub(super) predeclared: ExprId,
}

impl<'t> Lowering<'t> {
    /// Begins a file.
    pub(super) fn new(source: &'t str, grammar: &'static Grammar) -> Self {
        let mut facts = FileFacts {
            family: Family::Go,
            ..FileFacts::default()
        };
        let unknown = facts.exprs.add(Expr::Unknown);
        let name = facts.exprs.name("string");
        let of = facts.exprs.add(Expr::Name { name, scope: None });
        let predeclared = facts.exprs.add(Expr::Instance { of });
        let newlines = source.bytes().enumerate().filter(|it| it.1 == b'\n');
        Self {
            source,
            grammar,
            facts,
            leads: Vec::new(),
            comments: Vec::new(),
            scopes: Vec::new(),
            top_names: HashSet::default(),
            symbol: None,
            n_anonymous: 0,
            depth: 0,
            uses: HashMap::default(),
            keeps_positions: false,
            positions: Vec::new(),
            line_starts: std::iter::once(0)
                .chain(newlines.map(|it| it.0 + 1))
                .collect(),
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
        offset(self.line_starts.partition_point(|start| *start <= byte))
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
        if object == self.unknown {
            return object;
        }
        let name = self.facts.exprs.name(name);
        self.add(Expr::Member { object, name })
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

    /// Returns what a block around binds a name to.
    pub(super) fn local(&self, name: &str) -> Option<Local> {
        let mut around = self.scopes.iter().rev();
        around.find_map(|scope| scope.get(name).copied())
    }

    /// Records a use of the name at byte `at`.
    pub(super) fn push_use(&mut self, name: &str, target: Target, kind: ReferenceKind, at: usize) {
        let name = self.facts.exprs.name(name);
        let key = (name, target, kind, self.symbol);
        let line = self.line_at(at);
        let known = self.uses.get(&key).copied();
        if self.keeps_positions {
            let reference = known.unwrap_or(self.facts.references.len());
            self.positions.push((offset(at), offset(reference)));
        }
        if let Some(known) = known {
            let reference = &mut self.facts.references[known];
            reference.count += 1;
            reference.line = reference.line.min(line);
            return;
        }
        self.uses.insert(key, self.facts.references.len());
        self.facts.references.push(Reference {
            name,
            target,
            kind,
            symbol: self.symbol,
            line,
            count: 1,
        });
    }

    /// Puts the references in the order of their lines.
    pub(super) fn sort_references(&mut self) {
        let references = std::mem::take(&mut self.facts.references);
        let mut numbered: Vec<(usize, Reference)> = references.into_iter().enumerate().collect();
        numbered.sort_by_key(|(_, it)| it.line);
        let mut places = vec![0; numbered.len()];
        for (new, (old, reference)) in numbered.into_iter().enumerate() {
            places[old] = offset(new);
            self.facts.references.push(reference);
        }
        for (_, reference) in &mut self.positions {
            *reference = places[*reference as usize];
        }
        self.positions.sort_unstable();
        self.positions.dedup_by_key(|position| position.0);
    }
}

/// Returns the span of a node.
pub(super) fn span_of(node: Node<'_>) -> Span {
    let end = node.end_position();
    let last = end.row + usize::from(end.column > 0 || end.row == node.start_position().row);
    Span {
        start_byte: offset(node.start_byte()),
        end_byte: offset(node.end_byte()),
        start_line: offset(node.start_position().row + 1),
        end_line: offset(last),
    }
}

/// Returns an offset as the facts keep it.
pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
