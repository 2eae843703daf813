//! The strengths of one chunk, by channel.

use super::text::TextScore;

/// The strengths of one chunk in each channel: shares from 0 to 1, but for the last counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChannelScores {
    /// BM25 as a share of the best.
    pub text: f64,
    /// The share of the question's words that are in it, each by its inverse document frequency.
    pub coverage: f64,
    /// 1 where the whole question is this definition's name, less where the name is written in another style, else 0.
    pub whole: f64,
    /// The same of a word of the question.
    pub name: f64,
    /// Above 0 where an identifier in the question is this definition's name: the less, the more files define that name.
    pub identifier: f64,
    /// The share of the name's parts that are words of the question.
    pub parts: f64,
    /// How near the definition's name is to a word of the question; 0 where it is near none.
    pub fuzzy: f64,
    /// Bit n is set where the name is near the n-th content word.
    pub fuzzy_words: u64,
    /// Above 0 where it has the question, or a quoted part of it, as written.
    pub phrase: f64,
    /// The number of the pattern's literals that it has.
    pub n_literals: u32,
}

impl ChannelScores {
    /// Returns the strengths of a chunk that the text channel alone found, or none did; `best` is the best score of its channel.
    pub(super) fn of_text(text: Option<&TextScore>, best: f64) -> Self {
        Self {
            text: text.map_or(0.0, |text| text.score / best),
            coverage: text.map_or(0.0, |text| text.coverage),
            ..Self::default()
        }
    }
}
