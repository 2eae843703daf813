//! Every line that a search found, as `grep` prints them.

use super::hits::emphasise;
use super::skipped::reasons;
use super::text::{count, most_first, plural, put};
use super::{RenderedText, said};
use crate::cli::screen::{CARE, FAINT, PLACE, Screen, visible};
use crate::tools::lines::LineSearchOutput;
use crate::tools::search::SearchOutput;

/// Returns a line for each result, `path:line:text`, and for its context `path-line-text`; how many there are stands aside.
pub(super) fn lines(
    found: &SearchOutput,
    totals: &LineSearchOutput,
    screen: &Screen,
) -> RenderedText {
    let mut page = RenderedText::default();
    let mut last: Option<(&str, u64)> = None;
    for result in &found.results {
        let path = result.path.as_str();
        let mut numbers = result.lines.split('-').map(|n| n.parse().unwrap_or(0));
        let first: u64 = numbers.next().unwrap_or_default();
        let n_before = result.before.len() as u64;
        let begin = first.saturating_sub(n_before);
        let has_context = n_before > 0 || !result.after.is_empty();
        let is_next = last.is_some_and(|(known, line)| known == path && line + 1 >= begin);
        if has_context && last.is_some() && !is_next {
            page.data += &screen.paint(FAINT, "--");
            page.data.push('\n');
        }
        let mut line = begin;
        for text in &result.before {
            page.data += &context(path, line, text, screen);
            line += 1;
        }
        let mut start = 0;
        for text in result.preview.split('\n') {
            let place = screen.paint(PLACE, &format!("{}:{line}", visible(path)));
            let shown = emphasise(text, start, &result.matches, screen);
            put!(page.data, "{place}:{shown}\n");
            start += text.len() + 1;
            line += 1;
        }
        let end = numbers.next().unwrap_or(first);
        line = end + 1;
        for text in &result.after {
            page.data += &context(path, line, text, screen);
            line += 1;
        }
        last = Some((path, line - 1));
    }
    page.aside = summary(found, totals, screen);
    page
}

fn context(path: &str, line: u64, text: &str, screen: &Screen) -> String {
    let text = format!("{}-{line}-{}", visible(path), visible(text));
    format!("{}\n", screen.paint(FAINT, &text))
}

/// Returns how many lines there are, how many are shown, and what was not searched.
fn summary(found: &SearchOutput, totals: &LineSearchOutput, screen: &Screen) -> String {
    let files = plural(totals.searched_files, "file");
    let mut text = match totals.total {
        // The note says it.
        0 => String::new(),
        total => format!(
            "{} {} in the {files} searched",
            plural(total, "line"),
            if total == 1 { "matches" } else { "match" }
        ),
    };
    if found.count < totals.total {
        put!(text, ", {} shown", count(found.count));
        if let Some(cursor) = &found.next_cursor {
            let cursor = visible(cursor);
            put!(text, "; the next with `--cursor '{cursor}'`");
        }
    }
    if !totals.unsearched.is_empty() {
        let mark = if text.is_empty() { "" } else { "; " };
        let reasons = reasons(&most_first(&totals.unsearched));
        put!(text, "{mark}not searched: {reasons}");
    }
    let fields = &found.freshness_fields;
    let mut page = String::new();
    if fields.freshness == "fresh" && !fields.note.is_empty() {
        put!(page, "{}\n", screen.paint(CARE, &said(&fields.note)));
    }
    if !text.is_empty() {
        put!(page, "{}\n", screen.paint(FAINT, &text));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::cli::screen::Screen;
    use crate::tools::lines::LineSearchOutput;
    use crate::tools::search::{HitOutput, SearchOutput};

    #[test]
    fn lines_are_printed_as_grep_prints_them() {
        let screen = Screen {
            width: 80,
            is_terminal: false,
            is_coloured: false,
            links: None,
        };
        let hit = |path: &str, lines: &str, preview: &str, before: &[&str], after: &[&str]| {
            let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
            HitOutput {
                path: path.to_owned(),
                lines: lines.to_owned(),
                preview: preview.to_owned(),
                before: texts(before),
                after: texts(after),
                ..HitOutput::default()
            }
        };
        let mut found = SearchOutput {
            count: 3,
            next_cursor: Some("c".to_owned()),
            results: vec![
                hit("a.ts", "3", "  f(1)", &["x", "y"], &["z"]),
                hit("a.ts", "5-6", "f(\n2)", &[], &[]),
                hit("b\u{1b}.ts", "1", "f()", &[], &["end"]),
            ],
            ..SearchOutput::default()
        };
        found.freshness_fields.freshness = "fresh";
        let totals = LineSearchOutput {
            total: 9,
            complete: true,
            searched_files: 4,
            unsearched: [("binary", 2)].into(),
            ignored: Vec::new(),
        };
        let page = lines(&found, &totals, &screen);
        assert_eq!(
            page.data,
            "a.ts-1-x\na.ts-2-y\na.ts:3:  f(1)\na.ts-4-z\na.ts:5:f(\na.ts:6:2)\n--\n\
             b\u{fffd}.ts:1:f()\nb\u{fffd}.ts-2-end\n"
                .replace('\u{fffd}', &crate::cli::screen::visible("\u{1b}"))
        );
        assert_eq!(
            page.aside,
            "9 lines match in the 4 files searched, 3 shown; the next with `--cursor 'c'`; not searched: 2 binary\n"
        );
    }
}
