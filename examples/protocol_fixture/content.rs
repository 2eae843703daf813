//! Prompts and resources.

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Prompt, ReadResourceResult,
    Resource, ResourceTemplate,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::input;

/// A red pixel.
pub(crate) const IMAGE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// A sound without samples.
pub(crate) const SOUND: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// Returns a constant of the protocol from its JSON.
pub(crate) fn typed<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("a constant is of its type")
}

/// Returns a whole result from its JSON.
pub(crate) fn result<T: DeserializeOwned>(mut value: Value) -> T {
    value["resultType"] = json!("complete");
    typed(value)
}

pub(crate) fn prompts() -> Vec<Prompt> {
    typed(json!([
        {"name": "test_simple_prompt", "description": "A constant."},
        {"name": "test_prompt_with_arguments", "description": "Shows its arguments.", "arguments": [
            {"name": "arg1", "description": "The first.", "required": true},
            {"name": "arg2", "description": "The second.", "required": true},
        ]},
        {"name": "test_prompt_with_embedded_resource", "description": "Holds a resource.", "arguments": [
            {"name": "resourceUri", "description": "Its address.", "required": true},
        ]},
        {"name": "test_prompt_with_image", "description": "Holds an image."},
        {"name": "test_input_required_result_prompt", "description": "Asks back."},
    ]))
}

pub(crate) fn prompt(request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let argument = |name: &str| {
        let given = request.arguments.as_ref().and_then(|all| all.get(name));
        given.and_then(Value::as_str).unwrap_or_default()
    };
    let text = |text: &str| json!({"role": "user", "content": {"type": "text", "text": text}});
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => vec![text(&format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            argument("arg1"),
            argument("arg2")
        ))],
        "test_prompt_with_embedded_resource" => {
            let resource = json!({"uri": argument("resourceUri"), "mimeType": "text/plain",
                                  "text": "Embedded resource content for testing."});
            vec![
                json!({"role": "user", "content": {"type": "resource", "resource": resource}}),
                text("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => vec![
            json!({"role": "user", "content": {"type": "image", "data": IMAGE, "mimeType": "image/png"}}),
            text("Please analyze the image above."),
        ],
        "test_input_required_result_prompt" => {
            let given = input::answer(request.input_responses.as_ref(), "user_context");
            let context =
                given.and_then(|given| given["content"]["context"].as_str().map(str::to_owned));
            let Some(context) = context else {
                let question = input::question("What context should the prompt use?", "context");
                return Ok(input::required(json!({"user_context": question}), None).into());
            };
            vec![text(&format!("In the context of {context}."))]
        }
        name => {
            let words = format!("there is no prompt {name}");
            return Err(ErrorData::invalid_params(words, None));
        }
    };
    Ok(result::<GetPromptResult>(json!({"messages": messages})).into())
}

pub(crate) fn resources() -> Vec<Resource> {
    typed(json!([
        {"uri": "test://static-text", "name": "text", "description": "A constant.", "mimeType": "text/plain"},
        {"uri": "test://static-binary", "name": "binary", "description": "An image.", "mimeType": "image/png"},
        {"uri": "test://watched-resource", "name": "watched", "description": "One that never changes.",
         "mimeType": "text/plain"},
    ]))
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    typed(json!([
        {"uriTemplate": "test://template/{id}/data", "name": "template", "description": "Shows its id.",
         "mimeType": "application/json"},
    ]))
}

pub(crate) fn resource(uri: &str) -> Option<ReadResourceResult> {
    let contents = match uri {
        "test://static-text" => json!({"uri": uri, "mimeType": "text/plain",
            "text": "This is the content of the static text resource."}),
        "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": IMAGE}),
        "test://watched-resource" => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "Nothing happened."})
        }
        _ => {
            let id = uri
                .strip_prefix("test://template/")?
                .strip_suffix("/data")?;
            let data =
                json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            json!({"uri": uri, "mimeType": "application/json", "text": data.to_string()})
        }
    };
    Some(result(json!({"contents": [contents]})))
}
