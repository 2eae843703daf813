//! Saved records in the answers of other tools: how many are bound to a result, their titles unasked, their texts where asked for.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::length;
use super::memory::{DocumentOutput, title};
use crate::error::Result;
use crate::workspace::{BoundRecord, BoundRecords, View};

/// Titles that are said unasked.
const MAX_TITLES: usize = 3;

/// Records whose texts are given where they are asked for.
const MAX_TEXTS: usize = 8;

/// Documents of an answer.
const MAX_DOCUMENTS: usize = 4;

/// A place of an answer: a file, and lines of it.
pub(super) type NotedPlace = (String, Option<(u32, u32)>);

/// A record that is about a result.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NoteOutput {
    pub(crate) id: String,
    pub(crate) kind: &'static str,
    pub(crate) title: String,
    pub(crate) verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
}

/// A document that belongs to a result.
#[derive(Debug, Serialize)]
pub(crate) struct AttachedDocumentOutput {
    pub(crate) id: String,
    pub(crate) title: String,
    #[serde(flatten)]
    pub(crate) link: DocumentOutput,
    pub(crate) via: &'static str,
    pub(crate) verdict: &'static str,
}

/// Returns the records that are bound to places and symbols of an answer; without `is_asked` none where the setting says so.
///
/// # Errors
/// Those of the index.
pub(super) fn bound<'p>(
    view: &View<'_>,
    is_asked: bool,
    places: impl IntoIterator<Item = (&'p str, Option<&'p str>)>,
) -> Result<BoundRecords> {
    if !(is_asked || view.says_notes()) {
        return Ok(BoundRecords::default());
    }
    let mut paths: Vec<&str> = Vec::new();
    let mut symbols: Vec<&str> = Vec::new();
    for (path, symbol) in places {
        paths.push(path);
        symbols.extend(symbol);
    }
    for list in [&mut paths, &mut symbols] {
        list.sort_unstable();
        list.dedup();
    }
    view.records_about(paths, symbols)
}

/// Reads lines as answers write them: `3-9`, or `3`.
pub(super) fn line_range(text: &str) -> Option<(u32, u32)> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    Some((from.parse().ok()?, to.parse().ok()?))
}

/// Returns the notes at some places: unasked the titles of the first ones, where the setting lets them; with `with_text` more, and
/// their texts, as long as they take at most `max_bytes`.
pub(super) fn notes_at(
    view: &View<'_>,
    bound: &BoundRecords,
    places: &[NotedPlace],
    with_text: bool,
    max_bytes: usize,
) -> Vec<NoteOutput> {
    if !(with_text || view.says_titles()) {
        return Vec::new();
    }
    let max = if with_text { MAX_TEXTS } else { MAX_TITLES };
    let mut notes = Vec::new();
    let mut left = max_bytes;
    for found in bound.at(places).filter(|found| found.is_note()) {
        let mut note = NoteOutput {
            id: found.record.uid.clone(),
            kind: found.record.kind.as_str(),
            title: title(&found.record.title),
            verdict: found.verdict.as_str(),
            text: found.record.text.clone().filter(|_| with_text),
        };
        let size = |note: &NoteOutput| length(note) + 1;
        if size(&note) > left {
            note.text = None;
        }
        if size(&note) > left || notes.len() == max {
            break;
        }
        left -= size(&note);
        notes.push(note);
    }
    notes
}

/// Returns the documents of some places: those of lines before those of files; and with `is_project` those of the repository,
/// else those of it whose titles hold a word of the question.
///
/// # Errors
/// Those of the index.
pub(super) fn documents_at(
    view: &View<'_>,
    bound: &BoundRecords,
    places: &[NotedPlace],
    is_project: bool,
    words: &[String],
) -> Result<Vec<AttachedDocumentOutput>> {
    let mut found: Vec<(u8, AttachedDocumentOutput)> = Vec::new();
    for record in bound.at(places) {
        let of_lines = record.places.iter().any(|(_, lines)| lines.is_some());
        let (rank, via) = if of_lines { (0, "symbol") } else { (1, "file") };
        found.extend(document(view, record, via).map(|it| (rank, it)));
    }
    for record in view.documents_of_project()? {
        let title = record.record.title.to_lowercase();
        let is_named = || words.iter().any(|word| title.contains(word.as_str()));
        if is_project || is_named() {
            found.extend(document(view, &record, "project").map(|it| (2, it)));
        }
    }
    found.sort_by_key(|(rank, _)| *rank);
    let found = found.into_iter().map(|(_, document)| document);
    Ok(found.take(MAX_DOCUMENTS).collect())
}

fn document(
    view: &View<'_>,
    record: &BoundRecord,
    via: &'static str,
) -> Option<AttachedDocumentOutput> {
    let link = record.record.document.as_ref()?;
    let verdict = if view.lacks_document(&link.place) {
        "missing"
    } else {
        record.verdict.as_str()
    };
    Some(AttachedDocumentOutput {
        id: record.record.uid.clone(),
        title: title(&record.record.title),
        link: DocumentOutput::of(link),
        via,
        verdict,
    })
}
