//! The state of lowering one file, and access to its syntax tree.

use tree_sitter::Node;

use super::grammar::{Grammar, Kind, grammar};
use super::types::Param;
use crate::ir::{
    Binding, ContainerKind, Expr, ExprId, FileFacts, ImportIdx, PathId, ReferenceKind, Slot,
    SymbolIdx, Target,
};
use crate::model::hash::{HashMap, HashSet};
use crate::model::{Budget, Family, SymbolFlags};
use crate::syntax::lang::frontend::LoweredFile;
use crate::syntax::lang::scoped_names::ScopedNames;
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
    /// The type or method that declares it.
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
    /// The local names in scope, with their values.
    pub(super) locals: ScopedNames<'t, ExprId>,
    /// The type parameters in scope, the innermost last.
    pub(super) type_params: Vec<TypeParam<'t>>,
    /// The innermost symbol around the code that is read.
    pub(super) around: Option<SymbolIdx>,
    /// The namespace around the code that is read; empty for the global one.
    pub(super) namespace: String,
    /// The namespace of each export.
    pub(super) namespaces_of_exports: Vec<String>,
    /// The imports of namespaces that names may begin with, by their specifiers.
    pub(super) qualifiers: HashMap<String, ImportIdx>,
    /// The namespaces and types that using directives give another name, each with the namespace around the directive.
    pub(super) aliases: HashMap<&'t str, (String, String)>,
    /// The number of type parameters of each type that has some.
    pub(super) arities: HashMap<SymbolIdx, usize>,
    /// Expressions by the id of their node.
    pub(super) lowered: HashMap<usize, ExprId>,
    /// The type that a lambda, a `new()` or a declared argument becomes an instance of, by the id of its node.
    pub(super) expected: HashMap<usize, ExprId>,
    /// Calls without the bodies of the lambdas that they are given, by the id of their node.
    pub(super) call_heads: HashMap<usize, ExprId>,
    /// The type of the values that the method returns.
    pub(super) returned: ExprId,
    pub(super) depth: usize,
    /// The method whose result type is lowered, with its parameters: its type parameters are inferred from their types.
    pub(super) result_of: Option<SymbolIdx>,
    pub(super) params_of_result: Vec<Param<'t>>,
    /// The parameter list of the `extension` block around a method that is about to be read.
    pub(super) extended: Option<Node<'t>>,
    /// The names of the parameters of each method.
    pub(super) param_names: Vec<(SymbolIdx, Vec<&'t str>)>,
    /// The places that are bound.
    bound: HashSet<(SymbolIdx, PathId)>,
    pub(super) uses: UseRecorder,
    pub(super) unknown: ExprId,
}

impl<'t> Lowering<'t> {
    /// Begins a file.
    pub(super) fn new(source: &'t str, keeps_positions: bool) -> Self {
        let mut facts = FileFacts {
            family: Family::CSharp,
            ..FileFacts::default()
        };
        let unknown = facts.exprs.add(Expr::Unknown);
        Self {
            source,
            grammar: grammar(),
            facts,
            leads: Vec::new(),
            comments: Vec::new(),
            locals: ScopedNames::default(),
            type_params: Vec::new(),
            around: None,
            namespace: String::new(),
            namespaces_of_exports: Vec::new(),
            qualifiers: HashMap::default(),
            aliases: HashMap::default(),
            arities: HashMap::default(),
            lowered: HashMap::default(),
            expected: HashMap::default(),
            call_heads: HashMap::default(),
            returned: unknown,
            depth: 0,
            result_of: None,
            params_of_result: Vec::new(),
            extended: None,
            param_names: Vec::new(),
            bound: HashSet::default(),
            uses: UseRecorder::new(source, keeps_positions),
            unknown,
        }
    }

    /// Lowers the declarations of a file one after another; `None` where the budget ended.
    pub(super) fn lower_file(&mut self, root: Node<'t>, budget: &Budget) -> Option<()> {
        self.find_comments(root);
        self.namespaces(root);
        for child in self.children(root) {
            if budget.is_spent() {
                return None;
            }
            self.top_level(child);
        }
        self.uses.sort(&mut self.facts.references);
        Some(())
    }

    /// Reads a declaration of the file or of a namespace; anything else as code.
    pub(super) fn top_level(&mut self, node: Node<'t>) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match self.kind(node) {
            Kind::FileNamespace => self.namespace = self.name_of_namespace(node),
            Kind::Namespace => {
                let inner = self.name_of_namespace(node);
                let outer = std::mem::replace(&mut self.namespace, inner);
                if let Some(body) = self.field(node, self.grammar.fields.body) {
                    for child in self.children(body) {
                        self.top_level(child);
                    }
                }
                self.namespace = outer;
            }
            Kind::UsingDirective => self.use_using(node),
            Kind::ExternAlias => {}
            Kind::GlobalAttribute => self.use_attributes(node),
            Kind::GlobalStatement => {
                for child in self.children(node) {
                    self.walk(child);
                }
            }
            Kind::PreprocIf | Kind::PreprocElse | Kind::PreprocElif => {
                for child in self.branch(node) {
                    self.top_level(child);
                }
            }
            _ => self.member(node),
        }
        self.depth -= 1;
    }

    /// Returns the code in a branch of a condition, with the branches behind it.
    pub(super) fn branch(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let condition = self.field(node, self.grammar.fields.condition);
        let mut all = self.children(node);
        all.retain(|child| Some(*child) != condition);
        all
    }

    fn find_comments(&mut self, root: Node<'t>) {
        let grammar = self.grammar;
        let is_comment = |node| grammar.kind(node) == Kind::Comment;
        each_comment(root, self.source, is_comment, |node| {
            self.comments.push(Comment::at(node.byte_range()));
        });
    }

    /// Ends the file.
    pub(super) fn finish(mut self, has_errors: bool) -> LoweredFile {
        self.facts.has_errors = has_errors;
        self.name_parameters();
        self.names_of_types();
        if self.facts.units.len() > 1 {
            // Which namespace a name belongs to.
            for (export, namespace) in self
                .facts
                .exports
                .iter_mut()
                .zip(self.namespaces_of_exports)
            {
                export.specifier = namespace;
            }
        }
        LoweredFile {
            facts: self.facts,
            leads: self.leads,
            positions: self.uses.into_positions(),
        }
    }

    /// Binds the names of the parameters of methods that share their name with another one of their type: arguments may be given
    /// by them.
    fn name_parameters(&mut self) {
        let symbols = &self.facts.symbols;
        let mut n_of_name: HashMap<(Option<SymbolIdx>, &str), usize> = HashMap::default();
        for (at, _) in &self.param_names {
            let symbol = &symbols[*at as usize];
            *n_of_name.entry((symbol.parent, &symbol.name)).or_default() += 1;
        }
        let is_shared = |at: SymbolIdx| {
            let symbol = &symbols[at as usize];
            let in_parts = symbol.parent.is_some_and(|parent| {
                let flags = symbols[parent as usize].flags;
                flags.contains(SymbolFlags::PARTIAL)
            });
            in_parts
                || n_of_name
                    .get(&(symbol.parent, &symbol.name))
                    .is_some_and(|n| *n > 1)
        };
        let mut named = std::mem::take(&mut self.param_names);
        let is_shared: Vec<bool> = named.iter().map(|(at, _)| is_shared(*at)).collect();
        for ((owner, names), is_shared) in named.drain(..).zip(is_shared) {
            for (index, name) in names.into_iter().enumerate().filter(|_| is_shared) {
                let name = self.facts.exprs.name(name);
                let slot = Slot::Param(u8::try_from(index).unwrap_or(u8::MAX));
                self.bind_at(owner, &[slot, Slot::Member(name)], self.unknown);
            }
        }
    }

    /// Returns the kind of a node.
    pub(super) fn kind(&self, node: Node<'t>) -> Kind {
        if !node.is_named() {
            return match node.kind() {
                "this" => Kind::This,
                "base" => Kind::Base,
                _ => Kind::Other,
            };
        }
        self.grammar.kind(node)
    }

    /// Returns a child by its field.
    #[expect(clippy::unused_self, reason = "reads as `kind` and `text` do")]
    pub(super) fn field(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    /// Returns the named children of a node but comments; of `(this)`, which has none, the word.
    pub(super) fn children(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut cursor = node.walk();
        let named: Vec<Node<'t>> = node
            .named_children(&mut cursor)
            .filter(|child| self.kind(*child) != Kind::Comment)
            .collect();
        if named.is_empty() {
            self.own_object(node).into_iter().collect()
        } else {
            named
        }
    }

    /// Returns the word `this` or `base` among the children of a node: the grammar has no name for it.
    pub(super) fn own_object(&self, node: Node<'t>) -> Option<Node<'t>> {
        let mut cursor = node.walk();
        node.children(&mut cursor)
            .find(|child| matches!(self.kind(*child), Kind::This | Kind::Base))
    }

    /// Returns the first named child of a kind.
    pub(super) fn child_of(&self, node: Node<'t>, kind: Kind) -> Option<Node<'t>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .find(|child| self.kind(*child) == kind)
    }

    /// Returns whether a word stands among the children of a node: `global`.
    #[expect(clippy::unused_self, reason = "reads as `child_of` does")]
    pub(super) fn has_word(&self, node: Node<'t>, word: &str) -> bool {
        let mut cursor = node.walk();
        node.children(&mut cursor).any(|child| child.kind() == word)
    }

    /// Returns the source of a node.
    pub(super) fn text(&self, node: Node<'t>) -> &'t str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns a name as it is meant: `class` for `@class`.
    pub(super) fn name_text(&self, node: Node<'t>) -> &'t str {
        let text = self.text(node);
        text.strip_prefix('@').unwrap_or(text)
    }

    /// Returns a node without the parentheses around it.
    pub(super) fn unwrapped(&self, node: Node<'t>) -> Node<'t> {
        let mut node = node;
        while self.kind(node) == Kind::Parenthesized {
            match self.children(node).first() {
                Some(inner) => node = *inner,
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
            kind: ContainerKind::Stream,
            element,
        })
    }

    /// Adds an element of a container that is indexed, or a value that is waited for.
    pub(super) fn element(&mut self, object: ExprId) -> ExprId {
        self.facts.exprs.element_of_known(object)
    }

    /// Adds an element of a container that a loop goes through.
    pub(super) fn looped(&mut self, object: ExprId) -> ExprId {
        match self.facts.exprs.get(object) {
            Expr::Unknown => object,
            Expr::Container { element, .. } => *element,
            _ => self.add(Expr::LoopVariable { object }),
        }
    }

    /// Adds the union of the known ones of `all`.
    pub(super) fn union(&mut self, all: Vec<ExprId>) -> ExprId {
        let null = self.primitive("null");
        let all = all.into_iter().filter(|it| *it != null);
        self.facts.exprs.union_of_known(all, MAX_UNION)
    }

    /// Adds a value of a type that the language names by a word of its own.
    pub(super) fn primitive(&mut self, name: &str) -> ExprId {
        self.facts.exprs.instance_of_name(name)
    }

    /// Adds a binding. Of several things that are said of one place the first counts, but for bases.
    pub(super) fn bind(&mut self, owner: SymbolIdx, slot: Slot, value: ExprId) {
        self.bind_at(owner, &[slot], value);
    }

    /// As [`Self::bind`], of a place some slots deep.
    pub(super) fn bind_at(&mut self, owner: SymbolIdx, slots: &[Slot], value: ExprId) {
        let path = self.facts.exprs.path_of(slots.iter().copied());
        let is_base = matches!(slots, [Slot::Base(_)]);
        if !is_base && !self.bound.insert((owner, path)) {
            return;
        }
        self.facts.bindings.push(Binding {
            owner: Some(owner),
            path,
            value,
        });
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
        self.push_named_use(self.name_text(node), node, target, kind);
    }

    /// Records a use of a name at a node.
    pub(super) fn push_named_use(
        &mut self,
        name: &str,
        node: Node<'t>,
        target: Target,
        kind: ReferenceKind,
    ) {
        let used = RecordedUse {
            name: self.facts.exprs.name(name),
            target,
            kind,
            symbol: self.around,
        };
        let is_escaped = self.text(node).starts_with('@');
        let at = node.start_byte() + usize::from(is_escaped);
        self.uses.record(&mut self.facts.references, used, at);
    }
}
