//! Text to vectors: by a model on the disk, or over the protocol of `OpenAI`'s `/v1/embeddings`.
//!
//! Each request to a server begins with one and the same text, the probe: its vector tells which model answered. Names and lengths don't: a
//! server may put another model under the same name.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use serde::{Deserialize, Serialize};

use super::ModelFault;
use super::named_model::{name, open_server};
use super::static_model::StaticModel;
use crate::config::{EmbedProvider, EmbedSettings};
use crate::model::QuantizedVector;
use crate::remote::{Deadline, JsonServer, ServerFault};

/// The text whose vector tells one model from another. It may never change: each stored vector is of a model that it told.
const PROBE: &str =
    "def parse_config(path): reads the settings of a server, or fails with the line that is wrong";

/// The most components of a vector.
pub(super) const MAX_DIMENSIONS: usize = 8_192;

/// The most bytes that one component takes in an answer.
const COMPONENT_BYTES: usize = 32;

/// The most bytes of an answer beside its vectors.
const OTHER_BYTES: usize = 64 << 10;

/// How far a component of the probe may be from the one before, where a model computes with other roundings.
const TOLERANCE: f32 = 1e-3;

/// The name of a model, and what it makes of the probe.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelIdentity {
    /// BLAKE3 of its address and name.
    pub source: [u8; 32],
    /// Its name, for people.
    pub name: String,
    /// The vector of the probe, of length 1.
    pub probe: Vec<f32>,
}

impl ModelIdentity {
    /// Whether two answers came from one model: the same name, and the same vector of the probe up to a thousandth.
    pub fn is_same(&self, other: &Self) -> bool {
        let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= TOLERANCE;
        self.source == other.source
            && self.probe.len() == other.probe.len()
            && self.probe.iter().zip(&other.probe).all(is_near)
    }
}

impl std::fmt::Display for ModelIdentity {
    /// Writes 12 digits by which people tell two models of one name apart: of its source and its vector of the probe, rounded to a hundredth.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.source);
        for component in &self.probe {
            #[allow(clippy::cast_possible_truncation, reason = "components of at most 1")]
            let rounded = (component * 100.0).round() as i16;
            hasher.update(&rounded.to_le_bytes());
        }
        out.write_str(&hasher.finalize().to_hex()[..12])
    }
}

/// The vectors of some texts, in their order, all of one model.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// The model that made them.
    pub model: ModelIdentity,
    /// A vector for each text.
    pub vectors: Vec<QuantizedVector>,
}

/// A model that turns text into vectors.
pub struct Embedder {
    host: ModelHost,
    settings: EmbedSettings,
}

/// Where a model runs.
enum ModelHost {
    /// In this process; with its identity.
    InProcess(Box<StaticModel>, ModelIdentity),
    Server(JsonServer),
}

#[derive(Serialize)]
struct EmbeddingsRequest<'a> {
    model: &'a str,
    input: Vec<&'a str>,
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
struct EmbeddingsReply {
    data: Vec<EmbeddingRow>,
}

#[derive(Deserialize)]
struct EmbeddingRow {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Embedder {
    /// Opens the model of the settings; `None` where they name none. Connects to nothing.
    ///
    /// # Errors
    /// For settings that can't be used.
    pub fn open(settings: &EmbedSettings) -> Result<Option<Self>, ModelFault> {
        let host = match settings.provider {
            EmbedProvider::Off => return Ok(None),
            EmbedProvider::Local => {
                let directory = Path::new(name(&settings.server)?);
                if !directory.is_absolute() {
                    let what = "`model` is no absolute path of a directory";
                    return Err(ServerFault::Configuration(what).into());
                }
                let read = StaticModel::read(directory)?;
                let probe = unit(&read.sum(PROBE)?);
                let identity = ModelIdentity {
                    source: read.digest(),
                    name: directory
                        .file_name()
                        .unwrap_or_default()
                        .to_string_lossy()
                        .into_owned(),
                    probe: probe
                        .ok_or(ModelFault::Files("the model knows no word of a plain text"))?,
                };
                ModelHost::InProcess(Box::new(read), identity)
            }
            EmbedProvider::Http => ModelHost::Server(open_server(&settings.server)?),
        };
        Ok(Some(Self {
            host,
            settings: settings.clone(),
        }))
    }

    /// Returns where texts go; `None` where they stay in this process.
    pub fn address(&self) -> Option<String> {
        match &self.host {
            ModelHost::InProcess(..) => None,
            ModelHost::Server(server) => Some(server.address()),
        }
    }

    /// Returns the digest of the model's address and name, or of its files: known without a request, and no proof of which model answers there.
    pub fn source(&self) -> [u8; 32] {
        match &self.host {
            ModelHost::InProcess(_, identity) => identity.source,
            ModelHost::Server(server) => source(server, &self.settings.server.model),
        }
    }

    /// Returns the name of the model, for people.
    pub fn name(&self) -> &str {
        match &self.host {
            ModelHost::InProcess(_, identity) => &identity.name,
            ModelHost::Server(_) => &self.settings.server.model,
        }
    }

    /// Whether texts stay in this process, and cost some µs each.
    pub fn is_local(&self) -> bool {
        matches!(self.host, ModelHost::InProcess(..))
    }

    /// Returns the vector of one text, e.g. of a question.
    ///
    /// # Errors
    /// For a server that fails, and answers that can't be used.
    pub fn embed_one(&self, text: &str, deadline: &Deadline) -> Result<Embedded, ModelFault> {
        match &self.host {
            ModelHost::InProcess(model, identity) => {
                embed_in_process(model, identity, &[text.to_owned()])
            }
            ModelHost::Server(server) => {
                let request = self.request(&[text]);
                let answer = server.post(request, max_bytes(1), deadline)?;
                self.read(server, &answer, 1)
            }
        }
    }

    /// Turns many texts into vectors, some batches at a time, and hands the outcome of each to `take` with the place of its first
    /// text. It ends when `take` says `false`, or each batch was asked for once.
    pub fn embed_all(
        &self,
        texts: &[String],
        n_at_once: usize,
        deadline: &dyn Fn() -> Deadline,
        mut take: impl FnMut(usize, Result<Embedded, ModelFault>) -> bool,
    ) {
        let batch = self.settings.batch;
        let server = match &self.host {
            ModelHost::InProcess(model, identity) => {
                return embed_all_here(model, identity, texts, batch, n_at_once, take);
            }
            ModelHost::Server(server) => server,
        };
        let requests = texts.chunks(batch).map(|texts| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            self.request(&texts)
        });
        let most = max_bytes(batch.min(texts.len()));
        server.post_all(
            requests.collect(),
            n_at_once,
            most,
            deadline,
            |at, answer| {
                let first = at * batch;
                let n = batch.min(texts.len() - first);
                let read = answer.map_err(ModelFault::from);
                take(first, read.and_then(|answer| self.read(server, &answer, n)))
            },
        );
    }

    fn request(&self, texts: &[&str]) -> Vec<u8> {
        let asked = self.settings.dimensions;
        let mut input = vec![PROBE];
        input.extend(texts);
        let request = EmbeddingsRequest {
            model: &self.settings.server.model,
            input,
            encoding_format: "float",
            dimensions: (asked > 0).then_some(asked),
        };
        serde_json::to_vec(&request).expect("text and numbers are JSON")
    }

    /// Reads the answer to a request of the probe and `n` texts.
    fn read(&self, server: &JsonServer, answer: &[u8], n: usize) -> Result<Embedded, ModelFault> {
        let wrong = ModelFault::Answer;
        let reply: EmbeddingsReply =
            serde_json::from_slice(answer).map_err(|_| wrong("it is no list of vectors"))?;
        let mut rows = in_order(reply.data, n + 1)?.into_iter();
        let probe = rows.next().expect("there is one more than texts");
        let n_components = probe.len();
        let asked = self.settings.dimensions;
        if n_components == 0
            || n_components > MAX_DIMENSIONS
            || (asked > 0 && n_components != asked)
        {
            return Err(wrong("its vectors have another length than asked for"));
        }
        let probe = unit(&probe).ok_or(wrong("a vector holds no numbers"))?;
        let mut vectors = Vec::with_capacity(n);
        for components in rows {
            if components.len() != n_components {
                return Err(wrong("its vectors are not of one length"));
            }
            let vector = QuantizedVector::of(&components);
            vectors.push(vector.ok_or(wrong("a vector holds no numbers"))?);
        }
        Ok(Embedded {
            model: ModelIdentity {
                source: source(server, &self.settings.server.model),
                name: self.settings.server.model.clone(),
                probe,
            },
            vectors,
        })
    }
}

/// Returns the digest of a server's address and a model's name.
fn source(server: &JsonServer, model: &str) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for part in [server.address().as_str(), model] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().into()
}

fn embed_in_process(
    model: &StaticModel,
    identity: &ModelIdentity,
    texts: &[String],
) -> Result<Embedded, ModelFault> {
    let vectors = texts.iter().map(|text| model.embed(text));
    Ok(Embedded {
        model: identity.clone(),
        vectors: vectors.collect::<Result<_, _>>()?,
    })
}

/// Does [`Embedder::embed_all`] on some threads.
fn embed_all_here(
    model: &StaticModel,
    identity: &ModelIdentity,
    texts: &[String],
    batch: usize,
    n_threads: usize,
    mut take: impl FnMut(usize, Result<Embedded, ModelFault>) -> bool,
) {
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let (done, outcomes) = mpsc::sync_channel(2 * n_threads);
        for _ in 0..n_threads.min(n_cores) {
            let done = done.clone();
            let (next, is_over) = (&next, &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let first = next.fetch_add(1, Ordering::Relaxed) * batch;
                    let Some(rest) = texts.get(first..).filter(|rest| !rest.is_empty()) else {
                        return;
                    };
                    let outcome = embed_in_process(model, identity, &rest[..batch.min(rest.len())]);
                    if done.send((first, outcome)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(done);
        for (first, outcome) in outcomes {
            if !take(first, outcome) {
                is_over.store(true, Ordering::Relaxed);
                return;
            }
        }
    });
}

/// Returns the most bytes of an answer with the vectors of so many texts.
fn max_bytes(n_texts: usize) -> usize {
    (n_texts + 1) * MAX_DIMENSIONS * COMPONENT_BYTES + OTHER_BYTES
}

/// Returns `n` vectors in the order of their texts.
fn in_order(rows: Vec<EmbeddingRow>, n: usize) -> Result<Vec<Vec<f32>>, ModelFault> {
    if rows.len() != n {
        return Err(ModelFault::Answer("it has another number of vectors"));
    }
    let mut found: Vec<Option<Vec<f32>>> = vec![None; n];
    for (at, row) in rows.into_iter().enumerate() {
        match found.get_mut(row.index.unwrap_or(at)) {
            Some(place @ None) => *place = Some(row.embedding),
            _ => return Err(ModelFault::Answer("two vectors are of one text")),
        }
    }
    Ok(found.into_iter().flatten().collect())
}

/// Returns a vector brought to length 1; `None` for one of zeros, or with components that are no numbers.
fn unit(components: &[f32]) -> Option<Vec<f32>> {
    let length = components
        .iter()
        .map(|it| f64::from(*it).powi(2))
        .sum::<f64>()
        .sqrt();
    if !length.is_finite() || length == 0.0 {
        return None;
    }
    #[allow(clippy::cast_possible_truncation, reason = "components of at most 1")]
    let unit = components.iter().map(|it| (f64::from(*it) / length) as f32);
    Some(unit.collect())
}

#[cfg(test)]
mod tests {
    use super::{Embedder, ModelHost, ModelIdentity, PROBE, unit};
    use crate::config::{EmbedProvider, EmbedSettings, ModelServer};
    use crate::embed::static_model::tests::write_model;

    fn embedder(dimensions: usize) -> Embedder {
        let settings = EmbedSettings {
            provider: EmbedProvider::Http,
            server: ModelServer {
                url: "http://127.0.0.1:9/v1/embeddings".to_owned(),
                model: "small".to_owned(),
                ..ModelServer::default()
            },
            dimensions,
            batch: 2,
            concurrency: 1,
            weight: 0,
            takes_partial: false,
        };
        Embedder::open(&settings).unwrap().unwrap()
    }

    #[test]
    fn a_request_begins_with_the_probe() {
        let request = embedder(3).request(&["a", "b"]);
        let request: serde_json::Value = serde_json::from_slice(&request).unwrap();
        assert_eq!(request["model"], "small");
        assert_eq!(request["input"], serde_json::json!([PROBE, "a", "b"]));
        assert_eq!(request["dimensions"], 3);
        let free = embedder(0).request(&[]);
        assert!(!String::from_utf8(free).unwrap().contains("dimensions"));
    }

    #[test]
    fn answers_are_taken_whole_or_not_at_all() {
        let read_by = |dimensions: usize, text: &str| {
            let embedder = embedder(dimensions);
            let ModelHost::Server(server) = &embedder.host else {
                panic!("it is a server");
            };
            embedder.read(server, text.as_bytes(), 1)
        };
        let read = |text: &str| read_by(0, text);
        let good =
            r#"{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}],"usage":{}}"#;
        let found = read(good).unwrap();
        assert_eq!(found.model.probe, [0.6, 0.8]);
        assert_eq!(found.vectors[0].to_bytes(), [0, 127]);
        for (text, part) in [
            ("", "no list"),
            ("[]", "no list"),
            (r#"{"error":"hunter2"}"#, "no list"),
            (r#"{"data":[]}"#, "another number"),
            (r#"{"data":[{"embedding":[1]}]}"#, "another number"),
            (
                r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#,
                "one text",
            ),
            (
                r#"{"data":[{"index":0,"embedding":[1]},{"index":9,"embedding":[1]}]}"#,
                "one text",
            ),
            (
                r#"{"data":[{"embedding":[]},{"embedding":[]}]}"#,
                "another length",
            ),
            (
                r#"{"data":[{"embedding":[1,2]},{"embedding":[1]}]}"#,
                "one length",
            ),
            (
                r#"{"data":[{"embedding":[1,2]},{"embedding":[1,null]}]}"#,
                "no list",
            ),
            (
                r#"{"data":[{"embedding":[1,2]},{"embedding":[1,NaN]}]}"#,
                "no list",
            ),
            (
                r#"{"data":[{"embedding":[1,2]},{"embedding":[1,1e39]}]}"#,
                "no numbers",
            ),
            (
                r#"{"data":[{"embedding":[0,0]},{"embedding":[1,1]}]}"#,
                "no numbers",
            ),
        ] {
            let said = read(text).unwrap_err().to_string();
            assert!(
                said.contains(part) && !said.contains("hunter2"),
                "{text}: {said}"
            );
        }
        let other = read_by(3, good).unwrap_err();
        assert!(other.to_string().contains("another length"), "{other}");
    }

    #[test]
    fn a_model_on_the_disk_embeds_in_batches() {
        let place = tempfile::tempdir().unwrap();
        write_model(place.path(), &[("open", [1.0, 0.0]), ("reads", [0.0, 1.0])]);
        let settings = |model: &str| EmbedSettings {
            provider: EmbedProvider::Local,
            server: ModelServer {
                model: model.to_owned(),
                ..ModelServer::default()
            },
            batch: 3,
            ..EmbedSettings::default()
        };
        let embedder = Embedder::open(&settings(place.path().to_str().unwrap()));
        let embedder = embedder.unwrap().unwrap();
        assert!(embedder.is_local() && embedder.address().is_none());
        let texts: Vec<String> = (0..20).map(|n| "open ".repeat(n + 1)).collect();
        let mut firsts = Vec::new();
        let deadline = || unreachable!("nothing is waited for");
        embedder.embed_all(&texts, 2, &deadline, |first, outcome| {
            let found = outcome.unwrap();
            assert!(found.vectors.iter().all(|it| it.to_bytes() == [127, 0]));
            firsts.push((first, found.vectors.len()));
            true
        });
        firsts.sort_unstable();
        assert_eq!(firsts.len(), 7);
        assert_eq!((firsts[6], firsts[1]), ((18, 2), (3, 3)));
        let mut n_taken = 0;
        embedder.embed_all(&texts, 2, &deadline, |_, _| {
            n_taken += 1;
            false
        });
        assert_eq!(n_taken, 1);
        for (model, part) in [
            ("", "not set"),
            ("models/small", "absolute"),
            ("/no/such", "tokenizer"),
        ] {
            let said = Embedder::open(&settings(model)).err().unwrap().to_string();
            assert!(said.contains(part), "{model}: {said}");
        }
    }

    #[test]
    fn equal_lengths_are_not_one_model() {
        let identity = |probe: &[f32], source: u8| ModelIdentity {
            source: [source; 32],
            name: "small".to_owned(),
            probe: unit(probe).unwrap(),
        };
        let one = identity(&[1.0, 2.0, 3.0], 0);
        assert!(one.is_same(&identity(&[1.0002, 2.0, 3.0], 0)));
        assert!(!one.is_same(&identity(&[1.1, 2.0, 3.0], 0)));
        assert!(!one.is_same(&identity(&[1.0, 2.0, 3.0], 1)));
        assert!(!one.is_same(&identity(&[1.0, 2.0], 0)));
        assert_eq!(one.to_string().len(), 12);
        assert_ne!(one.to_string(), identity(&[1.1, 2.0, 3.0], 0).to_string());
        assert_ne!(one.to_string(), identity(&[1.0, 2.0, 3.0], 1).to_string());
        assert!(unit(&[0.0]).is_none() && unit(&[f32::NAN]).is_none());
    }
}
