//! The output of each tool as text for people.
//!
//! Takes the types that are serialised for programs, so that both say the same of a field.

mod answers;
mod archives;
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
mod lines;
mod markdown;
mod memory;
mod pack;
mod remotes;
mod risk;
mod runs;
mod setup;
mod skipped;
mod state;
mod storage;
pub(super) mod text;
mod tree;

pub(super) use archives::{added_archive, archives, removed_archive};
pub(super) use ask::{CitedAnswer, ExcerptOutput, ProseOutput, answer};
pub(super) use changes::{ChangesFormat, RUNNERS, tests};
pub(super) use changes_graph::changes_graph;
pub(super) use drawing::GraphLanguage;
pub(super) use embed::{vector_status, vectors_built, vectors_removed};
pub(super) use impact_graph::impact_graph;
pub(super) use memory::record_list;
pub(super) use remotes::{added, collected, pulled, pushed, remote};
pub(super) use runs::runs;
pub(super) use setup::installed;
pub(super) use storage::{
    ContextText, GroupOutput, MarkOutput, SettingOutput, SettingsOutput, context, contexts,
    exported, imported, repositories, settings,
};

use super::command_names::in_answer;
use super::screen::{self, Screen, visible};
use crate::error::Result;
use crate::model::{UnknownReason, shell_word};
use crate::tools::answer::FreshnessFields;
use text::count;

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

/// The output of a tool as a command prints it. Each tool has the text; the other forms are of those whose commands have
/// the options for them.
pub(super) trait AnswerText {
    /// Returns the text for people.
    fn render(&self, screen: &Screen) -> RenderedText;

    /// Returns source that is printed as it is where nobody looks at it, and its place.
    fn exact(&self) -> Option<(String, &str)> {
        None
    }

    /// Returns the graph for a program that draws; `asked` is the subject on the command line.
    ///
    /// # Errors
    /// `invalid_argument` where a name means several definitions, of which none can be drawn.
    fn drawing(&self, _asked: &str, _language: GraphLanguage) -> Option<Result<String>> {
        None
    }

    /// Returns a form for a hosted service.
    fn formatted(&self, _format: ChangesFormat, _screen: &Screen) -> Option<String> {
        None
    }

    /// Returns Markdown to be pasted.
    fn markdown(&self) -> Option<String> {
        None
    }

    /// Whether a check failed.
    fn has_failed(&self) -> bool {
        false
    }

    /// Whether a use is broken.
    fn is_broken(&self) -> bool {
        false
    }
}

/// Returns a sentence of an answer as a terminal may show it.
fn said(sentence: &str) -> String {
    visible(&in_answer(sentence)).into_owned()
}

/// Returns the first line of an answer from an index that is not known to equal the work tree. An answer with a summary
/// begins that with the state.
fn header(fields: &FreshnessFields, screen: &Screen) -> String {
    state(
        fields.freshness,
        fields.freshness_reason,
        &fields.note,
        screen,
    )
}

fn state(freshness: &str, reason: Option<&str>, note: &str, screen: &Screen) -> String {
    if freshness == "fresh" {
        return String::new();
    }
    let state = if note.is_empty() {
        let mut reasons = UnknownReason::ALL.iter();
        let reason = reasons.find(|known| Some(known.as_str()) == reason);
        let reason = reason.map_or("not proved", |reason| reason.sentence());
        format!("{freshness}: {reason}")
    } else {
        said(note)
    };
    format!("{}\n\n", screen.paint(screen::CARE, &visible(&state)))
}

/// The part of an answer that is not shown.
#[derive(Clone, Copy, Debug, Default)]
struct Rest<'a> {
    /// Whether lists were cut.
    is_cut: bool,
    /// Entries in all; 0 where they are not counted.
    total: u64,
    /// The option that shows more; `--limit N` where it is empty.
    option: &'static str,
    /// The place where the next page begins.
    cursor: Option<&'a str>,
}

/// Returns the last lines of an answer: how to get the rest.
fn footer(rest: Rest<'_>, screen: &Screen) -> String {
    let mut lines = Vec::new();
    if rest.is_cut {
        let option = match rest.option {
            "" => "--limit N",
            option => option,
        };
        lines.push(match rest.total {
            0 => format!("Shortened; more with `{option}`."),
            total => format!("Shortened: {} in all; more with `{option}`.", count(total)),
        });
    }
    if let Some(cursor) = rest.cursor {
        lines.push(format!(
            "More: add `--cursor {}`",
            shell_word(&visible(cursor))
        ));
    }
    if lines.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = lines
        .iter()
        .map(|line| screen.paint(screen::FAINT, line))
        .collect();
    format!("\n{}\n", lines.join("\n"))
}

#[cfg(test)]
mod graph_tests;
#[cfg(test)]
mod tests;
