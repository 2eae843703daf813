//! An answer in prose, by a model that the user configured, from excerpts that a tool found.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Workspaces;
use crate::embed::{AnswerWriter, CitedProse, ModelFault};
use crate::remote::{Deadline, ServerFault};

impl Workspaces {
    /// Writes the answer to a question from excerpts, which are numbered from 1; `None` where the user configured no model, else the
    /// sentences that cite an excerpt, or why there are none, in words.
    pub fn write_answer(
        &self,
        question: &str,
        excerpts: &[String],
        interrupt: &Arc<AtomicBool>,
    ) -> Option<Result<CitedProse, String>> {
        let settings = &self.config.models.answer;
        let written = match AnswerWriter::open(settings) {
            Ok(None) => return None,
            Ok(Some(_)) if excerpts.is_empty() => return Some(Ok(CitedProse::default())),
            Ok(Some(writer)) => {
                let deadline =
                    Deadline::new(Some(settings.server.timeout()), Arc::clone(interrupt));
                writer.write(question, excerpts, &deadline)
            }
            Err(fault) => Err(fault),
        };
        Some(written.map_err(|fault| match fault {
            ModelFault::Server(ServerFault::Configuration(what)) => {
                format!("[answer] in codelens.toml cannot be used: {what}")
            }
            other => format!("the model of [answer] gave no answer: {other}"),
        }))
    }
}
