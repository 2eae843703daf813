//! The facts about a node that its children need: its kind, its role, the scope and the symbol around it.

use tree_sitter::Node;

use super::kinds::Kind;
use crate::ir::ReferenceKind;
use crate::model::Span;

/// The role of an identifier where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IdentifierRole {
    /// A use of this kind: the callee of a call, a base class, an element's name.
    Use(ReferenceKind),
    /// The root of a member chain: `a` of `a.b`.
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

/// The name that a node is the value of. Indexes are those of
/// [`FileBuilder::enclosing`](super::builder::FileBuilder::enclosing).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AssignmentTarget {
    /// No name.
    None,
    /// The value of this symbol, whose members are symbols.
    Value(u32),
    /// The object type of this symbol: its members have types, but are no symbols.
    Within(u32),
    /// The node is the object itself, and its members are nested in this symbol.
    Members(u32),
    /// The value of `module.exports`: its members are exports.
    Exports,
    /// The node is the object assigned to `module.exports`.
    ExportMembers,
    /// A returned value: a function expression's own name becomes a symbol.
    Returned,
    /// The node is an object that a function returns: its functions are symbols, nested in that one.
    ReturnedMembers,
}

impl AssignmentTarget {
    /// The target of the members of an object that has this target.
    pub(super) fn of_members(self) -> Self {
        match self {
            Self::Value(enclosing) => Self::Members(enclosing),
            Self::Exports => Self::ExportMembers,
            Self::Returned => Self::ReturnedMembers,
            _ => Self::None,
        }
    }
}

/// The state that a node hands to its children.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The kind of the node.
    pub(super) kind: Kind,
    /// Its role in its parent.
    pub(super) role: IdentifierRole,
    /// The name that it is the value of.
    pub(super) target: AssignmentTarget,
    /// Innermost scope.
    pub(super) scope: u32,
    /// Innermost symbol.
    pub(super) symbol: Option<u32>,
    /// Innermost symbol that definitions inside are nested in: an index into `FileBuilder::enclosing`.
    pub(super) enclosing: u32,
    /// The statement that the node's definition is part of: an index into `FileBuilder::contexts`, 0 for none.
    pub(super) context: u32,
    /// Innermost function: an index into `FileBuilder::returns`.
    pub(super) function: u32,
    /// Whether the node opened `scope`.
    pub(super) opens: bool,
    /// Whether the node is part of a type.
    pub(super) in_type: bool,
}

impl Frame {
    /// The frame of the top level.
    pub(super) fn top() -> Self {
        Self {
            kind: Kind::Other,
            role: IdentifierRole::Use(ReferenceKind::Value),
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
