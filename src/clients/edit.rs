//! An entry in a text: looked for, added, removed, in each format by the same rules.
//!
//! Every edit is checked before it is believed: the text still reads, the entry is as it should be, and all else means
//! what it meant.

use serde_json::Value;

use super::{ClientEntry, FileFormat, json_text, managed_block, toml_text};

/// Why a text can't be edited; in lower case, without a full stop.
pub(super) type Fault = String;

/// Returns the value of this server's entry; `None` where there is none.
pub(super) fn find(format: FileFormat, text: &str, keys: &[&str]) -> Result<Option<Value>, Fault> {
    match format {
        FileFormat::Json => json_text::find(text, keys),
        FileFormat::Toml => toml_text::find(text, keys),
        FileFormat::Markdown => Ok(managed_block::find(text)),
    }
}

/// Returns the text with the entry in it, in place of another one of our name.
pub(super) fn add(
    format: FileFormat,
    text: &str,
    keys: &[&str],
    entry: &ClientEntry,
) -> Result<String, Fault> {
    let without = match find(format, text, keys)? {
        Some(_) => remove(format, text, keys, false)?,
        None => text.to_owned(),
    };
    let added = match format {
        FileFormat::Json => json_text::add(&without, keys, entry),
        FileFormat::Toml => toml_text::add(&without, keys, entry),
        FileFormat::Markdown => Ok(managed_block::add(&without, &guide(entry))),
    }?;
    let is_there = find(format, &added, keys)? == Some(value(format, entry));
    if is_there && rest(format, &added, keys)? == rest(format, &without, keys)? {
        Ok(added)
    } else {
        Err("it can't be edited without touching what else is in it".to_owned())
    }
}

/// Returns the text without the entry, and without the group that held nothing else if `is_lonely`.
pub(super) fn remove(
    format: FileFormat,
    text: &str,
    keys: &[&str],
    is_lonely: bool,
) -> Result<String, Fault> {
    let removed = match format {
        FileFormat::Json => json_text::remove(text, keys, is_lonely),
        FileFormat::Toml => toml_text::remove(text, keys),
        FileFormat::Markdown => Ok(managed_block::remove(text)),
    }?;
    if is_without(format, text, &removed, keys) {
        Ok(removed)
    } else {
        Err("its entry can't be removed without touching what else is in it".to_owned())
    }
}

/// Whether `removed` is `text` without our entry, in meaning.
pub(super) fn is_without(format: FileFormat, text: &str, removed: &str, keys: &[&str]) -> bool {
    find(format, removed, keys) == Ok(None)
        && rest(format, text, keys).is_ok_and(|before| rest(format, removed, keys) == Ok(before))
}

/// Whether nothing is said in a text.
pub(super) fn is_empty(format: FileFormat, text: &str) -> bool {
    match format {
        FileFormat::Json => json_text::is_empty(text),
        FileFormat::Toml | FileFormat::Markdown => text.trim().is_empty(),
    }
}

/// Returns an entry as [`find`] returns it.
pub(super) fn value(format: FileFormat, entry: &ClientEntry) -> Value {
    match format {
        FileFormat::Markdown => Value::String(guide(entry)),
        _ => entry
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()))
            .collect(),
    }
}

/// Returns the text's values without this server's entry. An emptied group of servers counts as absent.
fn rest(format: FileFormat, text: &str, keys: &[&str]) -> Result<Value, Fault> {
    match format {
        FileFormat::Json => json_text::rest(text, keys),
        FileFormat::Toml => toml_text::rest(text, keys),
        FileFormat::Markdown => Ok(Value::String(managed_block::remove(text).trim().to_owned())),
    }
}

/// Removes this server's entry from a file's values, and its group if the group is empty then.
pub(super) fn strip(whole: &mut Value, keys: &[&str]) {
    let Some((first, deeper)) = keys.split_first() else {
        if let Some(servers) = whole.as_object_mut() {
            servers.remove(super::ENTRY);
        }
        return;
    };
    let Some(group) = whole.as_object_mut() else {
        return;
    };
    if let Some(inner) = group.get_mut(*first) {
        strip(inner, deeper);
        if inner.as_object().is_some_and(serde_json::Map::is_empty) {
            group.remove(*first);
        }
    }
}

fn guide(entry: &ClientEntry) -> String {
    let text = entry.first().and_then(|(_, text)| text.as_str());
    text.unwrap_or_default().to_owned()
}
