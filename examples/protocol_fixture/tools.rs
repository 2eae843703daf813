//! Tools that answer with constants, notify while they run, or ask the client.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ErrorData,
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ServerRequest, Tool,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use crate::content::{IMAGE, SOUND, result, typed};

/// How long a tool takes between two notifications.
const STEP: Duration = Duration::from_millis(50);

/// Tools without arguments.
const PLAIN: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_error_handling",
    "test_tool_with_progress",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_logging_tool",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_capabilities",
];

pub(crate) fn all() -> Vec<Tool> {
    let tool = |name: &str, schema: Value| {
        typed(json!({"name": name, "description": "A tool of the fixture.", "inputSchema": schema}))
    };
    let word = |name: &str, extra: Value| {
        let mut field = json!({"type": "string"});
        if let (Some(field), Some(extra)) = (field.as_object_mut(), extra.as_object()) {
            field.extend(extra.clone());
        }
        json!({"type": "object", "properties": {name: field}, "required": [name]})
    };
    let plain = PLAIN
        .iter()
        .map(|name| tool(name, json!({"type": "object", "properties": {}})));
    plain
        .chain([
            tool("test_sampling", word("prompt", json!({}))),
            tool("test_elicitation", word("message", json!({}))),
            tool("test_header", word("region", json!({"x-mcp-header": "Region"}))),
            tool("json_schema_2020_12_tool", json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {
                    "street": {"type": "string"}, "city": {"type": "string"}}}},
                "properties": {
                    "name": {"type": "string"},
                    "address": {"$ref": "#/$defs/address"},
                    "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                    "phone": {"type": "string"},
                    "email": {"type": "string"},
                },
                "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
                "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
                "then": {"required": ["phone"]},
                "else": {"required": ["email"]},
                "additionalProperties": false,
            })),
        ])
        .collect()
}

/// Returns a result of one text.
pub(crate) fn text(words: &str) -> CallToolResult {
    result(json!({"content": [{"type": "text", "text": words}]}))
}

pub(crate) async fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let argument = |name: &str| {
        let given = request.arguments.as_ref().and_then(|all| all.get(name));
        given.and_then(Value::as_str).unwrap_or_default()
    };
    let image = json!({"type": "image", "data": IMAGE, "mimeType": "image/png"});
    let resource = |uri: &str, kind: &str, text: &str| json!({"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": text}});
    let content = match request.name.as_ref() {
        "test_simple_text" => {
            return Ok(text("This is a simple text response for testing.").into());
        }
        "test_image_content" => vec![image],
        "test_audio_content" => {
            vec![json!({"type": "audio", "data": SOUND, "mimeType": "audio/wav"})]
        }
        "test_embedded_resource" => vec![resource(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )],
        "test_multiple_content_types" => vec![
            json!({"type": "text", "text": "Multiple content types test:"}),
            image,
            resource(
                "test://mixed-content-resource",
                "application/json",
                "{\"test\":\"data\",\"value\":123}",
            ),
        ],
        "test_tool_with_logging" => return log(context).await,
        "test_tool_with_progress" => return progress(context).await,
        "test_error_handling" => {
            return Ok(
                result::<CallToolResult>(json!({"isError": true, "content": [
                {"type": "text", "text": "This tool intentionally returns an error for testing"}]}))
                .into(),
            );
        }
        "test_sampling" => {
            let answer = ask(
                context,
                json!({"method": "sampling/createMessage", "params": {
                "maxTokens": 100, "messages": [
                    {"role": "user", "content": {"type": "text", "text": argument("prompt")}}]}}),
            )
            .await?;
            let words = answer["content"]["text"].as_str().unwrap_or_default();
            return Ok(text(&format!("LLM response: {words}")).into());
        }
        "test_elicitation" => {
            let answer = ask(
                context,
                form(
                    argument("message"),
                    &json!({
                "username": {"type": "string", "description": "User's response"},
                "email": {"type": "string", "description": "User's email address"}}),
                ),
            )
            .await?;
            return Ok(text(&format!("User response: {answer}")).into());
        }
        "test_elicitation_sep1034_defaults" => return elicited(context, &defaults()).await,
        "test_elicitation_sep1330_enums" => return elicited(context, &choices()).await,
        "test_missing_capability" => {
            let client = context.client_capabilities();
            if client.is_none_or(|client| client.sampling.is_none()) {
                let needed: ClientCapabilities = typed(json!({"sampling": {}}));
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            return Ok(text("The client can be asked.").into());
        }
        "test_logging_tool"
        | "test_streaming_elicitation"
        | "test_header"
        | "json_schema_2020_12_tool" => return Ok(text("Done.").into()),
        name => {
            let words = format!("there is no tool {name}");
            return Err(ErrorData::invalid_params(words, None));
        }
    };
    Ok(result::<CallToolResult>(json!({"content": content})).into())
}

async fn log(context: &RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
    for words in [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ] {
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(words));
        let told = context.peer.notify_logging_message(message).await;
        told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        tokio::time::sleep(STEP).await;
    }
    Ok(text("All three messages were sent.").into())
}

async fn progress(context: &RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
    let token = context.meta.get_progress_token();
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = &token {
            let step = ProgressNotificationParam::new(token.clone(), done).with_total(100.0);
            let told = context.peer.notify_progress(step).await;
            told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        }
        tokio::time::sleep(STEP).await;
    }
    Ok(text("All steps are done.").into())
}

/// Sends the client a request and returns its answer.
async fn ask(context: &RequestContext<RoleServer>, request: Value) -> Result<Value, ErrorData> {
    let request: ServerRequest = typed(request);
    let answer = context.peer.send_request(request).await;
    let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(serde_json::to_value(answer).expect("an answer is plain data"))
}

async fn elicited(
    context: &RequestContext<RoleServer>,
    fields: &Value,
) -> Result<CallToolResponse, ErrorData> {
    let answer = ask(context, form("Please fill this in", fields)).await?;
    let words = format!(
        "Elicitation completed: action={}, content={}",
        answer["action"].as_str().unwrap_or_default(),
        answer["content"]
    );
    Ok(text(&words).into())
}

fn form(message: &str, fields: &Value) -> Value {
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": message,
        "requestedSchema": {"type": "object", "properties": fields, "required": []}}})
}

fn defaults() -> Value {
    json!({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    })
}

fn choices() -> Value {
    let titled = |title: &str| {
        json!([
            {"const": "value1", "title": format!("First {title}")},
            {"const": "value2", "title": format!("Second {title}")},
            {"const": "value3", "title": format!("Third {title}")},
        ])
    };
    json!({
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
                       "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
    })
}
