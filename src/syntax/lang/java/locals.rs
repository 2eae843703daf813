//! The local names that are in scope: variables, parameters, classes inside of methods.

use crate::ir::{ExprId, SymbolIdx};
use crate::syntax::lang::scoped_names::ScopedNames;

/// The meaning of a local name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Local {
    /// A variable or parameter, with its value.
    Value(ExprId),
    /// A class.
    Class(SymbolIdx),
    /// A field of a class inside of a method: it hides a variable around, and is found as any member is.
    Field,
}

/// The local names in scope.
pub(super) type Locals<'t> = ScopedNames<'t, Local>;

impl Locals<'_> {
    /// Returns the meaning of a name that stands for itself; `None` where no local scope binds it, and for a field.
    pub(super) fn value_or_class(&self, name: &str) -> Option<Local> {
        self.get(name).filter(|it| !matches!(it, Local::Field))
    }
}
