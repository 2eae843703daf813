//! The measured precision of each class of edges, by language: what an answer calls its confidence.
//!
//! The figures stand in `confidence.json`, which `scripts/confidence.py` writes from measurements against compilers and type
//! checkers, for C# `scripts/judged_sites.py` from call sites that were read; nothing here is set by hand.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::related::TestBasis;
use crate::model::{Family, Provenance};

/// The measurements, by the name of the language: `csharp`, `ecmascript`, `go`.
pub type ConfidenceTable = BTreeMap<String, Measurement>;

/// The measured classes of one language.
#[derive(Debug, Deserialize)]
pub struct Measurement {
    /// The day of the measurement.
    pub date: String,
    /// The measured repositories.
    pub corpora: Vec<Corpus>,
    /// The figures, by the name of the class.
    pub classes: BTreeMap<String, ClassFigures>,
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
pub struct ClassFigures {
    /// The share of answers that the judge agrees with, from 0 to 1; `None` where none was met.
    pub precision: Option<f64>,
    /// How many answers were judged.
    pub samples: u64,
    /// The kind of answers that were judged, e.g. callers of a definition.
    pub judged: String,
}

/// Returns the table.
pub fn table() -> &'static ConfidenceTable {
    static TABLE: OnceLock<ConfidenceTable> = OnceLock::new();
    TABLE.get_or_init(|| {
        serde_json::from_str(include_str!("confidence.json"))
            .expect("the table is checked by a test")
    })
}

/// Returns the measured precision of a class of edges in a language, from 0 to 1; `None` where no measured repository of
/// the language has an edge of the class.
pub fn confidence(family: Option<Family>, provenance: Provenance) -> Option<f64> {
    of_class(family, provenance.as_str())
}

/// Returns the measured precision of a class of tests in a language, as [`confidence`] does of edges.
pub fn test_confidence(family: Option<Family>, basis: TestBasis) -> Option<f64> {
    of_class(family, test_class(basis))
}

fn test_class(basis: TestBasis) -> &'static str {
    match basis {
        TestBasis::Graph => "test",
        TestBasis::Path => Provenance::PathHeuristic.as_str(),
        TestBasis::Barrel => "test-barrel",
        TestBasis::NameOccurrence => "test-mention",
    }
}

fn of_class(family: Option<Family>, name: &str) -> Option<f64> {
    table().get(family?.as_str())?.classes.get(name)?.precision
}

#[cfg(test)]
mod tests {
    use super::{confidence, table, test_class, test_confidence};
    use crate::graph::related::TestBasis;
    use crate::model::{Family, Provenance};

    #[test]
    fn the_table_is_that_of_a_measurement() {
        let languages: Vec<&str> = table().keys().map(String::as_str).collect();
        let wanted = ["csharp", "ecmascript", "go", "java", "python", "rust"];
        assert_eq!(languages, wanted);
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
    fn a_class_without_a_sample_has_no_confidence() {
        let families = [
            Family::CSharp,
            Family::Ecmascript,
            Family::Go,
            Family::Java,
            Family::Python,
            Family::Rust,
        ];
        for family in families {
            let measured = &table()[family.as_str()];
            for provenance in Provenance::ALL {
                let known = confidence(Some(family), *provenance);
                assert_eq!(
                    known.is_some(),
                    measured.classes[provenance.as_str()].samples > 0
                );
                assert!(known.is_none_or(|it| (0.0..=1.0).contains(&it)));
            }
            // No measurement of another language stands in.
            assert!(
                family == Family::Ecmascript
                    || test_confidence(Some(family), TestBasis::Barrel).is_none()
            );
        }
        assert_eq!(confidence(None, Provenance::Resolved), None);
    }
}
