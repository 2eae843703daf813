//! Vectors of the chunks of an index: which are missing, and how they are made.
//!
//! The list of texts to embed is never kept: it is the difference between the chunks of the index and the vectors there are, so a
//! build that was killed goes on where it was.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::meaning::QuestionKey;
use super::run_history::RunRecorder;
use super::{Question, Revision, View, Workspace, now_ms, unused_vectors};
use crate::config::{EmbedProvider, ModelSettings};
use crate::embed::{Embedded, Embedder, ModelFault, ModelIdentity, Reranker};
use crate::error::{Code, Error, Result};
use crate::git::Repo;
use crate::model::hash::HashSet;
use crate::model::{LruCache, QuantizedVector, Sources as _};
use crate::reconcile::OnProgress;
use crate::remote::{Deadline, ServerFault};
use crate::store::token;
use crate::store::vectors as files;
use crate::store::{ChunkRow, NewVector, VectorModel, VectorStore};

/// The most texts that are read before they are embedded.
const ROUND: usize = 2_000;

/// The texts that are read at once while a question waits.
const STEP: usize = 256;

/// The most bytes of a text; a model of 512 tokens reads about as many.
const MAX_PASSAGE_BYTES: usize = 2_000;

/// The most bytes of the words of a text.
const MAX_WORDS_BYTES: usize = 4_000;

/// Pauses after failures that may pass; after the first one there is one request at a time.
const PAUSES: [Duration; 4] = [
    Duration::from_secs(5),
    Duration::from_secs(10),
    Duration::from_secs(30),
    Duration::from_mins(1),
];

/// Questions whose vectors, and results whose orders, are kept.
const MAX_QUESTIONS: usize = 64;

/// How often a wish to stop is looked for in a pause.
const TICK: Duration = Duration::from_millis(50);

/// The models of the settings, opened when they are first needed.
pub(super) struct Models {
    pub(super) settings: ModelSettings,
    embedder: OnceLock<std::result::Result<Option<Embedder>, ModelFault>>,
    /// Vectors of the last questions.
    pub(super) questions: LruCache<QuestionKey, Arc<Embedded>>,
    reranker: OnceLock<std::result::Result<Option<Reranker>, ModelFault>>,
    /// Orders of the last results, by the digest of the question and their texts.
    pub(super) orders: LruCache<[u8; 32], Arc<Vec<usize>>>,
}

impl Models {
    pub(super) fn new(settings: ModelSettings) -> Self {
        Self {
            settings,
            embedder: OnceLock::new(),
            questions: LruCache::new(MAX_QUESTIONS),
            reranker: OnceLock::new(),
            orders: LruCache::new(MAX_QUESTIONS),
        }
    }

    /// Returns the model that puts results in order; `None` where the settings name none.
    pub(super) fn reranker(&self) -> std::result::Result<Option<&Reranker>, ModelFault> {
        let opened = self
            .reranker
            .get_or_init(|| Reranker::open(&self.settings.rerank));
        match opened {
            Ok(reranker) => Ok(reranker.as_ref()),
            Err(fault) => Err(fault.clone()),
        }
    }

    /// Returns the model that turns text into vectors; `None` where the settings name none.
    pub(super) fn embedder(&self) -> std::result::Result<Option<&Embedder>, ModelFault> {
        let opened = self
            .embedder
            .get_or_init(|| Embedder::open(&self.settings.embed));
        match opened {
            Ok(embedder) => Ok(embedder.as_ref()),
            Err(fault) => Err(fault.clone()),
        }
    }
}

/// The state of an index's vectors.
#[derive(Clone, Debug)]
pub struct VectorStatus {
    /// The kind of the model.
    pub provider: EmbedProvider,
    /// The model's name.
    pub model: String,
    /// Where texts go, where that is a server that may be asked.
    pub address: Option<String>,
    /// How much meaning counts, in thousandths.
    pub weight: u32,
    /// Chunks of the index that have a vector of the model as it is now, and those that should.
    pub counts: Option<(u64, u64)>,
    /// Every model that the family has vectors of: its name, how many, and whether it is the one in use.
    pub stored: Vec<(String, u64, bool)>,
    /// How many of them are of text that no index of the family holds any more; `None` where that cannot be told.
    pub n_unused: Option<u64>,
    /// The bytes that the vectors of the family take.
    pub bytes: u64,
    /// Why the model can't be used now.
    pub fault: Option<String>,
}

/// The vectors of the work tree, by what is stored: no model is asked.
#[derive(Clone, Debug)]
pub struct StoredVectors {
    /// The model's name.
    pub model: String,
    /// Chunks of the index that have a vector, and those that should. Counted are vectors of the model that the settings name, as it was when a
    /// vector was last made of it.
    pub counts: (u64, u64),
    /// The bytes that the vectors of the family take.
    pub bytes: u64,
}

/// The result of a build of vectors.
#[derive(Clone, Debug)]
pub struct VectorsBuilt {
    /// Texts that were embedded by this call.
    pub n_embedded: u64,
    /// Chunks of the index that have a vector, and those that should.
    pub counts: (u64, u64),
}

/// Work that answers left to do about vectors, and whether a thread does it.
#[derive(Debug, Default)]
pub(super) struct EmbedQueue {
    waiting: Vec<EmbedJob>,
    is_running: bool,
}

/// Chunks without a vector that are to get one.
#[derive(Debug)]
struct EmbedJob {
    /// The commit whose chunks they are; `None` for the work tree.
    revision: Option<Revision>,
}

/// A chunk's text that has no vector yet.
struct Passage {
    digest: i64,
    text: String,
}

/// Texts without a vector.
struct MissingVectors {
    /// The first of them that can be read.
    passages: Vec<Passage>,
    /// Chunks that have a vector, and those that should.
    counts: (u64, u64),
}

impl Workspace {
    /// Returns the name of the file of vectors: all clones of a repository share one.
    pub(super) fn vectors_name(&self, repo: &Repo) -> String {
        let id = repo.repo_id();
        let owner = self.home.repo(&id).owner();
        owner.and_then(|owner| owner.clone_family).unwrap_or(id)
    }

    /// Returns the state of the vectors of the work tree, or of a commit. The model is asked once, to tell which one it is.
    ///
    /// # Errors
    /// For a repository that can't be read.
    pub fn vector_status(
        self: &Arc<Self>,
        revision: Option<&Revision>,
        interrupt: &Arc<AtomicBool>,
    ) -> Result<VectorStatus> {
        let settings = &self.models.settings.embed;
        let clone_family = self.vectors_name(&self.repo()?);
        let mut status = VectorStatus {
            provider: settings.provider,
            model: settings.server.model.clone(),
            address: None,
            weight: settings.weight,
            counts: None,
            stored: Vec::new(),
            n_unused: None,
            bytes: files::bytes(&self.home, &clone_family),
            fault: None,
        };
        let store = VectorStore::open_existing(&self.home, &clone_family);
        let models = store.as_ref().map(VectorStore::models).transpose()?;
        let models = models.unwrap_or_default();
        let found = self.models.embedder().and_then(|embedder| {
            let Some(embedder) = embedder else {
                return Ok(None);
            };
            status.address = embedder.address();
            let asked = embedder.embed_one("vector", &self.model_deadline(interrupt))?;
            Ok(Some(asked.model))
        });
        let identity = found.unwrap_or_else(|fault| {
            status.fault = Some(fault.to_string());
            None
        });
        let current = identity.and_then(|identity| model_of(&models, &identity));
        let known = match (&store, current) {
            (Some(store), Some(model)) => store.digests(model.id)?,
            _ => HashSet::default(),
        };
        if settings.provider != EmbedProvider::Off && status.fault.is_none() {
            let question = Question {
                revision,
                ..Question::from(interrupt)
            };
            let missing = self.query(question, |view| missing(view, &known, 0, false))?;
            status.counts = Some(missing.counts);
        }
        let is_current = |model: &VectorModel| current.is_some_and(|it| it.id == model.id);
        if let Some(store) = &store {
            status.n_unused = self.n_unused(&clone_family, store)?;
        }
        status.stored = models
            .iter()
            .filter(|model| model.n_vectors > 0)
            .map(|model| (model.name.clone(), model.n_vectors, is_current(model)))
            .collect();
        Ok(status)
    }

    /// Returns how many vectors are of text that no index of the family holds any more; `None` where that cannot be told.
    pub(super) fn n_unused(&self, clone_family: &str, store: &VectorStore) -> Result<Option<u64>> {
        let unused = unused_vectors::digests(&self.home, clone_family, store, &|_| false)?;
        let counted = unused.map(|unused| store.count_of(&unused));
        Ok(counted.transpose()?)
    }

    /// Returns the vectors of the work tree, as they are stored; `None` where the user configured no model, or there is no index. Asks no
    /// model and makes nothing.
    ///
    /// # Errors
    /// For a repository that can't be read.
    pub fn stored_vectors(&self) -> Result<Option<StoredVectors>> {
        let settings = &self.models.settings.embed;
        if settings.provider == EmbedProvider::Off {
            return Ok(None);
        }
        let repo = self.repo()?;
        let wanted = self.with_stored_index_of(&repo, |read| Ok(read.chunks_with_digest()?))?;
        let Some(wanted) = wanted else {
            return Ok(None);
        };
        let clone_family = self.vectors_name(&repo);
        let mut found = StoredVectors {
            model: settings.server.model.clone(),
            counts: (0, 0),
            bytes: files::bytes(&self.home, &clone_family),
        };
        found.counts.1 = wanted.len() as u64;
        let Ok(Some(embedder)) = self.models.embedder() else {
            return Ok(Some(found));
        };
        embedder.name().clone_into(&mut found.model);
        if let Some(store) = VectorStore::open_existing(&self.home, &clone_family) {
            let models = store.models()?;
            let of_source = models
                .iter()
                .rev()
                .find(|it| it.source == embedder.source());
            if let Some(model) = of_source {
                let known = store.digests(model.id)?;
                let having = wanted.iter().filter(|(_, digest)| known.contains(digest));
                found.counts.0 = having.count() as u64;
            }
        }
        Ok(Some(found))
    }

    /// Makes the vectors that the index of the work tree, or of a commit, lacks, after bringing it fully up. `on_progress` is told how many
    /// chunks have one, of how many.
    ///
    /// # Errors
    /// `invalid_argument` where no usable model is configured; `io` for a model that fails, with all vectors kept that were made;
    /// `cancelled`.
    pub fn build_vectors(
        self: &Arc<Self>,
        revision: Option<&Revision>,
        interrupt: &Arc<AtomicBool>,
        on_progress: OnProgress<'_>,
    ) -> Result<VectorsBuilt> {
        let embedder = self.models.embedder().map_err(|fault| failed(&fault))?;
        embedder.ok_or_else(off)?;
        self.refresh(revision, false, interrupt, &|_, _| ())?;
        self.add_vectors(true, revision, interrupt, on_progress)
    }

    /// Makes the vectors that answers of this server found to be missing, after the answer, by one thread: of the work tree, and of each commit that
    /// was asked about. It ends when none is missing; a model that fails five times in a row is left alone until the next question.
    pub(super) fn embed_behind(self: &Arc<Self>) {
        let mut queue = self.embed_queue();
        if !self.is_server || self.models.settings.embed.weight == 0 {
            queue.waiting.clear();
            return;
        }
        if queue.waiting.is_empty() || queue.is_running {
            return;
        }
        queue.is_running = true;
        drop(queue);
        let workspace = Arc::clone(self);
        let spawned = std::thread::Builder::new()
            .name("embed".to_owned())
            .spawn(move || {
                // The queue is free while vectors are made.
                while let Some(job) = workspace.next_to_embed() {
                    let revision = job.revision.as_ref();
                    match workspace.add_vectors(false, revision, &Arc::default(), &|_, _| ()) {
                        Ok(built) => tracing::info!(n = built.n_embedded, "vectors were made"),
                        Err(error) => tracing::info!(%error, "vectors could not be made"),
                    }
                }
            });
        if spawned.is_err() {
            self.embed_queue().is_running = false;
        }
    }

    /// Notes that an answer found chunks without a vector: of a commit, or of the work tree.
    pub(super) fn lacks_vectors(&self, revision: Option<&Revision>) {
        let commit = revision.map(|it| &it.commit);
        let mut queue = self.embed_queue();
        let mut waiting = queue.waiting.iter();
        if !waiting.any(|job| job.revision.as_ref().map(|it| &it.commit) == commit) {
            let revision = revision.cloned();
            queue.waiting.push(EmbedJob { revision });
        }
    }

    /// Takes the next job; where there is none the thread that asks has ended.
    fn next_to_embed(&self) -> Option<EmbedJob> {
        let mut queue = self.embed_queue();
        let next = queue.waiting.pop();
        queue.is_running = next.is_some();
        next
    }

    fn embed_queue(&self) -> MutexGuard<'_, EmbedQueue> {
        self.embed_queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the vectors that the index of the work tree, or of a commit, lacks: a run, where that takes long, they are many, or somebody asked
    /// for it and some are made or can't be.
    fn add_vectors(
        self: &Arc<Self>,
        is_asked: bool,
        revision: Option<&Revision>,
        interrupt: &Arc<AtomicBool>,
        on_progress: OnProgress<'_>,
    ) -> Result<VectorsBuilt> {
        let model = match self.models.embedder() {
            Ok(Some(embedder)) => embedder.name(),
            _ => &self.models.settings.embed.server.model,
        };
        let recorder = RunRecorder::of_vectors(self, model, revision);
        let told = |done, of| {
            recorder.progressed(done, of);
            on_progress(done, of);
        };
        let outcome = self.add_missing(revision, interrupt, &told);
        if is_asked && !matches!(&outcome, Ok(built) if built.n_embedded == 0) {
            recorder.begin();
        }
        match &outcome {
            Ok(built) => recorder.finish_done(built.n_embedded, 0, 0),
            Err(error) => recorder.finish_failed(error),
        }
        outcome
    }

    fn add_missing(
        self: &Arc<Self>,
        revision: Option<&Revision>,
        interrupt: &Arc<AtomicBool>,
        on_progress: OnProgress<'_>,
    ) -> Result<VectorsBuilt> {
        let embedder = self.models.embedder().map_err(|fault| failed(&fault))?;
        let embedder = embedder.ok_or_else(off)?;
        let clone_family = self.vectors_name(&self.repo()?);
        let mut store = VectorStore::open(&self.home, &clone_family, now_ms())?;
        let asked = embedder.embed_one("vector", &self.model_deadline(interrupt));
        let model = asked.map_err(|fault| failed(&fault))?.model;
        let mut n_embedded = 0;
        loop {
            let row = row_of(&store, &model)?;
            let known = store.digests(row)?;
            let question = Question {
                revision,
                ..Question::from(interrupt)
            };
            let is_local = embedder.is_local();
            let missing = self.query(question, |view| missing(view, &known, ROUND, is_local))?;
            if missing.passages.is_empty() {
                return Ok(VectorsBuilt {
                    n_embedded,
                    counts: missing.counts,
                });
            }
            let (have, of) = missing.counts;
            on_progress(have, of);
            let writing = VectorWriting {
                embedder,
                model: &model,
                row,
                interrupt,
            };
            let told = |n: u64| on_progress((have + n).min(of), of);
            n_embedded += self.embed_missing(&mut store, &writing, missing.passages, &told)?;
        }
    }

    /// Makes vectors that an index lacks, by a model in this process, until the time is up.
    pub(super) fn embed_here(
        &self,
        view: &View<'_>,
        store: &mut VectorStore,
        model: &ModelIdentity,
        until: Instant,
    ) -> Result<()> {
        let embedder = self.models.embedder().map_err(|fault| failed(&fault))?;
        let embedder = embedder.ok_or_else(off)?;
        let interrupt = view.budget.interrupt();
        let writing = VectorWriting {
            embedder,
            model,
            row: row_of(store, model)?,
            interrupt: &interrupt,
        };
        let is_over = || Instant::now() >= until || interrupt.load(Ordering::Relaxed);
        let mut known = store.digests(writing.row)?;
        while !is_over() {
            let found = missing(view, &known, STEP, true)?;
            let (passages, empty): (Vec<Passage>, Vec<Passage>) = found
                .passages
                .into_iter()
                .partition(|it| !it.text.is_empty());
            if passages.is_empty() && empty.is_empty() {
                return Ok(());
            }
            writing.write_empty(store, &empty)?;
            known.extend(empty.iter().map(|it| it.digest));
            let texts: Vec<String> = passages.iter().map(|it| it.text.clone()).collect();
            let mut error = None;
            let n_at_once = self.models.settings.embed.concurrency;
            let deadline = || self.model_deadline(&interrupt);
            embedder.embed_all(&texts, n_at_once, &deadline, |first, outcome| {
                let written = outcome.map_err(|fault| failed(&fault));
                match written.and_then(|found| writing.write(store, &passages[first..], found)) {
                    Ok(digests) => known.extend(digests),
                    Err(why) => error = Some(why),
                }
                error.is_none() && !is_over()
            });
            if let Some(error) = error {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Makes the vectors of an index that was just brought up, where a model in this process counts.
    pub(super) fn embed_refreshed(
        self: &Arc<Self>,
        revision: Option<&Revision>,
        interrupt: &Arc<AtomicBool>,
    ) {
        let settings = &self.models.settings.embed;
        if settings.provider != EmbedProvider::Local || settings.weight == 0 {
            return;
        }
        if let Err(error) = self.add_vectors(false, revision, interrupt, &|_, _| ()) {
            tracing::info!(%error, "vectors could not be made");
        }
    }

    /// Removes all vectors of the repository's family. Returns how many there were and the bytes that became free.
    ///
    /// # Errors
    /// Where the file can't be written.
    pub fn clear_vectors(&self) -> Result<(u64, u64)> {
        let clone_family = self.vectors_name(&self.repo()?);
        let before = files::bytes(&self.home, &clone_family);
        let Some(mut store) = VectorStore::open_existing(&self.home, &clone_family) else {
            return Ok((0, 0));
        };
        let n_gone = store.clear(None)?;
        let after = files::bytes(&self.home, &clone_family);
        Ok((n_gone, before.saturating_sub(after)))
    }

    /// Returns the deadline of one request.
    pub(super) fn model_deadline(&self, interrupt: &Arc<AtomicBool>) -> Deadline {
        let time = self.models.settings.embed.server.timeout();
        Deadline::new(Some(time), Arc::clone(interrupt))
    }

    /// Embeds texts and writes their vectors. Returns how many.
    fn embed_missing(
        &self,
        store: &mut VectorStore,
        writing: &VectorWriting<'_>,
        passages: Vec<Passage>,
        on_written: &dyn Fn(u64),
    ) -> Result<u64> {
        let deadline = || self.model_deadline(writing.interrupt);
        let (mut left, empty): (Vec<Passage>, Vec<Passage>) =
            passages.into_iter().partition(|it| !it.text.is_empty());
        let mut n_written = empty.len() as u64;
        writing.write_empty(store, &empty)?;
        let mut pauses = PAUSES.iter();
        let mut n_at_once = self.models.settings.embed.concurrency;
        while !left.is_empty() {
            let texts: Vec<String> = left.iter().map(|it| it.text.clone()).collect();
            let mut done: HashSet<i64> = HashSet::default();
            let mut fault = None;
            let mut error = None;
            writing
                .embedder
                .embed_all(&texts, n_at_once, &deadline, |first, outcome| {
                    let written = outcome.map(|found| writing.write(store, &left[first..], found));
                    match written {
                        Ok(Ok(digests)) => {
                            on_written(n_written + (done.len() + digests.len()) as u64);
                            done.extend(digests);
                            true
                        }
                        Ok(Err(why)) => {
                            error = Some(why);
                            false
                        }
                        Err(why) => {
                            fault = Some(why);
                            false
                        }
                    }
                });
            n_written += done.len() as u64;
            left.retain(|it| !done.contains(&it.digest));
            if let Some(error) = error {
                return Err(error);
            }
            let Some(fault) = fault else {
                continue;
            };
            if !done.is_empty() {
                pauses = PAUSES.iter();
            }
            match pauses.next() {
                Some(pause) if fault.is_passing() => wait(*pause, writing.interrupt)?,
                _ => return Err(failed(&fault)),
            }
            n_at_once = 1;
        }
        Ok(n_written)
    }
}

/// A model and its place in the file that vectors are written to.
struct VectorWriting<'a> {
    embedder: &'a Embedder,
    model: &'a ModelIdentity,
    row: i64,
    interrupt: &'a Arc<AtomicBool>,
}

impl VectorWriting<'_> {
    /// Writes the vectors of the first of some texts and returns their digests.
    fn write(
        &self,
        store: &mut VectorStore,
        passages: &[Passage],
        found: Embedded,
    ) -> Result<Vec<i64>> {
        if !found.model.is_same(self.model) {
            return Err(Error::new(
                Code::Io,
                "the server of [embed] answers with another model than before",
                "run `codelens embed build` again when it has settled on one; vectors of different models are never mixed",
            ));
        }
        let vectors: Vec<NewVector> = passages
            .iter()
            .zip(found.vectors)
            .map(|(passage, vector)| NewVector {
                digest: passage.digest,
                vector,
            })
            .collect();
        store.write(self.row, &vectors)?;
        Ok(vectors.iter().map(|new| new.digest).collect())
    }

    /// Writes vectors of zeros for texts without a word.
    fn write_empty(&self, store: &mut VectorStore, passages: &[Passage]) -> Result<()> {
        let zeros = vec![0.0; self.model.probe.len()];
        let zeros = QuantizedVector::of(&zeros).expect("zeros are numbers");
        let vectors: Vec<NewVector> = passages
            .iter()
            .map(|passage| NewVector {
                digest: passage.digest,
                vector: zeros.clone(),
            })
            .collect();
        Ok(store.write(self.row, &vectors)?)
    }
}

/// Returns the stored model that an answer came from.
pub(super) fn model_of<'a>(
    models: &'a [VectorModel],
    identity: &ModelIdentity,
) -> Option<&'a VectorModel> {
    models.iter().find(|model| {
        identity.is_same(&ModelIdentity {
            source: model.source,
            name: model.name.clone(),
            probe: model.probe.clone(),
        })
    })
}

/// Returns the number of a model, which is added where it is new.
fn row_of(store: &VectorStore, identity: &ModelIdentity) -> Result<i64> {
    if let Some(known) = model_of(&store.models()?, identity) {
        return Ok(known.id);
    }
    Ok(store.add_model(&identity.source, &identity.name, &identity.probe)?)
}

/// Returns the texts of an index without a vector, at most `limit` of them; as words alone for a model that takes no order of them.
fn missing(
    view: &View<'_>,
    known: &HashSet<i64>,
    limit: usize,
    as_words: bool,
) -> Result<MissingVectors> {
    let wanted = view.read.chunks_with_digest()?;
    let mut found = MissingVectors {
        passages: Vec::new(),
        counts: (0, wanted.len() as u64),
    };
    let mut seen: HashSet<i64> = HashSet::default();
    let mut last = None;
    for (id, digest) in wanted {
        if known.contains(&digest) {
            found.counts.0 += 1;
            continue;
        }
        if found.passages.len() >= limit || !seen.insert(digest) {
            continue;
        }
        let Some(chunk) = view.read.chunk(id)? else {
            continue;
        };
        // The chunks of a file come one after the other.
        let is_last = |(path, _): &(_, _)| *path == chunk.path;
        if !last.as_ref().is_some_and(is_last) {
            let text = (*view).read(&chunk.path, chunk.content);
            last = Some((chunk.path.clone(), text));
        }
        let text = last.as_ref().and_then(|(_, text)| text.as_deref());
        // A file that changed since has other chunks by the next look.
        if let Some(text) = text {
            found.passages.push(Passage {
                digest,
                text: if as_words {
                    words_of_chunk(&chunk, text)
                } else {
                    passage(&chunk, text)
                },
            });
        }
    }
    Ok(found)
}

/// Returns the text of a chunk as a model reads it: the name of its definition, then its lines, cut to a length.
/// Empty for one without a word. Keys and tokens in it are masked, as everywhere in the index.
fn passage(chunk: &ChunkRow, text: &str) -> String {
    let (from, to) = (chunk.span.start_byte as usize, chunk.span.end_byte as usize);
    let body = text.get(from..to).unwrap_or_default().trim();
    let name = chunk.symbol.as_ref().map(|it| it.qualified_name.as_str());
    let mut passage = name.unwrap_or_default().to_owned();
    if !body.chars().any(char::is_alphanumeric) {
        return passage;
    }
    if !passage.is_empty() {
        passage.push('\n');
    }
    let left = MAX_PASSAGE_BYTES.saturating_sub(passage.len());
    passage.push_str(&body[..body.floor_char_boundary(left)]);
    passage
}

/// Returns the words of a chunk, those of its definition's name first: a function of what its digest is of, so that a vector does
/// not depend on which of two chunks with one digest was embedded.
fn words_of_chunk(chunk: &ChunkRow, text: &str) -> String {
    let (from, to) = (chunk.span.start_byte as usize, chunk.span.end_byte as usize);
    let name = chunk.symbol.as_ref().map(|it| it.qualified_name.as_str());
    let mut words = words_of(name.unwrap_or_default());
    words.push(' ');
    words += &words_of(text.get(from..to).unwrap_or_default());
    words.truncate(words.floor_char_boundary(MAX_WORDS_BYTES));
    words.trim().to_owned()
}

/// Returns the smallest parts of the words of a text, as a static model takes them: `getUserName()` is `get user name`.
pub(super) fn words_of(text: &str) -> String {
    let words = token::words(text);
    let parts = words.iter().flat_map(token::Word::smallest);
    let parts: Vec<&str> = parts.filter(|part| part.len() > 1).collect();
    parts.join(" ")
}

/// Waits, unless somebody asks to stop.
fn wait(pause: Duration, interrupt: &Arc<AtomicBool>) -> Result<()> {
    let mut left = pause;
    while !left.is_zero() {
        if interrupt.load(Ordering::Relaxed) {
            return Err(Error::cancelled());
        }
        let step = left.min(TICK);
        std::thread::sleep(step);
        left -= step;
    }
    Ok(())
}

fn off() -> Error {
    Error::invalid(
        "no model that turns text into vectors is configured",
        "set `[embed]` in codelens.toml (`codelens embed --help`); `codelens config show` tells where it is",
    )
}

/// Returns the error for a model that gave nothing that can be used.
pub(super) fn failed(fault: &ModelFault) -> Error {
    let message = format!("the model of [embed] cannot be used: {fault}");
    match fault {
        ModelFault::Server(ServerFault::Cancelled) => Error::cancelled(),
        ModelFault::Server(ServerFault::Configuration(_)) => Error::invalid(
            message,
            "change `[embed]` in codelens.toml: `codelens config show` tells where it is and what is set",
        ),
        _ => Error::new(
            Code::Io,
            message,
            "check the server, then run `codelens embed build` again: vectors that were made are kept",
        ),
    }
}
