//! The local names that are in scope: variables and parameters, with their values.

use crate::ir::ExprId;
use crate::model::hash::HashMap;

/// The local names in scope. A name is bound until the scope around is [left](Self::leave).
#[derive(Debug, Default)]
pub(super) struct Locals<'t> {
    by_name: HashMap<&'t str, Vec<ExprId>>,
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

    /// Binds a name to a value.
    pub(super) fn bind(&mut self, name: &'t str, value: ExprId) {
        self.by_name.entry(name).or_default().push(value);
        self.order.push(name);
    }

    /// Returns the value of a name; `None` where no local scope binds it.
    pub(super) fn get(&self, name: &str) -> Option<ExprId> {
        self.by_name.get(name)?.last().copied()
    }
}
