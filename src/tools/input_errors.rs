//! An input that does not fit its schema → an error that names the argument, says what it takes, and gives an example.
//!
//! Does not decide whether an input is right: the input's type does, in [`super::schema`].

use serde_json::{Map, Value};

use crate::error::Error;
use crate::workspace::cut_argument;

/// The beginning of a list of fields.
pub(super) const ACCEPTED: &str = "accepted: ";

/// Returns the error of the first field whose value is of another type than its schema says, or none of the words that it
/// takes: of `{"limit": {}}` "field `limit` takes an integer (1 to 200), not an object". `None` where all of them fit.
pub(super) fn wrong_type(input: &Value, schema: &Map<String, Value>) -> Option<Error> {
    let fields = schema.get("properties")?.as_object()?;
    let given = input.as_object()?;
    let mut fields = fields
        .iter()
        .filter_map(|(name, field)| Some((name, field, given.get(name)?)));
    fields.find_map(|(name, field, value)| wrong_value(name, field, value))
}

/// Returns the error of a field whose value does not fit.
pub(super) fn wrong_value(name: &str, field: &Value, value: &Value) -> Option<Error> {
    let (place, schema, value) = misfit(name.to_owned(), field, value)?;
    Some(Error::invalid(
        format!(
            "field `{}` takes {}, not {}",
            cut_argument(&place),
            taken(schema),
            named(value)
        ),
        format!("for example `{name}: {}`", example(name, field)),
    ))
}

/// Returns the innermost value that does not fit, with its place and schema: `path[0]` of `{"path": [1]}`.
fn misfit<'a>(
    place: String,
    schema: &'a Value,
    value: &'a Value,
) -> Option<(String, &'a Value, &'a Value)> {
    if let Some(words) = schema["enum"].as_array() {
        return (!words.contains(value)).then_some((place, schema, value));
    }
    let is_of_type = match schema["type"].as_str()? {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|it| it.fract() == 0.0),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    if !is_of_type {
        return Some((place, schema, value));
    }
    match value {
        Value::Array(list) => list
            .iter()
            .enumerate()
            .find_map(|(at, entry)| misfit(format!("{place}[{at}]"), &schema["items"], entry)),
        Value::Object(fields) => fields.iter().find_map(|(name, value)| {
            misfit(
                format!("{place}.{name}"),
                &schema["properties"][name],
                value,
            )
        }),
        _ => None,
    }
}

/// Returns the values that a field takes, in words: `an integer (1 to 200)`.
fn taken(schema: &Value) -> String {
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<String> = words.iter().filter_map(Value::as_str).map(quoted).collect();
        return format!("one of {}", words.join(", "));
    }
    match schema["type"].as_str().unwrap_or_default() {
        "string" => "a string".to_owned(),
        "boolean" => "true or false".to_owned(),
        "integer" => match (schema["minimum"].as_i64(), schema["maximum"].as_i64()) {
            (Some(low), Some(high)) => format!("an integer ({low} to {high})"),
            (Some(low), None) => format!("an integer (from {low})"),
            _ => "an integer".to_owned(),
        },
        "array" => match schema["items"]["type"].as_str() {
            Some("object") => "an array of objects".to_owned(),
            Some("string") => "an array of strings".to_owned(),
            _ => "an array".to_owned(),
        },
        "object" => {
            let fields = schema["properties"].as_object();
            let names: Vec<String> = fields
                .into_iter()
                .flat_map(|fields| fields.keys().map(|name| quoted(name)))
                .collect();
            format!("an object with {}", names.join(", "))
        }
        _ => "another value".to_owned(),
    }
}

fn quoted(word: &str) -> String {
    format!("`{word}`")
}

/// Returns a given value as a message names it.
fn named(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("the string `{}`", cut_argument(text)),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Returns a value that a field takes, as JSON.
fn example(name: &str, schema: &Value) -> String {
    if let Some(word) = schema["enum"].get(0) {
        return word.to_string();
    }
    match schema["type"].as_str().unwrap_or_default() {
        "boolean" => "true".to_owned(),
        "integer" => {
            let low = schema["minimum"].as_i64().unwrap_or(i64::MIN);
            let high = schema["maximum"].as_i64().unwrap_or(i64::MAX);
            let usual = if high > 10_000 { 2000 } else { 5 };
            usual.clamp(low, high).to_string()
        }
        "array" => format!("[{}]", example(name, &schema["items"])),
        "object" => {
            let fields = schema["properties"].as_object();
            let first = fields.and_then(|fields| fields.iter().next());
            let first = first.map(|(name, field)| format!("\"{name}\": {}", example(name, field)));
            format!("{{{}}}", first.unwrap_or_default())
        }
        _ => {
            let text = match name {
                "path" | "about" => "src/app.ts",
                "to" | "symbol" | "targets" => "Store.open",
                "handle" => "sym_0123456789abcdef",
                "repo" => "/home/me/project",
                "base" | "head" | "with" | "branch" | "ref" => "main",
                "kind" => "function",
                "language" => "typescript",
                "command" => "npm test",
                _ => "text",
            };
            format!("\"{text}\"")
        }
    }
}

/// Returns the error of a field that no schema has. `place` is that of the object that it is in: `items[0]`, or nothing for
/// the input itself.
pub(super) fn unknown_field(name: &str, place: &str, schema: &Map<String, Value>) -> Error {
    let name = cut_argument(name);
    let message = if place.is_empty() {
        format!("unknown field `{name}`")
    } else {
        format!("unknown field `{name}` in `{}`", cut_argument(place))
    };
    Error::invalid(message, accepted(schema))
}

/// Returns the fields that a schema has, each with its type.
pub(super) fn accepted(schema: &Map<String, Value>) -> String {
    let Some(Value::Object(fields)) = schema.get("properties") else {
        return "this tool takes no arguments".to_owned();
    };
    let fields: Vec<String> = fields
        .iter()
        .map(|(name, field)| format!("{name} ({})", type_name(field)))
        .collect();
    format!("{ACCEPTED}{}", fields.join(", "))
}

/// Returns the type of a field in few words: `integer 1-200`, `words|literal|regex`, `array of source|callers`,
/// `object {command, passed}`.
pub(super) fn type_name(field: &Value) -> String {
    if let Some(words) = field["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return words.join("|");
    }
    let Some(kind) = field["type"].as_str() else {
        return "value".to_owned();
    };
    match (kind, field["minimum"].as_i64(), field["maximum"].as_i64()) {
        ("array", ..) if field["items"].is_object() => {
            format!("array of {}", type_name(&field["items"]))
        }
        ("object", ..) => match field["properties"].as_object() {
            Some(fields) => {
                let names: Vec<&str> = fields.keys().map(String::as_str).collect();
                format!("object {{{}}}", names.join(", "))
            }
            None => kind.to_owned(),
        },
        (_, Some(low), Some(high)) => format!("{kind} {low}-{high}"),
        (_, Some(low), None) => format!("{kind} from {low}"),
        _ => kind.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{type_name, unknown_field, wrong_type};

    fn schema() -> Map<String, Value> {
        let schema = json!({"properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 200},
            "all": {"type": "boolean"},
            "path": {"type": "array", "items": {"type": "string"}},
            "view": {"enum": ["outline", "files"]},
            "include": {"type": "array", "items": {"enum": ["source", "tests"]}},
            "items": {"type": "array", "items": {"type": "object", "properties": {"path": {"type": "string"}}}},
            "test": {"type": "object", "properties": {"command": {"type": "string"}, "passed": {"type": "boolean"}}},
        }});
        schema.as_object().unwrap().clone()
    }

    #[test]
    fn a_wrong_type_is_told_with_an_example() {
        for (input, message, hint) in [
            (
                json!({"query": {}}),
                "field `query` takes a string, not an object",
                "for example `query: \"text\"`",
            ),
            (
                json!({"limit": "five"}),
                "field `limit` takes an integer (1 to 200), not the string `five`",
                "for example `limit: 5`",
            ),
            (
                json!({"limit": 1.5}),
                "field `limit` takes an integer (1 to 200), not 1.5",
                "for example `limit: 5`",
            ),
            (
                json!({"all": "yes"}),
                "field `all` takes true or false, not the string `yes`",
                "for example `all: true`",
            ),
            (
                json!({"path": {}}),
                "field `path` takes an array of strings, not an object",
                "for example `path: [\"src/app.ts\"]`",
            ),
            (
                json!({"path": ["a", 1]}),
                "field `path[1]` takes a string, not 1",
                "for example `path: [\"src/app.ts\"]`",
            ),
            (
                json!({"view": "x"}),
                "field `view` takes one of `outline`, `files`, not the string `x`",
                "for example `view: \"outline\"`",
            ),
            (
                json!({"include": ["source", {}]}),
                "field `include[1]` takes one of `source`, `tests`, not an object",
                "for example `include: [\"source\"]`",
            ),
            (
                json!({"items": [{"path": null}]}),
                "field `items[0].path` takes a string, not null",
                "for example `items: [{\"path\": \"src/app.ts\"}]`",
            ),
            (
                json!({"test": "x"}),
                "field `test` takes an object with `command`, `passed`, not the string `x`",
                "for example `test: {\"command\": \"npm test\"}`",
            ),
        ] {
            let error = wrong_type(&input, &schema()).expect("the input is wrong");
            assert_eq!((&*error.message, &*error.hint), (message, hint));
        }
        let right = json!({"query": "a", "limit": 5.0, "path": ["a"], "other": {}, "test": {}});
        assert!(wrong_type(&right, &schema()).is_none());
    }

    #[test]
    fn long_values_and_names_are_cut() {
        let long = "a".repeat(100_000);
        let inputs = [
            json!({"view": long}),
            json!({"items": [{"path": 1, &*long: 2}]}),
        ];
        for input in inputs {
            let error = wrong_type(&input, &schema()).expect("the input is wrong");
            assert!(error.message.len() < 500, "{}", error.message.len());
        }
        let error = unknown_field(&long, "", &schema());
        assert!(error.message.len() < 300, "{}", error.message.len());
    }

    #[test]
    fn types_are_named_with_their_parts() {
        for (field, name) in [
            ("query", "string"),
            ("limit", "integer 1-200"),
            ("path", "array of string"),
            ("view", "outline|files"),
            ("include", "array of source|tests"),
            ("items", "array of object {path}"),
            ("test", "object {command, passed}"),
        ] {
            assert_eq!(type_name(&schema()["properties"][field]), name);
        }
    }
}
