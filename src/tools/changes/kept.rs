//! The answers that were given last about two commits: neither changes, nor does a generation of an index.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::{ChangesOutput, ChangesQuestion};
use crate::model::ContentId;
use crate::tools::answer::FreshnessFields;
use crate::workspace::View;

/// Answers that are kept; one takes some 20 kB.
const MAX_KEPT: usize = 16;

/// By all that decides about an answer, the latest last.
static KEPT: Mutex<VecDeque<(ContentId, ChangesOutput)>> = Mutex::new(VecDeque::new());

/// The place of an answer among those that are kept.
pub(super) struct AnswerKey(ContentId);

impl AnswerKey {
    /// Returns the key of a question; `None` where its answer may change: a work tree is one of its states, or the index is
    /// not all of the commit.
    pub(super) fn of(view: &View<'_>, asked: &ChangesQuestion<'_>) -> Option<Self> {
        let comparison = asked.comparison;
        let is_fixed = view.freshness.as_str() == "fresh"
            && !comparison.head.is_work_tree
            && asked.input.with.is_empty();
        let sides = [&comparison.base, &comparison.head];
        let commits = sides.map(|side| side.commit.as_ref().map(ToString::to_string));
        let generation = view.read.meta().generation;
        let all = (&asked.input, commits, view.build, generation);
        let text = serde_json::to_vec(&all).ok().filter(|_| is_fixed)?;
        Some(Self(ContentId::of(&text)))
    }

    /// Returns the answer from before, with what this call knows of its freshness.
    pub(super) fn answer(&self, view: &View<'_>) -> Option<ChangesOutput> {
        let all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, known) = all.iter().find(|(key, _)| *key == self.0)?;
        Some(ChangesOutput {
            freshness_fields: FreshnessFields::of(view),
            ..known.clone()
        })
    }

    /// Keeps an answer that nothing more can be said to.
    pub(super) fn keep(&self, answer: &ChangesOutput) {
        if answer.freshness_fields.freshness != "fresh" || !answer.pending.is_empty() {
            return;
        }
        let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(key, _)| *key != self.0);
        all.push_back((self.0, answer.clone()));
        while all.len() > MAX_KEPT {
            all.pop_front();
        }
    }
}
