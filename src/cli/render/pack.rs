//! A pack of `cl_explore`: for a terminal, and as Markdown to be pasted.

use serde_json::Value;

use super::text::{Fields, add, count, plural};
use super::{footer, is_fresh};
use crate::cli::screen::{CARE, FAINT, PLACE, STRONG, Screen, visible, visible_lines};

/// Omitted definitions that a terminal is shown.
const MAX_OMITTED: usize = 12;

/// Returns the cards, the parts with their text, and what was left out.
pub(super) fn pack(value: &Value, screen: &Screen) -> String {
    let mut text = String::new();
    for line in value.items("brief").iter().filter_map(Value::as_str) {
        text += &screen.paint(FAINT, &visible(line));
        text.push('\n');
    }
    if value.items("parts").is_empty() && value.items("cards").is_empty() {
        let note = visible(value.text("note"));
        let found = if is_fresh(value) {
            "nothing found"
        } else {
            "nothing found yet"
        };
        let query = visible(value.text("query"));
        let line = format!("{found} for “{query}”: {note}");
        text += &screen.paint(FAINT, line.trim_end_matches([':', ' ']));
        text.push('\n');
    }
    for card in value.items("cards") {
        text.push('\n');
        text += &self::card(card, screen);
    }
    for part in value.items("parts") {
        let place = format!("{}:{}", visible(part.text("path")), first_line(part));
        let mut line = screen.paint(PLACE, &place);
        if !name(part).is_empty() {
            line.push(' ');
            line += &screen.paint(STRONG, &visible(name(part)));
        }
        add(
            &mut line,
            format_args!("  {}", screen.paint(FAINT, &about(part))),
        );
        add(&mut text, format_args!("\n{line}\n"));
        text += &indented(&visible_lines(part.text("text")));
    }
    text += &super::memory::noted(value, screen);
    text += &omitted(value, screen);
    text + &footer(value, screen)
}

/// Returns the pack as Markdown: a heading and a fenced block for each part.
pub(in crate::cli) fn markdown(value: &Value) -> String {
    let title = match value.text("query") {
        "" => value
            .items("cards")
            .iter()
            .map(|card| card.text("target"))
            .collect::<Vec<_>>()
            .join(", "),
        query => query.to_owned(),
    };
    let mut text = format!("# {}\n", escaped(&title));
    let note = value.text("note");
    if !note.is_empty() {
        add(&mut text, format_args!("\n> {}\n", escaped(note)));
    }
    let brief: Vec<&str> = value
        .items("brief")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    if !brief.is_empty() {
        text.push('\n');
    }
    for line in brief {
        add(&mut text, format_args!("- {}\n", visible(line)));
    }
    for card in value.items("cards") {
        let place = place_of(card);
        add(
            &mut text,
            format_args!("\n**{}** {place}\n", escaped(card.text("target"))),
        );
        for line in facts(card) {
            add(&mut text, format_args!("- {}\n", escaped(&line)));
        }
    }
    for part in value.items("parts") {
        let heading = format!(
            "{} ({}:{})",
            name(part),
            part.text("path"),
            part.text("lines")
        );
        add(
            &mut text,
            format_args!("\n## {}\n\n", escaped(heading.trim_start())),
        );
        let source = visible_lines(part.text("text"));
        if !source.is_empty() {
            let fence = "`".repeat(longest_run(&source, '`').max(2) + 1);
            let end = if source.ends_with('\n') { "" } else { "\n" };
            add(
                &mut text,
                format_args!(
                    "{fence}{}\n{source}{end}{fence}\n",
                    language(part.text("path"))
                ),
            );
        }
    }
    let left = value.items("omitted");
    if !left.is_empty() {
        text += "\nLeft out:\n\n";
    }
    for entry in left {
        let line = format!(
            "{} {}:{}",
            name(entry),
            entry.text("path"),
            entry.text("lines")
        );
        add(
            &mut text,
            format_args!("- {}\n", escaped(line.trim_start())),
        );
    }
    text
}

fn card(card: &Value, screen: &Screen) -> String {
    let mut line = screen.paint(STRONG, &visible(card.text("target")));
    let place = place_of(card);
    if !place.is_empty() {
        add(
            &mut line,
            format_args!("  {}", screen.paint(PLACE, &visible(&place))),
        );
    }
    line.push('\n');
    for fact in facts(card) {
        let style = if card["error"].is_object() {
            CARE
        } else {
            FAINT
        };
        add(
            &mut line,
            format_args!("  {}\n", screen.paint(style, &visible(&fact))),
        );
    }
    line
}

fn place_of(card: &Value) -> String {
    match (card.text("path"), card.text("lines")) {
        (path, "") => path.to_owned(),
        (path, lines) => format!("{path}:{}", lines.split('-').next().unwrap_or_default()),
    }
}

/// Returns the lines about the commits of a card's file.
fn history_facts(card: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for owner in card.items("owners") {
        lines.push(format!("owner: {}", owner_line(owner)));
    }
    let history = &card["history"];
    if history.is_object() {
        lines.push(history_line(history));
        let last = &history["last"];
        if last.is_object() {
            let (date, subject) = (last.text("date"), last.text("subject"));
            lines.push(format!(
                "last changed: {date} {} {subject}",
                last.text("sha")
            ));
        }
        for other in history.items("coChange") {
            lines.push(format!("changed together: {}", together_line(other)));
        }
    }
    let metrics: Vec<String> = card["metrics"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    if !metrics.is_empty() {
        lines.push(format!("metrics: {}", metrics.join(", ")));
    }
    lines
}

/// Returns an owner, e.g. `Ann (80 % of commits, 12, last 2024-05-01)`.
pub(super) fn owner_line(owner: &Value) -> String {
    let name = owner.text("name");
    match owner["share"].as_f64() {
        Some(share) => {
            let (n, last) = (owner.number("commits"), owner.text("last"));
            let n = match n {
                0 => String::new(),
                n => format!(", {n}, last {last}"),
            };
            format!("{name} ({:.0} % of commits{n})", share * 100.0)
        }
        None => format!("{name} (CODEOWNERS)"),
    }
}

/// Returns the counts of a file's history, e.g. `12 commits (3 in 90 days, 4 fixes)`.
pub(super) fn history_line(history: &Value) -> String {
    let fixes = history["fixes"]["count"].as_u64();
    let fixes = fixes.unwrap_or_else(|| history.number("fixes"));
    format!(
        "{} ({} in 90 days, {})",
        plural(history.number("commits"), "commit"),
        count(history.number("commits90")),
        match fixes {
            1 => "1 fix".to_owned(),
            n => format!("{} fixes", count(n)),
        }
    )
}

/// Returns a file that was changed together with another one, e.g. `src/a.ts (in 8 of 10 commits)`.
pub(super) fn together_line(other: &Value) -> String {
    let (path, together, of) = (
        other.text("path"),
        other.number("together"),
        other.number("of"),
    );
    format!("{path} (in {together} of {of} commits)")
}

/// Returns the lines of a card.
fn facts(card: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for key in ["signature", "doc"] {
        if !card.text(key).is_empty() {
            lines.push(card.text(key).to_owned());
        }
    }
    let error = &card["error"];
    if error.is_object() {
        lines.push(format!("{}; {}", error.text("message"), error.text("hint")));
    }
    let counts: Vec<String> = card["counts"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, n)| Some(format!("{} {name}", count(n.as_u64()?))))
        .collect();
    if !counts.is_empty() {
        lines.push(counts.join(", "));
    }
    for key in ["callers", "callees", "tests", "imports"] {
        let list = card.items(key).iter().filter_map(Value::as_str);
        lines.extend(list.map(|entry| format!("{}: {entry}", key.trim_end_matches('s'))));
    }
    lines.extend(history_facts(card));
    for one in card.items("candidates") {
        lines.push(format!(
            "{}:{} {} {}",
            one.text("path"),
            one.number("line"),
            one.text("symbol"),
            one.text("handle")
        ));
    }
    lines
}

fn omitted(value: &Value, screen: &Screen) -> String {
    let total = value.number("omittedTotal");
    if total == 0 {
        return String::new();
    }
    let mut text = format!(
        "\n{}\n",
        screen.paint(FAINT, &format!("{} more did not go in:", count(total)))
    );
    for entry in value.items("omitted").iter().take(MAX_OMITTED) {
        let line = format!(
            "  {}:{} {}  {} tokens, {}",
            entry.text("path"),
            first_line(entry),
            name(entry),
            entry.number("tokens"),
            entry.text("why")
        );
        add(
            &mut text,
            format_args!("{}\n", screen.paint(FAINT, &visible(&line))),
        );
    }
    text
}

/// Returns the name of a part: its definition, or the title of its test.
fn name(part: &Value) -> &str {
    match part.text("symbol") {
        "" => part.text("test"),
        symbol => symbol,
    }
}

fn about(part: &Value) -> String {
    let mut words = vec![part.text("role").to_owned()];
    let n_more = part.items("also").len();
    if n_more > 0 {
        words.push(format!("and {n_more} more here"));
    }
    if part.is_true("truncated") {
        words.push("in part".to_owned());
    }
    if part.is_true("stale") {
        words.push("stale".to_owned());
    }
    visible(&words.join(", ")).into_owned()
}

fn first_line(part: &Value) -> String {
    let first = part.text("lines").split('-').next().unwrap_or_default();
    visible(first).into_owned()
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

/// Returns a text on one line in which Markdown means nothing.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in visible(text).chars() {
        if "\\`*_[]<>#|".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
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
    use serde_json::json;

    use super::markdown;

    #[test]
    fn markdown_fences_what_has_fences() {
        let value = json!({"query": "a *b*", "parts": [
            {"path": "a.md", "lines": "1-3", "symbol": "x_y", "text": "```js\nlet a\n```\n"}]});
        let text = markdown(&value);
        assert!(text.starts_with("# a \\*b\\*\n"), "{text}");
        assert!(text.contains("## x\\_y (a.md:1-3)"), "{text}");
        assert!(text.contains("````md\n```js\nlet a\n```\n````\n"), "{text}");
    }
}
