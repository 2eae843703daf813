//! Symbols while a file is read, with the syntax that lowering needs of them.

use tree_sitter::Node;

use super::scopes::{ScopeIdx, Site};
use crate::model::Symbol;

/// A symbol in the order in which it was met, an index into the builders of a file.
pub(super) type BuilderId = u32;

/// A symbol with the syntax that lowering needs of it.
#[derive(Debug)]
pub(super) struct SymbolBuilder<'t> {
    pub(super) symbol: Symbol,
    /// The byte at which the comments above begin.
    pub(super) lead: u32,
    pub(super) parent: Option<BuilderId>,
    /// The scope that the definition stands in.
    pub(super) scope: ScopeIdx,
    /// Type parameters in their order.
    pub(super) type_params: Vec<&'t str>,
    pub(super) function: Option<FunctionSyntax<'t>>,
    pub(super) class: Option<ClassSyntax<'t>>,
}

/// The syntax of a function.
#[derive(Debug)]
pub(super) struct FunctionSyntax<'t> {
    /// `function_definition`
    pub(super) node: Node<'t>,
    /// The same, or `decorated_definition`.
    pub(super) whole: Node<'t>,
    /// Its own scope.
    pub(super) inner: ScopeIdx,
    pub(super) params: Vec<Param<'t>>,
    /// Values that it returns.
    pub(super) returns: Vec<Node<'t>>,
    /// Values that it yields, and whether all elements of the value are (`yield from`).
    pub(super) yields: Vec<(Node<'t>, bool)>,
    /// Its `@overload` stubs.
    pub(super) overloads: Vec<Node<'t>>,
    pub(super) is_fixture: bool,
    /// Whether the first parameter is the receiver.
    pub(super) has_receiver: bool,
}

/// One parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Param<'t> {
    pub(super) name: &'t str,
    pub(super) node: Node<'t>,
    pub(super) annotation: Option<Node<'t>>,
    pub(super) default: Option<Node<'t>>,
    /// Number of asterisks.
    pub(super) n_stars: u8,
}

/// The syntax of a class.
#[derive(Debug)]
pub(super) struct ClassSyntax<'t> {
    /// `class_definition`
    pub(super) node: Node<'t>,
    pub(super) inner: ScopeIdx,
    pub(super) attributes: Vec<Attribute<'t>>,
}

/// One place that gives an attribute a value.
#[derive(Clone, Debug)]
pub(super) struct Attribute<'t> {
    pub(super) name: &'t str,
    /// The statement.
    pub(super) node: Node<'t>,
    /// The first byte of the name.
    pub(super) named_at: usize,
    pub(super) place: AttributePlace,
    pub(super) site: Site<'t>,
}

/// The place of an assignment to an attribute, the one that says most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AttributePlace {
    /// `class A: x: T`
    ClassAnnotation,
    /// `self.x: T`
    Annotation,
    /// `class A: x = value`
    ClassBody,
    /// `self.x = value` in `__init__`
    Constructor,
    /// `self.x = value` in another method.
    Method,
}
