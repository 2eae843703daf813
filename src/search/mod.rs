//! Ranking: from a question to the chunks that answer it, best first.
//!
//! Pure over store reads: the same index and question give the same order.

pub mod answer_confidence;
mod channel;
mod channel_scores;
mod coverage;
mod explain;
mod filter;
mod fuzzy;
mod history;
mod literal;
mod meaning;
mod notation;
mod path_filter;
mod query;
mod rank;
pub mod recall;
mod requested_roles;
mod scorer;
pub mod snippet;
mod text;

use std::fmt;

pub use answer_confidence::{Confidence, Level};
pub use explain::{Explanation, SignalShare};
pub use literal::QueryLiteral;
pub use meaning::QuestionMeaning;
pub use path_filter::PathFilter;
pub use query::{Query, parse};

use crate::model::{Budget, FileMark, RepoPath, SkipReason, Sources};
use crate::store::{ChunkRow, Read, StoreResult};

/// Languages of prose, in any directory.
const PROSE_LANGUAGES: [&str; 4] = ["markdown", "plaintext", "rst", "asciidoc"];

/// Which kind of files is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentType {
    /// Everything but documents.
    Code,
    /// Documents.
    Prose,
}

/// Which files are looked at; nothing set means all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// Code or prose alone.
    pub content_type: Option<ContentType>,
    /// Directories, files and globs (`*` within a component, `**` across them); those behind `!` are left out.
    pub paths: Vec<String>,
    /// A language's identifier.
    pub language: Option<String>,
}

/// One signal that put a hit where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchReason {
    /// Words of the text.
    Fts,
    /// The name of a symbol, also nearly.
    Symbol,
    /// Exactly the name of a symbol.
    Exact,
    /// The file's path.
    Path,
    /// Past commits.
    History,
    /// The meaning of the question, by a model that the user configured.
    Vector,
}

/// The signals that put a hit where it is; printed comma-joined in one order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reasons(u8);

impl Reasons {
    const ALL: [(MatchReason, &'static str); 6] = [
        (MatchReason::Fts, "fts"),
        (MatchReason::Symbol, "symbol"),
        (MatchReason::Exact, "exact"),
        (MatchReason::Path, "path"),
        (MatchReason::History, "history"),
        (MatchReason::Vector, "vector"),
    ];

    pub(crate) fn add(&mut self, reason: MatchReason) {
        self.0 |= 1 << reason as u8;
    }

    /// Returns whether a signal contributed.
    pub fn has(self, reason: MatchReason) -> bool {
        self.0 & (1 << reason as u8) != 0
    }
}

impl fmt::Display for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = Self::ALL.iter().filter(|(reason, _)| self.has(*reason));
        for (at, (_, word)) in words.enumerate() {
            if at > 0 {
                f.write_str(",")?;
            }
            f.write_str(word)?;
        }
        Ok(())
    }
}

/// A chunk that answers the question.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The chunk.
    pub chunk: ChunkRow,
    /// The share of the question that it covers, from 0 to 1 in hundredths: the `score` of answers, on one scale for all of them. Hits
    /// are not ordered by it.
    pub coverage: f64,
    /// Hits are ordered by it: 1 and its share of the best, 1 more for each quoted text that it has, 1 less for generated data. Rounded
    /// to a ten-thousandth, as cursors hold it.
    pub sort_key: f64,
    /// Its rank score as a share of that of the best hit, from 0 to 1.
    pub share: f64,
    /// How many of the texts that the question quotes it holds, and 1 more unless it is generated data: hits of a higher tier go first.
    pub tier: u32,
    /// A bit for each content word of the question that it holds.
    pub(crate) held_words: u64,
    /// Why it is here.
    pub reasons: Reasons,
    /// The parts of its score, where they were asked for.
    pub explanation: Option<Explanation>,
}

/// The page and the detail of an answer.
#[derive(Clone, Copy, Debug)]
pub struct PageRequest<'a> {
    /// Hits at most.
    pub limit: usize,
    /// Of them of one file.
    pub max_of_a_file: usize,
    /// Whether each hit explains its score.
    pub is_explained: bool,
    /// Whether signals are summed by rank (reciprocal rank fusion), which is there for comparison.
    pub fuses_by_rank: bool,
    /// How much files that were changed lately go before others, in thousandths: at most a hundredth of the best score.
    pub recency: u32,
    /// Words that a person gave to files, which count in their order.
    pub marks: &'a [FileMark],
    /// The meaning of the question, where every chunk has a vector.
    pub meaning: Option<&'a dyn QuestionMeaning>,
    /// How much meaning counts, in thousandths; with 0 it is only explained.
    pub meaning_weight: u32,
}

/// Returns the requested hits, best first; equal scores by path, then line. A budget that ends gives the hits so far.
///
/// Costs two to three µs for each chunk that holds one of the question's rarer words, of which at most
/// `text::MAX_POSTINGS` are looked at, and 10 µs for each hit. `sources` has the texts in which literals are looked for.
pub fn search(
    read: &Read<'_>,
    query: &Query,
    filters: &Filters,
    wanted: PageRequest<'_>,
    sources: &dyn Sources,
    budget: &Budget,
) -> StoreResult<Vec<Hit>> {
    let Some(allowed) = filter::ChunkFilter::of(read, filters)? else {
        return Ok(Vec::new());
    };
    let mut found = channel::collect(read, query, &allowed, sources, budget)?;
    if let Some(meaning) = wanted.meaning {
        found.meaning = meaning::strengths(meaning, &allowed);
    }
    rank::rank(read, query, filters, &found, wanted)
}

/// Returns the names of symbols, in normal form, that are nearly `word` (a normal form), nearest first.
/// Costs one pass over the names of about its length.
pub fn nearest_names(read: &Read<'_>, word: &str) -> StoreResult<Vec<String>> {
    let found = fuzzy::nearest(read, word)?;
    Ok(found.into_iter().map(|(name, _)| name).collect())
}

/// The first file that passes the filters, by path; `None` where no file does, so that every search finds nothing.
pub fn first_match(read: &Read<'_>, filters: &Filters) -> StoreResult<Option<RepoPath>> {
    let fits = filter::FileFilter::of(read, filters)?;
    let files = read.files_under("")?;
    let first = files.iter().find(|file| fits.has(file));
    Ok(first.map(|file| file.path.clone()))
}

/// The files that pass the filters, by path.
pub fn matching_files(read: &Read<'_>, filters: &Filters) -> StoreResult<Vec<RepoPath>> {
    let fits = filter::FileFilter::of(read, filters)?;
    let files = read.files_under("")?;
    let left = files.iter().filter(|file| fits.has(file));
    Ok(left.map(|file| file.path.clone()).collect())
}

/// The number of files that pass the filters and have text in the index.
pub fn n_matching(read: &Read<'_>, filters: &Filters) -> StoreResult<u64> {
    let fits = filter::FileFilter::of(read, filters)?;
    let files = read.files_under("")?;
    let fitting = files.iter().filter(|file| fits.has(file));
    let searched = fitting.filter(|file| file.skip.is_none_or(SkipReason::keeps_text));
    Ok(searched.count() as u64)
}

/// Whether files pass the filters, and every one of them is left out for the same reason.
pub fn have_skip(read: &Read<'_>, filters: &Filters, reason: SkipReason) -> StoreResult<bool> {
    let fits = filter::FileFilter::of(read, filters)?;
    let files = read.files_under("")?;
    let mut fitting = files.iter().filter(|file| fits.has(file)).peekable();
    let is_any = fitting.peek().is_some();
    Ok(is_any && fitting.all(|file| file.skip == Some(reason)))
}

fn is_prose(language: &str) -> bool {
    PROSE_LANGUAGES.contains(&language)
}

#[cfg(test)]
mod tests {
    use super::{MatchReason, Reasons};

    #[test]
    fn reasons_are_printed_in_one_order() {
        let mut reasons = Reasons::default();
        reasons.add(MatchReason::Path);
        reasons.add(MatchReason::Fts);
        assert_eq!(reasons.to_string(), "fts,path");
        assert!(reasons.has(MatchReason::Path) && !reasons.has(MatchReason::Exact));
        assert_eq!(Reasons::default().to_string(), "");
    }
}
