//! The meaning of a question: its vector, and those of the index that is asked.
//!
//! Whole or off: while a chunk of the index has no vector the channel is off, so that answers don't change while vectors
//! come in, unless the user wants those that there are to count (`search.partial_vectors`). A question never waits for a model beyond half of the time that it has left.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::vectors::{model_of, words_of};
use super::{View, Workspace, now_ms};
use crate::config::EmbedProvider;
use crate::embed::{Embedded, ModelFault};
use crate::error::Result;
use crate::model::{ChunkId, QuantizedVector};
use crate::remote::Deadline;
use crate::search::QuestionMeaning;
use crate::store::{VectorStore, VectorTable};

/// How long a question without a limit of its own waits for a model.
const PATIENCE: Duration = Duration::from_secs(5);

/// The build and generation of an index, the revision of its vectors, and their model.
pub(super) type TableKey = (String, u64, i64, i64);

/// A family, the revision of its vectors, and a question.
pub(super) type QuestionKey = (String, i64, String);

/// The vectors of an index, and the question's.
#[derive(Debug)]
pub struct AskedMeaning {
    table: Arc<VectorTable>,
    question: QuantizedVector,
}

impl QuestionMeaning for AskedMeaning {
    fn cosines(&self, allowed: &dyn Fn(ChunkId) -> bool) -> Vec<(ChunkId, f32)> {
        self.table.cosines(&self.question, allowed)
    }
}

/// The state of the channel of meaning in one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeaningState {
    /// Every chunk of the index has a vector, and the question has one.
    Whole,
    /// Some chunks have a vector and others none.
    Partial {
        /// Chunks that have one.
        have: u64,
        /// Chunks that should.
        of: u64,
        /// Whether meaning counted for those that have one; else the channel is off.
        counts: bool,
    },
    /// The channel is off, for a reason in one word.
    Off(&'static str),
}

impl View<'_> {
    /// Returns the meaning of a question and the state of that channel; `None` for the state where the user configured no model. With a
    /// weight of 0 a model is asked only for an answer that explains its ranking. Vectors that can't be read turn the channel off.
    pub fn meaning(
        &self,
        text: &str,
        is_explained: bool,
    ) -> (Option<AskedMeaning>, Option<MeaningState>) {
        let settings = &self.workspace.models.settings.embed;
        if settings.provider == EmbedProvider::Off {
            return (None, None);
        }
        if settings.weight == 0 && !is_explained {
            return (None, Some(MeaningState::Off("weight")));
        }
        let (meaning, state) = self.asked_meaning(text).unwrap_or_else(|error| {
            tracing::info!(%error, "search goes without meaning");
            (None, MeaningState::Off("failed"))
        });
        (meaning, Some(state))
    }

    fn asked_meaning(&self, text: &str) -> Result<(Option<AskedMeaning>, MeaningState)> {
        let off = |why| Ok((None, MeaningState::Off(why)));
        let models = &self.workspace.models;
        let embedder = match models.embedder() {
            Ok(Some(embedder)) => embedder,
            Ok(None) => return off("settings"),
            Err(fault) => return off(said(&fault)),
        };
        let clone_family = self.workspace.vectors_name(self.repo);
        let home = &self.workspace.home;
        let store = if embedder.is_local() {
            Some(VectorStore::open(home, &clone_family, now_ms())?)
        } else {
            VectorStore::open_existing(home, &clone_family)
        };
        let Some(mut store) = store else {
            return self.none_yet();
        };
        let until = Instant::now() + self.patience();
        let mut may_embed = embedder.is_local();
        if !may_embed && store.models()?.is_empty() {
            return self.none_yet();
        }
        let text = if may_embed {
            words_of(text)
        } else {
            text.to_owned()
        };
        let mut known =
            models
                .questions
                .get(&(clone_family.clone(), store.revision()?, text.clone()));
        loop {
            let was_known = known.is_some();
            let embedded = match known.take() {
                Some(embedded) => embedded,
                None => match embedder.embed_one(&text, &self.model_deadline()) {
                    Ok(embedded) => {
                        // Where another model answers now, vectors of earlier questions are void.
                        let is_same = |known: &Arc<Embedded>| known.model.is_same(&embedded.model);
                        models.questions.retain(is_same);
                        Arc::new(embedded)
                    }
                    Err(fault) => return off(said(&fault)),
                },
            };
            let table = match model_of(&store.models()?, &embedded.model) {
                Some(model) => Some(self.workspace.vector_table(self, &store, model.id)?),
                None => None,
            };
            match table {
                Some(table) if table.is_whole() => {
                    let key = (clone_family, store.revision()?, text);
                    models.questions.insert(key, Arc::clone(&embedded));
                    return Ok((meaning_of(table, &embedded), MeaningState::Whole));
                }
                // A vector that was kept may be of a model that was there before.
                _ if was_known => {}
                _ if may_embed => {
                    may_embed = false;
                    self.workspace
                        .embed_here(self, &mut store, &embedded.model, until)?;
                }
                Some(table) => {
                    let (have, of) = table.counts();
                    let takes_partial = models.settings.embed.takes_partial && have > 0;
                    let meaning = takes_partial
                        .then(|| meaning_of(table, &embedded))
                        .flatten();
                    let state = self.partial(have, of, meaning.is_some());
                    return Ok((meaning, state));
                }
                None => return self.none_yet(),
            }
        }
    }

    /// Returns the state of an index of which no chunk has a vector of the model.
    fn none_yet(&self) -> Result<(Option<AskedMeaning>, MeaningState)> {
        let of = self.read.chunks_with_digest()?.len();
        Ok((None, self.partial(0, of, false)))
    }

    /// Returns the state of an index that lacks vectors, which a server makes after the answer.
    fn partial(&self, have: usize, of: usize, counts: bool) -> MeaningState {
        self.workspace.lacks_vectors(self.revision);
        let (have, of) = (have as u64, of as u64);
        MeaningState::Partial { have, of, counts }
    }

    /// Returns when a request of this question is given up.
    fn model_deadline(&self) -> Deadline {
        let most = self.workspace.models.settings.embed.server.timeout();
        Deadline::new(Some(self.patience().min(most)), self.budget.interrupt())
    }

    /// Returns how long this question may wait for models from now on.
    fn patience(&self) -> Duration {
        self.budget.remaining().map_or(PATIENCE, |left| left / 2)
    }
}

impl Workspace {
    /// Loads the vectors of an index. A server keeps those of the last one.
    fn vector_table(
        &self,
        view: &View<'_>,
        store: &VectorStore,
        model: i64,
    ) -> Result<Arc<VectorTable>> {
        let generation = view.read.meta().generation;
        let key = (view.build.to_owned(), generation, store.revision()?, model);
        if let Some(known) = self.vector_tables.get(&key) {
            return Ok(known);
        }
        let table = Arc::new(store.table(model, view.read)?);
        if self.is_server {
            self.vector_tables.insert(key, Arc::clone(&table));
        }
        Ok(table)
    }
}

fn meaning_of(table: Arc<VectorTable>, embedded: &Embedded) -> Option<AskedMeaning> {
    let question = embedded.vectors.first()?.clone();
    Some(AskedMeaning { table, question })
}

fn said(fault: &ModelFault) -> &'static str {
    tracing::info!(%fault, "search goes without meaning");
    fault.word()
}
