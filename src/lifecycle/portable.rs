//! Saved contexts as JSON, to be carried to another clone or machine.
//!
//! The text is not trusted: its form and its sizes are checked.

use serde::{Deserialize, Serialize};

use crate::model::{ContentId, RepoPath};
use crate::store::{NewContext, SavedContext, SavedItem};

/// The form of the text.
const FORMAT: u32 = 1;

/// The most contexts that are taken in at once.
const MAX_CONTEXTS: usize = 10_000;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ContextExport {
    codelens_contexts: u32,
    contexts: Vec<Context>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Context {
    name: String,
    notes: Option<String>,
    pinned: bool,
    index_id: String,
    branch: Option<String>,
    head_sha: Option<String>,
    created_ms: i64,
    updated_ms: i64,
    items: Vec<ExportedItem>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ExportedItem {
    handle: String,
    path: String,
    symbol: Option<String>,
    kind: Option<String>,
    start_line: Option<u32>,
    end_line: Option<u32>,
    content: String,
    /// 16 hexadecimal digits a line.
    lines: String,
}

/// Returns contexts as text.
pub fn write(contexts: &[(SavedContext, Vec<SavedItem>)]) -> String {
    let contexts = contexts
        .iter()
        .map(|(context, items)| Context {
            name: context.name.clone(),
            notes: context.notes.clone(),
            pinned: context.pinned,
            index_id: context.index_id.clone(),
            branch: context.branch.clone(),
            head_sha: context.head_sha.clone(),
            created_ms: context.created_ms,
            updated_ms: context.updated_ms,
            items: items.iter().map(item).collect(),
        })
        .collect();
    let export = ContextExport {
        codelens_contexts: FORMAT,
        contexts,
    };
    serde_json::to_string_pretty(&export).expect("an export is plain data")
}

/// Returns the contexts of an export, each with its first date.
///
/// # Errors
/// The fault of the text.
pub fn read(text: &str, max_items: usize) -> Result<Vec<(NewContext, i64)>, String> {
    let export: ContextExport = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if export.codelens_contexts != FORMAT {
        return Err(format!(
            "its form is {}, not {FORMAT}",
            export.codelens_contexts
        ));
    }
    if export.contexts.len() > MAX_CONTEXTS {
        return Err(format!("it holds more than {MAX_CONTEXTS} contexts"));
    }
    export
        .contexts
        .into_iter()
        .map(|context| {
            let name = context.name;
            if context.items.len() > max_items {
                return Err(format!("`{name}` has more than {max_items} items"));
            }
            let items = context
                .items
                .into_iter()
                .map(|item| saved(item).ok_or_else(|| format!("an item of `{name}` is damaged")))
                .collect::<Result<Vec<_>, _>>()?;
            let new = NewContext {
                name,
                notes: context.notes,
                pinned: context.pinned,
                index_id: context.index_id,
                branch: context.branch,
                head_sha: context.head_sha,
                items,
                now_ms: context.updated_ms,
            };
            Ok((new, context.created_ms))
        })
        .collect()
}

fn item(item: &SavedItem) -> ExportedItem {
    use std::fmt::Write as _;
    let mut lines = String::with_capacity(item.digests.len() * 16);
    for hash in &item.digests {
        let _ = write!(lines, "{hash:016x}");
    }
    ExportedItem {
        handle: item.handle.clone(),
        path: item.path.clone(),
        symbol: item.symbol.as_ref().map(|(name, _)| name.clone()),
        kind: item.symbol.as_ref().map(|(_, kind)| kind.clone()),
        start_line: item.lines.map(|(from, _)| from),
        end_line: item.lines.map(|(_, to)| to),
        content: item.content.to_string(),
        lines,
    }
}

fn saved(item: ExportedItem) -> Option<SavedItem> {
    RepoPath::new(&item.path)?;
    let lines = item.start_line.zip(item.end_line);
    if lines.is_some_and(|(from, to)| from == 0 || to < from) {
        return None;
    }
    let content: Vec<u8> = hex(&item.content, 2)?
        .into_iter()
        .map(u8::try_from)
        .collect::<Result<_, _>>()
        .ok()?;
    let digests = hex(&item.lines, 16)?;
    if digests.len() > super::anchor::MAX_DIGESTS {
        return None;
    }
    Some(SavedItem {
        handle: item.handle,
        path: item.path,
        symbol: item.symbol.zip(item.kind),
        lines,
        content: ContentId::from_bytes(&content)?,
        digests,
    })
}

fn hex(text: &str, width: usize) -> Option<Vec<u64>> {
    if !text.len().is_multiple_of(width) {
        return None;
    }
    text.as_bytes()
        .chunks(width)
        .map(|digits| u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{read, write};
    use crate::model::ContentId;
    use crate::store::{SavedContext, SavedItem};

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let item = SavedItem {
            handle: "sym_0000000000000001".into(),
            path: "src/a.ts".into(),
            symbol: Some(("A.b".into(), "method".into())),
            lines: Some((3, 4)),
            content: ContentId::of(b"x"),
            digests: vec![0, u64::MAX],
        };
        let context = SavedContext {
            id: 7,
            name: "a".into(),
            notes: None,
            pinned: true,
            index_id: "idx_1".into(),
            branch: None,
            head_sha: None,
            created_ms: 1,
            updated_ms: 2,
            n_items: 1,
        };
        let text = write(&[(context, vec![item.clone()])]);
        let found = read(&text, 10).unwrap();
        assert_eq!(found[0].1, 1);
        assert_eq!(found[0].0.items, [item]);
        assert!(read(&text, 0).is_err());
        for (from, to) in [
            ("src/a.ts", "../a.ts"),
            ("\"startLine\": 3", "\"startLine\": 9"),
            ("codelensContexts\": 1", "codelensContexts\": 2"),
            ("ffffffffffffffff", "ffffffffffffffzz"),
            ("ffffffffffffffff", "fff"),
        ] {
            assert!(text.contains(from), "{from}");
            assert!(read(&text.replace(from, to), 10).is_err(), "{to}");
        }
    }
}
