//! Sentences about an answer, from its own fields: each name and number in them stands elsewhere in the same answer.

use super::candidates::PackRole;
use super::cards::CardOutput;
use super::part::PartOutput;
use super::{ExploreInput, ExploreOutput, Include};
use crate::model::RepoPath;
use crate::tools::analysed::lesser_analysis;
use crate::tools::answer::length;

/// Sentences of one answer.
const MAX_LINES: usize = 6;

/// Bytes of a sentence.
const MAX_LINE: usize = 160;

/// Names in a sentence.
const MAX_NAMES: usize = 4;

/// Returns the sentences of an answer: the place, its callees, its callers, its tests, and the gaps.
/// They take at most `max_bytes` with their quotes and commas.
pub(super) fn lines(output: &ExploreOutput, input: &ExploreInput, max_bytes: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let parts = output.parts.as_deref().unwrap_or_default();
    if let Some(card) = output.cards.iter().flatten().find(|it| it.error.is_none()) {
        of_card(card, &mut lines);
    } else {
        of_parts(parts, input, &mut lines);
    }
    if let Some(file) = output.files.iter().flatten().next() {
        lines.push(file.place());
    }
    let unknown: Vec<String> = unknown(output).collect();
    // That something is not known is said before the surroundings.
    let n_said = MAX_LINES.saturating_sub(unknown.len());
    lines.truncate(n_said);
    lines.extend(unknown);
    let mut left = max_bytes;
    lines.retain(|line| {
        let size = length(line) + 1;
        let fits = line.len() <= MAX_LINE && size <= left;
        left -= if fits { size } else { 0 };
        fits
    });
    lines
}

/// Returns how many sentences an answer has at most that has everything but its parts.
pub(super) fn most_lines(output: &ExploreOutput, input: &ExploreInput) -> usize {
    let of_surroundings = [Include::Callees, Include::Callers, Include::Tests];
    let of_surroundings = of_surroundings.iter().filter(|it| input.includes(**it));
    let n_of_subject = if output.cards.is_some() {
        MAX_LINES
    } else {
        1 + of_surroundings.count()
    };
    let has_pending = output.freshness_fields.pending_files > 0;
    let n_unknown = usize::from(has_pending) + usize::from(!output.missing.is_empty());
    MAX_LINES.min(n_of_subject + n_unknown)
}

fn of_parts(parts: &[PartOutput], input: &ExploreInput, lines: &mut Vec<String>) {
    let Some(first) = parts.iter().find(|it| it.role.is_found()) else {
        return;
    };
    let place = format!("{}:{}", first.path, first.lines);
    let Some(subject) = first.symbol.as_deref() else {
        lines.push(format!("First: {place}."));
        return;
    };
    lines.push(format!("First: `{subject}` in {place}."));
    let of_role = |role: PackRole| -> Vec<&PartOutput> {
        let is_of = |it: &&PartOutput| it.role == role && it.because == first.handle();
        parts.iter().filter(is_of).collect()
    };
    let symbols = |found: &[&PartOutput]| names(found.iter().filter_map(|it| it.symbol.as_deref()));
    let callees = of_role(PackRole::Callee);
    if let Some(named) = symbols(&callees) {
        lines.push(format!("`{subject}` calls {named}."));
    }
    let callers = of_role(PackRole::Caller);
    if let Some(named) = symbols(&callers) {
        lines.push(format!("`{subject}` is used by {named}."));
    }
    let tests = of_role(PackRole::Test);
    let mut paths: Vec<&str> = tests.iter().map(|it| it.path.as_str()).collect();
    paths.dedup();
    if !paths.is_empty() {
        lines.push(format!(
            "Tested in {}.",
            paths[..paths.len().min(2)].join(", ")
        ));
    } else if input.includes(Include::Tests) && !parts.iter().any(|it| it.role == PackRole::Test) {
        lines.push(format!("No test in this pack uses `{subject}`."));
    }
}

fn of_card(card: &CardOutput, lines: &mut Vec<String>) {
    let (Some(path), Some(counts)) = (&card.path, card.counts) else {
        return;
    };
    if let Some(files) = counts.files {
        lines.push(format!("{path}: {}.", plural(files, "file")));
        return;
    }
    let span = card.lines.as_deref().unwrap_or_default();
    let subject = match (&card.symbol, card.kind) {
        (Some(symbol), Some(kind)) => {
            lines.push(format!("`{symbol}`: {kind} in {path}:{span}."));
            format!("`{symbol}`")
        }
        _ => path.clone(),
    };
    let is_unknown = counts.callers == Some(0) && counts.unresolved.is_some_and(|n| n > 0);
    if is_unknown {
        lines.push(format!(
            "No use of {subject} could be resolved: it may have some."
        ));
    } else if let (Some(callers), Some(dependents)) = (counts.callers, counts.dependents) {
        lines.push(format!(
            "{subject} has {} and reaches {} of code.",
            plural(callers, "direct caller"),
            plural(dependents, "file")
        ));
    } else if let Some(dependents) = counts.dependents {
        lines.push(format!(
            "{subject} is imported by {}.",
            plural(dependents, "file")
        ));
    } else {
        lines.push(format!(
            "Uses of {subject} are not followed: its file is {}.",
            RepoPath::normalise(path)
                .as_ref()
                .and_then(lesser_analysis)
                .unwrap_or("outlined only")
        ));
    }
    match counts.tests {
        Some(0) => lines.push(format!("No test reaches {subject} within 2 steps.")),
        Some(n) => lines.push(format!(
            "{subject} is reached by {} within 2 steps.",
            plural(n, "test file")
        )),
        None => {}
    }
    if let Some(n) = counts.unresolved {
        lines.push(format!(
            "{} of its name could not be bound.",
            plural(n, "use")
        ));
    }
}

/// Returns the sentence about words that nothing holds.
fn unknown(output: &ExploreOutput) -> impl Iterator<Item = String> {
    let words: Vec<&str> = output
        .missing
        .iter()
        .map(String::as_str)
        .take(MAX_NAMES)
        .collect();
    let missing = (!words.is_empty() && output.n_results() > 0)
        .then(|| format!("No result holds: {}.", words.join(", ")));
    missing.into_iter()
}

fn names<'a>(found: impl Iterator<Item = &'a str>) -> Option<String> {
    let named: Vec<String> = found
        .take(MAX_NAMES)
        .map(|name| format!("`{name}`"))
        .collect();
    (!named.is_empty()).then(|| named.join(", "))
}

/// Returns a count with its noun: `1 file`, `2 files`.
fn plural(n: u64, noun: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{s}")
}
