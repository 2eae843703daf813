//! `cl_save` and `cl_load`: what people and agents found out about code, kept and found again.

mod load;
mod save;

use schemars::JsonSchema;
use serde::Serialize;

pub use load::{Load, LoadInput, LoadOutput};
pub use save::{ItemInput, Items, KindInput, Save, SaveOutput, SimilarOutput};

use super::answer::time;
use crate::model::sanitize::one_line;
use crate::workspace::{
    DocumentLink, DocumentLocation, JudgedRecord, Loaded, NamedTest, SavedRecord, WrittenBy,
};

/// Items of a record in a list of records.
const MAX_LISTED_ITEMS: usize = 20;

/// The longest title, in characters.
const MAX_TITLE: usize = 120;

/// A saved context, and the branch and commit it was saved on.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextOutput {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) notes: Option<String>,
    pub(crate) pinned: bool,
    pub(crate) branch: Option<String>,
    pub(crate) head_sha: Option<String>,
    pub(crate) created_at: Option<String>,
    pub(crate) updated_at: Option<String>,
    pub(crate) item_count: u64,
}

/// An item as it is now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LoadedOutput {
    pub(crate) handle: String,
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lines: Option<String>,
    pub(crate) state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) preview: Option<String>,
    /// Not looked for everywhere: the index is not complete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stale: bool,
}

/// A record as it is judged now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordOutput {
    pub(crate) id: String,
    /// The other clone of the repository whose record it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<String>,
    pub(crate) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    pub(crate) verdict: &'static str,
    pub(crate) verification: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) signals: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) items: Vec<LoadedOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) item_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) test: Option<NamedTestOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fixes: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) fixed_by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) document: Option<DocumentOutput>,
    pub(crate) author: AuthorOutput,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) head_sha: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) updated_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f64>,
}

/// The test of a record.
#[derive(Debug, Serialize)]
pub struct NamedTestOutput {
    pub(crate) command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) passed: Option<bool>,
}

/// Who wrote a record.
#[derive(Debug, Serialize)]
pub struct AuthorOutput {
    pub(crate) by: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) client: Option<String>,
    pub(crate) approved: bool,
}

/// The document of a record.
#[derive(Debug, Default, Serialize)]
pub struct DocumentOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// The name of a file that was copied to the data directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) copy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) relation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) locator: Option<String>,
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
            DocumentLocation::Path(path) => output.path = Some(path.clone()),
            DocumentLocation::Address(address) => output.url = Some(address.clone()),
            DocumentLocation::Copy(_, name) => output.copy = Some(name.clone()),
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

/// A record as lists of records have it: as it was saved, and not judged.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedRecordOutput {
    pub(crate) id: String,
    pub(crate) kind: &'static str,
    pub(crate) title: String,
    pub(crate) item_count: u64,
    pub(crate) author: AuthorOutput,
    pub(crate) branch: Option<String>,
    pub(crate) updated_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
}

/// Converts a record to its form in lists.
pub fn record_output(record: &SavedRecord) -> ListedRecordOutput {
    ListedRecordOutput {
        id: record.uid.clone(),
        kind: record.kind.as_str(),
        title: title(&record.title),
        item_count: record.n_items,
        author: author(record.by, record.client.clone(), record.approved),
        branch: record.branch.clone(),
        updated_at: time(record.updated_ms),
        name: record.name.clone(),
    }
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
