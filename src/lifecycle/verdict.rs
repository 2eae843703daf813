//! Whether a saved record still holds on the work tree: computed from its items when it is read, and never stored.
//!
//! Content decides. Where the record was made, and when, only adds signals and warnings.

use super::anchor::AnchorState;

/// Whether a record still holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// All of its code is as it was.
    Holds,
    /// Some of its code has changed.
    Check,
    /// Some of its code is gone, most of it has changed, or another record came in its place.
    Stale,
    /// It is about no code in particular.
    Unanchored,
}

impl Verdict {
    /// Returns the word used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Check => "check",
            Self::Stale => "stale",
            Self::Unanchored => "unanchored",
        }
    }

    /// Judges a record by the states of its items. Of several items, a record is stale where more than half changed; one that has a single
    /// item is to be checked where that changed.
    pub fn of(states: &[AnchorState], is_superseded: bool) -> Self {
        let n_of = |wanted| states.iter().filter(|state| **state == wanted).count();
        let n_changed = n_of(AnchorState::Changed);
        let most_changed = n_changed > 1 && 2 * n_changed > states.len();
        if is_superseded || n_of(AnchorState::Missing) > 0 || most_changed {
            Self::Stale
        } else if n_changed > 0 {
            Self::Check
        } else if states.is_empty() {
            Self::Unanchored
        } else {
            Self::Holds
        }
    }
}

/// Where the commit that a record was made on stands to the one that is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadRelation {
    /// It is the same.
    Same,
    /// It lies so many commits back; `None` where that was not counted to the end.
    Ancestor(Option<usize>),
    /// It lies ahead.
    Descendant,
    /// Both have commits that the other has not.
    Diverged,
    /// This clone does not have it.
    Gone,
    /// There was no commit, or there is none.
    Unborn,
}

/// How a test stands behind a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verification {
    /// No test is named, or none that passed.
    None,
    /// Its author says that the test passed.
    Claimed,
    /// A run that passed was seen, and the code is still the same.
    Verified,
    /// A run that passed was seen, and the code has changed since.
    Changed,
    /// The last run that was seen failed.
    Failed,
}

impl Verification {
    /// Returns the words used in answers; `commit` is the one that was checked out when it ran.
    pub fn words(self, commit: Option<&str>) -> String {
        match self {
            Self::None => "none".to_owned(),
            Self::Claimed => "claimed".to_owned(),
            Self::Verified => "verified".to_owned(),
            Self::Failed => "failed".to_owned(),
            Self::Changed => {
                let commit = commit.map_or("no commit", |sha| &sha[..sha.len().min(12)]);
                format!("verified on {commit}, changed since")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict;
    use crate::lifecycle::anchor::AnchorState::{Changed, Missing, Moved, Same};

    #[test]
    fn verdicts_follow_the_states_of_items() {
        for (states, wanted) in [
            (&[][..], Verdict::Unanchored),
            (&[Same], Verdict::Holds),
            (&[Same, Moved], Verdict::Holds),
            (&[Changed], Verdict::Check),
            (&[Same, Changed], Verdict::Check),
            (&[Changed, Changed], Verdict::Stale),
            (&[Same, Changed, Changed], Verdict::Stale),
            (&[Missing], Verdict::Stale),
            (&[Same, Same, Missing], Verdict::Stale),
        ] {
            assert_eq!(Verdict::of(states, false), wanted, "{states:?}");
            assert_eq!(Verdict::of(states, true), Verdict::Stale);
        }
    }
}
