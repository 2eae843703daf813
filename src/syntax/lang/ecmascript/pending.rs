//! Records of the walk that are resolved when the whole file was seen: bindings, references, contextual types.

use tree_sitter::Node;

use super::frame::byte;
use crate::ir::{ExprId, PathId, ReferenceKind, Slot};

/// Names that begin a rune of Svelte behind a `$`.
const RUNES: &[&str] = &[
    "state", "derived", "effect", "props", "bindable", "inspect", "host",
];

/// The type that the context of an expression expects of it.
#[derive(Clone, Debug)]
pub(super) enum ContextualType {
    /// This type.
    Type(ExprId),
    /// A function with these parameters.
    Parameters(Vec<Option<ExprId>>),
}

/// The name or slot that a value is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ValueOwner<'a> {
    /// A name that this scope binds.
    Binding(&'a str, u32),
    /// A name that is assigned in this scope and bound there or around.
    Assigned(&'a str, u32),
    /// A member of a symbol, or of the file.
    Member(Option<u32>, PathId),
    /// A type parameter of a function by its index, which this scope binds; it stands for itself in the return type.
    TypeParam(&'a str, u32, u8),
    /// A member of `this`, which is this symbol where no function around has its own.
    This(u32, Slot),
    /// No name: the receiver of a member chain.
    Expression,
}

/// The source of a binding, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BindingSource {
    /// A type that is written.
    Annotation,
    /// The value that a name begins with, or that a function returns.
    Initializer,
    /// A value that is assigned later.
    Assignment,
}

/// One piece of evidence for a name's value, as the walk met it.
#[derive(Clone, Debug)]
pub(super) struct PendingBinding<'a> {
    pub(super) owner: ValueOwner<'a>,
    /// `None` for a type or value that says nothing.
    pub(super) expr: Option<ExprId>,
    pub(super) source: BindingSource,
    pub(super) scope: u32,
    pub(super) symbol: Option<u32>,
}

/// The context of the `return` statements of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct ReturnContext<'a> {
    /// Who is told.
    pub(super) owner: Option<ValueOwner<'a>>,
    /// The declared return type, as the contextual type of returned values.
    pub(super) expected: Option<ContextualType>,
    /// The contextual type of yielded values: `Row` in `function* rows(): Generator<Row>`.
    pub(super) yielded: Option<ContextualType>,
}

/// One use, before local names are taken out.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingReference<'a> {
    pub(super) name: &'a str,
    /// As written; `?` for an expression, empty for none.
    pub(super) receiver: &'a str,
    pub(super) kind: ReferenceKind,
    pub(super) symbol: Option<u32>,
    pub(super) scope: u32,
    pub(super) line: u32,
    /// First byte of the name.
    pub(super) start: u32,
    /// Whether it begins a chain: then it counts only where the file itself binds it.
    pub(super) root: bool,
    /// The binding that holds its receiver, where that is an expression: an index into `FileBuilder::bindings`.
    pub(super) receiver_binding: Option<u32>,
}

/// Line and first byte of a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamePlace {
    pub(super) line: u32,
    pub(super) start: u32,
}

impl NamePlace {
    /// Returns the place of a node that is a name, or begins with one.
    pub(super) fn at_start(node: Node<'_>) -> Self {
        Self {
            line: byte(node.start_position().row) + 1,
            start: byte(node.start_byte()),
        }
    }
}

impl PendingReference<'_> {
    /// Returns the use of `a` that `$a` is in a component of Svelte.
    pub(super) fn of_store(self) -> Option<Self> {
        let name = self
            .name
            .strip_prefix('$')
            .filter(|_| self.receiver.is_empty())?;
        let is_rune = RUNES.contains(&name);
        (!is_rune && !name.is_empty()).then(|| Self {
            name,
            start: self.start + 1,
            root: false,
            kind: ReferenceKind::Value,
            ..self
        })
    }
}
