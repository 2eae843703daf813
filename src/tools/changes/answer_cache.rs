//! The answers that were given last about two commits: neither changes, nor does a generation of an index.

use super::{ChangesOutput, ChangesQuestion};
use crate::model::{ContentId, LruCache};
use crate::tools::answer::FreshnessFields;
use crate::workspace::View;

/// Answers that are kept; one takes some 20 kB.
const MAX_VALUES: usize = 16;

/// By all that decides about an answer.
static CACHE: LruCache<ContentId, ChangesOutput> = LruCache::new(MAX_VALUES);

/// The place of an answer among those that are kept.
pub(super) struct AnswerKey(ContentId);

impl AnswerKey {
    /// Returns the key of a question; `None` where its answer may change: a work tree is one of its states, or the index does not have
    /// all of the commit that is in this clone.
    pub(super) fn of(view: &View<'_>, asked: &ChangesQuestion<'_>) -> Option<Self> {
        let comparison = asked.comparison;
        let is_fixed = view.freshness.is_settled()
            && !comparison.head.is_work_tree
            && asked.input.with.is_empty();
        let sides = [&comparison.base, &comparison.head];
        // The answer has their names, too: a name that nobody gave may be another one of the same commit.
        let sides = sides.map(|side| (&side.name, side.commit.as_ref().map(ToString::to_string)));
        let generation = view.read.meta().generation;
        // Of a partial clone more may be there later.
        let n_texts: usize = comparison
            .files
            .iter()
            .flat_map(|file| [&file.old, &file.new])
            .filter(|version| version.as_ref().is_some_and(|it| it.text.is_some()))
            .count();
        let all = (&asked.input, sides, view.build, generation, n_texts);
        let text = serde_json::to_vec(&all).ok().filter(|_| is_fixed)?;
        Some(Self(ContentId::of(&text)))
    }

    /// Returns the answer from before, with what this call knows of its freshness.
    pub(super) fn answer(&self, view: &View<'_>) -> Option<ChangesOutput> {
        let known = CACHE.get(&self.0)?;
        Some(ChangesOutput {
            freshness_fields: FreshnessFields::of(view),
            ..known
        })
    }

    /// Keeps an answer that nothing more can be said to.
    pub(super) fn keep(self, answer: &ChangesOutput) {
        if answer.freshness_fields.freshness == "unknown" || !answer.pending.is_empty() {
            return;
        }
        CACHE.insert(self.0, answer.clone());
    }
}
