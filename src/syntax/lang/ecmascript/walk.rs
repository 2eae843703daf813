//! One pass over a syntax tree, without recursion, that collects what a file says.
//!
//! Knows the order of visiting and its bounds. Refuses to know the single forms: what a child is to its
//! parent is in `role`, definitions are in `declare`, `members` and `values`, modules in `imports`,
//! `exports` and `commonjs`, uses in `uses`.

use tree_sitter::{Node, TreeCursor};

use super::declare::Noted;
use super::expected::Expected;
use super::exprs::Exprs;
use super::hints::Raw;
use super::kinds::{Grammar, Kind};
use super::results::Returns;
use super::role::{Mode, Place};
use super::uses::Use;
use crate::ir::{Export, ExprId, Import};
use crate::model::hash::HashMap;
use crate::model::{Budget, Span, Symbol};
use crate::syntax::scope::{ScopeKind, Scopes};
use crate::syntax::signature::Comment;

/// Levels of a tree that are looked at; below them nothing is extracted.
const MAX_DEPTH: usize = 2_000;
/// Nodes that are looked at; beyond them nothing is extracted.
const MAX_NODES: usize = 4_000_000;
/// Nodes between two looks at the budget.
const NODES_PER_CHECK: usize = 4_096;

/// What is true inside a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// What the node is.
    pub(super) kind: Kind,
    /// What the node is to its parent.
    pub(super) mode: Mode,
    /// Whose value the node is.
    pub(super) place: Place,
    /// Innermost scope.
    pub(super) scope: u32,
    /// Innermost symbol.
    pub(super) symbol: Option<u32>,
    /// Under which name definitions inside stand: an index into [`Walk::namings`].
    pub(super) naming: u32,
    /// The statement that the node's definition is part of: an index into [`Walk::outers`], 0 for none.
    pub(super) outer: u32,
    /// Innermost function: an index into [`Walk::results`].
    pub(super) function: u32,
    /// Whether the node opened `scope`.
    pub(super) opens: bool,
    /// Whether the node is part of a type.
    pub(super) in_type: bool,
}

impl Frame {
    /// Returns what is true at the top of a file.
    pub(super) fn top() -> Self {
        Self {
            kind: Kind::Other,
            mode: Mode::Value,
            place: Place::None,
            scope: 0,
            symbol: None,
            naming: 0,
            outer: 0,
            function: 0,
            opens: false,
            in_type: false,
        }
    }
}

/// A name that definitions stand under.
#[derive(Clone, Debug, Default)]
pub(super) struct Naming {
    /// What their qualified names begin with; empty at the top.
    pub(super) prefix: String,
    /// Their parent.
    pub(super) parent: Option<u32>,
    /// Whether they are members of an object and as public as it is.
    pub(super) members: bool,
    /// Whether they are visible outside without being marked, as in `declare namespace`.
    pub(super) ambient: bool,
}

/// A statement around a definition that belongs to it: `export`, `declare`, `const … ;`, decorators.
#[derive(Clone, Copy, Debug, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each says whether a word stands there"
)]
pub(super) struct Outer {
    /// Where the definition begins and ends with it.
    pub(super) span: Span,
    /// Whether `export` stands before it.
    pub(super) exported: bool,
    /// Whether `export default` does.
    pub(super) default: bool,
    /// Whether `declare` does.
    pub(super) ambient: bool,
    /// Whether the names in it can't be bound again.
    pub(super) constant: bool,
    /// Whether it holds more than one declarator, so that its span is none of theirs.
    pub(super) shared: bool,
    /// Number of uses before it: those since belong to the definition.
    pub(super) mark: usize,
}

/// A symbol in the making.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is true of a definition by itself"
)]
pub(super) struct Draft {
    /// What is known so far.
    pub(super) symbol: Symbol,
    /// Byte at which the comments above it begin.
    pub(super) lead: u32,
    /// Under which name its own members stand.
    pub(super) naming: u32,
    /// Whether it is as public as its parent.
    pub(super) member: bool,
    /// Whether it is `private` or `#private`.
    pub(super) private: bool,
    /// Whether it is a function without a body that an implementation may follow.
    pub(super) overload: bool,
    /// Whether it took the place of such.
    pub(super) overloaded: bool,
    /// What was noted before it.
    pub(super) n_before: Noted,
}

/// The state of the pass.
pub(super) struct Walk<'a> {
    pub(super) source: &'a str,
    pub(super) grammar: &'static Grammar,
    /// Whether the place of each use is noted, not only of the first of those that are equal.
    pub(super) keeps_positions: bool,
    /// Whether the names that the file binds are kept.
    pub(super) keeps_names: bool,
    /// Whether `$a` is a use of `a`, as in components of Svelte.
    pub(super) has_stores: bool,
    /// First bytes of the names that are elements of a template, in order.
    pub(super) elements: &'a [usize],
    pub(super) drafts: Vec<Draft>,
    /// Byte of the last callee that makes a definition.
    pub(super) defining: usize,
    pub(super) uses: Vec<Use<'a>>,
    pub(super) imports: Vec<Import>,
    pub(super) exports: Vec<Export>,
    /// Local names that other modules can import, by any name.
    pub(super) offered: std::collections::HashSet<String>,
    pub(super) scopes: Scopes<'a>,
    pub(super) hints: Vec<Raw<'a>>,
    /// What hints speak of: names stand for what they are where the hint is, imports for modules by their number.
    pub(super) exprs: Exprs,
    /// The modules of those imports.
    pub(super) modules: Vec<String>,
    /// What the types in comments say.
    pub(super) doc_types: HashMap<String, Option<ExprId>>,
    /// What is known of what each function returns; the first is for code outside functions.
    pub(super) results: Vec<Returns<'a>>,
    /// What functions and objects are expected to be, by their nodes.
    pub(super) expected: HashMap<usize, Expected>,
    /// Symbols whose values are functions, by the nodes of these.
    pub(super) bodies: HashMap<usize, u32>,
    pub(super) comments: Vec<Comment>,
    pub(super) namings: Vec<Naming>,
    pub(super) outers: Vec<Outer>,
    pub(super) frames: Vec<Frame>,
    /// Symbols at the top of the file by name.
    pub(super) tops: HashMap<String, u32>,
    /// A `require` or `import()` that was recorded with the names it is bound to.
    pub(super) bound_call: Option<usize>,
    /// Decorators before a class member.
    pub(super) decorated: Option<Outer>,
    /// The last doc comment that was asked for, with its definition's first byte.
    pub(super) last_doc: (u32, String, u32),
}

impl<'a> Walk<'a> {
    /// Returns a pass over `source` that has seen nothing yet.
    pub(super) fn new(source: &'a str, grammar: &'static Grammar) -> Self {
        Self {
            source,
            grammar,
            keeps_positions: false,
            keeps_names: false,
            has_stores: false,
            elements: &[],
            drafts: Vec::new(),
            defining: usize::MAX,
            uses: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            offered: std::collections::HashSet::default(),
            scopes: Scopes::new(),
            hints: Vec::new(),
            exprs: Exprs::default(),
            modules: Vec::new(),
            doc_types: HashMap::default(),
            results: vec![Returns::default()],
            expected: HashMap::default(),
            bodies: HashMap::default(),
            comments: Vec::new(),
            namings: vec![Naming::default()],
            outers: vec![Outer::default()],
            frames: Vec::new(),
            tops: HashMap::default(),
            bound_call: None,
            decorated: None,
            last_doc: (u32::MAX, String::new(), 0),
        }
    }

    /// Visits the tree. Returns false where the budget ended.
    pub(super) fn run(&mut self, root: Node<'_>, budget: &Budget) -> bool {
        let mut cursor = root.walk();
        let top = Frame::top();
        let mut parent = top;
        let mut n_nodes = 0_usize;
        loop {
            n_nodes += 1;
            if n_nodes.is_multiple_of(NODES_PER_CHECK) && budget.is_spent() {
                return false;
            }
            let kind = self.grammar.kind(cursor.node());
            if kind != Kind::Token {
                let (frame, descend) = self.enter(kind, &cursor, &parent);
                let deeper = descend && self.frames.len() < MAX_DEPTH && n_nodes < MAX_NODES;
                if deeper && cursor.goto_first_child() {
                    self.frames.push(parent);
                    parent = frame;
                    continue;
                }
                self.leave(&frame);
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return true;
                }
                self.leave(&parent);
                parent = self.frames.pop().unwrap_or(top);
            }
        }
    }

    fn leave(&mut self, frame: &Frame) {
        if frame.opens {
            self.scopes.leave(frame.scope);
        }
    }

    /// Looks at one node. Returns what is true inside it and whether to look inside.
    fn enter(&mut self, kind: Kind, cursor: &TreeCursor<'_>, parent: &Frame) -> (Frame, bool) {
        let node = cursor.node();
        let (mode, place) = self.role(parent, kind, cursor);
        let mut frame = Frame {
            kind,
            mode,
            place,
            outer: 0,
            opens: false,
            ..*parent
        };
        let descend = mode != Mode::Skip && self.act(node, &mut frame, parent);
        (frame, descend)
    }

    fn act(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame) -> bool {
        if self.grammar.untyped && parent.kind == Kind::FormalParameters {
            self.untyped_parameter(node, parent);
        }
        if frame.place != Place::None && frame.kind.is_type() {
            frame.place = self.place_in_type(node, frame, parent);
        }
        match frame.kind {
            Kind::Other | Kind::Token | Kind::Program => {}
            Kind::Comment => return self.comment(node),
            Kind::Identifier | Kind::TypeIdentifier | Kind::Shorthand | Kind::ShorthandPattern => {
                return self.name(node, frame);
            }
            Kind::MemberExpression | Kind::NestedIdentifier | Kind::NestedTypeIdentifier => {
                return self.chain(node, frame);
            }
            Kind::TypeAnnotation
            | Kind::TypeArguments
            | Kind::TypeQuery
            | Kind::Constraint
            | Kind::DefaultType => frame.in_type = true,
            Kind::CallExpression => self.call(node, frame, parent),
            Kind::NewExpression => self.expect_arguments(node),
            Kind::AsExpression | Kind::Satisfies => self.expect_cast(node),
            Kind::FunctionDeclaration | Kind::GeneratorDeclaration | Kind::FunctionSignature => {
                self.function(node, frame, parent);
            }
            Kind::FunctionExpression | Kind::GeneratorFunction | Kind::ArrowFunction => {
                self.function_value(node, frame, parent);
            }
            Kind::ClassDeclaration | Kind::AbstractClass | Kind::ClassExpression => {
                self.class(node, frame, parent);
            }
            Kind::Interface | Kind::TypeAlias | Kind::EnumDeclaration => {
                self.type_definition(node, frame, parent);
            }
            Kind::InternalModule | Kind::Module => self.namespace(node, frame, parent),
            Kind::AmbientDeclaration => self.ambient(node, frame, parent),
            Kind::MethodDefinition
            | Kind::MethodSignature
            | Kind::AbstractMethodSignature
            | Kind::PublicField
            | Kind::FieldDefinition
            | Kind::PropertySignature
            | Kind::EnumAssignment
            | Kind::Pair => self.member(node, frame, parent),
            Kind::PropertyIdentifier | Kind::Str => return self.written_name(node, parent),
            Kind::Object => {
                self.expect_members(node);
                // Its members stand under the name that it is the value of.
                frame.place = frame.place.of_members();
            }
            Kind::RequiredParameter | Kind::OptionalParameter => {
                self.parameter(node, frame, parent);
                self.parameter_property(node, parent);
            }
            Kind::TypeParameter => self.type_parameter(node, frame),
            Kind::ReturnStatement => self.returned(node, frame),
            Kind::LexicalDeclaration | Kind::VariableDeclaration | Kind::UsingDeclaration => {
                self.declaration(node, frame, parent);
            }
            Kind::VariableDeclarator => self.declarator(node, frame, parent),
            Kind::ExpressionStatement => frame.outer = self.outer(node, parent),
            Kind::Assignment => self.assignment(node, frame, parent),
            Kind::AugmentedAssignment => self.filled_in(node, frame),
            Kind::ObjectAssignmentPattern => self.member_default(node, frame),
            Kind::ImportStatement => return self.import(node, frame),
            Kind::ImportAlias => self.import_alias(node, frame, parent),
            Kind::ExportStatement => return self.export(node, frame),
            Kind::Spread if matches!(parent.place, Place::Members(_)) => self.spread(node, parent),
            Kind::Spread if parent.place == Place::ExportMembers => self.export_spread(node),
            Kind::Decorator if parent.kind == Kind::ClassBody => self.decorator(node),
            _ => self.block(node, frame, parent),
        }
        true
    }

    /// Opens the scope of a node that has one and defines nothing.
    fn block(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
        match frame.kind {
            // The block of a function shares the scope of its parameters, that of a namespace is its own.
            Kind::StatementBlock if !parent.opens => self.open(frame, ScopeKind::Block),
            Kind::ForIn => {
                self.open(frame, ScopeKind::Block);
                let keyword = node.child_by_field_id(self.grammar.fields.kind);
                frame.mode = match keyword.map(|k| self.text(k)) {
                    None => Mode::Value,
                    Some("var") => Mode::BindVar,
                    Some(_) => Mode::Bind,
                };
                match frame.mode {
                    Mode::Bind => self.element(node, frame.scope, frame),
                    Mode::BindVar => {
                        let scope = self.scopes.hoisted(frame.scope);
                        self.element(node, scope, frame);
                    }
                    _ => {}
                }
            }
            Kind::For
            | Kind::CatchClause
            | Kind::SwitchBody
            | Kind::ConditionalType
            | Kind::FunctionType
            | Kind::ConstructorType
            | Kind::CallSignature
            | Kind::ConstructSignature => self.open(frame, ScopeKind::Block),
            Kind::IndexSignature => {
                self.open(frame, ScopeKind::Block);
                self.index_signature(node, frame, parent);
            }
            Kind::StaticBlock => self.open(frame, ScopeKind::Function),
            _ => {}
        }
    }

    /// Opens a scope at a node.
    pub(super) fn open(&mut self, frame: &mut Frame, kind: ScopeKind) {
        frame.scope = self.scopes.open(frame.scope, kind);
        frame.opens = true;
    }

    /// Returns the text of a node.
    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the text between two bytes; empty where they are no range.
    pub(super) fn between(&self, from: usize, to: usize) -> &'a str {
        self.source.get(from..to).unwrap_or_default()
    }
}

/// Returns a byte offset as it is stored. Sources are below 4 GiB by the bound on files.
pub(super) fn byte(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Returns where a node is.
pub(super) fn span_of(node: Node<'_>) -> Span {
    Span {
        start_byte: byte(node.start_byte()),
        end_byte: byte(node.end_byte()),
        start_line: line_of(node),
        end_line: byte(node.end_position().row) + 1,
    }
}

/// Returns the line a node begins in.
pub(super) fn line_of(node: Node<'_>) -> u32 {
    byte(node.start_position().row) + 1
}
