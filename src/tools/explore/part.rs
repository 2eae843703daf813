//! A part of a pack as it is answered, and a definition that is none.

use schemars::JsonSchema;
use serde::Serialize;

use super::candidates::{OmissionReason, PackCandidate, PackRole};
use super::source::SourceReader;
use super::{ExploreInput, Include};
use crate::error::Result;
use crate::tools::answer::{BYTES_PER_SOURCE_TOKEN, is_zero};

/// Bytes of the words or the handle that brought a part.
const MAX_BECAUSE: usize = 32;

/// A definition of a pack.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartOutput {
    pub(crate) handle: String,
    pub(crate) path: String,
    pub(crate) lines: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbol: Option<String>,
    #[schemars(with = "String")]
    pub(crate) role: PackRole,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f64>,
    /// The words of the question that it holds, or the handle of the definition that it stands around.
    pub(crate) because: String,
    /// Of the edge that leads here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provenance: Option<&'static str>,
    /// The line of the first use, in a caller or a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
    /// The title of a test that is no definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) test: Option<String>,
    /// Handles of the further definitions of this answer within these lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also: Vec<String>,
    /// Names of the members, of a header.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) members: Vec<String>,
    /// As in `cl_search`.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) notes: u64,
    /// Exact lines of the file; absent where the file is not as it was indexed, and without `source`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// Of `text`, at 4 bytes.
    pub(crate) tokens: u64,
    /// Whether the definition goes on: `text` has its comment and signature, or a part between its members.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) truncated: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stale: bool,
}

impl PartOutput {
    pub(super) fn handle(&self) -> &str {
        &self.handle
    }
}

/// A definition that is no part.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct OmittedDefinitionOutput {
    pub(crate) handle: String,
    pub(crate) path: String,
    pub(crate) lines: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbol: Option<String>,
    #[schemars(with = "String")]
    pub(crate) role: PackRole,
    /// Tokens of its text.
    pub(crate) tokens: u64,
    #[schemars(with = "String")]
    pub(crate) why: OmissionReason,
}

/// Returns a part of some lines, by the candidate that stands for them.
pub(super) fn part(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    candidate: &PackCandidate,
    at: (u32, u32),
) -> Result<PartOutput> {
    let item = &candidate.item;
    let text = source.text(&item.path)?;
    let is_moved = text.is_none();
    let text = text
        .filter(|_| input.includes(Include::Source))
        .map(|text| text.lines(at.0, at.1).to_owned());
    Ok(PartOutput {
        handle: item.handle.to_string(),
        path: item.path.to_string(),
        lines: lines(at),
        symbol: item.symbol.as_ref().map(|it| it.qualified_name.clone()),
        role: candidate.role,
        score: candidate.score,
        because: cut(&candidate.because, MAX_BECAUSE),
        provenance: candidate.provenance.map(crate::model::Provenance::as_str),
        line: candidate.line,
        test: candidate.test.clone(),
        also: Vec::new(),
        members: candidate.members.clone(),
        notes: source.n_notes(item.path.as_str(), Some(at)),
        tokens: tokens(text.as_deref().unwrap_or_default()),
        text,
        truncated: item.is_cut,
        stale: is_moved || source.view.is_stale(item.path.as_str()),
    })
}

/// Returns the entry of a candidate that is no part.
pub(super) fn omission(
    source: &SourceReader<'_>,
    candidate: &PackCandidate,
    why: OmissionReason,
) -> Result<OmittedDefinitionOutput> {
    let item = &candidate.item;
    let text = source.text(&item.path)?;
    Ok(OmittedDefinitionOutput {
        handle: item.handle.to_string(),
        path: item.path.to_string(),
        lines: lines(item.lines),
        symbol: item.symbol.as_ref().map(|it| it.qualified_name.clone()),
        role: candidate.role,
        tokens: text.map_or(0, |text| tokens(text.lines(item.lines.0, item.lines.1))),
        why,
    })
}

fn lines((first, last): (u32, u32)) -> String {
    format!("{first}-{last}")
}

fn tokens(text: &str) -> u64 {
    text.len().div_ceil(BYTES_PER_SOURCE_TOKEN) as u64
}

/// Returns a text cut at a character, with a sign that it goes on.
pub(super) fn cut(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(max_bytes)])
}
