//! The risk of a change, as lists.

use super::graph::{plain, section};
use super::pack::{history_line, owner_line, person, together_line};
use super::text::{plural, put};
use super::tree::TreeNode;
use crate::cli::screen::{FAINT, Screen, visible};
use crate::tools::file_history::HeldCommitsOutput;
use crate::tools::impact::risk::{FileRiskOutput, RiskOutput};

/// Returns the files with their history, what is usually changed too, definitions without tests, and who may review.
pub(super) fn risk(risk: &RiskOutput, screen: &Screen) -> String {
    let mut text = String::new();
    let mut files: Vec<TreeNode> = risk.files.iter().map(file).collect();
    let more = risk.files_total.saturating_sub(files.len() as u64);
    if more > 0 {
        files.push(plain(&format!("{} more", plural(more, "file"))));
    }
    section(&mut text, "History of the files", &files, screen);
    let missing = risk.missing_co_change.iter().flatten();
    let missing = missing.map(|it| {
        let (path, with) = (&it.path, &it.with);
        format!("{path} in {} of {} commits of {with}", it.together, it.of)
    });
    list(&mut text, "Usually changed too", missing, screen);
    let gaps = risk.test_gaps.iter().map(|gap| {
        let state = match gap.state {
            "untested" => "no test reaches it",
            _ => "no test is known to reach it; an unresolved use may",
        };
        format!("{}:{} {}: {state}", gap.path, gap.line, gap.symbol)
    });
    list(&mut text, "Without tests", gaps, screen);
    if let Some(unchecked) = risk.test_gaps_unchecked.filter(|n| *n > 0) {
        let unchecked = plural(unchecked, "definition");
        let line = format!("{unchecked} not looked at for tests");
        put!(text, "{}\n", screen.paint(FAINT, &line));
    }
    let reviewers = risk.reviewers.iter().flatten();
    let reviewers = reviewers.map(|it| person(&it.name, it.share, ""));
    list(&mut text, "Reviewers", reviewers, screen);
    let signals = risk.signals.iter();
    let signals = signals.map(|it| format!("{}:{} {}: {}", it.path, it.line, it.kind, it.text));
    list(
        &mut text,
        "Signals (to look at, no findings)",
        signals,
        screen,
    );
    let line = held(&risk.history);
    put!(text, "\n{}\n", screen.paint(FAINT, &visible(&line)));
    text
}

fn list(text: &mut String, heading: &str, lines: impl Iterator<Item = String>, screen: &Screen) {
    let nodes: Vec<TreeNode> = lines.map(|line| plain(&line)).collect();
    section(text, heading, &nodes, screen);
}

fn file(file: &FileRiskOutput) -> TreeNode {
    let mut node = plain(&file.path);
    let Some(commits) = file.commits else {
        return node;
    };
    let fixes = file.fixes.as_ref();
    let mut line = history_line(
        commits,
        file.commits90.unwrap_or_default(),
        fixes.map_or(0, |fixes| fixes.count),
    );
    if let Some(churn) = file.churn {
        put!(line, "; more commits than {churn} % of the files");
    }
    let mut lines = vec![line];
    let subjects = fixes.into_iter().flat_map(|fixes| &fixes.subjects);
    lines.extend(subjects.map(|subject| format!("counted as a fix: {subject}")));
    let owners = file.owners.iter().flatten();
    lines.extend(owners.map(|owner| format!("owner: {}", owner_line(owner))));
    let others = file.co_change.iter().map(together_line);
    lines.extend(others.map(|other| format!("changed together: {other}")));
    node.below = lines.iter().map(|line| plain(line)).collect();
    node
}

/// Returns which commits the figures are of.
fn held(history: &HeldCommitsOutput) -> String {
    if history.pending {
        return "The history is still being read: ask again for its figures.".to_owned();
    }
    let n = plural(history.commits, "commit");
    if history.complete {
        return format!("Figures of the whole history ({n}).");
    }
    let since = history.from.as_deref().unwrap_or_default();
    format!("Figures of the newest {n} (since {since}): older ones are not counted.")
}
