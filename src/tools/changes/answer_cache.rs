//! The answers that were given last about two commits, and the differences behind them: neither commit changes, nor does a generation of
//! an index.

use std::sync::Arc;

use super::gather::Gathered;
use super::{ChangesOutput, ChangesQuestion};
use crate::error::Result;
use crate::model::{ContentId, LruCache, RepoPath};
use crate::tools::answer::FreshnessFields;
use crate::workspace::{Comparison, View};

/// Answers that are kept; one takes some 20 kB.
const MAX_ANSWERS: usize = 16;

/// Differences with their broken uses that are kept: other parts, pages and sizes of an answer are made from them.
const MAX_GATHERED: usize = 4;

/// By all that decides about an answer.
static ANSWERS: LruCache<ContentId, ChangesOutput> = LruCache::new(MAX_ANSWERS);

/// By the commits, the index and the paths.
static GATHERED: LruCache<ContentId, Arc<Gathered>> = LruCache::new(MAX_GATHERED);

/// The places of an answer and of what it is made from, among those that are kept.
pub(super) struct AnswerKey {
    /// `None` where other branches are compared, which may move.
    answer: Option<ContentId>,
    gathered: ContentId,
}

impl AnswerKey {
    /// Returns the key of a question; `None` where its answer may change: a work tree is one of its states, or the index does not have
    /// all of the commit that is in this clone.
    pub(super) fn of(view: &View<'_>, asked: &ChangesQuestion<'_>) -> Option<Self> {
        let comparison = asked.comparison;
        if !view.freshness.is_settled() || comparison.head.is_work_tree {
            return None;
        }
        let sides = [&comparison.base, &comparison.head];
        let commits = sides.map(|side| side.commit.as_ref().map(ToString::to_string));
        let generation = view.read.meta().generation;
        let has_proved_base = asked.base.is_some_and(|base| base.is_proved);
        // Of a partial clone more may be there later.
        let n_texts = comparison.versions().filter(|it| it.text.is_some()).count();
        let index = (view.build, generation, has_proved_base, n_texts);
        let paths: Vec<&str> = asked.paths.iter().map(RepoPath::as_str).collect();
        let found = serde_json::to_string(&(paths, commits, index)).ok()?;
        // The answer has the names of its sides, too: a name that nobody gave may be another one of the same commit.
        let answer = (&asked.input, sides.map(|side| &side.name), &found);
        let answer = serde_json::to_vec(&answer).ok()?;
        let has_others = !asked.input.with.is_empty();
        Some(Self {
            answer: (!has_others).then(|| ContentId::of(&answer)),
            gathered: ContentId::of(found.as_bytes()),
        })
    }

    /// Returns the answer from before, with what this call knows of its freshness.
    pub(super) fn answer(&self, view: &View<'_>) -> Option<ChangesOutput> {
        let known = ANSWERS.get(self.answer.as_ref()?)?;
        Some(ChangesOutput {
            freshness_fields: FreshnessFields::of(view),
            ..known
        })
    }

    /// Keeps an answer that nothing more can be said to.
    pub(super) fn keep(self, answer: &ChangesOutput) {
        let is_final = answer.freshness_fields.freshness != "unknown" && answer.pending.is_empty();
        if let Some(key) = self.answer.filter(|_| is_final) {
            ANSWERS.insert(key, answer.clone());
        }
    }

    /// Returns the difference behind an answer about the same commits and paths, or finds it.
    pub(super) fn gathered(
        &self,
        comparison: &Comparison,
        find: impl FnOnce() -> Result<Gathered>,
    ) -> Result<Arc<Gathered>> {
        if let Some(known) = GATHERED.get(&self.gathered) {
            return Ok(known);
        }
        let found = Arc::new(find()?);
        if comparison.is_small() && found.pending.is_empty() {
            GATHERED.insert(self.gathered, Arc::clone(&found));
        }
        Ok(found)
    }
}
