//! Tables by hash for extraction and linking, which look up millions of short names: with the standard library's
//! hash, a twentieth of their time went there.
//!
//! The hash is seeded at random for each process and table, so that no file can be written to collide in all of them.

use std::hash::{BuildHasher as _, Hash};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// A map by hash.
pub type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

/// A set by hash.
pub type HashSet<T> = std::collections::HashSet<T, foldhash::fast::RandomState>;

/// Returns the FNV-1a hash (Fowler, Noll, Vo) of a text: equal in each process and build, so that it may be written to disk. No
/// protection against texts that are made to collide.
pub fn fnv1a(text: impl AsRef<[u8]>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for byte in text.as_ref() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

/// Finds ids by the values that they stand for, which lie elsewhere and are not kept twice.
///
/// `value_of` returns the value of an id that was put in.
#[derive(Clone, Debug, Default)]
pub struct IdTable {
    ids: HashTable<u32>,
    state: foldhash::fast::RandomState,
}

impl IdTable {
    /// Returns the id of a value; `None` where it has none.
    pub fn find<'v, V>(&self, value: &V, value_of: impl Fn(u32) -> &'v V) -> Option<u32>
    where
        V: Hash + Eq + ?Sized + 'v,
    {
        let is_it = |id: &u32| value_of(*id) == value;
        let hash = self.state.hash_one(value);
        self.ids.find(hash, is_it).copied()
    }

    /// Returns the id of a value, or gives it the id `new` and returns `None`.
    pub fn find_or_put<'v, V>(
        &mut self,
        value: &V,
        new: u32,
        value_of: impl Fn(u32) -> &'v V,
    ) -> Option<u32>
    where
        V: Hash + Eq + ?Sized + 'v,
    {
        let hash_of = |id: &u32| self.state.hash_one(value_of(*id));
        let is_it = |id: &u32| value_of(*id) == value;
        let hash = self.state.hash_one(value);
        match self.ids.entry(hash, is_it, hash_of) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(place) => {
                place.insert(new);
                None
            }
        }
    }

    /// Puts the ids below `n` in, in the place of those that are in: of equal values the last.
    pub fn put_all<'v, V>(&mut self, n: u32, value_of: impl Fn(u32) -> &'v V)
    where
        V: Hash + Eq + ?Sized + 'v,
    {
        let hash_of = |id: &u32| self.state.hash_one(value_of(*id));
        self.ids.clear();
        self.ids.reserve(n as usize, hash_of);
        for id in 0..n {
            let is_it = |other: &u32| value_of(*other) == value_of(id);
            match self.ids.entry(hash_of(&id), is_it, hash_of) {
                Entry::Occupied(mut known) => *known.get_mut() = id,
                Entry::Vacant(place) => drop(place.insert(id)),
            }
        }
    }

    /// Forgets all ids.
    pub fn clear(&mut self) {
        self.ids.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::IdTable;

    #[test]
    fn ids_are_found_by_values_that_lie_elsewhere() {
        let mut table = IdTable::default();
        let mut values = vec!["a"];
        assert_eq!(table.find_or_put("a", 0, |at| values[at as usize]), None);
        values.push("b");
        assert_eq!(table.find_or_put("b", 1, |at| values[at as usize]), None);
        assert_eq!(table.find_or_put("a", 2, |at| values[at as usize]), Some(0));
        assert_eq!(table.find("c", |at| values[at as usize]), None);
        let values = ["a", "b", "a"];
        table.put_all(3, |at| values[at as usize]);
        assert_eq!(table.find("a", |at| values[at as usize]), Some(2));
        table.clear();
        assert_eq!(table.find("b", |at| values[at as usize]), None);
    }
}
