//! Reads of the text index: which chunks hold which words, and how rare a word is.
//!
//! Its rows hold no source text.

use super::{ErrorContext, FileSummary, Read, StoreResult};
use crate::model::ChunkId;

/// Weights of the columns symbol, signature, doc, body and path in BM25. From the study of ranking
/// signals on commit localisation: weights around these are within its noise.
pub const COLUMN_WEIGHTS: [f64; 5] = [10.0, 3.0, 2.0, 1.2, 8.0];

/// A chunk that holds some of the words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextHit {
    /// The chunk's row.
    pub chunk: ChunkId,
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
                "SELECT rowid, bm25(text, ?5, ?2, ?3, ?4, ?6) FROM text WHERE text MATCH ?1",
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
            .context("searching the text index")
    }

    /// Returns the rows of the chunks that match an FTS5 expression, without scores, sorted; `at_most` of
    /// them, which a caller must take for "too many": which ones they are is chance.
    pub fn text_rows(&self, expression: &str, at_most: usize) -> StoreResult<Vec<ChunkId>> {
        let mut rows: Vec<ChunkId> = self
            .tx
            .prepare_cached("SELECT rowid FROM text WHERE text MATCH ?1 LIMIT ?2")
            .and_then(|mut statement| {
                statement
                    .query_map((expression, limit(at_most)), |row| row.get(0))?
                    .collect()
            })
            .context("searching the text index")?;
        rows.sort_unstable();
        Ok(rows)
    }

    /// Returns the files that hold a word, given in its normal form, by path: `queuejob` for `queueJob`. Files that
    /// spell the same normal form otherwise (`queue_job`) are among them.
    pub fn files_with_word(&self, norm: &str) -> StoreResult<Vec<FileSummary>> {
        self.tx
            .prepare_cached(
                "SELECT id, path, content, language, skip, lines, facts_version FROM (
                   SELECT DISTINCT (SELECT file FROM chunk_run WHERE first <= text.rowid ORDER BY first DESC LIMIT 1) AS holder
                   FROM text WHERE text MATCH ?1
                 ) CROSS JOIN file ON id = holder ORDER BY path",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([in_columns("body", norm)], super::files::summary)?
                    .collect()
            })
            .context("looking up the files of a word")
    }

    /// Returns how many chunks match an FTS5 expression, counting no further than `at_most`. Costs about
    /// 0.05 µs each, the first time.
    pub fn document_frequency(&self, expression: &str, at_most: u64) -> StoreResult<u64> {
        self.counted(expression, at_most, || {
            self.count_chunks(expression, at_most)
        })
    }

    fn count_chunks(&self, expression: &str, at_most: u64) -> StoreResult<u64> {
        self.tx
            .prepare_cached(
                "SELECT count(*) FROM (SELECT 1 FROM text WHERE text MATCH ?1 LIMIT ?2)",
            )
            .and_then(|mut statement| {
                statement.query_row((expression, at_most.cast_signed()), |row| {
                    row.get::<_, i64>(0)
                })
            })
            .map(i64::cast_unsigned)
            .context("counting the chunks of a word")
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

/// Returns the expression for a word in some columns, their names separated by spaces.
pub fn in_columns(columns: &str, word: &str) -> String {
    format!("{{{columns}}} : {}", quoted(word))
}

/// Returns the expression for two strings of the text index with at most so many words between.
pub fn near(one: &str, other: &str, at_most: u32) -> String {
    format!("NEAR({one} {other}, {at_most})")
}

/// Returns the expression for all of several words in some columns.
pub fn all_in_columns(columns: &str, words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    format!("{{{columns}}} : ({})", quoted.join(" AND "))
}

pub(super) fn limit(at_most: usize) -> i64 {
    i64::try_from(at_most).unwrap_or(i64::MAX)
}
