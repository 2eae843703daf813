//! A cache of a few values by key, which drops the least recently used one.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Look-ups of this process that found a value, and those that found none.
static LOOKUPS: (AtomicU64, AtomicU64) = (AtomicU64::new(0), AtomicU64::new(0));

/// Returns how many look-ups in every [`LruCache`] of this process found a value, and how many found none.
pub fn cache_lookups() -> (u64, u64) {
    let count = |n: &AtomicU64| n.load(Ordering::Relaxed);
    (count(&LOOKUPS.0), count(&LOOKUPS.1))
}

/// Bytes of the texts of a comparison of two states that is kept in memory: of its lists, its changes and the answer about it.
pub const MAX_COMPARISON_BYTES: usize = 4 << 20;

/// At most `max` values, each by its key; the least recently used one goes first. Meant for a handful: a look-up goes through all.
///
/// For example, with `max` = 2: `insert("a", 1)`, `insert("b", 2)`, `get("a")`, `insert("c", 3)` leave `a` and `c`.
pub struct LruCache<K, V> {
    values: Mutex<VecDeque<(K, V)>>,
    max: usize,
}

impl<K: PartialEq, V: Clone> LruCache<K, V> {
    /// Returns an empty cache of at most `max` values.
    pub const fn new(max: usize) -> Self {
        Self {
            values: Mutex::new(VecDeque::new()),
            max,
        }
    }

    /// Returns the value of a key, which is then the most recently used one.
    pub fn get(&self, key: &K) -> Option<V> {
        let mut all = self.lock();
        let at = all.iter().position(|(known, _)| known == key);
        let counted = if at.is_some() { &LOOKUPS.0 } else { &LOOKUPS.1 };
        counted.fetch_add(1, Ordering::Relaxed);
        let at = at?;
        let found = all.remove(at)?;
        let value = found.1.clone();
        all.push_back(found);
        Some(value)
    }

    /// Adds a value, in place of the one with its key.
    pub fn insert(&self, key: K, value: V) {
        let mut all = self.lock();
        all.retain(|(known, _)| *known != key);
        all.push_back((key, value));
        while all.len() > self.max {
            all.pop_front();
        }
    }

    /// Keeps the values alone that pass.
    pub fn retain(&self, passes: impl Fn(&V) -> bool) {
        self.lock().retain(|(_, value)| passes(value));
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(K, V)>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::LruCache;

    #[test]
    fn the_least_recently_used_value_goes_first() {
        let cache = LruCache::new(2);
        cache.insert("a", 1);
        cache.insert("b", 2);
        assert_eq!(cache.get(&"a"), Some(1));
        cache.insert("c", 3);
        assert_eq!(
            (cache.get(&"a"), cache.get(&"b"), cache.get(&"c")),
            (Some(1), None, Some(3))
        );
        cache.insert("a", 4);
        assert_eq!((cache.get(&"a"), cache.get(&"c")), (Some(4), Some(3)));
        cache.retain(|value| *value > 3);
        assert_eq!((cache.get(&"a"), cache.get(&"c")), (Some(4), None));
    }
}
