//! An entry in JSON, with comments and trailing commas as they stand: the door to the JSON syntax tree.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use super::edit::{Fault, strip};
use super::{ClientEntry, ENTRY};

/// Returns the value of this server's entry.
pub(super) fn find(text: &str, keys: &[&str]) -> Result<Option<Value>, Fault> {
    let root = parse(text)?;
    let Some(servers) = servers(&root, keys)? else {
        return Ok(None);
    };
    let entry = servers.get(ENTRY).and_then(|entry| entry.value());
    Ok(entry.map(|entry| entry.to_serde_value().unwrap_or_default()))
}

/// Returns the text with the entry behind the other servers.
pub(super) fn add(text: &str, keys: &[&str], entry: &ClientEntry) -> Result<String, Fault> {
    if text.trim().is_empty() {
        let fresh = add("{}", keys, entry)?;
        return Ok(format!("{text}{fresh}\n"));
    }
    let root = parse(text)?;
    let no_object = || "it is not an object".to_owned();
    let mut group = root.object_value_or_create().ok_or_else(no_object)?;
    if let Some(found) = servers(&root, keys)? {
        group = found;
    } else {
        for key in keys {
            group = group
                .object_value_or_create(key)
                .ok_or_else(|| not_an_object(key))?;
        }
    }
    let fields = entry
        .iter()
        .map(|(key, value)| ((*key).to_owned(), input(value)));
    group.append(ENTRY, CstInputValue::Object(fields.collect()));
    Ok(root.to_string())
}

/// Returns the text without the entry; where `is_lonely`, also without the groups that are empty then.
pub(super) fn remove(text: &str, keys: &[&str], is_lonely: bool) -> Result<String, Fault> {
    let root = parse(text)?;
    if let Some(servers) = servers(&root, keys)? {
        if let Some(entry) = servers.get(ENTRY) {
            entry.remove();
        }
        if is_lonely
            && servers.properties().is_empty()
            && let Some(top) = root.object_value()
        {
            // Only the outermost group was made by us with all that is in it.
            if let Some(group) = keys.first().and_then(|key| top.get(key)) {
                group.remove();
            }
        }
    }
    Ok(root.to_string())
}

/// Returns the text's values without this server's entry.
pub(super) fn rest(text: &str, keys: &[&str]) -> Result<Value, Fault> {
    let root = parse(text)?;
    let mut whole = root
        .to_serde_value()
        .unwrap_or_else(|| Value::Object(serde_json::Map::new()));
    let nested: Vec<&str> = keys.iter().copied().chain(["servers"]).collect();
    strip(&mut whole, &nested);
    strip(&mut whole, keys);
    Ok(whole)
}

/// Whether there is nothing but an empty object, or less.
pub(super) fn is_empty(text: &str) -> bool {
    let squeezed: String = text.split_whitespace().collect();
    squeezed.is_empty() || squeezed == "{}"
}

/// Returns the object that holds the servers. A client may have put one named `servers` in between: it is known by
/// holding no command of its own.
fn servers(root: &CstRootNode, keys: &[&str]) -> Result<Option<CstObject>, Fault> {
    let Some(value) = root.value() else {
        return Ok(None);
    };
    let mut group = value
        .as_object()
        .ok_or_else(|| "it is not an object".to_owned())?;
    for key in keys {
        let Some(found) = group.get(key) else {
            return Ok(None);
        };
        group = found.object_value().ok_or_else(|| not_an_object(key))?;
    }
    let between = (keys == ["mcp"])
        .then(|| group.object_value("servers"))
        .flatten();
    let is_group =
        |object: &CstObject| object.get("command").is_none() && object.get("url").is_none();
    Ok(Some(between.filter(is_group).unwrap_or(group)))
}

fn parse(text: &str) -> Result<CstRootNode, Fault> {
    // As lenient as the clients: comments and trailing commas pass; a file that is broken otherwise is left alone.
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    CstRootNode::parse(text, &options).map_err(|error| format!("it is not valid JSON: {error}"))
}

fn not_an_object(key: &str) -> Fault {
    format!("its `{key}` is not an object")
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => CstInputValue::Object(
            fields
                .iter()
                .map(|(key, value)| (key.clone(), input(value)))
                .collect(),
        ),
    }
}
