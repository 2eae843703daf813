//! A server of models on this machine: speaks the protocols of embeddings, or answers as badly as a test wants.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// How the server answers.
#[derive(Clone, Debug)]
pub(crate) enum Manner {
    /// As the protocol says; models of other numbers make other vectors.
    Well { model: u64 },
    /// After a while.
    Slowly(Duration),
    /// With a status.
    Status(u16),
    /// With these bytes.
    Bytes(Arc<Vec<u8>>),
    /// With the answer that another one changes.
    Changed(fn(Value) -> Value),
}

impl Manner {
    /// With a vector less than texts.
    pub(crate) fn one_vector_short() -> Self {
        Self::Changed(|mut answer| {
            answer["data"].as_array_mut().unwrap().pop();
            answer
        })
    }

    /// With two vectors of one text.
    pub(crate) fn two_of_one_text() -> Self {
        Self::Changed(|mut answer| {
            answer["data"][1]["index"] = 0.into();
            answer
        })
    }

    /// With a vector of more components than the others.
    pub(crate) fn one_vector_longer() -> Self {
        Self::Changed(|mut answer| {
            let vector = answer["data"][1]["embedding"].as_array_mut();
            vector.unwrap().push(1.into());
            answer
        })
    }
}

/// The texts of all requests, and how the next one is answered.
struct FakeState {
    manner: Manner,
    /// Texts that were embedded, without the first of each request.
    texts: Vec<String>,
    n_requests: usize,
}

/// A running server, which ends with the process.
pub(crate) struct FakeModel {
    address: String,
    state: Arc<Mutex<FakeState>>,
}

/// Components of a vector.
const DIMENSIONS: usize = 64;

impl FakeModel {
    /// Starts a server that answers well.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(FakeState {
            manner: Manner::Well { model: 1 },
            texts: Vec::new(),
            n_requests: 0,
        }));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                // A client that goes is no fault of the server's.
                std::thread::spawn(move || drop(serve(stream, &state)));
            }
        });
        Self { address, state }
    }

    /// Returns the address of its embeddings.
    pub(crate) fn embeddings(&self) -> String {
        format!("{}/v1/embeddings", self.address)
    }

    /// Returns the address of its order of results.
    pub(crate) fn rerank(&self) -> String {
        format!("{}/v1/rerank", self.address)
    }

    /// Returns the address of its answers in prose.
    pub(crate) fn chat(&self) -> String {
        format!("{}/v1/chat/completions", self.address)
    }

    /// Changes how it answers.
    pub(crate) fn answer(&self, manner: Manner) {
        self.state.lock().unwrap().manner = manner;
    }

    /// Returns the texts that it was given since the last call.
    pub(crate) fn take_texts(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().texts)
    }

    /// Returns how many requests there were since the last call.
    pub(crate) fn take_requests(&self) -> usize {
        std::mem::take(&mut self.state.lock().unwrap().n_requests)
    }
}

fn serve(stream: TcpStream, state: &Mutex<FakeState>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut n_bytes = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or(("", ""));
        if name.eq_ignore_ascii_case("content-length") {
            n_bytes = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; n_bytes];
    reader.read_exact(&mut body)?;
    let asked: Value = serde_json::from_slice(&body).unwrap();
    let manner = {
        let mut state = state.lock().unwrap();
        state.n_requests += 1;
        let input = asked["input"].as_array().into_iter().flatten().skip(1);
        let documents = asked["documents"].as_array().into_iter().flatten();
        let messages = asked["messages"].as_array().into_iter().flatten();
        let messages = messages.map(|message| &message["content"]);
        let texts = input.chain(documents).chain(messages);
        let texts = texts.map(|text| text.as_str().unwrap().to_owned());
        state.texts.extend(texts);
        state.manner.clone()
    };
    let mut status = 200;
    let answer = match manner {
        Manner::Well { model } => answer_to(&asked, model).to_string().into_bytes(),
        Manner::Slowly(wait) => {
            std::thread::sleep(wait);
            answer_to(&asked, 1).to_string().into_bytes()
        }
        Manner::Status(wanted) => {
            status = wanted;
            Vec::new()
        }
        Manner::Bytes(bytes) => bytes.to_vec(),
        Manner::Changed(change) => change(answer_to(&asked, 1)).to_string().into_bytes(),
    };
    let mut stream = reader.into_inner();
    write!(
        stream,
        "HTTP/1.1 {status} Said\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        answer.len()
    )?;
    stream.write_all(&answer)
}

fn answer_to(asked: &Value, model: u64) -> Value {
    if asked["messages"].is_array() {
        let content =
            "The store is opened by openStore [1]. It is said so in [99]. Nobody knows more.";
        return json!({"choices": [{"message": {"role": "assistant", "content": content}}]});
    }
    if let Some(documents) = asked["documents"].as_array() {
        // The last ones first.
        let row = |index: usize| json!({"index": index, "relevance_score": index});
        return json!({"results": (0..documents.len()).rev().map(row).collect::<Vec<_>>()});
    }
    let input = asked["input"].as_array().unwrap();
    let data = input.iter().enumerate().map(
        |(index, text)| json!({"index": index, "embedding": vector(text.as_str().unwrap(), model)}),
    );
    json!({"data": data.collect::<Vec<_>>(), "model": asked["model"]})
}

/// Words that mean the same to the server's models.
const SYNONYMS: [(&str, &str); 3] = [("wait", "sleep"), ("pause", "sleep"), ("throttle", "sleep")];

/// Returns the sum of a direction for each word.
fn vector(text: &str, model: u64) -> Vec<f64> {
    let mut sum = vec![0.0; DIMENSIONS];
    // A text without a word is a vector all the same.
    sum[0] = 0.01;
    let lower = text.to_lowercase();
    for word in lower.split(|c: char| !c.is_alphanumeric()) {
        if word.is_empty() {
            continue;
        }
        let known = SYNONYMS.iter().find(|(other, _)| *other == word);
        let word = known.map_or(word, |(_, one)| one);
        let seed = word.bytes().fold(model, |hash, byte| {
            hash.wrapping_mul(0x0100_0000_01b3)
                .wrapping_add(u64::from(byte) + 1)
        });
        let at = usize::try_from((seed >> 7) % DIMENSIONS as u64).unwrap();
        sum[at] += 1.0;
    }
    sum
}
