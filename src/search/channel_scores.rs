//! The strengths of one chunk, by channel.

/// The strengths of one chunk in each channel. Each lies between 0 and 1.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChannelScores {
    /// BM25 as a share of the best.
    pub text: f64,
    /// The share of the question's words that are in it, each by its inverse document frequency.
    pub coverage: f64,
    /// The whole question is this definition's name.
    pub whole: f64,
    /// A word of the question is this definition's name.
    pub name: f64,
    /// An identifier in the question is this definition's name: the less, the more files bear it.
    pub identifier: f64,
    /// The name is made of the question's words: their share of its parts.
    pub parts: f64,
    /// The definition's name is nearly a word of the question.
    pub fuzzy: f64,
    /// A bit for each content word that its name is nearly.
    pub fuzzy_words: u64,
    /// It holds the question, or a quoted part of it, as it stands.
    pub phrase: f64,
    /// How many of the literals that lead it holds.
    pub n_literals: u32,
}
