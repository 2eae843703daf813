//! Traversal of the edge graph: who uses a definition, what it uses, and how far a change reaches.
//!
//! Pure over store reads. Refuses to know how an edge was bound and how an answer is shown.

pub mod impact;
pub mod related;

use crate::model::Provenance;

/// The measured precision of a class of edges: what an answer calls its confidence. The figures are those
/// of the open corpus (vuejs/core and expressjs/express, callers by symbol, against the TypeScript compiler).
pub fn confidence(provenance: Provenance) -> f64 {
    match provenance {
        Provenance::Resolved => 0.99,
        Provenance::Member => 0.97,
        Provenance::Name => 0.6,
        Provenance::PathHeuristic => 0.5,
    }
}
