//! Changes to the configuration of agents.

use super::text::put;
use crate::cli::screen::{BAD, CARE, FAINT, GOOD, PLACE, STRONG, Screen, visible};
use crate::clients::{Act, FileEffect};

/// Returns a line for each file, with the next step.
pub(in crate::cli) fn installed(files: &[FileEffect], is_dry: bool, screen: &Screen) -> String {
    let widths = files.iter().map(|file| file.name.chars().count());
    let width = widths.max().unwrap_or_default();
    let mut text = String::new();
    for file in files {
        let (style, said) = match &file.act {
            Act::Added if is_dry => (GOOD, "would be added to"),
            Act::Added => (GOOD, "added to"),
            Act::Updated if is_dry => (GOOD, "would be updated in"),
            Act::Updated => (GOOD, "updated in"),
            Act::Unchanged => (FAINT, "is already in"),
            Act::Foreign => (CARE, "has an entry of its own (--force replaces it) in"),
            Act::Restored if is_dry => (GOOD, "would be restored:"),
            Act::Restored => (GOOD, "restored:"),
            Act::Removed if is_dry => (GOOD, "would be removed from"),
            Act::Removed => (GOOD, "removed from"),
            Act::Gone => (FAINT, "was no longer in"),
            Act::Failed(_) => (BAD, "left alone:"),
        };
        let name = format!("{:width$}", visible(&file.name));
        let place = file.file.display().to_string();
        let place = visible(&place);
        put!(
            text,
            "{}  {} {}\n",
            screen.paint(STRONG, &name),
            screen.paint(style, said),
            screen.paint(PLACE, &place)
        );
        let indent = " ".repeat(width + 2);
        let mut more = |said: &str| {
            if !said.is_empty() {
                put!(text, "{indent}{said}\n");
            }
        };
        if let Act::Failed(problem) = &file.act {
            more(&screen.paint(BAD, &visible(&problem.to_string())));
        }
        let sign = if matches!(file.act, Act::Restored | Act::Removed) {
            "-"
        } else {
            "+"
        };
        let lines = file.lines.lines().filter(|line| !line.trim().is_empty());
        for line in lines.filter(|_| is_dry) {
            more(&screen.paint(FAINT, &format!("{sign} {}", visible(line.trim_end()))));
        }
        if let Some(backup) = &file.backup {
            let backup = format!("backup: {}", visible(&backup.display().to_string()));
            more(&screen.paint(FAINT, &backup));
        }
        if !is_dry && matches!(file.act, Act::Added | Act::Updated) {
            more(file.hint);
        }
    }
    text
}
