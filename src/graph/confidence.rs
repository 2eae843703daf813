//! The measured precision of each class of edges: what an answer calls its confidence.
//!
//! The figures stand in `confidence.json`, which `scripts/confidence.py` writes from a measurement against the
//! TypeScript compiler; nothing here is set by hand.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::related::TestBasis;
use crate::model::Provenance;

/// The table of all classes.
#[derive(Debug, Deserialize)]
pub struct Table {
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
    /// The share of answers that the compiler agrees with, from 0 to 1; `None` where none was met.
    pub precision: Option<f64>,
    /// How many answers were judged.
    pub samples: u64,
    /// The judge of the answers, e.g. the TypeScript compiler.
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

/// Returns the measured precision of a class of edges, from 0 to 1. A class that no corpus has is as good
/// as the worst of the others.
pub fn confidence(provenance: Provenance) -> f64 {
    let others = Provenance::ALL.iter().map(|other| other.as_str());
    of_class(provenance.as_str(), others)
}

/// Returns the measured precision of a class of tests, from 0 to 1, as [`confidence`] does for edges.
pub fn test_confidence(basis: TestBasis) -> f64 {
    let others = TestBasis::ALL.iter().map(|other| test_class(*other));
    of_class(test_class(basis), others)
}

fn test_class(basis: TestBasis) -> &'static str {
    match basis {
        TestBasis::Graph => "test",
        TestBasis::Path => Provenance::PathHeuristic.as_str(),
        TestBasis::Barrel => "test-barrel",
        TestBasis::Mention => "test-mention",
    }
}

fn of_class(name: &str, others: impl Iterator<Item = &'static str>) -> f64 {
    let precision = |name: &str| table().classes.get(name)?.precision;
    precision(name).unwrap_or_else(|| others.filter_map(precision).fold(1.0, f64::min))
}

#[cfg(test)]
mod tests {
    use super::{confidence, table, test_class};
    use crate::graph::related::TestBasis;
    use crate::model::Provenance;

    #[test]
    fn the_table_is_that_of_a_measurement() {
        for provenance in Provenance::ALL {
            let class = &table().classes[provenance.as_str()];
            assert_eq!(class.samples > 0, class.precision.is_some());
            let found = confidence(*provenance);
            assert!(found > 0.0 && found <= 1.0, "{provenance:?}: {found}");
        }
        for basis in TestBasis::ALL {
            assert!(table().classes.contains_key(test_class(basis)), "{basis:?}");
        }
        assert!(!table().corpora.is_empty());
        assert!(
            table()
                .corpora
                .iter()
                .all(|corpus| corpus.commit.len() == 40)
        );
    }
}
