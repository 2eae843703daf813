//! The text channel: every chunk with the rarer words of the question, and how much of it each holds.
//!
//! Work is bounded by leaving out whole words, the most frequent first, so that no row's number ever decides.

use std::collections::{HashMap, HashSet};

use super::coverage::Term;
use super::filter::ChunkFilter;
use super::query::{FEW_WORDS, Query};
use crate::model::ChunkId;
use crate::store::text::{in_columns, near, quoted};
use crate::store::{Read, StoreResult};

/// Words that are looked up, the rarest first.
const MAX_TERMS: usize = 48;

/// A word in more than this share of the chunks tells nothing while rarer words remain.
const COMMON_SHARE: f64 = 0.25;

/// Chunks that all words together may be found in; the most frequent words are left out until they are
/// within it. Two to three microseconds each.
const MAX_POSTINGS: u64 = 20_000;

/// Neighbours of a question that are looked for near each other.
const MAX_PAIRS: usize = 16;

/// How many words may be between them; an identifier counts once and once for each part.
const PAIR_DISTANCE: u32 = 5;

/// Their addend, as a share of the words' score.
const PAIR: f64 = 0.45;

/// Neighbours of a question that are looked for as one name, and their addend.
const MAX_JOINED: usize = 32;
const JOINED: f64 = 0.4;

/// A name in more chunks singles nothing out.
const MAX_JOINED_CHUNKS: u64 = 1_000;

/// Columns in which a word is looked for that is in too many texts.
const NAME_COLUMNS: &str = "symbol path";

/// The text score of one chunk.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TextScore {
    /// BM25, summed over the words.
    pub score: f64,
    /// The share of the question's words that it holds, each by its inverse document frequency.
    pub coverage: f64,
    /// A bit for each term that it holds, by the number in [`TextFound::terms`].
    pub held: u64,
}

/// The hits of the text channel.
#[derive(Debug, Default)]
pub(super) struct TextFound {
    /// Every chunk with one of the words.
    pub chunks: HashMap<ChunkId, TextScore>,
    /// The best score.
    pub best: f64,
    /// The rarity of each term of the question.
    pub terms: HashMap<String, Term>,
}

impl TextFound {
    /// Returns the chunks with at least the score of the `n`-th, so that equals stay together.
    pub(super) fn top(&self, n: usize) -> Vec<(ChunkId, f64)> {
        let mut scores: Vec<f64> = self.chunks.values().map(|found| found.score).collect();
        let floor = if scores.len() > n {
            let (_, floor, _) = scores.select_nth_unstable_by(n, |a, b| b.total_cmp(a));
            *floor
        } else {
            f64::NEG_INFINITY
        };
        self.chunks
            .iter()
            .filter(|(_, found)| found.score >= floor)
            .map(|(chunk, found)| (*chunk, found.score))
            .collect()
    }
}

/// Looks the terms of a query up, the rarest first, then which of them stand together.
pub(super) fn find(
    read: &Read<'_>,
    query: &Query,
    allowed: &ChunkFilter,
) -> StoreResult<TextFound> {
    let n_chunks = read.n_chunks()?;
    let mut found = TextFound::default();
    let mut total = 0.0;
    let chosen = chosen(read, query.terms(), n_chunks, &mut found.terms)?;
    for (bit, (expression, n)) in chosen.iter().enumerate() {
        let weight = idf(*n, n_chunks);
        total += weight;
        for hit in read.text_hits(expression)? {
            if allowed.has(hit.chunk) {
                let chunk: &mut TextScore = found.chunks.entry(hit.chunk).or_default();
                chunk.score += hit.score;
                chunk.coverage += weight;
                chunk.held |= 1 << bit;
            }
        }
    }
    // A look-up of a name is no sentence, and its words stand in any order.
    if query.content_words().len() > FEW_WORDS {
        let words: HashSet<&str> = chosen.iter().map(|(word, _)| word.as_str()).collect();
        add_pairs(read, query, &words, &mut found)?;
        add_joined(read, query, n_chunks, &mut found)?;
    }
    for chunk in found.chunks.values_mut() {
        chunk.coverage /= total;
        found.best = found.best.max(chunk.score);
    }
    Ok(found)
}

/// Lets neighbours in the question that are near each other in a chunk count more. `words` are those that
/// were looked up, so that a pair costs no more than they did.
fn add_pairs(
    read: &Read<'_>,
    query: &Query,
    words: &HashSet<&str>,
    found: &mut TextFound,
) -> StoreResult<()> {
    let pairs = query.pairs().into_iter();
    let pairs = pairs.map(|(one, other)| (quoted(&one), quoted(&other)));
    let known = pairs.filter(|(one, other)| {
        words.contains(one.as_str()) && words.contains(other.as_str()) && one != other
    });
    for (one, other) in known.take(MAX_PAIRS) {
        for hit in read.text_hits(&near(&one, &other, PAIR_DISTANCE))? {
            if let Some(chunk) = found.chunks.get_mut(&hit.chunk) {
                chunk.score += PAIR * hit.score;
            }
        }
    }
    Ok(())
}

/// Lets a name that neighbours in the question make count as well, in chunks that a word is in.
fn add_joined(
    read: &Read<'_>,
    query: &Query,
    n_chunks: u64,
    found: &mut TextFound,
) -> StoreResult<()> {
    for name in query.joined().iter().take(MAX_JOINED) {
        let name = quoted(name);
        let n = read.document_frequency(&name, MAX_JOINED_CHUNKS + 1)?;
        if n == 0 || n > MAX_JOINED_CHUNKS || is_common(n, n_chunks) {
            continue;
        }
        for hit in read.text_hits(&name)? {
            if let Some(chunk) = found.chunks.get_mut(&hit.chunk) {
                chunk.score += JOINED * hit.score;
            }
        }
    }
    Ok(())
}

/// Returns an expression for each word worth looking up, with the number of its chunks, the rarest first, and notes
/// the rarity of each.
fn chosen(
    read: &Read<'_>,
    terms: &[String],
    n_chunks: u64,
    known: &mut HashMap<String, Term>,
) -> StoreResult<Vec<(String, u64)>> {
    let mut counted: Vec<(u64, &str)> = Vec::new();
    for term in terms {
        let n = read.document_frequency(&quoted(term), MAX_POSTINGS + 1)?;
        if n > 0 {
            counted.push((n, term));
        } else {
            known.insert(term.clone(), Term::Absent(idf(0, n_chunks)));
        }
    }
    counted.sort_unstable();
    if counted.iter().any(|(n, _)| !is_common(*n, n_chunks)) {
        counted.retain(|(n, _)| !is_common(*n, n_chunks));
    }
    counted.truncate(MAX_TERMS);
    let mut left = MAX_POSTINGS;
    let mut chosen = Vec::new();
    for (n, term) in counted {
        let bit = u8::try_from(chosen.len()).unwrap_or(u8::MAX);
        if n <= left {
            left -= n;
            known.insert(term.to_owned(), Term::Known(bit, idf(n, n_chunks)));
            chosen.push((quoted(term), n));
        } else if chosen.is_empty() {
            // The only words are everywhere: chunks with them in name or path are meant.
            let expression = in_columns(NAME_COLUMNS, term);
            let n = read.document_frequency(&expression, MAX_POSTINGS + 1)?;
            if (1..=MAX_POSTINGS).contains(&n) {
                left -= n;
                known.insert(term.to_owned(), Term::Known(bit, idf(n, n_chunks)));
                chosen.push((expression, n));
            }
        }
    }
    Ok(chosen)
}

/// Returns whether a word in `n` chunks of all tells nothing while rarer words remain.
#[allow(
    clippy::cast_precision_loss,
    reason = "counts of chunks are far below 2^52"
)]
fn is_common(n: u64, of: u64) -> bool {
    n as f64 > of as f64 * COMMON_SHARE
}

/// The inverse document frequency, as BM25 has it.
#[allow(
    clippy::cast_precision_loss,
    reason = "counts of chunks are far below 2^52"
)]
fn idf(n: u64, of: u64) -> f64 {
    ((of as f64 - n as f64 + 0.5) / (n as f64 + 0.5))
        .ln()
        .max(1e-6)
}

#[cfg(test)]
mod tests {
    use super::{TextFound, TextScore};
    use crate::model::ChunkId;

    #[test]
    fn equal_scores_are_cut_off_together() {
        let mut found = TextFound::default();
        for (chunk, score) in [(1, 3.0), (2, 2.0), (3, 2.0), (4, 1.0)] {
            found.chunks.insert(
                ChunkId::new(chunk),
                TextScore {
                    score,
                    coverage: 1.0,
                    held: 1,
                },
            );
        }
        let top = |n: usize| {
            let mut rows: Vec<i64> = found.top(n).into_iter().map(|(row, _)| row.row()).collect();
            rows.sort_unstable();
            rows
        };
        assert_eq!(top(1), [1, 2, 3]);
        assert_eq!(top(2), [1, 2, 3]);
        assert_eq!(top(3), [1, 2, 3, 4]);
        assert_eq!(top(9), [1, 2, 3, 4]);
    }
}
