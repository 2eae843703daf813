//! Bytes of a client → messages, or the error that the protocol has for them.

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, GetMeta, JsonRpcError,
    ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use serde_json::Value;

/// The longest message that is read, in bytes. The longest input of a tool is a hundredth of it.
pub(super) const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The most messages that may come as one.
const MAX_BATCH: usize = 100;

/// Methods of the protocol: for these, other parameters than theirs are wrong, not unknown.
const METHODS: &[&str] = &[
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];

/// Those of them that the newest revision does without.
const REMOVED: &[&str] = &[
    "initialize",
    "logging/setLevel",
    "ping",
    "resources/subscribe",
    "resources/unsubscribe",
];

/// The result of parsing some bytes.
#[derive(Debug)]
pub(super) enum ParsedMessage {
    /// Messages of a client; several where it sent a batch.
    Messages(Vec<ClientJsonRpcMessage>),
    /// No message; this is the answer.
    Refused(Box<ServerJsonRpcMessage>),
    /// Nothing that wants an answer.
    Nothing,
}

/// Parses the bytes of a client.
pub(super) fn read(bytes: &[u8]) -> ParsedMessage {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return ParsedMessage::Nothing;
    }
    if let Ok(message) = serde_json::from_slice(bytes) {
        return known(message);
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Array(parts)) => several(parts),
        Ok(value) => single(value),
        Err(error) => ParsedMessage::Refused(refused(
            None,
            ErrorCode::PARSE_ERROR,
            format!("this is no JSON: {error}"),
        )),
    }
}

/// Returns the error for a message that is longer than [`MAX_BYTES`].
pub(super) fn too_long() -> ServerJsonRpcMessage {
    refusal(
        None,
        ErrorCode::INVALID_REQUEST,
        format!("a message may have {MAX_BYTES} bytes"),
    )
}

/// Returns the error for a request.
pub(super) fn refusal(
    id: Option<RequestId>,
    code: ErrorCode,
    words: String,
) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::Error(JsonRpcError::new(id, ErrorData::new(code, words, None)))
}

/// Returns the message for parameters that a method does not take: of a call with a list of arguments, what they are instead.
fn other_form(method: &str) -> String {
    let method = crate::workspace::cut_argument(method);
    let form = match method.as_str() {
        "tools/call" => ": `name` is a string, `arguments` an object",
        _ => "",
    };
    format!("the parameters of {method} have another form{form}")
}

fn refused(id: Option<RequestId>, code: ErrorCode, words: String) -> Box<ServerJsonRpcMessage> {
    Box::new(refusal(id, code, words))
}

/// Refuses a request that its revision does not have, or with parameters that are none of its own.
fn known(message: ClientJsonRpcMessage) -> ParsedMessage {
    let ClientJsonRpcMessage::Request(request) = &message else {
        return ParsedMessage::Messages(vec![message]);
    };
    let is_typed = !matches!(request.request, ClientRequest::CustomRequest(_));
    let method = request.request.method();
    let version = request.request.get_meta().protocol_version();
    let is_newest = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    let error = if is_newest && REMOVED.contains(&method) {
        let words = format!("{method} went with revision 2026-07-28");
        (ErrorCode::METHOD_NOT_FOUND, words)
    } else if !is_typed && METHODS.contains(&method) {
        let words = other_form(method);
        (ErrorCode::INVALID_PARAMS, words)
    } else {
        return ParsedMessage::Messages(vec![message]);
    };
    ParsedMessage::Refused(refused(Some(request.id.clone()), error.0, error.1))
}

/// Several messages as one came with one revision (2025-03-26) and went with the next.
fn several(parts: Vec<Value>) -> ParsedMessage {
    if parts.is_empty() || parts.len() > MAX_BATCH {
        return ParsedMessage::Refused(refused(
            None,
            ErrorCode::INVALID_REQUEST,
            format!("a list of messages has 1 to {MAX_BATCH}"),
        ));
    }
    let mut messages = Vec::new();
    for part in parts {
        match single(part) {
            ParsedMessage::Messages(found) => messages.extend(found),
            ParsedMessage::Refused(refusal) => return ParsedMessage::Refused(refusal),
            ParsedMessage::Nothing => {}
        }
    }
    if messages.is_empty() {
        return ParsedMessage::Nothing;
    }
    ParsedMessage::Messages(messages)
}

fn single(value: Value) -> ParsedMessage {
    let id = value
        .get("id")
        .and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let has_id = value.get("id").is_some();
    let is_versioned = value.get("jsonrpc").and_then(Value::as_str) == Some("2.0");
    let method = value
        .get("method")
        .and_then(Value::as_str)
        .map(str::to_owned);
    let is_answer = value.get("result").is_some() || value.get("error").is_some();
    if let Ok(message) = serde_json::from_value(value) {
        return known(message);
    }
    match method {
        // Nobody waits for an answer to these.
        Some(_) if is_versioned && !has_id => ParsedMessage::Nothing,
        None if is_versioned && is_answer => ParsedMessage::Nothing,
        Some(method) if is_versioned && id.is_some() => {
            ParsedMessage::Refused(refused(id, ErrorCode::INVALID_PARAMS, other_form(&method)))
        }
        _ => ParsedMessage::Refused(refused(
            id,
            ErrorCode::INVALID_REQUEST,
            "this is no message of JSON-RPC 2.0".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ParsedMessage, read};

    /// Returns the error for some bytes: its code, and the id it is for.
    fn error(bytes: &[u8]) -> (i64, Value) {
        match read(bytes) {
            ParsedMessage::Refused(refusal) => {
                let refusal = serde_json::to_value(refusal).unwrap();
                (
                    refusal["error"]["code"].as_i64().unwrap(),
                    refusal["id"].clone(),
                )
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_no_json_is_a_parse_error() {
        let deep = "[".repeat(100_000);
        for bytes in [
            &b"{"[..],
            b"nonsense",
            b"\xff\xfe",
            b"{\"a\":\x00}",
            b"{}{}",
            deep.as_bytes(),
        ] {
            assert_eq!(error(bytes), (-32700, Value::Null));
        }
    }

    #[test]
    fn json_that_is_no_message_is_an_invalid_request() {
        for text in [
            "{}",
            "null",
            "5",
            "\"x\"",
            "[]",
            "{\"jsonrpc\":\"2.0\"}",
            "[1]",
        ] {
            assert_eq!(error(text.as_bytes()), (-32600, Value::Null), "{text}");
        }
        let old = json!({"jsonrpc": "1.0", "id": 3, "method": "ping"}).to_string();
        assert_eq!(error(old.as_bytes()), (-32600, json!(3)));
        let nobody = json!({"jsonrpc": "2.0", "id": null, "method": "ping"}).to_string();
        assert_eq!(error(nobody.as_bytes()), (-32600, Value::Null));
    }

    #[test]
    fn wrong_parameters_are_named_for_their_request() {
        for params in [
            json!({"name": 5}),
            json!({}),
            json!([]),
            json!("x"),
            Value::Null,
        ] {
            let text =
                json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params});
            assert_eq!(
                error(text.to_string().as_bytes()),
                (-32602, json!("a")),
                "{text}"
            );
        }
    }

    #[test]
    fn what_a_revision_does_without_is_unknown_in_it() {
        let ask = |version: &str| {
            let meta = json!({"io.modelcontextprotocol/protocolVersion": version});
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "_meta": meta, "protocolVersion": version, "capabilities": {},
                "clientInfo": {"name": "x", "version": "1"}}})
            .to_string()
        };
        assert_eq!(error(ask("2026-07-28").as_bytes()), (-32601, json!(1)));
        assert!(matches!(
            read(ask("2025-11-25").as_bytes()),
            ParsedMessage::Messages(_)
        ));
        let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping", "params": {
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}});
        assert_eq!(error(ping.to_string().as_bytes()), (-32601, json!(2)));
    }

    #[test]
    fn what_nobody_waits_for_is_passed_over() {
        for text in [
            "",
            "  \r\n",
            "\u{feff}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":7}",
            "{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":7}",
        ] {
            assert!(
                matches!(read(text.as_bytes()), ParsedMessage::Nothing),
                "{text}"
            );
        }
    }

    #[test]
    fn several_messages_may_come_as_one() {
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        let ParsedMessage::Messages(found) = read(json!([ping, ping]).to_string().as_bytes())
        else {
            panic!("two messages");
        };
        assert_eq!(found.len(), 2);
        let many = Value::Array(vec![ping; 101]).to_string();
        assert_eq!(error(many.as_bytes()).0, -32600);
    }
}
