//! The local names that are in scope: variables, parameters, and items inside of functions.

use crate::ir::{ExprId, SymbolIdx};
use crate::model::hash::HashMap;

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

/// The local names in scope. A name is bound from its declaration on, until the scope around is [left](Self::leave).
#[derive(Debug, Default)]
pub(super) struct Locals<'t> {
    by_name: HashMap<&'t str, Vec<Local>>,
    /// The names in the order in which they were bound.
    order: Vec<&'t str>,
    /// The modules and enums all of whose names are in scope, each with the place where it was opened.
    globs: Vec<(usize, ExprId)>,
}

impl<'t> Locals<'t> {
    /// Opens a scope; the mark closes it.
    pub(super) fn mark(&self) -> usize {
        self.order.len()
    }

    /// Forgets all names that were bound since a mark.
    pub(super) fn leave(&mut self, mark: usize) {
        for name in self.order.drain(mark.min(self.order.len())..) {
            if let Some(all) = self.by_name.get_mut(name) {
                all.pop();
            }
        }
        self.globs.retain(|(at, _)| *at <= mark);
    }

    /// Binds a name.
    pub(super) fn bind(&mut self, name: &'t str, local: Local) {
        self.by_name.entry(name).or_default().push(local);
        self.order.push(name);
    }

    /// Brings all names of a module or enum into scope.
    pub(super) fn open(&mut self, glob: ExprId) {
        self.order.push("");
        self.globs.push((self.order.len(), glob));
    }

    /// Returns the names that [`Self::open`] brought into scope, the innermost last.
    pub(super) fn globs(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.globs.iter().map(|(_, glob)| *glob)
    }

    /// Returns the meaning of a name; `None` where no local scope binds it.
    pub(super) fn get(&self, name: &str) -> Option<Local> {
        self.by_name.get(name)?.last().copied()
    }

    /// Returns the item or the import that a name in a position of types means.
    pub(super) fn item(&self, name: &str) -> Option<Local> {
        let all = self.by_name.get(name)?.iter().rev();
        all.copied().find(|it| !matches!(it, Local::Value(_)))
    }
}
