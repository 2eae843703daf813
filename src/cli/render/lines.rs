//! Every line that a search found, as `grep` prints them.

use serde_json::Value;

use super::hits::emphasise;
use super::text::{Fields, add, count, list, plural};
use super::{RenderedText, is_fresh};
use crate::cli::screen::{CARE, FAINT, PLACE, Screen, visible};

/// Returns a line for each result, `path:line:text`, and for its context `path-line-text`; how many there are stands aside.
pub(super) fn lines(value: &Value, screen: &Screen) -> RenderedText {
    let mut page = RenderedText::default();
    let mut last: Option<(&str, u64)> = None;
    for result in value.items("results") {
        let path = result.text("path");
        let mut numbers = result
            .text("lines")
            .split('-')
            .map(|n| n.parse().unwrap_or(0));
        let first: u64 = numbers.next().unwrap_or_default();
        let before = result.items("before");
        let n_before = before.len() as u64;
        let begin = first.saturating_sub(n_before);
        let has_context = n_before > 0 || !result.items("after").is_empty();
        let is_next = last.is_some_and(|(known, line)| known == path && line + 1 >= begin);
        if has_context && last.is_some() && !is_next {
            page.data += &screen.paint(FAINT, "--");
            page.data.push('\n');
        }
        let mut line = begin;
        for text in before.iter().filter_map(Value::as_str) {
            page.data += &context(path, line, text, screen);
            line += 1;
        }
        let preview = result.text("preview");
        let mut start = 0;
        for text in preview.split('\n') {
            let place = screen.paint(PLACE, &format!("{}:{line}", visible(path)));
            let shown = emphasise(text, start, result.items("matches"), screen);
            add(&mut page.data, format_args!("{place}:{shown}\n"));
            start += text.len() + 1;
            line += 1;
        }
        let end = numbers.next().unwrap_or(first);
        line = end + 1;
        for text in result.items("after").iter().filter_map(Value::as_str) {
            page.data += &context(path, line, text, screen);
            line += 1;
        }
        last = Some((path, line - 1));
    }
    page.aside = summary(value, screen);
    page
}

fn context(path: &str, line: u64, text: &str, screen: &Screen) -> String {
    let text = format!("{}-{line}-{}", visible(path), visible(text));
    format!("{}\n", screen.paint(FAINT, &text))
}

/// Returns how many lines there are, how many are shown, and what was not searched.
fn summary(value: &Value, screen: &Screen) -> String {
    let (total, shown) = (value.number("total"), value.number("count"));
    let files = plural(value.number("searchedFiles"), "file");
    let mut text = if total == 0 {
        // The note says it.
        String::new()
    } else {
        format!("{} in {files} searched", plural(total, "line"))
    };
    if shown < total {
        add(&mut text, format_args!(", {} shown", count(shown)));
        let cursor = value.text("nextCursor");
        if !cursor.is_empty() {
            let cursor = visible(cursor);
            add(
                &mut text,
                format_args!("; the next with `--cursor '{cursor}'`"),
            );
        }
    }
    let not_searched = value.counts("unsearched");
    if !not_searched.is_empty() {
        let mark = if text.is_empty() { "" } else { "; " };
        let reasons = list(&not_searched);
        add(&mut text, format_args!("{mark}not searched: {reasons}"));
    }
    let note = value.text("note");
    let mut page = String::new();
    if is_fresh(value) && !note.is_empty() {
        add(
            &mut page,
            format_args!("{}\n", screen.paint(CARE, &visible(note))),
        );
    }
    if !text.is_empty() {
        add(&mut page, format_args!("{}\n", screen.paint(FAINT, &text)));
    }
    page
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::lines;
    use crate::cli::screen::Screen;

    #[test]
    fn lines_are_printed_as_grep_prints_them() {
        let screen = Screen {
            width: 80,
            is_terminal: false,
            is_coloured: false,
            links: None,
        };
        let value = json!({"count": 3, "total": 9, "searchedFiles": 4, "complete": true, "freshness": "fresh",
        "unsearched": {"binary": 2}, "nextCursor": "c",
        "results": [
            {"path": "a.ts", "lines": "3", "preview": "  f(1)", "before": ["x", "y"], "after": ["z"]},
            {"path": "a.ts", "lines": "5-6", "preview": "f(\n2)"},
            {"path": "b\u{1b}.ts", "lines": "1", "preview": "f()", "after": ["end"]},
        ]});
        let page = lines(&value, &screen);
        assert_eq!(
            page.data,
            "a.ts-1-x\na.ts-2-y\na.ts:3:  f(1)\na.ts-4-z\na.ts:5:f(\na.ts:6:2)\n--\n\
             b\u{fffd}.ts:1:f()\nb\u{fffd}.ts-2-end\n"
                .replace('\u{fffd}', &crate::cli::screen::visible("\u{1b}"))
        );
        assert_eq!(
            page.aside,
            "9 lines in 4 files searched, 3 shown; the next with `--cursor 'c'`; not searched: 2 binary\n"
        );
    }
}
