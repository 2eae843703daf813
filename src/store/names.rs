//! The names of symbols as a list, for finding one that was typed wrongly.

use super::{ErrorContext, Read, StoreResult};

impl Read<'_> {
    /// Returns every distinct normal form of a symbol's name between `shortest` and `longest` bytes
    /// long, sorted. One pass over an index of names.
    pub fn normal_forms(&self, shortest: usize, longest: usize) -> StoreResult<Vec<String>> {
        let bounds = (
            i64::try_from(shortest).unwrap_or(i64::MAX),
            i64::try_from(longest).unwrap_or(i64::MAX),
        );
        self.tx
            .prepare_cached(
                "SELECT DISTINCT norm FROM symbol WHERE length(norm) BETWEEN ?1 AND ?2 ORDER BY norm",
            )
            .and_then(|mut statement| statement.query_map(bounds, |row| row.get(0))?.collect())
            .context("reading the names of symbols")
    }

    /// Returns whether a symbol has this normal form.
    pub fn has_symbol_named(&self, norm: &str) -> StoreResult<bool> {
        self.tx
            .prepare_cached("SELECT 1 FROM symbol WHERE norm = ?1 LIMIT 1")
            .and_then(|mut statement| statement.exists([norm]))
            .context("looking a name up")
    }
    /// Returns the names of the first `n` symbols whose normal form begins with `norm`, each with its
    /// qualified name, by normal form.
    pub fn names_beginning(&self, norm: &str, n: u32) -> StoreResult<Vec<(String, String)>> {
        // Above every text that begins like this.
        let end = format!("{norm}\u{10ffff}");
        self.tx
            .prepare_cached(
                "SELECT name, qualified FROM symbol WHERE norm >= ?1 AND norm < ?2
                 ORDER BY norm, name, qualified LIMIT ?3",
            )
            .and_then(|mut statement| {
                statement
                    .query_map((norm, end, n), |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect()
            })
            .context("reading the names of symbols")
    }
}
