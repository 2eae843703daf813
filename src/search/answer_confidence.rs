//! How likely the wanted place is among the first results: the measured share of answers of the same class.
//!
//! The figures stand in `confidence.json`, which `scripts/search_confidence.py` writes; nothing here is set by hand. They are
//! about places, never about what code does.

use std::sync::OnceLock;

use serde::Deserialize;

use super::{Hit, MatchReason};

/// The share of right answers from which on the level is high.
const HIGH: f64 = 0.9;

/// The share of a question from which on its words, and not past commits, found the first result.
const BY_WORDS: f64 = 0.33;

/// The measurements.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Table {
    /// The day of the measurement.
    pub date: String,
    /// The repositories that the figures are of.
    pub corpora: Vec<SearchCorpus>,
    /// Repositories whose figures are shown beside them.
    pub held_out: Vec<SearchCorpus>,
    /// The classes, the surest first.
    pub classes: Vec<Class>,
}

/// A repository that was measured.
#[derive(Debug, Deserialize)]
pub struct SearchCorpus {
    /// Its name.
    pub name: String,
    /// The commit that was asked.
    pub commit: String,
    /// How many questions it was asked.
    pub questions: u64,
}

/// The figures of one class of answers.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Class {
    /// `name`: the question is the name of the first result; the others by the share of the question that it covers.
    pub class: String,
    /// The least share.
    pub from: f64,
    /// The values of answers: the share among the first result, the first 5, the first 20. Classes that do not differ by more than
    /// chance have one figure.
    pub values: [f64; 3],
    /// How often the wanted file was found.
    #[serde(flatten)]
    pub own: Figures,
    /// How many of as many questions as were asked in all, to which there is no answer, had an answer of this class.
    pub foreign: u64,
    /// The same in the repositories that were held out.
    pub held_out: Figures,
}

/// How often the wanted file is among the first results, of questions that have an answer.
#[derive(Debug, Deserialize)]
pub struct Figures {
    /// Questions of the class.
    pub samples: u64,
    /// The share whose first result is right.
    pub first: Option<f64>,
    /// Questions answered among the first five.
    pub five: Option<f64>,
    /// Questions answered among the first twenty.
    pub twenty: Option<f64>,
}

/// How sure an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// At least nine of ten answers of its class hold the wanted file.
    High,
    /// Fewer do.
    Medium,
    /// Questions to which there is no answer have answers of this class as often as others, or nothing was found.
    Low,
}

/// The signal that an answer rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The question is a name.
    Name,
    /// Its words.
    Words,
    /// Past commits.
    History,
    /// There is no result.
    None,
}

/// How likely the wanted place is among the results of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence {
    /// In words.
    pub level: Level,
    /// The measured share, from 0 to 1, of questions that have an answer.
    pub value: Option<f64>,
    /// The measurement it rests on.
    pub basis: Basis,
}

impl Level {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

impl Basis {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Words => "words",
            Self::History => "history",
            Self::None => "none",
        }
    }
}

/// Returns the table.
pub fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        serde_json::from_str(include_str!("confidence.json"))
            .expect("the table is checked by a test")
    })
}

impl Confidence {
    /// Returns the confidence of an answer that begins with `first` and has `n_results`.
    pub fn of(first: Option<&Hit>, n_results: usize) -> Self {
        let Some(first) = first.filter(|_| n_results > 0) else {
            return Self {
                level: Level::Low,
                value: Some(0.0),
                basis: Basis::None,
            };
        };
        let is_name = first.reasons.has(MatchReason::Exact) && first.coverage >= 1.0;
        let basis = if is_name {
            Basis::Name
        } else if first.coverage < BY_WORDS && first.reasons.has(MatchReason::History) {
            Basis::History
        } else {
            Basis::Words
        };
        let class = class(is_name, first.coverage);
        let [of_first, of_five, of_twenty] = class.values;
        let value = match n_results {
            ..5 => of_first,
            5..20 => of_five,
            _ => of_twenty,
        };
        let level = if class.foreign >= class.own.samples {
            Level::Low
        } else if value >= HIGH {
            Level::High
        } else {
            Level::Medium
        };
        Self {
            level,
            value: Some(value),
            basis,
        }
    }

    /// Returns the confidence of an answer from an index that was never complete: nothing of the kind was measured.
    #[must_use]
    pub fn unmeasured(self) -> Self {
        Self {
            level: Level::Low,
            value: None,
            ..self
        }
    }
}

/// Returns the class of an answer whose first result covers a share of the question.
fn class(is_name: bool, share: f64) -> &'static Class {
    let classes = &table().classes;
    let is_of = |class: &&Class| (class.class == "name") == is_name && share >= class.from;
    classes
        .iter()
        .find(is_of)
        .or(classes.last())
        .expect("the table has classes")
}

#[cfg(test)]
mod tests {
    use super::{Basis, Confidence, Level, class, table};

    #[test]
    fn the_table_is_that_of_a_measurement() {
        let names: Vec<&str> = table().classes.iter().map(|it| it.class.as_str()).collect();
        assert_eq!(names, ["name", "all", "most", "some", "few"]);
        for class in &table().classes {
            let own = &class.own;
            assert!(own.samples > 0 && class.held_out.samples > 0, "{class:?}");
            let [first, five, twenty] = class.values;
            assert!(0.0 <= first && first <= five && five <= twenty && twenty <= 1.0);
        }
        assert_eq!(table().classes.last().unwrap().from.to_bits(), 0);
        let corpora = table().corpora.iter().chain(&table().held_out);
        assert!(corpora.clone().all(|it| it.commit.len() == 40));
        assert!(corpora.count() >= 8);
    }

    #[test]
    fn held_out_repositories_agree_with_the_figures() {
        let (mut n_all, mut said, mut seen) = (0.0, 0.0, 0.0);
        for class in &table().classes {
            let (value, held_out) = (class.values[1], &class.held_out);
            #[allow(clippy::cast_precision_loss, reason = "some thousands")]
            let n = held_out.samples as f64;
            let five = held_out.five.unwrap();
            // Chance moves a share of few questions.
            let by_chance = 1.96 * (value * (1.0 - value) / n).sqrt();
            assert!((value - five).abs() <= by_chance.max(0.05), "{class:?}");
            n_all += n;
            said += n * value;
            seen += n * five;
        }
        assert!((said - seen).abs() / n_all <= 0.05);
    }

    #[test]
    fn a_class_goes_by_name_then_by_share() {
        let name = |is_name, share| class(is_name, share).class.as_str();
        assert_eq!(name(true, 1.0), "name");
        assert_eq!(name(false, 1.0), "all");
        assert_eq!(name(false, 0.7), "most");
        assert_eq!(name(false, 0.5), "some");
        assert_eq!(name(false, 0.0), "few");
    }

    #[test]
    fn an_empty_answer_holds_nothing() {
        let none = Confidence::of(None, 0);
        assert_eq!(
            (none.level, none.value, none.basis),
            (Level::Low, Some(0.0), Basis::None)
        );
        assert_eq!(none.unmeasured().value, None);
    }
}
