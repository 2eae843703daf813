//! Input as agents and people write it → input as a tool's schema has it.
//!
//! Takes other names of a field, numbers and switches written as text, and paths that are absolute or relative to the
//! working directory. A field that no schema has stays as it is: [`super::schema`] reports it.

use serde_json::{Map, Value, json};

use super::Call;
use super::explore::MAX_TARGETS;
use crate::error::{Error, Result};
use crate::model::Handle;
use crate::workspace::outside;

/// Names that other tools give to a field, with the field's own.
const ALIASES: [(&str, &str); 13] = [
    ("pattern", "query"),
    ("q", "query"),
    ("file", "path"),
    ("file_path", "path"),
    ("filePath", "path"),
    ("hint_path", "path"),
    ("hintPath", "path"),
    ("symbol_id", "handle"),
    ("chunk_id", "handle"),
    ("id", "handle"),
    ("max_results", "limit"),
    ("maxResults", "limit"),
    ("topK", "limit"),
];

/// Returns an input with the names and types of a schema: `{"file_path": "a.ts", "limit": "5"}` becomes `{"path": "a.ts",
/// "limit": 5}`.
///
/// # Errors
/// `invalid_argument` where two names of one field are given.
pub(super) fn conform(value: Value, schema: &Map<String, Value>) -> Result<Value> {
    let (Value::Object(given), Some(Value::Object(fields))) = (&value, schema.get("properties"))
    else {
        return Ok(value);
    };
    let mut input = Map::new();
    let has_match = fields.contains_key("match") && !fields.contains_key("regex");
    for (name, value) in given {
        if name == "regex" && has_match {
            // `regex: false` says how a text is meant that the other tools match as it stands.
            let kind = match typed(value, &json!({"type": "boolean"})) {
                Value::Bool(true) => "regex",
                Value::Bool(false) => "literal",
                _ => return Ok(Value::Object(given.clone())),
            };
            if input.insert("match".to_owned(), kind.into()).is_some() {
                return Err(given_twice("match"));
            }
            continue;
        }
        let own = own_name(name, fields);
        // Some clients fill in every field.
        if value.is_null() && fields.contains_key(own) {
            continue;
        }
        let value = fields
            .get(own)
            .map_or_else(|| value.clone(), |field| typed(value, field));
        if input.insert(own.to_owned(), value).is_some() {
            return Err(given_twice(own));
        }
    }
    Ok(Value::Object(input))
}

fn given_twice(field: &str) -> Error {
    Error::invalid(
        format!("field `{field}` is given twice, once by another name of it"),
        format!("pass `{field}` alone"),
    )
}

/// Returns the field's own name, of which `name` may be an alias or the spelling in `snake_case`.
fn own_name<'a>(name: &'a str, fields: &'a Map<String, Value>) -> &'a str {
    if fields.contains_key(name) {
        return name;
    }
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    if let Some((_, own)) = alias {
        // A context goes by its name alone.
        let own = if name == "id" && !fields.contains_key("handle") {
            "name"
        } else {
            own
        };
        return if fields.contains_key(own) { own } else { name };
    }
    let is_same = |own: &&String| snake_case(own) == name;
    fields.keys().find(is_same).map_or(name, String::as_str)
}

fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Returns a text as the number, switch or list that the field's schema asks for, where it spells one.
fn typed(value: &Value, field: &Value) -> Value {
    let Some(text) = value.as_str().map(str::trim) else {
        return value.clone();
    };
    let read = match field["type"].as_str() {
        Some("array") => Some(listed(text)),
        Some("integer" | "number") => {
            let is_decimal = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.');
            let number = text.strip_prefix('+').unwrap_or(text);
            // Beyond 64 bits a float says which bound was meant.
            number.parse::<i64>().map(Value::from).ok().or_else(|| {
                let float = number.parse::<f64>().ok();
                float
                    .filter(|_| text.chars().all(is_decimal))
                    .map(Value::from)
            })
        }
        Some("boolean") => match text.to_ascii_lowercase().as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        _ => None,
    };
    read.unwrap_or_else(|| value.clone())
}

/// Returns the list that a text spells, `["a", "b"]`, or a list of the text alone.
fn listed(text: &str) -> Value {
    let is_list = text.starts_with('[') && text.ends_with(']');
    let list = is_list.then(|| serde_json::from_str::<Vec<String>>(text).ok());
    list.flatten()
        .map_or_else(|| Value::from(vec![text]), Value::from)
}

/// Makes the paths of an input relative to the root of the repository: those that are absolute, and on the command line
/// those that are relative to the working directory.
///
/// # Errors
/// `outside_repo` for a path outside the repository.
pub(super) fn make_paths_relative(input: &mut Value, call: &Call<'_>) -> Result<()> {
    let repo = input["repo"].as_str().map(str::to_owned);
    make_targets_relative(input, repo.as_deref(), call);
    let mut slots: Vec<&mut Value> = Vec::new();
    if let Some(fields) = input.as_object_mut() {
        for (name, value) in fields {
            match (name.as_str(), value) {
                ("path", Value::Array(paths)) => slots.extend(paths),
                ("path" | "to" | "about", value) => slots.push(value),
                ("document", value) => slots.extend(value.get_mut("path")),
                ("items", Value::Array(items)) => {
                    slots.extend(items.iter_mut().filter_map(|item| item.get_mut("path")));
                }
                _ => {}
            }
        }
    }
    for slot in slots {
        let Some(text) = slot.as_str() else { continue };
        // What is left out: `!dist`.
        let (mark, text) = match text.strip_prefix('!') {
            Some(rest) => ("!", rest),
            None => ("", text),
        };
        let is_handle =
            text.starts_with("rel:") || text.starts_with("doc:") || Handle::parse(text).is_some();
        let is_absolute = std::path::Path::new(text).is_absolute();
        if matches!(text, "" | "/") || is_handle || !(is_absolute || call.cwd.is_some()) {
            continue;
        }
        // The tool itself reports the fault of the repository.
        let Ok(workspace) = call.workspaces.open(repo.as_deref(), call.places) else {
            continue;
        };
        let path = workspace.relative_path(text, call.cwd, call.revision);
        let path = path.ok_or_else(|| outside(text))?;
        *slot = format!("{mark}{path}").into();
    }
    Ok(())
}

/// Makes the targets that are paths relative to the root. One outside the repository stays as it is: its card says so.
fn make_targets_relative(input: &mut Value, repo: Option<&str>, call: &Call<'_>) {
    let Some(targets) = input.get_mut("targets").and_then(Value::as_array_mut) else {
        return;
    };
    for target in targets.iter_mut().take(MAX_TARGETS) {
        let Some(text) = target.as_str() else {
            continue;
        };
        let is_absolute = std::path::Path::new(text).is_absolute();
        let is_whole = matches!(text, "" | "." | "./" | "/");
        if is_whole || !(is_absolute || call.cwd.is_some()) {
            continue;
        }
        if let Ok(workspace) = call.workspaces.open(repo, call.places)
            && let Some(path) = workspace.relative_path(text, call.cwd, call.revision)
        {
            *target = if path.is_empty() { "." } else { &path }.into();
        }
    }
}

/// Returns the name of a definition that is written like a call: `queueJob` of `queueJob(job)`, `` `queueJob` `` and
/// ` queueJob( `.
pub(super) fn plain_name(text: &str) -> &str {
    let name = text.trim().trim_matches('`').trim();
    match name.find('(') {
        Some(at) if at > 0 && name.ends_with(['(', ')']) => name[..at].trim_end(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{conform, plain_name};

    fn conformed(input: &Value) -> Result<Value, String> {
        let schema = json!({"properties": {
            "query": {"type": "string"}, "path": {"type": "string"}, "handle": {"type": "string"},
            "limit": {"type": "integer"}, "relatedDepth": {"type": "integer"}, "all": {"type": "boolean"},
            "list": {"type": "array"},
        }});
        conform(input.clone(), schema.as_object().unwrap()).map_err(|error| error.message)
    }

    #[test]
    fn other_names_of_a_field_are_taken() {
        let wanted = json!({"query": "x", "path": "a.ts", "limit": 5, "handle": "sym_1"});
        for given in [
            json!({"q": "x", "file_path": "a.ts", "max_results": 5, "id": "sym_1"}),
            json!({"pattern": "x", "hintPath": "a.ts", "topK": "5", "symbol_id": "sym_1"}),
        ] {
            assert_eq!(conformed(&given), Ok(wanted.clone()));
        }
        assert_eq!(
            conformed(&json!({"related_depth": 2})),
            Ok(json!({"relatedDepth": 2}))
        );
        assert!(conformed(&json!({"q": "x", "query": "y"})).is_err());
        assert_eq!(conformed(&json!({"limt": 1})), Ok(json!({"limt": 1})));
    }

    #[test]
    fn numbers_and_switches_are_read_from_text() {
        for (given, wanted) in [
            (json!({"limit": "5"}), json!({"limit": 5})),
            (json!({"limit": " -1 "}), json!({"limit": -1})),
            (json!({"limit": "5.0"}), json!({"limit": 5.0})),
            (json!({"limit": "1e3"}), json!({"limit": "1e3"})),
            (json!({"limit": ""}), json!({"limit": ""})),
            (json!({"limit": "NaN"}), json!({"limit": "NaN"})),
            (json!({"limit": "five"}), json!({"limit": "five"})),
            (json!({"all": "true"}), json!({"all": true})),
            (json!({"all": "yes"}), json!({"all": "yes"})),
            (json!({"query": "5"}), json!({"query": "5"})),
            (json!({"list": "a"}), json!({"list": ["a"]})),
            (json!({"list": "[ab].ts"}), json!({"list": ["[ab].ts"]})),
            (
                json!({"list": "[\"a\", \"b\"]"}),
                json!({"list": ["a", "b"]}),
            ),
            (json!({"list": ["a"]}), json!({"list": ["a"]})),
            (json!({"list": 7}), json!({"list": 7})),
        ] {
            assert_eq!(conformed(&given), Ok(wanted));
        }
        let huge = conformed(&json!({"limit": "9".repeat(400)})).unwrap();
        assert!(huge["limit"].is_string() || huge["limit"].is_null() || huge["limit"].is_number());
        assert_eq!(conformed(&json!([])), Ok(json!([])));
    }

    #[test]
    fn a_name_written_like_a_call_is_a_name() {
        for (given, wanted) in [
            ("queueJob()", "queueJob"),
            ("queueJob(", "queueJob"),
            ("Store.open(path, 1)", "Store.open"),
            (" `queueJob` ", "queueJob"),
            ("(module)", "(module)"),
            ("'a(b)'", "'a(b)'"),
            ("", ""),
            ("()", "()"),
        ] {
            assert_eq!(plain_name(given), wanted, "{given}");
        }
    }
}
