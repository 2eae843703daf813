//! The state of lowering one file, and access to its syntax tree.

use tree_sitter::Node;

use super::grammar::{Grammar, Kind, grammar};
use super::locals::Locals;
use super::types::Param;
use crate::ir::{Binding, Expr, ExprId, FileFacts, PathId, ReferenceKind, Slot, SymbolIdx, Target};
use crate::model::Budget;
use crate::model::Family;
use crate::model::hash::{HashMap, HashSet};
use crate::syntax::lang::frontend::LoweredFile;
use crate::syntax::lang::tree_walk::each_comment;
use crate::syntax::lang::use_recorder::{RecordedUse, UseRecorder};
use crate::syntax::signature::Comment;

/// The deepest nesting of syntax that is read; deeper syntax says nothing.
pub(super) const MAX_DEPTH: usize = 200;

/// The most values that one expression may be.
const MAX_UNION: usize = 8;

/// A type parameter that is in scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeParam<'t> {
    pub(super) name: &'t str,
    /// The class or method that declares it.
    pub(super) owner: SymbolIdx,
    /// From 0.
    pub(super) index: u8,
}

/// Everything known of a file while it is lowered.
pub(super) struct Lowering<'t> {
    pub(super) source: &'t str,
    pub(super) grammar: &'static Grammar,
    pub(super) facts: FileFacts,
    /// For each symbol the byte at which the comments above it begin.
    pub(super) leads: Vec<u32>,
    /// All comments, by their first byte.
    pub(super) comments: Vec<Comment>,
    pub(super) locals: Locals<'t>,
    /// The type parameters in scope, the innermost last.
    pub(super) type_params: Vec<TypeParam<'t>>,
    /// The innermost symbol around the code that is read.
    pub(super) around: Option<SymbolIdx>,
    /// Expressions by the id of their node.
    pub(super) lowered: HashMap<usize, ExprId>,
    /// The functional interface that a lambda or a method reference becomes an instance of, by the id of its node.
    pub(super) expected: HashMap<usize, ExprId>,
    /// Calls without the bodies of the lambdas that they are given, by the id of their node.
    pub(super) call_heads: HashMap<usize, ExprId>,
    /// The type of the values that the method returns.
    pub(super) returned: ExprId,
    /// The value that the innermost `switch` looks at.
    pub(super) subject: ExprId,
    pub(super) depth: usize,
    /// The method whose result type is lowered, with its parameters: its type parameters are inferred from their types.
    pub(super) result_of: Option<SymbolIdx>,
    pub(super) params_of_result: Vec<Param<'t>>,
    /// The places that are bound.
    bound: HashSet<(SymbolIdx, PathId)>,
    /// How many classes without a name are built on a class, by what is around them and its name.
    pub(super) anonymous: HashMap<(Option<SymbolIdx>, &'t str), u32>,
    pub(super) uses: UseRecorder,
    pub(super) unknown: ExprId,
}

impl<'t> Lowering<'t> {
    /// Begins a file.
    pub(super) fn new(source: &'t str, keeps_positions: bool) -> Self {
        let mut facts = FileFacts {
            family: Family::Java,
            ..FileFacts::default()
        };
        let unknown = facts.exprs.add(Expr::Unknown);
        Self {
            source,
            grammar: grammar(),
            facts,
            leads: Vec::new(),
            comments: Vec::new(),
            locals: Locals::default(),
            type_params: Vec::new(),
            around: None,
            lowered: HashMap::default(),
            expected: HashMap::default(),
            call_heads: HashMap::default(),
            returned: unknown,
            subject: unknown,
            depth: 0,
            result_of: None,
            params_of_result: Vec::new(),
            bound: HashSet::default(),
            anonymous: HashMap::default(),
            uses: UseRecorder::new(source, keeps_positions),
            unknown,
        }
    }

    /// Lowers the declarations of a file one after another; `None` where the budget ended.
    pub(super) fn lower_file(&mut self, root: Node<'t>, budget: &Budget) -> Option<()> {
        self.find_comments(root);
        for child in self.children(root) {
            if budget.is_spent() {
                return None;
            }
            match self.kind(child) {
                Kind::Package => self.package(child),
                Kind::Import => self.import(child),
                Kind::Module => self.module(child),
                // A script of methods and statements, or the rest of broken code.
                _ => self.member(child),
            }
        }
        self.document_package();
        self.uses.sort(&mut self.facts.references);
        Some(())
    }

    fn find_comments(&mut self, root: Node<'t>) {
        let grammar = self.grammar;
        let is_comment =
            |node| matches!(grammar.kind(node), Kind::LineComment | Kind::BlockComment);
        each_comment(root, self.source, is_comment, |node| {
            self.comments.push(Comment::at(node.byte_range()));
        });
    }

    /// Ends the file.
    pub(super) fn finish(mut self, has_errors: bool) -> LoweredFile {
        self.facts.has_errors = has_errors;
        LoweredFile {
            facts: self.facts,
            leads: self.leads,
            positions: self.uses.into_positions(),
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
            .filter(|child| !matches!(self.kind(*child), Kind::LineComment | Kind::BlockComment))
            .collect()
    }

    /// Returns the first named child of a kind.
    pub(super) fn child_of(&self, node: Node<'t>, kind: Kind) -> Option<Node<'t>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .find(|child| self.kind(*child) == kind)
    }

    /// Returns the source of a node.
    pub(super) fn text(&self, node: Node<'t>) -> &'t str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns a node without the parentheses around it.
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

    /// Returns the line of a byte, from 1.
    pub(super) fn line_at(&self, byte: usize) -> u32 {
        self.uses.line_at(byte)
    }

    /// Adds an expression.
    pub(super) fn add(&mut self, expr: Expr) -> ExprId {
        self.facts.exprs.add(expr)
    }

    /// Adds a name that no local scope binds.
    pub(super) fn name(&mut self, name: &str) -> ExprId {
        let name = self.facts.exprs.name(name);
        let scope = self.around;
        self.add(Expr::Name { name, scope })
    }

    /// Adds `object.name`; unknown where the object is.
    pub(super) fn member_of(&mut self, object: ExprId, name: &str) -> ExprId {
        self.facts.exprs.member_of_known(object, name)
    }

    /// Adds an instance of a type; unknown where the type is.
    pub(super) fn instance(&mut self, of: ExprId) -> ExprId {
        self.facts.exprs.instance_of_known(of)
    }

    /// Adds an array of elements.
    pub(super) fn array(&mut self, element: ExprId) -> ExprId {
        self.add(Expr::Container {
            kind: crate::ir::ContainerKind::Sequence,
            element,
        })
    }

    /// Adds the union of the known ones of `all`.
    pub(super) fn union(&mut self, all: Vec<ExprId>) -> ExprId {
        self.facts.exprs.union_of_known(all, MAX_UNION)
    }

    /// Adds a binding. Of several things that are said of one place the first counts, but for bases.
    pub(super) fn bind(&mut self, owner: SymbolIdx, slot: Slot, value: ExprId) {
        let path = self.facts.exprs.path_of([slot]);
        if !matches!(slot, Slot::Base(_)) && !self.bound.insert((owner, path)) {
            return;
        }
        self.facts.bindings.push(Binding {
            owner: Some(owner),
            path,
            value,
        });
    }

    /// Adds a binding at a path below a symbol, where nothing is bound yet.
    pub(super) fn bind_at(&mut self, owner: SymbolIdx, path: PathId, value: ExprId) {
        if self.bound.insert((owner, path)) {
            self.facts.bindings.push(Binding {
                owner: Some(owner),
                path,
                value,
            });
        }
    }

    /// Adds a binding of a member.
    pub(super) fn bind_member(&mut self, owner: SymbolIdx, name: &str, value: ExprId) {
        if value != self.unknown {
            let name = self.facts.exprs.name(name);
            self.bind(owner, Slot::Member(name), value);
        }
    }

    /// Records a use whose name stands at a node.
    pub(super) fn push_use(&mut self, node: Node<'t>, target: Target, kind: ReferenceKind) {
        let name = self.facts.exprs.name(self.text(node));
        let used = RecordedUse {
            name,
            target,
            kind,
            symbol: self.around,
        };
        let at = node.start_byte();
        self.uses.record(&mut self.facts.references, used, at);
    }
}
