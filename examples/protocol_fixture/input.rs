//! Tools that ask the client back within their result.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, InputRequiredResult, InputResponses,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use crate::content::typed;
use crate::tools::text;

/// The state that was handed out last, as a client has to give it back.
const STATE: &str = "sealed-5d41402abc4b2a76";

/// Returns a question to the user with one word for an answer.
pub(crate) fn question(message: &str, field: &str) -> Value {
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": {
        "type": "object", "properties": {field: {"type": "string"}}, "required": [field]}}})
}

/// Returns what the client answered under `key`, unless that is no answer.
pub(crate) fn answer(given: Option<&InputResponses>, key: &str) -> Option<Value> {
    given?.get(key).filter(|value| value.is_object()).cloned()
}

pub(crate) fn required(requests: Value, state: Option<&str>) -> InputRequiredResult {
    let state = state.map(str::to_owned);
    InputRequiredResult::new(Some(typed(requests)), state)
}

/// Calls one of these tools; `None` for any other.
pub(crate) fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let name = request.name.strip_prefix("test_input_required_result_")?;
    let given = |key| answer(request.input_responses.as_ref(), key);
    let state = request.request_state.as_deref();
    let ask = |requests, state| Some(Ok(required(requests, state).into()));
    let confirm = json!({"method": "elicitation/create", "params": {"mode": "form", "message": "Please confirm",
        "requestedSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}}});
    let words = match name {
        "elicitation" => {
            let name = given("user_name")
                .and_then(|user| user["content"]["name"].as_str().map(str::to_owned));
            match name {
                Some(name) => format!("Hello, {name}!"),
                None => {
                    return ask(
                        json!({"user_name": question("What is your name?", "name")}),
                        None,
                    );
                }
            }
        }
        "sampling" => {
            let Some(answer) = given("capital_question") else {
                let asked = sampling("What is the capital of France?", 100);
                return ask(json!({"capital_question": asked}), None);
            };
            answer["content"]["text"].to_string()
        }
        "list_roots" => match given("client_roots") {
            Some(answer) => answer["roots"].to_string(),
            None => {
                return ask(
                    json!({"client_roots": {"method": "roots/list", "params": {}}}),
                    None,
                );
            }
        },
        "request_state" | "tampered_state" => match (given("confirm"), state) {
            (Some(_), Some(STATE)) => "state-ok".to_owned(),
            (_, None) => return ask(json!({"confirm": confirm}), Some(STATE)),
            _ => {
                return Some(Err(ErrorData::invalid_params(
                    "this is not the state",
                    None,
                )));
            }
        },
        "multiple_inputs" => {
            let all = ["user_name", "greeting", "client_roots"].map(given);
            if state != Some(STATE) || all.iter().any(Option::is_none) {
                let requests = json!({
                    "user_name": question("What is your name?", "name"),
                    "greeting": sampling("Generate a greeting", 50),
                    "client_roots": {"method": "roots/list", "params": {}},
                });
                return ask(requests, Some(STATE));
            }
            "All is answered.".to_owned()
        }
        "multi_round" => match (given("step1"), given("step2"), state) {
            (_, Some(_), Some("round-2")) => "Both steps are answered.".to_owned(),
            (Some(_), _, Some("round-1")) => {
                let asked = question("Step 2: What is your favorite color?", "color");
                return ask(json!({"step2": asked}), Some("round-2"));
            }
            _ => {
                let asked = question("Step 1: What is your name?", "name");
                return ask(json!({"step1": asked}), Some("round-1"));
            }
        },
        "capabilities" => {
            let client = context.client_capabilities().unwrap_or_default();
            let mut requests = serde_json::Map::new();
            if client.sampling.is_some() {
                requests.insert("greeting".to_owned(), sampling("Generate a greeting", 50));
            }
            if client.elicitation.is_some() {
                let asked = question("What is your name?", "name");
                requests.insert("user_name".to_owned(), asked);
            }
            if requests.is_empty() {
                "The client can't be asked.".to_owned()
            } else {
                return ask(Value::Object(requests), None);
            }
        }
        _ => return None,
    };
    Some(Ok(text(&words).into()))
}

fn sampling(words: &str, max_tokens: u32) -> Value {
    json!({"method": "sampling/createMessage", "params": {"maxTokens": max_tokens, "messages": [
        {"role": "user", "content": {"type": "text", "text": words}}]}})
}
