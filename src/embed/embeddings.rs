//! Text to vectors, over the protocol of `OpenAI`'s `/v1/embeddings`.
//!
//! Each request begins with one and the same text, the probe: its vector tells which model answered. Names and lengths don't: a
//! server may put another model under the same name.

use serde::{Deserialize, Serialize};

use super::ModelFault;
use crate::config::{EmbedProvider, EmbedSettings};
use crate::model::QuantizedVector;
use crate::remote::{Deadline, JsonServer, ServerFault};

/// The text whose vector tells one model from another. It may never change: each stored vector is of a model that it told.
const PROBE: &str =
    "def parse_config(path): reads the settings of a server, or fails with the line that is wrong";

/// The most components of a vector.
const MAX_DIMENSIONS: usize = 8_192;

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
    server: JsonServer,
    settings: EmbedSettings,
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
        let place = &settings.server;
        if settings.provider == EmbedProvider::Off {
            return Ok(None);
        }
        if place.model.is_empty() {
            return Err(ServerFault::Configuration("`model` is not set").into());
        }
        let server = JsonServer::open(&place.url, &place.key_env, place.allow_remote)?;
        Ok(Some(Self {
            server,
            settings: settings.clone(),
        }))
    }

    /// Returns where texts go.
    pub fn address(&self) -> String {
        self.server.address()
    }

    /// Returns the vector of one text, e.g. of a question.
    pub fn embed_one(&self, text: &str, deadline: &Deadline) -> Result<Embedded, ModelFault> {
        let request = self.request(&[text]);
        let answer = self.server.post(request, max_bytes(1), deadline)?;
        self.read(&answer, 1)
    }

    /// Turns many texts into vectors, some requests at a time, and hands the outcome of each to `take` with the place of its first
    /// text. It ends when `take` says `false`, or each batch was asked for once.
    pub fn embed_all(
        &self,
        texts: &[String],
        n_at_once: usize,
        deadline: &dyn Fn() -> Deadline,
        mut take: impl FnMut(usize, Result<Embedded, ModelFault>) -> bool,
    ) {
        let batch = self.settings.batch;
        let requests = texts.chunks(batch).map(|texts| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            self.request(&texts)
        });
        let most = max_bytes(batch.min(texts.len()));
        self.server.post_all(
            requests.collect(),
            n_at_once,
            most,
            deadline,
            |at, answer| {
                let first = at * batch;
                let n = batch.min(texts.len() - first);
                let read = answer.map_err(ModelFault::from);
                take(first, read.and_then(|answer| self.read(&answer, n)))
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
    fn read(&self, answer: &[u8], n: usize) -> Result<Embedded, ModelFault> {
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
                source: self.source(),
                name: self.settings.server.model.clone(),
                probe,
            },
            vectors,
        })
    }

    fn source(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for part in [self.address().as_str(), &self.settings.server.model] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().into()
    }
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
    use super::{Embedder, ModelIdentity, PROBE, unit};
    use crate::config::{EmbedProvider, EmbedSettings, ModelServer};

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
        let read = |text: &str| embedder(0).read(text.as_bytes(), 1);
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
        let other = embedder(3).read(good.as_bytes(), 1).unwrap_err();
        assert!(other.to_string().contains("another length"), "{other}");
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
        assert!(unit(&[0.0]).is_none() && unit(&[f32::NAN]).is_none());
    }
}
