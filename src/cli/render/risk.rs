//! The risk of a change, as lists.

use serde_json::Value;

use super::graph::{plain, section};
use super::pack::{history_line, owner_line, together_line};
use super::text::{Fields, add, plural};
use super::tree::TreeNode;
use crate::cli::screen::{FAINT, Screen, visible};

/// Returns the files with their history, what is usually changed too, definitions without tests, and who may review.
pub(super) fn risk(risk: &Value, screen: &Screen) -> String {
    let mut text = String::new();
    if !risk.is_object() {
        return text;
    }
    let mut files: Vec<TreeNode> = risk.items("files").iter().map(file).collect();
    let more = risk.number("filesTotal").saturating_sub(files.len() as u64);
    if more > 0 {
        files.push(plain(&format!("{} more", plural(more, "file"))));
    }
    section(&mut text, "History of the files", &files, screen);
    let nodes = |key: &str, line: &dyn Fn(&Value) -> String| -> Vec<TreeNode> {
        risk.items(key).iter().map(|it| plain(&line(it))).collect()
    };
    let missing = nodes("missingCoChange", &|it| {
        let of = format!("{} of {}", it.number("together"), it.number("of"));
        format!("{} in {of} commits of {}", it.text("path"), it.text("with"))
    });
    section(&mut text, "Usually changed too", &missing, screen);
    let gaps = nodes("testGaps", &|gap| {
        let place = format!("{}:{}", gap.text("path"), gap.number("line"));
        let state = match gap.text("state") {
            "untested" => "no test reaches it",
            _ => "no test is known to reach it; an unresolved use may",
        };
        format!("{place} {}: {state}", gap.text("symbol"))
    });
    section(&mut text, "Without tests", &gaps, screen);
    let unchecked = risk.number("testGapsUnchecked");
    if unchecked > 0 {
        let line = format!(
            "{} not looked at for tests",
            plural(unchecked, "definition")
        );
        add(&mut text, format_args!("{}\n", screen.paint(FAINT, &line)));
    }
    let reviewers = nodes("reviewers", &owner_line);
    section(&mut text, "Reviewers", &reviewers, screen);
    let signals = nodes("signals", &|it| {
        let place = format!("{}:{}", it.text("path"), it.number("line"));
        format!("{place} {}: {}", it.text("kind"), it.text("text"))
    });
    section(
        &mut text,
        "Signals (to look at, no findings)",
        &signals,
        screen,
    );
    let line = held(&risk["history"]);
    add(
        &mut text,
        format_args!("\n{}\n", screen.paint(FAINT, &visible(&line))),
    );
    text
}

fn file(file: &Value) -> TreeNode {
    let mut node = plain(file.text("path"));
    if !file["commits"].is_u64() {
        return node;
    }
    let mut line = history_line(file);
    if file["churn"].is_u64() {
        add(
            &mut line,
            format_args!("; more than {} % of files", file.number("churn")),
        );
    }
    node.below.push(plain(&line));
    for subject in file["fixes"]
        .items("subjects")
        .iter()
        .filter_map(Value::as_str)
    {
        node.below.push(plain(&format!("fixed by: {subject}")));
    }
    for owner in file.items("owners") {
        node.below
            .push(plain(&format!("owner: {}", owner_line(owner))));
    }
    for other in file.items("coChange") {
        node.below.push(plain(&format!(
            "changed together: {}",
            together_line(other)
        )));
    }
    node
}

/// Returns which commits the figures are of.
fn held(history: &Value) -> String {
    if history.is_true("pending") {
        return "The history is still being read: ask again for its figures.".to_owned();
    }
    let n = plural(history.number("commits"), "commit");
    if history.is_true("complete") {
        return format!("Of all {n}.");
    }
    format!(
        "Of the newest {n} (since {}): there are more, or the clone is cut off.",
        history.text("from")
    )
}
