//! The local names that are in scope: variables, parameters, and items inside of functions.

use crate::ir::{ExprId, SymbolIdx};
use crate::syntax::lang::scoped_names::ScopedNames;

/// The meaning of a local name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Local {
    /// A variable or parameter, with its value.
    Value(ExprId),
    /// A function, type, constant or macro inside of a function.
    Item(SymbolIdx),
    /// A name that a `use` inside of a function brings into scope.
    Used(ExprId),
}

/// The name that stands for the modules and enums all of whose names are in scope; no name of the code is written so.
const GLOB: &str = "*";

/// The local names in scope.
pub(super) type Locals<'t> = ScopedNames<'t, Local>;

impl Locals<'_> {
    /// Brings all names of a module or enum into scope.
    pub(super) fn open(&mut self, glob: ExprId) {
        self.bind(GLOB, Local::Used(glob));
    }

    /// Returns the modules and enums that [`Self::open`] brought into scope, the innermost last.
    pub(super) fn globs(&self) -> impl Iterator<Item = ExprId> + '_ {
        let all = self.all(GLOB).iter();
        all.filter_map(|local| match local {
            Local::Used(glob) => Some(*glob),
            Local::Value(_) | Local::Item(_) => None,
        })
    }

    /// Returns the item or the import that a name in a position of types means.
    pub(super) fn item(&self, name: &str) -> Option<Local> {
        let mut all = self.all(name).iter().rev().copied();
        all.find(|it| !matches!(it, Local::Value(_)))
    }
}
