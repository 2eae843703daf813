//! The results of a search.

use serde_json::Value;

use super::text::{Fields, add, count, entries};
use super::{footer, graph, is_fresh};
use crate::cli::screen::{CARE, FAINT, PLACE, STRONG, Screen, visible};

/// Returns the hits, best first, each with its place, name, reasons and preview.
pub(super) fn search(value: &Value, screen: &Screen) -> String {
    let mut text = String::new();
    let hits = value.items("results");
    if hits.is_empty() {
        text += &nothing_found(value, screen);
    }
    let last_literal = hits.iter().rposition(|hit| hit.number("literal") > 0);
    for (place, hit) in hits.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        if last_literal.is_some_and(|last| place == last + 1) {
            let rest = "The results below do not hold it as it stands.";
            add(&mut text, format_args!("{}\n\n", screen.paint(FAINT, rest)));
        }
        text += &heading(hit, screen);
        text += &explanation(&hit["explain"], screen);
        text += &preview(hit, screen);
    }
    text += &missing(value, screen);
    text += &models(&value["ranking"], screen);
    text += &super::memory::noted(value, screen);
    text += &graph::neighbours(&entries(value, "related"), screen);
    let total = value.number("total");
    let shown = u64::try_from(hits.len()).unwrap_or(u64::MAX);
    if total > shown && shown > 0 {
        let line = format!("{} of {} shown", count(shown), count(total));
        add(
            &mut text,
            format_args!("\n{}\n", screen.paint(FAINT, &line)),
        );
    }
    text + &footer(value, screen)
}

/// Returns a line for each model of the user's that should have counted and did not.
fn models(ranking: &Value, screen: &Screen) -> String {
    let vector = &ranking["vector"];
    let why = visible(vector.text("why")).into_owned();
    let meaning = match (vector.text("state"), why.as_str()) {
        ("partial", _) => format!(
            "{} of {} pieces of code have a vector, so meaning does not count yet; `codelens embed build` makes the others",
            count(vector.number("have")),
            count(vector.number("of"))
        ),
        ("off", "weight") | ("whole" | "", _) => String::new(),
        _ => format!("meaning does not count: {why} (`codelens embed status` tells more)"),
    };
    let order = match ranking.text("rerank") {
        "timeout" => "the model of [rerank] did not answer in time: the order is the search's",
        "failed" => "the model of [rerank] failed: the order is the search's",
        _ => "",
    };
    let mut text = String::new();
    for line in [meaning.as_str(), order] {
        if !line.is_empty() {
            add(&mut text, format_args!("\n{}\n", screen.paint(FAINT, line)));
        }
    }
    text
}

/// Returns the files with their hits, best first, and their neighbours.
pub(super) fn explore(value: &Value, screen: &Screen) -> String {
    let mut text = String::new();
    let files = value.items("files");
    if files.is_empty() {
        text += &nothing_found(value, screen);
    }
    for (place, file) in files.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        let path = visible(file.text("path"));
        text += &screen.paint(STRONG, &path);
        text += &stale(file, screen);
        text.push('\n');
        for hit in file.items("results") {
            text += &place_in_file(&path, hit, screen);
            text += &preview(hit, screen);
        }
        let folded: u64 = file
            .items("results")
            .iter()
            .map(|hit| hit.number("collapsed"))
            .sum();
        if folded > 0 {
            let matches = if folded == 1 { "match" } else { "matches" };
            let more = format!("  {} more {matches} in this file", count(folded));
            add(&mut text, format_args!("{}\n", screen.paint(FAINT, &more)));
        }
    }
    text += &missing(value, screen);
    text += &graph::neighbours(&entries(value, "related"), screen);
    text + &footer(value, screen)
}

/// Returns the line for an empty result: the query and the files that were searched; `nothing found yet` while the index is
/// not complete.
fn nothing_found(value: &Value, screen: &Screen) -> String {
    let query = visible(value.text("query"));
    let found = if is_fresh(value) {
        "nothing found"
    } else {
        "nothing found yet"
    };
    let mut text = screen.paint(FAINT, &format!("{found} for “{query}”"));
    let note = visible(value.text("note"));
    if is_fresh(value) && !note.is_empty() {
        text += &screen.paint(FAINT, &format!(": {note}"));
    }
    text + "\n"
}

/// Returns the words that no result holds, as a line.
fn missing(value: &Value, screen: &Screen) -> String {
    let is_low = value["confidence"]["level"] == "low" && value["confidence"]["basis"] != "none";
    let low = if is_low {
        screen.paint(
            CARE,
            "low confidence: what was asked for may not be in this repository",
        ) + "\n"
    } else {
        String::new()
    };
    low + &missing_words(value, screen)
}

fn missing_words(value: &Value, screen: &Screen) -> String {
    if value.number("count") == 0 {
        // That nothing was found is said already.
        return String::new();
    }
    let words: Vec<_> = value
        .items("missing")
        .iter()
        .filter_map(Value::as_str)
        .map(visible)
        .collect();
    if words.is_empty() {
        return String::new();
    }
    let line = format!("No result holds: {}", words.join(", "));
    format!("\n{}\n", screen.paint(CARE, &line))
}

/// Returns the line that a hit is shown at: that of its definition, else its first.
fn line_of(hit: &Value) -> String {
    if let Some(line) = hit["line"].as_u64() {
        return line.to_string();
    }
    let start = hit.text("lines").split('-').next().unwrap_or_default();
    visible(start).into_owned()
}

fn place_in_file(path: &str, hit: &Value, screen: &Screen) -> String {
    let place = format!("{path}:{}", line_of(hit));
    let mut line = format!("  {}\n", screen.paint(PLACE, &place));
    let signature = visible(hit.text("signature"));
    if !signature.is_empty() {
        let signature = screen.fit(&signature, screen.width.saturating_sub(4));
        add(
            &mut line,
            format_args!("    {}\n", screen.paint(STRONG, &signature)),
        );
    }
    line
}

/// Returns the mark of results that must be read anew.
pub(super) fn stale(value: &Value, screen: &Screen) -> String {
    if value.is_true("stale") {
        format!("  {}", screen.paint(CARE, "stale"))
    } else {
        String::new()
    }
}

fn heading(hit: &Value, screen: &Screen) -> String {
    let place = format!("{}:{}", visible(hit.text("path")), line_of(hit));
    let mut line = screen.paint(PLACE, &place);
    for (style, word) in [(FAINT, hit.text("kind")), (STRONG, hit.text("symbol"))] {
        if !word.is_empty() {
            line.push_str(if style == FAINT { "  " } else { " " });
            line += &screen.paint(style, &visible(word));
        }
    }
    if hit["explain"].is_object() {
        let score = hit["score"].as_f64().unwrap_or_default();
        let reasons = format!("{score:.2} {}", visible(hit.text("why")));
        add(
            &mut line,
            format_args!("  {}", screen.paint(FAINT, reasons.trim_end())),
        );
    }
    let more: Vec<_> = hit
        .items("more")
        .iter()
        .map(|part| part.text("lines"))
        .collect();
    if !more.is_empty() {
        let also = format!("  also {}", visible(&more.join(", ")));
        line += &screen.paint(FAINT, &also);
    }
    line + &stale(hit, screen) + "\n"
}

/// Returns a line with the parts of the score; empty where they were not asked for.
fn explanation(explain: &Value, screen: &Screen) -> String {
    let signals = explain.items("signals").iter().map(|signal| {
        let adds = signal["adds"].as_f64().unwrap_or_default();
        let rank = signal.number("rank");
        format!("{} #{rank} +{adds:.2}", visible(signal.text("name")))
    });
    let factors = explain["factors"].as_object().into_iter().flatten();
    let factors = factors.map(|(name, factor)| format!("{} ×{factor}", visible(name)));
    let parts: Vec<String> = signals.chain(factors).collect();
    if parts.is_empty() {
        return String::new();
    }
    format!("    {}\n", screen.paint(FAINT, &parts.join("  ")))
}

/// Returns the preview of a hit, indented, with its `matches` strong.
fn preview(hit: &Value, screen: &Screen) -> String {
    let preview = hit.text("preview");
    let mut text = String::new();
    let mut start = 0;
    for line in preview.trim_end_matches('\n').split('\n') {
        if preview.is_empty() {
            break;
        }
        let shown = emphasise(line, start, hit.items("matches"), screen);
        text += format!("    {shown}").trim_end();
        text.push('\n');
        start += line.len() + 1;
    }
    text
}

/// Returns a line of a preview with the words strong that match; `start` is where the line begins in the preview, in
/// bytes, and `matches` are pairs of bytes of the preview.
pub(super) fn emphasise(line: &str, start: usize, matches: &[Value], screen: &Screen) -> String {
    let mut text = String::new();
    let mut done = 0;
    for range in matches {
        let at = |place: usize| {
            let byte = usize::try_from(range[place].as_u64()?).ok()?;
            byte.checked_sub(start)
        };
        let (Some(from), Some(to)) = (at(0), at(1)) else {
            continue;
        };
        if let (Some(before), Some(word)) = (line.get(done..from), line.get(from..to)) {
            text += &visible(before);
            text += &screen.paint(STRONG, &visible(word));
            done = to;
        }
    }
    text + &visible(line.get(done..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::preview;
    use crate::cli::screen::Screen;

    #[test]
    fn matches_are_strong_and_asterisks_of_the_code_stay() {
        let screen = Screen {
            width: 80,
            is_terminal: true,
            is_coloured: true,
            links: None,
        };
        let hit = json!({"preview": "f(**queue);\né = job ** 2", "matches": [[4, 9], [17, 20]]});
        let shown = preview(&hit, &screen)
            .replace("\u{1b}[1m", "<")
            .replace("\u{1b}[0m", ">");
        assert_eq!(shown, "    f(**<queue>);\n    é = <job> ** 2\n");
    }

    #[test]
    fn ranges_that_are_none_are_passed_over() {
        let screen = Screen {
            width: 80,
            is_terminal: true,
            is_coloured: true,
            links: None,
        };
        let hit = json!({"preview": "é", "matches": [[1, 9], [5, 2], "x", [0, 1]]});
        assert_eq!(preview(&hit, &screen), "    é\n");
    }
}
