//! Settings of models: one that turns text into vectors, one that puts results in order, one that writes answers.
//!
//! All of them are off until the user sets them, and an address is only ever the user's.

use std::time::Duration;

use super::table;

/// The kind of a model that turns text into vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmbedProvider {
    /// None.
    #[default]
    Off,
    /// A directory with a static model, in the layout of model2vec.
    Local,
    /// A server with the protocol of `OpenAI`'s `/v1/embeddings`.
    Http,
}

/// A server that a model is asked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelServer {
    /// Its address as it is written; empty where it is not set, and not checked.
    pub url: String,
    /// The name of the model; empty where it is not set.
    pub model: String,
    /// The variable of the environment that holds a key; empty where none is needed.
    pub key_env: String,
    /// Whether it may be another machine.
    pub allow_remote: bool,
    /// How long one request may take, in milliseconds.
    pub timeout_ms: u64,
}

impl ModelServer {
    /// Returns how long one request may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }
}

/// Settings of the model that turns text into vectors (`[embed]`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmbedSettings {
    /// Its kind.
    pub provider: EmbedProvider,
    /// Where it is asked. For [`EmbedProvider::Local`] `model` is the directory.
    pub server: ModelServer,
    /// The length of vectors that is asked for; 0 for the model's own.
    pub dimensions: usize,
    /// Texts of one request, at least 1.
    pub batch: usize,
    /// Requests at once, at least 1.
    pub concurrency: usize,
    /// How much meaning counts in the order of results, in thousandths.
    pub weight: u32,
    /// Whether meaning counts while chunks lack a vector (`search.partial_vectors`).
    pub takes_partial: bool,
}

/// Settings of the model that puts the best results in order (`[rerank]`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RerankSettings {
    /// Whether there is one.
    pub is_on: bool,
    /// Where it is asked.
    pub server: ModelServer,
    /// How many of the best results it sees.
    pub top: usize,
    /// How many characters of each.
    pub max_chars: usize,
}

/// Settings of the model that writes answers (`[answer]`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerSettings {
    /// Whether there is one.
    pub is_on: bool,
    /// Where it is asked.
    pub server: ModelServer,
}

/// Settings of all models.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelSettings {
    /// `[embed]`.
    pub embed: EmbedSettings,
    /// `[rerank]`.
    pub rerank: RerankSettings,
    /// `[answer]`.
    pub answer: AnswerSettings,
}

impl ModelSettings {
    /// Sets a setting of words. Returns whether it is one of these.
    pub(super) fn set_text(&mut self, name: &str, value: &str) -> bool {
        let Some((table, field)) = name.split_once('.') else {
            return false;
        };
        if (table, field) == ("embed", "weight") {
            self.embed.weight = table::thousandths(value).unwrap_or_default();
            return true;
        }
        if field == "provider" {
            match table {
                "embed" => {
                    self.embed.provider = match value {
                        "local" => EmbedProvider::Local,
                        "http" => EmbedProvider::Http,
                        _ => EmbedProvider::Off,
                    }
                }
                "rerank" => self.rerank.is_on = value == "http",
                "answer" => self.answer.is_on = value == "http",
                _ => return false,
            }
            return true;
        }
        let Some(server) = self.server(table) else {
            return false;
        };
        let value = if value == "none" { "" } else { value };
        match field {
            "url" => value.clone_into(&mut server.url),
            "model" => value.clone_into(&mut server.model),
            "key_env" => value.clone_into(&mut server.key_env),
            _ => return false,
        }
        true
    }

    /// Sets a setting of a number or a switch. Returns whether it is one of these.
    pub(super) fn set(&mut self, name: &str, value: u64) -> bool {
        let count = usize::try_from(value).unwrap_or(usize::MAX);
        match name {
            "embed.dimensions" => self.embed.dimensions = count,
            "embed.batch" => self.embed.batch = count.max(1),
            "embed.concurrency" => self.embed.concurrency = count.max(1),
            "rerank.top" => self.rerank.top = count,
            "rerank.max_chars" => self.rerank.max_chars = count,
            _ => {
                let Some((table, field)) = name.split_once('.') else {
                    return false;
                };
                let Some(server) = self.server(table) else {
                    return false;
                };
                match field {
                    "timeout_ms" => server.timeout_ms = value,
                    "allow_remote" => server.allow_remote = value != 0,
                    _ => return false,
                }
            }
        }
        true
    }

    fn server(&mut self, table: &str) -> Option<&mut ModelServer> {
        match table {
            "embed" => Some(&mut self.embed.server),
            "rerank" => Some(&mut self.rerank.server),
            "answer" => Some(&mut self.answer.server),
            _ => None,
        }
    }
}
