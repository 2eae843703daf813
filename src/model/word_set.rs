//! Sets of the words of texts, kept for the questions that come: whether a name stands in a file is asked again for each definition.

use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::hash::{HashMap, fnv1a};

/// The words of one text, as hashes of 32 bits: one in some ten million words that are not there is taken for one that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordSet(Arc<[u32]>);

impl WordSet {
    /// Returns the set of some words, of which empty ones are passed over. Costs their sorting.
    pub fn of<'t>(words: impl Iterator<Item = &'t [u8]>) -> Self {
        let mut hashes: Vec<u32> = words.filter(|it| !it.is_empty()).map(hash_of).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Self(hashes.into())
    }

    /// Whether a word is in the set: false is certain.
    pub fn has(&self, word: &str) -> bool {
        self.0.binary_search(&hash_of(word.as_bytes())).is_ok()
    }

    /// Returns how many words there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn hash_of(word: &[u8]) -> u32 {
    let hash = fnv1a(word).to_le_bytes();
    u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]])
}

/// The words that are kept of one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptWords {
    /// All of them.
    All(WordSet),
    /// None: they are too many to be kept, so that they need not be looked for again.
    TooMany,
}

/// Sets of words by keys that stand for the bytes of their texts, of at most so many words together, 4 bytes each: all go when they became
/// too many.
pub struct WordSets<K> {
    known: Mutex<Option<KnownSets<K>>>,
    max_words: usize,
}

struct KnownSets<K> {
    by_key: HashMap<K, KeptWords>,
    n_words: usize,
}

impl KeptWords {
    /// Returns the room that it takes, in words.
    fn n_words(&self) -> usize {
        match self {
            Self::All(words) => words.len(),
            Self::TooMany => 1,
        }
    }
}

impl<K: Eq + Hash> WordSets<K> {
    /// Returns no sets, with room for `max_words`.
    pub const fn new(max_words: usize) -> Self {
        Self {
            known: Mutex::new(None),
            max_words,
        }
    }

    /// Returns the words that are kept by a key; `None` where it is not known.
    pub fn get(&self, key: &K) -> Option<KeptWords> {
        self.lock().as_ref()?.by_key.get(key).cloned()
    }

    /// Keeps a set; of one that is larger than an eighth of the room, that it is.
    pub fn keep(&self, key: K, words: WordSet) {
        let kept = if words.len() > self.max_words / 8 {
            KeptWords::TooMany
        } else {
            KeptWords::All(words)
        };
        let mut known = self.lock();
        let is_full = |it: &KnownSets<K>| {
            let before = it.by_key.get(&key).map_or(0, KeptWords::n_words);
            it.n_words - before + kept.n_words() > self.max_words
        };
        if known.as_ref().is_none_or(is_full) {
            *known = Some(KnownSets {
                by_key: HashMap::default(),
                n_words: 0,
            });
        }
        if let Some(known) = known.as_mut() {
            known.n_words += kept.n_words();
            let before = known.by_key.insert(key, kept);
            known.n_words -= before.map_or(0, |it| it.n_words());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<KnownSets<K>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{KeptWords, WordSet, WordSets};

    fn set(text: &str) -> WordSet {
        WordSet::of(text.split(' ').map(str::as_bytes))
    }

    #[test]
    fn a_set_has_its_words_alone() {
        let words = set("open  close größe open");
        assert_eq!(words.len(), 3);
        for (word, is_there) in [("open", true), ("größe", true), ("ope", false), ("", false)] {
            assert_eq!(words.has(word), is_there, "{word}");
        }
        assert!(set("").is_empty());
    }

    #[test]
    fn sets_have_room_for_so_many_words() {
        let sets = WordSets::new(16);
        sets.keep(1, set("a b c"));
        assert_eq!(sets.get(&1), Some(KeptWords::TooMany));
        sets.keep(1, set("a"));
        for key in 0..8 {
            sets.keep(key, set("a b"));
        }
        // The same again takes no more room.
        sets.keep(7, set("a c"));
        assert!((0..8).all(|key| sets.get(&key).is_some()));
        sets.keep(8, set("a"));
        let last = Some(KeptWords::All(set("a")));
        assert_eq!((sets.get(&7), sets.get(&8)), (None, last));
    }
}
