//! The local names that are in scope: variables, parameters, classes inside of methods.

use crate::ir::{ExprId, SymbolIdx};
use crate::model::hash::HashMap;

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

/// The local names in scope. A name is bound from its declaration on, until the scope around is [left](Self::leave).
#[derive(Debug, Default)]
pub(super) struct Locals<'t> {
    by_name: HashMap<&'t str, Vec<Local>>,
    /// The names in the order in which they were bound.
    order: Vec<&'t str>,
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
    }

    /// Binds a name.
    pub(super) fn bind(&mut self, name: &'t str, local: Local) {
        self.by_name.entry(name).or_default().push(local);
        self.order.push(name);
    }

    /// Returns the meaning of a name; `None` where no local scope binds it.
    pub(super) fn get(&self, name: &str) -> Option<Local> {
        let local = self.by_name.get(name)?.last().copied()?;
        (!matches!(local, Local::Field)).then_some(local)
    }
}
