//! The channel of meaning: chunks whose vectors are near the question's.
//!
//! A port: vectors are kept and questions are embedded elsewhere. Where the code's own words answer a question, meaning only
//! disturbs; it counts as far as history does.

use std::collections::HashMap;
use std::fmt::Debug;

use super::filter::ChunkFilter;
use crate::model::ChunkId;

/// Weight of the channel at its most, relative to the best score.
pub(super) const WEIGHT: f64 = 1.0;

/// Chunks that are handed on, the nearest first; all of those with the last one's cosine go with it.
const MAX_NEAREST: usize = 60;

/// The vectors of an index, and that of a question.
pub trait QuestionMeaning: Debug {
    /// Returns the cosine of the angle between the question and each chunk that is allowed, in no order.
    fn cosines(&self, allowed: &dyn Fn(ChunkId) -> bool) -> Vec<(ChunkId, f32)>;
}

/// Returns how strongly the vectors speak for the nearest chunks: from 0 for one that is no nearer than those are on average, to 1 for
/// the nearest.
pub(super) fn strengths(
    meaning: &dyn QuestionMeaning,
    allowed: &ChunkFilter,
) -> HashMap<ChunkId, f64> {
    let mut near = meaning.cosines(&|chunk| allowed.has(chunk));
    near.sort_by(|a, b| b.1.total_cmp(&a.1));
    if let Some((_, last)) = near.get(MAX_NEAREST - 1).copied() {
        near.retain(|(_, cosine)| *cosine >= last);
    }
    #[allow(clippy::cast_precision_loss, reason = "an index has no 2^52 chunks")]
    let mean = near.iter().map(|(_, it)| f64::from(*it)).sum::<f64>() / near.len() as f64;
    let best = near.first().map_or(0.0, |(_, it)| f64::from(*it));
    if best <= mean {
        return HashMap::new();
    }
    let strength = |cosine: f32| ((f64::from(cosine) - mean) / (best - mean)).max(0.0);
    near.into_iter()
        .map(|(chunk, cosine)| (chunk, strength(cosine)))
        .filter(|(_, strength)| *strength > 0.0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{QuestionMeaning, strengths};
    use crate::model::ChunkId;
    use crate::search::filter::ChunkFilter;

    #[derive(Debug)]
    struct Cosines(Vec<f32>);

    impl QuestionMeaning for Cosines {
        fn cosines(&self, allowed: &dyn Fn(ChunkId) -> bool) -> Vec<(ChunkId, f32)> {
            let rows = (1..).map(ChunkId::new).zip(self.0.iter().copied());
            rows.filter(|(chunk, _)| allowed(*chunk)).collect()
        }
    }

    #[test]
    fn the_nearest_are_as_strong_as_they_stand_out() {
        let all = ChunkFilter::all();
        let found = strengths(&Cosines(vec![0.1, 0.5, 0.2]), &all);
        assert_eq!(found.len(), 1);
        assert!((found[&ChunkId::new(2)] - 1.0).abs() < 1e-6, "{found:?}");
        // Many equals are nobody's neighbours.
        assert!(strengths(&Cosines(vec![0.5; 100]), &all).is_empty());
        assert!(strengths(&Cosines(Vec::new()), &all).is_empty());
        let mut many = vec![0.1; 200];
        many[7] = 0.9;
        many[8] = 0.5;
        let found = strengths(&Cosines(many), &all);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[&ChunkId::new(9)] < found[&ChunkId::new(8)]);
    }
}
