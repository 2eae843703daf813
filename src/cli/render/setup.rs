//! Changes to the configuration of agents.

use serde_json::Value;

use super::text::{Fields, add};
use crate::cli::screen::{BAD, CARE, FAINT, GOOD, PLACE, STRONG, Screen, visible};

/// Returns a line for each file, with the next step.
pub(in crate::cli) fn installed(value: &Value, screen: &Screen) -> String {
    let files = value.items("files");
    let is_dry = value.is_true("dryRun");
    let width = files
        .iter()
        .map(|file| file.text("name").chars().count())
        .max()
        .unwrap_or_default();
    let mut text = String::new();
    for file in files {
        let (style, said) = match file.text("act") {
            "added" if is_dry => (GOOD, "would be added to"),
            "added" => (GOOD, "added to"),
            "updated" if is_dry => (GOOD, "would be updated in"),
            "updated" => (GOOD, "updated in"),
            "unchanged" => (FAINT, "is already in"),
            "foreign" => (CARE, "has an entry of its own (--force replaces it) in"),
            "restored" if is_dry => (GOOD, "would be restored:"),
            "restored" => (GOOD, "restored:"),
            "removed" if is_dry => (GOOD, "would be removed from"),
            "removed" => (GOOD, "removed from"),
            "gone" => (FAINT, "was no longer in"),
            _ => (BAD, "left alone:"),
        };
        let name = format!("{:width$}", visible(file.text("name")));
        let place = visible(file.text("file"));
        add(
            &mut text,
            format_args!(
                "{}  {} {}\n",
                screen.paint(STRONG, &name),
                screen.paint(style, said),
                screen.paint(PLACE, &place)
            ),
        );
        let indent = " ".repeat(width + 2);
        let mut more = |said: &str| {
            if !said.is_empty() {
                add(&mut text, format_args!("{indent}{said}\n"));
            }
        };
        more(&screen.paint(BAD, &visible(file.text("problem"))));
        let sign = if matches!(file.text("act"), "restored" | "removed") {
            "-"
        } else {
            "+"
        };
        for line in file
            .text("lines")
            .lines()
            .filter(|line| !line.trim().is_empty())
        {
            more(&screen.paint(FAINT, &format!("{sign} {}", visible(line.trim_end()))));
        }
        let backup = file.text("backup");
        if !backup.is_empty() {
            more(&screen.paint(FAINT, &format!("backup: {}", visible(backup))));
        }
        if !is_dry {
            more(&visible(file.text("next")));
        }
    }
    text
}
