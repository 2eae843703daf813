//! What a search found.
//!
//! Refuses to know how it was found.

use serde_json::Value;

use super::text::{Fields, add, count};
use super::{footer, graph};
use crate::cli::screen::{CARE, FAINT, PLACE, STRONG, Screen, visible, visible_lines};

/// Returns the hits, best first, each with its place, name, reasons and preview.
pub(super) fn search(value: &Value, screen: &Screen) -> String {
    let mut text = String::new();
    let hits = value.items("results");
    if hits.is_empty() {
        let query = visible(value.text("query"));
        text += &screen.paint(FAINT, &format!("nothing found for “{query}”"));
        text.push('\n');
    }
    for (place, hit) in hits.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        text += &heading(hit, screen);
        text += &explanation(&hit["explain"], screen);
        text += &preview(hit.text("preview"), screen);
    }
    text += &graph::neighbours(value.items("related"), screen);
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

/// Returns the files with their hits, best first, and what is around them.
pub(super) fn explore(value: &Value, screen: &Screen) -> String {
    let mut text = String::new();
    let files = value.items("files");
    if files.is_empty() {
        let query = visible(value.text("query"));
        text += &screen.paint(FAINT, &format!("nothing found for “{query}”"));
        text.push('\n');
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
            text += &preview(hit.text("preview"), screen);
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
    text += &graph::neighbours(value.items("related"), screen);
    text + &footer(value, screen)
}

fn place_in_file(path: &str, hit: &Value, screen: &Screen) -> String {
    let start = hit.text("lines").split('-').next().unwrap_or_default();
    let place = format!("{path}:{}", visible(start));
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

/// Returns the mark of what must be read anew.
pub(super) fn stale(value: &Value, screen: &Screen) -> String {
    if value.is_true("stale") {
        format!("  {}", screen.paint(CARE, "stale"))
    } else {
        String::new()
    }
}

fn heading(hit: &Value, screen: &Screen) -> String {
    let start = hit.text("lines").split('-').next().unwrap_or_default();
    let place = format!("{}:{}", visible(hit.text("path")), visible(start));
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

/// Returns a line with what the score is made of; nothing where that was not asked for.
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

fn preview(preview: &str, screen: &Screen) -> String {
    let mut text = String::new();
    let lines = visible_lines(preview);
    for line in lines.trim_end_matches('\n').split('\n') {
        if line.is_empty() && lines.is_empty() {
            break;
        }
        let shown = if screen.is_coloured {
            emphasise(line, screen)
        } else {
            line.to_owned()
        };
        text += format!("    {shown}").trim_end();
        text.push('\n');
    }
    text
}

/// Returns the line with `**marked**` words shown strong and without their asterisks. Code has
/// asterisks of its own (`/** … */`, `a ** b`), so only a pair closely around words counts.
fn emphasise(line: &str, screen: &Screen) -> String {
    let is_word = |character: char| character.is_alphanumeric() || "_$#@".contains(character);
    let mut text = String::new();
    let mut rest = line;
    while let Some(start) = rest.find("**") {
        let inside = &rest[start + 2..];
        let marked = inside.find("**").map(|end| &inside[..end]).filter(|word| {
            word.starts_with(is_word)
                && word.ends_with(is_word)
                && word.chars().all(|c| is_word(c) || " .-/:".contains(c))
        });
        if let Some(word) = marked {
            text.push_str(&rest[..start]);
            text += &screen.paint(STRONG, word);
            rest = &inside[word.len() + 2..];
        } else {
            // One asterisk further: the mark may begin behind a star of the code (`***word**`).
            text.push_str(&rest[..=start]);
            rest = &rest[start + 1..];
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::emphasise;
    use crate::cli::screen::Screen;

    #[test]
    fn only_marked_words_lose_their_asterisks() {
        let screen = Screen {
            width: 80,
            is_terminal: true,
            is_coloured: true,
            links: None,
        };
        let shown = |line| {
            emphasise(line, &screen)
                .replace("\u{1b}[1m", "<")
                .replace("\u{1b}[0m", ">")
        };
        assert_eq!(shown("let **queue** = **job**;"), "let <queue> = <job>;");
        assert_eq!(shown("/** the **queue** */"), "/** the <queue> */");
        assert_eq!(shown("a ** b ** c"), "a ** b ** c");
        assert_eq!(shown("***p**"), "*<p>");
        assert_eq!(shown("**“no end"), "**“no end");
        assert_eq!(shown("**"), "**");
    }
}
