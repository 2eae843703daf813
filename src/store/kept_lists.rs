//! Packed rows that were unpacked, kept for the next question about them.

use std::hash::Hash;

use crate::model::hash::HashMap;

/// Rows that are kept, at most: of 32 to 48 bytes each.
const MAX_KEPT: usize = 1 << 16;

/// Lists of unpacked rows; all of one state of the index.
#[derive(Debug)]
pub(super) struct KeptLists<L, T> {
    lists: HashMap<L, Vec<T>>,
    n_kept: usize,
}

impl<L, T> Default for KeptLists<L, T> {
    fn default() -> Self {
        Self {
            lists: HashMap::default(),
            n_kept: 0,
        }
    }
}

impl<L: Copy + Eq + Hash, T: Copy> KeptLists<L, T> {
    /// Returns the rows of a list that are wanted, in the order in which `each` hands them on. The list is kept, unless it is long; of a
    /// long one those alone are in memory that are wanted.
    ///
    /// # Errors
    /// Those of `each`.
    pub(super) fn wanted(
        &mut self,
        list: L,
        is_wanted: impl Fn(&T) -> bool,
        each: impl FnOnce(L, &mut dyn FnMut(T)) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<Vec<T>> {
        if let Some(known) = self.lists.get(&list) {
            return Ok(known.iter().filter(|it| is_wanted(it)).copied().collect());
        }
        let (mut all, mut is_whole) = (Vec::new(), true);
        each(list, &mut |one| {
            if is_whole || is_wanted(&one) {
                all.push(one);
            }
            if is_whole && all.len() > MAX_KEPT {
                is_whole = false;
                all.retain(&is_wanted);
            }
        })?;
        if !is_whole {
            return Ok(all);
        }
        let found = all.iter().filter(|it| is_wanted(it)).copied().collect();
        if self.n_kept + all.len() > MAX_KEPT {
            *self = Self::default();
        }
        self.n_kept += all.len();
        self.lists.insert(list, all);
        Ok(found)
    }
}
