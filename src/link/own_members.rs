//! The members that a definition has in its own file, by hashes, so that a look-up need not load the file to find nothing.
//!
//! A type of C# may have a hundred parts, and their facts are more than the cache of files keeps.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::ir::SymbolIdx;
use crate::model::ModuleId;
use crate::model::hash::HashMap;
use crate::store::interface::name_hash;

/// How many names one memo keeps. One takes 8 bytes. Few in unit tests, which so see the memo begin anew.
const MAX_NAMES: usize = if cfg!(test) { 20 } else { 300_000 };

/// The names of the members that a definition has in its own file, and whether it has bases there.
pub(super) struct OwnMembers {
    /// Hashes of the names, in order.
    names: Box<[u64]>,
    pub(super) has_bases: bool,
    /// The bucket that changes with any of it.
    pub(super) bucket: u64,
}

impl OwnMembers {
    /// `names` are in any order; some may be there several times.
    pub(super) fn of<'a>(
        names: impl Iterator<Item = &'a str>,
        has_bases: bool,
        bucket: u64,
    ) -> Self {
        let mut names: Vec<u64> = names.map(name_hash).collect();
        names.sort_unstable();
        names.dedup();
        Self {
            names: names.into(),
            has_bases,
            bucket,
        }
    }

    /// Whether there may be a member of a name; a `false` is certain.
    pub(super) fn may_have(&self, name: &str) -> bool {
        self.names.binary_search(&name_hash(name)).is_ok()
    }
}

/// A memo of [`OwnMembers`], by definition.
#[derive(Default)]
pub(super) struct OwnMembersMemo {
    known: RefCell<HashMap<(ModuleId, SymbolIdx), Rc<OwnMembers>>>,
    /// Number of names in it; it begins anew at [`MAX_NAMES`].
    n_names: Cell<usize>,
}

impl OwnMembersMemo {
    pub(super) fn get(&self, of: (ModuleId, SymbolIdx)) -> Option<Rc<OwnMembers>> {
        self.known.borrow().get(&of).cloned()
    }

    pub(super) fn keep(&self, of: (ModuleId, SymbolIdx), names: Rc<OwnMembers>) {
        let n_more = 1 + names.names.len();
        let mut known = self.known.borrow_mut();
        if self.n_names.get() + n_more > MAX_NAMES {
            known.clear();
            self.n_names.set(0);
        }
        self.n_names.set(self.n_names.get() + n_more);
        known.insert(of, names);
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::{MAX_NAMES, OwnMembers, OwnMembersMemo};
    use crate::model::ModuleId;

    #[test]
    fn names_are_found_and_the_memo_stays_small() {
        let own = Rc::new(OwnMembers::of(["b", "a", "b"].into_iter(), false, 1));
        assert_eq!(own.names.len(), 2);
        assert!(own.may_have("a") && own.may_have("b") && !own.may_have("c"));
        let memo = OwnMembersMemo::default();
        for at in 0..100 {
            memo.keep((ModuleId::new(1), at), Rc::clone(&own));
            assert!(memo.get((ModuleId::new(1), at)).is_some());
            assert!(memo.n_names.get() <= MAX_NAMES);
        }
        assert!(memo.known.borrow().len() < 10);
    }
}
