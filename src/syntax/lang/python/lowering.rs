//! The state of lowering one file, and access to its syntax tree.

use tree_sitter::Node;

use super::builders::{BuilderId, SymbolBuilder};
use super::grammar::{Grammar, Kind, grammar};
use super::scopes::{PythonScopes, ScopeIdx};
use crate::ir::{Expr, ExprId, FileFacts, ImportIdx, SymbolIdx};
use crate::model::Family;
use crate::model::hash::{HashMap, HashSet};
use crate::syntax::lang::use_recorder::UseRecorder;

/// The deepest nesting of syntax that is read; deeper syntax says nothing.
pub(super) const MAX_DEPTH: usize = 200;

/// Everything known of a file while it is lowered.
pub(super) struct Lowering<'t> {
    pub(super) source: &'t str,
    pub(super) grammar: &'static Grammar,
    pub(super) builders: Vec<SymbolBuilder<'t>>,
    /// The symbol of each builder, once their order is known.
    pub(super) order: Vec<SymbolIdx>,
    pub(super) scopes: PythonScopes<'t>,
    pub(super) facts: FileFacts,
    /// Imports of `import a.b.c` by `a`, `a.b` and `a.b.c`.
    pub(super) dotted_imports: HashMap<String, ImportIdx>,
    /// Imports by calls, by the id of the call's node.
    pub(super) dynamic_imports: HashMap<usize, ImportIdx>,
    /// Imports of `a.b` of `a.b.c` after `import a`, by the import of `a` and the name `b`.
    pub(super) implied_imports: HashMap<(ImportIdx, &'t str), ImportIdx>,
    /// Modules that strings may name, by their paths.
    pub(super) quoted_modules: HashMap<&'t str, ImportIdx>,
    /// Names that the file exports.
    pub(super) exported: HashSet<String>,
    /// The names of a literal `__all__`.
    pub(super) all: Option<Vec<&'t str>>,
    /// The strings that these stand in.
    pub(super) listed: Vec<Node<'t>>,
    /// First bytes of the names of attributes where these are defined: `a` of the first `self.a = b`.
    pub(super) defined_attributes: HashSet<usize>,
    /// Whether there is a star import.
    pub(super) has_star: bool,
    /// Type variables of the module with the value of `bound`.
    pub(super) type_vars: HashMap<&'t str, Option<Node<'t>>>,
    /// Names of fixtures by the scope that defines them.
    pub(super) fixtures: HashMap<(ScopeIdx, &'t str), BuilderId>,
    /// The imports of `conftest.py` files upwards, the nearest first; none before a fixture is looked for there.
    pub(super) conftests: Vec<ImportIdx>,
    /// The imports of the modules of `pytest_plugins`.
    pub(super) plugins: Vec<ImportIdx>,
    /// Symbols that hold module-level names.
    pub(super) top_symbols: HashMap<&'t str, BuilderId>,
    /// Expressions by the id of their node; `None` while one is lowered.
    pub(super) lowered: HashMap<usize, Option<ExprId>>,
    pub(super) depth: usize,
    pub(super) uses: UseRecorder,
    pub(super) unknown: ExprId,
}

impl<'t> Lowering<'t> {
    /// Begins a file.
    pub(super) fn new(source: &'t str, keeps_positions: bool) -> Self {
        let mut facts = FileFacts {
            family: Family::Python,
            ..FileFacts::default()
        };
        let unknown = facts.exprs.add(Expr::Unknown);
        Self {
            source,
            grammar: grammar(),
            builders: Vec::new(),
            order: Vec::new(),
            scopes: PythonScopes::default(),
            facts,
            dotted_imports: HashMap::default(),
            dynamic_imports: HashMap::default(),
            implied_imports: HashMap::default(),
            quoted_modules: HashMap::default(),
            exported: HashSet::default(),
            all: None,
            listed: Vec::new(),
            defined_attributes: HashSet::default(),
            has_star: false,
            type_vars: HashMap::default(),
            fixtures: HashMap::default(),
            conftests: Vec::new(),
            plugins: Vec::new(),
            top_symbols: HashMap::default(),
            lowered: HashMap::default(),
            depth: 0,
            uses: UseRecorder::new(source, keeps_positions),
            unknown,
        }
    }

    /// Returns the kind of a node.
    pub(super) fn kind(&self, node: Node<'t>) -> Kind {
        self.grammar.kind(node)
    }

    /// Returns a child by its field.
    #[expect(clippy::unused_self, reason = "reads as `kind` and `text` do")]
    pub(super) fn field(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    /// Returns the named children of a node but comments.
    pub(super) fn children(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .filter(|child| self.kind(*child) != Kind::Comment)
            .collect()
    }

    /// Returns the source of a node.
    pub(super) fn text(&self, node: Node<'t>) -> &'t str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the text of a string literal; `None` for one with interpolations.
    pub(super) fn string_text(&self, node: Node<'t>) -> Option<&'t str> {
        let (mut start, mut end) = (None, node.end_byte());
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "string_start" => start = Some(child.end_byte()),
                "string_end" => end = child.start_byte(),
                _ if self.kind(child) == Kind::Interpolation => return None,
                _ => {}
            }
        }
        self.source.get(start?..end)
    }

    /// Returns the first field of a node, or the node itself, without parentheses.
    pub(super) fn unwrapped(&self, node: Node<'t>) -> Node<'t> {
        let mut node = node;
        while self.kind(node) == Kind::Parenthesized {
            match node.named_child(0) {
                Some(inner) => node = inner,
                None => break,
            }
        }
        node
    }

    /// Returns the names of a chain `a.b.c`; `None` where anything else stands in it.
    pub(super) fn chain(&self, node: Node<'t>) -> Option<Vec<&'t str>> {
        let fields = self.grammar.fields;
        let (mut names, mut at) = (Vec::new(), node);
        loop {
            match self.kind(at) {
                Kind::Identifier => {
                    names.push(self.text(at));
                    names.reverse();
                    return Some(names);
                }
                Kind::Attribute if names.len() < 16 => {
                    names.push(self.text(self.field(at, fields.attribute)?));
                    at = self.field(at, fields.object)?;
                }
                _ => return None,
            }
        }
    }

    /// Returns the symbol of a builder.
    pub(super) fn symbol(&self, builder: BuilderId) -> SymbolIdx {
        self.order[builder as usize]
    }

    /// Returns the innermost symbol around the code of a scope.
    pub(super) fn symbol_around(&self, scope: ScopeIdx) -> Option<SymbolIdx> {
        self.scopes.get(scope).symbol.map(|it| self.symbol(it))
    }

    /// Adds an expression.
    pub(super) fn add(&mut self, expr: Expr) -> ExprId {
        self.facts.exprs.add(expr)
    }

    /// Adds `object.name`; unknown where the object is.
    pub(super) fn member(&mut self, object: ExprId, name: &str) -> ExprId {
        self.facts.exprs.member_of_known(object, name)
    }

    /// Adds `first` with `other` for where nothing is known of it.
    pub(super) fn fallback(&mut self, first: ExprId, other: ExprId) -> ExprId {
        self.facts.exprs.fallback_of_known(first, other)
    }

    /// Adds the union of the known ones of `all`, at most 8.
    pub(super) fn union(&mut self, all: Vec<ExprId>) -> ExprId {
        self.facts.exprs.union_of_known(all, MAX_UNION)
    }
}

/// The most values of one name or function that are kept.
pub(super) const MAX_UNION: usize = 8;
