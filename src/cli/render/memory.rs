//! Saved records, as they are judged now.

use super::text::{plural, put, table};
use super::{AnswerText, RenderedText, said};
use crate::cli::screen::{BAD, CARE, FAINT, GOOD, STRONG, Screen, visible, visible_lines};
use crate::tools::memory::{DocumentOutput, ListedRecordOutput, RecordOutput, SaveOutput};
use crate::tools::notes::{AttachedDocumentOutput, NoteOutput};

/// The record that was saved.
impl AnswerText for SaveOutput {
    fn render(&self, screen: &Screen) -> RenderedText {
        let items = plural(self.item_count, "item");
        let pinned = if self.pinned { ", pinned" } else { "" };
        let id = visible(&self.id);
        let mut text = match &self.name {
            None => format!(
                "saved {} {}: {items}{pinned}\n",
                self.kind,
                screen.paint(STRONG, &id)
            ),
            Some(name) => format!(
                "saved {}: {items}{pinned}  {}\n",
                screen.paint(STRONG, &visible(name)),
                screen.paint(FAINT, &id)
            ),
        };
        for similar in &self.similar {
            let (id, title) = (visible(&similar.id), visible(&similar.title));
            put!(text, "like {id}: {title}\n");
        }
        if let Some(note) = &self.note {
            put!(text, "{}\n", said(note));
        }
        text.into()
    }
}

/// Returns a record with its verdict.
pub(super) fn record(record: &RecordOutput, screen: &Screen) -> String {
    let style = match record.verdict {
        "holds" => GOOD,
        "stale" => BAD,
        _ => CARE,
    };
    let title = record.title.as_deref().unwrap_or_default();
    let mut text = format!(
        "{}  {}  {}  {}\n",
        screen.paint(style, record.verdict),
        record.kind,
        screen.paint(STRONG, &visible(title)),
        screen.paint(FAINT, &visible(&record.id))
    );
    let body = record.text.as_deref().filter(|body| *body != title);
    for line in visible_lines(body.unwrap_or_default()).lines() {
        put!(text, "    {line}\n");
    }
    for item in &record.items {
        let lines = item.lines.as_ref().map(|lines| format!(":{lines}"));
        let (path, lines) = (visible(&item.path), lines.unwrap_or_default());
        let symbol = visible(item.symbol.as_deref().unwrap_or_default());
        put!(text, "  {path}{lines}  {symbol}  {}\n", item.state);
    }
    if let Some(document) = &record.document {
        let locator = visible(document.locator.as_deref().unwrap_or_default());
        for place in places(document) {
            let place = visible(place);
            put!(text, "  document {place} {locator}\n");
        }
    }
    if let Some(test) = &record.test {
        put!(text, "  test  {}\n", visible(&test.command));
    }
    let mut signs: Vec<String> = Vec::new();
    signs.extend(record.from.iter().map(|it| format!("from the clone {it}")));
    if record.verification != "none" {
        signs.push(record.verification.clone());
    }
    signs.extend(reasons(record).map(str::to_owned));
    if !signs.is_empty() {
        let signs = signs.join("; ");
        put!(text, "  {}\n", screen.paint(FAINT, &visible(&signs)));
    }
    text
}

/// Returns why a record may hold, then why it may not.
pub(super) fn reasons(record: &RecordOutput) -> impl Iterator<Item = &str> {
    let all = record.signals.iter().chain(&record.warnings);
    all.map(String::as_str)
}

/// Returns where a document is: the one place of its link.
fn places(document: &DocumentOutput) -> impl Iterator<Item = &str> {
    let places = [&document.path, &document.url, &document.copy];
    places.into_iter().filter_map(|place| place.as_deref())
}

/// Returns the list of records, as they were saved.
pub(in crate::cli) fn record_list(records: &[ListedRecordOutput], screen: &Screen) -> String {
    if records.is_empty() {
        return "no saved records in this repository; `codelens note add` adds one\n".to_owned();
    }
    let row = |record: &ListedRecordOutput| {
        let by = match record.author.by {
            "import" if record.author.approved => "import, approved",
            by => by,
        };
        vec![
            visible(&record.id).into_owned(),
            record.kind.to_owned(),
            visible(&record.title).into_owned(),
            record.item_count.to_string(),
            by.to_owned(),
            visible(record.branch.as_deref().unwrap_or_default()).into_owned(),
        ]
    };
    let rows: Vec<_> = records.iter().map(row).collect();
    table(
        screen,
        &["id", "kind", "title", "items", "by", "branch"],
        &rows,
    )
}

/// Returns the notes and documents of an answer; nothing where it has none.
pub(super) fn noted(
    notes: &[NoteOutput],
    documents: Option<&[AttachedDocumentOutput]>,
    screen: &Screen,
) -> String {
    let mut text = String::new();
    for note in notes {
        let title = visible(&note.title);
        let line = format!("noted: {title} ({}, {})", note.kind, note.verdict);
        let (line, id) = (
            screen.paint(CARE, &line),
            screen.paint(FAINT, &visible(&note.id)),
        );
        put!(text, "{line}  {id}\n");
        for line in visible_lines(note.text.as_deref().unwrap_or_default()).lines() {
            put!(text, "    {line}\n");
        }
    }
    for document in documents.unwrap_or_default() {
        let place: String = places(&document.link).collect();
        let locator = document.link.locator.as_deref().unwrap_or_default();
        put!(
            text,
            "document: {} ({}, {})  {} {}\n",
            visible(&document.title),
            document.via,
            document.verdict,
            visible(&place),
            visible(locator)
        );
    }
    text
}
