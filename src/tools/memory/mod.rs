//! `cl_save` and `cl_load`: what people and agents found out about code, kept and found again.

mod load;
mod save;

use schemars::JsonSchema;
use serde::Serialize;

pub use load::{Load, LoadInput};
pub use save::{ItemInput, Items, KindInput, Save, SimilarOutput};

use super::answer::time;
use crate::model::sanitize::one_line;
use crate::workspace::{
    DocumentLink, DocumentPlace, JudgedRecord, Loaded, NamedTest, SavedRecord, WrittenBy,
};

/// Items of a record in a list of records.
const MAX_LISTED_ITEMS: usize = 20;

/// The longest title, in characters.
const MAX_TITLE: usize = 120;

/// A saved context, and the branch and commit it was saved on.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextOutput {
    id: i64,
    name: String,
    notes: Option<String>,
    pinned: bool,
    branch: Option<String>,
    head_sha: Option<String>,
    created_at: Option<String>,
    updated_at: Option<String>,
    item_count: u64,
}

/// An item as it is now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LoadedOutput {
    handle: String,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<String>,
    /// Not looked for everywhere: the index is not complete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

/// A record as it is judged now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordOutput {
    id: String,
    /// The other clone of the repository whose record it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    verdict: &'static str,
    verification: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    signals: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    items: Vec<LoadedOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<NamedTestOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixes: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixed_by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<DocumentOutput>,
    author: AuthorOutput,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    head_sha: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
}

/// The test of a record.
#[derive(Debug, Serialize)]
pub struct NamedTestOutput {
    command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    passed: Option<bool>,
}

/// Who wrote a record.
#[derive(Debug, Serialize)]
pub struct AuthorOutput {
    by: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<String>,
    approved: bool,
}

/// The document of a record.
#[derive(Debug, Default, Serialize)]
pub struct DocumentOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The name of a file that was copied to the data directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    copy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    locator: Option<String>,
}

impl DocumentOutput {
    /// Converts a link to its output form.
    pub(super) fn of(link: &DocumentLink) -> Self {
        let mut output = Self {
            relation: link.relation.clone(),
            locator: link.locator.clone(),
            ..Self::default()
        };
        match &link.place {
            DocumentPlace::Path(path) => output.path = Some(path.clone()),
            DocumentPlace::Address(address) => output.url = Some(address.clone()),
            DocumentPlace::Copy(_, name) => output.copy = Some(name.clone()),
        }
        output
    }
}

impl RecordOutput {
    /// Converts a judged record to its output form.
    fn of(judged: JudgedRecord, is_fresh: bool) -> Self {
        let n_items = judged.items.len();
        let items = judged.items.into_iter().take(MAX_LISTED_ITEMS);
        let items = items.map(|item| loaded(item, is_fresh));
        let record = judged.record;
        let is_long = n_items > MAX_LISTED_ITEMS;
        Self {
            id: record.uid,
            from: None,
            kind: record.kind.as_str(),
            name: record.name,
            title: Some(title(&record.title)),
            text: record.text,
            verdict: judged.verdict.as_str(),
            verification: judged.verification,
            signals: judged.signals,
            warnings: judged.warnings,
            items: items.collect(),
            item_count: is_long.then_some(n_items as u64),
            test: record
                .test
                .map(|NamedTest { command, passed }| NamedTestOutput { command, passed }),
            fixes: judged.fixes,
            fixed_by: judged.fixed_by.into_iter().map(|fix| fix.uid).collect(),
            document: record.document.as_ref().map(DocumentOutput::of),
            author: author(record.by, record.client, judged.approved),
            branch: record.branch,
            head_sha: record.head_sha,
            created_at: time(record.created_ms),
            updated_at: time(record.updated_ms),
            score: judged.score,
        }
    }

    /// Leaves out the fields that a context beside it has.
    fn beside_context(self) -> Self {
        Self {
            name: None,
            title: None,
            text: None,
            items: Vec::new(),
            item_count: None,
            branch: None,
            head_sha: None,
            created_at: None,
            updated_at: None,
            ..self
        }
    }
}

fn author(by: WrittenBy, client: Option<String>, approved: bool) -> AuthorOutput {
    AuthorOutput {
        by: by.as_str(),
        client,
        approved,
    }
}

fn loaded(item: Loaded, is_fresh: bool) -> LoadedOutput {
    LoadedOutput {
        stale: item.found.state.as_str() == "missing" && !is_fresh,
        handle: item.handle,
        path: item.found.path.to_string(),
        symbol: item.found.symbol,
        lines: item.found.lines.map(|(from, to)| format!("{from}-{to}")),
        state: item.found.state.as_str(),
        preview: item.preview,
    }
}

/// Returns a title on one line, control characters escaped, as answers show it unasked.
pub(super) fn title(text: &str) -> String {
    let cut: String = text.chars().take(MAX_TITLE).collect();
    one_line(&cut).into_owned()
}

/// Returns a record as lists of records have it: as it was saved, and not judged.
pub fn record_output(record: &SavedRecord) -> serde_json::Value {
    let mut value = serde_json::json!({
        "id": record.uid,
        "kind": record.kind.as_str(),
        "title": title(&record.title),
        "itemCount": record.n_items,
        "author": author(record.by, record.client.clone(), record.approved),
        "branch": record.branch,
        "updatedAt": time(record.updated_ms),
    });
    if let Some(name) = &record.name {
        value["name"] = name.as_str().into();
    }
    value
}

/// Converts a context to its output form.
pub fn context_output(context: SavedRecord) -> ContextOutput {
    ContextOutput {
        id: context.id.row(),
        name: context.name.unwrap_or_default(),
        notes: context.text,
        pinned: context.pinned,
        branch: context.branch,
        head_sha: context.head_sha,
        created_at: time(context.created_ms),
        updated_at: time(context.updated_ms),
        item_count: context.n_items,
    }
}
