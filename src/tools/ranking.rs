//! Models in the order of results: which of them a search rested on, and why not.

use serde::Serialize;

use crate::model::Sources as _;
use crate::search::{Hit, MatchReason, Query, snippet};
use crate::workspace::{MeaningState, RerankOutcome, View};

/// The least difference of two weights that a cursor sees.
const STEP: f64 = 1e-4;

/// Models that the user configured for search, and whether they counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RankingOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) vector: Option<VectorRankingOutput>,
    /// used, timeout, failed: of the model that puts the best results in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rerank: Option<&'static str>,
}

/// The channel of meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct VectorRankingOutput {
    /// `whole`: every piece of code has a vector; `partial` without `counts`, and `off`: the channel did not count.
    pub(crate) state: &'static str,
    /// Pieces of code with a vector, of how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) have: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) of: Option<u64>,
    /// Whether meaning counted for the pieces that have one (`search.partial_vectors`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) counts: bool,
    /// weight, settings, timeout, busy, failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<&'static str>,
}

impl RankingOutput {
    /// Returns the account of a search; `None` where no model is configured.
    pub(super) fn of(meaning: Option<MeaningState>, rerank: Option<&'static str>) -> Option<Self> {
        let vector = meaning.map(|meaning| match meaning {
            MeaningState::Whole => VectorRankingOutput {
                state: "whole",
                ..VectorRankingOutput::default()
            },
            MeaningState::Partial { have, of, counts } => VectorRankingOutput {
                state: "partial",
                have: Some(have),
                of: Some(of),
                counts,
                why: None,
            },
            MeaningState::Off(why) => VectorRankingOutput {
                state: "off",
                why: Some(why),
                ..VectorRankingOutput::default()
            },
        });
        (vector.is_some() || rerank.is_some()).then_some(Self { vector, rerank })
    }
}

/// Puts the best hits in the order of a model, where the user configured one that answers in time. Returns its word for the answer.
pub(super) fn rerank(view: &View<'_>, query: &Query, hits: &mut [Hit]) -> Option<&'static str> {
    let (top, max_chars) = view.rerank_bounds()?;
    let texts: Vec<String> = hits
        .iter()
        .take(top)
        .map(|hit| {
            let chunk = &hit.chunk;
            let source = view.read(&chunk.path, chunk.content).unwrap_or_default();
            let text = snippet::passage(chunk, &source, query, max_chars);
            format!("{}\n{text}", chunk.path)
        })
        .collect();
    Some(match view.rerank(query.text(), &texts)? {
        RerankOutcome::Failed(why) => why,
        RerankOutcome::Used(order) => {
            reorder(hits, &order);
            "used"
        }
    })
}

/// Puts the first of some hits in the order that a model gives them: `order` holds their places, the best first. Hits of an exact name stay
/// where they are, and no hit leaves its tier: those that hold the question as it stands go before the others. Weights move along, so that they fall
/// as before and every page continues the one before.
fn reorder(hits: &mut [Hit], order: &[usize]) {
    let n = order.len().min(hits.len());
    let tail = hits.get(n).map(|hit| hit.sort_key);
    let (best, _) = hits.split_at_mut(n);
    let weights: Vec<f64> = best.iter().map(|hit| hit.sort_key).collect();
    let is_fixed = |hit: &Hit| hit.reasons.has(MatchReason::Exact);
    let before = best.to_vec();
    let mut from = 0;
    while from < n {
        let tier = before[from].tier;
        let to = from
            + before[from..]
                .iter()
                .take_while(|it| it.tier == tier)
                .count();
        let free = (from..to).filter(|at| !is_fixed(&before[*at]));
        let wanted = order.iter().copied();
        let wanted = wanted.filter(|at| (from..to).contains(at) && !is_fixed(&before[*at]));
        for (place, source) in free.zip(wanted) {
            best[place] = before[source].clone();
        }
        from = to;
    }
    let mut least = tail.map_or(0.0, |weight| weight + STEP);
    for (hit, weight) in best.iter_mut().zip(weights).rev() {
        hit.sort_key = weight.max(least);
        least = hit.sort_key + STEP;
    }
}
