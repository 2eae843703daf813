//! The measured precision of each class of edges, by language: what an answer calls its confidence.
//!
//! The figures stand in `confidence.json`, which `scripts/confidence.py` writes from measurements against compilers and type
//! checkers; nothing here is set by hand.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::related::TestBasis;
use crate::ir::Family;
use crate::model::Provenance;

/// The measurements, by the name of the language: `ecmascript`, `python`.
pub type Table = BTreeMap<String, Measurement>;

/// What was measured of one language.
#[derive(Debug, Deserialize)]
pub struct Measurement {
    /// The day of the measurement.
    pub date: String,
    /// The measured repositories.
    pub corpora: Vec<Corpus>,
    /// The figures, by the name of the class.
    pub classes: BTreeMap<String, Class>,
}

/// A repository that was measured.
#[derive(Debug, Deserialize)]
pub struct Corpus {
    /// Its name.
    pub name: String,
    /// The commit that was checked out.
    pub commit: String,
}

/// The figures of one class.
#[derive(Debug, Deserialize)]
pub struct Class {
    /// The share of answers that the judge agrees with, from 0 to 1; `None` where none was met.
    pub precision: Option<f64>,
    /// How many answers were judged.
    pub samples: u64,
    /// The kind of answers that were judged, e.g. callers of a definition.
    pub judged: String,
}

/// Returns the table.
pub fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        serde_json::from_str(include_str!("confidence.json"))
            .expect("the table is checked by a test")
    })
}

/// Returns the measured precision of a class of edges in a language, from 0 to 1. A class that no corpus of the language
/// has is as good as the worst of its others, and no better than in other languages; in a language that is not measured a class is as good as where it is worst.
pub fn confidence(family: Option<Family>, provenance: Provenance) -> f64 {
    let all: Vec<&str> = Provenance::ALL.iter().map(|one| one.as_str()).collect();
    of_class(family, provenance.as_str(), &all)
}

/// Returns the measured precision of a class of tests in a language, from 0 to 1, as [`confidence`] does for edges.
pub fn test_confidence(family: Option<Family>, basis: TestBasis) -> f64 {
    let all: Vec<&str> = TestBasis::ALL.iter().map(|one| test_class(*one)).collect();
    of_class(family, test_class(basis), &all)
}

fn test_class(basis: TestBasis) -> &'static str {
    match basis {
        TestBasis::Graph => "test",
        TestBasis::Path => Provenance::PathHeuristic.as_str(),
        TestBasis::Barrel => "test-barrel",
        TestBasis::Mention => "test-mention",
    }
}

fn of_class(family: Option<Family>, name: &str, all: &[&str]) -> f64 {
    let of = |measured: &Measurement| {
        let precision = |name: &str| measured.classes.get(name)?.precision;
        let own = all.iter().copied().filter_map(precision);
        let elsewhere = table()
            .values()
            .filter_map(|it| it.classes.get(name)?.precision);
        precision(name).unwrap_or_else(|| own.chain(elsewhere).fold(1.0, f64::min))
    };
    let measured = match family {
        Some(Family::Ecmascript) => table().get("ecmascript"),
        Some(Family::Python) => table().get("python"),
        Some(Family::Go) | None => None,
    };
    measured.map_or_else(|| table().values().map(of).fold(1.0, f64::min), of)
}

#[cfg(test)]
mod tests {
    use super::{confidence, table, test_class};
    use crate::graph::related::TestBasis;
    use crate::ir::Family;
    use crate::model::Provenance;

    #[test]
    fn the_table_is_that_of_a_measurement() {
        assert!(table().contains_key("ecmascript") && table().contains_key("python"));
        for measured in table().values() {
            for provenance in Provenance::ALL {
                let class = &measured.classes[provenance.as_str()];
                assert_eq!(class.samples > 0, class.precision.is_some());
            }
            for basis in TestBasis::ALL {
                let name = test_class(basis);
                assert!(measured.classes.contains_key(name), "{basis:?}");
            }
            assert!(!measured.corpora.is_empty());
            let commits = measured.corpora.iter().map(|corpus| corpus.commit.len());
            assert!(commits.into_iter().all(|len| len == 40));
        }
    }

    #[test]
    fn a_language_that_is_not_measured_is_as_good_as_the_worst() {
        for provenance in Provenance::ALL {
            let known =
                [Family::Ecmascript, Family::Python].map(|it| confidence(Some(it), *provenance));
            let unknown = confidence(None, *provenance);
            assert!(
                known
                    .iter()
                    .all(|it| *it > 0.0 && *it <= 1.0 && unknown <= *it)
            );
        }
    }
}
