//! Saved records as JSON, to be carried to another clone or machine.
//!
//! The text is not trusted: its form and its sizes are checked. It does not say who wrote a record, nor whether that was
//! approved or verified: where it is imported, nothing is.

use serde::{Deserialize, Serialize};

use crate::model::{ContentId, RecordId, RepoPath};
use crate::store::memory::{DocumentLink, DocumentLocation, NamedTest, WrittenBy};
use crate::store::{RecordKind, SavedItem, SavedRecord};

/// The form of the text; form 1, of contexts alone, is read as well.
const FORMAT: u32 = 2;

/// The most records that are imported at once.
const MAX_RECORDS: usize = 10_000;

/// The longest text, in characters; of an earlier version's contexts it was longer than it is now.
const MAX_TEXT: usize = 16_000;

/// The longest of the other texts, in bytes.
const MAX_FIELD: usize = 4_000;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RecordExport {
    codelens_records: u32,
    records: Vec<ExportedRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ExportedRecord {
    uid: String,
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fixes: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    test: Option<ExportedTest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    document: Option<ExportedDocument>,
    pinned: bool,
    index_id: String,
    branch: Option<String>,
    head_sha: Option<String>,
    tree: Option<String>,
    created_ms: i64,
    updated_ms: i64,
    items: Vec<ExportedItem>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ExportedTest {
    command: String,
    passed: Option<bool>,
}

/// A link to a document. Copies stay where they are: `copy` is the digest of one.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ExportedDocument {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    copy: Option<String>,
    relation: Option<String>,
    locator: Option<String>,
}

/// The form of version 1.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ContextExport {
    codelens_contexts: u32,
    contexts: Vec<ExportedContext>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ExportedContext {
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exact: Option<String>,
}

/// Returns records as text. `fixed` gives the `uid` of a failure by its number.
pub fn write(
    records: &[(SavedRecord, Vec<SavedItem>)],
    fixed: impl Fn(RecordId) -> Option<String>,
) -> String {
    let records = records
        .iter()
        .map(|(record, items)| ExportedRecord {
            uid: record.uid.clone(),
            kind: record.kind.as_str().to_owned(),
            name: record.name.clone(),
            title: record.title.clone(),
            text: record.text.clone(),
            fixes: record.fixes.and_then(&fixed),
            test: record.test.as_ref().map(|test| ExportedTest {
                command: test.command.clone(),
                passed: test.passed,
            }),
            document: record.document.as_ref().map(document),
            pinned: record.pinned,
            index_id: record.index_id.clone(),
            branch: record.branch.clone(),
            head_sha: record.head_sha.clone(),
            tree: record.tree.clone(),
            created_ms: record.created_ms,
            updated_ms: record.updated_ms,
            items: items.iter().map(item).collect(),
        })
        .collect();
    let export = RecordExport {
        codelens_records: FORMAT,
        records,
    };
    serde_json::to_string_pretty(&export).expect("an export is plain data")
}

/// A record of an export, with its items and the `uid` of the failure that it repairs.
pub type ReadRecord = (SavedRecord, Vec<SavedItem>, Option<String>);

/// Returns the records of an export.
///
/// # Errors
/// The fault of the text.
pub fn read(text: &str, max_items: usize) -> Result<Vec<ReadRecord>, String> {
    let exported = if text.contains("\"codelensContexts\"") {
        earlier(text)?
    } else {
        let export: RecordExport = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if export.codelens_records != FORMAT {
            return Err(format!(
                "its form is {}, not {FORMAT}",
                export.codelens_records
            ));
        }
        export.records
    };
    if exported.len() > MAX_RECORDS {
        return Err(format!("it holds more than {MAX_RECORDS} records"));
    }
    exported
        .into_iter()
        .map(|exported| record(exported, max_items))
        .collect()
}

fn earlier(text: &str) -> Result<Vec<ExportedRecord>, String> {
    let export: ContextExport = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if export.codelens_contexts != 1 {
        return Err(format!("its form is {}, not 1", export.codelens_contexts));
    }
    let contexts = export.contexts.into_iter();
    Ok(contexts
        .map(|context| ExportedRecord {
            uid: String::new(),
            kind: RecordKind::Context.as_str().to_owned(),
            title: context.name.clone(),
            name: Some(context.name),
            text: context.notes,
            fixes: None,
            test: None,
            document: None,
            pinned: context.pinned,
            index_id: context.index_id,
            branch: context.branch,
            head_sha: context.head_sha,
            tree: None,
            created_ms: context.created_ms,
            updated_ms: context.updated_ms,
            items: context.items,
        })
        .collect())
}

fn record(
    exported: ExportedRecord,
    max_items: usize,
) -> Result<(SavedRecord, Vec<SavedItem>, Option<String>), String> {
    let shown: String = exported.title.chars().take(60).collect();
    let kind = RecordKind::parse(&exported.kind)
        .ok_or_else(|| format!("`{shown}` is of an unknown kind"))?;
    if exported.items.len() > max_items {
        return Err(format!("`{shown}` has more than {max_items} items"));
    }
    let is_uid = |uid: &str| {
        let digits = uid.strip_prefix("mem_").unwrap_or_default();
        digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let is_old = exported.uid.is_empty() && kind == RecordKind::Context;
    if !(is_old || is_uid(&exported.uid)) || exported.fixes.as_deref().is_some_and(|it| !is_uid(it))
    {
        return Err(format!("`{shown}` has no proper `uid`"));
    }
    if is_long(&exported) {
        return Err(format!("a text of `{shown}` is too long"));
    }
    let items = exported
        .items
        .into_iter()
        .map(|item| saved(item).ok_or_else(|| format!("an item of `{shown}` is damaged")))
        .collect::<Result<Vec<_>, _>>()?;
    let document = match exported.document {
        Some(exported) => {
            let link = link(exported);
            Some(link.ok_or_else(|| format!("the document of `{shown}` is damaged"))?)
        }
        None => None,
    };
    let record = SavedRecord {
        uid: exported.uid,
        name: exported.name,
        title: exported.title,
        text: exported.text,
        by: WrittenBy::Import,
        approved: false,
        branch: exported.branch,
        head_sha: exported.head_sha,
        tree: exported.tree,
        index_id: exported.index_id,
        test: exported.test.map(|test| NamedTest {
            command: test.command,
            passed: test.passed,
        }),
        document,
        pinned: exported.pinned,
        created_ms: exported.created_ms,
        ..SavedRecord::new(kind, exported.updated_ms)
    };
    Ok((record, items, exported.fixes))
}

fn is_long(exported: &ExportedRecord) -> bool {
    let text = exported.text.as_deref().unwrap_or_default();
    let fields = [
        &exported.branch,
        &exported.head_sha,
        &exported.tree,
        &exported.name,
    ];
    let test = exported.test.as_ref().map(|test| &test.command);
    let fields = fields.into_iter().flatten().chain(test);
    let mut fields = fields.chain([&exported.index_id]);
    text.chars().nth(MAX_TEXT).is_some()
        || exported.title.chars().nth(200).is_some()
        || fields.any(|field| field.len() > MAX_FIELD)
}

fn document(link: &DocumentLink) -> ExportedDocument {
    let mut exported = ExportedDocument {
        path: None,
        url: None,
        copy: None,
        relation: link.relation.clone(),
        locator: link.locator.clone(),
    };
    match &link.place {
        DocumentLocation::Path(path) => exported.path = Some(path.clone()),
        DocumentLocation::Address(address) => exported.url = Some(address.clone()),
        DocumentLocation::Copy(digest, name) => {
            exported.copy = Some(digest.to_string());
            exported.path = Some(name.clone());
        }
    }
    exported
}

fn link(exported: ExportedDocument) -> Option<DocumentLink> {
    let place = match (exported.copy, exported.url, exported.path) {
        (Some(digest), None, Some(name)) => DocumentLocation::Copy(content(&digest)?, name),
        (None, Some(address), None) if address.starts_with("https://") => {
            DocumentLocation::Address(address)
        }
        (None, None, Some(path)) => DocumentLocation::Path(RepoPath::new(&path)?.to_string()),
        _ => return None,
    };
    Some(DocumentLink {
        place,
        relation: exported.relation,
        locator: exported.locator,
    })
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
        exact: item.exact.map(|exact| exact.to_string()),
    }
}

fn saved(item: ExportedItem) -> Option<SavedItem> {
    RepoPath::new(&item.path)?;
    let lines = item.start_line.zip(item.end_line);
    if lines.is_some_and(|(from, to)| from == 0 || to < from) || item.handle.len() > MAX_FIELD {
        return None;
    }
    let digests = hex(&item.lines, 16)?;
    if digests.len() > super::anchor::MAX_DIGESTS {
        return None;
    }
    let exact = match &item.exact {
        Some(exact) => Some(content(exact)?),
        None => None,
    };
    Some(SavedItem {
        handle: item.handle,
        path: item.path,
        symbol: item.symbol.zip(item.kind),
        lines,
        content: content(&item.content)?,
        digests,
        exact,
    })
}

fn content(text: &str) -> Option<ContentId> {
    let bytes: Vec<u8> = hex(text, 2)?
        .into_iter()
        .map(u8::try_from)
        .collect::<Result<_, _>>()
        .ok()?;
    ContentId::from_bytes(&bytes)
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
    use crate::model::{ContentId, RecordId};
    use crate::store::{RecordKind, SavedItem, SavedRecord};

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let item = SavedItem {
            handle: "sym_0000000000000001".into(),
            path: "src/a.ts".into(),
            symbol: Some(("A.b".into(), "method".into())),
            lines: Some((3, 4)),
            content: ContentId::of(b"x"),
            digests: vec![0, u64::MAX],
            exact: Some(ContentId::of(b"y")),
        };
        let record = SavedRecord {
            id: RecordId::new(7),
            uid: "mem_0123456789abcdef".into(),
            name: Some("a".into()),
            title: "a".into(),
            pinned: true,
            index_id: "idx_1".into(),
            created_ms: 1,
            ..SavedRecord::new(RecordKind::Context, 2)
        };
        let text = write(&[(record, vec![item.clone()])], |_| None);
        let found = read(&text, 10).unwrap();
        assert_eq!(found[0].0.created_ms, 1);
        assert_eq!(found[0].0.by.as_str(), "import");
        assert_eq!(found[0].1, [item]);
        assert!(read(&text, 0).is_err());
        for (from, to) in [
            ("src/a.ts", "../a.ts"),
            ("\"startLine\": 3", "\"startLine\": 9"),
            ("codelensRecords\": 2", "codelensRecords\": 3"),
            ("ffffffffffffffff", "ffffffffffffffzz"),
            ("ffffffffffffffff", "fff"),
            ("mem_0123456789abcdef", "mem_0123456789abcdeg"),
            ("mem_0123456789abcdef", ""),
            ("\"context\"", "\"contexts\""),
        ] {
            assert!(text.contains(from), "{from}");
            let is_old_name = to.is_empty();
            assert_eq!(
                read(&text.replace(from, to), 10).is_err(),
                !is_old_name,
                "{to}"
            );
        }
    }

    #[test]
    fn an_export_of_version_1_is_read() {
        let text = r#"{"codelensContexts": 1, "contexts": [{"name": "work", "notes": "n", "pinned": false, "indexId": "i",
            "branch": "main", "headSha": null, "createdMs": 3, "updatedMs": 4, "items": []}]}"#;
        let found = read(text, 10).unwrap();
        let record = &found[0].0;
        assert_eq!(
            (record.name.as_deref(), record.kind),
            (Some("work"), RecordKind::Context)
        );
        assert_eq!((record.created_ms, record.updated_ms), (3, 4));
        assert!(
            read(
                &text.replace("\"codelensContexts\": 1", "\"codelensContexts\": 2"),
                10
            )
            .is_err()
        );
    }
}
