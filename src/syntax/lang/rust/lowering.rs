//! The state of lowering one file, and access to its syntax tree.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::grammar::{Grammar, Kind, grammar};
use super::locals::{Local, Locals};
use super::records::{Generic, Leaf};
use crate::ir::{Binding, Expr, ExprId, FileFacts, PathId, ReferenceKind, Slot, SymbolIdx, Target};
use crate::model::hash::{HashMap, HashSet};
use crate::model::{Budget, Family, Symbol};
use crate::syntax::lang::frontend::LoweredFile;
use crate::syntax::lang::tree_walk::each_comment;
use crate::syntax::lang::use_recorder::{RecordedUse, UseRecorder, offset};
use crate::syntax::signature::Comment;

/// The deepest nesting of syntax that is read; deeper syntax says nothing.
pub(super) const MAX_DEPTH: usize = 200;

/// The most values that one expression may be.
const MAX_UNION: usize = 6;

/// A type of which there are members here: that around an `impl` block, or a trait.
#[derive(Clone, Copy, Debug)]
pub(super) struct SelfType {
    /// Its name.
    pub(super) named: ExprId,
    /// A value of it.
    pub(super) value: ExprId,
}

/// Everything known of a file while it is lowered.
pub(super) struct Lowering<'t> {
    pub(super) source: &'t str,
    pub(super) budget: &'t Budget,
    pub(super) grammar: &'static Grammar,
    pub(super) facts: FileFacts,
    /// For each symbol the byte at which the comments above it begin.
    pub(super) leads: Vec<u32>,
    /// All comments, by their first byte.
    pub(super) comments: Vec<Comment>,
    pub(super) locals: Locals<'t>,
    /// The type parameters in scope, the innermost last.
    pub(super) generics: Vec<Generic<'t>>,
    pub(super) self_type: Option<SelfType>,
    /// The innermost symbol around the code that is read.
    pub(super) around: Option<SymbolIdx>,
    /// The inline modules around, the innermost last: its symbol and name.
    pub(super) modules: Vec<(SymbolIdx, &'t str)>,
    /// Whether the code is inside of a function.
    pub(super) in_function: bool,
    /// The modules of the file that other files hold, each by the inline modules around and its name: `tests.util`.
    pub(super) outer_modules: HashSet<String>,
    /// The first names of paths, which may be those of crates.
    pub(super) crates: BTreeSet<&'t str>,
    /// The macros that are used and that the language does not define.
    pub(super) macros: BTreeSet<&'t str>,
    /// The types of the file.
    pub(super) own_types: BTreeSet<String>,
    /// The traits of other files that `impl` blocks implement, each with the type that the block is for.
    pub(super) other_traits: BTreeSet<(String, String)>,
    /// The types that `impl` blocks are for, by a bare name, and by a path.
    pub(super) other_types: BTreeSet<String>,
    pub(super) qualified_types: BTreeSet<String>,
    /// The names that the file gives to generic types: the type with its own name.
    pub(super) aliases: HashMap<String, (ExprId, String)>,
    /// The names of the inline modules of the file, known before anything is lowered.
    pub(super) inline_modules: BTreeSet<&'t str>,
    /// The inline modules of the file, each by those around and its name.
    pub(super) own_modules: HashSet<String>,
    /// The macros that the file defines.
    pub(super) own_macros: BTreeSet<&'t str>,
    /// The leaves of `use` declarations.
    pub(super) leaves: Vec<Leaf<'t>>,
    pub(super) depth: usize,
    /// Whether the code is that of a rule of a macro, with what its parameters stand for.
    pub(super) is_in_rule: bool,
    pub(super) rule_params: Vec<&'t str>,
    /// How many macros are around.
    pub(super) macro_depth: usize,
    /// Bytes of macros that were parsed.
    pub(super) macro_bytes: usize,
    pub(super) uses: UseRecorder,
    /// The type that a conversion makes, by the id of the call.
    pub(super) expected: HashMap<usize, ExprId>,
    /// The type of the results of the function around.
    pub(super) returned: ExprId,
    pub(super) unknown: ExprId,
}

impl<'t> Lowering<'t> {
    /// Begins a file.
    pub(super) fn new(source: &'t str, keeps_positions: bool, budget: &'t Budget) -> Self {
        let mut facts = FileFacts {
            family: Family::Rust,
            ..FileFacts::default()
        };
        let unknown = facts.exprs.add(Expr::Unknown);
        Self {
            source,
            budget,
            grammar: grammar(),
            facts,
            leads: Vec::new(),
            comments: Vec::new(),
            locals: Locals::default(),
            generics: Vec::new(),
            self_type: None,
            around: None,
            modules: Vec::new(),
            in_function: false,
            outer_modules: HashSet::default(),
            crates: BTreeSet::new(),
            macros: BTreeSet::new(),
            own_types: BTreeSet::new(),
            other_traits: BTreeSet::new(),
            other_types: BTreeSet::new(),
            qualified_types: BTreeSet::new(),
            aliases: HashMap::default(),
            inline_modules: BTreeSet::new(),
            own_modules: HashSet::default(),
            own_macros: BTreeSet::new(),
            leaves: Vec::new(),
            depth: 0,
            is_in_rule: false,
            rule_params: Vec::new(),
            macro_depth: 0,
            macro_bytes: 0,
            uses: UseRecorder::new(source, keeps_positions),
            expected: HashMap::default(),
            returned: unknown,
            unknown,
        }
    }

    /// Notes all comments.
    pub(super) fn find_comments(&mut self, root: Node<'_>) {
        let (grammar, source) = (self.grammar, self.source);
        let is_comment = |node| grammar.kind(node).is_comment();
        each_comment(root, source, is_comment, |node| {
            // A doc comment of a line has the end of the line in it.
            let text = self.text(node);
            let end = node.start_byte() + text.trim_end_matches(['\n', '\r']).len();
            if !text.starts_with("//!") && !text.starts_with("/*!") {
                self.comments.push(Comment::at(node.start_byte()..end));
            }
        });
    }

    /// Ends the file.
    pub(super) fn finish(mut self) -> LoweredFile {
        self.implied_imports();
        self.sort_symbols();
        self.uses.sort(&mut self.facts.references);
        LoweredFile {
            facts: self.facts,
            leads: self.leads,
            positions: self.uses.into_positions(),
        }
    }

    /// Puts the symbols in the order of their first bytes: items of a block are lowered before its statements.
    fn sort_symbols(&mut self) {
        let starts = |it: &Symbol| it.span.start_byte;
        if self.facts.symbols.is_sorted_by_key(starts) {
            return;
        }
        let mut order: Vec<usize> = (0..self.facts.symbols.len()).collect();
        order.sort_by_key(|at| starts(&self.facts.symbols[*at]));
        let mut places = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            places[*old] = offset(new);
        }
        let new = |old: SymbolIdx| places[old as usize];
        self.facts.exprs.renumber(new);
        let symbols = order.iter().map(|old| {
            let mut symbol = self.facts.symbols[*old].clone();
            symbol.parent = symbol.parent.map(new);
            symbol
        });
        self.facts.symbols = symbols.collect();
        self.leads = order.iter().map(|old| self.leads[*old]).collect();
        for binding in &mut self.facts.bindings {
            binding.owner = binding.owner.map(new);
        }
        for owner in &mut self.facts.owners {
            owner.symbol = new(owner.symbol);
        }
        self.facts.owners.sort_by_key(|it| it.symbol);
        for reference in &mut self.facts.references {
            reference.symbol = reference.symbol.map(new);
            if let Target::Symbol(at) = &mut reference.target {
                *at = new(*at);
            }
        }
    }

    /// Returns the kind of a node.
    pub(super) fn kind(&self, node: Node<'_>) -> Kind {
        self.grammar.kind(node)
    }

    /// Returns a child by its field.
    #[expect(clippy::unused_self, reason = "reads as `kind` and `text` do")]
    pub(super) fn field<'n>(&self, node: Node<'n>, field: u16) -> Option<Node<'n>> {
        node.child_by_field_id(field)
    }

    /// Returns the named children of a node but comments and attributes.
    pub(super) fn children<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .filter(|child| {
                let kind = self.kind(*child);
                !kind.is_comment()
                    && !matches!(kind, Kind::AttributeItem | Kind::InnerAttributeItem)
            })
            .collect()
    }

    /// Returns the first named child of a kind.
    pub(super) fn child_of<'n>(&self, node: Node<'n>, kind: Kind) -> Option<Node<'n>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .find(|child| self.kind(*child) == kind)
    }

    /// Returns the source of a node, without the `r#` of a raw name.
    pub(super) fn text(&self, node: Node<'_>) -> &'t str {
        let text = self.source.get(node.byte_range()).unwrap_or_default();
        text.strip_prefix("r#").unwrap_or(text)
    }

    /// Returns the line of a byte, from 1.
    pub(super) fn line_at(&self, byte: usize) -> u32 {
        self.uses.line_at(byte)
    }

    /// Returns the innermost inline module around.
    pub(super) fn module(&self) -> Option<SymbolIdx> {
        self.modules.last().map(|it| it.0)
    }

    /// Adds an expression.
    pub(super) fn add(&mut self, expr: Expr) -> ExprId {
        self.facts.exprs.add(expr)
    }

    /// Adds a name of the module around.
    pub(super) fn name(&mut self, name: &str) -> ExprId {
        let name = self.facts.exprs.name(name);
        let scope = self.module();
        self.add(Expr::Name { name, scope })
    }

    /// Adds `object.name`; unknown where the object is.
    pub(super) fn member_of(&mut self, object: ExprId, name: &str) -> ExprId {
        self.facts.exprs.member_of_known(object, name)
    }

    /// Adds a value of a type; unknown where the type is.
    pub(super) fn instance(&mut self, of: ExprId) -> ExprId {
        self.facts.exprs.instance_of_known(of)
    }

    /// Adds a value of a type of the standard library with type arguments: `Option` of something.
    pub(super) fn standard(&mut self, name: &str, args: &[ExprId]) -> ExprId {
        let name = self.facts.exprs.name(&format!("::{name}"));
        let mut of = self.add(Expr::Name { name, scope: None });
        if !args.is_empty() {
            of = self.add(Expr::Specialized {
                base: of,
                args: args.into(),
            });
        }
        self.add(Expr::Instance { of })
    }

    /// Adds the union of the known ones of `all`.
    pub(super) fn union(&mut self, all: Vec<ExprId>) -> ExprId {
        self.facts.exprs.union_of_known(all, MAX_UNION)
    }

    /// Adds a call of a method without arguments.
    pub(super) fn call_of(&mut self, object: ExprId, method: &str) -> ExprId {
        let callee = self.member_of(object, method);
        if callee == self.unknown {
            return callee;
        }
        self.add(Expr::Call {
            callee,
            types: Box::default(),
            args: Box::default(),
        })
    }

    /// Adds a value that an owner holds.
    pub(super) fn bind(&mut self, owner: Option<SymbolIdx>, slots: &[Slot], value: ExprId) {
        if value != self.unknown {
            let path = self.facts.exprs.path_of(slots.iter().copied());
            self.bind_path(owner, path, value);
        }
    }

    fn bind_path(&mut self, owner: Option<SymbolIdx>, path: PathId, value: ExprId) {
        self.facts.bindings.push(Binding { owner, path, value });
    }

    /// Adds the value of a member.
    pub(super) fn bind_member(&mut self, owner: Option<SymbolIdx>, name: &str, value: ExprId) {
        let name = self.facts.exprs.name(name);
        self.bind(owner, &[Slot::Member(name)], value);
    }

    /// Records a use whose name stands at a node.
    pub(super) fn push_use(&mut self, node: Node<'_>, target: Target, kind: ReferenceKind) {
        let name = self.facts.exprs.name(self.text(node));
        let used = RecordedUse {
            name,
            target,
            kind,
            symbol: self.around,
        };
        let raw = self.source.get(node.byte_range()).unwrap_or_default();
        let at = node.start_byte() + usize::from(raw.starts_with("r#")) * 2;
        self.uses.record(&mut self.facts.references, used, at);
    }

    /// Records a use of a name that nobody writes, at a byte.
    pub(super) fn push_named_use(
        &mut self,
        at: usize,
        name: &str,
        target: Target,
        kind: ReferenceKind,
    ) {
        let used = RecordedUse {
            name: self.facts.exprs.name(name),
            target,
            kind,
            symbol: self.around,
        };
        self.uses.record(&mut self.facts.references, used, at);
    }

    /// Does `part` one level deeper; nothing where the code is too deep.
    pub(super) fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH || self.budget.is_spent() {
            return None;
        }
        self.depth += 1;
        let found = part(self);
        self.depth -= 1;
        Some(found)
    }

    /// Opens a block, does `part` in it and closes it.
    pub(super) fn in_block<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        let n_outer = self.locals.enter();
        let found = part(self);
        self.locals.leave(n_outer);
        found
    }

    /// Binds a local variable.
    pub(super) fn bind_local(&mut self, name: &'t str, value: ExprId) {
        if name != "_" {
            self.locals.bind(name, Local::Value(value));
        }
    }
}
