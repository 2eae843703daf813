//! Where a statement stands: its scope, its block and the method around it.

use super::builders::BuilderId;
use super::scopes::ScopeIdx;

/// The surroundings of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeclarationContext<'t> {
    pub(super) scope: ScopeIdx,
    /// The bytes of the block around.
    pub(super) block: (usize, usize),
    pub(super) depth: usize,
    /// Whether it runs for type checkers alone.
    pub(super) type_only: bool,
    /// The method around.
    pub(super) receiver: Option<Receiver<'t>>,
}

/// The receiver of a method: its name and its class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receiver<'t> {
    pub(super) name: &'t str,
    pub(super) class: BuilderId,
    pub(super) is_constructor: bool,
}
