//! The last few values that were asked for, by what they were made of.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Look-ups of this process that found a value, and those that found none.
static LOOKUPS: (AtomicU64, AtomicU64) = (AtomicU64::new(0), AtomicU64::new(0));

/// Returns how many look-ups of all [`Latest`] of this process found a value, and how many found none.
pub fn cache_lookups() -> (u64, u64) {
    let count = |n: &AtomicU64| n.load(Ordering::Relaxed);
    (count(&LOOKUPS.0), count(&LOOKUPS.1))
}

/// At most so many values, each by its key; the one that was asked for longest ago goes first. Meant for a handful: a
/// look-up goes through all.
pub struct Latest<K, V> {
    values: Mutex<VecDeque<(K, V)>>,
    max: usize,
}

impl<K: PartialEq, V: Clone> Latest<K, V> {
    /// Returns an empty one that keeps `max` values.
    pub const fn new(max: usize) -> Self {
        Self {
            values: Mutex::new(VecDeque::new()),
            max,
        }
    }

    /// Returns the value of a key, which is then the latest.
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

    /// Keeps a value, in place of the one with its key.
    pub fn keep(&self, key: K, value: V) {
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
    use super::Latest;

    #[test]
    fn the_values_that_were_asked_for_last_are_kept() {
        let kept = Latest::new(2);
        kept.keep("a", 1);
        kept.keep("b", 2);
        assert_eq!(kept.get(&"a"), Some(1));
        kept.keep("c", 3);
        assert_eq!(
            (kept.get(&"a"), kept.get(&"b"), kept.get(&"c")),
            (Some(1), None, Some(3))
        );
        kept.keep("a", 4);
        assert_eq!((kept.get(&"a"), kept.get(&"c")), (Some(4), Some(3)));
        kept.retain(|value| *value > 3);
        assert_eq!((kept.get(&"a"), kept.get(&"c")), (Some(4), None));
    }
}
