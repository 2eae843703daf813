//! An entry in TOML: a table at the end of the file. The door to the TOML syntax tree.
//!
//! The tree is read; the text is cut and joined by lines, for writing the tree back would change the ends of lines.

use serde_json::Value;
use toml_edit::{DocumentMut, Item, TableLike, value};

use super::edit::{Fault, is_without, strip};
use super::{ClientEntry, ENTRY, FileFormat};

/// Returns the value of this server's entry.
pub(super) fn find(text: &str, keys: &[&str]) -> Result<Option<Value>, Fault> {
    let document = parse(text)?;
    let mut table: &dyn TableLike = document.as_table();
    for key in keys {
        let Some(item) = table.get(key) else {
            return Ok(None);
        };
        table = item
            .as_table_like()
            .ok_or_else(|| format!("its `{key}` is not a table"))?;
    }
    Ok(table.get(ENTRY).map(plain))
}

/// Returns the text with the entry as its last table.
pub(super) fn add(text: &str, keys: &[&str], entry: &ClientEntry) -> Result<String, Fault> {
    parse(text)?;
    let newline = newline(text);
    let mut block = format!("[{}.{ENTRY}]\n", keys.join("."));
    for (key, item) in entry {
        block.extend([*key, " = ", &written(item).to_string(), "\n"]);
    }
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => newline,
        _ => &newline.repeat(2),
    };
    let added = format!("{text}{gap}{}", block.replace('\n', newline));
    if parse(&added).is_ok() {
        return Ok(added);
    }
    // The servers stand in one line, where no table can follow.
    let mut document = parse(text)?;
    let mut item = document.as_item_mut();
    for key in keys {
        item = &mut item[*key];
    }
    let mut inline = toml_edit::InlineTable::new();
    for (key, field) in entry {
        inline.insert(*key, written(field));
    }
    item[ENTRY] = value(inline);
    Ok(like(&document.to_string(), text))
}

/// Returns the text without the entry.
pub(super) fn remove(text: &str, keys: &[&str]) -> Result<String, Fault> {
    let cut = without_lines(text, &format!("{}.{ENTRY}", keys.join(".")));
    if is_without(FileFormat::Toml, text, &cut, keys) {
        return Ok(cut);
    }
    let mut document = parse(text)?;
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for key in keys {
        let Some(inner) = table.get_mut(key).and_then(Item::as_table_like_mut) else {
            return Ok(text.to_owned());
        };
        table = inner;
    }
    table.remove(ENTRY);
    Ok(like(&document.to_string(), text))
}

/// Returns the text's values without this server's entry.
pub(super) fn rest(text: &str, keys: &[&str]) -> Result<Value, Fault> {
    let mut whole = plain(parse(text)?.as_item());
    strip(&mut whole, keys);
    Ok(whole)
}

/// Returns the text without the table of this name and those below it, from the header to where the next one, or the
/// comment above it, begins. It may be wrong (in a text of many lines): the caller checks.
fn without_lines(text: &str, name: &str) -> String {
    let header = format!("[{name}]");
    let below = format!("[{name}.");
    let mut kept = String::new();
    let mut waiting = String::new();
    let mut is_ours = false;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if trimmed.starts_with('[') {
            is_ours = trimmed.starts_with(&header) || trimmed.starts_with(&below);
            if is_ours {
                // The empty line in front came with it.
                let gap = kept.trim_end_matches(['\r', '\n']).len();
                let end = kept[gap..].find('\n').map_or(kept.len(), |at| gap + at + 1);
                kept.truncate(end);
                waiting.clear();
            }
        }
        if !is_ours {
            kept += &std::mem::take(&mut waiting);
            kept += line;
        } else if trimmed.is_empty() || trimmed.starts_with('#') {
            waiting += line;
        } else {
            waiting.clear();
        }
    }
    kept + &waiting
}

fn parse(text: &str) -> Result<DocumentMut, Fault> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        format!(
            "it is not valid TOML: {}",
            error.message().lines().next().unwrap_or_default()
        )
    })
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Returns the text with the ends of lines of another.
fn like(text: &str, model: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', newline(model))
}

fn written(item: &Value) -> toml_edit::Value {
    match item {
        Value::Bool(flag) => (*flag).into(),
        Value::Array(items) => toml_edit::Value::Array(items.iter().map(written).collect()),
        other => other
            .as_str()
            .map_or_else(|| other.to_string(), str::to_owned)
            .into(),
    }
}

/// Returns an item as plain data; dates and numbers as they are written.
fn plain(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => plain_value(value),
        Item::Table(table) => fields(table),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| fields(table)).collect(),
    }
}

fn plain_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Boolean(flag) => (*flag.value()).into(),
        toml_edit::Value::Array(items) => items.iter().map(plain_value).collect(),
        toml_edit::Value::InlineTable(table) => fields(table),
        other => Value::String(format!("\u{0}{}", other.to_string().trim())),
    }
}

fn fields(table: &dyn TableLike) -> Value {
    table
        .iter()
        .map(|(key, item)| (key.to_owned(), plain(item)))
        .collect()
}
