//! The words of files that were read lately: whether a name stands in one is asked again for each definition.
//!
//! The index folds the endings of words and takes names apart, so that it lists more files for a word than hold it; questions about one
//! definition after another read the same files for that.

use std::sync::{Arc, Mutex, PoisonError};

use super::Uses;
use crate::model::ContentId;
use crate::model::hash::{HashMap, fnv1a};
use crate::store::FileSummary;
use crate::syntax;

/// Words that are kept, of all files together: 2 MiB, those of some 1,500 files.
const MAX_WORDS: usize = 512 << 10;

/// Words of one file that are kept.
const MAX_WORDS_OF_FILE: usize = 8 << 10;

/// The sorted hashes of the words of each file, by its bytes. All go when they became too many.
static KNOWN: Mutex<Option<KnownWords>> = Mutex::new(None);

#[derive(Default)]
struct KnownWords {
    by_content: HashMap<ContentId, Arc<[u32]>>,
    n_words: usize,
}

/// The answer of a file to the question whether it has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NameInFile {
    /// Whether it stands there as a word; in doubt, and where the file is not as it was indexed, it does.
    pub(super) is_there: bool,
    /// Bytes that were read for that.
    pub(super) n_read: usize,
}

impl Uses<'_> {
    /// Returns whether a name stands in a file as a word. Reads it, unless the words of these bytes are known and the file is proved to
    /// have them.
    pub(super) fn name_in_file(&self, file: &FileSummary, name: &str) -> NameInFile {
        let is_word = name.chars().all(syntax::is_word_char);
        if is_word
            && self.sources.is_proved()
            && let Some(words) = known_words(file.content)
        {
            let is_there = words.binary_search(&hash_of(name)).is_ok();
            return NameInFile {
                is_there,
                n_read: 0,
            };
        }
        let Some(text) = self.sources.read(&file.path, file.content) else {
            return NameInFile {
                is_there: true,
                n_read: 0,
            };
        };
        keep_words(file.content, &text);
        NameInFile {
            is_there: syntax::starts(&text, name).next().is_some(),
            n_read: text.len(),
        }
    }
}

fn known_words(content: ContentId) -> Option<Arc<[u32]>> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.as_ref()?.by_content.get(&content).cloned()
}

fn keep_words(content: ContentId, text: &str) {
    let words = words_of(text);
    if words.len() > MAX_WORDS_OF_FILE {
        return;
    }
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if known.n_words + words.len() > MAX_WORDS {
        *known = KnownWords::default();
    }
    known.n_words += words.len();
    if let Some(before) = known.by_content.insert(content, words.into()) {
        known.n_words -= before.len();
    }
}

/// Returns the hashes of the words of a text, each once, in order.
fn words_of(text: &str) -> Vec<u32> {
    let words = text.split(|c| !syntax::is_word_char(c));
    let mut hashes: Vec<u32> = words.filter(|it| !it.is_empty()).map(hash_of).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// Two words with one hash make a file be read, or counted among those that may hold a name.
fn hash_of(word: &str) -> u32 {
    let hash = fnv1a(word).to_le_bytes();
    u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]])
}

#[cfg(test)]
mod tests {
    use super::{hash_of, words_of};
    use crate::syntax;

    #[test]
    fn known_words_say_what_the_text_says() {
        let text = "const $open_1 = shallowOpen(x.größe) // re-open `a`\n";
        let words = words_of(text);
        for word in [
            "open",
            "open_1",
            "shallowOpen",
            "x",
            "größe",
            "gr",
            "re",
            "a",
        ] {
            let is_there = syntax::starts(text, word).next().is_some();
            assert_eq!(
                words.binary_search(&hash_of(word)).is_ok(),
                is_there,
                "{word}"
            );
        }
        assert_eq!(words.len(), 8);
        assert!(words_of("").is_empty());
    }
}
