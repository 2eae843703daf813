//! The local names that are in scope while code is lowered, each with what it means.

use crate::model::hash::HashMap;

/// The local names in scope. A name is bound from its declaration on, until the scope around is [left](Self::leave).
///
/// `L` is the meaning of a name: the expression of its value, or a choice of the language.
#[derive(Debug)]
pub(super) struct ScopedNames<'t, L> {
    by_name: HashMap<&'t str, Vec<L>>,
    /// The names in the order in which they were bound.
    order: Vec<&'t str>,
}

impl<L> Default for ScopedNames<'_, L> {
    fn default() -> Self {
        Self {
            by_name: HashMap::default(),
            order: Vec::new(),
        }
    }
}

impl<'t, L: Copy> ScopedNames<'t, L> {
    /// Opens a scope, and returns how many names are bound outside of it, by which [`Self::leave`] closes it.
    pub(super) fn enter(&self) -> usize {
        self.order.len()
    }

    /// Closes a scope: forgets all names but the first `n_outer`.
    pub(super) fn leave(&mut self, n_outer: usize) {
        for name in self.order.drain(n_outer.min(self.order.len())..) {
            if let Some(all) = self.by_name.get_mut(name) {
                all.pop();
            }
        }
    }

    /// Binds a name.
    pub(super) fn bind(&mut self, name: &'t str, meaning: L) {
        self.by_name.entry(name).or_default().push(meaning);
        self.order.push(name);
    }

    /// Returns the meaning of a name; `None` where no local scope binds it.
    pub(super) fn get(&self, name: &str) -> Option<L> {
        self.all(name).last().copied()
    }

    /// Returns all meanings of a name in the scopes around, the innermost last.
    pub(super) fn all(&self, name: &str) -> &[L] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }
}
