//! Outlines and source text.

use serde_json::Value;

use super::hits::stale;
use super::text::{Fields, add, count, plural};
use super::{RenderedText, footer};
use crate::cli::screen::{FAINT, PLACE, STRONG, Screen, visible, visible_lines};

/// Returns the outline: a heading for each file, below it a line for each symbol.
pub(super) fn map(value: &Value, screen: &Screen) -> String {
    let files = value.items("files");
    let mut text = String::new();
    let directories = value.items("directories");
    for directory in directories {
        let tests = match directory.number("tests") {
            0 => String::new(),
            n => format!(", {} of them tests", count(n)),
        };
        let files = plural(directory.number("files"), "file");
        let path = screen.paint(PLACE, &format!("{}/", visible(directory.text("path"))));
        add(
            &mut text,
            format_args!(
                "{path}  {}\n",
                screen.paint(FAINT, &format!("{files}{tests}"))
            ),
        );
    }
    if !directories.is_empty() && !files.is_empty() {
        text.push('\n');
    }
    if files.is_empty() && value["analysed"].is_null() {
        text += &screen.paint(FAINT, "No definitions indexed here.");
        text.push('\n');
    }
    for (place, file) in files.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        text += &screen.paint(PLACE, &visible(file.text("path")));
        text += &stale(file, screen);
        text.push('\n');
        text += &symbols(file.items("symbols"), screen);
        if file.is_true("truncated") {
            text += &screen.paint(FAINT, "  … more");
            text.push('\n');
        }
    }
    let omitted: Vec<String> = [
        ("files", "file"),
        ("testFiles", "test file"),
        ("symbols", "symbol"),
        ("signatures", "signature"),
    ]
    .into_iter()
    .map(|(key, noun)| (value["omitted"].number(key), noun))
    .filter(|(n, _)| *n > 0)
    .map(|(n, noun)| plural(n, noun))
    .collect();
    if !omitted.is_empty() {
        let line = format!(
            "Left out: {}. More: `--budget N`, `--all`, or name a directory.",
            omitted.join(", ")
        );
        add(
            &mut text,
            format_args!("\n{}\n", screen.paint(FAINT, &line)),
        );
    }
    text += &super::graph::analysed(value, screen);
    text + &footer(value, screen)
}

fn symbols(symbols: &[Value], screen: &Screen) -> String {
    let longest = |of: &dyn Fn(&Value) -> usize| symbols.iter().map(of).max().unwrap_or_default();
    let number_width = longest(&|symbol| symbol.number("startLine").to_string().len());
    let kind_width = longest(&|symbol| symbol.text("kind").len());
    let used = number_width + kind_width + 6;
    let mut text = String::new();
    for symbol in symbols {
        let name = visible(symbol.text("name"));
        let signature = visible(symbol.text("signature"));
        let said = if signature.is_empty() {
            name.clone().into_owned()
        } else if signature.contains(name.as_ref()) {
            signature.into_owned()
        } else {
            format!("{name}  {signature}")
        };
        let said = screen.fit(&said, screen.width.saturating_sub(used));
        let said = match said.split_once(name.as_ref()) {
            _ if symbol["exported"] == false => screen.paint(FAINT, &said),
            Some((before, after)) if !name.is_empty() => {
                format!("{before}{}{after}", screen.paint(STRONG, &name))
            }
            _ => said.into_owned(),
        };
        let line = symbol.number("startLine");
        let line = screen.paint(FAINT, &format!("{line:>number_width$}"));
        let kind = visible(symbol.text("kind")).into_owned();
        let kind = screen.paint(FAINT, &format!("{kind:kind_width$}"));
        add(&mut text, format_args!("  {line}  {kind}  {said}\n"));
    }
    text
}

/// Returns the source as it is, so that it can be piped. A person also sees which lines these are, and
/// everybody is told on standard error when there are more.
pub(super) fn expand(value: &Value, screen: &Screen) -> RenderedText {
    if value["candidates"].is_array() {
        return candidates(value, screen).into();
    }
    let (start, end) = (value.number("startLine"), value.number("endLine"));
    let total = value.number("totalLines");
    let content = value.text("content");
    let mut page = RenderedText::default();
    if screen.is_terminal || screen.is_coloured {
        page.data += &screen.paint(FAINT, &place(value));
        page.data.push('\n');
        let width = end.to_string().len();
        for (line, number) in content.lines().zip(start..) {
            let number = screen.paint(FAINT, &format!("{number:>width$}"));
            add(
                &mut page.data,
                format_args!("{number}  {}\n", visible_lines(line)),
            );
        }
    } else {
        content.clone_into(&mut page.data);
    }
    let invalid = value.number("invalidBytes");
    if invalid > 0 {
        let bytes = plural(invalid, "byte");
        page.aside = format!("codelens: {bytes} not UTF-8, replaced\n");
    }
    if value.is_true("truncated") {
        let next = value.number("nextStartLine");
        let how = if next > 0 {
            format!("continue with `--start-line {next}`")
        } else {
            "a larger --budget shows more".to_owned()
        };
        let cut = format_args!("codelens: stopped at line {end} of {total}; {how}\n");
        add(&mut page.aside, cut);
    }
    page
}

/// Returns the place of source text: `src/store.ts:3-9 of 120`.
pub(in crate::cli) fn place(value: &Value) -> String {
    let path = visible(value.text("path"));
    let (start, end) = (value.number("startLine"), value.number("endLine"));
    let of = match value.number("totalLines") {
        0 => String::new(),
        total => format!(" of {}", count(total)),
    };
    format!("{path}:{start}-{end}{of}")
}

/// Returns the definitions that a name may mean.
fn candidates(value: &Value, screen: &Screen) -> String {
    let mut text = format!("{}\n", visible(value.text("note")));
    for candidate in value.items("candidates") {
        let place = format!(
            "{}:{}",
            visible(candidate.text("path")),
            candidate.number("line")
        );
        let (kind, symbol) = (
            visible(candidate.text("kind")),
            visible(candidate.text("symbol")),
        );
        let handle = screen.paint(FAINT, &visible(candidate.text("handle")));
        let place = screen.paint(PLACE, &place);
        add(
            &mut text,
            format_args!("  {place}  {kind} {symbol}  {handle}\n"),
        );
    }
    text
}
