//! The order that a model gives to the best results of a question.
//!
//! It has a deadline of its own; where it fails the order of the search stands.

use std::sync::Arc;
use std::time::Duration;

use super::View;
use crate::embed::ModelFault;
use crate::remote::Deadline;

/// How long a question without a limit of its own waits at most.
const PATIENCE: Duration = Duration::from_secs(5);

/// The outcome of asking a model for the order of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RerankOutcome {
    /// The places of the results, the best first.
    Used(Arc<Vec<usize>>),
    /// There is none, for a reason in one word.
    Failed(&'static str),
}

impl View<'_> {
    /// Returns how many of the best results a model sees, and how many characters of each; `None` where the user configured none.
    pub fn rerank_bounds(&self) -> Option<(usize, usize)> {
        let settings = &self.workspace.models.settings.rerank;
        let is_on = settings.is_on && settings.top > 1;
        is_on.then_some((settings.top, settings.max_chars))
    }

    /// Asks a model for the order of some texts by their relevance to a question; `None` where the user configured none, and for fewer than
    /// two texts. A server remembers the last 64 orders.
    pub fn rerank(&self, question: &str, texts: &[String]) -> Option<RerankOutcome> {
        let models = &self.workspace.models;
        let reranker = match models.reranker() {
            Ok(None) => return None,
            Ok(Some(_)) if texts.len() < 2 => return None,
            Ok(Some(reranker)) => reranker,
            Err(fault) => return Some(failed(&fault)),
        };
        let mut hasher = blake3::Hasher::new();
        for text in std::iter::once(question).chain(texts.iter().map(String::as_str)) {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        let key: [u8; 32] = hasher.finalize().into();
        if let Some(known) = models.orders.get(&key) {
            return Some(RerankOutcome::Used(known));
        }
        let left = self.budget.remaining().map_or(PATIENCE, |left| left / 2);
        let most = models.settings.rerank.server.timeout();
        let deadline = Deadline::new(Some(left.min(most)), self.budget.interrupt());
        Some(match reranker.order(question, texts, &deadline) {
            Ok(order) => {
                let order = Arc::new(order);
                models.orders.insert(key, Arc::clone(&order));
                RerankOutcome::Used(order)
            }
            Err(fault) => failed(&fault),
        })
    }
}

fn failed(fault: &ModelFault) -> RerankOutcome {
    tracing::info!(%fault, "results stay in the order of the search");
    RerankOutcome::Failed(match fault.word() {
        "timeout" => "timeout",
        _ => "failed",
    })
}
