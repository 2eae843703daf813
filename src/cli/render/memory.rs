//! Saved records, as they are judged now.

use serde_json::Value;

use super::text::{Fields, add, plural, table};
use crate::cli::screen::{BAD, CARE, FAINT, GOOD, STRONG, Screen, visible, visible_lines};

/// Returns the record that was saved.
pub(super) fn save(value: &Value, screen: &Screen) -> String {
    let items = plural(value.number("itemCount"), "item");
    let pinned = if value.is_true("pinned") {
        ", pinned"
    } else {
        ""
    };
    let id = visible(value.text("id"));
    let mut text = match value.text("name") {
        "" => format!(
            "saved {} {}: {items}{pinned}\n",
            value.text("kind"),
            screen.paint(STRONG, &id)
        ),
        name => format!(
            "saved {}: {items}{pinned}  {}\n",
            screen.paint(STRONG, &visible(name)),
            screen.paint(FAINT, &id)
        ),
    };
    for similar in value.items("similar") {
        let line = format!(
            "like {}: {}\n",
            visible(similar.text("id")),
            visible(similar.text("title"))
        );
        text += &line;
    }
    if !value.text("note").is_empty() {
        add(&mut text, format_args!("{}\n", visible(value.text("note"))));
    }
    text
}

/// Returns records with their verdicts.
pub(in crate::cli) fn records(value: &Value, screen: &Screen) -> String {
    let mut text = String::new();
    for record in value.items("results") {
        if !text.is_empty() {
            text.push('\n');
        }
        text += &one(record, screen);
    }
    let n_shown = value.items("results").len() as u64;
    let total = value.number("total");
    if total > n_shown {
        add(&mut text, format_args!("\n{n_shown} of {total}\n"));
    }
    if !value.text("note").is_empty() {
        add(&mut text, format_args!("{}\n", visible(value.text("note"))));
    }
    text + &super::footer(value, screen)
}

fn one(record: &Value, screen: &Screen) -> String {
    let style = match record.text("verdict") {
        "holds" => GOOD,
        "stale" => BAD,
        _ => CARE,
    };
    let mut text = format!(
        "{}  {}  {}  {}\n",
        screen.paint(style, record.text("verdict")),
        record.text("kind"),
        screen.paint(STRONG, &visible(record.text("title"))),
        screen.paint(FAINT, &visible(record.text("id")))
    );
    let body = record.text("text");
    if !body.is_empty() && body != record.text("title") {
        for line in visible_lines(body).lines() {
            add(&mut text, format_args!("    {line}\n"));
        }
    }
    for item in record.items("items") {
        let lines = match item.text("lines") {
            "" => String::new(),
            lines => format!(":{lines}"),
        };
        let path = visible(item.text("path"));
        let symbol = visible(item.text("symbol"));
        let state = item.text("state");
        add(
            &mut text,
            format_args!("  {path}{lines}  {symbol}  {state}\n"),
        );
    }
    let document = &record["document"];
    for field in ["path", "url", "copy"] {
        if !document.text(field).is_empty() {
            let place = visible(document.text(field));
            let locator = visible(document.text("locator"));
            add(&mut text, format_args!("  document {place} {locator}\n"));
        }
    }
    let test = record["test"].text("command");
    if !test.is_empty() {
        add(&mut text, format_args!("  test  {}\n", visible(test)));
    }
    let verification = record.text("verification");
    let mut signs: Vec<String> = Vec::new();
    if !record.text("from").is_empty() {
        signs.push(format!("from the clone {}", record.text("from")));
    }
    if verification != "none" {
        signs.push(verification.to_owned());
    }
    signs.extend(reasons(record).map(str::to_owned));
    if !signs.is_empty() {
        let signs = signs.join("; ");
        add(
            &mut text,
            format_args!("  {}\n", screen.paint(FAINT, &visible(&signs))),
        );
    }
    text
}

/// Returns why a record may hold, then why it may not.
pub(super) fn reasons(record: &Value) -> impl Iterator<Item = &str> {
    let all = ["signals", "warnings"].map(|key| record.items(key));
    all.into_iter().flatten().filter_map(Value::as_str)
}

/// Returns the list of records, as they were saved.
pub(in crate::cli) fn record_list(value: &Value, screen: &Screen) -> String {
    let records = value.items("records");
    if records.is_empty() {
        return "no saved records in this repository; `codelens note add` adds one\n".to_owned();
    }
    let rows: Vec<_> = records
        .iter()
        .map(|record| {
            let author = &record["author"];
            let by = match author.text("by") {
                "import" if author.is_true("approved") => "import, approved",
                by => by,
            };
            vec![
                visible(record.text("id")).into_owned(),
                record.text("kind").to_owned(),
                visible(record.text("title")).into_owned(),
                record.number("itemCount").to_string(),
                by.to_owned(),
                visible(record.text("branch")).into_owned(),
            ]
        })
        .collect();
    table(
        screen,
        &["id", "kind", "title", "items", "by", "branch"],
        &rows,
    )
}

/// Returns the notes and documents of an answer; nothing where it has none.
pub(super) fn noted(value: &Value, screen: &Screen) -> String {
    let mut text = String::new();
    for note in value.items("notes") {
        let line = format!(
            "noted: {} ({}, {})",
            visible(note.text("title")),
            note.text("kind"),
            note.text("verdict")
        );
        add(
            &mut text,
            format_args!(
                "{}  {}\n",
                screen.paint(CARE, &line),
                screen.paint(FAINT, &visible(note.text("id")))
            ),
        );
        for line in visible_lines(note.text("text")).lines() {
            add(&mut text, format_args!("    {line}\n"));
        }
    }
    for document in value.items("documents") {
        let place = ["path", "url", "copy"]
            .map(|field| document.text(field))
            .concat();
        let line = format!(
            "document: {} ({}, {})  {} {}\n",
            visible(document.text("title")),
            document.text("via"),
            document.text("verdict"),
            visible(&place),
            visible(document.text("locator"))
        );
        text += &line;
    }
    text
}
