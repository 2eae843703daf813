//! The last calls of this server: which tool was asked what, how current its answer was, and what it cost.
//!
//! Kept in memory alone, without any text of an answer and without what is saved: inputs of tools that write are left out.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::error::Result;
use crate::tools::ToolSpec;
use crate::tools::answer::{length, time};
use crate::workspace::{CountedCall, now_ms};

/// Calls that are kept.
const MAX_CALLS: usize = 500;

/// The longest input that is kept, in bytes of JSON.
const MAX_INPUT_BYTES: usize = 1_000;

/// The words for how current an answer is.
const FRESHNESS: [&str; 3] = ["fresh", "partial", "unknown"];

/// The calls of all sessions, the last one at the end.
#[derive(Default)]
pub(super) struct CallHistory {
    calls: Mutex<VecDeque<PastCall>>,
}

/// One call and its outcome.
struct PastCall {
    session: String,
    repo: Option<String>,
    told: Value,
}

/// Who makes a call.
pub(super) struct Caller<'a> {
    /// The session: of MCP by its number, over plain HTTP as the client names it.
    pub(super) session: &'a str,
    /// The client, as it calls itself.
    pub(super) client: Option<&'a str>,
}

/// The part of a call that is kept, taken before the call consumes its input.
pub(super) struct Asked {
    tool: &'static str,
    repo: Option<String>,
    input: Value,
}

impl Asked {
    pub(super) fn of(tool: &ToolSpec, input: &Value) -> Self {
        Self {
            tool: tool.name,
            repo: input["repo"].as_str().map(str::to_owned),
            input: kept_input(tool, input),
        }
    }
}

impl CallHistory {
    /// Notes a call that ended. Returns its numbers, to be counted.
    pub(super) fn note(
        &self,
        caller: &Caller<'_>,
        asked: Asked,
        outcome: &Result<Value>,
        took: Duration,
    ) -> CountedCall {
        let (freshness, error, n_bytes) = match outcome {
            Ok(answer) => (answer["freshness"].as_str(), None, length(answer)),
            Err(error) => (None, Some(error.code.as_str()), 0),
        };
        let counted = CountedCall {
            tool: asked.tool,
            freshness: FRESHNESS.into_iter().find(|it| freshness == Some(it)),
            error,
            n_bytes,
            took,
        };
        let told = json!({
            "at": time(now_ms()),
            "tool": asked.tool,
            "repo": asked.repo,
            "input": asked.input,
            "freshness": freshness,
            "error": error,
            "tokens": n_bytes.div_ceil(4),
            "ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "session": caller.session,
            "client": caller.client,
        });
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.len() == MAX_CALLS {
            calls.pop_front();
        }
        calls.push_back(PastCall {
            session: caller.session.to_owned(),
            repo: asked.repo,
            told,
        });
        counted
    }

    /// Returns the calls of a session, of a repository, or of all, the last one first: `{"calls": […]}`.
    pub(super) fn told(&self, session: Option<&str>, repo: Option<&str>) -> Value {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = calls.iter().rev().filter(|call| {
            session.is_none_or(|session| call.session == session)
                && repo.is_none_or(|repo| call.repo.as_deref() == Some(repo))
        });
        json!({"calls": wanted.map(|call| call.told.clone()).collect::<Vec<_>>()})
    }
}

/// The input as it is kept: `null` where it is long, or may hold what somebody saves.
fn kept_input(tool: &ToolSpec, input: &Value) -> Value {
    let is_short = || length(input) <= MAX_INPUT_BYTES;
    if tool.read_only && is_short() {
        input.clone()
    } else {
        Value::Null
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::{Asked, CallHistory, Caller, MAX_CALLS};
    use crate::tools::by_name;

    #[test]
    fn the_last_calls_are_kept_without_texts() {
        let history = CallHistory::default();
        let search = by_name("cl_search").unwrap();
        let save = by_name("cl_save").unwrap();
        let (one, two) = (
            Caller {
                session: "a",
                client: Some("test"),
            },
            Caller {
                session: "b",
                client: None,
            },
        );
        let answer = Ok(json!({"freshness": "fresh", "preview": "SECRET"}));
        for n in 0..=MAX_CALLS {
            let input = json!({"query": n.to_string(), "repo": "core"});
            history.note(
                &one,
                Asked::of(search, &input),
                &answer,
                Duration::from_millis(3),
            );
        }
        let input = json!({"notes": "SECRET", "repo": "api"});
        history.note(&two, Asked::of(save, &input), &answer, Duration::ZERO);
        let all = history.told(None, None);
        assert_eq!(all["calls"].as_array().unwrap().len(), MAX_CALLS);
        assert!(!all.to_string().contains("SECRET"));
        assert_eq!(all["calls"][1]["input"]["query"], MAX_CALLS.to_string());
        assert_eq!(
            history.told(Some("b"), None)["calls"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
        assert_eq!(
            history.told(None, Some("api"))["calls"][0]["tool"],
            "cl_save"
        );
        assert_eq!(all["calls"][1]["ms"], 3);
    }
}
