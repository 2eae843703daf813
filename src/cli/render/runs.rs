//! Runs as text: a line each, or all that is known of one.

use std::borrow::Cow;

use super::text::{bytes, count, plural, put};
use crate::cli::screen::visible;
use crate::tools::answer::time;
use crate::tools::runs::RunOutput;

/// Returns runs; with `is_whole` everything of them.
pub(in crate::cli) fn runs(found: &[RunOutput], is_whole: bool) -> String {
    if found.is_empty() {
        return "no runs yet; `codelens refresh` makes one\n".to_owned();
    }
    found.iter().map(|run| one(run, is_whole)).collect()
}

fn one(run: &RunOutput, is_whole: bool) -> String {
    let began = time(run.started_ms).unwrap_or_default();
    let took = run.finished_ms.map(|end| (end - run.started_ms).max(0));
    let took = took.map_or_else(String::new, |ms| format!(", {ms} ms"));
    let from = run.started_from.as_deref();
    let from = from.map_or_else(String::new, |it| format!(", from {}", visible(it)));
    let continued = run.continued;
    let continued = continued.map_or_else(String::new, |id| format!(", goes on with run {id}"));
    let left = match run.pending_files {
        0 => String::new(),
        n => format!(" read, {} left", count(n)),
    };
    let mut text = format!(
        "{:>4}  {began}  {} {}: {}{left}{took}{from}{continued}\n",
        run.id,
        status(run),
        subject(run),
        plural(
            run.files,
            if run.kind == "embed" { "chunk" } else { "file" }
        ),
    );
    if is_whole {
        put!(text, "      repository  {}\n", visible(&run.repo));
        let facts = [("index", &run.index_id), ("commit", &run.head_sha)];
        for (name, value) in facts {
            if let Some(value) = value {
                put!(text, "      {name:10}  {}\n", visible(value));
            }
        }
        if run.bytes > 0 {
            put!(text, "      {:10}  {}\n", "carried", bytes(run.bytes));
        }
        if let Some(ms) = run.cpu_ms {
            put!(text, "      {:10}  {ms} ms\n", "CPU");
        }
    }
    let is_told = is_whole || run.code.is_some();
    if let Some(message) = run.message.as_deref().filter(|_| is_told) {
        let code = run.code.as_deref();
        let code = code.map_or_else(String::new, |it| format!("{}: ", visible(it)));
        put!(text, "      {code}{}\n", visible(message));
    }
    // Where no command helps, the words do.
    let is_failed = run.code.is_some() && run.next_step.is_none();
    if let Some(hint) = run.hint.as_deref().filter(|_| is_whole || is_failed) {
        put!(text, "      hint: {}\n", visible(hint));
    }
    if let Some(next) = &run.next_step {
        put!(text, "      next: {}\n", visible(next));
    }
    text
}

/// Returns the state of a run in a word: `unfinished` where it ended and left files.
pub(super) fn status(run: &RunOutput) -> Cow<'_, str> {
    // What is left has a message and no code.
    let is_unfinished = run.status == "done" && run.message.is_some();
    if is_unfinished {
        return "unfinished".into();
    }
    visible(&run.status)
}

/// Returns the subject of a run: `build of main, asked by a question`, `pull from team`, `vectors of MODEL`.
fn subject(run: &RunOutput) -> String {
    let (kind, source) = (visible(&run.kind), visible(&run.source));
    match run.kind.as_str() {
        "pull" if source.is_empty() => return "pull".to_owned(),
        "pull" => return format!("pull from {source}"),
        "bundle" => return format!("import of {source}"),
        "archive" => return format!("archive of {source}"),
        "embed" => return format!("vectors of {source}"),
        _ => {}
    }
    let branch = run.branch.as_deref().or(run.head_sha.as_deref());
    let branch = branch.map_or_else(String::new, |it| format!(" of {}", visible(it)));
    let cause = match run.source.as_str() {
        "question" => "asked by a question".to_owned(),
        "background" => "in the background".to_owned(),
        _ => format!("by {source}"),
    };
    format!("{kind}{branch}, {cause}")
}
