//! The best results in the order of a model that reads question and text together, over the protocol of `/v1/rerank`.
//!
//! Servers of Cohere, Jina, vLLM and llama.cpp answer `results`, some `output.results`, TEI a list.

use serde::{Deserialize, Serialize};

use super::ModelFault;
use super::named_model::NamedModel;
use crate::config::RerankSettings;
use crate::remote::Deadline;

/// A model that puts texts in order.
pub struct Reranker {
    model: NamedModel,
}

#[derive(Serialize)]
struct RerankRequest<'a> {
    model: &'a str,
    query: &'a str,
    documents: &'a [String],
    top_n: usize,
    return_documents: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RerankReply {
    Named { results: Vec<RerankRow> },
    Nested { output: RerankResults },
    List(Vec<RerankRow>),
}

#[derive(Deserialize)]
struct RerankResults {
    results: Vec<RerankRow>,
}

#[derive(Deserialize)]
struct RerankRow {
    index: usize,
    #[serde(alias = "score")]
    relevance_score: f64,
}

impl Reranker {
    /// Opens the model of the settings; `None` where they name none. Connects to nothing.
    ///
    /// # Errors
    /// For settings that can't be used.
    pub fn open(settings: &RerankSettings) -> Result<Option<Self>, ModelFault> {
        if !settings.is_on {
            return Ok(None);
        }
        let model = NamedModel::open(&settings.server)?;
        Ok(Some(Self { model }))
    }

    /// Returns where question and texts go.
    pub fn address(&self) -> String {
        self.model.address()
    }

    /// Returns the places of texts in the order of their relevance to a question, the best first; equals keep their order.
    ///
    /// # Errors
    /// For a server that fails, and answers that don't name each text once with a number.
    pub fn order(
        &self,
        query: &str,
        documents: &[String],
        deadline: &Deadline,
    ) -> Result<Vec<usize>, ModelFault> {
        let request = RerankRequest {
            model: self.model.name(),
            query,
            documents,
            top_n: documents.len(),
            return_documents: false,
        };
        let answer = self.model.ask(&request, deadline)?;
        read(&answer, documents.len())
    }
}

fn read(answer: &[u8], n: usize) -> Result<Vec<usize>, ModelFault> {
    let wrong = ModelFault::Answer;
    let reply: RerankReply =
        serde_json::from_slice(answer).map_err(|_| wrong("it is no list of scores"))?;
    let rows = match reply {
        RerankReply::Named { results } | RerankReply::List(results) => results,
        RerankReply::Nested { output } => output.results,
    };
    if rows.len() != n {
        return Err(wrong("it has another number of scores"));
    }
    let mut scores: Vec<Option<f64>> = vec![None; n];
    for row in rows {
        match scores.get_mut(row.index) {
            Some(place @ None) if row.relevance_score.is_finite() => {
                *place = Some(row.relevance_score);
            }
            Some(None) => return Err(wrong("a score is no number")),
            _ => return Err(wrong("two scores are of one text")),
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    let score = |at: &usize| scores[*at].unwrap_or(f64::NEG_INFINITY);
    order.sort_by(|a, b| score(b).total_cmp(&score(a)));
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn every_form_of_answer_is_read() {
        for text in [
            r#"{"results":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":-3}]}"#,
            r#"{"output":{"results":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":0.1}]},"usage":{}}"#,
            r#"[{"index":0,"score":0.1},{"index":1,"score":0.9,"text":"b"}]"#,
        ] {
            assert_eq!(read(text.as_bytes(), 2).unwrap(), [1, 0], "{text}");
        }
        let equal =
            r#"{"results":[{"index":1,"relevance_score":1},{"index":0,"relevance_score":1}]}"#;
        assert_eq!(read(equal.as_bytes(), 2).unwrap(), [0, 1]);
    }

    #[test]
    fn answers_that_name_not_each_text_once_are_refused() {
        for (text, part) in [
            ("", "no list"),
            (r#"{"results":[{"index":0}]}"#, "no list"),
            (
                r#"{"results":[{"index":-1,"relevance_score":1}]}"#,
                "no list",
            ),
            (
                r#"{"results":[{"index":0,"relevance_score":NaN}]}"#,
                "no list",
            ),
            (
                r#"{"results":[{"index":0,"relevance_score":null}]}"#,
                "no list",
            ),
            (r#"{"results":[]}"#, "another number"),
            (
                r#"{"results":[{"index":0,"relevance_score":1},{"index":0,"relevance_score":1}]}"#,
                "one text",
            ),
            (
                r#"{"results":[{"index":0,"relevance_score":1},{"index":7,"relevance_score":1}]}"#,
                "one text",
            ),
        ] {
            let said = read(text.as_bytes(), 2).unwrap_err().to_string();
            assert!(said.contains(part), "{text}: {said}");
        }
    }
}
