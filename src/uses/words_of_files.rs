//! Whether a name stands in a file as a word, without reading the file for each name.
//!
//! The index folds the endings of words and takes names apart, so that it lists more files for a word than hold it; questions about one
//! definition after another read the same files for that.

use super::Uses;
use crate::model::{ContentId, KeptWords, WordSet, WordSets};
use crate::store::FileSummary;
use crate::syntax;

/// The words of files that were read lately, by their bytes: 2 MiB, those of some 1,500 files.
static KNOWN: WordSets<ContentId> = WordSets::new(512 << 10);

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
        let known = KNOWN.get(&file.content);
        if is_word
            && self.sources.is_proved()
            && let Some(KeptWords::All(words)) = &known
        {
            return NameInFile {
                is_there: words.has(name),
                n_read: 0,
            };
        }
        let Some(text) = self.sources.read(&file.path, file.content) else {
            return NameInFile {
                is_there: true,
                n_read: 0,
            };
        };
        if known.is_none() {
            KNOWN.keep(file.content, words_of(&text));
        }
        NameInFile {
            is_there: syntax::starts(&text, name).next().is_some(),
            n_read: text.len(),
        }
    }
}

fn words_of(text: &str) -> WordSet {
    let words = text.split(|c| !syntax::is_word_char(c));
    WordSet::of(words.map(str::as_bytes))
}

#[cfg(test)]
mod tests {
    use super::words_of;
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
            assert_eq!(words.has(word), is_there, "{word}");
        }
        assert_eq!(words.len(), 8);
    }
}
