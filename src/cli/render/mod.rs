//! The value of each tool as text for people.
//!
//! Knows the shape of every answer, and takes a missing part for an empty one: a value is shown as far as it goes.

mod ask;
mod changes;
mod changes_graph;
mod code;
mod drawing;
mod embed;
mod files;
mod graph;
mod hits;
mod impact_graph;
mod life;
mod lines;
mod memory;
mod pack;
mod remotes;
mod risk;
mod setup;
mod state;
mod text;
mod tree;

use serde_json::Value;

pub(super) use changes::{ChangesFormat, RUNNERS, formatted, tests};
pub(super) use drawing::{GraphLanguage, drawing};

use super::screen::{self, Screen, visible};
use crate::model::UnknownReason;
pub(super) use ask::answer;
pub(super) use changes_graph::changes_graph;
pub(super) use code::place;
pub(super) use embed::embed;
pub(super) use impact_graph::impact_graph;
pub(super) use life::{bundle, context, contexts, repositories, settings};
pub(super) use memory::record_list;
pub(super) use pack::markdown;
pub(super) use remotes::{collected, remote, transfer};
pub(super) use setup::installed;
use text::{Fields, count};

/// The text for a value.
#[derive(Debug, Default)]
pub(super) struct RenderedText {
    /// For standard output.
    pub(super) data: String,
    /// For standard error: a note for people that a program must not read.
    pub(super) aside: String,
}

impl From<String> for RenderedText {
    fn from(data: String) -> Self {
        Self {
            data,
            aside: String::new(),
        }
    }
}

/// Returns the text of a tool's value.
pub(super) fn page(tool: &str, value: &Value, screen: &Screen) -> RenderedText {
    let state = header(value, screen);
    let mut page: RenderedText = match tool {
        "cl_search" if value["searchedFiles"].is_u64() => lines::lines(value, screen),
        "cl_search" => hits::search(value, screen).into(),
        "cl_explore" if value["parts"].is_array() => pack::pack(value, screen).into(),
        "cl_explore" => hits::explore(value, screen).into(),
        "cl_impact" => graph::impact(value, screen).into(),
        "cl_changes" => changes::formatted(value, ChangesFormat::Text, screen).into(),
        "cl_related" => graph::related(value, screen).into(),
        "cl_map" if value["view"].is_string() => files::list(value, screen).into(),
        "cl_map" => code::map(value, screen).into(),
        "cl_expand" => code::expand(value, screen),
        "cl_chunks" => files::chunks(value, screen).into(),
        "cl_current" => state::current(value, screen).into(),
        "cl_refresh" => state::refresh(value, screen).into(),
        "cl_stats" => state::stats(value, screen).into(),
        "cl_doctor" => state::doctor(value, screen).into(),
        "cl_prune" => life::prune(value, screen).into(),
        "cl_drop" => life::dropped(value).into(),
        "cl_save" => memory::save(value, screen).into(),
        "cl_load" if value["results"].is_array() => memory::records(value, screen).into(),
        "cl_load" => life::context(value, screen).into(),
        _ => pretty(value).into(),
    };
    page.data.insert_str(0, &state);
    page
}

fn pretty(value: &Value) -> String {
    // JSON escapes the control characters below the space, and nothing else that a terminal obeys.
    format!("{}\n", screen::visible_lines(&format!("{value:#}")))
}

/// Returns whether an answer is known to be true of the work tree, or says nothing of it.
fn is_fresh(value: &Value) -> bool {
    matches!(value.text("freshness"), "" | "fresh")
}

/// Returns the first line of an answer from an index that is not known to equal the work tree.
fn header(value: &Value, screen: &Screen) -> String {
    if is_fresh(value) {
        return String::new();
    }
    // A summary begins with the state.
    let state = match (value.text("summary"), value.text("note")) {
        ("", "") => {
            let known = value.text("freshnessReason");
            let reason = UnknownReason::ALL
                .iter()
                .find(|reason| reason.as_str() == known);
            let reason = reason.map_or("not proved", |reason| reason.sentence());
            format!("{}: {reason}", value.text("freshness"))
        }
        ("", note) => note.to_owned(),
        _ => return String::new(),
    };
    format!("{}\n\n", screen.paint(screen::CARE, &visible(&state)))
}

/// Returns the last lines of an answer: how to get the rest.
fn footer(value: &Value, screen: &Screen) -> String {
    let mut lines = Vec::new();
    // An outline names its omissions itself.
    if value.is_true("truncated") && value["omitted"].is_null() {
        let total = ["total", "fileCount"]
            .into_iter()
            .map(|key| value.number(key))
            .find(|total| *total > 0);
        let flag = match value["brokenTotal"] {
            Value::Null => "--limit N",
            _ => "--budget N",
        };
        lines.push(screen.paint(
            screen::FAINT,
            &match total {
                Some(total) => format!("Shortened: {} in all; more with `{flag}`.", count(total)),
                None => format!("Shortened; more with `{flag}`."),
            },
        ));
    }
    let cursor = value.text("nextCursor");
    if !cursor.is_empty() {
        lines.push(screen.paint(
            screen::FAINT,
            &format!("More: add `--cursor {}`", quoted(&visible(cursor))),
        ));
    }
    if lines.is_empty() {
        return String::new();
    }
    format!("\n{}\n", lines.join("\n"))
}

/// Returns a word quoted for a shell: a file's name must not run when pasted.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/-@%+=:".contains(c);
    if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod graph_tests;
#[cfg(test)]
mod tests;
