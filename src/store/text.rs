//! Reads of the text index: which chunks hold which words, and how rare a word is.
//!
//! Its rows hold no source text. Refuses to know how a query was written.

use rusqlite::OptionalExtension as _;

use super::{Doing, Read, StoreResult};

/// Weights of the columns symbol, signature, doc, body and path in BM25. From the study of ranking
/// signals on commit localisation: weights around these are within its noise.
pub const COLUMN_WEIGHTS: [f64; 5] = [10.0, 3.0, 2.0, 1.0, 5.0];

/// A chunk that holds some of the words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextHit {
    /// The chunk's row.
    pub chunk: i64,
    /// BM25, higher is better, above 0.
    pub score: f64,
}

impl Read<'_> {
    /// Returns every chunk that matches an FTS5 expression, in no order. Costs about 0.7 µs a hit; the
    /// caller leaves out words that are in most chunks.
    pub fn text_hits(&self, expression: &str) -> StoreResult<Vec<TextHit>> {
        let [symbol, signature, doc, body, path] = COLUMN_WEIGHTS;
        self.tx
            .prepare_cached(
                "SELECT rowid, bm25(text, ?2, ?3, ?4, ?5, ?6) FROM text WHERE text MATCH ?1",
            )
            .and_then(|mut statement| {
                statement
                    .query_map((expression, symbol, signature, doc, body, path), |row| {
                        Ok(TextHit {
                            chunk: row.get(0)?,
                            score: -row.get::<_, f64>(1)?,
                        })
                    })?
                    .collect()
            })
            .doing("searching the text index")
    }

    /// Returns the rows of every chunk that matches an FTS5 expression, without scores, sorted.
    pub fn text_rows(&self, expression: &str) -> StoreResult<Vec<i64>> {
        let mut rows: Vec<i64> = self
            .tx
            .prepare_cached("SELECT rowid FROM text WHERE text MATCH ?1")
            .and_then(|mut statement| {
                statement
                    .query_map([expression], |row| row.get(0))?
                    .collect()
            })
            .doing("searching the text index")?;
        rows.sort_unstable();
        Ok(rows)
    }

    /// Returns in how many chunks a word (as split, lower case, not yet stemmed) occurs.
    pub fn document_frequency(&self, word: &str) -> StoreResult<u64> {
        // The vocabulary holds stems; asking the index itself stems the word in the same way.
        self.tx
            .prepare_cached("SELECT count(*) FROM text WHERE text MATCH ?1")
            .and_then(|mut statement| {
                statement
                    .query_row([quoted(word)], |row| row.get::<_, i64>(0))
                    .optional()
            })
            .map(|n| n.unwrap_or(0).cast_unsigned())
            .doing("counting the chunks of a word")
    }

    /// Returns how many chunks there are.
    pub fn n_chunks(&self) -> StoreResult<u64> {
        self.tx
            .prepare_cached("SELECT count(*) FROM chunk")
            .and_then(|mut statement| statement.query_row([], |row| row.get::<_, i64>(0)))
            .map(i64::cast_unsigned)
            .doing("counting chunks")
    }
}

/// Returns a word or phrase as an FTS5 string, so that nothing in it is an operator.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Returns the expression for any of several words or phrases.
pub fn any_of<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(quoted).collect();
    quoted.join(" OR ")
}
