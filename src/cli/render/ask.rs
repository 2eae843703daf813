//! The answer to a question as text: prose, then the excerpts that it cites.

use serde_json::Value;

use super::text::{Fields, add, plural};
use crate::cli::screen::{FAINT, PLACE, STRONG, Screen, visible, visible_lines};

/// Returns prose where there is some, facts, and numbered excerpts.
pub(in crate::cli) fn answer(value: &Value, screen: &Screen) -> String {
    let mut text = String::new();
    let sentences = value["answer"].items("sentences");
    for sentence in sentences.iter().filter_map(Value::as_str) {
        add(&mut text, format_args!("{}\n", visible(sentence)));
    }
    let remark = if let Some(fault) = value["fault"].as_str() {
        visible(fault).into_owned()
    } else if value["answer"].is_object() {
        match value["answer"].number("dropped") {
            0 => String::new(),
            n => format!(
                "{} left out: without a citation of an excerpt below",
                plural(n, "sentence")
            ),
        }
    } else {
        "no model configured ([answer] in codelens.toml): the excerpts are the answer".to_owned()
    };
    for line in std::iter::once(remark.as_str())
        .chain(value.items("brief").iter().filter_map(Value::as_str))
        .chain([value.text("note")])
        .filter(|line| !line.is_empty())
    {
        let line = screen.paint(FAINT, &visible(line));
        add(&mut text, format_args!("{line}\n"));
    }
    for excerpt in value.items("excerpts") {
        let place = format!(
            "[{}] {}:{}",
            excerpt.number("number"),
            visible(excerpt.text("path")),
            excerpt.text("lines")
        );
        let mut heading = screen.paint(PLACE, &place);
        if !excerpt.text("symbol").is_empty() {
            heading.push(' ');
            heading += &screen.paint(STRONG, &visible(excerpt.text("symbol")));
        }
        add(&mut text, format_args!("\n{heading}\n"));
        for line in visible_lines(excerpt.text("text")).lines() {
            add(&mut text, format_args!("    {line}\n"));
        }
    }
    text
}
