//! Saved contexts, and removed or kept indexes.

use serde_json::Value;

use super::state::branch_of;
use super::text::{Facts, Fields, add, bytes, plural, short, table};
use crate::cli::screen::{BAD, CARE, FAINT, GOOD, STRONG, Screen, visible, visible_lines};

/// Returns a context with its items.
pub(in crate::cli) fn context(value: &Value, screen: &Screen) -> String {
    let saved = &value["context"];
    let mut facts = Facts::on(screen);
    facts.add(
        "context",
        screen.paint(STRONG, &visible(saved.text("name"))),
    );
    let at = format!(
        "{}  {}",
        branch_of(saved),
        short(&visible(saved.text("headSha")))
    );
    facts.add("saved on", at.trim_end());
    facts.add("saved", visible(saved.text("updatedAt")));
    if saved.is_true("pinned") {
        facts.add("pinned", "yes");
    }
    let record = &value["record"];
    let reasons: Vec<&str> = super::memory::reasons(record).collect();
    let verdict = if reasons.is_empty() {
        record.text("verdict").to_owned()
    } else {
        format!("{}: {}", record.text("verdict"), reasons.join("; "))
    };
    facts.add("verdict", visible(&verdict));
    let mut text = facts.finish();
    let notes = saved.text("notes");
    if !notes.is_empty() {
        add(&mut text, format_args!("\n{}\n", visible_lines(notes)));
    }
    if !value.items("items").is_empty() {
        text.push('\n');
    }
    for item in value.items("items") {
        text += &line(item, screen);
    }
    text + &super::footer(value, screen)
}

fn line(item: &Value, screen: &Screen) -> String {
    let mut line = visible(item.text("path")).into_owned();
    let lines = item.text("lines");
    if !lines.is_empty() {
        add(&mut line, format_args!(":{lines}"));
    }
    let symbol = item.text("symbol");
    if !symbol.is_empty() {
        add(
            &mut line,
            format_args!("  {}", screen.paint(STRONG, &visible(symbol))),
        );
    }
    let style = match item.text("state") {
        "same" => GOOD,
        "missing" => BAD,
        _ => CARE,
    };
    let state = item.text("state");
    if !state.is_empty() {
        add(
            &mut line,
            format_args!("  {}", screen.paint(style, &visible(state))),
        );
    }
    if item.is_true("stale") {
        line += " (not looked for everywhere yet)";
    }
    add(
        &mut line,
        format_args!("  {}\n", screen.paint(FAINT, &visible(item.text("handle")))),
    );
    let preview = item.text("preview");
    if !preview.is_empty() {
        add(&mut line, format_args!("    {}\n", visible(preview)));
    }
    line
}

/// Returns the list of contexts.
pub(in crate::cli) fn contexts(value: &Value, screen: &Screen) -> String {
    let contexts = value.items("contexts");
    if contexts.is_empty() {
        return "no saved contexts in this repository; `codelens save NAME …` saves one\n"
            .to_owned();
    }
    let rows: Vec<_> = contexts
        .iter()
        .map(|context| {
            vec![
                visible(context.text("name")).into_owned(),
                context.number("itemCount").to_string(),
                branch_of(context),
                short(&visible(context.text("headSha"))),
                visible(
                    context
                        .text("updatedAt")
                        .split('T')
                        .next()
                        .unwrap_or_default(),
                )
                .into_owned(),
                if context.is_true("pinned") {
                    "pinned"
                } else {
                    ""
                }
                .to_owned(),
            ]
        })
        .collect();
    table(
        screen,
        &["name", "items", "branch", "commit", "saved", ""],
        &rows,
    )
}

/// Returns the indexes that were removed, or would be.
pub(super) fn prune(value: &Value, screen: &Screen) -> String {
    let is_dry = value.is_true("dryRun");
    let removed = value.items("deletedIndexes");
    let mut text = String::new();
    if !removed.is_empty() {
        let rows: Vec<_> = removed
            .iter()
            .map(|index| {
                vec![
                    branch_of(index),
                    short(&visible(index.text("headSha"))),
                    bytes(index.number("bytes")),
                    visible(index.text("reason")).into_owned(),
                    visible(index.text("repo")).into_owned(),
                ]
            })
            .collect();
        text += &table(screen, &["branch", "commit", "size", "why", "of"], &rows);
        text.push('\n');
    }
    let total = value.number("total");
    let indexes = if total == 1 {
        "1 index".to_owned()
    } else {
        format!("{total} indexes")
    };
    let verb = if is_dry { "would remove" } else { "removed" };
    let freed = bytes(value.number("bytesFreed"));
    add(&mut text, format_args!("{verb} {indexes}, {freed}\n"));
    let skipped = value.number("skipped");
    if skipped > 0 {
        let line = format!("{skipped} more in use by a process, kept");
        add(&mut text, format_args!("{}\n", screen.paint(FAINT, &line)));
    }
    text
}

/// Returns the dropped index.
pub(super) fn dropped(value: &Value) -> String {
    let id = visible(value.text("indexId")).into_owned();
    format!("dropped {id}, {}\n", bytes(value.number("bytesFreed")))
}

/// Returns every repository with indexes.
pub(in crate::cli) fn repositories(value: &Value, screen: &Screen) -> String {
    let repositories = value.items("repositories");
    let place = visible(value.text("dataDir")).into_owned();
    if repositories.is_empty() {
        return format!("no indexes in {place}\n");
    }
    let sum = |key: &str| {
        repositories
            .iter()
            .map(|repository| repository.number(key))
            .sum()
    };
    let rows: Vec<_> = repositories
        .iter()
        .map(|repository| {
            let prunable = match repository.number("prunable") {
                0 => String::new(),
                n => format!("{n}, {}", bytes(repository.number("prunableBytes"))),
            };
            let used = repository.text("lastUsedAt");
            vec![
                visible(repository.text("path")).into_owned(),
                visible(repository.text("state")).into_owned(),
                match repository.number("commitIndexes") {
                    0 => repository.number("indexes").to_string(),
                    n => format!("{} ({n} of commits)", repository.number("indexes")),
                },
                bytes(repository.number("bytes")),
                visible(used.split('T').next().unwrap_or_default()).into_owned(),
                match repository.number("contexts") {
                    0 => String::new(),
                    n => n.to_string(),
                },
                prunable,
            ]
        })
        .collect();
    let heading = [
        "work tree",
        "state",
        "indexes",
        "size",
        "last used",
        "contexts",
        "prune removes",
    ];
    let mut text = table(screen, &heading, &rows);
    let total: u64 = sum("bytes");
    add(&mut text, format_args!("\n{} in {place}\n", bytes(total)));
    text
}

/// Returns the settings.
pub(in crate::cli) fn settings(value: &Value, screen: &Screen) -> String {
    let rows: Vec<_> = value
        .items("settings")
        .iter()
        .map(|setting| {
            let unit = setting.text("unit");
            let shown = visible(setting.text("value")).into_owned();
            vec![
                visible(setting.text("name")).into_owned(),
                match (unit, shown.parse()) {
                    ("", _) => shown,
                    ("bytes", Ok(n)) => bytes(n),
                    _ => format!("{shown} {unit}"),
                },
                visible(setting.text("source")).into_owned(),
                visible(setting.text("bounds")).into_owned(),
                visible(setting.text("about")).into_owned(),
            ]
        })
        .collect();
    let mut text = table(
        screen,
        &["setting", "value", "from", "bounds", "for"],
        &rows,
    );
    let there = if value.is_true("fileExists") {
        ""
    } else {
        " (not there)"
    };
    let file = visible(value.text("file")).into_owned();
    add(&mut text, format_args!("\nfile: {file}{there}\n"));
    for mark in value.items("marks") {
        let [word, path, repo] = ["word", "path", "repo"].map(|key| visible(mark.text(key)));
        add(
            &mut text,
            format_args!("mark: {path} of {repo} counts as {word}\n"),
        );
    }
    for warning in value.items("warnings") {
        let warning = visible(warning.as_str().unwrap_or_default()).into_owned();
        add(
            &mut text,
            format_args!("{}\n", screen.paint(CARE, &warning)),
        );
    }
    text
}

/// Returns the result of exporting or importing a bundle.
pub(in crate::cli) fn bundle(value: &Value) -> String {
    let commit = short(value.text("commit"));
    let files = plural(value.number("files"), "file");
    if value["digest"].is_string() {
        return format!(
            "wrote {}: {files} at {commit}, {} ({} unpacked)\ndigest {}\n",
            visible(value.text("file")),
            bytes(value.number("bytes")),
            bytes(value.number("indexBytes")),
            visible(value.text("digest"))
        );
    }
    let mut text = format!("imported {files} of commit {commit}");
    if value["verifiedFiles"].is_u64() {
        text += ", each extracted again: all as the bundle says";
    }
    text.push('\n');
    let left_out = value.number("leftOut");
    if left_out > 0 {
        add(
            &mut text,
            format_args!(
                "left out {}, whose bytes are not here\n",
                plural(left_out, "file")
            ),
        );
    }
    text + "next: `codelens refresh` (a new index starts from the nearest one; nothing is answered from the bundle itself)\n"
}
