//! The facts about a node that its children need: its kind, its role, the scope and the symbol around it.

use tree_sitter::Node;

use super::kinds::Kind;
use crate::model::Span;

/// What a name is where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IdentifierRole {
    /// A value that is used.
    Value,
    /// What is called.
    Callee,
    /// What is constructed.
    New,
    /// What decorates.
    Decorator,
    /// What is extended or implemented.
    Heritage,
    /// What `typeof` asks for in a type.
    TypeQuery,
    /// An element's name.
    Jsx,
    /// What a chain of members begins with.
    Root,
    /// A name that is bound here.
    Bind,
    /// A name that is bound in the function around.
    BindVar,
    /// A label, which names nothing.
    Label,
    /// Dealt with by the parent, with all inside.
    Skip,
}

/// Whose value a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AssignmentTarget {
    /// Nobody's that has a name.
    None,
    /// That of a name: its members stand under this naming.
    Value(u32),
    /// That of a name, as a type that is written out: the types of its members are known under this naming, but they
    /// are no definitions.
    Within(u32),
    /// The node is an object, and its members stand under this naming.
    Members(u32),
    /// That of `module.exports`: its members are exports.
    Exports,
    /// The node is such an object.
    ExportMembers,
    /// It is returned: a function's own name is worth having.
    Returned,
}

impl AssignmentTarget {
    /// Returns whose the members of an object are.
    pub(super) fn of_members(self) -> Self {
        match self {
            Self::Value(enclosing) => Self::Members(enclosing),
            Self::Exports => Self::ExportMembers,
            _ => Self::None,
        }
    }
}

/// What is true inside a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// What the node is.
    pub(super) kind: Kind,
    /// What the node is to its parent.
    pub(super) role: IdentifierRole,
    /// Whose value the node is.
    pub(super) target: AssignmentTarget,
    /// Innermost scope.
    pub(super) scope: u32,
    /// Innermost symbol.
    pub(super) symbol: Option<u32>,
    /// Under which name definitions inside stand: an index into [`FileBuilder::namings`].
    pub(super) enclosing: u32,
    /// The statement that the node's definition is part of: an index into [`FileBuilder::outers`], 0 for none.
    pub(super) context: u32,
    /// Innermost function: an index into [`FileBuilder::results`].
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
            role: IdentifierRole::Value,
            target: AssignmentTarget::None,
            scope: 0,
            symbol: None,
            enclosing: 0,
            context: 0,
            function: 0,
            opens: false,
            in_type: false,
        }
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
