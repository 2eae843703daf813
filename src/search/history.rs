//! The history channel: files that past commits touched whose messages speak of the same thing.
//!
//! Where the code's own words answer a question, history only disturbs: how much it counts depends on how much of the
//! question the best chunks leave open.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::query::Query;
use crate::store::text::any_of;
use crate::store::{Read, StoreResult};

/// Commits that are followed to their files, the best first.
const MAX_COMMITS: usize = 40;

/// Moves of one file that are followed.
const MAX_MOVES: usize = 8;

/// Days after which a change is half as recent.
const HALF_RECENT_DAYS: f64 = 30.0;

/// How fast other signals come in with the share of the question that the best chunks leave open.
const OPENING: f64 = 4.0;

/// Returns how strongly history speaks for each file that is there, the best 1; empty while the index does
/// not have all of it.
pub(super) fn files(read: &Read<'_>, query: &Query) -> StoreResult<BTreeMap<String, f64>> {
    if !read.has_history() || query.terms().is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut hits = read.message_hits(&any_of(query.terms().iter().map(String::as_str)))?;
    hits.sort_by(|a, b| b.1.total_cmp(&a.1));
    if let Some(last) = hits.get(MAX_COMMITS - 1) {
        let floor = last.1;
        hits.retain(|(_, score)| *score >= floor);
    }
    let mut paths = Paths::default();
    let mut shares: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (commit, score) in hits {
        let touched = read.touched(commit)?;
        #[allow(clippy::cast_precision_loss, reason = "a commit counts for few files")]
        let share = score.powi(2) / (1.0 + (touched.len() as f64).ln());
        for path in touched {
            if let Some(now) = paths.now(read, path)? {
                shares.entry(now).or_default().push(share);
            }
        }
    }
    let mut found: BTreeMap<String, f64> = shares
        .into_iter()
        .map(|(path, mut shares)| {
            // Rows come in no order, and sums of floating numbers depend on it.
            shares.sort_by(f64::total_cmp);
            (path, shares.iter().sum::<f64>().sqrt())
        })
        .collect();
    let best = found.values().copied().fold(0.0, f64::max);
    for strength in found.values_mut() {
        *strength /= best;
    }
    Ok(found)
}

/// Returns how recent a change is that came so many seconds before the index's commit: 1 on the same day, a half after 30 days.
pub(super) fn recency(age_s: i64) -> f64 {
    let days = u32::try_from(age_s.max(0) / 86_400).unwrap_or(u32::MAX);
    HALF_RECENT_DAYS / (HALF_RECENT_DAYS + f64::from(days))
}

/// Returns how far the best chunks leave a question open to signals other than its words, from 0 to 1. `coverage` is the share of the question that the best
/// chunks hold; whoever gives a name wants its definition.
pub(super) fn open_share(query: &Query, coverage: f64, is_name: impl Fn(&str) -> bool) -> f64 {
    let words = query.content_words();
    let is_look_up = match words.len() {
        0 | 1 => true,
        2 => words
            .iter()
            .any(|word| !word.parts.is_empty() || is_name(&word.norm)),
        _ => false,
    };
    if is_look_up {
        0.0
    } else {
        (OPENING * (1.0 - coverage)).clamp(0.0, 1.0)
    }
}

/// Where files that commits touched are now.
#[derive(Default)]
struct Paths(HashMap<String, Option<String>>);

impl Paths {
    fn now(&mut self, read: &Read<'_>, path: String) -> StoreResult<Option<String>> {
        if let Some(known) = self.0.get(&path) {
            return Ok(known.clone());
        }
        let mut seen = HashSet::new();
        let mut at = Some(path.clone());
        while let Some(place) = &at {
            if read.has_file(place)? {
                break;
            }
            at = if seen.len() < MAX_MOVES && seen.insert(place.clone()) {
                read.moved_to(place)?
            } else {
                None
            };
        }
        self.0.insert(path, at.clone());
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::{open_share, recency};
    use crate::search::parse;

    #[test]
    fn a_change_gets_less_recent_by_days() {
        assert!((recency(86_399) - 1.0).abs() < 1e-9 && (recency(-5) - 1.0).abs() < 1e-9);
        assert!((recency(30 * 86_400) - 0.5).abs() < 1e-9);
        assert!(recency(i64::MAX) > 0.0 && recency(i64::MAX) < 1e-6);
    }

    #[test]
    fn history_is_for_questions_that_the_code_leaves_open() {
        let open_share = |text: &str, coverage| {
            open_share(&parse(text).unwrap(), coverage, |name| name == "mount")
        };
        assert!(open_share("cursor jumps while typing", 0.5) >= 1.0);
        assert!((open_share("cursor jumps while typing", 0.9) - 0.4).abs() < 1e-9);
        assert!(open_share("cursor jumps while typing", 1.0) <= 0.0);
        for name in ["mount", "mount component", "getName twice"] {
            assert!(open_share(name, 0.0) <= 0.0, "{name}");
        }
        assert!(open_share("cursor jumps", 0.0) >= 1.0);
    }
}
