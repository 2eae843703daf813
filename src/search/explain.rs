//! The score of a hit, taken apart: the addend of each signal, and the factors of its place. Kept while ranking, shown
//! on request.

use super::{MatchReason, Reasons};

/// A signal: adds to a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// Words of the text.
    Text,
    /// The query equals the symbol name.
    ExactName,
    /// A query word equals the symbol name.
    Name,
    /// The query words are parts of the symbol name.
    Parts,
    /// The symbol name is a fuzzy match of a query word.
    FuzzyName,
    /// The query occurs literally in the text.
    Phrase,
    /// A path in the question is the file's, or the file's name is made of its words.
    Path,
    /// Other chunks of the file.
    File,
    /// Past commits.
    History,
    /// Another file has the same chunk: a duplicate.
    Copy,
    /// The file was changed not long before the index's commit (`search.recency`).
    Recency,
    /// The meaning of the question is near the chunk's (`embed.weight`).
    Vector,
}

/// A factor: scales a score. Those up to `Ignored` are about the whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Factor {
    /// A test, an example, a fixture.
    Test,
    /// A document, data, configuration.
    NotCode,
    /// Generated, or declarations alone.
    Generated,
    /// A person put it behind others: an applied mark.
    Ignored,
    /// Between definitions.
    BetweenDefinitions,
    /// A type or a member of one.
    Declaration,
    /// Other modules can use it.
    Exported,
}

/// The words of the signals, in the order of their declaration: `whole` for an exact name, `nearly` for a fuzzy one.
const SIGNALS: [&str; 12] = [
    "text", "whole", "name", "parts", "nearly", "phrase", "path", "file", "history", "copy",
    "recency", VECTOR,
];

/// The signal of meaning.
const VECTOR: &str = "vector";

const FACTORS: [&str; 7] = [
    "test",
    "notCode",
    "generated",
    "ignored",
    "betweenDefinitions",
    "declaration",
    "exported",
];

/// How many of the factors are about the whole file.
const N_OF_FILE: usize = Factor::Ignored as usize + 1;

/// The parts of a hit's score: the sum of the signals' addends.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The signals that found it.
    pub signals: Vec<SignalShare>,
    /// Factors that scaled the addends, by name; `path`, `history` and `vector` by those of the whole file alone, `recency` by
    /// none. `file` and `copy` are made of scaled scores.
    pub factors: Vec<(&'static str, f64)>,
}

/// One signal's part in a hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignalShare {
    /// Which: `text` (words), `whole` (the question is the name), `name` (a word is), `parts` (the words are
    /// parts of it), `nearly` (a word nearly is), `phrase`, `path` (the file's path or name is in the question), `file` (other places of the file), `history`, `copy` (a
    /// better place of another file has the same words), `recency` (changed lately, where `search.recency` is set), `vector` (near in
    /// meaning, where a model is set). `file` is below 0 where another place stands for the file better, `copy` always.
    pub name: &'static str,
    /// The hit's place among all that this signal found, from 1; equals share one.
    pub rank: usize,
    /// Its addend, where the best hit has 1.
    pub adds: f64,
}

/// The parts of a chunk's score.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScoreBreakdown {
    adds: [f64; SIGNALS.len()],
    /// Factors less 1, so that nothing is neutral.
    scales: [f64; FACTORS.len()],
}

/// The addends of every signal, over all its hits, the largest first.
pub(super) struct Ranks([Vec<f64>; SIGNALS.len()]);

impl ScoreBreakdown {
    pub(super) fn add(&mut self, signal: Signal, score: f64) {
        self.adds[signal as usize] += score;
    }

    pub(super) fn scale(&mut self, factor: Factor, by: f64) {
        self.scales[factor as usize] = by - 1.0;
    }

    /// Returns the sum of the addends so far, scaled by all factors.
    pub(super) fn score(&self) -> f64 {
        let factor: f64 = self.scales.iter().map(|scale| 1.0 + scale).product();
        factor * self.adds.iter().sum::<f64>()
    }

    /// Returns the factor of the whole file.
    pub(super) fn of_file(&self) -> f64 {
        let scales = &self.scales[..N_OF_FILE];
        scales.iter().map(|scale| 1.0 + scale).product()
    }

    /// Returns the signals as an answer names them. `names_path`: a word of the question is in the path,
    /// which counts within the text.
    pub(super) fn reasons(&self, names_path: bool) -> Reasons {
        let mut reasons = Reasons::default();
        for (signal, reason) in [
            (Signal::Text, MatchReason::Fts),
            (Signal::Phrase, MatchReason::Fts),
            (Signal::ExactName, MatchReason::Exact),
            (Signal::ExactName, MatchReason::Symbol),
            (Signal::Name, MatchReason::Symbol),
            (Signal::Parts, MatchReason::Symbol),
            (Signal::FuzzyName, MatchReason::Symbol),
            (Signal::Path, MatchReason::Path),
            (Signal::History, MatchReason::History),
            (Signal::Vector, MatchReason::Vector),
        ] {
            if self.adds[signal as usize] > 0.0 {
                reasons.add(reason);
            }
        }
        if names_path {
            reasons.add(MatchReason::Path);
        }
        reasons
    }

    /// Returns the breakdown in which each signal that found the chunk adds `1 / (60 + rank)`. Signals that only weigh against it
    /// add nothing.
    pub(super) fn by_rank(&self, ranks: &Ranks) -> Self {
        const OFFSET: f64 = 60.0;
        let mut fused = Self::default();
        for (at, (adds, list)) in self.adds.iter().zip(&ranks.0).enumerate() {
            if *adds > 0.0 {
                let rank = 1 + list.partition_point(|other| other > adds);
                #[allow(clippy::cast_precision_loss, reason = "an index has no 2^52 chunks")]
                let rank = rank as f64;
                fused.adds[at] = 1.0 / (OFFSET + rank);
            }
        }
        fused
    }

    /// Returns the addends that ranks are told from.
    pub(super) fn ranks<'a>(all: impl Iterator<Item = &'a Self>) -> Ranks {
        let mut ranks: [Vec<f64>; SIGNALS.len()] = Default::default();
        for breakdown in all {
            for (list, adds) in ranks.iter_mut().zip(breakdown.adds) {
                if adds.abs() > 0.0 {
                    list.push(adds);
                }
            }
        }
        for list in &mut ranks {
            list.sort_by(|a, b| b.total_cmp(a));
        }
        Ranks(ranks)
    }

    /// Returns the parts of a score for a reader; `best` is the score that counts as 1.
    pub(super) fn explain(&self, ranks: &Ranks, best: f64) -> Explanation {
        let factor: f64 = self.scales.iter().map(|scale| 1.0 + scale).product();
        let places = SIGNALS.iter().zip(self.adds).zip(&ranks.0).enumerate();
        let signals = places
            .filter(|(_, ((_, adds), _))| adds.abs() > 0.0)
            .map(|(at, ((name, adds), list))| {
                let is_scaled = at >= Signal::Path as usize;
                SignalShare {
                    name,
                    rank: 1 + list.partition_point(|other| *other > adds),
                    adds: round(if is_scaled { adds } else { adds * factor } / best),
                }
            })
            .collect();
        let factors = FACTORS.iter().zip(self.scales);
        let factors = factors
            .filter(|(_, scale)| scale.abs() > 0.0)
            .map(|(name, scale)| (*name, round(1.0 + scale)))
            .collect();
        Explanation { signals, factors }
    }
}

impl Explanation {
    /// Adds the signal of meaning where it counts for nothing: its rank shows how it would have counted.
    pub(super) fn show_meaning(&mut self, rank: usize) {
        if self.signals.iter().all(|signal| signal.name != VECTOR) {
            self.signals.push(SignalShare {
                name: VECTOR,
                rank,
                adds: 0.0,
            });
        }
    }
}

fn round(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::{Factor, ScoreBreakdown, Signal};

    #[test]
    fn an_explanation_names_what_counted() {
        let mut one = ScoreBreakdown::default();
        one.add(Signal::Text, 0.5);
        one.scale(Factor::Test, 0.2);
        let mut two = ScoreBreakdown::default();
        two.add(Signal::Text, 1.0);
        two.scale(Factor::Exported, 1.05);
        assert!((one.score() - 0.1).abs() < 1e-9 && (two.score() - 1.05).abs() < 1e-9);
        assert!((one.of_file() - 0.2).abs() < 1e-9 && (two.of_file() - 1.0).abs() < 1e-9);
        let ranks = ScoreBreakdown::ranks([one, two].iter());
        let told = one.explain(&ranks, 1.0);
        assert_eq!((told.signals.len(), told.signals[0].name), (1, "text"));
        assert_eq!(told.signals[0].rank, 2);
        assert!((told.signals[0].adds - 0.1).abs() < 1e-9);
        assert_eq!(told.factors, [("test", 0.2)]);
        assert_eq!(one.reasons(true).to_string(), "fts,path");
    }
}
