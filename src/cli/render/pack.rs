//! A pack of `cl_explore`: for a terminal, and as Markdown to be pasted.

use super::markdown::escape;
use super::text::{count, plural, put};
use super::{Rest, footer, said};
use crate::cli::command_names::in_error;
use crate::cli::screen::{CARE, FAINT, PLACE, STRONG, Screen, visible, visible_lines};
use crate::tools::explore::ExploreOutput;
use crate::tools::explore::cards::{CardOutput, MetricsOutput, TargetCountsOutput};
use crate::tools::explore::part::{OmittedDefinitionOutput, PartOutput};
use crate::tools::file_history::{CoChangeOutput, OwnerOutput};

/// Omitted definitions that a terminal is shown.
const MAX_OMITTED: usize = 12;

/// Returns the cards, the parts with their text, and what was left out.
pub(super) fn pack(found: &ExploreOutput, parts: &[PartOutput], screen: &Screen) -> String {
    let mut text = String::new();
    for line in &found.brief {
        text += &screen.paint(FAINT, &visible(line));
        text.push('\n');
    }
    let cards = found.cards.as_deref().unwrap_or_default();
    let fields = &found.freshness_fields;
    if parts.is_empty() && cards.is_empty() {
        let nothing = if fields.freshness == "fresh" {
            "nothing found"
        } else {
            "nothing found yet"
        };
        let query = visible(found.query.as_deref().unwrap_or_default());
        let line = format!("{nothing} for “{query}”: {}", said(&fields.note));
        text += &screen.paint(FAINT, line.trim_end_matches([':', ' ']));
        text.push('\n');
    }
    for card in cards {
        text.push('\n');
        text += &self::card(card, screen);
    }
    for part in parts {
        let place = format!("{}:{}", visible(&part.path), first_line(&part.lines));
        let mut line = screen.paint(PLACE, &place);
        let name = name(part);
        if !name.is_empty() {
            line.push(' ');
            line += &screen.paint(STRONG, &visible(name));
        }
        put!(line, "  {}", screen.paint(FAINT, &about(part)));
        put!(text, "\n{line}\n");
        text += &indented(&visible_lines(part.text.as_deref().unwrap_or_default()));
    }
    text += &super::memory::noted(&found.notes, found.documents.as_deref(), screen);
    text += &omitted(found, screen);
    let rest = Rest {
        // The list of omitted definitions says it.
        is_cut: found.truncated && found.omitted.is_none(),
        cursor: found.next_cursor.as_deref(),
        ..Rest::default()
    };
    text + &footer(rest, screen)
}

/// Returns the pack as Markdown: a heading and a fenced block for each part.
pub(super) fn markdown(found: &ExploreOutput, parts: &[PartOutput]) -> String {
    let cards = found.cards.as_deref().unwrap_or_default();
    let title = match &found.query {
        None => {
            let targets: Vec<&str> = cards.iter().map(|card| card.target.as_str()).collect();
            targets.join(", ")
        }
        Some(query) => query.clone(),
    };
    let mut text = format!("# {}\n", escape(&title));
    let note = &found.freshness_fields.note;
    if !note.is_empty() {
        put!(text, "\n> {}\n", escape(note));
    }
    if !found.brief.is_empty() {
        text.push('\n');
    }
    for line in &found.brief {
        put!(text, "- {}\n", visible(line));
    }
    for card in cards {
        let place = place_of(card);
        put!(text, "\n**{}** {place}\n", escape(&card.target));
        for line in facts(card) {
            put!(text, "- {}\n", escape(&line));
        }
    }
    for part in parts {
        let heading = format!("{} ({}:{})", name(part), part.path, part.lines);
        put!(text, "\n## {}\n\n", escape(heading.trim_start()));
        let source = visible_lines(part.text.as_deref().unwrap_or_default());
        if !source.is_empty() {
            text += &fenced(&part.path, &source);
        }
    }
    let left = found.omitted.as_deref().unwrap_or_default();
    if !left.is_empty() {
        text += "\nLeft out:\n\n";
    }
    for entry in left {
        let symbol = entry.symbol.as_deref().unwrap_or_default();
        let line = format!("{symbol} {}:{}", entry.path, entry.lines);
        put!(text, "- {}\n", escape(line.trim_start()));
    }
    text
}

fn card(card: &CardOutput, screen: &Screen) -> String {
    let mut line = screen.paint(STRONG, &visible(&card.target));
    let place = place_of(card);
    if !place.is_empty() {
        put!(line, "  {}", screen.paint(PLACE, &visible(&place)));
    }
    line.push('\n');
    let style = if card.error.is_some() { CARE } else { FAINT };
    for fact in facts(card) {
        put!(line, "  {}\n", screen.paint(style, &visible(&fact)));
    }
    line
}

fn place_of(card: &CardOutput) -> String {
    let path = card.path.as_deref().unwrap_or_default();
    match &card.lines {
        None => path.to_owned(),
        Some(lines) => format!("{path}:{}", first_line(lines)),
    }
}

/// Returns the lines about the commits of a card's file.
fn history_facts(card: &CardOutput) -> Vec<String> {
    let mut lines = Vec::new();
    for owner in card.owners.iter().flatten() {
        lines.push(format!("owner: {}", owner_line(owner)));
    }
    if let Some(history) = &card.history {
        lines.push(history_line(
            history.commits,
            history.commits90,
            history.fixes,
        ));
        if let Some(last) = &history.last {
            let (date, sha, subject) = (&last.date, &last.sha, &last.subject);
            lines.push(format!("last changed: {date} {sha} {subject}"));
        }
        let others = history.co_change.iter().map(together_line);
        lines.extend(others.map(|other| format!("changed together: {other}")));
    }
    lines.extend(card.metrics.as_ref().map(metrics_line));
    lines
}

/// Returns the counts of a file, each with its name.
fn metrics_line(metrics: &MetricsOutput) -> String {
    let MetricsOutput {
        lines,
        dependents,
        dependencies,
        exported,
        commits,
        commits90,
        fixes,
        churn,
        cluster,
    } = metrics;
    let counts = [
        ("lines", Some(*lines)),
        ("dependents", *dependents),
        ("dependencies", *dependencies),
        ("exported", Some(*exported)),
        ("commits", *commits),
        ("commits90", *commits90),
        ("fixes", *fixes),
        ("churn", *churn),
    ];
    let counts = counts
        .into_iter()
        .filter_map(|(name, n)| Some(format!("{name} {}", n?)));
    let cluster = cluster.iter().map(|name| format!("cluster \"{name}\""));
    let all: Vec<String> = counts.chain(cluster).collect();
    format!("metrics: {}", all.join(", "))
}

/// Returns an owner, e.g. `Ann (80 % of commits, 12, last 2024-05-01)`.
pub(super) fn owner_line(owner: &OwnerOutput) -> String {
    let commits = owner.commits.filter(|n| *n > 0);
    let last = owner.last.as_deref().unwrap_or_default();
    let commits = commits.map(|n| format!(", {n}, last {last}"));
    person(&owner.name, owner.share, &commits.unwrap_or_default())
}

/// Returns somebody with the share of commits, or by the file that names owners.
pub(super) fn person(name: &str, share: Option<f64>, commits: &str) -> String {
    match share {
        Some(share) => format!("{name} ({:.0} % of commits{commits})", share * 100.0),
        None => format!("{name} (CODEOWNERS)"),
    }
}

/// Returns the counts of a file's history, e.g. `12 commits (3 in the 90 days before the last one, 4 fixes)`.
pub(super) fn history_line(commits: u64, commits90: u64, fixes: u64) -> String {
    let fixes = match fixes {
        1 => "1 fix".to_owned(),
        n => format!("{} fixes", count(n)),
    };
    format!(
        "{} ({} in the 90 days before the last one, {fixes})",
        plural(commits, "commit"),
        count(commits90)
    )
}

/// Returns a file that was changed together with another one, e.g. `src/a.ts (in 8 of 10 commits)`.
pub(super) fn together_line(other: &CoChangeOutput) -> String {
    let (together, of) = (other.together, other.of);
    format!("{} (in {together} of {of} commits)", other.path)
}

/// Returns the lines of a card.
fn facts(card: &CardOutput) -> Vec<String> {
    let mut lines: Vec<String> = [&card.signature, &card.doc]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    if let Some(error) = &card.error {
        let [message, hint] = in_error(&error.message, &error.hint);
        lines.push(format!("{message}; {hint}"));
    }
    let counts = card.counts.as_ref().map_or(String::new(), counts_line);
    if !counts.is_empty() {
        lines.push(counts);
    }
    for (list, name) in [
        (&card.callers, "caller"),
        (&card.callees, "callee"),
        (&card.tests, "test"),
        (&card.imports, "import"),
    ] {
        let list = list.iter().flatten();
        lines.extend(list.map(|entry| format!("{name}: {entry}")));
    }
    lines.extend(history_facts(card));
    for one in &card.candidates {
        let (path, line) = (&one.path, one.line);
        lines.push(format!("{path}:{line} {} {}", one.symbol, one.handle));
    }
    lines
}

fn counts_line(counts: &TargetCountsOutput) -> String {
    let TargetCountsOutput {
        callers,
        callees,
        tests,
        dependents,
        unresolved,
        notes,
        files,
        symbols,
    } = counts;
    let counts = [
        (callers, "callers"),
        (callees, "callees"),
        (tests, "tests"),
        (dependents, "dependents"),
        (unresolved, "unresolved"),
        (notes, "notes"),
        (files, "files"),
        (symbols, "symbols"),
    ];
    let counts = counts.into_iter();
    let counts = counts.filter_map(|(n, name)| {
        let n = (*n)?;
        let name = match n {
            1 => name.trim_end_matches('s'),
            _ => name,
        };
        Some(format!("{} {name}", count(n)))
    });
    counts.collect::<Vec<_>>().join(", ")
}

fn omitted(found: &ExploreOutput, screen: &Screen) -> String {
    let total = found.omitted_total.unwrap_or_default();
    if total == 0 {
        return String::new();
    }
    let mut text = format!(
        "\n{}\n",
        screen.paint(FAINT, &format!("{} more did not go in:", count(total)))
    );
    let listed = found.omitted.iter().flatten();
    for entry in listed.take(MAX_OMITTED) {
        put!(
            text,
            "{}\n",
            screen.paint(FAINT, &visible(&omitted_line(entry)))
        );
    }
    text
}

fn omitted_line(entry: &OmittedDefinitionOutput) -> String {
    format!(
        "  {}:{} {}  {} tokens, {}",
        entry.path,
        first_line(&entry.lines),
        entry.symbol.as_deref().unwrap_or_default(),
        entry.tokens,
        entry.why.word()
    )
}

/// Returns the name of a part: its definition, or the title of its test.
fn name(part: &PartOutput) -> &str {
    let name = part.symbol.as_ref().or(part.test.as_ref());
    name.map_or("", String::as_str)
}

fn about(part: &PartOutput) -> String {
    let mut words = vec![part.role.word().to_owned()];
    let n_more = part.also.len();
    if n_more > 0 {
        words.push(format!("and {n_more} more here"));
    }
    if part.truncated {
        words.push("in part".to_owned());
    }
    if part.stale {
        words.push("stale".to_owned());
    }
    words.join(", ")
}

fn first_line(lines: &str) -> &str {
    lines.split('-').next().unwrap_or_default()
}

fn indented(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if !line.trim_end().is_empty() {
            out += "    ";
            out += line.trim_end();
        }
        out.push('\n');
    }
    out
}

/// Returns the text of a file in a block that ends behind all of it.
fn fenced(path: &str, source: &str) -> String {
    let fence = "`".repeat(longest_run(source, '`').max(2) + 1);
    let end = if source.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{}\n{source}{end}{fence}\n", language(path))
}

fn longest_run(text: &str, sign: char) -> usize {
    let runs = text.split(|c| c != sign).map(str::len);
    runs.max().unwrap_or(0)
}

/// Returns the word behind a fence for a file: its extension.
fn language(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    if extension.chars().all(|c| c.is_ascii_alphanumeric()) {
        extension
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::fenced;

    #[test]
    fn a_fence_is_longer_than_those_of_its_text() {
        let fence = fenced("a.md", "```js\nlet a\n```\n");
        assert_eq!(fence, "````md\n```js\nlet a\n```\n````\n");
        assert_eq!(fenced("a.ts", "let a"), "```ts\nlet a\n```\n");
    }
}
