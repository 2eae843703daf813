//! Literal text in a question (a quotation, a flag, a message), and the chunks that hold it.
//!
//! The text index finds the words of a literal next to each other; only the text of the file tells whether a chunk
//! holds it literally. Does not score; see `rank`.

use std::collections::HashMap;
use std::sync::Arc;

use super::filter::ChunkFilter;
use super::query::{MIN_PLAIN_PHRASE_WORDS, quoted_parts};
use crate::model::path_class::PathClass;
use crate::model::{Budget, ChunkId, RepoPath, Sources};
use crate::store::text::quoted;
use crate::store::{Read, StoreResult, token};

/// How many literals of a question are looked for.
const MAX_LITERALS: usize = 8;

/// The longest literal, in bytes; a longer one is an excerpt.
const MAX_LITERAL_BYTES: usize = 400;

/// How many beginnings of a message are looked for, and the fewest words of one.
const MAX_BEGINNINGS: usize = 6;
const MIN_BEGINNING_WORDS: usize = 2;

/// Signs that put a value into a text, in common languages: `${` of `${name}`.
const INTERPOLATIONS: &[&str] = &[
    "${", "#{", "\\(", "{", "%s", "%d", "%i", "%v", "%q", "%r", "%w", "%+v", "%@", "' +", "\" +",
    "\" .", "' .",
];

/// Chunks with the words of one literal; words in more are no literal that singles anything out.
const MAX_ROWS: usize = 2_000;

/// Files that are read for one question.
const MAX_FILES: usize = 400;

/// A text that a question may mean as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryLiteral {
    text: String,
    /// Whether chunks that hold it go before all others.
    pub(super) leads: bool,
    /// Whether the question says that it is meant as it stands: by quotes, or as a flag.
    pub(super) is_explicit: bool,
    /// Whether it ends where a word does: `--shard` is not in `--shards`.
    is_word: bool,
}

impl QueryLiteral {
    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns how many times a text holds it, none overlapping another.
    pub fn count(&self, text: &str) -> usize {
        let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "_$-".contains(c));
        text.match_indices(&self.text)
            .filter(|(at, found)| {
                let before = text[..*at].chars().next_back();
                let after = text[at + found.len()..].chars().next();
                !self.is_word || !(is_part(before) || is_part(after))
            })
            .count()
    }

    /// Returns the beginnings of a message, the longest first, of which the rest may be a value that is put in:
    /// `Failed to resolve` of `Failed to resolve component`.
    fn beginnings(&self) -> Vec<&str> {
        if self.is_word {
            return Vec::new();
        }
        let blanks = self.text.match_indices(char::is_whitespace);
        let ends: Vec<usize> = blanks.map(|(at, _)| at).collect();
        let from = (MIN_BEGINNING_WORDS - 1).min(ends.len());
        let longest = ends[from..].iter().rev().take(MAX_BEGINNINGS);
        longest.map(|end| self.text[..*end].trim_end()).collect()
    }
}

/// Whether a text holds the beginning of a message with a value after it: `` `Failed to resolve ${kind}` ``.
fn is_interpolated(text: &str, beginning: &str) -> bool {
    text.match_indices(beginning).any(|(at, found)| {
        let rest = text[at + found.len()..].trim_start();
        INTERPOLATIONS.iter().any(|begin| rest.starts_with(begin))
    })
}

/// Returns the literals of a question: quoted parts and flags, else the whole of it where it is a name or a message of
/// three words or more.
pub(super) fn of(text: &str) -> Vec<QueryLiteral> {
    let mut found: Vec<QueryLiteral> = Vec::new();
    let explicit = explicit(text);
    if explicit.is_empty() {
        let n_runs = text.split_whitespace().count();
        if n_runs == 1 {
            add(&mut found, text.trim_matches('`'), false, false);
        } else if token::words(text).len() >= MIN_PLAIN_PHRASE_WORDS {
            add(&mut found, text, true, false);
        }
    }
    for part in explicit {
        // `add "options" to it`: one word in quotes within a sentence is named, not searched for.
        let is_word = part.chars().all(|c| c.is_alphanumeric() || c == '_');
        let is_meant = !is_word || text.trim().len() <= part.len() + 2;
        add(&mut found, part, is_meant, is_meant);
    }
    found
}

/// Returns the parts that a question says are meant as they stand: those in quotes, else its flags.
fn explicit(text: &str) -> Vec<&str> {
    let quoted: Vec<&str> = quoted_parts(text).collect();
    if !quoted.is_empty() {
        return quoted;
    }
    let runs = text.split_whitespace();
    runs.map(|run| run.trim_end_matches([',', '.', '?', '!', ':', ';']))
        .filter(|run| is_flag(run))
        .collect()
}

fn add(found: &mut Vec<QueryLiteral>, text: &str, leads: bool, is_explicit: bool) {
    let text = text.trim();
    let is_known = found.iter().any(|known| known.text == text);
    let has_words = !token::words(text).is_empty();
    if has_words && !is_known && text.len() <= MAX_LITERAL_BYTES && found.len() < MAX_LITERALS {
        found.push(QueryLiteral {
            text: text.to_owned(),
            leads,
            is_explicit,
            is_word: !leads || is_flag(text),
        });
    }
}

/// Returns whether a word is written like an option of a command: `--shard`, `-p`, `--reporter=html`.
fn is_flag(word: &str) -> bool {
    let name = word
        .strip_prefix("--")
        .or_else(|| word.strip_prefix('-').filter(|rest| rest.len() < 3));
    name.is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && !name.contains(char::is_whitespace)
            && !name.ends_with('-')
    })
}

/// Returns how many of the leading literals the chunks hold that hold one, by the chunk's row. Reads at most
/// [`MAX_FILES`] files, code before the rest.
pub(super) fn find(
    read: &Read<'_>,
    literals: &[QueryLiteral],
    allowed: &ChunkFilter,
    sources: &dyn Sources,
    budget: &Budget,
) -> StoreResult<HashMap<ChunkId, u32>> {
    let mut reading = LiteralMatches {
        read,
        allowed,
        sources,
        budget,
        texts: HashMap::new(),
        found: HashMap::new(),
    };
    for literal in literals.iter().filter(|literal| literal.leads) {
        reading.look_for(&literal.text, |part| literal.count(part) > 0)?;
        for beginning in literal.beginnings() {
            if reading.look_for(beginning, |part| is_interpolated(part, beginning))? {
                break;
            }
        }
    }
    Ok(reading.found)
}

/// The chunks that were found, and the texts that were read for them.
struct LiteralMatches<'a> {
    read: &'a Read<'a>,
    allowed: &'a ChunkFilter,
    sources: &'a dyn Sources,
    budget: &'a Budget,
    texts: HashMap<RepoPath, Option<Arc<str>>>,
    found: HashMap<ChunkId, u32>,
}

impl LiteralMatches<'_> {
    /// Counts one more for each chunk with the words of `text` next to each other that `holds` it. Returns whether there
    /// is one.
    fn look_for(&mut self, text: &str, holds: impl Fn(&str) -> bool) -> StoreResult<bool> {
        let mut words = String::new();
        token::index_text(text, &mut words);
        let rows = self
            .read
            .text_rows(&quoted(words.trim_end()), MAX_ROWS + 1)?;
        if words.trim().is_empty() || rows.len() > MAX_ROWS {
            return Ok(false);
        }
        let mut chunks = Vec::new();
        for row in rows.into_iter().filter(|row| self.allowed.has(*row)) {
            chunks.extend(self.read.chunk(row)?);
        }
        chunks.sort_by_cached_key(|chunk| {
            let class = PathClass::of(chunk.path.as_str(), false, chunk.is_generated);
            let is_code = !(class.is_data || class.is_prose || class.is_generated);
            (!is_code, chunk.path.clone(), chunk.span.start_line)
        });
        let mut is_found = false;
        for chunk in chunks {
            if self.budget.is_cancelled() {
                break;
            }
            let is_known = self.texts.contains_key(&chunk.path);
            if !is_known && self.texts.len() >= MAX_FILES {
                continue;
            }
            let text = self
                .texts
                .entry(chunk.path.clone())
                .or_insert_with(|| self.sources.read(&chunk.path, chunk.content));
            let (from, to) = (chunk.span.start_byte as usize, chunk.span.end_byte as usize);
            let part = text.as_deref().and_then(|text| text.get(from..to));
            if part.is_some_and(&holds) {
                *self.found.entry(chunk.id).or_default() += 1;
                is_found = true;
            }
        }
        Ok(is_found)
    }
}

#[cfg(test)]
mod tests {
    use super::{QueryLiteral, is_interpolated, of};

    fn literals(question: &str) -> Vec<(String, bool, bool)> {
        let of_one = |it: QueryLiteral| (it.text, it.leads, it.is_explicit);
        of(question).into_iter().map(of_one).collect()
    }

    #[test]
    fn quotes_flags_and_messages_are_literals() {
        let one = |text: &str, leads, is_explicit| vec![(text.to_owned(), leads, is_explicit)];
        assert_eq!(literals("--shard"), one("--shard", true, true));
        assert_eq!(
            literals("where is --shard=1/3 handled?"),
            one("--shard=1/3", true, true)
        );
        assert_eq!(
            literals("say \"not found\" --please"),
            one("not found", true, true)
        );
        assert_eq!(
            literals("Failed to resolve component"),
            one("Failed to resolve component", true, false)
        );
        assert_eq!(literals("queueJob"), one("queueJob", false, false));
        assert_eq!(literals("\"shard\""), one("shard", true, true));
        assert_eq!(
            literals("add \"options\" to it"),
            one("options", false, false)
        );
        for other in ["two words", "- a", "--", "\"\"", "a -- b"] {
            assert_eq!(literals(other), [], "{other}");
        }
        assert_eq!(literals(&"x ".repeat(500)), []);
    }

    #[test]
    fn a_message_may_have_a_value_put_in() {
        let message = &of("Failed to resolve component")[0];
        let expected = ["Failed to resolve", "Failed to"];
        assert_eq!(message.beginnings(), expected);
        assert!(is_interpolated(
            "`Failed to resolve ${kind}: ${name}`",
            expected[0]
        ));
        assert!(is_interpolated(
            "f\"Failed to resolve {kind}\"",
            expected[0]
        ));
        assert!(is_interpolated(
            "\"Failed to resolve \" + kind",
            expected[0]
        ));
        assert!(!is_interpolated("'Failed to resolve it'", expected[0]));
        assert_eq!(of("--shard")[0].beginnings(), [""; 0]);
    }

    #[test]
    fn a_flag_ends_with_its_word() {
        let flag = &of("--shard")[0];
        let text = "'--shard <n>', --shards, --shard-by, x--shard, [--shard]";
        assert_eq!(flag.count(text), 2);
        assert_eq!(of("\"shard\"")[0].count(text), 5);
    }
}
