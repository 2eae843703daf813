//! Input and output types as JSON Schema, and input values as types.
//!
//! Agents pay for the schema of an input in every session: it is kept short.

use std::time::Duration;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::{Deserialize, DeserializeOwned};
use serde_json::{Map, Value, json};
use serde_path_to_error::Segment;

use super::input_errors::{self, ACCEPTED, accepted};
use super::number::Number;
use crate::error::{Error, Result};
use crate::workspace::cut_argument;

/// The field of every question that says how long the index may be brought up for it, in milliseconds.
const BUDGET: &str = "budgetMs";

/// The most that it says.
const MAX_BUDGET_MS: u64 = 600_000;

/// Returns the schema of an input type.
pub fn input<T: JsonSchema>() -> Map<String, Value> {
    schema_of::<T>(false)
}

/// Returns the schema of an output type, without descriptions.
pub fn output<T: JsonSchema>() -> Map<String, Value> {
    schema_of::<T>(true)
}

/// Reads an input; nothing at all is an empty object.
///
/// # Errors
/// `invalid_argument`, which names the field and says what it takes; of an unknown or a missing field the accepted ones.
pub fn read<T: DeserializeOwned + JsonSchema>(value: Value) -> Result<T> {
    let value = if value.is_null() {
        Value::Object(Map::new())
    } else {
        value
    };
    serde_path_to_error::deserialize(&value).map_err(|error| {
        let place = error.path().to_string();
        let fault = error.inner().to_string();
        let schema = input::<T>();
        if let Some(name) = unknown_name(&fault) {
            return input_errors::unknown_field(
                name,
                &outer_place(&place, name),
                inner_of(&schema, error.path()),
            );
        }
        if let Some(wrong) = input_errors::wrong_type(&value, &schema) {
            return wrong;
        }
        let fault = cut_argument(&fault);
        let message = if place == "." {
            fault
        } else {
            format!("field `{}`: {fault}", cut_argument(&place))
        };
        Error::invalid(message, accepted(&schema))
    })
}

/// Returns the name of an unknown field that a fault is about: ``unknown field `x`, expected …``.
fn unknown_name(fault: &str) -> Option<&str> {
    let rest = fault.strip_prefix("unknown field `")?;
    // Of three fields or more, the accepted names stand between commas, in the same quotes.
    let end = rest
        .rfind("`, expected ")
        .or_else(|| rest.rfind("`, there are no fields"));
    end.map(|end| &rest[..end])
}

/// Returns the place of the object that holds a field: `items[0]` of `items[0].foo`, nothing for a field of the input.
fn outer_place(place: &str, name: &str) -> String {
    let outer = place.strip_suffix(name).unwrap_or(place);
    outer.trim_end_matches('.').to_owned()
}

/// Returns the schema of the innermost object on the way to a field that has a schema.
fn inner_of<'a>(
    schema: &'a Map<String, Value>,
    path: &serde_path_to_error::Path,
) -> &'a Map<String, Value> {
    let mut inner = schema;
    for segment in path {
        let next = match segment {
            Segment::Map { key } => inner.get("properties").and_then(|it| it.get(key)),
            Segment::Seq { .. } => inner.get("items"),
            Segment::Enum { .. } | Segment::Unknown => None,
        };
        match next.and_then(Value::as_object) {
            Some(next) => inner = next,
            None => break,
        }
    }
    inner
}

/// Adds the fields that no input type has to the accepted ones that an error lists.
pub(super) fn with_shared_fields(mut error: Error, has_ref: bool, has_budget: bool) -> Error {
    if error.hint.starts_with(ACCEPTED) {
        let shared = [(has_ref, REF, "string"), (has_budget, BUDGET, "integer")];
        let shared = shared.iter().filter(|(is_there, ..)| *is_there);
        for (_, name, kind) in shared {
            error.hint.push_str(&[", ", name, " (", kind, ")"].concat());
        }
    }
    error
}

/// Takes `budgetMs` out of an input: how long a question may bring the index up before it is answered. Every tool that
/// asks an index has the field, and no input type does.
///
/// # Errors
/// `invalid_argument` where it is no number of milliseconds.
pub(super) fn take_budget(input: &mut Value) -> Result<Option<Duration>> {
    let Some(value) = input
        .as_object_mut()
        .and_then(|fields| fields.remove(BUDGET))
    else {
        return Ok(None);
    };
    let schema = json!({"type": "integer", "minimum": 0, "maximum": MAX_BUDGET_MS});
    if let Some(error) =
        input_errors::wrong_value(BUDGET, &schema, &value).filter(|_| !value.is_null())
    {
        return Err(error);
    }
    let written = Option::<Number>::deserialize(value).ok().flatten();
    let limit = |ms: i64| u64::try_from(ms).unwrap_or(0).min(MAX_BUDGET_MS);
    Ok(written.map(|ms| Duration::from_millis(limit(ms.get()))))
}

/// The field of every tool that can be asked about a commit.
pub(super) const REF: &str = "ref";

/// The description of `ref`.
pub(super) const ABOUT_REF: &str = "A branch, tag or commit, in place of the work tree.";

/// Takes `ref` out of an input; no input type has it.
///
/// # Errors
/// `invalid_argument` where it is no text.
pub(super) fn take_ref(input: &mut Value) -> Result<Option<String>> {
    match input.as_object_mut().and_then(|fields| fields.remove(REF)) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) => Ok(Some(name)),
        Some(value) => match input_errors::wrong_value(REF, &json!({"type": "string"}), &value) {
            Some(error) => Err(error),
            None => Ok(None),
        },
    }
}

/// Adds `ref` to the schema of an input, before `repo`.
pub(super) fn with_ref(mut schema: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        let at = fields
            .keys()
            .position(|name| name == "repo")
            .unwrap_or(fields.len());
        let field = json!({"description": ABOUT_REF, "type": "string"});
        fields.shift_insert(at, REF.to_owned(), field);
    }
    schema
}

/// Adds `repos` to the schema of an output, and asks only for the fields that an answer of several repositories has, too.
pub(super) fn with_repos(mut schema: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        fields.insert("repos".to_owned(), json!({"type": "array"}));
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        let is_common = |name: &Value| {
            ["query", "count", "results", "freshness"]
                .iter()
                .any(|it| name == it)
        };
        required.retain(is_common);
        if required.is_empty() {
            schema.shift_remove("required");
        }
    }
    schema
}

fn schema_of<T: JsonSchema>(is_output: bool) -> Map<String, Value> {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    if is_output {
        settings.contract = schemars::generate::Contract::Serialize;
    }
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut value = Value::from(schema);
    tidy(&mut value, is_output);
    let mut object = match value {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    object.shift_remove("title");
    if !is_output {
        object.shift_remove("description");
        // Other names of the fields are taken as well; see `normalize_input`.
        object.shift_remove("additionalProperties");
        // Every tool has `repo`: the instructions of the server say what it is, and an answer names its `nextCursor`.
        for name in ["repo", "cursor"] {
            let field = object.get_mut("properties").and_then(|it| it.get_mut(name));
            if let Some(field) = field.and_then(Value::as_object_mut) {
                field.shift_remove("description");
            }
        }
    }
    object
        .entry("type")
        .or_insert_with(|| Value::from("object"));
    if is_output {
        share(&mut object);
    }
    object
}

/// The least bytes of a schema that stands in one place for several.
const MIN_SHARED_BYTES: usize = 90;

/// Puts each schema of an object that occurs more than once in `$defs`, under the name of the field that has it first.
fn share(schema: &mut Map<String, Value>) {
    let mut found: Vec<(String, String, usize)> = Vec::new();
    each_object(schema, "", &mut |name, value| {
        let text = value.to_string();
        match found.iter_mut().find(|(_, known, _)| *known == text) {
            Some((_, _, n)) => *n += 1,
            None => found.push((name.to_owned(), text, 1)),
        }
    });
    found.retain(|(_, text, n)| *n > 1 && text.len() >= MIN_SHARED_BYTES);
    // A schema within a shared one goes with it.
    let shared: Vec<(String, String)> = found
        .iter()
        .filter(|(_, text, n)| {
            !found
                .iter()
                .any(|(_, around, m)| around.len() > text.len() && around.contains(text) && m >= n)
        })
        .map(|(name, text, _)| (name.clone(), text.clone()))
        .collect();
    let mut definitions = Map::new();
    for (name, text) in shared {
        let reference = json!({"$ref": format!("#/$defs/{name}")});
        if definitions.contains_key(&name) {
            continue;
        }
        each_object(schema, "", &mut |_, value| {
            if serde_json::to_string(value).is_ok_and(|it| it == text) {
                let whole = std::mem::replace(value, reference.clone());
                definitions.entry(name.clone()).or_insert(whole);
            }
        });
    }
    if !definitions.is_empty() {
        schema.insert("$defs".to_owned(), Value::Object(definitions));
    }
}

/// Calls `on` with each schema of an object with fields below the root, and the name of the field that it is of.
fn each_object(fields: &mut Map<String, Value>, name: &str, on: &mut impl FnMut(&str, &mut Value)) {
    for (key, value) in fields {
        let name = match key.as_str() {
            "properties" | "items" | "anyOf" => name,
            own => own,
        };
        each_below(value, name, on);
    }
}

fn each_below(value: &mut Value, name: &str, on: &mut impl FnMut(&str, &mut Value)) {
    let is_object = value["type"] == "object" && value["properties"].is_object();
    if is_object {
        on(name, value);
    }
    match value {
        Value::Object(inner) => each_object(inner, name, on),
        Value::Array(list) => list
            .iter_mut()
            .for_each(|inner| each_below(inner, name, on)),
        _ => {}
    }
}

/// Takes out what costs tokens and says nothing: formats, titles, and `null` beside a type, in an output of fields that are
/// left out where they have no value: elsewhere `null` is a value that a client checks.
fn tidy(value: &mut Value, is_output: bool) {
    match value {
        Value::Object(object) => {
            object.shift_remove("format");
            if is_output {
                // That a count is not negative need not be said.
                object.shift_remove("minimum");
                object.shift_remove("maximum");
            }
            if object.get("default").is_some_and(Value::is_null) {
                object.shift_remove("default");
            }
            if let (false, Some(Value::Object(items))) = (is_output, object.get_mut("items"))
                && items.contains_key("enum")
            {
                // The words say it.
                items.shift_remove("description");
            }
            if is_output && object.get("description").is_some_and(Value::is_string) {
                object.shift_remove("description");
            }
            if let Some(Value::Object(fields)) = object.get_mut("properties") {
                // A field of any value: the protocol takes an object as its schema and no `true`.
                for field in fields.values_mut().filter(|field| **field == true) {
                    *field = json!({});
                }
            }
            if is_output {
                leave_out_nulls(object);
            } else if let Some(Value::Object(items)) = object.get_mut("items") {
                // The field itself says what its entries are.
                items.shift_remove("description");
            }
            if let (false, Some(Value::Array(types))) = (is_output, object.get_mut("type")) {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".to_owned(), only);
                }
            }
            if let (false, Some(Value::Array(words))) = (is_output, object.get_mut("enum")) {
                words.retain(|word| !word.is_null());
            }
            if let (false, Some(Value::Array(choices))) = (is_output, object.get_mut("anyOf")) {
                choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
                if let [Value::Object(only)] = choices.as_slice() {
                    let only = only.clone();
                    object.shift_remove("anyOf");
                    for (key, inner) in only {
                        object.entry(key).or_insert(inner);
                    }
                }
            }
            if let Some(Value::Array(choices)) = object.get("oneOf") {
                let words: Vec<Value> = choices
                    .iter()
                    .filter_map(|choice| choice.get("const").cloned())
                    .collect();
                if words.len() == choices.len() {
                    object.shift_remove("oneOf");
                    object.insert("enum".to_owned(), Value::Array(words));
                }
            }
            for inner in object.values_mut() {
                tidy(inner, is_output);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|inner| tidy(inner, is_output)),
        _ => {}
    }
}

/// Takes `null` from the types of fields that are left out where they have no value.
fn leave_out_nulls(object: &mut Map<String, Value>) {
    let required: Vec<Value> = match object.get("required") {
        Some(Value::Array(names)) => names.clone(),
        _ => Vec::new(),
    };
    let Some(Value::Object(fields)) = object.get_mut("properties") else {
        return;
    };
    let optional = fields
        .iter_mut()
        .filter(|(name, _)| !required.iter().any(|it| it == name.as_str()));
    for (_, field) in optional {
        if let Some(Value::Array(types)) = field.get_mut("type") {
            types.retain(|name| name != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                field["type"] = only;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    use super::{input, read, share};
    use crate::error::Code;
    use crate::tools::number::{Number, clamp};

    #[test]
    fn a_schema_that_occurs_twice_stands_once() {
        let place = json!({"type": "object", "properties": {"path": {"type": "string"}, "line": {"type": "integer"},
            "symbol": {"type": "string"}}, "required": ["path", "line"]});
        let list = json!({"type": "array", "items": place});
        let mut schema = json!({"type": "object", "properties": {"first": place, "others": list, "type": {"type": "string"}}});
        share(schema.as_object_mut().unwrap());
        let reference = json!({"$ref": "#/$defs/first"});
        assert_eq!(schema["properties"]["first"], reference);
        assert_eq!(schema["properties"]["others"]["items"], reference);
        assert_eq!(schema["$defs"]["first"], place);
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Sample {
        /// The words to look for.
        query: String,
        /// How many.
        limit: Option<Number<1, 50>>,
    }

    #[test]
    fn an_unknown_field_is_named_alone_however_many_there_are() {
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct Nothing {}
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only the schema is read")]
        struct Four {
            a: Option<bool>,
            b: Option<bool>,
            c: Option<bool>,
            d: Option<bool>,
        }
        let message = |error: crate::error::Error| error.message;
        for name in ["bogus", "x`, `y"] {
            let wanted = format!("unknown field `{name}`");
            let of_four = read::<Four>(json!({name: 1})).map_err(message);
            assert_eq!(of_four.unwrap_err(), wanted);
            let of_nothing = read::<Nothing>(json!({name: 1})).map_err(message);
            assert_eq!(of_nothing.unwrap_err(), wanted);
        }
    }

    #[test]
    fn a_schema_says_no_more_than_it_must() {
        assert_eq!(
            serde_json::Value::from(input::<Sample>()),
            json!({
                "type": "object",
                "properties": {
                    "query": {"description": "The words to look for.", "type": "string"},
                    "limit": {"description": "How many.", "type": "integer", "minimum": 1, "maximum": 50},
                },
                "required": ["query"],
            })
        );
    }

    #[test]
    fn a_wrong_input_names_the_field_and_what_it_takes() {
        let all = "accepted: query (string), limit (integer 1-50)";
        for (value, part, hint) in [
            (
                json!({"query": "a", "limt": 1}),
                "unknown field `limt`",
                all,
            ),
            (
                json!({"query": 7}),
                "field `query` takes a string",
                "`query: \"text\"`",
            ),
            (
                json!({"query": "a", "limit": "x"}),
                "field `limit` takes",
                "`limit: 5`",
            ),
            (
                json!({"query": "a", "limit": 1.5}),
                "field `limit` takes",
                "`limit: 5`",
            ),
            (json!({}), "missing field `query`", all),
            (json!(null), "missing field `query`", all),
        ] {
            let error = read::<Sample>(value).unwrap_err();
            assert_eq!(error.code, Code::InvalidArgument);
            assert!(error.message.contains(part), "{}", error.message);
            assert!(error.hint.contains(hint), "{}", error.hint);
        }
    }

    #[test]
    fn an_unknown_field_of_an_object_is_told_with_its_place() {
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct Entry {
            #[expect(dead_code, reason = "only the schema is read")]
            path: Option<String>,
        }
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct Entries {
            #[expect(dead_code, reason = "only the schema is read")]
            items: Vec<Entry>,
        }
        let error = read::<Entries>(json!({"items": [{"foo": 1}]})).unwrap_err();
        assert_eq!(error.message, "unknown field `foo` in `items[0]`");
        assert_eq!(error.hint, "accepted: path (string)");
    }

    #[test]
    fn numbers_out_of_range_are_clamped() {
        for (value, wanted) in [
            (json!(null), 5),
            (json!(0), 1),
            (json!(-3), 1),
            (json!(7.0), 7),
            (json!(1e30), 50),
            (json!(u64::MAX), 50),
        ] {
            let sample: Sample = read(json!({"query": "a", "limit": value})).unwrap();
            assert_eq!(clamp(sample.limit, 5, 1..=50), wanted, "{value}");
            assert_eq!(sample.query, "a");
        }
    }
}
