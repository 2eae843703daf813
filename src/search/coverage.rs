//! The absolute score of a hit: which share of the question it covers.
//!
//! The weight that orders the hits of one answer says nothing across answers, since the best hit of each has the most.
//! Coverage is on one scale: each word of the question counts by how rare it is here, and a word that occurs nowhere
//! counts most of all. `oauth token refresh` in a repository without `oauth` covers about a half at best.
//!
//! The share stands as it is, since it is near the chance that the first result is right. Of the 360 questions of the search
//! bench (vuejs/core, express; subjects of commits and lookups) and the 360 that are the other repository's, so that there is no answer:
//!
//! | score | of its own | of those right | foreign | right of all |
//! |---|---|---|---|---|
//! | below 0.2 | 23 | .65 | 118 | .11 |
//! | 0.2 to 0.4 | 90 | .67 | 155 | .24 |
//! | 0.4 to 0.6 | 80 | .68 | 49 | .42 |
//! | 0.6 to 1 | 54 | .81 | 11 | .68 |
//! | 1 | 113 | .96 | 27 | .78 |
//!
//! The share of all depends on how many questions have an answer; a table that maps the share to it would only be true
//! of one mixture. `scripts/score_reliability.py` makes the table for other repositories (subjects of commits alone).

use std::collections::{HashMap, HashSet};

use super::channel_scores::ChannelScores;
use super::query::Query;
use crate::store::{ChunkRow, token};

/// Words of a question that are told apart; further ones count as held.
const MAX_WORDS: usize = 64;

/// Weight of a word whose parts alone are in the chunk: `job queue` for `queueJob`.
const BY_PARTS: f64 = 0.9;

/// Weight of a name that resembles a word of the question, times the likeness.
const NEARLY: f64 = 0.8;

/// Weight of a hit that has the words of a quoted text, but not the text.
const WITHOUT_QUOTED: f64 = 0.5;

/// The rarity of a term of the question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Term {
    /// It was looked up: the number of its bit, and its inverse document frequency.
    Known(u8, f64),
    /// It occurs nowhere; the inverse document frequency of such a term.
    Absent(f64),
    /// It is nearly everywhere and was not looked up.
    Common,
}

/// The words of a question with their weights.
pub(super) struct Coverage {
    words: Vec<RareWord>,
    total: f64,
    n_explicit: u32,
}

struct RareWord {
    norm: String,
    /// The normal forms of its parts; empty where it is one part.
    norms: Vec<String>,
    weight: f64,
    whole: Option<u8>,
    /// The bits of its parts with their weights; no bit for one that occurs nowhere.
    parts: Vec<(Option<u8>, f64)>,
}

/// The words of a definition's qualified name and of its path, which the question may be made of.
#[derive(Default)]
pub(super) struct NamedWords(HashSet<String>);

/// How much of the question one hit covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Covered {
    /// The share, from 0 to 1.
    pub share: f64,
    /// A bit for each telling word of the question that it holds.
    pub words: u64,
}

impl Coverage {
    pub(super) fn of(query: &Query, terms: &HashMap<String, Term>) -> Self {
        let term = |text: &String| terms.get(text).copied().unwrap_or(Term::Common);
        let words: Vec<RareWord> = query
            .telling_words()
            .into_iter()
            .take(MAX_WORDS)
            .map(|word| {
                let bit = |term| match term {
                    Term::Known(bit, weight) => Some((Some(bit), weight)),
                    Term::Absent(weight) => Some((None, weight)),
                    Term::Common => None,
                };
                let parts: Vec<_> = word
                    .parts
                    .iter()
                    .filter_map(|part| bit(term(part)))
                    .collect();
                let of_parts = parts.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
                let (whole, weight) = match term(&word.norm) {
                    Term::Known(bit, weight) => (Some(bit), weight),
                    Term::Absent(weight) if parts.is_empty() => (None, weight),
                    Term::Absent(_) | Term::Common => (None, of_parts),
                };
                RareWord {
                    norm: word.norm.clone(),
                    norms: word.parts.clone(),
                    weight,
                    whole,
                    parts,
                }
            })
            .collect();
        Self {
            total: words.iter().map(|word| word.weight).sum(),
            words,
            n_explicit: count(query.literals().iter().filter(|it| it.is_explicit)),
        }
    }

    /// Returns the coverage of a chunk that holds the terms of these bits; `named` has the words of a definition whose name the
    /// question is.
    pub(super) fn covered(
        &self,
        held: u64,
        strength: &ChannelScores,
        named: &NamedWords,
    ) -> Covered {
        let mut words = 0;
        let mut sum = 0.0;
        for (at, word) in self.words.iter().enumerate() {
            let credit = if named.has(word) {
                1.0
            } else {
                word.credit(held)
            };
            let is_near = strength.fuzzy_words & (1 << at) != 0;
            sum += word.weight
                * if is_near {
                    credit.max(NEARLY * strength.fuzzy)
                } else {
                    credit
                };
            // A word of two parts is not there where one of them is.
            if credit >= BY_PARTS - 1e-9 || word.weight <= 0.0 {
                words |= 1 << at;
            }
        }
        let holds_all = (0..self.words.len()).all(|at| words & (1 << at) != 0);
        let mut share = if self.total > 0.0 {
            sum / self.total
        } else {
            // Every word is nearly everywhere: any hit holds them.
            1.0
        };
        if holds_all {
            share = share.max(strength.whole);
        }
        if self.n_explicit > 0 {
            let held = f64::from(strength.n_literals.min(self.n_explicit));
            let of_quoted = held / f64::from(self.n_explicit);
            share *= WITHOUT_QUOTED + (1.0 - WITHOUT_QUOTED) * of_quoted;
        } else if strength.n_literals > 0 && holds_all {
            share = 1.0;
        }
        Covered {
            share: (share.min(1.0) * 100.0).round() / 100.0,
            words,
        }
    }
}

impl NamedWords {
    /// Returns the words of a chunk's definition.
    pub(super) fn of(chunk: &ChunkRow) -> Self {
        let name = chunk.symbol.iter().map(|it| it.qualified_name.as_str());
        let texts = name.chain([chunk.path.as_str()]);
        let words = texts.flat_map(token::words);
        Self(
            words
                .flat_map(|word| std::iter::once(word.norm).chain(word.parts))
                .collect(),
        )
    }

    fn has(&self, word: &RareWord) -> bool {
        let is_made = !word.norms.is_empty() && word.norms.iter().all(|it| self.0.contains(it));
        self.0.contains(&word.norm) || is_made
    }
}

impl RareWord {
    /// Returns how much of the word a chunk holds, from 0 to 1.
    fn credit(&self, held: u64) -> f64 {
        let has = |bit: Option<u8>| bit.is_some_and(|bit| held & (1 << bit) != 0);
        if has(self.whole) {
            return 1.0;
        }
        let all: f64 = self.parts.iter().map(|(_, weight)| weight).sum();
        if all <= 0.0 {
            return 0.0;
        }
        let found = self.parts.iter().filter(|(bit, _)| has(*bit));
        BY_PARTS * found.map(|(_, weight)| weight).sum::<f64>() / all
    }
}

fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{Coverage, NamedWords, Term};
    use crate::search::channel_scores::ChannelScores;
    use crate::search::parse;

    fn coverage(question: &str, terms: &[(&str, Term)]) -> Coverage {
        let terms: HashMap<String, Term> = terms
            .iter()
            .map(|(text, term)| ((*text).to_owned(), *term))
            .collect();
        Coverage::of(&parse(question).unwrap(), &terms)
    }

    fn share(coverage: &Coverage, held: u64) -> f64 {
        coverage
            .covered(held, &ChannelScores::default(), &NamedWords::default())
            .share
    }

    #[test]
    fn a_word_that_occurs_nowhere_keeps_the_score_down() {
        let terms = [
            ("oauth", Term::Absent(10.0)),
            ("token", Term::Known(0, 5.0)),
            ("refresh", Term::Known(1, 5.0)),
        ];
        let question = coverage("oauth token refresh", &terms);
        assert!((share(&question, 0b11) - 0.5).abs() < 1e-9);
        assert!((share(&question, 0b01) - 0.25).abs() < 1e-9);
        assert_eq!(
            question
                .covered(0b01, &ChannelScores::default(), &NamedWords::default())
                .words,
            0b010
        );
    }

    #[test]
    fn parts_of_a_name_are_worth_less_than_the_name() {
        let terms = [
            ("queuejob", Term::Known(0, 6.0)),
            ("queue", Term::Known(1, 3.0)),
            ("job", Term::Known(2, 3.0)),
        ];
        let question = coverage("queueJob", &terms);
        assert!((share(&question, 0b111) - 1.0).abs() < 1e-9);
        assert!((share(&question, 0b110) - 0.9).abs() < 1e-9);
        assert!((share(&question, 0b010) - 0.45).abs() < 1e-9);
    }

    #[test]
    fn a_name_that_is_the_question_covers_it_and_a_near_one_nearly() {
        let question = coverage("queuJob", &[("queujob", Term::Absent(9.0))]);
        let near = ChannelScores {
            fuzzy: 0.9,
            fuzzy_words: 1,
            ..ChannelScores::default()
        };
        assert!((question.covered(0, &near, &NamedWords::default()).share - 0.72).abs() < 1e-9);
        assert_eq!(question.covered(0, &near, &NamedWords::default()).words, 0);
        let named = NamedWords(["queujob".to_owned()].into());
        let whole = ChannelScores {
            whole: 1.0,
            ..ChannelScores::default()
        };
        assert!((question.covered(0, &whole, &named).share - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_name_beside_other_words_leaves_them_missing() {
        let terms = [
            ("app", Term::Known(0, 3.0)),
            ("close", Term::Known(1, 3.0)),
            ("oauth", Term::Absent(6.0)),
        ];
        let question = coverage("App.close oauth", &terms);
        let whole = ChannelScores {
            whole: 1.0,
            ..ChannelScores::default()
        };
        let named = NamedWords(["app", "close"].map(str::to_owned).into());
        let covered = question.covered(0, &whole, &named);
        assert_eq!(covered.words, 0b011);
        assert!((covered.share - 0.5).abs() < 1e-9);
        // Half of a name is not the name.
        let terms = [
            ("queuejob", Term::Absent(9.0)),
            ("job", Term::Known(0, 3.0)),
            ("queue", Term::Known(1, 3.0)),
        ];
        let question = coverage("queueJob", &terms);
        let held = |bits| {
            question
                .covered(bits, &ChannelScores::default(), &NamedWords::default())
                .words
        };
        assert_eq!((held(0b01), held(0b11)), (0, 1));
    }

    #[test]
    fn what_is_quoted_counts_as_it_stands() {
        let question = coverage("\"not found\"", &[("found", Term::Known(0, 4.0))]);
        assert!((share(&question, 1) - 0.5).abs() < 1e-9);
        let literal = ChannelScores {
            n_literals: 1,
            ..ChannelScores::default()
        };
        assert!((question.covered(1, &literal, &NamedWords::default()).share - 1.0).abs() < 1e-9);
    }

    #[test]
    fn words_that_are_everywhere_say_nothing() {
        let question = coverage("function", &[("function", Term::Common)]);
        assert!((share(&question, 0) - 1.0).abs() < 1e-9);
    }
}
