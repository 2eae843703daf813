//! Runs as text: a line each, or all that is known of one.

use super::text::{bytes, plural, put};
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
    let branch = run.branch.as_deref().or(run.head_sha.as_deref());
    let branch = branch.map_or_else(String::new, |it| format!(" of {}", visible(it)));
    let continued = run.continued;
    let continued = continued.map_or_else(String::new, |id| format!(", goes on with run {id}"));
    let mut text = format!(
        "{:>4}  {began}  {} {}{branch} by {}: {}{took}{from}{continued}\n",
        run.id,
        visible(&run.status),
        visible(&run.kind),
        visible(&run.source),
        plural(run.files, "file"),
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
    let said = [
        (run.code.as_deref(), &run.message),
        (is_whole.then_some("hint"), &run.hint),
    ];
    for (name, value) in said {
        if let Some(value) = value.as_deref().filter(|_| is_whole || name.is_some()) {
            let name = name.map_or_else(String::new, |it| format!("{}: ", visible(it)));
            put!(text, "      {name}{}\n", visible(value));
        }
    }
    if let Some(next) = &run.next_step {
        put!(text, "      next: {}\n", visible(next));
    }
    text
}
