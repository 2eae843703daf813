//! Models in the order of results: which of them a search rested on, and why not.

use serde::Serialize;

use crate::workspace::MeaningState;

/// Models that the user configured for search, and whether they counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RankingOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    vector: Option<VectorRankingOutput>,
}

/// The channel of meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct VectorRankingOutput {
    /// `whole`: every piece of code has a vector; `partial` and `off`: the channel did not count.
    state: &'static str,
    /// Pieces of code with a vector, of how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    have: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<u64>,
    /// weight, settings, timeout, busy, failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

impl RankingOutput {
    /// Returns the account of a search; `None` where no model is configured.
    pub(super) fn of(meaning: Option<MeaningState>) -> Option<Self> {
        let (state, have, of, why) = match meaning? {
            MeaningState::Whole => ("whole", None, None, None),
            MeaningState::Partial { have, of } => ("partial", Some(have), Some(of), None),
            MeaningState::Off(why) => ("off", None, None, Some(why)),
        };
        Some(Self {
            vector: Some(VectorRankingOutput {
                state,
                have,
                of,
                why,
            }),
        })
    }
}
